"""Roads: the cheapest way over the land between stops, and its profile, bridges, tunnels and earthworks.

>>> row, column = np.mgrid[:65, :65]
>>> hill = (60.0 * np.exp(-((row - 32.0) ** 2 + (column - 32.0) ** 2) / 150.0)).astype(np.float32)
>>> course = find_road(hill, 10.0, Road(points=((50.0, 320.0), (590.0, 320.0))))
>>> bool(np.abs(course.line.y - 320.0).max() > 50.0), course.steepest <= 0.0801
(True, True)

References
----------
E. Galin, A. Peytavie, N. Maréchal and E. Guérin (2010), "Procedural generation of roads", Computer Graphics Forum
29(2), 429-438, doi:10.1111/j.1467-8659.2009.01612.x: least cost over a wide neighbourhood of a grid, with the direction
in the state.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .features import Road, title_of
from .lines import DrawnLine, Numbers, measure_nearness, values_at
from .pads import slopes_of
from .queue import pop, push
from .road_course import RoadCourse, Structure, is_within

# Nodes along the longer side of the grid on which the way is searched.
_MOST_NODES = 193
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
# be cut or filled, of water, of the sharpest turn.
_GRADE, _BEYOND, _EARTH, _WATER, _TURN = 1.5, 40.0, 0.3, 12.0, 0.6
# Deeper fills become bridges, deeper cuts tunnels, in metres.
_DEEPEST_FILL, _DEEPEST_CUT = 8.0, 14.0
# Metres between points of the finished road, as a multiple of its width.
_FINENESS = 1.0
_MOST_ROAD_POINTS = 4000.0
_ALIGNING, _MOST_ROUNDING = 16, 400
_LEAST_STRUCTURE = 2
# Metres: a shorter tunnel is a cut; bridges or tunnels closer to one another are one.
_SHORTEST_TUNNEL, _LEAST_BETWEEN = 40.0, 20.0
# Metres by which the ground must stay below the edges of a road, and least width of level ground beside it.
_COVER, _LEAST_BENCH = 0.35, 1.0

FORMATION_DEPTH = 0.5
"""How far below the roadway the ground is cut and filled, in metres: the road itself is that thick."""


def find_road(
    surface: Field,
    cell_size: float,
    road: Road,
    wet: npt.NDArray[np.bool_] | None = None,
    most_nodes: int = _MOST_NODES,
) -> RoadCourse:
    """Return the cheapest road that goes by its stops in their order.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres, of the ground or of standing water.
    cell_size : float
        Metres.
    road : Road
        With two points or more.
    wet : ndarray of bool, shape (rows, columns), optional
        Where water is, which the road crosses on bridges.
    most_nodes : int
        Nodes along the longer side of the grid on which the way is searched, 2 or more.

    Returns
    -------
    RoadCourse
        The height of the roadway never changes by more than the steepest grade, and lies as close to the land as that
        allows (the best approximation in the maximum norm: the mean of the lowest such profile above the land and the
        highest below it).

    Raises
    ------
    ValueError
        If a bridge or tunnel would be longer than allowed.
    """
    water = np.zeros(surface.shape, bool) if wet is None else wet
    stride = max(1, math.ceil((max(surface.shape) - 1) / (most_nodes - 1)))
    nodes = _means(surface, stride)
    wet_nodes = _means(water.astype(np.float32), stride)
    spacing = cell_size * stride
    stops = [(point[0] / spacing, point[1] / spacing) for point in road.points]
    way = [(road.points[0][0], road.points[0][1])]
    fixed = [0]
    for number in range(len(stops) - 1):
        middle = _search(nodes, wet_nodes, spacing, road, stops[number], stops[number + 1])
        way += [(x * spacing, y * spacing) for x, y in middle[1:-1]]
        way.append((road.points[number + 1][0], road.points[number + 1][1]))
        fixed.append(len(way) - 1)
    land = _Land(surface, water.astype(np.float32), cell_size)
    x, y, stop_places = _align(np.array(way, np.float64), fixed, road, land)
    line, radius = DrawnLine(x, y, np.empty(0)), _least_radius(x, y)
    along = line.along
    ground, is_wet = land.ground(x, y), land.is_wet(x, y)
    level = _profile(along, ground, is_wet, 0.01 * road.steepest_grade, _drawn_levels(road, along, stop_places))
    bridges = _structures(along, is_wet | (level - ground > _DEEPEST_FILL))
    deep = _structures(along, (ground - level > _DEEPEST_CUT) & ~is_within(bridges, along))
    tunnels = tuple(one for one in deep if one.end - one.begin >= _SHORTEST_TUNNEL)
    for what, found, most in (("bridge", bridges, road.longest_bridge), ("tunnel", tunnels, road.longest_tunnel)):
        longest = max(found, key=lambda one: one.end - one.begin, default=None)
        if longest is not None and longest.end - longest.begin > most:
            need = math.ceil(longest.end - longest.begin)
            raise ValueError(
                f"{title_of(road)} needs a {what} of {need} m, {longest.begin:.0f} m from its first point, but "
                f"longest_{what} = {most} m; allow {need} m, allow a steeper grade, or move its points"
            )
    steepest = float(np.max(np.abs(np.diff(level)) / np.maximum(np.diff(along), 1e-9), initial=0.0))
    return RoadCourse(road, line._replace(height=level), ground, bridges, tunnels, steepest, radius)


def _means(field: Field, stride: int) -> Field:
    """Samples `stride` apart, each the mean of nine around it."""
    if stride == 1:
        return field
    rows, columns = ((size - 1) // stride + 1 for size in field.shape)
    result = np.zeros((rows, columns), np.float32)
    half = stride // 2
    r, c = np.arange(rows) * stride, np.arange(columns) * stride
    for dy in (-half, 0, half):
        for dx in (-half, 0, half):
            result += field[np.clip(r + dy, 0, field.shape[0] - 1)][:, np.clip(c + dx, 0, field.shape[1] - 1)]
    result /= np.float32(9.0)
    return result


def _search(
    heights: Field, wet: Field, spacing: float, road: Road, start: tuple[float, float], goal: tuple[float, float]
) -> list[tuple[float, float]]:
    """The cheapest chain of nodes between two places."""
    rows, columns = heights.shape
    ends = [(min(max(round(y), 0), rows - 1), min(max(round(x), 0), columns - 1)) for x, y in (start, goal)]
    if ends[0] == ends[1]:
        return [start, goal]
    steps = np.array(_STEPS, np.int64)
    states = rows * columns * len(steps)
    came_from = np.full(states, -1, np.int32)
    least = np.full(states, np.float32(np.inf))
    room = 4 * states
    end = _find_cheapest(
        heights,
        wet,
        steps,
        spacing,
        0.01 * road.steepest_grade,
        ends[0][0] * columns + ends[0][1],
        ends[1][0] * columns + ends[1][1],
        np.empty(room),
        np.zeros(room, np.int64),
        least,
        came_from,
    )
    chain = []
    while end >= 0:
        row, column = divmod(end // len(steps), columns)
        chain.append((float(column), float(row)))
        end = int(came_from[end])
    row, column = ends[0]
    return [(float(column), float(row)), *chain[::-1]]


class _Search(NamedTuple):
    """What a search looks at: heights, water, steps, metres between nodes, steepest grade, the goal."""

    heights: Array
    wet: Array
    steps: Array
    spacing: float
    grade: float
    goal: int


class _Queue(NamedTuple):
    """States by cost, the least cost of each state, and the state before it."""

    costs: Array
    items: Array
    least: Array
    came_from: Array


@kernel
def _find_cheapest(
    heights: Array,
    wet: Array,
    steps: Array,
    spacing: float,
    grade: float,
    start: int,
    goal: int,
    costs: Array,
    items: Array,
    least: Array,
    came_from: Array,
) -> int:
    """A* over nodes with directions (Galin et al. 2010); return the state that reaches the goal, or −1.

    No way is shorter than the straight line, so its length is the bound.
    """
    columns = heights.shape[1]
    directions = steps.shape[0]
    goal_row, goal_column = goal // columns, goal % columns
    land = _Search(heights, wet, steps, spacing, grade, goal)
    queue = _Queue(costs, items, least, came_from)
    for k in range(directions):
        _try_step(-1, start, k, 0.0, 0.0, land, queue)
    while items[0] > 0:
        state = pop(costs, items)
        node, k = state // directions, state % directions
        row, column = node // columns, node % columns
        rest = spacing * math.sqrt(float((row - goal_row) ** 2 + (column - goal_column) ** 2))
        cost = float(least[state])
        if costs[0] > cost + rest + 1e-3 * (cost + rest):
            continue
        if node == goal:
            return state
        if items[0] + 2 * _MOST_TURN + 1 >= items.size:
            return -1
        for turn in range(-_MOST_TURN, _MOST_TURN + 1):
            bend = abs(turn) / float(_MOST_TURN)
            _try_step(state, node, (k + turn) % directions, cost, bend * bend, land, queue)
    return -1


@kernel
def _try_step(state: int, node: int, k: int, cost: float, bend: float, land: _Search, queue: _Queue) -> None:
    """Put the state after a step into the queue, if nothing cheaper leads there."""
    heights, wet, steps, spacing, grade, goal = land
    costs, items, least, came_from = queue
    rows, columns = heights.shape
    row, column = node // columns, node % columns
    dx, dy = steps[k, 0], steps[k, 1]
    r, c = row + dy, column + dx
    if r < 0 or r >= rows or c < 0 or c >= columns:
        return
    length = spacing * math.sqrt(float(dx * dx + dy * dy))
    here, there = float(heights[row, column]), float(heights[r, c])
    rise = abs(there - here)
    slope = rise / length
    price = length * (1.0 + _GRADE * min(slope / grade, 1.0) * min(slope / grade, 1.0) + _TURN * bend)
    price += _BEYOND * max(rise - grade * length, 0.0)
    pieces = max(abs(dx), abs(dy))
    water = float(wet[r, c])
    for i in range(1, pieces):
        share = i / float(pieces)
        middle_row, middle_column = math.floor(row + share * dy + 0.5), math.floor(column + share * dx + 0.5)
        off = abs(float(heights[middle_row, middle_column]) - here - share * (there - here))
        price += _EARTH * off * length / spacing
        water += float(wet[middle_row, middle_column])
    price += _WATER * length * water / pieces
    new = cost + price
    there_state = (r * columns + c) * steps.shape[0] + k
    if new < least[there_state]:
        least[there_state] = new
        came_from[there_state] = state
        rest = spacing * math.sqrt(float((r - goal // columns) ** 2 + (c - goal % columns) ** 2))
        push(costs, items, new + rest, there_state)


class _Land(NamedTuple):
    """The land that a road sees."""

    surface: Field
    water: Field
    cell_size: float

    def _at(self, field: Field, x: Numbers, y: Numbers) -> Numbers:
        rows, columns = field.shape
        x, y = np.clip(x, 0.0, (columns - 1) * self.cell_size), np.clip(y, 0.0, (rows - 1) * self.cell_size)
        return sample(field, self.cell_size, x, y).astype(np.float64)

    def ground(self, x: Numbers, y: Numbers) -> Numbers:
        """Height of the ground or of standing water."""
        return self._at(self.surface, x, y)

    def is_wet(self, x: Numbers, y: Numbers) -> npt.NDArray[np.bool_]:
        """Where there is water."""
        return np.asarray(self._at(self.water, x, y) > 0.25)


def _drawn_levels(road: Road, along: Numbers, places: list[int]) -> list[tuple[float, float]]:
    """The stops that have heights: how far along the road, and how high."""
    return [(float(along[place]), point[2]) for place, point in zip(places, road.points) if len(point) > 2]


def _align(way: Numbers, fixed: list[int], road: Road, land: _Land) -> tuple[Numbers, Numbers, list[int]]:
    """Round a chain, and move it sideways on slopes to where the ground is as high as the roadway; its stops stay."""
    stops = way[fixed]
    x, y, places = _rounded_road(way[:, 0], way[:, 1], fixed, road, stops)
    for _ in range(_ALIGNING):
        along = DrawnLine(x, y, np.empty(0)).along
        ground = land.ground(x, y)
        levels = _drawn_levels(road, along, places)
        level = _profile(along, ground, land.is_wet(x, y), 0.01 * road.steepest_grade, levels)
        dx, dy = np.gradient(x), np.gradient(y)
        length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-9)
        nx, ny = -dy / length, dx / length
        off = max(land.cell_size, 0.5 * road.width)
        slope = (land.ground(x + off * nx, y + off * ny) - land.ground(x - off * nx, y - off * ny)) / (2.0 * off)
        most = 2.0 * road.width
        shift = np.clip((level - ground) * slope / (slope * slope + 0.05), -most, most)
        shift[places] = 0.0
        for _ in range(8):
            shift[1:-1] = 0.25 * (shift[:-2] + 2.0 * shift[1:-1] + shift[2:])
        shift[0] = shift[-1] = 0.0
        x, y, places = _rounded_road(x + shift * nx, y + shift * ny, places, road, stops)
    return x, y, places


def _rounded_road(
    x: Numbers, y: Numbers, fixed: list[int], road: Road, stops: Numbers
) -> tuple[Numbers, Numbers, list[int]]:
    """Points at equal distances, with no bend sharper than allowed where that can be; return also those of stops."""
    along = DrawnLine(x, y, np.empty(0)).along
    total = max(float(along[-1]), 1e-9)
    count = max(math.ceil(total / max(_FINENESS * road.width, total / _MOST_ROAD_POINTS)), 4) + 1
    where = np.linspace(0.0, total, count)
    x, y = np.interp(where, along, x), np.interp(where, along, y)
    places = [min(round(float(along[k]) / total * (count - 1)), count - 1) for k in fixed]
    for number in range(_MOST_ROUNDING):
        if number % 20 == 0:
            _go_by(x, y, places, stops, road)
            if number and _least_radius(x, y) >= road.least_radius:
                break
        for part in (x, y):
            part[1:-1] = 0.25 * (part[:-2] + 2.0 * part[1:-1] + part[2:])
    _go_by(x, y, places, stops, road)
    return x, y, places


def _go_by(x: Numbers, y: Numbers, places: list[int], stops: Numbers, road: Road) -> None:
    """Move a line softly so that it goes by its stops, in place."""
    reach = max(4.0 * road.least_radius, 10.0 * road.width)
    step = float(DrawnLine(x, y, np.empty(0)).along[-1]) / (x.size - 1)
    for place, stop in zip(places, stops):
        away = np.minimum(np.abs(np.arange(x.size) - place) * max(step, 1e-9) / reach, 1.0)
        share = (1.0 - away * away) ** 2
        x += share * (stop[0] - x[place])
        y += share * (stop[1] - y[place])


def _least_radius(x: Numbers, y: Numbers) -> float:
    """Radius of the sharpest circle through three points that follow one another with one between, in metres."""
    k = 2
    if x.size <= 2 * k:
        return math.inf
    ax, ay, bx, by = x[k:-k] - x[: -2 * k], y[k:-k] - y[: -2 * k], x[2 * k :] - x[k:-k], y[2 * k :] - y[k:-k]
    cross = np.abs(ax * by - ay * bx)
    a, b = np.sqrt(ax * ax + ay * ay), np.sqrt(bx * bx + by * by)
    c = np.sqrt((ax + bx) ** 2 + (ay + by) ** 2)
    return float(np.min(a * b * c / np.maximum(2.0 * cross, 1e-9)))


def _profile(
    along: Numbers, ground: Numbers, is_wet: npt.NDArray[np.bool_], grade: float, levels: list[tuple[float, float]]
) -> Numbers:
    """Heights that change by at most `grade` per metre and are as close to the ground as that allows."""
    wanted = ground.copy()
    if is_wet.any() and not is_wet.all():
        wanted[is_wet] = np.interp(along[is_wet], along[~is_wet], ground[~is_wet])
        wanted = np.maximum(wanted, ground + np.where(is_wet, 2.0, 0.0))
    level = _closest(wanted, grade * along)
    for _ in range(16):
        level[1:-1] = 0.25 * (level[:-2] + 2.0 * level[1:-1] + level[2:])
    level = _closest(level, grade * along)
    for place, height in levels:
        room = grade * np.abs(along - place)
        level = np.clip(level, height - room, height + room)
    return level


def _closest(wanted: Numbers, tilted: Numbers) -> Numbers:
    """The profile closest to what is wanted of those that never rise or fall faster than `tilted` rises."""
    above = np.maximum(
        np.maximum.accumulate(wanted + tilted) - tilted,
        np.maximum.accumulate((wanted - tilted)[::-1])[::-1] + tilted,
    )
    below = np.minimum(
        np.minimum.accumulate(wanted - tilted) + tilted,
        np.minimum.accumulate((wanted + tilted)[::-1])[::-1] - tilted,
    )
    return 0.5 * (above + below)


def _structures(along: Numbers, where: npt.NDArray[np.bool_]) -> tuple[Structure, ...]:
    """Runs of points at which there is a bridge or tunnel; those with little between them are one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], where, [False])).astype(np.int8)))
    last = along.size - 1
    found: list[Structure] = []
    for begin, end in zip(edges[0::2], edges[1::2]):
        run = Structure(float(along[max(begin - 1, 0)]), float(along[min(end, last)]))
        if found and run.begin - found[-1].end < _LEAST_BETWEEN:
            found[-1] = Structure(found[-1].begin, run.end)
        elif end - begin >= _LEAST_STRUCTURE:
            found.append(run)
    return tuple(found)


