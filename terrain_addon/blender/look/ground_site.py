"""What the rules for covers of the ground ask about a place: maps, noise, beds, joints, seasons.

Lengths are metres, colours linear RGB, angles degrees.
"""

import copy
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import bpy

from ...core.maps.colour import COLDEST, STONES
from ...core.meshing.plant_meshes import Colour
from ..data.attributes import CROWN_COVER, DETAIL, SNOW_COVER
from .nodes import Nodes, Value, active_socket
from .shading import at_least_zero, filled_ramp, limited, tinted, wave_of_year

SLOPE_MAP = "slope"
"""Map of the slope in degrees."""

GROUND_MAPS = (
    SLOPE_MAP,
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

PIXEL = 0.0009
"""Width of a pixel as a share of the distance, in a picture 1100 pixels wide."""
_WIDEST_BED = max(stone.bed_spacing for stone in STONES.values())  # metres
# Faces of broken rock: metres across the largest, and how much taller than wide they are.
_FACE, _UPRIGHT = 36.0, 2.5
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
_MIXED_CLAY, _WASHED = (1.22, 1.20, 1.17), 0.6  # what rain has washed down, and how much of the beds it hides
_BORDER = 0.018  # half the width of the borders between colours, as a share of all places
_STAR = (0.15, 0.6)  # radii of the crater from the vent between which rays begin
_HOT = (0.85, 0.45)  # radii of the crater from a vent where the ground is hot

VENT = "vent"
"""Property of a land: metres east and north of its origin where its volcano has its vent, and radius of the crater."""

SEA = "sea"
"""Property of a land: the altitude of its sea in metres, 1 if it has a sea and 0 if it has none, and 0."""

RIVER_AS_A_CELL = "river_as_a_cell"
"""Property of a land: the decimal logarithm of the m² that a river drains which is as wide as a cell."""
CELL_SIZE = "cell_size"
"""Property of a land: metres between its samples."""
_CREST = 4.0  # cells from a crest to where its flanks are straight, because weathering rounds it
_NARROWING = 0.6  # rivers this much smaller, in powers of ten of what they drain, have no banks
NO_RIVER = (4.3, 5.0)
"""Powers of ten of m² that drain through a place where a river begins."""


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
    sea : NodeSocket or tuple of float
        What the property SEA says.
    cell_size : NodeSocket or float
        Metres between the samples of the land; 0 if that is not known.
    """

    position: bpy.types.NodeSocket
    height_share: Value
    distance: bpy.types.NodeSocket
    maps: Mapping[str, bpy.types.NodeSocket]
    detail: bpy.types.NodeSocket
    crown_cover: bpy.types.NodeSocket
    vent: Value = (0.0, 0.0, 0.0)
    sea: Value = (0.0, 0.0, 0.0)
    cell_size: Value = 0.0


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
        sea=nodes.attribute(SEA, "OBJECT").outputs["Vector"],
        cell_size=nodes.attribute(CELL_SIZE, "OBJECT").outputs["Fac"],
    )


def _without_narrow_rivers(nodes: Nodes, wet_ground: Value, drainage: Value) -> bpy.types.NodeSocket:
    """Return how wet the ground is, without rivers narrower than a cell, whose banks would be a row of wide spots."""
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", drainage, 1.0), 10.0)
    as_a_cell = nodes.attribute(RIVER_AS_A_CELL, "OBJECT").outputs["Fac"]
    wide = nodes.smooth_step(area, nodes.math("SUBTRACT", as_a_cell, _NARROWING), as_a_cell)
    dry = nodes.product(nodes.smooth_step(area, *NO_RIVER), nodes.math("SUBTRACT", 1.0, wide))
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
    above_sea, sea_share : NodeSocket
        Metres above the sea, and 1 if the land has a sea, else 0.
    distance : NodeSocket
        Metres from the camera.
    bare_slope, steepness, slope : NodeSocket
        The slope in degrees; the same, but on sharp crests that of their flanks; and that with noise added.
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
        sea = nodes.node("ShaderNodeSeparateXYZ", {0: site.sea}).outputs
        self.above_sea, self.sea_share = nodes.math("SUBTRACT", self.altitude, sea["X"]), sea["Y"]
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
        self.faces = self.broken_faces(nodes, 4.0)
        self.from_vent, self.rays = _around_vent(nodes, site.vent, self.position, self.middle)
        hot = nodes.smooth_step(nodes.math("MULTIPLY_ADD", self.broad, 0.22, self.from_vent), *_HOT)
        self.hot = nodes.product(self.volcanic, hot)
        # In some places rain has washed clay of all beds down over them.
        down = nodes.vector_math("MULTIPLY", self.position, (1.0, 1.0, 0.14))
        self.streak = nodes.signed_noise(down, 16.0, self.shown(nodes, 16.0, 4.0), 0.6)
        washed = nodes.math("MULTIPLY_ADD", self.broad, 0.8, self.streak)
        washed = nodes.product(nodes.smooth_step(washed, -0.25, 0.45), _WASHED)
        clays = nodes.mix_colours(washed, _formation(nodes, bent, _CLAYS, _CLAY_BED), _MIXED_CLAY)
        # Clay takes the colour of each bed, and what rain loosens of it keeps that colour; sandstone takes less of it.
        beds = nodes.mix_colours(self.clay, (1.0, 1.0, 1.0), clays)
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
        without_texture = nodes.math("LESS_THAN", inputs[TEXTURE_SPACING], 1e-6)
        self.detail = nodes.scaled(site.detail, nodes.product(inputs["Detail"], without_texture))
        height = nodes.node("ShaderNodeSeparateXYZ", {0: site.detail}).outputs["Z"]
        self.hollow = limited(nodes, nodes.product(height, inputs["Detail"], 0.3), 1.0)
        self.ribbed = nodes.smooth_step(self.broad, -0.10, 0.45)
        self.crown_cover = site.crown_cover
        self.bare_slope = maps[SLOPE_MAP]
        self.steepness = _steepness(nodes, self.bare_slope, self.curvature, site.cell_size)
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
        # Those of clay go on as far as one sees.
        flatness = nodes.mix_colours(self.clay, (0.12, 0.16, 1.0), (0.036, 0.048, 1.0))
        flat = nodes.vector_math("MULTIPLY", bent, flatness)
        flat = nodes.scaled(flat, nodes.math("DIVIDE", 1.0, self.bed_share))
        self.beds = nodes.signed_noise(flat, _WIDEST_BED, self.shown(nodes, _WIDEST_BED, 6.0), 0.7)
        self.crag = nodes.ridged_noise(
            nodes.vector_math("MULTIPLY", self.position, (1.0, 1.0, 1.5)), 19.0, self.shown(nodes, 19.0, 7.0, least=2.0)
        )
        self.joint = _joints(nodes, bent, self.middle)
        return bent

    def broken_faces(self, nodes: Nodes, most: Value) -> bpy.types.NodeSocket:
        """Return three numbers for each face of broken rock, -0.5 to 0.5: large faces consist of smaller ones.

        Parameters
        ----------
        nodes : Nodes
        most : NodeSocket or float
            How many times a face may be divided; what is finer than a pixel never is.
        """
        # Edges are nearly straight: rock with winding ones looks like paint that has run.
        bent = nodes.vector_math("ADD", self.position, nodes.scaled((2.3, -1.8, 1.3), self.middle))
        place = nodes.vector_math("MULTIPLY", bent, (1.0, 1.0, 1.0 / _UPRIGHT))
        inputs = {
            "Vector": place,
            "Scale": 1.0 / _FACE,
            "Detail": self.shown(nodes, _FACE / 2.0, most),
            "Roughness": 1.0,
        }
        cells = nodes.node("ShaderNodeTexVoronoi", inputs, voronoi_dimensions="3D", normalize=True).outputs
        return nodes.vector_math("SUBTRACT", cells["Color"], (0.5, 0.5, 0.5))

    def _ragged_slope(self, nodes: Nodes) -> bpy.types.NodeSocket:
        """Return the slope in degrees with noise added."""
        ragged = nodes.sum(nodes.product(self.broad, 5.0), nodes.product(self.middle, 9.0))
        return nodes.sum(self.steepness, ragged)

    def shown(self, nodes: Nodes, size: float, most: Value, least: float = 0.0) -> bpy.types.NodeSocket:
        """Return how many octaves of noise pixels can show after a first one of `size` metres, `least` to `most`."""
        # A wave needs two pixels.
        octaves = nodes.sum(self.octaves, math.log2(size / (2.0 * PIXEL)))
        return nodes.math("MINIMUM", nodes.math("MAXIMUM", octaves, least), most)


def _steepness(nodes: Nodes, slope: Value, curvature: Value, cell_size: Value) -> bpy.types.NodeSocket:
    """Return the slope in degrees, and on a sharp crest, which is level on top, that of its flanks.

    Over a crest whose flanks have the gradient g from a distance d on, the curvature is about g / d.
    """
    flanks = nodes.math("DEGREES", nodes.math("ARCTANGENT", nodes.product(curvature, cell_size, _CREST)))
    return nodes.math("MAXIMUM", slope, flanks)


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
    # At the vent itself the rays would meet as a star.
    return away, nodes.product(nodes.signed_noise(place, 1.0, 4.0, 0.6), nodes.smooth_step(away, *_STAR), has_vent)


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
    stops = [(at, _share(colour, most)) for at, colour in _with_borders(colours)]
    return nodes.scaled(filled_ramp(nodes, stops, share).outputs[0], most)


def _with_borders(colours: Sequence[tuple[float, Colour]]) -> list[tuple[float, Colour]]:
    """Return each colour twice: it fills its bed, and passes into the next one only close to their border."""
    places = [place for place, _ in colours]
    borders = [0.5 * (low + high) for low, high in pairwise(places)]
    starts = [places[0], *(border + _BORDER for border in borders)]
    ends = [*(border - _BORDER for border in borders), places[-1]]
    return [(at, colour) for start, end, (_, colour) in zip(starts, ends, colours) for at in (start, end)]


def _joints(nodes: Nodes, place: Value, noise: Value) -> bpy.types.NodeSocket:
    """Return where joints cut the rock, 0 to 1: two sets of nearly upright planes, each open in other places."""
    cuts = []
    for across, spacing, side in (((0.80, 0.57, 0.18), 6.5, 1.0), ((-0.52, 0.84, 0.13), 4.1, -1.0)):
        along = nodes.node("ShaderNodeVectorMath", {0: place, 1: across}, operation="DOT_PRODUCT").outputs["Value"]
        turn = nodes.math("FRACT", nodes.math("MULTIPLY_ADD", along, 1.0 / spacing, nodes.product(noise, 0.35)))
        cut = nodes.smooth_step(nodes.math("ABSOLUTE", nodes.math("SUBTRACT", turn, 0.5)), 0.035, 0.0)
        cuts.append(nodes.product(cut, nodes.smooth_step(nodes.product(noise, side), 0.0, 0.5)))
    return nodes.math("MAXIMUM", *cuts)


def _by_stone(nodes: Nodes, number: Value, colours: Sequence[Colour], alphas: Sequence[float]) -> bpy.types.Node:
    """Return a colour ramp that tells colour and alpha of one kind of rock; all are 0 to 1."""
    place = nodes.math("MULTIPLY_ADD", number, 1.0 / len(colours), 0.5 / len(colours))
    ramp = filled_ramp(nodes, [(k / len(colours), colour) for k, colour in enumerate(colours)], place)
    ramp.color_ramp.interpolation = "CONSTANT"
    for element, alpha in zip(ramp.color_ramp.elements, alphas):
        element.color[3] = alpha
    return ramp


def _share(tint: Colour, most: float) -> Colour:
    """Return a tint as a share of the most that a ramp is to hold."""
    red, green, blue = (part / most for part in tint)
    return red, green, blue
