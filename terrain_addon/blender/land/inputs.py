"""What a recipe asks for from outside: files, heights of other meshes, what was painted or sculpted on the land."""

import bpy
import numpy as np
import numpy.typing as npt

from ...core.building.layers import Inputs
from ...core.building.plan import inputs_asked_for
from ...core.building.plant_stages import ATTRIBUTE, EXCLUSION, PLANT_HERE
from ...core.building.recipe import Recipe
from ...core.foundation.stored_field import StoredField
from ...files.inputs import InputCache, read_inputs
from ..data.mesh_heights import grid_shape, heights_of_mesh
from ..data.vertex_weights import group_weights
from ..plants.plant_masks import plant_masks

MESH, GROUP = "mesh:", "group:"
"""How the keys of inputs begin that are heights of another object, and weights of a vertex group."""

_before = InputCache()


def gather_inputs(recipe: Recipe, land: bpy.types.Object | None, problems: dict[str, str] | None = None) -> Inputs:
    """Read everything that a recipe names.

    Parameters
    ----------
    recipe : Recipe
    land : Object or None
        Whose painted attributes, vertex groups and stored heights the recipe means.
    problems : dict of str to str, optional
        Takes a sentence for each file that cannot be read, by the key of its input.

    Returns
    -------
    dict of str to StoredField
        Without what is not there.
    """
    inputs = dict(read_inputs(recipe, bpy.path.abspath, {} if problems is None else problems, _before))
    if land is not None:
        for key, mask in zip((EXCLUSION, PLANT_HERE), plant_masks(land)):
            if mask is not None:
                inputs[key] = StoredField(mask)
    for key in inputs_asked_for(recipe):
        found = inputs.get(key) or _from_blender(key, land)
        if found is not None:
            inputs[key] = found
    return inputs


def forget_files() -> None:
    """Discard the files that were read."""
    _before.keep({})


def _from_blender(key: str, land: bpy.types.Object | None) -> StoredField | None:
    """The stored field behind a key: heights of another mesh, an attribute or vertex group of the land."""
    if key.startswith(MESH):
        other = bpy.data.objects.get(key.removeprefix(MESH))
        return heights_of_mesh(other) if other is not None and other.type == "MESH" and other != land else None
    if land is None or land.type != "MESH":
        return None
    shape = grid_shape(land.data)
    if shape is None:
        return None
    if key.startswith(ATTRIBUTE):
        values = _attribute(land.data, key.removeprefix(ATTRIBUTE))
    elif key.startswith(GROUP):
        values = group_weights(land, key.removeprefix(GROUP))
    else:
        return None
    return None if values is None or not np.isfinite(values).all() else StoredField(values.reshape(shape))


def _attribute(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[np.float32] | None:
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.domain != "POINT":
        return None
    if attribute.data_type == "FLOAT":
        values = np.empty(len(mesh.vertices), np.float32)
        attribute.data.foreach_get("value", values)
        return values
    if attribute.data_type in ("FLOAT_COLOR", "BYTE_COLOR"):
        colours = np.empty((len(mesh.vertices), 4), np.float32)
        attribute.data.foreach_get("color", colours.ravel())
        return np.ascontiguousarray(colours[:, :3].mean(axis=1))
    return None
