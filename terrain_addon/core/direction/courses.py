"""The courses of drawn rivers on grids: cells from source to mouth, along which the ground falls.

A drawn river is a line.  It goes on from its last point to the sea, the border or another drawn river, by the way with
the least climb.  On each grid it becomes a chain of neighbouring cells; where two chains meet, one ends in the other.

References
----------
R. Hellweger (1997), "AGREE - DEM surface reconditioning system", University of Texas at Austin: streams that are known
are burned into a surface, so that water follows them.

H. Schott, A. Paris, L. Fournier, E. Guérin and E. Galin (2023), "Large-scale terrain authoring through interactive
erosion simulation", ACM Transactions on Graphics 42(5), 162, doi:10.1145/3592787: what is drawn stays while rivers
erode.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .lakes import FixedLake, is_bank, wet_places
from .lines import WITHOUT_STEPS, DrawnLine, cells_along, rounded
from .queue import pop, push

LEAST_FALL = 1e-4
"""Least slope of a bed."""
# And at least this many steps of float32 from one cell to the next.
_LEAST_STEPS = 4.0
_STEP_OF_FLOAT32 = 2.0**-23
# The way on: a metre along it costs as much as this climb.
_PRICE_OF_LENGTH = 0.01
_OUTSIDE, _FREE, _TAKEN = np.uint8(0), np.uint8(1), np.uint8(2)


class DrawnCourses(NamedTuple):
    """The cells of all rivers on one grid; those that others end in come first.

    Parameters
    ----------
    first : ndarray of int32, shape (rivers + 1,)
        River i has the cells from ``first[i]`` to before ``first[i + 1]``.
    cell : ndarray of int32, shape (cells,)
        Flat indices, from source to mouth; each is a neighbour of the one before.
    below : ndarray of int32, shape (rivers,)
        The cell of another river in which the river ends; −1 if it ends at the border.
    height : ndarray of float32, shape (cells,)
        Where its level is drawn, in metres; NaN elsewhere.
    drawn : ndarray of int32, shape (cells,)
        Number of the river, or −1 on its way on from its last point.
    least : ndarray of float64, shape (cells,)
        Height in metres below which no bed is cut: the level of the lake that it comes to, or has just left, with the
        fall of a bed between the two; minus infinity elsewhere.
    """

    first: Array
    cell: Array
    below: Array
    height: Array
    drawn: Array
    least: Array


def end_of(
    line: DrawnLine,
    others: Sequence[DrawnLine],
    surface: Field,
    cell_size: float,
    sea_level: float | None = None,
    goal: npt.NDArray[np.bool_] | None = None,
) -> float:
    """Return how far down a river ends, to sort rivers.

    Parameters
    ----------
    line : DrawnLine
        As it was drawn.
    others : sequence of DrawnLine
        Rivers that are known to reach the border.
    surface : ndarray of float32, shape (rows, columns)
        Heights of the land in metres.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres.
    goal : ndarray of bool, shape (rows, columns), optional
        Other cells in which it may end.

    Returns
    -------
    float
        Minus infinity if it ends at the border, in the sea, in one of the others or in the goal; else the height at its
        end.
    """
    row, column = cells_under(line, surface.shape, cell_size)
    if not row.size or _leaves(line, surface.shape, cell_size):
        return -np.inf
    state = _states(others, (), surface, cell_size, sea_level, goal)
    return -np.inf if state[row[-1], column[-1]] == _OUTSIDE else float(surface[row[-1], column[-1]])


def extend_river(
    line: DrawnLine,
    others: Sequence[DrawnLine],
    avoided: Sequence[DrawnLine],
    surface: Field,
    cell_size: float,
    sea_level: float | None = None,
    goal: npt.NDArray[np.bool_] | None = None,
    blocked: npt.NDArray[np.bool_] | None = None,
) -> DrawnLine:
    """Return a river that goes on to the border, the sea, another river or other cells.

    Parameters
    ----------
    line : DrawnLine
        As it was drawn.
    others : sequence of DrawnLine
        Rivers in which it may end.
    avoided : sequence of DrawnLine
        Rivers that it must not cross.
    surface : ndarray of float32, shape (rows, columns)
        Heights of the land in metres.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres.
    goal : ndarray of bool, shape (rows, columns), optional
        Other cells in which it may end.
    blocked : ndarray of bool, shape (rows, columns), optional
        Cells that it must not enter.

    Returns
    -------
    DrawnLine
        The points of the way on are added: that with the least climb, and of equal climbs the shortest.  Its bends are
        round.
    """
    columns = surface.shape[1]
    row, column = cells_under(line, surface.shape, cell_size)
    if not row.size or _leaves(line, surface.shape, cell_size):
        return line
    state = _states(others, avoided, surface, cell_size, sea_level, goal)
    if blocked is not None:
        state[blocked] = _TAKEN
    if state[row[-1], column[-1]] == _OUTSIDE:
        return line
    state[row, column] = np.where(state[row, column] == _OUTSIDE, _OUTSIDE, _TAKEN)
    start = int(row[-1]) * columns + int(column[-1])
    # On a cell beside its own bed, the way on would take the water before it has come to the end.
    way = _way_out(surface, _without_banks(state, row, column), start, cell_size)
    if not way:
        way = _way_out(surface, state, start, cell_size)
    x, y = _without_corners(np.array(way, np.int64), line, state, cell_size)
    return DrawnLine(
        np.concatenate((line.x, x)),
        np.concatenate((line.y, y)),
        np.concatenate((line.height, np.full(x.size, np.nan))),
    )


def _without_banks(state: Array, row: Array, column: Array) -> Array:
    """States in which the free cells beside those of a line are taken too, apart from those around its end."""
    rows, columns = state.shape
    result = state.copy()
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            there = np.clip(row + dy, 0, rows - 1), np.clip(column + dx, 0, columns - 1)
            away = np.maximum(np.abs(there[0] - row[-1]), np.abs(there[1] - column[-1]))
            beside = (away > 1) & (state[there] == _FREE)
            result[there[0][beside], there[1][beside]] = _TAKEN
    return result


def _way_out(surface: Field, state: Array, start: int, cell_size: float) -> list[int]:
    """The cells of the way with the least climb from a cell to one outside, without the first; none without a way."""
    came_from = np.full(surface.size, -1, np.int32)
    room = surface.size * 8 + 2
    search = (np.empty(room), np.zeros(room, np.int64), np.full(surface.size, np.inf), came_from)
    end = _find_way_out(surface, state, start, cell_size * _PRICE_OF_LENGTH, *search)
    way = []
    while end >= 0 and end != start:
        way.append(end)
        end = int(came_from[end])
    return way[::-1]


def _without_corners(way: Array, line: DrawnLine, state: Array, cell_size: float) -> tuple[Array, Array]:
    """Places on a way from cell to cell behind a line, rounded where that brings it onto no cell that is taken."""
    columns = state.shape[1]
    places = [
        np.append(first[-1], part * cell_size) for first, part in ((line.x, way % columns), (line.y, way // columns))
    ]
    x, y = (rounded(one, WITHOUT_STEPS) for one in places)
    column, row = (np.floor(one / cell_size + 0.5).astype(np.int64) for one in (x, y))
    kept = state[row, column] == _TAKEN
    return np.where(kept, places[0], x)[1:], np.where(kept, places[1], y)[1:]


def _states(
    others: Sequence[DrawnLine],
    avoided: Sequence[DrawnLine],
    surface: Field,
    cell_size: float,
    sea_level: float | None,
    goal: npt.NDArray[np.bool_] | None,
) -> Array:
    """Which cells are free, which end a search, and which it must not enter."""
    state = np.full(surface.shape, _FREE)
    for lines, mark in ((avoided, _TAKEN), (others, _OUTSIDE)):
        for line in lines:
            row, column = cells_under(line, surface.shape, cell_size)
            state[row, column] = mark
    if goal is not None:
        state[goal] = _OUTSIDE
    state[0] = state[-1] = state[:, 0] = state[:, -1] = _OUTSIDE
    if sea_level is not None:
        state[surface <= sea_level] = _OUTSIDE
    return state


def _leaves(line: DrawnLine, shape: tuple[int, int], cell_size: float) -> bool:
    """Whether a line ends outside a grid or on its border."""
    column, row = line.x[-1] / cell_size, line.y[-1] / cell_size
    return not (0.5 < column < shape[1] - 1.5 and 0.5 < row < shape[0] - 1.5)


def cells_under(line: DrawnLine, shape: tuple[int, int], cell_size: float) -> tuple[Array, Array]:
    """Return the cells that a line passes.

    Parameters
    ----------
    line : DrawnLine
        One point or more.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    row, column : ndarray of int64
        In order, also several times; without those beyond the border.
    """
    along = line.along / cell_size
    count = max(math.ceil(2.0 * float(along[-1])), 1) + 1
    where = np.linspace(0.0, float(along[-1]), count)
    column = np.floor(np.interp(where, along, line.x / cell_size) + 0.5).astype(np.int64)
    row = np.floor(np.interp(where, along, line.y / cell_size) + 0.5).astype(np.int64)
    within = (row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1])
    return row[within], column[within]


@kernel
def _find_way_out(
    surface: Array,
    state: Array,
    start: int,
    price: float,
    costs: Array,
    items: Array,
    least: Array,
    came_from: Array,
) -> int:
    """Dijkstra's search over free cells; return the first cell outside, or −1 if there is no way."""
    columns = surface.shape[1]
    heights, states = surface.ravel(), state.ravel()
    least[start] = 0.0
    push(costs, items, 0.0, start)
    while items[0] > 0:
        cell = pop(costs, items)
        cost = costs[0]
        if cost > least[cell]:
            continue
        if states[cell] == _OUTSIDE:
            return cell
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                there = cell + dy * columns + dx
                if there == cell or states[there] == _TAKEN:
                    continue
                length = 1.4142135623730951 if dx != 0 and dy != 0 else 1.0
                new = cost + max(float(heights[there]) - float(heights[cell]), 0.0) + price * length
                if new < least[there]:
                    least[there] = new
                    came_from[there] = cell
                    push(costs, items, new, there)
    return -1


