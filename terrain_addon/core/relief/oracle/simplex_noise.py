"""Simplex noise at any points: gradients at the corners of triangles.

References
----------
Perlin, K. (2001). Noise hardware. In: Real-Time Shading, SIGGRAPH course notes.
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.compilation import Array, Bits, kernel
from ...foundation.hashing import hash_place
from ..simplex import PLANE_MASK, PLANE_SCALE, PLANE_SKEW, PLANE_UNSKEW, PLANE_VECTORS
from .points import checked_points, checked_seed


def simplex_noise(x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return simplex noise with 256 unit gradients at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates of any sign; corners of triangles are about 0.82 apart.  Broadcast against one another.
    seed : int
        0 to 2³² − 1.

    Returns
    -------
    ndarray of float64
        In [−1, 1], zero at the corners, with continuous third derivatives.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰, or the seed is out of range.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty(xs.size)
    _evaluate_plane(xs, ys, checked_seed(seed), PLANE_VECTORS, result)
    return result.reshape(shape)


@kernel
def _value_in_plane(x: float, y: float, seed: Bits, vectors: Array) -> float:
    """Return simplex noise at one point of the plane."""
    skew = (x + y) * PLANE_SKEW
    i, j = np.floor(x + skew), np.floor(y + skew)
    unskew = (i + j) * PLANE_UNSKEW
    x0, y0 = x - (i - unskew), y - (j - unskew)
    # Of the two triangles of a rhombus, the lower one goes east first.
    east = 1 if x0 > y0 else 0
    column, row = np.int64(i), np.int64(j)
    x1, y1 = x0 - east + PLANE_UNSKEW, y0 - (1 - east) + PLANE_UNSKEW
    x2, y2 = x0 - 1.0 + 2.0 * PLANE_UNSKEW, y0 - 1.0 + 2.0 * PLANE_UNSKEW
    total = _corner(x0, y0, hash_place(column, row, seed), vectors)
    total += _corner(x1, y1, hash_place(column + east, row + 1 - east, seed), vectors)
    total += _corner(x2, y2, hash_place(column + 1, row + 1, seed), vectors)
    return total * PLANE_SCALE


@kernel
def _corner(dx: float, dy: float, bits: Bits, vectors: Array) -> float:
    """Return what one corner adds, (½ − |d|²)⁴ · (g·d), or 0 beyond its reach."""
    near = max(0.5 - dx * dx - dy * dy, 0.0)
    k = bits & np.uint32(PLANE_MASK)
    return near * near * near * near * (vectors[k, 0] * dx + vectors[k, 1] * dy)


@kernel
def _evaluate_plane(x: Array, y: Array, seed: Bits, vectors: Array, result: Array) -> None:
    for i in range(x.size):
        result[i] = _value_in_plane(x[i], y[i], seed, vectors)
