"""How high the horizon stands around each place, and what comes over it: one sweep a direction, however far it looks.

For every direction the land is cut into parallel lines, one a cell apart.  Along a line, the places that can be a
horizon are the upper convex hull of what has been passed, kept as a stack; the tangent to it touches its last vertex
(Timonen & Westerholm 2010, "Scalable Height Field Self-Shadowing").  Between lines, heights and horizons are
interpolated: planes are exact.  Beyond the border the ground goes on as a straight line for one cell, and then there is
nothing.

Light from the sky is described by a table: for each direction and height of the horizon, what comes from above it.
"""

import math

import numpy as np
import numpy.typing as npt

from ..compilation import Array, Part, kernel, parallel_kernel, portion
from ..elementary import arctan
from ..terrain import Field

UNLIMITED = math.inf
"""As the longest distance: look as far as the land goes."""

LEVELS = 128
"""Intervals of the sine of the horizon's elevation in a table of light."""

_LINES = 32


def measure_horizon(
    surface: Field, cell_size: float, azimuths: npt.ArrayLike, longest_distance: float = UNLIMITED
) -> npt.NDArray[np.float32]:
    """Return the elevation of the horizon in some directions.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : array_like of float, shape (directions,)
        Where to look: degrees clockwise from north.
    longest_distance : float
        Metres; what is farther away does not count.  The nearest cell always does.

    Returns
    -------
    ndarray of float32, shape (directions, rows, columns)
        Degrees in (−90, 90), below 0 where the land falls away.  One map a direction: `gather_light` needs no such
        memory.

    Raises
    ------
    ValueError
        If `longest_distance` is not above 0.
    """
    directions = np.asarray(azimuths, np.float64).ravel()
    result = np.empty((directions.size, *surface.shape), np.float32)
    views = {turned: _View(surface, cell_size, turned) for turned in {_is_turned(a) for a in directions}}
    for number, azimuth in enumerate(directions):
        view = views[_is_turned(azimuth)]
        horizon = view.sweep(azimuth, longest_distance)
        result[number] = horizon.T if view.turned else horizon
    _turn_into_degrees(result.ravel())
    return result


@parallel_kernel
def _turn_into_degrees(part: Part, tangents: Array) -> None:
    for i in portion(part, tangents.size):
        tangents[i] = math.degrees(arctan(tangents[i]))


def gather_light(
    surface: Field,
    cell_size: float,
    azimuths: npt.ArrayLike,
    light: npt.NDArray[np.float32],
    *,
    longest_distance: float = UNLIMITED,
    level: bool = False,
) -> Field:
    """Return how much light comes over the horizon, summed over directions; no map of a single direction is kept.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : array_like of float, shape (directions,)
        Degrees clockwise from north.
    light : ndarray of float32, shape (directions, LEVELS + 1, 3)
        What comes from above a horizon whose elevation has the sine k / LEVELS: a vector (east, north, up) towards the
        light, as long as it is bright.  Horizons below 0 count as 0.
    longest_distance : float
        Metres; what is farther away casts no shadow.
    level : bool
        Whether the receiver is level; otherwise it lies in the ground.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Sum over directions of max(0, n·light), n the normal of the receiver.

    Raises
    ------
    ValueError
        If `longest_distance` is not above 0, or `light` does not fit the directions.
    """
    directions = np.asarray(azimuths, np.float64).ravel()
    if light.shape != (directions.size, LEVELS + 1, 3):
        raise ValueError(f"light has shape {light.shape}, not {(directions.size, LEVELS + 1, 3)}")
    result = np.zeros(surface.shape, np.float32)
    for turned in (False, True):
        chosen = [n for n, a in enumerate(directions) if _is_turned(a) == turned and light[n].any()]
        if not chosen:
            continue
        view = _View(surface, cell_size, turned)
        normals = view.normals(level)
        gathered = np.zeros(view.shape, np.float32)
        for number in chosen:
            table = np.ascontiguousarray(light[number][:, [1, 0, 2]] if turned else light[number], np.float32)
            _gather(view.sweep(directions[number], longest_distance), normals, table, gathered)
        result += gathered.T if turned else gathered
    return result


def _is_turned(azimuth: float) -> bool:
    """Whether a direction is nearer to north or south than to east or west: lines then run along columns."""
    return abs(math.cos(math.radians(azimuth))) > abs(math.sin(math.radians(azimuth))) + 1e-9


