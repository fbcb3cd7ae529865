"""Noise that moves, at any points; at time 0 it is the noise that stands still, see `bases`.

For gradient noise, with N, N′ the noises in the plane of the two layers around a moment, S, S′ the same with random
signs in place of slopes, t the time since the lower layer and s = fade(t),

    n = ρ · ((1 − s) (N + c t S) + s (N′ + c (t − 1) S′))

The mean square of n over the plane is that of N at all times, for ρ⁻² = (1 − s)² + s² + 4 ((1 − s)² t² + s² (1 − t)²)
and c² = 4 ⟨N²⟩ / ⟨S²⟩.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from ..cell_distances import RINGS
from ..lattice import FADES, PLANE_GRADIENTS, VectorSet, fade, layer_seed
from ..simplex import PLANE_SCALE, PLANE_SKEW, PLANE_UNSKEW, PLANE_VECTORS
from .gradient_noise import gradient_noise
from .lattice_noise import evaluate_in_plane, new_lattice
from .value_noise import value_noise

_SIGNS = VectorSet(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), dict.fromkeys(FADES, 1.0))
_Noise = Callable[[int], npt.NDArray[np.float64]]


def moving_gradient_noise(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    moment: float,
    seed: int = 0,
    *,
    fade: str = "quintic",
    gradients: str = "unit_256",
    period: int = 0,
) -> npt.NDArray[np.float64]:
    """Return gradient noise that changes in place.

    Parameters
    ----------
    x, y, seed, fade, gradients, period
        As for `gradient_noise`.
    moment : float
        Time in new shapes; at 0 it is `gradient_noise`.

    Returns
    -------
    ndarray of float64
        With the mean square of `gradient_noise`; between two layers it rarely exceeds the limits of the gradients.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    kind = list(FADES).index(fade)

    def slopes(own: int) -> npt.NDArray[np.float64]:
        return gradient_noise(x, y, own, fade=fade, gradients=gradients, period=period)

    def signs(own: int) -> npt.NDArray[np.float64]:
        lattice = new_lattice(own, fade, _SIGNS, period=period, rises=False, by_sign=True)
        return evaluate_in_plane(x, y, lattice)[0]

    vectors = PLANE_GRADIENTS[gradients].vectors
    rise = math.sqrt(2.0 * _mean_square(vectors) * _squared_distance(kind))
    return _between_layers(moment, seed, kind, rise, slopes, signs)


def moving_value_noise(
    x: npt.ArrayLike, y: npt.ArrayLike, moment: float, seed: int = 0, *, fade: str = "quintic", period: int = 0
) -> npt.NDArray[np.float64]:
    """Return value noise whose nodes go up and down.

    Parameters
    ----------
    x, y, seed, fade, period
        As for `value_noise`.
    moment : float
        Time in new shapes; at 0 it is `value_noise`.

    Returns
    -------
    ndarray of float64
        In [−1, 1].

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells, or an option is unknown or out of range.

    References
    ----------
    Ebert, D. S. et al. (1994). Texturing & Modeling: A Procedural Approach. Academic Press.
    """
    kind = list(FADES).index(fade)
    xs, ys = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    column, row = np.floor(xs), np.floor(ys)

    def node(east: int, north: int) -> npt.NDArray[np.float64]:
        start = value_noise(column + east, row + north, seed, period=period)
        bits = hash_places(column + east, row + north, seed, period)
        # A height rises from −1 to 1 in the first half of a turn, and falls back in the second.
        turned = ((start + 1.0) / 4.0 + turns(bits, moment)) % 1.0
        return np.where(turned < 0.5, 4.0 * turned - 1.0, 3.0 - 4.0 * turned)

    sx, sy = _faded(xs - column, kind), _faded(ys - row, kind)
    south, north = ((1.0 - sx) * node(0, j) + sx * node(1, j) for j in (0, 1))
    return (1.0 - sy) * south + sy * north


