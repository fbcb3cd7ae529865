"""Drawn lakes: levels that are fixed within an outline."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .features import Lake
from .lines import DrawnLine, distances_within, inside, measure_nearness, smooth_line

# How far the banks stand above the water, in metres, and how wide they are, in cells.
_FREEBOARD, _BANK_CELLS = 0.3, 2.5
# Slope of the ground that rises from a shore, and of a dam that falls away from it, at most.
_STEEPEST_SHORE, _DAM_SLOPE = 0.7, 0.5


class FixedLake(NamedTuple):
    """A lake whose level is known.

    Parameters
    ----------
    outline : DrawnLine
        Closed.
    level : float
        Metres.
    depth : float
        Greatest depth in metres.
    width : float
        How wide the ground is that comes down or up to the shore, in metres.
    outlet : tuple of float
        x and y in metres of the place at which its water leaves.
    """

    outline: DrawnLine
    level: float
    depth: float
    width: float
    outlet: tuple[float, float]


def find_lake(lake: Lake, surface: Field, cell_size: float, spacing: float) -> FixedLake:
    """Return a drawn lake with its level: the lowest drawn height, or the lowest ground of its outline.

    Parameters
    ----------
    lake : Lake
        With three points or more.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the land before it erodes.
    cell_size : float
        Metres.
    spacing : float
        Between points of lines, in metres.

    Returns
    -------
    FixedLake
        Its water leaves where the ground of the outline is lowest, on the land.
    """
    outline = smooth_line(lake.points, spacing, closed=True)
    width, depth = ((count - 1) * cell_size for count in surface.shape[::-1])
    x, y = np.clip(outline.x, 0.0, width), np.clip(outline.y, 0.0, depth)
    ground = sample(surface, cell_size, x, y)
    drawn = [point[2] for point in lake.points if len(point) > 2]
    inland = np.minimum(np.minimum(outline.x, width - outline.x), np.minimum(outline.y, depth - outline.y))
    if inland.min() < 0.0:
        # Beyond the border nothing is known of the ground, and on it no outlet could be cut.
        ground[inland < min(_BANK_CELLS * cell_size, float(inland.max()))] = np.inf
    lowest = int(ground.argmin())
    level = min(drawn) if drawn else float(ground[lowest])
    return FixedLake(outline, level, lake.depth, lake.width, (float(x[lowest]), float(y[lowest])))


def lake_cells(lakes: Sequence[FixedLake], shape: tuple[int, int], cell_size: float) -> Field:
    """Return the level of the lake that covers each cell.

    Parameters
    ----------
    lakes : sequence of FixedLake
        From `find_lake`.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; NaN where there is none, the lowest where several are.
    """
    level = np.full(shape, np.float32(np.nan))
    for lake in lakes:
        level = np.where(inside(lake.outline, shape, cell_size), np.fmin(level, np.float32(lake.level)), level)
    return level


class LakeExtent(NamedTuple):
    """What the ground of a lake is like as a whole: how far it lies below its level, and from its shore, in metres."""

    lack: float
    middle: float


def lake_extent(lake: FixedLake, surface: Field, cell_size: float, margin: float = 0.0) -> LakeExtent:
    """Return what the ground of a lake is like.

    Parameters
    ----------
    lake : FixedLake
        From `find_lake`.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the whole land.
    cell_size : float
        Metres.
    margin : float
        How far from its shore, in metres, the ground is not that of the lake alone, and does not count.

    Returns
    -------
    LakeExtent
    """
    wet = inside(lake.outline, surface.shape, cell_size)
    return _extent_of(lake, surface[wet], distances_within(wet, lake.outline, cell_size), cell_size, margin)


def _extent_of(lake: FixedLake, ground: Field, away: Field, cell_size: float, margin: float = 0.0) -> LakeExtent:
    """What the ground of a lake is like, from the heights of its cells and how far they are from its shore."""
    lack = float(np.max(lake.level - ground[away >= margin], initial=0.0))
    return LakeExtent(lack, max(float(np.max(away, initial=0.0)), cell_size))


def fill_lakes(
    surface: Field, lakes: Sequence[FixedLake], cell_size: float, extents: Sequence[LakeExtent] | None = None
) -> Field:
    """Return a land with a basin for each lake: a floor below its level, and banks above it all around.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    lakes : sequence of FixedLake
        From `find_lake`.
    cell_size : float
        Metres.
    extents : sequence of LakeExtent, optional
        From `lake_extent` for each lake of the whole land, if this is a window of it.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
    """
    covered = ~np.isnan(lake_cells(lakes, surface.shape, cell_size))
    result = surface.copy()
    for number, lake in enumerate(lakes):
        wet = inside(lake.outline, surface.shape, cell_size)
        deep = distances_within(wet, lake.outline, cell_size)
        lack, middle = _extent_of(lake, surface[wet], deep, cell_size) if extents is None else extents[number]
        reach = max(lake.width, (lack + _FREEBOARD) / _DAM_SLOPE) + _BANK_CELLS * cell_size
        away = measure_nearness(lake.outline, surface.shape, cell_size, reach).distance
        if deep.size:
            share = np.maximum(np.float32(1.0) - deep / np.float32(middle), np.float32(0.0))
            result[wet] = lake.level - _FREEBOARD - lake.depth * (np.float32(1.0) - share * share)
        bank = np.isfinite(away) & ~covered
        out = np.maximum(away[bank] - np.float32(_BANK_CELLS * cell_size), np.float32(0.0))
        lowest = np.float32(lake.level + _FREEBOARD) - np.float32(_DAM_SLOPE) * out
        fade = np.minimum(away[bank] / np.float32(lake.width), np.float32(1.0))
        highest = np.float32(lake.level + _FREEBOARD) + np.float32(_STEEPEST_SHORE) * away[bank]
        lowered = np.minimum(result[bank], highest)
        lowered += (result[bank] - lowered) * fade * fade
        result[bank] = np.maximum(lowered, lowest)
    return result
