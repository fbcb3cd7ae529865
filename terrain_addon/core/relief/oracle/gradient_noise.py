"""Gradient noise at any points.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import numpy as np
import numpy.typing as npt

from ..lattice import PLANE_GRADIENTS, VectorSet
from .lattice_noise import Lattice, Permutation, evaluate_in_plane, evaluate_in_space, new_lattice

# The order of Perlin (2002).  Four of the twelve edges appear twice, so that four bits choose one.
_CUBE_EDGES = [
    *((x, y, 0) for y in (1, -1) for x in (1, -1)),
    *((x, 0, z) for z in (1, -1) for x in (1, -1)),
    *((0, y, z) for z in (1, -1) for y in (1, -1)),
    *((1, 1, 0), (0, -1, 1), (-1, 1, 0), (0, -1, -1)),
]

_SPACE_LIMITS = {"quintic": 1.03635382, "cubic": 1.04490519, "linear": 1.06482817}

SPACE_GRADIENTS = {"cube_edges": VectorSet(np.array(_CUBE_EDGES, np.float64), _SPACE_LIMITS)}
"""Gradients in space: from the centre of a cube to its 12 edges (Perlin 2002)."""


def gradient_noise(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    seed: int = 0,
    *,
    fade: str = "quintic",
    gradients: str = "unit_256",
    period: int = 0,
    permutation: Permutation | None = None,
) -> npt.NDArray[np.float64]:
    """Return gradient noise at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in lattice cells, of any sign; broadcast against one another.
    seed : int
        0 to 2³² − 1; without effect where there is a `permutation`.
    fade : str
        A key of `lattice.FADES`.
    gradients : str
        A key of `lattice.PLANE_GRADIENTS`.
    period : int
        Number of cells after which the noise repeats, for seamless tiles; 0 for never.
    permutation : Permutation, optional
        Choose gradients from a table, which repeats after 256 cells, instead of by a hash.

    Returns
    -------
    ndarray of float64
        Zero at the lattice nodes; magnitude at most ``PLANE_GRADIENTS[gradients].limits[fade]``: √½ for unit vectors, 1
        for the eight that keep their lengths.  With the quintic fade second derivatives are continuous, with the cubic
        one first derivatives.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636

    Examples
    --------
    >>> gradient_noise([0.0, 1.0], 5.0).tolist()
    [0.0, 0.0]
    """
    return evaluate_in_plane(x, y, _plane(seed, fade, gradients, period, permutation))[0]


def gradient_noise_slope(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    seed: int = 0,
    *,
    fade: str = "quintic",
    gradients: str = "unit_256",
    period: int = 0,
    permutation: Permutation | None = None,
) -> npt.NDArray[np.float64]:
    """Return the analytic derivatives of `gradient_noise`.

    Parameters
    ----------
    x, y, seed, fade, gradients, period, permutation
        As for `gradient_noise`.

    Returns
    -------
    ndarray of float64, shape (2, ...)
        ∂n/∂x and ∂n/∂y, per cell.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.
    """
    return evaluate_in_plane(x, y, _plane(seed, fade, gradients, period, permutation))[1:]


def gradient_noise_3d(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    z: npt.ArrayLike,
    seed: int = 0,
    *,
    fade: str = "quintic",
    gradients: str = "cube_edges",
    period: int = 0,
    permutation: Permutation | None = None,
) -> npt.NDArray[np.float64]:
    """Return gradient noise at any points of space, as published; land that moves is made of `moving_noise`.

    Parameters
    ----------
    x, y, z : array_like of float64
        Coordinates in lattice cells, of any sign; broadcast against one another.
    seed, fade, period, permutation
        As for `gradient_noise`.
    gradients : str
        A key of `SPACE_GRADIENTS`.

    Returns
    -------
    ndarray of float64
        Magnitude at most ``SPACE_GRADIENTS[gradients].limits[fade]``, 1.0364 for the cube's edges and the quintic fade.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    lattice = new_lattice(seed, fade, _chosen(gradients, SPACE_GRADIENTS), period=period, permutation=permutation)
    return evaluate_in_space(x, y, z, lattice)[0]


def _plane(seed: int, fade: str, gradients: str, period: int, permutation: Permutation | None) -> Lattice:
    """Return the lattice that the options of noise in the plane describe."""
    return new_lattice(seed, fade, _chosen(gradients, PLANE_GRADIENTS), period=period, permutation=permutation)


def _chosen(gradients: str, sets: dict[str, VectorSet]) -> VectorSet:
    """Return a set of gradients by its name."""
    if gradients not in sets:
        raise ValueError(f"gradients = {gradients!r} is none of: {', '.join(sets)}")
    return sets[gradients]
