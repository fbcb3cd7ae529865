"""The meshes that instances of plants wear, in a collection that no scene shows."""

import hashlib
import json
from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt

from ..core.ecosystem.plant_meshes import PARTS, PlantMesh, make_plant_mesh
from ..core.ecosystem.plants import VARIANTS
from ..core.ecosystem.species import Species
from .materials import plant_material

COLLECTION_NAME = "Landscape Plants"

# Linear RGB of the leaves in full light.
_LEAF_COLOURS = {
    "conifer": (0.060, 0.112, 0.036),
    "broadleaf": (0.135, 0.205, 0.034),
    "bush": (0.135, 0.165, 0.052),
}

# Custom properties by which our own data is known again, whatever the user renames it to.
_SPECIES_KEY = "landscape_species"
_PLACE_KEY = "landscape_place"
_CONTENT_KEY = "landscape_content"


def plant_collection(species: Sequence[Species]) -> bpy.types.Collection:
    """Return the collection of plants to instance for a list of species.

    It holds one object for each species and variant.  In alphabetical order, which is the order in which Geometry Nodes
    counts the children of a collection, object ``species * VARIANTS + variant`` is that species and variant.  The same
    list of names and forms gets the same collection again.  An object whose mesh the user replaced keeps the new mesh.

    Parameters
    ----------
    species : sequence of Species
        At least one.

    Raises
    ------
    ValueError
        If there are no species.
    """
    if not species:
        raise ValueError("there are no species to make plants of: 0 is below 1")
    signature = json.dumps([[one.name, one.form] for one in species])
    collection = _find_collection(signature)
    if collection is None:
        collection = bpy.data.collections.new(COLLECTION_NAME)
        collection[_SPECIES_KEY] = signature
    plants = _plants_by_place(collection, len(species) * VARIANTS)
    for place in range(len(species) * VARIANTS):
        one, variant = species[place // VARIANTS], place % VARIANTS
        plant = plants.get(place) or _new_plant(collection, place, _plant_mesh(one.form, variant))
        plant.name = f"Plant {place:04d} {one.name} {variant}"
        if _CONTENT_KEY in plant.data:
            plant.data = _plant_mesh(one.form, variant)
    return collection


def _find_collection(signature: str) -> bpy.types.Collection | None:
    ours = (c for c in bpy.data.collections if c.library is None and c.get(_SPECIES_KEY) == signature)
    return next(ours, None)


def _plants_by_place(collection: bpy.types.Collection, places: int) -> dict[int, bpy.types.Object]:
    """Return our plants by their place in the order; whatever else is in the collection would shift them and goes."""
    plants: dict[int, bpy.types.Object] = {}
    for plant in list(collection.objects):
        place = plant.get(_PLACE_KEY, places)
        if place < places and place not in plants:
            plants[place] = plant
        else:
            collection.objects.unlink(plant)
    return plants


def _new_plant(collection: bpy.types.Collection, place: int, mesh: bpy.types.Mesh) -> bpy.types.Object:
    plant = bpy.data.objects.new(f"Plant {place:04d}", mesh)
    plant[_PLACE_KEY] = place
    collection.objects.link(plant)
    return plant


def _plant_mesh(form: str, variant: int) -> bpy.types.Mesh:
    """Return the Blender mesh of a form and variant; species of the same form share it."""
    shape = make_plant_mesh(form, variant)
    content = _content_of(form, shape)
    mesh = next((m for m in bpy.data.meshes if m.library is None and m.get(_CONTENT_KEY) == content), None)
    if mesh is None:
        mesh = _new_mesh(f"Plant {form} {variant}", shape, _LEAF_COLOURS[form])
        mesh[_CONTENT_KEY] = content
    _assign_materials(mesh)
    return mesh


def _content_of(form: str, shape: PlantMesh) -> str:
    arrays = (shape.vertices, shape.normals, shape.triangles, shape.part, shape.tint)
    digest = hashlib.blake2b(repr(_LEAF_COLOURS[form]).encode(), digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _new_mesh(name: str, shape: PlantMesh, leaf_colour: tuple[float, float, float]) -> bpy.types.Mesh:
    vertices, triangles = len(shape.vertices), len(shape.triangles)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(vertices)
    mesh.loops.add(3 * triangles)
    mesh.polygons.add(triangles)
    mesh.vertices.foreach_set("co", np.ascontiguousarray(shape.vertices, dtype=np.float32).ravel())
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(shape.triangles, dtype=np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * triangles, 3, dtype=np.int32))
    mesh.polygons.foreach_set("material_index", np.ascontiguousarray(shape.part, dtype=np.int32))
    mesh.update(calc_edges=True)
    mesh.normals_split_custom_set_from_vertices(np.ascontiguousarray(shape.normals, dtype=np.float32))
    tint = mesh.attributes.new("tint", "FLOAT_COLOR", "POINT")
    tint.data.foreach_set("color", _tint_colours(shape.tint, leaf_colour).ravel())
    return mesh


def _tint_colours(tint: npt.NDArray[np.float32], leaf_colour: tuple[float, float, float]) -> npt.NDArray[np.float32]:
    """Return RGBA for each vertex: the colour of the leaves, and in alpha how much light reaches them."""
    colours = np.empty((len(tint), 4), dtype=np.float32)
    colours[:, :3] = leaf_colour
    colours[:, 3] = tint
    return colours


def _assign_materials(mesh: bpy.types.Mesh) -> None:
    """Give a mesh the material of each part where its slot is empty."""
    for index, part in enumerate(PARTS):
        if index == len(mesh.materials):
            mesh.materials.append(plant_material(part))
        elif mesh.materials[index] is None:
            mesh.materials[index] = plant_material(part)
