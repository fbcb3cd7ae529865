"""The best view of a land: where a photographer would stand."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.meshing.open_sea import LEAST_SEA, sea_along_sides

SENSOR_WIDTH = 36.0
"""Width of the camera's sensor in millimetres."""

# What is tried: places on square frames around the middle of the land (shares of half its size), heights above the
# ground (shares of the land's width), directions beside the summit (shares of the field of view), and lenses (mm).
_FRAMES = (0.95, 0.72)
# Where there is a sea: also places beyond the border, where it goes on, and a height that shows bays and coasts.
_FRAMES_AT_SEA = (1.25, 1.6)
_HEIGHT_AT_SEA = 0.12
_PLACES_PER_FRAME = 24
_HEIGHTS_ABOVE_GROUND = (0.012, 0.03, 0.06)
_TURNS = (-0.2, 0.0, 0.2)
_LENSES = (35.0, 45.0)
# Where the summit holds a crater: heights above the summit from which one looks into it.  A crater is so deep, and its
# rim so far from the middle of its floor (shares of the land's size).
_HEIGHTS_ABOVE_A_CRATER = (0.03, 0.07, 0.12)
_CRATER_DEPTH, _CRATER_RADII, _CRATER_REACH = 0.02, (0.03, 0.05, 0.07, 0.1), 0.12
# The camera stands at least so high above the ground: above trees (metres), but lower on a small land (share of it).
_LOWEST_HEIGHT = 35.0
_LOWEST_HEIGHT_SHARE = 0.08

# Height of the top of the skyline above the middle of the picture, as a share of half its height.
_SKYLINE_PLACE = 0.60
# A good picture of a land by the sea shows this share of water; more than that adds nothing.
_WANTED_SEA = 0.25
# Rays of a trial picture, and steps of each along the ground.
_COLUMNS = 33
_STEPS = 80

_Floats = npt.NDArray[np.float64]


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
    """

    x: float
    y: float
    z: float
    heading: float
    pitch: float
    lens: float


def find_view(
    heights: npt.NDArray[np.float32],
    width: float,
    depth: float,
    aspect: float = 16.0 / 9.0,
    sea_level: float | None = None,
) -> View:
    """Return the best of some hundred views of a land towards its summit.

    In a good view the summit shows, one looks into its crater if it has one, high and far ground fills much of the
    picture, the skyline is rugged and is not the border of the land, the ground right before the camera fills little,
    and the sea is seen where there is one.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Altitudes in metres, row 0 in the south.
    width, depth : float
        Size of the land from west to east and from south to north in metres.
    aspect : float
        Width of the picture over its height.
    sea_level : float, optional
        Altitude of the sea in metres; without it there is none.  The sea goes on beyond the border.

    Raises
    ------
    ValueError
        If the land is smaller than 2 × 2 samples.
    """
    if min(heights.shape) < 2:
        raise ValueError(
            f"a land of {heights.shape[0]} × {heights.shape[1]} samples has no view: it needs 2 × 2 or more"
        )
    land = _Land(heights, width, depth, sea_level)
    places = _places(land)
    views = [scored for lens in _LENSES for turn in _TURNS for scored in _try_views(land, places, turn, lens, aspect)]
    return max(views, key=lambda scored: scored[0])[1]


class _Crater(NamedTuple):
    """Middle and altitude of the floor, distance of the rim from there, and depth below it, in metres."""

    x: float
    y: float
    floor: float
    radius: float
    depth: float


class _Land:
    """Heights of a land and its sea at any place."""

    def __init__(self, heights: npt.NDArray[np.float32], width: float, depth: float, sea_level: float | None) -> None:
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

    def _find_crater(self) -> _Crater | None:
        """Return the deepest crater beside the summit, None if there is none."""
        angles = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
        steps = np.linspace(-1.0, 1.0, 25) * _CRATER_REACH * self.size
        x, y = (axis.ravel() for axis in np.meshgrid(self.summit[0] + steps, self.summit[1] + steps))
        floor = self.altitude(x, y)
        found = []
        for radius in (share * self.size for share in _CRATER_RADII):
            east, north = radius * np.cos(angles), radius * np.sin(angles)
            # A rim may be breached.
            rim = np.quantile(self.altitude(x[:, None] + east, y[:, None] + north), 0.15, axis=1)
            # The floor is wide, unlike the holes between boulders.
            bottom = self.altitude(x[:, None] + 0.4 * east, y[:, None] + 0.4 * north).max(axis=1)
            k = int((rim - bottom).argmax())
            found.append(_Crater(float(x[k]), float(y[k]), float(floor[k]), radius, float(rim[k] - bottom[k])))
        deepest = max(found, key=lambda crater: crater.depth)
        return deepest if deepest.depth > _CRATER_DEPTH * self.size else None

    def altitude(self, x: _Floats, y: _Floats) -> _Floats:
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

    def shows(self, x: _Floats, y: _Floats, altitude: _Floats) -> npt.NDArray[np.bool_]:
        """Return which places are within the borders or on the open sea, where the ground is this high."""
        inside = (np.abs(x) <= self.half[0]) & (np.abs(y) <= self.half[1])
        return inside | (altitude <= self.sea_level) & self.open_sides[self.side_of(x, y)]

    def side_of(self, x: _Floats, y: _Floats) -> npt.NDArray[np.intp]:
        """Return behind which side each place beyond the borders is: 0 to 3 for south, west, north and east."""
        east, north = x / self.half[0], y / self.half[1]
        return np.where(np.abs(north) > np.abs(east), np.where(north > 0.0, 2, 0), np.where(east > 0.0, 3, 1))

    def highest_around(self, x: float, y: float, reach: float) -> float:
        """Return the highest sample in a square around a place; `reach` is half its side."""
        rows, columns = self.heights.shape
        i = _span(y / self.half[1], reach / self.half[1], rows)
        j = _span(x / self.half[0], reach / self.half[0], columns)
        return float(self.heights[i, j].max())


def _span(place: float, reach: float, samples: int) -> slice:
    """Return the samples within `reach` of a place along one side; both are shares of half the land's size."""
    last = samples - 1
    low, high = ((place + side * reach + 1.0) * 0.5 * last for side in (-1.0, 1.0))
    return slice(min(max(math.floor(low), 0), last), min(max(math.ceil(high), 0), last) + 1)


