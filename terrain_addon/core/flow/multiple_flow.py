"""Drainage area by multiple flow directions (MFD, Freeman 1991): water divides among all lower neighbours."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import rough_power
from ..foundation.neighbours import COLUMN_STEP, DISTANCE, ROW_STEP, flat_steps
from ..foundation.terrain import Field, as_field
from .directions import OUTLET
from .drainage import own_area
from .filling import raise_to_level
from .routing import Router, lowest_outlet

# 1 over the distance to each neighbour, in cells.
_NEARNESS = (1.0 / DISTANCE).astype(np.float32)
_LARGEST = np.finfo(np.float32).max
# Cells whose weights are found together: so many that compilers make vector code, so few that all stays in the cache.
_CELLS = 128
# Lines of numbers for each batch: eight neighbours, and the steepest slope.
_LINES = 9
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


def accumulate_flow(
    surface: Field,
    cell_size: float,
    *,
    rain: Field | None = None,
    exponent: float = 1.1,
    share_by: Literal["slope", "drop"] = "slope",
    sea_level: float | None = None,
) -> npt.NDArray[np.float64]:
    """Return the drainage area of each cell if water divides among all lower neighbours.

    The share of a neighbour is proportional to slopeᵖ (Freeman 1991, with p = 1.1), where the slope is the drop to it
    over its distance, or to dropᵖ.  Depressions count as filled.  On level ground all water takes the direction that
    `route_flow` gives it.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more.  The area of a cell is multiplied by it.
    exponent : float
        The exponent p, 0.1 to 20.  The larger it is, the more water goes to the steepest neighbour.
    share_by : {'slope', 'drop'}
        What is raised to the power of p.
    sea_level : float, optional
        Metres.  Cells at or below it are outlets.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        m².  The sum over all outlets is the area of the land.

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite, `cell_size` or `exponent` is out of range, `share_by` is unknown, or
        `rain` does not fit.

    References
    ----------
    Freeman, T. G. (1991). Calculating catchment area with divergent flow based on a regular grid. Computers &
    Geosciences, 17(3), 413–422. doi:10.1016/0098-3004(91)90048-I

    Quinn, P., Beven, K., Chevallier, P., & Planchon, O. (1991). The prediction of hillslope flow paths for distributed
    hydrological modelling using digital terrain models. Hydrological Processes, 5(1), 59–79.
    doi:10.1002/hyp.3360050106

    Examples
    --------
    One inner cell, with a drop of 3 to the east and of 6 to the north-east.  With p = 1 and `share_by` 'drop' the
    neighbours get one third and two thirds of its area, on top of their own.

    >>> import numpy as np
    >>> from terrain_addon.core.flow.multiple_flow import accumulate_flow
    >>> surface = np.array([[9, 9, 9], [9, 9, 6], [9, 9, 3]], np.float32)
    >>> accumulate_flow(surface, 1.0, exponent=1.0, share_by="drop").round(3)
    array([[1.   , 1.   , 1.   ],
           [1.   , 1.   , 1.333],
           [1.   , 1.   , 1.667]])
    """
    if not 0.1 <= exponent <= 20.0:
        raise ValueError(f"exponent = {exponent!r} is outside 0.1 to 20")
    if share_by not in ("slope", "drop"):
        raise ValueError(f"share_by = {share_by!r} is neither 'slope' nor 'drop'")
    surface = as_field(surface, "surface")
    steps = flat_steps(surface.shape[1])
    nearness = _NEARNESS if share_by == "slope" else np.ones(8, np.float32)
    router = Router(surface.shape)
    router.direct(surface, lowest_outlet(sea_level))
    level = raise_to_level(surface, router.basins)
    router.basins = None  # makes room for what comes next
    area = own_area(surface.shape, cell_size, rain)
    receivers, donors = np.empty(surface.shape, np.uint8), np.empty(surface.shape, np.uint8)
    _find_receivers(level, router.directions.reshape(surface.shape), receivers)
    _count_donors(receivers, donors)
    if receivers.any():
        stack = router.order  # `direct` left it free
        _share_out(
            level.ravel(),
            receivers.ravel(),
            donors.ravel(),
            stack,
            # Unsigned, because kernels then need not ask whether an index is counted from the end.
            steps.astype(np.uint64),
            nearness,
            np.float32(exponent),
            _new_batches(steps),
            area.ravel(),
        )
    return area


class Batches(NamedTuple):
    """Two batches of cells: one is found while the other is shared out.

    Attributes
    ----------
    cells : ndarray of int32, shape (2, cells)
        Their flat indices.
    weights : ndarray of float32, shape (2, 9, cells)
        Of each cell the weights of its neighbours, at first the drops to them, and its steepest slope.
    sums : ndarray of float64, shape (2, cells)
        Of each cell the sum of weights.
    """

    cells: Array
    weights: Array
    sums: Array


def _new_batches(steps: Array) -> Batches:
    """Return batches whose cells have neighbours, as those of the first row of inner cells, but give them nothing."""
    cells = np.full((2, _CELLS), -steps.min(), np.int32)
    return Batches(cells, np.zeros((2, _LINES, _CELLS), np.float32), np.ones((2, _CELLS)))


@parallel_kernel
def _find_receivers(part: Part, level: Array, directions: Array, receivers: Array) -> None:
    """Set one bit per neighbour that receives water: all lower ones, or on level ground the one of `directions`."""
    rows, columns = level.shape
    for row in portion(part, rows):
        target = receivers[row]
        target[:] = 0
        if row == 0 or row == rows - 1:
            continue
        south, here, north, way = level[row - 1], level[row], level[row + 1], directions[row]
        for column in range(1, columns - 1):
            height = here[column]
            lower = np.uint8(here[column + 1] < height)
            lower |= np.uint8(north[column + 1] < height) << np.uint8(1)
            lower |= np.uint8(north[column] < height) << np.uint8(2)
            lower |= np.uint8(north[column - 1] < height) << np.uint8(3)
            lower |= np.uint8(here[column - 1] < height) << np.uint8(4)
            lower |= np.uint8(south[column - 1] < height) << np.uint8(5)
            lower |= np.uint8(south[column] < height) << np.uint8(6)
            lower |= np.uint8(south[column + 1] < height) << np.uint8(7)
            receiver = np.uint8(1) << (way[column] & np.uint8(7))
            target[column] = np.uint8(0) if way[column] == OUTLET else (lower if lower != 0 else receiver)


@parallel_kernel
def _count_donors(part: Part, receivers: Array, donors: Array) -> None:
    """Count the cells that each cell receives water from."""
    rows, columns = receivers.shape
    for row in portion(part, rows):
        own = donors[row]
        own[:] = 0
        for k in range(8):
            # Neighbour k of a cell drains to it if it drains the opposite way.
            other, shift, way = row + ROW_STEP[k], COLUMN_STEP[k], np.uint8((k + 4) & 7)
            if 0 <= other < rows:
                first, last = max(0, -shift), min(columns, columns - shift)
                target, source = own[first:last], receivers[other, first + shift : last + shift]
                for i in range(target.size):
                    target[i] += (source[i] >> way) & np.uint8(1)


@kernel
def _share_out(
    level: Array,
    receivers: Array,
    donors: Array,
    stack: Array,
    steps: Array,
    nearness: Array,
    exponent: np.float32,
    batches: Batches,
    area: Array,
) -> None:
    """Share out the area of each cell when all its donors have done so (Kahn 1962, topological sorting).

    `donors` counts the donors that are not done yet, and `stack` holds cells that have none of them left.  While a
    batch of cells is found, the batch before it is shared out cell by cell: a processor does both at once, because
    neither waits for the other.
    """
    zero, one, size = np.uint64(0), np.uint64(1), np.uint64(_CELLS)
    cells, weights, sums = batches.cells.ravel(), batches.weights.ravel(), batches.sums.ravel()
    # Where the batch begins, and how many of its cells are found.
    now, found = zero, zero
    for source in range(stack.size):
        if donors[source] != 0:
            continue
        stack[0] = source
        count = one
        while count != zero:
            count -= one
            cell = np.uint64(stack[count])
            donors[cell] = 255
            way = receivers[cell]
            if way == 0:
                continue
            cells[now + found] = cell
            height, drop = level[cell], np.uint64(_LINES) * now + found
            # For all neighbours, because it takes longer to ask which of them receive anything.
            for k in range(8):
                there = cell + steps[k]
                weights[drop + np.uint64(k * _CELLS)] = height - level[there]
                receives = (way >> np.uint8(k)) & np.uint8(1)
                left = np.uint8(donors[there] - receives)
                donors[there] = left
                stack[count] = there
                count += np.uint64(receives & np.uint8(left == 0))
            _pour(size - now, found, cells, weights, sums, steps, area)
            found += one
            if found == size:
                _weigh(receivers, batches, now == size, nearness, exponent)
                now, found = size - now, zero
    for i in range(found, size):
        _pour(size - now, np.uint64(i), cells, weights, sums, steps, area)
    _weigh(receivers, batches, now == size, nearness, exponent)
    for i in range(found):
        _pour(now, np.uint64(i), cells, weights, sums, steps, area)


@kernel
def _pour(start: np.uint64, i: np.uint64, cells: Array, weights: Array, sums: Array, steps: Array, area: Array) -> None:
    """Add the shares of the area of one cell of a batch to those of its neighbours."""
    cell, weight = np.uint64(cells[start + i]), np.uint64(_LINES) * start + i
    part = area[cell] / sums[start + i]
    # To all, because it takes longer to ask which of them receive anything.
    for k in range(8):
        area[cell + steps[k]] += part * weights[weight + np.uint64(k * _CELLS)]


@kernel
def _weigh(receivers: Array, batches: Batches, is_second: bool, nearness: Array, exponent: np.float32) -> None:
    """Turn drops of a batch into Freeman's weights, slopeᵖ over that of the steepest way, and write their sums."""
    batch = np.int64(is_second)
    cells, weights, sums = batches.cells[batch], batches.weights[batch], batches.sums[batch]
    steepest = weights[8]
    steepest[:] = _ZERO
    sums[:] = 0.0
    for k in range(8):
        slope, near = weights[k], nearness[k]
        for i in range(cells.size):
            slope[i] = max(min(slope[i], _LARGEST), _ZERO) * near
        for i in range(cells.size):
            steepest[i] = max(steepest[i], slope[i])
    for i in range(cells.size):
        if steepest[i] == _ZERO:
            # On level ground a single receiver gets everything.
            steepest[i] = _ONE
            for k in range(8):
                weights[k, i] = _ONE if (receivers[cells[i]] >> k) & 1 else _ZERO
    for k in range(8):
        weight = weights[k]
        for i in range(cells.size):
            weight[i] = rough_power(weight[i] / steepest[i], exponent)
        for i in range(cells.size):
            sums[i] += weight[i]
