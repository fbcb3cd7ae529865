"""Where plants stand: dart throwing with an acceleration grid (Cook 1986; Lagae & Dutré 2008).

A dart falls at a random place.  It stays if the place is suitable and no plant stands too near; after a number of
misses in a row the land counts as full.  Whether a place suits is drawn once for a place and not for each dart:
throwing longer fills what is suitable and never the rest, so density follows suitability however long one throws.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..compilation import Array, Bits, kernel
from ..hashing import derive_seed, hash_place, unit_float
from ..parameters import ParameterSet, parameter
from ..progress import Steps, mapped
from ..sampling import interpolate
from ..terrain import Field
from .plants import VARIANTS, Plants
from .species import Species

SPACING_RULES = {
    "larger": "Two plants keep the larger of their two radii",
    "sum": "Two plants keep the sum of their two radii",
}


@dataclass(frozen=True)
class DartThrowing(ParameterSet):
    """How plants are placed: at random, as near to one another as they bear."""

    spacing_rule: str = parameter("larger", "How far apart two plants stand", choices=SPACING_RULES, advanced=True)
    patience: int = parameter(
        1000,
        "Darts that may miss in a row before the land counts as full",
        limits=(1, 1_000_000),
        soft=(100, 10_000),
        advanced=True,
    )
    most_plants: int = parameter(
        3_000_000,
        "Number of plants at which planting ends, so that tiny plants on large land do not fill the memory",
        limits=(1, 50_000_000),
        soft=(10_000, 5_000_000),
        advanced=True,
    )


# Darts between two looks at whether to go on.
_VOLLEY = 500_000


@dataclass(frozen=True)
class _Stand:
    """Plants placed so far, and linked lists of them by cell: `first` in the cell, `following` each plant."""

    x: Array
    y: Array
    species: Array
    first: Array
    following: Array
    cell: float


def throw_darts(
    densities: Sequence[Field],
    cell_size: float,
    species: Sequence[Species],
    seed: int,
    throwing: DartThrowing,
) -> Steps[Plants]:
    """Place plants of several species, those that need more room first.

    Parameters
    ----------
    densities : sequence of ndarray of float32, shape (rows, columns)
        One per species: the share of places that suit it, in [0, 1].
    cell_size : float
        Metres.
    species : sequence of Species
        What is placed.
    seed : int
        0 to 2³¹ − 1.
    throwing : DartThrowing
        How far apart plants stand, and when it is enough.

    Yields
    ------
    float
        How much is done, from 0 to 1; stopping here leaves nothing behind.

    Returns
    -------
    Plants
        In the order in which they were placed.  No two are nearer than the rule allows.

    Raises
    ------
    ValueError
        If there are not as many densities as species.
    """
    if len(densities) != len(species):
        raise ValueError(f"{len(species)} species need as many density maps, not {len(densities)}")
    radii = np.array([s.radius for s in species], np.float32)
    placed = (np.empty(0, np.float32), np.empty(0, np.float32), np.empty(0, np.int32))
    # Larger plants first: they would find no room among many small ones.
    order = sorted(range(len(species)), key=lambda k: (-species[k].radius, k))
    for done, kind in enumerate(order):
        distances = radii + radii[kind] if throwing.spacing_rule == "sum" else np.maximum(radii, radii[kind])
        steps = _throw_one(densities[kind], cell_size, kind, distances, placed, derive_seed(seed, 3, kind), throwing)
        placed = yield from mapped(steps, partial(_of_all, done, len(order)))
    return _dress(placed, species, seed)


def _of_all(done: int, count: int, share: float) -> float:
    return (done + share) / count


def _throw_one(
    density: Field,
    cell_size: float,
    kind: int,
    distances: Array,
    placed: tuple[Array, Array, Array],
    seed: Bits,
    throwing: DartThrowing,
) -> Steps[tuple[Array, Array, Array]]:
    rows, columns = density.shape
    width, depth = (columns - 1) * cell_size, (rows - 1) * cell_size
    if not density.any() or width <= 0.0 or depth <= 0.0:
        return placed
    room = min(_most_plants(width, depth, float(distances[kind])), throwing.most_plants - placed[0].size)
    stand = _prepare_stand(placed, width, depth, float(distances.max()), room)
    count, dart, misses = placed[0].size, 0, 0
    while misses < throwing.patience and count < stand.x.size:
        count, dart, misses = _throw_volley(
            density,
            1.0 / cell_size,
            np.float32(width),
            np.float32(depth),
            kind,
            distances.astype(np.float64) ** 2,
            seed,
            throwing.patience,
            stand.x,
            stand.y,
            stand.species,
            stand.first,
            stand.following,
            1.0 / stand.cell,
            count,
            dart,
            misses,
        )
        yield count / stand.x.size
    return stand.x[:count].copy(), stand.y[:count].copy(), stand.species[:count].copy()


def _most_plants(width: float, depth: float, distance: float) -> int:
    """More plants than can keep this distance from one another: the densest packing of discs half as wide."""
    return int((width + distance) * (depth + distance) / (math.sqrt(0.75) * distance * distance)) + 1


def _prepare_stand(placed: tuple[Array, Array, Array], width: float, depth: float, reach: float, room: int) -> _Stand:
    count = placed[0].size
    # Cells at least as wide as the longest distance: whatever is too near lies in the nine cells around a dart.  More
    # cells than plants would only cost memory.
    cell = max(reach, math.sqrt(width * depth / (2.0 * (count + room) + 1.0)))
    shape = int(depth / cell) + 1, int(width / cell) + 1
    x, y = np.empty(count + room, np.float32), np.empty(count + room, np.float32)
    kinds, following = np.empty(count + room, np.int32), np.empty(count + room, np.int32)
    x[:count], y[:count], kinds[:count] = placed
    stand = _Stand(x, y, kinds, np.full(shape, -1, np.int32), following, cell)
    _link(x, y, count, 1.0 / cell, stand.first, following)
    return stand


def _dress(placed: tuple[Array, Array, Array], species: Sequence[Species], seed: int) -> Plants:
    """Give each plant an age, the height that goes with it, a rotation and a variant."""
    x, y, kinds = placed
    age, height, rotation = (np.empty(x.size, np.float32) for _ in range(3))
    variant = np.empty(x.size, np.int32)
    lifetimes = np.array([s.lifetime for s in species], np.float32)
    heights = np.array([s.height for s in species], np.float32)
    _grow(kinds, lifetimes, heights, derive_seed(seed, 4), age, height, rotation, variant)
    return Plants(x, y, kinds, age, height, rotation, variant)


@kernel
def _link(x: Array, y: Array, count: int, per_cell: float, first: Array, following: Array) -> None:
    for plant in range(count):
        row, column = int(y[plant] * per_cell), int(x[plant] * per_cell)
        following[plant] = first[row, column]
        first[row, column] = plant


@kernel
def _throw_volley(
    density: Array,
    per_sample: float,
    width: np.float32,
    depth: np.float32,
    kind: int,
    squared_distances: Array,
    seed: Bits,
    patience: int,
    x: Array,
    y: Array,
    species: Array,
    first: Array,
    following: Array,
    per_cell: float,
    count: int,
    dart: int,
    misses: int,
) -> tuple[int, int, int]:
    last = dart + _VOLLEY
    # Places are drawn on a lattice of one radius: about one plant's room.
    per_place = 1.0 / math.sqrt(squared_distances[kind])
    while dart < last and misses < patience and count < x.size:
        east = width * unit_float(hash_place(dart, 1, seed))
        north = depth * unit_float(hash_place(dart, 2, seed))
        dart += 1
        misses += 1
        luck = unit_float(hash_place(int(east * per_place), int(north * per_place), np.uint32(seed + np.uint32(1))))
        if luck >= interpolate(density, east * per_sample, north * per_sample):
            continue
        if _is_crowded(east, north, squared_distances, x, y, species, first, following, per_cell):
            continue
        row, column = int(north * per_cell), int(east * per_cell)
        x[count], y[count], species[count] = east, north, kind
        following[count] = first[row, column]
        first[row, column] = count
        count += 1
        misses = 0
    return count, dart, misses


@kernel
def _is_crowded(
    east: np.float32,
    north: np.float32,
    squared_distances: Array,
    x: Array,
    y: Array,
    species: Array,
    first: Array,
    following: Array,
    per_cell: float,
) -> bool:
    row, column = int(north * per_cell), int(east * per_cell)
    for r in range(max(row - 1, 0), min(row + 2, first.shape[0])):
        for c in range(max(column - 1, 0), min(column + 2, first.shape[1])):
            plant = first[r, c]
            while plant >= 0:
                dx, dy = np.float64(x[plant]) - east, np.float64(y[plant]) - north
                if dx * dx + dy * dy < squared_distances[species[plant]]:
                    return True
                plant = following[plant]
    return False


@kernel
def _grow(
    species: Array,
    lifetimes: Array,
    heights: Array,
    seed: Bits,
    age: Array,
    height: Array,
    rotation: Array,
    variant: Array,
) -> None:
    full = 1.0 - math.exp(-3.0)
    for plant in range(species.size):
        share = np.float32(1.0) - unit_float(hash_place(plant, 1, seed))
        age[plant] = lifetimes[species[plant]] * share
        # Height slows down with age (von Bertalanffy 1938) and reaches its full value at the end of the lifetime.
        height[plant] = heights[species[plant]] * (1.0 - math.exp(-3.0 * (0.1 + 0.9 * share))) / full
        rotation[plant] = np.float32(360.0) * unit_float(hash_place(plant, 2, seed))
        variant[plant] = hash_place(plant, 3, seed) % np.uint32(VARIANTS)
