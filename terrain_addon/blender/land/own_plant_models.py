"""The user's own models of plants as files have them: plain meshes with simple materials."""

from typing import Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.plants import VARIANTS
from ...core.meshing.plant_meshes import PARTS, PlantMesh
from ...files.glb_document import LinearColour, Skin
from ...files.plant_instances import PlantModel
from ...files.png import png_bytes
from ..plants.plant_assets import own_variants

_FOLIAGE = PARTS.index("foliage")
_GREY = (0.5, 0.5, 0.5)
_FLAT = (128, 128, 255)  # the normal of a level surface
_CUTOFF = 0.5
_LARGEST_PICTURE = 4096  # pixels along a side


class _Look(NamedTuple):
    """What a simple material says: a colour, or an image, which may cut leaves out by its alpha."""

    colour: LinearColour
    image: bpy.types.Image | None = None
    cuts: bool = False


def are_plain(collection: str) -> bool:
    """Return whether files can hold the models of a collection.

    Parameters
    ----------
    collection : str
        Its name.

    Returns
    -------
    bool
        True if all are meshes without modifiers, with at most two materials without alpha and one with it, each a
        Principled BSDF whose base colour is a colour or an image on the active UV map, and alpha 1 or that of the
        image.
    """
    return _parts(own_variants(collection)) is not None


def own_models(land: bpy.types.Object) -> dict[int, PlantModel]:
    """Return the models of species that look like plain meshes of the user.

    Parameters
    ----------
    land : Object

    Returns
    -------
    dict of int to PlantModel
        By the number of the species.
    """
    models = {}
    for number, species in enumerate(land.landscape.recipe.ecosystem.species):
        variants = own_variants(species.collection)
        parts = _parts(variants)
        if variants and parts is not None:
            models[number] = _model(number, species, variants, parts)
    return models


def _parts(variants: list[list[bpy.types.Object]]) -> dict[_Look, int] | None:
    """The number of the part for which each look stands; None if something is not plain."""
    parts: dict[_Look, int] = {}
    free = [part for part in range(len(PARTS)) if part != _FOLIAGE]
    for plant in dict.fromkeys(plant for levels in variants for plant in levels):
        if plant.type != "MESH" or plant.modifiers or plant.data.shape_keys or not plant.data.polygons:
            return None
        for material in plant.data.materials or [None]:
            look = _look_of(material)
            if look is None or (look.image is not None and not plant.data.uv_layers):
                return None
            if look in parts:
                continue
            if look.cuts and _FOLIAGE not in parts.values():
                parts[look] = _FOLIAGE
            elif not look.cuts and free:
                parts[look] = free.pop(0)
            else:
                return None
    return parts


def _look_of(material: bpy.types.Material | None) -> _Look | None:
    """What a material says, None if it is not simple."""
    if material is None:
        return _Look(_GREY)
    if material.node_tree is None:
        return _Look(tuple(material.diffuse_color[:3]))
    outputs = [node for node in material.node_tree.nodes if node.type == "OUTPUT_MATERIAL" and node.is_active_output]
    surface = outputs[0].inputs["Surface"] if outputs else None
    shader = surface.links[0].from_node if surface is not None and surface.is_linked else None
    if shader is None or shader.type != "BSDF_PRINCIPLED":
        return None
    colour, alpha = shader.inputs["Base Color"], shader.inputs["Alpha"]
    if not colour.is_linked:
        is_simple = not alpha.is_linked and alpha.default_value == 1.0
        return _Look(tuple(colour.default_value[:3])) if is_simple else None
    source = colour.links[0].from_node
    if source.type != "TEX_IMAGE" or not _is_picture(source.image) or source.inputs["Vector"].is_linked:
        return None
    if alpha.is_linked and alpha.links[0].from_socket != source.outputs["Alpha"]:
        return None
    return _Look((1.0, 1.0, 1.0), source.image, cuts=alpha.is_linked)


def _is_picture(image: bpy.types.Image | None) -> bool:
    return (
        image is not None
        and image.source in ("FILE", "GENERATED")
        and not image.is_float
        and 0 < min(image.size) <= max(image.size) <= _LARGEST_PICTURE
    )


