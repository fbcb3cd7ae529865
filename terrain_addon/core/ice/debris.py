"""Rock that ice carries: it goes where the ice goes, and drops where the ice melts."""

import numpy as np

from ..foundation.compilation import Array, kernel
from .ice_flow import Ice, IceWeather, balance_at


@kernel
def drop_debris(order: Array, ice: Ice, debris: Array, weather: IceWeather, cell_size: float, dropped: Array) -> float:
    """Carry all debris down the ice; where a share of the ice melts, that share of its debris drops.

    Parameters
    ----------
    order : ndarray of int64, shape (rows · columns,)
        All cells, the highest surface first.
    ice : Ice
        With the fluxes of its surface, which flow down it.
    debris : ndarray of float64, shape (rows, columns)
        What the ice carries above each cell, in metres; 0 afterwards.
    weather : IceWeather
        Snow and melt.
    cell_size : float
        Metres.
    dropped : ndarray of float64, shape (rows, columns)
        Takes what drops, in metres.

    Returns
    -------
    float
        What is carried over the border, in metres on one cell.
    """
    rows, columns = ice.bed.shape
    left = 0.0
    for cell in order:
        i, j = cell // columns, cell % columns
        load = debris[i, j]
        dropped[i, j] = 0.0
        if load <= 0.0:
            continue
        debris[i, j] = 0.0
        if i == 0 or j == 0 or i == rows - 1 or j == columns - 1:
            left += load
            continue
        west, east = max(-ice.east[i, j - 1], 0.0), max(ice.east[i, j], 0.0)
        south, north = max(-ice.north[i - 1, j], 0.0), max(ice.north[i, j], 0.0)
        given = west + east + south + north
        melt = cell_size * max(-balance_at(weather, ice.surface[i, j]), 0.0)
        dropped[i, j] = load * (melt / (melt + given)) if given > 0.0 else load
        if given > 0.0:
            passed = (load - dropped[i, j]) / given
            debris[i, j - 1] += passed * west
            debris[i, j + 1] += passed * east
            debris[i - 1, j] += passed * south
            debris[i + 1, j] += passed * north
    return left


def highest_first(surface: Array) -> Array:
    """Return all cells, the highest first, equal ones in the order of rows.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Metres.

    Returns
    -------
    ndarray of int64, shape (rows · columns,)
    """
    return np.argsort(-surface.ravel(), kind="stable")
