"""Wandering rivers: large rivers wander over the floors of their valleys, and reshape them.

Where a valley is wide and gentle its river wanders by the law of Howard and Knutson (see `meander.centre_line`).  It
takes the ground that it meets and leaves a level floor of sediment behind: ridges and swales where a bank grew year by
year, the hollows of bends that it has cut off, which silt up, and its bed.  Ground that rises above the river holds it.

>>> from terrain_addon.core.flow.water import Water, find_water
>>> from terrain_addon.core.foundation.progress import run
>>> y, x = np.mgrid[0.0:65.0, 0.0:129.0]
>>> valley = (0.02 * x + 0.5 * np.abs(y - 32.0 - 3.0 * np.sin(x / 9.0))).astype(np.float32)
>>> land = Terrain(valley, np.zeros_like(valley), 20.0)
>>> waters = find_water(valley, 20.0, Water(river_width=40.0, river_source=0.1))
>>> done = run(wander_rivers(land, WanderingRivers(smallest_river=0.3, years=400.0), waters=waters))
>>> bool(np.ptp(done.terrain.surface - valley) > 1.0), done.notices
(True, ())
>>> run(wander_rivers(land, WanderingRivers(smallest_river=30.0), waters=waters)).notices
('no river wanders: none drains 30 km² or more and is 0.02 cells wide; lower Smallest River or raise Resolution',)

References
----------
A. D. Howard and T. R. Knutson (1984), "Sufficient conditions for river meandering: A simulation approach", Water
Resources Research 20, 1659-1667, doi:10.1029/WR020i011p01659.

A. D. Howard (1992), "Modeling channel migration and floodplain sedimentation in meandering streams", in Lowland
Floodplain Rivers, Wiley, 1-41: floodplains that the river leaves behind, and bends that silt up.
"""

import math
from dataclasses import dataclass
from types import EllipsisType
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..flow.drainage import drainage_area
from ..flow.routing import route_flow
from ..flow.water import Waters
from ..foundation.compilation import Array
from ..foundation.parameters import parameter
from ..foundation.progress import Steps, run, within
from ..foundation.sampling import sample
from ..foundation.terrain import Field, Terrain
from ..meander.centre_line import WIDTH, Freedom, MeanderLaw, X, Y, gaps_of
from ..meander.wandering import WanderingRiver, everywhere, wander
from .layers import heights_of
from .mass_balance import Eroded, MassBalance, volume_of
from .meander_ground import (
    DEPTH,
    HOLLOW,
    LEVEL,
    SHAPED,
    UNTOUCHED,
    cut_middle,
    even_years,
    ground_of_beds,
    open_ways,
    stamp_bed,
    with_alluvium,
    years_of_rivers,
)
from .process import History, Process, ProcessParameters
from .valley_floor import (
    ValleyFloors,
    carry_on_beside,
    cells_of,
    distances_from,
    find_reaches,
    find_valleys,
    freedom_in,
    places_of,
    with_approaches,
)

MOST_WANDERING_YEARS = 3000.0
"""Longest time that rivers wander."""
_KM2 = 1e6
# Years between two lines that are kept.
_KEPT = 4.0
# A bed is this much wider than its river, so that its banks show.
_BED_REACH = 1.3
# Widths beside the middle of a river, twice, that are its banks: no hollow lies there, and what dams water is cut.
_BANKS = 3.0
# In metres for each metre: the least fall of a bed.
_LEAST_FALL = 1e-4
# Years from one ridge to the next, times the mobility: a bend of usual sharpness moves by about a width meanwhile.
_RIDGE_WAY = 4.0
# Ridges fade where they are nearer than the first of these numbers of cells, and are gone where nearer than the second.
_RIDGE_CELLS = (6.0, 3.0)
# A new bank is lower than the floor by this share of the depth, and grows for as many years as two ridges take.
_NEW_BANK = 0.6
# Widths at the ends of a bend that are filled first when it is cut off, so that it becomes a lake.
_PLUG = 2.0
# Cells of a bed that are no lower than the mouth of what flows into it.
_MOUTH_CELLS = 2.0
# Points over which a bed reaches its depth.
_BEGIN = 8
# Streams that drain this share of the smallest river that wanders are let through.
_LET_THROUGH = 0.02
# Sediment below the floor, in depths of the river: as deep as it scours.
_SCOUR = 1.2
# Slope that rivers do not exceed where they come down from what has not yet been cut.
_KNICK = 0.01
_METRES = 1e-3  # a millimetre in metres


