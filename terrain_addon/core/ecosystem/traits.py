"""The traits of species in the form that kernels take."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array
from .species import GROWTH_LAWS, Species

LOGISTIC = list(GROWTH_LAWS).index("logistic")
"""What `Traits.growth_law` holds for the logistic law; anything else is the law of Gompertz."""


class Traits(NamedTuple):
    """One entry per species; see the parameters of Species.

    Attributes
    ----------
    radius, height : ndarray of float64
        Crown radius and height of a full-grown plant in metres.
    height_exponent : ndarray of float64
        How height follows the width of the crown.
    growth_rate : ndarray of float64
        1/yr.
    growth_law : ndarray of int64
        Place of the law in GROWTH_LAWS.
    maturity : ndarray of float64
        Years until the first seeds.
    fecundity : ndarray of float64
        Seedlings a year.
    dispersal_distance : ndarray of float64
        Median distance of seeds in metres.
    far_seeds : ndarray of float64
        Share of the seeds that go anywhere.
    lifetime : ndarray of float64
        Age that one plant in a hundred reaches, in years.
    """

    radius: Array
    height: Array
    height_exponent: Array
    growth_rate: Array
    growth_law: Array
    maturity: Array
    fecundity: Array
    dispersal_distance: Array
    far_seeds: Array
    lifetime: Array


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
    >>> traits_of([Species(radius=4.0), Species(radius=0.5)]).radius.tolist()
    [4.0, 0.5]
    """
    laws = list(GROWTH_LAWS)
    values = {name: np.array([getattr(one, name) for one in species], np.float64) for name in _NUMBERS}
    return Traits(growth_law=np.array([laws.index(one.growth_law) for one in species], np.int64), **values)


_NUMBERS = tuple(name for name in Traits._fields if name != "growth_law")
