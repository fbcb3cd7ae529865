"""Maps of surfaces whose answers are known."""

import math

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.measuring import Measured
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.catalogue import MAPS, OFFERED
from terrain_addon.core.maps.colour import PALETTE, RAMPS, STONES, land_colour, palette_on, ramp_colour
from terrain_addon.core.maps.curvature import measure_curvature
from terrain_addon.core.maps.declaration import Map
from terrain_addon.core.maps.deposition import measure_deposition
from terrain_addon.core.maps.ground_cover import LAYERS, Site, splat_weights
from terrain_addon.core.maps.horizon import measure_horizon
from terrain_addon.core.maps.humidity import measure_humidity, pour_humidity
from terrain_addon.core.maps.illumination import Illumination, measure_illumination
from terrain_addon.core.maps.sky import measure_ambient_occlusion, measure_sky_view
from terrain_addon.core.maps.slope import (
    gradient_of_row,
    horn_gradient,
    measure_gradient,
    measure_slope,
    surface_normals,
)
from terrain_addon.core.maps.sun import cast_shadows, compass, day_length, measure_sun_hours, sun_path
from terrain_addon.core.maps.topographic_position import measure_topographic_position
from terrain_addon.core.maps.water_distance import FARTHEST, find_nearest, measure_distance, measure_wet_ground
from tests.mountains import mountains

pytestmark = pytest.mark.once

FLAT = np.zeros((9, 9), np.float32)


def test_menus_keep_their_order_because_blender_stores_choices_by_number() -> None:
    first = (
        "altitude slope gradient curvature profile_curvature plan_curvature topographic_position illumination sky_view"
    )
    then = "ambient_occlusion sun_hours shadow_hours humidity wet_ground drainage sediment deposition water_depth"
    assert OFFERED[:20] == [*first.split(), *then.split(), "water_distance", "shadow"]
    assert OFFERED[20:] == ["rain", "temperature", "moisture", "snow_days", "ice_thickness", "snow_depth"]
    assert sorted(OFFERED) == sorted(MAPS)


@pytest.mark.parametrize("one", MAPS.values(), ids=MAPS)
def test_every_map_is_declared_as_its_values_are(one: Map) -> None:
    recipe = mountains(resolution=65)
    land = core.build(recipe, extent="maps")
    relief = core.build(recipe.replace(erosion=()), extent="terrain").terrain
    values = Measured(land.terrain, recipe, relief)(one.name)
    assert values.shape == land.terrain.surface.shape and values.dtype == np.float32 and np.isfinite(values).all()
    assert one.description[:1].isupper() and not one.description.endswith(".")
    assert (values.min() < 0.0 < values.max()) or not one.signed
    if one.limits is not None:
        assert one.limits[0] <= values.min() and values.max() <= one.limits[1]
    if one.logarithmic:
        assert values.min() > 0.0 and values.max() > 1000.0 * values.min()


def plane(rows: int, columns: int, cell: float, east: float, north: float) -> np.ndarray:
    row, column = np.mgrid[0:rows, 0:columns]
    return (column * cell * east + row * cell * north).astype(np.float32)


# --- slope and curvature ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("east", "north"), [(0.0, 0.0), (1.0, 0.0), (0.0, -0.5), (0.3, 0.4), (-2.0, 7.0)])
@pytest.mark.parametrize("shape", [(5, 7), (2, 2), (3, 2)])
def test_slope_and_normal_of_a_plane_are_exact_up_to_its_border(
    shape: tuple[int, int], east: float, north: float
) -> None:
    surface = plane(*shape, 10.0, east, north)
    expected = math.hypot(east, north)
    np.testing.assert_allclose(measure_slope(surface, 10.0), math.degrees(math.atan(expected)), atol=1e-3)
    np.testing.assert_allclose(measure_gradient(surface, 10.0), expected, atol=1e-5)
    up = 1.0 / math.sqrt(1.0 + east**2 + north**2)
    np.testing.assert_allclose(surface_normals(surface, 10.0)[1, 1], (-east * up, -north * up, up), atol=1e-5)


