"""Simplex noise: gradients on triangles and tetrahedra (Perlin 2001; Gustavson 2005, "Simplex noise demystified")."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place
from .lattice import PLANE_GRADIENTS, SPACE_GRADIENTS, checked_points, checked_seed, layer_seed

PLANE_VECTORS = PLANE_GRADIENTS["unit_256"].vectors
SPACE_VECTORS = SPACE_GRADIENTS["cube_edges"].vectors

# Skewing makes squares of rhombi of two triangles, and cubes of six tetrahedra.
_SKEW_2 = (math.sqrt(3.0) - 1.0) / 2.0
_UNSKEW_2 = (3.0 - math.sqrt(3.0)) / 6.0
_SKEW_3 = 1.0 / 3.0
_UNSKEW_3 = 1.0 / 6.0

# One over the largest sum that the corners of a triangle or tetrahedron can agree on, found numerically.
_SCALE_2 = 1.0 / 0.01008020471
_SCALE_3 = 1.0 / 0.01300665926


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
    """
    shape, (xs, ys, zs) = checked_points(x=x, y=y, z=z)
    result = np.empty(xs.size)
    _evaluate_space(xs, ys, zs, checked_seed(seed), SPACE_VECTORS, result)
    return result.reshape(shape)


@kernel
def simplex_2d(x: float, y: float, seed: Bits, vectors: Array) -> float:
    """Simplex noise at one point of the plane."""
    skew = (x + y) * _SKEW_2
    i, j = np.floor(x + skew), np.floor(y + skew)
    unskew = (i + j) * _UNSKEW_2
    x0, y0 = x - (i - unskew), y - (j - unskew)
    # Of the two triangles of a rhombus, the lower one goes east first.
    east = 1 if x0 > y0 else 0
    column, row = np.int64(i), np.int64(j)
    total = _corner_2(x0, y0, hash_place(column, row, seed), vectors)
    total += _corner_2(
        x0 - east + _UNSKEW_2, y0 - (1 - east) + _UNSKEW_2, hash_place(column + east, row + 1 - east, seed), vectors
    )
    total += _corner_2(
        x0 - 1.0 + 2.0 * _UNSKEW_2, y0 - 1.0 + 2.0 * _UNSKEW_2, hash_place(column + 1, row + 1, seed), vectors
    )
    return total * _SCALE_2


@kernel
def _corner_2(dx: float, dy: float, bits: Bits, vectors: Array) -> float:
    near = max(0.5 - dx * dx - dy * dy, 0.0)
    k = bits & np.uint32(255)
    return near * near * near * near * (vectors[k, 0] * dx + vectors[k, 1] * dy)


@kernel
def simplex_3d(x: float, y: float, z: float, seed: Bits, vectors: Array) -> float:
    """Simplex noise at one point of space."""
    skew = (x + y + z) * _SKEW_3
    i, j, k = np.floor(x + skew), np.floor(y + skew), np.floor(z + skew)
    unskew = (i + j + k) * _UNSKEW_3
    x0, y0, z0 = x - (i - unskew), y - (j - unskew), z - (k - unskew)
    # Of the six tetrahedra of a cube, the point lies in the one that goes along its largest coordinate first.
    xy, yz, xz = (1 if x0 >= y0 else 0), (1 if y0 >= z0 else 0), (1 if x0 >= z0 else 0)
    x_rank, y_rank, z_rank = xy + xz, (1 - xy) + yz, (1 - xz) + (1 - yz)
    total = 0.0
    for step in range(4):
        di = 1 if x_rank >= 3 - step else 0
        dj = 1 if y_rank >= 3 - step else 0
        dk = 1 if z_rank >= 3 - step else 0
        shift = step * _UNSKEW_3
        dx, dy, dz = x0 - di + shift, y0 - dj + shift, z0 - dk + shift
        bits = hash_place(np.int64(i) + di, np.int64(j) + dj, layer_seed(np.int64(k) + dk, seed))
        near = max(0.5 - dx * dx - dy * dy - dz * dz, 0.0)
        g = bits & np.uint32(15)
        total += near * near * near * near * (vectors[g, 0] * dx + vectors[g, 1] * dy + vectors[g, 2] * dz)
    return total * _SCALE_3


@kernel
def _evaluate_plane(x: Array, y: Array, seed: Bits, vectors: Array, result: Array) -> None:
    for i in range(x.size):
        result[i] = simplex_2d(x[i], y[i], seed, vectors)


@kernel
def _evaluate_space(x: Array, y: Array, z: Array, seed: Bits, vectors: Array, result: Array) -> None:
    for i in range(x.size):
        result[i] = simplex_3d(x[i], y[i], z[i], seed, vectors)
