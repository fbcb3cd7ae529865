"""What placed plants look like: an age, the size that goes with it, a turn about the vertical and a mesh.

References
----------
Skovsgaard, J. P. & Vanclay, J. K. (2008).  Forest site productivity: a review of the evolution of dendrometric concepts
for even-aged stands.  Forestry 81(1), 13-31.  doi:10.1093/forestry/cpm041

von Bertalanffy, L. (1938).  A quantitative theory of organic growth.  Human Biology 10(2), 181-213.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, parallel_kernel, portion
from ..foundation.elementary import exp
from ..foundation.hashing import Purpose, derive_seed, hash_place, mix, unit_float
from .plants import VARIANTS, Plants
from .species import Species

# What is added to the random number of a plant to draw its mesh.
_VARIANT_DRAW = np.uint32(1)
# Share of its full size that a plant reaches where it can barely live.
_ON_THE_POOREST_SITE = np.float32(0.4)


class _Looks(NamedTuple):
    """What is drawn for each plant; see Plants."""

    age: Array
    height: Array
    radius: Array
    rotation: Array
    variant: Array


def random_numbers_of(x: Array, y: Array, seed: Bits) -> npt.NDArray[np.uint32]:
    """Return a random number for each place, so that a change elsewhere on the land changes nothing here.

    Parameters
    ----------
    x, y : ndarray of float32, shape (places,)
        Metres.
    seed : uint32
        What the numbers are for.

    Returns
    -------
    ndarray of uint32, shape (places,)
    """
    result = np.empty(x.size, np.uint32)
    _hash_places(x.view(np.int32), y.view(np.int32), seed, result)
    return result


def draw_looks(x: Array, y: Array, kind: Array, room: Array, species: Sequence[Species], seed: int) -> Plants:
    """Give each plant an age, the size that goes with it, a rotation and a variant.

    Parameters
    ----------
    x, y : ndarray of float32, shape (plants,)
        Metres.
    kind : ndarray of int32, shape (plants,)
        Index into `species`.
    room : ndarray of float32, shape (plants,)
        Radius of each plant when it is full-grown, in metres.
    species : sequence of Species
        For lifetimes and heights.
    seed : int
        The recipe's seed, 0 to 2³¹ − 1.

    Returns
    -------
    Plants
        In the same order.
    """
    age, height, radius, rotation = (np.empty(x.size, np.float32) for _ in range(4))
    looks = _Looks(age, height, radius, rotation, np.empty(x.size, np.int32))
    lifetimes = np.array([s.lifetime for s in species], np.float32)
    heights = np.array([s.height for s in species], np.float32)
    numbers = random_numbers_of(x, y, derive_seed(seed, Purpose.LOOKS))
    _draw(numbers, kind, room, lifetimes, heights, looks)
    return Plants(x, y, kind, age, height, rotation, looks.variant, radius)


def fit_to_site(plants: Plants, suitability: npt.NDArray[np.float32]) -> Plants:
    """Return plants as tall and wide as their places let them become.

    How tall trees become is the usual measure of how good a site is (Skovsgaard & Vanclay 2008).  So forests end in
    small trees at the tree line and on rock.  That size follows suitability as a straight line is our choice.

    Parameters
    ----------
    plants : Plants
        From `draw_looks`.
    suitability : ndarray of float32, shape (plants,)
        How well its place suits each plant, 0 to 1.

    Returns
    -------
    Plants
        In the same order; those on the best places have the size that they had.
    """
    reached = _ON_THE_POOREST_SITE + (np.float32(1.0) - _ON_THE_POOREST_SITE) * suitability
    return replace(plants, height=plants.height * reached, radius=plants.radius * reached)


def full_grown_radius(plants: Plants, species: Sequence[Species]) -> npt.NDArray[np.float32]:
    """Return the radius that each plant has when it is full-grown on the best site, which is the room that it keeps.

    Parameters
    ----------
    plants : Plants
        From `draw_looks`.
    species : sequence of Species
        Of which they are.

    Returns
    -------
    ndarray of float32, shape (plants,)
        Metres.
    """
    heights = np.array([s.height for s in species], np.float32)
    # Height and radius grow by the same share, and on poor sites they are smaller by the same share.
    return plants.radius * (heights[plants.species] / plants.height)


@parallel_kernel
def _hash_places(part: Part, x: Array, y: Array, seed: Bits, result: Array) -> None:
    for plant in portion(part, x.size):
        result[plant] = hash_place(x[plant], y[plant], seed)


@parallel_kernel
def _draw(
    part: Part, numbers: Array, species: Array, room: Array, lifetimes: Array, heights: Array, looks: _Looks
) -> None:
    """All ages up to the lifetime are equally likely; size follows from age."""
    full = np.float32(1.0 - exp(-3.0))
    for plant in portion(part, species.size):
        share = np.float32(1.0) - unit_float(numbers[plant])
        looks.age[plant] = lifetimes[species[plant]] * share
        # Height slows down with age (von Bertalanffy 1938) and reaches its full value at the end of the lifetime.
        grown = np.float32(1.0 - exp(-3.0 * (0.1 + 0.9 * share))) / full
        looks.height[plant] = heights[species[plant]] * grown
        looks.radius[plant] = room[plant] * grown
        looks.rotation[plant] = np.float32(360.0) * unit_float(mix(numbers[plant]))
        looks.variant[plant] = mix(np.uint32(numbers[plant] + _VARIANT_DRAW)) % np.uint32(VARIANTS)
