"""Mean winds of a planet by latitude, and the ways on which they bring air.

The ways are the same for all planets, so they are found once.

References
----------
Hartmann, D. L. (2016). Global Physical Climatology, 2nd ed., pp. 159–173. Elsevier.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan, sin
from .cube_sphere import face_directions
from .located_places import LocatedPlaces, place_on_faces

# Air is followed for so many steps; in one, the strongest wind goes so many degrees.
_STEPS = 27
_STEP = math.radians(2.6)


class WindWays(NamedTuple):
    """Where the air of each sample comes from, step by step.

    Attributes
    ----------
    places : LocatedPlaces
        Of shape (samples, steps + 1): the sample itself, and where its air was before each step.
    polar : ndarray of float32, shape (samples, steps + 1)
        sin² of the latitude of each place.
    rising : ndarray of float32, shape (samples, steps + 1)
        How much air rises there by itself, 0 to 1.
    steps : int
        For how many steps air is followed.
    """

    places: LocatedPlaces
    polar: Array
    rising: Array
    steps: int


@lru_cache(maxsize=2)
def wind_ways(resolution: int) -> WindWays:
    """Return where the air of each sample comes from.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face, 3 or more.

    Returns
    -------
    WindWays
    """
    directions = face_directions(resolution).reshape(-1, 3)
    shape = len(directions), _STEPS + 1
    right, up, polar, rising = (np.empty(shape, np.float32) for _ in range(4))
    ways = WindWays(LocatedPlaces(np.empty(shape, np.int32), right, up, resolution), polar, rising, _STEPS)
    _find_ways(directions, ways)
    return ways


@kernel
def latitude_of(z: float) -> float:
    """Return the latitude of a direction.

    Parameters
    ----------
    z : float
        Its height above the plane of the equator, −1 to 1.

    Returns
    -------
    float
        Radians, −π/2 to π/2.
    """
    out = math.sqrt(max(1.0 - z * z, 0.0))
    return arctan(z / max(out, 1e-12))


@kernel
def wind_at(latitude: float) -> tuple[float, float]:
    """Return the mean wind near the ground by latitude: trade winds, westerlies, polar easterlies.

    Parameters
    ----------
    latitude : float
        Radians.

    Returns
    -------
    east, north : float
        Shares of the strongest wind.

    References
    ----------
    Hartmann (2016), pp. 159–173.
    """
    size = abs(latitude)
    # The cells of the air end at 30° and at 60°; there the wave of six periods around the globe is 0.
    wave = sin(6.0 * size)
    # Trade winds blow at the equator too: a quarter of a wave from −1 at 0° to 0 at 30°.
    east = sin(3.0 * size - 0.5 * math.pi) if size < math.pi / 6.0 else -wave
    north = -0.45 * wave if latitude > 0.0 else 0.45 * wave
    return east, north


@kernel
def _rising(latitude: float) -> float:
    """How much air rises by itself: 1 at the equator, a little less at 60°, hardly at 30° and at the poles."""
    return 0.58 + 0.42 * sin(6.0 * abs(latitude) + 0.5 * math.pi)


@kernel
def _upwind(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the place from which air has come a step ago."""
    east, north = wind_at(latitude_of(z))
    out = max(math.sqrt(x * x + y * y), 1e-6)
    # Unit vectors to the east and to the north.
    ex, ey = -y / out, x / out
    nx, ny, nz = -z * x / out, -z * y / out, out
    px = x - _STEP * (east * ex + north * nx)
    py = y - _STEP * (east * ey + north * ny)
    pz = z - _STEP * north * nz
    length = math.sqrt(px * px + py * py + pz * pz)
    return px / length, py / length, pz / length


@parallel_kernel
def _find_ways(part: Part, directions: Array, ways: WindWays) -> None:
    cells, right, up, resolution = ways.places
    for k in portion(part, len(directions)):
        x, y, z = directions[k, 0], directions[k, 1], directions[k, 2]
        for step in range(ways.steps + 1):
            cells[k, step], right[k, step], up[k, step] = place_on_faces(x, y, z, resolution)
            ways.polar[k, step] = z * z
            ways.rising[k, step] = _rising(latitude_of(z))
            x, y, z = _upwind(x, y, z)
