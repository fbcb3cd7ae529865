"""Rivers as lines: each runs from its source down to the sea, the border, or a larger river.

Their width follows hydraulic geometry (Leopold & Maddock 1953), their order Strahler (1957).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.sampling import interpolate
from ..foundation.terrain import Field
from .drainage import accumulate, strahler_order
from .routing import FlowRoutes

DRAWN_REACH = 1.15
"""How far a river is drawn from its middle line, in halves of its width.

That is a little beyond the edge of the water, where the ground hides it: no gap shows on a steep bank.
"""

SHORTEST = 4
"""Fewest cells of a river.  A shorter one is part of a hillside that just drains enough, and no line is drawn."""

# How often the moving average over three points is applied, which rounds the corners of the grid.
_SMOOTHING = 6
# A smoothed point lies at most this many metres higher on the ground than the middle of its cell; it is moved back by
# half, and half again, and at last to the middle.
_CLIMB, _SMALLEST_SHARE = 0.35, 0.1


@dataclass(frozen=True)
class Rivers:
    """The rivers of a land, each a line of points from its source to its mouth.

    Where two rivers meet, the one with the larger drainage area continues, and the other ends at a point of it.  A
    river comes after the one that it joins.  River i has the points from ``first[i]`` to before ``first[i + 1]``.

    Attributes
    ----------
    first : ndarray of int32, shape (rivers + 1,)
        Index of the first point of each river; the last entry is the number of points.
    joins : ndarray of int32, shape (rivers,)
        Number of the river in which it ends; −1 if it ends at the border or in the sea.
    joins_at : ndarray of int32, shape (rivers,)
        Index of the point of that river at which it ends; −1 as above.
    points : ndarray of float32, shape (points, 3)
        x (east), y (north) and z in metres, within their cell and on the water surface there.  z never rises
        downstream.
    cell : ndarray of int32, shape (points,)
        Flat index of the cell of each point, to look up any map.
    drainage_area : ndarray of float32, shape (points,)
        m².
    width : ndarray of float32, shape (points,)
        Metres.
    stream_order : ndarray of uint8, shape (points,)
        Strahler order.
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


class DrawnStreams(NamedTuple):
    """Rivers that are there however little drains to them, and lakes of any size.

    Parameters
    ----------
    cell : ndarray of int32, shape (cells,)
        Flat indices.
    width : ndarray of float32, shape (cells,)
        Least width of the water there, in metres.
    lake_cell : ndarray of int64, shape (cells,)
        Flat indices of the ground of lakes.
    """

    cell: Array
    width: Array
    lake_cell: Array


