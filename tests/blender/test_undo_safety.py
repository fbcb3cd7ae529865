"""Undo and redo at any moment: Blender lives on, and each land has its own ground, water and plants."""

import os
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import read_positions
from terrain_addon.blender.data.meshes import new_grid_mesh, new_land_mesh, set_grid, set_surface
from terrain_addon.blender.land import attachments
from terrain_addon.blender.land.drawings import draw
from terrain_addon.blender.session.following import follow_all, notice_all, notice_change
from terrain_addon.blender.session.land_states import states, status_of
from terrain_addon.core.foundation.terrain import Grid, Terrain
from terrain_addon.core.meshing.cell_diagonals import cell_triangles, turned_cells

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


def settle() -> None:
    """Do what handlers and timers do until nothing is left to do."""
    notice_all()
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    bpy.context.view_layer.update()


def push(message: str) -> None:
    bpy.ops.ed.undo_push(message=message)


def duplicate(land: bpy.types.Object) -> bpy.types.Object:
    choose(land)
    bpy.ops.object.duplicate()
    return bpy.context.active_object


def choose(land: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land


def in_scene() -> list[str]:
    return sorted(o.name for o in bpy.context.scene.objects)


# --- Blender lives on -------------------------------------------------------------------------------------------------


def run_session(seed: int, count: int) -> None:
    """Run a session in a Blender of its own, which may crash; freed memory is overwritten, so that it does."""
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("sessions.py")), str(seed), str(count)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MALLOC_PERTURB_": "165"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, f"exit status {ran.returncode}\n{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    assert ran.stdout.rstrip().endswith("END")


def test_undo_of_what_has_crashed_blender() -> None:
    run_session(1, 0)


def test_random_steps() -> None:
    """Other steps on each side of Blender 5.0; tests/soak takes two hundred of ten seeds."""
    run_session(2 if bpy.app.version < (5, 0) else 9, 25)


# --- what belongs to a land goes and comes with it --------------------------------------------------------------------


def test_plants_and_water_leave_the_scene_in_the_same_update_as_their_land(land: bpy.types.Object) -> None:
    settle()
    choose(land)
    bpy.ops.object.delete()
    bpy.context.view_layer.update()  # what Blender does before it draws
    assert in_scene() == []


def test_a_deleted_copy_leaves_no_ghost_behind(land: bpy.types.Object, tmp_path: Path) -> None:
    settle()
    push("begin")
    before = in_scene()
    copy = duplicate(land)
    push("Duplicate")
    settle()
    choose(copy)
    bpy.ops.object.delete()
    push("Delete")
    settle()
    choose(bpy.data.objects["Alpine"])
    bpy.ops.object.delete()
    push("Delete")
    settle()
    assert in_scene() == []
    bpy.ops.ed.undo()
    settle()
    assert in_scene() == before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    settle()
    assert in_scene() == before
    assert [o.name for o in bpy.data.objects if o.landscape.is_landscape] == ["Alpine"]


def test_a_file_keeps_nothing_of_a_deleted_land(land: bpy.types.Object, tmp_path: Path) -> None:
    settle()
    choose(land)
    bpy.ops.object.delete()
    settle()
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    assert [o.name for o in bpy.data.objects if o.name.startswith("Alpine")] == []


def test_water_that_was_deleted_stays_away_until_the_land_is_updated(land: bpy.types.Object) -> None:
    settle()
    water = land.landscape.water
    choose(water)
    bpy.ops.object.delete()
    choose(land)
    land.landscape.recipe.seed = 5
    settle()
    assert "Alpine Water" not in in_scene()
    bpy.ops.landscape.update()
    assert "Alpine Water" in in_scene()


def test_undo_of_a_duplicate_takes_the_copy_and_its_parts_away(land: bpy.types.Object) -> None:
    settle()
    push("begin")
    before = in_scene()
    duplicate(land)
    push("Duplicate")
    settle()
    after = in_scene()
    assert len(after) == 2 * len(before)
    bpy.ops.ed.undo()
    settle()
    assert in_scene() == before
    bpy.ops.ed.redo()
    settle()
    assert in_scene() == after
    assert all(attachments.shares_attachments(o) is False for o in bpy.data.objects if o.landscape.is_landscape)


# --- what a land says it shows is what it shows -----------------------------------------------------------------------


def test_plants_of_another_land_do_not_stay_after_an_undo(land: bpy.types.Object, recipe: core.Recipe) -> None:
    settle()
    push("begin")
    push("again")  # from now on Blender keeps what no step has changed
    evolution = land.landscape.recipe.ecosystem.evolution
    noise = land.landscape.recipe.relief.layers[0].source.fractal_noise
    noise.height, evolution.years = noise.height + 100.0, 60.0
    notice_all()
    while "quick" not in str(land.data.get("landscape_shown")):  # the mouse is still down, and only a preview is there
        follow_all()
    push("Height")
    settle()
    # Blender brings the ground back from before the preview, and keeps the plants, which both steps agree about.
    bpy.ops.ed.undo()
    land = bpy.data.objects["Alpine"]
    settle()
    plants = core.build(recipe).plants
    assert plants is not None and status_of(land) == ""
    assert len(land.landscape.plants.data.vertices) == len(plants)


def test_water_of_a_preview_does_not_stay_after_an_undo(land: bpy.types.Object, recipe: core.Recipe) -> None:
    settle()
    water = recipe.water.replace(sea=True, sea_level=1e4)
    land.landscape.recipe.water.sea, land.landscape.recipe.water.sea_level = water.sea, water.sea_level
    settle()
    push("before")
    push("begin")
    land["mine"] = land.data["mine"] = 1.0
    push("Custom Property")
    land.landscape.recipe.water.sea_level = 1.1e4  # as a script changes it, with no step of undo
    notice_all()
    while "quick" not in str(land.data.get("landscape_shown")):
        follow_all()
    # Blender brings the land and its ground back, and keeps the water, which both steps agree about.
    bpy.ops.ed.undo()
    land = bpy.data.objects["Alpine"]
    settle()
    assert "mine" not in land and status_of(land) == ""
    drawn = draw(core.build(recipe.replace(water=water))).water
    assert drawn is not None
    np.testing.assert_array_equal(read_positions(land.landscape.water.data), drawn.positions)


def test_a_new_land_may_appear_while_the_timer_goes_through_all_lands(land: bpy.types.Object) -> None:
    settle()
    choose(land)
    bpy.ops.object.duplicate(linked=True)
    twin = bpy.context.active_object
    assert twin.session_uid not in states
    land.landscape.recipe.seed = 5
    notice_change(land)
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert twin.session_uid in states and status_of(twin) == ""


def test_a_slider_in_a_list_stays_the_same_slider_when_the_land_is_shown(land: bpy.types.Object) -> None:
    settle()
    layer = land.landscape.recipe.relief.layers[0]
    before = layer.as_pointer()
    layer.source.fractal_noise.height += 50.0
    settle()
    assert status_of(land) == ""
    # Blender would write the next movement of the mouse into memory that is no longer there.
    assert land.landscape.recipe.relief.layers[0].as_pointer() == before


# --- meshes -----------------------------------------------------------------------------------------------------------

KINDS = {
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "INT": ("value", 1, np.int32),
    "INT32_2D": ("value", 2, np.int32),
}


def content(mesh: bpy.types.Mesh) -> dict[str, np.ndarray]:
    found = {}
    for attribute in mesh.attributes:
        member, width, dtype = KINDS[attribute.data_type]
        values = np.empty(width * len(attribute.data), dtype)
        attribute.data.foreach_get(member, values)
        found[attribute.name] = values
    return found


@pytest.mark.parametrize("shape", [(2, 3), (9, 7), (33, 65)])
def test_a_mesh_becomes_a_grid_in_place_as_if_it_were_new(blender: None, shape: tuple[int, int]) -> None:
    grid = Grid(*shape, cell_size=10.0)
    expected = content(new_grid_mesh("new", grid))
    mesh = new_grid_mesh("changed", Grid(5, 4, cell_size=1.0))
    mesh.materials.append(bpy.data.materials.new("kept"))
    set_grid(mesh, grid)
    assert not mesh.validate() and mesh.materials[0].name == "kept"
    found = content(mesh)
    assert found.keys() == expected.keys()
    for name in expected.keys() - {"position"}:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-6)


