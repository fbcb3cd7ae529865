"""The minimum spanning forest of a graph (Kruskal 1956).

References
----------
Kruskal, J. B. (1956). On the shortest spanning subtree of a graph and the traveling salesman problem. Proceedings of
the American Mathematical Society, 7(1), 48–50. doi:10.1090/S0002-9939-1956-0078686-7
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel


def find_spanning_forest(one: Array, two: Array, order: Array, nodes: int) -> npt.NDArray[np.int64]:
    """Return the edges of the minimum spanning forest.

    Parameters
    ----------
    one, two : ndarray of int, shape (edges,)
        Nodes that each edge joins, 0 to below `nodes`.
    order : ndarray of int64, shape (edges,)
        The edges from the first to the last that may be chosen, such as the lowest pass first.
    nodes : int
        How many nodes there are.

    Returns
    -------
    ndarray of int64, shape (chosen,)
        The edges of the forest, in the order in which they are chosen.

    References
    ----------
    Kruskal, J. B. (1956). On the shortest spanning subtree of a graph and the traveling salesman problem. Proceedings
    of the American Mathematical Society, 7(1), 48–50. doi:10.1090/S0002-9939-1956-0078686-7

    Examples
    --------
    A triangle: its last edge would close a circle.

    >>> find_spanning_forest(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([1, 0, 2]), 3).tolist()
    [1, 0]
    """
    chosen = np.empty(order.size, np.int64)
    count = _choose(one, two, order, np.arange(nodes, dtype=np.int32), chosen)
    return chosen[:count]


@kernel
def _choose(one: Array, two: Array, order: Array, group: Array, chosen: Array) -> int:
    """Take each edge that joins two groups."""
    count = 0
    for edge in order:
        a, b = one[edge], two[edge]
        while group[a] != a:
            group[a] = group[group[a]]
            a = group[a]
        while group[b] != b:
            group[b] = group[group[b]]
            b = group[b]
        if a != b:
            group[max(a, b)] = min(a, b)
            chosen[count] = edge
            count += 1
    return count
