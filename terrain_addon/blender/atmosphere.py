"""The light of the sky, and the air between the camera and the land."""

import bpy

from . import compat
from .nodes import Nodes, Value, find_group

HAZE_GROUP = "Landscape Haze"
SKY_GROUP = "Landscape Sky"

_SHADER_TREE = "ShaderNodeTree"


def haze_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Haze", made where it is missing: air between the camera and a surface.

    Its Value nodes are "Visibility" (distance in metres at which the air at the base takes 95 % of the contrast, after
    Koschmieder 1924), "Base" (altitude in metres of the land's foot) and "Thickness" (metres of height in which the air
    thins to 1/e), which `scenery.set_stage` sets, and "Amount", a factor for the user.
    """
    tree = find_group(HAZE_GROUP, _SHADER_TREE)
    return tree if tree is not None else _new_haze_group()


def sky_group() -> bpy.types.NodeTree:
    """Return the node group "Landscape Sky", made where it is missing: the light of the sky by direction."""
    tree = find_group(SKY_GROUP, _SHADER_TREE)
    return tree if tree is not None else _new_sky_group()


def _new_haze_group() -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(HAZE_GROUP, _SHADER_TREE)
    tree.interface.new_socket("Surface", in_out="INPUT", socket_type="NodeSocketShader")
    tree.interface.new_socket("Surface", in_out="OUTPUT", socket_type="NodeSocketShader")
    nodes = Nodes(tree)
    surface = nodes.node("NodeGroupInput").outputs[0]
    geometry = nodes.node("ShaderNodeNewGeometry").outputs
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    away = nodes.scaled(geometry["Incoming"], -1.0)

    share = _haze_share(nodes, geometry, distance)
    # Light that bounces must not find the haze, which would brighten the land by its own air.
    share = nodes.product(share, nodes.node("ShaderNodeLightPath").outputs["Is Camera Ray"])
    sky = nodes.group(sky_group(), {0: _along_horizon(nodes, away)}).outputs[0]
    # Over a few kilometres air shines bluer and dimmer than the whole depth of the sky at the horizon.
    air = nodes.vector_math("MULTIPLY", sky, (0.62, 0.74, 0.92))
    haze = nodes.node("ShaderNodeEmission", {"Color": air, "Strength": 1.0}).outputs[0]
    mixed = nodes.node("ShaderNodeMixShader", {0: share, 1: surface, 2: haze}).outputs[0]
    nodes.node("NodeGroupOutput", {0: mixed})
    nodes.arrange()
    return tree


def _haze_share(nodes: Nodes, geometry: bpy.types.bpy_prop_collection, distance: Value) -> bpy.types.NodeSocket:
    """Return 1 - exp(-optical depth), the depth by Simpson's rule over air that thins exponentially with height."""
    base = nodes.value("Base", 0.0)
    thickness = nodes.value("Thickness", 1000.0)
    clear = nodes.math("DIVIDE", 3.0, nodes.value("Visibility", 1e9))  # exp(-3) is 5 %
    here = nodes.node("ShaderNodeSeparateXYZ", {0: geometry["Position"]}).outputs["Z"]
    rise = nodes.node("ShaderNodeSeparateXYZ", {0: geometry["Incoming"]}).outputs["Z"]
    densities = []
    for part in (0.0, 0.5, 1.0):
        height = nodes.math("MULTIPLY_ADD", rise, nodes.product(distance, part), here)
        above = nodes.math("DIVIDE", nodes.math("SUBTRACT", base, height), thickness)
        densities.append(nodes.math("EXPONENT", nodes.math("MINIMUM", above, 1.0)))
    total = nodes.math("MULTIPLY_ADD", densities[1], 4.0, nodes.sum(densities[0], densities[2]))
    depth = nodes.product(total, 1.0 / 6.0, distance, clear, nodes.value("Amount", 1.0))
    return nodes.math("SUBTRACT", 1.0, nodes.math("EXPONENT", nodes.product(depth, -1.0)))


def _along_horizon(nodes: Nodes, direction: Value) -> bpy.types.NodeSocket:
    """Return a direction lifted to just above the horizon, where the sky is that of thick air."""
    return nodes.vector_math("MAXIMUM", direction, (-1.0, -1.0, 0.03))


def _new_sky_group() -> bpy.types.NodeTree:
    tree = bpy.data.node_groups.new(SKY_GROUP, _SHADER_TREE)
    tree.interface.new_socket("Direction", in_out="INPUT", socket_type="NodeSocketVector")
    tree.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    nodes = Nodes(tree)
    direction = nodes.node("NodeGroupInput").outputs[0]
    above = nodes.vector_math("NORMALIZE", _along_horizon(nodes, direction))
    sky = nodes.node("ShaderNodeTexSky", {0: above})
    compat.physical_sky(sky, 0.35, 0.0, 0.0, 1.0)
    even = nodes.vector_math("MULTIPLY", sky.outputs[0], compat.SKY_TINT)
    light = nodes.scaled(even, nodes.value("Strength", 0.16))
    nodes.node("NodeGroupOutput", {0: light})
    nodes.arrange()
    return tree
