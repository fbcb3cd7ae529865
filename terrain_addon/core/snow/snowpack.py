"""The snow of a winter: it falls and melts day by day, wind and slopes move it every few days, and none is lost.

On a day of T °C, of all that falls a share of 1 − T / 2 °C, cut off at 0 and 1, is snow, and

    M = (k + c P) · max(T, 0)                                                                                     (1)

melts, where k is the melt for a degree (Hock 2003, eq. 2) and P the rain, which brings its own warmth: c is the heat of
water over the heat that melts ice.  Rain runs off on its day.  How deep the snow is follows from its water, age and
weight by the bulk density of Sturm et al. (2010, eq. 6).

References
----------
Hock, R. (2003). Temperature index melt modelling in mountain areas. Journal of Hydrology 282, 104–115.
doi:10.1016/S0022-1694(03)00257-9

Sturm, M., Taras, B., Liston, G. E., Derksen, C., Jonas, T. & Lea, J. (2010). Estimating snow water equivalent using
snow depth data and climate classes. Journal of Hydrometeorology 11, 1380–1394. doi:10.1175/2010JHM1202.1
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..climate.snow import DAYS, snowfall_fraction
from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.terrain import Field
from .avalanches import slide_ground, slide_snow
from .drift import blow_snow, drift_law, wind_frame
from .winter import Course, Winter

# Specific heat of water over the latent heat of ice, in 1/°C.
_WARMTH_OF_RAIN = 4186.0 / 333700.0
# Days from one storm to the next: then the wind blows, and what does not hold slides.
_STORMS = 5
# Days after which the snow that lies counts as ground for the snow that slides.
_BURIED = 15
# Sturm et al. (2010), table 4, alpine snow: largest and initial density as a share of that of water, and how fast it
# grows with depth in cm and with days.  Their days count from New Year; ours begin on 1 October.
_DENSEST, _LOOSEST, _BY_DEPTH, _BY_DAY = 0.5975, 0.2237, 0.0012, 0.0038
_DAYS_BEFORE_YEAR, _LAST_DAY = 92, 181
_MM_PER_CM = 10.0
# Times that depth and density are found from each other; they then agree to 1e-6.
_ROUNDS = 8
_MM_PER_M = 1000.0


class SnowBalance(NamedTuple):
    """Where the snow of a winter went, as water in m³.

    Attributes
    ----------
    fell : float
        Snow that fell.
    melted : float
        What melted.
    left : float
        What wind and avalanches carried over the border or into the sea, less what came in with the wind.
    lies : float
        What lies on the last day.
    """

    fell: float
    melted: float
    left: float
    lies: float

    @property
    def unaccounted(self) -> float:
        """What the balance misses, as a share of what fell; 0 where nothing fell."""
        return abs(self.fell - self.melted - self.left - self.lies) / self.fell if self.fell > 0.0 else 0.0


@dataclass(frozen=True)
class Snowpack:
    """The snow on a land on one day.

    Attributes
    ----------
    water : ndarray of float32, shape (rows, columns)
        The snow as water in mm.
    depth : ndarray of float32, shape (rows, columns)
        How deep it lies, in metres.
    melt : ndarray of float32, shape (rows, columns)
        What melts on this day, as water in mm.
    balance : SnowBalance
        Where all snow went.
    coldest : float
        °C: the coldest place on the coldest day so far.
    """

    water: Field
    depth: Field
    melt: Field
    balance: SnowBalance
    coldest: float


class SnowGround(NamedTuple):
    """What snow meets on a land.

    Attributes
    ----------
    surface, shelter : ndarray of float32, shape (rows, columns)
        Heights in metres, and Sx in degrees for the wind that drifts the snow.
    cell_size : float
        Metres.
    sea_level : float or None
        Metres; on the sea no snow lies.
    """

    surface: Field
    shelter: Field
    cell_size: float
    sea_level: float | None


class WinterWeather(NamedTuple):
    """The weather of a winter.

    Attributes
    ----------
    temperature : ndarray of float32, shape (rows, columns)
        Mean of the year in °C.
    precipitation : ndarray of float32, shape (rows, columns)
        Rain and snow as water in mm per year.
    course : Course
        The days.
    wind_direction : float
        Degrees: where the wind comes from.
    """

    temperature: Field
    precipitation: Field
    course: Course
    wind_direction: float


def lay_snow(ground: SnowGround, weather: WinterWeather, winter: Winter) -> Snowpack:
    """Return the snow on the last day of a winter that begins without any.

    Parameters
    ----------
    ground : SnowGround
        Where it lies.
    weather : WinterWeather
        What brings it and takes it.
    winter : Winter
        What else is asked for.

    Returns
    -------
    Snowpack
    """
    frame = wind_frame(weather.wind_direction)
    surface, shelter = frame.turned(ground.surface), frame.turned(ground.shelter)
    warm, daily = (frame.turned(one) for one in (weather.temperature, weather.precipitation))
    daily *= np.float32(winter.snowfall / DAYS)
    sea = None if ground.sea_level is None else surface <= np.float32(ground.sea_level)
    if sea is not None:
        daily[sea] = 0.0
    state = _State(np.zeros(surface.shape), np.zeros_like(surface), np.zeros_like(surface), warm, daily)
    drift = drift_law(shelter, ground.cell_size, winter.wind_drift, frame.sideways) if winter.wind_drift > 0.0 else None
    moving, sums, left = np.zeros(surface.shape), np.zeros((surface.shape[0], 2)), 0.0
    for first in range(0, weather.course.days, _STORMS):
        offsets = weather.course.offsets[first : first + _STORMS]
        _follow_days(state, offsets, np.float32(winter.melt_rate), sums)
        if offsets.size < _STORMS:
            break
        if drift is not None:
            left += blow_snow(state.water, state.fresh, drift)
        if winter.avalanches:
            if first % _BURIED == 0:
                slides = slide_ground(surface, state.water, ground.cell_size, winter.avalanche_angle)
            left += slide_snow(state.water, slides, moving)
        if sea is not None:
            left += float(state.water[sea].sum())
            state.water[sea] = 0.0
    depth = np.empty_like(surface)
    _find_depth(state.water, _density_without_weight(weather.course.days), depth)
    cubic_metres = ground.cell_size**2 / _MM_PER_M
    fell, melted = (float(one) * cubic_metres for one in sums.sum(axis=0))
    balance = SnowBalance(fell, melted, left * cubic_metres, float(state.water.sum()) * cubic_metres)
    return Snowpack(
        frame.turned_back(state.water.astype(np.float32)),
        frame.turned_back(depth),
        frame.turned_back(state.melt),
        balance,
        float(warm.min() + weather.course.offsets.min()),
    )


class _State(NamedTuple):
    """The snow as water in mm: all, what the wind can still take, what melts on the day; and the weather of a place."""

    water: Array
    fresh: Array
    melt: Array
    temperature: Array
    daily: Array


@parallel_kernel
def _follow_days(part: Part, state: _State, offsets: Array, rate: np.float32, sums: Array) -> None:
    """Let snow fall and melt for some days; what fell and melted is added to the sums of its row."""
    water, fresh, melt, temperature, daily = state
    zero = np.float32(0.0)
    warmth_of_rain = np.float32(_WARMTH_OF_RAIN)
    for row in portion(part, water.shape[0]):
        snow, new, melts, warm, falls = water[row], fresh[row], melt[row], temperature[row], daily[row]
        for offset in offsets:
            fell, melted = 0.0, 0.0
            for column in range(snow.size):
                degrees = warm[column] + offset
                fallen = falls[column] * snowfall_fraction(degrees)
                could = (rate + warmth_of_rain * (falls[column] - fallen)) * max(degrees, zero)  # Eq. (1)
                lies = snow[column] + fallen
                gone = min(np.float64(could), lies)
                snow[column] = lies - gone
                melts[column] = gone
                new[column] = min(np.float64(new[column] + fallen), snow[column])
                fell += fallen
                melted += gone
            sums[row, 0] += fell
            sums[row, 1] += melted


def _density_without_weight(days: int) -> float:
    """Return exp(−k₂ · day) of Sturm et al. (2010), which stands for the age of the snow."""
    return float(exp(-_BY_DAY * min(days - 1 - _DAYS_BEFORE_YEAR, _LAST_DAY)))


@parallel_kernel
def _find_depth(part: Part, water: Array, age: float, depth: Array) -> None:
    """Write how deep snow lies in metres: h = w / ρ, ρ = ρ₀ + (ρₘ − ρ₀) · (1 − exp(−k₁ h) · age)."""
    for row in portion(part, water.shape[0]):
        for column in range(water.shape[1]):
            centimetres = water[row, column] / (_MM_PER_CM * _LOOSEST)
            for _ in range(_ROUNDS):
                density = _DENSEST - (_DENSEST - _LOOSEST) * exp(-_BY_DEPTH * centimetres) * age
                centimetres = water[row, column] / (_MM_PER_CM * density)
            depth[row, column] = 0.01 * centimetres


@kernel
def widen(widths: Array, cells: Array, melt: Array, usual: Array, wider: Array) -> None:
    """Write widths of rivers that carry melt water too: w ∝ Q^½ (Leopold & Maddock 1953).

    Parameters
    ----------
    widths : ndarray of float32, shape (points,)
        Usual widths in metres.
    cells : ndarray of int32, shape (points,)
        Flat index of the cell of each point.
    melt, usual : ndarray of float64, shape (cells,)
        Discharge of melt water and the usual one, in one unit; `usual` is above 0.
    wider : ndarray of float32, shape (points,)
        The result in metres.
    """
    for point in range(widths.size):
        wider[point] = widths[point] * np.sqrt(1.0 + melt[cells[point]] / usual[cells[point]])
