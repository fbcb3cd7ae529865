"""Curves that users drag in a panel: the recipe follows the curve, and the curve the recipe.

A panel must not change anything while it is drawn, so it asks for this, and a timer does it.
"""

from typing import Any

import bpy

from ...core.foundation.parameters import Parameter
from ..data.curve_nodes import bring_in_step, node_of_curve
from ..land.lookup import find_object
from .redrawing import redraw_sidebars

# What the timer has to do: session uid of the land, path of the property group, declaration of the curve.
_asked: dict[tuple[int, str, str], Parameter] = {}


def ask_for_curve(group: Any, parameter: Parameter) -> None:
    """Let the timer bring a curve and the node that shows it in step.

    Parameters
    ----------
    group : PropertyGroup
        Holds the curve.
    parameter : Parameter
        Declares it.
    """
    _asked[group.id_data.session_uid, group.path_from_id(), parameter.name] = parameter
    if not bpy.app.timers.is_registered(follow_curves):
        bpy.app.timers.register(follow_curves, first_interval=0.0)


def follow_curves() -> None:
    """Bring all curves in step that were asked for; called by the timer, once."""
    for (uid, path, _), parameter in _asked.items():
        land = find_object(uid)
        if land is None:
            continue
        try:
            group = land.path_resolve(path)
        except ValueError:  # the item of the list was removed meanwhile
            continue
        node = node_of_curve(group, parameter)
        if node is not None and bring_in_step(node, group, parameter):
            # Changes by Python do not reach the dependency graph.
            land.update_tag()
    _asked.clear()
    redraw_sidebars()
