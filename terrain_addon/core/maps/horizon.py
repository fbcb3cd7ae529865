"""The horizon around each place, and the light that comes over it.

One sweep per azimuth finds the horizon of all cells (Timonen & Westerholm 2010); its time does not depend on how far it
looks.  The land is cut into parallel lines, one cell apart.  Along a line, only places on the upper convex hull of the
ground already passed can be a horizon.  Each place stores which place is its own horizon, and the next place searches
along these links.  Between lines, heights and horizons are interpolated, which is exact on planes.  Beyond the border
the ground continues as a straight line for one cell; after that there is none.

Light is described by a table: for each azimuth and level of the horizon, the light that comes from above that level.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.terrain import Field

UNLIMITED = math.inf
"""Longest distance that looks as far as the land goes."""

LIGHT_LEVELS = 128
"""Number of intervals in a table of light, evenly spaced in the sine of the elevation of the horizon."""

LEVEL_SINES = np.arange(LIGHT_LEVELS + 1) / LIGHT_LEVELS
"""Sine of the elevation of the horizon at each level of a table of light."""

_DEGREES = 180.0 / math.pi
# Number of lines that are swept at the same time; `_look_back` names each of them.  A step must wait for the previous
# step on its own line, but not for those on other lines.
_LINES = 4


class _Lines(NamedTuple):
    """Where the lines of sight lie.

    Place i of line l lies between the samples ``begins[l] + samples[0, i]`` and ``begins[l] + samples[1, i]``, at
    ``shares[i]`` of the way.  It lies on the ground from place ``spans[0, l]`` to before place ``spans[1, l]``.
    """

    begins: Array
    spans: Array
    samples: Array
    shares: Array


class _Sight(NamedTuple):
    """The horizon of each place of some lines: its height above the place, its distance, and the place that it is."""

    rises: Array
    runs: Array
    behind: Array


def measure_horizon(
    surface: Field, cell_size: float, azimuths: npt.ArrayLike, longest_distance: float = UNLIMITED
) -> npt.NDArray[np.float32]:
    """Return the elevation of the horizon in the given directions.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : array_like of float, shape (directions,)
        Degrees clockwise from north.
    longest_distance : float
        Metres, above 0.  Ground farther away does not count, but the nearest cell always does.

    Returns
    -------
    ndarray of float32, shape (directions, rows, columns)
        Degrees in (−90, 90), below 0 where the land falls away.  `gather_light` does its work without keeping a map per
        direction.

    Raises
    ------
    ValueError
        If `longest_distance` is not above 0.

    References
    ----------
    Timonen, V., & Westerholm, J. (2010). Scalable height field self-shadowing. Computer Graphics Forum, 29(2), 723–731.
    doi:10.1111/j.1467-8659.2009.01642.x

    Examples
    --------
    A step of 10 m stands 45° high as seen from a distance of 10 m, and less high from farther away:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.horizon import measure_horizon
    >>> measure_horizon(np.array([[0, 0, 10, 10]], np.float32), 10.0, [90.0]).round(1)
    array([[[26.6, 45. ,  0. ,  0. ]]], dtype=float32)
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
    """Replace tangents by their angles in degrees."""
    for i in portion(part, tangents.size):
        tangents[i] = arctan(np.float64(tangents[i])) * _DEGREES


