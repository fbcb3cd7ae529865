"""Lands follow their recipes while sliders are dragged.

`notice_change` compares the recipe of a land with what its mesh shows.  If they differ, a timer calls `follow_all`
until all lands show their recipes: a preview first, and when the sliders rest, the whole landscape, which is computed
in a thread.  If the session has the results of all stages already, for example for other years of the same forest, the
whole landscape is shown at once.
"""

import time
from collections.abc import Generator

import bpy

from ...core.building.landscape import Landscape
from ...core.building.recipe import Recipe
from ...core.foundation.progress import Progress
from ..data.mesh_heights import grid_shape
from ..data.properties import read_recipe, write_recipe
from ..data.vertex_weights import forget_weights
from ..land.attachments import (
    lacks_attachments,
    name_attachments,
    own_attachments,
    put_away_attachments,
    remember_attachments,
    shares_attachments,
)
from ..land.building import is_at_hand, landscape_steps
from ..land.drawings import Drawing, draw, drawing_steps
from ..land.features import gather_features, lost_features
from ..land.land_objects import shared_extent_of, update_landscape
from ..land.lookup import find_object, lands, linked_duplicates
from ..land.marks import preview_mark, set_shown_mark, shown_mark
from ..land.planet_objects import planets
from ..look.scenery import aim_again
from ..plants.plant_assets import variant_counts
from . import jobs
from .growth import is_growing
from .jobs import Job, Task
from .land_states import (
    LandState,
    ensure_state,
    is_behind,
    job_of,
    known_shown,
    later_duplicate,
    mark_as_shown,
    states,
    still_shows,
)
from .planet_following import follow_planets, notice_planet, waits_for_step
from .previews import FRAME, REST, gains_by_care, preview_task
from .redrawing import show_progress
from .undo_steps import (
    go_further,
    note_shown_by_step,
    own_step,
    push_owed_step,
    take_arrival,
    was_shown_by_step,
)

_TICK = 0.01  # seconds between two calls of the timer
_PAINT_MODES = ("WEIGHT_PAINT", "VERTEX_PAINT")
_STROKE = "PAINT_OT_"  # how the names of operators that paint begin
_STEP = "Update Landscape"  # what a step of undo is called that the timer pushes


def show_landscape(
    land: bpy.types.Object, landscape: Landscape, asked: Recipe | None = None, drawing: Drawing | None = None
) -> None:
    """Show a landscape in full on a land and its linked duplicates.

    Parameters
    ----------
    land : Object
    landscape : Landscape
    asked : Recipe, optional
        The recipe of the land when the work began.  If it was changed since, the change is kept.
    drawing : Drawing, optional
        Arrays of the landscape; without it they are computed here.
    """
    now = read_recipe(land) if asked is not None else None
    if drawing is None or (drawing.positions is None and not still_shows(land, drawing)):
        # An undo has changed the land since the drawing was begun.
        drawing = draw(landscape)
    for one in (land, *linked_duplicates(land)):
        own_attachments(one)
        if one.data != land.data:
            one.data = land.data
        update_landscape(one, landscape, drawing)
        name_attachments(one)
        mark_as_shown(one, landscape)
    if now is not None and now != asked:
        write_recipe(land, now)
        notice_change(land)


def steps_to_show(
    land: bpy.types.Object, building: Generator[Progress, bool | None, Landscape], recipe: Recipe
) -> Generator[Progress, bool | None, Drawing]:
    """Return the steps that build a recipe and draw the part of it that a land does not show yet."""
    return drawing_steps(building, variant_counts(recipe.ecosystem.species), known_shown(land))


def full_task(land: bpy.types.Object, recipe: Recipe) -> Task:
    """Return the task that builds a recipe and shows all of it on a land."""
    uid = land.session_uid

    def show(drawing: Drawing) -> str:
        land = find_object(uid)
        if land is not None:
            show_landscape(land, drawing.landscape, drawing=drawing)
        return ""

    building = landscape_steps(recipe, shared_extent_of(land), land)
    return Task(land.name, steps_to_show(land, building, recipe), show, uid)


def notice_change(land: bpy.types.Object) -> None:
    """Check whether the recipe of a land changed; if so, let the land follow it."""
    state = ensure_state(land)
    remember_attachments(land)
    try:
        gather_features(land)
        recipe = read_recipe(land)
    except ValueError as error:
        state.wanted, state.problem = None, str(error)
        return
    if state.painted is None and land.type == "MESH":
        state.look_at_paint(land, recipe)
    if recipe != state.wanted:
        state.set_wanted(recipe)
        state.problem = ""
    if land.type == "MESH" and land.data.is_editable and not shown_mark(land):
        # A script or an old version made the mesh without a mark: assume that it shows its recipe.
        set_shown_mark(land, state.wanted_mark)
    if lacks_attachments(land) or is_behind(land, state):
        keep_following()


def notice_paint(land: bpy.types.Object) -> None:
    """Let the timer look whether users painted on the mesh of a land, which has changed."""
    ensure_state(land).may_be_painted = True
    keep_following()


def notice_all() -> None:
    """Check all lands, after Blender changed recipes and meshes without telling handlers: undo, redo, opened files."""
    forget_weights()
    for land in lands():
        notice_change(land)
        notice_paint(land)
    for planet in planets():
        if notice_planet(planet):
            keep_following()


