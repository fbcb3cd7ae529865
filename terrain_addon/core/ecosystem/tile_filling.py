"""How the tiles of the land fill with plants of one species.

A tile is 32 × 32 cells, so small that two plants never fit into one, and a cell 4 × 4 parts.  Parts that lie wholly in
the room of one plant are covered, and a dart that falls there is lost without another look (`covered_parts`).  First
every cell gets one dart.  Then each part that is still open gets one; where it misses, the part is halved and halved
again until single plants cover what is left of it (Ebeida et al. 2012).
"""

import math
from typing import Any

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, mix, unit_float
from ..foundation.sampling import interpolate
from .covered_parts import cover, empty_map, empty_spans, is_open, open_cells, open_parts
from .room_kept import bin_of, is_clear_of_others, list_others, squared_distance_kept
from .tile_grid import MARGIN, PARTS, TILE, empty_grid, is_crowded, lay_out, lowest, neighbours, settle, squared_room

PLACE = 2
"""Cells from side to side of a place, for which suitability is drawn once."""

MOST_IN_TILE = int((TILE / math.sqrt(2.0) + 1.0) ** 2 / math.sqrt(0.75)) + 2
"""Plants of one species that fit into a tile: its area with half a distance around it over the densest packing's."""

# When gaps are filled: plants that are looked at around a cell, and parts of it that wait; smallest sides, in cells.
_MOST_PAIRS = 128
_QUEUE = 512
_SMALLEST_PART = 0.5**7
_SMALLEST_UNSUITABLE_PART = 0.5**2
# Columns of a grid: those beside the tile, and all.
_BESIDE = np.uint64((2**MARGIN - 1) * (1 + 2 ** (TILE + MARGIN)))
_EVERYWHERE = np.uint64(2**64 - 1)


@kernel
def place_luck(place_column: int, place_row: int, seed: Bits) -> np.float32:
    """How suitable a place must be to bear plants, in [0, 1)."""
    return unit_float(hash_place(place_column, place_row, np.uint32(seed + np.uint32(1))))


@kernel
def _upper_unit(bits: Bits) -> float:
    """[0, 1) from the upper half of 32 bits."""
    return (bits >> np.uint32(16)) * (1.0 / 65536.0)


@kernel
def _lower_unit(bits: Bits) -> float:
    """[0, 1) from the lower half of 32 bits."""
    return (bits & np.uint32(0xFFFF)) * (1.0 / 65536.0)


@kernel
def _draw_radius(bits: Bits, smallest: np.float32, largest: np.float32) -> np.float32:
    """The radius of a dart's plant."""
    if smallest == largest:
        return largest
    return largest - (largest - smallest) * unit_float(mix(bits))


