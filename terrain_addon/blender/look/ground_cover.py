"""What covers the ground: which share of a place each cover takes, its colour, and its roughness.

Covers are rock, scree, soil, grass, forest floor, shore, snow and water.  Each function adds the nodes for one of them
to the node group "Landscape Ground".  A share is 0 where a cover is absent and 1 where it hides all below it.  Where
two covers meet, noise decides that is also the height of the bump: so soil and grass fill the hollows of what they lie
on.  Lengths are metres, colours linear RGB, angles degrees.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import bpy

from ...core.maps.colour import COLDEST, COLOURINGS, RAMP_OF, STEPPED, STONES, ramp_stops
from ...core.meshing.plant_meshes import Colour
from .nodes import Nodes, Value
from .shading import at_least_zero, grey, wave_of_year

GROUND_MAPS = (
    "slope",
    "sediment",
    "humidity",
    "illumination",
    "curvature",
    "drainage",
    "wet_ground",
    "water_depth",
)
"""Maps that the land material reads as point attributes; a missing one counts as 0."""


class GroundInputs:
    """What all covers ask about a place.

    Attributes
    ----------
    inputs : collection of NodeSocket
        Inputs of the node group: the appearance and the colours of the covers.
    position, altitude : NodeSocket
        Of the place in the land's own metres.
    height_share : NodeSocket
        Altitude as a share of the land's range, 0 to 1.
    humidity, sediment, illumination, curvature, drainage, wet_ground, water_depth : NodeSocket
        Maps; see `core.maps`.
    bare_slope, slope : NodeSocket
        The slope in degrees, and the same with noise added.
    broad, middle, fine, grain : NodeSocket
        Noise with features of 260, 34, 4.5 and 0.7 m, about -1 to 1.
    beds : NodeSocket
        Beds of rock as noise, about -1 to 1.
    tint, earthy_tint, banding : NodeSocket
        Colour of the rock as a factor on grey, the same for soil and sand, and how strongly its beds differ.
    nearness, closeness, middle_nearness : NodeSocket
        1 near the camera and 0 where fine, grain and middle noise would be finer than a pixel.
    cold, autumn, spring : NodeSocket
        How much the season is winter, autumn and spring, 0 to 1.
    """

    def __init__(self, nodes: Nodes, inputs: bpy.types.bpy_prop_collection) -> None:
        self.inputs = inputs
        coordinates = nodes.node("ShaderNodeTexCoord").outputs
        self.position = coordinates["Object"]
        self.altitude = nodes.node("ShaderNodeSeparateXYZ", {0: self.position}).outputs["Z"]
        self.height_share = nodes.node("ShaderNodeSeparateXYZ", {0: coordinates["Generated"]}).outputs["Z"]
        maps = {name: nodes.attribute(name).outputs["Fac"] for name in GROUND_MAPS}
        self.humidity, self.sediment, self.illumination = maps["humidity"], maps["sediment"], maps["illumination"]
        self.curvature, self.drainage = maps["curvature"], maps["drainage"]
        self.wet_ground, self.water_depth = maps["wet_ground"], maps["water_depth"]
        self.broad = _signed(nodes, nodes.noise(self.position, 260.0, 4.0))
        self.middle = _signed(nodes, nodes.noise(self.position, 34.0, 5.0, 0.6))
        self.fine = _signed(nodes, nodes.noise(self.position, 4.5, 3.0, 0.6))
        self.grain = _signed(nodes, nodes.noise(self.position, 0.7, 4.0, 0.65))
        # Beds of rock are wide and thin, gently folded and broken in places.
        folds = nodes.sum(nodes.product(self.broad, 22.0), nodes.product(self.middle, 5.0))
        bent = nodes.vector_math("ADD", self.position, nodes.node("ShaderNodeCombineXYZ", {"Z": folds}).outputs[0])
        flat = nodes.vector_math("MULTIPLY", bent, (0.12, 0.16, 1.0))
        self.beds = _signed(nodes, nodes.noise(flat, 46.0, 3.0, 0.6))
        ragged = nodes.sum(nodes.product(self.broad, 5.0), nodes.product(self.middle, 6.0))
        self.bare_slope = maps["slope"]
        self.slope = nodes.sum(maps["slope"], ragged)
        # A ramp holds numbers up to 1.
        stones, most = list(STONES.values()), 2.5
        bandings = [stone.banding / most for stone in stones]
        tints = _by_stone(nodes, inputs["Stone"], [_share(stone.tint, most) for stone in stones], bandings)
        earthy = _by_stone(nodes, inputs["Stone"], [_share(stone.earthy_tint, most) for stone in stones], bandings)
        self.tint, self.banding = nodes.scaled(tints.outputs[0], most), nodes.product(tints.outputs[1], most)
        self.earthy_tint = nodes.scaled(earthy.outputs[0], most)
        # Far away, fine relief is finer than a pixel and would only shimmer.
        distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
        self.nearness = nodes.smooth_step(distance, 2500.0, 150.0)
        self.closeness = nodes.smooth_step(distance, 160.0, 15.0)
        self.middle_nearness = nodes.smooth_step(distance, 12000.0, 1500.0)
        # Seasons are waves of one year.  They depend on the inputs only, so Cycles computes them once.
        half = nodes.math("MULTIPLY_ADD", wave_of_year(nodes, inputs["Season"], COLDEST), 0.5, 0.5)
        self.cold = nodes.math("MULTIPLY", half, half)
        self.autumn = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, inputs["Season"], 9.8)), 3.0)
        self.spring = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, inputs["Season"], 4.8)), 2.0)


class RoughCovers(NamedTuple):
    """Shares of the covers that decide how rough the ground is."""

    rock: Value
    scree: Value
    snow: Value
    sand: Value


def rock_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where rock shows: on steep ground, on hard beds and on ridges."""
    # Loose soil hides the rock on slopes up to about 10° steeper than bare ones.  Hard beds break through.
    bare = nodes.math("MULTIPLY_ADD", site.sediment, -4.0, site.slope)
    bare = nodes.math("MULTIPLY_ADD", site.beds, 8.0, bare)
    bare = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.04), 130.0, bare)
    return nodes.smooth_step(bare, 37.0, 43.0)


