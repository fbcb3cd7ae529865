"""How curves of a recipe are drawn: as a curve to drag, with the values at its ends, and its numbers folded below."""

from typing import Any

import bpy

from ...core.ecosystem.species import Species
from ...core.foundation.parameters import Parameter, parameters_of
from ..data.curve_nodes import is_in_step, node_of_curve, window_of_node
from ..session.curve_following import ask_for_curve
from .readable_text import readable_number


def register() -> None:
    """Add the property of the window manager that remembers which curve of a species is shown."""
    curves = [parameter for parameter in parameters_of(Species) if parameter.kind == "curve"]
    bpy.types.WindowManager.landscape_response = bpy.props.EnumProperty(
        name="Response",
        description="Response curve that is shown",
        items=[(curve.name, curve.label, curve.description) for curve in curves],
    )


def unregister() -> None:
    """Remove that property."""
    del bpy.types.WindowManager.landscape_response


def draw_chosen_curve(layout: bpy.types.UILayout, group: Any, curves: list[Parameter]) -> None:
    """Show, folded, a menu of the response curves of a species, and the one that is chosen."""
    header, body = layout.panel("landscape.responses", default_closed=True)
    header.label(text="Where It Grows")
    if body is None:
        return
    manager = bpy.context.window_manager
    body.prop(manager, "landscape_response", text="")
    draw_curve(body, group, next(one for one in curves if one.name == manager.landscape_response), with_label=False)


def draw_curve(layout: bpy.types.UILayout, group: Any, parameter: Parameter, *, with_label: bool = True) -> None:
    """Show a curve; without its node, which appended lands lack, a button that makes it, and the numbers.

    Parameters
    ----------
    layout : UILayout
    group : PropertyGroup
        Holds the curve.
    parameter : Parameter
        Declares it.
    with_label : bool
        Whether its name stands above it.
    """
    if with_label:
        layout.label(text=parameter.label)
    node = node_of_curve(group, parameter)
    if node is None:
        layout.operator("landscape.show_curves", icon="FCURVE")
    elif not is_in_step(node, group, parameter):
        ask_for_curve(group, parameter)
    if node is not None:
        layout.template_curve_mapping(node, "mapping")
        ends = layout.row()
        for value, side in zip(window_of_node(node), ("LEFT", "RIGHT")):
            end = ends.row()
            end.alignment = side
            end.label(text=f"{readable_number(value)} {parameter.unit}".rstrip())
    header, body = layout.panel(f"landscape.numbers.{group.bl_rna.identifier}.{parameter.name}", default_closed=True)
    header.label(text="Numbers")
    if body is not None:
        _draw_numbers(body, group, parameter.name)


def _draw_numbers(layout: bpy.types.UILayout, group: Any, name: str) -> None:
    """Show x and y of each point in a row."""
    numbers = layout.column(align=True)
    numbers.use_property_split = False
    for start in range(0, len(getattr(group, name)), 2):
        pair = numbers.row(align=True)
        pair.prop(group, name, index=start, text="")
        pair.prop(group, name, index=start + 1, text="")
