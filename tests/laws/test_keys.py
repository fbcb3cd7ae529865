"""Whatever shapes a land is in the key of a stage: what is kept from an earlier build is never out of date."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.plan import plan_of
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.parameters import ParameterSet, parameters_of
from tests.laws.every_parameter import Change, StoredFields, changes_of, small_recipe

pytestmark = pytest.mark.once

SHAPES_NOTHING = {
    "Appearance.colouring": "which of several colourings is shown",
    "Appearance.season": "a colour",
    "Appearance.snow_line": "a colour",
    "Appearance.stone": "a colour",
    "Appearance.tree_line": "a colour",
    "Appearance.detail": "light, and textures that are baked",
    "Appearance.vegetation": "a colour",
    "Appearance.water_clarity": "a colour",
    "Appearance.winter_descent": "a colour",
    "Appearance.brush": "a colour",
    "ExtraMaps.ambient_occlusion": "whether a map is made, not what it is",
    "ExtraMaps.gradient": "whether a map is made, not what it is",
    "ExtraMaps.plan_curvature": "whether a map is made, not what it is",
    "ExtraMaps.profile_curvature": "whether a map is made, not what it is",
    "ExtraMaps.shadow": "whether a map is made, not what it is",
    "ExtraMaps.shadow_hours": "whether a map is made, not what it is",
    "Cliff.name": "what a feature is called",
    "Lake.name": "what a feature is called",
    "Pad.name": "what a feature is called",
    "Ridge.name": "what a feature is called",
    "River.name": "what a feature is called",
    "Road.name": "what a feature is called",
    "Shore.name": "what a feature is called",
    "Summit.name": "what a feature is called",
    "Valley.name": "what a feature is called",
    "ExtraMaps.sun_hours": "whether a map is made, not what it is",
    "ExtraMaps.topographic_position": "whether a map is made, not what it is",
}
"""Parameters that are in no key, each with the reason."""

LAND, WATER, LIGHT, SHADOW, PLANTS, SNOW = "slope", "waters", "illumination", "shadow", "plants", "snowpack"
DEPENDS = {
    "seed": LAND,
    "width": LAND,
    "depth": LAND,
    "resolution": LAND,
    "origin_east": LAND,
    "origin_north": LAND,
    "fixed_border": LAND,
    "time": LAND,
    "relief": LAND,
    "erosion": LAND,
    "features": LAND,
    "water": WATER,
    "climate": WATER,
    "winter": SNOW,
    "illumination": LIGHT,
    "glaciers": "glacier_fields",
    "low_sun": SHADOW,
    "extra_maps": LAND,
    "ecosystem": PLANTS,
    "ecosystem.soil": LAND,
    "appearance": LAND,
}
"""The stage that depends on everything under a parameter of a recipe; the longest name that fits counts.

Keys hold the keys of what a stage needs, so that of the last stage changes with those of all before it.
"""

RECIPE = small_recipe(17)
CHANGES = list(changes_of(RECIPE))
FIELDS = StoredFields()


def keys_of(recipe: Recipe) -> dict[str, str]:
    """The key of every stage by its name."""
    return plan_of(recipe, FIELDS).keys


def stage_after(path: str) -> str:
    """The stage that depends on a parameter."""
    return DEPENDS[max((name for name in DEPENDS if f"{path}.".startswith(f"{name}.")), key=len)]


def all_parameters(cls: type[ParameterSet]) -> set[str]:
    """The names of all parameters that a set can hold, apart from groups, which are nothing but what they hold."""
    named = {f"{cls.__name__}.{p.name}" for p in parameters_of(cls) if p.kind != "group" and len(p.members) != 1}
    return named.union(*(all_parameters(member) for p in parameters_of(cls) for member in p.members))


def test_every_parameter_is_changed() -> None:
    assert sorted(all_parameters(Recipe) - {change.parameter for change in CHANGES}) == []
    assert sorted(SHAPES_NOTHING.keys() - {change.parameter for change in CHANGES}) == []


def test_every_parameter_that_shapes_the_land_is_in_a_key() -> None:
    before = [keys_of(change.before)[stage_after(change.path)] for change in CHANGES]
    # Winter and glaciers have no stage while they are off.
    after = [keys_of(change.after).get(stage_after(change.path)) for change in CHANGES]
    unchanged = {change.parameter for change, one, other in zip(CHANGES, before, after) if one == other}
    assert sorted(unchanged - SHAPES_NOTHING.keys()) == [], "the stage that depends on these would not be made anew"
    assert sorted(SHAPES_NOTHING.keys() - unchanged) == [], "these are in a key: take them off the list"


@pytest.mark.parametrize(
    "change", [c for c in CHANGES if c.parameter in SHAPES_NOTHING], ids=lambda change: change.parameter
)
def test_what_is_in_no_key_shapes_nothing(change: Change) -> None:
    one, other = (core.build(recipe, inputs=FIELDS) for recipe in (change.before, change.after))
    assert one.terrain.bedrock.tobytes() == other.terrain.bedrock.tobytes()
    assert one.terrain.sediment.tobytes() == other.terrain.sediment.tobytes()
    assert one.plants is not None and other.plants is not None
    assert one.plants.x.tobytes() == other.plants.x.tobytes()
    for name in one.maps.keys() & other.maps.keys():
        np.testing.assert_array_equal(one.maps[name], other.maps[name])
