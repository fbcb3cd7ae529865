"""Lattice noise: every node of a square or cubic lattice has a vector; between nodes what they span is blended.

This is the general code behind gradient noise (Perlin 1985, "An Image Synthesizer"; 2002, "Improving Noise"), value
noise and the published variants, point by point and in float64.  `lattice_rows` evaluates the same function along the
rows of a map, and is tested against it.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, kernel
from ..foundation.hashing import hash_place

FADES = {
    "quintic": "6t⁵ − 15t⁴ + 10t³: no crease and no sudden bend where cells meet (Perlin 2002)",
    "cubic": "3t² − 2t³: no crease, but light shows where cells meet (Perlin 1985)",
    "linear": "Straight: the lattice shows as creases",
}
"""Steps from 0 to 1 with which nodes are blended; a kernel is given the number of one in this order."""

# Distinguishes the layers of a lattice in space from other uses of a seed.
_LAYERS = 0x3D


@dataclass(frozen=True)
class VectorSet:
    """The vectors that nodes choose from, and how far noise made of them can reach.

    Attributes
    ----------
    vectors : ndarray of float64, shape (n, 3)
        n is a power of two; the third component is 0 in the plane.
    limits : dict of str to float
        Largest magnitude of the noise under each fade: the highest value that nodes can agree on at any point.
    """

    vectors: npt.NDArray[np.float64]
    limits: dict[str, float]


def _vector_set(vectors: npt.ArrayLike, limits: float | dict[str, float], *, unit: bool = False) -> VectorSet:
    rows = np.asarray(vectors, np.float64)
    if unit:
        rows = rows / np.linalg.norm(rows, axis=1)[:, np.newaxis]
    space = np.zeros((len(rows), 3))
    space[:, : rows.shape[1]] = rows
    return VectorSet(space, limits if isinstance(limits, dict) else dict.fromkeys(FADES, limits))


_AXES_AND_DIAGONALS = [(1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)]
_KNIGHT_MOVES = [(1, 2), (2, 1), (-1, 2), (-2, 1), (-1, -2), (-2, -1), (1, -2), (2, -1)]
_ANGLES = (np.arange(256) + 0.5) * (2.0 * math.pi / 256.0)
# Perlin's order; four of the twelve appear twice, so that four bits choose one.
_CUBE_EDGES = [
    *((x, y, 0) for y in (1, -1) for x in (1, -1)),
    *((x, 0, z) for z in (1, -1) for x in (1, -1)),
    *((0, y, z) for z in (1, -1) for y in (1, -1)),
    *((1, 1, 0), (0, -1, 1), (-1, 1, 0), (0, -1, -1)),
]

PLANE_GRADIENTS = {
    "unit_256": _vector_set(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1), math.sqrt(0.5)),
    "unit_8": _vector_set(_AXES_AND_DIAGONALS, math.sqrt(0.5), unit=True),
    "axes_diagonals_8": _vector_set(_AXES_AND_DIAGONALS, 1.0),
    "knight_moves_8": _vector_set(
        _KNIGHT_MOVES, {"quintic": 0.67581612, "cubic": 0.67705769, "linear": 0.68013735}, unit=True
    ),
}
"""Gradients in the plane: 256 unit vectors, half a step off the axes so that no direction of the lattice is favoured;
the 8 axes and diagonals with length 1; the same as they are; the 8 moves of a knight with length 1."""

SPACE_GRADIENTS = {
    "cube_edges": _vector_set(_CUBE_EDGES, {"quintic": 1.03635382, "cubic": 1.04490519, "linear": 1.06482817})
}
"""Gradients in space: from the centre of a cube to its 12 edges (Perlin 2002)."""

LEVELS = _vector_set([(0.0, 0.0, level) for level in np.linspace(-1.0, 1.0, 256)], 1.0)
"""256 heights from −1 to 1, for value noise: the third component is the height of a node and has no slope."""

_NO_TABLE = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Permutation:
    """A published way to choose the vector of a node: a shuffled table, which repeats after 256 cells.

    The entry of node (column, row) is ``table[(column + table[row & 255] + salt) & 255]``; with `columns_first`, column
    and row change places.

    Parameters
    ----------
    table : array_like of int, shape (256,)
        Entries from 0 to 255.
    salt : int
        Tells patterns apart that share the table.
    columns_first : bool
        Whether the column is looked up first.

    Raises
    ------
    ValueError
        If the table does not hold 256 numbers from 0 to 255.
    """

    table: npt.ArrayLike
    salt: int = 0
    columns_first: bool = False

    def __post_init__(self) -> None:
        entries = np.asarray(self.table)
        if entries.shape != (256,) or entries.dtype.kind not in "iu" or entries.min() < 0 or entries.max() > 255:
            raise ValueError("a permutation table must hold 256 whole numbers from 0 to 255")
        object.__setattr__(self, "table", np.array(entries, np.uint8))


class Lattice(NamedTuple):
    """How the nodes of a lattice choose their vectors, in the form that kernels take.

    Attributes
    ----------
    seed : numpy.uint32
    period : int
        Number of cells after which everything repeats, 0 for never.
    fade : int
        Place in `FADES`.
    rises : bool
        Whether the third component is a slope (gradients) or a height (value noise).
    vectors : ndarray of float64, shape (n, 3)
    table : ndarray of uint8, shape (256,) or (0,)
        A permutation; empty for the hash, which never repeats.
    salt : int
    columns_first : bool
    """

    seed: Bits
    period: int
    fade: int
    rises: bool
    vectors: Array
    table: Array
    salt: int
    columns_first: bool


def new_lattice(
    seed: int,
    fade: str,
    vector_set: VectorSet,
    *,
    period: int = 0,
    permutation: Permutation | None = None,
    rises: bool = True,
) -> Lattice:
    """Return a lattice in the form that kernels take; see `Lattice`.

    Raises
    ------
    ValueError
        If the seed does not fit 32 bits, the fade is unknown, or the period is negative.
    """
    if fade not in FADES:
        raise ValueError(f"fade = {fade!r} is none of: {', '.join(FADES)}")
    if not 0 <= period < 2**31:
        raise ValueError(f"period = {period} cells is outside 0 to 2³¹ − 1 cells")
    chosen = permutation or Permutation(np.arange(256))
    return Lattice(
        checked_seed(seed),
        period,
        list(FADES).index(fade),
        rises,
        vector_set.vectors,
        np.asarray(chosen.table) if permutation else _NO_TABLE,
        chosen.salt,
        chosen.columns_first,
    )


def checked_seed(seed: int) -> np.uint32:
    """Return a seed in the form that kernels take.

    Raises
    ------
    ValueError
        If it does not fit 32 bits.
    """
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed = {seed} is outside 0 to 2³² − 1")
    return np.uint32(seed)


def checked_points(**coordinates: npt.ArrayLike) -> tuple[tuple[int, ...], list[npt.NDArray[np.float64]]]:
    """Return the common shape of coordinates, and each of them flat, as float64.

    Raises
    ------
    ValueError
        If shapes do not fit one another, or a coordinate is not finite or not below 2⁴⁰ in magnitude.
    """
    arrays = {name: np.asarray(values, np.float64) for name, values in coordinates.items()}
    try:
        shape = np.broadcast_shapes(*(values.shape for values in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {values.shape}" for name, values in arrays.items())
        raise ValueError(f"the shapes of coordinates do not fit one another: {shapes}") from None
    for name, values in arrays.items():
        if not np.all(np.abs(values) < 2.0**40):
            raise ValueError(f"{name} holds coordinates that are not finite or not below 2⁴⁰ cells")
    return shape, [np.ascontiguousarray(np.broadcast_to(values, shape)).ravel() for values in arrays.values()]


def evaluate_in_plane(x: npt.ArrayLike, y: npt.ArrayLike, lattice: Lattice) -> npt.NDArray[np.float64]:
    """Return noise and its two derivatives at points of the plane, float64 of shape (3, ...)."""
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty((3, xs.size))
    _evaluate_plane(xs, ys, lattice, result)
    return result.reshape(3, *shape)


def evaluate_in_space(
    x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike, lattice: Lattice
) -> npt.NDArray[np.float64]:
    """Return noise and its derivatives along x and y at points of space, float64 of shape (3, ...)."""
    shape, (xs, ys, zs) = checked_points(x=x, y=y, z=z)
    result = np.empty((3, xs.size))
    _evaluate_space(xs, ys, zs, lattice, result)
    return result.reshape(3, *shape)


@kernel
def fade(t: float, kind: int) -> float:
    """Blend from 0 to 1; see `FADES`."""
    if kind == 0:
        return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    if kind == 1:
        return t * t * (3.0 - 2.0 * t)
    return t


@kernel
def fade_slope(t: float, kind: int) -> float:
    """Return the derivative of `fade`."""
    if kind == 0:
        return 30.0 * t * t * (t * (t - 2.0) + 1.0)
    if kind == 1:
        return 6.0 * t * (1.0 - t)
    return 1.0


@kernel
def layer_seed(layer: int, seed: Bits) -> np.uint32:
    """Return the seed of one layer of a lattice in space: each is a lattice in the plane of its own."""
    return hash_place(layer, _LAYERS, seed)


@kernel
def wrap(index: int, period: int) -> int:
    """Return the index of a node in a lattice that repeats after `period` cells, or never if that is 0."""
    return index % period if period > 0 else index


@kernel
def hashed_plane(
    x: float, y: float, dz: float, seed: Bits, period: int, kind: int, vectors: Array
) -> tuple[float, float, float]:
    """Noise of one plane of a lattice and its derivatives along x and y; `dz` is the height above that plane."""
    column, row = np.floor(x), np.floor(y)
    west, south = np.int64(column), np.int64(row)
    east, north = wrap(west + 1, period), wrap(south + 1, period)
    west, south = wrap(west, period), wrap(south, period)
    mask = np.uint32(vectors.shape[0] - 1)
    return _blend(
        hash_place(west, south, seed) & mask,
        hash_place(east, south, seed) & mask,
        hash_place(west, north, seed) & mask,
        hash_place(east, north, seed) & mask,
        x - column,
        y - row,
        dz,
        kind,
        vectors,
    )


@kernel
def _tabled_plane(x: float, y: float, layer: int, dz: float, lattice: Lattice) -> tuple[float, float, float]:
    column, row = np.floor(x), np.floor(y)
    west, south = np.int64(column), np.int64(row)
    return _blend(
        _entry(west, south, layer, lattice),
        _entry(west + 1, south, layer, lattice),
        _entry(west, south + 1, layer, lattice),
        _entry(west + 1, south + 1, layer, lattice),
        x - column,
        y - row,
        dz,
        lattice.fade,
        lattice.vectors,
    )


@kernel
def _entry(column: int, row: int, layer: int, lattice: Lattice) -> int:
    table = lattice.table
    i, j = wrap(column, lattice.period), wrap(row, lattice.period)
    first, second = (i, j) if lattice.columns_first else (j, i)
    entry = np.int64(table[(second + np.int64(table[first & 255]) + lattice.salt) & 255])
    if layer >= 0:
        entry = np.int64(table[(entry + layer) & 255])
    return entry & (lattice.vectors.shape[0] - 1)


@kernel
def _blend(
    southwest: int,
    southeast: int,
    northwest: int,
    northeast: int,
    fx: float,
    fy: float,
    dz: float,
    kind: int,
    vectors: Array,
) -> tuple[float, float, float]:
    """Blend what the vectors of the four nodes around a point span, n = Σ w·(g·d), and differentiate it."""
    ax, ay, az = vectors[southwest, 0], vectors[southwest, 1], vectors[southwest, 2]
    bx, by, bz = vectors[southeast, 0], vectors[southeast, 1], vectors[southeast, 2]
    cx, cy, cz = vectors[northwest, 0], vectors[northwest, 1], vectors[northwest, 2]
    dx, dy, dz_ = vectors[northeast, 0], vectors[northeast, 1], vectors[northeast, 2]
    sx, sy = fade(fx, kind), fade(fy, kind)
    a = ax * fx + ay * fy + az * dz
    b = bx * (fx - 1.0) + by * fy + bz * dz
    c = cx * fx + cy * (fy - 1.0) + cz * dz
    d = dx * (fx - 1.0) + dy * (fy - 1.0) + dz_ * dz
    south, north = a + sx * (b - a), c + sx * (d - c)
    along_x = (ax + sx * (bx - ax)) * (1.0 - sy) + (cx + sx * (dx - cx)) * sy
    along_x += fade_slope(fx, kind) * ((b - a) + sy * ((d - c) - (b - a)))
    along_y = (ay + sx * (by - ay)) * (1.0 - sy) + (cy + sx * (dy - cy)) * sy
    along_y += fade_slope(fy, kind) * (north - south)
    return south + sy * (north - south), along_x, along_y


@kernel
def _evaluate_plane(x: Array, y: Array, lattice: Lattice, result: Array) -> None:
    dz = 0.0 if lattice.rises else 1.0
    for i in range(x.size):
        if lattice.table.size == 0:
            n, along_x, along_y = hashed_plane(
                x[i], y[i], dz, lattice.seed, lattice.period, lattice.fade, lattice.vectors
            )
        else:
            n, along_x, along_y = _tabled_plane(x[i], y[i], -1, dz, lattice)
        result[0, i], result[1, i], result[2, i] = n, along_x, along_y


@kernel
def _evaluate_space(x: Array, y: Array, z: Array, lattice: Lattice, result: Array) -> None:
    for i in range(x.size):
        layer = np.int64(np.floor(z[i]))
        fz = z[i] - np.floor(z[i])
        low, high = (fz, fz - 1.0) if lattice.rises else (1.0, 1.0)
        below, above = wrap(layer, lattice.period), wrap(layer + 1, lattice.period)
        if lattice.table.size == 0:
            period, kind, vectors = lattice.period, lattice.fade, lattice.vectors
            first = hashed_plane(x[i], y[i], low, layer_seed(below, lattice.seed), period, kind, vectors)
            second = hashed_plane(x[i], y[i], high, layer_seed(above, lattice.seed), period, kind, vectors)
        else:
            first = _tabled_plane(x[i], y[i], below & 255, low, lattice)
            second = _tabled_plane(x[i], y[i], above & 255, high, lattice)
        s = fade(fz, lattice.fade)
        for k in range(3):
            result[k, i] = first[k] + s * (second[k] - first[k])
