"""Realism check: eight numbers that tell measured land of a class from other land, and two signs of too much order.

Which eight follows from the class, see `land_classes`.  Those of mountains are about drainage, and their thresholds
were set on 11 windows of real terrain.  In a test on 11 other windows, 9 pass six numbers or more; in a test on 18
fields of noise, none does.  Channels follow the steepest descent (O'Callaghan & Mark 1984) and cross
depressions as if these were filled.  The heights along them are those of the unfilled surface.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..flow.basins import Basins
from ..flow.drainage import drainage_area
from ..flow.filling import fill_depressions, raise_to_level
from ..flow.routing import FlowRoutes, Router, lowest_outlet
from ..foundation.compilation import Array, kernel
from ..foundation.neighbours import DISTANCE
from ..foundation.terrain import Field, as_field
from .land_classes import CLASSES, DIFFERENCES, Criterion, LandClass, RealRange
from .land_shapes import measure_shapes
from .slope import measure_gradient
from .topographic_position import measure_topographic_position

LAND_CLASSES: dict[LandClass, str] = {name: one.description for name, one in CLASSES.items()}
"""Kinds of land, with their descriptions."""

CHANNEL_CELLS = 100
"""Drainage area in cells from which on a cell counts as part of a channel."""

# Fewest rows and columns that can be judged.
_SMALLEST_SIDE = 32
# Length of a reach of a channel, in cells.
_REACH = 15
# Radius of the topographic position index, in cells.
_POSITION_RADIUS = 6.0
# Width of a bin of log10(drainage area), and the fewest reaches that a bin must hold.
_BIN = 0.1
_SMALLEST_BIN = 10
# Fill volume that is added to both sides of the asymmetry: 0.2 ‰ of area × relief, less than rounding heights to whole
# metres creates or hides.  With it, real land has the known range and median of the asymmetry; without it, land without
# depressions would have an infinite one.
_UNSEEN_VOLUME = 2e-4
# Above this asymmetry, or below this variation of gradients, land is too perfect.
_PERFECT_ASYMMETRY = 2.1
_MOST_DECIMALS = 4  # of a number that is shown; the smallest limit is 0.001
_SMALLEST_SHOWN = 0.5 * 10.0**-_MOST_DECIMALS
_PERFECT_VARIATION = 0.30


@dataclass(frozen=True)
class RealismNumber:
    """One measured property of a surface.

    Attributes
    ----------
    name : str
        Which of the eight.
    value : float
        NaN if the surface is too small or too level to have one.
    low, high : float
        The value passes if it is above `low` and below `high`.
    real : RealRange
        Values of real land.
    unit : str
        Empty for a pure number.
    source : str
        Where the range of real land is from.
    """

    name: str
    value: float
    low: float
    high: float
    real: RealRange
    unit: str
    source: str

    @property
    def passed(self) -> bool:
        """Whether the value passes."""
        return self.low < self.value < self.high

    @property
    def range(self) -> str:
        """What the value must be, in words."""
        if math.isinf(self.low):
            return f"below {self.high:g}"
        return f"above {self.low:g}" if math.isinf(self.high) else f"{self.low:g} to {self.high:g}"

    @property
    def shown(self) -> str:
        """The value without an exponent: with three digits, or as a whole number from 1000 on; unknown for NaN."""
        if math.isnan(self.value):
            return "unknown"
        if abs(self.value) >= 999.5:
            return f"{self.value:.0f}"
        return f"{round(self.value, _MOST_DECIMALS):.3g}" if abs(self.value) >= _SMALLEST_SHOWN else "0.0"

    @property
    def difference(self) -> str:
        """How the land differs from real land, in words; empty if the value passes."""
        if math.isnan(self.value):
            return f"{self.name} cannot be measured"
        too_low, too_high = DIFFERENCES[self.name]
        return "" if self.passed else too_low if self.value <= self.low else too_high

    def __str__(self) -> str:
        """Return name, value and what it must be."""
        value = self.shown
        return " ".join(f"{self.name} {value} {self.unit}".split()) + f" ({self.range})"


@dataclass(frozen=True)
class Realism:
    """Result of `check_realism`.

    Attributes
    ----------
    numbers : tuple of RealismNumber
        The eight numbers.
    too_perfect : tuple of str
        One sentence for each way in which the land is more orderly than real land; empty is good.
    land_class : str
        The class of land that it is judged as.
    """

    numbers: tuple[RealismNumber, ...]
    too_perfect: tuple[str, ...]
    land_class: LandClass = "mountains"

    @property
    def sentence(self) -> str:
        """The class, the mark, and the numbers that do not pass, or all of them."""
        failed = [str(number) for number in self.numbers if not number.passed]
        mark = f"{self.score} of {len(self.numbers)} as {self.land_class}"
        if failed:
            return f"{mark}; outside the range of real land: {', '.join(failed)}"
        return f"{mark}: {', '.join(str(number) for number in self.numbers)}"

    @property
    def plain_sentence(self) -> str:
        """The mark, and in words how the land differs from real land."""
        kind = CLASSES[self.land_class].several or self.land_class
        mark = f"This land passes {self.score} of {len(self.numbers)} tests for real {kind}."
        differences = [number.difference for number in self.numbers if number.difference]
        return f"{mark} Unlike real land: {', '.join(differences)}." if differences else mark

    @property
    def score(self) -> int:
        """How many of the eight numbers pass: 6 or more for real land, fewer for noise."""
        return sum(number.passed for number in self.numbers)

    def __getitem__(self, name: str) -> RealismNumber:
        """Return the number of that name."""
        return next(number for number in self.numbers if number.name == name)


class _Drainage(NamedTuple):
    """Numbers of the drainage, which `check_realism` explains."""

    depression_volume: float
    rising_reaches: float
    drained_share: float
    fill_asymmetry: float
    channel_position: float
    slope_area_fit: float
    drainage_density: float
    concavity: float


def check_realism(
    surface: Field, cell_size: float, land_class: LandClass = "mountains", *, sea_level: float | None = None
) -> Realism:
    """Measure the eight numbers of a class of land, and look for too much order.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres, 32 × 32 samples or more.  The numbers are reliable from a few hundred samples per side on.
    cell_size : float
        Metres.
    land_class : str
        Kind of land, of `LAND_CLASSES`.  A volcano or an island is one large hollow when turned upside down, so a high
        fill asymmetry is no sign of too much order there.
    sea_level : float, optional
        Metres.  Cells at or below it are not land: rivers end at the coast, and only land is judged.

    Returns
    -------
    Realism
        The eight numbers.  Some are those of `Shapes`; the others:
        ``depression volume``: volume that fills all depressions, in ‰ of area × relief.
        ``rising reaches``: share of 15-cell reaches of channels whose downstream end is higher.
        ``drained share``: share of cells that drain to the border after all depressions shallower than 1 % of the
        relief (or 3 m, if that is more) are filled.
        ``fill asymmetry``: log10 of the depression volume of the land upside down over that of the land.  0.2 ‰ is
        added to both, because smaller volumes cannot be told from rounded heights.
        ``channel position``: mean topographic position index of channels (Weiss 2001, radius 6 cells), divided by the
        standard deviation of the index over the land.
        ``slope-area fit`` and ``concavity``: r² and θ of the slope–area law S ∝ A^−θ (Flint 1974), fitted to the
        medians of 15-cell reaches in bins of 0.1 decade of the drainage area halfway along the reach.
        ``drainage density``: length of channels per area (Horton 1945), times the square root of the drainage area at
        which a channel begins.

    Raises
    ------
    ValueError
        If `land_class` is unknown, the surface is smaller than 32 × 32 or not finite, or `sea_level` is not finite.

    References
    ----------
    Flint, J. J. (1974). Stream gradient as a function of order, magnitude, and discharge. Water Resources Research,
    10(5), 969–973. doi:10.1029/WR010i005p00969

    Horton, R. E. (1945). Erosional development of streams and their drainage basins; hydrophysical approach to
    quantitative morphology. Geological Society of America Bulletin, 56(3), 275–370.
    doi:10.1130/0016-7606(1945)56[275:EDOSAT]2.0.CO;2

    Weiss, A. D. (2001). Topographic position and landforms analysis. Poster, ESRI User Conference, San Diego.

    O'Callaghan, J. F., & Mark, D. M. (1984). The extraction of drainage networks from digital elevation data.
    Computer Vision, Graphics, and Image Processing, 28(3), 323–344. doi:10.1016/S0734-189X(84)80011-0

    Examples
    --------
    Parallel valleys that fall to the south have no depressions, but their slopes are all alike:

    >>> import numpy as np
    >>> from terrain_addon.core.maps.realism import check_realism
    >>> row, column = np.mgrid[0:64, 0:64]
    >>> valleys = (row + 5.0 * abs(column % 20 - 10)).astype(np.float32)
    >>> realism = check_realism(valleys, 10.0)
    >>> realism["depression volume"].value, realism["depression volume"].passed
    (0.0, True)
    >>> realism.too_perfect
    ('gradients vary by 0.25 of their mean, below 0.30: all slopes are alike',)
    """
    if land_class not in LAND_CLASSES:
        raise ValueError(f"land_class = {land_class!r} is none of: {', '.join(LAND_CLASSES)}")
    surface = as_field(surface, "surface")
    rows, columns = surface.shape
    if min(rows, columns) < _SMALLEST_SIDE:
        raise ValueError(
            f"a surface of {rows} × {columns} samples is too small to judge; "
            f"it needs {_SMALLEST_SIDE} × {_SMALLEST_SIDE} or more"
        )
    sea = lowest_outlet(sea_level)
    land = surface > sea
    whole, surface = surface, np.maximum(surface, np.float32(sea))
    criteria = CLASSES[land_class].criteria
    values = _measure(surface, land, sea)._asdict()
    if any(_field_of(one) not in values for one in criteria):
        values |= _shapes(whole, cell_size, sea, CLASSES[land_class].cell_size)
    numbers = tuple(
        RealismNumber(one.name, values[_field_of(one)], one.low, one.high, one.real, one.unit, one.source)
        for one in criteria
    )
    asymmetry = math.nan if CLASSES[land_class].is_alone else values["fill_asymmetry"]
    return Realism(numbers, _too_perfect(measure_gradient(surface, cell_size)[land], asymmetry), land_class)


def _field_of(criterion: Criterion) -> str:
    return criterion.name.replace(" ", "_").replace("-", "_")


def _shapes(surface: Field, cell_size: float, sea: float, coarsest: float) -> dict[str, float]:
    """Measure the shape of a land on cells of about the size of those of the data."""
    times = max(round(coarsest / cell_size), 1)
    rows, columns = (side // times * times for side in surface.shape)
    blocks = surface[:rows, :columns].reshape(rows // times, times, columns // times, times)
    if min(rows, columns) // times < 3:
        return measure_shapes(surface, cell_size, sea)._asdict()
    return measure_shapes(
        blocks.mean(axis=(1, 3), dtype=np.float64).astype(np.float32), times * cell_size, sea
    )._asdict()


def _too_perfect(gradient: Array, asymmetry: float) -> tuple[str, ...]:
    """Return one sentence for each sign of too much order."""
    signs = []
    if asymmetry > _PERFECT_ASYMMETRY:
        signs.append(f"fill asymmetry {asymmetry:.2f} is above {_PERFECT_ASYMMETRY:g}: there are hardly any hollows")
    mean = _mean(gradient)
    variation = float(gradient.std(dtype=np.float64)) / mean if mean > 0.0 else 0.0
    if variation < _PERFECT_VARIATION:
        signs.append(
            f"gradients vary by {variation:.2f} of their mean, below {_PERFECT_VARIATION:.2f}: all slopes are alike"
        )
    return tuple(signs)


def _measure(surface: Field, land: Array, sea: float) -> _Drainage:
    """Measure the numbers; all are NaN on a level surface."""
    lowest, highest = float(surface.min()), float(surface.max())
    relief = highest - lowest
    if relief == 0.0:
        return _Drainage(*[math.nan] * len(_Drainage._fields))
    router = Router(surface.shape)
    router.route(surface, sea)
    drained = _drained_share(surface, land, router.basins, max(0.01 * relief, 3.0))
    filled = raise_to_level(surface, router.basins)
    cells = int(np.count_nonzero(land))
    volume = _sum_of_rise(surface, filled) / (cells * relief)
    inverse = _sum_of_rise(-surface, fill_depressions(-surface)) / (cells * relief)

    router.route(filled, sea)
    routes = router.routes(1.0)
    area = drainage_area(routes).ravel()
    channel = (area >= CHANNEL_CELLS) & land.ravel()
    position = measure_topographic_position(surface, 1.0, _POSITION_RADIUS).ravel()
    spread = float(position[land.ravel()].std(dtype=np.float64))
    rising, slopes, halfway = _measure_reaches(surface, routes, area, channel)
    fit, concavity = _fit_slope_area_law(slopes, halfway)
    return _Drainage(
        depression_volume=1e3 * volume,
        rising_reaches=rising,
        drained_share=drained,
        fill_asymmetry=math.log10((inverse + _UNSEEN_VOLUME) / (volume + _UNSEEN_VOLUME)),
        channel_position=_mean(position[channel]) / spread if spread > 0.0 else math.nan,
        slope_area_fit=fit,
        drainage_density=_channel_length(routes, channel) * math.sqrt(CHANNEL_CELLS) / cells,
        concavity=concavity,
    )


def _sum_of_rise(surface: Field, filled: Field) -> float:
    """Return the sum over all cells of how much filling raised them, in metres."""
    return float((filled - surface).sum(dtype=np.float64))


def _mean(values: Array) -> float:
    """Return the mean, or NaN if there are no values."""
    return float(values.mean(dtype=np.float64)) if values.size else math.nan


def _drained_share(surface: Field, land: Array, basins: Basins | None, deep: float) -> float:
    """Return the share of cells whose water meets no depression of depth `deep` or more, from basin to basin."""
    if basins is None:
        return 1.0
    stuck = basins.level - surface.ravel()[basins.pit] >= deep
    stuck[0] = False
    # Each round looks twice as many basins downstream.
    downstream = basins.parent
    while downstream.any():
        stuck, downstream = stuck | stuck[downstream], downstream[downstream]
    return 1.0 - _mean(stuck[basins.labels[land.ravel()]])


def _channel_length(routes: FlowRoutes, channel: Array) -> float:
    """Return the length of all channels in cells."""
    ways = routes.directions[channel]
    return float(DISTANCE[ways[ways < len(DISTANCE)]].sum(dtype=np.float64))


def _measure_reaches(surface: Field, routes: FlowRoutes, area: Array, channel: Array) -> tuple[float, Array, Array]:
    """Return the share of reaches that rise, and slope and drainage area halfway of all; one begins at each cell."""
    starts = np.flatnonzero(channel)
    slopes, halfway = np.empty(starts.size, np.float64), np.empty(starts.size, np.float64)
    _follow_reaches(surface.ravel(), routes.receivers, routes.directions, area, starts, slopes, halfway)
    whole = halfway > 0.0
    slopes, halfway = slopes[whole], halfway[whole]
    return _mean(slopes < 0.0), slopes, halfway


def _fit_slope_area_law(slopes: Array, area: Array) -> tuple[float, float]:
    """Return r² and θ of Flint's law S ∝ A^−θ, fitted to the medians of S in bins of log A."""
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
def _follow_reaches(
    surface: Array, receivers: Array, directions: Array, area: Array, starts: Array, slopes: Array, halfway: Array
) -> None:
    """Write slope and drainage area halfway of the reach below each start; area 0 if the reach ends too early."""
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
