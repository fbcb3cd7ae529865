"""How the tiles of a world lead the water: over the finished surface, and over the land in which rivers dig beds."""

import numpy as np

from ..core.foundation.compilation import Array
from ..core.foundation.terrain import Field
from ..core.tiling.block_basins import find_block_directions, label_block, summarise_basins
from ..core.tiling.block_flow import Amounts, order_block
from ..core.tiling.blocks import Block
from .coarse_level import COARSE_RAIN_SHARE
from .erosion_phases import UNITS_OF_RAIN, at_ends, carve_part, closed_border, collect_in, with_inlets
from .tiles import ANY_HEIGHT, REFINING_MARGIN, ArrayPart, WorldTile


def lead_block(tile: WorldTile, surfaces: ArrayPart, block: Block, path: str) -> None:
    """Lead the water of a block downhill, and tell which basins it fills.

    Parameters
    ----------
    tile : WorldTile
        In the phase ``surface`` or ``lead``.
    surfaces : ArrayPart
        Height of the ground in metres, with 1 sample around the tile.
    block : Block
        Of the tile.
    path : str
        Array into which the directions go.
    """
    surface = surfaces.padded(block.grown(1), tile.land.shape)
    directions = find_block_directions(surface, block, tile.all_blocks, tile.shop.sea_level, closed_border(tile))
    basins = label_block(directions, block, tile.all_blocks)
    tile.tell(summarise_basins(surface, directions, basins, block, tile.all_blocks))
    tile.put(path, block, directions)


def drain_block(tile: WorldTile, number: int, block: Block, ground: tuple[Array, Field], after: str) -> Array:
    """Lead the water of a block out of depressions, and tell what drains and what lakes would cover.

    Parameters
    ----------
    tile : WorldTile
        In the phase ``route`` or ``drain``.
    number : int
        Of the block.
    block : Block
        Of the tile.
    ground : tuple of ndarray, shape (rows, columns)
        Directions from `lead_block`, and the height of the ground in metres.
    after : str
        Phase of `lead_block`.

    Returns
    -------
    ndarray of uint8, shape (rows, columns)
        Directions without pits.
    """
    directions, surface = ground
    basins = label_block(directions, block, tile.all_blocks)
    found = tile.answers(after, number)
    basin = np.append(0, at_ends(found, "basin", basins))
    level = np.append(-np.inf, at_ends(found, "level", basins))
    depth = level[basins.labels] - surface.ravel()
    wet, deepest = np.zeros(basin.size, np.int64), np.zeros(basin.size)
    np.add.at(wet, basins.labels, depth > 0.0)
    np.maximum.at(deepest, basins.labels, depth)
    flow, summary = carve_part(tile, number, block, directions, _cells_of(tile, block), after)
    tile.tell({**summary, "basin": basin, "wet": wet, "deepest": deepest})
    return flow


def drained_area(tile: WorldTile, number: int, block: Block, flow: Array, after: str) -> Array:
    """Return the area that drains through each cell of a block, in m², once the phase of `drain_block` is over.

    Where the climate is on, rain counts as a multiple of its mean, in whole units, so that no order of sums matters.
    """
    each = _cells_of(tile, block)
    cells = collect_in(tile, number, block, order_block(flow), each, after).reshape(block.shape)
    return cells * (tile.land.cell_size**2 / _units_per_cell(tile))


def _cells_of(tile: WorldTile, block: Block) -> Amounts:
    """One cell for each cell of a block, or its rain, and as much as rivers from beyond the land drain there."""
    units = _units_per_cell(tile)
    if units == 1:
        amounts = np.ones(block.rows * block.columns, np.int64)
    else:
        margin = REFINING_MARGIN + 1
        share = tile.refined(tile.read_coarse(COARSE_RAIN_SHARE, 0, margin), block, (0.0, ANY_HEIGHT[1]))
        amounts = np.rint(share.ravel() * np.float64(units)).astype(np.int64)
    return with_inlets(tile, block, amounts, units)


def _units_per_cell(tile: WorldTile) -> int:
    """How many units the mean rain of a cell counts; 1 where the climate makes no difference."""
    return UNITS_OF_RAIN if COARSE_RAIN_SHARE in tile.store else 1


def levels_in(tile: WorldTile, number: int, block: Block, directions: Array, of: str) -> Array:
    """Return for each cell of a block a level of its basin in metres, minus infinity where there is none.

    Parameters
    ----------
    tile : WorldTile
        A tile.
    number : int
        Of the block.
    block : Block
        Of the tile.
    directions : ndarray of uint8, shape (rows, columns)
        From `lead_block`.
    of : str
        The graph that found it, such as ``route.lakes``.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
    """
    basins = label_block(directions, block, tile.all_blocks)
    levels = np.append(-np.inf, at_ends(tile.answers(of, number), "level", basins))
    return levels[basins.labels].reshape(block.shape)


def standing_water(surface: Field, lakes: Array, sea_level: float) -> Field:
    """Return the depth of lakes and the sea.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Metres.
    lakes : ndarray of float64, shape (rows, columns)
        Level of the lake of each cell, minus infinity where there is none.
    sea_level : float
        Metres; minus infinity without a sea.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.
    """
    level = np.maximum(lakes, sea_level).astype(np.float32)
    depth: Field = np.maximum(surface, level) - surface
    return depth
