"""The view along an arm of the sea, between the walls of a fjord."""

import math

import numpy as np

from .seen_land import Reals, SeenLand, View
from .trial_pictures import Cameras, Seen, cut_share, height_of, sight

_PLACES, _AZIMUTHS, _STEPS = 23, 36, 32  # along each side of the land, around each place, and along each ray
_MOSTLY_SEA = 0.6  # share of the land above which its arms of the sea are straits between islands
_BEST = 60  # places and directions that are looked at closely
_INSIDE = 0.94  # of half the land's size
_RISES = (2.0, 5.0, 9.0)  # times the usual clearance above the water
_LENSES = (24.0, 32.0)
_SKYLINE_PLACE = 0.52  # as in `viewpoint`
# The same where the best place is found: the camera looks up a little, so that less of the picture is water.
_LESS_WATER = 0.3
# A fjord has walls to both sides that rise so high above the horizon (degrees); higher than the second adds nothing.
_WALLS = (6.0, 18.0)
# Share of the picture that water fills: less than the first is no fjord, more than the second adds nothing, and more
# than the third is an empty foreground.
_WATER = (0.12, 0.28, 0.3)
_LONG = 0.4  # share of the land's size: a fjord that goes on farther than that is no better
_SKY = (0.15, 0.4)


def find_fjord(land: SeenLand, aspect: float) -> View | None:
    """Return the best view along an arm of the sea between steep walls, None where a land has none.

    In a good view walls are high to both sides, the water between them goes on far, land ends it, and neither the
    border of the land nor too much sky shows.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    """
    x, y, heading = _places(land)
    if not x.size:
        return None
    found = []
    for lens in _LENSES:
        tall = height_of(lens, aspect)
        for rise in _RISES:
            cameras = Cameras(x, y, np.full(x.shape, land.sea_level + rise * land.clearance), heading)
            seen = sight(land, cameras, lens, land.clearance)
            skyline = np.quantile(seen.skyline, 0.9, axis=1)
            scores = _score(land, seen, np.clip(skyline - _SKYLINE_PLACE * 0.5 * tall, -14.0, 1.0), tall)
            k = int(scores.argmax())
            place = float(x[k]), float(y[k]), float(cameras.z[k])
            pitch = min(max(float(skyline[k]) - _LESS_WATER * 0.5 * tall, -14.0), 5.0)
            found.append((float(scores[k]), View(*place, float(heading[k]), pitch, lens)))
    score, view = max(found, key=lambda scored: scored[0])
    return view if score > -math.inf else None


def _places(land: SeenLand) -> tuple[Reals, Reals, Reals]:
    """Return places x and y on the water between high walls, and headings along the water in degrees."""
    if land.sea_level == -math.inf:
        return np.empty(0), np.empty(0), np.empty(0)
    along = np.linspace(-_INSIDE, _INSIDE, _PLACES)
    x, y = (axis.ravel() for axis in np.meshgrid(along * land.half[0], along * land.half[1]))
    wet = land.altitude(x, y) <= land.sea_level
    if wet.mean() > _MOSTLY_SEA:
        return np.empty(0), np.empty(0), np.empty(0)
    x, y = x[wet], y[wet]
    heading = np.linspace(0.0, 360.0, _AZIMUTHS, endpoint=False)
    turn, distance = np.radians(heading)[:, None], np.geomspace(0.01, 1.0, _STEPS) * land.size
    along_x, along_y = x[:, None, None] + np.cos(turn) * distance, y[:, None, None] + np.sin(turn) * distance
    ground = land.altitude(along_x, along_y)
    is_shown = land.shows(along_x, along_y, ground)
    skyline = np.where(is_shown, np.degrees(np.arctan2(ground - land.sea_level, distance)), 0.0).max(axis=2)
    # How many steps of a ray are water before it meets land.
    water = np.logical_and.accumulate(is_shown & (ground <= land.sea_level), axis=2).mean(axis=2)
    aside = _AZIMUTHS // 12  # 30° to both sides
    walls = np.minimum(np.roll(skyline, aside, axis=1), np.roll(skyline, -aside, axis=1))
    worth = np.minimum(walls / _WALLS[1], 1.0) + water
    best = np.argsort(-worth, axis=None, kind="stable")[:_BEST]
    place, direction = np.unravel_index(best, worth.shape)
    return x[place], y[place], heading[direction]


def _score(land: SeenLand, seen: Seen, pitch: Reals, tall: float) -> Reals:
    """Return scores of views along an arm of the sea, shape (cameras,); minus infinity for those that show none."""
    share = seen.shares(pitch, tall)
    water = share * (land.altitude(seen.x, seen.y) <= land.sea_level)
    all_water = water.sum(axis=(1, 2))
    near = (share - water)[..., seen.distance < 0.08 * land.size].sum(axis=(1, 2))
    sides = seen.skyline.shape[1] // 4
    left, right = (seen.skyline[:, part].mean(axis=1) for part in (slice(sides), slice(-sides, None)))
    walls = np.minimum(left, right)
    # How much higher the walls are than the end of the fjord, and how far away the farthest water is that one sees.
    cleft = np.clip((walls - seen.skyline[:, sides:-sides].min(axis=1)) / _WALLS[1], 0.0, 1.0)
    reach = np.where(water[:, sides:-sides] > 0.0, seen.distance, 0.0).max(axis=(1, 2)) / land.size
    sky = 1.0 - share.sum(axis=(1, 2))
    odd_sky = np.maximum(_SKY[0] - sky, 0.0) + np.maximum(sky - _SKY[1], 0.0)
    score: Reals = (
        2.0 * np.minimum(walls / _WALLS[1], 1.0)
        + 0.8 * cleft
        + 3.0 * np.minimum(all_water, _WATER[1])
        + 2.0 * np.minimum(reach / _LONG, 1.0)
        - 2.0 * odd_sky
        - 1.5 * near
        - 6.0 * np.maximum(all_water - _WATER[2], 0.0)
        - 2.0 * cut_share(seen.elevation, seen.distance, land.size)
    )
    score[(walls < _WALLS[0]) | (all_water < _WATER[0])] = -math.inf
    return score