class _View:
    """A land, turned so that lines of sight run along its rows, with one more cell of ground on every side."""

    def __init__(self, surface: Field, cell_size: float, turned: bool) -> None:
        surface = surface.T if turned else surface
        rows, columns = self.shape = surface.shape
        self.turned = turned
        self.cell_size = cell_size
        self.horizon = np.empty(self.shape, np.float32)
        self.ground = np.empty((rows + 2, columns + 2), np.float32)
        self.ground[1:-1, 1:-1] = surface
        _continue(self.ground[:, 1:-1])
        _continue(self.ground.T)

    def normals(self, level: bool) -> Array:
        """Return normals (along rows, across them, up) as three maps; of level ground if asked for."""
        normals = np.zeros((3, *self.shape), np.float32)
        if level:
            normals[2] = 1.0
        else:
            _normals(self.ground, np.float32(0.125 / self.cell_size), normals)
        return normals

    def sweep(self, azimuth: float, longest_distance: float) -> Field:
        """Return tangents of the horizon's elevation in one direction, in memory that the next sweep overwrites.

        Raises
        ------
        ValueError
            If `longest_distance` is not above 0.
        """
        if not longest_distance > 0.0:
            raise ValueError(f"longest_distance = {longest_distance!r} m is not a length above 0 m")
        along, across = math.sin(math.radians(azimuth)), math.cos(math.radians(azimuth))
        if self.turned:
            along, across = across, along
        steepness = across / along
        step = math.hypot(1.0, steepness) * self.cell_size
        last = self.ground.shape[1] - 1
        columns = np.arange(last, -1, -1) if along > 0.0 else np.arange(last + 1)
        # Lines lie alike as seen from either end, and rows and diagonals meet samples: mirrored land has mirrored maps.
        # Rounded, because sines are a little off.
        places = np.round(0.5 * round(abs(steepness) * last) + steepness * (columns - 0.5 * last), 9)
        south, north = np.floor(places), np.ceil(places)
        window = max(1, int(min(longest_distance / step + 1e-6, columns.size)))
        offsets = np.stack([columns, south, north]).astype(np.int64)
        _sweep(self.ground, offsets, (places - south).astype(np.float32), window, np.float32(1.0 / step), self.horizon)
        return self.horizon


def _continue(ground: Array) -> None:
    """Set the first and the last row so that the ground goes on as a straight line; level where there is one row."""
    second, second_last = (2, -3) if ground.shape[0] > 3 else (1, -2)
    ground[0] = 2.0 * ground[1] - ground[second]
    ground[-1] = 2.0 * ground[-2] - ground[second_last]


@parallel_kernel
def _normals(part: Part, ground: Array, share: np.float32, normals: Array) -> None:
    """Normals from the gradient of Horn (1981); `share` is 1 / (8 cells)."""
    two, one = np.float32(2.0), np.float32(1.0)
    for row in portion(part, normals.shape[1]):
        south, middle, north = ground[row], ground[row + 1], ground[row + 2]
        along, across, up = normals[0, row], normals[1, row], normals[2, row]
        for c in range(along.size):
            west, east = south[c] + two * middle[c] + north[c], south[c + 2] + two * middle[c + 2] + north[c + 2]
            low, high = south[c] + two * south[c + 1] + south[c + 2], north[c] + two * north[c + 1] + north[c + 2]
            p, q = (east - west) * share, (high - low) * share
            length = np.sqrt(one + p * p + q * q)
            along[c], across[c], up[c] = -p / length, -q / length, one / length


