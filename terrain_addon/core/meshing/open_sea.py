"""The sea beyond the border of a land, to the horizon."""

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Terrain
from .water_mesh import SEA, WaterMesh, joined

_REACH = 5.0  # how far out it ends: times the distance of the border from the middle
_LEAST_SHARE = 0.25  # of one side of the land that must lie under the sea, so that the sea goes on there
_OPEN_DEPTH = 1000.0  # metres


def with_open_sea(water: WaterMesh, terrain: Terrain, sea_level: float | None) -> WaterMesh:
    """Add the open sea to the water of a land, on each side where the sea reaches the border.

    Parameters
    ----------
    water : WaterMesh
        Of the land.
    terrain : Terrain
        The land, at least 2 × 2.
    sea_level : float or None
        Metres; None if there is no sea.

    Returns
    -------
    WaterMesh
        The same mesh if nowhere a quarter of a side lies under the sea.

    Examples
    --------
    >>> from terrain_addon.core.flow.water import Water, find_water
    >>> from terrain_addon.core.meshing.water_mesh import make_water_mesh
    >>> coast = np.tile(np.array([-9.0, 20.0, 30.0], np.float32), (3, 1))
    >>> land = Terrain(coast, np.zeros_like(coast), 10.0)
    >>> sheet = make_water_mesh(land, find_water(coast, 10.0, Water(sea=True, rivers=False)))
    >>> x = with_open_sea(sheet, land, 0.0).positions[:, 0]
    >>> print(x.min(), x.max())
    -50.0 50.0
    """
    if sea_level is None:
        return water
    surface = terrain.surface
    numbers = np.arange(surface.size).reshape(surface.shape)
    # Each side from left to right for somebody who stands inside and looks out.
    sides = (numbers[0, ::-1], numbers[:, 0], numbers[-1], numbers[::-1, -1])
    under = [(surface.ravel()[side] < sea_level).mean() >= _LEAST_SHARE for side in sides]
    strips = [_strip(side, terrain, sea_level) for side, is_under in zip(sides, under) if is_under]
    return joined([water, *strips])


def _strip(side: npt.NDArray[np.intp], terrain: Terrain, sea_level: float) -> WaterMesh:
    """The sea outside one side: quads from each pair of neighbours on the border straight away from the middle."""
    surface, count = terrain.surface, len(side)
    rows, columns = surface.shape
    x = (side % columns - 0.5 * (columns - 1)) * terrain.cell_size
    y = (side // columns - 0.5 * (rows - 1)) * terrain.cell_size
    places = np.column_stack((x, y, np.full(count, sea_level)))
    positions = np.concatenate((places, places * (_REACH, _REACH, 1.0))).astype(np.float32)
    near, far = np.arange(count, dtype=np.int32), np.arange(count, 2 * count, dtype=np.int32)
    first = np.column_stack((near[:-1], near[1:], far[1:]))
    second = np.column_stack((near[:-1], far[1:], far[:-1]))
    depth = np.maximum(np.float32(sea_level) - surface.ravel()[side], np.float32(0.0))
    return WaterMesh(
        positions,
        np.concatenate((first, second)),
        np.full(2 * count, SEA, np.int32),
        np.concatenate((depth, np.full(count, _OPEN_DEPTH, np.float32))),
        np.ascontiguousarray(positions[:, :2]),
    )
