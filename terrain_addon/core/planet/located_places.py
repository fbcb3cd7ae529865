"""Places between the samples of a planet, found once and read in many maps.

To find where a direction lies on the cube takes much longer than to read a map there.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from .cube_sphere import Directions, extended_directions, face_directions, locate


class LocatedPlaces(NamedTuple):
    """Places on the faces of one resolution, each between four samples.

    Attributes
    ----------
    cells : ndarray of int32, shape (…)
        Index of the first of the four samples: lowest row and column.
    right, up : ndarray of float32, shape (…)
        Where between them, 0 to 1 along the columns and the rows.
    resolution : int
        Samples along an edge of a face.
    """

    cells: Array
    right: Array
    up: Array
    resolution: int


def locate_places(directions: Directions, resolution: int) -> LocatedPlaces:
    """Find places on the faces.

    Parameters
    ----------
    directions : ndarray of float64, shape (…, 3)
        Of any length above 0.
    resolution : int
        Samples along an edge of a face, 2 or more.

    Returns
    -------
    LocatedPlaces
        Of shape (…).
    """
    shape = directions.shape[:-1]
    found = LocatedPlaces(
        np.empty(shape, np.int32), np.empty(shape, np.float32), np.empty(shape, np.float32), resolution
    )
    flat = found._replace(cells=found.cells.reshape(-1), right=found.right.reshape(-1), up=found.up.reshape(-1))
    _locate_all(np.ascontiguousarray(directions).reshape(-1, 3), flat)
    return found


def read_places(values: Field, places: LocatedPlaces) -> Field:
    """Return a map at places, from the four samples around each.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.
    places : LocatedPlaces
        Of the same resolution.

    Returns
    -------
    ndarray of float32, shape (…)
    """
    found = np.empty(places.cells.shape, np.float32)
    flat = places._replace(cells=places.cells.reshape(-1), right=places.right.reshape(-1), up=places.up.reshape(-1))
    _read_all(np.ascontiguousarray(values).reshape(-1), flat, found.reshape(-1))
    return found


def refine_faces(values: Field, resolution: int) -> Field:
    """Return a map on faces of another resolution, from the four samples around each.

    Parameters
    ----------
    values : ndarray of float32, shape (6, n, n)
        The map; n − 1 is a power of two.
    resolution : int
        Samples along an edge of a face: a power of two, plus one.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        The same bytes on both sides of an edge.
    """
    found = np.empty((len(values), resolution, resolution), np.float32)
    _refine_rows(np.ascontiguousarray(values), found)
    return found


def mean_around(values: Field, coarse: int, reach: float) -> Field:
    """Return the mean of a map around each sample of a coarser planet.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.
    coarse : int
        Samples along an edge of a face of the coarser planet.
    reach : float
        Radians up to which fifteen places count.

    Returns
    -------
    ndarray of float32, shape (6, coarse, coarse)
    """
    around = read_places(values, _places_around(values.shape[1], coarse, reach))
    total = around[0].astype(np.float64)
    for one in around[1:]:
        total += one
    return (total / len(around)).astype(np.float32)


@lru_cache(maxsize=12)
def _places_around(resolution: int, coarse: int, reach: float) -> LocatedPlaces:
    """Fifteen places around each sample of a coarse planet, on the faces of a finer one."""
    directions = face_directions(coarse)
    around = [directions]
    for x in (-1.0, 0.0, 1.0):
        for y in (-1.0, 0.0, 1.0):
            for z in (-1.0, 0.0, 1.0):
                size = abs(x) + abs(y) + abs(z)
                if size in (1.0, 3.0):
                    around.append(directions + reach / math.sqrt(size) * np.array((x, y, z)))
    return locate_places(np.stack(around), resolution)


def widen_faces(values: Field) -> Field:
    """Return a map with one sample more around each face, which lies on its neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        The map.

    Returns
    -------
    ndarray of float32, shape (6, resolution + 2, resolution + 2)
        As far from the last sample as that is from the one before.
    """
    resolution = values.shape[1]
    wide = np.empty((len(values), resolution + 2, resolution + 2), np.float32)
    wide[:, 1:-1, 1:-1] = values
    wide[:, _is_margin(resolution)] = read_places(values, _margin_places(resolution))
    return wide


def _is_margin(resolution: int) -> npt.NDArray[np.bool_]:
    margin = np.ones((resolution + 2, resolution + 2), bool)
    margin[1:-1, 1:-1] = False
    return margin


@lru_cache(maxsize=4)
def _margin_places(resolution: int) -> LocatedPlaces:
    return locate_places(extended_directions(resolution)[:, _is_margin(resolution)], resolution)


@kernel
def place_on_faces(x: float, y: float, z: float, resolution: int) -> tuple[int, float, float]:
    """Return the cell of a direction, and where in it.

    Parameters
    ----------
    x, y, z : float
        Of any length above 0.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    cell : int
        As in `LocatedPlaces`.
    right, up : float
    """
    face, row, column = locate(x, y, z, resolution)
    i, j = min(np.int64(row), resolution - 2), min(np.int64(column), resolution - 2)
    return (face * resolution + i) * resolution + j, column - j, row - i


@kernel
def read_cell(values: Array, cell: int, right: float, up: float, resolution: int) -> float:
    """Return a map in a cell.

    Parameters
    ----------
    values : ndarray of float32, shape (samples,)
        The map, all faces one after the other.
    cell : int
        As in `LocatedPlaces`.
    right, up : float
        Where in the cell.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    float
    """
    south = values[cell] * (1.0 - right) + values[cell + 1] * right
    north = values[cell + resolution] * (1.0 - right) + values[cell + resolution + 1] * right
    return south * (1.0 - up) + north * up


@parallel_kernel
def _locate_all(part: Part, directions: Array, found: LocatedPlaces) -> None:
    cells, right, up, resolution = found
    for k in portion(part, len(directions)):
        cells[k], right[k], up[k] = place_on_faces(directions[k, 0], directions[k, 1], directions[k, 2], resolution)


@parallel_kernel
def _read_all(part: Part, values: Array, places: LocatedPlaces, found: Array) -> None:
    cells, right, up, resolution = places
    for k in portion(part, cells.size):
        found[k] = read_cell(values, cells[k], right[k], up[k], resolution)


@parallel_kernel
def _refine_rows(part: Part, values: Array, found: Array) -> None:
    # Shares are fractions of a power of two, so 1 − share is exact, and an edge that runs the other way is the same.
    step = (values.shape[1] - 1.0) / (found.shape[1] - 1.0)
    last = values.shape[1] - 2
    for line in portion(part, found.shape[0] * found.shape[1]):
        face, row = line // found.shape[1], line % found.shape[1]
        i = min(np.int64(row * step), last)
        up = row * step - i
        for column in range(found.shape[2]):
            j = min(np.int64(column * step), last)
            right = column * step - j
            south = values[face, i, j] * (1.0 - right) + values[face, i, j + 1] * right
            north = values[face, i + 1, j] * (1.0 - right) + values[face, i + 1, j + 1] * right
            found[face, row, column] = south * (1.0 - up) + north * up
