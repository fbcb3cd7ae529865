"""Simplex noise at the points of a line: at any points, or faster at points of a row that are close together.

Along a row many points in turn lie in the same rhombus of the grid, between the same four corners.  So a row is searched
for where columns and rows of the grid begin, and corners are hashed once for each rhombus.  Both ways give the same
bytes.

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

SPARE = 16
"""Numbers behind the points of a line that `simplex_row` reads and writes: it takes so many points at a time."""

# From one line of working memory to the next.  Not a power of two, because its multiples compete for the same places in
# the cache; and a constant, from which compilers know that lines do not overlap.
_PITCH = LONGEST_LINE + SPARE
# Where lines begin: ways from the south-western corner, columns and rows, hashes of three corners, and the slopes of
# these corners.  Slopes take two lines for each corner, east and north in turns.
_X, _Y, _COLUMN, _ROW, _BITS, _SLOPES = 0, _PITCH, 2 * _PITCH, 3 * _PITCH, 4 * _PITCH, 7 * _PITCH
# Behind them the slopes that corners choose from, again east and north in turns.
_CHOICE, _CHOICE_SIZE = 13 * _PITCH, 2 * (PLANE_MASK + 1)

# With fewer points in a cell than these, points one by one are faster than rhombi.
_POINTS_IN_CELL = 12.0
# A line in cells that hold so many points has fewer rhombi.
_RHOMBI = 192
# Lines of rhombi in int64: where columns begin, where rows begin; then first point, column and row of each rhombus.
_FIRST, _COLUMNS, _ROWS = 2, 3, 4
_RHOMBUS_NODES = 5
# In float32: hashes, columns for hashes, way north from the south-western corner; then for each of four corners its
# slope to the east, what its slope to the north adds, and the square of the way north from it.
_EAST, _RISE, _SQUARE = 3, 7, 11
_RHOMBUS_WORK = 15
# Behind these, lines of points: the way east from the south-western corner, and the sum of corners.
_WAYS, _SUMS = 3 * _PITCH, 4 * _PITCH

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


@kernel
def are_close(x: Array) -> bool:
    """Return whether the points of a row are so close together that `simplex_row` is faster than `simplex_line`.

    Parameters
    ----------
    x : ndarray of float64, shape (points,)
        In cells of the octave, from west to east.

    Returns
    -------
    bool
    """
    return (x[x.size - 1] - x[0]) * _POINTS_IN_CELL <= x.size


@kernel
def simplex_row(
    basis: Basis, octave: int, x: Array, y: float, count: int, nodes: Array, work: Array, n: Array
) -> None:
    """Write what `simplex_line` writes, for points of a row that are close together.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.SIMPLEX`.
    octave : int
        Which octave, from 0.
    x : ndarray of float64, shape (count + SPARE or more,)
        In cells of the octave, evenly spaced from west to east, as `are_close` demands; what is behind the points is
        changed.
    y : float
        In cells of the octave.
    count : int
        How many points there are, `LONGEST_LINE` at most.
    nodes : ndarray of int64, 1-D
        Working memory.
    work : ndarray of float32, 1-D
        Working memory.
    n : ndarray of float32, shape (count + SPARE or more,)
        Result; what is behind the points is changed.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    x[count : count + SPARE] = x[count - 1]
    # Not from the beginning, where the slopes are that `simplex_line` looks up.
    lines, whole = work[: _RHOMBUS_WORK * _RHOMBI].reshape((_RHOMBUS_WORK, _RHOMBI)), nodes[: _RHOMBUS_NODES * _RHOMBI]
    numbers = whole.reshape((_RHOMBUS_NODES, _RHOMBI))
    rhombi = _find_rhombi(x[:count], y, numbers)
    _find_corners(basis, octave, y, rhombi, numbers, lines)
    _place_in_rhombi(x, rhombi, numbers, work)
    _add_rhombi(rhombi, numbers, lines, work)
    scale = basis.factors[octave, WEIGHT] * _SCALE
    for i in range(count):
        n[i] = work[_SUMS + i] * scale


@kernel
def _column_at(x: float, y: float) -> float:
    return np.floor(x + (x + y) * PLANE_SKEW)


@kernel
def _row_at(x: float, y: float) -> float:
    return np.floor(y + (x + y) * PLANE_SKEW)


@kernel
def _find_rhombi(x: Array, y: float, numbers: Array) -> int:
    """Write first point, column and row of each rhombus along a row; return how many there are."""
    starts_of_columns, starts_of_rows = numbers[0], numbers[1]
    _find_columns(x, y, starts_of_columns)
    _find_rows(x, y, starts_of_rows)
    first_column, first_row = np.int64(_column_at(x[0], y)), np.int64(_row_at(x[0], y))
    columns, rows, start, count = 0, 0, 0, 0
    while start < x.size:
        numbers[_FIRST, count] = start
        numbers[_COLUMNS, count], numbers[_ROWS, count] = first_column + columns, first_row + rows
        count += 1
        next_column, next_row = starts_of_columns[columns], starts_of_rows[rows]
        start = min(next_column, next_row)
        columns += np.int64(next_column == start)
        rows += np.int64(next_row == start)
    numbers[_FIRST, count] = x.size
    return count


@kernel
def _find_columns(x: Array, y: float, starts: Array) -> None:
    """Write the first point in each column but the first one, and behind them the number of points."""
    first = _column_at(x[0], y)
    count = np.int64(_column_at(x[x.size - 1], y) - first)
    for k in range(count):
        column = first + (k + 1)
        # A guess, and then the point at which the rounded numbers of all points change.
        i = _guess(x, (column - y * PLANE_SKEW) / (1.0 + PLANE_SKEW))
        while _column_at(x[i - 1], y) >= column:
            i -= 1
        while _column_at(x[i], y) < column:
            i += 1
        starts[k] = i
    starts[count] = x.size


@kernel
def _find_rows(x: Array, y: float, starts: Array) -> None:
    """Write the first point in each row but the first one, and behind them the number of points."""
    first = _row_at(x[0], y)
    count = np.int64(_row_at(x[x.size - 1], y) - first)
    for k in range(count):
        row = first + (k + 1)
        i = _guess(x, (row - y) / PLANE_SKEW - y)
        while _row_at(x[i - 1], y) >= row:
            i -= 1
        while _row_at(x[i], y) < row:
            i += 1
        starts[k] = i
    starts[count] = x.size


@kernel
def _guess(x: Array, place: float) -> int:
    """Return about which is the first point east of a place, from 1; x must not be all the same."""
    last = x.size - 1
    return min(max(np.int64((place - x[0]) * (last / (x[last] - x[0]))) + 1, 1), last)


@kernel
def _find_corners(basis: Basis, octave: int, y: float, count: int, numbers: Array, lines: Array) -> None:
    """Write where the corners of rhombi lie, and their slopes."""
    # The starts of columns are not needed any more.
    columns, rows, west = numbers[_COLUMNS], numbers[_ROWS], numbers[0].view(np.float64)
    for m in range(count):
        west[m] = columns[m] - np.float64(columns[m] + rows[m]) * PLANE_UNSKEW
    way_north = lines[2]
    for m in range(count):
        way_north[m] = np.float32(y - (rows[m] - np.float64(columns[m] + rows[m]) * PLANE_UNSKEW))
    bits, row_bits, seed_bits = lines[0].view(np.uint32), lines[1].view(np.uint32), mix(basis.layers[octave, 0])
    gx, gy, moment = basis.vectors[0], basis.vectors[1], basis.moments[octave]
    for corner in range(4):
        east, rise, square = lines[_EAST + corner], lines[_RISE + corner], lines[_SQUARE + corner]
        column_step, row_step = np.uint32(corner & 1), np.uint32(corner >> 1)
        if corner & 1 == 0:
            for m in range(count):
                row_bits[m] = mix(np.uint32(np.uint32(np.uint32(rows[m]) + row_step) + seed_bits))
        for m in range(count):
            bits[m] = mix(np.uint32(np.uint32(np.uint32(columns[m]) + column_step) + row_bits[m]))
        if moment == 0.0:
            for m in range(count):
                k = bits[m] & _MASK
                east[m], rise[m] = gx[k], gy[k]
        else:
            for m in range(count):
                east[m], rise[m] = _turned(gx, gy, bits[m], moment)
        step, shift = np.float32(corner >> 1), np.float32(((corner & 1) + (corner >> 1)) * PLANE_UNSKEW)
        for m in range(count):
            dy = way_north[m] - step + shift
            square[m] = dy * dy
        for m in range(count):
            rise[m] *= way_north[m] - step + shift


@kernel
def _place_in_rhombi(x: Array, count: int, numbers: Array, work: Array) -> None:
    """Write the way east from the south-western corner of a rhombus to each of its points."""
    first, west = numbers[_FIRST], numbers[0].view(np.float64)
    for m in range(count):
        corner_x, start = west[m], first[m]
        while start < first[m + 1]:
            # Always so many that compilers make vector code; those behind the rhombus are written again by the next.
            xs, ways = x[start : start + SPARE], work[_WAYS + start : _WAYS + start + SPARE]
            start += SPARE
            for i in range(SPARE):
                ways[i] = np.float32(xs[i] - corner_x)


@kernel
def _add_rhombi(count: int, numbers: Array, lines: Array, work: Array) -> None:
    """Write the sums of corners as `_add_corners` does, rhombus by rhombus."""
    first, way_north = numbers[_FIRST], lines[2]
    for m in range(count):
        y, start = way_north[m], first[m]
        a0, a1, a2, a3 = lines[_EAST, m], lines[_EAST + 1, m], lines[_EAST + 2, m], lines[_EAST + 3, m]
        b0, b1, b2, b3 = lines[_RISE, m], lines[_RISE + 1, m], lines[_RISE + 2, m], lines[_RISE + 3, m]
        q0, q1, q2, q3 = lines[_SQUARE, m], lines[_SQUARE + 1, m], lines[_SQUARE + 2, m], lines[_SQUARE + 3, m]
        while start < first[m + 1]:
            # Ways and sums in one, from which compilers know that they do not overlap.
            both = work[_WAYS + start : _WAYS + start + _PITCH + SPARE]
            start += SPARE
            for i in range(SPARE):
                dx = both[i]
                is_east = dx > y
                near = max((_HALF - dx * dx) - q0, _ZERO)
                near *= near
                total = _ZERO + near * near * (a0 * dx + b0)
                middle = dx - (_ONE if is_east else _ZERO) + _MIDDLE_SHIFT
                near = max((_HALF - middle * middle) - (q1 if is_east else q2), _ZERO)
                near *= near
                total += near * near * ((a1 if is_east else a2) * middle + (b1 if is_east else b2))
                last = dx - _ONE + _LAST_SHIFT
                near = max((_HALF - last * last) - q3, _ZERO)
                near *= near
                both[_PITCH + i] = total + near * near * (a3 * last + b3)
