"""The material of a land: the node group "Landscape Ground" with a recipe's appearance as its inputs."""

import re
from collections.abc import Mapping

import bpy

from ...core.building.recipe import Appearance
from ...core.foundation.parameters import parameters_of
from ...core.foundation.progress import run
from ...core.meshing.plant_meshes import Colour
from ..data.ground_images import GROUNDS
from .brush import brush_share, with_brush
from .colour_ramps import chosen_colour
from .ground_bump import FineForms, RoughCovers, bumped_normal
from .ground_colours import (
    forest_colour,
    grass_colour,
    relief_shade,
    rock_colour,
    scree_colour,
    shore_colour,
    soil_colour,
)
from .ground_shares import forest_share, grass_share, rock_share, sand_share, scree_share, shine, shore_share, wet_share
from .ground_site import TEXTURE_SPACING, GroundInputs, seen_site
from .nodes import SHADER_TREE, UNFINISHED, Nodes, NodeTreeSteps, find_group, name_group
from .shading import finish_material, grey, new_material, tinted
from .snowy_ground import (
    below_cornice,
    moraine_colour,
    moraine_cover,
    moraine_height,
    snow_colour,
    snow_reach,
    snow_share,
)
from .volcanic_ground import lava_flows, vent_colour, volcanic_colour
from .water_colour import seen_through_water

LAND_MATERIAL = "Landscape"
GROUND_GROUP = "Landscape Ground"
NORMAL_INPUT = "Normal"
"""Input of the node group for the normal that its bump starts from."""

GROUND_COLOURS: dict[str, Colour] = {
    "rock": (0.120, 0.118, 0.115),
    "scree": (0.162, 0.154, 0.143),
    "soil": (0.118, 0.092, 0.065),
    "dry_grass": (0.205, 0.172, 0.084),
    "grass": (0.082, 0.110, 0.037),
    "russet": (0.150, 0.092, 0.037),
    "forest_floor": (0.080, 0.065, 0.038),
    "sand": (0.330, 0.270, 0.180),
    "gravel": (0.200, 0.190, 0.175),
    "snow": (0.700, 0.740, 0.800),
}
"""Linear RGB of the covers in a new material; each is an input of the node group "Landscape Ground"."""


def land_material(appearance: Appearance, material: bpy.types.Material | None = None) -> bpy.types.Material:
    """Return the material of a land with a recipe's appearance: covers from rock to snow, seen through haze.

    It reads the altitude of the vertices and the point attributes `ground_site.GROUND_MAPS`.

    Parameters
    ----------
    appearance : Appearance
        Its parameters become inputs of the node group "Landscape Ground".
    material : Material, optional
        The material to change; without, a new one is made.  Other changes that users made to it stay.  A material
        without the node group is the user's own and stays as it is.
    """
    if material is None:
        material = _new_land_material()
    ground = ground_node(material)
    if ground is not None:
        _set_appearance(ground, appearance)
    return material


def land_material_of(land: bpy.types.Object) -> bpy.types.Material | None:
    """Return the first material of a land, None if it has none."""
    return next((material for material in land.data.materials if material is not None), None)


def ground_node(material: bpy.types.Material) -> bpy.types.Node | None:
    """Return the node of a material that holds the node group "Landscape Ground", None if it has none."""
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    return next((node for node in nodes if _is_ground(node)), None)


def share_output(name: str) -> str:
    """Return how the output of the node group is called that says where a cover lies.

    Parameters
    ----------
    name : str
        One of `data.ground_images.GROUNDS`.
    """
    return f"{input_name(name)} Share"


def ground_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Ground", made where it is missing."""
    return run(ground_group_steps())


def ground_group_steps() -> NodeTreeSteps:
    """Return the steps of `ground_group`.

    They can be spread over time: the more nodes a tree has, the longer Blender takes for the next one.
    """
    group = find_group(GROUND_GROUP, SHADER_TREE)
    return group if group is not None else (yield from _new_ground_group())


