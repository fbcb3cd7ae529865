"""Meshes from arrays: the grid of the land and the points of the plants.

The topology of a grid comes from Blender's own *Mesh Grid* node, five times faster than writing edges and corners from
Python; then only positions are written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ...core.ecosystem.plant_attributes import PlantAttribute
from ...core.ecosystem.plant_fate import Condition
from ...core.ecosystem.plants import VARIANTS, Plants
from ...core.ecosystem.species import Species
from ...core.foundation.sampling import sample, vertex_positions
from ...core.foundation.terrain import Grid, Terrain
from .attributes import set_attribute, set_positions


@dataclass(frozen=True)
class PlantPoints:
    """What a mesh of one vertex per plant consists of.

    Attributes
    ----------
    places : ndarray of float32, shape (plants, 3)
        In the metres of its object.
    attributes : mapping of str to ndarray
        What Geometry Nodes and shaders know about each plant; see `new_plants_mesh`.
    """

    places: npt.NDArray[np.float32]
    attributes: Mapping[str, npt.NDArray[Any]]


def new_land_mesh(name: str, terrain: Terrain) -> bpy.types.Mesh:
    """Return a new mesh of a terrain: smooth quads, one vertex per sample, UV map from corner to corner."""
    mesh = new_grid_mesh(name, terrain.grid)
    set_surface(mesh, terrain)
    return mesh


def set_surface(mesh: bpy.types.Mesh, terrain: Terrain) -> None:
    """Move the vertices of a land mesh of the same shape to another surface."""
    set_positions(mesh, vertex_positions(terrain.surface, terrain.cell_size))


def new_plants_mesh(
    name: str, plants: Plants, terrain: Terrain, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> bpy.types.Mesh:
    """Return a new mesh of one vertex per plant, with what Geometry Nodes and shaders know about each as attributes.

    The point attributes are `species`, `variant`, `condition` (whole numbers), `age` (years), `height` and `radius`
    (metres), `rotation` (degrees counter-clockwise), `health` (0 to 1) and `lies` (whether it leans with the ground).

    Parameters
    ----------
    plants : Plants
    terrain : Terrain
        On which they stand.
    species : sequence of Species, optional
        What they are; says which of them lie on the ground.
    variants : sequence of int, optional
        What `plant_assets.variant_counts` says of the species, where that is not always VARIANTS.
    """
    mesh = bpy.data.meshes.new(name)
    set_plants_mesh(mesh, plants, terrain, species, variants)
    return mesh


def set_plants_mesh(
    mesh: bpy.types.Mesh,
    plants: Plants,
    terrain: Terrain,
    species: Sequence[Species] = (),
    variants: Sequence[int] = (),
) -> None:
    """Make a mesh of plants show others, or the same in another year; see `new_plants_mesh`."""
    set_points(mesh, points_on_land(plants, terrain, species, variants))


def points_on_land(
    plants: Plants, terrain: Terrain, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> PlantPoints:
    """Return what shows plants that stand on a terrain; see `new_plants_mesh`."""
    grid = terrain.grid
    altitude = sample(terrain.surface, terrain.cell_size, plants.x, plants.y) if len(plants) else plants.x
    half = np.float32(0.5 * grid.width), np.float32(0.5 * grid.depth)
    places = np.stack((plants.x - half[0], plants.y - half[1], altitude), axis=1)
    return points_at(places, plants, species, variants)


def points_at(
    places: npt.NDArray[np.float32], plants: Plants, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> PlantPoints:
    """Return what shows plants at given places, float32 (plants, 3) in the metres of their object."""
    lying = np.array([one.lies for one in species] + [False] * 256, np.bool_)
    attributes: dict[str, npt.NDArray[Any]] = {
        PlantAttribute.SPECIES: _small(plants.species),
        PlantAttribute.VARIANT: _small(_spread(plants, np.array(variants, np.uint32))),
        PlantAttribute.CONDITION: _small(plants.condition),
        PlantAttribute.LIES: lying[plants.species] | (plants.condition == Condition.LYING_DEAD),
        PlantAttribute.AGE: plants.age,
        PlantAttribute.HEIGHT: plants.height,
        PlantAttribute.RADIUS: plants.radius,
        PlantAttribute.ROTATION: plants.rotation,
        PlantAttribute.HEALTH: plants.health,
    }
    return PlantPoints(places, attributes)


def set_points(mesh: bpy.types.Mesh, points: PlantPoints) -> None:
    """Make a mesh of plants show these."""
    if len(mesh.vertices) != len(points.places) or len(mesh.polygons):
        mesh.clear_geometry()
        mesh.vertices.add(len(points.places))
    if len(points.places) == 0:
        return
    for name, values in points.attributes.items():
        set_attribute(mesh, name, values)
    set_positions(mesh, points.places)


def _small(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int8] | npt.NDArray[np.int32]:
    """Return numbers in one byte each where they fit: a million plants are written into every .blend file."""
    return values.astype(np.int8) if values.size == 0 or values.max() < 128 else values


def _spread(plants: Plants, variants: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """Return the variant of each plant where species have more or fewer of them than the default."""
    if np.all(variants == VARIANTS):
        return plants.variant
    lots = (plants.rotation * np.float32(65536.0 / 360.0)).astype(np.uint32) * np.uint32(2654435761) >> np.uint32(8)
    counts = np.append(variants, np.uint32(VARIANTS))[np.minimum(plants.species, len(variants))]
    counts = np.where(plants.condition != Condition.LIVING, np.uint32(VARIANTS), counts)
    return np.where(counts == VARIANTS, plants.variant, lots % counts).astype(np.int32)


def new_grid_mesh(name: str, grid: Grid) -> bpy.types.Mesh:
    """Return a new mesh of a grid whose vertices are not yet in place.

    The node tree below is evaluated in a scene of its own, so that the user's scene is not touched.
    """
    tree = _grid_tree(grid)
    seed = bpy.data.meshes.new(name)
    carrier = bpy.data.objects.new(name, seed)
    scene = bpy.data.scenes.new(name)
    try:
        modifier = carrier.modifiers.new(name, "NODES")
        modifier.node_group = tree
        scene.collection.objects.link(carrier)
        layer = scene.view_layers[0]
        layer.update()
        mesh = bpy.data.meshes.new_from_object(carrier.evaluated_get(layer.depsgraph), depsgraph=layer.depsgraph)
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(carrier)
        bpy.data.meshes.remove(seed)
        bpy.data.node_groups.remove(tree)
    # The node leaves an empty material slot.
    mesh.materials.clear()
    mesh.name = name
    return mesh


def _grid_tree(grid: Grid) -> bpy.types.GeometryNodeTree:
    tree = bpy.data.node_groups.new("Landscape Grid", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, link = tree.nodes, tree.links.new

    # The node counts along x first, we count along y first: rows run along the node's x, and faces and UV turn over.
    mesh_grid = nodes.new("GeometryNodeMeshGrid")
    mesh_grid.inputs["Vertices X"].default_value = grid.rows
    mesh_grid.inputs["Vertices Y"].default_value = grid.columns
    flip = nodes.new("GeometryNodeFlipFaces")
    link(mesh_grid.outputs["Mesh"], flip.inputs["Mesh"])

    split, join = nodes.new("ShaderNodeSeparateXYZ"), nodes.new("ShaderNodeCombineXYZ")
    link(mesh_grid.outputs["UV Map"], split.inputs["Vector"])
    link(split.outputs["Y"], join.inputs["X"])
    link(split.outputs["X"], join.inputs["Y"])
    store = nodes.new("GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = "FLOAT2", "CORNER"
    store.inputs["Name"].default_value = "UVMap"
    link(flip.outputs["Mesh"], store.inputs["Geometry"])
    link(join.outputs["Vector"], store.inputs["Value"])

    smooth, output = nodes.new("GeometryNodeSetShadeSmooth"), nodes.new("NodeGroupOutput")
    link(store.outputs["Geometry"], smooth.inputs["Geometry"])
    link(smooth.outputs["Geometry"], output.inputs["Geometry"])
    return tree
