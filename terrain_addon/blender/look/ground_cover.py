"""What covers the ground: which share of a place each cover takes, its colour, and its roughness.

Covers are rock, scree, soil, grass, forest floor, shore, snow and water.  Each function adds the nodes for one of them
to the node group "Landscape Ground".  A share is 0 where a cover is absent and 1 where it hides all below it.  Where
two covers meet, noise decides that is also the height of the bump: so soil and grass fill the hollows of what they lie
on.  Lengths are metres, colours linear RGB, angles degrees.
"""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import bpy

from ...core.maps.colour import COLDEST, COLOURINGS, RAMP_OF, STEPPED, STONES, ramp_stops
from ...core.meshing.plant_meshes import Colour
from ..data.attributes import CROWN_COVER, DETAIL, NEAR_RELIEF, SNOW_COVER
from .nodes import Nodes, Value, active_socket
from .shading import at_least_zero, grey, wave_of_year

SLOPE = "slope"
"""Map of the slope in degrees."""

GROUND_MAPS = (
    SLOPE,
    "sediment",
    "humidity",
    "illumination",
    "curvature",
    "drainage",
    "wet_ground",
    "water_depth",
    SNOW_COVER,
)
"""Maps that the land material reads as point attributes; a missing one counts as 0."""

TEXTURE_SPACING = "Texture Spacing"
"""Input of the node group: metres between the texels of a normal map that holds the detail; 0 without one."""

_PIXEL = 0.0009  # as a share of the distance, in a picture 1100 pixels wide
# The least length in metres over which slopes of fine relief are measured: floats of places on wide land have steps of
# half a millimetre; and the least share of a pixel's length that a slope shows which is seen along.
_LEAST_STEP, _GRAZING = 0.02, 0.1
_LEAN = 0.75  # how far the normal may turn from that of the mesh: 44°
_WIDEST_BED = max(stone.bed_spacing for stone in STONES.values())  # metres
_FLOW_THICKNESS = 0.1  # metres: grain flows on slip faces
_STONE = 0.8  # metres between stones of scree
# Faces of broken rock: metres across the largest, how much taller than wide they are, and how far they turn.
_FACE, _UPRIGHT, _TURNED = 36.0, 2.5, 3.2
_DARKEST = 0.45  # of scree as a share of its own colour: stones of a dark bed that lie in a gap are not black
CARRIED = 0.25
"""Share of the bump of rock and scree that geometry near the camera replaces; what is finer than its faces stays."""
_MOSS, _DEAD_LEAVES = (0.045, 0.058, 0.016), (0.105, 0.080, 0.052)
_COLD_ROCK, _WARM_ROCK = (0.90, 0.97, 1.08), (1.11, 1.0, 0.88)
_ASH, _CINDERS, _LAVA = (0.072, 0.068, 0.064), (0.135, 0.058, 0.040), (0.021, 0.020, 0.021)
_OLD_CINDERS, _RUBBLE = (0.074, 0.048, 0.043), (0.098, 0.086, 0.076)
_SULPHUR, _BLEACHED, _RUST = (0.470, 0.390, 0.110), (0.300, 0.270, 0.225), (0.170, 0.070, 0.035)
# Beds of clay from grey to ochre, as factors on the tint of clay, by their places in a formation.
_CLAYS = (
    (0.05, (0.86, 0.98, 1.20)),
    (0.24, (1.45, 1.68, 1.80)),
    (0.34, (1.30, 1.14, 1.16)),
    (0.46, (1.62, 1.92, 2.05)),
    (0.56, (0.95, 0.70, 0.68)),
    (0.66, (1.50, 1.72, 1.72)),
    (0.80, (1.32, 1.22, 0.92)),
    (0.95, (0.90, 0.72, 0.70)),
)
# Beds of sandstone: chocolate shale, red and orange sand, and pale sand of old dunes.
_SANDSTONES = (
    (0.10, (0.52, 0.52, 0.58)),
    (0.28, (0.84, 0.70, 0.66)),
    (0.40, (1.10, 1.02, 0.96)),
    (0.50, (1.26, 1.40, 1.52)),
    (0.57, (0.88, 0.76, 0.74)),
    (0.68, (1.40, 1.72, 2.05)),
    (0.80, (1.06, 0.98, 0.92)),
    (0.92, (0.60, 0.56, 0.60)),
)
_CLAY_BED, _SANDSTONE_BED = 11.0, 46.0  # metres: the thickest beds of one colour
_VARNISH = (0.42, 0.36, 0.36)  # of the colour below it
_CRUST = (0.390, 0.335, 0.265)
_PALE_LICHEN, _GREEN_LICHEN, _BLACK_LICHEN = (0.215, 0.205, 0.165), (0.120, 0.130, 0.070), (0.042, 0.040, 0.036)

_TILL = (0.215, 0.214, 0.212)
_RIDGE, _HEAPS = 9.0, 5.0  # metres: heights of ridges and heaps of moraine
_BELOW_LIP = (0.50, 0.60, 0.76)
_THIN = 0.6  # share of the ground that thin snow beside the edge of snow hides
_MELT = 0.75  # how wet ground below snow is
_FLOW = 0.44  # humidity of gullies that lava has filled
# Metres: how high the banks of lava stand, how much lower it lies between them, and how rough blocks make it.
_BANK, _SUNK, _BLOCKS = 12.0, 4.5, 1.5
# How far from a vent lava has run and red cinders have fallen, and where the ground is hot; in radii of the crater.
_LAVA_RAN, _CINDERS_FELL, _HOT = (1.0, 4.5), (3.2, 1.3), (0.85, 0.45)

VENT = "vent"
"""Property of a land: metres east and north of its origin where its volcano has its vent, and radius of the crater."""

RIVER_AS_A_CELL = "river_as_a_cell"
"""Property of a land: the decimal logarithm of the m² that a river drains which is as wide as a cell."""
# Rivers this much smaller, in powers of ten of what they drain, have no banks; nor does what drains less than a river.
_NARROWING, _NO_RIVER = 0.6, (4.3, 5.0)


