"""One dart: where it falls, and how its place is drawn from random bits."""

from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Bits, kernel


class Dart(NamedTuple):
    """Where a dart falls, and which radius its plant has; numbers only, so that it is cheap to hand on.

    Attributes
    ----------
    r, c : int
        Row and column of its cell in the tile.
    east, north : float32
        Metres from the south-west corner of the land.
    radius : float32
        Metres.
    """

    r: int
    c: int
    east: np.float32
    north: np.float32
    radius: np.float32


@kernel
def upper_unit(bits: Bits) -> float:
    """Return a number from the upper half of 32 bits.

    Parameters
    ----------
    bits : uint32
        Random bits.

    Returns
    -------
    float
        0 or more, below 1.
    """
    return (bits >> np.uint32(16)) * (1.0 / 65536.0)


@kernel
def lower_unit(bits: Bits) -> float:
    """Return a number from the lower half of 32 bits.

    Parameters
    ----------
    bits : uint32
        Random bits.

    Returns
    -------
    float
        0 or more, below 1.
    """
    return (bits & np.uint32(0xFFFF)) * (1.0 / 65536.0)
