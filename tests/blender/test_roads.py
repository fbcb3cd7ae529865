"""Roads of a land in Blender: an object of their own, with their materials, that follows the recipe."""

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.road_profiles import PROFILE_SIDE, RoadProfile, profile_pixels
from terrain_addon.blender.land.attachments import remove_land
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import update_landscape
from terrain_addon.blender.land.road_objects import profile_of_road, sentence_of_road
from terrain_addon.blender.ui import features_panel
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

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


def test_the_panel_shows_a_road_from_the_side(with_road: bpy.types.Object) -> None:
    profile = profile_of_road(with_road, "Road")
    assert profile is not None and profile_of_road(with_road, "Lane") is None
    steepest = np.abs(np.diff(profile.road)) / np.diff(profile.along)
    # The grade that is allowed, and heights that are kept to a decimetre.
    assert len(profile.along) == PROFILE_SIDE and steepest.max() < 0.3 + 0.2 / np.diff(profile.along).min()
    bpy.ops.landscape.draw_stored()
    bpy.context.view_layer.objects.active = bpy.data.objects["Road"]
    texts = drawn(features_panel.VIEW3D_PT_landscape_features).texts
    assert f"Profile, {profile.lowest:.0f} to {profile.highest:.0f} m" in texts


def test_the_picture_of_a_road_tells_bridges_tunnels_cuts_and_fills() -> None:
    level = RoadProfile((0.0, 100.0), (10.0, 10.0), (10.0, 10.0), ("ground", "ground"))
    valley = RoadProfile((0.0, 50.0, 100.0), (10.0, 0.0, 10.0), (10.0,) * 3, ("ground", "bridge", "ground"))
    hill = RoadProfile((0.0, 50.0, 100.0), (10.0, 20.0, 10.0), (10.0,) * 3, ("ground", "tunnel", "ground"))
    works = RoadProfile((0.0, 50.0, 100.0), (10.0, 20.0, 5.0), (12.0,) * 3, ("ground",) * 3)
    colours = [len(np.unique(profile_pixels(one).reshape(-1, 4), axis=0)) for one in (level, valley, hill, works)]
    # Nothing, ground and road; a bridge or a tunnel; a cut and a fill.
    assert colours == [3, 5, 5, 5]
    # Under the bridge is air.
    assert profile_pixels(valley)[PROFILE_SIDE // 2, PROFILE_SIDE // 2, 3] == 0.0


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
