"""A planet as geometry: one mesh without seams, and pictures of the six faces that carry what the mesh cannot.

The mesh takes every k-th sample of the heightmap, the residual goes to a picture for bump or displacement.  Together
they are the heightmap, so nothing is counted twice.

References
----------
Ronchi, C., Iacono, R. & Paolucci, P. S. (1996). The "cubed sphere": a new method for the solution of partial
differential equations in spherical geometry. Journal of Computational Physics 124, 93–114. doi:10.1006/jcph.1996.0047
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from ..meshing.residual import residual
from .cube_sphere import CUBE_FACES, face_directions, first_of_shared
from .located_places import widen_faces

ATLAS_ROWS, ATLAS_COLUMNS = 2, 3
"""How the six faces are laid out in one picture: the first three in the lower row."""

_MARGIN = 1  # samples around each face of a picture


@dataclass(frozen=True)
class PlanetMesh:
    """A closed surface of polygons around the middle of a planet, each place once.

    Attributes
    ----------
    directions : ndarray of float64, shape (vertices, 3)
        Unit vectors.
    samples : ndarray of int64, shape (vertices,)
        Which sample of the planet each vertex is, as an index into the flat array of all samples; −1 for one between
        samples.
    corners : ndarray of int32, shape (corners,)
        Vertices of each polygon, counter-clockwise seen from outside, one polygon after the other.
    starts : ndarray of int32, shape (polygons,)
        The first corner of each polygon.
    uv : ndarray of float32, shape (corners, 2)
        Where the corners lie in pictures from `atlas`.
    spacing : ndarray of float64, shape (vertices,)
        Degrees along the smallest polygon at each vertex.
    """

    directions: npt.NDArray[np.float64]
    samples: npt.NDArray[np.int64]
    corners: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    uv: npt.NDArray[np.float32]
    spacing: npt.NDArray[np.float64]


@lru_cache(maxsize=4)
def planet_mesh(resolution: int, mesh_resolution: int) -> PlanetMesh:
    """Return the mesh of a planet: quads of about one size.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the planet.
    mesh_resolution : int
        Vertices along an edge of a face: 2ⁿ + 1, at most `resolution`.

    Returns
    -------
    PlanetMesh
        Its arrays are read-only.
    """
    step = (resolution - 1) // (mesh_resolution - 1)
    first = first_of_shared(mesh_resolution)
    vertices, numbers = np.unique(first, return_inverse=True)
    number = numbers.reshape(first.shape).astype(np.int32)
    south_west, south_east = number[:, :-1, :-1], number[:, :-1, 1:]
    north_west, north_east = number[:, 1:, :-1], number[:, 1:, 1:]
    quads = np.stack((south_west, south_east, north_east, north_west), axis=-1).reshape(-1, 4)
    face, row, column = np.unravel_index(vertices, first.shape)
    samples = (face * resolution + row * step) * resolution + column * step
    mesh = PlanetMesh(
        face_directions(mesh_resolution).reshape(-1, 3)[vertices],
        samples,
        quads.ravel(),
        np.arange(0, quads.size, 4, dtype=np.int32),
        picture_places(_corner_places(mesh_resolution), mesh_resolution - 1, resolution),
        np.full(len(vertices), 90.0 / (mesh_resolution - 1)),
    )
    for array in vars(mesh).values():
        array.flags.writeable = False
    return mesh


def planet_residual(surface: Field, mesh_resolution: int) -> Field:
    """Return the heights that a mesh of a planet cannot carry.

    Parameters
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Heights in metres.
    mesh_resolution : int
        Vertices along an edge of a face: 2ⁿ + 1, at most the resolution of `surface`.

    Returns
    -------
    ndarray of float32, shape (6, resolution, resolution)
        Metres above the bilinear faces of the mesh; 0 at its vertices.
    """
    step = (surface.shape[1] - 1) // (mesh_resolution - 1)
    rest = np.stack(
        [residual(face, 1.0, np.ascontiguousarray(face[::step, ::step]), float(step), "bilinear") for face in surface]
    )
    return rest.ravel()[first_of_shared(surface.shape[1])]


def atlas(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return the six faces as one picture, each with a margin that continues on its neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (6, resolution, resolution)
        A map.

    Returns
    -------
    ndarray of float32, shape (2 · (resolution + 2), 3 · (resolution + 2))
        Row 0 is the bottom.
    """
    # With the margin, bump maps see the same slopes on both sides of an edge.
    wide = widen_faces(np.ascontiguousarray(values, np.float32))
    side = wide.shape[1]
    rows = wide.reshape(ATLAS_ROWS, ATLAS_COLUMNS, side, side).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(rows.reshape(ATLAS_ROWS * side, ATLAS_COLUMNS * side))


def picture_places(lattice: npt.NDArray[np.int64], last: int, resolution: int) -> npt.NDArray[np.float32]:
    """Return where places of a lattice lie in pictures from `atlas`; samples lie in the middle of their pixels.

    Parameters
    ----------
    lattice : ndarray of int64, shape (places, 3)
        Face, row and column of each place.
    last : int
        Row and column of the last places.
    resolution : int
        Samples along an edge of a face.

    Returns
    -------
    ndarray of float32, shape (places, 2)
        From 0 to 1, to the right and up.
    """
    side = resolution + 2 * _MARGIN
    face, row, column = lattice.T
    face_row, face_column = np.divmod(face, ATLAS_COLUMNS)
    scale = (resolution - 1) / last
    across = (face_column * side + (column * scale + _MARGIN + 0.5)) / (ATLAS_COLUMNS * side)
    up = (face_row * side + (row * scale + _MARGIN + 0.5)) / (ATLAS_ROWS * side)
    return np.stack((across, up), axis=-1).astype(np.float32)


def _corner_places(mesh_resolution: int) -> npt.NDArray[np.int64]:
    """Face, row and column of the corners of all quads."""
    cells = mesh_resolution - 1
    face, row, column = np.indices((len(CUBE_FACES), cells, cells))
    corners = [np.stack((face, row + up, column + right), axis=-1) for up, right in ((0, 0), (0, 1), (1, 1), (1, 0))]
    return np.stack(corners, axis=-2).reshape(-1, 3)
