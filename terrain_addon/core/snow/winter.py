"""The parameters of a winter: the day that is shown, what falls, and what wind and slopes do with the snow.

>>> Winter(day_of_year=400)
Traceback (most recent call last):
    ...
ValueError: day_of_year = 400 d is outside 1 to 365 d
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..climate.snow import DAYS
from ..climate.year import warmer_by
from ..foundation.parameters import ParameterSet, parameter

# North of the equator a winter begins on 1 October, and late July is warmest; south of it half a year later.
_FIRST_DAY, _WARMEST_DAY = 274, 207
_HALF_YEAR = 183


@dataclass(frozen=True)
class Winter(ParameterSet):
    """The snow of one winter, day by day."""

    enabled: bool = parameter(
        False, "Whether snow falls, drifts, slides and melts day by day: it lies on the land as a surface of its own"
    )
    # The light has a day of its own: plants grow by it, and a look at another day of the winter must not move them.
    day_of_year: int = parameter(
        60,
        "Day of the year on which the snow is seen; the snow of a winter begins on 1 October, 1 April in the south",
        unit="d",
        limits=(1, DAYS),
        label="Day of Year",
    )
    snowfall: float = parameter(
        1.0,
        "Snow that falls, as a multiple of what usually falls",
        limits=(0.0, 10.0),
        soft=(0.0, 3.0),
        label="Snowfall",
    )
    valley_temperature: float = parameter(
        -3.0,
        "Temperature of the coldest day at the lowest place of the land; a land with a climate takes it from there",
        unit="°C",
        limits=(-60.0, 40.0),
        soft=(-20.0, 10.0),
        label="Valley in Winter",
    )
    wind_drift: float = parameter(
        0.5,
        "Share of fresh snow that the wind takes from the most exposed ground and brings to the lee",
        limits=(0.0, 1.0),
    )
    avalanches: bool = parameter(True, "Whether snow slides off steep slopes and comes to rest below them")
    precipitation: float = parameter(
        1200.0,
        "Snow and rain of a year, as water; a land with a climate takes it from there",
        unit="mm/yr",
        limits=(0.0, 12000.0),
        soft=(0.0, 4000.0),
        advanced=True,
    )
    season: float = parameter(
        9.0,
        "How much colder the coldest day is than the whole year; a land with a climate takes it from there",
        unit="°C",
        limits=(0.0, 50.0),
        soft=(0.0, 30.0),
        label="Cold of Winter",
        advanced=True,
    )
    wind_direction: float = parameter(
        270.0,
        "Where the wind comes from that drifts the snow: 0 is north, 90 east; where the land has a climate, that says "
        "it",
        unit="°",
        limits=(0.0, 360.0),
        advanced=True,
    )
    melt_rate: float = parameter(
        4.0,
        "Snow, as water, that melts in a day for each degree above 0 °C; 2.5 to 5.5 are measured",
        unit="mm/(d °C)",
        limits=(0.0, 50.0),
        soft=(1.0, 10.0),
        advanced=True,
    )
    avalanche_angle: float = parameter(
        35.0,
        "Slope from which snow slides; the steeper, the less of it stays",
        unit="°",
        limits=(20.0, 60.0),
        soft=(25.0, 50.0),
        advanced=True,
    )


SAID_BY_CLIMATE = ("valley_temperature", "precipitation", "season", "wind_direction")
"""Parameters that do nothing where the land has a climate, which says the same."""


class Course(NamedTuple):
    """The days of a winter from its first to the one that is seen.

    Attributes
    ----------
    offsets : ndarray of float32, shape (days,)
        By how many °C each day differs from the mean of the year.
    days : int
        How many days there are, 1 to 365.
    """

    offsets: npt.NDArray[np.float32]
    days: int


def course_of(day_of_year: int, season: float, latitude: float) -> Course:
    """Return the days of a winter up to one of them.

    Parameters
    ----------
    day_of_year : int
        1 to 365, the last day.
    season : float
        By how many °C the warmest day is warmer than the year.
    latitude : float
        Degrees; below 0 winter begins half a year later.

    Returns
    -------
    Course

    Examples
    --------
    The last day of a northern winter is 30 September:

    >>> course_of(273, 9.0, 45.0).days, course_of(274, 9.0, 45.0).days, course_of(91, 9.0, -45.0).days
    (365, 1, 1)
    """
    turned = _HALF_YEAR if latitude < 0.0 else 0
    days = (day_of_year - _FIRST_DAY + turned) % DAYS + 1
    first = (_FIRST_DAY - _WARMEST_DAY) % DAYS
    return Course(np.roll(warmer_by(season, DAYS), -first)[:days].copy(), days)
