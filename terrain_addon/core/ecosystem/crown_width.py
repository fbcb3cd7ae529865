"""How wide the crown of a plant is: as wide as its size gives, times a share of its own.

Each plant keeps its share for life.  It competes for light, crushes and is crushed with the crown that follows.  Its
height and its seeds follow its size alone, so that of two trees as tall one is slender and the other broad.
Crowns of trees of a size differ in width (Pretzsch 2019); that all shares are equally likely is our choice, as where
plants are placed.

References
----------
Pretzsch, H. (2019).  The effect of tree crown allometry on community dynamics in mixed-species stands versus
monocultures.  Forests 10(9), 810.  doi:10.3390/f10090810
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.hashing import hash_place, unit_float
from .traits import SizeTraits

# What is hashed with the random number of a plant.
_SHARE_DRAW = (7, 3)
# Plants that one thread has measured before it could hand some to another.
_TOO_FEW_TO_SHARE = 1000


@kernel
def crown_share(bits: Bits, variation: float) -> float:
    """Return the width of a crown as a share of the one that the size of the plant gives.

    Parameters
    ----------
    bits : uint32
        Random number of the plant.
    variation : float
        Largest part that is missing, 0 to 1.

    Returns
    -------
    float
        All shares from 1 − variation to 1 are equally likely; exactly 1 without variation.

    Examples
    --------
    >>> crown_share(np.uint32(5), 0.0), 0.5 < crown_share(np.uint32(5), 0.5) < 1.0
    (1.0, True)
    """
    return 1.0 - variation * np.float64(unit_float(hash_place(_SHARE_DRAW[0], _SHARE_DRAW[1], bits)))


def crown_shares(species: Array, bits: Array, traits: SizeTraits) -> npt.NDArray[np.float32]:
    """Return the widths of crowns as shares of those that the sizes of the plants give.

    Parameters
    ----------
    species : ndarray of int32, shape (plants,)
        Index of each plant's species.
    bits : ndarray of uint32, shape (plants,)
        Random numbers of the plants.
    traits : SizeTraits
        Of all species.

    Returns
    -------
    ndarray of float32, shape (plants,)
        Above 0, up to 1.
    """
    shares = np.empty(species.size, np.float32)
    draw = _draw_shares.alone if species.size < _TOO_FEW_TO_SHARE else _draw_shares
    draw(species, bits, traits, shares)
    return shares


@parallel_kernel
def _draw_shares(part: Part, species: Array, bits: Array, traits: SizeTraits, shares: Array) -> None:
    for p in portion(part, species.size):
        shares[p] = crown_share(bits[p], traits.variation[species[p]])
