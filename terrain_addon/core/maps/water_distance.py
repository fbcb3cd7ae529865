"""Distance to the nearest water, and how wet the ground beside it is.

Distances are exact and Euclidean.  They are found in two passes, one along columns and one along rows; the second takes
the lower envelope of parabolas (Felzenszwalb & Huttenlocher 2012).
"""

import numpy as np
import numpy.typing as npt

from ..flow.water import Waters
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from .declaration import Map

FARTHEST = 1e6
"""Distance in metres that is returned if there is no place to measure it to."""

# Ground is dry at this distance from water, and at this height above it, in metres.
_WET_DISTANCE = 25.0
_WET_RISE = 2.0
# The same for the sea, whose waves and tides reach farther: as far as the back of a beach.
_BEACH_DISTANCE = 120.0
_BEACH_RISE = 9.0


def find_nearest(places: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return for each cell the nearest of the given places.

    Parameters
    ----------
    places : ndarray of bool, shape (rows, columns)
        True in the places.

    Returns
    -------
    ndarray of int32, shape (rows, columns)
        Flat index of the place, ``row * columns + column``; −1 everywhere if there are no places.

    References
    ----------
    Felzenszwalb, P. F., & Huttenlocher, D. P. (2012). Distance transforms of sampled functions. Theory of Computing, 8,
    415–428. doi:10.4086/toc.2012.v008a019
    """
    nearest_row = np.empty(places.shape, np.int32)
    _along_columns(places, nearest_row)
    nearest = np.empty(places.shape, np.int32)
    _along_rows(nearest_row, nearest)
    return nearest


def measure_distance(places: npt.NDArray[np.bool_], cell_size: float) -> Field:
    """Return the straight distance from each cell to the nearest of the given places, such as water.

    Parameters
    ----------
    places : ndarray of bool, shape (rows, columns)
        True in the places.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, 0 in the places; 1e6 everywhere if there are none.

    References
    ----------
    Felzenszwalb, P. F., & Huttenlocher, D. P. (2012). Distance transforms of sampled functions. Theory of Computing, 8,
    415–428. doi:10.4086/toc.2012.v008a019

    Examples
    --------
    >>> import numpy as np
    >>> from terrain_addon.core.maps.water_distance import measure_distance
    >>> measure_distance(np.array([[True, False, False], [False, False, False]]), 10.0).round(1)
    array([[ 0. , 10. , 20. ],
           [10. , 14.1, 22.4]], dtype=float32)
    """
    distance = np.empty(places.shape, np.float32)
    _distances(find_nearest(places), cell_size, distance)
    return distance


def measure_wet_ground(
    surface: Field,
    water_level: Field,
    places: npt.NDArray[np.bool_],
    cell_size: float,
    sea_level: float | None = None,
) -> Field:
    """Return how wet the ground is because water is near, as on banks, on shores and in marshes.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights of the ground in metres.
    water_level : ndarray of float32, shape (rows, columns)
        Heights of the water surface in metres; only values at `places` are used.
    places : ndarray of bool, shape (rows, columns)
        True in lakes, in the sea and in rivers.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres; water that is no higher is the sea.  Without it there is none.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        1 in the water; falls to 0 at 25 m from the nearest water and at 2 m above it, and at the sea, which makes
        beaches, at 120 m and 9 m.
    """
    wet = np.empty(surface.shape, np.float32)
    sea = np.float32(-np.inf if sea_level is None else sea_level)
    _wet(surface, water_level.ravel(), find_nearest(places), cell_size, sea, wet)
    return wet


@parallel_kernel
def _along_columns(part: Part, places: Array, nearest_row: Array) -> None:
    """Write the row of the nearest place in the same column; −1 if there is none."""
    rows, columns = places.shape
    width = 64
    for band in portion(part, (columns + width - 1) // width):
        west, east = band * width, min((band + 1) * width, columns)
        for row in range(rows):
            for column in range(west, east):
                above = nearest_row[row - 1, column] if row > 0 else -1
                nearest_row[row, column] = row if places[row, column] else above
        for row in range(rows - 2, -1, -1):
            for column in range(west, east):
                here, other = nearest_row[row, column], nearest_row[row + 1, column]
                if other >= 0 and (here < 0 or abs(other - row) < row - here):
                    nearest_row[row, column] = other


@parallel_kernel
def _along_rows(part: Part, nearest_row: Array, nearest: Array) -> None:
    """Write the nearest place: the lowest of one parabola per column of the row, each with its apex over its column."""
    rows, columns = nearest_row.shape
    for row in portion(part, rows):
        apex, begin = np.empty(columns, np.int64), np.empty(columns, np.float64)
        count = 0
        for column in range(columns):
            if nearest_row[row, column] < 0:
                continue
            height = _apex_height(nearest_row, row, column)
            start = -np.inf
            while count > 0:
                other = apex[count - 1]
                # From this column on, the parabola over `column` is lower than the one over `other`.
                start = (height + column * column - _apex_height(nearest_row, row, other) - other * other) / (
                    2.0 * (column - other)
                )
                if start > begin[count - 1]:
                    break
                count -= 1
                start = -np.inf
            apex[count], begin[count] = column, start
            count += 1
        k = 0
        for column in range(columns):
            while k + 1 < count and begin[k + 1] < column:
                k += 1
            nearest[row, column] = nearest_row[row, apex[k]] * columns + apex[k] if count > 0 else -1


@kernel
def _apex_height(nearest_row: Array, row: int, column: int) -> float:
    """Return the squared distance to the nearest place in the same column, in cells."""
    away = np.float64(nearest_row[row, column] - row)
    return away * away


@kernel
def _distance(nearest: Array, row: int, column: int, cell_size: float) -> float:
    """Return the distance from a cell to its nearest place in metres."""
    place, columns = nearest[row, column], nearest.shape[1]
    if place < 0:
        return FARTHEST
    down, right = np.float64(place // columns - row), np.float64(place % columns - column)
    return np.sqrt(down * down + right * right) * cell_size


@parallel_kernel
def _distances(part: Part, nearest: Array, cell_size: float, distance: Array) -> None:
    """Write the distance of each cell to its nearest place."""
    for row in portion(part, nearest.shape[0]):
        for column in range(nearest.shape[1]):
            distance[row, column] = _distance(nearest, row, column, cell_size)


@parallel_kernel
def _wet(
    part: Part,
    surface: Array,
    water_level: Array,
    nearest: Array,
    cell_size: float,
    sea_level: np.float32,
    wet: Array,
) -> None:
    """Write the wetness of each cell: it falls linearly with the distance to water and with the height above it."""
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            place = nearest[row, column]
            is_sea = place >= 0 and water_level[place] <= sea_level
            reach = _BEACH_DISTANCE if is_sea else _WET_DISTANCE
            near = max(0.0, 1.0 - _distance(nearest, row, column, cell_size) / reach)
            rise = surface[row, column] - water_level[place] if near > 0.0 else 0.0
            wet[row, column] = near * min(1.0, max(0.0, 1.0 - rise / (_BEACH_RISE if is_sea else _WET_RISE)))


def _watered(waters: Waters) -> npt.NDArray[np.bool_]:
    """Where there is standing or running water."""
    places = waters.water_depth > 0.0
    places.ravel()[waters.rivers.cell] = True
    return places


WATER_DISTANCE = Map(
    "water_distance",
    lambda terrain, waters: measure_distance(_watered(waters), terrain.cell_size),
    needs=("waters",),
    description="Straight distance to the nearest water",
    unit="m",
    layers=3,
)
WET_GROUND = Map(
    "wet_ground",
    lambda terrain, waters: measure_wet_ground(
        terrain.surface, waters.water_level, _watered(waters), terrain.cell_size, waters.sea_level
    ),
    needs=("waters",),
    description="How wet the ground is because water is near: 1 in the water, 0 far from it",
    limits=(0.0, 1.0),
    layers=3,
)
