"""Soil from rock: bedrock weathers to sediment where the slope lets it lie."""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from ..maps.slope import horn_gradient
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process


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
    surface = terrain.surface
    bedrock, sediment = np.empty_like(surface), np.empty_like(surface)
    critical = 1.0 / math.tan(math.radians(weathering.talus_angle)) ** 2
    per_cell, depth = 1.0 / terrain.cell_size, np.float32(weathering.soil_depth)
    _weather(surface, terrain.sediment, per_cell, depth, critical, bedrock, sediment)
    return Terrain(bedrock, sediment, terrain.cell_size)


def erode_by_weathering(terrain: Terrain, process: Weathering) -> Steps[Eroded]:
    """Turn the top of the bedrock into sediment, with the books; see `weather_rock`.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : Weathering
        How deep and up to what slope.

    Yields
    ------
    float
        Share done: 0, it is a matter of one step.

    Returns
    -------
    Eroded
        The same surface; nothing came and nothing left.
    """
    yield 0.0
    after = weather_rock(terrain, process)
    return Eroded(after, MassBalance(volume_of(terrain), volume_of(after)))


@parallel_kernel
def _weather(
    part: Part,
    surface: Array,
    before: Array,
    per_cell: float,
    depth: np.float32,
    critical: float,
    bedrock: Array,
    sediment: Array,
) -> None:
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            east, north = horn_gradient(surface, row, column, per_cell)
            # tan² β is the squared length of the gradient.
            soil = np.float32(depth * max(0.0, 1.0 - critical * (east * east + north * north)))
            soil = max(soil, before[row, column])
            sediment[row, column] = soil
            bedrock[row, column] = surface[row, column] - soil


WEATHERING = Process(Weathering, erode_by_weathering)
