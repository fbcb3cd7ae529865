"""Simplex noise at the points of a line: any points, or faster those of a row.

Every loop has no branches, and its lines lie in one array at constant distances, so that compilers turn it into vector
code.  Only slopes are looked up one after the other.

Rows pass the same corners one after another, so their slopes are kept in a table.  In long waves many points in turn
lie in one rhombus of two triangles, between the same four corners.  Then corners are looked up once for each rhombus,
and the first point of each is found by the same numbers that place points one by one.  All ways give the same bytes.

References
----------
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import mix
from .bases import WEIGHT, Basis
from .lattice import go_round
from .simplex import PLANE_MASK, PLANE_SCALE, PLANE_SKEW, PLANE_UNSKEW

LONGEST_LINE = 1024
"""Points of a line, at most."""

SPARE = 16
"""Numbers behind the points of a row that `simplex_row` reads and writes: it takes so many points at a time."""

# From one line of working memory to the next.  Not a power of two, because its multiples compete for the same places in
# the cache; and a constant, from which compilers know that lines do not overlap.
_PITCH = LONGEST_LINE + SPARE
# Where lines begin: ways from the south-western corner, columns and rows, hashes of three corners, and the slopes of
# these corners.  Slopes take two lines for each corner, east and north in turns.
_X, _Y, _COLUMN, _ROW, _BITS, _SLOPES = 0, _PITCH, 2 * _PITCH, 3 * _PITCH, 4 * _PITCH, 7 * _PITCH
# Behind them the slopes that corners choose from, again east and north in turns.
_CHOICE, _CHOICE_SIZE = 13 * _PITCH, 2 * (PLANE_MASK + 1)

# Tables of nodes serve rows within strips so many cells high.
_STRIP_HEIGHT = 2.0
# Beside a strip lie at most 20 nodes in each row of nodes, each time 3.7 columns farther east.  So a node lies so many
# places behind the node south of it.
_NODES_WIDE, _NODES_APART = 20, 17
_SLANT = 1.0 + 1.0 / PLANE_SKEW
# What is known of a table: which strip it serves, and column and row of its first node.
_STRIP, _FIRST_COLUMN, _FIRST_ROW, _FACTS = 0, 1, 2, 3
_NO_STRIP = -(2**62)
# With fewer points in a cell, points one by one are faster than rhombi.
_POINTS_IN_CELL = 30.0
# Farther from the origin, in cells, numbers are too rough to say which nodes lie beside a strip.
_FARTHEST = 2.0**30

_SCALE = np.float32(PLANE_SCALE)
_MIDDLE_SHIFT, _LAST_SHIFT = np.float32(PLANE_UNSKEW), np.float32(2.0 * PLANE_UNSKEW)
_MASK = np.uint32(PLANE_MASK)
_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)


class SimplexMemory(NamedTuple):
    """Working memory of several bands of rows.

    Attributes
    ----------
    work : ndarray of float32, shape (bands, n)
        Lines.
    nodes : ndarray of float32, shape (bands, octaves, n)
        Slopes at nodes of the grid, east and north in turns.
    tables : ndarray of int64, shape (bands, octaves, 3)
        Which nodes these are.
    """

    work: Array
    nodes: Array
    tables: Array


def new_simplex_memory(bands: int, octaves: int, longest_row: float) -> SimplexMemory:
    """Return working memory for simplex noise.

    Parameters
    ----------
    bands : int
        How many bands of rows.
    octaves : int
        How many octaves.
    longest_row : float
        Length of a line in cells of the finest octave.

    Returns
    -------
    SimplexMemory
    """
    work = np.empty((bands, _CHOICE + _CHOICE_SIZE), np.float32)
    # How many rows of nodes lie beside a strip of this length.
    rows = math.ceil(PLANE_SKEW * (longest_row + _STRIP_HEIGHT) + _STRIP_HEIGHT) + 3
    nodes = np.empty((bands, octaves, 2 * (math.ceil(rows * (_NODES_APART + _SLANT)) + 2 * _NODES_WIDE)), np.float32)
    return SimplexMemory(work, nodes, np.full((bands, octaves, _FACTS), _NO_STRIP))


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
        Lines of one band, with the slopes from `pair_slopes`.
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
        pairs, choice = work.view(np.int64), work[_CHOICE : _CHOICE + _CHOICE_SIZE].view(np.int64)
        for i in range(count):
            pairs[_SLOPES // 2 + i] = choice[bits[_BITS + i] & _MASK]
            pairs[_SLOPES // 2 + _PITCH + i] = choice[bits[_BITS + _PITCH + i] & _MASK]
            pairs[_SLOPES // 2 + 2 * _PITCH + i] = choice[bits[_BITS + 2 * _PITCH + i] & _MASK]
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
def is_near_origin(x: Array, y: float, count: int) -> bool:
    """Return whether the points of a row are so near the origin that `simplex_row` can place them.

    Parameters
    ----------
    x, y, count
        As for `simplex_row`.

    Returns
    -------
    bool
    """
    return abs(x[0]) + abs(x[count - 1]) + abs(y) <= _FARTHEST


@kernel
def simplex_row(
    basis: Basis, octave: int, x: Array, y: float, count: int, memory: SimplexMemory, band: int, n: Array
) -> None:
    """Write what `simplex_line` writes, for points of a row near the origin.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.SIMPLEX`.
    octave : int
        Which octave, from 0.
    x : ndarray of float64, shape (count + SPARE or more,)
        In cells of the octave, evenly spaced from west to east.
    y : float
        In cells of the octave.
    count : int
        How many points there are, 1 to `LONGEST_LINE`.
    memory : SimplexMemory
        With the slopes from `pair_slopes`.  Between two rows with other `x` call `forget_nodes`.
    band : int
        Which band of it.
    n : ndarray of float32, shape (count + SPARE or more,)
        Result; what is behind the points is changed.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    work, table = memory.work[band], memory.tables[band, octave]
    bits, nodes = work.view(np.uint32), memory.nodes[band, octave]
    west, east, strip = x[0], x[count - 1], np.floor(y * (1.0 / _STRIP_HEIGHT))
    if table[_STRIP] != np.int64(strip):
        table[_STRIP] = np.int64(strip)
        _fill_nodes(basis, octave, west, east, strip * _STRIP_HEIGHT, bits, table, nodes)
    scale = basis.factors[octave, WEIGHT] * _SCALE
    if 0.0 < (east - west) * _POINTS_IN_CELL < count:
        _find_starts(x, y, count, False, bits[_COLUMN:])
        _find_starts(x, y, count, True, bits[_ROW:])
        _add_rhombi(scale, x, y, count, bits, table, nodes, n)
    else:
        _place_in_table(x, y, count, table, work, bits)
        _take_nodes(count, nodes, bits)
        _add_corners(scale, count, work, n)


@kernel
def forget_nodes(memory: SimplexMemory, band: int) -> None:
    """Let the next rows of a band fill their tables of nodes anew.

    Parameters
    ----------
    memory : SimplexMemory
        Working memory.
    band : int
        Which band of it.
    """
    memory.tables[band, :, _STRIP] = _NO_STRIP


@kernel
def _line_at(x: float, y: float, of_rows: bool) -> float:
    """Return the column of the rhombus around a point, or its row."""
    return np.floor((y if of_rows else x) + (x + y) * PLANE_SKEW)


@kernel
def _fill_nodes(
    basis: Basis,
    octave: int,
    west: float,
    east: float,
    south: float,
    bits: Array,
    table: Array,
    nodes: Array,
) -> None:
    """Write the slopes at all nodes between which points of a strip can lie."""
    first_row = np.int64(_line_at(west, south, True))
    last_row = np.int64(_line_at(east, south + _STRIP_HEIGHT, True)) + 1
    first_column = _westernmost(first_row, south)
    table[_FIRST_COLUMN], table[_FIRST_ROW] = first_column, first_row
    seed_bits, moment = mix(basis.layers[octave, 0]), basis.moments[octave]
    gx, gy = basis.vectors[0], basis.vectors[1]
    for row in range(first_row, last_row + 1):
        column = _westernmost(row, south)
        start = 2 * ((column - first_column) + (row - first_row) * _NODES_APART)
        row_bits = np.uint32(np.uint32(column) + mix(np.uint32(np.uint32(row) + seed_bits)))
        for j in range(_NODES_WIDE):
            bits[_BITS + j] = mix(np.uint32(row_bits + np.uint32(j)))
        for j in range(_NODES_WIDE):
            k = bits[_BITS + j] & _MASK
            slope = gx[k], gy[k]
            if moment != 0.0:
                slope = _turned(gx, gy, bits[_BITS + j], moment)
            nodes[start + 2 * j], nodes[start + 2 * j + 1] = slope


@kernel
def _westernmost(row: int, south: float) -> np.int64:
    """Return the first column of nodes that lies beside a strip, in a row of nodes.

    Of the rhombi around points of a strip, the corners in this row belong to those north and south of it.  The
    westernmost such point lies on the northern edge, where the row of its rhombus begins.  The last term is more than
    what rounding can change.
    """
    north = south + _STRIP_HEIGHT
    return np.int64(np.floor((row - 1.0 - north) * _SLANT - north - 1e-3))


@kernel
def _place_in_table(x: Array, y: float, count: int, table: Array, work: Array, bits: Array) -> None:
    """Write the ways from south-western corners to points as `_place_points` does, and where corners are in the table.

    The lower 16 bits are the place of the south-western corner, the upper ones that of the middle corner.
    """
    first = np.int32(table[_FIRST_COLUMN] + table[_FIRST_ROW] * _NODES_APART)
    apart, to_east, to_north = np.int32(_NODES_APART), np.uint32(1), np.uint32(_NODES_APART)
    for i in range(count):
        skew = (x[i] + y) * PLANE_SKEW
        column, row = np.floor(x[i] + skew), np.floor(y + skew)
        unskew = (column + row) * PLANE_UNSKEW
        dx, dy = np.float32(x[i] - (column - unskew)), np.float32(y - (row - unskew))
        work[_X + i], work[_Y + i] = dx, dy
        place = np.uint32(np.int32(np.int32(column) + np.int32(np.int32(row) * apart)) - first)
        middle = place + (to_east if dx > dy else to_north)
        bits[_BITS + i] = place | np.uint32(np.uint32(middle) << np.uint32(16))


@kernel
def _take_nodes(count: int, nodes: Array, bits: Array) -> None:
    """Write the slopes of the three corners of each point's triangle, both halves of a slope as one number."""
    pairs, slopes = bits.view(np.int64), nodes.view(np.int64)
    last = slopes[1 + _NODES_APART :]
    for i in range(count):
        place, middle = bits[_BITS + i] & np.uint32(0xFFFF), bits[_BITS + i] >> np.uint32(16)
        pairs[_SLOPES // 2 + i] = slopes[place]
        pairs[_SLOPES // 2 + _PITCH + i] = slopes[middle]
        pairs[_SLOPES // 2 + 2 * _PITCH + i] = last[place]


@kernel
def _find_starts(x: Array, y: float, count: int, of_rows: bool, starts: Array) -> None:
    """Write the first point of each column of rhombi along a row but the first, or of each row; behind them `count`."""
    first = _line_at(x[0], y, of_rows)
    lines = np.int64(_line_at(x[count - 1], y, of_rows) - first)
    points_in_cell = (count - 1) / (x[count - 1] - x[0])
    for k in range(lines):
        line = first + (k + 1)
        # A guess, and then the point at which the rounded numbers of points change.
        place = (line - y) * (1.0 / PLANE_SKEW) - y if of_rows else (line - y * PLANE_SKEW) * (1.0 / (1.0 + PLANE_SKEW))
        i = min(max(int((place - x[0]) * points_in_cell) + 1, 1), count - 1)
        while _line_at(x[i - 1], y, of_rows) >= line:
            i -= 1
        while _line_at(x[i], y, of_rows) < line:
            i += 1
        starts[k] = i
    starts[lines] = count


@kernel
def _add_rhombi(
    scale: np.float32, x: Array, y: float, count: int, bits: Array, table: Array, nodes: Array, n: Array
) -> None:
    """Write noise as `_add_corners` does, rhombus by rhombus."""
    column, row = _line_at(x[0], y, False), _line_at(x[0], y, True)
    k = 2 * ((np.int64(column) - table[_FIRST_COLUMN]) + (np.int64(row) - table[_FIRST_ROW]) * _NODES_APART)
    columns, rows, start = 0, 0, 0
    while start < count:
        next_column, next_row = int(bits[_COLUMN + columns]), int(bits[_ROW + rows])
        stop = min(next_column, next_row)
        unskew = (column + row) * PLANE_UNSKEW
        west, dy = column - unskew, np.float32(y - (row - unskew))
        # Corners from the south-western one: east of it, north, and both.  Of each the slope to the east, what its
        # slope to the north adds, and the square of the way north.
        dy1, dy2, dy3 = dy - _ZERO + _MIDDLE_SHIFT, dy - _ONE + _MIDDLE_SHIFT, dy - _ONE + _LAST_SHIFT
        m = k + 2 * _NODES_APART
        a0, b0, q0 = nodes[k], nodes[k + 1] * dy, dy * dy
        a1, b1, q1 = nodes[k + 2], nodes[k + 3] * dy1, dy1 * dy1
        a2, b2, q2 = nodes[m], nodes[m + 1] * dy2, dy2 * dy2
        a3, b3, q3 = nodes[m + 2], nodes[m + 3] * dy3, dy3 * dy3
        while start < stop:
            # Always so many that compilers make vector code; those behind the rhombus are written again by the next.
            xs, sums = x[start : start + SPARE], n[start : start + SPARE]
            for i in range(SPARE):
                dx = np.float32(xs[i] - west)
                is_east = dx > dy
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
                sums[i] = (total + near * near * (a3 * last + b3)) * scale
            start += SPARE
        start = stop
        # Without a branch, which processors could not foresee.
        east, north = int(next_column == stop), int(next_row == stop)
        columns, rows, column, row = columns + east, rows + north, column + east, row + north
        k += 2 * (east + north * _NODES_APART)
