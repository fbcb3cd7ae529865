"""Procedural Landscape: relief, water and light maps, soil and plants, in Blender and without it.

`terrain_addon.core` makes landscapes as arrays, `terrain_addon.files` reads and writes them, `terrain_addon.blender`
puts them into Blender.  Importing this package loads neither bpy nor numba.
"""


def register() -> None:
    """Make operators, panels and properties known to Blender."""
    from .blender.registration import register

    register()


def unregister() -> None:
    """Undo what `register` did."""
    from .blender.registration import unregister

    unregister()
