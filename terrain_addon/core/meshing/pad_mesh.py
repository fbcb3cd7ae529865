"""The surface of a pad: a slab over its outline, with a wall around it that reaches into the ground.

>>> from ..direction.features import Pad
>>> square = Pad(points=((40.0, 40.0), (80.0, 40.0), (80.0, 80.0), (40.0, 80.0)))
>>> level = Terrain(np.full((17, 17), 5.0, np.float32), np.zeros((17, 17), np.float32), 10.0)
>>> slab = make_slab(built_ground(level), LaidPad(square, 5.0, 0.0, 0.0))
>>> len(slab.triangles), slab.top[0].tolist()
(2, [40.0, 40.0, 5.15])
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..direction.pads import LaidPad
from ..foundation.sampling import sample
from ..foundation.terrain import Field, Grid, Terrain
from .cell_diagonals import altitude_on_mesh, turned_cells

# Metres: how far the slab stands out of the level ground, and how far its wall reaches into the ground.
_ABOVE, _INTO_GROUND = 0.15, 0.5

_Vectors = npt.NDArray[np.float64]


class BuiltGround(NamedTuple):
    """The land on which roads and pads stand, which need not be in memory.

    Parameters
    ----------
    grid : Grid
        Its samples.
    heights : callable
        Returns heights in metres, float32, at places x east and y north of the south-west corner: two arrays of
        float64 in metres, within the land.
    shown : callable
        Returns heights of the triangles that show the land, in the same way.
    shown_cell : float
        Metres along the longer side of a cell of these triangles.
    """

    grid: Grid
    heights: Callable[[_Vectors, _Vectors], Field]
    shown: Callable[[_Vectors, _Vectors], Field]
    shown_cell: float


def built_ground(terrain: Terrain) -> BuiltGround:
    """Return a land in memory as the ground of roads and pads.

    Parameters
    ----------
    terrain : Terrain
        The land with its roads and pads, at least 2 × 2.

    Returns
    -------
    BuiltGround
        Shown as Blender shows it.
    """
    surface, cell_size = terrain.surface, terrain.cell_size

    def shown(x: _Vectors, y: _Vectors) -> Field:
        places = x.astype(np.float32), y.astype(np.float32)
        return altitude_on_mesh(surface, cell_size, *places, turned_cells(surface))

    return BuiltGround(terrain.grid, lambda x, y: sample(surface, cell_size, x, y), shown, cell_size)


class Slab(NamedTuple):
    """The surface of a pad.

    Parameters
    ----------
    top, foot : ndarray of float64, shape (points, 3)
        Its outline, counter-clockwise seen from above, and the lower end of its wall, in metres from the south-west
        corner.
    triangles : ndarray of int32, shape (points − 2, 3)
        Of the top.
    """

    top: _Vectors
    foot: _Vectors
    triangles: npt.NDArray[np.int32]


def make_slab(ground: BuiltGround, laid: LaidPad) -> Slab:
    """Return the surface of a pad.

    Parameters
    ----------
    ground : BuiltGround
        The land with the pad.
    laid : LaidPad
        The pad as it was laid.

    Returns
    -------
    Slab
        Within the border of the land.
    """
    corner = np.array([ground.grid.width, ground.grid.depth])
    outline = np.clip(np.array([point[:2] for point in laid.pad.points], np.float64), 0.0, corner)
    x, y = outline.T
    if float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) < 0.0:
        outline = outline[::-1]
    x, y = np.ascontiguousarray(outline.T)
    below = ground.heights(x, y).astype(np.float64)
    top = np.column_stack((outline, np.full(len(outline), laid.level + _ABOVE)))
    foot = np.column_stack((outline, np.minimum(below, laid.level) - _INTO_GROUND))
    return Slab(top, foot, triangles_of(outline))


def triangles_of(outline: _Vectors) -> npt.NDArray[np.int32]:
    """Return triangles that fill an outline, by cutting off ears.

    Parameters
    ----------
    outline : ndarray of float64, shape (points, 2)
        Counter-clockwise, 3 points or more; it does not cross itself.

    Returns
    -------
    ndarray of int32, shape (points − 2, 3)
        Numbers of points, counter-clockwise.
    """
    left, found, place = list(range(len(outline))), [], 0
    while len(left) > 3:
        for turn in range(len(left)):
            at = (place + turn) % len(left)
            corner = [left[at - 1], left[at], left[(at + 1) % len(left)]]
            if _is_ear(outline, corner, left):
                break
        # Where rounding leaves no ear, any corner is as good.
        found.append(corner)
        left.pop(at)
        place = at - 1 if at else 0
    return np.array([*found, left], np.int32)


def _is_ear(outline: _Vectors, corner: list[int], left: list[int]) -> bool:
    """Whether a corner points outwards and no other point lies within its triangle."""
    a, b, c = outline[corner]
    if _turn(a, b, c) <= 0.0:
        return False
    others = outline[left]
    within = (_turn(a, b, others) >= 0.0) & (_turn(b, c, others) >= 0.0) & (_turn(c, a, others) >= 0.0)
    return int(within.sum()) <= 3


def _turn(a: _Vectors, b: _Vectors, c: _Vectors) -> npt.NDArray[np.float64]:
    """Above 0 where c lies to the left of the way from a to b."""
    return np.asarray((b[0] - a[0]) * (c[..., 1] - a[1]) - (b[1] - a[1]) * (c[..., 0] - a[0]))
