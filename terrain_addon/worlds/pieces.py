"""Pieces of a finished world as landscapes: a tile at full detail, or the whole with fewer samples."""

import math
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..core.building.landscape import Landscape
from ..core.ecosystem.plants import Plants
from ..core.flow.lakes import find_lakes
from ..core.flow.rivers import trace_rivers
from ..core.flow.routing import routes_along
from ..core.flow.water import Waters
from ..core.foundation.compilation import Array
from ..core.foundation.terrain import Terrain
from ..core.tiling.blocks import Block
from .finishing_phases import PLANTS, finished_arrays
from .tiles import clipped, load_arrays, span_of
from .world import World

Read = Callable[[str, Block], Array]
"""Reads a piece of an array of a world by its name, such as `Store.read`."""

_MAPS = "maps/"
_KM2 = 1e6


def tile_window(world: World, row: int, column: int) -> Block:
    """Return the samples of a tile, with those of the rims that it shares with the tiles north and east of it.

    Parameters
    ----------
    world : World
    row, column : int
        Which tile, from 0 in the south and west.

    Returns
    -------
    Block

    Raises
    ------
    ValueError
        If there is no such tile.
    """
    down, across = tiles_of(world)
    if not (0 <= row < down and 0 <= column < across):
        raise ValueError(f"tile {row}, {column} is outside 0 to {down - 1} and 0 to {across - 1}")
    blocks, per_tile = world.blocks(world.levels), -(-cells_of_tile(world) // world.scale.side)
    rows = range(row * per_tile, min((row + 1) * per_tile, blocks.down))
    columns = range(column * per_tile, min((column + 1) * per_tile, blocks.across))
    span = span_of(blocks, rows, columns)
    return clipped(Block(*span[:2], span.rows + 1, span.columns + 1), world.land(world.levels).shape)


def tiles_of(world: World) -> tuple[int, int]:
    """Return how many tiles a finished world has from south to north and from west to east."""
    return world.tiles(world.levels) if world.levels else (1, 1)


def cells_of_tile(world: World) -> int:
    """Return how many cells a tile has along a side; a world that fits into memory has one tile."""
    shape = world.land(world.levels).shape
    return min(world.tile, max(shape) - 1) if world.levels else max(shape) - 1


def landscape_in(world: World, read: Read, window: Block, plants: Plants | None = None) -> Landscape:
    """Return a piece of a world at full detail as a landscape.

    Its rivers are those of the world: as wide, and ending at the border of the piece where they leave it.  Pieces that
    share a rim share the ends of rivers there.

    Parameters
    ----------
    world : World
    read : callable
        Reads its arrays.
    window : Block
        Which samples.
    plants : Plants, optional
        Those of the piece, measured from its south-west sample.

    Returns
    -------
    Landscape
        With maps and waters; its recipe is that of the world, as wide and deep as the piece.

    Raises
    ------
    ValueError
        If the world is not finished.
    """
    water, cell = world.recipe.water, world.land(world.levels).cell_size
    land = _dry_land(world, lambda name: read(name, window), cell, plants)
    level = land["terrain"].surface + land["depth"]
    routes = routes_along(read("flow", window), cell)
    source = water.river_source * _KM2 if water.rivers else math.inf
    drainage = read("drainage", window)
    rivers = trace_rivers(
        routes, drainage.astype(np.float64), level, river_source=source, river_width=water.river_width
    )
    lakes = find_lakes(level, cell, None)
    waters = Waters(water.sea_surface, level, land.pop("depth"), drainage, lakes, rivers)
    return Landscape(**land, waters=waters)


def coarse_landscape(world: World, read: Read, every: int) -> Landscape:
    """Return every n-th sample of a whole world as a landscape; it has lakes and a sea, but no rivers and plants.

    Parameters
    ----------
    world : World
    read : callable
        Reads its arrays.
    every : int
        Distance between samples that are kept; cells of the world are a whole multiple of it.

    Returns
    -------
    Landscape
    """
    cell = world.land(world.levels).cell_size * every
    land = _dry_land(world, lambda name: _thinned(world, read, name, every), cell, None)
    depth, surface = land.pop("depth"), land["terrain"].surface
    none = np.full(surface.shape, 8, np.uint8)
    rivers = trace_rivers(routes_along(none, cell), np.zeros(surface.shape), surface, river_source=math.inf)
    drainage = _thinned(world, read, "drainage", every)
    sea = world.recipe.water.sea_surface
    lakes = find_lakes(surface, cell, None)
    return Landscape(**land, waters=Waters(sea, surface + depth, depth, drainage, lakes, rivers))


def plants_of_tile(folder: Path, row: int, column: int) -> dict[str, Array]:
    """Read the plants of a tile, measured from the south-west corner of the world.

    Raises
    ------
    ValueError
        If they are missing.
    """
    file = folder / PLANTS / f"{row}_{column}.npz"
    if not file.is_file():
        raise ValueError(f"{file} is missing; the world is not finished")
    return load_arrays(file)


def plants_in(arrays: dict[str, Array], window: Block, cell_size: float) -> Plants:
    """Return the plants of a tile, measured from its south-west sample.

    Parameters
    ----------
    arrays : dict of str to ndarray
        From `plants_of_tile`.
    window : Block
        The tile.
    cell_size : float
        Metres.

    Returns
    -------
    Plants
    """
    x = (arrays["x"] - window.first_column * cell_size).astype(np.float32)
    y = (arrays["y"] - window.first_row * cell_size).astype(np.float32)
    rest = {item.name: arrays[item.name] for item in fields(Plants) if item.name not in ("x", "y")}
    return Plants(x=x, y=y, **rest)


def _dry_land(world: World, get: Callable[[str], Array], cell: float, plants: Plants | None) -> dict[str, Any]:
    """What a landscape of a piece has besides its waters, and the depth of standing water."""
    terrain = Terrain(get("bedrock"), get("sediment"), cell)
    grid, depth = terrain.grid, get("water_depth")
    maps = {name.removeprefix(_MAPS): get(name) for name in finished_arrays(world) if name.startswith(_MAPS)}
    recipe = world.recipe.replace(width=grid.width, depth=grid.depth, resolution=grid.columns)
    maps |= {"water_depth": depth}
    return {"recipe": recipe, "terrain": terrain, "maps": maps, "plants": plants, "depth": depth}


def _thinned(world: World, read: Read, name: str, every: int) -> Array:
    """Every n-th sample of an array, read block by block."""
    land, blocks = world.land(world.levels), world.blocks(world.levels)
    found = np.empty(((land.rows - 1) // every + 1, (land.columns - 1) // every + 1), np.float32)
    for row in range(blocks.down):
        for column in range(blocks.across):
            block = blocks.at(row, column)
            part = read(name, block)[-block.first_row % every :: every, -block.first_column % every :: every]
            r, c = -(-block.first_row // every), -(-block.first_column // every)
            found[r : r + part.shape[0], c : c + part.shape[1]] = part
    return found
