"""Simplex noise at the points of a line.

Every loop has no branches, and its lines lie in one array at constant distances, so that compilers turn it into vector
code.  Only slopes are looked up one after the other.

References
----------
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
"""

import numpy as np

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import mix
from .bases import WEIGHT, Basis
from .lattice import go_round
from .simplex import PLANE_MASK, PLANE_SCALE, PLANE_SKEW, PLANE_UNSKEW

LONGEST_LINE = 1024
"""Points of a line, at most."""

# From one line of working memory to the next.  Not a power of two, because its multiples compete for the same places in
# the cache; and a constant, from which compilers know that lines do not overlap.
_PITCH = LONGEST_LINE + 16
# Where lines begin: ways from the south-western corner, columns and rows, hashes of three corners, and the slopes of
# these corners.  Slopes take two lines for each corner, east and north in turns.
_X, _Y, _COLUMN, _ROW, _BITS, _SLOPES = 0, _PITCH, 2 * _PITCH, 3 * _PITCH, 4 * _PITCH, 7 * _PITCH
# Behind them the slopes that corners choose from, again east and north in turns.
_CHOICE, _CHOICE_SIZE = 13 * _PITCH, 2 * (PLANE_MASK + 1)

_SCALE = np.float32(PLANE_SCALE)
_MIDDLE_SHIFT, _LAST_SHIFT = np.float32(PLANE_UNSKEW), np.float32(2.0 * PLANE_UNSKEW)
_MASK = np.uint32(PLANE_MASK)
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)


@kernel
def pair_slopes(basis: Basis, work: Array) -> None:
    """Write the slopes that corners choose from, east and north in turns, into the working memory of `simplex_line`.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.SIMPLEX`.
    work : ndarray of float32, 1-D
        Working memory.
    """
    for k in range(PLANE_MASK + 1):
        work[_CHOICE + 2 * k], work[_CHOICE + 2 * k + 1] = basis.vectors[0, k], basis.vectors[1, k]


@kernel
def simplex_line(basis: Basis, octave: int, x: Array, y: Array, work: Array, n: Array) -> None:
    """Write simplex noise of one octave at the points of a line.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.SIMPLEX`.
    octave : int
        Which octave, from 0.
    x, y : ndarray of float64, shape (points,)
        In cells of the octave; `LONGEST_LINE` points at most.
    work : ndarray of float32, 1-D
        Working memory, with the slopes from `pair_slopes`.
    n : ndarray of float32, shape (points,)
        Result; the line may be longer than there are points.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    bits = work.view(np.uint32)
    _place_points(x, y, work, bits)
    _hash_points(mix(basis.layers[octave, 0]), x.size, work, bits)
    _take_slopes(basis, octave, x.size, work, bits)
    _add_corners(basis.factors[octave, WEIGHT] * _SCALE, x.size, work, n)


@kernel
def _place_points(x: Array, y: Array, work: Array, bits: Array) -> None:
    """Write the rhombus of each point, and the way from its south-western corner to the point."""
    for i in range(x.size):
        skew = (x[i] + y[i]) * PLANE_SKEW
        column, row = np.floor(x[i] + skew), np.floor(y[i] + skew)
        unskew = (column + row) * PLANE_UNSKEW
        work[_X + i], work[_Y + i] = np.float32(x[i] - (column - unskew)), np.float32(y[i] - (row - unskew))
        bits[_COLUMN + i], bits[_ROW + i] = np.uint32(np.int64(column)), np.uint32(np.int64(row))


@kernel
def _hash_points(seed_bits: Bits, count: int, work: Array, bits: Array) -> None:
    """Write the hashes of the three corners of each point's triangle."""
    one = np.uint32(1)
    for i in range(count):
        column, row = bits[_COLUMN + i], bits[_ROW + i]
        south, north = mix(np.uint32(row + seed_bits)), mix(np.uint32(np.uint32(row + one) + seed_bits))
        # The middle corner lies east in the lower triangle, north in the upper one.
        is_east = work[_X + i] > work[_Y + i]
        middle = np.uint32(np.uint32(column + one) + south) if is_east else np.uint32(column + north)
        bits[_BITS + i] = mix(np.uint32(column + south))
        bits[_BITS + _PITCH + i] = mix(middle)
        bits[_BITS + 2 * _PITCH + i] = mix(np.uint32(np.uint32(column + one) + north))


@kernel
def _take_slopes(basis: Basis, octave: int, count: int, work: Array, bits: Array) -> None:
    """Write the slopes of the three corners of each point's triangle."""
    moment = basis.moments[octave]
    if moment == 0.0:
        # Both halves of a slope as one number, because no vector code looks things up.
        slopes, choice = work.view(np.int64), work[_CHOICE : _CHOICE + _CHOICE_SIZE].view(np.int64)
        for i in range(count):
            slopes[_SLOPES // 2 + i] = choice[bits[_BITS + i] & _MASK]
            slopes[_SLOPES // 2 + _PITCH + i] = choice[bits[_BITS + _PITCH + i] & _MASK]
            slopes[_SLOPES // 2 + 2 * _PITCH + i] = choice[bits[_BITS + 2 * _PITCH + i] & _MASK]
    else:
        gx, gy = basis.vectors[0], basis.vectors[1]
        for corner in range(3):
            line, hashes = _SLOPES + corner * 2 * _PITCH, _BITS + corner * _PITCH
            for i in range(count):
                work[line + 2 * i], work[line + 2 * i + 1] = _turned(gx, gy, bits[hashes + i], moment)


@kernel
def _turned(gx: Array, gy: Array, bits: Bits, moment: float) -> tuple[np.float32, np.float32]:
    """Return the slope at a corner that turns round, between two neighbouring ones of all slopes."""
    place = go_round(np.float64(bits & _MASK) / (PLANE_MASK + 1), bits, moment) * (PLANE_MASK + 1)
    k = np.uint32(place)
    rest = np.float32(place - np.floor(place))
    m = np.uint32(k + np.uint32(1)) & _MASK
    k &= _MASK
    return gx[k] + rest * (gx[m] - gx[k]), gy[k] + rest * (gy[m] - gy[k])


@kernel
def _add_corners(scale: np.float32, count: int, work: Array, n: Array) -> None:
    """Write noise: for each corner (½ − |d|²)⁴ · (g·d), or 0 beyond its reach."""
    for i in range(count):
        x, y, slopes = work[_X + i], work[_Y + i], _SLOPES + 2 * i
        near = max((_HALF - x * x) - y * y, _ZERO)
        near *= near
        total = _ZERO + near * near * (work[slopes] * x + work[slopes + 1] * y)
        dx = x - (_ONE if x > y else _ZERO) + _MIDDLE_SHIFT
        dy = y - (_ZERO if x > y else _ONE) + _MIDDLE_SHIFT
        near = max((_HALF - dx * dx) - dy * dy, _ZERO)
        near *= near
        total += near * near * (work[slopes + 2 * _PITCH] * dx + work[slopes + 2 * _PITCH + 1] * dy)
        dx, dy = x - _ONE + _LAST_SHIFT, y - _ONE + _LAST_SHIFT
        near = max((_HALF - dx * dx) - dy * dy, _ZERO)
        near *= near
        total += near * near * (work[slopes + 4 * _PITCH] * dx + work[slopes + 4 * _PITCH + 1] * dy)
        n[i] = total * scale
