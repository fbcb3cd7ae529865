"""Runs in a window, by the tool that opens it: measures what an artist waits for.  See window.py."""

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

SIDE = 1025
CHANGES = 12
PATIENCE = 600.0
TICKS = 150

figures: dict[str, Any] = {}


def module(name: str) -> Any:
    """A module of the extension, under whatever name it was installed."""
    # A list, because threads of ours may be importing.
    return next(found for full, found in list(sys.modules.items()) if full.endswith(f"terrain_addon.{name}"))


def call(operator: str, *arguments: str, **settings: Any) -> None:
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    region = next(r for r in area.regions if r.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        getattr(bpy.ops.landscape, operator)(*arguments, **settings)


def steps() -> Iterator[float]:
    for name in ("first landscape, cold kernels", "another landscape, warm"):
        started = time.perf_counter()
        before = set(bpy.data.objects)
        call("generate", "INVOKE_DEFAULT", preset="rolling_hills", seed=len(figures) + 1, resolution=513)
        while not [o for o in set(bpy.data.objects) - before if o.landscape.is_landscape]:
            yield 0.02
            if time.perf_counter() - started > PATIENCE:
                raise TimeoutError(name)
        figures[name] = 1e3 * (time.perf_counter() - started)
        yield 2.0
    for land in [o for o in bpy.data.objects if o.landscape.is_landscape]:
        bpy.data.objects.remove(land)
    yield 1.0
    yield from lag()
    yield from slider()
    Path(out("figures.json")).write_text(json.dumps(figures))


def bare_land() -> bpy.types.Object:
    """A new land of relief and maps, active."""
    core = module("core")
    recipe = core.Recipe(resolution=SIDE, erosion=())
    recipe = recipe.replace(water=recipe.water.replace(lakes=False, rivers=False))
    landscape = module("blender.land.building").build_landscape(recipe, "maps")
    land = module("blender.land.land_objects").add_landscape(bpy.context.collection, landscape)
    bpy.context.view_layer.objects.active = land
    module("blender.session.land_states").mark_as_shown(land, landscape)
    return land


def slider() -> Iterator[float]:
    """Change a number of the relief, and wait for the mesh, then for the picture."""
    following, marks = module("blender.session.following"), module("blender.land.marks")
    land = bare_land()
    yield 2.0
    bpy.context.window_manager.landscape_live = True
    to_mesh, to_picture = [], []
    source = land.landscape.recipe.relief.layers[0].source
    for number in range(CHANGES):
        getattr(source, source.model).height = 500.0 + 10.0 * number
        mark = marks.shown_mark(land)
        started = time.perf_counter()
        following.notice_change(land)
        while marks.shown_mark(land) == mark:
            # As Blender's timers call it.
            time.sleep(following.follow_all() or 0.0)
        to_mesh.append(1e3 * (time.perf_counter() - started))
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        to_picture.append(1e3 * (time.perf_counter() - started))
        yield 0.05
    figures[f"slider to mesh, relief {SIDE}²"] = min(to_mesh[1:])
    figures["the same, median"] = statistics.median(to_mesh[1:])
    figures["slider to picture: Blender's normals and drawing on top"] = min(to_picture[1:])


def lag() -> Iterator[float]:
    """How long the window takes from one turn of its loop to the next, drawing the sidebar, idle and during a job."""
    jobs = module("blender.session.jobs")
    bpy.context.window_manager.landscape_live = False
    land = bare_land()
    land.hide_set(True)  # what is measured is the wait for the job, not the drawing of a million faces
    yield 1.0
    for name in ("idle", "during a job"):
        if name != "idle":
            land.landscape.recipe.seed += 1
            land.landscape.recipe.resolution = 2 * SIDE - 1
            module("blender.land.building").forget()
            land.hide_set(False)
            bpy.context.view_layer.objects.active = land
            call("update", "INVOKE_DEFAULT")
            land.hide_set(True)
        gaps = []
        for _ in range(TICKS):
            module("blender.session.redrawing").redraw_sidebars()
            started = time.perf_counter()
            yield 0.001
            gaps.append(1e3 * (time.perf_counter() - started))
            if name != "idle" and not jobs.running:
                break
        figures[f"frame to frame, {name}: median"] = statistics.median(gaps)
        figures[f"frame to frame, {name}: 95 of 100"] = sorted(gaps)[int(0.95 * len(gaps))]
        jobs.stop_all()
