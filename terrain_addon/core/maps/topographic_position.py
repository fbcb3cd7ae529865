"""Topographic position index (TPI, Weiss 2001): how high a place stands above its surroundings."""

import math

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field
from .declaration import Kept, Map


def measure_topographic_position(surface: Field, cell_size: float, radius: float) -> Field:
    """Return the height of each cell above the mean height of a disc around it.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    radius : float
        Radius of the disc in metres.  What lies beyond the border is left out.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, above 0 on ridges, below 0 in valleys, about 0 on even slopes and plains.

    Raises
    ------
    ValueError
        If `radius` is not above 0.

    References
    ----------
    Weiss, A. D. (2001). Topographic position and landforms analysis. Poster, ESRI User Conference, San Diego.

    Examples
    --------
    A summit of 10 m on a plain.  The disc of radius 1 around it holds five cells with a mean height of 2 m:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.topographic_position import measure_topographic_position
    >>> summit = np.array([[0, 0, 0], [0, 10, 0], [0, 0, 0]], np.float32)
    >>> measure_topographic_position(summit, 1.0, 1.0)
    array([[ 0. , -2.5,  0. ],
           [-2.5,  8. , -2.5],
           [ 0. , -2.5,  0. ]], dtype=float32)
    """
    if not radius > 0.0:
        raise ValueError(f"radius = {radius!r} m is not a length above 0 m")
    reach = radius / cell_size + 1e-6
    # The disc as one chord per row, from south to north: half the length of each in cells.
    rows = min(int(reach), max(surface.shape))
    chords = np.array([int(math.sqrt(reach**2 - row**2)) for row in range(-rows, rows + 1)], np.int64)
    sums = np.empty((surface.shape[0], surface.shape[1] + 1), np.float64)
    position = np.empty_like(surface)
    _sum_rows(surface, sums)
    _position(surface, np.minimum(chords, surface.shape[1]), sums, position)
    return position


@parallel_kernel
def _sum_rows(part: Part, surface: Array, sums: Array) -> None:
    """Write running sums along each row: the sum over a chord is then the difference of two of them."""
    for row in portion(part, surface.shape[0]):
        total = 0.0
        sums[row, 0] = 0.0
        for column in range(surface.shape[1]):
            total += surface[row, column]
            sums[row, column + 1] = total


@parallel_kernel
def _position(part: Part, surface: Array, chords: Array, sums: Array, position: Array) -> None:
    """Write the height of each cell above the mean of the disc around it."""
    rows, columns = surface.shape
    reach = chords.size // 2
    for row in portion(part, rows):
        south, north = max(row - reach, 0), min(row + reach, rows - 1)
        for column in range(columns):
            total, count = 0.0, 0
            for r in range(south, north + 1):
                chord = chords[r - row + reach]
                west, east = max(column - chord, 0), min(column + chord, columns - 1) + 1
                total += sums[r, east] - sums[r, west]
                count += east - west
            position[row, column] = surface[row, column] - total / count


# Radius in cells of the surroundings that a place is compared with.
_SURROUNDINGS = 10

TOPOGRAPHIC_POSITION = Map(
    "topographic_position",
    lambda terrain: measure_topographic_position(terrain.surface, terrain.cell_size, _SURROUNDINGS * terrain.cell_size),
    description="Height above the mean of the surroundings: ridges above 0, valleys below",
    unit="m",
    signed=True,
    layers=3,
    kept=Kept.ON_REQUEST,
)
