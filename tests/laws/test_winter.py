"""Winter: no snow is lost, the lee and the foot of walls lie deep, and the sun of spring takes it away."""

from functools import cache

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.foundation import compilation
from terrain_addon.core.maps.illumination import Illumination
from terrain_addon.core.maps.winter import wind_shelter
from terrain_addon.core.snow.snowpack import SnowGround, Snowpack, WinterWeather, lay_snow
from terrain_addon.core.snow.winter import Winter, course_of
from terrain_addon.worlds.world import World
from tests.mountains import mountains as mountain_recipe

pytestmark = pytest.mark.once

CELL = 10.0
CALM = Winter(enabled=True, wind_drift=0.0, avalanches=False)
CLOSES = 1e-9


def snow_on(
    surface: np.ndarray,
    winter: Winter,
    *,
    wind: float = 270.0,
    valley: float = -6.0,
    lapse: float = 0.0065,
    sea: float | None = None,
) -> Snowpack:
    """The snow on a land whose lowest place has a known coldest day."""
    surface = surface.astype(np.float32)
    warm = (valley + 9.0 - lapse * (surface - surface.min())).astype(np.float32)
    ground = SnowGround(surface, wind_shelter(surface, CELL, wind), CELL, sea)
    course = course_of(winter.day_of_year, 9.0, 45.0)
    return lay_snow(ground, WinterWeather(warm, np.full_like(surface, 1200.0), course, wind), winter)


@cache
def mountains() -> np.ndarray:
    rough = np.random.default_rng(3).normal(size=(90, 70)).cumsum(axis=0).cumsum(axis=1)
    return 4.0 * (rough - rough.min())


def ridge() -> np.ndarray:
    """A ridge from south to north, alike in the west and in the east."""
    return np.repeat(120.0 * np.exp(-(((np.arange(121.0) - 60.0) / 12.0) ** 2))[None, :], 41, axis=0)


@cache
def winter_of(day: int, resolution: int = 129, **changes: float | bool) -> core.Landscape:
    recipe = mountain_recipe(resolution=resolution)
    winter = recipe.winter.replace(**({"enabled": True, "day_of_year": day} | changes))
    return core.build(recipe.replace(winter=winter), extent="maps")


# --- the balance ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wind", [0.0, 77.0, 180.0, 270.0, 301.0])
def test_no_snow_is_lost(wind: float) -> None:
    snow = snow_on(mountains(), Winter(enabled=True, day_of_year=140, wind_drift=1.0), wind=wind, sea=40.0)
    assert snow.balance.unaccounted < CLOSES
    assert snow.balance.lies == pytest.approx(float(snow.water.sum(dtype=np.float64)) * CELL**2 / 1000.0, rel=1e-6)
    # The balance would notice what leaves, and a hundred-millionth of what melts.
    assert abs(snow.balance.left) > 1e-4 * snow.balance.fell
    assert replace_in(snow, left=0.0) > 1e-4 and replace_in(snow, melted=snow.balance.melted * (1.0 + 1e-8)) > CLOSES


def replace_in(snow: Snowpack, **changes: float) -> float:
    return snow.balance._replace(**changes).unaccounted


def test_snow_agrees_with_a_winter_that_is_followed_day_by_day() -> None:
    warm = np.linspace(-12.0, 14.0, 27)
    flat = np.zeros((2, 27), np.float32)
    course = course_of(131, 9.0, 45.0)
    weather = WinterWeather(np.vstack((warm, warm)).astype(np.float32), flat + 900.0, course, 270.0)
    snow = lay_snow(SnowGround(flat, flat, CELL, None), weather, CALM.replace(day_of_year=131))
    expected = np.zeros(27)
    for offset in course.offsets.astype(float):
        degrees = warm + offset
        fallen = 900.0 / 365.0 * np.clip(1.0 - degrees / 2.0, 0.0, 1.0)
        by_rain = 4186.0 / 333700.0 * (900.0 / 365.0 - fallen)
        expected = np.maximum(expected + fallen - (4.0 + by_rain) * np.maximum(degrees, 0.0), 0.0)
    np.testing.assert_allclose(snow.water[0], expected, rtol=1e-5, atol=1e-3)