def follow_all() -> float | None:
    """Take one step for every land; return the seconds until the next step, or None if nothing is left to do."""
    push_owed_step(_STEP)
    if _go_past_between_steps():
        return _TICK
    present = {land.session_uid: land for land in lands()}
    for uid in set(states) - set(present):
        job = states.pop(uid).job
        if job is not None:
            job.discard()
    put_away_attachments()
    for land in filter(lost_features, present.values()):
        notice_change(land)
    lacking = [land for land in present.values() if lacks_attachments(land)]
    if lacking:
        with own_step(_STEP):
            for land in lacking:
                own_attachments(land)
    busy = follow_planets()
    # A result that is shown may bring new states, those of linked duplicates.
    for uid, state in tuple(states.items()):
        if uid in present:
            busy = _follow(present[uid], state) or busy
    show_progress()
    return _TICK if busy else None


def keep_following() -> None:
    """Start the timer that calls `follow_all`, if there is a window and the timer does not run."""
    if not bpy.app.background and not bpy.app.timers.is_registered(follow_all):
        bpy.app.timers.register(follow_all, first_interval=0.0)


def stop_following() -> None:
    """Stop the timer."""
    if bpy.app.timers.is_registered(follow_all):
        bpy.app.timers.unregister(follow_all)


def _go_past_between_steps() -> bool:
    """Undo or redo once more if the last one led to a state between two steps; return whether that was done."""
    step, was_further = take_arrival()
    if not step:
        return False
    is_incomplete = any(is_growing(land) and job_of(land) is None for land in lands())
    waits = waits_for_step() or any(map(_waits_for_step, lands()))
    if not is_incomplete and (was_further or not waits):
        return False
    return go_further(step)


def _waits_for_step(land: bpy.types.Object) -> bool:
    """Whether a land is now as it was just before a step of undo that is the timer's own."""
    if shares_attachments(land):
        return True
    state = ensure_state(land)
    is_live = bpy.context.window_manager.landscape_live
    return is_live and is_behind(land, state) and was_shown_by_step(land.session_uid, state.wanted_mark)


def _follow(land: bpy.types.Object, state: LandState) -> bool:
    """Take one step for one land; return whether more steps are needed."""
    if state.job is not None:
        if not state.job.ready:
            if not state.job_goes_on and state.job_mark != state.wanted_mark:
                state.job.cancel()
            return True
        _take_result(state, state.job)
    recipe = state.wanted
    if recipe is not None and state.may_be_painted and land.type == "MESH":
        if _is_painting():
            return True
        if state.look_at_paint(land, recipe):
            state.set_wanted(recipe)
            state.problem = ""
    if recipe is None or state.problem or state.is_stopped or not is_behind(land, state) or not _may_follow(land):
        return False
    if later_duplicate(land, state) is not None:
        return False
    if job_of(land) is not None:
        return True
    try:
        return _start_next(land, state, recipe)
    except ValueError as error:
        state.problem = str(error)
        return False


def _start_next(land: bpy.types.Object, state: LandState, recipe: Recipe) -> bool:
    """Start a preview, or the whole landscape after a rest; return True, because the result must be shown."""
    has_preview = shown_mark(land) == preview_mark(state.wanted_mark)
    careful = has_preview and gains_by_care(state, recipe)
    if has_preview and not careful and time.monotonic() - state.changed < REST:
        return True
    is_full = (has_preview and not careful) or is_at_hand(recipe, shared_extent_of(land), land)
    task = full_task(land, recipe) if is_full else preview_task(land, state, recipe, careful=careful)
    job = state.job = Job(task)
    state.job_mark, state.job_is_full = state.wanted_mark, is_full
    state.job_goes_on = not (is_full or careful)
    job.wait(FRAME)
    if job.ready:
        _take_result(state, job)
    return True


def _may_follow(land: bpy.types.Object) -> bool:
    """Whether a land may change now."""
    return (
        bpy.context.window_manager.landscape_live
        and land.type == "MESH"
        and _may_change_in_mode(land)
        and not is_growing(land)
        and land.is_editable
        and land.data.is_editable
    )


def _may_change_in_mode(land: bpy.types.Object) -> bool:
    """Whether the mode of a land allows a change of its mesh: painted weights show at once, between two strokes."""
    if land.mode not in _PAINT_MODES:
        return bool(land.mode == "OBJECT")
    recipe = ensure_state(land).wanted
    # A new mesh would pull the ground from under the brush.
    return recipe is not None and grid_shape(land.data) == recipe.grid.shape and not _is_painting()


def _is_painting() -> bool:
    """Whether the user is in the middle of a stroke of a brush."""
    windows = bpy.context.window_manager.windows
    return any(_STROKE in one.bl_idname for window in windows for one in window.modal_operators)


def _take_result(state: LandState, job: Job) -> None:
    """Show the result of a finished job; a whole landscape only if the recipe has not changed since."""
    state.job = None
    if job.cancelled and state.job_mark == state.wanted_mark:
        state.stopped_mark = state.job_mark
    if not state.job_goes_on and state.job_mark != state.wanted_mark:
        job.cancel()
    try:
        _show_result(state, job)
    except jobs.FAILURES as error:
        if state.job_mark == state.wanted_mark:
            state.problem = str(error)


def _show_result(state: LandState, job: Job) -> None:
    """Show the result of a finished job; with a step of undo, if there are new data-blocks."""
    if not state.job_is_full or job.cancelled:
        job.show()
        return
    with own_step(_STEP) as changes:
        job.show()
        land = find_object(job.task.land)
        if land is not None:
            aim_again(bpy.context.scene, land)
    if changes.found:
        note_shown_by_step(job.task.land, state.job_mark)
