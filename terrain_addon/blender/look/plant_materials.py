"""Materials of the parts of plants: bark, foliage, rock."""

from collections.abc import Callable

import bpy

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.maps.colour import COLDEST
from ...core.meshing.plant_meshes import PARTS, Colour
from ..data.attributes import LEAF_FALL, SEASON, TINT
from .nodes import Nodes, Value
from .shading import at_least_zero, finish_material, grey, new_material, wave_of_year

# Yellow and red; each plant is somewhere between.
_AUTUMN_LEAVES: tuple[Colour, Colour] = (0.330, 0.185, 0.022), (0.210, 0.058, 0.016)
CANOPY_MATERIAL = "Plant Canopy"

# Crowns with the shade between them, and how viewports with solid shading show them.
_CANOPY: Colour = (0.030, 0.046, 0.014)
_FOREST: Colour = (0.13, 0.24, 0.08)
# A crown without leaves, seen from afar.
_TWIGS: Colour = (0.115, 0.094, 0.078)


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
    material = bpy.data.materials.get((name, None))
    return material if material is not None else _new_plant_material(name, *_PARTS[part])


def canopy_material() -> bpy.types.Material:
    """Return the material of forest seen from afar, made where it is missing: the mean colour of foliage."""
    material = bpy.data.materials.get((CANOPY_MATERIAL, None))
    return material if material is not None else _new_plant_material(CANOPY_MATERIAL, _canopy, _FOREST)


def _canopy(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return dark foliage."""
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": _CANOPY}).outputs[0]


def _new_plant_material(
    name: str, surface: Callable[[Nodes], bpy.types.NodeSocket], solid_colour: Colour
) -> bpy.types.Material:
    """Make a material from a function that adds the nodes of its surface."""
    material, nodes = new_material(name, solid_colour)
    finish_material(nodes, surface(nodes))
    return material


def _bark(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return bark with furrows along the stem; some plants are lighter than others."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    furrows = nodes.noise(nodes.vector_math("MULTIPLY", position, (1.0, 1.0, 0.15)), 0.012, 2.0, 0.65)
    light = nodes.product(nodes.mix_numbers(furrows, 0.45, 1.5), nodes.mix_numbers(_random(nodes), 0.75, 1.25))
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": _tinted(nodes, light, 0.5)}).outputs[0]


def _leaves(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return leaves: they glow when lit from behind, are darker near the stem and differ between plants."""
    tint = nodes.attribute(TINT)
    random = _random(nodes)
    hue = nodes.math("MULTIPLY_ADD", random, 0.05, 0.472)
    other = _second_random(nodes, random)
    value = nodes.math("MULTIPLY_ADD", other, 0.6, 0.7)
    inputs = {"Hue": hue, "Saturation": 1.0, "Value": value, "Color": tint.outputs["Color"]}
    colour = nodes.node("ShaderNodeHueSaturation", inputs).outputs[0]
    colour = _season_of_leaves(nodes, colour, random, other)
    colour = nodes.mix_colours(_wither_share(nodes), colour, (0.170, 0.110, 0.045))
    shade = nodes.math("MULTIPLY_ADD", tint.outputs["Alpha"], 0.9, 0.4)
    colour = nodes.mix_colours(1.0, colour, grey(nodes, shade), blend="MULTIPLY")
    glow = nodes.mix_colours(1.0, colour, (1.15, 1.1, 0.6), blend="MULTIPLY")
    reflected = nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]
    transmitted = nodes.node("ShaderNodeBsdfTranslucent", {"Color": glow}).outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: 0.35, 1: reflected, 2: transmitted}).outputs[0]


def _stone(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return stone with lichen in patches."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    grain = nodes.noise(position, 0.25, 5.0, 0.7)
    patches = nodes.smooth_step(nodes.noise(position, 0.3, 3.0, 0.7), 0.52, 0.62)
    light = nodes.product(nodes.mix_numbers(grain, 0.4, 1.6), nodes.mix_numbers(_random(nodes), 0.8, 1.2))
    colour = nodes.mix_colours(nodes.product(patches, 0.45), _tinted(nodes, light, 0.4), (0.115, 0.125, 0.060))
    bump = nodes.bump(0.5, 0.05, grain)
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour, "Normal": bump}).outputs[0]


def _season_of_leaves(nodes: Nodes, colour: Value, random: Value, other: Value) -> bpy.types.NodeSocket:
    """Return the colour of leaves in the season: yellow to red in autumn, then bare; each plant at its own time."""
    season = nodes.attribute(SEASON, "INSTANCER").outputs["Fac"]
    # The attribute is 0 where no season is known.
    turning = nodes.product(nodes.attribute(LEAF_FALL, "OBJECT").outputs["Fac"], nodes.smooth_step(season, 0.0, 0.001))
    season = nodes.math("MULTIPLY_ADD", random, -0.9, nodes.math("ADD", season, 0.45))
    autumn = nodes.math("POWER", at_least_zero(nodes, wave_of_year(nodes, season, 9.9)), 5.0)
    colour = nodes.mix_colours(nodes.product(autumn, turning, 0.9), colour, nodes.mix_colours(other, *_AUTUMN_LEAVES))
    bare = nodes.smooth_step(wave_of_year(nodes, season, COLDEST), 0.45, 0.75)
    return nodes.mix_colours(nodes.product(bare, turning, 0.9), colour, _TWIGS)


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
_PARTS: dict[str, tuple[Callable[[Nodes], bpy.types.NodeSocket], Colour]] = {
    "bark": (_bark, (0.20, 0.14, 0.10)),
    "foliage": (_leaves, (0.20, 0.36, 0.12)),
    "rock": (_stone, (0.32, 0.30, 0.28)),
}
