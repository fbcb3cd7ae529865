"""Models of plants: default meshes or the user's own objects, in a collection that no scene shows."""

import hashlib
import json
import re
from collections.abc import Sequence

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.plant_form import DEAD_FORMS
from ...core.ecosystem.plants import VARIANTS
from ...core.ecosystem.species import Species
from ...core.meshing.leaf_pictures import LEAF_SIZES
from ...core.meshing.plant_forms.habit import Age
from ...core.meshing.plant_meshes import (
    AGED_VARIANTS,
    LEVELS,
    PARTS,
    Looks,
    PlantMesh,
    has_ages,
    looks_of,
    make_plant_mesh,
    variant_and_age,
)
from ..data.attributes import AUTUMN, FURROWS, LEAF, LEAF_FALL, LEAF_SHAPE, TINT, WIND
from ..look.plant_materials import leaf_material, plant_material

COLLECTION_NAME = "Landscape Plants"

# Custom properties that mark our own data, whatever users rename it to.
SPECIES_KEY = "landscape_species"  # of a collection: the species that it is for, as JSON
PLACE_KEY = "landscape_place"  # of an object: its number in the collection
OWN_KEY = "landscape_own"  # of an object that is a copy of the user's: the name of that
_CONTENT_KEY = "landscape_content"  # of a default mesh: digest of what is in it

# Levels of detail are usually named like Oak_LOD0, Oak_LOD1.
_LEVEL_NAME = re.compile(r"(.*?)[\s._-]*LOD(\d)", re.IGNORECASE)
# Types of objects that have a shape.
_SHAPED = ("MESH", "CURVE", "SURFACE", "META", "FONT", "CURVES", "POINTCLOUD", "VOLUME")


