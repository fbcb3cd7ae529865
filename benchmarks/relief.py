"""Relief beside its peers: noise, midpoint displacement, and what an artist waits for in Blender.

Peers and we run in one process, the best of several runs counts.  ``python build.py bench relief`` prints the tables;
``--plot FOLDER`` also draws the comparison of the two families.
"""

import argparse
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _families import Families, compare_families, draw_families
from _timing import best_of

import terrain_addon
from terrain_addon.core import Grid, Recipe
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.foundation import compilation
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise
from terrain_addon.core.relief.sources import SOURCES

OCTAVES = 8
# Multiplications and additions with which an octave is blended and added to a sample, along a row.
OPERATIONS_PER_OCTAVE = 8

Row = tuple[str, float | None]


def land(side: int, source: Any) -> Callable[[], Any]:
    """Return what makes a square of land whose largest waves are a quarter of its side."""
    placed = source.replace(wavelength=1024.0, octaves=min(source.octaves, OCTAVES))
    return lambda: SOURCES[type(source)].make(Grid(side, side, 4096.0 / side), placed, 1)


def midpoint(side: int) -> Callable[[], Any]:
    grid, displacement = Grid(side, side, 1.0), MidpointDisplacement(wavelength=side - 1.0)
    return lambda: displace_midpoints(grid, displacement, 1)


def fast_noise_simd(side: int, kind: str = "PerlinFractal") -> Callable[[], Any] | None:
    np.product = np.prod  # type: ignore[attr-defined]  # The package was written for numpy before 2.
    try:
        import pyfastnoisesimd
    except ImportError:
        return None
    noise = pyfastnoisesimd.Noise(seed=1, numWorkers=2)
    noise.noiseType = getattr(pyfastnoisesimd.NoiseType, kind)
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


def relief_rows(side: int) -> list[Row]:
    """Return rows of fractal noise and midpoint displacement beside other programs, at one size."""
    rows: list[Row] = []
    for threads in (2, 1):
        compilation.set_thread_count(threads)
        name = f"{threads} thread{'s' * (threads > 1)}"
        rows.append(
            (f"ours: fBm of gradient noise, {OCTAVES} octaves, {name}", best_of(20, land(side, FractalNoise())))
        )
        rows.append((f"ours: midpoint displacement {side + 1}², {name}", best_of(10, midpoint(side + 1))))
    compilation.set_thread_count(2)
    for name, peer, runs in (
        ("pyfastnoisesimd 0.4.2: Perlin fBm, 2 workers", fast_noise_simd(side), 10),
        ("opensimplex 0.4.5.1: noise2array, summed", open_simplex(side), 1),
        ("Blender mathutils.noise.fractal, per vertex", mathutils_noise(side), 1),
    ):
        rows.append((name, best_of(runs, peer) if peer else None))
    return rows


def basis_rows(side: int) -> list[Row]:
    """Return rows of all other kinds of noise."""
    sources = {
        "fBm of gradient noise": FractalNoise(),
        "the same in space, at one moment": FractalNoise(speed=1.0),
        "the same with attenuation": FractalNoise(attenuation=1.7),
        "fBm of value noise": FractalNoise(basis="value"),
        "ridged multifractal": MultifractalNoise(),
        "hetero terrain": MultifractalNoise(character="hetero"),
        "fBm of simplex noise": FractalNoise(basis="simplex"),
        "the same in space, at one moment (simplex)": FractalNoise(basis="simplex", speed=1.0),
        "fBm of gradient noise, warped": FractalNoise(warp=300.0),
        "damped by slopes": SlopeDampedNoise(),
        "cellular noise F1, 1 octave": CellularNoise(),
        "cellular noise F2 − F1, 1 octave": CellularNoise(feature="f2_minus_f1"),
        "the same in space, at one moment (F1)": CellularNoise(speed=1.0),
    }
    rows: list[Row] = [(f"ours: {name}", best_of(3, land(side, source))) for name, source in sources.items()]
    for name, kind in (("simplex fBm", "SimplexFractal"), ("cellular, 1 octave", "Cellular")):
        peer = fast_noise_simd(side, kind)
        rows.append((f"pyfastnoisesimd 0.4.2: {name}, 2 workers", best_of(3, peer) if peer else None))
    return rows


