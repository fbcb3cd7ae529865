"""Where plants stand: dart throwing with an acceleration grid (Cook 1986; Lagae & Dutré 2008), until full.

A dart falls at a random place.  It stays if the place is suitable and no plant stands too near; after a number of
misses in a row the land counts as full.  Whether a place suits is drawn once for a place and not for each dart:
throwing longer fills what is suitable and never the rest, so density follows suitability however long one throws.

Species take turns, those that need more room first.  For each the land is cut into cells so small that two plants of it
never fit into one (Lagae & Dutré 2008), and 32 × 32 cells make a tile.  Tiles are four-coloured: those of one colour do
not touch, so they are filled at the same time, each as if it were alone (phase groups: Wei 2008), and the forest does
not depend on the number of threads.  In a tile every cell gets one dart first; then the gaps are filled, until where
density is 1 no room for a plant is left (`tile_filling`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.hashing import Purpose, derive_seed, hash_place, mix, unit_float
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps
from ..foundation.terrain import Field
from .covered_parts import empty_maps
from .plants import VARIANTS, Plants
from .room_kept import LARGER, OTHERS, OWN, SUM
from .species import Species
from .tile_filling import MOST_IN_TILE, PLACE, fill_gaps, place_luck, throw_first_darts
from .tile_grid import TILE, cells_in_reach

SPACING_RULES = {
    "larger": "Two plants keep the larger of their two radii",
    "sum": "Two plants keep the sum of their two radii",
}


@dataclass(frozen=True)
class DartThrowing(ParameterSet):
    """How plants are placed: at random, as near to one another as they bear."""

    spacing_rule: str = parameter("larger", "How far apart two plants stand", choices=SPACING_RULES, advanced=True)
    patience: int = parameter(
        200,
        "Darts that may miss in a row around a place before it counts as full",
        limits=(1, 1_000_000),
        soft=(10, 1000),
        advanced=True,
    )
    most_plants: int = parameter(
        3_000_000,
        "Number of plants that planting keeps to, by more room for each, so that tiny ones do not fill the memory",
        limits=(1, 50_000_000),
        soft=(10_000, 5_000_000),
        advanced=True,
    )


# Random sequential packing of discs covers 0.547 of the plane (Feder 1980), a maximal one a little more.
_PLANTS_PER_SQUARED_DISTANCE = 0.547 / (math.pi / 4.0)
# Maps of what is covered that are kept, 2 KB each.
_MOST_MAPS = 2**16


@dataclass(frozen=True)
class _Stand:
    """Plants placed so far, species after species, and in each tile after tile.

    `tile_first` says at which plant a tile begins, `tile_column` where it lies in its row; `row_first` at which tile a
    row of tiles begins.  `plan` has a line per species: its first entry in `row_first`, its rows, its
    tiles per metre and its largest radius.
    """

    x: Array
    y: Array
    radius: Array
    species: Array
    tile_first: Array
    tile_column: Array
    row_first: Array
    plan: Array
    kinds: Array


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
        If there are not as many densities as species, or one holds NaN.
    """
    if len(densities) != len(species):
        raise ValueError(f"{len(species)} species need as many density maps, not {len(densities)}")
    stand = _empty_stand()
    # Larger plants first: they would find no room among many small ones.
    order = sorted(range(len(species)), key=lambda k: (-species[k].radius, k))
    for done, kind in enumerate(order):
        density = densities[kind]
        if np.isnan(density.sum(dtype=np.float64)):
            raise ValueError(f"the density of {species[kind].name} is NaN in {int(np.isnan(density).sum())} cells")
        grown = _plant_one(density, cell_size, species, kind, stand, seed, throwing)
        try:
            while True:
                yield (done + next(grown)) / len(order)
        except StopIteration as end:
            stand = end.value
    return _dress(stand, species, seed)


def _empty_stand() -> _Stand:
    floats, whole = np.empty(0, np.float32), np.empty(0, np.int32)
    first = np.zeros(1, np.int64)
    return _Stand(floats, floats, floats, whole, first, whole, np.empty(0, np.int64), np.empty((0, 4)), whole)


