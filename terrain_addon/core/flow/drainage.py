"""What is gathered on the way down the flow routes: drainage area, stream order, catchments."""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field, Grid, as_field
from .routing import FlowRoutes


def drainage_area(routes: FlowRoutes, rain: Field | None = None) -> npt.NDArray[np.float64]:
    """Return how much land drains through each cell, itself included.

    Parameters
    ----------
    routes : FlowRoutes
        Where water goes.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more; an area counts as many times.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        m².  Over the cells where water leaves the land it adds up to the area of the land.

    Raises
    ------
    ValueError
        If `rain` has another shape, is negative or not finite.
    """
    area = own_area(routes.shape, routes.cell_size, rain)
    _gather(routes.receivers, routes.order, area.ravel())
    return area


def own_area(shape: tuple[int, int], cell_size: float, rain: Field | None) -> npt.NDArray[np.float64]:
    """Return the area of each cell times its rain in m², float64 (rows, columns).

    Raises
    ------
    ValueError
        If `cell_size` is not above 0, or `rain` has another shape, is negative or not finite.
    """
    Grid(*shape, cell_size)
    area = np.full(shape, float(cell_size) ** 2)
    if rain is not None:
        rain = as_field(rain, "rain")
        if rain.shape != shape:
            raise ValueError(f"rain has shape {rain.shape} but the surface {shape}")
        if float(rain.min()) < 0.0:
            raise ValueError(f"rain = {float(rain.min())!r} is below 0")
        area *= rain
    return area


def catchments(routes: FlowRoutes) -> npt.NDArray[np.int32]:
    """Return through which cell the water of each cell leaves the land.

    Parameters
    ----------
    routes : FlowRoutes
        Where water goes.

    Returns
    -------
    ndarray of int32, shape (rows, columns)
        Flat index of the outlet: ``row * columns + column``.
    """
    outlet = np.empty(routes.shape, np.int32)
    _find_outlets(routes.receivers, routes.order, outlet.ravel())
    return outlet


def strahler_order(
    routes: FlowRoutes, drainage_area: npt.NDArray[np.float64], river_source: float
) -> npt.NDArray[np.uint8]:
    """Return the stream order of each cell: 1 from the source on, one more where two of the same order meet.

    Parameters
    ----------
    routes : FlowRoutes
        Where water goes.
    drainage_area : ndarray of float64, shape (rows, columns)
        m².
    river_source : float
        Drainage area from which on there is a river, in m².

    Returns
    -------
    ndarray of uint8, shape (rows, columns)
        0 where there is no river (Strahler 1957).

    Raises
    ------
    ValueError
        If `drainage_area` has another shape than the routes.
    """
    if drainage_area.shape != routes.shape:
        raise ValueError(f"drainage_area has shape {drainage_area.shape} but the routes {routes.shape}")
    stream = np.zeros(routes.shape, np.uint8)
    _order_streams(routes.receivers, routes.order, drainage_area.ravel(), river_source, stream.ravel())
    return stream


@kernel
def _gather(receivers: Array, order: Array, amount: Array) -> None:
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        if below != cell:
            amount[below] += amount[cell]


@kernel
def _find_outlets(receivers: Array, order: Array, outlet: Array) -> None:
    for cell in order:
        below = receivers[cell]
        outlet[cell] = cell if below == cell else outlet[below]


@kernel
def _order_streams(receivers: Array, order: Array, area: Array, river_source: float, stream: Array) -> None:
    # Until a cell's turn comes it holds the highest order among its donors, plus 128 once a second one has the same.
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        if area[cell] < river_source:
            continue
        met = stream[cell]
        own = (met & 127) + 1 if met >= 128 else max(met, 1)
        stream[cell] = own
        below = receivers[cell]
        if below != cell:
            highest = stream[below] & 127
            if own > highest:
                stream[below] = own
            elif own == highest:
                stream[below] = own | 128
