"""Water as triangles: sheets of sea and lakes at their level, and ribbons of rivers that lie in their beds."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..flow.rivers import DRAWN_REACH
from ..flow.water import Waters
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Terrain

SEA, LAKE, RIVER = 0, 1, 2
"""Kinds of water."""

# Height of a ribbon above the middle of its bed, as a share of its width, and at least and at most in metres.
_LIFT, _LEAST_LIFT, _MOST_LIFT = 0.08, 0.25, 2.0


@dataclass(frozen=True)
class WaterMesh:
    """Triangles that show the water of a land.

    Attributes
    ----------
    positions : ndarray of float32, shape (vertices, 3)
        x east and y north of the middle of the land, z altitude, in metres.
    triangles : ndarray of int32, shape (triangles, 3)
        Counter-clockwise seen from above.
    kind : ndarray of int32, shape (vertices,)
        SEA, LAKE or RIVER.
    depth : ndarray of float32, shape (vertices,)
        Metres down to the ground; below 0 where the edge of a sheet lies under the bank.
    flow : ndarray of float32, shape (vertices, 2)
        For rivers, metres downstream of the source and metres from the middle, for waves that run; else x and y.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    depth: npt.NDArray[np.float32]
    flow: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.triangles)


def make_water_mesh(terrain: Terrain, waters: Waters) -> WaterMesh:
    """Return the water of a land as triangles; none where it is dry.

    A sheet of standing water covers every cell of the grid with a wet corner, so that it meets the ground where the two
    surfaces cross.  A river is a ribbon, as wide as the river, along its line; where it runs through a lake there is
    the lake only.

    Parameters
    ----------
    terrain : Terrain
        The land, at least 2 × 2.
    waters : Waters
        Its water.

    Returns
    -------
    WaterMesh

    Examples
    --------
    >>> from terrain_addon.core.flow.water import Water, find_water
    >>> valley = np.zeros((3, 3), np.float32)
    >>> valley[1, 1] = -5.0
    >>> land = Terrain(valley, np.zeros_like(valley), 10.0)
    >>> water = find_water(valley, 10.0, Water(rivers=False, lakes=False, sea=True, sea_level=-1.0))
    >>> len(make_water_mesh(land, water))
    8
    """
    sheet = _sheet(terrain, waters)
    ribbon = _ribbons(terrain, waters)
    return WaterMesh(
        np.concatenate((sheet.positions, ribbon.positions)),
        np.concatenate((sheet.triangles, ribbon.triangles + np.int32(len(sheet.positions)))),
        np.concatenate((sheet.kind, ribbon.kind)),
        np.concatenate((sheet.depth, ribbon.depth)),
        np.concatenate((sheet.flow, ribbon.flow)),
    )


