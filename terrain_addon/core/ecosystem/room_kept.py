"""Room that plants of other species keep: which of them stand near a tile, and whether a place is clear of them."""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel
from .tiles import TILE, TileSite, first_tile_from

LARGER, SUM, OWN, OTHERS = range(4)
"""Distance that a pair of plants of two species keeps: the larger radius, the sum of both, the radius of the species
that is being planted, or the radius of the other one."""

# Bins from side to side of a tile, in which plants of other species are listed.
_BINS = 8


class PlacedPlants(NamedTuple):
    """Plants of all species that were placed before, species after species, and in each species tile after tile.

    Attributes
    ----------
    x, y, radius : ndarray of float32, shape (plants,)
        Metres.
    tile_first : ndarray of int64, shape (tiles + 1,)
        Index of the first plant of each tile.
    tile_column : ndarray of int32, shape (tiles,)
        Column of each tile.
    row_first : ndarray of int64
        Index of the first tile of each row of tiles; each species has one entry more than rows.
    first_row : ndarray of int64, shape (species,)
        Where the rows of each species begin in `row_first`.
    rows : ndarray of int64, shape (species,)
        Rows of tiles.
    tiles_per_metre : ndarray of float64, shape (species,)
    north, east : ndarray of float64, shape (species,)
        Tiles from the south-west corner of the first tile to that of the land.
    largest : ndarray of float64, shape (species,)
        Largest radius in metres.
    rule : ndarray of int64, shape (species,)
        Which distance they keep from the species that is being planted: LARGER, SUM, OWN or OTHERS.
    """

    x: Array
    y: Array
    radius: Array
    tile_first: Array
    tile_column: Array
    row_first: Array
    first_row: Array
    rows: Array
    tiles_per_metre: Array
    north: Array
    east: Array
    largest: Array
    rule: Array


class PlantsNearby(NamedTuple):
    """Plants of other species that keep some of a tile free.

    Attributes
    ----------
    plants : ndarray of float64, shape (plants, 4)
        x, y, radius in metres and the rule for the distance.
    bin_first : ndarray of int64, shape (bins + 1,)
        Where each bin of the tile begins in `binned`.
    binned : ndarray of int64
        Indices of the plants that keep some of each bin free.
    """

    plants: Array
    bin_first: Array
    binned: Array


@kernel
def squared_distance_kept(own: float, other: float, rule: float) -> float:
    """Return the square of the distance that two plants of different species keep.

    Parameters
    ----------
    own, other : float
        Their radii in metres.
    rule : float
        LARGER, SUM, OWN or OTHERS.

    Returns
    -------
    float
        Square metres.
    """
    if rule == LARGER:
        kept = max(own, other)
    elif rule == SUM:
        kept = own + other
    elif rule == OWN:
        kept = own
    else:
        kept = other
    return kept * kept


@kernel
def bin_of(x: float, y: float, side: int) -> int:
    """Return the bin of a place in a tile.

    Parameters
    ----------
    x, y : float
        Place from the south-west corner of the tile.
    side : int
        Side of the tile in the same unit.

    Returns
    -------
    int
        Counted row after row from the south-west.
    """
    return int(y * _BINS / side) * _BINS + int(x * _BINS / side)


@kernel
def is_clear_of_others(east: float, north: float, radius: float, b: int, nearby: PlantsNearby) -> bool:
    """Whether no plant of another species stands too near.

    Parameters
    ----------
    east, north : float
        The place in metres.
    radius : float
        Radius of the newcomer in metres.
    b : int
        The bin of the place.
    nearby : PlantsNearby
        The others.

    Returns
    -------
    bool
    """
    plants, bin_first, binned = nearby
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        dx, dy = plants[s, 0] - east, plants[s, 1] - north
        if dx * dx + dy * dy < squared_distance_kept(radius, plants[s, 2], plants[s, 3]):
            return False
    return True


@kernel
def list_nearby(site: TileSite, largest: float, placed: PlacedPlants) -> PlantsNearby:
    """List plants of other species that keep some of a tile free, and which of them are near each bin.

    Parameters
    ----------
    site : TileSite
        The tile.
    largest : float
        Largest radius of the species that is being planted, in metres.
    placed : PlacedPlants
        All plants of other species.

    Returns
    -------
    PlantsNearby
    """
    west, south, side = site.column * site.cell, site.row * site.cell, TILE * site.cell
    count, plants = 0, np.empty((0, 4))
    # Counted first, then listed.
    for _ in range(2):
        plants = np.empty((count, 4))
        count = _find_nearby(west, south, side, largest, placed, plants)

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
    return PlantsNearby(plants, first, binned)


@kernel
def _find_nearby(west: float, south: float, side: float, largest: float, placed: PlacedPlants, found: Array) -> int:
    """Find plants of other species that keep some of a tile free; with an empty array only count them."""
    east, north = west + side, south + side
    x, y, radius, tile_first, tile_column, row_first, first_row, rows, tiles_per_metre, up, right, widest, rule = placed
    count = 0
    for k in range(rule.size):
        begin, per_metre = first_row[k], tiles_per_metre[k]
        reach = math.sqrt(squared_distance_kept(largest, widest[k], rule[k]))
        from_column = int((west - reach) * per_metre + right[k])
        to_column = int((east + reach) * per_metre + right[k])
        to_row = int((north + reach) * per_metre + up[k])
        for r in range(max(int((south - reach) * per_metre + up[k]), 0), min(to_row + 1, rows[k])):
            end = row_first[begin + r + 1]
            tile = first_tile_from(from_column, row_first[begin + r], end, tile_column)
            while tile < end and tile_column[tile] <= to_column:
                for p in range(tile_first[tile], tile_first[tile + 1]):
                    dx, dy = max(west - x[p], x[p] - east, 0.0), max(south - y[p], y[p] - north, 0.0)
                    if dx * dx + dy * dy < squared_distance_kept(largest, radius[p], rule[k]):
                        if found.size > 0:
                            found[count, 0], found[count, 1], found[count, 2] = x[p], y[p], radius[p]
                            found[count, 3] = rule[k]
                        count += 1
                tile += 1
    return count
