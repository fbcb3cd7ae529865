"""Textures from a landscape, and what a material makes of them."""

import json
import math
from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.blender.data.meshes import new_land_mesh
from terrain_addon.blender.land.textures import at_resolution
from terrain_addon.blender.look import displacement, ground_material
from terrain_addon.blender.look.nodes import Nodes
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.meshing.detail import detail_heights, detail_slopes
from terrain_addon.core.meshing.residual import mesh_heights
from tests.png_reader import read_png


def surface_of(land: bpy.types.Object) -> np.ndarray:
    points = np.empty((len(land.data.vertices), 3), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", points.ravel())
    return points[:, 2].reshape(65, 65)


def pixels_of(image: bpy.types.Image) -> np.ndarray:
    pixels = np.empty(image.size[0] * image.size[1] * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(image.size[1], image.size[0], image.channels)


def detail_nodes(land: bpy.types.Object) -> list[str]:
    return sorted(n.bl_idname for n in land.data.materials[0].node_tree.nodes if n.name.startswith("Fine Detail"))


# --- the mesh between its vertices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("steepness", [0.5, 3.0])
def test_surface_between_vertices_is_blender_s(steepness: float) -> None:
    heights = (np.random.default_rng(5).random((9, 12)) * steepness).astype(np.float32)
    terrain = Terrain(heights, np.zeros_like(heights), 1.0)
    ours = mesh_heights(heights, 1.0, (8 * 7 + 1, 11 * 7 + 1), 1.0 / 7.0)
    mesh = new_land_mesh("Test", terrain)
    land = bpy.data.objects.new("Test", mesh)
    mesh.calc_loop_triangles()
    corners = np.array([t.vertices for t in mesh.loop_triangles])
    theirs = np.full(ours.shape, np.nan)
    points = np.array([v.co for v in mesh.vertices])
    y, x = np.mgrid[0 : ours.shape[0], 0 : ours.shape[1]] / 7.0
    x, y = x - 5.5, y - 4.0
    for a, b, c in points[corners]:
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        beta = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area
        gamma = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area
        inside = (beta > -1e-6) & (gamma > -1e-6) & (beta + gamma < 1.0 + 1e-6)
        theirs[inside] = (a[2] + beta * (b[2] - a[2]) + gamma * (c[2] - a[2]))[inside]
    np.testing.assert_allclose(ours, theirs, atol=1e-5 * steepness)
    # Bilinear patches are another surface, so the comparison can fail.
    assert np.abs(mesh_heights(heights, 1.0, ours.shape, 1.0 / 7.0, "bilinear") - theirs).max() > 0.05 * steepness
    bpy.data.objects.remove(land)
    bpy.data.meshes.remove(mesh)


# --- baking -----------------------------------------------------------------------------------------------------------


def test_all_maps_are_written_and_loaded(land: bpy.types.Object, tmp_path: Path) -> None:
    from terrain_addon.files.baking import BAKED_MAPS

    # Blender has room for 32 in one choice.
    more = {"snow_depth"}
    chosen = {"maps": set(BAKED_MAPS) - more, "more_maps": more}
    result = bpy.ops.landscape.bake_textures(directory=str(tmp_path), exact=False, resolution=129, **chosen)
    assert result == {"FINISHED"}
    note = json.loads((tmp_path / "Alpine_textures.json").read_text(encoding="utf-8"))
    assert note["columns"] == 129
    for entry in note["textures"].values():
        assert read_png(tmp_path / entry["file"]).shape[:2] == (129, 129)
        assert tuple(bpy.data.images[entry["file"]].size) == (129, 129)
    colours = {i.name: i.colorspace_settings.name for i in bpy.data.images if i.name.startswith("Alpine")}
    assert {name for name, space in colours.items() if space == "sRGB"} == {"Alpine_colour.png"}
    assert bpy.data.images["Alpine_residual.png"] is not None


def test_names_with_letters_of_any_language_stay_apart(land: bpy.types.Object, tmp_path: Path) -> None:
    for name in ("Länd", "Lönd", "高山"):
        land.name = name
        bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"height"}, exact=False)
    notes = {f"{name}_textures.json" for name in ("Länd", "Lönd", "高山")}
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}_height.png" for name in ("Länd", "Lönd", "高山")
    } | notes


def test_residual_is_measured_from_the_mesh_as_it_is(land: bpy.types.Object, tmp_path: Path) -> None:
    land.landscape.recipe.appearance.detail = 0.0
    lifted = surface_of(land) + np.float32(7.0)
    points = np.empty((65 * 65, 3), np.float32)
    land.data.attributes["position"].data.foreach_get("vector", points.ravel())
    points[:, 2] = lifted.ravel()
    land.data.attributes["position"].data.foreach_set("vector", points.ravel())
    bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"residual"})
    pixels = pixels_of(bpy.data.images["Alpine_residual.exr"])[..., 0]
    np.testing.assert_allclose(pixels, -7.0, atol=1e-3)


