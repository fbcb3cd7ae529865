"""The measures of cellular noise: distances to scattered points, and how large they can be.

`noise_lines` evaluates the noise; `oracle.cellular_noise` is the plain definition that it is tested against.

References
----------
Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
"""

import math

import numpy as np

from ..foundation.compilation import Bits, kernel
from ..foundation.hashing import mix
from ..foundation.parameters import Named
from .lattice import go_round

METRICS = {
    "euclidean": "In a straight line: rounded cells",
    "manhattan": "Along the axes: diamonds and steps",
    "chebyshev": "The longer of the two distances along the axes: squares",
}
"""Ways to measure distance.  Kernels take the position of one in this order."""

FEATURES = {
    "f1": Named("Nearest Point", "Distance to the nearest point: pits around points"),
    "f2": Named("Second Nearest Point", "Distance to the second nearest point: rounder, overlapping pits"),
    "f2_minus_f1": Named("Difference", "Difference of the two: plates with valleys between them"),
}
"""Which distance counts.  Kernels take the position of one in this order."""

EUCLIDEAN, _MANHATTAN = 0, 1
F1, F2 = 0, 1
"""Positions in `FEATURES`; anything else is the difference of the two."""

RINGS = 3
"""Rings of cells around a point's own that can hold one of its two nearest points: no F2 exceeds 3 cells."""

HALF_UNIT = 1.0 / 65536.0
"""Turns 16 bits, half of a hash, into a place within a cell, in [0, 1)."""

# Greatest possible (F1, F2) in cells.  One point lies in every cell, so F1 is at most the diagonal of a cell, and F2 is
# at most the way to the far corner of the second cell.
_LIMITS = {"euclidean": (math.sqrt(2.0), math.sqrt(2.5)), "manhattan": (2.0, 2.0), "chebyshev": (1.0, 1.5)}


def cellular_limit(feature: str, metric: str) -> float:
    """Return the greatest value that cellular noise can take.

    Parameters
    ----------
    feature : str
        A key of `FEATURES`.
    metric : str
        A key of `METRICS`.

    Returns
    -------
    float
        In cells.

    Raises
    ------
    ValueError
        If the feature or the metric is unknown.

    Examples
    --------
    >>> cellular_limit("f2", "chebyshev")
    1.5
    """
    if feature not in FEATURES:
        raise ValueError(f"feature = {feature!r} is none of: {', '.join(FEATURES)}")
    if metric not in METRICS:
        raise ValueError(f"metric = {metric!r} is none of: {', '.join(METRICS)}")
    first, second = _LIMITS[metric]
    # The difference is greatest on top of a point.
    return first if feature == "f1" else second


@kernel
def place_in_cell(bits: Bits, moment: float) -> tuple[np.float32, np.float32]:
    """Return where the point of a cell lies, which moves in straight lines and turns round at the borders.

    Parameters
    ----------
    bits : numpy.uint32
        Hash of the cell.
    moment : float
        Time since the start.

    Returns
    -------
    pair of numpy.float32
        East and north of the cell's corner, in cells, 0 to 1.
    """
    half = 0.5 * HALF_UNIT
    own = mix(bits)
    east = go_round(np.float64(bits & np.uint32(0xFFFF)) * half, own, moment)
    north = go_round(np.float64(bits >> np.uint32(16)) * half, mix(own), moment)
    return np.float32(1.0 - abs(2.0 * east - 1.0)), np.float32(1.0 - abs(2.0 * north - 1.0))


@kernel
def comparable_distance(dx: float, dy: float, metric: int) -> float:
    """Return the length of a step, or its square if it is Euclidean: both have the same order, and squares are faster.

    Parameters
    ----------
    dx, dy : float
        The step, in cells.
    metric : int
        Position in `METRICS`.

    Returns
    -------
    float
        In cells, or in square cells.
    """
    if metric == EUCLIDEAN:
        return dx * dx + dy * dy
    if metric == _MANHATTAN:
        return abs(dx) + abs(dy)
    return max(abs(dx), abs(dy))
