"""A plane laid on a planet at one place: metres to the east and north become directions.

References
----------
Snyder, J. P. (1987). Map projections: a working manual. USGS Professional Paper 1395, 191–202. doi:10.3133/pp1395
(Azimuthal equidistant projection.)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import arctan, cos, sin
from .cube_sphere import Directions


class Place(NamedTuple):
    """A place on a planet.

    Attributes
    ----------
    latitude : float
        Degrees, −90 to 90, north above 0.
    longitude : float
        Degrees, −180 to 180, east above 0.
    """

    latitude: float
    longitude: float

    def checked(self) -> "Place":
        """Return the place, if it is on the planet.

        Raises
        ------
        ValueError
            If a number is out of its range.
        """
        for name, value, limit in (("latitude", self.latitude, 90.0), ("longitude", self.longitude, 180.0)):
            if not -limit <= value <= limit:
                raise ValueError(f"{name} = {value}° is outside -{limit:g} to {limit:g}°")
        return self


def direction_of(place: Place) -> npt.NDArray[np.float64]:
    """Return the direction of a place.

    Parameters
    ----------
    place : Place
        On the planet.

    Returns
    -------
    ndarray of float64, shape (3,)
        A unit vector.
    """
    return _frame_of(place)[2]


def place_of(direction: npt.NDArray[np.float64]) -> Place:
    """Return the place that lies in a direction.

    Parameters
    ----------
    direction : ndarray of float64, shape (3,)
        Of any length above 0.

    Returns
    -------
    Place
    """
    x, y, z = (float(part) for part in direction)
    return Place(math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x)))


def plane_directions(
    place: Place, radius: float, east: npt.NDArray[np.float64], north: npt.NDArray[np.float64]
) -> Directions:
    """Return the directions of the crossings of a grid on the plane that touches a planet at a place.

    Distances from the place, and the directions in which they lie, are those on the sphere.

    Parameters
    ----------
    place : Place
        Where the plane touches the planet.
    radius : float
        Of the planet in metres.
    east, north : ndarray of float64, shape (columns,) and (rows,)
        Metres from the place.

    Returns
    -------
    ndarray of float64, shape (rows, columns, 3)
        Unit vectors.

    References
    ----------
    Snyder (1987), pp. 191–202.
    """
    directions = np.empty((len(north), len(east), 3), np.float64)
    _project(_frame_of(place), radius, east, north, directions)
    return directions


def plane_places(place: Place, radius: float, directions: Directions) -> npt.NDArray[np.float64]:
    """Return where directions lie on the plane that touches a planet at a place: what `plane_directions` undoes.

    Parameters
    ----------
    place : Place
        Where the plane touches the planet.
    radius : float
        Of the planet in metres.
    directions : ndarray of float64, shape (count, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float64, shape (count, 2)
        Metres to the east and north of the place; NaN for a quarter of the planet away or more.

    References
    ----------
    Snyder (1987), pp. 191–202.
    """
    places = np.empty((len(directions), 2), np.float64)
    _unproject(_frame_of(place), radius, np.ascontiguousarray(directions), places)
    return places


def _frame_of(place: Place) -> npt.NDArray[np.float64]:
    """Unit vectors to the east, to the north and up, as rows."""
    latitude, longitude = math.radians(place.latitude), math.radians(place.longitude)
    sin_lat, cos_lat = float(sin(latitude)), float(cos(latitude))
    sin_lon, cos_lon = float(sin(longitude)), float(cos(longitude))
    return np.array(
        (
            (-sin_lon, cos_lon, 0.0),
            (-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
            (cos_lat * cos_lon, cos_lat * sin_lon, sin_lat),
        )
    )


@parallel_kernel
def _project(part: Part, frame: Array, radius: float, east: Array, north: Array, directions: Array) -> None:
    for row in portion(part, len(north)):
        for column in range(len(east)):
            x, y = east[column], north[row]
            far = math.sqrt(x * x + y * y)
            angle = far / radius
            up = cos(angle)
            along = sin(angle) / far if far > 0.0 else 1.0 / radius
            for axis in range(3):
                level = x * frame[0, axis] + y * frame[1, axis]
                directions[row, column, axis] = up * frame[2, axis] + along * level


@parallel_kernel
def _unproject(part: Part, frame: Array, radius: float, directions: Array, places: Array) -> None:
    for k in portion(part, len(directions)):
        x, y, z = directions[k, 0], directions[k, 1], directions[k, 2]
        east = x * frame[0, 0] + y * frame[0, 1] + z * frame[0, 2]
        north = x * frame[1, 0] + y * frame[1, 1] + z * frame[1, 2]
        up = x * frame[2, 0] + y * frame[2, 1] + z * frame[2, 2]
        if up <= 0.0:
            places[k, 0] = places[k, 1] = np.nan
            continue
        level = math.sqrt(east * east + north * north)
        scale = radius * arctan(level / up) / level if level > 0.0 else radius
        places[k, 0], places[k, 1] = scale * east, scale * north