def cost_rows(side: int) -> list[str]:
    """Return what fBm costs per octave and pixel, how near the processor's limit that is, and how it grows."""
    lines = []
    samples = side * side
    for threads in (1, 2):
        compilation.set_thread_count(threads)
        times = {n: best_of(10, land(side, FractalNoise(octaves=n))) for n in (4, OCTAVES)}
        per_pixel = 1e6 * times[OCTAVES] / samples
        per_octave = 1e6 * (times[OCTAVES] - times[4]) / (OCTAVES - 4) / samples
        rate = OPERATIONS_PER_OCTAVE * OCTAVES * samples / (1e-3 * times[OCTAVES]) / 1e9
        peak = multiply_add_peak(threads)
        lines.append(
            f"{threads} thread{'s' * (threads > 1)}: {per_pixel:.2f} ns a pixel, {per_octave:.2f} ns a pixel for each "
            f"of octaves 5 to {OCTAVES}; blending rows alone is {rate:.0f} of the {peak:.0f} Gflop/s that fused "
            f"multiply-adds reach here ({100 * rate / peak:.0f} %)"
        )
    compilation.set_thread_count(2)
    for larger in (side // 2, side, 2 * side, 4 * side):
        work = land(larger, FractalNoise())
        milliseconds = best_of(5 if larger <= side else 2, work)
        tracemalloc.start()
        work()
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        lines.append(
            f"{larger}²: {milliseconds:.1f} ms, {1e6 * milliseconds / larger**2:.2f} ns a pixel, "
            f"memory {peak_bytes / (4 * larger**2):.3f} maps"
        )
    return lines


def multiply_add_peak(threads: int) -> float:
    """Return how many Gflop/s fused multiply-adds reach on numbers that stay in the fastest memory."""
    import numba

    chain, samples, rounds = 64, 2048, 2000

    @numba.njit(parallel=True, fastmath={"contract"})
    def spin(numbers: Any, factor: Any, term: Any) -> None:
        for thread in numba.prange(numbers.shape[0]):
            own = numbers[thread]
            for _ in range(rounds):
                for i in range(own.size):
                    x = own[i]
                    for _ in range(chain):
                        x = x * factor + term
                    own[i] = x

    numbers = np.ones((threads, samples), np.float32)
    milliseconds = best_of(5, lambda: spin(numbers, np.float32(0.5), np.float32(0.5)))
    return 2.0 * chain * samples * rounds * threads / (1e-3 * milliseconds) / 1e9


def blender_rows() -> list[tuple[str, float | None]]:
    """Return what an artist waits for: a new landscape object, and its heights after a slider has moved."""
    try:
        import bpy
    except ImportError:
        return [("a landscape object in Blender", None)]
    from terrain_addon.blender.data.meshes import new_land_mesh, set_surface
    from terrain_addon.blender.land.building import build_landscape, forget_results
    from terrain_addon.blender.land.land_objects import add_landscape

    bpy.ops.wm.read_factory_settings(use_empty=True)
    terrain_addon.register()
    recipe = Recipe(resolution=1025, relief=Relief.of(FractalNoise(octaves=OCTAVES)))
    relief_alone, eroding = recipe.replace(erosion=()), ", ".join(process.model() for process in recipe.erosion)
    planted = build_landscape(recipe).plants
    seeds = iter(range(10**6))

    def object_of_relief() -> None:
        land = build_landscape(relief_alone.replace(seed=next(seeds)), "terrain")
        mesh = new_land_mesh("Relief", land.terrain)
        bpy.data.objects.new("Relief", mesh)
        bpy.data.meshes.remove(mesh)

    mesh = new_land_mesh("Heights", build_landscape(recipe, "terrain").terrain)

    def new_heights(of: Recipe) -> None:
        set_surface(mesh, build_landscape(of.replace(seed=next(seeds)), "terrain").terrain)

    def whole_landscape() -> None:
        forget_results()
        land = add_landscape(bpy.context.collection, build_landscape(recipe.replace(seed=next(seeds))))
        plants = land.landscape.plants
        for thing in (land.data, plants.data):
            bpy.data.meshes.remove(thing)

    return [
        (f"relief alone, 1025², {OCTAVES} octaves, in a new object", best_of(8, object_of_relief)),
        ("the same in an object that is there, new heights only", best_of(8, lambda: new_heights(relief_alone))),
        (f"with {eroding.replace('_', ' ')}, new heights only", best_of(3, lambda: new_heights(recipe))),
        (f"with that, maps and about {len(planted or ()) // 1000},000 plants", best_of(3, whole_landscape)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--plot", type=Path, help="folder for a drawing of the two families")
    options = parser.parse_args()
    tables = {"relief 2048²": relief_rows(2048), f"noise 1024², {OCTAVES} octaves": basis_rows(1024)}
    costs = cost_rows(2048)
    families: Families = compare_families()
    tables["in Blender"] = blender_rows()
    for title, rows in tables.items():
        print(f"\n{title}")
        ours = rows[0][1] or 1.0
        for name, milliseconds in rows:
            if milliseconds is None:
                print(f"  {'not installed':>12}          {name}")
            else:
                print(f"  {milliseconds:9.1f} ms  {milliseconds / ours:7.1f} ×  {name}")
    print("\nwhat fBm costs", *costs, sep="\n  ")
    print("\nthe two families", *families.lines(), sep="\n  ")
    if options.plot:
        options.plot.mkdir(parents=True, exist_ok=True)
        (options.plot / "families.svg").write_text(draw_families(families), encoding="utf-8")
    if options.json:
        figures = {t: dict(rows) for t, rows in tables.items()} | {"families": families.as_json(), "costs": costs}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    import os

    main()
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.
