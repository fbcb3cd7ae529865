"""What the operators do to a real scene; an operator that cannot do its work leaves the scene as it is."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import SEASON
from terrain_addon.blender.data.properties import read_recipe, write_recipe
from terrain_addon.blender.data.sentences import counted
from terrain_addon.blender.look.map_view import shown_on
from terrain_addon.blender.session.making import place_hint
from terrain_addon.core.foundation.sampling import vertex_positions
from terrain_addon.core.meshing.cell_diagonals import altitude_on_mesh, turned_cells
from tests.png_reader import read_png


def positions(mesh: bpy.types.Mesh) -> np.ndarray:
    values = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3)


def attribute(mesh: bpy.types.Mesh, name: str, dtype: type = np.float32) -> np.ndarray:
    values = np.empty(len(mesh.vertices), dtype)
    mesh.attributes[name].data.foreach_get("value", values)
    return values


def scene_content() -> dict[str, object]:
    """What an operator that fails must not change."""
    return {
        "objects": sorted((o.name, o.data.name if o.data else "") for o in bpy.data.objects),
        "meshes": sorted((m.name, len(m.vertices), positions(m).tobytes()) for m in bpy.data.meshes if m.vertices),
        "materials": sorted(m.name for m in bpy.data.materials),
        "groups": sorted(g.name for g in bpy.data.node_groups),
        "collections": sorted(c.name for c in bpy.data.collections),
        "images": sorted(i.name for i in bpy.data.images),
        "scenes": sorted(s.name for s in bpy.data.scenes),
    }


def test_generate_makes_what_core_makes(blender: None, recipe: core.Recipe) -> None:
    assert bpy.ops.landscape.generate(preset="rolling_hills", seed=3, resolution=65) == {"FINISHED"}
    land = bpy.context.active_object
    recipe = core.Recipe.preset("rolling_hills", seed=3, resolution=65)
    expected = core.build(recipe)
    assert land.landscape.is_landscape and land.select_get()
    assert read_recipe(land) == recipe
    mesh = land.data
    assert positions(mesh).tobytes() == vertex_positions(expected.terrain.surface, recipe.cell_size).tobytes()
    for name, values in {**expected.maps, "sediment": expected.terrain.sediment}.items():
        assert attribute(mesh, name).tobytes() == values.tobytes()


def test_land_is_a_smooth_grid_with_faces_up_and_a_uv_map(land: bpy.types.Object, recipe: core.Recipe) -> None:
    mesh = land.data
    assert len(mesh.vertices) == 65 * 65 and len(mesh.polygons) == 64 * 64
    assert mesh.validate() is False
    assert all(p.normal.z > 0 and p.use_smooth for p in mesh.polygons)
    # u runs east and v north: texture row 0, at v = 1, is north.
    uv = np.empty(2 * len(mesh.loops), np.float32)
    mesh.uv_layers["UVMap"].data.foreach_get("uv", uv)
    corner = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corner)
    place = positions(mesh)[corner, :2] / recipe.width + 0.5
    np.testing.assert_allclose(uv.reshape(-1, 2), place, atol=1e-5)


def test_plants_stand_on_the_ground_and_carry_what_is_known_of_them(
    land: bpy.types.Object, recipe: core.Recipe
) -> None:
    expected = core.build(recipe)
    plants, terrain = expected.plants, expected.terrain
    carrier = land.landscape.plants
    assert plants is not None and carrier.parent == land and len(carrier.data.vertices) == len(plants) > 0
    for name, values in {
        "height": plants.height,
        "rotation": plants.rotation,
        "age": plants.age,
        "radius": plants.radius,
    }.items():
        assert attribute(carrier.data, name).tobytes() == values.tobytes()
    assert [item.value for item in carrier.data.attributes["species"].data] == plants.species.tolist()
    turned = turned_cells(terrain.surface)
    ground = altitude_on_mesh(terrain.surface, terrain.cell_size, plants.x, plants.y, turned)
    np.testing.assert_array_equal(positions(carrier.data)[:, 2], ground)


def test_there_is_one_object_for_all_plants_and_it_shows_them_all(land: bpy.types.Object) -> None:
    objects = {o for o in bpy.context.scene.objects if o.type == "MESH"}
    assert objects == {land, land.landscape.plants, land.landscape.water}
    shown = sum(1 for i in bpy.context.evaluated_depsgraph_get().object_instances if i.is_instance)
    assert shown == len(land.landscape.plants.data.vertices)


def test_update_after_a_new_seed_moves_the_vertices_of_the_same_mesh(
    land: bpy.types.Object, recipe: core.Recipe
) -> None:
    mesh, material = land.data, land.data.materials[0]
    before = positions(mesh)
    land.landscape.recipe.seed = 4
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert land.data == mesh and list(mesh.materials) == [material]
    expected = core.build(recipe.replace(seed=4))
    assert positions(mesh).tobytes() == vertex_positions(expected.terrain.surface, recipe.cell_size).tobytes()
    assert not np.array_equal(before, positions(mesh))


def test_update_after_a_new_resolution_leaves_nothing_behind(land: bpy.types.Object) -> None:
    material = land.data.materials[0]
    meshes = len(bpy.data.meshes)
    land.landscape.recipe.resolution = 33
    bpy.ops.landscape.update()
    assert len(land.data.vertices) == 33 * 33 and list(land.data.materials) == [material]
    assert len(bpy.data.meshes) == meshes and len(bpy.data.scenes) == 1


def test_grid_of_the_same_number_of_vertices_but_another_shape_is_made_anew(land: bpy.types.Object) -> None:
    recipe = land.landscape.recipe
    recipe.width, recipe.depth, recipe.resolution = 320.0, 160.0, 33
    bpy.ops.landscape.update()
    recipe.width, recipe.depth, recipe.resolution = 160.0, 320.0, 17
    bpy.ops.landscape.update()
    assert len(land.data.vertices) == 17 * 33
    assert land.dimensions.x == pytest.approx(160.0) and land.dimensions.y == pytest.approx(320.0)


def test_randomise_seed_makes_another_land(land: bpy.types.Object) -> None:
    seen = {land.landscape.recipe.seed}
    for _ in range(3):
        assert bpy.ops.landscape.randomise_seed() == {"FINISHED"}
        seen.add(land.landscape.recipe.seed)
    assert len(seen) == 4


def test_clear_and_scatter(land: bpy.types.Object) -> None:
    count = len(land.landscape.plants.data.vertices)
    mesh = land.landscape.plants.data.name
    assert bpy.ops.landscape.clear_plants() == {"FINISHED"}
    assert land.landscape.plants is None and mesh not in bpy.data.meshes
    assert bpy.ops.landscape.scatter_plants() == {"FINISHED"}
    assert len(land.landscape.plants.data.vertices) == count


def test_update_of_cleared_land_does_not_plant_again(land: bpy.types.Object) -> None:
    bpy.ops.landscape.clear_plants()
    land.landscape.recipe.seed = 9
    bpy.ops.landscape.update()
    assert land.landscape.plants is None


def test_plants_deleted_by_hand_come_back(land: bpy.types.Object) -> None:
    bpy.data.objects.remove(land.landscape.plants)
    assert bpy.ops.landscape.scatter_plants() == {"FINISHED"}
    assert land.landscape.plants.parent == land


def test_what_users_delete_or_rename_is_made_anew(land: bpy.types.Object) -> None:
    for material in list(bpy.data.materials):
        bpy.data.materials.remove(material)
    for group in list(bpy.data.node_groups):
        group.name = "Mine"
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)
    land.name = "Überberg"
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert bpy.ops.landscape.scatter_plants() == {"FINISHED"}
    assert land.data.materials[0] is not None
    shown = sum(1 for i in bpy.context.evaluated_depsgraph_get().object_instances if i.is_instance)
    assert shown == len(land.landscape.plants.data.vertices)


def test_operators_work_from_the_plants_object_too(land: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = land.landscape.plants
    assert bpy.ops.landscape.update() == {"FINISHED"}


def test_undo_and_redo(blender: None) -> None:
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.landscape.generate(preset="alpine", seed=3, resolution=33)
    bpy.ops.ed.undo_push(message="generate")
    heights = positions(bpy.context.active_object.data).tobytes()
    bpy.ops.ed.undo()
    assert "Alpine" not in bpy.data.objects
    bpy.ops.ed.redo()
    land = bpy.data.objects["Alpine"]
    assert positions(land.data).tobytes() == heights
    assert read_recipe(land) == core.Recipe.preset("alpine", seed=3, resolution=33)


def test_the_file_remembers_the_recipe(land: bpy.types.Object, tmp_path: Path) -> None:
    land.landscape.recipe.relief.layers[0].source.fractal_noise.wavelength = 777.7
    land.landscape.recipe.ecosystem.species[1].slope_response[2] = 12.3
    recipe = read_recipe(land)
    path = str(tmp_path / "Täl.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    land = bpy.data.objects["Alpine"]
    assert read_recipe(land) == recipe
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.update() == {"FINISHED"}


@pytest.mark.parametrize("name", core.preset_names())
def test_recipe_survives_the_panel(blender: None, name: str) -> None:
    recipe = core.Recipe.preset(name, resolution=17)
    land = bpy.data.objects.new("Land", bpy.data.meshes.new("Land"))
    write_recipe(land, recipe)
    assert read_recipe(land) == recipe


@pytest.mark.parametrize("model", ["salted_perlin", "zoomed_perlin", "sliding_perlin", "random_angle_perlin"])
def test_a_layer_of_published_noise_is_chosen_in_the_panel(land: bpy.types.Object, model: str) -> None:
    before = positions(land.data).tobytes()
    land.landscape.recipe.relief.layers[0].source.model = model
    assert read_recipe(land).relief.layers[0].source.model() == model
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert positions(land.data).tobytes() != before


def test_corners_are_given_in_the_panel(land: bpy.types.Object) -> None:
    source = land.landscape.recipe.relief.layers[0].source
    source.model = "midpoint_displacement"
    source.midpoint_displacement.corners = "given"
    source.midpoint_displacement.south_west = 0.25
    read = read_recipe(land).relief.layers[0].source
    assert (read.corners, read.south_west, read.north_east) == ("given", 0.25, 0.5)


def test_properties_carry_the_ranges_and_words_of_core(land: bpy.types.Object) -> None:
    wavelength = land.landscape.recipe.relief.layers[0].source.fractal_noise.bl_rna.properties["wavelength"]
    assert (wavelength.hard_min, wavelength.soft_max) == (pytest.approx(0.01), 10000.0)
    assert wavelength.description == "Distance between the largest hills"
    assert wavelength.subtype == "DISTANCE"
    land.landscape.recipe.relief.layers[0].source.fractal_noise.octaves = 1000
    assert land.landscape.recipe.relief.layers[0].source.fractal_noise.octaves == 24


def test_bake_writes_exact_heights(land: bpy.types.Object, tmp_path: Path, recipe: core.Recipe) -> None:
    folder = tmp_path / "Texturen für später"
    assert bpy.ops.landscape.bake_textures(directory=str(folder)) == {"FINISHED"}
    surface = core.build(recipe, extent="terrain").terrain.surface
    levels = read_png(folder / "Alpine_height.png")
    scale = 65535 / (float(surface.max()) - float(surface.min()))
    np.testing.assert_array_equal(levels[::-1], np.rint((surface.astype(float) - surface.min()) * scale))
    image = bpy.data.images["Alpine_height.exr"]
    assert image.colorspace_settings.name == "Non-Color"
    pixels = np.empty(65 * 65 * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    # Blender's first pixel is the bottom left: south-west, as ours.
    np.testing.assert_array_equal(pixels.reshape(65, 65, -1)[..., 0], surface)


def test_bake_at_another_size_samples_the_same_land(land: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.landscape.bake_textures(directory=str(tmp_path), resolution=129)
    assert read_png(tmp_path / "Alpine_height.png").shape == (129, 129)
    assert len(land.data.vertices) == 65 * 65


def test_export_writes_a_glb(land: bpy.types.Object, tmp_path: Path) -> None:
    assert bpy.ops.landscape.export(filepath=str(tmp_path / "land")) == {"FINISHED"}
    data = (tmp_path / "land.glb").read_bytes()
    assert data[:4] == b"glTF" and b"EXT_mesh_gpu_instancing" in data
    bpy.ops.landscape.clear_plants()
    bpy.ops.landscape.export(filepath=str(tmp_path / "bare.glb"), step=4)
    bare = (tmp_path / "bare.glb").read_bytes()
    assert b"EXT_mesh_gpu_instancing" not in bare and len(bare) < len(data)


# --- what cannot be done ---------------------------------------------------------------------------------------------


def refuses(call: object, sentence: str) -> None:
    """The call reports one sentence, and nothing has changed."""
    before = scene_content()
    with pytest.raises(RuntimeError) as caught:
        call()  # type: ignore[operator]
    assert sentence in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert scene_content() == before


def test_missing_heightmap(land: bpy.types.Object, tmp_path: Path) -> None:
    relief = land.landscape.recipe.relief.layers[0].source
    relief.model = "elevation_model"
    relief.elevation_model.path = str(tmp_path / "nowhere.png")
    refuses(bpy.ops.landscape.update, "nowhere.png")


@pytest.mark.parametrize("content", [b"", b"not an image at all", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"])
def test_broken_heightmap(land: bpy.types.Object, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    relief = land.landscape.recipe.relief.layers[0].source
    relief.model = "elevation_model"
    relief.elevation_model.path = str(path)
    refuses(bpy.ops.landscape.update, "broken.png")


def test_heightmap_full_of_nan(land: bpy.types.Object, tmp_path: Path) -> None:
    path = tmp_path / "nothing.npy"
    np.save(path, np.full((9, 9), np.nan))
    relief = land.landscape.recipe.relief.layers[0].source
    relief.model = "elevation_model"
    relief.elevation_model.path = str(path)
    refuses(bpy.ops.landscape.update, "nothing.npy")


def test_heightmap_relative_to_the_blend_file(land: bpy.types.Object, tmp_path: Path) -> None:
    np.save(tmp_path / "höhe.npy", np.add.outer(np.arange(9.0), np.arange(9.0)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    relief = land.landscape.recipe.relief.layers[0].source
    relief.model = "elevation_model"
    relief.elevation_model.path = "//höhe.npy"
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert positions(land.data)[:, 2].max() == pytest.approx(16.0)


def test_values_that_do_not_fit_together(land: bpy.types.Object) -> None:
    land.landscape.recipe.depth = 900000.0
    refuses(bpy.ops.landscape.update, "Depth = 900000 m is")


def test_curve_out_of_order(land: bpy.types.Object) -> None:
    land.landscape.recipe.ecosystem.species[0].slope_response[0] = 60.0
    refuses(bpy.ops.landscape.update, "out of order: x must not decrease")


def test_nowhere_to_grow(land: bpy.types.Object) -> None:
    land.landscape.recipe.ecosystem.cover = 0.0
    refuses(bpy.ops.landscape.scatter_plants, "No place on this land suits any of its species")


def test_nothing_to_plant(land: bpy.types.Object) -> None:
    land.landscape.recipe.ecosystem.species.clear()
    refuses(
        bpy.ops.landscape.scatter_plants, "This land has no species to plant; add one below Species, or press Biome"
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: bpy.ops.landscape.next_view(view="vista"),
        lambda: bpy.ops.landscape.next_view(view="overview"),
        lambda: bpy.ops.landscape.add_scenery(),
        lambda: bpy.ops.landscape.use_as_feature(kind="road"),
        lambda: bpy.ops.landscape.draw_feature(kind="summit", path=[{"name": "", "location": (0.0, 0.0, 0.0)}]),
    ],
)
def test_land_scaled_to_nothing(land: bpy.types.Object, call: object) -> None:
    road = bpy.data.objects.new("Road", bpy.data.curves.new("Road", "CURVE"))
    road.data.splines.new("POLY").points.add(1)
    bpy.context.collection.objects.link(road)
    road.select_set(state=True)
    land.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    refuses(call, "Alpine is scaled to nothing: its scale is (0.0, 0.0, 0.0); set it to 1 first")
    assert road.parent is None


def test_clearing_twice(land: bpy.types.Object) -> None:
    bpy.ops.landscape.clear_plants()
    refuses(bpy.ops.landscape.clear_plants, "This land has no plants")


def test_folder_that_cannot_be_written(land: bpy.types.Object, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    refuses(lambda: bpy.ops.landscape.bake_textures(directory=str(tmp_path / "file")), "annot write")
    refuses(lambda: bpy.ops.landscape.export(filepath=str(tmp_path / "file" / "x.glb")), "annot write")


def test_path_relative_to_a_file_that_was_never_saved(land: bpy.types.Object) -> None:
    refuses(lambda: bpy.ops.landscape.bake_textures(directory="//textures"), "save the file first")


@pytest.mark.parametrize(
    "operator", ["update", "randomise_seed", "scatter_plants", "clear_plants", "bake_textures", "export"]
)
def test_without_a_landscape_operators_are_out_of_reach(blender: None, operator: str) -> None:
    assert not getattr(bpy.ops.landscape, operator).poll()
    bpy.ops.mesh.primitive_cube_add()
    assert not getattr(bpy.ops.landscape, operator).poll()


def test_edit_mode_is_refused(land: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.landscape.update.poll()
    with pytest.raises(RuntimeError, match="eave Edit Mode first"):
        bpy.ops.landscape.generate(preset="alpine", resolution=17)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.landscape.update() == {"FINISHED"}


def test_linked_collection_is_refused(blender: None, tmp_path: Path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.context.scene.collection.children.link(bpy.data.collections.new("Shared"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Shared"]
    layer = bpy.context.view_layer
    bpy.context.scene.collection.children.link(bpy.data.collections["Shared"])
    layer.active_layer_collection = layer.layer_collection.children[0]
    refuses(lambda: bpy.ops.landscape.generate(preset="alpine", resolution=17), "collection Shared is linked")


def test_linked_landscape_is_out_of_reach(land: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Alpine"]
    linked = bpy.data.objects["Alpine"]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    assert not bpy.ops.landscape.update.poll()


def test_mass_balances_of_erosion_are_stored_on_the_land(land: bpy.types.Object, recipe: core.Recipe) -> None:
    from terrain_addon.blender.land.land_objects import mass_balances_of
    from terrain_addon.core.erosion.stream_power import StreamPower

    changed = recipe.replace(erosion=(recipe.erosion[0].replace(enabled=False), StreamPower()))
    write_recipe(land, changed)
    assert bpy.ops.landscape.update() == {"FINISHED"}
    (balance,) = core.build(changed, extent="terrain").balances.values()
    # The first process is off: the second one keeps its number.
    assert list(mass_balances_of(land)) == ["2"]
    left, rose, unaccounted = mass_balances_of(land)["2"]
    assert left == balance.left > 0.0 and rose == balance.uplifted
    ground = balance.before + balance.uplifted
    assert unaccounted == pytest.approx(abs(balance.error) / ground) and unaccounted < 1e-4


def test_one_thing_is_not_counted_as_several() -> None:
    assert (counted(1, "plant"), counted(2345, "plant")) == ("1 plant", "2,345 plants")


def test_what_a_grid_cannot_show_is_said_with_the_way_out(
    fresh_land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    layer = fresh_land.landscape.recipe.relief.layers[0]
    layer.source.fractal_noise.octaves = 20
    bpy.ops.landscape.update()
    said = capfd.readouterr().out
    assert f"; layer {layer.name} shows " in said and " of its 20 octaves; raise Resolution to see all" in said


def test_an_update_says_how_large_how_long_and_how_real(
    fresh_land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    land = fresh_land
    bpy.ops.landscape.update()
    said = capfd.readouterr().out
    assert "Land updated: 65 × 65 vertices, " in said and "realism" not in said
    bpy.ops.landscape.check_realism(land_class="plains")
    land.landscape.recipe.seed += 1
    bpy.ops.landscape.update()
    said = capfd.readouterr().out
    assert "Land eroded: 65 × 65 vertices, " in said and "/8" in said


def test_plants_know_the_season_of_their_land(fresh_land: bpy.types.Object) -> None:
    look = fresh_land.landscape.recipe.appearance
    for months, told in ((9.5, 9.5), (0.0, 12.0)):
        look.season = months
        bpy.ops.landscape.update()
        assert fresh_land.landscape.plants[SEASON] == told


def test_the_menu_of_presets_shows_what_was_made(blender: None) -> None:
    bpy.ops.landscape.generate(preset="volcano", resolution=17)
    assert bpy.context.window_manager.landscape_preset == "volcano"


def test_a_land_that_comes_to_lie_on_another_one_is_reported(
    land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    land.name, said = "My Valley", 'It lies where "My Valley" lies. Move or hide one of them'
    bpy.ops.mesh.primitive_plane_add(size=640.0)
    assert bpy.ops.landscape.generate_from_mesh(resolution=17) == {"FINISHED"}
    assert said in capfd.readouterr().out
    new = bpy.context.object
    for away, is_there in ((0.5, True), (0.99, False), (-2.0, False)):
        land.location.x = away * 640.0
        assert place_hint(new) == (f". {said}" if is_there else "")
    land.location.x = 0.0
    land.hide_set(True)
    assert place_hint(new) == ""


def test_the_menu_of_presets_shows_what_the_land_of_an_opened_file_was_made_from(blender: None, tmp_path: Path) -> None:
    bpy.ops.landscape.generate(preset="volcano", resolution=17, stage=False)
    path = str(tmp_path / "land.blend")
    for preset in ("volcano", "islands"):
        if preset == "islands":
            bpy.ops.landscape.apply_preset(name=preset)
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.context.window_manager.landscape_preset = "alpine"
        bpy.ops.wm.open_mainfile(filepath=path)
        assert bpy.context.window_manager.landscape_preset == preset


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("remove_far_land", {}, "This land has no far land"),
        ("remove_fine_detail", {}, "This land has no fine detail"),
        ("forget_paint", {"purpose": "PLANTS"}, "Nothing is painted for plants"),
        ("copy_recipe_as_python", {}, "There is no clipboard in background mode; save the recipe instead"),
    ],
)
def test_where_there_is_nothing_to_do_that_is_said(
    land: bpy.types.Object, name: str, settings: dict[str, str], sentence: str
) -> None:
    with pytest.raises(RuntimeError, match=sentence):
        getattr(bpy.ops.landscape, name)(**settings)


def test_a_land_without_plants_is_told_when_crags_are_culled(
    land: bpy.types.Object, capfd: pytest.CaptureFixture[str]
) -> None:
    bpy.ops.landscape.clear_plants()
    bpy.context.scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    capfd.readouterr()
    assert bpy.ops.landscape.cull_plants() == {"FINISHED"}
    assert "This land has no plants; crags that the camera does not see are hidden" in capfd.readouterr().out


def test_a_map_is_shown_without_arguments(land: bpy.types.Object) -> None:
    assert bpy.ops.landscape.show_map() == {"FINISHED"}
    assert shown_on(land)[0] == "slope"
