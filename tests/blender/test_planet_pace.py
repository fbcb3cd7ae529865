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
        seconds = 0.005 + seconds_of_whole * (sizes[-1] - 1) ** 2 / (whole - 1) ** 2
        pace.note(touched, sizes[-1], seconds, is_preview=sizes[-1] < whole)
    return sizes


@pytest.mark.parametrize(("seconds", "size"), [(0.05, 257), (0.2, 129), (1.0, 65), (4.0, 33), (100.0, COARSEST)])
def test_looks_become_as_fine_as_time_allows(seconds: float, size: int) -> None:
    assert looks(seconds)[-2:] == [size, size]


def test_what_is_slow_is_first_seen_coarser_than_what_is_quick() -> None:
    assert looks(1.0, EROSION | {"young rain"})[0] < looks(1.0, EROSION)[0] < looks(1.0, RAIN)[0]


def test_a_quick_slider_is_not_coarse_because_another_one_is_slow() -> None:
    pace = PlanetPace(0.09)
    pace.note(RAIN, WHOLE, 0.05, is_preview=False)
    for _ in range(2):
        pace.note(EROSION, 33, 0.5, is_preview=True)
    assert pace.choose(RAIN, WHOLE) == WHOLE and pace.choose(EROSION, WHOLE) == COARSEST


def test_a_machine_that_was_busy_once_is_not_slow_for_ever() -> None:
    pace = PlanetPace(0.09)
    pace.note(RAIN, 129, 0.05, is_preview=True)
    pace.note(RAIN, 129, 5.0, is_preview=True)
    assert pace.choose(RAIN, WHOLE) == 65
    pace.note(RAIN, 65, 0.015, is_preview=True)
    assert pace.choose(RAIN, WHOLE) == 129


def test_what_the_first_preview_makes_for_later_ones_does_not_make_these_coarser() -> None:
    pace = PlanetPace(0.09)
    pace.note(EROSION, 33, 0.15, is_preview=True)
    assert pace.choose(EROSION, WHOLE) == 33
    pace.note(EROSION, WHOLE, 0.8, is_preview=False)
    assert pace.choose(EROSION, WHOLE) == 33
    pace.note(EROSION, 33, 0.15, is_preview=True)
    assert pace.choose(EROSION, WHOLE) == COARSEST


def test_no_look_is_finer_than_the_planet() -> None:
    assert set(looks(0.001, whole=33)) == {33} and PlanetPace(0.09).choose(EROSION, 9) == 9
