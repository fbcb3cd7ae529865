"""Ground near the camera as real geometry: finer faces over the mesh of a land, raised by the relief of its covers.

The mesh of the land stays as it is; the finer ground lies on it and hides it.  It is made in renders alone, from the
same noise as the bump of the material, which fades where geometry carries it.  So it costs nothing in the viewport, and
it needs no experimental feature of any version or engine.
"""

from typing import NamedTuple

import bpy

from .. import compat
from ..data.attributes import DETAIL, NEAR_RELIEF
from ..look.nodes import Value
from .camera_nodes import CameraNodes
from .geometry_nodes import GeometryNodes

# Normal of the mesh as it is interpolated between vertices.
_SMOOTH_NORMAL = "near_normal"
# Metres from the camera, but at least so many cells, up to which ground is raised; nearer than half of it, wholly.
_REACH, _CELLS = 110.0, 3.0
# About so many faces, and at most so many times a cell is halved.
_FACES, _MOST_LEVELS = 300_000.0, 8.0
SUNK = 0.02
"""Metres below the mesh where nothing is raised, so that the two surfaces do not lie in one plane."""


class NearMesh(NamedTuple):
    """The mesh of a land that knows how near it is, before anything is raised.

    Attributes
    ----------
    geometry : NodeSocket
        The mesh; its points know how much of their relief is geometry, and their normals.
    share : NodeSocket
        How much of its relief is geometry at a place of the mesh or of what comes from it, 0 to 1.
    normal : NodeSocket
        Of the smooth mesh there.
    cell_size : NodeSocket
        Side of a cell in metres.
    """

    geometry: bpy.types.NodeSocket
    share: bpy.types.NodeSocket
    normal: bpy.types.NodeSocket
    cell_size: bpy.types.NodeSocket


def near_mesh(nodes: GeometryNodes, land: Value, camera: CameraNodes, strength: Value) -> NearMesh:
    """Return the mesh of a land that knows how near it is.

    Parameters
    ----------
    nodes : GeometryNodes
    land : NodeSocket
        Geometry of the land.
    camera : CameraNodes
    strength : NodeSocket
        Share of the relief near the camera that is geometry, 0 to 1.
    """
    cell_size = _cell_size(nodes, land)
    reach = nodes.math("MAXIMUM", nodes.product(cell_size, _CELLS), _REACH)
    near = nodes.smooth_step(camera.distance, reach, nodes.product(reach, 0.5))
    # What is behind the camera casts no shadow into the picture, but cells are wide.
    limit = nodes.math("MULTIPLY_ADD", camera.distance, 0.4, nodes.product(reach, -0.2))
    share = nodes.product(near, nodes.compare("GREATER_THAN", camera.ahead, limit), strength)
    land = stored(nodes, land, NEAR_RELIEF, "FLOAT", share)
    land = stored(nodes, land, _SMOOTH_NORMAL, "FLOAT_VECTOR", nodes.node("GeometryNodeInputNormal").outputs[0])
    normal = nodes.named_attribute(_SMOOTH_NORMAL, "FLOAT_VECTOR")
    return NearMesh(land, nodes.named_attribute(NEAR_RELIEF, "FLOAT"), normal, cell_size)


def raised_patch(nodes: GeometryNodes, near: NearMesh, height: Value, detail_strength: Value) -> bpy.types.NodeSocket:
    """Return the finer ground that lies on the mesh near the camera.

    Parameters
    ----------
    nodes : GeometryNodes
    near : NearMesh
    height : NodeSocket
        Metres by which a place is raised, less where it is farther away; see `look.ground_relief`.
    detail_strength : NodeSocket
        As in the material, which scales the attribute `DETAIL` by it.
    """
    # A face has the mean of its corners, so that no corner of another face has a share.
    selection = nodes.compare("GREATER_THAN", near.share, 0.0)
    patch = nodes.node(
        "GeometryNodeSeparateGeometry", {"Geometry": near.geometry, "Selection": selection}, domain="FACE"
    ).outputs["Selection"]
    # Blender draws quads as two triangles; bilinear patches would lie below one of them.
    split = nodes.node("GeometryNodeTriangulate", {"Mesh": patch})
    compat.split_as_drawn(split)
    patch = nodes.node(
        "GeometryNodeSubdivideMesh", {"Mesh": split.outputs[0], "Level": _levels(nodes, split.outputs[0])}
    ).outputs[0]
    patch = stored(nodes, patch, DETAIL, "FLOAT_VECTOR", _bent_detail(nodes, near, detail_strength))
    metres = nodes.sum(height, -SUNK)
    inputs = {"Geometry": patch, "Offset": nodes.scaled(near.normal, metres)}
    return nodes.node("GeometryNodeSetPosition", inputs).outputs[0]


def stored(nodes: GeometryNodes, geometry: Value, name: str, kind: str, value: Value) -> bpy.types.NodeSocket:
    """Return geometry whose points keep a value as an attribute of a data type such as ``FLOAT``."""
    inputs = {"Geometry": geometry, "Name": name, "Value": value}
    return nodes.node("GeometryNodeStoreNamedAttribute", inputs, data_type=kind, domain="POINT").outputs[0]


def _face_count(nodes: GeometryNodes, mesh: Value) -> bpy.types.NodeSocket:
    size = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": mesh}, component="MESH")
    return nodes.math("MAXIMUM", size.outputs["Face Count"], 1.0)


def _cell_size(nodes: GeometryNodes, land: Value) -> bpy.types.NodeSocket:
    """Return the side of a cell of a land in metres."""
    low, high = nodes.node("GeometryNodeBoundBox", {"Geometry": land}).outputs[1:3]
    sides = nodes.node("ShaderNodeSeparateXYZ", {0: nodes.vector_math("SUBTRACT", high, low)}).outputs
    area = nodes.product(sides["X"], sides["Y"])
    return nodes.math("SQRT", nodes.math("DIVIDE", area, _face_count(nodes, land)))


def _levels(nodes: GeometryNodes, patch: Value) -> bpy.types.NodeSocket:
    """Return how many times the edges of a patch are halved; each time it gets four times as many faces."""
    times = nodes.math("DIVIDE", _FACES, _face_count(nodes, patch))
    levels = nodes.math("FLOOR", nodes.math("LOGARITHM", nodes.math("MAXIMUM", times, 1.0), 4.0))
    return nodes.math("MINIMUM", levels, _MOST_LEVELS)


def _bent_detail(nodes: GeometryNodes, near: NearMesh, strength: Value) -> bpy.types.NodeSocket:
    """Return the detail of the land with what turns flat triangles into the smooth mesh, as far as light is concerned.

    Slopes are those that the material leans normals by.
    """
    flat = nodes.node("GeometryNodeInputNormal").outputs[0]
    slopes = []
    for normal in (flat, near.normal):
        up = nodes.node("ShaderNodeSeparateXYZ", {0: normal}).outputs["Z"]
        slopes.append(nodes.scaled(normal, nodes.math("DIVIDE", 1.0, nodes.math("MAXIMUM", up, 0.1))))
    bend = nodes.vector_math("SUBTRACT", *slopes)
    bend = nodes.vector_math("MULTIPLY", bend, (1.0, 1.0, 0.0))
    share = nodes.math("DIVIDE", 1.0, nodes.math("MAXIMUM", strength, 0.01))
    return nodes.vector_math("ADD", nodes.named_attribute(DETAIL, "FLOAT_VECTOR"), nodes.scaled(bend, share))
