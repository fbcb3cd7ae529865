"""Lands made of sculpted surfaces, meshes and painted masks; and lands that change with time."""

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.mesh_heights import heights_of_grid
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.erosion.weathering import Weathering

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

SHAPE = (65, 65)


def heights(land: bpy.types.Object) -> np.ndarray:
    return heights_of_grid(land.data, SHAPE).copy()


def sculpt(land: bpy.types.Object) -> np.ndarray:
    """Raise a block of the land by 77 m."""
    positions = np.empty((65 * 65, 3), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", positions.ravel())
    positions.reshape(*SHAPE, 3)[20:30, 20:30, 2] += 77.0
    land.data.attributes["position"].data.foreach_set("vector", positions.ravel())
    return np.ascontiguousarray(positions[:, 2]).reshape(SHAPE)


def test_a_sculpted_surface_becomes_a_layer_and_can_be_eroded(land: bpy.types.Object) -> None:
    sculpted = sculpt(land)
    assert bpy.ops.landscape.keep_sculpt() == {"FINISHED"}
    assert bpy.ops.landscape.update() == {"FINISHED"}
    np.testing.assert_allclose(heights(land), sculpted, atol=1e-3)
    recipe = read_recipe(land)
    assert recipe.relief.layers[-1].source.key == "attribute:sculpted 1"
    assert {process.model() for process in recipe.erosion if process.enabled} <= {Weathering.model()}

    land.landscape.recipe.erosion.add().model = StreamPower.model()
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert np.abs(heights(land) - sculpted).max() > 1.0


def test_a_sculpted_surface_is_not_shaped_again(land: bpy.types.Object) -> None:
    shaping = land.landscape.recipe.relief.shaping
    shaping.border, shaping.terracing, shaping.terrace_step = "round", 0.5, 40.0
    assert bpy.ops.landscape.update() == {"FINISHED"}
    sculpted = sculpt(land)
    assert bpy.ops.landscape.keep_sculpt() == {"FINISHED"}
    assert bpy.ops.landscape.update() == {"FINISHED"}
    np.testing.assert_allclose(heights(land), sculpted, atol=1e-3)


@pytest.mark.once
def test_a_forest_stays_on_a_sculpted_land(land: bpy.types.Object) -> None:
    bpy.ops.landscape.generate(preset="alpine", resolution=65, seed=4)
    before = bpy.context.object.landscape.plants.data
    count = len(before.attributes["species"].data)
    sculpt(bpy.context.object)
    bpy.ops.landscape.keep_sculpt()
    bpy.ops.landscape.update()
    after = len(bpy.context.object.landscape.plants.data.attributes["species"].data)
    assert after > 0.7 * count > 700


def test_a_sculpted_surface_survives_another_resolution(land: bpy.types.Object) -> None:
    sculpted = sculpt(land)
    bpy.ops.landscape.keep_sculpt()
    land.landscape.recipe.resolution = 129
    bpy.ops.landscape.update()
    assert len(land.data.vertices) == 129 * 129
    fine = heights_of_grid(land.data, (129, 129))
    np.testing.assert_allclose(fine[::2, ::2], sculpted, atol=1e-2)


def test_any_mesh_can_become_a_landscape(blender: None) -> None:
    bpy.ops.mesh.primitive_cone_add(vertices=64, radius1=100.0, depth=80.0, location=(5.0, 6.0, 40.0))
    assert bpy.ops.landscape.generate_from_mesh(resolution=65) == {"FINISHED"}
    land = bpy.context.object
    assert land.landscape.is_landscape
    recipe = read_recipe(land)
    assert abs(recipe.width - 200.0) < 1.0
    land.landscape.recipe.erosion.clear()
    bpy.ops.landscape.update()
    shown = heights_of_grid(land.data, (recipe.grid.rows, 65))
    assert 70.0 < shown.max() <= 80.1 and shown[0, 0] < 1.0


def test_a_painted_vertex_group_masks_a_layer(land: bpy.types.Object) -> None:
    before = heights(land)
    group = land.vertex_groups.new(name="Hill")
    group.add([row * 65 + column for row in range(65) for column in range(32)], 1.0, "REPLACE")
    layer = land.landscape.recipe.relief.layers.add()
    layer.blend = "add"
    layer.source.fractal_noise.base_altitude = 500.0
    layer.mask.model = "painted_mask"
    layer.mask.painted_mask.key = "group:Hill"
    bpy.ops.landscape.update()
    rise = heights(land) - before
    assert rise[:, :31].min() > 400.0 and np.abs(rise[:, 33:]).max() < 1.0


def test_time_moves_the_land_in_playback_and_render(land: bpy.types.Object) -> None:
    land.landscape.recipe.relief.layers[0].source.fractal_noise.speed = 0.5
    path = "landscape.recipe.time"
    for frame, time in ((1, 0.0), (11, 2.0)):
        land.landscape.recipe.time = time
        land.keyframe_insert(path, frame=frame)
    bpy.ops.landscape.update()
    seen = []
    for frame in (1, 11, 1):
        bpy.context.scene.frame_set(frame)
        seen.append(heights(land))
    assert np.abs(seen[0] - seen[1]).max() > 10.0
    np.testing.assert_array_equal(seen[0], seen[2])
    recipe = read_recipe(land).replace(time=2.0)
    np.testing.assert_array_equal(core.build(recipe, extent="terrain").terrain.surface, seen[1])