def sand_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where wind draws ripples into bare sand: where nothing grows, but not on slip faces."""
    bare = nodes.math("MULTIPLY_ADD", site.inputs["Vegetation"], -12.5, 1.0, clamp=True)
    return nodes.product(bare, nodes.smooth_step(site.bare_slope, 32.0, 26.0))


def scree_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where loose stones lie: on steep slopes that are too high or too dry for plants."""
    steep = nodes.smooth_step(site.slope, 28.0, 35.0)
    ragged = nodes.sum(nodes.product(site.broad, 70.0), nodes.product(site.middle, 60.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    dry = nodes.sum(site.humidity, nodes.product(site.middle, 0.06), nodes.product(site.broad, 0.06))
    bare = nodes.math("MAXIMUM", nodes.smooth_step(above, -350.0, 50.0), nodes.smooth_step(dry, 0.20, 0.08))
    return nodes.product(steep, nodes.smooth_step(dry, 0.40, 0.22), bare)


def grass_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where grass grows: on moist ground that is not too steep, up to well above the tree line."""
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 50.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    moist = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.middle, 0.06)), 0.05, 0.2)
    low, gentle = nodes.smooth_step(above, 350.0, 150.0), nodes.smooth_step(site.slope, 52.0, 38.0)
    return nodes.product(low, moist, gentle, site.inputs["Vegetation"])


def forest_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where the ground lies under trees: moist, not steep, below the tree line."""
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 30.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    moist = nodes.smooth_step(
        nodes.sum(site.humidity, nodes.product(site.broad, 0.08), nodes.product(site.middle, 0.05)), 0.2, 0.32
    )
    low, gentle = nodes.smooth_step(above, 60.0, -120.0), nodes.smooth_step(site.slope, 43.0, 35.0)
    return nodes.product(low, moist, gentle, site.inputs["Vegetation"])


def shore_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where water has washed the soil away: shores and river beds, but no steep gorges."""
    near = nodes.smooth_step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.12)), 0.45, 0.75)
    return nodes.product(near, nodes.smooth_step(site.bare_slope, 26.0, 14.0))


def wet_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where the ground is wet, and therefore dark and shiny."""
    near = nodes.smooth_step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.05)), 0.8, 1.0)
    return nodes.math("MAXIMUM", near, nodes.smooth_step(site.water_depth, 0.0, 0.3))


