"""Trees near somebody who stands on a planet: one instance of a model at each point."""

import bpy

from .. import compat
from ..data.planet_data import TREE_HEIGHT, TREE_MODEL, TREE_TURN, PlanetTrees, fill_trees
from .geometry_nodes import GeometryNodes
from .plant_assets import plant_collection, variant_stride
from .scatter_inputs import COLLECTION_INPUT

PLANET_TREES = "Landscape Planet Trees"

_GEOMETRY_TREE = "GeometryNodeTree"


def show_trees(carrier: bpy.types.Object, trees: PlanetTrees) -> None:
    """Let an object show trees, in place.

    Parameters
    ----------
    carrier : Object
        Its mesh becomes a loose vertex for each tree.
    trees : PlanetTrees
        Where they stand.
    """
    species = trees.plants.species
    fill_trees(carrier.data, trees, variant_stride(species))
    tree = _instance_tree()
    modifier = carrier.modifiers.get(PLANET_TREES) or carrier.modifiers.new(PLANET_TREES, "NODES")
    if modifier.node_group != tree:
        modifier.node_group = tree
    compat.set_modifier_input(modifier, COLLECTION_INPUT, plant_collection(species))


def _instance_tree() -> bpy.types.GeometryNodeTree:
    """Return the node group that puts a model at each point, made where it is missing."""
    found = bpy.data.node_groups.get((PLANET_TREES, None))
    if found is not None and found.bl_idname == _GEOMETRY_TREE:
        return found
    tree = bpy.data.node_groups.new(PLANET_TREES, _GEOMETRY_TREE)
    tree.is_modifier = True
    tree.interface.new_socket("Points", in_out="INPUT", socket_type="NodeSocketGeometry")
    models = tree.interface.new_socket(COLLECTION_INPUT, in_out="INPUT", socket_type="NodeSocketCollection")
    models.description = "Models of trees: an object per species, variant and level of detail"
    tree.interface.new_socket("Trees", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = GeometryNodes(tree)
    source = nodes.node("NodeGroupInput").outputs
    children = nodes.node(
        "GeometryNodeCollectionInfo",
        {"Collection": source[COLLECTION_INPUT], "Separate Children": True, "Reset Children": False},
        transform_space="ORIGINAL",
    ).outputs[0]
    points = nodes.node("GeometryNodeMeshToPoints", {0: source["Points"]}).outputs[0]
    instances = nodes.node(
        "GeometryNodeInstanceOnPoints",
        {
            "Points": points,
            "Instance": children,
            "Pick Instance": True,
            "Instance Index": nodes.named_attribute(TREE_MODEL, "INT"),
            "Rotation": nodes.named_attribute(TREE_TURN, "FLOAT_VECTOR"),
            "Scale": nodes.named_attribute(TREE_HEIGHT, "FLOAT"),
        },
    )
    nodes.node("NodeGroupOutput", {"Trees": instances.outputs[0]})
    nodes.arrange()
    return tree
