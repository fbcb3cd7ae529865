"""Mean temperature of the year, by latitude, altitude and light.

    T = 28.9 − 42 sin² φ + warmth − Γ min(h, 11 km) + a (I − mean I)

with the latitude φ, the fall of temperature with altitude Γ, the height h above the sea, the light I on the ground from
0 to 1, and how much warmer sunny slopes are, a.  Above the tropopause of the standard atmosphere, at 11 km, it gets no
colder (ICAO 1993).

References
----------
International Civil Aviation Organization (1993). Manual of the ICAO Standard Atmosphere. Doc 7488, third edition.

North, G. R., Cahalan, R. F. & Coakley, J. A. (1981). Energy balance climate models. Reviews of Geophysics 19, 91–121.
doi:10.1029/RG019i001p00091
"""

import math

import numpy as np

from ..foundation.elementary import sin
from ..foundation.terrain import Field
from .climate import Climate

TROPOPAUSE = 11_000.0
"""Height in metres above the sea up to which it gets colder (ICAO 1993)."""


def temperature_at_sea(climate: Climate, latitude: float) -> float:
    """Return the mean temperature of the year at sea level.

    Parameters
    ----------
    climate : Climate
        Its `warmth` counts.
    latitude : float
        Degrees, −90 to 90.

    Returns
    -------
    float
        °C.

    References
    ----------
    North et al. (1981): the observed mean of each latitude, T = 14.9 − 28 P₂(sin φ) = 28.9 − 42 sin² φ.

    Examples
    --------
    >>> round(temperature_at_sea(Climate(), 45.0), 3)
    11.9
    """
    return 28.9 - 42.0 * sin(math.radians(latitude)) ** 2 + climate.warmth


def altitude_with(temperature: float, climate: Climate, latitude: float) -> float:
    """Return the altitude where the year has a mean temperature.

    Parameters
    ----------
    temperature : float
        °C.
    climate : Climate
        How warm the land is.
    latitude : float
        Degrees, −90 to 90.

    Returns
    -------
    float
        Metres above the sea; infinite, with the sign of where it is warmer, if it is nowhere so cold or so warm.

    Examples
    --------
    >>> round(altitude_with(-1.5, Climate(), 45.0))
    2062
    """
    warmer = temperature_at_sea(climate, latitude) - temperature
    altitude = 1000.0 * warmer / climate.lapse_rate if climate.lapse_rate > 0.0 else math.copysign(math.inf, warmer)
    return altitude if altitude <= TROPOPAUSE else math.inf


def measure_temperature(surface: Field, illumination: Field, climate: Climate, sea: tuple[float, float]) -> Field:
    """Return the mean temperature of the year: T = T₀ − Γ · min(h, 11 km) + a · (I − mean I).

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    illumination : ndarray of float32, shape (rows, columns)
        Light on the ground, 0 to 1.
    climate : Climate
        `lapse_rate` Γ and `sunny_slopes` a.
    sea : tuple of float
        Altitude of the sea in metres, and T₀ there in °C; ground below the sea is as warm as the sea.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        °C.
    """
    sea_level, at_sea = map(np.float32, sea)
    usual = np.float32(illumination.sum(dtype=np.float64) / illumination.size)
    warm = surface - sea_level
    np.clip(warm, np.float32(0.0), np.float32(TROPOPAUSE), out=warm)
    warm *= np.float32(0.001 * climate.lapse_rate)
    np.subtract(at_sea, warm, out=warm)
    sunny = illumination - usual
    sunny *= np.float32(climate.sunny_slopes)
    warm += sunny
    return warm
