"""How the parameters of a recipe are drawn.

Which properties there are follows from the parameters of core: a new parameter appears in the panel by itself.
Collapsible parts go by the path of what is in them, their `fold`, so that Blender remembers which ones are open.
"""

from typing import Any

import bpy

from ...core.building.recipe import Recipe
from ...core.ecosystem.species import Species
from ...core.foundation.parameters import Parameter, ParameterSet, parameters_of
from .curve_drawing import draw_chosen_curve, draw_curve
from .input_pickers import PICKERS
from .readable_text import letters_across

PLAIN_KINDS = ("float", "int", "bool", "text", "path", "choice")
"""Kinds of parameters that Blender draws as one property."""

# Shares of a line of the sidebar: names for which Blender leaves room, what longer ones get, and the longest of those.
_BESIDE, _MORE_ROOM, _LONGEST = 0.38, 0.6, 0.68
# The list above a set shows these already.
_SHOWN_IN_LIST = ("enabled", "name")


def recipe_parameter(name: str) -> Parameter:
    """Return the declaration of a parameter of the recipe."""
    return next(parameter for parameter in parameters_of(Recipe) if parameter.name == name)


class Advanced:
    """What a panel shows in its one collapsible part called Advanced; it is collected while the panel is drawn."""

    def __init__(self) -> None:
        self._sets: list[tuple[str, Any, list[Parameter], str]] = []

    def add(self, group: Any, declared: list[Parameter], fold: str, title: str = "") -> None:
        """Add parameters.

        Parameters
        ----------
        group : PropertyGroup
            Holds the values.
        declared : list of Parameter
            May be empty.
        fold : str
            Path of the set that they belong to.
        title : str
            What stands above them; empty for nothing.
        """
        if declared:
            self._sets.append((title, group, declared, fold))

    def draw(self, layout: bpy.types.UILayout, fold: str) -> None:
        """Show all of it, closed at first; nothing where there is none.

        Parameters
        ----------
        layout : UILayout
        fold : str
            Name of the panel, by which Blender remembers what is open.
        """
        if not self._sets:
            return
        header, body = layout.panel(f"landscape.{fold}", default_closed=True)
        header.label(text="Advanced")
        if body is None:
            return
        # What is drawn here may add more.
        for title, group, declared, path in self._sets:
            if title:
                body.label(text=title)
            for parameter in declared:
                draw_parameter(body, group, parameter, path, self)


def draw_member(layout: bpy.types.UILayout, recipe: Any, name: str) -> None:
    """Show a parameter set that is a member of the recipe, such as ``water``, as all that is in a panel."""
    advanced = Advanced()
    draw_set(layout, getattr(recipe, name), recipe_parameter(name).members[0], name, advanced)
    advanced.draw(layout, name)


def draw_set(
    layout: bpy.types.UILayout, group: Any, cls: type[ParameterSet], fold: str, advanced: Advanced, title: str = ""
) -> None:
    """Show the main parameters of a set; the others are collected.

    Parameters
    ----------
    layout : UILayout
    group : PropertyGroup
        Holds the values.
    cls : type of ParameterSet
        Declares them.
    fold : str
        Path of the set, by which Blender remembers what is open.
    advanced : Advanced
        Collects the others.
    title : str
        What stands above them there.
    """
    declared = [p for p in parameters_of(cls) if p.kind != "series" and (p.name not in _SHOWN_IN_LIST or _asks(cls, p))]
    curves = [p for p in declared if p.kind == "curve"]
    if len(curves) > 1:
        declared = [p for p in declared if p.kind != "curve"]
    for parameter in declared:
        if not parameter.advanced:
            draw_parameter(layout, group, parameter, fold, advanced)
    if len(curves) > 1:
        draw_chosen_curve(layout, group, curves)
    advanced.add(group, [p for p in declared if p.advanced], fold, title)


def _asks(cls: type[ParameterSet], parameter: Parameter) -> bool:
    """Whether a parameter is shown although a list shows it too: the list writes names of species more readably."""
    return cls is Species and parameter.name == "name"


def draw_parameter(layout: bpy.types.UILayout, group: Any, parameter: Parameter, fold: str, advanced: Advanced) -> None:
    """Show one parameter; a set within the set gets a collapsible part of its own.

    Parameters
    ----------
    layout : UILayout
    group : PropertyGroup
        Holds the value.
    parameter : Parameter
        Declares it.
    fold : str
        Path of the set that it belongs to.
    advanced : Advanced
        Collects the advanced parameters of a set within the set.
    """
    picker = PICKERS.get((group.bl_rna.identifier, parameter.name))
    if picker is not None:
        picker(layout, group)
    elif parameter.kind in PLAIN_KINDS:
        draw_plain(layout, group, parameter.name)
    elif parameter.kind == "curve":
        draw_curve(layout, group, parameter)
    elif parameter.kind == "variant":
        draw_one_of(layout, getattr(group, parameter.name), parameter, f"{fold}.{parameter.name}", advanced)
    elif parameter.kind == "group":
        _draw_group(layout, getattr(group, parameter.name), parameter, f"{fold}.{parameter.name}", advanced)


def _draw_group(layout: bpy.types.UILayout, group: Any, declared: Parameter, fold: str, advanced: Advanced) -> None:
    """Show a set within a set; one that has nothing but advanced parameters gets no part of its own."""
    cls = declared.members[0]
    members = [p for p in parameters_of(cls) if p.kind != "series"]
    if all(p.advanced for p in members):
        advanced.add(group, members, fold, declared.label)
        return
    header, body = layout.panel(f"landscape.{fold}", default_closed=True)
    header.label(text=declared.label)
    if body is not None:
        draw_set(body, group, cls, fold, advanced, declared.label)


def draw_one_of(
    layout: bpy.types.UILayout,
    holder: Any,
    declared: Parameter,
    fold: str,
    advanced: Advanced,
    *,
    with_menu: bool = True,
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
    advanced : Advanced
        Collects the advanced parameters.
    with_menu : bool
        Whether the menu is shown.
    """
    members = {member.model(): member for member in declared.members}
    if len(members) == 1:
        draw_set(layout, holder, declared.members[0], fold, advanced)
        return
    if with_menu:
        layout.prop(holder, "model", text=declared.label)
    chosen = members[holder.model]
    title = holder.bl_rna.properties["model"].enum_items[holder.model].name
    draw_set(layout, getattr(holder, holder.model), chosen, f"{fold}.{holder.model}", advanced, title)


def draw_plain(
    layout: bpy.types.UILayout, group: Any, name: str, *, text: str = "", context: bpy.types.Context | None = None
) -> None:
    """Show a property; a long name gets more room, and one that is too long for that stands above the value.

    Parameters
    ----------
    layout : UILayout
    group : PropertyGroup
        Holds the value.
    name : str
        Of the property.
    text : str
        What it is called here; empty for the name that it brings.
    context : Context, optional
        Left out, that of Blender.
    """
    declared = group.bl_rna.properties[name]
    text = text or declared.name
    share = len(text) / letters_across(context or bpy.context)
    if declared.type == "BOOLEAN" or share <= _BESIDE:
        layout.prop(group, name, text=text)
        return
    row = layout.column(align=True) if share > _LONGEST else layout.split(factor=_MORE_ROOM, align=True)
    row.use_property_split = False
    label = row.row()
    label.alignment = "LEFT" if share > _LONGEST else "RIGHT"
    label.label(text=text)
    value = row.row(align=True)
    value.prop(group, name, text="")
    value.prop_decorator(group, name)
