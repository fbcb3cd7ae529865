"""Which parts of a tile are covered: lie wholly in the room of one plant, whatever its species, so that no other fits.

A bit for each part, and two words for each row of parts in a tile.
"""

import numpy as np

from ..foundation.compilation import Array, kernel
from .tile_grid import PARTS, TILE

_SIDE = TILE * PARTS
_CELLS_IN_WORD = 64 // PARTS
_CELL_ROW = np.uint64(2**PARTS - 1)
_ALL = np.uint64(2**64 - 1)


def empty_maps(tiles: int) -> Array:
    """Make a map for each tile, still to be opened."""
    return np.empty((tiles, _SIDE, _SIDE // 64), np.uint64)


@kernel
def empty_map() -> Array:
    """Room for the map of a tile, still to be opened."""
    return np.empty((_SIDE, _SIDE // 64), np.uint64)


@kernel
def empty_spans() -> Array:
    """Room for what `cover` finds: the first and last part in each row of parts."""
    return np.empty((2, _SIDE), np.int32)


@kernel
def open_cells(suits: Array, covered: Array) -> None:
    """Begin a map of a tile: parts of cells that suit are open, all others count as covered."""
    for r in range(TILE):
        for word in range(_SIDE // 64):
            bits = np.uint64(0)
            for k in range(_CELLS_IN_WORD):
                if not suits[r, word * _CELLS_IN_WORD + k]:
                    bits |= _CELL_ROW << np.uint64(k * PARTS)
            for i in range(PARTS):
                covered[r * PARTS + i, word] = bits


@kernel
def cover(x: np.float32, y: np.float32, reach: np.float32, covered: Array, spans: Array) -> None:
    """Mark the parts within reach of a place, all in cells, from the south-west corner of the tile."""
    x, y, reach = x * np.float32(PARTS), y * np.float32(PARTS), reach * np.float32(PARTS)
    side, one = np.float32(_SIDE), np.float32(1.0)
    # Whole numbers by cutting off what follows the point, which is many times as fast as rounding up or down.
    south, north = int(max(y - reach, -one) + one), int(min(y + reach, side))
    # Where the cover of each row of parts begins and ends; apart from the rest, so that several rows are done at once.
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
    """Whether a part, counted from the corner of the tile, is open."""
    return (covered[row, column >> 6] >> np.uint64(column & 63)) & np.uint64(1) == np.uint64(0)


@kernel
def open_parts(covered: Array, r: int, c: int) -> np.uint64:
    """Which parts of a cell no plant covers, a bit for each, row after row from the south-west."""
    word, shift = c // _CELLS_IN_WORD, np.uint64(c % _CELLS_IN_WORD * PARTS)
    bits = np.uint64(0)
    for i in range(PARTS):
        bits |= (~covered[r * PARTS + i, word] >> shift & _CELL_ROW) << np.uint64(i * PARTS)
    return bits
