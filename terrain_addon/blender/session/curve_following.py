"""Curves that users drag in a panel: the recipe follows the curve, and the curve the recipe.

A panel must not change anything while it is drawn, so it asks for this, and a timer does it.  Blender pushes a step of
undo when the mouse is released; in it the recipe may be one movement of the mouse behind, and a redo brings it in step.
"""

from typing import Any, NamedTuple

import bpy

from ...core.foundation.parameters import Parameter
from ..data.curve_nodes import bring_in_step, node_of_curve
from ..land.lookup import find_object
from .redrawing import redraw_sidebars


class _Place(NamedTuple):
    """Where a curve is: session uid of the land, path of the property group, name of the curve."""

    land: int
    path: str
    name: str


_asked: dict[_Place, Parameter] = {}


def ask_for_curve(group: Any, parameter: Parameter) -> None:
    """Let the timer bring a curve and the node that shows it in step.

    Parameters
    ----------
    group : PropertyGroup
        Holds the curve.
    parameter : Parameter
        Declares it.
    """
    _asked[_Place(group.id_data.session_uid, group.path_from_id(), parameter.name)] = parameter
    if not bpy.app.background and not bpy.app.timers.is_registered(follow_curves):
        bpy.app.timers.register(follow_curves, first_interval=0.0)


def follow_curves() -> None:
    """Bring all curves in step that were asked for; called by the timer, once."""
    for place, parameter in _asked.items():
        group = _group_at(place)
        node = node_of_curve(group, parameter) if group is not None else None
        if node is not None and bring_in_step(node, group, parameter):
            # Changes by Python do not reach the dependency graph.
            group.id_data.update_tag()
    _asked.clear()
    redraw_sidebars()


def forget_curves() -> None:
    """Stop the timer, before another file is opened."""
    if bpy.app.timers.is_registered(follow_curves):
        bpy.app.timers.unregister(follow_curves)
    _asked.clear()


def _group_at(place: _Place) -> Any:
    """The property group of a curve; None if the land or the item of the list is gone."""
    land = find_object(place.land)
    try:
        return None if land is None else land.path_resolve(place.path)
    except ValueError:
        return None
