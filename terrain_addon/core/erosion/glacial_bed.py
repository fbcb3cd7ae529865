"""What a glacier does to its bed: it wears rock down where it slides, and drops the debris where it melts.

References
----------
B. Hallet (1979), "A theoretical model of glacial abrasion", Journal of Glaciology 23, 39-50,
doi:10.3189/S0022143000029725: erosion in proportion to sliding.

N. F. Humphrey and C. F. Raymond (1994), "Hydrology, erosion and sediment production in a surging glacier", Journal of
Glaciology 40, 539-552, doi:10.3189/S0022143000012429: a ten-thousandth of the way that ice slides.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..ice.ice_flow import Ice, IceLaw, Weather, balance_at, slope_across, speeds


class GlacialBed(NamedTuple):
    """What lies below the ice and in it, in metres; all are float64, shape (rows, columns).

    Attributes
    ----------
    ground : ndarray
        Height of the land before any ice.
    worn : ndarray
        What ice has taken of that ground.
    moraine : ndarray
        What ice has laid upon it.
    debris : ndarray
        What the ice carries above each cell.
    """

    ground: Array
    worn: Array
    moraine: Array
    debris: Array


@parallel_kernel
def wear_down(part: Part, ice: Ice, bed: GlacialBed, law: IceLaw, rate: float, cell_size: float) -> None:
    """Wear the bed down in proportion to the way that the ice slides over it; moraines go first.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ice : Ice
        Its bed is lowered.
    bed : GlacialBed
        What is worn down is carried from then on.
    law : IceLaw
        How ice slides.
    rate : float
        Depth for each metre of a year's way: erodibility times years.
    cell_size : float
        Metres.
    """
    rows, columns = ice.bed.shape
    for i in portion(part, rows):
        for j in range(columns):
            # The border wears as the ground beside it.
            i_in, j_in = min(max(i, 1), rows - 2), min(max(j, 1), columns - 2)
            thickness = ice.thickness[i_in, j_in]
            if thickness > 0.0:
                east, north = slope_across(ice, i_in, j_in, False), slope_across(ice, i_in, j_in, True)
                total = (east * east + north * north) / (4.0 * cell_size * cell_size)
                _, sliding = speeds(law, thickness, total, ice.drag[i_in, j_in])
                depth = rate * sliding * math.sqrt(total)
                loose = min(bed.moraine[i, j], depth)
                bed.moraine[i, j] -= loose
                bed.worn[i, j] += depth - loose
                bed.debris[i, j] += depth
                ice.bed[i, j] = bed.ground[i, j] - bed.worn[i, j] + bed.moraine[i, j]


@kernel
def drop_debris(order: Array, ice: Ice, bed: GlacialBed, weather: Weather, washed: float, cell_size: float) -> float:
    """Carry all debris down the ice; where a share of the ice melts, that share of its debris drops.

    Parameters
    ----------
    order : ndarray of int64, shape (rows · columns,)
        All cells, the highest surface first.
    ice : Ice
        With the fluxes of its surface, which flow down it.
    bed : GlacialBed
        Its moraine takes what drops and is not washed away.
    weather : Weather
        Snow and melt.
    washed : float
        Share of what drops that meltwater carries off the land, 0 to 1.
    cell_size : float
        Metres.

    Returns
    -------
    float
        Thickness of all that left the land, in metres of one cell.
    """
    rows, columns = ice.bed.shape
    left = 0.0
    for cell in order:
        i, j = cell // columns, cell % columns
        load = bed.debris[i, j]
        if load <= 0.0:
            continue
        bed.debris[i, j] = 0.0
        if i == 0 or j == 0 or i == rows - 1 or j == columns - 1:
            left += load
            continue
        west, east = max(-ice.east[i, j - 1], 0.0), max(ice.east[i, j], 0.0)
        south, north = max(-ice.north[i - 1, j], 0.0), max(ice.north[i, j], 0.0)
        given = west + east + south + north
        melt = cell_size * max(-balance_at(weather, ice.surface[i, j]), 0.0)
        dropped = load * (melt / (melt + given)) if given > 0.0 else load
        bed.moraine[i, j] += dropped * (1.0 - washed)
        left += dropped * washed
        if given > 0.0:
            passed = (load - dropped) / given
            bed.debris[i, j - 1] += passed * west
            bed.debris[i, j + 1] += passed * east
            bed.debris[i - 1, j] += passed * south
            bed.debris[i + 1, j] += passed * north
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