def half_formation(road: Road, cell_size: float) -> float:
    """Return how far from the middle of a road the ground is made level before slopes begin.

    Parameters
    ----------
    road : Road
        Width, shoulder and slopes.
    cell_size : float
        Metres.

    Returns
    -------
    float
        Metres; more on coarse grids, so that no triangle of the land that begins beside the road comes up through it.
    """
    # Between a sample beside the road and one that lies L farther, on the slope s of a cut that begins t beyond the
    # road, the ground rises over its edge by at most (L − t)² s / 4 L, which must not be more than `_COVER`.
    across = math.sqrt(2.0) * cell_size
    steepness = slopes_of(road.cut_angle, road.fill_angle).cut
    beyond = across - math.sqrt(4.0 * across * _COVER / steepness)
    return 0.5 * road.width + road.shoulder + max(beyond, _LEAST_BENCH)


def lay_road(
    surface: Field, road: Road, course: RoadCourse, cell_size: float, kept: npt.NDArray[np.bool_]
) -> tuple[Field, RoadCourse]:
    """Return a land that is cut and filled for a road, except under bridges and over tunnels.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    road : Road
        Width and slopes.
    course : RoadCourse
        From `find_road`.
    cell_size : float
        Metres.
    kept : ndarray of bool, shape (rows, columns)
        Cells that stay as they are, such as the beds of rivers.

    Returns
    -------
    land : ndarray of float32, shape (rows, columns)
        Heights in metres.
    course : RoadCourse
        With the volumes.
    """
    slopes = slopes_of(road.cut_angle, road.fill_angle)
    half = half_formation(road, cell_size)
    off = course.line.height - course.ground
    open_air = ~is_within((*course.bridges, *course.tunnels), course.line.along)
    deepest = float(np.max(np.abs(off), where=open_air, initial=0.0)) + FORMATION_DEPTH
    reach = half + max(_DEEPEST_CUT, deepest) / min(slopes)
    near = measure_nearness(course.line, surface.shape, cell_size, reach)
    along = values_at(course.line.along, near.place)
    worked = (near.place >= 0.0) & ~kept & ~is_within((*course.bridges, *course.tunnels), along)
    level = values_at(course.line.height, near.place)[worked] - np.float32(FORMATION_DEPTH)
    out = np.maximum(near.distance[worked] - np.float32(half), np.float32(0.0))
    before = surface[worked]
    after = np.clip(before, level - np.float32(slopes.fill) * out, level + np.float32(slopes.cut) * out)
    result = surface.copy()
    result[worked] = after
    change = (after - before).astype(np.float64) * cell_size**2
    cut, fill = float(-np.minimum(change, 0.0).sum()), float(np.maximum(change, 0.0).sum())
    return result, course._replace(cut=cut, fill=fill)