@parallel_kernel
def _sweep(
    part: Part, ground: Array, offsets: Array, shares: Array, window: int, per_step: np.float32, horizon: Array
) -> None:
    """Place i of line l: column ``offsets[0, i]``, between rows ``l + offsets[1, i]`` and ``l + offsets[2, i]``."""
    first = -max(offsets[1, 0], offsets[1, -1])
    last = ground.shape[0] - 1 - min(offsets[2, 0], offsets[2, -1])
    for band in portion(part, (last - first) // _LINES + 1):
        start = first + np.int64(band) * _LINES
        _sweep_band(ground, offsets, shares, window, per_step, start, min(start + _LINES, last), horizon)


@kernel
def _sweep_band(
    ground: Array,
    offsets: Array,
    shares: Array,
    window: int,
    per_step: np.float32,
    first: int,
    last: int,
    horizon: Array,
) -> None:
    """Sweep some lines, and set the cells between each and the one before."""
    columns, south, north = offsets[0], offsets[1], offsets[2]
    length, last_row, one = columns.size, ground.shape[0] - 1, np.float32(1.0)
    heights, here, before = np.empty(length, np.float32), np.empty(length, np.float32), np.empty(length, np.float32)
    hull, past = np.empty((3, length), np.float32), np.empty((3, length), np.int32)
    for line in range(first, last + 1):
        begin, end = 0, length
        while begin < end and not (line + south[begin] >= 0 and line + north[begin] <= last_row):
            begin += 1
        while begin < end and not (line + south[end - 1] >= 0 and line + north[end - 1] <= last_row):
            end -= 1
        for i in range(begin, end):
            height = ground[line + south[i], columns[i]]
            heights[i] = height + shares[i] * (ground[line + north[i], columns[i]] - height)
        before, here = here, before
        _tangents(heights[begin:end], window, hull, past, here[begin:end])
        if line > first:
            # The ground has one row and column more on each side than the horizon.
            begin, end = max(begin, 1), min(end, length - 1)
            while begin < end and not 1 <= line + south[begin] < last_row:
                begin += 1
            while begin < end and not 1 <= line + south[end - 1] < last_row:
                end -= 1
            for i in range(begin, end):
                between = shares[i] * before[i] + (one - shares[i]) * here[i]
                horizon[line + south[i] - 1, columns[i] - 1] = between * per_step


@kernel
def _tangents(heights: Array, window: int, hull: Array, past: Array, tangents: Array) -> None:
    """Steepest rise from each place back to one of the `window` places before it.

    Blocks of `window` places: what is before a place lies in its own block, whose hull grows, or in the block before,
    whose hull, built from its end, is taken apart again as the window leaves it.
    """
    count = heights.size
    infinity = np.float32(np.inf)
    hull_height, hull_place, hull_tangent = hull[0], hull[1], hull[2]
    old_hull, replaced, old_size = past[0], past[1], past[2]
    size_before = 0
    for start in range(0, count, window):
        end = min(start + window, count)
        top, guess = -1, 0
        for i in range(start, end):
            height = heights[i]
            place, steepest = np.float32(i), -infinity
            if i > start:
                # Seen from here, a place of the hull lies below the one behind it.
                rise, run = hull_height[top] - height, place - hull_place[top]
                while rise < hull_tangent[top] * run:
                    top -= 1
                    rise, run = hull_height[top] - height, place - hull_place[top]
                steepest = rise / run
            top += 1
            hull_height[top], hull_place[top], hull_tangent[top] = height, place, steepest
            if size_before > 0:
                # The window has left place i − window − 1; undo what adding it to the old hull did.
                gone = i - window - 1
                if gone >= start - window:
                    old_hull[size_before - 1] = replaced[gone - (start - window)]
                    size_before = old_size[gone - (start - window)]
                if size_before > 0:
                    guess = min(guess, size_before - 1)
                    best = (heights[old_hull[guess]] - height) / np.float32(i - old_hull[guess])
                    while guess + 1 < size_before:
                        other = old_hull[guess + 1]
                        slope = (heights[other] - height) / np.float32(i - other)
                        if slope <= best:
                            break
                        best, guess = slope, guess + 1
                    while guess > 0:
                        other = old_hull[guess - 1]
                        slope = (heights[other] - height) / np.float32(i - other)
                        if slope <= best:
                            break
                        best, guess = slope, guess - 1
                    steepest = max(steepest, best)
            tangents[i] = steepest
        size_before = 0
        if end < count:
            for i in range(end - 1, start - 1, -1):
                old_size[i - start] = size_before
                while size_before > 1:
                    a, b = old_hull[size_before - 2], old_hull[size_before - 1]
                    if (heights[b] - heights[i]) * np.float32(a - i) > (heights[a] - heights[i]) * np.float32(b - i):
                        break
                    size_before -= 1
                replaced[i - start] = old_hull[size_before]
                old_hull[size_before] = i
                size_before += 1
    if count > 0:
        tangents[0] = tangents[1] if count > 1 else np.float32(0.0)


@parallel_kernel
def _gather(part: Part, horizon: Array, normals: Array, light: Array, gathered: Array) -> None:
    zero, one, levels = np.float32(0.0), np.float32(1.0), np.float32(LEVELS)
    for row in portion(part, horizon.shape[0]):
        for column in range(horizon.shape[1]):
            tangent = max(horizon[row, column], zero)
            place = tangent / np.sqrt(one + tangent * tangent) * levels
            # At least 0 also for NaN, which differences of heights near the end of float32 can give.
            k = max(min(np.int32(place), np.int32(LEVELS - 1)), np.int32(0))
            share = place - np.float32(k)
            facing = zero
            for axis in range(3):
                low = light[k, axis]
                facing += normals[axis, row, column] * (low + share * (light[k + 1, axis] - low))
            gathered[row, column] += max(facing, zero)