@dataclass(frozen=True)
class WanderingRivers(ProcessParameters):
    """Large rivers meander over the floors of gentle valleys, and leave oxbow lakes."""

    years: float = parameter(
        1000.0,
        "How long rivers wander",
        unit="yr",
        limits=(0.0, MOST_WANDERING_YEARS),
        soft=(0.0, 2000.0),
    )
    smallest_river: float = parameter(
        5.0,
        "Drainage area at which a river wanders",
        unit="km²",
        limits=(1e-6, 1e6),
        soft=(0.1, 100.0),
    )
    wall_height: float = parameter(
        8.0,
        "Height of the ground beside a river above which it moves more slowly: the higher the ground, the slower",
        unit="m",
        limits=(0.1, 1000.0),
        soft=(1.0, 30.0),
    )
    steepest: float = parameter(
        0.5,
        "Steepest fall of a valley in which a river wanders",
        unit="°",
        limits=(0.0, 45.0),
        soft=(0.0, 2.0),
        label="Steepest Valley",
    )
    mobility: float = parameter(
        0.1,
        "How many widths a year a sharp bend moves: forest holds banks at 0.02, sand lets them go at 0.2",
        limits=(0.001, 0.3),
        soft=(0.01, 0.3),
    )
    incision: float = parameter(
        0.0,
        "How fast rivers cut down meanwhile; what they leave higher up stays as terraces",
        unit="mm/yr",
        limits=(0.0, 100.0),
        soft=(0.0, 20.0),
    )
    terrace_years: float = parameter(
        300.0,
        "Years from one cut to the next, between which rivers widen their floors; fewer years make more terraces",
        unit="yr",
        limits=(4.0, 3000.0),
        soft=(50.0, 1000.0),
        advanced=True,
    )
    ridges: float = parameter(
        0.5,
        "Height of the ridges that are left inside bends, from swale to ridge",
        unit="m",
        limits=(0.0, 20.0),
        soft=(0.0, 2.0),
    )
    oxbow_years: float = parameter(
        800.0,
        "How long a bend that is cut off stays a hollow before it has silted up",
        unit="yr",
        limits=(1.0, 1e5),
        soft=(50.0, 2000.0),
    )
    width_to_depth: float = parameter(
        35.0,
        "Width of a river as a multiple of its depth; deeper rivers have shorter memories and shorter bends",
        limits=(5.0, 200.0),
        soft=(20.0, 60.0),
        advanced=True,
    )
    friction: float = parameter(
        0.01,
        "Friction of the bed; rougher beds have shorter bends",
        limits=(0.001, 0.1),
        soft=(0.005, 0.02),
        advanced=True,
    )

    def acting_at(self, altitude: float) -> Self:
        """Return rivers that wander on any land.

        Parameters
        ----------
        altitude : float
            Metres.

        Returns
        -------
        Self
        """
        return self.replace(smallest_river=1e-6, wall_height=1000.0, steepest=45.0)

    @property
    def law(self) -> MeanderLaw:
        """How lines move, as kernels take it."""
        return MeanderLaw(self.mobility, self.friction, self.width_to_depth)

    @property
    def ridge_years(self) -> float:
        """Years from one ridge to the next."""
        return _RIDGE_WAY / self.mobility


class _Levels(NamedTuple):
    """How high the rivers of a land run over the years.

    Attributes
    ----------
    first : ndarray of float32, shape (rows, columns)
        Metres, before they cut down.
    room : ndarray of float32, shape (rows, columns)
        How far they can cut down at most, in metres.
    cut : float
        How far they cut down at a time.
    interval : float
        Years from one time to the next.
    """

    first: Field
    room: Field
    cut: float
    interval: float

    def at(self, years: Array | float, there: Array | EllipsisType = ...) -> Array:
        """Return the height of the rivers in one year, or in the year of each place `there`, a mask of the land."""
        first, room = self.first[there], self.room[there]
        if self.cut == 0.0:
            return first
        return np.asarray(first - np.minimum(room, self.cut * np.floor(np.asarray(years) / self.interval)))