class GroundSite(NamedTuple):
    """What a tree of nodes knows about a place on the ground.

    Attributes
    ----------
    position : NodeSocket
        In the land's own metres.
    height_share : NodeSocket or float
        Altitude as a share of the land's range, 0 to 1.
    distance : NodeSocket
        Metres from the camera.
    maps : dict of str to NodeSocket
        One for each of GROUND_MAPS.
    detail : NodeSocket
        Slope to the east and north and height of the detail that is finer than the mesh.
    crown_cover : NodeSocket
        Share of the ground that crowns of trees cover, 0 to 1.
    vent : NodeSocket or tuple of float
        What the property VENT says; a radius of 0 stands for no vent.
    """

    position: bpy.types.NodeSocket
    height_share: Value
    distance: bpy.types.NodeSocket
    maps: Mapping[str, bpy.types.NodeSocket]
    detail: bpy.types.NodeSocket
    crown_cover: bpy.types.NodeSocket
    vent: Value = (0.0, 0.0, 0.0)


def seen_site(nodes: Nodes) -> GroundSite:
    """Return what a shader knows about the place that it colours."""
    coordinates = nodes.node("ShaderNodeTexCoord").outputs
    maps = {name: nodes.attribute(name).outputs["Fac"] for name in GROUND_MAPS}
    maps["wet_ground"] = _without_narrow_rivers(nodes, maps["wet_ground"], maps["drainage"])
    return GroundSite(
        position=coordinates["Object"],
        height_share=nodes.node("ShaderNodeSeparateXYZ", {0: coordinates["Generated"]}).outputs["Z"],
        distance=nodes.node("ShaderNodeCameraData").outputs["View Distance"],
        maps=maps,
        detail=nodes.attribute(DETAIL).outputs["Vector"],
        crown_cover=nodes.attribute(CROWN_COVER).outputs["Fac"],
        vent=nodes.attribute(VENT, "OBJECT").outputs["Vector"],
    )


def _without_narrow_rivers(nodes: Nodes, wet_ground: Value, drainage: Value) -> bpy.types.NodeSocket:
    """Return how wet the ground is, without rivers narrower than a cell, whose banks would be a row of wide spots."""
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", drainage, 1.0), 10.0)
    as_a_cell = nodes.attribute(RIVER_AS_A_CELL, "OBJECT").outputs["Fac"]
    wide = nodes.smooth_step(area, nodes.math("SUBTRACT", as_a_cell, _NARROWING), as_a_cell)
    dry = nodes.product(nodes.smooth_step(area, *_NO_RIVER), nodes.math("SUBTRACT", 1.0, wide))
    return nodes.product(wet_ground, nodes.math("SUBTRACT", 1.0, dry))


