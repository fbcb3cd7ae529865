"""Water as triangles: sheets of sea and lakes at their level, and ribbons of rivers that lie in their beds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.rivers import DRAWN_REACH
from ..flow.water import Waters
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain
from .cell_diagonals import cell_triangles, height_in_cell, is_turned, turned_cells

SEA, LAKE, RIVER = 0, 1, 2
"""Kinds of water."""

# Least and most height of the water above the middle of its bed, in metres.  Where cells are wide a bed is a notch, and
# low water in it would be a thread that ends and begins again.
_LEAST_LIFT, _MOST_LIFT = 0.25, 2.0

# A spring has a tenth of the width of its river, which is reached after so many widths.
_SPRING, _SPRING_REACH = 0.1, 5.0

# The edge of the water looks for its bank in so many steps, up to this share of its width further out.
_WIDENINGS, _MOST_WIDENING = 6, 0.5

_FALL_REACH = np.float32(40.0)  # metres up and down the river, over which its fall is measured


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
    fall : ndarray of float32, shape (vertices,)
        How many metres a river falls in each metre of its course, over 40 m up and down from here; else 0.
    """

    positions: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    kind: npt.NDArray[np.int32]
    depth: npt.NDArray[np.float32]
    flow: npt.NDArray[np.float32]
    fall: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.triangles)


