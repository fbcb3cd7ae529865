"""The path of the sun (declination after Cooper 1969), sun hours and cast shadows."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .declaration import Kept, Map
from .horizon import LEVEL_SINES, LIGHT_LEVELS, UNLIMITED, gather_light, measure_horizon

SUN_ELEVATION = 19.0
"""Degrees above the horizon of the sun in scenery: low enough for long shadows, high enough to reach into valleys."""
SUN_STRENGTH = 11.0
"""W/m² of that sun across its rays."""
SUN_COLOUR = (1.0, 0.76, 0.50)
"""Linear colour of that sun."""

_SAMPLES_PER_DAY = 720
# Tilt of the earth's axis and angular diameter of the sun, in degrees.
_TILT = 23.44
_SUN_WIDTH = 0.53


@dataclass(frozen=True)
class LowSun(ParameterSet):
    """The sun whose shadows the map *shadow* shows."""

    azimuth: float = parameter(
        225.0, "Direction of the sun, clockwise from north: 90° is in the east", unit="°", limits=(0.0, 360.0)
    )
    elevation: float = parameter(
        30.0, "Height of the sun above the horizon; a low sun casts long shadows", unit="°", limits=(0.0, 90.0)
    )


def sun_path(latitude: float, day_of_year: float) -> npt.NDArray[np.float64]:
    """Return the direction of the sun every two minutes of solar time, from sunrise to sunset.

    The sun is taken as seen from the centre of the earth, without refraction.

    Parameters
    ----------
    latitude : float
        Degrees, positive in the north, −90 to 90.
    day_of_year : float
        1 is the first of January.

    Returns
    -------
    ndarray of float64, shape (times, 3)
        Unit vectors (east, north, up) towards the sun; none if it does not rise.

    References
    ----------
    Cooper, P. I. (1969). The absorption of radiation in solar stills. Solar Energy, 12(3), 333–346.
    doi:10.1016/0038-092X(69)90047-4
    """
    sun = sun_at(
        latitude, day_of_year, (np.arange(_SAMPLES_PER_DAY) + 0.5) * (2.0 * math.pi / _SAMPLES_PER_DAY) - math.pi
    )
    return sun[sun[:, 2] > 0.0]


def sun_at(latitude: float, day_of_year: float, angles: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the direction of the sun at some times of a day, also below the horizon.

    Parameters
    ----------
    latitude : float
        Degrees, positive in the north, −90 to 90.
    day_of_year : float
        1 is the first of January.
    angles : ndarray of float, shape (times,)
        Hour angles in radians: 0 at noon, when the sun stands highest, −π/2 six hours before and π/2 six hours after.

    Returns
    -------
    ndarray of float64, shape (times, 3)
        Unit vectors (east, north, up) towards the sun.

    References
    ----------
    Cooper, P. I. (1969). The absorption of radiation in solar stills. Solar Energy, 12(3), 333–346.
    doi:10.1016/0038-092X(69)90047-4
    """
    # Cooper's declination: tilt · sin(360° · (284 + day) / 365).
    declination = math.radians(_TILT) * math.sin(2.0 * math.pi * (284.0 + day_of_year) / 365.0)
    sin_lat, cos_lat = math.sin(math.radians(latitude)), math.cos(math.radians(latitude))
    sin_dec, cos_dec = math.sin(declination), math.cos(declination)
    return np.stack(
        [
            -cos_dec * np.sin(angles),
            sin_dec * cos_lat - cos_dec * np.cos(angles) * sin_lat,
            sin_dec * sin_lat + cos_dec * np.cos(angles) * cos_lat,
        ],
        axis=1,
    )


def day_length(latitude: float, day_of_year: float) -> float:
    """Return for how long the sun is above a level horizon.

    Parameters
    ----------
    latitude : float
        Degrees, positive in the north, −90 to 90.
    day_of_year : float
        1 is the first of January.

    Returns
    -------
    float
        Hours, 0 to 24, in steps of two minutes.

    Examples
    --------
    Midsummer at a latitude of 45° and beyond the polar circle:

    >>> from terrain_addon.core.maps.sun import day_length
    >>> round(day_length(45.0, 172), 1), day_length(70.0, 172)
    (15.4, 24.0)
    """
    return len(sun_path(latitude, day_of_year)) * 24.0 / _SAMPLES_PER_DAY


def compass(directions: int) -> npt.NDArray[np.float64]:
    """Return azimuths that are evenly spaced around the compass.

    Parameters
    ----------
    directions : int
        How many, 1 or more.

    Returns
    -------
    ndarray of float64, shape (directions,)
        Degrees clockwise from north, from 0 on.

    Raises
    ------
    ValueError
        If `directions` is below 1.
    """
    if directions < 1:
        raise ValueError(f"azimuths = {directions} is below 1")
    return np.arange(directions, dtype=np.float64) * (360.0 / directions)


