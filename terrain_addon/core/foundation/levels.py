"""Coarser grids over the same ground: a land takes its large shape on a coarse grid and its detail on finer ones.

>>> shapes_from_coarse((513, 513))
[(129, 129), (257, 257), (513, 513)]
>>> print(coarsen(np.array([[0.0, 0.0, 8.0, 0.0, 0.0]], np.float32), (1, 3)))
[[0. 4. 0.]]
"""

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import numpy.typing as npt

from .compilation import Array, Part, in_this_thread, parallel_kernel, portion
from .resampling import resample
from .terrain import Field

# Cells along the longer side of the coarsest grid, the same for every resolution, so that all start from one shape.
_COARSEST_CELLS = 128
# A grid with fewer cells across has no room for valleys.
_FEWEST_CELLS_ACROSS = 32
# A grid is left out if the next finer one has less than this many times its cells along the longer side.
_LEAST_REFINEMENT = 1.25
# Cells of the smallest grid on which several threads are quicker than one: measured.
_FEWEST_FOR_THREADS = 20_000


def shapes_from_coarse(shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the shapes of the grids of a coarse-to-fine sequence.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns of the finest grid, each 1 or more.

    Returns
    -------
    list of tuple of int
        From coarse to fine, twice as many cells along each side from one to the next; the last is `shape`.  A narrow
        land begins on a finer grid, so that it has at least 32 cells across.
    """
    longer, shorter = max(shape) - 1, min(shape) - 1
    shapes = []
    cells = _COARSEST_CELLS
    while cells * _LEAST_REFINEMENT < longer:
        if shorter * cells >= _FEWEST_CELLS_ACROSS * longer:
            rows, columns = (round((side - 1) * cells / longer) + 1 for side in shape)
            shapes.append((rows, columns))
        cells *= 2
    return [*shapes, shape]


def is_small(cells: int) -> bool:
    """Return whether threads would wait for one another most of the time of a step on a grid.

    Parameters
    ----------
    cells : int
        Of the grid.

    Returns
    -------
    bool
    """
    return cells < _FEWEST_FOR_THREADS


def threads_for(cells: int) -> AbstractContextManager[None]:
    """Let several threads work on a step of erosion; on a small grid they would wait for one another most of the time.

    Parameters
    ----------
    cells : int
        Of the grid.

    Returns
    -------
    context manager
        In which the step is to be made.
    """
    return in_this_thread() if is_small(cells) else nullcontext()


def coarsen(field: Field, shape: tuple[int, int]) -> Field:
    """Return means over the cells of a coarser grid over the same ground, corner to corner.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
        Values in any unit.
    shape : tuple of int
        Rows and columns of the result, each at most as many as the field has.

    Returns
    -------
    ndarray of float32, shape `shape`
        Weighted means.  The weights fall linearly to zero at the neighbouring samples, so detail that is too fine for
        the grid does not alias.
    """
    if field.shape == shape:
        return field
    for count in shape:
        first, weights = _tent_weights(field.shape[0], count)
        result = np.empty((count, field.shape[1]), np.float32)
        _average(field, first, weights, result)
        field = np.ascontiguousarray(result.T)
    return field


def refine(field: Field, shape: tuple[int, int]) -> Field:
    """Return a smooth field on another grid over the same ground, corner to corner.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
        Values in any unit.
    shape : tuple of int
        Rows and columns of the result.

    Returns
    -------
    ndarray of float32, shape `shape`
        Values within the range of the field.
    """
    if field.shape == shape:
        return field
    rows, columns = (np.linspace(0.0, before - 1.0, after) for before, after in zip(field.shape, shape))
    return resample(field, rows, columns, 1.0, (float(field.min()), float(field.max())))


def _tent_weights(samples: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the first sample under the tent of each new sample, and the weights of it and of those that follow."""
    if count == samples:
        return np.arange(count), np.ones((count, 1), np.float32)
    position = np.linspace(0.0, samples - 1.0, count)
    half = (samples - 1.0) / (count - 1.0) if count > 1 else float(samples)
    width = min(2 * int(np.ceil(half)) + 1, samples)
    first = np.clip(np.ceil(position - half).astype(np.int64), 0, samples - width)
    weights = np.maximum(1.0 - np.abs(first[:, np.newaxis] + np.arange(width) - position[:, np.newaxis]) / half, 0.0)
    return first, (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


@parallel_kernel
def _average(part: Part, source: Array, first: Array, weights: Array, result: Array) -> None:
    """Sum the weighted rows of the source under each row of the result."""
    for row in portion(part, result.shape[0]):
        line = result[row]
        line[:] = np.float32(0.0)
        for k in range(weights.shape[1]):
            weight, other = weights[row, k], source[first[row] + k]
            for column in range(line.size):
                line[column] += weight * other[column]
