"""Four published variants of Perlin noise, number for number: other choices of the same gradient noise.

Arrays are indexed [y, x], as they were published.  `published_perlin` makes land of them, and is tested against this.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import math
import operator

import numpy as np
import numpy.typing as npt

from ...foundation.hashing import chain_hashes
from ..permutation_tables import TABLE_A, TABLE_B
from .gradient_noise import gradient_noise
from .lattice_noise import Permutation

LARGEST_SIZE = 8192
"""Samples along a side of a salted heightmap, at most."""

# Rows are made in groups of about so many points, which bounds the memory in use.
_POINTS_AT_ONCE = 2**20
_MOST_OCTAVES = 32
# The altered range of the animated variant: (n + _HALF_RANGE) / _RANGE.
_HALF_RANGE, _RANGE = 0.707, 1.414


def salted_perlin_heightmap(size: int) -> npt.NDArray[np.float64]:
    """Return improved Perlin noise in octaves that are told apart by a salt.

    Octaves have cells of size/2, size/4, … 1 samples and weights 1, ½, ¼ …; each is (1 + n)/2 with the eight gradients
    that keep their lengths, the quintic fade, and the cell size added inside the outer look-up of `TABLE_A`.

    Parameters
    ----------
    size : int
        Samples along each side: a power of two from 2 to 8192.

    Returns
    -------
    ndarray of float64, shape (size, size)
        The sum, scaled to [0, 1] by its own lowest and highest value; a level map is 0.

    Raises
    ------
    ValueError
        If `size` is not such a power of two.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    side = size if isinstance(size, (int, np.integer)) and not isinstance(size, bool) else 0
    if not (2 <= side <= LARGEST_SIZE and side & (side - 1) == 0):
        raise ValueError(f"size = {size!r} is not a power of two from 2 to {LARGEST_SIZE}")
    side = operator.index(side)
    heights = np.zeros((side, side))
    rows_at_once = max(1, _POINTS_AT_ONCE // side)
    x = np.arange(side)
    for start in range(0, side, rows_at_once):
        y = np.arange(start, min(start + rows_at_once, side))[:, np.newaxis]
        cell, weight = side // 2, 1.0
        while cell >= 1:
            noise = gradient_noise(
                x / cell, y / cell, gradients="axes_diagonals_8", permutation=Permutation(TABLE_A, salt=cell)
            )
            heights[start : start + rows_at_once] += weight * (1.0 + noise) / 2.0
            cell, weight = cell // 2, weight / 2.0
    lowest, highest = heights.min(), heights.max()
    return np.zeros_like(heights) if lowest == highest else (heights - lowest) / (highest - lowest)


def zoomed_perlin(x: npt.ArrayLike, y: npt.ArrayLike, res: float) -> npt.NDArray[np.float64]:
    """Return Perlin noise with a zoom: eight normalised gradients, cubic fade, `TABLE_B`; it repeats after 256 cells.

    Parameters
    ----------
    x, y : array_like of float64
        Pixel coordinates of any sign; broadcast against one another.
    res : float
        Size of a cell in pixels, not 0.

    Returns
    -------
    ndarray of float64
        n in [−√½, √½]; as grey (n + 1)/2 · 255, as altitude 100 n.

    Raises
    ------
    ValueError
        If coordinates are not finite, or `res` is 0 or not finite.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
    """
    _check_size("res", res)
    return gradient_noise(
        np.asarray(x, np.float64) / res,
        np.asarray(y, np.float64) / res,
        fade="cubic",
        gradients="unit_8",
        permutation=Permutation(TABLE_B),
    )


def animated_perlin(x: npt.ArrayLike, y: npt.ArrayLike, t: npt.ArrayLike, cell: float) -> npt.NDArray[np.float64]:
    """Return Perlin noise that slides with time: knight moves normalised, quintic fade, `TABLE_B` with columns first.

    Parameters
    ----------
    x, y, t : array_like of float64
        Pixel coordinates and time of any sign; broadcast against one another.  Sampled at (x + t)/cell, (y + t)/cell.
    cell : float
        Size of a cell in pixels, not 0.

    Returns
    -------
    ndarray of float64
        (n + 0.707) / 1.414, within [0.02, 0.98].

    Raises
    ------
    ValueError
        If coordinates are not finite, or `cell` is 0 or not finite.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    _check_size("cell", cell)
    time = np.asarray(t, np.float64)
    noise = gradient_noise(
        (np.asarray(x, np.float64) + time) / cell,
        (np.asarray(y, np.float64) + time) / cell,
        gradients="knight_moves_8",
        permutation=Permutation(TABLE_B, columns_first=True),
    )
    return (noise + _HALF_RANGE) / _RANGE


def random_angle_perlin(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    seed: int = 0,
    octaves: int = 1,
    lacunarity: float = 2.0,
    persistence: float = 0.5,
    fade: str = "cubic",
) -> npt.NDArray[np.float64]:
    """Return Perlin noise with gradients at random angles, in octaves.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells of the first octave, of any sign; broadcast against one another.
    seed : int
        0 to 2³¹ − 1.
    octaves : int
        Number of octaves, 1 to 32.
    lacunarity, persistence : float
        Ratio of the frequencies of successive octaves, and of their amplitudes.
    fade : str
        A key of `lattice.FADES`; "linear" shows the borders of cells.

    Returns
    -------
    ndarray of float64
        Magnitude at most √½ · Σ persistenceᵒ, √½ for one octave.

    Raises
    ------
    ValueError
        If coordinates are not finite or leave 2⁴⁰ cells in some octave, or an option is unknown or out of range.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
    """
    if not 1 <= octaves <= _MOST_OCTAVES:
        raise ValueError(f"octaves = {octaves!r} is outside 1 to {_MOST_OCTAVES}")
    for name, value in (("lacunarity", lacunarity), ("persistence", persistence)):
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{name} = {value!r} is not a finite number from 0")
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    total = np.zeros(())
    for octave in range(octaves):
        frequency = lacunarity**octave
        noise = gradient_noise(xs * frequency, ys * frequency, int(chain_hashes(seed, octave)), fade=fade)
        total = total + persistence**octave * noise
    return total


def _check_size(name: str, value: float) -> None:
    """Refuse the size of a cell that no point can be divided by."""
    if not (math.isfinite(value) and value != 0.0):
        raise ValueError(f"{name} = {value!r} is not a finite number other than 0")
