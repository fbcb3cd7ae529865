"""Shaping of a finished stack of layers: height curve, terraces, falloff to the border, clamp.

References
----------
Fritsch, F. N. & Butland, J. (1984). A method for constructing local monotone piecewise cubic interpolants. SIAM Journal
on Scientific and Statistical Computing 5(2), 300–304. doi:10.1137/0905021
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease_of
from ..foundation.parameters import CurvePoints, ParameterSet, parameter
from ..foundation.placement import Borders
from ..foundation.stored_field import LARGEST_HEIGHT
from ..foundation.terrain import Field, Grid
from .source import HeightLimits

BORDERS = {
    "open": "The surface stays as it is",
    "square": "The surface falls off towards all four borders",
    "round": "The surface falls off towards the ellipse that touches all four borders",
}
"""How the surface ends.  Kernels take the position of one in this order."""

_SQUARE, _ROUND = 1, 2

# Two points of a curve are at least this far apart in x, so that a step is steep and not a division by zero.
_NARROWEST = 1e-5
# Half the size of an ellipse, at least, in m: a landscape of one sample has no size.
_SMALLEST_HALF = 1e-9
# Where the lowest height, the range, the four knots and the coefficients of the cubics stand among the numbers of a
# curve; each cubic has four coefficients, of which the first is its value at its left end.  The last number is the
# value at the right end of the last one.
_LOW, _RANGE, _KNOTS, _CUBICS = 0, 1, 2, 6
_COEFFICIENTS = 4
# The share of each step that full terracing makes level.
_TERRACE_FLATNESS = np.float32(0.9)
_NEUTRAL_CURVE = ((0.0, 0.0), (0.25, 0.25), (0.75, 0.75), (1.0, 1.0))


@dataclass(frozen=True)
class Shaping(ParameterSet):
    """Changes to the whole surface, in this order; by default there are none."""

    height_curve: CurvePoints = parameter(
        _NEUTRAL_CURVE,
        "New height for each old height; 0 is the lowest that can occur, 1 the highest",
        limits=(0.0, 1.0),
    )
    terracing: float = parameter(
        0.0, "How level terraces are, and how steep their edges are; 0 makes no terraces", limits=(0.0, 1.0)
    )
    terrace_step: float = parameter(
        100.0, "Height from one terrace to the next", unit="m", limits=(0.01, 10000.0), soft=(5.0, 500.0)
    )
    border: str = parameter(
        "open", "Whether and how the surface falls off towards the border, as on an island", choices=BORDERS
    )
    falloff_width: float = parameter(
        500.0,
        "Distance from the border over which the surface falls off",
        unit="m",
        limits=(0.01, 1e6),
        soft=(10.0, 5000.0),
    )
    border_altitude: float = parameter(
        -50.0,
        "Altitude to which the surface falls at the border",
        unit="m",
        limits=(-12000.0, 12000.0),
        soft=(-500.0, 500.0),
    )
    lowest: float = parameter(
        -LARGEST_HEIGHT,
        "Lower ground is raised to this altitude",
        unit="m",
        limits=(-LARGEST_HEIGHT, LARGEST_HEIGHT),
        soft=(-1000.0, 5000.0),
        advanced=True,
    )
    highest: float = parameter(
        LARGEST_HEIGHT,
        "Higher ground is cut off at this altitude",
        unit="m",
        limits=(-LARGEST_HEIGHT, LARGEST_HEIGHT),
        soft=(-1000.0, 5000.0),
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a curve that falls anywhere, and a clamp whose lowest altitude is above its highest."""
        for (_, before), (x, after) in pairwise(self.height_curve):
            if after < before:
                raise ValueError(f"height_curve falls from {before} to {after} at {x}: it must not fall anywhere")
        if self.lowest > self.highest:
            raise ValueError(f"lowest = {self.lowest} m is above highest = {self.highest} m")


class _Terraces(NamedTuple):
    """The height of a terrace in metres, and how level terraces are, 0 to 1."""

    step: np.float32
    flatness: np.float32


class _Falloff(NamedTuple):
    """How a surface falls off towards the borders of its landscape.

    Attributes
    ----------
    kind : int
        Position in BORDERS.
    altitude : float32
        Metres, to which it falls.
    radius : float32
        Of a round island, in widths of the falloff.
    rows, columns : ndarray of float32, shape (rows,) and (columns,)
        What each contributes.  For a square these are factors of the falloff.  For an ellipse, stretched to a circle,
        they are squared distances from its middle, in widths of the falloff.
    """

    kind: int
    altitude: np.float32
    radius: np.float32
    rows: Array
    columns: Array