def plant_collection(species: Sequence[Species]) -> bpy.types.Collection:
    """Return the collection of plants to instance for a list of species.

    It holds one object for each species, variant and level of detail, and after all species those for standing and
    lying dead wood.  Geometry Nodes counts the children of a collection in alphabetical order.  In that order, object
    ``(species * stride + variant) * LEVELS + level`` is that species, variant and level; `stride` is `variant_stride`,
    the largest number of variants that a species has, where each age of a built-in tree has variants of its own.  The
    same list of names and forms gets the same collection again.
    An object whose mesh the user replaced keeps the new mesh.

    If a species names a collection, its plants look like the objects in it, scaled to the heights of the plants;
    objects whose names end in ``LOD0``, ``LOD1``, ``LOD2`` are levels of detail of one variant.  Without such a
    collection, or with an empty one, they have the default meshes of the species' form.

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
        raise ValueError("this land has no species; add one under Plants")
    own = [own_variants(one.collection) for one in species]
    stride = variant_stride(species)
    signature = json.dumps([[one.name, one.form] for one in species] + [stride])
    collection = _find_collection(signature)
    if collection is None:
        collection = bpy.data.collections.new(COLLECTION_NAME)
        collection[SPECIES_KEY] = signature
    names = [one.name for one in species] + [form.words for form in DEAD_FORMS]
    forms = [one.form for one in species] + list(DEAD_FORMS)
    plants = _plants_by_place(collection, len(forms) * stride * LEVELS)
    for place in range(len(forms) * stride * LEVELS):
        kind, rest = divmod(place, stride * LEVELS)
        variant, level = divmod(rest, LEVELS)
        variants = own[kind] if kind < len(species) else []
        if variants:
            plant = _copy_of(collection, plants.get(place), place, variants[variant % len(variants)][level])
        else:
            shape, age = variant_and_age(variant % default_variants(forms[kind]))
            mesh = plant_mesh(forms[kind], shape, level, age)
            plant = plants.get(place)
            if plant is None or OWN_KEY in plant:
                _take_out(collection, plant)
                plant = _new_plant(collection, place, mesh)
            elif _CONTENT_KEY in plant.data:
                plant.data = mesh
        plant.name = f"Plant {place:05d} {names[kind]} {variant}.{level}"
    return collection


def has_own_models(collection: str) -> bool:
    """Return whether plants look like objects of the user: those of a collection that their species names."""
    return bool(own_variants(collection))


def variant_counts(species: Sequence[Species]) -> list[int]:
    """Return how many models each species has: those of its own collection, or the default ones."""
    return [len(own_variants(one.collection)) or default_variants(one.form) for one in species]


def default_variants(form: str) -> int:
    """Return how many built-in models a form has, those of all ages together."""
    return AGED_VARIANTS if has_ages(form) else VARIANTS


def variant_stride(species: Sequence[Species]) -> int:
    """Return how many variants `plant_collection` has room for in each species."""
    return max(VARIANTS, *variant_counts(species))


def plant_mesh(form: str, variant: int, level: int = 0, age: Age = Age.GROWN) -> bpy.types.Mesh:
    """Return the Blender mesh of a default plant, made where it is missing; species of the same form share it.

    Its colour attributes are `data.attributes.TINT` and `WIND`; see `PlantMesh`.

    Parameters
    ----------
    form : str
        One of `plant_meshes.FORMS`.
    variant : int
        0 to VARIANTS − 1.
    level : int
        Level of detail, 0 the finest.
    age : Age
        How far it has grown.
    """
    shape = make_plant_mesh(form, variant, level, age)
    looks = looks_of(form)
    content = _content_of(looks, shape)
    mesh = next((m for m in bpy.data.meshes if m.library is None and m.get(_CONTENT_KEY) == content), None)
    if mesh is None:
        mesh = _new_mesh(f"Plant {form} {variant}.{level}", shape, looks)
        mesh[_CONTENT_KEY] = content
        mesh[LEAF_SHAPE] = (LEAF_SIZES[level] * looks.leaf, looks.leaf_width, looks.twig_width)
    _assign_materials(mesh, LEAF_SIZES[level] * looks.leaf > 0.0)
    return mesh


def own_variants(name: str) -> list[list[bpy.types.Object]]:
    """Return the objects of a species' own collection by variant and level of detail; none without a collection."""
    collection = bpy.data.collections.get(name) if name else None
    if collection is None:
        return []
    variants: dict[str, dict[int, bpy.types.Object]] = {}
    for item in sorted(collection.all_objects, key=lambda o: o.name):
        if item.type in _SHAPED or (item.type == "EMPTY" and item.instance_collection is not None):
            named = _LEVEL_NAME.fullmatch(item.name)
            name, level = (named[1], int(named[2])) if named else (item.name, 0)
            variants.setdefault(name, {})[level] = item
    return [[_nearest_level(levels, level) for level in range(LEVELS)] for levels in variants.values()]


def _nearest_level(levels: dict[int, bpy.types.Object], wanted: int) -> bpy.types.Object:
    """Return the object whose level of detail is nearest to a wanted one, the finer of two."""
    return levels[min(levels, key=lambda level: (abs(level - wanted), level))]


def _copy_of(
    collection: bpy.types.Collection, before: bpy.types.Object | None, place: int, source: bpy.types.Object
) -> bpy.types.Object:
    """Put a copy of a user's object into the collection: 1 m high, with its turn and modifiers."""
    is_new = before is None or not _is_copy(before, source)
    if is_new:
        _take_out(collection, before)
        plant = source.copy()
        plant.parent = None
        plant.animation_data_clear()
        # A copy of a drawn river is no river.
        plant.landscape_feature.land = None
    else:
        plant = before
    turn = source.matrix_world.to_quaternion().to_matrix().to_4x4()
    scale = Matrix.Diagonal((*source.matrix_world.to_scale(), 1.0))
    shape = turn @ scale
    height = max((shape @ Vector(corner)).z for corner in source.bound_box)
    plant.matrix_world = Matrix.Scale(1.0 / height if height > 0.0 else 1.0, 4) @ shape
    plant[PLACE_KEY], plant[OWN_KEY] = place, source.name
    if is_new:
        collection.objects.link(plant)
    return plant


