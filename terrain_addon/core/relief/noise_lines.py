"""Noise at any points, one line of points at a time: for bases that have no rows, and for warped noise.

Every loop runs over the points of a line, has no branches and few results, so that compilers turn it into vector code.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
"""

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.hashing import mix
from .bases import MIDDLE, RISE, SLOPE, WEIGHT, Basis
from .cell_distances import EUCLIDEAN, F1, F2, HALF_UNIT, RINGS, comparable_distance, place_in_cell
from .lattice import fade, fade_slope, height_at, rises_or_falls

WORK_LINES = 28
"""Lines of float32 that `lattice_line` and `cellular_line` work with."""

NODE_LINES = 4
"""Lines of int64 that they work with."""

# Lines of the lowest 32 bits of columns and rows: hashes need no others, and twice as many are handled at once.  Then
# hashes of rows alone, and columns or rows that repeat.
_COLUMN, _ROW, _ROW_BITS, _WRAPPED = 10, 11, 12, 13
# Cellular noise has two sets of lines: of all points, and of those whose outer cells are searched.
_SET_OF_LINES, _SET_OF_NODES = 14, 2

# The same numbers as elsewhere, in the precision of lines.
_HALF_UNIT = np.float32(HALF_UNIT)

# Farther than any point can be, in cells.
_FAR = np.float32(1e9)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def _split(x: Array, y: Array, nodes: Array, work: Array) -> None:
    """Write the node south-west of each point of a line, and the way from it to the point."""
    _split_axis(x, nodes[0], work[0])
    _split_axis(y, nodes[1], work[1])
    _keep_low_bits(nodes[0], work[_COLUMN].view(np.uint32), x.size)
    _keep_low_bits(nodes[1], work[_ROW].view(np.uint32), x.size)


@kernel
def _split_axis(x: Array, nodes: Array, f: Array) -> None:
    """Write the nodes below places along one axis, and how far above them the places lie."""
    for i in range(x.size):
        node = np.floor(x[i])
        nodes[i] = np.int64(node)
        f[i] = np.float32(x[i] - node)


@kernel
def _keep_low_bits(nodes: Array, bits: Array, count: int) -> None:
    """Write the bits of columns or rows that hashes depend on."""
    for i in range(count):
        bits[i] = np.uint32(nodes[i])


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
    nodes : ndarray of int64, shape (NODE_LINES, points)
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
def _hash_rows(basis: Basis, octave: int, layer: int, north: int, count: int, nodes: Array, work: Array) -> None:
    """Write the part of hashes that only rows decide, some rows north of all points."""
    bits, seed, period = work[_ROW_BITS].view(np.uint32), mix(basis.layers[octave, layer]), basis.periods[octave]
    if period == 0:
        _mix_rows(work[_ROW].view(np.uint32), north, seed, count, bits)
    else:
        wrapped = work[_WRAPPED].view(np.uint32)
        _wrap(nodes[1], north, period, count, wrapped)
        _mix_rows(wrapped, 0, seed, count, bits)


@kernel
def _hash_nodes(basis: Basis, octave: int, east: int, count: int, nodes: Array, work: Array, chosen: Array) -> None:
    """Write the hashes of nodes some columns east of all points, in the rows whose hashes were written last."""
    row_bits, period = work[_ROW_BITS].view(np.uint32), basis.periods[octave]
    if period == 0:
        _mix_columns(work[_COLUMN].view(np.uint32), east, row_bits, count, chosen)
    else:
        wrapped = work[_WRAPPED].view(np.uint32)
        _wrap(nodes[0], east, period, count, wrapped)
        _mix_columns(wrapped, 0, row_bits, count, chosen)


@kernel
def _mix_rows(rows: Array, step: int, seed_bits: np.uint32, count: int, bits: Array) -> None:
    own = np.uint32(step)
    for i in range(count):
        bits[i] = mix(np.uint32(np.uint32(rows[i] + own) + seed_bits))


@kernel
def _mix_columns(columns: Array, step: int, row_bits: Array, count: int, bits: Array) -> None:
    own = np.uint32(step)
    for i in range(count):
        bits[i] = mix(np.uint32(np.uint32(columns[i] + own) + row_bits[i]))


