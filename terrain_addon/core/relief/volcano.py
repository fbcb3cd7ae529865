"""A volcano: a cone that steepens towards its summit, with a crater in it.

A shape of our own: a power of the distance for the flanks, a paraboloid for the crater.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.elementary import power
from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .height_range import HeightRange

# The rim lies within the foot, so that the cone has flanks, as a share of the radius.
_WIDEST_RIM = 0.999


@dataclass(frozen=True)
class Volcano(HeightRange):
    """One cone around one vent; other layers make its flanks uneven."""

    east: float = parameter(
        2000.0,
        "Distance from the south-west corner of the land eastwards to the vent; with Origin East set, from the "
        "point 0, 0",
        unit="m",
        limits=(-1e7, 1e7),
        soft=(0.0, 10000.0),
        label="Vent East",
    )
    north: float = parameter(
        2000.0,
        "Distance from the south-west corner of the land northwards to the vent; with Origin North set, from the "
        "point 0, 0",
        unit="m",
        limits=(-1e7, 1e7),
        soft=(0.0, 10000.0),
        label="Vent North",
    )
    radius: float = parameter(
        1900.0, "Distance from the vent to the foot of the cone", unit="m", limits=(1.0, 1e6), soft=(100.0, 10000.0)
    )
    crater_radius: float = parameter(
        220.0, "Distance from the vent to the rim of the crater", unit="m", limits=(0.0, 1e6), soft=(0.0, 2000.0)
    )
    crater_depth: float = parameter(
        0.5, "Depth of the crater as a share of the rim's height above the foot", limits=(0.0, 1.0)
    )
    concavity: float = parameter(
        1.7, "How much the flanks steepen towards the summit: 1 is a straight cone", limits=(1.0, 4.0), advanced=True
    )


def make_volcano(grid: Grid, volcano: Volcano, seed: int = 0, time: float = 0.0) -> Field:
    """Return the heights of a volcano.

    At a distance r from the vent, with R the radius of the foot and c that of the rim,

        h = base + height · ((1 − r / R) / (1 − c / R))^concavity  for c ≤ r ≤ R
        h = base + height · (1 − crater_depth · (1 − (r / c)²))    for r < c

    and base beyond the foot.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    volcano : Volcano
        Shape and place; a rim beyond the foot counts as at the foot.
    seed : int
        Without effect; all sources take one.
    time : float
        Without effect; all sources take one.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Examples
    --------
    >>> volcano = Volcano(east=0.0, north=0.0, radius=400.0, crater_radius=100.0, height=900.0, concavity=1.0)
    >>> make_volcano(Grid(1, 5, cell_size=100.0), volcano).tolist()
    [[450.0, 900.0, 600.0, 300.0, 0.0]]
    """
    east = (grid.first_column + np.arange(grid.columns)) * grid.cell_size - volcano.east
    north = (grid.first_row + np.arange(grid.rows)) * grid.cell_size - volcano.north
    rim = min(volcano.crater_radius / volcano.radius, _WIDEST_RIM)
    shape = np.array([volcano.concavity, rim, volcano.crater_depth], np.float64)
    result = np.empty(grid.shape, np.float32)
    _raise_cone(east / volcano.radius, north / volcano.radius, shape, volcano.base_altitude, volcano.height, result)
    return result


@parallel_kernel
def _raise_cone(part: Part, east: Array, north: Array, shape: Array, base: float, height: float, result: Array) -> None:
    """Write the heights of a cone with a crater; distances are in radii of the foot."""
    concavity, rim, depth = shape[0], shape[1], shape[2]
    top = power(1.0 - rim, concavity)
    for row in portion(part, result.shape[0]):
        for column in range(result.shape[1]):
            away = math.sqrt(east[column] * east[column] + north[row] * north[row])
            share = power(max(1.0 - max(away, rim), 0.0), concavity) / top
            if away < rim:
                share -= depth * (1.0 - (away / rim) ** 2)
            result[row, column] = np.float32(base + height * share)
