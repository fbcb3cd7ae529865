"""The panel of the material of a land."""

import bpy

from .land_panel import LandPanel
from .parameter_drawing import draw_member


class VIEW3D_PT_landscape_material(LandPanel):
    """How the land is coloured"""

    bl_label = "Material"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the appearance."""
        draw_member(layout, land.landscape.recipe, "appearance")


CLASSES = (VIEW3D_PT_landscape_material,)
