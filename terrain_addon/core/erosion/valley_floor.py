"""Where on a land rivers can wander: floors of valleys that are wide and gentle.

References
----------
A. D. Howard (1996), "Modelling channel evolution and floodplain morphology", in Floodplain Processes, Wiley, 15-62:
walls of valleys that slow a river down.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..direction.spreading import spread
from ..flow.water import Waters
from ..foundation.compilation import Array, kernel
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.sampling import sample
from ..foundation.terrain import Field, Terrain
from ..meander.centre_line import SPACING, WIDTH, Freedom, X, Y, gaps_of
from ..meander.wandering import Swing, WanderingRiver, length_of, river_on

# Widths on either side of a river within which its floor is measured, and how much of that must be floor.
_LOOKED_AT, _LEAST_FLOOR = 4.0, 0.5
# Widths along the river over which floor and fall are averaged, up and down, and the shortest reach that wanders.
_AVERAGED, _SHORTEST = 6.0, 12.0
# How often the corners that the grid gives a course are rounded.
_ROUNDED = 18
# Widths of the course above and below a reach that its bed goes on.
_APPROACH = 4.0
# Sharpest bends in which rivers come in, as a share of the width over the radius.
_SWING = 0.3
# Narrowest rivers that wander, in cells: the bends of narrower ones leave nothing on the land, and take long.
_NARROWEST = 0.02
# Cells within which the level of a river goes on beside it: far more than any land has.
_EVERYWHERE = 1e5


class ValleyFloors(NamedTuple):
    """The valleys of the large rivers of a land.

    Attributes
    ----------
    level : ndarray of float32, shape (rows, columns)
        Height of the rivers, carried on smoothly beside them, in metres.
    rivers : tuple of ndarray of float64, shape (points, 3)
        Courses of the large rivers where they are large: x, y and width in metres.
    courses : tuple of ndarray of float64, shape (points, 3)
        The same from their sources on.
    """

    level: Field
    rivers: tuple[Array, ...]
    courses: tuple[Array, ...]


def find_valleys(
    terrain: Terrain, waters: Waters, smallest: float, reaches: tuple[WanderingRiver, ...] = ()
) -> ValleyFloors | None:
    """Find the large rivers of a land, and the level of their floors.

    Parameters
    ----------
    terrain : Terrain
        The land.
    waters : Waters
        Of this land.
    smallest : float
        Drainage area in m² at which a river is large.
    reaches : tuple of WanderingRiver
        With them, only rivers count along which one of these lies, whatever else is large on this grid.

    Returns
    -------
    ValleyFloors or None
        None where there is no large river.
    """
    rivers = waters.rivers
    fixed = np.full(terrain.surface.shape, np.nan, np.float32)
    parts, courses, cells = [], [], []
    for number in range(len(rivers)):
        own = slice(rivers.first[number], rivers.first[number + 1])
        is_large = rivers.drainage_area[own] >= smallest
        is_large &= rivers.width[own] >= _NARROWEST * terrain.cell_size
        if np.count_nonzero(is_large) < 2 or rivers.width[own][is_large].min() <= 0.0:
            continue
        courses.append(np.column_stack((rivers.points[own, :2], rivers.width[own])).astype(np.float64))
        parts.append(courses[-1][is_large])
        cells.append(own)
    if reaches and courses:
        middles = [reach.line[len(reach.line) // 2] for reach in reaches]
        kept = sorted({_nearest_course(middle, courses) for middle in middles})
        parts, courses = [parts[number] for number in kept], [courses[number] for number in kept]
        cells = [cells[number] for number in kept]
    for own in cells:
        fixed.ravel()[rivers.cell[own]] = rivers.points[own, 2]
    if not courses:
        return None
    return ValleyFloors(carry_on_beside(fixed), tuple(parts), tuple(courses))


def carry_on_beside(fixed: Field) -> Field:
    """Return a smooth field with the values of rivers, which go on beside them.

    Parameters
    ----------
    fixed : ndarray of float32, shape (rows, columns)
        Values along rivers; NaN elsewhere.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
    """
    middle = np.float32(np.nanmin(fixed))
    return spread(fixed - middle, np.full(fixed.shape, _EVERYWHERE, np.float32)) + middle


def find_reaches(
    terrain: Terrain, waters: Waters, valley: ValleyFloors, wall: float, steepest: float, seed: int
) -> tuple[WanderingRiver, ...]:
    """Find where large rivers run over a wide and gentle floor.

    Parameters
    ----------
    terrain : Terrain
        The land.
    waters : Waters
        Of this land.
    valley : ValleyFloors
        Of this land.
    wall : float
        Height above the river, in metres, of ground that is no floor.
    steepest : float
        Tangent of the steepest fall of a floor.
    seed : int
        Of the bends in which rivers come in.

    Returns
    -------
    tuple of WanderingRiver
        The reaches before they wander.
    """
    height = terrain.surface - valley.level
    # Nobody wanders in a lake.
    height[waters.water_depth > 0.0] = np.inf
    found: list[WanderingRiver] = []
    for course in valley.rivers:
        line = _rounded(river_on(course).line)
        floor = _floor_share(line, height, terrain.cell_size, wall)
        level = sample(valley.level, terrain.cell_size, line[:, X], line[:, Y]).astype(np.float64)
        reach = round(_AVERAGED / SPACING)
        above, below = (
            np.maximum(np.arange(len(line)) - reach, 0),
            np.minimum(np.arange(len(line)) + reach, len(line) - 1),
        )
        along = np.concatenate(([0.0], np.cumsum(gaps_of(line))))
        falls = (level[above] - level[below]) / (along[below] - along[above])
        wide = _averaged(floor, above, below) >= _LEAST_FLOOR
        for begin, end in _runs(wide & (falls <= steepest), math.ceil(_SHORTEST / SPACING)):
            part = line[begin:end].copy()
            found.append(
                river_on(part, length_of(part), Swing(_SWING, int(derive_seed(seed, Purpose.RIVER_SWING, len(found)))))
            )
    return tuple(found)


def freedom_in(terrain: Terrain, waters: Waters, valley: ValleyFloors, wall: float) -> Freedom:
    """Return where rivers may move: less the higher the ground is above them, and nowhere over a border or into a lake.

    Parameters
    ----------
    terrain, waters, valley
        Of one land.
    wall : float
        Height above the river, in metres, at which it stops.

    Returns
    -------
    Freedom
    """
    rows, columns = terrain.surface.shape
    share = np.float32(1.0) - (terrain.surface - valley.level) * np.float32(1.0 / wall)
    share = np.clip(share, np.float32(0.0), np.float32(1.0))
    share[waters.water_depth > 0.0] = 0.0
    widest = max(course[:, WIDTH].max() for course in valley.rivers) / terrain.cell_size
    row, column = np.arange(rows), np.arange(columns)
    inside = np.minimum(np.minimum(row, rows - 1 - row)[:, np.newaxis], np.minimum(column, columns - 1 - column))
    share *= np.minimum(inside / max(widest, 1.0), 1.0).astype(np.float32)
    return Freedom(share, terrain.cell_size)


class ReachPlace(NamedTuple):
    """Where a reach lay before it wandered: the number of its course, and which points are next to its two ends."""

    course: int
    source: int
    mouth: int


def places_of(begun: tuple[WanderingRiver, ...], valley: ValleyFloors) -> list[ReachPlace]:
    """Return where reaches lay before they wandered.

    Parameters
    ----------
    begun : tuple of WanderingRiver
        All reaches before they wandered, when they lay along the courses of their rivers.
    valley : ValleyFloors
        Of the land.

    Returns
    -------
    list of ReachPlace
        In the order of the reaches.
    """
    places = []
    for one in begun:
        number = _nearest_course(one.line[len(one.line) // 2], valley.courses)
        squares = [_squares_from(end[np.newaxis], valley.courses[number]) for end in (one.line[0], one.line[-1])]
        places.append(ReachPlace(number, *(int(np.argmin(one)) for one in squares)))
    return places


def with_approaches(
    line: Array,
    number: int,
    places: Sequence[ReachPlace],
    valley: ValleyFloors,
    been: npt.NDArray[np.bool_],
    cell_size: float,
) -> tuple[Array, int]:
    """Return a reach together with some of the course above it and below it, so that water finds its way in and out.

    They begin and end where no river has been.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 3)
        The reach: x, y and width in metres.
    number : int
        Which of the reaches it is.
    places : sequence of ReachPlace
        Of all reaches, from `places_of`.
    valley : ValleyFloors
        Of the land.
    been : ndarray of bool, shape (rows, columns)
        Where rivers have been.
    cell_size : float
        Metres.

    Returns
    -------
    tuple of ndarray of float64 and int
        The longer line, and how many of its points lie above the reach.
    """
    own, source, mouth = places[number]
    course = valley.courses[own]
    # Where the next reach of this river ends or begins, its own bed does.
    beside = [place for other, place in enumerate(places) if place.course == own and other != number]
    highest = max((place.mouth for place in beside if place.mouth <= source), default=0)
    lowest = min((place.source for place in beside if place.source >= mouth), default=len(course) - 1)
    before, after = course[highest : source + 1], course[mouth : lowest + 1]
    # A bend may have come so far up or down its valley that it meets the course there: the rest of it is left.
    first, entry = _last_meeting(line, before)
    last, exit_ = _last_meeting(line[::-1], after[::-1])
    line = line[first : len(line) - last]
    before, after = before[:entry], after[len(after) - 1 - exit_ :]
    before = before[len(before) - _approach(before[::-1], line[0, WIDTH], been, cell_size) :]
    after = after[: _approach(after, line[-1, WIDTH], been, cell_size)]
    return np.concatenate((before, line, after)), len(before)


def _last_meeting(line: Array, course: Array) -> tuple[int, int]:
    """Return the last point of a line, of its first half, that is within a width of a course, and the point there."""
    half = line[: max(len(line) // 2, 1)]
    x, y = half[:, np.newaxis, X] - course[:, X], half[:, np.newaxis, Y] - course[:, Y]
    away = np.sqrt(x * x + y * y)
    met = np.flatnonzero(away.min(axis=1) < half[:, WIDTH])
    if met.size == 0:
        return 0, int(np.argmin(away[0]))
    return int(met[-1]), int(np.argmin(away[met[-1]]))


def _nearest_course(point: Array, courses: Sequence[Array]) -> int:
    return int(np.argmin([_squares_from(point[np.newaxis], course).min() for course in courses]))


def distances_from(line: Array, course: Array) -> npt.NDArray[np.float64]:
    """Return how far the points of a course are from the points of a line.

    Parameters
    ----------
    line, course : ndarray of float64, shape (points, 2 or more)
        x and y in metres.

    Returns
    -------
    ndarray of float64, shape (points of the course,)
        Metres.
    """
    return np.sqrt(_squares_from(line, course))


def _squares_from(line: Array, course: Array) -> npt.NDArray[np.float64]:
    """Return the squares of `distances_from`."""
    squares = np.empty(len(course))
    _find_squares(np.ascontiguousarray(line), np.ascontiguousarray(course), squares)
    return squares


@kernel
def _find_squares(line: Array, course: Array, squares: Array) -> None:
    for i in range(course.shape[0]):
        least = math.inf
        for j in range(line.shape[0]):
            x, y = course[i, X] - line[j, X], course[i, Y] - line[j, Y]
            least = min(least, x * x + y * y)
        squares[i] = least


def cells_of(points: Array, cell_size: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return in which cells points lie.

    Parameters
    ----------
    points : ndarray of float64, shape (points, 2 or more)
        x and y in metres.
    cell_size : float
        Metres.

    Returns
    -------
    pair of ndarray of int64, shape (points,)
        Rows and columns, which may lie outside the land.
    """
    column, row = (np.floor(points[:, axis] / cell_size + 0.5).astype(np.int64) for axis in (X, Y))
    return row, column


