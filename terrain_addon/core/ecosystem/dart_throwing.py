"""Where plants stand: dart throwing with an acceleration grid (Cook 1986; Lagae & Dutré 2008), until full.

A dart falls at a random place.  It stays if the place is suitable and no plant stands too near; after a number of
misses in a row the land counts as full.  Whether a place suits is drawn once for a place and not for each dart:
throwing longer fills what is suitable and never the rest, so density follows suitability however long one throws.

Species take turns, those that need more room first.  For each the land is cut into cells so small that two plants of it
never fit into one (Lagae & Dutré 2008), and 32 × 32 cells make a tile.  Tiles are four-coloured: those of one colour do
not touch, so they are filled at the same time, each as if it were alone (phase groups: Wei 2008), and the forest does
not depend on the number of threads.  In a tile every cell gets one dart first; cells that stay empty are then halved
and halved again, parts that a single plant covers are dropped and the others get more darts (Ebeida et al. 2012): where
density is 1 no room for a plant is left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..hashing import derive_seed, hash_place, mix, unit_float
from ..parameters import ParameterSet, parameter
from ..progress import Steps
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


# Cells from side to side of a tile, and cells to a place, for which suitability is drawn once.
_TILE = 32
_PLACE = 2
# Bins from side to side of a tile, in which plants of other species are listed.
_BINS = 8
# When gaps are filled: plants that are looked at around a cell, parts of a cell that wait, and how often it is halved.
_MOST_PAIRS = 128
_QUEUE = 512
_DEEPEST = 7
_DEEPEST_UNSUITABLE = 2
# Plants of one species that fit into a tile: its area with half a distance around it over that of the densest packing.
_MOST_IN_TILE = int((_TILE / math.sqrt(2.0) + 1.0) ** 2 / math.sqrt(0.75)) + 2
# Random sequential packing of discs covers 0.547 of the plane (Feder 1980), a maximal one a little more.
_PLANTS_PER_SQUARED_DISTANCE = 0.547 / (math.pi / 4.0)

# How a pair of plants finds the distance it keeps.
_LARGER, _SUM, _OWN, _OTHERS = range(4)


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
    rule = _SUM if throwing.spacing_rule == "sum" else _LARGER
    largest = species[kind].radius
    smallest = largest * (1.0 - species[kind].radius_variation)
    nearest, farthest = (r * (2.0 if rule == _SUM else 1.0) for r in (smallest, largest))
    expected = float(density.sum(dtype=np.float64)) * cell_size**2 * _PLANTS_PER_SQUARED_DISTANCE / nearest**2
    # More plants than allowed: all keep a larger distance, and cover the same ground thinly.
    stretch = max(1.0, math.sqrt(expected / room))
    cell = 0.9999 * nearest * stretch / math.sqrt(2.0)
    margin = int(farthest * stretch / cell) + 1

    own_seed = derive_seed(seed, 3, kind)
    tile = _TILE * cell
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
    # All tiles get their first darts before any of them is filled, so that no border stands out.
    for phase in range(8):
        yield phase / 8.0
        _fill_tiles(
            phase // 4,
            np.flatnonzero(colour == phase % 4),
            (tile_row, tile_column, row_first, slots, filled, x, y, radius),
            others,
            (density, width, depth, 1.0 / cell_size),
            (smallest, largest, stretch**2, rule),
            cell,
            margin,
            own_seed,
            throwing.patience,
            _SCATTERED,
        )
    first = np.concatenate([[0], np.cumsum(filled)])
    places = tuple(np.empty(int(first[-1]), np.float32) for _ in range(3))
    _gather(slots, first, (x, y, radius), places)
    return _added(stand, kind, places, first, tile_column, row_first, (1.0 / tile, largest), room)


def _mode(species: Species, other: Species, rule: int) -> int:
    if species.undergrowth == other.undergrowth:
        return rule
    return _OWN if species.undergrowth else _OTHERS


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
    lots = _lots(stand.x, stand.y, derive_seed(seed, 4))
    _grow(lots, stand.species, stand.radius, lifetimes, heights, age, height, radius, rotation, variant)
    return Plants(stand.x, stand.y, stand.species, age, height, rotation, variant, radius)


def _lots(x: Array, y: Array, seed: Bits) -> Array:
    """A random number for each place, so that a change elsewhere on the land changes nothing here."""
    result = np.empty(x.size, np.uint32)
    _hash_places(x.view(np.int32), y.view(np.int32), seed, result)
    return result


def _scattered_order() -> Array:
    """The cells of a tile in an order without a pattern."""
    key = np.arange(_TILE * _TILE, dtype=np.uint64)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        key = ((key ^ (key >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return np.argsort(key, kind="stable").astype(np.int64)


_SCATTERED = _scattered_order()


@kernel
def _hash_places(x: Array, y: Array, seed: Bits, result: Array) -> None:
    for plant in range(x.size):
        result[plant] = hash_place(x[plant], y[plant], seed)


@kernel
def _grow(
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
    full = np.float32(1.0 - math.exp(-3.0))
    for plant in range(species.size):
        share = np.float32(1.0) - unit_float(lots[plant])
        age[plant] = lifetimes[species[plant]] * share
        # Height slows down with age (von Bertalanffy 1938) and reaches its full value at the end of the lifetime.
        grown = np.float32(1.0 - math.exp(-3.0 * (0.1 + 0.9 * share))) / full
        height[plant] = heights[species[plant]] * grown
        radius[plant] = room[plant] * grown
        rotation[plant] = np.float32(360.0) * unit_float(mix(lots[plant]))
        variant[plant] = mix(np.uint32(lots[plant] + np.uint32(1))) % np.uint32(VARIANTS)


@kernel
def _place_luck(place_column: int, place_row: int, seed: Bits) -> np.float32:
    return unit_float(hash_place(place_column, place_row, np.uint32(seed + np.uint32(1))))


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
    places = _TILE // _PLACE
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
                            if _place_luck(column * places + j, row * places + i, seed) < top:
                                open_places += 1
                    tile_column[count - 1] = column
                    slot[count - 1] = min(_MOST_IN_TILE, open_places * _PLACE * _PLACE)
    row_first[row_first.size - 1] = count
    return count


@kernel
def _tile_at(row: int, column: int, row_first: Array, tile_column: Array) -> int:
    """Index of a tile, −1 where nothing could grow."""
    if row < 0 or row >= row_first.size - 1:
        return -1
    low, high = row_first[row], row_first[row + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if tile_column[middle] < column:
            low = middle + 1
        else:
            high = middle
    return low if low < end and tile_column[low] == column else -1


@kernel
def _squared_distance_kept(own: float, other: float, mode: int) -> float:
    if mode == _LARGER:
        kept = max(own, other)
    elif mode == _SUM:
        kept = own + other
    elif mode == _OWN:
        kept = own
    else:
        kept = other
    return kept * kept


@kernel
def _upper_unit(bits: Bits) -> float:
    """[0, 1) from the upper half of 32 bits."""
    return (bits >> np.uint32(16)) * (1.0 / 65536.0)


@kernel
def _lower_unit(bits: Bits) -> float:
    """[0, 1) from the lower half of 32 bits."""
    return (bits & np.uint32(0xFFFF)) * (1.0 / 65536.0)


@kernel
def _draw_room(bits: Bits, smallest: float, largest: float) -> float:
    """The radius of a dart's plant."""
    if smallest == largest:
        return largest
    return np.float64(np.float32(largest - (largest - smallest) * unit_float(mix(bits))))


