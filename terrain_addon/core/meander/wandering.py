"""A river that wanders: its line over the years, and the bends that it has cut off.

>>> from terrain_addon.core.foundation.progress import run
>>> x = np.linspace(0.0, 12_000.0, 241)
>>> line = np.stack((x, 20.0 * np.sin(x / 200.0), np.full_like(x, 100.0)), axis=1)
>>> young = river_on(line)
>>> old = run(wander(young, MeanderLaw(0.1, 0.01, 35.0), everywhere(), 1000.0))
>>> old.sinuosity > 1.3 > 1.05 > young.sinuosity
True
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, kernel
from ..foundation.easing import ease
from ..foundation.hashing import next_hash, unit_float
from ..foundation.progress import Steps
from .centre_line import SPACING, Freedom, MeanderLaw, find_neck, gaps_of, migrate, refit

# A step is this share of the longest in which short bends die out without swinging, for the nearest points.
_SHARE_OF_STEP = 0.25
# Steps between two looks at the distances of points, and for necks: a round.  So many rounds follow each other at most
# before the caller hears of them.
_STEPS_TOGETHER, _ROUNDS_TOGETHER = 4, 64
# A round makes a line at most twice as long.  At first there is room for so many times its points.
_LONGER, _ROOM = 2, 4
# Years, times the mobility, in which another bend comes in: a quarter of the time in which one passes by.
_SWING = 6.0


class Oxbow(NamedTuple):
    """A bend that a river has left.

    Attributes
    ----------
    line : ndarray of float64, shape (points, 3)
        Its centre line and width in metres.
    year : float
        When it was cut off.
    """

    line: Array
    year: float


class Swing(NamedTuple):
    """How a river comes in: its bends above the line pass by, and those below never die out.

    Attributes
    ----------
    most : float
        Largest W C above the line; 0 for a river that comes straight.
    seed : int
        Of its bends.
    """

    most: float
    seed: int


STRAIGHT = Swing(0.0, 0)


class WanderingRiver(NamedTuple):
    """A river at some year.

    Attributes
    ----------
    line : ndarray of float64, shape (points, 3)
        x, y and width in metres, from the source to the mouth.
    oxbows : tuple of Oxbow
        The oldest first.
    year : float
        Since the beginning.
    straight : float
        Length of the valley in metres.
    swing : Swing
        How it comes in.
    """

    line: Array
    oxbows: tuple[Oxbow, ...]
    year: float
    straight: float
    swing: Swing

    @property
    def sinuosity(self) -> float:
        """Length of the river as a multiple of that of its valley."""
        return length_of(self.line) / self.straight


def length_of(line: Array) -> float:
    """Return the length of a line.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 2 or more)
        x and y in metres.

    Returns
    -------
    float
        Metres.
    """
    return float(gaps_of(line).sum())


def everywhere() -> Freedom:
    """Return the freedom of a river on an endless plain."""
    return Freedom(np.ones((2, 2), np.float32), 1.0)


def river_on(line: Array, straight: float | None = None, swing: Swing = STRAIGHT) -> WanderingRiver:
    """Return a young river.

    Parameters
    ----------
    line : ndarray of float64, shape (points, 3)
        x, y and width in metres; two points or more, at any distance.
    straight : float, optional
        Length of the valley in metres; without it, the distance of the ends.
    swing : Swing
        How it comes in.

    Returns
    -------
    WanderingRiver
        With points that are half a width apart.
    """
    steps = gaps_of(line)
    along = np.concatenate(([0.0], np.cumsum(steps)))
    # The way in spacings, as the width changes along it.
    spacings = np.concatenate(([0.0], np.cumsum(steps / (0.5 * SPACING * (line[1:, 2] + line[:-1, 2])))))
    places = np.linspace(0.0, spacings[-1], max(math.ceil(spacings[-1]), 2) + 1)
    where = np.interp(places, spacings, along)
    points = np.stack([np.interp(where, along, line[:, k]) for k in range(3)], axis=1)
    ends = points[-1] - points[0]
    reach = float(np.sqrt(ends[0] * ends[0] + ends[1] * ends[1]))
    return WanderingRiver(points, (), 0.0, reach if straight is None else straight, swing)


def longest_step(law: MeanderLaw) -> float:
    """Return how many years a step takes.

    Parameters
    ----------
    law : MeanderLaw
        How the river moves.

    Returns
    -------
    float
    """
    # Short bends die out by diffusion of k W² a year; its explicit steps are stable up to half a squared spacing.
    return _SHARE_OF_STEP * 0.5 * SPACING * SPACING / law.mobility


def wander(river: WanderingRiver, law: MeanderLaw, freedom: Freedom, years: float) -> Steps[WanderingRiver]:
    """Let a river wander.

    Parameters
    ----------
    river : WanderingRiver
        As it is; left so.
    law : MeanderLaw
        How it moves.
    freedom : Freedom
        Where it may.
    years : float
        How long, 0 or more.

    Yields
    ------
    float
        Share done.  Asked to finish early, it returns the river as it is then.

    Returns
    -------
    WanderingRiver
    """
    line, oxbows = river.line, list(river.oxbows)
    pace = _Pace(law, freedom, river.straight, river.swing, longest_step(law))
    work = _room_for(line)
    gone = 0.0
    while gone < years:
        count, gone, has_neck = _wander_on(work, len(line), pace, river.year, gone, years)
        line = work.line[:count]
        if has_neck:
            line = _without_necks(line, oxbows, river.year + gone)
        if _LONGER * len(line) > len(work.line):
            work = _room_for(line)
        else:
            work.line[: len(line)] = line
        if (yield min(gone / years, 1.0)):
            break
    return river._replace(line=line.copy(), oxbows=tuple(oxbows), year=river.year + gone)


class _Pace(NamedTuple):
    """What moves a river, as a kernel takes it."""

    law: MeanderLaw
    freedom: Freedom
    straight: float
    swing: Swing
    step: float


class _Work(NamedTuple):
    """The line of a river, with room for more points, and working memory of `migrate`, `refit` and `find_neck`."""

    line: Array
    fitted: Array
    rate: Array
    along: Array
    first: Array
    following: Array


def _room_for(line: Array) -> _Work:
    points = _ROOM * len(line)
    room = np.empty((points, 3))
    room[: len(line)] = line
    buckets = 1 << (2 * points - 1).bit_length()
    whole = (np.empty(size, np.int64) for size in (buckets, points))
    return _Work(room, np.empty((points, 3)), np.empty(points), np.empty(points), *whole)


@kernel
def _wander_on(work: _Work, count: int, pace: _Pace, year: float, gone: float, years: float) -> tuple[int, float, bool]:
    """Let a river wander until the years are over, a neck is found, its room may not do, or for some rounds.

    Returns how many points it has, how many years are gone, and whether there is a neck.
    """
    line = work.line
    for _ in range(_ROUNDS_TOGETHER):
        above = _entering(pace.swing, year + gone, pace.law.mobility)
        for _ in range(_STEPS_TOGETHER):
            length = min(pace.step, years - gone)
            migrate(line[:count], pace.law, pace.freedom, pace.straight, above, length, work.rate)
            gone = years if length < pace.step else gone + pace.step
            if gone >= years:
                break
        count = refit(line[:count], work.fitted)
        line[:count] = work.fitted[:count]
        end = find_neck(line[:count], work.along, work.first, work.following)[1]
        if end != 0 or gone >= years or _LONGER * count > line.shape[0]:
            return count, gone, end != 0
    return count, gone, False


@kernel
def _entering(swing: Swing, year: float, mobility: float) -> float:
    """Return W C above the line in some year since the beginning: random bends, and smoothly from one to the next."""
    if swing.most == 0.0:
        return 0.0
    turns = year * mobility / _SWING
    number = math.floor(turns)
    share = ease(turns - number)
    seed = np.uint32(swing.seed)
    before = 2.0 * float(unit_float(next_hash(seed, int(number)))) - 1.0
    after = 2.0 * float(unit_float(next_hash(seed, int(number) + 1))) - 1.0
    return swing.most * (before + share * (after - before))


def _without_necks(line: Array, oxbows: list[Oxbow], year: float) -> Array:
    """Return a line that goes straight on through its necks, and note the bends that it leaves."""
    while True:
        work = _room_for(line)
        begin, end = find_neck(line, work.along, work.first, work.following)
        if end == 0:
            return line
        oxbows.append(Oxbow(line[begin : end + 1].copy(), year))
        line = np.concatenate((line[: begin + 1], line[end:]))
