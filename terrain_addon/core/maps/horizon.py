"""How high the horizon stands around each place, and what comes over it: one sweep a direction, however far it looks.

For every direction the land is cut into parallel lines, one a cell apart.  Along a line, the places that can be a
horizon are the upper convex hull of what has been passed: each place is linked to the one that is its own horizon, and
the next one looks for its horizon along these links (Timonen & Westerholm 2010, "Scalable Height Field
Self-Shadowing").  Between lines, heights and horizons are interpolated: planes are exact.  Beyond the border the ground
goes on as a straight line for one cell, and then there is nothing.

Light from the sky is described by a table: for each direction and height of the horizon, what comes from above it.
"""

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.terrain import Field

UNLIMITED = math.inf
"""As the longest distance: look as far as the land goes."""

LEVELS = 128
"""Intervals of the sine of the horizon's elevation in a table of light."""

# Lines that are swept side by side, as many as `_look_back` names: each step waits for the one before it on its line,
# but not for other lines.
_LINES = 4

Sight: TypeAlias = tuple[Array, Array, Array]
"""For each place of some lines, how far its horizon rises above it, over which run, and which place that is."""


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
        result[number] = view.inside(view.sweep(azimuth, longest_distance))
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
        gathered = np.zeros(view.ground.shape, np.float32)
        for number in chosen:
            levels = light[number][:, [1, 0, 2]] if turned else light[number]
            table = np.hstack([levels[:-1], np.diff(levels, axis=0)]).astype(np.float32)
            _gather(view.sweep(directions[number], longest_distance), normals, table, gathered)
        result += view.inside(gathered)
    return result


def _is_turned(azimuth: float) -> bool:
    """Whether a direction is nearer to north or south than to east or west: lines then run along columns."""
    return abs(math.cos(math.radians(azimuth))) > abs(math.sin(math.radians(azimuth))) + 1e-9


class _View:
    """A land, turned so that lines of sight run along its rows, with one more cell of ground on every side.

    All its maps have these cells, of which only the ground's mean anything.
    """

    def __init__(self, surface: Field, cell_size: float, turned: bool) -> None:
        surface = surface.T if turned else surface
        rows, columns = surface.shape
        self.turned = turned
        self.cell_size = cell_size
        self.ground = np.empty((rows + 2, columns + 2), np.float32)
        self.horizon = np.empty_like(self.ground)
        self.ground[1:-1, 1:-1] = surface
        _continue(self.ground[:, 1:-1])
        _continue(self.ground.T)

    def inside(self, field: Array) -> Field:
        """Return a map without the cells around the land, turned back."""
        inside = field[1:-1, 1:-1]
        return inside.T if self.turned else inside

    def normals(self, level: bool) -> Array:
        """Return normals (along rows, across them, up) as three maps; of level ground if asked for."""
        normals = np.zeros((3, *self.ground.shape), np.float32)
        if level:
            normals[2] = 1.0
        else:
            _normals(self.ground, np.float32(0.125 / self.cell_size), normals)
        return normals

    def sweep(self, azimuth: float, longest_distance: float) -> Array:
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
        last_row, last = np.subtract(self.ground.shape, 1)
        columns = np.arange(last, -1, -1) if along > 0.0 else np.arange(last + 1)
        # Lines lie alike as seen from either end, and rows and diagonals meet samples: mirrored land has mirrored maps.
        # Rounded, because sines are a little off.
        places = np.round(0.5 * round(abs(steepness) * last) + steepness * (columns - 0.5 * last), 9)
        south, north = np.floor(places).astype(np.int64), np.ceil(places).astype(np.int64)
        samples = np.stack([south, north]) * self.ground.shape[1] + columns
        lines = np.arange(-south.max(), last_row - north.min() + 1)
        window = max(1, int(min(longest_distance / step + 1e-6, columns.size)))
        _sweep(
            self.ground.ravel(),
            lines * self.ground.shape[1],
            _spans(south, north, lines, last_row),
            samples,
            (places - south).astype(np.float32),
            window,
            np.float32(1.0 / step),
            self.horizon.ravel(),
        )
        return self.horizon


def _spans(south: Array, north: Array, lines: Array, last_row: int) -> Array:
    """Return between which of its places each line lies on the ground."""
    if south[0] > south[-1]:
        south, north, lines = -north, -south, last_row - lines
    begins = np.searchsorted(south, -lines)
    return np.stack([begins, np.maximum(np.searchsorted(north, last_row - lines, "right"), begins)])


