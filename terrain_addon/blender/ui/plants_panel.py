"""The panel of plants: buttons, editing by hand, and species."""

import bpy

from ...core.ecosystem.ecosystem import Ecosystem
from ...core.foundation.parameters import parameters_of
from .. import compat
from ..data.sentences import counted
from ..plants.frame_inputs import CULLING_INPUT
from ..plants.scatter_inputs import SHARE_INPUT
from ..plants.scatter_modifier import scatter_modifier
from ..session.land_states import is_stale
from .land_panel import LandPanel
from .parameter_drawing import Advanced
from .readable_text import draw_sentence
from .recipe_lists import draw_list

EEVEE_MANY = 300_000
"""So many plants take some 3 GB in a render with EEVEE: 1,246,861 plants of *alpine* took 11.6 GB in Blender 5.2."""


_FIRST = ("cover", "groves")


class VIEW3D_PT_landscape_plants(LandPanel):
    """Species, and where they grow"""

    bl_label = "Plants"
    part = "plants"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the buttons, the settings of all plants, the species, and the settings of the active one."""
        recipe, advanced = land.landscape.recipe, Advanced()
        # One column, without gaps: with all folds the panel has to fit below the main sliders in a window of 1000 px.
        column = layout.column(align=True)
        for name in _FIRST:
            column.prop(recipe.ecosystem, name)
        row = column.row(align=True)
        row.operator("landscape.scatter_plants", text="Plant", icon="OUTLINER_OB_POINTCLOUD")
        row.operator("landscape.clear_plants", text="", icon="TRASH")
        row.operator_menu_enum("landscape.apply_biome", "biome", text="Biome")
        if recipe.climate.enabled:
            row.operator("landscape.apply_biome_of_climate", text="", icon="VOLUME_DATA")
        row.menu("LANDSCAPE_MT_edit_plants", text="Edit")
        plants = land.landscape.plants
        if plants is not None and plants.type == "MESH":
            _draw_count(column, context, plants, is_current=not is_stale(land, "plants"))
        draw_list(layout, recipe, "ecosystem.species", advanced)
        declared = [p for p in parameters_of(Ecosystem) if p.kind != "series" and p.name not in _FIRST]
        advanced.add(recipe.ecosystem, declared, "ecosystem", "All Plants")
        advanced.draw(layout, "plants")


def _draw_count(
    layout: bpy.types.UILayout, context: bpy.types.Context, plants: bpy.types.Object, *, is_current: bool
) -> None:
    """Show how many plants there are, and how many of them the viewport shows."""
    count, modifier = len(plants.data.vertices), scatter_modifier(plants)
    icon = "CHECKMARK" if is_current else "TIME"
    if modifier is None or modifier.node_group is None:
        layout.label(text=counted(count, "plant"), icon=icon)
        return
    if count == 0:
        here = "No plant of these species stands here. It may be too high, too cold, too steep or too dry."
        before = "No plant of these species stood here before the last change"
        draw_sentence(layout, context, here if is_current else before, icon)
        return
    share = compat.modifier_input(modifier, SHARE_INPUT)
    seen, whole = _short(round(0.01 * share * count)), _short(count)
    layout.label(text=f"{seen} of {whole} shown" if share < 100.0 else f"All {whole} plants shown", icon=icon)
    holder, name = compat.shown_input(modifier, SHARE_INPUT)
    row = layout.row(align=True)
    row.use_property_split = False
    row.prop(holder, name, text="Shown in View", slider=True)
    renders_all = context.scene.render.engine == compat.EEVEE and not compat.modifier_input(modifier, CULLING_INPUT)
    if renders_all and count > EEVEE_MANY:
        text = f"EEVEE Renders {_short(count)}: Cull to Camera"
        layout.operator("landscape.cull_plants", text=text, icon="CAMERA_DATA")


def _short(count: int) -> str:
    """Return a number of plants that fits beside the slider of those that are shown."""
    return f"{count:,}" if count < 1_000_000 else f"{1e-6 * count:.3g} M"


class LANDSCAPE_MT_edit_plants(bpy.types.Menu):
    """Add and remove single plants, make them real, cull them and let them sway"""

    bl_label = "Edit Plants"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what is done to single plants, and then to all."""
        for name in ("add_plants", "remove_plants", "clear_road", "make_plants_real", "forget_plant_edits"):
            self.layout.operator(f"landscape.{name}")
        self.layout.separator()
        for name in ("cull_plants", "sway_plants"):
            self.layout.operator(f"landscape.{name}")


CLASSES = (LANDSCAPE_MT_edit_plants, VIEW3D_PT_landscape_plants)
