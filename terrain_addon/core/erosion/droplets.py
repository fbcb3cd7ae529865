"""Rain drops that run downhill one by one and carve gullies: fine detail on a land that other processes have shaped.

H. T. Beyer, "Implementation of a method for hydraulic erosion", bachelor's thesis, TU München, 2015.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Terrain
from .layers import heights_of, with_surface
from .mass_balance import Eroded, MassBalance, volume_of
from .process import Process


@dataclass(frozen=True)
class Droplets(ParameterSet):
    """Rain drops carve gullies a few cells wide and lay what they took at the foot of the slopes."""

    enabled: bool = parameter(True, "Whether this process takes part")
    density: float = parameter(
        0.3, "Drops per cell; more drops carve deeper and closer gullies", limits=(0.0, 100.0), soft=(0.0, 3.0)
    )
    strength: float = parameter(
        0.3, "Share of what a drop could still carry that it takes at each step", limits=(0.0, 1.0)
    )
    capacity: float = parameter(
        4.0, "How much a drop can carry; muddier drops dig deeper and leave larger fans", limits=(0.0, 32.0)
    )
    radius: int = parameter(
        3, "How wide a drop digs, in cells; wider gullies are smoother", limits=(1, 8), soft=(1, 6), advanced=True
    )
    settling: float = parameter(
        0.3, "Share of its surplus that an overloaded drop drops at each step", limits=(0.0, 1.0), advanced=True
    )
    inertia: float = parameter(
        0.05, "How much a drop keeps its direction; more makes gullies straighter", limits=(0.0, 1.0), advanced=True
    )
    evaporation: float = parameter(
        0.02, "Share of its water that a drop loses at each step", limits=(0.0, 1.0), soft=(0.0, 0.2), advanced=True
    )
    lifetime: int = parameter(
        30, "Steps of one cell after which a drop is gone", limits=(1, 120), soft=(10, 60), advanced=True
    )


def erode_by_droplets(terrain: Terrain, process: Droplets, *, seed: int = 0) -> Steps[Eroded]:
    """Let drops fall at random, run down, take ground where they gain speed and lay it down where they lose it.

    Lengths and heights are counted in cells, so a slope is treated alike whatever the cell size, and what a drop takes,
    carries and lays down is bounded by a share of the cell size: detail, however many drops fall.

    Parameters
    ----------
    terrain : Terrain
        The land; below 2 × 2 samples no drop has a way to go.
    process : Droplets
        How many drops, and how they dig.
    seed : int
        Chooses where the drops fall, 0 to 2³¹ − 1.

    Yields
    ------
    float
        Share of the drops that have fallen.  Asked to finish early, it returns what they did.

    Returns
    -------
    Eroded
        Taken from sediment first, laid down as sediment.  What drops carry over the border is in the books as `left`.
    """
    before, heights = volume_of(terrain), heights_of(terrain)
    # No drop comes further than half a tile, so two that start in tiles with one between them never meet.
    tile = 2 * (process.lifetime + process.radius + 2)
    carried = np.zeros([-(-(side - 1) // tile) for side in heights.shape])
    brush, habits, salt = _brush(process.radius), _habits(process), derive_seed(seed, Purpose.DROPLETS)
    for turn in range(_TURNS):
        if (yield turn / _TURNS):
            break
        for phase in range(4):
            _rain(
                heights,
                carried,
                tile,
                phase,
                hash_place(turn, phase, salt),
                brush,
                terrain.cell_size,
                process.density / _TURNS,
                process.lifetime,
                habits,
            )
    after = with_surface(terrain, heights)
    left = float(carried.sum()) * terrain.cell_size**2
    return Eroded(after, MassBalance(before, volume_of(after), left=left))


# Drops of one phase know nothing of those next door, so each phase comes several times, with a part of the drops.  With
# four turns what was dug beside the borders of tiles can not be told from what was dug elsewhere.
_TURNS = 4

# Beyer's constants, in cells: the slope that a drop always has for its capacity, and how a fall turns to speed.
_LEAST_SLOPE = 0.01
_GRAVITY = 4.0
# Beyer's drops may hold anything, and on a cliff one of them buries its foot; ours hold at most half a cell's cube.
_LARGEST_LOAD = 0.5


def _brush(radius: int) -> npt.NDArray[np.float64]:
    """Weights that fall off linearly to 0 at `radius` cells and add up to 1."""
    reach = np.arange(1 - radius, radius)
    weights = np.maximum(radius - np.sqrt(reach[:, None] ** 2 + reach**2), 0.0)
    weights /= weights.sum()
    return weights


def _habits(process: Droplets) -> npt.NDArray[np.float64]:
    return np.array([process.inertia, process.capacity, process.settling, process.strength, process.evaporation])


@parallel_kernel
def _rain(
    part: Part,
    height: Array,
    carried: Array,
    tile: int,
    phase: int,
    seed: np.uint32,
    brush: Array,
    cell: float,
    density: float,
    lifetime: int,
    habits: Array,
) -> None:
    """Let the drops of every second tile in either direction fall, so that no two drops that meet run at a time."""
    down, across = (carried.shape[0] + 1 - phase // 2) // 2, (carried.shape[1] + 1 - phase % 2) // 2
    for n in portion(part, down * across):
        i, j = 2 * (n // across) + phase // 2, 2 * (n % across) + phase % 2
        south, west = i * tile, j * tile
        rows, columns = min(tile, height.shape[0] - 1 - south), min(tile, height.shape[1] - 1 - west)
        salt = hash_place(i, j, seed)
        # A part of a drop falls with that probability.
        drops = int(density * rows * columns + unit_float(hash_place(-1, 0, salt)))
        for drop in range(drops):
            x = west + columns * unit_float(hash_place(drop, 0, salt))
            y = south + rows * unit_float(hash_place(drop, 1, salt))
            carried[i, j] += _run(height, x, y, brush, cell, lifetime, habits)


@kernel
def _run(height: Array, x: float, y: float, brush: Array, cell: float, lifetime: int, habits: Array) -> float:
    """Let one drop run to its end; returns what it carries over the border in metres times a cell."""
    inertia, capacity, settling, strength, evaporation = habits[0], habits[1], habits[2], habits[3], habits[4]
    rows, columns = height.shape
    per_cell = 1.0 / cell
    along_x = along_y = load = 0.0
    speed = water = 1.0
    for _ in range(lifetime):
        row, column = int(y), int(x)
        v, u = y - row, x - column
        sw, se = height[row, column], height[row, column + 1]
        nw, ne = height[row + 1, column], height[row + 1, column + 1]
        slope_x = ((se - sw) * (1.0 - v) + (ne - nw) * v) * per_cell
        slope_y = ((nw - sw) * (1.0 - u) + (ne - se) * u) * per_cell
        # Equation of the new direction, and a step of one cell along it.
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
        fall = (here - _height_at(height, x_next, y_next)) * per_cell
        if fall < 0.0:
            # Uphill: fill the hole behind, as far as the load goes.
            laid = min(load, -fall)
            _lay(height, row, column, u, v, laid * cell)
            load -= laid
        else:
            full = min(max(fall, _LEAST_SLOPE) * speed * water * capacity, _LARGEST_LOAD)
            if load > full:
                laid = (load - full) * settling
                _lay(height, row, column, u, v, laid * cell)
                load -= laid
            else:
                # No deeper than the fall, or the drop would dig a hole.
                load += _dig(height, row, column, brush, min((full - load) * strength, fall) * cell) * per_cell
        speed = math.sqrt(max(speed * speed + fall * _GRAVITY, 0.0))
        water *= 1.0 - evaporation
        x, y = x_next, y_next
    _spread(height, int(y), int(x), brush, load * cell)
    return 0.0


@kernel
def _height_at(height: Array, x: float, y: float) -> float:
    row, column = int(y), int(x)
    v, u = y - row, x - column
    south = height[row, column] * (1.0 - u) + height[row, column + 1] * u
    north = height[row + 1, column] * (1.0 - u) + height[row + 1, column + 1] * u
    return south * (1.0 - v) + north * v


@kernel
def _lay(height: Array, row: int, column: int, u: float, v: float, amount: float) -> None:
    height[row, column] += amount * ((1.0 - u) * (1.0 - v))
    height[row, column + 1] += amount * (u * (1.0 - v))
    height[row + 1, column] += amount * ((1.0 - u) * v)
    height[row + 1, column + 1] += amount * (u * v)


@kernel
def _dig(height: Array, row: int, column: int, brush: Array, amount: float) -> float:
    """Lower the ground around a cell; returns how much was taken, less than asked for at the border."""
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
    """Lay the rest of a load around a cell; what would lie beyond the border lies on the cell."""
    beyond = amount + _dig(height, row, column, brush, -amount)
    height[row, column] += beyond


DROPLETS = Process(Droplets, erode_by_droplets, exchanged=("left",), seeded=True)
