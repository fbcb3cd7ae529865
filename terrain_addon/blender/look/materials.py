"""Materials of the land and its plants: shader nodes written as code, no texture files.

Lengths are metres, colours linear RGB, angles degrees.
"""

import math
from collections.abc import Callable, Sequence

import bpy

from ...core.building.recipe import Appearance
from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.foundation.parameters import parameters_of
from ...core.foundation.progress import run
from ...core.maps.colour import COLDEST, COLOURINGS, RAMP_OF, ramp_stops
from ...core.meshing.plant_meshes import PARTS
from .. import compat
from .atmosphere import haze_group
from .nodes import UNFINISHED, Nodes, NodeTreeSteps, Value, find_group, name_group

LAND_MATERIAL = "Landscape"
WATER_MATERIAL = "Landscape Water"
GROUND_GROUP = "Landscape Ground"
NORMAL_INPUT = "Normal"
"""Input of the node group for the normal that its bump starts from."""
LEAF_FALL = "landscape_leaf_fall"
"""Custom property of the mesh of a plant: which share of its leaves turns in autumn."""
SEASON = "landscape_season"
"""Custom property of the object that carries all plants: months since New Year, above 0."""
_SHADER_TREE = "ShaderNodeTree"

Colour = tuple[float, float, float]


GROUND_COLOURS: dict[str, Colour] = {
    "rock": (0.175, 0.165, 0.155),
    "scree": (0.225, 0.205, 0.178),
    "soil": (0.135, 0.100, 0.066),
    "dry_grass": (0.170, 0.150, 0.055),
    "grass": (0.085, 0.125, 0.028),
    "russet": (0.150, 0.092, 0.037),
    "forest_floor": (0.046, 0.056, 0.020),
    "sand": (0.330, 0.270, 0.180),
    "gravel": (0.200, 0.190, 0.175),
    "snow": (0.700, 0.740, 0.800),
}
"""Linear RGB of what covers the ground, as a new material has it; inputs of the node group "Landscape Ground"."""

GROUND_MAPS = (
    "slope",
    "sediment",
    "humidity",
    "illumination",
    "curvature",
    "drainage",
    "wet_ground",
    "water_depth",
)
"""Point attributes that the land material reads; one that is missing counts as 0."""


def land_material(appearance: Appearance, material: bpy.types.Material | None = None) -> bpy.types.Material:
    """Return a material of what covers the ground from rock to snow, in haze, with a recipe's appearance.

    It reads altitude from the vertices, and the point attributes `GROUND_MAPS`.

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
    ground = ground_node(material)
    if ground is not None:
        _set_appearance(ground, appearance)
    return material


def ground_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Ground", made where it is missing."""
    return run(ground_group_steps())


def ground_group_steps() -> NodeTreeSteps:
    """Return the steps of `ground_group`: Blender takes ever longer for a node, the more there are already."""
    group = find_group(GROUND_GROUP, _SHADER_TREE)
    return group if group is not None else (yield from _new_ground_group())


def land_material_of(land: bpy.types.Object) -> bpy.types.Material | None:
    """Return the first material of a land, None if it has none."""
    return next((material for material in land.data.materials if material is not None), None)


def ground_node(material: bpy.types.Material) -> bpy.types.Node | None:
    """Return the node of a material that holds the node group "Landscape Ground", None if it has none."""
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    found = (n for n in nodes if n.type == "GROUP" and n.node_tree is not None and n.node_tree.name == GROUND_GROUP)
    return next(found, None)


