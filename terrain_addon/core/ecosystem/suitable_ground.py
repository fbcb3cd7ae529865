"""Where a species can grow: which tiles, which cells of a tile, and whether a place is good enough."""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.sampling import interpolate
from .tiles import TILE, TileSite


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
    """

    density: Array
    width: float
    depth: float
    per_sample: float


@kernel
def find_tiles(
    density: Array,
    samples_per_tile: float,
    before: tuple[float, float],
    tile_columns: int,
    row_first: Array,
    tile_column: Array,
    top: Array,
) -> int:
    """List the tiles on which something could grow; with empty arrays only count them.

    Parameters
    ----------
    density : ndarray of float32, shape (rows, columns)
        How suitable each sample is, 0 to 1.
    samples_per_tile : float
        Samples along the side of a tile.
    before : tuple of float
        Samples of the first row and column of tiles that lie south and west of the land.
    tile_columns : int
        Tiles from west to east.
    row_first : ndarray of int64, shape (rows of tiles + 1,)
        Is given the index of the first tile of each row.
    tile_column : ndarray of int64, shape (tiles,) or (0,)
        Is given the column of each tile.
    top : ndarray of float32, shape (tiles,) or (0,)
        Is given the highest density in each tile.

    Returns
    -------
    int
        Number of tiles.
    """
    last_row, last_column = density.shape[0] - 1, density.shape[1] - 1
    highest = np.empty(last_column + 1, np.float32)
    beyond_south, beyond_west = before
    count = 0
    for row in range(row_first.size - 1):
        row_first[row] = count
        south = min(int(max(row * samples_per_tile - beyond_south, 0.0)), last_row)
        north = min(int((row + 1) * samples_per_tile - beyond_south) + 1, last_row)
        for c in range(last_column + 1):
            highest[c] = density[south, c]
        for r in range(south + 1, north + 1):
            for c in range(last_column + 1):
                highest[c] = max(highest[c], density[r, c])
        latest = -1
        for c in range(last_column):
            here = max(highest[c], highest[c + 1])
            if here <= np.float32(0.0):
                continue
            west = int((c + beyond_west) / samples_per_tile)
            east = min(int((c + 1 + beyond_west) / samples_per_tile), tile_columns - 1)
            for column in range(west, east + 1):
                if column != latest:
                    count += 1
                    latest = column
                    if top.size > 0:
                        tile_column[count - 1], top[count - 1] = column, here
                elif top.size > 0:
                    top[count - 1] = max(top[count - 1], here)
    row_first[row_first.size - 1] = count
    return count


@kernel
def find_best_in_cells(site: TileSite, ground: Ground, best: Array) -> None:
    """Find the highest density in each cell of a tile.

    Parameters
    ----------
    site : TileSite
        The tile.
    ground : Ground
        The land.
    best : ndarray of float32, shape (TILE, TILE)
        Is set; 0 off the land.
    """
    density, cell = ground.density, site.cell
    # Density at the corners of cells, a row of them below and one above, and where they lie between the samples.
    nodes = np.empty((2, TILE + 1), np.float32)
    sample = np.empty(TILE + 1, np.int64)
    share = np.empty(TILE + 1, np.float32)
    for j in range(TILE + 1):
        column = min(max((site.column + j) * cell, 0.0), ground.width) * ground.per_sample
        sample[j] = min(int(column), density.shape[1] - 2)
        share[j] = column - sample[j]
    below_row = 0
    for i in range(TILE + 1):
        above, below = i % 2, 1 - i % 2
        height = min(max((site.row + i) * cell, 0.0), ground.depth) * ground.per_sample
        r = min(int(height), density.shape[0] - 2)
        upper = np.float32(height - r)
        for j in range(TILE + 1):
            c = sample[j]
            south = density[r, c] + share[j] * (density[r, c + 1] - density[r, c])
            north = density[r + 1, c] + share[j] * (density[r + 1, c + 1] - density[r + 1, c])
            nodes[above, j] = south + upper * (north - south)
        if i > 0:
            on_land = (site.row + i) * cell > 0.0 and (site.row + i - 1) * cell <= ground.depth
            for j in range(TILE):
                highest = max(max(nodes[below, j], nodes[below, j + 1]), max(nodes[above, j], nodes[above, j + 1]))
                inside = on_land and (site.column + j + 1) * cell > 0.0 and (site.column + j) * cell <= ground.width
                best[i - 1, j] = highest if inside else np.float32(0.0)
                if inside and r > below_row and sample[j + 1] > sample[j]:
                    # Samples that lie within the cell.
                    for k in range(below_row + 1, r + 1):
                        for c in range(sample[j] + 1, sample[j + 1] + 1):
                            best[i - 1, j] = max(best[i - 1, j], density[k, c])
        below_row = r


@kernel
def is_suitable(
    c: int, r: int, east: np.float32, north: np.float32, reached: np.float32, site: TileSite, ground: Ground
) -> bool:
    """Whether a place on the land is good enough, and in its cell.

    Parameters
    ----------
    c, r : int
        The cell, counted from the south-west corner of the tile.
    east, north : float32
        The place in metres.
    reached : float32
        Density must be above this share.
    site : TileSite
        The tile.
    ground : Ground
        The land.

    Returns
    -------
    bool
    """
    if min(east, north) < np.float32(0.0) or east > ground.width or north > ground.depth:
        return False
    if interpolate(ground.density, east * ground.per_sample, north * ground.per_sample) <= reached:
        return False
    # Rounding to float32 may push a place over the edge of its cell, where it would not be found.
    return np.floor(north * site.per_cell - site.row) == r and np.floor(east * site.per_cell - site.column) == c
