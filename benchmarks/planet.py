"""Planets beside six plain landscapes with as many samples: relief, the whole planet, and one square of it.

Everything runs in one process, the best of several runs counts.  ``python build.py bench planet`` prints the table.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _timing import best_of

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.planet.cube_sphere import face_directions
from terrain_addon.core.planet.planet_relief import planet_relief
from terrain_addon.core.relief.fractal_noise import FractalNoise

FACES = 6
RUNS = 3
DETAIL = 12  # octaves, as many as the hills of a planet have

Rows = list[tuple[str, float]]


def plain(side: int, *, eroded: bool) -> Callable[[], None]:
    """Six landscapes of one layer of noise, with the erosion of the preset Alpine or with none."""
    alpine = core.Recipe.preset("alpine")
    recipe = alpine.replace(
        resolution=side,
        relief=Relief.of(FractalNoise(octaves=DETAIL)),
        erosion=alpine.erosion[:1] if eroded else (),
        ecosystem=Ecosystem(species=()),
    )

    def build() -> None:
        for seed in range(FACES):
            core.build(recipe.replace(seed=seed), extent="terrain")

    return build


def measure(side: int) -> Rows:
    """Measure everything at one resolution of a face."""
    recipe = core.PlanetRecipe.preset("temperate", seed=3, resolution=side)
    directions, planet = face_directions(side), core.build_planet(recipe)
    square = core.Square(core.Place(46.0, 8.0), 6000.0, side)
    return [
        ("planet: relief only", best_of(RUNS, lambda: planet_relief(recipe, directions))),
        ("planet: all of it", best_of(RUNS, lambda: core.build_planet(recipe))),
        ("six plain landscapes: relief only", best_of(RUNS, plain(side, eroded=False))),
        ("six plain landscapes: eroded", best_of(RUNS, plain(side, eroded=True))),
        ("a landscape's recipe and heights", best_of(RUNS, lambda: core.landscape_of_planet(planet, square))),
    ]


def main() -> None:
    """Print the tables; write them to a file, too, if one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--sides", type=int, nargs="+", default=(129, 257, 513), help="samples along an edge of a face")
    options = parser.parse_args()
    found = {f"6 × {side}²": measure(side) for side in options.sides}
    for title, rows in found.items():
        print(title)
        for name, milliseconds in rows:
            print(f"  {name:36}{milliseconds:9.1f} ms")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
