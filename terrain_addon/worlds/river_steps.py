"""From which age to which age of the land each step of river incision on a tiled level goes."""

import math
from typing import NamedTuple


class RiverStep(NamedTuple):
    """One step of river incision.

    Attributes
    ----------
    begin, end : float
        In ages of the land.
    """

    begin: float
    end: float

    @property
    def lift(self) -> float:
        """By which share of its rise over all time the ground rises."""
        return math.exp(-self.begin) - math.exp(-self.end)


def step_on_level(age: float, coarse_time: float, steps: int, level: int, step: int) -> RiverStep:
    """Return a step; each level takes half the time of the coarser one.

    Parameters
    ----------
    age : float
        Of the land on the level in memory, in ages.
    coarse_time : float
        Time that the level in memory took for its own steps, in ages.
    steps : int
        How many each level takes.
    level, step : int
        Which one, both from 1.

    Returns
    -------
    RiverStep

    Examples
    --------
    >>> step_on_level(1.0, 0.25, 2, level=2, step=1)
    RiverStep(begin=1.125, end=1.15625)
    """
    begin = age + coarse_time * (1.0 - 0.5 ** (level - 1))
    time = coarse_time * 0.5**level / steps
    return RiverStep(begin + (step - 1) * time, begin + step * time)
