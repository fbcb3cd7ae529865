"""What the session knows of each land: which recipe it should show, what it shows, and why the two may differ.

The mark of the recipe that a mesh shows is stored on the mesh (see `land.marks`), so that it stays true through undo,
files and copies.  A land that does not show its recipe yet always has a status; see `status_of`.
"""

import time
from dataclasses import dataclass, field

import bpy

from ...core.building.landscape import Landscape
from ...core.building.recipe import Appearance, ExtraMaps, Recipe
from ...core.direction.road_course import RoadCourse
from ...core.ecosystem.ecosystem import Ecosystem
from ..land.attachments import forget_attachments, remember_attachments
from ..land.drawings import Drawing, Shown
from ..land.features import feature_faults
from ..land.inputs import painted_digest
from ..land.lookup import linked_duplicates, why_settings_are_locked
from ..land.marks import marks_of, recipe_mark, set_ground_mark, set_shown_mark, shown_mark
from ..look import map_view
from . import jobs
from .jobs import Job


@dataclass
class LandState:
    """What is known of one land.

    Attributes
    ----------
    wanted : Recipe or None
        The recipe in the panel; None while its values do not fit together.
    wanted_mark : str
        Mark of `wanted` with what was painted.
    painted : str or None
        Digest of what was painted on the land, as known; None while nobody has looked.
    painted_vertices : int
        Vertices of the mesh when it was looked at.
    may_be_painted : bool
        Whether the mesh changed since then, so that the timer looks again.
    changed : float
        Time of the last change of `wanted`, in seconds.
    stopped_mark : str
        Mark of the recipe whose work the user has stopped; it is not tried again before the recipe changes.
    problem : str
        Why `wanted` cannot be shown; it is not tried again before it changes.
    job, job_mark
        The job that computes the land, and the mark of its recipe.
    job_is_full : bool
        Whether the job computes everything and not only a preview.
    job_goes_on : bool
        Whether the job is shown even if the recipe has changed meanwhile: only a quick preview is.
    careful_mark : str
        Mark of the recipe whose careful preview was shown last.
    preview_resolution : int
        Samples from west to east of slow previews.
    ground : Recipe or None
        The recipe that was last shown in full, without the settings that do not change the ground.
    warnings : tuple of str
        About the landscape that was last shown in full.
    roads : tuple of RoadCourse
        Of that landscape.
    shown : Shown
        What the objects show of that landscape, as long as the marks on their meshes are `shown_marks`.
    shown_marks : tuple of str
        Marks on the meshes when `shown` was stored.
    """

    wanted: Recipe | None = None
    wanted_mark: str = ""
    changed: float = 0.0
    stopped_mark: str = ""
    problem: str = ""
    job: Job | None = None
    job_mark: str = ""
    job_is_full: bool = False
    job_goes_on: bool = False
    careful_mark: str = ""
    preview_resolution: int = 257
    ground: Recipe | None = None
    warnings: tuple[str, ...] = ()
    roads: tuple[RoadCourse, ...] = ()
    shown: Shown = field(default_factory=Shown)
    shown_marks: tuple[str, ...] = ()
    painted: str | None = None
    painted_vertices: int = 0
    may_be_painted: bool = False

    def set_wanted(self, recipe: Recipe) -> None:
        """Set the recipe that the land should show."""
        self.wanted, self.changed, self.stopped_mark = recipe, time.monotonic(), ""
        self.wanted_mark = recipe_mark(recipe, self.painted or "")

    @property
    def is_stopped(self) -> bool:
        """Whether the user has stopped the work for the recipe in the panel."""
        return self.stopped_mark == self.wanted_mark != ""

    def look_at_paint(self, land: bpy.types.Object, recipe: Recipe) -> bool:
        """Look at what was painted on a land; return whether it is different from what was known.

        In Edit Mode Blender keeps the values elsewhere, so the look waits until the user leaves it.
        """
        if land.data.is_editmode:
            return False
        before = self.painted
        self.painted, self.may_be_painted = painted_digest(recipe, land), False
        self.painted_vertices = len(land.data.vertices)
        return self.painted != before


states: dict[int, LandState] = {}
"""What is known of each land, by its session uid."""


def ensure_state(land: bpy.types.Object) -> LandState:
    """Return the state of a land; a new one if nothing is known of it."""
    return states.setdefault(land.session_uid, LandState())


