"""The panel of how a land looks: light and material."""

from typing import Any

import bpy

from ..data.ground_images import image_kinds
from .daylight import draw_daylight
from .land_panel import LandPanel
from .parameter_drawing import draw_member


class VIEW3D_PT_landscape_material(LandPanel):
    """Sun, sky and haze of the scene, and how the land is coloured"""

    bl_label = "Light and Material"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the light and the appearance."""
        draw_daylight(layout, context, land)
        layout = layout.column(align=True)
        draw_member(layout, land.landscape.recipe, "appearance")
        header, body = layout.panel("landscape.ground_images", default_closed=True)
        header.label(text="Images")
        if body is not None:
            _draw_images(body, land.landscape_grounds)


def _draw_images(layout: bpy.types.UILayout, grounds: Any) -> None:
    """Show the images of one ground, and the button that puts all of them into the material."""
    layout.use_property_decorate = False
    layout.prop(grounds, "shown")
    images = getattr(grounds, grounds.shown)
    for kind in image_kinds():
        row = layout.split(factor=0.3)
        row.label(text=kind.capitalize())
        row.template_ID(images, kind, open="image.open")
    layout.prop(images, "size")
    layout.prop(images, "relief")
    layout.operator("landscape.use_ground_images", icon="IMAGE_DATA")


CLASSES = (VIEW3D_PT_landscape_material,)
