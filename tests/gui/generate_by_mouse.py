"""Runs in a window, by the tool that opens it: finds the Generate button in the sidebar and clicks it.

`log`, `shot`, `click`, `key` and `out` are given by the tool.  Its coordinates start at the top left of the screen,
Blender's at the bottom left of the window.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import bpy

STEP = 8  # pixels, less than half the height of a button
PATIENCE = 90  # seconds; the first landscape waits for the compiler


def steps() -> Iterator[float]:
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    area.spaces.active.show_region_ui = True
    yield 1.0
    sidebar = next(r for r in area.regions if r.type == "UI")
    sidebar.active_panel_category = "Landscape"
    yield 1.0
    shot("before")

    x = sidebar.x + sidebar.width // 2
    top = window.height - sidebar.y - sidebar.height
    for y in range(top, top + sidebar.height, STEP):
        subprocess.run(["xdotool", "mousemove", str(x), str(y)], check=True)
        yield 0.15
        # Over the button of an operator this copies the call that a click would make.
        bpy.context.window_manager.clipboard = ""
        key("ctrl+c")
        yield 0.15
        if "landscape.generate" in bpy.context.window_manager.clipboard:
            break
    else:
        raise LookupError("there is no Generate button in the sidebar")

    before = set(bpy.data.objects)
    click(x, y)
    for _ in range(PATIENCE):
        yield 1.0
        if set(bpy.data.objects) - before:
            break
    yield 3.0
    shot("after")
    land = bpy.context.view_layer.objects.active
    view = next(r for r in area.regions if r.type == "WINDOW")
    result = {
        "new": land not in before,
        "vertices": len(land.data.vertices),
        "resolution": land.landscape.recipe.resolution,
        # What of the 3D view no toolbar or sidebar covers: left, upper, right, lower.
        "view": [view.x + 80, window.height - view.y - view.height + 80, sidebar.x - 80, window.height - view.y - 80],
    }
    Path(out("result.json")).write_text(json.dumps(result))
