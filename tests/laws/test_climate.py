"""Climate: rain obeys the linear theory of mountains and wind, and plants, rivers and biomes follow it."""

import cmath
import math
from functools import cache

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.climate_biome import biome_of_climate, with_biome_of_climate
from terrain_addon.core.building.measuring import Measured
from terrain_addon.core.climate.climate import Climate
from terrain_addon.core.climate.moisture import measure_moisture
from terrain_addon.core.climate.orographic_rain import WetWind, measure_rain, orographic_rain
from terrain_addon.core.climate.snow import measure_snow_days
from terrain_addon.core.climate.temperature import altitude_with, measure_temperature, temperature_at_sea
from terrain_addon.core.climate.waves import add_waves, find_waves
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.ecosystem.species import Species
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.masks import RainMask, Surroundings, evaluate_mask

pytestmark = pytest.mark.once

AIR = WetWind(12.0, 5.0, 300.0, 500.0, 0.005, 2500.0, 0.007)
SIDE, CELL = 64, 1000.0
SPACING = (CELL, 1.5 * CELL)
RECIPE = core.Recipe(resolution=65, width=12000.0, depth=12000.0, erosion=(), climate=Climate(enabled=True))


def hill(side: int = SIDE, height: float = 800.0) -> np.ndarray:
    place = np.arange(side) - side / 2
    return height * np.exp(-(place[:, None] ** 2 + place**2) / (2.0 * (side / 12) ** 2))


@cache
def ridge() -> Terrain:
    """A range from south to north with valleys on both sides, alike in the west and in the east."""
    draw = np.random.default_rng(4).normal(size=(65, 33)).cumsum(axis=0)
    half = 900.0 * np.linspace(0.0, 1.0, 33) ** 2 + 8.0 * draw
    ground = np.hstack((half, half[:, -2::-1])).astype(np.float32)
    return Terrain(ground, np.zeros_like(ground), RECIPE.cell_size)


# --- waves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (2, 8), (64, 16), (32, 64)])
def test_waves_are_those_of_fourier(shape: tuple[int, int]) -> None:
    field = np.random.default_rng(2).normal(size=shape)
    waves = find_waves(field)
    np.testing.assert_allclose(waves.real + 1j * waves.imaginary, np.fft.fft2(field), atol=1e-12)
    np.testing.assert_allclose(add_waves(waves), field, atol=1e-13)


def test_a_side_that_is_no_power_of_two_is_refused() -> None:
    with pytest.raises(ValueError, match="a side of 6 samples is no power of two"):
        find_waves(np.zeros((8, 6)))


# --- rain -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(0, 1), (1, 0), (2, -3), (0, 9), (20, 30)])
def test_rain_on_a_row_of_hills_is_that_of_equation_49(rows: int, columns: int) -> None:
    row, column = np.mgrid[:SIDE, :SIDE]
    phase = 2.0 * math.pi * (rows * row + columns * column) / SIDE
    north, east = (2.0 * math.pi * n / (SIDE * size) for n, size in zip((rows, columns), SPACING))
    # Written down once more with complex numbers: long hills swing the air as waves, short ones do not.
    sigma = AIR.east * east + AIR.north * north
    m = cmath.sqrt((AIR.stability**2 - sigma**2) / sigma**2 * (north**2 + east**2))
    m = math.copysign(1.0, sigma) * m if m.imag == 0.0 else m
    drift = (1.0 + 1j * sigma * AIR.conversion_time) * (1.0 + 1j * sigma * AIR.fall_time)
    factor = AIR.uplift_sensitivity * 1j * sigma / ((1.0 - 1j * m * AIR.moist_layer) * drift)
    expected = 500.0 * (factor * np.exp(1j * phase)).real
    rain = orographic_rain(500.0 * np.cos(phase), SPACING, AIR)
    np.testing.assert_allclose(rain, expected, atol=1e-9 * np.abs(expected).max())
    assert (abs(sigma) > AIR.stability) == (columns > 3)


def test_rain_is_linear_and_mountains_only_move_it() -> None:
    one, other = hill(), np.roll(hill(height=300.0), (9, 20), (0, 1))
    both = orographic_rain(one + 2.0 * other, SPACING, AIR)
    np.testing.assert_allclose(
        both, orographic_rain(one, SPACING, AIR) + 2.0 * orographic_rain(other, SPACING, AIR), atol=1e-15
    )
    assert abs(both.mean()) < 1e-12 * np.abs(both).max()


