"""The world of a scene: our sky with thin clouds, where users have no world of their own."""

from collections.abc import Iterable

import bpy

from .. import compat
from .atmosphere import SKY_GROUP, let_sky_follow, sky_group
from .nodes import SHADER_TREE, Nodes, find_group

WORLD_NAME = "Landscape World"

_CLOUD_LIGHT = (1.02, 0.93, 0.86)
_STARTUP_GREY = 0.0509


def set_world(scene: bpy.types.Scene, sun: bpy.types.Object) -> None:
    """Give a scene our sky, unless it has a world of its own, and let the sky follow the sun."""
    if not has_own_world(scene):
        world = bpy.data.worlds.get((WORLD_NAME, None))
        scene.world = world if world is not None else _new_world()
    if has_our_sky(scene):
        let_sky_follow(sun)


def has_our_sky(scene: bpy.types.Scene) -> bool:
    """Return whether the world of a scene uses the node group "Landscape Sky"."""
    world, sky = scene.world, find_group(SKY_GROUP, SHADER_TREE)
    nodes = world.node_tree.nodes if world is not None and world.node_tree is not None else ()
    return sky is not None and any(node.type == "GROUP" and node.node_tree == sky for node in nodes)


def has_own_world(scene: bpy.types.Scene) -> bool:
    """Return whether the world of a scene is more than the plain grey of Blender's startup file."""
    world = scene.world
    if world is None:
        return False
    nodes = world.node_tree.nodes if world.node_tree is not None else ()
    if {node.type for node in nodes} - {"BACKGROUND", "OUTPUT_WORLD"}:
        return True
    return any(not _is_startup_grey(n.inputs["Color"].default_value) for n in nodes if n.type == "BACKGROUND")


def _is_startup_grey(colour: Iterable[float]) -> bool:
    return all(abs(part - _STARTUP_GREY) < 1e-3 for part in list(colour)[:3])


def _new_world() -> bpy.types.World:
    """Make a world with our sky and clouds."""
    world = bpy.data.worlds.new(WORLD_NAME)
    tree = compat.enable_nodes(world)
    tree.nodes.clear()
    nodes = Nodes(tree)
    direction = nodes.node("ShaderNodeTexCoord").outputs["Generated"]
    sky = nodes.group(sky_group(), {0: direction}).outputs[0]
    sky = nodes.mix_colours(_cloud_cover(nodes, direction), sky, _CLOUD_LIGHT)
    background = nodes.node("ShaderNodeBackground", {"Color": sky, "Strength": 1.0})
    nodes.node("ShaderNodeOutputWorld", {"Surface": background.outputs[0]})
    nodes.arrange()
    # Without the disc of the sun the sky is even.  Rays find its light without aiming, and Cycles is much faster so.
    if hasattr(world, "cycles"):
        world.cycles.sampling_method = "NONE"
    return world


def _cloud_cover(nodes: Nodes, direction: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    """Return how much thin high cloud hides the sky in a direction."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]
    # Where the line of sight meets a flat layer.  The offset stands for the earth's curve, which ends the layer.
    reach = nodes.math("DIVIDE", 1.0, nodes.math("MAXIMUM", nodes.sum(height, 0.10), 0.05))
    layer = nodes.vector_math("MULTIPLY", nodes.scaled(direction, reach), (1.0, 0.42, 0.0))
    veils = nodes.node(
        "ShaderNodeTexNoise", {"Vector": layer, "Scale": 0.9, "Detail": 7.0, "Roughness": 0.58, "Distortion": 0.5}
    ).outputs[0]
    cover = nodes.smooth_step(veils, 0.46, 0.74)
    return nodes.product(cover, nodes.smooth_step(height, 0.0, 0.2), nodes.value("Clouds", 0.65))
