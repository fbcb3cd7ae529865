"""The view of a steep slope from close by."""

import numpy as np

from .seen_land import Reals, SeenCrowns, SeenLand, View
from .sunlight import SIDEWAYS, facing_light, is_lit
from .trial_pictures import Cameras, Seen, breadth_of, height_of, sight

_PLACES = 36  # along each side of the land
_BEST_PLACES = 60  # those below the highest slopes, that are looked at closely
_INSIDE = 0.92  # of half the land's size
_TURNS = (-35.0, -15.0, 15.0, 35.0)  # degrees beside the way straight up the slope: across it one sees its shape
_LENS = 40.0
# The camera stands so high above the ground: a share of the land's size between two heights in metres.
_RISE, _RISES = 0.004, (3.0, 12.0)
# The slope is so far away (shares of the land's size).
_SLOPE = (0.012, 0.14)
_SLOPE_REACH = 0.06
_SKY = 0.2  # share of the picture
# Crowns so near (metres) hide what is behind them; one that is hardly farther than its radius hides everything.
_CROWN_REACH, _CROWN_ROOM = 45.0, 2.0


def find_close_up(land: SeenLand, aspect: float) -> View:
    """Return the best view of a steep slope near the camera.

    In a good view steep ground at some distance fills much of the picture and the sun reaches it from the side, a
    little sky shows above it, little of the ground is right before the camera, and no tree hides it.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    """
    tall, rise = height_of(_LENS, aspect), min(max(_RISE * land.size, _RISES[0]), _RISES[1], land.clearance)
    x, y, uphill = _places(land)
    z = np.array([land.highest_around(*place, 0.6 * rise) for place in zip(x.tolist(), y.tolist())]) + rise
    # On a wall one would stand as high above its foot as the wall is.
    perched = np.clip((z - land.altitude(x, y)) / rise - 2.0, 0.0, 1.0)
    found = []
    for turn in _TURNS:
        cameras = Cameras(x, y, z, uphill + turn)
        seen = sight(land, cameras, _LENS, rise)
        # So much of the picture is below the skyline.
        pitch = np.clip(seen.skyline.mean(axis=1) - (0.5 - _SKY) * tall, -25.0, 40.0)
        hidden = np.zeros(len(x)) if land.crowns is None else _hidden_share(land.crowns, cameras)
        for side in (SIDEWAYS, -SIDEWAYS):
            sun = cameras.heading + side
            scores = _score(land, seen, sun, (pitch, tall)) - 3.0 * hidden - perched
            k = int(scores.argmax())
            place = float(x[k]), float(y[k]), float(z[k])
            view = View(*place, float(cameras.heading[k]), float(pitch[k]), _LENS, 0.0, "close_up", float(sun[k]))
            found.append((float(scores[k]), view))
    return max(found, key=lambda scored: scored[0])[1]


def _places(land: SeenLand) -> tuple[Reals, Reals, Reals]:
    """Return dry places x and y below high slopes, and headings up these slopes in degrees."""
    along = np.linspace(-_INSIDE, _INSIDE, _PLACES)
    x, y = (axis.ravel() for axis in np.meshgrid(along * land.half[0], along * land.half[1]))
    # The slope that counts is the one before the camera, not the one it stands on.
    east, north = land.gradient(x, y, _SLOPE_REACH * land.size)
    turn = np.arctan2(north, east)
    ahead = land.altitude(x + _SLOPE_REACH * land.size * np.cos(turn), y + _SLOPE_REACH * land.size * np.sin(turn))
    here = land.altitude(x, y)
    rise = np.where(here > land.sea_level, ahead - here, -np.inf)
    best = np.argsort(-rise, kind="stable")[:_BEST_PLACES]
    return x[best], y[best], np.degrees(turn[best])


def _score(land: SeenLand, seen: Seen, sun: Reals, frame: tuple[Reals, float]) -> Reals:
    """Return scores of views of a slope, shape (cameras,).

    `sun` is where the sun stands, in degrees; `frame` is their pitch and the height of the picture.
    """
    share = seen.shares(*frame)
    steepness = np.hypot(*land.gradient(seen.x, seen.y, 0.004 * land.size))
    steep = np.clip(steepness / max(float(np.quantile(steepness, 0.97)), 1e-6), 0.0, 1.0)
    at_slope = (seen.distance > _SLOPE[0] * land.size) & (seen.distance < _SLOPE[1] * land.size)
    slope = (share * steep * steep * at_slope).sum(axis=(1, 2))
    light = facing_light(land, seen.x, seen.y, sun[:, None, None])
    lit_slope = (share * steep * at_slope * light).sum(axis=(1, 2)) * _lit_share(land, seen, sun)
    near = share[..., seen.distance <= _SLOPE[0] * land.size].sum(axis=(1, 2))
    sky = 1.0 - share.sum(axis=(1, 2))
    return 2.0 * slope + 1.5 * lit_slope - 1.5 * np.maximum(near - 0.2, 0.0) - 2.0 * np.abs(sky - _SKY)


def _hidden_share(crowns: SeenCrowns, cameras: Cameras) -> Reals:
    """Return the share of the breadth of each picture that crowns near the camera hide, 0 to 1; 2 inside a crown."""
    half = 0.5 * breadth_of(_LENS)
    shares = []
    for x, y, z, heading in zip(*(axis.tolist() for axis in cameras)):
        first, last = np.searchsorted(crowns.x, (x - _CROWN_REACH, x + _CROWN_REACH))
        east, north = crowns.x[first:last] - x, crowns.y[first:last] - y
        away, radius = np.hypot(east, north), crowns.radius[first:last]
        stands_here = (away < _CROWN_REACH) & (crowns.top[first:last] > z - _CROWN_ROOM)
        turn = np.abs((np.arctan2(north, east) - np.radians(heading) + np.pi) % (2.0 * np.pi) - np.pi)
        reach = np.arctan2(radius, np.maximum(away, 0.1))
        seen = np.clip(np.minimum(turn + reach, half) - np.maximum(turn - reach, -half), 0.0, None)
        is_inside = bool((stands_here & (away < radius + _CROWN_ROOM)).any())
        shares.append(2.0 if is_inside else min(float(seen[stands_here].sum()) / (2.0 * half), 1.0))
    return np.array(shares)


def _lit_share(land: SeenLand, seen: Seen, sun: Reals) -> Reals:
    """Return how much of the slope before each camera lies outside the shadow of other ground, 0 to 1."""
    steps = np.searchsorted(seen.distance, np.linspace(1.5 * _SLOPE[0], 0.8 * _SLOPE[1], 4) * land.size)
    rays = np.linspace(0, seen.x.shape[1] - 1, 5).astype(int)
    x, y = (axis[:, rays[:, None], steps].reshape(len(axis), -1) for axis in (seen.x, seen.y))
    lit: Reals = is_lit(land, x, y, sun[:, None]).mean(axis=1)
    return lit
