"""Patterns that several covers of the ground share: stones, sand that has run, and borders that follow the relief."""

import bpy

from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import limited

STONE_SPACING = 0.8
"""Metres between stones of scree."""


def is_desert(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return 1 where nothing grows, and 0 from a little vegetation on."""
    return nodes.math("MULTIPLY_ADD", site.inputs["Vegetation"], -12.5, 1.0, clamp=True)


def grain_flows(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return noise of tongues of sand that have run down slip faces, which look away from a wind from the west."""
    drawn_out = nodes.vector_math("MULTIPLY", site.position, (0.13, 1.0, 0.13))
    tongues = nodes.signed_noise(drawn_out, 2.6, site.shown(nodes, 2.6, 4.0), 0.65)
    # Some parts of a face have run lately, and the wind has smoothed others.
    return nodes.product(tongues, nodes.mix_numbers(nodes.smooth_step(site.middle, -0.25, 0.35), 0.3, 1.0))


def loose_stones(nodes: Nodes, site: GroundInputs) -> bpy.types.bpy_prop_collection:
    """Return what a texture of stones of two sizes tells: the way to the middle of the nearest one, and its colour."""
    # No node costs more, wherever it is seen from: as a map it asks 9 neighbours instead of 27, and far away, where the
    # smaller stones are finer than a pixel, it has one size.
    inputs = {"Vector": site.position, "Scale": 1.0 / STONE_SPACING, "Detail": site.closeness, "Roughness": 0.5}
    return nodes.node("ShaderNodeTexVoronoi", inputs, voronoi_dimensions="2D", normalize=True).outputs


def settled(nodes: Nodes, share: Value, height: Value) -> bpy.types.NodeSocket:
    """Return a share with a border that follows the relief: what covers fills hollows first, and crests last.

    Nothing stays nothing, and everything stays everything.
    """
    return nodes.smooth_step(raised_share(nodes, share, height), 0.25, 0.75)


def raised_share(nodes: Nodes, share: Value, height: Value) -> bpy.types.NodeSocket:
    """Return a share with the relief added: below 0.25 where nothing has settled, from 0.75 on where it covers all."""
    raised = nodes.math("MULTIPLY_ADD", share, 2.0, -0.5)
    return nodes.math("MULTIPLY_ADD", limited(nodes, height, 1.0), 0.38, raised)
