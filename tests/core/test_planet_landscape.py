"""Landscapes of squares of a planet: its heights, its sea and climate, and neighbours that fit together."""

import math
from dataclasses import replace

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.planet_landscape import Square, landscape_of_planet, warnings_of_square
from terrain_addon.core.planet.biomes import Biome
from terrain_addon.core.planet.cube_sphere import nearest_samples
from terrain_addon.core.planet.local_plane import Place, direction_of, place_of, plane_directions, plane_places
from terrain_addon.core.planet.planet_relief import planet_relief
from terrain_addon.core.planet.planet_rivers import PlanetRiver

pytestmark = pytest.mark.once

ALPS = Place(46.0, 8.0)


@pytest.fixture(scope="module")
def planet() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))


def place_with(planet: core.Planet, biome: Biome) -> Place:
    """A place in the middle of what this biome covers."""
    number = int(np.flatnonzero(planet.biomes.ravel() == biome)[0])
    return place_of(planet.directions.reshape(-1, 3)[number])


def test_distances_and_directions_on_the_plane_are_those_on_the_sphere() -> None:
    radius = 1000.0
    grid = plane_directions(ALPS, radius, np.array([-300.0, 0.0, 300.0]), np.array([-200.0, 0.0, 200.0]))
    here = direction_of(ALPS)
    assert np.allclose(grid[1, 1], here, atol=1e-15)
    for row, north in enumerate((-200.0, 0.0, 200.0)):
        for column, east in enumerate((-300.0, 0.0, 300.0)):
            angle = math.acos(min(float(grid[row, column] @ here), 1.0))
            assert angle * radius == pytest.approx(math.hypot(east, north), abs=1e-4)
    assert place_of(grid[2, 1]).latitude == pytest.approx(46.0 + math.degrees(0.2), abs=1e-9)
    assert place_of(grid[1, 2]).longitude > 8.0


def test_squares_side_by_side_share_their_border_to_the_last_bit(planet: core.Planet) -> None:
    here = landscape_of_planet(planet, Square(ALPS, 5000.3, 33))
    east = landscape_of_planet(planet, Square(ALPS, 5000.3, 33, east=1))
    north = landscape_of_planet(planet, Square(ALPS, 5000.3, 33, north=1))
    assert here.heights.heights[:, -1].tobytes() == east.heights.heights[:, 0].tobytes()
    assert here.heights.heights[-1].tobytes() == north.heights.heights[0].tobytes()


def test_built_squares_share_their_border(planet: core.Planet) -> None:
    # High mountains, where rivers cut deep.
    place = place_of(planet.directions.reshape(-1, 3)[int(planet.surface.argmax())])
    squares = [landscape_of_planet(planet, Square(place, 6000.0, 65, *away)) for away in ((0, 0), (1, 0), (0, 1))]
    here, east, north = (core.build(one.recipe, inputs=one.inputs, extent="maps") for one in squares)
    assert np.abs(here.terrain.surface[:, -1] - east.terrain.surface[:, 0]).max() < 0.01
    assert np.abs(here.terrain.surface[-1] - north.terrain.surface[0]).max() < 0.01
    # Rivers have cut the land beside it, and the border dams none of them.
    raw = core.build(squares[0].recipe.replace(erosion=()), inputs=squares[0].inputs, extent="terrain").terrain
    beside = np.abs(here.terrain.surface - raw.surface)[4:-4, 4]
    assert beside.mean() > 10.0
    assert here.waters is not None and (here.waters.water_depth > 0.0).mean() < 0.01


def test_small_squares_of_coarse_planets_are_warned_of(planet: core.Planet) -> None:
    place = place_of(planet.directions.reshape(-1, 3)[int(planet.surface.argmax())])
    small, large = Square(place, 6000.0, 33), Square(place, 1e6, 33)
    (said,) = warnings_of_square(planet, small, landscape_of_planet(planet, small))
    assert said.startswith("a square of 6 km lies between samples of the planet, which are 313 km apart")
    assert not warnings_of_square(planet, large, landscape_of_planet(planet, large))


def test_squares_under_the_sea_say_how_deep_and_where_land_is_and_bear_no_plants(planet: core.Planet) -> None:
    flat = planet.directions.reshape(-1, 3)
    # A place in the sea whose nearest sample is land would have its trees.
    deep = Square(place_of(flat[int(planet.surface.argmin())]), 6000.0, 33)
    drowned = replace(planet, biomes=np.full_like(planet.biomes, Biome.TEMPERATE_FOREST))
    made = landscape_of_planet(drowned, deep)
    said = warnings_of_square(drowned, deep, made)[0]
    depth = -made.heights.heights.mean() / 1000.0
    assert said.startswith(f"this place lies {depth:.3g} km under the sea; the nearest land is at latitude ")
    assert made.recipe.ecosystem.species == ()
    latitude, longitude = (
        float(word.strip(",").split()[-1]) for word in said.split("latitude")[1].split(", longitude")
    )
    land = flat @ direction_of(Place(latitude, longitude))
    assert planet.surface.ravel()[int(land.argmax())] > 0.0
    nearest = (flat @ direction_of(deep.place))[planet.surface.ravel() > 0.0].max()
    assert direction_of(Place(latitude, longitude)) @ direction_of(deep.place) == pytest.approx(nearest, abs=0.01)


