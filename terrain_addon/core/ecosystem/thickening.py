"""Thickening: seedlings of a species come up more densely around grown plants of their own kind.

Far from its own kind a species comes up as densely as the ground suits it; beside its own kind, 1 + c · p times as
densely.  Here c is how much the species thickens, and p = max(1 − d / ρ, 0) with the distance d to the nearest grown
plant of its own kind and the distance ρ within which that one counts.  So 1 + c times as many seeds fall, and of those
that the ground suits the share (1 + c · p) / (1 + c) comes up.

Seeds fall and plants come up at a random moment of a step, so that a plant counts from its maturity on, however long
steps are.

References
----------
Callaway, R. M. (1995).  Positive interactions among plants.  The Botanical Review 61(4), 306-349.
doi:10.1007/BF02912621
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.hashing import mix, unit_float
from .dispersal import Season
from .population import Population
from .stem_cells import StemCells, sort_into_cells
from .traits import KinTraits

# What is added to the random number of a plant to draw whether it comes up beside its kind, when its seed falls, and
# when in its first step it came up.
_KIN_DRAW, _FALL_DRAW, _BIRTH_DRAW = np.uint32(31), np.uint32(32), np.uint32(33)
# Seedlings that one thread has looked at before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000


def come_up(
    here: Population, born: Population, season: Season, kin: KinTraits, width: float, depth: float
) -> npt.NDArray[np.bool_]:
    """Return which seedlings come up, given the plants of their own kind.

    Parameters
    ----------
    here : Population
        What lives.
    born : Population
        Seedlings that come up if their own kind stands beside them.
    season : Season
        The step.
    kin : KinTraits
        Of all species.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    ndarray of bool, shape (seedlings,)
        All of a species that does not thicken.
    """
    up = np.ones(born.x.size, np.bool_)
    thickens = kin.thickening > 0.0
    if not thickens[born.species].any():
        return up
    grown = here.only(thickens[here.species])
    ripe = np.empty(grown.x.size)
    _ripen(grown, kin.maturity, season.span, ripe)
    in_time = ripe < season.year
    grown, ripe = grown.only(in_time), ripe[in_time]
    cells = sort_into_cells(grown.x, grown.y, float(kin.distance[thickens].max()), width, depth)
    draw = _draw.alone if up.size < _TOO_FEW_TO_SHARE else _draw
    draw(grown, ripe, born, season, kin, cells, up)
    return up


@parallel_kernel
def _ripen(part: Part, plants: Population, maturity: Array, span: float, ripe: Array) -> None:
    """Write the year from which on each plant counts."""
    for p in portion(part, ripe.size):
        ripe[p] = plants.birth[p] + maturity[plants.species[p]]
        if plants.birth[p] > 0.0:
            # Its birth is noted at the end of the step in which it came up.
            ripe[p] -= span * unit_float(mix(np.uint32(plants.bits[p] + _BIRTH_DRAW)))


@parallel_kernel
def _draw(
    part: Part,
    grown: Population,
    ripe: Array,
    born: Population,
    season: Season,
    kin: KinTraits,
    cells: StemCells,
    up: Array,
) -> None:
    """Draw which seedlings come up."""
    per_metre, rows, columns, first, order = cells
    for n in portion(part, up.size):
        kind, x, y = born.species[n], born.x[n], born.y[n]
        reach = kin.distance[kind]
        if kin.thickening[kind] <= 0.0:
            continue
        nearest = reach * reach
        moment = season.year - season.span * unit_float(mix(np.uint32(born.bits[n] + _FALL_DRAW)))
        west, east = max(int((x - reach) * per_metre), 0), min(int((x + reach) * per_metre), columns - 1)
        south, north = max(int((y - reach) * per_metre), 0), min(int((y + reach) * per_metre), rows - 1)
        for row in range(south, north + 1):
            for k in range(first[row * columns + west], first[row * columns + east + 1]):
                q = order[k]
                if grown.species[q] == kind and ripe[q] <= moment:
                    dx, dy = np.float64(grown.x[q]) - x, np.float64(grown.y[q]) - y
                    nearest = min(nearest, dx * dx + dy * dy)
        near = 1.0 - math.sqrt(nearest) / reach
        chance = (1.0 + kin.thickening[kind] * near) / (1.0 + kin.thickening[kind])
        up[n] = unit_float(mix(np.uint32(born.bits[n] + _KIN_DRAW))) < chance