class DrawnRiver(NamedTuple):
    """A river as a line, with its way on.

    Parameters
    ----------
    line : DrawnLine
        From source to mouth.
    drawn : int
        How many of its points were drawn; the others are the way on.
    width, bed_depth : float
        Of its bed, in metres.
    valley_width : float
        Metres.
    inflow : float
        m² that drain in at its source.
    leaves : int
        Number of the drawn lake from which it comes; −1 if it comes from none.
    enters : int
        Number of the drawn lake in which it ends; −1 if it ends in none.
    reach : float
        Level in metres of the highest drawn lake to which its water comes; minus infinity if it comes to none.
    """

    line: DrawnLine
    drawn: int
    width: float
    bed_depth: float
    valley_width: float
    inflow: float
    leaves: int = -1
    enters: int = -1
    reach: float = -math.inf


def courses_on(
    rivers: Sequence[DrawnRiver], shape: tuple[int, int], cell_size: float, lakes: Sequence[FixedLake] = ()
) -> DrawnCourses:
    """Return the courses of rivers on a grid, which may be larger than memory.

    Parameters
    ----------
    rivers : sequence of DrawnRiver
        Each after the one in which it ends.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    lakes : sequence of FixedLake
        Drawn lakes; a river ends in a lake, or begins at its shore.

    Returns
    -------
    DrawnCourses
        Each river begins within the border and ends there, where its water leaves the land.
    """
    cells, heights, drawn, first = [], [], [], [0]
    kind = np.int32 if shape[0] * shape[1] <= np.iinfo(np.int32).max else np.int64
    for number, river in enumerate(rivers):
        along = river.line.along
        where, row, column, within = cells_along(river.line, shape, cell_size)
        for lake in range(len(lakes)):
            within &= ~wet_places(lakes, lake, row, column, cell_size)
        cells.append(np.where(within, row * shape[1] + column, -1).astype(kind))
        heights.append(_level_at(river.line, along, where))
        drawn.append(np.where(where <= along[river.drawn - 1], number, -1).astype(np.int32))
        first.append(first[-1] + where.size)
    if not cells:
        none = np.empty(0, np.int32)
        return DrawnCourses(np.zeros(1, np.int32), none, none, np.empty(0, np.float32), none, np.empty(0))
    path = DrawnCourses(
        np.array(first, np.int32),
        np.concatenate(cells),
        np.full(len(cells), -1, kind),
        np.concatenate(heights),
        np.concatenate(drawn),
        np.empty(0),
    )
    known, numbers = np.unique(path.cell, return_inverse=True)
    size = _chain(path, numbers.astype(np.int32), np.zeros(known.size, np.int32), *shape)
    path = path._replace(cell=path.cell[:size], height=path.height[:size], drawn=path.drawn[:size])
    return _kept_above_lakes(path, rivers, shape[1], cell_size, lakes)


