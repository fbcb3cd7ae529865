"""Materials of a planet: ground, sea, clouds and air.

Node *Planet Colour* holds the picture of colours, those of the ground below and those of the sea above them; node
*Planet Relief* that of residual (red), ice (green) and depth of the sea (blue).  Both lie on the UV map of the faces.
"""

from typing import Any

import bpy

from .. import compat
from ..data.attributes import UV_MAP
from ..data.planet_data import NEAR, NEAR_COLOUR
from .nodes import Nodes, Value
from .planet_air import AIR_ALTITUDE, AIR_COLOURS, AMOUNT, COLOUR, SIZE, air_surface, air_values, camera_of, hazy, veil
from .planet_ground import near_ground

COLOUR_NODE, RELIEF_NODE = "Planet Colour", "Planet Relief"
"""Names of the nodes that hold the pictures of a planet."""

_SOLID_OPACITY = 0.06  # of air and clouds in viewports with solid shading
_LOW, _RANGE, _CLOUDS, _GROUND_SHARE = "Residual Low", "Residual Range", "Clouds", "Ground Share"
_WAVES, _WAVE_HEIGHT = 3e-5, 6e-7  # length and height of waves in radii
# Size of patches of wind in radii; roughness of calm and of windy sea as seen from space, and how well they mirror.
_WINDS, _ROUGH_SEA, _MIRRORS = 0.16, (0.30, 0.40), (0.22, 0.03)
_CLOUD = (0.86, 0.87, 0.88)


def new_ground_material(
    name: str, pictures: tuple[bpy.types.Image, bpy.types.Image], residuals: tuple[float, float]
) -> bpy.types.Material:
    """Return a new material of the ground: its colours, and the residual as bump.

    Parameters
    ----------
    name : str
    pictures : tuple of Image
        Colours, and residual, ice and depth.
    residuals : tuple of float
        What black and white mean for the residual, in lengths of the scene.
    """
    material, nodes = _new_material(name, (0.2, 0.22, 0.12))
    colour, relief = _pictures(nodes, pictures, is_sea=False)
    parts = nodes.node("ShaderNodeSeparateColor", {0: relief}).outputs
    low, high = residuals
    height = nodes.math("MULTIPLY_ADD", parts[0], nodes.value(_RANGE, high - low), nodes.value(_LOW, low))
    near, air = nodes.attribute(NEAR).outputs["Fac"], air_values(nodes)
    # Between samples the mesh has no residual, and its vertices have its colours.
    share = _per_radius(nodes, air)
    place = nodes.scaled(nodes.node("ShaderNodeTexCoord").outputs["Object"], share)
    far = nodes.product(camera_of(nodes, air[2])[0], 1.0 + AIR_ALTITUDE)
    with nodes.section("Planet Near Ground"):
        close = near_ground(nodes, place, far)
    rest = nodes.math("DIVIDE", close.height, share)
    height = nodes.mix_numbers(near, height, rest)
    colour = nodes.mix_colours(near, colour, close.colour)
    inputs: dict[str, Value] = {
        "Base Color": colour,
        "Roughness": nodes.mix_numbers(near, nodes.mix_numbers(parts[1], 0.95, 0.55), close.roughness),
        # Both heights are lengths, so one metre of them is one metre of the scene.
        "Normal": nodes.bump(1.0, 1.0, height),
        "Specular IOR Level": 0.15,
    }
    _finish(nodes, hazy(nodes, nodes.node("ShaderNodeBsdfPrincipled", inputs).outputs[0], air))
    return material


