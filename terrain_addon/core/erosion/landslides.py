"""Landslides: rock that is too steep comes down, and its debris slides to its talus angle.

    z(x) = min over x′ of z₀(x′) + k · |x − x′|
    k = hardness · tan(critical angle)

is the rock that stays of the rock z₀ where all of it is equally hard: the highest that is nowhere above z₀ and nowhere
steeper than k.  Elsewhere k is that of each place.

>>> from terrain_addon.core.foundation.progress import run
>>> wall = np.array([[0.0, 0.0, 90.0, 90.0]] * 3, np.float32)
>>> eroded = run(collapse_walls(Terrain(wall, np.zeros_like(wall), 10.0), Landslides(critical_angle=60.0)))
>>> print(eroded.terrain.bedrock[1].round(2), eroded.terrain.sediment[1].round(2))
[ 0.    0.   17.32 34.64] [37.98 43.38 32.33 21.66]

References
----------
D. R. Montgomery and M. T. Brandon (2002), "Topographic controls on erosion rates in tectonically active mountain
ranges", Earth and Planetary Science Letters 201, 481-489, doi:10.1016/S0012-821X(02)00725-2: threshold slopes.

G. Borgefors (1986), "Distance transformations in digital images", Computer Vision, Graphics, and Image Processing 34,
344-371, doi:10.1016/S0734-189X(86)80047-0: the sweeps.

G. Cordonnier, J. Braun, M.-P. Cani, B. Benes, E. Galin, A. Peytavie and E. Guérin (2016), "Large scale terrain
generation from tectonic uplift and fluvial erosion", Computer Graphics Forum 35(2), 165-175, doi:10.1111/cgf.12820:
slopes held below a critical angle.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.parameters import parameter, variant
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from ..maps.masks import MASKS
from .layers import heights_of, just_below, with_surface
from .mass_balance import Eroded, MassBalance
from .process import HARDNESS, Process, ProcessParameters
from .stabilisation import SLIDE_REACH, settle

# Distance in cells to a diagonal neighbour, and to one that is two cells away along one axis and one along the other.
_DIAGONAL, _KNIGHT_MOVE = math.sqrt(2.0), math.sqrt(5.0)
_MOST_PASSES = 64


@dataclass(frozen=True)
class Landslides(ProcessParameters):
    """Walls that are too steep for their rock collapse; the debris forms scree below them."""

    critical_angle: float = parameter(
        55.0,
        "Steepest slope on which rock of usual hardness holds; harder rock holds on steeper slopes",
        unit="°",
        limits=(0.0, 89.0),
        soft=(30.0, 75.0),
    )
    talus_angle: float = parameter(
        35.0, "Steepest slope on which the debris stays", unit="°", limits=(0.0, 89.0), soft=(25.0, 45.0)
    )
    hardness: Any = variant(
        MASKS,
        "Where rock is eight times as hard as elsewhere; without a mask it is equally hard everywhere",
        advanced=True,
    )


def collapse_walls(terrain: Terrain, process: Landslides, *, hardness: Field | None = None) -> Steps[Eroded]:
    """Let rock come down where it is steeper than its critical angle, and let the debris slide until it is stable.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing slides over its border.
    process : Landslides
        The two angles.
    hardness : ndarray of float32, shape (rows, columns), optional
        Multiplies the tangent of the critical angle.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns debris that has not yet come to rest.

    Returns
    -------
    Eroded
        The highest bedrock that is nowhere above the old one and nowhere steeper, from cell to cell, than the critical
        angle.  Debris slides over it as in `stabilise_sediment`.  The volume of rock and sediment is unchanged.  The
        mass balance counts the heights in float64, before they are stored.

    Raises
    ------
    ValueError
        If `hardness` has another shape than the land or is not above 0.

    Notes
    -----
    A threshold slope as in Montgomery & Brandon (2002), computed by a distance transform (Borgefors 1986) over steps to
    16 neighbours: slopes are equal in all directions to within 3 %.
    """
    steepest = steepest_slopes(terrain.bedrock.shape, process.critical_angle, hardness)
    height = heights_of(terrain)
    before = float(height.sum())
    yield 0.0
    rock = terrain.bedrock.astype(np.float64)
    collapse(rock, steepest, terrain.cell_size, None)
    bedrock = just_below(rock)
    yield from settle(height, bedrock, terrain.cell_size, process.talus_angle)
    area = terrain.cell_size**2
    after = with_surface(Terrain(bedrock, np.zeros_like(bedrock), terrain.cell_size), height)
    return Eroded(after, MassBalance(before * area, float(height.sum()) * area))


def steepest_slopes(shape: tuple[int, int], angle: float, hardness: Field | None) -> Field:
    """Return the steepest slope on which each cell holds.

    Parameters
    ----------
    shape : tuple of int
        (rows, columns).
    angle : float
        Critical angle in degrees, 0 to below 90.
    hardness : ndarray of float32, shape (rows, columns), or None
        Multiplies the tangent, above 0.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Tangent of the angle times the hardness.

    Raises
    ------
    ValueError
        If `hardness` has another shape or is not above 0.
    """
    tangents = np.full(shape, math.tan(math.radians(angle)), np.float32)
    if hardness is not None:
        if hardness.shape != shape:
            raise ValueError(f"hardness has shape {hardness.shape} but the land {shape}")
        if not float(hardness.min()) > 0.0:
            raise ValueError(f"hardness = {float(hardness.min())!r} is not above 0")
        tangents *= hardness
    return tangents


def collapse(height: Array, steepest: Field, cell_size: float, removed: Array | None) -> None:
    """Lower the ground, in place, until no cell is steeper above any other than it can be.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        Metres.
    steepest : ndarray of float32, shape (rows, columns)
        Tangent of the steepest slope on which each cell holds.
    cell_size : float
        Metres.
    removed : ndarray of float64, shape (rows, columns), or None
        Grows by what is removed, in metres.  If it is given, one pass is made each way, which is exact where the
        steepest slope is the same everywhere.  If it is None, passes go on until nothing moves.
    """
    size = np.float32(cell_size)
    if removed is not None:
        np.add(removed, height, out=removed)
        _sweep(height, steepest, size, True)
        _sweep(height, steepest, size, False)
        np.subtract(removed, height, out=removed)
        return
    for _ in range(_MOST_PASSES):
        if not _sweep(height, steepest, size, True) | _sweep(height, steepest, size, False):
            return


@kernel
def _sweep(height: Array, steepest: Array, size: np.float32, north: bool) -> bool:
    """Lower cells to what their eight neighbours behind allow, knight's moves included, on the way north or south.

    Return whether anything moved.
    """
    rows, columns = height.shape
    behind = -1 if north else 1
    moved = False
    for i in range(rows):
        row = i if north else rows - 1 - i
        line, rise = height[row], steepest[row]
        # The first two rows have none behind them.  Their own line takes that place, as nothing is higher than itself.
        one = height[row + behind] if i > 0 else line
        two = height[row + 2 * behind] if i > 1 else line
        moved |= _hold_line(line, one, two, rise, size)
        for j in range(1, columns):
            column = j if north else columns - 1 - j
            highest = line[column + behind] + rise[column] * size
            if line[column] > highest:
                line[column] = highest
                moved = True
    return moved


@kernel
def _hold_line(line: Array, one: Array, two: Array, rise: Array, size: np.float32) -> bool:
    """Lower a line to what the cells of the two lines behind it allow; return whether anything moved."""
    columns = line.size
    inner = max(columns - 4, 0)
    here, step = line[2:], rise[2:]
    a, b, c, d, e = one[2:], one[1:], one[3:], one, one[4:]
    f, g = two[1:], two[3:]
    moved = 0
    for i in range(inner):
        beside = a[i] + step[i] * size
        across = min(b[i], c[i]) + step[i] * size * np.float32(_DIAGONAL)
        knight = min(min(d[i], e[i]), min(f[i], g[i])) + step[i] * size * np.float32(_KNIGHT_MOVE)
        highest = min(beside, min(across, knight))
        moved |= here[i] > highest
        here[i] = min(here[i], highest)
    for column in range(columns):
        if 2 <= column < columns - 2:
            continue
        highest = one[column] + rise[column] * size
        for k in range(-2, 3):
            if 0 <= column + k < columns:
                length = size * np.float32(_DIAGONAL if abs(k) == 1 else _KNIGHT_MOVE)
                if k != 0:
                    highest = min(highest, one[column + k] + rise[column] * length)
                if abs(k) == 1:
                    highest = min(highest, two[column + k] + rise[column] * size * np.float32(_KNIGHT_MOVE))
        moved |= line[column] > highest
        line[column] = min(line[column], highest)
    return moved != 0


def _reach(process: Landslides, cell_size: float) -> int:
    return SLIDE_REACH


LANDSLIDES = Process(Landslides, collapse_walls, factors=(HARDNESS,), slides=True, reach=_reach)
