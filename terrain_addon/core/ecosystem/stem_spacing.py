"""Room for stems: how near to others a seedling may come up or a plant may be added.

References
----------
Matérn, B. (1960).  Spatial variation.  Meddelanden från Statens Skogsforskningsinstitut 49(5).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from .stem_cells import StemCells, sort_into_cells

# Newcomers that one thread has looked at before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000


class Stems(NamedTuple):
    """Plants that are there; entry i of every array belongs to plant i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (plants,)
        Metres.
    radius : ndarray of float32, shape (plants,)
        Room that each keeps free, in metres.
    """

    x: Array
    y: Array
    radius: Array


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


def stand_clear(x: Array, y: Array, radius: float, there: Stems, width: float, depth: float) -> npt.NDArray[np.bool_]:
    """Return which places for new plants have room beside plants that are there already.

    Parameters
    ----------
    x, y : ndarray of float32, shape (places,)
        Metres east and north, within the land.
    radius : float
        Room that a new plant keeps free, in metres.
    there : Stems
        What is there; it may stand beyond the land.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    ndarray of bool, shape (places,)
        Whether each is as far from every stem as the larger of the two radii says.
    """
    clear = np.ones(x.size, np.bool_)
    if x.size:
        _mark_near(x, y, radius, there, sort_into_cells(x, y, 0.0, width, depth), clear)
    return clear


@parallel_kernel
def _mark_near(part: Part, x: Array, y: Array, radius: float, there: Stems, cells: StemCells, clear: Array) -> None:
    """Mark the places that stand too near to a stem."""
    per_metre, rows, columns, first, order = cells
    for q in portion(part, there.x.size):
        reach = max(radius, np.float64(there.radius[q]))
        west, east = int((there.x[q] - reach) * per_metre), int((there.x[q] + reach) * per_metre)
        south, north = int((there.y[q] - reach) * per_metre), int((there.y[q] + reach) * per_metre)
        west, east = max(west, 0), min(east, columns - 1)
        if west > east:
            continue
        for row in range(max(south, 0), min(north, rows - 1) + 1):
            for k in range(first[row * columns + west], first[row * columns + east + 1]):
                p = order[k]
                dx, dy = np.float64(x[p]) - there.x[q], np.float64(y[p]) - there.y[q]
                if dx * dx + dy * dy < reach * reach:
                    clear[p] = False