@parallel_kernel
def throw_first_darts(
    part: Part,
    tiles: Array,
    own: Any,
    others: Any,
    land: Any,
    rooms: Any,
    in_reach: Array,
    cell: float,
    seed: Bits,
    order: Array,
    maps: Array,
) -> None:
    """Throw one dart into each cell of some tiles."""
    tile_row, tile_column, _, slots, filled, x, y, radius = own
    smallest, largest, stretch, summed = rooms
    per_cell = 1.0 / cell
    grid, scratch, spans = empty_grid(), empty_map(), empty_spans()
    suits = np.empty((TILE, TILE), np.bool_)
    # Cells from which a dart beyond the border may be too near.
    margin = int(math.sqrt(squared_room(largest * stretch, largest * stretch, summed)) * per_cell) + 1
    drawn = np.empty((TILE, TILE), np.uint32)
    for n in portion(part, tiles.size):
        tile = tiles[n]
        row, column = tile_row[tile], tile_column[tile]
        corner = (column * TILE, row * TILE)
        lay_out(tile, per_cell, stretch, own, grid)
        strangers = list_others(corner[0] * cell, corner[1] * cell, TILE * cell, largest, others)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        _find_open_parts(corner, cell, land, rooms, seed, grid, strangers, suits, covered, spans)
        for r in range(TILE):
            for c in range(TILE):
                drawn[r, c] = hash_place(corner[0] + c, corner[1] + r, seed)
        twist = _twist(row, column, seed)
        slot = slots[tile]
        for k in range(TILE * TILE):
            r, c = (order[k] ^ twist) // TILE, (order[k] ^ twist) % TILE
            bits = drawn[r, c]
            u, v = c + _upper_unit(bits), r + _lower_unit(bits)
            part_row, part_column = int(v * PARTS), int(u * PARTS)
            if not is_open(covered, part_row, part_column):
                continue
            east, north = np.float32((corner[0] + u) * cell), np.float32((corner[1] + v) * cell)
            size = _draw_radius(bits, smallest, largest)
            near = in_reach[part_row % PARTS * PARTS + part_column % PARTS]
            if (
                not is_crowded(r + MARGIN, c + MARGIN, near, east, north, size * stretch, summed, grid)
                and _is_suitable(corner[0] + c, corner[1] + r, east, north, per_cell, land, seed)
                and is_clear_of_others(east, north, size, bin_of(u, v, TILE), strangers)
                and (
                    (margin <= r < TILE - margin and margin <= c < TILE - margin)
                    or not _is_outrun(east, north, size, k, r, c, margin, corner, cell, land, rooms, seed)
                )
            ):
                settle(r + MARGIN, c + MARGIN, east, north, size * stretch, u, v, grid)
                cover(np.float32(u), np.float32(v), _least_room(size * stretch, rooms, per_cell), covered, spans)
                x[slot], y[slot], radius[slot] = east, north, size
                slot += 1
        filled[tile] = slot - slots[tile]


@kernel
def _twist(row: int, column: int, seed: Bits) -> np.int64:
    """What makes the order of cells another in each tile."""
    return np.int64(mix(np.uint32(row) ^ mix(np.uint32(column) ^ seed)) % np.uint32(TILE * TILE))


