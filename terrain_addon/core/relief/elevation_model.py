"""Measured land as a relief: a digital elevation model, sampled smoothly at any resolution."""

from dataclasses import dataclass

import numpy as np

from ..compilation import Array, kernel, parallel_kernel, prange
from ..parameters import ParameterSet, parameter
from ..terrain import Field, Grid
from .elevation import Elevation


@dataclass(frozen=True)
class ElevationModel(ParameterSet):
    """Real land from a file, stretched over the whole landscape."""

    path: str = parameter(
        "sample:big_tujunga",
        "File with heights (npz, npy, png), or sample:NAME for one that comes with the extension",
        kind="path",
    )
    exaggeration: float = parameter(1.0, "Factor on all heights", limits=(-100.0, 100.0), soft=(0.5, 3.0))
    lowest: float = parameter(
        0.0, "Altitude of black, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    highest: float = parameter(
        1000.0, "Altitude of white, for files that are pictures", unit="m", limits=(-12000.0, 12000.0), advanced=True
    )
    fill_holes: bool = parameter(True, "Whether holes in the data are closed smoothly, or refused", advanced=True)


def sample_elevation(grid: Grid, model: ElevationModel, elevation: Elevation) -> Field:
    """Return an elevation model sampled on a grid whose corners are its corners.

    Between samples the surface is the bicubic spline of Keys (1981), a = −½: it passes through every sample, its slope
    has no steps, and it reproduces planes exactly.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    model : ElevationModel
        Its exaggeration multiplies the heights.
    elevation : Elevation
        The data.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.
    """
    source = elevation.heights
    result = np.empty(grid.shape, np.float32)
    _resample(
        source, *(_stencil(n, m) for n, m in zip(grid.shape, source.shape)), np.float32(model.exaggeration), result
    )
    return result


def _stencil(samples: int, source: int) -> tuple[Array, Array]:
    """First of the four source samples and their weights, for each of `samples` evenly spread over `source` samples."""
    position = np.linspace(0.0, source - 1.0, samples)
    first = np.clip(np.floor(position), 0, max(source - 2, 0)).astype(np.int64)
    t = position - first
    weights = np.stack(
        [
            ((-0.5 * t + 1.0) * t - 0.5) * t,
            (1.5 * t - 2.5) * t * t + 1.0,
            ((-1.5 * t + 2.0) * t + 0.5) * t,
            (0.5 * t - 0.5) * t * t,
        ],
        axis=1,
    )
    return first - 1, weights.astype(np.float32)


@parallel_kernel
def _resample(
    source: Array, rows: tuple[Array, Array], columns: tuple[Array, Array], factor: np.float32, result: Array
) -> None:
    for row in prange(result.shape[0]):
        for column in range(result.shape[1]):
            total = np.float32(0.0)
            for j in range(4):
                across = np.float32(0.0)
                for i in range(4):
                    across += columns[1][column, i] * _beyond(source, rows[0][row] + j, columns[0][column] + i)
                total += rows[1][row, j] * across
            result[row, column] = factor * total


@kernel
def _beyond(source: Array, row: int, column: int) -> np.float32:
    """A source sample; outside the border the surface goes on as a straight line."""
    last_row, last_column = source.shape[0] - 1, source.shape[1] - 1
    r, c = min(max(row, 0), last_row), min(max(column, 0), last_column)
    value = source[r, c]
    if row != r and last_row > 0:
        value += source[r, c] - source[2 * r - row if 0 <= 2 * r - row <= last_row else r, c]
    if column != c and last_column > 0:
        value += source[r, c] - source[r, 2 * c - column if 0 <= 2 * c - column <= last_column else c]
    return value
