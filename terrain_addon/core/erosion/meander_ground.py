"""The ground that a wandering river leaves: when it was last at each place, its bed, and a way out for all water.

References
----------
A. D. Howard (1992), "Modeling channel migration and floodplain sedimentation in meandering streams", in Lowland
Floodplain Rivers, Wiley, 1-41: floodplains whose height depends on how long ago the river was there.
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain
from ..meander.centre_line import WIDTH, X, Y
from ..meander.wandering import WanderingRiver
from .layers import with_surface

LEVEL, DEPTH = 3, 4
"""Columns of a bed after x, y and width: the height of its banks, and how deep it is below them, in metres."""
UNTOUCHED, SHAPED, HOLLOW = 0, 1, 2
"""What rivers did to a cell: nothing, floor or bed, or the hollow of a bend that is cut off."""


@parallel_kernel
def stamp_years(part: Part, lines: Array, first: Array, years: Array, cell_size: float, result: Array) -> None:
    """Write when each cell was last below a river.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    lines : ndarray of float64, shape (points, 3)
        x, y and width of all lines, one after the other.
    first : ndarray of int64, shape (lines + 1,)
        Where each line begins.
    years : ndarray of float32, shape (lines,)
        When the river was there, rising.
    cell_size : float
        Metres.
    result : ndarray of float32, shape (rows, columns)
        Takes the last year; untouched where there was no river.
    """
    rows, columns = result.shape
    mine = portion(part, rows)
    for line in range(years.size):
        for i in range(first[line], first[line + 1] - 1):
            reach = 0.5 * max(lines[i, WIDTH], lines[i + 1, WIDTH])
            south, north = _span(lines[i, Y], lines[i + 1, Y], reach, cell_size, rows)
            west, east = _span(lines[i, X], lines[i + 1, X], reach, cell_size, columns)
            for r in range(max(south, mine.start), min(north, mine.stop)):
                for c in range(west, east):
                    near, _ = _nearest(lines[i], lines[i + 1], c * cell_size, r * cell_size)
                    if near < reach:
                        result[r, c] = years[line]


@parallel_kernel
def stamp_bed(part: Part, line: Array, reach: float, cell_size: float, result: Array) -> None:
    """Write the ground of a bed, as deep in its middle as it says and level with its banks beside.

    Parameters
    ----------
    part : Part
        Which share of the rows.
    line : ndarray of float64, shape (points, 5)
        x, y, width, height of the banks and depth below them.
    reach : float
        Half the width of the bed as a multiple of that of the river.
    cell_size : float
        Metres.
    result : ndarray of float64, shape (rows, columns)
        Takes the bed where it is lower.
    """
    rows, columns = result.shape
    mine = portion(part, rows)
    for i in range(line.shape[0] - 1):
        widest = 0.5 * reach * max(line[i, WIDTH], line[i + 1, WIDTH])
        south, north = _span(line[i, Y], line[i + 1, Y], widest, cell_size, rows)
        west, east = _span(line[i, X], line[i + 1, X], widest, cell_size, columns)
        for r in range(max(south, mine.start), min(north, mine.stop)):
            for c in range(west, east):
                near, along = _nearest(line[i], line[i + 1], c * cell_size, r * cell_size)
                share = near / widest
                if share < 1.0:
                    banks = line[i, LEVEL] + along * (line[i + 1, LEVEL] - line[i, LEVEL])
                    depth = line[i, DEPTH] + along * (line[i + 1, DEPTH] - line[i, DEPTH])
                    # A broad floor between steep banks.
                    flat = share * share
                    result[r, c] = min(result[r, c], banks - depth * (1.0 - flat * flat))


@kernel
def _span(a: float, b: float, reach: float, cell_size: float, count: int) -> tuple[int, int]:
    """The cells within reach of two places along one axis: the first, and the one after the last."""
    low, high = (min(a, b) - reach) / cell_size, (max(a, b) + reach) / cell_size
    return max(math.ceil(low), 0), min(math.floor(high) + 1, count)


@kernel
def _nearest(a: Array, b: Array, x: float, y: float) -> tuple[float, float]:
    """The distance of a place from a segment, and where along it the nearest point is, 0 to 1."""
    right, up = b[X] - a[X], b[Y] - a[Y]
    along = ((x - a[X]) * right + (y - a[Y]) * up) / max(right * right + up * up, 1e-12)
    along = min(max(along, 0.0), 1.0)
    dx, dy = x - a[X] - along * right, y - a[Y] - along * up
    return math.sqrt(dx * dx + dy * dy), along


@kernel
def cut_middle(line: Array, cell_size: float, heights: Array) -> None:
    """Lower the cells along the middle of a bed to it, so that a chain of cells falls from its source to its mouth.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 5)
        As for `stamp_bed`.
    cell_size : float
        Metres.
    heights : ndarray of float64, shape (rows, columns)
        Heights of the ground in metres; lowered.
    """
    rows, columns = heights.shape
    for i in range(line.shape[0] - 1):
        a, b = line[i], line[i + 1]
        longest = max(abs(b[X] - a[X]), abs(b[Y] - a[Y])) / cell_size
        # So many places that two that follow each other are in one cell or in neighbours.
        count = max(math.ceil(2.0 * longest), 1)
        for k in range(count + 1):
            along = k / count
            r = min(max(math.floor((a[Y] + along * (b[Y] - a[Y])) / cell_size + 0.5), 0), rows - 1)
            c = min(max(math.floor((a[X] + along * (b[X] - a[X])) / cell_size + 0.5), 0), columns - 1)
            bottom = a[LEVEL] - a[DEPTH] + along * (b[LEVEL] - b[DEPTH] - a[LEVEL] + a[DEPTH])
            heights[r, c] = min(heights[r, c], bottom)


@kernel
def open_ways(
    order: Array,
    receivers: Array,
    area: Array,
    smallest: float,
    river: float,
    kind: Array,
    floor: Array,
    heights: Array,
) -> None:
    """Cut the ways of streams through what dams them, but no deeper than the floor around a hollow they come from.

    Parameters
    ----------
    order, receivers : ndarray of int32, shape (cells,)
        Routes of the water; see `FlowRoutes`.
    area : ndarray of float64, shape (cells,)
        Drainage area in m².
    smallest : float
        Drainage area of the smallest stream that is let through.
    river : float
        Drainage area of the smallest stream that leaves no lake.
    kind : ndarray of uint8, shape (cells,)
        `UNTOUCHED`, which is not cut; `SHAPED`; or `HOLLOW`, which is to keep its water from smaller streams.
    floor : ndarray of float64, shape (cells,)
        Heights of the ground without hollows and beds, in metres.
    heights : ndarray of float64, shape (cells,)
        Heights of the ground in metres; lowered.
    """
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        if area[cell] >= smallest and kind[below] != UNTOUCHED and (kind[cell] != HOLLOW or area[cell] >= river):
            level = max(heights[cell], floor[cell]) if kind[cell] == HOLLOW else heights[cell]
            heights[below] = min(heights[below], level)


def ground_of_beds(beds: list[Array], reach: float, terrain: Terrain) -> Array:
    """Return the ground of beds that are so wide.

    Parameters
    ----------
    beds : list of ndarray of float64, shape (points, 5)
        As for `stamp_bed`.
    reach : float
        Half the width of the beds as a multiple of that of the river.
    terrain : Terrain
        The land.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Metres; infinite where there is no bed.
    """
    ground = np.full(terrain.surface.shape, np.inf)
    for bed in beds:
        stamp_bed(bed, reach, terrain.cell_size, ground)
    return ground


def years_of_rivers(terrain: Terrain, rivers: list[WanderingRiver]) -> Field:
    """Return when each cell was last below a river.

    Parameters
    ----------
    terrain : Terrain
        The land.
    rivers : list of WanderingRiver
        One or more, at rising years.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        −1 where there never was one.
    """
    first = np.cumsum([0, *(len(river.line) for river in rivers)], dtype=np.int64)
    when = np.array([river.year for river in rivers], np.float32)
    years = np.full(terrain.surface.shape, -1.0, np.float32)
    stamp_years(np.concatenate([river.line for river in rivers]), first, when, terrain.cell_size, years)
    return years


def even_years(years: Field, step: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return when rivers were last at each cell where they have been, without steps, and how its neighbours differ.

    Parameters
    ----------
    years : ndarray of float32, shape (rows, columns)
        From `years_of_rivers`.
    step : float
        Years between two lines of a river.

    Returns
    -------
    tuple of ndarray of float64, shape (cells,)
        Years, for each cell whose `years` is 0 or more, in their order.
    """
    been = years >= 0.0
    own = years[been].astype(np.float64)
    padded = np.pad(years, 1, mode="edge")
    rows, columns = years.shape
    total, count, change = own.copy(), np.ones_like(own), np.zeros_like(own)
    for up, right in ((0, 1), (0, 2), (1, 0), (2, 0), (1, 2), (2, 1), (0, 0), (2, 2)):
        beside = padded[up : up + rows, right : right + columns][been].astype(np.float64)
        alike = (beside >= 0.0) & (np.abs(beside - own) <= 4.0 * step)
        total += np.where(alike, beside, 0.0)
        count += alike
        change = np.maximum(change, np.where(beside >= 0.0, np.abs(beside - own), 0.0))
    # Neighbours across differ most; steps between lines that are kept say nothing.
    return total / count, np.maximum(change - step, 0.0)


def with_alluvium(terrain: Terrain, heights: Array, changed: npt.NDArray[np.bool_], deepest: float) -> Terrain:
    """Return a land with another surface, and sediment below it where rivers have been.

    Parameters
    ----------
    terrain : Terrain
        The land before.
    heights : ndarray of float64, shape (rows, columns)
        Heights of the ground in metres.
    changed : ndarray of bool, shape (rows, columns)
        Where rivers have been.
    deepest : float
        Least thickness of the sediment there, in metres.

    Returns
    -------
    Terrain
    """
    after = with_surface(terrain, heights)
    surface = after.bedrock + after.sediment
    bedrock = np.where(changed, np.minimum(after.bedrock, surface - np.float32(deepest)), after.bedrock)
    return Terrain(bedrock, surface - bedrock, terrain.cell_size)
