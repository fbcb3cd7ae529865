"""Rivers wash rock from steep ground and lay it down where they run gently: fans, valley floors, deltas.

The ξ–q law (Davy & Lague 2009): a river that no longer cuts loses its load over a length ξ that grows with its
discharge per width; with width ∝ √A (Leopold & Maddock 1953), ξ ∝ √A.  What is laid down spreads to the slope of a fan.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..flow.drainage import drainage_area
from ..flow.routing import Router, lowest_outlet
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp, power_of
from ..foundation.neighbours import DISTANCE
from ..foundation.parameters import ParameterSet, parameter, variant
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from ..maps.masks import MASKS
from .layers import heights_of, just_below, with_surface
from .mass_balance import Eroded, MassBalance
from .process import RAIN, Process
from .stabilisation import settle

_ROUNDS = 6
# Exponent on the drainage area of what rivers wash away, and the area for which the settling length is stated, in m².
_DRAINAGE_EXPONENT, _REFERENCE_AREA = 0.45, 1e6


@dataclass(frozen=True)
class Deposition(ParameterSet):
    """Rivers wash rock from steep ground and lay it down as fans and valley floors where they run gently."""

    enabled: bool = parameter(True, "Whether this process takes part")
    supply: float = parameter(
        0.3,
        "Thickness of rock that rivers wash from the land, on the average; with more than 1 m valleys drown in it",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 1.0),
    )
    settling_length: float = parameter(
        300.0,
        "How far a river from 1 km² carries its load over level ground: short builds steep fans, long fills plains",
        unit="m",
        limits=(0.01, 1e6),
        soft=(20.0, 5000.0),
    )
    fan_angle: float = parameter(
        2.0,
        "Slope of fans: a river that is steeper lays nothing down",
        unit="°",
        limits=(0.1, 45.0),
        soft=(0.5, 12.0),
    )
    rain: Any = variant(MASKS, "Where it rains in full; elsewhere there is a tenth of it", advanced=True)


def deposit_load(
    terrain: Terrain, process: Deposition, *, rain: Field | None = None, sea_level: float | None = None
) -> Steps[Eroded]:
    """Let rivers wash rock away and lay it down where they run gently.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : Deposition
        How much, how far and how steep.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean, 0 or more.
    sea_level : float, optional
        Metres; what reaches it is gone.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land after the rounds that are done.

    Returns
    -------
    Eroded
        What is washed away is taken from the sediment first; what is laid down is sediment.  What rivers still carry at
        the border or in the sea has left.  The books are those of the heights in float64, before they are stored.

    Raises
    ------
    ValueError
        If `rain` has another shape than the land or is negative, or `sea_level` is not finite.
    """
    router, lowest = Router(terrain.bedrock.shape), lowest_outlet(sea_level)
    cell_area = terrain.cell_size**2
    distance = DISTANCE.astype(np.float64) * terrain.cell_size
    fan_slope = math.tan(math.radians(process.fan_angle))
    height = heights_of(terrain)
    removed, laid, loose = np.empty(height.shape), np.empty(height.shape), np.zeros(height.shape)
    before, left = float(height.sum()), 0.0
    for number in range(_ROUNDS):
        if (yield number / _ROUNDS):
            break
        router.route(height, lowest)
        routes = router.routes(terrain.cell_size)
        area = drainage_area(routes, rain)
        path = routes.receivers, routes.directions
        power = power_of(area / _REFERENCE_AREA, _DRAINAGE_EXPONENT)
        washed = float(_slope_sum(height.ravel(), *path, power.ravel(), distance))
        rate = process.supply / _ROUNDS * height.size / washed if washed > 0.0 else 0.0
        _wash(height.ravel(), *path, router.order, power.ravel(), rate, distance, removed.ravel())
        load = removed.copy()
        lengths = process.settling_length * np.sqrt(area / _REFERENCE_AREA)
        left += float(
            _carry(
                height.ravel(), *path, router.order, lengths.ravel(), fan_slope, distance, load.ravel(), laid.ravel()
            )
        )
        # What was laid down before moves on with the rest, but what rivers have cut away of it is gone.
        loose -= removed
        np.maximum(loose, 0.0, out=loose)
        bare = height - loose
        # Rounded down everywhere, all rock would lie loose by a hair, and slide.
        floor = np.where(loose + laid > 0.0, just_below(bare), -just_below(-bare))
        height += laid
        # One go over all scales does most of the spreading; the next round does the rest.
        next(settle(height, floor, terrain.cell_size, process.fan_angle), None)
        np.subtract(height, floor, out=loose)
        np.maximum(loose, 0.0, out=loose)
    after = float(height.sum())
    balance = MassBalance(before * cell_area, after * cell_area, left=left * cell_area)
    return Eroded(with_surface(terrain, height), balance)


@kernel
def _slope_sum(height: Array, receivers: Array, directions: Array, power: Array, distance: Array) -> float:
    """Sum of Aᵐ S over all cells that drain downhill."""
    total = 0.0
    for cell in range(height.size):
        below = receivers[cell]
        if below != cell:
            total += power[cell] * max(height[cell] - height[below], 0.0) / distance[directions[cell]]
    return total


@kernel
def _wash(
    height: Array,
    receivers: Array,
    directions: Array,
    order: Array,
    power: Array,
    rate: float,
    distance: Array,
    removed: Array,
) -> None:
    """Cut by rate · Aᵐ S, implicitly, downstream first (Braun & Willett 2013)."""
    for cell in order:
        below = receivers[cell]
        drop = height[cell] - height[below]
        removed[cell] = 0.0
        if below != cell and drop > 0.0:
            conductance = rate * power[cell] / distance[directions[cell]]
            after = drop / (1.0 + conductance)
            height[cell] = height[below] + after
            removed[cell] = drop - after


@kernel
def _carry(
    height: Array,
    receivers: Array,
    directions: Array,
    order: Array,
    lengths: Array,
    fan_slope: float,
    distance: Array,
    load: Array,
    laid: Array,
) -> float:
    """Carry the load downstream; below the slope of a fan a part of it settles.  Return what leaves."""
    left = 0.0
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        laid[cell] = 0.0
        if below == cell:
            left += load[cell]
            continue
        length = distance[directions[cell]]
        gentle = 1.0 - max(height[cell] - height[below], 0.0) / (length * fan_slope)
        if gentle > 0.0:
            laid[cell] = load[cell] * (1.0 - exp(-gentle * length / lengths[cell]))
        load[below] += load[cell] - laid[cell]
    return left


DEPOSITION = Process(Deposition, deposit_load, exchanged=("left",), at_sea=True, factors=(RAIN,))
