"""Trial pictures: what many cameras would see of a land, as upright rows of ground along some rays of each."""

import math
from typing import NamedTuple

import numpy as np

from .seen_land import SENSOR_WIDTH, Reals, SeenLand

_COLUMNS = 25
_STEPS = 72
_FARTHEST = 1.5  # times the land's size


class Cameras(NamedTuple):
    """Cameras to try: places and altitudes in metres, and headings in degrees; each of shape (cameras,)."""

    x: Reals
    y: Reals
    z: Reals
    heading: Reals


class Seen(NamedTuple):
    """What cameras see.

    Attributes
    ----------
    x, y : ndarray of float64, shape (cameras, rays, steps)
        Places along each ray, in metres; the rays go from the left edge of the picture to the right one.
    elevation : ndarray of float64, shape (cameras, rays, steps)
        Of the ground there above the horizon, in degrees; -90 where the land does not go on.
    distance : ndarray of float64, shape (steps,)
        From the camera, in metres.
    """

    x: Reals
    y: Reals
    elevation: Reals
    distance: Reals

    @property
    def skyline(self) -> Reals:
        """Elevation of the highest ground of each ray, shape (cameras, rays)."""
        return self.elevation.max(axis=2)

    def shares(self, pitch: Reals, tall: float) -> Reals:
        """Return the share of the picture that the ground at each step fills.

        Parameters
        ----------
        pitch : ndarray of float64, shape (cameras,)
            Degrees above the horizon.
        tall : float
            Height of the picture in degrees.
        """
        bottom = (pitch - 0.5 * tall)[:, None, None]
        covered = np.clip(np.maximum.accumulate(self.elevation, axis=2), bottom, bottom + tall)
        first = np.broadcast_to(bottom, (*covered.shape[:2], 1))
        return np.diff(covered, axis=2, prepend=first) / (tall * covered.shape[1])


def cut_share(elevation: Reals, distance: Reals, size: float) -> Reals:
    """Return which share of each skyline is the border of the land, weighed by how near it is.

    Parameters
    ----------
    elevation : ndarray of float64, shape (cameras, rays, steps)
    distance : ndarray of float64, shape (steps,)
        As in `Seen`.
    size : float
        Of the land, in metres.

    Returns
    -------
    ndarray of float64, shape (cameras,)
    """
    last = elevation.argmax(axis=2)
    beyond = np.minimum(last + 1, distance.size - 1)
    border = np.take_along_axis(elevation, beyond[..., None], axis=2)[..., 0] <= -90.0
    cut: Reals = (border * np.exp(-distance[last] / (0.4 * size))).mean(axis=1)
    return cut


def sight(land: SeenLand, cameras: Cameras, lens: float, nearest: float) -> Seen:
    """Return what cameras see from some metres before them to beyond the border.

    Parameters
    ----------
    land : SeenLand
    cameras : Cameras
    lens : float
        Focal length in millimetres.
    nearest : float
        Distance of the nearest ground in metres.
    """
    azimuth = np.radians(cameras.heading)[:, None] + np.linspace(0.5, -0.5, _COLUMNS) * breadth_of(lens)
    distance = np.geomspace(nearest, _FARTHEST * land.size, _STEPS)
    x = cameras.x[:, None, None] + np.cos(azimuth)[..., None] * distance
    y = cameras.y[:, None, None] + np.sin(azimuth)[..., None] * distance
    ground = land.altitude(x, y)
    elevation = np.degrees(np.arctan2(ground - cameras.z[:, None, None], distance))
    elevation[~land.shows(x, y, ground)] = -90.0
    return Seen(x, y, elevation, distance)


def breadth_of(lens: float) -> float:
    """Return from where to where a picture shows, in radians, from its left to its right."""
    return 2.0 * math.atan(0.5 * SENSOR_WIDTH / lens)


def height_of(lens: float, aspect: float) -> float:
    """Return from where to where a picture shows, in degrees, from its lower to its upper edge."""
    return math.degrees(2.0 * math.atan(0.5 * SENSOR_WIDTH / lens / aspect))
