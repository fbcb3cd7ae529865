"""Fields as sums of waves: the discrete Fourier transform, with the same bytes on every processor.

numpy's transform differs in its last bits between the versions of numpy that Blender brings, and between processors.
This one adds and multiplies in one fixed order, with sines from `foundation.elementary`.

Sides are powers of two.  Several columns are transformed side by side, so that a processor works on them at once; rows
are transformed as the columns of the transposed field.

References
----------
Cooley, J. W. & Tukey, J. W. (1965). An algorithm for the machine calculation of complex Fourier series. Mathematics of
Computation 19, 297–301. doi:10.1090/S0025-5718-1965-0178586-1
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import cos, sin

# Columns that are transformed together: so many fit into the nearest memory of a processor.
_TOGETHER = 16


class Spectrum(NamedTuple):
    """A field of complex numbers, or the waves that it is the sum of.

    Attributes
    ----------
    real, imaginary : ndarray of float64, shape (rows, columns)
        C-contiguous; both sides are powers of two.
    """

    real: npt.NDArray[np.float64]
    imaginary: npt.NDArray[np.float64]


class _Turns(NamedTuple):
    """Where the rows of a transform go first, and the angles by which they are turned."""

    place: Array
    cosine: Array
    sine: Array


def find_waves(field: npt.NDArray[np.float64]) -> Spectrum:
    """Return the waves that a field is the sum of.

    Parameters
    ----------
    field : ndarray of float64, shape (rows, columns)
        Both sides are powers of two.

    Returns
    -------
    Spectrum
        Shape (rows, columns).  Wave (l, k) is Σ field · exp(−2πi (l · row / rows + k · column / columns)).

    Raises
    ------
    ValueError
        If a side is no power of two.

    Examples
    --------
    >>> find_waves(np.array([[1.0, 2.0], [3.0, 5.0]])).real.tolist()
    [[11.0, -3.0], [-5.0, 1.0]]
    """
    for side in field.shape:
        if side < 1 or side & (side - 1):
            raise ValueError(f"a side of {side} samples is no power of two")
    return _transformed(Spectrum(field.copy(), np.zeros_like(field)))


def add_waves(waves: Spectrum) -> npt.NDArray[np.float64]:
    """Return the field that is the sum of waves.

    Parameters
    ----------
    waves : Spectrum
        As from `find_waves`; overwritten.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Its real part.

    Examples
    --------
    >>> add_waves(find_waves(np.array([[1.0, 2.0], [3.0, 5.0]]))).tolist()
    [[1.0, 2.0], [3.0, 5.0]]
    """
    # With real and imaginary parts swapped before and after, the transform is its own inverse times the size.
    added = _transformed(Spectrum(waves.imaginary, waves.real)).imaginary
    added *= 1.0 / added.size  # exact, as sizes are powers of two
    return added


def _transformed(waves: Spectrum) -> Spectrum:
    """Transform both sides, in place: twice all columns, which become rows."""
    rows, columns = waves.real.shape
    turned = Spectrum(*(np.empty((columns, rows)) for _ in waves))
    _transform_columns(waves, _turns_of(rows), min(_TOGETHER, columns), turned)
    _transform_columns(turned, _turns_of(columns), min(_TOGETHER, rows), waves)
    return waves


@lru_cache(maxsize=4)
def _turns_of(side: int) -> _Turns:
    turns = _Turns(np.zeros(side, np.int64), np.empty(max(side // 2, 1)), np.empty(max(side // 2, 1)))
    _fill_turns(*turns)
    return turns


@kernel
def _fill_turns(place: Array, cosine: Array, sine: Array) -> None:
    side = place.size
    for k in range(side):
        # The binary digits of the number in reverse.
        left, reverse, step = k, 0, 1
        while step < side:
            reverse, left, step = 2 * reverse + left % 2, left // 2, 2 * step
        place[k] = reverse
    for k in range(cosine.size):
        cosine[k], sine[k] = cos(-2.0 * math.pi * k / side), sin(-2.0 * math.pi * k / side)


@parallel_kernel
def _transform_columns(part: Part, waves: Spectrum, turns: _Turns, width: int, turned: Spectrum) -> None:
    """Write the transform of each column as a row, `width` at a time: pairs of ever longer stretches are joined."""
    side, columns = waves.real.shape
    real, imaginary = np.empty((side, width)), np.empty((side, width))
    for band in portion(part, columns // width):
        west = band * width
        for row in range(side):
            for c in range(width):
                real[turns.place[row], c] = waves.real[row, west + c]
                imaginary[turns.place[row], c] = waves.imaginary[row, west + c]
        half = 1
        while half < side:
            for k in range(half):
                cosine, sine = turns.cosine[k * (side // (2 * half))], turns.sine[k * (side // (2 * half))]
                for first in range(k, side, 2 * half):
                    a, b, c, d = real[first], imaginary[first], real[first + half], imaginary[first + half]
                    for n in range(width):
                        x, y = c[n] * cosine - d[n] * sine, c[n] * sine + d[n] * cosine
                        c[n], d[n] = a[n] - x, b[n] - y
                        a[n], b[n] = a[n] + x, b[n] + y
            half *= 2
        for c in range(width):
            for row in range(side):
                turned.real[west + c, row] = real[row, c]
                turned.imaginary[west + c, row] = imaginary[row, c]
