"""The basins of a land that is cut into blocks, and how they spill: one graph over the summaries of all blocks.

Only comparisons and whole numbers decide, so the result equals that of `flow.basins` for the land in one piece.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import flat_steps
from .block_basins import BEYOND, NOWHERE
from .blocks import Blocks, Cells
from .spanning_forest import find_spanning_forest


class LandBasins(NamedTuple):
    """The basins of a land.  Basin 0 drains to the outlets without passing a depression.

    Attributes
    ----------
    end : ndarray of int64, shape (ends,)
        The pits and exits of all blocks, as numbers of cells, rising.
    basin : ndarray of int32, shape (ends,)
        The basin to which the water of each of them comes at last.
    pit : ndarray of int64, shape (basins,)
        The lowest cell of each basin; −1 for basin 0.
    pass_from, pass_to : ndarray of int64, shape (basins,)
        The two cells of the pass over which a basin spills: inside it and beyond it; −1 for basin 0.
    parent : ndarray of int32, shape (basins,)
        The basin beyond the pass; 0 for basin 0.
    pass_height : ndarray of float64, shape (basins,)
        Height in metres of the higher cell of the pass; minus infinity for basin 0.
    level : ndarray of float64, shape (basins,)
        Height in metres up to which a basin fills before its water reaches an outlet; minus infinity for basin 0.
    order : ndarray of int32, shape (basins,)
        All basins, each after its parent.
    turned_cell, turned_way : ndarray of int64 and uint8, shape (n,)
        Where `carve_block` begins in each block through which a path from a pass to a pit runs, and the new direction.
    """

    end: Cells
    basin: npt.NDArray[np.int32]
    pit: Cells
    pass_from: Cells
    pass_to: Cells
    parent: npt.NDArray[np.int32]
    pass_height: npt.NDArray[np.float64]
    level: npt.NDArray[np.float64]
    order: npt.NDArray[np.int32]
    turned_cell: Cells
    turned_way: npt.NDArray[np.uint8]


def join_basins(summary: dict[str, Array], blocks: Blocks) -> LandBasins:
    """Join the summaries of all blocks of a land.

    Parameters
    ----------
    summary : dict of str to ndarray
        From `summarise_basins` for every block, put together by `blocks.joined`, in any order.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    LandBasins

    References
    ----------
    Barnes, R. (2016). Parallel priority-flood depression filling for trillion cell digital elevation models on desktops
    or clusters. Computers & Geosciences, 96, 56–68. doi:10.1016/j.cageo.2016.07.001
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    by_cell = np.argsort(summary["end"])
    end, way, target = (summary[name][by_cell] for name in ("end", "end_way", "end_target"))
    rims = _Rims.of(summary, end)
    following = rims.end_at(target)
    # Where the water of each end comes at last: halve the path until nothing changes.
    final = np.where(target == NOWHERE, np.arange(end.size), following)
    while True:
        farther = np.where(final < 0, final, final[final])
        if np.array_equal(farther, final):
            break
        final = farther
    is_pit = target == NOWHERE
    number = np.cumsum(is_pit).astype(np.int32)  # basins, in the order of their pits
    basin = np.where(final < 0, 0, number[final]).astype(np.int32)

    edges = _Edges.of(summary, end, rims, basin)
    order = np.lexsort((edges.rank, edges.side, -edges.slope, edges.height))
    count = int(is_pit.sum()) + 1
    tree = find_spanning_forest(edges.one, edges.two, order, count)
    result = LandBasins(
        end,
        basin,
        np.concatenate([[NOWHERE], end[is_pit]]),
        pass_from=np.full(count, NOWHERE, np.int64),
        pass_to=np.full(count, NOWHERE, np.int64),
        parent=np.zeros(count, np.int32),
        pass_height=np.full(count, -np.inf),
        level=np.full(count, -np.inf),
        order=np.zeros(count, np.int32),
        turned_cell=np.empty(0, np.int64),
        turned_way=np.empty(0, np.uint8),
    )
    from_end = np.full(count, NOWHERE, np.int64)
    _direct_tree(edges._replace(**{name: values[tree] for name, values in edges._asdict().items()}), result, from_end)
    turned_cell, turned_way = np.empty(count + end.size, np.int64), np.empty(count + end.size, np.uint8)
    steps = flat_steps(blocks.columns)
    ends = _Ends(way, target, following)
    turned = _turn_paths(result, from_end, ends, steps, turned_cell, turned_way)
    return result._replace(turned_cell=turned_cell[:turned], turned_way=turned_way[:turned])


class _Ends(NamedTuple):
    """For each end: its direction, the cell to which it drains, and the index of the end that follows."""

    way: Array
    target: Array
    following: Array


