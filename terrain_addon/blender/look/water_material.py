"""The material of sea, lakes and rivers.

References
----------
Cox, C. & Munk, W. (1954). Measurement of the roughness of the sea surface from photographs of the sun's glitter.
Journal of the Optical Society of America 44(11), 838–850. doi:10.1364/JOSA.44.000838
"""

import bpy

from ..data.attributes import ACROSS, ALONG, DEPTH_OF_WATER, FALL, WATER_KIND
from .nodes import Nodes, Value
from .shading import finish_material, found_or_made, new_material
from .water_colour import deep_colour, known_clarity

WATER_MATERIAL = "Landscape Water"
CLARITY = "water_clarity"
"""Custom property of an object with the material: how deep one sees into its water in metres."""

_WIND_WAVE, _WIND_WAVES = 5.0, 3.0  # metres from crest to crest, and times as high as other waves
_FAR_BORDER = 0.45  # by which borders of gusts are wider far away, in units of their noise
_HIDDEN_WAVES = 0.2  # roughness of the mirror by waves that are too far away to be seen
_GUST = 0.5  # metres that a gust adds to the height of waves
_WAVE_SLOPE = 0.12  # of waves in a light breeze that are too small to be seen (Cox & Munk 1954)
_LEVEL = 6.0  # how much of a level surface the light on a river is that of, beside 1 of its own
_QUIET, _WILD = 0.02, 0.35  # fall of rivers with the first white water, and with half of it white
_RIVER_HIDES = 0.75  # share of its ground that a river hides at least, so that it is seen where it is shallow
_RIVER_FLOOR = (0.2, 0.8)  # metres: a river that is this deep shows less and less of its bed, and at last nothing
_SURF, _WHITE_WATER = (0.62, 0.65, 0.66), (0.42, 0.45, 0.46)  # in rapids there is clear water between the white


def water_material() -> bpy.types.Material:
    """Return the material of sea, lakes and rivers, made where it is missing.

    It reads the point attributes `WATER_KIND`, `DEPTH_OF_WATER`, `FALL`, `ALONG` and `ACROSS` of a water mesh,
    see `data.attributes`, and the property `CLARITY` of the object.
    """
    return found_or_made(WATER_MATERIAL, _new_water_material)


def _new_water_material() -> bpy.types.Material:
    """Make the material: it mirrors the sky, lets the ground show where it is shallow, and foams along the sea.

    The ground itself is coloured by the water above it.
    """
    material, nodes = new_material(WATER_MATERIAL, (0.10, 0.24, 0.28))
    depth, kind = (nodes.attribute(name).outputs["Fac"] for name in (DEPTH_OF_WATER, WATER_KIND))
    clarity = known_clarity(nodes, nodes.attribute(CLARITY, "OBJECT").outputs["Fac"])
    is_river = nodes.smooth_step(kind, 1.2, 1.8)
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    # Waves finer than a pixel would only shimmer.
    waves = nodes.sum(
        nodes.product(nodes.noise(position, 1.6, 3.0, 0.6), nodes.smooth_step(distance, 600.0, 60.0)),
        nodes.product(_wind_waves(nodes, position, distance), nodes.math("SUBTRACT", 1.0, is_river)),
        nodes.product(nodes.noise(position, 14.0, 3.0, 0.55), nodes.smooth_step(distance, 6000.0, 600.0)),
    )
    is_sea = nodes.smooth_step(kind, 0.7, 0.3)
    gusts = nodes.product(_gusts(nodes, position, distance), nodes.math("SUBTRACT", 1.0, is_river))
    # Rivers fall from sample to sample.  Lit as that is, it would be a row of weirs.
    level = nodes.scaled((0.0, 0.0, 1.0), nodes.product(is_river, _LEVEL))
    level = nodes.vector_math("ADD", nodes.node("ShaderNodeNewGeometry").outputs["Normal"], level)
    level = nodes.vector_math("NORMALIZE", level)
    normal = nodes.bump(0.25, nodes.math("MULTIPLY_ADD", gusts, _GUST, 0.25), waves, level)
    # Nothing is left to see of ground that lies deeper; beyond the land there is none.
    # Deeps and banks that no sample shows break the line where that begins.
    uneven = nodes.math("MULTIPLY_ADD", nodes.signed_noise(position, 1100.0, 4.0, 0.55), 0.8, 1.0)
    uneven = nodes.math("MAXIMUM", uneven, 0.35)
    hidden = nodes.smooth_step(nodes.math("DIVIDE", nodes.product(depth, uneven), clarity), 0.8, 1.4)
    bed = nodes.mix_numbers(nodes.smooth_step(depth, *_RIVER_FLOOR), _RIVER_HIDES, 1.0)
    hidden = nodes.math("MAXIMUM", hidden, nodes.product(is_river, bed))
    deep = nodes.node("ShaderNodeBsdfDiffuse", {"Color": deep_colour(nodes, clarity), "Normal": level}).outputs[0]
    # Waves on the sea turn their faces to the camera: they mirror less of the sky than level water far away does.
    slope = nodes.product(nodes.sum(is_sea, gusts), _WAVE_SLOPE)
    towards = nodes.scaled(nodes.node("ShaderNodeNewGeometry").outputs["Incoming"], slope)
    faces = nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", normal, towards))
    share = nodes.node("ShaderNodeFresnel", {"IOR": 1.333, "Normal": faces}).outputs[0]
    # Waves that a pixel does not show blur what it mirrors.
    hidden_waves = nodes.smooth_step(distance, 600.0, 6000.0)
    roughness = nodes.math("MULTIPLY_ADD", hidden_waves, _HIDDEN_WAVES, nodes.math("MULTIPLY_ADD", gusts, 0.14, 0.06))
    mirror = nodes.node("ShaderNodeBsdfGlossy", {"Roughness": roughness, "Normal": normal}).outputs[0]
    foam = nodes.sum(nodes.product(_foam(nodes, position, depth), is_sea), nodes.product(_rapids(nodes), is_river))
    white = nodes.mix_colours(is_river, _SURF, _WHITE_WATER)
    white = nodes.node("ShaderNodeBsdfDiffuse", {"Color": white}).outputs[0]
    # Ground below has its own haze, so that what lets it through has none: only the rest is a surface.
    rest = nodes.math("MULTIPLY_ADD", nodes.math("SUBTRACT", 1.0, share), hidden, share)
    cover = nodes.mix_numbers(foam, rest, 1.0)
    mirrored = nodes.math("DIVIDE", share, rest)
    water = nodes.node("ShaderNodeMixShader", {0: mirrored, 1: deep, 2: mirror}).outputs[0]
    foaming = nodes.math("DIVIDE", foam, cover)
    finish_material(nodes, nodes.node("ShaderNodeMixShader", {0: foaming, 1: water, 2: white}).outputs[0], cover)
    return material


