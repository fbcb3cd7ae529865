"""The level of a world that is made in memory, by `core.build` with all processes of the recipe."""

from collections.abc import Callable

import numpy as np

from ..core.building.landscape import Landscape, build
from ..core.building.window_relief import relief_in_window
from ..core.foundation.compilation import Array
from ..core.foundation.progress import Progress
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from .store import Store
from .world import World

COARSE = "work/coarse"
COARSE_HEIGHT, COARSE_SEDIMENT, COARSE_RELIEF = f"{COARSE}/height", f"{COARSE}/sediment", f"{COARSE}/relief"


def coarse_map(name: str) -> str:
    """Return where a map of the level in memory is."""
    return f"{COARSE}/maps/{name}"


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
        for path, values in fields.items():
            write_whole(store, path, values, world.scale.side)
    return land


def write_whole(store: Store, path: str, values: Array, side: int) -> None:
    """Write an array that fits into memory."""
    store.create(path, values.shape, values.dtype, side, packed=True)
    store.write(path, Block(0, 0, *values.shape), values)
