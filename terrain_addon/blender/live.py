"""The land follows its sliders while they are dragged.

A handler notices that the recipe of a landscape differs from what its mesh shows.  A quick look follows within a frame
or two: the new land at a resolution that can be computed in that time, laid over the mesh.  When the sliders rest, the
whole landscape is computed in a thread and shown.  What is not yet shown is always marked: see `state_of`.
"""

import time
from dataclasses import dataclass

import bpy

from ..core.landscape import Landscape
from ..core.recipe import Recipe
from ..core.sampling import resample
from . import jobs
from .building import landscape_steps
from .jobs import Job, Task
from .land_objects import extent_of, show_surface, update_landscape
from .properties import read_recipe

_REST = 0.35  # seconds without a change after which the whole landscape is computed
_TICK = 0.01
_FRAME = 0.045  # seconds that a quick look may take
_COARSEST = 129


@dataclass
class _Follower:
    """What is known of one landscape that may have to follow its recipe.

    `shown` is the recipe that the mesh shows in full, `glimpsed` the one it shows as a quick look.
    """

    shown: Recipe
    glimpsed: Recipe
    wanted: Recipe
    changed: float = 0.0
    job: Job | None = None
    job_recipe: Recipe | None = None
    job_is_whole: bool = False
    coarse: int = 257
    trouble: str = ""

    @property
    def is_behind(self) -> bool:
        return self.wanted != self.shown


_followers: dict[int, _Follower] = {}


def is_current(land: bpy.types.Object, landscape: Landscape) -> None:
    """Note that a land shows a landscape in full."""
    recipe = landscape.recipe
    _followers[land.session_uid] = _Follower(recipe, recipe, recipe)


def state_of(land: bpy.types.Object) -> str:
    """Return what is to be said of a land that does not show its recipe: why not, or that it is on its way."""
    follower = _followers.get(land.session_uid)
    if follower is None or not follower.is_behind:
        return ""
    return follower.trouble or ("Refining…" if bpy.context.window_manager.landscape_live else "Out of date")


def notice(land: bpy.types.Object) -> None:
    """Look whether the recipe of a land changed, and follow it if so."""
    follower = _followers.get(land.session_uid)
    try:
        recipe = read_recipe(land)
    except ValueError as error:
        if follower is not None:
            follower.trouble = str(error)
        return
    if follower is None:
        _followers[land.session_uid] = _Follower(recipe, recipe, recipe)
    elif recipe != follower.wanted:
        follower.wanted, follower.changed, follower.trouble = recipe, time.monotonic(), ""
        if bpy.context.window_manager.landscape_live and not bpy.app.timers.is_registered(_tick):
            bpy.app.timers.register(_tick, first_interval=0.0)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if bpy.app.background:
        return
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Object) and update.id.original.landscape.is_landscape:
            notice(update.id.original)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_load(*_: object) -> None:
    jobs.stop_all()
    _followers.clear()


def _tick() -> float | None:
    """Look after all landscapes; return when to look again, None when there is nothing to do."""
    lands = {land.session_uid: land for land in bpy.data.objects if land.landscape.is_landscape}
    for uid in set(_followers) - set(lands):
        job = _followers.pop(uid).job
        if job is not None:
            job.cancel()
    busy = [_follow(lands[uid], follower) for uid, follower in _followers.items() if uid in lands]
    return _TICK if any(busy) else None


def _follow(land: bpy.types.Object, follower: _Follower) -> bool:
    """Take one step towards what is wanted; return whether there is more to do."""
    job = follower.job
    if job is not None:
        if not job.done:
            if follower.job_is_whole and follower.job_recipe != follower.wanted:
                job.cancel()
            return True
        follower.job = None
        try:
            job.show()
        except jobs.FAILURES as error:
            follower.trouble = str(error)
            follower.shown = follower.glimpsed = follower.wanted
            return False
    if not follower.is_behind or follower.trouble or land.mode != "OBJECT" or not land.is_editable:
        return False
    try:
        if follower.glimpsed != follower.wanted:
            _start(follower, _glimpse(land, follower), whole=False)
        elif time.monotonic() - follower.changed >= _REST:
            _start(follower, _whole(land, follower), whole=True)
    except ValueError as error:
        follower.trouble = str(error)
        return False
    return True


def _start(follower: _Follower, task: Task, *, whole: bool) -> None:
    follower.job, follower.job_recipe, follower.job_is_whole = Job(task), follower.wanted, whole


def _find(uid: int) -> bpy.types.Object | None:
    """The object with this uid; pointers to it do not survive an undo."""
    return next((o for o in bpy.data.objects if o.session_uid == uid), None)


def _glimpse(land: bpy.types.Object, follower: _Follower) -> Task:
    """The surface only, coarse enough to be there in a frame; exact where nothing but relief is at work."""
    recipe = follower.wanted
    resolution = (
        min(follower.coarse, recipe.resolution) if any(p.enabled for p in recipe.erosion) else recipe.resolution
    )
    started, uid = time.monotonic(), land.session_uid

    def show(landscape: Landscape) -> str:
        seconds = time.monotonic() - started
        if resolution < recipe.resolution or seconds > _FRAME:
            follower.coarse = round(min(max(follower.coarse * (_FRAME / seconds) ** 0.5, _COARSEST), recipe.resolution))
        follower.glimpsed = recipe
        land = _find(uid)
        if land is not None:
            show_surface(land, resample(landscape.terrain.surface, recipe.grid.shape), recipe.grid.cell_size)
        return ""

    return Task("Preview", landscape_steps(recipe.replace(resolution=resolution), "terrain", land), show)


def _whole(land: bpy.types.Object, follower: _Follower) -> Task:
    recipe, uid = follower.wanted, land.session_uid

    def show(landscape: Landscape) -> str:
        land = _find(uid)
        if land is not None:
            update_landscape(land, landscape)
        follower.shown = follower.glimpsed = recipe
        return ""

    return Task(land.name, landscape_steps(recipe, extent_of(land), land), show)


def register() -> None:
    """Start to follow."""
    bpy.types.WindowManager.landscape_live = bpy.props.BoolProperty(
        name="Live", description="Let the land follow its sliders; off, it waits for Update", default=True
    )
    bpy.app.handlers.depsgraph_update_post.append(_on_change)
    bpy.app.handlers.load_pre.append(_before_load)


def unregister() -> None:
    """Stop following, and whatever is at work."""
    bpy.app.handlers.load_pre.remove(_before_load)
    bpy.app.handlers.depsgraph_update_post.remove(_on_change)
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    jobs.stop_all()
    _followers.clear()
    del bpy.types.WindowManager.landscape_live
