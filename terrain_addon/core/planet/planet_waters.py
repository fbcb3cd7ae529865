"""Rivers and lakes of a planet, found on its finished ground.

References
----------
Cordonnier, G., Bovy, B. & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in topographies
with depressions. Earth Surface Dynamics 7, 549–562. doi:10.5194/esurf-7-549-2019

Mason, I. M., Guzkowska, M. A. J., Rapley, C. G. & Street-Perrott, F. A. (1994). The response of lake levels and areas
to climatic change. Climatic Change 27, 161–197. doi:10.1007/BF01093590  (Area of a lake by the balance of its water.)

Pike, J. G. (1964). The estimation of annual run-off from meteorological data in a tropical climate. Journal of
Hydrology 2, 116–123. doi:10.1016/0022-1694(64)90022-8
"""

from dataclasses import dataclass

import numpy as np

from ..flow.basins import Basins
from ..flow.drainage import accumulate
from ..flow.filling import raise_to_level
from ..flow.routing import Router
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp_of
from ..foundation.terrain import Field
from .climate import ClimateMaps
from .planet_rivers import PlanetRiver, trace_planet_rivers
from .sphere_links import Sphere

_SECONDS_PER_YEAR = 365.25 * 86400.0
# Metres per year that evaporate from a lake at 25 °C, and how much more for each °C.
_EVAPORATION, _PER_DEGREE = 1.4, 0.055
# Metres; a shallower depression is wet ground.
_SHALLOWEST = 5.0


@dataclass(frozen=True)
class PlanetWaters:
    """Where water flows and stands on land; maps are float32 of shape (6, resolution, resolution).

    Attributes
    ----------
    drainage_area : ndarray of float32
        m² that drain through a place.
    river : ndarray of float32
        Water that flows through a place, in m³/s; 0 in the sea.
    lake_depth : ndarray of float32
        Metres; 0 where there is no lake.
    rivers : tuple of PlanetRiver
        The rivers as lines.
    """

    drainage_area: Field
    river: Field
    lake_depth: Field
    rivers: tuple[PlanetRiver, ...]

    @property
    def maps(self) -> dict[str, Field]:
        """The maps by name."""
        return {"drainage_area": self.drainage_area, "river": self.river, "lake_depth": self.lake_depth}


def find_waters(surface: Field, sphere: Sphere, sea_level: float, climate: ClimateMaps) -> PlanetWaters:
    """Find the rivers and lakes of a planet.

    Parameters
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    sphere : Sphere
        Its cells.
    sea_level : float
        Metres; with −inf the lowest place receives all water.
    climate : ClimateMaps
        Rain fills rivers, and warm lakes lose more water than cold ones.

    Returns
    -------
    PlanetWaters
        A lake rises until as much evaporates from it as flows in, and spills where it is full.  What evaporates is
        missing in the rivers below.

    Notes
    -----
    Living planets have few lakes: rivers fill most hollows with what they carry while the land rises, and a lake as
    large as a sample, thousands of km² on an Earth, is rare there too.  Without a sea the lowest place takes all water
    that reaches it and holds no lake.
    """
    cells, mesh = sphere.cells, sphere.mesh
    ground = cells.of(surface)
    outlet_level = max(sea_level, float(ground.min()))
    router = Router(sphere.shape, mesh)
    router.route(ground, outlet_level)
    receivers = router.receivers()
    area = mesh.area.copy()
    accumulate(receivers, router.order, area)
    rain = 1e-3 * cells.of(climate.rain)[0].astype(np.float64)
    open_water = _EVAPORATION * exp_of(np.float32(_PER_DEGREE) * (cells.of(climate.temperature)[0] - np.float32(25.0)))
    # Of little rain hardly any runs off: P − P / √(1 + (P / E)²), Pike (1964).
    runoff = rain - rain / np.sqrt(1.0 + (rain / open_water) ** 2)
    river = runoff * mesh.area / _SECONDS_PER_YEAR
    depth = np.zeros_like(ground)
    if router.basins is not None:
        # Of the rain on a lake nothing stays in the ground.
        loss = np.maximum(open_water - (rain - runoff), 0.0) * mesh.area / _SECONDS_PER_YEAR
        level = _fill_lakes(ground, router.basins, river, loss)
        depth = np.maximum(level - ground, np.float32(0.0))
        depth[depth <= _SHALLOWEST] = 0.0
    accumulate(receivers, router.order, river)
    np.maximum(river, 0.0, out=river)
    river[ground[0] <= outlet_level] = 0.0
    area, river = area.astype(np.float32), river.astype(np.float32)
    rivers = trace_planet_rivers(sphere, router, area.astype(np.float64), river)
    return PlanetWaters(cells.on_faces(area), cells.on_faces(river), cells.on_faces(depth), rivers)


def _fill_lakes(ground: Field, basins: Basins, runoff: Array, loss: Array) -> Field:
    """Return the level of the lake that each cell drains to, and take from the runoff at its pass what evaporates.

    `runoff` and `loss` are in m³/s: what each cell gives to rivers, and what evaporates from it under a lake.
    """
    lakes = np.empty(len(basins), np.int32)
    _join_basins(basins.order, basins.parent, basins.pass_height, basins.level, lakes)
    lake = lakes[basins.labels]
    heights = ground[0]
    hollow = np.flatnonzero(raise_to_level(ground, basins)[0] > heights)
    hollow = hollow[np.lexsort((heights[hollow], lake[hollow]))]
    begins = np.searchsorted(lake[hollow], np.arange(len(basins) + 1))
    inflow = np.bincount(lake, runoff, len(basins))
    levels, lost = basins.level.astype(np.float32), np.zeros(len(basins))
    _balance(basins.order, lakes, basins.parent, heights[hollow], loss[hollow], begins, inflow, levels, lost)
    np.subtract.at(runoff, basins.pass_from[1:], lost[1:])
    return levels[lake]


@kernel
def _join_basins(order: Array, parents: Array, passes: Array, levels: Array, lakes: Array) -> None:
    """Write for each basin the one in whose pass the lake over it ends: basins whose passes are under water are one."""
    for basin in order:
        lakes[basin] = lakes[parents[basin]] if passes[basin] < levels[basin] else basin


@kernel
def _balance(
    order: Array,
    lakes: Array,
    parents: Array,
    heights: Array,
    loss: Array,
    begins: Array,
    inflow: Array,
    levels: Array,
    lost: Array,
) -> None:
    """Lower each lake until no more evaporates than flows in, from the highest lakes to the lowest.

    `heights` and `loss` are those of the cells of each lake, the lowest first.
    """
    for place in range(len(order) - 1, -1, -1):
        basin = order[place]
        if lakes[basin] != basin or parents[basin] == basin:
            continue
        evaporated = 0.0
        for k in range(begins[basin], begins[basin + 1]):
            if evaporated + loss[k] > inflow[basin]:
                levels[basin] = heights[k]
                evaporated = inflow[basin]
                break
            evaporated += loss[k]
        lost[basin] = evaporated
        inflow[lakes[parents[basin]]] += inflow[basin] - evaporated
