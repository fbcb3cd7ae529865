"""How much time a build has left, from what its stages usually take and how fast it has been so far."""

import time
from collections.abc import Callable, Sequence

_MILLION = 1e6
_FEWEST = 60_000  # samples of a land whose times say something about larger ones
_ENOUGH = 0.5  # seconds after which the speed of this machine counts
_EARLY = 0.05  # share of a stage below which the time that it has taken says little

_MOST = 0.99  # share of a build that is not done yet

# Seconds for a million samples, the least that this session has seen, by the name of the stage.
_measured: dict[str, float] = {}


def expected_seconds(name: str, usual: float, samples: int) -> float:
    """Return how long a stage probably takes.

    Parameters
    ----------
    name : str
        Of the stage.
    usual : float
        Seconds that it usually takes for a million samples.
    samples : int
        Of the land.

    Returns
    -------
    float
        Seconds, as measured in this session, or as usual.
    """
    return _measured.get(name, usual) * samples / _MILLION


def note_seconds(name: str, samples: int, seconds: float) -> None:
    """Store how long a stage took.

    Parameters
    ----------
    name : str
        Of the stage, which was computed in full.
    samples : int
        Of the land.
    seconds : float
        The first time may include compiling, so the least counts.
    """
    if samples >= _FEWEST:
        measured = seconds * _MILLION / samples
        _measured[name] = min(measured, _measured.get(name, measured))


class Pace:
    """The time that a build has left.

    Parameters
    ----------
    expected : sequence of float
        Seconds that its stages probably take, in their order.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, expected: Sequence[float], clock: Callable[[], float] = time.monotonic) -> None:
        self._expected, self._clock = list(expected), clock
        self._began = self._stage_began = clock()
        self._number = 0
        self._fraction = 0.0

    def end_stage(self) -> float:
        """Note that a stage is done, and return how many seconds it took.

        Returns
        -------
        float
            Seconds.
        """
        now = self._clock()
        seconds, self._stage_began = now - self._stage_began, now
        self._number += 1
        return seconds

    def seconds_left(self, share: float) -> float:
        """Return how many seconds are probably left.

        Parameters
        ----------
        share : float
            How much of the present stage is done, 0 to 1.

        Returns
        -------
        float
            Seconds.
        """
        spent = self._clock() - self._stage_began
        left = max(self._expected[self._number] * self._slowness() - spent, 0.0)
        if share > 0.0:
            by_share = spent * (1.0 - share) / share
            left = by_share if share >= _EARLY else max(left, by_share)
        return left + self._slowness() * sum(self._expected[self._number + 1 :])

    def fraction(self, share: float) -> float:
        """Return which share of the whole time has probably gone by.

        Parameters
        ----------
        share : float
            How much of the present stage is done, 0 to 1.

        Returns
        -------
        float
            0 to 1, never less than before.
        """
        if self._number == 0 and share == 0.0:
            return 0.0
        spent = self._clock() - self._began
        whole = spent + self.seconds_left(share)
        self._fraction = max(self._fraction, min(spent / whole, _MOST) if whole > 0.0 else 0.0)
        return self._fraction

    def _slowness(self) -> float:
        """How many times longer than expected the stages took that are done; 1 while that is not known."""
        spent, expected = self._stage_began - self._began, sum(self._expected[: self._number])
        return spent / expected if spent > _ENOUGH and expected > 0.0 else 1.0
