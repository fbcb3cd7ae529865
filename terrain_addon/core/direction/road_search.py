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
_COUNT = len(_STEPS)
# The road turns by at most so many of the 32 directions from one step to the next.
_MOST_TURN = 5
# Costs as multiples of the length: of the steepest grade, of each metre of height beyond it, of each metre that has to
# be cut or filled, of bridges and tunnels, of the sharpest turn.
_GRADE, _BEYOND, _EARTH, _BRIDGE, _TUNNEL, _TURN = 1.5, 40.0, 0.3, 5.0, 4.0, 0.6
# Metres of road that a bridge or tunnel costs, however short.
_STRUCTURE = 100.0
# So many steps at once make the longest bridge or tunnel.
_MOST_TIMES = 30
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
    places: RoadNodes,
    road: Road,
    stops: Sequence[tuple[float, float]],
    limits: Limits,
    known: dict[tuple[int, int], Array] | None = None,
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
    known : dict, optional
        What searches with the same lengths and less slack found; it gets what this one finds, so that the next one need
        not weigh it again.

    Returns
    -------
    list of list of (x, y), or None
        One chain for each leg; the road does not turn more sharply at a stop than elsewhere, so it may make a loop
        there.  None if there is no way.
    """
    rows, columns = places.heights.shape
    nodes = [(min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)) for x, y in stops]
    states = rows * columns * _COUNT
    rule = _rule_of(road, places, limits)
    ground = _ground_of(places, limits)
    short = _ShortSteps(np.empty((rows * columns, _COUNT)), np.empty((rows * columns, _COUNT), np.bool_))
    _weigh_short_steps(ground, rule, *short)
    room = (np.empty(4 * states), np.zeros(4 * states, np.int64))
    bounds = []
    for one, other in pairwise(nodes):
        ends = (one[0] * columns + one[1], other[0] * columns + other[1])
        bounds.append(_bounds_of(ground, rule, short, ends, room, {} if known is None else known))
        # The second of two legs may have no way where the search for the first would take long.
        if not _has_way(ground, rule, short, ends, room, bounds[-1], np.zeros(_COUNT)):
            return None
    arrival, legs = np.zeros(_COUNT), []
    for start, goal, bound in zip(nodes, nodes[1:], bounds):
        came_from = np.full(states, -1, np.int32)
        if start != goal:
            ends = (start[0] * columns + start[1], goal[0] * columns + goal[1])
            begin, arrival = arrival - arrival.min(), np.full(_COUNT, np.inf)
            if not _has_way(ground, rule, short, ends, room, bound, begin):
                return None
            room[1][0] = 0
            queue = _Queue(*room, np.full(states, np.float32(np.inf)), came_from, bound)
            _find_cheapest(ground, rule, short, ends, queue, begin, arrival)
            if not np.isfinite(arrival.min()):
                return None
        legs.append((start, goal, came_from))
    return _traced(legs, int(arrival.argmin()), columns)


def _rule_of(road: Road, places: RoadNodes, limits: Limits) -> "_Rule":
    """How steps of a road may be made."""
    step, spacing = np.array(_STEPS, np.int64), places.spacing
    lengths = spacing * np.sqrt((step * step).sum(axis=1).astype(np.float64))
    # Without limits many short steps make a bridge; with them it is one step, whose length is known.
    most = np.ones(_COUNT, np.int64)
    if limits.bridge < math.inf:
        most += np.minimum(max(limits.bridge, limits.tunnel) / lengths, _MOST_TIMES).astype(np.int64)
        # None is longer than the land.
        most = np.clip(most, 1, np.maximum((max(places.heights.shape) - 1) // np.abs(step).max(axis=1), 1))
    return _Rule(
        step,
        lengths,
        most,
        _places_between(most, places.heights.shape[1]),
        *_turns_of(road.least_radius / spacing, lengths),
        spacing,
        0.01 * road.steepest_grade,
        limits.bridge,
        limits.tunnel,
        limits.slack,
        _MOST_MORE + 8.0 * road.least_radius,
    )


def _places_between(most: Array, columns: int) -> Array:
    """The nodes that steps pass, as how much their numbers differ from the first; by direction, times and piece."""
    pieces = np.abs(np.array(_STEPS)).max(axis=1) * most
    places = np.zeros((_COUNT, int(most.max()) + 1, int(pieces.max()) + 1), np.int32)
    for k, (x, y) in enumerate(_STEPS):
        for times in range(1, int(most[k]) + 1):
            count = times * max(abs(x), abs(y))
            i = np.arange(count + 1)
            # The nearest node, of two as near the one with the higher number.
            places[k, times, : count + 1] = (2 * i * times * y + count) // (2 * count) * columns + (
                2 * i * times * x + count
            ) // (2 * count)
    return places


def _ground_of(places: RoadNodes, limits: Limits) -> "_Ground":
    """The land as kernels need it."""
    wet = places.wet.ravel() > _WET
    heights = np.ascontiguousarray(places.heights).ravel()
    seen = np.where(wet, np.float32(-np.inf), heights)
    return _Ground(heights, seen, ~wet if limits.bridge < math.inf else np.ones_like(wet), *places.heights.shape)


def _bounds_of(
    ground: "_Ground",
    rule: "_Rule",
    short: "_ShortSteps",
    ends: tuple[int, int],
    room: tuple[Array, Array],
    known: dict[tuple[int, int], Array],
) -> Array:
    """What the rest of a way from each node costs at least.

    Long steps take long to weigh, and few of them help.  So what is known to suffice comes first, at least what short
    steps need, which is found soon: a long step that is no better is left at once.
    """
    bound = known.get(ends)
    if bound is None:
        bound = np.full(ground.heights.size, np.inf)
        bound[ends[1]] = 0.0
        if rule.most.max() > 1:
            _find_bounds(ground, rule._replace(most=np.ones_like(rule.most)), short, ends, *room, bound)
    most = _find_bounds(ground, rule, short, ends, *room, bound)
    known[ends] = bound
    # The search ends a while behind the start; where it has not been, the rest costs no less than there.
    return np.minimum(bound, most)


def _has_way(
    ground: "_Ground",
    rule: "_Rule",
    short: "_ShortSteps",
    ends: tuple[int, int],
    room: tuple[Array, Array],
    bound: Array,
    begin: Array,
) -> bool:
    """Whether a road that comes to a start in some directions can reach its goal."""
    nothing = np.empty(0)
    queue = _Queue(*room, nothing, nothing, bound)
    is_seen = np.zeros(bound.size * _COUNT, np.bool_)
    return bound[ends[0]] < np.inf and bool(_can_arrive(ground, rule, short, ends, queue, begin, is_seen))


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
            state = (goal[0] * columns + goal[1]) * _COUNT + direction
            while (state := int(came_from[state])) >= 0:
                row, column = divmod(state // _COUNT, columns)
                chain.append((float(column), float(row)))
            direction = -2 - state
        chain.append((float(start[1]), float(start[0])))
        chains.append(chain[::-1])
    return chains[::-1]


def _turns_of(radius: float, lengths: Array) -> tuple[Array, Array, Array]:
    """In which directions a road may go on, how many these are, and what each costs.

    An arc that touches two pieces of lengths a and b, with an angle θ between them, begins R tan(θ/2) from where they
    meet; half of the shorter piece is free for it.
    """
    step = np.array(_STEPS, np.float64)
    length = np.sqrt((step * step).sum(axis=1))
    towards = np.zeros((_COUNT, 2 * _MOST_TURN + 1), np.int64)
    counts, costs = np.zeros(_COUNT, np.int64), np.zeros((_COUNT, 2 * _MOST_TURN + 1))
    for one in range(_COUNT):
        for turn in range(-_MOST_TURN, _MOST_TURN + 1):
            other = (one + turn) % _COUNT
            cosine = float(step[one] @ step[other]) / (length[one] * length[other])
            # tan²(θ/2) = (1 − cos θ) / (1 + cos θ)
            tangent = math.sqrt(max(1.0 - cosine, 0.0) / (1.0 + cosine))
            if abs(turn) <= 1 or radius * tangent <= 0.5 * min(length[one], length[other]):
                towards[one, counts[one]] = other
                costs[one, counts[one]] = _TURN * float(np.float32((turn / _MOST_TURN) ** 2)) * lengths[other]
                counts[one] += 1
    return towards, counts, costs


class _Ground(NamedTuple):
    """The nodes of the land one after the other: heights, these with −∞ in water, and whether a step may end there."""

    heights: Array
    seen: Array
    is_end: Array
    rows: int
    columns: int


class _Rule(NamedTuple):
    """How steps may be made: by direction, their length in metres, how many at once, and what nodes they pass; in which
    directions the road goes on, how many, and what it costs; metres between nodes, steepest grade, limits.
    """

    steps: Array
    lengths: Array
    most: Array
    between: Array
    towards: Array
    turns: Array
    bends: Array
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
def _weigh_short_steps(part: Part, ground: _Ground, rule: _Rule, prices: Array, on_ground: Array) -> None:
    """Write what one step from each node in each direction costs without a bend, and whether it is on the ground."""
    for row in portion(part, ground.rows):
        for column in range(ground.columns):
            node = row * ground.columns + column
            for k in range(_COUNT):
                there = _node_after(ground, rule, (row, column), k, 1)
                prices[node, k], on_ground[node, k] = np.inf, True
                if there >= 0:
                    prices[node, k], on_ground[node, k] = _weigh_step(ground, rule, (node, there), k, 1, np.inf)


@kernel
def _find_bounds(
    ground: _Ground, rule: _Rule, short: _ShortSteps, ends: tuple[int, int], costs: Array, items: Array, bound: Array
) -> float:
    """Dijkstra's search back from the goal, in whatever directions: lower what the rest of a way is known to cost.

    Return the cost at which the search ended.
    """
    start, goal = ends
    items[0] = 0
    for node in range(bound.size):
        if bound[node] < np.inf:
            push(costs, items, bound[node], node)
    most = np.inf
    while items[0] > 0:
        node = pop(costs, items)
        cost = costs[0]
        if cost > bound[node]:
            continue
        if cost > most or items[0] + 2000 >= items.size:
            return cost
        if node == start:
            most = _WIDER * cost + rule.more
        if node != goal and not ground.is_end[node]:
            continue
        at = (node // ground.columns, node % ground.columns)
        for k in range(_COUNT):
            before = _node_after(ground, rule, at, k, -1)
            if before < 0:
                continue
            _lower(bound, before, cost + short.prices[before, k], costs, items)
            for times in range(2, rule.most[k] + 1):
                before = _node_after(ground, rule, at, k, -times)
                if before < 0:
                    break
                most_price = bound[before] - cost
                if most_price > _least_price(rule, k, times) and not short.on_ground[before, k]:
                    price, _ = _weigh_step(ground, rule, (before, node), k, times, most_price)
                    _lower(bound, before, cost + price, costs, items)
    return np.inf


@kernel
def _lower(bound: Array, node: int, cost: float, costs: Array, items: Array) -> None:
    """Let the rest of a way from a node cost less, if it does."""
    if cost < bound[node]:
        bound[node] = cost
        push(costs, items, cost, node)


@kernel
def _can_arrive(
    ground: _Ground,
    rule: _Rule,
    short: _ShortSteps,
    ends: tuple[int, int],
    queue: _Queue,
    begin: Array,
    is_seen: Array,
) -> bool:
    """Return whether there is a way with bends at all: always on from where the rest may cost least.

    Each state is looked at once, and no step to a state that was seen is weighed, so that this takes little where the
    search for the cheapest way would look at all states in vain.
    """
    costs, items, _, _, bound = queue
    start, goal = ends
    items[0] = 0
    for k in range(_COUNT):
        # As if the road had come to the start in this direction.
        if begin[k] < np.inf:
            is_seen[start * _COUNT + k] = True
            push(costs, items, bound[start], start * _COUNT + k)
    while items[0] > 0:
        state = pop(costs, items)
        node, k = state // _COUNT, state % _COUNT
        if node == goal:
            return True
        at = (node // ground.columns, node % ground.columns)
        for turn in range(rule.turns[k]):
            towards = rule.towards[k, turn]
            there = _node_after(ground, rule, at, towards, 1)
            if there >= 0 and not is_seen[there * _COUNT + towards] and short.prices[node, towards] < np.inf:
                _see(ground, queue, goal, there, there * _COUNT + towards, is_seen)
        for times in range(2, 0 if short.on_ground[node, k] else rule.most[k] + 1):
            there = _node_after(ground, rule, at, k, times)
            if there < 0:
                break
            if is_seen[there * _COUNT + k] or bound[there] == np.inf or (there != goal and not ground.is_end[there]):
                continue
            if _weigh_step(ground, rule, (node, there), k, times, np.inf)[0] < np.inf:
                _see(ground, queue, goal, there, there * _COUNT + k, is_seen)
    return False


@kernel
def _see(ground: _Ground, queue: _Queue, goal: int, there: int, after: int, is_seen: Array) -> None:
    """Put a state that was not seen before into the queue, if a step may end there and a way leads on."""
    is_seen[after] = True
    if queue.bound[there] < np.inf and (there == goal or ground.is_end[there]):
        push(queue.costs, queue.items, queue.bound[there], after)


@kernel
def _find_cheapest(
    ground: _Ground,
    rule: _Rule,
    short: _ShortSteps,
    ends: tuple[int, int],
    queue: _Queue,
    begin: Array,
    arrival: Array,
) -> None:
    """A* over nodes with directions (Galin et al. 2010); write the cost of each direction of arrival that is near."""
    costs, items, least, _, bound = queue
    start, goal = ends
    for k in range(_COUNT):
        if begin[k] < np.inf:
            _try_steps(ground, rule, short, (-2 - k, start, k, goal), begin[k], queue)
    most = np.inf
    while items[0] > 0:
        state = pop(costs, items)
        node, k = state // _COUNT, state % _COUNT
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
        _try_steps(ground, rule, short, (state, node, k, goal), cost, queue)


@kernel
def _try_steps(
    ground: _Ground, rule: _Rule, short: _ShortSteps, at: tuple[int, int, int, int], cost: float, queue: _Queue
) -> None:
    """Try all steps from a state; straight on also longer ones, for bridges and tunnels."""
    state, node, k, goal = at
    place = (node // ground.columns, node % ground.columns)
    for turn in range(rule.turns[k]):
        towards = rule.towards[k, turn]
        there = _node_after(ground, rule, place, towards, 1)
        if there >= 0 and (there == goal or ground.is_end[there]):
            price = short.prices[node, towards] + rule.bends[k, turn]
            _put(queue, state, there, there * _COUNT + towards, cost + price)
    if short.on_ground[node, k]:
        return
    for times in range(2, rule.most[k] + 1):
        there = _node_after(ground, rule, place, k, times)
        if there < 0:
            break
        most_price = queue.least[there * _COUNT + k] - cost
        if queue.bound[there] == np.inf or (there != goal and not ground.is_end[there]):
            continue
        if most_price > _least_price(rule, k, times):
            price, _ = _weigh_step(ground, rule, (node, there), k, times, most_price)
            _put(queue, state, there, there * _COUNT + k, cost + price)


@kernel
def _put(queue: _Queue, state: int, there: int, after: int, cost: float) -> None:
    """Put the state after a step into the queue, if nothing cheaper leads there."""
    costs, items, least, came_from, bound = queue
    if cost < least[after] and bound[there] < np.inf:
        least[after] = cost
        came_from[after] = state
        push(costs, items, cost + bound[there], after)


@kernel
def _node_after(ground: _Ground, rule: _Rule, at: tuple[int, int], k: int, times: int) -> int:
    """Return the node so many steps in a direction from a row and column, −1 outside the grid."""
    row, column = at[0] + times * rule.steps[k, 1], at[1] + times * rule.steps[k, 0]
    outside = row < 0 or row >= ground.rows or column < 0 or column >= ground.columns
    return -1 if outside else row * ground.columns + column


@kernel
def _least_price(rule: _Rule, k: int, times: int) -> float:
    """What so many steps at once, two or more, cost at least: they are made only for a bridge or tunnel."""
    return times * rule.lengths[k] + _STRUCTURE


@kernel
def _weigh_step(
    ground: _Ground, rule: _Rule, ends: tuple[int, int], k: int, times: int, most: float
) -> tuple[float, bool]:
    """Return what a step costs without a bend, and whether it is on the ground; infinity if it may not be made.

    It may also be infinity where the step costs `most` or more.
    """
    node, there = ends
    length = times * rule.lengths[k]
    here, end = float(ground.heights[node]), float(ground.heights[there])
    rise = abs(end - here)
    beyond = rise - rule.grade * length
    # Before the way between is looked at, which takes long.
    if beyond > rule.slack:
        return np.inf, False
    slope = min(rise / length / rule.grade, 1.0)
    price = length * (1.0 + _GRADE * slope * slope) + _BEYOND * max(beyond, 0.0)
    pieces = times * max(abs(rule.steps[k, 0]), abs(rule.steps[k, 1]))
    piece = length / pieces
    if times > 1 and price + _STRUCTURE + _TUNNEL * piece > most:
        return np.inf, False
    bridge, tunnel, structures = 0.0, 0.0, 0
    for i in range(1, pieces + 1):
        # Water is a depth without end.
        off = float(ground.seen[node + rule.between[k, times, i]]) - here - i / float(pieces) * (end - here)
        if off < -DEEPEST_FILL:
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
