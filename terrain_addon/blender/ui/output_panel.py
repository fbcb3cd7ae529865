"""The panel of what is written from a land: textures, finer and coarser meshes, files for other programs."""

import bpy

from ..land.exporting import stays_in_blender
from .land_panel import LandPanel
from .readable_text import draw_sentence


class VIEW3D_PT_landscape_output(LandPanel):
    """Textures with exact values, and files for other programs and game engines"""

    bl_label = "Bake and Export"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons."""
        layout.operator("landscape.bake_textures", icon="TEXTURE")
        row = layout.row(align=True)
        row.operator("landscape.add_fine_detail", icon="MOD_DISPLACE")
        row.operator("landscape.remove_fine_detail", text="", icon="X")
        layout.operator("landscape.add_reduced_mesh", icon="MOD_DECIM")
        layout.separator()
        lacking = stays_in_blender(land)
        if lacking:
            draw_sentence(layout, context, lacking, "INFO")
        layout.operator("landscape.export", text="Meshes and Plants", icon="EXPORT")
        layout.operator("landscape.export_package", text="Game Engine", icon="PACKAGE")
        layout.operator("landscape.make_asset_library", icon="ASSET_MANAGER")


CLASSES = (VIEW3D_PT_landscape_output,)
