"""The sidebar tab *Landscape*, and the entry in the Add menu.

A panel shows properties and buttons and computes nothing.  Which properties there are follows from the parameters of
core.
"""

from typing import Any

import bpy

from ..core.ecosystem.dart_throwing import DartThrowing
from ..core.ecosystem.ecosystem import Ecosystem
from ..core.parameters import Parameter, ParameterSet, parameters_of
from ..core.recipe import Recipe
from . import live
from .jobs import describe, running
from .operators.base import active_land
from .operators.generate import LANDSCAPE_OT_generate, preset_items

_PLAIN = ("float", "int", "bool", "text", "path", "choice")


class _LandPanel(bpy.types.Panel):
    """A part of the tab that is there only with a landscape."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"
    bl_parent_id = "VIEW3D_PT_landscape"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a landscape to show."""
        return active_land(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Show the settings of the active landscape."""
        land = active_land(context)
        if land is not None:
            self.layout.use_property_split = True
            self.layout.use_property_decorate = False
            self.draw_recipe(self.layout, land.landscape.recipe)

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show a part of a recipe."""
        raise NotImplementedError


class VIEW3D_PT_landscape(bpy.types.Panel):
    """Start a landscape, or work on the active one"""

    bl_label = "Landscape"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what to start from, and the main settings of the active landscape."""
        layout = self.layout
        _draw_jobs(layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        start = layout.column(align=True)
        start.prop(context.window_manager, "landscape_preset", text="Preset")
        generate = start.row()
        generate.scale_y = 1.5
        generate.operator(
            LANDSCAPE_OT_generate.bl_idname, text="Generate", icon="ADD"
        ).preset = context.window_manager.landscape_preset
        land = active_land(context)
        if land is None:
            return
        box = layout.box()
        box.label(text=land.name, icon="RNDCURVE")
        recipe = land.landscape.recipe
        row = box.row(align=True)
        row.prop(recipe, "seed")
        row.operator("landscape.randomise_seed", text="", icon="FILE_REFRESH")
        for name in ("width", "depth", "resolution"):
            box.prop(recipe, name)
        row = box.row(align=True)
        row.scale_y = 1.3
        row.operator("landscape.update", text="Update", icon="PLAY")
        row.prop(context.window_manager, "landscape_live", text="Live", toggle=True)
        state = live.state_of(land)
        if state:
            box.label(text=state, icon="INFO")


class VIEW3D_PT_landscape_relief(_LandPanel):
    """The shape that the land starts from"""

    bl_label = "Relief"

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show the model, and the parameters of the chosen one."""
        layout.prop(recipe.relief, "model")
        members = {m.model(): m for m in _parameter(Recipe, "relief").members}
        model = recipe.relief.model
        _draw_set(layout, getattr(recipe.relief, model), members[model], "landscape_relief")


class VIEW3D_PT_landscape_erosion(_LandPanel):
    """Processes that work on the land"""

    bl_label = "Erosion"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show one box for each process."""
        member = _parameter(Recipe, "erosion").members[0]
        for number, process in enumerate(recipe.erosion):
            box = layout.box()
            box.label(text=member.model().replace("_", " ").title())
            _draw_set(box, process, member, f"landscape_erosion_{number}")


class VIEW3D_PT_landscape_plants(_LandPanel):
    """What grows where"""

    bl_label = "Plants"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show the buttons, the community and the chosen species."""
        ecosystem = recipe.ecosystem
        row = layout.row(align=True)
        row.operator("landscape.scatter_plants", text="Scatter", icon="OUTLINER_OB_POINTCLOUD")
        row.operator("landscape.clear_plants", text="Clear", icon="TRASH")
        _draw_set(layout, ecosystem, Ecosystem, "landscape_ecosystem")
        _draw_set(layout, ecosystem.throwing, DartThrowing, "landscape_throwing", "Placement")
        layout.template_list(
            "UI_UL_list", "landscape_species", ecosystem, "species", ecosystem, "species_index", rows=3
        )
        if 0 <= ecosystem.species_index < len(ecosystem.species):
            member = _parameter(Ecosystem, "species").members[0]
            _draw_set(layout, ecosystem.species[ecosystem.species_index], member, "landscape_one_species")


class VIEW3D_PT_landscape_look(_LandPanel):
    """Light and colours"""

    bl_label = "Light and Colours"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show where on earth the land lies and how it is coloured."""
        for name in ("illumination", "appearance"):
            member = _parameter(Recipe, name).members[0]
            _draw_set(layout, getattr(recipe, name), member, f"landscape_{name}")


class VIEW3D_PT_landscape_output(_LandPanel):
    """Files for renders and engines"""

    bl_label = "Bake and Export"

    def draw_recipe(self, layout: bpy.types.UILayout, recipe: Any) -> None:
        """Show the buttons."""
        layout.operator("landscape.bake_textures", icon="TEXTURE")
        layout.operator("landscape.export", icon="EXPORT")


def _draw_jobs(layout: bpy.types.UILayout) -> None:
    """One bar for each job at work."""
    for job in running:
        layout.progress(factor=job.progress.fraction, type="BAR", text=describe(job))
    if running:
        row = layout.row(align=True)
        row.operator("landscape.finish_early", icon="CHECKMARK")
        row.operator("landscape.cancel", icon="X")


def _parameter(cls: type[ParameterSet], name: str) -> Parameter:
    return next(p for p in parameters_of(cls) if p.name == name)


def _draw_set(
    layout: bpy.types.UILayout, group: Any, cls: type[ParameterSet], fold: str, title: str = "Advanced"
) -> None:
    """Show the parameters of a set: the main ones, then the others in a fold."""
    declared = parameters_of(cls)
    for parameter in declared:
        if not parameter.advanced:
            _draw_one(layout, group, parameter)
    if any(parameter.advanced for parameter in declared):
        header, body = layout.panel(fold, default_closed=True)
        header.label(text=title)
        if body is not None:
            for parameter in declared:
                if parameter.advanced:
                    _draw_one(body, group, parameter)


def _draw_one(layout: bpy.types.UILayout, group: Any, parameter: Parameter) -> None:
    if parameter.kind in _PLAIN:
        layout.prop(group, parameter.name)
    elif parameter.kind == "curve":
        _draw_curve(layout, group, parameter)


def _draw_curve(layout: bpy.types.UILayout, group: Any, parameter: Parameter) -> None:
    """A curve as four columns, x above y."""
    column = layout.column(align=True)
    unit = f" ({parameter.unit})" if parameter.unit else ""
    column.label(text=f"{parameter.label}{unit}")
    size = len(getattr(group, parameter.name))
    for start in (0, 1):
        row = column.row(align=True)
        for index in range(start, size, 2):
            row.prop(group, parameter.name, index=index, text="", slider=start == 1)


def _draw_add_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    menu.layout.operator_menu_enum(LANDSCAPE_OT_generate.bl_idname, "preset", text="Landscape", icon="RNDCURVE")


CLASSES = (
    VIEW3D_PT_landscape,
    VIEW3D_PT_landscape_relief,
    VIEW3D_PT_landscape_erosion,
    VIEW3D_PT_landscape_plants,
    VIEW3D_PT_landscape_look,
    VIEW3D_PT_landscape_output,
)


def register() -> None:
    """Register panels, the menu entry, and what the start panel remembers."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.WindowManager.landscape_preset = bpy.props.EnumProperty(
        name="Preset", description="Kind of land that Generate makes", items=preset_items()
    )
    bpy.types.VIEW3D_MT_mesh_add.append(_draw_add_menu)


def unregister() -> None:
    """Take them away again."""
    bpy.types.VIEW3D_MT_mesh_add.remove(_draw_add_menu)
    del bpy.types.WindowManager.landscape_preset
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