class _Rims(NamedTuple):
    """Cells on the rims of blocks, rising, and the index of the end of each; −1 where water leaves the land."""

    cell: Array
    end: Array

    @classmethod
    def of(cls, summary: dict[str, Array], end: Cells) -> "_Rims":
        by_cell = np.argsort(summary["rim"])
        named = summary["rim_end"][by_cell]
        return cls(summary["rim"][by_cell], _index_of(named, end))

    def end_at(self, cells: Cells) -> npt.NDArray[np.int64]:
        """Return the index of the end of the path that begins at each cell; −1 for no cell."""
        if self.cell.size == 0:
            return np.full(cells.size, -1, np.int64)
        place = np.minimum(np.searchsorted(self.cell, cells), self.cell.size - 1)
        return np.where(cells == NOWHERE, -1, self.end[place])


class _Edges(NamedTuple):
    """Passes between basins: cells, basins, the end within the block on either side, height, slope and rank.

    `rank` tells the four neighbours of one cell apart: east, north-west, north, north-east.
    """

    side: Array
    other: Array
    one: Array
    two: Array
    one_end: Array
    two_end: Array
    height: Array
    slope: Array
    rank: Array

    @classmethod
    def of(cls, summary: dict[str, Array], end: Cells, rims: _Rims, basin: Array) -> "_Edges":
        one_end = _index_of(summary["pass_side_end"], end)
        two_end = _index_of(summary["pass_other_end"], end)
        two_end = np.where(summary["pass_other_end"] == BEYOND, rims.end_at(summary["pass_other"]), two_end)
        # What has no end, such as all cells of a land under the sea, drains to basin 0.
        ended = np.append(basin, np.int32(0))
        one, two = ended[one_end], ended[two_end]
        kept = one != two
        side, other = summary["pass_side"][kept], summary["pass_other"][kept]
        # A difference of 1 is east; the other three grow from north-west to north-east.
        return cls(
            side,
            other,
            one[kept],
            two[kept],
            one_end[kept],
            two_end[kept],
            summary["pass_height"][kept],
            summary["pass_slope"][kept],
            other - side,
        )


def _index_of(cells: Cells, end: Cells) -> npt.NDArray[np.int64]:
    """Return the index of each end; −1 for cells that are none."""
    return np.where(cells < 0, -1, np.searchsorted(end, cells))


@kernel
def _direct_tree(tree: _Edges, basins: LandBasins, from_end: Array) -> None:
    """Walk the spanning tree outwards from basin 0 and store where and at which level each basin spills."""
    count = basins.parent.size
    starts = np.zeros(count + 1, np.int64)
    for i in range(tree.one.size):
        starts[tree.one[i]] += 1
        starts[tree.two[i]] += 1
    for basin in range(count):
        starts[basin + 1] += starts[basin]
    edges = np.empty(2 * tree.one.size, np.int64)
    for i in range(tree.one.size):
        for basin in (tree.one[i], tree.two[i]):
            starts[basin] -= 1
            edges[starts[basin]] = i
    reached = 1
    for done in range(count):
        basin = basins.order[done]
        for place in range(starts[basin], starts[basin + 1]):
            i = edges[place]
            near, far, upper, end = tree.side[i], tree.other[i], tree.two[i], tree.two_end[i]
            if tree.one[i] != basin:
                near, far, upper, end = tree.other[i], tree.side[i], tree.one[i], tree.one_end[i]
            if upper == basins.parent[basin] and basins.pass_to[basin] == far and basins.pass_from[basin] == near:
                continue
            basins.order[reached] = upper
            reached += 1
            basins.parent[upper] = basin
            basins.pass_from[upper], basins.pass_to[upper] = far, near
            basins.pass_height[upper] = tree.height[i]
            basins.level[upper] = max(tree.height[i], basins.level[basin])
            from_end[upper] = end


@kernel
def _turn_paths(
    basins: LandBasins, from_end: Array, ends: _Ends, steps: Array, turned_cell: Array, turned_way: Array
) -> int:
    """Follow the path from each pass down to its pit from block to block; return how many pieces there are."""
    count = 0
    for basin in range(1, basins.parent.size):
        cell, end = basins.pass_from[basin], from_end[basin]
        way = 0
        while cell + steps[way] != basins.pass_to[basin]:
            way += 1
        while True:
            turned_cell[count], turned_way[count] = cell, way
            count += 1
            if ends.way[end] >= OUTLET:
                break
            cell, way = ends.target[end], (ends.way[end] + 4) & 7
            end = ends.following[end]
    return count
