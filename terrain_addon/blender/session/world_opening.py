"""The task that opens a world: the whole with few samples, and some tiles at full detail."""

import re
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import bpy

from ...core.foundation.memory import check_bytes
from ...core.foundation.progress import Progress
from ...core.tiling.blocks import Block
from ...worlds.building import open_world
from ...worlds.built_works import read_built
from ...worlds.pieces import coarse_landscape, landscape_in, plants_in, plants_of_tile, tile_window
from ...worlds.plain_store import PlainStore
from ...worlds.world import World
from ..data.sentences import counted
from ..data.view_layer import select_alone
from ..land.drawings import draw
from ..land.lookup import check_scene, lands
from ..land.startup_cube import remove_startup_cube
from ..land.world_objects import Room, WorldPiece, add_world_pieces
from ..look.camera import show_up_to
from ..look.render_settings import aspect_of
from ..look.scenery import Survey, set_scenery, survey_land
from ..plants.plant_assets import variant_counts
from .jobs import Task
from .making import bring_into_view

_FARTHEST = 2.0  # how far cameras see, in lengths of the world
_BYTES_PER_SAMPLE = 300  # ground, water and maps, and Blender's mesh with its attributes, as for a landscape


class _Opened(NamedTuple):
    """Pieces of a world, the whole first, and what camera and sun depend on: the first tile, or else the whole."""

    pieces: list[WorldPiece]
    survey: Survey | None


def open_world_task(
    context: bpy.types.Context, folder: Path, tiles: str, resolution: int, *, with_scenery: bool
) -> Task:
    """Return the task that adds a world to the scene, in a collection of its own.

    Parameters
    ----------
    context : Context
    folder : Path
        Of a finished world.
    tiles : str
        Those that are shown at full detail, such as ``0_0 3_12``: row and column, from 0 in the south-west.
    resolution : int
        Vertices along the longer side of the whole, about.
    with_scenery : bool
        Whether the scene gets the sun, sky and camera that it lacks.

    Raises
    ------
    ValueError
        If the scene cannot take a land, there is no finished world, a tile does not exist, or memory is too small.
    """
    check_scene(context)
    world, started = open_world(folder), time.perf_counter()
    windows = {place: tile_window(world, *place) for place in _parse(tiles)}
    every = _distance(world, resolution)
    whole = world.land(world.levels)
    samples = whole.rows * whole.columns // every**2 + sum(one.rows * one.columns for one in windows.values())
    check_bytes(
        _BYTES_PER_SAMPLE * samples,
        f"the world with {len(windows)} of its tiles",
        "choose fewer tiles or a lower resolution",
    )
    variants = variant_counts(world.recipe.ecosystem.species)
    aspect = aspect_of(context.scene) if with_scenery else None
    name = folder.name or "World"

    def show(opened: _Opened) -> str:
        check_scene(context)
        if not lands():
            remove_startup_cube(context.scene)
        collection = bpy.data.collections.new(name)
        context.collection.children.link(collection)
        whole, *rest = add_world_pieces(collection, opened.pieces)
        seen = rest[0] if rest else whole
        select_alone([seen])
        if opened.survey is not None:
            context.view_layer.update()
            set_scenery(context.scene, seen, opened.survey)
            show_up_to(context.scene.camera, _FARTHEST * max(whole.dimensions))
        bring_into_view(whole, context)
        count = f" and {counted(len(rest), 'tile')}" if rest else ""
        return f"Opened {name}: every {_ordinal(every)} sample{count} in {time.perf_counter() - started:.1f} s"

    return Task(name, _steps(world, folder, name, windows, every, variants, aspect), show)


def _steps(
    world: World,
    folder: Path,
    name: str,
    windows: dict[tuple[int, int], Block],
    every: int,
    variants: list[int],
    aspect: float | None,
) -> Generator[Progress, bool | None, _Opened]:
    """Read the pieces and draw them."""
    store, grid = PlainStore(folder), world.land(world.levels)
    yield Progress("reading the whole", 0.0)
    whole = coarse_landscape(world, store.read, every, read_built(folder, world))
    room, tiles = Room(whole, every, list(windows.values())), []
    for number, ((row, column), window) in enumerate(windows.items()):
        yield Progress(f"reading tile {row}_{column}", (number + 1) / (len(windows) + 2))
        plants = plants_in(plants_of_tile(folder, row, column), window, grid.cell_size)
        land = landscape_in(world, store.read, window, plants)
        east = (window.first_column + 0.5 * (window.columns - grid.columns)) * grid.cell_size
        north = (window.first_row + 0.5 * (window.rows - grid.rows)) * grid.cell_size
        rim = room.make(window, land)
        tiles.append(WorldPiece(f"{name} {row}_{column}", (east, north), draw(land, variants, with_horizon=False), rim))
    yield Progress("making meshes", 0.9)
    survey = None
    if aspect is not None:
        seen = (tiles[0].drawing.landscape if tiles else whole).terrain
        sea_level = world.recipe.water.sea_surface
        survey = survey_land(seen.surface, seen.grid.width, seen.grid.depth, aspect, sea_level)
    shown = WorldPiece(name, (0.0, 0.0), room.sink(draw(whole, variants)))
    return _Opened([shown, *tiles], survey)


def _distance(world: World, resolution: int) -> int:
    """Return the distance between samples of the whole: a power of 2 that divides the size of tiles."""
    grid, every = world.land(world.levels), 1
    sides = [grid.rows - 1, grid.columns - 1, *([world.tile] if world.levels else [])]
    while max(sides) // every > resolution - 1 and all(side % (2 * every) == 0 for side in sides):
        every *= 2
    return every


def _ordinal(number: int) -> str:
    """Return such as 1st, 2nd, 8th or 32nd."""
    tens = number % 100
    return f"{number}{'th' if 10 < tens < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _parse(tiles: str) -> list[tuple[int, int]]:
    """Return the places of tiles, in order and once each."""
    found = []
    for text in tiles.replace(",", " ").split():
        place = re.fullmatch(r"(\d{1,6})_(\d{1,6})", text)
        if place is None:
            raise ValueError(f"tiles = {text!r} is no row and column such as 3_12")
        found.append((int(place[1]), int(place[2])))
    return list(dict.fromkeys(found))
