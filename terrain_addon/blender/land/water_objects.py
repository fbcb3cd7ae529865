"""Sea, lakes and rivers of a land as one object."""

import bpy
import numpy as np

from ...core.meshing.water_mesh import WaterMesh
from ..data.attributes import DEPTH_OF_WATER, WATER_KIND, set_attribute
from ..look.water_material import water_material


def set_water(land: bpy.types.Object, water: WaterMesh) -> None:
    """Show water on a land instead of the water it showed before; without water the mesh of the object is empty.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.
    """
    shown = land.landscape.water
    if shown is None:
        shown = _new_water_object(land)
    fill_water_mesh(shown.data, water)
    materials = shown.data.materials
    if not any(materials):
        materials.clear()
        materials.append(water_material())


def fill_water_mesh(mesh: bpy.types.Mesh, water: WaterMesh) -> None:
    """Make a mesh show water, with the point attributes that its shader reads: kind, depth, along, across."""
    count = len(water.triangles)
    mesh.clear_geometry()
    mesh.vertices.add(len(water.positions))
    mesh.attributes["position"].data.foreach_set("vector", water.positions.ravel())
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


def _new_water_object(land: bpy.types.Object) -> bpy.types.Object:
    """Give a land an object for its water."""
    name = f"{land.name} Water"
    shown = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    shown.parent = land
    land.landscape.water = shown
    for collection in land.users_collection:
        collection.objects.link(shown)
    return shown
