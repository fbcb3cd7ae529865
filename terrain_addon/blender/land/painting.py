"""What users paint on a land with a brush: a vertex group for each purpose, and the settings that follow it."""

from typing import Any, NamedTuple

import bpy
import numpy as np

from ...core.building.plant_stages import ATTRIBUTE
from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANTS_HERE
from ...core.maps.masks import Everywhere, PaintedMask
from ..data.attributes import read_floats
from ..data.vertex_weights import all_weights, fill_group, give_weights
from ..plants.plant_masks import GROUPS
from .inputs import GROUP, read_paint

_EVERYWHERE, _PAINTED = Everywhere.model(), PaintedMask.model()


class Paintable(NamedTuple):
    """What something can be painted for.

    Parameters
    ----------
    label : str
        What is painted, as a button names it.
    group : str
        Name of the vertex group, where none is used yet.
    begin : float
        Weight of the whole land at first, with which the land stays as it was.
    red, blue : str
        What happens where the weight is 1 and 0.
    series : str
        Path of the list whose items have the mask; empty if plants follow the vertex group by its name.
    slot : str
        Parameter of an item that holds the mask.
    """

    label: str
    group: str
    begin: float
    red: str
    blue: str
    series: str = ""
    slot: str = ""


PURPOSES = {
    "PLANTS": Paintable("Plants", GROUPS[PLANTS_HERE], 0.0, "plants stand here", "plants grow by their own rules"),
    "NO_PLANTS": Paintable("No Plants", GROUPS[PLANT_EXCLUSION], 0.0, "no plant stands here", "plants may grow"),
    "RAIN": Paintable("Rain", "Rain", 1.0, "full rain", "a tenth of the rain", "erosion", "rain"),
    "HARDNESS": Paintable(
        "Hardness", "Hard Rock", 0.0, "rock eight times as hard", "usual rock", "erosion", "hardness"
    ),
    "EROSION": Paintable(
        "Erosion", "Erosion", 1.0, "all processes act", "the land stays as it was before erosion", "erosion", "mask"
    ),
    "LAYER": Paintable("Layer Mask", "Layer", 1.0, "the layer acts", "the layer does not act", "relief.layers", "mask"),
}
"""What can be painted, by the key of its button."""


def slots_of(land: bpy.types.Object, purpose: Paintable) -> list[Any]:
    """Return the settings of the masks that a purpose connects: those of the active layer, of all processes at work.

    Parameters
    ----------
    land : Object
    purpose : Paintable

    Returns
    -------
    list of PropertyGroup
        Each with the choice of a mask, `model`; those of processes whose mask is of another kind only if all are.
    """
    owner: Any = land.landscape.recipe
    *groups, name = purpose.series.split(".")
    for group in groups:
        owner = getattr(owner, group)
    items = list(getattr(owner, name))
    if purpose.series != "erosion":
        items = items[getattr(owner, f"{name}_index") :][:1]
    chosen = [getattr(item, item.model) if "model" in item.bl_rna.properties else item for item in items]
    at_work = [one for one in chosen if one.enabled and purpose.slot in one.bl_rna.properties]
    slots = [getattr(one, purpose.slot) for one in at_work]
    return [slot for slot in slots if slot.model in (_EVERYWHERE, _PAINTED)] or slots


def begin_painting(land: bpy.types.Object, purpose: Paintable) -> bpy.types.VertexGroup:
    """Return the vertex group of a purpose, made and connected where it is missing, and active.

    What was painted as an attribute goes into the group: Blender's brushes for weights cannot paint attributes.  For
    operators.

    Raises
    ------
    ValueError
        If the land has nothing that could follow it.
    """
    if not purpose.series:
        return _plants_group(land, purpose)
    slots = slots_of(land, purpose)
    if not slots:
        raise ValueError(_why_no_slot(purpose))
    keys = [slot.painted_mask.key for slot in slots if slot.model == _PAINTED and slot.painted_mask.key]
    group = painted_group(land, keys[0] if keys else GROUP + _free_name(land, purpose.group), purpose.begin)
    for slot in slots:
        slot.model, slot.painted_mask.key = _PAINTED, GROUP + group.name
    return group


