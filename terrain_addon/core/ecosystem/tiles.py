"""The tiles into which a land is cut while one species is planted, and the order in which a tile is filled.

A tile is 32 × 32 cells.  A cell is so small that two plants of the species never fit into one, and has 4 × 4 parts.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import mix

TILE = 32
"""Cells from side to side of a tile."""
PARTS_PER_SIDE = 4
"""Parts from side to side of a cell."""

MOST_IN_TILE = int((TILE / math.sqrt(2.0) + 1.0) ** 2 / math.sqrt(0.75)) + 2
"""Plants of one species that fit into a tile: its area with half a distance around it over the densest packing's."""


class Tiles(NamedTuple):
    """The tiles on which a species can grow, and its plants in them.

    Attributes
    ----------
    row, column : ndarray of int64, shape (tiles,)
        Where a tile lies, counted in tiles from the south-west corner of the land.
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
    order : ndarray of int64, shape (TILE · TILE,)
        The cells of a tile in the order in which darts fall.
    in_reach : ndarray of uint64, shape (PARTS_PER_SIDE · PARTS_PER_SIDE,)
        For each part of a cell: which cells around may hold a plant that matters (`tile_grid.cells_in_reach`).
    cell : float
        Side of a cell in metres.
    seed : uint32
        Randomness of this species.
    """

    row: Array
    column: Array
    row_first: Array
    slots: Array
    filled: Array
    x: Array
    y: Array
    radius: Array
    order: Array
    in_reach: Array
    cell: float
    seed: Bits


class TileSite(NamedTuple):
    """The tile that is being filled; numbers only, so that it is cheap to hand on.

    Attributes
    ----------
    tile : int
        Its index.
    column, row : int
        The cell in its south-west corner, counted from the south-west corner of the land.
    cell, per_cell : float
        Side of a cell in metres, and cells per metre.
    seed : uint32
        Randomness of the species.
    """

    tile: int
    column: int
    row: int
    cell: float
    per_cell: float
    seed: Bits


def scattered_order() -> npt.NDArray[np.int64]:
    """Return the cells of a tile in an order without a pattern.

    Returns
    -------
    ndarray of int64, shape (TILE · TILE,)
        Each number from 0 to TILE · TILE − 1 once.
    """
    key = np.arange(TILE * TILE, dtype=np.uint64)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        key = ((key ^ (key >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return np.argsort(key, kind="stable").astype(np.int64)


@kernel
def order_twist(site: TileSite) -> np.int64:
    """Return what makes the order of cells different in each tile.

    Parameters
    ----------
    site : TileSite
        The tile.

    Returns
    -------
    int64
        0 to TILE · TILE − 1; the exclusive or of it with each number of an order is another order.
    """
    row, column = site.row // TILE, site.column // TILE
    return np.int64(mix(np.uint32(row) ^ mix(np.uint32(column) ^ site.seed)) % np.uint32(TILE * TILE))


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