def test_slope_of_one_cell_and_one_row() -> None:
    assert measure_slope(np.zeros((1, 1), np.float32), 1.0)[0, 0] == 0.0
    np.testing.assert_allclose(measure_slope(plane(1, 5, 2.0, 1.0, 0.0), 2.0), 45.0, atol=1e-4)


@pytest.mark.once
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1), (2, 2), (2, 5), (7, 3), (9, 17)])
def test_the_gradient_of_a_row_is_that_of_its_samples(shape: tuple[int, int]) -> None:
    """To the last bit, also at the border: weathering, slope and detail take it by rows, others by samples."""
    heights = (1e3 * np.random.default_rng(len(shape) + shape[1]).standard_normal(shape)).astype(np.float32)
    east, north = np.empty(shape[1]), np.empty(shape[1])
    for row in range(shape[0]):
        gradient_of_row(heights, row, 0.3, east, north)
        at = [horn_gradient(heights, row, column, 0.3) for column in range(shape[1])]
        assert list(zip(east.tolist(), north.tolist())) == at


def test_horn_by_hand() -> None:
    # 1 2 1 weights across three columns: (1·2 + 2·6 + 1·4) / 4 over two cells of 3 m.
    surface = np.array([[0, 9, 2], [0, 9, 6], [0, 9, 4]], np.float32)
    east = (2 + 2 * 6 + 4) / 4 / 6
    north = ((0 - 0) + 2 * (9 - 9) + (4 - 2)) / 4 / 6
    assert measure_slope(surface, 3.0)[1, 1] == pytest.approx(
        math.degrees(math.atan(math.hypot(east, north))), abs=1e-4
    )


def test_curvature_of_a_ball_and_of_a_cone() -> None:
    row, column = np.mgrid[-20:21, -20:21] * 2.0
    ball = np.sqrt(500.0**2 - row**2 - column**2).astype(np.float32)
    np.testing.assert_allclose(measure_curvature(ball, 2.0), 1.0 / 500.0, rtol=0.01)
    radius = np.hypot(row, column)
    cone = (1000.0 - 0.7 * radius).astype(np.float32)
    away = (radius > 24.0) & (radius < 38.0)
    np.testing.assert_allclose((measure_curvature(cone, 2.0, "plan") * radius)[away], 1.0, atol=0.03)
    np.testing.assert_allclose((measure_curvature(cone, 2.0, "profile") * radius)[away], 0.0, atol=0.03)
    np.testing.assert_array_less(measure_curvature(-cone, 2.0, "plan")[away], 0.0)


def test_curvature_along_a_vertical_parabola() -> None:
    # z = x² / 200 steepens uphill: concave, with z″ = 1/100 and the slope of the middle column, x = 40 m.
    surface = np.tile((np.arange(0.0, 90.0, 10.0) ** 2 / 200.0).astype(np.float32), (5, 1))
    expected = -0.01 / (1.0 + 0.4**2) ** 1.5
    assert measure_curvature(surface, 10.0, "profile")[2, 4] == pytest.approx(expected, rel=1e-4)
    assert measure_curvature(surface, 10.0, "plan")[2, 4] == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ValueError, match="curvature = 'mid' is none of: mean, profile, plan"):
        measure_curvature(surface, 10.0, "mid")


def test_topographic_position_by_hand() -> None:
    surface = np.zeros((9, 9), np.float32)
    surface[4, 4] = 21.0
    position = measure_topographic_position(surface, 10.0, 20.0)
    # A disc of radius 2 has 13 cells.
    assert position[4, 4] == pytest.approx(21.0 - 21.0 / 13.0)
    assert position[4, 2] == pytest.approx(-21.0 / 13.0)
    assert position[3, 2] == 0.0
    # In the corner 6 of them are left.
    surface[:] = 0.0
    surface[0, 0] = 6.0
    assert measure_topographic_position(surface, 10.0, 20.0)[0, 0] == pytest.approx(5.0)
    with pytest.raises(ValueError, match=r"radius = 0.0 m"):
        measure_topographic_position(surface, 10.0, 0.0)


# --- water ------------------------------------------------------------------------------------------------------------


