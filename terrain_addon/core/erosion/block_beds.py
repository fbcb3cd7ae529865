"""River beds in one block of a land that is cut into blocks: the beds of `river_beds`, without rivers as lines.

All but one thing about a river can be seen around each of its cells: where its water comes from and goes to, and what
drains there.  Only how low its bed lies depends on the whole river, as no bed rises downstream: `find_lowest` of
`tiling.block_flow` finds that.

References
----------
L. B. Leopold and T. Maddock (1953), "The hydraulic geometry of stream channels and some physiographic implications",
USGS Professional Paper 252, doi:10.3133/pp252: depth and width as powers of discharge.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..flow.rivers import SHORTEST, width_of_rivers
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import power_of
from ..foundation.neighbours import COLUMN_STEP, ROW_STEP
from ..foundation.terrain import Field
from .river_beds import DEPTH_EXPONENT, WIDTH_OF_BREACH, WINDOW, RiverBeds, lower_segment, share_of_depth

COURSE_MARGIN = 24
"""Cells around a block on which the courses of its rivers depend."""
_BACK = 4  # directions to the opposite one
_MOUTH, _BEYOND, _DRY = -1, -2, -3
_SQRT_2 = math.sqrt(2.0)


class RiverLaw(NamedTuple):
    """Where rivers run, and how large they are.

    Attributes
    ----------
    source : float
        Drainage area in m² at which a river begins.
    width : float
        Width in metres of a river that drains 1 km².
    cell_size : float
        Metres.
    """

    source: float
    width: float
    cell_size: float


class Courses(NamedTuple):
    """The rivers of a window, cell by cell.

    Attributes
    ----------
    receiver : ndarray of int32, shape (cells,)
        Flat index of the cell in the window to which a river goes on; −1 at mouths, −2 where it leaves the window, and
        −3 where there is no river.
    goes_on : ndarray of bool, shape (cells,)
        Whether a river is the same beyond its receiver; otherwise it ends there, in a larger one.
    depth, reach : ndarray of float32, shape (cells,)
        Depth of the bed, and distance from its middle to the bank, in metres.
    bed, end : ndarray of float64, shape (cells,)
        Height of the bed in metres as far as the river near the cell tells, and that at the end of a river that ends at
        the receiver; infinite where there is none.
    """

    receiver: npt.NDArray[np.int32]
    goes_on: npt.NDArray[np.bool_]
    depth: Field
    reach: Field
    bed: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]


def find_courses(
    flow: npt.NDArray[np.uint8], drainage: npt.NDArray[np.float64], running: Field, beds: RiverBeds, law: RiverLaw
) -> Courses:
    """Find the rivers of a window.

    Parameters
    ----------
    flow : ndarray of uint8, shape (rows, columns)
        Directions of the window without pits.
    drainage : ndarray of float64, shape (rows, columns)
        m².
    running : ndarray of float32, shape (rows, columns)
        Height in metres of rivers that breach what dams them, from `running_level`.
    beds : RiverBeds
        Depth and width of the beds.
    law : RiverLaw
        Where rivers run.

    Returns
    -------
    Courses
        As in the land in one piece, but for `COURSE_MARGIN` cells beside rims beyond which the land goes on.
    """
    drained = drainage.ravel().astype(np.float32)
    depth = np.float32(beds.depth) * power_of((1e-6 * drained).astype(np.float32), DEPTH_EXPONENT)
    reach = np.float32(0.5 * beds.width_ratio) * width_of_rivers(drained, law.width)
    receiver, main = np.full(flow.size, _DRY, np.int32), np.full(flow.size, -1, np.int32)
    _link(flow, drainage, law.source, receiver, main)
    _leave_out_short(receiver, main, np.zeros(flow.size, np.bool_))
    bed, end = np.full(flow.size, np.inf), np.full(flow.size, np.inf)
    courses = Courses(receiver, np.zeros(flow.size, np.bool_), depth, reach, bed, end)
    _measure_beds(courses, main, running, law.cell_size)
    return courses


def own_beds(courses: Courses) -> npt.NDArray[np.float64]:
    """Return the bed of each cell of a window, not above those of the smaller rivers that end there.

    Parameters
    ----------
    courses : Courses
        From `find_courses`.

    Returns
    -------
    ndarray of float64, shape (cells,)
        Metres; infinite where there is no river.
    """
    own = courses.bed.copy()
    ends = np.flatnonzero(np.isfinite(courses.end))
    np.minimum.at(own, courses.receiver[ends], courses.end[ends])
    return own


def lower_beds(
    courses: Courses,
    bed: npt.NDArray[np.float64],
    dams: Field,
    level: Field,
    ground: Field,
    cell_size: float,
    breach: float,
) -> Field:
    """Return how far the ground of a window is lowered along its rivers.

    Parameters
    ----------
    courses : Courses
        From `find_courses`.
    bed : ndarray of float64, shape (rows, columns)
        Lowest bed upstream of each cell, in metres: `own_beds` after `find_lowest`.
    dams : ndarray of float32, shape (rows, columns)
        Highest ground that dams each cell, there or downstream, in metres: `ground_that_dams` after `find_highest`.
    level : ndarray of float32, shape (rows, columns)
        Height in metres of the water that fills every depression.
    ground : ndarray of float32, shape (2, rows, columns)
        As in `lower_segment`.
    cell_size : float
        Metres.
    breach : float
        Height in metres of dams that rivers cut through.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres.
    """
    taken = np.zeros(level.shape, np.float32)
    segment = np.empty((3, 2), np.float32)
    _lower(courses, bed.ravel(), dams.ravel(), level.ravel(), ground, cell_size, np.float32(breach), segment, taken)
    return taken


def widest_reach(beds: RiverBeds, law: RiverLaw, area: float) -> int:
    """Return how many cells wide the bed of a river can be from its middle to the bank.

    Parameters
    ----------
    beds : RiverBeds
        Width of the beds.
    law : RiverLaw
        Where rivers run.
    area : float
        Of the land, in m².

    Returns
    -------
    int
    """
    widest = max(0.5 * beds.width_ratio * law.width * math.sqrt(1e-6 * area), WIDTH_OF_BREACH * beds.breach)
    return math.ceil(widest / law.cell_size) + 2


@kernel
def _link(flow: Array, drainage: Array, source: float, receiver: Array, main: Array) -> None:
    """Write where each river goes on, and for each cell the one from which its river comes: that which drains most."""
    rows, columns = flow.shape
    for row in range(rows):
        for column in range(columns):
            if drainage[row, column] < source:
                continue
            cell, way = row * columns + column, flow[row, column]
            receiver[cell] = _MOUTH
            if way != OUTLET:
                i, j = row + ROW_STEP[way], column + COLUMN_STEP[way]
                receiver[cell] = i * columns + j if 0 <= i < rows and 0 <= j < columns else _BEYOND
            most = 0.0
            for k in range(8):
                i, j = row + ROW_STEP[k], column + COLUMN_STEP[k]
                if 0 <= i < rows and 0 <= j < columns and flow[i, j] == (k + _BACK) % 8:
                    donor, drained = i * columns + j, drainage[i, j]
                    # Of two that drain the same, the one with the smaller number goes on, as in `river_pieces`.
                    if drained >= source and (drained > most or (drained == most and donor < main[cell])):
                        most, main[cell] = drained, donor


@kernel
def _leave_out_short(receiver: Array, main: Array, is_long: Array) -> None:
    """Take away rivers of fewer than `SHORTEST` cells, unless a longer one ends in them or in one that does."""
    for cell in range(receiver.size):
        up, length = cell, 0
        while up >= 0 and length < SHORTEST:
            up, length = main[up], length + 1
        down = cell
        while length >= SHORTEST and down >= 0 and not is_long[down]:
            is_long[down] = True
            down = receiver[down]
    for cell in range(receiver.size):
        below = receiver[cell]
        if not is_long[cell] and (below == _MOUTH or (below >= 0 and main[below] != cell)):
            up = cell
            while up >= 0:
                receiver[up] = _DRY
                above, main[up] = main[up], -1
                up = above


@kernel
def _mean_step(cell: int, courses: Courses, main: Array, columns: int, at_end: bool) -> float:
    """Return the mean distance from cell to cell of a river near a cell, or near its end below that cell."""
    receiver = courses.receiver
    top, up = cell, 0
    while main[top] >= 0 and up < WINDOW - at_end:
        top, up = main[top], up + 1
    at, length, steps = top, 0.0, 0
    while receiver[at] >= 0 and steps < up + (1 if at_end else WINDOW):
        below = receiver[at]
        is_diagonal = at // columns != below // columns and at % columns != below % columns
        length, steps = length + (_SQRT_2 if is_diagonal else 1.0), steps + 1
        if main[below] != at:
            break
        at = below
    return length / steps if steps > 0 else 1.0


@kernel
def _measure_beds(courses: Courses, main: Array, running: Array, cell_size: float) -> None:
    receiver, goes_on, depth, reach, bed, end = courses
    columns, levels = running.shape[1], running.ravel()
    for cell in range(receiver.size):
        below = receiver[cell]
        if below == _DRY:
            continue
        spacing = cell_size / _mean_step(cell, courses, main, columns, False)
        bed[cell] = levels[cell] - depth[cell] * share_of_depth(reach[cell] / spacing)
        if below >= 0:
            goes_on[cell] = main[below] == cell
            if not goes_on[cell]:
                spacing = cell_size / _mean_step(cell, courses, main, columns, True)
                end[cell] = levels[below] - depth[cell] * share_of_depth(reach[cell] / spacing)


@kernel
def _lower(
    courses: Courses,
    bed: Array,
    dams: Array,
    level: Array,
    ground: Array,
    cell_size: float,
    breach: float,
    segment: Array,
    taken: Array,
) -> None:
    """Write by how much each cell within the banks of a river is lowered, from each cell of a river to the next."""
    middle, reach, lowest = segment[0], segment[1], segment[2]
    surface = ground[0].ravel()
    for cell in range(bed.size):
        below = courses.receiver[cell]
        if below < 0:
            continue
        goes_on = courses.goes_on[cell]
        last = bed[below] if goes_on else min(bed[cell], courses.end[cell])
        middle[0], middle[1] = level[cell] - max(bed[cell], dams[cell]), level[below] - max(last, dams[below])
        lowest[0], lowest[1] = dams[cell], dams[below]
        if breach > 0.0:
            lowest[0], lowest[1] = level[cell] - middle[0], level[below] - middle[1]
        at_end = below if goes_on else cell
        reach[0] = max(courses.reach[cell], _bank_of_breach(middle[0] - courses.depth[cell], breach))
        reach[1] = max(courses.reach[at_end], _bank_of_breach(middle[1] - courses.depth[at_end], breach))
        # In a dry depression a river runs above its ground, which is lower already.
        middle[0] = max(middle[0] - (level[cell] - surface[cell]), np.float32(0.0))
        middle[1] = max(middle[1] - (level[below] - surface[below]), np.float32(0.0))
        lower_segment(cell, below, segment, ground, cell_size, taken)


@kernel
def _bank_of_breach(dam: float, breach: float) -> float:
    """Least distance of the banks from the middle of a bed that cuts through a dam of some height."""
    if dam <= 0.0:
        return 0.0
    return WIDTH_OF_BREACH * (dam if dam < breach else breach)
