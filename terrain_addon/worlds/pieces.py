"""Pieces of a finished world as landscapes: a tile at full detail, or the whole with fewer samples."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.building.landscape import Landscape
from ..core.direction.drawing import with_heights
from ..core.direction.pads import PlacedPad, lay_on_window, outline_of, reach_of_pad
from ..core.direction.road_earthworks import lay_road
from ..core.ecosystem.plants import Plants
from ..core.erosion.river_beds import without_ground
from ..core.flow.directions import OUTLET
from ..core.flow.lakes import find_lakes
from ..core.flow.rivers import trace_rivers
from ..core.flow.routing import routes_along
from ..core.flow.water import waters_at
from ..core.foundation.compilation import Array
from ..core.foundation.neighbours import flat_steps
from ..core.foundation.terrain import Field, Grid, Terrain
from ..core.tiling.blocks import Block
from ..files.roads import NOTHING_BUILT, Built
from .finishing_phases import PLANTS, finished_arrays
from .rivers import RiverLine, rivers_of
from .tiles import clipped, load_arrays, span_of
from .world import World

Read = Callable[[str, Block], Array]
"""Reads a piece of an array of a world by its name, such as `Store.read`."""

_MAPS = "maps/"


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
    level = land["terrain"].surface + land.pop("depth")
    routes = routes_along(read("flow", window), cell)
    drainage = read("drainage", window)
    rivers = trace_rivers(
        routes, drainage.astype(np.float64), level, river_source=water.river_source_area, river_width=water.river_width
    )
    lakes = find_lakes(level, cell, None)
    waters = waters_at(water.sea_surface, land["terrain"].surface, level, drainage, lakes, rivers)
    return Landscape(**land, waters=waters)


def coarse_landscape(world: World, read: Read, every: int, built: Built = NOTHING_BUILT) -> Landscape:
    """Return every n-th sample of a whole world as a landscape; it has all its water, but no plants.

    Parameters
    ----------
    world : World
    read : callable
        Reads its arrays.
    every : int
        Distance between samples that are kept; cells of the world are a whole multiple of it.
    built : Built
        Its roads and pads.

    Returns
    -------
    Landscape
        Its rivers are those of the world, as wide.  Where one runs, the land is no higher than the river, and where
        something is built, it lies as low or as high.
    """
    cell, water = world.land(world.levels).cell_size * every, world.recipe.water
    land = _dry_land(world, lambda name: _thinned(world, read, name, every), cell, None)
    depth, terrain = land.pop("depth"), land["terrain"]
    courses = coarse_courses(rivers_of(world, read), world.land(world.levels), every)
    terrain = without_ground(terrain, np.maximum(terrain.surface - courses.height, np.float32(0.0)), depth)
    terrain = _under(built, terrain, (courses.drainage > 0.0) | (depth > 0.0))
    land["terrain"] = terrain
    routes, level = routes_along(courses.flow, cell), terrain.surface + depth
    filled = level.copy()
    for cells in courses.paths:
        # No river rises downstream: a path begins at its end, the ends of those that it joins are done.
        filled.flat[cells] = np.maximum.accumulate(filled.flat[cells])
    source = water.river_source_area
    rivers = trace_rivers(routes, courses.drainage, filled, river_source=source, river_width=water.river_width)
    drainage = _thinned(world, read, "drainage", every)
    lakes = find_lakes(terrain.surface, cell, None)
    waters = waters_at(water.sea_surface, terrain.surface, level, drainage, lakes, rivers)
    return Landscape(**land, waters=waters, roads=built.roads, pads=built.pads)


def _under(built: Built, terrain: Terrain, wet: npt.NDArray[np.bool_]) -> Terrain:
    """Return a land of few samples cut and filled for what is built on it."""
    surface, cell = terrain.surface, terrain.cell_size
    for laid in built.pads:
        reach = reach_of_pad(laid.pad, float(np.ptp(surface)), cell)
        surface = lay_on_window(surface, PlacedPad(laid.pad, outline_of(laid.pad), laid.level, reach), cell, wet)
    for course in built.roads:
        surface, _ = lay_road(surface, course.road, course, cell, wet)
    return with_heights(terrain, surface)


class CoarseCourses(NamedTuple):
    """The rivers of a world on fewer samples.

    Attributes
    ----------
    flow : ndarray of uint8, shape (rows, columns)
        Directions along rivers; 8 where there is none, or it ends.
    drainage : ndarray of float64, shape (rows, columns)
        m² along rivers, 0 elsewhere.
    height : ndarray of float32, shape (rows, columns)
        Height of the river in metres; infinite elsewhere.
    paths : list of ndarray of int64
        The cells of each river from its end, or from a cell of another river, up to its source.
    """

    flow: Array
    drainage: Array
    height: Field
    paths: list[Array]


def coarse_courses(rivers: Iterable[RiverLine], land: Grid, every: int) -> CoarseCourses:
    """Lead the rivers of a world along fewer samples.

    Parameters
    ----------
    rivers : iterable of RiverLine
        Each after the one that it joins.
    land : Grid
        Samples of the world.
    every : int
        Distance between samples that are kept.

    Returns
    -------
    CoarseCourses
        A river ends at the first cell that one before it has.
    """
    shape = (land.rows - 1) // every + 1, (land.columns - 1) // every + 1
    flow, drainage = np.full(shape, OUTLET, np.uint8), np.zeros(shape)
    height, steps = np.full(shape, np.inf, np.float32), flat_steps(shape[1]).tolist()
    paths = []
    for river in rivers:
        row, column = np.divmod(river.cell, land.columns)
        near = (row + every // 2) // every * shape[1] + (column + every // 2) // every
        changes = np.append(np.flatnonzero(np.diff(near)), near.size - 1)
        path: list[int] = []
        last = {cell: place for place, cell in enumerate(near[changes].tolist())}
        place = 0
        while place < changes.size:
            cell = int(near[changes[place]])
            path.append(cell)
            if drainage.flat[cell] > 0.0:
                break
            # Loops within few cells are left out.
            place = last[cell] + 1
            drainage.flat[cell] = river.drainage_area[changes[place - 1]]
            height.flat[cell] = river.points[changes[place - 1], 2]
        for cell, below in pairwise(path):
            flow.flat[cell] = steps.index(below - cell)
        paths.append(np.array(path[::-1], np.int64))
    return CoarseCourses(flow, drainage, height, paths)


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
