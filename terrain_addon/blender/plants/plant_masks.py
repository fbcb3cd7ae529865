"""Masks painted on a land that say where plants must not stand, and where they must.

Two float attributes of the land's vertices, 0 to 1, survive every update.  `PLANT_EXCLUSION` is the share of plants
that must not stand there, `PLANTS_HERE` the least suitability for all species.  Two vertex groups, "No Plants" and
"Plants Here", mean the same, for users who paint weights.  Where both are painted, the larger value counts.
"""

import bpy
import numpy as np

from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANTS_HERE
from ...core.foundation.levels import refine
from ...core.foundation.terrain import Field
from ..data.attributes import read_floats, set_attribute
from ..data.mesh_heights import grid_shape
from ..data.vertex_weights import group_weights
from .regions import Region, world_places

GROUPS = {PLANT_EXCLUSION: "No Plants", PLANTS_HERE: "Plants Here"}
"""Vertex groups of the land that mean the same as the attributes."""


def plant_masks(land: bpy.types.Object) -> tuple[Field | None, Field | None]:
    """Return the masks of a land as `core.ecosystem.ecosystem.grow_forest` takes them.

    Returns
    -------
    exclusion, plant_here : ndarray of float32, shape (rows, columns), or None
        None where nothing is painted, or if the mesh is no longer a grid.
    """
    shape = grid_shape(land.data) if land.type == "MESH" else None
    if shape is None:
        return None, None
    exclusion, here = (_mask(land, name, shape) for name in (PLANT_EXCLUSION, PLANTS_HERE))
    return exclusion, here


def fitted_masks(land: bpy.types.Object, shape: tuple[int, int]) -> dict[str, Field]:
    """Return the masks of a land for a mesh of another shape, by the names of their attributes.

    Painted weights count too, because the mesh loses them when it gets another shape.

    Parameters
    ----------
    land : Object
    shape : tuple of int
        Rows and columns.
    """
    masks = zip((PLANT_EXCLUSION, PLANTS_HERE), plant_masks(land))
    return {name: np.clip(refine(mask, shape), 0.0, 1.0).astype(np.float32) for name, mask in masks if mask is not None}


def forget_edits(land: bpy.types.Object) -> None:
    """Remove both masks and both vertex groups; the next update plants everywhere again."""
    for name, group in GROUPS.items():
        attribute = land.data.attributes.get(name)
        if attribute is not None:
            land.data.attributes.remove(attribute)
        if group in land.vertex_groups:
            land.vertex_groups.remove(land.vertex_groups[group])


def paint(land: bpy.types.Object, region: Region, name: str, value: float, *, wider: bool) -> None:
    """Set a mask in a region.

    Parameters
    ----------
    land : Object
    region : Region
    name : str
        PLANT_EXCLUSION or PLANTS_HERE.
    value : float
        0 to 1.
    wider : bool
        Whether to paint as far around the region as it takes for the interpolated mask to hold in all of it.
    """
    mesh = land.data
    if grid_shape(mesh) is None or (value == 0.0 and name not in mesh.attributes):
        return
    places = world_places(land)
    cell = float(np.linalg.norm(places[1, :2] - places[0, :2]))
    inside = region.distance(places) <= (np.sqrt(2.0) * cell if wider else 0.0)
    if not inside.any():
        # The region is smaller than a cell: the nearest vertex stands for it.
        distances = region.distance(places)
        inside = distances <= distances.min()
    values = read_floats(mesh, name)
    values = np.zeros(len(mesh.vertices), np.float32) if values is None else values
    values[inside] = value
    set_attribute(mesh, name, values)
    mesh.update()


def _mask(land: bpy.types.Object, name: str, shape: tuple[int, int]) -> Field | None:
    """Return a mask from the attribute and the vertex group; None if it is 0 everywhere."""
    found = (read_floats(land.data, name), group_weights(land, GROUPS[name]))
    painted = [values for values in found if values is not None]
    if not painted:
        return None
    mask = np.clip(np.nan_to_num(np.maximum.reduce(painted)), 0.0, 1.0).astype(np.float32)
    return np.ascontiguousarray(mask.reshape(shape)) if mask.any() else None