class FoundRivers(NamedTuple):
    """A land and its waters, on which rivers begin to wander.

    Attributes
    ----------
    terrain : Terrain
        The land.
    waters : Waters
        Of this land.
    """

    terrain: Terrain
    waters: Waters


class RiverHistory(NamedTuple):
    """Where rivers were over the years, from which `land_wandered` computes the land after any number of them.

    Attributes
    ----------
    land : FoundRivers
        Before they wander.
    process : WanderingRivers
        How they do.
    freedom : Freedom
        Where they may; from a coarser grid the same for all finer lands.
    states : list of tuple of WanderingRiver
        All rivers at rising years, from 0; no river where none wanders.
    notice : str
        Why none wanders; empty where one does.
    """

    land: FoundRivers
    process: WanderingRivers
    freedom: Freedom
    states: list[tuple[WanderingRiver, ...]]
    notice: str


def follow_rivers(
    terrain: Terrain, process: WanderingRivers, *, waters: Waters, seed: int = 0, overview: FoundRivers | None = None
) -> Steps[RiverHistory]:
    """Let rivers wander for as long as any can.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : WanderingRivers
        How rivers wander; its years have no influence.
    waters : Waters
        The rivers of the land.
    seed : int
        Of the bends in which rivers come in from above.
    overview : FoundRivers, optional
        The land of a preview; with it, rivers wander as they do there.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the history so far.

    Returns
    -------
    RiverHistory
    """
    land = FoundRivers(terrain, waters)
    begun = land if overview is None else overview
    valley = find_valleys(*begun, process.smallest_river * _KM2)
    if valley is None:
        notice = (
            f"no river wanders: none drains {process.smallest_river:g} km² or more and is 0.02 cells wide; "
            "lower Smallest River or raise Resolution"
        )
        return RiverHistory(land, process, everywhere(), [()], notice)
    steepest = math.tan(math.radians(process.steepest))
    rivers = find_reaches(*begun, valley, process.wall_height, steepest, seed)
    if not rivers:
        notice = f"no river wanders: no wide valley floor falls by {process.steepest:g}° or less; raise Steepest Valley"
        return RiverHistory(land, process, everywhere(), [()], notice)
    freedom = freedom_in(*begun, valley, process.wall_height)
    states = [rivers]
    count = round(MOST_WANDERING_YEARS / _KEPT)
    for number in range(count):
        moved = []
        for river in states[-1]:
            moved.append(
                (yield from within(wander(river, process.law, freedom, _KEPT), number / count, number / count))
            )
        states.append(tuple(moved))
        if (yield (number + 1) / count):
            break
    return RiverHistory(land, process, freedom, states, "")


def land_wandered(history: RiverHistory, years: float) -> Steps[Eroded]:
    """Compute a land over which rivers have wandered for some years.

    Parameters
    ----------
    history : RiverHistory
        From `follow_rivers`.
    years : float
        0 to 3000.

    Yields
    ------
    float
        Share done.

    Returns
    -------
    Eroded
        Sediment is taken before rock, and what is laid is sediment; below a floor there is as much of it as the river
        scours.  Where more is taken than laid, the rest has `left` with the river; otherwise the river has brought it.
        Where no river wanders the land stays as it is, to the last bit, and a notice says why.

    Raises
    ------
    ValueError
        If `years` is out of range.
    """
    if not 0.0 <= years <= MOST_WANDERING_YEARS:
        raise ValueError(f"years = {years!r} is outside 0.0 to {MOST_WANDERING_YEARS:.0f}")
    terrain, before = history.land.terrain, volume_of(history.land.terrain)
    if history.notice or years == 0.0:
        return Eroded(terrain, MassBalance(before, before), (history.notice,) if history.notice else ())
    yield 0.0
    states = history.states[: math.floor(years / _KEPT) + 1]
    now = states[-1]
    rest = years - now[0].year
    if rest > 0.0:
        now = _moved(now, history.process.law, history.freedom, rest)
        states = [*states, now]
    after = _shaped(history, states)
    volume = volume_of(after)
    return Eroded(after, MassBalance(before, volume, max(volume - before, 0.0), max(before - volume, 0.0)))


