"""The parameters of a plant community."""

from dataclasses import dataclass

from ..parameters import ParameterSet, group, parameter, series
from .dart_throwing import DartThrowing
from .density import COMBINATIONS
from .species import Species

TREE = Species()
BUSH = Species(
    name="bush",
    form="bush",
    height=1.6,
    radius=1.5,
    lifetime=30.0,
    sediment_response=((0.0, 0.0), (0.05, 0.4), (0.3, 1.0), (2.0, 1.0)),
    illumination_response=((0.0, 0.0), (0.3, 0.2), (0.7, 0.8), (1.0, 1.0)),
    humidity_response=((0.0, 0.2), (0.3, 0.5), (0.7, 0.5), (1.0, 0.2)),
    slope_response=((0.0, 1.0), (30.0, 1.0), (45.0, 0.0), (90.0, 0.0)),
    altitude_response=((0.0, 1.0), (1700.0, 1.0), (2300.0, 0.0), (9000.0, 0.0)),
)


@dataclass(frozen=True)
class Ecosystem(ParameterSet):
    """Which plants grow, and how they share the ground."""

    combination: str = parameter(
        "product_sum",
        "How soil, light and water together decide where a plant can stand",
        choices=COMBINATIONS,
        advanced=True,
    )
    cover: float = parameter(
        1.0, "Share of the suitable places that are taken: less makes clearings", limits=(0.0, 1.0)
    )
    throwing: DartThrowing = group(DartThrowing, "How plants are placed")
    species: tuple[Species, ...] = series((Species,), (TREE, BUSH), "Kinds of plants")
