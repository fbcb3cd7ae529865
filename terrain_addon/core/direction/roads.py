"""Roads: the cheapest way over the land between stops, and its profile, bridges and tunnels.

>>> from ..foundation.progress import run
>>> row, column = np.mgrid[:65, :65]
>>> hill = (60.0 * np.exp(-((row - 32.0) ** 2 + (column - 32.0) ** 2) / 150.0)).astype(np.float32)
>>> course = run(find_road(hill, 10.0, Road(points=((50.0, 320.0), (590.0, 320.0)))))
>>> bool(np.abs(course.line.y - 320.0).max() > 50.0), course.steepest <= 0.0801
(True, True)

References
----------
E. Galin, A. Peytavie, N. Maréchal and E. Guérin (2010), "Procedural generation of roads", Computer Graphics Forum
29(2), 429-438, doi:10.1111/j.1467-8659.2009.01612.x: least cost over a wide neighbourhood of a grid, with the direction
in the state.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array
from ..foundation.progress import Steps, within
from ..foundation.sampling import sample
from ..foundation.terrain import Field
from .features import STEEPEST_GRADE, Road, title_of
from .lines import DrawnLine, Numbers
from .road_bends import Alignment, Bends, first_bends, round_bends, sharpest_bend, smooth_bends
from .road_course import RoadCourse, Structure, is_too_sharp, is_within
from .road_meetings import find_meetings
from .road_search import DEEPEST_CUT, DEEPEST_FILL, Limits, RoadNodes, lies_beyond_water, search_way
from .stop_heights import tell_climb

# Nodes along the longer side of the grid on which the way is searched, and for a sketch.
_MOST_NODES, _FEW_NODES = 193, 33
_ALIGNING, _FEW_PASSES = 16, 40
# How often a profile is made again without the ground under bridges and above tunnels.
_LEVELLING = 6
# How the way is searched, one after the other: with these shares of the longest bridge and tunnel, as the finished road
# is not quite where the search was; and with so many metres of rise beyond the grade in a step, for cuts and fills.
_ATTEMPTS = ((0.8, 2.0), (0.8, 5.0), (0.8, 10.0))
# Share of the time after which a road has been searched within its own limits, and with longer ones.
_OWN_LIMITS, _LONGER_LIMITS = 0.5, 0.9
# A refused road is searched with a grade that is so many times steeper.
_STEEPER = 4.0
# To say with which limits a refused road is built, those that are too short for the cheapest way are doubled so often,
# from so many metres at least.
_MOST_DOUBLED, _LEAST_LIMIT = 3, 50.0
# Then both may be these shares of the longer side of the land.  What was found is tried so often with shorter ones.
_SHARES_OF_LAND, _MOST_SHORTER = (0.1, 0.2), 2
_LEAST_STRUCTURE = 2
# Metres by which a road may miss the height of a stop.
_MISSED = 0.01
# Metres: a shorter tunnel is a cut; bridges or tunnels closer to one another are one.
_SHORTEST_TUNNEL, _LEAST_BETWEEN = 40.0, 20.0


class RefusedRoad(ValueError):
    """No way within the limits of a road was found.

    Parameters
    ----------
    sentence : str
        Says what to change.
    road : Road
        The feature.
    """

    def __init__(self, sentence: str, road: Road) -> None:
        super().__init__(sentence)
        self.road = road


def find_road(
    surface: Field,
    cell_size: float,
    road: Road,
    wet: npt.NDArray[np.bool_] | None = None,
) -> Steps[RoadCourse]:
    """Find the cheapest road that goes by its stops in their order; where there is none within its limits, in seconds.

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

    Yields
    ------
    float
        Share done, before each search.

    Returns
    -------
    RoadCourse
        The height of the roadway never changes by more than the steepest grade, and lies as close to the land as that
        allows (the best approximation in the maximum norm: the mean of the lowest such profile above the land and the
        highest below it).

    Raises
    ------
    RefusedRoad
        If every way that was found needs a bridge or tunnel that is longer than allowed; it names limits with which one
        was found.  Also if the heights of its stops differ by more than its grade allows: at once where the ground does
        not rise with them.
    """
    water = np.zeros(surface.shape, bool) if wet is None else wet
    land = _Land(surface, water.astype(np.float32), cell_size)
    stops = land.stops_of(road)
    if too_high := tell_climb(road, stops, land.ground(*stops.T)):
        raise RefusedRoad(too_high, road)
    places = _nodes(land, _MOST_NODES)
    found = yield from within(_within_limits(places, land, road), 0.0, _OWN_LIMITS)
    if found is not None:
        return found
    # This way does not depend on the limits, so that it is there when they are as the refusal says.
    yield _OWN_LIMITS
    cheapest = _found(places, land, road, Limits(math.inf, math.inf, math.inf))
    if cheapest is None:
        no_way = f"{title_of(road)} finds no way between its points; move them apart, or allow sharper bends"
        raise RefusedRoad(tell_climb(road, stops) or no_way, road)
    if not _too_long(cheapest):
        return cheapest
    longer = yield from within(_with_longer(places, land, cheapest), _OWN_LIMITS, _LONGER_LIMITS)
    if _keeps_within(road, longer):
        return longer._replace(road=road)
    steeper = road.replace(steepest_grade=min(_STEEPER * road.steepest_grade, STEEPEST_GRADE))
    search = _within_limits(places, land, steeper, _ATTEMPTS[:1])
    is_found = (yield from within(search, _LONGER_LIMITS, 1.0)) is not None
    raise RefusedRoad(_refusal(road, longer, steeper if is_found else None, land.is_wet(*stops.T)), road)


def _within_limits(
    places: RoadNodes, land: "_Land", road: Road, attempts: tuple[tuple[float, float], ...] = _ATTEMPTS
) -> Steps[RoadCourse | None]:
    """The cheapest road within its limits, if one is found."""
    in_vain = lies_beyond_water(places, _in_nodes(land.stops_of(road), places), road.longest_bridge)
    known: dict[tuple[int, int], Array] = {}
    for number, (share, slack) in enumerate(() if in_vain else attempts):
        yield number / len(attempts)
        limits = Limits(share * road.longest_bridge, share * road.longest_tunnel, slack)
        found = _found(places, land, road, limits, known)
        if found is not None and not _too_long(found):
            return found
    return None


def _with_longer(places: RoadNodes, land: "_Land", cheapest: RoadCourse) -> Steps[RoadCourse]:
    """A road with longer limits than its own, as short as was found, with which it is built.

    Where longer steps may be tried, a way is sometimes found that keeps within its own limits after all: then this one.
    """
    longer = yield from within(_with_any_longer(places, land, cheapest), 0.0, 0.6)
    if _keeps_within(cheapest.road, longer):
        return longer
    return (yield from within(_with_shorter(places, land, cheapest, longer), 0.6, 1.0))


def _with_any_longer(places: RoadNodes, land: "_Land", cheapest: RoadCourse) -> Steps[RoadCourse]:
    """The first road that is built with limits that grow, or one of the first that keeps within its own limits."""
    tries, found = _longer_limits(places, cheapest), None
    for number, longer in enumerate(tries):
        if found is not None and number >= _MOST_DOUBLED:
            break
        search = _built(places, land, cheapest._replace(road=longer))
        course = yield from within(search, number / len(tries), (number + 1) / len(tries))
        if course is not None and _keeps_within(cheapest.road, course):
            return course
        found = found or course
    return found or cheapest._replace(road=tries[-1])


def _with_shorter(places: RoadNodes, land: "_Land", cheapest: RoadCourse, longer: RoadCourse) -> Steps[RoadCourse]:
    """A road that is built with limits as much shorter than those of one that was found as a few searches allow."""
    road, found, room = cheapest.road, longer, 0.0
    for number in range(_MOST_SHORTER):
        shorter = _just_allowing(found, road, room)
        if shorter == found.road or _keeps_within(road, found):
            break
        search = _built(places, land, cheapest._replace(road=shorter))
        less = yield from within(search, number / _MOST_SHORTER, (number + 1) / _MOST_SHORTER)
        if less is not None:
            found, room = less, 0.0
        elif room > 0.0:
            break
        else:
            # Steps are longer than the bridges and tunnels that become of them.
            room = 2.0 * places.spacing
    return found


def _longer_limits(places: RoadNodes, cheapest: RoadCourse) -> list[Road]:
    """A road with the limits that are tried one after the other; with some of them the cheapest way is built."""
    road, most = cheapest.road, _just_allowing(cheapest, cheapest.road)
    side = (max(places.heights.shape) - 1) * places.spacing
    pairs = [
        tuple(
            min(max(own, _LEAST_LIMIT) * 2.0**doubled, needed)
            for own, needed in (
                (road.longest_bridge, most.longest_bridge),
                (road.longest_tunnel, most.longest_tunnel),
            )
        )
        for doubled in range(1, _MOST_DOUBLED + 1)
    ]
    pairs += [(share * side, share * side) for share in _SHARES_OF_LAND]
    return list(dict.fromkeys((*(_allowing(road, bridge, tunnel) for bridge, tunnel in pairs), most)))


def _built(places: RoadNodes, land: "_Land", cheapest: RoadCourse) -> Steps[RoadCourse | None]:
    """The road that is built within the limits of `cheapest.road`, if one is found without trying longer ones."""
    found = yield from _within_limits(places, land, cheapest.road)
    if found is None and not _too_long(cheapest):
        return cheapest
    return found


def _just_allowing(course: RoadCourse, road: Road, room: float = 0.0) -> Road:
    """A road with limits, in round numbers, that just allow the bridges and tunnels of a course, but its own at least.

    With room they are so many metres longer, and so much that a search finds them, but no longer than those of the
    course.
    """
    lengths = []
    for one, most in (
        (_longest(course.bridges), course.road.longest_bridge),
        (_longest(course.tunnels), course.road.longest_tunnel),
    ):
        length = one.end - one.begin
        if room > 0.0 and length > 0.0:
            length = min((length + room) / _ATTEMPTS[0][0], max(length, most))
        lengths.append(_rounded_up(length))
    return _allowing(road, *lengths)


def _allowing(road: Road, bridge: float, tunnel: float) -> Road:
    """A road whose bridges and tunnels may be so long, where its own limits are not longer."""
    return road.replace(
        longest_bridge=max(road.longest_bridge, bridge), longest_tunnel=max(road.longest_tunnel, tunnel)
    )


def _rounded_up(length: float) -> float:
    """A length in metres with two digits that count, and no less than before; tens at least."""
    step = 10.0 ** max(math.floor(math.log10(max(length, 1.0))) - 1, 1)
    return math.ceil(length / step) * step


def sketch_road(surface: Field, cell_size: float, road: Road) -> RoadCourse | None:
    """Return roughly where a road will go, within a tenth of a second; see `find_road`.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    road : Road
        With two points or more.

    Returns
    -------
    RoadCourse or None
        It does not keep to the limits of bends, bridges and tunnels.  None if it has no way.
    """
    land = _Land(surface, np.zeros(surface.shape, np.float32), cell_size)
    way = _way(_nodes(land, _FEW_NODES), land, road, Limits(math.inf, math.inf, math.inf))
    return None if way is None else _course_of(way, road, land)._replace(is_sketch=True)


def _nodes(land: "_Land", most: int) -> RoadNodes:
    """The grid for a search, with at most so many nodes along its longer side."""
    stride = max(1, math.ceil((max(land.surface.shape) - 1) / (most - 1)))
    return RoadNodes(_means(land.surface, stride), _means(land.water, stride), land.cell_size * stride)


def _found(
    places: RoadNodes, land: "_Land", road: Road, limits: Limits, known: dict[tuple[int, int], Array] | None = None
) -> RoadCourse | None:
    """The cheapest road within limits, if there is one and it reaches its stops; `known` as for `search_way`."""
    way = _way(places, land, road, limits, known)
    if way is None:
        return None
    line = _align(way, _bends_of(road, places), road, land)
    course = _course_of(line, road, land)
    high = course.line.height[line.places]
    is_missed = any(len(point) > 2 and abs(z - point[2]) > _MISSED for z, point in zip(high, road.points))
    return None if is_missed else course


def _bends_of(road: Road, places: RoadNodes) -> Bends:
    return Bends(road.least_radius, road.width, places.spacing)


def _in_nodes(stops: Numbers, places: RoadNodes) -> list[tuple[float, float]]:
    """Stops in units of the grid of a search."""
    return [(float(x), float(y)) for x, y in stops / places.spacing]


def _way(
    places: RoadNodes, land: "_Land", road: Road, limits: Limits, known: dict[tuple[int, int], Array] | None = None
) -> Alignment | None:
    """The cheapest chain of nodes within limits as a line, if there is one."""
    stops = land.stops_of(road)
    legs = search_way(places, road, _in_nodes(stops, places), limits, known)
    if legs is None:
        return None
    way, fixed = [legs[0][0]], [0]
    for leg in legs:
        way += leg[1:]
        fixed.append(len(way) - 1)
    return first_bends(np.array(way, np.float64) * places.spacing, fixed, stops, _bends_of(road, places))


def bend_road(surface: Field, cell_size: float, road: Road, known: RoadCourse) -> RoadCourse | None:
    """Return a road whose stops were moved, as far as one can say without a search: its way bends with them.

    Parameters
    ----------
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.
    road : Road
        The road as it is wanted.
    known : RoadCourse
        The road as it was built.

    Returns
    -------
    RoadCourse or None
        With a new profile; it does not keep to the limits of bends, bridges and tunnels.  None if the number of stops
        has changed.
    """
    land = _Land(surface, np.zeros(surface.shape, np.float32), cell_size)
    before, after = land.stops_of(known.road), land.stops_of(road)
    if before.shape != after.shape:
        return None
    line, at = known.line, _places_on(known.line, before)
    move = after - before
    along = line.along
    x, y = (old + np.interp(along, along[at], move[:, axis]) for axis, old in enumerate((line.x, line.y)))
    return _course_of(Alignment(x, y, at), road, land)._replace(is_sketch=True)


def _places_on(line: DrawnLine, stops: Numbers) -> list[int]:
    """The numbers of the points of a line that are stops."""
    at, begin = [], 0
    for x, y in stops:
        # A loop goes by a place twice, so each stop is looked for behind the one before it.
        at.append(begin + int(np.argmin((line.x[begin:] - x) ** 2 + (line.y[begin:] - y) ** 2)))
        begin = at[-1]
    return at


def meet_roads(
    course: RoadCourse,
    built: Sequence[RoadCourse],
    surface: Field,
    cell_size: float,
    wet: npt.NDArray[np.bool_],
) -> RoadCourse:
    """Return a road that has the height of others where it meets them on the ground, as far as its limits allow.

    Parameters
    ----------
    course : RoadCourse
        From `find_road`.
    built : sequence of RoadCourse
        Those that were built before it.
    surface : ndarray of float32, shape (rows, columns)
        Heights in metres, as for `find_road`.
    cell_size : float
        Metres.
    wet : ndarray of bool, shape (rows, columns)
        Where water is.

    Returns
    -------
    RoadCourse
        On the same line.  Its stops keep their heights.
    """
    line, levels = course.line, []
    for meeting in find_meetings(course, built):
        after = int(np.clip(np.searchsorted(line.along, meeting.along), 1, line.x.size - 1))
        # Both points beside the place, so that the road between them has the height there.
        levels += [(float(line.along[k]), float(line.height[k]) - meeting.rise) for k in (after - 1, after)]
    if not levels:
        return course
    land = _Land(surface, wet.astype(np.float32), cell_size)
    way = Alignment(line.x, line.y, _places_on(line, land.stops_of(course.road)))
    met = _course_of(way, course.road, land, levels)
    return course if _too_long(met) else met


def _course_of(way: Alignment, road: Road, land: "_Land", levels: Sequence[tuple[float, float]] = ()) -> RoadCourse:
    """The road along a line, with its profile, bridges and tunnels; stops with heights count more than `levels`."""
    x, y, at = way
    line, radius = DrawnLine(x, y, np.empty(0)), sharpest_bend(x, y)
    along = line.along
    ground, is_wet = land.ground(x, y), land.is_wet(x, y)
    levels = [*levels, *_drawn_levels(road, along, at)]
    level = _profile(along, ground, is_wet, 0.01 * road.steepest_grade, levels)
    bridges = _structures(along, is_wet | (level - ground > DEEPEST_FILL))
    deep = _structures(along, (ground - level > DEEPEST_CUT) & ~is_within(bridges, along))
    tunnels = tuple(one for one in deep if one.end - one.begin >= _SHORTEST_TUNNEL)
    steepest = float(np.max(np.abs(np.diff(level)) / np.maximum(np.diff(along), 1e-9), initial=0.0))
    bend = (float(x[radius.point]), float(y[radius.point]))
    return RoadCourse(road, line._replace(height=level), ground, bridges, tunnels, steepest, radius.radius, bend)


def _longest(found: tuple[Structure, ...]) -> Structure:
    """The longest of some bridges or tunnels."""
    return max(found, key=lambda one: one.end - one.begin, default=Structure(0.0, 0.0))


def _too_long(course: RoadCourse) -> list[tuple[str, Structure, float]]:
    """Bridges and tunnels that are longer than allowed: what it is, the longest, and the limit."""
    kinds = (
        ("bridge", _longest(course.bridges), course.road.longest_bridge),
        ("tunnel", _longest(course.tunnels), course.road.longest_tunnel),
    )
    return [(name, one, most) for name, one, most in kinds if one.end - one.begin > most]


def _keeps_within(road: Road, course: RoadCourse) -> bool:
    """Whether the bridges and tunnels of a course are as short as a road asks."""
    return not _too_long(course._replace(road=road))


def _refusal(road: Road, longer: RoadCourse, steeper: Road | None, is_wet: npt.NDArray[np.bool_]) -> str:
    """With which limits, longer than its own, or with which grade a road was found, and which stops stand in water."""
    kinds = (
        ("bridge", _longest(longer.bridges), road.longest_bridge, longer.road.longest_bridge),
        ("tunnel", _longest(longer.tunnels), road.longest_tunnel, longer.road.longest_tunnel),
    )
    needs = [
        f"{name}s of up to {most:.0f} m, {_where(one.begin)} (longest {name} now: {now:g} m)"
        for name, one, now, most in kinds
        if most > now
    ]
    allowed = ["that length" if len(needs) == 1 else "those lengths"]
    if is_too_sharp(longer):
        needs.append(f"a bend of {longer.least_radius:.0f} m (least radius now: {road.least_radius:g} m)")
        allowed[0] += " and sharper bends"
    found = _listed(needs)
    if steeper is not None:
        found += (
            f", and one with a grade of {steeper.steepest_grade:g} % (steepest grade now: {road.steepest_grade:g} %)"
        )
        allowed.append("that grade")
    wet = [str(number) for number, here in enumerate(is_wet, start=1) if here]
    stands = f": point{'s' if len(wet) > 1 else ''} {_listed(wet)} stand{'' if len(wet) > 1 else 's'} in water"
    return (
        f"{title_of(road)} finds no way within its limits; a road was found with {found}; "
        f"allow {' or '.join(allowed)}, or move its points{stands if wet else ''}"
    )


def _listed(items: list[str]) -> str:
    """Some things in a sentence: with commas, and an "and" before the last."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def _where(begin: float) -> str:
    """Where along a road something begins."""
    return "at its first point" if begin < 0.5 else f"{begin:.0f} m from its first point"


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


