"""Plants on both sides of the rim of a block: they grew without knowing of each other.

Of two plants of different blocks that stand too near, the one with the lower random number goes.  That depends on the
two alone, so any tile finds the same; where three meet, more may go than had to.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import Array, kernel
from ..core.foundation.hashing import hash_place
from ..core.tiling.blocks import Blocks

_PER_METRE = 1024.0
_SQUARES = 1 << 31  # in a row


def keep_apart(
    own: dict[str, Array], others: Sequence[dict[str, Array]], blocks: Blocks, cell_size: float, *, summed: bool
) -> dict[str, Array]:
    """Return the plants of a tile that are not too near to a plant of another block.

    Parameters
    ----------
    own : dict of str to ndarray
        The fields of `Plants`, with ``block``, the number of the block on which each grew.
    others : sequence of dict of str to ndarray
        The same of the tiles around.
    blocks : Blocks
        All blocks of the land.
    cell_size : float
        Metres.
    summed : bool
        Whether two plants keep the sum of their radii instead of the larger one.

    Returns
    -------
    dict of str to ndarray
    """
    names = ("x", "y", "radius", "block")
    x, y, radius, block = (np.concatenate([part[name] for part in (own, *others)]) for name in names)
    count = own["x"].size
    if count == 0:
        return own
    reach = float(radius.max()) * (2.0 if summed else 1.0)
    side = blocks.side * cell_size
    near = np.flatnonzero(np.minimum(_to_rim(x, side), _to_rim(y, side)) <= reach)
    # Squares of the reach, so that whoever is too near stands in the same or the next square.
    square = np.floor(y[near] / reach).astype(np.int64) * _SQUARES + np.floor(x[near] / reach).astype(np.int64)
    order = np.argsort(square, kind="stable")
    near, square = near[order], square[order]
    lost = np.zeros(x.size, np.bool_)
    _find_lost(_Stems(x[near], y[near], radius[near], block[near]), square, near, count, summed, lost)
    return {name: values[~lost[:count]] for name, values in own.items()}


class _Stems(NamedTuple):
    """Where plants stand, the radius of each in metres, and the block on which it grew."""

    x: Array
    y: Array
    radius: Array
    block: Array


def _to_rim(place: npt.NDArray[np.float64], side: float) -> npt.NDArray[np.float64]:
    """Return how far each place is from the next multiple of the side of a block, in metres."""
    within = place % side
    return np.minimum(within, side - within)


@kernel
def _rank(x: float, y: float) -> np.uint32:
    return hash_place(np.int64(x * _PER_METRE), np.int64(y * _PER_METRE), np.uint32(0))


@kernel
def _find_lost(stems: _Stems, square: Array, number: Array, own: int, summed: bool, lost: Array) -> None:
    """Mark plants of the tile that are too near to one of another block with a higher random number."""
    for i in range(number.size):
        if number[i] >= own:
            continue
        rank = _rank(stems.x[i], stems.y[i])
        for row in range(-1, 2):
            first = square[i] + row * _SQUARES
            j = np.searchsorted(square, first - 1)
            while j < square.size and square[j] <= first + 1:
                if stems.block[j] != stems.block[i]:
                    east, north = stems.x[j] - stems.x[i], stems.y[j] - stems.y[i]
                    one, two = stems.radius[i], stems.radius[j]
                    room = one + two if summed else max(one, two)
                    if east * east + north * north < room * room and rank < _rank(stems.x[j], stems.y[j]):
                        lost[number[i]] = True
                j += 1
