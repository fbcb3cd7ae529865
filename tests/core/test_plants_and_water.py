"""No tree stands in the sea, in a lake or in a river; reeds stand at the shore."""

from functools import cache

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.building.plant_stages import PLANT_HERE
from terrain_addon.core.building.recipe import preset_names
from terrain_addon.core.ecosystem.density import Habitat
from terrain_addon.core.ecosystem.ecosystem import Ecosystem, grow_forest
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.ecosystem.species import load_species
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.maps.water_distance import measure_distance
from terrain_addon.files.inputs import read_inputs

pytestmark = pytest.mark.once


def depth_below_water(land: Landscape, plants: Plants) -> np.ndarray:
    """Metres of water over the ground where each plant stands; below 0 on dry ground.

    Water covers a cell of the grid if one of its corners is wet, as the water mesh does.
    """
    surface, waters, cell = land.terrain.surface, land.waters, land.terrain.cell_size
    rows, columns = surface.shape
    x, y = plants.x / cell, plants.y / cell
    c, r = np.minimum(x.astype(int), columns - 2), np.minimum(y.astype(int), rows - 2)
    u, v = x - c, y - r
    corners = [(r, c, (1 - u) * (1 - v)), (r, c + 1, u * (1 - v)), (r + 1, c, (1 - u) * v), (r + 1, c + 1, u * v)]
    ground = sum(surface[i, j] * share for i, j, share in corners)
    level = waters.shown_level
    wet = [np.where(level[i, j] > waters.surface[i, j], level[i, j], -np.inf) for i, j, _ in corners]
    return np.max(wet, axis=0) - ground


def share_of_half_width(land: Landscape, plants: Plants) -> np.ndarray:
    """Distance of each plant to the nearest river line, as a share of half the river's width there."""
    rivers = land.waters.rivers
    nearest = np.full(len(plants), np.inf)
    order = np.argsort(plants.y)
    x, y = plants.x[order].astype(np.float64), plants.y[order].astype(np.float64)
    for begin, end in zip(rivers.first[:-1], rivers.first[1:]):
        for k in range(begin, end - 1):
            (ax, ay), (bx, by) = rivers.points[k, :2].astype(float), rivers.points[k + 1, :2].astype(float)
            half = 0.5 * rivers.width[k : k + 2].astype(float)
            low, high = np.searchsorted(y, [min(ay, by) - half.max(), max(ay, by) + half.max()])
            px, py = x[low:high] - ax, y[low:high] - ay
            length = (bx - ax) ** 2 + (by - ay) ** 2
            along = np.clip((px * (bx - ax) + py * (by - ay)) / max(length, 1e-9), 0.0, 1.0)
            away = np.hypot(px - along * (bx - ax), py - along * (by - ay))
            share = away / np.maximum(half[0] + along * (half[1] - half[0]), 1e-9)
            nearest[order[low:high]] = np.minimum(nearest[order[low:high]], share)
    return nearest


def standing_in_water(land: Landscape) -> tuple[int, int]:
    """How many plants stand deeper than their species may, and how many on a river."""
    limit = np.array([one.deepest_water for one in land.recipe.ecosystem.species], np.float32)
    deep = depth_below_water(land, land.plants) > limit[land.plants.species] + 1e-3
    return int(deep.sum()), int((share_of_half_width(land, land.plants) < 1.0).sum())


@cache
def recipe_of(name: str) -> core.Recipe:
    """A preset with fewer plants, so that it is quick."""
    recipe = core.Recipe.preset(name, resolution=129)
    throwing = recipe.ecosystem.throwing.replace(most_plants=300_000)
    return recipe.replace(ecosystem=recipe.ecosystem.replace(throwing=throwing))


def test_the_measures_find_trees_in_water() -> None:
    recipe = recipe_of("islands")
    anywhere = ((-100.0, 1.0), (0.0, 1.0), (100.0, 1.0), (1000.0, 1.0))
    species = tuple(one.replace(deepest_water=100.0, altitude_response=anywhere) for one in recipe.ecosystem.species)
    land = core.build(recipe.replace(ecosystem=recipe.ecosystem.replace(species=species)))
    assert (depth_below_water(land, land.plants) > 2.0).mean() > 0.2


