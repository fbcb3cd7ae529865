"""Recipes: presets, JSON, and what a typo says."""

import json
from typing import Any

import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Layer, Relief
from terrain_addon.core.building.recipe import SCHEMA_VERSION
from terrain_addon.core.erosion.river_beds import RiverBeds
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.parameters import parameters_of
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement


@pytest.mark.parametrize("name", core.preset_names())
def test_preset_survives_json(name: str) -> None:
    recipe = core.Recipe.preset(name, seed=3, resolution=129)
    assert (recipe.seed, recipe.resolution) == (3, 129)
    assert core.Recipe.loads(recipe.dumps()) == recipe


def test_presets_cover_noise_midpoints_and_measured_land() -> None:
    models = {layer.source.model() for name in core.preset_names() for layer in core.Recipe.preset(name).relief.layers}
    assert models >= {"fractal_noise", "midpoint_displacement", "elevation_model"}


def test_a_recipe_of_version_1_is_the_same_land() -> None:
    text = '{"schema": 1, "width": 500, "relief": {"octaves": 3}, "erosion": [{"soil_depth": 0.5}]}'
    recipe = core.Recipe.loads(text)
    assert recipe == core.Recipe(
        width=500.0,
        relief=Relief(layers=(Layer(source=FractalNoise(octaves=3)),)),
        erosion=(Weathering(soil_depth=0.5),),
    )
    assert core.Recipe.loads('{"schema": 1}').erosion == (Weathering(),)


def test_a_recipe_of_version_2_is_read_with_its_old_names() -> None:
    old = '{"schema": 2, "erosion": [{"straying": 0.5}, {"model": "river_beds", "banks": 3.0}]}'
    assert core.Recipe.loads(old).erosion == (StreamPower(flow_perturbation=0.5), RiverBeds(width_ratio=3.0))
    with pytest.raises(ValueError, match=r"straying is not a parameter of stream_power"):
        core.Recipe.loads(old.replace('"schema": 2', '"schema": 3'))


def test_what_is_left_out_takes_its_default() -> None:
    recipe = core.Recipe.loads('{"schema": 1, "relief": {"model": "midpoint_displacement", "smoothness": 0.7}}')
    assert recipe.relief.layers[0].source == MidpointDisplacement(smoothness=0.7, wavelength=3000.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not a recipe"),
        ("[]", "this is not a recipe: it must be an object"),
        ("{}", "the recipe does not say its schema; this extension reads 1 to 4"),
        ('{"schema": 5}', "schema = 5 is none of the versions"),
        ('{"schema": 1, "sead": 3}', "sead is not a parameter of recipe; did you mean seed?"),
        ('{"schema": 1, "seed": -1}', "seed = -1 is outside 0 to 2147483647"),
        ('{"schema": 1, "seed": 2147483648}', "seed = 2147483648 is outside"),
        ('{"schema": 1, "resolution": 1}', "resolution = 1 is outside 2 to 8193"),
        ('{"schema": 1, "resolution": 100000}', "resolution = 100000 is outside 2 to 8193"),
        ('{"schema": 1, "width": 0}', "width = 0.0 m is outside 1.0 to 1000000.0 m"),
        ('{"schema": 1, "width": NaN}', "NaN is not a number that JSON knows"),
        ('{"schema": 1, "width": 1e999}', "width = inf is not a finite number"),
        (
            '{"schema": 1, "depth": 900000}',
            "depth = 900000.0 m is outside 5.85938 to 48000 m: with width = 3000.0 m and resolution = 513",
        ),
        ('{"schema": 1, "relief": {"octaves": 99}}', "relief.layers[0].source.octaves = 99 is outside 1 to 24"),
        ('{"schema": 1, "relief": {"octavs": 3}}', "source.octavs is not a parameter of fractal_noise"),
        (
            '{"schema": 1, "erosion": [{}, {"talus_angle": 90}]}',
            "erosion[1].talus_angle = 90.0 ° is outside 1.0 to 89.0 °",
        ),
        ('{"schema": 1, "ecosystem": {"species": [{"radius": 0}]}}', "ecosystem.species[0].radius = 0.0 m is outside"),
        ('{"schema": 4, "relief": 5}', "relief must be an object with parameters, not 5"),
        ('{"schema": 4, "relief": {"layers": [7]}}', "relief.layers[0] must be an object with parameters, not 7"),
        (
            '{"schema": 4, "relief": {"layers": [{"mask": "x"}]}}',
            "relief.layers[0].mask must be an object with parameters, not 'x'",
        ),
        (b"{}", "this is not a recipe: it is bytes, not text"),
        (None, "this is not a recipe: it is NoneType, not text"),
        ('{"schema": 1, "a": ' + "[" * 100000 + "]" * 100000 + "}", "this is not a recipe"),
    ],
)
def test_a_bad_recipe_says_what_is_wrong_with_it(text: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        core.Recipe.loads(text)
    assert sentence in str(caught.value)


def test_unknown_preset_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="no preset 'himalaya'; there are: alpine"):
        core.Recipe.preset("himalaya")


def test_preset_change_is_checked() -> None:
    with pytest.raises(ValueError, match="resolution = 0 is outside 2 to 8193"):
        core.Recipe.preset("alpine", resolution=0)
    with pytest.raises(ValueError, match="resolutoin is not a parameter of recipe; did you mean resolution"):
        core.Recipe.preset("alpine", resolutoin=65)


def test_an_unknown_change_lists_parameters_in_their_order() -> None:
    with pytest.raises(ValueError, match="; it has: seed, width, depth, resolution, ") as caught:
        core.Recipe().replace(zzz=1)
    assert str(caught.value).startswith("zzz is not a parameter of recipe")


def test_grid_follows_from_size_and_resolution() -> None:
    grid = core.Recipe(width=300.0, depth=150.0, resolution=31).grid
    assert (grid.rows, grid.columns, grid.cell_size) == (16, 31, 10.0)
    assert (grid.width, grid.depth) == (300.0, 150.0)


def test_written_recipe_spells_out_everything() -> None:
    data = json.loads(core.Recipe().dumps())
    assert data["schema"] == SCHEMA_VERSION
    assert data["relief"]["layers"][0]["source"]["model"] == "fractal_noise"
    assert data["ecosystem"]["species"][0]["name"] == "tree"


@pytest.mark.parametrize(("width", "depth", "resolution"), [(10000.0, 100.0, 257), (10000.0, 500.0, 129)])
def test_depth_says_how_far_whole_cells_change_it(width: float, depth: float, resolution: int) -> None:
    grid = core.Recipe(width=width, depth=depth, resolution=resolution).grid
    assert 0.0 < abs(grid.depth - depth) <= 0.5 * grid.cell_size
    (about,) = (one.description for one in parameters_of(core.Recipe) if one.name == "depth")
    assert "up to half a cell longer or shorter" in about
