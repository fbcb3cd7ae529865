"""The grid of a planet: six faces of a cube on a sphere, with equal angles between the samples.

A face has an axis, and two directions in which its columns and rows run.  Sample (row, column) lies in the direction
axis + tan ξ · right + tan η · up, where ξ and η go from −45° to 45° in equal steps.  Neighbouring samples are at most
√2 times closer than others, and there are no poles.  Faces share the samples of their edges: the same numbers on both.

References
----------
Ronchi, C., Iacono, R. & Paolucci, P. S. (1996). The "cubed sphere": a new method for the solution of partial
differential equations in spherical geometry. Journal of Computational Physics 124, 93–114. doi:10.1006/jcph.1996.0047
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import arctan, cos, sin
from ..foundation.terrain import Field
from .rims import Corners, first_samples, glue_rims

Axis = tuple[int, int, int]
Directions = npt.NDArray[np.float64]
"""Unit vectors, shape (…, 3): x and y lie in the plane of the equator, z points to the north pole."""


class CubeFace(NamedTuple):
    """One face: where it lies, and where its columns and rows run; right × up = axis."""

    axis: Axis
    right: Axis
    up: Axis


CUBE_FACES = {
    "x_plus": CubeFace((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "y_plus": CubeFace((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    "x_minus": CubeFace((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "y_minus": CubeFace((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "north": CubeFace((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    "south": CubeFace((0, 0, -1), (0, 1, 0), (1, 0, 0)),
}
"""The faces in the order of all arrays.  On the first four, row 0 is south and columns run east."""

FACE_AXES = np.array([one.axis for one in CUBE_FACES.values()], np.float64)
FACE_RIGHTS = np.array([one.right for one in CUBE_FACES.values()], np.float64)
FACE_UPS = np.array([one.up for one in CUBE_FACES.values()], np.float64)

_EIGHTH = 0.25 * math.pi


def _corners(face: CubeFace) -> Corners:
    """The corners of a face, each by the number of its corner of the cube."""
    numbers = []
    for right, up in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        place = [a + right * r + up * u for a, r, u in zip(face.axis, face.right, face.up)]
        numbers.append(sum((part > 0) << bit for bit, part in enumerate(place)))
    return numbers[0], numbers[1], numbers[2], numbers[3]


CUBE_RIMS = glue_rims([_corners(face) for face in CUBE_FACES.values()])
"""The twelve edges of the cube, each once for both of its faces."""


@lru_cache(maxsize=8)
def face_directions(resolution: int) -> Directions:
    """Return the directions of all samples.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face, 2 or more.

    Returns
    -------
    ndarray of float64, shape (6, resolution, resolution, 3)
        Read-only.

    References
    ----------
    Ronchi et al. (1996), doi:10.1006/jcph.1996.0047.
    """
    directions = _directions_at(_tangents(resolution))
    directions.flags.writeable = False
    return directions


def extended_directions(resolution: int) -> Directions:
    """Return the directions of all samples, and of one more around each face.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face, 2 or more.

    Returns
    -------
    ndarray of float64, shape (6, resolution + 2, resolution + 2, 3)
        The margin lies on the neighbours of a face.
    """
    angle = _EIGHTH * (1.0 + 2.0 / (resolution - 1))
    beyond = float(sin(angle) / cos(angle))
    return _directions_at(np.concatenate(([-beyond], _tangents(resolution), [beyond])))


@lru_cache(maxsize=8)
def solid_angles(resolution: int) -> npt.NDArray[np.float64]:
    """Return the share of the sphere that each sample stands for, as solid angles.

    The cell of a sample reaches halfway to its neighbours.  A sample on an edge has a part of its cell on each face;
    every face holds its own part, so that each place is counted once.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face, 2 or more.

    Returns
    -------
    ndarray of float64, shape (6, resolution, resolution)
        Steradians; all together 4π.  Read-only.

    References
    ----------
    Ronchi et al. (1996), doi:10.1006/jcph.1996.0047: √g = (1 + X²)(1 + Y²) / ρ³, integrated over each cell.
    """
    # The borders of cells lie halfway between the samples: every second one of a grid twice as fine, and the rims.
    t = _tangents(2 * resolution - 1)
    borders = np.concatenate((t[:1], t[1::2], t[-1:]))
    # The solid angle between (0, 0) and (u, v) is arctan(u v / ρ).
    u, v = borders[np.newaxis, :], borders[:, np.newaxis]
    corner = u * v / np.sqrt(1.0 + (u * u + v * v))
    _arctan_all(corner.ravel())
    face = np.diff(np.diff(corner, axis=0), axis=1)
    angles = np.repeat(face[np.newaxis], len(CUBE_FACES), axis=0)
    angles.flags.writeable = False
    return angles


@lru_cache(maxsize=8)
def first_of_shared(resolution: int) -> npt.NDArray[np.int64]:
    """Return for each sample the first one at the same place; see `rims.first_samples`.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    ndarray of int64, shape (6, resolution, resolution)
        Indices into the flat array of all samples.  Read-only.
    """
    first = first_samples(len(CUBE_FACES), CUBE_RIMS, resolution)
    first.flags.writeable = False
    return first


@kernel
def locate(x: float, y: float, z: float, resolution: int) -> tuple[int, float, float]:
    """Return where a direction lies on the cube.

    Parameters
    ----------
    x, y, z : float
        Of any length above 0.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    face : int
        Its number.
    row, column : float
        From 0 to `resolution` − 1.
    """
    size_x, size_y, size_z = abs(x), abs(y), abs(z)
    if size_x >= size_y and size_x >= size_z:
        face = 0 if x > 0.0 else 2
    elif size_y >= size_z:
        face = 1 if y > 0.0 else 3
    else:
        face = 4 if z > 0.0 else 5
    ahead = x * FACE_AXES[face, 0] + y * FACE_AXES[face, 1] + z * FACE_AXES[face, 2]
    u = (x * FACE_RIGHTS[face, 0] + y * FACE_RIGHTS[face, 1] + z * FACE_RIGHTS[face, 2]) / ahead
    v = (x * FACE_UPS[face, 0] + y * FACE_UPS[face, 1] + z * FACE_UPS[face, 2]) / ahead
    half = 0.5 * (resolution - 1)
    column = half + half * (arctan(u) / _EIGHTH)
    row = half + half * (arctan(v) / _EIGHTH)
    last = 2.0 * half
    return face, min(max(row, 0.0), last), min(max(column, 0.0), last)


@kernel
def value_at(values: Array, x: float, y: float, z: float) -> float:
    """Return a map in any direction, from the four samples around it.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.
    x, y, z : float
        Direction, of any length above 0.

    Returns
    -------
    float
    """
    resolution = values.shape[1]
    face, row, column = locate(x, y, z, resolution)
    i = min(np.int64(row), resolution - 2)
    j = min(np.int64(column), resolution - 2)
    a, b = row - i, column - j
    south = values[face, i, j] * (1.0 - b) + values[face, i, j + 1] * b
    north = values[face, i + 1, j] * (1.0 - b) + values[face, i + 1, j + 1] * b
    return south * (1.0 - a) + north * a


def sample_faces(values: Field, directions: Directions) -> Field:
    """Return a map at other directions, from the four samples around each.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.
    directions : ndarray of float64, shape (…, 3)
        Where to look; of any length above 0.

    Returns
    -------
    ndarray of float32, shape (…)
    """
    places = np.ascontiguousarray(directions, np.float64).reshape(-1, 3)
    found = np.empty(len(places), np.float32)
    _sample_all(np.ascontiguousarray(values), places, found)
    return found.reshape(directions.shape[:-1])


def nearest_samples(directions: Directions, resolution: int) -> npt.NDArray[np.int64]:
    """Return the sample that is nearest to each direction, for maps of numbers that cannot be blended.

    Parameters
    ----------
    directions : ndarray of float64, shape (…, 3)
        Where to look; of any length above 0.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    ndarray of int64, shape (…)
        Indices into the flat array of all samples.
    """
    places = np.ascontiguousarray(directions, np.float64).reshape(-1, 3)
    found = np.empty(len(places), np.int64)
    _find_nearest(resolution, places, found)
    return found.reshape(directions.shape[:-1])


def lattice_directions(lattice: npt.NDArray[np.int64], last: int) -> Directions:
    """Return the directions of places of a lattice on the faces, however fine.

    Parameters
    ----------
    lattice : ndarray of int64, shape (places, 3)
        Face, row and column of each place.
    last : int
        Row and column of the last places; a power of two.

    Returns
    -------
    ndarray of float64, shape (places, 3)
        Unit vectors; the same bytes for places of two faces that are one, and those of `face_directions` at samples.
    """
    found = np.empty((len(lattice), 3), np.float64)
    _place_all(np.ascontiguousarray(lattice), last, found)
    return found


def lattice_keys(lattice: npt.NDArray[np.int64], last: int) -> npt.NDArray[np.int64]:
    """Return a number for each place of a lattice; places of two faces that are one have the same.

    Parameters
    ----------
    lattice : ndarray of int64, shape (…, 3)
        Face, row and column of each place.
    last : int
        Row and column of the last places; at most 2²⁰.

    Returns
    -------
    ndarray of int64, shape (…)
        0 or more.
    """
    keys = np.empty(lattice.shape[:-1], np.int64)
    _number_all(np.ascontiguousarray(lattice).reshape(-1, 3), last, keys.reshape(-1))
    return keys


def _directions_at(t: npt.NDArray[np.float64]) -> Directions:
    """Unit vectors through the points (t, t) of each face."""
    u, v = t[np.newaxis, :, np.newaxis], t[:, np.newaxis, np.newaxis]
    # u² + v² comes first.  On an edge u or v is ±1, and both faces add the same two numbers.
    length = np.sqrt(1.0 + (u * u + v * v))
    faces = [(a + u * r + v * b) / length for a, r, b in zip(FACE_AXES, FACE_RIGHTS, FACE_UPS)]
    return np.stack(faces) + 0.0  # no −0


def _tangents(count: int) -> npt.NDArray[np.float64]:
    """Tangents of angles from −45° to 45° in equal steps: the ends are −1 and 1, and each half mirrors the other."""
    tangents = np.empty(count, np.float64)
    _fill_tangents(tangents)
    return tangents


@kernel
def _fill_tangents(tangents: Array) -> None:
    for k in range(tangents.size):
        tangents[k] = _tangent(k, tangents.size - 1)


@kernel
def _tangent(k: int, last: int) -> float:
    """Tangent of the angle of a place, −45° for place 0 and 45° for the last one."""
    if 2 * k == last:
        return 0.0
    if 2 * k > last:
        return -_tangent_below(last - k, last)
    return _tangent_below(k, last)


@kernel
def _tangent_below(k: int, last: int) -> float:
    if k == 0:
        return -1.0
    angle = _EIGHTH * (2.0 * k / last - 1.0)
    return sin(angle) / cos(angle)


@parallel_kernel
def _place_all(part: Part, lattice: Array, last: int, found: Array) -> None:
    for k in portion(part, len(lattice)):
        face = lattice[k, 0]
        v, u = _tangent(lattice[k, 1], last), _tangent(lattice[k, 2], last)
        length = np.sqrt(1.0 + (u * u + v * v))
        for axis in range(3):
            across = FACE_AXES[face, axis] + u * FACE_RIGHTS[face, axis]
            found[k, axis] = (across + v * FACE_UPS[face, axis]) / length + 0.0  # no −0


@parallel_kernel
def _number_all(part: Part, lattice: Array, last: int, keys: Array) -> None:
    for k in portion(part, len(lattice)):
        face, up, right = lattice[k, 0], 2 * lattice[k, 1] - last, 2 * lattice[k, 2] - last
        key = np.int64(0)
        # Places on the surface of a cube whose edges are 2 · last long.
        for axis in range(3):
            place = last * FACE_AXES[face, axis] + right * FACE_RIGHTS[face, axis] + up * FACE_UPS[face, axis]
            key = key * (2 * last + 1) + np.int64(place) + last
        keys[k] = key


@kernel
def _arctan_all(values: Array) -> None:
    for k in range(values.size):
        values[k] = arctan(values[k])


@parallel_kernel
def _sample_all(part: Part, values: Array, places: Array, found: Array) -> None:
    for k in portion(part, len(places)):
        found[k] = value_at(values, places[k, 0], places[k, 1], places[k, 2])


@parallel_kernel
def _find_nearest(part: Part, resolution: int, places: Array, found: Array) -> None:
    for k in portion(part, len(places)):
        face, row, column = locate(places[k, 0], places[k, 1], places[k, 2], resolution)
        found[k] = (face * resolution + np.int64(row + 0.5)) * resolution + np.int64(column + 0.5)
