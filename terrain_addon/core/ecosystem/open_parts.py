"""Which parts of a tile are open: the ground suits, and no plant of any species covers them."""

import math

import numpy as np

from ..foundation.compilation import Array, kernel
from .covered_parts import count_open, cover, empty_spans, open_cells
from .room_kept import PlantsNearby, squared_distance_kept
from .spacing import Spacing, least_room
from .suitable_ground import Ground, find_best_in_cells
from .tile_grid import MARGIN, TileGrid, lowest
from .tiles import TILE, TileSite

BESIDE = np.uint64((2**MARGIN - 1) * (1 + 2 ** (TILE + MARGIN)))
"""The columns of a grid that lie beside the tile."""
EVERYWHERE = np.uint64(2**64 - 1)
"""All columns of a grid."""


@kernel
def find_open_parts(
    site: TileSite, ground: Ground, spacing: Spacing, grid: TileGrid, nearby: PlantsNearby, best: Array, covered: Array
) -> float:
    """Map the parts of a tile that suit and that no plant in the tile or around it covers.

    Parameters
    ----------
    site : TileSite
        The tile.
    ground : Ground
        Where the species can grow.
    spacing : Spacing
        Distances of the species.
    grid : TileGrid
        Its plants in the tile and around it.
    nearby : PlantsNearby
        Plants of other species.
    best : ndarray of float32, shape (TILE, TILE)
        Is given the highest density in each cell.
    covered : ndarray of uint64, shape (rows of parts, words)
        The map; it is overwritten.

    Returns
    -------
    float
        Share of the parts that suit and are free of the own species which the others leave open.
    """
    spans = empty_spans()
    find_best_in_cells(site, ground, best)
    open_cells(best, covered)
    cover_by_plants(site.per_cell, spacing, grid, EVERYWHERE, covered, spans)
    if nearby.plants.shape[0] == 0:
        return 1.0
    before = count_open(covered)
    _cover_by_others(site, spacing.smallest, nearby, covered, spans)
    return count_open(covered) / max(before, 1)


@kernel
def cover_by_plants(
    per_cell: float, spacing: Spacing, grid: TileGrid, where: np.uint64, covered: Array, spans: Array
) -> None:
    """Mark what plants of the species cover: those around a tile, and those in some columns of it.

    Parameters
    ----------
    per_cell : float
        Cells per metre.
    spacing : Spacing
        Distances of the species.
    grid : TileGrid
        Its plants in the tile and around it.
    where : uint64
        The columns that count in the rows of the tile: BESIDE or EVERYWHERE.
    covered : ndarray of uint64, shape (rows of parts, words)
        The map; bits are added.
    spans : ndarray of int32, shape (2, rows of parts)
        Room to work in.
    """
    taken, room, u, v = grid.taken, grid.room, grid.u, grid.v
    for r in range(taken.size):
        columns = taken[r]
        if MARGIN <= r < TILE + MARGIN:
            columns &= where
        while columns != np.uint64(0):
            c = lowest(columns)
            columns &= columns - np.uint64(1)
            cover(u[r, c], v[r, c], least_room(room[r, c], spacing, per_cell), covered, spans)


@kernel
def _cover_by_others(site: TileSite, smallest: np.float32, nearby: PlantsNearby, covered: Array, spans: Array) -> None:
    """Mark what plants of other species cover."""
    plants, per_cell = nearby.plants, site.per_cell
    for s in range(plants.shape[0]):
        kept = math.sqrt(squared_distance_kept(smallest, plants[s, 2], plants[s, 3]))
        u, v = plants[s, 0] * per_cell - site.column, plants[s, 1] * per_cell - site.row
        cover(np.float32(u), np.float32(v), np.float32(kept * per_cell), covered, spans)
