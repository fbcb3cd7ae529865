"""What is neither made nor lost when rock weathers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core import Terrain
from terrain_addon.core.erosion.mass_balance import volume_of
from terrain_addon.core.erosion.weathering import Weathering, erode_by_weathering, weather_rock
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.maps.slope import measure_slope

LANDS = st.tuples(st.integers(0, 2**31), st.integers(1, 30), st.integers(1, 30), st.sampled_from([0, 3, 1000]))


def land(spec: tuple[int, int, int, int]) -> np.ndarray:
    """Rough land; with few levels it is full of flats."""
    seed, rows, columns, levels = spec
    heights = np.random.default_rng(seed).uniform(0, 100, (rows, columns))
    return (np.round(heights / 100 * levels) * 10 if levels else heights).astype(np.float32)


@given(LANDS, st.floats(0.0, 50.0), st.floats(1.0, 89.0))
def test_weathering_moves_nothing(spec: tuple[int, int, int, int], depth: float, angle: float) -> None:
    surface = land(spec)
    before = Terrain(surface, np.zeros_like(surface), 5.0)
    after = weather_rock(before, Weathering(soil_depth=depth, talus_angle=angle))
    np.testing.assert_allclose(after.surface, surface, atol=2e-5)
    assert after.sediment.min() >= 0.0 and after.sediment.max() <= np.float32(depth)
    bare = measure_slope(surface, 5.0) >= angle + 0.01
    assert not after.sediment[bare].any()


@given(LANDS)
def test_weathering_keeps_what_lies_there(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    lying = np.random.default_rng(spec[0] + 1).uniform(0, 9, surface.shape).astype(np.float32)
    after = weather_rock(Terrain(surface, lying, 5.0), Weathering())
    assert (after.sediment >= lying).all()


@given(LANDS)
def test_weathering_keeps_its_mass_balance(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    before = Terrain(surface, np.zeros_like(surface), 5.0)
    done = run(erode_by_weathering(before, Weathering()))
    np.testing.assert_array_equal(done.terrain.sediment, weather_rock(before, Weathering()).sediment)
    assert (done.balance.before, done.balance.after) == (volume_of(before), volume_of(done.terrain))
    assert abs(done.balance.error) <= 1e-6 * (1.0 + done.balance.before)
    assert done.balance.left == done.balance.uplifted == 0.0


def test_flat_land_stays_flat() -> None:
    flat = np.full((20, 20), 7.0, np.float32)
    after = weather_rock(Terrain(flat, np.zeros_like(flat), 1.0), Weathering(soil_depth=2.0))
    np.testing.assert_array_equal(after.sediment, np.full((20, 20), 2.0, np.float32))
