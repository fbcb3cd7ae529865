"""Arrays into mesh attributes."""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

# Data type of an attribute, by the type of the array: what Blender calls it, and the property that holds its values.
_TYPES = {
    np.dtype(np.float32): ("FLOAT", "value"),
    np.dtype(np.int32): ("INT", "value"),
    np.dtype(np.int8): ("INT8", "value"),
    np.dtype(np.bool_): ("BOOLEAN", "value"),
}


def set_attribute(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any]) -> None:
    """Write one value per vertex; an attribute of that name is replaced if it is of another kind.

    Parameters
    ----------
    values : ndarray of float32, int32, int8 or bool, any shape with one element per vertex
    """
    kind, member = _TYPES[values.dtype]
    attribute = mesh.attributes.get(name)
    if attribute is not None and (attribute.data_type != kind or attribute.domain != "POINT"):
        mesh.attributes.remove(attribute)
        attribute = None
    if attribute is None:
        attribute = mesh.attributes.new(name, kind, "POINT")
    attribute.data.foreach_set(member, np.ravel(values))


def set_positions(mesh: bpy.types.Mesh, positions: npt.NDArray[np.float32]) -> None:
    """Move all vertices; `positions` is float32 (vertices, 3) in metres."""
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.update()
