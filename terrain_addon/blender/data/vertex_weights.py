"""Weights that users paint into vertex groups, as arrays."""

from collections.abc import Collection, Mapping

import bpy
import numpy as np
import numpy.typing as npt

from .attributes import read_floats
from .mesh_heights import fitted, grid_shape

_RESULT = "weights"
_LEVELS = 255  # weights are told apart in this many steps when they are written


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


def all_weights(owner: bpy.types.Object, skipped: Collection[str] = ()) -> dict[str, npt.NDArray[np.float32]]:
    """Return the weights of all vertex groups of a grid, each with shape (rows, columns), before it gets a new mesh.

    Parameters
    ----------
    owner : Object
        A mesh.
    skipped : collection of str
        Groups that are left out.
    """
    shape = grid_shape(owner.data)
    if shape is None:
        return {}
    found = {group.name: group_weights(owner, group.name) for group in owner.vertex_groups if group.name not in skipped}
    return {name: weights.reshape(shape) for name, weights in found.items() if weights is not None}


def give_weights(owner: bpy.types.Object, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
    """Write weights to the mesh of a grid, which may have another resolution; groups that are missing are made.

    Parameters
    ----------
    owner : Object
        A mesh.
    weights : mapping of str to ndarray of float32, shape (rows, columns)
        From `all_weights`.
    """
    shape = grid_shape(owner.data)
    if shape is None:
        return
    for name, before in weights.items():
        group = owner.vertex_groups.get(name) or owner.vertex_groups.new(name=name)
        levels = np.rint(_LEVELS * np.clip(fitted(before, shape), 0.0, 1.0)).astype(np.int32).ravel()
        order = np.argsort(levels, kind="stable")
        starts = np.searchsorted(levels[order], np.arange(_LEVELS + 2))
        for level in range(1, _LEVELS + 1):
            chosen = order[starts[level] : starts[level + 1]]
            if chosen.size:
                group.add(chosen.tolist(), level / _LEVELS, "REPLACE")
