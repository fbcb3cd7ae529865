"""The panel of planets: make one, and the settings of the active one."""

import bpy

from ...core.foundation.parameters import parameters_of
from ...core.planet.planet_recipe import PlanetRecipe
from ..land.planet_objects import active_planet, why_no_planet
from ..look.space import PLANET_VIEWS
from ..operators.planets import LANDSCAPE_OT_new_planet
from .parameter_drawing import PLAIN_KINDS, draw_advanced, draw_parameter

_FOLD = "planet"


class VIEW3D_PT_landscape_planet(bpy.types.Panel):
    """Make a planet, or work on the active one"""

    bl_label = "Planet"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Show the button that makes a planet, and the settings of the active planet."""
        layout = self.layout
        layout.operator_menu_enum(LANDSCAPE_OT_new_planet.bl_idname, "preset", icon="WORLD")
        planet = active_planet(context)
        if planet is not None:
            _draw_planet(layout, context, planet)


def _draw_planet(layout: bpy.types.UILayout, context: bpy.types.Context, planet: bpy.types.Object) -> None:
    """Show the name of a planet, what can be done with it, and its recipe."""
    row = layout.row(align=True)
    row.prop(planet, "name", text="", icon="WORLD")
    row.operator("landscape.update_planet", text="", icon="FILE_REFRESH")
    views = layout.row(align=True)
    for view in PLANET_VIEWS:
        views.operator("landscape.view_planet", text=f"From {view.title()}", icon="CAMERA_DATA").view = view
    settings = layout.column()
    settings.enabled = why_no_planet(context) == ""
    settings.use_property_split = True
    settings.use_property_decorate = False
    recipe = planet.landscape_planet.recipe
    row = settings.row(align=True)
    row.prop(recipe, "seed")
    row.operator("landscape.randomise_planet", text="", icon="FILE_REFRESH")
    settings.prop(planet.landscape_planet, "size")
    declared = [one for one in parameters_of(PlanetRecipe) if one.name != "seed"]
    for parameter in declared:
        if parameter.kind in PLAIN_KINDS and not parameter.advanced:
            draw_parameter(settings, recipe, parameter, _FOLD)
    for parameter in declared:
        if parameter.kind == "group":
            draw_parameter(settings, recipe, parameter, _FOLD)
    draw_advanced(settings, recipe, [one for one in declared if one.advanced], _FOLD)


CLASSES = (VIEW3D_PT_landscape_planet,)