def _approach(course: Array, width: float, been: npt.NDArray[np.bool_], cell_size: float) -> int:
    """Return how many points of a course that leads away from a reach belong to its bed."""
    if len(course) < 2:
        return len(course)
    along = np.concatenate(([0.0], np.cumsum(gaps_of(course))))
    # Beyond an untouched stretch another reach may have been.
    farthest = 0.0
    for place in along[been[cells_of(course, cell_size)]]:
        if place > farthest + _APPROACH * width:
            break
        farthest = float(place)
    return int(np.searchsorted(along, farthest + _APPROACH * width))


def _rounded(line: Array) -> Array:
    """Return a line without the corners of the grid; its ends stay."""
    line = line.copy()
    for _ in range(_ROUNDED):
        line[1:-1, :2] = 0.25 * (line[:-2, :2] + 2.0 * line[1:-1, :2] + line[2:, :2])
    return line


def _floor_share(line: Array, height: Field, cell_size: float, wall: float) -> npt.NDArray[np.float64]:
    """Return the share of the ground beside each point of a line that is floor; over the border there is none."""
    way = np.empty((len(line), 2))
    way[1:-1] = line[2:, :2] - line[:-2, :2]
    way[0], way[-1] = line[1, :2] - line[0, :2], line[-1, :2] - line[-2, :2]
    way /= np.maximum(np.sqrt(way[:, :1] ** 2 + way[:, 1:] ** 2), 1e-9)
    offsets = np.arange(-_LOOKED_AT, _LOOKED_AT + 0.25, 0.5)
    count = np.zeros(len(line))
    rows, columns = height.shape
    for offset in offsets:
        x = line[:, X] + offset * line[:, WIDTH] * way[:, 1]
        y = line[:, Y] - offset * line[:, WIDTH] * way[:, 0]
        column, row = np.floor(x / cell_size + 0.5).astype(int), np.floor(y / cell_size + 0.5).astype(int)
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        found = height[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)]
        count += inside & (found < wall)
    return np.asarray(count / len(offsets))


def _averaged(values: npt.NDArray[np.float64], above: Array, below: Array) -> npt.NDArray[np.float64]:
    sums = np.concatenate(([0.0], np.cumsum(values)))
    return np.asarray((sums[below + 1] - sums[above]) / (below + 1 - above))


def _runs(chosen: npt.NDArray[np.bool_], shortest: int) -> list[tuple[int, int]]:
    """Return the beginning and the end of each run of chosen points that is long enough."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], chosen.astype(np.int8), [0]))))
    return [(int(begin), int(end)) for begin, end in zip(edges[::2], edges[1::2]) if end - begin > shortest]
