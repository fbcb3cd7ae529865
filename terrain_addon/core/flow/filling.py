"""Land with its depressions filled up to where they spill."""

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field, as_field
from .basins import Basins, find_basins
from .directions import find_directions
from .routing import lowest_outlet


def fill_depressions(surface: Field, sea_level: float | None = None) -> Field:
    """Return the lowest surface, nowhere below the given one, on which no cell is lower than all ways to the border.

    What a priority flood gives (Barnes, Lehman & Mulla 2014), to the last bit and without its priority queue: a cell
    stands at its own height, or at the level of its basin if that is higher.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    sea_level : float, optional
        Metres; cells at or below it are outlets and stay as they are.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.  Where it is above the surface, water would stand.

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite.
    """
    surface = as_field(surface, "surface")
    directions = np.empty(surface.shape, np.uint8)
    find_directions(surface, lowest_outlet(sea_level), directions)
    return raise_to_level(surface, find_basins(surface, directions))


def raise_to_level(surface: Field, basins: Basins | None) -> Field:
    """Return the surface, raised in each basin to its level; the surface itself if there are no basins.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    basins : Basins or None
        Of this surface.
    """
    if basins is None:
        return surface
    filled = np.empty_like(surface)
    _raise(surface.ravel(), basins.labels, basins.level, filled.ravel())
    return filled


@kernel
def _raise(heights: Array, labels: Array, level: Array, filled: Array) -> None:
    for cell in range(heights.size):
        filled[cell] = max(heights[cell], level[labels[cell]])
