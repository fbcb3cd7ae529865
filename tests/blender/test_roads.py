"""Roads of a land in Blender: an object of their own, with their materials, that follows the recipe."""

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.land.attachments import remove_land
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import update_landscape
from terrain_addon.blender.land.road_objects import sentence_of_road
from terrain_addon.blender.ui import features_panel
from tests.blender.recording_layout import drawn

ROAD = core.Road(
    name="Road", points=((60.0, 60.0), (580.0, 460.0)), longest_bridge=1e4, longest_tunnel=1e4, steepest_grade=30.0
)


@pytest.fixture
def with_road(land: bpy.types.Object, recipe: core.Recipe) -> bpy.types.Object:
    update_landscape(land, build_landscape(recipe.replace(features=(ROAD,)), "maps", land))
    return land


def test_a_road_is_a_child_of_its_land_with_its_own_materials(with_road: bpy.types.Object) -> None:
    roads = with_road.landscape.roads
    assert roads.parent == with_road and roads.users_collection == with_road.users_collection
    names = [slot.material.name for slot in roads.material_slots]
    assert names[0] == "Landscape Asphalt" and "Landscape Markings" in names
    parts = np.empty(len(roads.data.polygons), np.int32)
    roads.data.polygons.foreach_get("material_index", parts)
    assert {0, names.index("Landscape Markings")} <= set(parts.tolist())
    assert roads.dimensions.x > 500.0
    # Metres along the road and across it.
    uv = np.empty(2 * len(roads.data.loops), np.float32)
    roads.data.uv_layers[0].data.foreach_get("uv", uv)
    assert uv[::2].max() > 600.0
    assert 3.4 < uv[1::2][uv[::2] > 100.0].max() < 10.0


def test_the_panel_says_what_a_road_costs(with_road: bpy.types.Object) -> None:
    assert "m³ cut" in sentence_of_road(with_road, "Road") and sentence_of_road(with_road, "Lane") == ""
    bpy.ops.landscape.draw_stored()
    assert bpy.context.view_layer.objects.active is not None
    road = bpy.data.objects["Road"]
    bpy.context.view_layer.objects.active = road
    texts = " ".join(drawn(features_panel.VIEW3D_PT_landscape_features).texts)
    assert "km long, steepest" in texts


def test_a_road_that_is_taken_away_leaves_an_empty_mesh(with_road: bpy.types.Object, recipe: core.Recipe) -> None:
    update_landscape(with_road, build_landscape(recipe, "maps", with_road))
    assert len(with_road.landscape.roads.data.polygons) == 0
    assert sentence_of_road(with_road, "Road") == ""
    name = with_road.landscape.roads.name
    remove_land(with_road)
    assert name not in bpy.data.objects


def test_a_pad_has_a_surface_with_a_material(land: bpy.types.Object, recipe: core.Recipe) -> None:
    pad = core.Pad(name="Yard", points=((200.0, 200.0), (300.0, 200.0), (300.0, 300.0)), surface="concrete")
    update_landscape(land, build_landscape(recipe.replace(features=(pad,)), "maps", land))
    shown = land.landscape.roads
    parts = {shown.data.materials[face.material_index].name for face in shown.data.polygons}
    assert parts == {"Landscape Concrete"} and shown.dimensions.x == pytest.approx(100.0)
