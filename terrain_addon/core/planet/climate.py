"""Climate of a planet: temperature by latitude and altitude, winds by latitude, and rain that winds bring.

This is a sketch of a climate, not a simulation.  Air follows the winds from far away to a place.  Over the sea it takes
up water until it is full, warm air more than cold; over land it loses rain, more where the ground rises or where air
rises by itself, at the equator and at 60°.  So deserts lie near 30° and behind ranges.

References
----------
North, G. R., Cahalan, R. F. & Coakley, J. A. (1981). Energy balance climate models. Reviews of Geophysics 19, 91–121.
doi:10.1029/RG019i001p00091  (Temperature by latitude.)
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.hashing import Purpose
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .cube_sphere import face_directions
from .located_places import mean_around, read_cell, refine_faces
from .point_noise import draw_noise, space_octaves
from .winds import WindWays, wind_ways

# Samples along an edge of the coarse planet on which winds are followed.
_COARSE = 65
# What a step of the way does to the water in the air, as shares: taken up over sea and land, lost as rain.
_FROM_SEA, _FROM_LAND, _LOST = 0.30, 0.07, 0.06
_BLUR = math.radians(2.5)
# Metres that the ground rises in a step for which all water would be lost.
_ASCENT = 5500.0
# Warm air holds more water: this much more for each °C.
_PER_DEGREE = 0.055
# Sides of the coarse planet and distance in radians over which land and sea count for how warm summers are.
_COUNTED, _REACH = 33, math.radians(7.0)
# Wavelength in degrees of currents and of the air that comes from them.
_CURRENTS = 28.0
# What noise is multiplied with: its standard deviation is then a quarter, and at most all of the variation.
_YEAR, _CURRENT = 2.0, 10.0
_MOST_RAIN = 9000.0  # mm/yr
_RAIN_AT_25 = 3000.0  # mm/yr where full air of 25 °C rises by itself
_COLDEST = -270.42  # °C of space (Fixsen 2009, doi:10.1088/0004-637X/707/2/916); no ground is colder


@dataclass(frozen=True)
class PlanetClimate(ParameterSet):
    """Air and water: they make winds, rain, ice and life."""

    enabled: bool = parameter(True, "Whether the planet has air and water; without them there is only rock")
    temperature: float = parameter(
        27.0, "Mean temperature of the year at the equator", unit="°C", limits=(-250.0, 500.0), soft=(-40.0, 50.0)
    )
    difference: float = parameter(
        46.0,
        "How much colder the poles are",
        unit="°C",
        limits=(0.0, 300.0),
        soft=(0.0, 90.0),
        label="Equator to Poles",
    )
    season: float = parameter(
        13.0,
        "How much warmer the warmest month is than the whole year at the poles",
        unit="°C",
        limits=(0.0, 100.0),
        soft=(0.0, 30.0),
    )
    lapse_rate: float = parameter(
        6.5, "How much colder it gets with altitude", unit="°C/km", limits=(0.0, 30.0), soft=(0.0, 10.0), advanced=True
    )
    rain: float = parameter(
        100.0,
        "How much rain falls, in percent of what falls on Earth",
        unit="%",
        limits=(0.0, 1000.0),
        soft=(0.0, 300.0),
    )
    variation: float = parameter(
        3.0,
        "How much the temperature differs between places of the same latitude and altitude",
        unit="°C",
        limits=(0.0, 30.0),
        soft=(0.0, 10.0),
        advanced=True,
    )


class ClimateMaps(NamedTuple):
    """Maps of the climate, float32 of shape (6, resolution, resolution).

    Attributes
    ----------
    temperature, warmest : ndarray of float32
        °C, the mean of the year and of the warmest month.
    rain : ndarray of float32
        mm per year.
    """

    temperature: Field
    warmest: Field
    rain: Field


class Air(NamedTuple):
    """What winds blow over, beside the ground.

    Attributes
    ----------
    temperature : float
        °C at the equator.
    difference : float
        How much colder the poles are.
    sea_level : float
        Altitude of the sea in metres; −inf for none.
    """

    temperature: float
    difference: float
    sea_level: float


class Weather(NamedTuple):
    """How the climate differs between places of one latitude and altitude, float32 (6, resolution, resolution).

    Attributes
    ----------
    year, current : ndarray of float32
        Noise around 0: anywhere, and between equator and poles, where currents of the sea and the air above them bring
        warmth or cold.
    """

    year: Field
    current: Field


def make_climate(
    climate: PlanetClimate, surface: Field, sea_level: float, turn: npt.NDArray[np.float64], seed: int
) -> ClimateMaps:
    """Return the climate of a planet.

    Parameters
    ----------
    climate : PlanetClimate
        What kind of climate.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Altitudes in metres.
    sea_level : float
        Altitude of the sea in metres; −inf for none.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.

    Returns
    -------
    ClimateMaps
    """
    weather, brought = draw_weather(surface.shape[1], turn, seed), bring_rain(climate, surface, sea_level)
    return put_climate_together(climate, surface, sea_level, weather, brought)


def draw_weather(resolution: int, turn: npt.NDArray[np.float64], seed: int) -> Weather:
    """Return how the climate differs from place to place.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.

    Returns
    -------
    Weather
    """
    directions, finest = face_directions(resolution), 180.0 / resolution
    year = space_octaves(40.0, 8, 0.6, seed, Purpose.WEATHER, finest)
    current = space_octaves(_CURRENTS, 9, 0.68, seed, Purpose.CURRENTS, finest)
    return Weather(draw_noise(year, turn, directions), draw_noise(current, turn, directions))


def bring_rain(climate: PlanetClimate, surface: Field, sea_level: float) -> Field:
    """Return the rain that winds bring.

    Parameters
    ----------
    climate : PlanetClimate
        How warm it is: its `temperature` and `difference` count.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Altitudes in metres.
    sea_level : float
        Altitude of the sea in metres; −inf for none.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        As a share of the most that falls where full air of 25 °C rises by itself.
    """
    coarse = min(_COARSE, surface.shape[1])
    seen = _blurred(surface, coarse)
    brought = np.empty(seen.shape, np.float32)
    # Without a sea air is dry everywhere.
    air = Air(climate.temperature, climate.difference, sea_level)
    _follow_winds(air, seen.reshape(-1), wind_ways(coarse), brought.reshape(-1))
    return refine_faces(brought, surface.shape[1])


def put_climate_together(
    climate: PlanetClimate, surface: Field, sea_level: float, weather: Weather, brought: Field
) -> ClimateMaps:
    """Return the climate of a planet from its parts.

    Parameters
    ----------
    climate : PlanetClimate
        What kind of climate.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Altitudes in metres.
    sea_level : float
        Altitude of the sea in metres; −inf for none.
    weather : Weather
        From `draw_weather`.
    brought : ndarray of float32, shape (6, resolution, resolution)
        From `bring_rain`.

    Returns
    -------
    ClimateMaps
    """
    level = np.float32(sea_level) if math.isfinite(sea_level) else np.float32(0.0)
    # T = T₀ − ΔT sin² φ − Γ max(h, 0); the z of a direction is sin φ.
    polar = (face_directions(surface.shape[1])[..., 2] ** 2).astype(np.float32)
    above = np.maximum(surface - level, np.float32(0.0)) * np.float32(0.001 * climate.lapse_rate)
    temperature = np.float32(climate.temperature) - np.float32(climate.difference) * polar - above
    # At the equator and at the poles there is no warmer or colder place that currents could come from.
    between = np.float32(1.0) - (np.float32(1.0) - np.float32(2.0) * polar) ** 2
    temperature += np.float32(_YEAR * climate.variation) * weather.year
    temperature += np.float32(_CURRENT * climate.variation) * between * weather.current
    np.maximum(temperature, np.float32(_COLDEST), out=temperature)
    # Summers are warmer inland than at sea.
    inland = np.float32(2.0) * _land_around(surface, sea_level) - np.float32(1.0)
    season = np.float32(climate.season) * polar * (np.float32(1.0) + (np.float32(1.0) - polar) * inland)
    warmest = temperature + season
    rain = brought * np.float32(0.01 * climate.rain * _RAIN_AT_25)
    rain *= np.float32(1.0) + np.clip(weather.year, np.float32(-0.5), np.float32(0.5))
    rain /= np.float32(1.0) + rain / np.float32(_MOST_RAIN)
    return ClimateMaps(temperature, warmest, rain)


@kernel
def _full(air: Air, polar: float) -> float:
    """How much water air by the sea can hold, as a multiple of that at 25 °C."""
    return exp(_PER_DEGREE * (min(air.temperature - air.difference * polar, 45.0) - 25.0))


@parallel_kernel
def _follow_winds(part: Part, air: Air, surface: Array, ways: WindWays, rain: Array) -> None:
    """Write the rain of each place, as a share of the most that falls where full air of 25 °C rises by itself."""
    cells, right, up, resolution = ways.places
    for k in portion(part, len(cells)):
        first = ways.steps
        water = 0.6 * _full(air, ways.polar[k, first])
        before = max(read_cell(surface, cells[k, first], right[k, first], up[k, first], resolution), air.sea_level)
        fallen = 0.0
        for step in range(first - 1, -1, -1):
            height = read_cell(surface, cells[k, step], right[k, step], up[k, step], resolution)
            most = _full(air, ways.polar[k, step])
            is_sea = height < air.sea_level
            height = max(height, air.sea_level)
            water += (_FROM_SEA if is_sea else _FROM_LAND) * max(most - water, 0.0)
            climb = max(height - before, 0.0) / _ASCENT
            share = min(_LOST * ways.rising[k, step] + climb, 0.7)
            # Air that cools sheds what it cannot hold.
            fallen = share * water + max((1.0 - share) * water - most, 0.0)
            water = min((1.0 - share) * water, most)
            before = height
        rain[k] = fallen / _LOST


def _blurred(surface: Field, coarse: int) -> Field:
    """The ground as winds see it."""
    return mean_around(surface, coarse, _BLUR)


def _land_around(surface: Field, sea_level: float) -> Field:
    """The share of land around each sample."""
    if not math.isfinite(sea_level):
        return np.ones_like(surface)
    coarse = min(_COUNTED, surface.shape[1])
    is_land = (surface >= np.float32(sea_level)).astype(np.float32)
    near = mean_around(is_land, coarse, _BLUR)
    return refine_faces(mean_around(near, coarse, _REACH), surface.shape[1])