def test_snow_settles_and_is_lighter_than_water() -> None:
    young, old = (snow_on(np.zeros((5, 5)), CALM.replace(day_of_year=day)) for day in (330, 80))
    density = [float((one.water / 1000.0 / one.depth).mean()) for one in (young, old)]
    assert 0.05 < density[0] < density[1] < 0.6


# --- where it lies ----------------------------------------------------------------------------------------------------


def test_the_lee_lies_deeper_and_a_turned_wind_turns_it() -> None:
    drifted = CALM.replace(wind_drift=0.5)
    west, east, calm = (
        snow_on(ridge(), drifted),
        snow_on(ridge(), drifted, wind=90.0),
        snow_on(ridge(), CALM),
    )
    windward, lee = slice(40, 58), slice(63, 81)
    assert west.depth[:, lee].mean() > 1.3 * west.depth[:, windward].mean()
    np.testing.assert_allclose(east.depth, west.depth[:, ::-1], rtol=1e-3)
    np.testing.assert_allclose(calm.depth[:, lee].mean(), calm.depth[:, windward].mean(), rtol=1e-6)
    # Wind from any side takes and gives; the plain far from the ridge keeps what fell.
    np.testing.assert_allclose(west.depth[:, 2], calm.depth[:, 2], rtol=0.02)


@pytest.mark.parametrize("wind", [0.0, 45.0, 135.0, 200.0, 340.0])
def test_a_plain_keeps_its_snow_under_any_wind(wind: float) -> None:
    plain = np.zeros((30, 40))
    np.testing.assert_allclose(
        snow_on(plain, CALM.replace(wind_drift=1.0), wind=wind).water, snow_on(plain, CALM).water
    )


@cache
def cirque() -> tuple[np.ndarray, np.ndarray]:
    """A round floor within walls of 60° and 200 m, and how far each place is from its middle."""
    place = (np.arange(91.0) - 45.0) * CELL
    away = np.hypot(place[:, None], place)
    return 0.03 * away + np.clip((away - 250.0) * np.tan(np.radians(60.0)), 0.0, 200.0), away


def test_avalanches_leave_walls_bare_and_heap_snow_at_their_foot() -> None:
    # As cold everywhere, so that nothing but sliding makes a difference.
    ground, away = cirque()
    slid, stays = (snow_on(ground, CALM.replace(avalanches=one), lapse=0.0).depth for one in (True, False))
    steep, foot, middle = (away > 275.0) & (away < 345.0), (away > 190.0) & (away < 250.0), away < 100.0
    assert slid[steep].mean() < 0.2 * stays[steep].mean()
    assert slid[foot].mean() > 2.0 * stays[foot].mean()
    np.testing.assert_allclose(stays[steep], stays[foot].mean(), rtol=1e-5)
    # It runs on for some way, and no farther.
    assert slid[middle].mean() < 1.1 * stays[middle].mean()


def test_a_gentler_angle_lets_more_snow_slide() -> None:
    ground, away = cirque()
    slides = CALM.replace(avalanches=True)
    held = [snow_on(ground, slides.replace(avalanche_angle=one)).depth for one in (30.0, 55.0)]
    steep = (away > 275.0) & (away < 345.0)
    assert held[0][steep].mean() < 0.5 * held[1][steep].mean()


def test_a_pit_in_a_slope_does_not_take_all_that_slides() -> None:
    slope = np.repeat((np.arange(60.0) * CELL * 0.9)[None, :], 40, axis=0)
    slope[20, 10] -= 30.0
    snow = snow_on(slope, CALM.replace(avalanches=True))
    assert snow.depth.max() < 15.0


