"""Fractal Brownian motion: octaves of gradient noise (Mandelbrot & Van Ness 1968; Musgrave, Kolb & Mace 1989)."""

import math
from dataclasses import dataclass

import numpy as np

from ..compilation import Array, Bits, kernel, parallel_kernel, prange
from ..hashing import derive_seed, hash_place, unit_float
from ..parameters import parameter
from ..terrain import Field, Grid
from .gradient_noise import GRADIENTS, NOISE_LIMIT
from .height_range import HeightRange

# Rows are shared out to threads in bands; what is known about a lattice row serves all the rows of a band.
_BAND_ROWS = 32


@dataclass(frozen=True)
class FractalNoise(HeightRange):
    """Hills upon hills: each octave is finer and lower than the one before."""

    wavelength: float = parameter(
        2400.0, "Distance between the largest hills", unit="m", limits=(0.01, 1e6), soft=(100.0, 10000.0)
    )
    attenuation: float = parameter(
        1.0, "Exponent on the height: above 1 plains flatten and summits stay", limits=(1.0, 8.0), soft=(1.0, 4.0)
    )
    octaves: int = parameter(8, "Number of layers of detail", limits=(1, 24), soft=(1, 12), advanced=True)
    lacunarity: float = parameter(
        2.0, "How much finer each octave is than the one before", limits=(1.1, 8.0), soft=(1.5, 3.0), advanced=True
    )
    gain: float = parameter(
        0.5, "How high each octave is compared with the one before", limits=(0.0, 1.0), soft=(0.3, 0.7), advanced=True
    )


def make_fractal_noise(grid: Grid, noise: FractalNoise, seed: int) -> Field:
    """Return heights T = base + height · Pᵏ, with P a sum of octaves scaled to [0, 1].

    The scale is that of the sum's true range, known beforehand, and not of the heights that happen to occur:
    neighbouring pieces of land match, and most land uses the middle of the range.

    Parameters
    ----------
    grid : Grid
        Where to sample.  A finer grid over the same ground samples the same land more finely; octaves that it cannot
        show (wavelength under two cells) are left out; where it can show none, the land is level.
    noise : FractalNoise
        Shape of the land.
    seed : int
        0 to 2³¹ − 1.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.
    """
    amplitudes = [noise.gain**octave for octave in range(noise.octaves)]
    wavelengths = [noise.wavelength / noise.lacunarity**octave for octave in range(noise.octaves)]
    shown = [octave for octave in range(noise.octaves) if wavelengths[octave] >= 2.0 * grid.cell_size]
    limit = NOISE_LIMIT * sum(amplitudes)

    cells = np.empty((len(shown), grid.columns), np.int32)
    offsets = np.empty((len(shown), grid.columns), np.float32)
    rows = np.empty((len(shown), grid.rows))
    seeds = np.empty(len(shown), np.uint32)
    for octave in shown:
        seeds[octave] = derive_seed(seed, 1, octave)
        # Every octave starts elsewhere; else all of them would be zero at the origin, which shows as a flat spot.
        east, north = (float(unit_float(hash_place(axis, octave, seeds[octave]))) for axis in (1, 2))
        x = np.arange(grid.columns) * (grid.cell_size / wavelengths[octave]) + east
        cells[octave] = np.floor(x)
        offsets[octave] = x - np.floor(x)
        rows[octave] = np.arange(grid.rows) * (grid.cell_size / wavelengths[octave]) + north

    bands = -(-grid.rows // _BAND_ROWS)
    nodes = int(cells[:, -1].max(initial=0)) + 2
    result = np.empty(grid.shape, np.float32)
    scratch = np.empty((bands, len(shown), 4, nodes), np.float32)
    ramps = np.empty((bands, 4, nodes), np.float32)
    weights = np.array(amplitudes[: len(shown)], np.float64) * (0.5 / limit)
    _sum_octaves(cells, offsets, rows, seeds, weights.astype(np.float32), GRADIENTS, scratch, ramps, result)
    _shape(result, np.float32(noise.base_altitude), np.float32(noise.height), np.float32(noise.attenuation))
    return result


@parallel_kernel
def _sum_octaves(
    cells: Array,
    offsets: Array,
    rows: Array,
    seeds: Array,
    weights: Array,
    gradients: Array,
    scratch: Array,
    ramps: Array,
    result: Array,
) -> None:
    for band in prange(scratch.shape[0]):
        start = band * _BAND_ROWS
        for row in range(start, min(start + _BAND_ROWS, result.shape[0])):
            line = result[row]
            line[:] = np.float32(0.5)
            for octave in range(weights.size):
                lattice_row = math.floor(rows[octave, row])
                count = cells[octave, -1] + 2
                nodes = scratch[band, octave]
                if row == start or lattice_row != math.floor(rows[octave, row - 1]):
                    _hash_nodes(np.int64(lattice_row), count, seeds[octave], gradients, nodes)
                _fold_row(np.float32(rows[octave, row] - lattice_row), weights[octave], count, nodes, ramps[band])
                _add_octave(cells[octave], offsets[octave], ramps[band], line)


@kernel
def _hash_nodes(lattice_row: int, count: int, seed: Bits, gradients: Array, nodes: Array) -> None:
    for node in range(count):
        south = gradients[hash_place(node, lattice_row, seed) & np.uint32(255)]
        north = gradients[hash_place(node, lattice_row + 1, seed) & np.uint32(255)]
        nodes[0, node] = south[0]
        nodes[1, node] = south[1]
        nodes[2, node] = north[0]
        nodes[3, node] = north[1]


@kernel
def _fold_row(fy: np.float32, weight: np.float32, count: int, nodes: Array, ramps: Array) -> None:
    """Blend the gradients of two lattice rows: what is left of each node is a ramp along x, slope · dx + offset."""
    blend = fy * fy * fy * (fy * (fy * np.float32(6.0) - np.float32(15.0)) + np.float32(10.0))
    for node in range(count):
        south, north = nodes[1, node] * fy, nodes[3, node] * (fy - np.float32(1.0))
        slope = weight * (nodes[0, node] + blend * (nodes[2, node] - nodes[0, node]))
        offset = weight * (south + blend * (north - south))
        ramps[0, node] = slope
        ramps[1, node] = offset
        ramps[2, node] = offset - slope


@kernel
def _add_octave(cells: Array, offsets: Array, ramps: Array, line: Array) -> None:
    slopes, west_offsets, east_offsets = ramps[0], ramps[1], ramps[2]
    for column in range(line.size):
        cell = cells[column]
        t = offsets[column]
        blend = t * t * t * (t * (t * np.float32(6.0) - np.float32(15.0)) + np.float32(10.0))
        west = slopes[cell] * t + west_offsets[cell]
        east = slopes[cell + 1] * t + east_offsets[cell + 1]
        line[column] += west + blend * (east - west)


@parallel_kernel
def _shape(result: Array, base: np.float32, height: np.float32, attenuation: np.float32) -> None:
    for row in prange(result.shape[0]):
        line = result[row]
        if attenuation != np.float32(1.0):
            for column in range(line.size):
                line[column] = line[column] ** attenuation
        for column in range(line.size):
            line[column] = base + height * line[column]
