"""Weights that users paint into vertex groups, as arrays."""

from collections.abc import Collection, Mapping

import bmesh
import bpy
import numpy as np
import numpy.typing as npt

from ...core.foundation.levels import refine
from .mesh_heights import grid_shape

_TRIED = 1000  # vertices that tell whether weights have changed: reading all takes longer than a frame
_LEVELS = 255  # weights are told apart in this many steps when they are written

# Weights by the session uid of the mesh and the name of the group, as they were in object mode.
_known: dict[tuple[int, str], npt.NDArray[np.float32]] = {}


def group_weights(owner: bpy.types.Object, name: str) -> npt.NDArray[np.float32] | None:
    """Return the weights of a vertex group.

    Nothing is added to the file for it, because that may happen between two undo steps.

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
    group = owner.vertex_groups.get(name)
    if group is None:
        return None
    key = (owner.data.session_uid, name)
    known = _known.get(key)
    if known is not None and owner.mode == "OBJECT" and _still_holds(known, owner.data, group.index):
        return known
    weights = _read_weights(owner.data, group)
    weights.flags.writeable = False
    _known.pop(key, None)
    # While users paint, weights change at any moment.  A script without a window may change a single one.
    if owner.mode == "OBJECT" and not bpy.app.background:
        _known[key] = weights
    return weights


def forget_weights() -> None:
    """Read all weights again when they are asked for next: after an undo, or when users ask for an update."""
    _known.clear()


def fill_group(owner: bpy.types.Object, group: bpy.types.VertexGroup) -> None:
    """Put all vertices that are not in a vertex group into it, with weight 0, so that it is read fast."""
    group.add(range(len(owner.data.vertices)), 0.0, "ADD")


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
        fill_group(owner, group)
        levels = np.rint(_LEVELS * np.clip(refine(before, shape), 0.0, 1.0)).astype(np.int32).ravel()
        order = np.argsort(levels, kind="stable")
        starts = np.searchsorted(levels[order], np.arange(_LEVELS + 2))
        for level in range(1, _LEVELS + 1):
            chosen = order[starts[level] : starts[level + 1]]
            if chosen.size:
                group.add(chosen.tolist(), level / _LEVELS, "REPLACE")


def _still_holds(known: npt.NDArray[np.float32], mesh: bpy.types.Mesh, index: int) -> bool:
    """Return whether some of the weights of a vertex group are still those that are known."""
    if len(known) != len(mesh.vertices):
        return False
    for number in range(0, len(known), max(1, len(known) // _TRIED)):
        there = (one.weight for one in mesh.vertices[number].groups if one.group == index)
        if next(there, 0.0) != known[number]:
            return False
    return True


def _read_weights(mesh: bpy.types.Mesh, group: bpy.types.VertexGroup) -> npt.NDArray[np.float32]:
    """Return the weights of a vertex group."""
    count = len(mesh.vertices)
    try:
        # Twice as fast as the other way, but it fails at the first vertex that is not in the group.
        return np.fromiter(map(group.weight, range(count)), np.float32, count)
    except RuntimeError:
        return _weights_of_some(mesh, group.index)


def _weights_of_some(mesh: bpy.types.Mesh, index: int) -> npt.NDArray[np.float32]:
    """Return the weights of a vertex group that not all vertices are in."""
    copy = bmesh.new(use_operators=False)
    copy.from_mesh(mesh, face_normals=False, vertex_normals=False)
    layer = copy.verts.layers.deform.verify()
    weights = np.fromiter((vertex[layer].get(index, 0.0) for vertex in copy.verts), np.float32, len(copy.verts))
    copy.free()
    return weights
