"""A finished world as a package for an engine: tile by tile, with shared rims and one range of heights.

Where tiles meet, both have the same samples, so no gap opens between them.  One tile is held in memory at a time.

References
----------
Unreal Engine documentation: "Landscape Technical Guide" (sizes of tiles, and their names ``_x0_y0``).
Unity documentation: TerrainData.heightmapResolution, Terrain.groupingID.
Terrain3D documentation: "Importing & Exporting Data".
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.ecosystem.plants import Plants
from ..core.foundation.progress import run
from ..core.foundation.resampling import resample
from ..core.foundation.terrain import Field
from ..core.maps.catalogue import MAPS
from ..core.maps.ground_cover import Site
from ..core.meshing.cut_water import water_on_land
from ..core.meshing.road_mesh import build_road_mesh
from ..core.meshing.water_mesh import WaterMesh, make_water_mesh
from ..core.tiling.blocks import Block
from ..files.engines.engine import Engine
from ..files.engines.level import Level, TileContent
from ..files.engines.package import ENGINES, Package, write_level_steps
from ..files.engines.tiled_land import Tile, TiledLand, cover_ground, game_masks, ground_normals, height_above
from ..files.fitted_rivers import ShownGround, fit_rivers
from ..files.plant_models import plant_models, plants_by_model
from .building import open_world
from .built_works import ground_in, read_built
from .clients import map_ahead
from .pieces import cells_of_tile, landscape_in, plants_in, plants_of_tile, tile_window
from .running import Report, WorldProgress
from .store import Store
from .tiles import clipped
from .world import World

_MARGIN = 3  # samples around a place on which resampling depends
_HIGHEST = 1e30


def write_world_package(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    engine: str,
    report: Report | None = None,
    client: Any = None,
) -> Package:
    """Write a finished world as a package for an engine, with one piece of the level for each tile.

    Parameters
    ----------
    folder : path
        Of the world.
    out : path
        A new or empty folder, or an earlier package, which is replaced.
    engine : str
        A key of `files.engines.package.ENGINES`.
    report : callable, optional
        Called with a `WorldProgress` as the work goes on.
    client : distributed.Client, optional
        Workers of Dask that see the folder; they make tiles, and this process writes them.

    Returns
    -------
    Package
        What was written.  If the engine does not take tiles of this size, they are resampled to the next smaller size
        that it takes.

    Raises
    ------
    ValueError
        If there is no finished world, its tiles do not fit the engine, or the folder cannot be written.
    """
    world, store, kind = open_world(folder), Store(Path(folder)), ENGINES[engine]
    land = _layout(world, store, kind)
    models = plant_models(world.recipe) if any(_have_plants(Path(folder), land)) else ()

    def tiles() -> Iterator[TileContent]:
        make = partial(_content_in, Path(folder).absolute(), land, kind)
        yield from map_ahead(client, make, land.places())

    grid = replace(world.land(world.levels), first_row=0, first_column=0)
    level = Level(world.recipe, grid, world.recipe.water.sea_surface, land, models, tiles)
    built = read_built(Path(folder), world)
    if built.roads or built.pads:
        roads = build_road_mesh(ground_in(world, store.read, kind.turns_cells), built.roads, built.pads)
        level = level._replace(roads=roads, built=built)

    def tell(share: float) -> None:
        if report is not None:
            report(WorldProgress(f"package for {kind.title}", share, None))

    return run(write_level_steps(out, level, engine), tell)


def _layout(world: World, store: Store, engine: Engine) -> TiledLand:
    """Return how a world is cut for an engine; refuse tiles that do not fit."""
    grid = world.land(world.levels)
    cells = cells_of_tile(world)
    samples = max((size for size in engine.sizes or (cells + 1,) if size <= cells + 1), default=0)
    if samples == 0 or (grid.rows - 1) % cells or (grid.columns - 1) % cells:
        raise ValueError(
            f"tiles of {cells} cells of a world of {grid.rows} × {grid.columns} samples do not fit {engine.title}; "
            f"make a world of whole tiles with at least {min(engine.sizes, default=2) - 1} cells a side"
        )
    down, across = (grid.rows - 1) // cells, (grid.columns - 1) // cells
    lowest, highest = _height_range(world, store)
    return TiledLand(
        down * (samples - 1) + 1,
        across * (samples - 1) + 1,
        grid.depth,
        grid.width,
        down,
        across,
        lowest,
        height_above(lowest, highest),
    )


def _height_range(world: World, store: Store) -> tuple[float, float]:
    """Return the lowest and highest height of the world in metres."""
    blocks, low, high = world.blocks(world.levels), np.inf, -np.inf
    for number in range(blocks.down * blocks.across):
        heights = store.read("surface", blocks.at(*divmod(number, blocks.across)))
        low, high = min(low, float(heights.min())), max(high, float(heights.max()))
    return low, high


def _content_in(folder: Path, land: TiledLand, engine: Engine, place: tuple[int, int]) -> TileContent:
    """Make a tile of the world in a folder."""
    return _content(open_world(folder), Store(folder), land, engine, *place)


def _content(world: World, store: Store, land: TiledLand, engine: Engine, row: int, column: int) -> TileContent:
    """Read a tile and make it what the package shows."""
    window = tile_window(world, row, column)
    rows, columns = land.samples(row, column)
    places = _Places(window, land.tile_shape[0], world.land(world.levels).shape)
    heights = places.read(store, "surface", (land.lowest, land.highest))
    names = ("sediment", "maps/slope", "maps/humidity", "maps/sky_view", "water_depth", "maps/water_distance")
    fields = [places.inside(places.read(store, name, _limits(name))) for name in names]
    ground = places.inside(heights)
    site = Site(ground, *fields)
    colour, weights = cover_ground(site, world.recipe.appearance, weights_in_cells=engine.weights_in_cells)
    normals = places.inside(ground_normals(heights, *land.spacing))
    tile = Tile(row, column, land.x[columns], land.y[rows], ground, normals, colour, weights, game_masks(site))
    water = _water_of(world, store, window)
    if water is not None:
        middle = 0.5 * float(land.x[columns][0] + land.x[columns][-1]), 0.5 * float(land.y[rows][0] + land.y[rows][-1])
        water = fit_rivers(water, ShownGround(ground, land.tile_size, middle, engine.turned(ground)))
        water = water_on_land(water, (land.width, land.depth))
    return TileContent(tile, _plants_of(world, store, row, column), water)


class _Places:
    """Where the samples of a tile lie in the world, with one more on each side where the land goes on."""

    def __init__(self, window: Block, samples: int, shape: tuple[int, int]) -> None:
        cells = window.rows - 1
        share = np.arange(-1, samples + 1)
        # From the first sample of each tile, so that neighbours place what they share in the same way.
        along = share // (samples - 1) * cells + share % (samples - 1) * (cells / (samples - 1))
        self._is_own = samples == window.rows
        self._around = clipped(window.grown(1 if self._is_own else _MARGIN + 1), shape)
        self._margins: list[slice] = []
        self._places: list[npt.NDArray[np.float64]] = []
        for first, start, size in zip(window[:2], self._around[:2], shape):
            kept = (along + first >= 0) & (along + first <= size - 1)
            self._margins.append(slice(int(kept[0]), int(kept[0]) + samples))
            self._places.append(along[kept] + (first - start))

    def read(self, store: Store, name: str, limits: tuple[float, float]) -> Field:
        """Read an array at these places."""
        values = store.read(name, self._around)
        return values if self._is_own else resample(values, self._places[0], self._places[1], 1.0, limits)

    def inside(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Leave out what lies beyond the tile."""
        return np.ascontiguousarray(values[tuple(self._margins)])


