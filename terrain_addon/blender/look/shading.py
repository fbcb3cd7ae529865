"""What the materials of ground, water and plants have in common.

Lengths are metres, colours linear RGB, angles degrees.
"""

import math
from collections.abc import Callable, Sequence

import bpy

from ...core.meshing.plant_meshes import Colour
from .. import compat
from .atmosphere import haze_group
from .nodes import Nodes, Value


def new_material(name: str, solid_colour: Colour) -> tuple[bpy.types.Material, Nodes]:
    """Start a material; viewports with solid shading show `solid_colour`."""
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*solid_colour, 1.0)
    tree = compat.enable_nodes(material)
    tree.nodes.clear()
    # Haze is emission that only the camera sees.  Without this, Cycles takes a million triangles for lamps.
    if hasattr(material, "cycles"):
        material.cycles.emission_sampling = "NONE"
    return material, Nodes(tree)


def found_or_made(name: str, make: Callable[[], bpy.types.Material]) -> bpy.types.Material:
    """Return the material of this file with a name, made where it is missing."""
    material = bpy.data.materials.get((name, None))
    return material if material is not None else make()


def finish_material(
    nodes: Nodes, surface: Value, cover: Value | None = None, eevee_surface: Value | None = None
) -> None:
    """Show a surface through the haze, and lay out the nodes.

    Parameters
    ----------
    nodes : Nodes
    surface : NodeSocket
        What is seen, in both engines if there is no other for EEVEE.
    cover : NodeSocket, optional
        0 where there is nothing, 1 where the surface is; without, it is everywhere.
    eevee_surface : NodeSocket, optional
        What EEVEE shows.
    """
    surfaces = {"ALL": surface} if eevee_surface is None else {"CYCLES": surface, "EEVEE": eevee_surface}
    for engine, seen in surfaces.items():
        shown = nodes.group(haze_group(), {0: seen}).outputs[0]
        if cover is not None:
            # Outside the haze, or it would glow in the holes.
            nothing = nodes.node("ShaderNodeBsdfTransparent").outputs[0]
            shown = nodes.node("ShaderNodeMixShader", {0: cover, 1: nothing, 2: shown}).outputs[0]
        nodes.node("ShaderNodeOutputMaterial", {"Surface": shown}, target=engine)
    nodes.arrange()


def grey(nodes: Nodes, value: Value) -> bpy.types.NodeSocket:
    """Return a number as a grey colour, also in Geometry Nodes."""
    return nodes.node("ShaderNodeCombineXYZ", {"X": value, "Y": value, "Z": value}).outputs[0]


def at_least_zero(nodes: Nodes, value: Value) -> bpy.types.NodeSocket:
    """Return a number, or 0 where it is negative."""
    return nodes.math("MAXIMUM", value, 0.0)


def wave_of_year(nodes: Nodes, season: Value, peak: float) -> bpy.types.NodeSocket:
    """Return a wave over the year: 1 in the season `peak`, in months since New Year, and -1 half a year away."""
    return nodes.math("COSINE", nodes.math("MULTIPLY_ADD", season, math.pi / 6.0, -peak * math.pi / 6.0))


def tinted(nodes: Nodes, colour: Value, tint: Value) -> bpy.types.NodeSocket:
    """Return a colour of grey rock as it is on the rock of the land."""
    return nodes.mix_colours(1.0, colour, tint, blend="MULTIPLY")


def limited(nodes: Nodes, value: Value, limit: float) -> bpy.types.NodeSocket:
    """Return a value cut off at plus and minus a limit."""
    return nodes.math("MAXIMUM", nodes.math("MINIMUM", value, limit), -limit)


def filled_ramp(nodes: Nodes, stops: Sequence[tuple[float, Colour]], share: Value) -> bpy.types.Node:
    """Return a node with a colour ramp; stops are places from 0 to 1 and colours."""
    node = nodes.node("ShaderNodeValToRGB", {0: share})
    elements = node.color_ramp.elements
    while len(elements) < len(stops):
        elements.new(1.0)
    for element, (place, colour) in zip(elements, stops):
        element.position, element.color = place, (*colour, 1.0)
    return node
