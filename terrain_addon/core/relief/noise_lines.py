"""Noise at any points, one line of points at a time: for bases that have no rows, and for warped noise.

Every loop runs over the points of a line and has no branches, so that compilers turn it into vector code.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
Gustavson, S. (2005). Simplex noise demystified. Linköping University.
Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
"""

import numpy as np

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place
from .bases import MIDDLE, RISE, SLOPE, WEIGHT, Basis
from .cell_distances import F1, F2, HALF_UNIT, RINGS, distance, place_in_cell
from .lattice import fade, fade_slope, go_round, height_at, rises_or_falls
from .simplex import PLANE_MASK, PLANE_SCALE, PLANE_SKEW, PLANE_UNSKEW

WORK_LINES = 10
"""Lines of float32 that `lattice_line`, `simplex_line` and `cellular_line` work with."""

# The same numbers as elsewhere, in the precision of lines.
_PLANE_SCALE = np.float32(PLANE_SCALE)
_HALF_UNIT = np.float32(HALF_UNIT)

# Farther than any point can be, in cells.
_FAR = np.float32(1e9)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def _split(x: Array, y: Array, nodes: Array, work: Array) -> None:
    """Write the node south-west of each point of a line, and the way from it to the point."""
    columns, rows, fx, fy = nodes[0], nodes[1], work[0], work[1]
    for i in range(x.size):
        column, row = np.floor(x[i]), np.floor(y[i])
        columns[i], rows[i] = np.int64(column), np.int64(row)
        fx[i], fy[i] = np.float32(x[i] - column), np.float32(y[i] - row)


