"""Flow directions: which of its eight neighbours each cell drains to (D8, O'Callaghan & Mark 1984), also on flats.

A direction is the number of a neighbour, 0 to 7, counter-clockwise from the east.  `OUTLET` and `PIT` mark the cells
that have none.  One byte per cell keeps walks downstream fast, because the directions fit into the processor's cache.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.neighbours import Links, Mesh, direction_back, links_of, neighbour_of

OUTLET = np.uint8(8)
"""Direction of a cell where water leaves the land: on the border, or in the sea."""
PIT = np.uint8(9)
"""Direction of the bottom of a depression: no neighbour is lower, and no flat leads from it to lower ground."""
INVERSE_DIAGONAL = np.float32(1.0 / math.sqrt(2.0))
"""1 over the distance to a diagonal neighbour, in cells: turns a drop in height into a slope."""
# While directions are searched: a cell of a flat without a direction yet, and a flag on one that was just found.
_FLAT = np.uint8(10)
_FOUND = np.uint8(16)
# Straight neighbours come before diagonal ones, so that water on flats does not zigzag.
_STRAIGHT_FIRST = np.array([0, 2, 4, 6, 1, 3, 5, 7], np.int64)

BLOCK = 4096
"""Cells of a mesh that one thread takes at a time."""


def find_directions(surface: Array, sea_level: float, directions: Array, mesh: Mesh | None = None) -> None:
    """Write the D8 flow direction of each cell into `directions`.

    Water takes the steepest of the eight ways down.  On a flat it takes a shortest path to the edge from which it can
    flow on.  A flat without such an edge drains to one of its cells, which becomes a pit.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres, finite.
    sea_level : float
        Metres.  Cells at or below it are outlets; with minus infinity only the border is.
    directions : ndarray of uint8, shape (rows, columns)
        Result: 0 to 7, `OUTLET` or `PIT`.
    mesh : Mesh, optional
        The closed surface whose cells lie in the only row of `surface`; without it they are those of a plane grid.

    References
    ----------
    O'Callaghan, J. F., & Mark, D. M. (1984). The extraction of drainage networks from digital elevation data.
    Computer Vision, Graphics, and Image Processing, 28(3), 323–344. doi:10.1016/S0734-189X(84)80011-0
    """
    level = np.array(sea_level).astype(surface.dtype)[()]
    if mesh is None:
        flats = np.zeros(surface.shape[0], np.int32)
        _find_steepest_descent(surface, level, directions, flats)
    else:
        flats = np.zeros(-(-surface.size // BLOCK), np.int32)
        _find_steepest_links(surface.ravel(), level, mesh.links.cells, mesh.nearness, directions.ravel(), flats)
    if flats.any():
        flat_cells = np.flatnonzero(directions.ravel() == _FLAT).astype(np.int32)
        queue = np.empty(flat_cells.size, np.int32)
        links = links_of(surface.shape[1], mesh)
        _route_across_flats(surface.ravel(), directions.ravel(), flat_cells, queue, links, _STRAIGHT_FIRST)


@kernel
def _steeper(drop: float, steepest: float, here: np.int32, direction: np.int32) -> tuple[float, np.int32]:
    """Return the larger of two slopes and its direction; of equal slopes the one that was found first."""
    return (drop, here) if drop > steepest else (steepest, direction)


@parallel_kernel
def _find_steepest_descent(part: Part, surface: Array, sea_level: float, directions: Array, flats: Array) -> None:
    """Set the direction of steepest descent, or mark the cell; `flats` counts the cells of flats in each row."""
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
            # The largest of the eight slopes; 0 means a flat, below 0 a pit.
            steepest, way = height - level[column + 1], np.int32(0)
            steepest, way = _steeper(height - north[column], steepest, np.int32(2), way)
            steepest, way = _steeper(height - level[column - 1], steepest, np.int32(4), way)
            steepest, way = _steeper(height - south[column], steepest, np.int32(6), way)
            steepest, way = _steeper((height - north[column + 1]) * INVERSE_DIAGONAL, steepest, np.int32(1), way)
            steepest, way = _steeper((height - north[column - 1]) * INVERSE_DIAGONAL, steepest, np.int32(3), way)
            steepest, way = _steeper((height - south[column - 1]) * INVERSE_DIAGONAL, steepest, np.int32(5), way)
            steepest, way = _steeper((height - south[column + 1]) * INVERSE_DIAGONAL, steepest, np.int32(7), way)
            stuck = np.int32(_FLAT) if steepest == 0 else np.int32(PIT)
            way = way if steepest > 0 else stuck
            way = np.int32(OUTLET) if height <= sea_level else way
            flat += way == np.int32(_FLAT)
            target[column] = way
        flats[row] = flat


@parallel_kernel
def _find_steepest_links(
    part: Part, surface: Array, sea_level: float, cells: Array, nearness: Array, directions: Array, flats: Array
) -> None:
    """Do the same on a mesh; `flats` counts the cells of flats in each block."""
    for block in portion(part, flats.size):
        flat = 0
        for cell in range(block * BLOCK, min((block + 1) * BLOCK, surface.size)):
            height = surface[cell]
            if height <= sea_level:
                directions[cell] = OUTLET
                continue
            steepest, way = np.float32(-np.inf), np.int32(0)
            for k in _STRAIGHT_FIRST:
                there = cells[cell, k]
                if there != cell:
                    slope = np.float32(height - surface[there]) * nearness[cell, k]
                    steepest, way = _steeper(slope, steepest, np.int32(k), way)
            stuck = np.int32(_FLAT) if steepest == 0 else np.int32(PIT)
            way = way if steepest > 0 else stuck
            flat += way == np.int32(_FLAT)
            directions[cell] = way
        flats[block] = flat


@kernel
def _route_across_flats(
    heights: Array, directions: Array, flat_cells: Array, queue: Array, links: Links, order: Array
) -> None:
    """Lead each cell of a flat along a shortest path off it; if there is none, one cell of the flat becomes the pit."""
    count = 0
    for cell in flat_cells:
        for k in order:
            there = neighbour_of(cell, k, links.cells)
            if heights[there] == heights[cell] and directions[there] <= OUTLET:
                directions[cell] = k | _FOUND  # the flag hides it from the other cells of this loop
                queue[count] = cell
                count += 1
                break
    for i in range(count):
        directions[queue[i]] &= ~_FOUND
    n = 0
    while True:
        _spread_over_flats(heights, directions, queue, count, links, order)
        while n < flat_cells.size and directions[flat_cells[n]] != _FLAT:
            n += 1
        if n == flat_cells.size:
            break
        directions[flat_cells[n]] = PIT
        queue[0], count = flat_cells[n], 1


@kernel
def _spread_over_flats(heights: Array, directions: Array, queue: Array, count: int, links: Links, order: Array) -> None:
    """Search breadth first from the `count` cells in `queue`; of equal paths those with straight steps win."""
    begin, end = 0, count
    while begin < end:
        for half in range(2):
            for i in range(begin, end):
                cell = queue[i]
                for k in order[4 * half : 4 * half + 4]:
                    there = neighbour_of(cell, k, links.cells)
                    if directions[there] == _FLAT and heights[there] == heights[cell]:
                        directions[there] = direction_back(cell, k, links.back)
                        queue[count] = there
                        count += 1
        begin, end = end, count