def plant_material(part: str) -> bpy.types.Material:
    """Return the material of a part of all plants, such as "Plant Foliage", made where it is missing.

    It reads the colour attribute `tint` (RGB the colour in full light, alpha how much light reaches the place); leaves
    also vary from plant to plant with the instance attributes `age` and `species`, and wither with `health`.  As many
    as LEAF_FALL of their mesh says turn with the SEASON of the object of all plants.

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


def water_material() -> bpy.types.Material:
    """Return the material of sea, lakes and rivers, made where it is missing.

    It reads the point attributes of a water mesh: `kind` (0 sea, 1 lake, 2 river) and `depth` (metres).
    """
    material = bpy.data.materials.get((WATER_MATERIAL, None))
    return material if material is not None else _new_water_material()


# --- the land ---------------------------------------------------------------------------------------------------------


def _set_appearance(node: bpy.types.Node, appearance: Appearance) -> None:
    for parameter in parameters_of(Appearance):
        value = getattr(appearance, parameter.name)
        # A shader knows no names: a choice is the place of its value among the choices.
        number = list(parameter.choices).index(value) if parameter.kind == "choice" else value
        # A node group made by an earlier version may lack an input.
        if _label(parameter.name) in node.inputs:
            node.inputs[_label(parameter.name)].default_value = number


def _new_land_material() -> bpy.types.Material:
    material, nodes = _new_material(LAND_MATERIAL, (0.42, 0.38, 0.30))
    normal = nodes.node("ShaderNodeNewGeometry").outputs["Normal"]
    ground = nodes.group(ground_group(), {NORMAL_INPUT: normal})
    surface = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {
            "Base Color": ground.outputs["Color"],
            "Roughness": ground.outputs["Roughness"],
            "Specular IOR Level": ground.outputs["Specular"],
            "Normal": ground.outputs["Normal"],
        },
    )
    _finish(nodes, surface.outputs[0])
    return material


def _label(name: str) -> str:
    return name.replace("_", " ").title()


def _new_ground_group() -> NodeTreeSteps:
    tree = bpy.data.node_groups.new(UNFINISHED, _SHADER_TREE)
    tree.interface.new_socket(NORMAL_INPUT, in_out="INPUT", socket_type="NodeSocketVector").hide_value = True
    for parameter in parameters_of(Appearance):
        kind = "NodeSocketInt" if parameter.kind == "choice" else "NodeSocketFloat"
        socket = tree.interface.new_socket(_label(parameter.name), in_out="INPUT", socket_type=kind)
        socket.description = "; ".join(
            [parameter.description, *(f"{k}: {text}" for k, text in enumerate(parameter.choices.values()))]
        )
    for name, colour in GROUND_COLOURS.items():
        socket = tree.interface.new_socket(_label(name), in_out="INPUT", socket_type="NodeSocketColor")
        socket.default_value = (*colour, 1.0)
    for name, kind in (("Color", "Color"), ("Roughness", "Float"), ("Specular", "Float"), ("Normal", "Vector")):
        tree.interface.new_socket(name, in_out="OUTPUT", socket_type=f"NodeSocket{kind}")
    nodes = Nodes(tree)
    look = nodes.node("NodeGroupInput").outputs
    site = _Site(nodes, look)
    yield
    rock = _rock_share(nodes, site)
    scree = _scree_share(nodes, site, look)
    yield
    snow = _snow_share(nodes, site, look)
    shore = _shore_share(nodes, site)
    yield
    # Where nothing at all grows, the wind has left nothing but sand.
    loose = nodes.mix(nodes.step(look["Vegetation"], 0.08, 0.0), look["Soil"], look["Sand"])
    colour = _soil_colour(nodes, site, loose)
    colour = nodes.mix(_grass_share(nodes, site, look), colour, _grass_colour(nodes, site, look))
    yield
    colour = nodes.mix(_forest_share(nodes, site, look), colour, _forest_colour(nodes, site, look))
    yield
    colour = nodes.mix(scree, colour, _mottled(nodes, site, look["Scree"]))
    yield
    colour = nodes.mix(rock, colour, _rock_colour(nodes, site, look["Rock"]))
    yield
    colour = nodes.mix(shore, colour, _shore_colour(nodes, site, look))
    colour = nodes.mix(1.0, colour, _grey(nodes, _relief_shade(nodes, site)), blend="MULTIPLY")
    yield
    wet = _wet_share(nodes, site)
    colour = nodes.mix(wet, colour, nodes.mix(1.0, colour, (0.52, 0.50, 0.48), blend="MULTIPLY"))
    colour = nodes.mix(snow, colour, look["Snow"])
    colour = _through_water(nodes, site, colour)
    yield
    colour = _coloured(nodes, site, look["Colouring"], colour)
    yield
    # Multiplied by a constant 0, all that leads here is left out by Cycles.
    physical = nodes.math("LESS_THAN", look["Colouring"], 0.5)
    bump = _bump(nodes, site, rock, scree, snow, physical, look[NORMAL_INPUT])
    yield
    shiny = nodes.product(wet, nodes.math("SUBTRACT", 1.0, snow), physical)
    nodes.node(
        "NodeGroupOutput",
        {
            "Color": colour,
            "Roughness": nodes.math("MULTIPLY_ADD", shiny, -0.55, nodes.between(snow, 0.9, 0.55)),
            "Specular": nodes.product(shiny, 0.5),
            "Normal": bump,
        },
    )
    nodes.arrange()
    return name_group(tree, GROUND_GROUP, find_group(GROUND_GROUP, _SHADER_TREE))


class _Site:
    """What every layer asks about a place: position, maps, season, and noise at four scales, each -1 to 1 or so."""

    def __init__(self, nodes: Nodes, look: bpy.types.bpy_prop_collection) -> None:
        coordinates = nodes.node("ShaderNodeTexCoord").outputs
        self.position = coordinates["Object"]
        self.altitude = nodes.node("ShaderNodeSeparateXYZ", {0: self.position}).outputs["Z"]
        self.height_share = nodes.node("ShaderNodeSeparateXYZ", {0: coordinates["Generated"]}).outputs["Z"]
        maps = {name: nodes.attribute(name).outputs["Fac"] for name in GROUND_MAPS}
        self.humidity, self.sediment, self.illumination = maps["humidity"], maps["sediment"], maps["illumination"]
        self.curvature, self.drainage = maps["curvature"], maps["drainage"]
        self.wet_ground, self.water_depth = maps["wet_ground"], maps["water_depth"]
        self.broad = _signed(nodes, nodes.noise(self.position, 260.0, 4.0))
        self.middle = _signed(nodes, nodes.noise(self.position, 34.0, 5.0, 0.6))
        self.fine = _signed(nodes, nodes.noise(self.position, 4.5, 3.0, 0.6))
        self.grain = _signed(nodes, nodes.noise(self.position, 0.7, 4.0, 0.65))
        # Beds of rock, gently folded and here and there broken: long to the sides, short in height.
        folds = nodes.sum(nodes.product(self.broad, 22.0), nodes.product(self.middle, 5.0))
        bent = nodes.vector_math("ADD", self.position, nodes.node("ShaderNodeCombineXYZ", {"Z": folds}).outputs[0])
        flat = nodes.vector_math("MULTIPLY", bent, (0.12, 0.16, 1.0))
        self.beds = _signed(nodes, nodes.noise(flat, 46.0, 3.0, 0.6))
        ragged = nodes.sum(nodes.product(self.broad, 5.0), nodes.product(self.middle, 6.0))
        self.bare_slope = maps["slope"]
        self.slope = nodes.sum(maps["slope"], ragged)
        # Fine relief is finer than a pixel far away, where it would only shimmer.
        distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
        self.nearness = nodes.step(distance, 2500.0, 150.0)
        self.closeness = nodes.step(distance, 160.0, 15.0)
        self.middle_nearness = nodes.step(distance, 12000.0, 1500.0)
        # Seasons as waves of a year: a constant for Cycles, which computes them once.
        half = nodes.math("MULTIPLY_ADD", _wave_of_year(nodes, look["Season"], COLDEST), 0.5, 0.5)
        self.cold = nodes.math("MULTIPLY", half, half)
        self.autumn = nodes.math("POWER", _positive(nodes, _wave_of_year(nodes, look["Season"], 9.8)), 3.0)
        self.spring = nodes.math("POWER", _positive(nodes, _wave_of_year(nodes, look["Season"], 4.8)), 2.0)


def _wave_of_year(nodes: Nodes, season: Value, height: float) -> bpy.types.NodeSocket:
    """Return 1 at one time of the year, in months since New Year, and -1 half a year from it."""
    return nodes.math("COSINE", nodes.math("MULTIPLY_ADD", season, math.pi / 6.0, -height * math.pi / 6.0))


def _positive(nodes: Nodes, value: Value) -> bpy.types.NodeSocket:
    return nodes.math("MAXIMUM", value, 0.0)


def _signed(nodes: Nodes, noise: Value) -> bpy.types.NodeSocket:
    return nodes.math("MULTIPLY_ADD", noise, 4.0, -2.0)


# Shares: where a layer lies.  Where two layers meet, noise that is also the height of the bump decides, so that soil
# and grass fill the hollows of what they lie on.


def _rock_share(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    # Loose soil hides the rock up to some ten degrees more than bare ground shows it; hard beds break through.
    bare = nodes.math("MULTIPLY_ADD", site.sediment, -4.0, site.slope)
    bare = nodes.math("MULTIPLY_ADD", site.beds, 8.0, bare)
    bare = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.04), 130.0, bare)
    return nodes.step(bare, 37.0, 43.0)


def _scree_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    """Return where stones lie loose: on steep slopes that are too high or too dry for a cover of plants."""
    steep = nodes.step(site.slope, 28.0, 35.0)
    ragged = nodes.sum(nodes.product(site.broad, 70.0), nodes.product(site.middle, 60.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, look["Tree Line"]), ragged)
    dry = nodes.sum(site.humidity, nodes.product(site.middle, 0.06), nodes.product(site.broad, 0.06))
    bare = nodes.math("MAXIMUM", nodes.step(above, -350.0, 50.0), nodes.step(dry, 0.20, 0.08))
    return nodes.product(steep, nodes.step(dry, 0.40, 0.22), bare)


def _grass_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 50.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, look["Tree Line"]), ragged)
    moist = nodes.step(nodes.sum(site.humidity, nodes.product(site.middle, 0.06)), 0.05, 0.2)
    return nodes.product(nodes.step(above, 350.0, 150.0), moist, nodes.step(site.slope, 52.0, 38.0), look["Vegetation"])


def _forest_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    ragged = nodes.sum(nodes.product(site.broad, 60.0), nodes.product(site.middle, 30.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, look["Tree Line"]), ragged)
    moist = nodes.step(
        nodes.sum(site.humidity, nodes.product(site.broad, 0.08), nodes.product(site.middle, 0.05)), 0.2, 0.32
    )
    return nodes.product(nodes.step(above, 60.0, -120.0), moist, nodes.step(site.slope, 43.0, 35.0), look["Vegetation"])


def _shore_share(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    """Return where water has washed the soil away: shores and river beds, but no steep gorges."""
    near = nodes.step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.12)), 0.45, 0.75)
    return nodes.product(near, nodes.step(site.bare_slope, 26.0, 14.0))


def _wet_share(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    near = nodes.step(nodes.sum(site.wet_ground, nodes.product(site.middle, 0.05)), 0.8, 1.0)
    return nodes.math("MAXIMUM", near, nodes.step(site.water_depth, 0.0, 0.3))


def _snow_share(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    line = nodes.math("MULTIPLY_ADD", site.cold, nodes.product(look["Winter Descent"], -1.0), look["Snow Line"])
    # Snow lasts longer in gullies and where the sun hardly comes, and goes first from noses that wind sweeps.
    shelter = nodes.math("MULTIPLY_ADD", site.illumination, -260.0, 110.0)
    shelter = nodes.math("MULTIPLY_ADD", site.humidity, 100.0, shelter)
    shelter = nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.02), -3500.0, shelter)
    ragged = nodes.sum(nodes.product(site.broad, 45.0), nodes.product(site.middle, 30.0), nodes.product(site.fine, 7.0))
    above = nodes.sum(nodes.math("SUBTRACT", site.altitude, line), shelter, ragged)
    # It slides off steep faces, but stays on the ledges between beds.
    steep = nodes.sum(site.slope, nodes.product(site.fine, 3.0), nodes.product(site.beds, 6.0))
    return nodes.product(nodes.step(above, 0.0, 120.0), nodes.step(steep, 54.0, 43.0))


def _limited(nodes: Nodes, value: Value, limit: float) -> bpy.types.NodeSocket:
    return nodes.math("MAXIMUM", nodes.math("MINIMUM", value, limit), -limit)


# Colours.


def _soil_colour(nodes: Nodes, site: _Site, soil: Value) -> bpy.types.NodeSocket:
    wet = nodes.product(nodes.step(site.humidity, 0.3, 0.9), 0.6)
    return nodes.mix(wet, _mottled(nodes, site, soil), (0.5, 0.47, 0.45), blend="MULTIPLY")


def _grass_colour(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    patches = nodes.sum(nodes.product(site.broad, 0.16), nodes.product(site.middle, 0.10))
    season = nodes.math("MULTIPLY_ADD", site.spring, 0.25, nodes.product(site.cold, -0.35))
    lush = nodes.step(nodes.sum(site.humidity, patches, season), 0.12, 0.45)
    colour = nodes.mix(lush, look["Dry Grass"], look["Grass"])
    turned = nodes.product(site.autumn, nodes.step(nodes.math("SUBTRACT", patches, site.humidity), -0.7, 0.0))
    return _mottled(nodes, site, nodes.mix(turned, colour, look["Russet"]))


def _forest_colour(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    leaves = nodes.product(site.autumn, nodes.step(site.broad, -0.4, 0.6))
    return _mottled(nodes, site, nodes.mix(nodes.product(leaves, 0.7), look["Forest Floor"], look["Russet"]))


def _shore_colour(nodes: Nodes, site: _Site, look: bpy.types.bpy_prop_collection) -> bpy.types.NodeSocket:
    """Return sand where the shore is level, gravel where it is steeper or much water comes together."""
    coarse = nodes.step(nodes.sum(site.bare_slope, nodes.product(site.middle, 2.0)), 3.0, 7.0)
    # From 10 ha to 1 km².
    area = nodes.math("LOGARITHM", nodes.math("MAXIMUM", site.drainage, 1.0), 10.0)
    coarse = nodes.math("MAXIMUM", coarse, nodes.step(area, 5.0, 6.0))
    return _mottled(nodes, site, nodes.mix(coarse, look["Sand"], look["Gravel"]))


def _rock_colour(nodes: Nodes, site: _Site, rock: Value) -> bpy.types.NodeSocket:
    """Return rock in beds of different colour, with dark water streaks down its faces and lichen where it is damp."""
    streaks = nodes.noise(nodes.vector_math("MULTIPLY", site.position, (1.0, 1.0, 0.12)), 30.0, 3.0, 0.6)
    light = nodes.math("MULTIPLY_ADD", site.beds, 0.26, 1.0)
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, light)
    light = nodes.math("MULTIPLY_ADD", site.broad, 0.16, light)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.16), light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.14), light)
    light = nodes.product(light, nodes.between(nodes.step(streaks, 0.40, 0.60), 0.74, 1.06))
    hue = nodes.step(nodes.sum(site.beds, nodes.product(site.broad, 0.9)), -0.8, 1.0)
    warm = nodes.mix(hue, (0.90, 0.97, 1.08), (1.13, 1.0, 0.85))
    damp = nodes.step(nodes.sum(site.humidity, nodes.product(site.broad, 0.12)), 0.15, 0.55)
    tinted = nodes.mix(1.0, rock, warm, blend="MULTIPLY")
    mossy = nodes.mix(nodes.product(damp, 0.55), tinted, (0.085, 0.090, 0.055))
    return nodes.mix(1.0, mossy, _grey(nodes, light), blend="MULTIPLY")


def _mottled(nodes: Nodes, site: _Site, colour: Value) -> bpy.types.NodeSocket:
    light = nodes.math("MULTIPLY_ADD", site.middle, 0.16, 1.0)
    light = nodes.math("MULTIPLY_ADD", site.fine, nodes.product(site.nearness, 0.22), light)
    light = nodes.math("MULTIPLY_ADD", site.grain, nodes.product(site.closeness, 0.20), light)
    return nodes.mix(1.0, colour, _grey(nodes, light), blend="MULTIPLY")


def _relief_shade(nodes: Nodes, site: _Site) -> bpy.types.NodeSocket:
    """Return how much lighter worn edges are than hollows, where dust and moss gather."""
    return nodes.math("MULTIPLY_ADD", _limited(nodes, site.curvature, 0.03), 9.0, 1.0)


def _grey(nodes: Nodes, value: Value) -> bpy.types.NodeSocket:
    return nodes.node("ShaderNodeCombineColor", {"Red": value, "Green": value, "Blue": value}).outputs[0]


def _through_water(nodes: Nodes, site: _Site, colour: Value) -> bpy.types.NodeSocket:
    """Return what is left of a colour through the water above it: less with depth (Beer's law)."""
    clear = nodes.math("POWER", 0.72, site.water_depth)
    return nodes.mix(clear, (0.006, 0.030, 0.034), colour)


def _coloured(nodes: Nodes, site: _Site, colouring: Value, physical: Value) -> bpy.types.NodeSocket:
    """Return the colour of the chosen kind, in the order of `COLOURINGS`; Cycles computes only that one."""
    colour = physical
    for number, kind in enumerate(COLOURINGS):
        if kind in RAMP_OF:
            chosen = nodes.math("COMPARE", colouring, float(number), 0.5)
            height = site.height_share if RAMP_OF[kind] == "terrain" else site.altitude
            colour = nodes.mix(chosen, colour, _ramp(nodes, ramp_stops(RAMP_OF[kind]), height))
    return colour


def _ramp(nodes: Nodes, stops: Sequence[tuple[float, Colour]], height: Value) -> bpy.types.NodeSocket:
    """Return the colour of a height; where a ramp goes on below 0, sea and land are two, for the shore is sharp.

    Cycles keeps a ramp as 256 colours, too few for one from the deep sea to the summits.
    """
    sea = [stop for stop in stops if stop[0] < 0.0]
    if len(sea) > 1:
        is_land = nodes.math("GREATER_THAN", height, -0.5)
        return nodes.mix(is_land, _ramp_node(nodes, sea, height), _ramp_node(nodes, stops[len(sea) :], height))
    return _ramp_node(nodes, stops, height)


def _ramp_node(nodes: Nodes, stops: Sequence[tuple[float, Colour]], height: Value) -> bpy.types.NodeSocket:
    low, high = stops[0][0], stops[-1][0]
    share = nodes.math("MULTIPLY_ADD", height, 1.0 / (high - low), -low / (high - low))
    node = nodes.node("ShaderNodeValToRGB", {0: share})
    elements = node.color_ramp.elements
    while len(elements) < len(stops):
        elements.new(1.0)
    for element, (place, colour) in zip(elements, stops):
        element.position, element.color = (place - low) / (high - low), (*colour, 1.0)
    return node.outputs[0]


def _bump(
    nodes: Nodes, site: _Site, rock: Value, scree: Value, snow: Value, physical: Value, normal: Value
) -> bpy.types.NodeSocket:
    """Return the normal of relief finer than the mesh."""
    # Cycles computes all that leads to the height three times, so the height is noise alone and the shares of the
    # layers only say how many metres it is worth.
    rough = nodes.math("MAXIMUM", rock, nodes.product(scree, 0.25))
    fine = nodes.product(site.nearness, nodes.between(rock, 0.30, 0.18))
    height = nodes.math("MULTIPLY_ADD", site.fine, fine, nodes.product(site.middle, 0.6))
    height = nodes.math("MULTIPLY_ADD", site.beds, nodes.product(rock, 0.9), height)
    grain = nodes.product(site.closeness, nodes.between(rough, 0.07, 0.035))
    height = nodes.math("MULTIPLY_ADD", site.grain, grain, height)
    metres = nodes.product(nodes.between(rough, 0.5, 3.2), nodes.between(snow, 1.0, 0.4))
    metres = nodes.product(metres, site.middle_nearness, physical)
    return nodes.bump(1.0, metres, height, normal)


# --- water ------------------------------------------------------------------------------------------------------------


def _new_water_material() -> bpy.types.Material:
    """A skin of water: it mirrors the sky, and shows the ground through it where it is shallow."""
    material, nodes = _new_material(WATER_MATERIAL, (0.10, 0.24, 0.28))
    depth = nodes.attribute("depth").outputs["Fac"]
    is_river = nodes.step(nodes.attribute("kind").outputs["Fac"], 1.2, 1.8)
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    # Waves finer than a pixel would only shimmer.
    waves = nodes.sum(
        nodes.product(nodes.noise(position, 1.6, 3.0, 0.6), nodes.step(distance, 600.0, 60.0)),
        nodes.product(nodes.noise(position, 14.0, 3.0, 0.55), nodes.step(distance, 6000.0, 600.0)),
    )
    normal = nodes.bump(0.25, 0.35, waves)
    skin = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {"Base Color": (0.008, 0.030, 0.034), "Roughness": 0.08, "IOR": 1.333, "Normal": normal},
    ).outputs[0]
    body = nodes.between(nodes.step(depth, 0.0, 4.0), 0.45, 0.94)
    body = nodes.math("MAXIMUM", body, nodes.product(is_river, 0.8))
    clear = nodes.node("ShaderNodeBsdfTransparent").outputs[0]
    _finish(nodes, nodes.node("ShaderNodeMixShader", {0: body, 1: clear, 2: skin}).outputs[0])
    return material


