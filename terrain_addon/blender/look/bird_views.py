"""Views of a whole land from above: as a bird sees it, and as a map shows it."""

import math
from typing import NamedTuple

import numpy as np

from .seen_land import SENSOR_WIDTH, Reals, SeenLand, View

# What is tried for a bird's view: headings all around (degrees), at one pitch (degrees) and with one lens (mm).
_HEADINGS = np.arange(0.0, 360.0, 15.0)
_PITCH, _LENS = -30.0, 35.0
_MARGIN = 1.02  # how much farther away, or wider from straight above, than the land just fits
_SAMPLES = 65  # along each side, at most
# A map is seen from so high above the summit, as a share of the land's size.
_ABOVE = 0.5
_NORTH = 90.0  # degrees counter-clockwise from east


class _Frame(NamedTuple):
    """Where a camera stands so that all points just fit, and the share of the picture that the land's outline fills."""

    place: Reals
    filled: float


def find_overview(land: SeenLand, aspect: float) -> View:
    """Return a bird's view of the whole land.

    It comes from the side from which the land fills the picture best, and its low ground lies before its high ground.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    """
    points = _points_of(land)
    frames = {heading: _fit(points, heading, aspect) for heading in _HEADINGS.tolist()}
    heading = max(frames, key=lambda one: frames[one].filled + _rise_away(points, one))
    x, y, z = frames[heading].place.tolist()
    return View(x, y, z, heading, _PITCH, _LENS, name="overview")


def find_top(land: SeenLand, aspect: float) -> View:
    """Return the view straight down on the middle of a land, with north above.

    It shows the whole land, whatever shape picture and land have, with a narrow margin around it.

    Parameters
    ----------
    land : SeenLand
    aspect : float
        Width of the picture over its height.
    """
    breadth = _MARGIN * max(2.0 * land.half[0], 2.0 * land.half[1] * aspect)
    return View(0.0, 0.0, land.top + _ABOVE * land.size, _NORTH, -90.0, _LENS, breadth, "top")


def _points_of(land: SeenLand) -> Reals:
    """Places on the ground, shape (points, 3)."""
    along = np.linspace(-1.0, 1.0, _SAMPLES)
    x, y = (axis.ravel() for axis in np.meshgrid(along * land.half[0], along * land.half[1]))
    return np.stack((x, y, land.altitude(x, y)), axis=1)


def _fit(points: Reals, heading: float, aspect: float) -> _Frame:
    """Return the nearest camera with this heading that has all points in its picture."""
    turn, rise = math.radians(heading), math.radians(_PITCH)
    ahead = np.array((math.cos(turn) * math.cos(rise), math.sin(turn) * math.cos(rise), math.sin(rise)))
    right = np.array((math.sin(turn), -math.cos(turn), 0.0))
    up = np.cross(right, ahead)
    far, across, above = points @ ahead, points @ right, points @ up
    wide = 0.5 * SENSOR_WIDTH / _LENS / _MARGIN
    # A point is in the picture where |across − c| ≤ wide · (far + away), and the same upwards: the least `away` for
    # which a middle c is left, and that middle.
    away, middle = 0.0, []
    for offset, reach in ((across, wide), (above, wide / aspect)):
        low, high = (offset - reach * far).max(), (offset + reach * far).min()
        away = max(away, (low - high) / (2.0 * reach))
        middle.append(0.5 * (low + high))
    place = middle[0] * right + middle[1] * up - away * ahead
    corners = points.reshape(_SAMPLES, _SAMPLES, 3)[[0, 0, -1, -1], [0, -1, -1, 0]] - place
    seen = np.stack((corners @ right, corners @ up), axis=1) / (corners @ ahead)[:, None]
    return _Frame(place, _area(seen) / (4.0 * wide * wide / aspect))


def _area(corners: Reals) -> float:
    """Return the area of a polygon, shape (corners, 2), by the shoelace formula."""
    x, y = corners.T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def _rise_away(points: Reals, heading: float) -> float:
    """Return how well the ground rises in the direction of a heading: the correlation of both, -1 to 1."""
    along = points[:, 0] * math.cos(math.radians(heading)) + points[:, 1] * math.sin(math.radians(heading))
    high = points[:, 2] - points[:, 2].mean()
    scale = float(np.linalg.norm(high) * np.linalg.norm(along))
    return float(high @ along) / scale if scale > 0.0 else 0.0
