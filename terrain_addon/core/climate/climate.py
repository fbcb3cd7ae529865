"""The parameters of the climate of a landscape: the wet wind, its rain, and how warm it is.

>>> Climate(wind_speed=0.0)
Traceback (most recent call last):
    ...
ValueError: wind_speed = 0.0 m/s is outside 0.5 to 60.0 m/s
"""

from dataclasses import dataclass

from ..foundation.parameters import ParameterSet, parameter

TREE_LINE = 1.0
"""Mean temperature of the year in °C where trees end."""
SNOW_LINE = -1.5
"""Mean temperature of the year in °C where snow stays through the summer."""


@dataclass(frozen=True)
class Climate(ParameterSet):
    """Wind and temperature: they give rain, moisture and snow."""

    enabled: bool = parameter(
        False, "Whether the land has maps of rain, temperature, moisture and snow, and rivers that follow the rain"
    )
    wind_direction: float = parameter(
        270.0,
        "Where the wind comes from that brings the rain: 0 is north, 90 east, 180 south, 270 west",
        unit="°",
        limits=(0.0, 360.0),
    )
    wind_speed: float = parameter(
        12.0, "Speed of the wind that brings the rain", unit="m/s", limits=(0.5, 60.0), soft=(2.0, 30.0)
    )
    rain: float = parameter(
        1000.0,
        "Rain of a year that would fall everywhere without mountains",
        unit="mm/yr",
        limits=(0.0, 12000.0),
        soft=(0.0, 4000.0),
    )
    wet_hours: float = parameter(
        200.0,
        "Hours of a year in which wet air blows over the mountains: more of them make one side wet and the other dry",
        unit="h/yr",
        limits=(0.0, 8766.0),
        soft=(0.0, 3000.0),
    )
    warmth: float = parameter(
        4.0,
        "How much warmer the land is than others at its latitude: 4 in western Europe, -4 in eastern Asia",
        unit="°C",
        limits=(-60.0, 60.0),
        soft=(-15.0, 15.0),
    )
    season: float = parameter(
        9.0,
        "How much warmer the warmest month is than the whole year: 9 in central Europe, 20 in Siberia, 2 near the "
        "equator",
        unit="°C",
        limits=(0.0, 50.0),
        soft=(0.0, 30.0),
    )
    lapse_rate: float = parameter(
        6.5, "How much colder it gets with altitude", unit="°C/km", limits=(0.0, 15.0), soft=(4.0, 10.0), advanced=True
    )
    sunny_slopes: float = parameter(
        3.0,
        "How much warmer the brightest ground is than ground without light",
        unit="°C",
        limits=(0.0, 20.0),
        soft=(0.0, 6.0),
        advanced=True,
    )
    conversion_time: float = parameter(
        200.0,
        "How long cloud drops drift with the wind before they are rain: longer moves rain towards the lee",
        unit="s",
        limits=(0.0, 10000.0),
        soft=(0.0, 2000.0),
        advanced=True,
    )
    fall_time: float = parameter(
        200.0,
        "How long rain drifts with the wind before it reaches the ground: longer moves rain towards the lee",
        unit="s",
        limits=(0.0, 10000.0),
        soft=(0.0, 2000.0),
        advanced=True,
    )
    stability: float = parameter(
        0.005,
        "Moist stability frequency: how strongly air that was lifted sinks back; 0 is neutral, 0.01 very stable",
        unit="1/s",
        limits=(0.0, 0.05),
        soft=(0.0, 0.01),
        advanced=True,
    )
    moist_layer: float = parameter(
        2500.0,
        "Height in which the moisture of the air falls to about a third (1/e)",
        unit="m",
        limits=(10.0, 20000.0),
        soft=(1000.0, 5000.0),
        advanced=True,
    )
    uplift_sensitivity: float = parameter(
        0.007,
        "Water that air sheds when it is lifted: warm air about 0.010, cold air 0.004",
        unit="kg/m³",
        limits=(0.0, 0.05),
        soft=(0.001, 0.02),
        advanced=True,
    )
