"""Sediment slides until none of it lies steeper than its talus angle.

The published model takes unstable cells at random from a queue: a column that stands too high above a neighbour falls
to its lower neighbours, and those are examined again.  Here the same falls happen in an order that does not depend on
the number of threads, and deep piles take long ways on coarser grids.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process


@dataclass(frozen=True)
class Stabilisation(ParameterSet):
    """Loose ground slides until it lies at its angle of repose."""

    enabled: bool = parameter(True, "Whether this process takes part")
    talus_angle: float = parameter(
        45.0, "Steepest slope on which loose ground stays", unit="°", limits=(0.0, 89.0), soft=(20.0, 50.0)
    )


def stabilise_sediment(terrain: Terrain, process: Stabilisation) -> Steps[Eroded]:
    """Let sediment slide down until nowhere it lies steeper than the talus angle.

    A cell with sediment is unstable if the steepest of the eight triangles that it makes with its neighbours (Tarboton
    1997) is steeper than the talus angle; then some of its sediment falls to all lower neighbours, in proportion to
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
        The same bedrock, the same volume of sediment; no sediment is steeper than the talus angle + 0.1°, and what
        slid lies up to 0.5° less steep than it could, as sand that comes to rest does.
    """
    before = volume_of(terrain)
    surface = heights_of(terrain)
    yield from settle(surface, terrain.bedrock, terrain.cell_size, process.talus_angle)
    after = Terrain(terrain.bedrock, (surface - terrain.bedrock).astype(np.float32), terrain.cell_size)
    return Eroded(after, MassBalance(before, volume_of(after)))


def settle(surface: npt.NDArray[np.float64], bedrock: Field, cell_size: float, talus_angle: float) -> Steps[bool]:
    """Let what lies on the bedrock slide, in place; see `stabilise_sediment`.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Height of the ground in metres, nowhere below the bedrock; consistent at every step.
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
    angle = _Angle(talus_angle)
    height, floor = _framed(surface, _FRAME), _framed(bedrock, 0.0)
    first = 0
    while True:
        # Gently at first: an order of sweeps that throws a steep pile about would leave it lopsided.
        restless = _relax_all_scales(height, floor, 0.0, cell_size, angle, _HASTE if first else _GENTLE)
        surface[...] = height[1:-1, 1:-1]
        if restless == 0:
            return False
        first = max(first, restless)
        if (yield 1.0 - restless / first):
            return True


# Sediment up to this much steeper than the talus angle counts as stable: half of what is promised, so that rounding to
# float32 does not break the promise.
_TOLERANCE = 0.05
# What falls comes to rest below the talus angle.  Without this slack a slope could not take up any unevenness.
_SLACK = 0.5

# How much falls, against what would leave the drop just stable.
_GENTLE, _HASTE = 0.7, 1.3
_TILE = 32
_ROUNDS = 8
_SWEEPS = 4
_SMALLEST = 8
# Waking the other threads takes longer than this many tiles.
_WORTH_SHARING = 16

# Higher than any neighbour, so that nothing falls over the border; finite, so that differences are numbers.
_FRAME = 1e300

_SQRT_HALF = math.sqrt(0.5)
# A direction is at most 22.5° from that of a neighbour, so no triangle is steeper than its edges by more than this.
_COS_22_5 = math.cos(math.radians(22.5))


class _Angle:
    """Rises per metre: of the talus angle, of what counts as too steep, and of what falling sediment aims at."""

    def __init__(self, talus_angle: float) -> None:
        self.talus = math.tan(math.radians(talus_angle))
        self.limit = math.tan(math.radians(talus_angle + _TOLERANCE))
        self.aim = math.tan(math.radians(max(talus_angle - _SLACK, 0.0)))


