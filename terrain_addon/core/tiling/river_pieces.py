"""Rivers of a land in blocks: each block traces pieces of rivers, and a graph joins them to whole rivers.

A piece ends where rivers meet and at the rim of its block.  Which pieces follow each other depends on the land alone,
so the rivers are the same however the land is cut.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.rivers import SHORTEST
from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP
from .blocks import Block, Blocks, Cells, land_cells

_NOTHING = -1


class RiverPieces(NamedTuple):
    """The pieces of rivers in one block, or in many one after the other.

    Attributes
    ----------
    length : ndarray of int64, shape (pieces,)
        Cells of each piece.
    head, tail : ndarray of int64, shape (pieces,)
        First and last cell downstream, as numbers in the land.
    below : ndarray of int64, shape (pieces,)
        The cell to which the last one drains; −1 where the water leaves.
    above : ndarray of int64, shape (pieces,)
        Of the cells that drain to the first one, that with the largest drainage area; −1 at a source.
    """

    length: Cells
    head: Cells
    tail: Cells
    below: Cells
    above: Cells


def trace_pieces(
    flow: Array, drainage: Array, around: Block, block: Block, blocks: Blocks, river_source: float
) -> tuple[RiverPieces, npt.NDArray[np.int64]]:
    """Return the pieces of rivers in a block.

    Parameters
    ----------
    flow : ndarray of uint8, shape (rows, columns)
        Direction of the water under `around`, 0 to 7 counter-clockwise from the east, 8 where it leaves.
    drainage : ndarray of float32, shape (rows, columns)
        m², under `around`.
    around : Block
        The block and its neighbouring samples, as far as the land reaches.
    block : Block
        Any piece of the land.
    blocks : Blocks
        All blocks of the land.
    river_source : float
        Drainage area in m² at which a river begins.

    Returns
    -------
    pieces : RiverPieces
    cells : ndarray of int64, shape (cells,)
        Flat indices within the block, piece after piece, downstream.
    """
    south, west = block.first_row - around.first_row, block.first_column - around.first_column
    missing = (
        (1 - south, 1 + south + block.rows - around.rows),
        (1 - west, 1 + west + block.columns - around.columns),
    )
    flows = np.pad(flow, missing, constant_values=OUTLET)
    areas = np.pad(drainage, missing, constant_values=-np.inf)
    donors, main = np.zeros(areas.shape, np.uint8), np.zeros(areas.shape, np.uint8)
    channel = _find_donors(flows, areas, river_source, donors, main)
    cells, table = np.empty(channel, np.int64), np.empty((channel, 7), np.int64)
    count = _walk(flows, areas, river_source, donors, main, cells, table)
    length, head_row, head_column, below_row, below_column, above_row, above_column = table[:count].T
    first = np.cumsum(length) - length

    def in_land(row: Cells, column: Cells) -> Cells:
        number = (row + block.first_row) * blocks.columns + column + block.first_column
        return np.where(row == _FAR, _NOTHING, number)

    tail = land_cells(cells[first + length - 1], block, blocks)
    below, above = in_land(below_row, below_column), in_land(above_row, above_column)
    return RiverPieces(length, in_land(head_row, head_column), tail, below, above), cells


_FAR = -9


@kernel
def _find_donors(flow: Array, area: Array, river_source: float, donors: Array, main: Array) -> int:
    """Count the cells of rivers that drain to each, and find the direction to the largest; return how many there are.

    Of two that are equally large it is the one with the smaller number in the land.
    """
    channel = 0
    for row in range(1, area.shape[0] - 1):
        for column in range(1, area.shape[1] - 1):
            if not area[row, column] >= river_source:
                continue
            channel += 1
            best_row, best_column = row, column
            for k in range(8):
                r, c = row + ROW_STEP[k], column + COLUMN_STEP[k]
                if not (area[r, c] >= river_source and flow[r, c] == (k + 4) % 8):
                    continue
                better = donors[row, column] == 0 or area[r, c] > area[best_row, best_column]
                if area[r, c] == area[best_row, best_column]:
                    better = better or r < best_row or (r == best_row and c < best_column)
                if better:
                    best_row, best_column = r, c
                    main[row, column] = k
                donors[row, column] += 1
    return channel


@kernel
def _walk(flow: Array, area: Array, river_source: float, donors: Array, main: Array, cells: Array, table: Array) -> int:
    """Walk down each piece; return how many there are.  Rows and columns of the table count from the block's corner."""
    rows, columns = area.shape[0] - 2, area.shape[1] - 2
    count, filled = 0, 0
    for first_row in range(1, rows + 1):
        for first_column in range(1, columns + 1):
            if not area[first_row, first_column] >= river_source:
                continue
            k = main[first_row, first_column]
            r, c = first_row + ROW_STEP[k], first_column + COLUMN_STEP[k]
            within = 1 <= r <= rows and 1 <= c <= columns
            if donors[first_row, first_column] == 1 and within:
                continue
            table[count, 1], table[count, 2] = first_row - 1, first_column - 1
            table[count, 5], table[count, 6] = r - 1, c - 1
            if donors[first_row, first_column] == 0:
                table[count, 5], table[count, 6] = _FAR, _FAR
            row, column, begin = first_row, first_column, filled
            while True:
                cells[filled] = (row - 1) * columns + column - 1
                filled += 1
                table[count, 3], table[count, 4] = _FAR, _FAR
                k = flow[row, column]
                if k >= 8:
                    break
                row, column = row + ROW_STEP[k], column + COLUMN_STEP[k]
                if not (1 <= row <= rows and 1 <= column <= columns) or donors[row, column] != 1:
                    table[count, 3], table[count, 4] = row - 1, column - 1
                    break
            table[count, 0] = filled - begin
            count += 1
    return count


