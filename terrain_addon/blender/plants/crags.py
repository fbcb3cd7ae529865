"""Crags as real geometry: finer faces over steep rock that the camera sees, raised by buttresses, ledges and blocks.

As near the camera, the mesh of the land stays as it is and the finer rock lies on it, in renders alone.  Faces are as
fine as pixels: each ring around the camera is twice as far away as the one before, and its faces are twice as long.
"""

import bpy

from .. import compat
from ..look.ground_relief import crag_size
from ..look.ground_site import SLOPE_MAP
from ..look.nodes import Value
from ..look.shading import at_least_zero
from .camera_nodes import CameraNodes
from .geometry_nodes import GeometryNodes
from .near_relief import SUNK, NearMesh, stored

# Metres from the camera: where the first ring begins, and how many times as far away the last one ends.
_FIRST, _RINGS = 110.0, 6
# Length of faces as a share of the distance of their ring, 1 to 2 pixels, and at most so many times a cell is halved.
_FACE, _MOST_LEVELS = 0.0016, 6.0
# Cosines of angles from the middle of the picture: crags end beyond the corners of pictures by a lens of 20 mm.
OUTSIDE, _INSIDE = 0.68, 0.74
"""Cosine of the angle beyond which renders add nothing to the ground."""
_AT_CAMERA = (40.0, 200.0)  # metres from the camera: up to the first there are no crags, from the second on all
_ROADSIDE = (15.0, 70.0)  # metres from a road: up to the first there are no crags, from the second on all
_OWN_SLOPE = 0.6  # share of the slope of a crag itself in what the material takes for its slope
# Metres: no crag stands out further, on walls either; and how deep plants stand in ground that is uneven.
_HIGHEST, _ROOTED = 150.0, 0.3
_OVERLOOKED = 60.0  # metres above the mesh up to which crags of a land with usual cells may be seen over a ridge
_FROM_BEHIND = (0.45, 0.15)  # cosines of angles from the line of sight between which crags of back slopes end


def away_from_roads(nodes: GeometryNodes, roads: Value) -> bpy.types.NodeSocket:
    """Return 0 beside roads and pads, over which crags would hang, and 1 from a short way on.

    Parameters
    ----------
    nodes : GeometryNodes
    roads : NodeSocket
        Their geometry, which may be empty.
    """
    distance = nodes.node("GeometryNodeProximity", {"Geometry": roads}, target_element="FACES").outputs["Distance"]
    faces = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": roads}, component="MESH").outputs["Face Count"]
    return nodes.math("MAXIMUM", nodes.smooth_step(distance, *_ROADSIDE), nodes.compare("EQUAL", faces, 0.0))


def seen_share(nodes: GeometryNodes, near: NearMesh, camera: CameraNodes) -> bpy.types.NodeSocket:
    """Return how much of the height of crags there is in the part of a land that a camera may show, 0 to 1.

    Crags end gradually, so that none stands over the ground like a roof; and none grows over the camera.
    """
    far = nodes.math("MAXIMUM", camera.distance, 0.1)
    inside = nodes.math("DIVIDE", camera.ahead, far)
    ways = {0: camera.away, 1: near.normal}
    away = nodes.node("ShaderNodeVectorMath", ways, operation="DOT_PRODUCT").outputs["Value"]
    last = _FIRST * 2.0**_RINGS
    return nodes.product(
        nodes.smooth_step(inside, OUTSIDE, _INSIDE),
        nodes.smooth_step(nodes.math("DIVIDE", away, far), *_FROM_BEHIND),
        nodes.smooth_step(camera.distance, last, 0.7 * last),
        nodes.smooth_step(camera.distance, *_AT_CAMERA),
    )


