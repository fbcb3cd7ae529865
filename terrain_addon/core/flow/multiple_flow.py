"""Drainage area by multiple flow directions (MFD, Freeman 1991): water divides among all lower neighbours."""

from typing import Literal

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
# Cells whose weights are found at a time: so few that they stay in the cache, so many that threads have work.
_CELLS = 2**15
# Cells that a thread looks at together, in the fastest cache.
_BLOCK = 512
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
    order = router.order  # `direct` left it free
    _sort_downstream(receivers.ravel(), donors.ravel(), order, steps)
    _share_out_all(level.ravel(), receivers.ravel(), order, steps, nearness, np.float32(exponent), area.ravel())
    return area


def _share_out_all(
    level: Array, receivers: Array, order: Array, steps: Array, nearness: Array, exponent: np.float32, area: Array
) -> None:
    """Share out the area of all cells: weights of many cells at a time on all threads, then these cells in order."""
    count = min(_CELLS, order.size)
    weights, sums = np.empty((9, count), np.float32), np.empty(count)
    for stop in range(order.size, 0, -_CELLS):
        cells = order[max(stop - _CELLS, 0) : stop]
        _find_weights(level, receivers, cells, steps, nearness, exponent, weights, sums)
        _share_out(receivers, cells, steps, weights, sums, area)


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
def _sort_downstream(receivers: Array, donors: Array, order: Array, steps: Array) -> None:
    """Write the order of cells from its end: each after all its donors (Kahn 1962, topological sorting).

    `donors` counts the donors that are not done yet.  The beginning of `order` is the stack of cells without any, which
    together with those that are done are never more than all cells.
    """
    place = order.size
    for source in range(order.size):
        if donors[source] != 0:
            continue
        order[0] = source
        count = 1
        while count > 0:
            count -= 1
            cell = np.int64(order[count])
            donors[cell] = 255
            place -= 1
            order[place] = cell
            way = receivers[cell]
            for k in range(8):
                if (way >> k) & 1:
                    there = cell + steps[k]
                    donors[there] -= 1
                    if donors[there] == 0:
                        order[count] = there
                        count += 1


@parallel_kernel
def _find_weights(
    part: Part,
    level: Array,
    receivers: Array,
    cells: Array,
    steps: Array,
    nearness: Array,
    exponent: np.float32,
    weights: Array,
    sums: Array,
) -> None:
    """Write Freeman's weights of the neighbours of some cells, slopeᵖ over that of the steepest one, and their sums."""
    own = portion(part, cells.size)
    for start in range(own.start, own.stop, _BLOCK):
        stop = min(start + _BLOCK, own.stop)
        for j in range(start, stop):
            cell = np.int64(cells[j])
            way, height = receivers[cell], level[cell]
            # From the border no step leads to a neighbour, and nobody receives anything.
            for k in range(8):
                weights[k, j] = height - level[cell + steps[k]] if way != 0 else _ZERO
        steepest, total = weights[8, start:stop], sums[start:stop]
        steepest[:] = _ZERO
        for k in range(8):
            slope, near = weights[k, start:stop], nearness[k]
            for i in range(slope.size):
                slope[i] = max(min(slope[i], _LARGEST), _ZERO) * near
            for i in range(slope.size):
                steepest[i] = max(steepest[i], slope[i])
        for j in range(start, stop):
            if weights[8, j] == _ZERO:
                # On level ground a single receiver gets everything.
                weights[8, j] = _ONE
                for k in range(8):
                    weights[k, j] = _ONE if (receivers[cells[j]] >> k) & 1 else _ZERO
        total[:] = 0.0
        for k in range(8):
            weight = weights[k, start:stop]
            for i in range(weight.size):
                weight[i] = rough_power(weight[i] / steepest[i], exponent)
            for i in range(weight.size):
                total[i] += weight[i]


@kernel
def _share_out(receivers: Array, cells: Array, steps: Array, weights: Array, sums: Array, area: Array) -> None:
    """Add the shares of the areas of cells to those of their neighbours, from the last cell to the first."""
    for j in range(cells.size - 1, -1, -1):
        cell = np.int64(cells[j])
        if receivers[cell] != 0:
            part = area[cell] / sums[j]
            # To all, because it takes longer to ask which of them receive anything.
            for k in range(8):
                area[cell + steps[k]] += part * weights[k, j]