def set_cover_colours(material: bpy.types.Material, colours: Mapping[str, tuple[float, float, float]]) -> None:
    """Give the covers of a land other colours.

    Parameters
    ----------
    material : Material
        From `land_material`.
    colours : mapping of str to tuple of float
        Linear RGB by the name of an input of the node group, such as ``Rock``.
    """
    for node in material.node_tree.nodes:
        if _is_ground(node):
            for name, colour in colours.items():
                node.inputs[name].default_value = (*colour, 1.0)


def _is_ground(node: bpy.types.Node) -> bool:
    """Return whether a node holds the node group; one that was appended beside another has a number in its name."""
    tree = node.node_tree if node.type == "GROUP" else None
    return tree is not None and re.fullmatch(rf"{GROUND_GROUP}(\.\d+)?", tree.name) is not None


def _set_appearance(node: bpy.types.Node, appearance: Appearance) -> None:
    """Write the parameters of an appearance into the inputs of the node group."""
    for parameter in parameters_of(Appearance):
        value = getattr(appearance, parameter.name)
        # Shaders have no text inputs, so the number of a value stands for a choice.
        number = list(parameter.choices).index(value) if parameter.kind == "choice" else value
        # A node group made by an earlier version may lack an input.
        if input_name(parameter.name) in node.inputs:
            node.inputs[input_name(parameter.name)].default_value = number


def _new_land_material() -> bpy.types.Material:
    material, nodes = new_material(LAND_MATERIAL, (0.42, 0.38, 0.30))
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
    finish_material(nodes, surface.outputs[0])
    return material


def input_name(name: str) -> str:
    """Return how the input for a parameter or a colour is called."""
    return name.replace("_", " ").title()


