"""Meshes from arrays: the grid of the land and the points of the plants.

The topology of a new grid comes from Blender's own *Mesh Grid* node, which is faster than writing edges and corners
from Python.  A mesh that is there already becomes another grid in place, because between two steps of undo a mesh must
not be exchanged: Blender would look for the old one.
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
from ...core.foundation.sampling import vertex_positions
from ...core.foundation.terrain import Grid, Terrain
from ...core.meshing.cell_diagonals import altitude_on_mesh, turned_cells
from ...core.meshing.plant_meshes import AGED_VARIANTS, aged_variants
from ..compat import tell_turned_quads
from .attributes import UV_MAP, set_attribute, set_positions

# Types of attributes of corners: what holds their values, and the type and number of these.
_CORNER_TYPES: dict[str, tuple[str, type, int]] = {
    "INT": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "FLOAT": ("value", np.float32, 1),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
}


@dataclass(frozen=True)
class PlantPoints:
    """What is stored in a mesh with one vertex per plant.

    Attributes
    ----------
    places : ndarray of float32, shape (plants, 3)
        In the metres of its object.
    attributes : mapping of str to ndarray
        By `PlantAttribute`; Geometry Nodes and shaders read them.
    """

    places: npt.NDArray[np.float32]
    attributes: Mapping[str, npt.NDArray[Any]]


NO_POINTS = PlantPoints(np.empty((0, 3), np.float32), {})
"""The points of no plants."""


def new_land_mesh(name: str, terrain: Terrain, positions: npt.NDArray[np.float32] | None = None) -> bpy.types.Mesh:
    """Return a new mesh of a terrain: smooth quads, one vertex per sample, and a UV map from corner to corner.

    Parameters
    ----------
    name : str
    terrain : Terrain
    positions : ndarray of float32, shape (vertices, 3), optional
        `vertex_positions` of the terrain, if they are known.

    Returns
    -------
    Mesh
    """
    mesh = new_grid_mesh(name, terrain.grid)
    set_surface(mesh, terrain, positions)
    return mesh


def set_surface(mesh: bpy.types.Mesh, terrain: Terrain, positions: npt.NDArray[np.float32] | None = None) -> None:
    """Make a land's mesh show another surface of the same shape: its vertices, and along which diagonals it is divided.

    Parameters
    ----------
    mesh : Mesh
    terrain : Terrain
    positions : ndarray of float32, shape (vertices, 3), optional
        `vertex_positions` of the terrain, if they are known.
    """
    turned = turned_cells(terrain.surface)
    _divide_cells(mesh, turned ^ _is_flipped(terrain))
    set_positions(mesh, vertex_positions(terrain.surface, terrain.cell_size) if positions is None else positions)


def new_plants_mesh(
    name: str, plants: Plants, terrain: Terrain, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> bpy.types.Mesh:
    """Return a new mesh with one vertex per plant and the point attributes of `PlantAttribute`.

    Parameters
    ----------
    name : str
    plants : Plants
    terrain : Terrain
        On which they stand.
    species : sequence of Species, optional
        Their species, which decide whether they lie on the ground, and how high they get.
    variants : sequence of int, optional
        How many variants each species has, from `plant_assets.variant_counts`; without, all have VARIANTS.
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
    """Make a mesh of plants show other plants, or the same in another year; parameters as in `new_plants_mesh`."""
    set_points(mesh, points_on_land(plants, terrain, species, variants))


