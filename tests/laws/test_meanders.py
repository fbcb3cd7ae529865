"""Wandering rivers: their bends are as long as those of rivers, and they neither straighten nor wind without end."""

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core.foundation.progress import run
from terrain_addon.core.meander.centre_line import Freedom, MeanderLaw
from terrain_addon.core.meander.wandering import WanderingRiver, everywhere, length_of, river_on, wander

pytestmark = pytest.mark.once

WIDTH, LENGTH = 100.0, 40_000.0
LAW = MeanderLaw(mobility=0.1, friction=0.01, width_to_depth=35.0)
# Half the width of a drawn valley, and its cells, in metres.
VALLEY, CELL = 1000.0, 5.0

Numbers = npt.NDArray[np.float64]


def nearly_straight(seed: int, middle: float = 0.0) -> WanderingRiver:
    x = np.arange(0.0, LENGTH + 1.0, 50.0)
    y = middle + np.random.default_rng(seed).uniform(-5.0, 5.0, x.size)
    return river_on(np.stack((x, y, np.full_like(x, WIDTH)), axis=1))


def after(river: WanderingRiver, years: float, law: MeanderLaw = LAW, freedom: Freedom | None = None) -> WanderingRiver:
    return run(wander(river, law, freedom or everywhere(), years))


def wavelength(river: WanderingRiver) -> float:
    """In widths: twice the mean distance at which a line that still runs east crosses its middle."""
    x = np.arange(0.15 * LENGTH, 0.95 * LENGTH, 25.0)
    y = np.interp(x, river.line[:, 0], river.line[:, 1])
    return float(2.0 * np.ptp(x) / np.count_nonzero(np.diff(np.sign(y - y.mean()))) / WIDTH)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bends_are_ten_to_fourteen_widths_long(seed: int) -> None:
    river = after(nearly_straight(seed), 225.0)
    assert 1.003 < river.sinuosity < 1.3
    assert 10.0 < wavelength(river) < 14.0


def test_with_a_longer_memory_they_are_longer() -> None:
    # Theory of small bends: 8.24 D / 2 C_f.
    river = after(nearly_straight(1), 300.0, LAW._replace(friction=0.006))
    assert 16.0 < wavelength(river) < 24.0


def test_with_a_short_memory_they_are_shorter() -> None:
    assert wavelength(after(nearly_straight(1), 20.0, LAW._replace(friction=0.03))) < 6.0


def in_a_valley() -> tuple[WanderingRiver, Freedom]:
    north = CELL * np.arange(round(2.4 * VALLEY / CELL))
    share = np.clip((VALLEY - np.abs(north - 1.2 * VALLEY)) / 200.0, 0.0, 1.0).astype(np.float32)
    return nearly_straight(1, 1.2 * VALLEY), Freedom(np.repeat(share[:, np.newaxis], 2, axis=1), CELL)


def test_sinuosity_becomes_stationary() -> None:
    river, freedom = in_a_valley()
    found = []
    for _ in range(8):
        river = after(river, 250.0, freedom=freedom)
        found.append(river.sinuosity)
    late = np.array(found[2:])
    assert ((late > 1.5) & (late < 3.0)).all()
    assert abs(late[:3].mean() - late[3:].mean()) < 0.25 * late.mean()
    # It goes on moving: bends are cut off at all times.
    years = np.array([oxbow.year for oxbow in river.oxbows])
    assert min(np.histogram(years, 4, (1000.0, 2000.0))[0]) > 10


def test_a_river_without_necks_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrain_addon.core.meander.wandering.find_neck", lambda *_: (0, 0))
    river, freedom = in_a_valley()
    assert after(river, 900.0, freedom=freedom).sinuosity > 4.0


def test_walls_hold() -> None:
    river, freedom = in_a_valley()
    wandered = after(river, 1000.0, freedom=freedom)
    away = np.abs(wandered.line[:, 1] - 1.2 * VALLEY).max()
    assert 0.6 * VALLEY < away + 0.5 * WIDTH <= VALLEY
    assert np.abs(after(nearly_straight(1), 1000.0).line[:, 1]).max() > 1.5 * VALLEY


def test_points_stay_about_half_a_width_apart() -> None:
    line = after(nearly_straight(2), 800.0).line
    gaps = np.hypot(np.diff(line[:, 0]), np.diff(line[:, 1])) / WIDTH
    assert gaps.min() > 0.2
    assert gaps.max() < 1.2
    assert length_of(line) / WIDTH / 0.5 == pytest.approx(len(line), rel=0.2)


def test_oxbows_are_bends_that_the_river_has_left() -> None:
    river = after(nearly_straight(1), 700.0)
    assert river.oxbows
    years = [oxbow.year for oxbow in river.oxbows]
    assert years == sorted(years)
    for oxbow in river.oxbows:
        neck = np.hypot(*(oxbow.line[-1] - oxbow.line[0])[:2])
        assert neck < 2.0 * WIDTH
        assert length_of(oxbow.line) > 6.0 * WIDTH


def test_years_add_up_and_nothing_moves_in_none() -> None:
    river = nearly_straight(4)
    assert after(river, 0.0).line.tobytes() == river.line.tobytes()
    at_once, in_turn = after(river, 20.0), after(after(river, 10.0), 10.0)
    assert np.abs(at_once.line[:, 1] - np.interp(at_once.line[:, 0], *in_turn.line[:, :2].T)).max() < 0.02 * WIDTH
