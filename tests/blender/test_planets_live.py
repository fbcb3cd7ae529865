"""Planets follow their sliders: a coarse one first, then the whole; materials stay, and undo leads back."""

import time

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import read_attribute, read_positions
from terrain_addon.blender.data.planet_data import draw_planet
from terrain_addon.blender.data.properties import read_planet_recipe
from terrain_addon.blender.session import jobs
from terrain_addon.blender.session.following import follow_all, notice_all
from terrain_addon.blender.session.planet_following import notice_planet, planet_problem, planet_status
from terrain_addon.blender.session.undo_steps import links
from terrain_addon.core.planet.planet_mesh import planet_mesh

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

PATIENCE = 60.0


@pytest.fixture
def planet(blender: None) -> bpy.types.Object:
    assert bpy.ops.landscape.new_planet(preset="temperate", seed=3, resolution=33) == {"FINISHED"}
    shown = bpy.context.active_object
    notice_planet(shown)
    return shown


def settle() -> None:
    """Call the timer until nothing is left to do, as Blender does in a window."""
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def heights(planet: bpy.types.Object) -> np.ndarray:
    return read_attribute(planet.data, "height")


def expected(planet: bpy.types.Object) -> np.ndarray:
    recipe = read_planet_recipe(planet)
    return core.build_planet(recipe).surface.ravel()[planet_mesh(recipe.resolution, recipe.resolution).samples]


def part(planet: bpy.types.Object, kind: str) -> bpy.types.Object:
    return next(child for child in planet.children if child.name.endswith(kind))


def test_a_slider_moves_the_planet_and_adds_nothing_to_the_file(planet: bpy.types.Object) -> None:
    before, blocks = heights(planet), links()
    planet.landscape_planet.recipe.hills.height = 400.0
    assert notice_planet(planet) and planet_status(planet) == "Refining…"
    settle()
    assert planet_status(planet) == "" and heights(planet).tobytes() == expected(planet).tobytes() != before.tobytes()
    assert links() == blocks


def test_a_coarse_planet_comes_first(planet: bpy.types.Object) -> None:
    before = heights(planet).tobytes()
    planet.landscape_planet.recipe.resolution, planet.landscape_planet.recipe.seed = 129, 5
    notice_planet(planet)
    seen = []
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None:
        seen.append(heights(planet).tobytes())
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert len(planet.data.vertices) == 6 * 128**2 + 2
    coarse = set(seen) - {before, heights(planet).tobytes()}
    assert coarse and all(len(one) < heights(planet).nbytes for one in coarse)
    assert heights(planet).tobytes() == expected(planet).tobytes()


def test_what_users_did_to_materials_stays(planet: bpy.types.Object) -> None:
    tree = planet.data.materials[0].node_tree
    tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 0.123
    own = bpy.data.materials.new("Mine")
    part(planet, "Sea").data.materials[0] = own
    planet.landscape_planet.recipe.seed = 4
    notice_planet(planet)
    settle()
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    assert planet.data.materials[0].node_tree == tree and part(planet, "Sea").data.materials[0] == own
    assert tree.nodes["Principled BSDF"].inputs["Roughness"].default_value == pytest.approx(0.123)


def test_the_pictures_follow_too(planet: bpy.types.Object) -> None:
    image = planet.landscape_planet.colours
    before = np.array(image.pixels[:])
    packed = bytes(image.packed_file.data)
    planet.landscape_planet.recipe.look.colours = "rust"
    notice_planet(planet)
    settle()
    after = np.array(image.pixels[:])
    fresh = draw_planet(core.build_planet(read_planet_recipe(planet)), planet.landscape_planet.size).colours
    shown = after.reshape(*fresh.shape[:2], 4)[..., :3]
    assert np.array_equal(np.rint(shown * 255.0), fresh)
    assert after.shape == before.shape and np.abs(after - before).mean() > 0.01
    assert bytes(image.packed_file.data) != packed


def test_parts_hide_and_come_back_without_being_removed(planet: bpy.types.Object) -> None:
    clouds, look = part(planet, "Clouds"), planet.landscape_planet.recipe.look
    look.clouds = 0.0
    notice_planet(planet)
    settle()
    assert clouds.hide_render and clouds.name in bpy.data.objects
    look.clouds = 0.7
    notice_planet(planet)
    settle()
    assert not clouds.hide_render
    assert clouds.data.materials[0].node_tree.nodes["Clouds"].outputs[0].default_value == pytest.approx(0.7)


def test_what_cannot_be_built_is_said_and_a_way_back_works(planet: bpy.types.Object) -> None:
    before = read_positions(planet.data)
    planet.landscape_planet.recipe.sea_level = 40000.0
    notice_planet(planet)
    settle()
    assert "above the whole planet" in planet_problem(planet) and planet_status(planet) == "Out of date"
    assert read_positions(planet.data).tobytes() == before.tobytes()
    planet.landscape_planet.recipe.resolution = 34
    assert not notice_planet(planet) or planet_problem(planet)
    assert "nearest is 33" in planet_problem(planet)
    planet.landscape_planet.recipe.resolution, planet.landscape_planet.recipe.sea_level = 33, 0.0
    notice_planet(planet)
    settle()
    assert planet_status(planet) == "" and planet_problem(planet) == ""


