"""The level of a world that is made in memory, by `core.build` with all processes of the recipe."""

from collections.abc import Callable

import numpy as np

from ..core.building.erosion_stages import land_before
from ..core.building.landscape import Landscape, build
from ..core.building.layers import Inputs
from ..core.building.measuring import Measured
from ..core.building.window_relief import relief_in_window
from ..core.ecosystem.soil_feedback import SoilFeedback
from ..core.erosion.processes import PROCESSES
from ..core.foundation.cache import Cache
from ..core.foundation.compilation import Array
from ..core.foundation.progress import Progress, run
from ..core.foundation.terrain import Field
from ..core.maps.catalogue import MAPS
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from .store import ArrayKind, Store
from .world import World

COARSE = "work/coarse"
_CACHE = 2**31  # bytes; what the land and its beginning share is made once
COARSE_HEIGHT, COARSE_SEDIMENT, COARSE_RELIEF = f"{COARSE}/height", f"{COARSE}/sediment", f"{COARSE}/relief"
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
        shared = bare.replace(erosion=recipe.erosion[: world.shared_processes])
        start = build(shared, inputs=inputs, cache=cache, extent="terrain", report=report).terrain
    land = build(recipe, inputs=inputs, cache=cache, extent="maps" if world.levels else "plants", report=report)
    if world.levels:
        fields: dict[str, Array] = {
            COARSE_HEIGHT: start.bedrock.astype(np.float64) + start.sediment,
            COARSE_SEDIMENT: start.sediment,
            COARSE_RELIEF: relief_in_window(recipe, recipe.grid, inputs),
            **{coarse_map(name): values for name, values in land.maps.items()},
        }
        fields |= {coarse_factor(name): values for name, values in _factors(world, inputs).items()}
        fields |= _found_by_shaping(world, inputs)
        if recipe.ecosystem.soil.enabled:
            without = build(bare, inputs=inputs, cache=cache, extent="terrain", report=report).terrain
            fields[COARSE_SOIL] = land.terrain.sediment - without.sediment
        for path, values in fields.items():
            write_whole(store, path, values, world.scale.side)
    return land


def write_whole(store: Store, path: str, values: Array, side: int) -> None:
    """Write an array that fits into memory."""
    store.create(path, ArrayKind(values.shape, values.dtype.name, side, packed=True))
    store.write(path, Block(0, 0, *values.shape), values)


def _found_by_shaping(world: World, inputs: Inputs) -> dict[str, Array]:
    """What processes of the finest level take of masks and of the land before them, on the level in memory."""
    found: dict[str, Array] = {}
    recipe = world.coarse_recipe
    for step, place in enumerate(world.shaping, start=world.steps + 1):
        process = recipe.erosion[place]
        declared = PROCESSES[type(process)]
        measured = [name for name in declared.measurements if name in MAPS]
        if measured or not all(getattr(process, factor.name).is_everywhere for factor in declared.factors):
            terrain, fields = run(land_before(recipe, place + 1, inputs))
            measure = Measured(terrain, recipe, None)
            taken = {**fields, **{name: measure(name) for name in measured}}
            found |= {coarse_finding(step, name): field for name, field in taken.items() if field is not None}
    return found


def _factors(world: World, inputs: Inputs) -> dict[str, Field]:
    """What the masks of the stream power that goes on in finer levels stand for on the level in memory."""
    process, recipe = world.river_process, world.coarse_recipe
    if process is None or (process.rain.is_everywhere and process.hardness.is_everywhere):
        return {}
    index = len(recipe.erosion) - recipe.erosion[::-1].index(process)
    _, fields = run(land_before(recipe, index, inputs))
    return {name: field for name, field in fields.items() if field is not None}
