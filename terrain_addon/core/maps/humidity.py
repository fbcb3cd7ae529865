"""How wet the ground is: the topographic wetness index (Beven & Kirkby 1979), brought to [0, 1]."""

import numpy as np

from ..flow.multiple_flow import accumulate_flow
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import log
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP
from ..foundation.terrain import Field
from .declaration import Map

# ln(a / tan β), a in metres: bare ridges lie about 2, the floors of wide valleys about 14.
_DRY, _WET = 2.0, 14.0
_FLATTEST = 0.0087268678  # tan 0.5°


def measure_humidity(surface: Field, gradient: Field, cell_size: float) -> Field:
    """Return ln(a / tan β) scaled to [0, 1], a the drainage area per metre of contour, β the slope.

    Water parts among all lower neighbours and is led through depressions.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    gradient : ndarray of float32, shape (rows, columns)
        tan β, metres of rise per metre; what is flatter than 0.5° counts as 0.5°.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 at an index of 2 or less (dry ridge), 1 at 14 or more (valley floor).
    """
    humidity = np.empty_like(surface)
    _wetness(accumulate_flow(surface, cell_size), gradient, 1.0 / cell_size, humidity)
    return humidity


def pour_humidity(surface: Field) -> Field:
    """Return humidity as published: cells give it from high to low to lower neighbours, shared by height difference.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres; depressions are neither filled nor carved.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        In units of what each cell starts with: 1 on summits, the more the lower down; hollows keep what they get.
    """
    humidity = np.ones(surface.shape, np.float64)
    donors, waiting = np.empty(surface.shape, np.int8), np.empty(surface.size, np.int32)
    _pour(surface, donors, humidity, waiting)
    return humidity.astype(np.float32)


@parallel_kernel
def _wetness(part: Part, drainage_area: Array, gradient: Array, per_cell: float, humidity: Array) -> None:
    for row in portion(part, gradient.shape[0]):
        for column in range(gradient.shape[1]):
            steepness = max(gradient[row, column], _FLATTEST)
            index = log(drainage_area[row, column] * per_cell / steepness)
            humidity[row, column] = min(max((index - _DRY) / (_WET - _DRY), 0.0), 1.0)


@kernel
def _pour(surface: Array, donors: Array, humidity: Array, waiting: Array) -> None:
    """Visit cells in an order in which every donor comes first (Kahn 1962); `waiting` is the stack."""
    rows, columns = surface.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            higher = 0
            for k in range(8):
                r, c = row + ROW_STEP[k], column + COLUMN_STEP[k]
                if 0 <= r < rows and 0 <= c < columns and surface[r, c] > surface[row, column]:
                    higher += 1
            donors[row, column] = higher
            if higher == 0:
                waiting[count] = row * columns + column
                count += 1
    while count > 0:
        count -= 1
        row, column = waiting[count] // columns, waiting[count] % columns
        height, drop = surface[row, column], 0.0
        for k in range(8):
            r, c = row + ROW_STEP[k], column + COLUMN_STEP[k]
            if 0 <= r < rows and 0 <= c < columns and surface[r, c] < height:
                drop += height - surface[r, c]
        for k in range(8):
            r, c = row + ROW_STEP[k], column + COLUMN_STEP[k]
            if 0 <= r < rows and 0 <= c < columns and surface[r, c] < height:
                humidity[r, c] += humidity[row, column] * ((height - surface[r, c]) / drop)
                donors[r, c] -= 1
                if donors[r, c] == 0:
                    waiting[count] = r * columns + c
                    count += 1


HUMIDITY = Map(
    "humidity",
    lambda terrain, gradient: measure_humidity(terrain.surface, gradient, terrain.cell_size),
    needs=("gradient",),
    description="Wetness of the ground, from 0 on dry ridges to 1 on valley floors",
    limits=(0.0, 1.0),
)