@kernel
def lattice_line(
    basis: Basis,
    octave: int,
    x: Array,
    y: Array,
    slopes: bool,
    nodes: Array,
    work: Array,
    n: Array,
    along_x: Array,
    along_y: Array,
) -> None:
    """Write lattice noise of one octave at the points of a line, and of gradient noise its derivatives if asked for.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.LATTICE`.
    octave : int
        Which octave, from 0.
    x, y : ndarray of float64, shape (points,)
        In cells of the octave.
    slopes : bool
        Whether derivatives are asked for; value noise has none here.
    nodes : ndarray of int64, shape (2, points)
        Working memory.
    work : ndarray of float32, shape (WORK_LINES, points)
        Working memory.
    n, along_x, along_y : ndarray of float32, shape (points,)
        Results: noise, and its derivatives per cell.  Lines may be longer than there are points.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    _split(x, y, nodes, work)
    fx, fy, sx, sy, slope_x, slope_y = work[0], work[1], work[2], work[3], work[4], work[5]
    for i in range(x.size):
        sx[i] = fade(fx[i], basis.fade)
        sy[i] = fade(fy[i], basis.fade)
    n[:] = _ZERO
    if slopes:
        for i in range(x.size):
            slope_x[i] = fade_slope(fx[i], basis.fade)
            slope_y[i] = fade_slope(fy[i], basis.fade)
        along_x[:] = _ZERO
        along_y[:] = _ZERO
    for corner in range(4):
        if basis.has_heights:
            _add_height(basis, octave, corner & 1, corner >> 1, x.size, nodes, work, n)
        else:
            for layer in range(basis.layers.shape[1]):
                _add_slope(
                    basis, octave, layer, corner & 1, corner >> 1, slopes, x.size, nodes, work, n, along_x, along_y
                )


@kernel
def _choose(
    basis: Basis, octave: int, layer: int, east: int, north: int, count: int, nodes: Array, chosen: Array
) -> None:
    """Write the hashes of the nodes that lie at one corner of the cells of all points."""
    columns, rows = nodes[0], nodes[1]
    seed, period = basis.layers[octave, layer], basis.periods[octave]
    if period == 0:
        for i in range(count):
            chosen[i] = hash_place(columns[i] + east, rows[i] + north, seed)
    else:
        # Division has no vector code, so it gets a loop of its own.
        for i in range(count):
            chosen[i] = hash_place((columns[i] + east) % period, (rows[i] + north) % period, seed)


@kernel
def _add_height(
    basis: Basis, octave: int, east: int, north: int, count: int, nodes: Array, work: Array, n: Array
) -> None:
    """Add what one of the four nodes of value noise around each point gives, w · h."""
    sx, sy = work[2], work[3]
    chosen, height = work[6].view(np.uint32), work[7]
    heights = basis.vectors[2]
    mask = np.uint32(heights.size - 1)
    weight, moment = basis.factors[octave, WEIGHT], basis.moments[octave]
    _choose(basis, octave, 0, east, north, count, nodes, chosen)
    for i in range(count):
        height[i] = heights[chosen[i] & mask]
    if moment != 0.0:
        for i in range(count):
            height[i] = height_at(height[i], chosen[i], moment)
    for i in range(count):
        wx = sx[i] if east == 1 else _ONE - sx[i]
        wy = sy[i] if north == 1 else _ONE - sy[i]
        n[i] += wx * wy * (weight * height[i])


@kernel
def _add_slope(
    basis: Basis,
    octave: int,
    layer: int,
    east: int,
    north: int,
    slopes: bool,
    count: int,
    nodes: Array,
    work: Array,
    n: Array,
    along_x: Array,
    along_y: Array,
) -> None:
    """Add what one of the four nodes around each point gives in one layer, w · (g·d + cσt), and its derivatives."""
    fx, fy, sx, sy, slope_x, slope_y = work[0], work[1], work[2], work[3], work[4], work[5]
    chosen, ramp = work[6].view(np.uint32), work[7]
    gx, gy = basis.vectors[0], basis.vectors[1]
    mask = np.uint32(gx.size - 1)
    share = basis.factors[octave, WEIGHT] * basis.factors[octave, SLOPE + layer]
    rise = basis.factors[octave, WEIGHT] * basis.factors[octave, RISE + layer]
    dx, dy = np.float32(east), np.float32(north)
    _choose(basis, octave, layer, east, north, count, nodes, chosen)
    for i in range(count):
        k = chosen[i] & mask
        ramp[i] = share * (gx[k] * (fx[i] - dx) + gy[k] * (fy[i] - dy))
    if basis.layers.shape[1] > 1:
        for i in range(count):
            ramp[i] += rise * rises_or_falls(chosen[i])
    for i in range(count):
        wx = sx[i] if east == 1 else _ONE - sx[i]
        wy = sy[i] if north == 1 else _ONE - sy[i]
        n[i] += wx * wy * ramp[i]
    if slopes:
        a, b = work[8], work[9]
        for i in range(count):
            k = chosen[i] & mask
            a[i], b[i] = gx[k], gy[k]
        for i in range(count):
            wx = sx[i] if east == 1 else _ONE - sx[i]
            wy = sy[i] if north == 1 else _ONE - sy[i]
            vx = slope_x[i] if east == 1 else -slope_x[i]
            vy = slope_y[i] if north == 1 else -slope_y[i]
            along_x[i] += wy * (wx * (share * a[i]) + vx * ramp[i])
            along_y[i] += wx * (wy * (share * b[i]) + vy * ramp[i])


@kernel
def simplex_line(basis: Basis, octave: int, x: Array, y: Array, nodes: Array, work: Array, n: Array) -> None:
    """Write simplex noise of one octave at the points of a line.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.SIMPLEX`.
    octave : int
        Which octave, from 0.
    x, y : ndarray of float64, shape (points,)
        In cells of the octave.
    nodes : ndarray of int64, shape (2, points)
        Working memory.
    work : ndarray of float32, shape (WORK_LINES, points)
        Working memory.
    n : ndarray of float32, shape (points,)
        Result; the line may be longer than there are points.

    References
    ----------
    Gustavson, S. (2005). Simplex noise demystified. Linköping University.
    """
    columns, rows, x0, y0, east = nodes[0], nodes[1], work[0], work[1], work[2]
    for i in range(x.size):
        skew = (x[i] + y[i]) * PLANE_SKEW
        column, row = np.floor(x[i] + skew), np.floor(y[i] + skew)
        unskew = (column + row) * PLANE_UNSKEW
        columns[i], rows[i] = np.int64(column), np.int64(row)
        x0[i], y0[i] = np.float32(x[i] - (column - unskew)), np.float32(y[i] - (row - unskew))
        east[i] = np.float32(1.0) if x0[i] > y0[i] else np.float32(0.0)
    gx, gy = basis.vectors[0], basis.vectors[1]
    seed, moment = basis.layers[octave, 0], basis.moments[octave]
    scale = basis.factors[octave, WEIGHT] * _PLANE_SCALE
    chosen, a, b = work[3].view(np.uint32), work[4], work[5]
    n[:] = _ZERO
    half = np.float32(0.5)
    for corner in range(3):
        shift = np.float32(corner * PLANE_UNSKEW)
        for i in range(x.size):
            # The middle corner lies east in the lower triangle, north in the upper one.
            di = np.int64(east[i]) if corner == 1 else np.int64(corner >> 1)
            dj = np.int64(1) - np.int64(east[i]) if corner == 1 else np.int64(corner >> 1)
            chosen[i] = hash_place(columns[i] + di, rows[i] + dj, seed)
        if moment == 0.0:
            for i in range(x.size):
                k = chosen[i] & np.uint32(PLANE_MASK)
                a[i], b[i] = gx[k], gy[k]
        else:
            for i in range(x.size):
                a[i], b[i] = _turned(gx, gy, chosen[i], moment)
        ends = _ONE if corner == 2 else _ZERO
        for i in range(x.size):
            dx = x0[i] - (east[i] if corner == 1 else ends) + shift
            dy = y0[i] - (_ONE - east[i] if corner == 1 else ends) + shift
            near = max((half - dx * dx) - dy * dy, _ZERO)
            near *= near
            n[i] += near * near * (a[i] * dx + b[i] * dy)
    for i in range(x.size):
        n[i] *= scale


@kernel
def _turned(gx: Array, gy: Array, bits: Bits, moment: float) -> tuple[np.float32, np.float32]:
    """Return the slope at a corner that turns round, between two neighbouring ones of all slopes."""
    mask = np.uint32(PLANE_MASK)
    place = go_round(np.float64(bits & mask) / (PLANE_MASK + 1), bits, moment) * (PLANE_MASK + 1)
    k = np.uint32(place)
    rest = np.float32(place - np.floor(place))
    m = np.uint32(k + np.uint32(1)) & mask
    k &= mask
    return gx[k] + rest * (gx[m] - gx[k]), gy[k] + rest * (gy[m] - gy[k])


@kernel
def cellular_line(basis: Basis, octave: int, x: Array, y: Array, nodes: Array, work: Array, n: Array) -> None:
    """Write cellular noise of one octave at the points of a line.

    The cells around every point are searched for its two nearest points, ring by ring, until no point could be nearer.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.CELLULAR`.
    octave : int
        Which octave, from 0.
    x, y : ndarray of float64, shape (points,)
        In cells of the octave.
    nodes : ndarray of int64, shape (2, points)
        Working memory.
    work : ndarray of float32, shape (WORK_LINES, points)
        Working memory.
    n : ndarray of float32, shape (points,)
        Result; the line may be longer than there are points.

    References
    ----------
    Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
    """
    _split(x, y, nodes, work)
    first, second = work[2], work[3]
    first[:] = _FAR
    second[:] = _FAR
    wanted = first if basis.feature == F1 else second
    ring = 0
    while ring <= 1 or (ring <= RINGS and _is_open(basis, octave, ring, wanted, work, x.size)):
        _search_ring(basis, octave, ring, nodes, work, x.size)
        ring += 1
    weight, middle = basis.factors[octave, WEIGHT], basis.factors[octave, MIDDLE]
    for i in range(x.size):
        found = first[i] if basis.feature == F1 else (second[i] if basis.feature == F2 else second[i] - first[i])
        # The factor is the weight over the greatest distance; noise runs from minus to plus the weight.
        n[i] = found * weight * np.float32(2.0) - middle


@kernel
def _is_open(basis: Basis, octave: int, ring: int, wanted: Array, work: Array, count: int) -> bool:
    """Return whether this ring of cells could hold a nearer point than was found, for any point of the line."""
    fx, fy = work[0], work[1]
    reach = np.float32(ring - 1)
    most = np.float32(-1.0)
    for i in range(count):
        to_edge = min(min(fx[i], np.float32(1.0) - fx[i]), min(fy[i], np.float32(1.0) - fy[i]))
        most = max(most, wanted[i] - (reach + to_edge))
    return bool(most > np.float32(0.0))


@kernel
def _search_ring(basis: Basis, octave: int, ring: int, nodes: Array, work: Array, count: int) -> None:
    """Look at the cells of one ring around the cell of each point."""
    for dj in range(-ring, ring + 1):
        for di in range(-ring, ring + 1):
            if max(abs(di), abs(dj)) == ring:
                _search_cell(basis, octave, di, dj, nodes, work, count)


@kernel
def _search_cell(basis: Basis, octave: int, di: int, dj: int, nodes: Array, work: Array, count: int) -> None:
    """Keep the two smallest distances of each point, after the point that one cell holds."""
    fx, fy, first, second = work[0], work[1], work[2], work[3]
    bits = work[4].view(np.uint32)
    x, y, moment = work[5], work[6], basis.moments[octave]
    _choose(basis, octave, 0, di, dj, count, nodes, bits)
    if moment != 0.0:
        for i in range(count):
            x[i], y[i] = place_in_cell(bits[i], moment)
    else:
        for i in range(count):
            x[i] = np.float32(bits[i] & np.uint32(0xFFFF)) * _HALF_UNIT
            y[i] = np.float32(bits[i] >> np.uint32(16)) * _HALF_UNIT
    for i in range(count):
        dx = np.float32(di) + x[i] - fx[i]
        dy = np.float32(dj) + y[i] - fy[i]
        d = distance(dx, dy, basis.metric)
        second[i] = min(second[i], max(first[i], d))
        first[i] = min(first[i], d)
