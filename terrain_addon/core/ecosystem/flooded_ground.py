"""Where water keeps plants away: the sea, lakes, and rivers in the width in which they are drawn.

Maps have one value for each sample, but a shore or a bank lies between samples.  So each place of a plant is asked
for itself: how deep the water is over the ground there, and how far the next river line is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.rivers import DRAWN_REACH
from ..flow.water import Waters
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from .species import Species

# How much farther than a river is drawn its bed reaches, in metres: more than rounding to float32 moves a plant.
_ROUNDING = 0.01


class WaterCover(NamedTuple):
    """The water of a land in the form that kernels take.

    Attributes
    ----------
    level : ndarray of float32, shape (rows − 1, columns − 1), or (0, 0)
        Highest water level in metres at the corners of each square between samples; −∞ where all are dry.  Empty for
        a land without water.
    surface : ndarray of float32, shape (rows, columns)
        Heights of the ground in metres.
    first : ndarray of int32, shape (squares + 1,)
        Where the pieces of rivers near each square begin in `nearby`.
    nearby : ndarray of int32
        Numbers of pieces.
    pieces : ndarray of float32, shape (pieces, 5)
        From x, y to x, y in metres, and the distance in metres within which there is water.
    per_sample : float
        Samples per metre.
    shore : ndarray of bool, shape (rows − 1, columns − 1), or (0, 0)
        Whether a square has a wet corner or a river near it.
    """

    level: Array
    surface: Array
    first: Array
    nearby: Array
    pieces: Array
    per_sample: float
    shore: Array


class Wetness(NamedTuple):
    """Where water keeps one species away.

    Attributes
    ----------
    cover : WaterCover
        The water of the land.
    deepest : float
        Depth of standing water in metres that the species bears.
    """

    cover: WaterCover
    deepest: float


DRY = WaterCover(
    np.empty((0, 0), np.float32),
    np.empty((0, 0), np.float32),
    np.zeros(1, np.int32),
    np.empty(0, np.int32),
    np.empty((0, 5), np.float32),
    1.0,
    np.empty((0, 0), np.bool_),
)
"""The cover of a land without water."""


def cover_of(waters: Waters | None, surface: Field, cell_size: float) -> WaterCover:
    """Return the water of a land in the form that kernels take.

    Parameters
    ----------
    waters : Waters or None
        Sea, lakes and rivers of the land.
    surface : ndarray of float32, shape (rows, columns)
        Heights of the ground in metres.
    cell_size : float
        Metres.

    Returns
    -------
    WaterCover
    """
    if waters is None or min(surface.shape) < 2:
        return DRY
    shown = waters.shown_level
    wet = np.where(shown > waters.surface, shown, np.float32(-np.inf))
    level = np.maximum(np.maximum(wet[:-1, :-1], wet[:-1, 1:]), np.maximum(wet[1:, :-1], wet[1:, 1:]))
    rivers = waters.rivers
    goes_on = np.ones(len(rivers.points), np.bool_)
    goes_on[rivers.first[1:] - 1] = False  # the last point of a river has none after it
    start = np.flatnonzero(goes_on)
    wider = np.maximum(rivers.width[start], rivers.width[start + 1])
    reach = np.where(wider > 0.0, 0.5 * DRAWN_REACH * wider + _ROUNDING, 0.0)
    pieces = np.column_stack((rivers.points[start, :2], rivers.points[start + 1, :2], reach)).astype(np.float32)
    first = np.zeros(level.size + 1, np.int32)
    _list_pieces(pieces, 1.0 / cell_size, level.shape, first, np.empty(0, np.int32))
    nearby = np.empty(int(first[-1]), np.int32)
    if nearby.size:
        _list_pieces(pieces, 1.0 / cell_size, level.shape, first, nearby)
    shore = (level > -np.inf) | (np.diff(first).reshape(level.shape) > 0)
    return WaterCover(level, surface, first, nearby, pieces, 1.0 / cell_size, shore)


@kernel
def _list_pieces(pieces: Array, per_sample: float, shape: tuple[int, int], first: Array, nearby: Array) -> None:
    """List the pieces of rivers near each square; with an empty list only count them, so that `first` tells where."""
    rows, columns = shape
    listing = nearby.size > 0
    for p in range(pieces.shape[0]):
        reach = pieces[p, 4]
        if reach <= np.float32(0.0):
            continue
        west, east = min(pieces[p, 0], pieces[p, 2]) - reach, max(pieces[p, 0], pieces[p, 2]) + reach
        south, north = min(pieces[p, 1], pieces[p, 3]) - reach, max(pieces[p, 1], pieces[p, 3]) + reach
        from_row, to_row = int(max(south * per_sample, 0.0)), min(int(max(north * per_sample, 0.0)), rows - 1)
        from_column, to_column = int(max(west * per_sample, 0.0)), min(int(max(east * per_sample, 0.0)), columns - 1)
        for row in range(from_row, to_row + 1):
            for column in range(from_column, to_column + 1):
                square = row * columns + column
                if listing:
                    first[square] -= 1
                    nearby[first[square]] = p
                else:
                    first[square] += 1
    if not listing:
        # `first` holds where each square ends; listing moves that to its beginning.
        for square in range(1, first.size):
            first[square] += first[square - 1]


@kernel
def is_near_water(east: float, north: float, per_sample: float, shore: Array) -> bool:
    """Whether there is water in the square between samples in which a place lies; a quick question to ask first.

    Parameters
    ----------
    east, north : float
        The place in metres.
    per_sample : float
        Samples per metre.
    shore : ndarray of bool, shape (rows − 1, columns − 1), or (0, 0)
        From a WaterCover.

    Returns
    -------
    bool
    """
    if shore.size == 0:
        return False
    return shore[min(int(north * per_sample), shore.shape[0] - 1), min(int(east * per_sample), shore.shape[1] - 1)]


@kernel
def is_flooded(east: float, north: float, deepest: float, cover: WaterCover) -> bool:
    """Whether a place lies in a river, or under more standing water than a plant bears.

    Parameters
    ----------
    east, north : float
        The place in metres from the south-west corner of the land, on the land.
    deepest : float
        Depth in metres that the plant bears.
    cover : WaterCover
        The water.

    Returns
    -------
    bool
    """
    level, surface, first, nearby, pieces, per_sample, _ = cover
    if level.size == 0:
        return False
    column, row = east * per_sample, north * per_sample
    c, r = min(int(column), level.shape[1] - 1), min(int(row), level.shape[0] - 1)
    if level[r, c] > -np.inf:
        u, v = column - c, row - r
        corner = surface[r, c]
        # Between four samples the ground may be drawn as two triangles either way: the lower counts.
        twist = corner + surface[r + 1, c + 1] - surface[r, c + 1] - surface[r + 1, c]
        bend = max(u + v - 1.0, 0.0) if twist > np.float32(0.0) else min(u, v)
        ground = corner + u * (surface[r, c + 1] - corner) + v * (surface[r + 1, c] - corner) + bend * twist
        if level[r, c] - ground > deepest:
            return True
    square = r * level.shape[1] + c
    for k in range(first[square], first[square + 1]):
        p = nearby[k]
        along_x, along_y = pieces[p, 2] - pieces[p, 0], pieces[p, 3] - pieces[p, 1]
        off_x, off_y = east - pieces[p, 0], north - pieces[p, 1]
        length = along_x * along_x + along_y * along_y
        share = 0.0
        if length > np.float32(0.0):
            share = min(max((off_x * along_x + off_y * along_y) / length, 0.0), 1.0)
        off_x -= share * along_x
        off_y -= share * along_y
        if off_x * off_x + off_y * off_y < pieces[p, 4] * pieces[p, 4]:
            return True
    return False


def deepest_of(species: Sequence[Species]) -> npt.NDArray[np.float64]:
    """Return the depth of water that each species bears.

    Parameters
    ----------
    species : sequence of Species
        In the order in which plants count them.

    Returns
    -------
    ndarray of float64, shape (species,)
        Metres.
    """
    return np.array([one.deepest_water for one in species], np.float64)


def find_flooded(
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    kind: npt.NDArray[np.int32],
    species: Sequence[Species],
    cover: WaterCover,
) -> npt.NDArray[np.bool_]:
    """Return which plants stand in a river, or in deeper water than they bear.

    Parameters
    ----------
    x, y : ndarray of float32, shape (plants,)
        Places on the land in metres.
    kind : ndarray of int32, shape (plants,)
        Index into `species`.
    species : sequence of Species
        Whose `deepest_water` counts.
    cover : WaterCover
        The water.

    Returns
    -------
    ndarray of bool, shape (plants,)
    """
    flooded = np.zeros(x.size, np.bool_)
    if cover.level.size > 0:
        _find_flooded(x, y, kind, deepest_of(species), cover, flooded)
    return flooded


@parallel_kernel
def _find_flooded(
    part: Part, x: Array, y: Array, kind: Array, deepest: Array, cover: WaterCover, flooded: Array
) -> None:
    """Mark the plants that stand too deep."""
    for p in portion(part, x.size):
        flooded[p] = is_flooded(x[p], y[p], deepest[kind[p]], cover)


def find_flooded_samples(deepest: float, cover: WaterCover, shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """Return which samples of a land are too wet for a species.

    Parameters
    ----------
    deepest : float
        Depth in metres that the species bears.
    cover : WaterCover
        The water.
    shape : tuple of int
        Rows and columns of the land.

    Returns
    -------
    ndarray of bool, shape `shape`
    """
    flooded = np.zeros(shape, np.bool_)
    if cover.level.size > 0:
        _find_flooded_samples(deepest, cover, flooded)
    return flooded


@parallel_kernel
def _find_flooded_samples(part: Part, deepest: float, cover: WaterCover, flooded: Array) -> None:
    """Mark the samples that are too wet."""
    shore, per_sample = cover.shore, cover.per_sample
    for row in portion(part, flooded.shape[0]):
        for column in range(flooded.shape[1]):
            east, north = column / per_sample, row / per_sample
            # Asked first because most samples are dry, and handing on all of the cover takes longer than that.
            flooded[row, column] = is_near_water(east, north, per_sample, shore) and is_flooded(
                east, north, deepest, cover
            )


def clear_open_water(density: Field, deepest: float, cover: WaterCover) -> None:
    """Set density to 0 far from the shore, so that no plant is tried there.

    Parameters
    ----------
    density : ndarray of float32, shape (rows, columns)
        Is changed.  Samples beside dry ground keep what they have: between them and the ground lies the shore.
    deepest : float
        Depth in metres that the species bears.
    cover : WaterCover
        The water.
    """
    if cover.level.size == 0:
        return
    open_water = find_flooded_samples(deepest, cover, density.shape)
    for axis in range(2):
        across = np.moveaxis(open_water, axis, 0)
        before = across.copy()
        across[1:] &= before[:-1]
        across[:-1] &= before[1:]
    density[open_water] = 0.0
