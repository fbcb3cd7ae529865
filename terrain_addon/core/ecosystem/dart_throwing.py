"""Where plants stand: dart throwing with an acceleration grid (Cook 1986; Lagae & Dutré 2008), until full.

Darts fall anywhere, one after the other.  A dart stays if no plant stands too near, and if density at its place is
above the share of the full number of plants that stands already (`density_law`).  So density is that share: where it is
1 a stand is full, with no room left for another plant, and where it is less the stand stopped earlier.

Species take turns, those that need more room first.  For each the land is cut into cells so small that two plants of it
never fit into one (Lagae & Dutré 2008), and 32 × 32 cells make a tile.  Tiles are four-coloured: those of one colour do
not touch, so they are filled at the same time, each as if it were alone (phase groups: Wei 2008), and the forest does
not depend on the number of threads.  Each tile gets its first darts in a few rounds (`first_darts`), and all tiles one
round before any gets the next, so that no border stands out.  Then the gaps are filled (`gap_filling`).

References
----------
Cook, R. L. (1986).  Stochastic sampling in computer graphics.  ACM Transactions on Graphics 5(1), 51-72.
doi:10.1145/7529.8927

Feder, J. (1980).  Random sequential adsorption.  Journal of Theoretical Biology 87(2), 237-254.

Lagae, A. & Dutré, P. (2008).  A comparison of methods for generating Poisson disk distributions.  Computer Graphics
Forum 27(1), 114-129.  doi:10.1111/j.1467-8659.2007.01100.x

Wei, L.-Y. (2008).  Parallel Poisson disk sampling.  ACM Transactions on Graphics 27(3), article 20.
doi:10.1145/1360612.1360619
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Bits
from ..foundation.hashing import Purpose, derive_seed
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.progress import Steps, within
from ..foundation.terrain import Field
from .covered_parts import empty_maps
from .density_law import CROWDS, curve_within_borders, open_ground_curve, shares_after
from .first_darts import FIRST_DARTS, FIRST_ROUNDS, throw_first_darts
from .flooded_ground import DRY, WaterCover, Wetness
from .gap_filling import fill_gaps
from .plant_looks import draw_looks
from .plants import Plants
from .room_kept import LARGER, OTHERS, OWN, SUM, PlacedPlants
from .sounding import measure_curves
from .spacing import Spacing
from .species import Species
from .stand import Stand, add_species, empty_stand
from .suitable_ground import Ground, find_tiles
from .tile_grid import MARGIN, cells_in_reach
from .tiles import TILE, Tiles, with_room

SPACING_RULES = {
    "larger": "Two plants stand at least the larger of their two radii apart",
    "sum": "Two plants stand at least the sum of their two radii apart",
}


@dataclass(frozen=True)
class DartThrowing(ParameterSet):
    """How plants are placed: at random, no nearer to one another than their radii allow."""

    spacing_rule: str = parameter("larger", "How far apart two plants stand", choices=SPACING_RULES, advanced=True)
    patience: int = parameter(
        200,
        "How many tries in a row may find no room around a place before it counts as full",
        limits=(1, 1_000_000),
        soft=(10, 1000),
        advanced=True,
    )
    most_plants: int = parameter(
        3_000_000,
        "Largest number of plants, in a world on each block of 512 × 512 cells; beyond it each gets more room, so that "
        "tiny plants do not fill the memory",
        limits=(1, 50_000_000),
        soft=(10_000, 5_000_000),
        advanced=True,
    )


class Corner(NamedTuple):
    """Where a land lies in a larger one, whose parts get the same darts where they overlap.

    Attributes
    ----------
    x, y : float
        South-west corner of the land in metres, 0 or more.
    seed : int
        Of the larger land, 0 to 2³¹ − 1.
    """

    x: float
    y: float
    seed: int


# Random sequential packing of discs covers 0.547 of the plane (Feder 1980), a maximal one a little more.
_PLANTS_PER_SQUARED_DISTANCE = 0.547 / (math.pi / 4.0)
# Maps of what is covered that are kept, 2 KB each.
MOST_MAPS = 2**16
# Tiles of one colour do not touch one another.
_COLOURS = 4


def throw_darts(
    densities: Sequence[Field],
    cell_size: float,
    species: Sequence[Species],
    seed: int,
    throwing: DartThrowing,
    water: WaterCover = DRY,
    corner: Corner | None = None,
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
    water : WaterCover
        Where water keeps plants away; nowhere if nothing is given.
    corner : Corner, optional
        Where the land lies in a larger one; left out, it is no part of another.

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

    Examples
    --------
    >>> from terrain_addon.core.ecosystem.species import Species
    >>> from terrain_addon.core.foundation.progress import run
    >>> density = np.ones((5, 5), np.float32)
    >>> plants = run(throw_darts([density], 10.0, [Species(radius=5.0)], 1, DartThrowing()))
    >>> 50 < len(plants) < 80
    True
    """
    if len(densities) != len(species):
        raise ValueError(f"{len(species)} species need as many density maps, not {len(densities)}")
    stand, corner = empty_stand(), corner or Corner(0.0, 0.0, seed)
    # Larger plants first: they would find no room among many small ones.
    order = sorted(range(len(species)), key=lambda k: (-species[k].radius, k))
    for done, kind in enumerate(order):
        density = densities[kind]
        if np.isnan(density.sum(dtype=np.float64)):
            raise ValueError(f"the density of {species[kind].name} is NaN in {int(np.isnan(density).sum())} cells")
        placing = _place_species(density, cell_size, species, kind, stand, corner, throwing, water)
        stand = yield from within(placing, done / len(order), (done + 1) / len(order))
    return draw_looks(stand.plants.x, stand.plants.y, stand.species, stand.plants.radius, species, seed)


