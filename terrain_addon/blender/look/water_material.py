"""The material of sea, lakes and rivers."""

import bpy

from ..data.attributes import DEPTH_OF_WATER, WATER_KIND
from .shading import finish_material, new_material

WATER_MATERIAL = "Landscape Water"


def water_material() -> bpy.types.Material:
    """Return the material of sea, lakes and rivers, made where it is missing.

    It reads the point attributes `WATER_KIND` and `DEPTH_OF_WATER` of a water mesh; see `data.attributes`.
    """
    material = bpy.data.materials.get((WATER_MATERIAL, None))
    return material if material is not None else _new_water_material()


def _new_water_material() -> bpy.types.Material:
    """Make the material: it mirrors the sky and lets the ground show through where water is shallow."""
    material, nodes = new_material(WATER_MATERIAL, (0.10, 0.24, 0.28))
    depth = nodes.attribute(DEPTH_OF_WATER).outputs["Fac"]
    is_river = nodes.smooth_step(nodes.attribute(WATER_KIND).outputs["Fac"], 1.2, 1.8)
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
    finish_material(nodes, nodes.node("ShaderNodeMixShader", {0: cover, 1: clear, 2: mirror}).outputs[0])
    return material
