"""Snow, cornices, and the moraine beside ice: where they lie, how high, and their colours."""

import bpy

from .ground_colours import mottled
from .ground_patterns import raised_share, settled
from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import grey, limited, tinted

_TILL = (0.215, 0.214, 0.212)
_RIDGE, _HEAPS = 9.0, 5.0  # metres: heights of ridges and heaps of moraine
_BELOW_LIP = (0.50, 0.60, 0.76)
_THIN = 0.6  # share of the ground that thin snow beside the edge of snow hides


def snow_reach(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return how far inside its edge snow above its line is: below -0.2 there is none, from 0.75 on it is whole.

    The line comes further down in winter.
    """
    descent = nodes.product(site.inputs["Winter Descent"], -1.0)
    line = nodes.math("MULTIPLY_ADD", site.cold, descent, site.inputs["Snow Line"])
    # Snow lasts longer in gullies and in shade.  It disappears first from spurs, which the wind clears.
    shelter = nodes.math("MULTIPLY_ADD", site.illumination, -260.0, 110.0)
    shelter = nodes.math("MULTIPLY_ADD", site.humidity, 100.0, shelter)
    shelter = nodes.math("MULTIPLY_ADD", limited(nodes, site.curvature, 0.02), -3500.0, shelter)
    ragged = nodes.sum(nodes.product(site.broad, -70.0), nodes.product(site.middle, 70.0))
    ragged = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, -20.0, -90.0), ragged)
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, line), shelter, ragged)
    # Snow slides off steep faces but stays on the ledges between beds, and between crests of rock.
    # So its patches follow beds, ribs and gullies; and they are of all sizes, as what falls off is.
    steep = nodes.sum(site.bare_slope, nodes.product(site.beds, 9.0), nodes.product(site.crag, 6.0))
    steep = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, 1.0, 7.0), steep)
    steep = nodes.sum(steep, nodes.product(site.middle, 9.0), nodes.product(site.broad, 6.0))
    share = nodes.product(nodes.smooth_step(above, -20.0, 120.0), nodes.smooth_step(steep, 54.0, 44.0))
    # Far below its edge nothing reaches up to it.
    far = nodes.smooth_step(share, 0.12, 0.0)
    return nodes.math("MULTIPLY_ADD", far, -1.5, raised_share(nodes, share, nodes.product(site.crag, -0.5)))


def snow_share(nodes: Nodes, site: GroundInputs, reach: Value) -> bpy.types.NodeSocket:
    """Return where snow lies: where a winter has laid it, or else where `snow_reach` says so.

    Beside its edge thin snow lies between stones, so that it does not end as if it were cut.
    """
    whole = nodes.smooth_step(reach, 0.15, 0.75)
    thin = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.6, reach), -0.2, 0.5)
    by_line = nodes.math("MAXIMUM", whole, nodes.product(thin, _THIN))
    # A winter knows how deep snow is; steep rock is rougher, and looks through more of it.
    steep = nodes.sum(site.bare_slope, nodes.product(site.beds, 9.0), nodes.product(site.crag, 5.0))
    rough = nodes.math("MULTIPLY_ADD", nodes.smooth_step(steep, 36.0, 58.0), 0.9, 0.06)
    uneven = nodes.sum(1.0, nodes.product(site.middle, 0.7), nodes.product(site.hollow, -0.5))
    depth = nodes.product(nodes.math("SUBTRACT", site.snow_cover, 1.0), uneven)
    laid = nodes.smooth_step(nodes.math("DIVIDE", depth, rough), 0.2, 1.0)
    share = nodes.mix_numbers(nodes.math("GREATER_THAN", site.snow_cover, 0.5), by_line, laid)
    return nodes.product(share, nodes.math("SUBTRACT", 1.0, site.hot))


def below_cornice(nodes: Nodes, site: GroundInputs, normal: Value) -> bpy.types.NodeSocket:
    """Return where snow overhangs, 0 to 1: below sharp crests, on the side that faces away from a wind from the west.

    `normal` is that of the mesh.
    """
    east = nodes.node(
        "ShaderNodeVectorTransform",
        {0: (1.0, 0.0, 0.0)},
        vector_type="VECTOR",
        convert_from="OBJECT",
        convert_to="WORLD",
    ).outputs[0]
    lee = nodes.node("ShaderNodeVectorMath", {0: normal, 1: east}, operation="DOT_PRODUCT").outputs["Value"]
    # The ground bends most on the crest itself, which is the lip.  Cornices end and begin again along it.
    bend = nodes.math("MULTIPLY_ADD", site.middle, 0.006, site.curvature)
    bend = nodes.product(bend, nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.5, site.broad), -0.5, -0.1))
    face = nodes.product(nodes.smooth_step(bend, 0.005, 0.009), nodes.smooth_step(bend, 0.034, 0.024))
    return nodes.product(face, nodes.smooth_step(lee, 0.08, 0.25))


def snow_colour(nodes: Nodes, snow: Value, overhang: Value) -> bpy.types.NodeSocket:
    """Return the colour of snow, which is blue where it overhangs and light comes from below alone.

    Parameters
    ----------
    nodes : Nodes
    snow : NodeSocket
        Its colour in full light.
    overhang : NodeSocket
        What `below_cornice` returns.
    """
    return nodes.mix_colours(overhang, snow, nodes.mix_colours(1.0, snow, _BELOW_LIP, blend="MULTIPLY"))


def moraine_cover(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where ice has left its rock: in heaps and sheets, on all that is not too steep to hold it."""
    lies = nodes.product(site.moraine, nodes.smooth_step(site.slope, 48.0, 38.0))
    return settled(nodes, lies, nodes.product(nodes.sum(site.middle, site.broad), 1.3))


def moraine_height(nodes: Nodes, site: GroundInputs, share: Value) -> bpy.types.NodeSocket:
    """Return how many metres moraine stands above its ground: as ridges where the ice ended, and in heaps."""
    place = nodes.math("MULTIPLY_ADD", site.broad, 0.25, site.moraine)
    ridge = nodes.product(nodes.smooth_step(place, 0.15, 0.40), nodes.smooth_step(place, 0.65, 0.40))
    heaps = nodes.product(site.middle, _HEAPS)
    return nodes.product(nodes.math("MULTIPLY_ADD", ridge, _RIDGE, heaps), share)


def moraine_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return what ice has ground: stones of all sizes in grey flour, fresh and without lichen."""
    # Blocks are light or dark, and as many as they are small.
    blocks = nodes.math("MULTIPLY_ADD", nodes.smooth_step(site.middle, 0.22, 0.30), 0.28, 1.0)
    blocks = nodes.math("MULTIPLY_ADD", nodes.smooth_step(site.middle, -0.24, -0.34), -0.35, blocks)
    stones = nodes.product(site.grain, site.closeness)
    blocks = nodes.math("MULTIPLY_ADD", nodes.smooth_step(stones, 0.15, 0.25), 0.35, blocks)
    blocks = nodes.math("MULTIPLY_ADD", nodes.smooth_step(stones, -0.15, -0.30), -0.40, blocks)
    colour = nodes.mix_colours(1.0, tinted(nodes, _TILL, site.tint), grey(nodes, blocks), blend="MULTIPLY")
    return mottled(nodes, site, colour, 0.5)
