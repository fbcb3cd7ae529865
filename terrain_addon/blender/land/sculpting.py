"""Surfaces that users sculpted or that planets have, stored as attributes of the land for layers of its relief."""

import bpy

from ..data.attributes import set_attribute
from ..data.mesh_heights import grid_shape, heights_of_grid

SCULPTED = "sculpted"
"""Start of the names of attributes that store a sculpted surface, in metres."""

# Custom property of a land's mesh that somebody has changed by hand since it was made.
_BY_HAND = "landscape_by_hand"
_MODES = ("SCULPT", "EDIT")

PLANET_SURFACE = "planet surface"
"""Name of the attribute that stores the surface of a planet, in metres."""


def store_surface(land: bpy.types.Object, name: str = "") -> str:
    """Store the heights of a land's mesh as an attribute of the mesh, and return its name; without one, a new one.

    Raises
    ------
    ValueError
        If the mesh is no longer a grid.
    """
    shape = grid_shape(land.data)
    if shape is None:
        raise ValueError(f"{land.name} is no longer a grid of rows and columns")
    number = 1
    while not name:
        free = f"{SCULPTED} {number}"
        name, number = ("" if free in land.data.attributes else free), number + 1
    set_attribute(land.data, name, heights_of_grid(land.data, shape))
    return name


def note_hands(land: bpy.types.Object) -> None:
    """Remember on the mesh of a land that somebody changes it by hand, if its mode lets them."""
    if land.mode in _MODES and land.data is not None and land.data.is_editable and _BY_HAND not in land.data:
        land.data[_BY_HAND] = True


def forget_hands(land: bpy.types.Object) -> None:
    """Forget that, because the mesh shows a new surface."""
    if _BY_HAND in land.data:
        del land.data[_BY_HAND]


def is_by_hand(land: bpy.types.Object) -> bool:
    """Return whether somebody changes the mesh of a land by hand, or has done so since it was made."""
    return land.mode in _MODES or (land.data is not None and _BY_HAND in land.data)


def surface_names(land: bpy.types.Object) -> list[str]:
    """Return the names of the attributes that store surfaces of a land."""
    names = [attribute.name for attribute in land.data.attributes]
    return [name for name in names if name.startswith(SCULPTED) or name == PLANET_SURFACE]
