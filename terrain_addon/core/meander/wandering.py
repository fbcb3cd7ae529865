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

from ..foundation.compilation import Array
from ..foundation.hashing import chain_hashes, unit_float
from ..foundation.progress import Steps
from .centre_line import SPACING, Freedom, MeanderLaw, find_neck, gaps_of, migrate, refit

# A step is this share of the longest in which short bends die out without swinging, for the nearest points.
_SHARE_OF_STEP = 0.25
# Steps between two looks at the distances of points, and for necks.
_STEPS_TOGETHER = 4
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

    def entering(self, year: float, mobility: float) -> float:
        """Return W C above the line in some year.

        Parameters
        ----------
        year : float
            Since the beginning.
        mobility : float
            Of the law.

        Returns
        -------
        float
        """
        if self.most == 0.0:
            return 0.0
        turns = year * mobility / _SWING
        number = math.floor(turns)
        share = turns - number
        share = share * share * (3.0 - 2.0 * share)
        before, after = (2.0 * float(unit_float(chain_hashes(self.seed, one))) - 1.0 for one in (number, number + 1))
        return self.most * (before + share * (after - before))


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
    line, oxbows = river.line.copy(), list(river.oxbows)
    step = longest_step(law)
    gone = 0.0
    while gone < years:
        entering = river.swing.entering(river.year + gone, law.mobility)
        for _ in range(_STEPS_TOGETHER):
            length = min(step, years - gone)
            migrate(line, law, freedom, river.straight, entering, length, np.empty(len(line)))
            gone = years if length < step else gone + step
            if gone >= years:
                break
        line = _refitted(line)
        line = _without_necks(line, oxbows, river.year + gone)
        if (yield min(gone / years, 1.0)):
            break
    return river._replace(line=line, oxbows=tuple(oxbows), year=river.year + gone)


def _refitted(line: Array) -> Array:
    room = np.empty((2 * len(line), 3))
    return room[: refit(line, room)].copy()


def _without_necks(line: Array, oxbows: list[Oxbow], year: float) -> Array:
    """Return a line that goes straight on through its necks, and note the bends that it leaves."""
    while True:
        buckets = np.empty(1 << (2 * len(line) - 1).bit_length(), np.int64)
        begin, end = find_neck(line, np.empty(len(line)), buckets, np.empty(len(line), np.int64))
        if end == 0:
            return line
        oxbows.append(Oxbow(line[begin : end + 1].copy(), year))
        line = np.concatenate((line[: begin + 1], line[end:]))
