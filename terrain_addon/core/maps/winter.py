"""The map of a winter, which says how deep snow lies on its day, and the rivers that carry away what melts.

References
----------
Winstral, A., Elder, K. & Davis, R. E. (2002). Spatial snow modeling of wind-redistributed snow using terrain-based
parameters. Journal of Hydrometeorology 3, 524–538. doi:10.1175/1525-7541(2002)003<0524:SSMOWR>2.0.CO;2
"""

from dataclasses import replace

import numpy as np

from ..climate.climate import Climate
from ..climate.temperature import measure_temperature
from ..flow.drainage import drainage_area
from ..flow.inflows import inlets_of
from ..flow.routing import Router, lowest_outlet
from ..flow.water import Water, Waters
from ..foundation.terrain import Field, Terrain
from ..snow.drift import SHELTER_DISTANCE
from ..snow.snowpack import SnowGround, Snowpack, WinterWeather, lay_snow, widen
from ..snow.winter import Course, Winter, course_of
from .declaration import Kept, Map, Measurement
from .horizon import measure_horizon

# Sx is the mean over so many degrees around the wind, as winds are never from one direction only.
_SPREAD = (-15.0, 0.0, 15.0)
_DAYS_OF_YEAR = 365.0
_MM_PER_M = 1000.0


def wind_shelter(surface: Field, cell_size: float, direction: float) -> Field:
    """Return Sx: how far up one looks against the wind, to the highest ground within 100 m.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    direction : float
        Degrees: where the wind comes from, clockwise from north.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Degrees; above 0 in the lee, below 0 where the ground falls away against the wind.

    References
    ----------
    Winstral et al. (2002), eq. (1), as the mean of three directions.

    Examples
    --------
    Wind from the west, over a step up and a step down:

    >>> wind_shelter(np.array([[0, 0, 10, 10, 0, 0]] * 9, np.float32), 10.0, 270.0)[4].round(0).tolist()
    [0.0, 0.0, -18.0, 0.0, 44.0, 26.0]
    """
    horizons = measure_horizon(surface, cell_size, [direction + one for one in _SPREAD], SHELTER_DISTANCE)
    # Added one by one, as numpy's sums differ between versions.
    return ((horizons[0] + horizons[1]) + horizons[2]) * np.float32(1.0 / len(_SPREAD))


def _lay_snow(
    terrain: Terrain,
    *,
    illumination: Field,
    winter_course: Course,
    winter: Winter,
    climate: Climate,
    water: Water,
    temperature: Field | None = None,
    rain: Field | None = None,
) -> Snowpack:
    """Return the snow on a land; without temperature and rain of a climate, by what the winter itself says."""
    surface, sea = terrain.surface, water.sea_surface
    if temperature is None:
        lowest = max(float(surface.min()), -np.inf if sea is None else sea)
        at_lowest = (lowest, winter.valley_temperature + winter.season)
        temperature = measure_temperature(surface, illumination, climate, at_lowest)
    if rain is None:
        rain = np.full_like(surface, winter.precipitation)
    wind = (climate if climate.enabled else winter).wind_direction
    shelter = wind_shelter(surface, terrain.cell_size, wind)
    ground = SnowGround(surface, shelter, terrain.cell_size, sea)
    return lay_snow(ground, WinterWeather(temperature, rain, winter_course, wind), winter)


def _swell(
    terrain: Terrain, *, waters: Waters, snowpack: Snowpack, winter: Winter, water: Water, rain: Field | None = None
) -> Waters:
    """Return the water of a land with rivers as wide as the melt water of the day makes them."""
    usual_rain = winter.precipitation if rain is None else float(rain.sum(dtype=np.float64)) / rain.size
    if len(waters.rivers) == 0 or usual_rain <= 0.0:
        return waters
    inlets = inlets_of(water.inflows, terrain.surface.shape, terrain.cell_size, waters.lake_cell)
    router = Router(terrain.surface.shape, inlets=inlets)
    router.route(terrain.surface, lowest_outlet(water.sea_surface))
    # Square metres that would shed as much if the rain of a usual day fell on them.
    melt = drainage_area(router.routes(terrain.cell_size), snowpack.melt * np.float32(_DAYS_OF_YEAR / usual_rain))
    usual = np.maximum(waters.drainage_area.astype(np.float64), terrain.cell_size**2)
    wider = np.empty_like(waters.rivers.width)
    widen(waters.rivers.width, waters.rivers.cell, melt.ravel(), usual.ravel(), wider)
    return replace(waters, rivers=replace(waters.rivers, width=wider))


def notices_of(snow: Snowpack) -> tuple[str, ...]:
    """Return a sentence if there is no snow to be seen.

    Parameters
    ----------
    snow : Snowpack
        On the day that is seen.

    Returns
    -------
    tuple of str
    """
    if snow.balance.lies > 0.0:
        return ()
    if snow.balance.fell > 0.0:
        return ("No snow lies on this day: all that fell has melted; choose an earlier day or a colder winter",)
    if snow.coldest > 0.0:
        return (f"No snow falls: the coldest day so far has {snow.coldest:.1f} °C at the coldest place, above 0 °C",)
    return ("No snow falls: neither snow nor rain does; raise the snowfall of the winter, or the rain",)


COURSE = Measurement(
    "winter_course",
    lambda terrain, winter, climate, illumination: course_of(
        winter.day_of_year, (climate if climate.enabled else winter).season, illumination.latitude
    ),
    reads=("winter", "climate", "illumination"),
    switch="winter",
)
SNOWPACK = Measurement(
    "snowpack",
    _lay_snow,
    needs=("illumination", COURSE.name),
    reads=("winter", "climate", "water"),
    with_climate=("temperature", "rain"),
    switch="winter",
    layers=27,
)
SNOW_DEPTH = Map(
    "snow_depth",
    lambda terrain, snowpack, water_depth: np.where(water_depth > 0.0, np.float32(0.0), snowpack.depth),
    needs=(SNOWPACK.name, "water_depth"),
    description="Depth of the snow on the day of the winter; none lies on lakes and the sea",
    unit="m",
    kept=Kept.WHERE_ON,
    switch="winter",
    is_quick=True,
)
SWOLLEN_WATERS = Measurement(
    "swollen_waters",
    _swell,
    needs=("waters", SNOWPACK.name),
    reads=("winter", "water"),
    with_climate=("rain",),
    switch="winter",
    layers=9,
)
