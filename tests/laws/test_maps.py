"""Laws of maps: against slow and obvious ways of measuring, under mirrors and turns, for any number of threads."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from terrain_addon.core.foundation import compilation
from terrain_addon.core.maps.curvature import measure_curvature
from terrain_addon.core.maps.ground_cover import LAYERS, Site, splat_weights
from terrain_addon.core.maps.horizon import measure_horizon
from terrain_addon.core.maps.humidity import measure_humidity, pour_humidity
from terrain_addon.core.maps.illumination import Illumination, measure_illumination
from terrain_addon.core.maps.sky import measure_ambient_occlusion, measure_sky_view
from terrain_addon.core.maps.slope import measure_slope
from terrain_addon.core.maps.sun import measure_sun_hours
from terrain_addon.core.maps.topographic_position import measure_topographic_position
from terrain_addon.core.maps.water_distance import find_nearest, measure_distance

pytestmark = pytest.mark.once

CELL = 20.0
ELEVATION = Path(__file__).parents[2] / "terrain_addon" / "presets" / "elevation" / "big_tujunga.npz"


def hills(rows: int = 48, columns: int = 57, seed: int = 5) -> np.ndarray:
    """Rough ground with slopes of all kinds: smoothed random numbers at three scales."""
    random = np.random.default_rng(seed)
    surface = np.zeros((rows, columns))
    for smoothing in (3, 6, 15):
        field = random.normal(size=(rows + 2 * smoothing, columns + 2 * smoothing))
        for axis in (0, 1):
            field = np.apply_along_axis(np.convolve, axis, field, np.ones(2 * smoothing + 1), "valid")
        surface += field * smoothing**0.2
    return (surface * (60.0 / max(surface.std(), 0.01))).astype(np.float32)


def horizon_by_looking(surface: np.ndarray, cell: float, azimuth: float, farthest: float = np.inf) -> np.ndarray:
    """Step away from every cell, one column or row at a time; between samples heights are linear."""
    ground = np.pad(surface.astype(float), 1, mode="edge")
    ground[0], ground[-1] = 2 * ground[1] - ground[2], 2 * ground[-2] - ground[-3]
    ground[:, 0], ground[:, -1] = 2 * ground[:, 1] - ground[:, 2], 2 * ground[:, -2] - ground[:, -3]
    east, north = np.sin(np.radians(azimuth)), np.cos(np.radians(azimuth))
    east, north = east / max(abs(east), abs(north)), north / max(abs(east), abs(north))
    rows, columns = surface.shape
    row, column = np.mgrid[1 : rows + 1, 1 : columns + 1].astype(float)
    steepest = np.full(surface.shape, -np.inf)
    for step in range(1, rows + columns):
        away = step * np.hypot(east, north) * cell
        if away > farthest + 1e-6 and step > 1:
            break
        y, x = np.round(row + step * north, 9), np.round(column + step * east, 9)
        there = (y >= 0) & (y <= rows + 1) & (x >= 0) & (x <= columns + 1)
        r, c = np.clip(np.floor(y), 0, rows).astype(int), np.clip(np.floor(x), 0, columns).astype(int)
        fy, fx = y - r, x - c
        height = (ground[r, c] * (1 - fy) + ground[r + 1, c] * fy) * (1 - fx)
        height += (ground[r, c + 1] * (1 - fy) + ground[r + 1, c + 1] * fy) * fx
        steepest = np.where(there, np.maximum(steepest, (height - surface) / away), steepest)
    return np.degrees(np.arctan(steepest))


@pytest.mark.parametrize("farthest", [np.inf, 20.0, 110.0, 400.0])
@pytest.mark.parametrize("azimuth", range(0, 360, 45))
def test_horizon_along_rows_columns_and_diagonals_is_exact(azimuth: float, farthest: float) -> None:
    surface = hills()
    swept = measure_horizon(surface, CELL, [azimuth], farthest)[0]
    looked = horizon_by_looking(surface, CELL, azimuth, farthest)
    seen = np.isfinite(looked)
    assert seen.mean() > 0.99  # what is left are corners that look outwards
    np.testing.assert_allclose(swept[seen], looked[seen], atol=2e-3)
    # Negative control: the same land, looked at the other way round.
    assert np.abs(swept - horizon_by_looking(surface, CELL, azimuth + 180.0, farthest))[seen].max() > 5.0


@pytest.mark.parametrize("farthest", [np.inf, 200.0])
def test_sky_view_is_that_of_looking_around(farthest: float) -> None:
    surface = np.load(ELEVATION)["elevation"][40:140, 20:130].astype(np.float32)
    azimuths = np.arange(16) * 22.5
    looked = np.array([horizon_by_looking(surface, 30.0, azimuth, farthest) for azimuth in azimuths])
    expected = (np.cos(np.radians(np.clip(looked, 0.0, 90.0))) ** 2).mean(axis=0)
    sky = measure_sky_view(surface, 30.0, longest_distance=farthest)
    inside = (slice(1, -1), slice(1, -1))
    error = np.abs(sky - expected)[inside]
    # Directions between rows, columns and diagonals look from up to half a cell beside each cell.
    assert error.mean() < 0.003 and np.quantile(error, 0.99) < 0.015
    assert abs((sky - expected)[inside].mean()) < 0.001
    assert np.abs(sky[::-1] - expected)[inside].mean() > 0.02  # negative control


@settings(max_examples=60)
@given(
    hnp.arrays(np.float32, st.integers(2, 70), elements=st.floats(0, 1000, width=32)),
    st.integers(1, 80),
)
def test_horizon_of_any_profile_is_the_steepest_rise_within_reach(profile: np.ndarray, reach: int) -> None:
    swept = measure_horizon(profile[None], 3.0, [90.0], 3.0 * reach)[0, 0]
    beyond = 2.0 * profile[-1] - profile[-2]
    heights = np.append(profile, beyond).astype(float)
    for place in range(profile.size):
        ahead = np.arange(place + 1, min(place + reach, profile.size) + 1)
        steepest = ((heights[ahead] - heights[place]) / (3.0 * (ahead - place))).max()
        assert swept[place] == pytest.approx(np.degrees(np.arctan(steepest)), abs=1e-3)


@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (0.4, 0.0), (-0.3, 0.8)])
def test_horizon_of_a_plane_is_exact_in_every_direction(east: float, north: float) -> None:
    row, column = np.mgrid[0:23, 0:31]
    surface = ((column * east + row * north) * CELL).astype(np.float32)
    azimuths = np.arange(0.0, 360.0, 7.5)
    bearing = np.radians(azimuths)
    expected = np.degrees(np.arctan(east * np.sin(bearing) + north * np.cos(bearing)))
    swept = measure_horizon(surface, CELL, azimuths)
    np.testing.assert_allclose(swept[:, 1:-1, 1:-1], np.broadcast_to(expected[:, None, None], (48, 21, 29)), atol=2e-3)


def test_higher_ground_never_lowers_the_horizon() -> None:
    surface = hills()
    raised = surface.copy()
    raised[10:14, 20:25] += 80.0
    azimuths = np.arange(0.0, 360.0, 22.5)
    others = np.ones(surface.shape, bool)
    others[8:16, 18:27] = False  # nearby, directions between samples start beside a cell, on the raised ground
    difference = (measure_horizon(raised, CELL, azimuths) - measure_horizon(surface, CELL, azimuths))[:, others]
    assert difference.min() > -1e-3 and difference.max() > 1.0


def test_a_distance_beyond_the_land_is_as_good_as_none() -> None:
    surface, azimuths = hills(), np.arange(0.0, 360.0, 11.25)
    np.testing.assert_array_equal(
        measure_horizon(surface, CELL, azimuths, 1e5), measure_horizon(surface, CELL, azimuths)
    )


# --- mirrors and turns ------------------------------------------------------------------------------------------------

SYMMETRIC: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "slope": lambda h: measure_slope(h, CELL),
    "curvature": lambda h: measure_curvature(h, CELL),
    "profile curvature": lambda h: measure_curvature(h, CELL, "profile"),
    "plan curvature": lambda h: measure_curvature(h, CELL, "plan"),
    "topographic position": lambda h: measure_topographic_position(h, CELL, 100.0),
    "sky view": lambda h: measure_sky_view(h, CELL),
    "ambient occlusion": lambda h: measure_ambient_occlusion(h, CELL, longest_distance=150.0),
    "grazing rays": lambda h: measure_illumination(h, CELL, Illumination(light="grazing_rays")),
    "poured humidity": pour_humidity,
    "humidity": lambda h: measure_humidity(h, CELL),
    "distance": lambda h: measure_distance(h < -80.0, CELL),
}
TURNS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mirrored east to west": lambda a: np.ascontiguousarray(a[:, ::-1]),
    "mirrored north to south": lambda a: np.ascontiguousarray(a[::-1]),
    "turned": lambda a: np.ascontiguousarray(np.rot90(a)),
    "transposed": lambda a: np.ascontiguousarray(a.T),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", SYMMETRIC)
def test_turning_the_land_turns_the_map(name: str, turn: str) -> None:
    surface, measure = hills(), SYMMETRIC[name]
    straight = measure(surface)
    scale = float(np.abs(straight).max())
    np.testing.assert_allclose(measure(TURNS[turn](surface)), TURNS[turn](straight), atol=1e-4 * scale)
    assert np.abs(straight - straight[::-1]).max() > 0.05 * scale  # the land itself has no symmetry


def test_the_sun_knows_east_from_west_only_by_the_hour() -> None:
    surface = hills()
    mirrored = TURNS["mirrored east to west"]
    for measure in (
        lambda h: measure_illumination(h, CELL, Illumination()),
        lambda h: measure_sun_hours(h, CELL, 50.0, 100),
    ):
        light = measure(surface)
        np.testing.assert_allclose(measure(mirrored(surface)), mirrored(light), atol=1e-4 * light.max())
        south_for_north = measure(TURNS["mirrored north to south"](surface))[::-1]
        assert np.abs(south_for_north - light).max() > 0.1 * light.max()


def test_the_other_hemisphere_half_a_year_later_is_the_mirror() -> None:
    surface = hills()
    north = measure_illumination(surface, CELL, Illumination(latitude=40.0, day_of_year=81))
    south = measure_illumination(surface[::-1].copy(), CELL, Illumination(latitude=-40.0, day_of_year=81))
    np.testing.assert_allclose(south[::-1], north, atol=1e-4)


# --- in numbers -------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=14)))
def test_distance_is_that_to_the_nearest_of_all(places: np.ndarray) -> None:
    if not places.any():
        assert (find_nearest(places) == -1).all()
        return
    row, column = np.indices(places.shape)
    there = np.argwhere(places)
    squares = (row[..., None] - there[:, 0]) ** 2 + (column[..., None] - there[:, 1]) ** 2
    np.testing.assert_allclose(measure_distance(places, 2.5), 2.5 * np.sqrt(squares.min(axis=-1)), rtol=1e-6)
    nearest = find_nearest(places)
    assert places.ravel()[nearest].all()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.sets(st.integers(0, 7), min_size=1))
def test_weights_of_any_place_add_up_to_255(seed: int, vegetation: float, chosen: set[int]) -> None:
    random = np.random.default_rng(seed)
    highest = {"altitude": 4000.0, "sediment": 0.6, "slope": 70.0, "humidity": 1.0, "sky_view": 1.0}
    highest |= {"water_depth": 0.4, "water_distance": 20.0}
    site = Site(**{n: (random.random((9, 11)) * top).astype(np.float32) for n, top in highest.items()})
    layers = [LAYERS[number] for number in sorted(chosen)]
    weights = splat_weights(site, vegetation=vegetation, layers=layers)
    assert weights.shape == (9, 11, len(layers))
    assert (weights.sum(axis=2, dtype=int) == 255).all()


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    surface = hills(130, 140)
    measures = SYMMETRIC | {
        "horizon": lambda h: measure_horizon(h, CELL, [10.0, 100.0], 300.0),
        "sun": lambda h: measure_illumination(h, CELL, Illumination()),
    }
    before = compilation.thread_count()
    try:
        results = []
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            results.append({name: measure(surface).tobytes() for name, measure in measures.items()})
    finally:
        compilation.set_thread_count(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (2, 5)])
def test_the_smallest_lands_have_finite_maps(shape: tuple[int, int]) -> None:
    surface = hills(*shape)
    for measure in (*SYMMETRIC.values(), lambda h: measure_illumination(h, CELL, Illumination())):
        values = measure(surface)
        assert values.shape == shape and np.isfinite(values).all()
