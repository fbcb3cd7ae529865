"""Objects that belong to a land, each with what its mesh shows."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import bpy
import numpy as np
import numpy.typing as npt

from ..data.attributes import set_attribute
from ..data.meshes import set_triangles


class Triangles(Protocol):
    """A mesh that core made."""

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """Metres, shape (vertices, 3)."""

    @property
    def triangles(self) -> npt.NDArray[np.int32]:
        """Shape (triangles, 3)."""

    def __len__(self) -> int: ...


def new_part(land: bpy.types.Object, name: str) -> bpy.types.Object:
    """Give a land a child with an empty mesh, in its collections."""
    name = f"{land.name} {name}"
    part = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    part.parent = land
    for collection in land.users_collection:
        collection.objects.link(part)
    return part


def show_part(
    land: bpy.types.Object,
    name: str,
    shape: Triangles,
    attributes: Mapping[str, npt.NDArray[Any]],
    material: Callable[[], bpy.types.Material],
) -> None:
    """Show a part of a land instead of what it showed before; what has no triangles leaves an empty mesh.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.

    Parameters
    ----------
    land : Object
    name : str
        Of the part; its pointer in the settings of the land has the same name in small letters.
    shape : Triangles
        A land that never had any gets no object.
    attributes : mapping of str to ndarray, shape (vertices,)
        Point attributes by name.
    material : callable
        Makes the material of a part that has none.
    """
    part = getattr(land.landscape, name.lower())
    if len(shape) == 0 and (part is None or len(part.data.vertices) == 0):
        return
    if part is None:
        part = new_part(land, name)
        setattr(land.landscape, name.lower(), part)
    set_triangles(part.data, shape.positions, shape.triangles)
    for attribute, values in attributes.items():
        set_attribute(part.data, attribute, values)
    fill_slot(part.data, material)


def fill_slot(mesh: bpy.types.Mesh, material: Callable[[], bpy.types.Material]) -> None:
    """Give a mesh a material if it has none."""
    if not any(mesh.materials):
        mesh.materials.clear()
        mesh.materials.append(material())
