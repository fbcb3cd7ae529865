"""Rivers as lines: from the source down to the sea, the border, or a larger river."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .drainage import strahler_order
from .routing import FlowRoutes

# A river of fewer cells is a cell of a hillside that happens to drain enough, not a line to draw.
_SHORTEST = 4
# Passes of a moving average over three points, which round the corners of the grid.
_SMOOTHING = 2


@dataclass(frozen=True)
class Rivers:
    """Lines of points, each from the source to the mouth.

    Where two rivers meet, the one with the larger drainage area goes on and the other ends in a point of it.  River i
    has the points from ``first[i]`` up to ``first[i + 1]``; a river comes after the one that it joins.

    Attributes
    ----------
    first : ndarray of int32, shape (rivers + 1,)
        First point of each river.
    joins : ndarray of int32, shape (rivers,)
        River in which it ends; −1 where that is the border or the sea.
    joins_at : ndarray of int32, shape (rivers,)
        The point of that river in which it ends; −1 as above.
    points : ndarray of float32, shape (points, 3)
        x (east), y (north) and z in metres, on the surface of the water and within their cell; z never rises
        downstream.
    cell : ndarray of int32, shape (points,)
        Flat index of the cell for which a point stands, to look up any map.
    drainage_area : ndarray of float32, shape (points,)
        m².
    width : ndarray of float32, shape (points,)
        Metres.
    stream_order : ndarray of uint8, shape (points,)
        After Strahler (1957).
    """

    first: npt.NDArray[np.int32]
    joins: npt.NDArray[np.int32]
    joins_at: npt.NDArray[np.int32]
    points: npt.NDArray[np.float32]
    cell: npt.NDArray[np.int32]
    drainage_area: npt.NDArray[np.float32]
    width: npt.NDArray[np.float32]
    stream_order: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.joins)


def trace_rivers(
    routes: FlowRoutes,
    drainage_area: npt.NDArray[np.float64],
    water_level: Field,
    *,
    river_source: float,
    river_width: float = 3.0,
) -> Rivers:
    """Return the rivers as lines on the water.

    The width follows hydraulic geometry, w ∝ A^0.5 (Leopold & Maddock 1953, discharge in proportion to the drainage
    area A).

    Parameters
    ----------
    routes : FlowRoutes
        Where water goes.
    drainage_area : ndarray of float64, shape (rows, columns)
        m², from `drainage_area`.
    water_level : ndarray of float32, shape (rows, columns)
        Metres: the surface with its depressions filled, `fill_depressions`, so that no river has to climb.
    river_source : float
        Drainage area from which on there is a river, in m², above 0.
    river_width : float
        Width in metres of a river that drains 1 km².

    Returns
    -------
    Rivers

    Raises
    ------
    ValueError
        If the shapes differ or `river_source` is not above 0.
    """
    if water_level.shape != routes.shape:
        raise ValueError(f"water_level has shape {water_level.shape} but the routes {routes.shape}")
    if not river_source > 0.0:
        raise ValueError(f"river_source = {river_source!r} m² is not above 0 m²")
    stream = strahler_order(routes, drainage_area, river_source).ravel()
    area = drainage_area.ravel()
    channel = routes.order[stream[routes.order] > 0]
    joins, joins_at, first, cell = _part_rivers(routes.receivers, area, channel)

    columns = routes.shape[1]
    middle = np.stack((cell % columns * routes.cell_size, cell // columns * routes.cell_size), axis=1)
    points = np.column_stack((middle, water_level.ravel()[cell])).astype(np.float32)
    _smooth(points, first, joins_at, _SMOOTHING)
    half = 0.5 * routes.cell_size
    np.clip(points[:, :2], middle - half, middle + half, out=points[:, :2], casting="same_kind")
    # In its last point a river that joins another is still as large as in the one before.
    own = cell.copy()
    ends = first[1:][joins >= 0] - 1
    own[ends] = cell[ends - 1]
    drained = area[own].astype(np.float32)
    width = np.float32(river_width) * np.sqrt(drained * np.float32(1e-6))
    return Rivers(first, joins, joins_at, points, cell, drained, width, stream[own])


@kernel
def _part_rivers(receivers: Array, area: Array, channel: Array) -> tuple[Array, Array, Array, Array]:
    """Part the cells of `channel`, downstream first, into rivers; returns joins, joins_at, first and cell."""
    place = np.zeros(receivers.size, np.int32)  # of a cell in `channel`, plus one
    main = np.full(channel.size, -1, np.int32)  # the donor through which the river comes
    for i in range(channel.size):
        cell = channel[i]
        place[cell] = i + 1
        below = receivers[cell]
        if below != cell:
            j = place[below] - 1
            if main[j] < 0 or area[cell] > area[channel[main[j]]]:
                main[j] = i

    river = np.empty(channel.size, np.int32)
    joined = np.empty(channel.size, np.int32)  # by river: place in `channel` of the cell in which it ends
    length = np.zeros(channel.size, np.int32)
    count = 0
    for i in range(channel.size):
        below = receivers[channel[i]]
        j = place[below] - 1
        if below != channel[i] and main[j] == i:
            river[i] = river[j]
        else:
            joined[count] = -1 if below == channel[i] else j
            river[i] = count
            count += 1
        length[river[i]] += 1

    number = np.zeros(count, np.int32)
    kept = 0
    for r in range(count - 1, -1, -1):
        # A river has a larger number than the one it joins, so by now all that join this one are settled.
        if length[r] >= _SHORTEST or number[r] > 0:
            number[r] = 1
            kept += 1
            if joined[r] >= 0:
                number[river[joined[r]]] = 1
    joins, joins_at = np.full(kept, -1, np.int32), np.full(kept, -1, np.int32)
    first = np.zeros(kept + 1, np.int32)
    kept = 0
    for r in range(count):
        if number[r] > 0:
            number[r] = kept
            first[kept + 1] = first[kept] + length[r] + (joined[r] >= 0)
            kept += 1
        else:
            number[r] = -1

    cells = np.empty(first[kept], np.int32)
    left = length.copy()
    point = np.empty(channel.size, np.int32)
    for i in range(channel.size):
        r = river[i]
        if number[r] >= 0:
            left[r] -= 1
            point[i] = first[number[r]] + left[r]
            cells[point[i]] = channel[i]
    for r in range(count):
        if number[r] >= 0 and joined[r] >= 0:
            joins[number[r]] = number[river[joined[r]]]
            joins_at[number[r]] = point[joined[r]]
            cells[first[number[r] + 1] - 1] = channel[joined[r]]
    return joins, joins_at, first, cells


@kernel
def _smooth(points: Array, first: Array, joins_at: Array, passes: int) -> None:
    """Average each point with its neighbours, 1 : 2 : 1; ends stay, and a river ends in a point of the one it joins."""
    for river in range(joins_at.size):
        begin, last = first[river], first[river + 1] - 1
        for axis in range(3):
            if joins_at[river] >= 0:
                points[last, axis] = points[joins_at[river], axis]
            for _ in range(passes):
                before = points[begin, axis]
                for i in range(begin + 1, last):
                    here = points[i, axis]
                    points[i, axis] = np.float32(0.25) * (before + np.float32(2.0) * here + points[i + 1, axis])
                    before = here
        # The point it joins may have been raised above the last of its own.
        for i in range(last - 1, begin - 1, -1):
            points[i, 2] = max(points[i, 2], points[i + 1, 2])
