"""Colours of the covers of the ground.  They are linear RGB."""

import bpy

from .ground_patterns import grain_flows, is_desert, loose_stones
from .ground_site import GroundInputs
from .nodes import Nodes, Value
from .shading import at_least_zero, grey, limited, tinted

_DARKEST = 0.45  # of scree as a share of its own colour: stones of a dark bed that lie in a gap are not black
_SWARDS = (0.84, 1.0, 0.96), (1.14, 1.06, 0.90)  # factors of the colour of grass
_MOSS, _DEAD_LEAVES = (0.045, 0.058, 0.016), (0.105, 0.080, 0.052)
_COLD_ROCK, _WARM_ROCK = (0.90, 0.97, 1.08), (1.11, 1.0, 0.88)
_VARNISH = (0.42, 0.36, 0.36)  # of the colour below it
_CRUST = (0.390, 0.335, 0.265)
_PALE_LICHEN, _GREEN_LICHEN, _BLACK_LICHEN = (0.215, 0.205, 0.165), (0.120, 0.130, 0.070), (0.042, 0.040, 0.036)


def soil_colour(nodes: Nodes, site: GroundInputs, soil: Value) -> bpy.types.NodeSocket:
    """Return bare soil with spots, darker where it is moist, and stony where wind and rain take it from crests."""
    wet = nodes.product(nodes.smooth_step(site.humidity, 0.3, 0.9), 0.6)
    exposed = nodes.math("MULTIPLY_ADD", site.middle, 0.006, site.curvature)
    # Crests of dunes are sand like all of them.
    has_stones = nodes.smooth_step(site.inputs["Vegetation"], 0.0, 0.08)
    # Above the trees frost breaks rock faster than soil forms.
    high = nodes.smooth_step(site.above_tree_line, -100.0, 250.0)
    exposed = nodes.math("MAXIMUM", nodes.smooth_step(exposed, 0.001, 0.010), high)
    stony = nodes.product(exposed, has_stones, _uneven(nodes, site), 0.8)
    stones = tinted(nodes, site.inputs["Scree"], site.tint)
    # Wind sorts sand and mixes its colours, so that a dune is of one colour all over.
    spots = nodes.math("MULTIPLY_ADD", is_desert(nodes, site), -0.7, 1.0)
    colour = mottled(nodes, site, nodes.mix_colours(stony, soil, stones), spots)
    # Clay that rain has washed onto level floors dries to a pale crust.
    level = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 5.0, site.bare_slope), 16.0, 6.0)
    colour = nodes.mix_colours(nodes.product(site.clay, level, 0.75), colour, mottled(nodes, site, _CRUST, 0.5))
    # Down slip faces sand has run in tongues, the coarse grains outside.
    slip = nodes.product(is_desert(nodes, site), nodes.smooth_step(site.bare_slope, 24.0, 31.0), 0.06)
    tongues = nodes.math("MULTIPLY_ADD", grain_flows(nodes, site), slip, 1.0)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, tongues), blend="MULTIPLY")
    return nodes.mix_colours(wet, colour, (0.5, 0.47, 0.45), blend="MULTIPLY")


def grass_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return grass: greener on moist ground and in spring, drier in winter, russet in autumn."""
    # Meadows differ from place to place, as soils and mowing do, much more than within one.
    patches = nodes.sum(nodes.product(site.broad, 0.26), nodes.product(site.middle, 0.18))
    patches = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, -0.01, -0.06), patches)
    season = nodes.math("MULTIPLY_ADD", site.spring, 0.25, nodes.product(site.cold, -0.35))
    lush = nodes.smooth_step(nodes.sum(site.humidity, patches, season), 0.09, 0.40)
    colour = nodes.mix_colours(lush, site.inputs["Dry Grass"], site.inputs["Grass"])
    # Swards of other species are of another green.
    sward = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.4, site.broad), -0.45, 0.45)
    colour = nodes.mix_colours(1.0, colour, nodes.mix_colours(sward, *_SWARDS), blend="MULTIPLY")
    turned = nodes.product(site.autumn, nodes.smooth_step(nodes.math("SUBTRACT", patches, site.humidity), -0.7, 0.0))
    colour = nodes.mix_colours(turned, colour, site.inputs["Russet"])
    # From afar one sees not tufts but their groups, some of them dry.
    groups = nodes.signed_noise(site.position, 2.5, site.shown(nodes, 2.5, 5.0), 1.0)
    groups = nodes.product(groups, nodes.smooth_step(site.distance, 2500.0, 300.0))
    colour = nodes.mix_colours(
        nodes.product(nodes.smooth_step(groups, 0.1, 0.9), 0.22), colour, site.inputs["Dry Grass"]
    )
    shade = nodes.math("MULTIPLY_ADD", groups, 0.16, 1.0)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, shade), blend="MULTIPLY")
    # Between tufts the ground is in shade, and dead blades are pale.
    tufts = nodes.product(nodes.smooth_step(site.grain, -0.1, -0.7), site.closeness, 0.55)
    pale = nodes.product(nodes.smooth_step(site.grain, 0.35, 0.8), site.closeness, 0.35)
    colour = nodes.mix_colours(tufts, colour, nodes.mix_colours(0.5, site.inputs["Forest Floor"], site.inputs["Soil"]))
    return mottled(nodes, site, nodes.mix_colours(pale, colour, site.inputs["Dry Grass"]), 0.35)


def forest_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return the forest floor: litter and moss in patches, with russet leaves in autumn."""
    leaves = nodes.product(site.autumn, nodes.smooth_step(site.broad, -0.4, 0.6))
    russet = nodes.product(leaves, 0.7)
    moss = nodes.product(nodes.smooth_step(site.middle, 0.05, 0.45), 0.7)
    litter = nodes.mix_colours(moss, site.inputs["Forest Floor"], _MOSS)
    pale = nodes.product(nodes.smooth_step(site.grain, 0.1, 0.5), site.closeness, 0.5)
    litter = nodes.mix_colours(pale, litter, _DEAD_LEAVES)
    return mottled(nodes, site, nodes.mix_colours(russet, litter, site.inputs["Russet"]))


