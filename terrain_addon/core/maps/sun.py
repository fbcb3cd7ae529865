"""Where the sun stands, where its light falls, and for how long."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from .declaration import Kept, Map
from .horizon import LEVELS, UNLIMITED, gather_light, measure_horizon

_SAMPLES_A_DAY = 720
_TILT = 23.44
_SUN_WIDTH = 0.53


def sun_path(latitude: float, day_of_year: float) -> npt.NDArray[np.float64]:
    """Return where the sun stands while it is up, every two minutes of solar time.

    Parameters
    ----------
    latitude : float
        Degrees, north positive.
    day_of_year : float
        1 is the first of January.

    Returns
    -------
    ndarray of float64, shape (times, 3)
        Unit vectors (east, north, up) towards the sun, from sunrise to sunset; none where it does not rise.  Seen from
        the middle of the earth, without refraction; declination after Cooper (1969).
    """
    declination = math.radians(_TILT) * math.sin(2.0 * math.pi * (284.0 + day_of_year) / 365.0)
    hours = (np.arange(_SAMPLES_A_DAY) + 0.5) * (2.0 * math.pi / _SAMPLES_A_DAY) - math.pi
    sin_lat, cos_lat = math.sin(math.radians(latitude)), math.cos(math.radians(latitude))
    sin_dec, cos_dec = math.sin(declination), math.cos(declination)
    sun = np.stack(
        [
            -cos_dec * np.sin(hours),
            sin_dec * cos_lat - cos_dec * np.cos(hours) * sin_lat,
            sin_dec * sin_lat + cos_dec * np.cos(hours) * cos_lat,
        ],
        axis=1,
    )
    return sun[sun[:, 2] > 0.0]


def day_length(latitude: float, day_of_year: float) -> float:
    """Return for how many hours the sun is above a level horizon, 0 to 24, to two minutes.

    Parameters
    ----------
    latitude : float
        Degrees, north positive.
    day_of_year : float
        1 is the first of January.
    """
    return len(sun_path(latitude, day_of_year)) * 24.0 / _SAMPLES_A_DAY


def compass(directions: int) -> npt.NDArray[np.float64]:
    """Return azimuths evenly around the compass, in degrees clockwise from north.

    Raises
    ------
    ValueError
        If `directions` is below 1.
    """
    if directions < 1:
        raise ValueError(f"azimuths = {directions} is below 1")
    return np.arange(directions, dtype=np.float64) * (360.0 / directions)


def light_table(
    sun: npt.NDArray[np.float64], amounts: npt.NDArray[np.float64], azimuths: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return what a moving sun gives as a table for `gather_light`; two directions share each moment between them.

    Parameters
    ----------
    sun : ndarray of float64, shape (times, 3)
        From `sun_path`.
    amounts : ndarray of float64, shape (times, 3)
        What comes at each moment, as a vector.
    azimuths : ndarray of float64, shape (directions,)
        From `compass`.

    Returns
    -------
    ndarray of float32, shape (directions, LEVELS + 1, 3)
        Sums over the moments at which the sun stands above the horizon.
    """
    directions = len(azimuths)
    place = np.degrees(np.arctan2(sun[:, 0], sun[:, 1])) % 360.0 * (directions / 360.0)
    before = np.floor(place).astype(np.int64)
    above = sun[:, 2, None] > np.arange(LEVELS + 1) / LEVELS
    light = np.zeros((directions, LEVELS + 1, 3))
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
    """Return for how long each place sees the sun on a cloudless day; the rest of `day_length` it lies in shadow.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    latitude : float
        Degrees, north positive.
    day_of_year : float
        1 is the first of January.
    azimuths : int
        Number of directions in which the horizon is known; between two, light is interpolated.
    longest_distance : float
        Metres; what is farther away casts no shadow.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Hours, 0 to 24.
    """
    sun, directions = sun_path(latitude, day_of_year), compass(azimuths)
    hours = np.zeros_like(sun)
    hours[:, 2] = 24.0 / _SAMPLES_A_DAY
    light = light_table(sun, hours, directions)
    return gather_light(surface, cell_size, directions, light, longest_distance=longest_distance, level=True)


def cast_shadows(surface: Field, cell_size: float, azimuth: float, elevation: float) -> Field:
    """Return how much of the sun's disc each place sees.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuth, elevation : float
        Where the sun stands: degrees clockwise from north, and above the level horizon.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 in the shadow, 1 in the sun, between where the horizon cuts the disc (0.53° wide).
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
    kept=Kept.ON_REQUEST,
)
SHADOW_HOURS = Map(
    "shadow_hours",
    lambda terrain, sun_hours, illumination: (
        np.float32(day_length(illumination.latitude, illumination.day_of_year)) - sun_hours
    ),
    needs=("sun_hours",),
    reads=("illumination",),
    description="How long the ground lies in shadow while the sun is up on the chosen day",
    unit="h",
    kept=Kept.ON_REQUEST,
)
