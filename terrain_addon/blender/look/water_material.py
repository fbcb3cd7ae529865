"""The material of sea, lakes and rivers."""

import bpy

from ..data.attributes import DEPTH_OF_WATER, WATER_KIND
from .nodes import Nodes, Value
from .shading import finish_material, new_material

WATER_MATERIAL = "Landscape Water"


def water_material() -> bpy.types.Material:
    """Return the material of sea, lakes and rivers, made where it is missing.

    It reads the point attributes `WATER_KIND` and `DEPTH_OF_WATER` of a water mesh; see `data.attributes`.
    """
    material = bpy.data.materials.get((WATER_MATERIAL, None))
    return material if material is not None else _new_water_material()


def _new_water_material() -> bpy.types.Material:
    """Make the material: it mirrors the sky, lets the ground show where it is shallow, and foams along the sea."""
    material, nodes = new_material(WATER_MATERIAL, (0.10, 0.24, 0.28))
    depth, kind = (nodes.attribute(name).outputs["Fac"] for name in (DEPTH_OF_WATER, WATER_KIND))
    is_river = nodes.smooth_step(kind, 1.2, 1.8)
    position = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    # Waves finer than a pixel would only shimmer.
    waves = nodes.sum(
        nodes.product(nodes.noise(position, 1.6, 3.0, 0.6), nodes.smooth_step(distance, 600.0, 60.0)),
        nodes.product(nodes.noise(position, 14.0, 3.0, 0.55), nodes.smooth_step(distance, 6000.0, 600.0)),
    )
    normal = nodes.bump(0.25, 0.35, waves)
    mirror = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {"Base Color": (0.008, 0.030, 0.034), "Roughness": 0.08, "IOR": 1.333, "Normal": normal},
    ).outputs[0]
    cover = nodes.mix_numbers(nodes.smooth_step(depth, 0.0, 4.0), 0.45, 0.94)
    cover = nodes.math("MAXIMUM", cover, nodes.product(is_river, 0.8))
    clear = nodes.node("ShaderNodeBsdfTransparent").outputs[0]
    water = nodes.node("ShaderNodeMixShader", {0: cover, 1: clear, 2: mirror}).outputs[0]
    foam = nodes.product(_foam(nodes, position, depth), nodes.smooth_step(kind, 0.7, 0.3))
    white = nodes.node("ShaderNodeBsdfDiffuse", {"Color": (0.62, 0.65, 0.66)}).outputs[0]
    finish_material(nodes, nodes.node("ShaderNodeMixShader", {0: foam, 1: water, 2: white}).outputs[0])
    return material


def _foam(nodes: Nodes, position: Value, depth: Value) -> bpy.types.NodeSocket:
    """Return where waves break: in a ragged line along the shore, and in pieces of a second one farther out."""
    ragged = nodes.signed_noise(position, 9.0, 4.0, 0.65)
    level = nodes.math("MULTIPLY_ADD", ragged, 0.35, depth)
    shore = nodes.smooth_step(level, 0.45, 0.10)
    breaker = nodes.smooth_step(nodes.math("ABSOLUTE", nodes.math("SUBTRACT", level, 1.1)), 0.20, 0.05)
    broken = nodes.smooth_step(nodes.signed_noise(position, 60.0, 2.0, 0.5), 0.10, 0.45)
    lace = nodes.smooth_step(nodes.signed_noise(position, 1.7, 3.0, 0.7), -0.55, 0.35)
    return nodes.product(nodes.math("MAXIMUM", shore, nodes.product(breaker, broken)), lace, 0.85)