def snow_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where snow lies, which comes further down in winter."""
    descent = nodes.product(site.inputs["Winter Descent"], -1.0)
    line = nodes.math("MULTIPLY_ADD", site.cold, descent, site.inputs["Snow Line"])
    # Snow lasts longer in gullies and in shade.  It disappears first from spurs, which the wind clears.
    shelter = nodes.math("MULTIPLY_ADD", site.illumination, -260.0, 110.0)
    shelter = nodes.math("MULTIPLY_ADD", site.humidity, 100.0, shelter)
    shelter = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.02), -3500.0, shelter)
    ragged = nodes.sum(nodes.product(site.broad, 45.0), nodes.product(site.middle, 30.0), nodes.product(site.fine, 7.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, line), shelter, ragged)
    # Snow slides off steep faces but stays on the ledges between beds.
    steep = nodes.sum(site.slope, nodes.product(site.fine, 3.0), nodes.product(site.beds, 6.0))
    return nodes.product(nodes.smooth_step(above, 0.0, 120.0), nodes.smooth_step(steep, 54.0, 43.0))


def soil_colour(nodes: Nodes, site: GroundInputs, soil: Value) -> bpy.types.NodeSocket:
    """Return bare soil with spots, darker where it is moist."""
    wet = nodes.product(nodes.smooth_step(site.humidity, 0.3, 0.9), 0.6)
    return nodes.mix_colours(wet, mottled(nodes, site, soil), (0.5, 0.47, 0.45), blend="MULTIPLY")


def grass_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return grass: greener on moist ground and in spring, drier in winter, russet in autumn."""
    patches = nodes.sum(nodes.product(site.broad, 0.16), nodes.product(site.middle, 0.10))
    season = nodes.math("MULTIPLY_ADD", site.spring, 0.25, nodes.product(site.cold, -0.35))
    lush = nodes.smooth_step(nodes.sum(site.humidity, patches, season), 0.12, 0.45)
    colour = nodes.mix_colours(lush, site.inputs["Dry Grass"], site.inputs["Grass"])
    turned = nodes.product(site.autumn, nodes.smooth_step(nodes.math("SUBTRACT", patches, site.humidity), -0.7, 0.0))
    return mottled(nodes, site, nodes.mix_colours(turned, colour, site.inputs["Russet"]))


def forest_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return the forest floor, with russet leaves in autumn."""
    leaves = nodes.product(site.autumn, nodes.smooth_step(site.broad, -0.4, 0.6))
    russet = nodes.product(leaves, 0.7)
    return mottled(nodes, site, nodes.mix_colours(russet, site.inputs["Forest Floor"], site.inputs["Russet"]))


def shore_colour(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return sand on level shores, gravel on steeper ones and where a large area drains through."""
    coarse = nodes.smooth_step(nodes.sum(site.bare_slope, nodes.product(site.middle, 2.0)), 3.0, 7.0)
    # Drainage areas from 10 ha to 1 km².
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", site.drainage, 1.0), 10.0)
    coarse = nodes.math("MAXIMUM", coarse, nodes.smooth_step(area, 5.0, 6.0))
    sand = tinted(nodes, site.inputs["Sand"], site.earthy_tint)
    gravel = tinted(nodes, site.inputs["Gravel"], site.tint)
    return mottled(nodes, site, nodes.mix_colours(coarse, sand, gravel))


def rock_colour(nodes: Nodes, site: GroundInputs, rock: Value) -> bpy.types.NodeSocket:
    """Return rock in beds of different colours, with dark water streaks on faces and lichen on damp ground."""
    streaks = nodes.noise(nodes.vector_math("MULTIPLY", site.position, (1.0, 1.0, 0.12)), 30.0, 3.0, 0.6)
    light = nodes.math("MULTIPLY_ADD", site.beds, nodes.product(site.banding, 0.26), 1.0)
    light = nodes.math("MAXIMUM", light, 0.4)
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, light)
    light = nodes.math("MULTIPLY_ADD", site.broad, 0.16, light)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.16), light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.14), light)
    light = nodes.product(light, nodes.mix_numbers(nodes.smooth_step(streaks, 0.40, 0.60), 0.74, 1.06))
    hue = nodes.smooth_step(nodes.sum(site.beds, nodes.product(site.broad, 0.9)), -0.8, 1.0)
    warm = nodes.mix_colours(hue, (0.90, 0.97, 1.08), (1.13, 1.0, 0.85))
    damp = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.broad, 0.12)), 0.15, 0.55)
    tinted = nodes.mix_colours(1.0, rock, warm, blend="MULTIPLY")
    mossy = nodes.mix_colours(nodes.product(damp, 0.55), tinted, (0.085, 0.090, 0.055))
    return nodes.mix_colours(1.0, mossy, grey(nodes, light), blend="MULTIPLY")


def tinted(nodes: Nodes, colour: Value, tint: Value) -> bpy.types.NodeSocket:
    """Return a colour of grey rock as it is on the rock of the land."""
    return nodes.mix_colours(1.0, colour, tint, blend="MULTIPLY")


def mottled(nodes: Nodes, site: GroundInputs, colour: Value) -> bpy.types.NodeSocket:
    """Return a colour with lighter and darker spots of three sizes."""
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, 1.0)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.22), light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.20), light)
    return nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")


