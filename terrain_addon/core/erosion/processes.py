"""All processes that can stand in a recipe's list of erosion, and how each is run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..foundation.parameters import ParameterSet
from ..foundation.progress import Steps
from .deposition import Deposition, deposit_load
from .droplets import Droplets, erode_by_droplets
from .hillslope import HillslopeDiffusion, diffuse_hillslopes
from .hydraulic_erosion import HydraulicErosion, erode_by_water
from .landslides import Landslides, collapse_walls
from .mass_balance import Eroded
from .river_beds import RiverBeds, cut_river_beds
from .stabilisation import Stabilisation, stabilise_sediment
from .stream_power import StreamPower, age_land, erode_by_stream_power, land_at_age
from .thermal_erosion import ThermalErosion, erode_by_frost
from .weathering import Weathering, erode_by_weathering

MASKS = ("rain", "hardness")
"""Parameters that are masks: a process gets the field that each stands for."""


@dataclass(frozen=True)
class Process:
    """How a kind of process is run.

    Attributes
    ----------
    work : callable
        ``work(terrain, parameters, **wants)`` gives the steps towards what it makes of the land.
    wants : tuple of str
        Keywords that it takes: seed, sea_level, one of `MASKS`, or the name of a map of the land it works on.
    """

    work: Callable[..., Steps[Eroded]]
    wants: tuple[str, ...] = ()


PROCESSES: Mapping[type[ParameterSet], Process] = {
    StreamPower: Process(erode_by_stream_power, ("seed", "sea_level", *MASKS)),
    ThermalErosion: Process(erode_by_frost, ("illumination",)),
    HydraulicErosion: Process(erode_by_water, ("humidity",)),
    Deposition: Process(deposit_load, ("rain", "sea_level")),
    Droplets: Process(erode_by_droplets, ("seed",)),
    HillslopeDiffusion: Process(diffuse_hillslopes),
    Landslides: Process(collapse_walls, ("hardness",)),
    Stabilisation: Process(stabilise_sediment),
    Weathering: Process(erode_by_weathering),
    RiverBeds: Process(cut_river_beds, ("water",)),
}
"""By the type of their parameters, in the order in which a menu should offer them."""


@dataclass(frozen=True)
class Ageing:
    """A process whose land can be had at any age once its history is known.

    Attributes
    ----------
    follow : callable
        As `Process.work`, gives the steps towards the history.
    grow : callable
        ``grow(history, value)`` gives the steps towards the land.
    age : str
        The parameter on which only `grow` depends.
    """

    follow: Callable[..., Steps[Any]]
    grow: Callable[[Any, Any], Steps[Eroded]]
    age: str


AGEING: Mapping[type[ParameterSet], Ageing] = {StreamPower: Ageing(age_land, land_at_age, "age")}
"""By the type of their parameters."""
