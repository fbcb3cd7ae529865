"""Which places on the ground lie under the triangles that show water."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..ecosystem.stem_cells import StemCells, sort_into_cells
from ..foundation.compilation import Array, Part, parallel_kernel, portion


class GroundPlaces(NamedTuple):
    """Places on the ground; entry i of every array belongs to place i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (places,)
        Metres east and north of the south-west corner.
    altitude : ndarray of float32, shape (places,)
        Of the ground, in metres.
    """

    x: Array
    y: Array
    altitude: Array


def lie_under_water(
    places: GroundPlaces, corners: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32], size: tuple[float, float]
) -> npt.NDArray[np.bool_]:
    """Return which places have water above them.

    Parameters
    ----------
    places : GroundPlaces
        Within the land.
    corners : ndarray of float32, shape (corners, 3)
        Of the triangles: metres east and north of the same corner as the places, and altitude.
    triangles : ndarray of int32, shape (triangles, 3)
        The water seen from above; those beyond the land do no harm.
    size : tuple of float
        Width and depth of the land in metres.

    Returns
    -------
    ndarray of bool, shape (places,)

    Examples
    --------
    >>> at = np.array([2.0, 8.0], np.float32)
    >>> pond = np.array([[0, 0, 5], [6, 0, 5], [0, 6, 5]], np.float32)
    >>> lie_under_water(GroundPlaces(at, at, 0 * at), pond, np.array([[0, 1, 2]], np.int32), (10.0, 10.0)).tolist()
    [True, False]
    """
    under = np.zeros(places.x.size, np.bool_)
    if under.size and len(triangles):
        _mark_under(places, corners, triangles, sort_into_cells(places.x, places.y, 0.0, *size), under)
    return under


@parallel_kernel
def _mark_under(
    part: Part, places: GroundPlaces, corners: Array, triangles: Array, cells: StemCells, under: Array
) -> None:
    """Mark the places under each triangle."""
    per_metre, rows, columns, first, order = cells
    for t in portion(part, triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = np.float64(corners[a, 0]), np.float64(corners[a, 1]), np.float64(corners[a, 2])
        bx, by, bz = corners[b, 0] - ax, corners[b, 1] - ay, corners[b, 2] - az
        cx, cy, cz = corners[c, 0] - ax, corners[c, 1] - ay, corners[c, 2] - az
        area = bx * cy - by * cx
        if area == 0.0:
            continue
        west = max(math.floor((ax + min(0.0, bx, cx)) * per_metre), 0)
        east = min(math.floor((ax + max(0.0, bx, cx)) * per_metre), columns - 1)
        south = max(math.floor((ay + min(0.0, by, cy)) * per_metre), 0)
        north = min(math.floor((ay + max(0.0, by, cy)) * per_metre), rows - 1)
        if west > east:
            continue
        for row in range(south, north + 1):
            for k in range(first[row * columns + west], first[row * columns + east + 1]):
                p = order[k]
                dx, dy = places.x[p] - ax, places.y[p] - ay
                # Where the place lies between the corners: the shares of b and c.
                u, v = (dx * cy - dy * cx) / area, (bx * dy - by * dx) / area
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0 and az + u * bz + v * cz > places.altitude[p]:
                    under[p] = True
