"""Compiling the kernels before the user makes a landscape, and looking whether numba works at all."""

import threading

import bpy

from ...core.building.recipe import Recipe, preset_names
from ...core.foundation.numba_check import known_problem, look_for_problem
from ..data import preferences
from ..land import building
from .redrawing import redraw_sidebars

_looking: threading.Thread | None = None
_begun = False


def compile_as_preferred() -> None:
    """Begin in a second if the preferences say so; for the start of Blender."""
    if not bpy.app.background and preferences.compile_when() == preferences.AT_START:
        compile_ahead()


def notice_panel() -> None:
    """Begin in a second if the panel is shown for the first time; quick, because drawing calls it."""
    if not _begun and not bpy.app.background and preferences.compile_when() == preferences.FIRST_SHOWN:
        compile_ahead()


def compile_ahead() -> None:
    """Begin in a second, if that has not begun."""
    global _begun
    if not _begun:
        _begun = True
        bpy.app.timers.register(_prepare, first_interval=1.0)


def _prepare() -> float | None:
    """Look whether numba works, and compile the kernels of the first preset and of planets."""
    global _looking
    if _looking is None:
        _looking = look_for_problem()
        building.warm(Recipe.preset(preset_names()[0]))
        building.warm_planets()
    if _looking.is_alive():
        return 0.5
    if known_problem():
        redraw_sidebars()
    _looking = None
    return None


def stop_compiling_ahead() -> None:
    """Forget that it has begun; processes that compile are stopped with the results of the session."""
    global _looking, _begun
    if bpy.app.timers.is_registered(_prepare):
        bpy.app.timers.unregister(_prepare)
    _looking, _begun = None, False
