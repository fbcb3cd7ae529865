"""Depression filling: every depression is raised to the level at which it spills."""

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field, as_field
from .basins import Basins, find_basins
from .directions import find_directions
from .routing import lowest_outlet


def fill_depressions(surface: Field, sea_level: float | None = None) -> Field:
    """Return the surface with its depressions filled: the lowest one from which all water can reach the border.

    The result equals that of a priority flood (Barnes, Lehman & Mulla 2014) to the last bit, but needs no priority
    queue: each cell gets the level of its basin (Cordonnier, Bovy & Braun 2019) if that is above its own height.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    sea_level : float, optional
        Metres.  Cells at or below it are outlets and keep their height.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.  Water would stand where it is above `surface`.

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite.

    References
    ----------
    Barnes, R., Lehman, C., & Mulla, D. (2014). Priority-flood: An optimal depression-filling and watershed-labeling
    algorithm for digital elevation models. Computers & Geosciences, 62, 117–127. doi:10.1016/j.cageo.2013.04.024

    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019

    Examples
    --------
    A pit is filled up to the lowest cell around it:

    >>> import numpy as np
    >>> from terrain_addon.core.flow.filling import fill_depressions
    >>> fill_depressions(np.array([[3, 3, 3], [3, -7, 2], [3, 3, 3]], np.float32))
    array([[3., 3., 3.],
           [3., 2., 2.],
           [3., 3., 3.]], dtype=float32)
    """
    surface = as_field(surface, "surface")
    directions = np.empty(surface.shape, np.uint8)
    find_directions(surface, lowest_outlet(sea_level), directions)
    return raise_to_level(surface, find_basins(surface, directions))


def raise_to_level(surface: Field, basins: Basins | None) -> Field:
    """Return the surface, raised in each basin to the level at which the basin spills.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    basins : Basins or None
        Basins of this surface; None if it has no depressions.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.  `surface` itself if there are no basins.
    """
    if basins is None:
        return surface
    filled = np.empty_like(surface)
    _raise(surface.ravel(), basins.labels, basins.level, filled.ravel())
    return filled


@kernel
def _raise(heights: Array, labels: Array, level: Array, filled: Array) -> None:
    """Set each cell to the greater of its height and the level of its basin."""
    for cell in range(heights.size):
        filled[cell] = max(heights[cell], level[labels[cell]])
