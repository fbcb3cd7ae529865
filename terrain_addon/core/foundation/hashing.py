"""Randomness as a function of seed and place: integer hashes, never a generator with a state.

A value depends on nothing but its arguments, so it is the same in any order, on any number of threads and in any tile.
"""

import numpy as np

from .compilation import kernel

_UNIT = np.float32(2.0**-24)


@kernel
def mix(value: np.uint32) -> np.uint32:
    """Scatter 32 bits: two rounds of xor-shift and multiply (constants: C. Wellons, hash-prospector, 2018)."""
    value ^= value >> np.uint32(16)
    value = np.uint32(value * np.uint32(0x7FEB352D))
    value ^= value >> np.uint32(15)
    value = np.uint32(value * np.uint32(0x846CA68B))
    value ^= value >> np.uint32(16)
    return value


@kernel
def hash_place(i: int, j: int, seed: np.uint32) -> np.uint32:
    """Hash two whole numbers of any sign and a seed to 32 bits."""
    # Every sum is cast: to numba the sum of two uint32 is 64 bits wide.
    return mix(np.uint32(np.uint32(i) + np.uint32(mix(np.uint32(np.uint32(j) + np.uint32(mix(seed)))))))


@kernel
def unit_float(bits: np.uint32) -> np.float32:
    """Turn 32 random bits into float32 in [0, 1)."""
    return np.float32(bits >> np.uint32(8)) * _UNIT


def derive_seed(seed: int, *purpose: int) -> np.uint32:
    """Return an independent seed for one purpose: an octave, a species, a process.

    Parameters
    ----------
    seed : int
        The recipe's seed, 0 to 2³¹ − 1.
    purpose : int
        Numbers that tell this use of the seed from every other, 0 to 2³¹ − 1.
    """
    bits = np.uint32(seed)
    for number in purpose:
        bits = hash_place(number, 0x5EED, bits)
    return np.uint32(bits)