def test_heights_are_those_of_the_planet_with_all_the_detail_that_fits(planet: core.Planet) -> None:
    size = 2e5
    young = replace(planet, surface=planet_relief(planet.recipe, planet.directions))
    made = landscape_of_planet(young, Square(ALPS, size, 65)).heights
    middle = planet_relief(planet.recipe, direction_of(ALPS)[np.newaxis], None, math.degrees(2 * size / 64 / 6.371e6))
    assert made.heights[32, 32] == middle[0]
    # More detail than the coarse planet has, but the same land.
    axis = np.linspace(-size / 2, size / 2, 65)
    coarse = planet_relief(planet.recipe, plane_directions(ALPS, planet.recipe.radius, axis, axis))
    assert 0.0 < np.abs(made.heights - coarse).std() < 0.35 * np.ptp(planet.surface)
    assert np.abs(np.diff(made.heights, axis=1)).mean() > 2.0 * np.abs(np.diff(coarse, axis=1)).mean()


def test_what_was_changed_on_the_planet_is_changed_in_the_landscape(planet: core.Planet) -> None:
    lower = replace(planet, surface=planet.surface - np.float32(250.0))
    square = Square(ALPS, 6000.0, 17)
    before, after = (landscape_of_planet(one, square).heights.heights for one in (planet, lower))
    assert np.allclose(before - after, 250.0, atol=0.01)


def test_climate_of_the_place_decides_what_grows(planet: core.Planet) -> None:
    forest = landscape_of_planet(planet, Square(place_with(planet, Biome.TEMPERATE_FOREST), 3000.0, 65))
    assert {"oak", "beech"} <= {one.name for one in forest.recipe.ecosystem.species}
    land = core.build(forest.recipe, inputs=forest.inputs)
    assert land.plants is not None and len(land.plants) > 1000
    desert, ice = (
        landscape_of_planet(planet, Square(place_with(planet, biome), 3000.0, 17))
        for biome in (Biome.DESERT, Biome.ICE)
    )
    for one in (desert, ice):
        assert one.recipe.ecosystem.species == () and one.recipe.appearance.vegetation == 0.0
    assert ice.recipe.appearance.snow_line < ice.heights.heights.mean()
    assert desert.recipe.appearance.snow_line > planet.surface[planet.biomes == Biome.DESERT].min() + 1000.0


def test_no_oaks_grow_where_hardly_any_rain_falls() -> None:
    desert = core.build_planet(core.PlanetRecipe.preset("desert", seed=2, resolution=33))
    climate = desert.maps
    is_cool = (climate["temperature"] > 6.0) & (climate["temperature"] < 11.5) & (climate["rain"] < 60.0)
    here = desert.directions[is_cool][0]
    made = landscape_of_planet(desert, Square(place_of(here), 5000.0, 17))
    assert made.recipe.ecosystem.species == ()


def test_trees_climb_as_high_as_it_is_warm_enough(planet: core.Planet) -> None:
    lines = {}
    for biome in (Biome.TAIGA, Biome.TEMPERATE_FOREST, Biome.RAINFOREST):
        lines[biome] = landscape_of_planet(planet, Square(place_with(planet, biome), 3000.0, 17)).recipe
    heights = [one.appearance.tree_line for one in lines.values()]
    assert heights == sorted(heights) and all(
        one.appearance.snow_line > one.appearance.tree_line for one in lines.values()
    )


def test_the_sea_of_the_planet_is_the_sea_of_the_landscape(planet: core.Planet) -> None:
    made = landscape_of_planet(planet, Square(place_with(planet, Biome.SEA), 3000.0, 33))
    land = core.build(made.recipe, inputs=made.inputs, extent="maps")
    assert land.waters is not None and land.waters.sea_level == planet.sea_level
    assert (land.waters.water_depth > 100.0).all()


def test_a_moon_has_no_water_and_no_plants() -> None:
    moon = core.build_planet(core.PlanetRecipe.preset("moon", resolution=17))
    made = landscape_of_planet(moon, Square(Place(-80.0, 170.0), 3000.0, 33)).recipe
    assert not made.water.sea and not made.water.rivers and made.ecosystem.species == ()
    assert made.appearance.vegetation == 0.0