def _place_species(
    density: Field,
    cell_size: float,
    species: Sequence[Species],
    kind: int,
    stand: Stand,
    corner: Corner,
    throwing: DartThrowing,
    water: WaterCover,
) -> Steps[Stand]:
    """Add the plants of one species to a stand."""
    rows, columns = density.shape
    width, depth = (columns - 1) * cell_size, (rows - 1) * cell_size
    ground = Ground(density, width, depth, 1.0 / cell_size)
    most = throwing.most_plants - len(stand)
    if most < 1 or not density.any() or ground.width <= 0.0 or ground.depth <= 0.0:
        return stand
    one, summed = species[kind], throwing.spacing_rule == "sum"
    smallest, largest = one.radius * (1.0 - one.radius_variation), one.radius
    nearest, farthest = (radius * (2.0 if summed else 1.0) for radius in (smallest, largest))
    expected = float(density.sum(dtype=np.float64)) * cell_size**2 * _PLANTS_PER_SQUARED_DISTANCE / nearest**2
    # More plants than allowed: all keep a larger distance, and cover the same ground thinly.
    stretch = max(1.0, math.sqrt(expected / most))
    cell = 0.9999 * nearest * stretch / math.sqrt(2.0)
    reach = 1.0001 * stretch * farthest / cell
    tiles = _tiles_of(ground, cell_size, cell, reach, corner, derive_seed(corner.seed, Purpose.PLACES, kind))
    # Distances are kept a little larger, so that rounding never brings two plants too near.
    kept = np.float32(stretch * (1.0 + 5e-7))
    spacing = Spacing(np.float32(smallest), np.float32(largest), kept, summed)
    rules = [_rule(one, species[other], SUM if summed else LARGER) for other in stand.kinds]
    placed = stand.seen_with(np.array(rules, np.int64))
    yield from _fill(tiles, placed, ground, Wetness(water, species[kind].deepest_water), spacing, throwing.patience)
    return add_species(stand, kind, tiles, largest, most)


