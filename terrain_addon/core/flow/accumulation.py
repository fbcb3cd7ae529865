"""Drainage area by multiple flow directions (Freeman 1991; Quinn, Beven, Chevallier & Planchon 1991)."""

import numpy as np
import numpy.typing as npt

from ..compilation import Array, kernel, parallel_kernel, prange
from ..neighbours import COLUMN_STEP, ROW_STEP
from ..terrain import Field


def accumulate_flow(surface: Field, cell_size: float) -> npt.NDArray[np.float64]:
    """Return how much land drains through each cell.

    Every cell starts with its own area.  From high to low each gives all it has to its lower neighbours, in proportion
    to the height difference; a cell without lower neighbours keeps what it has.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.  Depressions are neither filled nor breached.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Drainage area in m², at least the area of one cell.  Over the cells without a lower neighbour it adds up to the
        area of the land.
    """
    donors = np.empty(surface.shape, np.int8)
    _count_donors(surface, donors, ROW_STEP, COLUMN_STEP)
    area = np.full(surface.shape, cell_size * cell_size)
    waiting = np.empty(surface.size, np.int32)
    _pour(surface, donors, area, waiting, ROW_STEP, COLUMN_STEP)
    return area


@parallel_kernel
def _count_donors(surface: Array, donors: Array, row_step: Array, column_step: Array) -> None:
    rows, columns = surface.shape
    for row in prange(rows):
        for column in range(columns):
            higher = 0
            for k in range(8):
                r, c = row + row_step[k], column + column_step[k]
                if 0 <= r < rows and 0 <= c < columns and surface[r, c] > surface[row, column]:
                    higher += 1
            donors[row, column] = higher


@kernel
def _pour(surface: Array, donors: Array, area: Array, waiting: Array, row_step: Array, column_step: Array) -> None:
    """Visit cells in an order in which every donor comes first (Kahn 1962); `waiting` is the stack."""
    rows, columns = surface.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            if donors[row, column] == 0:
                waiting[count] = row * columns + column
                count += 1
    while count > 0:
        count -= 1
        row, column = waiting[count] // columns, waiting[count] % columns
        height = surface[row, column]
        drop = 0.0
        for k in range(8):
            r, c = row + row_step[k], column + column_step[k]
            if 0 <= r < rows and 0 <= c < columns and surface[r, c] < height:
                drop += height - surface[r, c]
        for k in range(8):
            r, c = row + row_step[k], column + column_step[k]
            if 0 <= r < rows and 0 <= c < columns and surface[r, c] < height:
                area[r, c] += area[row, column] * ((height - surface[r, c]) / drop)
                donors[r, c] -= 1
                if donors[r, c] == 0:
                    waiting[count] = r * columns + c
                    count += 1
