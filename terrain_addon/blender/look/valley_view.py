"""The view up a valley, from low over its river."""

import math

import numpy as np
import numpy.typing as npt

from ...core.flow.drainage import drainage_area
from ...core.flow.routing import FlowRoutes, route_flow
from .seen_land import Reals, SeenLand, View
from .trial_pictures import Cameras, Seen, cut_share, height_of, sight

_SAMPLES = 128  # of the land along its longer side, to find its rivers
_RIVERS = 5  # the largest, that are tried
_SHALLOWEST = 0.04  # share of the largest drainage area that is still a valley
# How far up the river the camera looks (shares of the land's size), and how high it flies (times the usual clearance).
_REACHES = (0.12, 0.22, 0.35)
_RISES = (1.0, 1.8)
_AROUND = 0.006  # share of the land's size within which the camera clears the ground
_INSIDE = 0.94  # of half the land's size: the camera stays within
_LENS = 32.0
_SKYLINE_PLACE = 0.55  # as in `viewpoint`
_STEEP_WALL = 16.0  # degrees above the horizon; walls that rise higher add nothing
_SKY = (0.15, 0.4)  # shares of a picture that a good one shows
# Everywhere else on a land that has no river: its lowest ground, looked at in these directions (degrees).
_TURNS = np.arange(0.0, 360.0, 30.0)


def find_valley(land: SeenLand, aspect: float, rises: tuple[float, ...] = _RISES) -> View:
    """Return the best view up a large river or, where there is none, over the lowest ground.

    In a good view the river drains much of the land, the valley is open before the camera, both its walls are high, and
    neither the border of the land nor too much sky shows.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    rises : tuple of float
        How high the camera may fly: times the usual clearance above the ground.
    """
    tall = height_of(_LENS, aspect)
    x, y, heading, size = _places(land)
    ground = np.array([land.highest_around(*place, _AROUND * land.size) for place in zip(x.tolist(), y.tolist())])
    found = []
    for rise in rises:
        cameras = Cameras(x, y, ground + rise * land.clearance, heading)
        seen = sight(land, cameras, _LENS, 0.3 * land.clearance)
        pitch = np.clip(np.quantile(seen.skyline, 0.9, axis=1) - _SKYLINE_PLACE * 0.5 * tall, -14.0, 10.0)
        scores = _score(land, seen, pitch, tall) + 0.6 * size - 0.2 * (rise / rises[0] - 1.0)
        k = int(scores.argmax())
        place = float(x[k]), float(y[k]), float(cameras.z[k])
        view = View(*place, float(heading[k]), float(pitch[k]), _LENS, name="valley")
        found.append((float(scores[k]), view))
    return max(found, key=lambda scored: scored[0])[1]


def _score(land: SeenLand, seen: Seen, pitch: Reals, tall: float) -> Reals:
    """Return scores of views up a valley, shape (cameras,)."""
    share = seen.shares(pitch, tall)
    sides = seen.skyline.shape[1] // 4
    left, right = (seen.skyline[:, part].mean(axis=1) for part in (slice(sides), slice(-sides, None)))
    walls = np.clip(np.minimum(left, right) / _STEEP_WALL, -0.5, 1.0)
    # How much higher the walls are than the end of the valley.
    middle = seen.skyline[:, sides:-sides].min(axis=1)
    cleft = np.clip((np.minimum(left, right) - middle) / _STEEP_WALL, 0.0, 1.0)
    near = share[..., seen.distance < 0.06 * land.size].sum(axis=(1, 2))
    sky = 1.0 - share.sum(axis=(1, 2))
    odd_sky = np.maximum(_SKY[0] - sky, 0.0) + np.maximum(sky - _SKY[1], 0.0)
    return (
        1.2 * walls
        + 0.8 * cleft
        - 1.2 * near
        - 2.0 * odd_sky
        - 2.0 * cut_share(seen.elevation, seen.distance, land.size)
    )


def _places(land: SeenLand) -> tuple[Reals, Reals, Reals, Reals]:
    """Return places x and y over rivers, headings up them in degrees, and how large each river is, 0 to 1."""
    step = max(1, (max(land.heights.shape) - 1) // _SAMPLES)
    heights = np.ascontiguousarray(land.heights[::step, ::step])
    rows, columns = heights.shape
    cell = land.size / max(rows - 1, columns - 1)
    sea_level = land.sea_level if math.isfinite(land.sea_level) else None
    routes = route_flow(heights, cell, sea_level=sea_level)
    area = drainage_area(routes).ravel()
    places = []
    for river in _rivers(routes, area):
        x = ((river % columns) / (columns - 1) - 0.5) * 2.0 * land.half[0]
        y = ((river // columns) / (rows - 1) - 0.5) * 2.0 * land.half[1]
        for reach in _REACHES:
            ahead = np.arange(river.size) + max(2, round(reach * land.size / cell))
            start = np.flatnonzero((ahead < river.size) & _is_inside(land, x, y))
            if start.size:
                turn = np.degrees(np.arctan2(y[ahead[start]] - y[start], x[ahead[start]] - x[start]))
                places.append(np.stack((x[start], y[start], turn, area[river[start]] / area.max())))
    return tuple(np.concatenate(places or [_lowest_places(land, heights)], axis=1))


def _is_inside(land: SeenLand, x: Reals, y: Reals) -> npt.NDArray[np.bool_]:
    return (np.abs(x) < _INSIDE * land.half[0]) & (np.abs(y) < _INSIDE * land.half[1])


def _rivers(routes: FlowRoutes, area: Reals) -> list[npt.NDArray[np.intp]]:
    """Return the cells of the largest rivers, each from its mouth upstream along the largest tributary."""
    cells = np.argsort(area, kind="stable")
    cells = cells[routes.receivers[cells] != cells]
    # The last that is written is the largest.
    donor = np.full(area.size, -1, np.intp)
    donor[routes.receivers[cells]] = cells
    mouths = np.flatnonzero(routes.receivers == np.arange(area.size))
    mouths = mouths[np.argsort(-area[mouths], kind="stable")][:_RIVERS]
    rivers = []
    for cell in mouths.tolist():
        river = [cell]
        while donor[river[-1]] >= 0 and area[donor[river[-1]]] >= _SHALLOWEST * area.max():
            river.append(int(donor[river[-1]]))
        rivers.append(np.array(river))
    return rivers


def _lowest_places(land: SeenLand, heights: npt.NDArray[np.float32]) -> Reals:
    """Return the lowest place within the border, with headings all around: x, y, heading and 0 for each."""
    rows, columns = heights.shape
    x, y = np.meshgrid(
        np.linspace(-land.half[0], land.half[0], columns), np.linspace(-land.half[1], land.half[1], rows)
    )
    inside = _is_inside(land, x, y)
    low = int(np.where(inside, heights, np.inf).argmin()) if inside.any() else 0
    place = (x.ravel()[low], y.ravel()[low]) if inside.any() else (0.0, 0.0)
    return np.stack([np.full(_TURNS.size, place[0]), np.full(_TURNS.size, place[1]), _TURNS, 0.0 * _TURNS])
