"""Lattice noise along the rows of a grid: many samples at a time.

On each lattice row a profile is blended from west to east: p(x), the noise on that row, and q(x), how fast it changes
to the north.  Between two lattice rows, at the height t above the southern one and with s = fade(t), noise is

    n(x, t) = (1 − s) (p₀(x) + q₀(x) t) + s (p₁(x) + q₁(x) (t − 1))

The costly work, hashing nodes and blending profiles, is done once for each lattice row.  A row of samples then takes
four multiplications and additions of neighbouring numbers per octave.  Noise that moves is evaluated in the same way:
the vectors of two layers of nodes are blended first.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion, thread_count
from ..foundation.hashing import hash_place
from ..foundation.terrain import Field, Grid
from .bases import RISE, SLOPE, WEIGHT, Basis
from .height_range import fill_range
from .lattice import fade, height_at, rises_or_falls, wrap
from .octaves import Octaves

CHUNK = 256
"""Samples of a row that are computed at a time: the profiles of eight octaves stay in the fastest cache."""

# From one profile to the next: not a power of two, because its multiples compete for the same places in the cache.
_PITCH = CHUNK + 16

# Threads share the rows in bands.  With fewer bands, fewer lattice rows are computed twice.
_BANDS_PER_THREAD = 2
_SMALLEST_BAND = 16

_MIDDLE = np.float32(0.5)
_ZERO = np.float32(0.0)


class LatticeRows(NamedTuple):
    """Where the samples of a grid lie within the lattices of octaves, in the form that kernels take.

    Attributes
    ----------
    first : ndarray of int64, shape (octaves,)
        Lattice column of the first sample.
    cells : ndarray of uint32, shape (octaves, columns)
        Lattice column of each sample, counted from `first`.
    across : ndarray of float32, shape (octaves, 3, columns)
        f (1 − s), s (f − 1) and s, with f the place within the lattice column and s = fade(f).
    rows : ndarray of int64, shape (octaves, rows)
        Lattice row south of each row of samples.
    along : ndarray of float32, shape (rows, 4, octaves)
        1 − s, (1 − s) t, s and s (t − 1), with t the place between lattice rows and s = fade(t): weights of p₀, q₀, p₁
        and q₁ if the lattice row is even, of p₁, q₁, p₀ and q₀ if it is odd.
    """

    first: Array
    cells: Array
    across: Array
    rows: Array
    along: Array


def lattice_rows(grid: Grid, octaves: Octaves, fade: int) -> LatticeRows:
    """Return where the samples of a grid lie within the lattices of octaves.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    octaves : Octaves
        Where the octaves lie.
    fade : int
        Position in `lattice.FADES`.

    Returns
    -------
    LatticeRows
    """
    count = len(octaves.seeds)
    placed = LatticeRows(
        np.empty(count, np.int64),
        np.empty((count, grid.columns), np.uint32),
        np.empty((count, 3, grid.columns), np.float32),
        np.empty((count, grid.rows), np.int64),
        np.empty((grid.rows, 4, count), np.float32),
    )
    _place(octaves, grid.cell_size, grid.first_column, grid.first_row, fade, placed)
    return placed


@kernel
def _place(
    octaves: Octaves, cell_size: float, first_column: float, first_row: float, kind: int, placed: LatticeRows
) -> None:
    """Write where columns and rows lie within each octave, and the weights that follow from that."""
    for octave in range(octaves.seeds.size):
        step = octaves.frequencies[octave] * cell_size
        east, north = octaves.starts[octave, 0], octaves.starts[octave, 1]
        placed.first[octave] = np.int64(np.floor(first_column * step + east))
        for column in range(placed.cells.shape[1]):
            x = (first_column + column) * step + east
            f = x - np.floor(x)
            s = fade(f, kind)
            placed.cells[octave, column] = np.uint32(np.int64(np.floor(x)) - placed.first[octave])
            placed.across[octave, 0, column] = f * (1.0 - s)
            placed.across[octave, 1, column] = s * (f - 1.0)
            placed.across[octave, 2, column] = s
        for row in range(placed.rows.shape[1]):
            y = (first_row + row) * step + north
            t = y - np.floor(y)
            s = fade(t, kind)
            south = np.int64(np.floor(y))
            even, odd = (0, 2) if south & 1 == 0 else (2, 0)
            placed.rows[octave, row] = south
            placed.along[row, even, octave] = 1.0 - s
            placed.along[row, even + 1, octave] = (1.0 - s) * t
            placed.along[row, odd, octave] = s
            placed.along[row, odd + 1, octave] = s * (t - 1.0)


def sum_rows(grid: Grid, octaves: Octaves, basis: Basis, shape: tuple[float, float, float]) -> Field:
    """Return heights base + height · Pᵏ, with P = ½ + Σ octaves of a lattice basis, cut to [0, 1].

    Parameters
    ----------
    grid : Grid
        Where to sample.
    octaves : Octaves
        Where the octaves lie.
    basis : Basis
        Gradient or value noise; its weights add up to ½ at most.
    shape : tuple of float
        Base in m, height in m and exponent k.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from base to base + height.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
    """
    result = np.empty(grid.shape, np.float32)
    rows = lattice_rows(grid, octaves, basis.fade)
    profiles, nodes = new_profiles(rows, grid.rows)
    _sum_rows(rows, basis, np.array(shape, np.float32), profiles, nodes, result)
    return result


def new_profiles(rows: LatticeRows, row_count: int) -> tuple[Array, Array]:
    """Return the working memory of the bands: profiles of lattice rows, and nodes.

    Parameters
    ----------
    rows : LatticeRows
        Where the samples lie.
    row_count : int
        Rows of samples.

    Returns
    -------
    profiles : ndarray of float32, shape (bands, octaves, n)
    nodes : ndarray of float32, shape (bands, 3, n)
    """
    bands = band_count(row_count)
    nodes = int(rows.cells[:, -1].max(initial=0)) + 2
    return np.empty((bands, len(rows.first), 4 * _PITCH), np.float32), np.empty((bands, 3, nodes), np.float32)


def band_count(rows: int) -> int:
    """Return into how many bands rows are divided for threads; heights do not depend on it.

    Parameters
    ----------
    rows : int
        Rows of samples.

    Returns
    -------
    int
        1 or more.
    """
    return max(1, min(_BANDS_PER_THREAD * thread_count(), rows // _SMALLEST_BAND))


@parallel_kernel
def _sum_rows(
    part: Part, rows: LatticeRows, basis: Basis, shape: Array, profiles: Array, nodes: Array, result: Array
) -> None:
    for band in portion(part, profiles.shape[0]):
        _sum_band(rows, basis, shape, band, profiles, nodes[band], result)


@kernel
def _sum_band(
    rows: LatticeRows, basis: Basis, shape: Array, band: int, profiles: Array, nodes: Array, result: Array
) -> None:
    """Write the heights of one band, chunk by chunk from west to east."""
    own = profiles[band]
    octaves = own.shape[0]
    first, last = band_rows(band, profiles.shape[0], result.shape[0])
    for start in range(0, result.shape[1], CHUNK):
        stop = min(start + CHUNK, result.shape[1])
        for row in range(first, last):
            refresh_profiles(rows, basis, row, row == first, start, stop, own, nodes)
            line = result[row, start:stop]
            for i in range(line.size):
                line[i] = _MIDDLE
            octave = 0
            while octave + 4 <= octaves:
                _add_four(own[octave : octave + 4], rows.along[row, :, octave : octave + 4], line)
                octave += 4
            while octave < octaves:
                _add_one(own[octave], rows.along[row, :, octave], line)
                octave += 1
            fill_range(line, shape[0], shape[1], shape[2])


@kernel
def band_rows(band: int, bands: int, rows: int) -> tuple[int, int]:
    """Return the first row of a band, and the one after its last.

    Parameters
    ----------
    band : int
        From 0.
    bands : int
        How many there are.
    rows : int
        Rows of samples.

    Returns
    -------
    pair of int
    """
    return band * rows // bands, (band + 1) * rows // bands


@kernel
def refresh_profiles(
    rows: LatticeRows, basis: Basis, row: int, anew: bool, start: int, stop: int, own: Array, nodes: Array
) -> None:
    """Compute the profiles that a row of samples needs, except those that the row before needed too.

    Parameters
    ----------
    rows : LatticeRows
        Where the samples lie.
    basis : Basis
        The noise of each octave.
    row : int
        Row of samples.
    anew : bool
        Whether no earlier row has left its profiles.
    start, stop : int
        First column of the chunk, and the one after its last.
    own : ndarray of float32, shape (octaves, n)
        Changed: for each octave p and q of the lattice row with an even number, then of the one with an odd number.  So
        each lattice row is computed once on the way north.
    nodes : ndarray of float32, shape (3, n)
        Working memory.
    """
    # Each way has loops of its own, which keeps the usual one fast.
    if basis.has_heights:
        for octave in range(own.shape[0]):
            for lattice_row in _new_rows(rows, octave, row, anew):
                _find_heights(rows, basis, octave, lattice_row, start, stop, nodes[2])
                _blend_heights(rows, octave, start, stop, nodes[2], _profile(own, octave, lattice_row))
    elif basis.layers.shape[1] > 1:
        for octave in range(own.shape[0]):
            for lattice_row in _new_rows(rows, octave, row, anew):
                _find_moving_slopes(rows, basis, octave, lattice_row, start, stop, nodes)
                profile = _profile(own, octave, lattice_row)
                _blend_slopes(rows, octave, start, stop, nodes, profile)
                _add_level(rows, octave, start, stop, nodes[2], profile)
    else:
        for octave in range(own.shape[0]):
            for lattice_row in _new_rows(rows, octave, row, anew):
                _find_slopes(rows, basis, octave, lattice_row, start, stop, nodes)
                _blend_slopes(rows, octave, start, stop, nodes, _profile(own, octave, lattice_row))


@kernel
def _new_rows(rows: LatticeRows, octave: int, row: int, anew: bool) -> range:
    """Return the lattice rows that a row of samples needs and the one before did not."""
    south = rows.rows[octave, row]
    before = south - 2 if anew else rows.rows[octave, row - 1]
    return range(max(south, before + 2), south + 2)


@kernel
def _profile(own: Array, octave: int, lattice_row: int) -> Array:
    """Return the place of p and q of a lattice row."""
    place = (lattice_row & 1) * 2 * _PITCH
    return own[octave, place : place + 2 * _PITCH]


@kernel
def _nodes_between(rows: LatticeRows, octave: int, start: int, stop: int) -> range:
    """Return the nodes under a chunk of samples, counted from the first one of the grid."""
    return range(np.int64(rows.cells[octave, start]), np.int64(rows.cells[octave, stop - 1]) + 2)


@kernel
def _find_slopes(
    rows: LatticeRows, basis: Basis, octave: int, lattice_row: int, start: int, stop: int, nodes: Array
) -> None:
    """Write the vectors of the nodes of one lattice row."""
    east, north, x, y = nodes[0], nodes[1], basis.vectors[0], basis.vectors[1]
    mask = np.uint32(x.size - 1)
    period, seed, weight = basis.periods[octave], basis.layers[octave, 0], basis.factors[octave, WEIGHT]
    row, origin = wrap(lattice_row, period), rows.first[octave]
    for node in _nodes_between(rows, octave, start, stop):
        k = hash_place(wrap(origin + node, period), row, seed) & mask
        east[node], north[node] = weight * x[k], weight * y[k]


@kernel
def _find_moving_slopes(
    rows: LatticeRows, basis: Basis, octave: int, lattice_row: int, start: int, stop: int, nodes: Array
) -> None:
    """Write the vectors of nodes of gradient noise that moves, and what rises or falls with time."""
    east, north, level, x, y = nodes[0], nodes[1], nodes[2], basis.vectors[0], basis.vectors[1]
    mask = np.uint32(x.size - 1)
    period, weight = basis.periods[octave], basis.factors[octave, WEIGHT]
    row, origin = wrap(lattice_row, period), rows.first[octave]
    for layer in range(basis.layers.shape[1]):
        seed = basis.layers[octave, layer]
        slope, rise = weight * basis.factors[octave, SLOPE + layer], weight * basis.factors[octave, RISE + layer]
        for node in _nodes_between(rows, octave, start, stop):
            bits = hash_place(wrap(origin + node, period), row, seed)
            gx, gy, up = slope * x[bits & mask], slope * y[bits & mask], rise * rises_or_falls(bits)
            east[node] = gx if layer == 0 else east[node] + gx
            north[node] = gy if layer == 0 else north[node] + gy
            level[node] = up if layer == 0 else level[node] + up


@kernel
def _find_heights(
    rows: LatticeRows, basis: Basis, octave: int, lattice_row: int, start: int, stop: int, level: Array
) -> None:
    """Write the heights of nodes of value noise."""
    heights = basis.vectors[2]
    mask = np.uint32(heights.size - 1)
    seed, period = basis.layers[octave, 0], basis.periods[octave]
    weight, moment = basis.factors[octave, WEIGHT], basis.moments[octave]
    row, origin = wrap(lattice_row, period), rows.first[octave]
    for node in _nodes_between(rows, octave, start, stop):
        bits = hash_place(wrap(origin + node, period), row, seed)
        height = heights[bits & mask]
        level[node] = weight * (height if moment == 0.0 else height_at(height, bits, moment))


@kernel
def _blend_slopes(rows: LatticeRows, octave: int, start: int, stop: int, nodes: Array, profile: Array) -> None:
    """Blend from west to east: p = (1 − s) gx f + s gx′ (f − 1) and q = (1 − s) gy + s gy′."""
    east, north = nodes[0], nodes[1]
    cells = rows.cells[octave, start:stop]
    to_west, to_east = rows.across[octave, 0, start:stop], rows.across[octave, 1, start:stop]
    s = rows.across[octave, 2, start:stop]
    p, q = profile[: cells.size], profile[_PITCH : _PITCH + cells.size]
    for i in range(cells.size):
        k = cells[i]
        p[i] = to_west[i] * east[k] + to_east[i] * east[k + np.uint32(1)]
        q[i] = north[k] + s[i] * (north[k + np.uint32(1)] - north[k])


@kernel
def _add_level(rows: LatticeRows, octave: int, start: int, stop: int, level: Array, profile: Array) -> None:
    """Add the heights h of nodes to a profile: p ← p + (1 − s) h + s h′."""
    cells, s = rows.cells[octave, start:stop], rows.across[octave, 2, start:stop]
    p = profile[: cells.size]
    for i in range(cells.size):
        k = cells[i]
        p[i] += level[k] + s[i] * (level[k + np.uint32(1)] - level[k])


@kernel
def _blend_heights(rows: LatticeRows, octave: int, start: int, stop: int, level: Array, profile: Array) -> None:
    """Blend heights of nodes from west to east: p = (1 − s) h + s h′ and q = 0."""
    profile[:] = _ZERO
    _add_level(rows, octave, start, stop, level, profile)


@kernel
def take_line(own: Array, along: Array, line: Array) -> None:
    """Write one octave of a row of samples.

    Parameters
    ----------
    own : ndarray of float32
        The profiles of the octave.
    along : ndarray of float32, shape (4,)
        The weights on p₀, q₀, p₁ and q₁; see `LatticeRows`.
    line : ndarray of float32, shape (samples,)
        Result.
    """
    a, b, c, d = along[0], along[1], along[2], along[3]
    for i in range(line.size):
        line[i] = (a * own[i] + b * own[_PITCH + i]) + (c * own[2 * _PITCH + i] + d * own[3 * _PITCH + i])


@kernel
def _add_one(own: Array, along: Array, line: Array) -> None:
    """Add one octave to a row of samples."""
    a, b, c, d = along[0], along[1], along[2], along[3]
    for i in range(line.size):
        line[i] += (a * own[i] + b * own[_PITCH + i]) + (c * own[2 * _PITCH + i] + d * own[3 * _PITCH + i])


@kernel
def _add_four(own: Array, along: Array, line: Array) -> None:
    """Add four octaves to a row of samples at once, which reads and writes the row only once."""
    k, m, n, o = own[0], own[1], own[2], own[3]
    a0, b0, c0, d0 = along[0, 0], along[1, 0], along[2, 0], along[3, 0]
    a1, b1, c1, d1 = along[0, 1], along[1, 1], along[2, 1], along[3, 1]
    a2, b2, c2, d2 = along[0, 2], along[1, 2], along[2, 2], along[3, 2]
    a3, b3, c3, d3 = along[0, 3], along[1, 3], along[2, 3], along[3, 3]
    for i in range(line.size):
        first = (a0 * k[i] + b0 * k[_PITCH + i]) + (c0 * k[2 * _PITCH + i] + d0 * k[3 * _PITCH + i])
        second = (a1 * m[i] + b1 * m[_PITCH + i]) + (c1 * m[2 * _PITCH + i] + d1 * m[3 * _PITCH + i])
        third = (a2 * n[i] + b2 * n[_PITCH + i]) + (c2 * n[2 * _PITCH + i] + d2 * n[3 * _PITCH + i])
        fourth = (a3 * o[i] + b3 * o[_PITCH + i]) + (c3 * o[2 * _PITCH + i] + d3 * o[3 * _PITCH + i])
        line[i] += (first + second) + (third + fourth)
