"""Forces of nature beside other programs: the rain of mountains, and what follows from it.

``python build.py bench forces`` prints the table.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from orographic_precipitation import compute_orographic_precip

from terrain_addon.core import Grid
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.climate.moisture import measure_moisture
from terrain_addon.core.climate.orographic_rain import WetWind, measure_rain, orographic_rain
from terrain_addon.core.climate.snow import measure_snow_days
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise

RUNS = 5
SIDE, CELL = 1024, 10.0
# The other program pads its land by 200 samples of nothing on each side, here to a power of two.
LAND, PADDING, SPACING = 624, 200, 750.0
WEATHER = {"latitude": 0.0, "precip_base": 7.0, "wind_speed": 15.0, "wind_dir": 270.0, "conv_time": 1000.0}
WEATHER |= {"fall_time": 1000.0, "nm": 0.005, "hw": 2500.0, "cw": 0.004}
AIR = WetWind(15.0, 0.0, 1000.0, 1000.0, 0.005, 2500.0, 0.004)


def best_of(work: Callable[[], Any]) -> float:
    """Return the shortest of several runs in milliseconds, after one that is not counted."""
    work()
    times = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1e3 * min(times)


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
            lambda: compute_orographic_precip(land, CELL, CELL, **WEATHER)
        ),
        "rain, 1024²: ours": best_of(lambda: measure_rain(land, CELL, climate, None)),
        "moisture, 1024²": best_of(lambda: measure_moisture(warm, rain, climate.season)),
        "days with snow, 1024²": best_of(lambda: measure_snow_days(warm, rain, climate.season)),
    }


def main() -> None:
    """Print the table; write it to a file, too, if one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    differ, took = differences(), times()
    for name, value in differ.items():
        print(f"{name:52}{value:12.2e}")
    for name, value in took.items():
        print(f"{name:52}{value:9.1f} ms")
    if options.json:
        options.json.write_text(json.dumps(differ | took, indent=1))


if __name__ == "__main__":
    main()
