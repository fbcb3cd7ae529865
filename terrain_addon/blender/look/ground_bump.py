"""How the normal turns where relief is finer than the mesh of a land."""

import math
from typing import NamedTuple

import bpy

from ..data.attributes import NEAR_RELIEF
from .brush import brush_height
from .ground_patterns import STONE_SPACING, grain_flows, is_desert, loose_stones
from .ground_shares import rock_share
from .ground_site import PIXEL, TEXTURE_SPACING, GroundInputs
from .nodes import Nodes, Value

# The least length in metres over which slopes of fine relief are measured: floats of places on wide land have steps of
# half a millimetre; and the least share of a pixel's length that a slope shows which is seen along.
_LEAST_STEP, _GRAZING = 0.02, 0.1
# How far the normal may turn from that of the mesh, on soft ground, rock and clay: 44°, 60° and 27°; and, on rock and
# clay, from that of the detail of the vertices.
_SOFT_LEAN, _ROCK_LEAN, _CLAY_LEAN, _ROCK_TURN, _CLAY_TURN = 0.75, 1.0, 0.33, 1.2, 0.8
# Metres by which crests of rock rise above its middle and notches fall below it, seen from afar and from near.
_CRAG, _NEAR_CRAG = 5.0, 1.5
_CRUST = 0.25  # metres: lumps of dry clay
# Rills in clay: metres from one to the next, their depth, how little they change on the way down, and in how many axes
# they are drawn out; and degrees of slope between which they begin.
_RILL, _RILL_DEPTH, _DRAWN_OUT, _AXES, _RILLED = 3.5, 1.6, 0.12, 6, (12.0, 30.0)
_TUFT, _TUFT_HEIGHTS = 0.9, (0.03, 0.12)  # metres from one tuft of grass to the next, and heights of low and tall ones
_FLOW_THICKNESS = 0.1  # metres: grain flows on slip faces
_TURNED = 3.2  # how far faces of broken rock turn the normal
# Share of the bump of rock and scree that geometry near the camera replaces; what is finer than its faces stays.
_CARRIED = 0.25


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
    sand: Value = 0.0
    brush: Value = 0.0


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
    smooth = nodes.product(is_desert(nodes, site), nodes.math("SUBTRACT", 1.0, covers.rock))
    with nodes.section("Ground Height"):
        height = _fine_height(nodes, site, covers, smooth, normal)
    metres = nodes.product(nodes.mix_numbers(covers.snow, 1.0, 0.25), site.middle_nearness, detail)
    # At the feet of dunes sand is as thin as soil that has gullies, but water does not run on it.
    base = _with_gullies(nodes, site, normal, nodes.product(strength, nodes.math("SUBTRACT", 1.0, smooth)))
    base = _hung_over(nodes, base, nodes.product(shapes.hung, strength))
    bumped = nodes.bump(1.0, metres, shapes.raised, base)
    faced = nodes.product(covers.rock, metres, nodes.math("MULTIPLY_ADD", site.clay, -0.9, 1.0), _TURNED)
    bumped = _faced(nodes, site, bumped, faced)
    bumped = _risen(nodes, site, height, metres, bumped)
    # Slopes of fine noise are steeper than those of the ground that it stands for.
    hard = nodes.product(covers.rock, nodes.math("SUBTRACT", 1.0, covers.snow))
    of_rock = nodes.mix_numbers(site.clay, _ROCK_TURN, _CLAY_TURN)
    most = nodes.mix_numbers(hard, nodes.mix_numbers(smooth, 0.6, 0.3), of_rock)
    bumped = _leaning_at_most(nodes, base, bumped, most)
    # Where gullies and beds lean the same way, ground that faces the sky would be lit as if it hung over: black.
    hard = nodes.product(hard, nodes.math("SUBTRACT", 1.0, site.clay))
    soft = nodes.math("MULTIPLY_ADD", site.clay, _CLAY_LEAN - _SOFT_LEAN, _SOFT_LEAN)
    return _leaning_at_most(nodes, normal, bumped, nodes.mix_numbers(hard, soft, _ROCK_LEAN))


