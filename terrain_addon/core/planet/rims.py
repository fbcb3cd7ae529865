"""Rims: which side of a square tile lies on which side of another one, and which samples the tiles share.

Tiles have `resolution` samples a side, and the samples of a side belong to both tiles.  Nothing here knows the shape of
the whole: a tile only names its four corners, and sides with the same two corners are one rim.  Six tiles with the
eight corners of a cube make a sphere; tiles with the nodes of a square lattice make a plane.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SOUTH, EAST, NORTH, WEST = range(4)
"""Sides of a tile: row 0, the last column, the last row, column 0."""

Corners = tuple[int, int, int, int]
"""The numbers of the south-west, south-east, north-east and north-west corner of a tile."""

# The corners at which each side begins and ends, in the order of rising columns or rows.
_ENDS = {SOUTH: (0, 1), EAST: (1, 2), NORTH: (3, 2), WEST: (0, 3)}


class Rim(NamedTuple):
    """A side of a tile, and the side of a tile that it is glued to.

    Attributes
    ----------
    tile, side : int
        Which tile, and which of its sides.
    other_tile, other_side : int
        The same of the neighbour.
    is_reversed : bool
        Whether the samples of the other side run the other way.
    """

    tile: int
    side: int
    other_tile: int
    other_side: int
    is_reversed: bool


def glue_rims(tiles: Sequence[Corners]) -> tuple[Rim, ...]:
    """Return the rims of tiles: each pair of sides that have the same two corners, once for each of the two tiles.

    Parameters
    ----------
    tiles : sequence of Corners
        The corners of each tile.

    Returns
    -------
    tuple of Rim
        In the order of tiles and sides.

    Examples
    --------
    >>> glue_rims([(0, 1, 4, 3), (1, 2, 5, 4)])  # doctest: +NORMALIZE_WHITESPACE
    (Rim(tile=0, side=1, other_tile=1, other_side=3, is_reversed=False),
     Rim(tile=1, side=3, other_tile=0, other_side=1, is_reversed=False))
    """
    places = defaultdict(list)
    for tile, corners in enumerate(tiles):
        for side, (begin, end) in _ENDS.items():
            ends = corners[begin], corners[end]
            places[frozenset(ends)].append((tile, side, ends))
    rims = []
    for sides in places.values():
        for one, other in ((sides[0], sides[1]), (sides[1], sides[0])) if len(sides) == 2 else ():
            rims.append(Rim(one[0], one[1], other[0], other[1], one[2] != other[2]))
    return tuple(sorted(rims))


def rim_samples(side: int, resolution: int, depth: int = 0) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return rows and columns of the samples along a side.

    Parameters
    ----------
    side : int
        SOUTH, EAST, NORTH or WEST.
    resolution : int
        Samples a side.
    depth : int
        How many samples inside of the side: 0 for the side itself.

    Returns
    -------
    rows, columns : ndarray of intp, shape (resolution,)
    """
    along = np.arange(resolution)
    across = np.full(resolution, depth if side in (SOUTH, WEST) else resolution - 1 - depth)
    return (across, along) if side in (SOUTH, NORTH) else (along, across)


def first_samples(tiles: int, rims: Sequence[Rim], resolution: int) -> npt.NDArray[np.int64]:
    """Return for each sample the first sample at the same place: itself, unless an earlier tile has it too.

    Parameters
    ----------
    tiles : int
        How many tiles there are.
    rims : sequence of Rim
        From `glue_rims`.
    resolution : int
        Samples a side.

    Returns
    -------
    ndarray of int64, shape (tiles, resolution, resolution)
        Indices into the flat array of all samples.
    """
    first = np.arange(tiles * resolution**2).reshape(tiles, resolution, resolution)
    # A corner of three tiles may have to be handed on once.
    for _ in range(2):
        for rim in rims:
            mine, theirs = rim_samples(rim.side, resolution), rim_samples(rim.other_side, resolution)
            values = first[rim.other_tile][theirs][:: -1 if rim.is_reversed else 1]
            first[rim.tile][mine] = np.minimum(first[rim.tile][mine], values)
    return first
