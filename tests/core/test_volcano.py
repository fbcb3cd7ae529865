"""A volcano: its rim is the highest, its foot the lowest, and its crater lies between."""

import numpy as np
import pytest

from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.volcano import Volcano, make_volcano

pytestmark = pytest.mark.once

VOLCANO = Volcano(
    height=100.0, base_altitude=7.0, east=50.0, north=50.0, radius=40.0, crater_radius=10.0, crater_depth=0.5
)
HEIGHTS = make_volcano(Grid(101, 101, 1.0), VOLCANO)


def test_heights_by_hand() -> None:
    assert HEIGHTS[50, 60] == pytest.approx(107.0)  # the rim
    assert HEIGHTS[50, 50] == pytest.approx(57.0)  # the vent
    assert HEIGHTS[50, 90] == HEIGHTS[0, 0] == 7.0  # the foot, and beyond
    assert HEIGHTS[50, 75] == pytest.approx(7.0 + 100.0 * (0.375 / 0.75) ** 1.7, abs=1e-3)


def test_it_is_round_and_within_its_range() -> None:
    np.testing.assert_allclose(HEIGHTS, HEIGHTS.T, atol=1e-4)
    np.testing.assert_allclose(HEIGHTS, HEIGHTS[::-1], atol=1e-4)
    assert HEIGHTS.min() >= 7.0 and HEIGHTS.max() <= 107.0


def test_windows_are_the_same_land() -> None:
    window = make_volcano(Grid(101, 101, 1.0).window(30, 41, 20, 17), VOLCANO)
    np.testing.assert_array_equal(window, HEIGHTS[30:50, 41:58])


def test_without_a_crater_the_vent_is_the_summit() -> None:
    heights = make_volcano(Grid(101, 101, 1.0), VOLCANO.replace(crater_radius=0.0))
    assert heights[50, 50] == heights.max() == pytest.approx(107.0)
