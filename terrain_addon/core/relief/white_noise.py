"""White noise: every cell of a lattice has a height of its own, and knows nothing of its neighbours."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .height_range import HeightRange, fill_range
from .lattice import checked_points, checked_seed

# What the seed is derived for.


@dataclass(frozen=True)
class WhiteNoise(HeightRange):
    """Roughness without any shape: every square of ground has a height of its own."""

    wavelength: float = parameter(
        0.0,
        "Side of the squares; 0 gives every sample its own height, so that a finer grid shows other land",
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 1000.0),
    )
    attenuation: float = parameter(
        1.0, "Exponent on the height: above 1 plains flatten and summits stay", limits=(1.0, 8.0), soft=(1.0, 4.0)
    )


def make_white_noise(grid: Grid, noise: WhiteNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights that know nothing of one another, evenly distributed before they are attenuated.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : WhiteNoise
        Size of the squares, range of heights.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds; white noise stands still.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.
    """
    if not math.isfinite(time):
        raise ValueError(f"time = {time!r} s is not a finite number of seconds")
    step = grid.cell_size / noise.wavelength if noise.wavelength > 0.0 else 1.0
    columns = np.floor((grid.first_column + np.arange(grid.columns)) * step).astype(np.int64)
    rows = np.floor((grid.first_row + np.arange(grid.rows)) * step).astype(np.int64)
    shape = np.array([noise.base_altitude, noise.height, noise.attenuation], np.float32)
    result = np.empty(grid.shape, np.float32)
    _fill(columns, rows, derive_seed(seed, Purpose.WHITE_NOISE), shape, result)
    return result


def white_noise(x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return white noise at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells, of any sign; all points of a cell have one value.  Broadcast against one another.
    seed : int
        0 to 2³² − 1.

    Returns
    -------
    ndarray of float64
        Evenly distributed in [0, 1).

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰, or the seed is out of range.
    """
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty(xs.size)
    _evaluate(xs, ys, checked_seed(seed), result)
    return result.reshape(shape)


@kernel
def _evaluate(x: Array, y: Array, seed: Bits, result: Array) -> None:
    for i in range(x.size):
        result[i] = unit_float(hash_place(np.int64(np.floor(x[i])), np.int64(np.floor(y[i])), seed))


@parallel_kernel
def _fill(part: Part, columns: Array, rows: Array, seed: Bits, shape: Array, result: Array) -> None:
    for row in portion(part, result.shape[0]):
        line = result[row]
        for i in range(line.size):
            line[i] = unit_float(hash_place(columns[i], rows[row], seed))
        fill_range(line, shape[0], shape[1], shape[2])
