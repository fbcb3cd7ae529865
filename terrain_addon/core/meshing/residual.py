"""What a fine surface has that a coarser mesh of the same land cannot carry.

Vertices of the mesh take their share of the relief, the residual goes to displacement, bump or normal maps: together
they are the fine surface, and nothing is counted twice.

>>> fine = np.array([[0.0, 3.0, 2.0]] * 3, np.float32)
>>> residual(fine, 1.0, np.ascontiguousarray(fine[::2, ::2]), 2.0)[0].tolist()
[0.0, 2.0, 0.0]
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field
from ..maps.slope import horn_gradient, surface_normals
from .cell_diagonals import height_in_cell, is_turned

FACES = {
    "triangles": "Each quad in two triangles, as Blender draws a land and exported meshes hold it",
    "bilinear": "Each quad as a bilinear patch, as simple subdivision and adaptive displacement see it",
}
"""What the surface of a mesh is between its vertices."""


def mesh_heights(
    mesh: Field, cell_size: float, shape: tuple[int, int], spacing: float, faces: str = "triangles"
) -> Field:
    """Return the heights of a mesh at the samples of a finer grid with the same south-west corner.

    Parameters
    ----------
    mesh : ndarray of float32, shape (mesh rows, mesh columns)
        Heights of its vertices in metres; at least 2 × 2.
    cell_size : float
        Metres between vertices.
    shape : tuple of int
        Rows and columns of the finer grid.
    spacing : float
        Metres between its samples; those beyond the mesh lie on its outermost faces, continued.
    faces : str
        A key of `FACES`.

    Returns
    -------
    ndarray of float32, shape `shape`
        Metres.

    Raises
    ------
    ValueError
        If the mesh is smaller than 2 × 2, or `faces` is none of the choices.
    """
    heights = np.zeros(shape, np.float32)
    _check(mesh, faces)
    _less_mesh(heights, mesh, spacing / cell_size, faces == "triangles", heights)
    return np.negative(heights, out=heights)


def residual(fine: Field, spacing: float, mesh: Field, cell_size: float, faces: str = "triangles") -> Field:
    """Return the heights of a fine surface above a coarser mesh.

    Parameters
    ----------
    fine : ndarray of float32, shape (rows, columns)
        Heights in metres.
    spacing : float
        Metres between samples of `fine`.
    mesh : ndarray of float32, shape (mesh rows, mesh columns)
        Heights of the vertices in metres, with the same south-west corner; at least 2 × 2.
    cell_size : float
        Metres between vertices.
    faces : str
        A key of `FACES`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, below 0 where the mesh is too high.  ``mesh_heights(…) + residual(…)`` is `fine` up to rounding.

    Raises
    ------
    ValueError
        If the mesh is smaller than 2 × 2, or `faces` is none of the choices.
    """
    _check(mesh, faces)
    result = np.empty_like(fine)
    _less_mesh(fine, mesh, spacing / cell_size, faces == "triangles", result)
    return result


def residual_normals(fine: Field, spacing: float, mesh: Field, cell_size: float) -> npt.NDArray[np.float32]:
    """Return the normals of a fine surface as seen from the smooth surface of a coarser mesh.

    Parameters
    ----------
    fine : ndarray of float32, shape (rows, columns)
        Heights in metres.
    spacing : float
        Metres between samples of `fine`.
    mesh : ndarray of float32, shape (mesh rows, mesh columns)
        Heights of the vertices in metres, with the same south-west corner; at least 2 × 2.
    cell_size : float
        Metres between vertices.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        Unit vectors in the tangent space of the mesh: along its surface to the east, along it to the north, and along
        its normal, which is interpolated between vertices.

    Raises
    ------
    ValueError
        If the mesh is smaller than 2 × 2.
    """
    _check(mesh, "bilinear")
    normals = np.empty((*fine.shape, 3), np.float32)
    _seen_from_mesh(fine, 1.0 / spacing, surface_normals(mesh, cell_size), spacing / cell_size, normals)
    return normals


def _check(mesh: Field, faces: str) -> None:
    """Refuse a mesh without faces, and unknown faces."""
    if mesh.ndim != 2 or min(mesh.shape) < 2:
        raise ValueError(f"a mesh of shape {mesh.shape} has no faces; it needs 2 × 2 vertices or more")
    if faces not in FACES:
        raise ValueError(f"faces = {faces!r} is none of: {', '.join(FACES)}")


@parallel_kernel
def _less_mesh(part: Part, fine: Array, mesh: Array, ratio: float, in_triangles: bool, result: Array) -> None:
    """Heights less those of the mesh; `ratio` is cells of the mesh between samples."""
    last_row, last_column = mesh.shape[0] - 2, mesh.shape[1] - 2
    for row in portion(part, fine.shape[0]):
        y = row * ratio
        r = min(int(y), last_row)
        v = y - r
        for column in range(fine.shape[1]):
            x = column * ratio
            c = min(int(x), last_column)
            u = x - c
            sw, se = float(mesh[r, c]), float(mesh[r, c + 1])
            nw, ne = float(mesh[r + 1, c]), float(mesh[r + 1, c + 1])
            if not in_triangles:
                height = (1.0 - v) * ((1.0 - u) * sw + u * se) + v * ((1.0 - u) * nw + u * ne)
            else:
                height = height_in_cell(sw, se, ne, nw, u, v, is_turned(mesh, r, c))
            result[row, column] = fine[row, column] - height


@parallel_kernel
def _seen_from_mesh(
    part: Part, fine: Array, per_sample: float, mesh_normals: Array, ratio: float, normals: Array
) -> None:
    """Write the normals of the fine surface in the tangent space of the mesh; `ratio` as for `_less_mesh`."""
    last_row, last_column = mesh_normals.shape[0] - 2, mesh_normals.shape[1] - 2
    for row in portion(part, fine.shape[0]):
        r = min(int(row * ratio), last_row)
        v = min(row * ratio - r, 1.0)
        for column in range(fine.shape[1]):
            c = min(int(column * ratio), last_column)
            u = min(column * ratio - c, 1.0)
            east, north, up = 0.0, 0.0, 0.0
            for i in range(2):
                for j in range(2):
                    weight = (v if i else 1.0 - v) * (u if j else 1.0 - u)
                    east += weight * mesh_normals[r + i, c + j, 0]
                    north += weight * mesh_normals[r + i, c + j, 1]
                    up += weight * mesh_normals[r + i, c + j, 2]
            length = math.sqrt(east * east + north * north + up * up)
            east, north, up = east / length, north / length, up / length
            # Tangent (1, 0, −east/up) to the east, bitangent normal × tangent.
            slant = math.sqrt(up * up + east * east)
            rise_east, rise_north = horn_gradient(fine, row, column, per_sample)
            steep = 1.0 / math.sqrt(1.0 + rise_east * rise_east + rise_north * rise_north)
            x, y, z = -rise_east * steep, -rise_north * steep, steep
            normals[row, column, 0] = (x * up - z * east) / slant
            normals[row, column, 1] = (-x * north * east + y * slant * slant - z * north * up) / slant
            normals[row, column, 2] = x * east + y * north + z * up