def _plant_one(
    density: Field,
    cell_size: float,
    species: Sequence[Species],
    kind: int,
    stand: _Stand,
    seed: int,
    throwing: DartThrowing,
) -> Steps[_Stand]:
    """Add the plants of one species to a stand."""
    rows, columns = density.shape
    width, depth = (columns - 1) * cell_size, (rows - 1) * cell_size
    room = throwing.most_plants - stand.x.size
    if room < 1 or not density.any() or width <= 0.0 or depth <= 0.0:
        return stand
    summed = throwing.spacing_rule == "sum"
    rule = SUM if summed else LARGER
    largest = species[kind].radius
    smallest = largest * (1.0 - species[kind].radius_variation)
    nearest, farthest = (r * (2.0 if summed else 1.0) for r in (smallest, largest))
    expected = float(density.sum(dtype=np.float64)) * cell_size**2 * _PLANTS_PER_SQUARED_DISTANCE / nearest**2
    # More plants than allowed: all keep a larger distance, and cover the same ground thinly.
    stretch = max(1.0, math.sqrt(expected / room))
    cell = 0.9999 * nearest * stretch / math.sqrt(2.0)

    own_seed = derive_seed(seed, Purpose.PLACES, kind)
    tile = TILE * cell
    tile_rows, tile_columns = int(depth / tile) + 1, int(width / tile) + 1
    row_first = np.empty(tile_rows + 1, np.int64)
    nothing = np.empty(0, np.int64)
    lattice = (tile / cell_size, tile_columns, own_seed)
    count = _find_tiles(density, *lattice, row_first, nothing, nothing)
    tile_column, slot = np.empty(count, np.int64), np.empty(count, np.int64)
    _find_tiles(density, *lattice, row_first, tile_column, slot)
    tile_row = np.repeat(np.arange(tile_rows), np.diff(row_first))
    slots = np.concatenate([[0], np.cumsum(slot)])

    x, y, radius = (np.empty(int(slots[-1]), np.float32) for _ in range(3))
    filled = np.zeros(count, np.int64)
    modes = np.array([_mode(species[kind], species[other], rule) for other in stand.kinds], np.int64)
    others = (stand.x, stand.y, stand.radius, stand.tile_first, stand.tile_column, stand.row_first, stand.plan, modes)
    colour = (tile_row % 2) * 2 + tile_column % 2
    # Distances are kept a little larger, so that rounding never brings two plants too near.
    rooms = (np.float32(smallest), np.float32(largest), np.float32(stretch * (1.0 + 5e-7)), summed)
    in_reach = cells_in_reach(1.0001 * stretch * farthest / cell)
    # Of more tiles, what is covered is found anew before gaps are filled: a fifth slower, but it needs no memory.
    maps = empty_maps(count if count <= _MOST_MAPS else 0)
    # All tiles get their first darts before any of them is filled, so that no border stands out.
    for phase in range(8):
        yield phase / 8.0
        common = (
            np.flatnonzero(colour == phase % 4),
            (tile_row, tile_column, row_first, slots, filled, x, y, radius),
            others,
            (density, width, depth, 1.0 / cell_size),
            rooms,
            in_reach,
            cell,
            own_seed,
            _SCATTERED,
            maps,
        )
        if phase < 4:
            throw_first_darts(*common)
        else:
            fill_gaps(*common, throwing.patience)
    first = np.concatenate([[0], np.cumsum(filled)])
    places = tuple(np.empty(int(first[-1]), np.float32) for _ in range(3))
    _gather(slots, first, (x, y, radius), places)
    return _added(stand, kind, places, first, tile_column, row_first, (1.0 / tile, largest), room)


def _mode(species: Species, other: Species, rule: int) -> int:
    if species.undergrowth == other.undergrowth:
        return rule
    return OWN if species.undergrowth else OTHERS


def _added(
    stand: _Stand,
    kind: int,
    places: tuple[Array, ...],
    first: Array,
    tile_column: Array,
    row_first: Array,
    tiles_per_metre_and_radius: tuple[float, float],
    room: int,
) -> _Stand:
    """The stand with plants of one more species; too many are thinned out evenly."""
    x, y, radius = places
    if x.size > room:
        lot = _lots(x, y, np.uint32(kind))
        keep = np.zeros(x.size, np.bool_)
        keep[np.argsort(lot, kind="stable")[:room]] = True
        first = np.concatenate([[0], np.cumsum(keep)])[first]
        x, y, radius = x[keep], y[keep], radius[keep]
    plan = [stand.row_first.size, row_first.size - 1, *tiles_per_metre_and_radius]
    return _Stand(
        np.concatenate([stand.x, x]),
        np.concatenate([stand.y, y]),
        np.concatenate([stand.radius, radius]),
        np.concatenate([stand.species, np.full(x.size, kind, np.int32)]),
        np.concatenate([stand.tile_first[:-1], first + stand.x.size]),
        np.concatenate([stand.tile_column, tile_column.astype(np.int32)]),
        np.concatenate([stand.row_first, row_first + stand.tile_column.size]),
        np.concatenate([stand.plan, [plan]]),
        np.concatenate([stand.kinds, np.array([kind], np.int32)]),
    )


