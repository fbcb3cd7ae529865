"""The colour of water by its depth and clarity.

Water takes red light away first.  Clear water is blue for that reason; soil and algae in it take blue and green away
too, so that it looks green.  Silt throws more light back than all of these, most of it red: a river in flood is brown.

References
----------
Poole, H. H. & Atkins, W. R. G. (1929). Photo-electric measurements of submarine illumination throughout the year.
Journal of the Marine Biological Association 16(1), 297–324. doi:10.1017/S0025315400029829
Doxaran, D., Froidefond, J.-M., Lavender, S. & Castaing, P. (2002). Spectral signature of highly turbid waters. Remote
Sensing of Environment 81(1), 149–161. doi:10.1016/S0034-4257(01)00341-8
Pope, R. M. & Fry, E. S. (1997). Absorption spectrum (380–700 nm) of pure water. II. Integrating cavity measurements.
Applied Optics 36(33), 8710–8723. doi:10.1364/AO.36.008710
"""

import bpy

from .nodes import Nodes, Value

_PURE_WATER = (0.34, 0.056, 0.009)  # absorption in 1/m at 650, 550 and 450 nm
_CLOUDED = (0.7, 0.8, 1.2)  # attenuation that soil and algae add, for each 1/m of `_clouded`
_POOLE_ATKINS = 1.7  # attenuation times the depth at which a white disc disappears
_CLEAREST = 0.04  # attenuation of green and blue light together in pure water, in 1/m
_OFTEN = 8.0  # metres: clarity of water that does not say how clear it is
# Light that comes back out of deep water, from clear to clouded, and between which attenuations in 1/m they stand.
_CLEAR, _COASTAL, _CLOUDY = (0.003, 0.024, 0.052), (0.006, 0.030, 0.034), (0.022, 0.040, 0.020)
_CLEAR_ENDS, _CLOUDY_BEGINS, _CLOUDY_ENDS = 0.01, 0.18, 0.9
# The same of water full of silt, in which one sees less than a metre, and not more than two decimetres.
_SILTY, _SILT_BEGINS, _SILT_ENDS = (0.110, 0.080, 0.045), 2.0, 8.0


def seen_through_water(nodes: Nodes, clarity: Value, depth: Value, ground: Value) -> bpy.types.NodeSocket:
    """Return a colour as seen through the water above it; it fades with depth after the law of Beer and Lambert.

    Parameters
    ----------
    nodes : Nodes
    clarity : NodeSocket or float
        How deep one sees into the water in metres.
    depth : NodeSocket
        Of the water in metres; below 0 the ground is dry.
    ground : NodeSocket
        Colour of the ground without water.
    """
    # Light goes down and up again.
    way = nodes.product(nodes.math("MAXIMUM", depth, 0.0), -2.0)
    clouded = _clouded(nodes, clarity)
    left = [
        nodes.math("EXPONENT", nodes.product(way, nodes.math("MULTIPLY_ADD", clouded, more, pure)))
        for pure, more in zip(_PURE_WATER, _CLOUDED)
    ]
    shares = nodes.node("ShaderNodeCombineColor", dict(zip(("Red", "Green", "Blue"), left))).outputs[0]
    lit = nodes.mix_colours(1.0, ground, shares, blend="MULTIPLY")
    dark = nodes.mix_colours(1.0, (1.0, 1.0, 1.0), shares, blend="SUBTRACT")
    return nodes.mix_colours(
        1.0, lit, nodes.mix_colours(1.0, deep_colour(nodes, clarity), dark, blend="MULTIPLY"), blend="ADD"
    )


def deep_colour(nodes: Nodes, clarity: Value) -> bpy.types.NodeSocket:
    """Return the colour of water so deep that nothing is seen of its ground.

    Parameters
    ----------
    nodes : Nodes
    clarity : NodeSocket or float
        How deep one sees into the water in metres.
    """
    clouded = _clouded(nodes, clarity)
    coastal = nodes.smooth_step(clouded, _CLEAR_ENDS, _CLOUDY_BEGINS)
    cloudy = nodes.smooth_step(clouded, _CLOUDY_BEGINS, _CLOUDY_ENDS)
    silty = nodes.smooth_step(clouded, _SILT_BEGINS, _SILT_ENDS)
    colour = nodes.mix_colours(cloudy, nodes.mix_colours(coastal, _CLEAR, _COASTAL), _CLOUDY)
    return nodes.mix_colours(silty, colour, _SILTY)


def known_clarity(nodes: Nodes, clarity: Value) -> bpy.types.NodeSocket:
    """Return a clarity in metres; where it is 0, because the water does not say, that of many coasts and lakes."""
    return nodes.math("MULTIPLY_ADD", nodes.math("LESS_THAN", clarity, 1e-6), _OFTEN, clarity)


def _clouded(nodes: Nodes, clarity: Value) -> bpy.types.NodeSocket:
    """Return how much light soil and algae in a metre of water take away, in 1/m."""
    attenuation = nodes.math("DIVIDE", _POOLE_ATKINS, clarity)
    return nodes.math("MAXIMUM", nodes.math("SUBTRACT", attenuation, _CLEAREST), 0.0)
