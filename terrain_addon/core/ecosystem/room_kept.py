"""Room that plants of other species keep: which of them stand near a tile, and whether a place is clear of them."""

import math
from typing import Any

import numpy as np

from ..foundation.compilation import Array, kernel
from .tile_grid import first_tile_from

# How a pair of plants of two species finds the distance it keeps.
LARGER, SUM, OWN, OTHERS = range(4)

# Bins from side to side of a tile, in which plants of other species are listed.
_BINS = 8


@kernel
def squared_distance_kept(own: float, other: float, mode: float) -> float:
    """The square of the distance that two plants keep, from their radii."""
    if mode == LARGER:
        kept = max(own, other)
    elif mode == SUM:
        kept = own + other
    elif mode == OWN:
        kept = own
    else:
        kept = other
    return kept * kept


@kernel
def bin_of(x: float, y: float, side: int) -> int:
    """The bin of a place in a tile of a given side."""
    return int(y * _BINS / side) * _BINS + int(x * _BINS / side)


@kernel
def is_clear_of_others(east: float, north: float, radius: float, b: int, others: Any) -> bool:
    """Whether no plant of another species stands too near."""
    plants, bin_first, binned = others
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        dx, dy = plants[s, 0] - east, plants[s, 1] - north
        if dx * dx + dy * dy < squared_distance_kept(radius, plants[s, 2], plants[s, 3]):
            return False
    return True


@kernel
def list_others(west: float, south: float, side: float, largest: float, others: Any) -> tuple[Array, Array, Array]:
    """List plants of other species that keep some of a tile free (x, y, radius, mode), and which are near each bin."""
    count, plants = 0, np.empty((0, 4))
    # Counted first, then listed.
    for _ in range(2):
        plants = np.empty((count, 4))
        count = _find_others(west, south, side, largest, others, plants)

    first = np.zeros(_BINS * _BINS + 1, np.int64)
    per_bin = _BINS / side
    binned = np.empty(0, np.int64)
    # Count, then list: after counting, `first` holds where each bin ends, and listing moves that to its beginning.
    for turn in range(2):
        for s in range(count):
            x, y = plants[s, 0] - west, plants[s, 1] - south
            reach = math.sqrt(squared_distance_kept(largest, plants[s, 2], plants[s, 3]))
            from_row, to_row = int((y - reach) * per_bin), int((y + reach) * per_bin)
            from_column, to_column = int((x - reach) * per_bin), int((x + reach) * per_bin)
            for i in range(max(from_row, 0), min(to_row + 1, _BINS)):
                for j in range(max(from_column, 0), min(to_column + 1, _BINS)):
                    if turn == 0:
                        first[i * _BINS + j] += 1
                    else:
                        first[i * _BINS + j] -= 1
                        binned[first[i * _BINS + j]] = s
        if turn == 0:
            for b in range(_BINS * _BINS):
                first[b + 1] += first[b]
            binned = np.empty(first[_BINS * _BINS], np.int64)
    return plants, first, binned


@kernel
def _find_others(west: float, south: float, side: float, largest: float, others: Any, found: Array) -> int:
    """Find plants of other species that keep some of a tile free; with an empty array only count them."""
    east, north = west + side, south + side
    x, y, radius, tile_first, tile_column, row_first, plan, modes = others
    count = 0
    for k in range(modes.size):
        begin, rows, per_metre = int(plan[k, 0]), int(plan[k, 1]), plan[k, 2]
        reach = math.sqrt(squared_distance_kept(largest, plan[k, 3], modes[k]))
        from_column, to_column = int((west - reach) * per_metre), int((east + reach) * per_metre)
        for r in range(max(int((south - reach) * per_metre), 0), min(int((north + reach) * per_metre) + 1, rows)):
            end = row_first[begin + r + 1]
            tile = first_tile_from(from_column, row_first[begin + r], end, tile_column)
            while tile < end and tile_column[tile] <= to_column:
                for p in range(tile_first[tile], tile_first[tile + 1]):
                    dx, dy = max(west - x[p], x[p] - east, 0.0), max(south - y[p], y[p] - north, 0.0)
                    if dx * dx + dy * dy < squared_distance_kept(largest, radius[p], modes[k]):
                        if found.size > 0:
                            found[count, 0], found[count, 1], found[count, 2] = x[p], y[p], radius[p]
                            found[count, 3] = modes[k]
                        count += 1
                tile += 1
    return count