def test_poured_humidity_on_two_by_two_by_hand() -> None:
    # 3 gives to 2 (drop 1), 1 (2) and 0 (3): 1/6, 2/6, 3/6.  2 gives 1 + 1/6 to 1 (drop 1) and 0 (2).  And so on.
    two = 1 + 1 / 6
    one = 1 + 2 / 6 + two / 3
    np.testing.assert_allclose(pour_humidity(np.array([[3, 2], [1, 0]], np.float32)), [[1, two], [one, 4.0]], rtol=1e-6)


def test_poured_humidity_runs_straight_down_a_plane() -> None:
    # A third goes straight on and a third to each side; far from the borders that evens out.
    np.testing.assert_allclose(pour_humidity(plane(6, 15, 5.0, 0.0, 1.0))[:, 7], [6, 5, 4, 3, 2, 1], rtol=1e-6)


def test_humidity_tells_valley_from_ridge() -> None:
    row, column = np.mgrid[0:60, 0:61]
    surface = (np.abs(column - 30) * 5.0 + row * 1.0).astype(np.float32)
    humidity = measure_humidity(surface, 10.0)
    assert humidity.min() >= 0.0 and humidity.max() <= 1.0
    assert humidity[5, 30] > 0.5 > 0.25 > humidity[5, 5]


def test_flat_ground_of_any_height_has_finite_humidity() -> None:
    surface = np.full((5, 5), 1e4, np.float32)
    assert np.isfinite(measure_humidity(surface, 1.0)).all()


def test_distance_by_hand() -> None:
    places = np.zeros((4, 6), bool)
    places[0, 0] = places[3, 5] = True
    assert find_nearest(places)[1, 1] == 0
    assert find_nearest(places)[2, 4] == 23
    distance = measure_distance(places, 10.0)
    assert distance[0, 0] == 0.0
    assert distance[1, 2] == pytest.approx(10.0 * math.sqrt(5.0))
    assert measure_distance(np.zeros((3, 3), bool), 1.0).min() == FARTHEST


def test_ground_is_wet_beside_water_and_dry_above_it() -> None:
    surface = np.zeros((1, 12), np.float32)
    surface[0, 2] = 1.0
    surface[0, 3] = 2.5
    places = np.zeros((1, 12), bool)
    places[0, 0] = True
    wet = measure_wet_ground(surface, surface, places, 5.0)[0]
    np.testing.assert_allclose(wet[:6], [1.0, 0.8, 0.6 * 0.5, 0.0, 0.2, 0.0], atol=1e-6)
    assert not measure_wet_ground(surface, surface, np.zeros((1, 12), bool), 5.0).any()


def test_the_sea_makes_a_beach_wider_than_the_bank_of_a_lake() -> None:
    surface = np.linspace(0.0, 6.0, 7, dtype=np.float32)[np.newaxis]
    places = surface == 0.0
    beach = measure_wet_ground(surface, np.zeros_like(surface), places, 10.0, sea_level=0.0)[0]
    bank = measure_wet_ground(surface, np.zeros_like(surface), places, 10.0, sea_level=-5.0)[0]
    np.testing.assert_allclose(beach[1], (1.0 - 10.0 / 120.0) * (1.0 - 1.0 / 9.0), rtol=1e-5)
    assert (beach[1:] > bank[1:]).all()
    np.testing.assert_array_equal(bank, measure_wet_ground(surface, np.zeros_like(surface), places, 10.0)[0])


def test_deposition_is_what_came_and_not_what_went() -> None:
    before = Terrain(np.zeros((1, 3)), np.array([[1.0, 1.0, 0.0]]), 1.0)
    after = Terrain(np.zeros((1, 3)), np.array([[0.5, 1.25, 0.0]]), 1.0)
    np.testing.assert_array_equal(measure_deposition(before, after), [[0.0, 0.25, 0.0]])
    with pytest.raises(ValueError, match=r"shape \(1, 3\) before and has \(1, 2\) after"):
        measure_deposition(before, Terrain(np.zeros((1, 2)), np.zeros((1, 2)), 1.0))


