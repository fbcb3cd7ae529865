"""The land follows its sliders while they are dragged.

A handler notices that the recipe of a landscape differs from what its mesh shows.  A quick look follows within a frame
or two: the new land at a resolution that can be computed in that time, laid over the mesh, with its water as coarse;
plants stand on whatever the land is.  When the sliders rest, the whole landscape is computed in a thread and shown; at
once if the session has its parts already, as when years of a forest that has grown go by.

Which recipe a mesh shows is written on the mesh itself, so that it stays true through undo, files and copies; what is
not yet shown is always marked: see `state_of`.
"""

import atexit
import hashlib
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...core.building.landscape import Landscape
from ...core.building.recipe import Appearance, ExtraMaps, Recipe
from ...core.ecosystem.ecosystem import Ecosystem
from ...core.flow.water import find_water
from ...core.foundation.progress import Progress
from ...core.meshing.water_mesh import WaterMesh, make_water_mesh
from ..data.properties import read_recipe, write_recipe
from ..land import family
from ..land.building import is_at_hand, landscape_steps
from ..land.drawings import Drawing, Shown, draw, drawing_steps
from ..land.family import lands
from ..land.land_objects import extent_of, show_surface, update_landscape
from ..land.water_objects import set_water
from ..look import map_view
from ..plants.plant_assets import variant_counts
from . import jobs
from .jobs import Job, Task

_REST = 0.35  # seconds without a change after which the whole landscape is computed
_TICK = 0.01
_FRAME = 0.045  # seconds that a quick look may take, and that the window waits for it
_BAR = 100  # steps of a progress bar
_COARSEST = 129
_COARSE_WATER = 257  # most samples from west to east of the land that water is found on for a quick look

# Custom property of a mesh: the mark of the recipe that it shows, with _QUICK before it if only as a quick look.
_SHOWN = "landscape_shown"
_QUICK = "quick look at "
# Custom property of a land whose plants are still to come: its own session uid, so that copies do not have it.
_GROWING = "landscape_growing"


@dataclass
class _Follower:
    """What is known of one landscape that may have to follow its recipe.

    Attributes
    ----------
    wanted : Recipe or None
        What the panel says; None while that makes no sense.
    mark : str
        Of `wanted`.
    changed : float
        When it last changed.
    trouble : str
        Why it cannot be shown; not tried again before it changes.
    job, job_mark
        What is being computed for it, and for which recipe.
    job_is_whole : bool
        Whether that is more than a quick look.
    coarse : int
        Resolution of quick looks.
    ground : Recipe or None
        The recipe that was last shown in full, without what leaves the ground as it is.
    warnings : tuple of str
        About the landscape that was last shown in full.
    shown : Shown
        What of that landscape its objects still show, as long as the mesh is marked with `shown_mark`.
    shown_mark : str
    """

    wanted: Recipe | None = None
    mark: str = ""
    changed: float = 0.0
    trouble: str = ""
    job: Job | None = None
    job_mark: str = ""
    job_is_whole: bool = False
    coarse: int = 257
    ground: Recipe | None = None
    warnings: tuple[str, ...] = ()
    shown: Shown = field(default_factory=Shown)
    shown_mark: str = ""


_followers: dict[int, _Follower] = {}
_rendering = False
_said: object = None


def show(
    land: bpy.types.Object, landscape: Landscape, asked: Recipe | None = None, drawing: Drawing | None = None
) -> None:
    """Show a landscape in full on a land and its linked duplicates.

    Parameters
    ----------
    land : Object
    landscape : Landscape
    asked : Recipe, optional
        What the land's recipe was when the work began: if it was changed meanwhile, the change stays.
    drawing : Drawing, optional
        Of the landscape; without, it is made here.
    """
    now = read_recipe(land) if asked is not None else None
    if drawing is None or (drawing.positions is None and not _shows(land, drawing)):
        # An undo came in between.
        drawing = draw(landscape)
    for one in (land, *_twins(land)):
        family.claim(one)
        one.data = land.data
        update_landscape(one, landscape, drawing)
        is_current(one, landscape)
    if now is not None and now != asked:
        write_recipe(land, now)
        notice(land)


