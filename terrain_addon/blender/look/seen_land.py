"""A land as somebody sees it: what shows at any place, and a camera on it."""

import cmath
import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...core.meshing.open_sea import LEAST_SEA, sea_along_sides

SENSOR_WIDTH = 36.0
"""Width of the camera's sensor in millimetres."""

# A crater is so deep, and its rim so far from the middle of its floor (shares of the land's size).  Distances that are
# tried lie close together: a little inside a rim or outside of it, its height is far less.
_CRATER_DEPTH, _CRATER_RADII, _CRATER_REACH = 0.012, np.geomspace(0.03, 0.11, 9), 0.12
# Slopes are measured at so many places along each side, over this share of the land's size to both sides of each.
_SLOPES, _SLOPE_STEP = 80, 0.004
# Crests count as parallel from this share of all slopes on that lie across them, and fully from the second one on.
_PARALLEL = (0.25, 0.45)
# Level ground in the upper part of a land (share of its range), and steep ground, as slopes; and which shares of a land
# they are from where on it begins to be a tableland, and where it is one.
_UPPER, _LEVEL, _STEEP, _TABLES, _WALLS = 0.25, 0.15, 0.9, (0.07, 0.12), (0.005, 0.02)
# The camera stands at least so high above the ground: above trees (metres), but lower on a small land (share of it).
_LOWEST_HEIGHT = 35.0
_LOWEST_HEIGHT_SHARE = 0.08

Reals: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """A camera on the land.

    Attributes
    ----------
    x, y : float
        Metres east and north of the middle of the land.
    z : float
        Altitude in metres.
    heading : float
        Direction of view in degrees, counter-clockwise from east seen from above.
    pitch : float
        Degrees above the horizon.
    lens : float
        Focal length in millimetres for a sensor of SENSOR_WIDTH.
    breadth : float
        Metres that a picture without perspective shows from left to right; 0 for one with perspective.
    name : str
        One of `views.VIEWS`.
    sun : float or None
        Where the sun should stand, in degrees counter-clockwise from east; None where nobody has looked for it yet.
    """

    x: float
    y: float
    z: float
    heading: float
    pitch: float
    lens: float
    breadth: float = 0.0
    name: str = "vista"
    sun: float | None = None


class Crater(NamedTuple):
    """Middle and altitude of the floor, distance of the rim from there, and depth below it, in metres."""

    x: float
    y: float
    floor: float
    radius: float
    depth: float


class Crests(NamedTuple):
    """Where crests run, in degrees counter-clockwise from east, and how parallel they are: 0 not at all, 1 as dunes."""

    heading: float
    parallel: float


class SeenCrowns(NamedTuple):
    """Crowns of trees on a land; all arrays have shape (trees,).

    Attributes
    ----------
    x, y : ndarray of float32
        Metres east and north of the middle of the land, in the order of x.
    top : ndarray of float32
        Altitude in metres.
    radius : ndarray of float32
        Metres.
    """

    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    top: npt.NDArray[np.float32]
    radius: npt.NDArray[np.float32]


