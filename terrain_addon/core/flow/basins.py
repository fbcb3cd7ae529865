"""Depressions and where they spill: the basin graph of Cordonnier, Bovy & Braun (2019).

The basin of a pit is all cells that drain to it.  Basin 0 is all cells that drain to an outlet.  Two basins that touch
share a pass: the lowest pair of neighbouring cells between them.  The minimum spanning tree of the passes, rooted at
basin 0, gives for each basin the pass over which it spills and the level up to which it fills.  This needs no priority
queue over cells, and its time grows linearly with their number, except for the tree.

Passes are equally high if a cell on a watershed has lower neighbours in several basins.  The steepest of them is used,
so that turning the land also turns its flow routes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.neighbours import Links, Mesh, direction_back, links_of, neighbour_of
from .directions import BLOCK, INVERSE_DIAGONAL, OUTLET, PIT


@dataclass(frozen=True)
class Basins:
    """The basins of a land.  Basin 0 drains to the outlets without passing a depression.

    Attributes
    ----------
    labels : ndarray of int32, shape (cells,)
        Basin of each cell.
    pit : ndarray of int32, shape (basins,)
        Flat index of the lowest cell; −1 for basin 0.
    pass_from, pass_to : ndarray of int32, shape (basins,)
        Flat indices of the two cells of the pass over which the basin spills: inside it and beyond it; −1 for basin 0.
    parent : ndarray of int32, shape (basins,)
        The basin beyond the pass, into which this one spills; 0 for basin 0.
    pass_height : ndarray of float32 or float64, shape (basins,)
        Height in metres of the higher cell of the pass; minus infinity for basin 0.
    level : ndarray of float32 or float64, shape (basins,)
        Height in metres up to which the basin fills before its water reaches an outlet; minus infinity for basin 0.
    order : ndarray of int32, shape (basins,)
        All basins, each after its parent.
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


def find_basins(surface: Array, directions: Array, mesh: Mesh | None = None, work: Array | None = None) -> Basins:
    """Return the basins of a surface and how they spill into one another.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    directions : ndarray of uint8, shape (rows, columns)
        From `find_directions`.
    mesh : Mesh, optional
        As for `find_directions`.
    work : ndarray of int32, shape (cells,), optional
        Memory that it may overwrite.

    Returns
    -------
    Basins
        Heights have the type of `surface`.

    References
    ----------
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    links = links_of(surface.shape[1], mesh)
    pits = np.flatnonzero(directions.ravel() == PIT).astype(np.int32)
    labels = np.empty(surface.size, np.int32)
    path = np.empty(surface.size, np.int32) if work is None else work
    _label_basins(directions.ravel(), pits, labels, path, links.cells)

    count = len(pits) + 1
    spills = _Spills(
        pass_from=np.full(count, -1, np.int32),
        pass_to=np.full(count, -1, np.int32),
        parent=np.zeros(count, np.int32),
        pass_height=np.full(count, -np.inf, surface.dtype),
        level=np.full(count, -np.inf, surface.dtype),
        order=np.zeros(count, np.int32),
    )
    if count > 1:
        passes = _find_passes(surface, labels.reshape(surface.shape), mesh)
        tree = np.empty(count - 1, np.int32)
        room = 3 * len(passes.side)
        # The paths are done, so their memory is free; few lands have so many passes that it is too small.
        ahead = (path if room <= path.size else np.empty(room, np.int32))[:room].reshape(3, -1)
        _find_spanning_tree(labels, passes, ahead, tree)
        chosen = _Passes(passes.side[tree], passes.other[tree], passes.height[tree], passes.slope[tree])
        _direct_tree(labels, chosen, spills)
    return Basins(labels, np.concatenate(([np.int32(-1)], pits)), *spills)


def carve(directions: Array, basins: Basins, mesh: Mesh | None = None) -> None:
    """Make each basin drain over its pass: reverse the path from the pass down to the pit.

    This is the depression carving of Cordonnier, Bovy & Braun.  The surface itself is not changed.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        From `find_directions`.  Changed in place; afterwards no cell is a pit.
    basins : Basins
        From `find_basins` for the same directions.
    mesh : Mesh, optional
        As for `find_directions`.

    References
    ----------
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    links = links_of(directions.shape[1], mesh)
    _reverse_paths(directions.ravel(), basins.pass_from, basins.pass_to, links)


@kernel
def _label_basins(directions: Array, pits: Array, labels: Array, path: Array, cells: Array) -> None:
    """Give each cell the number of its basin: follow the flow to a cell that has one, then label the whole path."""
    for cell in range(labels.size):
        labels[cell] = 0 if directions[cell] == OUTLET else -1
    for number in range(pits.size):
        labels[pits[number]] = number + 1
    for start in range(labels.size):
        cell, length = start, 0
        while labels[cell] < 0:
            path[length] = cell
            length += 1
            cell = neighbour_of(cell, directions[cell], cells)
        label = labels[cell]
        for i in range(length):
            labels[path[i]] = label


class _Passes(NamedTuple):
    """Pairs of neighbouring cells of different basins: two flat indices, the greater height, and the slope between."""

    side: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    height: npt.NDArray[np.floating]
    slope: npt.NDArray[np.floating]


class _Spills(NamedTuple):
    """The fields of `Basins` that tell where each basin spills, in the order of that class."""

    pass_from: npt.NDArray[np.int32]
    pass_to: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    pass_height: npt.NDArray[np.floating]
    level: npt.NDArray[np.floating]
    order: npt.NDArray[np.int32]


