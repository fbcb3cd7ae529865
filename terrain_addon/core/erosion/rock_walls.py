"""Walls of layered rock: how far from a foot the ground reaches a height, over hard beds and weak ones.

Hard rock stands as walls, weak rock below and above it lies at the talus angle, and on top of every hard bed is a
bench.  A profile of that kind is the same everywhere but for the height of its foot, so it is one curve: the horizontal
`way` to a height.  Land that is nowhere steeper than the profile is land whose way grows by no more than a metre per
metre, and the highest such land below a given one is the solution of |∇way| = 1, the eikonal equation.

A grid can't show a wall in less than two cells: it would be a staircase that crosses from row to row.  So samples show
the mean height of the profile over the next two cells of way.

>>> beds = WallProfile(np.array([0.0, 1.0, 40.0, 100.0]), np.array([0.0, 200.0, 240.0, 250.0]), np.zeros(3, bool))
>>> land = np.full((1, 257), 100.0)
>>> land[0, 0] = 0.0
>>> cut_back(land, np.ones((1, 257), np.float32), 1.0, beds)
>>> print(land[0, [0, 100, 198, 220, 240, 250]].round(2))
[  0.     0.51   0.99  21.47  46.   100.  ]

References
----------
H. Zhao (2005), "A fast sweeping method for eikonal equations", Mathematics of Computation 74, 603-627,
doi:10.1090/S0025-5718-04-01678-3: the solver, Eqs. (2.3)-(2.4).
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field

_MOST_SWEEPS = 256
_EVENED = 2.0  # cells of way over which heights are means


class WallProfile(NamedTuple):
    """The way to each height, straight between corners.

    Parameters
    ----------
    heights : ndarray of float64, shape (corners,)
        Metres above the level from which beds are counted, rising.
    ways : ndarray of float64, shape (corners,)
        Metres, rising.
    is_uneven : ndarray of bool, shape (corners - 1,)
        Whether the way between two corners is shorter where rock is harder.
    """

    heights: Array
    ways: Array
    is_uneven: Array


def cut_back(height: Array, slowness: Field, cell_size: float, profile: WallProfile) -> None:
    """Lower a land, in place, to the highest one that is nowhere steeper than a profile, evened over two cells.

    What is evened lies above the profile and rises with the way, so water leaves it as before.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        Metres above the level from which beds are counted, within the heights of the profile.
    slowness : ndarray of float32, shape (rows, columns)
        Uneven ways of the profile are so many times shorter here, above 0.
    cell_size : float
        Metres.
    profile : WallProfile
        Heights and ways.
    """
    way = np.empty_like(height)
    _convert(height, profile.heights, profile.ways, way)
    for _ in range(_MOST_SWEEPS // 4):
        moved = False
        for direction in range(4):
            moved |= _sweep(way, slowness, cell_size, profile.ways, profile.is_uneven, direction)
        if not moved:
            break
    areas = np.zeros_like(profile.ways)
    np.cumsum(np.diff(profile.ways) * 0.5 * (profile.heights[1:] + profile.heights[:-1]), out=areas[1:])
    lower = np.empty_like(height)
    _mean_ahead(way, _EVENED * cell_size, profile.heights, profile.ways, areas, lower)
    # Ground that nothing lowers keeps its height to the last bit.
    np.minimum(height, lower, out=height)


@parallel_kernel
def _convert(part: Part, values: Array, given: Array, wanted: Array, converted: Array) -> None:
    """Write where each value lies on a curve through corners, both of whose lists rise."""
    for row in portion(part, values.shape[0]):
        for column in range(values.shape[1]):
            converted[row, column] = at_corners(values[row, column], given, wanted)


@parallel_kernel
def _mean_ahead(part: Part, way: Array, width: float, heights: Array, ways: Array, areas: Array, mean: Array) -> None:
    """Write the mean height of the profile from each way on, over a width."""
    for row in portion(part, way.shape[0]):
        for column in range(way.shape[1]):
            here = way[row, column]
            beyond = _area(here + width, heights, ways, areas)
            mean[row, column] = (beyond - _area(here, heights, ways, areas)) / width


@kernel
def _area(way: float, heights: Array, ways: Array, areas: Array) -> float:
    """Return the area below the profile from its first corner to a way."""
    low = _segment(ways, way)
    along = way - ways[low]
    slope = (heights[low + 1] - heights[low]) / (ways[low + 1] - ways[low])
    return float(areas[low] + along * (heights[low] + 0.5 * slope * along))


@kernel
def at_corners(value: float, given: Array, wanted: Array) -> float:
    """Return where a value lies on a curve through corners.

    Parameters
    ----------
    value : float
        Between the first and the last of `given`; beyond them the curve goes on straight.
    given, wanted : ndarray of float64, shape (corners,)
        Both rise.

    Returns
    -------
    float
    """
    low = _segment(given, value)
    share = (value - given[low]) / (given[low + 1] - given[low])
    return float(wanted[low] + share * (wanted[low + 1] - wanted[low]))


@kernel
def _segment(corners: Array, value: float) -> int:
    """Return the number of the last corner, but one, that is not above a value."""
    low, high = 0, corners.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if corners[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@kernel
def _sweep(way: Array, slowness: Array, cell_size: float, ways: Array, is_uneven: Array, direction: int) -> bool:
    """Lower ways to what Eq. (2.4) of Zhao (2005) allows, from one of the four corners on; return whether any moved."""
    rows, columns = way.shape
    moved = False
    for i in range(rows):
        row = i if direction < 2 else rows - 1 - i
        for j in range(columns):
            column = j if direction % 2 == 0 else columns - 1 - j
            beside = math.inf
            if column > 0:
                beside = way[row, column - 1]
            if column < columns - 1:
                beside = min(beside, way[row, column + 1])
            along = math.inf
            if row > 0:
                along = way[row - 1, column]
            if row < rows - 1:
                along = min(along, way[row + 1, column])
            near = min(beside, along)
            if way[row, column] <= near:
                continue
            step = cell_size
            if is_uneven[_segment(ways, near)]:
                step *= slowness[row, column]
            apart = max(beside, along) - near
            if apart >= step:
                longest = near + step
            else:
                longest = 0.5 * ((beside + along) + math.sqrt(2.0 * step * step - apart * apart))
            if way[row, column] > longest:
                way[row, column] = longest
                moved = True
    return moved