class SeenLand:
    """Heights of a land and its sea at any place.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Altitudes in metres, row 0 in the south.
    width, depth : float
        Size of the land from west to east and from south to north in metres.
    sea_level : float or None
        Altitude of the sea in metres; None if there is none.  The sea goes on beyond the border.
    crowns : SeenCrowns, optional
        Crowns that may hide the land from a camera that stands among them.

    Raises
    ------
    ValueError
        If the land is smaller than 2 × 2 samples.
    """

    def __init__(
        self,
        heights: npt.NDArray[np.float32],
        width: float,
        depth: float,
        sea_level: float | None,
        crowns: SeenCrowns | None = None,
    ) -> None:
        self.crowns = crowns
        if min(heights.shape) < 2:
            raise ValueError(
                f"a land of {heights.shape[0]} × {heights.shape[1]} samples has no view: it needs 2 × 2 or more"
            )
        self.sea_level = -math.inf if sea_level is None else sea_level
        along = sea_along_sides(heights, self.sea_level)
        # South, west, north and east: where the sea goes on, and where nothing but sea is at the border.
        self.open_sides, self.sea_sides = along >= LEAST_SEA, along == 1.0
        heights = self.heights = np.maximum(heights, np.float32(self.sea_level))
        self.half = (0.5 * width, 0.5 * depth)
        self.size = max(width, depth)
        row, column = np.unravel_index(int(heights.argmax()), heights.shape)
        rows, columns = heights.shape
        self.summit = (
            width * (column / (columns - 1) - 0.5),
            depth * (row / (rows - 1) - 0.5),
            float(heights[row, column]),
        )
        self.foot, self.top = float(heights.min()), float(heights.max())
        self.crater = self._find_crater()

    def _find_crater(self) -> Crater | None:
        """Return the deepest crater beside the summit, None if there is none."""
        angles = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
        steps = np.linspace(-1.0, 1.0, 25) * _CRATER_REACH * self.size
        x, y = (axis.ravel() for axis in np.meshgrid(self.summit[0] + steps, self.summit[1] + steps))
        floor = self.altitude(x, y)
        found = []
        for radius in (_CRATER_RADII * self.size).tolist():
            east, north = radius * np.cos(angles), radius * np.sin(angles)
            # A rim may be breached.
            rim = np.quantile(self.altitude(x[:, None] + east, y[:, None] + north), 0.15, axis=1)
            # The floor is wide, unlike the holes between boulders.
            bottom = self.altitude(x[:, None] + 0.4 * east, y[:, None] + 0.4 * north).max(axis=1)
            k = int((rim - bottom).argmax())
            found.append(Crater(float(x[k]), float(y[k]), float(floor[k]), radius, float(rim[k] - bottom[k])))
        deepest = max(found, key=lambda crater: crater.depth)
        return deepest if deepest.depth > _CRATER_DEPTH * self.size else None

    @cached_property
    def crests(self) -> Crests:
        """Which way the crests of the land run, and how parallel they are."""
        _, east, north = self._slopes
        # A slope and its opposite have the same square.  The tilt of the whole land makes no crests.
        slopes = east - east.mean() + 1j * (north - north.mean())
        across, all_slopes = complex((slopes * slopes).mean()), float((np.abs(slopes) ** 2).mean())
        share = abs(across) / all_slopes if all_slopes > 0.0 else 0.0
        return Crests(0.5 * math.degrees(cmath.phase(across)) + 90.0, _between(share, *_PARALLEL))

    @cached_property
    def tableland(self) -> float:
        """How much the land is level ground high up that breaks off in walls: 0 not at all, 1 as mesas."""
        altitude, east, north = self._slopes
        slope = np.hypot(east, north)
        level = (slope < _LEVEL) & (altitude > self.foot + _UPPER * (self.top - self.foot))
        return _between(float(level.mean()), *_TABLES) * _between(float((slope > _STEEP).mean()), *_WALLS)

    @cached_property
    def _slopes(self) -> tuple[Reals, Reals, Reals]:
        """Altitudes all over the land, and slopes there to the east and north."""
        along = np.linspace(-0.98, 0.98, _SLOPES)
        x, y = (axis.ravel() for axis in np.meshgrid(along * self.half[0], along * self.half[1]))
        return self.altitude(x, y), *self.gradient(x, y, _SLOPE_STEP * self.size)

    def gradient(self, x: Reals, y: Reals, step: float) -> tuple[Reals, Reals]:
        """Return the slope of the ground towards east and north, over so many metres to both sides."""
        east = self.altitude(x + step, y) - self.altitude(x - step, y)
        north = self.altitude(x, y + step) - self.altitude(x, y - step)
        return east / (2.0 * step), north / (2.0 * step)

    @property
    def clearance(self) -> float:
        """Least height of a camera above the ground in metres, so that it stands above trees."""
        return min(_LOWEST_HEIGHT, _LOWEST_HEIGHT_SHARE * self.size)

    def altitude(self, x: Reals, y: Reals) -> Reals:
        """Return the altitude of the ground between the samples; beyond the border it is that of the border."""
        rows, columns = self.heights.shape
        column = np.clip((x / self.half[0] + 1.0) * 0.5 * (columns - 1), 0.0, columns - 1.0)
        row = np.clip((y / self.half[1] + 1.0) * 0.5 * (rows - 1), 0.0, rows - 1.0)
        i = np.minimum(row.astype(np.intp), rows - 2)
        j = np.minimum(column.astype(np.intp), columns - 2)
        u, v = column - j, row - i
        south = self.heights[i, j] * (1.0 - u) + self.heights[i, j + 1] * u
        north = self.heights[i + 1, j] * (1.0 - u) + self.heights[i + 1, j + 1] * u
        return south * (1.0 - v) + north * v

    def shows(self, x: Reals, y: Reals, altitude: Reals) -> npt.NDArray[np.bool_]:
        """Return which places are within the borders or on the open sea, where the ground is this high."""
        inside = (np.abs(x) <= self.half[0]) & (np.abs(y) <= self.half[1])
        return inside | (altitude <= self.sea_level) & self.open_sides[self.side_of(x, y)]

    def side_of(self, x: Reals, y: Reals) -> npt.NDArray[np.intp]:
        """Return behind which side each place beyond the borders is: 0 to 3 for south, west, north and east."""
        east, north = x / self.half[0], y / self.half[1]
        return np.where(np.abs(north) > np.abs(east), np.where(north > 0.0, 2, 0), np.where(east > 0.0, 3, 1))

    def highest_around(self, x: float, y: float, reach: float) -> float:
        """Return the highest sample in a square around a place; `reach` is half its side."""
        rows, columns = self.heights.shape
        i = _span(y / self.half[1], reach / self.half[1], rows)
        j = _span(x / self.half[0], reach / self.half[0], columns)
        return float(self.heights[i, j].max())


def _between(value: float, low: float, high: float) -> float:
    """Return 0 up to `low`, 1 from `high` on, and what is in proportion between."""
    return min(max((value - low) / (high - low), 0.0), 1.0)


def _span(place: float, reach: float, samples: int) -> slice:
    """Return the samples within `reach` of a place along one side; both are shares of half the land's size."""
    last = samples - 1
    low, high = ((place + side * reach + 1.0) * 0.5 * last for side in (-1.0, 1.0))
    return slice(min(max(math.floor(low), 0), last), min(max(math.ceil(high), 0), last) + 1)
