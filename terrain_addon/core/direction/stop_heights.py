"""Heights of the stops of a road that lie too far apart for its grade.

>>> road = Road(points=((0.0, 0.0, 100.0), (1000.0, 0.0, 300.0)))
>>> tell_climb(road, np.array([[0.0, 0.0], [1000.0, 0.0]])).partition(", which ")[2].partition("; ")[0]
'needs a grade of 20.0 % (steepest grade now: 8 %)'
"""

import math
from itertools import combinations

import numpy as np

from .features import STEEPEST_GRADE, Road, title_of
from .lines import Numbers
from .road_search import DEEPEST_CUT, DEEPEST_FILL


def tell_climb(road: Road, places: Numbers, ground: Numbers | None = None) -> str:
    """Return a sentence if heights of stops differ by more than the grade of a road allows on the straight way.

    Parameters
    ----------
    road : Road
        With heights at some of its points.
    places : ndarray of float64, shape (points, 2)
        Where its points are, in metres.
    ground : ndarray of float, shape (points,), optional
        Heights in metres.  A road winds where the ground rises.  With them only heights count that no winding road
        reaches, because the ground does not rise with them.

    Returns
    -------
    str
        With the two stops that need the steepest grade; empty if there are none.
    """
    steps = np.diff(places, axis=0)
    along = np.concatenate(([0.0], np.cumsum(np.sqrt((steps * steps).sum(axis=1)))))
    high = [(number, point[2]) for number, point in enumerate(road.points) if len(point) > 2]
    steepest, told = 0.01 * road.steepest_grade, ""
    for (first, begin), (second, end) in combinations(high, 2):
        apart, rise = float(along[second] - along[first]), abs(end - begin)
        if ground is not None:
            off = abs(end - begin - float(ground[second] - ground[first])) - DEEPEST_FILL - DEEPEST_CUT
            if off <= 0.01 * road.steepest_grade * apart:
                continue
        if rise > steepest * apart:
            steepest = rise / apart if apart > 0.0 else math.inf
            told = _sentence(road, (first + 1, second + 1), apart, rise)
    return told


def _sentence(road: Road, points: tuple[int, int], apart: float, rise: float) -> str:
    """What two stops need, and what to change."""
    needed = math.ceil(1000.0 * rise / apart) / 10.0 if apart > 0.0 else math.inf
    needs = f"a grade of {needed:.1f} %" if needed <= STEEPEST_GRADE else f"more than {STEEPEST_GRADE:g} %"
    allow = ", allow that grade" if needed <= STEEPEST_GRADE else ""
    return (
        f"{title_of(road)} cannot reach the heights of its stops: from point {points[0]} to point {points[1]} it is "
        f"{apart:,.0f} m straight on, and their heights differ by {rise:,.0f} m, which needs {needs} (steepest grade "
        f"now: {road.steepest_grade:g} %); make their heights differ less{allow}, or move them apart"
    )
