"""Drawn rivers: where they go on, where they meet, what bed they get.

>>> from terrain_addon.core.direction.features import River
>>> slope = np.linspace(60.0, 0.0, 65, dtype=np.float32)[np.newaxis] * np.ones((65, 1), np.float32)
>>> river = find_rivers([River(points=((100.0, 300.0), (400.0, 320.0)))], slope, 10.0)[0]
>>> float(river.line.x[-1]), river.drawn < river.line.x.size
(640.0, True)

References
----------
E. Galin, A. Peytavie, N. Maréchal and E. Guérin (2010), "Procedural generation of roads", Computer Graphics Forum
29(2), 429-438, doi:10.1111/j.1467-8659.2009.01612.x: paths of least cost over land.

H. Schott, A. Paris, L. Fournier, E. Guérin and E. Galin (2023), "Large-scale terrain authoring through interactive
erosion simulation", ACM Transactions on Graphics 42(5), 162, doi:10.1145/3592787.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from ..foundation.easing import ease_of
from ..foundation.terrain import Field, Grid
from .courses import DrawnCourses, DrawnRiver, bed_levels, cells_under, end_of, extend_river
from .features import River
from .lakes import FixedLake, bank_levels
from .lines import (
    WITHOUT_STEPS,
    DrawnLine,
    Nearness,
    Numbers,
    inside,
    lies_within,
    measure_nearness,
    rounded,
    seen_from,
    smooth_line,
    values_at,
)

_KM2 = 1e6
# Width in metres of the bed of the stream that leaves a drawn lake.
_OUTLET_WIDTH = 2.0
# Cells beside a lake in which nothing runs but its outlet from where it leaves.
_SHORE_CELLS = 3.0
# A river that ends this close to another, as a share of the shorter side of the land, flows into it.
_NEAR = 0.03
# Points along the longer side of the land.
_FINENESS = 1024.0
# Steepest bank of a bed that had to be cut deep, as a tangent.
_STEEPEST_BANK = 0.7
# Means over three cells of the level of a bed: 8 cells to either side, because the steps of a chain of cells come back
# every 10 to 20.
_EVENING = 128
# Where the ground beside a bed is steeper than its banks, the cut ends over this share of its reach.
_ENDING = 0.5
# A bed is shown by cells up to this share of their size wider.
_HALF_CELL = 0.5


def find_rivers(
    rivers: Sequence[River],
    surface: Field,
    cell_size: float,
    sea_level: float | None = None,
    lakes: Sequence[FixedLake] = (),
) -> tuple[DrawnRiver, ...]:
    """Return drawn rivers with their ways on, each after the one in which it ends.

    Parameters
    ----------
    rivers : sequence of River
        With points.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the land before it erodes.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres.
    lakes : sequence of FixedLake
        Drawn lakes, in which rivers may end.

    Returns
    -------
    tuple of DrawnRiver
        A river that crosses a lake ends in it, and another one leaves it there.  A river that ends close to another one
        flows into it.  Of all others those that reach the border or the sea come first, then the one with the lowest
        mouth, so that the order of the list does not matter.
    """
    spacing = spacing_on(surface.shape, cell_size)
    parts = [
        part for river in rivers for part in _between_lakes(river, smooth_line(river.points, spacing), lakes, cell_size)
    ]
    goals = _Goals(lakes, surface, cell_size, sea_level)
    lines = [part.line for part in parts]
    joins = _confluences(lines, _NEAR * (min(surface.shape) - 1) * cell_size)
    joins = {number: host for number, host in joins.items() if parts[number].enters < 0}
    waiting = list(range(len(lines)))
    whole: dict[int, DrawnRiver] = {}
    while waiting:
        # A tributary waits for the river that it joins; if they all wait for one another, the lowest begins.
        ready = [k for k in waiting if k not in joins or joins[k] in whole] or waiting
        ends = {k: goals.end_of(parts[k], tuple(whole.values())) for k in ready}
        number = min(ready, key=lambda k: (ends[k], lines[k].x[-1], lines[k].y[-1]))
        waiting.remove(number)
        host = whole.get(joins.get(number, -1))
        if host is not None:
            whole[number] = parts[number].drawn(_joined(lines[number], host.line), -1, host.reach)
        else:
            whole[number] = goals.extended(parts[number], tuple(whole.values()), [lines[k] for k in waiting])
    return tuple(whole.values())


def find_outlets(
    rivers: Sequence[DrawnRiver],
    surface: Field,
    cell_size: float,
    sea_level: float | None,
    lakes: Sequence[FixedLake],
) -> tuple[DrawnRiver, ...]:
    """Return the outlets of all drawn lakes that no drawn river leaves.

    Parameters
    ----------
    rivers : sequence of DrawnRiver
        From `find_rivers`.
    surface, cell_size, sea_level, lakes
        As for `find_rivers`.

    Returns
    -------
    tuple of DrawnRiver
        The lowest first.  An outlet ends at the border, in the sea, in a lower lake, or in a river that comes to no
        lake as high as its own.
    """
    goals, found = _Goals(lakes, surface, cell_size, sea_level), list(rivers)
    left = {lakes[one.leaves].body for one in rivers if one.leaves >= 0 and one.reach < lakes[one.leaves].level}
    outlets = {lake.body: number for number, lake in enumerate(lakes) if lake.body not in left}
    for number in sorted(outlets.values(), key=lambda number: (lakes[number].level, lakes[number].outlet)):
        lake = lakes[number]
        begin = DrawnLine(*(np.array([value]) for value in (*lake.outlet, np.nan)))
        river = River(width=_OUTLET_WIDTH, bed_depth=0.0, valley_width=0.0)
        found.append(goals.extended(_Part(river, begin, number, -1, lake), found, (), keeps_off=True))
    return tuple(found[len(rivers) :])


def is_under_lakes(river: River, shape: tuple[int, int], cell_size: float, lakes: Sequence[FixedLake]) -> bool:
    """Return whether nothing is left of a river, because it begins and ends in the water of drawn lakes.

    Parameters
    ----------
    river : River
        With points.
    shape : tuple of int
        (rows, columns) of the land.
    cell_size : float
        Metres.
    lakes : sequence of FixedLake
        Drawn lakes.

    Returns
    -------
    bool
        False for a river from one lake to another one.
    """
    return not _between_lakes(river, smooth_line(river.points, spacing_on(shape, cell_size)), lakes, cell_size)


class _Part(NamedTuple):
    """A river, or a part of it between drawn lakes; numbers of the lakes that it leaves and enters, −1 for none."""

    river: River
    line: DrawnLine
    leaves: int = -1
    enters: int = -1
    source: FixedLake | None = None

    @property
    def limit(self) -> float:
        """Level below which all lakes must lie to which its water may come, in metres."""
        return math.inf if self.source is None else self.source.level

    def drawn(self, whole: DrawnLine, enters: int, reach: float) -> DrawnRiver:
        """Return it with its way on, and the lakes to which it comes; only the part with the source has an inflow."""
        river = self.river
        inflow = river.inflow * _KM2 if self.source is None else 0.0
        bed = river.width, river.bed_depth, river.valley_width
        return DrawnRiver(whole, self.line.x.size, *bed, inflow, self.leaves, enters, reach)


def _between_lakes(river: River, line: DrawnLine, lakes: Sequence[FixedLake], cell_size: float) -> list[_Part]:
    """The parts of a river outside of lakes, each with the points next to it within them."""
    lake_at = np.full(line.x.size, -1)
    for number, lake in enumerate(lakes):
        lake_at[lies_within(lake.outline, line.y / cell_size, line.x / cell_size, cell_size)] = number
    if (lake_at < 0).all():
        return [_Part(river, line)]
    found = []
    ends = np.flatnonzero(np.diff((lake_at < 0).astype(np.int8), prepend=0, append=0))
    for begin, end in ends.reshape(-1, 2):
        leaves = int(lake_at[begin - 1]) if begin > 0 else -1
        enters = int(lake_at[end]) if end < lake_at.size else -1
        if leaves >= 0 and leaves == enters:  # it only passes by a bay
            continue
        part = DrawnLine(*(values[max(begin - 1, 0) : end + 1].copy() for values in line))
        source = lakes[leaves] if leaves >= 0 else None
        if source is not None:
            np.minimum(part.height, source.level, out=part.height)
        if enters >= 0:
            np.maximum(part.height, lakes[enters].level, out=part.height)
        found.append(_Part(river, part, leaves, enters, source))
    return found


class _Goals:
    """Where rivers may end: in drawn lakes, other rivers, the sea, and at the border.

    Water that leaves a lake comes neither back to it nor to one that is as high, on no way.
    """

    def __init__(self, lakes: Sequence[FixedLake], surface: Field, cell_size: float, sea_level: float | None) -> None:
        self._lakes, self._cell_size, self._sea_level = lakes, cell_size, sea_level
        self._cells = [_cells_of(lake, surface.shape, cell_size) for lake in lakes]
        # A way into a lake that stands above the ground rises.
        self._surface = surface.copy()
        for lake, cells in zip(lakes, self._cells):
            self._surface[cells] = np.maximum(self._surface[cells], np.float32(lake.level))

    def end_of(self, part: "_Part", known: Sequence[DrawnRiver]) -> float:
        """Return how far down a river ends."""
        if part.enters >= 0:
            return -math.inf
        lines = [one.line for one in known if one.reach < part.limit]
        return end_of(part.line, lines, self._surface, self._cell_size, self._sea_level, self._goal(part))

    def extended(
        self, part: "_Part", known: Sequence[DrawnRiver], avoided: Sequence[DrawnLine], *, keeps_off: bool = False
    ) -> DrawnRiver:
        """Return a river with its way on; it keeps off the shores of lakes that it may not enter, where it can."""
        if part.enters >= 0:
            return part.drawn(part.line, part.enters, self._lakes[part.enters].level)
        hosts = [one for one in known if one.reach < part.limit]
        shunned = [*avoided, *(one.line for one in known if one.reach >= part.limit)]
        line = part.line
        for with_shores in (True, False) if keeps_off else (False,):
            line = extend_river(
                part.line,
                [one.line for one in hosts],
                shunned,
                self._surface,
                self._cell_size,
                self._sea_level,
                self._goal(part),
                self._blocked(part, with_shores=with_shores),
            )
            if line.x.size > part.line.x.size:
                break
        return part.drawn(line, *self._end(part, line, hosts))

    def _end(self, part: "_Part", line: DrawnLine, hosts: Sequence[DrawnRiver]) -> tuple[int, float]:
        """The lake in which a river ends, −1 for none, and the level of the highest to which its water comes."""
        row, column = cells_under(line, self._surface.shape, self._cell_size)
        if not row.size:
            return -1, -math.inf
        for number in self._open(part):
            if self._cells[number][row[-1], column[-1]]:
                return number, self._lakes[number].level
        for one in hosts:
            there = cells_under(one.line, self._surface.shape, self._cell_size)
            if ((there[0] == row[-1]) & (there[1] == column[-1])).any():
                return -1, one.reach
        return -1, -math.inf

    def _open(self, part: "_Part") -> list[int]:
        """Numbers of the lakes in which a river may end."""
        return [number for number, lake in enumerate(self._lakes) if lake.level < part.limit]

    def _goal(self, part: "_Part") -> npt.NDArray[np.bool_]:
        """The cells of those lakes."""
        goal = np.zeros(self._surface.shape, bool)
        for number in self._open(part):
            goal |= self._cells[number]
        return goal

    def _blocked(self, part: "_Part", *, with_shores: bool = False) -> npt.NDArray[np.bool_]:
        """The cells of all other lakes, or those and their shores, apart from where the river leaves."""
        closed = np.zeros(self._surface.shape, bool)
        shore = closed.copy()
        for lake, cells in zip(self._lakes, self._cells):
            if lake.level >= part.limit:
                closed |= cells
                if with_shores:
                    reach = _SHORE_CELLS * self._cell_size
                    shore |= (
                        measure_nearness(lake.outline, self._surface.shape, self._cell_size, reach).distance < np.inf
                    )
        row, column = np.indices(closed.shape, sparse=True)
        x, y = part.line.x[-1], part.line.y[-1]
        away = (column * self._cell_size - x) ** 2 + (row * self._cell_size - y) ** 2
        return closed | (shore & (away > ((_SHORE_CELLS + 1.0) * self._cell_size) ** 2))


def _cells_of(lake: FixedLake, shape: tuple[int, int], cell_size: float) -> npt.NDArray[np.bool_]:
    """The cells within a lake, or those under its outline if it is smaller than a cell."""
    cells = inside(lake.outline, shape, cell_size)
    if not cells.any():
        cells[cells_under(lake.outline, shape, cell_size)] = True
    return cells


def _confluences(lines: Sequence[DrawnLine], near: float) -> dict[int, int]:
    """For each river that ends close to another one, but not to its end, the number of that one."""
    joins = {}
    for number, line in enumerate(lines):
        best = near
        for other, host in enumerate(lines):
            if other != number:
                away = _squared_to_end(line, host)
                if math.sqrt(float(away.min())) < best and int(away.argmin()) < host.x.size - 1:
                    joins[number], best = other, math.sqrt(float(away.min()))
    return joins


def _squared_to_end(line: DrawnLine, host: DrawnLine) -> Numbers:
    """Square of the distance of each point of a host from the end of a line."""
    return (host.x - line.x[-1]) ** 2 + (host.y - line.y[-1]) ** 2


def _joined(line: DrawnLine, host: DrawnLine) -> DrawnLine:
    """A river that goes straight on to the nearest point of another one."""
    place = int(_squared_to_end(line, host).argmin())
    more = (host.x[place], host.y[place], np.nan)
    return DrawnLine(*(np.append(values, value) for values, value in zip(line, more)))


def spacing_on(shape: tuple[int, int], cell_size: float) -> float:
    """Return the distance between points of smooth lines, the same for all grids over a land.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    float
        Metres.
    """
    return (max(shape) - 1) * cell_size / _FINENESS


def cut_drawn_valleys(surface: Field, rivers: Sequence[DrawnRiver], courses: DrawnCourses, cell_size: float) -> Field:
    """Return a land with a valley along each river, before it erodes.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    rivers : sequence of DrawnRiver
        From `find_rivers`.
    courses : DrawnCourses
        Of the rivers on this grid.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In each valley the ground goes over smoothly from the land to the bed.
    """
    level, land = _drawn_or(courses, bed_levels(courses, surface, cell_size)), _grid_of(surface, cell_size)
    result = surface.copy()
    for number, river in enumerate(rivers):
        near, (level_here,) = _across(courses, number, (level,), land, land, 0.5 * river.valley_width)
        if near is None:
            continue
        reached = near.place >= 0.0
        share = np.minimum(near.distance[reached] / np.float32(max(0.5 * river.valley_width, cell_size)), np.float32(1))
        smooth = ease_of(share)
        result[reached] += (level_here - result[reached]) * (np.float32(1.0) - smooth)
    result.ravel()[courses.cell] = level
    return result


def cut_beds(
    surface: Field,
    rivers: Sequence[DrawnRiver],
    courses: DrawnCourses,
    cell_size: float,
    lakes: Sequence[FixedLake] = (),
) -> Field:
    """Return a land with a bed along each river, in which water falls all the way.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres after erosion.
    rivers : sequence of DrawnRiver
        From `find_rivers`.
    courses : DrawnCourses
        Of the rivers on this grid.
    cell_size : float
        Metres.
    lakes : sequence of FixedLake
        Drawn lakes.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Each bed lies below its banks, so that the steepest way down follows it.  Where the ground had to be cut deep,
        its banks are as steep as 35°.  Where a drawn level lies above the ground, the ground is filled up.
    """
    beds = bed_levels(courses, surface, cell_size)
    banks = find_banks(rivers, courses, surface.ravel()[courses.cell], beds, surface.shape[1])
    land = _grid_of(surface, cell_size)
    result = dig_beds(surface, rivers, courses, banks, land, land, lakes)
    result.ravel()[courses.cell] = bed_levels(courses, result, cell_size)
    return result


def _grid_of(surface: Field, cell_size: float) -> Grid:
    """The samples of a land, from its own corner."""
    rows, columns = surface.shape
    return Grid(rows, columns, cell_size)


class Banks(NamedTuple):
    """How high the banks of drawn rivers lie.

    Parameters
    ----------
    level : ndarray of float32, shape (cells,)
        At each cell of the courses, in metres.
    cut : tuple of float
        How deep each river is cut into the ground at most, in metres.
    depth : ndarray of float32, shape (cells,)
        How deep the bed lies below the banks, in metres: less where it would drain a lake.
    """

    level: Field
    cut: tuple[float, ...]
    depth: Field


def find_banks(rivers: Sequence[DrawnRiver], courses: DrawnCourses, ground: Field, beds: Field, columns: int) -> Banks:
    """Return how high the banks of rivers lie.

    Parameters
    ----------
    rivers : sequence of DrawnRiver
        From `find_rivers`.
    courses : DrawnCourses
        Of the rivers.
    ground : ndarray of float32, shape (cells,)
        Height of the ground at each cell of the courses, in metres.
    beds : ndarray of float32, shape (cells,)
        From `bed_levels`.
    columns : int
        Of the land.

    Returns
    -------
    Banks
        They fall evenly, without the steps in which ground and courses go from cell to cell.
    """
    mine = [slice(int(begin), int(end)) for begin, end in pairwise(courses.first)]
    even = beds.copy()
    for one in mine:
        even[one] = _evened(beds[one], courses.cell[one], columns)
    level = _drawn_or(courses, np.maximum(even, np.minimum(ground, courses.least)).astype(np.float32))
    deepest = np.repeat([river.bed_depth for river in rivers], np.diff(courses.first))
    depth = np.clip(level - courses.least, 0.0, deepest)
    cut = tuple(float(np.max(ground[one] - level[one], initial=0.0)) for one in mine)
    return Banks(level, cut, np.asarray(depth, np.float32))


def _evened(level: Field, cells: Array, columns: int) -> Field:
    """Levels of a chain of cells as they fall evenly over its length; from cell to cell it does not go on evenly."""
    if cells.size < 2:
        return level
    along = DrawnLine(*_rounded_chain(cells, columns), np.empty(0)).along
    even = np.linspace(0.0, along[-1], math.ceil(float(along[-1])) + 1)
    return np.interp(along, even, rounded(np.interp(even, along, level), _EVENING)).astype(np.float32)


def _rounded_chain(cells: Array, columns: int) -> tuple[Numbers, Numbers]:
    """Columns and rows of a chain of cells without its steps."""
    return rounded(cells % columns, WITHOUT_STEPS), rounded(cells // columns, WITHOUT_STEPS)


def dig_beds(
    surface: Field,
    rivers: Sequence[DrawnRiver],
    courses: DrawnCourses,
    banks: Banks,
    land: Grid,
    window: Grid,
    lakes: Sequence[FixedLake] = (),
) -> Field:
    """Return a window of a land with a bed along each river, whose cells on the courses are not made to fall yet.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights of the window in metres.
    rivers : sequence of DrawnRiver
        From `find_rivers`.
    courses : DrawnCourses
        Of the rivers on the land.
    banks : Banks
        From `find_banks`.
    land, window : Grid
        The land, from its own corner, and the window of it.
    lakes : sequence of FixedLake
        Drawn lakes, seen from the corner of the window.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        The banks of lakes are as high as the water, or as they were if they were lower.
    """
    result = surface.copy()
    _fill_up(result, courses, banks.level, land, window)
    for number, river in enumerate(rivers):
        cut, half, cell_size = banks.cut[number], 0.5 * river.width, land.cell_size
        reach = max(half + cut / _STEEPEST_BANK, cell_size)
        near, (level, depth) = _across(
            courses, number, (banks.level, banks.depth), land, window, (1.0 + _ENDING) * reach
        )
        if near is None:
            continue
        reached = near.place >= 0.0
        away = near.distance[reached]
        share = np.maximum(np.float32(1.0) - (away / np.float32(max(half, _HALF_CELL * cell_size))) ** 2, np.float32(0))
        slope = np.maximum(away - np.float32(half), np.float32(0.0)) * np.float32(_STEEPEST_BANK)
        lack = np.maximum(result[reached] - (level + slope - depth * share), np.float32(0.0))
        left = np.clip((np.float32((1.0 + _ENDING) * reach) - away) / np.float32(_ENDING * reach), 0.0, 1.0)
        result[reached] -= lack * ease_of(left).astype(np.float32)
    here, place = _cells_in(courses.cell, 0, 0, land, window)
    least = bank_levels(lakes, surface.shape, land.cell_size)
    least[place] = np.where(np.isfinite(courses.least[here]), courses.least[here], least[place])
    return np.maximum(result, np.minimum(surface, least))


def _drawn_or(courses: DrawnCourses, level: Field) -> Field:
    """The drawn level of each cell of the courses, or the level that the land gives."""
    return np.where(np.isnan(courses.height), level, np.minimum(courses.height, np.float32(np.inf)))


def _across(
    courses: DrawnCourses, number: int, values: tuple[Field, ...], land: Grid, window: Grid, reach: float
) -> tuple[Nearness | None, tuple[Field, ...]]:
    """How far each cell of a window is from the course of a river, and its values at the cells within the reach."""
    cell_size = land.cell_size
    reach = max(reach, cell_size)
    first, end = int(courses.first[number]), int(courses.first[number + 1])
    if end == first:
        return None, values
    cells = courses.cell[first:end].astype(np.int64)
    mine = [one[first:end].astype(np.float64) for one in values]
    if courses.below[number] >= 0:
        cells, mine = np.append(cells, courses.below[number]), [np.append(one, one[-1]) for one in mine]
    x, y = _rounded_chain(cells, land.columns)
    line = seen_from(
        DrawnLine(x * cell_size, y * cell_size, mine[0]), window.first_column * cell_size, window.first_row * cell_size
    )
    # Most of a long river is far from a small window.
    beside = (line.x >= -reach - cell_size) & (line.x <= window.width + reach + cell_size)
    beside &= (line.y >= -reach - cell_size) & (line.y <= window.depth + reach + cell_size)
    seen = np.flatnonzero(beside)
    if not seen.size:
        return None, values
    part = slice(max(seen[0] - 1, 0), seen[-1] + 2)
    near = measure_nearness(DrawnLine(*(one[part] for one in line)), window.shape, cell_size, reach)
    return near, tuple(values_at(one[part], near.place[near.place >= 0.0]) for one in mine)


def _fill_up(surface: Field, courses: DrawnCourses, bank: Field, land: Grid, window: Grid) -> None:
    """Raise the ground of a window to drawn levels, with the cells beside it, in place; not along the way on."""
    drawn = ~np.isnan(courses.height) & (courses.drawn >= 0)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            here, place = _cells_in(courses.cell[drawn], dy, dx, land, window)
            np.maximum.at(surface, place, bank[drawn][here])


def _cells_in(cells: Array, dy: int, dx: int, land: Grid, window: Grid) -> tuple[Array, tuple[Array, Array]]:
    """Which cells of a land, moved by rows and columns but not off the land, are in a window, and where there."""
    row, column = np.divmod(cells, land.columns)
    row = np.clip(row + dy, 0, land.rows - 1) - int(window.first_row)
    column = np.clip(column + dx, 0, land.columns - 1) - int(window.first_column)
    here = (row >= 0) & (row < window.rows) & (column >= 0) & (column < window.columns)
    return here, (row[here], column[here])
