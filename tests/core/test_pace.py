"""The time left that a build tells."""

import pytest

from terrain_addon import core
from terrain_addon.core.foundation.pace import Pace

pytestmark = pytest.mark.once


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(expected: list[float], real: list[float], ticks: int = 20) -> list[tuple[float, float]]:
    """What is told during a build, and what was true, in seconds."""
    clock = Clock()
    pace = Pace(expected, clock)
    found = []
    end = clock.now + sum(real)
    for seconds in real:
        for tick in range(ticks):
            found.append((pace.seconds_left(tick / ticks), end - clock.now))
            clock.now += seconds / ticks
        pace.end_stage()
    return found


def test_the_time_left_is_right_where_stages_take_as_long_as_before() -> None:
    for said, true in told([1.0, 30.0, 4.0], [1.0, 30.0, 4.0]):
        assert said == pytest.approx(true, rel=0.01)


def test_a_stage_that_takes_longer_than_ever_is_noticed_soon() -> None:
    # A forest of 90 years, where one of 1 year was grown before: at 5 s nobody may say 3 s.
    said = told([1.0, 3.0, 1.0], [1.0, 90.0, 1.0])
    assert all(a > 0.7 * b for a, b in said[22:])


def test_a_slow_machine_is_noticed_after_the_first_stage() -> None:
    said = told([1.0, 30.0, 4.0], [3.0, 90.0, 12.0])
    assert all(a == pytest.approx(b, rel=0.01) for a, b in said[20:])


def test_the_bar_never_goes_back_and_is_full_only_at_the_end() -> None:
    clock = Clock()
    pace = Pace([1.0, 1.0], clock)
    fractions = []
    for seconds in (1.0, 50.0):
        for tick in range(10):
            fractions.append(pace.fraction(tick / 10))
            clock.now += seconds / 10
        pace.end_stage()
    assert fractions == sorted(fractions) and fractions[0] == 0.0 and fractions[-1] < 1.0


def test_a_build_tells_the_time_left() -> None:
    said = []
    core.build(core.Recipe(resolution=129), extent="terrain", report=said.append)
    assert all(step.seconds_left is not None and step.seconds_left >= 0.0 for step in said)