def wander_rivers(
    terrain: Terrain, process: WanderingRivers, *, waters: Waters, seed: int = 0, overview: FoundRivers | None = None
) -> Steps[Eroded]:
    """Let rivers wander over a land.

    Parameters
    ----------
    terrain : Terrain
        The land.
    process : WanderingRivers
        How rivers wander, and how long.
    waters : Waters
        The rivers of the land.
    seed : int
        Of the bends in which rivers come in from above.
    overview : FoundRivers, optional
        As for `follow_rivers`.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the land as it is then.

    Returns
    -------
    Eroded
        As `land_wandered`.
    """
    history = yield from within(follow_rivers(terrain, process, waters=waters, seed=seed, overview=overview), 0.0, 0.5)
    return (yield from within(land_wandered(history, process.years), 0.5, 1.0))


def _moved(
    rivers: tuple[WanderingRiver, ...], law: MeanderLaw, freedom: Freedom, years: float
) -> tuple[WanderingRiver, ...]:
    """Return rivers after a few years."""
    return tuple(run(wander(river, law, freedom, years)) for river in rivers)


def _shaped(history: RiverHistory, states: list[tuple[WanderingRiver, ...]]) -> Terrain:
    """Return the land with floors, hollows and beds."""
    terrain, process = history.land.terrain, history.process
    valley = find_valleys(*history.land, process.smallest_river * _KM2, states[0])
    if valley is None:  # only the preview has such a river
        return terrain
    ground = heights_of(terrain)
    years = years_of_rivers(terrain, [river for state in states for river in state])
    now = states[-1]
    levels = _levels_of(valley, process, terrain, states[0])
    floor, been = ground.copy(), years >= 0.0
    floor[been] = _floor(levels, process, years, now)
    shaped = floor.copy()
    kind = np.zeros(ground.shape, np.uint8)
    for river in now:
        _leave_oxbows(river, levels, process, terrain.cell_size, years, shaped, kind)
    beds = _beds(history, states, valley, been, levels.at(now[0].year))
    # Beside the river there is no hollow that could lead it away.
    beside = ground_of_beds(beds, _BANKS, terrain) < np.inf
    shaped[beside] = floor[beside]
    kind[beside] = SHAPED
    np.minimum(shaped, ground_of_beds(beds, _BED_REACH, terrain), out=shaped)
    for bed in beds:
        cut_middle(bed, terrain.cell_size, shaped)
    changed = (shaped != ground) | been
    del ground
    kind[changed & (kind == UNTOUCHED)] = SHAPED
    _let_through(process, terrain.cell_size, kind, floor, shaped)
    del kind, floor
    deepest = _SCOUR * max(float(bed[:, DEPTH].mean()) for bed in beds)
    return with_alluvium(terrain, shaped, changed, deepest)


def _let_through(process: WanderingRivers, cell_size: float, kind: Array, floor: Array, shaped: Array) -> None:
    """Lower the ground, in place, where it would dam a stream."""
    routes = route_flow(shaped, cell_size)
    area = drainage_area(routes).ravel()
    large = process.smallest_river * _KM2
    ways = (routes.order, routes.receivers, area, _LET_THROUGH * large, large)
    open_ways(*ways, kind.ravel(), floor.ravel(), shaped.ravel())


def _levels_of(
    valley: ValleyFloors, process: WanderingRivers, terrain: Terrain, begun: tuple[WanderingRiver, ...]
) -> _Levels:
    """Return the height of rivers over the years; none cuts below what it flows into, nor falls in too steeply."""
    cut = process.incision * _METRES * process.terrace_years
    if cut == 0.0:
        return _Levels(valley.level, valley.level, 0.0, process.terrace_years)
    fixed = np.full(terrain.surface.shape, np.nan, np.float32)
    for course in valley.rivers:
        away = np.min([distances_from(river.line, course) - course[:, WIDTH] for river in begun], axis=0)
        fixed[_cells_within(course[away > 0.0], terrain)] = 0.0
    for river in begun:
        line = river.line
        level = sample(valley.level, terrain.cell_size, line[:, X], line[:, Y]).astype(np.float64)
        along = np.concatenate(([0.0], np.cumsum(gaps_of(line))))
        room = _KNICK * along
        if not _leaves(line, terrain):
            room = np.minimum(room, np.maximum(level - level[-1] - _LEAST_FALL * (along[-1] - along), 0.0))
        fixed[_cells_within(line, terrain)] = room
    return _Levels(valley.level, carry_on_beside(fixed), cut, process.terrace_years)


