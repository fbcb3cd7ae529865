"""River incision in one block of a land that is cut into blocks; `tiling` joins the blocks.

The step is that of `river_incision`, ∂h/∂t = U − K Aᵐ Sⁿ, but it is written as a function of the new height of the
receiver (see `tiling.floors`).  For n ≠ 1 the conductance is taken at the slope before the step (one iteration of
Picard), so that the function keeps its form; the error falls with the length of the step.

References
----------
J. Braun and S. D. Willett (2013), "A very efficient O(n), implicit and parallel method to solve the stream power
equation governing fluvial incision and landscape evolution", Geomorphology 180-181, 170-179,
doi:10.1016/j.geomorph.2012.10.008.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..flow.directions import OUTLET
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import power, rough_power
from ..foundation.hashing import hash_place, unit_float
from ..foundation.neighbours import COLUMN_STEP, DISTANCE, ROW_STEP
from ..foundation.terrain import Field
from ..tiling.block_flow import Amounts, BlockFlow
from .river_incision import Heights, area_beyond_border

REACH_OF_PASS = 2
"""Cells around a block on which one pass of `hold_slopes` depends."""

UNITS_PER_METRE = 2.0**20
"""Volumes of sediment are summed in whole millionths of a metre, so that sums do not depend on the order."""

_DIAGONAL, _KNIGHT_MOVE = math.sqrt(2.0), math.sqrt(5.0)


class IncisionLaw(NamedTuple):
    """The law of a step.

    Attributes
    ----------
    drainage_exponent, slope_exponent : float
        m and n.
    years : float
        Length of the step.
    cell_size : float
        Metres.
    base_distance : float
        How far beyond the border the base level is, in metres.
    whole : float
        Area of the land in m².
    amount_of_cell : float
        Amount that `collect` counts for a cell with the usual rain.
    sea_level : float
        Metres; minus infinity without a sea.
    """

    drainage_exponent: float
    slope_exponent: float
    years: float
    cell_size: float
    base_distance: float
    whole: float
    amount_of_cell: float
    sea_level: float


class BlockGround(NamedTuple):
    """The ground of a block before a step.

    Attributes
    ----------
    height : ndarray of float64, shape (rows + 2, columns + 2)
        Metres, with one cell around the block.
    directions : ndarray of uint8, shape (rows, columns)
        Without pits.
    erodibility : ndarray of float32, shape (rows, columns)
        K in m^(1−2m)/yr.
    lift : ndarray of float32, shape (rows, columns)
        How far the ground rises in the step, in metres.
    base : ndarray of float32, shape (rows, columns)
        Base level in metres, used on the border of the land.
    """

    height: Heights
    directions: npt.NDArray[np.uint8]
    erodibility: Field
    lift: Field
    base: Field


def hold_slopes(height: Heights, steepest: Field, cell_size: float, passes: int) -> Heights:
    """Return the ground, lowered where it is steeper above a cell nearby than its rock holds.

    All cells of a pass see the ground before it, so that no cell depends on more than its surroundings.

    Parameters
    ----------
    height : ndarray of float64, shape (rows + 2 r, columns + 2 r)
        Metres, with r = `REACH_OF_PASS` · `passes` cells around the block.
    steepest : ndarray of float32, the same shape
        Tangent of the steepest slope.
    cell_size : float
        Metres.
    passes : int
        1 or more; ground comes down from cells that are up to 2 · `passes` cells away.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Metres.
    """
    for _ in range(passes):
        lower = np.empty((height.shape[0] - 2 * REACH_OF_PASS, height.shape[1] - 2 * REACH_OF_PASS))
        _hold(height, steepest, cell_size, lower)
        height, steepest = lower, np.ascontiguousarray(steepest[2:-2, 2:-2])
    return height


def perturb_flow(height: Heights, amount: float, seed: np.uint32, first: tuple[int, int]) -> Heights:
    """Return the surface that water follows: each cell is raised or lowered by a share of the drop beside it.

    Parameters
    ----------
    height : ndarray of float64, shape (rows + 2, columns + 2)
        Metres, with one cell around the window.
    amount : float
        Share of the drop, 0 or more.
    seed : uint32
        Randomness of the level.
    first : tuple of int
        Row and column in the land of the window's south-west cell.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Metres.
    """
    surface = np.empty((height.shape[0] - 2, height.shape[1] - 2))
    _perturb(height, amount, seed, first[0], first[1], surface)
    return surface


def incision_rises(ground: BlockGround, amounts: Amounts, law: IncisionLaw) -> npt.NDArray[np.float64]:
    """Return the height of each cell after a step as a function of the new height of its receiver.

    Parameters
    ----------
    ground : BlockGround
        Before the step.
    amounts : ndarray of int64, shape (cells,)
        What drains through each cell.
    law : IncisionLaw
        Of the step.

    Returns
    -------
    ndarray of float64, shape (3, cells)
        c, a and b of min(c, a + b·f), as `tiling.floors` takes them.

    References
    ----------
    J. Braun and S. D. Willett (2013), doi:10.1016/j.geomorph.2012.10.008.
    """
    rises = np.empty((3, amounts.size))
    distance = np.append(DISTANCE.astype(np.float64) * law.cell_size, law.base_distance)
    per_length = law.years * law.whole**law.drainage_exponent / distance**law.slope_exponent
    per_amount = law.cell_size**2 / law.amount_of_cell / law.whole
    beyond = area_beyond_border(law.base_distance) / law.whole
    _write_rises(ground, amounts, law, per_length, beyond, per_amount, np.float32(law.drainage_exponent), rises)
    return rises


def solve_block(flow: BlockFlow, rises: npt.NDArray[np.float64], floors: npt.NDArray[np.float64]) -> None:
    """Solve the cells of a block one after the other, downstream first.

    Parameters
    ----------
    flow : BlockFlow
        Of the block.
    rises : ndarray of float64, shape (3, cells)
        From `incision_rises`.  Afterwards its first row holds the new heights in metres.
    floors : ndarray of float64, shape (cells,)
        At exits, the new height of the cell of another block to which they drain.
    """
    _solve(flow.order, flow.receiver, rises, floors)


class Plains(NamedTuple):
    """For each label of a block, the plain that fills the lake of its basin.

    Attributes
    ----------
    basin : ndarray of int64, shape (labels,)
        0 where there is no lake.
    foot : ndarray of float64, shape (labels,)
        Height of the plain at the pass, in metres.
    row, column : ndarray of float64, shape (labels,)
        Where the pass lies, counted from the block's south-west cell.
    """

    basin: Array
    foot: Array
    row: Array
    column: Array


def measure_room(
    height: Heights, removed: Heights, labels: Array, plains: Plains, slope: float
) -> tuple[Amounts, Amounts]:
    """Return how much sediment each label of a block brings to its lake, and how much fits there.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        After incision, in metres.
    removed : ndarray of float64, shape (rows, columns)
        Height that was taken from each cell, in metres.
    labels : ndarray of int32, shape (cells,)
        Label of each cell.
    plains : Plains
        The lakes.
    slope : float
        Rise of a plain in metres per cell.

    Returns
    -------
    load, room : ndarray of int64, shape (labels,)
        In cells times 1/`UNITS_PER_METRE` of a metre.
    """
    load, room = np.zeros(plains.basin.size, np.int64), np.zeros(plains.basin.size, np.int64)
    _measure_room(height, removed, labels, plains, slope, load, room)
    return load, room


def fill_plains(height: Heights, sediment: Field, labels: Array, plains: Plains, slope: float, share: Array) -> float:
    """Deposit sediment in the lakes of a block, in place.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        After incision, in metres.
    sediment : ndarray of float32, shape (rows, columns)
        Thickness in metres.
    labels, plains, slope
        As for `measure_room`.
    share : ndarray of float64, shape (labels,)
        How much of its room each lake fills, 0 to 1.

    Returns
    -------
    float
        Sum of what was deposited, in metres.
    """
    return float(_fill(height, sediment, labels, plains, slope, share))


def share_sediment(load: Amounts, room: Amounts, parent: Array, order: Array) -> npt.NDArray[np.float64]:
    """Return the share of its room that each lake of a land fills; what does not fit goes on to the next basin.

    Parameters
    ----------
    load, room : ndarray of int64, shape (basins,)
        Sums over all blocks; `load` is overwritten: afterwards its first entry is what leaves the land.
    parent, order : ndarray of int32, shape (basins,)
        Of `LandBasins`.

    Returns
    -------
    ndarray of float64, shape (basins,)
        0 to 1.
    """
    share = np.zeros(load.size)
    _share(load, room, parent, order, share)
    return share


def plain_feet(
    level: Array, parent: Array, order: Array, row: Array, column: Array, slope: float
) -> npt.NDArray[np.float64]:
    """Return the height at which the plain of each lake of a land begins: not below the plain to which it drains.

    Parameters
    ----------
    level : ndarray of float64, shape (basins,)
        Height in metres up to which each basin fills.
    parent, order : ndarray of int32, shape (basins,)
        Of `LandBasins`.
    row, column : ndarray of int64, shape (basins,)
        Where the pass of each basin lies.
    slope : float
        Rise of a plain in metres per cell.

    Returns
    -------
    ndarray of float64, shape (basins,)
        Metres; minus infinity for basin 0.
    """
    foot = level.copy()
    _raise_feet(foot, parent, order, row, column, slope)
    return foot


@parallel_kernel
def _hold(part: Part, height: Array, steepest: Array, size: float, lower: Array) -> None:
    """One pass over all cells, with steps to 16 neighbours as in `landslides`."""
    rows, columns = lower.shape
    for row in portion(part, rows):
        a, b, c, d, e = height[row], height[row + 1], height[row + 2], height[row + 3], height[row + 4]
        rise, out = steepest[row + 2], lower[row]
        for j in range(columns):
            step = rise[j + 2] * size
            beside = min(min(c[j + 1], c[j + 3]), min(b[j + 2], d[j + 2])) + step
            across = min(min(b[j + 1], b[j + 3]), min(d[j + 1], d[j + 3])) + step * _DIAGONAL
            near = min(min(b[j], b[j + 4]), min(d[j], d[j + 4]))
            far = min(min(a[j + 1], a[j + 3]), min(e[j + 1], e[j + 3]))
            out[j] = min(min(c[j + 2], beside), min(across, min(near, far) + step * _KNIGHT_MOVE))


@parallel_kernel
def _perturb(
    part: Part, height: Array, amount: float, seed: np.uint32, first_row: int, first_column: int, surface: Array
) -> None:
    for row in portion(part, surface.shape[0]):
        south, line, north = height[row], height[row + 1], height[row + 2]
        for column in range(surface.shape[1]):
            east, up = line[column + 2] - line[column], north[column + 1] - south[column + 1]
            shift = unit_float(hash_place(first_row + row, first_column + column, seed)) - np.float32(0.5)
            surface[row, column] = line[column + 1] + amount * shift * math.sqrt(east * east + up * up)


@kernel
def _write_rises(
    ground: BlockGround,
    amounts: Array,
    law: IncisionLaw,
    per_length: Array,
    beyond: float,
    per_amount: float,
    m: np.float32,
    rises: Array,
) -> None:
    """Write c = h, a = h / (1 + F), b = F / (1 + F) with h the height without incision and F = K Aᵐ Δt / dⁿ · Sⁿ⁻¹."""
    rows, columns = ground.directions.shape
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            way = ground.directions[row, column]
            before = ground.height[row + 1, column + 1]
            if way == OUTLET and before <= law.sea_level:
                rises[0, cell], rises[1, cell], rises[2, cell] = before, before, 0.0
                continue
            lifted = before + ground.lift[row, column]
            drained = amounts[cell] * per_amount
            if way == OUTLET:
                drained = max(drained, beyond)
            share = rough_power(np.float32(drained), m)
            factor = ground.erodibility[row, column] * share * per_length[way]
            if way == OUTLET:
                floor = float(ground.base[row, column])
            else:
                floor = ground.height[row + 1 + ROW_STEP[way], column + 1 + COLUMN_STEP[way]]
            if law.slope_exponent != 1.0:
                drop = before - floor
                factor = factor * power(drop, law.slope_exponent - 1.0) if drop > 0.0 else 0.0
            a, b = lifted / (1.0 + factor), factor / (1.0 + factor)
            if way == OUTLET:
                lifted = min(lifted, a + b * floor)
                a, b = lifted, 0.0
            rises[0, cell], rises[1, cell], rises[2, cell] = lifted, a, b


@kernel
def _solve(order: Array, receiver: Array, rises: Array, floors: Array) -> None:
    for cell in order:
        below = receiver[cell]
        if below != -1:
            floor = rises[0, below] if below >= 0 else floors[cell]
            rises[0, cell] = min(rises[0, cell], rises[1, cell] + rises[2, cell] * floor)


@kernel
def _depth_below_plain(above: float, rows: float, columns: float, slope: float) -> float:
    """Return how deep a cell lies below a plain: `above` its foot in metres, and `rows` and `columns` away from it."""
    rise = slope * slope * (rows * rows + columns * columns)
    if above >= 0.0 and above * above >= rise:
        return 0.0
    return math.sqrt(rise) - above


@kernel
def _measure_room(
    height: Array, removed: Array, labels: Array, plains: Plains, slope: float, load: Array, room: Array
) -> None:
    rows, columns = height.shape
    for row in range(rows):
        for column in range(columns):
            label = labels[row * columns + column]
            load[label] += np.int64(math.floor(removed[row, column] * UNITS_PER_METRE + 0.5))
            if plains.basin[label] > 0:
                above = height[row, column] - plains.foot[label]
                depth = _depth_below_plain(above, row - plains.row[label], column - plains.column[label], slope)
                room[label] += np.int64(math.floor(depth * UNITS_PER_METRE + 0.5))


@kernel
def _fill(height: Array, sediment: Array, labels: Array, plains: Plains, slope: float, share: Array) -> float:
    rows, columns = height.shape
    total = 0.0
    for row in range(rows):
        for column in range(columns):
            label = labels[row * columns + column]
            if plains.basin[label] > 0 and share[label] > 0.0:
                above = height[row, column] - plains.foot[label]
                depth = _depth_below_plain(above, row - plains.row[label], column - plains.column[label], slope)
                fill = depth * share[label]
                height[row, column] += fill
                sediment[row, column] += np.float32(fill)
                total += fill
    return total


@kernel
def _share(load: Array, room: Array, parent: Array, order: Array, share: Array) -> None:
    """Fill lakes upstream first."""
    for place in range(order.size - 1, 0, -1):
        basin = order[place]
        fill = min(load[basin], room[basin])
        load[parent[basin]] += load[basin] - fill
        share[basin] = fill / room[basin] if room[basin] > 0 else 0.0


@kernel
def _raise_feet(foot: Array, parent: Array, order: Array, row: Array, column: Array, slope: float) -> None:
    for basin in order:
        beyond = parent[basin]
        if basin > 0 and beyond > 0:
            rows, columns = float(row[basin] - row[beyond]), float(column[basin] - column[beyond])
            foot[basin] = max(foot[basin], foot[beyond] + slope * math.sqrt(rows * rows + columns * columns))
