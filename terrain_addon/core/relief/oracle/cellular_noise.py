"""Cellular noise at any points: distances to scattered points.

References
----------
Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
"""

import numpy as np
import numpy.typing as npt

from ...foundation.compilation import Array, Bits, kernel
from ...foundation.hashing import hash_place
from ..cell_distances import EUCLIDEAN, F1, F2, FEATURES, HALF_UNIT, METRICS, RINGS, cellular_limit, comparable_distance
from ..lattice import wrap
from .points import checked_period, checked_points, checked_seed


def cellular_noise(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    seed: int = 0,
    *,
    feature: str = "f1",
    metric: str = "euclidean",
    period: int = 0,
) -> npt.NDArray[np.float64]:
    """Return cellular noise at any points of the plane.

    Every cell of a lattice holds one point, at a random place.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells, of any sign; broadcast against one another.
    seed : int
        0 to 2³² − 1.
    feature : str
        A key of `cell_distances.FEATURES`.
    metric : str
        A key of `cell_distances.METRICS`.
    period : int
        Number of cells after which the noise repeats, for seamless tiles; 0 for never.

    Returns
    -------
    ndarray of float64
        Distances in cells, from 0 to `cell_distances.cellular_limit`.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
    """
    limit = cellular_limit(feature, metric)
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty(xs.size)
    _evaluate(xs, ys, checked_seed(seed), *_options(feature, metric, period), result)
    return np.minimum(result, limit).reshape(shape)


def _options(feature: str, metric: str, period: int) -> tuple[int, int, int]:
    """Return options in the form that kernels take."""
    return list(FEATURES).index(feature), list(METRICS).index(metric), checked_period(period)


@kernel
def _evaluate(x: Array, y: Array, seed: Bits, feature: int, metric: int, period: int, result: Array) -> None:
    for i in range(x.size):
        first, second = _nearest_two(x[i], y[i], seed, metric, period)
        result[i] = first if feature == F1 else (second if feature == F2 else second - first)


@kernel
def _nearest_two(x: float, y: float, seed: Bits, metric: int, period: int) -> tuple[float, float]:
    """Return the distances to the two nearest points, from all cells that could hold one of them."""
    first, second = 1e9, 1e9
    column, row = np.int64(np.floor(x)), np.int64(np.floor(y))
    for dj in range(-RINGS, RINGS + 1):
        for di in range(-RINGS, RINGS + 1):
            bits = hash_place(wrap(column + di, period), wrap(row + dj, period), seed)
            px = column + di + (bits & np.uint32(0xFFFF)) * HALF_UNIT
            py = row + dj + (bits >> np.uint32(16)) * HALF_UNIT
            d = comparable_distance(px - x, py - y, metric)
            d = np.sqrt(d) if metric == EUCLIDEAN else d
            second = min(second, max(first, d))
            first = min(first, d)
    return first, second
