"""The node group that turns points with attributes into instances of plants."""

import bpy

from ..core.ecosystem.plants import VARIANTS
from . import compat
from .nodes import Nodes, active_socket, find_group

TREE_NAME = "Landscape Plants"
COLLECTION_INPUT = "Collection"
SHARE_INPUT = "Viewport Share"

_KIND = "GeometryNodeTree"
# Just below 100, so that a share of 100 % shows every plant.
_LAST_LOT = 99.999


def scatter_tree() -> bpy.types.GeometryNodeTree:
    """Return the node group "Landscape Plants", made where it is missing.

    It takes a mesh of loose vertices with the point attributes `species` and `variant` (whole numbers), `scale`
    (height of the plant in metres), `rotation` (degrees counter-clockwise about the vertical) and `age` (years), and
    returns one instance for each: child number species · VARIANTS + variant of the collection.  All attributes go along
    to the instances, where shaders read them.  In the viewport only a share of the plants is shown, in renders all.
    """
    tree = find_group(TREE_NAME, _KIND)
    return tree if tree is not None else _new_scatter_tree()


def add_scatter_modifier(
    plants: bpy.types.Object, collection: bpy.types.Collection, viewport_share: float | None = None
) -> bpy.types.NodesModifier:
    """Make an object of plant points show its plants; a second call updates the modifier of the first.

    Parameters
    ----------
    plants : Object
        A mesh of loose vertices with the attributes that `scatter_tree` names.
    collection : Collection
        What `plant_assets.plant_collection` returned.
    viewport_share : float, optional
        Percentage of the plants to show in the viewport, 0 to 100; without, what the modifier had, 100 for a new one.

    Raises
    ------
    ValueError
        If `viewport_share` is out of its range, or `plants` is not a mesh.
    """
    if viewport_share is not None and not 0.0 <= viewport_share <= 100.0:
        raise ValueError(f"viewport_share = {viewport_share!r} % is outside 0 to 100 %")
    if plants.type != "MESH":
        raise ValueError(f"plants can only stand on the points of a mesh, and {plants.name} is a {plants.type.lower()}")
    tree = scatter_tree()
    # Found by its own name: users may have renamed or deleted the node group.
    modifier = next((m for m in plants.modifiers if m.type == "NODES" and m.name == TREE_NAME), None)
    if modifier is None:
        modifier = plants.modifiers.new(TREE_NAME, "NODES")
    if modifier.node_group != tree:
        modifier.node_group = tree
    compat.set_modifier_input(modifier, COLLECTION_INPUT, collection)
    if viewport_share is not None:
        compat.set_modifier_input(modifier, SHARE_INPUT, viewport_share)
    return modifier


def _new_scatter_tree() -> bpy.types.GeometryNodeTree:
    tree = bpy.data.node_groups.new(TREE_NAME, _KIND)
    tree.is_modifier = True
    _declare_sockets(tree)
    nodes = Nodes(tree)
    source = nodes.node("NodeGroupInput")
    children = nodes.node(
        "GeometryNodeCollectionInfo",
        {"Collection": source.outputs[COLLECTION_INPUT], "Separate Children": True, "Reset Children": True},
        transform_space="ORIGINAL",
    )
    instances = nodes.node(
        "GeometryNodeInstanceOnPoints",
        {
            "Points": source.outputs["Points"],
            "Selection": _shown(nodes, source.outputs[SHARE_INPUT]),
            "Instance": children.outputs[0],
            "Pick Instance": True,
            "Instance Index": nodes.math(
                "MULTIPLY_ADD", _read(nodes, "species", "INT"), VARIANTS, _read(nodes, "variant", "INT")
            ),
            "Rotation": _turn(nodes),
            "Scale": _read(nodes, "scale", "FLOAT"),
        },
    )
    nodes.node("NodeGroupOutput", {"Plants": instances.outputs[0]})
    nodes.arrange()
    return tree


def _declare_sockets(tree: bpy.types.GeometryNodeTree) -> None:
    new_socket = tree.interface.new_socket
    new_socket("Points", in_out="INPUT", socket_type="NodeSocketGeometry")
    new_socket("Plants", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    new_socket(COLLECTION_INPUT, in_out="INPUT", socket_type="NodeSocketCollection")
    share = new_socket(SHARE_INPUT, in_out="INPUT", socket_type="NodeSocketFloat")
    share.subtype = "PERCENTAGE"
    share.min_value, share.max_value, share.default_value = 0.0, 100.0, 100.0
    share.description = "How many of the plants the viewport shows; a render shows all"


def _shown(nodes: Nodes, share: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    # A plant's lot depends on its index alone: a larger share adds plants and never swaps them.
    lot = nodes.node("FunctionNodeRandomValue", {"Min": 0.0, "Max": _LAST_LOT, "Seed": 0}, data_type="FLOAT")
    inputs = {"A": active_socket(lot.outputs, "Value"), "B": share}
    chosen = nodes.node("FunctionNodeCompare", inputs, data_type="FLOAT", operation="LESS_THAN")
    viewport = nodes.node("GeometryNodeIsViewport")
    return nodes.node(
        "FunctionNodeBooleanMath", {0: viewport.outputs[0], 1: chosen.outputs[0]}, operation="IMPLY"
    ).outputs[0]


def _turn(nodes: Nodes) -> bpy.types.NodeSocket:
    radians = nodes.math("RADIANS", _read(nodes, "rotation", "FLOAT"))
    euler = nodes.node("ShaderNodeCombineXYZ", {"Z": radians})
    return nodes.node("FunctionNodeEulerToRotation", {0: euler.outputs[0]}).outputs[0]


def _read(nodes: Nodes, name: str, kind: str) -> bpy.types.NodeSocket:
    return nodes.node("GeometryNodeInputNamedAttribute", {"Name": name}, data_type=kind).outputs["Attribute"]
