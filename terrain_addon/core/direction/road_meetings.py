"""Where roads meet on the ground, which can have only one height.

>>> from .lines import DrawnLine
>>> x, zero = np.array([0.0, 200.0]), np.zeros(2)
>>> one = RoadCourse(Road(name="A"), DrawnLine(x, zero + 90.0, zero), zero, (), (), 0.0, 1e9)
>>> other = RoadCourse(Road(name="B"), DrawnLine(zero + 50.0, x, zero + 3.0), zero, (), (), 0.0, 1e9)
>>> [(meeting.along, meeting.rise) for meeting in find_meetings(other, [one])]
[(90.0, 3.0)]
>>> meeting_warnings([one, other])[0].partition(" m from")[0]
"the road 'B' meets the road 'A' at (50, 90)"
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .features import Road, place_text, title_of
from .lines import measure_from, values_at
from .road_course import STEP, RoadCourse, is_within

# Metres between the places at which a road is compared with another one.
_SPACING = 2.0


class Meeting(NamedTuple):
    """Where a road meets one that was built before it.

    Parameters
    ----------
    along : float
        Metres along the road.
    rise : float
        How far the road lies above that, in metres.
    place : tuple of float
        Metres (x, y).
    before : RoadCourse
        The one before it.
    """

    along: float
    rise: float
    place: tuple[float, float]
    before: RoadCourse


def find_meetings(course: RoadCourse, built: Sequence[RoadCourse]) -> tuple[Meeting, ...]:
    """Return where a road meets others, neither of them on a bridge or in a tunnel.

    Parameters
    ----------
    course : RoadCourse
        The road.
    built : sequence of RoadCourse
        Those before it.

    Returns
    -------
    tuple of Meeting
        One for each run of places at which the roadways overlap: where their middles are closest.
    """
    return tuple(meeting for before in built for meeting in _meetings_with(course, before))


def _meetings_with(course: RoadCourse, before: RoadCourse) -> list[Meeting]:
    line = course.line
    along = np.linspace(0.0, course.length, math.ceil(course.length / _SPACING) + 1)
    x, y, height = (np.interp(along, line.along, values) for values in (line.x, line.y, line.height))
    reach = max(0.5 * (course.road.width + before.road.width), _SPACING)
    near = measure_from(x.astype(np.float32), y.astype(np.float32), before.line, reach)
    there = values_at(before.line.along, near.place)
    meets = (near.place >= 0.0) & ~is_within((*course.bridges, *course.tunnels), along)
    meets &= ~is_within((*before.bridges, *before.tunnels), there)
    level = values_at(before.line.height, near.place)
    places = np.flatnonzero(meets)
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if places.size else []
    closest = [int(run[near.distance[run].argmin()]) for run in runs]
    return [Meeting(float(along[k]), float(height[k] - level[k]), (float(x[k]), float(y[k])), before) for k in closest]


def meeting_warnings(roads: Sequence[RoadCourse]) -> tuple[str, ...]:
    """Return a sentence for each road that meets one before it at another height.

    Parameters
    ----------
    roads : sequence of RoadCourse
        As they were built, in their order.

    Returns
    -------
    tuple of str
        Of each road where the difference is greatest.
    """
    told = []
    for number, course in enumerate(roads):
        worst = max(find_meetings(course, roads[:number]), key=lambda one: abs(one.rise), default=None)
        if worst is not None and abs(worst.rise) > STEP:
            told.append(_warning(course.road, worst))
    return tuple(told)


def _warning(road: Road, meeting: Meeting) -> str:
    title, other = title_of(road), title_of(meeting.before.road)
    return (
        f"{title} meets {other if other != title else 'another road'} at {place_text(*meeting.place)}, and "
        f"{abs(meeting.rise):.1f} m {'higher' if meeting.rise > 0.0 else 'lower'}; the ground follows the later one in "
        "the list: give both a point with the same height there"
    )