def _tiles_of(ground: Ground, cell_size: float, cell: float, reach: float, corner: Corner, seed: Bits) -> Tiles:
    """Cut the land into tiles and list those on which something could grow, still without plants."""
    side = TILE * cell
    first_row, first_column = int(corner.y // side), int(corner.x // side)
    north, east = corner.y - first_row * side, corner.x - first_column * side
    tile_rows, tile_columns = int((ground.depth + north) / side) + 1, int((ground.width + east) / side) + 1
    row_first = np.empty(tile_rows + 1, np.int64)
    before = (north * ground.per_sample, east * ground.per_sample)
    lattice = (side / cell_size, before, tile_columns, row_first)
    nothing, no_place = np.empty(0, np.int64), np.empty(0, np.float32)
    count = find_tiles(ground.density, *lattice, nothing, no_place)
    column, top = np.empty(count, np.int64), np.empty(count, np.float32)
    find_tiles(ground.density, *lattice, column, top)
    tiles = Tiles(
        row=np.repeat(np.arange(tile_rows), np.diff(row_first)),
        column=column,
        row_first=row_first,
        top=top,
        in_reach=cells_in_reach(reach),
        in_far_reach=cells_in_reach(MARGIN),
        cell=cell,
        seed=seed,
        first_row=first_row,
        first_column=first_column,
        north=north / cell,
        east=east / cell,
        slots=nothing,
        filled=nothing,
        x=no_place,
        y=no_place,
        radius=no_place,
        curve=nothing,
        when=no_place,
    )
    return with_room(tiles, timed=False)


def _curves_of(tiles: Tiles, placed: PlacedPlants, ground: Ground, spacing: Spacing) -> npt.NDArray[np.float64]:
    """Which share of the plants stands at what time, in tiles that others leave more or less open."""
    open_ground = open_ground_curve()
    curves = [open_ground] * CROWDS
    # Where density is 0 or 1 it does not matter.
    thin = ((tiles.top > 0.0) & (tiles.top < 1.0)).any() or ((ground.density > 0.0) & (ground.density < 1.0)).any()
    if thin and (placed.x.size > 0 or spacing.smallest < spacing.largest):
        curves = measure_curves(tiles, placed, ground, spacing, open_ground)
    distance = float(spacing.smallest * spacing.stretch) * (2.0 if spacing.summed else 1.0)
    return np.stack([curve_within_borders(one, ground.width, ground.depth, distance) for one in curves])


def _fill(
    tiles: Tiles, placed: PlacedPlants, ground: Ground, wetness: Wetness, spacing: Spacing, patience: int
) -> Steps[None]:
    """Throw darts into all tiles, those of one colour at a time."""
    yield 0.0
    curves = _curves_of(tiles, placed, ground, spacing)
    reached = shares_after(FIRST_DARTS, TILE * TILE, curves)
    count = tiles.column.size
    colour = (tiles.row + tiles.first_row) % 2 * 2 + (tiles.column + tiles.first_column) % 2
    chosen = [np.flatnonzero(colour == one) for one in range(_COLOURS)]
    # Of more tiles, what is covered is found again in each round: a fifth slower, but it needs no memory.
    maps = empty_maps(count if count <= MOST_MAPS else 0)
    for number, begin in enumerate(FIRST_ROUNDS):
        yield 0.4 * number / len(FIRST_ROUNDS)
        for phase in range(_COLOURS):
            throw_first_darts(chosen[phase], tiles, placed, ground, wetness, spacing, maps, reached, begin)
    for phase in range(_COLOURS):
        yield 0.4 + 0.6 * phase / _COLOURS
        fill_gaps(chosen[phase], tiles, placed, ground, wetness, spacing, maps, curves.astype(np.float32), patience)


def _rule(species: Species, other: Species, rule: int) -> int:
    """Return which distance two species keep; `rule` is what those of the same layer keep."""
    if species.undergrowth == other.undergrowth:
        return rule
    return OWN if species.undergrowth else OTHERS