def test_blender_draws_the_wanted_diagonals_also_of_cells_that_fold_sharply(blender: None) -> None:
    rough = 20.0 * np.random.default_rng(3).random((9, 12), np.float32)
    mesh = new_land_mesh("land", Terrain(rough, np.zeros_like(rough), 2.0))
    mesh.calc_loop_triangles()
    drawn = np.array([one.vertices[:] for one in mesh.loop_triangles])
    wanted = cell_triangles(turned_cells(rough))
    assert {frozenset(one) for one in drawn.tolist()} == {frozenset(one) for one in wanted.tolist()}


def test_what_corners_carry_turns_with_the_cells(blender: None) -> None:
    """Also the user's own UV map, and also what Blender remembers of the corners of each vertex."""
    shape = (9, 12)
    flat = np.zeros(shape, np.float32)
    mesh = new_land_mesh("land", Terrain(flat, flat, 2.0))
    own = mesh.uv_layers.new(name="Own")
    land = bpy.data.objects.new("land", mesh)
    bpy.context.scene.collection.objects.link(land)
    land.modifiers.new("corners", "NODES").node_group = first_corners()

    def corners() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found = content(mesh)
        bpy.context.view_layer.update()
        known = land.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes["vertex"].data
        np.testing.assert_array_equal([one.value for one in known], np.arange(len(mesh.vertices)))
        return found[".corner_vert"].reshape(-1, 4), found["Own"].reshape(-1, 4, 2), found["UVMap"].reshape(-1, 4, 2)

    before, _, _ = corners()
    own.data.foreach_set("uv", np.repeat(before.ravel(), 2).astype(np.float32))
    for seed in (1, 2):
        rough = np.random.default_rng(seed).random(shape, np.float32)
        set_surface(mesh, Terrain(rough, flat, 2.0))
        after, carried, places = corners()
        turned = (after[:, 0] != before[:, 0]).reshape(8, 11)
        np.testing.assert_array_equal(turned, turned_cells(rough))
        assert 0.2 < turned.mean() < 0.8 and not mesh.validate()
        np.testing.assert_array_equal(carried, np.repeat(after[..., None], 2, axis=-1))
        grid = np.stack((after % 12 / 11.0, after // 12 / 8.0), axis=-1)
        np.testing.assert_allclose(places, grid, atol=1e-6)


def first_corners() -> bpy.types.GeometryNodeTree:
    """A node tree that stores at each vertex the vertex of its first corner: the vertex itself."""
    tree = bpy.data.node_groups.new("corners", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeCornersOfVertex", "GeometryNodeVertexOfCorner", "NodeGroupOutput")
    given, first, vertex, result = (tree.nodes.new(kind) for kind in kinds)
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = "INT", "POINT"
    store.inputs["Name"].default_value = "vertex"
    tree.links.new(first.outputs["Corner Index"], vertex.inputs[0])
    tree.links.new(given.outputs[0], store.inputs["Geometry"])
    tree.links.new(vertex.outputs[0], store.inputs["Value"])
    tree.links.new(store.outputs[0], result.inputs[0])
    return tree
