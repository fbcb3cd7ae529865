"""Soil from rock: bedrock weathers to sediment where the slope lets it lie."""

import math
from dataclasses import dataclass

import numpy as np

from ..compilation import Array, parallel_kernel, prange
from ..maps.slope import measure_slope
from ..parameters import ParameterSet, parameter
from ..terrain import Terrain


@dataclass(frozen=True)
class Weathering(ParameterSet):
    """Rock turns to soil, thick on gentle ground, gone where it is too steep to stay."""

    enabled: bool = parameter(True, "Whether this process takes part")
    soil_depth: float = parameter(
        1.5, "Thickness of the soil on level ground", unit="m", limits=(0.0, 100.0), soft=(0.0, 5.0)
    )
    talus_angle: float = parameter(
        40.0, "Slope from which on rock stays bare", unit="°", limits=(1.0, 89.0), soft=(25.0, 60.0)
    )


def weather_rock(terrain: Terrain, weathering: Weathering) -> Terrain:
    """Turn the top of the bedrock into sediment; the surface stays where it is.

    The depth that turns is soil_depth · (1 − (tan β / tan β_c)²), β the slope and β_c the talus angle, the factor by
    which the flux of loose ground grows without bound towards the critical slope (Roering, Kirchner & Dietrich
    1999, eq. 8).

    Parameters
    ----------
    terrain : Terrain
        The land; sediment that lies there already stays and counts towards the depth.
    weathering : Weathering
        How deep and up to what slope.

    Returns
    -------
    Terrain
        Bedrock plus sediment unchanged in every cell, to float32 rounding.
    """
    slope = measure_slope(terrain.surface, terrain.cell_size)
    bedrock, sediment = np.empty_like(slope), np.empty_like(slope)
    critical = 1.0 / math.tan(math.radians(weathering.talus_angle)) ** 2
    _weather(terrain.surface, terrain.sediment, slope, np.float32(weathering.soil_depth), critical, bedrock, sediment)
    return Terrain(bedrock, sediment, terrain.cell_size)


@parallel_kernel
def _weather(
    surface: Array, before: Array, slope: Array, depth: np.float32, critical: float, bedrock: Array, sediment: Array
) -> None:
    for row in prange(slope.shape[0]):
        for column in range(slope.shape[1]):
            steepness = math.tan(math.radians(slope[row, column]))
            soil = np.float32(depth * max(0.0, 1.0 - critical * steepness * steepness))
            soil = max(soil, before[row, column])
            sediment[row, column] = soil
            bedrock[row, column] = surface[row, column] - soil