def _model(
    number: int, species: bpy.types.PropertyGroup, variants: list[list[bpy.types.Object]], parts: dict[_Look, int]
) -> PlantModel:
    """The model of a species; plants have as many variants as built-in ones, which take turns."""
    read = {plant: _mesh_of(plant, parts) for levels in variants for plant in levels}
    turns = [[read[plant] for plant in variants[turn % len(variants)]] for turn in range(VARIANTS)]
    looks = {part: look for look, part in parts.items()}
    colours = tuple(looks[part].colour if part in looks else _GREY for part in range(len(PARTS)))
    skins = tuple(
        _skin_of(f"own_{number}_{PARTS[part]}", looks[part].image, looks[part].cuts)
        if part in looks and looks[part].image is not None
        else None
        for part in range(len(PARTS))
    )
    return PlantModel(
        species.name,
        tuple(tuple(mesh for mesh, _ in levels) for levels in turns),
        colours,
        species.height,
        skins,
        tuple(tuple(places for _, places in levels) for levels in turns),
    )


def _mesh_of(plant: bpy.types.Object, parts: dict[_Look, int]) -> tuple[PlantMesh, npt.NDArray[np.float32]]:
    """A plain mesh, 1 m high, and where its vertices lie on the pictures."""
    mesh = plant.data
    mesh.calc_loop_triangles()
    corners = _read(mesh.loop_triangles, "loops", np.int32, 3)
    material = _read(mesh.loop_triangles, "material_index", np.int32, 1).ravel()
    numbers = np.array([parts[_known(_look_of(one))] for one in mesh.materials or [None]], np.int32)
    vertex = _read(mesh.loops, "vertex_index", np.int32, 1).ravel()
    normals = _read(mesh.corner_normals, "vector", np.float32, 3)
    uv = mesh.uv_layers.active
    places = np.zeros((len(vertex), 2), np.float32) if uv is None else _read(uv.data, "uv", np.float32, 2)
    # Corners that are alike are one vertex.
    alike = np.concatenate((vertex[:, np.newaxis].astype(np.float32), normals, places), axis=1)
    _, first, own = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    turn = plant.matrix_world.to_quaternion().to_matrix().to_4x4()
    shape = turn @ Matrix.Diagonal((*plant.matrix_world.to_scale(), 1.0))
    height = max((shape @ Vector(corner)).z for corner in plant.bound_box)
    matrix = np.array(shape.to_3x3(), np.float32)
    points = _read(mesh.vertices, "co", np.float32, 3)[vertex[first]] @ matrix.T / np.float32(max(height, 1e-6))
    turned = normals[first] @ np.linalg.inv(matrix).astype(np.float32)
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), np.float32(1e-6))
    triangles = own.reshape(-1)[corners].astype(np.int32)
    if np.linalg.det(matrix) < 0.0:
        triangles = triangles[:, ::-1]
    on_picture = np.stack((places[first, 0], 1.0 - places[first, 1]), axis=1).astype(np.float32)
    tint = np.ones(len(first), np.float32)
    part = numbers[np.clip(material, 0, len(numbers) - 1)]
    return PlantMesh(points, turned, np.ascontiguousarray(triangles), part, tint), on_picture


def _known(look: _Look | None) -> _Look:
    if look is None:
        raise ValueError("the materials of a model have changed")
    return look


def _read(items: Any, name: str, kind: npt.DTypeLike, columns: int) -> npt.NDArray[Any]:
    values = np.empty(len(items) * columns, kind)
    items.foreach_get(name, values)
    return values.reshape(-1, columns)


def _skin_of(name: str, image: bpy.types.Image, cuts: bool) -> Skin:
    """An image as the picture of a part, with a level surface."""
    width, height = image.size
    pixels = np.empty((height, width, 4), np.float32)
    image.pixels.foreach_get(pixels.ravel())
    levels = np.rint(np.clip(pixels[::-1], 0.0, 1.0) * 255.0).astype(np.uint8)
    if not cuts:
        levels[..., 3] = 255
    normal = np.full((8, 8, 3), _FLAT, np.uint8)
    return Skin(name, png_bytes(np.ascontiguousarray(levels)), png_bytes(normal), _CUTOFF, double_sided=cuts)
