"""All the water of a land: sea, lakes and rivers."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.parameters import ParameterSet, parameter, series
from ..foundation.terrain import Field, as_field
from .drainage import drainage_area
from .filling import raise_to_level
from .inflows import Inflow, inlets_of
from .lakes import Lakes, find_lakes
from .pools import NO_POOLS, Pools, find_pools
from .rivers import DrawnStreams, Rivers, trace_rivers
from .routing import Router, lowest_outlet

LOWEST_SEA = -12000.0
"""Lowest altitude of a sea, in metres."""
_M2_PER_KM2 = 1e6


@dataclass(frozen=True)
class Water(ParameterSet):
    """Where the sea, lakes and rivers are."""

    sea: bool = parameter(False, "Whether the sea covers the land below the sea level")
    sea_level: float = parameter(
        0.0, "Altitude of the sea", unit="m", limits=(LOWEST_SEA, 12000.0), soft=(-500.0, 2000.0)
    )
    sea_rise: float = parameter(
        0.0,
        "How far the sea has risen since erosion ended: valleys that reach below it are drowned",
        unit="m",
        limits=(0.0, 2000.0),
        soft=(0.0, 600.0),
    )
    lakes: bool = parameter(True, "Whether depressions fill with water")
    river_source: float = parameter(
        0.2,
        "Drainage area at which a river begins; a smaller area gives more rivers",
        unit="km²",
        limits=(1e-6, 1e6),
        soft=(0.01, 10.0),
    )
    rivers: bool = parameter(True, "Whether rivers flow where the drainage area is large enough", advanced=True)
    river_width: float = parameter(
        3.0,
        "Width of a river that drains 1 km²; a river that drains four times as much is twice as wide",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.5, 20.0),
    )
    smallest_lake: float = parameter(
        2000.0,
        "Area below which a depression stays dry, if no river runs through it",
        unit="m²",
        limits=(0.0, 1e12),
        soft=(0.0, 100000.0),
        advanced=True,
    )
    shallowest_lake: float = parameter(
        0.5,
        "Depth below which a depression stays dry",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 10.0),
        advanced=True,
    )

    inflows: tuple[Inflow, ...] = series((Inflow,), (), "Rivers that come from beyond the land")

    @property
    def sea_surface(self) -> float | None:
        """Altitude of the sea in metres; None if there is no sea."""
        return self.sea_level if self.sea else None

    @property
    def river_source_area(self) -> float:
        """Drainage area in m² at which a river begins; infinite if there are no rivers."""
        return self.river_source * _M2_PER_KM2 if self.rivers else math.inf

    @property
    def while_eroding(self) -> "Water":
        """The water while erosion worked: a sea that has risen since was lower then."""
        return self.replace(sea_level=max(self.sea_level - self.sea_rise, LOWEST_SEA), sea_rise=0.0)


@dataclass(frozen=True)
class Waters:
    """The water of a land.

    Attributes
    ----------
    sea_level : float or None
        Metres; None if there is no sea.
    surface : ndarray of float32, shape (rows, columns)
        Height in metres of the ground.
    lake_cell : ndarray of int32, shape (cells,)
        Flat indices of the cells on which water stands above the ground and the sea.
    lake_level : ndarray of float32, shape (cells,)
        Height in metres of the water there.
    drainage_area : ndarray of float32, shape (rows, columns)
        m².
    lakes : Lakes
        The lakes; the sea is not one of them.
    rivers : Rivers
        They cross lakes on the surface of the water and end where the sea begins.
    pools : Pools
        Water in hollows that hold no lake, through which rivers run: it belongs to the rivers.
    """

    sea_level: float | None
    surface: Field
    lake_cell: npt.NDArray[np.int32]
    lake_level: Field
    drainage_area: Field
    lakes: Lakes
    rivers: Rivers
    pools: Pools = NO_POOLS

    @property
    def water_level(self) -> Field:
        """Height in metres of the sea or lake, or of the ground where it is dry; made anew at each reading."""
        return _standing(self.surface, self.sea_level, self.lake_cell, self.lake_level)

    @property
    def shown_level(self) -> Field:
        """As `water_level`, with the pools of rivers; made anew at each reading."""
        level = self.water_level
        level.ravel()[self.pools.cell] = self.pools.level
        return level

    @property
    def water_depth(self) -> Field:
        """Depth in metres of the sea or lake, 0 where it is dry, without rivers; made anew at each reading."""
        level = self.water_level
        return np.subtract(level, self.surface, out=level)


def find_water(
    surface: Field, cell_size: float, water: Water, rain: Field | None = None, drawn: DrawnStreams | None = None
) -> Waters:
    """Find the sea, the lakes and the rivers of a land.

    Lakes fill depressions up to the level at which they spill (Cordonnier, Bovy & Braun 2019, see `find_lakes`); the
    width of rivers follows hydraulic geometry (Leopold & Maddock 1953, see `trace_rivers`).

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    water : Water
        Which water there is.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more.  The area of a cell is multiplied by it.
    drawn : DrawnStreams, optional
        Rivers and lakes that are there also where `water` has none.

    Returns
    -------
    Waters
        Levels and depths of standing water, lakes and rivers.

    Raises
    ------
    ValueError
        If heights are not finite, `cell_size` is not above 0, `rain` does not fit, or something flows in outside the
        land.

    Examples
    --------
    A hollow spills over the lowest cell of the border, at 5 m, so that its lake is 4 m deep:

    >>> import numpy as np
    >>> from terrain_addon.core.flow.water import Water, find_water
    >>> land = np.array([[9, 9, 9, 9], [9, 1, 2, 5], [9, 9, 9, 9]], np.float32)
    >>> waters = find_water(land, 100.0, Water(rivers=False))
    >>> waters.water_depth
    array([[0., 0., 0., 0.],
           [0., 4., 3., 0.],
           [0., 0., 0., 0.]], dtype=float32)
    >>> waters.lakes.volume
    array([70000.])
    """
    surface = as_field(surface, "surface")
    outlet_level = lowest_outlet(water.sea_surface)
    lake_cell = None if drawn is None else drawn.lake_cell
    inlets = inlets_of(water.inflows, surface.shape, cell_size, lake_cell)
    router = Router(surface.shape, inlets=inlets)
    router.route(surface, outlet_level)
    level = raise_to_level(surface, router.basins)
    lakes = find_lakes(
        surface,
        cell_size,
        router.basins if water.lakes or drawn is not None else None,
        smallest_area=water.smallest_lake if water.lakes else np.inf,
        shallowest=water.shallowest_lake,
        always=lake_cell,
    )
    router.basins = None  # what is not needed any more makes room for what comes next
    routes = router.routes(cell_size)
    del router
    area = drainage_area(routes, rain, inlets)
    rivers = trace_rivers(
        routes,
        area,
        level,
        river_source=water.river_source_area,
        river_width=water.river_width,
        drawn=drawn,
    )
    del routes
    drained = area.astype(np.float32)
    del area
    lake_level = np.maximum(lakes.level[lakes.number], np.float32(outlet_level))
    pools = NO_POOLS
    if water.lakes and level is not surface:
        pools = find_pools(level, _standing(surface, water.sea_surface, lakes.cell, lake_level), rivers.cell)
    return Waters(water.sea_surface, surface, lakes.cell, lake_level, drained, lakes, rivers, pools)


def _standing(surface: Field, sea_level: float | None, lake_cell: npt.NDArray[np.int32], lake_level: Field) -> Field:
    """Height in metres of the sea or lake, or of the ground where it is dry."""
    level: Field = np.maximum(surface, np.float32(lowest_outlet(sea_level)))
    level.ravel()[lake_cell] = lake_level
    return level


def waters_at(
    sea_level: float | None, surface: Field, water_level: Field, drainage_area: Field, lakes: Lakes, rivers: Rivers
) -> Waters:
    """Return the water of a land on which it stands at known levels.

    Parameters
    ----------
    sea_level, surface, drainage_area, lakes, rivers
        As in `Waters`.
    water_level : ndarray of float32, shape (rows, columns)
        Height in metres of the water, or of the ground where it is dry.

    Returns
    -------
    Waters
    """
    usual = np.maximum(surface, np.float32(lowest_outlet(sea_level)))
    cell = np.flatnonzero(water_level != usual).astype(np.int32)
    return Waters(sea_level, surface, cell, water_level.ravel()[cell], drainage_area, lakes, rivers)
