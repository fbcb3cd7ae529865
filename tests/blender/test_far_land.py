"""Far land: what is seen beyond the border joins it without a gap, and goes when it would no longer fit."""

import json
import math
from pathlib import Path

import bpy
import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.blender.compat import modifier_input
from terrain_addon.blender.data.attributes import read_floats, read_positions
from terrain_addon.blender.land.attachments import put_away_attachments, remember_attachments, remove_land
from terrain_addon.blender.land.far_ground import InnerGround, far_recipe, join_far_ground
from terrain_addon.blender.land.far_land import has_far_land, hide_the_border
from terrain_addon.blender.land.rendering import render_landscape
from terrain_addon.blender.look.camera import view_of
from terrain_addon.blender.operators import scenery
from terrain_addon.blender.plants.frame_inputs import CULLING_INPUT
from terrain_addon.blender.plants.scatter_modifier import scatter_modifier
from terrain_addon.core import Recipe, build
from terrain_addon.core.meshing.detail import LONGEST_GULLY

# The same on every Blender: `build.py test --blender 4.2` runs it there.
pytestmark = pytest.mark.once

SIDE = 640.0


def far_of(land: bpy.types.Object) -> bpy.types.Object:
    assert bpy.ops.landscape.add_far_land() == {"FINISHED"}
    far: bpy.types.Object = land.landscape.far_land
    return far


