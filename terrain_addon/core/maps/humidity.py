"""The map *humidity*: the topographic wetness index (Beven & Kirkby 1979), scaled to [0, 1].

The index is ln(a / tan β), where a is the drainage area per metre of contour and β the slope angle.
"""

import numpy as np

from ..flow.multiple_flow import accumulate_flow
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import log
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP
from ..foundation.terrain import Field
from .declaration import Map
from .slope import measure_gradient

# The index on bare ridges and on the floors of wide valleys, with a in metres.
_DRY, _WET = 2.0, 14.0
# Smallest gradient, tan 0.5°: on level ground the index would be infinite.
_FLATTEST = 0.0087268678


def measure_humidity(surface: Field, cell_size: float) -> Field:
    """Return the topographic wetness index ln(a / tan β), scaled to [0, 1].

    The drainage area a per metre of contour comes from multiple flow directions (Freeman 1991); depressions count as
    filled, and slopes below 0.5° as 0.5°.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 where the index is 2 or less (dry ridges), 1 where it is 14 or more (valley floors), linear between.

    References
    ----------
    Beven, K. J., & Kirkby, M. J. (1979). A physically based, variable contributing area model of basin hydrology.
    Hydrological Sciences Bulletin, 24(1), 43–69. doi:10.1080/02626667909491834

    Freeman, T. G. (1991). Calculating catchment area with divergent flow based on a regular grid. Computers &
    Geosciences, 17(3), 413–422. doi:10.1016/0098-3004(91)90048-I

    Examples
    --------
    A slope of 45° that falls to the south is wetter the farther down it is:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.humidity import measure_humidity
    >>> surface = np.repeat(10.0 * np.arange(4, dtype=np.float32)[:, np.newaxis], 5, axis=1)
    >>> measure_humidity(surface, 10.0)[:, 2].round(3)
    array([0.112, 0.083, 0.025, 0.025], dtype=float32)
    """
    area = accumulate_flow(surface, cell_size)
    gradient, humidity = measure_gradient(surface, cell_size), np.empty_like(surface)
    _wetness_index(area, gradient, 1.0 / cell_size, humidity)
    return humidity


def pour_humidity(surface: Field) -> Field:
    """Return humidity as a number of cells: each cell starts with 1 and passes everything to its lower neighbours.

    Cells give in order of decreasing height, in shares proportional to the differences in height.  This is the humidity
    of the layered erosion model (see `erosion.erosion_factors`): drainage area by multiple flow directions, in cells.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.  Depressions are neither filled nor carved.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Number of cells, 1 on summits and more downhill.  Depressions keep what they receive.

    References
    ----------
    Freeman, T. G. (1991). Calculating catchment area with divergent flow based on a regular grid. Computers &
    Geosciences, 17(3), 413–422. doi:10.1016/0098-3004(91)90048-I
    """
    humidity = np.ones(surface.shape, np.float64)
    donors, waiting = np.empty(surface.shape, np.int8), np.empty(surface.size, np.int32)
    _pass_downhill(surface, donors, humidity, waiting)
    return humidity.astype(np.float32)


@parallel_kernel
def _wetness_index(part: Part, drainage_area: Array, gradient: Array, per_cell: float, humidity: Array) -> None:
    """Write the scaled topographic wetness index of each cell."""
    for row in portion(part, gradient.shape[0]):
        for column in range(gradient.shape[1]):
            steepness = max(gradient[row, column], _FLATTEST)
            # Beven & Kirkby's index: ln(a / tan β).
            index = log(drainage_area[row, column] * per_cell / steepness)
            humidity[row, column] = min(max((index - _DRY) / (_WET - _DRY), 0.0), 1.0)


@kernel
def _pass_downhill(surface: Array, donors: Array, humidity: Array, waiting: Array) -> None:
    """Visit each cell after all its donors (Kahn 1962, topological sorting); `waiting` is the stack."""
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
    lambda terrain: measure_humidity(terrain.surface, terrain.cell_size),
    description="Wetness of the ground, from 0 on dry ridges to 1 on valley floors",
    limits=(0.0, 1.0),
    layers=7,
)