def _kept_above_lakes(
    path: DrawnCourses, rivers: Sequence[DrawnRiver], columns: int, cell_size: float, lakes: Sequence[FixedLake]
) -> DrawnCourses:
    """Courses with the heights below which they would drain a lake; at an outlet they are as high as the lake."""
    least, order = np.full(path.cell.size, -np.inf), np.argsort(path.cell)
    for number, river in enumerate(rivers):
        begin, end = int(path.first[number]), int(path.first[number + 1])
        mouth = -np.inf if river.enters < 0 else lakes[river.enters].level
        if path.below[number] >= 0:
            mouth = least[order[np.searchsorted(path.cell, path.below[number], sorter=order)]]
        if mouth > -np.inf:
            least[begin:end] = mouth + _least_step(mouth, cell_size) * np.arange(end - begin, 0, -1)
        if river.leaves >= 0:
            level = lakes[river.leaves].level
            bank = is_bank(lakes, river.leaves, *np.divmod(path.cell[begin:end], columns), cell_size)
            sill = slice(begin, begin + int(np.argmin(np.append(bank, False))))
            least[sill] = level - _least_step(level, cell_size) * np.arange(sill.stop - sill.start)
            path.height[sill], path.drawn[sill] = level, -1
    return path._replace(least=least)


def _level_at(line: DrawnLine, along: Array, where: Array) -> Field:
    """The drawn level at distances along a line; NaN beyond the drawn levels."""
    known = np.flatnonzero(~np.isnan(line.height))
    if not known.size:
        return np.full(where.size, np.float32(np.nan))
    level = np.interp(where, along[known], line.height[known])
    beyond = (where < along[known[0]]) | (where > along[known[-1]])
    return np.where(beyond, np.nan, level).astype(np.float32)


