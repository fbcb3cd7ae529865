"""What users do to data in Blender: undo, copy, link, override, rename, delete and purge lands."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender import compat
from terrain_addon.blender.data.properties import read_recipe, write_recipe
from terrain_addon.blender.land.lookup import why_not_editable
from terrain_addon.blender.look.ground_material import ground_group, ground_node, land_material_of
from terrain_addon.blender.session import migration
from terrain_addon.blender.session.following import follow_all, notice_change
from terrain_addon.blender.session.land_states import problems_of, status_of

PATIENCE = 60.0


def settle() -> None:
    """Call the timer until nothing is left to do, as Blender does in a window."""
    for land in bpy.data.objects:
        if land.landscape.is_landscape:
            notice_change(land)
    deadline = time.monotonic() + PATIENCE
    while follow_all() is not None:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def numbers(mesh: bpy.types.Mesh) -> bytes:
    """Positions of all vertices and values of all maps."""
    content = []
    for attribute in sorted(mesh.attributes, key=lambda a: a.name):
        if attribute.domain == "POINT" and attribute.data_type in ("FLOAT", "FLOAT_VECTOR"):
            name, width = ("vector", 3) if attribute.data_type == "FLOAT_VECTOR" else ("value", 1)
            values = np.empty(width * len(attribute.data), np.float32)
            attribute.data.foreach_get(name, values)
            content.append(attribute.name.encode() + values.tobytes())
    return b"".join(content)


def wiring(material: bpy.types.Material) -> list[str]:
    """Nodes of a material, their links and values."""
    tree = material.node_tree
    said = [f"{e.from_node.name}.{e.from_socket.name} > {e.to_node.name}.{e.to_socket.name}" for e in tree.links]
    for node in tree.nodes:
        for socket in node.inputs:
            value = getattr(socket, "default_value", None)
            said.append(f"{node.name}.{socket.identifier} {list(value) if hasattr(value, '__len__') else value}")
    return sorted(said)


def state(name: str = "Alpine") -> dict[str, object]:
    """All that operators may change of a land, its water and its plants."""
    land = bpy.data.objects[name]
    parts = {"land": land, "water": land.landscape.water, "plants": land.landscape.plants}
    return {
        "recipe": read_recipe(land),
        "meshes": {key: numbers(part.data) for key, part in parts.items() if part is not None},
        "modifiers": {key: [m.type for m in part.modifiers] for key, part in parts.items() if part is not None},
        "material": [wiring(material) for material in land.data.materials if material is not None],
        "children": sorted(child.name for child in land.children),
        "images": sorted(image.name for image in bpy.data.images if image.users),
        "colours": sorted(land.data.color_attributes.keys()),
        "groups": sorted(group.name for group in land.vertex_groups),
    }


def other_heights(land: bpy.types.Object) -> None:
    """A stroke of the sculpting brush."""
    points = np.empty(3 * len(land.data.vertices), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", points)
    points[2::3] += np.float32(5.0) * np.sin(0.01 * points[0::3])
    land.data.attributes["position"].data.foreach_set("vector", points)
    land.data.update()


# --- undo -------------------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Path], object]] = {
    # each operator that changes data, and how it is called
    "update": lambda folder: bpy.ops.landscape.update(),
    "randomise_seed": lambda folder: bpy.ops.landscape.randomise_seed(),
    "scatter_plants": lambda folder: bpy.ops.landscape.scatter_plants(),
    "clear_plants": lambda folder: bpy.ops.landscape.clear_plants(),
    "remove_plants": lambda folder: bpy.ops.landscape.remove_plants(radius=200.0),
    "add_plants": lambda folder: bpy.ops.landscape.add_plants(radius=100.0),
    "apply_preset": lambda folder: bpy.ops.landscape.apply_preset(name="rolling_hills"),
    "reset_recipe": lambda folder: bpy.ops.landscape.reset_recipe(),
    "load_recipe": lambda folder: _load_recipe(folder),
    "list_add": lambda folder: bpy.ops.landscape.list_add(series="relief.layers"),
    "list_remove": lambda folder: bpy.ops.landscape.list_remove(series="relief.layers"),
    "list_duplicate": lambda folder: bpy.ops.landscape.list_duplicate(series="erosion"),
    "list_move": lambda folder: bpy.ops.landscape.list_move(series="ecosystem.species", step=1),
    "show_map": lambda folder: bpy.ops.landscape.show_map(map="slope"),
    "keep_sculpt": lambda folder: bpy.ops.landscape.keep_sculpt(),
    "bake_textures": lambda folder: bpy.ops.landscape.bake_textures(
        directory=str(folder), maps={"normal", "colour"}, wire=True, pack=True
    ),
    "add_fine_detail": lambda folder: bpy.ops.landscape.add_fine_detail(levels=1, displace=True),
    "remove_fine_detail": lambda folder: bpy.ops.landscape.remove_fine_detail(),
    "add_reduced_mesh": lambda folder: bpy.ops.landscape.add_reduced_mesh(tolerance=5.0),
}


def _load_recipe(folder: Path) -> object:
    path = folder / "other.json"
    path.write_text(core.Recipe(seed=9, resolution=33).dumps(), encoding="utf-8")
    return bpy.ops.landscape.load_recipe(filepath=str(path))


@pytest.mark.parametrize("operator", OPERATORS)
def test_undo_and_redo(land: bpy.types.Object, tmp_path: Path, operator: str) -> None:
    if operator == "keep_sculpt":
        other_heights(land)
    elif operator == "remove_fine_detail":
        bpy.ops.landscape.add_fine_detail(levels=1, displace=True)
    elif operator == "update":
        land.landscape.recipe.seed = 5
    bpy.ops.ed.undo_push(message="before")
    before = state()
    assert OPERATORS[operator](tmp_path) == {"FINISHED"}
    # In a window Blender pushes this step itself for operators with the option.
    assert "UNDO" in getattr(bpy.types, f"LANDSCAPE_OT_{operator}").bl_options
    bpy.ops.ed.undo_push(message=operator)
    after = state()
    assert (after == before) == (operator == "scatter_plants")  # they were there already
    bpy.ops.ed.undo()
    assert state() == before
    bpy.ops.ed.redo()
    assert state() == after


# --- copies -----------------------------------------------------------------------------------------------------------


def active(thing: bpy.types.Object) -> bpy.types.Object:
    bpy.ops.object.select_all(action="DESELECT")
    thing.select_set(True)
    bpy.context.view_layer.objects.active = thing
    return thing


def test_a_duplicate_goes_its_own_way(land: bpy.types.Object) -> None:
    settle()
    before = state()
    active(land)
    bpy.ops.object.duplicate()
    copy = bpy.context.active_object
    settle()
    assert copy.data != land.data and read_recipe(copy) == read_recipe(land)
    # Materials are shared with the original, as Blender's preferences have it, until the user makes them single.
    assert copy.data.materials[0] == land.data.materials[0]
    bpy.ops.landscape.apply_preset(name="rolling_hills")
    copy.landscape.recipe.resolution = 33
    settle()
    assert len(copy.data.vertices) < len(land.data.vertices)
    assert {k: v for k, v in state().items() if k != "material"} == {k: v for k, v in before.items() if k != "material"}


def test_a_linked_duplicate_shares_mesh_and_recipe(land: bpy.types.Object) -> None:
    settle()
    active(land)
    bpy.ops.object.duplicate(linked=True)
    twin = bpy.context.active_object
    settle()
    twin.landscape.recipe.seed = 11
    settle()
    assert twin.data == land.data and read_recipe(twin) == read_recipe(land)
    assert twin.landscape.plants != land.landscape.plants


def in_view() -> object:
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


@pytest.mark.parametrize("with_parts", [False, True])
def test_copy_and_paste_into_another_file(land: bpy.types.Object, with_parts: bool) -> None:
    settle()
    before = state()
    active(land)
    for child in land.children if with_parts else ():
        child.select_set(True)
    with in_view():
        bpy.ops.view3d.copybuffer()
        bpy.ops.wm.read_factory_settings(use_empty=True)
    with in_view():
        bpy.ops.view3d.pastebuffer()
    settle()
    assert state() == before
    land = bpy.data.objects["Alpine"]
    for part in (land, land.landscape.water, land.landscape.plants):
        assert part.name in bpy.context.scene.objects and part.library is None
    active(land).landscape.recipe.seed = 11
    settle()
    assert status_of(land) == "" and state() != before


@pytest.fixture
def library(land: bpy.types.Object, tmp_path: Path) -> str:
    """A file with the landscape; what is open is empty."""
    settle()
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def test_append(library: str) -> None:
    bpy.ops.wm.append(directory=f"{library}/Object/", filename="Alpine")
    land = active(bpy.data.objects["Alpine"])
    settle()
    assert land.landscape.plants.name in bpy.context.scene.objects
    assert why_not_editable(land) == "" and bpy.ops.landscape.update() == {"FINISHED"}


def test_a_land_appended_beside_another_keeps_a_material_that_follows_its_sliders(library: str) -> None:
    ground_group()
    bpy.ops.wm.append(directory=f"{library}/Object/", filename="Alpine")
    land = active(bpy.data.objects["Alpine"])
    settle()
    ground = ground_node(land_material_of(land))
    assert ground is not None
    ground.inputs["Snow Line"].default_value = 1.0
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert ground.inputs["Snow Line"].default_value > 1.0


def test_plants_are_made_real_beside_an_appended_copy_of_their_land(library: str) -> None:
    """Both bring models with the same names and places in their collections."""
    for _ in range(2):
        with bpy.data.libraries.load(library) as (_there, wanted):
            wanted.objects = ["Alpine"]
        bpy.context.scene.collection.objects.link(wanted.objects[0])
        settle()
    for land in [one for one in bpy.data.objects if one.landscape.is_landscape]:
        active(land)
        assert bpy.ops.landscape.make_plants_real(radius=40.0) == {"FINISHED"}


def link(library: str) -> bpy.types.Object:
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Alpine"]
    land = bpy.data.objects["Alpine"]
    bpy.context.scene.collection.objects.link(land)
    bpy.context.view_layer.objects.active = land
    return land


def test_a_linked_land_is_shown_and_never_written_to(library: str) -> None:
    land = link(library)
    before, content = state(), Path(library).read_bytes()
    settle()
    assert why_not_editable(land) == "Alpine is linked from another file"
    assert status_of(land) == "" and problems_of(land) == ()
    for operator in OPERATORS:
        assert not getattr(bpy.ops.landscape, operator).poll()
    settle()
    assert state() == before and Path(library).read_bytes() == content
    assert not [o for o in bpy.data.objects if o.library is None]


def test_a_linked_land_that_was_saved_before_it_followed_is_out_of_date(land: bpy.types.Object, tmp_path: Path) -> None:
    """Nobody works on it here, so it is not being refined."""
    settle()
    land.landscape.recipe.seed += 1
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    linked = link(path)
    settle()
    assert status_of(linked) == "Out of date"


def test_an_overridden_land_is_left_as_it_is(library: str) -> None:
    linked = link(library)
    override = linked.override_create(remap_local_usages=True)
    active(override)
    before = set(bpy.data.objects)
    settle()
    assert override.is_editable and override.override_library is not None
    assert "linked from another file" in why_not_editable(override) and not bpy.ops.landscape.update.poll()
    # Neither parts of its own, nor anything written to it.
    assert set(bpy.data.objects) == before
    assert override.landscape.plants.library is not None
    # It can be moved, as anything that is overridden.
    override.location.x = 100.0
    assert linked.location.x == 0.0


def test_a_hierarchy_of_overrides_is_left_as_it_is(library: str) -> None:
    linked = link(library)
    override = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    active(override)
    before = set(bpy.data.objects)
    settle()
    assert set(bpy.data.objects) == before and why_not_editable(override) != ""


def test_an_override_made_local_is_a_land_like_any_other(library: str) -> None:
    override = link(library).override_create(remap_local_usages=True)
    active(override)
    bpy.ops.object.make_local(type="ALL")
    land = bpy.context.active_object
    settle()
    assert why_not_editable(land) == "" and bpy.ops.landscape.update() == {"FINISHED"}


# --- names, deletion, scenes ------------------------------------------------------------------------------------------


def test_everything_can_be_renamed(land: bpy.types.Object) -> None:
    settle()
    parts = land.landscape.water, land.landscape.plants
    for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.collections, bpy.data.node_groups):
        for number, thing in enumerate(list(kind)):
            thing.name = f"Überall {number}"
    count = len(bpy.data.objects)
    active(land).landscape.recipe.ecosystem.cover = 0.3
    settle()
    assert status_of(land) == "" and (land.landscape.water, land.landscape.plants) == parts
    assert len(bpy.data.objects) == count


@pytest.mark.parametrize("part", ["water", "plants"])
def test_a_part_that_was_deleted_comes_back_only_when_asked_for(land: bpy.types.Object, part: str) -> None:
    settle()
    active(getattr(land.landscape, part))
    bpy.ops.object.delete()
    assert getattr(land.landscape, part) is None or not getattr(land.landscape, part).users_collection
    settle()
    active(land)
    assert bpy.ops.landscape.update() == {"FINISHED"}
    settle()
    shown = getattr(land.landscape, part)
    assert shown is not None and shown.name in bpy.context.scene.objects


def test_the_collection_of_plants_can_be_deleted(land: bpy.types.Object) -> None:
    settle()
    for collection in [c for c in bpy.data.collections if c.name.startswith("Landscape Plants")]:
        bpy.data.collections.remove(collection)
    settle()
    assert bpy.ops.landscape.update() == {"FINISHED"}
    instances = [i for i in bpy.context.evaluated_depsgraph_get().object_instances if i.is_instance]
    assert instances


def test_a_second_scene_shows_the_same_land(land: bpy.types.Object) -> None:
    settle()
    second = bpy.data.scenes.new("Second")
    for thing in (land, *land.children):
        second.collection.objects.link(thing)
    count = len(bpy.data.objects)
    active(land).landscape.recipe.ecosystem.cover = 0.3
    settle()
    assert len(bpy.data.objects) == count
    for part in (land, land.landscape.water, land.landscape.plants):
        assert part.name in second.objects and part.name in bpy.context.scene.objects
    bpy.data.scenes.remove(second)
    settle()
    assert bpy.ops.landscape.update() == {"FINISHED"}


def test_a_full_copy_of_the_scene_has_a_land_of_its_own(land: bpy.types.Object) -> None:
    settle()
    before = state()
    bpy.ops.scene.new(type="FULL_COPY")
    copy = active(next(o for o in bpy.context.scene.objects if o.landscape.is_landscape))
    settle()
    assert copy != land and copy.data != land.data
    assert copy.landscape.plants not in (None, land.landscape.plants)
    copy.landscape.recipe.seed = 11
    settle()
    assert state() == before


OURS = ("Landscape", "Plant", "Alpine")


def what_is_left() -> list[str]:
    kinds = ("objects", "meshes", "materials", "node_groups", "collections", "images", "textures")
    return [f"{kind} {thing.name}" for kind in kinds for thing in getattr(bpy.data, kind)]


def test_after_deletion_and_purge_nothing_of_ours_is_left(land: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.landscape.add_fine_detail(levels=1, displace=True)
    bpy.ops.landscape.add_reduced_mesh(tolerance=5.0)
    bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"height"})
    settle()
    assert [name for name in what_is_left() if any(ours in name for ours in OURS)]
    for child in land.children:
        if "Reduced" in child.name:
            bpy.data.objects.remove(child)
    active(land)
    bpy.ops.object.delete()
    settle()
    # The scene itself shows the sky in its world; there is none here.
    bpy.ops.outliner.orphans_purge(do_local_ids=True, do_linked_ids=True, do_recursive=True)
    assert what_is_left() == []


# --- other versions ---------------------------------------------------------------------------------------------------

OLD = {"schema": 1, "seed": 21, "width": 640.0, "depth": 640.0, "resolution": 65, "relief": {"model": "fractal_noise"}}


def save_and_open(folder: Path) -> bpy.types.Object:
    path = str(folder / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    return bpy.data.objects["Alpine"]


@pytest.fixture
def as_if_by_another_version() -> Iterator[None]:
    """Files are saved without the recipe as JSON, unless the test put it there."""
    bpy.app.handlers.save_pre.remove(migration.store_recipes)
    yield
    bpy.app.handlers.save_pre.append(migration.store_recipes)


def test_a_saved_land_carries_its_recipe(land: bpy.types.Object, recipe: core.Recipe, tmp_path: Path) -> None:
    opened = save_and_open(tmp_path)
    assert core.Recipe.loads(opened.landscape.saved_recipe) == read_recipe(opened) == recipe


def test_a_recipe_of_an_older_schema_is_read(
    land: bpy.types.Object, as_if_by_another_version: None, tmp_path: Path
) -> None:
    settle()
    land.landscape.saved_recipe = json.dumps(OLD)
    opened = save_and_open(tmp_path)
    assert read_recipe(opened) == core.Recipe.loads(json.dumps(OLD)) and read_recipe(opened).seed == 21
    assert status_of(opened) != ""
    settle()
    fine = core.build(read_recipe(opened), extent="terrain").terrain.surface
    assert status_of(opened) == "" and opened.data.vertices[7].co.z == fine.ravel()[7]


@pytest.mark.parametrize("saved", ["", '{"schema": 99}', "{"])
def test_without_a_recipe_that_can_be_read_the_properties_count(
    land: bpy.types.Object, as_if_by_another_version: None, recipe: core.Recipe, tmp_path: Path, saved: str
) -> None:
    land.landscape.saved_recipe = saved
    assert read_recipe(save_and_open(tmp_path)) == recipe


HOSTILE = {
    "no text at all": b"\xff\xfe{",
    "a list as model": b'{"schema": 3, "erosion": [{"model": []}]}',
    "a long number": b'{"schema": 3, "width": ' + b"9" * 400 + b"}",
    "deep": b'{"schema": 3, "relief": ' + b"[" * 50_000,
}


@pytest.mark.parametrize("saved", HOSTILE)
def test_a_hostile_recipe_of_one_land_does_not_stop_the_others(
    land: bpy.types.Object, as_if_by_another_version: None, recipe: core.Recipe, tmp_path: Path, saved: str
) -> None:
    settle()
    other = land.copy()
    bpy.context.scene.collection.objects.link(other)
    other.name = "Other"  # The hostile one is read first.
    other.landscape.saved_recipe = json.dumps(OLD)
    stored = land.bl_system_properties_get() if hasattr(land, "bl_system_properties_get") else land
    if "saved_recipe" in stored["landscape"]:
        del stored["landscape"]["saved_recipe"]
    stored["landscape"]["saved_recipe"] = HOSTILE[saved]
    hostile = save_and_open(tmp_path)
    assert read_recipe(bpy.data.objects["Other"]) == core.Recipe.loads(json.dumps(OLD))
    assert read_recipe(hostile) == recipe


def test_settings_that_a_file_does_not_know_have_their_defaults(
    fresh_land: bpy.types.Object, as_if_by_another_version: None, tmp_path: Path
) -> None:
    land = fresh_land
    land.landscape.recipe.appearance.season = 1.0
    land.landscape.recipe.property_unset("appearance")
    stored = land.bl_system_properties_get() if hasattr(land, "bl_system_properties_get") else land
    del stored["landscape"]["recipe"]["ecosystem"]
    stored["landscape"]["recipe"]["of_the_future"] = 3.0
    opened = read_recipe(save_and_open(tmp_path))
    assert opened.appearance == core.Recipe().appearance
    assert opened.ecosystem.replace(species=()) == core.Recipe().ecosystem.replace(species=())


def test_values_that_are_no_recipe_are_saved_all_the_same(land: bpy.types.Object, tmp_path: Path) -> None:
    land.landscape.recipe.depth = 900000.0
    opened = save_and_open(tmp_path)
    assert opened.landscape.saved_recipe == "" and opened.landscape.recipe.depth == 900000.0


# --- files of older versions ------------------------------------------------------------------------------------------

SCHEMA_2 = (
    '{"schema": 2, "resolution": 33, "erosion": [{"model": "stream_power", "straying": 0.5}], '
    '"ecosystem": {"cover": 0.0}}'
)


@pytest.fixture
def old_file(land: bpy.types.Object, tmp_path: Path) -> Path:
    """A file as schema 2 left it: a recipe in old names, and a keyframe on a parameter that has another name now."""
    write_recipe(land, core.Recipe.loads(SCHEMA_2))
    parameter = land.landscape.recipe.erosion[0].stream_power
    parameter.keyframe_insert("flow_perturbation", frame=1)
    for curve in compat.keyframe_curves(land.animation_data):
        curve.data_path = curve.data_path.replace("flow_perturbation", "straying")
    parameter.flow_perturbation = 0.0
    land.landscape.saved_recipe = SCHEMA_2
    path = tmp_path / "old.blend"
    bpy.app.handlers.save_pre.remove(migration.store_recipes)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    bpy.app.handlers.save_pre.append(migration.store_recipes)
    return path


@pytest.mark.parametrize("way", ["open", "append", "link"])
def test_lands_of_an_older_version_keep_their_recipe(old_file: Path, way: str) -> None:
    if way == "open":
        bpy.ops.wm.open_mainfile(filepath=str(old_file))
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(str(old_file), link=way == "link") as (there, wanted):
            wanted.objects = [name for name in there.objects if name.startswith("Alpine")][:1]
        bpy.context.scene.collection.objects.link(wanted.objects[0])
        bpy.context.view_layer.update()
    old = next(o for o in bpy.data.objects if o.landscape.is_landscape)
    assert read_recipe(old) == core.Recipe.loads(SCHEMA_2)
    if way != "link":
        assert old.landscape.recipe.erosion[0].stream_power.flow_perturbation == 0.5
        (curve,) = compat.keyframe_curves(old.animation_data)
        assert curve.data_path.endswith("stream_power.flow_perturbation")
        old.landscape.recipe.erosion[0].stream_power.flow_perturbation = 0.25
        assert read_recipe(old).erosion[0].flow_perturbation == 0.25


def test_parts_follow_the_name_of_their_land_but_names_of_the_user_stay(land: bpy.types.Object) -> None:
    settle()
    water, plants = land.landscape.water, land.landscape.plants
    water.name = "Mein See"
    land.name = "Rolling Hills"
    active(land).landscape.recipe.seed += 1
    settle()
    assert (plants.name, plants.data.name, water.name) == ("Rolling Hills Plants", "Rolling Hills Plants", "Mein See")
    land.name = "Alpine"
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert (plants.name, plants.data.name, water.name) == ("Alpine Plants", "Alpine Plants", "Mein See")


def test_parts_of_a_renamed_duplicate_get_its_name(land: bpy.types.Object) -> None:
    settle()
    active(land)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    settle()
    twin.name = "Valley"
    twin.landscape.recipe.seed += 1
    twin.update_tag()
    notice_change(twin)
    settle()
    assert twin.landscape.plants.name == "Valley Plants" and land.landscape.plants.name == "Alpine Plants"
