"""Cellular noise: distances to scattered points (Worley 1996, "A Cellular Texture Basis Function")."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place, mix
from .lattice import checked_points, checked_seed, layer_seed

METRICS = {
    "euclidean": "As the crow flies: rounded cells",
    "manhattan": "Along the axes: diamonds and steps",
    "chebyshev": "The longer of the two ways along the axes: squares",
}
"""Ways to measure distance; a kernel is given the number of one in this order."""

FEATURES = {
    "f1": "Distance to the nearest point: pits around points",
    "f2": "Distance to the second nearest point: rounder, overlapping pits",
    "f2_minus_f1": "Difference of the two: plates with valleys between them",
}
"""What is made of the distances; a kernel is given the number of one in this order."""

# Greatest possible (F1, F2) in cells.  One point lies in every cell, so F1 is at most the diagonal of a cell, and F2 is
# at most the way to the far corner of the second cell.
_PLANE_LIMITS = {"euclidean": (math.sqrt(2.0), math.sqrt(2.5)), "manhattan": (2.0, 2.0), "chebyshev": (1.0, 1.5)}
_SPACE_LIMITS = {"euclidean": (math.sqrt(3.0), math.sqrt(3.0)), "manhattan": (3.0, 3.0), "chebyshev": (1.0, 1.5)}

# Half of a hash for each coordinate.
_HALF = 1.0 / 65536.0


def cellular_noise(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    seed: int = 0,
    *,
    feature: str = "f1",
    metric: str = "euclidean",
    period: int = 0,
) -> npt.NDArray[np.float64]:
    """Return cellular noise at any points of the plane: every cell of a lattice holds one point at a random place.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells, of any sign; broadcast against one another.
    seed : int
        0 to 2³² − 1.
    feature : str
        A key of `FEATURES`.
    metric : str
        A key of `METRICS`.
    period : int
        Number of cells after which the noise repeats, for seamless tiles; 0 for never.

    Returns
    -------
    ndarray of float64
        Distances in cells, from 0 to `cellular_limit`.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.
    """
    limit = cellular_limit(feature, metric)
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty(xs.size)
    _evaluate(xs, ys, np.zeros(0), checked_seed(seed), *_options(feature, metric, period), result)
    return np.minimum(result, limit).reshape(shape)


def cellular_noise_3d(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    z: npt.ArrayLike,
    seed: int = 0,
    *,
    feature: str = "f1",
    metric: str = "euclidean",
    period: int = 0,
) -> npt.NDArray[np.float64]:
    """Return cellular noise at any points of space; the rest is as for `cellular_noise`.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.
    """
    limit = cellular_limit(feature, metric, in_space=True)
    shape, (xs, ys, zs) = checked_points(x=x, y=y, z=z)
    result = np.empty(xs.size)
    _evaluate(xs, ys, zs, checked_seed(seed), *_options(feature, metric, period), result)
    return np.minimum(result, limit).reshape(shape)


def cellular_limit(feature: str, metric: str, *, in_space: bool = False) -> float:
    """Return the greatest value that cellular noise can take, in cells.

    Raises
    ------
    ValueError
        If the feature or the metric is unknown.
    """
    if feature not in FEATURES:
        raise ValueError(f"feature = {feature!r} is none of: {', '.join(FEATURES)}")
    if metric not in METRICS:
        raise ValueError(f"metric = {metric!r} is none of: {', '.join(METRICS)}")
    first, second = (_SPACE_LIMITS if in_space else _PLANE_LIMITS)[metric]
    # The difference is greatest on top of a point.
    return first if feature == "f1" else second


def _options(feature: str, metric: str, period: int) -> tuple[int, int, int]:
    if not 0 <= period < 2**31:
        raise ValueError(f"period = {period} cells is outside 0 to 2³¹ − 1 cells")
    return list(FEATURES).index(feature), list(METRICS).index(metric), period


@kernel
def distance(dx: float, dy: float, dz: float, metric: int) -> float:
    """Length of a way in one of `METRICS`."""
    if metric == 0:
        return np.sqrt(dx * dx + dy * dy + dz * dz)
    if metric == 1:
        return abs(dx) + abs(dy) + abs(dz)
    return max(abs(dx), max(abs(dy), abs(dz)))


@kernel
def _evaluate(x: Array, y: Array, z: Array, seed: Bits, feature: int, metric: int, period: int, result: Array) -> None:
    for i in range(x.size):
        first, second = _nearest_two(x[i], y[i], z[i] if z.size > 0 else 0.0, z.size > 0, seed, metric, period)
        result[i] = first if feature == 0 else (second if feature == 1 else second - first)


@kernel
def _nearest_two(
    x: float, y: float, z: float, in_space: bool, seed: Bits, metric: int, period: int
) -> tuple[float, float]:
    """Look through all cells that could hold one of the two nearest points: three rings, since no F2 exceeds 3."""
    first, second = 1e9, 1e9
    column, row, layer = np.int64(np.floor(x)), np.int64(np.floor(y)), np.int64(np.floor(z))
    rings = 3
    for dk in range(-rings if in_space else 0, rings + 1 if in_space else 1):
        k = (layer + dk) % period if period > 0 else layer + dk
        own = layer_seed(k, seed) if in_space else seed
        for dj in range(-rings, rings + 1):
            for di in range(-rings, rings + 1):
                i = (column + di) % period if period > 0 else column + di
                j = (row + dj) % period if period > 0 else row + dj
                bits = hash_place(i, j, own)
                px = column + di + (bits & np.uint32(0xFFFF)) * _HALF
                py = row + dj + (bits >> np.uint32(16)) * _HALF
                pz = layer + dk + (mix(bits) >> np.uint32(16)) * _HALF if in_space else z
                d = distance(px - x, py - y, pz - z, metric)
                second = min(second, max(first, d))
                first = min(first, d)
    return first, second