@kernel
def _wrap(nodes: Array, step: int, period: int, count: int, wrapped: Array) -> None:
    """Write columns or rows that repeat.  Division has no vector code, so it has a loop of its own."""
    for i in range(count):
        wrapped[i] = np.uint32((nodes[i] + step) % period)


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
    if east == 0:
        _hash_rows(basis, octave, 0, north, count, nodes, work)
    _hash_nodes(basis, octave, east, count, nodes, work, chosen)
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
    chosen, ramp, a, b = work[6].view(np.uint32), work[7], work[8], work[9]
    gx, gy = basis.vectors[0], basis.vectors[1]
    mask = np.uint32(gx.size - 1)
    share = basis.factors[octave, WEIGHT] * basis.factors[octave, SLOPE + layer]
    rise = basis.factors[octave, WEIGHT] * basis.factors[octave, RISE + layer]
    dx, dy = np.float32(east), np.float32(north)
    if east == 0 or basis.layers.shape[1] > 1:
        _hash_rows(basis, octave, layer, north, count, nodes, work)
    _hash_nodes(basis, octave, east, count, nodes, work, chosen)
    for i in range(count):
        k = chosen[i] & mask
        a[i], b[i] = gx[k], gy[k]
    for i in range(count):
        ramp[i] = share * (a[i] * (fx[i] - dx) + b[i] * (fy[i] - dy))
    if basis.layers.shape[1] > 1:
        for i in range(count):
            ramp[i] += rise * rises_or_falls(chosen[i])
    for i in range(count):
        wx = sx[i] if east == 1 else _ONE - sx[i]
        wy = sy[i] if north == 1 else _ONE - sy[i]
        n[i] += wx * wy * ramp[i]
    if slopes:
        for i in range(count):
            wx = sx[i] if east == 1 else _ONE - sx[i]
            wy = sy[i] if north == 1 else _ONE - sy[i]
            vx = slope_x[i] if east == 1 else -slope_x[i]
            along_x[i] += wy * (wx * (share * a[i]) + vx * ramp[i])
        for i in range(count):
            wx = sx[i] if east == 1 else _ONE - sx[i]
            wy = sy[i] if north == 1 else _ONE - sy[i]
            vy = slope_y[i] if north == 1 else -slope_y[i]
            along_y[i] += wx * (wy * (share * b[i]) + vy * ramp[i])


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
    nodes : ndarray of int64, shape (NODE_LINES, points)
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
    _search_rings(basis, octave, 0, 1, nodes, work, x.size)
    _search_far(basis, octave, nodes, work, x.size)
    if basis.metric == EUCLIDEAN:
        for i in range(x.size):
            first[i], second[i] = np.sqrt(first[i]), np.sqrt(second[i])
    weight, middle = basis.factors[octave, WEIGHT], basis.factors[octave, MIDDLE]
    for i in range(x.size):
        found = first[i] if basis.feature == F1 else (second[i] if basis.feature == F2 else second[i] - first[i])
        # The factor is the weight over the greatest distance; noise runs from minus to plus the weight.
        n[i] = found * weight * np.float32(2.0) - middle


@kernel
def _search_far(basis: Basis, octave: int, nodes: Array, work: Array, count: int) -> None:
    """Search the outer rings for those points that could have a nearer one there; most have none."""
    far_nodes, far = nodes[_SET_OF_NODES:], work[_SET_OF_LINES:]
    # A line of the far ones that no search uses.
    places = far[8].view(np.uint32)
    for ring in range(2, RINGS + 1):
        found = _take_open(basis, ring, nodes, work, count, far_nodes, far, places)
        if found == 0:
            return
        _search_rings(basis, octave, ring, ring, far_nodes, far, found)
        for k in range(found):
            i = places[k]
            work[2, i], work[3, i] = far[2, k], far[3, k]


@kernel
def _take_open(
    basis: Basis, ring: int, nodes: Array, work: Array, count: int, far_nodes: Array, far: Array, places: Array
) -> int:
    """Copy those points for which this ring of cells could hold a nearer one; return how many they are."""
    fx, fy, wanted = work[0], work[1], work[2] if basis.feature == F1 else work[3]
    reach = np.float32(ring - 1)
    margin = work[7]
    for i in range(count):
        to_edge = reach + min(min(fx[i], _ONE - fx[i]), min(fy[i], _ONE - fy[i]))
        margin[i] = wanted[i] - (to_edge * to_edge if basis.metric == EUCLIDEAN else to_edge)
    open_points = 0
    for i in range(count):
        open_points += margin[i] > _ZERO
    if open_points == 0:
        return 0
    found = 0
    for i in range(count):
        places[found] = np.uint32(i)
        found += margin[i] > _ZERO
    for k in range(found):
        i = places[k]
        for line in (0, 1, 2, 3, _COLUMN, _ROW):
            far[line, k] = work[line, i]
        far_nodes[0, k], far_nodes[1, k] = nodes[0, i], nodes[1, i]
    return found


@kernel
def _search_rings(basis: Basis, octave: int, inner: int, outer: int, nodes: Array, work: Array, count: int) -> None:
    """Look at the cells of some rings around the cell of each point."""
    bits = work[6].view(np.uint32)
    for dj in range(-outer, outer + 1):
        _hash_rows(basis, octave, 0, dj, count, nodes, work)
        for di in range(-outer, outer + 1):
            if max(abs(di), abs(dj)) >= inner:
                _hash_nodes(basis, octave, di, count, nodes, work, bits)
                _search_cell(di, dj, bits, basis.moments[octave], basis.metric, work, count)


@kernel
def _search_cell(di: int, dj: int, bits: Array, moment: float, metric: int, work: Array, count: int) -> None:
    """Keep the two smallest distances of each point, after the point that one cell holds; squares, if Euclidean."""
    fx, fy, first, second = work[0], work[1], work[2], work[3]
    corner_x, corner_y = np.float32(di), np.float32(dj)
    if moment == 0.0:
        for i in range(count):
            # Signed numbers have vector code that turns them into floating-point ones.
            x, y = np.int32(bits[i] & np.uint32(0xFFFF)), np.int32(bits[i] >> np.uint32(16))
            dx = corner_x + np.float32(x) * _HALF_UNIT - fx[i]
            dy = corner_y + np.float32(y) * _HALF_UNIT - fy[i]
            d = comparable_distance(dx, dy, metric)
            second[i] = min(second[i], max(first[i], d))
            first[i] = min(first[i], d)
    else:
        for i in range(count):
            east, north = place_in_cell(bits[i], moment)
            d = comparable_distance(corner_x + east - fx[i], corner_y + north - fy[i], metric)
            second[i] = min(second[i], max(first[i], d))
            first[i] = min(first[i], d)
