"""Sunlight that the ground catches in the course of a day."""

import math
from dataclasses import dataclass

import numpy as np

from ..compilation import Array, parallel_kernel, prange
from ..parameters import ParameterSet, parameter
from ..terrain import Field
from .slope import horn_gradient

_HOURS = 24


@dataclass(frozen=True)
class Illumination(ParameterSet):
    """The sun of the equinox, from sunrise to sunset."""

    latitude: float = parameter(
        45.0,
        "Where on earth the land lies: north of the equator southern slopes are bright",
        unit="°",
        limits=(-90.0, 90.0),
    )


def measure_illumination(surface: Field, cell_size: float, illumination: Illumination) -> Field:
    """Return the share of the sun's light that each cell catches at the equinox.

    The mean over the day of max(0, n·s), n the surface normal and s the direction of the sun, divided by the mean for
    a surface that always faces the sun.  Shadows cast by other ground are not counted.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In [0, 1].
    """
    suns = _equinox_suns(math.radians(illumination.latitude))
    result = np.empty_like(surface)
    _illuminate(surface, 1.0 / cell_size, suns, result)
    return result


def _equinox_suns(latitude: float) -> Array:
    """Directions (east, north, up) of the sun above the horizon, shape (hours, 3); declination 0."""
    hours = [2.0 * math.pi * (k + 0.5) / _HOURS - math.pi for k in range(_HOURS)]
    suns = [(-math.sin(h), -math.cos(h) * math.sin(latitude), math.cos(h) * math.cos(latitude)) for h in hours]
    return np.array([sun for sun in suns if sun[2] > 0.0] or [(0.0, 0.0, 1.0)], np.float32)


@parallel_kernel
def _illuminate(surface: Array, per_cell: float, suns: Array, result: Array) -> None:
    count = suns.shape[0]
    for row in prange(surface.shape[0]):
        line = result[row]
        for column in range(surface.shape[1]):
            east, north = horn_gradient(surface, row, column, per_cell)
            up = 1.0 / math.sqrt(1.0 + east * east + north * north)
            light = 0.0
            for k in range(count):
                light += max(0.0, suns[k, 2] - suns[k, 0] * east - suns[k, 1] * north)
            line[column] = min(1.0, light * up / count)
