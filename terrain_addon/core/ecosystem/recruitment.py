"""Recruitment: the seedlings that come up in a step, from seeds of the plants here and of forests far away."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from ..foundation.hashing import Purpose, derive_seed, unit_float
from .competition import SizeClasses, shares_of_seedlings
from .dispersal import Parents, Season, SeedBed, Seeds, count_seeds, empty_seeds, rain_seeds, scatter_seeds
from .evolution_parameters import Evolution
from .flooded_ground import WaterCover, find_flooded
from .forest import SEEDLING
from .plant_growth import measure_heights
from .population import Population
from .species import Species
from .stem_spacing import have_room
from .thickening import come_up
from .traits import Traits, seeds_of_kin

# Square metres to hectares.
_HECTARES = 1e-4
# When there are too many seeds, all plants shed fewer: a little fewer than allowed, so that it seldom takes two turns.
_THINNING = 0.9
# Seeds that one thread is done with before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000


class Recruitment:
    """How seedlings of some species come up on a land.

    Parameters
    ----------
    species : sequence of Species
        What sheds seeds.
    traits : Traits
        Of all of them.
    bed : SeedBed
        The ground.
    most_plants : int
        No step has more seeds than this of the plants here, nor of one species from far away.
    seed : int
        The recipe's seed.
    water : WaterCover
        Where seeds drown.
    """

    def __init__(
        self,
        species: Sequence[Species],
        traits: Traits,
        bed: SeedBed,
        most_plants: int,
        seed: int,
        water: WaterCover,
    ) -> None:
        self._species, self._traits, self._bed = species, traits, bed
        self._most_plants, self._seed, self._water = most_plants, seed, water

    def seedlings(self, here: Population, sizes: SizeClasses, evolution: Evolution, season: Season) -> Population:
        """Return the seedlings of a step.

        Parameters
        ----------
        here : Population
            What lives or has just died; a health of 0 sheds no seeds.
        sizes : SizeClasses
            The same plants, sorted by size and place.
        evolution : Evolution
            How much light and room a seedling asks for.
        season : Season
            The step.

        Returns
        -------
        Population
            They keep their distance from all stems and from one another.
        """
        sown = [self._own_seeds(here, season), *self._seed_rain(season)]
        species = np.concatenate([kinds for kinds, _ in sown])
        x, y, suitability, bits = (np.concatenate(parts) for parts in zip(*(seeds for _, seeds in sown)))
        up = suitability > 0.0
        up[up] = ~find_flooded(x[up], y[up], species[up], self._species, self._water)
        x, y, suitability, bits, species = x[up], y[up], suitability[up], bits[up], species[up]
        radius = (SEEDLING * self._traits.size.radius[species]).astype(np.float32)
        height = measure_heights(species, radius, self._traits.size)
        sprouts = np.stack([x, y, radius, height], axis=1)
        tolerance = self._traits.shade_tolerance[species]
        shares = shares_of_seedlings(sprouts, tolerance, sizes, evolution.asymmetry, evolution.competition)
        born = Population(
            x=x,
            y=y,
            species=species,
            radius=radius,
            birth=np.full(x.size, season.year, np.float32),
            health=shares,
            suitability=suitability,
            record=np.full(x.size, -1, np.int64),
            bits=bits,
        )
        # Where a seedling would starve it does not come up, nor at the foot of another.
        born = born.only(shares > evolution.starvation)
        born = born.only(come_up(here, born, season, self._traits.kin, self._bed.width, self._bed.depth))
        return born.only(self._have_room(here, born, evolution.stem_spacing))

    def _own_seeds(self, here: Population, season: Season) -> tuple[Array, Seeds]:
        """The seeds of the plants here, with their species."""
        parents = Parents(here.x, here.y, here.radius, here.birth, here.health, here.species, here.bits)
        counts = np.empty(here.x.size, np.int64)
        thinning = 1.0
        while True:
            count_seeds(parents, self._traits.seeds, season, thinning, counts)
            first = np.concatenate([[0], np.cumsum(counts)])
            if first[-1] <= self._most_plants:
                break
            thinning *= _THINNING * self._most_plants / float(first[-1])
        seeds = empty_seeds(int(first[-1]))
        scatter_seeds(parents, first, self._traits.seeds, season.step, self._bed, seeds)
        return np.repeat(here.species, counts), seeds

    def _seed_rain(self, season: Season) -> list[tuple[Array, Seeds]]:
        """The seeds from forests far away, with their species."""
        sown, most = [], float(self._most_plants)
        for kind, one in enumerate(self._species):
            rain = one.seed_rain * seeds_of_kin(one)
            expected = min(rain * self._bed.width * self._bed.depth * _HECTARES * season.span, most)
            seed = derive_seed(self._seed, Purpose.SEEDLINGS, kind, season.step)
            count = int(expected + unit_float.py_func(seed))
            if count and self._bed.density[kind].any():
                seeds = empty_seeds(count)
                fall = rain_seeds.alone if count < _TOO_FEW_TO_SHARE else rain_seeds
                fall(kind, seed, self._bed, seeds)
                sown.append((np.full(count, kind, np.int32), seeds))
        return sown

    def _have_room(self, here: Population, born: Population, stem_spacing: float) -> npt.NDArray[np.bool_]:
        """Which seedlings keep their distance from stems."""
        x, y = np.concatenate([here.x, born.x]), np.concatenate([here.y, born.y])
        species = np.concatenate([here.species, born.species])
        kept = (stem_spacing * self._traits.size.radius[species]).astype(np.float32)
        return have_room(x, y, kept, here.x.size, self._bed.width, self._bed.depth)