def light_vectors(
    azimuths: npt.NDArray[np.float64], sideways: npt.NDArray[np.float64], upward: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return light that is the same from every azimuth as vectors, by azimuth and level of the horizon.

    Parameters
    ----------
    azimuths : ndarray of float64, shape (directions,)
        From `compass`.
    sideways, upward : ndarray of float64, shape (LIGHT_LEVELS + 1,)
        Horizontal part, towards the azimuth, and vertical part of the light over a horizon of each level.

    Returns
    -------
    ndarray of float64, shape (directions, LIGHT_LEVELS + 1, 3)
        Vectors (east, north, up).
    """
    bearing = np.radians(azimuths)[:, None]
    return np.stack([np.sin(bearing) * sideways, np.cos(bearing) * sideways, np.ones_like(bearing) * upward], axis=-1)


def light_table(
    sun: npt.NDArray[np.float64], amounts: npt.NDArray[np.float64], azimuths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return the light of a moving sun as a table for `gather_light`.

    The light of each moment is split between the two azimuths nearest to the sun.

    Parameters
    ----------
    sun : ndarray of float64, shape (times, 3)
        From `sun_path`.
    amounts : ndarray of float64, shape (times, 3)
        Light of each moment as a vector (east, north, up), in the unit of the sums.
    azimuths : ndarray of float64, shape (directions,)
        From `compass`.

    Returns
    -------
    ndarray of float32, shape (directions, LIGHT_LEVELS + 1, 3)
        By azimuth and level of the horizon: the sum over all moments at which the sun stands above that level.
    """
    directions = len(azimuths)
    place = np.degrees(np.arctan2(sun[:, 0], sun[:, 1])) % 360.0 * (directions / 360.0)
    before = np.floor(place).astype(np.int64)
    above = sun[:, 2, None] > LEVEL_SINES
    light = np.zeros((directions, LIGHT_LEVELS + 1, 3))
    for number, share in ((before, 1.0 - (place - before)), (before + 1, place - before)):
        np.add.at(light, number % directions, (share[:, None] * above)[:, :, None] * amounts[:, None, :])
    return light.astype(np.float32)


def measure_sun_hours(
    surface: Field,
    cell_size: float,
    latitude: float,
    day_of_year: float,
    *,
    azimuths: int = 32,
    longest_distance: float = UNLIMITED,
) -> Field:
    """Return for how long each place sees the sun on a cloudless day; for the rest of `day_length` it is in shadow.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    latitude : float
        Degrees, positive in the north, −90 to 90.
    day_of_year : float
        1 is the first of January.
    azimuths : int
        Number of directions in which the horizon is measured, 1 or more.  Between two of them light is interpolated.
    longest_distance : float
        Metres.  Ground farther away casts no shadow.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Hours, 0 to 24.

    References
    ----------
    Cooper, P. I. (1969). The absorption of radiation in solar stills. Solar Energy, 12(3), 333–346.
    doi:10.1016/0038-092X(69)90047-4

    Timonen, V., & Westerholm, J. (2010). Scalable height field self-shadowing. Computer Graphics Forum, 29(2), 723–731.
    doi:10.1111/j.1467-8659.2009.01642.x
    """
    sun, directions = sun_path(latitude, day_of_year), compass(azimuths)
    hours = np.zeros_like(sun)
    hours[:, 2] = 24.0 / _SAMPLES_PER_DAY
    light = light_table(sun, hours, directions)
    return gather_light(surface, cell_size, directions, light, longest_distance=longest_distance, level=True)


def cast_shadows(surface: Field, cell_size: float, azimuth: float, elevation: float) -> Field:
    """Return the share of the sun's disc that each place sees.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuth : float
        Direction of the sun in degrees clockwise from north.
    elevation : float
        Height of the sun's centre above the horizontal in degrees.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 in shadow, 1 in the sun, between 0 and 1 where the horizon cuts the disc, which is 0.53° wide.
    """
    horizon = measure_horizon(surface, cell_size, [azimuth])[0]
    return np.clip((elevation - horizon) / np.float32(_SUN_WIDTH) + np.float32(0.5), 0.0, 1.0, dtype=np.float32)


SUN_HOURS = Map(
    "sun_hours",
    lambda terrain, illumination: measure_sun_hours(
        terrain.surface, terrain.cell_size, illumination.latitude, illumination.day_of_year
    ),
    reads=("illumination",),
    description="How long the ground sees the sun on the chosen day",
    unit="h",
    layers=7,
    kept=Kept.ON_REQUEST,
)
SHADOW_HOURS = Map(
    "shadow_hours",
    # Sums of hours are rounded, so they may exceed the day by a hair.
    lambda terrain, sun_hours, illumination: np.maximum(
        np.float32(day_length(illumination.latitude, illumination.day_of_year)) - sun_hours, np.float32(0.0)
    ),
    needs=("sun_hours",),
    reads=("illumination",),
    description="How long the ground lies in shadow while the sun is up on the chosen day",
    unit="h",
    kept=Kept.ON_REQUEST,
)
SHADOW = Map(
    "shadow",
    lambda terrain, low_sun: (
        np.float32(1.0) - cast_shadows(terrain.surface, terrain.cell_size, low_sun.azimuth, low_sun.elevation)
    ),
    reads=("low_sun",),
    description="Shadow that the land casts on itself: 0 in the sun, 1 in shadow",
    limits=(0.0, 1.0),
    layers=3,
    kept=Kept.ON_REQUEST,
)
