"""Light of an overcast sky at each place: sky view factor (Dozier & Frew 1990) and ambient occlusion."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from .declaration import Kept, Map
from .horizon import LEVEL_SINES, UNLIMITED, gather_light
from .sun import compass, light_vectors


def sky_light_table(azimuths: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return the light of an evenly bright sky as a table for `gather_light`.

    Parameters
    ----------
    azimuths : ndarray of float64, shape (directions,)
        From `compass`.

    Returns
    -------
    ndarray of float32, shape (directions, LIGHT_LEVELS + 1, 3)
        Vectors (east, north, up) by azimuth and level of the horizon.  Level ground under an open sky gets 1 in total.

    References
    ----------
    Dozier, J., & Frew, J. (1990). Rapid calculation of terrain parameters for radiation modeling from digital elevation
    data. IEEE Transactions on Geoscience and Remote Sensing, 28(5), 963–969. doi:10.1109/36.58986
    """
    horizon = np.arcsin(LEVEL_SINES)
    # The two terms of Eq. (7b), with the zenith angle of the horizon H = 90° − elevation: the integrals of cos² e
    # (sideways) and sin e · cos e (upward) over all elevations e above the horizon.
    sideways = 0.5 * (0.5 * math.pi - horizon) - 0.25 * np.sin(2.0 * horizon)
    upward = 0.5 * (1.0 - LEVEL_SINES**2)
    return (light_vectors(azimuths, sideways, upward) * (2.0 / len(azimuths))).astype(np.float32)


def measure_sky_view(
    surface: Field, cell_size: float, *, azimuths: int = 16, longest_distance: float = UNLIMITED
) -> Field:
    """Return the sky view factor: the share of the light of an overcast sky that level ground gets at each place.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : int
        Number of directions in which the horizon is measured, 1 or more.
    longest_distance : float
        Metres.  Ground farther away hides no sky.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 in the open, 0 in a shaft: the mean over azimuths of cos² of the elevation of the horizon.

    References
    ----------
    Dozier, J., & Frew, J. (1990). Rapid calculation of terrain parameters for radiation modeling from digital elevation
    data. IEEE Transactions on Geoscience and Remote Sensing, 28(5), 963–969. doi:10.1109/36.58986
    """
    directions = compass(azimuths)
    table = sky_light_table(directions)
    return gather_light(surface, cell_size, directions, table, longest_distance=longest_distance, level=True)


def measure_ambient_occlusion(
    surface: Field, cell_size: float, *, azimuths: int = 16, longest_distance: float = UNLIMITED
) -> Field:
    """Return the ambient occlusion: the share of the light of an overcast sky that the sloping ground gets.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : int
        Number of directions in which the horizon is measured, 1 or more.
    longest_distance : float
        Metres.  Ground farther away hides no sky.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 on open level ground, (1 + cos slope) / 2 on an open slope, 0 where no sky is visible.

    References
    ----------
    Dozier, J., & Frew, J. (1990). Rapid calculation of terrain parameters for radiation modeling from digital elevation
    data. IEEE Transactions on Geoscience and Remote Sensing, 28(5), 963–969. doi:10.1109/36.58986
    """
    directions = compass(azimuths)
    light = gather_light(surface, cell_size, directions, sky_light_table(directions), longest_distance=longest_distance)
    return np.minimum(light, np.float32(1.0), out=light)


SKY_VIEW = Map(
    "sky_view",
    lambda terrain: measure_sky_view(terrain.surface, terrain.cell_size),
    description="Share of the sky's light that level ground would get here, from 0 to 1",
    limits=(0.0, 1.0),
    layers=7,
)
AMBIENT_OCCLUSION = Map(
    "ambient_occlusion",
    lambda terrain: measure_ambient_occlusion(terrain.surface, terrain.cell_size),
    description="Share of the sky's light that the sloping ground gets, from 0 to 1",
    limits=(0.0, 1.0),
    layers=7,
    kept=Kept.ON_REQUEST,
)
