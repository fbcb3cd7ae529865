"""Midpoint displacement of a square (Fournier, Fussell & Carpenter 1982)."""

from dataclasses import dataclass

import numpy as np

from ..compilation import Array, Bits, kernel, parallel_kernel, prange
from ..hashing import derive_seed, hash_place, unit_float
from ..parameters import parameter
from ..terrain import Field, Grid
from .height_range import HeightRange


@dataclass(frozen=True)
class MidpointDisplacement(HeightRange):
    """A square is split again and again, every new point nudged up or down."""

    smoothness: float = parameter(
        0.9,
        "Hurst exponent H: nudges shrink by 2⁻ᴴ at every split, so 0 is gravel and 1 soft hills",
        limits=(0.0, 2.0),
        soft=(0.5, 1.2),
    )


def displace_midpoints(grid: Grid, displacement: MidpointDisplacement, seed: int) -> Field:
    """Return heights by midpoint displacement of the smallest square of 2ⁿ + 1 points that holds the grid.

    The four corners start at random in [−r, r].  Each square's side midpoints are the mean of their two ends, its
    centre the mean of its four corners, each plus a random number in [−r, r]; then r shrinks by 2^−H.  Every midpoint
    is displaced once (the published program visits shared sides twice), by a hash of seed, level and place.  The sum of
    all nudges is known beforehand and scales the result.

    Parameters
    ----------
    grid : Grid
        Any size; the square is cut to it at its south-west corner.
    displacement : MidpointDisplacement
        Shape of the land.
    seed : int
        0 to 2³¹ − 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.
    """
    levels = max(1, int(np.ceil(np.log2(max(grid.rows, grid.columns, 2) - 1))) if max(grid.shape) > 2 else 0)
    side = 2**levels
    shrink = 2.0**-displacement.smoothness
    reaches = [shrink**level for level in range(levels + 1)]
    # A midpoint is a mean of earlier points plus a nudge: no point is further from 0 than the sum of all reaches.
    scale = 0.5 * displacement.height / sum(reaches)
    middle = displacement.base_altitude + 0.5 * displacement.height

    square = np.empty((side + 1, side + 1), np.float32)
    _set_corners(square, np.float32(scale), np.float32(middle), derive_seed(seed, 2, 0))
    for level in range(levels):
        step = side >> level
        reach = np.float32(scale * reaches[level + 1])
        _displace_level(square, step, reach, derive_seed(seed, 2, level + 1))
    return np.ascontiguousarray(square[: grid.rows, : grid.columns])


@kernel
def _nudge(row: int, column: int, reach: np.float32, seed: Bits) -> np.float32:
    return reach * (np.float32(2.0) * unit_float(hash_place(row, column, seed)) - np.float32(1.0))


@kernel
def _set_corners(square: Array, reach: np.float32, middle: np.float32, seed: Bits) -> None:
    for row in range(2):
        for column in range(2):
            square[-row, -column] = middle + _nudge(row, column, reach, seed)


@parallel_kernel
def _displace_level(square: Array, step: int, reach: np.float32, seed: Bits) -> None:
    """Fill in the midpoints of all squares of side `step`; points are numbered in half steps."""
    half = step // 2
    points = (square.shape[0] - 1) // half + 1
    for i in prange(points):
        row = i * half
        if i % 2 == 0:
            for j in range(1, points, 2):
                column = j * half
                mean = np.float32(0.5) * (square[row, column - half] + square[row, column + half])
                square[row, column] = mean + _nudge(i, j, reach, seed)
        else:
            south, north = square[row - half], square[row + half]
            for j in range(points):
                column = j * half
                if j % 2 == 0:
                    mean = np.float32(0.5) * (south[column] + north[column])
                else:
                    mean = np.float32(0.25) * (
                        (south[column - half] + south[column + half]) + (north[column - half] + north[column + half])
                    )
                square[row, column] = mean + _nudge(i, j, reach, seed)
