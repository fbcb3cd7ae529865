"""Materials of the parts of plants: bark, foliage, rock."""

from collections.abc import Callable
from typing import NamedTuple

import bpy

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.maps.colour import COLDEST
from ...core.meshing.leaf_pictures import LEAF_SINES, NEEDLE_WIDTH, TWIG_COLOUR
from ...core.meshing.plant_meshes import PARTS, Colour
from ..data.attributes import AUTUMN, FURROWS, LEAF, LEAF_FALL, LEAF_SHAPE, SEASON, TINT
from .nodes import Nodes, Value
from .shading import at_least_zero, finish_material, found_or_made, grey, new_material, wave_of_year

CANOPY_MATERIAL = "Plant Canopy"
LEAF_MATERIAL = "Plant Leaves"

CROWN_SHARE = 0.62
"""Share of the radius of a point that `canopy_material` shows: EEVEE draws a point as the octahedron in its ball."""

# How many rows of leaves there are for one bare shoot.
_ROWS_OF_A_SHOOT = 3.0
# Height in metres of plants without a known height, such as those in an asset library.
_USUAL_HEIGHT = 12.0
_STAND = 160.0  # metres across stands of trees whose leaves are alike

# Crowns with the shade between them, and how viewports with solid shading show them.
_CANOPY: Colour = (0.037, 0.057, 0.017)
_FOREST: Colour = (0.13, 0.24, 0.08)


class _Surface(NamedTuple):
    """What a material shows, in both engines if there is no other for EEVEE."""

    cycles: bpy.types.NodeSocket
    eevee: bpy.types.NodeSocket | None = None


def plant_material(part: str) -> bpy.types.Material:
    """Return the material of a part of all plants, such as "Plant Foliage", made where it is missing.

    It reads the colour attribute `TINT` of the mesh.  Leaves also differ from plant to plant with the instance
    attributes `age` and `species`, and wither with `health`.  In the `SEASON` of the object that carries all plants,
    the share `LEAF_FALL` of the leaves of a mesh turns.  See `data.attributes`.

    Parameters
    ----------
    part : str
        One of `plant_meshes.PARTS`.

    Raises
    ------
    ValueError
        If there is no such part.
    """
    if part not in PARTS:
        raise ValueError(f"part = {part!r} is none of: {', '.join(PARTS)}")
    name = f"Plant {part.title()}"
    return found_or_made(name, lambda: _new_plant_material(name, *_PARTS[part]))


def leaf_material() -> bpy.types.Material:
    """Return the material of twigs near the camera, made where it is missing: foliage cut into single leaves.

    Leaves have the size that `LEAF_SHAPE` of the mesh says, whatever the height of the plant.  In winter bare shoots
    are left of those that fall.
    """
    material = bpy.data.materials.get((LEAF_MATERIAL, None))
    if material is None:
        material, nodes = new_material(LEAF_MATERIAL, _PARTS["foliage"][1])
        cut = _cut_leaves(nodes)
        leaves = _leaves(nodes, cut)
        finish_material(nodes, leaves.cycles, cut.cover, leaves.eevee)
    return material


def canopy_material() -> bpy.types.Material:
    """Return the material of forest seen from afar, made where it is missing: the mean colour of foliage."""
    material = bpy.data.materials.get((CANOPY_MATERIAL, None))
    if material is None:
        material, nodes = new_material(CANOPY_MATERIAL, _FOREST)
        finish_material(nodes, _canopy(nodes).cycles, _round_and_ragged(nodes))
    return material


