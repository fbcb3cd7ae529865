"""Building landscapes with the results that this session already has."""

from collections.abc import Callable, Generator

import bpy

from ..core.landscape import Cache, Extent, Landscape, build_steps
from ..core.progress import Progress, run
from ..core.recipe import Recipe
from .inputs import gather_inputs

_cache = Cache()


def build_landscape(
    recipe: Recipe,
    extent: Extent = "plants",
    land: bpy.types.Object | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Landscape:
    """Build a recipe at once; see `landscape_steps`."""
    return run(landscape_steps(recipe, extent, land), report)


def landscape_steps(
    recipe: Recipe, extent: Extent = "plants", land: bpy.types.Object | None = None
) -> Generator[Progress, bool | None, Landscape]:
    """Return the steps of building a recipe, which may run in any thread.

    What the recipe asks for of Blender and of files is read here and now.

    Parameters
    ----------
    recipe : Recipe
    extent : {'terrain', 'maps', 'plants'}
        How far to go.
    land : Object, optional
        Whose painted attributes and stored heights the recipe means.

    Raises
    ------
    ValueError
        If nothing is left of the relief because files cannot be read, or the landscape does not fit into memory.
    """
    problems: dict[str, str] = {}
    inputs = gather_inputs(recipe, land, problems)
    return build_steps(recipe, inputs=inputs, problems=problems, cache=_cache, extent=extent)


def forget() -> None:
    """Let go of all cached results."""
    _cache.clear()
