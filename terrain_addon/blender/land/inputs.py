"""What a recipe asks for from outside: files, heights of other meshes, what was painted or sculpted on the land."""

import hashlib

import bpy
import numpy as np
import numpy.typing as npt

from ...core.building.layers import Inputs
from ...core.building.plan import inputs_asked_for
from ...core.building.plant_stages import ATTRIBUTE, EXCLUSION, PLANT_HERE
from ...core.building.recipe import Recipe
from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANTS_HERE
from ...core.foundation.stored_field import StoredField
from ...core.maps.catalogue import MAPS
from ...files.inputs import InputCache, read_inputs
from ..data.mesh_heights import grid_shape, heights_of_mesh
from ..data.vertex_weights import group_weights
from ..look.map_view import MAP_COLOURS
from ..plants.plant_masks import GROUPS, plant_masks

MESH, GROUP = "mesh:", "group:"
"""How the keys of inputs begin that are heights of another object, and weights of a vertex group."""

_before = InputCache()

# Attributes that we write ourselves: nobody would choose them as a mask or as heights.
_OUR_ATTRIBUTES = frozenset({*MAPS, "sediment", MAP_COLOURS, PLANT_EXCLUSION, PLANTS_HERE})
_PAINTABLE = ("FLOAT", "FLOAT_COLOR", "BYTE_COLOR")


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


def painted_digest(recipe: Recipe, land: bpy.types.Object) -> str:
    """Return a digest of everything painted or stored on a land that its recipe uses; empty if there is nothing.

    Parameters
    ----------
    recipe : Recipe
    land : Object

    Returns
    -------
    str
        Another one after every change of a weight that counts.
    """
    keys = [key for key in inputs_asked_for(recipe) if key.startswith((GROUP, ATTRIBUTE))]
    if land.landscape.plants is not None:
        keys += [GROUP + name for name in GROUPS.values()]
    fields = {key: _from_blender(key, land) for key in keys}
    painted = "".join(f"{key}:{field.digest}" for key, field in fields.items() if field is not None)
    return hashlib.sha256(painted.encode()).hexdigest() if painted else ""


def offered_masks(land: bpy.types.Object) -> dict[str, str]:
    """Return the keys that a painted mask of a land can have, with the names that users know."""
    found = {GROUP + group.name: group.name for group in land.vertex_groups}
    return found | {ATTRIBUTE + name: name for name in _paintable_attributes(land)}


def offered_paint(land: bpy.types.Object) -> dict[str, str]:
    """Return the names that the painted map of a species can have: vertex groups and attributes; empty for none."""
    names = [group.name for group in land.vertex_groups] + _paintable_attributes(land)
    return {"": "None"} | {name: name for name in names}


def offered_heights(land: bpy.types.Object) -> dict[str, str]:
    """Return the keys of stored heights that a layer of a land can have, with the names that users know."""
    meshes = [other.name for other in bpy.data.objects if other.type == "MESH" and not _belongs_to_a_land(other)]
    stored = {ATTRIBUTE + name: name for name in _paintable_attributes(land)}
    return stored | {MESH + name: name for name in meshes}


def why_no_input(key: str, land: bpy.types.Object) -> str:
    """Return why there is nothing behind the key of a mask or of stored heights; empty if there is something.

    Parameters
    ----------
    key : str
    land : Object

    Returns
    -------
    str
        One sentence without a full stop.
    """
    kind, _, name = key.partition(":")
    if not name:
        return "Nothing is chosen here yet"
    if kind + ":" == MESH:
        return "" if offered_heights(land).get(key) else f"There is no other mesh called {name!r}"
    if kind + ":" == GROUP:
        return "" if name in land.vertex_groups else f"This land has no vertex group called {name!r}"
    if kind + ":" != ATTRIBUTE:
        return f"{key!r} must begin with {GROUP}, {ATTRIBUTE} or {MESH}"
    attribute = land.data.attributes.get(name)
    if attribute is None:
        return "" if name in land.vertex_groups else f"This land has no attribute called {name!r}"
    fits = attribute.domain == "POINT" and attribute.data_type in _PAINTABLE
    return "" if fits else f"Attribute {name!r} does not have one number or colour for each vertex"


def read_paint(key: str, land: bpy.types.Object) -> npt.NDArray[np.float32] | None:
    """Return what is behind the key of a painted mask, shape (rows, columns); None if there is nothing."""
    found = _from_blender(key, land)
    return None if found is None else found.heights


def forget_files() -> None:
    """Discard the files that were read."""
    _before.keep({})


def _paintable_attributes(land: bpy.types.Object) -> list[str]:
    """The attributes of a land that hold one number or colour for each vertex and were not written by us."""
    return [
        one.name
        for one in land.data.attributes
        if one.domain == "POINT"
        and one.data_type in _PAINTABLE
        and one.name not in _OUR_ATTRIBUTES
        and not one.name.startswith(".")
    ]


def _belongs_to_a_land(other: bpy.types.Object) -> bool:
    return other.landscape.is_landscape or (other.parent is not None and other.parent.landscape.is_landscape)


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
        # What species respond to may be painted with a brush for weights, too.
        name = key.removeprefix(ATTRIBUTE)
        values = group_weights(land, name) if name not in land.data.attributes else _attribute(land.data, name)
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
