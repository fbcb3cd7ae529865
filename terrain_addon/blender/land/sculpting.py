"""Surfaces that users sculpted, stored as attributes of the land so that layers of the relief can use them."""

import bpy

from ..data.attributes import set_attribute
from ..data.mesh_heights import grid_shape, heights_of_grid

SCULPTED = "sculpted"
"""Start of the names of attributes that store a sculpted surface, in metres."""


def store_surface(land: bpy.types.Object) -> str:
    """Store the heights of a land's mesh as a new attribute of the mesh, and return its name.

    Raises
    ------
    ValueError
        If the mesh is no longer a grid.
    """
    shape = grid_shape(land.data)
    if shape is None:
        raise ValueError(f"{land.name} is no longer a grid of rows and columns")
    number = 1
    while f"{SCULPTED} {number}" in land.data.attributes:
        number += 1
    name = f"{SCULPTED} {number}"
    set_attribute(land.data, name, heights_of_grid(land.data, shape))
    return name


def surface_names(land: bpy.types.Object) -> list[str]:
    """Return the names of the attributes that store sculpted surfaces of a land."""
    return [attribute.name for attribute in land.data.attributes if attribute.name.startswith(SCULPTED)]
