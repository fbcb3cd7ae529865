"""The lattice under gradient and value noise: its fades, the vectors that its nodes choose from, and its indices.

Every node of a square lattice has a vector.  Noise at a point blends what the vectors of the nodes around it give
there.  For gradient noise that moves, time is a third coordinate: the lattice has layers; the one at time 0 is
the lattice of the noise that stands still.  `lattice_rows` and `noise_lines` evaluate the noise; the plain definitions
that both are tested against are in `oracle`.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Bits, kernel
from ..foundation.hashing import hash_place

FADES = {
    "quintic": "6t⁵ − 15t⁴ + 10t³: no crease and no sudden bend where cells meet (Perlin 2002)",
    "cubic": "3t² − 2t³: no crease, but light shows where cells meet (Perlin 1985)",
    "linear": "Straight: the lattice shows as creases",
}
"""Steps from 0 to 1 with which nodes are blended.  Kernels take the position of one in this order."""

_QUINTIC, _CUBIC = 0, 1

# Turns a signed hash of 32 bits into turns per unit of time.
_FASTEST_TURN = 0.5 * 2.0**-31
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
    """Return a set of vectors in the plane or in space, scaled to length 1 if `unit` says so."""
    rows = np.asarray(vectors, np.float64)
    if unit:
        rows = rows / np.linalg.norm(rows, axis=1)[:, np.newaxis]
    space = np.zeros((len(rows), 3))
    space[:, : rows.shape[1]] = rows
    return VectorSet(space, limits if isinstance(limits, dict) else dict.fromkeys(FADES, limits))


_AXES_AND_DIAGONALS = [(1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)]
_KNIGHT_MOVES = [(1, 2), (2, 1), (-1, 2), (-2, 1), (-1, -2), (-2, -1), (1, -2), (2, -1)]
_ANGLES = (np.arange(256) + 0.5) * (2.0 * math.pi / 256.0)
PLANE_GRADIENTS = {
    "unit_256": _vector_set(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1), math.sqrt(0.5)),
    "unit_8": _vector_set(_AXES_AND_DIAGONALS, math.sqrt(0.5), unit=True),
    "axes_diagonals_8": _vector_set(_AXES_AND_DIAGONALS, 1.0),
    "knight_moves_8": _vector_set(
        _KNIGHT_MOVES, {"quintic": 0.67581612, "cubic": 0.67705769, "linear": 0.68013735}, unit=True
    ),
}
"""Gradients in the plane: 256 unit vectors, half a step off the axes so that no direction of the lattice is favoured;
the 8 axes and diagonals with length 1; the same 8 unscaled; the 8 moves of a knight with length 1."""

NODE_HEIGHTS = _vector_set([(0.0, 0.0, level) for level in np.linspace(-1.0, 1.0, 256)], 1.0)
"""256 heights from −1 to 1, for value noise: the third component is the height of a node and has no slope."""


@kernel
def fade(t: float, kind: int) -> float:
    """Blend from 0 to 1.

    Parameters
    ----------
    t : float
        Place between two nodes, 0 to 1.
    kind : int
        Position in `FADES`.

    Returns
    -------
    float
        Share of the far node, 0 to 1.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    if kind == _QUINTIC:
        # Perlin (2002): 6t⁵ − 15t⁴ + 10t³.
        return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
    if kind == _CUBIC:
        # Perlin (1985): 3t² − 2t³.
        return t * t * (3.0 - 2.0 * t)
    return t


@kernel
def fade_slope(t: float, kind: int) -> float:
    """Return the derivative of `fade`.

    Parameters
    ----------
    t : float
        Place between two nodes, 0 to 1.
    kind : int
        Position in `FADES`.

    Returns
    -------
    float
        Per cell.
    """
    if kind == _QUINTIC:
        return 30.0 * t * t * (t * (t - 2.0) + 1.0)
    if kind == _CUBIC:
        return 6.0 * t * (1.0 - t)
    return 1.0


@kernel
def layer_seed(layer: int, seed: Bits) -> np.uint32:
    """Return the seed of one layer of a lattice in time: each layer is a plane lattice of its own.

    Parameters
    ----------
    layer : int
        Number of the layer, of any sign.
    seed : numpy.uint32
        Seed of the lattice, which is that of layer 0.

    Returns
    -------
    numpy.uint32
    """
    return seed if layer == 0 else hash_place(layer, _LAYERS, seed)


@kernel
def rises_or_falls(bits: Bits) -> np.float32:
    """Return whether noise rises or falls with time at a node.

    Parameters
    ----------
    bits : numpy.uint32
        Hash of the node; its lowest bits choose the node's vector, its highest one is used here.

    Returns
    -------
    numpy.float32
        1 or −1.
    """
    return np.float32(-1.0) if bits >> np.uint32(31) else np.float32(1.0)


@kernel
def go_round(place: float, bits: Bits, moment: float) -> float:
    """Return where on a circle something is that goes round at a speed of its own.

    At any moment all places are equally frequent, if they are so at the start.

    Parameters
    ----------
    place : float
        Where it starts, 0 to 1.
    bits : numpy.uint32
        A hash, from which its speed follows: half a turn in a unit of time at most, in either direction.
    moment : float
        Time since the start.

    Returns
    -------
    float
        From 0 to 1, below 1.
    """
    turned = place + np.float64(np.int32(bits)) * _FASTEST_TURN * moment
    return turned - np.floor(turned)


@kernel
def height_at(start: float, bits: Bits, moment: float) -> np.float32:
    """Return the height of a node of value noise that goes up and down.

    Parameters
    ----------
    start : float
        Its height at the start, −1 to 1.
    bits : numpy.uint32
        Its hash.
    moment : float
        Time since the start.

    Returns
    -------
    numpy.float32
        From −1 to 1.
    """
    return np.float32(1.0 - abs(4.0 * go_round((start + 1.0) * 0.25, bits, moment) - 2.0))


@kernel
def wrap(index: int, period: int) -> int:
    """Return the index of a node in a lattice that repeats.

    Parameters
    ----------
    index : int
        Index of any sign.
    period : int
        Number of cells after which the lattice repeats; 0 for never.

    Returns
    -------
    int
        From 0 to `period` − 1; `index` itself if the lattice never repeats.
    """
    return index % period if period > 0 else index
