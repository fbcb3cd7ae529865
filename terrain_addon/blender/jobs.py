"""Building a landscape from inside Blender: inputs, cached results, progress under the mouse."""

import bpy

from ..core.landscape import Cache, Extent, Landscape, build
from ..core.progress import Progress
from ..core.recipe import Recipe
from ..files.inputs import read_inputs

_cache = Cache()


def build_landscape(recipe: Recipe, extent: Extent = "plants") -> Landscape:
    """Build a recipe, reusing whatever earlier builds of this session computed.

    Raises
    ------
    ValueError
        If a file that the recipe names cannot be read, or the landscape does not fit into memory.
    """
    manager = bpy.context.window_manager
    manager.progress_begin(0.0, 1.0)
    try:
        return build(
            recipe,
            inputs=read_inputs(recipe, bpy.path.abspath),
            cache=_cache,
            extent=extent,
            report=lambda progress: _show(manager, progress),
        )
    finally:
        manager.progress_end()


def forget() -> None:
    """Let go of all cached results."""
    _cache.clear()


def _show(manager: bpy.types.WindowManager, progress: Progress) -> None:
    manager.progress_update(progress.fraction)