def test_packed_images_need_no_files(land: bpy.types.Object, tmp_path: Path) -> None:
    for _ in range(2):
        bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"height", "normal"}, pack=True, wire=True)
    assert sorted(i.name for i in bpy.data.images if i.packed_file) == ["Alpine_height.exr", "Alpine_normal.png"]
    for file in tmp_path.iterdir():
        file.unlink()
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    expected = surface_of(land)
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_array_equal(pixels_of(bpy.data.images["Alpine_height.exr"])[..., 0], expected)
    assert detail_nodes(bpy.data.objects["Alpine"]).count("ShaderNodeTexImage") == 1


def test_a_mesh_that_is_not_the_grid_is_refused_where_it_matters(land: bpy.types.Object, tmp_path: Path) -> None:
    land.landscape.recipe.resolution = 33
    with pytest.raises(RuntimeError, match="update it first"):
        bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"residual"})
    with pytest.raises(RuntimeError, match="update it first"):
        bpy.ops.landscape.add_fine_detail()
    assert not list(tmp_path.iterdir())
    assert bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"height"}) == {"FINISHED"}
    with pytest.raises(RuntimeError, match=r"[Nn]o file or folder is chosen"):
        bpy.ops.landscape.bake_textures(directory="", maps={"height"})


def test_a_texture_of_a_long_land_names_the_resolutions_that_fit(recipe: core.Recipe) -> None:
    long, broad = (recipe.replace(width=w, depth=d, resolution=n) for w, d, n in ((100, 10000, 17), (10000, 40, 1025)))
    with pytest.raises(ValueError, match=r"^resolution = 128 pixels .* 12701 from south .*; take 2 to 82 from west"):
        at_resolution(long, 128)
    with pytest.raises(ValueError, match=r"^resolution = 128 pixels .* 1 from south .*; take 257 to 8193 from west"):
        at_resolution(broad, 128)
    fits = [at_resolution(one, columns).grid for one, columns in ((long, 2), (long, 82), (broad, 257), (broad, 8193))]
    assert [(grid.columns, grid.rows) for grid in fits] == [(2, 101), (82, 8101), (257, 2), (8193, 33)]


def test_maps_must_be_chosen(land: bpy.types.Object, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="must be some of"):
        bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps=set())


# --- fine detail ------------------------------------------------------------------------------------------------------


def test_a_land_carries_its_detail_and_keeps_its_heights(land: bpy.types.Object, recipe: core.Recipe) -> None:
    terrain = core.build(recipe, extent="terrain").terrain
    shown, expected = np.empty((65 * 65, 3), np.float32), detail_slopes(terrain, recipe.origin)
    land.data.attributes["detail"].data.foreach_get("vector", shown.ravel())
    np.testing.assert_array_equal(shown, expected)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_array_equal(surface_of(land), terrain.surface)


def test_mesh_and_displacement_are_the_fine_land(land: bpy.types.Object, recipe: core.Recipe) -> None:
    assert bpy.ops.landscape.add_fine_detail(levels=2, displace=True) == {"FINISHED"}
    fine = core.build(recipe.replace(resolution=257), extent="terrain").terrain
    detailed = fine.surface + detail_heights(fine, recipe.origin)
    mesh = surface_of(land)
    np.testing.assert_array_equal(mesh, fine.surface[::4, ::4])
    levels = pixels_of(bpy.data.images["Alpine_residual.png"])[..., 0].astype(np.float64)
    amount = next(n for n in land.data.materials[0].node_tree.nodes if n.bl_idname == "ShaderNodeMath")
    low, high = amount.inputs[2].default_value, amount.inputs[1].default_value + amount.inputs[2].default_value
    together = mesh_heights(mesh, 4.0 * fine.cell_size, fine.grid.shape, fine.cell_size, "bilinear")
    step = (high - low) / 65535
    assert np.abs(together + low + levels * (high - low) - detailed).max() < step + 1e-3
    # Without the residual something is missing.
    assert np.abs(together - detailed).max() > 100.0 * step
    modifier = land.modifiers[displacement.MODIFIER_NAME]
    assert modifier.subdivision_type == "SIMPLE" and modifier.render_levels == 2 and modifier.levels == 0


