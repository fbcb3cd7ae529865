"""How wet the ground is: the topographic wetness index (Beven & Kirkby 1979), brought to [0, 1]."""

import math

import numpy as np

from ..compilation import Array, parallel_kernel, prange
from ..flow.accumulation import accumulate_flow
from ..terrain import Field

# ln(a / tan β), a in metres: bare ridges lie about 2, the floors of wide valleys about 14.
_DRY, _WET = 2.0, 14.0
_FLATTEST = math.tan(math.radians(0.5))


def measure_humidity(surface: Field, slope: Field, cell_size: float) -> Field:
    """Return ln(a / tan β) scaled to [0, 1], a the drainage area per metre of contour, β the slope.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    slope : ndarray of float32, shape (rows, columns)
        Degrees; below 0.5° counts as 0.5°.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 at an index of 2 or less (dry ridge), 1 at 14 or more (valley floor).
    """
    humidity = np.empty_like(surface)
    _wetness(accumulate_flow(surface, cell_size), slope, 1.0 / cell_size, humidity)
    return humidity


@parallel_kernel
def _wetness(drainage_area: Array, slope: Array, per_cell: float, humidity: Array) -> None:
    for row in prange(slope.shape[0]):
        for column in range(slope.shape[1]):
            steepness = max(math.tan(math.radians(slope[row, column])), _FLATTEST)
            index = math.log(drainage_area[row, column] * per_cell / steepness)
            humidity[row, column] = min(max((index - _DRY) / (_WET - _DRY), 0.0), 1.0)
