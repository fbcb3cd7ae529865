"""The parameters of a plant community."""

from dataclasses import dataclass

from ..parameters import ParameterSet, parameter, series
from .dart_throwing import SPACING_RULES
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
    spacing_rule: str = parameter("larger", "How far apart two plants stand", choices=SPACING_RULES, advanced=True)
    cover: float = parameter(
        1.0, "Share of the suitable places that are taken: less makes clearings", limits=(0.0, 1.0)
    )
    patience: int = parameter(
        1000,
        "Darts that may miss in a row before the land counts as full",
        limits=(1, 1_000_000),
        soft=(100, 10_000),
        advanced=True,
    )
    species: tuple[Species, ...] = series((Species,), (TREE, BUSH), "Kinds of plants")