@kernel
def _chain(path: DrawnCourses, number: Array, marks: Array, rows: int, columns: int) -> int:
    """Turn lists of cells into chains without loops, in place, up to the first cell of the border or another chain.

    `number` says which of the marks is that of each cell.  Return how many cells are left.
    """
    first, cell, below, height, drawn, _ = path
    size = 0
    begin = first[0]
    for river in range(first.size - 1):
        end = first[river + 1]
        first[river] = start = size
        for i in range(begin, end):
            here, mark = cell[i], number[i]
            is_out = here < 0 or _on_border(here, rows, columns)
            if is_out and (size == start or here < 0):
                if size > start:
                    break
                continue
            if size > start and cell[size - 1] == here:
                continue
            if 0 < marks[mark] <= start:
                # Another river: this one ends in it.
                if size > start:
                    below[river] = here
                    break
                continue
            if marks[mark] > start:
                # A loop within the river is cut off.
                for j in range(marks[mark], size):
                    marks[number[j]] = 0
                size = marks[mark]
                continue
            cell[size], height[size], drawn[size], number[size] = here, height[i], drawn[i], mark
            size += 1
            marks[mark] = size
            if is_out:
                break
        begin = end
    first[first.size - 1] = size
    return size


def lead_water(courses: DrawnCourses, surface: Array, cell_size: float) -> None:
    """Lower a surface along rivers, in place, to where water cannot leave them.

    Parameters
    ----------
    courses : DrawnCourses
        On the grid of the surface.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres; afterwards each cell of a river is lower than its neighbours beside the river, and than the
        cell before it.
    cell_size : float
        Metres.
    """
    _fall(courses, surface, cell_size)


def bed_levels(courses: DrawnCourses, surface: Array, cell_size: float) -> Array:
    """Return the highest beds that fall along rivers, and lie no higher than the ground and what is beside them.

    Parameters
    ----------
    courses : DrawnCourses
        On the grid of the surface.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (cells,)
        Metres, one for each cell of the courses.
    """
    padded, (row, column) = np.pad(surface, 1, mode="edge"), np.divmod(courses.cell, surface.shape[1])
    beside = [padded[row + i, column + j] for i in range(3) for j in range(3)]
    lowest = np.minimum.reduce(beside)
    border = (row == 0) | (row == surface.shape[0] - 1) | (column == 0) | (column == surface.shape[1] - 1)
    return falling_beds(courses, surface.ravel()[courses.cell], np.where(border, beside[4], lowest), cell_size)


