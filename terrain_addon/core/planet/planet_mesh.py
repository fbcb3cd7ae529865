"""A planet as geometry: one mesh without seams, and pictures of the six faces that carry what the mesh cannot.

The mesh takes every k-th sample of the heightmap, the residual goes to a picture for bump or displacement.  Together
they are the heightmap, so nothing is counted twice.

References
----------
Ronchi, C., Iacono, R. & Paolucci, P. S. (1996). The "cubed sphere": a new method for the solution of partial
differential equations in spherical geometry. Journal of Computational Physics 124, 93–114. doi:10.1006/jcph.1996.0047
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field
from ..meshing.residual import residual
from .cube_sphere import CUBE_FACES, extended_directions, face_directions, first_of_shared, sample_faces

ATLAS_ROWS, ATLAS_COLUMNS = 2, 3
"""How the six faces are laid out in one picture: the first three in the lower row."""

_MARGIN = 1  # samples around each face of a picture


@dataclass(frozen=True)
class PlanetMesh:
    """A sphere of quads, each place once.

    Attributes
    ----------
    directions : ndarray of float64, shape (vertices, 3)
        Unit vectors.
    samples : ndarray of int64, shape (vertices,)
        Which sample of the planet each vertex is, as an index into the flat array of all samples.
    quads : ndarray of int32, shape (quads, 4)
        Vertices of each quad, counter-clockwise seen from outside.
    uv : ndarray of float32, shape (quads, 4, 2)
        Where the corners lie in pictures from `atlas`.
    """

    directions: npt.NDArray[np.float64]
    samples: npt.NDArray[np.int64]
    quads: npt.NDArray[np.int32]
    uv: npt.NDArray[np.float32]


def planet_mesh(resolution: int, mesh_resolution: int) -> PlanetMesh:
    """Return the mesh of a planet.

    Parameters
    ----------
    resolution : int
        Samples along an edge of a face of the planet.
    mesh_resolution : int
        Vertices along an edge of a face: 2ⁿ + 1, at most `resolution`.

    Returns
    -------
    PlanetMesh
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
    directions = face_directions(mesh_resolution).reshape(-1, 3)[vertices]
    return PlanetMesh(directions, samples, quads, _corner_places(resolution, mesh_resolution, step))


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
    wide = sample_faces(np.ascontiguousarray(values, np.float32), extended_directions(values.shape[1]))
    side = wide.shape[1]
    rows = wide.reshape(ATLAS_ROWS, ATLAS_COLUMNS, side, side).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(rows.reshape(ATLAS_ROWS * side, ATLAS_COLUMNS * side))


def _corner_places(resolution: int, mesh_resolution: int, step: int) -> npt.NDArray[np.float32]:
    """The places of the corners of all quads in the picture of the six faces: in the middle of their pixels."""
    side = resolution + 2 * _MARGIN
    along = np.arange(mesh_resolution) * step + _MARGIN + 0.5
    ends = np.stack((along[:-1], along[1:]))
    cells = mesh_resolution - 1
    uv = np.empty((len(CUBE_FACES), cells, cells, 4, 2), np.float32)
    for face in range(len(CUBE_FACES)):
        row, column = divmod(face, ATLAS_COLUMNS)
        for corner, (up, right) in enumerate(((0, 0), (0, 1), (1, 1), (1, 0))):
            uv[face, :, :, corner, 0] = ((column * side + ends[right]) / (ATLAS_COLUMNS * side))[np.newaxis, :]
            uv[face, :, :, corner, 1] = ((row * side + ends[up]) / (ATLAS_ROWS * side))[:, np.newaxis]
    return uv.reshape(-1, 4, 2)
