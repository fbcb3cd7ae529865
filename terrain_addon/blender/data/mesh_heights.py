"""Heights of meshes: of our own grids, and of any mesh seen from above."""

import math

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...core.foundation.stored_field import StoredField
from ...core.foundation.terrain import Field
from .attributes import read_positions

_FEWEST_RAYS, _MOST_RAYS = 129, 512  # from west to east; from south to north there are as many at most


def grid_shape(mesh: bpy.types.Mesh) -> tuple[int, int] | None:
    """Return rows and columns of a mesh whose vertices are a grid, as those of our lands; None if they are not."""
    if len(mesh.polygons) == 0:
        return None
    columns = max(mesh.polygons[0].vertices) - 1
    if columns < 2 or len(mesh.vertices) % columns:
        return None
    rows = len(mesh.vertices) // columns
    return (rows, columns) if len(mesh.polygons) == (rows - 1) * (columns - 1) else None


def heights_of_grid(mesh: bpy.types.Mesh, shape: tuple[int, int]) -> Field:
    """Return the z of all vertices of a mesh that is a grid, float32 (rows, columns)."""
    return np.ascontiguousarray(read_positions(mesh)[:, 2]).reshape(shape)


def heights_of_mesh(other: bpy.types.Object) -> StoredField | None:
    """Return the heights of a mesh in the world as seen from above, at its true size.

    Rays fall from above on a grid over its bounding box; there are about as many rays as vertices.  Where a ray misses
    the mesh, the height is that of the lowest point.

    Parameters
    ----------
    other : Object
        A mesh.

    Returns
    -------
    StoredField or None
        None if the mesh has no faces or no width or depth.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    tree = BVHTree.FromObject(other, depsgraph)
    world = other.matrix_world
    corners = np.array([world @ Vector(corner) for corner in other.bound_box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    width, depth = high[0] - low[0], high[1] - low[1]
    if len(other.data.polygons) == 0 or min(width, depth) <= 0.0:
        return None
    columns = min(max(round(math.sqrt(len(other.data.vertices) * width / depth)), _FEWEST_RAYS), _MOST_RAYS)
    cell_size = max(width / (columns - 1), depth / (_MOST_RAYS - 1))
    rows, columns = (max(round(length / cell_size) + 1, 2) for length in (depth, width))
    inverse = world.inverted_safe()
    down = (inverse.to_3x3() @ Vector((0.0, 0.0, -1.0))).normalized()
    heights = np.full((rows, columns), low[2], np.float32)
    for row in range(rows):
        for column in range(columns):
            # A little inside the edges: a ray exactly on an edge may miss the mesh.
            x = low[0] + min(max(column * (width / (columns - 1)), 1e-4 * width), width * (1.0 - 1e-4))
            y = low[1] + min(max(row * depth / (rows - 1), 1e-4 * depth), depth * (1.0 - 1e-4))
            place, _, _, _ = tree.ray_cast(inverse @ Vector((x, y, high[2] + 1.0)), down)
            if place is not None:
                heights[row, column] = (world @ place).z
    return StoredField(heights, cell_size)
