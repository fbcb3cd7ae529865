"""Heights of a planet from a map of the whole of it: an equirectangular elevation model.

A map is twice as wide as high.  Its columns are longitudes from 180° west to 180° east, its rows latitudes from the
south pole to the north pole.  It has no border: columns continue over 180°, and rows over a pole on the other side of
the planet.

References
----------
Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. IEEE Transactions on Acoustics,
Speech, and Signal Processing 29(6), 1153–1160. doi:10.1109/TASSP.1981.1163711
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan, cos
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field
from .cube_sphere import Directions
from .point_noise import turned


@dataclass(frozen=True)
class PlanetElevation(ParameterSet):
    """Heights of the whole planet from a file, in place of continents, plates and hills."""

    path: str = parameter(
        "",
        "File with heights of the whole planet, twice as wide as high (PNG, GeoTIFF, OpenEXR, npy and others); empty "
        "for ground that is made",
        kind="path",
    )
    exaggeration: float = parameter(1.0, "Factor on all heights", limits=(-100.0, 100.0), soft=(0.5, 3.0))
    lowest: float = parameter(
        -8000.0, "Altitude of black, for files that are pictures", unit="m", limits=(-50000.0, 50000.0), advanced=True
    )
    highest: float = parameter(
        8000.0, "Altitude of white, for files that are pictures", unit="m", limits=(-50000.0, 50000.0), advanced=True
    )
    fill_holes: bool = parameter(
        True, "Whether holes in the data are filled smoothly; if not, a file with holes is refused", advanced=True
    )

    def check(self) -> None:
        """Refuse black that is not below white."""
        if self.lowest >= self.highest:
            raise ValueError(f"lowest = {self.lowest} m is not below highest = {self.highest} m")


class WholeMap(NamedTuple):
    """Heights of a whole planet, ready to be looked up.

    Attributes
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; row 0 is south, column 0 is west.  Where meridians are close, heights are means along the row.
    inset : float
        Where the first row and column lie, in samples from the south pole and from 180° west: ½ where samples are the
        middles of cells, 0 where they are their corners.
    """

    heights: Field
    inset: float


def check_whole(stored: StoredField) -> None:
    """Refuse heights that cannot be those of a whole planet.

    Parameters
    ----------
    stored : StoredField
        With two columns for each row, or one column less where poles and the meridian of 180° have samples.

    Raises
    ------
    ValueError
        If it has another shape.
    """
    rows, columns = stored.heights.shape
    if rows < 2 or columns not in (2 * rows, 2 * rows - 1):
        raise ValueError(
            f"a map of a whole planet is twice as wide as high, but this one has {columns} × {rows} samples; "
            f"{2 * rows} × {rows} would fit"
        )


def whole_map(stored: StoredField, factor: float, finest: float) -> WholeMap:
    """Prepare heights of a whole planet for looking them up.

    Parameters
    ----------
    stored : StoredField
        See `check_whole`.
    factor : float
        Multiplies the heights.
    finest : float
        Distance of the samples that will be taken, in degrees.  Heights become means over about that, so that nothing
        aliases.

    Returns
    -------
    WholeMap

    Raises
    ------
    ValueError
        If the heights cannot be those of a whole planet.
    """
    check_whole(stored)
    columns = stored.heights.shape[1]
    has_corners = columns % 2 == 1
    inset = 0.0 if has_corners else 0.5
    # The first and last column of corners are the same meridian.
    heights = stored.heights[:, : columns - has_corners].astype(np.float64) * factor
    wide = finest / (360.0 / heights.shape[1])
    smoothed = np.empty_like(heights)
    _average_rows(heights, inset, wide, smoothed)
    reach = int(0.5 * wide)
    if reach > 0:
        _average_columns(smoothed, inset, reach, heights)
        smoothed = heights
    return WholeMap(smoothed.astype(np.float32), inset)


def whole_map_heights(found: WholeMap, turn: Array, directions: Directions) -> Directions:
    """Return the heights of a map in any directions: the bicubic spline of Keys (1981), without a seam.

    Parameters
    ----------
    found : WholeMap
        From `whole_map`.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into one on the map.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float64, shape (…)
        Metres.

    References
    ----------
    Keys (1981), doi:10.1109/TASSP.1981.1163711, Eq. (15).
    """
    places = np.ascontiguousarray(directions).reshape(-1, 3)
    heights = np.empty(len(places), np.float64)
    _look_up(found, turn, places, heights)
    return heights.reshape(directions.shape[:-1])


@parallel_kernel
def _average_rows(part: Part, heights: Array, inset: float, wide: float, smoothed: Array) -> None:
    """Average along each row over `wide` samples of the equator, or over one where meridians lie closer."""
    rows, columns = heights.shape
    last = rows - 1 + 2.0 * inset
    for row in portion(part, rows):
        across = max(cos(math.pi * (row + inset) / last - 0.5 * math.pi), 1e-9)
        reach = min(np.int64(0.5 * max(wide, 1.0) / across), columns // 4)
        total = 0.0
        for column in range(-reach, reach + 1):
            total += heights[row, column % columns]
        for column in range(columns):
            smoothed[row, column] = total / (2 * reach + 1) if reach > 0 else heights[row, column]
            total += heights[row, (column + reach + 1) % columns] - heights[row, (column - reach) % columns]


@parallel_kernel
def _average_columns(part: Part, heights: Array, inset: float, reach: int, smoothed: Array) -> None:
    """Average along each meridian, over the poles, from `reach` rows before to `reach` rows after."""
    rows, columns = heights.shape
    for row in portion(part, rows):
        for column in range(columns):
            total = 0.0
            for other in range(row - reach, row + reach + 1):
                total += _sample(heights, inset, other, column)
            smoothed[row, column] = total / (2 * reach + 1)


@kernel
def _sample(heights: Array, inset: float, row: int, column: int) -> float:
    """Height of a sample; beyond a pole it lies on the other side of the planet."""
    rows, columns = heights.shape
    step = 1 if inset > 0.0 else 0
    if row < 0:
        row, column = -row - step, column + columns // 2
    elif row >= rows:
        row, column = 2 * rows - 2 - row + step, column + columns // 2
    return heights[min(max(row, 0), rows - 1), column % columns]


@kernel
def _longitude(x: float, y: float) -> float:
    """Longitude of a direction in radians, −π to π."""
    if abs(x) >= abs(y):
        if x == 0.0:
            return 0.0  # a pole
        angle = arctan(y / x)
        return angle if x > 0.0 else angle + (math.pi if y >= 0.0 else -math.pi)
    return (0.5 * math.pi if y > 0.0 else -0.5 * math.pi) - arctan(x / y)


@kernel
def _cubic(t: float, tap: int) -> float:
    """Weight of one of the four samples around a place that lies t after the second of them."""
    away = abs(t - (tap - 1))
    if away <= 1.0:
        return (1.5 * away - 2.5) * away * away + 1.0
    return ((-0.5 * away + 2.5) * away - 4.0) * away + 2.0


@parallel_kernel
def _look_up(part: Part, found: WholeMap, turn: Array, places: Array, heights: Array) -> None:
    """Write the height at each place, from the sixteen samples around it."""
    rows, columns = found.heights.shape
    last = rows - 1 + 2.0 * found.inset
    for k in portion(part, len(places)):
        x, y, z = turned(turn, places[k, 0], places[k, 1], places[k, 2])
        latitude, longitude = arctan(z / max(math.sqrt(x * x + y * y), 1e-12)), _longitude(x, y)
        row = (latitude / math.pi + 0.5) * last - found.inset
        column = (longitude / (2.0 * math.pi) + 0.5) * columns - found.inset
        i, j = math.floor(row), math.floor(column)
        height = 0.0
        for down in range(4):
            along = 0.0
            for right in range(4):
                along += _cubic(column - j, right) * _sample(found.heights, found.inset, i + down - 1, j + right - 1)
            height += _cubic(row - i, down) * along
        heights[k] = height
