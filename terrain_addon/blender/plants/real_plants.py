"""Plants made real: instances turned into ordinary objects that can be moved and edited one by one."""

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.meshing.plant_meshes import LEVELS
from .. import compat
from ..data.attributes import SEASON
from ..data.view_layer import collection_beside
from ..look.placement import check_extent
from .plant_assets import OWN_KEY, PLACE_KEY, SPECIES_KEY
from .plant_editing import clear_region
from .plant_points import keep_points, plants_of
from .regions import Region, world_places
from .scatter_inputs import SHARE_INPUT
from .scatter_modifier import scatter_modifier

MOST_REAL = 5000
"""Plants that may become ordinary objects at once."""

# Shaders read these from instances; an ordinary object has them as custom properties.
_KEPT = (
    PlantAttribute.SPECIES,
    PlantAttribute.AGE,
    PlantAttribute.HEIGHT,
    PlantAttribute.RADIUS,
    PlantAttribute.HEALTH,
)


def make_real(land: bpy.types.Object, region: Region) -> list[bpy.types.Object]:
    """Turn the plants of a land in a region into ordinary objects, which share the meshes of the plants.

    They go into a collection of their own and move with the land.  The region counts as cleared from then on, so that
    an update does not plant it again.

    Parameters
    ----------
    land : Object
    region : Region

    Returns
    -------
    list of Object

    Raises
    ------
    ValueError
        If there are no plants in the region, or more than MOST_REAL, or the land is scaled to nothing.
    """
    check_extent(land)
    carrier = land.landscape.plants
    modifier = scatter_modifier(carrier) if carrier is not None else None
    if modifier is None or modifier.node_group is None:
        raise ValueError("this land has no plants")
    inside = region.distance(world_places(carrier)) <= 0.0
    count = int(np.count_nonzero(inside))
    if count == 0:
        raise ValueError("there are no plants in that place")
    if count > MOST_REAL:
        raise ValueError(f"there are {count} plants in that place; at most {MOST_REAL} can be made real at once")
    found = _instances(carrier, inside)
    collection = bpy.data.collections.new(f"{land.name} Real Plants")
    collection_beside(land).children.link(collection)
    plants, _ = plants_of(carrier.data)
    real = []
    for number, (model, matrix) in zip(np.flatnonzero(inside), found, strict=True):
        item = model.copy()
        for key in (PLACE_KEY, OWN_KEY):
            if key in item:
                del item[key]
        item.name = model.name.split(" ", 2)[-1].rsplit(" ", 1)[0]
        for name in _KEPT:
            item[name] = getattr(plants, name)[number].item()
        if SEASON in carrier:
            item[SEASON] = carrier[SEASON]
        collection.objects.link(item)
        item.parent = land
        item.matrix_parent_inverse = land.matrix_world.inverted_safe()
        item.matrix_basis = matrix
        real.append(item)
    clear_region(land, region)
    return real


def _instances(carrier: bpy.types.Object, chosen: npt.NDArray[np.bool_]) -> list[tuple[bpy.types.Object, Matrix]]:
    """Return the model of each chosen plant in full detail, and where Geometry Nodes put it in the world."""
    few = carrier.copy()
    few.data = carrier.data.copy()
    keep_points(few.data, chosen)
    modifier = scatter_modifier(few)
    compat.set_modifier_input(modifier, SHARE_INPUT, 100.0)
    # By session uid: models that came with lands of another file may have the same names and places.
    models = {plant.session_uid: plant for c in bpy.data.collections if SPECIES_KEY in c for plant in c.objects}
    scene = bpy.data.scenes.new("Real Plants")
    try:
        scene.collection.objects.link(few)
        layer = scene.view_layers[0]
        layer.update()
        found = []
        for instance in layer.depsgraph.object_instances:
            if instance.is_instance and instance.parent is not None and instance.parent.original == few:
                found.append((instance.object.original.session_uid, instance.matrix_world.copy()))
    finally:
        mesh = few.data
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(few)
        bpy.data.meshes.remove(mesh)
    return [(_in_full_detail(models[uid]), matrix) for uid, matrix in found]


def _in_full_detail(plant: bpy.types.Object) -> bpy.types.Object:
    """Return the finest level of detail of the same plant."""
    place = plant[PLACE_KEY] - plant[PLACE_KEY] % LEVELS
    siblings = next(iter(plant.users_collection)).objects
    return next((other for other in siblings if other.get(PLACE_KEY) == place), plant)
