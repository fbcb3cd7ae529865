"""Water that is led along drawn rivers: their cells have receivers that do not depend on the ground.

References
----------
H. Schott, A. Paris, L. Fournier, E. Guérin and E. Galin (2023), "Large-scale terrain authoring through interactive
erosion simulation", ACM Transactions on Graphics 42(5), 162, doi:10.1145/3592787: drawn rivers force receivers.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.direction.courses import DrawnCourses
from ..core.flow.directions import OUTLET, PIT
from ..core.foundation.compilation import Array
from ..core.foundation.neighbours import COLUMN_STEP, ROW_STEP
from ..core.foundation.terrain import Grid
from ..core.tiling.blocks import Block, Blocks, Cells, local_cells, places_in


class ForcedFlow(NamedTuple):
    """Where water is led along drawn rivers.

    Attributes
    ----------
    cell : ndarray of int64, shape (n,)
        Numbers of cells in the land.
    way : ndarray of uint8, shape (n,)
        Their directions; `PIT` where a river ends in a lake.
    """

    cell: Cells
    way: npt.NDArray[np.uint8]


def forced_flow(courses: DrawnCourses, land: Grid) -> ForcedFlow:
    """Return where water is led along the courses of a level.

    Parameters
    ----------
    courses : DrawnCourses
        Of all rivers.
    land : Grid
        Samples of the level.

    Returns
    -------
    ForcedFlow
        A river that reaches the border leaves there.
    """
    cell = courses.cell.astype(np.int64)
    after = np.append(cell[1:], -1)
    last = courses.first[1:][np.diff(courses.first) > 0] - 1
    after[last] = courses.below[np.diff(courses.first) > 0]
    rows, columns = after // land.columns - cell // land.columns, after % land.columns - cell % land.columns
    way = np.full(cell.size, PIT, np.uint8)
    for k in range(8):
        way[(rows == ROW_STEP[k]) & (columns == COLUMN_STEP[k]) & (after >= 0)] = k
    row, column = np.divmod(cell, land.columns)
    border = (row == 0) | (row == land.rows - 1) | (column == 0) | (column == land.columns - 1)
    kept = ~(border & (after < 0))
    return ForcedFlow(cell[kept], way[kept])


def lead_along_rivers(directions: Array, block: Block, blocks: Blocks, forced: ForcedFlow) -> None:
    """Let water keep to the courses of drawn rivers in a block, in place, but not under the sea."""
    here = places_in(forced.cell, block, blocks)
    cells, flat = local_cells(forced.cell[here], block, blocks), directions.reshape(-1)
    flat[cells] = np.where(flat[cells] == OUTLET, flat[cells], forced.way[here])
