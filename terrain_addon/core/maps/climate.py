"""The maps of the climate: rain, temperature, moisture and days with snow.

References
----------
Smith, R. B. & Barstad, I. (2004). A linear theory of orographic precipitation. Journal of the Atmospheric Sciences 61,
1377–1391. doi:10.1175/1520-0469(2004)061<1377:ALTOOP>2.0.CO;2
"""

import numpy as np

from ..climate.moisture import measure_moisture
from ..climate.orographic_rain import measure_coarse_rain, spread_rain
from ..climate.snow import DAYS, measure_snow_days
from ..climate.temperature import measure_temperature, temperature_at_sea
from ..foundation.terrain import Field
from .declaration import Kept, Map, Measurement


def rain_share(rain: Field) -> Field | None:
    """Return rain as a multiple of its mean.

    Parameters
    ----------
    rain : ndarray of float32, shape (rows, columns)
        mm per year, 0 or more.

    Returns
    -------
    ndarray of float32, shape (rows, columns), or None
        None where it never rains.

    Examples
    --------
    >>> rain_share(np.array([[500.0, 1500.0]], np.float32)).round(3).tolist()
    [[0.5, 1.5]]
    """
    mean = float(rain.sum(dtype=np.float64)) / rain.size
    return rain * np.float32(1.0 / mean) if mean > 0.0 else None


SEA_WARMTH = Measurement(
    "sea_warmth",
    lambda terrain, climate, illumination, water: (
        water.sea_surface or 0.0,
        temperature_at_sea(climate, illumination.latitude),
    ),
    reads=("climate", "illumination", "water"),
)
COARSE_RAIN = Measurement(
    "coarse_rain",
    lambda terrain, climate, water: measure_coarse_rain(terrain.surface, terrain.cell_size, climate, water.sea_surface),
    reads=("climate", "water"),
    layers=4,
    switch="climate",
)
RAIN_MAP = Map(
    "rain",
    lambda terrain, coarse_rain: spread_rain(coarse_rain, terrain.surface.shape),
    needs=(COARSE_RAIN.name,),
    description="Rain and snow of a year, as water",
    unit="mm/yr",
    kept=Kept.WHERE_ON,
    switch="climate",
    is_quick=True,
)
TEMPERATURE = Map(
    "temperature",
    lambda terrain, illumination, sea_warmth, climate: measure_temperature(
        terrain.surface, illumination, climate, sea_warmth
    ),
    needs=("illumination", "sea_warmth"),
    reads=("climate",),
    description="Mean temperature of the year",
    unit="°C",
    layers=2,
    kept=Kept.WHERE_ON,
    switch="climate",
    is_quick=True,
)
MOISTURE = Map(
    "moisture",
    lambda terrain, temperature, rain, climate: measure_moisture(temperature, rain, climate.season),
    needs=("temperature", "rain"),
    reads=("climate",),
    description="Rain as a share of rain and of what could evaporate in a year together",
    limits=(0.0, 1.0),
    kept=Kept.WHERE_ON,
    switch="climate",
    is_quick=True,
)
SNOW_DAYS = Map(
    "snow_days",
    lambda terrain, temperature, rain, climate: measure_snow_days(temperature, rain, climate.season),
    needs=("temperature", "rain"),
    reads=("climate",),
    description="Days of a year on which snow lies",
    unit="d",
    limits=(0.0, float(DAYS)),
    kept=Kept.WHERE_ON,
    switch="climate",
)