def gather_light(
    surface: Field,
    cell_size: float,
    azimuths: npt.ArrayLike,
    light: npt.NDArray[np.float32],
    *,
    longest_distance: float = UNLIMITED,
    level: bool = False,
) -> Field:
    """Return how much light comes over the horizon, summed over all directions.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : array_like of float, shape (directions,)
        Degrees clockwise from north.
    light : ndarray of float32, shape (directions, LIGHT_LEVELS + 1, 3)
        Light from above a horizon whose elevation has the sine k / LIGHT_LEVELS, a vector (east, north, up) that points
        towards the light and is as long as it is bright.  Horizons below 0° count as 0°.
    longest_distance : float
        Metres, above 0.  Ground farther away casts no shadow.
    level : bool
        Whether the light falls on level surfaces instead of on the sloping ground.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Sum over all directions of max(0, n·light), where n is the normal of the lit surface, in the unit of `light`.

    Raises
    ------
    ValueError
        If `longest_distance` is not above 0, or `light` does not fit the directions.

    References
    ----------
    Timonen, V., & Westerholm, J. (2010). Scalable height field self-shadowing. Computer Graphics Forum, 29(2), 723–731.
    doi:10.1111/j.1467-8659.2009.01642.x
    """
    directions = np.asarray(azimuths, np.float64).ravel()
    if light.shape != (directions.size, LIGHT_LEVELS + 1, 3):
        raise ValueError(f"light has shape {light.shape}, not {(directions.size, LIGHT_LEVELS + 1, 3)}")
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
        del view, normals, gathered  # or they would stay in memory beside those of the other view
    return result


def gather_grazing_rays(
    surface: Field, cell_size: float, azimuths: npt.ArrayLike, *, longest_distance: float = UNLIMITED
) -> Field:
    """Return the light of one ray per direction: the one that just grazes the land, above or below the horizontal.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    azimuths : array_like of float, shape (directions,)
        Degrees clockwise from north.
    longest_distance : float
        Metres, above 0.  Ground farther away does not count.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Mean over all directions of max(0, n·d), where n is the normal of the ground and d the ray; 0 to 1.

    Raises
    ------
    ValueError
        If `longest_distance` is not above 0.
    """
    directions = np.asarray(azimuths, np.float64).ravel()
    result = np.zeros(surface.shape, np.float32)
    for turned in sorted({_is_turned(azimuth) for azimuth in directions}):
        view = _View(surface, cell_size, turned)
        normals, gathered = view.normals(level=False), np.zeros(view.ground.shape, np.float32)
        for azimuth in directions[[_is_turned(azimuth) == turned for azimuth in directions]]:
            bearing = math.radians(float(azimuth))
            along, across = (math.cos, math.sin) if turned else (math.sin, math.cos)
            horizon = view.sweep(float(azimuth), longest_distance)
            _gather_rays(horizon, normals, np.float32(along(bearing)), np.float32(across(bearing)), gathered)
        result += view.inside(gathered)
        del view, normals, gathered, horizon
    return result * np.float32(1.0 / directions.size)


def _is_turned(azimuth: float) -> bool:
    """Whether an azimuth is nearer to north or south than to east or west: then lines run along columns."""
    return abs(math.cos(math.radians(azimuth))) > abs(math.sin(math.radians(azimuth))) + 1e-9


class _View:
    """A land, transposed if needed so that lines of sight run along its rows, with one more cell on every side.

    The extra cells are part of all its maps, but only in `ground` do they hold meaningful values.
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
        """Return a map without the extra cells, transposed back."""
        inside = field[1:-1, 1:-1]
        return inside.T if self.turned else inside

    def normals(self, level: bool) -> Array:
        """Return the normals (along rows, across rows, up) of the ground, or of level surfaces, as three maps."""
        normals = np.zeros((3, *self.ground.shape), np.float32)
        if level:
            normals[2] = 1.0
        else:
            _normals(self.ground, np.float32(0.125 / self.cell_size), normals)
        return normals

    def sweep(self, azimuth: float, longest_distance: float) -> Array:
        """Return the tangents of the elevation of the horizon in one direction; the next sweep overwrites them.

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
        # The lines lie symmetrically as seen from either end, and along rows and diagonals they meet the samples, so
        # that a mirrored land has mirrored maps.  Rounding removes the error of the sines.
        places = np.round(0.5 * round(abs(steepness) * last) + steepness * (columns - 0.5 * last), 9)
        south, north = np.floor(places).astype(np.int64), np.ceil(places).astype(np.int64)
        samples = np.stack([south, north]) * self.ground.shape[1] + columns
        lines = np.arange(-south.max(), last_row - north.min() + 1)
        window = max(1, int(min(longest_distance / step + 1e-6, columns.size)))
        placed = _Lines(
            begins=lines * self.ground.shape[1],
            spans=_spans(south, north, lines, last_row),
            samples=samples,
            shares=(places - south).astype(np.float32),
        )
        _sweep(self.ground.ravel(), placed, window, np.float32(1.0 / step), self.horizon.ravel())
        return self.horizon


