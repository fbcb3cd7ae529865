"""The gaps that the first darts leave: darts into the parts that are still open, until a tile is full.

Each part that is still open gets one dart.  Where it misses, the part is halved in both directions, and its quarters
get a dart each, until single plants cover what is left (Ebeida et al. 2012).

References
----------
Ebeida, M. S., Mitchell, S. A., Patney, A., Davidson, A. A. & Owens, J. D. (2012).  A simple algorithm for maximal
Poisson-disk sampling in high dimensions.  Computer Graphics Forum 31(2), 785-794.
doi:10.1111/j.1467-8659.2012.03059.x

Gamito, M. N. & Maddock, S. C. (2009).  Accurate multidimensional Poisson-disk sampling.  ACM Transactions on Graphics
29(1), article 8.  doi:10.1145/1640443.1640451

Fisher, R. A. & Yates, F. (1938).  Statistical tables for biological, agricultural and medical research.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, mix
from .covered_parts import cover, empty_map, empty_spans, open_parts
from .darts import lower_unit, upper_unit
from .open_parts import BESIDE, cover_by_plants, find_open_parts
from .room_kept import PlacedPlants, PlantsNearby, bin_of, is_clear_of_others, list_nearby, squared_distance_kept
from .spacing import Spacing, draw_radius, least_room, squared_room
from .suitable_ground import Ground, is_suitable
from .tile_grid import MARGIN, TileGrid, empty_grid, lay_out, lowest, neighbours, occupy
from .tiles import PARTS_PER_SIDE, TILE, Tiles, TileSite, order_twist

# Plants that are looked at around a cell.  Each is a pair with the newcomer: place and square of the distance in cells
# from the corner of the cell, then place and stretched radius in metres, infinite for plants of other species.
_MOST_PAIRS = 128
# Parts of a cell that wait for a dart: west, south and side in cells.
_QUEUE = 512
# Smallest sides of parts, in cells.
_SMALLEST_PART = 0.5**7
_SMALLEST_UNSUITABLE_PART = 0.5**2

# What is added to the seed of a species, so that first darts and those into gaps are drawn apart.
_GAP_DRAW = np.uint32(2)
# From one random number of a row to the next: 2³² over the golden ratio.
_NEXT_DRAW = np.uint32(0x9E3779B9)


@parallel_kernel
def fill_gaps(
    part: Part,
    chosen: Array,
    tiles: Tiles,
    placed: PlacedPlants,
    ground: Ground,
    spacing: Spacing,
    maps: Array,
    patience: int,
) -> None:
    """Throw darts into the empty cells of some tiles, until they are full.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    chosen : ndarray of int64, shape (chosen tiles,)
        Indices of tiles that do not touch one another.
    tiles : Tiles
        All tiles of the species, after the first darts; the chosen ones take plants.
    placed : PlacedPlants
        Plants of other species.
    ground : Ground
        Where the species can grow.
    spacing : Spacing
        Distances of the species.
    maps : ndarray of uint64, shape (tiles, rows of parts, words)
        What is covered, from the first darts; without tiles it is found again.
    patience : int
        Darts that may miss in a cell.
    """
    x, y, radius, order = tiles.x, tiles.y, tiles.radius, tiles.order
    cell, per_cell, summed, stretch = tiles.cell, 1.0 / tiles.cell, spacing.summed, spacing.stretch
    grid, scratch, spans = empty_grid(), empty_map(), empty_spans()
    pairs, queue = np.empty((_MOST_PAIRS, 6), np.float32), np.empty((_QUEUE, 3), np.float32)
    around = np.uint64(0)
    for cells in tiles.in_reach:
        around |= cells
    for n in portion(part, chosen.size):
        tile = chosen[n]
        site = TileSite(tile, tiles.column[tile] * TILE, tiles.row[tile] * TILE, cell, per_cell, tiles.seed)
        lay_out(site, tiles, stretch, grid)
        nearby = list_nearby(site, spacing.largest, placed)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        if maps.shape[0] > 0:
            cover_by_plants(per_cell, spacing, grid, BESIDE, covered, spans)
        else:
            find_open_parts(site, ground, spacing, grid, nearby, covered)
        twist = order_twist(site)
        slot = tiles.slots[tile] + tiles.filled[tile]
        for k in range(TILE * TILE):
            r, c = (order[k] ^ twist) // TILE, (order[k] ^ twist) % TILE
            parts = open_parts(covered, r, c)
            if parts == np.uint64(0):
                continue
            bits = hash_place(site.column + c, site.row + r, np.uint32(site.seed + _GAP_DRAW))
            tail = _queue_parts(parts, bits, queue)
            known, most = _list_pairs(r, c, site, spacing, grid, nearby, pairs, around)
            head = 0
            while head < tail and head < patience:
                west, south, side = queue[head, 0], queue[head, 1], queue[head, 2]
                head += 1
                bits = _next(bits)
                u, v = c + west + upper_unit(bits) * side, r + south + lower_unit(bits) * side
                east, north = np.float32((site.column + u) * cell), np.float32((site.row + v) * cell)
                size = draw_radius(bits, spacing.smallest, most)
                finest = np.float32(_SMALLEST_PART)
                if _is_free(east, north, size * stretch, summed, pairs, known):
                    if is_suitable(site.column + c, site.row + r, east, north, site, ground) and is_clear_of_others(
                        east, north, size, bin_of(u, v, TILE), nearby
                    ):
                        occupy(r + MARGIN, c + MARGIN, east, north, size * stretch, np.float32(u), np.float32(v), grid)
                        cover(
                            np.float32(u), np.float32(v), least_room(size * stretch, spacing, per_cell), covered, spans
                        )
                        x[slot], y[slot], radius[slot] = east, north, size
                        slot += 1
                        break
                    # Halving finds the last gap between plants, but need not find the last corner that suits.
                    finest = np.float32(_SMALLEST_UNSUITABLE_PART)
                if side > finest and tail + 4 <= _QUEUE:
                    tail = _queue_open_quarters(west, south, np.float32(0.5) * side, pairs, known, queue, tail)
        tiles.filled[tile] = slot - tiles.slots[tile]


@kernel
def _next(bits: Bits) -> Bits:
    """Return the next of a row of random numbers."""
    return mix(np.uint32(bits + _NEXT_DRAW))


@kernel
def _queue_parts(parts: np.uint64, bits: Bits, queue: Array) -> int:
    """Queue parts of a cell in random order; return how many they are."""
    count = 0
    side = np.float32(1.0 / PARTS_PER_SIDE)
    while parts != np.uint64(0):
        part = lowest(parts)
        parts &= parts - np.uint64(1)
        # Each takes the place of an earlier one, which goes to the end (Fisher and Yates 1938).
        bits = _next(bits)
        other = int(upper_unit(bits) * (count + 1))
        queue[count, 0], queue[count, 1], queue[count, 2] = queue[other, 0], queue[other, 1], side
        queue[other, 0], queue[other, 1] = part % PARTS_PER_SIDE * side, part // PARTS_PER_SIDE * side
        count += 1
    return count


@kernel
def _queue_open_quarters(
    west: np.float32, south: np.float32, side: np.float32, pairs: Array, known: int, queue: Array, tail: int
) -> int:
    """Queue the quarters of a square that no plant covers wholly; return the end of the queue."""
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
    """Whether none of the listed plants of the own species stands too near."""
    for k in range(known):
        dx, dy = pairs[k, 3] - east, pairs[k, 4] - north
        if dx * dx + dy * dy < squared_room(room, pairs[k, 5], summed):
            return False
    return True


@kernel
def _list_pairs(
    r: int,
    c: int,
    site: TileSite,
    spacing: Spacing,
    grid: TileGrid,
    nearby: PlantsNearby,
    pairs: Array,
    around: np.uint64,
) -> tuple[int, np.float32]:
    """List plants that keep some of a cell free; return their number, and the largest radius that fits among them."""
    smallest, largest, stretch, summed = spacing.smallest, spacing.largest, spacing.stretch, spacing.summed
    taken, x, y, rooms, us, vs = grid
    cell = site.cell
    per_cell = np.float32(site.per_cell)
    least, most = smallest * stretch, largest * stretch
    half, nothing = np.float32(0.5), np.float32(0.0)
    known = 0
    widest, farthest = most, np.float32(np.inf)
    bits = neighbours(r + MARGIN, c + MARGIN, taken) & around
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r + (beside >> 3), c + (beside & 7)
        room = rooms[i, j]
        du, dv = us[i, j] - np.float32(c), vs[i, j] - np.float32(r)
        across, along = abs(du - half), abs(dv - half)
        kept = room + least if summed else max(room, least)
        pairs[known, 0], pairs[known, 1], pairs[known, 2] = du, dv, kept * kept * per_cell * per_cell
        pairs[known, 3], pairs[known, 4], pairs[known, 5] = x[i, j], y[i, j], room
        dx, dy = max(across - half, nothing), max(along - half, nothing)
        if (dx * dx + dy * dy) * np.float32(cell * cell) < squared_room(room, most, summed):
            known += 1
            # No place in the cell is farther off.
            corner_squared = (across + half) ** 2 + (along + half) ** 2
            if summed:
                widest = min(widest, np.float32(math.sqrt(corner_squared) * cell * 1.000001) - room)
            else:
                farthest = min(farthest, corner_squared)
    if not summed:
        widest = min(widest, np.float32(math.sqrt(farthest) * cell * 1.000001))
    plants, bin_first, binned = nearby
    b = bin_of(c, r, TILE)
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        du = np.float32(plants[s, 0] * per_cell - (site.column + c))
        dv = np.float32(plants[s, 1] * per_cell - (site.row + r))
        dx, dy = max(abs(du - half) - half, nothing) * cell, max(abs(dv - half) - half, nothing) * cell
        if known < _MOST_PAIRS and dx * dx + dy * dy < squared_distance_kept(largest, plants[s, 2], plants[s, 3]):
            pairs[known, 0], pairs[known, 1], pairs[known, 3] = du, dv, np.inf
            pairs[known, 2] = squared_distance_kept(smallest, plants[s, 2], plants[s, 3]) * per_cell * per_cell
            known += 1
    return known, min(largest, max(smallest, widest / stretch))
