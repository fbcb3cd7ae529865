"""The smooth step from 0 to 1 that is level at both ends, 3 t² − 2 t³."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .compilation import kernel

_Real = TypeVar("_Real", np.float32, np.float64)


@kernel
def ease(t: float) -> float:
    """Return 3 t² − 2 t³.

    Parameters
    ----------
    t : float
        0 to 1.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> [ease(t) for t in (0.0, 0.25, 1.0)]
    [0.0, 0.15625, 1.0]
    """
    return t * t * (3.0 - 2.0 * t)


def ease_of(t: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """Return 3 t² − 2 t³ of all values of an array, computed with its own precision.

    Parameters
    ----------
    t : ndarray of float32 or float64
        0 to 1.

    Returns
    -------
    ndarray
        Of the same shape and type, 0 to 1.

    Examples
    --------
    >>> ease_of(np.array([0.0, 0.25, 1.0], np.float32)).tolist()
    [0.0, 0.15625, 1.0]
    """
    real = t.dtype.type
    return t * t * (real(3.0) - real(2.0) * t)
