"""The first darts of a species: they fall anywhere in a tile, one after the other."""

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.hashing import mix, unit_float
from .covered_parts import cover, empty_map, empty_spans, is_open
from .darts import lower_unit, upper_unit
from .density_law import crowd_of
from .flooded_ground import Wetness, is_flooded, is_near_water
from .open_parts import find_open_parts
from .room_kept import PlacedPlants, bin_of, is_clear_of_others, list_nearby
from .spacing import Spacing, draw_radius, least_room, lengthen
from .suitable_ground import Ground, is_suitable
from .tile_grid import MARGIN, empty_grid, is_crowded, lay_out, occupy
from .tiles import PARTS_PER_SIDE, TILE, Tiles, site_of, tile_bits

FIRST_DARTS = 2 * TILE * TILE
"""How many darts fall into each tile, wherever they fall."""

FIRST_ROUNDS = (0, 128, 512)
"""The first dart of each round: tiles of all colours get the darts of one round before those of the next, so that no
border stands out."""

STANDING_APART = TILE * TILE // 2
"""How many of them keep more than the distance that their radii ask for."""

# What is added to the bits of a dart to draw how much more.
_LENGTH_DRAW = np.uint32(3)


@parallel_kernel
def throw_first_darts(
    part: Part,
    chosen: Array,
    tiles: Tiles,
    placed: PlacedPlants,
    ground: Ground,
    wetness: Wetness,
    spacing: Spacing,
    maps: Array,
    reached: Array,
    begin: int,
) -> None:
    """Throw darts anywhere into some tiles.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    chosen : ndarray of int64, shape (chosen tiles,)
        Indices of tiles that do not touch one another.
    tiles : Tiles
        All tiles of the species; the chosen ones take plants.
    placed : PlacedPlants
        Plants of other species.
    ground : Ground
        Where the species can grow.
    wetness : Wetness
        Where water keeps it away.
    spacing : Spacing
        Distances of the species.
    maps : ndarray of uint64, shape (tiles, rows of parts, words)
        Is given what is covered in the chosen tiles; without tiles it is not kept.
    reached : ndarray of float32, shape (CROWDS, FIRST_DARTS + 1)
        For each curve of `density_law`, the share of the plants that stands when so many darts have fallen.  Where
        density is lower, a dart comes too late.
    begin : int
        The first of the darts of this round, one of FIRST_ROUNDS.
    """
    x, y, radius, when, in_reach, in_far_reach = (
        tiles.x,
        tiles.y,
        tiles.radius,
        tiles.when,
        tiles.in_reach,
        tiles.in_far_reach,
    )
    cell, per_cell, summed = tiles.cell, 1.0 / tiles.cell, spacing.summed
    shore, per_sample = wetness.cover.shore, ground.per_sample
    grid, scratch, spans = empty_grid(), empty_map(), empty_spans()
    best = np.empty((TILE, TILE), np.float32)
    last = FIRST_DARTS
    for start in FIRST_ROUNDS:
        if start > begin:
            last = min(last, start)
    for n in portion(part, chosen.size):
        tile = chosen[n]
        if begin > 0 and reached[tiles.curve[tile], begin] >= tiles.top[tile]:
            continue
        site = site_of(tile, tiles)
        lay_out(site, tiles, spacing.stretch, grid)
        nearby = list_nearby(site, spacing.largest, placed)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        # What plants beside the tile cover is not marked again in each round: no dart stays there anyway.
        if begin == 0 or maps.shape[0] == 0:
            left_open = find_open_parts(site, ground, spacing, grid, nearby, best, covered)
            if begin == 0:
                tiles.curve[tile] = crowd_of(left_open)
        shares = reached[tiles.curve[tile]]
        own_bits = tile_bits(tile, tiles, site.seed)
        # Darts of different tiles do not fall at the same moments.
        delay = unit_float(own_bits)
        slot, end = tiles.slots[tile] + tiles.filled[tile], tiles.slots[tile + 1]
        for k in range(begin, last):
            share = shares[k] + delay * (shares[k + 1] - shares[k])
            if share >= tiles.top[tile] or slot == end:
                break
            bits = mix(np.uint32(mix(np.uint32(k)) ^ own_bits))
            u, v = upper_unit(bits) * TILE, lower_unit(bits) * TILE
            part_row, part_column = int(v * PARTS_PER_SIDE), int(u * PARTS_PER_SIDE)
            if not is_open(covered, part_row, part_column):
                continue
            r, c = int(v), int(u)
            east, north = np.float32((site.column + u) * cell), np.float32((site.row + v) * cell)
            size = draw_radius(bits, spacing.smallest, spacing.largest)
            room = size * spacing.stretch
            near_part = part_row % PARTS_PER_SIDE * PARTS_PER_SIDE + part_column % PARTS_PER_SIDE
            near, asked = in_reach[near_part], room
            if k < STANDING_APART:
                near = in_far_reach[near_part]
                asked = lengthen(room, unit_float(mix(np.uint32(bits + _LENGTH_DRAW))), spacing)
            if (
                not is_crowded(r + MARGIN, c + MARGIN, near, east, north, asked, summed, grid)
                and is_suitable(c, r, east, north, share, site, ground)
                and not (
                    is_near_water(east, north, per_sample, shore)
                    and is_flooded(east, north, wetness.deepest, wetness.cover)
                )
                and is_clear_of_others(east, north, size, bin_of(u, v, TILE), nearby)
            ):
                occupy(r + MARGIN, c + MARGIN, east, north, room, np.float32(u), np.float32(v), grid)
                cover(np.float32(u), np.float32(v), least_room(room, spacing, per_cell), covered, spans)
                x[slot], y[slot], radius[slot] = east, north, size
                if when.size > 0:
                    when[slot] = (k + delay) / (TILE * TILE)
                slot += 1
        tiles.filled[tile] = slot - tiles.slots[tile]