def _find_passes(surface: Array, labels: Array, mesh: Mesh | None) -> _Passes:
    """Return the passes between all basins: count them row by row, then write them in the same order."""

    def list_passes(places: Array, write: bool, passes: _Passes) -> None:
        if mesh is None:
            _list_passes(surface, labels, places, write, passes)
        else:
            cells, nearness = mesh.links.cells, mesh.nearness
            _list_linked_passes(surface.ravel(), labels.ravel(), cells, nearness, places, write, passes)

    counts = np.empty(surface.shape[0] if mesh is None else -(-surface.size // BLOCK), np.int64)
    list_passes(counts, False, _empty_passes(0, surface.dtype))
    ends = np.cumsum(counts)
    passes = _empty_passes(int(ends[-1]), surface.dtype)
    list_passes(ends - counts, True, passes)
    return passes


def _empty_passes(count: int, height_type: npt.DTypeLike) -> _Passes:
    """Return memory for so many passes."""
    cells, heights = (count, np.int32), (count, height_type)
    return _Passes(np.empty(*cells), np.empty(*cells), np.empty(*heights), np.empty(*heights))


@parallel_kernel
def _list_passes(part: Part, surface: Array, labels: Array, places: Array, write: bool, passes: _Passes) -> None:
    """List the passes of each row from ``places[row]`` on; without `write`, store their number there instead."""
    for row in portion(part, surface.shape[0]):
        begin = places[row] if write else 0
        end = _list_passes_of_row(surface, labels, np.int64(row), begin, write, passes)
        if not write:
            places[row] = end


@kernel
def _list_passes_of_row(surface: Array, labels: Array, row: int, begin: int, write: bool, passes: _Passes) -> int:
    """List pairs of cells on both sides of a watershed; of successive pairs of the same two basins only the lowest."""
    side, other, heights, slopes = passes
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
                slope = abs(surface[row, column] - surface[r, c]) * (INVERSE_DIAGONAL if k & 1 else np.float32(1.0))
                if not again or _comes_first(height, slope, heights[place], slopes[place]):
                    side[place] = row * columns + column
                    other[place] = r * columns + c
                    heights[place] = height
                    slopes[place] = slope
    return place + 1


@parallel_kernel
def _list_linked_passes(
    part: Part,
    surface: Array,
    labels: Array,
    cells: Array,
    nearness: Array,
    places: Array,
    write: bool,
    passes: _Passes,
) -> None:
    """Do the same on a mesh, for each block of its cells."""
    side, other, heights, slopes = passes
    for block in portion(part, places.size):
        place = (places[block] if write else np.int64(0)) - 1
        last_low, last_high = -1, -1
        for cell in range(block * BLOCK, min((block + 1) * BLOCK, surface.size)):
            here = labels[cell]
            if here == 0:
                continue  # most cells are of basin 0; its neighbours find their passes to it
            for k in range(8):
                beyond = cells[cell, k]
                there = labels[beyond]
                # Each pair once: from the cell outside basin 0, or with the smaller number.
                if here == there or (there != 0 and beyond < cell):
                    continue
                low, high = min(here, there), max(here, there)
                again = low == last_low and high == last_high
                if not again:
                    place += 1
                    last_low, last_high = low, high
                if write:
                    height = max(surface[cell], surface[beyond])
                    slope = abs(surface[cell] - surface[beyond]) * nearness[cell, k]
                    if not again or _comes_first(height, slope, heights[place], slopes[place]):
                        side[place] = cell
                        other[place] = beyond
                        heights[place] = height
                        slopes[place] = slope
        if not write:
            places[block] = place + 1


@kernel
def _comes_first(height: float, slope: float, than_height: float, than_slope: float) -> bool:
    """Whether a pass is lower than another one, or as low and steeper."""
    return height < than_height or (height == than_height and slope > than_slope)


@kernel
def _find_spanning_tree(labels: Array, passes: _Passes, ahead: Array, tree: Array) -> None:
    """Find the minimum spanning tree (Borůvka 1926): every group of basins joins a neighbour over its lowest pass.

    `ahead` is memory for three numbers of each pass: the groups on either side of those that are left, and which they
    are.
    """
    side, other, heights, slopes = passes
    one, two, edges = ahead[0], ahead[1], ahead[2]
    for i in range(side.size):
        one[i], two[i], edges[i] = labels[side[i]], labels[other[i]], i
    count = tree.size + 1
    group, best = np.arange(count), np.empty(count, np.int32)
    left, found = side.size, 0
    while left > 0:
        best[:] = -1
        for i in range(left):
            # The first of equal passes wins.  All groups see the passes in the same order, so there is no cycle.
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
            # Two groups that choose each other have chosen the same pass: only the second adds it.
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
def _direct_tree(labels: Array, tree: _Passes, spills: _Spills) -> None:
    """Walk the spanning tree outwards from basin 0 and store where and at which level each basin spills."""
    side, other, heights, _ = tree
    pass_from, pass_to, parent, pass_height, level, order = spills
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
def _reverse_paths(directions: Array, pass_from: Array, pass_to: Array, links: Links) -> None:
    """Reverse the directions from each pass down to its pit."""
    for basin in range(1, pass_from.size):
        cell = pass_from[basin]
        way = 0
        while neighbour_of(cell, way, links.cells) != pass_to[basin]:
            way += 1
        while True:
            before = directions[cell]
            directions[cell] = way
            if before == PIT:
                break
            way = direction_back(cell, before, links.back)
            cell = neighbour_of(cell, before, links.cells)