def shore_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return sand on level shores and under water, gravel on steeper ones and where a large area drains through."""
    coarse = nodes.smooth_step(nodes.sum(site.bare_slope, nodes.product(site.middle, 2.0)), 3.0, 7.0)
    # Drainage areas from 10 ha to 1 km².
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", site.drainage, 1.0), 10.0)
    coarse = nodes.math("MAXIMUM", coarse, nodes.smooth_step(area, 5.0, 6.0))
    # Waves and streams carry gravel no deeper.
    coarse = nodes.product(coarse, nodes.smooth_step(site.water_depth, 4.0, 1.0))
    sand = tinted(nodes, site.inputs["Sand"], site.earthy_tint)
    gravel = tinted(nodes, site.inputs["Gravel"], site.tint)
    return mottled(nodes, site, nodes.mix_colours(coarse, sand, gravel))


def rock_colour(nodes: Nodes, site: GroundInputs, rock: Value) -> bpy.types.NodeSocket:
    """Return rock in beds, dark in joints and notches, with streaks of water on faces and lichen where it is damp."""
    light = nodes.math("MULTIPLY_ADD", site.bands, nodes.product(site.banding, site.bedding, 0.30), 1.0)
    light = nodes.math("MAXIMUM", light, 0.4)
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.08, light)
    light = nodes.math("MULTIPLY_ADD", site.broad, 0.10, light)
    # Worn crests are light, notches hold dust, and joints are dark.
    light = nodes.math("MULTIPLY_ADD", site.crag, 0.20, light)
    face = nodes.node("ShaderNodeSeparateXYZ", {0: site.faces}).outputs["X"]
    # Clay crumbles before it breaks.
    broken = nodes.math("MULTIPLY_ADD", site.clay, -0.25, 0.3)
    light = nodes.math("MULTIPLY_ADD", face, broken, light)
    light = nodes.math("MULTIPLY_ADD", site.hollow, nodes.product(_uneven(nodes, site), 0.28), light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.20), light)
    # Clay in thin beds has few joints that stay open.
    dark = nodes.product(site.closeness, site.bed_share, -0.5)
    light = nodes.product(nodes.math("MAXIMUM", light, 0.35), nodes.math("MULTIPLY_ADD", site.joint, dark, 1.0))
    hue = nodes.smooth_step(nodes.sum(site.bands, nodes.product(site.broad, 0.45)), -0.8, 1.0)
    colour = nodes.mix_colours(1.0, rock, nodes.mix_colours(hue, _COLD_ROCK, _WARM_ROCK), blend="MULTIPLY")
    damp = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.broad, 0.12)), 0.15, 0.55)
    # Lichen in spots: pale green ones, and black ones that drown in the shade of notches.
    spots = nodes.sum(nodes.product(site.middle, 0.7), nodes.product(site.grain, site.closeness, 0.5))
    dry, wet = nodes.product(0.15, _living(nodes, site)), nodes.product(0.3, _living(nodes, site))
    pale = nodes.product(nodes.smooth_step(spots, 0.22, 0.34), nodes.mix_numbers(damp, dry, wet))
    # Young lava has few.
    pale = nodes.product(pale, nodes.math("MULTIPLY_ADD", site.volcanic, -0.75, 1.0))
    colour = nodes.mix_colours(pale, colour, nodes.mix_colours(damp, _PALE_LICHEN, _GREEN_LICHEN))
    black = nodes.product(nodes.smooth_step(spots, -0.30, -0.48), nodes.mix_numbers(damp, dry, wet))
    colour = nodes.mix_colours(black, colour, _BLACK_LICHEN)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")
    colour = nodes.mix_colours(_varnish(nodes, site), colour, tinted(nodes, colour, _VARNISH))
    return nodes.mix_colours(_streaks(nodes, site), colour, nodes.scaled(colour, 0.42))


def _uneven(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return how much colour follows small forms, 0 to 1: little on clay, whose rills have the colours of its beds."""
    return nodes.math("MULTIPLY_ADD", site.clay, -0.8, 1.0)


