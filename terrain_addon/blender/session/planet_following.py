"""Planets follow their recipes while sliders are dragged.

`notice_planet` compares the recipe of a planet with what its mesh shows.  If they differ, the timer of `following`
calls `follow_planets` until all planets show their recipes: a coarse one first, and when the sliders rest, the whole.
"""

import time
from dataclasses import dataclass, field, fields

import bpy

from ...core.planet.planet_recipe import PlanetRecipe
from ..data.planet_data import PlanetDrawing
from ..land.attachments import remember_parts
from ..land.building import stages_to_make
from ..land.lookup import find_object
from ..land.marks import is_preview_mark, preview_mark
from ..land.planet_objects import (
    lacks_parts,
    parts_of,
    planet_mark,
    planets,
    recipe_of_planet,
    show_planet,
    shown_planet_mark,
    standing_on,
)
from . import jobs
from .jobs import Job, Task
from .planet_pace import PlanetPace
from .planet_reading import planet_drawing_steps, planet_steps
from .previews import REST
from .undo_steps import note_shown_by_step, own_step, was_shown_by_step

_FRAME = 0.09  # seconds that the first look after a change may take
_STEP = "Update Planet"  # what a step of undo is called that the timer pushes


@dataclass
class _PlanetState:
    """What the session knows of one planet.

    Attributes
    ----------
    recipe, size
        What it should show; None while its values do not fit together.
    mark : str
        Of that.
    changed : float
        Time of the last change in seconds.
    stopped : str
        Mark of what the user has stopped; it is not tried again before it changes.
    problem : str
        Why it cannot be shown.
    job, job_mark
        The job that computes it, and the mark of what the job will show.
    drawn : PlanetRecipe or None
        What it showed in full last, None before it followed a change.
    pace : PlanetPace
        How fine the first look after a change may be.
    """

    recipe: PlanetRecipe | None = None
    size: float = 0.0
    mark: str = ""
    changed: float = 0.0
    stopped: str = ""
    problem: str = ""
    job: Job | None = None
    job_mark: str = ""
    drawn: PlanetRecipe | None = None
    pace: PlanetPace = field(default_factory=lambda: PlanetPace(_FRAME))


_states: dict[int, _PlanetState] = {}


def notice_planet(planet: bpy.types.Object) -> bool:
    """Check whether the recipe of a planet changed; return whether the planet has to follow it."""
    state = _states.setdefault(planet.session_uid, _PlanetState())
    remember_parts(planet, parts_of(planet))
    try:
        recipe, size = recipe_of_planet(planet)
    except ValueError as error:
        state.recipe, state.problem = None, str(error)
        return False
    mark = planet_mark(recipe, size)
    if mark != state.mark:
        state.recipe, state.size, state.mark = recipe, size, mark
        state.changed, state.problem = time.monotonic(), ""
    return _is_behind(planet, state)


def follow_planets() -> bool:
    """Take one step for every planet; return whether more steps are needed."""
    present = {planet.session_uid: planet for planet in planets()}
    for uid in set(_states) - set(present):
        job = _states.pop(uid).job
        if job is not None:
            job.discard()
    steps = [_follow(present[uid], state) for uid, state in tuple(_states.items())]
    return any(steps)


def waits_for_step() -> bool:
    """Return whether a planet is now as it was just before a step of undo that is the timer's own."""
    live = bpy.context.window_manager.landscape_live
    return any(
        was_shown_by_step(planet.session_uid, state.mark)
        and ((live and _is_behind(planet, state)) or lacks_parts(planet))
        for planet in planets()
        if (state := _states.get(planet.session_uid)) is not None
    )


def planet_status(planet: bpy.types.Object) -> str:
    """Return what the panel says of a planet that does not show its recipe; empty for one that does."""
    state = _states.get(planet.session_uid)
    if state is None or not _is_behind(planet, state):
        return ""
    goes_on = bpy.context.window_manager.landscape_live and not state.problem and state.stopped != state.mark
    return "Refining…" if goes_on else "Out of date"


