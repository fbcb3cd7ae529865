"""The road seen from the side: what a land keeps of it, and a picture for the panel.

>>> profile = RoadProfile((0.0, 50.0, 100.0), (10.0, 2.0, 10.0), (10.0, 10.0, 10.0), ("ground", "bridge", "ground"))
>>> pixels = profile_pixels(profile)
>>> pixels.shape, profile.lowest, profile.highest
((160, 160, 4), 2.0, 10.0)
"""

from typing import NamedTuple

import numpy as np

from ...core.direction.road_course import RoadCourse, is_within

PROFILE_SIDE = 160
"""Width and height of the picture in pixels."""

_MARGIN = 6  # pixels above and below what is drawn
_ROAD = 1  # pixels above and below the middle of the roadway
_GROUND, _CUT, _FILL = (0.36, 0.30, 0.24), (0.55, 0.33, 0.26), (0.42, 0.48, 0.30)
_COLOURS = {"ground": (1.0, 0.72, 0.25), "bridge": (0.35, 0.68, 1.0), "tunnel": (0.92, 0.92, 0.92)}


class RoadProfile(NamedTuple):
    """A road seen from the side, at as many places as its picture has columns.

    Parameters
    ----------
    along, ground, road : tuple of float
        Metres along the road, and heights of the land before it was built and of the roadway in metres.
    kinds : tuple of str
        What the road is there: ground, bridge or tunnel.
    """

    along: tuple[float, ...]
    ground: tuple[float, ...]
    road: tuple[float, ...]
    kinds: tuple[str, ...]

    @property
    def lowest(self) -> float:
        """Metres."""
        return min(*self.ground, *self.road)

    @property
    def highest(self) -> float:
        """Metres."""
        return max(*self.ground, *self.road)


def kept_profile(course: RoadCourse) -> RoadProfile:
    """Return what a land keeps of the profile of a road.

    Parameters
    ----------
    course : RoadCourse
        As it was built.

    Returns
    -------
    RoadProfile
        Rounded to a decimetre.
    """
    seen = course.profile
    along = np.linspace(0.0, course.length, PROFILE_SIDE)
    ground, road = (np.interp(along, seen.chainage, heights).round(1) for heights in (seen.ground, seen.road))
    bridges, tunnels = is_within(course.bridges, along), is_within(course.tunnels, along)
    kinds = np.where(bridges, "bridge", np.where(tunnels, "tunnel", "ground"))
    return RoadProfile(*(tuple(values.tolist()) for values in (along.round(1), ground, road, kinds)))


def profile_pixels(profile: RoadProfile) -> np.ndarray:
    """Return the picture of a profile, which fills it from side to side and from its lowest to its highest point.

    Parameters
    ----------
    profile : RoadProfile
        With two places or more.

    Returns
    -------
    ndarray of float32, shape (PROFILE_SIDE, PROFILE_SIDE, 4)
        Red, green, blue and opacity, the bottom row first: the ground, what is cut and filled, and the road in the
        colours of ground, bridge and tunnel.
    """
    columns = np.linspace(profile.along[0], profile.along[-1], PROFILE_SIDE)
    low, high = profile.lowest, max(profile.highest, profile.lowest + 1.0)

    def rows_of(heights: tuple[float, ...]) -> np.ndarray:
        share = (np.interp(columns, profile.along, heights) - low) / (high - low)
        return np.rint(_MARGIN + share * (PROFILE_SIDE - 1 - 2 * _MARGIN))

    nearest = np.abs(columns[:, None] - np.array(profile.along)).argmin(axis=1)
    kinds = np.array(profile.kinds)[nearest]
    row, ground, road = np.arange(PROFILE_SIDE)[:, None], rows_of(profile.ground), rows_of(profile.road)
    # From column to column, so that a steep road has no gaps.
    before = np.concatenate((road[:1], road[:-1]))
    is_road = (row >= np.minimum(before, road) - _ROAD) & (row <= np.maximum(before, road) + _ROAD)
    on_ground = kinds == "ground"
    pixels = np.zeros((PROFILE_SIDE, PROFILE_SIDE, 4), np.float32)
    for shown, colour in (
        (row <= ground, _GROUND),
        ((row <= ground) & (row > road) & on_ground, _CUT),
        ((row > ground) & (row <= road) & on_ground, _FILL),
        *((is_road & (kinds == kind), colour) for kind, colour in _COLOURS.items()),
    ):
        pixels[shown] = (*colour, 1.0)
    return pixels
