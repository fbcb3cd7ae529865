"""Plants on any mesh: they stand on the surface that is seen from above, as densely as is painted on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt
from mathutils import Matrix, Vector

from ...core.ecosystem.dart_throwing import DartThrowing, throw_darts
from ...core.ecosystem.plants import Plants, remove_plants
from ...core.ecosystem.species import Species
from ...core.foundation.progress import run
from ...core.foundation.sampling import sample
from ...core.foundation.terrain import Field
from ..data.meshes import points_at, set_points
from ..look.nodes import active_socket
from .geometry_nodes import GeometryNodes
from .plant_assets import plant_collection, variant_counts, variant_stride
from .scatter_inputs import SHOWN_AT_FIRST
from .scatter_modifier import add_scatter_modifier

# Custom property that marks the object that carries the plants.
_PLANTED_KEY = "landscape_planted"
_MOST_RAYS = 1024  # from side to side


@dataclass(frozen=True)
class ViewFromAbove:
    """A mesh seen from above in the world.

    Attributes
    ----------
    corner : tuple of float
        x and y of the south-west corner in metres.
    cell_size : float
        Metres.
    height : ndarray of float32, shape (rows, columns)
        z in metres, 0 where there is no mesh.
    hit : ndarray of float32, shape (rows, columns)
        1 where there is mesh, else 0.
    density : ndarray of float32, shape (rows, columns)
        The named attribute, 0 to 1; 0 where there is no mesh.
    """

    corner: tuple[float, float]
    cell_size: float
    height: Field
    hit: Field
    density: Field


def plant_on_mesh(
    target: bpy.types.Object, density: str, species: Sequence[Species], seed: int, cover: float = 1.0
) -> bpy.types.Object:
    """Plant species on a mesh; they replace what this function planted on it before.

    Parameters
    ----------
    target : Object
        Any mesh with faces.  Plants stand on what is seen of it from above, and follow it when it moves or changes.
    density : str
        Name of a vertex group or float attribute, 0 to 1: the share of places that are planted.  Empty means all.
    species : sequence of Species
        At least one.  Of a species only radius, height and form are used.
    seed : int
        0 to 2³¹ − 1.
    cover : float
        Share of all places that may be planted, 0 to 1.

    Returns
    -------
    Object
        Carries all the plants; a child of `target`.

    Raises
    ------
    ValueError
        If the target is not a mesh with faces, has no group or attribute of that name, or has no place for a plant.
    """
    if target.type != "MESH" or len(target.data.polygons) == 0:
        raise ValueError(f"{target.name} is not a mesh with faces to plant on")
    if density and density not in target.vertex_groups and density not in target.data.attributes:
        raise ValueError(f"{target.name} has no vertex group or attribute {density!r}")
    view = look_from_above(target, density, 0.5 * min(one.radius for one in species))
    suits = view.density * np.float32(cover)
    plants = run(throw_darts([suits] * len(species), view.cell_size, species, seed, DartThrowing()))
    # Beside the mesh there is nothing to stand on.
    plants = remove_plants(plants, sample(view.hit, view.cell_size, plants.x, plants.y) > 0.999)
    if len(plants) == 0:
        raise ValueError(f"{target.name} has no place with room and density for a plant")
    return _show(target, plants, view, species)


def look_from_above(target: bpy.types.Object, density: str, cell_size: float) -> ViewFromAbove:
    """Return a mesh as rays from above find it, on a grid over its bounds.

    Parameters
    ----------
    target : Object
        A mesh.
    density : str
        As in `plant_on_mesh`.
    cell_size : float
        Distance of the rays in metres; it grows if there would be more than 1024 rays on a side.

    Raises
    ------
    ValueError
        If the mesh has no width or depth.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    box = target.evaluated_get(depsgraph).bound_box
    corners = np.array([target.matrix_world @ Vector(corner) for corner in box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    width, depth = float(high[0] - low[0]), float(high[1] - low[1])
    if min(width, depth) <= 0.0:
        raise ValueError(f"{target.name} has no width or depth seen from above")
    cell_size = max(cell_size, max(width, depth) / _MOST_RAYS)
    columns, rows = max(int(width / cell_size) + 1, 2), max(int(depth / cell_size) + 1, 2)
    cell_size = max(width / (columns - 1), depth / (rows - 1))
    tree = _ray_tree(target, density, _Rays((rows, columns), cell_size, low, high))
    mesh = _evaluated(tree)
    try:
        height, hit, suits = (_field(mesh, name, (rows, columns)) for name in ("height", "hit", "density"))
    finally:
        bpy.data.meshes.remove(mesh)
        bpy.data.node_groups.remove(tree)
    suits = np.clip(np.nan_to_num(suits), 0.0, 1.0) * hit
    return ViewFromAbove((float(low[0]), float(low[1])), cell_size, height * hit, hit, suits)


def _show(
    target: bpy.types.Object, plants: Plants, view: ViewFromAbove, species: Sequence[Species]
) -> bpy.types.Object:
    """Show plants on a mesh; return the object that carries them."""
    name = f"{target.name} Plants"
    carrier = next((o for o in target.children if _PLANTED_KEY in o and o.type == "MESH" and o.is_editable), None)
    is_new = carrier is None
    if carrier is None:
        carrier = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        carrier[_PLANTED_KEY] = True
        carrier.parent = target
        for collection in target.users_collection or [bpy.context.scene.collection]:
            collection.objects.link(carrier)
    # Plants stand upright and at their true size in the world.  From now on they move with the mesh.
    carrier.matrix_parent_inverse = target.matrix_world.inverted_safe()
    carrier.matrix_basis = Matrix.Translation((*view.corner, 0.0))
    height = sample(view.height, view.cell_size, plants.x, plants.y)
    places = np.stack((plants.x, plants.y, height), axis=1)
    set_points(carrier.data, points_at(places, plants, species, variant_counts(species)))
    share = min(100.0, 100.0 * SHOWN_AT_FIRST / len(plants)) if is_new else None
    add_scatter_modifier(carrier, plant_collection(species), share, target, variant_stride(species))
    return carrier


class _Rays(NamedTuple):
    """Rays from above on a grid; corners of the box that they cross are in metres of the world."""

    shape: tuple[int, int]  # rows and columns
    cell_size: float  # metres
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]


def _ray_tree(target: bpy.types.Object, density: str, rays: _Rays) -> bpy.types.GeometryNodeTree:
    """Return nodes that make a mesh with a vertex for each ray, and what the ray meets as attributes."""
    tree = bpy.data.node_groups.new("View From Above", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = GeometryNodes(tree)
    (rows, columns), cell_size, low, high = rays
    grid = nodes.node(
        "GeometryNodeMeshGrid",
        {
            "Size X": (rows - 1) * cell_size,
            "Size Y": (columns - 1) * cell_size,
            "Vertices X": rows,
            "Vertices Y": columns,
        },
    ).outputs["Mesh"]
    # The node counts vertices in the other order: its x is our y.
    split = nodes.node("ShaderNodeSeparateXYZ", {0: nodes.node("GeometryNodeInputPosition").outputs[0]}).outputs
    # A little inside the edges: a ray exactly on an edge may miss the mesh.
    inside = 1.0 - 1e-5
    x = nodes.math("MULTIPLY_ADD", split[1], inside, float(low[0]) + 0.5 * (columns - 1) * cell_size)
    y = nodes.math("MULTIPLY_ADD", split[0], inside, float(low[1]) + 0.5 * (rows - 1) * cell_size)
    x = nodes.math("MINIMUM", x, float(high[0]) - 1e-5 * float(high[0] - low[0]))
    y = nodes.math("MINIMUM", y, float(high[1]) - 1e-5 * float(high[1] - low[1]))
    start = nodes.node("ShaderNodeCombineXYZ", {"X": x, "Y": y, "Z": float(high[2]) + 1.0}).outputs[0]
    info = nodes.node("GeometryNodeObjectInfo", transform_space="RELATIVE")
    info.inputs["Object"].default_value = target
    suits = nodes.named_attribute(density, "FLOAT") if density else 1.0
    ray = nodes.node(
        "GeometryNodeRaycast",
        {
            "Target Geometry": info.outputs["Geometry"],
            "Attribute": suits,
            "Source Position": start,
            "Ray Direction": (0.0, 0.0, -1.0),
            "Ray Length": float(high[2] - low[2]) + 2.0,
        },
        data_type="FLOAT",
    ).outputs
    height = nodes.node("ShaderNodeSeparateXYZ", {0: ray["Hit Position"]}).outputs[2]
    results = {"height": height, "hit": ray["Is Hit"], "density": active_socket(ray, "Attribute")}
    for name, value in results.items():
        store = nodes.node("GeometryNodeStoreNamedAttribute", data_type="FLOAT", domain="POINT")
        nodes.set(store.inputs["Geometry"], grid)
        nodes.set(store.inputs["Name"], name)
        nodes.set(active_socket(store.inputs, "Value"), value)
        grid = store.outputs[0]
    nodes.node("NodeGroupOutput", {"Geometry": grid})
    return tree


def _evaluated(tree: bpy.types.GeometryNodeTree) -> bpy.types.Mesh:
    """Evaluate a node tree in a scene of its own, so that the user's scene stays untouched."""
    seed = bpy.data.meshes.new(tree.name)
    carrier = bpy.data.objects.new(tree.name, seed)
    scene = bpy.data.scenes.new(tree.name)
    try:
        carrier.modifiers.new(tree.name, "NODES").node_group = tree
        scene.collection.objects.link(carrier)
        layer = scene.view_layers[0]
        layer.update()
        return bpy.data.meshes.new_from_object(carrier.evaluated_get(layer.depsgraph), depsgraph=layer.depsgraph)
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(carrier)
        bpy.data.meshes.remove(seed)


def _field(mesh: bpy.types.Mesh, name: str, shape: tuple[int, int]) -> Field:
    """Return an attribute as rows and columns."""
    values = np.empty(shape, np.float32)
    mesh.attributes[name].data.foreach_get("value", values.ravel())
    return values
