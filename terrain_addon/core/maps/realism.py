"""Whether a surface could be land: eight numbers about drainage that tell real terrain from noise, and two signs of too
much order.

Thresholds were set on windows of real terrain and of noise.  Channels follow the steepest descent (O'Callaghan & Mark
1984) and cross depressions as if these were filled; the heights along them are those of the surface itself, unfilled.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from ..flow.basins import Basins
from ..flow.drainage import drainage_area
from ..flow.filling import fill_depressions, raise_to_level
from ..flow.routing import FlowRoutes, Router, lowest_outlet
from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import DISTANCE
from ..foundation.terrain import Field, as_field
from .slope import measure_gradient
from .topographic_position import measure_topographic_position

LandClass = Literal["mountains", "lone_mountain", "plains", "dunes", "glacial"]
"""What a land wants to be; only of mountains (and hills) is everything asked."""

LAND_CLASSES: dict[LandClass, str] = {
    "mountains": "Mountains and hills: rivers have cut all valleys",
    "lone_mountain": "A volcano or an island: the same, but it may be one single mountain",
    "plains": "Plains: too level for rivers to cut valleys",
    "dunes": "Dunes: shaped by the wind",
    "glacial": "Glacial land: shaped by ice",
}

CHANNEL_CELLS = 100
"""Drainage area, in cells, from which on a cell counts as a channel."""

_SMALLEST_SIDE = 32
_REACH = 15
_POSITION_RADIUS = 6.0
_BIN = 0.1
_SMALLEST_BIN = 10
# 0.2 ‰ of area × relief: less than rounding heights to whole metres makes or hides.  With it real land has the range
# and median of asymmetry that were published; without it, land whose depressions are filled would have infinity.
_UNSEEN_VOLUME = 2e-4
_PERFECT_ASYMMETRY = 2.1
_PERFECT_VARIATION = 0.30


@dataclass(frozen=True)
class RealismNumber:
    """One measured property of a surface.

    Attributes
    ----------
    name : str
    value : float
        NaN where the surface is too small or too level to have it.
    low, high : float
        What passes: above `low` and below `high`.
    real : tuple of float
        Lowest, median and highest of real land; NaN where that is not known.
    unit : str
        Empty for a pure number.
    exempt : bool
        Whether this class of land need not pass.
    """

    name: str
    value: float
    low: float
    high: float
    real: tuple[float, float, float]
    unit: str
    exempt: bool

    @property
    def passed(self) -> bool:
        """Whether the value lies where real land lies, or need not."""
        return self.exempt or self.low < self.value < self.high


@dataclass(frozen=True)
class Realism:
    """What `check_realism` found.

    Attributes
    ----------
    numbers : tuple of RealismNumber
        The eight.
    too_perfect : tuple of str
        Sentences about what is more orderly than real land; empty is good.
    """

    numbers: tuple[RealismNumber, ...]
    too_perfect: tuple[str, ...]

    @property
    def score(self) -> int:
        """How many of the eight numbers pass: real land 6 or more, noise less."""
        return sum(number.passed for number in self.numbers)

    def __getitem__(self, name: str) -> RealismNumber:
        """Return a number by its name."""
        return next(number for number in self.numbers if number.name == name)


# Name: unit, passes above, passes below, real land (lowest, median, highest).
_NAN = math.nan
_NUMBERS: dict[str, tuple[str, float, float, tuple[float, float, float]]] = {
    "depression volume": ("‰", -math.inf, 0.55, (0.0, 0.036, 0.31)),
    "rising reaches": ("", -math.inf, 0.12, (0.0, 0.004, 0.11)),
    "drained share": ("", 0.17, math.inf, (_NAN, 0.83, _NAN)),
    "fill asymmetry": ("", 0.2, math.inf, (0.21, 1.34, 2.1)),
    "channel position": ("", -math.inf, -0.75, (_NAN, -1.28, _NAN)),
    "slope-area fit": ("", 0.65, math.inf, (_NAN, 0.93, _NAN)),
    "drainage density": ("", -math.inf, 0.70, (_NAN, 0.62, _NAN)),
    "concavity": ("", 0.25, 1.0, (_NAN, 0.41, _NAN)),
}
_EXEMPT = ("channel position", "drainage density", "concavity")
_WITHOUT_VALLEYS = ("plains", "dunes", "glacial")


def check_realism(
    surface: Field, cell_size: float, land_class: LandClass = "mountains", *, sea_level: float | None = None
) -> Realism:
    """Measure what tells real land from noise.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres; a few hundred samples a side and more for numbers that mean something.
    cell_size : float
        Metres.
    land_class : {'mountains', 'lone_mountain', 'plains', 'dunes', 'glacial'}
        The last three need not have the valleys that rivers cut: channel position, drainage density and concavity are
        measured but not asked of them.  A lone mountain is, upside down, one hollow as large as itself, so that its
        fill asymmetry says nothing of how few hollows it has: it is no sign of too much order.
    sea_level : float, optional
        Metres; what lies at or below it is no land: rivers end at the coast, and only land is judged.

    Returns
    -------
    Realism
        ``depression volume``: what it takes to fill all depressions, in ‰ of area × relief.
        ``rising reaches``: share of the 15-cell reaches of channels whose lower end is higher.
        ``drained share``: share of cells that drain to the border once depressions shallower than 1 % of the relief
        (at least 3 m) are filled.
        ``fill asymmetry``: log10 of the depression volume of the land upside down over that of the land, to each of
        which 0.2 ‰ is added, because less can not be told from rounded heights.
        ``channel position``: mean topographic position of channels within 6 cells, over its standard deviation.
        ``slope-area fit``, ``concavity``: r² and exponent of slope ∝ area^−θ (Flint 1974) over 15-cell reaches, area
        halfway along, medians in bins of 0.1 decade.
        ``drainage density``: length of channels per area × √(area from which on there is a channel).

    Raises
    ------
    ValueError
        If `land_class` is unknown, the surface is smaller than 32 × 32 or not finite, or `sea_level` is not finite.
    """
    if land_class not in LAND_CLASSES:
        raise ValueError(f"land_class = {land_class!r} is none of: {', '.join(LAND_CLASSES)}")
    surface = as_field(surface, "surface")
    rows, columns = surface.shape
    if min(rows, columns) < _SMALLEST_SIDE:
        raise ValueError(f"a surface of {rows} × {columns} samples is too small to judge; it needs 32 × 32 or more")
    sea = lowest_outlet(sea_level)
    land = surface > sea
    surface = np.maximum(surface, np.float32(sea))
    values = _measure(surface, land, sea)
    numbers = tuple(
        RealismNumber(name, values[name], low, high, real, unit, land_class in _WITHOUT_VALLEYS and name in _EXEMPT)
        for name, (unit, low, high, real) in _NUMBERS.items()
    )
    asymmetry = math.nan if land_class == "lone_mountain" else values["fill asymmetry"]
    return Realism(numbers, _too_perfect(measure_gradient(surface, cell_size)[land], asymmetry))


def _too_perfect(gradient: Array, asymmetry: float) -> tuple[str, ...]:
    signs = []
    if asymmetry > _PERFECT_ASYMMETRY:
        signs.append(f"fill asymmetry {asymmetry:.2f} is above 2.1: there are hardly any hollows")
    mean = _mean(gradient)
    variation = float(gradient.std(dtype=np.float64)) / mean if mean > 0.0 else 0.0
    if variation < _PERFECT_VARIATION:
        signs.append(f"gradients vary by {variation:.2f} of their mean, below 0.30: all slopes are alike")
    return tuple(signs)


def _measure(surface: Field, land: Array, sea: float) -> dict[str, float]:
    lowest, highest = float(surface.min()), float(surface.max())
    relief = highest - lowest
    if relief == 0.0:
        return dict.fromkeys(_NUMBERS, math.nan)
    router = Router(surface.shape)
    router.route(surface, sea)
    drained = _drained_share(surface, land, router.basins, max(0.01 * relief, 3.0))
    filled = raise_to_level(surface, router.basins)
    cells = int(np.count_nonzero(land))
    volume = _rise(surface, filled) / (cells * relief)
    inverse = _rise(-surface, fill_depressions(-surface)) / (cells * relief)

    router.route(filled, sea)
    routes = router.routes(1.0)
    area = drainage_area(routes).ravel()
    channel = (area >= CHANNEL_CELLS) & land.ravel()
    position = measure_topographic_position(surface, 1.0, _POSITION_RADIUS).ravel()
    spread = float(position[land.ravel()].std(dtype=np.float64))
    rising, slopes, halfway = _reaches(surface, routes, area, channel)
    fit, concavity = _slope_area(slopes, halfway)
    return {
        "depression volume": 1e3 * volume,
        "rising reaches": rising,
        "drained share": drained,
        "fill asymmetry": math.log10((inverse + _UNSEEN_VOLUME) / (volume + _UNSEEN_VOLUME)),
        "channel position": _mean(position[channel]) / spread if spread > 0.0 else math.nan,
        "slope-area fit": fit,
        "drainage density": _channel_length(routes, channel) * math.sqrt(CHANNEL_CELLS) / cells,
        "concavity": concavity,
    }


def _rise(surface: Field, filled: Field) -> float:
    return float((filled - surface).sum(dtype=np.float64))


def _mean(values: Array) -> float:
    return float(values.mean(dtype=np.float64)) if values.size else math.nan


def _drained_share(surface: Field, land: Array, basins: Basins | None, deep: float) -> float:
    """Share of cells whose water meets no depression of this depth on its way from basin to basin."""
    if basins is None:
        return 1.0
    stuck = basins.level - surface.ravel()[basins.pit] >= deep
    stuck[0] = False
    up = basins.parent
    while up.any():
        stuck, up = stuck | stuck[up], up[up]
    return 1.0 - _mean(stuck[basins.labels[land.ravel()]])


def _channel_length(routes: FlowRoutes, channel: Array) -> float:
    ways = routes.directions[channel]
    return float(DISTANCE[ways[ways < len(DISTANCE)]].sum(dtype=np.float64))


def _reaches(surface: Field, routes: FlowRoutes, area: Array, channel: Array) -> tuple[float, Array, Array]:
    """Follow channels for 15 cells from each of their cells: share that rises, slope per cell, area halfway."""
    starts = np.flatnonzero(channel)
    slopes, halfway = np.empty(starts.size, np.float64), np.empty(starts.size, np.float64)
    _follow(surface.ravel(), routes.receivers, routes.directions, area, starts, slopes, halfway)
    whole = halfway > 0.0
    slopes, halfway = slopes[whole], halfway[whole]
    return _mean(slopes < 0.0), slopes, halfway


def _slope_area(slopes: Array, area: Array) -> tuple[float, float]:
    """r² and θ of slope ∝ area^−θ, fitted to medians in bins of log area."""
    logarithm = np.log10(area)
    bins = np.floor(logarithm / _BIN).astype(np.int64)
    order = np.lexsort((slopes, bins))
    edges = np.flatnonzero(np.diff(bins[order], prepend=-1, append=-1))
    points = []
    for first, last in pairwise(edges):
        members = order[first:last]
        median = float(np.median(slopes[members]))
        if members.size >= _SMALLEST_BIN and median > 0.0:
            points.append((float(logarithm[members].mean()), math.log10(median)))
    if len(points) < 3:
        return math.nan, math.nan
    x, y = np.array(points).T
    across = ((x - x.mean()) * (y - y.mean())).sum()
    spread_x, spread_y = ((x - x.mean()) ** 2).sum(), ((y - y.mean()) ** 2).sum()
    return float(across**2 / (spread_x * spread_y)) if spread_y > 0.0 else math.nan, float(-across / spread_x)


@kernel
def _follow(
    surface: Array, receivers: Array, directions: Array, area: Array, starts: Array, slopes: Array, halfway: Array
) -> None:
    for number in range(starts.size):
        cell = starts[number]
        length, cells = 0.0, 0
        halfway[number] = 0.0
        while cells < _REACH and directions[cell] < 8:
            length += DISTANCE[directions[cell]]
            cell = receivers[cell]
            cells += 1
            if cells == _REACH // 2:
                middle = area[cell]
        if cells == _REACH:
            slopes[number] = (surface[starts[number]] - surface[cell]) / length
            halfway[number] = middle
