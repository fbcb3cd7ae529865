"""The gaps that the first darts leave: darts into the parts that are still open, until a tile is full.

Every open part of a tile has the same chance to be hit, and a dart falls anywhere in it.  So plants come as if darts
went on falling all over the tile, and only those were left out that cannot hit.  When few hit, all parts are quartered
and those that single plants cover are dropped (Ebeida et al. 2012; White, Cline & Egbert 2007).

References
----------
Ebeida, M. S., Mitchell, S. A., Patney, A., Davidson, A. A. & Owens, J. D. (2012).  A simple algorithm for maximal
Poisson-disk sampling in high dimensions.  Computer Graphics Forum 31(2), 785-794.
doi:10.1111/j.1467-8659.2012.03059.x

White, K. B., Cline, D. & Egbert, P. K. (2007).  Poisson disk point sets by hierarchical dart throwing.  IEEE Symposium
on Interactive Ray Tracing 2007, 129-132.  doi:10.1109/RT.2007.4342600
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import mix
from .covered_parts import cover, empty_map, empty_spans, is_open, open_parts
from .darts import lower_unit, upper_unit
from .density_law import share_reached
from .first_darts import FIRST_DARTS
from .flooded_ground import Wetness, is_flooded, is_near_water
from .open_parts import BESIDE, cover_by_plants, find_open_parts
from .room_kept import PlacedPlants, PlantsNearby, bin_of, is_clear_of_others, list_nearby, squared_distance_kept
from .spacing import Spacing, draw_radius, least_room
from .suitable_ground import Ground, find_best_in_cells, is_suitable
from .tile_grid import MARGIN, TileGrid, empty_grid, lay_out, lowest, neighbours, occupy
from .tiles import PARTS_PER_SIDE, TILE, Tiles, TileSite, site_of, tile_bits

# Powers of two: cells, and the largest parts, from side to side of a tile.
_POWER, _FIRST_POWER = TILE.bit_length() - 1, (TILE * PARTS_PER_SIDE).bit_length() - 1
# How often parts are quartered, so that the smallest are a 128th of a cell wide.
_FINEST = 5
# Parts that are kept; there is room for four times as many.
_MOST_PARTS = (TILE * PARTS_PER_SIDE) ** 2
# Darts for each part before all are quartered.
_DARTS_PER_PART = 0.75

# Plants that are looked at around a cell.
_MOST_PAIRS = 128

# What is added to the seed of a species, so that first darts and those into gaps are drawn apart.
_GAP_DRAW = np.uint32(2)
# From one random number of a row to the next: 2³² over the golden ratio.
_NEXT_DRAW = np.uint32(0x9E3779B9)


class _Rules(NamedTuple):
    """What decides whether a plant can stand at a place in a tile.

    Attributes
    ----------
    site : TileSite
        Where the tile lies.
    ground, wetness, spacing
        As in `fill_gaps`.
    nearby : PlantsNearby
        Plants of other species.
    around : uint64
        Bits of the cells around a cell whose plants can keep some of it free.
    curve : ndarray of float32, shape (entries,)
        Which share of the plants stands at what time.
    patience : int
        Darts that may miss in a cell.
    """

    site: TileSite
    ground: Ground
    wetness: Wetness
    spacing: Spacing
    nearby: PlantsNearby
    around: np.uint64
    curve: Array
    patience: int


class _Work(NamedTuple):
    """What is known of a tile, and room for lists.

    Attributes
    ----------
    grid : TileGrid
        Plants of the species.
    spans : ndarray
        Room for `cover`.
    best : ndarray of float32, shape (TILE, TILE)
        The highest density in each cell.
    misses : ndarray of int64, shape (TILE, TILE)
        Darts that have missed in each cell.
    parts, quarters : ndarray of int32
        Lists of parts.
    pairs : ndarray of float32, shape (pairs, 3)
        Plants around a cell.
    """

    grid: TileGrid
    spans: Array
    best: Array
    misses: Array
    parts: Array
    quarters: Array
    pairs: Array


class _Darts(NamedTuple):
    """The last random number, the time, and the slot for the next plant."""

    bits: Bits
    time: float
    slot: int


@parallel_kernel
def fill_gaps(
    part: Part,
    chosen: Array,
    tiles: Tiles,
    placed: PlacedPlants,
    ground: Ground,
    wetness: Wetness,
    spacing: Spacing,
    maps: Array,
    curves: Array,
    patience: int,
) -> None:
    """Throw darts into what is open in some tiles, until they are full.

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
    wetness : Wetness
        Where water keeps it away.
    spacing : Spacing
        Distances of the species.
    maps : ndarray of uint64, shape (tiles, rows of parts, words)
        What is covered, from the first darts; without tiles it is found again.
    curves : ndarray of float32, shape (curves, entries)
        From `density_law`: which share of the plants stands at what time.
    patience : int
        Darts that may miss in a cell.
    """
    work = _empty_work()
    scratch, time = empty_map(), FIRST_DARTS / (TILE * TILE)
    around = np.uint64(0)
    for cells in tiles.in_reach:
        around |= cells
    for n in portion(part, chosen.size):
        tile = chosen[n]
        curve = curves[tiles.curve[tile]]
        begun = share_reached(time, curve)
        if tiles.top[tile] <= begun:
            continue
        site = site_of(tile, tiles)
        lay_out(site, tiles, spacing.stretch, work.grid)
        nearby = list_nearby(site, spacing.largest, placed)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        if maps.shape[0] > 0:
            find_best_in_cells(site, ground, work.best)
            cover_by_plants(1.0 / tiles.cell, spacing, work.grid, BESIDE, covered, work.spans)
        else:
            find_open_parts(site, ground, spacing, work.grid, nearby, work.best, covered)
        work.misses[:] = 0
        rules = _Rules(site, ground, wetness, spacing, nearby, around, curve, patience)
        darts = _Darts(
            tile_bits(tile, tiles, np.uint32(site.seed + _GAP_DRAW)), time, tiles.slots[tile] + tiles.filled[tile]
        )
        listed = _list_open(covered, work.best, begun, work.parts)
        slot = _fill(listed, darts, tiles.slots[tile + 1], rules, tiles, covered, work)
        tiles.filled[tile] = slot - tiles.slots[tile]


@kernel
def _empty_work() -> _Work:
    """Return room for the work on one tile after the other."""
    return _Work(
        empty_grid(),
        empty_spans(),
        np.empty((TILE, TILE), np.float32),
        np.empty((TILE, TILE), np.int64),
        np.empty(4 * _MOST_PARTS, np.int32),
        np.empty(4 * _MOST_PARTS, np.int32),
        np.empty((_MOST_PAIRS, 3), np.float32),
    )


@kernel
def _fill(listed: int, darts: _Darts, end: int, rules: _Rules, tiles: Tiles, covered: Array, work: _Work) -> int:
    """Throw darts into the listed parts of a tile and into smaller and smaller quarters of them; return the next slot.

    `end` is the first slot that the tile does not have.
    """
    parts, quarters, level = work.parts, work.quarters, 0
    while listed > 0 and darts.slot < end:
        darts, left = _throw(parts, listed, level, darts, end, rules, tiles, covered, work)
        if level == _FINEST:
            break
        if left > _MOST_PARTS:
            # Too many to be quartered: what is given up is taken out, and the others get more darts.
            kept = 0
            for k in range(listed):
                if parts[k] >= 0:
                    parts[kept] = parts[k]
                    kept += 1
            listed = kept
            continue
        level += 1
        listed = _quarter(parts, listed, level, rules, covered, work, quarters)
        parts, quarters = quarters, parts
    return darts.slot


@kernel
def _throw(
    parts: Array,
    listed: int,
    level: int,
    darts: _Darts,
    end: int,
    rules: _Rules,
    tiles: Tiles,
    covered: Array,
    work: _Work,
) -> tuple[_Darts, int]:
    """Throw some darts for each of the listed parts of one size; return where the darts are, and parts that are left.

    Parts that are given up stay in the list as −1, so that it stays in the order of cells.
    """
    site, ground, wetness, spacing, nearby, around, curve, patience = rules
    x, y, radius, when = tiles.x, tiles.y, tiles.radius, tiles.when
    grid, best, misses = work.grid, work.best, work.misses
    cell, per_cell, stretch = tiles.cell, 1.0 / tiles.cell, spacing.stretch
    shore, per_sample = wetness.cover.shore, ground.per_sample
    bits, time, slot = darts
    # There are 2 to this power of parts from side to side of the tile.
    power = _FIRST_POWER + level
    left, remaining = listed, int(_DARTS_PER_PART * listed) + 1
    side = 1 << power
    # Width of a part in cells.
    width = TILE / side
    while remaining > 0 and left > 0 and slot < end:
        bits = _next(bits)
        which = int((np.uint64(bits) * np.uint64(listed)) >> np.uint64(32))
        place = parts[which]
        remaining -= 1
        if place < 0:
            continue
        time += 1.0 / (left * width * width)
        row, column = place >> power, place & (side - 1)
        r, c = row >> (power - _POWER), column >> (power - _POWER)
        if (
            not is_open(covered, row >> level, column >> level)
            or misses[r, c] >= patience
            or (best[r, c] < np.float32(1.0) and best[r, c] <= share_reached(time, curve))
        ):
            left -= 1
            parts[which] = -1
            continue
        bits = _next(bits)
        u, v = (column + upper_unit(bits)) * width, (row + lower_unit(bits)) * width
        east, north = np.float32((site.column + u) * cell), np.float32((site.row + v) * cell)
        fits = _largest_that_fits(r, c, east, north, spacing, grid, around)
        misses[r, c] += 1
        if fits < spacing.smallest:
            continue
        size, share = draw_radius(bits, spacing.smallest, fits), share_reached(time, curve)
        if not is_suitable(c, r, east, north, share, site, ground) or (
            is_near_water(east, north, per_sample, shore) and is_flooded(east, north, wetness.deepest, wetness.cover)
        ):
            # Quartering finds the last gap between plants, but need not find the last corner that suits.
            left -= 1
            parts[which] = -1
            continue
        if not is_clear_of_others(east, north, size, bin_of(u, v, TILE), nearby):
            continue
        occupy(r + MARGIN, c + MARGIN, east, north, size * stretch, np.float32(u), np.float32(v), grid)
        cover(np.float32(u), np.float32(v), least_room(size * stretch, spacing, per_cell), covered, work.spans)
        x[slot], y[slot], radius[slot] = east, north, size
        if when.size > 0:
            when[slot] = time
        slot += 1
        left -= 1
        parts[which] = -1
    return _Darts(bits, time, slot), left


@kernel
def _next(bits: Bits) -> Bits:
    """Return the next of a row of random numbers."""
    return mix(np.uint32(bits + _NEXT_DRAW))


@kernel
def _list_open(covered: Array, best: Array, begun: np.float32, parts: Array) -> int:
    """List the open parts of cells where density is above a share, cell after cell; return how many they are."""
    count = 0
    for r in range(TILE):
        for c in range(TILE):
            bits = open_parts(covered, r, c)
            if bits == np.uint64(0) or best[r, c] <= begun:
                continue
            while bits != np.uint64(0):
                part = lowest(bits)
                bits &= bits - np.uint64(1)
                row, column = r * PARTS_PER_SIDE + part // PARTS_PER_SIDE, c * PARTS_PER_SIDE + part % PARTS_PER_SIDE
                parts[count] = row * (TILE * PARTS_PER_SIDE) + column
                count += 1
    return count


@kernel
def _quarter(parts: Array, listed: int, level: int, rules: _Rules, covered: Array, work: _Work, quarters: Array) -> int:
    """List the quarters of parts that no plant covers wholly; return how many they are."""
    pairs, power = work.pairs, _FIRST_POWER + level
    side = 1 << power
    width = np.float32(TILE / side)
    half = np.float32(0.5) * width
    found, known, cell = 0, 0, -1
    for k in range(listed):
        if parts[k] < 0:
            continue
        row, column = parts[k] >> (power - 1) << 1, (parts[k] & ((side >> 1) - 1)) << 1
        if not is_open(covered, row >> level, column >> level):
            continue
        r, c = row >> (power - _POWER), column >> (power - _POWER)
        if r * TILE + c != cell:
            cell = r * TILE + c
            known = _list_pairs(r, c, rules, work)
        # Bits of the quarters that no plant covers.
        left = 15
        west, south = column * width + half, row * width + half
        for p in range(known):
            du, dv, kept_squared = pairs[p, 0] - west, pairs[p, 1] - south, pairs[p, 2]
            across, across_east = abs(du) + half, abs(du - width) + half
            along, along_north = abs(dv) + half, abs(dv - width) + half
            across, across_east = across * across, across_east * across_east
            along, along_north = along * along, along_north * along_north
            if across + along < kept_squared:
                left &= 14
            if across_east + along < kept_squared:
                left &= 13
            if across + along_north < kept_squared:
                left &= 11
            if across_east + along_north < kept_squared:
                left &= 7
            if left == 0:
                break
        for quarter in range(4):
            if left >> quarter & 1:
                quarters[found] = ((row + (quarter >> 1)) << power) + column + (quarter & 1)
                found += 1
    return found


@kernel
def _list_pairs(r: int, c: int, rules: _Rules, work: _Work) -> int:
    """List plants that keep some of a cell free: place and squared distance in cells; return how many they are."""
    site, spacing, nearby, around, pairs = rules.site, rules.spacing, rules.nearby, rules.around, work.pairs
    least, per_cell = spacing.smallest * spacing.stretch, np.float32(site.per_cell)
    half, nothing = np.float32(0.5), np.float32(0.0)
    middle_u, middle_v = np.float32(c) + half, np.float32(r) + half
    taken, _, _, rooms, us, vs = work.grid
    known = 0
    bits = neighbours(r + MARGIN, c + MARGIN, taken) & around
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r + (beside >> 3), c + (beside & 7)
        kept = (rooms[i, j] + least if spacing.summed else max(rooms[i, j], least)) * per_cell
        dx, dy = max(abs(us[i, j] - middle_u) - half, nothing), max(abs(vs[i, j] - middle_v) - half, nothing)
        if dx * dx + dy * dy < kept * kept:
            pairs[known, 0], pairs[known, 1], pairs[known, 2] = us[i, j], vs[i, j], kept * kept
            known += 1
    plants, bin_first, binned = nearby
    b = bin_of(c, r, TILE)
    for k in range(bin_first[b], bin_first[b + 1]):
        s = binned[k]
        if known == pairs.shape[0]:
            break
        kept_squared = squared_distance_kept(spacing.smallest, plants[s, 2], plants[s, 3]) * (per_cell * per_cell)
        u, v = np.float32(plants[s, 0] / site.cell - site.column), np.float32(plants[s, 1] / site.cell - site.row)
        dx, dy = max(abs(u - middle_u) - half, nothing), max(abs(v - middle_v) - half, nothing)
        if dx * dx + dy * dy < kept_squared:
            pairs[known, 0], pairs[known, 1], pairs[known, 2] = u, v, kept_squared
            known += 1
    return known


@kernel
def _largest_that_fits(
    r: int, c: int, east: np.float32, north: np.float32, spacing: Spacing, grid: TileGrid, around: np.uint64
) -> np.float32:
    """Return the largest radius that a plant of the species can have at a place; −1 where it can have none."""
    taken, x, y, rooms = grid.taken, grid.x, grid.y, grid.room
    fits = spacing.largest
    bits = neighbours(r + MARGIN, c + MARGIN, taken) & around
    while bits != np.uint64(0):
        beside = lowest(bits)
        bits &= bits - np.uint64(1)
        i, j = r + (beside >> 3), c + (beside & 7)
        dx, dy = x[i, j] - east, y[i, j] - north
        squared = dx * dx + dy * dy
        room, most = rooms[i, j], fits * spacing.stretch
        if spacing.summed:
            if squared < (room + most) * (room + most):
                fits = np.float32(0.999999) * (np.float32(math.sqrt(squared)) - room) / spacing.stretch
                if fits < spacing.smallest:
                    return np.float32(-1.0)
        elif squared < room * room:
            return np.float32(-1.0)
        elif squared < most * most:
            fits = np.float32(0.999999) * np.float32(math.sqrt(squared)) / spacing.stretch
            if fits < spacing.smallest:
                return np.float32(-1.0)
    return fits
