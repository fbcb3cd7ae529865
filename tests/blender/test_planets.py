"""Planets in a real scene: what is seen is what core has made, once, without a seam."""

from pathlib import Path

import addon_utils
import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.attributes import read_attribute, read_positions
from terrain_addon.blender.data.planet_data import FINEST_MESH, draw_planet, planet_ball
from terrain_addon.blender.data.properties import read_planet_recipe
from terrain_addon.blender.land.planet_objects import planets
from terrain_addon.blender.land.sculpting import PLANET_SURFACE
from terrain_addon.blender.look.planet_materials import COLOUR_NODE, RELIEF_NODE
from terrain_addon.blender.ui import planet_panel
from terrain_addon.core.planet.cube_sphere import CUBE_FACES
from terrain_addon.core.planet.planet_mesh import planet_mesh, planet_residual
from tests.blender.recording_layout import drawn

RECIPE = {"preset": "temperate", "seed": 3, "resolution": 33}


@pytest.fixture
def planet(blender: None) -> bpy.types.Object:
    assert bpy.ops.landscape.new_planet(**RECIPE, size=10.0) == {"FINISHED"}
    return bpy.context.active_object


def expected() -> core.Planet:
    return core.build_planet(core.PlanetRecipe.preset("temperate", seed=3, resolution=33))


def part(planet: bpy.types.Object, kind: str) -> bpy.types.Object | None:
    return next((child for child in planet.children if child.name.endswith(kind)), None)


def everything() -> dict[str, list[str]]:
    kinds = ("objects", "meshes", "materials", "images", "worlds", "lights", "cameras")
    return {kind: sorted(item.name for item in getattr(bpy.data, kind)) for kind in kinds}


def test_new_planet_makes_what_core_makes(planet: bpy.types.Object) -> None:
    made = expected()
    assert planet.name == "Temperate Planet" and planet.select_get() and planets() == [planet]
    assert read_planet_recipe(planet) == made.recipe
    ground = planet_mesh(33, 33)
    heights = made.surface.ravel()[ground.samples]
    scale = 10.0 / made.recipe.radius * made.recipe.look.exaggeration
    distance = np.linalg.norm(read_positions(planet.data).astype(np.float64), axis=1)
    assert np.allclose(distance, 10.0 + scale * heights, atol=2e-6)
    for name, values in made.maps.items():
        assert read_attribute(planet.data, name).tobytes() == values.ravel()[ground.samples].tobytes()
    assert read_attribute(planet.data, "biome").tolist() == made.biomes.ravel()[ground.samples].tolist()


def test_the_ball_that_stands_for_a_planet_while_materials_compile_has_its_colours_outside() -> None:
    made, samples = expected(), planet_mesh(33, 33).samples
    ball, (ice, depth) = planet_ball(made), (made.maps[name].ravel()[samples] for name in ("ice", "sea_depth"))
    land, sea = (depth == 0.0) & (ice == 0.0), (depth > 0.0) & (ice == 0.0)
    a, b, c = (ball.directions[ball.triangles[:, corner]] for corner in range(3))
    # Only the front of a ball is drawn: all its triangles face outwards.
    assert ((np.cross(b - a, c - a) * a).sum(axis=1) > 0.0).all() and len(ball.triangles) == 12 * 32**2
    red, green, blue = ball.colours.T
    assert (blue > red)[sea].mean() > 0.99 and (np.maximum(red, green) > blue)[land].mean() > 0.8


def test_ground_is_one_closed_smooth_surface(planet: bpy.types.Object) -> None:
    mesh = planet.data
    assert len(mesh.vertices) == 6 * 32**2 + 2 and len(mesh.polygons) == 6 * 32**2
    # Euler's formula for a sphere: no edge is open, so no face of the cube has a border.
    assert len(mesh.vertices) - len(mesh.edges) + len(mesh.polygons) == 2
    assert mesh.validate() is False
    assert all(polygon.use_smooth for polygon in mesh.polygons)
    assert all(polygon.normal.dot(polygon.center) > 0.0 for polygon in mesh.polygons)


def test_parts_follow_the_recipe(planet: bpy.types.Object) -> None:
    sea = part(planet, "Sea")
    assert sea is not None and part(planet, "Clouds") is not None and part(planet, "Air") is not None
    radii = np.linalg.norm(read_positions(sea.data), axis=1)
    assert np.allclose(radii, 10.0, atol=1e-5)
    assert bpy.ops.landscape.new_planet(preset="moon", resolution=17) == {"FINISHED"}
    assert len(bpy.context.active_object.children) == 0


