"""Masks of erosion, painted fields, broken layers and tiles, through the whole of a recipe."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Layer, Relief
from terrain_addon.core.erosion.deposition import Deposition
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.weathering import Weathering
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.maps.masks import HeightMask, MapMask, PaintedMask
from terrain_addon.core.relief.elevation_model import ElevationModel
from terrain_addon.core.relief.fractal_noise import FractalNoise

pytestmark = pytest.mark.once

LAND = core.Recipe(resolution=49, width=2400.0, depth=2400.0, relief=Relief.of(FractalNoise()), erosion=())


def heights(recipe: core.Recipe, **inputs: StoredField) -> np.ndarray:
    given = {f"attribute:{name}": value for name, value in inputs.items()}
    return core.build(recipe, inputs=given, extent="terrain").terrain.surface


def test_rain_and_hardness_follow_masks() -> None:
    plain = heights(LAND.replace(erosion=(StreamPower(),)))
    half = np.zeros((20, 20), np.float32)
    half[:, :10] = 1.0
    painted = StoredField(half)
    dry_east = heights(LAND.replace(erosion=(StreamPower(rain=PaintedMask(key="attribute:wet")),)), wet=painted)
    missing = heights(LAND.replace(erosion=(StreamPower(rain=PaintedMask(key="attribute:wet")),)))
    np.testing.assert_array_equal(missing, plain)
    assert np.abs(dry_east - plain)[:, 30:].mean() > 2.0 * np.abs(dry_east - plain)[:, :10].mean()
    hard = heights(LAND.replace(erosion=(StreamPower(hardness=HeightMask(lower=-1000.0)),)))
    assert hard.mean() > plain.mean()


def test_a_mask_sees_what_an_earlier_process_has_deposited() -> None:
    silted = (StreamPower(age=0.5), Deposition(supply=3.0))
    lying = core.build(LAND.replace(erosion=silted), extent="maps").maps["deposition"]
    rock = MapMask(map="deposition", response=((0.0, 0.0), (0.1, 0.0), (0.2, 1.0), (1.0, 1.0)))
    nowhere = MapMask(map="deposition", response=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)))
    again = {
        mask: heights(LAND.replace(erosion=(*silted, StreamPower(age=0.3, hardness=mask)))) for mask in (rock, nowhere)
    }
    # Hard are only the places on which sediment lies: they are the ones that erode less.
    higher = again[rock] - again[nowhere]
    assert (lying > 0.2).mean() > 0.05 and np.abs(higher).max() > 1.0
    assert higher[lying > 0.2].mean() > 2.0 * higher[lying == 0.0].mean()


def test_a_layer_can_follow_a_map_of_the_land_beneath() -> None:
    steep = MapMask(map="slope", response=((0.0, 0.0), (5.0, 0.0), (10.0, 1.0), (90.0, 1.0)))
    layers = (*LAND.relief.layers, Layer(source=FractalNoise(wavelength=200.0, height=80.0), mask=steep, variation=1))
    recipe = LAND.replace(relief=Relief(layers=layers))
    change = np.abs(heights(recipe) - heights(LAND))
    slope = core.build(LAND, extent="maps").maps["slope"]
    assert change[slope < 4.0].max() == 0.0 and change[slope > 12.0].mean() > 1.0


def test_a_broken_layer_is_left_out_and_said() -> None:
    layers = (*LAND.relief.layers, Layer(name="Survey", source=ElevationModel(path="gone.tif")))
    land = core.build(LAND.replace(relief=Relief(layers=layers)), extent="terrain")
    assert land.warnings == ("layer 'Survey' is left out: gone.tif is not there",)
    np.testing.assert_array_equal(land.terrain.surface, heights(LAND))


def test_neighbouring_landscapes_fit_and_tiles_are_the_whole() -> None:
    whole = heights(LAND.replace(resolution=97, width=4800.0))
    west, east = (heights(LAND.replace(origin_east=origin)) for origin in (0.0, 2400.0))
    np.testing.assert_array_equal(whole[:, :49], west)
    np.testing.assert_array_equal(whole[:, 48:], east)
    np.testing.assert_array_equal(west[:, -1], east[:, 0])


def test_only_layers_that_move_are_made_anew_in_time() -> None:
    cache = core.Cache()
    still = LAND.replace(relief=Relief.of(FractalNoise(), FractalNoise(wavelength=300.0, height=50.0, speed=1.0)))
    core.build(still, cache=cache, extent="terrain")
    again: list[str] = []
    core.build(still.replace(time=1.0), cache=cache, extent="terrain", report=lambda p: again.append(p.stage))
    assert again == ["layer 2: Fractal Noise", "relief"]


def test_painted_ground_keeps_plants_away() -> None:
    field = np.zeros((20, 20), np.float32)
    field[:, 10:] = 1.0
    sparse = LAND.replace(erosion=(Weathering(),), ecosystem=LAND.ecosystem.replace(cover=0.05))
    free = core.build(sparse).plants
    kept = core.build(sparse, inputs={"attribute:plant_exclusion": StoredField(field)}).plants
    assert free is not None and kept is not None
    assert (free.x > 1500.0).sum() > 20 and (kept.x > 1500.0).sum() == 0
    assert (kept.x < 1000.0).sum() > 0


def test_years_move_within_a_century_without_growing_anew() -> None:
    soil = LAND.replace(erosion=(Weathering(),))
    ecosystem = LAND.ecosystem.replace(cover=0.05)
    cache, again = core.Cache(), []
    lands = {}
    for years in (20.0, 80.0):
        grown = ecosystem.replace(evolution=ecosystem.evolution.replace(years=years))
        again.clear()
        lands[years] = core.build(soil.replace(ecosystem=grown), cache=cache, report=lambda p: again.append(p.stage))
    assert again == ["plants"]
    assert lands[80.0].plants.height.mean() > lands[20.0].plants.height.mean()  # type: ignore[union-attr]


@pytest.mark.parametrize(("ground_below", "told"), [(False, True), (True, False)])
def test_a_mask_on_the_lowest_layer_is_told(ground_below: bool, told: bool) -> None:
    """Where it does not act there is a hole down to 0 m, into which erosion drains the land."""
    (layer,) = LAND.relief.layers
    masked = layer.replace(mask=HeightMask(), source=layer.source.replace(base_altitude=300.0))
    layers = (layer, masked) if ground_below else (masked,)
    warnings = core.build(LAND.replace(relief=LAND.relief.replace(layers=layers))).warnings
    assert bool([one for one in warnings if "lies at 0 m instead of 300 m" in one]) is told
