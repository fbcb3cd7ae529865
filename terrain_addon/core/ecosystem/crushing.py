"""Crushing: a plant dies as soon as the crown of a larger one covers its stem.

Of two plants with radii r₁ and r₂, whose stems are a distance d apart, the second dies when r₁ > d and r₁ > r₂.  Within
a step the crowns follow their laws, so the moment of each death is known exactly, and long steps kill the same plants
as short ones: a plant that dies early crushes nobody later.

In the forests of Deussen et al. (1998) the smaller of two plants dies as soon as their discs touch.  Here it lives
until the larger one covers its stem.

References
----------
Deussen, O., Hanrahan, P., Lintermann, B., Měch, R., Pharr, M. & Prusinkiewicz, P. (1998).  Realistic modeling and
rendering of plant ecosystems.  Proceedings of SIGGRAPH '98, 275-286.  doi:10.1145/280814.280898
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from .growth_laws import time_to_reach
from .plant_fate import Fate
from .plant_growth import Deaths
from .stem_cells import StemCells, sort_into_cells

# Years whose deaths are listed at once: those of a long step would not fit into memory.
_YEARS_AT_ONCE = 1.0


class Crowns(NamedTuple):
    """Crowns at the begin of a step, and how they grow; entry i of every array belongs to plant i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (plants,)
        Metres.
    radius : ndarray of float32, shape (plants,)
        At the begin, in metres.
    final : ndarray of float32, shape (plants,)
        At the end, in metres.
    law : ndarray of int64, shape (plants,)
        Law of growth; see `GrowthTraits`.
    full : ndarray of float64, shape (plants,)
        Radius of a full-grown plant in metres.
    pace : ndarray of float64, shape (plants,)
        Rate of growth in 1/yr, or in m/yr if growth is linear.
    """

    x: Array
    y: Array
    radius: Array
    final: Array
    law: Array
    full: Array
    pace: Array


class _Window(NamedTuple):
    """A part of a step: its begin and end in years since the step began, and the year in which the step began."""

    begin: float
    end: float
    year: float


class _Events(NamedTuple):
    """Who covers the stem of whom, and how many years after the step began."""

    time: Array
    killer: Array
    victim: Array


def crush(crowns: Crowns, year: float, span: float, width: float, depth: float, deaths: Deaths) -> None:
    """Let larger plants kill those whose stems they cover in a step.

    Parameters
    ----------
    crowns : Crowns
        All plants.
    year, span : float
        When the step begins and how long it takes, in years.
    width, depth : float
        Size of the land in metres.
    deaths : Deaths
        Who dies otherwise, and when; is given who is crushed, and when.
    """
    cells = sort_into_cells(crowns.x, crowns.y, 0.0, width, depth)
    windows = max(math.ceil(span / _YEARS_AT_ONCE), 1)
    for part in range(windows):
        # The last window ends with the step, however the sums are rounded.
        end = span if part == windows - 1 else (part + 1) * _YEARS_AT_ONCE
        window = _Window(part * _YEARS_AT_ONCE, end, year)
        counts = np.zeros(crowns.x.size, np.int64)
        nothing = _Events(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
        _find_events(crowns, window, cells, deaths, counts, False, nothing)
        first = np.concatenate([[0], np.cumsum(counts)])
        count = int(first[-1])
        if count == 0:
            continue
        events = _Events(np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64))
        _find_events(crowns, window, cells, deaths, first, True, events)
        order = np.lexsort((events.victim, events.killer, events.time))
        _kill(_Events(*(values[order] for values in events)), year, deaths)


def stand_free(x: Array, y: Array, radius: Array, known: int, width: float, depth: float) -> npt.NDArray[np.bool_]:
    """Return which newcomers stand under no larger crown.

    Of two equal plants the one that comes first in the list counts as the larger.

    Parameters
    ----------
    x, y, radius : ndarray of float32, shape (plants,)
        Metres.
    known : int
        How many of the plants are there already; those after them are newcomers.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    ndarray of bool, shape (plants - known,)
    """
    covered = np.zeros(x.size, np.bool_)
    _cover(x, y, radius, sort_into_cells(x, y, 0.0, width, depth), covered)
    return ~covered[known:]


@kernel
def _is_larger(one: int, other: int, radius: Array) -> bool:
    """Whether one plant counts as larger than another."""
    return radius[one] > radius[other] or (radius[one] == radius[other] and one < other)


@kernel
def _time_until_covered(p: int, q: int, distance: float, crowns: Crowns) -> float:
    """Return after how many years crown p covers the stem of q, infinite if it does not before q covers that of p."""
    _, _, radius, _, law, full, pace = crowns
    one = time_to_reach(law[p], radius[p], distance, full[p], pace[p])
    if one == math.inf:
        return math.inf
    other = time_to_reach(law[q], radius[q], distance, full[q], pace[q])
    if one < other or (one == other and _is_larger(p, q, radius)):
        return one
    return math.inf


@parallel_kernel
def _find_events(
    part: Part,
    crowns: Crowns,
    window: _Window,
    cells: StemCells,
    deaths: Deaths,
    first: Array,
    listed: bool,
    events: _Events,
) -> None:
    """Count for each plant whose stems it covers in a window, or list them from its `first` event on."""
    per_metre, rows, columns, begin, order = cells
    x, y, final = crowns.x, crowns.y, crowns.final
    for p in portion(part, x.size):
        if deaths.fate[p] > 0 and deaths.year[p] <= window.year + window.begin:
            continue
        reach, place = final[p], first[p]
        west, east = max(int((x[p] - reach) * per_metre), 0), min(int((x[p] + reach) * per_metre), columns - 1)
        south, north = max(int((y[p] - reach) * per_metre), 0), min(int((y[p] + reach) * per_metre), rows - 1)
        for row in range(south, north + 1):
            for k in range(begin[row * columns + west], begin[row * columns + east + 1]):
                q = order[k]
                dx, dy = np.float64(x[q]) - x[p], np.float64(y[q]) - y[p]
                squared = dx * dx + dy * dy
                if q == p or squared >= np.float64(reach) * reach:
                    continue
                if deaths.fate[q] > 0 and deaths.year[q] <= window.year + window.begin:
                    continue
                time = _time_until_covered(p, q, math.sqrt(squared), crowns)
                if window.begin <= time < window.end:
                    if listed:
                        events.time[place], events.killer[place], events.victim[place] = time, p, q
                    place += 1
        if not listed:
            first[p] = place


@kernel
def _kill(events: _Events, year: float, deaths: Deaths) -> None:
    """Go through events in the order of time: who is dead by then neither kills nor dies again."""
    for n in range(events.time.size):
        now, killer, victim = year + events.time[n], events.killer[n], events.victim[n]
        if deaths.fate[killer] > 0 and deaths.year[killer] <= now:
            continue
        if deaths.fate[victim] > 0 and deaths.year[victim] <= now:
            continue
        deaths.fate[victim], deaths.year[victim] = Fate.CRUSHING, now


@parallel_kernel
def _cover(part: Part, x: Array, y: Array, radius: Array, cells: StemCells, covered: Array) -> None:
    """Mark the stems that lie under a larger crown."""
    per_metre, rows, columns, begin, order = cells
    for p in portion(part, x.size):
        reach = radius[p]
        west, east = max(int((x[p] - reach) * per_metre), 0), min(int((x[p] + reach) * per_metre), columns - 1)
        south, north = max(int((y[p] - reach) * per_metre), 0), min(int((y[p] + reach) * per_metre), rows - 1)
        for row in range(south, north + 1):
            for k in range(begin[row * columns + west], begin[row * columns + east + 1]):
                q = order[k]
                dx, dy = np.float64(x[q]) - x[p], np.float64(y[q]) - y[p]
                if q != p and dx * dx + dy * dy < np.float64(reach) * reach and _is_larger(p, q, radius):
                    covered[q] = True
