"""The line of a road: rounded until no bend is sharper than allowed, and moved to where the ground is level.

>>> corner = np.array([[0.0, 0.0], [300.0, 0.0], [300.0, 300.0]])
>>> line = first_bends(corner, [0, 2], corner[[0, 2]], Bends(30.0, 7.0, 10.0))
>>> bool(sharpest_bend(line.x, line.y).radius >= 30.0), float(line.x[-1])
(True, 300.0)

References
----------
M. Müller, B. Heidelberger, M. Hennix and J. Ratcliff (2007), "Position based dynamics", Journal of Visual Communication
and Image Representation 18(2), 109-118, doi:10.1016/j.jvcir.2007.01.005: each constraint in turn moves points by the
least that fulfils it.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .lines import DrawnLine, Numbers

# Metres between points, as a multiple of the width of the road; points along a radius; and most points.
_FINENESS, _POINTS_A_RADIUS = 1.0, 5.0
_MOST_POINTS = 4000.0
# Bends are made so much wider than asked, because they are measured between points; so much is enough.
_WIDER, _ENOUGH = 1.1, 1.05
# Smaller radii, in metres, need no finer points.
_LEAST_RADIUS = 10.0
# Passes over the line, how many before it is measured, and the share of what is too much that one pass takes away.
_PASSES, _BETWEEN, _SHARE = 1200, 20, 0.35
# A line is smoothed where its bends are wider than this multiple of the least radius.
_WIDE = 2.0
_SMOOTHING = 20


class Bends(NamedTuple):
    """Least radius and width of a road, and how far places of its search are from one another, in metres."""

    radius: float
    width: float
    spacing: float


class Alignment(NamedTuple):
    """The line of a road.

    Parameters
    ----------
    x, y : ndarray of float64, shape (points,)
        Metres.
    places : list of int
        Numbers of the points that are stops.
    """

    x: Numbers
    y: Numbers
    places: list[int]


class SharpestBend(NamedTuple):
    """Its radius in metres, infinite on a straight road, and the number of the point in its middle."""

    radius: float
    point: int


def first_bends(way: Numbers, fixed: list[int], stops: Numbers, bends: Bends) -> Alignment:
    """Return a chain of places as a line with round bends.

    Parameters
    ----------
    way : ndarray of float64, shape (places, 2)
        Metres.
    fixed : list of int
        Numbers of the places that are nearest to stops.
    stops : ndarray of float64, shape (stops, 2)
        Metres; the line goes exactly by them.
    bends : Bends
        What is allowed.

    Returns
    -------
    Alignment
    """
    line = _resampled(Alignment(way[:, 0], way[:, 1], fixed), bends)
    _go_by(line, stops, bends)
    return round_bends(line, bends)


def round_bends(line: Alignment, bends: Bends, passes: int = _PASSES) -> Alignment:
    """Return a line whose bends are nowhere sharper than allowed, as far as stops allow that.

    Parameters
    ----------
    line : Alignment
        Its stops stay.
    bends : Bends
        What is allowed.
    passes : int
        Over the line, at most.

    Returns
    -------
    Alignment
        Points lie at equal distances between stops.
    """
    line = _resampled(line, bends)
    if bends.radius <= 0.0 or line.x.size < 5:
        return line
    for _ in range(passes // _BETWEEN):
        if sharpest_bend(line.x, line.y).radius >= _ENOUGH * bends.radius:
            break
        _open_bends(line, _WIDER * bends.radius, _BETWEEN)
        line = _resampled(line, bends)
    return line


def smooth_bends(line: Alignment, bends: Bends) -> None:
    """Smooth a line where it is nearly straight, in place; tight bends would shrink.

    Parameters
    ----------
    line : Alignment
        Its stops stay.
    bends : Bends
        What is allowed.
    """
    x, y, places = line
    radius = np.full(x.size, np.inf)
    radius[2:-2] = _radii(x, y)
    weight = np.clip(radius / max(bends.radius, 1e-9) - _WIDE, 0.0, 1.0)
    for _ in range(4):
        weight[1:-1] = np.minimum(weight[1:-1], 0.5 * (weight[:-2] + weight[2:]))
    weight[places] = 0.0
    for part in (x, y):
        smooth_values(part, weight, _SMOOTHING)


@kernel
def smooth_values(values: Array, weight: Array, passes: int) -> None:
    """Move values towards the mean of those beside them, in place; the first and the last stay.

    Parameters
    ----------
    values : ndarray of float64, shape (points,)
        Any unit.
    weight : ndarray of float64, shape (points,)
        0 to 1: 1 takes half of the mean in each pass.
    passes : int
        How often.
    """
    for _ in range(passes):
        before = values[0]
        for i in range(1, values.size - 1):
            here = values[i]
            values[i] = here + 0.25 * weight[i] * (before - 2.0 * here + values[i + 1])
            before = here


def sharpest_bend(x: Numbers, y: Numbers) -> SharpestBend:
    """Return the sharpest circle through three points of a line, each two apart.

    Parameters
    ----------
    x, y : ndarray of float64, shape (points,)
        Metres.

    Returns
    -------
    SharpestBend
    """
    radii = _radii(x, y)
    if not radii.size:
        return SharpestBend(math.inf, 0)
    return SharpestBend(float(radii.min()), int(radii.argmin()) + 2)


def _radii(x: Numbers, y: Numbers) -> Numbers:
    """Radius of the circle through each point and those two before and after it."""
    k = 2
    if x.size <= 2 * k:
        return np.empty(0)
    ax, ay, bx, by = x[k:-k] - x[: -2 * k], y[k:-k] - y[: -2 * k], x[2 * k :] - x[k:-k], y[2 * k :] - y[k:-k]
    cross = np.abs(ax * by - ay * bx)
    a, b = np.sqrt(ax * ax + ay * ay), np.sqrt(bx * bx + by * by)
    c = np.sqrt((ax + bx) ** 2 + (ay + by) ** 2)
    # The way back is no straight line, though its three points lie on one.
    back = ax * bx + ay * by < 0.0
    radii: npt.NDArray[np.float64] = np.where(back & (cross < 1e-9), 0.0, a * b * c / np.maximum(2.0 * cross, 1e-9))
    return radii


def _resampled(line: Alignment, bends: Bends) -> Alignment:
    """The line with points at equal distances between stops, which stay exactly where they are."""
    along = DrawnLine(line.x, line.y, np.empty(0)).along
    total = float(along[-1])
    finest = min(_FINENESS * bends.width, max(bends.radius, _LEAST_RADIUS) / _POINTS_A_RADIUS)
    step = max(finest, total / _MOST_POINTS, 1e-9)
    where, places = [np.zeros(1)], [0]
    for one, other in zip(line.places, line.places[1:]):
        count = max(math.ceil((along[other] - along[one]) / step), 2)
        where.append(np.linspace(along[one], along[other], count + 1)[1:])
        places.append(places[-1] + count)
    at = np.concatenate(where)
    x, y = np.interp(at, along, line.x), np.interp(at, along, line.y)
    x[places], y[places] = line.x[line.places], line.y[line.places]
    return Alignment(x, y, places)


def _go_by(line: Alignment, stops: Numbers, bends: Bends) -> None:
    """Move a line softly so that it goes exactly by its stops, in place."""
    x, y, places = line
    reach = max(4.0 * bends.radius, 10.0 * bends.width, 4.0 * bends.spacing)
    along = DrawnLine(x, y, np.empty(0)).along
    for _ in range(4):
        for place, stop in zip(places, stops):
            away = np.minimum(np.abs(along - along[place]) / reach, 1.0)
            share = (1.0 - away * away) ** 2
            x += share * (stop[0] - x[place])
            y += share * (stop[1] - y[place])
    x[places], y[places] = stops[:, 0], stops[:, 1]


def _open_bends(line: Alignment, radius: float, passes: int) -> None:
    """Move points so that bends get wider, in place: on an arc, points h apart lie R (1 − cos(h/R)) off their chord."""
    x, y, places = line
    is_stop = np.zeros(x.size, np.bool_)
    is_stop[places] = True
    dx, dy = np.empty(x.size), np.empty(x.size)
    length = float(DrawnLine(x, y, np.empty(0)).along[-1])
    for _ in range(passes):
        step, span = length / (x.size - 1), 1
        most = []
        while span * step <= 1.5 * radius and 2 * span < x.size:
            most.append(radius * (1.0 - math.cos(span * step / radius)))
            span *= 2
        length = _open_once(x, y, is_stop, np.array(most), dx, dy)


@kernel
def _open_once(x: Array, y: Array, is_stop: Array, most: Array, dx: Array, dy: Array) -> float:
    """Move each point, and those 1, 2, 4 and so on before and after it, until it lies at most `most` off their chord.

    Return how long the line is then.
    """
    span = 1
    for number in range(most.size):
        for i in range(span, x.size - span):
            across, up = 0.5 * (x[i - span] + x[i + span]) - x[i], 0.5 * (y[i - span] + y[i + span]) - y[i]
            off = math.sqrt(across * across + up * up)
            share = _SHARE * max(1.0 - most[number] / max(off, 1e-9), 0.0)
            dx[i], dy[i] = share * across, share * up
        for i in range(x.size):
            if is_stop[i]:
                continue
            change_x = change_y = 0.0
            if span <= i < x.size - span:
                change_x, change_y = dx[i], dy[i]
            if i < x.size - 2 * span:
                change_x, change_y = change_x - 0.5 * dx[i + span], change_y - 0.5 * dy[i + span]
            if i >= 2 * span:
                change_x, change_y = change_x - 0.5 * dx[i - span], change_y - 0.5 * dy[i - span]
            x[i] += change_x
            y[i] += change_y
        span *= 2
    length = 0.0
    for i in range(1, x.size):
        length += math.sqrt((x[i] - x[i - 1]) ** 2 + (y[i] - y[i - 1]) ** 2)
    return length
