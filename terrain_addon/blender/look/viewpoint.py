"""The best view of a land: where a photographer would stand."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .fjord_view import find_fjord
from .seen_land import Crater, Reals, SeenLand, View
from .trial_pictures import Cameras, breadth_of, cut_share, height_of, sight
from .valley_view import find_valley

# What is tried: places on square frames around the middle of the land (shares of half its size), heights above the
# ground (shares of the land's width), directions beside the summit (shares of the field of view), and lenses (mm).
_FRAMES = (0.95, 0.72)
# Where there is a sea: also places beyond the border, where it goes on, and heights that show bays and coasts.
_FRAMES_AT_SEA = (1.25, 1.6)
_HEIGHTS_AT_SEA = (0.12, 0.2)
_PLACES_PER_FRAME = 24
_HEIGHTS_ABOVE_GROUND = (0.012, 0.03, 0.06)
_TURNS = (-0.2, 0.0, 0.2)
_LENSES = (35.0, 45.0)
# Where the summit holds a crater: heights above the summit from which one looks into it, and lenses that show the whole
# cone too.
_HEIGHTS_ABOVE_A_CRATER = (0.03, 0.07, 0.12)
_LENSES_FOR_A_CONE = (24.0, 28.0)

# Height of the top of the skyline above the middle of the picture, as a share of half its height.
_SKYLINE_PLACE = 0.60
# Height up to which the horizon may stand above the middle, in the same measure.
_HORIZON_PLACE = 0.80
# A good picture of a land by the sea shows this share of water; more than the second share is empty.  Other coasts, far
# away, are worth so much for their share of the picture.
_WANTED_SEA, _MOST_SEA, _FAR_COASTS = 0.25, 0.4, 4.0
# The same for shallow water (metres) that one looks into: seen from so steeply (degrees) that it is not a mirror only.
_WANTED_SHALLOWS = 0.12
_SHALLOW, _INTO_WATER = 20.0, -8.0
# What it is worth to look along crests that are parallel, such as those of dunes, and not across them.
_ALONG_CRESTS = 2.0
# What it is worth, on a tableland, to look down over its edge: on ground that lies deeper below the camera than this
# share of the land's range, and nearer than that one of its size; more than this share of the picture adds nothing.
_OVER_EDGES, _DEEP, _AT_ITS_FOOT, _WANTED_DEPTH = 8.0, 0.5, 0.4, 0.3
_HORIZON, _HIDDEN = -1.0, -90.0  # degrees
# Land whose relief is a smaller share of its size is a plain.
_FLAT = 0.015
# Where a valley shows more than all else, one flies so high over it: higher than `find_valley` does by itself.
_RISES_OVER_PLAINS, _RISES_OVER_VALLEYS = (2.2, 3.4), (4.0, 7.0)
# A picture is dull if land at one distance fills more than this share of it and its skyline varies by no more than this
# share of it.  Bands of distance begin at these shares of the land's size.
_BANDS, _WIDEST_BAND, _LEVEL = np.array((0.006, 0.07, 0.2, 0.4)), 0.55, 0.04
# Rays of a trial picture, and steps of each along the ground.
_COLUMNS = 33
_STEPS = 80


def find_vista(land: SeenLand, aspect: float) -> View:
    """Return the best of some hundred views of a land towards its summit, along the river of a plain, or along a fjord.

    In a good view the summit shows, one looks into its crater if it has one, high and far ground fills much of the
    picture, the skyline is rugged and is not the border of the land, the ground right before the camera fills little,
    and where there is a sea it is seen, best of all its shallows.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    """
    if land.top - land.foot < _FLAT * land.size:
        # From afar a plain is one colour up to the horizon; what one looks at is its river.
        return replace(find_valley(land, aspect, _RISES_OVER_PLAINS), name="vista")
    fjord = find_fjord(land, aspect)
    if fjord is not None:
        return fjord
    places = _places(land)
    lenses = _LENSES if land.crater is None else _LENSES_FOR_A_CONE
    views = [scored for lens in lenses for turn in _TURNS for scored in _try_views(land, places, turn, lens, aspect)]
    best = max(views, key=lambda scored: scored[0])[1]
    # Where one hillside fills even the best picture, as in mountains of one height, a valley shows more.
    if _is_dull(land, best, aspect):
        return replace(find_valley(land, aspect, _RISES_OVER_VALLEYS), name="vista")
    return best


def _is_dull(land: SeenLand, view: View, aspect: float) -> bool:
    """Return whether a view shows little but one hillside under a level skyline."""
    tall = height_of(view.lens, aspect)
    place = (np.array([number]) for number in (view.x, view.y, view.z, view.heading))
    seen = sight(land, Cameras(*place), view.lens, _BANDS[0] * land.size)
    share = seen.shares(np.array([view.pitch]), tall).sum(axis=1)[0]
    bands = np.add.reduceat(share, np.searchsorted(seen.distance, _BANDS * land.size))
    return bool(bands.max() > _WIDEST_BAND and seen.skyline.std() < _LEVEL * tall)


def _places(land: SeenLand) -> Reals:
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


def _try_views(land: SeenLand, places: Reals, turn: float, lens: float, aspect: float) -> list[tuple[float, View]]:
    """Return the best view for each height above the ground, with its score."""
    wide, tall = breadth_of(lens), height_of(lens, aspect)
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
    rises = _HEIGHTS_ABOVE_GROUND if land.sea_level == -math.inf else (*_HEIGHTS_ABOVE_GROUND, *_HEIGHTS_AT_SEA)
    levels = [places[:, 2] + max(rise * land.size, land.clearance) for rise in rises]
    if land.crater is not None:
        levels += [np.full(len(places), land.summit[2] + rise * land.size) for rise in _HEIGHTS_ABOVE_A_CRATER]
    for z in levels:
        elevation = np.degrees(np.arctan2(ground - z[:, None, None], distance))
        elevation[~inside] = _HIDDEN
        scores, pitch = _score(land, elevation, ground, distance, tall)
        away = np.hypot(land.summit[0] - x, land.summit[1] - y)
        summit = np.degrees(np.arctan2(land.summit[2] - z, away))
        nearer = distance[None, :] < 0.97 * away[:, None]
        hiding = np.where(nearer, elevation[:, -1], _HIDDEN).max(axis=1)
        scores -= 5.0 * (hiding > summit)
        if land.crater is not None:
            scores += 4.0 * _looks_into(land, land.crater, (x, y, z))
        # Where one looks down on the summit, the horizon beyond it stays in the picture.
        pitch = np.maximum(pitch, -_HORIZON_PLACE * 0.5 * tall)
        # Close below a peak no pitch shows the skyline in its place; then the summit stays in the picture.
        pitch = np.clip(pitch, summit - 0.42 * tall, summit + 0.3 * tall)
        scores += _ALONG_CRESTS * land.crests.parallel * np.cos(heading - math.radians(land.crests.heading)) ** 2
        k = int(scores.argmax())
        view = View(float(x[k]), float(y[k]), float(z[k]), math.degrees(heading[k]), float(pitch[k]), lens)
        found.append((float(scores[k]), view))
    return found


def _looks_into(land: SeenLand, crater: Crater, cameras: tuple[Reals, Reals, Reals]) -> npt.NDArray[np.bool_]:
    """Return which cameras (x, y, z) see the far wall of a crater over the near part of its rim."""
    x, y, z = cameras
    away = np.maximum(np.hypot(crater.x - x, crater.y - y), 1e-6)
    beyond = 1.0 + 0.7 * crater.radius / away
    share = np.linspace(0.02, 0.97, _STEPS)
    line_x = x[:, None] + np.outer((crater.x - x) * beyond, share)
    line_y = y[:, None] + np.outer((crater.y - y) * beyond, share)
    line_z = z[:, None] + np.outer(crater.floor + 0.5 * crater.depth - z, share)
    return np.all(land.altitude(line_x, line_y) <= line_z, axis=1)


def _score(land: SeenLand, elevation: Reals, ground: Reals, distance: Reals, tall: float) -> tuple[Reals, Reals]:
    """Return scores and pitches of views; `elevation` and `ground` have shape (views, rays, steps)."""
    elevation, ground = elevation[:, :-1], ground[:, :-1]
    covered = np.maximum.accumulate(elevation, axis=2)
    # Where there is open sea at the end, it goes on to the horizon.
    open_sea = (ground <= land.sea_level)[..., -1] & (elevation[..., -1] > _HIDDEN)
    skyline = np.where(open_sea, np.maximum(covered[..., -1], _HORIZON), covered[..., -1])
    pitch = skyline.max(axis=1) - _SKYLINE_PLACE * 0.5 * tall
    bottom = pitch - 0.5 * tall

    # Share of the picture that each step of each ray fills.
    filled = np.maximum(covered, bottom[:, None, None])
    share = np.diff(filled, axis=2, prepend=bottom[:, None, None] * np.ones_like(filled[..., :1])) / tall
    share /= _COLUMNS
    wet = ground <= land.sea_level
    near = (share * (~wet & (distance < 0.07 * land.size))).sum(axis=(1, 2))
    is_far = distance > 0.25 * land.size
    far, far_land = share[..., is_far].sum(axis=(1, 2)), (share * (~wet & is_far)).sum(axis=(1, 2))
    lofty = (ground > land.foot + 0.55 * (land.top - land.foot)) & (distance > 0.15 * land.size)
    high = (share * lofty).sum(axis=(1, 2))
    sea = (share * wet).sum(axis=(1, 2))
    clear = wet & (ground > land.sea_level - _SHALLOW) & (elevation < _INTO_WATER)
    shallows = (share * clear).sum(axis=(1, 2))

    below = -np.tan(np.radians(elevation)) * distance > _DEEP * (land.top - land.foot)
    deep = (share * (below & (elevation > _HIDDEN) & (distance < _AT_ITS_FOOT * land.size))).sum(axis=(1, 2))

    # Where the land ends nearby, its cut edge shows.  Where it ends below the horizon, the void behind it shows.
    cut = cut_share(elevation, distance, land.size)
    void = np.clip((_HORIZON - skyline) / tall, 0.0, 1.0).mean(axis=1)
    rugged = skyline.std(axis=1) / tall
    odd_pitch = np.maximum(np.abs(pitch + 5.0) - 5.0, 0.0)
    score = 1.6 * high + 0.7 * far + 1.5 * rugged - 4.0 * void - 2.0 * cut
    score += 6.0 * np.minimum(sea, _WANTED_SEA) + 6.0 * np.minimum(shallows, _WANTED_SHALLOWS)
    if land.sea_level > -math.inf:
        score += _FAR_COASTS * far_land - 8.0 * np.maximum(sea - _MOST_SEA, 0.0)
    score += _OVER_EDGES * land.tableland * np.minimum(deep, _WANTED_DEPTH)
    score -= 1.5 * np.maximum(near - 0.25, 0.0) + 0.05 * odd_pitch
    return score, pitch
