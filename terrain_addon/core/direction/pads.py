"""Pads: level ground with slopes around it, cut into the land and filled up.

>>> slope = (np.arange(33, dtype=np.float32) * np.float32(2.0))[np.newaxis] * np.ones((33, 1), np.float32)
>>> pad = Pad(points=((120.0, 120.0), (200.0, 120.0), (200.0, 200.0), (120.0, 200.0)))
>>> land, made = lay_pad(slope, pad, 10.0, np.zeros(slope.shape, bool))
>>> round(made.level), abs(made.cut - made.fill) < 0.001 * made.cut
(32, True)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.filling import fill_depressions
from ..flow.routing import route_flow
from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .features import Pad
from .lines import DrawnLine, inside, measure_nearness

_BISECTIONS = 40
# A pool that is this deep in metres is drained, along a way that falls so much per metre.
_LEAST_POOL, _FALL = 0.05, 1e-4
# How often the level is sought again, and the share of cut and fill by which they may differ.
_BALANCINGS, _BALANCED = 8, 0.002
# How often it is looked for new pools, and how deep one may stay, in metres.
_MOST_OPENINGS, _DEEPEST_PUDDLE = 4, 0.5


class LaidPad(NamedTuple):
    """What a pad took.

    Parameters
    ----------
    pad : Pad
        The feature.
    level : float
        Metres.
    cut, fill : float
        Volumes in m³ that were taken away and put there.
    """

    pad: Pad
    level: float
    cut: float
    fill: float


class Slopes(NamedTuple):
    """Tangents of the slopes that are cut into the land, and of those that are filled up."""

    cut: float
    fill: float


def slopes_of(cut_angle: float, fill_angle: float) -> Slopes:
    """Return the tangents of two angles.

    Parameters
    ----------
    cut_angle, fill_angle : float
        Degrees, below 90.

    Returns
    -------
    Slopes
    """
    return Slopes(math.tan(math.radians(cut_angle)), math.tan(math.radians(fill_angle)))


def lay_pad(surface: Field, pad: Pad, cell_size: float, kept: npt.NDArray[np.bool_]) -> tuple[Field, LaidPad]:
    """Return a land with level ground within an outline.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    pad : Pad
        With three points or more.
    cell_size : float
        Metres.
    kept : ndarray of bool, shape (rows, columns)
        Cells that stay as they are, such as the beds of rivers.

    Returns
    -------
    land : ndarray of float32, shape (rows, columns)
        Heights in metres.
    made : LaidPad
        Its level and volumes.
    """
    outline = outline_of(pad)
    level_ground = inside(outline, surface.shape, cell_size)
    slopes = slopes_of(pad.cut_angle, pad.fill_angle)
    ground = surface[level_ground] if level_ground.any() else surface.ravel()[:1]
    reach = reach_of_pad(pad, float(surface.max()) - float(surface.min()), cell_size)
    around = _around_pad(surface, outline, cell_size, reach, kept)
    near, before = around.near, around.before

    def shaped(level: float) -> npt.NDArray[np.float64]:
        return _shaped(around, level, slopes)

    def built(level: float) -> tuple[Field, float, float]:
        result = surface.copy()
        result[near] = shaped(level).astype(np.float32)
        result = open_streams(surface, result, cell_size)
        change = (result.astype(np.float64) - surface) * cell_size**2
        return result, float(-np.minimum(change, 0.0).sum()), float(np.maximum(change, 0.0).sum())

    def balanced(surplus: float) -> float:
        low, high = float(ground.min()), float(ground.max())
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if float((shaped(middle) - before).sum()) < surplus else (low, middle)
        return 0.5 * (low + high)

    drawn = [point[2] for point in pad.points if len(point) > 2]
    if drawn:
        level = float(np.mean(drawn))
    elif pad.level != "balance":
        level = float(ground.min() if pad.level == "lowest" else ground.max())
    else:
        # What is dug out again for streams is filled elsewhere.
        surplus, best = 0.0, math.inf
        for _ in range(_BALANCINGS):
            tried = balanced(surplus)
            _, cut, fill = built(tried)
            if abs(cut - fill) < best:
                level, best = tried, abs(cut - fill)
            if abs(cut - fill) <= _BALANCED * max(cut, fill):
                break
            surplus += (cut - fill) / cell_size**2
    result, cut, fill = built(level)
    return result, LaidPad(pad, level, cut, fill)


def outline_of(pad: Pad) -> DrawnLine:
    """Return the outline of a pad, from its first point back to it.

    Parameters
    ----------
    pad : Pad
        With three points or more.

    Returns
    -------
    DrawnLine
    """
    points = np.array([point[:2] for point in (*pad.points, pad.points[0])], np.float64)
    return DrawnLine(points[:, 0].copy(), points[:, 1].copy(), np.full(len(points), np.nan))


def reach_of_pad(pad: Pad, span: float, cell_size: float) -> float:
    """Return how far beyond its outline a pad may change the land.

    Parameters
    ----------
    pad : Pad
        With its slopes.
    span : float
        Height of the land in metres.
    cell_size : float
        Metres.

    Returns
    -------
    float
        Metres.
    """
    outline = outline_of(pad)
    widest = 2.0 * (float(np.ptp(outline.x)) + float(np.ptp(outline.y))) + cell_size
    return min(span / min(slopes_of(pad.cut_angle, pad.fill_angle)), widest)


class PlacedPad(NamedTuple):
    """A pad whose level is known.

    Parameters
    ----------
    pad : Pad
        Slopes of its ground.
    outline : DrawnLine
        From `outline_of`, seen from the corner of the window on which it is laid.
    level : float
        Metres.
    reach : float
        From `reach_of_pad`.
    """

    pad: Pad
    outline: DrawnLine
    level: float
    reach: float


def lay_on_window(surface: Field, placed: PlacedPad, cell_size: float, kept: npt.NDArray[np.bool_]) -> Field:
    """Return a window of a land with the level ground of a pad and its slopes.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    placed : PlacedPad
        The pad.
    cell_size : float
        Metres.
    kept : ndarray of bool, shape (rows, columns)
        Cells that stay as they are.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Streams that its filled ground dams get no way through it.
    """
    around = _around_pad(surface, placed.outline, cell_size, placed.reach, kept)
    result = surface.copy()
    slopes = slopes_of(placed.pad.cut_angle, placed.pad.fill_angle)
    result[around.near] = _shaped(around, placed.level, slopes).astype(np.float32)
    return result


class _Around(NamedTuple):
    """The ground that a pad may change: where it is, its height and its distance from the outline, in metres."""

    near: npt.NDArray[np.bool_]
    before: npt.NDArray[np.float64]
    distance: npt.NDArray[np.float64]


def _around_pad(
    surface: Field, outline: DrawnLine, cell_size: float, reach: float, kept: npt.NDArray[np.bool_]
) -> _Around:
    away = measure_nearness(outline, surface.shape, cell_size, reach).distance
    away[inside(outline, surface.shape, cell_size)] = 0.0
    near = np.isfinite(away) & ~kept
    return _Around(near, surface[near].astype(np.float64), away[near].astype(np.float64))


def _shaped(around: _Around, level: float, slopes: Slopes) -> npt.NDArray[np.float64]:
    """The ground with a pad of some level, in metres."""
    return np.clip(around.before, level - slopes.fill * around.distance, level + slopes.cut * around.distance)


def cut_through(before: Field, after: Field, cell_size: float, held: npt.NDArray[np.bool_]) -> Field:
    """Return a land whose streams cut through what was raised in their way, and drain what was lowered.

    Parameters
    ----------
    before, after : ndarray of float32, shape (rows, columns)
        Heights in metres before and after forms were laid on the land.
    cell_size : float
        Metres.
    held : ndarray of bool, shape (rows, columns)
        Cells of crests, through which nothing may cut; overwritten.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        As `after`, but from each new pool whose water does not cross a crest the ground falls along its way.
    """
    pools = fill_depressions(after) - after > fill_depressions(before) - before + np.float32(_LEAST_POOL)
    if not pools.any():
        return after
    routes = route_flow(after, cell_size)
    heights = after.copy()
    _fall_from(
        routes.receivers, routes.order, pools.ravel(), held.ravel(), heights.ravel(), np.float32(_FALL * cell_size)
    )
    return heights


@kernel
def _fall_from(receivers: Array, order: Array, begins: Array, held: Array, heights: Array, fall: np.float32) -> None:
    """Lower what lies higher downstream of some cells, in place; `begins` and `held` are overwritten."""
    for cell in order:
        held[cell] = held[cell] or held[receivers[cell]]
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        if begins[cell] and not held[cell] and below != cell and heights[below] >= heights[cell]:
            heights[below] = heights[cell] - fall
            begins[below] = True


def open_streams(before: Field, after: Field, cell_size: float) -> Field:
    """Return a land in which what was filled up dams no water: streams keep the way that they had.

    Parameters
    ----------
    before, after : ndarray of float32, shape (rows, columns)
        Heights in metres before and after ground was filled up.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        As `after`, but along the way down from each new pool as low as `before`.
    """
    was_wet = fill_depressions(before) - before
    receivers, heights, ground = None, after.copy(), before.ravel()
    for _ in range(_MOST_OPENINGS):
        pool = fill_depressions(heights) - heights - was_wet
        deepest = int(pool.argmax())
        if pool.flat[deepest] <= _DEEPEST_PUDDLE:
            break
        if receivers is None:
            receivers = route_flow(before, cell_size).receivers
        # All ways from the pool: down from each of its cells as long as something was filled up there.
        for cell in np.flatnonzero(pool > _DEEPEST_PUDDLE).tolist():
            while heights.flat[cell] > ground[cell] or pool.flat[cell] > _DEEPEST_PUDDLE:
                heights.flat[cell] = min(heights.flat[cell], ground[cell])
                pool.flat[cell] = 0.0
                if receivers[cell] == cell:
                    break
                cell = int(receivers[cell])
    return heights