# --- horizon, sky and sun ---------------------------------------------------------------------------------------------


def test_horizon_behind_a_wall_by_hand() -> None:
    surface = np.zeros((5, 11), np.float32)
    surface[:, 8] = 30.0
    east = measure_horizon(surface, 10.0, [90.0])[0, 2]
    np.testing.assert_allclose(east[:8], [math.degrees(math.atan(3.0 / (8 - c))) for c in range(8)], atol=1e-4)
    np.testing.assert_allclose(measure_horizon(surface, 10.0, [270.0])[0, 2, 1:8], 0.0, atol=1e-6)
    # From afar, the wall is beyond what is looked for; the nearest cell always counts.
    near = measure_horizon(surface, 10.0, [90.0], 40.0)[0, 2]
    np.testing.assert_allclose(near[:4], 0.0, atol=1e-6)
    np.testing.assert_allclose(near[4:8], east[4:8])
    assert measure_horizon(surface, 10.0, [90.0], 0.5)[0, 2, 7] == pytest.approx(east[7])
    with pytest.raises(ValueError, match=r"longest_distance = 0\.0 m"):
        measure_horizon(surface, 10.0, [90.0], 0.0)


def test_the_far_side_of_a_summit_lies_below() -> None:
    surface = np.array([[0.0, 10.0, 0.0, 8.0, 0.0]], np.float32)
    horizon = measure_horizon(surface, 10.0, [90.0])[0, 0]
    np.testing.assert_allclose(
        horizon[:4], np.degrees(np.arctan([1.0, -2.0 / 20.0, 0.8, -0.8])), atol=1e-4
    )  # seen from the first, the second hides the third


@pytest.mark.parametrize("elevation", [10.0, 30.0, 45.0])
def test_a_wall_casts_a_shadow_as_long_as_it_should(elevation: float) -> None:
    surface = np.zeros((5, 200), np.float32)
    surface[:, 150] = 40.0
    lit = cast_shadows(surface, 2.0, 90.0, elevation)[2]
    in_shade = 2.0 * np.count_nonzero(lit[:150] < 0.5)
    assert in_shade == pytest.approx(40.0 / math.tan(math.radians(elevation)), abs=2.01)
    np.testing.assert_array_equal(lit[151:190], 1.0)


def test_open_ground_sees_all_of_the_sky() -> None:
    np.testing.assert_allclose(measure_sky_view(FLAT, 1.0), 1.0, rtol=1e-5)
    np.testing.assert_allclose(measure_ambient_occlusion(FLAT, 1.0), 1.0, rtol=1e-5)


def test_the_foot_of_an_endless_cliff_sees_half_of_the_sky() -> None:
    surface = np.zeros((401, 9), np.float32)
    surface[:, 5:] = 1e6
    # 31 of 64 directions meet the cliff; along it there is nothing.
    assert measure_sky_view(surface, 1.0, azimuths=64)[200, 4] == pytest.approx(33.0 / 64.0, abs=0.002)


def test_a_slope_sees_the_sky_as_theory_says() -> None:
    for steep in (0.5, 1.0, 2.0):
        surface = plane(41, 41, 1.0, steep, 0.0)
        expected = 0.5 * (1.0 + math.cos(math.atan(steep)))
        # Uphill the slope itself is the horizon, downhill the sky is open from the level up.
        assert measure_ambient_occlusion(surface, 1.0, azimuths=64)[20, 20] == pytest.approx(expected, abs=0.01)


def test_days_are_as_long_as_they_should_be() -> None:
    assert day_length(0.0, 81) == pytest.approx(12.0, abs=0.05)
    assert day_length(60.0, 172) == pytest.approx(18.5, abs=0.1)  # without refraction
    assert day_length(60.0, 355) == pytest.approx(5.5, abs=0.1)
    assert day_length(80.0, 172) == 24.0 and day_length(80.0, 355) == 0.0
    noon = sun_path(50.0, 172)[:, 2].max()
    assert math.degrees(math.asin(noon)) == pytest.approx(90.0 - 50.0 + 23.44, abs=0.1)


