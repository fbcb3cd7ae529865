"""How hard rock is from place to place, and how steep it stands.

References
----------
K. M. Schmidt and D. R. Montgomery (1995), "Limits to relief", Science 270, 617-620, doi:10.1126/science.270.5236.617:
how steep a slope stands follows from how strong its rock is.

J. R. Moore, J. W. Sanders, W. E. Dietrich and S. D. Glaser (2009), "Influence of rock mass strength on the erosion rate
of alpine cliffs", Earth Surface Processes and Landforms 34, 1339-1352, doi:10.1002/esp.1821: walls wear back along
their joints.
"""

import math

import numpy as np

from ..foundation.elementary import exp_of, power_of
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.terrain import Field, Grid
from ..relief.fractal_noise import FractalNoise, make_fractal_noise

# Wavelength of uneven rock as a share of the span of the land, and the exponent of its hardness,
# exp(4 · rockiness · noise).
_ROCK_WAVELENGTH = 1.0 / 8.0
_ROCK_VARIATION = 4.0
# The wavelength of joints in the same way; they multiply the steepest slope by exp(0.6 · noise).  Below this
# rockiness the exponent is smaller, down to half of that.
_JOINT_WAVELENGTH = 1.0 / 50.0
_JOINT_VARIATION = 0.6
_FULLY_JOINTED = 0.3
# Critical angles of the softest and the rockiest land in degrees, and the exponent of hardness in their tangents.
_SOFTEST_ANGLE, _ROCKIEST_ANGLE = 30.0, 60.0
_HARDNESS_EXPONENT = 0.4


def uneven_rock(grid: Grid, span: float, rockiness: float, seed: int) -> Field:
    """Return the hardness of rock without beds.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    span : float
        The shorter side of the land in metres.
    rockiness : float
        0 to 1; 0 is rock that is equally hard everywhere.
    seed : int
        0 to 2³¹ − 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Around 1.
    """
    rock = _noise_of_rock(grid, _ROCK_WAVELENGTH * span, 6, 0.5, derive_seed(seed, Purpose.ROCK))
    rock *= np.float32(_ROCK_VARIATION * rockiness)
    return exp_of(rock)


def jointed_rock(grid: Grid, span: float, rockiness: float, seed: int) -> Field:
    """Return how joints change the steepest slope of rock.

    Rock with many joints holds on gentler slopes, massive rock on steeper ones.  So walls are not planes: they have
    chutes and ribs.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    span : float
        The shorter side of the land in metres.
    rockiness : float
        0 to 1; at 0 joints matter half as much as from 0.3 on.
    seed : int
        0 to 2³¹ − 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Factor of the tangent of the slope, around 1.
    """
    joints = _noise_of_rock(grid, _JOINT_WAVELENGTH * span, 4, 0.6, derive_seed(seed, Purpose.JOINTS))
    share = min(0.5 + 0.5 * rockiness / _FULLY_JOINTED, 1.0)
    joints *= np.float32(_JOINT_VARIATION * share)
    return exp_of(joints)


def steepest_slope(hardness: Field, rockiness: float) -> Field:
    """Turn hardness, in place, into the steepest slope on which the rock holds.

    Parameters
    ----------
    hardness : ndarray of float32, shape (rows, columns)
        Above 0; overwritten.
    rockiness : float
        0 to 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        `hardness` itself, now the tangents of the slopes.
    """
    power_of(hardness, _HARDNESS_EXPONENT)
    angle = _SOFTEST_ANGLE + (_ROCKIEST_ANGLE - _SOFTEST_ANGLE) * rockiness
    hardness *= np.float32(math.tan(math.radians(angle)))
    return hardness


def _noise_of_rock(grid: Grid, wavelength: float, octaves: int, gain: float, seed: np.uint32) -> Field:
    """Return noise from -1 to 1."""
    noise = FractalNoise(
        wavelength=min(max(wavelength, 0.01), 1e6), base_altitude=-1.0, height=2.0, octaves=octaves, gain=gain
    )
    return make_fractal_noise(grid, noise, int(seed >> 1))
