"""A land shows its recipe or has a status that says otherwise, also after copies, undo and deletion."""

import time
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import read_positions
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.attachments import ATTACHMENTS
from terrain_addon.blender.land.judging import is_judgement_stale, judgements
from terrain_addon.blender.land.lookup import lands
from terrain_addon.blender.land.marks import shown_mark
from terrain_addon.blender.look import map_view
from terrain_addon.blender.session import handlers, jobs
from terrain_addon.blender.session.following import follow_all, notice_change, show_landscape
from terrain_addon.blender.session.land_states import is_stale, problems_of, states, status_of
from terrain_addon.core.foundation.sampling import vertex_positions

PATIENCE = 60.0


def heights(land: bpy.types.Object) -> np.ndarray:
    values = np.empty(3 * len(land.data.vertices), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", values)
    return values[2::3]


def expected_heights(recipe: core.Recipe) -> np.ndarray:
    surface = core.build(recipe, extent="terrain").terrain.surface
    return vertex_positions(surface, recipe.cell_size)[..., 2].ravel()


def settle() -> None:
    """Call the timer until nothing is left to do, as Blender does in a window."""
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def change_seed(land: bpy.types.Object, seed: int) -> None:
    land.landscape.recipe.seed = seed
    notice_change(land)


def test_a_new_land_shows_what_it_says(land: bpy.types.Object) -> None:
    notice_change(land)
    assert status_of(land) == "" and problems_of(land) == ()


def test_the_land_follows_its_recipe(land: bpy.types.Object, recipe: core.Recipe) -> None:
    notice_change(land)
    change_seed(land, 5)
    assert status_of(land) == "Refining…"
    settle()
    assert status_of(land) == ""
    np.testing.assert_array_equal(heights(land), expected_heights(recipe.replace(seed=5)))
    plants = core.build(recipe.replace(seed=5)).plants
    assert plants is not None and len(land.landscape.plants.data.vertices) == len(plants)


def test_a_preview_comes_first_and_is_marked(land: bpy.types.Object) -> None:
    notice_change(land)
    before = heights(land)
    change_seed(land, 5)
    deadline = time.monotonic() + PATIENCE
    while np.array_equal(heights(land), before):
        follow_all()
        assert time.monotonic() < deadline
    assert status_of(land) == "Refining…"
    settle()


def look_once(land: bpy.types.Object) -> None:
    """Call the timer until the mesh shows something new."""
    before = shown_mark(land)
    deadline = time.monotonic() + PATIENCE
    while shown_mark(land) == before:
        follow_all()
        assert time.monotonic() < deadline


def test_a_preview_has_the_grid_and_the_water_of_the_final_land(land: bpy.types.Object, recipe: core.Recipe) -> None:
    notice_change(land)
    water = recipe.water.replace(sea=True, sea_level=1e4)
    land.landscape.recipe.resolution = 33
    land.landscape.recipe.water.sea, land.landscape.recipe.water.sea_level = True, water.sea_level
    notice_change(land)
    look_once(land)
    assert status_of(land) == "Refining…" and is_stale(land, "ground") and is_stale(land, "plants")
    assert len(land.data.vertices) == 33 * 33
    assert {"slope", "humidity"} <= set(land.data.attributes.keys())
    shown = land.landscape.water.data
    levels = np.empty(3 * len(shown.vertices), np.float32)
    shown.attributes["position"].data.foreach_get("vector", levels)
    np.testing.assert_array_equal(levels[2::3], np.float32(1e4))
    settle()
    assert not is_stale(land, "ground") and len(land.landscape.water.data.polygons) > 0


def test_rivers_end_at_the_border_of_a_preview_and_of_the_land(land: bpy.types.Object) -> None:
    notice_change(land)
    water = land.landscape.recipe.water
    land.landscape.recipe.resolution, water.river_source, water.river_width = 33, 0.02, 100.0
    notice_change(land)
    look_once(land)
    assert is_stale(land, "ground")
    for _ in range(2):
        reach = np.abs(read_positions(land.landscape.water.data)[:, :2]).max()
        assert reach == pytest.approx(320.0, abs=1e-3)
        settle()


def test_linked_duplicates_share_a_preview(land: bpy.types.Object) -> None:
    notice_change(land)
    twin = duplicate(land, linked=True)
    notice_change(twin)
    settle()
    twin.landscape.recipe.resolution = 33
    notice_change(twin)
    look_once(twin)
    assert twin.data == land.data and len(land.data.vertices) == 33 * 33
    settle()


def test_other_years_of_a_forest_that_has_grown_are_shown_at_once(land: bpy.types.Object) -> None:
    notice_change(land)
    evolution = land.landscape.recipe.ecosystem.evolution
    evolution.years = 90.0
    notice_change(land)
    settle()
    before, plants = heights(land), len(land.landscape.plants.data.vertices)
    # The ground stays the same, so the mesh is not touched and changes by hand stay.
    land.data.vertices[0].co.z += 1.0
    evolution.years = 20.0
    notice_change(land)
    look_once(land)
    assert status_of(land) == ""
    assert len(land.landscape.plants.data.vertices) != plants
    assert heights(land)[0] == before[0] + 1.0


def test_what_an_undo_brought_back_is_shown_again(land: bpy.types.Object, recipe: core.Recipe) -> None:
    notice_change(land)
    bpy.ops.ed.undo_push(message="before")
    change_seed(land, 5)
    settle()
    bpy.ops.ed.undo_push(message="other seed")
    bpy.ops.ed.undo()
    land = bpy.data.objects["Alpine"]
    land.landscape.recipe.seed = 5
    notice_change(land)
    settle()
    np.testing.assert_array_equal(heights(land), expected_heights(recipe.replace(seed=5)))


def test_when_not_live_it_waits_and_is_marked(land: bpy.types.Object) -> None:
    bpy.context.window_manager.landscape_live = False
    notice_change(land)
    before = heights(land)
    change_seed(land, 5)
    settle()
    assert status_of(land) == "Out of date"
    np.testing.assert_array_equal(heights(land), before)
    bpy.ops.landscape.update()
    assert status_of(land) == "" and not np.array_equal(heights(land), before)


def test_invalid_values_are_reported_until_they_are_valid(land: bpy.types.Object) -> None:
    notice_change(land)
    before = heights(land)
    land.landscape.recipe.depth = 900000.0
    notice_change(land)
    settle()
    assert "depth = 900000.0 m" in problems_of(land)[0] and status_of(land) == "Out of date"
    np.testing.assert_array_equal(heights(land), before)
    land.landscape.recipe.depth = 640.0
    notice_change(land)
    settle()
    assert problems_of(land) == () and status_of(land) == ""


def test_a_layer_without_its_file_is_reported(land: bpy.types.Object) -> None:
    notice_change(land)
    bpy.ops.landscape.list_add(series="relief.layers")
    layer = land.landscape.recipe.relief.layers[-1]
    layer.name = "Lost"
    layer.source.model = "elevation_model"
    layer.source.elevation_model.path = "/nowhere/lost.png"
    notice_change(land)
    settle()
    assert any("'Lost'" in sentence for sentence in problems_of(land))


def test_a_change_during_an_update_is_not_lost(land: bpy.types.Object, recipe: core.Recipe) -> None:
    asked = read_recipe(land)
    landscape = core.build(recipe.replace(seed=5))
    land.landscape.recipe.resolution = 33
    show_landscape(land, landscape, asked)
    assert land.landscape.recipe.resolution == 33
    assert status_of(land) != ""
    settle()
    assert len(land.data.vertices) == 33 * 33


def test_undo_brings_back_what_belongs_together(land: bpy.types.Object, recipe: core.Recipe) -> None:
    notice_change(land)
    bpy.ops.ed.undo_push(message="before")
    land.landscape.recipe.seed = 5
    bpy.ops.ed.undo_push(message="slider")  # as Blender does when the mouse is let go, before anything was computed
    notice_change(land)
    settle()
    bpy.ops.ed.undo_push(message="something else")
    bpy.ops.ed.undo()
    land = bpy.data.objects["Alpine"]
    # The recipe is the new one and the mesh the old one, so the land must not count as up to date.
    notice_change(land)
    assert land.landscape.recipe.seed == 5
    settle()
    np.testing.assert_array_equal(heights(land), expected_heights(recipe.replace(seed=5)))
    bpy.ops.ed.undo()
    land = bpy.data.objects["Alpine"]
    notice_change(land)
    settle()
    np.testing.assert_array_equal(heights(land), expected_heights(recipe))


def duplicate(land: bpy.types.Object, *, linked: bool) -> bpy.types.Object:
    bpy.ops.object.select_all(action="DESELECT")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    bpy.ops.object.duplicate(linked=linked)
    return bpy.context.active_object


def test_a_duplicate_has_plants_and_water_of_its_own(land: bpy.types.Object) -> None:
    notice_change(land)
    settle()
    count = len(land.landscape.plants.data.vertices)
    copy = duplicate(land, linked=False)
    notice_change(copy)
    settle()
    for name in ATTACHMENTS:
        mine, other = getattr(land.landscape, name), getattr(copy.landscape, name)
        if mine is not None:
            assert mine != other and mine.parent == land and other.parent == copy
            assert other.name in bpy.context.scene.objects
    copy.landscape.recipe.ecosystem.cover = 0.3
    notice_change(copy)
    settle()
    assert len(copy.landscape.plants.data.vertices) < count == len(land.landscape.plants.data.vertices)


def test_a_duplicate_with_its_children_keeps_those(land: bpy.types.Object) -> None:
    notice_change(land)
    settle()
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.duplicate()
    copies = [o for o in bpy.context.selected_objects if o.landscape.is_landscape]
    assert len(copies) == 1
    count = len(bpy.data.objects)
    notice_change(copies[0])
    settle()
    assert len(bpy.data.objects) == count
    assert copies[0].landscape.plants.parent == copies[0]


def test_linked_duplicates_stay_alike(land: bpy.types.Object, recipe: core.Recipe) -> None:
    notice_change(land)
    twin = duplicate(land, linked=True)
    notice_change(twin)
    settle()
    assert twin.data == land.data
    twin.landscape.recipe.resolution = 33
    notice_change(twin)
    settle()
    assert twin.data == land.data and len(land.data.vertices) == 33 * 33
    assert read_recipe(land) == read_recipe(twin) == recipe.replace(resolution=33)
    notice_change(land)
    assert status_of(land) == status_of(twin) == ""


def linked_twin(land: bpy.types.Object) -> bpy.types.Object:
    """A linked duplicate with plants of its own, active."""
    notice_change(land)
    twin = duplicate(land, linked=True)
    notice_change(twin)
    settle()
    return twin


def plants_on(land: bpy.types.Object) -> int:
    return len(land.landscape.plants.data.vertices)


def plants_of(recipe: core.Recipe) -> int:
    plants = core.build(recipe).plants
    assert plants is not None
    return len(plants)


def test_a_linked_duplicate_without_plants_leaves_the_other_its_plants(
    land: bpy.types.Object, recipe: core.Recipe
) -> None:
    twin = linked_twin(land)
    bpy.ops.landscape.clear_plants()
    assert twin.landscape.plants is None and plants_on(land) == plants_of(recipe)
    change_seed(twin, 5)
    settle()
    assert status_of(land) == "" and plants_on(land) == plants_of(recipe.replace(seed=5))
    change_seed(land, 6)
    settle()
    assert twin.landscape.plants is None and plants_on(land) == plants_of(recipe.replace(seed=6))


def test_plants_that_an_undo_changed_on_a_linked_duplicate_are_shown_again(
    land: bpy.types.Object, recipe: core.Recipe
) -> None:
    twin = linked_twin(land)
    change_seed(land, 5)
    settle()
    # As if Blender had brought back the plants of one of them only.
    twin.landscape.plants.data.clear_geometry()
    twin.landscape.plants.data["landscape_shown"] = "another recipe"
    land.landscape.recipe.appearance.season = 10.0
    notice_change(land)
    settle()
    assert status_of(twin) == "" and plants_on(twin) == plants_of(recipe.replace(seed=5))


def test_a_land_follows_though_an_undo_came_later_on_its_linked_duplicate(
    land: bpy.types.Object, recipe: core.Recipe
) -> None:
    twin = linked_twin(land)
    bpy.ops.ed.undo_push(message="begin")
    twin.landscape.recipe.resolution = 33
    bpy.ops.ed.undo_push(message="Resolution")
    bpy.ops.landscape.update()
    bpy.ops.ed.undo_push(message="Update")
    # The recipe of the land goes back, that of its linked duplicate stays, and neither is what the other says.
    bpy.ops.ed.undo()
    for one in lands():
        notice_change(one)
    settle()
    assert [status_of(one) for one in lands()] == ["", ""]
    assert [read_recipe(one) for one in lands()] == 2 * [recipe.replace(resolution=33)]


def test_a_land_that_waits_for_its_linked_duplicate_has_the_status_of_that(land: bpy.types.Object) -> None:
    twin = linked_twin(land)
    change_seed(land, 5)
    source = twin.landscape.recipe.relief.layers[0].source
    source.model, source.elevation_model.path = "elevation_model", "/nowhere/lost.png"
    notice_change(twin)
    settle()
    assert problems_of(twin) and status_of(land) == status_of(twin) == "Out of date"


def test_what_belongs_to_a_deleted_land_goes_with_it(land: bpy.types.Object, tmp_path: Path) -> None:
    notice_change(land)
    settle()
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.active_object
    cube.parent = land
    meshes = {o.data.name for o in (land.landscape.plants, land.landscape.water) if o is not None}
    bpy.data.objects.remove(land)
    follow_all()
    assert [o.name for o in bpy.context.scene.objects] == [cube.name]
    # They are not removed, because an undo would look for them; but they are not saved.
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert not meshes & {mesh.name for mesh in bpy.data.meshes}


def test_deleting_while_it_is_computed_is_safe(land: bpy.types.Object) -> None:
    notice_change(land)
    change_seed(land, 5)
    follow_all()
    bpy.data.objects.remove(land)
    settle()
    assert not [o for o in bpy.context.scene.objects if o.name.startswith("Alpine")]


def test_renaming_changes_nothing(land: bpy.types.Object) -> None:
    notice_change(land)
    land.name = "Überberg"
    notice_change(land)
    assert status_of(land) == ""


def test_an_appended_land_brings_its_water_and_plants(land: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "a.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    count = len(land.landscape.plants.data.vertices)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.append(directory=f"{path}/Object/", filename="Alpine")
    land = bpy.data.objects["Alpine"]
    notice_change(land)
    settle()
    plants = land.landscape.plants
    assert plants.name in bpy.context.scene.objects and len(plants.data.vertices) == count
    assert plants.parent == land
    change_seed(land, 5)
    settle()
    assert status_of(land) == "" and land.landscape.plants == plants


def test_a_linked_land_is_left_alone_with_a_reason(land: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "a.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.link(directory=f"{path}/Object/", filename="Alpine", instance_collections=False)
    land = bpy.data.objects["Alpine"]
    bpy.context.view_layer.objects.active = land
    notice_change(land)
    settle()
    assert status_of(land) == "" and not bpy.ops.landscape.update.poll()


def test_the_file_remembers_what_is_out_of_date(land: bpy.types.Object, tmp_path: Path) -> None:
    bpy.context.window_manager.landscape_live = False
    notice_change(land)
    change_seed(land, 5)
    path = str(tmp_path / "a.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.context.window_manager.landscape_live = False
    assert status_of(bpy.data.objects["Alpine"]) == "Out of date"


def test_a_map_is_seen_as_colours_and_follows(land: bpy.types.Object) -> None:
    notice_change(land)
    assert bpy.ops.landscape.show_map(map="slope") == {"FINISHED"}
    mesh = land.data
    assert mesh.color_attributes.active_color.name == map_view.MAP_COLOURS
    name, low, high = map_view.shown_on(land)
    assert name == "slope" and 0.0 <= low < high <= 90.0

    def brightness() -> np.ndarray:
        colours = np.empty((len(mesh.vertices), 4), np.float32)
        mesh.color_attributes[map_view.MAP_COLOURS].data.foreach_get("color", colours.ravel())
        return colours[:, :3].sum(axis=1)

    slope = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["slope"].data.foreach_get("value", slope)
    ranks = [np.argsort(np.argsort(values)) for values in (slope, brightness())]
    assert np.corrcoef(ranks)[0, 1] > 0.95
    before = brightness()
    change_seed(land, 5)
    settle()
    assert not np.array_equal(before, brightness())
    bpy.ops.landscape.show_map(map="slope")
    assert map_view.MAP_COLOURS not in mesh.attributes and map_view.shown_on(land) is None


def test_work_that_the_user_stops_is_not_begun_again_before_the_next_change(land: bpy.types.Object) -> None:
    notice_change(land)
    settle()
    change_seed(land, 5)
    state = states[land.session_uid]
    deadline = time.monotonic() + PATIENCE
    while state.job is None or not state.job_is_full:  # the preview comes first
        follow_all()
        assert time.monotonic() < deadline
    before = heights(land)
    state.job.cancel()
    settle()
    assert status_of(land) == "Out of date" and jobs.running == []
    np.testing.assert_array_equal(heights(land), before)
    change_seed(land, 6)
    settle()
    assert status_of(land) == "" and not np.array_equal(heights(land), before)


def test_another_colour_does_not_make_the_realism_check_old(land: bpy.types.Object) -> None:
    notice_change(land)
    bpy.ops.landscape.update()
    bpy.ops.landscape.check_realism(land_class="mountains")
    judgement = judgements[land.session_uid]
    assert not is_judgement_stale(land, judgement)
    land.landscape.recipe.appearance.snow_line += 100.0
    land.landscape.recipe.ecosystem.cover = 0.2
    notice_change(land)
    settle()
    assert not is_judgement_stale(land, judgement)
    change_seed(land, 5)
    look_once(land)
    assert is_judgement_stale(land, judgement)
    settle()
    assert is_judgement_stale(land, judgement)
    change_seed(land, 3)
    settle()
    assert not is_judgement_stale(land, judgement)


def test_a_result_waits_while_the_user_is_in_edit_mode(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    # No result comes at once, so that the first one comes in Edit Mode.
    monkeypatch.setattr(jobs.Job, "wait", lambda self, seconds: None)
    notice_change(land)
    change_seed(land, 8)
    follow_all()
    state = states[land.session_uid]
    assert state.job is not None
    bpy.ops.object.mode_set(mode="EDIT")
    deadline = time.monotonic() + 60.0
    while state.job is not None and not state.job.done and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(3):
        follow_all()
    bpy.ops.object.mode_set(mode="OBJECT")
    settle()
    assert status_of(land) == "" and problems_of(land) == ()
    np.testing.assert_array_equal(heights(land), expected_heights(read_recipe(land)))


def test_nothing_is_kept_of_a_file_that_is_closed_or_of_a_disabled_extension(
    blender: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[str] = []
    monkeypatch.setattr(handlers, "forget_steps", lambda: forgotten.append("steps"))
    for leave in (bpy.ops.wm.read_homefile, handlers.unregister):
        judgements[7] = "a judgement"
        leave()
        assert not judgements
    assert forgotten == ["steps", "steps"]
    handlers.register()
