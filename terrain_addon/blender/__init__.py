"""Everything that talks to Blender: the only part of the package that imports bpy."""

import bpy

from ..core.compilation import set_cache_folder
from . import building, command_line, live, panels, preferences, properties
from .operators import CLASSES


def register() -> None:
    """Register properties, operators and panels."""
    set_cache_folder(preferences.cache_folder())
    properties.register()
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    live.register()
    panels.register()
    command_line.register()


def unregister() -> None:
    """Unregister in reverse, and let go of cached results."""
    command_line.unregister()
    panels.unregister()
    live.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    properties.unregister()
    building.forget()
