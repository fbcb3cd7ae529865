"""Registers properties, operators, handlers and panels in Blender, and unregisters them."""

import threading

import bpy

from ..core.building.recipe import Recipe, preset_names
from ..core.foundation.compilation import set_cache_folder, stop_threads
from ..core.foundation.numba_check import known_problem, look_for_problem
from .data import ground_images, preferences, properties
from .land import building
from .look import daylight
from .operators import CLASSES
from .session import handlers, migration
from .session.redrawing import redraw_sidebars
from .ui import command, keys, panels, recipe_menu

_looking: threading.Thread | None = None


def register() -> None:
    """Register properties, operators, handlers and panels."""
    set_cache_folder(preferences.cache_folder())
    properties.register()
    ground_images.register()
    daylight.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    migration.register()
    handlers.register()
    recipe_menu.register()
    panels.register()
    keys.register()
    command.register()
    if not bpy.app.background:
        bpy.app.timers.register(_prepare, first_interval=1.0)


def ensure_registered() -> None:
    """Register, unless that was done; for scripts that need only one part of the add-on."""
    if not hasattr(bpy.types.Object, "landscape"):
        register()


def _prepare() -> float | None:
    """Look whether numba works, and compile the kernels of the first preset, before the user makes a landscape."""
    global _looking
    if _looking is None:
        _looking = look_for_problem()
        building.warm(Recipe.preset(preset_names()[0]))
        building.warm_planets()
    if _looking.is_alive():
        return 0.5
    if known_problem():
        redraw_sidebars()
    _looking = None
    return None


def unregister() -> None:
    """Unregister in reverse order, and forget cached results."""
    if bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.unregister(_prepare)
    command.unregister()
    keys.unregister()
    panels.unregister()
    recipe_menu.unregister()
    handlers.unregister()
    migration.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    daylight.unregister()
    ground_images.unregister()
    properties.unregister()
    building.forget_results()
    stop_threads()
