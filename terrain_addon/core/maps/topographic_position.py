"""How high a place stands above its surroundings (Weiss 2001, "Topographic Position and Landforms Analysis")."""

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
    cell_size, radius : float
        Metres; the part of the disc that lies beyond the border is left out.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres: above 0 on ridges, below 0 in valleys, 0 on slopes and plains.

    Raises
    ------
    ValueError
        If `radius` is not above 0.
    """
    if not radius > 0.0:
        raise ValueError(f"radius = {radius!r} m is not a length above 0 m")
    reach = radius / cell_size + 1e-6
    # A disc as chords: half their lengths in cells, from the southernmost row to the northernmost.
    rows = min(int(reach), max(surface.shape))
    chords = np.array([int(math.sqrt(reach**2 - row**2)) for row in range(-rows, rows + 1)], np.int64)
    sums = np.empty((surface.shape[0], surface.shape[1] + 1), np.float64)
    position = np.empty_like(surface)
    _sum_up(surface, sums)
    _position(surface, np.minimum(chords, surface.shape[1]), sums, position)
    return position


@parallel_kernel
def _sum_up(part: Part, surface: Array, sums: Array) -> None:
    """Sums from the first column on: any chord's sum is then a difference of two."""
    for row in portion(part, surface.shape[0]):
        total = 0.0
        sums[row, 0] = 0.0
        for column in range(surface.shape[1]):
            total += surface[row, column]
            sums[row, column + 1] = total


@parallel_kernel
def _position(part: Part, surface: Array, chords: Array, sums: Array, position: Array) -> None:
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
    kept=Kept.ON_REQUEST,
)
