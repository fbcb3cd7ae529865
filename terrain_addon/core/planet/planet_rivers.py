"""The rivers of a planet as lines, from their sources to the sea, a lake's outlet or another river.

References
----------
Leopold, L. B. & Maddock, T. (1953). The hydraulic geometry of stream channels and some physiographic implications. U.S.
Geological Survey Professional Paper 252. doi:10.3133/pp252  (What flows in a river grows with its basin.)
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..flow.drainage import accumulate
from ..flow.rivers import split_into_rivers
from ..flow.routing import Router
from ..foundation.compilation import Array
from .cube_sphere import Directions, face_directions
from .sphere_links import Sphere

_SOURCE_SAMPLES, _SOURCE_RUNOFF = 12.0, 0.2  # a river drains that many samples, m of water a year from them
_YEAR = 365.25 * 86400.0


@dataclass(frozen=True)
class PlanetRiver:
    """One river.

    Attributes
    ----------
    directions : ndarray of float64, shape (points, 3)
        Unit vectors, from the source to the mouth.
    discharge, drainage_area : float
        m³/s and m² at the mouth.
    joins : int
        Number of the river that it flows into; −1 for none.
    """

    directions: Directions
    discharge: float
    drainage_area: float
    joins: int


def trace_planet_rivers(sphere: Sphere, router: Router, area: Array, discharge: Array) -> tuple[PlanetRiver, ...]:
    """Return the rivers of a planet, the largest basins with whole rivers and their tributaries apart.

    Parameters
    ----------
    sphere : Sphere
        The cells of the planet.
    router : Router
        That has routed the water of its ground.
    area, discharge : ndarray of float64, shape (cells,)
        What drains through each cell, in m² and m³/s.

    Returns
    -------
    tuple of PlanetRiver
        Their points are samples, so they follow the maps `river` and `drainage_area`.
    """
    receivers = router.receivers()
    least = _SOURCE_SAMPLES * _SOURCE_RUNOFF * float(sphere.mesh.area.mean()) / _YEAR
    from_rivers = (discharge >= least).astype(np.float64)
    # Down to the place in the sea where each ends.
    accumulate(receivers, router.order, from_rivers)
    channel = router.order[from_rivers[router.order] > 0.0]
    joins, _, first, cells = split_into_rivers(receivers, area, channel)
    places = face_directions(sphere.resolution).reshape(-1, 3)[sphere.cells.first]
    rivers = []
    for number, (begin, end) in enumerate(pairwise(first)):
        along: npt.NDArray[np.int64] = cells[begin:end]
        mouth = along[-2]  # before the sea, or before the other river
        rivers.append(PlanetRiver(places[along], float(discharge[mouth]), float(area[mouth]), int(joins[number])))
    return tuple(rivers)
