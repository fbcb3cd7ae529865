"""A border that keeps its heights while the land erodes, so that lands side by side share it.

It is a line of fixed heights, like those that are drawn: the land beside it goes over smoothly.  Rivers that leave the
land have it as their base level.
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.terrain import Field, Terrain
from .drawing import NOTHING_DRAWN, with_heights
from .forms import FixedHeights, Form, take_heights
from .lines import DrawnLine

# How far the land follows its border, as a share of its shorter side.
_WIDTH = 0.24
# Sunk land is raised by at most so many times what it lies below its border: not at all where a river leaves.
_OUTLETS = 1.3
_FEWEST = 5  # samples along a side of a land that can have a moat
_NONE = 1e-30  # a weight that counts for nothing


def border_form(terrain: Terrain) -> Form:
    """Return the border of a land as a line of fixed heights.

    Parameters
    ----------
    terrain : Terrain
        Before it erodes, with 2 × 2 samples or more.

    Returns
    -------
    Form
        Once around the land.
    """
    surface, cell_size = terrain.surface, terrain.cell_size
    cells = _around(surface.shape)
    row, column = np.divmod(np.append(cells, cells[0]), surface.shape[1])
    line = DrawnLine(column * cell_size, row * cell_size, surface[row, column].astype(np.float64))
    return Form(line, _width(terrain), 1.0)


def keep_border(terrain: Terrain, before: Field) -> Terrain:
    """Return a land whose border has the heights that it had.

    Parameters
    ----------
    terrain : Terrain
        After all processes.
    before : ndarray of float32, shape (rows, columns)
        Heights in metres before erosion.

    Returns
    -------
    Terrain
        The change falls to 1/e over 8 % of the shorter side.
    """
    cell_size = terrain.cell_size
    surface = _without_moat(terrain, before)
    cells = np.sort(_around(surface.shape))
    heights, same = before.ravel()[cells].astype(np.float64), np.ones(cells.size)
    fixed = FixedHeights(cells, heights, width=_width(terrain) * same, strength=same, level=same)
    no_rivers = NOTHING_DRAWN.courses(surface.shape, cell_size)
    return with_heights(terrain, take_heights(surface, fixed, no_rivers, cell_size, relief=0.0))


def _without_moat(terrain: Terrain, before: Field) -> Field:
    """The heights of a land, raised where it has sunk beside its border.

    Between the outlets of rivers water runs along the inside of a border that stays, and lowers the land there.  So it
    is raised again, but not where rivers leave.
    """
    surface = terrain.surface.astype(np.float64)
    if min(surface.shape) < _FEWEST:
        return terrain.surface
    rows, columns = (np.arange(size) for size in surface.shape)
    far = _width(terrain) / terrain.cell_size
    raised, weights = np.zeros((2, *surface.shape))
    for turns, distance in enumerate((rows, columns, rows[::-1], columns[::-1])):
        # Every side in its turn as the first row, seen without copying.
        land, first, moved, weight = (_turned(one, turns) for one in (surface, before, raised, weights))
        sunk = np.clip(np.minimum(first[1] - land[1], _OUTLETS * (first[0] - land[1])), 0.0, None)
        near = np.sort(distance)[1 : math.ceil(far) + 1]
        share = 1.0 / near.astype(np.float64)[:, np.newaxis] ** 4
        moved[1 : near.size + 1] += _widening(sunk, near - 1) * share
        weight[1 : near.size + 1] += share
    least = np.minimum(np.minimum(rows, rows[::-1])[:, np.newaxis], np.minimum(columns, columns[::-1]))
    t = np.maximum(1.0 - least / far, 0.0)
    return (surface + t * t * (3.0 - 2.0 * t) * raised / np.maximum(weights, _NONE)).astype(np.float32)


def _turned(field: npt.NDArray[np.floating], turns: int) -> npt.NDArray[np.floating]:
    """A view of a field with another side as its first row: south, west, north, east."""
    return (field, field.T, field[::-1], field.T[::-1])[turns]


def _widening(change: npt.NDArray[np.float64], distance: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """What a change along a line is so many cells away from it: its mean over as many cells to both sides.

    The result has a row for each distance.
    """
    sums = np.concatenate(([0.0], np.cumsum(change)))
    place = np.arange(change.size)
    begins = np.maximum(place - distance[:, np.newaxis], 0)
    ends = np.minimum(place + distance[:, np.newaxis] + 1, change.size)
    return (sums[ends] - sums[begins]) / (ends - begins)


def _around(shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """Flat indices of the cells of the border, each once, counter-clockwise from the south-west corner."""
    number = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape)
    return np.concatenate((number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]))


def _width(terrain: Terrain) -> float:
    """How far the land follows its border, in metres."""
    rows, columns = terrain.surface.shape
    return _WIDTH * (min(rows, columns) - 1) * terrain.cell_size