def points_on_land(
    plants: Plants, terrain: Terrain, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> PlantPoints:
    """Return the points of plants that stand on a terrain; parameters as in `new_plants_mesh`."""
    grid = terrain.grid
    surface = terrain.surface
    altitude = plants.x
    if len(plants):
        altitude = altitude_on_mesh(surface, terrain.cell_size, plants.x, plants.y, turned_cells(surface))
    half = np.float32(0.5 * grid.width), np.float32(0.5 * grid.depth)
    places = np.stack((plants.x - half[0], plants.y - half[1], altitude), axis=1)
    return points_at(places, plants, species, variants)


def points_at(
    places: npt.NDArray[np.float32], plants: Plants, species: Sequence[Species] = (), variants: Sequence[int] = ()
) -> PlantPoints:
    """Return the points of plants at given places; the other parameters are as in `new_plants_mesh`.

    Parameters
    ----------
    places : ndarray of float32, shape (plants, 3)
        In the metres of their object.
    """
    lying = np.array([one.lies for one in species] + [False] * 256, np.bool_)
    attributes: dict[str, npt.NDArray[Any]] = {
        PlantAttribute.SPECIES: _small(plants.species),
        PlantAttribute.VARIANT: _small(_variants_of(plants, species, np.array(variants, np.uint32))),
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
    """Make a mesh of plants show these points."""
    if len(mesh.vertices) != len(points.places) or len(mesh.polygons):
        mesh.clear_geometry()
        mesh.vertices.add(len(points.places))
    if len(points.places) == 0:
        return
    for name, values in points.attributes.items():
        set_attribute(mesh, name, values)
    set_positions(mesh, points.places)


def _small(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int8] | npt.NDArray[np.int32]:
    """Return numbers as one byte each if they fit, because a .blend file may hold a million plants."""
    return values.astype(np.int8) if values.size == 0 or values.max() < 128 else values


def _variants_of(plants: Plants, species: Sequence[Species], variants: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """Return the variant of each plant; species may have more or fewer variants than the default.

    Trees of built-in models show their age, which their height tells.
    """
    variant = plants.variant % np.int32(VARIANTS)
    if np.all(variants == VARIANTS):
        return variant
    random = (plants.rotation * np.float32(65536.0 / 360.0)).astype(np.uint32) * np.uint32(2654435761) >> np.uint32(8)
    counts = np.append(variants, np.uint32(VARIANTS))[np.minimum(plants.species, len(variants))]
    counts = np.where(plants.condition != Condition.LIVING, np.uint32(VARIANTS), counts)
    tall = np.array([one.height for one in species] + [1.0] * 256, np.float32)[plants.species]
    aged = aged_variants(variant, plants.height / tall)
    other = np.where(counts == AGED_VARIANTS, aged, (random % counts).astype(np.int32))
    return np.where(counts == VARIANTS, variant, other)


def new_grid_mesh(name: str, grid: Grid) -> bpy.types.Mesh:
    """Return a new mesh of a grid; its vertices are not yet in place.

    A node tree makes it in a scene of its own, so that the user's scene stays untouched.
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


def set_grid(mesh: bpy.types.Mesh, grid: Grid) -> None:
    """Make a mesh another grid, in place; its vertices are not yet there where they belong.

    Materials and custom properties stay, attributes and weights do not.  Vertices, edges and faces are in the same
    order as in a new mesh.

    Parameters
    ----------
    mesh : Mesh
    grid : Grid
    """
    rows, columns = grid.shape
    faces = (rows - 1) * (columns - 1)
    vertex = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    edges, beside, above = _grid_edges(vertex)
    mesh.clear_geometry()
    mesh.vertices.add(vertex.size)
    mesh.edges.add(len(edges))
    mesh.loops.add(4 * faces)
    mesh.polygons.add(faces)
    attributes = mesh.attributes
    attributes[".edge_verts"].data.foreach_set("value", edges.ravel())
    around = np.stack((vertex[:-1, :-1], vertex[:-1, 1:], vertex[1:, 1:], vertex[1:, :-1]), axis=-1)
    attributes[".corner_vert"].data.foreach_set("value", around.ravel())
    around = np.stack((beside[:-1], above[:, 1:], beside[1:], above[:, :-1]), axis=-1)
    attributes[".corner_edge"].data.foreach_set("value", around.ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, 4 * faces, 4, dtype=np.int32))
    for name in [attribute.name for attribute in attributes if attribute.name.startswith(".select_")]:
        attributes.remove(attributes[name])
    mesh.uv_layers.new(name=UV_MAP)
    attributes[UV_MAP].data.foreach_set("vector", _grid_uv(rows, columns).ravel())
    mesh.update()


def set_triangles(mesh: bpy.types.Mesh, positions: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32]) -> None:
    """Make a mesh these triangles, smooth where they share vertices, in place; its attributes go.

    Parameters
    ----------
    mesh : Mesh
    positions : ndarray of float32, shape (vertices, 3)
        Metres.
    triangles : ndarray of int32, shape (triangles, 3)
    """
    count = len(triangles)
    mesh.clear_geometry()
    mesh.vertices.add(len(positions))
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.loops.add(3 * count)
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(count, bool))
    mesh.update(calc_edges=True)


def _is_flipped(terrain: Terrain) -> npt.NDArray[np.bool_]:
    """Return which cells Blender divides from their second corner to the fourth instead, because they fold sharply.

    It does so where d12 × d13 and d14 × d13 point the same way, with d1n from the first corner of the quad to another:
    where the two triangles are folded by more than 90°.  On grids such cells fold so on both diagonals.
    """
    surface, side = terrain.surface, np.float32(terrain.cell_size**2)
    south, north = np.diff(surface[:-1], axis=1), np.diff(surface[1:], axis=1)
    west, east = np.diff(surface[:, :-1], axis=0), np.diff(surface[:, 1:], axis=0)
    along, across = south * north, west * east
    flipped: npt.NDArray[np.bool_] = along + across < -side
    return flipped


def _divide_cells(mesh: bpy.types.Mesh, turned: npt.NDArray[np.bool_]) -> None:
    """Divide the cells of a grid along these diagonals: Blender divides a quad from its first corner to its third.

    What corners carry turns with them, the user's own UV maps and colours too.
    """
    vertex = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", vertex)
    rows, columns = turned.shape
    column = vertex[::4] % np.int32(columns + 1)
    # Cells begin at their south-west corner, turned ones at their south-east corner.
    begins = column != np.tile(np.arange(columns, dtype=np.int32), rows)
    wanted = turned.ravel()
    if np.array_equal(begins, wanted):
        return
    ways = ((wanted & ~begins, -1), (begins & ~wanted, 1))
    for attribute in [one for one in mesh.attributes if one.domain == "CORNER" and one.data_type in _CORNER_TYPES]:
        member, dtype, size = _CORNER_TYPES[attribute.data_type]
        quads: npt.NDArray[Any] = np.empty((len(wanted), 4, size), dtype)
        attribute.data.foreach_get(member, quads.ravel())
        for cells, way in ways:
            quads[cells] = np.roll(quads[cells], way, axis=1)
        attribute.data.foreach_set(member, quads.ravel())
    tell_turned_quads(mesh)


def _grid_edges(
    vertex: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the two vertices of all edges, and the numbers of the edges along rows and of those along columns."""
    rows, columns = vertex.shape
    along = np.stack((vertex[:, :-1], vertex[:, 1:]), axis=-1).reshape(-1, 2)
    across = np.stack((vertex[:-1].T, vertex[1:].T), axis=-1).reshape(-1, 2)
    number = np.arange(len(along) + len(across), dtype=np.int32)
    beside = number[: len(along)].reshape(rows, columns - 1)
    above = number[len(along) :].reshape(columns, rows - 1).T
    return np.concatenate((along, across)), beside, above


def _grid_uv(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return the UV of all corners of the faces of a grid, from corner to corner."""
    u = np.arange(columns, dtype=np.float32) / np.float32(columns - 1)
    v = np.arange(rows, dtype=np.float32) / np.float32(rows - 1)
    uv = np.empty((rows - 1, columns - 1, 4, 2), np.float32)
    for corner, (east, north) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        uv[..., corner, 0] = u[east : columns - 1 + east]
        uv[..., corner, 1] = v[north : rows - 1 + north, None]
    return uv


def _grid_tree(grid: Grid) -> bpy.types.GeometryNodeTree:
    """Return a node tree that makes a grid in our order of vertices."""
    tree = bpy.data.node_groups.new("Landscape Grid", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, link = tree.nodes, tree.links.new

    # Our rows run along the x of the node, because it counts vertices in the other order.  So faces and UV are swapped.
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
    store.inputs["Name"].default_value = UV_MAP
    link(flip.outputs["Mesh"], store.inputs["Geometry"])
    link(join.outputs["Vector"], store.inputs["Value"])

    smooth, output = nodes.new("GeometryNodeSetShadeSmooth"), nodes.new("NodeGroupOutput")
    link(store.outputs["Geometry"], smooth.inputs["Geometry"])
    link(smooth.outputs["Geometry"], output.inputs["Geometry"])
    return tree
