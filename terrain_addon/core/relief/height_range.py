"""The range of heights that every relief out of nothing is scaled to."""

from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.elementary import rough_power
from ..foundation.parameters import ParameterSet, parameter


@dataclass(frozen=True)
class HeightRange(ParameterSet):
    """From the lowest to the highest point that there could be; most land uses the middle of it."""

    height: float = parameter(
        1800.0,
        "Height that the highest summit could reach above the base",
        unit="m",
        limits=(0.0, 20000.0),
        soft=(0.0, 4000.0),
    )
    base_altitude: float = parameter(
        0.0,
        "Altitude of the lowest point that there could be",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-500.0, 2000.0),
    )


@kernel
def fill_range(line: Array, base: np.float32, height: np.float32, attenuation: np.float32) -> None:
    """Turn shares P into heights base + height · Pᵏ; what rounding has put outside [0, 1] is cut off."""
    if attenuation != np.float32(1.0):
        for i in range(line.size):
            line[i] = rough_power(min(max(line[i], np.float32(0.0)), np.float32(1.0)), attenuation)
    for i in range(line.size):
        line[i] = base + height * min(max(line[i], np.float32(0.0)), np.float32(1.0))