def test_esc_stops_it_until_the_next_change(planet: bpy.types.Object) -> None:
    planet.landscape_planet.recipe.resolution = 513
    notice_planet(planet)
    deadline = time.monotonic() + PATIENCE
    while not any(job.task.title == planet.name and job.is_long for job in jobs.running):
        assert follow_all() is not None and time.monotonic() < deadline
        time.sleep(0.005)
    assert bpy.ops.landscape.cancel() == {"FINISHED"}
    settle()
    assert planet_status(planet) == "Out of date" and len(planet.data.vertices) < 6 * 256**2
    planet.landscape_planet.recipe.resolution = 33
    notice_planet(planet)
    settle()
    assert planet_status(planet) == ""


def test_live_off_leaves_the_planet_alone(planet: bpy.types.Object) -> None:
    before = read_positions(planet.data)
    bpy.context.window_manager.landscape_live = False
    planet.landscape_planet.recipe.seed = 9
    notice_planet(planet)
    settle()
    bpy.context.window_manager.landscape_live = True
    assert read_positions(planet.data).tobytes() == before.tobytes() and planet_status(planet) == "Refining…"


def test_undo_leads_back(planet: bpy.types.Object) -> None:
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    name, before = planet.name, heights(planet)
    planet.landscape_planet.recipe.seed = 8
    planet.landscape_planet.recipe.look.clouds = 0.0
    bpy.ops.ed.undo_push(message="Seed")
    notice_planet(planet)
    settle()
    bpy.ops.ed.undo()
    notice_all()
    settle()
    again = bpy.data.objects[name]
    assert read_planet_recipe(again).seed == 3 and heights(again).tobytes() == before.tobytes()
    bpy.ops.ed.redo()
    notice_all()
    settle()
    again = bpy.data.objects[name]
    assert read_planet_recipe(again).seed == 8 and heights(again).tobytes() == expected(again).tobytes()


def test_a_copy_has_its_own_pictures(planet: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = planet
    planet.select_set(True)
    bpy.ops.object.duplicate()
    copy = bpy.context.active_object
    assert copy != planet and copy.landscape_planet.colours == planet.landscape_planet.colours
    before = np.array(planet.landscape_planet.colours.pixels[:])
    copy.landscape_planet.recipe.look.colours = "rust"
    notice_planet(copy)
    settle()
    assert copy.landscape_planet.colours != planet.landscape_planet.colours
    assert np.array_equal(np.array(planet.landscape_planet.colours.pixels[:]), before)
    assert copy.data.materials[0] != planet.data.materials[0]


def kinds(planet: bpy.types.Object) -> list[str]:
    return sorted(child.name.split()[-1].split(".")[0] for child in planet.children)


def alone(planet: bpy.types.Object) -> None:
    """Select only a planet, as a click on it does."""
    for one in bpy.context.scene.objects:
        one.select_set(one == planet)
    bpy.context.view_layer.objects.active = planet


@pytest.mark.parametrize("live", [True, False])
def test_a_duplicate_gets_sea_clouds_and_air_of_its_own(planet: bpy.types.Object, live: bool) -> None:
    bpy.context.window_manager.landscape_live = live
    alone(planet)
    parts = list(planet.children)
    assert bpy.ops.object.duplicate() == {"FINISHED"}
    copy = bpy.context.active_object
    assert copy != planet and not copy.children
    assert notice_planet(copy) and not notice_planet(planet)
    settle()
    bpy.context.window_manager.landscape_live = True
    assert kinds(copy) == kinds(planet) == ["Air", "Clouds", "Sea"] and list(planet.children) == parts
    assert heights(copy).tobytes() == heights(planet).tobytes() and planet_status(copy) == ""
    # They are its own: another planet changes nothing of them.
    sea = read_positions(part(copy, "Sea").data)
    planet.landscape_planet.recipe.sea_level = 500.0
    notice_planet(planet)
    settle()
    assert read_positions(part(copy, "Sea").data).tobytes() == sea.tobytes()


def test_a_deleted_planet_leaves_no_shell_and_undo_brings_it_back(planet: bpy.types.Object) -> None:
    bpy.context.preferences.edit.use_global_undo = True
    alone(planet)
    name, parts = planet.name, sorted(child.name for child in planet.children)
    bpy.ops.ed.undo_push(message="Before")
    assert bpy.ops.object.delete("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert not [one.name for one in bpy.context.scene.objects if one.type == "MESH"]
    bpy.ops.ed.undo()
    back = bpy.data.objects[name]
    assert back.name in bpy.context.scene.objects and sorted(child.name for child in back.children) == parts
    assert all(child.name in bpy.context.scene.objects for child in back.children)
    # Once more: what an undo has linked again leaves the scene again.
    settle()
    alone(back)
    assert bpy.ops.object.delete("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.context.view_layer.update()
    assert not [one.name for one in bpy.context.scene.objects if one.type == "MESH"]


def test_one_undo_takes_a_duplicate_away_with_its_parts(planet: bpy.types.Object) -> None:
    bpy.context.preferences.edit.use_global_undo = True
    alone(planet)
    bpy.ops.ed.undo_push(message="Before")
    before = sorted(one.name for one in bpy.context.scene.objects)
    assert bpy.ops.object.duplicate("EXEC_DEFAULT", True) == {"FINISHED"}
    notice_planet(bpy.context.active_object)
    settle()
    assert len(bpy.context.scene.objects) == len(before) + 4
    bpy.ops.ed.undo()
    notice_all()
    settle()
    assert sorted(one.name for one in bpy.context.scene.objects) == before