def steps_to_show(
    land: bpy.types.Object, building: Generator[Progress, bool | None, Landscape], recipe: Recipe
) -> Generator[Progress, bool | None, Drawing]:
    """Return the steps of building a recipe and drawing what of it a land does not show yet; see `show`."""
    follower = _followers.get(land.session_uid)
    still = follower is not None and follower.shown_mark == shown_mark(land) != ""
    shown = follower.shown if follower is not None and still else Shown()
    return drawing_steps(building, variant_counts(recipe.ecosystem.species), shown)


def is_current(land: bpy.types.Object, landscape: Landscape) -> None:
    """Note that a land shows a landscape in full."""
    follower = _followers.setdefault(land.session_uid, _Follower())
    follower.wanted, follower.mark, follower.trouble = landscape.recipe, mark_of(landscape.recipe), ""
    follower.ground, follower.warnings = _ground_of(landscape.recipe), landscape.warnings
    land.data[_SHOWN] = follower.shown_mark = follower.mark
    follower.shown = Shown(landscape)
    family.remember(land)
    map_view.refresh(land)


def state_of(land: bpy.types.Object) -> str:
    """Return what is to be said of a land that does not show its recipe: that it is on its way, or is not."""
    follower = _followers.get(land.session_uid)
    if follower is None or not _is_behind(land, follower):
        return ""
    return "Refining…" if bpy.context.window_manager.landscape_live and not follower.trouble else "Out of date"


def is_stale(land: bpy.types.Object, part: str) -> bool:
    """Return whether a part of what a land shows is not, or not yet, as its recipe says.

    Parameters
    ----------
    part : {'ground', 'plants'}
        The ground with its water and maps, or what grows on it.
    """
    follower = _followers.get(land.session_uid)
    if follower is None or not _is_behind(land, follower):
        return False
    return part == "plants" or follower.wanted is None or follower.ground != _ground_of(follower.wanted)


def trouble_of(land: bpy.types.Object) -> tuple[str, ...]:
    """Return why a land cannot be shown, or else what had to be left out of it, as sentences."""
    follower = _followers.get(land.session_uid)
    if follower is None:
        return ()
    return (follower.trouble,) if follower.trouble else follower.warnings


def job_of(land: bpy.types.Object) -> Job | None:
    """Return the job that computes a land, if there is one."""
    return next((job for job in jobs.running if job.task.land == land.session_uid), None)


def shown_mark(land: bpy.types.Object) -> str:
    """Return a mark of what the mesh of a land shows: it changes with it."""
    return "" if land.data is None else str(land.data.get(_SHOWN, ""))


def mark_of(recipe: Recipe) -> str:
    """Return the mark of a recipe that a mesh shows in full."""
    return hashlib.sha256(recipe.dumps().encode()).hexdigest()


def notice(land: bpy.types.Object) -> None:
    """Look whether the recipe of a land changed, and follow it if so."""
    follower = _followers.setdefault(land.session_uid, _Follower())
    family.remember(land)
    try:
        recipe = read_recipe(land)
    except ValueError as error:
        follower.wanted, follower.trouble = None, str(error)
        return
    if recipe != follower.wanted:
        follower.wanted, follower.mark, follower.changed = recipe, mark_of(recipe), time.monotonic()
        follower.trouble = ""
    if land.type == "MESH" and land.data.is_editable and not shown_mark(land):
        # A script made it, or a version that did not mark its meshes: it shows what it says.
        land.data[_SHOWN] = follower.mark
    if family.is_shared(land) or _is_behind(land, follower):
        _keep_ticking()