def crag_patches(
    nodes: GeometryNodes, near: NearMesh, camera: CameraNodes, share: Value, height: Value
) -> bpy.types.NodeSocket:
    """Return finer rock that lies on the mesh of a land beyond the ground near the camera.

    Parameters
    ----------
    nodes : GeometryNodes
    near : NearMesh
        The mesh of the land.
    camera : CameraNodes
    share : NodeSocket
        Where there are crags: cheap, because it is asked for the whole land.
    height : NodeSocket
        By how many metres a place is raised.
    """
    shown = seen_share(nodes, near, camera)
    seen = nodes.all_of(
        nodes.compare("GREATER_THAN", nodes.product(share, shown), 0.0),
        nodes.compare("LESS_THAN", near.share, 1e-6),
    )
    rock = nodes.node(
        "GeometryNodeSeparateGeometry", {"Geometry": near.geometry, "Selection": seen}, domain="FACE"
    ).outputs["Selection"]
    # In mountains most rock is behind other rock.
    inputs = {"Geometry": rock, "Selection": _in_sight(nodes, near, camera)}
    rock = nodes.node("GeometryNodeSeparateGeometry", inputs, domain="FACE").outputs["Selection"]
    joined = nodes.node("GeometryNodeJoinGeometry")
    for ring in range(_RINGS):
        start = _FIRST * 2.0**ring
        # The first ring also has what the ground near the camera leaves of wide cells.
        begins = nodes.compare("GREATER_EQUAL", camera.distance, start if ring else 0.0)
        inside = nodes.all_of(begins, nodes.compare("LESS_THAN", camera.distance, 2.0 * start))
        piece = nodes.node(
            "GeometryNodeSeparateGeometry", {"Geometry": rock, "Selection": inside}, domain="FACE"
        ).outputs["Selection"]
        nodes.set(joined.inputs[0], _refined(nodes, piece, near.cell_size, start * _FACE))
    metres = nodes.sum(nodes.product(height, shown), -SUNK)
    inputs = {"Geometry": joined.outputs[0], "Offset": nodes.scaled(near.normal, metres)}
    raised = nodes.node("GeometryNodeSetPosition", inputs).outputs[0]
    # Snow and soil stay on treads and leave walls bare, so the material must know how steep crags are.
    slope = nodes.linear(nodes.named_attribute(SLOPE_MAP, "FLOAT"), _slope(nodes), _OWN_SLOPE)
    return stored(nodes, raised, SLOPE_MAP, "FLOAT", slope)


def lifted(nodes: GeometryNodes, plants: Value, raised: Value) -> bpy.types.NodeSocket:
    """Return plants that stand on raised ground instead of inside it.

    Parameters
    ----------
    nodes : GeometryNodes
    plants : NodeSocket
        Instances that stand on the mesh of the land.
    raised : NodeSocket
        Meshes that lie on it.
    """
    place = nodes.node("GeometryNodeInputPosition").outputs[0]
    rays = {
        "Target Geometry": raised,
        "Source Position": nodes.vector_math("ADD", place, (0.0, 0.0, _HIGHEST)),
        "Ray Direction": (0.0, 0.0, -1.0),
        "Ray Length": _HIGHEST - _ROOTED,
    }
    hit = nodes.node("GeometryNodeRaycast", rays).outputs
    foot = nodes.vector_math("SUBTRACT", hit["Hit Position"], (0.0, 0.0, _ROOTED))
    inputs = {"Geometry": plants, "Selection": hit["Is Hit"], "Position": foot}
    return nodes.node("GeometryNodeSetPosition", inputs).outputs[0]


def _in_sight(nodes: GeometryNodes, near: NearMesh, camera: CameraNodes) -> bpy.types.NodeSocket:
    """Return whether no ground hides from the camera what stands out at a place."""
    top = nodes.node("ShaderNodeCombineXYZ", {"Z": nodes.product(crag_size(nodes, near.cell_size), _OVERLOOKED)})
    way = nodes.vector_math("ADD", camera.away, top.outputs[0])
    rays = {
        "Target Geometry": near.geometry,
        "Source Position": nodes.vector_math("ADD", nodes.node("GeometryNodeInputPosition").outputs[0], top.outputs[0]),
        "Ray Direction": nodes.scaled(way, -1.0),
        "Ray Length": nodes.node("ShaderNodeVectorMath", {0: way}, operation="LENGTH").outputs["Value"],
    }
    hit = nodes.node("GeometryNodeRaycast", rays).outputs["Is Hit"]
    return nodes.node("FunctionNodeBooleanMath", {0: hit}, operation="NOT").outputs[0]


def _slope(nodes: GeometryNodes) -> bpy.types.NodeSocket:
    """Return the slope of a mesh in degrees, at most 90."""
    normal = nodes.node("GeometryNodeInputNormal").outputs[0]
    up = nodes.node("ShaderNodeSeparateXYZ", {0: normal}).outputs["Z"]
    return nodes.math("DEGREES", nodes.math("ARCCOSINE", at_least_zero(nodes, up)))


def _refined(nodes: GeometryNodes, piece: Value, cell_size: Value, length: float) -> bpy.types.NodeSocket:
    """Return a piece of a land whose faces are about as long as asked for."""
    split = nodes.node("GeometryNodeTriangulate", {"Mesh": piece})
    compat.split_as_drawn(split)
    levels = nodes.math("ROUND", nodes.math("LOGARITHM", nodes.math("DIVIDE", cell_size, length), 2.0))
    levels = nodes.math("MINIMUM", nodes.math("MAXIMUM", levels, 0.0), _MOST_LEVELS)
    return nodes.node("GeometryNodeSubdivideMesh", {"Mesh": split.outputs[0], "Level": levels}).outputs[0]
