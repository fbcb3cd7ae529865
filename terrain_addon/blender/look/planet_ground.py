"""Ground of a planet close by: grass, soil, scree, rock in beds, and the crowns of forest, as bump and colour.

All of it is noise in space, so it has no size of its own and no seams.  Lengths are shares of the radius.
"""

from typing import NamedTuple

import bpy

from ..data.planet_data import FOREST, NEAR_COLOUR
from .nodes import Nodes, Value

_CLIFF = (0.150, 0.132, 0.115)  # rock
_DARK_BED, _PALE_BED = (0.85, 0.84, 0.83), (1.08, 1.06, 1.03)
_SCREE = (0.205, 0.185, 0.155)
_CROWNS = (0.060, 0.080, 0.013)
_CROWN, _CROWN_HEIGHT = 3.2e-5, 1.1e-5  # width of a crown in a forest, and height of its dome
# Wavelengths of noise from hillsides to boulders.
_HILLSIDE, _FIELD, _BOULDER = 5e-3, 6e-4, 6e-5
_BED = 6e-5  # thickness of beds of rock
# Cosines of slopes, as they are shown, from which on rock and scree show, and where they are everywhere.
_ROCK_BEGINS, _ROCK_EVERYWHERE = 0.90, 0.78
_SCREE_BEGINS, _SCREE_EVERYWHERE = 0.955, 0.88
# Saturation of colours from which on ground bears life, and where it surely does.
_GREY, _COLOURED = 0.12, 0.30
# Small craters on bare ground: how far apart those of each size are, and how deep, as a share of that.
_PITS, _PIT_DEPTH = (2.4e-2, 7e-3, 1.6e-3, 4e-4), 0.10
_SEEN = 250.0, 1000.0  # distances in sizes of a feature, from which on it fades and is gone
_WATER = 1.0  # metres of a lake from which on it mirrors


class NearGround(NamedTuple):
    """What the ground looks like close by: linear RGB, height in shares of the radius, and roughness."""

    colour: bpy.types.NodeSocket
    height: bpy.types.NodeSocket
    roughness: bpy.types.NodeSocket


def near_ground(nodes: Nodes, place: Value, far: Value) -> NearGround:
    """Return the look of ground between samples.

    Parameters
    ----------
    nodes : Nodes
        Of a material.
    place : NodeSocket
        Position from the middle of the planet, in radii.
    far : NodeSocket
        Distance of the camera in radii: bump that is finer than pixels fades.
    """
    hillside, field, boulder = (
        nodes.math("MULTIPLY_ADD", nodes.noise(place, size, detail, 0.62), 4.0, -2.0)
        for size, detail in ((_HILLSIDE, 4.0), (_FIELD, 5.0), (_BOULDER, 4.0))
    )
    level = nodes.sum(_level(nodes, place), nodes.product(field, 0.035), nodes.product(hillside, 0.02))
    rock = nodes.smooth_step(level, _ROCK_BEGINS, _ROCK_EVERYWHERE)
    scree = nodes.smooth_step(level, _SCREE_BEGINS, _SCREE_EVERYWHERE)
    ragged = nodes.sum(nodes.attribute(FOREST).outputs["Fac"], nodes.product(field, 0.10), nodes.product(boulder, 0.06))
    wooded = nodes.product(nodes.smooth_step(ragged, 0.42, 0.58), nodes.math("SUBTRACT", 1.0, rock))
    own = nodes.attribute(NEAR_COLOUR).outputs["Color"]
    # Grey ground is bare: no grass dries on it, no soil is brown, and nothing wears its craters away.
    hue = nodes.node("ShaderNodeSeparateColor", {0: own}, mode="HSV").outputs[1]
    living = nodes.smooth_step(hue, _GREY, _COLOURED)
    crowns = nodes.node("ShaderNodeTexVoronoi", {"Vector": place, "Scale": 1.0 / _CROWN})
    colour = _meadow(nodes, own, living, (hillside, field, boulder))
    stones = nodes.mix_colours(nodes.product(living, 0.55), own, _SCREE)
    colour = nodes.mix_colours(nodes.product(scree, 0.8), colour, _shaded(nodes, stones, boulder, 0.22))
    colour = nodes.mix_colours(rock, colour, _rock(nodes, place, own, living, (field, boulder)))
    colour = nodes.mix_colours(wooded, colour, _forest(nodes, crowns, field))
    ice = nodes.smooth_step(nodes.attribute("ice").outputs["Fac"], 0.4, 0.7)
    colour = nodes.mix_colours(nodes.product(ice, nodes.smooth_step(level, 0.70, 0.86)), colour, own)
    water = nodes.smooth_step(nodes.attribute("lake_depth").outputs["Fac"], 0.0, _WATER)
    colour = nodes.mix_colours(water, colour, own)
    rough = nodes.mix_numbers(rock, 0.35, 1.0)
    height = nodes.product(
        field, nodes.mix_numbers(rock, 0.020 * _FIELD, 0.085 * _FIELD), _still_seen(nodes, far, _FIELD)
    )
    height = nodes.sum(height, nodes.product(boulder, rough, _still_seen(nodes, far, _BOULDER), 0.045 * _BOULDER))
    barren = nodes.product(nodes.math("SUBTRACT", 1.0, living), nodes.math("SUBTRACT", 1.0, ice))
    for size in _PITS:
        height = nodes.sum(
            height, nodes.product(_pits(nodes, place, size), barren, _still_seen(nodes, far, size), _PIT_DEPTH * size)
        )
    dome = nodes.math("SUBTRACT", 1.0, nodes.product(crowns.outputs["Distance"], crowns.outputs["Distance"]))
    height = nodes.sum(height, nodes.product(dome, wooded, _still_seen(nodes, far, _CROWN), _CROWN_HEIGHT))
    height = nodes.product(height, nodes.math("SUBTRACT", 1.0, water), nodes.mix_numbers(ice, 1.0, 0.3))
    roughness = nodes.mix_numbers(water, nodes.mix_numbers(ice, 0.95, 0.6), 0.12)
    return NearGround(colour, height, roughness)


