"""How much of the sky each place sees: sky view factor and ambient occlusion."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from .declaration import Kept, Map
from .horizon import LEVELS, UNLIMITED, gather_light
from .sun import compass


def sky_light_table(azimuths: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return the light of a sky that is equally bright all over, as a table for `gather_light`.

    Parameters
    ----------
    azimuths : ndarray of float64, shape (directions,)
        From `compass`.

    Returns
    -------
    ndarray of float32, shape (directions, LEVELS + 1, 3)
        Level ground under an open sky gets 1 in all.
    """
    sine = np.arange(LEVELS + 1) / LEVELS
    horizon = np.arcsin(sine)
    # Integrals over the elevation e from the horizon up of cos² e (sidewards) and sin e · cos e (upwards).
    sideways = 0.5 * (0.5 * math.pi - horizon) - 0.25 * np.sin(2.0 * horizon)
    upward = 0.5 * (1.0 - sine**2)
    bearing = np.radians(azimuths)[:, None]
    light = np.stack([np.sin(bearing) * sideways, np.cos(bearing) * sideways, np.ones_like(bearing) * upward], axis=-1)
    return (light * (2.0 / len(azimuths))).astype(np.float32)


def measure_sky_view(
    surface: Field, cell_size: float, *, azimuths: int = 16, longest_distance: float = UNLIMITED
) -> Field:
    """Return the sky view factor: the share of an overcast sky's light that level ground at each place gets.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : int
        Number of directions, 1 and more.
    longest_distance : float
        Metres; what is farther away hides no sky.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Mean over directions of cos² of the horizon's elevation (Dozier & Frew 1990): 1 in the open, 0 in a shaft.
    """
    directions = compass(azimuths)
    table = sky_light_table(directions)
    return gather_light(surface, cell_size, directions, table, longest_distance=longest_distance, level=True)


def measure_ambient_occlusion(
    surface: Field, cell_size: float, *, azimuths: int = 16, longest_distance: float = UNLIMITED
) -> Field:
    """Return the share of an overcast sky's light that the ground gets as it lies, as renderers want it.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : int
        Number of directions, 1 and more.
    longest_distance : float
        Metres; what is farther away hides no sky.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 on open level ground, (1 + cos slope) / 2 on an open slope, 0 where no sky is seen.
    """
    directions = compass(azimuths)
    light = gather_light(surface, cell_size, directions, sky_light_table(directions), longest_distance=longest_distance)
    return np.minimum(light, np.float32(1.0), out=light)


SKY_VIEW = Map(
    "sky_view",
    lambda terrain: measure_sky_view(terrain.surface, terrain.cell_size),
    description="Share of the sky's light that level ground gets here, from 0 to 1",
    limits=(0.0, 1.0),
)
AMBIENT_OCCLUSION = Map(
    "ambient_occlusion",
    lambda terrain: measure_ambient_occlusion(terrain.surface, terrain.cell_size),
    description="Share of the sky's light that the ground gets as it lies, from 0 to 1",
    limits=(0.0, 1.0),
    kept=Kept.ON_REQUEST,
)
