"""Panels of what makes the terrain: relief, erosion, water."""

from typing import Any

import bpy

from ...core.foundation.parameters import parameters_of
from ...core.snow.winter import SAID_BY_CLIMATE, Winter
from ..land.land_objects import mass_balances_of
from ..land.sculpting import is_by_hand
from ..session.land_states import is_stale
from .land_panel import LandPanel
from .parameter_drawing import Advanced, draw_parameter, draw_set, recipe_parameter
from .readable_text import readable_volume
from .recipe_lists import draw_list

_LARGEST_BALANCE_ERROR = 0.001  # share of the ground; beyond it the mass balance is marked as wrong


class VIEW3D_PT_landscape_relief(LandPanel):
    """The shape that the land starts from"""

    bl_label = "Relief"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the layers, the active one, and what shapes them all."""
        recipe, advanced = land.landscape.recipe, Advanced()
        draw_list(layout, recipe, "relief.layers", advanced)
        draw_set(layout, recipe.relief, recipe_parameter("relief").members[0], "relief", advanced)
        row = layout.row()
        # It still works, because scripts and other tools may have changed the mesh unseen.
        row.active = is_by_hand(land)
        row.operator("landscape.keep_sculpt", icon="SCULPTMODE_HLT")
        advanced.draw(layout, "relief")


class VIEW3D_PT_landscape_erosion(LandPanel):
    """Processes that work on the land, one after the other"""

    bl_label = "Erosion"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show the processes, and the settings and the mass balance of the active one."""
        recipe, advanced = land.landscape.recipe, Advanced()
        draw_list(layout, recipe, "erosion", advanced)
        advanced.draw(layout, "erosion")
        _draw_mass_balance(layout, land, recipe.erosion_index + 1)


class VIEW3D_PT_landscape_water(LandPanel):
    """Sea, lakes and rivers, the climate that feeds them, glaciers and snow"""

    bl_label = "Water"
    part = "ground"

    def draw_land(self, context: bpy.types.Context, layout: bpy.types.UILayout, land: bpy.types.Object) -> None:
        """Show where water stands, where a stream becomes a river, and folded the climate and the winter."""
        recipe, advanced = land.landscape.recipe, Advanced()
        draw_set(layout, recipe.water, recipe_parameter("water").members[0], "water", advanced)
        climate = _part_with_switch(layout, recipe.climate, "Climate")
        if climate is not None:
            declared = recipe_parameter("climate").members[0]
            draw_set(climate, recipe.climate, declared, "climate", advanced, "Climate Details")
        glaciers = _part_with_switch(layout, recipe.glaciers, "Glaciers")
        if glaciers is not None:
            draw_set(glaciers, recipe.glaciers, recipe_parameter("glaciers").members[0], "glaciers", advanced)
        winter = _part_with_switch(layout, recipe.winter, "Winter")
        if winter is not None:
            _draw_winter(winter, recipe, advanced)
        advanced.draw(layout, "water")


def _part_with_switch(layout: bpy.types.UILayout, group: Any, name: str) -> bpy.types.UILayout | None:
    """Show the header of a collapsible part with its switch; return what is inside if it is open."""
    header, body = layout.panel(f"landscape.{name.lower()}_of_land", default_closed=True)
    # The name beside its switch, not in the middle of the panel.
    header.use_property_split = False
    header.prop(group, "enabled", text=name)
    if body is not None:
        body.active = group.enabled
    return body


def _draw_winter(layout: bpy.types.UILayout, recipe: Any, advanced: Advanced) -> None:
    """Show what can be said of a winter beside the climate of the land."""
    said = ("enabled", *(SAID_BY_CLIMATE if recipe.climate.enabled else ()))
    shown = [parameter for parameter in parameters_of(Winter) if parameter.name not in said]
    for parameter in shown:
        if not parameter.advanced:
            draw_parameter(layout, recipe.winter, parameter, "winter", advanced)
    advanced.add(recipe.winter, [one for one in shown if one.advanced], "winter", "Winter Details")


def _draw_mass_balance(layout: bpy.types.UILayout, land: bpy.types.Object, number: int) -> None:
    """Show which volumes a process removed and added; `number` counts the processes from 1."""
    balances = mass_balances_of(land) if land.type == "MESH" else {}
    if str(number) not in balances:
        return
    left, rose, unaccounted = balances[str(number)]
    column = layout.column(align=True)
    column.active = not is_stale(land, "ground")
    column.label(text=f"{readable_volume(left)} removed", icon="EXPORT", translate=False)
    if rose:
        column.label(text=f"{readable_volume(rose)} added", icon="IMPORT", translate=False)
    text = f"{100.0 * unaccounted:.1f} % missing from the balance"
    column.label(text=text, icon="CHECKMARK" if unaccounted < _LARGEST_BALANCE_ERROR else "ERROR", translate=False)


CLASSES = (VIEW3D_PT_landscape_relief, VIEW3D_PT_landscape_erosion, VIEW3D_PT_landscape_water)
