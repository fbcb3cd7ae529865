"""The sea beyond the border of a land, to the horizon."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field, Terrain
from .water_mesh import SEA, WaterMesh, join_water

_REACH = 25.0  # how far out it ends: times the distance of the border from the middle
_OPEN_DEPTH = 11000.0  # metres, as the deepest sea: close to the border already no ground is seen
# Shares of half a land's extent from the border: where its shallows begin to sink from sight, and where they are gone.
_SINKS, _GONE = 0.60, 0.05
_MUCH_DEEPER = 200.0  # metres deeper than it is, the sea shows its ground nowhere
_SHORE = 1.5  # metres: water that is this deep sinks fully
LEAST_SEA = 0.25
"""Share of one side of the land that must lie under the sea, so that the sea goes on there."""


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
        Its `depth` is that which is drawn, greater than the true one towards the open sea.  The same mesh if nowhere a
        quarter of a side lies under the sea.

    Examples
    --------
    >>> from terrain_addon.core.flow.water import Water, find_water
    >>> from terrain_addon.core.meshing.water_mesh import make_water_mesh
    >>> coast = np.tile(np.array([-9.0, 20.0, 30.0], np.float32), (3, 1))
    >>> land = Terrain(coast, np.zeros_like(coast), 10.0)
    >>> sheet = make_water_mesh(land, find_water(coast, 10.0, Water(sea=True, rivers=False)))
    >>> x = with_open_sea(sheet, land, 0.0).positions[:, 0]
    >>> print(x.min(), x.max())
    -250.0 250.0
    """
    if sea_level is None:
        return water
    numbers = np.arange(terrain.surface.size).reshape(terrain.surface.shape)
    is_open = sea_along_sides(terrain.surface, sea_level) >= LEAST_SEA
    if not is_open.any():
        return water
    strips = [_strip(side, terrain, sea_level) for side, sea in zip(_sides(numbers), is_open) if sea]
    return _sinking(join_water([water, *strips]), terrain, is_open)


def sea_along_sides(surface: Field, sea_level: float) -> npt.NDArray[np.float64]:
    """Return which share of each side of a land lies under the sea.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres, row 0 in the south.
    sea_level : float
        Metres.

    Returns
    -------
    ndarray of float64, shape (4,)
        Of the south, west, north and east side, 0 to 1.
    """
    return np.array([(side < sea_level).mean() for side in _sides(surface)])


def _sides(samples: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    """The samples on the south, west, north and east side, from left to right for somebody who looks out there."""
    return [samples[0, ::-1], samples[:, 0], samples[-1], samples[::-1, -1]]


def _sinking(water: WaterMesh, terrain: Terrain, is_open: npt.NDArray[np.bool_]) -> WaterMesh:
    """The water of a land, whose sea looks deeper towards the border: shallows would end in a straight line there.

    Its shore stays where it is.
    """
    half = np.float32(0.5 * terrain.cell_size) * (np.array(terrain.surface.shape[::-1], np.float32) - np.float32(1.0))
    place = water.positions[:, :2] / half
    # From the south, west, north and east side, as shares of half the extent; corners are round.
    away = np.stack((1.0 + place[:, 1], 1.0 + place[:, 0], 1.0 - place[:, 1], 1.0 - place[:, 0]))[is_open]
    nearness = np.float32(1.0) / np.maximum(away, np.float32(1e-3))
    distance = np.float32(1.0) / np.sqrt(np.sqrt(np.sum(np.square(np.square(nearness)), axis=0, dtype=np.float32)))
    share = np.clip((np.float32(_SINKS) - distance) / np.float32(_SINKS - _GONE), 0.0, 1.0)
    off_shore = np.clip(water.depth / np.float32(_SHORE), 0.0, 1.0) * (water.kind == SEA)
    return replace(water, depth=water.depth + np.float32(_MUCH_DEEPER) * share * share * off_shore.astype(np.float32))


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
        np.zeros(2 * count, np.float32),
    )
