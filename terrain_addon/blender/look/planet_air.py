"""The air of a planet: a shell around it, and haze before the ground for a camera inside of the shell.

Seen from outside, the shell adds light by how much air a line of sight meets.  Seen from inside, its far side is the
sky, and ground, sea and clouds fade with the distance.  All of it is lit by the sun; at night a faint glow of the air
is left, a rim of dark blue.

References
----------
Koschmieder, H. (1924). Theorie der horizontalen Sichtweite. Beiträge zur Physik der freien Atmosphäre 12, 33–53.
(Light from air in front of things grows as 1 − exp(−distance).)
"""

import bpy

from .nodes import Nodes, Value

AIR_ALTITUDE = 0.035
"""How far the shell is above the ground, as a share of the radius."""

AMOUNT, COLOUR, SIZE = "Air", "Air Colour", "Air Size"
"""Names of nodes: how thick the air is, its colour, and the radius of the shell in the planet's own space."""

AIR_COLOURS = {
    "living": (0.22, 0.48, 1.0),
    "rust": (0.85, 0.52, 0.30),
    "grey": (0.6, 0.6, 0.65),
    "frost": (0.45, 0.70, 1.0),
}
"""Colours of thin air, by the colours of the ground."""

_GROUND = 1.0 / (1.0 + AIR_ALTITUDE)  # radius of the planet as a share of the shell's
_LONGEST = (1.0 - _GROUND**2) ** 0.5  # half of the longest way through air, in radii of the shell
_DENSITY = 0.42 / _LONGEST  # by which a way becomes optical depth, seen from outside
_OVER_GROUND = 0.6  # how dense air looks before the ground, against that beside the planet
_SKY, _HAZE = 5.0, 1.6  # how many times denser air looks from inside, where ways are short
_THINNING = 4.5 / (1.0 - _GROUND)  # air thins to 1/e over 1 by this, in radii of the shell
_NIGHT_GLOW = 0.07
_WHITE = (0.74, 0.82, 0.95)  # of thick air


