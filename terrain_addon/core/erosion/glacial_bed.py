"""What a glacier does to its bed: it wears rock down where it slides.

References
----------
B. Hallet (1979), "A theoretical model of glacial abrasion", Journal of Glaciology 23, 39-50,
doi:10.3189/S0022143000029725: erosion in proportion to sliding.

N. F. Humphrey and C. F. Raymond (1994), "Hydrology, erosion and sediment production in a surging glacier", Journal of
Glaciology 40, 539-552, doi:10.3189/S0022143000012429: a ten-thousandth of the way that ice slides.
"""

import math
from typing import NamedTuple

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..ice.ice_flow import Ice, IceLaw, slope_across, speeds


class GlacialBed(NamedTuple):
    """What lies below the ice and in it, in metres, shape (rows, columns).

    Attributes
    ----------
    ground : ndarray of float32
        Height of the land before any ice; read-only.
    worn : ndarray of float64
        What ice has taken of that ground.
    moraine : ndarray of float64
        What ice has laid on it.
    debris : ndarray of float64
        What the ice carries above each cell.
    """

    ground: Array
    worn: Array
    moraine: Array
    debris: Array


@parallel_kernel
def measure_sliding(part: Part, ice: Ice, law: IceLaw, cell_size: float, result: Array) -> None:
    """Write how fast the ice would slide over an even bed.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ice : Ice
        Its surface and thickness are read.
    law : IceLaw
        How ice slides.
    cell_size : float
        Metres.
    result : ndarray of float64, shape (rows, columns)
        Takes metres per year; on the border as beside it.
    """
    rows, columns = ice.bed.shape
    for i in portion(part, rows):
        for j in range(columns):
            i_in, j_in = min(max(i, 1), rows - 2), min(max(j, 1), columns - 2)
            thickness = ice.thickness[i_in, j_in]
            east, north = slope_across(ice, i_in, j_in, False), slope_across(ice, i_in, j_in, True)
            total = (east * east + north * north) / (4.0 * cell_size * cell_size)
            _, sliding = speeds(law, thickness, total, 1.0)
            result[i, j] = sliding * math.sqrt(total)


@parallel_kernel
def wear_down(part: Part, ice: Ice, bed: GlacialBed, speed: Array, rate: float) -> None:
    """Wear the bed down in proportion to the way that the ice slides over it; moraines go first.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    ice : Ice
        Its bed is lowered where there is ice.
    bed : GlacialBed
        What is worn down is carried from then on.
    speed : ndarray of float64, shape (rows, columns)
        Of sliding over an even bed, in metres per year; the shape of the bed takes its share of it.
    rate : float
        Depth for each metre per year: erodibility times years.
    """
    rows, columns = ice.bed.shape
    for i in portion(part, rows):
        for j in range(columns):
            # The border wears as the ground beside it.
            i_in, j_in = min(max(i, 1), rows - 2), min(max(j, 1), columns - 2)
            if ice.thickness[i_in, j_in] > 0.0:
                depth = rate * speed[i, j] * ice.drag[i_in, j_in]
                loose = min(bed.moraine[i, j], depth)
                bed.moraine[i, j] -= loose
                bed.worn[i, j] += depth - loose
                bed.debris[i, j] += depth
                ice.bed[i, j] = bed.ground[i, j] - bed.worn[i, j] + bed.moraine[i, j]
