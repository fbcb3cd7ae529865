"""A grid that is turned against north, read as a grid with north up.

The grid with north up is the largest upright rectangle around the same middle that the turned one fills, so it has no
empty corners.

References
----------
Keys (1981), "Cubic Convolution Interpolation for Digital Image Processing", IEEE Transactions on Acoustics, Speech, and
Signal Processing 29 (6), 1153–1160, doi:10.1109/TASSP.1981.1163711.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .raster import Raster, Window, is_missing


class Axes(NamedTuple):
    """Where the next sample of a grid lies, in metres east and north.

    Attributes
    ----------
    column, row : tuple of float
        From a sample to the one in the next column, and to the one in the next row.
    """

    column: tuple[float, float]
    row: tuple[float, float]

    @property
    def is_turned(self) -> bool:
        """Whether columns do not run from south to north, nor from north to south."""
        return abs(self.row[0]) > _STRAIGHT * abs(self.row[1]) or abs(self.column[1]) > _STRAIGHT * abs(self.column[0])

    @property
    def is_north_up(self) -> bool:
        """Whether the first row is the northern one, and the first column the western one."""
        return not self.is_turned and self.column[0] > 0.0 > self.row[1]


def turn_north(raster: Raster, axes: Axes) -> Raster:
    """Return the same land as a grid with north up and square cells.

    Parameters
    ----------
    raster : Raster
        Heights, not a picture.
    axes : Axes
        How its rows and columns lie.

    Returns
    -------
    Raster
        Its cells are as wide as the shorter side of those of `raster`.  It gives float32, and NaN where heights miss.

    Raises
    ------
    ValueError
        If rows and columns lie on one line, or the land is too narrow for an upright rectangle.

    Notes
    -----
    Cubic convolution with a = −½ (Keys 1981): a plane stays a plane.  A height is missing if one of the 16 samples
    around it is.
    """
    to_samples = _inverse(axes)
    step = min(math.hypot(*axes.column), math.hypot(*axes.row))
    east, north = _half_sides(to_samples, 0.5 * (raster.columns - 1), 0.5 * (raster.rows - 1))
    # A sample that rounding moved just beyond the border counts.
    rows, columns = (int(2.0 * side / step + 1e-6) + 1 for side in (north, east))

    def read(window: Window) -> npt.NDArray[Any]:
        heights = np.empty((window.rows, window.columns), np.float32)
        # In blocks: around a long band the smallest window of the file would be most of the file.
        for row in range(0, window.rows, _BLOCK):
            for column in range(0, window.columns, _BLOCK):
                part = heights[row : row + _BLOCK, column : column + _BLOCK]
                e = (np.arange(part.shape[1]) + (window.column + column - 0.5 * (columns - 1))) * step
                n = (0.5 * (rows - 1) - (np.arange(part.shape[0]) + (window.row + row)))[:, np.newaxis] * step
                x = to_samples[0, 0] * e + to_samples[0, 1] * n + 0.5 * (raster.columns - 1)
                y = to_samples[1, 0] * e + to_samples[1, 1] * n + 0.5 * (raster.rows - 1)
                part[:] = _interpolate(raster, x, y)
        return heights

    return replace(raster, rows=rows, columns=columns, read=read, spacing=(step, step), missing=None)


# Smaller turns are rounding: a thousand samples later they are a thousandth of a sample.
_STRAIGHT = 1e-6
_BLOCK = 512


def _inverse(axes: Axes) -> npt.NDArray[np.float64]:
    """Return the matrix from metres east and north to columns and rows."""
    to_metres = np.array(axes, np.float64).T
    area = abs(float(np.linalg.det(to_metres)))
    if not area > _STRAIGHT * math.hypot(*axes.column) * math.hypot(*axes.row):
        raise ValueError("its place on Earth is damaged: its rows and columns lie on one line")
    return np.asarray(np.linalg.inv(to_metres), np.float64)


def _half_sides(to_samples: npt.NDArray[np.float64], columns: float, rows: float) -> tuple[float, float]:
    """Return half the sides of the largest upright rectangle in a turned one, in metres east and north.

    Corners (±a, ±b) are inside if |m₀₀| a + |m₀₁| b ≤ columns and |m₁₀| a + |m₁₁| b ≤ rows.  a b is largest in the
    middle of one of these lines, or where they cross.
    """
    lines = [(abs(m[0]), abs(m[1]), limit) for m, limit in zip(to_samples, (columns, rows))]
    places = [(0.5 * limit / p, 0.5 * limit / q) for p, q, limit in lines if p > 0.0 and q > 0.0]
    (p, q, c), (r, s, d) = lines
    if abs(p * s - q * r) > 0.0:
        places.append(((c * s - q * d) / (p * s - q * r), (p * d - c * r) / (p * s - q * r)))
    inside = [
        (a, b)
        for a, b in places
        if min(a, b) >= 0.0 and all(p * a + q * b <= limit * (1.0 + 1e-9) for p, q, limit in lines)
    ]
    return max(inside, key=lambda place: place[0] * place[1])


def _interpolate(
    raster: Raster, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> npt.NDArray[np.floating[Any]]:
    """Return heights between the samples of a raster, at columns `x` and rows `y`."""
    left, top = (np.clip(np.floor(p), 0, max(n - 2, 0)) for p, n in ((x, raster.columns), (y, raster.rows)))
    first = Window(max(int(top.min()) - 1, 0), max(int(left.min()) - 1, 0), 1, 1)
    window = replace(
        first,
        rows=min(int(top.max()) + 3, raster.rows) - first.row,
        columns=min(int(left.max()) + 3, raster.columns) - first.column,
    )
    values = raster.read(window)
    missing = None if raster.missing is None else is_missing(values, raster.missing)
    samples = values.astype(np.float64)
    if missing is not None:
        samples[missing] = np.nan
    if np.isinf(samples).any():
        raise ValueError("it holds heights that are infinite")
    # Beyond the border the surface goes on as a straight line.
    samples = _extended(_extended(samples).T).T
    columns, rows = (left - first.column).astype(np.intp) + 1, (top - first.row).astype(np.intp) + 1
    across, down = _weights(x - left), _weights(y - top)
    result = np.zeros(x.shape)
    for j in range(4):
        line = sum(across[i] * samples[rows + (j - 1), columns + (i - 1)] for i in range(4))
        result += down[j] * line
    return result


def _extended(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return rows with one more before and two more after them, on straight lines."""
    if len(samples) == 1:
        return np.repeat(samples, 4, axis=0)
    before, after = 2.0 * samples[0] - samples[1], 2.0 * samples[-1] - samples[-2]
    return np.concatenate([before[np.newaxis], samples, after[np.newaxis], after[np.newaxis]])


def _weights(t: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
    """Return the weights of four samples for a place between the second and the third (Keys 1981)."""
    return (
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    )
