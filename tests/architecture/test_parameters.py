"""Every parameter of a recipe says what it does, in which unit and within which range."""

from collections.abc import Iterator

import numpy as np
import pytest

from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.parameters import Parameter, ParameterSet, parameters_of
from terrain_addon.core.planet.planet_recipe import PlanetRecipe

pytestmark = pytest.mark.once

# Why a number has no unit.  A new pure number belongs here, so that a forgotten unit is noticed.
PURE_NUMBERS = {
    "PlanetDunes.cover": "a share",
    "PlanetHills.plateaus": "a share",
    "Appearance.brush": "a share",
    "Appearance.detail": "a factor",
    "Appearance.vegetation": "a share",
    "Cliff.strength": "a share",
    "Continents.cover": "a share",
    "Continents.detail": "a ratio of amplitudes",
    "Continents.steepness": "a factor",
    "Craters.age": "a share",
    "Craters.count": "a count",
    "DartThrowing.most_plants": "a count",
    "DartThrowing.patience": "a count",
    "DoubleRidgedNoise.second_gain": "a ratio of amplitudes",
    "Droplets.capacity": "a factor",
    "Droplets.density": "drops per cell",
    "Droplets.evaporation": "a share",
    "Droplets.inertia": "a share",
    "Droplets.lifetime": "a number of cells",
    "Droplets.radius": "a number of cells",
    "Droplets.settling": "a share",
    "Droplets.strength": "a share",
    "Ecosystem.cover": "a share",
    "Ecosystem.groves": "a share",
    "Winter.snowfall": "a factor",
    "Winter.wind_drift": "a share",
    "ElevationModel.exaggeration": "a factor",
    "Evolution.asymmetry": "a share",
    "Evolution.competition": "a share",
    "Evolution.starvation": "a share",
    "Evolution.stem_spacing": "a share",
    "HydraulicErosion.passes": "a count",
    "HydraulicErosion.rate": "the dimensionless rate T of the published model",
    "Illumination.azimuths": "a count",
    "Illumination.sky_light": "a share",
    "Layer.opacity": "a share",
    "Layer.variation": "a name, not a quantity",
    "MapMask.response": "over the map's own unit",
    "MidpointDisplacement.north_east": "a share",
    "MidpointDisplacement.north_west": "a share",
    "MidpointDisplacement.smoothness": "an exponent",
    "MidpointDisplacement.south_east": "a share",
    "MidpointDisplacement.south_west": "a share",
    "MidpointDisplacement.splits": "a count",
    "MultifractalNoise.offset": "a share",
    "MultifractalNoise.sharpness": "a factor",
    "NoiseMask.coverage": "a share",
    "NoiseMask.softness": "a share",
    "OctaveNoise.attenuation": "an exponent",
    "OctaveNoise.gain": "a ratio of amplitudes",
    "OctaveNoise.lacunarity": "a ratio of wavelengths",
    "OctaveNoise.octaves": "a count",
    "OctaveNoise.period": "a count",
    "RandomAnglePerlin.gain": "a ratio of amplitudes",
    "RandomAnglePerlin.lacunarity": "a ratio of wavelengths",
    "RandomAnglePerlin.octaves": "a count",
    "Ridge.strength": "a share",
    "PlanetErosion.age": "in ages of the land itself",
    "PlanetErosion.drainage_exponent": "an exponent",
    "PlanetErosion.rockiness": "a share",
    "PlanetErosion.slope_exponent": "an exponent",
    "PlanetHollows.amount": "a factor",
    "PlanetErosion.strength": "a factor",
    "PlanetErosion.uplift": "a multiple of the altitude",
    "PlanetHills.gain": "a ratio of amplitudes",
    "PlanetHills.octaves": "a count",
    "PlanetHills.ridges": "a share",
    "PlanetHills.sea_floor": "a share",
    "PlanetLook.atmosphere": "a multiple of the air of Earth",
    "PlanetLook.clouds": "a share",
    "PlanetElevation.exaggeration": "a factor",
    "PlanetLook.exaggeration": "a factor",
    "PlanetRecipe.resolution": "a count",
    "PlanetRecipe.seed": "a name, not a quantity",
    "Plates.count": "a count",
    "Recipe.resolution": "a count",
    "Recipe.seed": "a name, not a quantity",
    "RiverBeds.width_ratio": "a ratio of widths",
    "SaltedPerlin.octaves": "a count",
    "Shaping.height_curve": "a share over a share",
    "Shaping.terracing": "a share",
    "Shore.strength": "a share",
    "SlopeDampedNoise.damping": "a share",
    "SoilFeedback.root_strength": "a share",
    "Species.far_seeds": "a share",
    "Species.height_exponent": "an exponent",
    "Species.humidity_response": "over an index from 0 to 1",
    "Species.illumination_response": "over an index from 0 to 1",
    "Species.painted_response": "over an index from 0 to 1",
    "Species.radius_variation": "a share",
    "Species.shade_tolerance": "a share",
    "Species.thickening": "a factor",
    "StoredHeights.exaggeration": "a factor",
    "Strata.contrast": "a ratio of erodibilities",
    "CliffRetreat.debris": "a share",
    "CliffRetreat.unevenness": "a share",
    "CliffRetreat.bed_variation": "a share",
    "CliffRetreat.hoodoos": "a share",
    "Glaciation.erodibility": "metres for a metre",
    "Glaciation.meltwater": "a share",
    "WanderingRivers.friction": "the dimensionless friction of the model",
    "WanderingRivers.mobility": "widths a year",
    "WanderingRivers.width_to_depth": "a ratio",
    "StreamPower.age": "in ages of the land itself",
    "StreamPower.drainage_exponent": "an exponent",
    "StreamPower.flow_perturbation": "a factor",
    "StreamPower.rockiness": "a share",
    "StreamPower.slope_exponent": "an exponent",
    "StreamPower.strength": "a factor",
    "StreamPower.uplift": "a multiple of the relief",
    "Valley.strength": "a share",
    "Summit.strength": "a share",
    "ThermalErosion.passes": "a count",
    "ThermalErosion.rate": "the dimensionless rate T of the published model",
    "Volcano.concavity": "an exponent",
    "Volcano.crater_depth": "a share",
    "WhiteNoise.attenuation": "an exponent",
    "WindRose.north": "a share",
    "WindRose.north_east": "a share",
    "WindRose.east": "a share",
    "WindRose.south_east": "a share",
    "WindRose.south": "a share",
    "WindRose.south_west": "a share",
    "WindRose.west": "a share",
    "WindRose.north_west": "a share",
}