def _spans(south: Array, north: Array, lines: Array, last_row: int) -> Array:
    """Return the first place of each line that lies on the ground, and the first after it that does not."""
    if south[0] > south[-1]:
        south, north, lines = -north, -south, last_row - lines
    begins = np.searchsorted(south, -lines)
    return np.stack([begins, np.maximum(np.searchsorted(north, last_row - lines, "right"), begins)])


def _continue(ground: Array) -> None:
    """Set the first and last row so that the ground continues as a straight line; level if the land has one row."""
    second, second_last = (2, -3) if ground.shape[0] > 3 else (1, -2)
    ground[0] = 2.0 * ground[1] - ground[second]
    ground[-1] = 2.0 * ground[-2] - ground[second_last]


@parallel_kernel
def _normals(part: Part, ground: Array, share: np.float32, normals: Array) -> None:
    """Write normals from the gradient of Horn (1981), as in `slope.horn_gradient`; `share` is 1 / (8 · cell size)."""
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
def _sweep(part: Part, ground: Array, lines: _Lines, window: int, per_step: np.float32, horizon: Array) -> None:
    """Write the horizon of all cells: sweep along each line, then interpolate between every two lines."""
    begins, spans, samples, shares = lines
    south, north, one = samples[0], samples[1], np.float32(1.0)
    # One place more than a line has: a line that has ended, or does not exist, waits there for the others.
    room = shares.size + 1
    heights = np.zeros(_LINES * room, np.float32)
    sight = _Sight(
        np.empty(heights.size, np.float32), np.empty(heights.size, np.float32), np.empty(heights.size, np.uint32)
    )
    starts = room * np.arange(1, _LINES + 1) - 1
    ends = starts.copy()
    tangents, past = np.empty((_LINES + 1, shares.size), np.float32), np.empty((3, shares.size), np.int32)
    own = portion(part, begins.size)
    # Cells lie between two lines, so the last line of the previous part is swept here, too.
    first = max(own.start - 1, 0)
    for line in range(first, own.stop, _LINES):
        count = min(_LINES, own.stop - line)
        for n in range(count):
            start, end, at, here = spans[0, line + n], spans[1, line + n], begins[line + n], heights[n * room :]
            starts[n], ends[n] = n * room + start, n * room + end
            for i in range(start, end):
                low, high = ground[np.uint64(at + south[i])], ground[np.uint64(at + north[i])]
                here[i] = low + shares[i] * (high - low)
        _look_back(heights, starts, ends, window, sight)
        tangents[0] = tangents[_LINES]
        for n in range(count):
            start, end, at = spans[0, line + n], spans[1, line + n], begins[line + n]
            before, here = tangents[n], tangents[n + 1]
            _tangents(heights, starts[n], sight, window, past, here[start:end])
            if line + n > first:
                for i in range(start, end):
                    between = shares[i] * before[i] + (one - shares[i]) * here[i]
                    horizon[np.uint64(at + south[i])] = between * per_step


@kernel
def _look_back(heights: Array, starts: Array, ends: Array, window: int, sight: _Sight) -> None:
    """Find the horizon of each place of four lines among the places before it in its own block of `window` places."""
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
def _enter_block(start: int, end: int, block: int, window: int, sight: _Sight) -> tuple[tuple[Bits, Bits], Bits]:
    """Return the second and the first place of a block, and its end; the first place has no horizon."""
    rises, runs, behind = sight
    first = min(start + block, end)
    last = min(first + window, end)
    rises[first], runs[first], behind[first] = -np.inf, np.float32(1.0), first
    return (np.uint32(min(first + 1, last)), np.uint32(first)), np.uint32(last)


