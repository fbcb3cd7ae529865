"""How moist a place is over the year: rain beside what could evaporate.

    M = P / (P + E),    E = 58.93 mm · mean of T within 0 and 30 °C

with the rain P of a year, and the mean of the temperatures T of its months.

References
----------
Holdridge, L. R. (1967). Life Zone Ecology. Tropical Science Center, San José.  (Potential evapotranspiration of 58.93
mm a year for each degree of biotemperature, the mean of temperatures with those outside 0 to 30 °C cut off.)
"""

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field
from .year import warmer_by

_PER_DEGREE = 58.93  # mm/(yr °C)
_WARMEST = 30.0  # °C; plants evaporate no more in greater heat


def measure_moisture(temperature: Field, rain: Field, season: float) -> Field:
    """Return rain as a share of rain and potential evaporation together.

    Parameters
    ----------
    temperature : ndarray of float32, shape (rows, columns)
        Mean of the year in °C.
    rain : ndarray of float32, shape (rows, columns)
        mm per year, 0 or more.
    season : float
        By how many °C the warmest month is warmer than the year.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 without any rain, ½ where as much falls as could evaporate, near 1 where it is cold or rains much; 1 where
        neither rain falls nor anything evaporates.

    References
    ----------
    Holdridge (1967).

    Examples
    --------
    >>> measure_moisture(np.array([[20.0]], np.float32), np.array([[20.0 * 58.93]], np.float32), 0.0).tolist()
    [[0.5]]
    """
    moisture = np.empty_like(rain)
    _share(temperature, rain, warmer_by(season, 12), moisture)
    return moisture


@parallel_kernel
def _share(part: Part, temperature: Array, rain: Array, months: Array, moisture: Array) -> None:
    """Write rain over rain and potential evaporation; the moisture of a row first holds its biotemperature."""
    zero, one, warmest = np.float32(0.0), np.float32(1.0), np.float32(_WARMEST)
    per_month = np.float32(_PER_DEGREE / 12.0)
    for row in portion(part, rain.shape[0]):
        warm, line = temperature[row], moisture[row]
        line[:] = zero
        for month in months:
            for column in range(line.size):
                line[column] += min(max(warm[column] + month, zero), warmest)
        for column in range(line.size):
            both = rain[row, column] + per_month * line[column]
            line[column] = rain[row, column] / both if both > zero else one
