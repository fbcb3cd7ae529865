"""Lakes and rivers that the finished land around them does not fit: what is told of them.

>>> from .lakes import find_lake
>>> ground = np.full((65, 65), np.float32(100.0))
>>> lake = Lake(points=((200.0, 200.0), (440.0, 200.0), (440.0, 440.0), (200.0, 440.0)), width=30.0)
>>> fixed = find_lake(lake, ground + np.float32(300.0), 10.0, 5.0)
>>> tell_lake(lake, fixed, ground, 10.0)[0].partition(", because")[0]
'the lake stands 300 m above the ground around it'
"""

import numpy as np
import numpy.typing as npt

from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .features import Lake, River, place_text, title_of
from .lakes import FixedLake
from .lines import DrawnLine, Numbers, lies_within, smooth_line
from .rivers import spacing_on

# A lake without heights that stands by this share of the range of altitudes above or below the ground around it is
# told, from these metres on at least and at most.
_MISFIT, _LEAST_MISFIT, _MOST_MISFIT = 0.1, 5.0, 50.0
# Metres by which the water of a lake may stand above or below its level.
_SAME_LEVEL = 0.1
# Fewest cells from the shore to the ground around a lake.
_SHORE_CELLS = 2.0
# A river runs in a gorge where the ground so far to both sides stands so high above it, in metres. Rivers of steep
# mountains that nobody drew reach 230 m.
_BESIDE, _GORGE = 200.0, 250.0
_ASIDE = np.array([[-1.0], [1.0]])


def tell_lake(lake: Lake, fixed: FixedLake, ground: Field, cell_size: float) -> tuple[str, ...]:
    """Return a sentence if a lake without heights stands far above or below the ground around it.

    Parameters
    ----------
    lake : Lake
        As it was drawn.
    fixed : FixedLake
        The same from `find_lake`.
    ground : ndarray of float32, shape (rows, columns)
        Heights in metres of the land after erosion, before lakes are laid on it.
    cell_size : float
        Metres.

    Returns
    -------
    tuple of str
        Above is told from the median of the ground, below from the lowest.
    """
    if any(len(point) > 2 for point in lake.points):
        return ()
    heights = _beside(fixed.outline, ground, cell_size, max(lake.width, _SHORE_CELLS * cell_size), dry=True)
    heights = heights[~np.isnan(heights)]
    if not heights.size:
        return ()
    lowest, median = float(heights.min()), float(np.median(heights))
    above, below = fixed.level - median, lowest - fixed.level
    if max(above, below) <= min(max(_MISFIT * float(np.ptp(ground)), _LEAST_MISFIT), _MOST_MISFIT):
        return ()
    stands = f"{above:.0f} m above" if above > 0.0 else f"{below:.0f} m below"
    return (
        f"{title_of(lake)} stands {stands} the ground around it, because its level is that of the land before erosion; "
        f"let it take the heights of its points, or give one of them {lowest:.0f} m",
    )


def tell_level(
    lake: Lake, fixed: FixedLake, surface: Field, level: Field, cells: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """Return a sentence if the water of a lake does not stand at the level at which it was drawn.

    Parameters
    ----------
    lake : Lake
        As it was drawn.
    fixed : FixedLake
        The same from `find_drawn_lakes`.
    surface, level : ndarray of float32, shape (rows, columns)
        Heights in metres of the finished land, and of its water.
    cells : ndarray of bool, shape (rows, columns)
        Those of the lake.

    Returns
    -------
    tuple of str
        With the level that it has, as the median of what is under water, and the one that it should have.
    """
    wet = level[cells & (level > surface)]
    if not wet.size:
        dry = f"{title_of(lake)} holds no water at {fixed.level:.1f} m, because something else is drawn there"
        return (dry,) if cells.any() else ()
    wanted = min((point[2] for point in lake.points if len(point) > 2), default=fixed.level)
    found = float(np.median(wet))
    if abs(found - wanted) <= _SAME_LEVEL:
        return ()
    if abs(found - fixed.level) <= _SAME_LEVEL:
        why = "because it is one water with a lower lake that it overlaps"
    else:
        why = "because what is drawn beside it dams its water or lets it out"
    return (f"{title_of(lake)} stands at {found:.1f} m instead of {wanted:.1f} m, {why}",)


def tell_gorge(river: River, surface: Field, cell_size: float) -> tuple[str, ...]:
    """Return a sentence if a river runs in a gorge between its first and last point.

    Parameters
    ----------
    river : River
        As it was drawn.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres of the finished land.
    cell_size : float
        Metres.

    Returns
    -------
    tuple of str
        With the place at which the lower of its two sides is highest.
    """
    line = smooth_line(river.points, spacing_on(surface.shape, cell_size))
    sides = _beside(line, surface, cell_size, _BESIDE, dry=False)
    rise = np.nan_to_num(sides.min(axis=0) - sample(surface, cell_size, line.x, line.y), nan=0.0)
    worst = int(rise.argmax())
    if rise[worst] <= _GORGE:
        return ()
    return (
        f"{title_of(river)} runs in a gorge: at {place_text(line.x[worst], line.y[worst])} the ground {_BESIDE:.0f} m "
        f"to both sides stands {rise[worst]:.0f} m above it; to avoid that, move its points there into a valley",
    )


def _beside(line: DrawnLine, surface: Field, cell_size: float, away: float, *, dry: bool) -> Numbers:
    """Heights at a distance to both sides of each point of a line, shape (2, points); NaN outside the land.

    With `dry` also NaN within the line, if it is closed.
    """
    dx, dy = np.gradient(line.x), np.gradient(line.y)
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
    x, y = line.x - _ASIDE * away * dy / length, line.y + _ASIDE * away * dx / length
    rows, columns = surface.shape
    is_out = (x < 0.0) | (x > (columns - 1) * cell_size) | (y < 0.0) | (y > (rows - 1) * cell_size)
    if dry:
        is_out |= lies_within(line, y.ravel() / cell_size, x.ravel() / cell_size, cell_size).reshape(x.shape)
    heights = sample(surface, cell_size, x.ravel(), y.ravel()).reshape(x.shape).astype(np.float64)
    heights[is_out] = np.nan
    return heights