def falling_beds(courses: DrawnCourses, ground: Field, lowest: Field, cell_size: float) -> Field:
    """Return the highest beds that fall along rivers, from the ground along them alone.

    Parameters
    ----------
    courses : DrawnCourses
        Of a grid.
    ground, lowest : ndarray of float32, shape (cells,)
        Height in metres of each cell of the courses, and of the lowest of it and the eight beside it; on the border of
        the grid its own.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (cells,)
        As `bed_levels`.
    """
    if courses.cell.size == 0:
        return ground.copy()
    beds, order = ground.copy(), np.argsort(courses.cell)
    joins = np.searchsorted(courses.cell, courses.below, sorter=order)
    joins = np.where(courses.below < 0, -1, order[np.minimum(joins, order.size - 1)])
    _fall_along(courses, joins, lowest, beds, cell_size)
    return beds


@kernel
def _fall_along(courses: DrawnCourses, joins: Array, lowest: Array, beds: Array, cell_size: float) -> None:
    """Let beds fall along each river, tributaries first, in place."""
    first, _, _, drawn_level, _, least = courses
    for river in range(first.size - 2, -1, -1):
        bed = np.inf
        for i in range(first[river], first[river + 1]):
            if drawn_level[i] == drawn_level[i]:
                level = min(float(beds[i]), float(drawn_level[i]))
            else:
                level = min(float(beds[i]), float(lowest[i]))
                level -= _least_step(level, cell_size)
            if i > first[river]:
                bed -= _least_step(bed, cell_size)
            bed = max(min(bed, level), min(float(beds[i]), least[i]))
            beds[i] = bed
            bed = float(beds[i])
        if joins[river] >= 0:
            beds[joins[river]] = min(float(beds[joins[river]]), bed - _least_step(bed, cell_size))


@kernel
def _fall(courses: DrawnCourses, surface: Array, cell_size: float) -> None:
    """Let the surface fall along each river, tributaries first."""
    first, cell, below, _, _, _ = courses
    rows, columns = surface.shape
    heights = surface.ravel()
    for river in range(first.size - 2, -1, -1):
        bed = np.inf
        for i in range(first[river], first[river + 1]):
            here = cell[i]
            level = float(heights[here])
            if not _on_border(here, rows, columns):
                for dy in range(-1, 2):
                    for dx in range(-1, 2):
                        level = min(level, float(heights[here + dy * columns + dx]))
            level -= _least_step(level, cell_size)
            if i > first[river]:
                bed -= _least_step(bed, cell_size)
            bed = min(bed, level)
            heights[here] = bed
            bed = float(heights[here])
        if below[river] >= 0:
            heights[below[river]] = min(float(heights[below[river]]), bed - _least_step(bed, cell_size))


@kernel
def _on_border(cell: int, rows: int, columns: int) -> bool:
    row, column = cell // columns, cell % columns
    return row == 0 or row == rows - 1 or column == 0 or column == columns - 1


@kernel
def _least_step(level: float, cell_size: float) -> float:
    """How far a bed falls from a cell to the next, at least."""
    return max(LEAST_FALL * cell_size, _LEAST_STEPS * _STEP_OF_FLOAT32 * abs(level))


@kernel
def keep_falling(courses: DrawnCourses, height: Array, sediment: Array, cell_size: float) -> float:
    """Cut the ground along rivers, in place, to where it falls towards the mouth; sediment goes first.

    Parameters
    ----------
    courses : DrawnCourses
        On the grid of the land.
    height : ndarray of float64, shape (rows, columns)
        Height of the ground in metres.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness of the sediment in metres.
    cell_size : float
        Metres.

    Returns
    -------
    float
        Height that was cut away, summed over the cells, in metres; less where a drawn level was filled up.
    """
    first, cell, below, level, drawn, _ = courses
    heights, loose = height.ravel(), sediment.ravel()
    total = 0.0
    for river in range(first.size - 2, -1, -1):
        bed = np.inf
        for i in range(first[river], first[river + 1]):
            here = cell[i]
            if level[i] == level[i]:
                bed = min(bed, float(level[i]))
            if level[i] != level[i] or drawn[i] < 0:
                bed = min(bed, heights[here])
            removed = heights[here] - bed
            heights[here] = bed
            loose[here] = max(loose[here] - removed, np.float32(0.0))
            total += removed
            bed -= _least_step(bed, cell_size)
        if below[river] >= 0 and heights[below[river]] > bed:
            removed = heights[below[river]] - bed
            heights[below[river]] = bed
            loose[below[river]] = max(loose[below[river]] - removed, np.float32(0.0))
            total += removed
    return total