def _cells_within(line: Array, terrain: Terrain) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the rows and columns of the cells of the points of a line, or the nearest ones of the land."""
    (row, column), (rows, columns) = cells_of(line, terrain.cell_size), terrain.surface.shape
    return np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)


def _leaves(line: Array, terrain: Terrain) -> bool:
    """Return whether a river ends at the border of the land."""
    rows, columns = terrain.surface.shape
    end = line[-1, :2] / terrain.cell_size
    return bool(min(end[0], end[1], columns - 1 - end[0], rows - 1 - end[1]) < 1.0)


def _floor(
    levels: _Levels, process: WanderingRivers, years: Field, now: tuple[WanderingRiver, ...]
) -> npt.NDArray[np.float64]:
    """Return the height of the floor where rivers have been: ridges and swales, and lower banks where it is new."""
    when, change = even_years(years, _KEPT)
    turn = when / process.ridge_years
    turn = turn - np.floor(turn)
    # Parabolas up and down, from −1 to 1.
    wave = np.where(turn < 0.5, 16.0 * turn * (0.5 - turn), -16.0 * (turn - 0.5) * (1.0 - turn))
    apart = process.ridge_years / np.maximum(change, 1e-6)
    wave *= np.clip((apart - _RIDGE_CELLS[1]) / (_RIDGE_CELLS[0] - _RIDGE_CELLS[1]), 0.0, 1.0)
    new = np.maximum(1.0 - (now[0].year - when) / process.ridge_years, 0.0)
    # No bank lies below the bed of a narrower river.
    depth = min(float(river.line[:, WIDTH].mean()) for river in now) / process.width_to_depth
    return levels.at(when, years >= 0.0) + 0.5 * process.ridges * wave * (1.0 - new) - _NEW_BANK * depth * new * new


def _leave_oxbows(
    river: WanderingRiver,
    levels: _Levels,
    process: WanderingRivers,
    cell_size: float,
    years: Field,
    shaped: Array,
    kind: Array,
) -> None:
    """Lower the ground in the bends that a river has cut off, where it has not been since, and mark it."""
    for oxbow in river.oxbows:
        open_share = 1.0 - (river.year - oxbow.year) / process.oxbow_years
        if open_share <= 0.0:
            continue
        line = oxbow.line
        along = np.concatenate(([0.0], np.cumsum(gaps_of(line)))) / line[:, WIDTH]
        then = np.asarray(levels.at(oxbow.year), np.float32)
        level = sample(then, cell_size, line[:, X], line[:, Y]).astype(np.float64)
        plugged = np.clip(np.minimum(along, along[-1] - along) / _PLUG - 0.5, 0.0, 1.0)
        depth = line[:, WIDTH] / process.width_to_depth * open_share
        # Its water stands level, so its ground does.
        hollow = np.column_stack((line, level, (level - level.min() + depth) * plugged))
        cut = np.full(shaped.shape, np.inf)
        stamp_bed(hollow[plugged > 0.0], 1.0, cell_size, cut)
        deeper = (cut < shaped) & (years <= oxbow.year + _KEPT)
        shaped[deeper] = cut[deeper]
        kind[deeper] = HOLLOW


def _beds(
    history: RiverHistory,
    states: list[tuple[WanderingRiver, ...]],
    valley: ValleyFloors,
    been: npt.NDArray[np.bool_],
    level: Array,
) -> list[Array]:
    """Return the beds of all rivers, the widest first; each ends at its mouth, or where it meets a wider one."""
    terrain, process = history.land.terrain, history.process
    places = places_of(states[0], valley)
    lines = [
        with_approaches(river.line, number, places, valley, been, terrain.cell_size)
        for number, river in enumerate(states[-1])
    ]
    beds: dict[int, Array] = {}
    for number in sorted(range(len(lines)), key=lambda one: -float(lines[one][0][-1, WIDTH])):
        line, above = lines[number]
        meeting = _meeting(line, list(beds.values()))
        if meeting is None and not _leaves(line, terrain):
            meeting = _moved_away(line, beds, states[0], terrain.cell_size)
        if meeting is None:
            beds[number] = _bed(line, above, level, process, terrain)
        elif meeting.point > 1:
            line = line[: meeting.point]
            mouth = _mouth(line, meeting.bed, terrain.cell_size)
            beds[number] = _bed(line, above, level, process, terrain, mouth)
    return list(beds.values())


class _Meeting(NamedTuple):
    """Where a river comes to a wider one: the number of its point, and the bed of the other."""

    point: int
    bed: Array


def _meeting(line: Array, beds: list[Array]) -> _Meeting | None:
    """Return the first meeting of a line with one of some beds; None if it meets none."""
    first: _Meeting | None = None
    for bed in beds:
        # Where it comes in over the border of the bed of the other.
        reach = 0.5 * _BED_REACH * float(bed[:, WIDTH].max())
        inside = np.flatnonzero(distances_from(bed, line) < reach)
        if inside.size and (first is None or inside[0] < first.point):
            first = _Meeting(int(inside[0]), bed)
    return first


def _moved_away(
    line: Array, beds: dict[int, Array], begun: tuple[WanderingRiver, ...], cell_size: float
) -> _Meeting | None:
    """Return the meeting of a line with the bed of the river that ran where it ends, and moved on; None if none did."""
    for number, bed in beds.items():
        # What ran elsewhere may lie beyond hills.
        near = float(bed[:, WIDTH].max()) + cell_size
        if distances_from(begun[number].line, line[-1:])[0] < near:
            return _Meeting(len(line), bed)
    return None


def _mouth(line: Array, bed: Array, cell_size: float) -> Array:
    """Return x, y and bottom of the place of a bed in which a line ends."""
    nearest = int(np.argmin(distances_from(line[-1:], bed)))
    bottom = bed[:, LEVEL] - bed[:, DEPTH]
    # It comes in at the height of the bed some cells above, so that it lowers no cell of it.
    along = np.cumsum(gaps_of(bed)[:nearest][::-1])
    above = nearest - int(np.searchsorted(along, _MOUTH_CELLS * cell_size))
    return np.array([bed[nearest, X], bed[nearest, Y], bottom[max(above, 0)]])


def _bed(
    line: Array, above: int, river_level: Array, process: WanderingRivers, terrain: Terrain, mouth: Array | None = None
) -> Array:
    """Return the bed of a river: x, y, width, height of its banks and depth, falling all the way to its mouth."""
    if mouth is not None:
        line = np.concatenate((line, [[mouth[X], mouth[Y], line[-1, WIDTH]]]))
    field = np.asarray(river_level, np.float32)
    level = sample(field, terrain.cell_size, line[:, X], line[:, Y]).astype(np.float64)
    depth = line[:, WIDTH] / process.width_to_depth
    # It begins as what it was.
    begin = min(above, _BEGIN, len(line))
    depth[:begin] *= np.arange(1, begin + 1) / (begin + 1.0)
    fall = _LEAST_FALL * np.concatenate(([0.0], np.cumsum(gaps_of(line))))
    bottom = np.minimum.accumulate(level - depth + fall) - fall
    if mouth is not None:
        least = mouth[2]
        bottom = np.minimum.accumulate(np.maximum(bottom, least + fall[-1] - fall))
        bottom[-1] = least
    elif not _leaves(line, terrain):
        # Beyond its end the river is where it was.
        bottom = np.minimum.accumulate(np.maximum(bottom, level[-1] + fall[-1] - fall))
    level = np.maximum(level, bottom)
    return np.column_stack((line, level, level - bottom))


WANDERING_RIVERS = Process(
    WanderingRivers,
    wander_rivers,
    exchanged=("uplifted", "left"),
    seeded=True,
    measurements=("waters",),
    history=History(follow_rivers, land_wandered, "years", "letting the rivers wander"),
    overview=FoundRivers,
    layers=26,
)
