"""Where water goes: one receiver for each cell, through every depression, and an order from the sea to the ridges."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import flat_steps
from ..foundation.terrain import Grid, as_field
from .basins import Basins, carve, find_basins
from .directions import OUTLET, PIT, find_directions


@dataclass(frozen=True)
class FlowRoutes:
    """To which neighbour each cell drains.  Following receivers always ends at the border or in the sea.

    Attributes
    ----------
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    directions : ndarray of uint8, shape (cells,)
        Number of the neighbour, 0 to 7 counter-clockwise from the east; 8 where water leaves the land.
    receivers : ndarray of int32, shape (cells,)
        Flat index of the cell that the water goes to; the cell itself where water leaves the land.
    order : ndarray of int32, shape (cells,)
        All cells, each after its receiver: from the outlets up to the ridges.
    """

    shape: tuple[int, int]
    cell_size: float
    directions: npt.NDArray[np.uint8]
    receivers: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]


class Router:
    """Routes flow over one grid again and again, as a solver does at every step, in memory of its own.

    Attributes
    ----------
    directions, order : ndarray
        As in `FlowRoutes`; overwritten by the next call of `route`.
    basins : Basins or None
        The depressions of the last surface, before they were carved; None if it had none.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        cells = shape[0] * shape[1]
        self.directions = np.empty(cells, np.uint8)
        self.order = np.empty(cells, np.int32)
        self.basins: Basins | None = None
        self._donors = np.empty(cells, np.uint8)

    def route(self, surface: Array, sea_level: float = -np.inf) -> None:
        """Find directions and order of a surface that is known to be finite.

        Parameters
        ----------
        surface : ndarray of float32 or float64, shape (rows, columns)
            Heights in metres.
        sea_level : float
            Metres; minus infinity where there is no sea.
        """
        directions = self.directions.reshape(self.shape)
        find_directions(surface, sea_level, directions)
        self.basins = None
        if (self.directions == PIT).any():
            self.basins = find_basins(surface, directions)
            carve(directions, self.basins)
        steps = flat_steps(self.shape[1])
        _count_donors(self.directions, self._donors, steps)
        _sort_upstream(self.directions, self._donors, self.order, steps)

    def routes(self, cell_size: float) -> FlowRoutes:
        """Return what was found last; directions and order are the router's own.

        Raises
        ------
        ValueError
            If `cell_size` (metres) is not a finite length above 0.
        """
        Grid(*self.shape, cell_size)
        receivers = np.arange(self.directions.size, dtype=np.int32)
        _find_receivers(self.directions, receivers, flat_steps(self.shape[1]))
        return FlowRoutes(self.shape, cell_size, self.directions, receivers, self.order)


def route_flow(surface: Array, cell_size: float, *, sea_level: float | None = None) -> FlowRoutes:
    """Return to which neighbour each cell drains.

    Water takes the steepest of the eight ways down (O'Callaghan & Mark 1984) and leaves at the border and in the sea.
    A depression is routed over its lowest pass as if a channel had been carved from its bottom (Cordonnier, Bovy &
    Braun 2019); the surface itself is not changed.  Flats drain by a shortest way to where they end.

    Parameters
    ----------
    surface : ndarray of float32 or float64, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    sea_level : float, optional
        Metres; cells at or below it are outlets.

    Returns
    -------
    FlowRoutes

    Raises
    ------
    ValueError
        If heights or `sea_level` are not finite, or `cell_size` is not above 0.
    """
    surface = as_surface(surface)
    router = Router(surface.shape)
    router.route(surface, lowest_outlet(sea_level))
    return router.routes(cell_size)


def as_surface(surface: npt.ArrayLike) -> npt.NDArray[np.floating]:
    """Return heights as a C-contiguous array of float64 if they are that already, of float32 otherwise.

    Raises
    ------
    ValueError
        If they are not two-dimensional, empty, NaN, infinite or beyond float32.
    """
    field = as_field(surface, "surface")
    if isinstance(surface, np.ndarray) and surface.dtype == np.float64:
        return np.ascontiguousarray(surface)
    return field


def lowest_outlet(sea_level: float | None) -> float:
    """Return the sea level as a number: minus infinity for None.

    Raises
    ------
    ValueError
        If it is NaN or infinite.
    """
    if sea_level is None:
        return -np.inf
    if not np.isfinite(sea_level):
        raise ValueError(f"sea_level = {sea_level!r} m is not a finite height")
    return float(sea_level)


@kernel
def _find_receivers(directions: Array, receivers: Array, steps: Array) -> None:
    for cell in range(directions.size):
        way = directions[cell]
        if way != OUTLET:
            receivers[cell] += steps[way]


@kernel
def _count_donors(directions: Array, donors: Array, steps: Array) -> None:
    donors[:] = 0
    for cell in range(directions.size):
        way = directions[cell]
        if way != OUTLET:
            donors[cell + steps[way]] += 1


@kernel
def _sort_upstream(directions: Array, donors: Array, order: Array, steps: Array) -> None:
    """Walk down from each source as far as all donors are done (Zhou et al. 2019), filling the order from its end."""
    place = order.size
    for source in range(order.size):
        if donors[source] != 0:
            continue
        cell = source
        while True:
            place -= 1
            order[place] = cell
            donors[cell] = 255
            way = directions[cell]
            if way == OUTLET:
                break
            cell += steps[way]
            donors[cell] -= 1
            if donors[cell] != 0:
                break
