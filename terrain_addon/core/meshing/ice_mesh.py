"""Glaciers as triangles: the surface of the ice, which meets the ground at its edge.

>>> ground, ice = np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32)
>>> ice[1, 1] = 30.0
>>> mesh = make_ice_mesh(Terrain(ground, ground, 10.0), IceSurface(ice, ice, ice, 100.0))
>>> len(mesh), float(mesh.positions[:, 2].max()), float(mesh.firn.max())
(6, 30.0, 0.0)
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.neighbours import largest_around
from ..foundation.terrain import Field, Terrain
from .cell_diagonals import cell_triangles, turned_cells

# Metres of altitude over which firn of last winter gives way to bare ice, half above the line and half below.
_FADES = 80.0


class IceSurface(NamedTuple):
    """What is known of the ice of a land.

    Attributes
    ----------
    thickness : ndarray of float32, shape (rows, columns)
        Metres, 0 where there is none.
    strain : ndarray of float32, shape (rows, columns)
        1 per year.
    debris : ndarray of float32, shape (rows, columns)
        Share that rock hides, 0 to 1.
    line : float
        Altitude in metres above which snow stays.
    """

    thickness: Field
    strain: Field
    debris: Field
    line: float


@dataclass(frozen=True)
class IceMesh:
    """Triangles that show the glaciers of a land.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        x east and y north of the middle of the land, z altitude, in metres.
    triangles : ndarray of int32, shape (triangles, 3)
        Counter-clockwise seen from above.
    firn, strain, debris : ndarray of float32, shape (vertices,)
        Share of firn, 0 to 1; strain rate, 1 per year; share that rock hides, 0 to 1.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    firn: npt.NDArray[np.float32]
    strain: npt.NDArray[np.float32]
    debris: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.triangles)


def make_ice_mesh(terrain: Terrain, ice: IceSurface) -> IceMesh:
    """Return the glaciers of a land as triangles; none where there is no ice.

    Every triangle of the land with ice at a corner is there.  At samples with ice it is as high above the ground as the
    ice is thick.  At those without, it goes on level under a rising bank, so that ice meets the ground in an even line,
    and lies on ground that falls.

    Parameters
    ----------
    terrain : Terrain
        The land, at least 2 × 2.
    ice : IceSurface
        Its ice; none on the border.

    Returns
    -------
    IceMesh
    """
    rows, columns = terrain.surface.shape
    icy = ice.thickness > 0.0
    cells = icy[:-1, :-1] | icy[:-1, 1:] | icy[1:, :-1] | icy[1:, 1:]
    triangles = cell_triangles(turned_cells(terrain.surface), cells)
    triangles = triangles[icy.ravel()[triangles].any(axis=1)]
    used, corners = np.unique(triangles, return_inverse=True)
    top = _top(terrain.surface, ice.thickness).ravel()[used]
    x = (used % columns - 0.5 * (columns - 1)) * terrain.cell_size
    y = (used // columns - 0.5 * (rows - 1)) * terrain.cell_size
    return IceMesh(
        np.column_stack((x, y, top)).astype(np.float32),
        corners.reshape(triangles.shape).astype(np.int32),
        np.clip((top - np.float32(ice.line)) / np.float32(_FADES) + np.float32(0.5), 0.0, 1.0).astype(np.float32),
        *(_beside(one, icy).ravel()[used] for one in (ice.strain, ice.debris)),
    )


def _top(ground: Field, thickness: Field) -> Field:
    """The height of the ice; beside it, of the highest ice around or of the ground, whichever is lower."""
    icy = thickness > 0.0
    height = ground + thickness
    return np.where(icy, height, np.minimum(ground, _beside(height, icy)))


def _beside(values: Field, icy: npt.NDArray[np.bool_]) -> Field:
    """Values of the ice, and beside it the largest of those around."""
    return np.where(icy, values, largest_around(np.where(icy, values, np.float32(-np.inf))))
