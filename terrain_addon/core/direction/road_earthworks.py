"""The ground of a road: cut and filled to its level, except under bridges and over tunnels.

>>> from .lines import DrawnLine
>>> line = DrawnLine(np.array([0.0, 200.0]), np.array([100.0, 100.0]), np.array([12.0, 12.0]))
>>> road = RoadCourse(Road(), line, np.full(2, 10.0), (), (), 0.0, 1e9)
>>> land, built = lay_road(np.full((21, 21), 10.0, np.float32), Road(), road, 10.0, np.zeros((21, 21), bool))
>>> float(land[10, 10]), built.cut == 0.0, built.fill > 0.0
(11.5, True, True)
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field
from .features import Road
from .lines import measure_nearness, nearest_on_piece, values_at
from .pads import slopes_of
from .road_course import RoadCourse, is_within
from .road_search import DEEPEST_CUT

# Metres by which the ground must stay below the edges of a road, and least width of level ground beside it.
_COVER, _LEAST_BENCH = 0.35, 1.0

FORMATION_DEPTH = 0.5
"""How far below the roadway the ground is cut and filled, in metres: the road itself is that thick."""


def half_formation(road: Road, cell_size: float) -> float:
    """Return how far from the middle of a road the ground is made level before slopes begin.

    Parameters
    ----------
    road : Road
        Width, shoulder and slopes.
    cell_size : float
        Metres.

    Returns
    -------
    float
        Metres; more on coarse grids, so that no triangle of the land that begins beside the road comes up through it.
    """
    # Between a sample beside the road and one that lies L farther, on the slope s of a cut that begins t beyond the
    # road, the ground rises over its edge by at most (L − t)² s / 4 L, which must not be more than `_COVER`.
    across = math.sqrt(2.0) * cell_size
    steepness = slopes_of(road.cut_angle, road.fill_angle).cut
    beyond = across - math.sqrt(4.0 * across * _COVER / steepness)
    return 0.5 * road.width + road.shoulder + max(beyond, _LEAST_BENCH)


def lay_road(
    surface: Field, road: Road, course: RoadCourse, cell_size: float, kept: npt.NDArray[np.bool_]
) -> tuple[Field, RoadCourse]:
    """Return a land that is cut and filled for a road, except under bridges and over tunnels.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    road : Road
        Width and slopes.
    course : RoadCourse
        From `find_road`.
    cell_size : float
        Metres.
    kept : ndarray of bool, shape (rows, columns)
        Cells that stay as they are, such as the beds of rivers.

    Returns
    -------
    land : ndarray of float32, shape (rows, columns)
        Heights in metres.
    course : RoadCourse
        With the volumes.
    """
    slopes = slopes_of(road.cut_angle, road.fill_angle)
    half = half_formation(road, cell_size)
    off = course.line.height - course.ground
    open_air = ~is_within((*course.bridges, *course.tunnels), course.line.along)
    deepest = float(np.max(np.abs(off), where=open_air, initial=0.0)) + FORMATION_DEPTH
    reach = half + max(DEEPEST_CUT, deepest) / min(slopes)
    near = measure_nearness(course.line, surface.shape, cell_size, reach)
    along = values_at(course.line.along, near.place)
    worked = (near.place >= 0.0) & ~kept & ~is_within((*course.bridges, *course.tunnels), along)
    level = values_at(course.line.height, near.place)[worked] - np.float32(FORMATION_DEPTH)
    out = np.maximum(near.distance[worked] - np.float32(half), np.float32(0.0))
    before = surface[worked]
    after = np.clip(before, level - np.float32(slopes.fill) * out, level + np.float32(slopes.cut) * out)
    beside = near.distance[worked] > np.float32(0.5 * road.width)
    lowest = _lowest_pass(course, along, half, cell_size)[worked] - np.float32(FORMATION_DEPTH)
    after = np.where(beside, np.minimum(after, lowest), after)
    result = surface.copy()
    result[worked] = after
    change = (after - before).astype(np.float64) * cell_size**2
    cut, fill = float(-np.minimum(change, 0.0).sum()), float(np.maximum(change, 0.0).sum())
    return result, course._replace(cut=cut, fill=fill)


def _lowest_pass(course: RoadCourse, along: Field, half: float, cell_size: float) -> Field:
    """Height of the lowest part of a road that goes by each cell another time; infinity where it goes by once."""
    line, lowest = course.line, np.full(along.shape, np.float32(np.inf))
    length = line.along
    middle = 0.5 * (length[:-1] + length[1:])
    off_ground = is_within((*course.bridges, *course.tunnels), middle)
    reach = 0.5 * course.road.width + course.road.shoulder + 0.5 * cell_size
    _pass_again(
        line.x / cell_size,
        line.y / cell_size,
        line.height,
        length,
        off_ground,
        along,
        reach / cell_size,
        2.0 * half,
        lowest,
    )
    return lowest


@parallel_kernel
def _pass_again(
    part: Part,
    x: Array,
    y: Array,
    height: Array,
    length: Array,
    off_ground: Array,
    along: Array,
    reach: float,
    apart: float,
    lowest: Array,
) -> None:
    """Lower the heights to those of all pieces within reach, in cells, that lie far along the road from the nearest."""
    rows, columns = lowest.shape
    for row in portion(part, rows):
        for i in range(x.size - 1):
            if off_ground[i] or min(y[i], y[i + 1]) - reach > row or max(y[i], y[i + 1]) + reach < row:
                continue
            low = max(math.ceil(min(x[i], x[i + 1]) - reach), 0)
            high = min(math.floor(max(x[i], x[i + 1]) + reach), columns - 1)
            for column in range(low, high + 1):
                share, square = nearest_on_piece(x, y, i, column, row)
                there = length[i] + share * (length[i + 1] - length[i])
                if square <= reach * reach and abs(there - along[row, column]) > apart:
                    level = np.float32(height[i] + share * (height[i + 1] - height[i]))
                    lowest[row, column] = min(lowest[row, column], level)