# --- plants -----------------------------------------------------------------------------------------------------------


def _new_plant_material(
    name: str, surface: Callable[[Nodes], bpy.types.NodeSocket], solid_colour: Colour
) -> bpy.types.Material:
    material, nodes = _new_material(name, solid_colour)
    _finish(nodes, surface(nodes))
    return material


def _bark(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return bark in furrows along the stem, lighter on some plants than on others."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    furrows = nodes.noise(nodes.vector_math("MULTIPLY", position, (1.0, 1.0, 0.15)), 0.012, 2.0, 0.65)
    light = nodes.product(nodes.between(furrows, 0.45, 1.5), nodes.between(_chance(nodes), 0.75, 1.25))
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": _tinted(nodes, light, 0.5)}).outputs[0]


def _stone(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return stone with lichen in patches."""
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    grain = nodes.noise(position, 0.25, 5.0, 0.7)
    patches = nodes.step(nodes.noise(position, 0.3, 3.0, 0.7), 0.52, 0.62)
    light = nodes.product(nodes.between(grain, 0.4, 1.6), nodes.between(_chance(nodes), 0.8, 1.2))
    colour = nodes.mix(nodes.product(patches, 0.45), _tinted(nodes, light, 0.4), (0.115, 0.125, 0.060))
    bump = nodes.bump(0.5, 0.05, grain)
    return nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour, "Normal": bump}).outputs[0]


_AUTUMN_LEAVES: tuple[Colour, Colour] = (0.330, 0.185, 0.022), (0.210, 0.058, 0.016)
# What a crown without leaves looks like from afar.
_TWIGS: Colour = (0.115, 0.094, 0.078)


def _season_of_leaves(nodes: Nodes, colour: Value, chance: Value, other: Value) -> bpy.types.NodeSocket:
    """Return the colour of leaves in the season: yellow to red in autumn, each plant at its own time, then bare."""
    season = nodes.attribute(SEASON, "INSTANCER").outputs["Fac"]
    # Where nobody says which season it is, the attribute is 0.
    turning = nodes.product(nodes.attribute(LEAF_FALL, "OBJECT").outputs["Fac"], nodes.step(season, 0.0, 0.001))
    season = nodes.math("MULTIPLY_ADD", chance, -0.9, nodes.math("ADD", season, 0.45))
    autumn = nodes.math("POWER", _positive(nodes, _wave_of_year(nodes, season, 9.9)), 5.0)
    colour = nodes.mix(nodes.product(autumn, turning, 0.9), colour, nodes.mix(other, *_AUTUMN_LEAVES))
    bare = nodes.step(_wave_of_year(nodes, season, COLDEST), 0.45, 0.75)
    return nodes.mix(nodes.product(bare, turning, 0.9), colour, _TWIGS)


def _leaves(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return leaves that glow when lit from behind, darker towards the stem, a little different on each plant."""
    tint = nodes.attribute("tint")
    chance = _chance(nodes)
    hue = nodes.math("MULTIPLY_ADD", chance, 0.05, 0.472)
    other = _other_chance(nodes, chance)
    value = nodes.math("MULTIPLY_ADD", other, 0.6, 0.7)
    inputs = {"Hue": hue, "Saturation": 1.0, "Value": value, "Color": tint.outputs["Color"]}
    colour = nodes.node("ShaderNodeHueSaturation", inputs).outputs[0]
    colour = _season_of_leaves(nodes, colour, chance, other)
    colour = nodes.mix(_decline(nodes), colour, (0.170, 0.110, 0.045))
    shade = nodes.math("MULTIPLY_ADD", tint.outputs["Alpha"], 0.9, 0.4)
    colour = nodes.mix(1.0, colour, _grey(nodes, shade), blend="MULTIPLY")
    glow = nodes.mix(1.0, colour, (1.15, 1.1, 0.6), blend="MULTIPLY")
    reflected = nodes.node("ShaderNodeBsdfDiffuse", {"Color": colour}).outputs[0]
    transmitted = nodes.node("ShaderNodeBsdfTranslucent", {"Color": glow}).outputs[0]
    return nodes.node("ShaderNodeMixShader", {0: 0.35, 1: reflected, 2: transmitted}).outputs[0]


def _tinted(nodes: Nodes, light: Value, darkest: float) -> bpy.types.NodeSocket:
    """Return the colour of the mesh, where little light comes down to `darkest` of it, times `light`."""
    tint = nodes.attribute("tint")
    light = nodes.product(light, nodes.between(tint.outputs["Alpha"], darkest, 1.4))
    return nodes.mix(1.0, tint.outputs["Color"], _grey(nodes, light), blend="MULTIPLY")


def _decline(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return how far leaves have withered, 0 to 0.75."""
    health = nodes.attribute(PlantAttribute.HEALTH, "INSTANCER").outputs["Fac"]
    # Where nobody says how it is, the attribute is 0; what is dead has no leaves.
    known = nodes.step(health, 0.0, 0.004)
    return nodes.product(nodes.math("SUBTRACT", 1.0, health), known, 0.75)


def _chance(nodes: Nodes) -> bpy.types.NodeSocket:
    """Return a number 0 to 1 that differs from plant to plant."""
    return nodes.node("ShaderNodeObjectInfo").outputs["Random"]


def _other_chance(nodes: Nodes, chance: Value) -> bpy.types.NodeSocket:
    """Return a second such number, which also tells species and ages apart."""
    kind = nodes.product(nodes.attribute(PlantAttribute.SPECIES, "INSTANCER").outputs["Fac"], 0.37)
    age = nodes.product(nodes.attribute(PlantAttribute.AGE, "INSTANCER").outputs["Fac"], 0.013)
    return nodes.math("FRACT", nodes.sum(nodes.product(chance, 7.31), kind, age))


# Nodes of the surface, and colour in a viewport of solid shading, by part of a plant.
_PART_LOOKS: dict[str, tuple[Callable[[Nodes], bpy.types.NodeSocket], Colour]] = {
    "bark": (_bark, (0.20, 0.14, 0.10)),
    "foliage": (_leaves, (0.20, 0.36, 0.12)),
    "rock": (_stone, (0.32, 0.30, 0.28)),
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