@kernel
def _step(looking: tuple[Bits, Bits], end: Bits, heights: Array, sight: _Sight) -> tuple[Bits, Bits]:
    """Look from a place at one that may be its horizon; return the next pair of places: from where, and at which.

    There is no branch, because processors cannot predict its outcome.  What is written is final once no place farther
    away stands higher.
    """
    place, seen = looking
    rises, runs, behind = sight
    rise, run = heights[seen] - heights[place], np.float32(np.int32(place) - np.int32(seen))
    higher_behind, beyond = rise * runs[seen] < rises[seen] * run, behind[seen]
    rises[place], runs[place], behind[place] = rise, run, seen
    following = np.uint32(min(place + np.uint32(1), end))
    return (place if higher_behind else following), (beyond if higher_behind else place)


@kernel
def _tangents(heights: Array, start: int, sight: _Sight, window: int, past: Array, tangents: Array) -> None:
    """Write the steepest rise from each place of a line to one of the `window` places before it."""
    rises, runs, count = sight.rises[start:], sight.runs[start:], tangents.size
    for i in range(count):
        tangents[i] = rises[i] / runs[i]
    if window < count:
        _look_past_block(heights[start : start + count], window, past, tangents)
    if count > 0:
        tangents[0] = tangents[1] if count > 1 else np.float32(0.0)


@kernel
def _look_past_block(heights: Array, window: int, past: Array, tangents: Array) -> None:
    """Look from each place into the previous block, as far as the window reaches.

    The hull of the previous block is built from its end.  It is undone place by place as the window moves out of it.
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
            # The window leaves the farthest place: undo its addition to the hull.
            hull[size - 1], size = replaced[i - start], old_size[i - start]


@parallel_kernel
def _gather(part: Part, horizon: Array, normals: Array, light: Array, gathered: Array) -> None:
    """Add the light of one direction; ``light[k]`` holds the light over level k and its difference to level k + 1."""
    zero, one, levels = np.float32(0.0), np.float32(1.0), np.float32(LIGHT_LEVELS)
    places = np.empty(horizon.shape[1], np.float32)
    for row in portion(part, horizon.shape[0]):
        tangents, along, across, up = horizon[row], normals[0, row], normals[1, row], normals[2, row]
        for c in range(places.size):
            tangent = max(tangents[c], zero)
            places[c] = tangent / np.sqrt(one + tangent * tangent) * levels
        for c in range(places.size):
            # 0 also for NaN, which can come from heights near the limits of float32.
            k = np.uint32(max(min(np.int32(places[c]), np.int32(LIGHT_LEVELS - 1)), np.int32(0)))
            share = places[c] - np.float32(k)
            facing = along[c] * (light[k, 0] + share * light[k, 3])
            facing += across[c] * (light[k, 1] + share * light[k, 4])
            facing += up[c] * (light[k, 2] + share * light[k, 5])
            gathered[row, c] += max(facing, zero)


@parallel_kernel
def _gather_rays(
    part: Part, horizon: Array, normals: Array, eastward: np.float32, northward: np.float32, gathered: Array
) -> None:
    """Add the light of the rays along the horizon of one direction."""
    zero, one = np.float32(0.0), np.float32(1.0)
    for row in portion(part, horizon.shape[0]):
        tangents, along, across, up = horizon[row], normals[0, row], normals[1, row], normals[2, row]
        for c in range(tangents.size):
            facing = along[c] * eastward + across[c] * northward + up[c] * tangents[c]
            gathered[row, c] += max(facing / np.sqrt(one + tangents[c] * tangents[c]), zero)