def test_texels_lie_where_their_samples_are(land: bpy.types.Object) -> None:
    bpy.ops.landscape.add_fine_detail(levels=1)
    nodes = land.data.materials[0].node_tree.nodes
    place = next(n for n in nodes if n.bl_idname == "ShaderNodeVectorMath")
    scale, offset = place.inputs[1].default_value[0], place.inputs[2].default_value[0]
    for sample in (0, 1, 77, 128):
        assert (sample / 128 * scale + offset) * 129 == pytest.approx(sample + 0.5, abs=1e-4)


def test_normals_are_those_of_the_fine_land(land: bpy.types.Object, recipe: core.Recipe) -> None:
    from terrain_addon.core.maps.slope import surface_normals

    bpy.ops.landscape.add_fine_detail(levels=1)
    image = bpy.data.images["Alpine_normal.png"]
    assert image.packed_file is not None and image.colorspace_settings.name == "Non-Color"
    fine = core.build(recipe.replace(resolution=129), extent="terrain").terrain
    expected = surface_normals(fine.surface + detail_heights(fine, recipe.origin), fine.cell_size)
    np.testing.assert_allclose(2.0 * pixels_of(image)[..., :3] - 1.0, expected, atol=2e-5)
    node = next(n for n in land.data.materials[0].node_tree.nodes if n.bl_idname == "ShaderNodeNormalMap")
    assert node.space == "OBJECT"
    assert ground_material.ground_node(land.data.materials[0]).inputs["Normal"].links[0].from_node == node


def test_removing_leaves_the_material_as_it_was(land: bpy.types.Object, tmp_path: Path) -> None:
    def links() -> set[tuple[str, str, str, str]]:
        tree = land.data.materials[0].node_tree
        return {(e.from_node.name, e.from_socket.name, e.to_node.name, e.to_socket.name) for e in tree.links}

    before = links()
    bpy.ops.landscape.add_fine_detail(levels=1, displace=True)
    bpy.ops.landscape.add_fine_detail(levels=2, displace=True)
    assert detail_nodes(land).count("ShaderNodeTexImage") == 2 and len(land.modifiers) == 1
    assert len(bpy.data.images) == 2
    bpy.ops.landscape.remove_fine_detail()
    assert links() == before and not detail_nodes(land) and not land.modifiers
    # Blender does not save images that nothing uses.
    assert not [image for image in bpy.data.images if image.users]
    bpy.ops.landscape.bake_textures(directory=str(tmp_path), maps={"colour", "normal"}, wire=True, pack=True)
    assert links() != before
    bpy.ops.landscape.remove_fine_detail()
    assert links() == before


def test_detail_in_files(land: bpy.types.Object, tmp_path: Path) -> None:
    bpy.ops.landscape.add_fine_detail(levels=1, pack=False, directory=str(tmp_path))
    assert sorted(f.name for f in tmp_path.iterdir()) == ["Alpine_normal.png", "Alpine_textures.json"]
    assert Path(bpy.path.abspath(bpy.data.images["Alpine_normal.png"].filepath)) == tmp_path / "Alpine_normal.png"


def test_detail_that_is_too_fine_is_refused(land: bpy.types.Object) -> None:
    land.landscape.recipe.resolution = 513
    bpy.ops.landscape.update()
    with pytest.raises(RuntimeError, match=r"16385 × 16385 pixels, more than 8193 along a side"):
        bpy.ops.landscape.add_fine_detail(levels=5)


def test_detail_needs_a_material_of_ours(land: bpy.types.Object) -> None:
    land.data.materials[0] = bpy.data.materials.new("mine")
    with pytest.raises(RuntimeError, match="no material of ours"):
        bpy.ops.landscape.add_fine_detail(levels=1)


@pytest.mark.parametrize(("chunk", "pieces"), [(0, 1), (30, 4)])
def test_reduced_mesh_lies_on_the_land(land: bpy.types.Object, chunk: int, pieces: int) -> None:
    children = set(land.children)
    assert bpy.ops.landscape.add_reduced_mesh(tolerance=2.0, chunk=chunk) == {"FINISHED"}
    added = [child for child in land.children if child not in children]
    assert len(added) == pieces
    surface, slope = surface_of(land), np.empty(65 * 65, np.float32)
    land.data.attributes["slope"].data.foreach_get("value", slope)
    triangles, area = 0, 0.0
    for reduced in added:
        mesh = reduced.data
        assert not mesh.validate() and mesh.materials[0] == land.data.materials[0]
        points = np.array([v.co for v in mesh.vertices])
        columns, rows = (np.rint(points[:, k] / 10.0 + 32.0).astype(int) for k in (0, 1))
        np.testing.assert_array_equal(points[:, 2].astype(np.float32), surface[rows, columns])
        copied = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes["slope"].data.foreach_get("value", copied)
        np.testing.assert_array_equal(copied, slope[rows * 65 + columns])
        triangles += len(mesh.polygons)
        area += sum(p.area * p.normal.z for p in mesh.polygons)
        uv = np.empty(2 * len(mesh.loops), np.float32)
        mesh.uv_layers["UVMap"].data.foreach_get("uv", uv)
        corner = np.array([loop.vertex_index for loop in mesh.loops])
        np.testing.assert_allclose(uv.reshape(-1, 2)[:, 0], columns[corner] / 64.0, atol=1e-6)
    assert area == pytest.approx(640.0 * 640.0, rel=1e-4)
    assert triangles < 2 * 64 * 64