def test_rain_drifts_as_far_as_the_wind_carries_it() -> None:
    def middle(times: tuple[float, float]) -> float:
        """Half the second moment of the rain over its first: how far east it falls."""
        air = WetWind(10.0, 0.0, *times, 0.0, 10.0, 0.007)
        rain = orographic_rain(np.tile(hill(256)[128], (2, 1)), (CELL, CELL), air)[0]
        place = CELL * (np.arange(256) - 128)
        return float((place**2 * rain).sum() / (2.0 * (place * rain).sum()))

    assert middle((0.0, 0.0)) == pytest.approx(0.0, abs=100.0)
    assert middle((300.0, 900.0)) - middle((0.0, 0.0)) == pytest.approx(10.0 * 1200.0, rel=0.01)


def test_without_drift_most_rain_falls_on_the_steepest_windward_slope() -> None:
    air = WetWind(10.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.007)
    rain = orographic_rain(hill(), (CELL, CELL), air)[SIDE // 2]
    steepest = int(np.argmax(np.gradient(hill()[SIDE // 2])))
    assert abs(int(rain.argmax()) - steepest) <= 1 and abs(int(rain.argmin()) - (SIDE - steepest)) <= 1


def test_behind_a_range_it_is_dry() -> None:
    rain = measure_rain(ridge().surface, CELL, Climate(), None)
    west, east = rain[:, 16:28].mean(), rain[:, 37:49].mean()
    assert west > 1.1 * 1000.0 > 1.3 * east
    turned = measure_rain(ridge().surface, CELL, Climate(wind_direction=90.0), None)
    np.testing.assert_allclose(turned, rain[:, ::-1], rtol=0.01)
    south = measure_rain(np.ascontiguousarray(ridge().surface.T), CELL, Climate(wind_direction=180.0), None)
    np.testing.assert_allclose(south.T, rain, rtol=1e-4)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 2), (33, 20)])
def test_on_level_land_and_on_the_sea_it_rains_the_same_everywhere(shape: tuple[int, int]) -> None:
    level = np.full(shape, 300.0, np.float32)
    assert (measure_rain(level, 10.0, Climate(rain=700.0), None) == 700.0).all()
    bottom = np.random.default_rng(1).uniform(-900.0, -10.0, shape).astype(np.float32)
    assert (measure_rain(bottom, 10.0, Climate(rain=700.0), 0.0) == 700.0).all()


def test_a_fine_land_has_the_rain_of_its_preview() -> None:
    fine = hill(1025).astype(np.float32)
    rain, preview = measure_rain(fine, 20.0, Climate(), None), measure_rain(fine[::4, ::4], 80.0, Climate(), None)
    assert rain.shape == fine.shape and np.ptp(preview) > 100.0
    assert np.abs(rain[::4, ::4] - preview).max() < 0.01 * np.ptp(preview)


def test_no_wind_and_a_wind_that_never_was_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^wind_speed = 0.0 m/s is outside 0.5 to 60.0 m/s$"):
        Climate(wind_speed=0.0)
    with pytest.raises(ValueError, match=r"rain = -1.0 mm/yr is outside 0.0 to 12000.0 mm/yr"):
        Climate(rain=-1.0)


def test_even_the_worst_weather_gives_finite_rain() -> None:
    cliff = np.zeros((33, 40), np.float32)
    cliff[10:20, 5:30] = 9000.0
    for changes in (
        {"wind_speed": 60.0, "wet_hours": 8766.0, "conversion_time": 0.0, "fall_time": 0.0, "moist_layer": 10.0},
        {"wind_speed": 0.5, "stability": 0.05, "rain": 0.0},
    ):
        rain = measure_rain(cliff, 1.0, Climate(**changes), None)
        assert np.isfinite(rain).all() and rain.min() >= 0.0


# --- temperature, moisture, snow --------------------------------------------------------------------------------------


def test_it_gets_colder_with_altitude_and_warmer_in_the_sun() -> None:
    recipe = RECIPE.replace(climate=Climate(enabled=True, sunny_slopes=0.0))
    measured = Measured(ridge(), recipe, None)
    drop = measured("temperature") - np.float32(11.9)
    np.testing.assert_allclose(drop, -0.0065 * np.maximum(ridge().surface, 0.0), atol=1e-4)
    sunny = Measured(ridge(), RECIPE, None)
    warmer = sunny("temperature") - measured("temperature")
    assert np.corrcoef(warmer.ravel(), sunny("illumination").ravel())[0, 1] > 0.99
    assert abs(warmer.mean()) < 1e-4


def test_above_the_tropopause_it_gets_no_colder() -> None:
    climate = Climate(enabled=True, lapse_rate=15.0, warmth=-60.0)
    heights = np.array([[-500.0, 0.0, 10_999.0, 11_000.0, 20_000.0, 1e6]], np.float32)
    light = np.full_like(heights, 0.5)
    warm = measure_temperature(heights, light, climate, (0.0, temperature_at_sea(climate, 90.0)))[0]
    assert warm[0] == warm[1] > warm[2] > warm[3] == warm[4] == warm[5] > -273.15
    # As in the standard atmosphere: 15 °C at the sea, −56.5 °C above 11 km.
    standard = measure_temperature(heights, light, Climate(), (0.0, 15.0))[0]
    np.testing.assert_allclose(standard[3:], -56.5, atol=1e-4)
    # Where it is −100 °C nowhere, and where −56 °C.
    usual = Climate(warmth=15.0 - temperature_at_sea(Climate(warmth=0.0), 45.0))
    assert altitude_with(-100.0, usual, 45.0) == math.inf
    assert altitude_with(-56.0, usual, 45.0) == pytest.approx(71_000.0 / 6.5)


def days_by_looking(mean: float, rain: float, season: float) -> int:
    """The year of one place, day by day."""
    snow, days = 0.0, 0
    for day in range(365):
        degrees = mean + season * math.cos(2.0 * math.pi * day / 365)
        snow += rain / 365 * min(max(1.0 - degrees / 2.0, 0.0), 1.0)
        snow = max(snow - 4.0 * max(degrees, 0.0), 0.0)
        days += snow > 0.0
    return 365 if snow > 0.0 else days


def test_snow_lies_as_long_as_it_falls_faster_than_it_melts() -> None:
    mean = np.linspace(-12.0, 14.0, 14, dtype=np.float32)
    rain = np.array([0.0, 300.0, 2500.0], np.float32)
    places, fallen = (np.ascontiguousarray(part) for part in np.meshgrid(mean, rain))
    days = measure_snow_days(places, fallen, 9.0)
    expected = [[days_by_looking(float(t), float(r), 9.0) for t in mean] for r in rain]
    assert np.abs(days - np.array(expected)).max() <= 1.0
    assert (days[0] == 0.0).all() and (np.diff(days, axis=0) >= 0.0).all() and (np.diff(days, axis=1) <= 0.0).all()
    assert days[2, 0] == 365.0 and days[2, -1] == 0.0


def test_warm_ground_dries_and_rain_wets_it() -> None:
    warmth, fallen = np.meshgrid(np.linspace(-20.0, 30.0, 11), np.linspace(0.0, 3000.0, 7))
    moisture = measure_moisture(warmth.astype(np.float32), fallen.astype(np.float32), 5.0)
    assert moisture.min() == 0.0 and moisture.max() == 1.0
    assert (np.diff(moisture[1:], axis=0) >= 0.0).all() and (np.diff(moisture[1:], axis=1) <= 0.0).all()


# --- what follows the climate -----------------------------------------------------------------------------------------


def test_a_climate_that_is_off_changes_nothing() -> None:
    usual = RECIPE.replace(climate=Climate())
    other = RECIPE.replace(climate=Climate(wind_direction=10.0, rain=50.0, warmth=-30.0))
    one, two = (core.build(recipe, extent="maps") for recipe in (usual, other))
    assert list(one.maps) == list(two.maps) and "rain" not in one.maps
    assert all(one.maps[name].tobytes() == two.maps[name].tobytes() for name in one.maps)
    assert {"rain", "temperature", "moisture", "snow_days"} <= core.build(RECIPE, extent="maps").maps.keys()


def test_rivers_begin_sooner_where_it_rains() -> None:
    def shares(recipe: core.Recipe) -> tuple[float, float]:
        cells = Measured(ridge(), recipe, None)("waters").rivers.cell % 65
        return float(np.count_nonzero(cells < 32)), float(np.count_nonzero(cells > 32))

    west, east = shares(RECIPE.replace(climate=Climate()))
    wet_west, dry_east = shares(RECIPE)
    assert west == pytest.approx(east, rel=0.1)
    assert wet_west > 1.05 * west and dry_east < 0.95 * east


def test_drawn_rivers_get_the_rain_too() -> None:
    drawn = (core.River(points=((1000.0, 6000.0), (5000.0, 9000.0))),)
    wet, usual = (
        core.build(recipe.replace(features=drawn), extent="maps")
        for recipe in (RECIPE, RECIPE.replace(climate=Climate()))
    )
    assert wet.waters is not None and usual.waters is not None
    assert wet.terrain.surface.tobytes() == usual.terrain.surface.tobytes()
    assert np.ptp(wet.waters.drainage_area / usual.waters.drainage_area) > 0.05


def test_a_mask_follows_the_rain() -> None:
    measured = Measured(ridge(), RECIPE, None)
    around = Surroundings(RECIPE.grid, ridge().surface, measured, {}, 1)
    shares, rain = evaluate_mask(RainMask(), around), measured("rain")
    np.testing.assert_allclose(shares, rain / rain.max(), rtol=1e-6)
    np.testing.assert_allclose(evaluate_mask(RainMask(invert=True), around), 1.0 - shares, atol=1e-6)


def test_plants_keep_to_the_warmth_that_they_like() -> None:
    warm = ((0.0, 0.0), (6.0, 0.0), (6.0, 1.0), (20.0, 1.0))
    grows = Species(radius=60.0, temperature_response=warm, sediment_response=((0.0, 1.0),) * 3 + ((1.0, 1.0),))
    recipe = RECIPE.replace(ecosystem=Ecosystem(species=(grows,)))
    land, cool = core.build(recipe), core.build(recipe.replace(climate=Climate()))
    assert land.plants is not None and cool.plants is not None
    temperature = land.maps["temperature"]
    row, column = (np.rint(one / recipe.cell_size).astype(int) for one in (land.plants.y, land.plants.x))
    assert 100 < len(land.plants) < 0.9 * len(cool.plants)
    assert (temperature[row, column] > 5.0).mean() > 0.99 and (temperature < 5.0).mean() > 0.1


@pytest.mark.parametrize(
    ("changes", "biome"),
    [
        ({}, "temperate"),
        ({"warmth": 17.0, "rain": 60.0, "wet_hours": 0.0}, "desert"),
        ({"warmth": -4.0}, "boreal"),
        ({"warmth": -16.0}, "alpine_meadow"),
        ({"warmth": 18.0, "rain": 800.0}, "savanna"),
    ],
)
def test_a_climate_chooses_the_biome(changes: dict[str, float], biome: str) -> None:
    flat = Terrain(np.full((9, 9), 200.0, np.float32), np.ones((9, 9), np.float32), 1500.0)
    recipe = RECIPE.replace(resolution=9, climate=Climate(enabled=True, **changes))
    land = core.Landscape(recipe, flat, {}, None)
    assert biome_of_climate(land) == biome
    chosen = with_biome_of_climate(land)
    assert chosen.ecosystem == chosen.with_biome(biome).ecosystem and chosen.climate == recipe.climate
    assert chosen.appearance.snow_line == pytest.approx((11.9 - 4.0 + recipe.climate.warmth + 1.5) / 0.0065, abs=1.0)


def test_a_biome_without_climate_or_land_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["info", "alpine", "--set", "climate.enabled=false", "--set", "resolution=17", "--biome", "climate"]) != 0
    )
    assert "the climate is off, so it asks for no biome" in capsys.readouterr().err
    sea = RECIPE.replace(resolution=9, water=RECIPE.water.replace(sea=True, sea_level=9000.0))
    with pytest.raises(ValueError, match="the sea covers the whole land, so nothing grows on it; lower the sea level"):
        biome_of_climate(core.build(sea, extent="maps"))