def moving_simplex_noise(x: npt.ArrayLike, y: npt.ArrayLike, moment: float, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return simplex noise whose gradients turn.

    Parameters
    ----------
    x, y, seed
        As for `simplex_noise`.
    moment : float
        Time in new shapes; at 0 it is `simplex_noise`.

    Returns
    -------
    ndarray of float64
        In [−1, 1], zero at the corners.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰, or the seed is out of range.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    xs, ys = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    skew = (xs + ys) * PLANE_SKEW
    column, row = np.floor(xs + skew), np.floor(ys + skew)
    total = np.zeros(xs.shape)
    # All four corners of a rhombus: the one beyond the triangle of the point is too far away to count.
    for east, north in ((0, 0), (1, 0), (0, 1), (1, 1)):
        i, j = column + east, row + north
        unskew = (i + j) * PLANE_UNSKEW
        dx, dy = xs - (i - unskew), ys - (j - unskew)
        bits = hash_places(i, j, seed, 0)
        # Between the slopes that stand still, those that turn lie on straight lines.
        turned = (bits & 255) + 256.0 * turns(bits, moment)
        gx, gy = (np.interp(turned, np.arange(256), axis, period=256) for axis in PLANE_VECTORS.T[:2])
        near = np.maximum(0.5 - dx**2 - dy**2, 0.0)
        total += near**4 * (gx * dx + gy * dy)
    return total * PLANE_SCALE


def moving_cellular_noise(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    moment: float,
    seed: int = 0,
    *,
    feature: str = "f1",
    metric: str = "euclidean",
    period: int = 0,
) -> npt.NDArray[np.float64]:
    """Return cellular noise whose points move within their cells.

    Parameters
    ----------
    x, y, seed, feature, metric, period
        As for `cellular_noise`.
    moment : float
        Time in new shapes; at 0 it is `cellular_noise`.

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
    xs, ys = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    column, row = np.floor(xs), np.floor(ys)
    order = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}[metric]
    distances = []
    for dj in range(-RINGS, RINGS + 1):
        for di in range(-RINGS, RINGS + 1):
            bits = hash_places(column + di, row + dj, seed, period)
            own = _mixed(bits)
            # A point goes to and fro: from 0 to 1 in the first half of a turn, and back in the second.
            east = ((bits & 0xFFFF) / 2.0**17 + turns(own, moment)) % 1.0
            north = ((bits >> np.uint32(16)) / 2.0**17 + turns(_mixed(own), moment)) % 1.0
            way = [1.0 - np.abs(2.0 * place - 1.0) for place in (east, north)]
            ways = np.stack([way[0] + di - (xs - column), way[1] + dj - (ys - row)])
            distances.append(np.linalg.norm(ways, order, axis=0))
    first, second = np.sort(distances, axis=0)[:2]
    return {"f1": first, "f2": second, "f2_minus_f1": second - first}[feature]


def hash_places(
    columns: npt.NDArray[np.float64], rows: npt.NDArray[np.float64], seed: int, period: int
) -> npt.NDArray[np.uint32]:
    """Return the hashes of nodes, written for whole arrays.

    Parameters
    ----------
    columns, rows : ndarray of float64
        Whole numbers.
    seed : int
        0 to 2³² − 1.
    period : int
        Number of cells after which they repeat; 0 for never.

    Returns
    -------
    ndarray of uint32
        What `hash_place` gives for each.

    References
    ----------
    Wellons, C. (2018). Hash function prospector. github.com/skeeto/hash-prospector.  (The function lowbias32.)
    """
    i, j = (places.astype(np.int64) % (period or 2**32) for places in (columns, rows))
    inner = _mixed((j + int(_mixed(np.array(seed, np.uint32)))).astype(np.uint32))
    return _mixed((i + inner).astype(np.uint32))


def _mixed(bits: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return `mix` of a whole array."""
    value = np.asarray(bits, np.uint64)
    value ^= value >> np.uint64(16)
    value = value * np.uint64(0x7FEB352D) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(15)
    value = value * np.uint64(0x846CA68B) & np.uint64(0xFFFFFFFF)
    return (value ^ value >> np.uint64(16)).astype(np.uint32)


def turns(bits: npt.NDArray[np.uint32], moment: float) -> npt.NDArray[np.float64]:
    """Return how many turns something has made, half a turn in a unit of time at most.

    Parameters
    ----------
    bits : ndarray of uint32
        Hashes, from which the speeds follow.
    moment : float
        Time in new shapes.

    Returns
    -------
    ndarray of float64
        Turns, of either sign.
    """
    return bits.view(np.int32).astype(np.float64) * (0.5 / 2.0**31) * moment


def _between_layers(
    moment: float, seed: int, kind: int, rise: float, slopes: _Noise, signs: _Noise
) -> npt.NDArray[np.float64]:
    """Return ρ · ((1 − s) (N + c t S) + s (N′ + c (t − 1) S′))."""
    layer = math.floor(moment)
    below, above = (layer_seed(number, np.uint32(seed)) for number in (layer, layer + 1))
    t = moment - layer
    s = float(fade(t, kind))
    spread = (1.0 - s) ** 2 + s**2 + 4.0 * ((1.0 - s) ** 2 * t**2 + s**2 * (1.0 - t) ** 2)
    lower = slopes(int(below)) + rise * t * signs(int(below))
    upper = slopes(int(above)) + rise * (t - 1.0) * signs(int(above))
    return ((1.0 - s) * lower + s * upper) / math.sqrt(spread)


def _mean_square(vectors: npt.NDArray[np.float64]) -> float:
    return float((vectors**2).sum() / len(vectors))


@cache
def _squared_distance(kind: int) -> float:
    """Return the mean of |d|² over a cell and its four nodes, each counted with the square of its weight."""
    t = (np.arange(2000) + 0.5) / 2000
    s = _faded(t, kind)
    counts = np.multiply.outer((1.0 - s) ** 2, (1.0 - s) ** 2)
    return float((counts * np.add.outer(t**2, t**2)).sum() / counts.sum())


def _faded(t: npt.NDArray[np.float64], kind: int) -> npt.NDArray[np.float64]:
    faded: npt.NDArray[np.float64] = fade.py_func(t, kind)
    return faded
