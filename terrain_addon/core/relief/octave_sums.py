"""Octaves of noise combined into one surface: plain and folded sums, multifractals, sums damped by slopes.

Octaves that are too fine for the grid count with what they are expected to add, so that a coarse surface is a fine one
seen from far away: see `expected_octaves`.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
Ebert, D. S., Musgrave, F. K., Peachey, D., Perlin, K. & Worley, S. (1994). Texturing & Modeling: A Procedural Approach.
Academic Press.
Quilez, I. (2008). Value noise derivatives. iquilezles.org, articles.
de Carpentier, G. (2012). Scape: 3. Procedural extensions. decarpentier.nl.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field, Grid
from .bases import LATTICE, SIMPLEX, Basis
from .expected_octaves import ExpectedOctaves, add_expected_octaves
from .height_range import fill_range
from .lattice_rows import (
    CHUNK,
    LatticeRows,
    band_count,
    band_rows,
    lattice_rows,
    new_profiles,
    refresh_profiles,
    take_line,
)
from .noise_lines import NODE_LINES, WORK_LINES, cellular_line, lattice_line
from .octaves import Octaves
from .simplex_lines import (
    LONGEST_LINE,
    SPARE,
    SimplexMemory,
    forget_nodes,
    is_near_origin,
    new_simplex_memory,
    pair_slopes,
    simplex_line,
    simplex_row,
)
from .sum_rules import (
    BILLOW,
    DAMPED,
    HETERO,
    HYBRID,
    JORDAN,
    RIDGED,
    RIDGED_MULTIFRACTAL,
    SLOPE_KINDS,
    SMOOTH,
    SWISS,
    SumRule,
)

# Points that are computed at a time away from rows: enough that calls of kernels take little of the time.
_LINE = LONGEST_LINE

# Lines of float32 that each band works with: noise, two derivatives, total, carry, and two sums of derivatives.
_STATE_LINES = 7
# Lines before this one are rewritten for each octave; this line and those after it add up.
_FIRST_SUM_LINE = 3

_ZERO = np.float32(0.0)

# How far the slopes of earlier octaves move a point of Jordan noise, in cells.
_JORDAN_WARP = 0.35


class Points(NamedTuple):
    """A sum of octaves at any points, in the form that kernels take.

    Attributes
    ----------
    kind : int
        How octaves are combined; see `SumRule`.
    settings : ndarray of float32, shape (7,)
        Offset, strength, scale and middle of the sum; base, height and exponent of the result.
    expected : ExpectedOctaves
        What the octaves add that the grid cannot show.
    x, y : ndarray of float64
        Places of columns and rows in m.
    pull_east, pull_north : ndarray of float32, shape (rows, columns) or (0, 0)
        How far each sample is taken from a point further to the east and north, in m; empty for no pull.
    place, corners, work, state : ndarray
        Working memory of each band.
    result : ndarray of float32, shape (rows, columns)
        Heights in m.
    """

    kind: int
    settings: Array
    expected: ExpectedOctaves
    x: Array
    y: Array
    pull_east: Array
    pull_north: Array
    place: Array
    corners: Array
    work: Array
    state: Array
    result: Array


def combine_octaves(
    grid: Grid,
    octaves: Octaves,
    basis: Basis,
    rule: SumRule,
    expected: ExpectedOctaves,
    shape: tuple[float, float, float],
    pull: tuple[Field, Field] | None = None,
) -> Field:
    """Return heights base + height · Pᵏ, with P the combined octaves, scaled from their range to [0, 1].

    Parameters
    ----------
    grid : Grid
        Where to sample.
    octaves : Octaves
        Where the octaves lie.
    basis : Basis
        The noise of each octave, with a weight of 1.
    rule : SumRule
        How they are combined.
    expected : ExpectedOctaves
        What the octaves add that the grid cannot show.
    shape : tuple of float
        Base in m, height in m and exponent k.
    pull : pair of ndarray of float32, shape (rows, columns), optional
        How far each sample is taken from a point further to the east and north, in m.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from base to base + height.

    References
    ----------
    Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
    Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
    """
    result = np.empty(grid.shape, np.float32)
    settings = _settings(rule, expected, shape)
    # Slopes need point evaluation; without them and without a pull, a lattice is faster along rows.
    if basis.kind == LATTICE and pull is None and rule.kind not in SLOPE_KINDS:
        rows = lattice_rows(grid, octaves, basis.fade)
        profiles, nodes = new_profiles(rows, grid.rows)
        state = np.empty((len(profiles), _STATE_LINES, CHUNK), np.float32)
        _combine_rows(basis, octaves.amplitudes, rows, rule.kind, settings, expected, profiles, nodes, state, result)
        return result
    x = (grid.first_column + np.arange(grid.columns)) * grid.cell_size
    y = (grid.first_row + np.arange(grid.rows)) * grid.cell_size
    east, north = pull if pull is not None else (np.empty((0, 0), np.float32), np.empty((0, 0), np.float32))
    bands = band_count(grid.rows)
    points = Points(
        rule.kind,
        settings,
        expected,
        x,
        y,
        east,
        north,
        np.zeros((bands, 2, _LINE + SPARE)),
        np.empty((bands, NODE_LINES, _LINE), np.int64),
        np.empty((bands, WORK_LINES, _LINE), np.float32),
        np.empty((bands, _STATE_LINES, _LINE + SPARE), np.float32),
        result,
    )
    if basis.kind == SIMPLEX:
        longest_row = min(grid.columns, _LINE) * grid.cell_size * max(octaves.frequencies, default=0.0)
        _combine_simplex(basis, octaves, points, new_simplex_memory(bands, octaves.seeds.size, longest_row))
    else:
        combine = _combine_lattice if basis.kind == LATTICE else _combine_cells
        combine(basis, octaves, points)
    return result


def _settings(rule: SumRule, expected: ExpectedOctaves, shape: tuple[float, float, float]) -> npt.NDArray[np.float32]:
    """Return the numbers of a rule and of the result in the form that kernels take; see `Points`."""
    span = rule.highest - rule.lowest
    scale, middle = (1.0 / span, -rule.lowest / span) if span > 0.0 else (0.0, 0.5)
    scale, middle = expected.factor * scale, expected.level * scale + middle
    return np.array([rule.offset, rule.strength, scale, middle, *shape], np.float32)


@parallel_kernel
def _combine_rows(
    part: Part,
    basis: Basis,
    amplitudes: Array,
    rows: LatticeRows,
    kind: int,
    settings: Array,
    expected: ExpectedOctaves,
    profiles: Array,
    nodes: Array,
    state: Array,
    result: Array,
) -> None:
    """Combine the octaves of a share of the bands, from noise that is evaluated row by row."""
    for band in portion(part, profiles.shape[0]):
        _combine_band_of_rows(
            basis, amplitudes, rows, kind, settings, expected, band, profiles, nodes[band], state[band], result
        )


@kernel
def _combine_band_of_rows(
    basis: Basis,
    amplitudes: Array,
    rows: LatticeRows,
    kind: int,
    settings: Array,
    expected: ExpectedOctaves,
    band: int,
    profiles: Array,
    nodes: Array,
    lines: Array,
    result: Array,
) -> None:
    """Combine the octaves of one band of rows, from noise that is evaluated row by row."""
    own = profiles[band]
    first, last = band_rows(band, profiles.shape[0], result.shape[0])
    for start in range(0, result.shape[1], CHUNK):
        stop = min(start + CHUNK, result.shape[1])
        n = lines[0, : stop - start]
        for row in range(first, last):
            refresh_profiles(rows, basis, row, row == first, start, stop, own, nodes)
            lines[_FIRST_SUM_LINE:] = _ZERO
            for octave in range(amplitudes.size):
                take_line(own[octave], rows.along[row, :, octave], n)
                _add_octave(kind, octave, amplitudes, settings, lines, n.size)
            if expected.table.size + expected.amplitudes.size > 0:
                add_expected_octaves(kind, amplitudes.size, expected, settings, lines, n.size)
            _finish(lines[3], settings, result[row, start:stop])


@parallel_kernel
def _combine_lattice(part: Part, basis: Basis, octaves: Octaves, points: Points) -> None:
    for band in portion(part, points.place.shape[0]):
        _combine_lattice_band(basis, octaves, points, band)


@kernel
def _combine_lattice_band(basis: Basis, octaves: Octaves, points: Points, band: int) -> None:
    """Combine the octaves of one band of rows, from lattice noise at any points."""
    corners, work, lines = points.corners[band], points.work[band], points.state[band]
    slopes = points.kind in SLOPE_KINDS
    first, last = band_rows(band, points.place.shape[0], points.y.size)
    for start in range(0, points.x.size, _LINE):
        count = min(_LINE, points.x.size - start)
        px, py = points.place[band, 0, :count], points.place[band, 1, :count]
        for row in range(first, last):
            lines[_FIRST_SUM_LINE:] = _ZERO
            for octave in range(octaves.seeds.size):
                _place_line(octaves, points, octave, row, start, lines, px, py)
                lattice_line(basis, octave, px, py, slopes, corners, work, lines[0], lines[1], lines[2])
                _add_octave(points.kind, octave, octaves.amplitudes, points.settings, lines, count)
            if points.expected.table.size + points.expected.amplitudes.size > 0:
                shown = octaves.seeds.size
                add_expected_octaves(points.kind, shown, points.expected, points.settings, lines, count)
            _finish(lines[3], points.settings, points.result[row, start : start + count])


@parallel_kernel
def _combine_simplex(part: Part, basis: Basis, octaves: Octaves, points: Points, memory: SimplexMemory) -> None:
    for band in portion(part, points.place.shape[0]):
        _combine_simplex_band(basis, octaves, points, memory, band)


@kernel
def _combine_simplex_band(basis: Basis, octaves: Octaves, points: Points, memory: SimplexMemory, band: int) -> None:
    """Combine the octaves of one band of rows, from simplex noise at the points of rows, or at any points."""
    work, lines = memory.work[band], points.state[band]
    pair_slopes(basis, work)
    is_pulled = points.pull_east.size > 0
    first, last = band_rows(band, points.place.shape[0], points.y.size)
    for start in range(0, points.x.size, _LINE):
        count = min(_LINE, points.x.size - start)
        px, py, row_x = points.place[band, 0, :count], points.place[band, 1, :count], points.place[band, 0]
        forget_nodes(memory, band)
        for row in range(first, last):
            lines[_FIRST_SUM_LINE:] = _ZERO
            for octave in range(octaves.seeds.size):
                north = 0.0 if is_pulled else _place_along(octaves, points, octave, row, start, px)
                if not is_pulled and is_near_origin(px, north, count):
                    simplex_row(basis, octave, row_x, north, count, memory, band, lines[0])
                else:
                    _place_line(octaves, points, octave, row, start, lines, px, py)
                    simplex_line(basis, octave, px, py, work, lines[0])
                _add_octave(points.kind, octave, octaves.amplitudes, points.settings, lines, count)
            if points.expected.table.size + points.expected.amplitudes.size > 0:
                shown = octaves.seeds.size
                add_expected_octaves(points.kind, shown, points.expected, points.settings, lines, count)
            _finish(lines[3], points.settings, points.result[row, start : start + count])


@parallel_kernel
def _combine_cells(part: Part, basis: Basis, octaves: Octaves, points: Points) -> None:
    for band in portion(part, points.place.shape[0]):
        _combine_cells_band(basis, octaves, points, band)


@kernel
def _combine_cells_band(basis: Basis, octaves: Octaves, points: Points, band: int) -> None:
    """Combine the octaves of one band of rows, from cellular noise at any points."""
    corners, work, lines = points.corners[band], points.work[band], points.state[band]
    first, last = band_rows(band, points.place.shape[0], points.y.size)
    for start in range(0, points.x.size, _LINE):
        count = min(_LINE, points.x.size - start)
        px, py = points.place[band, 0, :count], points.place[band, 1, :count]
        for row in range(first, last):
            lines[_FIRST_SUM_LINE:] = _ZERO
            for octave in range(octaves.seeds.size):
                _place_line(octaves, points, octave, row, start, lines, px, py)
                cellular_line(basis, octave, px, py, corners, work, lines[0])
                _add_octave(points.kind, octave, octaves.amplitudes, points.settings, lines, count)
            if points.expected.table.size + points.expected.amplitudes.size > 0:
                shown = octaves.seeds.size
                add_expected_octaves(points.kind, shown, points.expected, points.settings, lines, count)
            _finish(lines[3], points.settings, points.result[row, start : start + count])


@kernel
def _finish(total: Array, settings: Array, line: Array) -> None:
    """Write heights: the sum, scaled from its range to [0, 1] and then to the range of heights."""
    for i in range(line.size):
        line[i] = total[i] * settings[2] + settings[3]
    fill_range(line, settings[4], settings[5], settings[6])


@kernel
def _place_along(octaves: Octaves, points: Points, octave: int, row: int, start: int, px: Array) -> float:
    """Write where the points of a row lie from west to east in an octave; return how far north they are."""
    frequency, east = octaves.frequencies[octave], octaves.starts[octave, 0]
    x = points.x[start : start + px.size]
    for i in range(px.size):
        px[i] = x[i] * frequency + east
    return points.y[row] * frequency + octaves.starts[octave, 1]


@kernel
def _place_line(
    octaves: Octaves, points: Points, octave: int, row: int, start: int, lines: Array, px: Array, py: Array
) -> None:
    """Write where the points of a line lie in an octave: at their own places, pulled, or moved by earlier octaves."""
    frequency = octaves.frequencies[octave]
    py[:] = _place_along(octaves, points, octave, row, start, px)
    if points.pull_east.size > 0:
        pull_east, pull_north = points.pull_east[row, start:], points.pull_north[row, start:]
        for i in range(px.size):
            px[i] += pull_east[i] * frequency
            py[i] += pull_north[i] * frequency
    moved = 0.0
    if points.kind == SWISS:
        moved = points.settings[1] * frequency / octaves.frequencies[0]
    elif points.kind == JORDAN:
        moved = _JORDAN_WARP
    if moved > 0.0:
        sum_x, sum_y = lines[5], lines[6]
        for i in range(px.size):
            px[i] += moved * sum_x[i]
            py[i] += moved * sum_y[i]


@kernel
def _add_octave(kind: int, octave: int, amplitudes: Array, settings: Array, lines: Array, count: int) -> None:
    """Add one more octave to the sum; `SumRule` has the formula of each kind."""
    is_first, a = octave == 0, np.float32(amplitudes[octave])
    n, along_x, along_y, total = lines[0, :count], lines[1, :count], lines[2, :count], lines[3, :count]
    carry, sum_x, sum_y = lines[4, :count], lines[5, :count], lines[6, :count]
    offset, strength = settings[0], settings[1]
    zero, one = np.float32(0.0), np.float32(1.0)
    if kind == SMOOTH:
        for i in range(count):
            total[i] += a * n[i]
    elif kind == BILLOW:
        for i in range(count):
            total[i] += a * abs(n[i])
    elif kind == RIDGED:
        for i in range(count):
            total[i] += a * (one - abs(n[i]))
    elif kind == RIDGED_MULTIFRACTAL:
        for i in range(count):
            ridge = offset - abs(n[i])
            signal = ridge * ridge * (one if is_first else min(max(carry[i] * strength, zero), one))
            total[i] += a * signal
            carry[i] = signal
    elif kind == HYBRID:
        for i in range(count):
            weight = one if is_first else min(carry[i], one)
            signal = a * (n[i] + offset)
            total[i] += weight * signal
            carry[i] = weight * signal
    elif kind == HETERO:
        for i in range(count):
            total[i] = n[i] + offset if is_first else total[i] + a * (n[i] + offset) * total[i]
    elif kind == DAMPED:
        for i in range(count):
            sum_x[i] += along_x[i]
            sum_y[i] += along_y[i]
            total[i] += a * n[i] / (one + strength * (sum_x[i] * sum_x[i] + sum_y[i] * sum_y[i]))
    elif kind == SWISS:
        for i in range(count):
            weight = a * (one if is_first else carry[i])
            total[i] += weight * (one - abs(n[i]))
            sum_x[i] -= weight * n[i] * along_x[i]
            sum_y[i] -= weight * n[i] * along_y[i]
            carry[i] = (one if is_first else carry[i]) * min(max(total[i], zero), one)
    else:
        for i in range(count):
            square = sum_x[i] * sum_x[i] + sum_y[i] * sum_y[i]
            weight = a * (one if is_first else one - strength / (one + square))
            total[i] += weight * n[i] * n[i]
            sum_x[i] += n[i] * along_x[i]
            sum_y[i] += n[i] * along_y[i]
