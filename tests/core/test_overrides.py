"""Parameters by path, as a command line names them."""

import pytest

from terrain_addon import core
from terrain_addon.core.building.overrides import override
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.weathering import Weathering

pytestmark = pytest.mark.once

RECIPE = core.Recipe(erosion=(StreamPower(), Weathering()))


def test_full_and_short_paths_mean_the_same() -> None:
    for path in ("relief.layers.0.source.wavelength", "relief.layers[0].source.wavelength", "relief.wavelength"):
        assert override(RECIPE, [f"{path}=800"]).relief.layers[0].source.wavelength == 800.0


def test_a_model_may_stand_for_an_item_of_a_list() -> None:
    changed = override(RECIPE, ["weathering.soil_depth=0.5", "stream_power.age=2", "erosion.1.enabled=false"])
    assert changed.erosion == (StreamPower(age=2.0), Weathering(soil_depth=0.5, enabled=False))


def test_models_choices_texts_and_curves() -> None:
    changed = override(
        RECIPE,
        [
            "relief.source=midpoint_displacement",
            "relief.blend=max",
            "layer.name=Peaks = high",
            "species.slope_response=[[0, 1], [10, 1], [20, 0], [90, 0]]",
            "seed=7",
        ],
    )
    layer = changed.relief.layers[0]
    assert (layer.source.model(), layer.blend, layer.name) == ("midpoint_displacement", "max", "Peaks = high")
    assert changed.ecosystem.species[0].slope_response[1] == (10.0, 1.0)
    assert changed.seed == 7


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("seed", "'seed' is not of the form PATH=VALUE"),
        ("relief.wavelenth=8", "relief.wavelenth is not a parameter of this recipe; did you mean wavelength?"),
        ("seed=many", "seed = 'many' is not a whole number (0 to 2147483647)"),
        ("resolution=nan", "resolution = 'nan' is not a whole number (2 to 8193)"),
        ("width=wide", "width = 'wide' is not a number (1.0 to 1000000.0 m)"),
        ("water.lakes=maybe", "water.lakes = 'maybe' is neither true nor false"),
        ("sediment_response=flat", "sediment_response = 'flat' is not a curve: 4 points [x, y]"),
        ("relief.wavelength=-1", "wavelength = -1.0 m is outside"),
        ("relief.source=mountain", "source.model = 'mountain' is none of"),
        ("river.width=3", "river.width is not a parameter of this recipe, which has no river; add one with --feature"),
        ("features=[]", "features is a list; lists are read from a recipe file or, each on its own, by --feature FILE"),
        ("erosion=[]", "erosion is a list; lists are read from a recipe file, and --set changes their items"),
        (
            "layers.7.opacity=1",
            "layers.7.opacity asks for number 7, but this recipe has 1 of them; the first is number 0",
        ),
        ("layers.7.colour=1", "layers.7.colour is not a parameter of this recipe"),
        ("seed=", "--set seed= has no value"),
        ("fractal_noise.height=true", "fractal_noise.height = True is not a number"),
        ("=3", "'=3' names no parameter; write PATH=VALUE"),
    ],
)
def test_what_does_not_fit_is_said(assignment: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        override(RECIPE, [assignment])
    assert sentence in str(caught.value)


def test_renamed_parameters_are_found_by_their_old_names() -> None:
    recipe = override(core.Recipe.preset("alpine"), ["erosion.0.straying=0.25"])
    assert recipe.erosion[0].flow_perturbation == 0.25
    assert recipe == override(core.Recipe.preset("alpine"), ["flow_perturbation=0.25"])


def test_values_that_belong_together_are_checked_together() -> None:
    moon = core.PlanetRecipe.preset("moon")
    for wanted in (["craters.smallest=1e6", "craters.largest=2e6"], ["craters.largest=5000", "craters.smallest=1000"]):
        assert override(moon, wanted) == override(moon, wanted[::-1])
    with pytest.raises(ValueError, match="is above largest"):
        override(moon, ["craters.smallest=1e6"])