@pytest.mark.parametrize(
    ("square", "words"),
    [
        (Square(Place(91.0, 0.0), 3000.0), "latitude = 91.0° is outside -90 to 90°"),
        (Square(Place(0.0, 200.0), 3000.0), "longitude = 200.0° is outside"),
        (Square(ALPS, 0.0), "size = 0.0 m is outside 10 to"),
        (Square(ALPS, 4e6), "size = 4000000.0 m is outside"),
        (Square(ALPS, math.nan), "size = nan m is outside"),
        (Square(ALPS, 1e6, east=9), "choose a nearer place"),
    ],
)
def test_squares_that_cannot_be_are_refused(planet: core.Planet, square: Square, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        landscape_of_planet(planet, square)


# --- rivers that enter ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def upland_river(planet: core.Planet) -> PlanetRiver:
    """The river of which the highest place is half way down."""
    surface = planet.surface.ravel()

    def altitude(river: PlanetRiver) -> float:
        middle = len(river.directions) // 2
        return float(surface[nearest_samples(river.directions[middle : middle + 2], 33)].min())

    return max((one for one in planet.rivers if len(one.directions) > 5), key=altitude)


def half_way(river: PlanetRiver) -> tuple[Place, int]:
    """A place between two samples of a river, and the number of the first."""
    step = len(river.directions) // 2
    return place_of(river.directions[step] + river.directions[step + 1]), step


def test_places_on_the_plane_lead_back_to_directions() -> None:
    along = np.array([-40000.0, 0.0, 7.5, 300000.0])
    directions = plane_directions(ALPS, 6.371e6, along, along[:2])
    found = plane_places(ALPS, 6.371e6, directions.reshape(-1, 3)).reshape(2, 4, 2)
    assert np.allclose(found[..., 0], along, atol=1e-3) and np.allclose(found[..., 1], along[:2, np.newaxis], atol=1e-3)
    assert np.isnan(plane_places(ALPS, 6.371e6, -direction_of(ALPS)[np.newaxis])).all()


def test_a_river_of_the_planet_brings_its_water(planet: core.Planet, upland_river: PlanetRiver) -> None:
    place, step = half_way(upland_river)
    square = Square(place, 6000.0, 65)
    made = landscape_of_planet(planet, square)
    sample = nearest_samples(upland_river.directions[step : step + 1], 33)[0]
    drained = float(planet.maps["drainage_area"].ravel()[sample])
    (inflow,) = (one for one in made.recipe.water.inflows if one.drainage_area == pytest.approx(drained, rel=1e-6))
    # It enters where the line of the planet's river comes from, to a small part of the square.
    above, below = plane_places(place, planet.recipe.radius, upland_river.directions[step : step + 2])
    side = above / np.abs(above).max() * 3000.0
    assert np.hypot(*(np.array((inflow.x, inflow.y)) - 3000.0 - side)) < 0.05 * square.size
    # There the land has a river as wide as all that drains there says, and it goes across.
    rivers = core.build(made.recipe, inputs=made.inputs, extent="maps").waters.rivers
    sources = np.hypot(*(rivers.points[rivers.first[:-1], :2] - (inflow.x, inflow.y)).T)
    first, last = rivers.first[np.argmin(sources)], rivers.first[np.argmin(sources) + 1] - 1
    assert sources.min() <= made.recipe.cell_size
    assert rivers.width[first] == pytest.approx(made.recipe.water.river_width * math.sqrt(1e-6 * drained), rel=0.01)
    end = rivers.points[last, :2] - 3000.0
    assert np.hypot(*(end - below / np.abs(below).max() * 3000.0)) < 0.25 * square.size


def test_a_square_without_a_river_of_the_planet_has_no_inflow(planet: core.Planet, upland_river: PlanetRiver) -> None:
    place, _ = half_way(upland_river)
    away = Square(place, 6000.0, 17, east=12, north=-31)
    assert landscape_of_planet(planet, away).recipe.water.inflows == ()


def test_valleys_of_rivers_cross_borders_without_a_step(planet: core.Planet, upland_river: PlanetRiver) -> None:
    place, _ = half_way(upland_river)
    here = landscape_of_planet(planet, Square(place, 5000.3, 33))
    for side, (east, north) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        beside = landscape_of_planet(planet, Square(place, 5000.3, 33, east=east, north=north)).heights.heights
        mine, theirs = (
            (one[:, -1], one[:, 0], one[-1], one[0])[number].tobytes()
            for one, number in ((here.heights.heights, side), (beside, side ^ 1))
        )
        assert mine == theirs


def test_a_coarser_preview_has_the_same_inflows(planet: core.Planet, upland_river: PlanetRiver) -> None:
    made = landscape_of_planet(planet, Square(half_way(upland_river)[0], 6000.0, 65))
    coarse = made.recipe.replace(resolution=33)
    assert coarse.water.inflows == made.recipe.water.inflows != ()
    drainage = core.build(coarse, inputs=made.inputs, extent="maps").maps["drainage"]
    assert drainage.max() >= max(one.drainage_area for one in coarse.water.inflows)
