"""Rivers and lakes of a planet, found on its finished ground.

References
----------
Cordonnier, G., Bovy, B. & Braun, J. (2019). A versatile, linear complexity algorithm for flow routing in topographies
with depressions. Earth Surface Dynamics 7, 549–562. doi:10.5194/esurf-7-549-2019
"""

from typing import NamedTuple

import numpy as np

from ..flow.drainage import accumulate
from ..flow.filling import raise_to_level
from ..flow.routing import Router
from ..foundation.elementary import exp_of
from ..foundation.terrain import Field
from .climate import ClimateMaps
from .sphere_links import Sphere

_SECONDS_PER_YEAR = 365.25 * 86400.0
# Share of the rain that reaches a river.
_RUNOFF = 0.4
# Metres per year that evaporate from a lake at 25 °C, and how much more for each °C.
_EVAPORATION, _PER_DEGREE = 1.4, 0.055
# Metres; a shallower depression is wet ground.
_SHALLOWEST = 5.0


class PlanetWaters(NamedTuple):
    """Where water flows and stands on land, all float32 of shape (6, resolution, resolution).

    Attributes
    ----------
    drainage_area : ndarray of float32
        m² that drain through a place.
    river : ndarray of float32
        Water that flows through a place, in m³/s; 0 in the sea.
    lake_depth : ndarray of float32
        Metres; 0 where there is no lake.
    """

    drainage_area: Field
    river: Field
    lake_depth: Field


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
        A depression holds a lake if what flows in is more than what evaporates.
    """
    cells, mesh = sphere.cells, sphere.mesh
    ground = cells.of(surface)
    outlet_level = max(sea_level, float(ground.min()))
    router = Router(sphere.shape, mesh)
    router.route(ground, outlet_level)
    receivers = router.receivers()
    area = mesh.area.copy()
    accumulate(receivers, router.order, area)
    river = cells.of(climate.rain)[0] * (1e-3 * _RUNOFF / _SECONDS_PER_YEAR) * mesh.area
    accumulate(receivers, router.order, river)
    depth = raise_to_level(ground, router.basins) - ground
    if router.basins is not None:
        lost = exp_of(np.float32(_PER_DEGREE) * (cells.of(climate.temperature)[0] - np.float32(25.0)))
        lost *= np.float32(_EVAPORATION / _SECONDS_PER_YEAR)
        is_wet = depth[0] > _SHALLOWEST
        labels, count = router.basins.labels, len(router.basins)
        loss = np.bincount(labels, is_wet * lost * mesh.area, count)
        # All that a basin collects flows through its pass.
        inflow = river[np.maximum(router.basins.pass_from, 0)]
        depth[0, ~(is_wet & (inflow > loss)[labels])] = 0.0
    river[ground[0] <= outlet_level] = 0.0
    return PlanetWaters(*(cells.on_faces(values.astype(np.float32)) for values in (area, river, depth)))
