"""Shared by the scripts that run in a window; the test that opens the window puts each script behind this one.

The tool provides `log`, `shot`, `click`, `key` and `out`.  Its coordinates start at the top left of the screen,
Blender's at the bottom left of the window.  The scripts write result.json, and the tests check it.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

STEP = 8  # pixels, less than half the height of a button
PATIENCE = 600  # seconds; the first landscape waits for the compiler, on a busy machine long
RESOLUTION = 129  # graphics without a graphics card are slow
FEW = 0.01  # share of the ground that plants cover, for the same reason
KERNELS = Path(tempfile.gettempdir()) / "landscape_kernels_of_window_tests"

result: dict[str, Any] = {}


def module(name: str) -> Any:
    """A module of the extension's Blender part, under whatever name the extension was installed."""
    # A list, because threads of the extension may be importing.
    loaded = list(sys.modules.items())
    return next(found for full, found in loaded if full.endswith(f".blender.{name}"))


def share_kernels() -> None:
    """Keep compiled kernels where the next script finds them, because each script has folders of its own."""
    module("data.preferences").preferences().cache_folder = str(KERNELS)


def jobs() -> list[Any]:
    return module("session.jobs").running


def status(one: bpy.types.Object) -> str:
    return module("session.land_states").status_of(one)


def mark() -> str:
    """What the mesh of the active land shows."""
    return module("land.marks").shown_mark(land())


def notice(one: bpy.types.Object) -> None:
    """What a handler does when a land was changed."""
    module("session.following").notice_change(one)


def window() -> bpy.types.Window:
    return bpy.context.window_manager.windows[0]


def area() -> bpy.types.Area:
    return next(a for a in window().screen.areas if a.type == "VIEW_3D")


def region(kind: str) -> bpy.types.Region:
    return next(r for r in area().regions if r.type == kind)


def land() -> bpy.types.Object:
    return bpy.context.view_layer.objects.active


def heights() -> np.ndarray:
    values = np.empty(3 * len(land().data.vertices), np.float32)
    land().data.attributes["position"].data.foreach_get("vector", values)
    return values[2::3]


def mouse(*what: object) -> None:
    subprocess.run(["xdotool", *map(str, what)], check=True)


def call(operator: str, *arguments: str, **settings: Any) -> None:
    group, name = operator.split(".")
    with bpy.context.temp_override(window=window(), area=area(), region=region("WINDOW")):
        getattr(getattr(bpy.ops, group), name)(*arguments, **settings)


def find(text: str, keys: str, across: float = 2.0 / 3.0, pause: float = 0.1) -> Iterator[float]:
    """Move the mouse down the sidebar until the text that these keys copy contains a text; leave it there."""
    sidebar = region("UI")
    x, top = sidebar.x + round(sidebar.width * across), window().height - sidebar.y - sidebar.height
    for y in range(top, top + sidebar.height, STEP):
        mouse("mousemove", x, y)
        yield pause
        bpy.context.window_manager.clipboard = ""
        key(keys)
        yield pause
        if text in bpy.context.window_manager.clipboard:
            result.setdefault("places", {})[text] = (x, y)
            return
    raise LookupError(f"there is no {text} in the sidebar")


def until(condition: Callable[[], bool], patience: float = PATIENCE) -> Iterator[float]:
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            shot("too_long")
            raise TimeoutError(f"waited {patience} s in vain at line {sys._getframe(1).f_lineno}")
        yield 0.1


def settled(measure: Callable[[], float], still: float = 5.0) -> Iterator[float]:
    """Wait until the land is up to date and a measure of it has stayed the same for some seconds."""
    deadline, last, since = time.monotonic() + PATIENCE, measure(), time.monotonic()
    while time.monotonic() - since < still:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the land does not rest after {PATIENCE} s")
        yield 0.2
        now = measure()
        if now != last or status(land()) or jobs():
            last, since = now, time.monotonic()


def keep_result() -> None:
    """Write the result for the test, and let no process go on compiling: the window closes next."""
    module("land.building").stop_warming()
    Path(out("result.json")).write_text(json.dumps(result, indent=1))


def leave() -> Iterator[float]:
    """Write the result and quit as a user does."""
    keep_result()
    call("wm.quit_blender")
    yield 60.0
    raise TimeoutError("Blender did not end")


share_kernels()
