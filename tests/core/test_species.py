"""The species that come with the extension: complete, and each at home where it should be."""

from dataclasses import fields

import numpy as np
import pytest

from terrain_addon.core.ecosystem.density import Habitat, plant_density
from terrain_addon.core.ecosystem.ecosystem import BUSH, TREE
from terrain_addon.core.ecosystem.plant_attributes import PLANT_MEMBERS
from terrain_addon.core.ecosystem.plant_fate import CONDITION_AFTER, NOTHING_LEFT, Condition, Fate
from terrain_addon.core.ecosystem.plant_form import DEAD_FORMS, PlantForm
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.ecosystem.species import Species, load_species, species_presets

pytestmark = pytest.mark.once

EXPECTED = {
    *("tree", "bush", "oak", "beech", "spruce", "pine", "birch", "juniper", "heath", "fern", "grass_tuft", "reed"),
    *("alder", "rock", "dead_wood", "tropical_tree", "palm"),
}


def suits(name: str, **values: float) -> float:
    place = {"sediment": 1.5, "illumination": 0.6, "humidity": 0.5, "slope": 5.0, "altitude": 400.0} | values
    habitat = Habitat(**{key: np.full((1, 1), value, np.float32) for key, value in place.items()})
    return float(plant_density(habitat, load_species(name))[0, 0])


def test_all_are_there_under_their_names() -> None:
    assert set(species_presets()) == EXPECTED
    assert all(load_species(name).name == name for name in species_presets())


def test_tree_and_bush_are_the_published_ones() -> None:
    assert load_species("tree") == TREE == Species()
    assert load_species("bush") == BUSH


def test_unknown_species_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no species 'cactus'; there are: alder, beech, birch"):
        load_species("cactus")


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_species_is_at_home_somewhere_and_not_everywhere(name: str) -> None:
    # One axis of the habitat at a time would miss that soil, light and water act together.
    places = [
        {"sediment": soil, "illumination": light, "humidity": water}
        | {"slope": slope, "altitude": altitude, "water_distance": shore}
        for soil in (0.0, 0.2, 1.5)
        for light in (0.2, 0.7)
        for water in (0.1, 0.6)
        for slope in (2.0, 38.0, 70.0)
        for altitude in (-1500.0, 300.0, 1500.0, 2600.0)
        for shore in (2.0, 300.0)
    ]
    density = [suits(name, **place) for place in places]
    assert max(density) >= {"dead_wood": 0.05, "rock": 0.2}.get(name, 0.5)
    assert min(density) < 0.02


def test_species_part_along_the_mountain() -> None:
    assert suits("beech", altitude=600.0) > suits("beech", altitude=1450.0) > suits("beech", altitude=1800.0) == 0.0
    assert suits("spruce", altitude=1600.0) > suits("oak", altitude=1600.0) == 0.0
    assert suits("pine", sediment=0.1) > suits("beech", sediment=0.1)
    assert suits("pine", humidity=0.05) > suits("beech", humidity=0.05)
    assert suits("fern", illumination=0.2, humidity=0.8) > suits("fern", illumination=0.9, humidity=0.1)
    assert suits("reed", water_distance=1.0, humidity=0.9, slope=1.0) > 0.8
    assert suits("reed", water_distance=50.0, humidity=0.9, slope=1.0) == 0.0


def test_reed_and_dead_wood_stand_as_what_they_are() -> None:
    assert (load_species("reed").form, load_species("dead_wood").form) == ("reed", "dead_wood")


def test_a_form_is_a_plain_word_in_recipes() -> None:
    for form in PlantForm:
        species = Species(form=form.value)
        assert species.to_json()["form"] == form.value == f"{form}"
        assert Species.from_json(species.to_json()) == species
        assert (species.lasts, species.lies) == (form.lasts, form.lies)
    assert not any(form.lies and not form.lasts for form in PlantForm)
    with pytest.raises(ValueError, match="form = 'cactus' is none of: conifer, broadleaf"):
        Species(form="cactus")


def test_the_dead_have_a_form_for_each_condition() -> None:
    assert len(DEAD_FORMS) == len(Condition) - 1
    assert DEAD_FORMS[Condition.LYING_DEAD - 1].lies and not DEAD_FORMS[Condition.STANDING_DEAD - 1].lies
    assert CONDITION_AFTER[Fate.LIVING] == Condition.LIVING
    dead = {int(condition) for condition in CONDITION_AFTER[Fate.LIVING + 1 :]}
    assert dead == {Condition.STANDING_DEAD, Condition.LYING_DEAD, NOTHING_LEFT}


def test_attributes_of_plants_are_their_members() -> None:
    assert {"x", "y", *PLANT_MEMBERS} == {part.name for part in fields(Plants)}