class GroundInputs:
    """What all covers ask about a place.

    Parameters
    ----------
    nodes : Nodes
        Of a shader or of Geometry Nodes.
    inputs : mapping of str to NodeSocket or value
        Inputs of the node group: the appearance and the colours of the covers.
    site : GroundSite
        The place.

    Attributes
    ----------
    inputs : mapping of str to NodeSocket or value
        As given.
    position, altitude : NodeSocket
        Of the place in the land's own metres.
    height_share : NodeSocket
        Altitude as a share of the land's range, 0 to 1.
    humidity, sediment, illumination, curvature, drainage, wet_ground, water_depth : NodeSocket
        Maps; see `core.maps`.
    snow_cover : NodeSocket
        See `attributes.SNOW_COVER`.
    moraine : NodeSocket
        Share of the ground that ice of today has left rock on, 0 to 1.
    distance : NodeSocket
        Metres from the camera.
    bare_slope, slope : NodeSocket
        The slope in degrees, and the same with noise added.
    broad, middle, grain : NodeSocket
        Noise whose largest features are 260, 34 and 0.9 m, about -1 to 1.  That of 34 m has finer ones down to a pixel.
    beds, bands : NodeSocket
        Beds of rock as noise, about -1 to 1; and with sharp borders, as colour shows them.
    crag, joint, streak : NodeSocket
        Crests and notches of rock as noise, about -1 to 1; where joints cut it, 0 to 1; and noise that is drawn out
        down slopes.
    hollow : NodeSocket
        Gullies and ribs of the detail as the vertices show it: -1 in the bottom, 1 on a crest, 0 without detail.
    ribbed : NodeSocket
        How much ribs and gullies differ in what covers them, 0 to 1.  Some faces are swept bare on each rib, others on
        none; if all were, they would look pleated.
    crown_cover : NodeSocket
        Share of the ground that crowns of trees cover, 0 to 1.
    tint, earthy_tint, banding, bed_share, bedding : NodeSocket
        Colour of the rock as a factor on grey, the same for soil and sand, how strongly its beds differ, how thick they
        are as a share of the thickest of any rock, and how much they stand out here, 0 to 1.
    above_tree_line, above_trees : NodeSocket
        Metres above the tree line with noise added; and 1 where it is far too high for trees, 0 where it is not.
    faces : NodeSocket
        Three numbers for each face of broken rock, -0.5 to 0.5.
    volcanic, clay, sandstone : NodeSocket
        1 on dark rock, which a volcano has made, on clay in bands, and on red rock, else 0.
    from_vent : NodeSocket
        How far away the vent of a volcano is, in radii of its crater; very far where there is none.
    rays : NodeSocket
        Noise that is drawn out away from the vent, as what has run down a cone is, about -1 to 1.
    hot : NodeSocket
        Where a vent has made the ground hot, 0 to 1.
    nearness, closeness, middle_nearness : NodeSocket
        1 near the camera and 0 where fine, grain and middle noise would be finer than a pixel.
    cold, autumn, spring : NodeSocket
        How much the season is winter, autumn and spring, 0 to 1.
    """

    def __init__(self, nodes: Nodes, inputs: Any, site: GroundSite) -> None:
        self.inputs = inputs
        self.position, self.height_share, maps = site.position, site.height_share, site.maps
        self.altitude = nodes.node("ShaderNodeSeparateXYZ", {0: self.position}).outputs["Z"]
        self.humidity, self.sediment, self.illumination = maps["humidity"], maps["sediment"], maps["illumination"]
        self.curvature, self.drainage = maps["curvature"], maps["drainage"]
        self.wet_ground, self.water_depth, self.snow_cover = maps["wet_ground"], maps["water_depth"], maps[SNOW_COVER]
        self.moraine = at_least_zero(nodes, nodes.product(self.snow_cover, -1.0))
        # Far away, fine relief is finer than a pixel and would only shimmer.
        self.distance = distance = site.distance
        self.nearness = nodes.smooth_step(distance, 4000.0, 300.0)
        self.closeness = nodes.smooth_step(distance, 400.0, 40.0)
        self.middle_nearness = nodes.smooth_step(distance, 12000.0, 1500.0)
        # Noise has as many octaves as pixels can show.
        self.octaves = nodes.math("MULTIPLY", nodes.math("LOGARITHM", nodes.sum(distance, 1.0), 2.0), -1.0)
        self.broad = nodes.signed_noise(self.position, 260.0, 4.0, 0.55)
        # A ramp holds numbers up to 1.
        stones, most = list(STONES.values()), 2.5
        bandings = [stone.banding / most for stone in stones]
        spacings = [stone.bed_spacing / _WIDEST_BED for stone in stones]
        tints = _by_stone(nodes, inputs["Stone"], [_share(stone.tint, most) for stone in stones], bandings)
        earthy = _by_stone(nodes, inputs["Stone"], [_share(stone.earthy_tint, most) for stone in stones], spacings)
        self.tint, self.banding = nodes.scaled(tints.outputs[0], most), nodes.product(tints.outputs[1], most)
        self.earthy_tint = nodes.scaled(earthy.outputs[0], most)
        self.volcanic, self.clay, self.sandstone = (
            nodes.math("COMPARE", inputs["Stone"], float(list(STONES).index(stone)), 0.5)
            for stone in ("dark", "banded", "red")
        )
        self.bed_share = earthy.outputs[1]
        above = nodes.math("SUBTRACT", self.altitude, inputs["Tree Line"])
        self.above_tree_line = nodes.sum(above, nodes.product(self.broad, 80.0))
        self.above_trees = nodes.smooth_step(self.above_tree_line, -50.0, 300.0)
        bent = self._make_noise(nodes)
        self.faces = self._make_faces(nodes)
        self.from_vent, self.rays = _around_vent(nodes, site.vent, self.position, self.middle)
        hot = nodes.smooth_step(nodes.math("MULTIPLY_ADD", self.broad, 0.22, self.from_vent), *_HOT)
        self.hot = nodes.product(self.volcanic, hot)
        # Clay takes the colour of each bed, and what rain loosens of it keeps that colour; sandstone takes less of it.
        beds = nodes.mix_colours(self.clay, (1.0, 1.0, 1.0), _formation(nodes, bent, _CLAYS, _CLAY_BED))
        sands = _formation(nodes, bent, _SANDSTONES, _SANDSTONE_BED)
        beds = nodes.mix_colours(nodes.product(self.sandstone, 0.8), beds, sands)
        self.tint = tinted(nodes, self.tint, beds)
        self.earthy_tint = nodes.mix_colours(nodes.product(self.clay, 0.85), self.earthy_tint, self.tint)
        # Most beds end where the next one begins, and few fade into it.
        bands = nodes.mix_numbers(nodes.smooth_step(self.beds, -0.22, 0.22), -0.55, 0.55)
        # Each is made of thinner ones.
        thin = nodes.smooth_step(nodes.math("PINGPONG", nodes.product(self.beds, 3.5), 1.0), 0.35, 0.65)
        self.bands = nodes.math("MULTIPLY_ADD", nodes.math("SUBTRACT", thin, 0.5), 0.7, bands)
        # Rock whose beds are alike is massive in many places; everywhere beds would look like the grain of wood.
        bedding = nodes.math("MULTIPLY_ADD", self.banding, 0.45, nodes.product(self.broad, 0.35))
        self.bedding = nodes.math("MINIMUM", at_least_zero(nodes, bedding), 1.0)
        down = nodes.vector_math("MULTIPLY", self.position, (1.0, 1.0, 0.14))
        self.streak = nodes.signed_noise(down, 16.0, self.shown(nodes, 16.0, 4.0), 0.6)
        without_texture = nodes.math("LESS_THAN", inputs[TEXTURE_SPACING], 1e-6)
        self.detail = nodes.scaled(site.detail, nodes.product(inputs["Detail"], without_texture))
        height = nodes.node("ShaderNodeSeparateXYZ", {0: site.detail}).outputs["Z"]
        self.hollow = _limited(nodes, nodes.product(height, inputs["Detail"], 0.3), 1.0)
        self.ribbed = nodes.smooth_step(self.broad, -0.10, 0.45)
        self.crown_cover = site.crown_cover
        self.bare_slope = maps[SLOPE]
        self.slope = self._ragged_slope(nodes)
        # Seasons are waves of one year.  They depend on the inputs only, so Cycles computes them once.
        half = nodes.math("MULTIPLY_ADD", wave_of_year(nodes, inputs["Season"], COLDEST), 0.5, 0.5)
        self.cold = nodes.math("MULTIPLY", half, half)
        self.autumn = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, inputs["Season"], 9.8)), 3.0)
        self.spring = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, inputs["Season"], 4.8)), 2.0)

    def again(self, nodes: Nodes) -> "GroundInputs":
        """Return the same, with its fine noise made anew by the tree at hand, from the place and the broad noise."""
        site = copy.copy(self)
        site._make_noise(nodes)
        site.slope = site._ragged_slope(nodes)
        return site

    def _make_noise(self, nodes: Nodes) -> bpy.types.NodeSocket:
        """Make the noise that fine relief consists of; return the place as folds of the beds move it."""
        self.middle = nodes.signed_noise(self.position, 34.0, self.shown(nodes, 34.0, 8.0), 0.66)
        self.grain = nodes.signed_noise(self.position, 0.9, self.shown(nodes, 0.9, 4.0), 0.65)
        # Beds of rock are wide and thin, and gently folded; those that show most lie most level.
        strength = nodes.math("MAXIMUM", self.banding, 1.0)
        folds = nodes.math("DIVIDE", nodes.product(self.broad, self.bed_share, 22.0), nodes.product(strength, strength))
        bent = nodes.vector_math("ADD", self.position, nodes.node("ShaderNodeCombineXYZ", {"Z": folds}).outputs[0])
        flat = nodes.vector_math("MULTIPLY", bent, (0.12, 0.16, 1.0))
        flat = nodes.scaled(flat, nodes.math("DIVIDE", 1.0, self.bed_share))
        self.beds = nodes.signed_noise(flat, _WIDEST_BED, self.shown(nodes, _WIDEST_BED, 6.0), 0.7)
        self.crag = nodes.ridged_noise(
            nodes.vector_math("MULTIPLY", self.position, (1.0, 1.0, 1.5)), 19.0, self.shown(nodes, 19.0, 7.0, least=2.0)
        )
        self.joint = _joints(nodes, bent, self.middle)
        return bent

    def _make_faces(self, nodes: Nodes) -> bpy.types.NodeSocket:
        """Return three numbers for each face of broken rock, -0.5 to 0.5: large faces consist of smaller ones."""
        bent = nodes.vector_math("ADD", self.position, nodes.scaled((9.0, -7.0, 5.0), self.middle))
        place = nodes.vector_math("MULTIPLY", bent, (1.0, 1.0, 1.0 / _UPRIGHT))
        inputs = {
            "Vector": place,
            "Scale": 1.0 / _FACE,
            "Detail": self.shown(nodes, _FACE / 2.0, 4.0),
            "Roughness": 1.0,
        }
        cells = nodes.node("ShaderNodeTexVoronoi", inputs, voronoi_dimensions="3D", normalize=True).outputs
        return nodes.vector_math("SUBTRACT", cells["Color"], (0.5, 0.5, 0.5))

    def _ragged_slope(self, nodes: Nodes) -> bpy.types.NodeSocket:
        """Return the slope in degrees with noise added."""
        ragged = nodes.sum(nodes.product(self.broad, 5.0), nodes.product(self.middle, 9.0))
        return nodes.sum(self.bare_slope, ragged)

    def shown(self, nodes: Nodes, size: float, most: float, least: float = 0.0) -> bpy.types.NodeSocket:
        """Return how many octaves of noise pixels can show after a first one of `size` metres, `least` to `most`."""
        # A wave needs two pixels.
        octaves = nodes.sum(self.octaves, math.log2(size / (2.0 * _PIXEL)))
        return nodes.math("MINIMUM", nodes.math("MAXIMUM", octaves, least), most)


