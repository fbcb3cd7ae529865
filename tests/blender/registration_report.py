"""Runs in a Blender of its own: registers and unregisters the add-on again and again, and prints what is there when."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import bpy

TIMES = 20


def all_there_is() -> dict[str, list[str]]:
    """Everything that an add-on could leave in Blender, by name."""
    types = {name: getattr(bpy.types, name) for name in dir(bpy.types)}
    types = {name: cls for name, cls in types.items() if hasattr(cls, "bl_rna")}
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    draws = {name: getattr(getattr(cls, "draw", None), "_draw_funcs", []) for name, cls in types.items()}
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    return {
        "types": sorted(types),
        "classes": sorted(
            cls.__name__ for cls in subclasses(bpy.types.bpy_struct) if getattr(cls, "is_registered", False)
        ),
        "operators": sorted(f"{space}.{name}" for space in dir(bpy.ops) for name in dir(getattr(bpy.ops, space))),
        "properties": sorted(f"{name}.{p.identifier}" for name, cls in types.items() for p in cls.bl_rna.properties),
        "handlers": sorted(f"{name}: {f}" for name, fs in lists.items() if isinstance(fs, list) for f in fs),
        # A menu's own function joins the list, and stays there, when an add-on first appends one.
        "draw functions": sorted(
            f"{name}: {f.__qualname__}" for name, fs in draws.items() for f in fs if f.__qualname__ != f"{name}.draw"
        ),
        "timers": sorted(f.__qualname__ for f in own_functions() if bpy.app.timers.is_registered(f)),
        "keys": sorted(
            f"{k.name}: {i.idname}" for k in (keyconfig.keymaps if keyconfig else ()) for i in k.keymap_items
        ),
        "threads": sorted(thread.name for thread in threading.enumerate()),
    }


def subclasses(cls: type) -> Iterator[type]:
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


def own_functions() -> list[object]:
    own = [module for name, module in sys.modules.items() if name.split(".")[0] == "terrain_addon"]
    return [
        value for module in own for value in vars(module).values() if callable(value) and hasattr(value, "__code__")
    ]


def work() -> None:
    """Leave as much behind as a session can: threads of kernels, a job, a preview of a file, timers."""
    from terrain_addon import core
    from terrain_addon.blender.session import elevation_previews, following, jobs
    from terrain_addon.core.foundation.progress import Progress
    from terrain_addon.core.relief.fractal_noise import FractalNoise

    noise = core.Recipe(resolution=257, erosion=()).replace(relief=core.building.layers.Relief.of(FractalNoise()))
    core.build(noise, extent="maps")
    jobs.Job(jobs.Task("Endless", (Progress("nothing", 0.0) for _ in iter(int, 1)), lambda result: ""))
    elevation_previews.known_preview(str(Path(__file__).parents[1] / "data" / "big_tujunga_64.npz"))
    bpy.app.timers.register(following.follow_all, first_interval=60.0)


def main() -> None:
    before = all_there_is()
    import terrain_addon

    terrain_addon.register()
    registered = all_there_is()
    loaded = sorted(name for name in ("numba", "llvmlite") if name in sys.modules)
    work()
    terrain_addon.unregister()
    for _ in range(TIMES - 1):
        terrain_addon.register()
        terrain_addon.unregister()
    after = all_there_is()
    print(json.dumps({"before": before, "registered": registered, "after": after, "loaded": loaded}))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # as in tests/conftest.py
