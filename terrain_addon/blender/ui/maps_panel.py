"""The panel of what is measured: maps in false colours, what they depend on, and how real the land is."""

import bpy

from ...core.foundation.parameters import menu_name, parameters_of
from ...core.maps.catalogue import MAPS
from ..look import map_view
from .land_panel import LandPanel
from .parameter_drawing import Advanced, draw_set, recipe_parameter
from .readable_text import readable_number
from .realism import draw_realism


class VIEW3D_PT_landscape_maps(LandPanel):
    """How much the land is like real land, and maps that are measured on it, each an attribute of its mesh"""

    bl_label = "Realism and Maps"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the realism, a button for each map, a legend of the one in view, and what the maps depend on."""
        draw_realism(layout, context, land)
        shown = map_view.shown_on(land) if land.type == "MESH" else None
        names = map_view.maps_on(land) if land.type == "MESH" else []
        grid = layout.grid_flow(columns=2, even_columns=True, align=True)
        for name in names:
            is_shown = shown is not None and shown[0] == name
            grid.operator("landscape.show_map", text=menu_name(name), depress=is_shown, translate=False).map = name
        if shown is not None:
            name, low, high = shown
            legend = f"Dark {readable_number(low)}, bright {readable_number(high)} {MAPS[name].unit}"
            layout.label(text=legend, icon="COLOR")
        recipe, advanced = land.landscape.recipe, Advanced()
        draw_set(layout, recipe.illumination, recipe_parameter("illumination").members[0], "illumination", advanced)
        header, body = layout.panel("landscape.extra_maps", default_closed=True)
        header.label(text="More Maps")
        if body is not None:
            for parameter in parameters_of(recipe_parameter("extra_maps").members[0]):
                body.prop(recipe.extra_maps, parameter.name)
            if recipe.extra_maps.shadow:
                draw_set(body, recipe.low_sun, recipe_parameter("low_sun").members[0], "low_sun", advanced, "Low Sun")
        advanced.draw(layout, "maps")


CLASSES = (VIEW3D_PT_landscape_maps,)
