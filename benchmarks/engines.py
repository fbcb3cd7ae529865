"""Packages for game engines, and a million instances to a GLB file.

``python build.py bench engines`` prints the table.  Files go to a temporary folder; what is measured includes writing
them.  Beside them stands what it costs to write as many bytes as one package has, and nothing else.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _timing import best_of

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.flow.water import find_water
from terrain_addon.core.foundation.resampling import resample
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.slope import measure_slope
from terrain_addon.files.engines.package import ENGINES, write_package
from terrain_addon.files.gltf import LandMesh, write_landscape_glb
from terrain_addon.files.landscape_glb import MESH_FORMATS
from terrain_addon.files.plant_instances import Vegetation
from terrain_addon.files.plant_models import plant_models

WIDTH = 3000.0
RUNS = 3


def some_plants(count: int) -> Plants:
    """Two species in three variants, all over the land."""
    random, single = np.random.default_rng(2), np.float32
    return Plants(
        x=random.random(count, single) * single(WIDTH),
        y=random.random(count, single) * single(WIDTH),
        species=random.integers(0, 2, count).astype(np.int32),
        age=random.random(count, single) * single(80.0) + single(1.0),
        height=random.random(count, single) * single(12.0) + single(1.0),
        rotation=random.random(count, single) * single(360.0),
        variant=random.integers(0, 3, count).astype(np.int32),
    )


def some_landscape(side: int, plants: int) -> Landscape:
    """Rough land with lakes and a forest, made without the stages that are not measured here."""
    random = np.random.default_rng(1)
    heights = np.zeros((side, side), np.float32)
    for octave in range(9):
        coarse = random.random((4 << octave, 4 << octave), np.float32) * np.float32(800.0 / 2**octave)
        places = np.linspace(0.0, len(coarse) - 1.0, side)
        heights += resample(coarse, places, places, 1.0, (0.0, 800.0))
    recipe = Recipe().replace(resolution=side)
    terrain = Terrain(heights, np.full_like(heights, 0.5), WIDTH / (side - 1))
    waters = find_water(heights, terrain.cell_size, recipe.water)
    maps = {
        "slope": measure_slope(heights, terrain.cell_size),
        "humidity": random.random((side, side), np.float32),
        "water_depth": waters.water_depth,
        "sky_view": np.ones_like(heights),
        "water_distance": np.full_like(heights, 100.0),
    }
    return Landscape(recipe, terrain, maps, some_plants(plants), waters)


def measure(side: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Return milliseconds, and what they aim to stay below (0 for a yardstick), by what was done."""
    landscape = some_landscape(side, 100_000)
    rows: dict[str, tuple[float, float]] = {}
    size = 0
    for engine in ENGINES:
        package = write_package(folder / engine, landscape, engine)  # compiles, too
        size = sum(file["bytes"] for file in package.manifest["files"])
        aim = 5000.0 if side == 2017 else 0.0
        rows[f"package for {engine}, {side}², 8 layers, 100k plants"] = (
            best_of(RUNS, lambda engine=engine: write_package(folder / engine, landscape, engine)),
            aim,
        )
    bare = np.random.default_rng(3).bytes(size)
    rows[f"yardstick: write {size / 1e6:.0f} MB"] = best_of(RUNS, lambda: (folder / "bare").write_bytes(bare)), 0.0

    forest = some_plants(1_000_000)
    vegetation = Vegetation(forest, np.zeros(len(forest), np.float32), plant_models(landscape), WIDTH / 8)
    small = LandMesh(landscape.terrain.surface[:65, :65], WIDTH / 64)
    rows["1M instances to GLB"] = (
        best_of(RUNS, lambda: write_landscape_glb(folder / "m.glb", small, vegetation)),
        2000.0,
    )
    land = LandMesh(landscape.terrain.surface[:1025, :1025], landscape.terrain.cell_size)
    for ending in MESH_FORMATS:
        rows[f"land {land.grid.columns}² to {ending}"] = (
            best_of(RUNS, lambda ending=ending: write_landscape_glb(folder / f"land{ending}", land)),
            0.0,
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=2017, help="samples along a side of the land")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(options.side, Path(folder))
    print(f"{'what':55} {'ms':>8} {'aim':>8}")
    for name, (milliseconds, aim) in rows.items():
        print(f"{name:55} {milliseconds:8.0f} {f'{aim:8.0f}' if aim else '       –'}")
    if options.json:
        options.json.write_text(
            json.dumps({name: {"ms": ms, "aim": aim} for name, (ms, aim) in rows.items()}, indent=2)
        )


if __name__ == "__main__":
    main()
