"""What is drawn on a land: curves and empties become features of its recipe, and follow every edit."""

import time
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.mesh_heights import heights_of_grid
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land import features
from terrain_addon.blender.land.lookup import active_land
from terrain_addon.blender.land.marks import preview_mark, shown_mark
from terrain_addon.blender.operators.features import LANDSCAPE_OT_draw_feature
from terrain_addon.blender.session.following import follow_all, notice_all, notice_change
from terrain_addon.blender.session.land_states import ensure_state, problems_of
from terrain_addon.blender.session.previews import preview_task
from terrain_addon.blender.session.undo_steps import links
from terrain_addon.blender.ui import features_panel
from tests.blender.recording_layout import drawn

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

EAST = [(-300.0, 0.0, 900.0), (0.0, 100.0, 800.0), (300.0, 0.0, 700.0)]


def draw(kind: str, places: list[tuple[float, float, float]]) -> bpy.types.Object:
    path = [{"name": "", "location": place} for place in places]
    assert bpy.ops.landscape.draw_feature(kind=kind, path=path) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def of(land: bpy.types.Object) -> tuple[core.River, ...]:
    """The features of a land, as the session sees them after a change."""
    notice_change(land)
    return read_recipe(land).features


def test_a_drawn_river_is_in_the_recipe(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    assert river.type == "CURVE" and river.parent == land and not river.data.splines[0].use_cyclic_u
    assert [collection.name for collection in river.users_collection] == ["Features"]
    (found,) = of(land)
    assert isinstance(found, core.River) and found.name == river.name == "River"
    # It is seen on a dark forest.
    assert river.data.bevel_depth > 0.0 and max(river.data.materials[0].diffuse_color[:3]) == 1.0
    # From the south-west corner; heights stay with the land.
    assert found.points[0] == (20.0, 320.0) and found.points[-1] == (620.0, 320.0)
    assert (320.0, 420.0) in found.points


def test_what_is_drawn_in_a_second_scene_is_seen_there(land: bpy.types.Object) -> None:
    draw("river", EAST)
    second = bpy.data.scenes.new("Second")
    second.collection.objects.link(land)
    bpy.context.window.scene = second
    bpy.context.view_layer.objects.active = land
    ridge = draw("ridge", EAST)
    assert ridge.type == "CURVE" and ridge.name in second.objects and ridge.select_get()
    # The river was drawn in the other scene, so it cannot be selected here, and that is said.
    bpy.context.view_layer.objects.active = land
    with pytest.raises(RuntimeError, match="is in no collection that is shown"):
        bpy.ops.landscape.select_feature(name="River")


def test_what_is_drawn_is_seen_though_the_collection_of_features_is_not(land: bpy.types.Object) -> None:
    draw("river", EAST)
    layer = bpy.context.view_layer.layer_collection.children["Features"]
    layer.exclude = True
    bpy.context.view_layer.objects.active = land
    summit = draw("summit", EAST[:1])
    assert summit.type == "EMPTY" and summit.select_get()


def test_moving_a_point_or_a_setting_changes_the_feature(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    river.data.splines[0].bezier_points[2].co = (300.0, -200.0, 0.0)
    river.landscape_feature.feature.river.width = 33.0
    (found,) = of(land)
    assert found.points[-1] == (620.0, 120.0) and found.width == 33.0
    river.location.x += 5.0
    assert of(land)[0].points[-1] == (625.0, 120.0)
    river.landscape_feature.takes_heights = True
    assert of(land)[0].points[0] == (25.0, 320.0, 900.0)
    bpy.ops.object.mode_set(mode="EDIT")
    river.data.splines[0].bezier_points[2].co.y = 0.0
    assert of(land)[0].points[-1][:2] == (625.0, 320.0)


def test_a_feature_moves_with_its_land(land: bpy.types.Object) -> None:
    draw("road", EAST)
    before = of(land)[0].points
    land.location, land.rotation_euler.z = (5000.0, 0.0, 0.0), 1.0
    bpy.context.view_layer.update()
    assert of(land)[0].points == before and len(before) == 3


@pytest.mark.parametrize("kind", ["lake", "pad"])
def test_outlines_are_closed(land: bpy.types.Object, kind: str) -> None:
    outline = draw(kind, EAST)
    assert outline.data.splines[0].use_cyclic_u
    points = of(land)[0].points
    assert len(set(points)) == len(points) >= 3


def test_each_summit_is_an_empty(land: bpy.types.Object) -> None:
    draw("summit", EAST)
    assert [one.type for one in features.drawn_features(land)] == ["EMPTY"] * 3
    assert [one.points for one in of(land)] == [((20.0, 320.0),), ((320.0, 420.0),), ((620.0, 320.0),)]


def test_deleting_a_curve_removes_its_feature_also_after_another_undo(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    ridge = draw("ridge", EAST)
    assert [one.name for one in of(land)] == ["Ridge", "River"]
    stale = core.River(name="River", points=((1.0, 2.0), (3.0, 4.0)))
    bpy.data.objects.remove(river)
    assert features.lost_features(land)
    assert [one.name for one in of(land)] == [ridge.name]
    # An undo of something else may bring back settings of the land that are older than the deletion.
    features.write_features(land, (*read_recipe(land).features, stale))
    assert [one.name for one in of(land)] == [ridge.name]


def test_the_timer_notices_a_deleted_curve(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    notice_change(land)
    bpy.ops.object.delete()
    assert "River" not in bpy.data.objects or not river.users_collection
    follow_all()
    assert read_recipe(land).features == ()


def test_a_copied_curve_is_another_feature(land: bpy.types.Object) -> None:
    draw("river", EAST)
    bpy.ops.object.duplicate()
    bpy.context.object.location.y += 100.0
    first, second = of(land)
    assert (first.name, second.name) == ("River", "River.001")
    assert second.points[0] == (20.0, 420.0)


def test_a_copied_land_keeps_its_features_and_goes_its_own_way(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    before = of(land)
    bpy.ops.object.select_all(action="DESELECT")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert of(copy) == before
    river.location.x += 10.0
    assert of(land) != before and of(copy) == before
    assert bpy.ops.landscape.draw_stored() == {"FINISHED"}
    (own,) = features.drawn_features(copy)
    np.testing.assert_allclose(of(copy)[0].points, before[0].points, atol=1e-3)
    assert own.parent == copy


def test_land_and_curve_copied_together_have_one_river_each(land: bpy.types.Object) -> None:
    river = draw("river", EAST)
    notice_change(land)
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.duplicate()
    copy = next(one for one in bpy.data.objects if one.landscape.is_landscape and one != land)
    (own,) = features.drawn_features(copy)
    assert own != river and len(of(copy)) == len(of(land)) == 1


def test_features_survive_a_file(land: bpy.types.Object, tmp_path: Path) -> None:
    draw("river", EAST)
    before = of(land)
    path = str(tmp_path / "land.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    land = bpy.data.objects["Alpine"]
    assert of(land) == before and len(features.drawn_features(land)) == 1
    bpy.data.objects.remove(bpy.data.objects["River"])
    assert of(land) == ()


def test_undo_takes_a_drawn_river_back(land: bpy.types.Object) -> None:
    bpy.ops.ed.undo_push(message="Before")
    draw("river", EAST)
    bpy.ops.ed.undo_push(message="Drawn")
    bpy.ops.ed.undo()
    notice_all()
    land = bpy.data.objects["Alpine"]
    assert read_recipe(land).features == () and "River" not in bpy.data.objects
    bpy.ops.ed.redo()
    notice_all()
    land = bpy.data.objects["Alpine"]
    assert [one.name for one in read_recipe(land).features] == ["River"]


def test_a_preset_keeps_what_is_drawn(land: bpy.types.Object) -> None:
    draw("river", EAST)
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.apply_preset(name="volcano") == {"FINISHED"}
    assert [one.name for one in read_recipe(land).features] == ["River"]


def test_features_of_a_recipe_file_become_curves(land: bpy.types.Object, tmp_path: Path) -> None:
    river = core.River(name="Inn", points=((20.0, 320.0, 900.0), (620.0, 320.0, 100.0)), width=20.0)
    path = tmp_path / "recipe.json"
    path.write_text(read_recipe(land).replace(features=(river,)).dumps())
    assert bpy.ops.landscape.load_recipe(filepath=str(path)) == {"FINISHED"}
    assert of(land) == (river,) and [one.name for one in features.drawn_features(land)] == ["Inn"]


def test_objects_of_the_user_become_features(land: bpy.types.Object) -> None:
    bpy.ops.mesh.primitive_plane_add(size=100.0, location=(50.0, 0.0, 10.0))
    plane = bpy.context.object
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.use_as_feature(kind="pad") == {"FINISHED"}
    (pad,) = of(land)
    assert isinstance(pad, core.Pad) and len(pad.points) == 4
    np.testing.assert_allclose(sorted(pad.points)[0], (320.0, 270.0), atol=1e-3)
    assert tuple(plane.matrix_world.translation) == (50.0, 0.0, 10.0)


def test_what_cannot_be_a_feature_is_refused_and_said(land: bpy.types.Object) -> None:
    with pytest.raises(RuntimeError, match="Select curves, empties or meshes"):
        bpy.ops.landscape.use_as_feature(kind="pad")
    with pytest.raises(RuntimeError, match="lake needs 3 points or more, not 1"):
        bpy.ops.landscape.draw_feature(kind="lake", path=[{"name": "", "location": EAST[0]}])
    assert features.drawn_features(land) == []
    river = draw("road", EAST)
    river.data.splines[0].points.add(10_000)
    notice_change(land)
    assert any("the road 'Road': points are 10,003, at most 10,000" in one for one in problems_of(land))


def test_the_panel_lists_what_is_drawn_and_shows_its_settings(land: bpy.types.Object) -> None:
    draw("river", EAST)
    texts = drawn(features_panel.VIEW3D_PT_landscape_features).texts
    assert {"River", "Width", "Inflow (km²)", "Take Heights"} <= set(texts)
    bpy.ops.landscape.remove_feature(name="River")
    assert bpy.context.view_layer.objects.active == land and of(land) == ()
    assert "Take Heights" not in drawn(features_panel.VIEW3D_PT_landscape_features).texts


def used(land: bpy.types.Object, one: bpy.types.Object, kind: str) -> bpy.types.Object:
    """An object of the user, linked, and taken as a feature of a land."""
    if not one.users_collection:
        bpy.context.collection.objects.link(one)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    one.select_set(True)
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.use_as_feature(kind=kind) == {"FINISHED"}
    return one


def lines(name: str, *paths: list[tuple[float, float, float]]) -> bpy.types.Object:
    """A curve with straight lines, which the user made."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    for path in paths:
        spline = curve.splines.new("POLY")
        spline.points.add(len(path) - 1)
        for point, place in zip(spline.points, path):
            point.co = (*place, 1.0)
    return bpy.data.objects.new(name, curve)


def castle_with_flag(land: bpy.types.Object) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A mesh of the user with a child, taken as a pad."""
    mesh = bpy.data.meshes.new("Castle")
    corners = [(-60.0, -60.0, 0.0), (60.0, -60.0, 0.0), (60.0, 60.0, 0.0), (-60.0, 60.0, 0.0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    castle, flag = bpy.data.objects.new("Castle", mesh), bpy.data.objects.new("Flag", None)
    bpy.context.collection.objects.link(flag)
    castle.location, castle.rotation_euler.z, flag.parent = (20.0, 30.0, 40.0), 7.0, castle
    return used(land, castle, "pad"), flag


def test_removing_a_feature_leaves_the_object_of_the_user(
    land: bpy.types.Object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    castle, flag = castle_with_flag(land)
    assert castle.parent == land and len(of(land)) == 1
    path = str(tmp_path / "land.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    land, castle, flag = (bpy.data.objects[name] for name in ("Alpine", "Castle", "Flag"))
    bpy.context.view_layer.objects.active = land
    bpy.ops.ed.undo_push(message="Before")
    capfd.readouterr()
    bpy.ops.landscape.remove_feature(name="Castle")
    assert "Removed Castle; the object stays in the file" in capfd.readouterr().out
    assert of(land) == () and features.drawn_features(land) == []
    assert castle.parent is None and flag.parent == castle and castle.users_collection
    bpy.context.view_layer.update()
    assert tuple(castle.matrix_world.translation) == (20.0, 30.0, 40.0)
    assert castle.rotation_euler.z == 7.0, "more than half a turn, as the user set it"
    bpy.ops.ed.undo_push(message="Removed")
    bpy.ops.ed.undo()
    notice_all()
    assert [one.name for one in read_recipe(bpy.data.objects["Alpine"]).features] == ["Castle"]
    bpy.ops.ed.redo()
    notice_all()
    land = bpy.data.objects["Alpine"]
    assert read_recipe(land).features == () and bpy.data.objects["Castle"].parent is None


def test_a_released_object_stays_where_its_land_took_it(land: bpy.types.Object) -> None:
    castle, _ = castle_with_flag(land)
    land.location, land.rotation_euler.z = (500.0, 0.0, 7.0), 1.0
    bpy.context.view_layer.update()
    before = castle.matrix_world.copy()
    bpy.ops.landscape.remove_feature(name="Castle")
    bpy.context.view_layer.update()
    np.testing.assert_allclose(castle.matrix_world, before, atol=1e-3)


def test_an_object_with_a_parent_of_its_own_keeps_it(land: bpy.types.Object) -> None:
    hill = bpy.data.objects.new("Hill", None)
    bpy.context.collection.objects.link(hill)
    peak = bpy.data.objects.new("Peak", None)
    peak.parent = hill
    used(land, peak, "summit")
    bpy.ops.landscape.remove_feature(name="Peak")
    assert peak.parent == hill and of(land) == ()


def test_what_was_drawn_is_deleted_with_its_feature(land: bpy.types.Object) -> None:
    draw("river", EAST)
    bpy.ops.landscape.remove_feature(name="River")
    assert "River" not in bpy.data.objects and "River" not in bpy.data.curves


def test_all_features_of_a_removed_curve_are_named(land: bpy.types.Object, capfd: pytest.CaptureFixture[str]) -> None:
    two = lines("Two", [(-300.0, -90.0, 0.0), (300.0, -90.0, 0.0)], [(-300.0, 90.0, 0.0), (300.0, 90.0, 0.0)])
    used(land, two, "river")
    assert [one.name for one in of(land)] == ["Two", "Two 2"]
    bpy.ops.landscape.remove_feature(name="Two")
    assert "Removed Two and Two 2; the object stays" in capfd.readouterr().out and of(land) == ()


def test_what_was_drawn_on_a_deleted_land_keeps_it_neither_in_panels_nor_in_files(
    land: bpy.types.Object, tmp_path: Path
) -> None:
    river = draw("river", EAST)
    notice_change(land)
    choose = bpy.context.view_layer.objects
    bpy.ops.object.select_all(action="DESELECT")
    land.select_set(True)
    choose.active = land
    bpy.ops.object.delete()
    choose.active = river
    assert active_land(bpy.context) is None
    path = str(tmp_path / "land.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert "River" in bpy.data.objects and not any(one.landscape.is_landscape for one in bpy.data.objects)


def test_a_moved_point_is_seen_before_erosion_follows(land: bpy.types.Object) -> None:
    land.landscape.recipe.erosion.add().model = "stream_power"
    ridge = draw("ridge", EAST)
    ridge.landscape_feature.feature.ridge.width = 60.0
    notice_change(land)
    bpy.ops.landscape.update()
    ridge.location.y += 200.0
    notice_change(land)
    state = ensure_state(land)
    assert state.wanted is not None
    before = heights_of_grid(land.data, (65, 65))
    preview_task(land, state, state.wanted).run()
    moved = heights_of_grid(land.data, (65, 65)) - before
    # 10 m a cell: the middle of the ridge went from row 42 to row 62.
    assert moved[62, 30:35].min() > 100.0
    assert shown_mark(land) == preview_mark(state.wanted_mark)


def test_a_first_road_is_seen_before_the_land_rests(land: bpy.types.Object) -> None:
    bpy.ops.landscape.update()
    draw("road", [(-250.0, -250.0, 0.0), (250.0, 200.0, 0.0)])
    notice_change(land)
    state = ensure_state(land)
    assert state.wanted is not None
    preview_task(land, state, state.wanted).run()
    mesh = land.landscape.roads.data
    reach = np.array([vertex.co for vertex in mesh.vertices])
    assert np.ptp(reach[:, 0]) > 450.0 and np.ptp(reach[:, 1]) > 400.0


def test_a_refused_feature_is_left_out_and_the_rest_is_built(land: bpy.types.Object) -> None:
    grid = read_recipe(land).grid
    plain = heights_of_grid(land.data, (grid.rows, grid.columns)).copy()
    draw("summit", [(0.0, 0.0, 900.0)])
    river = bpy.data.objects.new("Point", None)
    outside = bpy.data.objects.new("Outside", bpy.data.curves.new("Outside", "CURVE"))
    spline = outside.data.splines.new("POLY")
    spline.points.add(1)
    spline.points[0].co, spline.points[1].co = (9000.0, 0.0, 0.0, 1.0), (9100.0, 0.0, 0.0, 1.0)
    for drawn_object, kind in ((river, "river"), (outside, "ridge")):
        bpy.context.collection.objects.link(drawn_object)
        for one in bpy.context.selected_objects:
            one.select_set(False)
        drawn_object.select_set(True)
        bpy.context.view_layer.objects.active = land
        assert bpy.ops.landscape.use_as_feature(kind=kind) == {"FINISHED"}
    draw("road", [(-300.0, 0.0, 0.0), (300.0, 0.0, 0.0)])
    road = bpy.context.view_layer.objects.active
    road.landscape_feature.feature.road.steepest_grade = 0.5
    road.landscape_feature.feature.road.longest_bridge = road.landscape_feature.feature.road.longest_tunnel = 0.0
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert float(np.abs(heights_of_grid(land.data, plain.shape) - plain).max()) > 50.0
    sentences = problems_of(land)
    for name in ("the river 'Point' (number", "the ridge 'Outside' (number", f"the road '{road.name}'"):
        assert sum(one.startswith(f"left out: {name}") for one in sentences) == 1, sentences
    with pytest.raises(ValueError, match=r"has one point|no point or line on the land"):
        core.build(read_recipe(land))


def test_scripts_are_warned_of_what_is_refused(land: bpy.types.Object, capfd: pytest.CaptureFixture[str]) -> None:
    draw("river", EAST)
    capfd.readouterr()
    crossing = draw("river", [(0.0, -200.0, 0.0), (0.0, 250.0, 0.0)])
    refusal = f"left out of the land: the river {crossing.name!r} (number 2) crosses the river 'River' (number 1) at "
    assert f"Warning: Drew {crossing.name}; {refusal}" in capfd.readouterr().out
    bpy.data.objects.remove(crossing)
    point = bpy.data.objects.new("Spring", None)
    bpy.context.collection.objects.link(point)
    point.select_set(True)
    bpy.context.view_layer.objects.active = land
    refusal = "the river 'Spring' (number 2) has one point; it needs 2 or more"
    assert bpy.ops.landscape.use_as_feature(kind="river") == {"FINISHED"}
    assert f"Warning: Added Spring; left out of the land: {refusal}" in capfd.readouterr().out
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert f"Warning: Left out: {refusal}; Land " in capfd.readouterr().out
    bpy.ops.landscape.remove_feature(name="Spring")
    bpy.ops.landscape.update()
    assert "Warning" not in capfd.readouterr().out


def test_scripts_hear_the_warnings_of_what_is_drawn(land: bpy.types.Object, capfd: pytest.CaptureFixture[str]) -> None:
    for x in (0.0, 100.0):
        draw("lake", [(x, 0.0, 0.0), (x + 150.0, 0.0, 0.0), (x, 150.0, 0.0)])
    ridge = draw("ridge", [(-200.0, -200.0, 0.0), (900.0, -200.0, 0.0)])
    river = draw("river", [(0.0, 250.0, 0.0), (0.0, 250.0, 0.0)])
    capfd.readouterr()
    assert bpy.ops.landscape.update() == {"FINISHED"}
    (said,) = [line for line in capfd.readouterr().out.splitlines() if line.startswith(("Warning", "Info"))]
    assert said.startswith(f"Warning: Left out: the river {river.name!r}")
    assert f"the ridge {ridge.name!r} (number 3) leaves the land" in said and "(number 2) overlaps the lake" in said
    assert "; Land " in said
    for one in features.drawn_features(land):
        bpy.data.objects.remove(one)
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert "Warning" not in capfd.readouterr().out


def test_an_object_that_changes_its_land_or_kind_is_said(
    land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    shared = used(land, lines("Shared", EAST[::2]), "river")
    capfd.readouterr()
    used(land, shared, "valley")
    assert "Added Shared (no longer a river)\n" in capfd.readouterr().out
    other = land.copy()
    other.name = "Hills"
    bpy.context.collection.objects.link(other)
    used(other, shared, "valley")
    assert "Added Shared (no longer on Alpine)\n" in capfd.readouterr().out
    used(other, shared, "valley")
    assert "Added Shared\n" in capfd.readouterr().out


def test_a_drawn_line_that_is_taken_for_a_plant_is_drawn_once(land: bpy.types.Object) -> None:
    draw("river", EAST)
    land.landscape.recipe.ecosystem.species[0].collection = "Features"
    bpy.ops.landscape.update()
    assert any(one.name.startswith("Plant") for one in bpy.data.objects)
    assert [one.name for one in features.drawn_features(land)] == ["River"]


def test_a_first_road_is_shown_without_a_step_of_undo_of_its_own(land: bpy.types.Object) -> None:
    notice_all()
    while follow_all() is not None:
        time.sleep(0.005)
    draw("road", EAST)
    before = links()
    notice_all()
    while follow_all() is not None:
        time.sleep(0.005)
    assert len(land.landscape.roads.data.polygons) > 0
    # Users could redo nothing after an undo to the state before such a step.
    assert links() == before


def test_a_click_beside_the_land_says_so_until_the_next_one(land: bpy.types.Object) -> None:
    shown: list[str] = []
    context = SimpleNamespace(workspace=SimpleNamespace(status_text_set=shown.append))
    hits = iter((False, True))
    line = SimpleNamespace(is_over=lambda event: True, add=lambda event: next(hits))
    drawing, click = SimpleNamespace(_line=line, kind="river"), SimpleNamespace(type="LEFTMOUSE", value="PRESS")
    for _ in range(2):
        assert LANDSCAPE_OT_draw_feature.modal(drawing, context, click) == {"RUNNING_MODAL"}
    assert shown[0].startswith("This point is outside the land.") and "outside" not in shown[1]
    assert all("Enter or double click: done" in text for text in shown)


@pytest.mark.parametrize("mode, way", [("EDIT", "Press Tab to leave Edit Mode"), ("SCULPT", "Leave Sculpt Mode")])
def test_the_panel_says_why_nothing_can_be_drawn(land: bpy.types.Object, mode: str, way: str) -> None:
    def said() -> str:
        return " ".join(drawn(features_panel.VIEW3D_PT_landscape_features).texts)

    assert "then draw" not in said()
    if mode == "EDIT":
        draw("river", EAST)
    bpy.ops.object.mode_set(mode=mode)
    assert f"{way}, then draw" in said()