def on_border(points: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    reach: npt.NDArray[np.bool_] = np.abs(np.abs(points[:, :2]).max(axis=1) - 0.5 * SIDE) < 0.01
    return reach


def test_far_land_meets_the_border_and_leaves_a_hole_for_the_land(land: bpy.types.Object) -> None:
    far = far_of(land)
    assert far.parent == land and far.name == f"{land.name} Far Land"
    here, there = read_positions(land.data), read_positions(far.data)
    by_place = {(round(float(x), 2), round(float(y), 2)): k for k, (x, y, _) in enumerate(here)}
    # Every vertex of the border is there, as high and with the same maps.
    rim = np.flatnonzero(on_border(there))
    same = [by_place[round(float(x), 2), round(float(y), 2)] for x, y, _ in there[rim]]
    assert set(same) == set(np.flatnonzero(on_border(here)).tolist())
    assert np.array_equal(there[rim, 2], here[same, 2])
    for name in ("slope", "sediment", "humidity"):
        near, away = (read_floats(one.data, name) for one in (land, far))
        assert near is not None and away is not None
        assert np.array_equal(away[rim], near[same])
    # Nothing lies inside, and it reaches far out.
    assert np.abs(there[:, :2]).max(axis=1).min() > 0.5 * SIDE - 0.01
    assert np.abs(there[:, :2]).max() > 4.5 * SIDE
    assert far.data.materials[0] == land.data.materials[0]


def test_far_land_has_no_gap_and_no_face_hangs_upside_down(land: bpy.types.Object) -> None:
    mesh = far_of(land).data
    assert all(face.normal.z > 0.0 for face in mesh.polygons)
    # Seen from above its faces cover all but the hole, once.
    points = read_positions(mesh)[:, :2].astype(np.float64)
    corners = np.empty(3 * len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("vertices", corners)
    a, b, c = (points[corners.reshape(-1, 3)[:, k]] for k in range(3))
    area = 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum()
    whole = np.ptp(points, axis=0).prod()
    assert area == pytest.approx(whole - SIDE * SIDE, rel=1e-4)


def test_ridges_stand_behind_ridges_as_far_as_air_shows_them(land: bpy.types.Object) -> None:
    """Without them a high camera looks at an empty plain beyond the first hills."""
    mesh = far_of(land).data
    points = read_positions(mesh)
    away = np.abs(points[:, :2]).max(axis=1) / SIDE
    first, second = points[(away > 0.7) & (away < 1.4), 2], points[(away > 2.0) & (away < 4.0), 2]
    assert second.std() > 0.5 * first.std() > 0.0
    # What meets shares its vertices, or light would show a seam.
    there = np.round(points[np.abs(away - 1.5) < 1e-4], 2)
    assert len(there) > 1000 and len(np.unique(there, axis=0)) > len(there) - 10


def test_far_land_is_as_green_as_the_forest(land: bpy.types.Object) -> None:
    mesh = far_of(land).data
    canopy = read_floats(mesh, "canopy")
    assert canopy is not None
    assert canopy.min() >= 0.0 and canopy.max() <= 1.0
    assert canopy.mean() > 0.05, "trees grow on the land, but beyond the border there is no forest"
    nodes = land.data.materials[0].node_tree.nodes
    assert sum(node.name.startswith("canopy") for node in nodes) == 1
    far_of(land)
    assert sum(node.name.startswith("canopy") for node in nodes) == 1, "the colour was added twice"


def test_no_river_wanders_in_far_land() -> None:
    # Bends that are finer than its cells took two minutes.
    plains = Recipe.preset("plains")
    near, far = ([one.model() for one in recipe.erosion] for recipe in (plains, far_recipe(plains)))
    assert far == [name for name in near if name != "wandering_rivers"] != near


@pytest.mark.parametrize(
    ("width", "depth", "resolution"), [(100.0, 10000.0, 17), (10000.0, 10.0, 1025), (1.0, 3000.0, 3)]
)
def test_far_land_of_a_long_land_is_coarser(recipe: Recipe, width: float, depth: float, resolution: int) -> None:
    """With as many samples across as other far land it would have more rows, or fewer, than a land may."""
    far = far_recipe(far_recipe(recipe.replace(width=width, depth=depth, resolution=resolution)))
    assert 2 <= far.grid.rows <= 8193 and 2 <= far.resolution <= 8193
    near = InnerGround({"height": np.zeros((5, 3), np.float32)}, width, depth)
    joined = join_far_ground(near, [{"height": np.ones(far.grid.shape, np.float32)}], None, seed=1)
    assert len(joined.positions) < 1_500_000


def test_far_land_of_a_usual_land_is_as_fine_as_before(recipe: Recipe) -> None:
    for depth in (80.0, 640.0, 5120.0):
        far = far_recipe(recipe.replace(depth=depth))
        assert far.grid.shape == (384 * depth / 640.0 + 1, 385)


def test_what_would_be_too_large_for_a_land_is_mirrored(land: bpy.types.Object) -> None:
    """A land is at most 1,000 km wide, so of one of 400 km the ground around cannot be built."""
    settings = land.landscape.recipe
    settings.width = settings.depth = 4e5
    settings.resolution = 17
    settings.relief.layers[0].source.fractal_noise.wavelength = 1e5
    settings.ecosystem.species.clear()
    assert bpy.ops.landscape.update() == {"FINISHED"}
    points = read_positions(far_of(land).data)
    reach = np.abs(points[:, :2]).max(axis=1)
    assert np.ptp(points[(reach > 2.5e5) & (reach < 5e5), 2]) > 0.0


def test_the_overview_comes_also_without_far_land(land: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The camera has moved by then, so that a fault would leave half of the work."""

    def fail(land: bpy.types.Object, scene: bpy.types.Scene) -> None:
        raise ValueError("there is no room")

    monkeypatch.setattr(scenery, "hide_the_border", fail)
    assert bpy.ops.landscape.next_view(view="overview") == {"FINISHED"}
    assert view_of(bpy.context.scene.camera) == "overview" and not has_far_land(land)


def test_far_land_is_the_same_relief_at_the_same_place(recipe: Recipe) -> None:
    bare = recipe.replace(erosion=())
    near, far = build(bare, extent="terrain").terrain, build(far_recipe(bare), extent="terrain").terrain
    cells = (far.grid.columns - 1) // 3
    part = far.surface[cells : 2 * cells + 1, cells : 2 * cells + 1]
    shown = InnerGround({"height": near.surface}, SIDE, SIDE)
    assert abs(part[0, 0] - near.surface[0, 0]) < 0.02 * np.ptp(near.surface)
    assert abs(part[-1, -1] - near.surface[-1, -1]) < 0.02 * np.ptp(near.surface)
    joined = join_far_ground(shown, [{"height": far.surface}], None, seed=1)
    # Beyond the tenth of the width where both are blended, it is the relief, lifted by the same height everywhere.
    away = np.abs(joined.positions[:, :2]).max(axis=1)
    beyond = joined.positions[(away > 0.7 * SIDE) & (away < 1.4 * SIDE)]
    cell = 3.0 * SIDE / (far.grid.columns - 1)
    row, column = (np.rint((beyond[:, k] + 1.5 * SIDE) / cell).astype(int) for k in (1, 0))
    assert np.ptp(beyond[:, 2] - far.surface[row, column]) < 0.1


def test_what_differs_at_the_border_fades_within_a_tenth_of_the_width() -> None:
    flat, high = np.zeros((33, 33), np.float32), np.full((97, 97), 50.0, np.float32)
    high[:48] = -50.0
    joined = join_far_ground(InnerGround({"height": flat}, SIDE, SIDE), [{"height": high}], None, seed=1)
    away = np.abs(joined.positions[:, :2]).max(axis=1) - 0.5 * SIDE
    assert np.abs(joined.positions[away <= 0.01, 2]).max() == 0.0
    beyond = (away > 0.13 * SIDE) & (away < 0.9 * SIDE) & (np.abs(joined.positions[:, 1]) > 0.1 * SIDE)
    assert np.abs(joined.positions[beyond, 2]).min() > 40.0


def test_where_nothing_is_known_beyond_the_border_the_land_is_mirrored() -> None:
    slope = np.tile(np.linspace(0.0, 80.0, 81, dtype=np.float32), (41, 1))
    joined = join_far_ground(InnerGround({"height": slope}, 800.0, 400.0), [{}], None, seed=1)
    x, _, z = joined.positions.T
    beyond = np.abs(joined.positions[:, :2] / (800.0, 400.0)).max(axis=1) < 1.4
    assert beyond.any()
    assert np.abs(z - 40.0 + 0.1 * np.abs(np.abs(x + 400.0) - 800.0) - 40.0)[beyond & (x < 399.0)].max() < 0.5


def test_slopes_of_far_land_have_gullies_that_its_cells_are_too_long_for() -> None:
    """Mountains beyond the border were smooth: light has to show what the mesh cannot."""
    rows, columns = np.mgrid[0:65, 0:65].astype(np.float32)
    hills = (60.0 * np.sin(rows / 6.0) * np.cos(columns / 8.0)).astype(np.float32)
    joined = join_far_ground(InnerGround({"height": hills}, SIDE, SIDE), [{}, {}], None, seed=1)
    away = np.abs(joined.positions[:, :2]).max(axis=1) / SIDE
    assert joined.detail.shape == (len(joined.positions), 3)
    for near, far in ((0.6, 1.4), (1.6, 4.0)):
        ring = joined.detail[(away > near) & (away < far)]
        assert np.hypot(*ring[:, :2].T).std() > 0.05
        # Ribs stand as high as those of the land, so that rock and snow lie on them alike.
        assert np.abs(ring[:, 2]).max() < 0.15 * LONGEST_GULLY
    # The land has its own up to the border, and the level ground of the apron none.
    assert not joined.detail[(away < 0.5001) | (away > 4.6)].any()


@pytest.mark.parametrize("lands", [1, 2])
def test_no_bottom_of_a_dry_sea_is_seen(lands: int) -> None:
    shore = np.tile(np.linspace(-30.0, 60.0, 65, dtype=np.float32)[:, None], (1, 65))
    around = np.full((97, 97), -20.0, np.float32)
    joined = join_far_ground(InnerGround({"height": shore}, SIDE, SIDE), [{"height": around}] * lands, 0.0, seed=1)
    x, y, z = joined.positions.T
    north = (y > np.abs(x) + 1.0) & (y > 0.55 * SIDE)
    assert z[north].min() >= 0.0
    # In the south the sea goes on above its bottom.
    assert z[(y < -np.abs(x)) & (y > -1.4 * SIDE)].min() < -10.0


def test_far_land_goes_with_the_land_and_when_the_ground_changes(land: bpy.types.Object) -> None:
    far = far_of(land)
    remember_attachments(land)
    land.landscape.recipe.seed += 1
    assert bpy.ops.landscape.update() == {"FINISHED"}
    assert not has_far_land(land), "it shows the border of another ground"
    assert bpy.ops.landscape.add_far_land() == {"FINISHED"}
    assert land.landscape.far_land == far and has_far_land(land)
    assert bpy.ops.landscape.remove_far_land() == {"FINISHED"}
    assert land.landscape.far_land is None

    far = far_of(land)
    remember_attachments(land)
    for collection in land.users_collection:
        collection.objects.unlink(land)
    assert put_away_attachments()
    assert not far.users_collection
    names = far.name, far.data.name
    remove_land(land)
    assert names[0] not in bpy.data.objects and names[1] not in bpy.data.meshes


def test_exports_are_the_same_with_and_without_far_land(land: bpy.types.Object, tmp_path: Path) -> None:
    files = []
    for name in ("without", "with"):
        path = tmp_path / f"{name}.gltf"
        assert bpy.ops.landscape.export(filepath=str(path)) == {"FINISHED"}
        files.append(json.loads(path.read_text()))
        far_of(land)
    assert [node.get("name") for node in files[0]["nodes"]] == [node.get("name") for node in files[1]["nodes"]]


def test_the_overview_shows_no_cut_border_and_other_views_add_nothing(land: bpy.types.Object) -> None:
    bpy.ops.landscape.next_view(view="valley")
    assert not has_far_land(land)
    bpy.ops.landscape.next_view(view="overview")
    assert has_far_land(land)
    # What is there already is not made anew.
    vertices = len(land.landscape.far_land.data.vertices)
    bpy.ops.landscape.next_view(view="overview")
    assert len(land.landscape.far_land.data.vertices) == vertices


@pytest.mark.once
def test_an_island_needs_no_far_land_in_the_overview(blender: object) -> None:
    bpy.ops.landscape.generate(preset="islands", resolution=65)
    land = bpy.context.view_layer.objects.active
    bpy.ops.landscape.next_view(view="overview")
    assert not has_far_land(land)


def test_a_picture_by_one_command_shows_land_up_to_the_horizon(blender: None, tmp_path: Path) -> None:
    recipe = Recipe.preset("volcano", resolution=65)
    picture, blend = tmp_path / "picture.png", tmp_path / "land.blend"
    land = render_landscape(build(recipe), picture, engine="CYCLES", size=(32, 18), samples=1, blend=blend)
    assert has_far_land(land) and picture.stat().st_size > 100
    # Plants beside the picture are left out while it is rendered, but not in the file.
    assert modifier_input(scatter_modifier(land.landscape.plants), CULLING_INPUT)
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    (land,) = (thing for thing in bpy.data.objects if thing.landscape.is_landscape)
    assert has_far_land(land)
    assert not modifier_input(scatter_modifier(land.landscape.plants), CULLING_INPUT)


def test_ground_at_the_horizon_has_one_colour(land: bpy.types.Object) -> None:
    """The outermost cells are long: what differs there from place to place would be drawn out to rays."""
    mesh = far_of(land).data
    points, humidity = read_positions(mesh), read_floats(mesh, "humidity")
    assert humidity is not None
    away = np.abs(points[:, :2]).max(axis=1)
    assert np.ptp(humidity[away > 4.47 * SIDE]) < 1e-6 < 0.02 < np.ptp(humidity[away < 3.6 * SIDE])
    assert np.ptp(points[away > 4.47 * SIDE, 2]) < 0.1


@pytest.mark.parametrize(
    ("north", "height", "pitch", "is_added"),
    [(0.0, 2.0, -12.0, True), (0.0, 2.0, 20.0, False), (0.49, 0.9, 20.0, True)],
)
def test_far_land_is_added_where_the_camera_looks_past_the_border(
    land: bpy.types.Object, north: float, height: float, pitch: float, is_added: bool
) -> None:
    """Twice as high as the land it sees the horizon beyond it, and upwards the sky alone.

    Beside the border, lower than the land, it sees above the horizon where hills should be.
    """
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (0.0, north * SIDE, height * float(read_positions(land.data)[:, 2].max()))
    camera.rotation_euler = (math.radians(90.0 + pitch), 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    hide_the_border(land, scene)
    assert has_far_land(land) == is_added
