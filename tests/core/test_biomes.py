"""Biomes: on an ordinary land each has plants, from the foot to the last trees below the snow."""

import json
from functools import cache

import pytest

from terrain_addon import core
from terrain_addon.command_line import main
from terrain_addon.core.building.recipe import preset_names
from terrain_addon.core.ecosystem.biome_presets import BIOME_FOLDER, biome_presets, load_biome
from terrain_addon.core.ecosystem.forest import SEEDLING
from terrain_addon.core.ecosystem.growth_laws import widened
from terrain_addon.core.ecosystem.species import Species, load_species, species_presets
from terrain_addon.core.ecosystem.traits import traits_of

pytestmark = pytest.mark.once

HILLS = core.Recipe.preset("rolling_hills", resolution=65, width=300.0, depth=300.0)
HECTARES = 9.0
HILLS = HILLS.replace(erosion=HILLS.erosion[-2:])


@cache
def plants_of(name: str) -> dict[str, int]:
    """How many plants of each species a biome has on hills."""
    recipe = HILLS.with_biome(name)
    land = core.build(recipe)
    assert land.plants is not None
    kinds = land.plants.species.tolist()
    return {one.name: kinds.count(number) for number, one in enumerate(recipe.ecosystem.species)}


def test_every_file_is_a_biome() -> None:
    assert biome_presets() == tuple(sorted(path.stem for path in BIOME_FOLDER.glob("*.json")))


@pytest.mark.parametrize("name", biome_presets())
def test_a_biome_grows_on_hills(name: str) -> None:
    recipe = HILLS.with_biome(name)
    species = [one.name for one in recipe.ecosystem.species]
    assert len(species) == len(set(species)) and recipe.replace(ecosystem=HILLS.ecosystem) == HILLS
    counts = plants_of(name)
    assert sum(count > 0 for count in counts.values()) >= 3
    assert core.Recipe.loads(recipe.dumps()) == recipe


def test_they_differ_as_their_names_say() -> None:
    def trees(name: str) -> float:
        recipe = HILLS.with_biome(name)
        tall = {one.name for one in recipe.ecosystem.species if one.height >= 5.0 and one.form != "dead_wood"}
        return sum(count for kind, count in plants_of(name).items() if kind in tall) / HECTARES

    assert trees("boreal") > 300.0 and trees("temperate") > 100.0
    assert 2.0 < trees("savanna") < 60.0
    assert trees("desert") < 25.0 and trees("alpine_meadow") == 0.0


def test_trees_end_below_the_snow_line_of_the_land() -> None:
    def highest(snow_line: float) -> float:
        recipe = core.Recipe(appearance=core.Recipe().appearance.replace(snow_line=snow_line)).with_biome("boreal")
        spruce = next(one for one in recipe.ecosystem.species if one.name == "spruce")
        return spruce.altitude_response[-1][0]

    assert highest(2000.0) == 1700.0 and highest(1000.0) == 700.0


def test_plants_that_nobody_would_see_are_left_out() -> None:
    near, far = (core.Recipe(width=size, depth=size).with_biome("alpine_meadow") for size in (300.0, 6000.0))
    assert {"meadow_grass"} <= {one.name for one in near.ecosystem.species}
    assert {one.name for one in far.ecosystem.species} < {one.name for one in near.ecosystem.species}
    assert far.ecosystem.species


@pytest.mark.parametrize("name", biome_presets())
def test_the_largest_plants_of_a_biome_grow_on_wide_land_too(name: str) -> None:
    """On land of 10 km boreal trees and all of an alpine meadow were too small to be seen, so nothing grew."""
    alpine = core.Recipe.preset("alpine", resolution=65)
    assert alpine.width == 10_000.0
    for recipe in (alpine, alpine.replace(width=50_000.0, depth=50_000.0)):
        wide = {one.name: one for one in recipe.with_biome(name).ecosystem.species}
        living = [one for one in load_biome(name) if not one.lasts]
        widest = max(one.radius for one in living)
        assert {one.name for one in living if one.radius >= 0.5 * widest} <= wide.keys()
    if name in ("boreal", "alpine_meadow"):
        throwing = alpine.ecosystem.throwing.replace(most_plants=2000)
        biome = alpine.with_biome(name)
        land = core.build(biome.replace(ecosystem=biome.ecosystem.replace(throwing=throwing), erosion=()))
        assert land.plants is not None and 500 < len(land.plants) <= 2000


def grown_share(one: Species) -> float:
    """How wide a plant alone on the best ground is at half its lifetime, as a share of its full width."""
    growth = traits_of([one]).growth
    seedling, pace = SEEDLING * one.radius, float(growth.rate[0])
    return float(widened(int(growth.law[0]), seedling, one.radius, pace * 0.5 * one.lifetime)) / one.radius


@pytest.mark.parametrize("name", preset_names())
def test_plants_of_presets_grow_up_within_half_their_lifetime(name: str) -> None:
    """Hazel lives for 60 years, and in its 30th its crown had a quarter of its full width."""
    for one in core.Recipe.preset(name).ecosystem.species:
        assert one.lasts or grown_share(one) > 0.9, one.name
        assert one.lasts or one.maturity < 0.5 * one.lifetime, one.name


@pytest.mark.parametrize("name", [*biome_presets(), *species_presets()])
def test_plants_of_biomes_grow_up_within_half_their_lifetime(name: str) -> None:
    for one in load_biome(name) if name in biome_presets() else (load_species(name),):
        assert one.lasts or grown_share(one) > 0.9, one.name
        assert one.lasts or one.maturity < 0.5 * one.lifetime, one.name


def test_the_command_line_takes_a_biome(capsys: pytest.CaptureFixture[str]) -> None:
    size = ("--set", "width=600", "--set", "depth=600", "--set", "cover=0.5")
    assert main(["new", "plains", "--biome", "savanna", *size]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ecosystem"]["cover"] == 0.5 and data["ecosystem"]["species"][0]["name"] == "umbrella_thorn"
    assert "red_grass" in [one["name"] for one in data["ecosystem"]["species"]]
    assert main(["new", "plains", "--biome", "tundra"]) == 2
    with pytest.raises(ValueError, match="there is no biome 'tundra'; there are: alpine_meadow, boreal"):
        load_biome("tundra")
