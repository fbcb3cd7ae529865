"""How real land looks to eight numbers about its drainage: noise, measured land, and our presets.

``python build.py bench realism`` prints the tables: every land with its numbers (* does not pass) and its score out of
8, the presets at several resolutions and seeds, and how much a preview looks like what it is a preview of.  Run this
file itself with ``--presets``, ``--sizes`` and ``--seeds`` for less.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from terrain_addon import core
from terrain_addon.core.building.comparing import compare_recipe, table_head, table_line
from terrain_addon.core.building.recipe import preset_names
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.routing import route_flow
from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.maps.land_classes import LandClass
from terrain_addon.core.maps.realism import Realism, RealismNumber, check_realism
from terrain_addon.core.maps.water_distance import measure_distance
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.files.inputs import read_inputs

SIZES = (512, 1024, 2048)
SEEDS = 10
PREVIEW, FINAL = 512, 2048
# Rivers are compared where they drain this share of the land, within this many cells of the preview.
RIVER_SHARE, RIVER_BUFFER = 0.002, 3
# What a recipe does not tell: of mountains and hills all is asked; of these it is not.
LAND_CLASSES: dict[str, LandClass] = {"plains": "plains", "fjords": "fjords", "badlands": "badlands"}

Row = dict[str, float | str | list[str]]


def fractal_noise(side: int, seed: int, gain: float = 0.5) -> Field:
    grid = Grid(side, side, 30.0)
    return make_fractal_noise(grid, FractalNoise(wavelength=10.0 * side, height=1500.0, octaves=8, gain=gain), seed)


def ridged_noise(side: int, seed: int) -> Field:
    """Ridged multifractal as A.N.T. Landscape makes it (Musgrave): H = 1, lacunarity 2, offset 0.9, gain 2."""
    grid = Grid(side, side, 30.0)
    height, weight = np.zeros(grid.shape), np.ones(grid.shape)
    for octave in range(8):
        wave = FractalNoise(wavelength=10.0 * side / 2**octave, height=2.0, base_altitude=-1.0, octaves=1)
        signal = (0.9 - np.abs(make_fractal_noise(grid, wave, seed + 100 * octave))) ** 2 * weight
        height += signal / 2.0**octave
        weight = np.clip(2.0 * signal, 0.0, 1.0)
    return (height / height.max() * 1500.0).astype(np.float32)


def real_land() -> Iterator[tuple[str, Field, float]]:
    files = [ROOT / "terrain_addon/presets/elevation/big_tujunga.npz"]
    for file in files + sorted((ROOT / "tests/reference/dem").glob("*.npz")):
        data = np.load(file)
        yield f"real: {file.stem}", data["elevation"].astype(np.float32), float(data["cell_size"])


def row_of(realism: Realism) -> Row:
    row: Row = {number.name: number.value for number in realism.numbers}
    return row | {"score": realism.score, "too perfect": list(realism.too_perfect)}


def in_words(numbers: Iterable[RealismNumber]) -> str:
    return " ".join(f"{n.value:8.3f}{' ' if n.passed else '*'}" for n in numbers)


def compare_lands() -> dict[str, Row]:
    """Noise and measured land, each on a line."""
    lands = [(f"noise, seed {seed}", fractal_noise(512, seed), 30.0) for seed in range(1, 4)]
    lands += [("noise, smoother", fractal_noise(512, 1, 0.4), 30.0)]
    lands += [(f"ridged noise, seed {seed}", ridged_noise(512, seed), 30.0) for seed in range(1, 4)]
    rows = {}
    for name, surface, cell_size in [*lands, *real_land()]:
        realism = check_realism(surface, cell_size)
        if not rows:
            print(f"\n{'':26}{' '.join(f'{n.name.split()[0][:8]:>8} ' for n in realism.numbers)}")
            print(f"{'':26}{' '.join(f'{n.name.split()[-1][:8]:>8} ' for n in realism.numbers)}")
        perfect = "  too perfect" if realism.too_perfect else ""
        print(f"{name:<26}{in_words(realism.numbers)} {realism.score}/8{perfect}")
        rows[name] = row_of(realism)
    return rows


def compare_presets(names: list[str], sizes: list[int], seeds: int) -> dict[str, list[Row]]:
    """Each preset at each size: medians over the seeds, and how many of them score 7 or 8."""
    tables: dict[str, list[Row]] = {}
    for name in names:
        for size in sizes:
            started = time.perf_counter()
            recipe = core.Recipe.preset(name, seed=1, resolution=size + 1)
            compared = compare_recipe(f"{name} {size}²", recipe, seeds, read_inputs, LAND_CLASSES.get(name))
            seconds = (time.perf_counter() - started) / seeds
            if not tables:
                print("\n".join(table_head(compared.medians)))
            good = sum(land.score >= 7 for land in compared.lands)
            print(f"{table_line(compared)}  (≥ 7: {good} of {seeds}; {seconds:.1f} s each)")
            tables[f"{name} {size}"] = [row_of(land) for land in compared.lands]
    return tables


def rivers(surface: Field, cell_size: float) -> npt.NDArray[np.bool_]:
    area = drainage_area(route_flow(surface, cell_size))
    return area > RIVER_SHARE * surface.size * cell_size**2


def compare_preview(names: list[str], seeds: int) -> dict[str, list[dict[str, float]]]:
    """The same recipe at 512² and at 2048²: correlation of heights, and how many of the rivers are the same."""
    tables: dict[str, list[dict[str, float]]] = {}
    for name in names:
        rows: list[dict[str, float]] = []
        for seed in range(1, seeds + 1):
            small, large = (core.Recipe.preset(name, seed=seed, resolution=size + 1) for size in (PREVIEW, FINAL))
            preview, final = (
                core.build(r, inputs=read_inputs(r), extent="terrain").terrain.surface for r in (small, large)
            )
            step = FINAL // PREVIEW
            heights = np.corrcoef(preview.ravel(), final[::step, ::step].ravel())[0, 1]
            before, after = rivers(preview, small.cell_size), np.zeros(preview.shape, bool)
            for row, column in np.argwhere(rivers(final, large.cell_size)):
                after[round(row / step), round(column / step)] = True
            kept = [(measure_distance(b, 1.0)[a] <= RIVER_BUFFER).mean() for a, b in ((before, after), (after, before))]
            rows.append({"height correlation": float(heights), "river overlap": float(min(kept))})
        means = [np.mean([row[key] for row in rows]) for key in ("height correlation", "river overlap")]
        lowest = [min(row[key] for row in rows) for key in ("height correlation", "river overlap")]
        print(f"{name:<26}heights {means[0]:.4f} (≥ {lowest[0]:.4f})   rivers {means[1]:.2f} (≥ {lowest[1]:.2f})")
        tables[name] = rows
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--presets", nargs="*", default=list(preset_names()), metavar="NAME")
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), metavar="CELLS")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--previews", type=int, default=3, help="seeds for the comparison of preview and final")
    options = parser.parse_args()
    figures: dict[str, object] = {"lands": compare_lands()}
    if options.sizes and options.seeds:
        print("\nPresets, medians over seeds")
        figures["presets"] = compare_presets(options.presets, options.sizes, options.seeds)
    if options.previews:
        print(f"\nPreview of {PREVIEW}² beside the final {FINAL}²")
        figures["previews"] = compare_preview(options.presets, options.previews)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Some versions of Blender as a module hang or crash at Python's own ending.