def air_surface(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return the surface of the shell; the nodes that `air_values` adds tell its amount, colour and size."""
    geometry = nodes.node("ShaderNodeNewGeometry").outputs
    amount, colour, size = air_values(nodes)
    # A line of sight that meets the shell at an angle with cosine c comes as near to the middle as √(1 − c²).
    c = nodes.node("ShaderNodeVectorMath", {0: geometry["Incoming"], 1: geometry["Normal"]}, operation="DOT_PRODUCT")
    cosine = nodes.math("ABSOLUTE", c.outputs["Value"])
    nearest = nodes.math("SUBTRACT", 1.0, nodes.product(cosine, cosine))
    past = nodes.math("SQRT", nodes.math("MAXIMUM", nodes.math("SUBTRACT", _GROUND**2, nearest), 0.0))
    is_beside = nodes.math("GREATER_THAN", nearest, _GROUND**2)
    height = nodes.math("SUBTRACT", nodes.math("SQRT", nearest), _GROUND)
    thin = nodes.math("EXPONENT", nodes.product(nodes.math("MAXIMUM", height, 0.0), -_THINNING))
    # Through the shell and out again beside the planet, and down to the ground in front of it.
    way = nodes.math("SUBTRACT", nodes.product(cosine, nodes.sum(1.0, is_beside)), past)
    clear = nodes.mix_numbers(is_beside, _OVER_GROUND, 1.0)
    outside = _opacity(nodes, nodes.product(way, thin, amount, clear, _DENSITY))
    # Up from the ground to the shell.
    up = nodes.math("SUBTRACT", cosine, past)
    _, is_inside = camera_of(nodes, size)
    inside = nodes.product(_opacity(nodes, nodes.product(up, amount, _DENSITY * _SKY)), is_inside)
    front = nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]
    # The sun shines on the other side of what is seen from below.
    back = nodes.node("ShaderNodeBsdfTranslucent", {"Color": _tinted(nodes, colour, inside)}).outputs[0]
    below = geometry["Backfacing"]
    lit = nodes.node("ShaderNodeMixShader", {0: below, 1: front, 2: back}).outputs[0]
    # Air glows by itself, so faintly that it is seen only at night.
    own = nodes.node("ShaderNodeEmission", {"Color": colour, "Strength": _NIGHT_GLOW}).outputs[0]
    glow = nodes.node("ShaderNodeAddShader", {0: lit, 1: own}).outputs[0]
    return veil(nodes, nodes.mix_numbers(below, outside, inside), glow)


def hazy(
    nodes: Nodes,
    surface: Value,
    air: tuple[bpy.types.NodeSocket, bpy.types.NodeSocket, bpy.types.NodeSocket] | None = None,
) -> bpy.types.NodeSocket:
    """Return a surface behind the air between it and a camera inside of the shell; `air` is from `air_values`."""
    amount, colour, size = air or air_values(nodes)
    distance, is_inside = camera_of(nodes, size)
    share = nodes.product(_opacity(nodes, nodes.product(distance, amount, _DENSITY * _HAZE)), is_inside)
    place = nodes.vector_math("NORMALIZE", nodes.node("ShaderNodeTexCoord").outputs["Object"])
    up = nodes.node(
        "ShaderNodeVectorTransform", {0: place}, vector_type="NORMAL", convert_from="OBJECT", convert_to="WORLD"
    ).outputs[0]
    tint = nodes.mix_colours(nodes.math("MULTIPLY_ADD", share, 0.5, 0.45), colour, _WHITE)
    air = nodes.node("ShaderNodeBsdfDiffuse", {"Color": tint, "Normal": up}).outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: share, 1: surface, 2: air}).outputs[0]


def air_values(nodes: Nodes) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Add the nodes that hold amount, colour and size of the air; return what they say."""
    light = nodes.node("ShaderNodeRGB", label=COLOUR)
    light.name = COLOUR
    return nodes.value(AMOUNT, 0.0), light.outputs[0], nodes.value(SIZE, 1.0)


def veil(nodes: Nodes, share: Value, surface: Value) -> bpy.types.NodeSocket:
    """Return a surface that covers a share of what is behind it."""
    clear = nodes.node("ShaderNodeBsdfTransparent").outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: share, 1: clear, 2: surface}).outputs[0]


def camera_of(nodes: Nodes, size: Value) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Return the distance of the camera in radii of the shell, and whether it is inside of the shell.

    Parameters
    ----------
    nodes : Nodes
        Of a material.
    size : float or NodeSocket
        Radius of the shell in the planet's own space.
    """
    incoming = nodes.node("ShaderNodeNewGeometry").outputs["Incoming"]
    far = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    way = nodes.node(
        "ShaderNodeVectorTransform",
        {0: nodes.scaled(incoming, far)},
        vector_type="VECTOR",
        convert_from="WORLD",
        convert_to="OBJECT",
    ).outputs[0]
    camera = nodes.vector_math("ADD", nodes.node("ShaderNodeTexCoord").outputs["Object"], way)
    lengths = [
        nodes.node("ShaderNodeVectorMath", {0: vector}, operation="LENGTH").outputs["Value"] for vector in (way, camera)
    ]
    return nodes.math("DIVIDE", lengths[0], size), nodes.math("LESS_THAN", lengths[1], size)


def _opacity(nodes: Nodes, depth: Value) -> bpy.types.NodeSocket:
    """1 − exp(−optical depth)."""
    return nodes.math("SUBTRACT", 1.0, nodes.math("EXPONENT", nodes.product(depth, -1.0)))


def _tinted(nodes: Nodes, colour: Value, share: Value) -> bpy.types.NodeSocket:
    """The colour of air, paler where there is more of it."""
    pale = nodes.mix_colours(0.7, colour, _WHITE)
    return nodes.mix_colours(nodes.product(share, share, share), colour, pale)
