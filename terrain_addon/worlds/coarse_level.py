"""The level of a world that is made in memory, by `core.build` with all processes of the recipe."""

from collections.abc import Callable

import numpy as np

from ..core.building.erosion_stages import land_before
from ..core.building.landscape import Landscape, build
from ..core.building.layers import Inputs
from ..core.building.window_relief import relief_in_window
from ..core.foundation.compilation import Array
from ..core.foundation.progress import Progress, run
from ..core.foundation.terrain import Field
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from .store import Store
from .world import World

COARSE = "work/coarse"
COARSE_HEIGHT, COARSE_SEDIMENT, COARSE_RELIEF = f"{COARSE}/height", f"{COARSE}/sediment", f"{COARSE}/relief"


def coarse_map(name: str) -> str:
    """Return where a map of the level in memory is."""
    return f"{COARSE}/maps/{name}"


def coarse_factor(name: str) -> str:
    """Return where the rain or hardness of the stream power on the level in memory is, if it has a mask."""
    return f"{COARSE}/factors/{name}"


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
    recipe = world.coarse_recipe
    inputs = read_inputs(recipe)
    land = build(recipe, inputs=inputs, extent="maps" if world.levels else "plants", report=report)
    if world.levels:
        fields: dict[str, Array] = {
            COARSE_HEIGHT: land.terrain.bedrock.astype(np.float64) + land.terrain.sediment,
            COARSE_SEDIMENT: land.terrain.sediment,
            COARSE_RELIEF: relief_in_window(recipe, recipe.grid, inputs),
            **{coarse_map(name): values for name, values in land.maps.items()},
        }
        fields |= {coarse_factor(name): values for name, values in _factors(world, inputs).items()}
        for path, values in fields.items():
            write_whole(store, path, values, world.scale.side)
    return land


def write_whole(store: Store, path: str, values: Array, side: int) -> None:
    """Write an array that fits into memory."""
    store.create(path, values.shape, values.dtype, side, packed=True)
    store.write(path, Block(0, 0, *values.shape), values)


def _factors(world: World, inputs: Inputs) -> dict[str, Field]:
    """What the masks of the stream power that goes on in finer levels stand for on the level in memory."""
    process, recipe = world.river_process, world.coarse_recipe
    if process is None or (process.rain.is_everywhere and process.hardness.is_everywhere):
        return {}
    index = len(recipe.erosion) - recipe.erosion[::-1].index(process)
    _, fields = run(land_before(recipe, index, inputs))
    return {name: field for name, field in fields.items() if field is not None}
