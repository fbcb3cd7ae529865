"""Everything that talks to Blender: the only part of the package that imports bpy."""

import bpy

from ..core.compilation import set_cache_folder
from ..core.recipe import Recipe, preset_names
from . import building, command_line, live, migration, panels, preferences, properties
from .operators import CLASSES


def register() -> None:
    """Register properties, operators and panels."""
    set_cache_folder(preferences.cache_folder())
    properties.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    migration.register()
    live.register()
    panels.register()
    command_line.register()
    if not bpy.app.background:
        bpy.app.timers.register(_prepare, first_interval=1.0)


def _prepare() -> None:
    """Compile what the first landscape will need, while its maker still looks around."""
    building.warm(Recipe.preset(preset_names()[0]))


def unregister() -> None:
    """Unregister in reverse, and let go of cached results."""
    if bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.unregister(_prepare)
    command_line.unregister()
    panels.unregister()
    live.unregister()
    migration.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    properties.unregister()
    building.forget()
