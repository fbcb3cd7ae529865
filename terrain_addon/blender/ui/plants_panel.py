"""The panel of plants: buttons, editing by hand, and species."""

import bpy

from ...core.ecosystem.ecosystem import Ecosystem
from ...core.foundation.parameters import parameters_of
from .. import compat
from ..plants.scatter_inputs import SHARE_INPUT
from ..plants.scatter_modifier import scatter_modifier
from ..session.land_states import is_stale
from .land_panel import LandPanel
from .parameter_drawing import Advanced, draw_parameter
from .readable_text import draw_sentence
from .recipe_lists import draw_list


class VIEW3D_PT_landscape_plants(LandPanel):
    """Species, and where they grow"""

    bl_label = "Plants"
    part = "plants"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons, the settings of all plants, the species, and the settings of the active one."""
        recipe, advanced = land.landscape.recipe, Advanced()
        layout.prop(recipe.ecosystem, "cover")
        row = layout.row(align=True)
        row.operator("landscape.scatter_plants", text="Plant", icon="OUTLINER_OB_POINTCLOUD")
        row.operator("landscape.clear_plants", text="Clear", icon="TRASH")
        plants = land.landscape.plants
        if plants is not None and plants.type == "MESH":
            _draw_count(layout, context, plants, is_current=not is_stale(land, "plants"))
        row = layout.row(align=True)
        row.operator_menu_enum("landscape.apply_biome", "biome", text="Biome", icon="ASSET_MANAGER")
        if recipe.climate.enabled:
            row.operator("landscape.apply_biome_of_climate", text="By Climate")
        draw_list(layout, recipe, "ecosystem.species", advanced)
        declared = [p for p in parameters_of(Ecosystem) if p.kind != "series" and p.name != "cover"]
        for parameter in declared:
            if not parameter.advanced:
                draw_parameter(layout, recipe.ecosystem, parameter, "ecosystem", advanced)
        advanced.add(recipe.ecosystem, [p for p in declared if p.advanced], "ecosystem", "All Plants")
        header, body = layout.panel("landscape.plant_editing", default_closed=True)
        header.label(text="Edit by Hand")
        if body is not None:
            column = body.column(align=True)
            for name in ("add_plants", "remove_plants", "clear_road", "make_plants_real", "forget_plant_edits"):
                column.operator(f"landscape.{name}")
            column.operator("landscape.cull_plants")
            column.operator("landscape.sway_plants")
        advanced.draw(layout, "plants")


def _draw_count(
    layout: bpy.types.UILayout, context: bpy.types.Context, plants: bpy.types.Object, *, is_current: bool
) -> None:
    """Show how many plants there are, and how many of them the viewport shows."""
    count, modifier = len(plants.data.vertices), scatter_modifier(plants)
    column = layout.column(align=True)
    icon = "CHECKMARK" if is_current else "TIME"
    if modifier is None or modifier.node_group is None:
        column.label(text=f"{count:,} plants", icon=icon)
        return
    if count == 0:
        reason = (
            "it may be too high, too cold, too steep or too dry for them" if is_current else "before the last change"
        )
        draw_sentence(layout, context, f"No plant of these species stands here: {reason}", icon)
        return
    share = compat.modifier_input(modifier, SHARE_INPUT)
    shown = f"{round(0.01 * share * count):,} of {count:,} shown" if share < 100.0 else f"All {count:,} plants shown"
    column.label(text=shown, icon=icon)
    holder, name = compat.shown_input(modifier, SHARE_INPUT)
    column.prop(holder, name, text="Shown", slider=True)


CLASSES = (VIEW3D_PT_landscape_plants,)
