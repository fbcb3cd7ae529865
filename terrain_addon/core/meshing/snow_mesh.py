"""Snow as a surface of its own, which lies on the land as high as the snow is deep."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.sampling import vertex_positions
from ..foundation.terrain import Field, Terrain
from .cell_diagonals import cell_triangles, turned_cells

# Metres of snow below which there is no surface, only ground with some white on it.
_THIN = 0.03
# Metres by which the edge of the surface dips into the ground, so that no rim stands up.
_DIP = 0.15
# Metres from the middle of a river: nearer than the first no snow lies, beyond the second it lies as elsewhere.
_BANKS = (1.5, 9.0)


@dataclass(frozen=True)
class SnowMesh:
    """The surface of the snow.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        x (east), y (north) and z in metres; at edges a little below the ground.
    triangles : ndarray of int32, shape (triangles, 3)
        Vertices counter-clockwise as seen from above.
    depth : ndarray of float32, shape (vertices,)
        How deep the snow is, in metres.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    depth: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.triangles)


NO_SNOW = SnowMesh(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32), np.empty(0, np.float32))
"""The surface of a land without snow."""


def drawn_snow_depth(snow_depth: Field) -> Field:
    """Return how deep snow is drawn: each sample shares with its neighbours, so that edges do not follow cells.

    Avalanches leave metres of snow beside bare ground.  Between the two samples nearly all of the cell would be white.

    Parameters
    ----------
    snow_depth : ndarray of float32, shape (rows, columns)
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; means over 3 × 3 samples, in which nearer ones count more.

    Examples
    --------
    >>> drawn_snow_depth(np.array([[0, 0, 4, 4, 4]] * 2, np.float32))[0].tolist()
    [0.0, 1.0, 3.0, 4.0, 4.0]
    """
    depth = np.pad(snow_depth, 1, mode="edge")
    depth = np.float32(0.25) * (depth[:-2] + depth[2:]) + np.float32(0.5) * depth[1:-1]
    return np.float32(0.25) * (depth[:, :-2] + depth[:, 2:]) + np.float32(0.5) * depth[:, 1:-1]


def make_snow_mesh(
    terrain: Terrain, snow_depth: Field, water_distance: Field, ice_thickness: Field | None = None
) -> SnowMesh:
    """Return the surface of the snow on a land, where there is any.

    Parameters
    ----------
    terrain : Terrain
        The land, at least 2 × 2.
    snow_depth : ndarray of float32, shape (rows, columns)
        Metres.
    water_distance : ndarray of float32, shape (rows, columns)
        Metres to the nearest water: it stays open.
    ice_thickness : ndarray of float32, shape (rows, columns), optional
        Metres of ice between the ground and the snow.

    Returns
    -------
    SnowMesh
        Its faces are halved as those of the land, so that no ground looks through.

    Examples
    --------
    >>> depth = np.array([[0, 0, 0, 1.5]] * 3, np.float32)
    >>> snow = make_snow_mesh(Terrain(0 * depth, 0 * depth, 10.0), depth, np.full((3, 4), 99.0, np.float32))
    >>> len(snow), snow.positions[:, 2].astype(float).round(2).tolist()
    (4, [-0.15, 1.5, -0.15, 1.5, -0.15, 1.5])
    """
    near, far = _BANKS
    share = np.clip((water_distance - np.float32(near)) * np.float32(1.0 / (far - near)), 0.0, 1.0)
    depth = snow_depth * share
    lies = depth >= _THIN
    faces = (lies[:-1, :-1] | lies[:-1, 1:]) | (lies[1:, :-1] | lies[1:, 1:])
    if not faces.any():
        return NO_SNOW
    used = np.zeros(depth.shape, bool)
    for corner in (used[:-1, :-1], used[:-1, 1:], used[1:, :-1], used[1:, 1:]):
        corner |= faces
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    triangles = number[cell_triangles(turned_cells(terrain.surface), faces)]
    surface = terrain.surface if ice_thickness is None else terrain.surface + ice_thickness
    places = np.flatnonzero(used)
    positions = vertex_positions(surface, terrain.cell_size).reshape(-1, 3)[places]
    deep = depth.ravel()[places]
    positions[:, 2] += np.where(deep >= _THIN, deep, np.float32(-_DIP))
    return SnowMesh(positions, triangles, deep)
