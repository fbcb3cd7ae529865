"""Sea, lakes and rivers of a land as one object."""

import bpy
import numpy as np

from ...core.meshing.water_mesh import WaterMesh
from ..data.attributes import ACROSS, ALONG, DEPTH_OF_WATER, FALL, WATER_KIND, set_attribute
from ..data.meshes import set_triangles
from ..look.water_material import CLARITY, water_material
from .parts import fill_slot, new_part


def set_water(land: bpy.types.Object, water: WaterMesh) -> None:
    """Show water on a land instead of the water it showed before; without water the mesh of the object is empty.

    The mesh is changed in place, because an exchange between two steps of undo could crash Blender.
    """
    shown = land.landscape.water
    if shown is None:
        shown = new_part(land, "Water")
        # The sun shines on the ground below; its material counts how much light the water takes.
        shown.visible_shadow = False
        land.landscape.water = shown
    fill_water_mesh(shown.data, water)
    fill_slot(shown.data, water_material)


def set_clarity(land: bpy.types.Object, clarity: float) -> None:
    """Tell the water of a land how deep one sees into it, in metres; nothing happens without water."""
    shown = land.landscape.water
    if shown is not None and shown.is_editable and shown.get(CLARITY) != clarity:
        shown[CLARITY] = clarity
        shown.update_tag()


def fill_water_mesh(mesh: bpy.types.Mesh, water: WaterMesh) -> None:
    """Make a mesh show water, with the point attributes that its shader reads: kind, depth, fall, along and across."""
    set_triangles(mesh, water.positions, water.triangles)
    set_attribute(mesh, WATER_KIND, water.kind)
    set_attribute(mesh, DEPTH_OF_WATER, water.depth)
    set_attribute(mesh, FALL, water.fall)
    set_attribute(mesh, ALONG, np.ascontiguousarray(water.flow[:, 0]))
    set_attribute(mesh, ACROSS, np.ascontiguousarray(water.flow[:, 1]))
