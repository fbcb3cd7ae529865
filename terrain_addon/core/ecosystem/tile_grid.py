"""The plants of one species in a tile and around it: at most one to a cell, so that neighbours are found at once.

The grid follows Lagae & Dutré (2008): cells so small that two plants never fit into one.  Which cells are taken is kept
as bits, one word for each row.  Which cells are near enough to matter is kept as bits too: where both agree stands a
plant that must be looked at.

References
----------
Lagae, A. & Dutré, P. (2008).  A comparison of methods for generating Poisson disk distributions.  Computer Graphics
Forum 27(1), 114-129.  doi:10.1111/j.1467-8659.2007.01100.x
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .spacing import squared_room
from .tiles import PARTS_PER_SIDE, TILE, Tiles, TileSite, tile_at

MARGIN = 3
"""Cells beyond a tile that its plants can reach: radii differ by no more than half, so two keep at most √8 cells."""

SIDE = TILE + 2 * MARGIN
"""Cells from side to side of a tile and what is around it."""

_AROUND = 2 * MARGIN + 1
_ROW = np.uint64(2**_AROUND - 1)
# The upper six bits of the product of a de Bruijn sequence and a word with one bit tell which bit it is.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_SEQUENCE = np.uint64(_DE_BRUIJN)
_BIT = np.argsort([(_DE_BRUIJN << bit) % 2**64 >> 58 for bit in range(64)])


class TileGrid(NamedTuple):
    """The plants in the cells of a tile and in MARGIN cells around it.

    Attributes
    ----------
    taken : ndarray of uint64, shape (SIDE,)
        Which cells of a row hold a plant, one bit for each.
    x, y : ndarray of float32, shape (SIDE, SIDE)
        Metres east and north of the south-west corner of the land.
    room : ndarray of float32, shape (SIDE, SIDE)
        Radius of the plant, stretched, in metres.
    u, v : ndarray of float32, shape (SIDE, SIDE)
        Cells east and north of the south-west corner of the tile.
    """

    taken: Array
    x: Array
    y: Array
    room: Array
    u: Array
    v: Array


def cells_in_reach(reach: float) -> npt.NDArray[np.uint64]:
    """Return which cells around a cell may hold a plant that matters to it.

    Parameters
    ----------
    reach : float
        The largest distance that two plants keep, in cells, up to MARGIN.

    Returns
    -------
    ndarray of uint64, shape (PARTS_PER_SIDE · PARTS_PER_SIDE,)
        For each part of the cell, row after row from the south-west: bit 8 i + j stands for the cell in row i − MARGIN
        and column j − MARGIN from it.
    """
    part, beside = np.arange(PARTS_PER_SIDE)[:, None] / PARTS_PER_SIDE, np.arange(-MARGIN, MARGIN + 1)
    squared_gap = np.maximum(np.maximum(beside - part - 1.0 / PARTS_PER_SIDE, part - beside - 1.0), 0.0) ** 2
    near = squared_gap[:, None, :, None] + squared_gap[None, :, None, :] <= reach**2
    bits = np.uint64(1) << np.arange(8 * _AROUND, dtype=np.uint64).reshape(_AROUND, 8)[:, :_AROUND]
    words: npt.NDArray[np.uint64] = (near * bits).sum(axis=(2, 3), dtype=np.uint64)
    return words.ravel()


@kernel
def empty_grid() -> TileGrid:
    """Make room for the plants in a tile and around it; `lay_out` sets what it holds."""
    numbers = np.empty((5, SIDE, SIDE), np.float32)
    return TileGrid(np.empty(SIDE, np.uint64), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])


@kernel
def lay_out(site: TileSite, tiles: Tiles, stretch: np.float32, grid: TileGrid) -> None:
    """Put the plants of a tile and around it into a grid.

    Parameters
    ----------
    site : TileSite
        The tile.
    tiles : Tiles
        All tiles with their plants.
    stretch : float32
        By how much distances are longer than radii.
    grid : TileGrid
        Is overwritten.
    """
    grid.taken[:] = np.uint64(0)
    per_cell, row, column = site.per_cell, tiles.row[site.tile], tiles.column[site.tile]
    west, south, margin = site.column, site.row, np.float32(MARGIN + 0.01)
    x, y, radius, slots, filled = tiles.x, tiles.y, tiles.radius, tiles.slots, tiles.filled
    row_first, tile_column = tiles.row_first, tiles.column
    for beside in range(9):
        neighbour = tile_at(row + beside // 3 - 1, column + beside % 3 - 1, row_first, tile_column)
        if neighbour < 0:
            continue
        for p in range(slots[neighbour], slots[neighbour] + filled[neighbour]):
            column_of, row_of = x[p] * per_cell - west, y[p] * per_cell - south
            u, v = np.float32(column_of), np.float32(row_of)
            # Most plants of the tiles beside are too far off.
            if min(u, v) < -margin or max(u, v) > TILE + margin:
                continue
            r, c = int(np.floor(row_of)) + MARGIN, int(np.floor(column_of)) + MARGIN
            if 0 <= r < SIDE and 0 <= c < SIDE:
                occupy(r, c, x[p], y[p], radius[p] * stretch, u, v, grid)


@kernel
def occupy(
    r: int, c: int, east: np.float32, north: np.float32, room: np.float32, u: np.float32, v: np.float32, grid: TileGrid
) -> None:
    """Let a plant take a cell of a grid.

    Parameters
    ----------
    r, c : int
        Row and column of the cell in the grid.
    east, north : float32
        Place of the plant in metres.
    room : float32
        Its radius, stretched, in metres.
    u, v : float32
        Its place in cells from the corner of the tile.
    grid : TileGrid
        Takes the plant.
    """
    taken, x, y, rooms, us, vs = grid
    taken[r] |= np.uint64(1) << np.uint64(c)
    x[r, c], y[r, c], rooms[r, c], us[r, c], vs[r, c] = east, north, room, u, v


@kernel
def neighbours(r: int, c: int, taken: Array) -> np.uint64:
    """Return which cells around one are taken.

    Parameters
    ----------
    r, c : int
        Row and column of the cell in the grid.
    taken : ndarray of uint64, shape (SIDE,)
        Which cells of each row hold a plant.

    Returns
    -------
    uint64
        Bit 8 i + j stands for the cell in row i − MARGIN and column j − MARGIN from it.
    """
    bits = np.uint64(0)
    for i in range(_AROUND):
        bits |= ((taken[r - MARGIN + i] >> np.uint64(c - MARGIN)) & _ROW) << np.uint64(8 * i)
    return bits


@kernel
def lowest(bits: np.uint64) -> int:
    """Return the number of the lowest bit that is set.

    Parameters
    ----------
    bits : uint64
        With one bit or more.

    Returns
    -------
    int
        0 to 63.
    """
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
    grid: TileGrid,
) -> bool:
    """Whether a plant of the same species stands too near to a place.

    Parameters
    ----------
    r, c : int
        Row and column of its cell in the grid.
    in_reach : uint64
        Which cells around may matter.
    east, north : float32
        The place in metres.
    room : float32
        Radius of the newcomer, stretched, in metres.
    summed : bool
        Whether two plants keep the sum of their radii.
    grid : TileGrid
        Plants that stand already.

    Returns
    -------
    bool
    """
    taken, x, y, rooms = grid.taken, grid.x, grid.y, grid.room
    bits = neighbours(r, c, taken) & in_reach
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r - MARGIN + (beside >> 3), c - MARGIN + (beside & 7)
        dx, dy = x[i, j] - east, y[i, j] - north
        if dx * dx + dy * dy < squared_room(room, rooms[i, j], summed):
            return True
    return False