class FineForms(NamedTuple):
    """Forms that are finer than the mesh.

    Attributes
    ----------
    raised : NodeSocket or float
        Metres by which lava and moraine stand above their ground.
    hung : NodeSocket or float
        Share of the ground that overhangs, as snow does below a cornice.
    """

    raised: Value
    hung: Value


class RoughCovers(NamedTuple):
    """Shares of the covers that decide how rough the ground is."""

    rock: Value
    scree: Value
    snow: Value
    sand: Value


def rock_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where rock shows: on steep ground, on hard beds, on ribs and on ridges."""
    # Loose soil hides the rock on slopes up to about 10° steeper than bare ones.  Hard beds break through.
    bare = nodes.math("MULTIPLY_ADD", site.sediment, -4.0, site.slope)
    bare = nodes.math("MULTIPLY_ADD", site.beds, 8.0, bare)
    bare = nodes.math("MULTIPLY_ADD", site.crag, 4.0, bare)
    bare = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, 1.0, 6.0), bare)
    bare = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.04), 130.0, bare)
    # The wind blows sand over each ledge that it does not bury.
    bare = nodes.math("MULTIPLY_ADD", _blown_over(nodes, site), -20.0, bare)
    # Above the trees no roots hold what frost has broken.
    bare = nodes.math("MULTIPLY_ADD", site.above_trees, 6.0, bare)
    # Clay has no border between rock and soil.
    return nodes.smooth_step(
        bare, nodes.math("MULTIPLY_ADD", site.clay, -6.0, 38.0), nodes.math("MULTIPLY_ADD", site.clay, 6.0, 42.0)
    )


def sand_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where wind draws ripples into bare sand: where nothing grows, but not on slip faces and brinks."""
    # On a brink each ripple would be a tooth.
    face, brink = nodes.smooth_step(site.bare_slope, 32.0, 26.0), nodes.smooth_step(site.curvature, 0.03, 0.008)
    return nodes.product(_is_desert(nodes, site), face, brink)


def _is_desert(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return 1 where nothing grows, and 0 from a little vegetation on."""
    return nodes.math("MULTIPLY_ADD", site.inputs["Vegetation"], -12.5, 1.0, clamp=True)


def _blown_over(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where sand that the wind moves lies over rock and stones."""
    return nodes.product(_is_desert(nodes, site), nodes.smooth_step(site.sediment, 0.2, 0.6))


def scree_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where loose stones lie: on steep slopes that are too high or too dry for plants, but not on dunes."""
    steep = nodes.smooth_step(site.slope, 28.0, 35.0)
    ragged = nodes.sum(nodes.product(site.broad, 70.0), nodes.product(site.middle, 60.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    dry = nodes.sum(site.humidity, nodes.product(site.middle, 0.06), nodes.product(site.broad, 0.06))
    bare = nodes.math("MAXIMUM", nodes.smooth_step(above, -350.0, 50.0), nodes.smooth_step(dry, 0.20, 0.08))
    stones = nodes.math("SUBTRACT", 1.0, _blown_over(nodes, site))
    share = nodes.product(steep, nodes.smooth_step(dry, 0.40, 0.22), bare, stones)
    return _settled(nodes, share, nodes.product(site.middle, -1.0))


def grass_share(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return where grass grows: on moist ground that is not too steep, up to well above the tree line."""
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 50.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, site.inputs["Tree Line"]), ragged)
    moist = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.middle, 0.06)), 0.05, 0.2)
    low = nodes.smooth_step(above, 350.0, 150.0)
    steep = nodes.math("MULTIPLY_ADD", site.hollow, nodes.mix_numbers(site.ribbed, 1.0, 5.0), site.slope)
    share = nodes.product(low, moist, nodes.smooth_step(steep, 52.0, 36.0))
    # Tufts stand in the hollows between stones.
    return nodes.product(_settled(nodes, share, nodes.product(site.middle, -0.8)), site.inputs["Vegetation"])


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


