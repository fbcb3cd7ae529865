"""The panel for what is painted on the land, and the tools of the brush while it is open."""

import bpy

from .. import compat
from ..land.painting import PURPOSES, painted_names, what_is_painted
from .land_panel import LandPanel
from .readable_text import draw_sentence

_ICONS = {
    "PLANTS": "OUTLINER_OB_POINTCLOUD",
    "NO_PLANTS": "CANCEL",
    "RAIN": "MOD_FLUIDSIM",
    "HARDNESS": "MESH_ICOSPHERE",
    "EROSION": "MOD_DYNAMICPAINT",
    "LAYER": "RENDERLAYERS",
}


class VIEW3D_PT_landscape_paint(LandPanel):
    """Where plants, rain, hard rock and layers are, painted with a brush"""

    bl_label = "Paint"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show a button for each thing that can be painted, and one that forgets it where it is."""
        column = layout.column(align=True)
        for key, purpose in PURPOSES.items():
            row = column.row(align=True)
            row.operator("landscape.paint", text=f"Paint {purpose.label}", icon=_ICONS[key]).purpose = key
            if land.type == "MESH" and painted_names(land, purpose):
                row.operator("landscape.forget_paint", text="", icon="X").purpose = key
        layout.operator("landscape.erosion_brush", icon="BRUSH_DATA")


def draw_brush(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show what is painted now, what the colours mean, and how to end it."""
    box = layout.box()
    purpose, group = what_is_painted(land), land.vertex_groups.active
    name = purpose.label if purpose is not None else group.name if group is not None else "weights"
    box.label(text=f"Painting {name}", icon="BRUSH_DATA", translate=False)
    red, blue = (purpose.red, purpose.blue) if purpose is not None else ("acts fully", "does not act")
    draw_sentence(box, context, f"Red: {red}. Blue: {blue}", "COLOR")
    weight = compat.brush_settings(context).weight
    row = box.row(align=True)
    for text, value in (("Add", 1.0), ("Take Away", 0.0)):
        row.operator("landscape.set_brush", text=text, depress=weight == value).weight = value
    row = box.row(align=True)
    row.operator("paint.weight_set", text="Fill")
    row.operator("object.vertex_group_invert", text="Invert")
    plants = land.landscape.plants
    if plants is not None:
        box.prop(plants, "hide_viewport", text="Hide Plants", toggle=False)
    box.operator("object.mode_set", text="Done", icon="CHECKMARK").mode = "OBJECT"


CLASSES = (VIEW3D_PT_landscape_paint,)
