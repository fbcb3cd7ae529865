"""Value noise at any points: every node of a lattice has a height; between nodes the heights are blended.

References
----------
Ebert, D. S., Musgrave, F. K., Peachey, D., Perlin, K. & Worley, S. (1994). Texturing & Modeling: A Procedural Approach.
Academic Press.
"""

import numpy as np
import numpy.typing as npt

from ..lattice import NODE_HEIGHTS
from .lattice_noise import Lattice, evaluate_in_plane, new_lattice


def value_noise(
    x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0, *, fade: str = "quintic", period: int = 0
) -> npt.NDArray[np.float64]:
    """Return value noise at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in lattice cells, of any sign; broadcast against one another.
    seed : int
        0 to 2³² − 1.
    fade : str
        A key of `lattice.FADES`.
    period : int
        Number of cells after which the noise repeats, for seamless tiles; 0 for never.

    Returns
    -------
    ndarray of float64
        In [−1, 1]; both are reached.  Nodes take one of 256 heights.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Ebert, D. S. et al. (1994). Texturing & Modeling: A Procedural Approach. Academic Press.
    """
    return evaluate_in_plane(x, y, _levels(seed, fade, period))[0]


def value_noise_slope(
    x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0, *, fade: str = "quintic", period: int = 0
) -> npt.NDArray[np.float64]:
    """Return the analytic derivatives of `value_noise`.

    Parameters
    ----------
    x, y, seed, fade, period
        As for `value_noise`.

    Returns
    -------
    ndarray of float64, shape (2, ...)
        ∂n/∂x and ∂n/∂y, per cell.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.
    """
    return evaluate_in_plane(x, y, _levels(seed, fade, period))[1:]


def _levels(seed: int, fade: str, period: int) -> Lattice:
    """Return the lattice whose nodes have heights instead of slopes."""
    return new_lattice(seed, fade, NODE_HEIGHTS, period=period, rises=False)
