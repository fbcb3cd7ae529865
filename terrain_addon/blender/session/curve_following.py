"""Curves that users drag in a panel: the recipe follows the curve, and the curve the recipe.

A panel must not change anything while it is drawn, so it asks for this, and a timer does it.  Blender pushes no step of
undo when a curve was dragged, so a second timer does, when the curve rests.
"""

from typing import Any, NamedTuple

import bpy

from ...core.foundation.parameters import Parameter
from ..data.curve_nodes import bring_in_step, node_of_curve
from ..land.lookup import find_object
from .redrawing import redraw_sidebars
from .undo_steps import push_named_step

_REST = 0.5  # seconds without a change before a step of undo is pushed


class _Place(NamedTuple):
    """Where a curve is: session uid of the land, path of the property group, name of the curve."""

    land: int
    path: str
    name: str


_asked: dict[_Place, Parameter] = {}
# Curves that were dragged since the last step of undo, with their numbers.
_dragged: dict[_Place, list[float]] = {}


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
            _dragged[place] = list(getattr(group, place.name))
    _asked.clear()
    if _dragged and not bpy.app.background:
        if bpy.app.timers.is_registered(push_step):
            bpy.app.timers.unregister(push_step)
        bpy.app.timers.register(push_step, first_interval=_REST)
    redraw_sidebars()


def push_step() -> None:
    """Push a step of undo for curves that were dragged; called by the timer, once.

    After an undo the curves are no longer as they were dragged.  A step then would take the redo away.
    """
    there_still = False
    for place, numbers in _dragged.items():
        group = _group_at(place)
        there_still = there_still or (group is not None and list(getattr(group, place.name)) == numbers)
    _dragged.clear()
    if there_still:
        push_named_step("Drag Curve")


def forget_curves() -> None:
    """Stop the timers, before another file is opened."""
    for timer in (follow_curves, push_step):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
    _asked.clear()
    _dragged.clear()


def _group_at(place: _Place) -> Any:
    """The property group of a curve; None if the land or the item of the list is gone."""
    land = find_object(place.land)
    try:
        return None if land is None else land.path_resolve(place.path)
    except ValueError:
        return None
