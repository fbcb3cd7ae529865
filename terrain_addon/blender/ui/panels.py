"""All panels of the tab *Landscape* in the order of the sidebar, and their registration.

A panel shows properties and buttons and computes nothing.
"""

import bpy

from ..data import own_presets, pictures, planet_presets
from ..operators.export import draw_export_menu
from ..operators.import_elevation import draw_import_menu
from ..operators.plants import draw_object_menu
from ..operators.recipes import draw_recipe_import
from ..operators.worlds import draw_world_import
from . import (
    centre_handle,
    curve_drawing,
    features_panel,
    main_panel,
    maps_panel,
    material_panel,
    output_panel,
    paint_panel,
    planet_panel,
    plants_panel,
    recipe_lists,
    terrain_panels,
    width_handle,
)
from .add_menu import draw_add_menu

CLASSES = (
    *recipe_lists.CLASSES,
    # A planet that is active comes first, and a new one after landscapes.
    planet_panel.VIEW3D_PT_landscape_planet,
    *main_panel.CLASSES,
    *features_panel.CLASSES,
    *paint_panel.CLASSES,
    *terrain_panels.CLASSES,
    *maps_panel.CLASSES,
    *plants_panel.CLASSES,
    *material_panel.CLASSES,
    *output_panel.CLASSES,
    planet_panel.VIEW3D_PT_landscape_new_planet,
    *width_handle.CLASSES,
    *centre_handle.CLASSES,
)

MENU_ENTRIES = (
    ("VIEW3D_MT_mesh_add", draw_add_menu),
    ("VIEW3D_MT_object", draw_object_menu),
    ("VIEW3D_MT_object_context_menu", draw_object_menu),
    ("TOPBAR_MT_file_import", draw_import_menu),
    ("TOPBAR_MT_file_import", draw_recipe_import),
    ("TOPBAR_MT_file_import", draw_world_import),
    ("TOPBAR_MT_file_export", draw_export_menu),
)
"""Menus of Blender, and what adds our entries to each."""


def register() -> None:
    """Register panels and menu entries, and the properties that remember the chosen presets."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    curve_drawing.register()
    own_presets.register()
    planet_presets.register()
    for menu, draw in MENU_ENTRIES:
        getattr(bpy.types, menu).append(draw)


def unregister() -> None:
    """Remove all of that."""
    for menu, draw in reversed(MENU_ENTRIES):
        getattr(bpy.types, menu).remove(draw)
    planet_presets.unregister()
    own_presets.unregister()
    curve_drawing.unregister()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    pictures.forget_pictures()
