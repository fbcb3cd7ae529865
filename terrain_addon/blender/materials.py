"""Materials of the land and its plants: shader nodes written as code, no texture files.

Lengths are metres, colours linear RGB, angles degrees.
"""

from collections.abc import Callable

import bpy

from ..core.ecosystem.plant_meshes import PARTS
from ..core.parameters import parameters_of
from ..core.recipe import Appearance
from . import compat
from .atmosphere import haze_group
from .nodes import Nodes, Value, find_group

LAND_MATERIAL = "Landscape"
GROUND_GROUP = "Landscape Ground"
_SHADER_TREE = "ShaderNodeTree"

Colour = tuple[float, float, float]


GROUND_COLOURS: dict[str, Colour] = {
    "rock": (0.190, 0.172, 0.155),
    "scree": (0.185, 0.160, 0.132),
    "soil": (0.150, 0.108, 0.068),
    "dry_grass": (0.170, 0.150, 0.055),
    "grass": (0.085, 0.125, 0.028),
    "forest_floor": (0.046, 0.056, 0.020),
}
"""Linear RGB of what covers the ground, as a new material has it; inputs of the node group "Landscape Ground"."""


def land_material(appearance: Appearance, material: bpy.types.Material | None = None) -> bpy.types.Material:
    """Return a material of rock, scree, soil, grass, forest floor and snow, in haze, with a recipe's appearance.

    It reads altitude from the vertices and the point attributes `slope` (degrees), `humidity` (0 to 1) and `sediment`
    (metres).

    Parameters
    ----------
    appearance : Appearance
        Its parameters are inputs of the node group "Landscape Ground".
    material : Material, optional
        One to change instead of making a new one.  Whatever else users did to it stays; a material without the node
        group is theirs and stays as it is.
    """
    if material is None:
        material = _new_land_material()
    if material.node_tree is not None:
        for node in material.node_tree.nodes:
            if node.type == "GROUP" and node.node_tree is not None and node.node_tree.name == GROUND_GROUP:
                for parameter in parameters_of(Appearance):
                    node.inputs[_label(parameter.name)].default_value = getattr(appearance, parameter.name)
    return material


def plant_material(part: str) -> bpy.types.Material:
    """Return the material of a part of all plants, "Plant Bark" or "Plant Foliage", made where it is missing.

    Foliage reads the colour attribute `tint` (RGB the leaves' colour, alpha how much light reaches them) and varies
    from plant to plant with the instance attributes `age` and `species`.

    Raises
    ------
    ValueError
        If `part` is none of plant_meshes.PARTS.
    """
    if part not in PARTS:
        raise ValueError(f"part = {part!r} is none of: {', '.join(PARTS)}")
    name = f"Plant {part.title()}"
    material = bpy.data.materials.get((name, None))
    return material if material is not None else _new_plant_material(name, *_PART_LOOKS[part])


# --- the land ---------------------------------------------------------------------------------------------------------


def _new_land_material() -> bpy.types.Material:
    material, nodes = _new_material(LAND_MATERIAL, (0.42, 0.38, 0.30))
    ground = nodes.group(find_group(GROUND_GROUP, _SHADER_TREE) or _new_ground_group())
    surface = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {
            "Base Color": ground.outputs["Color"],
            "Roughness": ground.outputs["Roughness"],
            "Normal": ground.outputs["Normal"],
            "Specular IOR Level": 0.0,
        },
    )
    _finish(nodes, surface.outputs[0])
    return material


def _label(name: str) -> str:
    return name.replace("_", " ").title()


def _new_ground_group() -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(GROUND_GROUP, _SHADER_TREE)
    for parameter in parameters_of(Appearance):
        tree.interface.new_socket(_label(parameter.name), in_out="INPUT", socket_type="NodeSocketFloat")
    for name, colour in GROUND_COLOURS.items():
        socket = tree.interface.new_socket(_label(name), in_out="INPUT", socket_type="NodeSocketColor")
        socket.default_value = (*colour, 1.0)
    tree.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    tree.interface.new_socket("Roughness", in_out="OUTPUT", socket_type="NodeSocketFloat")
    tree.interface.new_socket("Normal", in_out="OUTPUT", socket_type="NodeSocketVector")
    nodes = Nodes(tree)
    look = nodes.node("NodeGroupInput").outputs
    site = _Site(nodes)

    rock = _rock_share(nodes, site)
    scree = _scree_share(nodes, site)
    snow = _snow_share(nodes, site, look["Snow Line"])
    colour = _soil_colour(nodes, site, look["Soil"])
    colour = nodes.mix(_grass_share(nodes, site, look), colour, _grass_colour(nodes, site, look))
    colour = nodes.mix(_forest_share(nodes, site, look), colour, _mottled(nodes, site, look["Forest Floor"]))
    colour = nodes.mix(scree, colour, _mottled(nodes, site, look["Scree"]))
    colour = nodes.mix(rock, colour, _rock_colour(nodes, site, look["Rock"]))
    colour = nodes.mix(snow, colour, (0.70, 0.74, 0.80))

    nodes.node(
        "NodeGroupOutput",
        {"Color": colour, "Roughness": nodes.between(snow, 0.9, 0.55), "Normal": _bump(nodes, site, rock, scree, snow)},
    )
    nodes.arrange()
    return tree


