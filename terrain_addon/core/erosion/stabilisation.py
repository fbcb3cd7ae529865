"""Stabilisation: sediment slides until none of it is steeper than the talus angle.

    Sᵢ ← Sᵢ + c · max(h − hᵢ, 0),    S ← S − c · Σ max(h − hᵢ, 0)

where the slope is steeper than the talus angle, for the neighbours i of a cell of height h with the sediment S; the
share c is what brings the slope near that angle, and no more falls than there is.

The layered model (see `erosion_factors`) takes unstable cells at random from a queue: a column of sediment that stands
too high above a neighbour falls to its lower neighbours, and those are examined again.  Here the same falls happen in
many places at once, so that neither the number of threads nor the side from which one looks matters.  Deep piles move
long distances on coarser grids.

>>> from terrain_addon.core.foundation.progress import run
>>> rock, pile = np.zeros((3, 5), np.float32), np.zeros((3, 5), np.float32)
>>> pile[1, 2] = 9.0
>>> print(run(stabilise_sediment(Terrain(rock, pile, 1.0), Stabilisation())).terrain.sediment.round(2))
[[0.   0.89 0.89 0.89 0.  ]
 [0.   0.89 1.88 0.89 0.  ]
 [0.   0.89 0.89 0.89 0.  ]]

References
----------
F. K. Musgrave, C. E. Kolb and R. S. Mace (1989), "The synthesis and rendering of eroded fractal terrains", SIGGRAPH,
doi:10.1145/74333.74337: loose ground slides down to a talus angle.

B. Benes and R. Forsbach (2001), "Layered data representation for visual simulation of terrain erosion", SCCG,
doi:10.1109/SCCG.2001.945341: bedrock and sediment as two layers.

D. G. Tarboton (1997), "A new method for the determination of flow directions and upslope areas in grid digital
elevation models", Water Resources Research 33, 309-319, doi:10.1029/96WR03137: slopes of triangles, Eqs. (1)-(5).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters


@dataclass(frozen=True)
class Stabilisation(ProcessParameters):
    """Loose ground slides until it lies at its talus angle."""

    talus_angle: float = parameter(
        45.0, "Steepest slope on which loose ground stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )


def stabilise_sediment(terrain: Terrain, process: Stabilisation) -> Steps[Eroded]:
    """Let sediment slide down until none of it is steeper than the talus angle.

    A cell with sediment is unstable if the steepest of the eight triangles that it makes with its neighbours (Tarboton
    1997) is steeper than the talus angle.  Then some of its sediment falls to all lower neighbours, in proportion to
    the drop.  A triangle is at least as steep as its edges, so nothing stands too high above a neighbour either, and
    sand that is poured on one spot makes a round cone.

    Parameters
    ----------
    terrain : Terrain
        The land.  Nothing slides over its border.
    process : Stabilisation
        The talus angle.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns what has slid so far.

    Returns
    -------
    Eroded
        The same bedrock and the same volume of sediment.  No sediment is steeper than the talus angle + 0.1°.  Sediment
        that slid is up to 0.5° less steep than the talus angle, as sand that comes to rest is.
    """
    before = volume_of(terrain)
    surface = heights_of(terrain)
    yield from settle(surface, terrain.bedrock, terrain.cell_size, process.talus_angle)
    after = Terrain(terrain.bedrock, (surface - terrain.bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after)))


def settle(surface: npt.NDArray[np.float64], bedrock: Field, cell_size: float, talus_angle: float) -> Steps[bool]:
    """Let the sediment on the bedrock slide, in place; see `stabilise_sediment`.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Height of the ground in metres, nowhere below the bedrock; a whole land after every step.
    bedrock : ndarray of float32, shape (rows, columns)
        Height of the rock in metres.
    cell_size : float
        Metres.
    talus_angle : float
        Degrees, 0 to 89.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    bool
        Whether it was asked to finish early.
    """
    slopes = _TalusSlopes(talus_angle)
    height, floor = _with_rim(surface, _RIM_HEIGHT), _with_rim(bedrock, 0.0)
    most_unstable = 0
    for number in count():
        # Careful at first, or a steep pile would overshoot, and after many rounds, or sediment might swing for ever.
        relaxation_factor = _FULL_RELAXATION if 0 < number < _SWINGING_ROUNDS else _CAREFUL_RELAXATION
        unstable = _relax_all_scales(height, floor, 0.0, cell_size, slopes, relaxation_factor)
        surface[...] = height[1:-1, 1:-1]
        if unstable == 0:
            return False
        most_unstable = max(most_unstable, unstable)
        if (yield 1.0 - unstable / most_unstable):
            break
    return True


# Sediment up to this many degrees steeper than the talus angle counts as stable.  It is half of the 0.1° that is
# promised, so that rounding to float32 does not break the promise.
_TOLERANCE = 0.05
# Falling sediment comes to rest this many degrees below the talus angle.  Without this margin a slope could not take up
# any unevenness.
_REST_MARGIN = 0.5

# The relaxation factor: how much falls, as a multiple of what would leave the drop just stable.
_CAREFUL_RELAXATION, _FULL_RELAXATION = 0.7, 1.15
_SWINGING_ROUNDS = 40
# Cells along the side of a tile; sweeps over the unstable tiles in one relaxation.
_TILE = 16
_SWEEPS = 32
# A grid with fewer cells across is not coarsened to.
_FEWEST_CELLS_ACROSS = 8
# With fewer tiles than this, waking the other threads takes longer than the work.
_FEWEST_TILES_FOR_THREADS = 16

# Height of the rim around the grid in metres: higher than any neighbour, so that nothing falls over the border; finite,
# so that differences are numbers.
_RIM_HEIGHT = 1e300

SLIDE_REACH = 128
"""Cells around a piece of a large land in which sediment slides along with it; what slides farther is cut off."""

_SQRT_HALF = math.sqrt(0.5)
# A direction is at most 22.5° from that of a neighbour, so no triangle is steeper than its edges by more than this.
_COS_22_5 = math.cos(math.radians(22.5))


class _TalusSlopes:
    """Tangents: of the talus angle, of the slope that counts as unstable, and of the slope that falls aim at."""

    def __init__(self, talus_angle: float) -> None:
        self.talus = math.tan(math.radians(talus_angle))
        self.limit = math.tan(math.radians(talus_angle + _TOLERANCE))
        self.aim = math.tan(math.radians(max(talus_angle - _REST_MARGIN, 0.0)))


class _Stability(NamedTuple):
    """When a column falls, and how much.

    Attributes
    ----------
    retained : float
        Thickness of sediment above the floor that never falls, in metres.
    aim, limit : float
        Drop over the distance of one cell, in metres: that a fall aims at, and above which a column is unstable.
    relaxation_factor : float
        How much falls, as a multiple of what would leave the drop just stable.
    """

    retained: float
    aim: float
    limit: float
    relaxation_factor: float


def _relax_all_scales(
    height: Array, floor: Array, retained: float, size: float, slopes: _TalusSlopes, relaxation_factor: float
) -> int:
    """Relax, then the deep piles on a grid of twice the cell size, then relax again: a multigrid V-cycle.

    Sediment may fall as far as `retained` above the floor.  On a coarser grid that is what would stay in a wedge at the
    talus angle if the neighbouring block were empty, over the highest rock in the block.  So only sediment that has to
    leave its block, and has no rock in its way, moves on the coarser grid.

    Returns
    -------
    int
        How many tiles are still unstable; 0 if everything is stable.
    """
    unstable = _relax(height, floor, retained, size, slopes, relaxation_factor)
    is_large = min(height.shape) >= 2 * _FEWEST_CELLS_ACROSS
    if unstable and is_large and _relax_in_blocks(height, floor, retained, size, slopes):
        unstable = _relax(height, floor, retained, size, slopes, relaxation_factor)
    return unstable


def _relax_in_blocks(height: Array, floor: Array, retained: float, size: float, slopes: _TalusSlopes) -> bool:
    """Relax the deep piles on a grid of blocks of 2 × 2 cells; return whether there were any.

    An odd number of rows leaves one of them out.  So that no side of the land is favoured, the result is the mean of
    leaving out the first and the last, and the same for columns.
    """
    row_offsets, column_offsets = ((0, 1) if (side - 2) % 2 else (0,) for side in height.shape)
    corners = [(0, 0), (1, 1), (0, 1), (1, 0)]
    offsets = [(i, j) for i, j in corners if i in row_offsets and j in column_offsets]
    changes = (_change_in_blocks(height, floor, retained, size, slopes, offset) for offset in offsets)
    # Opposite corners first: turned or mirrored land gives the same sum to the last digit.
    total = _sum_of_next(changes, min(len(offsets), 2))
    if len(offsets) == 4:
        total = _sum_of(total, _sum_of_next(changes, 2))
    if total is None:
        return False
    total *= 1.0 / len(offsets)
    height += total
    return True


def _sum_of_next(changes: Iterator[Array | None], number: int) -> Array | None:
    """Return the sum of the next changes; None if there are none.  No more than two are in memory at once."""
    total = next(changes)
    for _ in range(number - 1):
        total = _sum_of(total, next(changes))
    return total


def _sum_of(one: Array | None, other: Array | None) -> Array | None:
    """Return the sum of two changes, in the memory of one of them; None stands for no change."""
    if one is None or other is None:
        return one if other is None else other
    one += other
    return one


def _change_in_blocks(
    height: Array, floor: Array, retained: float, size: float, slopes: _TalusSlopes, offset: tuple[int, int]
) -> Array | None:
    """Return by how much relaxing blocks changes the height of each cell; None if no block has a deep pile."""
    shape = (height.shape[0] // 2 + 1, height.shape[1] // 2 + 1)
    blocks, tops = np.full(shape, _RIM_HEIGHT), np.zeros(shape, np.float32)
    _coarsen(height, floor, offset, blocks, tops)
    retained_in_blocks = retained + size * slopes.talus
    if not (blocks[1:-1, 1:-1] > tops[1:-1, 1:-1] + retained_in_blocks).any():
        return None
    changed = blocks.copy()
    _relax_all_scales(changed, tops, retained_in_blocks, 2.0 * size, slopes, 1.0)
    change = np.zeros_like(height)
    _refine(blocks, changed, height, floor, retained, offset, change)
    return change


def _relax(
    height: Array, floor: Array, retained: float, size: float, slopes: _TalusSlopes, relaxation_factor: float
) -> int:
    """Let sediment fall on one grid for a few sweeps; return how many tiles are still unstable."""
    tiles = tuple(-(-(side - 2) // _TILE) for side in height.shape)
    stability = _Stability(retained, size * slopes.aim, size * slopes.limit, relaxation_factor)
    last_fall, queue = np.zeros(tiles, np.int32), np.empty(tiles[0] * tiles[1], np.int32)
    share, after = np.zeros_like(height), np.empty_like(height)
    unstable = 0
    for current in range(1, _SWEEPS + 1):
        unstable = int(_queue_beside(last_fall, current - 1, queue))
        few = unstable < _FEWEST_TILES_FOR_THREADS
        measure, move, settle_tiles = (one.alone if few else one for one in (_measure_falls, _move, _copy_tiles))
        measure(height, floor, stability, queue[:unstable], current, last_fall, share)
        unstable = int(_queue_beside(last_fall, current, queue))
        if unstable == 0:
            break
        move(height, floor, retained, share, queue[:unstable], last_fall, after)
        settle_tiles(after, queue[:unstable], last_fall, height, share)
    return unstable


def _with_rim(field: npt.NDArray[np.floating], value: float) -> Array:
    """Return a field with one more cell of a value on each side."""
    framed = np.full((field.shape[0] + 2, field.shape[1] + 2), value, field.dtype)
    framed[1:-1, 1:-1] = field
    return framed


@kernel
def _queue_beside(last_fall: Array, sweep: int, queue: Array) -> int:
    """Write to the queue the tiles in which, or beside which, something fell in a sweep; return how many there are."""
    found = 0
    for i in range(last_fall.shape[0]):
        for j in range(last_fall.shape[1]):
            latest = 0
            for y in range(max(i - 1, 0), min(i + 2, last_fall.shape[0])):
                for x in range(max(j - 1, 0), min(j + 2, last_fall.shape[1])):
                    latest = max(latest, last_fall[y, x])
            if latest >= sweep:
                queue[found] = i * last_fall.shape[1] + j
                found += 1
    return found


@parallel_kernel
def _measure_falls(
    part: Part,
    height: Array,
    floor: Array,
    stability: _Stability,
    queue: Array,
    current: int,
    last_fall: Array,
    share: Array,
) -> None:
    """Write which share of each drop falls from each column, in the tiles of the queue."""
    for n in portion(part, queue.size):
        i, j = queue[n] // last_fall.shape[1], queue[n] % last_fall.shape[1]
        south, west = 1 + i * _TILE, 1 + j * _TILE
        falls = False
        for row in range(south, min(south + _TILE, height.shape[0] - 1)):
            for column in range(west, min(west + _TILE, height.shape[1] - 1)):
                share[row, column] = _share_that_falls(height, floor, stability, row, column)
                falls = falls or share[row, column] > 0.0
        if falls:
            last_fall[i, j] = current


@kernel
def _share_that_falls(height: Array, floor: Array, stability: _Stability, row: int, column: int) -> float:
    """Share of its drops to lower neighbours that falls from a column; 0 if it is stable."""
    aim, limit = stability.aim, stability.limit
    top, ground = height[row, column], floor[row, column] + stability.retained
    if top <= ground:
        return 0.0
    e, w = top - height[row, column + 1], top - height[row, column - 1]
    n, s = top - height[row + 1, column], top - height[row - 1, column]
    ne, nw = top - height[row + 1, column + 1], top - height[row + 1, column - 1]
    se, sw = top - height[row - 1, column + 1], top - height[row - 1, column - 1]
    side, corner = max(max(e, w), max(n, s)), max(max(ne, nw), max(se, sw))
    if max(side, corner * _SQRT_HALF) <= limit * _COS_22_5:
        return 0.0
    steepest = max(
        max(max(_triangle(e, ne), _triangle(n, ne)), max(_triangle(n, nw), _triangle(w, nw))),
        max(max(_triangle(w, sw), _triangle(s, sw)), max(_triangle(s, se), _triangle(e, se))),
    )
    if steepest <= limit:
        return 0.0
    # Opposite neighbours first: turned or mirrored land gives the same sum to the last digit.
    sides = (max(e, 0.0) + max(w, 0.0)) + (max(n, 0.0) + max(s, 0.0))
    corners = (max(ne, 0.0) + max(sw, 0.0)) + (max(nw, 0.0) + max(se, 0.0))
    drops = sides + corners
    # Each drop is too large by the share 1 − aim / steepest.  When x falls, the largest drop shrinks by x at its upper
    # end and by the received share of x at its lower end.
    largest = max(side, corner)
    falls = stability.relaxation_factor * (1.0 - aim / steepest) * largest * drops / (drops + largest)
    return min(falls, top - ground) / drops


@parallel_kernel
def _move(
    part: Part, height: Array, floor: Array, retained: float, share: Array, queue: Array, last_fall: Array, after: Array
) -> None:
    """Write the heights after all columns have fallen at once, in the tiles of the queue."""
    for n in portion(part, queue.size):
        i, j = queue[n] // last_fall.shape[1], queue[n] % last_fall.shape[1]
        south, west = 1 + i * _TILE, 1 + j * _TILE
        for row in range(south, min(south + _TILE, height.shape[0] - 1)):
            for column in range(west, min(west + _TILE, height.shape[1] - 1)):
                own, top = share[row, column], height[row, column]
                e = _exchange(height, share, own, top, row, column + 1)
                w = _exchange(height, share, own, top, row, column - 1)
                n_ = _exchange(height, share, own, top, row + 1, column)
                s = _exchange(height, share, own, top, row - 1, column)
                ne = _exchange(height, share, own, top, row + 1, column + 1)
                nw = _exchange(height, share, own, top, row + 1, column - 1)
                se = _exchange(height, share, own, top, row - 1, column + 1)
                sw = _exchange(height, share, own, top, row - 1, column - 1)
                change = ((e + w) + (n_ + s)) + ((ne + sw) + (nw + se))
                moved = top + change
                if own > 0.0:
                    moved = max(moved, floor[row, column] + retained)
                after[row, column] = moved


@kernel
def _exchange(height: Array, share: Array, own: float, top: float, row: int, column: int) -> float:
    """What a column gets from a higher neighbour, or below 0 what it loses to a lower one."""
    drop = height[row, column] - top
    return share[row, column] * drop if drop > 0.0 else own * drop


@parallel_kernel
def _copy_tiles(part: Part, after: Array, queue: Array, last_fall: Array, height: Array, share: Array) -> None:
    """Take over the new heights of the tiles of the queue."""
    for n in portion(part, queue.size):
        south, west = 1 + queue[n] // last_fall.shape[1] * _TILE, 1 + queue[n] % last_fall.shape[1] * _TILE
        for row in range(south, min(south + _TILE, height.shape[0] - 1)):
            for column in range(west, min(west + _TILE, height.shape[1] - 1)):
                height[row, column] = after[row, column]
                share[row, column] = 0.0


@kernel
def _triangle(side: float, corner: float) -> float:
    """Steepest drop, over the distance of one cell, on the triangle of a cell, a side and a corner neighbour.

    Where the gradient points out of the triangle, it is the drop along the nearest edge.
    """
    across = corner - side  # Eq. (2) of Tarboton (1997), times the cell size
    if across <= 0.0:  # Eq. (4)
        return side
    if across >= side:  # Eq. (5)
        return corner * _SQRT_HALF
    return math.sqrt(side * side + across * across)  # Eq. (3)


@kernel
def _coarsen(height: Array, floor: Array, offset: tuple[int, int], blocks: Array, tops: Array) -> None:
    """Write the height and the highest floor of blocks of 2 × 2 cells; an odd row or column at the border is left out.

    A block is as high as the mean of its cells, but not lower than its rock, or sediment would pass through ridges.
    """
    for i in range(1, blocks.shape[0] - 1):
        for j in range(1, blocks.shape[1] - 1):
            row, column = 2 * i - 1 + offset[0], 2 * j - 1 + offset[1]
            # Opposite corners first: turned or mirrored land gives the same sum to the last digit.
            mean = 0.25 * (
                (height[row, column] + height[row + 1, column + 1])
                + (height[row, column + 1] + height[row + 1, column])
            )
            top = max(
                max(floor[row, column], floor[row, column + 1]), max(floor[row + 1, column], floor[row + 1, column + 1])
            )
            blocks[i, j], tops[i, j] = max(mean, top), top


@kernel
def _refine(
    blocks: Array,
    changed: Array,
    height: Array,
    floor: Array,
    retained: float,
    offset: tuple[int, int],
    gains: Array,
) -> None:
    """Write what the change of each block gives to its four cells.

    A loss is taken from the sediment that may fall, in proportion.  A gain goes to the cells beside the higher blocks,
    where it came from.
    """
    for i in range(1, blocks.shape[0] - 1):
        for j in range(1, blocks.shape[1] - 1):
            gain = 4.0 * (changed[i, j] - blocks[i, j])
            if gain == 0.0:
                continue
            row, column = 2 * i - 1 + offset[0], 2 * j - 1 + offset[1]
            total = _weight(changed, height, floor, retained, gain, offset, row, column)
            total += _weight(changed, height, floor, retained, gain, offset, row + 1, column + 1)
            across = _weight(changed, height, floor, retained, gain, offset, row, column + 1)
            across += _weight(changed, height, floor, retained, gain, offset, row + 1, column)
            total += across
            for y in range(row, row + 2):
                for x in range(column, column + 2):
                    weight = _weight(changed, height, floor, retained, gain, offset, y, x)
                    share = weight / total if total > 0.0 else 0.25
                    gains[y, x] = max(gain, -total) * share if gain < 0.0 else gain * share


@kernel
def _weight(
    changed: Array,
    height: Array,
    floor: Array,
    retained: float,
    gain: float,
    offset: tuple[int, int],
    row: int,
    column: int,
) -> float:
    """Return a cell's weight in the change of its block: the sediment that may fall, or what came from beside it."""
    if gain < 0.0:
        return max(height[row, column] - floor[row, column] - retained, 0.0)
    # The block, and the direction in which the cell lies in it: −1 is south or west, 1 north or east.
    y, x = row + 1 - offset[0], column + 1 - offset[1]
    i, j = y // 2, x // 2
    north, east = 2 * (y - 2 * i) - 1, 2 * (x - 2 * j) - 1
    beside = _rise_to(changed, i, j, i + north, j) + _rise_to(changed, i, j, i, j + east)
    return beside + _rise_to(changed, i, j, i + north, j + east)


@kernel
def _rise_to(changed: Array, i: int, j: int, row: int, column: int) -> float:
    """How far a block stands above another one; 0 if it does not, or is part of the rim."""
    above = changed[row, column] - changed[i, j]
    return above if 0.0 < above < 0.5 * _RIM_HEIGHT else 0.0


def _reach(process: Stabilisation, cell_size: float) -> int:
    return SLIDE_REACH


STABILISATION = Process(Stabilisation, stabilise_sediment, slides=True, reach=_reach)