@parallel_kernel
def _fill_tiles(
    part: Part,
    turn: int,
    tiles: Array,
    own: Any,
    others: Any,
    land: Any,
    rooms: Any,
    cell: float,
    margin: int,
    seed: Bits,
    patience: int,
    order: Array,
) -> None:
    tile_row, tile_column, row_first, slots, filled, x, y, radius = own
    for n in portion(part, tiles.size):
        tile = tiles[n]
        row, column = tile_row[tile], tile_column[tile]
        corner = (column * _TILE, row * _TILE)
        grid = np.full((_TILE + 2 * margin, _TILE + 2 * margin), -1, np.int32)
        near = np.empty((grid.size, 3), np.float32)
        # A bare 0 would have the functions below compiled once more for the constant.
        count = np.int64(0)
        for beside in range(9):
            neighbour = _tile_at(row + beside // 3 - 1, column + beside % 3 - 1, row_first, tile_column)
            if neighbour < 0:
                continue
            for p in range(slots[neighbour], slots[neighbour] + filled[neighbour]):
                r, c = int(y[p] / cell) - corner[1] + margin, int(x[p] / cell) - corner[0] + margin
                if 0 <= r < grid.shape[0] and 0 <= c < grid.shape[1]:
                    grid[r, c] = count
                    near[count, 0], near[count, 1], near[count, 2] = x[p], y[p], radius[p]
                    count += 1

        strangers, bin_first, binned = _list_strangers(corner, cell, rooms[1], others)
        luck, suits = _find_open_cells(corner, cell, land, seed)
        _close_covered_cells(corner, cell, strangers, rooms[0], suits)
        twist = np.int64(mix(np.uint32(row) ^ mix(np.uint32(column) ^ seed)) % np.uint32(_TILE * _TILE))
        surroundings = (strangers, bin_first, binned, luck)

        before = count
        if turn == 0:
            count = _throw_at_each_cell(
                corner, cell, land, rooms, grid, near, count, surroundings, suits, order, twist, seed
            )
        else:
            count = _fill_gaps(
                corner, cell, land, rooms, grid, near, count, surroundings, suits, order, twist, seed, patience
            )
        for k in range(count - before):
            slot = slots[tile] + filled[tile] + k
            x[slot], y[slot], radius[slot] = near[before + k, 0], near[before + k, 1], near[before + k, 2]
        filled[tile] += count - before


@kernel
def _throw_at_each_cell(
    corner: tuple[int, int],
    cell: float,
    land: Any,
    rooms: Any,
    grid: Array,
    near: Array,
    count: int,
    surroundings: Any,
    suits: Array,
    order: Array,
    twist: int,
    seed: Bits,
) -> int:
    """Throw one dart into each cell of a tile; returns the number of plants in `near`."""
    smallest, largest, squared_stretch, rule = rooms
    density, width, depth, per_sample = land
    strangers, bin_first, binned, luck = surroundings
    margin = (grid.shape[0] - _TILE) // 2
    for k in range(_TILE * _TILE):
        r, c = (order[k] ^ twist) // _TILE, (order[k] ^ twist) % _TILE
        if not suits[r, c]:
            continue
        bits = hash_place(corner[0] + c, corner[1] + r, seed)
        # Places in units of a cell, and everything relative to the south-west corner of the grid around the tile.
        u, v = _upper_unit(bits), _lower_unit(bits)
        east, north = np.float32((corner[0] + c + u) * cell), np.float32((corner[1] + r + v) * cell)
        room = _draw_room(bits, smallest, largest)
        reach = math.sqrt(squared_stretch * _squared_distance_kept(room, largest, rule)) / cell + 1e-3
        first_row, last_row = int(r + margin + v - reach), int(r + margin + v + reach)
        first_column, last_column = int(c + margin + u - reach), int(c + margin + u + reach)
        crowded = False
        for i in range(first_row, last_row + 1):
            for j in range(first_column, last_column + 1):
                plant = grid[i, j]
                if plant >= 0:
                    dx, dy = np.float64(near[plant, 0]) - east, np.float64(near[plant, 1]) - north
                    kept = squared_stretch * _squared_distance_kept(room, near[plant, 2], rule)
                    if dx * dx + dy * dy < kept:
                        crowded = True
                        break
            if crowded:
                break
        if crowded or east > width or north > depth:
            continue
        inside = (
            first_row >= margin
            and first_column >= margin
            and last_row < _TILE + margin
            and last_column < _TILE + margin
        )
        if not inside and _is_outrun(east, north, room, k, corner, cell, land, rooms, r, c, margin, seed):
            continue
        if _is_welcome(east, north, room, r, c, corner, cell, density, per_sample, strangers, bin_first, binned, luck):
            grid[r + margin, c + margin] = count
            near[count, 0], near[count, 1], near[count, 2] = east, north, room
            count += 1
    return count


@kernel
def _is_outrun(
    east: np.float32,
    north: np.float32,
    room: float,
    turn: int,
    corner: tuple[int, int],
    cell: float,
    land: Any,
    rooms: Any,
    r: int,
    c: int,
    margin: int,
    seed: Bits,
) -> bool:
    """Whether a dart too near falls earlier in a tile that is filled later.

    Where darts fall is known beforehand: without looking at those beyond the border, plants would crowd along the
    borders of the tiles that are filled first.
    """
    smallest, largest, squared_stretch, rule = rooms
    density, _, _, per_sample = land
    colour = corner[1] // _TILE % 2 * 2 + corner[0] // _TILE % 2
    for i in range(r - margin, r + margin + 1):
        for j in range(c - margin, c + margin + 1):
            row, column = corner[1] + i, corner[0] + j
            if row < 0 or column < 0 or row // _TILE % 2 * 2 + column // _TILE % 2 <= colour:
                continue
            bits = hash_place(column, row, seed)
            dx, dy = (column + _upper_unit(bits)) * cell - east, (row + _lower_unit(bits)) * cell - north
            other = _draw_room(bits, smallest, largest)
            if dx * dx + dy * dy >= squared_stretch * _squared_distance_kept(room, other, rule):
                continue
            earlier = unit_float(mix(np.uint32(bits + np.uint32(1)))) * _TILE * _TILE < turn
            if earlier and _place_luck(column // _PLACE, row // _PLACE, seed) < interpolate(
                density, (east + dx) * per_sample, (north + dy) * per_sample
            ):
                return True
    return False


@kernel
def _is_welcome(
    east: np.float32,
    north: np.float32,
    room: float,
    r: int,
    c: int,
    corner: tuple[int, int],
    cell: float,
    density: Array,
    per_sample: float,
    strangers: Array,
    bin_first: Array,
    binned: Array,
    luck: Array,
) -> bool:
    """Whether a place lies in its cell, suits, and is free of other species."""
    # Rounding to float32 may push a place over the edge of its cell, where it would not be found.
    if int(north / cell) != corner[1] + r or int(east / cell) != corner[0] + c:
        return False
    if luck[r // _PLACE, c // _PLACE] >= interpolate(density, east * per_sample, north * per_sample):
        return False
    b = _bin_of(r, c)
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        dx, dy = strangers[s, 0] - east, strangers[s, 1] - north
        if dx * dx + dy * dy < _squared_distance_kept(room, strangers[s, 2], strangers[s, 3]):
            return False
    return True


@kernel
def _fill_gaps(
    corner: tuple[int, int],
    cell: float,
    land: Any,
    rooms: Any,
    grid: Array,
    near: Array,
    count: int,
    surroundings: Any,
    suits: Array,
    order: Array,
    twist: int,
    seed: Bits,
    patience: int,
) -> int:
    """Throw darts into empty cells and into ever smaller parts of them, leaving out what a single plant covers."""
    smallest, largest, _, _ = rooms
    density, width, depth, per_sample = land
    strangers, bin_first, binned, luck = surroundings
    margin = (grid.shape[0] - _TILE) // 2
    pairs = np.empty((_MOST_PAIRS, 5), np.float64)
    queue = np.empty((_QUEUE, 3), np.float64)
    smallest_part = cell * 0.5**_DEEPEST
    for n in range(_TILE * _TILE):
        r, c = (order[n] ^ twist) // _TILE, (order[n] ^ twist) % _TILE
        if not suits[r, c] or grid[r + margin, c + margin] >= 0:
            continue
        x0, y0 = (corner[0] + c) * cell, (corner[1] + r) * cell
        if x0 > width or y0 > depth:
            continue
        known = _list_pairs(r, c, x0, y0, cell, rooms, grid, near, strangers, bin_first, binned, pairs)
        if _is_covered(x0, y0, cell, pairs, known):
            continue
        bits = hash_place(corner[0] + c, corner[1] + r, np.uint32(seed + np.uint32(2)))
        # The whole cell has had its dart: its quarters come next.
        tail = _put_open_quarters(x0, y0, 0.5 * cell, pairs, known, queue, np.int64(0))
        head, darts = 0, 0
        while head < tail and darts < patience:
            west, south, size = queue[head, 0], queue[head, 1], queue[head, 2]
            head += 1
            darts += 1
            bits = mix(np.uint32(bits + np.uint32(0x9E3779B9)))
            east, north = np.float32(west + _upper_unit(bits) * size), np.float32(south + _lower_unit(bits) * size)
            room = _draw_room(bits, smallest, largest)
            finest = smallest_part
            if _is_free(east, north, room, rooms, pairs, known):
                if (
                    east <= width
                    and north <= depth
                    and _is_welcome(
                        east, north, room, r, c, corner, cell, density, per_sample, strangers, bin_first, binned, luck
                    )
                ):
                    grid[r + margin, c + margin] = count
                    near[count, 0], near[count, 1], near[count, 2] = east, north, room
                    count += 1
                    break
                # Halving finds the last gap between plants, but need not find the last corner of a patch that suits.
                finest = 0.25 * cell
            if size > finest and tail + 4 <= _QUEUE:
                tail = _put_open_quarters(west, south, 0.5 * size, pairs, known, queue, tail)
    return count


@kernel
def _put_open_quarters(
    west: float, south: float, size: float, pairs: Array, known: int, queue: Array, tail: int
) -> int:
    """Queue the quarters of a square that no plant covers wholly; returns the end of the queue."""
    for quarter in range(4):
        x, y = west + (quarter & 1) * size, south + (quarter >> 1) * size
        if not _is_covered(x, y, size, pairs, known):
            queue[tail, 0], queue[tail, 1], queue[tail, 2] = x, y, size
            tail += 1
    return tail


@kernel
def _is_covered(west: float, south: float, size: float, pairs: Array, known: int) -> bool:
    """Whether a square lies wholly in the room of one plant."""
    half = 0.5 * size
    x, y = west + half, south + half
    for k in range(known):
        dx, dy = abs(pairs[k, 0] - x) + half, abs(pairs[k, 1] - y) + half
        if dx * dx + dy * dy < pairs[k, 2]:
            return True
    return False


@kernel
def _is_free(east: np.float32, north: np.float32, room: float, rooms: Any, pairs: Array, known: int) -> bool:
    """Whether a plant with this room has it at a place."""
    smallest, largest, squared_stretch, rule = rooms
    for k in range(known):
        dx, dy = pairs[k, 0] - east, pairs[k, 1] - north
        kept = pairs[k, 2]
        if smallest < largest:
            own = pairs[k, 4] < 0.0
            kept = _squared_distance_kept(room, pairs[k, 3], rule if own else pairs[k, 4])
            kept *= squared_stretch if own else 1.0
        if dx * dx + dy * dy < kept:
            return False
    return True


@kernel
def _list_pairs(
    r: int,
    c: int,
    x0: float,
    y0: float,
    cell: float,
    rooms: Any,
    grid: Array,
    near: Array,
    strangers: Array,
    bin_first: Array,
    binned: Array,
    pairs: Array,
) -> int:
    """List plants that keep some of a cell free: x, y, squared distance kept at least, radius, mode (−1: own kind)."""
    smallest, largest, squared_stretch, rule = rooms
    margin = (grid.shape[0] - _TILE) // 2
    known = 0
    for i in range(r, r + 2 * margin + 1):
        for j in range(c, c + 2 * margin + 1):
            p = grid[i, j]
            if p >= 0:
                x, y, radius = np.float64(near[p, 0]), np.float64(near[p, 1]), np.float64(near[p, 2])
                dx, dy = max(x0 - x, x - x0 - cell, 0.0), max(y0 - y, y - y0 - cell, 0.0)
                if dx * dx + dy * dy < squared_stretch * _squared_distance_kept(largest, radius, rule):
                    pairs[known, 0], pairs[known, 1], pairs[known, 3], pairs[known, 4] = x, y, radius, -1.0
                    pairs[known, 2] = squared_stretch * _squared_distance_kept(smallest, radius, rule)
                    known += 1
    b = _bin_of(r, c)
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        x, y, radius, mode = strangers[s, 0], strangers[s, 1], strangers[s, 2], strangers[s, 3]
        dx, dy = max(x0 - x, x - x0 - cell, 0.0), max(y0 - y, y - y0 - cell, 0.0)
        if known < _MOST_PAIRS and dx * dx + dy * dy < _squared_distance_kept(largest, radius, mode):
            pairs[known, 0], pairs[known, 1], pairs[known, 3], pairs[known, 4] = x, y, radius, mode
            pairs[known, 2] = _squared_distance_kept(smallest, radius, mode)
            known += 1
    return known


@kernel
def _find_open_cells(corner: tuple[int, int], cell: float, land: Any, seed: Bits) -> tuple[Array, Array]:
    """Draw the luck of each place in a tile, and find the cells where it is better than what the ground asks for."""
    density, width, depth, per_sample = land
    first_column, first_row = corner
    luck = np.empty((_TILE // _PLACE, _TILE // _PLACE), np.float32)
    for i in range(_TILE // _PLACE):
        for j in range(_TILE // _PLACE):
            luck[i, j] = _place_luck(first_column // _PLACE + j, first_row // _PLACE + i, seed)
    node = np.empty((_TILE + 1, _TILE + 1), np.float32)
    for i in range(_TILE + 1):
        for j in range(_TILE + 1):
            east, north = min((first_column + j) * cell, width), min((first_row + i) * cell, depth)
            node[i, j] = interpolate(density, east * per_sample, north * per_sample)
    suits = np.empty((_TILE, _TILE), np.bool_)
    for i in range(_TILE):
        for j in range(_TILE):
            best = max(node[i, j], node[i, j + 1], node[i + 1, j], node[i + 1, j + 1])
            suits[i, j] = luck[i // _PLACE, j // _PLACE] < best
    return luck, suits


@kernel
def _close_covered_cells(corner: tuple[int, int], cell: float, strangers: Array, smallest: float, suits: Array) -> None:
    """Close the cells that lie wholly in the room of one plant of another species."""
    first_column, first_row = corner
    for s in range(strangers.shape[0]):
        x, y = strangers[s, 0], strangers[s, 1]
        kept = _squared_distance_kept(smallest, strangers[s, 2], strangers[s, 3])
        reach = math.sqrt(kept)
        south, north = int((y - reach) / cell) - first_row, int((y + reach) / cell) - first_row
        west, east = int((x - reach) / cell) - first_column, int((x + reach) / cell) - first_column
        for i in range(max(south, 0), min(north + 1, _TILE)):
            for j in range(max(west, 0), min(east + 1, _TILE)):
                x0, y0 = (first_column + j) * cell, (first_row + i) * cell
                dx, dy = max(abs(x0 - x), abs(x0 + cell - x)), max(abs(y0 - y), abs(y0 + cell - y))
                if dx * dx + dy * dy < kept:
                    suits[i, j] = False


@kernel
def _bin_of(r: int, c: int) -> int:
    return (r * _BINS // _TILE) * _BINS + c * _BINS // _TILE


@kernel
def _list_strangers(corner: tuple[int, int], cell: float, largest: float, others: Any) -> tuple[Array, Array, Array]:
    """List plants of other species that keep some of a tile free (x, y, radius, mode), and which are near each bin."""
    first_column, first_row = corner
    count, strangers = 0, np.empty((0, 4))
    # Counted first, then listed.
    for _ in range(2):
        strangers = np.empty((count, 4))
        count = _find_strangers(corner, cell, largest, others, strangers)

    first = np.zeros(_BINS * _BINS + 1, np.int64)
    side = cell * _TILE / _BINS
    west, south = first_column * cell, first_row * cell
    binned = np.empty(0, np.int64)
    # Count, then list: after counting, `first` holds where each bin ends, and listing moves that to its beginning.
    for turn in range(2):
        for s in range(count):
            x, y = strangers[s, 0], strangers[s, 1]
            reach = math.sqrt(_squared_distance_kept(largest, strangers[s, 2], strangers[s, 3]))
            from_row, to_row = int((y - reach - south) / side), int((y + reach - south) / side)
            from_column, to_column = int((x - reach - west) / side), int((x + reach - west) / side)
            for i in range(max(from_row, 0), min(to_row + 1, _BINS)):
                for j in range(max(from_column, 0), min(to_column + 1, _BINS)):
                    if turn == 0:
                        first[i * _BINS + j] += 1
                    else:
                        first[i * _BINS + j] -= 1
                        binned[first[i * _BINS + j]] = s
        if turn == 0:
            for b in range(_BINS * _BINS):
                first[b + 1] += first[b]
            binned = np.empty(first[_BINS * _BINS], np.int64)
    return strangers, first, binned


@kernel
def _find_strangers(corner: tuple[int, int], cell: float, largest: float, others: Any, found: Array) -> int:
    """Find plants of other species that keep some of a tile free; with an empty array only count them."""
    first_column, first_row = corner
    west, south = first_column * cell, first_row * cell
    east, north = west + _TILE * cell, south + _TILE * cell
    x, y, radius, tile_first, tile_column, row_first, plan, modes = others
    count = 0
    for k in range(modes.size):
        begin, rows, per_metre = int(plan[k, 0]), int(plan[k, 1]), plan[k, 2]
        reach = math.sqrt(_squared_distance_kept(largest, plan[k, 3], modes[k]))
        from_column, to_column = int((west - reach) * per_metre), int((east + reach) * per_metre)
        for r in range(max(int((south - reach) * per_metre), 0), min(int((north + reach) * per_metre) + 1, rows)):
            low, end = row_first[begin + r], row_first[begin + r + 1]
            high = end
            while low < high:
                middle = (low + high) // 2
                if tile_column[middle] < from_column:
                    low = middle + 1
                else:
                    high = middle
            while low < end and tile_column[low] <= to_column:
                for p in range(tile_first[low], tile_first[low + 1]):
                    dx, dy = max(west - x[p], x[p] - east, 0.0), max(south - y[p], y[p] - north, 0.0)
                    if dx * dx + dy * dy < _squared_distance_kept(largest, radius[p], modes[k]):
                        if found.size > 0:
                            found[count, 0], found[count, 1], found[count, 2] = x[p], y[p], radius[p]
                            found[count, 3] = modes[k]
                        count += 1
                low += 1
    return count


@parallel_kernel
def _gather(part: Part, slots: Array, first: Array, apart: Any, together: Any) -> None:
    """Close the gaps between tiles."""
    for tile in portion(part, slots.size - 1):
        for k in range(first[tile + 1] - first[tile]):
            for kind in range(3):
                together[kind][first[tile] + k] = apart[kind][slots[tile] + k]
