"""White noise: every cell of a lattice has a height of its own, independent of its neighbours.

    h(x, y) = base + height · uᵏ
    u = hash(⌊x / wavelength⌋, ⌊y / wavelength⌋, seed) in [0, 1)

where k is the attenuation.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Bits, Part, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .height_range import HeightRange, fill_range

# Far out on the plane a cell may hold many squares from side to side; up to so many are counted exactly.
_MOST_SQUARES = 2.0**20


@dataclass(frozen=True)
class WhiteNoise(HeightRange):
    """Roughness without any shape: every square of ground has its own random height."""

    wavelength: float = parameter(
        0.0,
        "Side of the squares; 0 gives every sample its own height, so that a finer grid shows another surface",
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 1000.0),
    )
    attenuation: float = parameter(
        1.0, "Exponent on the height: above 1 flattens low ground and keeps summits", limits=(1.0, 8.0), soft=(1.0, 4.0)
    )


def make_white_noise(grid: Grid, noise: WhiteNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights that are independent of one another, evenly distributed before they are attenuated.

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

    References
    ----------
    Wellons, C. (2018). Hash function prospector.  (The hash that stands for randomness, see `foundation.hashing`.)

    Examples
    --------
    >>> make_white_noise(Grid(1, 3, cell_size=300.0), WhiteNoise(height=1000.0), seed=1).astype(int).tolist()
    [[589, 840, 587]]
    """
    if not math.isfinite(time):
        raise ValueError(f"time = {time!r} s is not a finite number of seconds")
    # Squares so much smaller than the cells cannot be counted; samples differ as they do without squares.
    countable = noise.wavelength * _MOST_SQUARES > grid.cell_size
    step = grid.cell_size / noise.wavelength if countable else 1.0
    columns = np.floor((grid.first_column + np.arange(grid.columns)) * step).astype(np.int64)
    rows = np.floor((grid.first_row + np.arange(grid.rows)) * step).astype(np.int64)
    shape = np.array([noise.base_altitude, noise.height, noise.attenuation], np.float32)
    result = np.empty(grid.shape, np.float32)
    _fill(columns, rows, derive_seed(seed, Purpose.WHITE_NOISE), shape, result)
    return result


@parallel_kernel
def _fill(part: Part, columns: Array, rows: Array, seed: Bits, shape: Array, result: Array) -> None:
    """Write the heights of a share of the rows: a hash of the square in which each sample lies."""
    for row in portion(part, result.shape[0]):
        line = result[row]
        for i in range(line.size):
            line[i] = unit_float(hash_place(columns[i], rows[row], seed))
        fill_range(line, shape[0], shape[1], shape[2])
