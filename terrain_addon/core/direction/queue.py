"""A priority queue for kernels: the cheapest item comes out first, of equal ones that with the lowest number.

It lies in two arrays that the caller makes: costs, and items, whose entry 0 holds how many there are.
"""

from ..foundation.compilation import Array, kernel


@kernel
def push(costs: Array, items: Array, cost: float, item: int) -> None:
    """Put an item into the queue.

    Parameters
    ----------
    costs : ndarray of float64, shape (size + 1,)
        Costs by place.
    items : ndarray of int64, shape (size + 1,)
        Items by place; entry 0 is their number.
    cost : float
        What it costs.
    item : int
        What is put in, 0 or more.
    """
    items[0] += 1
    place = items[0]
    while place > 1:
        above = place >> 1
        if costs[above] < cost or (costs[above] == cost and items[above] <= item):
            break
        costs[place], items[place] = costs[above], items[above]
        place = above
    costs[place], items[place] = cost, item


@kernel
def pop(costs: Array, items: Array) -> int:
    """Take the item with the lowest cost out of the queue.

    Parameters
    ----------
    costs, items : ndarray
        As for `push`, with one item or more; the cost of the item is left in ``costs[0]``.

    Returns
    -------
    int
        The item.
    """
    best = items[1]
    costs[0] = costs[1]
    last = items[0]
    cost, item = costs[last], items[last]
    items[0] = last - 1
    place = 1
    while 2 * place < last:
        below = 2 * place
        if below + 1 < last and (
            costs[below + 1] < costs[below] or (costs[below + 1] == costs[below] and items[below + 1] < items[below])
        ):
            below += 1
        if cost < costs[below] or (cost == costs[below] and item <= items[below]):
            break
        costs[place], items[place] = costs[below], items[below]
        place = below
    costs[place], items[place] = cost, item
    return best
