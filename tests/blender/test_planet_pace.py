"""The first look at a planet after a slider has moved is as fine as time allows."""

import pytest

from terrain_addon.blender.session.planet_pace import COARSEST, PlanetPace

RAIN, EROSION = frozenset({"climate", "biomes"}), frozenset({"erosion", "climate", "biomes"})
WHOLE = 257


def looks(seconds_of_whole: float, touched: frozenset[str] = RAIN, whole: int = WHOLE) -> list[int]:
    """The sizes of looks on a machine where they cost as much as they have samples, and a little more."""
    pace, sizes = PlanetPace(0.09), []
    for _ in range(8):
        sizes.append(pace.choose(touched, whole))
        pace.note(touched, sizes[-1], 0.005 + seconds_of_whole * (sizes[-1] - 1) ** 2 / (whole - 1) ** 2)
    return sizes


@pytest.mark.parametrize(("seconds", "size"), [(0.05, 257), (0.2, 129), (1.0, 65), (4.0, 33), (100.0, COARSEST)])
def test_looks_become_as_fine_as_time_allows(seconds: float, size: int) -> None:
    assert looks(seconds)[-2:] == [size, size]


def test_what_is_slow_is_first_seen_coarser_than_what_is_quick() -> None:
    assert looks(1.0, EROSION)[0] < looks(1.0, RAIN)[0]


def test_a_quick_slider_is_not_coarse_because_another_one_is_slow() -> None:
    pace = PlanetPace(0.09)
    pace.note(RAIN, WHOLE, 0.05)
    pace.note(EROSION, 33, 0.5)
    assert pace.choose(RAIN, WHOLE) == WHOLE and pace.choose(EROSION, WHOLE) == COARSEST


def test_a_machine_that_was_busy_once_is_not_slow_for_ever() -> None:
    pace = PlanetPace(0.09)
    pace.note(RAIN, 129, 0.05)
    pace.note(RAIN, 129, 5.0)
    assert pace.choose(RAIN, WHOLE) == 65
    pace.note(RAIN, 65, 0.015)
    assert pace.choose(RAIN, WHOLE) == 129


def test_no_look_is_finer_than_the_planet() -> None:
    assert set(looks(0.001, whole=33)) == {33} and PlanetPace(0.09).choose(EROSION, 9) == 9