def is_behind(land: bpy.types.Object, state: LandState) -> bool:
    """Return whether a land does not show its recipe, or not in full."""
    return state.wanted is None or shown_mark(land) not in ("", state.wanted_mark)


def later_duplicate(land: bpy.types.Object, state: LandState) -> bpy.types.Object | None:
    """Return a linked duplicate that was changed later and does not show that yet: the land will show it, too."""
    for other in linked_duplicates(land):
        known = states.get(other.session_uid)
        if known is not None and known.changed > state.changed and is_behind(other, known):
            return other
    return None


def status_of(land: bpy.types.Object) -> str:
    """Return what the panel says of a land that does not show its recipe; empty for one that does."""
    state = states.get(land.session_uid)
    if state is None or not is_behind(land, state):
        return ""
    awaited = later_duplicate(land, state)
    if awaited is not None:
        return status_of(awaited)
    is_live = bpy.context.window_manager.landscape_live and not why_settings_are_locked(land)
    goes_on = is_live and not state.problem and not state.is_stopped
    return "Refining…" if goes_on else "Out of date"


def is_stale(land: bpy.types.Object, what: str) -> bool:
    """Return whether the ground or the plants that a land shows differ from its recipe.

    Parameters
    ----------
    land : Object
    what : {'ground', 'plants'}
        The ground with its water and maps, or the plants.
    """
    state = states.get(land.session_uid)
    if state is None or not is_behind(land, state):
        return False
    return what == "plants" or state.wanted is None or state.ground != ground_recipe(state.wanted)


def problems_of(land: bpy.types.Object) -> tuple[str, ...]:
    """Return why a land cannot be shown, or the warnings about what is missing from it, as sentences."""
    state = states.get(land.session_uid)
    if state is None:
        return ()
    return (state.problem,) if state.problem else (*feature_faults(land), *state.warnings)


def job_of(land: bpy.types.Object) -> Job | None:
    """Return the running job of a land, if there is one."""
    return next((job for job in jobs.running if job.task.land == land.session_uid), None)


def mark_as_shown(land: bpy.types.Object, landscape: Landscape) -> None:
    """Store that a land shows a landscape in full."""
    state = ensure_state(land)
    if state.painted is None or bpy.app.background or state.painted_vertices != len(land.data.vertices):
        state.look_at_paint(land, landscape.recipe)
    state.set_wanted(landscape.recipe)
    state.problem = ""
    state.ground, state.warnings = ground_recipe(landscape.recipe), landscape.warnings
    state.roads = landscape.roads
    set_shown_mark(land, state.wanted_mark)
    set_ground_mark(land, landscape.terrain_key)
    state.shown_marks = marks_of(land)
    state.shown = Shown(landscape)
    remember_attachments(land)
    map_view.recolour_map(land)


def shows_what_is_known(land: bpy.types.Object) -> bool:
    """Return whether the meshes of a land are as they were when it was last shown in full."""
    state = states.get(land.session_uid)
    return state is not None and state.shown_marks == marks_of(land)


def known_shown(land: bpy.types.Object) -> Shown:
    """Return what a land and its linked duplicates are known to show.

    That is nothing if a mesh of one of them changed since, for example by an undo.
    """
    if all(map(shows_what_is_known, (land, *linked_duplicates(land)))):
        return states[land.session_uid].shown
    return Shown()


def still_shows(land: bpy.types.Object, drawing: Drawing) -> bool:
    """Return whether a land and its linked duplicates still show what a drawing leaves out."""
    shown = known_shown(land)
    if not shown.has_ground_of(drawing.landscape):
        return False
    return (
        drawing.plants is not None
        or not drawing.landscape.plants
        or (shown.has_plants_of(drawing.landscape) and all(map(_has_wanted_plants, (land, *linked_duplicates(land)))))
    )


def ground_recipe(recipe: Recipe) -> Recipe:
    """Return a recipe with defaults for all settings that do not change the ground."""
    return recipe.replace(ecosystem=Ecosystem(), appearance=Appearance(), extra_maps=ExtraMaps())


def forget_lands() -> None:
    """Forget all lands, before another file is opened."""
    states.clear()
    forget_attachments()


def _has_wanted_plants(land: bpy.types.Object) -> bool:
    """Whether a land has an object for its plants, if plants grow on it."""
    return land.landscape.plants is not None or not land.landscape.is_planted