@kernel
def _find_cells_that_suit(corner: tuple[int, int], cell: float, land: Any, seed: Bits, suits: Array) -> None:
    """Find the cells of a tile where luck is better than what the ground asks for."""
    density, width, depth, per_sample = land
    first_column, first_row = corner
    # Density at the corners of cells, a row of them below and one above, and where they lie between the samples.
    nodes = np.empty((2, TILE + 1), np.float32)
    sample = np.empty(TILE + 1, np.int64)
    share = np.empty(TILE + 1, np.float32)
    for j in range(TILE + 1):
        column = min((first_column + j) * cell, width) * per_sample
        sample[j] = min(int(column), density.shape[1] - 2)
        share[j] = column - sample[j]
    for i in range(TILE + 1):
        above, below = i % 2, 1 - i % 2
        height = min((first_row + i) * cell, depth) * per_sample
        r = min(int(height), density.shape[0] - 2)
        upper = np.float32(height - r)
        for j in range(TILE + 1):
            c = sample[j]
            south = density[r, c] + share[j] * (density[r, c + 1] - density[r, c])
            north = density[r + 1, c] + share[j] * (density[r + 1, c + 1] - density[r + 1, c])
            nodes[above, j] = south + upper * (north - south)
        if i == 0:
            continue
        on_land = (first_row + i - 1) * cell <= depth
        for j in range(TILE):
            best = max(max(nodes[below, j], nodes[below, j + 1]), max(nodes[above, j], nodes[above, j + 1]))
            luck = place_luck((first_column + j) // PLACE, (first_row + i - 1) // PLACE, seed)
            suits[i - 1, j] = luck < best and on_land and (first_column + j) * cell <= width


@kernel
def _is_suitable(
    column: int, row: int, east: np.float32, north: np.float32, per_cell: float, land: Any, seed: Bits
) -> bool:
    """Whether a place on the land is good enough, and in its cell."""
    density, width, depth, per_sample = land
    return (
        east <= width
        and north <= depth
        and place_luck(column // PLACE, row // PLACE, seed)
        < interpolate(density, east * per_sample, north * per_sample)
        # Rounding to float32 may push a place over the edge of its cell, where it would not be found.
        and int(north * per_cell) == row
        and int(east * per_cell) == column
    )


@kernel
def _is_outrun(
    east: np.float32,
    north: np.float32,
    radius: np.float32,
    turn: int,
    r: int,
    c: int,
    margin: int,
    corner: tuple[int, int],
    cell: float,
    land: Any,
    rooms: Any,
    seed: Bits,
) -> bool:
    """Whether a dart too near falls earlier in a tile that is filled later.

    Where darts fall is known beforehand: without looking at those beyond the border, plants would crowd along the
    borders of the tiles that are filled first.
    """
    smallest, largest, stretch, summed = rooms
    density, _, _, per_sample = land
    colour = corner[1] // TILE % 2 * 2 + corner[0] // TILE % 2
    for i in range(r - margin, r + margin + 1):
        for j in range(c - margin, c + margin + 1):
            if 0 <= i < TILE and 0 <= j < TILE:
                continue
            row, column = corner[1] + i, corner[0] + j
            if row < 0 or column < 0 or row // TILE % 2 * 2 + column // TILE % 2 <= colour:
                continue
            bits = hash_place(column, row, seed)
            dx, dy = (column + _upper_unit(bits)) * cell - east, (row + _lower_unit(bits)) * cell - north
            other = _draw_radius(bits, smallest, largest)
            if dx * dx + dy * dy >= squared_room(radius * stretch, other * stretch, summed):
                continue
            earlier = unit_float(mix(np.uint32(bits + np.uint32(1)))) * TILE * TILE < turn
            if earlier and place_luck(column // PLACE, row // PLACE, seed) < interpolate(
                density, (east + dx) * per_sample, (north + dy) * per_sample
            ):
                return True
    return False


@kernel
def _least_room(room: np.float32, rooms: Any, per_cell: float) -> np.float32:
    """How far a plant keeps others of its species away at least, in cells."""
    smallest, _, stretch, summed = rooms
    return np.float32(math.sqrt(squared_room(room, smallest * stretch, summed)) * per_cell)


@kernel
def _find_open_parts(
    corner: tuple[int, int],
    cell: float,
    land: Any,
    rooms: Any,
    seed: Bits,
    grid: Any,
    strangers: Any,
    suits: Array,
    covered: Array,
    spans: Array,
) -> None:
    """Map the parts of a tile that suit and that no plant in the tile or around it covers."""
    per_cell = 1.0 / cell
    _find_cells_that_suit(corner, cell, land, seed, suits)
    open_cells(suits, covered)
    _cover_by_plants(per_cell, rooms, grid, _EVERYWHERE, covered, spans)
    _cover_by_others(corner, per_cell, rooms[0], strangers, covered, spans)


@kernel
def _cover_by_plants(per_cell: float, rooms: Any, grid: Any, where: np.uint64, covered: Array, spans: Array) -> None:
    """Mark what plants of the species cover: those around a tile, and those in the columns of it that are asked for."""
    taken, _, _, room, u, v = grid
    for r in range(taken.size):
        columns = taken[r]
        if MARGIN <= r < TILE + MARGIN:
            columns &= where
        while columns != np.uint64(0):
            c = lowest(columns)
            columns &= columns - np.uint64(1)
            cover(u[r, c], v[r, c], _least_room(room[r, c], rooms, per_cell), covered, spans)


@kernel
def _cover_by_others(
    corner: tuple[int, int], per_cell: float, smallest: np.float32, strangers: Any, covered: Array, spans: Array
) -> None:
    """Mark what plants of other species cover."""
    plants = strangers[0]
    for s in range(plants.shape[0]):
        kept = math.sqrt(squared_distance_kept(smallest, plants[s, 2], plants[s, 3]))
        u, v = plants[s, 0] * per_cell - corner[0], plants[s, 1] * per_cell - corner[1]
        cover(np.float32(u), np.float32(v), np.float32(kept * per_cell), covered, spans)


@parallel_kernel
def fill_gaps(
    part: Part,
    tiles: Array,
    own: Any,
    others: Any,
    land: Any,
    rooms: Any,
    in_reach: Array,
    cell: float,
    seed: Bits,
    order: Array,
    maps: Array,
    patience: int,
) -> None:
    """Throw darts into the empty cells of some tiles, until they are full."""
    tile_row, tile_column, _, slots, filled, x, y, radius = own
    smallest, largest, stretch, summed = rooms
    per_cell = 1.0 / cell
    grid, scratch, spans = empty_grid(), empty_map(), empty_spans()
    suits = np.empty((TILE, TILE), np.bool_)
    pairs = np.empty((_MOST_PAIRS, 6), np.float32)
    queue = np.empty((_QUEUE, 3), np.float32)
    around = np.uint64(0)
    for cells in in_reach:
        around |= cells
    for n in portion(part, tiles.size):
        tile = tiles[n]
        row, column = tile_row[tile], tile_column[tile]
        corner = (column * TILE, row * TILE)
        lay_out(tile, per_cell, stretch, own, grid)
        strangers = list_others(corner[0] * cell, corner[1] * cell, TILE * cell, largest, others)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        if maps.shape[0] > 0:
            _cover_by_plants(per_cell, rooms, grid, _BESIDE, covered, spans)
        else:
            _find_open_parts(corner, cell, land, rooms, seed, grid, strangers, suits, covered, spans)
        twist = _twist(row, column, seed)
        slot = slots[tile] + filled[tile]
        for k in range(TILE * TILE):
            r, c = (order[k] ^ twist) // TILE, (order[k] ^ twist) % TILE
            parts = open_parts(covered, r, c)
            if parts == np.uint64(0):
                continue
            bits = hash_place(corner[0] + c, corner[1] + r, np.uint32(seed + np.uint32(2)))
            tail = _queue_parts(parts, bits, queue)
            known, most = _list_pairs(r, c, corner, cell, rooms, around, grid, strangers, pairs)
            head, darts = 0, 0
            while head < tail and darts < patience:
                west, south, side = queue[head, 0], queue[head, 1], queue[head, 2]
                head += 1
                darts += 1
                bits = _next(bits)
                u, v = c + west + _upper_unit(bits) * side, r + south + _lower_unit(bits) * side
                east, north = np.float32((corner[0] + u) * cell), np.float32((corner[1] + v) * cell)
                size = _draw_radius(bits, smallest, most)
                finest = np.float32(_SMALLEST_PART)
                if _is_free(east, north, size * stretch, summed, pairs, known):
                    if _is_suitable(
                        corner[0] + c, corner[1] + r, east, north, per_cell, land, seed
                    ) and is_clear_of_others(east, north, size, bin_of(u, v, TILE), strangers):
                        settle(r + MARGIN, c + MARGIN, east, north, size * stretch, u, v, grid)
                        cover(
                            np.float32(u), np.float32(v), _least_room(size * stretch, rooms, per_cell), covered, spans
                        )
                        x[slot], y[slot], radius[slot] = east, north, size
                        slot += 1
                        break
                    # Halving finds the last gap between plants, but need not find the last corner that suits.
                    finest = np.float32(_SMALLEST_UNSUITABLE_PART)
                if side > finest and tail + 4 <= _QUEUE:
                    tail = _queue_open_quarters(west, south, np.float32(0.5) * side, pairs, known, queue, tail)
        filled[tile] = slot - slots[tile]


@kernel
def _next(bits: Bits) -> Bits:
    """The next of a row of random numbers."""
    return mix(np.uint32(bits + np.uint32(0x9E3779B9)))


@kernel
def _queue_parts(parts: np.uint64, bits: Bits, queue: Array) -> int:
    """Queue parts of a cell in an order of chance; returns how many they are."""
    count = 0
    side = np.float32(1.0 / PARTS)
    while parts != np.uint64(0):
        part = lowest(parts)
        parts &= parts - np.uint64(1)
        # Each takes the place of an earlier one, which goes to the end (Fisher and Yates 1938).
        bits = _next(bits)
        other = int(_upper_unit(bits) * (count + 1))
        queue[count, 0], queue[count, 1], queue[count, 2] = queue[other, 0], queue[other, 1], side
        queue[other, 0], queue[other, 1] = part % PARTS * side, part // PARTS * side
        count += 1
    return count


@kernel
def _queue_open_quarters(
    west: np.float32, south: np.float32, side: np.float32, pairs: Array, known: int, queue: Array, tail: int
) -> int:
    """Queue the quarters of a square that no plant covers wholly; returns the end of the queue."""
    half = np.float32(0.5) * side
    for quarter in range(4):
        x, y = west + np.float32(quarter & 1) * side, south + np.float32(quarter >> 1) * side
        covered = False
        for k in range(known):
            dx, dy = abs(pairs[k, 0] - (x + half)) + half, abs(pairs[k, 1] - (y + half)) + half
            if dx * dx + dy * dy < pairs[k, 2]:
                covered = True
                break
        if not covered:
            queue[tail, 0], queue[tail, 1], queue[tail, 2] = x, y, side
            tail += 1
    return tail


@kernel
def _is_free(east: np.float32, north: np.float32, room: np.float32, summed: bool, pairs: Array, known: int) -> bool:
    """Whether no plant of the own species listed stands too near."""
    for k in range(known):
        dx, dy = pairs[k, 3] - east, pairs[k, 4] - north
        if dx * dx + dy * dy < squared_room(room, pairs[k, 5], summed):
            return False
    return True


@kernel
def _list_pairs(
    r: int,
    c: int,
    corner: tuple[int, int],
    cell: float,
    rooms: Any,
    around: np.uint64,
    grid: Any,
    strangers: Any,
    pairs: Array,
) -> tuple[int, np.float32]:
    """List plants that keep some of a cell free; returns their number, and the largest radius that fits among them.

    Place and the square of the distance kept at least in cells, from the corner of the cell; for those of the own
    species place and room in metres.
    """
    smallest, largest, stretch, summed = rooms
    taken, x, y, room, u, v = grid
    per_cell = np.float32(1.0 / cell)
    least, most = smallest * stretch, largest * stretch
    half, nothing = np.float32(0.5), np.float32(0.0)
    known = 0
    widest, farthest = most, np.float32(np.inf)
    bits = neighbours(r + MARGIN, c + MARGIN, taken) & around
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r + (beside >> 3), c + (beside & 7)
        du, dv = u[i, j] - np.float32(c), v[i, j] - np.float32(r)
        across, along = abs(du - half), abs(dv - half)
        kept = room[i, j] + least if summed else max(room[i, j], least)
        pairs[known, 0], pairs[known, 1], pairs[known, 2] = du, dv, kept * kept * per_cell * per_cell
        pairs[known, 3], pairs[known, 4], pairs[known, 5] = x[i, j], y[i, j], room[i, j]
        dx, dy = max(across - half, nothing), max(along - half, nothing)
        if (dx * dx + dy * dy) * np.float32(cell * cell) < squared_room(room[i, j], most, summed):
            known += 1
            # No place in the cell is farther off.
            corner_squared = (across + half) ** 2 + (along + half) ** 2
            if summed:
                widest = min(widest, np.float32(math.sqrt(corner_squared) * cell * 1.000001) - room[i, j])
            else:
                farthest = min(farthest, corner_squared)
    if not summed:
        widest = min(widest, np.float32(math.sqrt(farthest) * cell * 1.000001))
    plants, bin_first, binned = strangers
    b = bin_of(c, r, TILE)
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        du = np.float32(plants[s, 0] * per_cell - (corner[0] + c))
        dv = np.float32(plants[s, 1] * per_cell - (corner[1] + r))
        dx, dy = max(abs(du - half) - half, nothing) * cell, max(abs(dv - half) - half, nothing) * cell
        if known < _MOST_PAIRS and dx * dx + dy * dy < squared_distance_kept(largest, plants[s, 2], plants[s, 3]):
            pairs[known, 0], pairs[known, 1], pairs[known, 3] = du, dv, np.inf
            pairs[known, 2] = squared_distance_kept(smallest, plants[s, 2], plants[s, 3]) * per_cell * per_cell
            known += 1
    return known, min(largest, max(smallest, widest / stretch))
