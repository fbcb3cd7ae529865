"""How a source that is made of octaves becomes heights: place the octaves, choose the fastest way, combine them."""

from collections.abc import Callable, Iterator

import numpy as np

from ..foundation.terrain import Field, Grid
from .bases import LATTICE_BASES, BasisChoice, new_basis
from .lattice_rows import sum_rows
from .octave_sums import SMOOTH, SumRule, combine_octaves
from .octaves import OctaveNoise, OctaveUse, place_octaves
from .warping import pull_of

# Rows at a time, so that the pull needs no memory for the whole grid.
_STRIP_ROWS = 256

_GRADIENT_NOISE = BasisChoice()


def make_octave_noise(
    grid: Grid,
    noise: OctaveNoise,
    seed: int,
    time: float,
    rule: SumRule,
    choice: BasisChoice = _GRADIENT_NOISE,
    use: OctaveUse = OctaveUse.SURFACE,
) -> Field:
    """Return the heights of octaves of noise.

    Parameters
    ----------
    grid : Grid
        Where to sample.  Octaves that it cannot show (see `octaves.shown_octaves`) are left out.
    noise : OctaveNoise
        Shape of the octaves, the pull sideways, and the range of heights.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds.
    rule : SumRule
        How the octaves are combined.
    choice : BasisChoice
        Which noise they are made of.
    use : OctaveUse
        What the sum is for.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.
    """
    octaves = place_octaves(grid, noise, seed, time, use)
    in_space = noise.speed != 0.0
    shape = (noise.base_altitude, noise.height, noise.attenuation)
    if rule.kind == SMOOTH and choice.name in LATTICE_BASES and noise.warp == 0.0:
        # A plain sum along rows: the weights bring it from its range to [−½, ½].
        basis = new_basis(choice, octaves, octaves.amplitudes * (0.5 / rule.highest), in_space=in_space)
        return sum_rows(grid, octaves, basis, shape)
    basis = new_basis(choice, octaves, 1.0, in_space=in_space)
    if noise.warp == 0.0:
        return combine_octaves(grid, octaves, basis, rule, shape)
    return in_strips(
        grid, lambda strip: combine_octaves(strip, octaves, basis, rule, shape, pull_of(strip, noise, seed, time))
    )


def in_strips(grid: Grid, make: Callable[[Grid], Field]) -> Field:
    """Return the heights of a grid, made a few rows at a time to save memory.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    make : callable
        Returns the heights of a piece of the grid; no height may depend on how large the piece is.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        What `make` returned, side by side.
    """
    if grid.rows <= _STRIP_ROWS:
        return make(grid)
    result = np.empty(grid.shape, np.float32)
    for strip, rows in _strips(grid):
        result[rows] = make(strip)
    return result


def _strips(grid: Grid) -> Iterator[tuple[Grid, slice]]:
    """Yield the pieces of a grid from south to north, each with its rows."""
    for first in range(0, grid.rows, _STRIP_ROWS):
        last = min(first + _STRIP_ROWS, grid.rows)
        yield grid.window(first, 0, last - first, grid.columns), slice(first, last)
