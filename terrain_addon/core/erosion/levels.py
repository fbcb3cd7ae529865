"""Coarser grids over the same ground, so that a land takes shape in the large before it does in the small."""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.resampling import resample
from ..foundation.terrain import Field

# Cells along the longer side of the coarsest grid: the same for every resolution, so that all of them start alike.
_COARSEST = 128
# Thinner than this, a grid has no room for valleys.
_THINNEST = 32


def shapes_from_coarse(shape: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the shapes of the grids to go through: twice as many cells a side each time, the last is `shape` itself.

    Where a land is so narrow that the coarsest would have fewer than 32 cells across, it begins finer.
    """
    longer, shorter = max(shape) - 1, min(shape) - 1
    shapes = []
    cells = _COARSEST
    # A grid that is hardly coarser than the last is left out.
    while cells * 1.25 < longer:
        if shorter * cells >= _THINNEST * longer:
            rows, columns = (round((side - 1) * cells / longer) + 1 for side in shape)
            shapes.append((rows, columns))
        cells *= 2
    return [*shapes, shape]


def coarsen(field: Field, shape: tuple[int, int]) -> Field:
    """Return means over the cells of a coarser grid over the same ground, corner to corner.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
    shape : tuple of int
        Rows and columns of the result, each at most as many as the field has.

    Returns
    -------
    ndarray of float32, shape `shape`
        Weights fall linearly to zero at the neighbouring samples: detail too fine for the grid does not alias.
    """
    if field.shape == shape:
        return field
    for count in shape:
        first, weights = _tents(field.shape[0], count)
        result = np.empty((count, field.shape[1]), np.float32)
        _average(field, first, weights, result)
        field = np.ascontiguousarray(result.T)
    return field


def refine(field: Field, shape: tuple[int, int]) -> Field:
    """Return a smooth field on a finer grid over the same ground, corner to corner.

    Parameters
    ----------
    field : ndarray of float32, shape (rows, columns)
    shape : tuple of int
        Rows and columns of the result.

    Returns
    -------
    ndarray of float32, shape `shape`
        Between the samples of the field it swings by no more than its whole range allows.
    """
    if field.shape == shape:
        return field
    rows, columns = (np.linspace(0.0, coarse - 1.0, fine) for coarse, fine in zip(field.shape, shape))
    return resample(field, rows, columns, 1.0, (float(field.min()), float(field.max())))


def _tents(samples: int, count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """First sample under each tent, and the weights of those that follow."""
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
    for row in portion(part, result.shape[0]):
        line = result[row]
        line[:] = np.float32(0.0)
        for k in range(weights.shape[1]):
            weight, other = weights[row, k], source[first[row] + k]
            for column in range(line.size):
                line[column] += weight * other[column]
