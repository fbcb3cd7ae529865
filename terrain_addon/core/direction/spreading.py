"""Spreading: a change that is fixed on lines goes over smoothly into the land beside them.

The change u solves ∇²u = κ²u with u fixed on the lines, so it falls off as exp(−κ · distance) beside one line, and
where lines are close to one another each keeps its height.  The solver begins on a coarse grid and refines the solution
from grid to grid, O(cells).

>>> fixed = np.full((5, 33), np.nan, np.float32)
>>> fixed[:, 16] = 8.0
>>> spread(fixed, np.full((5, 33), 3.0, np.float32))[2, 10:17].astype(float).round(1).tolist()
[0.4, 0.7, 1.3, 2.2, 3.5, 5.4, 8.0]

References
----------
H. Hnaidi, E. Guérin, S. Akkouche, A. Peytavie and E. Galin (2010), "Feature based terrain generation using diffusion
equation", Computer Graphics Forum 29(7), 2179-2186, doi:10.1111/j.1467-8659.2010.01806.x.

F. A. Bornemann and P. Deuflhard (1996), "The cascadic multigrid method for elliptic problems", Numerische Mathematik
75, 135-152, doi:10.1007/s002110050234: from coarse to fine only.
"""

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.levels import is_small
from ..foundation.terrain import Field

_COARSEST = 9
# Sweeps on the finest grid, and how many more on each coarser one.
_SWEEPS, _MORE, _MOST_SWEEPS = 12, 12, 60


def spread(fixed: Field, reach: Field) -> Field:
    """Return a smooth field with given values in some cells.

    Parameters
    ----------
    fixed : ndarray of float32, shape (rows, columns)
        The values; NaN in cells that are free.
    reach : ndarray of float32, shape (rows, columns)
        Distance in cells, above 0, within which the field falls to 1/e.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        The fixed values where they are given; elsewhere between them and 0.
    """
    grids = [(fixed, reach)]
    while min(grids[-1][0].shape) > 2 * _COARSEST:
        grids.append(_coarser(*grids[-1]))
    result = np.zeros(grids[-1][0].shape, np.float32)
    for level in range(len(grids) - 1, -1, -1):
        values, distance = grids[level]
        if result.shape != values.shape:
            finer = np.empty(values.shape, np.float32)
            _refine(result, finer)
            result = finer
        held = np.isnan(values)
        result = np.where(held, result, values)
        damping = np.float32(1.0) / (distance * distance)
        sweeps = min(_SWEEPS + _MORE * level, _MOST_SWEEPS)
        if is_small(result.size):
            _relax_alone(result, held, damping, sweeps)
            continue
        for sweep in range(2 * sweeps):
            _relax(result, held, damping, sweep % 2)
    return result


def _coarser(fixed: Field, reach: Field) -> tuple[Field, Field]:
    """The same on a grid with half as many cells: a cell is fixed at the mean of the fixed cells around it."""
    shape = ((fixed.shape[0] + 1) // 2, (fixed.shape[1] + 1) // 2)
    values, distance = np.empty(shape, np.float32), np.empty(shape, np.float32)
    _halve(fixed, reach, values, distance)
    return values, distance


@parallel_kernel
def _halve(part: Part, fixed: Array, reach: Array, values: Array, distance: Array) -> None:
    rows, columns = fixed.shape
    for row in portion(part, values.shape[0]):
        for column in range(values.shape[1]):
            total, count = np.float32(0.0), np.float32(0.0)
            for r in range(max(2 * row - 1, 0), min(2 * row + 2, rows)):
                for c in range(max(2 * column - 1, 0), min(2 * column + 2, columns)):
                    if fixed[r, c] == fixed[r, c]:
                        total += fixed[r, c]
                        count += np.float32(1.0)
            values[row, column] = total / count if count > 0.0 else np.float32(np.nan)
            distance[row, column] = np.float32(0.5) * reach[2 * row, 2 * column]


@parallel_kernel
def _refine(part: Part, coarse: Array, finer: Array) -> None:
    """Bilinear interpolation to the grid with twice as many cells."""
    rows, columns = coarse.shape
    for row in portion(part, finer.shape[0]):
        south, north = coarse[min(row // 2, rows - 1)], coarse[min((row + 1) // 2, rows - 1)]
        for column in range(finer.shape[1]):
            west, east = min(column // 2, columns - 1), min((column + 1) // 2, columns - 1)
            finer[row, column] = np.float32(0.25) * ((south[west] + south[east]) + (north[west] + north[east]))


@kernel
def _relax_alone(values: Array, free: Array, damping: Array, sweeps: int) -> None:
    """All sweeps in one thread: on small grids each call would take longer than its work."""
    for sweep in range(2 * sweeps):
        _relax((0, 1), values, free, damping, sweep % 2)


@parallel_kernel
def _relax(part: Part, values: Array, free: Array, damping: Array, colour: int) -> None:
    """One half of a red-black Gauss-Seidel sweep; nothing flows over the border."""
    rows, columns = values.shape
    for row in portion(part, rows):
        south, north = max(row - 1, 0), min(row + 1, rows - 1)
        for column in range((row + colour) % 2, columns, 2):
            if free[row, column]:
                west, east = max(column - 1, 0), min(column + 1, columns - 1)
                around = (values[south, column] + values[north, column]) + (values[row, west] + values[row, east])
                values[row, column] = around / (np.float32(4.0) + damping[row, column])