def is_adaptive(land: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Whether Cycles divides a land by pixels: until Blender 4.5 the object says so, later its modifier."""
    name = "use_adaptive_subdivision"
    return bool(getattr(modifier if hasattr(modifier, name) else land.cycles, name))


def test_adaptive_subdivision_is_switched_on_and_off(land: bpy.types.Object) -> None:
    bpy.ops.landscape.add_fine_detail(levels=1, displace=True, adaptive=True)
    modifier = land.modifiers[displacement.MODIFIER_NAME]
    assert is_adaptive(land, modifier) and modifier == land.modifiers[-1]
    bpy.ops.landscape.add_fine_detail(levels=1, displace=True)
    assert not is_adaptive(land, land.modifiers[displacement.MODIFIER_NAME])
    bpy.ops.landscape.add_fine_detail(levels=1, displace=True, adaptive=True)
    bpy.ops.landscape.remove_fine_detail()
    # A subdivision of the user's own is not divided by pixels because ours was.
    assert not is_adaptive(land, land.modifiers.new("mine", "SUBSURF"))


@pytest.mark.parametrize("adaptive", [False, True])
def test_displaced_render_shows_the_fine_land(land: bpy.types.Object, recipe: core.Recipe, adaptive: bool) -> None:
    """Rays from above meet the displaced surface at the fine heights, in a render of depth."""
    bpy.ops.landscape.add_fine_detail(levels=2, displace=True, adaptive=adaptive)
    scene = bpy.context.scene
    if adaptive:
        # Nothing but dicing divides the mesh now: 64 m across 32 pixels are 2 m, less than a cell of the fine land.
        land.modifiers[displacement.MODIFIER_NAME].render_levels = 0
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.data.type, camera.data.ortho_scale, camera.data.clip_end = "ORTHO", 64.0, 1e5
    camera.location = (3.0, 5.0, 9000.0)
    # The texture says less than what is here: white on the ground at its altitude, by emission.
    material = land.data.materials[0]
    nodes = Nodes(material.node_tree)
    place = nodes.node("ShaderNodeNewGeometry").outputs["Position"]
    height = nodes.node("ShaderNodeSeparateXYZ", {0: place}).outputs["Z"]
    output = next(n for n in material.node_tree.nodes if n.type == "OUTPUT_MATERIAL")
    nodes.set(output.inputs["Surface"], nodes.node("ShaderNodeEmission", {"Strength": height}).outputs[0])
    for plants in (land.landscape.plants, land.landscape.water):
        if plants is not None:
            plants.hide_render = True
    render = scene.render
    render.engine, render.resolution_x, render.resolution_y = "CYCLES", 32, 32
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.filter_width = 1, False, 0.01
    scene.cycles.pixel_filter_type = "BOX"
    scene.view_settings.view_transform = "Raw"
    render.image_settings.file_format, render.image_settings.color_depth = "OPEN_EXR", "32"
    fine = core.build(recipe.replace(resolution=257), extent="terrain").terrain
    detailed = fine.surface + detail_heights(fine, recipe.origin)

    def render_heights(path: Path) -> np.ndarray:
        render.filepath = str(path)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(str(path))
        image.colorspace_settings.name = "Non-Color"
        return pixels_of(image)[..., 0]

    def expected(column: int, row: int) -> float:
        x = camera.location.x + (column + 0.5 - 16.0) * 2.0 + 0.5 * fine.grid.width
        y = camera.location.y + (row + 0.5 - 16.0) * 2.0 + 0.5 * fine.grid.depth
        from terrain_addon.core.foundation.sampling import sample

        place = (np.array([v], np.float32) for v in (x, y))
        return float(sample(detailed, fine.cell_size, *place)[0])

    folder = Path(bpy.app.tempdir)
    shown = render_heights(folder / "displaced.exr")
    truth = np.array([[expected(c, r) for c in range(32)] for r in range(32)])
    error = np.abs(shown - truth)
    land.modifiers.clear()
    coarse = np.abs(render_heights(folder / "coarse.exr") - truth)
    assert np.median(error) < 0.2 * np.median(coarse)
    assert math.isfinite(error.max()) and error.max() < coarse.max()
