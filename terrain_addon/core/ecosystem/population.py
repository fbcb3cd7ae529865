"""The plants that live at one moment while a forest grows."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, parallel_kernel, portion
from ..foundation.hashing import hash_place
from .dispersal import SeedBed, share_at
from .forest import SEEDLING
from .plants import Plants
from .traits import Traits


class Population(NamedTuple):
    """What lives; entry i of every array belongs to plant i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (plants,)
        Metres.
    species : ndarray of int32, shape (plants,)
        Index of the species.
    radius : ndarray of float32, shape (plants,)
        Crown radius that its size gives, in metres; `crown_shares` says how much of it a plant has.
    birth : ndarray of float32, shape (plants,)
        Year.
    health : ndarray of float32, shape (plants,)
        Recent growth, as a share of growth without neighbours, 0 to 1.
    suitability : ndarray of float32, shape (plants,)
        How well the place suits the species, 0 to 1.
    record : ndarray of int64, shape (plants,)
        Index among the records of the forest, −1 for a plant that was not yet stored.
    bits : ndarray of uint32, shape (plants,)
        A random number of its own.
    """

    x: Array
    y: Array
    species: Array
    radius: Array
    birth: Array
    health: Array
    suitability: Array
    record: Array
    bits: Array

    def only(self, keep: npt.NDArray[np.bool_]) -> "Population":
        """Return some of the plants.

        Parameters
        ----------
        keep : ndarray of bool, shape (plants,)
            Whether each stays.

        Returns
        -------
        Population
        """
        return Population(*(values[keep] for values in self))

    def joined(self, other: "Population") -> "Population":
        """Return these plants, followed by others.

        Parameters
        ----------
        other : Population
            The others.

        Returns
        -------
        Population
        """
        return Population(*(np.concatenate(both) for both in zip(self, other)))


def newcomers(start: Plants, traits: Traits, bed: SeedBed, seed: Bits) -> Population:
    """Return plants as a population that no record knows yet.

    Parameters
    ----------
    start : Plants
        At the age and size that they have in year 0.
    traits : Traits
        Of all species.
    bed : SeedBed
        What they stand on.
    seed : uint32
        Randomness for the numbers of their own.

    Returns
    -------
    Population
    """
    suitability, bits = np.empty(len(start), np.float32), np.empty(len(start), np.uint32)
    _judge_places(start.x, start.y, start.species, bed, seed, suitability, bits)
    full = traits.size.radius[start.species]
    # Copies, because what a caller gives may be read-only, which is another type to a kernel.
    return Population(
        x=start.x.copy(),
        y=start.y.copy(),
        species=start.species.copy(),
        radius=np.clip(start.radius, SEEDLING * full, full).astype(np.float32),
        birth=-start.age,
        health=start.health.copy(),
        suitability=suitability,
        record=np.full(len(start), -1, np.int64),
        bits=bits,
    )


@parallel_kernel
def _judge_places(
    part: Part, x: Array, y: Array, species: Array, bed: SeedBed, seed: Bits, suitability: Array, bits: Array
) -> None:
    """Measure how the place of each plant suits it, and give the plant a random number."""
    for p in portion(part, x.size):
        suitability[p] = share_at(bed.suitability, np.int64(species[p]), x[p] * bed.per_sample, y[p] * bed.per_sample)
        bits[p] = hash_place(p, species[p], seed)
