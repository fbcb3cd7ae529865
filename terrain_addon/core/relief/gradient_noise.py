"""Lattice gradient noise in the plane (Perlin 1985, "An Image Synthesizer"; 2002, "Improving Noise").

Every node of a square lattice has a gradient; between nodes the four ramps they span are blended.  This file holds the
definition, point by point.  `fractal_noise` evaluates the same function a row at a time, and is tested against it.
"""

import math

import numpy as np
import numpy.typing as npt

from ..compilation import Array, Bits, kernel
from ..hashing import hash_place

GRADIENTS = np.array(
    [[f(2.0 * math.pi * (k + 0.5) / 256.0) for f in (math.cos, math.sin)] for k in range(256)], np.float32
)
"""256 unit vectors, evenly spread; half a step off the axes, so that no direction of the lattice is favoured."""

NOISE_LIMIT = math.sqrt(0.5)
"""Largest magnitude of the noise: half the diagonal of a cell, for unit gradients in the plane."""


def gradient_noise(x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return gradient noise with quintic fade at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64, same shape
        Coordinates in lattice cells; any finite sign, magnitude below 2³¹.
    seed : int
        0 to 2³² − 1.

    Returns
    -------
    ndarray of float64, shape of `x`
        In [−√½, √½], zero at the lattice nodes, with continuous second derivatives.

    Raises
    ------
    ValueError
        If `x` and `y` differ in shape, or are not finite or out of range.
    """
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if xs.shape != ys.shape:
        raise ValueError(f"x has shape {xs.shape} but y {ys.shape}")
    for name, values in (("x", xs), ("y", ys)):
        if not np.all(np.abs(values) < 2.0**31):
            raise ValueError(f"{name} holds coordinates that are not finite or not below 2³¹ cells")
    result = np.empty(xs.shape)
    _evaluate(xs.ravel(), ys.ravel(), np.uint32(seed), GRADIENTS, result.ravel())
    return result


@kernel
def fade(t: float) -> float:
    """Quintic step 6t⁵ − 15t⁴ + 10t³: first and second derivative vanish at 0 and 1 (Perlin 2002)."""
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@kernel
def _evaluate(x: Array, y: Array, seed: Bits, gradients: Array, result: Array) -> None:
    for i in range(x.size):
        column, row = math.floor(x[i]), math.floor(y[i])
        fx, fy = x[i] - column, y[i] - row
        sx, sy = fade(fx), fade(fy)
        south = (1.0 - sx) * _ramp(column, row, fx, fy, seed, gradients)
        south += sx * _ramp(column + 1, row, fx - 1.0, fy, seed, gradients)
        north = (1.0 - sx) * _ramp(column, row + 1, fx, fy - 1.0, seed, gradients)
        north += sx * _ramp(column + 1, row + 1, fx - 1.0, fy - 1.0, seed, gradients)
        result[i] = (1.0 - sy) * south + sy * north


@kernel
def _ramp(column: int, row: int, dx: float, dy: float, seed: Bits, gradients: Array) -> float:
    gradient = gradients[hash_place(np.int64(column), np.int64(row), seed) & np.uint32(255)]
    return float(gradient[0] * dx + gradient[1] * dy)
