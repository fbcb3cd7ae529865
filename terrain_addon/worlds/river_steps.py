"""From which age to which age of the land each step of river incision on a tiled level goes."""

import math
from typing import NamedTuple

from ..core.erosion.ages import FINAL_TIME_SHARE, TIME_SHARE

STEPS = 2
"""Steps of river incision on each tiled level."""
# Of the finest level's time: as much as the final steps of the finest grid in memory take together.
_LAST_SHARE = TIME_SHARE * FINAL_TIME_SHARE


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


def step_on_level(age: float, coarse_time: float, levels: int, level: int, step: int) -> RiverStep:
    """Return a step; each level takes half the time of the coarser one, in two steps.

    Nothing creeps in the very last step.  It takes as much time as the final steps in memory, in which rivers get clear
    beds: in a longer one, each path of the water over a hillside would become a rill.

    Parameters
    ----------
    age : float
        Of the land on the level in memory, in ages.
    coarse_time : float
        Time that the level in memory took for its own steps, in ages.
    levels : int
        How many tiled levels there are.
    level, step : int
        Which one; level from 1, step 1 or 2.

    Returns
    -------
    RiverStep

    Examples
    --------
    >>> step_on_level(1.0, 0.25, 3, level=2, step=1)
    RiverStep(begin=1.125, end=1.15625)
    >>> step_on_level(1.0, 0.25, 2, level=2, step=2).begin
    1.178125
    """
    begin = age + coarse_time * (1.0 - 0.5 ** (level - 1))
    time = coarse_time * 0.5**level
    middle = 1.0 - _LAST_SHARE if level == levels else 0.5
    shares = (0.0, middle, 1.0)
    return RiverStep(begin + shares[step - 1] * time, begin + shares[step] * time)