def test_flat_ground_has_sun_all_day_and_a_shaft_none() -> None:
    np.testing.assert_allclose(measure_sun_hours(FLAT, 1.0, 50.0, 100), day_length(50.0, 100), rtol=1e-4)
    shaft = np.full((9, 9), 1e5, np.float32)
    shaft[4, 4] = 0.0
    assert measure_sun_hours(shaft, 1.0, 50.0, 100)[4, 4] == pytest.approx(0.0, abs=0.1)
    assert measure_sun_hours(FLAT, 1.0, 80.0, 355).max() == 0.0


@pytest.mark.parametrize("day", [1, 100, 183, 365])
def test_no_place_lies_in_shadow_for_less_than_no_time(day: int) -> None:
    recipe = core.Recipe.preset("plains", resolution=33, erosion=())
    recipe = recipe.replace(extra_maps=recipe.extra_maps.replace(shadow_hours=True))
    for latitude in (-45.0, 0.0, 35.0, 66.0):
        light = recipe.illumination.replace(latitude=latitude, day_of_year=day)
        land = core.build(recipe.replace(illumination=light), extent="maps")
        assert land.maps["shadow_hours"].min() >= 0.0


def test_a_wall_in_the_east_takes_the_morning() -> None:
    surface = np.zeros((401, 12), np.float32)
    surface[:, 9] = 1e5
    hours = measure_sun_hours(surface, 10.0, 0.0, 81)
    assert hours[200, 8] == pytest.approx(6.0, abs=0.2)


@pytest.mark.parametrize(("latitude", "sunny"), [(45.0, "south"), (-45.0, "north")])
def test_the_slope_that_faces_the_equator_is_brighter(latitude: float, sunny: str) -> None:
    light = Illumination(latitude=latitude)
    facing = {"south": plane(5, 5, 1.0, 0.0, 0.5), "north": plane(5, 5, 1.0, 0.0, -0.5)}
    values = {side: measure_illumination(surface, 1.0, light)[2, 2] for side, surface in facing.items()}
    assert max(values, key=lambda side: values[side]) == sunny


def test_illumination_of_flat_ground_is_known() -> None:
    # Mean of cos(h) over the half day is 2/π at the equator.
    for latitude, share in ((0.0, 0.0), (45.0, 0.0), (45.0, 0.4)):
        light = measure_illumination(FLAT, 1.0, Illumination(latitude=latitude, day_of_year=81, sky_light=share))
        sun = 2.0 / math.pi * math.cos(math.radians(latitude))
        np.testing.assert_allclose(light, (1.0 - share) * sun + share, rtol=2e-4)
    night = measure_illumination(FLAT, 1.0, Illumination(latitude=90.0, day_of_year=355))
    np.testing.assert_allclose(night, 0.25, rtol=1e-4)


def test_illumination_of_slopes_is_that_of_the_sun_they_see() -> None:
    # By numbers: the sun over a slope, below its own plane not at all.
    sun = sun_path(45.0, 81)
    for east, north in ((0.0, 0.6), (0.0, -0.6), (0.5, 0.3)):
        up = 1.0 / math.sqrt(1.0 + east**2 + north**2)
        expected = np.maximum(sun @ (-east * up, -north * up, up), 0.0).mean()
        settings = Illumination(latitude=45.0, day_of_year=81, sky_light=0.0, azimuths=64)
        light = measure_illumination(plane(9, 9, 1.0, east, north), 1.0, settings)[4, 4]
        assert light == pytest.approx(expected, abs=0.005)


def test_other_ground_casts_its_shadow_on_the_illumination() -> None:
    surface = np.zeros((41, 21), np.float32)
    settings = Illumination(latitude=45.0, sky_light=0.0)
    open_ground = measure_illumination(surface, 10.0, settings)[20, 10]
    surface[12] = 500.0  # a wall in the south
    walled = surface.copy()
    assert measure_illumination(walled, 10.0, settings)[14, 10] < 0.5 * open_ground
    short = settings.replace(longest_distance=10.0)
    assert measure_illumination(walled, 10.0, short)[14, 10] == pytest.approx(open_ground, rel=0.01)


