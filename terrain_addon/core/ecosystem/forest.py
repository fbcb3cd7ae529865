"""A forest with a past: the life of each plant in few bytes, from which its look in any year follows at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import power
from ..foundation.hashing import mix, unit_float
from .crown_width import crown_share
from .plant_fate import CONDITION_AFTER, NOTHING_LEFT
from .plants import VARIANTS, Plants, add_plants
from .species import Species
from .traits import SizeTraits, size_traits_of

SEEDLING = 0.01
"""Crown radius of a seedling as a share of its full radius."""

# Sizes and healths are stored as shares of these.
_FULL_SIZE, _FULL_HEALTH = 65535.0, 255.0


class _Lives(NamedTuple):
    """The lives of plants in the form that kernels take; see Forest."""

    x: Array
    y: Array
    kind: Array
    birth: Array
    death: Array
    fate: Array
    bits: Array
    first_state: Array


class _Sizes(NamedTuple):
    """The sizes of plants in all states, in the form that kernels take; see Forest."""

    first: Array
    size: Array
    health: Array
    state_years: Array


class _Looks(NamedTuple):
    """What the plants of a year look like; see Plants."""

    x: Array
    y: Array
    age: Array
    height: Array
    rotation: Array
    radius: Array
    health: Array
    species: Array
    variant: Array
    condition: Array


@dataclass(frozen=True)
class Forest:
    """The lives of all plants that were there when a state was stored, the earliest first.

    Attributes
    ----------
    species : tuple of Species
        What `kind` counts.
    state_years : ndarray of float64, shape (states,)
        Years at which sizes were stored, from 0.
    x, y : ndarray of float32, shape (lives,)
        Metres east and north of the south-west corner.
    kind : ndarray of uint8, shape (lives,)
        Index into `species`.
    birth, death : ndarray of float32, shape (lives,)
        Years; death is infinite for what still lives.
    fate : ndarray of uint8, shape (lives,)
        A number of Fate.
    bits : ndarray of uint32, shape (lives,)
        A random number of its own.
    first_state : ndarray of uint16, shape (lives,)
        The first state that it was stored in; it is in all that follow until it dies.
    first_size : ndarray of int64, shape (lives + 1,)
        Where its sizes begin.
    sizes : ndarray of uint16, shape (sizes,)
        Crown radius that its size gives as a share of the widest that the species comes to, times 65535.
    healths : ndarray of uint8, shape (sizes,)
        Health times 255.
    lasting : Plants
        What neither grows nor dies, such as rocks, and is there in every year.
    """

    species: tuple[Species, ...]
    state_years: npt.NDArray[np.float64]
    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    kind: npt.NDArray[np.uint8]
    birth: npt.NDArray[np.float32]
    death: npt.NDArray[np.float32]
    fate: npt.NDArray[np.uint8]
    bits: npt.NDArray[np.uint32]
    first_state: npt.NDArray[np.uint16]
    first_size: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.uint16]
    healths: npt.NDArray[np.uint8]
    lasting: Plants

    @property
    def years(self) -> float:
        """How many years are known."""
        return float(self.state_years[-1])

    @property
    def bytes_stored(self) -> int:
        """Memory that the lives take."""
        return sum(part.nbytes for part in vars(self).values() if isinstance(part, np.ndarray))

    def plants_at(self, year: float) -> Plants:
        """Return the plants and the dead wood of a year.

        Parameters
        ----------
        year : float
            0 to `years`; between stored states sizes are interpolated.

        Returns
        -------
        Plants

        Raises
        ------
        ValueError
            If the year is not known.
        """
        if not 0.0 <= year <= self.years:
            raise ValueError(f"year = {year!r} is outside 0 to {self.years:g}, the years that this forest has grown")
        if self.x.size == 0:
            return self.lasting
        state = int(np.searchsorted(self.state_years, year, side="right")) - 1
        following = min(state + 1, self.state_years.size - 1)
        known = int(np.searchsorted(self.first_state, following, side="right"))
        dead_wood_years = np.array([one.dead_wood_years for one in self.species], np.float64)
        seen = np.empty(known, np.int64)
        count = _find_seen(self.birth, self.death, self.fate, self.kind, dead_wood_years, year, seen)
        floats = (np.empty(count, np.float32) for _ in range(7))
        looks = _Looks(*floats, *(np.empty(count, np.int32) for _ in range(3)))
        lives = _Lives(self.x, self.y, self.kind, self.birth, self.death, self.fate, self.bits, self.first_state)
        sizes = _Sizes(self.first_size, self.sizes, self.healths, self.state_years)
        _draw_looks(seen[:count], lives, sizes, size_traits_of(self.species), year, state, looks)
        living = Plants(**looks._asdict())
        return add_plants(self.lasting, living) if len(self.lasting) else living


def lasting_forest(species: Sequence[Species], plants: Plants) -> Forest:
    """Return a forest of no years whose plants stay as they are.

    Parameters
    ----------
    species : sequence of Species
        What `plants.species` counts.
    plants : Plants
        Its plants.

    Returns
    -------
    Forest
    """
    floats, whole = np.empty(0, np.float32), np.empty(0, np.uint8)
    return Forest(
        tuple(species),
        np.zeros(1),
        floats,
        floats,
        whole,
        floats,
        floats,
        whole,
        np.empty(0, np.uint32),
        np.empty(0, np.uint16),
        np.zeros(1, np.int64),
        np.empty(0, np.uint16),
        whole,
        plants,
    )


@kernel
def _find_seen(
    birth: Array, death: Array, fate: Array, kind: Array, dead_wood_years: Array, year: float, seen: Array
) -> int:
    """List the plants that live in a year or have left dead wood that is still there; return how many they are."""
    count = 0
    for p in range(seen.size):
        if birth[p] > year:
            continue
        if year >= death[p] and (
            CONDITION_AFTER[fate[p]] == NOTHING_LEFT or year >= death[p] + dead_wood_years[kind[p]]
        ):
            continue
        seen[count] = p
        count += 1
    return count


@parallel_kernel
def _draw_looks(
    part: Part, seen: Array, lives: _Lives, sizes: _Sizes, traits: SizeTraits, year: float, state: int, looks: _Looks
) -> None:
    """Write what the listed plants look like in a year, which lies between a state and the one after."""
    first, size, vigour, state_years = sizes
    for n in portion(part, seen.size):
        p = seen[n]
        k, born, died = lives.kind[p], lives.birth[p], lives.death[p]
        begin, last, widest = first[p], first[p + 1] - first[p] - 1, traits.widest[k]
        step = state - np.int64(lives.first_state[p])
        if step < 0:
            # Not stored yet: a seedling at birth.
            since = state_years[lives.first_state[p]] - born
            share = (year - born) / since if since > 0.0 else 1.0
            grown = SEEDLING + share * (size[begin] / _FULL_SIZE * widest - SEEDLING)
            well = vigour[begin] / _FULL_HEALTH
        elif step >= last:
            grown, well = size[begin + last] / _FULL_SIZE * widest, vigour[begin + last] / _FULL_HEALTH
        else:
            here, after = begin + step, begin + step + 1
            share = (year - state_years[state]) / (state_years[state + 1] - state_years[state])
            grown = (size[here] + share * (np.float64(size[after]) - size[here])) / _FULL_SIZE * widest
            well = (vigour[here] + share * (np.float64(vigour[after]) - vigour[here])) / _FULL_HEALTH
        dead = year >= died
        looks.x[n], looks.y[n], looks.species[n] = lives.x[p], lives.y[p], k
        looks.age[n] = max((died if dead else year) - born, 1e-3)
        looks.radius[n] = traits.radius[k] * grown * crown_share(lives.bits[p], traits.variation[k])
        looks.height[n] = traits.height[k] * power(grown, traits.exponent[k])
        # A living plant is never as pale as dead wood.
        looks.health[n] = 0.0 if dead else max(well, 1.0 / _FULL_HEALTH)
        looks.condition[n] = CONDITION_AFTER[lives.fate[p]] if dead else 0
        looks.rotation[n] = np.float32(360.0) * unit_float(lives.bits[p])
        looks.variant[n] = mix(lives.bits[p]) % np.uint32(VARIANTS)