def _continue(ground: Array) -> None:
    """Set the first and the last row so that the ground goes on as a straight line; level where there is one row."""
    second, second_last = (2, -3) if ground.shape[0] > 3 else (1, -2)
    ground[0] = 2.0 * ground[1] - ground[second]
    ground[-1] = 2.0 * ground[-2] - ground[second_last]


@parallel_kernel
def _normals(part: Part, ground: Array, share: np.float32, normals: Array) -> None:
    """Normals from the gradient of Horn (1981); `share` is 1 / (8 cells)."""
    two, one = np.float32(2.0), np.float32(1.0)
    for row in portion(part, ground.shape[0] - 2):
        south, middle, north = ground[row], ground[row + 1], ground[row + 2]
        along, across, up = normals[0, row + 1, 1:-1], normals[1, row + 1, 1:-1], normals[2, row + 1, 1:-1]
        for c in range(along.size):
            west, east = south[c] + two * middle[c] + north[c], south[c + 2] + two * middle[c + 2] + north[c + 2]
            low, high = south[c] + two * south[c + 1] + south[c + 2], north[c] + two * north[c + 1] + north[c + 2]
            p, q = (east - west) * share, (high - low) * share
            length = np.sqrt(one + p * p + q * q)
            along[c], across[c], up[c] = -p / length, -q / length, one / length


@parallel_kernel
def _sweep(
    part: Part,
    ground: Array,
    lines: Array,
    spans: Array,
    samples: Array,
    shares: Array,
    window: int,
    per_step: np.float32,
    horizon: Array,
) -> None:
    """Set the horizon of the cells between lines.

    Place i of line l lies between the samples ``lines[l] + samples[0, i]`` and ``lines[l] + samples[1, i]``, and on the
    ground from place ``spans[0, l]`` to before ``spans[1, l]``.
    """
    south, north, one = samples[0], samples[1], np.float32(1.0)
    # One more place than a line has: there it waits for the others when it is at its end, or is not there at all.
    room = shares.size + 1
    heights = np.zeros(_LINES * room, np.float32)
    sight = np.empty(heights.size, np.float32), np.empty(heights.size, np.float32), np.empty(heights.size, np.uint32)
    starts = room * np.arange(1, _LINES + 1) - 1
    ends = starts.copy()
    tangents, past = np.empty((_LINES + 1, shares.size), np.float32), np.empty((3, shares.size), np.int32)
    own = portion(part, lines.size)
    # Cells lie between two lines, so the last line of the part before is swept here, too.
    first = max(own.start - 1, 0)
    for line in range(first, own.stop, _LINES):
        count = min(_LINES, own.stop - line)
        for n in range(count):
            start, end, at, here = spans[0, line + n], spans[1, line + n], lines[line + n], heights[n * room :]
            starts[n], ends[n] = n * room + start, n * room + end
            for i in range(start, end):
                low, high = ground[np.uint64(at + south[i])], ground[np.uint64(at + north[i])]
                here[i] = low + shares[i] * (high - low)
        _look_back(heights, starts, ends, window, sight)
        tangents[0] = tangents[_LINES]
        for n in range(count):
            start, end, at = spans[0, line + n], spans[1, line + n], lines[line + n]
            before, here = tangents[n], tangents[n + 1]
            _tangents(heights, starts[n], sight, window, past, here[start:end])
            if line + n > first:
                for i in range(start, end):
                    between = shares[i] * before[i] + (one - shares[i]) * here[i]
                    horizon[np.uint64(at + south[i])] = between * per_step


@kernel
def _look_back(heights: Array, starts: Array, ends: Array, window: int, sight: Sight) -> None:
    """Look back from each place of some lines within its own block of `window` places."""
    longest = max(ends[0] - starts[0], ends[1] - starts[1], ends[2] - starts[2], ends[3] - starts[3])
    for block in range(0, longest, window):
        a, end_a = _enter_block(starts[0], ends[0], block, window, sight)
        b, end_b = _enter_block(starts[1], ends[1], block, window, sight)
        c, end_c = _enter_block(starts[2], ends[2], block, window, sight)
        d, end_d = _enter_block(starts[3], ends[3], block, window, sight)
        while a[0] < end_a or b[0] < end_b or c[0] < end_c or d[0] < end_d:
            a = _step(a, end_a, heights, sight)
            b = _step(b, end_b, heights, sight)
            c = _step(c, end_c, heights, sight)
            d = _step(d, end_d, heights, sight)