def look_after() -> float | None:
    """Take one step for all landscapes; return when to take the next one, None when there is nothing to do."""
    there = {land.session_uid: land for land in lands()}
    for uid in set(_followers) - set(there):
        job = _followers.pop(uid).job
        if job is not None:
            job.discard()
    family.bury(there)
    busy = False
    for uid, follower in _followers.items():
        if uid in there:
            family.claim(there[uid])
            busy = _follow(there[uid], follower) or busy
    show_progress()
    return _TICK if busy else None


def begin_growth(uid: int) -> None:
    """Note that a new land is not complete: undo and redo go past it until `end_growth`."""
    land = find_object(uid)
    if land is not None:
        land[_GROWING] = uid


def end_growth(uid: int) -> None:
    """Note that a new land is as complete as it is going to be."""
    land = find_object(uid)
    if land is not None:
        land.pop(_GROWING, None)


def _is_growing(land: bpy.types.Object) -> bool:
    return bool(land.get(_GROWING) == land.session_uid)


def find_object(uid: int) -> bpy.types.Object | None:
    """Return the object with this session uid, None if it is gone; pointers to it do not survive an undo."""
    return next((o for o in bpy.data.objects if o.session_uid == uid), None)


def show_progress() -> None:
    """Let all 3D views say how far jobs are and what lands show, if that is not what they say already."""
    global _said
    now = [(job.number, job.is_long, jobs.describe(job), round(_BAR * job.progress.fraction)) for job in jobs.running]
    said = (now, [state_of(land) for land in lands()])
    if said != _said:
        _said = said
        redraw_sidebars()