def _places(land: _Land) -> _Floats:
    """Return places to stand, shape (places, 3): x, y and the altitude that clears the ground around."""
    places = []
    for share in (*_FRAMES, *_FRAMES_AT_SEA):
        for k in range(_PLACES_PER_FRAME):
            # Around a square and not a circle: the view from its corners is the widest.
            angle = 2.0 * math.pi * k / _PLACES_PER_FRAME
            out = share / max(abs(math.cos(angle)), abs(math.sin(angle)))
            x, y = out * math.cos(angle) * land.half[0], out * math.sin(angle) * land.half[1]
            ground = land.highest_around(x, y, 0.012 * land.size)
            if share < 1.0 or land.sea_sides[land.side_of(np.array(x), np.array(y))]:
                places.append((x, y, ground))
    return np.array(places)


def _try_views(land: _Land, places: _Floats, turn: float, lens: float, aspect: float) -> list[tuple[float, View]]:
    """Return the best view for each height above the ground, with its score."""
    wide = 2.0 * math.atan(0.5 * SENSOR_WIDTH / lens)
    tall = math.degrees(2.0 * math.atan(0.5 * SENSOR_WIDTH / lens / aspect))
    x, y = places[:, 0], places[:, 1]
    to_summit = np.arctan2(land.summit[1] - y, land.summit[0] - x)
    heading = to_summit + turn * wide
    azimuth = heading[:, None] + np.linspace(-0.5, 0.5, _COLUMNS) * wide
    # The last ray goes to the summit itself.
    azimuth = np.concatenate([azimuth, to_summit[:, None]], axis=1)
    distance = np.geomspace(0.006, 1.5, _STEPS) * land.size
    along_x = x[:, None, None] + np.cos(azimuth)[..., None] * distance
    along_y = y[:, None, None] + np.sin(azimuth)[..., None] * distance
    ground = land.altitude(along_x, along_y)
    inside = land.shows(along_x, along_y, ground)
    found = []
    rises = _HEIGHTS_ABOVE_GROUND if land.sea_level == -math.inf else (*_HEIGHTS_ABOVE_GROUND, _HEIGHT_AT_SEA)
    lowest = min(_LOWEST_HEIGHT, _LOWEST_HEIGHT_SHARE * land.size)
    levels = [places[:, 2] + max(rise * land.size, lowest) for rise in rises]
    if land.crater is not None:
        levels += [np.full(len(places), land.summit[2] + rise * land.size) for rise in _HEIGHTS_ABOVE_A_CRATER]
    for z in levels:
        elevation = np.degrees(np.arctan2(ground - z[:, None, None], distance))
        elevation[~inside] = -90.0
        scores, pitch = _score(land, elevation, ground, distance, tall)
        away = np.hypot(land.summit[0] - x, land.summit[1] - y)
        summit = np.degrees(np.arctan2(land.summit[2] - z, away))
        nearer = distance[None, :] < 0.97 * away[:, None]
        hiding = np.where(nearer, elevation[:, -1], -90.0).max(axis=1)
        scores -= 5.0 * (hiding > summit)
        if land.crater is not None:
            scores += 4.0 * _looks_into(land, land.crater, (x, y, z))
        # Close below a peak no pitch shows the skyline in its place; then the summit stays in the picture.
        pitch = np.clip(pitch, summit - 0.42 * tall, summit + 0.3 * tall)
        k = int(scores.argmax())
        view = View(float(x[k]), float(y[k]), float(z[k]), math.degrees(heading[k]), float(pitch[k]), lens)
        found.append((float(scores[k]), view))
    return found