def new_sea_material(name: str, pictures: tuple[bpy.types.Image, bpy.types.Image]) -> bpy.types.Material:
    """Return a new material of the sea, which mirrors the sun where it is not frozen; `pictures` as for the ground."""
    material, nodes = _new_material(name, (0.01, 0.05, 0.12))
    colour, relief = _pictures(nodes, pictures, is_sea=True)
    ice = nodes.smooth_step(nodes.node("ShaderNodeSeparateColor", {0: relief}).outputs[1], 0.3, 0.7)
    near, air = nodes.attribute(NEAR).outputs["Fac"], air_values(nodes)
    share = _per_radius(nodes, air)
    place = nodes.scaled(nodes.node("ShaderNodeTexCoord").outputs["Object"], share)
    far = nodes.product(camera_of(nodes, air[2])[0], 1.0 + AIR_ALTITUDE)
    close = nodes.product(near, nodes.smooth_step(far, 0.05, 0.01))
    waves = nodes.product(nodes.noise(place, _WAVES, 4.0, 0.6), close, _WAVE_HEIGHT)
    # Wind ruffles the sea in patches, so the light of the sun on it is ragged.
    wind = nodes.noise(place, _WINDS, 7.0, 0.62)
    windy = nodes.smooth_step(wind, 0.35, 0.65)
    rough = nodes.mix_numbers(windy, *_ROUGH_SEA)
    mirrors = nodes.mix_numbers(close, nodes.mix_numbers(windy, *_MIRRORS), 0.5)
    inputs: dict[str, Value] = {
        "Base Color": nodes.mix_colours(near, colour, nodes.attribute(NEAR_COLOUR).outputs["Color"]),
        # From space the waves of a whole region are one rough mirror; close by one sees them.
        "Roughness": nodes.mix_numbers(ice, nodes.mix_numbers(close, rough, 0.12), 0.8),
        "Normal": nodes.bump(1.0, 1.0, nodes.math("DIVIDE", waves, share)),
        "Specular IOR Level": mirrors,
        "IOR": 1.333,
    }
    _finish(nodes, hazy(nodes, nodes.node("ShaderNodeBsdfPrincipled", inputs).outputs[0], air))
    return material


def new_cloud_material(name: str, cover: float, seed: int) -> bpy.types.Material:
    """Return a new material of clouds.

    Parameters
    ----------
    name : str
    cover : float
        Share of the sky, 0 to 1.
    seed : int
        Moves the pattern.
    """
    material, nodes = _new_material(name, (0.9, 0.9, 0.9), _SOLID_OPACITY)
    place = nodes.vector_math("NORMALIZE", nodes.node("ShaderNodeTexCoord").outputs["Object"])
    moved = nodes.vector_math("ADD", place, (0.37 * (seed % 97), 0.61 * (seed % 89), 0.0))
    # Bands of clouds run along the equator and at 60°: the wave is 1 there and −1 at 30° and at the poles.
    latitude = nodes.math("ARCSINE", nodes.node("ShaderNodeSeparateXYZ", {0: place}).outputs["Z"])
    bands = nodes.math("COSINE", nodes.product(latitude, 6.0))
    # Winds draw clouds out from west to east, and storms turn them.
    swirl = nodes.node("ShaderNodeTexNoise", {"Vector": moved, "Scale": 1.7, "Detail": 3.0, "Roughness": 0.5}).outputs[
        1
    ]
    bent = nodes.vector_math("ADD", moved, nodes.scaled(nodes.vector_math("SUBTRACT", swirl, (0.5, 0.5, 0.5)), 0.85))
    drawn = nodes.vector_math("MULTIPLY", bent, (1.0, 1.0, 1.55))
    fields = nodes.noise(drawn, 0.55, 12.0, 0.60)
    veils = nodes.noise(nodes.vector_math("ADD", drawn, (5.2, 1.3, 8.1)), 0.16, 9.0, 0.68)
    amount = nodes.sum(nodes.product(fields, 0.72), nodes.product(veils, 0.28), nodes.product(bands, 0.022))
    low = nodes.math("SUBTRACT", 0.655, nodes.product(nodes.value(_CLOUDS, cover), 0.30))
    thick = nodes.math("DIVIDE", nodes.math("SUBTRACT", amount, low, clamp=True), 0.17)
    share = nodes.product(nodes.smooth_step(thick, 0.0, 1.0), 0.94)
    above = nodes.node("ShaderNodeBsdfDiffuse", {"Color": _CLOUD}).outputs[0]
    # From below the sun is behind them.
    below = nodes.node("ShaderNodeBsdfTranslucent", {"Color": _CLOUD}).outputs[0]
    side = nodes.node("ShaderNodeNewGeometry").outputs["Backfacing"]
    white = nodes.node("ShaderNodeMixShader", {0: side, 1: above, 2: below}).outputs[0]
    _finish(nodes, veil(nodes, share, hazy(nodes, white)))
    material.surface_render_method = "BLENDED"
    return material


def new_air_material(name: str) -> bpy.types.Material:
    """Return a new material of a shell of air; `set_air` fills it."""
    material, nodes = _new_material(name, (0.3, 0.5, 1.0), _SOLID_OPACITY)
    _finish(nodes, air_surface(nodes))
    material.surface_render_method = "BLENDED"
    return material


