"""What water collects within one block, and what the block tells of it to the graph that joins all blocks.

Amounts are whole numbers, cells or fractions of a cell's rain, so their sums do not depend on the order.

References
----------
Barnes, R. (2017). Parallel non-divergent flow accumulation for trillion cell digital elevation models on desktops or
clusters. Environmental Modelling & Software, 92, 202–212. doi:10.1016/j.envsoft.2017.02.022
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.stack_order import count_donors, sort_upstream
from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP, flat_steps
from ..foundation.terrain import Field
from .block_basins import NOWHERE, targets_of
from .blocks import Block, Blocks, Cells, land_cells, rim_of

Amounts = npt.NDArray[np.int64]
"""What is collected, in whole units."""


class BlockFlow(NamedTuple):
    """The flow of a block, in which no cell is a pit.

    Attributes
    ----------
    order : ndarray of int32, shape (cells,)
        Stack order: each cell comes after its receiver, if that lies in the block.
    receiver : ndarray of int32, shape (cells,)
        Flat index of the receiver within the block; −1 at outlets, −2 where it lies in another block.
    """

    order: npt.NDArray[np.int32]
    receiver: npt.NDArray[np.int32]


def order_block(directions: npt.NDArray[np.uint8]) -> BlockFlow:
    """Return the receivers of a block and its stack order.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        0 to 7, or `OUTLET`; without pits.

    Returns
    -------
    BlockFlow
    """
    order, receiver = np.empty(directions.size, np.int32), np.empty(directions.size, np.int32)
    _find_receivers(directions, flat_steps(directions.shape[1]), receiver)
    donors = np.empty(directions.size, np.uint8)
    count_donors(receiver, donors, None)
    sort_upstream(receiver, donors, order, None)
    return BlockFlow(order, receiver)


def collect(flow: BlockFlow, amounts: Amounts) -> None:
    """Add the amount of each cell to its receiver, upstream first, in place.

    Parameters
    ----------
    flow : BlockFlow
        From `order_block`.
    amounts : ndarray of int64, shape (cells,)
        The own amount of each cell, with what enters it from other blocks.
    """
    _collect(flow.order, flow.receiver, amounts)


def find_exits(flow: BlockFlow) -> npt.NDArray[np.int32]:
    """Return the flat index of the last cell of each cell's path within the block; −1 if that is an outlet.

    Parameters
    ----------
    flow : BlockFlow
        From `order_block`.

    Returns
    -------
    ndarray of int32, shape (cells,)
    """
    exits = np.empty(flow.order.size, np.int32)
    _find_exits(flow.order, flow.receiver, exits)
    return exits


def summarise_flow(
    directions: npt.NDArray[np.uint8], flow: BlockFlow, amounts: Amounts, block: Block, blocks: Blocks
) -> dict[str, Array]:
    """Return what the graph of exits must know of a block.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        Without pits.
    flow : BlockFlow
        From `order_block`.
    amounts : ndarray of int64, shape (cells,)
        After `collect`, with nothing from other blocks.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of str to ndarray
        ``exit``, ``exit_target``, ``exit_amount``: each cell that drains to another block, the cell to which it does,
        and how much leaves by it.  ``entry``, ``entry_exit``: each cell on the rim and the exit of its path, −1 if that
        ends at an outlet.
    """
    rim = rim_of(block.shape)
    leaving = rim[flow.receiver[rim] == -2]
    cells = land_cells(leaving, block, blocks)
    ends = find_exits(flow)[rim]
    return {
        "exit": cells,
        "exit_target": targets_of(cells, directions.ravel()[leaving], blocks),
        "exit_amount": amounts[leaving],
        "entry": land_cells(rim, block, blocks),
        "entry_exit": np.where(ends < 0, NOWHERE, land_cells(np.maximum(ends, 0), block, blocks)),
    }


class ExitGraph(NamedTuple):
    """How the exits of all blocks follow one another.

    Attributes
    ----------
    exit, target : ndarray of int64, shape (exits,)
        Cells that drain to another block, rising, and the cells to which they do.
    following : ndarray of int64, shape (exits,)
        Index of the exit to which the water of each comes next; −1 if it comes to an outlet first.
    order : ndarray of int64, shape (exits,)
        All exits, each after the one that follows it downstream.
    """

    exit: Cells
    target: Cells
    following: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]


def join_exits(summary: dict[str, Array]) -> ExitGraph:
    """Join the exits of all blocks.

    Parameters
    ----------
    summary : dict of str to ndarray
        From `summarise_flow` for every block, put together by `blocks.joined`, in any order.

    Returns
    -------
    ExitGraph
    """
    by_cell = np.argsort(summary["exit"])
    cell, target = summary["exit"][by_cell], summary["exit_target"][by_cell]
    next_cell = summary["entry_exit"][find_entries(target, summary["entry"])]
    following = np.where(next_cell == NOWHERE, -1, np.searchsorted(cell, next_cell)).astype(np.int64)
    order, donors = np.empty(cell.size, np.int64), np.empty(cell.size, np.int32)
    count_donors(following, donors, None)
    sort_upstream(following, donors, order, None)
    return ExitGraph(cell, target, following, order)


def find_entries(target: Cells, entry: Cells) -> npt.NDArray[np.int64]:
    """Return where in a summary the cells stand to which exits drain.

    Parameters
    ----------
    target : ndarray of int64, shape (exits,)
        The cell of another block to which each exit drains.
    entry : ndarray of int64, shape (entries,)
        Cells on the rims of all blocks, in any order; each target is one of them.

    Returns
    -------
    ndarray of int64, shape (exits,)
        The index in `entry` of each target.
    """
    if not target.size:
        return np.empty(0, np.int64)
    rim = np.argsort(entry)
    return rim[np.searchsorted(entry, target, sorter=rim)]


def collect_at_entries(graph: ExitGraph, summary: dict[str, Array]) -> tuple[Cells, Amounts]:
    """Return what enters each block from its neighbours.

    Parameters
    ----------
    graph : ExitGraph
        From `join_exits`.
    summary : dict of str to ndarray
        As for `join_exits`.

    Returns
    -------
    cells : ndarray of int64, shape (n,)
        Cells on rims, one for each exit that drains to it: a cell may be there more than once.
    amounts : ndarray of int64, shape (n,)
        How much enters by that exit.
    """
    amounts = summary["exit_amount"][np.argsort(summary["exit"])]
    _collect(graph.order, graph.following, amounts)
    return graph.target, amounts


def find_lowest(flow: BlockFlow, lowest: npt.NDArray[np.float64]) -> None:
    """Give each cell the lowest value of all cells that drain through it, and its own, in place.

    Parameters
    ----------
    flow : BlockFlow
        From `order_block`.
    lowest : ndarray of float64, shape (cells,)
        The own value of each cell, or what enters it from other blocks if that is lower.
    """
    _find_lowest(flow.order, flow.receiver, lowest)


def summarise_lowest(
    flow: BlockFlow, lowest: npt.NDArray[np.float64], block: Block, blocks: Blocks
) -> dict[str, Array]:
    """Return what the graph of exits must know of the lowest values of a block.

    Parameters
    ----------
    flow : BlockFlow
        From `order_block`.
    lowest : ndarray of float64, shape (cells,)
        After `find_lowest`, with nothing from other blocks.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of str to ndarray
        ``exit``: each cell that drains to another block; ``exit_lowest``: its value.
    """
    rim = rim_of(block.shape)
    leaving = rim[flow.receiver[rim] == -2]
    return {"exit": land_cells(leaving, block, blocks), "exit_lowest": lowest[leaving]}


def lowest_at_entries(graph: ExitGraph, summary: dict[str, Array]) -> tuple[Cells, npt.NDArray[np.float64]]:
    """Return the lowest value that enters each block from its neighbours.

    Parameters
    ----------
    graph : ExitGraph
        From `join_exits`.
    summary : dict of str to ndarray
        From `summarise_lowest` for every block, put together by `blocks.joined`, in any order.

    Returns
    -------
    cells : ndarray of int64, shape (n,)
        Cells on rims, one for each exit that drains to it: a cell may be there more than once.
    lowest : ndarray of float64, shape (n,)
        What enters by that exit.
    """
    lowest = summary["exit_lowest"][np.argsort(summary["exit"])]
    _find_lowest(graph.order, graph.following, lowest)
    return graph.target, lowest


def find_highest(flow: BlockFlow, highest: Field) -> None:
    """Give each cell the highest value of all cells through which it drains, and its own, in place.

    Parameters
    ----------
    flow : BlockFlow
        From `order_block`.
    highest : ndarray of float32, shape (cells,)
        The own value of each cell, or what lies downstream in other blocks if that is higher.
    """
    _find_highest(flow.order, flow.receiver, highest)


def summarise_highest(highest: Field, block: Block, blocks: Blocks) -> dict[str, Array]:
    """Return what the graph of exits must know of the highest values of a block.

    Parameters
    ----------
    highest : ndarray of float32, shape (cells,)
        After `find_highest`, with nothing from other blocks.
    block : Block
        Where the block lies.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of str to ndarray
        ``entry``: each cell on the rim; ``entry_highest``: its value.
    """
    rim = rim_of(block.shape)
    return {"entry": land_cells(rim, block, blocks), "entry_highest": highest[rim]}


def highest_beyond_exits(graph: ExitGraph, summary: dict[str, Array]) -> Field:
    """Return the highest value downstream of each exit.

    Parameters
    ----------
    graph : ExitGraph
        From `join_exits`.
    summary : dict of str to ndarray
        From `summarise_highest` for every block, put together by `blocks.joined`, in any order.

    Returns
    -------
    ndarray of float32, shape (exits,)
    """
    highest: Field = summary["entry_highest"][find_entries(graph.target, summary["entry"])]
    _find_highest(graph.order, graph.following, highest)
    return highest


@kernel
def _find_receivers(directions: Array, steps: Array, receiver: Array) -> None:
    rows, columns = directions.shape
    flat = directions.ravel()
    for cell in range(flat.size):
        way = flat[cell]
        if way == OUTLET:
            receiver[cell] = -1
            continue
        i, j = cell // columns + ROW_STEP[way], cell % columns + COLUMN_STEP[way]
        receiver[cell] = cell + steps[way] if 0 <= i < rows and 0 <= j < columns else -2


@kernel
def _collect(order: Array, receiver: Array, amounts: Array) -> None:
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        if receiver[cell] >= 0:
            amounts[receiver[cell]] += amounts[cell]


@kernel
def _find_lowest(order: Array, receiver: Array, lowest: Array) -> None:
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        if receiver[cell] >= 0:
            lowest[receiver[cell]] = min(lowest[receiver[cell]], lowest[cell])


@kernel
def _find_highest(order: Array, receiver: Array, highest: Array) -> None:
    for cell in order:
        if receiver[cell] >= 0:
            highest[cell] = max(highest[cell], highest[receiver[cell]])


@kernel
def _find_exits(order: Array, receiver: Array, exits: Array) -> None:
    for cell in order:
        below = receiver[cell]
        if below >= 0:
            exits[cell] = exits[below]
        else:
            exits[cell] = -1 if below == -1 else cell
