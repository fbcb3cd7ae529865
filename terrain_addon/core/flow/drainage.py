"""What flow routes collect on their way downstream: drainage area, catchments, Strahler order."""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field, Grid, as_field
from .inflows import Inlets
from .routing import FlowRoutes


def drainage_area(
    routes: FlowRoutes, rain: Field | None = None, inlets: Inlets | None = None
) -> npt.NDArray[np.float64]:
    """Return the drainage area of each cell: the area that drains through it, the cell itself included.

    Parameters
    ----------
    routes : FlowRoutes
        From `route_flow`.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more.  The area of a cell is multiplied by it.
    inlets : Inlets, optional
        What flows in from beyond the land.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        m².  The sum over all outlets is the area of the land, and what the rivers that flow in drain outside.

    Raises
    ------
    ValueError
        If `rain` has another shape, is negative or not finite.

    References
    ----------
    O'Callaghan, J. F., & Mark, D. M. (1984). The extraction of drainage networks from digital elevation data.
    Computer Vision, Graphics, and Image Processing, 28(3), 323–344. doi:10.1016/S0734-189X(84)80011-0

    Examples
    --------
    A slope that falls to the south, with cells of 10 m × 10 m.  The border cells in the west and the east are outlets.

    >>> import numpy as np
    >>> from terrain_addon.core.flow.drainage import drainage_area
    >>> from terrain_addon.core.flow.routing import route_flow
    >>> surface = np.repeat(np.arange(4.0)[:, np.newaxis], 3, axis=1)
    >>> drainage_area(route_flow(surface, 10.0))
    array([[100., 300., 100.],
           [100., 200., 100.],
           [100., 100., 100.],
           [100., 100., 100.]])
    """
    area = own_area(routes.shape, routes.cell_size, rain)
    if inlets is not None:
        inlets.pour(area.ravel())
    accumulate(routes.receivers, routes.order, area.ravel())
    return area


def own_area(shape: tuple[int, int], cell_size: float, rain: Field | None) -> npt.NDArray[np.float64]:
    """Return the area of each cell, multiplied by its rain.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    rain : ndarray of float32, shape (rows, columns), or None
        Rain as a multiple of the mean, 0 or more; None for the same rain everywhere.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        m².

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
    """Return the outlet of each cell: the cell through which its water leaves the land.

    Parameters
    ----------
    routes : FlowRoutes
        From `route_flow`.

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
    """Return the Strahler order of each cell: 1 below a source, and one more where two streams of equal order meet.

    Parameters
    ----------
    routes : FlowRoutes
        From `route_flow`.
    drainage_area : ndarray of float64, shape (rows, columns)
        m².
    river_source : float
        Drainage area in m² at which a river begins.

    Returns
    -------
    ndarray of uint8, shape (rows, columns)
        0 where there is no river.

    Raises
    ------
    ValueError
        If `drainage_area` has another shape than the routes.

    References
    ----------
    Strahler, A. N. (1957). Quantitative analysis of watershed geomorphology. Transactions, American Geophysical Union,
    38(6), 913–920. doi:10.1029/TR038i006p00913
    """
    if drainage_area.shape != routes.shape:
        raise ValueError(f"drainage_area has shape {drainage_area.shape} but the routes {routes.shape}")
    stream = np.zeros(routes.shape, np.uint8)
    _order_streams(routes.receivers, routes.order, drainage_area.ravel(), river_source, stream.ravel())
    return stream


@kernel
def accumulate(receivers: Array, order: Array, amount: Array) -> None:
    """Add the amount of each cell to its receiver's, in place, from the ridges down to the outlets.

    Parameters
    ----------
    receivers : ndarray of int32, shape (cells,)
        The cell that receives the water of each cell; at outlets the cell itself.
    order : ndarray of int32, shape (cells,)
        The stack order, as in `FlowRoutes`.
    amount : ndarray of float64, shape (cells,)
        What each cell gives; afterwards what passes through it.
    """
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        if below != cell:
            amount[below] += amount[cell]


@kernel
def _find_outlets(receivers: Array, order: Array, outlet: Array) -> None:
    """Give each cell the outlet of its receiver, from the outlets up to the ridges."""
    for cell in order:
        below = receivers[cell]
        outlet[cell] = cell if below == cell else outlet[below]


@kernel
def _order_streams(receivers: Array, order: Array, area: Array, river_source: float, stream: Array) -> None:
    """Set the Strahler order of each cell whose drainage area is large enough, from the ridges down."""
    # Before a cell is visited it holds the highest order of its donors, plus 128 if two of them have that order.
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