def _still_seen(nodes: Nodes, far: Value, size: float) -> bpy.types.NodeSocket:
    """How well features of a size in radii are seen: 1 close by, 0 where they are as small as pixels."""
    return nodes.smooth_step(far, _SEEN[1] * size, _SEEN[0] * size)


def _level(nodes: Nodes, place: Value) -> bpy.types.NodeSocket:
    """Cosine of the slope."""
    geometry = nodes.node("ShaderNodeNewGeometry").outputs["Normal"]
    normal = nodes.node(
        "ShaderNodeVectorTransform", {0: geometry}, vector_type="NORMAL", convert_from="WORLD", convert_to="OBJECT"
    ).outputs[0]
    up = nodes.vector_math("NORMALIZE", place)
    return nodes.node("ShaderNodeVectorMath", {0: normal, 1: up}, operation="DOT_PRODUCT").outputs["Value"]


def _pits(nodes: Nodes, place: Value, apart: float) -> bpy.types.NodeSocket:
    """Heights of bowls with rims, from −1 to 0.3; they lie at random, and half of their places have none."""
    cells = nodes.node("ShaderNodeTexVoronoi", {"Vector": place, "Scale": 1.0 / apart})
    luck = nodes.node("ShaderNodeSeparateColor", {0: cells.outputs["Color"]}).outputs[0]
    # Distance from the middle in radii of the crater.
    away = nodes.math("DIVIDE", cells.outputs["Distance"], nodes.mix_numbers(luck, 0.10, 0.42))
    bowl = nodes.math("SUBTRACT", nodes.math("MINIMUM", nodes.product(away, away), 1.3), 1.0)
    inside = nodes.smooth_step(away, 1.5, 1.0)
    return nodes.product(bowl, inside, nodes.smooth_step(luck, 0.35, 0.65))


def _shaded(nodes: Nodes, colour: Value, light: Value, amount: float) -> bpy.types.NodeSocket:
    return nodes.scaled(colour, nodes.math("MULTIPLY_ADD", light, amount, 1.0))


def _meadow(nodes: Nodes, own: Value, living: Value, noises: tuple[Value, Value, Value]) -> bpy.types.NodeSocket:
    """Grass and soil: the colour of the place, drier in patches, with bare spots; dust where nothing lives."""
    hillside, field, boulder = noises
    dry = nodes.smooth_step(nodes.sum(hillside, nodes.product(field, 0.8)), -0.4, 1.2)
    colour = nodes.mix_colours(
        nodes.product(dry, living, 0.7), own, nodes.mix_colours(1.0, own, (1.75, 1.28, 1.0), "MULTIPLY")
    )
    bare = nodes.smooth_step(nodes.sum(field, nodes.product(boulder, 0.7)), 0.75, 1.5)
    colour = nodes.mix_colours(
        nodes.product(bare, living, 0.55), colour, nodes.mix_colours(0.5, own, (0.13, 0.095, 0.06))
    )
    return _shaded(nodes, _shaded(nodes, colour, boulder, 0.14), field, 0.14)


def _rock(nodes: Nodes, place: Value, own: Value, living: Value, noises: tuple[Value, Value]) -> bpy.types.NodeSocket:
    """Rock in beds that are dark and pale in turn, a little bent."""
    field, boulder = noises
    length = nodes.node("ShaderNodeVectorMath", {0: place}, operation="LENGTH").outputs["Value"]
    bent = nodes.sum(length, nodes.product(field, 1.5 * _BED))
    bed = nodes.noise(nodes.node("ShaderNodeCombineXYZ", {"Z": bent}).outputs[0], _BED, 3.0, 0.7)
    colour = nodes.mix_colours(nodes.product(living, 0.5), own, _CLIFF)
    tone = nodes.mix_colours(nodes.smooth_step(bed, 0.35, 0.65), _DARK_BED, _PALE_BED)
    colour = nodes.mix_colours(1.0, colour, tone, "MULTIPLY")
    return _shaded(nodes, _shaded(nodes, colour, boulder, 0.20), field, 0.16)


def _forest(nodes: Nodes, crowns: bpy.types.Node, field: Value) -> bpy.types.NodeSocket:
    """Crowns: each has its own green, and shade lies between them."""
    luck = nodes.node("ShaderNodeSeparateColor", {0: crowns.outputs["Color"]}).outputs[0]
    shade = nodes.smooth_step(crowns.outputs["Distance"], 0.75, 0.15)
    light = nodes.product(nodes.mix_numbers(luck, 0.6, 1.5), nodes.mix_numbers(shade, 0.45, 1.15))
    return _shaded(nodes, nodes.scaled(_CROWNS, light), field, 0.18)
