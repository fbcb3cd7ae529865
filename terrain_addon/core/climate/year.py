"""The course of a year: how much warmer or colder than its mean each part of it is."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.elementary import cos


def warmer_by(season: float, parts: int) -> npt.NDArray[np.float32]:
    """Return by how much each part of the year differs from its mean, as a cosine wave that begins at its warmest.

    Parameters
    ----------
    season : float
        By how many °C the warmest part is warmer than the year.
    parts : int
        Into how many parts the year is divided.

    Returns
    -------
    ndarray of float32, shape (parts,)
        °C.

    Examples
    --------
    >>> warmer_by(10.0, 4).round(3).tolist()
    [10.0, 0.0, -10.0, -0.0]
    """
    return np.array([season * cos(2.0 * math.pi * part / parts) for part in range(parts)], np.float32)
