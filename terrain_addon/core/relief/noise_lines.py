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
from ..foundation.hashing import hash_place, mix
from .bases import Basis
from .cell_distances import F1, F2, HALF_UNIT, RINGS, distance
from .lattice import fade, fade_slope, layer_seed, wrap
from .simplex import (
    PLANE_MASK,
    PLANE_SCALE,
    PLANE_SKEW,
    PLANE_UNSKEW,
    SPACE_MASK,
    SPACE_SCALE,
    SPACE_SKEW,
    SPACE_UNSKEW,
)

WORK_LINES = 10
"""Lines of float32 that `lattice_line`, `simplex_line` and `cellular_line` work with."""

# The same numbers as elsewhere, in the precision of lines.
_PLANE_SCALE = np.float32(PLANE_SCALE)
_SPACE_SCALE = np.float32(SPACE_SCALE)
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
    """Write lattice noise of one octave at the points of a line, and its derivatives if asked for.

    Parameters
    ----------
    basis : Basis
        The noise; its kind is `bases.LATTICE`.
    octave : int
        Which octave, from 0.
    x, y : ndarray of float64, shape (points,)
        In cells of the octave.
    slopes : bool
        Whether derivatives are asked for.
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
    for layer in range(basis.layers.shape[1]):
        for corner in range(4):
            _add_corner(basis, octave, layer, corner & 1, corner >> 1, slopes, x.size, nodes, work, n, along_x, along_y)


@kernel
def _add_corner(
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
    """Add what one of the four nodes around each point gives, w · (g·d), and its derivatives."""
    columns, rows = nodes[0], nodes[1]
    fx, fy, sx, sy, slope_x, slope_y = work[0], work[1], work[2], work[3], work[4], work[5]
    chosen, ramp = work[6].view(np.uint32), work[7]
    gx, gy, gz = basis.vectors[0], basis.vectors[1], basis.vectors[2]
    mask = np.uint32(gx.size - 1)
    seed, period = basis.layers[octave, layer], basis.periods[octave]
    share, rise = basis.shares[octave, layer, 0], basis.shares[octave, layer, 1]
    dx, dy = np.float32(east), np.float32(north)
    if period == 0:
        for i in range(count):
            chosen[i] = hash_place(columns[i] + east, rows[i] + north, seed) & mask
    else:
        # Division has no vector code, so it gets a loop of its own.
        for i in range(count):
            chosen[i] = hash_place((columns[i] + east) % period, (rows[i] + north) % period, seed) & mask
    for i in range(count):
        k = chosen[i]
        ramp[i] = gx[k] * (fx[i] - dx) + gy[k] * (fy[i] - dy)
    if not basis.flat:
        for i in range(count):
            ramp[i] = share * ramp[i] + rise * gz[chosen[i]]
    else:
        for i in range(count):
            ramp[i] *= share
    for i in range(count):
        wx = sx[i] if east == 1 else _ONE - sx[i]
        wy = sy[i] if north == 1 else _ONE - sy[i]
        n[i] += wx * wy * ramp[i]
    if slopes:
        a, b = work[8], work[9]
        for i in range(count):
            k = chosen[i]
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
    if basis.in_space:
        _simplex_space(basis, octave, x, y, nodes, work, n)
    else:
        _simplex_plane(basis, octave, x, y, nodes, work, n)


@kernel
def _simplex_plane(basis: Basis, octave: int, x: Array, y: Array, nodes: Array, work: Array, n: Array) -> None:
    """Write simplex noise in the plane: three corners of a triangle, each (½ − |d|²)⁴ · (g·d)."""
    columns, rows, x0, y0 = nodes[0], nodes[1], work[0], work[1]
    east = work[2]
    for i in range(x.size):
        skew = (x[i] + y[i]) * PLANE_SKEW
        column, row = np.floor(x[i] + skew), np.floor(y[i] + skew)
        unskew = (column + row) * PLANE_UNSKEW
        columns[i], rows[i] = np.int64(column), np.int64(row)
        x0[i], y0[i] = np.float32(x[i] - (column - unskew)), np.float32(y[i] - (row - unskew))
        east[i] = np.float32(1.0) if x0[i] > y0[i] else np.float32(0.0)
    gx, gy = basis.vectors[0], basis.vectors[1]
    seed = basis.layers[octave, 0]
    scale = basis.shares[octave, 0, 0] * _PLANE_SCALE
    chosen = work[3].view(np.uint32)
    n[:] = np.float32(0.0)
    half = np.float32(0.5)
    for corner in range(3):
        shift = np.float32(corner * PLANE_UNSKEW)
        for i in range(x.size):
            # The middle corner lies east in the lower triangle, north in the upper one.
            di = np.int64(east[i]) if corner == 1 else np.int64(corner >> 1)
            dj = np.int64(1) - np.int64(east[i]) if corner == 1 else np.int64(corner >> 1)
            chosen[i] = hash_place(columns[i] + di, rows[i] + dj, seed) & np.uint32(PLANE_MASK)
        a, b = work[4], work[5]
        for i in range(x.size):
            k = chosen[i]
            a[i], b[i] = gx[k], gy[k]
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
def _simplex_space(basis: Basis, octave: int, x: Array, y: Array, nodes: Array, work: Array, n: Array) -> None:
    """Write simplex noise in space: four corners of a tetrahedron, each (½ − |d|²)⁴ · (g·d)."""
    z = basis.depths[octave]
    columns, rows, x0, y0, z0 = nodes[0], nodes[1], work[0], work[1], work[2]
    layers, x_rank, y_rank, z_rank = work[3].view(np.int32), work[4], work[5], work[6]
    chosen = work[7].view(np.uint32)
    half = np.float32(0.5)
    lowest = np.int64(np.floor(z))
    for i in range(x.size):
        skew = (x[i] + y[i] + z) * SPACE_SKEW
        column, row, layer = np.floor(x[i] + skew), np.floor(y[i] + skew), np.floor(z + skew)
        unskew = (column + row + layer) * SPACE_UNSKEW
        columns[i], rows[i], layers[i] = np.int64(column), np.int64(row), np.int32(np.int64(layer) - lowest)
        x0[i], y0[i] = np.float32(x[i] - (column - unskew)), np.float32(y[i] - (row - unskew))
        z0[i] = np.float32(z - (layer - unskew))
    for i in range(x.size):
        # Six tetrahedra make a cube.  The point lies in the one whose path goes along the largest coordinate first.
        xy = _ONE if x0[i] >= y0[i] else _ZERO
        yz = _ONE if y0[i] >= z0[i] else _ZERO
        xz = _ONE if x0[i] >= z0[i] else _ZERO
        x_rank[i], y_rank[i], z_rank[i] = xy + xz, (_ONE - xy) + yz, (_ONE - xz) + (_ONE - yz)
    gx, gy, gz = basis.vectors[0], basis.vectors[1], basis.vectors[2]
    seed = basis.layers[octave, 0]
    scale = basis.shares[octave, 0, 0] * _SPACE_SCALE
    n[:] = _ZERO
    for corner in range(4):
        # The corner lies one step along each coordinate of high enough rank.
        rank = np.float32(3 - corner)
        shift = np.float32(corner / 6.0)
        for i in range(x.size):
            di, dj = np.int64(x_rank[i] >= rank), np.int64(y_rank[i] >= rank)
            dk = lowest + np.int64(layers[i]) + np.int64(z_rank[i] >= rank)
            chosen[i] = hash_place(columns[i] + di, rows[i] + dj, layer_seed(dk, seed)) & np.uint32(SPACE_MASK)
        for i in range(x.size):
            k = chosen[i]
            dx = x0[i] - (_ONE if x_rank[i] >= rank else _ZERO) + shift
            dy = y0[i] - (_ONE if y_rank[i] >= rank else _ZERO) + shift
            dz = z0[i] - (_ONE if z_rank[i] >= rank else _ZERO) + shift
            near = max(((half - dx * dx) - dy * dy) - dz * dz, _ZERO)
            near *= near
            n[i] += near * near * ((gx[k] * dx + gy[k] * dy) + gz[k] * dz)
    for i in range(x.size):
        n[i] *= scale


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
    share = basis.shares[octave, 0, 0]
    for i in range(x.size):
        found = first[i] if basis.feature == F1 else (second[i] if basis.feature == F2 else second[i] - first[i])
        # The share is the weight over the greatest distance; noise runs from minus to plus the weight.
        n[i] = found * share * np.float32(2.0) - basis.shares[octave, 0, 1]


@kernel
def _is_open(basis: Basis, octave: int, ring: int, wanted: Array, work: Array, count: int) -> bool:
    """Return whether this ring of cells could hold a nearer point than was found, for any point of the line."""
    fx, fy = work[0], work[1]
    reach = np.float32(ring - 1)
    depth = basis.depths[octave] - np.floor(basis.depths[octave])
    to_layer = np.float32(min(depth, 1.0 - depth) if basis.in_space else 1.0)
    most = np.float32(-1.0)
    for i in range(count):
        to_edge = min(min(fx[i], np.float32(1.0) - fx[i]), min(fy[i], np.float32(1.0) - fy[i]))
        to_edge = min(to_edge, to_layer)
        most = max(most, wanted[i] - (reach + to_edge))
    return bool(most > np.float32(0.0))


@kernel
def _search_ring(basis: Basis, octave: int, ring: int, nodes: Array, work: Array, count: int) -> None:
    """Look at the cells of one ring around the cell of each point."""
    z, period, seed = basis.depths[octave], basis.periods[octave], basis.layers[octave, 0]
    layer = np.int64(np.floor(z))
    fz = np.float32(z - np.floor(z))
    deep = ring if basis.in_space else 0
    for dk in range(-deep, deep + 1):
        own = layer_seed(wrap(layer + dk, period), seed) if basis.in_space else seed
        for dj in range(-ring, ring + 1):
            for di in range(-ring, ring + 1):
                if max(abs(di), max(abs(dj), abs(dk))) == ring:
                    _search_cell(basis.metric, basis.in_space, di, dj, dk, fz, own, period, nodes, work, count)


@kernel
def _search_cell(
    metric: int,
    in_space: bool,
    di: int,
    dj: int,
    dk: int,
    fz: np.float32,
    seed: Bits,
    period: int,
    nodes: Array,
    work: Array,
    count: int,
) -> None:
    """Keep the two smallest distances of each point, after the point that one cell holds."""
    columns, rows, fx, fy, first, second = nodes[0], nodes[1], work[0], work[1], work[2], work[3]
    bits = work[4].view(np.uint32)
    if period == 0:
        for i in range(count):
            bits[i] = hash_place(columns[i] + di, rows[i] + dj, seed)
    else:
        for i in range(count):
            bits[i] = hash_place((columns[i] + di) % period, (rows[i] + dj) % period, seed)
    for i in range(count):
        dx = np.float32(di) + np.float32(bits[i] & np.uint32(0xFFFF)) * _HALF_UNIT - fx[i]
        dy = np.float32(dj) + np.float32(bits[i] >> np.uint32(16)) * _HALF_UNIT - fy[i]
        dz = np.float32(dk) + np.float32(mix(bits[i]) >> np.uint32(16)) * _HALF_UNIT - fz if in_space else _ZERO
        d = distance(dx, dy, dz, metric)
        second[i] = min(second[i], max(first[i], d))
        first[i] = min(first[i], d)
