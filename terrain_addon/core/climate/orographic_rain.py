"""Rain that the wind brings to mountains: the linear model of Smith & Barstad.

Air that climbs a slope sheds water; the drops drift with the wind while they grow and fall; behind the ridge air
sinks and dries.  In the waves that the land is the sum of, all of that is one multiplication for each wave ĥ of the
land, eq. (49):

    P̂ = C_w i σ ĥ / ((1 − i m H_w) (1 + i σ τ_c) (1 + i σ τ_f)),    σ = U k + V l                                (49)

with the wind (U, V), the wave numbers (k, l), the times τ_c and τ_f in which drops grow and fall, the depth H_w of the
moist layer, how strongly uplift makes rain, C_w, and m from eq. (12).

A sum of waves repeats itself without end, so the land lies in the middle of wider ground: beyond its border it goes on
as its mirror image and fades to the mean height of its border, over a quarter of its size at least on each side.  Air
that leaves this ground comes in again at the other end.  So rain that drifts farther than that comes back: with the
usual times rain drifts 5 km.  The wind does not see what is finer than a 512th of the land, however finely it is
sampled; so a preview has the same rain.

References
----------
Smith, R. B. & Barstad, I. (2004). A linear theory of orographic precipitation. Journal of the Atmospheric Sciences 61,
1377–1391. doi:10.1175/1520-0469(2004)061<1377:ALTOOP>2.0.CO;2
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease_of
from ..foundation.elementary import cos, sin
from ..foundation.resampling import resample, weigh_rows
from ..foundation.terrain import Field, as_field
from .climate import Climate
from .waves import Spectrum, add_waves, find_waves

_MOST_SAMPLES = 513  # along a side of the land as the wind sees it
_WIDER = 1.5  # the ground on which waves repeat is so much larger than the land, or more
_SECONDS = 3600.0  # in an hour


class WetWind(NamedTuple):
    """The wind and what it does to water, as in `Climate`.

    Attributes
    ----------
    east, north : float
        m/s that the air moves eastward and northward: U and V.
    conversion_time, fall_time : float
        τ_c and τ_f in s.
    stability : float
        N_m in 1/s.
    moist_layer : float
        H_w in m.
    uplift_sensitivity : float
        C_w in kg/m³.
    """

    east: float
    north: float
    conversion_time: float
    fall_time: float
    stability: float
    moist_layer: float
    uplift_sensitivity: float


def wind_of(climate: Climate) -> WetWind:
    """Return the wind of a climate.

    Parameters
    ----------
    climate : Climate
        Where the wind comes from, and its parameters.

    Returns
    -------
    WetWind

    Examples
    --------
    >>> wind_of(Climate(wind_direction=270.0, wind_speed=10.0)).east
    10.0
    """
    comes_from = math.radians(climate.wind_direction)
    return WetWind(
        -climate.wind_speed * sin(comes_from),
        -climate.wind_speed * cos(comes_from),
        climate.conversion_time,
        climate.fall_time,
        climate.stability,
        climate.moist_layer,
        climate.uplift_sensitivity,
    )


def orographic_rain(
    ground: npt.NDArray[np.float64], spacing: tuple[float, float], wind: WetWind
) -> npt.NDArray[np.float64]:
    """Return how much more it rains because of mountains, on ground that repeats itself without end.

    Parameters
    ----------
    ground : ndarray of float64, shape (rows, columns)
        Heights in metres; both sides are powers of two.
    spacing : tuple of float
        Metres between rows and between columns.
    wind : WetWind
        The wind.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        kg/(m² s), which is mm/s; negative where air sinks.  Its mean is 0.

    References
    ----------
    Smith & Barstad (2004), eq. (49) with m from eq. (12).
    """
    waves = find_waves(ground)
    _rain_from(waves, *(1.0 / (count * size) for count, size in zip(ground.shape, spacing)), wind)
    return add_waves(waves)


def measure_rain(surface: Field, cell_size: float, climate: Climate, sea_level: float | None) -> Field:
    """Return the rain of a year on a land.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    climate : Climate
        The wind and its rain.
    sea_level : float or None
        Altitude of the sea in metres, over which air flows; None if there is none.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        mm per year, 0 or more.

    Examples
    --------
    West wind, and a range from south to north: more rain in the west of it than in the east.

    >>> x = np.linspace(-1.0, 1.0, 65, dtype=np.float32)
    >>> range_of_hills = np.repeat(1000.0 / (1.0 + 30.0 * x * x)[np.newaxis], 65, axis=0).astype(np.float32)
    >>> rain = measure_rain(range_of_hills, 500.0, Climate(), None)
    >>> bool(rain[32, 28] > 1000.0 > rain[32, 40])
    True
    """
    return spread_rain(measure_coarse_rain(surface, cell_size, climate, sea_level), surface.shape)


def measure_coarse_rain(surface: Field, cell_size: float, climate: Climate, sea_level: float | None) -> Field:
    """Return the rain of a year on a land as finely as the wind sees it.

    Parameters
    ----------
    surface, cell_size, climate, sea_level
        As for `measure_rain`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        mm per year, 0 or more; at most 513 samples along a side, from border to border of the land.
    """
    surface = as_field(surface, "surface")
    if sea_level is not None:
        surface = np.maximum(surface, np.float32(sea_level))
    seen = _as_wind_sees(surface)
    spacing = tuple(cell_size * max(many - 1, 1) / max(few - 1, 1) for many, few in zip(surface.shape, seen.shape))
    (rows, fade_rows, south), (columns, fade_columns, west) = (_surrounded(count) for count in seen.shape)
    border = np.concatenate((seen[0], seen[-1], seen[:, 0], seen[:, -1])).tolist()
    usual = math.fsum(border) / len(border)
    ground = (seen[np.ix_(rows, columns)] - usual) * (fade_rows[:, np.newaxis] * fade_columns)
    more = orographic_rain(ground, (spacing[0], spacing[1]), wind_of(climate))
    inside = more[south : south + seen.shape[0], west : west + seen.shape[1]]
    return np.maximum(climate.rain + _SECONDS * climate.wet_hours * inside, 0.0).astype(np.float32)


def spread_rain(coarse: Field, shape: tuple[int, ...]) -> Field:
    """Return rain at the samples of a land.

    Parameters
    ----------
    coarse : ndarray of float32
        From `measure_coarse_rain`.
    shape : tuple of int
        (rows, columns) of the land.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        mm per year, 0 or more.
    """
    if coarse.shape == shape:
        return coarse
    south_north, west_east = (np.linspace(0.0, few - 1.0, many) for few, many in zip(coarse.shape, shape))
    return resample(coarse, south_north, west_east, 1.0, (0.0, math.inf))


def _as_wind_sees(surface: Field) -> Field:
    """Return the land with at most `_MOST_SAMPLES` along a side."""
    step = max(max(surface.shape) - 1, 1) / (_MOST_SAMPLES - 1)
    if step <= 1.0:
        return surface
    for many in surface.shape:
        few = max(round((many - 1) / step), 1) + 1
        surface = weigh_rows(surface, np.linspace(0.0, many - 1.0, few), (many - 1) / (few - 1)).T
    return np.ascontiguousarray(surface)


def _surrounded(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], int]:
    """Return which sample of the land wider ground shows at each of its own, how much of it, and where the land begins.

    Beyond the border the land is mirrored, and fades along 3t² − 2t³.
    """
    side = 2
    while side < _WIDER * count:
        side *= 2
    before = (side - count) // 2
    place = np.arange(side) - before
    outside = np.maximum(np.maximum(-place, place - (count - 1)), 0)
    mirrored = np.where(place < 0, outside, count - 1 - outside)
    shown = np.clip(np.where(outside > 0, mirrored, place), 0, count - 1)
    t = 1.0 - outside / (side - count - before + 1.0)
    return shown, ease_of(t), before


@parallel_kernel
def _rain_from(part: Part, waves: Spectrum, per_row: float, per_column: float, wind: WetWind) -> None:
    """Multiply each wave of the ground by what it does to rain; waves per metre are given for the longest ones."""
    rows, columns = waves.real.shape
    for row in portion(part, rows):
        north = 2.0 * math.pi * per_row * (row if 2 * row <= rows else row - rows)
        for column in range(columns):
            east = 2.0 * math.pi * per_column * (column if 2 * column <= columns else column - columns)
            # σ = U k + V l, between (6) and (7)
            sigma = wind.east * east + wind.north * north
            a, b = waves.real[row, column], waves.imaginary[row, column]
            if sigma == 0.0:
                waves.real[row, column], waves.imaginary[row, column] = 0.0, 0.0
                continue
            # The numerator of (49), C_w i σ ĥ.
            x, y = -wind.uplift_sensitivity * sigma * b, wind.uplift_sensitivity * sigma * a
            # (12): m = [(N_m² − σ²) / σ² (k² + l²)]^½, with the sign of σ; imaginary where the air only swings up and
            # down over hills too short for it.
            buoyancy = wind.stability * wind.stability - sigma * sigma
            squared = buoyancy / (sigma * sigma) * (east * east + north * north)
            if squared >= 0.0:
                x, y = _divide(x, y, -math.copysign(math.sqrt(squared), sigma) * wind.moist_layer)
            else:
                lessened = 1.0 / (1.0 + math.sqrt(-squared) * wind.moist_layer)
                x, y = x * lessened, y * lessened
            x, y = _divide(x, y, sigma * wind.conversion_time)
            x, y = _divide(x, y, sigma * wind.fall_time)
            waves.real[row, column], waves.imaginary[row, column] = x, y


@kernel
def _divide(x: float, y: float, imaginary: float) -> tuple[float, float]:
    """Return x + i y over 1 + i times a number."""
    size = 1.0 + imaginary * imaginary
    return (x + y * imaginary) / size, (y - x * imaginary) / size