@kernel
def _enter_block(start: int, end: int, block: int, window: int, sight: Sight) -> tuple[tuple[Bits, Bits], Bits]:
    """Return the second place of a block and the first, from which nothing is seen, and where the block ends."""
    rises, runs, behind = sight
    first = min(start + block, end)
    last = min(first + window, end)
    rises[first], runs[first], behind[first] = -np.inf, np.float32(1.0), first
    return (np.uint32(min(first + 1, last)), np.uint32(first)), np.uint32(last)


@kernel
def _step(looking: tuple[Bits, Bits], end: Bits, heights: Array, sight: Sight) -> tuple[Bits, Bits]:
    """Look from a place at one that may be its horizon; returns where to look next, and from where.

    No processor could guess the outcome, so there is no branch: what is written holds once nothing higher is behind.
    """
    place, seen = looking
    rises, runs, behind = sight
    rise, run = heights[seen] - heights[place], np.float32(np.int32(place) - np.int32(seen))
    higher_behind, beyond = rise * runs[seen] < rises[seen] * run, behind[seen]
    rises[place], runs[place], behind[place] = rise, run, seen
    following = np.uint32(min(place + np.uint32(1), end))
    return (place if higher_behind else following), (beyond if higher_behind else place)


@kernel
def _tangents(heights: Array, start: int, sight: Sight, window: int, past: Array, tangents: Array) -> None:
    """Steepest rise from each place of a line back to one of the `window` places before it."""
    rises, runs, count = sight[0][start:], sight[1][start:], tangents.size
    for i in range(count):
        tangents[i] = rises[i] / runs[i]
    if window < count:
        _look_past_block(heights[start : start + count], window, past, tangents)
    if count > 0:
        tangents[0] = tangents[1] if count > 1 else np.float32(0.0)


@kernel
def _look_past_block(heights: Array, window: int, past: Array, tangents: Array) -> None:
    """Look back into the block before a place's own, as far as the window reaches.

    Of the block before, the hull is built from its end, and taken apart again as the window leaves it.
    """
    hull, replaced, old_size = past[0], past[1], past[2]
    for start in range(window, heights.size, window):
        size, before = 0, start - window
        for i in range(start - 1, before - 1, -1):
            old_size[i - before] = size
            while size > 1:
                a, b = hull[size - 2], hull[size - 1]
                if (heights[b] - heights[i]) * np.float32(a - i) > (heights[a] - heights[i]) * np.float32(b - i):
                    break
                size -= 1
            replaced[i - before] = hull[size]
            hull[size] = i
            size += 1
        guess = 0
        for i in range(start, min(start + window, heights.size)):
            height = heights[i]
            guess = min(guess, size - 1)
            best = (heights[hull[guess]] - height) / np.float32(i - hull[guess])
            while guess + 1 < size:
                other = hull[guess + 1]
                slope = (heights[other] - height) / np.float32(i - other)
                if slope <= best:
                    break
                best, guess = slope, guess + 1
            while guess > 0:
                other = hull[guess - 1]
                slope = (heights[other] - height) / np.float32(i - other)
                if slope <= best:
                    break
                best, guess = slope, guess - 1
            tangents[i] = max(tangents[i], best)
            # The window leaves the farthest place; undo what adding it to the hull did.
            hull[size - 1], size = replaced[i - start], old_size[i - start]


@parallel_kernel
def _gather(part: Part, horizon: Array, normals: Array, light: Array, gathered: Array) -> None:
    """Add the light of a direction; ``light[k]``: what comes over a horizon of level k, and what k + 1 differs by."""
    zero, one, levels = np.float32(0.0), np.float32(1.0), np.float32(LEVELS)
    places = np.empty(horizon.shape[1], np.float32)
    for row in portion(part, horizon.shape[0]):
        tangents, along, across, up = horizon[row], normals[0, row], normals[1, row], normals[2, row]
        for c in range(places.size):
            tangent = max(tangents[c], zero)
            places[c] = tangent / np.sqrt(one + tangent * tangent) * levels
        for c in range(places.size):
            # At least 0 also for NaN, which differences of heights near the end of float32 can give.
            k = np.uint32(max(min(np.int32(places[c]), np.int32(LEVELS - 1)), np.int32(0)))
            share = places[c] - np.float32(k)
            facing = along[c] * (light[k, 0] + share * light[k, 3])
            facing += across[c] * (light[k, 1] + share * light[k, 4])
            facing += up[c] * (light[k, 2] + share * light[k, 5])
            gathered[row, c] += max(facing, zero)
