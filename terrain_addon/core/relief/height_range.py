"""The range of heights that every relief out of nothing is scaled to."""

from dataclasses import dataclass

from ..parameters import ParameterSet, parameter


@dataclass(frozen=True)
class HeightRange(ParameterSet):
    """From the lowest to the highest point that there could be; most land uses the middle of it."""

    height: float = parameter(
        1800.0,
        "Height that the highest summit could reach above the base",
        unit="m",
        limits=(0.0, 20000.0),
        soft=(0.0, 4000.0),
    )
    base_altitude: float = parameter(
        0.0,
        "Altitude of the lowest point that there could be",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-500.0, 2000.0),
    )