def parameter_sets(cls: type[ParameterSet]) -> Iterator[type[ParameterSet]]:
    """A parameter set and all that it can hold."""
    yield cls
    for declared in parameters_of(cls):
        for member in declared.members:
            yield from parameter_sets(member)


SETS = sorted({*parameter_sets(Recipe), *parameter_sets(PlanetRecipe)}, key=lambda cls: cls.__name__)


def owner(cls: type[ParameterSet], name: str) -> str:
    """The class in which a parameter is declared first: sets inherit."""
    return [base.__name__ for base in cls.__mro__ if name in vars(base).get("__annotations__", {})][-1]


PARAMETERS = list(
    {
        f"{owner(cls, declared.name)}.{declared.name}": declared for cls in SETS for declared in parameters_of(cls)
    }.items()
)
NUMBERS = [(name, declared) for name, declared in PARAMETERS if declared.kind in ("float", "int")]
CURVES = [(name, declared) for name, declared in PARAMETERS if declared.kind == "curve"]


def each(declarations: list[tuple[str, Parameter]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("name", "declared"), declarations, ids=[name for name, _ in declarations])


@each(PARAMETERS)
def test_description_is_one_sentence_without_a_full_stop(name: str, declared: Parameter) -> None:
    assert declared.description == declared.description.strip()
    assert declared.description[:1].isupper()
    assert not declared.description.endswith(".")
    assert "\n" not in declared.description


@each(PARAMETERS)
def test_choices_are_explained(name: str, declared: Parameter) -> None:
    assert (declared.kind == "choice") == bool(declared.choices)
    assert all(sentence and not sentence.endswith(".") for sentence in declared.choices.values())


@each(NUMBERS + CURVES)
def test_number_has_a_unit_or_a_reason_for_having_none(name: str, declared: Parameter) -> None:
    assert bool(declared.unit) != (name in PURE_NUMBERS)


@each(NUMBERS)
def test_ranges_lie_in_one_another(name: str, declared: Parameter) -> None:
    assert declared.limits is not None
    low, high = declared.limits
    soft_low, soft_high = declared.soft or declared.limits
    assert low <= soft_low < soft_high <= high
    assert low <= declared.default <= high


@each(NUMBERS)
def test_ranges_fit_blender_s_properties(name: str, declared: Parameter) -> None:
    # Blender keeps int32 and float32.
    largest = 2**31 - 1 if declared.kind == "int" else float(np.finfo(np.float32).max)
    assert max(abs(bound) for bound in declared.limits) <= largest


@each(CURVES)
def test_curve_lies_within_its_range(name: str, declared: Parameter) -> None:
    low, high = declared.limits
    assert all(low <= x <= high for x, _ in declared.default)


def test_every_reason_belongs_to_a_parameter() -> None:
    assert set(PURE_NUMBERS) <= {name for name, _ in NUMBERS + CURVES}


@pytest.mark.parametrize("cls", SETS, ids=lambda cls: cls.__name__)
def test_parameter_set_is_the_same_after_json(cls: type[ParameterSet]) -> None:
    assert cls.from_json(cls().to_json()) == cls()
