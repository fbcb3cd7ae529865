"""The eight neighbours of a cell, counter-clockwise from the east."""

import math

import numpy as np
import numpy.typing as npt

ROW_STEP = np.array([0, 1, 1, 1, 0, -1, -1, -1], np.int64)
COLUMN_STEP = np.array([1, 1, 0, -1, -1, -1, 0, 1], np.int64)
DISTANCE = np.array([1.0, math.sqrt(2.0)] * 4, np.float32)
"""Distance to each neighbour in cells."""


def flat_steps(columns: int) -> npt.NDArray[np.int64]:
    """Return what to add to the flat index of a cell to come to each neighbour, in a grid of so many columns."""
    return ROW_STEP * columns + COLUMN_STEP