def wet_share(nodes: Nodes, site: GroundInputs, reach: Value) -> bpy.types.NodeSocket:
    """Return how wet the ground is, and therefore dark and shiny: beside water, and where snow melts.

    `reach` is what `snow_reach` returns.
    """
    near = nodes.smooth_step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.05)), 0.8, 1.0)
    wet = nodes.math("MAXIMUM", near, nodes.smooth_step(site.water_depth, 0.0, 0.3))
    # Melt water runs some metres down from the edge of snow; in the cold there is none.
    melt = nodes.product(nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.4, reach), -0.7, 0.0), _MELT)
    wet = nodes.math("MAXIMUM", wet, nodes.product(melt, nodes.math("SUBTRACT", 1.0, site.cold)))
    # Films of water darken stones and sand; under water there is none.
    return nodes.product(wet, nodes.mix_numbers(nodes.smooth_step(site.water_depth, 0.5, 3.0), 1.0, 0.4))


def shine(nodes: Nodes, site: GroundInputs, wet: Value) -> bpy.types.NodeSocket:
    """Return how much wet ground shines: not in the bed of a river, whose water mirrors the sky already."""
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", site.drainage, 1.0), 10.0)
    return nodes.product(wet, nodes.smooth_step(area, *_NO_RIVER[::-1]))


