"""Relief beside its peers: fractal noise, midpoint displacement, and what an artist waits for in Blender.

Peers and we run in one process, the best of several runs counts.  ``python build.py bench relief`` prints the table.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import terrain_addon
from terrain_addon.core import Grid, Recipe, compilation
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints

OCTAVES = 8


def best_of(runs: int, work: Callable[[], Any]) -> float:
    """Return the shortest of several runs in milliseconds, after one that is not counted."""
    work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1e3 * min(times)


def fractal_noise(side: int) -> Callable[[], Any]:
    grid, noise = Grid(side, side, 4096.0 / side), FractalNoise(wavelength=1024.0, octaves=OCTAVES)
    return lambda: make_fractal_noise(grid, noise, 1)


def midpoint(side: int) -> Callable[[], Any]:
    grid = Grid(side, side, 1.0)
    return lambda: displace_midpoints(grid, MidpointDisplacement(), 1)


def fast_noise_simd(side: int) -> Callable[[], Any] | None:
    np.product = np.prod  # type: ignore[attr-defined]  # The package was written for numpy before 2.
    try:
        import pyfastnoisesimd
    except ImportError:
        return None
    noise = pyfastnoisesimd.Noise(seed=1, numWorkers=2)
    noise.noiseType = pyfastnoisesimd.NoiseType.PerlinFractal
    noise.frequency = 4.0 / side
    noise.fractal.octaves = OCTAVES
    return lambda: noise.genAsGrid(shape=[side, side])


def open_simplex(side: int) -> Callable[[], Any] | None:
    try:
        import opensimplex
    except ImportError:
        return None
    opensimplex.seed(1)
    axes = [np.arange(side) * (4.0 / side) * 2.0**octave for octave in range(OCTAVES)]
    return lambda: sum(0.5**octave * opensimplex.noise2array(axis, axis) for octave, axis in enumerate(axes))


def mathutils_noise(side: int) -> Callable[[], Any] | None:
    try:
        import bpy  # noqa: F401
        from mathutils import noise
    except ImportError:
        return None
    scale = 4.0 / side
    return lambda: [
        noise.fractal((x * scale, y * scale, 0.0), 1.0, 2.0, OCTAVES) for y in range(side) for x in range(side)
    ]


def relief_rows(side: int) -> list[tuple[str, float | None]]:
    """Return rows of fractal noise and midpoint displacement at one size."""
    rows: list[tuple[str, float | None]] = []
    for threads in (2, 1):
        compilation.set_thread_count(threads)
        rows.append(
            (f"ours: fBm of gradient noise, {OCTAVES} octaves, {threads} threads", best_of(10, fractal_noise(side)))
        )
        rows.append((f"ours: midpoint displacement {side + 1}², {threads} threads", best_of(10, midpoint(side + 1))))
    compilation.set_thread_count(2)
    for name, make, runs in (
        ("pyfastnoisesimd 0.4.2: Perlin fBm, 2 workers", fast_noise_simd, 5),
        ("opensimplex 0.4.5.1: noise2array, summed", open_simplex, 1),
        ("Blender mathutils.noise.fractal, per vertex", mathutils_noise, 1),
    ):
        peer = make(side)
        rows.append((name, best_of(runs, peer) if peer else None))
    return rows


def blender_rows() -> list[tuple[str, float | None]]:
    """Return what an artist waits for: a new landscape object, and its heights after a slider has moved."""
    try:
        import bpy
    except ImportError:
        return [("a landscape object in Blender", None)]
    from terrain_addon.blender.building import build_landscape, forget
    from terrain_addon.blender.land_objects import add_landscape
    from terrain_addon.blender.meshes import new_land_mesh, set_surface

    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    recipe = Recipe(resolution=1025, relief=FractalNoise(octaves=OCTAVES))
    planted = build_landscape(recipe).plants
    seeds = iter(range(10**6))

    def object_of_relief() -> None:
        land = build_landscape(recipe.replace(seed=next(seeds)), "terrain")
        mesh = new_land_mesh("Relief", land.terrain)
        bpy.data.objects.new("Relief", mesh)
        bpy.data.meshes.remove(mesh)

    mesh = new_land_mesh("Heights", build_landscape(recipe, "terrain").terrain)

    def heights_only() -> None:
        set_surface(mesh, build_landscape(recipe.replace(seed=next(seeds)), "terrain").terrain)

    def whole_landscape() -> None:
        forget()
        land = add_landscape(bpy.context.collection, build_landscape(recipe.replace(seed=next(seeds))))
        plants = land.landscape.plants
        for thing in (land.data, plants.data):
            bpy.data.meshes.remove(thing)

    return [
        (f"new object of relief and soil, 1025², {OCTAVES} octaves", best_of(8, object_of_relief)),
        ("the same object, new heights only", best_of(8, heights_only)),
        (f"everything, with about {len(planted or ()) // 1000},000 plants, 1025²", best_of(3, whole_landscape)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    tables = {"relief 2048²": relief_rows(2048), "in Blender": blender_rows()}
    for title, rows in tables.items():
        print(f"\n{title}")
        ours = rows[0][1] or 1.0
        for name, milliseconds in rows:
            if milliseconds is None:
                print(f"  {'not installed':>12}          {name}")
            else:
                print(f"  {milliseconds:9.1f} ms  {milliseconds / ours:7.1f} ×  {name}")
    if options.json:
        options.json.write_text(json.dumps({t: dict(rows) for t, rows in tables.items()}, indent=2) + "\n")


if __name__ == "__main__":
    import os

    main()
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.
