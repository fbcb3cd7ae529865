"""The centre line of a river, and how its bends migrate.

A bend moves outwards, and water keeps some of its swing from the bends above (Howard and Knutson 1984).  With the
curvature C, the width W and the depth D of the river, and ξ the way upstream,

    R₀ = k W C                                                                                                       (1)
    R₁(s) = Ω R₀(s) + Γ ∫ R₀(s − ξ) G(ξ) dξ / ∫ G(ξ) dξ,   G(ξ) = exp(−α ξ),   α = 2 C_f / D                         (2)

so bends of some twelve widths grow fastest, and short ones die out.  The more a river winds, the gentler it falls, and
the slower it moves: R₁ ∝ sinuosity^(−2/3).

References
----------
A. D. Howard and T. R. Knutson (1984), "Sufficient conditions for river meandering: A simulation approach", Water
Resources Research 20, 1659-1667, doi:10.1029/WR020i011p01659.

Z. Sylvester, P. Durkin and J. A. Covault (2019), "High curvatures drive river meandering", Geology 47, 263-266,
doi:10.1130/G45608.1: the same with a friction and a depth.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp, power
from ..foundation.sampling import interpolate

OMEGA, GAMMA = -1.0, 2.5
"""Ω and Γ: what the place itself and what the way above it count."""
SPACING = 0.5
"""Distance of the points of a line, in widths."""
# Points farther apart, or nearer, than these shares of it are divided or joined.
_FAR, _NEAR = 4.0 / 3.0, 0.6
# A point moves at most this share of the spacing in a step.
_LARGEST_MOVE = 0.2
# In widths: two points make a neck if they are nearer than this, so that less than a width of land lies between their
# banks, and the way between them is longer than that.
_NECK, _NECK_WAY = 2.0, 6.0
# Where each property of a point is.
X, Y, WIDTH = 0, 1, 2


def gaps_of(line: Array) -> npt.NDArray[np.float64]:
    """Return how far each point of a line is from the one after it.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 2 or more)
        x and y in metres.

    Returns
    -------
    ndarray of float64, shape (points - 1,)
        Metres.
    """
    x, y = np.diff(line[:, X]), np.diff(line[:, Y])
    return np.asarray(np.sqrt(x * x + y * y))


class MeanderLaw(NamedTuple):
    """How a river moves.

    Attributes
    ----------
    mobility : float
        k as a share of the width: how many widths a year a bend moves whose radius is a width; above 0.
    friction : float
        C_f, without a unit.
    width_to_depth : float
        W / D.
    """

    mobility: float
    friction: float
    width_to_depth: float


class Freedom(NamedTuple):
    """Where a river may move.

    Attributes
    ----------
    share : ndarray of float32, shape (rows, columns)
        What is left of its speed where its outer bank stands there, 0 to 1.
    cell_size : float
        Metres.
    """

    share: Array
    cell_size: float


@kernel
def migrate(
    line: Array, law: MeanderLaw, freedom: Freedom, straight: float, entering: float, years: float, rate: Array
) -> None:
    """Let the points of a line move by one explicit step; its ends stay.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 3)
        x, y and width in metres, from the source to the mouth; changed in place.
    law : MeanderLaw
        How the river moves.
    freedom : Freedom
        Where it may.
    straight : float
        Length of the valley in metres.
    entering : float
        W C of the river above the line.
    years : float
        Length of the step.
    rate : ndarray of float64, shape (points,)
        Working memory.
    """
    last = line.shape[0] - 1
    length, bend_above = 0.0, entering
    # The way above the line, without an end: ∫ exp(−α ξ) dξ = 1 / α.
    weights = line[0, WIDTH] / (2.0 * law.friction * law.width_to_depth)
    weighted = entering * weights
    rate[0] = rate[last] = 0.0
    for i in range(1, last):
        ax, ay = line[i, X] - line[i - 1, X], line[i, Y] - line[i - 1, Y]
        bx, by = line[i + 1, X] - line[i, X], line[i + 1, Y] - line[i, Y]
        cx, cy = line[i + 1, X] - line[i - 1, X], line[i + 1, Y] - line[i - 1, Y]
        before, after = math.sqrt(ax * ax + ay * ay), math.sqrt(bx * bx + by * by)
        across = max(math.sqrt(cx * cx + cy * cy), 1e-9)
        width = line[i, WIDTH]
        length += before
        # Curvature of the circle through three points.
        bend = width * 2.0 * (ax * by - ay * bx) / max(before * after * across, 1e-9)  # (1), of k = 1
        fading = exp(-2.0 * law.friction * law.width_to_depth * before / width)
        # Trapezium by trapezium from the point above.
        weighted = fading * weighted + 0.5 * before * (bend + fading * bend_above)
        weights = fading * weights + 0.5 * before * (1.0 + fading)
        bend_above = bend
        rate[i] = OMEGA * bend + GAMMA * weighted / weights  # (2)
    ax, ay = line[last, X] - line[last - 1, X], line[last, Y] - line[last - 1, Y]
    length += math.sqrt(ax * ax + ay * ay)
    pace = law.mobility * years * power(max(length / straight, 1.0), -2.0 / 3.0)
    _move(line, freedom, pace, rate)


@kernel
def _move(line: Array, freedom: Freedom, pace: float, rate: Array) -> None:
    """Move each point across the line; what was a rate is the way then, so that no point sees others moved."""
    last = line.shape[0] - 1
    before_x, before_y = line[0, X], line[0, Y]
    for i in range(1, last):
        x, y, width = line[i, X], line[i, Y], line[i, WIDTH]
        cx, cy = line[i + 1, X] - before_x, line[i + 1, Y] - before_y
        across = max(math.sqrt(cx * cx + cy * cy), 1e-9)
        most = _LARGEST_MOVE * SPACING * width
        way = min(max(pace * width * rate[i], -most), most)
        right, up = cy / across, -cx / across
        bank = 0.5 * width if way > 0.0 else -0.5 * width
        column, row = (x + (bank + way) * right) / freedom.cell_size, (y + (bank + way) * up) / freedom.cell_size
        way *= min(max(interpolate(freedom.share, column, row), 0.0), 1.0)
        line[i, X], line[i, Y] = x + way * right, y + way * up
        before_x, before_y = x, y


@kernel
def refit(line: Array, result: Array) -> int:
    """Divide long gaps between points and leave out points that are too near; all others stay where they are.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 3)
        As for `migrate`.
    result : ndarray of float64, shape (2 · points, 3)
        Takes the new points.

    Returns
    -------
    int
        How many there are.
    """
    last = line.shape[0] - 1
    result[0] = line[0]
    count = 1
    for i in range(1, last + 1):
        gap = _distance(result[count - 1], line[i]) / (SPACING * line[i, WIDTH])
        if gap < _NEAR and i < last:
            continue
        if gap < _NEAR and count > 1:
            count -= 1
        elif gap > _FAR:
            for k in range(3):
                # The cubic through two points on either side.
                outer = line[max(i - 2, 0), k] + line[min(i + 1, last), k]
                inner = line[i - 1, k] + line[i, k]
                middle = (9.0 * inner - outer) / 16.0
                smooth = 2 <= i < last and _distance(result[count - 1], line[i - 1]) == 0.0
                result[count, k] = middle if smooth else 0.5 * (result[count - 1, k] + line[i, k])
            count += 1
        result[count] = line[i]
        count += 1
    return count


@kernel
def _distance(a: Array, b: Array) -> float:
    x, y = a[X] - b[X], a[Y] - b[Y]
    return math.sqrt(x * x + y * y)


@kernel
def find_neck(line: Array, along: Array, first: Array, following: Array) -> tuple[int, int]:
    """Find two points of a line with less than a width of land between their banks, and a bend.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 3)
        As for `migrate`.
    along : ndarray of float64, shape (points,)
        Working memory.
    first : ndarray of int64, shape (a power of 2,)
        Working memory: buckets of points that are near to each other.
    following : ndarray of int64, shape (points,)
        Working memory.

    Returns
    -------
    tuple of int
        The one nearest to the source, and the nearest to it that makes a neck; (0, 0) where there is no neck.
    """
    count = line.shape[0]
    widest = 0.0
    first[:] = -1
    for i in range(count):
        widest = max(widest, _NECK * line[i, WIDTH])
    along[0] = 0.0
    for i in range(count):
        if i > 0:
            along[i] = along[i - 1] + _distance(line[i - 1], line[i])
        bucket = _bucket(math.floor(line[i, X] / widest), math.floor(line[i, Y] / widest), first.size)
        following[i] = first[bucket]
        first[bucket] = i
    for i in range(count):
        found = count
        column, row = math.floor(line[i, X] / widest), math.floor(line[i, Y] / widest)
        for up in range(-1, 2):
            for right in range(-1, 2):
                j = first[_bucket(column + right, row + up, first.size)]
                while j > i:
                    width = 0.5 * (line[i, WIDTH] + line[j, WIDTH])
                    is_near = _distance(line[i], line[j]) < _NECK * width
                    if is_near and along[j] - along[i] > _NECK_WAY * width and j < found:
                        found = j
                    j = following[j]
        if found < count:
            return i, found
    return 0, 0


@kernel
def _bucket(column: float, row: float, buckets: int) -> int:
    return (int(column) * 73856093 ^ int(row) * 19349663) & (buckets - 1)
