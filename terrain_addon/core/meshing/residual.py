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

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
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
    _less_mesh(heights, mesh, spacing / cell_size, 1.0 / cell_size, faces == "triangles", heights)
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
    _less_mesh(fine, mesh, spacing / cell_size, 1.0 / cell_size, faces == "triangles", result)
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


@kernel
def splits_north_west(south_west: float, south_east: float, north_east: float, north_west: float) -> bool:
    """Whether a square quad that begins at its south-west corner is split from south-east to north-west.

    Blender splits from the first corner to the third, here south-west to
    north-east, unless the two triangles would then lie on the same side of their common edge: the normals that it
    compares, d12 × d13 and d14 × d13, point the same way.

    Parameters
    ----------
    south_west, south_east, north_east, north_west : float
        Heights of the corners in units of the side of the quad.

    Returns
    -------
    bool

    Examples
    --------
    >>> splits_north_west(0.0, 0.0, 0.0, 0.0), splits_north_west(0.0, 4.0, 0.0, 8.0)
    (False, True)
    """
    east, diagonal, north = south_east - south_west, north_east - south_west, north_west - south_west
    # (1, 0, east) × (1, 1, diagonal) = (−east, east − diagonal, 1)
    # (0, 1, north) × (1, 1, diagonal) = (diagonal − north, north, −1)
    return -east * (diagonal - north) + (east - diagonal) * north - 1.0 > 0.0


@kernel
def _drawn_north_west(mesh: Array, row: int, column: int, per_cell: float) -> bool:
    """Whether Blender splits a cell of a land from south-east to north-west; `per_cell` in 1/m."""
    sw, se = mesh[row, column] * per_cell, mesh[row, column + 1] * per_cell
    nw, ne = mesh[row + 1, column] * per_cell, mesh[row + 1, column + 1] * per_cell
    if is_turned(mesh, row, column):
        # Its quad begins at the south-east corner: the same seen in a mirror.
        return not splits_north_west(se, sw, nw, ne)
    return splits_north_west(sw, se, ne, nw)


@parallel_kernel
def _less_mesh(
    part: Part, fine: Array, mesh: Array, ratio: float, per_cell: float, in_triangles: bool, result: Array
) -> None:
    """Heights less those of the mesh; `ratio` is cells of the mesh between samples, `per_cell` in 1/m."""
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
                height = height_in_cell(sw, se, ne, nw, u, v, _drawn_north_west(mesh, r, c, per_cell))
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