class _Site:
    """What every layer asks about a place: position, maps, and noise at three scales, each -1 to 1 or so."""

    def __init__(self, nodes: Nodes) -> None:
        self.position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
        self.altitude = nodes.node("ShaderNodeSeparateXYZ", {0: self.position}).outputs["Z"]
        self.northward = nodes.node(
            "ShaderNodeSeparateXYZ", {0: nodes.node("ShaderNodeNewGeometry").outputs["Normal"]}
        ).outputs["Y"]
        self.humidity = nodes.attribute("humidity").outputs["Fac"]
        self.sediment = nodes.attribute("sediment").outputs["Fac"]
        self.broad = _signed(nodes, nodes.noise(self.position, 260.0, 4.0))
        self.middle = _signed(nodes, nodes.noise(self.position, 34.0, 5.0, 0.6))
        self.fine = _signed(nodes, nodes.noise(self.position, 4.5, 3.0, 0.6))
        ragged = nodes.sum(nodes.product(self.broad, 6.0), nodes.product(self.middle, 9.0))
        self.slope = nodes.sum(nodes.attribute("slope").outputs["Fac"], ragged)
        # Fine relief is finer than a pixel far away, where it would only shimmer.
        distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
        self.nearness = nodes.step(distance, 2500.0, 150.0)


def _signed(nodes: Nodes, noise: Value) -> bpy.types.NodeSocket:
    return nodes.math("MULTIPLY_ADD", noise, 4.0, -2.0)


def _rock_share(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    # Loose soil hides the rock up to some ten degrees more than bare ground shows it.
    bare = nodes.math("MULTIPLY_ADD", site.sediment, -4.0, site.slope)
    return nodes.step(bare, 33.0, 39.0)


def _scree_share(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    steep = nodes.step(site.slope, 27.0, 33.0)
    return nodes.product(steep, nodes.step(nodes.sum(site.humidity, nodes.product(site.middle, 0.1)), 0.45, 0.25))


def _grass_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 50.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, look["Tree Line"]), ragged)
    moist = nodes.step(nodes.sum(site.humidity, nodes.product(site.middle, 0.06)), 0.05, 0.2)
    return nodes.product(nodes.step(above, 350.0, 150.0), moist, nodes.step(site.slope, 40.0, 30.0), look["Vegetation"])


def _forest_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 30.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, look["Tree Line"]), ragged)
    moist = nodes.step(
        nodes.sum(site.humidity, nodes.product(site.broad, 0.08), nodes.product(site.middle, 0.05)), 0.2, 0.32
    )
    return nodes.product(nodes.step(above, 60.0, -120.0), moist, nodes.step(site.slope, 42.0, 34.0), look["Vegetation"])


def _snow_share(nodes: Nodes, site: _Site, snow_line: Value) -> bpy.types.NodeSocket:
    # Snow lasts longer in gullies and on slopes that look away from the sun of the northern half of the world.
    shelter = nodes.sum(nodes.product(site.humidity, 100.0), nodes.product(site.northward, 70.0), -30.0)
    ragged = nodes.sum(nodes.product(site.broad, 45.0), nodes.product(site.middle, 26.0), nodes.product(site.fine, 6.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, snow_line), shelter, ragged)
    holds = nodes.step(nodes.sum(site.slope, nodes.product(site.fine, 3.0)), 47.0, 37.0)
    return nodes.product(nodes.step(above, 0.0, 110.0), holds)


def _soil_colour(nodes: Nodes, site: _Site, soil: Value) -> bpy.types.NodeSocket:
    wet = nodes.product(nodes.step(site.humidity, 0.3, 0.9), 0.6)
    return nodes.mix(wet, _mottled(nodes, site, soil), (0.5, 0.47, 0.45), blend="MULTIPLY")


def _grass_colour(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    patches = nodes.sum(nodes.product(site.broad, 0.14), nodes.product(site.middle, 0.08))
    lush = nodes.step(nodes.sum(site.humidity, patches), 0.12, 0.45)
    return _mottled(nodes, site, nodes.mix(lush, look["Dry Grass"], look["Grass"]))


def _rock_colour(nodes: Nodes, site: _Site, rock: Value) -> bpy.types.NodeSocket:
    """Return rock in folded layers, with dark water streaks down its faces."""
    layers = _signed(
        nodes, nodes.noise(nodes.vector_math("MULTIPLY", site.position, (0.12, 0.16, 1.0)), 42.0, 4.0, 0.65)
    )
    streaks = nodes.noise(nodes.vector_math("MULTIPLY", site.position, (1.0, 1.0, 0.12)), 14.0, 3.0, 0.6)
    light = nodes.math("MULTIPLY_ADD", layers, 0.30, 1.0)
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.14, light)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.16), light)
    light = nodes.product(light, nodes.between(nodes.step(streaks, 0.42, 0.62), 0.72, 1.06))
    warm = nodes.mix(nodes.step(layers, -0.2, 0.7), (0.93, 0.98, 1.06), (1.12, 1.0, 0.86))
    return nodes.mix(1.0, nodes.mix(1.0, rock, warm, blend="MULTIPLY"), _grey(nodes, light), blend="MULTIPLY")


