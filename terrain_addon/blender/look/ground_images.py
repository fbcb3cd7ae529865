"""Images of the ground in the material of a land.

The node group "Landscape Ground" decides where each cover lies.  A colour image takes the place of the cover's colour.
Roughness, height and normal of the images are mixed outside of the group by the shares that it gives out, so a material
without images computes no more than before.
"""

from collections.abc import Callable
from typing import Any

import bpy

from ..data.attributes import UV_MAP
from ..data.ground_images import GROUNDS, images_of
from .ground_material import NORMAL_INPUT, ground_node, share_output
from .nodes import Nodes, Value

_OURS = "landscape_ground_image"  # custom property of nodes that belong to images
_BLEND = 0.25  # width of the seam between two sides of a cliff
_LEVEL = (0.5, 0.5, 1.0)  # of a normal image
# Far away an image is mixed with itself: so many times larger, turned by so many radians, and between these distances
# in sizes of the image.
_LARGER, _TURNED, _REPEATS = 5.3, 0.9, (4.0, 40.0)


def use_images(material: bpy.types.Material, grounds: Any) -> int:
    """Give a land's material the images that users chose, in place of those that it had; for operators.

    Parameters
    ----------
    material : Material
        From `land_material`.
    grounds : LandscapeGrounds
        The property of the land.

    Returns
    -------
    int
        How many images there are.

    Raises
    ------
    ValueError
        If the material is not ours, or was made by an older version and images of these kinds need a new one.
    """
    ground = ground_node(material)
    all_nodes = material.node_tree.nodes if ground is not None else ()
    surface = next((node for node in all_nodes if node.type == "BSDF_PRINCIPLED"), None)
    if ground is None or surface is None:
        raise ValueError(
            f"the material {material.name} has no node group Landscape Ground; give the land its own again"
        )
    chosen = images_of(grounds)
    if any(kind != "colour" for _, kind, _ in chosen) and share_output("rock") not in ground.outputs:
        raise ValueError(
            f"the material {material.name} was made by an older version, which takes colour images only; "
            f"remove it and update the land"
        )
    _remove_images(material, ground, surface)
    for _, kind, image in chosen:
        # Blender reads the image again then, and forgets what was painted and not saved.
        is_saved = image.source == "FILE" and not image.is_dirty
        if kind != "colour" and is_saved and not image.colorspace_settings.is_data:
            image.colorspace_settings.name = "Non-Color"
    before = set(material.node_tree.nodes)
    _add_images(Nodes(material.node_tree), ground, surface, grounds)
    added = [node for node in material.node_tree.nodes if node not in before]
    for place, node in enumerate(added):
        node[_OURS] = True
        node.location = (-400.0 - 200.0 * (place // 8), 900.0 - 150.0 * (place % 8))
    return len(chosen)


def _remove_images(material: bpy.types.Material, ground: bpy.types.Node, surface: bpy.types.Node) -> None:
    """Take out what an earlier call added."""
    nodes = material.node_tree.nodes
    ours = [node for node in nodes if _OURS in node]
    for node in ours:
        nodes.remove(node)
    if ours:
        for name in ("Roughness", "Normal"):
            material.node_tree.links.new(ground.outputs[name], surface.inputs[name])


def _add_images(nodes: Nodes, ground: bpy.types.Node, surface: bpy.types.Node, grounds: Any) -> None:
    """Add the nodes of all images."""
    kinds = {kind for _, kind, _ in images_of(grounds)}
    if not kinds:
        return
    place = nodes.node("ShaderNodeTexCoord").outputs["Object"]

    def textures(kind: str, change: Callable[[Any, bpy.types.NodeSocket], Value]) -> dict[str, Value]:
        """The colours of the images of one kind, changed, by the name of the ground."""
        found = {}
        for name in GROUNDS:
            images = getattr(grounds, name)
            if getattr(images, kind) is not None:
                colour = _texture(nodes, place, getattr(images, kind), images.size, is_flat=kind == "normal")
                if kind == "colour":
                    colour = _unlike_tiles(nodes, place, getattr(images, kind), images.size, colour)
                found[name] = change(images, colour)
        return found

    for name, colour in textures("colour", lambda _, colour: colour).items():
        nodes.set(ground.inputs[name.replace("_", " ").title()], colour)
    if "roughness" in kinds:
        dry = ground.outputs["Roughness"]
        # Wet ground is shiny, whatever the image says.
        rough = textures("roughness", lambda _, value: nodes.math("MINIMUM", value, dry))
        nodes.set(surface.inputs["Roughness"], _layered(nodes.mix_numbers, ground, rough, dry))
    normal: bpy.types.NodeSocket = ground.outputs["Normal"]
    if "normal" in kinds:
        seen = _layered(nodes.mix_colours, ground, textures("normal", lambda _, colour: colour), _LEVEL)
        turned = nodes.node("ShaderNodeNormalMap", {"Color": seen}, uv_map=UV_MAP).outputs[0]
        change = nodes.vector_math("SUBTRACT", turned, nodes.node("ShaderNodeNewGeometry").outputs[NORMAL_INPUT])
        normal = nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", normal, change))
    if "height" in kinds:
        metres = textures(
            "height", lambda images, v: nodes.math("MULTIPLY_ADD", v, images.relief, -0.5 * images.relief)
        )
        normal = nodes.bump(1.0, 1.0, _layered(nodes.mix_numbers, ground, metres, 0.0), normal)
    nodes.set(surface.inputs["Normal"], normal)


def _unlike_tiles(
    nodes: Nodes, place: bpy.types.NodeSocket, image: bpy.types.Image, size: float, colour: bpy.types.NodeSocket
) -> bpy.types.NodeSocket:
    """A colour that far away is mixed with the same image, turned and larger, so that nobody sees it repeat."""
    turned = nodes.node("ShaderNodeVectorRotate", {"Vector": place, "Angle": _TURNED}, rotation_type="Z_AXIS")
    larger = _texture(nodes, turned.outputs[0], image, _LARGER * size, is_flat=False)
    distance = nodes.node("ShaderNodeCameraData").outputs["View Distance"]
    far = nodes.smooth_step(distance, *(tiles * size for tiles in _REPEATS))
    return nodes.mix_colours(nodes.product(far, 0.6), colour, larger)


def _layered(
    mix: Callable[[Value, Value, Value], bpy.types.NodeSocket],
    ground: bpy.types.Node,
    values: dict[str, Value],
    otherwise: Value,
) -> Value:
    """The value of the cover that is seen: of its image or, where it has none, the usual one."""
    seen = otherwise
    is_usual = True
    for name in GROUNDS:
        if name in values or not is_usual:
            is_usual = False
            share: Value = 1.0 if name == GROUNDS[0] else ground.outputs[share_output(name)]
            seen = mix(share, seen, values.get(name, otherwise))
    return seen


def _texture(
    nodes: Nodes, place: bpy.types.NodeSocket, image: bpy.types.Image, size: float, *, is_flat: bool
) -> bpy.types.NodeSocket:
    """The colour of an image that lies on the ground and its cliffs; a flat one lies on the ground only."""
    texture = nodes.node("ShaderNodeTexImage", {"Vector": nodes.scaled(place, 1.0 / size)}, image=image)
    if not is_flat:
        texture.projection, texture.projection_blend = "BOX", _BLEND
    return texture.outputs["Color"]