def _relax_all_scales(height: Array, floor: Array, kept: float, size: float, angle: _Angle, haste: float) -> int:
    """Relax, then the deep piles on a grid of twice the cell size, then relax again: a multigrid V-cycle.

    Sediment may fall as far as `kept` above the floor.  On a coarser grid that is what would stay in a wedge at the
    talus angle if the neighbouring block were empty, over the highest rock in the block: only sand that has to leave
    its block, and has no rock in its way, takes the long way.

    Returns
    -------
    int
        How many tiles are still restless; 0 if everything is stable.
    """
    restless = _relax(height, floor, kept, size, angle, haste)
    if restless and min(height.shape) >= 2 * _SMALLEST:
        shape = (height.shape[0] // 2 + 1, height.shape[1] // 2 + 1)
        blocks, tops = np.full(shape, _FRAME), np.zeros(shape, np.float32)
        _coarsen(height, floor, blocks, tops)
        kept_in_blocks = kept + size * angle.talus
        if (blocks[1:-1, 1:-1] > tops[1:-1, 1:-1] + kept_in_blocks).any():
            changed = blocks.copy()
            _relax_all_scales(changed, tops, kept_in_blocks, 2.0 * size, angle, 1.0)
            _refine(blocks, changed, height, floor, kept)
            restless = _relax(height, floor, kept, size, angle, haste)
    return restless


def _relax(height: Array, floor: Array, kept: float, size: float, angle: _Angle, haste: float) -> int:
    tiles = tuple(-(-(side - 2) // _TILE) for side in height.shape)
    moved_in, queue = np.zeros(tiles, np.int32), np.empty(tiles[0] * tiles[1], np.int32)
    return int(_slide(height, floor, kept, size * angle.aim, size * angle.limit, haste, moved_in, queue))


def _framed(field: npt.NDArray[np.floating], value: float) -> Array:
    framed = np.full((field.shape[0] + 2, field.shape[1] + 2), value, field.dtype)
    framed[1:-1, 1:-1] = field
    return framed


def _slide(
    height: Array, floor: Array, kept: float, aim: float, limit: float, haste: float, moved_in: Array, queue: Array
) -> int:
    """Go through the restless tiles a few times, in four phases: tiles of one phase never touch the same cell.

    `moved_in` holds the last round in which something moved in a tile; a tile is restless if that was not long ago in
    itself or in a neighbour.
    """
    restless = 0
    for current in range(1, _ROUNDS + 1):
        restless = 0
        for phase in range(4):
            count = int(_queue_restless(moved_in, current, phase, queue))
            restless += count
            sweep = _sweep_tiles.alone if count < _WORTH_SHARING else _sweep_tiles
            sweep(height, floor, kept, aim, limit, haste, queue[:count], current, moved_in)
        if restless == 0:
            break
    return restless


@parallel_kernel
def _sweep_tiles(
    part: Part,
    height: Array,
    floor: Array,
    kept: float,
    aim: float,
    limit: float,
    haste: float,
    queue: Array,
    current: int,
    moved_in: Array,
) -> None:
    for n in portion(part, queue.size):
        _sweep_tile(height, floor, kept, aim, limit, haste, queue[n], current, moved_in)


@kernel
def _queue_restless(moved_in: Array, current: int, phase: int, queue: Array) -> int:
    count = 0
    for i in range(phase // 2, moved_in.shape[0], 2):
        for j in range(phase % 2, moved_in.shape[1], 2):
            latest = 0
            for y in range(max(i - 1, 0), min(i + 2, moved_in.shape[0])):
                for x in range(max(j - 1, 0), min(j + 2, moved_in.shape[1])):
                    latest = max(latest, moved_in[y, x])
            if latest >= current - 1:
                queue[count] = i * moved_in.shape[1] + j
                count += 1
    return count


@kernel
def _sweep_tile(
    height: Array,
    floor: Array,
    kept: float,
    aim: float,
    limit: float,
    haste: float,
    tile: int,
    current: int,
    moved_in: Array,
) -> None:
    """Let every cell of a tile fall, in rows from each of the four corners in turn, until nothing moves."""
    i, j = tile // moved_in.shape[1], tile % moved_in.shape[1]
    south, west = 1 + i * _TILE, 1 + j * _TILE
    rows, columns = min(_TILE, height.shape[0] - 1 - south), min(_TILE, height.shape[1] - 1 - west)
    # One bit per row: those to visit, because something moved in them or beside them since they were visited.
    awake = np.uint32(0xFFFFFFFF)
    for sweep in range(_SWEEPS):
        later = np.uint32(0)
        for m in range(rows):
            n = m if sweep % 2 == 0 else rows - 1 - m
            bit = np.uint32(1) << np.uint32(n)
            if awake & bit == 0:
                continue
            moved = False
            for k in range(columns):
                column = west + (k if sweep < 2 else columns - 1 - k)
                if _fall(height, floor, kept, aim, limit, haste, south + n, column):
                    moved = True
            if moved:
                beside = bit | (bit << np.uint32(1)) | (bit >> np.uint32(1))
                awake |= beside
                later |= beside
        if later == 0:
            break
        awake = later
        moved_in[i, j] = current


@kernel
def _fall(
    height: Array, floor: Array, kept: float, aim: float, limit: float, haste: float, row: int, column: int
) -> bool:
    """Let one column fall if it is unstable; `aim` and `limit` are drops over the distance of one cell."""
    top, ground = height[row, column], floor[row, column] + kept
    if top <= ground:
        return False
    e, w = top - height[row, column + 1], top - height[row, column - 1]
    n, s = top - height[row + 1, column], top - height[row - 1, column]
    ne, nw = top - height[row + 1, column + 1], top - height[row + 1, column - 1]
    se, sw = top - height[row - 1, column + 1], top - height[row - 1, column - 1]
    side, corner = max(max(e, w), max(n, s)), max(max(ne, nw), max(se, sw))
    if max(side, corner * _SQRT_HALF) <= limit * _COS_22_5:
        return False
    steepest = max(
        max(max(_triangle(e, ne), _triangle(n, ne)), max(_triangle(n, nw), _triangle(w, nw))),
        max(max(_triangle(w, sw), _triangle(s, sw)), max(_triangle(s, se), _triangle(e, se))),
    )
    if steepest <= limit:
        return False
    e, w, n, s = max(e, 0.0), max(w, 0.0), max(n, 0.0), max(s, 0.0)
    ne, nw, se, sw = max(ne, 0.0), max(nw, 0.0), max(se, 0.0), max(sw, 0.0)
    drops = e + w + n + s + ne + nw + se + sw
    # Each drop is too large by the share 1 − aim / steepest.  When x falls, the largest drop shrinks by x, and by what
    # its lower end receives of x.
    largest = max(side, corner)
    falls = haste * (1.0 - aim / steepest) * largest * drops / (drops + largest)
    if falls >= top - ground:
        falls = top - ground
        height[row, column] = ground
    else:
        height[row, column] = max(top - falls, ground)
    share = falls / drops
    height[row, column + 1] += share * e
    height[row, column - 1] += share * w
    height[row + 1, column] += share * n
    height[row - 1, column] += share * s
    height[row + 1, column + 1] += share * ne
    height[row + 1, column - 1] += share * nw
    height[row - 1, column + 1] += share * se
    height[row - 1, column - 1] += share * sw
    return True


@kernel
def _triangle(side: float, corner: float) -> float:
    """Steepest drop, over the distance of one cell, on the triangle of a cell, a side and a corner neighbour.

    Tarboton 1997, eqs. 1-5; along an edge where the gradient points out of the triangle.
    """
    across = corner - side
    if across <= 0.0:
        return side
    if across >= side:
        return corner * _SQRT_HALF
    return math.sqrt(side * side + across * across)


@kernel
def _coarsen(height: Array, floor: Array, blocks: Array, tops: Array) -> None:
    """Height and highest floor of blocks of 2 × 2; what is left over at the border has no part in them.

    A block is as high as the mean of its cells, but not lower than its rock, or sand would pass through ridges.
    """
    for i in range(1, blocks.shape[0] - 1):
        for j in range(1, blocks.shape[1] - 1):
            row, column = 2 * i - 1, 2 * j - 1
            mean = 0.25 * (
                (height[row, column] + height[row, column + 1])
                + (height[row + 1, column] + height[row + 1, column + 1])
            )
            top = max(
                max(floor[row, column], floor[row, column + 1]), max(floor[row + 1, column], floor[row + 1, column + 1])
            )
            blocks[i, j], tops[i, j] = max(mean, top), top


@kernel
def _refine(blocks: Array, changed: Array, height: Array, floor: Array, kept: float) -> None:
    """Give the change of each block to its four cells.

    A loss is taken from what may fall, in proportion; a gain goes to where it came from, the side of the higher blocks.
    """
    for i in range(1, blocks.shape[0] - 1):
        for j in range(1, blocks.shape[1] - 1):
            gain = 4.0 * (changed[i, j] - blocks[i, j])
            if gain == 0.0:
                continue
            total = 0.0
            for y in range(2):
                for x in range(2):
                    total += _part(changed, height, floor, kept, gain, i, j, y, x)
            for y in range(2):
                for x in range(2):
                    part = _part(changed, height, floor, kept, gain, i, j, y, x)
                    share = part / total if total > 0.0 else 0.25
                    height[2 * i - 1 + y, 2 * j - 1 + x] += max(gain, -total) * share if gain < 0.0 else gain * share


@kernel
def _part(
    changed: Array, height: Array, floor: Array, kept: float, gain: float, i: int, j: int, y: int, x: int
) -> float:
    row, column = 2 * i - 1 + y, 2 * j - 1 + x
    if gain < 0.0:
        return max(height[row, column] - floor[row, column] - kept, 0.0)
    part = 0.0
    for k in range(1, 4):
        above = changed[i + (k & 1) * (2 * y - 1), j + (k >> 1) * (2 * x - 1)] - changed[i, j]
        if 0.0 < above < 0.5 * _FRAME:
            part += above
    return part


STABILISATION = Process(Stabilisation, stabilise_sediment)
