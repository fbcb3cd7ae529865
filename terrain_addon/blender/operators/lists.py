"""Operators on the lists of a recipe: layers of relief, processes of erosion, species."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import Parameter, ParameterSet, parameters_of
from ..data.properties import copy_item, series_of
from .base import active_land, why_not


class _ListOperator(bpy.types.Operator):
    """Base: `series` names the list by its path in the recipe, such as relief.layers."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    series: bpy.props.StringProperty(name="List", description="Path of the list in the recipe", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape that can be changed."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Change the list, and let the land follow."""
        land = active_land(context)
        if land is None or self.series not in SERIES:
            self.report({"ERROR"}, _no_such(rpt_("There is no list {name!r}; there are: {names}"), self.series, SERIES))
            return {"CANCELLED"}
        kinds = [member.model() for member in SERIES[self.series].members]
        model = getattr(self, "model", "")
        if model not in ("", *kinds):
            self.report({"ERROR"}, _no_such(rpt_("There is no {name!r}; there are: {names}"), model, kinds))
            return {"CANCELLED"}
        items, owner, index_name = series_of(land.landscape.recipe, self.series)
        index = min(max(getattr(owner, index_name), 0), max(len(items) - 1, 0))
        setattr(owner, index_name, self.change(items, index))
        # Python's changes do not tell the dependency graph.
        land.update_tag()
        return {"FINISHED"}

    def change(self, items: Any, index: int) -> int:
        """Change the list; return which item is active afterwards."""
        raise NotImplementedError


class LANDSCAPE_OT_list_add(_ListOperator):
    """Add one at the end of the list"""

    bl_idname = "landscape.list_add"
    bl_label = "Add"

    model: bpy.props.StringProperty(name="Model", description="Kind of what is added", options={"HIDDEN"})

    def change(self, items: Any, index: int) -> int:
        """Add an item with default values."""
        new = items.add()
        if self.model:
            new.model = self.model
        _tell_apart(new, items)
        return len(items) - 1


class LANDSCAPE_OT_list_duplicate(_ListOperator):
    """Add a copy of the active one after it"""

    bl_idname = "landscape.list_duplicate"
    bl_label = "Duplicate"

    def change(self, items: Any, index: int) -> int:
        """Copy the active item."""
        if len(items) == 0:
            return 0
        new = items.add()
        copy_item(items[index], new)
        _tell_apart(new, items)
        items.move(len(items) - 1, index + 1)
        return index + 1


class LANDSCAPE_OT_list_remove(_ListOperator):
    """Remove the active one"""

    bl_idname = "landscape.list_remove"
    bl_label = "Remove"

    def change(self, items: Any, index: int) -> int:
        """Remove the active item."""
        if len(items) > 0:
            items.remove(index)
        return max(index - 1, 0)


class LANDSCAPE_OT_list_move(_ListOperator):
    """Move the active one up or down; what stands higher works earlier"""

    bl_idname = "landscape.list_move"
    bl_label = "Move"

    step: bpy.props.IntProperty(name="Step", description="−1 is up, 1 is down", default=1, min=-1, max=1)

    def change(self, items: Any, index: int) -> int:
        """Move the active item."""
        target = min(max(index + self.step, 0), max(len(items) - 1, 0))
        if len(items) > 0:
            items.move(index, target)
        return target


def _no_such(sentence: str, name: str, names: Iterable[str]) -> str:
    return sentence.format(name=name, names=", ".join(names))


def _find_series(cls: type[ParameterSet], path: str = "") -> dict[str, Parameter]:
    """All lists within a parameter set by their path; lists within lists are not looked for."""
    found = {}
    for parameter in parameters_of(cls):
        if parameter.kind == "series":
            found[f"{path}{parameter.name}"] = parameter
        elif parameter.kind == "group":
            found |= _find_series(parameter.members[0], f"{path}{parameter.name}.")
    return found


SERIES = _find_series(Recipe)
"""The lists of a recipe by their path."""


def _tell_apart(new: bpy.types.PropertyGroup, items: Any) -> None:
    """Give a new item a name, and a pattern, that no other in the list has."""
    properties = new.bl_rna.properties
    if "variation" in properties:
        new.variation = max(item.variation for item in items) + 1 if len(items) > 1 else new.variation
    if "name" in properties and properties["name"].type == "STRING":
        taken = {item.name for item in items if item != new}
        stem, number = new.name.rsplit(" ", 1)[0] if new.name[-1:].isdigit() and " " in new.name else new.name, 2
        while new.name in taken:
            new.name, number = f"{stem} {number}", number + 1


CLASSES = (LANDSCAPE_OT_list_add, LANDSCAPE_OT_list_duplicate, LANDSCAPE_OT_list_remove, LANDSCAPE_OT_list_move)
