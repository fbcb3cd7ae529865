"""Sun and sky belong together: by hand, by the time of day, by the direction, in animations and renders."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from terrain_addon.blender.look.atmosphere import sky_group, sun_group
from terrain_addon.blender.look.clouds import CLOUD_SEED
from terrain_addon.blender.look.scenery import set_scenery
from terrain_addon.blender.look.sun import sun_of
from terrain_addon.blender.ui import main_panel, material_panel
from terrain_addon.core.maps.sun import sun_path
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once


@pytest.fixture
def scene(land: bpy.types.Object) -> bpy.types.Scene:
    set_scenery(bpy.context.scene, land)
    bpy.context.view_layer.update()
    return bpy.context.scene


def to_sun(scene: bpy.types.Scene) -> Vector:
    """Where the lamp shines from."""
    bpy.context.view_layer.update()
    sun = sun_of(scene)
    assert sun is not None
    return sun.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))


def in_sky(scene: bpy.types.Scene) -> Vector:
    """Where the sky has its sun, as a render finds it."""
    tree = sky_group().evaluated_get(bpy.context.evaluated_depsgraph_get())
    sky = next(node for node in tree.nodes if node.type == "TEX_SKY")
    level = math.cos(sky.sun_elevation)
    # The sky turns clockwise from north.
    return Vector((level * math.sin(sky.sun_rotation), level * math.cos(sky.sun_rotation), math.sin(sky.sun_elevation)))


def behind_clouds() -> Vector:
    """Where clouds and the horizon have their sun, as a render finds it."""
    tree = sun_group().evaluated_get(bpy.context.evaluated_depsgraph_get())
    return Vector(part.default_value for part in next(node for node in tree.nodes if node.type == "COMBXYZ").inputs)


@pytest.mark.parametrize("turn", [(0.9, 0.2, 1.0), (0.3, -0.7, -2.5), (1.2, 0.0, 3.0)])
def test_the_sky_follows_a_lamp_that_is_turned_by_hand(scene: bpy.types.Scene, turn: tuple[float, ...]) -> None:
    sun_of(scene).rotation_euler = Euler(turn)
    assert list(in_sky(scene)) == pytest.approx(list(to_sun(scene)), abs=1e-4)
    assert list(behind_clouds()) == pytest.approx(list(to_sun(scene)), abs=1e-4)


def test_the_sky_stays_above_the_horizon(scene: bpy.types.Scene) -> None:
    sun_of(scene).rotation_euler = (math.radians(100.0), 0.0, 0.5)
    assert math.degrees(math.asin(in_sky(scene).z)) == pytest.approx(1.0, abs=0.01)


def test_the_sky_follows_an_animated_lamp_without_python(scene: bpy.types.Scene) -> None:
    sun, seen = sun_of(scene), []
    for frame, turn in ((1, (0.8, 0.0, 0.0)), (11, (0.8, 0.0, 2.0))):
        sun.rotation_euler = turn
        sun.keyframe_insert("rotation_euler", frame=frame)
    for frame in (1, 6, 11):
        scene.frame_set(frame)
        assert list(in_sky(scene)) == pytest.approx(list(to_sun(scene)), abs=1e-4)
        seen.append(in_sky(scene).x)
    assert seen[0] != pytest.approx(seen[2], abs=0.1)
    drivers = sky_group().animation_data.drivers
    assert len(drivers) == 2 and all(curve.driver.is_simple_expression for curve in drivers)
    drivers = sun_group().animation_data.drivers
    assert len(drivers) == 3 and all(curve.driver.is_simple_expression for curve in drivers)


def test_without_its_lamp_the_sky_stays_as_it_was(scene: bpy.types.Scene) -> None:
    before, clouds = in_sky(scene), behind_clouds()
    bpy.data.objects.remove(sun_of(scene))
    bpy.context.view_layer.update()
    assert list(in_sky(scene)) == pytest.approx(list(before), abs=1e-3)
    assert list(behind_clouds()) == pytest.approx(list(clouds), abs=1e-3)


def test_scenery_that_is_set_again_adds_no_drivers(scene: bpy.types.Scene, land: bpy.types.Object) -> None:
    set_scenery(scene, land)
    assert len(sky_group().animation_data.drivers) == 2 and len(sun_group().animation_data.drivers) == 3


def test_every_land_has_clouds_of_its_own(scene: bpy.types.Scene, land: bpy.types.Object) -> None:
    nodes = scene.world.node_tree.nodes
    assert nodes[CLOUD_SEED].outputs[0].default_value == land.landscape.recipe.seed
    # A world of an older file has no such node.
    nodes.remove(nodes[CLOUD_SEED])
    set_scenery(scene, land)
    assert CLOUD_SEED not in nodes


def test_the_direction_turns_lamp_and_sky_and_keeps_the_height(scene: bpy.types.Scene) -> None:
    before = to_sun(scene).z
    for bearing in (0.0, 90.0, 200.0, 315.0):
        scene.landscape_daylight.direction = math.radians(bearing)
        east, north, up = to_sun(scene)
        assert math.degrees(math.atan2(east, north)) % 360.0 == pytest.approx(bearing, abs=0.01)
        assert up == pytest.approx(before, abs=1e-4)
        assert list(in_sky(scene)) == pytest.approx([east, north, up], abs=1e-4)
        assert math.degrees(scene.landscape_daylight.direction) == pytest.approx(bearing, abs=0.01)


def test_the_time_of_day_follows_the_path_of_the_sun(scene: bpy.types.Scene, land: bpy.types.Object) -> None:
    light = land.landscape.recipe.illumination
    light.latitude, light.day_of_year = 45.0, 172
    daylight, heights, bearings = scene.landscape_daylight, [], []
    for hour in (6.0, 9.0, 12.0, 15.0, 18.0):
        daylight.time = hour
        assert daylight.time == pytest.approx(hour, abs=0.05)
        east, north, up = to_sun(scene)
        heights.append(math.degrees(math.asin(up)))
        bearings.append(math.degrees(math.atan2(east, north)))
    assert max(heights) == heights[2] == pytest.approx(90.0 - 45.0 + 23.4, abs=0.2)
    np.testing.assert_allclose(heights, heights[::-1], atol=0.1)
    # It turns with the clock, by as much as the sun does from six to six.
    swept = np.diff(np.unwrap(np.radians(bearings)))
    path = sun_path(45.0, 172)
    at = [round((hour * 60.0) / 2.0) - (720 - len(path)) // 2 for hour in (6.0, 18.0)]
    expected = np.ptp(np.unwrap(np.arctan2(path[:, 0], path[:, 1]))[at])
    assert (swept > 0.0).all() and swept.sum() == pytest.approx(expected, abs=0.02)


def test_there_is_no_night(scene: bpy.types.Scene) -> None:
    scene.landscape_daylight.time = 0.0
    assert math.degrees(math.asin(to_sun(scene).z)) == pytest.approx(1.0, abs=0.6)


def test_light_is_warm_when_the_sun_is_low_and_white_at_noon(scene: bpy.types.Scene) -> None:
    sun = sun_of(scene)
    before = tuple(sun.data.color)
    scene.landscape_daylight.time = 12.0
    noon = tuple(sun.data.color)
    scene.landscape_daylight.time = 7.0
    assert noon[2] > before[2] > sun.data.color[2]


def test_a_sun_of_the_user_is_turned_but_keeps_its_colour(scene: bpy.types.Scene, land: bpy.types.Object) -> None:
    bpy.data.objects.remove(sun_of(scene))
    sun = bpy.data.objects.new("mine", bpy.data.lights.new("mine", "SUN"))
    sun.data.color, sun.data.energy = (0.2, 0.3, 0.9), 2.0
    scene.collection.objects.link(sun)
    scene.landscape_daylight.time = 10.0
    assert list(in_sky(scene)) == pytest.approx(list(to_sun(scene)), abs=1e-4)
    assert sun.data.energy == 2.0 and sun.data.color[2] == pytest.approx(0.9)


def test_the_panel_offers_a_sun_where_there_is_none(land: bpy.types.Object) -> None:
    calls = drawn(material_panel.VIEW3D_PT_landscape_material).calls
    assert any(given.get("operator") == "landscape.add_scenery" for _, given in calls)
    assert bpy.ops.landscape.add_scenery() == {"FINISHED"}
    shown = (material_panel.VIEW3D_PT_landscape_material, main_panel.VIEW3D_PT_landscape)
    names = [given.get("property") for panel in shown for _, given in drawn(panel).calls]
    assert "time" in names and "direction" in names


def test_without_a_sun_the_controls_do_nothing(land: bpy.types.Object) -> None:
    bpy.context.scene.landscape_daylight.time = 9.0
    bpy.context.scene.landscape_daylight.direction = 1.0
    assert sun_of(bpy.context.scene) is None
