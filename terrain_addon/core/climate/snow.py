"""Days of the year on which snow lies: it falls in the cold and melts by degree-days.

    melt of a day = k · max(T, 0)                                                                                 (2)

References
----------
Hock, R. (2003). Temperature index melt modelling in mountain areas. Journal of Hydrology 282, 104–115.
doi:10.1016/S0022-1694(03)00257-9
"""

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from .year import warmer_by

DAYS = 365
_MELT = 4.0  # mm of water a day for each °C above 0; Hock (2003), table 1: 2.5 to 5.5 for snow
_ALL_RAIN = 2.0  # °C; from 0 up to here some of what falls is snow


def measure_snow_days(temperature: Field, rain: Field, season: float) -> Field:
    """Return on how many days of a year snow lies.

    What falls is spread evenly over the year.  The year begins on its warmest day, without snow; where snow is left at
    its end, it lies all year.

    Parameters
    ----------
    temperature : ndarray of float32, shape (rows, columns)
        Mean of the year in °C.
    rain : ndarray of float32, shape (rows, columns)
        Rain and snow as water in mm per year, 0 or more.
    season : float
        By how many °C the warmest day is warmer than the year.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 365.

    References
    ----------
    Hock (2003), eq. (2): melt M = k · max(T, 0) a day.

    Examples
    --------
    >>> places = np.array([[15.0, 2.0, -20.0]], np.float32)
    >>> measure_snow_days(places, np.full_like(places, 1000.0), 9.0).tolist()
    [[0.0, 198.0, 365.0]]
    """
    days = np.empty_like(rain)
    _follow_year(temperature, rain, warmer_by(season, DAYS), days)
    return days


@kernel
def snowfall_fraction(degrees: np.float32) -> np.float32:
    """Return which share of what falls at a temperature is snow: 1 − T / 2 °C, cut off at 0 and 1.

    Parameters
    ----------
    degrees : float32
        °C.

    Returns
    -------
    float32
        0 to 1.

    Examples
    --------
    >>> [float(snowfall_fraction(np.float32(degrees))) for degrees in (-5.0, 0.5, 3.0)]
    [1.0, 0.75, 0.0]
    """
    return min(max(np.float32(1.0) - degrees * np.float32(1.0 / _ALL_RAIN), np.float32(0.0)), np.float32(1.0))


@parallel_kernel
def _follow_year(part: Part, temperature: Array, rain: Array, year: Array, days: Array) -> None:
    """Write the days with snow; where some is left at the end of the year, all its days."""
    zero, one = np.float32(0.0), np.float32(1.0)
    melt, per_day = np.float32(_MELT), np.float32(1.0 / DAYS)
    snow = np.empty(rain.shape[1], np.float32)  # in mm of water
    for row in portion(part, rain.shape[0]):
        warm, fall, count = temperature[row], rain[row], days[row]
        snow[:], count[:] = zero, zero
        for warmer in year:
            for column in range(count.size):
                degrees = warm[column] + warmer
                fallen = fall[column] * per_day * snowfall_fraction(degrees)
                snow[column] = max(snow[column] + fallen - melt * max(degrees, zero), zero)
                count[column] += one if snow[column] > zero else zero
        for column in range(count.size):
            count[column] = np.float32(DAYS) if snow[column] > zero else count[column]
