"""The climate in Blender: its panel, its maps, and the biome that it asks for."""

import bpy
import pytest

from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.look.map_view import maps_on
from terrain_addon.blender.ui import plants_panel, terrain_panels
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

CLIMATE_MAPS = {"rain", "temperature", "moisture", "snow_days"}


def asked_for() -> list[str]:
    """The operators that the panel of plants has buttons for."""
    layout = drawn(plants_panel.VIEW3D_PT_landscape_plants)
    return [given["operator"] for name, given in layout.calls if name == "operator"]


def test_the_panel_of_water_holds_the_climate(land: bpy.types.Object) -> None:
    texts = drawn(terrain_panels.VIEW3D_PT_landscape_water).texts
    assert {"Climate", "Wind Direction (°)", "Rain (mm/yr)", "Warmth (°C)", "Lapse Rate (°C/km)"} <= set(texts)
    assert texts.count("Climate") == 1


def test_turned_on_it_brings_maps_and_chooses_a_biome(land: bpy.types.Object) -> None:
    assert "landscape.apply_biome_of_climate" not in asked_for()
    with pytest.raises(RuntimeError, match="The climate is off, so it asks for no biome; turn it on first"):
        bpy.ops.landscape.apply_biome_of_climate()
    land.landscape.recipe.climate.enabled = True
    land.landscape.recipe.climate.warmth = -4.0
    assert "landscape.apply_biome_of_climate" in asked_for()
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert set(maps_on(land)) >= CLIMATE_MAPS
    before = read_recipe(land)
    assert bpy.ops.landscape.apply_biome_of_climate() == {"FINISHED"}
    after = read_recipe(land)
    assert after.resolution == before.resolution and after.climate == before.climate
    assert after.ecosystem.species != before.ecosystem.species
    assert after.appearance.snow_line < before.appearance.snow_line