def trace_rivers(
    routes: FlowRoutes,
    drainage_area: npt.NDArray[np.float64],
    water_level: Field,
    *,
    river_source: float,
    river_width: float = 3.0,
    drawn: DrawnStreams | None = None,
) -> Rivers:
    """Return the rivers as lines on the water surface.

    The width follows hydraulic geometry (Leopold & Maddock 1953): w ∝ A^0.5, where the drainage area A stands for
    discharge.

    Parameters
    ----------
    routes : FlowRoutes
        From `route_flow`.
    drainage_area : ndarray of float64, shape (rows, columns)
        m², from `drainage_area`.
    water_level : ndarray of float32, shape (rows, columns)
        Metres: the surface with its depressions filled (`fill_depressions`), so that no river flows uphill.
    river_source : float
        Drainage area in m² at which a river begins, above 0.
    river_width : float
        Width in metres of a river that drains 1 km².
    drawn : DrawnStreams, optional
        Cells that hold rivers however little drains there, with all that lies downstream of them.

    Returns
    -------
    Rivers
        Lines with the drainage area, width and Strahler order of each point.

    Raises
    ------
    ValueError
        If the shapes differ or `river_source` is not above 0.

    References
    ----------
    Leopold, L. B., & Maddock, T. (1953). The hydraulic geometry of stream channels and some physiographic implications.
    U.S. Geological Survey Professional Paper 252. doi:10.3133/pp252

    Strahler, A. N. (1957). Quantitative analysis of watershed geomorphology. Transactions, American Geophysical Union,
    38(6), 913–920. doi:10.1029/TR038i006p00913

    Examples
    --------
    A straight valley that falls to the south.  Its river begins where 5 cells of 1 m² drain together:

    >>> import numpy as np
    >>> from terrain_addon.core.flow.drainage import drainage_area
    >>> from terrain_addon.core.flow.rivers import trace_rivers
    >>> from terrain_addon.core.flow.routing import route_flow
    >>> row, column = np.mgrid[0:8, 0:5]
    >>> surface = (row + 3 * abs(column - 2)).astype(np.float32)
    >>> routes = route_flow(surface, 1.0)
    >>> rivers = trace_rivers(routes, drainage_area(routes), surface, river_source=5.0)
    >>> len(rivers)
    1
    >>> rivers.points.tolist()
    [[2.0, 5.0, 5.0], [2.0, 4.0, 4.0], [2.0, 3.0, 3.0], [2.0, 2.0, 2.0], [2.0, 1.0, 1.0], [2.0, 0.0, 0.0]]
    """
    if water_level.shape != routes.shape:
        raise ValueError(f"water_level has shape {water_level.shape} but the routes {routes.shape}")
    if not river_source > 0.0:
        raise ValueError(f"river_source = {river_source!r} m² is not above 0 m²")
    counted = drainage_area
    if drawn is not None:
        carries = np.zeros(routes.shape)
        carries.ravel()[drawn.cell] = 1.0
        accumulate(routes.receivers, routes.order, carries.ravel())
        counted = np.where(carries > 0.0, np.inf, drainage_area)
    stream = strahler_order(routes, counted, river_source).ravel()
    area = drainage_area.ravel()
    channel = routes.order[stream[routes.order] > 0]
    joins, joins_at, first, cell = split_into_rivers(routes.receivers, area, channel)

    columns = routes.shape[1]
    middle = np.stack((cell % columns * routes.cell_size, cell // columns * routes.cell_size), axis=1)
    points = np.column_stack((middle, water_level.ravel()[cell])).astype(np.float32)
    half = 0.5 * routes.cell_size
    for _ in range(_SMOOTHING):
        _smooth(points, first, joins_at)
        np.clip(points[:, :2], middle - half, middle + half, out=points[:, :2], casting="same_kind")
        _keep_low(points, cell, first, joins_at, water_level, 1.0 / routes.cell_size)
    # The last point of a tributary lies on the other river; its area is that of the point before.
    own = cell.copy()
    ends = first[1:][joins >= 0] - 1
    own[ends] = cell[ends - 1]
    drained = area[own].astype(np.float32)
    width = width_of_rivers(drained, river_width)
    if drawn is not None:
        least = np.zeros(area.size, np.float32)
        least[drawn.cell] = drawn.width
        np.maximum(width, least[own], out=width)
    return Rivers(first, joins, joins_at, points, cell, drained, width, stream[own])


def width_of_rivers(drainage_area: Field, river_width: float) -> Field:
    """Return how wide rivers are by hydraulic geometry, w ∝ A^0.5.

    Parameters
    ----------
    drainage_area : ndarray of float32
        m².
    river_width : float
        Width in metres of a river that drains 1 km².

    Returns
    -------
    ndarray of float32, the same shape
        Metres.

    References
    ----------
    Leopold, L. B., & Maddock, T. (1953). The hydraulic geometry of stream channels and some physiographic implications.
    U.S. Geological Survey Professional Paper 252. doi:10.3133/pp252
    """
    width: Field = np.float32(river_width) * np.sqrt(drainage_area * np.float32(1e-6))
    return width


@kernel
def split_into_rivers(receivers: Array, area: Array, channel: Array) -> tuple[Array, Array, Array, Array]:
    """Split channels into rivers: at each confluence the larger one goes on.

    Parameters
    ----------
    receivers : ndarray of int32, shape (cells,)
        The cell that each cell drains to; itself at a mouth.
    area : ndarray of float64, shape (cells,)
        Drainage area.
    channel : ndarray of int32, shape (channels,)
        The cells with a river, mouths first; the receiver of each is among them.

    Returns
    -------
    joins, joins_at, first, cell : ndarray of int32
        As in `Rivers`.
    """
    place = np.zeros(receivers.size, np.int32)  # place of a cell in `channel`, plus one
    main = np.full(channel.size, -1, np.int32)  # place of the donor with the largest drainage area
    for i in range(channel.size):
        cell = channel[i]
        place[cell] = i + 1
        below = receivers[cell]
        if below != cell:
            j = place[below] - 1
            if main[j] < 0 or area[cell] > area[channel[main[j]]]:
                main[j] = i

    river = np.empty(channel.size, np.int32)
    joined = np.empty(channel.size, np.int32)  # for each river: place in `channel` of the cell in which it ends
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
        # A river has a larger number than the one it joins, so the tributaries of this one are already decided.
        if length[r] >= SHORTEST or number[r] > 0:
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
def _smooth(points: Array, first: Array, joins_at: Array) -> None:
    """Average the place of each point with its neighbours, weighted 1 : 2 : 1."""
    for river in range(joins_at.size):
        begin, last = first[river], first[river + 1] - 1
        for axis in range(2):
            before = points[begin, axis]
            for i in range(begin + 1, last):
                here = points[i, axis]
                points[i, axis] = np.float32(0.25) * (before + np.float32(2.0) * here + points[i + 1, axis])
                before = here


@kernel
def _keep_low(points: Array, cell: Array, first: Array, joins_at: Array, level: Array, per_cell: float) -> None:
    """Move points that smoothing has moved up the side of their valley back towards the middle of their cell.

    A tributary still ends at a point of its river.
    """
    columns = level.shape[1]
    for i in range(cell.size):
        x, y = float(cell[i] % columns), float(cell[i] // columns)
        right, up = points[i, 0] * per_cell - x, points[i, 1] * per_cell - y
        highest = points[i, 2] + _CLIMB
        share = 1.0
        while share > _SMALLEST_SHARE and interpolate(level, x + share * right, y + share * up) > highest:
            share *= 0.5
        if share < 1.0:
            share = share if share > _SMALLEST_SHARE else 0.0
            points[i, 0] = np.float32((x + share * right) / per_cell)
            points[i, 1] = np.float32((y + share * up) / per_cell)
    for river in range(joins_at.size):
        if joins_at[river] >= 0:
            for axis in range(2):
                points[first[river + 1] - 1, axis] = points[joins_at[river], axis]
