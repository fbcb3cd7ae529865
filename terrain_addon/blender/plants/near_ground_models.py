"""Models of what lies on the ground near the camera: tufts, ferns, flowers and stones, in the colour of their place."""

import math

import bpy
import numpy as np

from ..data.attributes import TINT
from ..look.nodes import Nodes
from ..look.shading import finish_material, grey, new_material
from .plant_assets import plant_mesh

_COLLECTION = "Landscape Near Ground"
COLOUR_ATTRIBUTE = "near_ground_colour"
"""Attribute of an instance: linear RGB of the ground where it is."""

THINGS = ("grass", "fern", "flower", "rock")
VARIANTS_OF_A_THING = 3

_MATERIAL, _STONE_MATERIAL, _FLOWER_MATERIAL = "Near Ground", "Near Ground Stones", "Near Ground Flowers"
_STALKS, _PETALS = 5, 6
# Linear RGB of the flowers of each variant.
_FLOWERS = ((0.70, 0.68, 0.60), (0.62, 0.43, 0.03), (0.24, 0.11, 0.42))
_LEVEL = 1  # of detail


def near_ground_collection() -> bpy.types.Collection:
    """Return the collection of the models, made where it is missing; no scene shows it.

    In alphabetical order, object ``kind * VARIANTS_OF_A_THING + variant`` is that variant of one of THINGS, 1 m high.
    """
    collection = bpy.data.collections.get((_COLLECTION, None))
    if collection is None:
        collection = bpy.data.collections.new(_COLLECTION)
        for number, kind in enumerate(THINGS):
            for variant in range(VARIANTS_OF_A_THING):
                collection.objects.link(_new_model(f"Near Ground {number} {kind} {variant}", kind, variant))
    return collection


def _new_model(name: str, kind: str, variant: int) -> bpy.types.Object:
    if kind == "flower":
        return bpy.data.objects.new(name, _flower_mesh(variant))
    model = bpy.data.objects.new(name, plant_mesh(kind, variant, _LEVEL))
    for slot in model.material_slots:
        # Of the object, because plants share the mesh.
        slot.link, slot.material = "OBJECT", _stone_material() if kind == "rock" else _material()
    return model


def _flower_mesh(variant: int) -> bpy.types.Mesh:
    """Return a few stalks that carry flat flowers with pointed petals."""
    points: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    parts: list[int] = []
    for stalk in range(_STALKS):
        turn = 2.0 * math.pi * (stalk / _STALKS + 0.13 * variant)
        x, y = 0.35 * math.cos(turn), 0.35 * math.sin(turn)
        top = 1.0 - 0.09 * ((stalk * 2 + variant) % 4)
        start = len(points)
        points += [(0.1 * x - 0.02 * y, 0.1 * y + 0.02 * x, 0.0), (0.1 * x + 0.02 * y, 0.1 * y - 0.02 * x, 0.0)]
        points.append((x, y, top))
        faces.append((start, start + 1, start + 2))
        parts.append(0)
        for petal in range(_PETALS):
            angle = 2.0 * math.pi * petal / _PETALS + turn
            start, reach = len(points), 0.11
            points.append((x, y, top))
            for side in (-0.4, 0.4):
                away = angle + side
                points.append((x + reach * math.cos(away), y + reach * math.sin(away), top + 0.04))
            faces.append((start, start + 1, start + 2))
            parts.append(1)
    mesh = bpy.data.meshes.new(f"Near Ground flower {variant}")
    mesh.from_pydata(points, [], faces)
    mesh.polygons.foreach_set("material_index", np.array(parts, np.int32))
    tint = mesh.attributes.new(TINT, "FLOAT_COLOR", "POINT")
    tint.data.foreach_set("color", np.tile(np.array((*_FLOWERS[variant], 1.0), np.float32), len(points)))
    mesh.materials.append(_material())
    mesh.materials.append(_flower_material())
    return mesh


def _material() -> bpy.types.Material:
    """Return the material of what has the colour of its place, darker where little light reaches it.

    Blades are lit as the ground is that they hide, so that tufts far away are as light as the ground between them.
    """
    material = bpy.data.materials.get((_MATERIAL, None))
    if material is None:
        material, nodes = new_material(_MATERIAL, (0.16, 0.20, 0.08))
        light = nodes.math("MULTIPLY_ADD", nodes.attribute(TINT).outputs["Alpha"], 2.0, 1.3)
        colour = nodes.attribute(COLOUR_ATTRIBUTE, "INSTANCER").outputs["Vector"]
        colour = nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")
        turned = nodes.node("ShaderNodeNewGeometry").outputs["Normal"]
        normal = nodes.vector_math("NORMALIZE", nodes.vector_math("ADD", nodes.scaled(turned, 0.35), (0.0, 0.0, 1.0)))
        _finish(nodes, colour, normal)
    return material


def _stone_material() -> bpy.types.Material:
    """Return the material of stones: rough, with spots, in the colour of their place."""
    material = bpy.data.materials.get((_STONE_MATERIAL, None))
    if material is None:
        material, nodes = new_material(_STONE_MATERIAL, (0.25, 0.23, 0.20))
        place = nodes.node("ShaderNodeNewGeometry").outputs["Position"]
        rough = nodes.signed_noise(place, 0.3, 6.0, 0.6)
        light = nodes.math("MULTIPLY_ADD", rough, 0.5, 1.0)
        colour = nodes.attribute(COLOUR_ATTRIBUTE, "INSTANCER").outputs["Vector"]
        colour = nodes.mix_colours(1.0, colour, grey(nodes, light), blend="MULTIPLY")
        _finish(nodes, colour, nodes.bump(1.0, 0.03, rough))
    return material


def _flower_material() -> bpy.types.Material:
    """Return the material of petals."""
    material = bpy.data.materials.get((_FLOWER_MATERIAL, None))
    if material is None:
        material, nodes = new_material(_FLOWER_MATERIAL, (0.6, 0.6, 0.5))
        _finish(nodes, nodes.attribute(TINT).outputs["Color"])
    return material


def _finish(nodes: Nodes, colour: bpy.types.NodeSocket, normal: bpy.types.NodeSocket | None = None) -> None:
    inputs = {"Color": colour} if normal is None else {"Color": colour, "Normal": normal}
    finish_material(nodes, nodes.node("ShaderNodeBsdfDiffuse", inputs).outputs[0])
