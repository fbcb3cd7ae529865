"""A road as it was built: its line, profile, bridges, tunnels and earthworks.

>>> line = DrawnLine(np.array([0.0, 300.0]), np.zeros(2), np.array([10.0, 16.0]))
>>> ground, bridges = np.array([10.0, 12.0]), (Structure(100.0, 140.0),)
>>> course = RoadCourse(Road(), line, ground, bridges, (), 0.02, 45.0, (300.0, 0.0), 50.0, 75.0)
>>> describe_road(course)
'0.30 km long, steepest 2.0 %, sharpest bend 45 m; 1 bridge, 40 m in all; 50 m³ cut, 75 m³ filled'
>>> describe_road(course._replace(is_sketch=True)).partition(" km")[0]
'Sketch, not within its limits yet: 0.30'
>>> course.profile.chainage.tolist(), course.profile.road.tolist()
([0.0, 300.0], [10.0, 16.0])
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from .features import Road, place_text, title_of
from .lines import DrawnLine, Numbers

# Bends of larger radii, in metres, are not told.
_STRAIGHT = 1e5
# A bend may be this share sharper than asked before it is told.
_TOLERANCE = 0.01
# Points that are farther apart along a road than this multiple of its width, with shoulders, belong to two passes.
_PASSES = 4.0

STEP = 0.5
"""Metres between heights of roadways that overlap, from which on they are told."""


class Structure(NamedTuple):
    """A bridge or tunnel: where it begins and ends, in metres along the road."""

    begin: float
    end: float


class Profile(NamedTuple):
    """A road seen from the side.

    Parameters
    ----------
    chainage : ndarray of float64, shape (points,)
        Distance from the begin of the road, along it, in metres.
    ground, road : ndarray of float64, shape (points,)
        Heights of the land before it was built, and of the roadway, in metres.
    """

    chainage: Numbers
    ground: Numbers
    road: Numbers


class Earthworks(NamedTuple):
    """Volumes in m³ that were cut away and filled up."""

    cut: float
    fill: float


class RoadCourse(NamedTuple):
    """A road that was found.

    Parameters
    ----------
    road : Road
        The feature.
    line : DrawnLine
        Its middle, with the height of the roadway.
    ground : ndarray of float64, shape (points,)
        Height of the land there before it was built, in metres.
    bridges, tunnels : tuple of Structure
        In their order along the road.
    steepest : float
        Greatest rise per metre.
    least_radius : float
        Of its sharpest bend, in metres.
    sharpest : tuple of float
        Where that is: metres (x, y).
    cut, fill : float
        Volumes in m³; 0 before the land is cut to it.
    is_sketch : bool
        Whether it shows roughly where the road will go, and does not keep to limits of bends, bridges and tunnels.
    """

    road: Road
    line: DrawnLine
    ground: Numbers
    bridges: tuple[Structure, ...]
    tunnels: tuple[Structure, ...]
    steepest: float
    least_radius: float
    sharpest: tuple[float, float] = (0.0, 0.0)
    cut: float = 0.0
    fill: float = 0.0
    is_sketch: bool = False

    @property
    def length(self) -> float:
        """Metres."""
        return float(self.line.along[-1])

    @property
    def profile(self) -> Profile:
        """The road seen from the side."""
        return Profile(self.line.along, self.ground, self.line.height)

    @property
    def earthworks(self) -> Earthworks:
        """What was moved to build it."""
        return Earthworks(self.cut, self.fill)


def describe_road(course: RoadCourse) -> str:
    """Return what a road is like, in one sentence.

    Parameters
    ----------
    course : RoadCourse
        A road that was built, or is sketched.

    Returns
    -------
    str
        Length, steepest grade, sharpest bend, bridges and tunnels, and volumes.  Of a sketch it tells that limits are
        still to come.
    """
    bend = f", sharpest bend {course.least_radius:.0f} m" if course.least_radius < _STRAIGHT else ""
    parts = [f"{course.length / 1000.0:.2f} km long, steepest {100.0 * course.steepest:.1f} %{bend}"]
    structures = [
        _counted(name, found) for name, found in (("bridge", course.bridges), ("tunnel", course.tunnels)) if found
    ]
    parts += [", ".join(structures)] if structures else []
    parts.append(f"{course.cut:,.0f} m³ cut, {course.fill:,.0f} m³ filled")
    said = "; ".join(parts)
    return f"Sketch, not within its limits yet: {said}" if course.is_sketch else said


def road_warnings(roads: Sequence[RoadCourse]) -> tuple[str, ...]:
    """Return a sentence for each road that has a sharper bend than allowed, or passes itself too closely.

    Parameters
    ----------
    roads : sequence of RoadCourse
        As they were built.

    Returns
    -------
    tuple of str
        How sharp the bend is, or how far apart the two parts are, and where.
    """
    return tuple(sentence for one in roads for sentence in (*_bend_warning(one), *_pass_warning(one)))


def is_too_sharp(course: RoadCourse) -> bool:
    """Return whether a bend of a road is sharper than it asks.

    Parameters
    ----------
    course : RoadCourse
        A road that was found.

    Returns
    -------
    bool
    """
    return course.least_radius < (1.0 - _TOLERANCE) * course.road.least_radius


def _bend_warning(one: RoadCourse) -> tuple[str, ...]:
    if not is_too_sharp(one):
        return ()
    return (
        f"{title_of(one.road)} has a bend of {one.least_radius:.0f} m instead of {one.road.least_radius:g} m at "
        f"{place_text(*one.sharpest)}; move its points there",
    )


def _pass_warning(one: RoadCourse) -> tuple[str, ...]:
    """A sentence if two parts of a road on the ground overlap at different heights."""
    line, along = one.line, one.line.along
    wide = one.road.width + 2.0 * one.road.shoulder
    on_ground = ~is_within((*one.bridges, *one.tunnels), along)
    low, high = _first_overlap(line.x, line.y, line.height, along, on_ground, wide)
    if low < 0:
        return ()
    apart = math.sqrt((line.x[high] - line.x[low]) ** 2 + (line.y[high] - line.y[low]) ** 2)
    return (
        f"{title_of(one.road)} passes {apart:.0f} m beside itself at {place_text(line.x[high], line.y[high])}, and "
        f"{line.height[high] - line.height[low]:.1f} m higher; the ground cannot follow both: move its points apart",
    )


@kernel
def _first_overlap(x: Array, y: Array, height: Array, along: Array, on_ground: Array, wide: float) -> tuple[int, int]:
    """The lower and the higher of the first two points of a road that overlap at different heights, or (−1, −1)."""
    for i in range(x.size):
        for j in range(i + 1, x.size):
            if not on_ground[i] or not on_ground[j] or along[j] - along[i] < _PASSES * wide:
                continue
            if (x[j] - x[i]) ** 2 + (y[j] - y[i]) ** 2 < wide * wide and abs(height[j] - height[i]) > STEP:
                return (i, j) if height[i] < height[j] else (j, i)
    return -1, -1


def is_within(structures: Sequence[Structure], along: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return which places along a road lie on one of its bridges, or in one of its tunnels.

    Parameters
    ----------
    structures : sequence of Structure
        Bridges or tunnels.
    along : ndarray of float, any shape
        Metres along the road.

    Returns
    -------
    ndarray of bool, of that shape
        Their ends do not count.
    """
    found = np.zeros(np.shape(along), bool)
    for one in structures:
        found |= (along > one.begin) & (along < one.end)
    return found


def _counted(name: str, found: Sequence[Structure]) -> str:
    """How many bridges or tunnels, and how long in all."""
    plural = "s" if len(found) > 1 else ""
    return f"{len(found)} {name}{plural}, {sum(one.end - one.begin for one in found):.0f} m in all"