def _sheet(terrain: Terrain, waters: Waters) -> WaterMesh:
    """The sheets of standing water."""
    surface = terrain.surface
    rows, columns = surface.shape
    level = np.empty_like(surface)
    _spread_level(waters.water_level, waters.water_depth, level)
    wet = waters.water_depth > 0.0
    cells = wet[:-1, :-1] | wet[:-1, 1:] | wet[1:, :-1] | wet[1:, 1:]
    row, column = np.nonzero(cells)
    south_west = (row * columns + column).astype(np.int32)
    corners = np.stack((south_west, south_west + 1, south_west + columns + 1, south_west + columns), axis=1)
    used = np.unique(corners)
    place = np.zeros(rows * columns, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    quads = place[corners]
    x = (used % columns - 0.5 * (columns - 1)) * terrain.cell_size
    y = (used // columns - 0.5 * (rows - 1)) * terrain.cell_size
    z = level.ravel()[used]
    is_sea = np.zeros(len(used), bool) if waters.sea_level is None else z <= np.float32(waters.sea_level)
    return WaterMesh(
        np.column_stack((x, y, z)).astype(np.float32),
        np.concatenate((quads[:, [0, 1, 2]], quads[:, [0, 2, 3]])).reshape(-1, 3),
        np.where(is_sea, SEA, LAKE).astype(np.int32),
        z - surface.ravel()[used],
        np.column_stack((x, y)).astype(np.float32),
    )


@parallel_kernel
def _spread_level(part: Part, water_level: Array, water_depth: Array, level: Array) -> None:
    """The level of the water; on dry ground, the highest of the water beside it."""
    rows, columns = level.shape
    for row in portion(part, rows):
        for column in range(columns):
            height = water_level[row, column]
            if water_depth[row, column] <= np.float32(0.0):
                height = np.float32(-np.inf)
                for r in range(max(row - 1, 0), min(row + 2, rows)):
                    for c in range(max(column - 1, 0), min(column + 2, columns)):
                        if water_depth[r, c] > np.float32(0.0):
                            height = max(height, water_level[r, c])
            level[row, column] = height


def _ribbons(terrain: Terrain, waters: Waters) -> WaterMesh:
    """The ribbons of rivers."""
    rivers = waters.rivers
    count = len(rivers.points)
    positions = np.empty((count, 2, 3), np.float32)
    flow = np.empty((count, 2, 2), np.float32)
    middle = np.array(
        [0.5 * (terrain.surface.shape[1] - 1), 0.5 * (terrain.surface.shape[0] - 1)], np.float32
    ) * np.float32(terrain.cell_size)
    _widen(rivers.points, rivers.first, rivers.width, middle, positions, flow)
    standing = waters.water_depth.ravel()[rivers.cell] > 0.0
    starts = np.ones(count, bool)
    starts[rivers.first[1:] - 1] = False  # the last point of a river has none after it
    here = np.nonzero(starts[:-1] & ~(standing[:-1] & standing[1:]))[0].astype(np.int32)
    # Right and left bank of a point are the vertices 2 i and 2 i + 1.
    right, left = 2 * here, 2 * here + 1
    triangles = np.concatenate((np.stack((right, right + 2, left), 1), np.stack((left, right + 2, left + 2), 1)))
    ground = terrain.surface.ravel()[rivers.cell]
    return WaterMesh(
        positions.reshape(-1, 3),
        triangles.astype(np.int32).reshape(-1, 3),
        np.full(2 * count, RIVER, np.int32),
        np.repeat(rivers.points[:, 2] - ground, 2),
        flow.reshape(-1, 2),
    )


@kernel
def _widen(points: Array, first: Array, width: Array, middle: Array, positions: Array, flow: Array) -> None:
    """Right and left bank for each point of each river, square to the line there."""
    for river in range(first.size - 1):
        along = np.float32(0.0)
        for i in range(first[river], first[river + 1]):
            before, after = max(i - 1, first[river]), min(i + 1, first[river + 1] - 1)
            east, north = points[after, 0] - points[before, 0], points[after, 1] - points[before, 1]
            length = max(np.float32(np.sqrt(east * east + north * north)), np.float32(1e-6))
            lift = min(max(np.float32(_LIFT) * width[i], np.float32(_LEAST_LIFT)), np.float32(_MOST_LIFT))
            reach = np.float32(0.5) * width[i] * np.float32(DRAWN_REACH) / length
            if i > first[river]:
                dx, dy = points[i, 0] - points[i - 1, 0], points[i, 1] - points[i - 1, 1]
                along += np.float32(np.sqrt(dx * dx + dy * dy))
            for side in range(2):
                sign = np.float32(1.0 - 2.0 * side)
                positions[i, side, 0] = points[i, 0] + sign * reach * north - middle[0]
                positions[i, side, 1] = points[i, 1] - sign * reach * east - middle[1]
                positions[i, side, 2] = points[i, 2] + lift
                flow[i, side, 0] = along
                flow[i, side, 1] = sign * np.float32(0.5) * width[i]
