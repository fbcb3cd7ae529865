"""Plants edited by hand: cleared, added, or made into ordinary objects; what was edited is painted on the land.

Two float attributes of the land's vertices, 0 to 1, survive every update: `plant_exclusion`, the share of plants that
must not stand there, and `plants_here`, the least suitability for all species.  Two vertex groups, "No Plants" and
"Plants Here", mean the same, for those who paint weights; where both say something, the larger value counts.
"""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.dart_throwing import DartThrowing, throw_darts
from ...core.ecosystem.plant_attributes import PLANT_EXCLUSION, PLANT_MEMBERS, PLANTS_HERE, PlantAttribute
from ...core.ecosystem.plants import Plants, distance_to_path, remove_plants
from ...core.ecosystem.species import Species
from ...core.foundation.progress import run
from ...core.foundation.resampling import resample
from ...core.foundation.sampling import sample
from ...core.foundation.terrain import Field
from ...core.meshing.plant_meshes import LEVELS
from .. import compat
from ..data.attributes import set_attribute
from ..data.mesh_heights import grid_shape
from ..data.meshes import points_at, set_points
from .geometry_nodes import SHARE_INPUT, scatter_modifier
from .plant_assets import OWN_KEY, PLACE_KEY, SPECIES_KEY, variant_counts

GROUPS = {PLANT_EXCLUSION: "No Plants", PLANTS_HERE: "Plants Here"}
"""Vertex groups of the land that mean the same as the attributes."""

MOST_REAL = 5000
"""Plants that may become ordinary objects at once."""

Places = npt.NDArray[np.float32]

# What the point attributes of a mesh of plants are in Plants.
_WHOLE = (PlantAttribute.SPECIES, PlantAttribute.VARIANT, PlantAttribute.CONDITION)
# Those that shaders read.
_SHOWN = (
    PlantAttribute.SPECIES,
    PlantAttribute.AGE,
    PlantAttribute.HEIGHT,
    PlantAttribute.RADIUS,
    PlantAttribute.HEALTH,
)
_MEMBERS = {"FLOAT": np.float32, "INT": np.int32, "INT8": np.int8, "BOOLEAN": np.bool_}


# --- masks ------------------------------------------------------------------------------------------------------------


def plant_masks(land: bpy.types.Object) -> tuple[Field | None, Field | None]:
    """Return exclusion and plant_here as `core.ecosystem.ecosystem.grow_forest` takes them.

    Returns
    -------
    exclusion, plant_here : ndarray of float32, shape (rows, columns), or None
        None where nothing was painted, or the mesh is no longer a grid.
    """
    shape = grid_shape(land.data) if land.type == "MESH" else None
    if shape is None:
        return None, None
    exclusion, here = (_mask(land, name, shape) for name in (PLANT_EXCLUSION, PLANTS_HERE))
    return exclusion, here


def carry_masks(land: bpy.types.Object, mesh: bpy.types.Mesh) -> None:
    """Bring what was painted on a land over to a new mesh that is about to replace its own.

    Painted weights become part of the attributes, as a new mesh has none.
    """
    shape = grid_shape(mesh)
    if shape is None:
        return
    for name, mask in zip((PLANT_EXCLUSION, PLANTS_HERE), plant_masks(land)):
        if mask is not None:
            rows, columns = (np.linspace(0.0, old - 1.0, new) for old, new in zip(mask.shape, shape))
            fitted = mask if mask.shape == shape else resample(mask, rows, columns, 1.0, (0.0, 1.0))
            set_attribute(mesh, name, np.clip(fitted, 0.0, 1.0).astype(np.float32))


def forget_edits(land: bpy.types.Object) -> None:
    """Remove everything that was painted about plants; the next update plants everywhere again."""
    for name, group in GROUPS.items():
        attribute = land.data.attributes.get(name)
        if attribute is not None:
            land.data.attributes.remove(attribute)
        if group in land.vertex_groups:
            land.vertex_groups.remove(land.vertex_groups[group])