def _canopy(nodes: Nodes) -> _Surface:
    """Return dark foliage, shaded like a ball: viewports draw points with flat sides."""
    point = nodes.node("ShaderNodePointInfo").outputs
    place = nodes.node("ShaderNodeNewGeometry").outputs["Position"]
    outward = nodes.vector_math("SUBTRACT", place, point["Position"])
    patches = nodes.signed_noise(place, 3.0, 3.0)
    out = nodes.vector_math("NORMALIZE", outward)
    height = nodes.node("ShaderNodeSeparateXYZ", {0: out}).outputs["Z"]
    light = nodes.sum(nodes.math("MULTIPLY_ADD", height, 0.7, 0.75), nodes.product(patches, 0.35))
    colour = nodes.mix_colours(1.0, _CANOPY, grey(nodes, at_least_zero(nodes, light)), blend="MULTIPLY")
    return _Surface(nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour, "Normal": out}).outputs[0])


def _round_and_ragged(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return 1 where the line of sight passes a point within its radius, which is uneven as a crown is."""
    point = nodes.node("ShaderNodePointInfo").outputs
    geometry = nodes.node("ShaderNodeNewGeometry").outputs
    outward = nodes.vector_math("SUBTRACT", geometry["Position"], point["Position"])
    aside = nodes.vector_math("CROSS_PRODUCT", outward, geometry["Incoming"])
    far = nodes.node("ShaderNodeVectorMath", {0: aside}, operation="LENGTH").outputs["Value"]
    uneven = nodes.math("MULTIPLY_ADD", nodes.signed_noise(geometry["Position"], 2.5, 3.0), 0.14, CROWN_SHARE)
    # Point Info does not know the radius in EEVEE of 4.2.  Other shapes than points have none.
    radius = nodes.attribute(PlantAttribute.RADIUS).outputs["Fac"]
    inside = nodes.math("LESS_THAN", far, nodes.product(radius, uneven))
    return nodes.math("MAXIMUM", inside, nodes.math("LESS_THAN", radius, 1e-6))


def _new_plant_material(name: str, surface: Callable[[Nodes], _Surface], solid_colour: Colour) -> bpy.types.Material:
    """Make a material from a function that adds the nodes of its surface."""
    material, nodes = new_material(name, solid_colour)
    made = surface(nodes)
    finish_material(nodes, made.cycles, eevee_surface=made.eevee)
    return material


class _CutLeaves(NamedTuple):
    """Leaves on a twig.

    Parameters
    ----------
    cover : NodeSocket
        1 where a leaf or a shoot is, 0 between them.
    wood : NodeSocket
        1 on shoots.
    light : NodeSocket
        Random brightness of the leaf, 0 to 1.
    """

    cover: bpy.types.NodeSocket
    wood: bpy.types.NodeSocket
    light: bpy.types.NodeSocket


def _cut_leaves(nodes: Nodes) -> _CutLeaves:
    """Return leaves in rows on both sides of a twig; a leaf is a lens between two parabolas."""
    place = nodes.node("ShaderNodeSeparateXYZ", {0: nodes.attribute(LEAF).outputs["Vector"]}).outputs
    shape = nodes.node("ShaderNodeSeparateXYZ", {0: nodes.attribute(LEAF_SHAPE, "OBJECT").outputs["Vector"]}).outputs
    height = nodes.attribute(PlantAttribute.HEIGHT, "INSTANCER").outputs["Fac"]
    is_unknown = nodes.math("LESS_THAN", height, 1e-3)
    height = nodes.math("MULTIPLY_ADD", is_unknown, _USUAL_HEIGHT, height)
    size = nodes.math("DIVIDE", height, shape["X"])
    width = shape["Y"]
    along, side = nodes.product(place["X"], size), nodes.product(place["Y"], size)
    beside = nodes.math("ABSOLUTE", side)
    sine, cosine = LEAF_SINES
    out = nodes.math("MULTIPLY_ADD", along, cosine, nodes.product(beside, sine))
    across = nodes.math("MULTIPLY_ADD", along, -sine, nodes.product(beside, cosine))
    row = nodes.math("DIVIDE", across, width)
    number = nodes.math("FLOOR", row)
    hand = nodes.math("SIGN", side)
    start = _white_noise(nodes, number, hand)
    shifted = nodes.sum(out, start)
    cell = nodes.math("FLOOR", shifted)
    random = _white_noise(nodes, nodes.math("MULTIPLY_ADD", number, 3.7, hand), cell)
    from_tip = nodes.math("SUBTRACT", nodes.product(nodes.math("FRACT", shifted), 2.0), 1.0)
    bulge = nodes.math("SUBTRACT", 1.0, nodes.product(from_tip, from_tip))
    # A lens fills 2/3 of its place; leaves overlap a little.
    half = nodes.product(bulge, nodes.math("MULTIPLY_ADD", random, 0.3, 0.42))
    notch = nodes.math("PINGPONG", nodes.sum(nodes.product(out, 9.0), nodes.math("ABSOLUTE", across)), 1.0)
    is_needle = nodes.math("LESS_THAN", width, NEEDLE_WIDTH)
    half = nodes.product(half, nodes.mix_numbers(is_needle, 1.0, nodes.math("MULTIPLY_ADD", notch, 0.7, 0.3)))
    off = nodes.math("ABSOLUTE", nodes.math("SUBTRACT", nodes.math("FRACT", row), 0.5))
    leaf = nodes.math("LESS_THAN", off, half)
    # A leaf is there as a whole or not at all: its middle tells.
    middle = nodes.math("SUBTRACT", nodes.sum(cell, 0.5), start), nodes.product(nodes.sum(number, 0.5), width)
    stands = _is_on_twig(nodes, middle, (nodes.product(place["Z"], size), shape["Z"]), random)
    bare = _season(nodes).bare
    leaf = nodes.product(leaf, stands, nodes.math("GREATER_THAN", random, bare))
    shoot = nodes.math("FRACT", nodes.math("DIVIDE", row, _ROWS_OF_A_SHOOT))
    shoot = nodes.math("ABSOLUTE", nodes.math("SUBTRACT", shoot, 0.5))
    from_wood = nodes.math("MINIMUM", nodes.product(shoot, _ROWS_OF_A_SHOOT, width), beside)
    # Bare shoots are drawn thicker than they are, for the many small ones that are not drawn.
    wood = nodes.math("LESS_THAN", from_wood, nodes.math("MULTIPLY_ADD", bare, 0.05, 0.055))
    return _CutLeaves(nodes.math("MAXIMUM", leaf, wood), nodes.product(wood, nodes.math("SUBTRACT", 1.0, leaf)), random)


def _is_on_twig(
    nodes: Nodes, middle: tuple[Value, Value], twig: tuple[Value, Value], random: Value
) -> bpy.types.NodeSocket:
    """Return 1 where the middle of a leaf, along and across its row, is inside its kite; a twig is length and width."""
    length, slender = twig
    sine, cosine = LEAF_SINES
    along = nodes.math("MULTIPLY_ADD", middle[0], cosine, nodes.product(middle[1], -sine))
    beside = nodes.math("MULTIPLY_ADD", middle[0], sine, nodes.product(middle[1], cosine))
    reach = nodes.math("MINIMUM", nodes.product(along, 2.0), nodes.product(nodes.math("SUBTRACT", length, along), 1.9))
    inside = nodes.math(
        "LESS_THAN", beside, nodes.product(reach, slender, nodes.math("MULTIPLY_ADD", random, 0.5, 0.52))
    )
    # Twigs that are no kites have no length, and leaves everywhere.
    return nodes.math("MAXIMUM", inside, nodes.math("LESS_THAN", length, 1e-6))


def _white_noise(nodes: Nodes, x: Value, y: Value) -> bpy.types.NodeSocket:
    """Return a random number, 0 to 1, for two numbers."""
    place = nodes.node("ShaderNodeCombineXYZ", {"X": x, "Y": y}).outputs[0]
    return nodes.node("ShaderNodeTexWhiteNoise", {"Vector": place}, noise_dimensions="2D").outputs[0]


def _bark(nodes: Nodes) -> _Surface:
    """Return bark with furrows along the stem, or with dark bands around it; some plants are lighter than others."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    depth = nodes.attribute(FURROWS, "OBJECT").outputs["Fac"]
    furrows = nodes.noise(nodes.vector_math("MULTIPLY", position, (1.0, 1.0, 0.15)), 0.012, 2.0, 0.65)
    furrows = nodes.mix_numbers(at_least_zero(nodes, depth), 1.0, nodes.mix_numbers(furrows, 0.35, 1.6))
    bands = nodes.noise(nodes.vector_math("MULTIPLY", position, (0.35, 0.35, 1.6)), 0.03, 3.0, 0.7)
    bands = nodes.smooth_step(bands, 0.53, 0.6)
    dark = nodes.product(at_least_zero(nodes, nodes.product(depth, -1.0)), bands)
    light = nodes.product(furrows, nodes.mix_numbers(_random(nodes), 0.75, 1.25), nodes.mix_numbers(dark, 1.0, 0.09))
    return _Surface(nodes.node("ShaderNodeBsdfDiffuse", {"Color": _tinted(nodes, light, 0.5)}).outputs[0])


def _foliage(nodes: Nodes) -> _Surface:
    """Return leaves that the mesh has, or that stand for many."""
    return _leaves(nodes, None)


def _leaves(nodes: Nodes, cut: _CutLeaves | None) -> _Surface:
    """Return leaves: they glow when lit from behind, are darker near the stem and differ between plants."""
    tint = nodes.attribute(TINT)
    random = _random(nodes)
    # No two trees of a wood are alike: soils, ages, dry years and flowers make some pale, some yellow, some dull.
    hue = nodes.math("MULTIPLY_ADD", random, 0.040, 0.482)
    # Stands differ, too: soil, age and water go on for some hundred metres.
    stand = nodes.signed_noise(nodes.node("ShaderNodeObjectInfo").outputs["Location"], _STAND, 3.0, 0.6)
    hue = nodes.math("MULTIPLY_ADD", stand, -0.022, hue)
    other = _second_random(nodes, random)
    value = nodes.math("MULTIPLY_ADD", stand, 0.40, nodes.math("MULTIPLY_ADD", other, 0.50, 1.00))
    dull = nodes.math("FRACT", nodes.math("MULTIPLY_ADD", other, 5.17, random))
    saturation = nodes.math("MULTIPLY_ADD", dull, -0.32, 1.08)
    if cut is not None:
        value = nodes.product(value, nodes.math("MULTIPLY_ADD", cut.light, 0.7, 0.75))
    inputs = {"Hue": hue, "Saturation": saturation, "Value": value, "Color": tint.outputs["Color"]}
    colour = nodes.node("ShaderNodeHueSaturation", inputs).outputs[0]
    season = _season(nodes)
    leaves = {"Hue": nodes.math("MULTIPLY_ADD", other, 0.05, 0.465), "Value": value}
    leaves |= {"Color": nodes.attribute(AUTUMN, "OBJECT").outputs["Color"]}
    colour = nodes.mix_colours(season.turned, colour, nodes.node("ShaderNodeHueSaturation", leaves).outputs[0])
    wood = nodes.product(season.bare, 0.9) if cut is None else cut.wood
    colour = nodes.mix_colours(_wither_share(nodes), colour, (0.170, 0.110, 0.045))
    colour = nodes.mix_colours(wood, colour, TWIG_COLOUR)
    light = tint.outputs["Alpha"]
    # Cycles finds the shade inside a crown by itself; EEVEE lights the inside by the whole sky.
    return _Surface(
        _leaf_surface(nodes, colour, nodes.math("MULTIPLY_ADD", light, 0.9, 0.4)),
        _leaf_surface(nodes, colour, nodes.math("MULTIPLY_ADD", light, 0.95, 0.12)),
    )


def _leaf_surface(nodes: Nodes, colour: Value, shade: Value) -> bpy.types.NodeSocket:
    """Return leaves of some colour that so much light reaches."""
    colour = nodes.mix_colours(1.0, colour, grey(nodes, shade), blend="MULTIPLY")
    glow = nodes.mix_colours(1.0, colour, (1.15, 1.1, 0.6), blend="MULTIPLY")
    reflected = nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]
    transmitted = nodes.node("ShaderNodeBsdfTranslucent", {"Color": glow}).outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: 0.35, 1: reflected, 2: transmitted}).outputs[0]