def _limits(name: str) -> tuple[float, float]:
    """Return between which values an array lies."""
    declared = MAPS.get(name.removeprefix("maps/"))
    return (declared.limits if declared is not None else None) or (0.0, _HIGHEST)


def _have_plants(folder: Path, land: TiledLand) -> Iterator[bool]:
    """Return for each tile whether it has plants."""
    for row, column in land.places():
        yield plants_of_tile(folder, row, column)["x"].size > 0


def _plants_of(world: World, store: Store, row: int, column: int) -> Plants | None:
    """Return the plants of a tile as a package takes them: measured from the corner of the world."""
    arrays = plants_of_tile(store.folder, row, column)
    return plants_by_model(plants_in(arrays, Block(0, 0, 1, 1), 1.0), world.recipe)


def _water_of(world: World, store: Store, window: Block) -> WaterMesh | None:
    """Return the water of a tile, in metres from the middle of the world."""
    piece, grid = landscape_in(world, store.read, window), world.land(world.levels)
    if piece.waters is None:
        return None
    mesh = make_water_mesh(piece.terrain, piece.waters)
    middle = np.array(
        [
            window.first_column + 0.5 * (window.columns - grid.columns),
            window.first_row + 0.5 * (window.rows - grid.rows),
            0.0,
        ]
    )
    return replace(mesh, positions=(mesh.positions + middle * (grid.cell_size, grid.cell_size, 0.0)).astype(np.float32))
