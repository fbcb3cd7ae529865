"""The range of heights that every generated surface is scaled to."""

from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.elementary import rough_power
from ..foundation.parameters import ParameterSet, parameter


@dataclass(frozen=True)
class HeightRange(ParameterSet):
    """The lowest and the highest height that can occur; most surfaces use the middle of the range."""

    height: float = parameter(
        1800.0,
        "Greatest height above the base that can occur",
        unit="m",
        limits=(0.0, 20000.0),
        soft=(0.0, 4000.0),
    )
    base_altitude: float = parameter(
        0.0,
        "Lowest altitude that can occur",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-500.0, 2000.0),
    )


@kernel
def fill_range(line: Array, base: np.float32, height: np.float32, attenuation: np.float32) -> None:
    """Turn shares P of the range into heights base + height · Pᵏ, in place.

    Shares that rounding has put outside [0, 1] are cut off.

    Parameters
    ----------
    line : ndarray of float32, shape (samples,)
        P before, m after.
    base : numpy.float32
        Height in m where P is 0.
    height : numpy.float32
        Height in m above the base where P is 1.
    attenuation : numpy.float32
        The exponent k, 1 or more.
    """
    if attenuation != np.float32(1.0):
        for i in range(line.size):
            line[i] = rough_power(min(max(line[i], np.float32(0.0)), np.float32(1.0)), attenuation)
    for i in range(line.size):
        line[i] = base + height * min(max(line[i], np.float32(0.0)), np.float32(1.0))
