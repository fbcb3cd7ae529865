"""Normals and slope of a planet's surface, the same on both sides of every edge of the cube.

References
----------
Gouraud, H. (1971). Continuous shading of curved surfaces. IEEE Transactions on Computers C-20(6), 623–629.
doi:10.1109/T-C.1971.223313
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan
from ..foundation.terrain import Field
from .cube_sphere import Directions, first_of_shared


def planet_normals(surface: Field, directions: Directions, radius: float) -> npt.NDArray[np.float64]:
    """Return the normal of the surface at each sample: the sum of the normals of the cells around it.

    Cells are seen on the plane that touches the sphere at the sample, so that level ground has vertical normals, also
    where cells to both sides have different shapes.

    Parameters
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    directions : ndarray of float64, shape (6, resolution, resolution, 3)
        From `cube_sphere.face_directions`.
    radius : float
        Of the sphere in metres.

    Returns
    -------
    ndarray of float64, shape (6, resolution, resolution, 3)
        Unit vectors.
    """
    normals = np.zeros_like(directions)
    _add_cells(directions, surface, radius, normals)
    # Each face has added its own cells; samples of one place get the sum of them all.
    first = first_of_shared(surface.shape[1]).reshape(-1)
    flat = normals.reshape(-1, 3)
    for axis in range(3):
        flat[:, axis] = np.bincount(first, flat[:, axis], len(first))[first]
    _normalise(flat)
    return normals


def planet_slope(normals: npt.NDArray[np.float64], directions: Directions) -> Field:
    """Return the angle between the normals and the vertical.

    Parameters
    ----------
    normals : ndarray of float64, shape (6, resolution, resolution, 3)
        From `planet_normals`.
    directions : ndarray of float64, of the same shape
        From `cube_sphere.face_directions`.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        Degrees, 0 to 180.
    """
    slope = np.empty(normals.shape[:-1], np.float32)
    _measure_angles(normals.reshape(-1, 3), np.ascontiguousarray(directions).reshape(-1, 3), slope.reshape(-1))
    return slope


@kernel
def _seen_from(
    directions: Array, surface: Array, here: tuple[int, int], there: tuple[int, int], radius: float
) -> tuple[float, float, float]:
    """The way from one sample of a face to another, which is moved along its radius to the same plane and altitude."""
    ux, uy, uz = directions[here[0], here[1], 0], directions[here[0], here[1], 1], directions[here[0], here[1], 2]
    x, y, z = directions[there[0], there[1], 0], directions[there[0], there[1], 1], directions[there[0], there[1], 2]
    own = radius + surface[here]
    far = own / (ux * x + uy * y + uz * z)
    # What the one is higher than the other stands upright on the plane.
    above = surface[there] - surface[here] - own
    return far * x + above * ux, far * y + above * uy, far * z + above * uz


@parallel_kernel
def _add_cells(part: Part, directions: Array, surface: Array, radius: float, normals: Array) -> None:
    """Add the normal of each cell, as long as the cell is large, to its four samples."""
    for face in portion(part, len(directions)):
        places, heights = directions[face], surface[face]
        for i in range(surface.shape[1] - 1):
            for j in range(surface.shape[2] - 1):
                for here in ((i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1)):
                    # Half the cross product of the diagonals of a cell: its normal times its area.
                    cx, cy, cz = _seen_from(places, heights, here, (i + 1, j + 1), radius)
                    px, py, pz = _seen_from(places, heights, here, (i, j), radius)
                    ax, ay, az = cx - px, cy - py, cz - pz
                    cx, cy, cz = _seen_from(places, heights, here, (i + 1, j), radius)
                    px, py, pz = _seen_from(places, heights, here, (i, j + 1), radius)
                    bx, by, bz = cx - px, cy - py, cz - pz
                    normals[face, here[0], here[1], 0] += ay * bz - az * by
                    normals[face, here[0], here[1], 1] += az * bx - ax * bz
                    normals[face, here[0], here[1], 2] += ax * by - ay * bx


@kernel
def _normalise(vectors: Array) -> None:
    for k in range(len(vectors)):
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        length = math.sqrt(x * x + y * y + z * z)
        vectors[k, 0], vectors[k, 1], vectors[k, 2] = x / length, y / length, z / length


@parallel_kernel
def _measure_angles(part: Part, normals: Array, directions: Array, slope: Array) -> None:
    for k in portion(part, len(normals)):
        n, d = normals[k], directions[k]
        up = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
        across = math.sqrt(max(1.0 - up * up, 0.0))
        angle = math.degrees(arctan(across / max(abs(up), 1e-12)))
        slope[k] = angle if up >= 0.0 else 180.0 - angle
