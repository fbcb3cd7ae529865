"""What is neither made nor lost: water that flows, rock that weathers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core import Terrain
from terrain_addon.core.erosion.weathering import Weathering, weather_rock
from terrain_addon.core.flow.accumulation import accumulate_flow
from terrain_addon.core.maps.illumination import Illumination, measure_illumination
from terrain_addon.core.maps.slope import measure_slope

LANDS = st.tuples(st.integers(0, 2**31), st.integers(1, 30), st.integers(1, 30), st.sampled_from([0, 3, 1000]))


def land(spec: tuple[int, int, int, int]) -> np.ndarray:
    """Rough land; with few levels it is full of flats."""
    seed, rows, columns, levels = spec
    heights = np.random.default_rng(seed).uniform(0, 100, (rows, columns))
    return (np.round(heights / 100 * levels) * 10 if levels else heights).astype(np.float32)


@given(LANDS)
def test_all_water_ends_where_nothing_is_lower(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    area = accumulate_flow(surface, 3.0)
    padded = np.pad(surface, 1, constant_values=np.inf)
    around = [
        padded[1 + i : padded.shape[0] - 1 + i, 1 + j : padded.shape[1] - 1 + j] for i in (-1, 0, 1) for j in (-1, 0, 1)
    ]
    ends = surface <= np.min(around, axis=0)
    assert np.isclose(area[ends].sum(), surface.size * 9.0, rtol=1e-12)
    assert area.min() >= 9.0


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
def test_turning_the_land_turns_its_maps(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    turned = np.ascontiguousarray(np.rot90(surface))
    np.testing.assert_allclose(measure_slope(turned, 2.0), np.rot90(measure_slope(surface, 2.0)), atol=1e-4)
    np.testing.assert_allclose(accumulate_flow(turned, 2.0), np.rot90(accumulate_flow(surface, 2.0)), rtol=1e-9)


@given(LANDS, st.floats(-90.0, 90.0))
def test_mirroring_east_and_west_mirrors_the_light(spec: tuple[int, int, int, int], latitude: float) -> None:
    surface = land(spec)
    light = Illumination(latitude=latitude)
    mirrored = measure_illumination(np.ascontiguousarray(surface[:, ::-1]), 2.0, light)
    np.testing.assert_allclose(mirrored, measure_illumination(surface, 2.0, light)[:, ::-1], atol=1e-5)
    assert mirrored.min() >= 0.0 and mirrored.max() <= 1.0


def test_flat_land_stays_flat_and_dry_of_rivers() -> None:
    flat = np.full((20, 20), 7.0, np.float32)
    assert (accumulate_flow(flat, 1.0) == 1.0).all()
    assert (measure_slope(flat, 1.0) == 0.0).all()
    after = weather_rock(Terrain(flat, np.zeros_like(flat), 1.0), Weathering(soil_depth=2.0))
    np.testing.assert_array_equal(after.sediment, np.full((20, 20), 2.0, np.float32))
