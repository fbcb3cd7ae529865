"""Lattice noise at any points, in float64: the definition of gradient noise, value noise and the published variants.

With g the vector of a node, d the way from the node to the point and w the product of fades along both axes, noise is
n = Σ w · (g·d), over the four nodes around a point of the plane or the eight around a point of space.

Noise that moves is made of two layers of noise in the plane, see `bases` and `moving_noise`.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.compilation import Array, Bits, kernel
from ...foundation.hashing import hash_place
from ..lattice import FADES, VectorSet, fade, fade_slope, layer_seed, wrap
from .points import checked_period, checked_points, checked_seed

TABLE_SIZE = 256
"""Entries of a permutation table."""

_LAST_ENTRY = TABLE_SIZE - 1
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
        fits = entries.shape == (TABLE_SIZE,) and entries.dtype.kind in "iu"
        if not fits or entries.min() < 0 or entries.max() > _LAST_ENTRY:
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
        Position in `FADES`.
    rises : bool
        Whether the third component is a slope (gradients) or a height (value noise).
    vectors : ndarray of float64, shape (n, 3)
    by_sign : bool
        Whether the highest bit of the hash chooses between two vectors, instead of the lowest bits among all.
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
    by_sign: bool
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
    by_sign: bool = False,
) -> Lattice:
    """Return a lattice in the form that kernels take.

    Parameters
    ----------
    seed : int
        0 to 2³² − 1.
    fade : str
        A key of `FADES`.
    vector_set : VectorSet
        What nodes choose from.
    period : int
        Number of cells after which the noise repeats; 0 for never.
    permutation : Permutation, optional
        Choose vectors from a table instead of by a hash.
    rises : bool
        Whether the third component is a slope (gradients) or a height (value noise).
    by_sign : bool
        Whether the highest bit of the hash chooses between two vectors, instead of the lowest bits among all.

    Returns
    -------
    Lattice

    Raises
    ------
    ValueError
        If the seed does not fit 32 bits, the fade is unknown, or the period is out of range.
    """
    if fade not in FADES:
        raise ValueError(f"fade = {fade!r} is none of: {', '.join(FADES)}")
    chosen = permutation or Permutation(np.arange(TABLE_SIZE))
    return Lattice(
        checked_seed(seed),
        checked_period(period),
        list(FADES).index(fade),
        rises,
        vector_set.vectors,
        by_sign,
        np.asarray(chosen.table) if permutation else _NO_TABLE,
        chosen.salt,
        chosen.columns_first,
    )


def evaluate_in_plane(x: npt.ArrayLike, y: npt.ArrayLike, lattice: Lattice) -> npt.NDArray[np.float64]:
    """Return noise and its derivatives at points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells, of any sign; broadcast against one another.
    lattice : Lattice
        How nodes choose their vectors.

    Returns
    -------
    ndarray of float64, shape (3, ...)
        n, ∂n/∂x and ∂n/∂y.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells.
    """
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty((3, xs.size))
    _evaluate_plane(xs, ys, lattice, result)
    return result.reshape(3, *shape)


def evaluate_in_space(
    x: npt.ArrayLike, y: npt.ArrayLike, z: npt.ArrayLike, lattice: Lattice
) -> npt.NDArray[np.float64]:
    """Return noise and its derivatives along x and y at points of space.

    Parameters
    ----------
    x, y, z : array_like of float64
        Coordinates in cells, of any sign; broadcast against one another.
    lattice : Lattice
        How nodes choose their vectors.

    Returns
    -------
    ndarray of float64, shape (3, ...)
        n, ∂n/∂x and ∂n/∂y.

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰ cells.
    """
    shape, (xs, ys, zs) = checked_points(x=x, y=y, z=z)
    result = np.empty((3, xs.size))
    _evaluate_space(xs, ys, zs, lattice, result)
    return result.reshape(3, *shape)


@kernel
def _evaluate_plane(x: Array, y: Array, lattice: Lattice, result: Array) -> None:
    dz = 0.0 if lattice.rises else 1.0
    for i in range(x.size):
        result[0, i], result[1, i], result[2, i] = _blend_layer(x[i], y[i], 0, False, dz, lattice)


@kernel
def _evaluate_space(x: Array, y: Array, z: Array, lattice: Lattice, result: Array) -> None:
    for i in range(x.size):
        layer = np.int64(np.floor(z[i]))
        fz = z[i] - np.floor(z[i])
        low, high = (fz, fz - 1.0) if lattice.rises else (1.0, 1.0)
        first = _blend_layer(x[i], y[i], layer, True, low, lattice)
        second = _blend_layer(x[i], y[i], layer + 1, True, high, lattice)
        s = fade(fz, lattice.fade)
        for k in range(3):
            result[k, i] = first[k] + s * (second[k] - first[k])


@kernel
def _blend_layer(
    x: float, y: float, layer: int, in_space: bool, dz: float, lattice: Lattice
) -> tuple[float, float, float]:
    """Return noise of one layer of nodes and its two derivatives; `dz` is the height above that layer."""
    column, row = np.floor(x), np.floor(y)
    west, south = np.int64(column), np.int64(row)
    fx, fy = x - column, y - row
    vectors = lattice.vectors
    a = vectors[_choose(west, south, layer, in_space, lattice)]
    b = vectors[_choose(west + 1, south, layer, in_space, lattice)]
    c = vectors[_choose(west, south + 1, layer, in_space, lattice)]
    d = vectors[_choose(west + 1, south + 1, layer, in_space, lattice)]
    sx, sy = fade(fx, lattice.fade), fade(fy, lattice.fade)
    # What each vector gives at the point: g·d.
    southwest = a[0] * fx + a[1] * fy + a[2] * dz
    southeast = b[0] * (fx - 1.0) + b[1] * fy + b[2] * dz
    northwest = c[0] * fx + c[1] * (fy - 1.0) + c[2] * dz
    northeast = d[0] * (fx - 1.0) + d[1] * (fy - 1.0) + d[2] * dz
    south_side = southwest + sx * (southeast - southwest)
    north_side = northwest + sx * (northeast - northwest)
    # The derivative of w · (g·d) is w · g, plus the derivative of w times g·d.
    along_x = (a[0] + sx * (b[0] - a[0])) * (1.0 - sy) + (c[0] + sx * (d[0] - c[0])) * sy
    south_step, north_step = southeast - southwest, northeast - northwest
    along_x += fade_slope(fx, lattice.fade) * (south_step + sy * (north_step - south_step))
    along_y = (a[1] + sx * (b[1] - a[1])) * (1.0 - sy) + (c[1] + sx * (d[1] - c[1])) * sy
    along_y += fade_slope(fy, lattice.fade) * (north_side - south_side)
    return south_side + sy * (north_side - south_side), along_x, along_y


@kernel
def _choose(column: int, row: int, layer: int, in_space: bool, lattice: Lattice) -> int:
    """Return which vector a node has, by the hash or by the table."""
    i, j, k = wrap(column, lattice.period), wrap(row, lattice.period), wrap(layer, lattice.period)
    last_vector = lattice.vectors.shape[0] - 1
    table = lattice.table
    if table.size == 0:
        bits = hash_place(i, j, layer_seed(k, lattice.seed) if in_space else lattice.seed)
        if lattice.by_sign:
            bits >>= np.uint32(31)
        return np.int64(bits) & last_vector
    first, second = (i, j) if lattice.columns_first else (j, i)
    entry = np.int64(table[(second + np.int64(table[first & _LAST_ENTRY]) + lattice.salt) & _LAST_ENTRY])
    if in_space:
        entry = np.int64(table[(entry + (k & _LAST_ENTRY)) & _LAST_ENTRY])
    return entry & last_vector
