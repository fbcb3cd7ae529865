"""What octaves add to a surface on average: it stands for those that a grid is too coarse to show.

A plain sum of octaves loses nothing but detail where fine ones are left out.  Folded sums and multifractals sink,
because their octaves have a mean.  Here each missing octave is replaced by its expected value, given the coarser
octaves at the same place.  So a preview has the heights of the final land, less its detail.

The expectations are our own.  The sums are those of `sum_rules`.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .sum_rules import BILLOW, HETERO, HYBRID, RIDGED, RIDGED_MULTIFRACTAL, SMOOTH, SWISS, SumRule

# Entries of a table over what coarser octaves have left, and the least that they can have left in it.
_ENTRIES = 257
_LEAST_CARRY = -2.0

# Mean of n² |∇n|² of gradient noise with unit vectors and the quintic fade, scaled to [−1, 1], per cell².
_SQUARED_STEP = np.float32(0.1176)

_NOTHING = np.empty(0, np.float32)

Samples = npt.NDArray[np.float64]
"""Values of noise, each as frequent as the others."""


class ExpectedOctaves(NamedTuple):
    """What the octaves add that a grid cannot show, in the form that kernels take.

    Attributes
    ----------
    factor, level : float
        The sum is multiplied by the first, then the second is added, for kinds of sums that need no more.
    table : ndarray of float32, shape (entries,)
        What is added for each value that the coarser octaves have left; empty for kinds of sums that leave nothing.
    lowest, per_entry : numpy.float32
        The value of the first entry, and entries per unit.
    amplitudes : ndarray of float32
        Of the octaves themselves, for the kinds that need them one by one.
    fold, square : numpy.float32
        Means of |n| and n².
    """

    factor: float
    level: float
    table: Array
    lowest: np.float32
    per_entry: np.float32
    amplitudes: Array
    fold: np.float32
    square: np.float32


def nothing_expected() -> ExpectedOctaves:
    """Return what is expected of no octaves.

    Returns
    -------
    ExpectedOctaves
    """
    zero, one = np.float32(0.0), np.float32(1.0)
    return ExpectedOctaves(1.0, 0.0, _NOTHING, zero, one, _NOTHING, zero, zero)


def expect_octaves(rule: SumRule, shown: int, hidden: npt.NDArray[np.float64], samples: Samples) -> ExpectedOctaves:
    """Return what octaves add on average, given those before them.

    Parameters
    ----------
    rule : SumRule
        How octaves are combined.
    shown : int
        How many octaves come before.
    hidden : ndarray of float64
        Amplitudes of the octaves that are not shown.
    samples : ndarray of float64
        Values of the noise, each as frequent as the others.

    Returns
    -------
    ExpectedOctaves
        Exact for plain and folded sums and for hetero terrain; interpolated in a table for the other multifractals.
        Sums that slopes damp are expected to go on from their present slopes.
    """
    expected = nothing_expected()
    if not hidden.size:
        return expected
    mean, fold, square = (_mean(values) for values in (samples, np.abs(samples), samples * samples))
    total = math.fsum(hidden)
    if rule.kind in (SMOOTH, BILLOW, RIDGED):
        each = {SMOOTH: mean, BILLOW: fold, RIDGED: 1.0 - fold}[rule.kind]
        return expected._replace(level=total * each)
    if rule.kind == HETERO:
        first, rest = (1, hidden) if shown else (mean + rule.offset, hidden[1:])
        grown = first * math.prod(1.0 + a * (mean + rule.offset) for a in rest)
        return expected._replace(factor=grown) if shown else expected._replace(level=grown)
    if rule.kind in (RIDGED_MULTIFRACTAL, HYBRID):
        lowest = 0.0 if rule.kind == RIDGED_MULTIFRACTAL else _LEAST_CARRY
        per_entry = np.float32((_ENTRIES - 1) / (1.0 - lowest))
        return expected._replace(
            table=_table(rule, hidden, samples, lowest), lowest=np.float32(lowest), per_entry=per_entry
        )
    return expected._replace(amplitudes=hidden.astype(np.float32), fold=np.float32(fold), square=np.float32(square))


def _mean(values: Samples) -> float:
    return math.fsum(values) / len(values)


def _table(rule: SumRule, hidden: npt.NDArray[np.float64], samples: Samples, lowest: float) -> npt.NDArray[np.float32]:
    """Return the expected sum of all hidden octaves for each weight of the first, from the last octave backwards."""
    weights = np.linspace(lowest, 1.0, _ENTRIES)
    added = np.zeros(_ENTRIES)
    for a in hidden[::-1]:
        if rule.kind == RIDGED_MULTIFRACTAL:
            signals = np.multiply.outer((rule.offset - np.abs(samples)) ** 2, weights)
            after, terms = np.clip(rule.strength * signals, 0.0, 1.0), a * signals
        else:
            terms = a * np.multiply.outer(samples + rule.offset, weights)
            after = np.minimum(terms, 1.0)
        # Along the first axis numpy adds one row to another, in the same order everywhere.
        added = (terms + np.interp(after, weights, added)).sum(axis=0) / len(samples)
    return added.astype(np.float32)


@kernel
def add_expected_octaves(
    kind: int, shown: int, expected: ExpectedOctaves, settings: Array, lines: Array, count: int
) -> None:
    """Add to the sum what octaves are expected to add that are not shown, for kinds where it differs with the place.

    Parameters
    ----------
    kind : int
        How octaves are combined; see `SumRule`.
    shown : int
        How many octaves have been added.
    expected : ExpectedOctaves
        What is known of the others.
    settings : ndarray of float32
        Offset and strength of the rule come first.
    lines : ndarray of float32, shape (7, n)
        The state of a line of samples, after the octaves that are shown: noise, two derivatives, sum, what the octaves
        leave to the next, and two sums of derivatives.  The sum is changed.
    count : int
        Samples of the line.
    """
    total, carry, sum_x, sum_y = lines[3, :count], lines[4, :count], lines[5, :count], lines[6, :count]
    strength = settings[1]
    zero, one = np.float32(0.0), np.float32(1.0)
    if expected.table.size > 0:
        table, last = expected.table, np.int64(expected.table.size - 2)
        scale = strength if kind == RIDGED_MULTIFRACTAL else one
        for i in range(count):
            weight = one if shown == 0 else min(carry[i] * scale, one)
            place = max((weight - expected.lowest) * expected.per_entry, zero)
            k = min(np.int64(place), last)
            total[i] += table[k] + (place - np.float32(k)) * (table[k + 1] - table[k])
    elif kind == SWISS:
        for octave in range(expected.amplitudes.size):
            a = expected.amplitudes[octave] * (one - expected.fold)
            is_first = shown + octave == 0
            for i in range(count):
                weight = one if is_first else carry[i]
                total[i] += a * weight
                carry[i] = weight * min(max(total[i], zero), one)
    else:
        for octave in range(expected.amplitudes.size):
            a = expected.amplitudes[octave] * expected.square
            # Each octave that is not shown moves the sum of slopes in a random direction.  Of 1 / (1 + r²) that leaves
            # on average, as a diffusion of the first order in the mean square q of the way, 1 / (1 + r² + q c).
            wandered = np.float32(octave) * _SQUARED_STEP
            for i in range(count):
                square = sum_x[i] * sum_x[i] + sum_y[i] * sum_y[i]
                spread = wandered * (one - square) / (one + square)
                total[i] += a * (one if shown + octave == 0 else one - strength / (one + square + spread))
