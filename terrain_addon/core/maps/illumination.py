"""Illumination: the light that reaches the ground, with the shadows that other ground casts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .declaration import Map
from .horizon import gather_grazing_rays, gather_light
from .sky import sky_light_table
from .sun import compass, light_table, sun_path

LIGHTS = {
    "sun_and_sky": "Sun of one day, with cast shadows, and light from the sky",
    "grazing_rays": "From each direction the ray that just grazes the land; the brightest place is 1",
}
"""Kinds of light, with their descriptions."""


@dataclass(frozen=True)
class Illumination(ParameterSet):
    """Latitude, day of the year and kind of light."""

    latitude: float = parameter(
        45.0,
        "Latitude of the land: north of the equator southern slopes are bright",
        unit="°",
        limits=(-90.0, 90.0),
    )
    day_of_year: int = parameter(
        80,
        "Day of the year whose sun is used: 80 and 266 are the equinoxes, 172 is midsummer in the north",
        unit="d",
        limits=(1, 365),
        label="Day of Year",
    )
    light: str = parameter("sun_and_sky", "Which light falls on the land", choices=LIGHTS, advanced=True)
    sky_light: float = parameter(
        0.25,
        "Share of the light that comes from the whole sky; a larger share evens out sunny and shady slopes",
        limits=(0.0, 1.0),
        advanced=True,
    )
    azimuths: int = parameter(
        16,
        "Number of directions in which the horizon is measured; with few of them the light favours these directions",
        limits=(1, 256),
        soft=(8, 64),
        advanced=True,
    )
    longest_distance: float = parameter(
        1e6,
        "Distance up to which mountains cast shadows; a short distance shows only small hollows",
        unit="m",
        limits=(0.001, 1e6),
        soft=(100.0, 10000.0),
        advanced=True,
    )


def measure_illumination(surface: Field, cell_size: float, illumination: Illumination) -> Field:
    """Return how much light each cell receives.

    Sun and sky: the mean from sunrise to sunset of max(0, n·s), where n is the surface normal and s the direction of
    the sun, and 0 while other ground hides the sun; plus the light of an overcast sky, 1 on open level ground.
    `sky_light` is the weight of the sky.  A surface that always faced the sun would have 1.

    Grazing rays: the mean over N azimuths of max(0, n·dᵢ), divided by its largest value on the land.  dᵢ is the ray
    that just grazes the land along azimuth i: it has the largest elevation angle of the ground there, which is below 0
    where the land falls away.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    illumination : Illumination
        Latitude, day and kind of light.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In [0, 1].

    References
    ----------
    Timonen, V., & Westerholm, J. (2010). Scalable height field self-shadowing. Computer Graphics Forum, 29(2), 723–731.
    doi:10.1111/j.1467-8659.2009.01642.x

    Dozier, J., & Frew, J. (1990). Rapid calculation of terrain parameters for radiation modeling from digital elevation
    data. IEEE Transactions on Geoscience and Remote Sensing, 28(5), 963–969. doi:10.1109/36.58986

    Cooper, P. I. (1969). The absorption of radiation in solar stills. Solar Energy, 12(3), 333–346.
    doi:10.1016/0038-092X(69)90047-4

    Examples
    --------
    A ridge from west to east in the northern hemisphere is bright on its southern side and dark on its northern side:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.illumination import Illumination, measure_illumination
    >>> ridge = np.repeat(np.array([[0], [10], [20], [10], [0]], np.float32), 5, axis=1)
    >>> measure_illumination(ridge, 10.0, Illumination(latitude=45.0))[:, 2].round(2)
    array([0.69, 0.69, 0.59, 0.21, 0.21], dtype=float32)
    """
    azimuths, distance = compass(illumination.azimuths), illumination.longest_distance
    if illumination.light == "grazing_rays":
        light = gather_grazing_rays(surface, cell_size, azimuths, longest_distance=distance)
        brightest = float(light.max())
        if brightest > 0.0:
            light *= np.float32(1.0 / brightest)
    else:
        table = _sun_and_sky(illumination, azimuths)
        light = gather_light(surface, cell_size, azimuths, table, longest_distance=distance)
    return np.minimum(light, np.float32(1.0), out=light)


def _sun_and_sky(illumination: Illumination, azimuths: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return the light of sun and sky as a table for `gather_light`."""
    sky = np.float32(illumination.sky_light) * sky_light_table(azimuths)
    sun = sun_path(illumination.latitude, illumination.day_of_year)
    if len(sun) == 0:
        return sky
    return light_table(sun, sun * ((1.0 - illumination.sky_light) / len(sun)), azimuths) + sky


ILLUMINATION = Map(
    "illumination",
    lambda terrain, illumination: measure_illumination(terrain.surface, terrain.cell_size, illumination),
    reads=("illumination",),
    description="Light of the ground, as a mean over the hours of daylight, from 0 to 1; long days do not count more",
    limits=(0.0, 1.0),
    layers=7,
)
