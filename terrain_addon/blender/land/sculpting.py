"""Surfaces that users sculpted, stored as attributes of the land so that layers of the relief can use them."""

import bpy
import numpy as np

from ..data.attributes import set_attribute
from ..data.mesh_heights import fitted, grid_shape, heights_of_grid

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


def carry_surfaces(land: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """Copy the stored surfaces of a land to a new mesh of another shape that will replace its mesh."""
    old, new = grid_shape(land.data), grid_shape(mesh)
    if old is None or new is None:
        return
    for attribute in land.data.attributes:
        if attribute.name.startswith(SCULPTED) and attribute.data_type == "FLOAT" and attribute.domain == "POINT":
            heights = np.empty(old[0] * old[1], np.float32)
            attribute.data.foreach_get("value", heights)
            set_attribute(mesh, attribute.name, fitted(heights.reshape(old), new))