def _fine_height(
    nodes: Nodes, site: GroundInputs, covers: RoughCovers, smooth: Value, normal: Value
) -> bpy.types.NodeSocket:
    """Return the height of relief finer than the mesh, in metres; `smooth` is the share of bare sand.

    `normal` is that of the mesh.
    """
    # It is computed three times.  So it is noise alone, and the shares of the covers only scale it; but rock stands out
    # at its borders.
    site = site.again(nodes)
    rock = rock_share(nodes, site)
    # What a texture of normals holds already is not added again.
    spacing = site.inputs[TEXTURE_SPACING]
    near = nodes.math("MULTIPLY_ADD", nodes.attribute(NEAR_RELIEF).outputs["Fac"], -_CARRIED, 1.0)
    left = nodes.math(
        "MAXIMUM", nodes.math("LESS_THAN", spacing, 1e-6), nodes.math("MULTIPLY", spacing, 0.25, clamp=True)
    )
    left = nodes.product(left, near)
    soft = nodes.math("MULTIPLY_ADD", site.crag, nodes.product(site.above_trees, 0.9), nodes.product(site.middle, 0.22))
    soft = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.05), soft)
    # Grass stands in tufts: low ones in some meadows, tall ones in others.
    tall = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.5, site.broad), -0.4, 0.4)
    tufts = nodes.signed_noise(site.position, _TUFT, site.shown(nodes, _TUFT, 3.0), 0.8)
    soft = nodes.math("MULTIPLY_ADD", tufts, nodes.mix_numbers(tall, *_TUFT_HEIGHTS), soft)
    soft = nodes.sum(soft, nodes.product(brush_height(nodes, site), covers.brush))
    stones = loose_stones(nodes, site)["Distance"]
    domes = nodes.product(nodes.product(stones, stones), site.closeness, -1.5 * STONE_SPACING)
    domes = nodes.math("MULTIPLY_ADD", site.crag, 1.2, domes)
    soft = nodes.math("MULTIPLY_ADD", domes, nodes.product(covers.scree, left), soft)
    # Ledges of clay crumble.
    ledge = nodes.product(site.bedding, nodes.math("MULTIPLY_ADD", site.clay, 1.4, 2.6))
    # Seen from afar rock is rough; snow and clay fill what is.
    filled = nodes.math("MAXIMUM", nodes.math("MAXIMUM", covers.snow, site.clay), site.closeness)
    crag = nodes.product(site.crag, nodes.mix_numbers(filled, _CRAG, _NEAR_CRAG))
    hard = nodes.math("MULTIPLY_ADD", site.beds, ledge, crag)
    hard = nodes.math("MULTIPLY_ADD", site.joint, nodes.product(site.closeness, -0.4), hard)
    # Clay swells in rain and dries to a crust of lumps.
    crust = nodes.product(site.closeness, nodes.math("MULTIPLY_ADD", site.clay, _CRUST, 0.06))
    hard = nodes.math("MULTIPLY_ADD", site.grain, crust, hard)
    # Far away beds are finer than a pixel.
    # Clay has no crags.
    soft_rock = nodes.math("MULTIPLY_ADD", site.clay, -0.55, 1.0)
    hard = nodes.product(hard, left, soft_rock, nodes.mix_numbers(site.nearness, 0.25, 1.0))
    height = nodes.mix_numbers(rock, soft, hard)
    rilled = nodes.product(site.clay, left, site.nearness, nodes.smooth_step(site.bare_slope, *_RILLED))
    height = nodes.math("MULTIPLY_ADD", rilled, _rills(nodes, site, normal), height)
    # The wind sweeps sand smooth between its ripples.
    return nodes.mix_numbers(smooth, height, _sand_height(nodes, site, covers.sand))


def _rills(nodes: Nodes, site: GroundInputs, normal: Value) -> bpy.types.NodeSocket:
    """Return the height of rills in metres, which rain cuts into bare clay: noise that is drawn out down the slope.

    It is drawn out along fixed axes; those next to the way down share each place.
    """
    down = nodes.node(
        "ShaderNodeVectorTransform", {0: normal}, vector_type="NORMAL", convert_from="WORLD", convert_to="OBJECT"
    ).outputs[0]
    down = nodes.vector_math("NORMALIZE", nodes.vector_math("MULTIPLY", down, (1.0, 1.0, 0.0)))
    level = nodes.product(nodes.node("ShaderNodeSeparateXYZ", {0: site.position}).outputs["Z"], _DRAWN_OUT)
    waves = []
    for number in range(_AXES):
        turn = math.pi * number / _AXES
        axis, across = (math.cos(turn), math.sin(turn), 0.0), (-math.sin(turn), math.cos(turn), 0.0)
        cosine, aside = (
            nodes.node("ShaderNodeVectorMath", {0: vector, 1: way}, operation="DOT_PRODUCT").outputs["Value"]
            for vector, way in ((down, axis), (site.position, across))
        )
        # 1 along the axis, and 0 along the next ones.
        share = nodes.smooth_step(nodes.math("ABSOLUTE", cosine), math.cos(math.pi / _AXES), 1.0)
        # Each axis has noise of its own.
        place = nodes.node("ShaderNodeCombineXYZ", {"X": aside, "Y": level, "Z": 7.3 * number}).outputs[0]
        noise = nodes.signed_noise(place, _RILL, site.shown(nodes, _RILL, 3.0), 0.6)
        waves.append(nodes.product(noise, share))
    # Sharp bottoms and round crests.
    return nodes.product(nodes.math("ABSOLUTE", nodes.sum(*waves)), _RILL_DEPTH)


def _sand_height(nodes: Nodes, site: GroundInputs, rippled: Value) -> bpy.types.NodeSocket:
    """Return the height of bare sand in metres: ripples where wind draws them, and grain flows on slip faces."""
    # Where sand is coarse or the wind turns, it draws others, or none.
    drawn = nodes.smooth_step(nodes.math("MULTIPLY_ADD", site.middle, 0.7, site.broad), -0.25, 0.45)
    rows = (
        (9.0, 0.045, nodes.product(site.nearness, drawn)),
        (2.6, 0.065, nodes.product(nodes.smooth_step(site.distance, 900.0, 150.0), nodes.mix_numbers(drawn, 1.0, 0.3))),
        (0.8, 0.03, nodes.smooth_step(site.distance, 300.0, 40.0)),
        (0.17, 0.006, nodes.smooth_step(site.distance, 50.0, 10.0)),
    )
    ripples = nodes.sum(
        *(nodes.product(_ripples(nodes, site.position, wavelength), shown, high) for wavelength, high, shown in rows)
    )
    flows = nodes.product(grain_flows(nodes, site), site.closeness, _FLOW_THICKNESS)
    return nodes.mix_numbers(rippled, flows, ripples)


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
    pixel = nodes.math("MAXIMUM", nodes.product(site.distance, PIXEL), _LEAST_STEP)
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


def _ripples(nodes: Nodes, position: Value, wavelength: float) -> bpy.types.NodeSocket:
    """Return ripples across a wind from the west, 0 to 1; they fork and end as those in sand do."""
    # The node has a wave for every 2π/20 units.
    scale = 2.0 * math.pi / 20.0 / wavelength
    inputs = {"Vector": position, "Scale": scale, "Distortion": 5.0, "Detail": 3.0, "Detail Scale": 0.55}
    return nodes.node("ShaderNodeTexWave", inputs).outputs["Fac"]
