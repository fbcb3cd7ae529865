"""Making operators, panels and properties known to Blender, and taking them back."""

import bpy

from ..core.building.recipe import Recipe, preset_names
from ..core.foundation.compilation import set_cache_folder
from .data import preferences, properties
from .land import building
from .operators import CLASSES
from .session import live, migration
from .ui import command, panels


def register() -> None:
    """Register properties, operators and panels."""
    set_cache_folder(preferences.cache_folder())
    properties.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    migration.register()
    live.register()
    panels.register()
    command.register()
    if not bpy.app.background:
        bpy.app.timers.register(_prepare, first_interval=1.0)


def ensure_registered() -> None:
    """Register, unless that has been done: a script may ask for one thing only."""
    if not hasattr(bpy.types.Object, "landscape"):
        register()


def _prepare() -> None:
    """Compile what the first landscape will need, while its maker still looks around."""
    building.warm(Recipe.preset(preset_names()[0]))


def unregister() -> None:
    """Unregister in reverse, and let go of cached results."""
    if bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.unregister(_prepare)
    command.unregister()
    panels.unregister()
    live.unregister()
    migration.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    properties.unregister()
    building.forget()
