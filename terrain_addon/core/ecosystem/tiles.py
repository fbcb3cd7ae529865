"""The tiles into which a land is cut while one species is planted.

A tile is 32 × 32 cells.  A cell is so small that two plants of the species never fit into one, and has 4 × 4 parts.
"""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place

TILE = 32
"""Cells from side to side of a tile."""
PARTS_PER_SIDE = 4
"""Parts from side to side of a cell."""


class Tiles(NamedTuple):
    """The tiles on which a species can grow, and its plants in them.

    Attributes
    ----------
    row, column : ndarray of int64, shape (tiles,)
        Where a tile lies, counted in tiles from the one in which the south-west corner of the land lies.
    row_first : ndarray of int64, shape (rows + 1,)
        Index of the first tile of each row of tiles.
    slots : ndarray of int64, shape (tiles + 1,)
        Where the plants of each tile begin in `x`, `y` and `radius`.
    filled : ndarray of int64, shape (tiles,)
        How many plants a tile has.
    x, y : ndarray of float32, shape (slots,)
        Metres east and north of the south-west corner.
    radius : ndarray of float32, shape (slots,)
        Metres that a plant keeps free.
    top : ndarray of float32, shape (tiles,)
        Highest density in each tile.
    curve : ndarray of int64, shape (tiles,)
        Which of the curves of `density_law` each tile follows.
    when : ndarray of float32, shape (slots,) or (0,)
        When each plant came, in darts for each cell; kept only where it is asked for.
    in_reach : ndarray of uint64, shape (PARTS_PER_SIDE · PARTS_PER_SIDE,)
        For each part of a cell: which cells around may hold a plant that matters (`tile_grid.cells_in_reach`).
    in_far_reach : ndarray of uint64, shape (PARTS_PER_SIDE · PARTS_PER_SIDE,)
        The same for plants that stand apart.
    cell : float
        Side of a cell in metres.
    seed : uint32
        Randomness of this species.
    first_row, first_column : int
        Where the tile with the south-west corner lies in a larger land, so that darts fall alike on all its parts.
    north, east : float
        Cells from the south-west corner of that tile to that of the land, 0 or more, below TILE.
    """

    row: Array
    column: Array
    row_first: Array
    slots: Array
    filled: Array
    x: Array
    y: Array
    radius: Array
    top: Array
    curve: Array
    when: Array
    in_reach: Array
    in_far_reach: Array
    cell: float
    seed: Bits
    first_row: int
    first_column: int
    north: float
    east: float


# Plants of one species in a full tile; with free borders they are a tenth more.
_IN_FULL_TILE = 400


def with_room(tiles: Tiles, *, timed: bool) -> Tiles:
    """Return tiles with room for all their plants, and without any.

    Parameters
    ----------
    tiles : Tiles
        Whose `row`, `column`, `row_first` and `top` are set.
    timed : bool
        Whether there is room for times as well.

    Returns
    -------
    Tiles
    """
    likely = _IN_FULL_TILE * np.minimum(tiles.top.astype(np.float64), 1.0)
    # Six standard deviations more than there will be.
    slots = np.concatenate([[0], np.cumsum((likely + 6.0 * np.sqrt(likely) + 8.0).astype(np.int64))])
    x, y, radius = (np.empty(int(slots[-1]), np.float32) for _ in range(3))
    return tiles._replace(
        slots=slots,
        filled=np.zeros(tiles.column.size, np.int64),
        x=x,
        y=y,
        radius=radius,
        curve=np.zeros(tiles.column.size, np.int64),
        when=np.empty(int(slots[-1]) if timed else 0, np.float32),
    )


class TileSite(NamedTuple):
    """The tile that is being filled; numbers only, so that it is cheap to hand on.

    Attributes
    ----------
    tile : int
        Its index.
    column, row : float
        Its south-west corner, in cells from the south-west corner of the land.
    cell, per_cell : float
        Side of a cell in metres, and cells per metre.
    seed : uint32
        Randomness of the species.
    """

    tile: int
    column: float
    row: float
    cell: float
    per_cell: float
    seed: Bits


@kernel
def site_of(tile: int, tiles: Tiles) -> TileSite:
    """Return one of the tiles as the one that is being filled.

    Parameters
    ----------
    tile : int
        Its index.
    tiles : Tiles
        All tiles of the species.

    Returns
    -------
    TileSite
    """
    column, row = tiles.column[tile] * TILE - tiles.east, tiles.row[tile] * TILE - tiles.north
    return TileSite(tile, column, row, tiles.cell, 1.0 / tiles.cell, tiles.seed)


@kernel
def tile_bits(tile: int, tiles: Tiles, seed: Bits) -> Bits:
    """Return random bits of a tile, the same for the parts of a larger land.

    Parameters
    ----------
    tile : int
        Its index.
    tiles : Tiles
        All tiles of the species.
    seed : uint32
        What they are for.

    Returns
    -------
    uint32
    """
    return hash_place(tiles.column[tile] + tiles.first_column, tiles.row[tile] + tiles.first_row, seed)


@kernel
def tile_at(row: int, column: int, row_first: Array, tile_column: Array) -> int:
    """Find a tile.

    Parameters
    ----------
    row, column : int
        Where it lies, counted in tiles; it may lie off the land.
    row_first, tile_column : ndarray of int64
        `row_first` and `column` of Tiles.

    Returns
    -------
    int
        Its index, −1 where nothing could grow.
    """
    if row < 0 or row >= row_first.size - 1:
        return -1
    end = row_first[row + 1]
    tile = first_tile_from(column, row_first[row], end, tile_column)
    return tile if tile < end and tile_column[tile] == column else -1


@kernel
def first_tile_from(column: int, begin: int, end: int, tile_column: Array) -> int:
    """Find the first tile of a row of tiles that is not west of a column, by halving.

    Parameters
    ----------
    column : int
        The column, counted in tiles.
    begin, end : int
        The row has the tiles from `begin` to before `end`.
    tile_column : ndarray of int, shape (tiles,)
        Column of each tile; it rises along a row.

    Returns
    -------
    int
        Index of the tile; `end` if all are west of the column.
    """
    while begin < end:
        middle = (begin + end) // 2
        if tile_column[middle] < column:
            begin = middle + 1
        else:
            end = middle
    return begin
