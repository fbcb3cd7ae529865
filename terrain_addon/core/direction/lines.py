"""Smooth lines through drawn points, and how far each cell of a grid lies from them.

>>> line = smooth_line(((0.0, 0.0, 5.0), (10.0, 0.0), (20.0, 0.0, 1.0)), spacing=5.0)
>>> line.x.round(1).tolist(), line.height.round(1).tolist()
([0.0, 5.0, 10.0, 15.0, 20.0], [5.0, 4.0, 3.0, 2.0, 1.0])

References
----------
C. Yuksel, S. Schaefer and J. Keyser (2011), "Parameterization and applications of Catmull-Rom curves", Computer-Aided
Design 43(7), 747-755, doi:10.1016/j.cad.2010.08.008: centripetal curves have neither loops nor cusps.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.parameters import PointList
from ..foundation.terrain import Field

Numbers = npt.NDArray[np.float64]

WITHOUT_STEPS = 12
"""Passes of `rounded` after which a chain of cells has no corners of 45° and 90° left."""
# Pieces of a line that are looked at together, and cells by which distances may be off.
_RUN, _ROUNDING = 16, 1e-3
# Most pieces between two drawn points.
_MOST_PIECES = 256


class DrawnLine(NamedTuple):
    """A line of points close to one another.

    Parameters
    ----------
    x, y : ndarray of float64, shape (points,)
        Metres from the south-west corner of the land.
    height : ndarray of float64, shape (points,)
        Metres; NaN where the line takes its height from the land.
    """

    x: Numbers
    y: Numbers
    height: Numbers

    @property
    def along(self) -> Numbers:
        """Distance of each point from the first, along the line, in metres."""
        steps = np.sqrt(np.diff(self.x) ** 2 + np.diff(self.y) ** 2)
        return np.concatenate((np.zeros(1), np.cumsum(steps)))


def smooth_line(points: PointList, spacing: float, *, closed: bool = False) -> DrawnLine:
    """Return a smooth line through points.

    Parameters
    ----------
    points : tuple of (x, y) or (x, y, height)
        In metres, one or more.
    spacing : float
        Greatest distance in metres between points of the line, above 0, as far as 256 pieces between two of the drawn
        points allow.
    closed : bool
        Whether it comes back to its first point.

    Returns
    -------
    DrawnLine
        A centripetal Catmull-Rom curve (Yuksel et al. 2011).  Between points with heights the height changes evenly;
        before the first and after the last it is NaN.
    """
    kept = [point for number, point in enumerate(points) if number == 0 or point[:2] != points[number - 1][:2]]
    if closed and len(kept) > 1 and kept[0][:2] == kept[-1][:2]:
        kept.pop()
    if closed:
        kept.append(kept[0])
    xy = np.array([point[:2] for point in kept], np.float64)
    height = np.array([point[2] if len(point) > 2 else np.nan for point in kept], np.float64)
    if len(kept) < 2:
        return DrawnLine(xy[:, 0].copy(), xy[:, 1].copy(), height)
    length = np.sqrt(((xy[1:] - xy[:-1]) ** 2).sum(axis=1))
    pieces = np.clip(np.ceil(length / spacing), 1, _MOST_PIECES).astype(np.int64)
    first, share = _places(pieces)
    curve = _catmull_rom(xy, first, share, closed)
    line = DrawnLine(np.append(curve[:, 0], xy[-1, 0]), np.append(curve[:, 1], xy[-1, 1]), np.empty(0))
    known = np.flatnonzero(~np.isnan(height))
    if not known.size:
        return line._replace(height=np.full(line.x.size, np.nan))
    place = np.concatenate((np.zeros(1, np.int64), np.cumsum(pieces)))[known]
    along = line.along
    between = np.interp(along, along[place], height[known])
    ends = (along < along[place[0]]) | (along > along[place[-1]])
    return line._replace(height=np.where(ends, np.nan, between))


def _places(pieces: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Numbers]:
    """For each point of a line, the drawn point before it and its share of the way to the next."""
    first = np.repeat(np.arange(pieces.size), pieces)
    begin = np.repeat(np.cumsum(pieces) - pieces, pieces)
    return first, (np.arange(first.size) - begin) / pieces[first]


def _catmull_rom(xy: Numbers, first: npt.NDArray[np.int64], share: Numbers, closed: bool) -> Numbers:
    """Points of the curve by the pyramid of Barry and Goldman, with knots √distance apart."""
    before, after = (xy[-2:-1], xy[1:2]) if closed else (2.0 * xy[:1] - xy[1:2], 2.0 * xy[-1:] - xy[-2:-1])
    around = np.concatenate((before, xy, after))
    p = [around[first + k] for k in range(4)]
    knots = [np.zeros(first.size)]
    for k in range(3):
        distance = np.sqrt(((p[k + 1] - p[k]) ** 2).sum(axis=1))
        knots.append(knots[-1] + np.sqrt(np.maximum(distance, 1e-9)))
    t = knots[1] + share * (knots[2] - knots[1])

    def between(one: Numbers, other: Numbers, start: Numbers, end: Numbers) -> Numbers:
        weight = ((t - start) / (end - start))[:, np.newaxis]
        return one + weight * (other - one)

    a = [between(p[k], p[k + 1], knots[k], knots[k + 1]) for k in range(3)]
    b = [between(a[k], a[k + 1], knots[k], knots[k + 2]) for k in range(2)]
    return between(b[0], b[1], knots[1], knots[2])


def rounded(values: npt.NDArray[np.generic], passes: int) -> Numbers:
    """Return values along a line without their steps: the mean with both neighbours, again and again.

    Parameters
    ----------
    values : ndarray, shape (points,)
        Coordinates or heights of a chain of cells.
    passes : int
        How often; what is evened out is √(passes / 2) points long to either side.

    Returns
    -------
    ndarray of float64, shape (points,)
        With the same ends; what falls all the way still does.
    """
    result = values.astype(np.float64)
    for _ in range(passes):
        result[1:-1] = 0.25 * (result[:-2] + 2.0 * result[1:-1] + result[2:])
    return result


class Nearness(NamedTuple):
    """Where the nearest point of some lines is.

    Parameters
    ----------
    distance : ndarray of float32, shape (rows, columns)
        Metres; infinity beyond the reach.
    place : ndarray of float32, shape (rows, columns)
        Number of the point of the line before it, plus the share of the way to the next; −1 beyond the reach.
    side : ndarray of int8, shape (rows, columns)
        1 on the left of the line, −1 on the right, 0 beyond the reach.
    """

    distance: Field
    place: Field
    side: npt.NDArray[np.int8]


def measure_nearness(line: DrawnLine, shape: tuple[int, int], cell_size: float, reach: float) -> Nearness:
    """Return for each cell how far the nearest point of a line is, and where on the line.

    Parameters
    ----------
    line : DrawnLine
        One point or more.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    reach : float
        Metres; what is farther away is not measured.

    Returns
    -------
    Nearness
        Exact distances to the pieces of the line.
    """
    distance = np.full(shape, np.float32(np.inf))
    place = np.full(shape, np.float32(-1.0))
    side = np.zeros(shape, np.int8)
    x, y = line.x / cell_size, line.y / cell_size
    if x.size == 1:
        x, y = np.repeat(x, 2), np.repeat(y, 2)
    _measure(x, y, reach / cell_size, distance, place, side)
    distance *= np.float32(cell_size)
    return Nearness(distance, place, side)


@parallel_kernel
def _measure(part: Part, x: Array, y: Array, reach: float, distance: Array, place: Array, side: Array) -> None:
    """Distances in cells; each row looks at all pieces that come near it."""
    rows, columns = distance.shape
    for row in portion(part, rows):
        for i in range(x.size - 1):
            if min(y[i], y[i + 1]) - reach > row or max(y[i], y[i + 1]) + reach < row:
                continue
            dx, dy = x[i + 1] - x[i], y[i + 1] - y[i]
            low = max(math.ceil(min(x[i], x[i + 1]) - reach), 0)
            high = min(math.floor(max(x[i], x[i + 1]) + reach), columns - 1)
            for column in range(low, high + 1):
                share, square = nearest_on_piece(x, y, i, column, row)
                away = np.float32(math.sqrt(square))
                if away <= reach and away < distance[row, column]:
                    distance[row, column] = away
                    place[row, column] = np.float32(i + share)
                    side[row, column] = 1 if dx * (row - y[i]) - dy * (column - x[i]) >= 0.0 else -1


@kernel
def nearest_on_piece(x: Array, y: Array, i: int, px: float, py: float) -> tuple[float, float]:
    """Return where on a piece of a line its nearest point to a place is, and the square of how far that is.

    Parameters
    ----------
    x, y : ndarray of float64, shape (points,)
        The line.
    i : int
        The piece from this point to the next.
    px, py : float
        The place, in the units of the line.

    Returns
    -------
    tuple of float
        The share of the piece, 0 to 1, and the square of the distance.
    """
    dx, dy = x[i + 1] - x[i], y[i + 1] - y[i]
    ax, ay = px - x[i], py - y[i]
    square = dx * dx + dy * dy
    share = min(max((ax * dx + ay * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    bx, by = ax - share * dx, ay - share * dy
    return share, bx * bx + by * by


class FoundPlace(NamedTuple):
    """How far each of some places is from a line in metres, infinity beyond a reach, and where on it is nearest."""

    distance: Field
    place: Field


def measure_from(x: Field, y: Field, line: DrawnLine, reach: float) -> FoundPlace:
    """Return for each place how far the nearest point of a line is, and where on the line.

    Parameters
    ----------
    x, y : ndarray of float32, shape (places,)
        Metres.
    line : DrawnLine
        Two points or more.
    reach : float
        Metres; what is farther away is not measured.

    Returns
    -------
    FoundPlace
        Exact distances to the pieces of the line; places as in `Nearness`.
    """
    distance, place = np.full(x.size, np.float32(np.inf)), np.full(x.size, np.float32(-1.0))
    low_x, high_x, low_y, high_y = line.x.min(), line.x.max(), line.y.min(), line.y.max()
    near = (x >= low_x - reach) & (x <= high_x + reach) & (y >= low_y - reach) & (y <= high_y + reach)
    found = FoundPlace(distance[near], place[near])
    _measure_from(x[near], y[near], line.x, line.y, reach, found.distance, found.place)
    distance[near], place[near] = found
    return FoundPlace(distance, place)


@parallel_kernel
def _measure_from(
    part: Part, px: Array, py: Array, x: Array, y: Array, reach: float, distance: Array, place: Array
) -> None:
    for p in portion(part, px.size):
        for i in range(x.size - 1):
            if min(y[i], y[i + 1]) - reach > py[p] or max(y[i], y[i + 1]) + reach < py[p]:
                continue
            share, square = nearest_on_piece(x, y, i, px[p], py[p])
            away = np.float32(math.sqrt(square))
            if away <= reach and away < distance[p]:
                distance[p], place[p] = away, np.float32(i + share)


class CellsAlong(NamedTuple):
    """The cells under places on a line that lie half a cell apart; arrays have the shape (places,).

    Attributes
    ----------
    where : ndarray of float64
        Distance of each place from the first point, along the line, in metres.
    row, column : ndarray of int64
        Its cell.
    within : ndarray of bool
        Whether that is a cell of the land.
    """

    where: Numbers
    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    within: npt.NDArray[np.bool_]


def cells_along(line: DrawnLine, shape: tuple[int, int], cell_size: float) -> CellsAlong:
    """Return the cells that a line passes, those of half steps too.

    Parameters
    ----------
    line : DrawnLine
    shape : tuple of int
        (rows, columns) of the land.
    cell_size : float
        Metres.

    Returns
    -------
    CellsAlong
        Of two places or more, from the first to the last point.
    """
    along = line.along
    where = np.linspace(0.0, float(along[-1]), max(math.ceil(2.0 * float(along[-1]) / cell_size), 1) + 1)
    column = np.floor(np.interp(where, along, line.x) / cell_size + 0.5).astype(np.int64)
    row = np.floor(np.interp(where, along, line.y) / cell_size + 0.5).astype(np.int64)
    within = (row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1])
    return CellsAlong(where, row, column, within)


def distances_within(cells: npt.NDArray[np.bool_], line: DrawnLine, cell_size: float) -> Field:
    """Return how far some cells are from a line, as `measure_nearness` does for all.

    Parameters
    ----------
    cells : ndarray of bool, shape (rows, columns)
        Which are asked for.
    line : DrawnLine
        Two points or more.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (cells,)
        Metres, row after row.
    """
    row, column = np.nonzero(cells)
    distance = np.full(row.size, np.float32(np.inf))
    x, y = line.x / cell_size, line.y / cell_size
    _measure_cells(row, column, x, y, _circles(x, y), distance)
    distance *= np.float32(cell_size)
    return distance


def _circles(x: Numbers, y: Numbers) -> Numbers:
    """Circles (x, y, radius) around each `_RUN` pieces of a line: most of them need not be looked at."""
    first = np.arange(0, max(x.size - 1, 1), _RUN)
    found = np.empty((first.size, 3))
    for number, begin in enumerate(first):
        px, py = x[begin : begin + _RUN + 1], y[begin : begin + _RUN + 1]
        mx, my = 0.5 * (px.min() + px.max()), 0.5 * (py.min() + py.max())
        found[number] = mx, my, np.sqrt(((px - mx) ** 2 + (py - my) ** 2).max())
    return found


@parallel_kernel
def _measure_cells(part: Part, row: Array, column: Array, x: Array, y: Array, circles: Array, distance: Array) -> None:
    """Distances in cells."""
    for place in portion(part, row.size):
        least = np.inf
        for run in range(circles.shape[0]):
            cx, cy = column[place] - circles[run, 0], row[place] - circles[run, 1]
            beyond = least + circles[run, 2] + _ROUNDING
            if cx * cx + cy * cy > beyond * beyond:
                continue
            nearest = np.inf
            for i in range(run * _RUN, min((run + 1) * _RUN, x.size - 1)):
                _, square = nearest_on_piece(x, y, i, column[place], row[place])
                nearest = min(nearest, square)
            least = min(least, math.sqrt(nearest))
        distance[place] = np.float32(least)


def values_at(values: Numbers, place: Field) -> Field:
    """Return what holds at places on a line.

    Parameters
    ----------
    values : ndarray of float64, shape (points,)
        One for each point of the line.
    place : ndarray of float32
        From `measure_nearness`; below 0 the value of the first point is given.

    Returns
    -------
    ndarray of float32
        Even between the points.
    """
    at = np.maximum(place, np.float32(0.0))
    first = np.minimum(at.astype(np.int64), max(values.size - 2, 0))
    share = at - first
    after = np.minimum(first + 1, values.size - 1)
    known = values.astype(np.float32)
    return known[first] + share * (known[after] - known[first])


def inside(line: DrawnLine, shape: tuple[int, int], cell_size: float) -> npt.NDArray[np.bool_]:
    """Return which cells lie within a closed line.

    Parameters
    ----------
    line : DrawnLine
        Its last point is its first.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of bool, shape (rows, columns)
        By the number of times that a line to the east crosses the outline.
    """
    result = np.zeros(shape, bool)
    _fill(line.x / cell_size, line.y / cell_size, result)
    return result


def lies_within(line: DrawnLine, row: Array, column: Array, cell_size: float) -> npt.NDArray[np.bool_]:
    """Return which cells lie within a closed line, as `inside` does.

    Parameters
    ----------
    line : DrawnLine
        Its last point is its first.
    row, column : ndarray of int or float64, shape (cells,)
        Where the cells are on the grid.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of bool, shape (cells,)
    """
    result = np.zeros(row.size, bool)
    places = (np.asarray(one, np.float64) for one in (row, column))
    _look_within(line.x / cell_size, line.y / cell_size, *places, result)
    return result


@kernel
def _look_within(x: Array, y: Array, row: Array, column: Array, result: Array) -> None:
    for place in range(row.size):
        for i in range(x.size - 1):
            if (y[i] > row[place]) != (y[i + 1] > row[place]):
                crossing = x[i] + (row[place] - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])
                if column[place] < crossing:
                    result[place] = not result[place]


def seen_from(line: DrawnLine, east: float, north: float) -> DrawnLine:
    """Return a line as it is seen from another place.

    Parameters
    ----------
    line : DrawnLine
        Seen from the south-west corner of the land.
    east, north : float
        The other place, in metres from there.

    Returns
    -------
    DrawnLine
    """
    return line._replace(x=line.x - east, y=line.y - north)


@parallel_kernel
def _fill(part: Part, x: Array, y: Array, result: Array) -> None:
    rows, columns = result.shape
    for row in portion(part, rows):
        for i in range(x.size - 1):
            if (y[i] > row) != (y[i + 1] > row):
                crossing = x[i] + (row - y[i]) / (y[i + 1] - y[i]) * (x[i + 1] - x[i])
                for column in range(min(max(math.ceil(crossing), 0), columns)):
                    result[row, column] = not result[row, column]
