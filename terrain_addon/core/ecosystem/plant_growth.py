"""How one plant widens and grows up, and when it dies of old age or starves.

The crown follows the law of its species, slowed by the place and by neighbours.  Height follows the
width of the crown by a power law (allometry).  That is the width before a plant takes a
share of its own of it, where crowns vary (`crown_width`).

References
----------
Weibull, W. (1951).  A statistical distribution function of wide applicability.  Journal of Applied Mechanics 18(3),
293-297.  doi:10.1115/1.4010337
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import log, power
from ..foundation.hashing import hash_place, unit_float
from .growth_laws import time_to_reach, widened
from .plant_fate import Fate
from .population import Population
from .traits import LINEAR, GrowthTraits, SizeTraits

# What is hashed with the random number of a plant: two numbers for its lifetime, one beside the time for its last step.
_LIFETIME_DRAW = (7, 1)
_MOMENT_OF_DEATH_DRAW = 2
# Quarters of a year, the shortest step, so that each step draws anew.
_QUARTERS = 4.0

# Plants that one thread has measured before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000

# −ln 0.01: one plant in a hundred reaches its full lifetime.
_ONE_IN_A_HUNDRED = 4.605170186


class GrowthRates(NamedTuple):
    """What is the same for all plants in a step.

    Attributes
    ----------
    year, span : float
        When the step begins and how long it takes, in years.
    starvation : float
        Health below which a plant dies.
    forgetting : float
        Share of the health that the step replaces, 0 to 1.
    exact : bool
        Whether each plant dies at the lifetime of its species, instead of drawing one of its own.
    """

    year: float
    span: float
    starvation: float
    forgetting: float
    exact: bool


class Deaths(NamedTuple):
    """Who dies in a step.

    Attributes
    ----------
    fate : ndarray of uint8, shape (plants,)
        Fate of each plant.
    year : ndarray of float32, shape (plants,)
        When it dies; not set for those that live on.
    """

    fate: Array
    year: Array


def measure_heights(species: Array, radius: Array, traits: SizeTraits) -> npt.NDArray[np.float32]:
    """Return how high plants are, which follows from the width of their crowns.

    Parameters
    ----------
    species : ndarray of int32, shape (plants,)
        Index of each plant's species.
    radius : ndarray of float32, shape (plants,)
        Crown radius in metres.
    traits : SizeTraits
        Of all species.

    Returns
    -------
    ndarray of float32, shape (plants,)
        Metres.
    """
    height = np.empty(radius.size, np.float32)
    measure = _measure_heights.alone if radius.size < _TOO_FEW_TO_SHARE else _measure_heights
    measure(species, radius, traits, height)
    return height


@kernel
def death_age(bits: Bits, lifetime: float) -> float:
    """Return the age at which a plant dies if nothing else kills it.

    Weibull's distribution with shape 4; one plant in a hundred reaches its lifetime, and none grows older.

    Parameters
    ----------
    bits : uint32
        Random number of the plant.
    lifetime : float
        Years.

    Returns
    -------
    float
        Years.
    """
    luck = max(np.float64(unit_float(hash_place(_LIFETIME_DRAW[0], _LIFETIME_DRAW[1], bits))), 0.01)
    return lifetime * math.sqrt(math.sqrt(-log(luck) / _ONE_IN_A_HUNDRED))


@parallel_kernel
def grow(
    part: Part, population: Population, shares: Array, traits: GrowthTraits, rates: GrowthRates, deaths: Deaths
) -> None:
    """Let each plant grow for a step, and die if it is old or starves.

    Parameters
    ----------
    part : Part
        Which share of the work this call does.
    population : Population
        Radius and health are changed.
    shares : ndarray of float32, shape (plants,)
        What neighbours leave each plant, 0 to 1.
    traits : GrowthTraits
        Of all species.
    rates : GrowthRates
        The step.
    deaths : Deaths
        Is given who dies, and when.
    """
    radius, health, fate = population.radius, population.health, deaths.fate
    year, span, starvation, forgetting, exact = rates
    for p in portion(part, shares.size):
        kind, bits = population.species[p], population.bits[p]
        full = traits.radius[kind]
        law, lifetime, pace = traits.law[kind], traits.lifetime[kind], traits.rate[kind]
        pace = pace * population.suitability[p] * shares[p]
        if exact and law == LINEAR:
            # r / ε > a: the crown is wider than it would be at the end of a lifetime without neighbours.
            end = year + time_to_reach(law, radius[p], traits.rate[kind] * lifetime, full, pace)
        elif exact:
            end = population.birth[p] + lifetime
        else:
            end = population.birth[p] + death_age(bits, lifetime)
        # The laws solved over the whole step, so that long steps end where short ones do.
        radius[p] = widened(law, radius[p], full, pace * span)
        # The increment as a share of what the plant would gain here alone is its share; health is the mean of that over
        # a memory.
        health[p] += np.float32((shares[p] - health[p]) * forgetting)
        if end < year + span:
            fate[p], deaths.year[p] = Fate.AGE, max(end, year)
        elif health[p] < starvation:
            moment = unit_float(hash_place(int(year * _QUARTERS), _MOMENT_OF_DEATH_DRAW, bits))
            fate[p], deaths.year[p] = Fate.STARVATION, year + span * moment
        if fate[p] > 0:
            health[p] = 0.0


@parallel_kernel
def _measure_heights(part: Part, species: Array, radius: Array, traits: SizeTraits, height: Array) -> None:
    for p in portion(part, species.size):
        kind = species[p]
        height[p] = traits.height[kind] * power(radius[p] / traits.radius[kind], traits.exponent[kind])
