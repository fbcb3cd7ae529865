"""Where a species can grow: which tiles, which cells of a tile, and whether a place is good enough.

The luck of a place is drawn once, for a square of 2 × 2 cells, and not for each dart.  A place suits if its luck is
below the density there.  So throwing longer fills what suits and never the rest: the plants follow the density however
long darts are thrown.
"""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place, unit_float
from ..foundation.sampling import interpolate
from .flooded_ground import WaterCover, is_flooded
from .tiles import MOST_IN_TILE, TILE, TileSite

PLACE = 2
"""Cells from side to side of a place, for which luck is drawn once."""

# What is added to the seed of a species, so that luck and darts are drawn apart.
_LUCK_DRAW = np.uint32(1)


class Ground(NamedTuple):
    """The land as one species sees it.

    Attributes
    ----------
    density : ndarray of float32, shape (rows, columns)
        How suitable each sample is, 0 to 1.
    width, depth : float
        Size of the land in metres, from west to east and from south to north.
    per_sample : float
        Samples per metre.
    water : WaterCover
        The water of the land.
    deepest : float
        Depth of standing water in metres that the species bears.
    """

    density: Array
    width: float
    depth: float
    per_sample: float
    water: WaterCover
    deepest: float


@kernel
def place_luck(place_column: int, place_row: int, seed: Bits) -> np.float32:
    """Return how suitable a place must be to bear plants.

    Parameters
    ----------
    place_column, place_row : int
        The place, counted in squares of PLACE cells from the south-west corner of the land.
    seed : uint32
        Randomness of the species.

    Returns
    -------
    float32
        0 or more, below 1.
    """
    return unit_float(hash_place(place_column, place_row, np.uint32(seed + _LUCK_DRAW)))


@kernel
def find_tiles(
    density: Array,
    samples_per_tile: float,
    tile_columns: int,
    seed: Bits,
    row_first: Array,
    tile_column: Array,
    slot: Array,
) -> int:
    """List the tiles on which something could grow, and how many plants could; with empty arrays only count them.

    Parameters
    ----------
    density : ndarray of float32, shape (rows, columns)
        How suitable each sample is, 0 to 1.
    samples_per_tile : float
        Samples along the side of a tile.
    tile_columns : int
        Tiles from west to east.
    seed : uint32
        Randomness of the species.
    row_first : ndarray of int64, shape (rows of tiles + 1,)
        Is given the index of the first tile of each row.
    tile_column : ndarray of int64, shape (tiles,) or (0,)
        Is given the column of each tile.
    slot : ndarray of int64, shape (tiles,) or (0,)
        Is given the most plants that each tile can hold.

    Returns
    -------
    int
        Number of tiles.
    """
    last_row, last_column = density.shape[0] - 1, density.shape[1] - 1
    highest = np.empty(last_column + 1, np.float32)
    places = TILE // PLACE
    count = 0
    for row in range(row_first.size - 1):
        row_first[row] = count
        south = min(int(row * samples_per_tile), last_row)
        north = min(int((row + 1) * samples_per_tile) + 1, last_row)
        for c in range(last_column + 1):
            highest[c] = density[south, c]
        for r in range(south + 1, north + 1):
            for c in range(last_column + 1):
                highest[c] = max(highest[c], density[r, c])
        before = -1
        top = np.float32(0.0)
        for c in range(last_column):
            here = max(highest[c], highest[c + 1])
            if here <= np.float32(0.0):
                continue
            west = int(c / samples_per_tile)
            east = min(int((c + 1) / samples_per_tile), tile_columns - 1)
            for column in range(west, east + 1):
                if column != before:
                    count += 1
                    before = column
                    top = np.float32(0.0)
                if slot.size > 0 and here > top:
                    top = here
                    tile_column[count - 1] = column
                    open_places = 0
                    for i in range(places):
                        for j in range(places):
                            if place_luck(column * places + j, row * places + i, seed) < top:
                                open_places += 1
                    slot[count - 1] = min(MOST_IN_TILE, open_places * PLACE * PLACE)
    row_first[row_first.size - 1] = count
    return count


@kernel
def find_cells_that_suit(site: TileSite, ground: Ground, suits: Array) -> None:
    """Find the cells of a tile where the ground is good enough for the luck of the place.

    Parameters
    ----------
    site : TileSite
        The tile.
    ground : Ground
        The land.
    suits : ndarray of bool, shape (TILE, TILE)
        Is set.
    """
    density, cell = ground.density, site.cell
    # Density at the corners of cells, a row of them below and one above, and where they lie between the samples.
    nodes = np.empty((2, TILE + 1), np.float32)
    sample = np.empty(TILE + 1, np.int64)
    share = np.empty(TILE + 1, np.float32)
    for j in range(TILE + 1):
        column = min((site.column + j) * cell, ground.width) * ground.per_sample
        sample[j] = min(int(column), density.shape[1] - 2)
        share[j] = column - sample[j]
    for i in range(TILE + 1):
        above, below = i % 2, 1 - i % 2
        height = min((site.row + i) * cell, ground.depth) * ground.per_sample
        r = min(int(height), density.shape[0] - 2)
        upper = np.float32(height - r)
        for j in range(TILE + 1):
            c = sample[j]
            south = density[r, c] + share[j] * (density[r, c + 1] - density[r, c])
            north = density[r + 1, c] + share[j] * (density[r + 1, c + 1] - density[r + 1, c])
            nodes[above, j] = south + upper * (north - south)
        if i == 0:
            continue
        on_land = (site.row + i - 1) * cell <= ground.depth
        for j in range(TILE):
            best = max(max(nodes[below, j], nodes[below, j + 1]), max(nodes[above, j], nodes[above, j + 1]))
            luck = place_luck((site.column + j) // PLACE, (site.row + i - 1) // PLACE, site.seed)
            suits[i - 1, j] = luck < best and on_land and (site.column + j) * cell <= ground.width


@kernel
def is_suitable(column: int, row: int, east: np.float32, north: np.float32, site: TileSite, ground: Ground) -> bool:
    """Whether a place on the land is good enough, and in its cell.

    Parameters
    ----------
    column, row : int
        The cell, counted from the south-west corner of the land.
    east, north : float32
        The place in metres.
    site : TileSite
        The tile.
    ground : Ground
        The land.

    Returns
    -------
    bool
    """
    if east > ground.width or north > ground.depth:
        return False
    luck = place_luck(column // PLACE, row // PLACE, site.seed)
    if luck >= interpolate(ground.density, east * ground.per_sample, north * ground.per_sample):
        return False
    if is_flooded(east, north, ground.deepest, ground.water):
        return False
    # Rounding to float32 may push a place over the edge of its cell, where it would not be found.
    return int(north * site.per_cell) == row and int(east * site.per_cell) == column