def _mask(land: bpy.types.Object, name: str, shape: tuple[int, int]) -> Field | None:
    painted = [
        values for values in (_attribute(land.data, name), group_weights(land, GROUPS[name])) if values is not None
    ]
    if not painted:
        return None
    mask = np.clip(np.nan_to_num(np.maximum.reduce(painted)), 0.0, 1.0).astype(np.float32)
    return np.ascontiguousarray(mask.reshape(shape)) if mask.any() else None


def _attribute(mesh: bpy.types.Mesh, name: str) -> Places | None:
    attribute = mesh.attributes.get(name)
    if attribute is None or attribute.domain != "POINT" or attribute.data_type != "FLOAT":
        return None
    values = np.empty(len(mesh.vertices), np.float32)
    attribute.data.foreach_get("value", values)
    return values


def group_weights(owner: bpy.types.Object, name: str) -> Places | None:
    """Return the weights of a vertex group, 0 to 1, 0 where a vertex is not in it; None if there is no such group.

    Geometry Nodes reads them: an attribute of that name.  Asking every vertex takes seconds on a large land.
    """
    if name not in owner.vertex_groups:
        return None
    tree = bpy.data.node_groups.new("Weights", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    source, output = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    read, store = tree.nodes.new("GeometryNodeInputNamedAttribute"), tree.nodes.new("GeometryNodeStoreNamedAttribute")
    read.data_type = store.data_type = "FLOAT"
    read.inputs["Name"].default_value, store.inputs["Name"].default_value = name, "weights"
    tree.links.new(source.outputs[0], store.inputs["Geometry"])
    tree.links.new(next(s for s in read.outputs if s.enabled), next(s for s in store.inputs if s.name == "Value"))
    tree.links.new(store.outputs[0], output.inputs[0])
    carrier = owner.copy()
    carrier.parent = None
    carrier.modifiers.clear()
    carrier.modifiers.new("Weights", "NODES").node_group = tree
    scene = bpy.data.scenes.new("Weights")
    try:
        scene.collection.objects.link(carrier)
        layer = scene.view_layers[0]
        layer.update()
        return _attribute(carrier.evaluated_get(layer.depsgraph).data, "weights")
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(carrier)
        bpy.data.node_groups.remove(tree)


# --- regions ----------------------------------------------------------------------------------------------------------


class Disc:
    """All places within a distance of a point, seen from above; metres in the world."""

    def __init__(self, middle: Vector, radius: float) -> None:
        self.middle, self.radius = middle, radius

    def distance(self, places: Places) -> Places:
        """Return how far outside each place (x, y) lies, below 0 inside."""
        return np.hypot(places[:, 0] - self.middle.x, places[:, 1] - self.middle.y) - np.float32(self.radius)


class Box:
    """All places above or below the bounds of an object."""

    def __init__(self, item: bpy.types.Object) -> None:
        corners = np.array([item.matrix_world @ Vector(corner) for corner in item.bound_box])
        self.low, self.high = corners.min(axis=0)[:2], corners.max(axis=0)[:2]

    def distance(self, places: Places) -> Places:
        """Return how far outside each place (x, y) lies, below 0 inside."""
        return np.maximum(self.low - places[:, :2], places[:, :2] - self.high).max(axis=1)


class Road:
    """All places within half a width of the lines of a curve.

    Raises
    ------
    ValueError
        If the object is not a curve or has no lines.
    """

    def __init__(self, curve: bpy.types.Object, width: float) -> None:
        if curve.type != "CURVE":
            raise ValueError(f"{curve.name} is a {curve.type.lower()}; a road follows a curve")
        self.paths, self.half = _lines_of(curve), 0.5 * width
        if not self.paths:
            raise ValueError(f"the curve {curve.name} has no lines")

    def distance(self, places: Places) -> Places:
        """Return how far outside each place (x, y) lies, below 0 inside."""
        x, y = (np.ascontiguousarray(places[:, k], np.float32) for k in (0, 1))
        return np.minimum.reduce([distance_to_path(x, y, path) for path in self.paths]) - np.float32(self.half)


Region = Disc | Box | Road


def _lines_of(curve: bpy.types.Object) -> list[list[tuple[float, float]]]:
    """Return the corners in the world of each spline of a curve, without the thickness it may have."""
    thin = curve.copy()
    thin.data = curve.data.copy()
    thin.data.bevel_depth = thin.data.extrude = thin.data.offset = 0.0
    thin.data.bevel_object = None
    thin.data.fill_mode = "FULL" if thin.data.dimensions == "3D" else "NONE"
    try:
        mesh = thin.to_mesh()
        places = [curve.matrix_world @ vertex.co for vertex in mesh.vertices]
        edges = [tuple(edge.vertices) for edge in mesh.edges]
        thin.to_mesh_clear()
    finally:
        data = thin.data
        bpy.data.objects.remove(thin)
        bpy.data.curves.remove(data)
    lines: list[list[int]] = []
    for a, b in edges:
        if lines and lines[-1][-1] == a:
            lines[-1].append(b)
        elif lines and lines[-1][0] == b:
            lines[-1].insert(0, a)
        else:
            lines.append([a, b])
    return [[(places[v].x, places[v].y) for v in line] for line in lines]


# --- edits ------------------------------------------------------------------------------------------------------------


def clear_region(land: bpy.types.Object, region: Region) -> int:
    """Remove the plants of a landscape in a region and keep it clear; return how many there were.

    The painted mask is as fine as the land's mesh: all of the region stays clear, and up to a cell around it.
    """
    _paint(land, region, PLANT_EXCLUSION, 1.0, wider=True)
    _paint(land, region, PLANTS_HERE, 0.0, wider=False)
    plants = land.landscape.plants
    if plants is None:
        return 0
    stays = region.distance(_world_places(plants)) > 0.0
    _keep(plants.data, stays)
    return int(np.count_nonzero(~stays))


def plant_region(land: bpy.types.Object, region: Disc, species: Sequence[Species], kind: int, seed: int) -> int:
    """Plant one species in a disc, wherever there is room, and keep the disc planted; return how many plants came.

    Raises
    ------
    ValueError
        If the landscape has no plants object, or there is no such species.
    """
    if not 0 <= kind < len(species):
        raise ValueError(f"species number {kind + 1} is not one of the {len(species)} of this landscape")
    carrier = land.landscape.plants
    if carrier is None:
        raise ValueError("this landscape has no plants yet; scatter plants first")
    _paint(land, region, PLANT_EXCLUSION, 0.0, wider=False)
    _paint(land, region, PLANTS_HERE, 1.0, wider=False)
    one = species[kind]
    field = np.ones((2, 2), np.float32)
    side = 2.0 * region.radius
    thrown = run(throw_darts([field], side, [one], seed, DartThrowing()))
    world = np.stack((thrown.x, thrown.y), axis=1) + (np.array(region.middle[:2]) - region.radius)
    before, places = plants_of(carrier.data)
    there = _world_places(carrier)
    near = region.distance(there) < one.radius
    room = np.full(len(world), np.inf)
    for place, radius in zip(there[near], before.radius[near]):
        room = np.minimum(room, np.hypot(*(world - place[:2]).T) - max(radius, one.radius))
    fits = (region.distance(world.astype(np.float32)) < 0.0) & (room > 0.0) & _over(land, world)
    added = remove_plants(thrown, fits)
    flat = np.column_stack((world[fits], np.zeros(len(added))))
    local = _moved(flat, carrier.matrix_world.inverted_safe())
    local[:, 2] = _ground(land, local)
    values = {name: np.concatenate((getattr(before, name), getattr(added, name))) for name in PLANT_MEMBERS}
    values[PlantAttribute.SPECIES][len(before) :] = kind
    together = np.concatenate((places, local))
    everything = Plants(x=together[:, 0].copy(), y=together[:, 1].copy(), **values)
    variants = values[PlantAttribute.VARIANT].copy()
    set_points(carrier.data, points_at(together, everything, species, variant_counts(species)))
    # Those that were there keep what they wear.
    variants[len(before) :] = plants_of(carrier.data)[0].variant[len(before) :]
    set_attribute(carrier.data, PlantAttribute.VARIANT, variants)
    return len(added)


def make_real(land: bpy.types.Object, region: Region) -> list[bpy.types.Object]:
    """Turn the plants of a landscape in a region into ordinary objects, which share the meshes of the plants.

    They go into a collection of their own and move with the land.  The region counts as cleared from then on, so that
    an update does not plant it again.

    Raises
    ------
    ValueError
        If there are no plants in the region, or more than MOST_REAL.
    """
    carrier = land.landscape.plants
    modifier = scatter_modifier(carrier) if carrier is not None else None
    if modifier is None or modifier.node_group is None:
        raise ValueError("this landscape has no plants")
    inside = region.distance(_world_places(carrier)) <= 0.0
    count = int(np.count_nonzero(inside))
    if count == 0:
        raise ValueError("there are no plants in that place")
    if count > MOST_REAL:
        raise ValueError(f"there are {count} plants in that place; at most {MOST_REAL} can be made real at once")
    found = _instances(carrier, inside)
    collection = bpy.data.collections.new(f"{land.name} Real Plants")
    (land.users_collection[0] if land.users_collection else bpy.context.scene.collection).children.link(collection)
    plants, _ = plants_of(carrier.data)
    real = []
    for number, (wears, matrix) in zip(np.flatnonzero(inside), found, strict=True):
        item = wears.copy()
        for key in (PLACE_KEY, OWN_KEY):
            if key in item:
                del item[key]
        item.name = wears.name.split(" ", 2)[-1].rsplit(" ", 1)[0]
        # Shaders read these where they would read the instance's.
        for name in _SHOWN:
            item[name] = getattr(plants, name)[number].item()
        collection.objects.link(item)
        item.parent = land
        item.matrix_parent_inverse = land.matrix_world.inverted_safe()
        item.matrix_basis = matrix
        real.append(item)
    clear_region(land, region)
    return real


def plants_of(mesh: bpy.types.Mesh) -> tuple[Plants, Places]:
    """Return the plants that a mesh of plants has, and where: float32 (plants, 3) in the metres of its object."""
    places = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", places.ravel())
    values: dict[str, Any] = {name: _read(mesh, name) for name in PLANT_MEMBERS}
    for name in _WHOLE:
        values[name] = values[name].astype(np.int32)
    return Plants(x=places[:, 0].copy(), y=places[:, 1].copy(), **values), places


def _read(mesh: bpy.types.Mesh, name: str) -> npt.NDArray[Any]:
    attribute = mesh.attributes.get(name)
    if attribute is None:
        raise ValueError(f"the plants {mesh.name} have lost their attribute {name}; scatter them anew")
    values: npt.NDArray[Any] = np.empty(len(mesh.vertices), _MEMBERS[attribute.data_type])
    attribute.data.foreach_get("value", values)
    return values


def _keep(mesh: bpy.types.Mesh, stays: npt.NDArray[np.bool_]) -> None:
    """Take points away from a mesh of loose vertices; every attribute of the others stays."""
    if stays.all():
        return
    places = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", places.ravel())
    known: dict[str, npt.NDArray[Any]] = {
        attribute.name: _read(mesh, attribute.name)
        for attribute in mesh.attributes
        if attribute.domain == "POINT" and attribute.data_type in _MEMBERS
    }
    mesh.clear_geometry()
    mesh.vertices.add(int(np.count_nonzero(stays)))
    for name, values in known.items():
        set_attribute(mesh, name, np.ascontiguousarray(values[stays]))
    mesh.attributes["position"].data.foreach_set("vector", places[stays].ravel())
    mesh.update()


def _instances(carrier: bpy.types.Object, chosen: npt.NDArray[np.bool_]) -> list[tuple[bpy.types.Object, Matrix]]:
    """Return what chosen plants wear in full detail, and their place in the world, as Geometry Nodes puts them."""
    few = carrier.copy()
    few.data = carrier.data.copy()
    _keep(few.data, chosen)
    modifier = scatter_modifier(few)
    compat.set_modifier_input(modifier, SHARE_INPUT, 100.0)
    pieces = {plant[PLACE_KEY]: plant for c in bpy.data.collections if SPECIES_KEY in c for plant in c.objects}
    worn = {plant.name: plant for plant in pieces.values()}
    scene = bpy.data.scenes.new("Real Plants")
    try:
        scene.collection.objects.link(few)
        layer = scene.view_layers[0]
        layer.update()
        depsgraph = layer.depsgraph
        found = []
        for instance in depsgraph.object_instances:
            if instance.is_instance and instance.parent is not None and instance.parent.original == few:
                plant = worn[instance.object.original.name]
                found.append((plant.name, instance.matrix_world.copy()))
    finally:
        mesh = few.data
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(few)
        bpy.data.meshes.remove(mesh)
    return [(_in_full_detail(worn[name]), matrix) for name, matrix in found]


def _in_full_detail(plant: bpy.types.Object) -> bpy.types.Object:
    place = plant[PLACE_KEY] - plant[PLACE_KEY] % LEVELS
    siblings = next(iter(plant.users_collection)).objects
    return next((other for other in siblings if other.get(PLACE_KEY) == place), plant)


def _paint(land: bpy.types.Object, region: Region, name: str, value: float, *, wider: bool) -> None:
    """Set a mask in a region; `wider` by as much as it takes for the interpolated mask to hold in all of it."""
    mesh = land.data
    if grid_shape(mesh) is None or (value == 0.0 and name not in mesh.attributes):
        return
    places = _world_places(land)
    cell = float(np.linalg.norm(places[1, :2] - places[0, :2]))
    inside = region.distance(places) <= (np.sqrt(2.0) * cell if wider else 0.0)
    if not inside.any():
        # Smaller than a cell: its nearest vertex stands for it.
        distances = region.distance(places)
        inside = distances <= distances.min()
    values = _attribute(mesh, name)
    values = np.zeros(len(mesh.vertices), np.float32) if values is None else values
    values[inside] = value
    set_attribute(mesh, name, values)
    mesh.update()


def _world_places(item: bpy.types.Object) -> Places:
    places = np.empty((len(item.data.vertices), 3), np.float32)
    item.data.attributes["position"].data.foreach_get("vector", places.ravel())
    return _moved(places, item.matrix_world)


def _moved(places: npt.NDArray[Any], matrix: Matrix) -> Places:
    turn = np.array(matrix.to_3x3(), np.float64)
    return (places @ turn.T + np.array(matrix.translation)).astype(np.float32)


def _over(land: bpy.types.Object, world: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which places in the world (x, y) are over the land."""
    corners = np.array([land.matrix_world @ Vector(corner) for corner in land.bound_box])[:, :2]
    return np.all((world > corners.min(axis=0)) & (world < corners.max(axis=0)), axis=1)


def _ground(land: bpy.types.Object, local: Places) -> Places:
    """Return the altitude of a land at places in its own metres."""
    shape = grid_shape(land.data)
    if shape is None or len(local) == 0:
        return local[:, 2]
    corners = np.empty((len(land.data.vertices), 3), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", corners.ravel())
    cell = float(corners[1, 0] - corners[0, 0])
    field = np.ascontiguousarray(corners[:, 2].reshape(shape))
    return sample(field, cell, local[:, 0] - corners[0, 0], local[:, 1] - corners[0, 1])
