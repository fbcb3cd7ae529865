"""Entries in Blender's menu Add > Mesh."""

import bpy

from ..operators.generate import LANDSCAPE_OT_generate
from ..operators.planets import LANDSCAPE_OT_new_planet


def draw_add_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Show the entries that make a landscape or a planet."""
    menu.layout.operator_menu_enum(LANDSCAPE_OT_generate.bl_idname, "preset", text="Landscape", icon="RNDCURVE")
    menu.layout.operator_menu_enum(LANDSCAPE_OT_new_planet.bl_idname, "preset", text="Planet", icon="WORLD")
    menu.layout.operator("landscape.generate_from_mesh", icon="MESH_GRID")
