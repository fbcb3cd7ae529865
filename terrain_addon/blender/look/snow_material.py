"""The material of snow: white that light enters, ripples of the wind, grains that glint, and thin edges.

Lengths are metres.
"""

import bpy

from ..data.attributes import DEPTH_OF_SNOW
from .ground_material import GROUND_COLOURS
from .nodes import Nodes, Value
from .shading import finish_material, found_or_made, new_material

SNOW_MATERIAL = "Landscape Snow"

_GRAIN = 0.004  # metres between grains
_RIPPLE = 0.9  # metres between ripples


def snow_material() -> bpy.types.Material:
    """Return the material of snow, made where it is missing."""
    return found_or_made(SNOW_MATERIAL, _new_snow_material)


def _new_snow_material() -> bpy.types.Material:
    """Make the material: lumps and ripples as bump, bluer hollows, glints close by, and holes where it frays."""
    material, nodes = new_material(SNOW_MATERIAL, GROUND_COLOURS["snow"])
    place = nodes.node("ShaderNodeTexCoord").outputs["Object"]
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    # What is finer than a pixel would only shimmer.
    near, close = nodes.smooth_step(distance, 900.0, 90.0), nodes.smooth_step(distance, 40.0, 4.0)
    lumps = nodes.signed_noise(place, 11.0, 3.0, 0.55)
    ripples = nodes.signed_noise(nodes.vector_math("MULTIPLY", place, (1.0, 0.35, 1.0)), _RIPPLE, 3.0, 0.5)
    relief = nodes.sum(nodes.product(lumps, 0.35), nodes.product(ripples, near, 0.05))
    # A grain in some hundred shows its face to the sun.
    grains = nodes.node("ShaderNodeTexVoronoi", {"Vector": place, "Scale": 1.0 / _GRAIN}, feature="F1")
    chance = nodes.node("ShaderNodeSeparateColor", {0: grains.outputs["Color"]}).outputs[0]
    glints = nodes.product(nodes.smooth_step(chance, 0.985, 0.995), close)
    colour = nodes.mix_colours(nodes.product(_hollows(nodes, lumps), 0.25), GROUND_COLOURS["snow"], (0.62, 0.69, 0.80))
    surface = nodes.node(
        "ShaderNodeBsdfPrincipled",
        {
            "Base Color": colour,
            "Roughness": nodes.mix_numbers(glints, 0.62, 0.08),
            "Specular IOR Level": nodes.mix_numbers(glints, 0.25, 1.0),
            "Subsurface Weight": 0.15,
            "Subsurface Radius": (0.3, 0.5, 1.0),
            "Subsurface Scale": 0.1,
            "Normal": nodes.bump(0.5, 1.0, relief),
        },
    ).outputs[0]
    finish_material(nodes, surface, _cover(nodes, place, lumps))
    return material


def _hollows(nodes: Nodes, lumps: Value) -> bpy.types.NodeSocket:
    """Return where snow lies in hollows, which are bluer: light has gone through more of it."""
    return nodes.smooth_step(lumps, 0.1, -0.7)


def _cover(nodes: Nodes, place: Value, lumps: Value) -> bpy.types.NodeSocket:
    """Return where the surface is seen: it frays where snow is thin, and where rock stands out of it on steep faces."""
    depth = nodes.attribute(DEPTH_OF_SNOW).outputs["Fac"]
    normal = nodes.node("ShaderNodeNewGeometry").outputs["True Normal"]
    upright = nodes.node("ShaderNodeSeparateXYZ", {0: normal}).outputs["Z"]
    # From about 35° on, to 55°.
    steep = nodes.smooth_step(upright, 0.82, 0.57)
    crags = nodes.ridged_noise(nodes.vector_math("MULTIPLY", place, (1.0, 1.0, 1.6)), 21.0, 6.0)
    needed = nodes.math("MULTIPLY_ADD", steep, nodes.math("MULTIPLY_ADD", crags, 0.7, 0.75), 0.1)
    ragged = nodes.product(depth, nodes.math("MULTIPLY_ADD", lumps, 0.6, 1.0))
    return nodes.smooth_step(nodes.math("DIVIDE", ragged, needed), 0.35, 1.0)
