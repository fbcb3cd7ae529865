"""The panel of planets: make one, and the settings of the active one."""

import bpy

from ...core.foundation.parameters import menu_name, parameters_of
from ...core.planet.planet_recipe import PlanetRecipe
from ..land.planet_objects import active_planet, why_no_planet
from ..look.space import PLANET_VIEWS
from ..operators.planets import LANDSCAPE_OT_import_planet, LANDSCAPE_OT_new_planet
from ..session.planet_following import planet_problem, planet_status
from .parameter_drawing import PLAIN_KINDS, Advanced, draw_parameter
from .readable_text import draw_problems

_FOLD = "planet"


class VIEW3D_PT_landscape_new_planet(bpy.types.Panel):
    """Make a planet"""

    bl_label = "Planet"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether no planet is active."""
        return active_planet(context) is None

    def draw(self, context: bpy.types.Context) -> None:
        """Show the button that makes a planet."""
        _draw_choice(self.layout, context.window_manager, with_picture=True)


class VIEW3D_PT_landscape_planet(bpy.types.Panel):
    """Work on the active planet; it is open, wherever the planet was made"""

    bl_label = "Planet"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether a planet is active."""
        return active_planet(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Show the settings of the active planet, and the button that makes another one."""
        planet = active_planet(context)
        if planet is not None:
            _draw_planet(self.layout, context, planet)
        self.layout.separator()
        _draw_choice(self.layout, context.window_manager, with_picture=False)


def _draw_choice(layout: bpy.types.UILayout, window_manager: bpy.types.WindowManager, *, with_picture: bool) -> None:
    """Show the choice of planets and the button that makes one."""
    column = layout.column(align=True)
    if with_picture:
        column.template_icon_view(
            window_manager, "landscape_planet_preset", show_labels=True, scale=7.0, scale_popup=5.0
        )
    column.prop(window_manager, "landscape_planet_preset", text="")
    button = column.operator(LANDSCAPE_OT_new_planet.bl_idname, icon="ADD")
    button.preset = window_manager.landscape_planet_preset
    layout.operator(LANDSCAPE_OT_import_planet.bl_idname, icon="IMPORT")


def _draw_planet(layout: bpy.types.UILayout, context: bpy.types.Context, planet: bpy.types.Object) -> None:
    """Show the name of a planet, what can be done with it, and its recipe."""
    row = layout.row(align=True)
    row.prop(planet, "name", text="", icon="WORLD")
    _draw_state(layout, context, planet)
    views = layout.row(align=True)
    views.label(text="", icon="CAMERA_DATA")
    for view in PLANET_VIEWS:
        # No icons and one word each, which fit a sidebar of the usual width.
        views.operator("landscape.view_planet", text=menu_name(view)).view = view
    column = layout.column(align=True)
    column.operator("landscape.landscape_here", icon="RNDCURVE")
    column.operator("landscape.export_planet", icon="EXPORT")
    settings = layout.column()
    settings.enabled = why_no_planet(context) == ""
    settings.use_property_split = True
    settings.use_property_decorate = False
    recipe, advanced = planet.landscape_planet.recipe, Advanced()
    row = settings.row(align=True)
    row.prop(recipe, "seed")
    row.operator("landscape.randomise_planet", text="", icon="UV_SYNC_SELECT")
    settings.prop(planet.landscape_planet, "size")
    settings.prop(planet.landscape_planet, "radius_km")
    declared = [one for one in parameters_of(PlanetRecipe) if one.name not in ("seed", "radius")]
    for parameter in declared:
        if parameter.kind in PLAIN_KINDS and not parameter.advanced:
            draw_parameter(settings, recipe, parameter, _FOLD, advanced)
    for parameter in declared:
        if parameter.kind == "group":
            draw_parameter(settings, recipe, parameter, _FOLD, advanced)
    advanced.add(recipe, [one for one in declared if one.advanced], _FOLD)
    advanced.draw(settings, _FOLD)


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, planet: bpy.types.Object) -> None:
    """Show whether the planet is up to date, or why it cannot be."""
    row = layout.row(align=True)
    state = planet_status(planet)
    row.label(text=state or f"{len(planet.data.vertices):,} vertices", icon="TIME" if state else "CHECKMARK")
    buttons = row.row(align=True)
    buttons.alignment = "RIGHT"
    buttons.prop(context.window_manager, "landscape_live", text="Live", toggle=True)
    buttons.operator("landscape.update_planet", text="", icon="FILE_REFRESH")
    problem = planet_problem(planet)
    draw_problems(layout, context, (problem,) if problem else ())
