"""Flow routing: one receiver per cell, also through depressions, and the stack order from the outlets to the ridges."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import Mesh, links_of, neighbour_of
from ..foundation.terrain import Grid, as_field
from .basins import Basins, carve, find_basins
from .directions import OUTLET, PIT, find_directions
from .inflows import Inlets, turn_inward
from .stack_order import count_donors, sort_upstream


@dataclass(frozen=True)
class FlowRoutes:
    """To which neighbour each cell drains.  Every path of receivers ends at the border or in the sea.

    Attributes
    ----------
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    directions : ndarray of uint8, shape (cells,)
        Number of the neighbour, 0 to 7, counter-clockwise from the east; 8 at outlets.
    receivers : ndarray of int32, shape (cells,)
        Flat index of the cell that receives the water; at outlets the cell itself.
    order : ndarray of int32, shape (cells,)
        The stack order (Braun & Willett 2013): all cells, each after its receiver, from the outlets up to the ridges.
    """

    shape: tuple[int, int]
    cell_size: float
    directions: npt.NDArray[np.uint8]
    receivers: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]


class Router:
    """Routes flow on many surfaces of the same shape, as a solver does at every step, and reuses its memory.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    mesh : Mesh, optional
        The closed surface whose cells lie in the only row; without it they are those of a plane grid.
    inlets : Inlets, optional
        Where rivers enter a plane grid: water does not leave over the border beside them.

    Attributes
    ----------
    shape : tuple of int
        (rows, columns).
    links : Links
        Which cells are neighbours.
    directions, order : ndarray
        As in `FlowRoutes`.  The next call of `route` overwrites them.
    basins : Basins or None
        The basins of the last surface before carving; None if it had no depressions.
    """

    def __init__(self, shape: tuple[int, int], mesh: Mesh | None = None, inlets: Inlets | None = None) -> None:
        self.shape, self._mesh, self._inlets = shape, mesh, inlets
        self.links = links_of(shape[1], mesh)
        cells = shape[0] * shape[1]
        self.directions = np.empty(cells, np.uint8)
        self.order = np.empty(cells, np.int32)
        self.basins: Basins | None = None
        self._donors = np.empty(cells, np.uint8)

    def route(self, surface: Array, sea_level: float = -np.inf) -> None:
        """Find the flow directions and the stack order of a surface.

        Parameters
        ----------
        surface : ndarray of float32 or float64, shape (rows, columns)
            Heights in metres.  They must be finite; this is not checked.
        sea_level : float
            Metres; minus infinity if there is no sea.  A closed surface needs one, or its water could not leave.
        """
        self.direct(surface, sea_level)
        count_donors(self.directions, self._donors, self.links.cells)
        sort_upstream(self.directions, self._donors, self.order, self.links.cells)

    def direct(self, surface: Array, sea_level: float = -np.inf) -> None:
        """Find the flow directions of a surface without the stack order, which takes a third of the time.

        Parameters
        ----------
        surface, sea_level
            As for `route`.
        """
        directions = self.directions.reshape(self.shape)
        find_directions(surface, sea_level, directions, self._mesh)
        if self._inlets is not None:
            turn_inward(surface, sea_level, self._inlets.closed, directions)
        self.basins = None
        if (self.directions == PIT).any():
            self.basins = find_basins(surface, directions, self._mesh, work=self.order)
            carve(directions, self.basins, self._mesh)

    def routes(self, cell_size: float) -> FlowRoutes:
        """Return the flow routes of the last surface; their directions and order share memory with the router.

        Parameters
        ----------
        cell_size : float
            Metres.

        Returns
        -------
        FlowRoutes
            Valid until the next call of `route`.

        Raises
        ------
        ValueError
            If `cell_size` is not a finite length above 0.
        """
        Grid(*self.shape, cell_size)
        return FlowRoutes(self.shape, cell_size, self.directions, self.receivers(), self.order)

    def receivers(self) -> npt.NDArray[np.int32]:
        """Return the cell that receives the water of each cell of the last surface; at outlets the cell itself.

        Returns
        -------
        ndarray of int32, shape (cells,)
            Flat indices.
        """
        receivers = np.arange(self.directions.size, dtype=np.int32)
        _find_receivers(self.directions, receivers, self.links.cells)
        return receivers


# On each border of a grid, the directions that lead out of it.
_SOUTHWARD, _NORTHWARD, _WESTWARD, _EASTWARD = (5, 6, 7), (1, 2, 3), (3, 4, 5), (7, 0, 1)


def routes_along(directions: npt.NDArray[np.uint8], cell_size: float) -> FlowRoutes:
    """Return flow routes along directions that are known, such as those of a piece of a larger land.

    Parameters
    ----------
    directions : ndarray of uint8, shape (rows, columns)
        As in `FlowRoutes`; a cell that drains to a cell beyond the border becomes an outlet.
    cell_size : float
        Metres.

    Returns
    -------
    FlowRoutes

    Examples
    --------
    >>> import numpy as np
    >>> from terrain_addon.core.flow.routing import routes_along
    >>> routes_along(np.array([[0, 0, 0]], np.uint8), 1.0).receivers
    array([1, 2, 2], dtype=int32)
    """
    router = Router(directions.shape)
    inside = router.directions.reshape(directions.shape)
    inside[:] = directions
    borders = ((inside[0], _SOUTHWARD), (inside[-1], _NORTHWARD), (inside[:, 0], _WESTWARD), (inside[:, -1], _EASTWARD))
    for border, outward in borders:
        border[np.isin(border, outward)] = OUTLET
    count_donors(router.directions, router._donors, router.links.cells)
    sort_upstream(router.directions, router._donors, router.order, router.links.cells)
    return router.routes(cell_size)


def route_flow(surface: Array, cell_size: float, *, sea_level: float | None = None) -> FlowRoutes:
    """Return to which neighbour each cell drains.

    Water takes the steepest of the eight ways down (D8, O'Callaghan & Mark 1984) and leaves the land at the border and
    in the sea.  A depression drains over its lowest pass, as if a channel were carved from its bottom (Cordonnier, Bovy
    & Braun 2019); the surface itself is not changed.  A flat drains along shortest paths to its edge.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres.  Cells at or below it are outlets.

    Returns
    -------
    FlowRoutes
        Directions, receivers and stack order.

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite, or `cell_size` is not above 0.

    References
    ----------
    O'Callaghan, J. F., & Mark, D. M. (1984). The extraction of drainage networks from digital elevation data.
    Computer Vision, Graphics, and Image Processing, 28(3), 323–344. doi:10.1016/S0734-189X(84)80011-0

    Cordonnier, G., Bovy, B., & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in
    topographies with depressions. Earth Surface Dynamics, 7, 549–562. doi:10.5194/esurf-7-549-2019

    Braun, J., & Willett, S. D. (2013). A very efficient O(n), implicit and parallel method to solve the stream power
    equation governing fluvial incision and landscape evolution. Geomorphology, 180–181, 170–179.
    doi:10.1016/j.geomorph.2012.10.008

    Zhou, G., Wei, H., & Fu, S. (2019). A fast and simple algorithm for calculating flow accumulation matrices from
    raster digital elevation. Frontiers of Earth Science, 13, 317–326. doi:10.1007/s11707-018-0725-9

    Examples
    --------
    The bottom of a bowl, cell 6, drains to cell 7, the lowest cell of the border.  All border cells are outlets.

    >>> import numpy as np
    >>> from terrain_addon.core.flow.routing import route_flow
    >>> bowl = np.array([[9, 9, 9, 9], [9, 1, 2, 4], [9, 9, 9, 9]], np.float32)
    >>> route_flow(bowl, 10.0).receivers.reshape(3, 4)
    array([[ 0,  1,  2,  3],
           [ 4,  6,  7,  7],
           [ 8,  9, 10, 11]], dtype=int32)
    """
    surface = as_surface(surface)
    router = Router(surface.shape)
    router.route(surface, lowest_outlet(sea_level))
    return router.routes(cell_size)


def as_surface(surface: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Return heights as a C-contiguous array: float64 if they are float64, float32 otherwise.

    Parameters
    ----------
    surface : array_like of float, shape (rows, columns)
        Heights in metres.

    Returns
    -------
    ndarray of float32 or float64, shape (rows, columns)
        Heights in metres; not copied if they have the right type already.

    Raises
    ------
    ValueError
        If `surface` is not two-dimensional, is empty, or holds NaN, infinity or numbers beyond float32.
    """
    field = as_field(surface, "surface")
    if isinstance(surface, np.ndarray) and surface.dtype == np.float64:
        return np.ascontiguousarray(surface)
    return field


def lowest_outlet(sea_level: float | None) -> float:
    """Return the height at and below which cells are outlets: the sea level, or minus infinity without a sea.

    Parameters
    ----------
    sea_level : float or None
        Metres; None if there is no sea.

    Returns
    -------
    float
        Metres.

    Raises
    ------
    ValueError
        If `sea_level` is NaN or infinite.
    """
    if sea_level is None:
        return -np.inf
    if not np.isfinite(sea_level):
        raise ValueError(f"sea_level = {sea_level!r} m is not a finite height")
    return float(sea_level)


@kernel
def _find_receivers(directions: Array, receivers: Array, cells: Array) -> None:
    """Turn directions into flat indices; `receivers` holds the index of each cell itself at first."""
    for cell in range(directions.size):
        way = directions[cell]
        if way != OUTLET:
            receivers[cell] = neighbour_of(cell, way, cells)
