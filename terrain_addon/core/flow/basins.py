"""Depressions and where they spill: the basin graph of Cordonnier, Bovy & Braun (2019).

Every pit has a basin, the cells that drain to it; what drains to an outlet is basin 0.  Neighbouring basins are joined
by their lowest pass.  The minimum spanning tree over the passes, rooted at basin 0, says over which pass each basin
spills and up to which level it fills: no priority queue over cells, and linear in their number but for the tree.

Where a cell on a watershed has lower neighbours in several basins, these passes are equally high; then the steepest
goes first, so that turning the land turns its routes.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.neighbours import flat_steps
from .directions import OUTLET, PIT

_NEAR = np.float32(1.0 / math.sqrt(2.0))


@dataclass(frozen=True)
class Basins:
    """The basins of a land, basin 0 being all that drains without a depression on its way.

    Attributes
    ----------
    labels : ndarray of int32, shape (cells,)
        Basin of each cell.
    pit : ndarray of int32, shape (basins,)
        Lowest cell; −1 for basin 0.
    pass_from, pass_to : ndarray of int32, shape (basins,)
        Cells on this and on the far side of the pass over which it spills; −1 for basin 0.
    parent : ndarray of int32, shape (basins,)
        The basin on the far side; 0 for basin 0.
    pass_height : ndarray, shape (basins,)
        Height of the higher of the two cells in metres; minus infinity for basin 0.
    level : ndarray, shape (basins,)
        Level in metres to which water stands before it finds a way out; minus infinity for basin 0.
    order : ndarray of int32, shape (basins,)
        Basins such that each comes after its parent.
    """

    labels: npt.NDArray[np.int32]
    pit: npt.NDArray[np.int32]
    pass_from: npt.NDArray[np.int32]
    pass_to: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    pass_height: npt.NDArray[np.floating]
    level: npt.NDArray[np.floating]
    order: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.pit)


def find_basins(surface: Array, directions: Array) -> Basins:
    """Return the basins of a surface and how they spill into one another.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    directions : ndarray of uint8, shape (rows, columns)
        From `find_directions`.
    """
    rows, columns = surface.shape
    steps = flat_steps(columns)
    pits = np.flatnonzero(directions.ravel() == PIT).astype(np.int32)
    labels = np.empty(surface.size, np.int32)
    path = np.empty(surface.size, np.int32)  # only as much of it is touched as the longest way down is long
    _label(directions.ravel(), pits, labels, path, steps)

    count = len(pits) + 1
    pass_from, pass_to = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    parent, order = np.zeros(count, np.int32), np.zeros(count, np.int32)
    pass_height = np.full(count, -np.inf, surface.dtype)
    level = np.full(count, -np.inf, surface.dtype)
    if count > 1:
        passes = _find_passes(surface, labels.reshape(rows, columns))
        tree = np.empty(count - 1, np.int32)
        one, two = labels[passes.side], labels[passes.other]
        _span(one, two, np.arange(len(one), dtype=np.int32), passes.height, passes.slope, np.arange(count), tree)
        side, other, height = passes.side[tree], passes.other[tree], passes.height[tree]
        _root(labels, side, other, height, pass_from, pass_to, parent, pass_height, level, order)
    return Basins(labels, np.concatenate(([np.int32(-1)], pits)), pass_from, pass_to, parent, pass_height, level, order)


def carve(directions: Array, basins: Basins) -> None:
    """Turn the way from each pass down to its pit around, so that the basin drains over the pass (ibid., section 3.3).

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        Changed in place; afterwards no cell is a pit.
    basins : Basins
        Of these directions.
    """
    _carve(directions.ravel(), basins.pass_from, basins.pass_to, flat_steps(directions.shape[1]))


@kernel
def _label(directions: Array, pits: Array, labels: Array, path: Array, steps: Array) -> None:
    for cell in range(labels.size):
        labels[cell] = 0 if directions[cell] == OUTLET else -1
    for number in range(pits.size):
        labels[pits[number]] = number + 1
    for start in range(labels.size):
        cell, length = start, 0
        while labels[cell] < 0:
            path[length] = cell
            length += 1
            cell += steps[directions[cell]]
        label = labels[cell]
        for i in range(length):
            labels[path[i]] = label


@dataclass(frozen=True)
class _Passes:
    """Pairs of neighbouring cells of different basins: the higher of their heights, and the slope between them."""

    side: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    height: npt.NDArray[np.floating]
    slope: npt.NDArray[np.floating]


def _find_passes(surface: Array, labels: Array) -> _Passes:
    counts = np.empty(surface.shape[0], np.int64)
    none, zero = np.empty(0, np.int32), np.empty(0, surface.dtype)
    _list_passes(surface, labels, counts, False, none, none, zero, zero)
    ends = np.cumsum(counts)
    total = int(ends[-1])
    side, other = np.empty(total, np.int32), np.empty(total, np.int32)
    height, slope = np.empty(total, surface.dtype), np.empty(total, surface.dtype)
    _list_passes(surface, labels, ends - counts, True, side, other, height, slope)
    return _Passes(side, other, height, slope)


@parallel_kernel
def _list_passes(
    part: Part,
    surface: Array,
    labels: Array,
    places: Array,
    write: bool,
    side: Array,
    other: Array,
    heights: Array,
    slopes: Array,
) -> None:
    """List the passes of each row; `places` holds where they begin, or without `write` is given their number."""
    for row in portion(part, surface.shape[0]):
        begin = places[row] if write else 0
        end = _list_passes_of_row(surface, labels, np.int64(row), begin, write, side, other, heights, slopes)
        if not write:
            places[row] = end


@kernel
def _list_passes_of_row(
    surface: Array,
    labels: Array,
    row: int,
    begin: int,
    write: bool,
    side: Array,
    other: Array,
    heights: Array,
    slopes: Array,
) -> int:
    """List pairs of cells across the border of two basins; of a run of pairs of the same two, only the lowest."""
    rows, columns = surface.shape
    place = begin - 1
    last_low, last_high = -1, -1
    level, north = labels[row], labels[min(row + 1, rows - 1)]
    for column in range(columns):
        here = level[column]
        west, east = max(column - 1, 0), min(column + 1, columns - 1)
        if here == level[east] and here == north[west] and here == north[column] and here == north[east]:
            continue
        for k in range(4):
            # East, north-west, north, north-east.
            r = row if k == 0 else row + 1
            c = column + 1 if k == 0 else column + k - 2
            if r >= rows or c < 0 or c >= columns:
                continue
            there = labels[r, c]
            if here == there:
                continue
            low, high = min(here, there), max(here, there)
            again = low == last_low and high == last_high
            if not again:
                place += 1
                last_low, last_high = low, high
            if write:
                height = max(surface[row, column], surface[r, c])
                slope = abs(surface[row, column] - surface[r, c]) * (_NEAR if k & 1 else np.float32(1.0))
                if not again or _comes_first(height, slope, heights[place], slopes[place]):
                    side[place] = row * columns + column
                    other[place] = r * columns + c
                    heights[place] = height
                    slopes[place] = slope
    return place + 1


@kernel
def _comes_first(height: float, slope: float, than_height: float, than_slope: float) -> bool:
    return height < than_height or (height == than_height and slope > than_slope)


@kernel
def _span(one: Array, two: Array, edges: Array, heights: Array, slopes: Array, group: Array, tree: Array) -> None:
    """Find the minimum spanning tree (Borůvka 1926): every group of basins joins the neighbour over its lowest pass.

    `one`, `two`: groups on either side of each pass of `edges`; all three and `group` are used up.
    """
    count = group.size
    best = np.empty(count, np.int32)
    left, found = edges.size, 0
    while left > 0:
        best[:] = -1
        for i in range(left):
            # Passes stay in order and the first of equal ones wins: no two groups can see them in another order.
            a, b = one[i], two[i]
            height, slope = heights[edges[i]], slopes[edges[i]]
            for label in (a, b):
                old = edges[best[label]]
                if label != 0 and (best[label] < 0 or _comes_first(height, slope, heights[old], slopes[old])):
                    best[label] = i
        for label in range(1, count):
            i = best[label]
            if i < 0:
                continue
            towards = two[i] if one[i] == label else one[i]
            # Two groups that choose one another have chosen the same pass; the first of them stays.
            if best[towards] == i and label < towards:
                continue
            tree[found] = edges[i]
            found += 1
            group[label] = towards
        for label in range(count):
            while group[label] != group[group[label]]:
                group[label] = group[group[label]]
        kept = 0
        for i in range(left):
            a, b = group[one[i]], group[two[i]]
            if a != b:
                one[kept], two[kept], edges[kept] = a, b, edges[i]
                kept += 1
        left = kept


@kernel
def _root(
    labels: Array,
    side: Array,
    other: Array,
    heights: Array,
    pass_from: Array,
    pass_to: Array,
    parent: Array,
    pass_height: Array,
    level: Array,
    order: Array,
) -> None:
    """Walk the tree from basin 0 outwards, noting the pass towards it and the level of each basin."""
    count = parent.size
    starts = np.zeros(count + 1, np.int32)
    for i in range(side.size):
        starts[labels[side[i]]] += 1
        starts[labels[other[i]]] += 1
    for basin in range(count):
        starts[basin + 1] += starts[basin]
    edges = np.empty(2 * side.size, np.int32)
    for i in range(side.size):
        for cell in (side[i], other[i]):
            starts[labels[cell]] -= 1
            edges[starts[labels[cell]]] = i
    reached = 1
    for done in range(count):
        basin = order[done]
        for place in range(starts[basin], starts[basin + 1]):
            i = edges[place]
            near, far = side[i], other[i]
            if labels[near] != basin:
                near, far = far, near
            upper = labels[far]
            if upper == parent[basin] and pass_to[basin] == far and pass_from[basin] == near:
                continue
            order[reached] = upper
            reached += 1
            parent[upper] = basin
            pass_from[upper], pass_to[upper] = far, near
            pass_height[upper] = heights[i]
            level[upper] = max(heights[i], level[basin])


@kernel
def _carve(directions: Array, pass_from: Array, pass_to: Array, steps: Array) -> None:
    for basin in range(1, pass_from.size):
        cell = pass_from[basin]
        way = 0
        while cell + steps[way] != pass_to[basin]:
            way += 1
        while True:
            before = directions[cell]
            directions[cell] = way
            if before == PIT:
                break
            cell += steps[before]
            way = (before + 4) & 7
