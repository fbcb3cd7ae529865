"""The mesh of a land with few triangles, whole or in square pieces."""

import bpy
import numpy as np

from ...core.foundation.terrain import Field
from ...core.maps.slope import surface_normals
from ...core.meshing.triangulation import Triangulation
from .attributes import UV_MAP, read_floats, set_attribute

_NOT_MAPS = ("position", UV_MAP)


def add_reduced_mesh(
    land: bpy.types.Object, name: str, surface: Field, cell_size: float, piece: Triangulation
) -> bpy.types.Object:
    """Add a piece of a land with fewer triangles as its child, in the same place, with its maps and materials.

    Its normals are those of the full land, so that both look the same in any light.

    Parameters
    ----------
    land : Object
    name : str
        Of the new object.
    surface : ndarray of float32, shape (rows, columns)
        Heights of the land's vertices in metres.
    cell_size : float
        Metres between them.
    piece : Triangulation
        Of `surface`.
    """
    mesh = bpy.data.meshes.new(name)
    rows, columns = piece.rows, piece.columns
    middle_row, middle_column = 0.5 * (piece.shape[0] - 1), 0.5 * (piece.shape[1] - 1)
    places = np.stack(
        ((columns - middle_column) * cell_size, (rows - middle_row) * cell_size, surface.ravel()[piece.samples]), axis=1
    ).astype(np.float32)
    mesh.vertices.add(len(places))
    mesh.attributes["position"].data.foreach_set("vector", places.ravel())
    corners = piece.triangles.astype(np.int32).ravel()
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(len(piece.triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
    mesh.update(calc_edges=True)
    uv = np.stack((columns / (2.0 * middle_column), rows / (2.0 * middle_row)), axis=1).astype(np.float32)
    mesh.uv_layers.new(name=UV_MAP).data.foreach_set("uv", uv[corners].ravel())
    _copy_maps(land.data, mesh, piece)
    for material in land.data.materials:
        mesh.materials.append(material)
    mesh.normals_split_custom_set_from_vertices(surface_normals(surface, cell_size).reshape(-1, 3)[piece.samples])
    reduced = bpy.data.objects.new(name, mesh)
    reduced.parent = land
    for collection in land.users_collection:
        collection.objects.link(reduced)
    return reduced


def _copy_maps(source: bpy.types.Mesh, target: bpy.types.Mesh, piece: Triangulation) -> None:
    """Copy the maps of the land at the vertices that the piece keeps."""
    for attribute in source.attributes:
        values = read_floats(source, attribute.name)
        if values is not None and attribute.name not in _NOT_MAPS:
            set_attribute(target, attribute.name, values[piece.samples])
