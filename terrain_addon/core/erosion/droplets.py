"""Droplet erosion: raindrops run downhill one by one and carve gullies.

It adds fine detail to a land that other processes have shaped.  Heights and lengths are counted in cells.  At each step
of a drop that moves in the direction e at the speed v, has the water w and carries the load l,

    e ← inertia · e − (1 − inertia) · ∇h
    c = min(max(f, 0.01) · v · w · capacity, ½)
    lays  (l − c) · settling              where l > c
    takes min((c − l) · strength, f)      elsewhere
    v ← √(v² + 4 f),    w ← w · (1 − evaporation)

where f is how far the ground falls in one cell along e, and c what the drop can carry.  Uphill it fills the hole behind
it as far as its load suffices.

>>> from terrain_addon.core.foundation.progress import run
>>> slope = np.array([[0.0, 4.0, 8.0, 12.0]] * 4, np.float32)
>>> eroded = run(erode_by_droplets(Terrain(slope, np.zeros_like(slope), 2.0), Droplets(radius=1), seed=1))
>>> print((slope - eroded.terrain.surface)[1].round(2), round(eroded.balance.left, 2))
[0.  0.3 0.  0. ] 1.2

References
----------
H. T. Beyer (2015), "Implementation of a method for hydraulic erosion", bachelor's thesis, Technische Universität
München.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from ..tiling.blocks import BlockPlace
from .layers import heights_of, with_surface
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process, ProcessParameters


@dataclass(frozen=True)
class Droplets(ProcessParameters):
    """Raindrops carve gullies a few cells wide and deposit the ground at the foot of the slopes."""

    density: float = parameter(
        0.3, "Drops per cell; more drops carve deeper and closer gullies", limits=(0.0, 100.0), soft=(0.0, 3.0)
    )
    strength: float = parameter(
        0.3, "How strongly a drop digs: share of its free capacity that it fills at each step", limits=(0.0, 1.0)
    )
    capacity: float = parameter(
        4.0,
        "How much ground a drop can carry; a larger capacity digs deeper and leaves larger fans",
        limits=(0.0, 32.0),
    )
    radius: int = parameter(
        3, "How wide a drop digs, in cells; wider gullies are smoother", limits=(1, 8), soft=(1, 6), advanced=True
    )
    settling: float = parameter(
        0.3,
        "How fast an overloaded drop deposits: share of its surplus that it leaves at each step",
        limits=(0.0, 1.0),
        advanced=True,
    )
    inertia: float = parameter(
        0.05,
        "How much a drop keeps its direction; a higher value makes gullies straighter",
        limits=(0.0, 1.0),
        advanced=True,
    )
    evaporation: float = parameter(
        0.02,
        "Share of its water that a drop loses at each step: high makes short gullies",
        limits=(0.0, 1.0),
        soft=(0.0, 0.2),
        advanced=True,
    )
    lifetime: int = parameter(
        30,
        "Number of steps, each one cell long, after which a drop ends",
        limits=(1, 120),
        soft=(10, 60),
        advanced=True,
    )


def erode_by_droplets(terrain: Terrain, process: Droplets, *, seed: int = 0) -> Steps[Eroded]:
    """Let drops fall at random places and run downhill; each erodes and deposits on its way.

    Lengths and heights are counted in cells, so the same slope gives the same result for any cell size.  What a drop
    takes, carries and drops is bounded by a share of the cell size, so many drops still make fine detail only.

    Parameters
    ----------
    terrain : Terrain
        The land; with fewer than 2 × 2 samples it stays as it is.
    process : Droplets
        How many drops there are, and how they erode and deposit.
    seed : int
        Chooses where the drops fall, 0 to 2³¹ − 1.

    Yields
    ------
    float
        Share of the drops that have fallen.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        Sediment is taken before bedrock, and what is dropped is sediment.  What drops carry over the border is `left`
        in the mass balance.
    """
    before, heights = volume_of(terrain), heights_of(terrain)
    place, carried = BlockPlace(0, 0, *heights.shape), 0.0
    for turn in range(TURNS):
        if (yield turn / TURNS):
            break
        carried += fall_in_turn(heights, place, turn, process, terrain.cell_size, seed)
    after = with_surface(terrain, heights)
    left = carried * terrain.cell_size**2
    return Eroded(after, MassBalance(before, volume_of(after), left=left))


TURNS = 4
"""Drops of one phase do not see those in neighbouring tiles, so each phase has several turns, each with a part of the
drops.  With four turns, ground beside the borders of tiles looks like any other."""


def fall_in_turn(
    heights: npt.NDArray[np.float64], place: BlockPlace, turn: int, process: Droplets, cell_size: float, seed: int
) -> float:
    """Let the drops of one turn fall on a window of a land, in place.

    Parameters
    ----------
    heights : ndarray of float64, shape (rows, columns)
        Metres.  Afterwards they are those of the land in one piece, but for `reach_of_turn` cells beside rims of the
        window beyond which the land goes on.
    place : BlockPlace
        Where the window lies in the land.
    turn : int
        0 to `TURNS` − 1.
    process : Droplets
        How the drops behave.
    cell_size : float
        Metres.
    seed : int
        As for `erode_by_droplets`.

    Returns
    -------
    float
        What the drops of the window carry over the border of the land, in metres of height on one cell.
    """
    tile = _tile_of(process)
    land = place.land_rows, place.land_columns
    carried = np.zeros([-(-(side - 1) // tile) for side in land])
    brush, behaviour, salt = make_brush(process.radius), drop_behaviour(process), derive_seed(seed, Purpose.DROPLETS)
    for phase in range(4):
        shower = _Shower(tile, phase, hash_place(turn, phase, salt), process.density / TURNS)
        _rain(heights, place, carried, shower, brush, cell_size, behaviour)
    return float(carried.sum())


def reach_of_turn(process: Droplets) -> int:
    """Return how far from a place the land counts in one turn.

    Parameters
    ----------
    process : Droplets
        The parameters.

    Returns
    -------
    int
        Cells.

    Notes
    -----
    Drops of a tile see half a tile beyond it.  So a place depends on 2 tiles for the first phase, and on one more
    wherever the next phase takes other columns: three times in a turn.
    """
    return 5 * _tile_of(process)


def _tile_of(process: Droplets) -> int:
    """Cells along the side of a tile.

    No drop moves further than half a tile, so two that start in tiles with another tile between them never meet.
    """
    return 2 * (process.lifetime + process.radius + 2)


# Beyer's constants, in cells: the least slope for the capacity of a drop (p_minSlope), and how a fall turns to speed
# (p_gravity).
_LEAST_SLOPE = 0.01
_GRAVITY = 4.0
# Beyer's drops have no largest load, and one drop can bury the foot of a cliff.  Ours carry at most half a cell's cube.
_LARGEST_LOAD = 0.5


class Behaviour(NamedTuple):
    """How every drop erodes, deposits and moves; see the parameters of `Droplets`."""

    inertia: float
    capacity: float
    settling: float
    strength: float
    evaporation: float
    lifetime: int


class _Shower(NamedTuple):
    """The drops of one phase in one turn.

    Attributes
    ----------
    tile : int
        Cells along the side of a tile.
    phase : int
        Which of the four sets of tiles gets drops, 0 to 3.
    seed : uint32
        Chooses where the drops fall.
    density : float
        Drops per cell.
    """

    tile: int
    phase: int
    seed: np.uint32
    density: float


def make_brush(radius: int) -> npt.NDArray[np.float64]:
    """Return the weights with which a drop takes ground around itself.

    Parameters
    ----------
    radius : int
        In cells, 1 and above.

    Returns
    -------
    ndarray of float64, shape (2 · radius − 1, 2 · radius − 1)
        They fall linearly to 0 at the radius and add up to 1.
    """
    reach = np.arange(1 - radius, radius)
    weights = np.maximum(radius - np.sqrt(reach[:, None] ** 2 + reach**2), 0.0)
    weights /= weights.sum()
    return weights


def drop_behaviour(process: Droplets) -> Behaviour:
    """Return what kernels take of the parameters.

    Parameters
    ----------
    process : Droplets
        The parameters.

    Returns
    -------
    Behaviour
        The same for every drop.
    """
    return Behaviour(
        process.inertia, process.capacity, process.settling, process.strength, process.evaporation, process.lifetime
    )


@parallel_kernel
def _rain(
    part: Part,
    height: Array,
    place: BlockPlace,
    carried: Array,
    shower: _Shower,
    brush: Array,
    cell: float,
    behaviour: Behaviour,
) -> None:
    """Let drops fall on every second tile in both directions, so that drops that run at the same time never meet.

    Tiles are left out whose drops may leave the window for other land.
    """
    tile, phase = shower.tile, shower.phase
    north, east = place.first_row + height.shape[0], place.first_column + height.shape[1]
    down, across = (carried.shape[0] + 1 - phase // 2) // 2, (carried.shape[1] + 1 - phase % 2) // 2
    for n in portion(part, down * across):
        i, j = 2 * (n // across) + phase // 2, 2 * (n % across) + phase % 2
        south, west = i * tile, j * tile
        if max(south - tile // 2, 0) < place.first_row or min(south + tile + tile // 2, place.land_rows) > north:
            continue
        if max(west - tile // 2, 0) < place.first_column or min(west + tile + tile // 2, place.land_columns) > east:
            continue
        rows, columns = min(tile, place.land_rows - 1 - south), min(tile, place.land_columns - 1 - west)
        salt = hash_place(i, j, shower.seed)
        # The fraction of a drop that is left over falls with that probability.
        drops = int(shower.density * rows * columns + unit_float(hash_place(-1, 0, salt)))
        for drop in range(drops):
            x = west + columns * unit_float(hash_place(drop, 0, salt))
            y = south + rows * unit_float(hash_place(drop, 1, salt))
            carried[i, j] += run_drop(height, place, x, y, brush, cell, behaviour)


@kernel
def run_drop(
    height: Array, place: BlockPlace, x: float, y: float, brush: Array, cell: float, behaviour: Behaviour
) -> float:
    """Let one drop run to its end.

    Parameters
    ----------
    height : ndarray of float, shape (rows, columns)
        Metres, of a window that the drop does not leave for other land; changed by the drop.
    place : BlockPlace
        Where the window lies in the land.
    x, y : float
        Where it falls, in cells from the south-west corner of the land.
    brush : ndarray of float64
        From `make_brush`.
    cell : float
        Distance between samples in metres.
    behaviour : Behaviour
        How it erodes, deposits and moves.

    Returns
    -------
    float
        What it carries over the border, in metres of height on one cell.
    """
    inertia, capacity, settling, strength, evaporation, lifetime = behaviour
    first_row, first_column, rows, columns = place
    per_cell = 1.0 / cell
    along_x = along_y = load = 0.0
    speed = water = 1.0
    for _ in range(lifetime):
        row, column = int(y), int(x)
        v, u = y - row, x - column
        row, column = row - first_row, column - first_column
        sw, se = height[row, column], height[row, column + 1]
        nw, ne = height[row + 1, column], height[row + 1, column + 1]
        slope_x = ((se - sw) * (1.0 - v) + (ne - nw) * v) * per_cell
        slope_y = ((nw - sw) * (1.0 - u) + (ne - se) * u) * per_cell
        # dir_new = dir_old · p_inertia − gradient · (1 − p_inertia), and a step of one cell along it.
        along_x = along_x * inertia - slope_x * (1.0 - inertia)
        along_y = along_y * inertia - slope_y * (1.0 - inertia)
        length = math.sqrt(along_x * along_x + along_y * along_y)
        if length == 0.0:
            break
        along_x *= 1.0 / length
        along_y *= 1.0 / length
        x_next, y_next = x + along_x, y + along_y
        if not (0.0 <= x_next < columns - 1 and 0.0 <= y_next < rows - 1):
            return load * cell
        here = (sw * (1.0 - u) + se * u) * (1.0 - v) + (nw * (1.0 - u) + ne * u) * v
        fall = (here - _height_at(height, place, x_next, y_next)) * per_cell
        if fall < 0.0:
            # Uphill: fill the hole behind, as far as the load suffices.
            laid = min(load, -fall)
            _lay(height, row, column, u, v, laid * cell)
            load -= laid
        else:
            # c = max(−h_diff, p_minSlope) · vel · water · p_capacity
            full = min(max(fall, _LEAST_SLOPE) * speed * water * capacity, _LARGEST_LOAD)
            if load > full:
                laid = (load - full) * settling  # (sediment − c) · p_deposition
                _lay(height, row, column, u, v, laid * cell)
                load -= laid
            else:
                # min((c − sediment) · p_erosion, −h_diff): no deeper than the fall, or the drop would dig a hole.
                load += _dig(height, row, column, brush, min((full - load) * strength, fall) * cell) * per_cell
        # vel_new = √(vel_old² + h_diff · p_gravity), where the product is above 0 for a fall.
        speed = math.sqrt(max(speed * speed + fall * _GRAVITY, 0.0))
        water *= 1.0 - evaporation  # water_new = water_old · (1 − p_evaporation)
        x, y = x_next, y_next
    _spread(height, int(y) - first_row, int(x) - first_column, brush, load * cell)
    return 0.0


@kernel
def _height_at(height: Array, place: BlockPlace, x: float, y: float) -> float:
    """Return the height of the ground between the samples, bilinear."""
    row, column = int(y), int(x)
    v, u = y - row, x - column
    row, column = row - place.first_row, column - place.first_column
    south = height[row, column] * (1.0 - u) + height[row, column + 1] * u
    north = height[row + 1, column] * (1.0 - u) + height[row + 1, column + 1] * u
    return south * (1.0 - v) + north * v


@kernel
def _lay(height: Array, row: int, column: int, u: float, v: float, amount: float) -> None:
    """Raise the four corners of a cell, each by its bilinear weight."""
    height[row, column] += amount * ((1.0 - u) * (1.0 - v))
    height[row, column + 1] += amount * (u * (1.0 - v))
    height[row + 1, column] += amount * ((1.0 - u) * v)
    height[row + 1, column + 1] += amount * (u * v)


@kernel
def _dig(height: Array, row: int, column: int, brush: Array, amount: float) -> float:
    """Lower the ground around a cell; return how much was taken, which is less than `amount` at the border."""
    reach = brush.shape[0] // 2
    south, west = row - reach, column - reach
    if south >= 0 and west >= 0 and row + reach < height.shape[0] and column + reach < height.shape[1]:
        for i in range(brush.shape[0]):
            for j in range(brush.shape[1]):
                height[south + i, west + j] -= amount * brush[i, j]
        return amount
    taken = 0.0
    for i in range(max(-south, 0), min(brush.shape[0], height.shape[0] - south)):
        for j in range(max(-west, 0), min(brush.shape[1], height.shape[1] - west)):
            height[south + i, west + j] -= amount * brush[i, j]
            taken += amount * brush[i, j]
    return taken


@kernel
def _spread(height: Array, row: int, column: int, brush: Array, amount: float) -> None:
    """Lay the rest of a load around a cell; the share that falls beyond the border is laid on the cell itself."""
    beyond = amount + _dig(height, row, column, brush, -amount)
    height[row, column] += beyond


DROPLETS = Process(Droplets, erode_by_droplets, exchanged=("left",), seeded=True)
