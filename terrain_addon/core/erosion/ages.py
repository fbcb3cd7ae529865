"""At which ages the steps of a land end, on each of its grids from coarse to fine.

Time is counted in ages of the land (see `stream_power`).

References
----------
H. Schott, E. Galin, E. Guérin, A. Peytavie and A. Paris (2024), "Terrain amplification using multi-scale erosion", ACM
Transactions on Graphics 43(4), 145, doi:10.1145/3658200: erosion from coarse to fine.
"""

import math

MAXIMUM_AGE = 10.0

STEPS_BETWEEN_STATES = 6
"""States are kept at ages that grow by a constant ratio, with this many steps between any two of them."""
_FIRST_KEPT_AGE, _AGE_RATIO = 0.02, math.sqrt(2.0)
# So a preview and the final land go the same way up to the grid of the preview.  The finest grid then takes the rest of
# the time, in fewer steps.
TIME_SHARE = 0.5
"""Share of the remaining time that each grid takes before a finer one goes on."""
_FINER_STEPS = (16, 8, 4, 3, 2)
_REMAINING_STEPS = (8, 4, 2, 2, 1)
# In the final steps nothing creeps, so that rivers have clear beds.
FINAL_STEPS = 3
"""How many of the last steps of `plan_ages` are final ones."""
FINAL_TIME_SHARE = 0.3
"""Share of the last step that the final steps take."""


def plan_ages(grids: int, age: float, steps_between_states: int = STEPS_BETWEEN_STATES) -> list[list[float]]:
    """Return the ages at which steps end.

    Parameters
    ----------
    grids : int
        How many grids there are from coarse to fine.
    age : float
        The last age, above 0.
    steps_between_states : int
        Steps on the coarsest grid between two ages that `kept_ages` gives, 1 or more.

    Returns
    -------
    list of list of float
        For each grid, rising.
    """
    finer = grids - 1
    reached = age * (1.0 - TIME_SHARE if finer else 1.0)
    ages, previous = [], 0.0
    for frame in [*kept_ages(reached), reached]:
        if frame > previous:
            ages += evenly_spaced(previous, frame, steps_between_states)
        previous = frame
    plan = [ages or [0.0]]
    for number in range(finer):
        place = min(number, len(_FINER_STEPS) - 1)
        end = reached + TIME_SHARE * (age - reached)
        plan.append(evenly_spaced(reached, end, _FINER_STEPS[place]))
        reached = end
        if number == finer - 1:
            plan[-1] += evenly_spaced(reached, age, _REMAINING_STEPS[place])
    # Split the last step: its end becomes the final steps, which are short.
    begin = plan[-1][-2] if len(plan[-1]) > 1 else 0.0
    end = begin + (age - begin) * (1.0 - FINAL_TIME_SHARE)
    plan[-1][-1:] = [end, *evenly_spaced(end, age, FINAL_STEPS)]
    return plan


def kept_ages(oldest: float) -> list[float]:
    """Return the ages at which states are kept.

    Parameters
    ----------
    oldest : float
        No age is higher, 0 or more.

    Returns
    -------
    list of float
        Rising by a constant ratio.
    """
    count = math.floor(math.log(oldest / _FIRST_KEPT_AGE) / math.log(_AGE_RATIO) + 1e-9) + 1 if oldest > 0.0 else 0
    return [_FIRST_KEPT_AGE * _AGE_RATIO**number for number in range(count)]


def evenly_spaced(start: float, end: float, steps: int) -> list[float]:
    """Return the ends of equal steps from one age to another.

    Parameters
    ----------
    start, end : float
        Ages.
    steps : int
        How many, 1 or more.

    Returns
    -------
    list of float
        Rising; the last one is `end` itself.
    """
    return [start + (end - start) * step / steps for step in range(1, steps)] + [end]
