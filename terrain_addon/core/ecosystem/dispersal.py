"""Seeds: how many, how far, and which of them find ground that suits.

Distances follow the 2Dt kernel (Clark, Silman, Kern, Macklin & HilleRisLambers 1999) with shape 1: half of the seeds
fall within the dispersal distance and the tail is fat.  A share of the seeds is carried anywhere, and a rain of seeds
from forests beyond the border falls on all of the land.
"""

import math

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import cos, sin
from ..foundation.hashing import hash_place, mix, unit_float


@kernel
def dispersal_distance(median: float, share: float) -> float:
    """Distance that a share of the seeds does not reach: the inverse of the 2Dt kernel's sum, shape 1.

    The sum is F(r) = 1 − 1 / (1 + r²/u) with u the squared median.
    """
    return median * math.sqrt(share / (1.0 - share))


@kernel
def suitability_at(suitability: Array, kind: int, column: float, row: float) -> float:
    """Bilinear value, 0 to 1, of one of several maps of uint8 (species, rows, columns) at fractional indices."""
    r = max(min(int(row), suitability.shape[1] - 2), 0)
    c = max(min(int(column), suitability.shape[2] - 2), 0)
    fy, fx = row - r, column - c
    south = np.float64(suitability[kind, r, c]) * (1.0 - fx) + np.float64(suitability[kind, r, c + 1]) * fx
    north = np.float64(suitability[kind, r + 1, c]) * (1.0 - fx) + np.float64(suitability[kind, r + 1, c + 1]) * fx
    return (south * (1.0 - fy) + north * fy) * (1.0 / 255.0)


@parallel_kernel
def count_seeds(
    part: Part,
    species: Array,
    radius: Array,
    birth: Array,
    health: Array,
    bits: Array,
    traits: Array,
    year: float,
    span: float,
    step: int,
    thinning: float,
    seeds: Array,
) -> None:
    """Write how many seeds each plant sheds in a span of years that come up if they find ground."""
    for p in portion(part, species.size):
        kind = species[p]
        seeds[p] = 0
        if year - birth[p] >= traits[kind, 4]:
            size = radius[p] / traits[kind, 0]
            expected = traits[kind, 5] * span * size * size * health[p] * thinning
            seeds[p] = int(expected + unit_float(hash_place(step, 11, bits[p])))


@parallel_kernel
def scatter_seeds(
    part: Part,
    x: Array,
    y: Array,
    species: Array,
    bits: Array,
    first: Array,
    traits: Array,
    suitability: Array,
    per_sample: float,
    width: float,
    depth: float,
    step: int,
    seed_x: Array,
    seed_y: Array,
    seed_suit: Array,
    seed_bits: Array,
) -> None:
    """Write where each seed lands and how that place suits it; 0 for those that land badly or off the land."""
    for p in portion(part, x.size):
        kind = species[p]
        for s in range(first[p], first[p + 1]):
            lot = hash_place(step, s - first[p], np.uint32(bits[p] + np.uint32(77)))
            far, lot2, lot3 = unit_float(lot), mix(np.uint32(lot + np.uint32(1))), mix(np.uint32(lot + np.uint32(2)))
            if far < traits[kind, 7]:
                east, north = width * unit_float(lot2), depth * unit_float(lot3)
            else:
                distance = dispersal_distance(traits[kind, 6], np.float64(unit_float(lot2)))
                angle = 2.0 * math.pi * unit_float(lot3)
                east, north = x[p] + distance * cos(angle), y[p] + distance * sin(angle)
            _sow(s, kind, east, north, lot, suitability, per_sample, width, depth, seed_x, seed_y, seed_suit, seed_bits)


@parallel_kernel
def rain_seeds(
    part: Part,
    kind: int,
    seed: Bits,
    suitability: Array,
    per_sample: float,
    width: float,
    depth: float,
    seed_x: Array,
    seed_y: Array,
    seed_suit: Array,
    seed_bits: Array,
) -> None:
    """Write where seeds from beyond the border land and how those places suit them."""
    for s in portion(part, seed_x.size):
        lot = hash_place(s, kind, seed)
        east = width * unit_float(mix(np.uint32(lot + np.uint32(1))))
        north = depth * unit_float(mix(np.uint32(lot + np.uint32(2))))
        _sow(s, kind, east, north, lot, suitability, per_sample, width, depth, seed_x, seed_y, seed_suit, seed_bits)


@kernel
def _sow(
    s: int,
    kind: int,
    east: float,
    north: float,
    lot: Bits,
    suitability: Array,
    per_sample: float,
    width: float,
    depth: float,
    seed_x: Array,
    seed_y: Array,
    seed_suit: Array,
    seed_bits: Array,
) -> None:
    seed_suit[s] = 0.0
    if 0.0 <= east <= width and 0.0 <= north <= depth:
        # Single precision may round up to just beyond the border.
        seed_x[s], seed_y[s] = min(np.float32(east), np.float32(width)), min(np.float32(north), np.float32(depth))
        seed_bits[s] = mix(np.uint32(lot + np.uint32(3)))
        suit = suitability_at(suitability, kind, east * per_sample, north * per_sample)
        if unit_float(mix(np.uint32(lot + np.uint32(4)))) < suit:
            seed_suit[s] = suit
