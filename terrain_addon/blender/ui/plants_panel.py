"""The panel of plants: buttons, editing by hand, and species."""

import bpy

from ...core.ecosystem.ecosystem import Ecosystem
from .land_panel import LandPanel
from .parameter_drawing import draw_set
from .recipe_lists import draw_list


class VIEW3D_PT_landscape_plants(LandPanel):
    """Species, and where they grow"""

    bl_label = "Plants"
    part = "plants"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons, the species, and the settings of the active one and of the whole ecosystem."""
        recipe = land.landscape.recipe
        row = layout.row(align=True)
        row.operator("landscape.scatter_plants", text="Plant", icon="OUTLINER_OB_POINTCLOUD")
        row.operator("landscape.clear_plants", text="Clear", icon="TRASH")
        header, body = layout.panel("landscape.plant_editing", default_closed=True)
        header.label(text="Edit by Hand")
        if body is not None:
            column = body.column(align=True)
            for name in ("add_plants", "remove_plants", "clear_road", "make_plants_real", "forget_plant_edits"):
                column.operator(f"landscape.{name}")
            column.operator("landscape.cull_plants")
        plants = land.landscape.plants
        if plants is not None and plants.type == "MESH":
            layout.label(text=f"{len(plants.data.vertices):,} plants", icon="CHECKMARK")
        draw_list(layout, recipe, "ecosystem.species")
        draw_set(layout, recipe.ecosystem, Ecosystem, "ecosystem")


CLASSES = (VIEW3D_PT_landscape_plants,)
