"""Colours by height instead of by cover."""

from collections.abc import Sequence

import bpy

from ...core.maps.colour import COLOURINGS, RAMP_OF, STEPPED, ramp_stops
from ...core.meshing.plant_meshes import Colour
from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import filled_ramp


def chosen_colour(nodes: Nodes, site: GroundInputs, physical: Value) -> bpy.types.NodeSocket:
    """Return the colour that the input "Colouring" chooses, a number in the order of `COLOURINGS`.

    `physical` is the colour of the covers.  Cycles computes only the chosen one.
    """
    colour = physical
    for number, kind in enumerate(COLOURINGS):
        if kind in RAMP_OF:
            chosen = nodes.math("COMPARE", site.inputs["Colouring"], float(number), 0.5)
            stops = ramp_stops(RAMP_OF[kind])
            if RAMP_OF[kind] in STEPPED:
                shown = _steps_node(nodes, stops, site.height_share)
            else:
                shown = _ramp(nodes, stops, site.altitude if kind == "hypsometric" else site.height_share)
            colour = nodes.mix_colours(chosen, colour, shown)
    return colour


def _ramp(nodes: Nodes, stops: Sequence[tuple[float, Colour]], height: Value) -> bpy.types.NodeSocket:
    """Return the colour of a height.

    A ramp with colours below 0 becomes two, one for the sea and one for the land, because the shore is sharp: Cycles
    keeps a ramp as 256 colours, too few from the deep sea to the summits.
    """
    sea = [stop for stop in stops if stop[0] < 0.0]
    if len(sea) > 1:
        is_land = nodes.math("GREATER_THAN", height, -0.5)
        return nodes.mix_colours(is_land, _ramp_node(nodes, sea, height), _ramp_node(nodes, stops[len(sea) :], height))
    return _ramp_node(nodes, stops, height)


def _ramp_node(nodes: Nodes, stops: Sequence[tuple[float, Colour]], height: Value) -> bpy.types.NodeSocket:
    """Return the colour of a height on one ramp."""
    low, high = stops[0][0], stops[-1][0]
    share = nodes.math("MULTIPLY_ADD", height, 1.0 / (high - low), -low / (high - low))
    return filled_ramp(nodes, [((place - low) / (high - low), colour) for place, colour in stops], share).outputs[0]


def _steps_node(nodes: Nodes, stops: Sequence[tuple[float, Colour]], share: Value) -> bpy.types.NodeSocket:
    """Return the colour of a share of the range of heights, the same from each stop to the next."""
    node = filled_ramp(nodes, stops, share)
    node.color_ramp.interpolation = "CONSTANT"
    return node.outputs[0]
