"""Where a low sun shows what a camera sees best: from the side, and not behind a mountain."""

import math

import numpy as np

from ...core.maps.sun import SUN_ELEVATION
from .seen_land import Reals, SeenLand, View
from .trial_pictures import Cameras, height_of, sight

SIDEWAYS = 98.0
"""Degrees between view and sun that show relief best: from the side, a little behind the camera."""

# Degrees between view and sun that are tried; ahead of the camera haze whitens the land, behind it no shadow shows.
_TURNS = (68.0, 83.0, SIDEWAYS, 113.0, 128.0)
# What a turn of 30 degrees beside the best one costs.
_TURN_COST = 0.03
# A picture may lie in shadow to this share; what more of it costs.
_SHADE, _SHADE_COST = 0.25, 1.0
# Parallel crests, as those of dunes, want one side in the shade: more may lie in it, and so much it is worth.
_SHADE_OF_CRESTS, _SHADE_WORTH = 0.45, 0.5
_SHADOW_STEPS = 40
_NEAREST, _FARTHEST = 0.008, 0.8  # times the land's size: what may throw a shadow
_GRID = 40  # places along each side of the land


def find_sun(land: SeenLand, view: View, aspect: float) -> float:
    """Return the side from which the sun shows best what a camera sees.

    Parameters
    ----------
    land : SeenLand
    view : View
    aspect : float
        Width of the picture over its height.

    Returns
    -------
    float
        Degrees counter-clockwise from east.
    """
    if view.breadth > 0.0:
        return find_sun_over(land, view.heading)
    place = (np.array([number]) for number in (view.x, view.y, view.z, view.heading))
    seen = sight(land, Cameras(*place), view.lens, 0.01 * land.size)
    share = seen.shares(np.array([view.pitch]), height_of(view.lens, aspect))[0]
    used = share > 0.0
    return _best_turn(land, view.heading, (seen.x[0][used], seen.y[0][used]), share[used])


def find_sun_over(land: SeenLand, heading: float) -> float:
    """Return the side from which the sun shows the high ground of a land best.

    Parameters
    ----------
    land : SeenLand
    heading : float
        Where the camera looks, in degrees counter-clockwise from east.

    Returns
    -------
    float
        Degrees counter-clockwise from east.
    """
    along = np.linspace(-0.98, 0.98, _GRID)
    x, y = (axis.ravel() for axis in np.meshgrid(along * land.half[0], along * land.half[1]))
    altitude = land.altitude(x, y)
    return _best_turn(land, heading, (x, y), (altitude >= np.median(altitude)).astype(np.float64))


def _best_turn(land: SeenLand, heading: float, places: tuple[Reals, Reals], weight: Reals) -> float:
    """Return the azimuth that gives the most contrast and light at places that count so much."""
    weight = weight * (land.altitude(*places) > land.sea_level)
    total = float(weight.sum())
    allowed = _SHADE + (_SHADE_OF_CRESTS - _SHADE) * land.crests.parallel
    if total == 0.0:
        return heading + SIDEWAYS

    def value(azimuth: float) -> float:
        lit = is_lit(land, *places, np.array(azimuth))
        light = facing_light(land, *places, np.array(azimuth)) * lit
        mean = float((weight * light).sum()) / total
        spread = math.sqrt(float((weight * (light - mean) ** 2).sum()) / total)
        aside = abs((azimuth - heading + 180.0) % 360.0 - 180.0) - SIDEWAYS
        # Contrast is greatest where half of all lies in shadow, which hides what is there.
        shade = 1.0 - float((weight * lit).sum()) / total
        dark = _SHADE_COST * max(shade - allowed, 0.0) - _SHADE_WORTH * land.crests.parallel * min(shade, allowed)
        return spread + 0.5 * mean - dark - _TURN_COST * (aside / 30.0) ** 2

    return max((heading + side * turn for side in (1.0, -1.0) for turn in _TURNS), key=value)


def is_lit(land: SeenLand, x: Reals, y: Reals, azimuth: Reals) -> Reals:
    """Return 1 where no other ground throws its shadow, else 0.

    Parameters
    ----------
    land : SeenLand
    x, y : ndarray of float64
        Places in metres from the middle of the land.
    azimuth : ndarray of float64
        Where the sun stands, in degrees counter-clockwise from east; its shape fits that of the places.
    """
    away = np.geomspace(_NEAREST, _FARTHEST, _SHADOW_STEPS) * land.size
    turn = np.radians(azimuth)[..., None]
    ground = land.altitude(x[..., None] + np.cos(turn) * away, y[..., None] + np.sin(turn) * away)
    highest = ((ground - land.altitude(x, y)[..., None]) / away).max(axis=-1)
    lit: Reals = (highest < math.tan(math.radians(SUN_ELEVATION))).astype(np.float64)
    return lit


def facing_light(land: SeenLand, x: Reals, y: Reals, azimuth: Reals) -> Reals:
    """Return how much sun falls on ground for the way it faces, 0 to 1; parameters as in `is_lit`."""
    east, north = land.gradient(x, y, 0.004 * land.size)
    turn, rise = np.radians(azimuth), math.radians(SUN_ELEVATION)
    facing = math.sin(rise) - math.cos(rise) * (np.cos(turn) * east + np.sin(turn) * north)
    return np.clip(facing / np.sqrt(1.0 + east * east + north * north), 0.0, 1.0)
