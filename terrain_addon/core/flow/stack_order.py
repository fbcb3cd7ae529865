"""The stack order of cells: each after the cell to which it drains (Braun & Willett 2013).

Kernels take the flow either as receivers, numbers below 0 where a path ends, or as directions and the links of the
grid; numba drops the branch that is not needed.

References
----------
Braun, J., & Willett, S. D. (2013). A very efficient O(n), implicit and parallel method to solve the stream power
equation governing fluvial incision and landscape evolution. Geomorphology, 180–181, 170–179.
doi:10.1016/j.geomorph.2012.10.008

Zhou, G., Wei, H., & Fu, S. (2019). A fast and simple algorithm for calculating flow accumulation matrices from raster
digital elevation. Frontiers of Earth Science, 13, 317–326. doi:10.1007/s11707-018-0725-9
"""

from typing import Any

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import neighbour_of
from .directions import OUTLET


@kernel
def receiver_of(cell: int, flow: Array, cells: Array | None) -> Any:
    """Return the cell that receives the water of a cell.

    Parameters
    ----------
    cell : int
        Its number.
    flow : ndarray, shape (cells,)
        Receivers; with `cells`, directions without pits.
    cells : ndarray or None
        As in `Links`; None if `flow` holds receivers.

    Returns
    -------
    int
        Below 0 where the path ends.
    """
    if cells is None:
        return np.int64(flow[cell])
    way = flow[cell]
    return np.int64(-1) if way == OUTLET else neighbour_of(cell, way, cells)


@kernel
def count_donors(flow: Array, donors: Array, cells: Array | None) -> None:
    """Count the cells that drain to each cell.

    Parameters
    ----------
    flow, cells
        As for `receiver_of`.
    donors : ndarray of uint8 or int32, shape (cells,)
        Where to write the numbers; on a grid no cell has more than 8.
    """
    donors[:] = 0
    for cell in range(flow.size):
        below = receiver_of(cell, flow, cells)
        if below >= 0:
            donors[below] += 1


@kernel
def sort_upstream(flow: Array, donors: Array, order: Array, cells: Array | None) -> None:
    """Fill the stack order from its end: walk down from each source while all donors are done (Zhou et al. 2019).

    Parameters
    ----------
    flow, cells
        As for `receiver_of`.
    donors : ndarray of uint8 or int32, shape (cells,)
        From `count_donors`; overwritten.
    order : ndarray of int, shape (cells,)
        Where to write the numbers of the cells.
    """
    place = order.size
    for source in range(order.size):
        if donors[source] != 0:
            continue
        cell = np.int64(source)
        while True:
            place -= 1
            order[place] = cell
            donors[cell] -= 1  # no longer 0: it is done
            cell = receiver_of(cell, flow, cells)
            if cell < 0:
                break
            donors[cell] -= 1
            if donors[cell] != 0:
                break
