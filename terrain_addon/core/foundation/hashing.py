"""Randomness as a function of seed and place: integer hashes, never a generator with a state.

A value depends on nothing but its arguments, so it is the same in any order, on any number of threads and in any tile.

References
----------
Wellons, C. (2018). Hash function prospector. github.com/skeeto/hash-prospector.  (The function lowbias32.)
"""

from enum import Enum

import numpy as np

from .compilation import kernel

_UNIT = np.float32(2.0**-24)


@kernel
def mix(value: np.uint32) -> np.uint32:
    """Return 32 bits that look random, different for each input: two rounds of xor-shift and multiply.

    Parameters
    ----------
    value : numpy.uint32
        Any 32 bits.

    Returns
    -------
    numpy.uint32

    References
    ----------
    Wellons, C. (2018). Hash function prospector. github.com/skeeto/hash-prospector.  (The function lowbias32.)
    """
    value ^= value >> np.uint32(16)
    value = np.uint32(value * np.uint32(0x7FEB352D))
    value ^= value >> np.uint32(15)
    value = np.uint32(value * np.uint32(0x846CA68B))
    value ^= value >> np.uint32(16)
    return value


@kernel
def hash_place(i: int, j: int, seed: np.uint32) -> np.uint32:
    """Return a hash of a place and a seed.

    Parameters
    ----------
    i, j : int
        Whole numbers of any sign; their lowest 32 bits count.
    seed : numpy.uint32
        Any 32 bits.

    Returns
    -------
    numpy.uint32
    """
    # Every sum is cast, because for numba the sum of two uint32 has 64 bits.
    return mix(np.uint32(np.uint32(i) + np.uint32(mix(np.uint32(np.uint32(j) + np.uint32(mix(seed)))))))


@kernel
def unit_float(bits: np.uint32) -> np.float32:
    """Return a number in [0, 1) from random bits.

    Parameters
    ----------
    bits : numpy.uint32
        Any 32 bits; the highest 24 count.

    Returns
    -------
    numpy.float32
    """
    return np.float32(bits >> np.uint32(8)) * _UNIT


class Purpose(Enum):
    """What a seed is used for.  Each purpose has a number of its own, so that no two uses see the same pattern.

    The numbers are part of every landscape: a changed number is a changed landscape.  For that reason two purposes
    share the number 7; their seeds differ, so they never meet.
    """

    OCTAVE = "octave of noise", 1
    MIDPOINTS = "level of midpoint displacement", 2
    PLACES = "places of plants", 3
    LOOKS = "size, age and turn of plants", 4
    LAYER = "layer of the relief", 5
    LAYER_MASK = "mask of a layer", 6
    PROCESS_MASK = "mask of a process", 7
    WHITE_NOISE = "white noise", 7
    FIRST_PLANTS = "plants in the first year", 21
    DEATHS = "plants that die in a step", 22
    SEEDLINGS = "seedlings of a step", 23
    GROVES = "groves of a species", 24
    FOLDS = "folds of strata", 401
    BEDS = "hardness of each bed", 402
    HOODOOS = "columns below pieces of a hard bed", 403
    ROCK = "hardness of the rock", 411
    JOINTS = "joints of the rock", 413
    FLOW_PERTURBATION = "perturbation of flow routes", 412
    DROPLETS = "where drops fall", 0xD209
    SAND = "slabs that the wind moves", 421
    RIVER_SWING = "bends in which wandering rivers come in", 431
    DETAIL = "detail below the mesh", 601
    CONTINENTS = "continents of a planet", 501
    PLANET_WARP = "bends of coasts and plates of a planet", 502
    PLANET_HILLS = "hills of a planet", 503
    PLATES = "plates of a planet", 504
    CRATERS = "craters", 505
    WEATHER = "variation of the climate of a planet", 506
    STAINS = "spots on the ground of a planet", 507
    GULLIES = "gullies between the samples of a planet", 521
    CURRENTS = "currents of a planet", 523
    NEAR_PLANTS = "plants near somebody on a planet", 522
    HOLLOWS = "young hollows of a planet", 524
    DUNES = "dunes of a planet", 525

    @property
    def number(self) -> int:
        """The number that tells this purpose from the others in a hash."""
        number: int = self.value[1]
        return number


def derive_seed(seed: int, purpose: Purpose, *which: int) -> np.uint32:
    """Return an independent seed for one purpose.

    Parameters
    ----------
    seed : int
        The recipe's seed, or one derived from it, 0 to 2³² − 1.
    purpose : Purpose
        What the seed is for.
    *which : int
        Numbers that tell uses with the same purpose apart, such as the octave or the species, 0 to 2³¹ − 1.

    Returns
    -------
    numpy.uint32
        Any 32 bits.
    """
    return chain_hashes(seed, purpose.number, *which)


def chain_hashes(seed: int, *numbers: int) -> np.uint32:
    """Return a hash of a seed and of some numbers, one after the other.

    Parameters
    ----------
    seed : int
        0 to 2³² − 1.
    *numbers : int
        Whole numbers; their order counts.

    Returns
    -------
    numpy.uint32
        Any 32 bits.
    """
    bits = np.uint32(seed)
    for number in numbers:
        bits = next_hash(bits, number)
    return np.uint32(bits)


@kernel
def next_hash(bits: np.uint32, number: int) -> np.uint32:
    """Return the hash of a chain that has one more number; see `chain_hashes`.

    Parameters
    ----------
    bits : numpy.uint32
        Hash of the numbers so far.
    number : int
        The next one.

    Returns
    -------
    numpy.uint32
        Any 32 bits.
    """
    return hash_place(number, 0x5EED, bits)
