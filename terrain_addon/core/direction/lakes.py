"""Drawn lakes: levels that are fixed within an outline."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .checks import shared_place
from .features import Lake
from .lines import DrawnLine, distances_within, inside, lies_within, measure_from, measure_nearness, smooth_line

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
    body : int
        The same for lakes that overlap: they are one water, with one level and one outlet.
    """

    outline: DrawnLine
    level: float
    depth: float
    width: float
    outlet: tuple[float, float]
    body: int = 0


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
    drawn = [point[2] for point in lake.points if len(point) > 2]
    ground = _ground_along(outline, surface, cell_size)
    lowest = int(ground.argmin())
    level = min(drawn) if drawn else float(ground[lowest])
    return FixedLake(outline, level, lake.depth, lake.width, _place_on(outline, lowest, surface.shape, cell_size))


def _ground_along(outline: DrawnLine, surface: Field, cell_size: float) -> Field:
    """Heights of the ground along an outline, infinite where no outlet can be cut."""
    x, y = _on_land(outline, surface.shape, cell_size)
    ground = sample(surface, cell_size, x, y)
    width, depth = ((count - 1) * cell_size for count in surface.shape[::-1])
    inland = np.minimum(np.minimum(outline.x, width - outline.x), np.minimum(outline.y, depth - outline.y))
    if inland.min() < 0.0:
        # Beyond the border nothing is known of the ground, and on it no outlet could be cut.
        ground[inland < min(_BANK_CELLS * cell_size, float(inland.max()))] = np.inf
    return ground


def _on_land(outline: DrawnLine, shape: tuple[int, int], cell_size: float) -> tuple[Array, Array]:
    """The places of an outline, those beyond the border moved onto it."""
    width, depth = ((count - 1) * cell_size for count in shape[::-1])
    return np.clip(outline.x, 0.0, width), np.clip(outline.y, 0.0, depth)


def _place_on(outline: DrawnLine, point: int, shape: tuple[int, int], cell_size: float) -> tuple[float, float]:
    """The place of one point of an outline."""
    x, y = _on_land(outline, shape, cell_size)
    return float(x[point]), float(y[point])


def find_drawn_lakes(lakes: Sequence[Lake], surface: Field, cell_size: float, spacing: float) -> tuple[FixedLake, ...]:
    """Return all drawn lakes with their levels; those that overlap are one water at the lowest of their levels.

    Parameters
    ----------
    lakes : sequence of Lake
        Each with three points or more.
    surface, cell_size, spacing
        As for `find_lake`.

    Returns
    -------
    tuple of FixedLake
        As many, in the same order, which does not matter for them.
    """
    found = [find_lake(lake, surface, cell_size, spacing) for lake in lakes]
    body = list(range(len(found)))
    for one, other in combinations(range(len(found)), 2):
        if shared_place(found[one].outline, found[other].outline) is not None:
            body = [body[one] if number == body[other] else number for number in body]
    return tuple(
        _joined_lake(lake, [other for other, number in zip(found, body) if number == own], surface, cell_size, own)
        for lake, own in zip(found, body)
    )


def _joined_lake(
    lake: FixedLake, together: Sequence[FixedLake], surface: Field, cell_size: float, body: int
) -> FixedLake:
    """A lake with the level and outlet of the water that it is a part of."""
    if len(together) == 1:
        return lake._replace(body=body)
    outlets = []
    for one in together:
        ground = _ground_along(one.outline, surface, cell_size)
        for other in together:
            if other is not one:
                ground[lies_within(other.outline, one.outline.y / cell_size, one.outline.x / cell_size, cell_size)] = (
                    np.inf
                )
        lowest = int(ground.argmin())
        outlets.append((float(ground[lowest]), _place_on(one.outline, lowest, surface.shape, cell_size)))
    return lake._replace(level=min(one.level for one in together), outlet=min(outlets)[1], body=body)


def wet_places(lakes: Sequence[FixedLake], number: int, row: Array, column: Array, cell_size: float) -> Array:
    """Return which places are in the water of a lake.

    Parameters
    ----------
    lakes : sequence of FixedLake
        All drawn lakes.
    number : int
        Of the lake among them.
    row, column : ndarray of int or float64, shape (places,)
        Where the places are on the grid.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of bool, shape (places,)
        Those within the outline, without a strip beside a lower lake that is so close that the dam takes the strip.
    """
    wet = lies_within(lakes[number].outline, row, column, cell_size)
    wet[wet] = _is_off_dams(lakes, lakes[number], row[wet], column[wet], cell_size)
    return wet


def wet_cells(
    lakes: Sequence[FixedLake], number: int, shape: tuple[int, int], cell_size: float
) -> npt.NDArray[np.bool_]:
    """Return which cells are in the water of a lake, as `wet_places` does.

    Parameters
    ----------
    lakes : sequence of FixedLake
        All drawn lakes.
    number : int
        Of the lake among them.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of bool, shape (rows, columns)
    """
    wet = inside(lakes[number].outline, shape, cell_size)
    row, column = np.nonzero(wet)
    wet[row, column] = _is_off_dams(lakes, lakes[number], row, column, cell_size)
    return wet


