"""The world of a scene: our sky with clouds, where users have no world of their own."""

from collections.abc import Iterable

import bpy

from .. import compat
from .atmosphere import SKY_GROUP, let_sky_follow, sky_group
from .clouds import CLOUD_SEED, before_sky
from .nodes import SHADER_TREE, Nodes, Value, find_group

WORLD_NAME = "Landscape World"

_STARTUP_GREY = 0.0509
# In EEVEE, shares of the light of the sky: above a land that hides some of it, and what the ground throws back.
_OPEN_SKY, _GROUND_LIGHT = 0.75, 0.20
_SKIES = 1000  # that differ; beyond, noise would lose digits


def set_world(scene: bpy.types.Scene, sun: bpy.types.Object) -> None:
    """Give a scene our sky, unless it has a world of its own, and let the sky follow the sun."""
    if not has_own_world(scene):
        world = bpy.data.worlds.get((WORLD_NAME, None))
        scene.world = world if world is not None else _new_world()
    if has_our_sky(scene):
        let_sky_follow(sun)


def choose_clouds(scene: bpy.types.Scene, seed: int) -> None:
    """Give each land clouds of its own, under our sky."""
    nodes = scene.world.node_tree.nodes if has_our_sky(scene) else {}
    if CLOUD_SEED in nodes:
        nodes[CLOUD_SEED].outputs[0].default_value = float(seed % _SKIES)


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
    cycles, eevee = before_sky(nodes, direction, sky)
    path = nodes.node("ShaderNodeLightPath").outputs
    # Rough ground is lit by the whole sky, so clouds hardly matter there.  Without them Cycles is much faster.
    _finish_world(nodes, "CYCLES", path["Is Diffuse Ray"], cycles, sky)
    unseen = nodes.math("SUBTRACT", 1.0, path["Is Camera Ray"])
    _finish_world(nodes, "EEVEE", unseen, eevee, _light_beside_land(nodes, direction, sky))
    nodes.arrange()
    # Without the disc of the sun the sky is even.  Rays find its light without aiming, and Cycles is much faster so.
    if hasattr(world, "cycles"):
        world.cycles.sampling_method = "NONE"
    return world


def _finish_world(nodes: Nodes, engine: str, unseen: Value, seen_sky: Value, lighting_sky: Value) -> None:
    """Show a sky in an engine, and another one where a number is 1: to what lights the land."""
    seen, lighting = (
        nodes.node("ShaderNodeBackground", {"Color": colour, "Strength": 1.0}).outputs[0]
        for colour in (seen_sky, lighting_sky)
    )
    mixed = nodes.node("ShaderNodeMixShader", {0: unseen, 1: seen, 2: lighting}).outputs[0]
    nodes.node("ShaderNodeOutputWorld", {"Surface": mixed}, target=engine)


def _light_beside_land(nodes: Nodes, direction: Value, sky: Value) -> bpy.types.NodeSocket:
    """Return what lights land in EEVEE, for which nothing hides the sky: less of it, and from below only ground."""
    height = nodes.node("ShaderNodeSeparateXYZ", {0: direction}).outputs["Z"]
    ground = nodes.smooth_step(height, 0.05, -0.10)
    return nodes.scaled(sky, nodes.mix_numbers(ground, _OPEN_SKY, _GROUND_LIGHT))