def test_mesh_and_residual_are_the_heightmap_and_count_nothing_twice() -> None:
    surface = core.build_planet(core.PlanetRecipe.preset("desert", seed=3, resolution=65)).surface
    rest = planet_residual(surface, 17)
    assert not rest[:, ::4, ::4].any() and rest.any()
    mesh = surface[:, ::4, ::4].astype(np.float64)
    # Along a row of vertices the mesh is straight from vertex to vertex.
    for step in range(1, 4):
        between = mesh[:, :, :-1] + (mesh[:, :, 1:] - mesh[:, :, :-1]) * step / 4.0
        assert np.allclose(between + rest[:, ::4, step::4], surface[:, ::4, step::4], atol=0.01)


def test_pictures_hold_what_the_mesh_does_not(planet: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrain_addon.blender.data.planet_data.FINEST_MESH", 17)
    made = expected()
    drawing = draw_planet(made, 10.0)
    assert FINEST_MESH > 17 and len(drawing.places) == 6 * 16**2 + 2
    low, high = drawing.residuals
    side = 35
    scale = 10.0 / made.recipe.radius * made.recipe.look.exaggeration
    rest = planet_residual(made.surface, 17) * scale
    for face in range(6):
        row, column = divmod(face, 3)
        picture = drawing.relief[row * side + 1 : (row + 1) * side - 1, column * side + 1 : (column + 1) * side - 1, 0]
        assert np.allclose(low + picture / 65535.0 * (high - low), rest[face], atol=(high - low) / 65535.0)
    # The corners of the mesh lie in the middle of the pixels of their samples.
    places = drawing.ground.uv * (3 * side, 2 * side) - 0.5
    assert np.abs(places - np.rint(places)).max() < 1e-3
    column, row = np.rint(places).astype(int).reshape(-1, 2).T
    depth = made.maps["sea_depth"].ravel()[drawing.ground.samples][drawing.ground.corners]
    seen = drawing.relief[row, column, 2] / 65535.0 * made.maps["sea_depth"].max()
    assert np.allclose(seen, depth, atol=0.2)


def test_materials_show_the_pictures(planet: bpy.types.Object) -> None:
    nodes = planet.data.materials[0].node_tree.nodes
    # Colours of the sea lie above those of the ground.
    for name, height in ((COLOUR_NODE, 140), (RELIEF_NODE, 70)):
        assert nodes[name].image.packed_file is not None and tuple(nodes[name].image.size) == (105, height)


def test_air_and_clouds_do_not_hide_the_ground_in_a_solid_viewport(planet: bpy.types.Object) -> None:
    opacity = {child.name.split()[-1]: child.data.materials[0].diffuse_color[3] for child in planet.children}
    assert opacity["Air"] < 0.1 and opacity["Clouds"] < 0.1 and opacity["Sea"] == 1.0
    assert not part(planet, "Air").visible_shadow and part(planet, "Clouds").visible_shadow


def test_a_scene_gets_what_it_lacks_and_keeps_what_it_has(blender: None) -> None:
    own = bpy.data.objects.new("Mine", bpy.data.cameras.new("Mine"))
    bpy.context.scene.collection.objects.link(own)
    bpy.context.scene.camera = own
    own.location = (7.0, 8.0, 9.0)
    assert bpy.ops.landscape.new_planet(**RECIPE) == {"FINISHED"}
    scene = bpy.context.scene
    assert scene.camera == own and tuple(own.location) == (7.0, 8.0, 9.0)
    assert sum(o.type == "LIGHT" for o in scene.objects) == 1 and scene.world is not None
    assert bpy.ops.landscape.new_planet(**RECIPE) == {"FINISHED"}
    assert sum(o.type == "LIGHT" for o in scene.objects) == 1


def test_the_whole_planet_is_in_the_picture_and_from_orbit_its_horizon(
    planet: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrain_addon.core.planet.near_mesh._FROM_ABOVE", 0.04)
    before, scene = read_positions(planet.data), bpy.context.scene
    bpy.context.view_layer.update()
    camera = scene.camera
    towards = -(camera.matrix_world.to_3x3().col[2])
    assert towards.angle(-camera.location) < 1e-3
    far = camera.location.length
    assert bpy.ops.landscape.view_planet(view="orbit") == {"FINISHED"}
    assert 10.0 < camera.location.length < 0.5 * far
    assert camera.data.clip_end > far
    # Ground that fills the picture is finer than the samples of the planet, also after its settings changed.
    assert len(planet.data.vertices) > 2 * len(before) and part(planet, "Trees") is None
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    assert len(planet.data.vertices) > 2 * len(before)
    assert bpy.ops.landscape.view_planet(view="space") == {"FINISHED"}
    assert read_positions(planet.data).tobytes() == before.tobytes()
    assert camera.location.length == pytest.approx(far, rel=1e-3)


@pytest.mark.once
def test_somebody_on_the_ground_stands_on_finer_land_and_leaves_it_as_it_was(
    planet: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terrain_addon.core.planet.near_mesh._IN_VIEW", 0.05)
    before, quads = read_positions(planet.data), len(planet.data.polygons)
    assert bpy.ops.landscape.view_planet(view="ground") == {"FINISHED"}
    mesh, camera = planet.data, bpy.context.scene.camera
    assert len(mesh.polygons) > 2 * quads and mesh.validate() is False
    assert len(mesh.vertices) - len(mesh.edges) + len(mesh.polygons) == 2
    places = read_positions(mesh)
    eye = np.array(camera.matrix_world.translation)
    below = places[np.argmax(places @ eye / np.linalg.norm(places, axis=1))]
    assert 0.0 < np.linalg.norm(eye) - np.linalg.norm(below) < 0.05
    assert read_attribute(mesh, "sea_depth")[np.argmin(np.linalg.norm(places - eye, axis=1))] == 0.0
    # The 3D cursor says where.
    bpy.context.scene.cursor.location = (0.0, 7.0, 7.5)
    assert bpy.ops.landscape.view_planet(view="ground") == {"FINISHED"}
    eye = np.array(camera.matrix_world.translation)
    assert camera.matrix_world.translation.angle(bpy.context.scene.cursor.location) < 1e-4
    # The horizon is in the picture: the line of sight is level, or a bit below.
    down = np.degrees(np.arcsin(np.array(camera.matrix_world.to_3x3().col[2]) @ eye / np.linalg.norm(eye)))
    assert 0.0 < down < 10.0
    assert bpy.ops.landscape.view_planet(view="space") == {"FINISHED"}
    assert read_positions(planet.data).tobytes() == before.tobytes()


def test_update_shows_changed_settings_and_leaves_nothing_behind(planet: bpy.types.Object) -> None:
    before = read_positions(planet.data)
    things = everything()
    planet.landscape_planet.recipe.hills.height = 200.0
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    assert read_positions(planet.data).tobytes() != before.tobytes()
    assert everything() == things
    planet.landscape_planet.recipe.has_sea = False
    planet.landscape_planet.recipe.look.clouds = 0.0
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    assert part(planet, "Sea") is None and part(planet, "Clouds") is None and part(planet, "Air") is not None


def test_another_look_does_not_build_the_planet_again(
    planet: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_positions(planet.data)
    for name in ("made_ground", "erode_planet", "find_waters", "planet_slope"):
        monkeypatch.setattr(f"terrain_addon.core.planet.planet_stages.{name}", None)
    planet.landscape_planet.recipe.look.exaggeration *= 2.0
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    rise = np.linalg.norm(before, axis=1) - 10.0
    assert np.allclose(np.linalg.norm(read_positions(planet.data), axis=1) - 10.0, 2.0 * rise, atol=1e-5)


def test_pictures_are_stored_again_only_if_they_changed(
    planet: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[object] = []
    monkeypatch.setattr("terrain_addon.blender.data.planet_data.read_packed", stored.append)
    planet.landscape_planet.recipe.look.exaggeration *= 0.5
    assert bpy.ops.landscape.update_planet() == {"FINISHED"} and not stored
    before = bytes(planet.landscape_planet.colours.packed_file.data)
    planet.landscape_planet.recipe.look.colours = "rust"
    assert bpy.ops.landscape.update_planet() == {"FINISHED"} and len(stored) == 2
    assert bytes(planet.landscape_planet.colours.packed_file.data) != before


def test_a_random_seed_makes_another_planet(planet: bpy.types.Object) -> None:
    before = read_positions(planet.data)
    assert bpy.ops.landscape.randomise_planet() == {"FINISHED"}
    assert read_planet_recipe(planet).seed != 3
    assert read_positions(planet.data).tobytes() != before.tobytes()


def test_a_random_seed_that_cannot_be_built_is_not_kept(planet: bpy.types.Object) -> None:
    planet.landscape_planet.recipe.sea_level = 40000.0
    with pytest.raises(RuntimeError, match="above the whole planet"):
        bpy.ops.landscape.randomise_planet()
    assert planet.landscape_planet.recipe.seed == 3


def test_faults_have_the_words_and_numbers_of_the_panel(planet: bpy.types.Object) -> None:
    planet.landscape_planet.recipe.sea_level = 20000.0
    with pytest.raises(RuntimeError, match=r"Sea Level = 20000 m is above the whole planet"):
        bpy.ops.landscape.update_planet()
    planet.landscape_planet.recipe.resolution = 34
    with pytest.raises(RuntimeError, match=r"Resolution = 34 is not"):
        bpy.ops.landscape.update_planet()


def test_the_panel_of_a_planet_is_open_and_has_its_radius_in_km(planet: bpy.types.Object) -> None:
    shown, new = planet_panel.VIEW3D_PT_landscape_planet, planet_panel.VIEW3D_PT_landscape_new_planet
    assert shown.poll(bpy.context) and not new.poll(bpy.context)
    # Blender opens a panel without this option when it is first seen, also if no panel made the planet.
    assert "DEFAULT_CLOSED" not in getattr(shown, "bl_options", set())
    settings = planet.landscape_planet
    assert settings.radius_km == pytest.approx(6371.0)
    settings.radius_km = 1737.0
    assert read_planet_recipe(planet).radius == pytest.approx(1737000.0)
    names = [given.get("property") for name, given in drawn(shown).calls if name == "prop"]
    assert names.count("radius_km") == 1 and "radius" not in names
    bpy.context.view_layer.objects.active = None
    assert new.poll(bpy.context) and not shown.poll(bpy.context)


def test_what_cannot_be_built_changes_nothing(planet: bpy.types.Object) -> None:
    before, things = read_positions(planet.data), everything()
    for change, words in (({"sea_level": 40000.0}, "above the whole planet"), ({"resolution": 34}, "nearest is 33")):
        for name, value in change.items():
            setattr(planet.landscape_planet.recipe, name, value)
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.landscape.update_planet()
    with pytest.raises(RuntimeError, match="nearest is 33"):
        bpy.ops.landscape.new_planet(resolution=34)
    assert read_positions(planet.data).tobytes() == before.tobytes() and everything() == things


def test_a_planet_comes_back_from_a_file(planet: bpy.types.Object, tmp_path: Path) -> None:
    recipe, before = read_planet_recipe(planet), read_positions(planet.data)
    path = str(tmp_path / "planet.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    (again,) = planets()
    assert read_planet_recipe(again) == recipe
    assert read_positions(again.data).tobytes() == before.tobytes()
    assert again.data.materials[0].node_tree.nodes[COLOUR_NODE].image.packed_file is not None


def test_one_undo_takes_a_planet_away(blender: None) -> None:
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="Before")
    before = everything()["objects"]
    assert bpy.ops.landscape.new_planet("EXEC_DEFAULT", True, **RECIPE) == {"FINISHED"}
    assert len(planets()) == 1
    bpy.ops.ed.undo()
    assert everything()["objects"] == before and planets() == []


def test_landscape_here_makes_the_square_of_the_planet(planet: bpy.types.Object) -> None:
    place = {"latitude": 12.5, "longitude": -60.0, "size": 3000.0, "resolution": 33}
    assert bpy.ops.landscape.landscape_here(**place) == {"FINISHED"}
    land = bpy.context.active_object
    assert land.name == "12.5° N 60.0° W" and land.landscape.is_landscape and not land.landscape_planet.is_planet
    made = core.landscape_of_planet(expected(), core.Square(core.Place(12.5, -60.0), 3000.0, 33))
    stored = read_attribute(land.data, PLANET_SURFACE)
    assert stored.tobytes() == made.heights.heights.tobytes()
    built = core.build(made.recipe, inputs=made.inputs, extent="terrain").terrain.surface
    assert np.abs(read_positions(land.data)[:, 2] - built.ravel()).max() < 1e-3
    for one in (planet, *planet.children):
        assert one.hide_render and not one.visible_get()
    planet.hide_set(False)
    assert planet.visible_get()
    assert bpy.context.scene.world.name == "Landscape World" and bpy.context.scene.camera is not None
    # Its panel knows the recipe, and updating it keeps the heights of the planet, also with more vertices.
    before = read_positions(land.data)[:, 2].mean()
    land.landscape.recipe.resolution = 65
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert read_positions(land.data)[:, 2].mean() == pytest.approx(before, abs=5.0) and len(land.data.vertices) == 65**2


@pytest.mark.once
def test_squares_side_by_side_lie_side_by_side_and_have_names_of_their_own(planet: bpy.types.Object) -> None:
    lands = []
    for east, north in ((0, 0), (1, 0), (1, -2)):
        bpy.context.view_layer.objects.active = planet
        square = {"latitude": 12.5, "longitude": 300.0, "size": 3000.0, "resolution": 17, "east": east, "north": north}
        assert bpy.ops.landscape.landscape_here(**square) == {"FINISHED"}
        lands.append(bpy.context.active_object)
    assert [one.name for one in lands] == [
        "12.5° N 60.0° W",
        "12.5° N 60.0° W 1 east",
        "12.5° N 60.0° W 2 south 1 east",
    ]
    assert [tuple(one.location) for one in lands] == [(0.0, 0.0, 0.0), (3000.0, 0.0, 0.0), (3000.0, -6000.0, 0.0)]
    camera = bpy.context.scene.camera.location - lands[2].location
    assert max(abs(camera.x), abs(camera.y)) < 3000.0
    shared = bpy.ops.landscape.landscape_here.get_rna_type().properties["east"].description
    assert "Neighbours fit together at the border" in shared


def test_landscape_here_says_what_is_wrong_and_leaves_the_scene(planet: bpy.types.Object) -> None:
    things = everything()
    with pytest.raises(RuntimeError, match=r"The square 1000 east and 0 north is 6000000 m"):
        bpy.ops.landscape.landscape_here(resolution=33, east=1000)
    planet.landscape_planet.recipe.radius = 1e5
    with pytest.raises(RuntimeError, match=r"Size = 60000 m is outside 10 to 50000 m on this planet"):
        bpy.ops.landscape.landscape_here(resolution=33, size=6e4)
    assert everything() == things and not planet.hide_render


def test_a_planet_takes_the_heights_of_a_file(planet: bpy.types.Object, tmp_path: Path) -> None:
    path, before = str(tmp_path / "world.npy"), read_positions(planet.data)
    # East is high and west is low; row 0 is north.
    np.save(path, np.repeat([[-2000.0] * 32 + [3000.0] * 32], 32, axis=0).astype(np.float32))
    assert bpy.ops.landscape.import_planet(filepath=path) == {"FINISHED"}
    recipe = read_planet_recipe(planet)
    assert recipe.elevation.path == path and recipe.resolution == 33
    height, places = read_attribute(planet.data, "height"), read_positions(planet.data)
    aside = np.abs(places[:, 1]) > 1.0
    assert (height[aside & (places[:, 1] > 0.0)] > 2500.0).all() and (
        height[aside & (places[:, 1] < 0.0)] < -1500.0
    ).all()
    np.save(path, np.zeros((32, 32), np.float32))
    with pytest.raises(RuntimeError, match="twice as wide as high, but this one has 32 × 32 samples"):
        bpy.ops.landscape.update_planet()
    assert read_positions(planet.data).tobytes() == places.tobytes() != before.tobytes()
    planet.landscape_planet.recipe.elevation.path = ""
    assert bpy.ops.landscape.update_planet() == {"FINISHED"}
    assert read_positions(planet.data).tobytes() == before.tobytes()


def test_a_planet_is_exported_as_core_makes_it(planet: bpy.types.Object, tmp_path: Path) -> None:
    assert bpy.ops.landscape.export_planet(directory=str(tmp_path), width=32, radius=10.0) == {"FINISHED"}
    written = core.PlanetRecipe.loads((tmp_path / "planet.json").read_text(encoding="utf-8"))
    assert written == read_planet_recipe(planet) and (tmp_path / "rivers.geojson").exists()
    flat = tmp_path / "true"
    assert bpy.ops.landscape.export_planet(directory=str(flat), width=32, exaggeration=1.0) == {"FINISHED"}
    assert core.PlanetRecipe.loads((flat / "planet.json").read_text(encoding="utf-8")).look.exaggeration == 1.0
    assert read_planet_recipe(planet) == written
    with pytest.raises(RuntimeError, match="even number of pixels"):
        bpy.ops.landscape.export_planet(directory=str(tmp_path), width=31)
    # Blender itself opens the file: six faces in the scene, coarser levels out of sight.  Blender 4.2 shows them, too.
    shown = planet.landscape_planet.size + 0.4
    known = set(bpy.data.objects)
    addon_utils.enable("io_scene_gltf2")
    assert bpy.ops.import_scene.gltf(filepath=str(tmp_path / "planet.glb")) == {"FINISHED"}
    faces = [one for one in bpy.data.objects if one not in known and one.type == "MESH" and one.visible_get()]
    if bpy.app.version >= (4, 5):
        assert len(faces) == len(CUBE_FACES)
    for face in (bpy.data.objects[name] for name in CUBE_FACES):
        assert face in faces
        far = [vertex.co.length for vertex in face.data.vertices]
        assert max(far) < shown and len(far) == 33**2 + 4 * 33 and face.data.materials[0].node_tree is not None