def _new_ground_group() -> NodeTreeSteps:
    """Make the node group: each cover lies over those before it."""
    tree = bpy.data.node_groups.new(UNFINISHED, SHADER_TREE)
    _declare_sockets(tree)
    nodes = Nodes(tree)
    inputs = nodes.node("NodeGroupInput").outputs
    with nodes.section("Ground Place"):
        site = GroundInputs(nodes, inputs, seen_site(nodes))
    yield
    with nodes.section("Ground Covers"):
        rock, scree = rock_share(nodes, site), scree_share(nodes, site)
        grass, forest = grass_share(nodes, site), forest_share(nodes, site)
        sand, shore = sand_share(nodes, site), shore_share(nodes, site)
    yield
    with nodes.section("Ground Snow"):
        reach = snow_reach(nodes, site)
        snow = snow_share(nodes, site, reach)
        hung = nodes.product(snow, below_cornice(nodes, site, inputs[NORMAL_INPUT]))
    yield
    with nodes.section("Ground Soil"):
        # Where nothing grows, only sand covers the ground.
        loose = nodes.mix_colours(nodes.smooth_step(inputs["Vegetation"], 0.08, 0.0), inputs["Soil"], inputs["Sand"])
        # What rain loosens of clay has the colour of its bed.
        loose, scree_grey = (nodes.mix_colours(site.clay, cover, inputs["Rock"]) for cover in (loose, inputs["Scree"]))
        colour = soil_colour(nodes, site, tinted(nodes, loose, site.earthy_tint))
    with nodes.section("Ground Plants"):
        colour = nodes.mix_colours(grass, colour, grass_colour(nodes, site))
        colour = nodes.mix_colours(forest, colour, forest_colour(nodes, site))
    yield
    with nodes.section("Ground Brush"):
        brush = brush_share(nodes, site, forest, shore)
        colour = with_brush(nodes, site, brush, colour)
    yield
    with nodes.section("Ground Scree"):
        colour = nodes.mix_colours(scree, colour, scree_colour(nodes, site, tinted(nodes, scree_grey, site.tint)))
    yield
    with nodes.section("Ground Volcano"):
        lava = lava_flows(nodes, site)
        colour = volcanic_colour(nodes, site, colour, lava)
    yield
    with nodes.section("Ground Rock"):
        colour = nodes.mix_colours(rock, colour, rock_colour(nodes, site, tinted(nodes, inputs["Rock"], site.tint)))
        colour = vent_colour(nodes, site, colour)
    yield
    with nodes.section("Ground Moraine"):
        till = moraine_cover(nodes, site)
        colour = nodes.mix_colours(till, colour, moraine_colour(nodes, site))
        raised = nodes.sum(lava.height, moraine_height(nodes, site, till))
    yield
    with nodes.section("Ground Water"):
        colour = nodes.mix_colours(shore, colour, shore_colour(nodes, site))
        colour = nodes.mix_colours(1.0, colour, grey(nodes, relief_shade(nodes, site)), blend="MULTIPLY")
        wet = wet_share(nodes, site, reach)
        colour = nodes.mix_colours(wet, colour, nodes.mix_colours(1.0, colour, (0.52, 0.50, 0.48), blend="MULTIPLY"))
        colour = nodes.mix_colours(snow, colour, snow_colour(nodes, inputs["Snow"], hung))
        colour = seen_through_water(nodes, inputs["Water Clarity"], site.water_depth, colour)
    yield
    with nodes.section("Ground Colouring"):
        colour = chosen_colour(nodes, site, colour)
    yield
    # Where this is 0, Cycles leaves out all nodes of the bump.
    is_physical = nodes.math("LESS_THAN", inputs["Colouring"], 0.5)
    with nodes.section("Ground Bump"):
        covers = RoughCovers(rock, scree, snow, sand, nodes.product(brush, nodes.smooth_step(snow, 0.5, 0.0)))
        # Snow fills what lies beside a bank.
        shapes = FineForms(nodes.product(raised, nodes.mix_numbers(snow, 1.0, 0.1)), hung)
        normal = bumped_normal(nodes, site, covers, shapes, is_physical, inputs[NORMAL_INPUT])
    yield
    shiny = nodes.product(shine(nodes, site, wet), nodes.math("SUBTRACT", 1.0, snow), is_physical)
    nodes.node(
        "NodeGroupOutput",
        {
            "Color": colour,
            "Roughness": nodes.math("MULTIPLY_ADD", shiny, -0.55, nodes.mix_numbers(snow, 0.9, 0.55)),
            "Specular": nodes.product(shiny, 0.5),
            "Normal": normal,
            **dict(zip(map(share_output, GROUNDS[1:]), (grass, forest, scree, rock, shore, snow), strict=True)),
        },
    )
    nodes.arrange()
    return name_group(tree, GROUND_GROUP, find_group(GROUND_GROUP, SHADER_TREE))


def _declare_sockets(tree: bpy.types.NodeTree) -> None:
    """Give the node group its inputs and its outputs."""
    tree.interface.new_socket(NORMAL_INPUT, in_out="INPUT", socket_type="NodeSocketVector").hide_value = True
    spacing = tree.interface.new_socket(TEXTURE_SPACING, in_out="INPUT", socket_type="NodeSocketFloat")
    spacing.description = "Metres between the texels of a normal map that holds the detail; 0 without one"
    for parameter in parameters_of(Appearance):
        kind = "NodeSocketInt" if parameter.kind == "choice" else "NodeSocketFloat"
        socket = tree.interface.new_socket(input_name(parameter.name), in_out="INPUT", socket_type=kind)
        socket.description = "; ".join(
            [parameter.description, *(f"{k}: {text}" for k, text in enumerate(parameter.choices.values()))]
        )
    for name, colour in GROUND_COLOURS.items():
        socket = tree.interface.new_socket(input_name(name), in_out="INPUT", socket_type="NodeSocketColor")
        socket.default_value = (*colour, 1.0)
    for name, kind in (
        ("Color", "Color"),
        ("Roughness", "Float"),
        ("Specular", "Float"),
        ("Normal", "Vector"),
        *((share_output(name), "Float") for name in GROUNDS[1:]),
    ):
        tree.interface.new_socket(name, in_out="OUTPUT", socket_type=f"NodeSocket{kind}")