def _stone(nodes: Nodes) -> _Surface:
    """Return stone with lichen in patches."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    grain = nodes.noise(position, 0.25, 5.0, 0.7)
    patches = nodes.smooth_step(nodes.noise(position, 0.3, 3.0, 0.7), 0.52, 0.62)
    light = nodes.product(nodes.mix_numbers(grain, 0.4, 1.6), nodes.mix_numbers(_random(nodes), 0.8, 1.2))
    colour = nodes.mix_colours(nodes.product(patches, 0.45), _tinted(nodes, light, 0.4), (0.115, 0.125, 0.060))
    bump = nodes.bump(0.5, 0.05, grain)
    return _Surface(nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour, "Normal": bump}).outputs[0])


class _Season(NamedTuple):
    """How far autumn has turned the leaves of a plant, and which share of them has fallen; each 0 to 1."""

    turned: bpy.types.NodeSocket
    bare: bpy.types.NodeSocket


def _season(nodes: Nodes) -> _Season:
    """Return what the season has done to leaves; each plant has its own time."""
    season = nodes.attribute(SEASON, "INSTANCER").outputs["Fac"]
    # The attribute is 0 where no season is known.
    turning = nodes.product(nodes.attribute(LEAF_FALL, "OBJECT").outputs["Fac"], nodes.smooth_step(season, 0.0, 0.001))
    season = nodes.math("MULTIPLY_ADD", _random(nodes), -0.9, nodes.math("ADD", season, 0.45))
    autumn = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, season, 9.9)), 5.0)
    bare = nodes.smooth_step(wave_of_year(nodes, season, COLDEST), 0.45, 0.75)
    return _Season(nodes.product(autumn, turning, 0.9), nodes.product(bare, turning))


def _tinted(nodes: Nodes, light: Value, darkest: float) -> bpy.types.NodeSocket:
    """Return the colour of the mesh times `light`; in shade it goes down to the share `darkest`."""
    tint = nodes.attribute(TINT)
    light = nodes.product(light, nodes.mix_numbers(tint.outputs["Alpha"], darkest, 1.4))
    return nodes.mix_colours(1.0, tint.outputs["Color"], grey(nodes, light), blend="MULTIPLY")


def _wither_share(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return the share of the leaves that has withered, 0 to 0.75."""
    health = nodes.attribute(PlantAttribute.HEALTH, "INSTANCER").outputs["Fac"]
    # The attribute is 0 where no health is known.  Dead plants have no leaves.
    known = nodes.smooth_step(health, 0.0, 0.004)
    return nodes.product(nodes.math("SUBTRACT", 1.0, health), known, 0.75)


def _random(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return a random number for each plant, 0 to 1."""
    return nodes.node("ShaderNodeObjectInfo").outputs["Random"]


def _second_random(nodes: Nodes, random: Value) -> bpy.types.NodeSocket:
    """Return a second random number, 0 to 1, which also differs between species and ages."""
    kind = nodes.product(nodes.attribute(PlantAttribute.SPECIES, "INSTANCER").outputs["Fac"], 0.37)
    age = nodes.product(nodes.attribute(PlantAttribute.AGE, "INSTANCER").outputs["Fac"], 0.013)
    return nodes.math("FRACT", nodes.sum(nodes.product(random, 7.31), kind, age))


# Function that makes the surface, and colour in a viewport with solid shading, by part of a plant.
_PARTS: dict[str, tuple[Callable[[Nodes], _Surface], Colour]] = {
    "bark": (_bark, (0.20, 0.14, 0.10)),
    "foliage": (_foliage, (0.20, 0.36, 0.12)),
    "rock": (_stone, (0.32, 0.30, 0.28)),
}
