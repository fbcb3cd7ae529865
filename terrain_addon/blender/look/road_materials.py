"""The materials of roads: asphalt, gravel, markings, concrete, and the darkness of tunnels.

Texture coordinates are metres along and across the road, so everything has its true size.
"""

import bpy

from ...core.meshing.road_mesh import ROAD_PARTS
from .nodes import Nodes, Value
from .shading import finish_material, new_material

# By part: name, how much darker and lighter than its mean colour it gets, roughness, size of its grains in metres.
_LOOKS = {
    "asphalt": ("Landscape Asphalt", 0.35, 0.85, 0.012),
    "gravel": ("Landscape Gravel", 0.35, 0.95, 0.05),
    "markings": ("Landscape Markings", 0.22, 0.6, 0.03),
    "concrete": ("Landscape Concrete", 0.22, 0.8, 0.3),
    "verge": ("Landscape Verge", 0.45, 1.0, 0.15),
    "darkness": ("Landscape Tunnel", 0.3, 1.0, 1.0),
}


def road_materials() -> list[bpy.types.Material]:
    """Return the materials of roads in the order of `road_mesh.ROAD_PARTS`, made where they are missing."""
    return [bpy.data.materials.get((_LOOKS[part][0], None)) or _new_material(part) for part in ROAD_PARTS]


def _new_material(part: str) -> bpy.types.Material:
    """Make the material of a part: grains, patches as wide as a lane, and wear where wheels run."""
    name, contrast, roughness, size = _LOOKS[part]
    colour = ROAD_PARTS[part]
    dark, light = (tuple(factor * channel for channel in colour) for factor in (1.0 - contrast, 1.0 + contrast))
    material, nodes = new_material(name, colour)
    place = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    # Grains finer than a pixel would only shimmer.
    near = nodes.smooth_step(distance, 4000.0 * size, 400.0 * size)
    grains = nodes.noise(place, size, 2.0, 0.6)
    patches = nodes.noise(place, 7.0, 4.0, 0.6)
    shade = nodes.sum(nodes.product(grains, near, 0.6), nodes.product(patches, 0.9), -0.25)
    if part == "asphalt":
        shade = nodes.sum(shade, nodes.product(_wheels(nodes), 0.25))
    shown = nodes.mix_colours(nodes.math("MULTIPLY", shade, 1.0, clamp=True), dark, light)
    bump = nodes.bump(0.4, 0.3 * size, nodes.product(grains, near))
    surface = nodes.node(
        "ShaderNodeBsdfPrincipled", {"Base Color": shown, "Roughness": roughness, "Normal": bump}
    ).outputs[0]
    finish_material(nodes, surface)
    return material


def _wheels(nodes: Nodes) -> Value:
    """1 where wheels run, 0.9 m on both sides of the middle of a lane, for lanes of 3.5 m."""
    across = nodes.node("ShaderNodeSeparateXYZ", {0: nodes.node("ShaderNodeUVMap").outputs[0]}).outputs["Y"]
    from_lane = nodes.math("ABSOLUTE", nodes.math("SUBTRACT", nodes.math("ABSOLUTE", across), 1.75))
    return nodes.smooth_step(nodes.math("ABSOLUTE", nodes.math("SUBTRACT", from_lane, 0.8)), 0.45, 0.0)