def snow_reach(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return how far inside its edge snow above its line is: below -0.2 there is none, from 0.75 on it is whole.

    The line comes further down in winter.
    """
    descent = nodes.product(site.inputs["Winter Descent"], -1.0)
    line = nodes.math("MULTIPLY_ADD", site.cold, descent, site.inputs["Snow Line"])
    # Snow lasts longer in gullies and in shade.  It disappears first from spurs, which the wind clears.
    shelter = nodes.math("MULTIPLY_ADD", site.illumination, -260.0, 110.0)
    shelter = nodes.math("MULTIPLY_ADD", site.humidity, 100.0, shelter)
    shelter = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.02), -3500.0, shelter)
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
    return nodes.math("MULTIPLY_ADD", far, -1.5, _raised(nodes, share, nodes.product(site.crag, -0.5)))


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
    return _settled(nodes, lies, nodes.product(nodes.sum(site.middle, site.broad), 1.3))


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
    rib = _limited(nodes, nodes.math("MULTIPLY_ADD", site.humidity, -1.2, 0.46), 0.12)
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


def soil_colour(nodes: Nodes, site: GroundInputs, soil: Value) -> bpy.types.NodeSocket:
    """Return bare soil with spots, darker where it is moist, and stony where wind and rain take it from crests."""
    wet = nodes.product(nodes.smooth_step(site.humidity, 0.3, 0.9), 0.6)
    exposed = nodes.math("MULTIPLY_ADD", site.middle, 0.006, site.curvature)
    # Crests of dunes are sand like all of them.
    has_stones = nodes.smooth_step(site.inputs["Vegetation"], 0.0, 0.08)
    # Above the trees frost breaks rock faster than soil forms.
    high = nodes.smooth_step(site.above_tree_line, -100.0, 250.0)
    exposed = nodes.math("MAXIMUM", nodes.smooth_step(exposed, 0.001, 0.010), high)
    stony = nodes.product(exposed, has_stones, 0.8)
    stones = tinted(nodes, site.inputs["Scree"], site.tint)
    # Wind sorts sand and mixes its colours, so that a dune is of one colour all over.
    spots = nodes.math("MULTIPLY_ADD", _is_desert(nodes, site), -0.7, 1.0)
    colour = mottled(nodes, site, nodes.mix_colours(stony, soil, stones), spots)
    # Clay that rain has washed onto level floors dries to a pale crust.
    level = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 5.0, site.bare_slope), 16.0, 6.0)
    colour = nodes.mix_colours(nodes.product(site.clay, level, 0.75), colour, mottled(nodes, site, _CRUST, 0.5))
    # Down slip faces sand has run in tongues, the coarse grains outside.
    slip = nodes.product(_is_desert(nodes, site), nodes.smooth_step(site.bare_slope, 24.0, 31.0), 0.06)
    tongues = nodes.math("MULTIPLY_ADD", _grain_flows(nodes, site), slip, 1.0)
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
    turned = nodes.product(site.autumn, nodes.smooth_step(nodes.math("SUBTRACT", patches, site.humidity), -0.7, 0.0))
    colour = nodes.mix_colours(turned, colour, site.inputs["Russet"])
    # From afar one sees not tufts but their groups, some of them dry.
    groups = nodes.signed_noise(site.position, 4.0, site.shown(nodes, 4.0, 3.0), 0.7)
    groups = nodes.product(groups, nodes.smooth_step(site.distance, 2500.0, 300.0))
    colour = nodes.mix_colours(
        nodes.product(nodes.smooth_step(groups, 0.1, 1.0), 0.5), colour, site.inputs["Dry Grass"]
    )
    shade = nodes.math("MULTIPLY_ADD", groups, 0.25, 1.0)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, shade), blend="MULTIPLY")
    # Between tufts the ground is in shade, and dead blades are pale.
    tufts = nodes.product(nodes.smooth_step(site.grain, -0.1, -0.7), site.closeness, 0.55)
    pale = nodes.product(nodes.smooth_step(site.grain, 0.35, 0.8), site.closeness, 0.35)
    colour = nodes.mix_colours(tufts, colour, nodes.mix_colours(0.5, site.inputs["Forest Floor"], site.inputs["Soil"]))
    return mottled(nodes, site, nodes.mix_colours(pale, colour, site.inputs["Dry Grass"]))


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
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, light)
    light = nodes.math("MULTIPLY_ADD", site.broad, 0.10, light)
    # Worn crests are light, notches hold dust, and joints are dark.
    light = nodes.math("MULTIPLY_ADD", site.crag, 0.16, light)
    face = nodes.node("ShaderNodeSeparateXYZ", {0: site.faces}).outputs["X"]
    light = nodes.math("MULTIPLY_ADD", face, 1.0, light)
    light = nodes.math("MULTIPLY_ADD", site.hollow, 0.12, light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.20), light)
    # Clay in thin beds has few joints that stay open.
    dark = nodes.product(site.closeness, site.bed_share, -0.5)
    light = nodes.product(nodes.math("MAXIMUM", light, 0.35), nodes.math("MULTIPLY_ADD", site.joint, dark, 1.0))
    hue = nodes.smooth_step(nodes.sum(site.bands, nodes.product(site.broad, 0.45)), -0.8, 1.0)
    colour = nodes.mix_colours(1.0, rock, nodes.mix_colours(hue, _COLD_ROCK, _WARM_ROCK), blend="MULTIPLY")
    damp = nodes.smooth_step(nodes.sum(site.humidity, nodes.product(site.broad, 0.12)), 0.15, 0.55)
    # Lichen in spots: pale green ones, and black ones that drown in the shade of notches.
    spots = nodes.sum(nodes.product(site.middle, 0.7), nodes.product(site.grain, site.closeness, 0.5))
    dry, wet = nodes.product(0.15, _living(nodes, site)), nodes.product(0.75, _living(nodes, site))
    pale = nodes.product(nodes.smooth_step(spots, 0.22, 0.34), nodes.mix_numbers(damp, dry, wet))
    # Young lava has few.
    pale = nodes.product(pale, nodes.math("MULTIPLY_ADD", site.volcanic, -0.75, 1.0))
    colour = nodes.mix_colours(pale, colour, nodes.mix_colours(damp, _PALE_LICHEN, _GREEN_LICHEN))
    black = nodes.product(nodes.smooth_step(spots, -0.30, -0.48), nodes.mix_numbers(damp, dry, wet))
    colour = nodes.mix_colours(black, colour, _BLACK_LICHEN)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")
    colour = nodes.mix_colours(_varnish(nodes, site), colour, tinted(nodes, colour, _VARNISH))
    return nodes.mix_colours(_streaks(nodes, site), colour, nodes.scaled(colour, 0.42))


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


def tinted(nodes: Nodes, colour: Value, tint: Value) -> bpy.types.NodeSocket:
    """Return a colour of grey rock as it is on the rock of the land."""
    return nodes.mix_colours(1.0, colour, tint, blend="MULTIPLY")


def mottled(nodes: Nodes, site: GroundInputs, colour: Value, strength: Value = 1.0) -> bpy.types.NodeSocket:
    """Return a colour with lighter and darker spots of three sizes, 0 to 1 times as strong as on most ground."""
    spots = nodes.sum(nodes.product(site.middle, 0.42), nodes.product(site.grain, site.closeness, 0.28))
    light = nodes.math("MAXIMUM", nodes.math("MULTIPLY_ADD", spots, strength, 1.0), 0.35)
    return nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")


def relief_shade(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return a factor for light: worn edges are lighter, hollows with dust and moss are darker."""
    # Wind moves all sand of a dune, so its crest is like its foot.
    worn = nodes.product(nodes.math("SUBTRACT", 1.0, _is_desert(nodes, site)), 6.0)
    light = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.03), worn, 1.0)
    return nodes.math("MULTIPLY_ADD", site.hollow, 0.10, light)


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
    nodes: Nodes, site: GroundInputs, covers: RoughCovers, shapes: FineForms, strength: Value, normal: Value
) -> bpy.types.NodeSocket:
    """Return the normal of relief finer than the mesh.

    Parameters
    ----------
    nodes : Nodes
    site : GroundInputs
    covers : RoughCovers
    shapes : FineForms
    strength : NodeSocket or float
        0 switches the bump off, 1 is all of it.
    normal : NodeSocket
        Normal of the mesh.
    """
    detail = nodes.product(site.inputs["Detail"], strength)
    smooth = nodes.product(_is_desert(nodes, site), nodes.math("SUBTRACT", 1.0, covers.rock))
    with nodes.section("Ground Height"):
        height = _fine_height(nodes, site, covers, smooth)
    metres = nodes.product(nodes.mix_numbers(covers.snow, 1.0, 0.25), site.middle_nearness, detail)
    # At the feet of dunes sand is as thin as soil that has gullies, but water does not run on it.
    base = _with_gullies(nodes, site, normal, nodes.product(strength, nodes.math("SUBTRACT", 1.0, smooth)))
    base = _hung_over(nodes, base, nodes.product(shapes.hung, strength))
    bumped = nodes.bump(1.0, metres, shapes.raised, base)
    faced = nodes.product(covers.rock, metres, nodes.math("MULTIPLY_ADD", site.clay, -0.7, 1.0), _TURNED)
    bumped = _faced(nodes, site, bumped, faced)
    bumped = _risen(nodes, site, height, metres, bumped)
    # Slopes of fine noise are steeper than those of the ground that it stands for.
    most = nodes.mix_numbers(covers.rock, nodes.mix_numbers(smooth, 0.6, 0.3), 0.8)
    bumped = _leaning_at_most(nodes, base, bumped, most)
    # Where gullies and beds lean the same way, ground that faces the sky would be lit as if it hung over: black.
    return _leaning_at_most(nodes, normal, bumped, _LEAN)


