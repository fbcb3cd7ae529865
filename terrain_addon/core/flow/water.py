"""All the water of a land: sea, lakes, rivers."""

from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field, as_field
from .drainage import drainage_area
from .filling import raise_to_level
from .lakes import Lakes, find_lakes
from .rivers import Rivers, trace_rivers
from .routing import Router

_KM2 = 1e6


@dataclass(frozen=True)
class Water(ParameterSet):
    """Water stands where it cannot leave, and runs where enough of it comes together."""

    sea: bool = parameter(False, "Whether the land below the sea level lies under the sea")
    sea_level: float = parameter(
        0.0, "Altitude of the sea", unit="m", limits=(-12000.0, 12000.0), soft=(-500.0, 2000.0)
    )
    lakes: bool = parameter(True, "Whether depressions are full of water")
    river_source: float = parameter(
        0.2,
        "Land that has to drain to one place before a river begins there; with less of it there are more rivers",
        unit="km²",
        limits=(1e-6, 1e6),
        soft=(0.01, 10.0),
    )
    rivers: bool = parameter(True, "Whether water runs as rivers where enough of it comes together", advanced=True)
    river_width: float = parameter(
        3.0,
        "Width of a river that drains 1 km²; one that drains four times as much is twice as wide",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.5, 20.0),
        advanced=True,
    )
    smallest_lake: float = parameter(
        2000.0,
        "Area below which a depression stays dry",
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

    @property
    def sea_surface(self) -> float | None:
        """Altitude of the sea in metres; None where there is none."""
        return self.sea_level if self.sea else None


@dataclass(frozen=True)
class Waters:
    """The water of a land.

    Attributes
    ----------
    sea_level : float or None
        Metres; None if there is no sea.
    water_level : ndarray of float32, shape (rows, columns)
        Height of sea or lake in metres; where it is dry, of the ground.
    water_depth : ndarray of float32, shape (rows, columns)
        Depth of sea or lake in metres, 0 where it is dry.  Rivers are not in it.
    drainage_area : ndarray of float32, shape (rows, columns)
        m².
    lakes : Lakes
        None of them in the sea.
    rivers : Rivers
        They run through lakes, on their surface, and end where the sea begins.
    """

    sea_level: float | None
    water_level: Field
    water_depth: Field
    drainage_area: Field
    lakes: Lakes
    rivers: Rivers


def find_water(surface: Field, cell_size: float, water: Water, rain: Field | None = None) -> Waters:
    """Find where water stands and runs on a land.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    water : Water
        What of it there shall be.
    rain : ndarray of float32, shape (rows, columns), optional
        Rain as a multiple of the mean, 0 or more; an area counts as many times for rivers.

    Returns
    -------
    Waters

    Raises
    ------
    ValueError
        If heights are not finite, `cell_size` is not above 0 or `rain` does not fit.
    """
    surface = as_field(surface, "surface")
    sea_level = water.sea_surface
    router = Router(surface.shape)
    router.route(surface, -np.inf if sea_level is None else sea_level)
    routes = router.routes(cell_size)
    area = drainage_area(routes, rain)
    basins = router.basins

    lakes = find_lakes(
        surface,
        cell_size,
        basins if water.lakes else None,
        smallest_area=water.smallest_lake,
        shallowest=water.shallowest_lake,
    )
    rivers = trace_rivers(
        routes,
        area,
        raise_to_level(surface, basins),
        river_source=water.river_source * _KM2 if water.rivers else np.inf,
        river_width=water.river_width,
    )
    level, depth = np.empty_like(surface), np.empty_like(surface)
    sea = np.float32(-np.inf if sea_level is None else sea_level)
    # The level of lake −1, dry ground, is the last one.
    levels = np.append(lakes.level, np.float32(-np.inf))
    _stand(surface.ravel(), lakes.labels.ravel(), levels, sea, level.ravel(), depth.ravel())
    return Waters(sea_level, level, depth, area.astype(np.float32), lakes, rivers)


@kernel
def _stand(surface: Array, labels: Array, levels: Array, sea: np.float32, level: Array, depth: Array) -> None:
    for cell in range(surface.size):
        level[cell] = max(surface[cell], max(sea, levels[labels[cell]]))
        depth[cell] = level[cell] - surface[cell]
