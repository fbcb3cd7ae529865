"""The first darts of a species: one for each cell of some tiles."""

import math

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, mix, unit_float
from ..foundation.sampling import interpolate
from .covered_parts import cover, empty_map, empty_spans, is_open
from .darts import Dart, lower_unit, upper_unit
from .open_parts import find_open_parts
from .room_kept import PlacedPlants, bin_of, is_clear_of_others, list_nearby
from .spacing import Spacing, draw_radius, least_room, squared_room
from .suitable_ground import PLACE, Ground, is_suitable, place_luck
from .tile_grid import MARGIN, empty_grid, is_crowded, lay_out, occupy
from .tiles import PARTS_PER_SIDE, TILE, Tiles, TileSite, order_twist

# What is added to the bits of a dart to draw when it falls.
_TURN_DRAW = np.uint32(1)


@parallel_kernel
def throw_first_darts(
    part: Part, chosen: Array, tiles: Tiles, placed: PlacedPlants, ground: Ground, spacing: Spacing, maps: Array
) -> None:
    """Throw one dart into each cell of some tiles.

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
    spacing : Spacing
        Distances of the species.
    maps : ndarray of uint64, shape (tiles, rows of parts, words)
        Is given what is covered in the chosen tiles; without tiles it is not kept.
    """
    x, y, radius, order, in_reach = tiles.x, tiles.y, tiles.radius, tiles.order, tiles.in_reach
    cell, per_cell, summed = tiles.cell, 1.0 / tiles.cell, spacing.summed
    grid, scratch, spans = empty_grid(), empty_map(), empty_spans()
    # Cells from which a dart beyond the border may be too near.
    widest = spacing.largest * spacing.stretch
    margin = int(math.sqrt(squared_room(widest, widest, summed)) * per_cell) + 1
    drawn = np.empty((TILE, TILE), np.uint32)
    for n in portion(part, chosen.size):
        tile = chosen[n]
        site = TileSite(tile, tiles.column[tile] * TILE, tiles.row[tile] * TILE, cell, per_cell, tiles.seed)
        lay_out(site, tiles, spacing.stretch, grid)
        nearby = list_nearby(site, spacing.largest, placed)
        covered = maps[tile] if maps.shape[0] > 0 else scratch
        find_open_parts(site, ground, spacing, grid, nearby, covered)
        for r in range(TILE):
            for c in range(TILE):
                drawn[r, c] = hash_place(site.column + c, site.row + r, site.seed)
        twist = order_twist(site)
        slot = tiles.slots[tile]
        for k in range(TILE * TILE):
            r, c = (order[k] ^ twist) // TILE, (order[k] ^ twist) % TILE
            bits = drawn[r, c]
            u, v = c + upper_unit(bits), r + lower_unit(bits)
            part_row, part_column = int(v * PARTS_PER_SIDE), int(u * PARTS_PER_SIDE)
            if not is_open(covered, part_row, part_column):
                continue
            east, north = np.float32((site.column + u) * cell), np.float32((site.row + v) * cell)
            size = draw_radius(bits, spacing.smallest, spacing.largest)
            room = size * spacing.stretch
            near = in_reach[part_row % PARTS_PER_SIDE * PARTS_PER_SIDE + part_column % PARTS_PER_SIDE]
            if (
                not is_crowded(r + MARGIN, c + MARGIN, near, east, north, room, summed, grid)
                and is_suitable(site.column + c, site.row + r, east, north, site, ground)
                and is_clear_of_others(east, north, size, bin_of(u, v, TILE), nearby)
                and (
                    (margin <= r < TILE - margin and margin <= c < TILE - margin)
                    or not _is_outrun(Dart(r, c, east, north, size), k, margin, site, ground, spacing)
                )
            ):
                occupy(r + MARGIN, c + MARGIN, east, north, room, np.float32(u), np.float32(v), grid)
                cover(np.float32(u), np.float32(v), least_room(room, spacing, per_cell), covered, spans)
                x[slot], y[slot], radius[slot] = east, north, size
                slot += 1
        tiles.filled[tile] = slot - tiles.slots[tile]


@kernel
def _is_outrun(dart: Dart, turn: int, margin: int, site: TileSite, ground: Ground, spacing: Spacing) -> bool:
    """Whether a dart too near falls earlier in a tile that is filled later.

    Where darts fall is known beforehand.  Without looking at those beyond the border, plants would crowd along the
    borders of the tiles that are filled first.
    """
    density, cell = ground.density, site.cell
    colour = site.row // TILE % 2 * 2 + site.column // TILE % 2
    for i in range(dart.r - margin, dart.r + margin + 1):
        for j in range(dart.c - margin, dart.c + margin + 1):
            if 0 <= i < TILE and 0 <= j < TILE:
                continue
            row, column = site.row + i, site.column + j
            if row < 0 or column < 0 or row // TILE % 2 * 2 + column // TILE % 2 <= colour:
                continue
            bits = hash_place(column, row, site.seed)
            dx = (column + upper_unit(bits)) * cell - dart.east
            dy = (row + lower_unit(bits)) * cell - dart.north
            other = draw_radius(bits, spacing.smallest, spacing.largest)
            kept = squared_room(dart.radius * spacing.stretch, other * spacing.stretch, spacing.summed)
            if dx * dx + dy * dy >= kept:
                continue
            earlier = unit_float(mix(np.uint32(bits + _TURN_DRAW))) * TILE * TILE < turn
            if earlier and place_luck(column // PLACE, row // PLACE, site.seed) < interpolate(
                density, (dart.east + dx) * ground.per_sample, (dart.north + dy) * ground.per_sample
            ):
                return True
    return False
