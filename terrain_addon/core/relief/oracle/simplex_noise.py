"""Simplex noise at any points: gradients at the corners of triangles and tetrahedra.

References
----------
Perlin, K. (2001). Noise hardware. In: Real-Time Shading, SIGGRAPH course notes.
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.compilation import Array, Bits, kernel
from ...foundation.hashing import hash_place
from ..lattice import layer_seed
from ..simplex import (
    PLANE_MASK,
    PLANE_SCALE,
    PLANE_SKEW,
    PLANE_UNSKEW,
    PLANE_VECTORS,
    SPACE_MASK,
    SPACE_SCALE,
    SPACE_SKEW,
    SPACE_UNSKEW,
    SPACE_VECTORS,
)
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


def simplex_noise_3d(x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return simplex noise with gradients to the 12 edges of a cube at any points of space.

    Parameters
    ----------
    x, y, z : array_like of float64
        Coordinates of any sign; broadcast against one another.
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
    shape, (xs, ys, zs) = checked_points(x=x, y=y, z=z)
    result = np.empty(xs.size)
    _evaluate_space(xs, ys, zs, checked_seed(seed), SPACE_VECTORS, result)
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
def _value_in_space(x: float, y: float, z: float, seed: Bits, vectors: Array) -> float:
    """Return simplex noise at one point of space."""
    skew = (x + y + z) * SPACE_SKEW
    i, j, k = np.floor(x + skew), np.floor(y + skew), np.floor(z + skew)
    unskew = (i + j + k) * SPACE_UNSKEW
    x0, y0, z0 = x - (i - unskew), y - (j - unskew), z - (k - unskew)
    # Of the six tetrahedra of a cube, the point lies in the one that goes along its largest coordinate first.
    xy, yz, xz = (1 if x0 >= y0 else 0), (1 if y0 >= z0 else 0), (1 if x0 >= z0 else 0)
    x_rank, y_rank, z_rank = xy + xz, (1 - xy) + yz, (1 - xz) + (1 - yz)
    total = 0.0
    for step in range(4):
        di = 1 if x_rank >= 3 - step else 0
        dj = 1 if y_rank >= 3 - step else 0
        dk = 1 if z_rank >= 3 - step else 0
        shift = step * SPACE_UNSKEW
        dx, dy, dz = x0 - di + shift, y0 - dj + shift, z0 - dk + shift
        bits = hash_place(np.int64(i) + di, np.int64(j) + dj, layer_seed(np.int64(k) + dk, seed))
        near = max(0.5 - dx * dx - dy * dy - dz * dz, 0.0)
        g = bits & np.uint32(SPACE_MASK)
        total += near * near * near * near * (vectors[g, 0] * dx + vectors[g, 1] * dy + vectors[g, 2] * dz)
    return total * SPACE_SCALE


@kernel
def _evaluate_plane(x: Array, y: Array, seed: Bits, vectors: Array, result: Array) -> None:
    for i in range(x.size):
        result[i] = _value_in_plane(x[i], y[i], seed, vectors)


@kernel
def _evaluate_space(x: Array, y: Array, z: Array, seed: Bits, vectors: Array, result: Array) -> None:
    for i in range(x.size):
        result[i] = _value_in_space(x[i], y[i], z[i], seed, vectors)
