"""What the session does when something happens in Blender: a change, a frame, a render, an undo, an opened file."""

import atexit
from collections.abc import Callable
from typing import Any

import bpy

from ..data.curve_nodes import make_curve_nodes
from ..data.own_presets import choose
from ..land.attachments import look_again, put_away_attachments, remember_opened, remove_deleted_lands
from ..land.features import forget_features
from ..land.judging import forget_judgements
from ..land.lookup import active_land, forget_last_land, land_of_feature, lands
from ..land.planet_objects import reload_pictures
from ..land.sculpting import note_hands
from . import compiler, jobs
from .animation import is_rendering, set_rendering, show_frame_of_all
from .curve_following import forget_curves
from .elevation_previews import stop_reading
from .following import (
    keep_following,
    notice_all,
    notice_change,
    notice_paint,
    stop_following,
)
from .growth import end_all_growth
from .land_states import forget_lands, states
from .paint_view import follow_mode
from .planet_cover import remove_covers
from .planet_following import forget_planets, notice_planet
from .undo_steps import forget_steps, note_arrival


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Let lands and planets follow their settings, what is drawn on them, and what is painted."""
    if bpy.app.background:
        return
    for land in {land_of_feature(one.id.original) for one in depsgraph.updates if isinstance(one.id, bpy.types.Object)}:
        if land is not None:
            notice_change(land)
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Object) and update.id.original.landscape.is_landscape:
            notice_change(update.id.original)
            follow_mode(update.id.original)
            note_hands(update.id.original)
            if update.is_updated_geometry:
                notice_paint(update.id.original)
        elif isinstance(update.id, bpy.types.Object) and update.id.original.landscape_planet.is_planet:
            if notice_planet(update.id.original):
                keep_following()
    if states and depsgraph.id_type_updated("COLLECTION"):
        # An object was added or removed; the timer finds out which one, when Blender is done with it.
        keep_following()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_change(*_: object) -> None:
    # Before Blender evaluates a scene in which a land was deleted: its plants must not be drawn without it.
    if not is_rendering():
        put_away_attachments()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _on_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    show_frame_of_all(scene, depsgraph)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_render(*_: object) -> None:
    set_rendering(True)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_render(*_: object) -> None:
    set_rendering(False)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _before_load(*_: object) -> None:
    jobs.stop_all()
    _forget_file()


def _forget_file() -> None:
    """Forget all that is known of the objects of the opened file."""
    forget_lands()
    forget_features()
    forget_last_land()
    forget_judgements()
    forget_planets()
    remove_covers()
    forget_steps()
    forget_curves()


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_load(*_: object) -> None:
    end_all_growth()
    remove_deleted_lands()
    remember_opened()
    if lands():
        make_curve_nodes()
        _choose_preset()
    notice_all()
    _follow_modes()


def _choose_preset() -> None:
    """Let the list of presets show what the land of an opened file was made from."""
    land = active_land(bpy.context)
    found = [land] if land is not None else lands()
    choose(found[0].landscape.preset)


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_undo(*_: object) -> None:
    _after_step("undo")


@bpy.app.handlers.persistent  # type: ignore[untyped-decorator]
def _after_redo(*_: object) -> None:
    _after_step("redo")


def _after_step(step: str) -> None:
    """Do what is to be done after an undo or redo; the timer may go further when Blender has finished this one."""
    note_arrival(step)
    look_again()
    put_away_attachments()
    reload_pictures()
    notice_all()
    _follow_modes()
    keep_following()


def _follow_modes() -> None:
    for land in lands():
        follow_mode(land)


def _handlers() -> list[tuple[Any, Callable[..., None]]]:
    """The lists of Blender's handlers, and the function that goes into each."""
    events = bpy.app.handlers
    return [
        (events.depsgraph_update_pre, _before_change),
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
    """Add the handlers, and the switch *Live*."""
    bpy.types.WindowManager.landscape_live = bpy.props.BoolProperty(
        name="Live",
        description="Update the land while sliders move; if this is off, the button with round arrows updates it",
        default=True,
    )
    for event, function in _handlers():
        event.append(function)
    atexit.register(jobs.end_all)


def unregister() -> None:
    """Remove the handlers, and stop all jobs."""
    atexit.unregister(jobs.end_all)
    for event, function in reversed(_handlers()):
        event.remove(function)
    stop_following()
    stop_reading()
    jobs.end_all()
    compiler.stop_listening()
    _forget_file()
    del bpy.types.WindowManager.landscape_live
