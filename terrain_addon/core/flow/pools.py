"""Pools: hollows that hold no lake, through which a river runs.  The river fills them, or its water would climb out.

They are full up to where they spill, as lakes are (Cordonnier et al. 2019).

References
----------
Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field

LEAST_DEPTH = np.float32(0.5)
"""Depth in metres up to which a hollow is no pool: a river stands about as high above its bed anyway."""


class Pools(NamedTuple):
    """Water that stands in hollows on the way of rivers.

    Attributes
    ----------
    cell : ndarray of int32, shape (cells,)
        Flat indices of the cells that it covers, each once.
    level : ndarray of float32, shape (cells,)
        Its height in metres there.
    """

    cell: npt.NDArray[np.int32]
    level: Field


NO_POOLS = Pools(np.empty(0, np.int32), np.empty(0, np.float32))
"""Where no river runs through a hollow."""


def find_pools(filled: Field, water_level: Field, river_cell: npt.NDArray[np.int32]) -> Pools:
    """Return the pools of a land: what stays dry of its hollows although a river runs through them.

    Parameters
    ----------
    filled : ndarray of float32, shape (rows, columns)
        Heights in metres with all hollows filled, from `raise_to_level`.
    water_level : ndarray of float32, shape (rows, columns)
        Height in metres of the sea and of lakes, or of the ground where it is dry.
    river_cell : ndarray of int32, shape (cells,)
        Flat indices of the cells in which rivers run.

    Returns
    -------
    Pools

    Examples
    --------
    A river runs from west to east through a hollow of two cells:

    >>> ground = np.array([[9, 9, 9, 9, 9], [7, 4, 3, 5, 2], [9, 9, 9, 9, 9]], np.float32)
    >>> filled = np.maximum(ground, np.float32([[0] * 5, [0, 5, 5, 0, 0], [0] * 5]))
    >>> find_pools(filled, ground, np.arange(5, 10, dtype=np.int32))
    Pools(cell=array([6, 7], dtype=int32), level=array([5., 5.], dtype=float32))
    """
    hollow = filled > water_level
    begins = river_cell[filled.ravel()[river_cell] - water_level.ravel()[river_cell] > LEAST_DEPTH]
    cell = np.empty(int(np.count_nonzero(hollow)) if begins.size else 0, np.int32)
    found = cell[: _spread(begins, hollow, cell)]
    return Pools(found, filled.ravel()[found])


@kernel
def _spread(begins: Array, hollow: Array, cell: Array) -> int:
    """List the cells of all hollows in which a place lies; they are no hollow any more.

    A hollow has one level: two that touch would be one.
    """
    rows, columns = hollow.shape
    dry = hollow.ravel()
    count = 0
    for begin in begins:
        place = count
        if dry[begin]:
            dry[begin] = False
            cell[count] = begin
            count += 1
        while place < count:
            row, column = cell[place] // columns, cell[place] % columns
            place += 1
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(column - 1, 0), min(column + 2, columns)):
                    if hollow[r, c]:
                        hollow[r, c] = False
                        cell[count] = r * columns + c
                        count += 1
    return count