def with_pictures(
    material: bpy.types.Material, colours: bpy.types.Image, relief: bpy.types.Image
) -> bpy.types.Material:
    """Let a material of ground or sea show other pictures, and return it."""
    for name, picture in ((COLOUR_NODE, colours), (RELIEF_NODE, relief)):
        node = material.node_tree.nodes.get(name) if material.node_tree is not None else None
        if node is not None:
            node.image = picture
    return material


def set_pictures(material: bpy.types.Material, residuals: tuple[float, float], *, has_sea: bool) -> None:
    """Tell a material of the ground how to read its pictures, if it still has the nodes for it.

    Parameters
    ----------
    material : Material
        Of the ground.
    residuals : tuple of float
        What black and white mean for the residual, in lengths of the scene.
    has_sea : bool
        Whether the picture of colours has a second half for the sea.
    """
    values = {_LOW: residuals[0], _RANGE: residuals[1] - residuals[0], _GROUND_SHARE: 0.5 if has_sea else 1.0}
    _set_values(material, values)


def set_clouds(material: bpy.types.Material, cover: float) -> None:
    """Change the share of the sky that a material of clouds covers."""
    _set_values(material, {_CLOUDS: cover})


def set_air(material: bpy.types.Material, colours: str, amount: float, size: float) -> None:
    """Tell a material of a planet about its air, if it still has the nodes for it.

    Parameters
    ----------
    material : Material
        Of ground, sea, clouds or air.
    colours : str
        A key of `PLANET_COLOURS`.
    amount : float
        How thick the air is, 1 for that of Earth.
    size : float
        Radius of the shell in the planet's own space.
    """
    _set_values(material, {AMOUNT: amount, COLOUR: (*AIR_COLOURS[colours], 1.0), SIZE: size})


def _set_values(material: bpy.types.Material, values: dict[str, Any]) -> None:
    """Set the values of nodes that there are, by their names; what users have changed otherwise stays."""
    tree = material.node_tree
    for name, value in values.items():
        node = tree.nodes.get(name) if tree is not None else None
        if node is not None:
            node.outputs[0].default_value = value


def _new_material(
    name: str, solid_colour: tuple[float, float, float], opacity: float = 1.0
) -> tuple[bpy.types.Material, Nodes]:
    """Start a material; viewports with solid shading show `solid_colour`, and through it what is behind."""
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*solid_colour, opacity)
    tree = compat.enable_nodes(material)
    tree.nodes.clear()
    return material, Nodes(tree)


def _pictures(
    nodes: Nodes, pictures: tuple[bpy.types.Image, bpy.types.Image], *, is_sea: bool
) -> tuple[bpy.types.NodeSocket, bpy.types.NodeSocket]:
    """Add the nodes that hold the pictures; return their colours."""
    uv = nodes.node("ShaderNodeUVMap", uv_map=UV_MAP).outputs[0]
    # The sea is the upper half of the picture of colours.
    scale = nodes.node("ShaderNodeCombineXYZ", {"X": 1.0, "Y": 0.5 if is_sea else nodes.value(_GROUND_SHARE, 1.0)})
    half = nodes.node("ShaderNodeVectorMath", {0: uv, 1: scale.outputs[0]}, operation="MULTIPLY_ADD")
    half.inputs[2].default_value = (0.0, 0.5 if is_sea else 0.0, 0.0)
    found = []
    for name, picture, at in zip((COLOUR_NODE, RELIEF_NODE), pictures, (half.outputs[0], uv)):
        node = nodes.node("ShaderNodeTexImage", {"Vector": at}, image=picture, extension="EXTEND", label=name)
        node.name = name
        found.append(node.outputs[0])
    return found[0], found[1]


def _per_radius(
    nodes: Nodes, air: tuple[bpy.types.NodeSocket, bpy.types.NodeSocket, bpy.types.NodeSocket]
) -> bpy.types.NodeSocket:
    """What a length of the planet's own space is multiplied with to be a share of its radius."""
    return nodes.math("DIVIDE", 1.0 + AIR_ALTITUDE, air[2])


def _finish(nodes: Nodes, surface: Value) -> None:
    nodes.node("ShaderNodeOutputMaterial", {"Surface": surface})
    nodes.arrange()