def planet_problem(planet: bpy.types.Object) -> str:
    """Return why a planet cannot be shown, as a sentence; empty if it can."""
    state = _states.get(planet.session_uid)
    return state.problem if state is not None else ""


def forget_planets() -> None:
    """Forget all planets, before another file is opened."""
    _states.clear()


def _is_behind(planet: bpy.types.Object, state: _PlanetState) -> bool:
    """Whether a planet does not show its recipe, or not in full; a mesh without a mark is taken as it is."""
    return state.recipe is None or shown_planet_mark(planet) not in ("", state.mark) or lacks_parts(planet)


def _follow(planet: bpy.types.Object, state: _PlanetState) -> bool:
    """Take one step for one planet; return whether more steps are needed."""
    if state.job is not None:
        if not state.job.ready:
            if not state.job_mark.endswith(state.mark) and not is_preview_mark(state.job_mark):
                state.job.cancel()
            return True
        _take_result(state, state.job)
    if state.recipe is None or state.problem or state.stopped == state.mark or not _is_behind(planet, state):
        return False
    if not _may_follow(planet):
        return False
    if any(job.task.land == planet.session_uid for job in jobs.running):
        return True
    has_preview = shown_planet_mark(planet) == preview_mark(state.mark)
    if has_preview and time.monotonic() - state.changed < REST:
        return True
    is_again = has_preview or shown_planet_mark(planet) == state.mark
    state.job = Job(_task(planet, state, state.recipe, is_again=is_again))
    state.job.wait(_FRAME)
    if state.job.ready:
        _take_result(state, state.job)
    return True


def _may_follow(planet: bpy.types.Object) -> bool:
    """Whether a planet may change now; a duplicate gets its parts also while *Live* is off."""
    return (
        (bpy.context.window_manager.landscape_live or lacks_parts(planet))
        and planet.mode == "OBJECT"
        and planet.is_editable
        and planet.data.is_editable
    )


def _task(planet: bpy.types.Object, state: _PlanetState, recipe: PlanetRecipe, *, is_again: bool) -> Task:
    """The task that shows a planet: in full if it was seen before, or if that is quick; otherwise as a preview."""
    uid, started, whole = planet.session_uid, time.monotonic(), recipe.resolution
    touched = _touched(state, recipe)
    resolution = whole if is_again else state.pace.choose(touched, whole)
    preview = None if resolution == whole else resolution
    mark = state.job_mark = state.mark if preview is None else preview_mark(state.mark)

    def show(drawing: PlanetDrawing) -> str:
        shown = find_object(uid)
        if shown is not None:
            show_planet(shown, drawing, mark)
        if preview is None:
            state.drawn = recipe
        state.pace.note(touched, resolution, time.monotonic() - started, is_preview=preview is not None)
        return ""

    drawing = planet_drawing_steps(planet_steps(recipe, preview=preview), state.size, standing_on(planet))
    return Task(planet.name, drawing, show, uid)


def _touched(state: _PlanetState, recipe: PlanetRecipe) -> frozenset[str]:
    """What a moved slider touches: parts of the recipe, and stages that have to be computed.

    What cannot be built says why when it is tried.
    """
    parts = (field.name for field in fields(recipe))
    changed = frozenset(name for name in parts if getattr(recipe, name) != getattr(state.drawn, name, None))
    try:
        return changed | stages_to_make(recipe)
    except ValueError:
        return changed


def _take_result(state: _PlanetState, job: Job) -> None:
    """Show the result of a finished job; a whole planet only if its recipe has not changed since."""
    state.job = None
    if job.cancelled and state.job_mark.endswith(state.mark):
        state.stopped = state.mark
    if state.job_mark not in (state.mark, preview_mark(state.mark)) and not is_preview_mark(state.job_mark):
        job.cancel()
    try:
        with own_step(_STEP) as changes:
            job.show()
    except jobs.FAILURES as error:
        if state.job_mark.endswith(state.mark):
            state.problem = str(error)
        return
    if changes.found:
        note_shown_by_step(job.task.land, state.mark)
    shown = find_object(job.task.land)
    if shown is not None:
        remember_parts(shown, parts_of(shown))
