"""The fixed blocks into which a large land is cut: all that is computed is computed block by block.

A tile is a whole number of blocks.  So whatever the tiles are, the same sums are made of the same numbers in the same
order, and bytes cannot depend on the tiling.

>>> blocks = Blocks(rows=200, columns=130, side=64)
>>> blocks.down, blocks.across
(3, 2)
>>> blocks.at(2, 1)
Block(first_row=128, first_column=64, rows=72, columns=66)
>>> blocks.holding(np.array([129 * 130 + 7, 63 * 130 + 129])).tolist()
[4, 1]
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array

Cells = npt.NDArray[np.int64]
"""Numbers of cells of the whole land: ``row * columns + column``."""


class Block(NamedTuple):
    """Where a block lies.

    Attributes
    ----------
    first_row, first_column : int
        Its south-west sample, counted from that of the land.
    rows, columns : int
        How many samples it has.
    """

    first_row: int
    first_column: int
    rows: int
    columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.rows, self.columns

    def grown(self, margin: int) -> "Block":
        """Return the block with a margin on all sides, which may lie beyond the land.

        Parameters
        ----------
        margin : int
            Samples, 0 or more.

        Returns
        -------
        Block
        """
        return Block(
            self.first_row - margin, self.first_column - margin, self.rows + 2 * margin, self.columns + 2 * margin
        )


class Blocks(NamedTuple):
    """All blocks of a land.  The last of a row or column also has what is too narrow for a block of its own.

    Attributes
    ----------
    rows, columns : int
        Samples of the land.
    side : int
        Samples along a side of a block, 2 or more.
    """

    rows: int
    columns: int
    side: int

    @property
    def down(self) -> int:
        """How many blocks there are from south to north."""
        return max(self.rows // self.side, 1)

    @property
    def across(self) -> int:
        """How many blocks there are from west to east."""
        return max(self.columns // self.side, 1)

    def at(self, row: int, column: int) -> Block:
        """Return a block.

        Parameters
        ----------
        row, column : int
            Its place among the blocks, from 0 in the south and west.

        Returns
        -------
        Block
        """
        last_row, last_column = row == self.down - 1, column == self.across - 1
        south, west = row * self.side, column * self.side
        return Block(
            south, west, self.rows - south if last_row else self.side, self.columns - west if last_column else self.side
        )

    def holding(self, cells: Cells) -> Cells:
        """Return the number of the block that holds each cell.

        Parameters
        ----------
        cells : ndarray of int64, shape (n,)
            Numbers of cells of the land.

        Returns
        -------
        ndarray of int64, shape (n,)
            ``row * across + column`` of the block.
        """
        row = np.minimum(cells // self.columns // self.side, self.down - 1)
        return row * self.across + np.minimum(cells % self.columns // self.side, self.across - 1)


class BlockPlace(NamedTuple):
    """A block in its land, as kernels take it.

    Attributes
    ----------
    first_row, first_column : int
        Its south-west sample.
    land_rows, land_columns : int
        Samples of the land.
    """

    first_row: int
    first_column: int
    land_rows: int
    land_columns: int


def block_place(block: Block, blocks: Blocks) -> BlockPlace:
    """Return where a block lies, as kernels take it.

    Parameters
    ----------
    block : Block
        One of the blocks.
    blocks : Blocks
        All of them.

    Returns
    -------
    BlockPlace
    """
    return BlockPlace(block.first_row, block.first_column, blocks.rows, blocks.columns)


def rim_of(shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Return the cells on the rim of a block.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns) of the block.

    Returns
    -------
    ndarray of int64, shape (n,)
        Flat indices within the block, rising.
    """
    inside = np.ones(shape, np.bool_)
    inside[1:-1, 1:-1] = False
    return np.flatnonzero(inside)


def land_cells(local: Array, block: Block, blocks: Blocks) -> Cells:
    """Return the numbers in the land of cells of a block.

    Parameters
    ----------
    local : ndarray of int, shape (n,)
        Flat indices within the block.
    block : Block
        The block.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    row, column = np.divmod(local.astype(np.int64), block.columns)
    return (row + block.first_row) * blocks.columns + column + block.first_column


def local_cells(cells: Cells, block: Block, blocks: Blocks) -> Cells:
    """Return the flat indices within a block of cells of the land; the reverse of `land_cells`.

    Parameters
    ----------
    cells : ndarray of int64, shape (n,)
        Numbers in the land; all must lie in the block.
    block : Block
        The block.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    row, column = np.divmod(cells, blocks.columns)
    return (row - block.first_row) * block.columns + column - block.first_column


def places_in(cells: Cells, block: Block, blocks: Blocks) -> npt.NDArray[np.bool_]:
    """Return which cells of the land lie in a block.

    Parameters
    ----------
    cells : ndarray of int64, shape (n,)
        Numbers in the land.
    block : Block
        The block.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    row, column = np.divmod(cells, blocks.columns)
    row, column = row - block.first_row, column - block.first_column
    is_here: npt.NDArray[np.bool_] = (row >= 0) & (row < block.rows) & (column >= 0) & (column < block.columns)
    return is_here


def cells_in(cells: Cells, block: Block, blocks: Blocks) -> Cells:
    """Return the flat indices within a block of those cells of the land that lie in it.

    Parameters
    ----------
    cells : ndarray of int64, shape (n,)
        Numbers in the land.
    block : Block
        The block.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    ndarray of int64
    """
    return local_cells(cells[places_in(cells, block, blocks)], block, blocks)


def joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Put the summaries of several blocks one after the other.

    Parameters
    ----------
    parts : sequence of mapping of str to ndarray
        All with the same names.

    Returns
    -------
    dict of str to ndarray
        By the same names.
    """
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def cut_by_block(answers: Mapping[str, Array], blocks: Blocks) -> dict[int, dict[str, Array]]:
    """Give each block its share of what was found for cells.

    Parameters
    ----------
    answers : mapping of str to ndarray, shape (n, …)
        With one named ``cell``: numbers of cells in the land.
    blocks : Blocks
        All blocks of the land.

    Returns
    -------
    dict of int to dict of str to ndarray
        By the number of the block, in the order of the cells; blocks that have none are left out.
    """
    order = np.lexsort((answers["cell"], blocks.holding(answers["cell"])))
    numbers = blocks.holding(answers["cell"][order])
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(starts[1:], numbers.size)
    return {
        int(numbers[start]): {name: values[order[start:end]] for name, values in answers.items()}
        for start, end in zip(starts, ends)
    }
