"""Lands with animated settings: a preview of each frame in playback, the whole landscape in a render."""

import bpy

from ...core.building.recipe import Recipe
from ..data.properties import read_recipe
from ..land.marks import preview_mark, shown_mark
from . import jobs
from .following import full_task, keep_following
from .land_states import ensure_state, is_behind
from .previews import preview_task
from .undo_steps import own_step

_is_rendering = False


def set_rendering(is_rendering: bool) -> None:
    """Store whether Blender is rendering."""
    global _is_rendering
    _is_rendering = is_rendering


def is_rendering() -> bool:
    """Return whether Blender is rendering."""
    return _is_rendering


def show_frame_of_all(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Show all animated lands of a scene as they are at its current frame."""
    for land in scene.objects:
        if land.landscape.is_landscape and _is_animated(land) and land.type == "MESH":
            try:
                # While rendering, only the evaluated copy has the values of the frame.
                _show_frame(land, read_recipe(land.evaluated_get(depsgraph)))
            except jobs.FAILURES as error:
                ensure_state(land).problem = str(error)


def _show_frame(land: bpy.types.Object, recipe: Recipe) -> None:
    """Show a recipe on a land: a preview in playback, everything in a render."""
    state = ensure_state(land)
    if recipe != state.wanted:
        state.set_wanted(recipe)
    if not is_behind(land, state):
        return
    if bpy.app.background:
        full_task(land, recipe).run()
    elif _is_rendering:
        with own_step("Landscape of a Frame", later=True):
            full_task(land, recipe).run()
        keep_following()
    elif shown_mark(land) != preview_mark(state.wanted_mark):
        preview_task(land, state, recipe).run()
        keep_following()


def _is_animated(land: bpy.types.Object) -> bool:
    """Whether an object has an action or drivers."""
    data = land.animation_data
    return data is not None and (data.action is not None or len(data.drivers) > 0)