def make_water_mesh(terrain: Terrain, waters: Waters) -> WaterMesh:
    """Return the water of a land as triangles; none where it is dry.

    A sheet of standing water covers every cell of the grid with a wet corner, so that it meets the ground where the two
    surfaces cross.  A river is a ribbon, as wide as the river, that lies on the land: its middle is above the ground
    and its edges are not.  Where it runs through a lake there is the lake only.

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
    return join_water([_sheet(terrain, waters), _ribbons(terrain, waters)])


def signed_water_depth(terrain: Terrain, waters: Waters) -> Field:
    """Return the depth of standing water, below 0 on dry ground beside it.

    So it is 0 where the water ends between a wet sample and a dry one.  A depth that is 0 on dry ground would reach 0
    only at the dry sample, which stands above the water.

    Parameters
    ----------
    terrain : Terrain
        The land.
    waters : Waters
        Its water.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; 0 on dry ground without water beside it.

    Examples
    --------
    >>> from terrain_addon.core.flow.water import Water, find_water
    >>> coast = np.tile(np.array([-9.0, 20.0, 30.0], np.float32), (3, 1))
    >>> sea = find_water(coast, 10.0, Water(sea=True, rivers=False))
    >>> signed_water_depth(Terrain(coast, np.zeros_like(coast), 10.0), sea)[0].tolist()
    [9.0, -20.0, 0.0]
    """
    surface, shown = terrain.surface, waters.shown_level
    level = np.empty_like(surface)
    _spread_level(shown, shown - waters.surface, level)
    return np.where(np.isfinite(level), level - surface, np.float32(0.0))


def join_water(parts: Sequence[WaterMesh]) -> WaterMesh:
    """Return several meshes of water as one.

    Parameters
    ----------
    parts : sequence of WaterMesh
        One or more.

    Returns
    -------
    WaterMesh
        The vertices and triangles of all, in this order.
    """
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    return WaterMesh(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.triangles + np.int32(start) for part, start in zip(parts, starts)]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.depth for part in parts]),
        np.concatenate([part.flow for part in parts]),
        np.concatenate([part.fall for part in parts]),
    )


def _sheet(terrain: Terrain, waters: Waters) -> WaterMesh:
    """The sheets of standing water."""
    surface = terrain.surface
    rows, columns = surface.shape
    shown = waters.shown_level
    level, depth = np.empty_like(surface), shown - waters.surface
    _spread_level(shown, depth, level)
    wet = depth > 0.0
    cells = wet[:-1, :-1] | wet[:-1, 1:] | wet[1:, :-1] | wet[1:, 1:]
    # Divided as the land, because the depth that the vertices carry is that of the land below.
    corners = cell_triangles(turned_cells(surface), cells)
    used = np.unique(corners)
    place = np.zeros(rows * columns, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    x = (used % columns - 0.5 * (columns - 1)) * terrain.cell_size
    y = (used // columns - 0.5 * (rows - 1)) * terrain.cell_size
    z = level.ravel()[used]
    is_sea = np.zeros(len(used), bool) if waters.sea_level is None else z <= np.float32(waters.sea_level)
    return WaterMesh(
        np.column_stack((x, y, z)).astype(np.float32),
        place[corners],
        np.where(is_sea, SEA, LAKE).astype(np.int32),
        z - surface.ravel()[used],
        np.column_stack((x, y)).astype(np.float32),
        np.zeros(len(used), np.float32),
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
    """The ribbons of rivers: right bank, middle and left bank at each point, and halfway to the next point."""
    rivers, surface = waters.rivers, terrain.surface
    standing = (waters.shown_level - waters.surface).ravel()[rivers.cell] > 0.0
    count = max(2 * len(rivers.points) - len(rivers), 0)
    positions, flow = np.empty((count, 3, 3), np.float32), np.empty((count, 3, 2), np.float32)
    ribbon = _Ribbon(positions, flow, np.empty((count, 3), np.float32), np.zeros(count, bool))
    _lay_ribbons(rivers.first, rivers.points, rivers.width, standing, surface, terrain.cell_size, ribbon)
    fall = np.empty(count, np.float32)
    _measure_fall(rivers.first, ribbon, fall)
    middle = np.array([0.5 * (side - 1) for side in surface.shape[::-1]], np.float32) * np.float32(terrain.cell_size)
    ribbon.positions[:, :, :2] -= middle
    here = np.flatnonzero(ribbon.goes_on).astype(np.int32)
    # Right bank, middle and left bank of place i are the vertices 3 i, 3 i + 1 and 3 i + 2.
    quads = [np.stack((3 * here + k, 3 * here + 3 + k, 3 * here + 4 + k, 3 * here + 1 + k), 1) for k in range(2)]
    triangles = [quad[:, corners] for quad in quads for corners in ([0, 1, 3], [3, 1, 2])]
    return WaterMesh(
        ribbon.positions.reshape(-1, 3),
        np.concatenate(triangles).astype(np.int32).reshape(-1, 3),
        np.full(3 * count, RIVER, np.int32),
        ribbon.depth.reshape(-1),
        ribbon.flow.reshape(-1, 2),
        np.repeat(fall, 3),
    )


class _Ribbon(NamedTuple):
    """The vertices of ribbons, three for each place, and whether the river goes on to the next place as a ribbon."""

    positions: Array
    flow: Array
    depth: Array
    goes_on: Array


@kernel
def _lay_ribbons(
    first: Array, points: Array, width: Array, standing: Array, surface: Array, cell_size: float, ribbon: _Ribbon
) -> None:
    """Lay each river into the land.

    The water stands as high as its lower bank, and between the least and the most lift above the ground in its middle.
    An edge that would hang over lower ground goes on to where the ground rises out of the water; where it does not
    do so nearby, the edge lies on the ground.  At its spring a river is narrow.
    """
    positions, flow, depth, goes_on = ribbon
    place = 0
    for river in range(first.size - 1):
        begin, last = first[river], first[river + 1] - 1
        along, level = 0.0, np.inf
        row, column = points[begin, 1] / cell_size, points[begin, 0] / cell_size
        inside = 0.6 < row < surface.shape[0] - 1.6 and 0.6 < column < surface.shape[1] - 1.6
        # Rivers from beyond the land and out of lakes are as wide as ever where they begin.
        is_spring = inside and not standing[begin]
        for step in range(2 * (last - begin) + 1):
            i = begin + step // 2
            j = i + step % 2
            wide = 0.5 * (float(width[i]) + float(width[j]))
            # The direction of the river: from the point before to the point after, or as far as the river is wide,
            # so that banks do not cross where its line swings a little.
            beyond = max(int(0.5 * wide / cell_size + 0.5) - 1, 0)
            before, after = max(i - 1 - beyond, begin), min(j + 1 + beyond, last)
            east = float(points[after, 0]) - float(points[before, 0])
            north = float(points[after, 1]) - float(points[before, 1])
            length = max(math.sqrt(east * east + north * north), 1e-6)
            # Halfway between two points, the curve through them and their neighbours (Catmull & Rom 1974).
            bow = 0.0625 * (step % 2)
            x = (0.5 + bow) * (float(points[i, 0]) + float(points[j, 0]))
            y = (0.5 + bow) * (float(points[i, 1]) + float(points[j, 1]))
            x -= bow * (float(points[max(i - 1, begin), 0]) + float(points[min(j + 1, last), 0]))
            y -= bow * (float(points[max(i - 1, begin), 1]) + float(points[min(j + 1, last), 1]))
            if step > 0:
                dx, dy = x - positions[place - 1, 1, 0], y - positions[place - 1, 1, 1]
                along += math.sqrt(dx * dx + dy * dy)
            if is_spring:
                wide *= min(_SPRING + along / (_SPRING_REACH * max(wide, 1e-6)), 1.0)
            to_right = 0.5 * DRAWN_REACH * wide / length
            lowest_bank = np.inf
            for k in range(3):
                side = (1.0 - k) * to_right
                positions[place, k, 0], positions[place, k, 1] = x + side * north, y - side * east
                ground = _drawn_height(surface, (x + side * north) / cell_size, (y - side * east) / cell_size)
                positions[place, k, 2] = ground
                flow[place, k, 0], flow[place, k, 1] = along, 0.5 * (1.0 - k) * wide
                if k != 1:
                    lowest_bank = min(lowest_bank, float(positions[place, k, 2]))
            bed = float(positions[place, 1, 2])
            level = min(max(min(lowest_bank, level), bed + _LEAST_LIFT), bed + _MOST_LIFT)
            if standing[i] or standing[j]:
                level = max(level, float(points[i, 2] if standing[i] else points[j, 2]))
            for k in range(3):
                ground = float(positions[place, k, 2])
                if k != 1 and ground < level:
                    ground = _reach_bank(surface, cell_size, positions[place, k], (x, y), level, _MOST_WIDENING * wide)
                positions[place, k, 2] = level if k == 1 else min(level, ground)
                depth[place, k] = level - ground
            goes_on[place] = j < last + step % 2 and not (standing[i] and standing[min(i + 1, last)])
            place += 1


@kernel
def _reach_bank(
    surface: Array, cell_size: float, edge: Array, middle: tuple[float, float], level: float, most: float
) -> float:
    """Move an edge of a river on to where the ground rises out of the water; return the height of the ground there.

    It stays where the ground does not do so within `most` metres.
    """
    east, north = float(edge[0]) - middle[0], float(edge[1]) - middle[1]
    length = max(math.sqrt(east * east + north * north), 1e-6)
    for step in range(1, _WIDENINGS + 1):
        away = step * most / (_WIDENINGS * length)
        x, y = float(edge[0]) + away * east, float(edge[1]) + away * north
        ground = _drawn_height(surface, x / cell_size, y / cell_size)
        if ground >= level:
            edge[0], edge[1] = x, y
            return ground
    return float(edge[2])


@kernel
def _measure_fall(first: Array, ribbon: _Ribbon, fall: Array) -> None:
    """Write how steeply each river falls at each of its places."""
    for river in range(first.size - 1):
        begin, last = 2 * first[river] - river, 2 * (first[river + 1] - 1) - river
        above, below = begin, begin
        for place in range(begin, last + 1):
            here = ribbon.flow[place, 1, 0]
            while ribbon.flow[above, 1, 0] < here - _FALL_REACH:
                above += 1
            while below < last and ribbon.flow[below + 1, 1, 0] <= here + _FALL_REACH:
                below += 1
            way = max(ribbon.flow[below, 1, 0] - ribbon.flow[above, 1, 0], np.float32(1e-3))
            fall[place] = max(ribbon.positions[above, 1, 2] - ribbon.positions[below, 1, 2], np.float32(0.0)) / way


@kernel
def _drawn_height(surface: Array, column: float, row: float) -> float:
    """Height of the ground as Blender draws it: two triangles a cell."""
    r = max(min(int(row), surface.shape[0] - 2), 0)
    c = max(min(int(column), surface.shape[1] - 2), 0)
    south_west, south_east = float(surface[r, c]), float(surface[r, c + 1])
    north_west, north_east = float(surface[r + 1, c]), float(surface[r + 1, c + 1])
    turned = is_turned(surface, r, c)
    return height_in_cell(south_west, south_east, north_east, north_west, column - c, row - r, turned)
