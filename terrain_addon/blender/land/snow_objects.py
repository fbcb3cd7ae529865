"""The snow of a land as an object: a surface that lies on the land."""

import bpy

from ...core.meshing.snow_mesh import SnowMesh
from ..data.attributes import DEPTH_OF_SNOW, set_attribute
from ..data.meshes import set_triangles
from ..look.snow_material import snow_material
from .water_objects import new_part


def set_snow(land: bpy.types.Object, snow: SnowMesh) -> None:
    """Show snow on a land instead of the snow it showed before; without snow the mesh of the object is empty.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.

    Parameters
    ----------
    land : Object
    snow : SnowMesh
        From `make_snow_mesh`.
    """
    shown = land.landscape.snow
    if shown is None:
        if len(snow) == 0:
            return
        shown = land.landscape.snow = new_part(land, "Snow")
    if len(snow) == 0 and len(shown.data.vertices) == 0:
        return
    set_triangles(shown.data, snow.positions, snow.triangles)
    set_attribute(shown.data, DEPTH_OF_SNOW, snow.depth)
    materials = shown.data.materials
    if not any(materials):
        materials.clear()
        materials.append(snow_material())
