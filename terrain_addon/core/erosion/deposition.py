"""Deposition: rivers erode steep ground and deposit their load where they run gently: fans, valley floors, deltas.

The ξ–q law of Davy & Lague (2009): a river deposits its load over a length ξ that grows with its discharge per width.
With discharge Q ∝ A and width ∝ √Q (Leopold & Maddock 1953), ξ ∝ √A.  Deposits spread to the slope of a fan.  Along
a river that falls by S,

    dq/dx = E − g q / ξ
    E = k A^0.45 S,    ξ = settling_length · √(A / 1 km²),    g = max(1 − S / S_fan, 0)

with q the load, E the erosion, k such that the mean erosion is `supply`, and S_fan the slope of a fan.

Rivers keep their courses: while a river raises its bed, its floodplain rises with it.  Otherwise it would run on a
ridge of deposits and leave it, and which way it then takes depends on differences of millimetres: a preview and the
final land would have different rivers.

>>> from terrain_addon.core.foundation.progress import run
>>> foot = np.array([[0.0, 0.1, 0.2, 0.3, 20.0, 40.0]] * 5, np.float32)
>>> eroded = run(deposit_load(Terrain(foot, np.zeros_like(foot), 10.0), Deposition(settling_length=10.0)))
>>> print(eroded.terrain.sediment[2].round(2), round(eroded.balance.left, 1))
[0.25 0.5  0.66 0.85 0.   0.  ] 1813.5

References
----------
P. Davy and D. Lague (2009), "Fluvial erosion/transport equation of landscape evolution models revisited", Journal of
Geophysical Research 114, F03007, doi:10.1029/2008JF001146: the ξ–q law.

X. P. Yuan, J. Braun, L. Guerit, D. Rouby and G. Cordonnier (2019), "A new efficient method to solve the stream power
law model taking into account sediment deposition", Journal of Geophysical Research: Earth Surface 124, 1346-1365,
doi:10.1029/2018JF004867: erosion and deposition along the flow in O(cells).

J. Braun and S. D. Willett (2013), "A very efficient O(n), implicit and parallel method to solve the stream power
equation governing fluvial incision and landscape evolution", Geomorphology 180-181, 170-179,
doi:10.1016/j.geomorph.2012.10.008: the implicit step of the erosion.

L. B. Leopold and T. Maddock (1953), "The hydraulic geometry of stream channels and some physiographic implications",
USGS Professional Paper 252, doi:10.3133/pp252: the width of rivers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..direction.drawing import NOTHING_DRAWN, DrawnFeatures
from ..flow.drainage import catchments, drainage_area
from ..flow.inflows import Inflow, inlets_of
from ..flow.routing import Router, lowest_outlet
from ..foundation.compilation import Array, kernel
from ..foundation.elementary import exp, power_of
from ..foundation.neighbours import DISTANCE, flat_steps
from ..foundation.parameters import parameter, variant
from ..foundation.progress import Steps
from ..foundation.terrain import Field, Terrain
from ..maps.masks import MASKS
from .layers import heights_of, just_below, with_surface
from .mass_balance import Eroded, MassBalance
from .process import RAIN, Process, ProcessParameters
from .river_incision import Heights
from .stabilisation import settle

_ROUNDS = 4
# Exponent m of the drainage area in the erosion, and the area in m² for which the settling length is given.
_DRAINAGE_EXPONENT, _REFERENCE_AREA = 0.45, 1e6
# Slope that valley floors keep towards their rivers.
_LEAST_SLOPE = 1e-4
# How often the range is halved that holds the share of deposits that stays in the bed, and how often the rate of
# erosion is mended at most, until its error is less than a share of the supply.
_TRIALS = 10
_SUPPLY_ERROR, _LEAST = 1e-3, 1e-300
# Rivers that drain this share of the land keep their beds: this many times as steep as any other way down.
_SMALLEST_RIVER, _STEEPER = 1e-3, 1.01
# How deep in metres a river cuts into what it has just laid down, to keep its course.
_DEEPEST_CUT = 1.0


@dataclass(frozen=True)
class Deposition(ProcessParameters):
    """Rivers erode steep ground and deposit their load as fans and valley floors where they run gently."""

    supply: float = parameter(
        0.3,
        "Mean thickness of rock that rivers erode from the land; more than 1 m fills whole valleys",
        unit="m",
        limits=(0.0, 1000.0),
        soft=(0.0, 1.0),
    )
    settling_length: float = parameter(
        300.0,
        "How far a river that drains 1 km² carries its load on level ground: short makes steep fans, long fills plains",
        unit="m",
        limits=(0.01, 1e6),
        soft=(20.0, 5000.0),
    )
    fan_angle: float = parameter(
        2.0,
        "Slope of fans: a steeper river deposits nothing",
        unit="°",
        limits=(0.1, 45.0),
        soft=(0.5, 12.0),
    )
    rain: Any = variant(MASKS, "Where the full rain falls; elsewhere a tenth of it falls", advanced=True)


def deposit_load(
    terrain: Terrain,
    process: Deposition,
    *,
    rain: Field | None = None,
    sea_level: float | None = None,
    inflows: Sequence[Inflow] = (),
    drawing: DrawnFeatures = NOTHING_DRAWN,
) -> Steps[Eroded]:
    """Let rivers erode the land and deposit their load where they run gently.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : Deposition
        Supply of rock, settling length and fan angle.
    rain : ndarray of float32, shape (rows, columns), optional
        Multiple of the mean, 0 or more.
    sea_level : float, optional
        Metres; what reaches the sea leaves the land.
    inflows : sequence of Inflow
        Rivers that come from beyond the land, without a load.
    drawing : DrawnFeatures
        Where one of its lakes goes on beyond the border, no water leaves.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land after the rounds that are done.

    Returns
    -------
    Eroded
        Rivers remove sediment before bedrock, and what they deposit is sediment.  What they carry over the border or
        into the sea is `left` in the mass balance, which counts the heights in float64, before they are stored.

    Raises
    ------
    ValueError
        If `rain` has another shape than the land or is negative, or `sea_level` is not finite.
    """
    shape, lowest = terrain.bedrock.shape, lowest_outlet(sea_level)
    inlets = inlets_of(inflows, shape, terrain.cell_size, drawing.lakes_on_border(shape, terrain.cell_size))
    router = Router(shape, inlets=inlets)
    cell_area = terrain.cell_size**2
    distances = DISTANCE.astype(np.float64) * terrain.cell_size
    fan_slope = math.tan(math.radians(process.fan_angle))
    height = heights_of(terrain)
    removed, deposited, loose = (np.zeros(height.shape) for _ in range(3))
    before, left = float(height.sum()), 0.0
    router.route(height, lowest)
    routes = router.routes(terrain.cell_size)
    area = drainage_area(routes, rain, inlets)
    network = _Network(routes.receivers, routes.directions, routes.order, distances)
    power = power_of(area / _REFERENCE_AREA, _DRAINAGE_EXPONENT)  # Aᵐ
    lengths = process.settling_length * np.sqrt(area / _REFERENCE_AREA)  # ξ ∝ √A
    drains = height.ravel() > height.ravel()[routes.receivers]
    rivers = area.ravel() >= _SMALLEST_RIVER * height.size * cell_area
    del area
    _, catchment = np.unique(catchments(routes), return_inverse=True)
    del router, routes  # what is not needed any more makes room for what comes next
    valley = _Valley(drains, rivers, catchment.ravel(), flat_steps(height.shape[1]), fan_slope)
    for number in range(_ROUNDS):
        if (yield number / _ROUNDS):
            break
        _supply(process.supply / _ROUNDS * height.size, height.ravel(), network, power.ravel(), removed.ravel())
        height -= removed
        # Deposits of earlier rounds move with the new ones, except for what rivers have removed.
        loose -= removed
        np.maximum(loose, 0.0, out=loose)
        load = removed.ravel()
        left += float(_deposit(height.ravel(), network, lengths.ravel(), fan_slope, load, deposited.ravel()))
        bare = height - loose
        # Below deposits the floor is rounded down, elsewhere up: rounded down everywhere, all rock would be covered by
        # a very thin layer of sediment, and slide.
        floor = np.where(loose + deposited > 0.0, just_below(bare), -just_below(-bare))
        del bare
        left += _aggrade(height.ravel(), deposited.ravel(), network, lengths.ravel(), valley)
        # One pass over all scales does most of the spreading; the next round does the rest.
        next(settle(height, floor, terrain.cell_size, process.fan_angle), None)
        left += float(_keep_course(height.ravel(), height.ravel().copy(), floor.ravel(), network, valley))
        np.subtract(height, floor, out=loose)
        np.maximum(loose, 0.0, out=loose)
    left -= _follow_inside(height, heights_of(terrain), network.receivers)
    after = float(height.sum())
    balance = MassBalance(before * cell_area, after * cell_area, left=left * cell_area)
    return Eroded(with_surface(terrain, height), balance)


def _follow_inside(height: Heights, before: Heights, receivers: Array) -> float:
    """Move the border, where no water leaves, as far as the ground beside it.  Return the sum of the changes.

    The border is an outlet, which keeps its height.  So it would stand as a rim around land that erodes.
    """
    if min(height.shape) < 3:
        return 0.0
    moves = np.bincount(receivers, minlength=height.size).reshape(height.shape) == 1
    moves[1:-1, 1:-1] = False
    there = (before + np.pad((height - before)[1:-1, 1:-1], 1, mode="edge"))[moves]
    change = float((there - height[moves]).sum())
    height[moves] = there
    return change


class _Network(NamedTuple):
    """Where the water of each cell goes.

    Attributes
    ----------
    receivers : ndarray of int32, shape (cells,)
        The cell that each cell drains to; an outlet drains to itself.
    directions : ndarray of uint8, shape (cells,)
        Direction of the receiver.
    order : ndarray of int32, shape (cells,)
        Stack order: each cell comes after its receiver.
    distances : ndarray of float64, shape (8,)
        Metres to the neighbour in each direction.
    """

    receivers: Array
    directions: Array
    order: Array
    distances: Array


class _Valley(NamedTuple):
    """What keeps its shape while deposits fill it.

    Attributes
    ----------
    drains, rivers : ndarray of bool, shape (cells,)
        Cells that were higher than their receivers at first, and cells of rivers that keep their beds.
    catchment : ndarray of int64, shape (cells,)
        Number of the catchment of each cell, from 0.
    steps : ndarray of int64, shape (8,)
        What to add to the number of a cell to get its neighbour in each direction.
    fan_slope : float
        Tangent of the steepest slope of deposits.
    """

    drains: Array
    rivers: Array
    catchment: Array
    steps: Array
    fan_slope: float


def _supply(total: float, height: Array, network: _Network, power: Array, removed: Array) -> None:
    """Write what a step of erosion removes; secants find the rate at which that is `total` for all cells."""
    lowered = np.empty_like(height)
    known_rate = known = 0.0
    rate = total / max(float(_stream_power_sum(height, network, power)), _LEAST)
    for _ in range(_TRIALS):
        found = float(_erode(height, network, power, rate, lowered, removed))
        if abs(found - total) <= _SUPPLY_ERROR * total or found == known:
            break
        per_rate = (found - known) / (rate - known_rate)
        known_rate, known = rate, found
        rate = max(rate + (total - found) / per_rate, 0.1 * rate)


@kernel
def _stream_power_sum(height: Array, network: _Network, power: Array) -> float:
    """Return the sum of Aᵐ S over all cells that drain downhill."""
    receivers, directions, distances = network.receivers, network.directions, network.distances
    total = 0.0
    for cell in range(height.size):
        below = receivers[cell]
        if below != cell:
            total += power[cell] * max(height[cell] - height[below], 0.0) / distances[directions[cell]]
    return total


@kernel
def _erode(height: Array, network: _Network, power: Array, rate: float, lowered: Array, removed: Array) -> float:
    """Erode by rate · Aᵐ S in one implicit step, downstream first (Braun & Willett 2013).  Return what it removes."""
    receivers, directions, order, distances = network
    total = 0.0
    for cell in order:
        below = receivers[cell]
        lowered[cell] = height[cell]
        drop = height[cell] - lowered[below]
        if below != cell and drop > 0.0:
            lowered[cell] = lowered[below] + drop / (1.0 + rate * power[cell] / distances[directions[cell]])
        removed[cell] = height[cell] - lowered[cell]
        total += removed[cell]
    return total


@kernel
def _deposit(
    height: Array, network: _Network, lengths: Array, fan_slope: float, load: Array, deposited: Array
) -> float:
    """Carry the load downstream; below the slope of a fan a share of it settles.  Return what leaves the land."""
    receivers, directions, order, distances = network
    left = 0.0
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        deposited[cell] = 0.0
        if below == cell:
            left += load[cell]
            continue
        length = distances[directions[cell]]
        # 0 on a slope as steep as a fan, 1 on level ground.
        gentleness = 1.0 - max(height[cell] - height[below], 0.0) / (length * fan_slope)
        if gentleness > 0.0:
            # dq/dx = −q / ξ over the distance to the receiver
            deposited[cell] = load[cell] * (1.0 - exp(-gentleness * length / lengths[cell]))
        load[below] += load[cell] - deposited[cell]
    return left


def _aggrade(height: Array, deposited: Array, network: _Network, lengths: Array, valley: _Valley) -> float:
    """Lay deposits down so that all cells drain where they did.  Return what leaves the land, as a sum of heights.

    Floodplains rise with the beds of their rivers.  Otherwise rivers would run on ridges of deposits and leave them.
    So a share of the deposits stays in the bed, and the rest fills the floodplain: that share makes the volume right.
    """
    catchment = valley.catchment
    count = int(catchment.max()) + 1
    volumes = np.bincount(catchment, deposited, count)
    raised, laid = np.empty_like(height), np.empty(count)
    low, high = np.zeros(count), np.ones(count)
    for _ in range(_TRIALS):
        share = 0.5 * (low + high)
        _raise_valleys(height, deposited, share, network, valley, raised, laid)
        too_much = laid > volumes
        high[too_much], low[~too_much] = share[too_much], share[~too_much]
    _raise_valleys(height, deposited, low, network, valley, raised, laid)
    rest = volumes - laid
    # No bed becomes steeper than a fan: what has no room in it moves on, by the same law.
    load = np.maximum(height + low[catchment] * deposited - raised, 0.0)
    excess = np.bincount(catchment, load, count)
    height[:] = raised
    load *= np.divide(rest, excess, out=np.zeros(count), where=excess > 0.0)[catchment]
    left = float(rest[excess == 0.0].sum()) + float(
        _deposit(height, network, lengths, valley.fan_slope, load, deposited)
    )
    height += deposited
    return left


@kernel
def _raise_valleys(
    height: Array, deposited: Array, share: Array, network: _Network, valley: _Valley, raised: Array, laid: Array
) -> None:
    """Raise each cell by a share of its deposits, and to where it drains to its receiver; add up catchments."""
    receivers, directions, order, distances = network
    drains, fan_slope, catchment = valley.drains, valley.fan_slope, valley.catchment
    laid[:] = 0.0
    for cell in order:
        below = receivers[cell]
        before = raised[cell] = height[cell]
        if below != cell:
            length = distances[directions[cell]]
            steepest = raised[below] + fan_slope * length
            raised[cell] = max(min(before + share[catchment[cell]] * deposited[cell], steepest), before)
            if drains[cell]:
                raised[cell] = max(raised[cell], raised[below] + _LEAST_SLOPE * length)
        laid[catchment[cell]] += raised[cell] - before


@kernel
def _keep_course(height: Array, laid: Array, floor: Array, network: _Network, valley: _Valley) -> float:
    """Let rivers clear their beds of deposits where they would turn aside.  Return what they carry away.

    `laid` is the height before.
    """
    receivers, directions, order, distances = network
    steps, rivers = valley.steps, valley.rivers
    cleared = 0.0
    for place in range(order.size - 1, -1, -1):
        cell = order[place]
        below = receivers[cell]
        if below == cell or not rivers[cell]:
            continue
        steepest = _LEAST_SLOPE
        for k in range(8):
            # A river may join another one sooner.
            if not rivers[cell + steps[k]]:
                steepest = max(steepest, _STEEPER * (height[cell] - height[cell + steps[k]]) / distances[k])
        length = distances[directions[cell]]
        bed = max(height[cell] - steepest * length, floor[below])
        # A river that would have to cut deeper turns aside after all.
        bed = max(bed, laid[below] - _DEEPEST_CUT)
        if height[below] > bed:
            cleared += height[below] - bed
            height[below] = bed
    return cleared


DEPOSITION = Process(
    Deposition,
    deposit_load,
    exchanged=("left",),
    at_sea=True,
    fed=True,
    directed=True,
    factors=(RAIN,),
    layers=34,
)