def _is_off_dams(lakes: Sequence[FixedLake], lake: FixedLake, row: Array, column: Array, cell_size: float) -> Array:
    """Whether places of a lake are not in the strip that the dam beside a lower one takes."""
    is_off = np.ones(row.size, bool)
    for other in _lower_beside(lakes, lake, cell_size):
        is_off &= ~_is_near(other.outline, row, column, cell_size)
    return is_off


def bank_levels(lakes: Sequence[FixedLake], shape: tuple[int, int], cell_size: float) -> Field:
    """Return down to which height the ground beside drawn lakes may be cut without draining them.

    Parameters
    ----------
    lakes : sequence of FixedLake
        From `find_drawn_lakes`.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        The level of the highest lake to whose banks a cell belongs, in metres; minus infinity beyond banks.
    """
    least = np.full(shape, np.float32(-np.inf))
    for lake in lakes:
        near = measure_nearness(lake.outline, shape, cell_size, _BANK_CELLS * cell_size).distance < np.inf
        least[near] = np.maximum(least[near], np.float32(lake.level))
    return least


def is_bank(lakes: Sequence[FixedLake], number: int, row: Array, column: Array, cell_size: float) -> Array:
    """Return which places belong to the banks of a lake.

    Parameters
    ----------
    lakes, number, row, column, cell_size
        As for `wet_places`.

    Returns
    -------
    ndarray of bool, shape (places,)
        Also those in the water close to the shore.
    """
    near = np.zeros(row.size, bool)
    for lake in lakes:
        if lake.body == lakes[number].body:
            near |= _is_near(lake.outline, row, column, cell_size)
    return near


def _is_near(shore: DrawnLine, row: Array, column: Array, cell_size: float) -> Array:
    """Whether places lie so close to a shore that a dam needs them."""
    x, y = ((one * cell_size).astype(np.float32) for one in (column, row))
    return measure_from(x, y, shore, _BANK_CELLS * cell_size).place >= 0.0


def _lower_beside(lakes: Sequence[FixedLake], lake: FixedLake, cell_size: float) -> list[FixedLake]:
    """The lower lakes that are perhaps close to one."""
    reach = _BANK_CELLS * cell_size

    def may_touch(other: FixedLake) -> bool:
        pairs = ((lake.outline.x, other.outline.x), (lake.outline.y, other.outline.y))
        return all(one.min() - reach <= two.max() and two.min() - reach <= one.max() for one, two in pairs)

    return [other for other in lakes if other.level < lake.level and other.body != lake.body and may_touch(other)]


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
        Metres; NaN where there is none.
    """
    level = np.full(shape, np.float32(np.nan))
    for number, lake in enumerate(lakes):
        level[wet_cells(lakes, number, shape, cell_size)] = np.float32(lake.level)
    return level


def banks_of_lakes(lakes: Sequence[FixedLake], shape: tuple[int, int], cell_size: float) -> Field | None:
    """Return how high the ground stands over which water comes into the lake that covers each cell.

    Parameters
    ----------
    lakes, shape, cell_size
        As for `lake_cells`.

    Returns
    -------
    ndarray of float32, shape (rows, columns), or None
        Metres, NaN where there is no lake; None if none is drawn.
    """
    return lake_cells(lakes, shape, cell_size) + np.float32(_FREEBOARD) if lakes else None


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
    result = surface.copy()
    cells = [wet_cells(lakes, number, surface.shape, cell_size) for number in range(len(lakes))]
    covered = np.any(cells, axis=0) if cells else np.zeros(surface.shape, bool)
    floor, dam = np.full(surface.shape, np.float32(np.inf)), np.full(surface.shape, np.float32(-np.inf))
    for number, (lake, wet) in enumerate(zip(lakes, cells)):
        deep = distances_within(wet, lake.outline, cell_size)
        lack, middle = _extent_of(lake, surface[wet], deep, cell_size) if extents is None else extents[number]
        reach = max(lake.width, (lack + _FREEBOARD) / _DAM_SLOPE) + _BANK_CELLS * cell_size
        away = measure_nearness(lake.outline, surface.shape, cell_size, reach).distance
        if deep.size:
            share = np.maximum(np.float32(1.0) - deep / np.float32(middle), np.float32(0.0))
            below = lake.level - _FREEBOARD - lake.depth * (np.float32(1.0) - share * share)
            floor[wet] = np.minimum(floor[wet], below)
        bank = np.isfinite(away) & ~covered
        out = np.maximum(away[bank] - np.float32(_BANK_CELLS * cell_size), np.float32(0.0))
        dam[bank] = np.maximum(dam[bank], np.float32(lake.level + _FREEBOARD) - np.float32(_DAM_SLOPE) * out)
        fade = np.minimum(away[bank] / np.float32(lake.width), np.float32(1.0))
        highest = np.float32(lake.level + _FREEBOARD) + np.float32(_STEEPEST_SHORE) * away[bank]
        lowered = np.minimum(surface[bank], highest)
        lowered += (surface[bank] - lowered) * fade * fade
        result[bank] = np.minimum(result[bank], lowered)
    # Last, so that the shore of one lake does not take the dam of another.
    np.maximum(result, dam, out=result)
    return np.where(covered, floor, result)
