"""Forms: ridges, summits, valleys and shores, each a line of fixed heights from which the land goes over smoothly.

References
----------
H. Schott, A. Paris, L. Fournier, E. Guérin and E. Galin (2023), "Large-scale terrain authoring through interactive
erosion simulation", ACM Transactions on Graphics 42(5), 162, doi:10.1145/3592787: uplift that is corrected until the
land has the wanted height.

E. Guérin, A. Peytavie, S. Masnou, J. Digne, B. Sauvage, J. Gain and E. Galin (2022), "Gradient terrain authoring",
Computer Graphics Forum 41(2), 85-95, doi:10.1111/cgf.14460: a land that keeps its slopes away from what is drawn.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp_of
from ..foundation.sampling import sample
from ..foundation.terrain import Field
from ..maps.water_distance import find_nearest
from .courses import DrawnCourses
from .features import Feature, Ridge, Shore, Summit, Valley
from .lines import DrawnLine, Numbers, cells_along, measure_from, smooth_line
from .spreading import spread

# At its width a form has this many times fallen to 1/e.
_DECAYS = 3.0
# A crest may differ from the line by this share of the relief, so that it keeps its small teeth.
_TOLERANCE = 0.01
# Where lines lie beside a shore, as shares of its width: on its left, and on its right.
_SHORE_SIDES = (0.5, 0.25, -0.25, -0.5)
# They are left out where the shore is nearer than this share of how far they lie beside it.
_CLEAR = 0.95
# A step changes the rise of the ground by this share of it, at most.
_MOST_CORRECTION = 0.1
# The correction is even over this share of the width of a form; over a few cells in the end.
_EVEN_WIDTH, _MOST_EVENING, _EVENING = 0.5, 1500, 16


class Form(NamedTuple):
    """A line of heights.

    Parameters
    ----------
    line : DrawnLine
        With a height at each point.
    width : float
        How far the land follows, in metres.
    strength : float
        0 to 1.
    is_floor : bool
        Whether it is the floor of a valley, which streams may cut.
    is_level : bool
        Whether it is level as water is, without the teeth of a crest.
    """

    line: DrawnLine
    width: float
    strength: float
    is_floor: bool = False
    is_level: bool = False


class FixedHeights(NamedTuple):
    """The cells of forms on one grid.

    Parameters
    ----------
    cell : ndarray of int64, shape (cells,)
        Flat indices, each once.
    height : ndarray of float64, shape (cells,)
        Metres.
    width : ndarray of float64, shape (cells,)
        Metres.
    strength : ndarray of float64, shape (cells,)
        0 to 1.
    level : ndarray of float64, shape (cells,)
        Share of the forms there that are level as water is.
    """

    cell: npt.NDArray[np.int64]
    height: Numbers
    width: Numbers
    strength: Numbers
    level: Numbers


def find_forms(features: Sequence[Feature], surface: Field, cell_size: float, spacing: float) -> tuple[Form, ...]:
    """Return the forms among features, with heights that are not drawn taken from the land.

    Parameters
    ----------
    features : sequence of Feature
        Ridges, summits, valleys and shores count.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the land before it erodes.
    cell_size : float
        Metres.
    spacing : float
        Between points of lines, in metres.

    Returns
    -------
    tuple of Form
    """
    forms = []
    for one in features:
        if isinstance(one, Ridge | Valley):
            above = one.height if isinstance(one, Ridge) else -one.depth
            line = smooth_line(one.points, spacing)
            line = _with_heights(line, one.width, above, surface, cell_size)
            forms.append(Form(line, one.width, one.strength, isinstance(one, Valley)))
        elif isinstance(one, Summit):
            for point in one.points:
                line = _with_heights(smooth_line((point,), spacing), one.width, one.height, surface, cell_size)
                forms.append(Form(line, one.width, one.strength))
        elif isinstance(one, Shore):
            forms += _shore(one, spacing)
    return tuple(forms)


def _shore(shore: Shore, spacing: float) -> list[Form]:
    """A shore is a line at its level, and beside it lines on the land above it and under water below it."""
    line = smooth_line(shore.points, spacing)
    known = ~np.isnan(line.height)
    along = line.along
    level = np.interp(along, along[known], line.height[known]) if known.any() else np.full(along.size, shore.level)
    middle = line._replace(height=level)
    if line.x.size < 2:
        return [Form(middle, shore.width, shore.strength, is_level=True)]
    dx, dy = np.gradient(line.x), np.gradient(line.y)
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
    rise = math.tan(math.radians(shore.slope))
    sides = []
    for away in (share * shore.width for share in _SHORE_SIDES):
        side = DrawnLine(line.x - away * dy / length, line.y + away * dx / length, level + away * rise)
        # In sharp bends a line beside it would come back to the shore, or cross it.
        x, y = side.x.astype(np.float32), side.y.astype(np.float32)
        is_clear = measure_from(x, y, line, abs(away)).distance >= _CLEAR * abs(away)
        sides.append(DrawnLine(*(values[is_clear] for values in side)))
    sides = [side for side in sides if side.x.size]
    return [Form(one, shore.width, shore.strength, is_level=True) for one in (middle, *sides)]


def _with_heights(line: DrawnLine, width: float, above: float, surface: Field, cell_size: float) -> DrawnLine:
    """A line with a height at each point: as drawn, or as far above the land, seen over half the width."""
    known = ~np.isnan(line.height)
    along = line.along
    if known.any():
        return line._replace(height=np.interp(along, along[known], line.height[known]))
    rows, columns = surface.shape
    x, y = np.clip(line.x, 0.0, (columns - 1) * cell_size), np.clip(line.y, 0.0, (rows - 1) * cell_size)
    ground = sample(surface, cell_size, x, y).astype(np.float64)
    for _ in range(_smoothing(along, width)):
        ground[1:-1] = 0.25 * (ground[:-2] + 2.0 * ground[1:-1] + ground[2:])
    return line._replace(height=ground + above)


def _smoothing(along: Numbers, width: float) -> int:
    """How many means over three points smooth a line over a quarter of a width."""
    if along.size < 3:
        return 0
    step = along[-1] / (along.size - 1)
    return min(math.ceil(2.0 * (0.25 * width / max(step, 1e-9)) ** 2), 200)


def fixed_heights(
    forms: Sequence[Form], shape: tuple[int, int], cell_size: float, courses: DrawnCourses
) -> FixedHeights:
    """Return the cells of forms on a grid; where forms meet, their mean counts, and where a river runs, none does.

    Parameters
    ----------
    forms : sequence of Form
        From `find_forms`.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.
    courses : DrawnCourses
        On this grid.

    Returns
    -------
    FixedHeights
    """
    cells, values = [np.empty(0, np.int64)], [np.empty((0, 4))]
    for form in forms:
        where, row, column, within = cells_along(form.line, shape, cell_size)
        cell, first = np.unique((row * shape[1] + column)[within], return_index=True)
        height = np.interp(where, form.line.along, form.line.height)[within][first]
        cells.append(cell)
        same = np.ones((cell.size, 3)) * (form.width, form.strength, form.is_level)
        values.append(np.column_stack((height, same)))
    found, inverse, counts = np.unique(np.concatenate(cells), return_inverse=True, return_counts=True)
    sums = np.zeros((found.size, 4))
    np.add.at(sums, inverse.ravel(), np.concatenate(values))
    means = sums / np.maximum(counts, 1)[:, np.newaxis]
    dry = ~np.isin(found, courses.cell)
    return FixedHeights(found[dry], *(np.ascontiguousarray(means[dry, k]) for k in range(4)))


def take_heights(surface: Field, fixed: FixedHeights, courses: DrawnCourses, cell_size: float, relief: float) -> Field:
    """Return a land that has fixed heights, and goes over from them smoothly into the land as it was.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    fixed : FixedHeights
        On this grid.
    courses : DrawnCourses
        Rivers, along which the land stays as it is.
    cell_size : float
        Metres.
    relief : float
        Height of the land in metres; 1 % of it the heights may differ, so that crests keep their detail.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
    """
    if not fixed.cell.size:
        return surface
    change = fixed.strength * (fixed.height - surface.ravel()[fixed.cell])
    allowed = _TOLERANCE * relief * fixed.strength * (1.0 - fixed.level)
    change -= np.clip(change - _broad(change, fixed, surface.shape), -allowed, allowed)
    values = np.full(surface.size, np.nan, np.float32)
    values[courses.cell] = 0.0
    values[fixed.cell] = change
    width = np.zeros(surface.size)
    width[fixed.cell] = fixed.width
    places = np.zeros(surface.shape, bool)
    places.ravel()[fixed.cell] = True
    reach = (width[find_nearest(places)] / (_DECAYS * cell_size)).astype(np.float32)
    np.maximum(reach, np.float32(0.5), out=reach)
    return surface + spread(values.reshape(surface.shape), reach)


def _broad(change: Numbers, fixed: FixedHeights, shape: tuple[int, int]) -> Numbers:
    """The change without what differs from cell to cell along the forms."""
    known = np.zeros((2, shape[0] + 2, shape[1] + 2))
    row, column = fixed.cell // shape[1] + 1, fixed.cell % shape[1] + 1
    known[1, row, column] = 1.0
    for _ in range(_EVENING):
        known[0, row, column] = change
        sums = np.zeros((2, fixed.cell.size))
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                sums += known[:, row + dy, column + dx]
        change = sums[0] / sums[1]
    return change


class Lift(NamedTuple):
    """How a land follows forms while it erodes, on one grid.

    Parameters
    ----------
    cell : ndarray of int32, shape (cells,)
        Flat indices of the cells that follow, forms and what is beside them.
    nearest : ndarray of int32, shape (cells,)
        The cell of a form that each of them follows.
    share : ndarray of float32, shape (cells,)
        How far, 0 to 1.
    height : ndarray of float64, shape (rows · columns,)
        Height in metres of cells of forms; NaN elsewhere.  Empty where no cell follows.
    crest : ndarray of int64, shape (crests,)
        Flat indices of the cells of forms.
    work : ndarray of float64, shape (crests,)
        Overwritten at each step.
    evening : int
        How often the correction is made even along the forms.
    """

    cell: Array
    nearest: Array
    share: Array
    height: Array
    crest: Array
    work: Array
    evening: int


def lift_of(fixed: FixedHeights, shape: tuple[int, int], cell_size: float) -> Lift:
    """Return how a land follows forms while it erodes.

    Parameters
    ----------
    fixed : FixedHeights
        On the grid of the land.
    shape : tuple of int
        (rows, columns).
    cell_size : float
        Metres.

    Returns
    -------
    Lift
        The share falls off as exp(−3 · distance / width).
    """
    size = shape[0] * shape[1]
    if not fixed.cell.size:
        none = np.empty(0, np.int32)
        return Lift(none, none, np.empty(0, np.float32), np.empty(0), fixed.cell, np.empty(0), 0)
    height = np.full(size, np.nan)
    places = np.zeros(shape, bool)
    places.ravel()[fixed.cell] = True
    nearest = find_nearest(places).ravel()
    row, column = np.divmod(np.arange(size), shape[1])
    away = np.sqrt((row - nearest // shape[1]) ** 2.0 + (column - nearest % shape[1]) ** 2.0) * cell_size
    width, strength = np.ones(size), np.zeros(size)
    width[fixed.cell], strength[fixed.cell], height[fixed.cell] = fixed.width, fixed.strength, fixed.height
    near = np.flatnonzero(away <= width[nearest]).astype(np.int32)
    share = exp_of((-_DECAYS * away[near] / width[nearest[near]]).astype(np.float32)[np.newaxis])[0]
    share *= strength[nearest[near]].astype(np.float32)
    broad = _EVEN_WIDTH * float(fixed.width.mean()) / cell_size
    evening = min(math.ceil(broad * broad), _MOST_EVENING)
    return Lift(near, nearest[near], share, height, fixed.cell, np.empty(fixed.cell.size), evening)


@kernel
def correct_uplift(height: Array, lift: Lift, base: float, missing: Array) -> float:
    """Let the land rise so much more, or less, that forms have their heights, in place.

    The rise h − h_base of the ground above its base is multiplied, where a form is, by (h* − h_base) / (h − h_base), as
    if the uplift had been corrected (Schott et al. 2023), and beside it by less.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        Heights in metres.
    lift : Lift
        From `lift_of`.
    base : float
        Lowest base level of the land, in metres.
    missing : ndarray of float64, shape (rows, columns)
        Overwritten.

    Returns
    -------
    float
        Height that rose, summed over the cells, in metres.
    """
    cell, nearest, share, wanted, crest, work, evening = lift
    heights, lacks = height.ravel(), missing.ravel()
    for here in crest:
        lack = (wanted[here] - heights[here]) / max(heights[here] - base, 1.0)
        lacks[here] = min(max(lack, -_MOST_CORRECTION), _MOST_CORRECTION)
    # Even along the form, so that its sides rise together.
    for _ in range(evening):
        for i in range(crest.size):
            work[i] = _mean_lack(crest[i], height.shape, wanted, lacks)
        for i in range(crest.size):
            lacks[crest[i]] = work[i]
    total = 0.0
    for i in range(cell.size):
        here = cell[i]
        above = max(heights[here] - base, 0.0)
        if nearest[i] == here:
            above = max(above, 1.0)
        change = above * lacks[nearest[i]] * share[i]
        heights[here] += change
        total += change
    return total


@kernel
def _mean_lack(here: int, shape: tuple[int, int], wanted: Array, lacks: Array) -> float:
    """Mean over a cell of a form and those of its neighbours that are on one."""
    rows, columns = shape
    row, column = here // columns, here % columns
    total, count = 0.0, 0.0
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(column - 1, 0), min(column + 2, columns)):
            there = r * columns + c
            if wanted[there] == wanted[there]:
                total += lacks[there]
                count += 1.0
    return total / count