def test_a_deep_pit_fills_no_higher_than_a_winter_can() -> None:
    slope = np.repeat(0.9 * CELL * np.arange(80.0)[:, None], 41, axis=1)
    pit = slope + 0.0
    pit[10, 20] -= 100.0
    snow = snow_on(pit, Winter(enabled=True, day_of_year=110, wind_drift=0.0))
    assert snow.balance.unaccounted < CLOSES
    # All of the slope above slides over it; 15 m of settled snow stay, and what falls on it.
    assert 10.0 < snow.depth[10, 20] < 20.0
    assert snow.balance.left > 0.1 * snow.balance.fell


def test_snow_is_deeper_higher_up() -> None:
    ramp = np.repeat((np.arange(100.0) * CELL * 0.4)[None, :], 5, axis=0)
    depth = snow_on(ramp, CALM, valley=0.0).depth[2]
    assert (np.diff(depth) >= 0.0).all() and depth[-1] > 1.5 * depth[0]
    level = snow_on(ramp, CALM, valley=0.0, lapse=0.0).depth[2]
    np.testing.assert_allclose(level, level[0], rtol=1e-6)


def test_no_snow_lies_on_the_sea() -> None:
    snow = snow_on(mountains(), Winter(enabled=True, wind_drift=1.0), sea=200.0)
    assert (snow.depth[mountains().astype(np.float32) <= 200.0] == 0.0).all() and snow.depth.max() > 0.5


# --- days -------------------------------------------------------------------------------------------------------------


def test_winter_is_white_and_summer_is_not() -> None:
    depth = {day: winter_of(day).maps["snow_depth"].mean() for day in (60, 120, 200)}
    assert depth[60] > depth[120] > 10.0 * depth[200]


def test_the_south_has_its_winter_in_july() -> None:
    north, south = course_of(20, 9.0, 45.0), course_of(202, 9.0, -45.0)
    assert north.days == south.days and np.array_equal(north.offsets, south.offsets)
    assert course_of(202, 9.0, 45.0).offsets[-1] > 8.0 > -8.0 > south.offsets[-1]
    recipe = core.Recipe(resolution=33, erosion=(), winter=Winter(enabled=True, day_of_year=210))
    lands = [
        core.build(recipe.replace(illumination=Illumination(latitude=one)), extent="maps") for one in (45.0, -45.0)
    ]
    assert lands[0].maps["snow_depth"].max() == 0.0 < lands[1].maps["snow_depth"].mean()


def test_melt_water_swells_rivers_in_spring_only() -> None:
    bare = core.build(mountain_recipe(resolution=129), extent="maps").waters
    january, may = winter_of(15).waters, winter_of(130).waters
    assert bare is not None and january is not None and may is not None and len(bare.rivers) > 0
    np.testing.assert_array_equal(january.rivers.width, bare.rivers.width)
    assert may.rivers.width.sum() > 1.1 * bare.rivers.width.sum() and (may.rivers.width >= bare.rivers.width).all()
    np.testing.assert_array_equal(may.rivers.points, bare.rivers.points)


def test_a_day_moves_neither_ground_nor_plants() -> None:
    recipe = core.Recipe(resolution=65, width=300.0, depth=300.0)
    off = core.build(recipe)
    on = [core.build(recipe.replace(winter=Winter(enabled=True, day_of_year=day))) for day in (20, 120)]
    assert "snow_depth" not in off.maps and off.snow is None
    assert on[0].maps["snow_depth"].tobytes() != on[1].maps["snow_depth"].tobytes()
    for one in on:
        assert one.terrain.surface.tobytes() == off.terrain.surface.tobytes()
        assert one.plants is not None and off.plants is not None and one.plants.x.tobytes() == off.plants.x.tobytes()
        for name, values in off.maps.items():
            assert one.maps[name].tobytes() == values.tobytes(), name


# --- with a climate, at other samplings, on threads -------------------------------------------------------------------


