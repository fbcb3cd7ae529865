"""Shapes of a land in numbers: how steep it is, how far valleys and crests are apart, how wide troughs are.

>>> row, column = np.mgrid[0:64, 0:64]
>>> roof = (0.98 * np.abs(column % 16 - 8)).astype(np.float32)
>>> shapes = measure_shapes(roof, 1.0)
>>> round(shapes.side_slope), round(shapes.crest_spacing), round(shapes.crest_height), shapes.steep_ground
(44, 16, 8, 0.0)

References
----------
D. M. Mark (1974), "Line intersection method for estimating drainage density", Geology 2, 235-236,
doi:10.1130/0091-7613(1974)2<235:LIMFED>2.0.CO;2: length of valleys per area is π/2 times their number per length of a
straight line.

A. D. Nobre et al. (2011), "Height Above the Nearest Drainage - a hydrologically relevant new terrain model", Journal of
Hydrology 404, 13-29, doi:10.1016/j.jhydrol.2011.03.051: heights above the next channel downstream.

E. H. Hammond (1964), "Analysis of properties in land form geography", Annals of the Association of American Geographers
54, 11-19, doi:10.1111/j.1467-8306.1964.tb00470.x: ground is gentle below a slope of 8 %.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple, SupportsFloat

import numpy as np

from ..flow.drainage import drainage_area
from ..flow.filling import fill_depressions
from ..flow.routing import FlowRoutes, Router
from ..foundation.compilation import Array, kernel
from ..foundation.terrain import Field
from .slope import measure_gradient

_GENTLE, _STEEP = 0.08, math.tan(math.radians(45.0))
# Degrees: what counts as slip face or talus, as too steep for sand, as the side of a valley, as part of a scarp.
_REPOSE, _TOO_STEEP, _SIDE, _SCARP = (28.0, 36.0), 36.0, (15.0, 60.0), 20.0
# Valleys and crests are as high as this many metres at least, or this share of the relief.
_LEAST_FALL, _FALL_SHARE = 0.5, 0.02
_TROUGH_AREA = 0.02  # of the land, in which a trough begins
_TROUGH_HEIGHTS = np.linspace(0.06, 0.30, 9)  # of the relief, between which its form is fitted


class Shapes(NamedTuple):
    """Numbers of the shape of a land; NaN where it has none.

    Parameters
    ----------
    gentle_ground, steep_ground, repose_ground, oversteep_ground : float
        Shares of the land below a slope of 8 %, above 45°, between 28° and 36°, and above 36°.
    median_slope, steepest_slope, side_slope : float
        Degrees: median, what only one cell in 200 exceeds, and the most frequent between 15° and 60°.
    wall_share : float
        Share of the height of scarps, which are steeper than 20°, in walls, which are steeper than 45°.
    relief : float
        Metres.
    hollow_volume : float
        Volume that fills all hollows, those of the floor of the sea included, in ‰ of area × relief.
    valley_density : float
        Length of valleys per area, in km/km².
    crest_spacing, crest_height : float
        Metres.
    spacing_ratio : float
        Spacing of crests over their height.
    slope_ratio : float
        Mean gradient of the steeper sides of crests over that of the gentler sides.
    trough_exponent : float
        1 for valleys whose sides are straight, 2 for parabolas.
    flank_slope, profile_ratio, cone_ratio : float
        Of a cone: median slope above half of its height in degrees, that slope over the median slope below, and half
        of the height over the width there.
    coast_dimension : float
        Fractal dimension of the coast.
    """

    gentle_ground: float
    steep_ground: float
    repose_ground: float
    oversteep_ground: float
    median_slope: float
    steepest_slope: float
    side_slope: float
    wall_share: float
    relief: float
    hollow_volume: float
    valley_density: float
    crest_spacing: float
    crest_height: float
    spacing_ratio: float
    slope_ratio: float
    trough_exponent: float
    flank_slope: float
    profile_ratio: float
    cone_ratio: float
    coast_dimension: float


def measure_shapes(surface: Field, cell_size: float, sea_level: float = -math.inf) -> Shapes:
    """Measure the shape of a land.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres, the floor of the sea included.
    cell_size : float
        Metres.
    sea_level : float
        Metres; only troughs and relief go below it.

    Returns
    -------
    Shapes
    """
    land = surface > sea_level
    gradient = measure_gradient(surface, cell_size)[land].astype(np.float64)
    if gradient.size == 0 or float(np.ptp(surface)) == 0.0:
        return Shapes(*[math.nan] * len(Shapes._fields))
    scarp = gradient[gradient > _tangent(_SCARP)].sum()
    low, high = (_tangent(angle) for angle in _REPOSE)
    crossings = _crossings(surface, cell_size)
    return Shapes(
        gentle_ground=float((gradient < _GENTLE).mean()),
        steep_ground=float((gradient > _STEEP).mean()),
        repose_ground=float(((gradient > low) & (gradient < high)).mean()),
        oversteep_ground=float((gradient > _tangent(_TOO_STEEP)).mean()),
        median_slope=_degrees(np.median(gradient)),
        steepest_slope=_degrees(np.percentile(gradient, 99.5)),
        side_slope=_side_slope(gradient),
        wall_share=float(gradient[gradient > _STEEP].sum() / scarp) if scarp > 0.0 else math.nan,
        relief=float(np.ptp(surface)),
        hollow_volume=1e3
        * float((fill_depressions(surface) - surface).mean(dtype=np.float64))
        / float(np.ptp(surface)),
        valley_density=1000.0 * 0.5 * math.pi * crossings.per_metre,
        crest_spacing=crossings.spacing,
        crest_height=crossings.height,
        spacing_ratio=crossings.spacing / crossings.height,
        slope_ratio=_slope_ratio(surface, cell_size),
        trough_exponent=_trough_exponent(surface),
        **_cone(surface, land, cell_size),
        coast_dimension=_coast_dimension(land),
    )


def _tangent(angle: SupportsFloat) -> float:
    return math.tan(math.radians(float(angle)))


def _degrees(gradient: float | np.floating) -> float:
    return math.degrees(math.atan(gradient))


def _logarithms(values: Iterable[SupportsFloat]) -> list[float]:
    return [math.log(float(value)) for value in values]


def _side_slope(gradient: Array) -> float:
    """Return the most frequent angle of valley sides, as the middle of the fullest 3°."""
    edges = np.arange(_SIDE[0], _SIDE[1] + 1.0)
    counts, _ = np.histogram(gradient, bins=[_tangent(edge) for edge in edges])
    if counts.sum() == 0:
        return math.nan
    smooth = np.convolve(counts, np.ones(3), "valid")
    return float(edges[int(smooth.argmax())] + 1.5)


class _Crossings(NamedTuple):
    """Valleys that straight lines cross: their number per metre, the distance of crests, and their height."""

    per_metre: float
    spacing: float
    height: float


def _crossings(surface: Field, cell_size: float) -> _Crossings:
    fall = max(_LEAST_FALL, _FALL_SHARE * float(np.ptp(surface)))
    along, across = (_count_valleys(lines, fall) for lines in (surface, np.ascontiguousarray(surface.T)))
    length = surface.size * cell_size
    count = along[0] + across[0]
    if count == 0:
        return _Crossings(0.0, math.nan, math.nan)
    # Parallel crests cross rows and columns in proportion to the cosine and the sine of their direction.
    spacing = length / math.hypot(along[0], across[0])
    return _Crossings(count / (2.0 * length), spacing, (along[1] + across[1]) / count)


@kernel
def _count_valleys(lines: Array, fall: float) -> tuple[int, float]:
    """Return how many valleys lines cross that are deeper than `fall` on both sides, and the sum of their depths."""
    count, depths = 0, 0.0
    for row in range(lines.shape[0]):
        high = low = lines[row, 0]
        is_down = False
        for column in range(1, lines.shape[1]):
            height = lines[row, column]
            if is_down:
                if height < low:
                    low = height
                elif height - low > fall:
                    count += 1
                    depths += high - low
                    is_down, high = False, height
            elif height > high:
                high = height
            elif high - height > fall:
                is_down, low = True, height
    return count, depths


def _slope_ratio(surface: Field, cell_size: float) -> float:
    """Return the mean gradient of the steeper sides over that of the gentler ones, across the crests."""
    north, east = np.gradient(surface.astype(np.float64), cell_size)
    axis = 0.5 * math.atan2(2.0 * float((north * east).mean()), float((east**2 - north**2).mean()))
    across = math.cos(axis) * east + math.sin(axis) * north
    across -= across.mean()
    up, down = across[across > 0.0], -across[across < 0.0]
    if up.size == 0 or down.size == 0:
        return math.nan
    ratio = float(up.mean() / down.mean())
    return max(ratio, 1.0 / ratio)


def _trough_exponent(surface: Field) -> float:
    """Fit the share of land less than y above its trough, which is y^(1/b) where its sides rise as the b-th power."""
    router = Router(surface.shape)
    filled = fill_depressions(surface)
    router.route(filled, -math.inf)
    routes = router.routes(1.0)
    area = drainage_area(routes).ravel()
    above = _above_trough(surface.ravel(), routes, area >= _TROUGH_AREA * surface.size)
    above = above[np.isfinite(above)]
    relief = float(np.ptp(surface))
    shares = [(above < share * relief).mean() for share in _TROUGH_HEIGHTS] if above.size else [0.0]
    if min(shares) <= 0.0:
        return math.nan
    slope = float(np.polyfit(_logarithms(_TROUGH_HEIGHTS), _logarithms(shares), 1)[0])
    return 1.0 / slope if slope > 0.0 else math.nan


def _above_trough(heights: Array, routes: FlowRoutes, is_trough: Array) -> Array:
    """Return heights above the trough that water comes to first; infinite where it comes to none."""
    floor = np.where(is_trough, heights.astype(np.float64), -math.inf)
    _carry_up(floor, is_trough, routes.receivers, routes.order)
    return heights - floor


@kernel
def _carry_up(floor: Array, is_trough: Array, receivers: Array, order: Array) -> None:
    """Give each cell the floor of the cell below it, from the lowest on."""
    for cell in order:
        if not is_trough[cell]:
            floor[cell] = floor[receivers[cell]]


def _cone(surface: Field, land: Array, cell_size: float) -> dict[str, float]:
    """Return the shape of a land as if it were one cone."""
    heights = surface[land]
    middle = 0.5 * (float(heights.min()) + float(heights.max()))
    gradient = measure_gradient(surface, cell_size)
    upper, lower = land & (surface > middle), land & (surface <= middle)
    if not upper.any() or not lower.any():
        return {"flank_slope": math.nan, "profile_ratio": math.nan, "cone_ratio": math.nan}
    flank, foot = _degrees(np.median(gradient[upper])), _degrees(np.median(gradient[lower]))
    width = 2.0 * math.sqrt(np.count_nonzero(upper) * cell_size**2 / math.pi)
    height = 0.5 * float(np.ptp(heights))
    return {
        "flank_slope": flank,
        "profile_ratio": flank / foot if foot > 0.0 else math.nan,
        "cone_ratio": height / width,
    }


def _coast_dimension(land: Array) -> float:
    """Return the fractal dimension of the coast, by counting boxes of 2 to 32 cells that hold land beside the sea."""
    inland = land[1:-1, 1:-1] & land[:-2, 1:-1] & land[2:, 1:-1] & land[1:-1, :-2] & land[1:-1, 2:]
    coast = land[1:-1, 1:-1] & ~inland
    sizes, counts = (2, 4, 8, 16, 32), []
    for size in sizes:
        rows, columns = (side // size * size for side in coast.shape)
        boxes = coast[:rows, :columns].reshape(rows // size, size, columns // size, size)
        counts.append(np.count_nonzero(boxes.any(axis=(1, 3))))
    if min(counts) == 0:
        return math.nan
    return float(-np.polyfit(_logarithms(sizes), _logarithms(counts), 1)[0])