def _mottled(nodes: Nodes, site: _Site, colour: Value) -> bpy.types.NodeSocket:
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, 1.0)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.22), light)
    return nodes.mix(1.0, colour, _grey(nodes, light), blend="MULTIPLY")


def _grey(nodes: Nodes, value: Value) -> bpy.types.NodeSocket:
    return nodes.node("ShaderNodeCombineColor", {"Red": value, "Green": value, "Blue": value}).outputs[0]


def _bump(nodes: Nodes, site: _Site, rock: Value, scree: Value, snow: Value) -> bpy.types.NodeSocket:
    """Return the normal of relief finer than the mesh."""
    # Cycles computes all that leads to the height three times, so the height is noise alone and the shares of the
    # layers only say how many metres it is worth.
    height = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.24), site.middle)
    rough = nodes.math("MAXIMUM", rock, nodes.product(scree, 0.3))
    metres = nodes.product(nodes.between(rough, 0.5, 5.0), nodes.between(snow, 1.0, 0.5))
    return nodes.node("ShaderNodeBump", {"Strength": 1.0, "Distance": metres, "Height": height}).outputs[0]


# --- plants -----------------------------------------------------------------------------------------------------------


def _new_plant_material(
    name: str, surface: Callable[[Nodes], bpy.types.NodeSocket], solid_colour: Colour
) -> bpy.types.Material:
    material, nodes = _new_material(name, solid_colour)
    _finish(nodes, surface(nodes))
    return material


def _bark(nodes: Nodes) -> bpy.types.NodeSocket:
    colour = nodes.mix(_chance(nodes), (0.075, 0.052, 0.036), (0.120, 0.095, 0.072))
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]


def _leaves(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return leaves that glow when lit from behind, darker towards the stem, a little different on each plant."""
    tint = nodes.attribute("tint")
    chance = _chance(nodes)
    hue = nodes.math("MULTIPLY_ADD", chance, 0.05, 0.472)
    value = nodes.math("MULTIPLY_ADD", _other_chance(nodes, chance), 0.6, 0.7)
    inputs = {"Hue": hue, "Saturation": 1.0, "Value": value, "Color": tint.outputs["Color"]}
    colour = nodes.node("ShaderNodeHueSaturation", inputs).outputs[0]
    shade = nodes.math("MULTIPLY_ADD", tint.outputs["Alpha"], 0.9, 0.4)
    colour = nodes.mix(1.0, colour, _grey(nodes, shade), blend="MULTIPLY")
    glow = nodes.mix(1.0, colour, (1.15, 1.1, 0.6), blend="MULTIPLY")
    reflected = nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]
    transmitted = nodes.node("ShaderNodeBsdfTranslucent", {"Color": glow}).outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: 0.35, 1: reflected, 2: transmitted}).outputs[0]


def _chance(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return a number 0 to 1 that differs from plant to plant."""
    return nodes.node("ShaderNodeObjectInfo").outputs["Random"]


def _other_chance(nodes: Nodes, chance: Value) -> bpy.types.NodeSocket:
    """Return a second such number, which also tells species and ages apart."""
    kind = nodes.product(nodes.attribute("species", "INSTANCER").outputs["Fac"], 0.37)
    age = nodes.product(nodes.attribute("age", "INSTANCER").outputs["Fac"], 0.013)
    return nodes.math("FRACT", nodes.sum(nodes.product(chance, 7.31), kind, age))


# Nodes of the surface, and colour in a viewport of solid shading, by part of a plant.
_PART_LOOKS: dict[str, tuple[Callable[[Nodes], bpy.types.NodeSocket], Colour]] = {
    "bark": (_bark, (0.20, 0.14, 0.10)),
    "foliage": (_leaves, (0.20, 0.36, 0.12)),
}


# --- common -----------------------------------------------------------------------------------------------------------


def _new_material(name: str, solid_colour: Colour) -> tuple[bpy.types.Material, Nodes]:
    """Start a material; `solid_colour` is what a viewport shows that does not evaluate it."""
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*solid_colour, 1.0)
    tree = compat.enable_nodes(material)
    tree.nodes.clear()
    # Haze is emission that only the camera sees: Cycles must not take a million triangles of it for lamps.
    if hasattr(material, "cycles"):
        material.cycles.emission_sampling = "NONE"
    return material, Nodes(tree)


def _finish(nodes: Nodes, surface: Value) -> None:
    hazy = nodes.group(haze_group(), {0: surface}).outputs[0]
    nodes.node("ShaderNodeOutputMaterial", {"Surface": hazy})
    nodes.arrange()
