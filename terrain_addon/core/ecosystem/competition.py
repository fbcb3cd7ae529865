"""Competition: how much of its ground and light a plant has for itself, by zones of influence.

A plant draws on a disc as wide as its crown.  Where two discs overlap, both want the same: in symmetric competition
they share it evenly, in asymmetric competition the taller takes all of it (Weiner et al. 2001).  What several
neighbours leave is taken as if their overlaps lay at random: the product of what each leaves,

    share = Π (1 − strength · (a (1 − tolerance) [taller] + ½ (1 − a)) · overlap)

over the neighbours, with a the asymmetry, tolerance that of the plant for shade, [taller] 1 for a neighbour that is
taller and 0 for others, and overlap the part of its disc that the neighbour covers.

Plants are sorted into classes of size, each half as wide as the one before, with a grid of its own: a seedling then
finds the few large crowns over it, and an oak the many small plants under it, without looking at the whole land.

References
----------
Weiner, J., Stoll, P., Muller-Landau, H. & Jasentuliyana, A. (2001).  The effects of density, spatial pattern, and
competitive symmetry on size variation in simulated plant populations.  The American Naturalist 158(4), 438-450.
doi:10.1086/321988
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion

_MOST_CLASSES = 10
# Seedlings that one thread has looked at before it could hand some to another.
_TOO_FEW_TO_SHARE = 200


# Columns of a table of plants.
_X, _Y, _RADIUS, _HEIGHT = range(4)


# Columns of the table of classes: where the cells of a class begin, size of its grid, cells per metre, the largest
# radius that it can hold and the greatest height that it holds.
_FIRST, _ROWS, _COLUMNS, _PER_METRE, _WIDEST, _TALLEST = range(6)


class SizeClasses(NamedTuple):
    """Plants sorted by size and place.

    Attributes
    ----------
    order : ndarray of int64, shape (plants,)
        Which plant stands at each position of the sorted list.
    plants : ndarray of float32, shape (plants, 4)
        Sorted: x, y, radius, height in metres.
    start : ndarray of int64, shape (cells + 1,)
        Where each cell begins in the sorted list.
    classes : ndarray of float64, shape (classes, 6)
        First cell, rows, columns, cells per metre, widest radius, tallest height.
    """

    order: Array
    plants: Array
    start: Array
    classes: Array


def sort_by_size(x: Array, y: Array, radius: Array, height: Array, width: float, depth: float) -> SizeClasses:
    """Sort plants so that those of a size that stand near one another are neighbours in the list.

    Parameters
    ----------
    x, y, radius, height : ndarray of float32, shape (plants,)
        Metres; places lie within the land.
    width, depth : float
        Size of the land in metres.

    Returns
    -------
    SizeClasses
    """
    widest = float(radius.max()) if radius.size else 1.0
    # More cells than plants would only cost memory.
    finest = math.sqrt(width * depth / max(radius.size, 1))
    count = min(max(int(math.log2(max(2.0 * widest / finest, 1.0))) + 1, 1), _MOST_CLASSES)
    classes = np.zeros((count, 6))
    first = 0
    for k in range(count):
        reach = widest * 0.5**k
        cell = max(2.0 * reach, finest)
        rows, columns = int(depth / cell) + 1, int(width / cell) + 1
        classes[k] = first, rows, columns, 1.0 / cell, reach, 0.0
        first += rows * columns
    order, start = np.empty(x.size, np.int64), np.zeros(first + 1, np.int64)
    sizes = SizeClasses(order, np.empty((x.size, 4), np.float32), start, classes)
    _sort(x, y, radius, height, np.empty(x.size, np.int64), sizes)
    return sizes


def measure_shares(sizes: SizeClasses, tolerance: Array, asymmetry: float, strength: float) -> Array:
    """Return how much each plant has for itself of what its disc holds.

    Parameters
    ----------
    sizes : SizeClasses
        The plants, sorted.
    tolerance : ndarray of float32, shape (plants,)
        Share of the shade that does not hold a plant back, in the order before sorting.
    asymmetry : float
        0: neighbours share evenly, 1: the taller takes all.
    strength : float
        Share of the overlap that counts; 0 switches competition off.

    Returns
    -------
    ndarray of float32, shape (plants,)
        0 to 1, in the order before sorting.
    """
    shares = np.empty(sizes.order.size, np.float32)
    _share(sizes.plants, tolerance[sizes.order], sizes, asymmetry, strength, True, shares)
    result = np.empty_like(shares)
    result[sizes.order] = shares
    return result


def shares_of_seedlings(
    seedlings: Array, tolerance: Array, sizes: SizeClasses, asymmetry: float, strength: float
) -> Array:
    """Return how much plants that are yet to come up would have for themselves.

    Parameters
    ----------
    seedlings : ndarray of float32, shape (seedlings, 4)
        x, y, radius, height in metres.
    tolerance : ndarray of float32, shape (seedlings,)
        Share of the shade that does not hold a seedling back.
    sizes : SizeClasses
        Who is there already.
    asymmetry, strength : float
        As for `measure_shares`.

    Returns
    -------
    ndarray of float32, shape (seedlings,)
    """
    shares = np.empty(tolerance.size, np.float32)
    measure = _share.alone if tolerance.size < _TOO_FEW_TO_SHARE else _share
    measure(seedlings, tolerance, sizes, asymmetry, strength, False, shares)
    return shares


@kernel
def overlap_of_smaller(distance: float, one: float, other: float) -> float:
    """Return the share of the smaller of two discs that the other covers.

    Within 0.025 of the exact lens, without its two inverse cosines: the cases of equal discs and of a straight edge are
    fitted by powers and mixed by the ratio of the radii.

    Parameters
    ----------
    distance : float
        Between the centres, in metres.
    one, other : float
        Radii in metres, above 0.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> overlap_of_smaller(3.0, 1.0, 2.0), overlap_of_smaller(0.5, 1.0, 2.0)
    (0.0, 1.0)
    """
    small, large = min(one, other), max(one, other)
    t = (one + other - distance) / (2.0 * small)
    if t <= 0.0:
        return 0.0
    if t >= 1.0:
        return 1.0
    equal = t * math.sqrt(t) * (1.2 - 0.2 * t)
    s = min(t, 1.0 - t)
    edge = s * math.sqrt(s) * (1.7 - 0.578 * s)
    if t > 0.5:
        edge = 1.0 - edge
    ratio = small / large
    return ratio * equal + (1.0 - ratio) * edge


@kernel
def _sort(x: Array, y: Array, radius: Array, height: Array, cell: Array, sizes: SizeClasses) -> None:
    """Sort plants by class and cell, by counting; `cell` is room to work in."""
    order, plants, start, classes = sizes
    last = classes.shape[0] - 1
    for p in range(x.size):
        k, reach = 0, 0.5 * classes[0, _WIDEST]
        while k < last and radius[p] <= reach:
            k += 1
            reach *= 0.5
        row, column = int(y[p] * classes[k, _PER_METRE]), int(x[p] * classes[k, _PER_METRE])
        cell[p] = int(classes[k, _FIRST]) + row * int(classes[k, _COLUMNS]) + column
        start[cell[p] + 1] += 1
        classes[k, _TALLEST] = max(classes[k, _TALLEST], height[p])
    for c in range(1, start.size):
        start[c] += start[c - 1]
    for p in range(x.size):
        place = start[cell[p]]
        start[cell[p]] += 1
        order[place] = p
        plants[place, _X], plants[place, _Y] = x[p], y[p]
        plants[place, _RADIUS], plants[place, _HEIGHT] = radius[p], height[p]
    # Listing moved the beginning of each cell to its end, which is the beginning of the next.
    for c in range(start.size - 1, 0, -1):
        start[c] = start[c - 1]
    start[0] = 0


@parallel_kernel
def _share(
    part: Part,
    asking: Array,
    tolerance: Array,
    sizes: SizeClasses,
    asymmetry: float,
    strength: float,
    listed: bool,
    shares: Array,
) -> None:
    """Write what neighbours leave each plant that asks; `listed` says that those who ask are the sorted plants."""
    plants, start, classes = sizes.plants, sizes.start, sizes.classes
    even = 0.5 * (1.0 - asymmetry) * strength
    for p in portion(part, asking.shape[0]):
        x, y, radius, height = asking[p, _X], asking[p, _Y], asking[p, _RADIUS], asking[p, _HEIGHT]
        shaded = asymmetry * strength * (1.0 - tolerance[p])
        share = 1.0
        for k in range(classes.shape[0]):
            # Whoever takes nothing from this plant need not be looked at.
            if even == 0.0 and classes[k, _TALLEST] < height:
                continue
            per_metre, columns = classes[k, _PER_METRE], int(classes[k, _COLUMNS])
            reach = radius + classes[k, _WIDEST]
            first_row = max(int((y - reach) * per_metre), 0)
            last_row = min(int((y + reach) * per_metre), int(classes[k, _ROWS]) - 1)
            first_column = max(int((x - reach) * per_metre), 0)
            last_column = min(int((x + reach) * per_metre), columns - 1)
            for row in range(first_row, last_row + 1):
                begin = int(classes[k, _FIRST]) + row * columns
                for q in range(start[begin + first_column], start[begin + last_column + 1]):
                    dx, dy, both = plants[q, _X] - x, plants[q, _Y] - y, plants[q, _RADIUS] + radius
                    squared = dx * dx + dy * dy
                    if squared >= both * both or (listed and q == p):
                        continue
                    loss = even
                    if plants[q, _HEIGHT] > height or (listed and plants[q, _HEIGHT] == height and q < p):
                        loss += shaded
                    if loss > 0.0:
                        small = min(plants[q, _RADIUS], radius) / radius
                        covered = overlap_of_smaller(math.sqrt(squared), radius, plants[q, _RADIUS]) * small * small
                        share *= 1.0 - loss * covered
        shares[p] = share
