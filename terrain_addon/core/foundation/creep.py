"""Linear diffusion of a field in steps of any length: ground that creeps, and values that are to be smooth.

References
----------
N. N. Yanenko (1971), "The Method of Fractional Steps", Springer, doi:10.1007/978-3-642-65108-3: rows first,
then columns.

L. H. Thomas (1949), "Elliptic problems in linear difference equations over a network", Watson Scientific Computing
Laboratory, Columbia University: elimination in a tridiagonal system.
"""

import math

import numpy as np

from .compilation import Array, Part, parallel_kernel, portion

# Columns that are eliminated side by side, so that the inner loop runs over whole vectors.
_COLUMNS_PER_BLOCK = 64


class Creep:
    """Linear diffusion of grids of one shape; it keeps its memory from step to step.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self._rows, self._columns = np.empty(shape[1]), np.empty(shape[0])

    def step(self, height: Array, spread: float) -> None:
        """Diffuse in place.

        Parameters
        ----------
        height : ndarray of float64, shape (rows, columns)
            Metres.
        spread : float
            D Δt / cell size², dimensionless, 0 or more; any value is stable.

        Raises
        ------
        ValueError
            If `spread` is not finite.
        """
        _eliminate(spread, self._rows)
        _eliminate(spread, self._columns)
        _diffuse_rows(height, spread, self._rows)
        _diffuse_columns(height, spread, self._columns)


def _eliminate(spread: float, pivots: Array) -> None:
    """Write the inverse pivots of (1 + 2λ) hᵢ − λ (hᵢ₋₁ + hᵢ₊₁) with no flux over the ends (Thomas 1949)."""
    count = pivots.size
    carried = 0.0
    for i in range(count):
        neighbours = (i > 0) + (i < count - 1)
        inverse = 1.0 / (1.0 + neighbours * spread - spread * carried)
        pivots[i] = inverse
        carried = spread * inverse
    if not math.isfinite(carried):
        raise ValueError(f"diffusivity · years / cell_size² = {spread!r} is not a finite number")


@parallel_kernel
def _diffuse_rows(part: Part, height: Array, spread: float, pivots: Array) -> None:
    """Solve along each row: eliminate from west to east, substitute back."""
    for row in portion(part, height.shape[0]):
        line = height[row]
        line[0] *= pivots[0]
        for i in range(1, line.size):
            line[i] = (line[i] + spread * line[i - 1]) * pivots[i]
        for i in range(line.size - 2, -1, -1):
            line[i] += spread * pivots[i] * line[i + 1]


@parallel_kernel
def _diffuse_columns(part: Part, height: Array, spread: float, pivots: Array) -> None:
    """Solve along each column: eliminate from south to north, substitute back."""
    rows, columns = height.shape
    for block in portion(part, -(-columns // _COLUMNS_PER_BLOCK)):
        west, east = block * _COLUMNS_PER_BLOCK, min((block + 1) * _COLUMNS_PER_BLOCK, columns)
        for column in range(west, east):
            height[0, column] *= pivots[0]
        for row in range(1, rows):
            for column in range(west, east):
                height[row, column] = (height[row, column] + spread * height[row - 1, column]) * pivots[row]
        for row in range(rows - 2, -1, -1):
            factor = spread * pivots[row]
            for column in range(west, east):
                height[row, column] += factor * height[row + 1, column]
