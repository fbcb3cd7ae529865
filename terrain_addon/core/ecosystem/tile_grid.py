"""The plants of one species in a tile and around it: at most one to a cell, so that neighbours are found at once.

Which cells are taken is kept as bits, a word for each row, and so is which cells are near enough to matter: where both
agree stands a plant that must be looked at.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel

TILE = 32
"""Cells from side to side of a tile."""
MARGIN = 3
"""Cells beyond a tile that its plants can reach: radii differ by no more than half, so two keep at most √8 cells."""
PARTS = 4
"""Parts from side to side of a cell."""

SIDE = TILE + 2 * MARGIN
"""Cells from side to side of a tile and what is around it."""

_AROUND = 2 * MARGIN + 1
_ROW = np.uint64(2**_AROUND - 1)
# The upper six bits of the product of a de Bruijn sequence and a word with one bit tell which bit it is.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_SEQUENCE = np.uint64(_DE_BRUIJN)
_BIT = np.argsort([(_DE_BRUIJN << bit) % 2**64 >> 58 for bit in range(64)])


def cells_in_reach(reach: float) -> npt.NDArray[np.uint64]:
    """Return which cells around a cell may hold a plant that matters to it.

    Parameters
    ----------
    reach : float
        The largest distance that two plants keep, in cells, up to MARGIN.

    Returns
    -------
    ndarray of uint64, shape (PARTS · PARTS,)
        For each part of the cell, row after row from the south-west: bit 8 i + j stands for the cell in row i − MARGIN
        and column j − MARGIN from it.
    """
    part, beside = np.arange(PARTS)[:, None] / PARTS, np.arange(-MARGIN, MARGIN + 1)
    squared_gap = np.maximum(np.maximum(beside - part - 1.0 / PARTS, part - beside - 1.0), 0.0) ** 2
    near = squared_gap[:, None, :, None] + squared_gap[None, :, None, :] <= reach**2
    bits = np.uint64(1) << np.arange(8 * _AROUND, dtype=np.uint64).reshape(_AROUND, 8)[:, :_AROUND]
    words: npt.NDArray[np.uint64] = (near * bits).sum(axis=(2, 3), dtype=np.uint64)
    return words.ravel()


@kernel
def empty_grid() -> tuple[Array, Array, Array, Array, Array, Array]:
    """The plants in a tile and around it.

    Which cells are taken, a bit for each; x, y and room in metres; and places in cells from the corner of the tile.
    """
    numbers = np.empty((5, SIDE, SIDE), np.float32)
    return np.empty(SIDE, np.uint64), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]


@kernel
def lay_out(tile: int, per_cell: float, stretch: np.float32, own: Any, grid: Any) -> None:
    """Put the plants of a tile and around it into a grid."""
    tile_row, tile_column, row_first, slots, filled, x, y, radius = own
    grid[0][:] = np.uint64(0)
    row, column = tile_row[tile], tile_column[tile]
    first_row, first_column = row * TILE - MARGIN, column * TILE - MARGIN
    west, south, margin = np.float64(column * TILE), np.float64(row * TILE), np.float32(MARGIN + 0.01)
    for beside in range(9):
        neighbour = _tile_at(row + beside // 3 - 1, column + beside % 3 - 1, row_first, tile_column)
        if neighbour < 0:
            continue
        for p in range(slots[neighbour], slots[neighbour] + filled[neighbour]):
            u, v = np.float32(x[p] * per_cell - west), np.float32(y[p] * per_cell - south)
            # Most plants of the tiles beside are too far off.
            if min(u, v) < -margin or max(u, v) > TILE + margin:
                continue
            r, c = int(y[p] * per_cell) - first_row, int(x[p] * per_cell) - first_column
            if 0 <= r < SIDE and 0 <= c < SIDE:
                settle(r, c, x[p], y[p], radius[p] * stretch, u, v, grid)


@kernel
def _tile_at(row: int, column: int, row_first: Array, tile_column: Array) -> int:
    """Index of a tile, −1 where nothing could grow."""
    if row < 0 or row >= row_first.size - 1:
        return -1
    end = row_first[row + 1]
    tile = first_tile_from(column, row_first[row], end, tile_column)
    return tile if tile < end and tile_column[tile] == column else -1


@kernel
def first_tile_from(column: int, begin: int, end: int, tile_column: Array) -> int:
    """Index of the first tile, from `begin` to before `end` in one row, that is not west of a column; else `end`."""
    while begin < end:
        middle = (begin + end) // 2
        if tile_column[middle] < column:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def settle(
    r: int, c: int, east: np.float32, north: np.float32, room: np.float32, u: float, v: float, grid: Any
) -> None:
    """Let a plant take a cell of a grid."""
    taken, x, y, rooms, us, vs = grid
    taken[r] |= np.uint64(1) << np.uint64(c)
    x[r, c], y[r, c], rooms[r, c], us[r, c], vs[r, c] = east, north, room, u, v


@kernel
def neighbours(r: int, c: int, taken: Array) -> np.uint64:
    """Which cells around one are taken; bit 8 i + j stands for the cell in row i − MARGIN and column j − MARGIN."""
    bits = np.uint64(0)
    for i in range(_AROUND):
        bits |= ((taken[r - MARGIN + i] >> np.uint64(c - MARGIN)) & _ROW) << np.uint64(8 * i)
    return bits


@kernel
def lowest(bits: np.uint64) -> int:
    """Number of the lowest bit that is set."""
    alone = bits ^ (bits & (bits - np.uint64(1)))
    return _BIT[(alone * _SEQUENCE) >> np.uint64(58)]


@kernel
def is_crowded(
    r: int,
    c: int,
    in_reach: np.uint64,
    east: np.float32,
    north: np.float32,
    room: np.float32,
    summed: bool,
    grid: Any,
) -> bool:
    """Whether a plant of the same species stands too near."""
    taken, x, y, rooms = grid[:4]
    bits = neighbours(r, c, taken) & in_reach
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r - MARGIN + (beside >> 3), c - MARGIN + (beside & 7)
        dx, dy = x[i, j] - east, y[i, j] - north
        if dx * dx + dy * dy < squared_room(room, rooms[i, j], summed):
            return True
    return False


@kernel
def squared_room(room: np.float32, other: np.float32, summed: bool) -> np.float32:
    """The square of the distance that two plants of one species keep."""
    kept = room + other if summed else max(room, other)
    return kept * kept
