"""Registers properties, operators, handlers and panels in Blender, and unregisters them."""

import bpy

from ..core.foundation.compilation import stop_threads
from .data import ground_images, preferences, properties
from .land import building
from .look import daylight
from .operators import CLASSES
from .session import compiling_ahead, handlers, migration
from .ui import command, keys, manual, panels, recipe_menu


def register() -> None:
    """Register properties, operators, handlers and panels."""
    for cls in preferences.CLASSES:
        bpy.utils.register_class(cls)
    preferences.apply_preferences()
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
    manual.register()
    compiling_ahead.compile_as_preferred()


def ensure_registered() -> None:
    """Register, unless that was done; for scripts that need only one part of the add-on."""
    if not hasattr(bpy.types.Object, "landscape"):
        register()


def unregister() -> None:
    """Unregister in reverse order, and forget cached results."""
    compiling_ahead.stop_compiling_ahead()
    manual.unregister()
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
    for cls in reversed(preferences.CLASSES):
        bpy.utils.unregister_class(cls)
    building.forget_results()
    stop_threads()
