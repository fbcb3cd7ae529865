"""Four published variants of Perlin noise as sources of heights, number for number.

They are choices of one noise: gradients, the fade between nodes, and how a node chooses its gradient.  Three of them
take it from a printed table, so they repeat after 256 cells and are the same for every seed.  Other sources do not
repeat, and are not level at the nodes of all octaves at once.

    n(p) = Σ w · (g · d)

where d leads from each of the four nodes around p to p, g is the gradient of the node, and w its weight by the fade.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import chain_hashes, hash_place
from ..foundation.parameters import parameter, same_as
from ..foundation.terrain import Field, Grid
from .height_range import HeightRange
from .lattice import FADES, PLANE_GRADIENTS, fade
from .octaves import OctaveNoise
from .permutation_tables import TABLE_A, TABLE_B

# A printed table repeats after this many cells.
_TABLE_CELLS = 256
_LAST_ENTRY = _TABLE_CELLS - 1
_NO_TABLE = np.empty(0, np.uint8)
# Rows of the published map whose lowest and highest heights are found at a time.
_STRIP_ROWS = 256
# The published range of the animated variant: (n + 0.707) / 1.414.
_HALF_RANGE, _RANGE = 0.707, 1.414
_CELL_LIMITS: dict[str, Any] = {"unit": "m", "limits": (0.01, 1e6), "soft": (100.0, 10000.0)}


@dataclass(frozen=True)
class SaltedPerlin(HeightRange):
    """Improved Perlin noise, published as a square map; octaves differ by a salt number; the seed has no effect."""

    wavelength: float = parameter(
        1500.0, "Side of the largest cells, half the side of the published map", **_CELL_LIMITS
    )
    octaves: int = parameter(
        9,
        "Number of octaves; the published map has 2 to this power of pixels a side, and its finest cells one pixel",
        limits=(1, 12),
        soft=(4, 12),
    )


@dataclass(frozen=True)
class ZoomedPerlin(HeightRange):
    """Perlin noise of one octave with a zoom; it repeats after 256 cells, and the seed has no effect."""

    wavelength: float = parameter(1000.0, "Side of the cells: the zoom", **_CELL_LIMITS)


@dataclass(frozen=True)
class SlidingPerlin(HeightRange):
    """Perlin noise of one octave that slides with time; it repeats after 256 cells, and the seed has no effect."""

    wavelength: float = parameter(1000.0, "Side of the cells", **_CELL_LIMITS)
    slide: float = parameter(
        0.0,
        "How fast the surface slides to the west, and as fast to the south",
        unit="m/s",
        limits=(-1e6, 1e6),
        soft=(-500.0, 500.0),
    )


@dataclass(frozen=True)
class RandomAnglePerlin(HeightRange):
    """Perlin noise with gradients at random angles, in octaves that all begin at the same point."""

    wavelength: float = parameter(1500.0, "Side of the largest cells", **_CELL_LIMITS)
    octaves: int = parameter(7, "Number of octaves; more add finer detail", limits=(1, 24), soft=(1, 12))
    lacunarity: float = same_as(OctaveNoise, "lacunarity")
    gain: float = same_as(OctaveNoise, "gain")
    fade: str = parameter("cubic", "How cells are blended", choices=FADES, advanced=True)


class _Cells(NamedTuple):
    """Octaves of lattice noise in the form that kernels take; each array has one entry per octave.

    Attributes
    ----------
    frequencies : ndarray of float64
        Cells per metre.
    shift : float
        Cells that all points are moved to the east and to the north.
    weights : ndarray of float64
        Factors on the noise.
    salts : ndarray of int64
        Numbers that are added within the table.
    seeds : ndarray of uint32
        Seeds of the hash, where there is no table.
    table : ndarray of uint8, shape (256,) or (0,)
        A printed table, or none.
    columns_first : bool
        Whether the column of a node is looked up before its row.
    vectors : ndarray of float64, shape (n, 3)
        The gradients.
    fade : int
        Position in `lattice.FADES`.
    """

    frequencies: Array
    shift: float
    weights: Array
    salts: Array
    seeds: Array
    table: Array
    columns_first: bool
    vectors: Array
    fade: int


def _cells(
    sides: Sequence[float],
    weights: Sequence[float],
    *,
    gradients: str = "unit_256",
    fade_name: str = "quintic",
    table: npt.NDArray[np.uint8] = _NO_TABLE,
    columns_first: bool = False,
    salts: Sequence[int] = (),
    seeds: Sequence[int] = (),
    shift: float = 0.0,
) -> _Cells:
    """Return octaves with cells of these sides in m."""
    none = [0] * len(sides)
    return _Cells(
        1.0 / np.array(sides, np.float64),
        shift,
        np.array(weights, np.float64),
        np.array(salts or none, np.int64),
        np.array(seeds or none, np.uint32),
        table,
        columns_first,
        PLANE_GRADIENTS[gradients].vectors,
        list(FADES).index(fade_name),
    )


# --- the four variants ------------------------------------------------------------------------------------------------


def make_salted_perlin(grid: Grid, noise: SaltedPerlin, seed: int = 0, time: float = 0.0) -> Field:
    """Return heights of the salted variant, scaled by the lowest and highest height of the published map.

        h = base + height · (s − s_lowest) / (s_highest − s_lowest)
        s = Σ 2⁻ⁱ n(p · 2ⁱ / wavelength)

    The map has 2ⁿ pixels a side for n octaves, whose cells have 2ⁿ⁻¹ pixels to 1 pixel.  Beyond the map the same noise
    goes on, cut to the same range.

    Parameters
    ----------
    grid : Grid
        Where to sample.  Cells too small for it count with the middle of their range.
    noise : SaltedPerlin
        Size and number of the cells.
    seed : int
        Without effect; all sources take one.
    time : float
        Without effect; all sources take one.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636

    Examples
    --------
    >>> noise = SaltedPerlin(wavelength=32.0, octaves=6, height=1000.0)
    >>> make_salted_perlin(Grid(1, 3, cell_size=8.0), noise).astype(int).tolist()
    [[485, 685, 817]]
    """
    low, high = _published_range(noise.octaves)
    scale = 1.0 / (high - low) if high > low else 0.0
    return _make(grid, noise, _salted(noise.wavelength, noise.octaves), -low * scale, scale)


def make_zoomed_perlin(grid: Grid, noise: ZoomedPerlin, seed: int = 0, time: float = 0.0) -> Field:
    """Return heights of the variant with a zoom.

        h = base + height · (n(p / wavelength) + 1) / 2

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : ZoomedPerlin
        Size of the cells.
    seed : int
        Without effect; all sources take one.
    time : float
        Without effect; all sources take one.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247

    Examples
    --------
    >>> make_zoomed_perlin(Grid(1, 3, cell_size=5.0), ZoomedPerlin(wavelength=10.0, height=1000.0)).astype(int).tolist()
    [[500, 411, 500]]
    """
    cells = _cells([noise.wavelength], [1.0], gradients="unit_8", fade_name="cubic", table=TABLE_B)
    return _make(grid, noise, cells, 0.5, 0.5)


def make_sliding_perlin(grid: Grid, noise: SlidingPerlin, seed: int = 0, time: float = 0.0) -> Field:
    """Return heights of the animated variant, which is sampled at (x + t, y + t).

        h = base + height · (n((p + slide · time) / wavelength) + 0.707) / 1.414

    What would leave the range is cut off.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : SlidingPerlin
        Size of the cells, and how fast they slide.
    seed : int
        Without effect; all sources take one.
    time : float
        Seconds.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636

    Examples
    --------
    >>> noise = SlidingPerlin(wavelength=10.0, height=1000.0, slide=1.0)
    >>> make_sliding_perlin(Grid(1, 3, cell_size=4.0), noise, time=2.0).astype(int).tolist()
    [[665, 416, 411]]
    """
    if not math.isfinite(time):
        raise ValueError(f"time = {time!r} s is not a finite number of seconds")
    slid = Fraction(noise.slide) * Fraction(time) / Fraction(noise.wavelength) % _TABLE_CELLS
    cells = _cells(
        [noise.wavelength], [1.0], gradients="knight_moves_8", table=TABLE_B, columns_first=True, shift=float(slid)
    )
    return _make(grid, noise, cells, _HALF_RANGE / _RANGE, 1.0 / _RANGE)


def make_random_angle_perlin(grid: Grid, noise: RandomAnglePerlin, seed: int, time: float = 0.0) -> Field:
    """Return heights of the variant with gradients at random angles, scaled by the range of all octaves.

        h = base + height · (½ + ½ s / s_highest)
        s = Σ gainⁱ n(p · lacunarityⁱ / wavelength)

    Parameters
    ----------
    grid : Grid
        Where to sample.  Octaves that it cannot show are left out.
    noise : RandomAnglePerlin
        Size, number and blending of the cells.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Without effect; all sources take one.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247

    Examples
    --------
    >>> noise = RandomAnglePerlin(wavelength=300.0, height=1000.0)
    >>> make_random_angle_perlin(Grid(1, 3, cell_size=40.0), noise, seed=1).astype(int).tolist()
    [[500, 574, 636]]
    """
    octaves = range(noise.octaves)
    cells = _cells(
        [noise.wavelength / noise.lacunarity**octave for octave in octaves],
        [noise.gain**octave for octave in octaves],
        fade_name=noise.fade,
        seeds=[int(chain_hashes(seed, octave)) for octave in octaves],
    )
    most = PLANE_GRADIENTS["unit_256"].limits[noise.fade] * math.fsum(cells.weights)
    return _make(grid, noise, cells, 0.5, 0.5 / most)


def _salted(wavelength: float, octaves: int) -> _Cells:
    """Return the octaves of the salted variant; the salt of each is the side of its cells in pixels."""
    numbers = range(octaves)
    return _cells(
        [wavelength / 2.0**octave for octave in numbers],
        [0.5**octave for octave in numbers],
        gradients="axes_diagonals_8",
        table=TABLE_A,
        salts=[2 ** (octaves - 1 - octave) for octave in numbers],
    )


@lru_cache
def _published_range(octaves: int) -> tuple[float, float]:
    """Return the lowest and the highest sum of noise in the published map of the salted variant."""
    side = 2**octaves
    cells = _salted(side / 2.0, octaves)
    places, found = np.arange(side, dtype=np.float64), []
    for first in range(0, side, _STRIP_ROWS):
        rows = places[first : first + _STRIP_ROWS]
        sums = np.empty((rows.size, side))
        _sum_cells(cells, places, rows, sums)
        found += [float(sums.min()), float(sums.max())]
    return min(found), max(found)


def _make(grid: Grid, noise: HeightRange, cells: _Cells, middle: float, scale: float) -> Field:
    """Return heights base + height · (middle + scale · Σ w n), with the octaves that the grid can show."""
    # At its own size a map shows cells of two pixels, however their side was rounded.
    shown = cells.frequencies * grid.cell_size <= 0.5 * (1.0 + 1e-9)
    cells = cells._replace(
        frequencies=cells.frequencies[shown],
        weights=cells.weights[shown],
        salts=cells.salts[shown],
        seeds=cells.seeds[shown],
    )
    x = (grid.first_column + np.arange(grid.columns)) * grid.cell_size
    y = (grid.first_row + np.arange(grid.rows)) * grid.cell_size
    sums = np.empty(grid.shape)
    _sum_cells(cells, x, y, sums)
    shares = np.clip(middle + scale * sums, 0.0, 1.0)
    return (noise.base_altitude + noise.height * shares).astype(np.float32)


# --- kernels ----------------------------------------------------------------------------------------------------------


@parallel_kernel
def _sum_cells(part: Part, cells: _Cells, x: Array, y: Array, sums: Array) -> None:
    """Write the weighted sum of all octaves at the crossings of columns and rows, which are places in m."""
    for row in portion(part, sums.shape[0]):
        for column in range(sums.shape[1]):
            total = 0.0
            for octave in range(cells.frequencies.size):
                f = cells.frequencies[octave]
                px, py = x[column] * f + cells.shift, y[row] * f + cells.shift
                total += cells.weights[octave] * _noise_at(cells, octave, px, py)
            sums[row, column] = total


@kernel
def _noise_at(cells: _Cells, octave: int, x: float, y: float) -> float:
    """Return gradient noise n = Σ w · (g·d) of one octave; places are in cells."""
    column, row = np.floor(x), np.floor(y)
    i, j = np.int64(column), np.int64(row)
    fx, fy = x - column, y - row
    sx, sy = fade(fx, cells.fade), fade(fy, cells.fade)
    a, b = _chosen(cells, octave, i, j), _chosen(cells, octave, i + 1, j)
    c, d = _chosen(cells, octave, i, j + 1), _chosen(cells, octave, i + 1, j + 1)
    g = cells.vectors
    southwest = g[a, 0] * fx + g[a, 1] * fy
    southeast = g[b, 0] * (fx - 1.0) + g[b, 1] * fy
    northwest = g[c, 0] * fx + g[c, 1] * (fy - 1.0)
    northeast = g[d, 0] * (fx - 1.0) + g[d, 1] * (fy - 1.0)
    south = southwest + sx * (southeast - southwest)
    north = northwest + sx * (northeast - northwest)
    return south + sy * (north - south)


@kernel
def _chosen(cells: _Cells, octave: int, i: int, j: int) -> np.int64:
    """Return which gradient a node has, by the table or by the hash."""
    last = np.int64(cells.vectors.shape[0] - 1)
    if cells.table.size == 0:
        return np.int64(hash_place(i, j, cells.seeds[octave])) & last
    first, second = (i, j) if cells.columns_first else (j, i)
    entry = second + np.int64(cells.table[first & _LAST_ENTRY]) + cells.salts[octave]
    return np.int64(cells.table[entry & _LAST_ENTRY]) & last
