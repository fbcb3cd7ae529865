"""Which share of a place each cover takes: rock, sand, scree, grass, forest floor, shore and wet ground.

A share is 0 where a cover is absent and 1 where it hides all below it.  Where two covers meet, noise decides that is
also the height of the bump: so soil and grass fill the hollows of what they lie on.
"""

import bpy

from .ground_patterns import is_desert, settled
from .ground_site import NO_RIVER, GroundInputs
from .nodes import Nodes, Value
from .shading import limited

_WASHED = (4.0, 2.0)  # metres above the sea: from the first on waves wet nothing, up to the second most
_MELT = 0.75  # how wet ground below snow is


def rock_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where rock shows: on steep ground, on hard beds, on ribs and on ridges."""
    # Loose soil hides the rock on slopes up to about 10° steeper than bare ones.  Hard beds break through.
    bare = nodes.math("MULTIPLY_ADD", site.sediment, -4.0, site.slope)
    bare = nodes.math("MULTIPLY_ADD", site.beds, 8.0, bare)
    bare = nodes.math("MULTIPLY_ADD", site.crag, 4.0, bare)
    bare = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, 1.0, 6.0), bare)
    bare = nodes.math("MULTIPLY_ADD", limited(nodes, site.curvature, 0.04), 130.0, bare)
    # The wind blows sand over each ledge that it does not bury.
    bare = nodes.math("MULTIPLY_ADD", blown_over(nodes, site), -20.0, bare)
    # Above the trees no roots hold what frost has broken.
    bare = nodes.math("MULTIPLY_ADD", site.above_trees, 6.0, bare)
    # Clay has no border between rock and soil.
    return nodes.smooth_step(
        bare, nodes.math("MULTIPLY_ADD", site.clay, -6.0, 38.0), nodes.math("MULTIPLY_ADD", site.clay, 6.0, 42.0)
    )


def sand_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where wind draws ripples into bare sand: where nothing grows, but not on slip faces and brinks."""
    # On a brink each ripple would be a tooth.
    face, brink = nodes.smooth_step(site.bare_slope, 32.0, 26.0), nodes.smooth_step(site.curvature, 0.015, 0.003)
    return nodes.product(is_desert(nodes, site), face, brink)


def blown_over(nodes: Nodes, site: GroundInputs, least: float = 0.2, most: float = 0.6) -> bpy.types.NodeSocket:
    """Return where the wind has laid sand over rock and stones, 0 to 1 between two thicknesses in metres."""
    return nodes.product(is_desert(nodes, site), nodes.smooth_step(site.sediment, least, most))


def scree_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where loose stones lie: on steep slopes that are too high or too dry for plants, but not on dunes."""
    steep = nodes.smooth_step(site.slope, 28.0, 35.0)
    ragged = nodes.sum(nodes.product(site.broad, 70.0), nodes.product(site.middle, 60.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    dry = nodes.sum(site.humidity, nodes.product(site.middle, 0.06), nodes.product(site.broad, 0.06))
    bare = nodes.math("MAXIMUM", nodes.smooth_step(above, -350.0, 50.0), nodes.smooth_step(dry, 0.20, 0.08))
    stones = nodes.math("SUBTRACT", 1.0, blown_over(nodes, site))
    share = nodes.product(steep, nodes.smooth_step(dry, 0.40, 0.22), bare, stones)
    return settled(nodes, share, nodes.product(site.middle, -1.0))


def grass_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where grass grows: on moist ground that is not too steep, up to well above the tree line."""
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 50.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    moist = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.middle, 0.06)), 0.02, 0.18)
    low = nodes.smooth_step(above, 350.0, 150.0)
    steep = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, 1.0, 5.0), site.slope)
    share = nodes.product(low, moist, nodes.smooth_step(steep, 52.0, 36.0))
    # Tufts stand in the hollows between stones, and none where waves reach.
    dry = nodes.math("SUBTRACT", 1.0, washed_share(nodes, site))
    return nodes.product(settled(nodes, share, nodes.product(site.middle, -0.8)), dry, site.inputs["Vegetation"])


def forest_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where the ground lies under crowns of trees."""
    ragged = nodes.sum(
        nodes.product(site.broad, 0.06), nodes.product(site.middle, 0.22), nodes.product(site.grain, 0.05)
    )
    under = nodes.smooth_step(nodes.sum(site.crown_cover, ragged), 0.30, 0.62)
    return nodes.product(under, nodes.smooth_step(site.slope, 50.0, 42.0), site.inputs["Vegetation"])


def shore_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where water has washed the soil away: shores, ground under water and river beds, but no steep gorges."""
    near = nodes.smooth_step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.12)), 0.45, 0.75)
    near = nodes.math("MAXIMUM", near, nodes.smooth_step(site.water_depth, 0.2, 1.0))
    return nodes.product(near, nodes.smooth_step(site.bare_slope, 26.0, 14.0))


def washed_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where waves of the sea wet a steep shore, which is too steep for a beach."""
    reach = nodes.sum(nodes.product(site.middle, 1.2), nodes.product(site.crag, 0.5))
    above = nodes.math("SUBTRACT", site.above_sea, reach)
    # Dry ground that lies lower than the sea is far from it.
    low = nodes.product(nodes.smooth_step(above, *_WASHED), nodes.smooth_step(above, -6.0, -3.0))
    return nodes.product(low, nodes.smooth_step(site.bare_slope, 12.0, 20.0), site.sea_share)


def wet_share(nodes: Nodes, site: GroundInputs, reach: Value) -> bpy.types.NodeSocket:
    """Return how wet the ground is, and therefore dark and shiny: beside water, and where snow melts.

    `reach` is what `snow_reach` returns.
    """
    near = nodes.smooth_step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.05)), 0.8, 1.0)
    near = nodes.math("MAXIMUM", near, washed_share(nodes, site))
    wet = nodes.math("MAXIMUM", near, nodes.smooth_step(site.water_depth, 0.0, 0.3))
    # Melt water runs some metres down from the edge of snow; in the cold there is none.
    melt = nodes.product(nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.4, reach), -0.7, 0.0), _MELT)
    wet = nodes.math("MAXIMUM", wet, nodes.product(melt, nodes.math("SUBTRACT", 1.0, site.cold)))
    # Films of water darken stones and sand; under water there is none.
    return nodes.product(wet, nodes.mix_numbers(nodes.smooth_step(site.water_depth, 0.5, 3.0), 1.0, 0.4))


def shine(nodes: Nodes, site: GroundInputs, wet: Value) -> bpy.types.NodeSocket:
    """Return how much wet ground shines: not in the bed of a river, whose water mirrors the sky already."""
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", site.drainage, 1.0), 10.0)
    # Algae and lichen where waves reach are dark and dull.
    dull = nodes.math("SUBTRACT", 1.0, washed_share(nodes, site))
    return nodes.product(wet, dull, nodes.smooth_step(area, *NO_RIVER[::-1]))
