"""Fires, storms and landslides: each clears round patches, which fall at random on the land.

Fires ask for dry ground, storms for tall plants, and landslides for ground that has moved: they follow the paths of the
slides that shaped the land.

References
----------
Schelhaas, M. J., Kramer, K., Peltola, H., van der Werf, D. C. & Wijdeven, S. M. J. (2007).  Introducing tree
interactions in wind damage simulation.  Ecological Modelling 207(2-4), 197-209.
"""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, Part, parallel_kernel, portion
from ..foundation.hashing import hash_place, unit_float
from ..foundation.sampling import interpolate
from .density import Habitat
from .plant_fate import Fate
from .plant_growth import Deaths
from .population import Population

# What is added to the seed of a disturbance to draw where in its square a patch lies.
_EAST_DRAW, _NORTH_DRAW = np.uint32(1), np.uint32(2)

# Storms throw tall trees: none below 5 m, all from 30 m on (Schelhaas et al. 2007 in broad outline).
_SAFE_HEIGHT, _HEIGHT_RANGE = 5.0, 25.0


class Disturbance(NamedTuple):
    """What clears patches in a step.

    Attributes
    ----------
    cause : int
        FIRE, WIND or LANDSLIDE of Fate.
    patch : float
        Diameter of a patch in metres.
    chance : float
        Probability that there is a patch in a square as wide as one, 0 to 1.
    seed : uint32
        Randomness of this cause in this step.
    year : float
        When its victims die.
    depth : float
        Metres of moved ground with which a landslide takes every plant.
    """

    cause: int
    patch: float
    chance: float
    seed: Bits
    year: float
    depth: float


def strike(
    population: Population, height: Array, habitat: Habitat, per_sample: float, event: Disturbance, deaths: Deaths
) -> None:
    """Let a disturbance kill plants.

    Parameters
    ----------
    population : Population
        What lives.
    height : ndarray of float32, shape (plants,)
        Metres.
    habitat : Habitat
        Where it is dry, and where ground has moved.
    per_sample : float
        Samples per metre.
    event : Disturbance
        What strikes.
    deaths : Deaths
        Is given who dies, and when; those that died before keep their fate.
    """
    if event.cause == Fate.LANDSLIDE:
        if habitat.moved_ground is not None:
            _clear_patches(population, height, habitat.moved_ground, per_sample, event, deaths)
    else:
        _clear_patches(population, height, habitat.humidity, per_sample, event, deaths)


@parallel_kernel
def _clear_patches(
    part: Part,
    population: Population,
    height: Array,
    ground: Array,
    per_sample: float,
    event: Disturbance,
    deaths: Deaths,
) -> None:
    """Kill plants in patches; the risk depends on the cause: for fires on the humidity, for slides on moved ground."""
    x, y, bits, fate = population.x, population.y, population.bits, deaths.fate
    cause, patch, chance, seed, year, depth = event
    for p in portion(part, height.size):
        # One event at most in each square of a lattice as wide as a patch, anywhere in it.
        column, row = int(x[p] / patch), int(y[p] / patch)
        for beside in range(9):
            i, j = row + beside // 3 - 1, column + beside % 3 - 1
            if unit_float(hash_place(j, i, seed)) >= chance:
                continue
            dx = (j + unit_float(hash_place(j, i, np.uint32(seed + _EAST_DRAW)))) * patch - x[p]
            dy = (i + unit_float(hash_place(j, i, np.uint32(seed + _NORTH_DRAW)))) * patch - y[p]
            if 4.0 * (dx * dx + dy * dy) >= patch * patch:
                continue
            if cause == Fate.FIRE:
                risk = 1.0 - interpolate(ground, x[p] * per_sample, y[p] * per_sample)
            elif cause == Fate.WIND:
                risk = (height[p] - _SAFE_HEIGHT) / _HEIGHT_RANGE
            else:
                risk = interpolate(ground, x[p] * per_sample, y[p] * per_sample) / depth
            if fate[p] == 0 and unit_float(hash_place(j, i, np.uint32(bits[p] + seed))) < risk:
                fate[p], deaths.year[p] = cause, year
