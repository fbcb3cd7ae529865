"""Low shrubs that cover dry slopes like a mat: chaparral, maquis, sagebrush.

They are far too many to be plants of their own, so the material of the ground shows them from afar: each as a dome with
a colour of its own.  Near the camera a picture of them would be flat; there tufts, shrubs and stones lie on the ground.
"""

from typing import NamedTuple

import bpy

from .ground_shares import washed_share
from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import grey

_SPACING, _CROWN = 2.6, 0.72  # metres from shrub to shrub; radius of a crown as a share of it
_HEIGHT = 0.8  # metres
_COVERED = 0.8  # share of the ground that crowns cover where a shrub stands at each place
# Metres from the camera between which they appear, and degrees of slope between which they end.
_APPEARS, _STEEPEST = (60.0, 250.0), (48.0, 36.0)
_DARK, _PALE = (0.046, 0.055, 0.022), (0.098, 0.098, 0.045)  # linear RGB of chamise and of sage


class Shrubs(NamedTuple):
    """What is known of the shrub at a place.

    Attributes
    ----------
    dome : NodeSocket
        Its height as a share of that of the largest: 0 beside it, and where none stands.
    thickness : NodeSocket
        Share of the places around on which one stands; below 0 and above 1 where noise makes it so.
    tone : NodeSocket
        A random number of it, 0 to 1.
    """

    dome: bpy.types.NodeSocket
    thickness: bpy.types.NodeSocket
    tone: bpy.types.NodeSocket


def brush_share(nodes: Nodes, site: GroundInputs, forest: Value, shore: Value) -> bpy.types.NodeSocket:
    """Return which share of the places for shrubs can have one: not in forests, on shores, cliffs or under water."""
    open_ground = nodes.math("SUBTRACT", 1.0, nodes.math("MAXIMUM", forest, shore))
    dry = nodes.math("SUBTRACT", 1.0, washed_share(nodes, site))
    return nodes.product(
        nodes.smooth_step(site.distance, *_APPEARS),
        nodes.smooth_step(site.bare_slope, *_STEEPEST),
        nodes.smooth_step(site.above_tree_line, 350.0, 150.0),
        # Cycles leaves out what is multiplied by 0, if it can tell: from Math nodes.
        nodes.math("MULTIPLY", site.inputs["Brush"], 50.0, clamp=True),
        nodes.product(open_ground, dry),
    )


def shrubs(nodes: Nodes, site: GroundInputs) -> Shrubs:
    """Return the shrub that stands at a place, if the ground there can have one."""
    voronoi = nodes.node(
        "ShaderNodeTexVoronoi",
        {"Vector": site.position, "Scale": 1.0 / _SPACING, "Detail": 0.0},
        voronoi_dimensions="2D",
    ).outputs
    random = nodes.node("ShaderNodeSeparateXYZ", {0: voronoi["Color"]}).outputs
    # They stand in thickets: slopes differ, and so do hollows and ribs.
    thick = nodes.sum(nodes.product(site.middle, 0.65), nodes.product(site.broad, 0.3), site.inputs["Brush"])
    stands = nodes.smooth_step(nodes.math("SUBTRACT", thick, random["X"]), 0.0, 0.05)
    # Crowns are ragged, and some are small.
    reach = nodes.math("MULTIPLY_ADD", random["Y"], 0.6 * _CROWN, 0.4 * _CROWN)
    away = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.06), voronoi["Distance"])
    away = nodes.math("DIVIDE", away, reach)
    dome = nodes.math("SUBTRACT", 1.0, nodes.product(away, away), clamp=True)
    return Shrubs(nodes.product(dome, stands), thick, random["Z"])


def brush_height(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return how high shrubs stand, in metres; far away, where they are finer than a pixel, they would only shimmer."""
    return nodes.product(shrubs(nodes, site).dome, site.nearness, _HEIGHT)


def with_brush(nodes: Nodes, site: GroundInputs, share: Value, ground: Value) -> bpy.types.NodeSocket:
    """Return the colour of ground on which shrubs stand, `share` as from `brush_share`."""
    shrub = shrubs(nodes, site)
    covered = nodes.math("MULTIPLY", shrub.thickness, _COVERED, clamp=True)
    crown = nodes.mix_numbers(site.nearness, covered, nodes.smooth_step(shrub.dome, 0.0, 0.3))
    # Between them the ground lies in their shade, and so do the lower parts of their crowns.
    light = nodes.math("MULTIPLY_ADD", nodes.mix_numbers(site.nearness, 0.5, shrub.dome), 0.5, 0.6)
    leaves = nodes.mix_colours(nodes.mix_numbers(site.nearness, 0.5, shrub.tone), _DARK, _PALE)
    leaves = nodes.mix_colours(1.0, leaves, grey(nodes, light), blend="MULTIPLY")
    return nodes.mix_colours(nodes.product(crown, share), ground, leaves)
