"""Which parts of a tile are covered: they lie wholly in the room of one plant, so that no other plant fits there.

A map has one bit for each part, and two words for each row of parts in a tile.
"""

import numpy as np

from ..foundation.compilation import Array, kernel
from .tiles import PARTS_PER_SIDE, TILE

_SIDE = TILE * PARTS_PER_SIDE
_CELLS_IN_WORD = 64 // PARTS_PER_SIDE
_CELL_ROW = np.uint64(2**PARTS_PER_SIDE - 1)
_ALL = np.uint64(2**64 - 1)


def empty_maps(tiles: int) -> Array:
    """Make a map for each tile; `open_cells` sets what it holds.

    Parameters
    ----------
    tiles : int
        How many.

    Returns
    -------
    ndarray of uint64, shape (tiles, rows of parts, words)
    """
    return np.empty((tiles, _SIDE, _SIDE // 64), np.uint64)


@kernel
def empty_map() -> Array:
    """Make room for the map of one tile; `open_cells` sets what it holds."""
    return np.empty((_SIDE, _SIDE // 64), np.uint64)


@kernel
def empty_spans() -> Array:
    """Make room for what `cover` finds: the first and last part in each row of parts."""
    return np.empty((2, _SIDE), np.int32)


@kernel
def open_cells(best: Array, covered: Array) -> None:
    """Begin a map of a tile: parts of cells where something can grow are open, all others count as covered.

    Parameters
    ----------
    best : ndarray of float32, shape (TILE, TILE)
        Highest density in each cell.
    covered : ndarray of uint64, shape (rows of parts, words)
        The map; it is overwritten.
    """
    for r in range(TILE):
        for word in range(_SIDE // 64):
            bits = np.uint64(0)
            for k in range(_CELLS_IN_WORD):
                if best[r, word * _CELLS_IN_WORD + k] <= np.float32(0.0):
                    bits |= _CELL_ROW << np.uint64(k * PARTS_PER_SIDE)
            for i in range(PARTS_PER_SIDE):
                covered[r * PARTS_PER_SIDE + i, word] = bits


@kernel
def cover(x: np.float32, y: np.float32, reach: np.float32, covered: Array, spans: Array) -> None:
    """Mark the parts that lie wholly within reach of a place.

    Parameters
    ----------
    x, y : float32
        The place in cells from the south-west corner of the tile; it may lie beside the tile.
    reach : float32
        Cells.
    covered : ndarray of uint64, shape (rows of parts, words)
        The map; bits are added.
    spans : ndarray of int32, shape (2, rows of parts)
        Room to work in, from `empty_spans`.
    """
    x, y, reach = x * np.float32(PARTS_PER_SIDE), y * np.float32(PARTS_PER_SIDE), reach * np.float32(PARTS_PER_SIDE)
    side, one = np.float32(_SIDE), np.float32(1.0)
    # Whole numbers by cutting off what follows the point, which is many times as fast as rounding up or down.
    south, north = int(max(y - reach, -one) + one), int(min(y + reach, side))
    # Where the cover of each row of parts begins and ends.  This loop stands alone, so that the compiler can do several
    # rows at once.
    nearest, squared_reach = np.float32(south) - y, reach * reach
    for i in range(north - south):
        edge = nearest + np.float32(np.int32(i))
        farther = max(-edge, edge + one)
        half = np.sqrt(max(squared_reach - farther * farther, np.float32(0.0)))
        spans[0, i] = np.int32(max(x - half, -one) + one)
        spans[1, i] = np.int32(min(x + half, side)) - np.int32(1)
    first, last = int(max(x - reach, np.float32(0.0))) >> 6, (int(min(x + reach, side)) - 1) >> 6
    for word in range(first, last + 1):
        for i in range(north - south):
            begin, end = max(spans[0, i] - 64 * word, 0), min(spans[1, i] - 64 * word, 63)
            if begin <= end:
                covered[south + i, word] |= _ALL << np.uint64(begin) & _ALL >> np.uint64(63 - end)


@kernel
def is_open(covered: Array, row: int, column: int) -> bool:
    """Whether a part of a tile is open.

    Parameters
    ----------
    covered : ndarray of uint64, shape (rows of parts, words)
        The map of the tile.
    row, column : int
        The part, counted from the south-west corner of the tile.

    Returns
    -------
    bool
    """
    return (covered[row, column >> 6] >> np.uint64(column & 63)) & np.uint64(1) == np.uint64(0)


@kernel
def count_open(covered: Array) -> int:
    """Return how many parts of a tile are open.

    Parameters
    ----------
    covered : ndarray of uint64, shape (rows of parts, words)
        The map of the tile.

    Returns
    -------
    int
    """
    count = 0
    for row in range(covered.shape[0]):
        for word in range(covered.shape[1]):
            bits = ~covered[row, word]
            while bits != np.uint64(0):
                bits &= bits - np.uint64(1)
                count += 1
    return count


@kernel
def open_parts(covered: Array, r: int, c: int) -> np.uint64:
    """Return which parts of a cell no plant covers.

    Parameters
    ----------
    covered : ndarray of uint64, shape (rows of parts, words)
        The map of the tile.
    r, c : int
        Row and column of the cell in the tile.

    Returns
    -------
    uint64
        One bit for each part, row after row from the south-west.
    """
    word, shift = c // _CELLS_IN_WORD, np.uint64(c % _CELLS_IN_WORD * PARTS_PER_SIDE)
    bits = np.uint64(0)
    for i in range(PARTS_PER_SIDE):
        bits |= (~covered[r * PARTS_PER_SIDE + i, word] >> shift & _CELL_ROW) << np.uint64(i * PARTS_PER_SIDE)
    return bits
