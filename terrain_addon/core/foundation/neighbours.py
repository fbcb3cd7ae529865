"""The eight neighbours of a cell, counter-clockwise from the east."""

import math

import numpy as np
import numpy.typing as npt

ROW_STEP = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)
"""Rows from a cell to each neighbour."""

COLUMN_STEP = np.array([1, 1, 0, -1, -1, -1, 0, 1], np.int64)
"""Columns from a cell to each neighbour."""

DISTANCE = np.array([1.0, math.sqrt(2.0)] * 4, np.float32)
"""Distance to each neighbour in cells."""


def flat_steps(columns: int) -> npt.NDArray[np.int64]:
    """Return what to add to the flat index of a cell to get that of each neighbour.

    Parameters
    ----------
    columns : int
        Columns of the grid.

    Returns
    -------
    ndarray of int64, shape (8,)
        Counter-clockwise from the east.

    Examples
    --------
    >>> flat_steps(10).tolist()
    [1, 11, 10, 9, -1, -11, -10, -9]
    """
    return ROW_STEP * columns + COLUMN_STEP
