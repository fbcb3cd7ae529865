"""Clouds before the sky: thin veils high up, and heaps with flat bases near the horizon.

Directions are unit vectors, heights the sine of the angle above the horizon, breadths radians.
"""

from typing import NamedTuple

import bpy

from .atmosphere import sun_group
from .nodes import Nodes, Value

CLOUD_SEED = "Cloud Seed"
"""Name of the node that tells which clouds there are."""

# Light of clouds under a sun at the horizon, a low sun, and a high one, and the heights of the sun between which it
# changes from each to the next.
_LIGHTS, _BETWEEN = ((0.13, 0.08, 0.07), (1.80, 1.62, 1.42), (2.00, 1.96, 1.90)), ((0.0, 0.3), (0.35, 0.8))
# Colour of the side in shade as a factor on the sky, and how far towards the sun it is asked what throws shadow.
_SHADE, _TO_SUN = (0.74, 0.70, 0.74), 0.30
_PUFF = 0.50  # breadth of the round parts of a heap, in its own
_ROUND = 0.09  # how much the round parts add to its thickness
_UNEVEN = 0.16  # how far bases of a row stand from their mean, as a share of it
_FLATTER = 2.6  # heaps are so many times wider than high
_APART = 7.31  # between the skies of two seeds, in breadths of heaps


class _Row(NamedTuple):
    """Heaped clouds at one distance.

    Attributes
    ----------
    base : float
        Height of their bases.
    size : float
        Their breadth.
    least : float
        How thick a heap must be to show; the smaller, the more there are.
    dense : float
        How much of the sky they hide.
    round_parts : bool
        Whether heaps consist of round parts.
    """

    base: float
    size: float
    least: float
    dense: float
    round_parts: bool = True


# From the farthest, which the air makes faint, to the nearest.
_ROWS = (
    _Row(0.016, 0.060, 1.07, 0.65),
    _Row(0.042, 0.120, 1.10, 0.95),
    _Row(0.105, 0.260, 1.12, 1.3),
)
# With all rows and their round parts EEVEE compiles for minutes where a processor draws; with these, 10 seconds.
_ROWS_OF_EEVEE = tuple(row._replace(round_parts=False) for row in _ROWS[1:])


def before_sky(
    nodes: Nodes, direction: bpy.types.NodeSocket, sky: bpy.types.NodeSocket
) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Return the colour of the sky in a direction with clouds before it, in Cycles and in EEVEE.

    The nodes "Clouds" and "Cloud Seed" tell how dense they are, and which ones.
    """
    amount = nodes.value("Clouds", 0.65)
    seed = nodes.node("ShaderNodeCombineXYZ", {"Z": nodes.product(nodes.value(CLOUD_SEED, 0.0), _APART)}).outputs[0]
    sun = nodes.group(sun_group()).outputs[0]
    light = _light(nodes, sun)
    veiled = nodes.mix_colours(nodes.product(_veils(nodes, direction, seed), amount), sky, light)
    skies = []
    for rows in (_ROWS, _ROWS_OF_EEVEE):
        sky = veiled
        for row in rows:
            cover, lit = _heaps(nodes, direction, seed, sun, row)
            colour = nodes.mix_colours(lit, nodes.vector_math("MULTIPLY", sky, _SHADE), light)
            sky = nodes.mix_colours(nodes.product(cover, amount, row.dense), sky, colour)
        skies.append(sky)
    cycles, eevee = skies
    return cycles, eevee


def _light(nodes: Nodes, sun: Value) -> bpy.types.NodeSocket:
    """Return the colour of clouds in the sun."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: sun}).outputs["Z"]
    setting, low, high = _LIGHTS
    rising, risen = (nodes.smooth_step(height, *ends) for ends in _BETWEEN)
    return nodes.mix_colours(risen, nodes.mix_colours(rising, setting, low), high)


def _veils(nodes: Nodes, direction: bpy.types.NodeSocket, seed: Value) -> bpy.types.NodeSocket:
    """Return how much thin high cloud hides the sky in a direction."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]
    # Where the line of sight meets a flat layer.  The offset stands for the earth's curve, which ends the layer.
    reach = nodes.math("DIVIDE", 1.0, nodes.math("MAXIMUM", nodes.sum(height, 0.10), 0.05))
    layer = nodes.vector_math("MULTIPLY_ADD", nodes.scaled(direction, reach), (1.0, 0.42, 0.0), seed)
    veils = nodes.node(
        "ShaderNodeTexNoise", {"Vector": layer, "Scale": 0.9, "Detail": 7.0, "Roughness": 0.58, "Distortion": 0.5}
    ).outputs[0]
    return nodes.product(nodes.smooth_step(veils, 0.46, 0.74), nodes.smooth_step(height, 0.0, 0.2))


def _heaps(
    nodes: Nodes, direction: bpy.types.NodeSocket, seed: Value, sun: Value, row: _Row
) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Return how much a row of heaped clouds hides the sky in a direction, and how much sun falls on them there.

    They are flat below and round above, bright towards the sun and dark at their bases.
    """
    parts = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs
    level = nodes.node("ShaderNodeCombineXYZ", {"X": parts["X"], "Y": parts["Y"]}).outputs[0]
    around = nodes.vector_math("ADD", nodes.scaled(nodes.vector_math("NORMALIZE", level), 1.0 / row.size), seed)
    base: Value = row.base
    if row.round_parts:
        # Heaps of one row are not all as far away, so their bases stand at different heights.
        base = nodes.math("MULTIPLY_ADD", nodes.signed_noise(around, 4.0, 1.0), _UNEVEN * row.base, row.base)
    # Above the base, in breadths of a heap.
    up = nodes.product(nodes.math("SUBTRACT", parts["Z"], base), 1.0 / row.size)
    high = nodes.node("ShaderNodeCombineXYZ", {"Z": nodes.product(up, _FLATTER)}).outputs[0]
    place = nodes.vector_math("ADD", around, high)
    groups = nodes.noise(nodes.vector_math("MULTIPLY", place, (0.3, 0.3, 0.02)), 1.0, 2.0)
    billows = _billows(nodes, place, 3.0, row.round_parts)
    # The higher above the base, the rarer.
    thick = nodes.sum(billows, nodes.product(groups, 1.3), nodes.product(nodes.math("MAXIMUM", up, 0.0), -0.36))
    above = nodes.smooth_step(nodes.math("MULTIPLY_ADD", billows, 0.10, up), 0.03, 0.09)
    cover = nodes.product(nodes.smooth_step(thick, row.least, row.least + 0.24), above)
    before = _billows(nodes, nodes.vector_math("ADD", place, nodes.scaled(sun, _TO_SUN)), 0.0, row.round_parts)
    lit = nodes.math("MULTIPLY_ADD", nodes.math("SUBTRACT", billows, before), 2.6, 0.02)
    return cover, nodes.sum(lit, nodes.product(nodes.smooth_step(up, 0.0, 0.7), 0.80))


def _billows(nodes: Nodes, place: Value, finer: float, round_parts: bool) -> bpy.types.NodeSocket:
    """Return how thick cloud is at a place: in heaps, which may consist of round parts, and these of smaller ones."""
    heaps = nodes.noise(place, 1.0, 3.0 + finer, 0.6)
    if not round_parts:
        return heaps
    puffs = nodes.ridged_noise(place, _PUFF, 1.0 + finer, 0.6)
    return nodes.math("MULTIPLY_ADD", puffs, -_ROUND, heaps)
