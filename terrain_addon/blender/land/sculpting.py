"""Surfaces that users sculpted or that planets have, stored as attributes of the land for layers of its relief."""

import bpy

from ..data.attributes import set_attribute
from ..data.mesh_heights import grid_shape, heights_of_grid

SCULPTED = "sculpted"
"""Start of the names of attributes that store a sculpted surface, in metres."""

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


def surface_names(land: bpy.types.Object) -> list[str]:
    """Return the names of the attributes that store surfaces of a land."""
    names = [attribute.name for attribute in land.data.attributes]
    return [name for name in names if name.startswith(SCULPTED) or name == PLANET_SURFACE]
