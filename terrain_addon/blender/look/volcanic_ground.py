"""What volcanoes leave on the ground: lava in tongues, ash and cinders, and hot ground around a vent."""

from typing import NamedTuple

import bpy

from .ground_colours import mottled
from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import at_least_zero, grey, limited

_ASH, _CINDERS, _LAVA = (0.072, 0.068, 0.064), (0.135, 0.058, 0.040), (0.021, 0.020, 0.021)
_OLD_CINDERS, _RUBBLE = (0.074, 0.048, 0.043), (0.098, 0.086, 0.076)
_SULPHUR, _BLEACHED, _RUST = (0.470, 0.390, 0.110), (0.300, 0.270, 0.225), (0.170, 0.070, 0.035)
_FLOW = 0.44  # humidity of gullies that lava has filled
# Metres: how high the banks of lava stand, how much lower it lies between them, and how rough blocks make it.
_BANK, _SUNK, _BLOCKS = 12.0, 4.5, 1.5
# How far from a vent lava has run and red cinders have fallen, in radii of the crater.
_LAVA_RAN, _CINDERS_FELL = (1.0, 4.5), (3.2, 1.3)


class Lava(NamedTuple):
    """Where young lava lies, on dark rock alone.

    Attributes
    ----------
    flow, bank : NodeSocket
        Shares of the lava itself, and of the rubble at its sides.
    height : NodeSocket
        How high they stand above the ground that they came over, in metres.
    """

    flow: Value
    bank: Value
    height: Value


def lava_flows(nodes: Nodes, site: GroundInputs) -> Lava:
    """Return where lava has run down in tongues from the vent, with banks of rubble, and filled gullies."""
    # Tongues follow gullies first; other lava fills gullies alone.
    start, end = _LAVA_RAN
    tongue = nodes.math("MULTIPLY_ADD", site.rays, 0.9, nodes.product(site.broad, 0.05))
    tongue = nodes.sum(tongue, nodes.product(nodes.math("SUBTRACT", site.from_vent, end), -0.06))
    tongue = nodes.product(tongue, nodes.smooth_step(site.from_vent, end, end - 1.0))
    tongue = nodes.product(tongue, nodes.smooth_step(site.from_vent, start, start + 0.6))
    gully = nodes.sum(site.humidity, nodes.product(site.broad, 0.08), nodes.product(site.middle, 0.03))
    depth = nodes.math("SUBTRACT", nodes.sum(gully, tongue), _FLOW)
    # The edge of a flow is steep, and trees have not come back to it.
    young = nodes.product(
        nodes.smooth_step(site.bare_slope, 3.0, 6.0), nodes.smooth_step(site.crown_cover, 0.35, 0.1), site.volcanic
    )
    flow = nodes.product(nodes.smooth_step(depth, -0.015, 0.015), young)
    # Its sides have cooled first and stand as banks of grey rubble; what ran on between them has sunk.
    bank = nodes.product(nodes.smooth_step(depth, -0.07, -0.02), young, 0.7)
    sunk = nodes.math("MULTIPLY_ADD", nodes.smooth_step(depth, 0.0, 0.05), -_SUNK, _BANK)
    height = nodes.product(nodes.smooth_step(depth, -0.07, -0.005), sunk, young)
    blocks = nodes.product(site.crag, flow, _BLOCKS)
    return Lava(flow, bank, nodes.sum(height, blocks))


def volcanic_colour(nodes: Nodes, site: GroundInputs, colour: Value, young: Lava) -> bpy.types.NodeSocket:
    """Return a colour with what a volcano throws out over it, on dark rock alone.

    Ash covers what is too high for trees, red cinders lie on its ribs, and lava lies over them.
    """
    ragged = nodes.sum(nodes.product(site.broad, 90.0), nodes.product(site.middle, 40.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    ash = nodes.product(nodes.smooth_step(above, -260.0, 60.0), nodes.math("MULTIPLY_ADD", site.hollow, -0.2, 0.75))
    # Cinders lie on ribs; rain washes them out of gullies.
    rib = limited(nodes, nodes.math("MULTIPLY_ADD", site.humidity, -1.2, 0.46), 0.12)
    red = nodes.smooth_step(nodes.sum(site.rays, rib, nodes.product(site.broad, 0.3)), 0.05, 0.36)
    red = nodes.product(red, nodes.smooth_step(above, 0.0, 320.0))
    cinders = nodes.mix_colours(nodes.smooth_step(site.from_vent, *_CINDERS_FELL), _OLD_CINDERS, _CINDERS)
    fallen = mottled(nodes, site, nodes.mix_colours(red, _ASH, cinders), 0.6)
    crust = nodes.math("MULTIPLY_ADD", site.grain, site.closeness, nodes.math("MULTIPLY_ADD", site.crag, 0.35, 1.0))
    lava = nodes.mix_colours(1.0, _LAVA, grey(nodes, at_least_zero(nodes, crust)), blend="MULTIPLY")
    colour = nodes.mix_colours(nodes.product(ash, site.volcanic), colour, fallen)
    colour = nodes.mix_colours(young.bank, colour, mottled(nodes, site, _RUBBLE))
    return nodes.mix_colours(young.flow, colour, lava)


def vent_colour(nodes: Nodes, site: GroundInputs, colour: Value) -> bpy.types.NodeSocket:
    """Return a colour with what hot gases make of a crater's ground: bleached, rusty, with crusts of sulphur."""
    patches = nodes.sum(site.broad, nodes.product(site.middle, 0.8))
    altered = nodes.mix_colours(nodes.smooth_step(patches, -0.35, 0.15), _RUST, _BLEACHED)
    crusts = nodes.sum(site.middle, nodes.product(site.broad, 0.6), nodes.product(site.from_vent, -0.25))
    altered = nodes.mix_colours(nodes.smooth_step(crusts, -0.05, 0.25), altered, _SULPHUR)
    share = nodes.product(site.hot, nodes.smooth_step(patches, -0.55, 0.0), 0.8)
    return nodes.mix_colours(share, colour, mottled(nodes, site, altered))
