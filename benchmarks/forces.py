"""Forces of nature: rain of mountains and wandering rivers beside other programs; sand, ice, winter and rock alone.

``python build.py bench forces`` prints the table.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

os.environ["TQDM_DISABLE"] = "1"  # meanderpy would draw a bar for each of thousands of steps

import meanderpy
import numpy as np
from _timing import best_of
from orographic_precipitation import compute_orographic_precip

from terrain_addon.core import Grid, Terrain
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.climate.moisture import measure_moisture
from terrain_addon.core.climate.orographic_rain import WetWind, measure_rain, orographic_rain
from terrain_addon.core.climate.snow import measure_snow_days
from terrain_addon.core.erosion.cliff_retreat import CliffRetreat, retreat
from terrain_addon.core.erosion.glaciation import Glaciation, glaciate
from terrain_addon.core.erosion.sand import Sand, blow_sand
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.maps.winter import wind_shelter
from terrain_addon.core.meander.centre_line import MeanderLaw
from terrain_addon.core.meander.wandering import WanderingRiver, everywhere, river_on, wander
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.snow.snowpack import SnowGround, Snowpack, WinterWeather, lay_snow
from terrain_addon.core.snow.winter import Winter, course_of

RUNS = 5
SIDE, CELL = 1024, 10.0
# The other program pads its land by 200 samples of nothing on each side, here to a power of two.
LAND, PADDING, SPACING = 624, 200, 750.0
WEATHER = {"latitude": 0.0, "precip_base": 7.0, "wind_speed": 15.0, "wind_dir": 270.0, "conv_time": 1000.0}
WEATHER |= {"fall_time": 1000.0, "nm": 0.005, "hw": 2500.0, "cw": 0.004}
AIR = WetWind(15.0, 0.0, 1000.0, 1000.0, 0.005, 2500.0, 0.004)

# A river of 100 m in both programs, its start, and the other program's step in years and points at a width's share.
MEANDER_LAW, RIVER_WIDTH, RIVER_LENGTH = MeanderLaw(0.1, 0.01, 30.0), 100.0, 15_000.0
SPACINGS, YEARS, YEAR = (0.5, 0.25, 0.125), 150.0, 365.0 * 24.0 * 3600.0

# Mountains of 10 km for ice, snow and rock; level ground for sand, over which it blows for 500 steps.
SMALL, LAND_WIDTH, DUNE_CELL, WIND, WINTER_DAY = 65, 10_000.0, 5.0, 270.0, 88
RELIEF = FractalNoise(wavelength=6000.0, height=3000.0, base_altitude=0.0)
ICE = Glaciation(equilibrium_line_altitude=1500.0, years=100_000.0)
SAND = Sand(supply=3.0, years=276.0)


def differences() -> dict[str, float]:
    """Compare rain in mm/h on Gaussian hills 500 m high, before it is cut off at 0.

    The other program lets air swing over short hills as over level ground, where theory lets it die away with height;
    so only wide hills agree.
    """
    place = SPACING * (np.arange(LAND) - LAND / 2)
    found = {}
    for width in (15000.0, 10000.0, 6000.0):
        hill = 500.0 * np.exp(-(place[:, None] ** 2 + place**2) / (2.0 * width**2))
        theirs = compute_orographic_precip(hill, SPACING, SPACING, **WEATHER)
        ours = 3600.0 * orographic_rain(np.pad(hill, PADDING), (SPACING, SPACING), AIR)
        ours = WEATHER["precip_base"] + ours[PADDING:-PADDING, PADDING:-PADDING]
        found[f"hill of {width / 1000.0:.0f} km: largest difference, mm/h"] = float(np.abs(ours - theirs).max())
    return found


def times() -> dict[str, float]:
    """Measure the maps of the climate of a land of 1024²."""
    land = make_fractal_noise(Grid(SIDE, SIDE, CELL), FractalNoise(), 1)
    climate = Climate()
    rain = measure_rain(land, CELL, climate, None)
    warm = np.float32(12.0) - np.float32(0.0065) * land
    return {
        "rain, 1024²: orographic_precipitation": best_of(
            RUNS, lambda: compute_orographic_precip(land, CELL, CELL, **WEATHER)
        ),
        "rain, 1024²: ours": best_of(RUNS, lambda: measure_rain(land, CELL, climate, None)),
        "moisture, 1024²": best_of(RUNS, lambda: measure_moisture(warm, rain, climate.season)),
        "days with snow, 1024²": best_of(RUNS, lambda: measure_snow_days(warm, rain, climate.season)),
    }


def forces() -> dict[str, float]:
    """Measure the processor time in seconds, of all threads together, of forces that no other program here has.

    Each acts on a small land first, so that nothing is compiled while it is measured.
    """

    def land(side: int) -> Terrain:
        heights = make_fractal_noise(Grid(side, side, LAND_WIDTH / side), RELIEF, 1)
        return Terrain(heights, np.zeros_like(heights), LAND_WIDTH / side)

    def sandy(side: int) -> Terrain:
        level = np.zeros((side, side), np.float32)
        return Terrain(level, level, DUNE_CELL)

    def snowy(side: int) -> Snowpack:
        surface, cell = land(side).surface, LAND_WIDTH / side
        ground = SnowGround(surface, wind_shelter(surface, cell, WIND), cell, None)
        warm = np.float32(9.0) - np.float32(0.0065) * surface
        weather = WinterWeather(warm, np.full_like(surface, 1200.0), course_of(WINTER_DAY, 9.0, 45.0), WIND)
        return lay_snow(ground, weather, Winter())

    found: dict[str, float] = {}
    works: dict[str, tuple[int, Callable[[int], Any]]] = {
        "sand, 1024², 500 steps": (SIDE, lambda side: run(blow_sand(sandy(side), SAND, seed=1))),
        "ice, 512², 100,000 years": (SIDE // 2, lambda side: run(glaciate(land(side), ICE))),
        "winter, 1024², 180 days": (SIDE, snowy),
        "rock, 1024², 150,000 years": (SIDE, lambda side: run(retreat(land(side), CliffRetreat(), seed=1))),
    }
    for name, (side, work) in works.items():
        work(SMALL)
        started = time.process_time()
        work(side)
        found[f"{name}: processor time, s"] = time.process_time() - started
    return found


def young_river(length: float) -> WanderingRiver:
    """Return a river with low bends of all lengths, straight at its ends."""
    x = np.arange(0.0, length + 1.0, 50.0)
    rough = np.random.default_rng(3).uniform(-40.0, 40.0, x.size + 10)
    y = np.convolve(rough, np.hanning(11) / 5.0, "valid") * np.minimum(1.0, np.minimum(x, length - x) / 1000.0)
    return river_on(np.stack((x, y, np.full_like(x, RIVER_WIDTH)), axis=1))


def their_line(start: WanderingRiver, spacing: float) -> Any:
    """Let meanderpy move the same river; it has no walls, and its river keeps its altitude."""
    x = np.arange(0.0, RIVER_LENGTH + 1.0, spacing * RIVER_WIDTH)
    y = np.interp(x, start.line[:, 0], start.line[:, 1])
    depth = RIVER_WIDTH / MEANDER_LAW.width_to_depth
    channel = meanderpy.Channel(x, y, np.linspace(15.0, 0.0, x.size), RIVER_WIDTH, depth)
    belt = meanderpy.ChannelBelt([channel], [], [0.0], [])
    steps = round(YEARS / 0.3125 * (0.5 / spacing) ** 2)
    each, never = YEARS * YEAR / steps, 10**9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        belt.migrate(
            *(steps, steps - 1, spacing * RIVER_WIDTH, 10, 2.0 * RIVER_WIDTH, [depth] * steps),
            *([MEANDER_LAW.friction] * steps, MEANDER_LAW.mobility * RIVER_WIDTH / YEAR, 0.0, each, 1000.0),
            autoaggradation=False,
            t1=never,
            t2=never,
            t3=never,
        )
    return np.stack((belt.channels[-1].x, belt.channels[-1].y), axis=1)


def rivers() -> dict[str, float]:
    """Compare the lines of a river after some years, and measure ours."""
    start = young_river(RIVER_LENGTH)
    ours = run(wander(start, MEANDER_LAW, everywhere(), YEARS)).line
    x = np.arange(1500.0, 13_000.0, 5.0)
    y, before = np.interp(x, *ours[:, :2].T), np.interp(x, *start.line[:, :2].T)
    found = {"bends of 150 years, widths, root mean square: ours": float(np.sqrt((y * y).mean()) / RIVER_WIDTH)}
    found["way of 150 years, widths: ours"] = float(np.abs(y - before).mean() / RIVER_WIDTH)
    for spacing in SPACINGS:
        theirs = np.interp(x, *their_line(start, spacing).T)
        found[f"meanderpy, points every {spacing} widths: away from ours"] = float(
            np.abs(theirs - y).mean() / RIVER_WIDTH
        )
    long = young_river(100_000.0)
    run(wander(long, MEANDER_LAW, everywhere(), 2.0))
    started = time.process_time()
    run(wander(long, MEANDER_LAW, everywhere(), 1000.0))
    found["100 km, 1000 years, processor time, s"] = time.process_time() - started
    return found


def main() -> None:
    """Print the table; write it to a file, too, if one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    differ, took = differences() | rivers() | forces(), times()
    for name, value in differ.items():
        print(f"{name:56}{value:12.2e}")
    for name, value in took.items():
        print(f"{name:56}{value:9.1f} ms")
    if options.json:
        options.json.write_text(json.dumps(differ | took, indent=1))


if __name__ == "__main__":
    main()
