"""All processes of erosion that a recipe can list, each declared in the module of its model."""

from .cliff_retreat import CLIFF_RETREAT
from .deposition import DEPOSITION
from .droplets import DROPLETS
from .glaciation import GLACIATION
from .hillslope import HILLSLOPE_DIFFUSION
from .hydraulic_erosion import HYDRAULIC_EROSION
from .landslides import LANDSLIDES
from .process import Process
from .river_beds import RIVER_BEDS
from .sand import SAND
from .stabilisation import STABILISATION
from .stream_power import STREAM_POWER
from .thermal_erosion import THERMAL_EROSION
from .wandering_rivers import WANDERING_RIVERS
from .weathering import WEATHERING

_LISTED = (
    STREAM_POWER,
    THERMAL_EROSION,
    HYDRAULIC_EROSION,
    DEPOSITION,
    DROPLETS,
    HILLSLOPE_DIFFUSION,
    LANDSLIDES,
    CLIFF_RETREAT,
    STABILISATION,
    WEATHERING,
    RIVER_BEDS,
    SAND,
    GLACIATION,
    WANDERING_RIVERS,
)

PROCESSES: dict[type, Process] = {one.parameters: one for one in _LISTED}
"""By the type of their parameters, in the order in which a menu should offer them."""
