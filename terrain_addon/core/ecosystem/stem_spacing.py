"""Room for stems: how near to others a seedling may come up, however much light is left there.

References
----------
Matérn, B. (1960).  Spatial variation.  Meddelanden från Statens Skogsforskningsinstitut 49(5).
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from .stem_cells import StemCells, sort_into_cells

# Newcomers that one thread has looked at before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000


def have_room(x: Array, y: Array, kept: Array, known: int, width: float, depth: float) -> npt.NDArray[np.bool_]:
    """Return which newcomers keep their distance from every stem before them in a list.

    Two stems keep the larger of their two distances.  A newcomer also gives way to one before it that finds no room
    itself, so that each can be looked at alone (Matérn's second hard-core process).

    Parameters
    ----------
    x, y : ndarray of float32, shape (stems,)
        Metres east and north, within the land.
    kept : ndarray of float32, shape (stems,)
        Distance from others that each stem keeps, in metres.
    known : int
        How many of the stems are there already; those after them are newcomers.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    ndarray of bool, shape (stems - known,)
    """
    room = np.ones(x.size - known, np.bool_)
    if room.size == 0 or not kept.any():
        return room
    # Cells so wide that nobody too near is farther off than the next cell.
    cells = sort_into_cells(x, y, 1.001 * float(kept.max()), width, depth)
    find = _find_room.alone if room.size < _TOO_FEW_TO_SHARE else _find_room
    find(x, y, kept, known, cells, room)
    return room


@parallel_kernel
def _find_room(part: Part, x: Array, y: Array, kept: Array, known: int, cells: StemCells, room: Array) -> None:
    """Mark newcomers that stand too near to a stem before them."""
    per_metre, rows, columns, first, order = cells
    for n in portion(part, room.size):
        p = known + n
        row, column = int(y[p] * per_metre), int(x[p] * per_metre)
        west, east = max(column - 1, 0), min(column + 1, columns - 1)
        for i in range(max(row - 1, 0), min(row + 1, rows - 1) + 1):
            for k in range(first[i * columns + west], first[i * columns + east + 1]):
                q = order[k]
                dx, dy, distance = x[q] - x[p], y[q] - y[p], max(kept[q], kept[p])
                if q < p and dx * dx + dy * dy < distance * distance:
                    room[n] = False