def _looks_into(land: _Land, crater: _Crater, cameras: tuple[_Floats, _Floats, _Floats]) -> npt.NDArray[np.bool_]:
    """Return which cameras (x, y, z) see the far wall of a crater over the near part of its rim."""
    x, y, z = cameras
    away = np.maximum(np.hypot(crater.x - x, crater.y - y), 1e-6)
    beyond = 1.0 + 0.7 * crater.radius / away
    share = np.linspace(0.02, 0.97, _STEPS)
    line_x = x[:, None] + np.outer((crater.x - x) * beyond, share)
    line_y = y[:, None] + np.outer((crater.y - y) * beyond, share)
    line_z = z[:, None] + np.outer(crater.floor + 0.5 * crater.depth - z, share)
    return np.all(land.altitude(line_x, line_y) <= line_z, axis=1)


def _score(land: _Land, elevation: _Floats, ground: _Floats, distance: _Floats, tall: float) -> tuple[_Floats, _Floats]:
    """Return scores and pitches of views; `elevation` and `ground` have shape (views, rays, steps)."""
    elevation, ground = elevation[:, :-1], ground[:, :-1]
    covered = np.maximum.accumulate(elevation, axis=2)
    skyline = covered[..., -1]
    pitch = skyline.max(axis=1) - _SKYLINE_PLACE * 0.5 * tall
    bottom = pitch - 0.5 * tall

    # Share of the picture that each step of each ray fills.
    filled = np.maximum(covered, bottom[:, None, None])
    share = np.diff(filled, axis=2, prepend=bottom[:, None, None] * np.ones_like(filled[..., :1])) / tall
    share /= _COLUMNS
    wet = ground <= land.sea_level
    near = (share * (~wet & (distance < 0.07 * land.size))).sum(axis=(1, 2))
    far = share[..., distance > 0.25 * land.size].sum(axis=(1, 2))
    lofty = (ground > land.foot + 0.55 * (land.top - land.foot)) & (distance > 0.15 * land.size)
    high = (share * lofty).sum(axis=(1, 2))
    sea = (share * wet).sum(axis=(1, 2))

    last = elevation.argmax(axis=2)
    beyond = np.minimum(last + 1, _STEPS - 1)
    border = np.take_along_axis(elevation, beyond[..., None], axis=2)[..., 0] <= -90.0
    # Where the land ends nearby, its cut edge shows.  Where it ends below the horizon, the void behind it shows.
    cut = (border * np.exp(-distance[last] / (0.4 * land.size))).mean(axis=1)
    void = np.clip((-1.0 - skyline) / tall, 0.0, 1.0).mean(axis=1)
    rugged = skyline.std(axis=1) / tall
    odd_pitch = np.maximum(np.abs(pitch + 5.0) - 5.0, 0.0)
    score = 1.6 * high + 0.7 * far + 1.5 * rugged - 4.0 * void - 2.0 * cut
    score += 6.0 * np.minimum(sea, _WANTED_SEA)
    score -= 1.5 * np.maximum(near - 0.25, 0.0) + 0.05 * odd_pitch
    return score, pitch
