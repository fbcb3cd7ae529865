"""Hoodoos: columns of weak rock that a piece of a hard bed still covers, where the wall of that bed has moved away.

A hard bed does not break off all at once.  Pieces of it stay behind and keep rain off the weak rock below them.  Each
stands on a column until the column is gone too, so columns are many near the wall and few far from it, and old ones
are lower.  A column is never higher than the ground was, and stands only where a hard bed was there to cover it.

Columns stand in the tiles of a grid, none or one in each.  Heightmaps have no overhangs, so a cap is no wider than its
column.

>>> before, after = np.full((9, 9), 12.0), np.full((9, 9), 1.0)
>>> profile = WallProfile(np.array([0.0, 1.0, 12.0, 13.0]), np.array([0.0, 48.0, 51.0, 99.0]), np.zeros(3, bool))
>>> beds = HardBeds(np.array([-2.0, 10.0]), np.array([0.0, 12.0]))
>>> columns = Columns(share=1.0, width=4.0, angle=80.0, seed=7)
>>> stand_hoodoos(before, after, 1.0, columns, beds, profile)
>>> print(float(after.max().round(1)), float(after.min()))
12.0 1.0

References
----------
J. Bruthans et al. (2014), "Sandstone landforms shaped by negative feedback between stress and erosion", Nature
Geoscience 7, 597-601, doi:10.1038/ngeo2209: why columns below a load last.
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.hashing import hash_place, unit_float
from .rock_walls import WallProfile, at_corners

# Distance between columns in widths, if none is missing.
_APART = 1.7
# The thinnest and the thickest column, in usual widths.
_THIN, _THICK = 0.5, 1.2
# How far outlines are sheared, which makes them long in one direction.
_SHEARED = 0.5
# The highest share of its height that a column has lost when it falls.
_LOST = 0.4
# Share of the height of a column down to its only ledge, width of the ledge and of the foot in radii of the column,
# and share of the height that is foot.
_CAP, _LEDGE, _FOOT, _FOOT_SHARE = 0.2, 0.2, 0.8, 0.25
# Columns on slopes reach below their feet, down to so many of their heights.
_BELOW = 2.0
# A column is higher than this many of its radii.
_SLENDER = 1.5
LEAST_CELLS = 3.0
"""Columns are at least so many cells wide; narrower ones could not be seen as such."""


class Columns(NamedTuple):
    """How columns stand.

    Parameters
    ----------
    share : float
        Share of the places near a wall that have a column, 0 to 1.
    width : float
        Metres across the top of a usual one, above 0.
    angle : float
        Degrees: the slope of their sides.
    seed : int
        Any 32 bits.
    """

    share: float
    width: float
    angle: float
    seed: np.uint32 | int


class HardBeds(NamedTuple):
    """All hard beds, from the lowest up.

    Parameters
    ----------
    bottoms, tops : ndarray of float64, shape (beds,)
        Metres above the level from which beds are counted.
    """

    bottoms: Array
    tops: Array


def stand_hoodoos(
    before: Array, after: Array, cell_size: float, columns: Columns, beds: HardBeds, profile: WallProfile
) -> None:
    """Raise a land from which walls have moved away, in place, to the columns that are left.

    Parameters
    ----------
    before, after : ndarray of float64, shape (rows, columns)
        Metres above the level from which beds are counted, before walls moved and after; `after` takes the result,
        which is nowhere above `before`.
    cell_size : float
        Metres.
    columns : Columns
        How many, and what shape.
    beds : HardBeds
        What covers them.
    profile : WallProfile
        From which follows how long ago the wall was where a column stands.
    """
    tile = _APART * columns.width
    rows, across = (math.ceil(count * cell_size / tile) + 2 for count in before.shape)
    standing = np.full((rows, across, 5), -np.inf)
    seed = np.uint32(columns.seed)
    _find(before, after, cell_size, tile, columns.share, columns.width, seed, beds, profile, standing)
    side = 1.0 / math.tan(math.radians(columns.angle))
    _raise(before, cell_size, side, seed, standing, after)


@kernel
def _find(
    before: Array,
    after: Array,
    cell_size: float,
    tile: float,
    share: float,
    width: float,
    seed: np.uint32,
    beds: HardBeds,
    profile: WallProfile,
    standing: Array,
) -> None:
    """Write x, y, radius, height of the top and of the foot of the column in each tile; where none is, −∞."""
    for i in range(standing.shape[0]):
        for j in range(standing.shape[1]):
            x = (j - 1 + _draw(i, j, seed, 0)) * tile
            y = (i - 1 + _draw(i, j, seed, 1)) * tile
            row, column = round(y / cell_size), round(x / cell_size)
            if not (0 <= row < before.shape[0] and 0 <= column < before.shape[1]):
                continue
            bed = np.searchsorted(beds.bottoms, before[row, column]) - 1
            foot = after[row, column]
            if bed < 1 or foot >= beds.bottoms[bed]:
                continue
            radius = 0.5 * width * (_THIN + (_THICK - _THIN) * _draw(i, j, seed, 2))
            # From 0 where the wall began to move to 1 where it is now.
            begun = at_corners(beds.tops[bed - 1], profile.heights, profile.ways)
            now = at_corners(beds.tops[bed], profile.heights, profile.ways)
            young = (at_corners(foot, profile.heights, profile.ways) - begun) / (now - begun)
            if _draw(i, j, seed, 3) >= share * min(max(young, 0.0), 1.0):
                continue
            top = min(before[row, column], beds.tops[bed])
            lost = _LOST * (1.0 - young) * _draw(i, j, seed, 4)
            top -= lost * (top - foot)
            if top - foot > _SLENDER * radius:
                standing[i, j, 0], standing[i, j, 1], standing[i, j, 2] = x, y, radius
                standing[i, j, 3], standing[i, j, 4] = top, foot


@kernel
def _raise(before: Array, cell_size: float, side: float, seed: np.uint32, standing: Array, after: Array) -> None:
    """Raise each place to the columns that reach it."""
    for i in range(standing.shape[0]):
        for j in range(standing.shape[1]):
            if standing[i, j, 2] > 0.0:
                shear = _SHEARED * (_draw(i, j, seed, 5) - 0.5)
                other = _SHEARED * (_draw(i, j, seed, 6) - 0.5)
                _raise_column(before, cell_size, side, standing[i, j], shear, other, after)


@kernel
def _raise_column(
    before: Array, cell_size: float, side: float, column_of_rock: Array, shear: float, other: float, after: Array
) -> None:
    """Raise the places around a column to it, but none above what it was."""
    rows, columns = after.shape
    x, y, radius, top, foot = column_of_rock
    far = 1.5 * (radius * (1.0 + _LEDGE + _FOOT) + _BELOW * (top - foot) * side)
    for row in range(max(int((y - far) / cell_size), 0), min(int((y + far) / cell_size) + 2, rows)):
        for column in range(max(int((x - far) / cell_size), 0), min(int((x + far) / cell_size) + 2, columns)):
            if before[row, column] > after[row, column]:
                east, north = column * cell_size - x, row * cell_size - y
                away = math.sqrt((east + shear * north) ** 2 + (north + other * east) ** 2)
                height = min(_side(away, side, radius, top, foot), before[row, column])
                after[row, column] = max(after[row, column], height)


@kernel
def _side(away: float, side: float, radius: float, top: float, foot: float) -> float:
    """Return the height of a column at a distance from its middle: top, cap, ledge, side, foot, and side again."""
    height = top - foot
    cap, ledge = _CAP * height, _LEDGE * radius
    straight = (1.0 - _CAP - _FOOT_SHARE) * height
    beyond = away - radius
    if beyond <= 0.0:
        return top
    if beyond <= cap * side:
        return top - beyond / side
    beyond -= cap * side
    if beyond <= ledge:
        return top - cap
    beyond -= ledge
    if beyond <= straight * side:
        return top - cap - beyond / side
    beyond -= straight * side
    spread = _FOOT * radius + _FOOT_SHARE * height * side
    if beyond <= spread:
        return foot + _FOOT_SHARE * height * (1.0 - beyond / spread)
    return foot - (beyond - spread) / side


@kernel
def _draw(i: int, j: int, seed: np.uint32, which: int) -> float:
    """Return one of the draws of a tile, 0 to 1."""
    return np.float64(unit_float(hash_place(i, j, np.uint32(seed + np.uint32(which)))))