class RiverNetwork(NamedTuple):
    """Whole rivers, each a row of pieces from its source to its mouth; a river comes after the one that it joins.

    Attributes
    ----------
    first : ndarray of int64, shape (rivers + 1,)
        River i has the pieces from ``first[i]`` to before ``first[i + 1]``.
    piece : ndarray of int64
        Numbers of pieces, downstream.
    joins : ndarray of int64, shape (rivers,)
        Number of the river in which it ends; −1 at the border or in the sea.
    joins_at : ndarray of int64, shape (rivers,)
        The piece at whose first cell it ends; −1 as above.
    order : ndarray of uint8, shape (rivers,)
        Strahler order where it ends.
    """

    first: Cells
    piece: Cells
    joins: Cells
    joins_at: Cells
    order: npt.NDArray[np.uint8]


def join_pieces(pieces: RiverPieces) -> RiverNetwork:
    """Join pieces to whole rivers, as `flow.rivers.trace_rivers` does in memory.

    Where rivers meet, the one with the larger drainage area continues.  A river that is shorter than 4 cells and that
    no longer one joins is left out.

    Parameters
    ----------
    pieces : RiverPieces
        Of all blocks.

    Returns
    -------
    RiverNetwork
        Those that end at the border or in the sea come first, sorted by their last cell; then those that join them;
        and so on.

    References
    ----------
    Strahler, A. N. (1957). Quantitative analysis of watershed geomorphology. Transactions, American Geophysical Union,
    38(6), 913–920. doi:10.1029/TR038i006p00913
    """
    below, main = _index_of(pieces.head, pieces.below), _index_of(pieces.tail, pieces.above)
    goes_on = (below != _NOTHING) & (main[below] == np.arange(below.size))
    mouths = np.flatnonzero(~goes_on)
    river = np.full(main.size, _NOTHING)
    _follow_up(mouths, main, river)
    joined = np.where(below[mouths] == _NOTHING, _NOTHING, river[below[mouths]])
    depth = np.where(joined == _NOTHING, 0, _NOTHING)
    while (depth == _NOTHING).any():
        ready = (depth == _NOTHING) & (depth[joined] != _NOTHING)
        depth[ready] = depth[joined[ready]] + 1
    rank = np.lexsort((pieces.tail[mouths], depth))
    mouths, joined = mouths[rank], _renumbered(joined[rank], rank)
    first, piece = np.zeros(mouths.size + 1, np.int64), np.empty(main.size, np.int64)
    _gather(mouths, main, first, piece)
    order = np.zeros(mouths.size, np.uint8)
    _strahler(first, piece, below, np.zeros(below.size, np.uint8), np.zeros(below.size, np.bool_), order)
    length = np.add.reduceat(pieces.length[piece], first[:-1]) if mouths.size else np.empty(0, np.int64)
    kept = length >= SHORTEST
    _keep_joined(joined, kept)
    number = np.flatnonzero(kept)
    sizes = np.diff(first)
    joins = _renumbered(joined[number], number, joined.size)
    return RiverNetwork(
        np.append(0, np.cumsum(sizes[number])),
        piece[np.repeat(kept, sizes)],
        joins,
        np.where(joins == _NOTHING, _NOTHING, below[mouths[number]]),
        order[number],
    )


def _index_of(cells: Cells, wanted: Cells) -> Cells:
    """Return where each wanted cell is among cells; −1 where it is not asked for."""
    sorter = np.argsort(cells)
    found = sorter[np.minimum(np.searchsorted(cells, wanted, sorter=sorter), cells.size - 1)] if cells.size else cells
    return np.where(wanted == _NOTHING, _NOTHING, found)


def _renumbered(values: Cells, order: Cells, count: int | None = None) -> Cells:
    """Return numbers of things after they have been sorted or selected; −1 stays."""
    new = np.full((order.size if count is None else count) + 1, _NOTHING)
    new[order] = np.arange(order.size)
    return new[values]


@kernel
def _follow_up(mouths: Array, main: Array, river: Array) -> None:
    """Write the river of each piece."""
    for number in range(mouths.size):
        piece = mouths[number]
        while piece >= 0:
            river[piece] = number
            piece = main[piece]


@kernel
def _gather(mouths: Array, main: Array, first: Array, pieces: Array) -> None:
    """Write the pieces of each river, from its source to its mouth, and where those of each river begin."""
    for number in range(mouths.size):
        length, piece = 0, mouths[number]
        while piece >= 0:
            length += 1
            piece = main[piece]
        first[number + 1] = first[number] + length
        place, piece = first[number + 1] - 1, mouths[number]
        while piece >= 0:
            pieces[place] = piece
            place -= 1
            piece = main[piece]


@kernel
def _strahler(first: Array, pieces: Array, below: Array, highest: Array, several: Array, order: Array) -> None:
    """Write the Strahler order of each river at its mouth; tributaries come after their river.

    `highest` is the highest order that joins a piece so far, and `several` whether more than one river has it.
    """
    for river in range(first.size - 2, -1, -1):
        here = np.uint8(0)
        for i in range(first[river], first[river + 1]):
            piece = pieces[i]
            if here == highest[piece]:
                here += np.uint8(1)
            elif here < highest[piece]:
                here = highest[piece] + np.uint8(several[piece])
        order[river] = here
        into = below[pieces[first[river + 1] - 1]]
        if into >= 0:
            several[into] = here == highest[into] or (several[into] and here < highest[into])
            highest[into] = max(highest[into], here)


@kernel
def _keep_joined(joined: Array, kept: Array) -> None:
    """Keep also the rivers that are joined by one that is kept; tributaries come after their river."""
    for river in range(joined.size - 1, -1, -1):
        if kept[river] and joined[river] >= 0:
            kept[joined[river]] = True