@pytest.mark.parametrize("name", preset_names())
def test_no_plant_of_a_preset_stands_in_water(name: str) -> None:
    recipe = recipe_of(name)
    land = core.build(recipe, inputs=read_inputs(recipe))
    assert len(land.plants) > min(1000.0, 4e-4 * recipe.width * recipe.depth) or not recipe.ecosystem.species
    assert standing_in_water(land) == (0, 0)


@pytest.mark.parametrize("start", ["bare", "young"])
def test_no_seedling_comes_up_in_water(start: str) -> None:
    recipe = recipe_of("plains")
    ecosystem = recipe.ecosystem
    years = ecosystem.evolution.replace(years=60.0, start=start, step=5.0)
    species = tuple(one.replace(seed_rain=50.0) for one in ecosystem.species)
    small = recipe.replace(width=1500.0, depth=1500.0, water=recipe.water.replace(river_source=0.05, river_width=60.0))
    land = core.build(small.replace(ecosystem=ecosystem.replace(evolution=years, species=species)))
    assert len(land.waters.rivers) > 0 and len(land.plants) > 1000
    assert standing_in_water(land) == (0, 0)


def test_no_plant_stands_in_a_pool_of_a_river() -> None:
    recipe = recipe_of("rolling_hills").replace(fixed_border=True)
    land = core.build(recipe.replace(water=recipe.water.replace(smallest_lake=1e7)))
    assert len(land.waters.lakes) == 0 and len(land.waters.pools.cell) > 0
    assert len(land.plants) > 1000 and standing_in_water(land) == (0, 0)


def test_painting_plants_into_the_sea_plants_the_shore_only() -> None:
    recipe = recipe_of("fjords")
    nowhere = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0))
    wide = tuple(one.replace(radius=20.0, altitude_response=nowhere) for one in recipe.ecosystem.species)
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=wide))
    assert len(core.build(recipe).plants) == 0
    painted = core.build(recipe, inputs={PLANT_HERE: StoredField(np.ones((129, 129), np.float32))})
    assert standing_in_water(painted) == (0, 0)
    # On dry ground they stand even where none would grow.
    assert len(painted.plants) > 10_000


def test_no_plant_stands_in_the_water_of_a_land_whose_soil_has_moved() -> None:
    recipe = recipe_of("plains")
    soil = recipe.ecosystem.soil.replace(enabled=True, years=2000.0, wash=0.005)
    land = core.build(recipe.replace(ecosystem=recipe.ecosystem.replace(soil=soil)))
    assert len(land.plants) > 1000 or not recipe.ecosystem.species
    assert standing_in_water(land) == (0, 0)


def test_reeds_stand_in_shallow_water_and_alders_on_the_bank() -> None:
    # A shore that falls by 5 cm in a metre, into the sea.
    y, _ = np.mgrid[0:65, 0:65] * 4.0
    surface = np.ascontiguousarray(0.05 * (y - 128.0), np.float32)
    waters = find_water(surface, 4.0, Water(sea=True, rivers=False))
    distance = measure_distance(waters.water_depth > 0.0, 4.0)
    even = {name: np.full_like(surface, 0.8) for name in ("sediment", "humidity")}
    even |= {"illumination": np.full_like(surface, 0.6), "slope": np.full_like(surface, 3.0)}
    habitat = Habitat(altitude=surface, water_distance=distance, waters=waters, **even)

    def depths(name: str) -> np.ndarray:
        """Where a species stands that has the shore for itself."""
        plants = run(grow_forest(habitat, Ecosystem(species=(load_species(name),)), 4.0, seed=1)).plants_at(0.0)
        return 0.05 * (128.0 - plants.y)

    depth = {name: depths(name) for name in ("reed", "alder", "oak")}
    reed = load_species("reed")
    # Reeds go down to their limit, and 12 m up the beach, which is 0.6 m here; alders 30 m.
    assert reed.deepest_water - 0.02 < depth["reed"].max() <= reed.deepest_water
    assert -0.8 < depth["reed"].min() < -0.3
    assert -0.3 < depth["alder"].max() <= 0.0 and -1.7 < depth["alder"].min() < -1.0
    assert -0.5 < depth["oak"].max() <= 0.0 and depth["oak"].min() < -6.0
