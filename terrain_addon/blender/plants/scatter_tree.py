"""The node group that turns points with attributes into instances of plants that stand on the land."""

import math

import bpy

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.ecosystem.plant_form import DEAD_FORMS
from ...core.foundation.progress import run
from ...core.meshing.plant_meshes import LEVELS
from ..look.nodes import UNFINISHED, NodeTreeSteps, Value, name_group
from .camera_nodes import CameraNodes
from .geometry_nodes import GeometryNodes
from .ground_nodes import stand_on_land
from .scatter_inputs import COLLECTION_INPUT, LAND_INPUT, SHARE_INPUT, VARIANTS_INPUT, declare_sockets
from .viewport_clumps import draw_clumps, split_plants

TREE_NAME = "Landscape Plants"

_GEOMETRY_TREE = "GeometryNodeTree"
# This custom property marks the group, whatever users call it.  A new number means another set of sockets.
_TREE_KEY = "landscape_plants"
_TREE_VERSION = 4
# No two plants of a mesh look alike: share of its width, and lean in degrees.  The draws turn rotations into numbers
# that have nothing to do with each other.
_SLIMMEST, _BROADEST = 0.85, 1.2
_MOST_LEAN = 4.0
_WIDTH_DRAW, _LEAN_DRAW = 0.731, 1.937


def scatter_tree() -> bpy.types.GeometryNodeTree:
    """Return the node group "Landscape Plants", made where it is missing.

    It takes a mesh of loose vertices with the point attributes of `PlantAttribute`, and returns one instance for each.
    `plant_assets.plant_collection` explains which object of the collection it is.  The instances keep all attributes,
    so that shaders can read them.

    Plants stand on the object "Land" and follow it when it moves; see `ground_nodes.stand_on_land`.
    """
    return run(scatter_tree_steps())


def scatter_tree_steps() -> NodeTreeSteps:
    """Return the steps of `scatter_tree`, which can be spread over time."""
    tree = _find_scatter_tree()
    return tree if tree is not None else (yield from _new_scatter_tree())


def _find_scatter_tree() -> bpy.types.GeometryNodeTree | None:
    """Return the node group of this version in this file, None if there is none."""
    for group in bpy.data.node_groups:
        if group.library is None and group.bl_idname == _GEOMETRY_TREE and group.get(_TREE_KEY) == _TREE_VERSION:
            return group
    return None


def _new_scatter_tree() -> NodeTreeSteps:
    """Make the node group."""
    tree = bpy.data.node_groups.new(UNFINISHED, _GEOMETRY_TREE)
    tree.is_modifier = True
    declare_sockets(tree)
    yield
    nodes = GeometryNodes(tree)
    source = nodes.node("NodeGroupInput").outputs
    height = nodes.named_attribute(PlantAttribute.HEIGHT, "FLOAT")

    ground, normal = yield from stand_on_land(nodes, source[LAND_INPUT])
    split = split_plants(nodes, source["Points"], source[SHARE_INPUT])
    yield
    points = nodes.node("GeometryNodeSetPosition", {"Geometry": split.models, "Position": ground}).outputs[0]
    children = nodes.node(
        "GeometryNodeCollectionInfo",
        {"Collection": source[COLLECTION_INPUT], "Separate Children": True, "Reset Children": False},
        transform_space="ORIGINAL",
    ).outputs[0]
    yield
    index = nodes.math(
        "MULTIPLY_ADD",
        _species_number(nodes, children, source[VARIANTS_INPUT]),
        source[VARIANTS_INPUT],
        nodes.named_attribute(PlantAttribute.VARIANT, "INT"),
    )
    yield
    camera = CameraNodes(nodes)
    yield
    level = camera.level(source, height)
    yield
    # A plant fits into a ball around its foot.
    seen = yield from camera.sees(source, nodes.sum(height, nodes.named_attribute(PlantAttribute.RADIUS, "FLOAT")))
    turn = _turn(nodes, normal)
    yield
    instances = nodes.node(
        "GeometryNodeInstanceOnPoints",
        {
            "Points": points,
            "Selection": seen,
            "Instance": children,
            "Pick Instance": True,
            "Instance Index": nodes.math("MULTIPLY_ADD", index, float(LEVELS), level),
            "Rotation": turn,
            "Scale": _scale(nodes, height),
        },
    )
    yield
    rest = draw_clumps(nodes, split, ground)
    both = nodes.node("GeometryNodeJoinGeometry", {0: instances.outputs[0]})
    tree.links.new(rest, both.inputs[0])
    nodes.node("NodeGroupOutput", {"Plants": both.outputs[0]})
    yield
    nodes.arrange()
    tree = name_group(tree, TREE_NAME, _find_scatter_tree())
    tree[_TREE_KEY] = _TREE_VERSION
    return tree


def _species_number(nodes: GeometryNodes, children: Value, variants: Value) -> bpy.types.NodeSocket:
    """Return the number of the species; standing and lying dead wood have numbers after all species."""
    size = nodes.node("GeometryNodeAttributeDomainSize", {"Geometry": children}, component="INSTANCES").outputs
    rows = nodes.math("DIVIDE", size["Instance Count"], nodes.product(variants, float(LEVELS)))
    condition = nodes.named_attribute(PlantAttribute.CONDITION, "INT")
    dead = nodes.sum(rows, condition, -1.0 - len(DEAD_FORMS))
    is_dead = nodes.compare("GREATER_THAN", condition, 0.5)
    return nodes.switch("FLOAT", is_dead, nodes.named_attribute(PlantAttribute.SPECIES, "INT"), dead)


def _scale(nodes: GeometryNodes, height: Value) -> bpy.types.NodeSocket:
    """Return the size of each plant: as high as it is, and slimmer or broader than its mesh."""
    width = nodes.math("MULTIPLY_ADD", _chance(nodes, _WIDTH_DRAW), _BROADEST - _SLIMMEST, _SLIMMEST)
    wide = nodes.product(height, width)
    return nodes.node("ShaderNodeCombineXYZ", {"X": wide, "Y": wide, "Z": height}).outputs[0]


def _chance(nodes: GeometryNodes, draw: float) -> bpy.types.NodeSocket:
    """Return a number from 0 to 1 that each plant keeps, because it follows from its rotation."""
    return nodes.math("FRACT", nodes.product(nodes.named_attribute(PlantAttribute.ROTATION, "FLOAT"), draw))


def _turn(nodes: GeometryNodes, normal: Value) -> bpy.types.NodeSocket:
    """Return the turn about the vertical, with a lean to a side; what lies on the ground leans with it instead."""
    radians = nodes.math("RADIANS", nodes.named_attribute(PlantAttribute.ROTATION, "FLOAT"))
    # Most plants are nearly upright.
    lean = nodes.product(nodes.math("POWER", _chance(nodes, _LEAN_DRAW), 2.0), math.radians(_MOST_LEAN))
    euler = nodes.node("ShaderNodeCombineXYZ", {"X": lean, "Z": radians})
    turn = nodes.node("FunctionNodeEulerToRotation", {0: euler.outputs[0]}).outputs[0]
    lies = nodes.named_attribute(PlantAttribute.LIES, "BOOLEAN")
    inputs = {"Rotation": turn, "Factor": lies, "Vector": normal}
    return nodes.node("FunctionNodeAlignRotationToVector", inputs, axis="Z").outputs[0]