def _wind_waves(nodes: Nodes, position: Value, distance: Value) -> bpy.types.NodeSocket:
    """Return waves of a wind from the west, as heights from 0 on: their crests are longer than they are apart."""
    drawn_out = nodes.vector_math("MULTIPLY", position, (1.0, 0.35, 1.0))
    waves = nodes.noise(drawn_out, _WIND_WAVE, 3.0, 0.6)
    return nodes.product(waves, nodes.smooth_step(distance, 3000.0, 300.0), _WIND_WAVES)


def _gusts(nodes: Nodes, position: Value, distance: Value) -> bpy.types.NodeSocket:
    """Return where gusts ruffle the water, 0 to 1: in long patches, between which it lies smooth."""
    drawn_out = nodes.vector_math("MULTIPLY", position, (0.4, 1.0, 1.0))
    # From far away, where the view is flat, small patches would look like waves as large as hills.
    small = nodes.product(nodes.signed_noise(drawn_out, 90.0, 4.0, 0.6), nodes.smooth_step(distance, 5000.0, 800.0))
    wide = nodes.signed_noise(drawn_out, 1500.0, 2.0, 0.5)
    # Far away a patch is seen so flat that a border as wide as near the camera would be a line.
    soft = nodes.product(nodes.smooth_step(distance, 1500.0, 6000.0), _FAR_BORDER)
    low, high = nodes.math("SUBTRACT", -0.45, soft), nodes.sum(0.55, soft)
    return nodes.smooth_step(nodes.math("MULTIPLY_ADD", wide, 0.6, small), low, high)


def _foam(nodes: Nodes, position: Value, depth: Value) -> bpy.types.NodeSocket:
    """Return where waves break: in a ragged line along the shore, and in pieces of a second one farther out."""
    ragged = nodes.signed_noise(position, 9.0, 4.0, 0.65)
    swell = nodes.signed_noise(position, 60.0, 2.0, 0.5)
    # Waves run up farther in some places than in others.
    level = nodes.sum(nodes.product(ragged, 0.45), nodes.product(swell, -0.7), depth)
    shore = nodes.smooth_step(level, 0.75, 0.15)
    breaker = nodes.smooth_step(nodes.math("ABSOLUTE", nodes.math("SUBTRACT", level, 1.7)), 0.35, 0.08)
    broken = nodes.smooth_step(swell, 0.02, 0.35)
    lace = nodes.smooth_step(nodes.signed_noise(position, 1.7, 3.0, 0.7), -0.55, 0.35)
    return nodes.product(nodes.math("MAXIMUM", shore, nodes.product(breaker, broken)), lace, 0.85)


def _rapids(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return where a river is white: in streaks along its course, more of them the steeper it runs."""
    along, across = (nodes.attribute(name).outputs["Fac"] for name in (ALONG, ACROSS))
    course = nodes.node("ShaderNodeCombineXYZ", {"X": nodes.product(along, 0.22), "Y": across}).outputs[0]
    white = nodes.smooth_step(nodes.attribute(FALL).outputs["Fac"], _QUIET, _WILD)
    level = nodes.math("MULTIPLY_ADD", white, 0.7, nodes.signed_noise(course, 0.7, 4.0, 0.65))
    return nodes.product(nodes.smooth_step(level, 0.55, 0.95), nodes.smooth_step(white, 0.0, 0.15), 0.9)