def test_a_climate_says_what_falls_and_how_cold_it_is() -> None:
    recipe = core.Recipe(resolution=65, erosion=(), width=9000.0, depth=9000.0, winter=Winter(enabled=True))
    with_climate = recipe.replace(climate=Climate(enabled=True, warmth=-6.0))
    cold = core.build(with_climate, extent="maps").maps["snow_depth"]
    ignored = with_climate.replace(winter=Winter(enabled=True, valley_temperature=20.0, precipitation=0.0))
    np.testing.assert_array_equal(core.build(ignored, extent="maps").maps["snow_depth"], cold)
    dry = with_climate.replace(climate=with_climate.climate.replace(rain=300.0, wet_hours=0.0))
    assert core.build(dry, extent="maps").maps["snow_depth"].mean() < 0.5 * cold.mean()


def test_a_preview_shows_the_snow_of_the_land() -> None:
    # Without erosion, whose rivers run elsewhere in a preview.
    recipe = core.Recipe(width=6000.0, depth=6000.0, erosion=(), winter=Winter(enabled=True, wind_drift=0.8))
    lands = [core.build(recipe.replace(resolution=one), extent="maps") for one in (129, 257)]
    coarse, fine = (land.maps["snow_depth"] for land in lands)
    assert coarse.mean() == pytest.approx(fine.mean(), rel=0.03)
    # As seen over 190 m; gullies that a preview has not are missing in its snow.
    seen = [depth[:-1, :-1].reshape(32, side, 32, side).mean(axis=(1, 3)) for depth, side in ((coarse, 4), (fine, 8))]
    assert np.corrcoef(seen[0].ravel(), seen[1].ravel())[0, 1] > 0.93
    assert np.corrcoef(seen[0].ravel(), seen[1].T.ravel())[0, 1] < 0.5


def test_snow_has_the_same_bytes_on_any_number_of_threads() -> None:
    before = compilation.thread_count()
    found = []
    try:
        for threads in sorted({1, before}):
            compilation.set_thread_count(threads)
            snow = snow_on(mountains(), Winter(enabled=True, day_of_year=120), wind=200.0)
            found.append((snow.water.tobytes(), snow.depth.tobytes(), snow.melt.tobytes(), snow.balance))
    finally:
        compilation.set_thread_count(before)
    assert all(one == found[0] for one in found)


# --- what cannot be ---------------------------------------------------------------------------------------------------


def test_a_land_without_snow_says_why() -> None:
    assert winter_of(60).warnings == ()
    assert "No snow falls: the coldest day so far has" in winter_of(60, valley_temperature=20.0).warnings[0]
    assert "all that fell has melted" in winter_of(240, melt_rate=40.0).warnings[0]
    assert "neither snow nor rain does" in winter_of(60, snowfall=0.0).warnings[0]


def test_days_out_of_range_and_tiles_are_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"^day_of_year = 0 d is outside 1 to 365 d$"):
        Winter(day_of_year=0)
    with pytest.raises(ValueError, match=r"^melt_rate = -1.0 mm/\(d °C\) is outside 0.0 to 50.0 mm/\(d °C\)$"):
        Winter(melt_rate=-1.0)
    recipe = core.Recipe(resolution=33, winter=Winter(enabled=True))
    with pytest.raises(ValueError, match="a land made tile by tile has no winter; turn it off"):
        World(recipe, size=8192, tile=512)


@pytest.mark.parametrize("wind", [45.0, 135.0, 225.0, 315.0, 20.0])
def test_a_mirrored_land_in_a_mirrored_wind_has_mirrored_snow(wind: float) -> None:
    """Both borders that the wind comes over count alike, also where it comes over both at the same angle."""
    blown = CALM.replace(wind_drift=0.8)
    depth = snow_on(mountains(), blown, wind=wind).depth
    mirrored = snow_on(np.ascontiguousarray(mountains()[:, ::-1]), blown, wind=(360.0 - wind) % 360.0).depth
    np.testing.assert_allclose(mirrored[:, ::-1], depth, atol=1e-3)
    assert not np.allclose(snow_on(mountains(), blown, wind=wind + 90.0).depth, depth, atol=0.1)
