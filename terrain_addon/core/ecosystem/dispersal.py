"""Seeds: how many, how far, and which of them find ground that suits.

Distances follow the 2Dt kernel with shape 1 (Clark et al. 1999): half of the seeds fall within the dispersal distance,
and the tail is fat, which is what moves forests fast (Clark 1998).  A share of the seeds is carried anywhere, and a
rain of seeds from forests beyond the border falls on all of the land.

References
----------
Clark, J. S. (1998).  Why trees migrate so fast: confronting theory with dispersal biology and the paleorecord.  The
American Naturalist 152(2), 204-224.  doi:10.1086/286162

Clark, J. S., Silman, M., Kern, R., Macklin, E. & HilleRisLambers, J. (1999).  Seed dispersal near and far: patterns
across temperate and tropical forests.  Ecology 80(5), 1475-1494.
doi:10.1890/0012-9658(1999)080[1475:SDNAFP]2.0.CO;2
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import cos, sin
from ..foundation.hashing import hash_place, mix, unit_float
from .traits import SeedTraits

# What is hashed with the step and the number of a plant to draw how many seeds it sheds.
_COUNT_DRAW = 11
# What is added to the number of a plant, so that its seeds are drawn apart from all else.
_SEEDS_DRAW = np.uint32(77)
# What is added to the number of a seed to draw where it falls (east and north, or distance and direction), its own
# random number, and whether it comes up.
_FIRST_PLACE_DRAW, _SECOND_PLACE_DRAW = np.uint32(1), np.uint32(2)
_OWN_DRAW, _COMING_UP_DRAW = np.uint32(3), np.uint32(4)


class SeedBed(NamedTuple):
    """The ground on which seeds fall.

    Attributes
    ----------
    density : ndarray of uint8, shape (species, rows, columns)
        Share of the seeds of each species that come up at each place, 0 to 255.
    suitability : ndarray of uint8, shape (species, rows, columns)
        How well each place suits each species, 0 to 255.
    per_sample : float
        Samples per metre.
    width, depth : float
        Size of the land in metres, from west to east and from south to north.
    """

    density: Array
    suitability: Array
    per_sample: float
    width: float
    depth: float


class Seeds(NamedTuple):
    """Seeds of one step; entry i of every array belongs to seed i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (seeds,)
        Where it fell, in metres; not set where it fell off the land.
    suitability : ndarray of float32, shape (seeds,)
        How the place suits it, 0 to 1; 0 if it does not come up.
    bits : ndarray of uint32, shape (seeds,)
        A random number of its own.
    """

    x: Array
    y: Array
    suitability: Array
    bits: Array


class Parents(NamedTuple):
    """Plants that may shed seeds; see Population.

    Attributes
    ----------
    x, y, radius, birth, health : ndarray of float32, shape (plants,)
        Place and crown radius in metres, year of birth, health from 0 to 1.
    species : ndarray of int32, shape (plants,)
        Index of the species.
    bits : ndarray of uint32, shape (plants,)
        Random numbers.
    """

    x: Array
    y: Array
    radius: Array
    birth: Array
    health: Array
    species: Array
    bits: Array


class Season(NamedTuple):
    """The step in which seeds fall: the year in which it ends, how many years it takes, and its number."""

    year: float
    span: float
    step: int


def empty_seeds(count: int) -> Seeds:
    """Return seeds that have not fallen yet.

    Parameters
    ----------
    count : int
        How many.

    Returns
    -------
    Seeds
        All zero.
    """
    x, y, suitability = (np.zeros(count, np.float32) for _ in range(3))
    return Seeds(x, y, suitability, np.zeros(count, np.uint32))


@kernel
def dispersal_distance(median: float, share: float) -> float:
    """Return the distance that a share of the seeds does not reach: the inverse of the 2Dt kernel's sum, shape 1.

    The sum is F(r) = 1 − 1 / (1 + r²/u) with u the squared median.

    Parameters
    ----------
    median : float
        Distance within which half of the seeds fall, in metres.
    share : float
        0 or more, below 1.

    Returns
    -------
    float
        Metres.

    Examples
    --------
    >>> dispersal_distance(20.0, 0.5)
    20.0
    """
    return median * math.sqrt(share / (1.0 - share))


@kernel
def share_at(shares: Array, kind: int, column: float, row: float) -> float:
    """Return the density or suitability of a species at a place, interpolated between samples.

    Parameters
    ----------
    shares : ndarray of uint8, shape (species, rows, columns)
        0 to 255; at least 2 × 2 samples.
    kind : int
        The species.
    column, row : float
        The place, counted in samples.

    Returns
    -------
    float
        0 to 1.
    """
    r = max(min(int(row), shares.shape[1] - 2), 0)
    c = max(min(int(column), shares.shape[2] - 2), 0)
    fy, fx = row - r, column - c
    south = np.float64(shares[kind, r, c]) * (1.0 - fx) + np.float64(shares[kind, r, c + 1]) * fx
    north = np.float64(shares[kind, r + 1, c]) * (1.0 - fx) + np.float64(shares[kind, r + 1, c + 1]) * fx
    return (south * (1.0 - fy) + north * fy) * (1.0 / 255.0)


@parallel_kernel
def count_seeds(
    part: Part, parents: Parents, traits: SeedTraits, season: Season, thinning: float, seeds: Array
) -> None:
    """Count the seeds that each plant sheds and that come up if they find ground.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    parents : Parents
        The plants.
    traits : SeedTraits
        Of all species.
    season : Season
        The step.
    thinning : float
        Share of the seeds that count, 0 to 1.
    seeds : ndarray of int64, shape (plants,)
        Is given the numbers.
    """
    for p in portion(part, seeds.size):
        kind = parents.species[p]
        seeds[p] = 0
        if season.year - parents.birth[p] >= traits.maturity[kind]:
            size = parents.radius[p] / traits.radius[kind]
            expected = traits.fecundity[kind] * season.span * size * size * parents.health[p] * thinning
            seeds[p] = int(expected + unit_float(hash_place(season.step, _COUNT_DRAW, parents.bits[p])))


@parallel_kernel
def scatter_seeds(
    part: Part, parents: Parents, first: Array, traits: SeedTraits, step: int, bed: SeedBed, seeds: Seeds
) -> None:
    """Let the seeds of plants fall.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    parents : Parents
        The plants.
    first : ndarray of int64, shape (plants + 1,)
        Where the seeds of each plant begin.
    traits : SeedTraits
        Of all species.
    step : int
        Number of the step.
    bed : SeedBed
        The ground.
    seeds : Seeds
        Is given where they fall and whether they come up.
    """
    x, y, species = parents.x, parents.y, parents.species
    for p in portion(part, x.size):
        # The same type as in a rain of seeds, so that what follows is compiled once.
        kind = np.int64(species[p])
        for s in range(first[p], first[p + 1]):
            lot = hash_place(step, s - first[p], np.uint32(parents.bits[p] + _SEEDS_DRAW))
            lot2, lot3 = mix(np.uint32(lot + _FIRST_PLACE_DRAW)), mix(np.uint32(lot + _SECOND_PLACE_DRAW))
            if unit_float(lot) < traits.far_share[kind]:
                east, north = bed.width * unit_float(lot2), bed.depth * unit_float(lot3)
            else:
                distance = dispersal_distance(traits.distance[kind], np.float64(unit_float(lot2)))
                angle = 2.0 * math.pi * unit_float(lot3)
                east, north = x[p] + distance * cos(angle), y[p] + distance * sin(angle)
            _sow(s, kind, east, north, lot, bed, seeds)


@parallel_kernel
def rain_seeds(part: Part, kind: int, seed: Bits, bed: SeedBed, seeds: Seeds) -> None:
    """Let seeds from beyond the border fall anywhere.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    kind : int
        Their species.
    seed : uint32
        Randomness of this rain.
    bed : SeedBed
        The ground.
    seeds : Seeds
        Is given where they fall and whether they come up.
    """
    for s in portion(part, seeds.x.size):
        lot = hash_place(s, kind, seed)
        east = bed.width * unit_float(mix(np.uint32(lot + _FIRST_PLACE_DRAW)))
        north = bed.depth * unit_float(mix(np.uint32(lot + _SECOND_PLACE_DRAW)))
        _sow(s, kind, east, north, lot, bed, seeds)


@kernel
def _sow(s: int, kind: int, east: float, north: float, lot: Bits, bed: SeedBed, seeds: Seeds) -> None:
    """Write where a seed fell, and how the place suits it if it comes up."""
    density, suitability, per_sample, width, depth = bed
    seeds.suitability[s] = 0.0
    if 0.0 <= east <= width and 0.0 <= north <= depth:
        # Single precision may round up to just beyond the border.
        seeds.x[s], seeds.y[s] = min(np.float32(east), np.float32(width)), min(np.float32(north), np.float32(depth))
        seeds.bits[s] = mix(np.uint32(lot + _OWN_DRAW))
        comes_up = share_at(density, kind, east * per_sample, north * per_sample)
        if unit_float(mix(np.uint32(lot + _COMING_UP_DRAW))) < comes_up:
            seeds.suitability[s] = share_at(suitability, kind, east * per_sample, north * per_sample)