def _dress(stand: _Stand, species: Sequence[Species], seed: int) -> Plants:
    """Give each plant an age, the size that goes with it, a rotation and a variant."""
    count = stand.x.size
    age, height, radius, rotation = (np.empty(count, np.float32) for _ in range(4))
    variant = np.empty(count, np.int32)
    lifetimes = np.array([s.lifetime for s in species], np.float32)
    heights = np.array([s.height for s in species], np.float32)
    lots = _lots(stand.x, stand.y, derive_seed(seed, Purpose.LOOKS))
    _grow(lots, stand.species, stand.radius, lifetimes, heights, age, height, radius, rotation, variant)
    return Plants(stand.x, stand.y, stand.species, age, height, rotation, variant, radius)


def _lots(x: Array, y: Array, seed: Bits) -> Array:
    """A random number for each place, so that a change elsewhere on the land changes nothing here."""
    result = np.empty(x.size, np.uint32)
    _hash_places(x.view(np.int32), y.view(np.int32), seed, result)
    return result


def _scattered_order() -> Array:
    """The cells of a tile in an order without a pattern."""
    key = np.arange(TILE * TILE, dtype=np.uint64)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        key = ((key ^ (key >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return np.argsort(key, kind="stable").astype(np.int64)


_SCATTERED = _scattered_order()


@parallel_kernel
def _hash_places(part: Part, x: Array, y: Array, seed: Bits, result: Array) -> None:
    for plant in portion(part, x.size):
        result[plant] = hash_place(x[plant], y[plant], seed)


@parallel_kernel
def _grow(
    part: Part,
    lots: Array,
    species: Array,
    room: Array,
    lifetimes: Array,
    heights: Array,
    age: Array,
    height: Array,
    radius: Array,
    rotation: Array,
    variant: Array,
) -> None:
    full = np.float32(1.0 - exp(-3.0))
    for plant in portion(part, species.size):
        share = np.float32(1.0) - unit_float(lots[plant])
        age[plant] = lifetimes[species[plant]] * share
        # Height slows down with age (von Bertalanffy 1938) and reaches its full value at the end of the lifetime.
        grown = np.float32(1.0 - exp(-3.0 * (0.1 + 0.9 * share))) / full
        height[plant] = heights[species[plant]] * grown
        radius[plant] = room[plant] * grown
        rotation[plant] = np.float32(360.0) * unit_float(mix(lots[plant]))
        variant[plant] = mix(np.uint32(lots[plant] + np.uint32(1))) % np.uint32(VARIANTS)


@kernel
def _find_tiles(
    density: Array,
    samples_per_tile: float,
    tile_columns: int,
    seed: Bits,
    row_first: Array,
    tile_column: Array,
    slot: Array,
) -> int:
    """List tiles on which something could grow, and how many plants could; with empty arrays only count them."""
    last_row, last_column = density.shape[0] - 1, density.shape[1] - 1
    highest = np.empty(last_column + 1, np.float32)
    places = TILE // PLACE
    count = 0
    for row in range(row_first.size - 1):
        row_first[row] = count
        south = min(int(row * samples_per_tile), last_row)
        north = min(int((row + 1) * samples_per_tile) + 1, last_row)
        for c in range(last_column + 1):
            highest[c] = density[south, c]
        for r in range(south + 1, north + 1):
            for c in range(last_column + 1):
                highest[c] = max(highest[c], density[r, c])
        before = -1
        top = np.float32(0.0)
        for c in range(last_column):
            here = max(highest[c], highest[c + 1])
            if here <= np.float32(0.0):
                continue
            west = int(c / samples_per_tile)
            east = min(int((c + 1) / samples_per_tile), tile_columns - 1)
            for column in range(west, east + 1):
                if column != before:
                    count += 1
                    before = column
                    top = np.float32(0.0)
                if slot.size > 0 and here > top:
                    top = here
                    open_places = 0
                    for i in range(places):
                        for j in range(places):
                            if place_luck(column * places + j, row * places + i, seed) < top:
                                open_places += 1
                    tile_column[count - 1] = column
                    slot[count - 1] = min(MOST_IN_TILE, open_places * PLACE * PLACE)
    row_first[row_first.size - 1] = count
    return count


@parallel_kernel
def _gather(part: Part, slots: Array, first: Array, apart: Any, together: Any) -> None:
    """Close the gaps between tiles."""
    for tile in portion(part, slots.size - 1):
        for k in range(first[tile + 1] - first[tile]):
            for kind in range(3):
                together[kind][first[tile] + k] = apart[kind][slots[tile] + k]