class _Clamp(NamedTuple):
    """The lowest and the highest altitude in metres."""

    lowest: np.float32
    highest: np.float32


def shape_relief(heights: Field, grid: Grid, borders: Borders, shaping: Shaping, limits: HeightLimits) -> Field:
    """Return a surface after its height curve, terraces, falloff and clamp.

    Every sample changes by itself, by its height and its place on the plane.  So tiles that are shaped one by one, with
    the `borders` of the whole, equal the whole.  A tile with borders of its own becomes an island of its own.

    Parameters
    ----------
    heights : ndarray of float32, shape (rows, columns)
        Metres; not changed.
    grid : Grid
        Where the samples lie.
    borders : tuple of 4 floats
        West, south, east and north border of the landscape in metres.
    shaping : Shaping
        What to do.
    limits : tuple of 2 floats
        Lowest and highest height that can occur, in metres; the curve runs from one to the other.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, within `shaped_limits`; `heights` itself where there is nothing to do.

    Raises
    ------
    ValueError
        If `heights` does not have the shape of the grid.

    References
    ----------
    Fritsch, F. N. & Butland, J. (1984). A method for constructing local monotone piecewise cubic interpolants. SIAM
    Journal on Scientific and Statistical Computing 5(2), 300–304. doi:10.1137/0905021

    Examples
    --------
    >>> heights, borders = np.array([[0.0, 40.0, 90.0]], np.float32), (0.0, 0.0, 20.0, 0.0)
    >>> shape_relief(heights, Grid(1, 3, cell_size=10.0), borders, Shaping(highest=50.0), (0.0, 100.0)).tolist()
    [[0.0, 40.0, 50.0]]
    """
    if heights.shape != grid.shape:
        raise ValueError(f"heights have shape {heights.shape}, not {grid.shape}")
    low, high = limits
    bends = shaping.height_curve != _NEUTRAL_CURVE and high > low
    clamps = shaping.lowest > low or shaping.highest < high or shaping.border != "open"
    if not (bends or shaping.terracing > 0.0 or clamps):
        return heights
    curve = _curve_numbers(shaping.height_curve, low, high - low if bends else 0.0).astype(np.float32)
    result = np.empty(grid.shape, np.float32)
    _shape(
        heights,
        curve,
        _Terraces(np.float32(shaping.terrace_step), np.float32(shaping.terracing)),
        _falloff(grid, borders, shaping),
        _Clamp(np.float32(shaping.lowest), np.float32(shaping.highest)),
        result,
    )
    return result


def shaped_limits(shaping: Shaping, limits: HeightLimits) -> HeightLimits:
    """Return the lowest and highest height that a surface within limits can have after shaping.

    Parameters
    ----------
    shaping : Shaping
        What to do.
    limits : tuple of 2 floats
        Lowest and highest height before, in metres.

    Returns
    -------
    tuple of 2 floats
        Metres.

    Examples
    --------
    >>> shaped_limits(Shaping(lowest=-10.0, highest=50.0), (0.0, 100.0))
    (0.0, 50.0)
    """
    low, high = limits
    curve = _curve_numbers(shaping.height_curve, low, high - low)
    ends = []
    for height in limits:
        if shaping.height_curve != _NEUTRAL_CURVE and high > low:
            height = float(_bend.py_func(height, curve))
        if shaping.terracing > 0.0:
            height = float(_terrace.py_func(height, shaping.terrace_step, shaping.terracing))
        ends.append(height)
    if shaping.border != "open":
        ends.append(shaping.border_altitude)
    low, high = (min(max(height, shaping.lowest), shaping.highest) for height in (min(ends), max(ends)))
    return low, high


def _curve_numbers(points: CurvePoints, low: float, span: float) -> npt.NDArray[np.float64]:
    """Return a curve in the form that `_bend` takes."""
    knots, pieces = _cubic_pieces(points)
    return np.array([low, span, *knots, *pieces.ravel(), points[-1][1]])


def _cubic_pieces(points: CurvePoints) -> tuple[list[float], npt.NDArray[np.float64]]:
    """Return the knots of a curve, and the coefficients of the cubics between them, (3, 4), lowest power first.

    Fritsch & Butland (1984): where the slopes on both sides of a knot agree in sign, the slope at the knot is their
    weighted harmonic mean, else 0.  So the curve is smooth, and rises wherever its points do.
    """
    x = [points[0][0]]
    for right, _ in points[1:]:
        x.append(max(right, x[-1] + _NARROWEST))
    y = [height for _, height in points]
    widths, rises = np.diff(x), np.diff(y) / np.diff(x)
    slopes = np.array([rises[0], 0.0, 0.0, rises[-1]])
    for k in (1, 2):
        if rises[k - 1] * rises[k] > 0.0:
            share = (widths[k - 1] + 2.0 * widths[k]) / (3.0 * (widths[k - 1] + widths[k]))
            slopes[k] = rises[k - 1] * rises[k] / (share * rises[k] + (1.0 - share) * rises[k - 1])
    quadratic = (3.0 * rises - 2.0 * slopes[:-1] - slopes[1:]) / widths
    cubic = (slopes[:-1] + slopes[1:] - 2.0 * rises) / widths**2
    return x, np.stack([np.array(y[:-1]), slopes[:-1], quadratic, cubic], axis=1)


