"""Flow that parts: drainage area by multiple flow directions (Freeman 1991)."""

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
    """Return how much land drains through each cell if water parts among all lower neighbours.

    A neighbour's share is proportional to slopeᵖ, slope the drop to it over the distance (Freeman 1991, p = 1.1), or to
    dropᵖ.  Depressions count as filled: across a level stretch all water goes one way, that of `route_flow`.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more; an area counts as many times.
    exponent : float
        p: 0.1 to 20; the larger, the more goes down the steepest way.
    share_by : {'slope', 'drop'}
        What p is applied to.
    sea_level : float, optional
        Metres; cells at or below it are outlets.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        m².  Over the cells where water leaves the land it adds up to the area of the land.

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite, `cell_size` or `exponent` out of range, or `rain` does not fit.
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
    ways, donors = np.empty(surface.shape, np.uint8), np.zeros(surface.size, np.uint8)
    _find_ways(level, router.directions.reshape(surface.shape), ways)
    waiting = router.order  # no longer needed
    _pour(level.ravel(), ways.ravel(), donors, area.ravel(), waiting, steps, nearness, np.float32(exponent))
    return area


@parallel_kernel
def _find_ways(part: Part, level: Array, directions: Array, ways: Array) -> None:
    """Set a bit for each neighbour that gets a share: the lower ones; where there are none, the receiver."""
    rows, columns = level.shape
    for row in portion(part, rows):
        target = ways[row]
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
def _pour(
    level: Array,
    ways: Array,
    donors: Array,
    area: Array,
    waiting: Array,
    steps: Array,
    nearness: Array,
    exponent: np.float32,
) -> None:
    """Visit each cell after all its donors (Kahn 1962), starting from one source after the other."""
    for cell in range(level.size):
        for k in range(8):
            if (ways[cell] >> k) & 1:
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
            way = ways[cell]
            if way == 0:
                continue
            if way & (way - 1) == 0:
                sum_of_weights = 1.0
                for k in range(8):
                    weight[k] = np.float32((way >> k) & 1)
            else:
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
