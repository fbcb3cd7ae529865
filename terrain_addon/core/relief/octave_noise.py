"""How a source that is made of octaves becomes heights: place the octaves, choose the fastest way, combine them."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ..foundation.terrain import Field, Grid
from .bases import LATTICE_BASES, BasisChoice, new_basis
from .expected_octaves import ExpectedOctaves, Samples, expect_octaves, nothing_expected
from .lattice_rows import sum_rows
from .octave_sums import combine_octaves
from .octaves import OctaveNoise, Octaves, OctaveUse, Waves, place_octaves, waves_of
from .sum_rules import DAMPED, SMOOTH, SumRule
from .warping import pull_of

# Rows at a time, so that the pull needs no memory for the whole grid.
_STRIP_ROWS = 256

_GRADIENT_NOISE = BasisChoice()

# What is known of the values of a noise: the means of this many groups of its values on a square of samples.  The
# distance of the samples is no simple share of a wave, so that they are spread evenly over the cells.
_GROUPS = 128
_SAMPLES = Grid(1024, 1024, 0.6180339887498949)
_ONE_WAVE = Waves(1.4, 1, 2.0, 1.0, 0, 0.0, 0.0, 0.0)


def make_octave_noise(
    grid: Grid,
    noise: OctaveNoise,
    seed: int,
    time: float,
    rule: SumRule,
    choice: BasisChoice = _GRADIENT_NOISE,
    use: OctaveUse = OctaveUse.SURFACE,
    waves: Waves | None = None,
) -> Field:
    """Return the heights of octaves of noise.

    Parameters
    ----------
    grid : Grid
        Where to sample.  Octaves that it cannot show (see `octaves.shown_octaves`) count with what they are expected to
        add.
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
    waves : Waves, optional
        Other waves than those of the source.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.
    """
    octaves = place_octaves(grid, waves or waves_of(noise), seed, time, use)
    shape = (noise.base_altitude, noise.height, noise.attenuation)
    if rule.kind == SMOOTH and choice.name in LATTICE_BASES and noise.warp == 0.0:
        # A plain sum along rows: the weights bring it from its range to [−½, ½].
        basis = new_basis(choice, octaves, octaves.amplitudes * (0.5 / rule.highest))
        return sum_rows(grid, octaves, basis, shape)
    basis, expected = new_basis(choice, octaves, 1.0), _expected(rule, octaves, choice)
    if noise.warp == 0.0:
        return combine_octaves(grid, octaves, basis, rule, expected, shape)
    return in_strips(
        grid,
        lambda strip: combine_octaves(strip, octaves, basis, rule, expected, shape, pull_of(strip, noise, seed, time)),
    )


def _expected(rule: SumRule, octaves: Octaves, choice: BasisChoice) -> ExpectedOctaves:
    """Return what the octaves are expected to add that are not shown."""
    # Noise with slopes is as often below 0 as above; so are its octaves, damped or not.
    balanced = rule.kind == DAMPED or (rule.kind == SMOOTH and choice.name != "cellular")
    if balanced or not octaves.hidden.size:
        return nothing_expected()
    return expect_octaves(rule, octaves.seeds.size, octaves.hidden, samples_of(choice))


@lru_cache
def samples_of(choice: BasisChoice) -> Samples:
    """Return values that one octave of a noise takes.

    Parameters
    ----------
    choice : BasisChoice
        Which noise.

    Returns
    -------
    ndarray of float64, shape (values,)
        Each is as frequent as the others, from the lowest to the highest, within [−1, 1].
    """
    octaves = place_octaves(_SAMPLES, _ONE_WAVE, 0, 0.0)
    shape = (-1.0, 2.0, 1.0)
    if choice.name in LATTICE_BASES:
        noise = sum_rows(_SAMPLES, octaves, new_basis(choice, octaves, 0.5), shape)
    else:
        rule, basis = SumRule(SMOOTH, -1.0, 1.0), new_basis(choice, octaves, 1.0)
        noise = combine_octaves(_SAMPLES, octaves, basis, rule, nothing_expected(), shape)
    return np.sort(noise, axis=None).reshape(_GROUPS, -1).astype(np.float64).mean(axis=1)


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
    for strip, rows in grid.strips(_STRIP_ROWS):
        result[rows] = make(strip)
    return result