def _falloff(grid: Grid, borders: Borders, shaping: Shaping) -> _Falloff:
    """Return how the surface of a grid falls off towards the borders of its landscape."""
    west, south, east, north = borders
    x = (grid.first_column + np.arange(grid.columns, dtype=np.float64)) * grid.cell_size
    y = (grid.first_row + np.arange(grid.rows, dtype=np.float64)) * grid.cell_size
    radius = 0.5 * min(east - west, north - south) / shaping.falloff_width
    shares = []
    for places, begin, end in ((y, south, north), (x, west, east)):
        if shaping.border == "round":
            half = max(0.5 * (end - begin), _SMALLEST_HALF)
            share = ((places - begin - half) / half * radius) ** 2
        else:
            t = np.clip(np.minimum(places - begin, end - places) / shaping.falloff_width, 0.0, 1.0)
            share = ease_of(t)
        shares.append(share.astype(np.float32))
    rows, columns = shares
    kind = tuple(BORDERS).index(shaping.border)
    return _Falloff(kind, np.float32(shaping.border_altitude), np.float32(radius), rows, columns)


@kernel
def _bend(height: np.float32, curve: Array) -> np.float32:
    """Return a height after a curve, which rises within each piece from the value at its left end to that at its right.

    So what rounding makes of a steep piece beyond these two values is cut off.
    """
    low, span = curve[_LOW], curve[_RANGE]
    share = min(max((height - low) / span, curve[_KNOTS]), curve[_KNOTS + 3])
    piece = 0
    if share >= curve[_KNOTS + 2]:
        piece = 2
    elif share >= curve[_KNOTS + 1]:
        piece = 1
    t = share - curve[_KNOTS + piece]
    k = _CUBICS + _COEFFICIENTS * piece
    bent = curve[k] + t * (curve[k + 1] + t * (curve[k + 2] + t * curve[k + 3]))
    return low + span * min(max(bent, curve[k]), curve[k + _COEFFICIENTS])


@kernel
def _terrace(height: np.float32, step: np.float32, terracing: np.float32) -> np.float32:
    """Return a height after terraces: within each step, a blend of a ramp and of a smooth edge in its middle."""
    half, one, two, three = np.float32(0.5), np.float32(1.0), np.float32(2.0), np.float32(3.0)
    position = height / step
    number = np.floor(position)
    ramp = position - number
    t = min(max((ramp - half) / (one - _TERRACE_FLATNESS * terracing) + half, np.float32(0.0)), one)
    return (number + ramp + terracing * (t * t * (three - two * t) - ramp)) * step


@parallel_kernel
def _shape(
    part: Part,
    heights: Array,
    curve: Array,
    terraces: _Terraces,
    falloff: _Falloff,
    clamp: _Clamp,
    result: Array,
) -> None:
    """Write heights after the curve, the terraces, the falloff and the clamp."""
    zero, one, two, three = np.float32(0.0), np.float32(1.0), np.float32(2.0), np.float32(3.0)
    step, flatness, lowest, highest = terraces.step, terraces.flatness, clamp.lowest, clamp.highest
    kind, altitude, radius, column_shares = falloff.kind, falloff.altitude, falloff.radius, falloff.columns
    for row in portion(part, result.shape[0]):
        line, row_share = result[row], falloff.rows[row]
        line[:] = heights[row]
        if curve[_RANGE] > zero:
            for column in range(line.size):
                line[column] = _bend(line[column], curve)
        if flatness > zero:
            for column in range(line.size):
                line[column] = _terrace(line[column], step, flatness)
        if kind == _SQUARE:
            for column in range(line.size):
                share = row_share * column_shares[column]
                line[column] = altitude + (line[column] - altitude) * share
        elif kind == _ROUND:
            for column in range(line.size):
                distance = radius - np.sqrt(row_share + column_shares[column])
                t = min(max(distance, zero), one)
                share = t * t * (three - two * t)
                line[column] = altitude + (line[column] - altitude) * share
        for column in range(line.size):
            line[column] = min(max(line[column], lowest), highest)
