"""Domain warping (Perlin 1985; Quilez 2002): land is sampled at points that noise has pulled sideways."""

from collections.abc import Callable, Iterator

import numpy as np

from ..foundation.terrain import Field, Grid
from .bases import Basis, new_basis
from .lattice_rows import sum_rows
from .octave_sums import Sum, combine_octaves
from .octaves import OctaveNoise, Octaves, amplitude_sum, place_octaves

# The two directions of the pull, as purposes of a seed.
_EAST, _NORTH = 1, 2
_OCTAVES = 3

# Rows at a time, so that the pull needs no maps of its own.
_STRIP = 256


def pull_of(grid: Grid, noise: OctaveNoise, seed: int, time: float) -> tuple[Field, Field]:
    """Return how far to the east and north of each sample its height is taken from.

    Returns
    -------
    pair of ndarray of float32, shape (rows, columns)
        Metres, each within ± `noise.warp`.
    """
    coarse = OctaveNoise(
        wavelength=noise.warp_wavelength,
        octaves=_OCTAVES,
        period=round(noise.period * noise.wavelength / noise.warp_wavelength),
        speed=noise.speed,
        drift_east=noise.drift_east,
        drift_north=noise.drift_north,
    )

    def direction(purpose: int) -> Field:
        octaves = place_octaves(grid, coarse, seed, time, purpose)
        weights = octaves.amplitudes * (0.5 / amplitude_sum(coarse))
        basis = new_basis("gradient", octaves, weights, in_space=noise.speed != 0.0)
        return sum_rows(grid, octaves, basis, (-noise.warp, 2.0 * noise.warp, 1.0))

    return direction(_EAST), direction(_NORTH)


def combine_warped(
    grid: Grid, noise: OctaveNoise, seed: int, time: float, octaves: Octaves, basis: Basis, combined: Sum
) -> Field:
    """Return heights of a sum of octaves, pulled sideways if the noise asks for it.

    Parameters
    ----------
    grid, noise, seed, time
        What is to be sampled where and when.
    octaves, basis, combined
        What the sum consists of; see `combine_octaves`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.
    """
    shape = (noise.base_altitude, noise.height, noise.attenuation)
    if noise.warp == 0.0:
        return combine_octaves(grid, octaves, basis, combined, shape)
    return in_strips(
        grid, lambda strip: combine_octaves(strip, octaves, basis, combined, shape, pull_of(strip, noise, seed, time))
    )


def in_strips(grid: Grid, make: Callable[[Grid], Field]) -> Field:
    """Return the heights of a grid, made a few rows at a time."""
    if grid.rows <= _STRIP:
        return make(grid)
    result = np.empty(grid.shape, np.float32)
    for strip, rows in _strips(grid):
        result[rows] = make(strip)
    return result


def _strips(grid: Grid) -> Iterator[tuple[Grid, slice]]:
    for first in range(0, grid.rows, _STRIP):
        last = min(first + _STRIP, grid.rows)
        yield grid.window(first, 0, last - first, grid.columns), slice(first, last)
