"""The search for a road: the cheapest chain of places over a land, with bridges and tunnels no longer than allowed.

>>> level = np.zeros((33, 33), np.float32)
>>> ways = search_way(RoadNodes(level, level, 20.0), Road(), [(2.0, 2.0), (30.0, 2.0)], Limits(200.0, 500.0, 2.0))
>>> ways[0][0], ways[0][-1]
((2.0, 2.0), (30.0, 2.0))

References
----------
E. Galin, A. Peytavie, N. Maréchal and E. Guérin (2010), "Procedural generation of roads", Computer Graphics Forum
29(2), 429-438, doi:10.1111/j.1467-8659.2009.01612.x: least cost over a wide neighbourhood of a grid, with the direction
in the state, and bridges and tunnels as long steps.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.terrain import Field
from ..maps.water_distance import measure_distance
from .features import Road
from .queue import pop, push

DEEPEST_FILL, DEEPEST_CUT = 8.0, 14.0
"""Metres: deeper fills become bridges, deeper cuts tunnels."""

# Steps from a node: (x, y) without a common divisor, at most 3 long, by angle; 32 directions.
_STEPS = sorted(
    ((x, y) for x in range(-3, 4) for y in range(-3, 4) if math.gcd(x, y) == 1),
    key=lambda step: (
        step[1] < 0 or (step[1] == 0 and step[0] < 0),
        -step[0] / math.sqrt(step[0] ** 2 + step[1] ** 2)
        if step[1] > 0 or (step[1] == 0 and step[0] > 0)
        else step[0] / math.sqrt(step[0] ** 2 + step[1] ** 2),
    ),
)
# The road turns by at most so many of the 32 directions from one step to the next.
_MOST_TURN = 5
# Costs as multiples of the length: of the steepest grade, of each metre of height beyond it, of each metre that has to
# be cut or filled, of bridges and tunnels, of the sharpest turn.
_GRADE, _BEYOND, _EARTH, _BRIDGE, _TUNNEL, _TURN = 1.5, 40.0, 0.3, 5.0, 4.0, 0.6
# Metres of road that a bridge or tunnel costs, however short.
_STRUCTURE = 100.0
# A place with more water than this share is wet.
_WET = 0.25
# So much more than the cheapest way without bends is looked at behind the start.
_WIDER = 1.1
# Metres of road to which ways that reach a stop in other directions may cost more than the cheapest.
_MOST_MORE = 400.0


class RoadNodes(NamedTuple):
    """The grid on which a way is searched.

    Parameters
    ----------
    heights, wet : ndarray of float32, shape (rows, columns)
        Metres, and the share of water.
    spacing : float
        Metres.
    """

    heights: Field
    wet: Field
    spacing: float


class Limits(NamedTuple):
    """Longest bridge and tunnel, and by how much a step on the ground may rise beyond the grade, in metres."""

    bridge: float
    tunnel: float
    slack: float


def search_way(
    places: RoadNodes, road: Road, stops: Sequence[tuple[float, float]], limits: Limits
) -> list[list[tuple[float, float]]] | None:
    """Return the cheapest chain of nodes between each two stops.

    Parameters
    ----------
    places : RoadNodes
        The land.
    road : Road
        Grade and radius.
    stops : sequence of (x, y)
        In units of the spacing.
    limits : Limits
        What no step may exceed.

    Returns
    -------
    list of list of (x, y), or None
        One chain for each leg; the road does not turn more sharply at a stop than elsewhere, so it may make a loop
        there.  None if there is no way.
    """
    heights = places.heights
    rows, columns = heights.shape
    nodes = [(min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)) for x, y in stops]
    states = rows * columns * len(_STEPS)
    room = 4 * states
    rule = _rule_of(road, places.spacing, limits)
    short = _ShortSteps(np.empty((heights.size, len(_STEPS))), np.empty((heights.size, len(_STEPS)), np.bool_))
    _weigh_short_steps(heights, places.wet, rule, *short)
    arrival, legs = np.zeros(len(_STEPS)), []
    for start, goal in pairwise(nodes):
        came_from = np.full(states, -1, np.int32)
        if start != goal:
            costs, items, bound = np.empty(room), np.zeros(room, np.int64), np.full(heights.size, np.inf)
            ends = (start[0] * columns + start[1], goal[0] * columns + goal[1])
            _find_bounds(heights, places.wet, rule, short, ends, costs, items, bound)
            if bound[ends[0]] == np.inf:
                return None
            items[0] = 0
            queue = _Queue(costs, items, np.full(states, np.float32(np.inf)), came_from, bound)
            begin, arrival = arrival - arrival.min(), np.full(len(_STEPS), np.inf)
            _find_cheapest(heights, places.wet, rule, short, ends, queue, begin, arrival)
            if not np.isfinite(arrival.min()):
                return None
        legs.append((start, goal, came_from))
    return _traced(legs, int(arrival.argmin()), columns)


def _rule_of(road: Road, spacing: float, limits: Limits) -> "_Rule":
    """How steps of a road may be made."""
    return _Rule(
        np.array(_STEPS, np.int64),
        _turn_costs(road.least_radius / spacing),
        spacing,
        0.01 * road.steepest_grade,
        limits.bridge,
        limits.tunnel,
        limits.slack,
        _MOST_MORE + 8.0 * road.least_radius,
    )


def lies_beyond_water(places: RoadNodes, stops: Sequence[tuple[float, float]], longest_bridge: float) -> bool:
    """Return whether no chain of bridges up to a length can lead from stop to stop, so that a search is in vain.

    Parameters
    ----------
    places : RoadNodes
        The land.
    stops : sequence of (x, y)
        In units of the spacing.
    longest_bridge : float
        Metres.

    Returns
    -------
    bool
        False also where only the height of the land could be in the way.
    """
    dry = places.wet <= _WET
    rows, columns = dry.shape
    nodes = [(min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)) for x, y in stops]
    for node in nodes:
        dry[node] = True
    if dry.all():
        return False
    # Shores that a bridge can join are so close that their surroundings touch; its ends may lie a node further inland.
    open_way = measure_distance(dry, places.spacing) <= 0.5 * longest_bridge + 2.0 * places.spacing
    reached = np.zeros_like(open_way)
    reached[nodes[0]] = True
    count = 0
    while count < (count := int(reached.sum())):
        for _ in range(2):
            wider = reached.copy()
            wider[1:] |= reached[:-1]
            wider[:-1] |= reached[1:]
            reached, open_way = (wider & open_way).T, open_way.T
    return not all(reached[node] for node in nodes)


def _traced(
    legs: list[tuple[tuple[int, int], tuple[int, int], Array]], direction: int, columns: int
) -> list[list[tuple[float, float]]]:
    """The chains that end in a direction, from the last leg to the first."""
    chains = []
    for start, goal, came_from in reversed(legs):
        chain = [(float(goal[1]), float(goal[0]))]
        if start != goal:
            state = (goal[0] * columns + goal[1]) * len(_STEPS) + direction
            while (state := int(came_from[state])) >= 0:
                row, column = divmod(state // len(_STEPS), columns)
                chain.append((float(column), float(row)))
            direction = -2 - state
        chain.append((float(start[1]), float(start[0])))
        chains.append(chain[::-1])
    return chains[::-1]


def _turn_costs(radius: float) -> Field:
    """What it costs to go on in another direction, 0 to 1; infinity where an arc of the radius has no room.

    An arc that touches two pieces of lengths a and b, with an angle θ between them, begins R tan(θ/2) from where they
    meet; half of the shorter piece is free for it.
    """
    step = np.array(_STEPS, np.float64)
    length = np.sqrt((step * step).sum(axis=1))
    count = len(_STEPS)
    costs = np.full((count, count), np.float32(np.inf))
    for one in range(count):
        for turn in range(-_MOST_TURN, _MOST_TURN + 1):
            other = (one + turn) % count
            cosine = float(step[one] @ step[other]) / (length[one] * length[other])
            # tan²(θ/2) = (1 − cos θ) / (1 + cos θ)
            tangent = math.sqrt(max(1.0 - cosine, 0.0) / (1.0 + cosine))
            if abs(turn) <= 1 or radius * tangent <= 0.5 * min(length[one], length[other]):
                costs[one, other] = (turn / _MOST_TURN) ** 2
    return costs


class _Rule(NamedTuple):
    """How steps may be made: directions, costs of turns, metres between nodes, steepest grade, limits."""

    steps: Array
    turns: Array
    spacing: float
    grade: float
    bridge: float
    tunnel: float
    slack: float
    more: float


class _ShortSteps(NamedTuple):
    """One step from each node in each direction: its price without a bend, and whether it is on the ground."""

    prices: Array
    on_ground: Array


class _Queue(NamedTuple):
    """States by cost, the least cost of each state, and the state before it (−2 − direction before the first).

    `bound` is what the rest of a way from each node costs at least, infinity where there is none.
    """

    costs: Array
    items: Array
    least: Array
    came_from: Array
    bound: Array


@parallel_kernel
def _weigh_short_steps(part: Part, heights: Array, wet: Array, rule: _Rule, prices: Array, on_ground: Array) -> None:
    """Write what one step from each node in each direction costs without a bend, and whether it is on the ground."""
    columns = heights.shape[1]
    for row in portion(part, heights.shape[0]):
        for node in range(row * columns, (row + 1) * columns):
            for k in range(rule.steps.shape[0]):
                prices[node, k], on_ground[node, k] = _weigh_step(heights, wet, rule, (node, k), 1, np.inf)


@kernel
def _find_bounds(
    heights: Array,
    wet: Array,
    rule: _Rule,
    short: _ShortSteps,
    ends: tuple[int, int],
    costs: Array,
    items: Array,
    bound: Array,
) -> None:
    """Dijkstra's search back from the goal, in whatever directions: what the rest of a way costs at least.

    It ends a while behind the start; where it has not been, the rest costs no less than there.
    """
    start, goal = ends
    bound[goal] = 0.0
    push(costs, items, 0.0, goal)
    most = np.inf
    while items[0] > 0:
        node = pop(costs, items)
        cost = costs[0]
        if cost > bound[node]:
            continue
        if cost > most or items[0] + 2000 >= items.size:
            for other in range(bound.size):
                bound[other] = min(bound[other], cost)
            return
        if node == start:
            most = _WIDER * cost + rule.more
        if _is_no_end(wet, rule, node, goal):
            continue
        for k in range(rule.steps.shape[0]):
            for times in range(1, _most_times(rule, k) + 1):
                before = _node_after(heights, rule, node, k, -times)
                if before < 0:
                    break
                price = short.prices[before, k]
                if times > 1:
                    most_price = bound[before] - cost
                    if short.on_ground[before, k] or most_price <= _least_price(rule, k, times):
                        continue
                    price, _ = _weigh_step(heights, wet, rule, (before, k), times, most_price)
                if cost + price < bound[before]:
                    bound[before] = cost + price
                    push(costs, items, cost + price, before)


@kernel
def _find_cheapest(
    heights: Array,
    wet: Array,
    rule: _Rule,
    short: _ShortSteps,
    ends: tuple[int, int],
    queue: _Queue,
    begin: Array,
    arrival: Array,
) -> None:
    """A* over nodes with directions (Galin et al. 2010); write the cost of each direction of arrival that is near."""
    costs, items, least, _, bound = queue
    count = rule.steps.shape[0]
    start, goal = ends
    for k in range(count):
        if begin[k] < np.inf:
            _try_steps(heights, wet, rule, short, (-2 - k, start, k, goal), begin[k], queue)
    most = np.inf
    while items[0] > 0:
        state = pop(costs, items)
        node, k = state // count, state % count
        rest = bound[node]
        cost = float(least[state])
        if costs[0] > most:
            return
        if costs[0] > cost + rest + 1e-3 * (cost + rest):
            continue
        if node == goal:
            arrival[k] = min(arrival[k], cost)
            most = min(most, cost + rule.more)
            continue
        if items[0] + 40 * (2 * _MOST_TURN + 1) >= items.size:
            return
        _try_steps(heights, wet, rule, short, (state, node, k, goal), cost, queue)


@kernel
def _try_steps(
    heights: Array,
    wet: Array,
    rule: _Rule,
    short: _ShortSteps,
    at: tuple[int, int, int, int],
    cost: float,
    queue: _Queue,
) -> None:
    """Try all steps from a state; straight on also longer ones, for bridges and tunnels."""
    state, node, k, goal = at
    count = rule.steps.shape[0]
    for turn in range(-_MOST_TURN, _MOST_TURN + 1):
        towards = (k + turn) % count
        bend = float(rule.turns[k, towards])
        there = _node_after(heights, rule, node, towards, 1)
        if bend == np.inf or there < 0 or _is_no_end(wet, rule, there, goal):
            continue
        price = short.prices[node, towards] + _TURN * bend * _length_of(rule, towards)
        _put(queue, state, there, there * count + towards, cost + price)
    if short.on_ground[node, k]:
        return
    for times in range(2, _most_times(rule, k) + 1):
        there = _node_after(heights, rule, node, k, times)
        if there < 0:
            break
        most_price = queue.least[there * count + k] - cost
        if queue.bound[there] == np.inf or _is_no_end(wet, rule, there, goal):
            continue
        if most_price > _least_price(rule, k, times):
            price, _ = _weigh_step(heights, wet, rule, (node, k), times, most_price)
            _put(queue, state, there, there * count + k, cost + price)


@kernel
def _put(queue: _Queue, state: int, there: int, after: int, cost: float) -> None:
    """Put the state after a step into the queue, if nothing cheaper leads there."""
    costs, items, least, came_from, bound = queue
    if cost < least[after] and bound[there] < np.inf:
        least[after] = cost
        came_from[after] = state
        push(costs, items, cost + bound[there], after)


@kernel
def _node_after(heights: Array, rule: _Rule, node: int, k: int, times: int) -> int:
    """Return the node so many steps in a direction from another, −1 outside the grid."""
    rows, columns = heights.shape
    row, column = node // columns + times * rule.steps[k, 1], node % columns + times * rule.steps[k, 0]
    return -1 if row < 0 or row >= rows or column < 0 or column >= columns else row * columns + column


@kernel
def _is_no_end(wet: Array, rule: _Rule, node: int, goal: int) -> bool:
    """Return whether no step may end at a node: it is in water, and lengths of bridges are limited."""
    columns = wet.shape[1]
    return rule.bridge < np.inf and node != goal and wet[node // columns, node % columns] > _WET


@kernel
def _length_of(rule: _Rule, k: int) -> float:
    """Return the length of one step in a direction, in metres."""
    dx, dy = rule.steps[k, 0], rule.steps[k, 1]
    return rule.spacing * math.sqrt(float(dx * dx + dy * dy))


@kernel
def _most_times(rule: _Rule, k: int) -> int:
    """Return how many steps at once a bridge or tunnel may take.

    Without limits many short steps make a bridge; with them it is one step, whose length is known.
    """
    return 1 if rule.bridge == np.inf else int(min(max(rule.bridge, rule.tunnel) / _length_of(rule, k), 30.0)) + 1


@kernel
def _least_price(rule: _Rule, k: int, times: int) -> float:
    """What so many steps at once, two or more, cost at least: they are made only for a bridge or tunnel."""
    return times * _length_of(rule, k) + _STRUCTURE


@kernel
def _weigh_step(
    heights: Array, wet: Array, rule: _Rule, at: tuple[int, int], times: int, most: float
) -> tuple[float, bool]:
    """Return what a step costs without a bend, and whether it is on the ground; infinity if it may not be made.

    It may also be infinity where the step costs `most` or more.
    """
    node, k = at
    columns = heights.shape[1]
    there = _node_after(heights, rule, node, k, times)
    if there < 0:
        return np.inf, True
    row, column = node // columns, node % columns
    dx, dy = times * rule.steps[k, 0], times * rule.steps[k, 1]
    length = times * _length_of(rule, k)
    here, end = float(heights[row, column]), float(heights[there // columns, there % columns])
    rise = abs(end - here)
    beyond = rise - rule.grade * length
    # Before the way between is looked at, which takes long.
    if beyond > rule.slack:
        return np.inf, False
    slope = min(rise / length / rule.grade, 1.0)
    price = length * (1.0 + _GRADE * slope * slope) + _BEYOND * max(beyond, 0.0)
    pieces = max(abs(dx), abs(dy))
    piece = length / pieces
    bridge, tunnel, structures = 0.0, 0.0, 0
    for i in range(1, pieces + 1):
        share = i / float(pieces)
        middle_row, middle_column = math.floor(row + share * dy + 0.5), math.floor(column + share * dx + 0.5)
        off = float(heights[middle_row, middle_column]) - here - share * (end - here)
        is_wet = wet[middle_row, middle_column] > _WET
        if is_wet or off < -DEEPEST_FILL:
            if bridge == 0.0:
                structures += 1
                price += _STRUCTURE
            bridge, tunnel = bridge + piece, 0.0
            price += _BRIDGE * piece
        elif off > DEEPEST_CUT:
            if tunnel == 0.0:
                structures += 1
                price += _STRUCTURE
            bridge, tunnel = 0.0, tunnel + piece
            price += _TUNNEL * piece
        else:
            bridge = tunnel = 0.0
            price += _EARTH * abs(off) * piece / rule.spacing
        if bridge > rule.bridge or tunnel > rule.tunnel or price >= most:
            return np.inf, False
    return (np.inf if times > 1 and structures == 0 else price), structures == 0
