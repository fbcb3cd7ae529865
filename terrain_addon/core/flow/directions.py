"""Which of its eight neighbours a cell drains to: the steepest descent (O'Callaghan & Mark 1984), also across flats.

A direction is the number of the neighbour, 0 to 7 counter-clockwise from the east, or says why there is none.  One byte
a cell is what makes walking downstream quick: all of it stays near the processor.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.neighbours import flat_steps

OUTLET = np.uint8(8)
"""Water leaves the land here: a border cell, or one in the sea."""
PIT = np.uint8(9)
"""All around is higher, or as high without a way down: the bottom of a depression."""
_FLAT = np.uint8(10)
_FOUND = np.uint8(16)
_DIAGONAL = np.float32(1.0 / math.sqrt(2.0))
# Neighbours beside before neighbours across, so that water on flats does not zigzag.
_BESIDE_FIRST = np.array([0, 2, 4, 6, 1, 3, 5, 7], np.int64)


def find_directions(surface: Array, sea_level: float, directions: Array) -> None:
    """Write the D8 direction of each cell into `directions`.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres, finite.
    sea_level : float
        Metres; cells at or below it are outlets.  Minus infinity: only the border is.
    directions : ndarray of uint8, shape (rows, columns)
        Result: 0 to 7, `OUTLET` or `PIT`.
    """
    level = np.array(sea_level).astype(surface.dtype)[()]
    flats = np.zeros(surface.shape[0], np.int32)
    _descend(surface, level, directions, flats)
    if flats.any():
        flat_cells = np.flatnonzero(directions.ravel() == _FLAT).astype(np.int32)
        queue = np.empty(flat_cells.size, np.int32)
        steps = flat_steps(surface.shape[1])
        _cross_flats(surface.ravel(), directions.ravel(), flat_cells, queue, steps, _BESIDE_FIRST)


@kernel
def _steeper(drop: float, steepest: float, here: np.int32, direction: np.int32) -> tuple[float, np.int32]:
    return (drop, here) if drop > steepest else (steepest, direction)


@parallel_kernel
def _descend(part: Part, surface: Array, sea_level: float, directions: Array, flats: Array) -> None:
    """Steepest descent where there is one; counts per row the cells that have none but an equal neighbour."""
    rows, columns = surface.shape
    for row in portion(part, rows):
        target = directions[row]
        target[0] = target[columns - 1] = OUTLET
        if row == 0 or row == rows - 1:
            target[:] = OUTLET
            continue
        south, level, north = surface[row - 1], surface[row], surface[row + 1]
        flat = 0
        for column in range(1, columns - 1):
            height = level[column]
            # Not steeper than a flat: a drop of zero is kept apart from none at all.
            steepest, way = height - level[column + 1], np.int32(0)
            steepest, way = _steeper(height - north[column], steepest, np.int32(2), way)
            steepest, way = _steeper(height - level[column - 1], steepest, np.int32(4), way)
            steepest, way = _steeper(height - south[column], steepest, np.int32(6), way)
            steepest, way = _steeper((height - north[column + 1]) * _DIAGONAL, steepest, np.int32(1), way)
            steepest, way = _steeper((height - north[column - 1]) * _DIAGONAL, steepest, np.int32(3), way)
            steepest, way = _steeper((height - south[column - 1]) * _DIAGONAL, steepest, np.int32(5), way)
            steepest, way = _steeper((height - south[column + 1]) * _DIAGONAL, steepest, np.int32(7), way)
            stuck = np.int32(_FLAT) if steepest == 0 else np.int32(PIT)
            way = way if steepest > 0 else stuck
            way = np.int32(OUTLET) if height <= sea_level else way
            flat += way == np.int32(_FLAT)
            target[column] = way
        flats[row] = flat


@kernel
def _cross_flats(
    heights: Array, directions: Array, flat_cells: Array, queue: Array, steps: Array, order: Array
) -> None:
    """Give each cell of a flat the first step of a shortest way off it; where there is none, one cell is the pit."""
    count = 0
    for cell in flat_cells:
        for k in order:
            there = cell + steps[k]
            if heights[there] == heights[cell] and directions[there] <= OUTLET:
                directions[cell] = k | _FOUND  # not yet a way off for the next cell of this loop
                queue[count] = cell
                count += 1
                break
    for i in range(count):
        directions[queue[i]] &= ~_FOUND
    n = 0
    while True:
        _spread_over_flats(heights, directions, queue, count, steps, order)
        while n < flat_cells.size and directions[flat_cells[n]] != _FLAT:
            n += 1
        if n == flat_cells.size:
            break
        directions[flat_cells[n]] = PIT
        queue[0], count = flat_cells[n], 1


@kernel
def _spread_over_flats(heights: Array, directions: Array, queue: Array, count: int, steps: Array, order: Array) -> None:
    """Breadth first from the `count` cells in `queue`; within one distance, cells beside come before cells across."""
    begin, end = 0, count
    while begin < end:
        for half in range(2):
            for i in range(begin, end):
                cell = queue[i]
                for k in order[4 * half : 4 * half + 4]:
                    there = cell + steps[k]
                    if directions[there] == _FLAT and heights[there] == heights[cell]:
                        directions[there] = (k + 4) & 7
                        queue[count] = there
                        count += 1
        begin, end = end, count
