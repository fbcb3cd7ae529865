"""Weights that users paint into vertex groups, as arrays."""

import bpy
import numpy as np
import numpy.typing as npt

from .attributes import read_floats

_RESULT = "weights"


def group_weights(owner: bpy.types.Object, name: str) -> npt.NDArray[np.float32] | None:
    """Return the weights of a vertex group.

    Geometry Nodes read the group as an attribute.  Asking every vertex takes seconds on a large land.

    Parameters
    ----------
    owner : Object
        A mesh.
    name : str
        Of the vertex group.

    Returns
    -------
    ndarray of float32, shape (vertices,), or None
        0 to 1, and 0 where a vertex is not in the group; None if there is no such group.
    """
    if name not in owner.vertex_groups:
        return None
    tree = bpy.data.node_groups.new("Weights", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    source, output = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    read, store = tree.nodes.new("GeometryNodeInputNamedAttribute"), tree.nodes.new("GeometryNodeStoreNamedAttribute")
    read.data_type = store.data_type = "FLOAT"
    read.inputs["Name"].default_value, store.inputs["Name"].default_value = name, _RESULT
    tree.links.new(source.outputs[0], store.inputs["Geometry"])
    tree.links.new(next(s for s in read.outputs if s.enabled), next(s for s in store.inputs if s.name == "Value"))
    tree.links.new(store.outputs[0], output.inputs[0])
    carrier = owner.copy()
    carrier.parent = None
    carrier.modifiers.clear()
    carrier.modifiers.new("Weights", "NODES").node_group = tree
    scene = bpy.data.scenes.new("Weights")
    try:
        scene.collection.objects.link(carrier)
        layer = scene.view_layers[0]
        layer.update()
        return read_floats(carrier.evaluated_get(layer.depsgraph).data, _RESULT)
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(carrier)
        bpy.data.node_groups.remove(tree)