def _is_copy(plant: bpy.types.Object, source: bpy.types.Object) -> bool:
    """Return whether one of our objects is a copy of a user's object, and the same but for its place."""
    return (
        plant.get(OWN_KEY) == source.name
        and plant.type == source.type
        and plant.data == source.data
        and plant.instance_collection == source.instance_collection
        # Nobody can tell whether the settings of modifiers have changed.
        and not plant.modifiers
        and not source.modifiers
    )


def _take_out(collection: bpy.types.Collection, plant: bpy.types.Object | None) -> None:
    """Take an object out of the collection, if there is one; Blender does not save objects that nothing uses.

    It is not removed, because this may happen between two steps of undo.
    """
    if plant is not None:
        plant.name = f"Former {plant.name}"
        collection.objects.unlink(plant)


def _find_collection(signature: str) -> bpy.types.Collection | None:
    """Return our collection for a list of species, None if there is none."""
    ours = (c for c in bpy.data.collections if c.library is None and c.get(SPECIES_KEY) == signature)
    return next(ours, None)


def _plants_by_place(collection: bpy.types.Collection, places: int) -> dict[int, bpy.types.Object]:
    """Return our objects by their number; others are unlinked, because they would shift the alphabetical order."""
    plants: dict[int, bpy.types.Object] = {}
    for plant in list(collection.objects):
        place = plant.get(PLACE_KEY, places)
        if place < places and place not in plants:
            plants[place] = plant
        else:
            collection.objects.unlink(plant)
    return plants


def _new_plant(collection: bpy.types.Collection, place: int, mesh: bpy.types.Mesh) -> bpy.types.Object:
    """Put a new object with a default mesh into the collection."""
    plant = bpy.data.objects.new(f"Plant {place:05d}", mesh)
    plant[PLACE_KEY] = place
    collection.objects.link(plant)
    return plant


def _content_of(looks: Looks, shape: PlantMesh) -> str:
    """Return a digest of all that is in a default mesh."""
    digest = hashlib.blake2b(repr(tuple(looks)).encode(), digest_size=16)
    for array in vars(shape).values():
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _new_mesh(name: str, shape: PlantMesh, looks: Looks) -> bpy.types.Mesh:
    """Return a new Blender mesh of a plant."""
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
    tint = mesh.attributes.new(TINT, "FLOAT_COLOR", "POINT")
    tint.data.foreach_set("color", _tint_colours(shape, looks).ravel())
    wind = mesh.attributes.new(WIND, "FLOAT_COLOR", "POINT")
    wind.data.foreach_set("color", np.pad(shape.wind, ((0, 0), (0, 1)), constant_values=1.0).ravel())
    if looks.leaf > 0.0:
        leaf = mesh.attributes.new(LEAF, "FLOAT_VECTOR", "POINT")
        leaf.data.foreach_set("vector", np.ascontiguousarray(shape.leaf).ravel())
    mesh[LEAF_FALL], mesh[AUTUMN], mesh[FURROWS] = looks.leaf_fall, looks.autumn, looks.furrows
    return mesh


def _tint_colours(shape: PlantMesh, looks: Looks) -> npt.NDArray[np.float32]:
    """Return RGBA for each vertex: the colour of its part, and in alpha how much light reaches it."""
    tints = np.empty((len(shape.tint), 4), dtype=np.float32)
    for part, colour in enumerate(looks[: len(PARTS)]):
        tints[shape.triangles[shape.part == part], :3] = colour
    tints[:, 3] = shape.tint
    return tints


def _assign_materials(mesh: bpy.types.Mesh, has_twigs: bool) -> None:
    """Give a mesh the material of each part where its slot is empty; twigs are cut into leaves."""
    for index, part in enumerate(PARTS):
        if index == len(mesh.materials):
            mesh.materials.append(None)
        if mesh.materials[index] is None:
            cut = has_twigs and part == "foliage"
            mesh.materials[index] = leaf_material() if cut else plant_material(part)