def test_grazing_rays_by_hand() -> None:
    # In a trench, level ground sees the rims to the east and west at 45°, and nothing to the north and south.
    surface = np.full((41, 41), 10.0, np.float32)
    surface[:, 20] = 0.0
    rays = Illumination(light="grazing_rays", azimuths=4)
    light = measure_illumination(surface, 10.0, rays)
    # n·d = sin 45° twice and 0 twice; on the plain all four are level: no light, as published.
    assert light[20, 5] == pytest.approx(0.0, abs=1e-6)
    assert light[20, 20] == pytest.approx(1.0) and light.max() == pytest.approx(1.0)
    assert not measure_illumination(FLAT, 1.0, rays).any()
    np.testing.assert_allclose(compass(4), [0.0, 90.0, 180.0, 270.0])


def test_grazing_rays_may_lie_below_the_horizontal_and_one_is_enough() -> None:
    # A slope of 45° falls to the north, to a plain.  From the height h on row i, the ray that grazes the end of the
    # plain, on the row after the last one, falls by h over 41 − i cells.
    north = np.arange(41, dtype=np.float32)[:, np.newaxis]
    surface = np.repeat(np.maximum(40.0 - 10.0 * north, 0.0), 9, axis=1)
    light = measure_illumination(surface, 10.0, Illumination(light="grazing_rays", azimuths=1))[:, 4]

    def facing(height: float, row: int) -> float:
        tangent = -height / (10.0 * (41 - row))
        return (1.0 + tangent) / np.sqrt(1.0 + tangent**2)

    assert light[3] == pytest.approx(1.0)
    assert light[1] == pytest.approx(facing(30.0, 1) / facing(10.0, 3), rel=1e-5)
    assert light[1] < 0.96


def test_a_recipe_asks_for_the_shadow_of_a_low_sun() -> None:
    recipe = mountains(resolution=65)
    recipe = recipe.replace(
        extra_maps=recipe.extra_maps.replace(shadow=True), low_sun=recipe.low_sun.replace(azimuth=90.0, elevation=15.0)
    )
    land = core.build(recipe, extent="maps")
    shadow, east = land.maps["shadow"][:, :-1], np.diff(land.terrain.surface, axis=1) / recipe.cell_size
    # The sun is in the east: ground that rises to the east by more than 15° turns away from it.
    away = east > np.tan(np.radians(16.0))
    assert away.any() and shadow[away].mean() > 0.99 and shadow[east < 0.0].mean() < 0.3
    noon = core.build(recipe.replace(low_sun=recipe.low_sun.replace(elevation=90.0)), extent="maps").maps["shadow"]
    assert not noon.any()


# --- ground cover and colour ------------------------------------------------------------------------------------------


def site(**changes: float) -> Site:
    values = {"altitude": 500.0, "sediment": 0.0, "slope": 5.0, "humidity": 0.3, "sky_view": 1.0}
    values |= {"water_depth": 0.0, "water_distance": 1e6} | changes
    return Site(**{name: np.full((2, 3), value, np.float32) for name, value in values.items()})


@pytest.mark.parametrize(
    ("changes", "layer"),
    [
        ({"slope": 60.0}, "rock"),
        ({"sediment": 0.5, "slope": 37.0, "humidity": 0.0}, "scree"),
        ({"sediment": 1.0, "humidity": 0.0}, "soil"),
        ({"sediment": 1.0, "humidity": 0.19}, "grass"),
        ({"sediment": 1.0, "humidity": 0.5}, "forest_floor"),
        ({"sediment": 1.0, "humidity": 0.5, "altitude": 1850.0}, "grass"),
        ({"sediment": 1.0, "humidity": 0.5, "altitude": 2300.0, "slope": 36.0, "sky_view": 1.0}, "snow"),
        ({"sediment": 1.0, "slope": 2.0, "water_distance": 1.0}, "sand"),
        ({"altitude": 3000.0}, "snow"),
        ({"altitude": 3000.0, "slope": 70.0}, "rock"),
        ({"water_depth": 2.0, "sediment": 1.0}, "water"),
    ],
)
def test_what_covers_the_ground(changes: dict[str, float], layer: str) -> None:
    weights = splat_weights(site(**changes))
    assert weights.dtype == np.uint8 and weights.shape == (2, 3, 8)
    assert LAYERS[int(weights[1, 2].argmax())] == layer
    assert (weights.sum(axis=2, dtype=int) == 255).all()


