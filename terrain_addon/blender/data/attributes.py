"""Attributes of meshes and objects: their names, and arrays written to and read from them.

Names that one part of the package writes and another reads are declared here, once.  Maps are attributes too; their
names are in `core.maps.catalogue`.
"""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

UV_MAP = "UVMap"
"""UV map of a land, from corner to corner."""

TINT = "tint"
"""Colour attribute of a plant's mesh: RGB is the colour in full light, alpha how much light reaches the place."""

WIND = "wind"
"""Colour attribute of a plant's mesh: red is the phase, green the sway, blue the flutter."""

LEAF = "leaf"
"""Vector attribute of a plant's mesh: place along and beside a twig, and the length of the twig; see `PlantMesh`."""

LEAF_SHAPE = "landscape_leaf_shape"
"""Custom property of a plant's mesh: length of a leaf in metres, its width over its length, and that of a twig."""

AUTUMN = "landscape_autumn"
"""Custom property of a plant's mesh: linear RGB of its leaves in autumn."""

FURROWS = "landscape_furrows"
"""Custom property of a plant's mesh: depth of the furrows of its bark, 0 to 1; below 0, dark bands around it."""

LEAF_FALL = "landscape_leaf_fall"
"""Custom property of a plant's mesh: share of its leaves that turn in autumn."""

SEASON = "landscape_season"
"""Custom property of the object that carries all plants: months since New Year, above 0."""

WATER_KIND = "kind"
"""Point attribute of a water mesh: 0 sea, 1 lake, 2 river."""

DEPTH_OF_WATER = "depth"
"""Point attribute of a water mesh: depth in metres."""

ALONG, ACROSS = "along", "across"
"""Point attributes of a water mesh: for rivers, metres downstream of the source and metres from the middle."""

FALL = "fall"
"""Point attribute of a water mesh: how many metres a river falls in each metre of its course."""

FIRN, ICE_STRAIN, ICE_DEBRIS = "firn", "ice_strain", "ice_debris"
"""Point attributes of a mesh of glaciers: share of firn, strain rate in 1 per year, and share that rock hides."""

DEPTH_OF_SNOW = "depth"
"""Point attribute of a snow mesh: depth in metres."""

SNOW_COVER = "snow_cover"
"""Point attribute of a land: 1 + the depth of snow in metres where a winter says where snow lies.

Elsewhere it is missing, or minus the share of the ground that moraine covers, 0 to -1.  EEVEE has room for 15
attributes of a material, too few for one of its own.
"""

CROWN_COVER = "crown_cover"
"""Point attribute of a land: share of the ground that crowns of trees cover, 0 to 1."""

DETAIL = "detail"
"""Point attribute of a land, a vector: rise to the east and to the north of its detail, and its height in metres."""

NEAR_RELIEF = "near_relief"
"""Point attribute of ground near the camera: how much of its relief is geometry, 0 to 1; elsewhere it is missing."""


# Data type of an attribute, by the type of the array: what Blender calls it, and the property that holds its values.
_TYPES: dict[np.dtype[Any], tuple[str, str]] = {
    np.dtype(np.float32): ("FLOAT", "value"),
    np.dtype(np.int32): ("INT", "value"),
    np.dtype(np.int8): ("INT8", "value"),
    np.dtype(np.bool_): ("BOOLEAN", "value"),
}
_DTYPES = {kind: dtype for dtype, (kind, _) in _TYPES.items()}


def set_attribute(mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any]) -> None:
    """Write one value per vertex; an attribute of that name but of another type is replaced.

    Parameters
    ----------
    mesh : Mesh
    name : str
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


def set_vectors(mesh: bpy.types.Mesh, name: str, vectors: npt.NDArray[np.float32]) -> None:
    """Write one vector per vertex, (vertices, 3), as an attribute."""
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", np.ravel(vectors))


def set_colours(mesh: bpy.types.Mesh, name: str, colours: npt.NDArray[np.float32]) -> None:
    """Write one linear colour per vertex, (vertices, 3), as an attribute of colours."""
    attribute = mesh.attributes.get(name)
    if attribute is None:
        attribute = mesh.attributes.new(name, "FLOAT_COLOR", "POINT")
    attribute.data.foreach_set("color", np.pad(colours, ((0, 0), (0, 1)), constant_values=1.0).ravel())


def read_attribute(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[Any] | None:
    """Return an attribute as `set_attribute` writes it, one value per vertex; None if there is no such attribute."""
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type not in _DTYPES:
        return None
    values: npt.NDArray[Any] = np.empty(len(mesh.vertices), _DTYPES[attribute.data_type])
    attribute.data.foreach_get(_TYPES[values.dtype][1], values)
    return values


def read_floats(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[np.float32] | None:
    """Return an attribute of floats, one per vertex; None if there is none of that name and type."""
    values = read_attribute(mesh, name)
    return values if values is not None and values.dtype == np.float32 else None


def set_positions(mesh: bpy.types.Mesh, positions: npt.NDArray[np.float32]) -> None:
    """Move all vertices; `positions` is float32 (vertices, 3) in metres."""
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.update()


def read_positions(mesh: bpy.types.Mesh) -> npt.NDArray[np.float32]:
    """Return where all vertices are, float32 (vertices, 3) in the metres of their object."""
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", positions.ravel())
    return positions