def redraw_sidebars() -> None:
    """Draw the sidebars of all 3D views anew."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


# --- following --------------------------------------------------------------------------------------------------------


def _keep_ticking() -> None:
    if not bpy.app.background and not bpy.app.timers.is_registered(look_after):
        bpy.app.timers.register(look_after, first_interval=0.0)


def _is_behind(land: bpy.types.Object, follower: _Follower) -> bool:
    return follower.wanted is None or shown_mark(land) not in ("", follower.mark)


def _follow(land: bpy.types.Object, follower: _Follower) -> bool:
    """Take one step towards what is wanted; return whether there is more to do."""
    job, recipe = follower.job, follower.wanted
    if job is not None:
        if not job.done:
            if follower.job_is_whole and follower.job_mark != follower.mark:
                job.cancel()
            return True
        _take_result(follower, job)
    if recipe is None or follower.trouble or not _is_behind(land, follower) or not _may_follow(land):
        return False
    if any(
        twin.session_uid in _followers and _followers[twin.session_uid].changed > follower.changed
        for twin in _twins(land)
    ):
        # The other one was changed later: this one will be as it is.
        return False
    if job_of(land) is not None:
        return True
    try:
        is_seen = shown_mark(land) == _QUICK + follower.mark
        if is_seen and time.monotonic() - follower.changed < _REST:
            return True
        if is_seen or is_at_hand(recipe, extent_of(land), land):
            job = _start(follower, _whole(land, recipe), whole=True)
        else:
            job = _start(follower, _glimpse(land, follower, recipe), whole=False)
        job.wait(_FRAME)
        if job.done:
            _take_result(follower, job)
    except ValueError as error:
        follower.trouble = str(error)
        return False
    return True


def _twins(land: bpy.types.Object) -> list[bpy.types.Object]:
    """Other landscapes on the same mesh, which linked duplicates are."""
    if land.data is None or land.data.users < 2:
        return []
    return [other for other in lands() if other != land and other.data == land.data and other.is_editable]


def _may_follow(land: bpy.types.Object) -> bool:
    return (
        bpy.context.window_manager.landscape_live
        and land.type == "MESH"
        and land.mode == "OBJECT"
        and not _is_growing(land)
        and land.is_editable
        and land.data.is_editable
    )


def _start(follower: _Follower, task: Task, *, whole: bool) -> Job:
    job = follower.job = Job(task)
    follower.job_mark, follower.job_is_whole = follower.mark, whole
    return job


def _take_result(follower: _Follower, job: Job) -> None:
    """Show what a job that is done has made; a whole landscape only if nothing else is wanted by now."""
    follower.job = None
    if follower.job_is_whole and follower.job_mark != follower.mark:
        job.cancel()
    try:
        job.show()
    except jobs.FAILURES as error:
        if follower.job_mark == follower.mark:
            follower.trouble = str(error)


@dataclass(frozen=True)
class _Glimpse:
    """The surface of a land only, coarse enough to be there in a frame, and its water, coarser still."""

    landscape: Landscape
    water: WaterMesh | None


def _glimpse(land: bpy.types.Object, follower: _Follower, recipe: Recipe) -> Task:
    """A quick look; exact where that is soon enough."""
    mark, uid = follower.mark, land.session_uid
    known = follower.ground == _ground_of(recipe)
    slow = any(process.enabled for process in recipe.erosion) and not is_at_hand(recipe, "terrain", land)
    resolution = min(follower.coarse, recipe.resolution) if slow else recipe.resolution
    started = time.monotonic()

    def show_quickly(glimpse: _Glimpse) -> str:
        seconds = time.monotonic() - started
        if resolution < recipe.resolution or seconds > _FRAME:
            share = (_FRAME / max(seconds, 1e-3)) ** 0.5
            follower.coarse = round(min(max(follower.coarse * share, _COARSEST), recipe.resolution))
        land = find_object(uid)
        if land is not None:
            if not known:
                show_surface(land, glimpse.landscape.terrain.surface, recipe.grid)
            if glimpse.water is not None:
                for one in (land, *_twins(land)):
                    set_water(one, glimpse.water)
            if not known:
                follower.shown = Shown()
            elif follower.shown_mark == shown_mark(land):
                follower.shown_mark = _QUICK + mark
            land.data[_SHOWN] = _QUICK + mark
        return ""

    def steps_at(resolution: int) -> Generator[Progress, bool | None, Landscape]:
        return landscape_steps(recipe.replace(resolution=resolution), "terrain", land, passes=True)

    water_resolution = min(resolution, _COARSE_WATER)
    for_water = None if known or water_resolution == resolution else steps_at(water_resolution)
    return Task("Preview", _look(steps_at(resolution), for_water, known), show_quickly, uid)


def _look(
    building: Generator[Progress, bool | None, Landscape],
    for_water: Generator[Progress, bool | None, Landscape] | None,
    known: bool,
) -> Generator[Progress, bool | None, _Glimpse]:
    landscape = yield from building
    if known:
        return _Glimpse(landscape, None)
    coarse = landscape if for_water is None else (yield from for_water)
    terrain = coarse.terrain
    waters = find_water(terrain.surface, terrain.cell_size, coarse.recipe.water)
    return _Glimpse(landscape, make_water_mesh(terrain, waters))


def _whole(land: bpy.types.Object, recipe: Recipe) -> Task:
    uid = land.session_uid

    def show_whole(drawing: Drawing) -> str:
        land = find_object(uid)
        if land is not None:
            show(land, drawing.landscape, drawing=drawing)
        return ""

    return Task(land.name, steps_to_show(land, landscape_steps(recipe, extent_of(land), land), recipe), show_whole, uid)


def _shows(land: bpy.types.Object, drawing: Drawing) -> bool:
    """Whether a land still shows what a drawing leaves out."""
    follower = _followers.get(land.session_uid)
    if (
        follower is None
        or follower.shown_mark != shown_mark(land)
        or not follower.shown.has_ground_of(drawing.landscape)
    ):
        return False
    plants = land.landscape.plants
    return (
        drawing.plants is not None
        or not drawing.landscape.plants
        or (plants is not None and follower.shown.has_plants_of(drawing.landscape))
    )


def _ground_of(recipe: Recipe) -> Recipe:
    """A recipe without what leaves the ground as it is."""
    return recipe.replace(ecosystem=Ecosystem(), appearance=Appearance(), extra_maps=ExtraMaps())


# --- animation --------------------------------------------------------------------------------------------------------


def _show_frame(land: bpy.types.Object, recipe: Recipe) -> None:
    """Show an animated land as it is at this frame: a quick look in playback, everything in a render."""
    follower = _followers.setdefault(land.session_uid, _Follower())
    if recipe != follower.wanted:
        follower.wanted, follower.mark, follower.changed = recipe, mark_of(recipe), time.monotonic()
    if not _is_behind(land, follower):
        return
    if _rendering or bpy.app.background:
        _whole(land, recipe).run()
    elif shown_mark(land) != _QUICK + follower.mark:
        _glimpse(land, follower, recipe).run()
        _keep_ticking()


def _is_animated(land: bpy.types.Object) -> bool:
    data = land.animation_data
    return data is not None and (data.action is not None or len(data.drivers) > 0)


# --- handlers ---------------------------------------------------------------------------------------------------------


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if bpy.app.background:
        return
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Object) and update.id.original.landscape.is_landscape:
            notice(update.id.original)
    if _followers and depsgraph.id_type_updated("COLLECTION"):
        # Something came or went; what, is found out when Blender is done with it.
        _keep_ticking()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    for land in scene.objects:
        if land.landscape.is_landscape and _is_animated(land) and land.type == "MESH":
            try:
                # While rendering, only the evaluated copy has the values of the frame.
                _show_frame(land, read_recipe(land.evaluated_get(depsgraph)))
            except jobs.FAILURES as error:
                _followers.setdefault(land.session_uid, _Follower()).trouble = str(error)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_render(*_: object) -> None:
    global _rendering
    _rendering = True


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_render(*_: object) -> None:
    global _rendering
    _rendering = False


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_load(*_: object) -> None:
    jobs.stop_all()
    _forget()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_load(*_: object) -> None:
    for land in lands():
        if land.is_editable:
            land.pop(_GROWING, None)
    _notice_all()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    _notice_all()
    _go_past_growth("undo")


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_redo(*_: object) -> None:
    _notice_all()
    _go_past_growth("redo")


def _notice_all() -> None:
    """After a file was loaded, and after undo and redo: they change recipes and meshes without a word."""
    for land in lands():
        notice(land)


def _go_past_growth(step: str) -> None:
    """Take another step of undo or redo where this one led to a land that was waiting for its plants."""

    def go_on() -> None:
        if any(_is_growing(land) and job_of(land) is None for land in lands()):
            getattr(bpy.ops.ed, step)()

    if not bpy.app.background:
        # A moment later, because now Blender is still busy with the first.
        bpy.app.timers.register(go_on)


def _forget() -> None:
    _followers.clear()
    family.forget()


def _handlers() -> list[tuple[Any, Callable[..., None]]]:
    events = bpy.app.handlers
    return [
        (events.depsgraph_update_post, _on_change),
        (events.frame_change_post, _on_frame),
        (events.render_init, _before_render),
        (events.render_complete, _after_render),
        (events.render_cancel, _after_render),
        (events.load_pre, _before_load),
        (events.load_post, _after_load),
        (events.undo_post, _after_undo),
        (events.redo_post, _after_redo),
    ]


def register() -> None:
    """Start to follow."""
    bpy.types.WindowManager.landscape_live = bpy.props.BoolProperty(
        name="Live", description="Let the land follow its sliders; off, it waits for Update", default=True
    )
    for event, function in _handlers():
        event.append(function)
    atexit.register(jobs.end_all)


def unregister() -> None:
    """Stop following, and whatever is at work."""
    atexit.unregister(jobs.end_all)
    for event, function in reversed(_handlers()):
        event.remove(function)
    if bpy.app.timers.is_registered(look_after):
        bpy.app.timers.unregister(look_after)
    jobs.end_all()
    jobs.forget_the_compiler()
    _forget()
    del bpy.types.WindowManager.landscape_live
