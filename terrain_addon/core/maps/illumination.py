"""Light that the ground catches, with the shadows that other ground casts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .declaration import Map
from .horizon import LEVELS, gather_light
from .sky import sky_light_table
from .sun import compass, light_table, sun_path

LIGHTS = {
    "sun_and_sky": "Sun of one day, with cast shadows, and light from the sky",
    "grazing_rays": "Published form: from each direction the ray that just grazes the land; the brightest place is 1",
}


@dataclass(frozen=True)
class Illumination(ParameterSet):
    """Where the land lies bright and where in the shade."""

    latitude: float = parameter(
        45.0,
        "Where on earth the land lies: north of the equator southern slopes are bright",
        unit="°",
        limits=(-90.0, 90.0),
    )
    day_of_year: int = parameter(
        80,
        "Day whose sun is taken: 80 and 266 are the equinoxes, 172 is midsummer in the north",
        unit="d",
        limits=(1, 365),
    )
    light: str = parameter("sun_and_sky", "What the land is lit by", choices=LIGHTS, advanced=True)
    sky_light: float = parameter(
        0.25,
        "Share of the light that comes from all over the sky: more of it evens out sunny and shady slopes",
        limits=(0.0, 1.0),
        advanced=True,
    )
    azimuths: int = parameter(
        16,
        "Number of directions in which the horizon is looked for; few of them give the light a grain",
        limits=(3, 256),
        soft=(8, 64),
        advanced=True,
    )
    longest_distance: float = parameter(
        1e6,
        "How far away a mountain may be to cast its shadow; short distances show small hollows only",
        unit="m",
        limits=(0.001, 1e6),
        soft=(100.0, 10000.0),
        advanced=True,
    )


def measure_illumination(surface: Field, cell_size: float, illumination: Illumination) -> Field:
    """Return how much light each cell catches.

    Sun and sky: the mean over the day, from sunrise to sunset, of max(0, n·s), n the surface normal and s the direction
    of the sun, 0 while other ground hides the sun; and the light of an overcast sky, 1 on open level ground.  They are
    weighted by `sky_light`.  A surface that always faced the sun would have 1.

    Grazing rays, as published: mean over N azimuths of max(0, n·dᵢ), dᵢ towards the largest elevation angle that the
    land has along azimuth i (0 at least, as below it there is no sky), divided by the largest value that occurs.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    illumination : Illumination
        Place, time and kind of the light.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In [0, 1].
    """
    azimuths = compass(illumination.azimuths)
    grazing = illumination.light == "grazing_rays"
    table = _grazing_rays(azimuths) if grazing else _sun_and_sky(illumination, azimuths)
    light = gather_light(surface, cell_size, azimuths, table, longest_distance=illumination.longest_distance)
    brightest = float(light.max()) if grazing else 1.0
    if brightest > 0.0:
        light *= np.float32(1.0 / brightest)
    return np.minimum(light, np.float32(1.0), out=light)


def _sun_and_sky(illumination: Illumination, azimuths: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    sky = np.float32(illumination.sky_light) * sky_light_table(azimuths)
    sun = sun_path(illumination.latitude, illumination.day_of_year)
    if len(sun) == 0:
        return sky
    return light_table(sun, sun * ((1.0 - illumination.sky_light) / len(sun)), azimuths) + sky


def _grazing_rays(azimuths: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    sine = np.arange(LEVELS + 1) / LEVELS
    cosine = np.sqrt(1.0 - sine**2)
    bearing = np.radians(azimuths)[:, None]
    rays = np.stack([np.sin(bearing) * cosine, np.cos(bearing) * cosine, np.ones_like(bearing) * sine], axis=-1)
    return (rays / len(azimuths)).astype(np.float32)


ILLUMINATION = Map(
    "illumination",
    lambda terrain, illumination: measure_illumination(terrain.surface, terrain.cell_size, illumination),
    reads=("illumination",),
    description="Light that the ground catches in a day, from 0 to 1",
    limits=(0.0, 1.0),
)
