"""The time left that a build tells."""

import pytest

from terrain_addon import core
from terrain_addon.core.foundation.pace import Pace, expected_seconds, note_seconds

pytestmark = pytest.mark.once


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.25

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


def test_a_stage_takes_as_long_for_each_sample_as_it_did_at_best() -> None:
    assert expected_seconds("a stage of this test", 2.0, 500_000) == 1.0
    note_seconds("a stage of this test", 59_999, 0.001)  # too small to tell
    assert expected_seconds("a stage of this test", 2.0, 500_000) == 1.0
    note_seconds("a stage of this test", 60_000, 0.33)
    assert expected_seconds("a stage of this test", 2.0, 1_000_000) == pytest.approx(5.5)
    note_seconds("a stage of this test", 100_000, 0.4)
    note_seconds("a stage of this test", 100_000, 0.9)
    assert expected_seconds("a stage of this test", 2.0, 1_000_000) == pytest.approx(4.0)
    assert expected_seconds("another stage of this test", 2.0, 1_000_000) == 2.0


def test_the_share_is_the_time_gone_by_of_all_the_time() -> None:
    clock = Clock()
    assert Pace([0.0], clock).fraction(0.5) == 0.0
    short = Pace([0.5], clock)
    clock.now += 0.125
    assert short.fraction(0.25) == pytest.approx(0.25)
    pace = Pace([1.0, 3.0], clock)
    assert pace.fraction(0.0) == 0.0
    clock.now += 0.5
    # A first stage that says nothing yet has not moved the bar.
    assert pace.fraction(0.0) == 0.0
    assert pace.fraction(0.5) == pytest.approx(0.125)
    clock.now += 0.5
    assert pace.end_stage() == pytest.approx(1.0)
    assert pace.fraction(0.0) == pytest.approx(0.25)
    clock.now += 1.5
    assert pace.fraction(0.5) == pytest.approx(0.625) and pace.seconds_left(0.5) == pytest.approx(1.5)
    clock.now += 2.0
    assert pace.fraction(1.0) == 0.99
    assert pace.end_stage() == pytest.approx(3.5)


def test_a_stage_that_has_hardly_begun_says_little_of_its_time() -> None:
    clock = Clock()
    pace = Pace([10.0, 2.0], clock)
    clock.now += 0.1
    # By its share it would be 1.9 s; as long as less than a twentieth is done, at least what was expected counts.
    assert pace.seconds_left(0.049) == pytest.approx(9.9 + 2.0)
    assert pace.seconds_left(0.05) == pytest.approx(1.9 + 2.0)
    assert pace.seconds_left(0.5) == pytest.approx(0.1 + 2.0)
    clock.now += 10.9
    assert pace.seconds_left(0.0) == pytest.approx(2.0)


def test_half_a_second_says_nothing_of_a_machine() -> None:
    def left_after(seconds: float) -> float:
        clock = Clock()
        pace = Pace([0.25, 1.0], clock)
        clock.now += seconds
        pace.end_stage()
        return pace.seconds_left(0.0)

    assert left_after(0.3) == left_after(0.5) == pytest.approx(1.0)
    assert left_after(0.75) == pytest.approx(3.0)


def test_a_stage_of_which_no_time_is_known_says_nothing_of_a_machine() -> None:
    clock = Clock()
    pace = Pace([0.0, 1.0], clock)
    clock.now += 2.0
    pace.end_stage()
    assert pace.seconds_left(0.0) == 1.0


def test_a_build_tells_the_time_left() -> None:
    said = []
    core.build(core.Recipe(resolution=129), extent="terrain", report=said.append)
    assert all(step.seconds_left is not None and step.seconds_left >= 0.0 for step in said)
