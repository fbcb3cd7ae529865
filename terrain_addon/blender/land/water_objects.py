"""Sea, lakes and rivers of a land as one object."""

import bpy
import numpy as np

from ...core.meshing.water_mesh import WaterMesh
from ..data.attributes import DEPTH_OF_WATER, WATER_KIND, set_attribute
from ..look.water_material import water_material


def set_water(land: bpy.types.Object, water: WaterMesh) -> None:
    """Show water on a land instead of the water it showed before; without water the object is removed."""
    if len(water) == 0:
        clear_water(land)
        return
    name = f"{land.name} Water"
    mesh = new_water_mesh(name, water)
    shown = land.landscape.water
    if shown is None:
        shown = bpy.data.objects.new(name, mesh)
        shown.parent = land
        land.landscape.water = shown
        mesh.materials.append(water_material())
    else:
        before = shown.data
        for material in before.materials or (water_material(),):
            mesh.materials.append(material)
        shown.data = mesh
        if before.users == 0:
            bpy.data.meshes.remove(before)
        mesh.name = name
    for collection in land.users_collection:
        if shown.name not in collection.objects:
            collection.objects.link(shown)


def clear_water(land: bpy.types.Object) -> None:
    """Remove the water of a land, and its mesh if nothing else uses it."""
    water = land.landscape.water
    if water is not None:
        mesh = water.data
        bpy.data.objects.remove(water)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)


def new_water_mesh(name: str, water: WaterMesh) -> bpy.types.Mesh:
    """Return a new mesh of water with the point attributes that its shader reads: kind, depth, along, across."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(water.positions))
    mesh.attributes["position"].data.foreach_set("vector", water.positions.ravel())
    count = len(water.triangles)
    mesh.loops.add(3 * count)
    mesh.loops.foreach_set("vertex_index", water.triangles.ravel())
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(count, bool))
    mesh.update(calc_edges=True)
    set_attribute(mesh, WATER_KIND, water.kind)
    set_attribute(mesh, DEPTH_OF_WATER, water.depth)
    set_attribute(mesh, "along", np.ascontiguousarray(water.flow[:, 0]))
    set_attribute(mesh, "across", np.ascontiguousarray(water.flow[:, 1]))
    return mesh