def _fine_height(nodes: Nodes, site: GroundInputs, covers: RoughCovers, smooth: Value) -> bpy.types.NodeSocket:
    """Return the height of relief finer than the mesh, in metres; `smooth` is the share of bare sand."""
    # It is computed three times.  So it is noise alone, and the shares of the covers only scale it; but rock stands out
    # at its borders.
    site = site.again(nodes)
    rock = rock_share(nodes, site)
    # What a texture of normals holds already is not added again.
    spacing = site.inputs[TEXTURE_SPACING]
    near = nodes.math("MULTIPLY_ADD", nodes.attribute(NEAR_RELIEF).outputs["Fac"], -CARRIED, 1.0)
    left = nodes.math(
        "MAXIMUM", nodes.math("LESS_THAN", spacing, 1e-6), nodes.math("MULTIPLY", spacing, 0.25, clamp=True)
    )
    left = nodes.product(left, near)
    soft = nodes.math("MULTIPLY_ADD", site.crag, nodes.product(site.above_trees, 0.9), nodes.product(site.middle, 0.5))
    soft = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.05), soft)
    stones = loose_stones(nodes, site)["Distance"]
    domes = nodes.product(nodes.product(stones, stones), site.closeness, -1.5 * _STONE)
    domes = nodes.math("MULTIPLY_ADD", site.crag, 0.45, domes)
    soft = nodes.math("MULTIPLY_ADD", domes, nodes.product(covers.scree, left), soft)
    # Ledges of clay crumble.
    ledge = nodes.product(site.bedding, nodes.math("MULTIPLY_ADD", site.clay, -0.9, 2.6))
    hard = nodes.math("MULTIPLY_ADD", site.beds, ledge, nodes.product(site.crag, 1.5))
    hard = nodes.math("MULTIPLY_ADD", site.joint, nodes.product(site.closeness, -0.4), hard)
    hard = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.06), hard)
    # Far away beds are finer than a pixel.
    # Clay has no crags.
    soft_rock = nodes.math("MULTIPLY_ADD", site.clay, -0.55, 1.0)
    hard = nodes.product(hard, left, soft_rock, nodes.mix_numbers(site.nearness, 0.25, 1.0))
    height = nodes.mix_numbers(rock, soft, hard)
    # The wind sweeps sand smooth between its ripples.
    return nodes.mix_numbers(smooth, height, _sand_height(nodes, site, covers.sand))


def _sand_height(nodes: Nodes, site: GroundInputs, rippled: Value) -> bpy.types.NodeSocket:
    """Return the height of bare sand in metres: ripples where wind draws them, and grain flows on slip faces."""
    rows = (
        (11.0, 0.25, site.nearness),
        (3.1, 0.07, site.closeness),
        (1.1, 0.03, site.closeness),
        (0.17, 0.006, nodes.smooth_step(site.distance, 50.0, 10.0)),
    )
    ripples = nodes.sum(
        *(nodes.product(_ripples(nodes, site.position, wavelength), shown, high) for wavelength, high, shown in rows)
    )
    flows = nodes.product(_grain_flows(nodes, site), site.closeness, _FLOW_THICKNESS)
    return nodes.mix_numbers(rippled, flows, ripples)


def _grain_flows(nodes: Nodes, site: GroundInputs) -> bpy.types.NodeSocket:
    """Return noise of tongues of sand that have run down slip faces, which look away from a wind from the west."""
    drawn_out = nodes.vector_math("MULTIPLY", site.position, (0.13, 1.0, 0.13))
    tongues = nodes.signed_noise(drawn_out, 2.6, site.shown(nodes, 2.6, 4.0), 0.65)
    # Some parts of a face have run lately, and the wind has smoothed others.
    return nodes.product(tongues, nodes.mix_numbers(nodes.smooth_step(site.middle, -0.25, 0.35), 0.3, 1.0))


def _risen(
    nodes: Nodes, site: GroundInputs, height: bpy.types.NodeSocket, metres: Value, normal: Value
) -> bpy.types.NodeSocket:
    """Return a normal as a height turns it that a section has made of the place: `metres` higher where it is 1.

    A Bump node would take the slope from the pixels beside each one.  Where a processor draws for EEVEE these are wrong
    at the edges of triangles: dots.  So the height is asked here one pixel further on, across the view and along it.
    """
    incoming = nodes.node("ShaderNodeNewGeometry").outputs["Incoming"]
    # Ground that is seen from straight above has a direction, too.
    across = nodes.vector_math("CROSS_PRODUCT", normal, nodes.vector_math("ADD", incoming, (0.0, 0.01, 0.0)))
    across = nodes.vector_math("NORMALIZE", across)
    along = nodes.vector_math("CROSS_PRODUCT", normal, across)
    facing = nodes.node("ShaderNodeVectorMath", {0: normal, 1: incoming}, operation="DOT_PRODUCT").outputs["Value"]
    pixel = nodes.math("MAXIMUM", nodes.product(site.distance, _PIXEL), _LEAST_STEP)
    turned = normal
    for way, step in ((across, pixel), (along, nodes.math("DIVIDE", pixel, nodes.math("MAXIMUM", facing, _GRAZING)))):
        moved = nodes.node(
            "ShaderNodeVectorTransform",
            {0: nodes.scaled(way, step)},
            vector_type="VECTOR",
            convert_from="WORLD",
            convert_to="OBJECT",
        ).outputs[0]
        further = nodes.again(height, site.position, nodes.vector_math("ADD", site.position, moved))
        rise = nodes.math("DIVIDE", nodes.math("SUBTRACT", further, height), step)
        turned = nodes.vector_math("SUBTRACT", turned, nodes.scaled(way, nodes.product(rise, metres)))
    return nodes.vector_math("NORMALIZE", turned)


def _leaning_at_most(nodes: Nodes, base: Value, normal: Value, limit: Value) -> bpy.types.NodeSocket:
    """Return a normal that differs from another one by no more than a limit, the length of the way between them."""
    way = nodes.vector_math("SUBTRACT", normal, base)
    length = nodes.node("ShaderNodeVectorMath", {0: way}, operation="LENGTH").outputs["Value"]
    share = nodes.math("DIVIDE", limit, nodes.math("MAXIMUM", length, limit))
    return nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", base, nodes.scaled(way, share)))


