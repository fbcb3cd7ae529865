"""Stems listed by square cells of the ground, so that neighbours are found without looking at the whole land.

References
----------
Bentley, J. L. & Friedman, J. H. (1979).  Data structures for range searching.  ACM Computing Surveys 11(4), 397-409.
doi:10.1145/356789.356797
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel


class StemCells(NamedTuple):
    """Stems listed cell after cell; those of cell c are ``order[first[c]:first[c + 1]]``.

    Attributes
    ----------
    per_metre : float
        Cells per metre.
    rows, columns : int
        Number of cells from south to north and from west to east.
    first : ndarray of int64, shape (rows × columns + 1,)
        Where each cell begins in the list.
    order : ndarray of int64, shape (stems,)
        Numbers of the stems.
    """

    per_metre: float
    rows: int
    columns: int
    first: Array
    order: Array


def sort_into_cells(x: Array, y: Array, least: float, width: float, depth: float) -> StemCells:
    """List stems by cells.

    Parameters
    ----------
    x, y : ndarray of float32, shape (stems,)
        Metres east and north, within the land.
    least : float
        Least width of a cell in metres.  Cells are wider where there would be more of them than stems.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    StemCells
    """
    # More cells than stems would only cost memory.
    cell = max(least, math.sqrt(width * depth / max(x.size, 1)))
    rows, columns = int(depth / cell) + 1, int(width / cell) + 1
    first, order = np.zeros(rows * columns + 1, np.int64), np.empty(x.size, np.int64)
    cells = StemCells(1.0 / cell, rows, columns, first, order)
    _list_by_cell(x, y, cells)
    return cells


@kernel
def _list_by_cell(x: Array, y: Array, cells: StemCells) -> None:
    """List stems cell after cell, by counting."""
    per_metre, _, columns, first, order = cells
    for p in range(x.size):
        first[int(y[p] * per_metre) * columns + int(x[p] * per_metre)] += 1
    for c in range(1, first.size):
        first[c] += first[c - 1]
    # `first` holds where each cell ends; listing moves that to its beginning.
    for p in range(x.size - 1, -1, -1):
        c = int(y[p] * per_metre) * columns + int(x[p] * per_metre)
        first[c] -= 1
        order[first[c]] = p