def _varnish(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where desert varnish, dark with manganese, hangs down walls of red rock from ledges that drip."""
    face = nodes.smooth_step(site.bare_slope, 42.0, 60.0)
    hung = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.broad, 0.5, site.streak), 0.0, 0.55)
    return nodes.product(hung, face, site.sandstone, 0.75)


def _living(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return how much lives on rock, 0 to 1: less in deserts, and nothing on clay, which crumbles each winter."""
    lasting = nodes.math("SUBTRACT", 1.0, site.clay)
    return nodes.product(nodes.smooth_step(site.inputs["Vegetation"], -0.15, 0.6), lasting)


def _streaks(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where water runs down faces and darkens them, most of all below snow, and little in deserts."""
    # Springs and ledges feed them: some faces have many, others none.
    streaks = nodes.math("MULTIPLY_ADD", nodes.math("ABSOLUTE", site.middle), -0.5, site.streak)
    face = nodes.smooth_step(site.bare_slope, 40.0, 58.0)
    below = nodes.math("SUBTRACT", site.inputs["Snow Line"], site.altitude)
    thaw = nodes.product(nodes.smooth_step(below, 600.0, 100.0), 0.5)
    return nodes.product(nodes.smooth_step(nodes.sum(streaks, thaw), 0.15, 0.75), face, 0.55, _living(nodes, site))


def scree_colour(nodes: Nodes, site: GroundInputs, scree: Value) -> bpy.types.NodeSocket:
    """Return loose stones, each as light or dark as it broke."""
    stones = loose_stones(nodes, site)
    shade, chance, _ = nodes.node("ShaderNodeSeparateColor", {0: stones["Color"]}).outputs
    light = nodes.math("MULTIPLY_ADD", shade, 0.6, 0.7)
    gaps = nodes.smooth_step(stones["Distance"], 0.25, 0.7)
    light = nodes.product(light, nodes.math("MULTIPLY_ADD", gaps, -0.45, 1.0))
    # Grit lies between the stones and hides every third one.
    light = nodes.mix_numbers(nodes.product(nodes.smooth_step(chance, 0.30, 0.36), site.closeness), 1.0, light)
    # Stones are sorted: runs of coarse, dark ones lie beside runs of grit.
    light = nodes.product(light, nodes.mix_numbers(nodes.smooth_step(site.middle, -0.12, 0.12), 0.80, 1.10))
    light = nodes.math("MULTIPLY_ADD", site.hollow, 0.20, light)
    # Where beds differ much, what falls from them has their colours.
    banding = nodes.product(nodes.math("SUBTRACT", site.banding, 1.0), 0.35)
    light = nodes.math("MULTIPLY_ADD", site.bands, at_least_zero(nodes, banding), light)
    light = nodes.math("MAXIMUM", nodes.math("MULTIPLY_ADD", site.crag, 0.10, light), _DARKEST)
    return mottled(nodes, site, nodes.mix_colours(1.0, scree, grey(nodes, light), blend="MULTIPLY"))


def mottled(nodes: Nodes, site: GroundInputs, colour: Value, strength: Value = 1.0) -> bpy.types.NodeSocket:
    """Return a colour with lighter and darker spots of three sizes, 0 to 1 times as strong as on most ground."""
    spots = nodes.sum(nodes.product(site.middle, 0.42), nodes.product(site.grain, site.closeness, 0.28))
    light = nodes.math("MAXIMUM", nodes.math("MULTIPLY_ADD", spots, strength, 1.0), 0.35)
    return nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")


def relief_shade(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return a factor for light: worn edges are lighter, hollows with dust and moss are darker."""
    # Wind moves all sand of a dune, so its crest is like its foot.
    worn = nodes.product(nodes.math("SUBTRACT", 1.0, is_desert(nodes, site)), _uneven(nodes, site), 6.0)
    light = nodes.math("MULTIPLY_ADD", limited(nodes, site.curvature, 0.03), worn, 1.0)
    return nodes.math("MULTIPLY_ADD", site.hollow, nodes.product(_uneven(nodes, site), 0.10), light)