def _hung_over(nodes: Nodes, normal: Value, share: Value) -> bpy.types.NodeSocket:
    """Return a normal that leans outwards and down where a share of the ground hangs over."""
    outwards = nodes.vector_math("NORMALIZE", nodes.vector_math("MULTIPLY", normal, (1.0, 1.0, 0.0)))
    way = nodes.vector_math("ADD", nodes.scaled(outwards, 0.5), (0.0, 0.0, -0.6))
    return nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", normal, nodes.scaled(way, share)))


def _with_gullies(nodes: Nodes, site: GroundInputs, normal: Value, strength: Value) -> bpy.types.NodeSocket:
    """Return a normal as the detail of the vertices turns it: a rise of the ground leans it back."""
    rise = nodes.vector_math("MULTIPLY", nodes.scaled(site.detail, strength), (1.0, 1.0, 0.0))
    rise = nodes.node(
        "ShaderNodeVectorTransform", {0: rise}, vector_type="VECTOR", convert_from="OBJECT", convert_to="WORLD"
    ).outputs[0]
    up = nodes.node("ShaderNodeSeparateXYZ", {0: normal}).outputs["Z"]
    return nodes.vector_math("NORMALIZE", nodes.vector_math("SUBTRACT", normal, nodes.scaled(rise, up)))


def _faced(nodes: Nodes, site: GroundInputs, normal: Value, strength: Value) -> bpy.types.NodeSocket:
    """Return a normal as the faces of broken rock turn it, each another way."""
    way = nodes.node(
        "ShaderNodeVectorTransform",
        {0: nodes.scaled(site.faces, strength)},
        vector_type="VECTOR",
        convert_from="OBJECT",
        convert_to="WORLD",
    ).outputs[0]
    return nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", normal, way))


def _around_vent(
    nodes: Nodes, vent: Value, position: Value, noise: Value
) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Return how far away the vent is in radii of the crater, and noise that is drawn out away from it."""
    radius = nodes.node("ShaderNodeSeparateXYZ", {0: vent}).outputs["Z"]
    way = nodes.vector_math("MULTIPLY", nodes.vector_math("SUBTRACT", position, vent), (1.0, 1.0, 0.0))
    length = nodes.node("ShaderNodeVectorMath", {0: way}, operation="LENGTH").outputs["Value"]
    away = nodes.math("DIVIDE", length, nodes.math("MAXIMUM", radius, 1e-3))
    # What is as far away on each side: the direction as a point on a circle, which has no seam, and the distance.
    along = nodes.node("ShaderNodeCombineXYZ", {"Z": nodes.math("MULTIPLY_ADD", noise, 0.05, away)}).outputs[0]
    place = nodes.vector_math("ADD", nodes.scaled(nodes.vector_math("NORMALIZE", way), 3.0), nodes.scaled(along, 0.3))
    has_vent = nodes.math("GREATER_THAN", radius, 0.0)
    return away, nodes.product(nodes.signed_noise(place, 1.0, 4.0, 0.6), has_vent)


def _formation(
    nodes: Nodes, place: Value, colours: Sequence[tuple[float, Colour]], thickness: float
) -> bpy.types.NodeSocket:
    """Return the colours of beds as factors: each goes through the whole land at one height, some metres thick."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: place}).outputs["Z"]
    inputs = {"W": height, "Scale": 1.0 / thickness, "Detail": 3.0, "Roughness": 0.62}
    noise = nodes.node("ShaderNodeTexNoise", noise_dimensions="1D", normalize=False)
    for name, value in inputs.items():
        nodes.set(active_socket(noise.inputs, name), value)
    share = nodes.math("MULTIPLY_ADD", noise.outputs[0], 0.62, 0.5)
    most = 2.5  # a ramp holds numbers up to 1
    stops = [(at, _share(colour, most)) for at, colour in colours]
    return nodes.scaled(_filled_node(nodes, stops, share).outputs[0], most)


def _joints(nodes: Nodes, place: Value, noise: Value) -> bpy.types.NodeSocket:
    """Return where joints cut the rock, 0 to 1: two sets of nearly upright planes, each open in other places."""
    cuts = []
    for across, spacing, side in (((0.80, 0.57, 0.18), 6.5, 1.0), ((-0.52, 0.84, 0.13), 4.1, -1.0)):
        along = nodes.node("ShaderNodeVectorMath", {0: place, 1: across}, operation="DOT_PRODUCT").outputs["Value"]
        turn = nodes.math("FRACT", nodes.math("MULTIPLY_ADD", along, 1.0 / spacing, nodes.product(noise, 0.35)))
        cut = nodes.smooth_step(nodes.math("ABSOLUTE", nodes.math("SUBTRACT", turn, 0.5)), 0.035, 0.0)
        cuts.append(nodes.product(cut, nodes.smooth_step(nodes.product(noise, side), 0.0, 0.5)))
    return nodes.math("MAXIMUM", *cuts)


def loose_stones(nodes: Nodes, site: GroundInputs) -> bpy.types.bpy_prop_collection:
    """Return what a texture of stones of two sizes tells: the way to the middle of the nearest one, and its colour."""
    # No node costs more, wherever it is seen from: as a map it asks 9 neighbours instead of 27, and far away, where the
    # smaller stones are finer than a pixel, it has one size.
    inputs = {"Vector": site.position, "Scale": 1.0 / _STONE, "Detail": site.closeness, "Roughness": 0.5}
    return nodes.node("ShaderNodeTexVoronoi", inputs, voronoi_dimensions="2D", normalize=True).outputs


def _settled(nodes: Nodes, share: Value, height: Value) -> bpy.types.NodeSocket:
    """Return a share with a border that follows the relief: what covers fills hollows first, and crests last.

    Nothing stays nothing, and everything stays everything.
    """
    return nodes.smooth_step(_raised(nodes, share, height), 0.25, 0.75)


def _raised(nodes: Nodes, share: Value, height: Value) -> bpy.types.NodeSocket:
    """Return a share with the relief added: below 0.25 where nothing has settled, from 0.75 on where it covers all."""
    raised = nodes.math("MULTIPLY_ADD", share, 2.0, -0.5)
    return nodes.math("MULTIPLY_ADD", _limited(nodes, height, 1.0), 0.38, raised)


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
