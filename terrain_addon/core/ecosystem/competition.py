"""Competition: how much of its ground and light a plant has for itself, by zones of influence.

A plant draws on a disc as wide as its crown.  Where two discs overlap, both want the same: in symmetric competition
they share it evenly, in asymmetric competition the taller takes all of it (Weiner, Stoll, Muller-Landau & Jasentuliyana
2001).  What several neighbours leave is taken as if their overlaps lay at random: the product of what each leaves.

Plants are sorted into classes of size, each half as wide as the one before, with a grid of its own: a seedling then
finds the few large crowns over it, and an oak the many small plants under it, without looking at the whole land.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion

_MOST_CLASSES = 10


@dataclass(frozen=True)
class SizeClasses:
    """Plants sorted by size and place.

    Attributes
    ----------
    order : ndarray of int64, shape (plants,)
        Which plant stands at each position of the sorted list.
    plants : ndarray of float32, shape (plants, 4)
        Sorted: x, y, radius, height in metres.
    start : ndarray of int64
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
    plants = np.empty((x.size, 4), np.float32)
    _sort(x, y, radius, height, widest, classes, np.empty(x.size, np.int64), order, plants, start)
    return SizeClasses(order, plants, start, classes)


def measure_shares(sorted_plants: SizeClasses, tolerance: Array, asymmetry: float, strength: float) -> Array:
    """Return how much each plant has for itself of what its disc holds.

    Parameters
    ----------
    sorted_plants : SizeClasses
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
    here = sorted_plants
    shares = np.empty(here.order.size, np.float32)
    tolerant = tolerance[here.order]
    _share(here.plants, tolerant, here.plants, here.start, here.classes, asymmetry, strength, True, shares)
    result = np.empty_like(shares)
    result[here.order] = shares
    return result


def shares_of_seedlings(
    seedlings: Array, tolerance: Array, sorted_plants: SizeClasses, asymmetry: float, strength: float
) -> Array:
    """Return how much plants that are yet to come up would have for themselves.

    Parameters
    ----------
    seedlings : ndarray of float32, shape (seedlings, 4)
        x, y, radius, height in metres.
    tolerance : ndarray of float32, shape (seedlings,)
    sorted_plants : SizeClasses
        Who is there already.
    asymmetry, strength : float
        As for `measure_shares`.

    Returns
    -------
    ndarray of float32, shape (seedlings,)
    """
    shares = np.empty(tolerance.size, np.float32)
    here = sorted_plants
    _share(seedlings, tolerance, here.plants, here.start, here.classes, asymmetry, strength, False, shares)
    return shares


@kernel
def overlap_of_smaller(distance: float, one: float, other: float) -> float:
    """Share of the smaller of two discs that the other covers, given the distance of their centres and their radii.

    Within 0.025 of the exact lens, without its two inverse cosines: the cases of equal discs and of a straight edge are
    fitted by powers and mixed by the ratio of the radii.
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
def _sort(
    x: Array,
    y: Array,
    radius: Array,
    height: Array,
    widest: float,
    classes: Array,
    cell: Array,
    order: Array,
    plants: Array,
    start: Array,
) -> None:
    last = classes.shape[0] - 1
    for p in range(x.size):
        k, reach = 0, 0.5 * widest
        while k < last and radius[p] <= reach:
            k += 1
            reach *= 0.5
        row, column = int(y[p] * classes[k, 3]), int(x[p] * classes[k, 3])
        cell[p] = int(classes[k, 0]) + row * int(classes[k, 2]) + column
        start[cell[p] + 1] += 1
        classes[k, 5] = max(classes[k, 5], height[p])
    for c in range(1, start.size):
        start[c] += start[c - 1]
    for p in range(x.size):
        place = start[cell[p]]
        start[cell[p]] += 1
        order[place] = p
        plants[place, 0], plants[place, 1], plants[place, 2], plants[place, 3] = x[p], y[p], radius[p], height[p]
    # Listing moved the beginning of each cell to its end, which is the beginning of the next.
    for c in range(start.size - 1, 0, -1):
        start[c] = start[c - 1]
    start[0] = 0


@parallel_kernel
def _share(
    part: Part,
    asking: Array,
    tolerance: Array,
    plants: Array,
    start: Array,
    classes: Array,
    asymmetry: float,
    strength: float,
    listed: bool,
    shares: Array,
) -> None:
    even = 0.5 * (1.0 - asymmetry) * strength
    for p in portion(part, asking.shape[0]):
        x, y, radius, height = asking[p, 0], asking[p, 1], asking[p, 2], asking[p, 3]
        shaded = asymmetry * strength * (1.0 - tolerance[p])
        share = 1.0
        for k in range(classes.shape[0]):
            # Whoever takes nothing from this plant need not be looked at.
            if even == 0.0 and classes[k, 5] < height:
                continue
            per_metre, columns = classes[k, 3], int(classes[k, 2])
            reach = radius + classes[k, 4]
            first_row = max(int((y - reach) * per_metre), 0)
            last_row = min(int((y + reach) * per_metre), int(classes[k, 1]) - 1)
            first_column = max(int((x - reach) * per_metre), 0)
            last_column = min(int((x + reach) * per_metre), columns - 1)
            for row in range(first_row, last_row + 1):
                begin = int(classes[k, 0]) + row * columns
                for q in range(start[begin + first_column], start[begin + last_column + 1]):
                    dx, dy, both = plants[q, 0] - x, plants[q, 1] - y, plants[q, 2] + radius
                    squared = dx * dx + dy * dy
                    if squared >= both * both or (listed and q == p):
                        continue
                    loss = even
                    if plants[q, 3] > height or (listed and plants[q, 3] == height and q < p):
                        loss += shaded
                    if loss > 0.0:
                        small = min(plants[q, 2], radius) / radius
                        covered = overlap_of_smaller(math.sqrt(squared), radius, plants[q, 2]) * small * small
                        share *= 1.0 - loss * covered
        shares[p] = share
