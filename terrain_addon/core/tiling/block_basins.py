"""Where water runs within one block, and what the block tells of it to the graph that joins all blocks.

A block is cut off from its neighbours, so a path of water ends in it at a pit, at an outlet, or at an exit: a cell on
its rim that drains to another block.  All cells with one end have one label.  The passes between labels, and from a
cell on the rim to the cell beyond it, are thinned to a spanning forest: the highest pass of a circle is never used.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import INVERSE_DIAGONAL, OUTLET, PIT
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place
from ..foundation.neighbours import COLUMN_STEP, DISTANCE, ROW_STEP, flat_steps
from .blocks import Block, BlockPlace, Blocks, Cells, block_place, cells_in, land_cells, local_cells, rim_of
from .spanning_forest import find_spanning_forest

NOWHERE = -1
"""Number of no cell."""
BEYOND = -2
"""Stands for the end of a path in another block, which only that block knows."""


def find_block_directions(
    surface: Array, block: Block, blocks: Blocks, sea_level: float, closed: Cells | None = None
) -> npt.NDArray[np.uint8]:
    """Return the D8 flow direction of each cell of a block.

    Water takes the steepest of the eight ways down, as in `flow.directions`.  On level ground, where there is none, it
    runs to the neighbour with the lowest random number, if that is below its own; the end of such a path is a pit, over
    whose pass it goes on.  So no direction depends on more than the cells beside it.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows + 2, columns + 2)
        Heights in metres of the block and of one cell around it; what lies beyond the land does not count.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.
    sea_level : float
        Metres.  Cells at or below it are outlets, and so is the border of the land.
    closed : ndarray of int64, optional
        Numbers in the land of the cells of its border over which no water leaves, as in `flow.inflows.Inlets`.

    Returns
    -------
    ndarray of uint8, shape (rows, columns)
        0 to 7, counter-clockwise from the east, `OUTLET` or `PIT`.

    References
    ----------
    O'Callaghan, J. F., & Mark, D. M. (1984). The extraction of drainage networks from digital elevation data.
    Computer Vision, Graphics, and Image Processing, 28(3), 323–344. doi:10.1016/S0734-189X(84)80011-0
    """
    directions = np.empty(block.shape, np.uint8)
    level = np.array(sea_level).astype(surface.dtype)[()]
    place = block_place(block, blocks)
    _find_descent(surface, place, level, directions)
    if closed is not None and closed.size:
        _turn_inward(surface, place, level, cells_in(closed, block, blocks), directions)
    return directions


class BlockBasins(NamedTuple):
    """The labels of a block.

    Attributes
    ----------
    labels : ndarray of int32, shape (cells,)
        Label of each cell; 0 where water leaves the land.
    end : ndarray of int64, shape (labels,)
        Number in the land of the pit or exit in which the paths of a label end; `NOWHERE` for label 0.
    """

    labels: npt.NDArray[np.int32]
    end: Cells


def label_block(directions: npt.NDArray[np.uint8], block: Block, blocks: Blocks) -> BlockBasins:
    """Return the label of each cell of a block.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        From `find_block_directions`.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    BlockBasins
    """
    ends = np.empty(directions.size, np.int64)
    labels, path = np.empty(directions.size, np.int32), np.empty(directions.size, np.int32)
    count = _label(directions, flat_steps(block.columns), labels, ends, path)
    return BlockBasins(labels, np.concatenate([[NOWHERE], land_cells(ends[: count - 1], block, blocks)]))


def summarise_basins(
    surface: Array, directions: npt.NDArray[np.uint8], basins: BlockBasins, block: Block, blocks: Blocks
) -> dict[str, Array]:
    """Return what the graph of basins must know of a block.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows + 2, columns + 2)
        As for `find_block_directions`.
    directions : ndarray of uint8, shape (rows, columns)
        From `find_block_directions`.
    basins : BlockBasins
        From `label_block`.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of str to ndarray
        ``end``, ``end_way``, ``end_target``: each pit and exit, its direction, and the cell of another block to which
        an exit drains.  ``rim``, ``rim_end``: each cell on the rim, and the end of its path.  ``pass_side``,
        ``pass_other``, ``pass_side_end``, ``pass_other_end``, ``pass_height``, ``pass_slope``: pairs of cells on both
        sides of a watershed, with the ends of their paths; `BEYOND` for a cell of another block.

    References
    ----------
    Barnes, R. (2016). Parallel priority-flood depression filling for trillion cell digital elevation models on desktops
    or clusters. Computers & Geosciences, 96, 56–68. doi:10.1016/j.cageo.2016.07.001
    """
    rows, columns = block.shape
    place = block_place(block, blocks)
    most = _count_passes(basins.labels, rows, columns)
    side, other = np.empty(most, np.int64), np.empty(most, np.int64)
    # Nodes are the labels, and after them every cell of the ring around the block.
    one, two = np.empty(most, np.int32), np.empty(most, np.int32)
    height, slope = np.empty(most, np.float64), np.empty(most, np.float64)
    count = _list_passes(surface, basins.labels, place, _Passes(side, other, one, two, height, slope))
    order = np.lexsort((np.arange(count), -slope[:count], height[:count]))
    nodes = basins.end.size + surface.size
    kept = np.sort(find_spanning_forest(one[:count], two[:count], order, nodes))
    beyond = two[kept] >= basins.end.size
    end_of_other = np.where(beyond, BEYOND, basins.end[np.where(beyond, 0, two[kept])])
    rim = rim_of(block.shape)
    ends = basins.end[1:]
    way = directions.ravel()[local_cells(ends, block, blocks)]
    return {
        "end": ends,
        "end_way": way,
        "end_target": targets_of(ends, way, blocks),
        "rim": land_cells(rim, block, blocks),
        "rim_end": basins.end[basins.labels[rim]],
        "pass_side": side[kept],
        "pass_other": other[kept],
        "pass_side_end": basins.end[one[kept]],
        "pass_other_end": end_of_other,
        "pass_height": height[kept],
        "pass_slope": slope[kept],
    }


def targets_of(cells: Cells, ways: npt.NDArray[np.uint8], blocks: Blocks) -> Cells:
    """Return the cells to which cells drain.

    Parameters
    ----------
    cells : ndarray of int64, shape (n,)
        Numbers in the land.
    ways : ndarray of uint8, shape (n,)
        Their directions.

    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    ndarray of int64, shape (n,)
        Numbers in the land; `NOWHERE` for pits and outlets.
    """
    steps = np.append(flat_steps(blocks.columns), [0, 0])
    return np.where(ways < OUTLET, cells + steps[ways], NOWHERE)


def carve_block(directions: npt.NDArray[np.uint8], block: Block, blocks: Blocks, cells: Cells, ways: Array) -> None:
    """Turn around the paths that lead from a pass down to its pit, as far as they run through a block, in place.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        From `find_block_directions`.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.
    cells : ndarray of int64, shape (n,)
        Cells of the block in which paths begin, by their numbers in the land.
    ways : ndarray of uint8, shape (n,)
        New directions of these cells.

    References
    ----------
    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019
    """
    row, column = np.divmod(cells, blocks.columns)
    _turn_around(directions, row - block.first_row, column - block.first_column, ways, ROW_STEP, COLUMN_STEP)


class _Passes(NamedTuple):
    """Pairs of cells on both sides of a watershed: their numbers in the land, their nodes, height and slope."""

    side: Array
    other: Array
    one: Array
    two: Array
    height: Array
    slope: Array


@kernel
def _steeper(drop: float, steepest: float, here: np.int32, direction: np.int32) -> tuple[float, np.int32]:
    """Return the larger of two slopes and its direction; of equal slopes the one that was found first."""
    return (drop, here) if drop > steepest else (steepest, direction)


@parallel_kernel
def _find_descent(part: Part, surface: Array, place: BlockPlace, sea_level: float, directions: Array) -> None:
    """Set the direction of each cell: straight ways come before diagonal ones that are as steep."""
    rows, columns = directions.shape
    for row in portion(part, rows):
        north_most = place.first_row + row == place.land_rows - 1
        outer = place.first_row + row == 0 or north_most
        south, level, north = surface[row], surface[row + 1], surface[row + 2]
        for column in range(columns):
            edge = place.first_column + column
            height = level[column + 1]
            if outer or edge == 0 or edge == place.land_columns - 1 or height <= sea_level:
                directions[row, column] = OUTLET
                continue
            steepest, way = height - level[column + 2], np.int32(0)
            steepest, way = _steeper(height - north[column + 1], steepest, np.int32(2), way)
            steepest, way = _steeper(height - level[column], steepest, np.int32(4), way)
            steepest, way = _steeper(height - south[column + 1], steepest, np.int32(6), way)
            steepest, way = _steeper((height - north[column + 2]) * INVERSE_DIAGONAL, steepest, np.int32(1), way)
            steepest, way = _steeper((height - north[column]) * INVERSE_DIAGONAL, steepest, np.int32(3), way)
            steepest, way = _steeper((height - south[column]) * INVERSE_DIAGONAL, steepest, np.int32(5), way)
            steepest, way = _steeper((height - south[column + 2]) * INVERSE_DIAGONAL, steepest, np.int32(7), way)
            if steepest == 0.0:
                way = _way_on_level_ground(surface, row, column, place)
            elif steepest < 0.0:
                way = np.int32(PIT)
            directions[row, column] = way


@kernel
def _turn_inward(surface: Array, place: BlockPlace, sea_level: float, closed: Array, directions: Array) -> None:
    """Let water flow on from closed cells of the border, as `flow.inflows.turn_inward` does."""
    columns = directions.shape[1]
    for cell in closed:
        row, column = cell // columns, cell % columns
        height = surface[row + 1, column + 1]
        if height <= sea_level:
            continue
        steepest, way = 0.0, np.int64(PIT)
        for k in range(8):
            i, j = row + ROW_STEP[k], column + COLUMN_STEP[k]
            if 0 <= place.first_row + i < place.land_rows and 0 <= place.first_column + j < place.land_columns:
                slope = (height - surface[i + 1, j + 1]) / DISTANCE[k]
                if slope > steepest:
                    steepest, way = slope, np.int64(k)
        directions[row, column] = way


@kernel
def _way_on_level_ground(surface: Array, row: int, column: int, place: BlockPlace) -> np.int32:
    """Return the direction to the equally high neighbour with the lowest random number, if that is below the own."""
    here = surface[row + 1, column + 1]
    lowest = _rank(place.first_row + row, place.first_column + column, place.land_columns)
    way = np.int32(PIT)
    for k in range(8):
        i, j = row + ROW_STEP[k], column + COLUMN_STEP[k]
        if surface[i + 1, j + 1] == here:
            rank = _rank(place.first_row + i, place.first_column + j, place.land_columns)
            if rank < lowest:
                lowest, way = rank, np.int32(k)
    return way


@kernel
def _rank(row: int, column: int, land_columns: int) -> int:
    """Return a random number of a cell that no other cell has."""
    return int((np.int64(hash_place(row, column, np.uint32(0))) << 31) ^ ((row * land_columns + column) & 0x7FFFFFFF))


@kernel
def _label(directions: Array, steps: Array, labels: Array, ends: Array, path: Array) -> int:
    """Follow the flow of each cell to its end and label the whole path; return the number of labels."""
    rows, columns = directions.shape
    flat = directions.ravel()
    count = 1
    for cell in range(flat.size):
        labels[cell] = -1
        way = flat[cell]
        if way == OUTLET:
            labels[cell] = 0
            continue
        is_end = way == PIT
        if not is_end:
            i, j = cell // columns + ROW_STEP[way], cell % columns + COLUMN_STEP[way]
            is_end = i < 0 or i >= rows or j < 0 or j >= columns
        if is_end:
            labels[cell] = count
            ends[count - 1] = cell
            count += 1
    for start in range(flat.size):
        cell, length = start, 0
        while labels[cell] < 0:
            path[length] = cell
            length += 1
            cell += steps[flat[cell]]
        label = labels[cell]
        for i in range(length):
            labels[path[i]] = label
    return count


@kernel
def _count_passes(labels: Array, rows: int, columns: int) -> int:
    """Return at least as many as there are pairs of cells on both sides of a watershed."""
    count = 2 * (rows + columns) * 4
    for row in range(rows):
        for column in range(columns):
            here = row * columns + column
            if column + 1 < columns:
                count += labels[here] != labels[here + 1]
            if row + 1 < rows:
                count += labels[here] != labels[here + columns]
                count += column > 0 and labels[here] != labels[here + columns - 1]
                count += column + 1 < columns and labels[here] != labels[here + columns + 1]
    return count


@kernel
def _list_passes(surface: Array, labels: Array, place: BlockPlace, passes: _Passes) -> int:
    """List pairs of neighbouring cells with different labels, and of rim cells with the cells beyond; return how many.

    Each pair of the land is listed by the block that holds its southern, or else its western cell.
    """
    side, other, one, two, heights, slopes = passes
    rows, columns = surface.shape[0] - 2, surface.shape[1] - 2
    nodes = labels.max() + 1
    count = 0
    for row in range(rows):
        for column in range(columns):
            here = labels[row * columns + column]
            height = surface[row + 1, column + 1]
            for k in range(4):
                # East, north-west, north, north-east.
                i = row if k == 0 else row + 1
                j = column + 1 if k == 0 else column + k - 2
                r, c = place.first_row + i, place.first_column + j
                if r >= place.land_rows or c < 0 or c >= place.land_columns:
                    continue
                within = i < rows and 0 <= j < columns
                there = labels[i * columns + j] if within else nodes + (i + 1) * (columns + 2) + j + 1
                if here == there:
                    continue
                beside = surface[i + 1, j + 1]
                side[count] = (place.first_row + row) * place.land_columns + place.first_column + column
                other[count] = np.int64(r) * place.land_columns + c
                one[count], two[count] = here, there
                heights[count] = max(height, beside)
                slopes[count] = abs(height - beside) * (INVERSE_DIAGONAL if k & 1 else np.float32(1.0))
                count += 1
    return count


@kernel
def _turn_around(
    directions: Array, rows: Array, columns: Array, ways: Array, row_step: Array, column_step: Array
) -> None:
    """Reverse directions from each cell down to its pit, or to where the path leaves the block."""
    for i in range(ways.size):
        row, column, way = rows[i], columns[i], ways[i]
        while 0 <= row < directions.shape[0] and 0 <= column < directions.shape[1]:
            before = directions[row, column]
            directions[row, column] = way
            if before == PIT:
                break
            row += row_step[before]
            column += column_step[before]
            way = (before + 4) & 7
