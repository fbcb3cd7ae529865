"""The main panel: what to start from, the state of the active land, and its main settings."""

import bpy

from ...core.building.recipe import Recipe
from ...core.foundation.numba_check import known_problem
from ...core.foundation.parameters import parameters_of
from ..data import own_presets
from ..land.importing import next_step
from ..land.lookup import active_land, mode_name, why_settings_are_locked
from ..land.planet_objects import active_planet
from ..operators.generate import LANDSCAPE_OT_generate
from ..operators.worlds import LANDSCAPE_OT_open_world
from ..session.compiling_ahead import notice_panel
from ..session.jobs import Job, describe, running
from ..session.land_states import job_of, problems_of, status_of
from .main_sliders import draw_main_sliders
from .paint_panel import draw_brush
from .parameter_drawing import PLAIN_KINDS, Advanced, draw_parameter, draw_plain
from .readable_text import draw_problems, draw_sentence, letters_across

_BUTTONS = 10  # letters for which Live and the arrows beside it take the room
SIZE_LABELS = {"width": "Size East", "depth": "Size North"}
"""What the panel calls the sides of a land."""


class VIEW3D_PT_landscape(bpy.types.Panel):
    """Start a landscape, or work on the active one"""

    bl_label = "Landscape"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Landscape"

    def draw(self, context: bpy.types.Context) -> None:
        """Show what to start from, long jobs for other lands, and the active land."""
        notice_panel()
        layout = self.layout
        land, is_planet = active_land(context), active_planet(context) is not None
        problem = known_problem()
        if problem:
            draw_sentence(layout, context, problem, "ERROR")
        _draw_start(layout, context.window_manager, is_start=land is None, with_picture=land is None and not is_planet)
        if land is not None:
            _draw_land(layout, context, land)
        elif not is_planet and context.active_object is not None and context.active_object.type == "MESH":
            layout.operator("landscape.plant_on_mesh", icon="OUTLINER_OB_POINTCLOUD")
            layout.operator("landscape.generate_from_mesh", icon="MESH_GRID")
        # Below the sliders, so that none of them jumps.
        for job in running:
            if job.is_long and (land is None or job.task.land != land.session_uid):
                _draw_job(layout, job)


def _draw_start(
    layout: bpy.types.UILayout, window_manager: bpy.types.WindowManager, *, is_start: bool, with_picture: bool
) -> None:
    """Show the choice of presets and the button that makes a landscape; large while there is nothing else to see."""
    preset = window_manager.landscape_preset
    column = layout.column(align=True)
    if with_picture:
        column.template_icon_view(window_manager, "landscape_preset", show_labels=True, scale=7.0, scale_popup=5.0)
    column.prop(window_manager, "landscape_preset", text="")
    row = column.row(align=True)
    row.scale_y = 1.5 if with_picture else 1.0
    own, new = own_presets.own_name(preset), "New Landscape" if is_start else "New"
    if own:
        row.operator("landscape.generate_own", text=new, icon="ADD").name = own
    else:
        row.operator(LANDSCAPE_OT_generate.bl_idname, text=new, icon="ADD").preset = preset
    if not is_start:
        row.operator("landscape.apply_preset", text="Apply", icon="CHECKMARK").name = own or preset
    row.operator(LANDSCAPE_OT_open_world.bl_idname, text="", icon="WORLD_DATA")


def _draw_land(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show the active land: its name, its state and its main settings."""
    title = layout.row(align=True)
    title.prop(land, "name", text="", icon="RNDCURVE")
    title.menu("LANDSCAPE_MT_recipes", text="", icon="PRESET")
    _draw_state(layout, context, land)
    reason = why_settings_are_locked(land)
    if reason:
        draw_sentence(layout, context, reason, "LIBRARY_DATA_DIRECT" if land.library else "ERROR")
    elif land.mode == "WEIGHT_PAINT":
        draw_brush(layout, context, land)
    elif land.mode != "OBJECT":
        layout.operator("object.mode_set", text=f"Leave {mode_name(land)}", icon="OBJECT_DATAMODE").mode = "OBJECT"
    settings = layout.column()
    settings.enabled = reason == ""
    settings.use_property_split = True
    settings.use_property_decorate = True
    recipe, advanced = land.landscape.recipe, Advanced()
    main = settings.column(align=True)
    row = main.row(align=True)
    row.prop(recipe, "seed")
    row.operator("landscape.randomise_seed", text="", icon="UV_SYNC_SELECT")
    # Below each other: side by side Blender has no room for their unit.
    for name, label in SIZE_LABELS.items():
        draw_plain(main, recipe, name, text=label, context=context)
    for parameter in parameters_of(Recipe):
        if parameter.kind in PLAIN_KINDS and not parameter.advanced and parameter.name not in ("seed", *SIZE_LABELS):
            draw_parameter(main, recipe, parameter, "recipe", advanced)
    draw_main_sliders(main, context, land)
    advanced.add(recipe, [p for p in parameters_of(Recipe) if p.advanced], "recipe")
    advanced.draw(settings, "recipe")


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, land: bpy.types.Object) -> None:
    """Show the job at work, or whether the land is up to date.

    It is one row of one height in both cases, so that no slider below it jumps.
    """
    job = job_of(land)
    if job is not None and job.is_long:
        _draw_job(layout, job)
    else:
        row = layout.row(align=True)
        state = status_of(land)
        row.label(text=state or _vertex_count(context, land), icon="TIME" if state else "CHECKMARK")
        buttons = row.row(align=True)
        buttons.alignment = "RIGHT"
        buttons.prop(context.window_manager, "landscape_live", text="Live", toggle=True)
        buttons.operator("landscape.update", text="", icon="FILE_REFRESH")
    draw_problems(layout, context, problems_of(land))
    hint = next_step(land)
    if hint:
        draw_sentence(layout, context, hint, "INFO")


def _draw_job(layout: bpy.types.UILayout, job: Job) -> None:
    """Show a progress bar and the buttons that end the job."""
    row = layout.row(align=True)
    row.progress(factor=1.0 if job.waits else job.progress.fraction, type="BAR", text=describe(job))
    row.operator("landscape.finish_early", text="", icon="CHECKMARK").job = job.number
    row.operator("landscape.cancel", text="", icon="X").job = job.number


def _vertex_count(context: bpy.types.Context, land: bpy.types.Object) -> str:
    """How many vertices a land has, as short as the room beside the buttons asks for."""
    if land.type != "MESH":
        return ""
    number = f"{len(land.data.vertices):,}"
    text = f"{number} vertices"
    return text if len(text) + _BUTTONS <= letters_across(context) else number


CLASSES = (VIEW3D_PT_landscape,)