def relief_shade(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return a factor for light: worn edges are lighter, hollows with dust and moss are darker."""
    return nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.03), 9.0, 1.0)


def through_water(nodes: Nodes, site: GroundInputs, colour: Value) -> bpy.types.NodeSocket:
    """Return a colour as seen through the water above it; it fades with depth after Beer's law."""
    clear = nodes.math("POWER", 0.72, site.water_depth)
    return nodes.mix_colours(clear, (0.006, 0.030, 0.034), colour)


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


def bumped_normal(
    nodes: Nodes, site: GroundInputs, covers: RoughCovers, strength: Value, normal: Value
) -> bpy.types.NodeSocket:
    """Return the normal of relief finer than the mesh.

    Parameters
    ----------
    nodes : Nodes
    site : GroundInputs
    covers : RoughCovers
    strength : NodeSocket or float
        0 switches the bump off, 1 is all of it.
    normal : NodeSocket
        Normal of the mesh.
    """
    # Cycles computes the height three times.  So the height is noise alone, and the shares of the covers only scale it.
    rock, scree, snow, sand = covers
    rough = nodes.math("MAXIMUM", rock, nodes.product(scree, 0.25))
    fine = nodes.product(site.nearness, nodes.mix_numbers(rock, 0.30, 0.18))
    height = nodes.math("MULTIPLY_ADD", site.fine, fine, nodes.product(site.middle, 0.6))
    height = nodes.math("MULTIPLY_ADD", site.beds, nodes.product(rock, 0.9), height)
    grain = nodes.product(site.closeness, nodes.mix_numbers(rough, 0.07, 0.035))
    height = nodes.math("MULTIPLY_ADD", site.grain, grain, height)
    ripples = nodes.product(_ripples(nodes, site.position, 11.0), site.nearness, 0.5)
    ripples = nodes.math(
        "MULTIPLY_ADD", _ripples(nodes, site.position, 1.1), nodes.product(site.closeness, 0.06), ripples
    )
    # The wind sweeps sand smooth between its ripples.
    height = nodes.mix_numbers(sand, height, ripples)
    metres = nodes.product(nodes.mix_numbers(rough, 0.5, 3.2), nodes.mix_numbers(snow, 1.0, 0.4))
    metres = nodes.product(metres, site.middle_nearness, strength)
    return nodes.bump(1.0, metres, height, normal)


def _ripples(nodes: Nodes, position: Value, wavelength: float) -> bpy.types.NodeSocket:
    """Return ripples across a wind from the west, 0 to 1; they fork and end as those in sand do."""
    # The node has a wave for every 2π/20 units.
    scale = 2.0 * math.pi / 20.0 / wavelength
    inputs = {"Vector": position, "Scale": scale, "Distortion": 5.0, "Detail": 2.0, "Detail Scale": 0.7}
    return nodes.node("ShaderNodeTexWave", inputs).outputs["Fac"]


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
    return _filled_node(nodes, [((place - low) / (high - low), colour) for place, colour in stops], share).outputs[0]


def _steps_node(nodes: Nodes, stops: Sequence[tuple[float, Colour]], share: Value) -> bpy.types.NodeSocket:
    """Return the colour of a share of the range of heights, the same from each stop to the next."""
    node = _filled_node(nodes, stops, share)
    node.color_ramp.interpolation = "CONSTANT"
    return node.outputs[0]


def _filled_node(nodes: Nodes, stops: Sequence[tuple[float, Colour]], share: Value) -> bpy.types.Node:
    """Return a node with a colour ramp; stops are places from 0 to 1 and colours."""
    node = nodes.node("ShaderNodeValToRGB", {0: share})
    elements = node.color_ramp.elements
    while len(elements) < len(stops):
        elements.new(1.0)
    for element, (place, colour) in zip(elements, stops):
        element.position, element.color = place, (*colour, 1.0)
    return node


def _by_stone(nodes: Nodes, number: Value, colours: Sequence[Colour], alphas: Sequence[float]) -> bpy.types.Node:
    """Return a colour ramp that tells colour and alpha of one kind of rock; all are 0 to 1."""
    place = nodes.math("MULTIPLY_ADD", number, 1.0 / len(colours), 0.5 / len(colours))
    ramp = _filled_node(nodes, [(k / len(colours), colour) for k, colour in enumerate(colours)], place)
    ramp.color_ramp.interpolation = "CONSTANT"
    for element, alpha in zip(ramp.color_ramp.elements, alphas):
        element.color[3] = alpha
    return ramp


def _share(tint: Colour, most: float) -> Colour:
    """Return a tint as a share of the most that a ramp is to hold."""
    red, green, blue = (part / most for part in tint)
    return red, green, blue


def _limited(nodes: Nodes, value: Value, limit: float) -> bpy.types.NodeSocket:
    """Return a value cut off at plus and minus a limit."""
    return nodes.math("MAXIMUM", nodes.math("MINIMUM", value, limit), -limit)


def _signed(nodes: Nodes, noise: Value) -> bpy.types.NodeSocket:
    """Stretch noise from 0 to 1 to -2 to 2; nearly all of it then lies between -1 and 1."""
    return nodes.math("MULTIPLY_ADD", noise, 4.0, -2.0)
