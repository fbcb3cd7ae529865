"""The water of a terrain, and the two maps that it holds."""

from ..flow.water import find_water
from .declaration import Map, Measurement

WATERS = Measurement(
    "waters", lambda terrain, water: find_water(terrain.surface, terrain.cell_size, water), reads=("water",)
)
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
)
