"""How the parameters of a recipe are drawn.

Which properties there are follows from the parameters of core: a new parameter appears in the panel by itself.
Collapsible parts go by the path of what is in them, their `fold`, so that Blender remembers which ones are open.
"""

from typing import Any

import bpy

from ...core.building.recipe import Recipe
from ...core.foundation.parameters import Parameter, ParameterSet, parameters_of
from ..data import pictures
from .input_pickers import PICKERS

PLAIN_KINDS = ("float", "int", "bool", "text", "path", "choice")
"""Kinds of parameters that Blender draws as one property."""

_LONGEST_NAME = 14  # letters for which Blender leaves room in a sidebar of the usual width
# The list above a set shows these already.
_SHOWN_IN_LIST = ("enabled", "name")


def recipe_parameter(name: str) -> Parameter:
    """Return the declaration of a parameter of the recipe."""
    return next(parameter for parameter in parameters_of(Recipe) if parameter.name == name)


def draw_member(layout: bpy.types.UILayout, recipe: Any, name: str) -> None:
    """Show a parameter set that is a member of the recipe, such as ``water``."""
    draw_set(layout, getattr(recipe, name), recipe_parameter(name).members[0], name)


def draw_set(layout: bpy.types.UILayout, group: Any, cls: type[ParameterSet], fold: str) -> None:
    """Show the parameters of a set: the main ones first, then the advanced ones in a collapsible part.

    Parameters
    ----------
    layout : UILayout
    group : PropertyGroup
        Holds the values.
    cls : type of ParameterSet
        Declares them.
    fold : str
        Path of the set, by which Blender remembers what is open.
    """
    declared = [p for p in parameters_of(cls) if p.kind != "series" and p.name not in _SHOWN_IN_LIST]
    for parameter in declared:
        if not parameter.advanced:
            draw_parameter(layout, group, parameter, fold)
    draw_advanced(layout, group, [p for p in declared if p.advanced], fold)


def draw_advanced(layout: bpy.types.UILayout, group: Any, declared: list[Parameter], fold: str) -> None:
    """Show parameters in a collapsible part called Advanced; nothing where there are none."""
    if declared:
        header, body = layout.panel(f"landscape.{fold}", default_closed=True)
        header.label(text="Advanced")
        if body is not None:
            for parameter in declared:
                draw_parameter(body, group, parameter, fold)


def draw_parameter(layout: bpy.types.UILayout, group: Any, parameter: Parameter, fold: str) -> None:
    """Show one parameter; a set within the set gets a collapsible part of its own."""
    picker = PICKERS.get((group.bl_rna.identifier, parameter.name))
    if picker is not None:
        picker(layout, group)
    elif parameter.kind in PLAIN_KINDS:
        _draw_plain(layout, group, parameter.name)
    elif parameter.kind == "curve":
        _draw_curve(layout, group, parameter)
    elif parameter.kind == "variant":
        draw_one_of(layout, getattr(group, parameter.name), parameter, f"{fold}.{parameter.name}")
    elif parameter.kind == "group":
        header, body = layout.panel(f"landscape.{fold}.{parameter.name}", default_closed=True)
        header.label(text=parameter.label)
        if body is not None:
            draw_set(body, getattr(group, parameter.name), parameter.members[0], f"{fold}.{parameter.name}")


def draw_one_of(
    layout: bpy.types.UILayout, holder: Any, declared: Parameter, fold: str, *, with_menu: bool = True
) -> None:
    """Show the parameter set that is chosen among several, below a menu of their models.

    Parameters
    ----------
    layout : UILayout
    holder : PropertyGroup
        Holds the choice and all the sets; the set itself where there is only one.
    declared : Parameter
        Declares which sets there are.
    fold : str
        Path of the set, by which Blender remembers what is open.
    with_menu : bool
        Whether the menu is shown.
    """
    members = {member.model(): member for member in declared.members}
    if len(members) == 1:
        draw_set(layout, holder, declared.members[0], fold)
        return
    if with_menu:
        layout.prop(holder, "model", text=declared.label)
    draw_set(layout, getattr(holder, holder.model), members[holder.model], f"{fold}.{holder.model}")


def _draw_plain(layout: bpy.types.UILayout, group: Any, name: str) -> None:
    """Show a property; a long name gets more room."""
    declared = group.bl_rna.properties[name]
    if declared.type == "BOOLEAN" or len(declared.name) <= _LONGEST_NAME:
        layout.prop(group, name)
        return
    row = layout.split(factor=0.55, align=True)
    row.use_property_split = False
    label = row.row()
    label.alignment = "RIGHT"
    label.label(text=declared.name)
    row.prop(group, name, text="")


def _draw_curve(layout: bpy.types.UILayout, group: Any, parameter: Parameter) -> None:
    """Show a picture of a curve, and beside it a row of x and y for each of its points."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    layout.label(text=parameter.label + unit)
    row = layout.split(factor=0.35, align=True)
    points = list(getattr(group, parameter.name))  # Blender 4.2 cannot take every second number of its own arrays
    xs = points[0::2]
    low, high = (min(xs), max(xs)) if max(xs) > min(xs) else (min(xs), min(xs) + 1.0)
    row.template_icon(pictures.curve_icon(points, low, high), scale=4.0)
    numbers = row.column(align=True)
    numbers.use_property_split = False
    for start in range(0, len(points), 2):
        pair = numbers.row(align=True)
        pair.prop(group, parameter.name, index=start, text="")
        pair.prop(group, parameter.name, index=start + 1, text="")
