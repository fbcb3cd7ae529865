"""Drainage area by multiple flow directions (MFD, Freeman 1991): water divides among all lower neighbours."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import rough_power
from ..foundation.neighbours import DISTANCE, flat_steps
from ..foundation.terrain import Field, as_field
from .directions import OUTLET
from .drainage import own_area
from .filling import raise_to_level
from .routing import Router, lowest_outlet

# 1 over the distance to each neighbour, in cells.
_NEARNESS = (1.0 / DISTANCE).astype(np.float32)
_LARGEST = np.finfo(np.float32).max


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
    area = own_area(surface.shape, cell_size, rain)
    steps = flat_steps(surface.shape[1])
    nearness = _NEARNESS if share_by == "slope" else np.ones(8, np.float32)
    router = Router(surface.shape)
    router.route(surface, lowest_outlet(sea_level))
    level = raise_to_level(surface, router.basins)
    receivers, donors = np.empty(surface.shape, np.uint8), np.zeros(surface.size, np.uint8)
    _find_receivers(level, router.directions.reshape(surface.shape), receivers)
    waiting = router.order  # the order itself is not needed, only its memory
    _accumulate(level.ravel(), receivers.ravel(), donors, area.ravel(), waiting, steps, nearness, np.float32(exponent))
    return area


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


@kernel
def _accumulate(
    level: Array,
    receivers: Array,
    donors: Array,
    area: Array,
    waiting: Array,
    steps: Array,
    nearness: Array,
    exponent: np.float32,
) -> None:
    """Share out the area of each cell after all its donors are done (Kahn 1962, topological sorting).

    `donors` counts the donors that are not done yet, `waiting` is the stack of cells without any.
    """
    for cell in range(level.size):
        for k in range(8):
            if (receivers[cell] >> k) & 1:
                donors[cell + steps[k]] += 1
    weight = np.empty(8, np.float32)
    for source in range(level.size):
        if donors[source] != 0:
            continue
        waiting[0] = source
        count = 1
        while count > 0:
            count -= 1
            cell = waiting[count]
            donors[cell] = 255
            way = receivers[cell]
            if way == 0:
                continue
            if way & (way - 1) == 0:
                # A single receiver gets everything.
                sum_of_weights = 1.0
                for k in range(8):
                    weight[k] = np.float32((way >> k) & 1)
            else:
                # Freeman's share: slopeᵖ over the sum of slopeᵖ.
                steepest = np.float32(0.0)
                for k in range(8):
                    drop = min(level[cell] - level[cell + steps[k]], _LARGEST)
                    weight[k] = max(drop, np.float32(0.0)) * nearness[k]
                    steepest = max(steepest, weight[k])
                for k in range(8):
                    weight[k] = rough_power(weight[k] / steepest, exponent)
                sum_of_weights = 0.0
                for k in range(8):
                    sum_of_weights += weight[k]
            part = area[cell] / sum_of_weights
            for k in range(8):
                if (way >> k) & 1:
                    there = cell + steps[k]
                    area[there] += part * weight[k]
                    donors[there] -= 1
                    if donors[there] == 0:
                        waiting[count] = there
                        count += 1
