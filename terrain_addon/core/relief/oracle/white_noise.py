"""White noise at any points: every cell has a value of its own."""

import numpy as np
import numpy.typing as npt

from ...foundation.compilation import Array, Bits, kernel
from ...foundation.hashing import hash_place, unit_float
from .points import checked_points, checked_seed


def white_noise(x: npt.ArrayLike, y: npt.ArrayLike, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return white noise at any points of the plane.

    Parameters
    ----------
    x, y : array_like of float64
        Coordinates in cells, of any sign; all points of a cell have one value.  Broadcast against one another.
    seed : int
        0 to 2³² − 1.

    Returns
    -------
    ndarray of float64
        Evenly distributed in [0, 1).

    Raises
    ------
    ValueError
        If coordinates are not finite or beyond 2⁴⁰, or the seed is out of range.
    """
    shape, (xs, ys) = checked_points(x=x, y=y)
    result = np.empty(xs.size)
    _evaluate(xs, ys, checked_seed(seed), result)
    return result.reshape(shape)


@kernel
def _evaluate(x: Array, y: Array, seed: Bits, result: Array) -> None:
    for i in range(x.size):
        result[i] = unit_float(hash_place(np.int64(np.floor(x[i])), np.int64(np.floor(y[i])), seed))
