"""How the place of a dart is drawn from random bits."""

import numpy as np

from ..foundation.compilation import Bits, kernel


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
