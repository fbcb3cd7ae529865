"""The water of a terrain, and the two maps that it holds."""

from ..flow.water import Water, Waters, find_water
from ..foundation.terrain import Field, Terrain
from .climate import RAIN_MAP, rain_share
from .declaration import Map, Measurement


def _find_water(terrain: Terrain, water: Water, rain: Field | None = None) -> Waters:
    return find_water(terrain.surface, terrain.cell_size, water, None if rain is None else rain_share(rain))


WATERS = Measurement("waters", _find_water, reads=("water",), with_climate=(RAIN_MAP.name,), layers=10)
DRAINAGE = Map(
    "drainage",
    lambda terrain, waters: waters.drainage_area,
    needs=("waters",),
    description="Drainage area: the land that drains through each place",
    unit="m²",
    logarithmic=True,
)
WATER_DEPTH = Map(
    "water_depth",
    lambda terrain, waters: waters.water_depth,
    needs=("waters",),
    description="Depth of seas and lakes",
    unit="m",
    is_quick=True,
)
