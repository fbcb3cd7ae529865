"""Meshes from arrays: the grid of the land and the points of the plants.

The topology of a grid comes from Blender's own *Mesh Grid* node, five times faster than writing edges and corners from
Python; then only positions are written.
"""

import bpy
import numpy as np

from ..core.ecosystem.plants import Plants
from ..core.sampling import sample, vertex_positions
from ..core.terrain import Grid, Terrain
from .attributes import set_attribute, set_positions


def new_land_mesh(name: str, terrain: Terrain) -> bpy.types.Mesh:
    """Return a new mesh of a terrain: smooth quads, one vertex per sample, UV map from corner to corner."""
    mesh = _new_grid(name, terrain.grid)
    set_surface(mesh, terrain)
    return mesh


def set_surface(mesh: bpy.types.Mesh, terrain: Terrain) -> None:
    """Move the vertices of a land mesh of the same shape to another surface."""
    set_positions(mesh, vertex_positions(terrain.surface, terrain.cell_size))


def new_plants_mesh(name: str, plants: Plants, terrain: Terrain) -> bpy.types.Mesh:
    """Return a new mesh of one vertex per plant, with what Geometry Nodes needs to know about each as attributes."""
    mesh = bpy.data.meshes.new(name)
    if len(plants) == 0:
        return mesh
    mesh.vertices.add(len(plants))
    grid = terrain.grid
    altitude = sample(terrain.surface, terrain.cell_size, plants.x, plants.y)
    set_positions(
        mesh,
        np.stack((plants.x - np.float32(0.5 * grid.width), plants.y - np.float32(0.5 * grid.depth), altitude), axis=1),
    )
    for attribute, values in (
        ("species", plants.species),
        ("variant", plants.variant),
        ("scale", plants.height),
        ("rotation", plants.rotation),
        ("age", plants.age),
    ):
        set_attribute(mesh, attribute, values)
    return mesh


def _new_grid(name: str, grid: Grid) -> bpy.types.Mesh:
    """Evaluate the node tree below in a scene of its own, so that the user's scene is not touched."""
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
