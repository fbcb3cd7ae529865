"""The glaciers of a land as one object."""

import bpy

from ...core.meshing.ice_mesh import IceMesh
from ..data.attributes import FIRN, ICE_DEBRIS, ICE_STRAIN, set_attribute
from ..data.meshes import set_triangles
from ..look.ice_material import ice_material
from .water_objects import new_part


def set_glaciers(land: bpy.types.Object, ice: IceMesh) -> None:
    """Show ice on a land instead of the ice it showed before; without ice the mesh of the object is empty.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.  A land that never
    had ice gets no object.
    """
    shown = land.landscape.glaciers
    if shown is None:
        if len(ice) == 0:
            return
        shown = new_part(land, "Glaciers")
        land.landscape.glaciers = shown
    mesh = shown.data
    set_triangles(mesh, ice.positions, ice.triangles)
    for name, values in ((FIRN, ice.firn), (ICE_STRAIN, ice.strain), (ICE_DEBRIS, ice.debris)):
        set_attribute(mesh, name, values)
    if not any(mesh.materials):
        mesh.materials.clear()
        mesh.materials.append(ice_material())