def painted_group(land: bpy.types.Object, key: str, begin: float) -> bpy.types.VertexGroup:
    """Return the vertex group behind the key of a mask, active; made where it is missing, filled with `begin`."""
    name = key.partition(":")[2]
    group = land.vertex_groups.get(name)
    if group is None:
        before = read_paint(key, land)
        if before is not None:
            # First, because Blender takes a vertex group away with an attribute of its name.
            land.data.attributes.remove(land.data.attributes[name])
        group = land.vertex_groups.new(name=name)
        if before is not None:
            give_weights(land, {name: before})
        elif begin > 0.0:
            group.add(range(len(land.data.vertices)), begin, "REPLACE")
    fill_group(land, group)
    land.vertex_groups.active_index = group.index
    return group


def begin_painting_species(land: bpy.types.Object, species: Any) -> bpy.types.VertexGroup:
    """Return the vertex group that a species responds to, made and connected where it is missing, and active.

    Parameters
    ----------
    land : Object
    species : PropertyGroup
        One of the species of its recipe.
    """
    name = species.painted_map or _free_name(land, species.name)
    group = painted_group(land, ATTRIBUTE + name, _species_paint(species.name, name).begin)
    species.painted_map = group.name
    return group


def forget_painting(land: bpy.types.Object, purpose: Paintable) -> None:
    """Disconnect what was painted for a purpose, and remove its vertex groups; for operators."""
    names = painted_names(land, purpose)
    for slot in slots_of(land, purpose) if purpose.series else ():
        if slot.model == _PAINTED:
            slot.model = _EVERYWHERE
    attribute = land.data.attributes.get(_ATTRIBUTES.get(purpose.group, ""))
    if attribute is not None:
        land.data.attributes.remove(attribute)
    in_use = {name for other in PURPOSES.values() if other.series for name in painted_names(land, other)}
    for name in names - in_use:
        if name in land.vertex_groups:
            land.vertex_groups.remove(land.vertex_groups[name])


def painted_names(land: bpy.types.Object, purpose: Paintable) -> set[str]:
    """Return the names of the vertex groups that are painted for a purpose."""
    if not purpose.series:
        has_attribute = _ATTRIBUTES[purpose.group] in land.data.attributes
        return {purpose.group} if purpose.group in land.vertex_groups or has_attribute else set()
    keys = [slot.painted_mask.key for slot in slots_of(land, purpose) if slot.model == _PAINTED]
    return {key.partition(":")[2] for key in keys}


def what_is_painted(land: bpy.types.Object) -> Paintable | None:
    """Return what the active vertex group of a land is painted for; None if nothing of ours follows it."""
    group = land.vertex_groups.active
    if group is None:
        return None
    found = next((one for one in PURPOSES.values() if group.name in painted_names(land, one)), None)
    species = {one.painted_map: one.name for one in land.landscape.recipe.ecosystem.species}
    if found is None and group.name in species:
        return _species_paint(species[group.name], group.name)
    return found


def _species_paint(name: str, group: str) -> Paintable:
    return Paintable(name, group, 1.0, "it grows by its own rules", "it does not grow")


_ATTRIBUTES = {group: attribute for attribute, group in GROUPS.items()}


def _plants_group(land: bpy.types.Object, purpose: Paintable) -> bpy.types.VertexGroup:
    """The vertex group that plants follow, with what the attribute of the same meaning says, which goes."""
    if land.landscape.plants is None:
        raise ValueError("this land has no plants; plant it first")
    group = painted_group(land, GROUP + purpose.group, purpose.begin)
    attribute = _ATTRIBUTES[purpose.group]
    values = read_floats(land.data, attribute)
    weights = all_weights(land).get(group.name)
    if values is not None and weights is not None:
        give_weights(land, {group.name: np.maximum(values.reshape(weights.shape), weights)})
        land.data.attributes.remove(land.data.attributes[attribute])
    return group


def _free_name(land: bpy.types.Object, name: str) -> str:
    """A name that no vertex group has, so that a new mask does not take over what was painted for something else."""
    number, free = 2, name
    while free in land.vertex_groups:
        number, free = number + 1, f"{name} {number}"
    return free


def _why_no_slot(purpose: Paintable) -> str:
    if purpose.series != "erosion":
        return "the relief has no active layer that is on; add one or enable it"
    if purpose.slot == "mask":
        return "no process of erosion is on; add one, or enable it"
    return f"no process of erosion that is on follows {purpose.label.lower()}; add stream power, or enable it"
