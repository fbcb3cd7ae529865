"""The traits of species in the form that kernels take: each kernel is given those that it reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array
from .species import GROWTH_LAWS, Species

LOGISTIC, LINEAR = (list(GROWTH_LAWS).index(law) for law in ("logistic", "linear"))
"""What `GrowthTraits.law` holds for two laws; anything else is the law of Gompertz."""


class SizeTraits(NamedTuple):
    """How large plants of each species become.

    Attributes
    ----------
    radius, height : ndarray of float64, shape (species,)
        Crown radius and height of a full-grown plant in metres.
    exponent : ndarray of float64, shape (species,)
        How height follows the width of the crown.
    widest : ndarray of float64, shape (species,)
        Largest radius that a crown can come to, as a multiple of the full radius, 1 or more.
    variation : ndarray of float64, shape (species,)
        Part of its width that a crown may lack, 0 to 1.
    """

    radius: Array
    height: Array
    exponent: Array
    widest: Array
    variation: Array


class GrowthTraits(NamedTuple):
    """How plants of each species grow and age.

    Attributes
    ----------
    radius : ndarray of float64, shape (species,)
        Crown radius of a full-grown plant in metres.
    rate : ndarray of float64, shape (species,)
        1/yr; if growth is linear, m/yr.
    law : ndarray of int64, shape (species,)
        Place of the law in GROWTH_LAWS.
    lifetime : ndarray of float64, shape (species,)
        Years.
    """

    radius: Array
    rate: Array
    law: Array
    lifetime: Array


class SeedTraits(NamedTuple):
    """How plants of each species spread.

    Attributes
    ----------
    radius : ndarray of float64, shape (species,)
        Crown radius of a full-grown plant in metres.
    maturity : ndarray of float64, shape (species,)
        Years until the first seeds.
    fecundity : ndarray of float64, shape (species,)
        Seedlings a year of a full-grown plant, before its own kind thins them; see `seeds_of_kin`.
    distance : ndarray of float64, shape (species,)
        Median distance of seeds in metres.
    far_share : ndarray of float64, shape (species,)
        Share of the seeds that go anywhere.
    """

    radius: Array
    maturity: Array
    fecundity: Array
    distance: Array
    far_share: Array


class KinTraits(NamedTuple):
    """How plants of each species thicken around their own kind.

    Attributes
    ----------
    thickening : ndarray of float64, shape (species,)
        How much more densely seedlings come up beside their own kind, 0 or more.
    distance : ndarray of float64, shape (species,)
        Metres within which they do.
    maturity : ndarray of float64, shape (species,)
        Years from which on a plant counts.
    """

    thickening: Array
    distance: Array
    maturity: Array


@dataclass(frozen=True)
class Traits:
    """What kernels know of some species; see the parameters of Species.

    Attributes
    ----------
    size : SizeTraits
    growth : GrowthTraits
    seeds : SeedTraits
    kin : KinTraits
    shade_tolerance : ndarray of float32, shape (species,)
        Share of the shade that does not hold a plant back.
    """

    size: SizeTraits
    growth: GrowthTraits
    seeds: SeedTraits
    kin: KinTraits
    shade_tolerance: Array


def size_traits_of(species: Sequence[Species]) -> SizeTraits:
    """Return how large plants of some species become.

    Parameters
    ----------
    species : sequence of Species
        In the order in which plants count them.

    Returns
    -------
    SizeTraits
    """
    # Linear growth does not end at the full radius, only with the life of the plant.
    beyond = [_widening(one) * one.lifetime / one.radius if one.growth_law == "linear" else 0.0 for one in species]
    radius, height, exponent, variation = _numbers(species, "radius", "height", "height_exponent", "radius_variation")
    return SizeTraits(radius, height, exponent, 1.0 + np.array(beyond, np.float64), variation)


def traits_of(species: Sequence[Species]) -> Traits:
    """Return the traits of some species.

    Parameters
    ----------
    species : sequence of Species
        In the order in which plants count them.

    Returns
    -------
    Traits

    Examples
    --------
    >>> traits_of([Species(radius=4.0), Species(radius=0.5)]).size.radius.tolist()
    [4.0, 0.5]
    """
    laws = list(GROWTH_LAWS)
    law = np.array([laws.index(one.growth_law) for one in species], np.int64)
    rates = [_widening(one) if one.growth_law == "linear" else one.growth_rate for one in species]
    radius, lifetime = _numbers(species, "radius", "lifetime")
    maturity, distance, far_share = _numbers(species, "maturity", "dispersal_distance", "far_seeds")
    fecundity = np.array([one.fecundity * seeds_of_kin(one) for one in species], np.float64)
    return Traits(
        size=size_traits_of(species),
        growth=GrowthTraits(radius, np.array(rates, np.float64), law, lifetime),
        seeds=SeedTraits(radius, maturity, fecundity, distance, far_share),
        kin=KinTraits(*_numbers(species, "thickening", "thickening_distance", "maturity")),
        shade_tolerance=np.array([one.shade_tolerance for one in species], np.float32),
    )


def seeds_of_kin(one: Species) -> float:
    """Return how many times as many seeds of a species fall because it thickens around its own kind.

    Parameters
    ----------
    one : Species
        Whose thickening counts.

    Returns
    -------
    float
        1 or more; see `thickening`, which thins them again far from their own kind.
    """
    return 1.0 + one.thickening


def _widening(one: Species) -> float:
    """Metres by which the crown of a plant widens in a year if its growth is linear."""
    return one.widening or one.radius / one.lifetime


def _numbers(species: Sequence[Species], *names: str) -> list[Array]:
    """Some parameters of all species."""
    return [np.array([getattr(one, name) for one in species], np.float64) for name in names]