def test_layers_may_be_left_out() -> None:
    forest = site(sediment=1.0, humidity=0.5)
    weights = splat_weights(forest, layers=("grass", "rock"))
    assert weights.shape == (2, 3, 2) and weights[0, 0, 0] == 255
    assert (splat_weights(forest, layers=("water",)) == 255).all()
    bare = splat_weights(forest, vegetation=0.0)
    assert not bare[:, :, [LAYERS.index("grass"), LAYERS.index("forest_floor")]].any()
    for wrong in ((), ("moss",), ("rock", "rock")):
        with pytest.raises(ValueError, match="must be some of: rock, scree"):
            splat_weights(forest, layers=wrong)


def test_colour_is_rock_where_bare_and_snow_where_high() -> None:
    zeros = np.zeros((1, 3), np.float32)
    surface = np.array([[0.0, 0.0, 3000.0]], np.float32)
    soil = np.array([[0.0, 2.0, 2.0]], np.float32)
    colour = land_colour(surface, soil, zeros, zeros, 2000.0)
    np.testing.assert_allclose(colour[0], [PALETTE["rock"], PALETTE["soil"], PALETTE["snow"]], atol=1e-6)


def test_the_kind_of_rock_colours_what_consists_of_it_and_nothing_else() -> None:
    zeros = np.zeros((1, 3), np.float32)
    surface, soil = np.array([[0.0, 0.0, 3000.0]], np.float32), np.array([[0.0, 2.0, 2.0]], np.float32)
    grey, red, dark, pale = (
        land_colour(surface, soil, zeros, zeros, 2000.0, stone)[0] for stone in ("grey", "red", "dark", "pale")
    )
    assert red[0, 0] / red[0, 2] > 2.0 * grey[0, 0] / grey[0, 2]
    assert (dark[0] < 0.5 * grey[0]).all() and (pale[0] > 1.4 * grey[0]).all()
    # The soil on it is redder, too, but less so.
    assert 1.0 < red[1, 0] / grey[1, 0] < red[0, 0] / grey[0, 0]
    for other in (red, dark, pale):
        np.testing.assert_array_equal(other[2], grey[2])  # snow
    assert all(0.0 <= part <= 1.0 for stone in STONES for colour in palette_on(stone).values() for part in colour)
    assert palette_on("grey") == PALETTE


def test_terrain_ramp_runs_from_dark_blue_to_white() -> None:
    surface = np.linspace(-50.0, 950.0, 1001, dtype=np.float32)[None]
    colour = ramp_colour(surface)[0]
    np.testing.assert_allclose(colour[0], [0.0, 0.0, 0.216], atol=2e-3)
    np.testing.assert_allclose(colour[-1], 1.0, atol=1e-6)
    assert colour[400, 1] == colour[400].max() and colour[400, 0] < 0.01  # dark green
    assert np.isfinite(ramp_colour(FLAT)).all()
    with pytest.raises(ValueError, match="ramp = 'grey' is none of: terrain, terrain in 25 steps"):
        ramp_colour(surface, "grey")


def test_hypsometric_ramp_stands_for_altitudes() -> None:
    one = ramp_colour(np.array([[200.0, 3000.0]], np.float32), "hypsometric")
    other = ramp_colour(np.array([[200.0, -2000.0]], np.float32), "hypsometric")
    np.testing.assert_array_equal(one[0, 0], other[0, 0])
    assert other[0, 1, 2] > other[0, 1, 0]  # the sea is blue
    assert all(len(stops) >= 6 for stops in RAMPS.values())


def test_names_are_explained() -> None:
    for name, known in MAPS.items():
        assert name == name.lower() and known.description[0].isupper() and not known.description.endswith(".")
