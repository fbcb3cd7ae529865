"""A forest with a past: every plant's life in few bytes, from which its look in any year follows at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import power
from ..foundation.hashing import mix, unit_float
from .plants import VARIANTS, Plants, add_plants
from .species import Species

SEEDLING = 0.01
"""Crown radius of a seedling as a share of its full radius."""

FATES = ("living", "age", "hunger", "fire", "wind", "landslide")
"""What ended a plant; `Forest.fate` counts in this order."""

_LEAVES = np.array([0, 1, 1, 1, 2, -1], np.int64)
"""What each fate leaves behind: a condition of plants.CONDITIONS, −1 nothing."""


@dataclass(frozen=True)
class Forest:
    """The lives of all plants that were there when a state was stored, first come first.

    Attributes
    ----------
    species : tuple of Species
    state_years : ndarray of float64, shape (states,)
        Years at which sizes were stored, from 0.
    x, y : ndarray of float32, shape (lives,)
        Metres east and north of the south-west corner.
    kind : ndarray of uint8, shape (lives,)
        Index into `species`.
    birth, death : ndarray of float32, shape (lives,)
        Years; death is infinite for what still lives.
    fate : ndarray of uint8, shape (lives,)
        Index into FATES.
    bits : ndarray of uint32, shape (lives,)
        A random number of its own.
    first_state : ndarray of uint16, shape (lives,)
        The first state that it was stored in; it is in all that follow until it dies.
    first_size : ndarray of int64, shape (lives + 1,)
        Where its sizes begin.
    sizes : ndarray of uint16, shape (sizes,)
        Crown radius as a share of the full radius, times 65535.
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
        traits = np.array(
            [[s.radius, s.height, s.height_exponent, s.dead_wood_years] for s in self.species], np.float64
        ).reshape(-1, 4)
        seen = np.empty(known, np.int64)
        count = _find_seen(self.birth, self.death, self.fate, self.kind, traits, _LEAVES, year, seen)
        floats = [np.empty(count, np.float32) for _ in range(7)]
        whole = [np.empty(count, np.int32) for _ in range(3)]
        lives = (self.x, self.y, self.kind, self.birth, self.death, self.fate, self.bits, self.first_state)
        sizes = (self.first_size, self.sizes, self.healths, self.state_years)
        _look(seen[:count], lives, sizes, traits, _LEAVES, year, state, *floats, *whole)
        x, y, age, height, rotation, radius, health = floats
        kind, variant, condition = whole
        living = Plants(x, y, kind, age, height, rotation, variant, radius, health, condition)
        return add_plants(self.lasting, living) if len(self.lasting) else living


def lasting_forest(species: Sequence[Species], plants: Plants) -> Forest:
    """Return a forest of no years whose plants stay as they are."""
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
    birth: Array, death: Array, fate: Array, kind: Array, traits: Array, leaves: Array, year: float, seen: Array
) -> int:
    count = 0
    for p in range(seen.size):
        if birth[p] > year:
            continue
        if year >= death[p] and (leaves[fate[p]] < 0 or year >= death[p] + traits[kind[p], 3]):
            continue
        seen[count] = p
        count += 1
    return count


@parallel_kernel
def _look(
    part: Part,
    seen: Array,
    lives: tuple[Array, Array, Array, Array, Array, Array, Array, Array],
    sizes: tuple[Array, Array, Array, Array],
    traits: Array,
    leaves: Array,
    year: float,
    state: int,
    x: Array,
    y: Array,
    age: Array,
    height: Array,
    rotation: Array,
    radius: Array,
    health: Array,
    species: Array,
    variant: Array,
    condition: Array,
) -> None:
    life_x, life_y, kind, birth, death, fate, bits, first_state = lives
    first_size, size, vigour, state_years = sizes
    for n in portion(part, seen.size):
        p = seen[n]
        k = kind[p]
        begin, last = first_size[p], first_size[p + 1] - first_size[p] - 1
        step = state - np.int64(first_state[p])
        if step < 0:
            # Not stored yet: a seedling at birth.
            since = state_years[first_state[p]] - birth[p]
            share = (year - birth[p]) / since if since > 0.0 else 1.0
            grown = SEEDLING + share * (size[begin] / 65535.0 - SEEDLING)
            well = vigour[begin] / 255.0
        elif step >= last:
            grown, well = size[begin + last] / 65535.0, vigour[begin + last] / 255.0
        else:
            share = (year - state_years[state]) / (state_years[state + 1] - state_years[state])
            grown = (size[begin + step] + share * (np.float64(size[begin + step + 1]) - size[begin + step])) / 65535.0
            well = (
                vigour[begin + step] + share * (np.float64(vigour[begin + step + 1]) - vigour[begin + step])
            ) / 255.0
        dead = year >= death[p]
        x[n], y[n], species[n] = life_x[p], life_y[p], k
        age[n] = max((death[p] if dead else year) - birth[p], 1e-3)
        radius[n] = traits[k, 0] * grown
        height[n] = traits[k, 1] * power(grown, traits[k, 2])
        # A living plant is never as pale as dead wood.
        health[n] = 0.0 if dead else max(well, 1.0 / 255.0)
        condition[n] = leaves[fate[p]] if dead else 0
        rotation[n] = np.float32(360.0) * unit_float(bits[p])
        variant[n] = mix(bits[p]) % np.uint32(VARIANTS)
