"""What winds and cold do to planets: seas of sand on low land, dunes, plateaus, and ice that ends as on Earth."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.planet.biomes import classify_biomes
from terrain_addon.core.planet.climate import PlanetClimate, make_climate
from terrain_addon.core.planet.cube_sphere import face_directions, solid_angles
from terrain_addon.core.planet.dunes import DuneField, dunes_between, lay_sand
from terrain_addon.core.planet.ground import PlanetHills

pytestmark = pytest.mark.once

SEED = 3


@pytest.fixture(scope="module")
def desert() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("desert", seed=SEED, resolution=129))


@pytest.fixture(scope="module")
def icy() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("ice", seed=SEED, resolution=65))


# --- sand -------------------------------------------------------------------------------------------------------------


def test_sand_covers_the_share_that_is_asked_for_and_lies_low(desert: core.Planet) -> None:
    sand, areas = desert.maps["sand"], solid_angles(129)
    assert abs((sand * areas).sum() / areas.sum() - desert.recipe.dunes.cover) < 0.05
    assert desert.surface[sand > 0.9].mean() < desert.surface[sand == 0.0].mean() - 200.0
    # As on Earth and Titan it lies where air sinks, not at the poles.
    latitude = np.abs(np.degrees(np.arcsin(desert.directions[..., 2])))
    poles, dry = latitude > 75.0, (latitude > 15.0) & (latitude < 40.0)
    share = sand * areas
    assert share[poles].sum() / (areas * poles).sum() < 0.05 * share[dry].sum() / (areas * dry).sum()


def test_sand_and_dunes_are_the_same_on_both_sides_of_an_edge(desert: core.Planet) -> None:
    places = desert.directions.reshape(-1, 3)
    _, first, number = np.unique(places, axis=0, return_index=True, return_inverse=True)
    for values in (desert.maps["sand"], desert.surface):
        assert np.array_equal(values.ravel(), values.ravel()[first][number.ravel()])


def test_no_sand_lies_in_the_sea_and_none_where_there_is_no_air() -> None:
    wet = core.PlanetRecipe.preset("temperate", seed=SEED, resolution=33)
    wet = wet.replace(dunes=wet.dunes.replace(cover=0.5))
    planet = core.build_planet(wet)
    assert not planet.maps["sand"][planet.maps["sea_depth"] > 0.0].any()
    moon = core.PlanetRecipe.preset("moon", seed=SEED, resolution=33)
    with_dunes = core.build_planet(moon.replace(dunes=wet.dunes))
    assert "sand" not in with_dunes.maps
    assert np.array_equal(with_dunes.surface, core.build_planet(moon).surface)


def test_dunes_run_along_the_wind_and_no_flank_is_steeper_than_sand_can_be(desert: core.Planet) -> None:
    dunes = DuneField(desert.recipe.dunes.wavelength, desert.recipe.dunes.height, desert.recipe.turn, SEED)
    level = np.zeros((6, 513, 513), np.float32)
    heights = lay_sand(level, np.ones_like(level), -np.inf, dunes)
    assert 0.0 < heights.max() <= 1.34 * dunes.height
    # On the face around 0° east, rows lead to the north and columns to the east.
    step = desert.recipe.radius * np.radians(90.0) / 512.0
    north, east = (np.diff(heights[0], axis=axis)[128:384, 128:384] / step for axis in (0, 1))
    assert np.abs(north).mean() > 2.0 * np.abs(east).mean()
    assert np.degrees(np.arctan(max(np.abs(north).max(), np.abs(east).max()))) < 34.0


def test_small_dunes_lie_on_large_ones_only_where_there_is_sand() -> None:
    dunes = DuneField(1.2, 450.0, np.eye(3), SEED)
    angle = np.linspace(0.0, 0.02, 4001)
    places = np.stack((np.cos(angle), np.zeros_like(angle), np.sin(angle)), axis=-1)
    spacing, sand = np.full(len(angle), 0.0003), np.ones(len(angle), np.float32)
    heights = dunes_between(dunes, 65, places, spacing, sand)
    crests = np.count_nonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] >= heights[2:]))
    assert crests > 10 * (np.degrees(0.02) / 1.2)
    assert not dunes_between(dunes, 65, places, spacing, 0.0 * sand).any()


# --- plateaus ---------------------------------------------------------------------------------------------------------


def test_plateaus_are_level_in_steps() -> None:
    recipe = core.PlanetRecipe.preset("desert", seed=SEED, resolution=65)
    bare = recipe.replace(
        erosion=recipe.erosion.replace(enabled=False),
        craters=recipe.craters.replace(enabled=False),
        continents=recipe.continents.replace(enabled=False),
        plates=recipe.plates.replace(enabled=False),
        dunes=recipe.dunes.replace(cover=0.0),
        has_sea=True,
        sea_level=-9000.0,
        hills=PlanetHills(height=6000.0),
    )
    stepped = bare.replace(hills=bare.hills.replace(plateaus=1.0, step=1000.0))
    # Whatever the altitude, a fifth of all slopes is within a tenth of a step from the foot of a scarp or its edge.
    near = [
        float((np.abs(beds - np.rint(beds)) < 0.1).mean())
        for beds in (core.build_planet(one).surface / 1000.0 for one in (bare, stepped))
    ]
    assert near[0] < 0.3 and near[1] > 0.6


# --- ice --------------------------------------------------------------------------------------------------------------


def test_ice_lasts_in_warmer_summers_where_more_snow_falls() -> None:
    warmest, land = np.full(4, 2.0, np.float32), np.zeros(4, np.float32)
    rain = np.array((0.0, 645.0, 1500.0, 2000.0), np.float32)
    _, ice = classify_biomes(warmest - 10.0, warmest, rain, land, has_water=True)
    assert (np.diff(ice) > 0.0).all() and ice[1] < 0.5 < ice[3]
    # 645 mm balance a summer of 0 °C, 1273 mm one of 2 °C: P = 645 + 296 T + 9 T².
    for summer, fallen in ((0.0, 645.0), (2.0, 1273.0)):
        one = np.full(1, summer, np.float32)
        assert classify_biomes(one, one, np.full(1, fallen, np.float32), 0.0 * one, has_water=True)[1] == pytest.approx(
            0.5, abs=1e-4
        )


def test_summers_are_warmer_inland() -> None:
    directions = face_directions(33)
    surface = np.where(directions[..., 0] > 0.0, 100.0, -3000.0).astype(np.float32)
    maps = make_climate(PlanetClimate(variation=0.0, lapse_rate=0.0), surface, 0.0, np.eye(3), 1)
    season = maps.warmest - maps.temperature
    at_45 = np.abs(np.abs(directions[..., 2]) - 0.7) < 0.05
    inland, at_sea = (season[at_45 & there].mean() for there in (directions[..., 0] > 0.4, directions[..., 0] < -0.4))
    assert inland > 1.8 * at_sea > 0.0


def test_the_edge_of_the_ice_is_no_parallel(icy: core.Planet) -> None:
    at_edge = np.abs(icy.maps["ice"] - 0.5) < 0.1
    at_edge &= icy.maps["sea_depth"] > 0.0
    latitude = np.degrees(np.arcsin(icy.directions[..., 2]))
    for side in (latitude > 0.0, latitude < 0.0):
        assert latitude[at_edge & side].std() > 3.5
