"""Plants on both sides of the rim of a block: they grew from the same darts, but without knowing of each other.

Most stand alike on both sides of a rim.  What differs is put right here.  As where darts are thrown, species take
turns, the larger first.  A plant loses its place to one of an earlier turn that stands too near, and to one of its own
species on another block that has a higher random number.  Then all that lost theirs look for another one near by, in
rounds: each takes the first of some random places that is free, and of two that want places too near to each other the
one with the lower random number waits for the next round.  Nothing but places and random numbers decides, and a round
is felt over three radii at most, so any tile finds the same.

Forests that grew over years have a past of their own on each block.  Across a rim their stems keep the distance that
stems keep within a block, and their crowns may overlap.

References
----------
Luby, M. (1986).  A simple parallel algorithm for the maximal independent set problem.  SIAM Journal on Computing 15(4),
1036-1053.  doi:10.1137/0215074
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.ecosystem.species import Species
from ..core.foundation.compilation import Array, kernel
from ..core.foundation.hashing import hash_place, unit_float
from ..core.tiling.blocks import Blocks

_PER_METRE = 1024.0
_SQUARES = 1 << 31  # in a row
_ROUNDS, _DARTS = 8, 64
_HALO = 2.0  # of the largest distance that two plants keep
_SEED_HALO = 3.0  # of the distance within which half of the seeds fall: nine tenths fall within three times as far
_FELT = 3.0
"""Over how many radii a round is felt: from a plant to its new place, to one in its way, and back to where that was."""
_EXACT = 1.0 + 1e-6  # more than rounding takes from a distance
_ASIDE = np.uint32(0x9E3779B9)


class Rims(NamedTuple):
    """What plants along rims of blocks depend on besides themselves.

    Attributes
    ----------
    blocks : Blocks
        All blocks of the land.
    cell_size : float
        Metres.
    summed : bool
        Whether two plants keep the sum of their rooms instead of the larger one.
    depth : ndarray of float32, shape (rows, columns)
        Depth of the water in metres at the samples of the tile and of a block around it: plants move to no deeper one.
    first_row, first_column : int
        Where these samples begin in the land.
    share : float
        Largest room of a plant as a share of the radius of its species.
    """

    blocks: Blocks
    cell_size: float
    summed: bool
    depth: Array
    first_row: int
    first_column: int
    share: float = 1.0


def halo_of(species: Sequence[Species], cell_size: float, summed: bool, grows: bool = False) -> int:
    """Return how many samples around a block plants grow too, so that along rims they are as elsewhere.

    Parameters
    ----------
    species : sequence of Species
        What grows.
    cell_size : float
        Metres.
    summed : bool
        Whether two plants keep the sum of their radii instead of the larger one.
    grows : bool
        Whether plants grow over years, so that seeds fall from beyond the rim.

    Returns
    -------
    int
    """
    farthest = _HALO * (2.0 if summed else 1.0) * max((one.radius for one in species), default=0.0)
    if grows:
        sown = max((one.dispersal_distance for one in species if not one.lasts), default=0.0)
        farthest = max(farthest, _SEED_HALO * sown)
    return math.ceil(farthest / cell_size) + 1


def keep_apart(
    own: dict[str, Array], others: Sequence[dict[str, Array]], species: Sequence[Species], rims: Rims
) -> dict[str, Array]:
    """Return the plants of a tile, none too near to a plant of another block.

    Parameters
    ----------
    own : dict of str to ndarray
        The fields of `Plants`, with ``block``, the number of the block on which each grew, and ``room``, how far it
        keeps others away, in metres.
    others : sequence of dict of str to ndarray
        The same of the tiles around.
    species : sequence of Species
        Of which they are.
    rims : Rims
        What else counts.

    Returns
    -------
    dict of str to ndarray
        Those that find no place are not in it.
    """
    names = ("x", "y", "room", "block", "species")
    x, y, room, block, kind = (np.concatenate([part[name] for part in (own, *others)]) for name in names)
    count = own["x"].size
    if count == 0:
        return own
    reach = float(room.max()) * (2.0 if rims.summed else 1.0) * _EXACT
    side = rims.blocks.side * rims.cell_size
    # In each turn those lose their place that stand a radius from where others have moved, and move by a radius.
    near = np.flatnonzero(np.minimum(_to_rim(x, side), _to_rim(y, side)) <= (2 * len(species) + 1) * reach)
    order = sorted(range(len(species)), key=lambda k: (-species[k].radius, k))
    turn, under = np.argsort(order), np.array([one.undergrowth for one in species], np.bool_)
    kind = kind[near]
    moved = np.zeros(near.size, np.bool_)
    stems = _Stems(x[near], y[near], room[near] * _EXACT, block[near], under[kind], moved)
    lost = np.ones(near.size, np.bool_)
    largest = (2.0 if rims.summed else 1.0) * rims.share * max(one.radius for one in species)
    # What is farther away than the tiles around are known must not be felt.
    rounds = min(_ROUNDS, int((side / len(species) / largest - 1.0) / _FELT))
    for number in range(len(species)):
        _take_turn(stems, np.flatnonzero(turn[kind] == number), lost, _Limits(reach, largest, rounds), rims)
    mine = near < count
    kept = np.ones(count, np.bool_)
    kept[near[mine & lost]] = False
    places = {name: own[name].copy() for name in ("x", "y")}
    places["x"][near[mine]], places["y"][near[mine]] = stems.x[mine], stems.y[mine]
    return {name: values[kept] for name, values in {**own, **places}.items()}


class _Stems(NamedTuple):
    """Where plants stand, and the radius that each keeps free in metres.

    Also the block on which it grew, whether it is undergrowth, and whether it has moved.
    """

    x: Array
    y: Array
    room: Array
    block: Array
    under: Array
    moved: Array


class _Limits(NamedTuple):
    """Largest distance of plants that are too near, how far they move at most, in metres, and how often they try."""

    reach: float
    farthest: float
    rounds: int


def _take_turn(
    stems: _Stems, members: npt.NDArray[np.int64], lost: npt.NDArray[np.bool_], limits: "_Limits", rims: Rims
) -> None:
    """Give each plant of a species its place or another one, and take the mark from those that stand then."""
    reach, farthest, rounds = limits
    earlier, own = _picked(stems, np.flatnonzero(~lost)), _picked(stems, members)
    beaten = np.zeros(members.size, np.bool_)
    _find_lost(own, earlier, *_by_square(earlier, reach), rims.summed, False, beaten)
    _find_lost(own, own, *_by_square(own, reach), rims.summed, True, beaten)
    lost[members] = beaten
    for turn in range(rounds):
        looking = members[lost[members]]
        if not looking.size:
            break
        origins, standing = _picked(stems, looking), _picked(stems, np.flatnonzero(~lost))
        wanted = origins._replace(x=origins.x.copy(), y=origins.y.copy())
        wants = np.zeros(looking.size, np.bool_)
        _choose(origins, standing, *_by_square(standing, reach), rims, (np.uint32(turn), farthest), wanted, wants)
        asking, who = _picked(wanted, np.flatnonzero(wants)), looking[wants]
        beaten = np.zeros(who.size, np.bool_)
        _find_beaten(asking, _picked(stems, who), *_by_square(asking, reach), rims.summed, beaten)
        found = who[~beaten]
        stems.x[found], stems.y[found] = asking.x[~beaten], asking.y[~beaten]
        stems.moved[found], lost[found] = True, False


def _picked(stems: _Stems, which: npt.NDArray[np.int64]) -> _Stems:
    return _Stems(*(values[which] for values in stems))


def _by_square(stems: _Stems, reach: float) -> tuple[Array, Array, float]:
    """Return squares of the reach, rising, with their plants: who is too near stands in the same or the next one."""
    square = np.floor(stems.y / reach).astype(np.int64) * _SQUARES + np.floor(stems.x / reach).astype(np.int64)
    order = np.argsort(square, kind="stable")
    return square[order], order, reach


def _to_rim(place: npt.NDArray[np.float64], side: float) -> npt.NDArray[np.float64]:
    """Return how far each place is from the next multiple of the side of a block, in metres."""
    within = place % side
    return np.minimum(within, side - within)


@kernel
def _rank(x: float, y: float) -> np.uint32:
    return hash_place(np.int64(x * _PER_METRE), np.int64(y * _PER_METRE), np.uint32(0))


@kernel
def _loses(stems: _Stems, i: int, j: int) -> bool:
    """Whether the first of two plants gives way to the second."""
    one, two = _rank(stems.x[i], stems.y[i]), _rank(stems.x[j], stems.y[j])
    return one < two or (one == two and stems.x[i] < stems.x[j])


@kernel
def _too_near(one: _Stems, i: int, x: float, y: float, stems: _Stems, j: int, summed: bool) -> bool:
    """Whether a plant at a place is too near to another one; only undergrowth asks for room between the layers."""
    east, north = stems.x[j] - x, stems.y[j] - y
    room, other = one.room[i], stems.room[j]
    if one.under[i] != stems.under[j]:
        kept = room if one.under[i] else other
    else:
        kept = room + other if summed else max(room, other)
    return east * east + north * north < kept * kept


@kernel
def _square_of(x: float, y: float, reach: float) -> np.int64:
    return np.int64(np.floor(y / reach)) * _SQUARES + np.int64(np.floor(x / reach))


@kernel
def _find_lost(
    own: _Stems, stems: _Stems, square: Array, order: Array, reach: float, summed: bool, drawn: bool, lost: Array
) -> None:
    """Mark plants too near to one of another block, or one that moved; where it is drawn, only if they lose."""
    for i in range(own.x.size):
        here = _square_of(own.x[i], own.y[i], reach)
        for row in range(-1, 2):
            first = here + row * _SQUARES
            place = np.searchsorted(square, first - 1)
            while place < square.size and square[place] <= first + 1:
                j = order[place]
                place += 1
                if stems.block[j] == own.block[i] and not stems.moved[j]:
                    continue
                if _too_near(own, i, own.x[i], own.y[i], stems, j, summed):
                    lost[i] = lost[i] or not drawn or _loses(own, i, j)


@kernel
def _find_beaten(
    asking: _Stems, origins: _Stems, square: Array, order: Array, reach: float, summed: bool, beaten: Array
) -> None:
    """Mark wanted places that are too near to one that a plant with a higher random number wants."""
    for i in range(asking.x.size):
        here = _square_of(asking.x[i], asking.y[i], reach)
        for row in range(-1, 2):
            first = here + row * _SQUARES
            place = np.searchsorted(square, first - 1)
            while place < square.size and square[place] <= first + 1:
                j = order[place]
                if j != i and _too_near(asking, i, asking.x[i], asking.y[i], asking, j, summed):
                    beaten[i] = beaten[i] or _loses(origins, i, j)
                place += 1


@kernel
def _is_free(
    one: _Stems, i: int, x: float, y: float, stems: _Stems, square: Array, order: Array, reach: float, summed: bool
) -> bool:
    here = _square_of(x, y, reach)
    for row in range(-1, 2):
        first = here + row * _SQUARES
        place = np.searchsorted(square, first - 1)
        while place < square.size and square[place] <= first + 1:
            if _too_near(one, i, x, y, stems, order[place], summed):
                return False
            place += 1
    return True


@kernel
def _depth_at(x: float, y: float, rims: Rims) -> np.float32:
    """Return how deep the water is at the nearest sample; endless where none is known."""
    row = np.int64(y / rims.cell_size + 0.5) - rims.first_row
    column = np.int64(x / rims.cell_size + 0.5) - rims.first_column
    if row < 0 or column < 0 or row >= rims.depth.shape[0] or column >= rims.depth.shape[1]:
        return np.float32(np.inf)
    return rims.depth[row, column]


@kernel
def _choose(
    stems: _Stems,
    standing: _Stems,
    square: Array,
    order: Array,
    reach: float,
    rims: Rims,
    search: tuple[np.uint32, float],
    wanted: _Stems,
    wants: Array,
) -> None:
    """Let plants without a place choose the first free one of some within the largest radius, on their own block."""
    turn, farthest = search
    side = rims.blocks.side * rims.cell_size
    width, depth = (rims.blocks.columns - 1) * rims.cell_size, (rims.blocks.rows - 1) * rims.cell_size
    down, across = max(rims.blocks.rows // rims.blocks.side, 1), max(rims.blocks.columns // rims.blocks.side, 1)
    for i in range(stems.x.size):
        row, column = stems.block[i] // across, stems.block[i] % across
        west, south = column * side, row * side
        east, north = width if column == across - 1 else west + side, depth if row == down - 1 else south + side
        seed, deepest = _rank(stems.x[i], stems.y[i]), _depth_at(stems.x[i], stems.y[i], rims)
        for dart in range(_DARTS):
            x, y = stems.x[i], stems.y[i]
            if turn > np.uint32(0) or dart > 0:  # its old place may be free again
                around = farthest if dart % 2 else stems.room[i]
                bits = hash_place(np.int64(turn), dart, seed)
                x += around * (2.0 * np.float64(unit_float(bits)) - 1.0)
                y += around * (2.0 * np.float64(unit_float(hash_place(np.int64(turn), dart, bits ^ _ASIDE))) - 1.0)
            if x < west or y < south or x >= east or y >= north or _depth_at(x, y, rims) > deepest:
                continue
            if _is_free(stems, i, x, y, standing, square, order, reach, rims.summed):
                wanted.x[i], wanted.y[i], wants[i] = x, y, True
                break