class _Land(NamedTuple):
    """The land that a road sees."""

    surface: Field
    water: Field
    cell_size: float

    def _at(self, field: Field, x: Numbers, y: Numbers) -> Numbers:
        rows, columns = field.shape
        x, y = np.clip(x, 0.0, (columns - 1) * self.cell_size), np.clip(y, 0.0, (rows - 1) * self.cell_size)
        return sample(field, self.cell_size, x, y).astype(np.float64)

    def stops_of(self, road: Road) -> Numbers:
        """The places of the stops of a road, those outside the land moved to its border."""
        rows, columns = self.surface.shape
        stops = np.array([point[:2] for point in road.points], np.float64)
        return np.clip(stops, 0.0, [(columns - 1) * self.cell_size, (rows - 1) * self.cell_size])

    def ground(self, x: Numbers, y: Numbers) -> Numbers:
        """Height of the ground or of standing water."""
        return self._at(self.surface, x, y)

    def is_wet(self, x: Numbers, y: Numbers) -> npt.NDArray[np.bool_]:
        """Where there is water."""
        return np.asarray(self._at(self.water, x, y) > 0.25)


def _drawn_levels(road: Road, along: Numbers, places: list[int]) -> list[tuple[float, float]]:
    """The stops that have heights: how far along the road, and how high."""
    return [(float(along[place]), point[2]) for place, point in zip(places, road.points) if len(point) > 2]


