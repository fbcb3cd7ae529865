"""Weathering: bedrock turns to soil where the slope is gentle enough for soil to stay.

    S ← max(S, d · (1 − (tan β / tan β_c)²)),    B ← h − S

with B the bedrock, S the soil, h the surface, which stays, d the depth of soil on level ground, β the slope and β_c the
talus angle.

>>> roof = Terrain(np.array([[0.0, 5.0, 5.0, 5.0]] * 3, np.float32), np.zeros((3, 4), np.float32), 10.0)
>>> print(weather_rock(roof, Weathering(soil_depth=2.0, talus_angle=45.0)).sediment[1])
[1.5   1.875 2.    2.   ]

References
----------
J. J. Roering, J. W. Kirchner and W. E. Dietrich (1999), "Evidence for nonlinear, diffusive sediment transport on
hillslopes and implications for landscape morphology", Water Resources Research 35, 853-870, doi:10.1029/1998WR900090:
how the flux of soil grows with slope, Eq. (8).

A. M. Heimsath, W. E. Dietrich, K. Nishiizumi and R. C. Finkel (1997), "The soil production function and landscape
equilibrium", Nature 388, 358-361, doi:10.1038/41056: soil depth as a balance of production and transport.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from ..maps.slope import gradient_of_row
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters


@dataclass(frozen=True)
class Weathering(ProcessParameters):
    """Rock turns to soil, which is thick on gentle ground and absent where the slope is too steep."""

    soil_depth: float = parameter(
        1.5, "Thickness of the soil on level ground", unit="m", limits=(0.0, 100.0), soft=(0.0, 5.0)
    )
    talus_angle: float = parameter(
        40.0, "Slope from which rock is bare", unit="°", limits=(1.0, 89.0), soft=(25.0, 60.0)
    )


def weather_rock(terrain: Terrain, weathering: Weathering) -> Terrain:
    """Turn the top of the bedrock into sediment; the surface stays where it is.

    The flux of soil is divided by the same factor, 1 − (tan β / tan β_c)², in Eq. (8) of Roering, Kirchner & Dietrich
    (1999): where soil moves faster, it is thinner.

    Parameters
    ----------
    terrain : Terrain
        The land.  Its sediment stays and counts towards the depth.
    weathering : Weathering
        The depth of the soil and the talus angle.

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
    """Turn the top of the bedrock into sediment, with the mass balance; see `weather_rock`.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : Weathering
        The depth of the soil and the talus angle.

    Yields
    ------
    float
        Share done: 0 once, before its only step.

    Returns
    -------
    Eroded
        The same surface; nothing was uplifted and nothing left.
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
    """Turn rock to sediment by its slope; sediment that lies there counts towards the depth."""
    easts, norths = np.empty(surface.shape[1]), np.empty(surface.shape[1])
    for row in portion(part, surface.shape[0]):
        gradient_of_row(surface, row, per_cell, easts, norths)
        for column in range(surface.shape[1]):
            east, north = easts[column], norths[column]
            # soil_depth · (1 − (tan β / tan β_c)²); tan² β is the squared length of the gradient.
            soil = np.float32(depth * max(0.0, 1.0 - critical * (east * east + north * north)))
            soil = max(soil, before[row, column])
            sediment[row, column] = soil
            bedrock[row, column] = surface[row, column] - soil


def _reach(process: Weathering, cell_size: float) -> int:
    return 1


WEATHERING = Process(Weathering, erode_by_weathering, keeps_surface=True, reach=_reach)
