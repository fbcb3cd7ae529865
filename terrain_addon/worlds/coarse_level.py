"""The level of a world that is made in memory, by `core.build` with all processes of the recipe."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.building.drawing_stages import features_of, follow_drawing
from ..core.building.erosion_stages import land_before
from ..core.building.landscape import Landscape, build
from ..core.building.layers import Inputs
from ..core.building.measuring import Measured
from ..core.building.recipe import Recipe
from ..core.building.window_relief import relief_in_window
from ..core.direction.drawing import draw_on_relief
from ..core.direction.features import Pad, Road
from ..core.ecosystem.soil_feedback import SoilFeedback
from ..core.erosion.processes import PROCESSES
from ..core.foundation.cache import Cache
from ..core.foundation.compilation import Array
from ..core.foundation.progress import Progress, run
from ..core.foundation.terrain import Field, Terrain
from ..core.maps.catalogue import MAPS
from ..core.maps.climate import RAIN_MAP, rain_share
from ..core.maps.masks import Everywhere
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from .store import ArrayKind, Store
from .world import SURVEY_PHASES, World

COARSE = "work/coarse"
_CACHE = 2**31  # bytes; what the land and its beginning share is made once
COARSE_HEIGHT, COARSE_SEDIMENT, COARSE_RELIEF = f"{COARSE}/height", f"{COARSE}/sediment", f"{COARSE}/relief"
COARSE_BEFORE_RIVERS = tuple(f"{COARSE}/before_rivers/{name}" for name in ("height", "sediment"))
"""How much higher than the relief the land is that the stream power finds, and the sediment on it, in metres, if a mask
keeps parts of it."""
COARSE_DRAWN = f"{COARSE}/drawn"
"""How much higher the land before erosion is because of what is drawn, in metres, if anything is."""
MASK = "mask"
"""Name of the finding that says where a process acts."""
COARSE_RAIN_SHARE = f"{COARSE}/rain_share"
"""Rain as a multiple of its mean, where the climate is on."""
COARSE_SOIL = f"{COARSE}/soil"
"""By how much rain and plants have changed the thickness of the soil, if they have."""


def coarse_map(name: str) -> str:
    """Return where a map of the level in memory is."""
    return f"{COARSE}/maps/{name}"


def coarse_factor(name: str) -> str:
    """Return where the rain or hardness of the stream power on the level in memory is, if it has a mask."""
    return f"{COARSE}/factors/{name}"


def coarse_finding(step: int, name: str) -> str:
    """Return where a mask or a measurement is that the process of a step takes, on the level in memory."""
    return f"{COARSE}/findings/{step}/{name}"


def make_coarse_level(world: World, store: Store, report: Callable[[Progress], None] | None) -> Landscape:
    """Build the level in memory, and keep what finer levels start from.

    Parameters
    ----------
    world : World
        What is made.
    store : Store
        Where its arrays are kept.
    report : callable or None
        Called before each step.

    Returns
    -------
    Landscape
        With plants, if the world has no finer level.
    """
    recipe, cache = world.coarse_recipe, Cache(_CACHE)
    inputs = read_inputs(recipe)
    if world.levels:
        bare = recipe.replace(ecosystem=recipe.ecosystem.replace(soil=SoilFeedback()))
        # Pads and roads need the ground of the finest level.
        drawn = tuple(one for one in recipe.features if not isinstance(one, Pad | Road))
        shared = bare.replace(erosion=_shared_erosion(world), features=drawn)
        start = build(shared, inputs=inputs, cache=cache, extent="terrain", report=report).terrain
    land = build(recipe, inputs=inputs, cache=cache, extent="maps" if world.levels else "plants", report=report)
    if world.levels:
        bare_relief = relief_in_window(recipe, recipe.grid, inputs)
        relief = _drawn_on(recipe, bare_relief, inputs)
        fields: dict[str, Array] = {
            COARSE_HEIGHT: start.bedrock.astype(np.float64) + start.sediment,
            COARSE_SEDIMENT: start.sediment,
            COARSE_RELIEF: relief,
            **{coarse_map(name): values for name, values in land.maps.items()},
        }
        share = rain_share(land.maps[RAIN_MAP.name]) if RAIN_MAP.name in land.maps else None
        if share is not None:
            fields[COARSE_RAIN_SHARE] = share
        fields |= _found_by_rivers(world, inputs)
        fields |= _found_by_shaping(world, inputs)
        if recipe.ecosystem.soil.enabled:
            without = build(bare, inputs=inputs, cache=cache, extent="terrain", report=report).terrain
            fields[COARSE_SOIL] = land.terrain.sediment - without.sediment
        if features_of(recipe):
            fields[COARSE_DRAWN] = relief - bare_relief
        for path, values in fields.items():
            write_whole(store, path, values, world.scale.side)
    return land


def _drawn_on(recipe: Recipe, relief: Field, inputs: Inputs) -> Field:
    """The land before erosion with what is drawn."""
    if not features_of(recipe):
        return relief
    terrain = Terrain(relief, np.zeros_like(relief), recipe.grid.cell_size)
    return draw_on_relief(terrain, run(follow_drawing(recipe, terrain, inputs))).surface


def write_whole(store: Store, path: str, values: Array, side: int) -> None:
    """Write an array that fits into memory."""
    store.create(path, ArrayKind(values.shape, values.dtype.name, side, packed=True))
    store.write(path, Block(0, 0, *values.shape), values)


def _found_by_shaping(world: World, inputs: Inputs) -> dict[str, Array]:
    """What processes of the finest level take of masks and of the land before them, on the level in memory."""
    found: dict[str, Array] = {}
    recipe = world.coarse_recipe
    for step, place in enumerate(world.shaping, start=world.steps + 1):
        if world.step_phases(world.levels, step) == SURVEY_PHASES:
            continue
        process = recipe.erosion[place]
        declared = PROCESSES[type(process)]
        measured = [name for name in declared.measurements if name in MAPS]
        masks = (MASK, *(factor.name for factor in declared.factors))
        if measured or not all(getattr(process, name).is_everywhere for name in masks):
            terrain, fields, mask = run(land_before(recipe, place + 1, inputs))
            measure = Measured(terrain, recipe, None)
            taken = {**fields, MASK: mask, **{name: measure(name) for name in measured}}
            found |= {coarse_finding(step, name): field for name, field in taken.items() if field is not None}
    return found


def _shared_erosion(world: World) -> tuple[Any, ...]:
    """The processes of the level in memory.  The last acts on all of it: its mask counts once finer levels are cut."""
    *before, rivers = world.recipe.erosion[: world.shared_processes] or (None,)
    return (*before, rivers.replace(mask=Everywhere())) if rivers is not None else ()


def _found_by_rivers(world: World, inputs: Inputs) -> dict[str, Array]:
    """What the stream power that goes on in finer levels finds on the level in memory, if it has masks."""
    process, recipe = world.river_process, world.coarse_recipe
    if process is None or all(mask.is_everywhere for mask in (process.rain, process.hardness, process.mask)):
        return {}
    terrain, fields, mask = run(land_before(recipe, world.shared_processes, inputs))
    found: dict[str, Array] = {coarse_factor(name): field for name, field in fields.items() if field is not None}
    if mask is not None:
        layers = (terrain.surface - relief_in_window(recipe, recipe.grid, inputs), terrain.sediment)
        found |= {coarse_factor(MASK): mask, **dict(zip(COARSE_BEFORE_RIVERS, layers))}
    return found