def _align(line: Alignment, bends: Bends, road: Road, land: _Land) -> Alignment:
    """Move a line sideways on slopes to where the ground is as high as the roadway; its stops stay."""
    for _ in range(_ALIGNING):
        x, y, places = line
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
        shift[places] = 0.0
        line = Alignment(x + shift * nx, y + shift * ny, places)
        smooth_bends(line, bends)
        line = round_bends(line, bends, _FEW_PASSES)
    return round_bends(line, bends)


def _profile(
    along: Numbers, ground: Numbers, is_wet: npt.NDArray[np.bool_], grade: float, levels: list[tuple[float, float]]
) -> Numbers:
    """Heights that change by at most `grade` per metre and are as close to the ground as that allows.

    The ground under bridges and above tunnels does not count: there the road goes straight on.
    """
    free = is_wet
    for _ in range(_LEVELLING):
        wanted = _bridged(along, ground, free)
        wanted = np.maximum(wanted, ground + np.where(is_wet, 2.0, -np.inf))
        level = _closest(wanted, grade * along)
        more = is_wet | (level - ground > DEEPEST_FILL) | (ground - level > DEEPEST_CUT)
        if (more == free).all():
            break
        free = more
    for _ in range(16):
        level[1:-1] = 0.25 * (level[:-2] + 2.0 * level[1:-1] + level[2:])
    level = _closest(level, grade * along)
    for place, height in levels:
        room = grade * np.abs(along - place)
        level = np.clip(level, height - room, height + room)
    return level


def _bridged(along: Numbers, ground: Numbers, free: npt.NDArray[np.bool_]) -> Numbers:
    """The ground, with straight lines where it does not count."""
    if not free.any() or free.all():
        return ground.copy()
    return np.where(free, np.interp(along, along[~free], ground[~free]), ground)


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
