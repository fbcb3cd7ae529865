"""Plants as instances: on the ground, in the right detail, in the user's own shapes, edited by hand, on any mesh."""

import math
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from terrain_addon import core
from terrain_addon.blender import compat
from terrain_addon.blender.data import meshes, pictures
from terrain_addon.blender.data.attributes import SEASON
from terrain_addon.blender.land.land_objects import show_surface
from terrain_addon.blender.plants import (
    frame_inputs,
    mesh_planting,
    plant_assets,
    plant_masks,
    plant_points,
    real_plants,
    scatter_inputs,
    scatter_modifier,
)
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.ecosystem.species import ALWAYS, Species
from terrain_addon.core.flow.water import Water
from terrain_addon.core.foundation.sampling import sample
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.meshing.plant_meshes import FORMS, LEVELS, make_plant_mesh
from terrain_addon.core.relief.fractal_noise import FractalNoise
from tests.mountains import mountains
from tests.rendered import instances_in_render

SPECIES = (
    Species(name="fir", form="conifer", height=10.0),
    Species(name="oak", form="broadleaf", height=20.0),
    Species(name="stone", form="rock", height=1.0),
)


@pytest.fixture(autouse=True)
def scene(blender: None) -> None:
    """An empty scene, with the extension registered as users have it."""


def hills(shape: tuple[int, int] = (41, 61), cell: float = 10.0, height: float = 40.0) -> Terrain:
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]] * cell
    surface = (height * np.sin(x / 70.0) * np.cos(y / 90.0) + 0.2 * x).astype(np.float32)
    return Terrain(surface, np.zeros_like(surface), cell)


def stand(terrain: Terrain, count: int = 500, species: int = len(SPECIES), condition: int = 0) -> Plants:
    rng = np.random.default_rng(2)
    grid = terrain.grid

    def between(low: float, high: float) -> np.ndarray:
        return rng.uniform(low, high, count).astype(np.float32)

    return Plants(
        x=between(0.0, grid.width),
        y=between(0.0, grid.depth),
        species=rng.integers(0, species, count).astype(np.int32),
        age=between(1.0, 90.0),
        height=between(0.5, 20.0),
        rotation=between(0.0, 360.0),
        variant=rng.integers(0, 3, count).astype(np.int32),
        health=between(0.1, 1.0),
        condition=np.full(count, condition, np.int32),
    )


def show(terrain: Terrain, plants: Plants, species: tuple[Species, ...] = SPECIES) -> tuple[object, object]:
    """A land and the object of its plants."""
    land = bpy.data.objects.new("Land", meshes.new_land_mesh("Land", terrain))
    points = meshes.new_plants_mesh("Plants", plants, terrain, species, plant_assets.variant_counts(species))
    carrier = bpy.data.objects.new("Plants", points)
    carrier.parent = land
    for item in (land, carrier):
        bpy.context.scene.collection.objects.link(item)
    collection = plant_assets.plant_collection(species)
    scatter_modifier.add_scatter_modifier(carrier, collection, 100.0, land, plant_assets.variant_stride(species))
    return land, carrier


def set_input(carrier: object, name: str, value: object) -> None:
    compat.set_modifier_input(scatter_modifier.scatter_modifier(carrier), name, value)


def instances(carrier: object) -> list[tuple[str, Matrix]]:
    return [
        (i.object.name, i.matrix_world.copy())
        for i in bpy.context.evaluated_depsgraph_get().object_instances
        if i.is_instance and i.parent.original == carrier
    ]


def feet(carrier: object) -> np.ndarray:
    return np.array([matrix.translation for _, matrix in instances(carrier)])


def levels(carrier: object) -> list[int]:
    return level_numbers(instances(carrier))


def level_numbers(shown: list[tuple[str, Matrix]]) -> list[int]:
    return [int(name.split()[1]) % LEVELS for name, _ in shown]


def put_camera(place: tuple[float, float, float], turn: tuple[float, float, float] = (math.pi / 2, 0.0, 0.0)) -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = place, turn
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def ground_below(land: object, plants: Plants) -> np.ndarray:
    """Heights of the triangles as which Blender draws a land."""
    mesh = land.data
    mesh.calc_loop_triangles()
    tree = BVHTree.FromPolygons([v.co for v in mesh.vertices], [t.vertices for t in mesh.loop_triangles])
    corner = mesh.vertices[0].co
    down = Vector((0.0, 0.0, -1.0))
    hits = (tree.ray_cast(Vector((corner.x + x, corner.y + y, 1e4)), down)[0] for x, y in zip(plants.x, plants.y))
    return np.array([hit.z for hit in hits])


# --- on the ground ----------------------------------------------------------------------------------------------------


def test_plants_follow_the_land_when_its_heights_change() -> None:
    before, after = hills(), hills(height=-25.0)
    plants = stand(before)
    land, carrier = show(before, plants)
    np.testing.assert_allclose(feet(carrier)[:, 2], ground_below(land, plants), atol=2e-3)
    meshes.set_surface(land.data, after)
    moved = feet(carrier)[:, 2]
    np.testing.assert_allclose(moved, ground_below(land, plants), atol=2e-3)
    # They would fail that where they were.
    assert np.abs(moved - sample(before.surface, 10.0, plants.x, plants.y)).max() > 10.0


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (9, 2), (17, 5), (40, 41)])
def test_plants_follow_grids_of_every_shape(shape: tuple[int, int]) -> None:
    terrain = hills(shape, 7.5)
    plants = stand(terrain, 60)
    land, carrier = show(terrain, plants)
    meshes.set_surface(land.data, Terrain(terrain.surface * 2 + 3, terrain.sediment, 7.5))
    np.testing.assert_allclose(feet(carrier)[:, 2], ground_below(land, plants), atol=2e-3)


def test_plants_neither_float_nor_sink_in_on_folded_ground() -> None:
    """Blender divides cells that fold sharply the other way."""
    noise = np.random.default_rng(4).uniform(-12.0, 12.0, (40, 41)).astype(np.float32)
    terrain = Terrain(noise, np.zeros_like(noise), 10.0)
    plants = stand(terrain, 3000)
    land, carrier = show(terrain, plants)
    ground = ground_below(land, plants)
    np.testing.assert_allclose(feet(carrier)[:, 2], ground, atol=5e-3)
    # So they do on the bilinear surface between four samples.
    assert np.abs(sample(noise, 10.0, plants.x, plants.y) - ground).max() > 5.0


def test_plants_move_and_turn_with_their_land() -> None:
    terrain = hills()
    land, carrier = show(terrain, stand(terrain, 50))
    before = instances(carrier)
    land.location, land.rotation_euler = (1000.0, -20.0, 5.0), (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    for (name, matrix), (name_after, after) in zip(before, instances(carrier)):
        assert name == name_after
        assert np.allclose(np.array(after), np.array(land.matrix_world @ matrix), atol=2e-3)


def test_plants_stand_on_a_land_that_is_no_longer_a_grid() -> None:
    terrain = hills()
    plants = stand(terrain, 100)
    land, carrier = show(terrain, plants)
    subdivide = land.modifiers.new("finer", "SUBSURF")
    subdivide.subdivision_type, subdivide.levels = "SIMPLE", 1
    lift = land.modifiers.new("higher", "DISPLACE")
    lift.direction, lift.strength, lift.mid_level = "Z", 30.0, 0.0
    bpy.context.view_layer.update()
    expected = sample(terrain.surface, 10.0, plants.x, plants.y) + 30.0
    # Rays meet triangles and not bilinear patches.
    assert np.abs(feet(carrier)[:, 2] - expected).max() < 1.0


def test_plants_stay_where_they_are_when_the_land_is_deleted() -> None:
    terrain = hills()
    plants = stand(terrain, 30)
    land, carrier = show(terrain, plants)
    carrier.parent = None
    ground = ground_below(land, plants)
    bpy.data.objects.remove(land)
    np.testing.assert_allclose(feet(carrier)[:, 2], ground, atol=2e-3)


def test_rocks_lean_with_the_ground_and_trees_do_not() -> None:
    slope = np.tile(np.arange(21, dtype=np.float32) * 5.0, (21, 1))
    terrain = Terrain(slope, np.zeros_like(slope), 10.0)
    plants = stand(terrain, 200)
    _, carrier = show(terrain, plants)
    uphill = math.atan(0.5)
    upright = []
    for (_, matrix), kind in zip(instances(carrier), plants.species):
        lean = matrix.to_3x3().col[2].normalized()
        if kind == 2:
            assert (lean - Vector((-math.sin(uphill), 0.0, math.cos(uphill)))).length < 1e-3
        else:
            upright.append(lean)
    # Each tree leans a little to a side of its own, not down the slope.
    degrees = [math.degrees(lean.angle(Vector((0.0, 0.0, 1.0)))) for lean in upright]
    assert max(degrees) < 4.01 and 0.5 < np.mean(degrees) < 3.0
    assert Vector(np.mean(upright, axis=0)).angle(Vector((0.0, 0.0, 1.0))) < math.radians(0.7)


def test_plants_of_one_mesh_are_slim_and_broad_and_as_high_as_they_are() -> None:
    terrain = hills()
    plants = stand(terrain, 200)
    _, carrier = show(terrain, plants)
    scales = np.array([matrix.to_scale() for _, matrix in instances(carrier)])
    np.testing.assert_allclose(scales[:, 2], plants.height, rtol=1e-5)
    np.testing.assert_allclose(scales[:, 0], scales[:, 1], rtol=1e-5)
    widths = scales[:, 0] / scales[:, 2]
    assert 0.849 < widths.min() < 0.88 and 1.17 < widths.max() < 1.201
    assert 0.98 < widths.mean() < 1.07


@pytest.mark.parametrize(("condition", "form"), [(1, "dead_tree"), (2, "dead_wood")])
def test_dead_plants_look_like_dead_wood(condition: int, form: str) -> None:
    terrain = hills()
    _, carrier = show(terrain, stand(terrain, 40, condition=condition))
    assert {name.split(" ", 2)[2].rsplit(" ", 1)[0] for name, _ in instances(carrier)} == {form.replace("_", " ")}
    model = bpy.data.objects[instances(carrier)[0][0]].data
    assert len(model.polygons) in {len(make_plant_mesh(form, variant, 1).triangles) for variant in range(3)}


# --- detail and camera ------------------------------------------------------------------------------------------------


def test_detail_falls_with_distance_and_grows_with_height() -> None:
    terrain = hills()
    plants = stand(terrain)
    _, carrier = show(terrain, plants)
    place = np.array([-290.0, -190.0, 10.0])
    put_camera(tuple(place))
    distance = np.linalg.norm(feet(carrier) - place, axis=1)
    # Small plants keep their detail for some metres more, so that no leaf near the camera is as large as a hand.
    expected = (distance > 20.0 * plants.height + 15.0).astype(int) + (distance > 60.0 * plants.height + 30.0)
    assert set(expected) == {0, 1, 2}
    assert levels(carrier) == expected.tolist()
    set_input(carrier, scatter_inputs.DETAIL_INPUT, 1000.0)
    assert set(levels(carrier)) == {0}


def test_plants_keep_their_detail_farther_away_in_renders() -> None:
    terrain = hills()
    _, carrier = show(terrain, stand(terrain))
    put_camera((-290.0, -190.0, 10.0))
    set_input(carrier, scatter_inputs.DETAIL_INPUT, 2.5)
    finer = levels(carrier)
    set_input(carrier, scatter_inputs.DETAIL_INPUT, 1.0)
    assert sum(levels(carrier)) > sum(finer)
    assert level_numbers(instances_in_render(carrier)) == finer


def test_without_a_camera_and_as_proxies_plants_are_coarser() -> None:
    terrain = hills()
    _, carrier = show(terrain, stand(terrain, 50))
    assert set(levels(carrier)) == {1}
    set_input(carrier, scatter_inputs.PROXIES_INPUT, True)
    assert set(levels(carrier)) == {2}


def _frame_coordinates(points: np.ndarray) -> np.ndarray:
    """Where points are in the picture, 0 to 1 from left to right and bottom to top, and how far ahead; by Blender."""
    scene = bpy.context.scene
    bpy.context.view_layer.update()
    return np.array([world_to_camera_view(scene, scene.camera, Vector(point)) for point in points])


@pytest.mark.parametrize(
    "lens",
    [
        {"lens": 35.0},
        {"lens": 20.0, "shift_x": 0.3, "shift_y": -0.2},
        {"lens": 25.0, "sensor_fit": "VERTICAL", "sensor_height": 30.0},
        {"type": "ORTHO", "ortho_scale": 150.0, "shift_x": -0.4},
    ],
)
def test_culling_leaves_what_is_in_the_frame(lens: dict[str, object]) -> None:
    terrain = hills()
    _, carrier = show(terrain, stand(terrain, 2000))
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.pixel_aspect_y = 800, 600, 1.2
    # Within the land, looking down to the east and a little to the left.
    put_camera((-100.0, 20.0, 90.0), (math.radians(70.0), 0.1, -math.pi / 2 + 0.3))
    camera = bpy.context.scene.camera.data
    for name, value in lens.items():
        setattr(camera, name, value)
    everything = feet(carrier)
    assert len(everything) == 2000
    modifier = scatter_modifier.scatter_modifier(carrier)
    frame_inputs.cull_to_frame(modifier, bpy.context.scene)
    set_input(carrier, frame_inputs.MARGIN_INPUT, 0.0)
    kept = {tuple(foot) for foot in feet(carrier)}
    x, y, ahead = _frame_coordinates(everything).T
    framed = (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0) & (ahead > 0.0)
    is_kept = np.array([tuple(foot) in kept for foot in everything])
    assert 30 < framed.sum() < 1500
    assert is_kept[framed].all()
    # Plants are 20 m high at most: behind the camera, and well beside the picture, nothing stays.
    far = np.linalg.norm(everything - np.array((-100.0, 20.0, 90.0)), axis=1) > 60.0
    assert not is_kept[far & (ahead < -30.0)].any() and (ahead < -30.0).sum() > 100
    assert is_kept[far & ~framed].mean() < 0.5
    set_input(carrier, frame_inputs.MARGIN_INPUT, 0.5)
    wider = {tuple(foot) for foot in feet(carrier)}
    roomy = (x >= -0.5) & (x <= 1.5) & (y >= -0.5) & (y <= 1.5) & (ahead > 0.0)
    assert kept < wider and all(tuple(foot) in wider for foot in everything[roomy])
    camera.clip_end = 80.0
    frame_inputs.cull_to_frame(modifier, bpy.context.scene)
    clipped = {tuple(foot) for foot in feet(carrier)}
    assert clipped < wider and all(tuple(foot) in clipped for foot in everything[framed & (ahead < 80.0)])
    set_input(carrier, frame_inputs.CULLING_INPUT, False)
    assert len(feet(carrier)) == 2000


def test_culling_needs_a_camera_with_a_flat_picture() -> None:
    terrain = hills()
    _, carrier = show(terrain, stand(terrain, 20))
    modifier = scatter_modifier.scatter_modifier(carrier)
    with pytest.raises(ValueError, match="the scene has no camera"):
        frame_inputs.cull_to_frame(modifier, bpy.context.scene)
    put_camera((0.0, 0.0, 50.0))
    bpy.context.scene.camera.data.type = "PANO"
    with pytest.raises(ValueError, match="camera Camera is panoramic"):
        frame_inputs.cull_to_frame(modifier, bpy.context.scene)


# --- own shapes -------------------------------------------------------------------------------------------------------


def own_collection(name: str, sizes: dict[str, float]) -> object:
    """Boxes of some heights, in metres."""
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    for item, height in sizes.items():
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(50.0, 0.0, 0.0))
        box = bpy.context.object
        box.data.transform(Matrix.Translation((0.0, 0.0, 0.5)))
        box.name, box.scale = item, (1.0, 1.0, height)
        collection.objects.link(box)
    bpy.context.view_layer.update()
    return collection


def standing(species: Species) -> tuple[object, Plants, tuple[Species, ...]]:
    terrain = hills()
    plants = stand(terrain, 300, 2)
    kinds = (SPECIES[0], species)
    return show(terrain, plants, kinds)[1], plants, kinds


def test_a_species_takes_the_objects_of_its_collection_at_the_height_of_its_plants() -> None:
    own_collection("Boxes", {"low": 2.0, "middle": 5.0, "high": 40.0, "huge": 80.0})
    carrier, plants, _ = standing(SPECIES[1].replace(collection="Boxes"))
    found = [(bpy.data.objects[name].data, matrix) for name, matrix in instances(carrier)]
    for (mesh, matrix), kind, height in zip(found, plants.species, plants.height):
        assert mesh.name.startswith("Cube") == (kind == 1)
        if kind == 1:
            # Along its own axis, because it leans a little.
            axis = matrix.to_3x3().col[2].normalized()
            top = max((matrix.to_3x3() @ vertex.co).dot(axis) for vertex in mesh.vertices)
            assert top == pytest.approx(height, rel=1e-4)
    assert len({mesh for mesh, _ in found if mesh.name.startswith("Cube")}) == 4


def test_names_that_end_in_a_level_are_levels_of_one_plant() -> None:
    own_collection("Boxes", {"Oak_LOD0": 2.0, "Oak_LOD2": 2.0, "Elm": 3.0})
    fine, coarse = bpy.data.objects["Oak_LOD0"].data, bpy.data.objects["Oak_LOD2"].data
    carrier, _, kinds = standing(SPECIES[1].replace(collection="Boxes"))
    assert plant_assets.variant_counts(kinds) == [plant_assets.default_variants(kinds[0].form), 2]
    put_camera((-5000.0, 0.0, 0.0))
    far = {bpy.data.objects[name].data for name, _ in instances(carrier)}
    assert coarse in far and fine not in far
    set_input(carrier, scatter_inputs.DETAIL_INPUT, 1000.0)
    near = {bpy.data.objects[name].data for name, _ in instances(carrier)}
    assert fine in near and coarse not in near


@pytest.mark.parametrize("name", ["", "never was"])
def test_without_its_collection_a_species_takes_the_default_meshes(name: str) -> None:
    carrier, _, _ = standing(SPECIES[1].replace(collection=name))
    assert {bpy.data.objects[n].data.name.split(" ")[1] for n, _ in instances(carrier)} == {"conifer", "broadleaf"}


def test_default_meshes_replace_a_deleted_collection() -> None:
    collection = own_collection("Boxes", {"low": 2.0, "high": 4.0})
    carrier, _, kinds = standing(SPECIES[1].replace(collection="Boxes"))
    for item in list(collection.objects):
        bpy.data.objects.remove(item)
    bpy.data.collections.remove(collection)
    assert len(instances(carrier)) == 300
    plant_assets.plant_collection(kinds)
    assert {bpy.data.objects[n].data.name.split(" ")[1] for n, _ in instances(carrier)} == {"conifer", "broadleaf"}
    assert not [o for o in bpy.data.objects if o.users and o.data and o.data.name.startswith("Cube")]


def test_every_form_has_a_small_picture_of_its_own() -> None:
    drawn = {form: pictures.plant_pixels(form) for form in FORMS}
    assert len({pixels.tobytes() for pixels in drawn.values()}) == len(FORMS)
    for pixels in drawn.values():
        assert pixels.min() >= 0.0 and pixels.max() <= 1.0
        assert 0.03 < pixels[..., 3].mean() < 0.8 and not pixels[[0, -1], [0, -1], 3].any()
    # The stem is below the crown.
    shape = drawn["broadleaf"][..., 3]
    assert shape[:20].sum() < 0.5 * shape[-30:-10].sum()


# --- data -------------------------------------------------------------------------------------------------------------


def test_another_year_changes_the_same_mesh() -> None:
    terrain = hills()
    young = stand(terrain)
    _, carrier = show(terrain, young)
    mesh = carrier.data
    old = Plants(**(vars(young) | {"height": young.height * 2, "age": young.age + 50}))
    meshes.set_plants_mesh(mesh, old, terrain, SPECIES)
    scales = [matrix.to_scale().z for _, matrix in instances(carrier)]
    np.testing.assert_allclose(scales, old.height, rtol=1e-5)
    fewer = core.ecosystem.plants.remove_plants(old, np.arange(500) < 123)
    meshes.set_plants_mesh(mesh, fewer, terrain, SPECIES)
    assert carrier.data == mesh and len(instances(carrier)) == 123
    back, _ = plant_points.plants_of(mesh)
    assert back.age.tobytes() == fewer.age.tobytes() and back.species.tobytes() == fewer.species.tobytes()


def test_a_million_plants_take_forty_bytes_each_in_a_file(tmp_path: Path) -> None:
    terrain = hills()
    count = 100_000
    _, carrier = show(terrain, stand(terrain, count))
    sizes = []
    for _ in range(2):
        path = tmp_path / "plants.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
        sizes.append(path.stat().st_size)
        carrier.data.clear_geometry()
    assert 30 * count < sizes[0] - sizes[1] <= 40 * count


def test_no_plants_are_an_empty_mesh() -> None:
    terrain = hills()
    plants = stand(terrain)
    _, carrier = show(terrain, plants)
    nothing = core.ecosystem.plants.remove_plants(plants, np.zeros(500, np.bool_))
    meshes.set_plants_mesh(carrier.data, nothing, terrain, SPECIES)
    assert instances(carrier) == []
    meshes.set_plants_mesh(carrier.data, plants, terrain, SPECIES)
    assert len(instances(carrier)) == 500


def test_more_species_than_a_byte_counts() -> None:
    terrain = hills()
    plants = stand(terrain, 200, 200)
    mesh = meshes.new_plants_mesh("many", plants, terrain)
    assert plant_points.plants_of(mesh)[0].species.tolist() == plants.species.tolist()


# --- edited by hand ---------------------------------------------------------------------------------------------------


@pytest.fixture
def grown(land: bpy.types.Object) -> bpy.types.Object:
    """The landscape of the other tests, with its plants on it."""
    carrier = land.landscape.plants
    species = mountains().ecosystem.species
    stride = plant_assets.variant_stride(species)
    scatter_modifier.add_scatter_modifier(carrier, plant_assets.plant_collection(species), 100.0, land, stride)
    return land


def places(carrier: object) -> np.ndarray:
    values = np.empty((len(carrier.data.vertices), 3), np.float32)
    carrier.data.attributes["position"].data.foreach_get("vector", values.ravel())
    return values


def test_removed_plants_are_gone_and_the_mask_says_so(grown: bpy.types.Object) -> None:
    carrier = grown.landscape.plants
    before = places(carrier)
    grown.location = (300.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    bpy.context.scene.cursor.location = (350.0, 20.0, 0.0)
    assert bpy.ops.landscape.remove_plants(radius=60.0) == {"FINISHED"}
    inside = np.hypot(before[:, 0] - 50.0, before[:, 1] - 20.0) <= 60.0
    assert 0 < inside.sum() < len(before)
    np.testing.assert_array_equal(places(carrier), before[~inside])
    exclusion, here = plant_masks.plant_masks(grown)
    assert here is None
    # Wherever a plant stood, the mask as core interpolates it is whole; far away it is nothing.
    removed, stays = before[inside] + 320.0, before[~inside] + 320.0
    assert sample(exclusion, 10.0, removed[:, 0], removed[:, 1]).min() == 1.0
    far = np.hypot(*(stays[:, :2] - 320.0 - (50.0, 20.0)).T) > 60.0 + 30.0
    assert sample(exclusion, 10.0, stays[far, 0], stays[far, 1]).max() == 0.0


@pytest.mark.parametrize("operator", ["remove_plants", "add_plants", "make_plants_real"])
def test_only_a_real_disc_and_a_land_with_an_extent_are_edited(grown: bpy.types.Object, operator: str) -> None:
    before, cursor = places(grown.landscape.plants), bpy.context.scene.cursor
    edit = getattr(bpy.ops.landscape, operator)
    for radius in (math.nan, math.inf, -1.0, 0.0):
        with pytest.raises(RuntimeError, match=r"Radius = \S+ m is outside 0.001 to 2,000,000 m"):
            edit(radius=radius)
    cursor.location = (math.nan, 0.0, 0.0)
    with pytest.raises(RuntimeError, match="The 3D cursor is at"):
        edit(radius=20.0)
    cursor.location = (0.0, 0.0, 0.0)
    grown.scale = (0.0, 0.0, 0.0)
    with pytest.raises(RuntimeError, match="is scaled to nothing"):
        edit(radius=20.0)
    grown.scale, grown.location.x = (1.0, 1.0, 1.0), math.nan
    with pytest.raises(RuntimeError, match=r"location, rotation or scale of .* is not a finite number"):
        edit(radius=20.0)
    np.testing.assert_array_equal(places(grown.landscape.plants), before)
    assert plant_masks.plant_masks(grown) == (None, None)


def test_a_road_is_cleared_along_its_curve(grown: bpy.types.Object) -> None:
    carrier = grown.landscape.plants
    before = places(carrier)
    curve = bpy.data.curves.new("Road", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 3.0
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, (x, y) in zip(spline.points, ((-250.0, 0.0), (0.0, 0.0), (0.0, 250.0))):
        point.co = (x, y, 500.0, 1.0)
    road = bpy.data.objects.new("Road", curve)
    bpy.context.scene.collection.objects.link(road)
    counts = len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)
    assert bpy.ops.landscape.clear_road.poll()
    with pytest.raises(RuntimeError, match="Select the curve of a road"):
        bpy.ops.landscape.clear_road(width=20.0)
    road.select_set(True)
    for width in (math.nan, -8.0):
        with pytest.raises(RuntimeError, match=r"Width = .* m is outside 0.001 to"):
            bpy.ops.landscape.clear_road(width=width)
    assert bpy.ops.landscape.clear_road(width=20.0) == {"FINISHED"}
    assert (len(bpy.data.objects), len(bpy.data.curves), len(bpy.data.meshes)) == counts
    x, y = before[:, 0], before[:, 1]
    west = np.hypot(x - np.clip(x, -250.0, 0.0), y)
    north = np.hypot(x, y - np.clip(y, 0.0, 250.0))
    on_road = np.minimum(west, north) <= 10.0
    assert on_road.sum() > 20
    np.testing.assert_array_equal(places(carrier), before[~on_road])


def test_added_plants_keep_their_distance(grown: bpy.types.Object) -> None:
    carrier = grown.landscape.plants
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.landscape.remove_plants(radius=80.0)
    before = len(carrier.data.vertices)
    assert bpy.ops.landscape.add_plants(radius=40.0) == {"FINISHED"}
    together = places(carrier)
    added, old = together[before:, :2], together[:before, :2]
    assert len(added) > 20
    assert np.hypot(*added.T).max() <= 40.0
    species = mountains().ecosystem.species[0]
    gaps = np.hypot(*(added[:, None] - together[None, :, :2]).transpose(2, 0, 1))
    gaps[np.arange(len(added)), before + np.arange(len(added))] = np.inf
    assert gaps.min() >= species.radius * (1.0 - species.radius_variation) - 1e-3
    assert len(old) == before
    _, here = plant_masks.plant_masks(grown)
    assert here[32, 32] == 1.0 and here[0, 0] == 0.0
    with pytest.raises(RuntimeError, match="There is no species called 'Olive'; there are: "):
        bpy.ops.landscape.add_plants(radius=40.0, species="Olive")


def planted_land(recipe: core.Recipe) -> bpy.types.Object:
    """A land that was made from a recipe, active, with its plants."""
    from terrain_addon.blender.land.building import build_landscape
    from terrain_addon.blender.land.land_objects import add_landscape

    land = add_landscape(bpy.context.collection, build_landscape(recipe), "Land")
    land.select_set(True)
    bpy.context.view_layer.objects.active = land
    return land


def flat_recipe(side: float) -> core.Recipe:
    """A square of nearly flat land without water."""
    flat = Relief.of(FractalNoise(wavelength=side, height=1.0, base_altitude=10.0))
    dry = Water(rivers=False, lakes=False)
    return core.Recipe(width=side, depth=side, resolution=33, relief=flat, erosion=(), water=dry)


def test_four_times_the_area_takes_about_four_times_the_work_to_plant(blender: None) -> None:
    thin = Ecosystem(cover=0.3, species=(Species(radius=3.0, sediment_response=ALWAYS),))
    land = planted_land(flat_recipe(3200.0).replace(ecosystem=thin))
    before = len(land.landscape.plants.data.vertices)
    bpy.ops.landscape.add_plants(radius=50.0)

    def work(radius: float, seed: int) -> tuple[float, int]:
        there = len(land.landscape.plants.data.vertices)
        begin = time.process_time()
        assert bpy.ops.landscape.add_plants(radius=radius, seed=seed) == {"FINISHED"}
        return time.process_time() - begin, len(land.landscape.plants.data.vertices) - there

    small, few = work(350.0, 1)
    large, many = work(1400.0, 2)
    # 16 times the area: work that grows with the square of it would be 256 times as much.
    assert before > 50_000 and few > 2_000 and 10 < many / few < 20
    assert large < 40.0 * small


@pytest.mark.once
def test_plants_are_added_on_dry_land_alone(blender: None) -> None:
    recipe = core.Recipe.preset("islands", resolution=129, seed=3)
    land = planted_land(recipe.replace(ecosystem=recipe.ecosystem.replace(cover=0.02)))
    carrier, water = land.landscape.plants, land.landscape.water
    land.location, land.rotation_euler = (500.0, 200.0, 0.0), (0.0, 0.0, 0.6)
    bpy.context.view_layer.update()
    bpy.context.scene.cursor.location = land.location
    before = len(carrier.data.vertices)
    assert bpy.ops.landscape.add_plants(radius=1e5) == {"FINISHED"}
    added = places(carrier)[before:]
    assert len(added) > 1000
    half = 0.5 * np.array((recipe.width, recipe.depth))
    assert (np.abs(added[:, :2]) <= half + 1e-3).all()
    tree = BVHTree.FromObject(water, bpy.context.evaluated_depsgraph_get())
    for x, y, z in added:
        hit = tree.ray_cast((x, y, 1e5), (0.0, 0.0, -1.0))[0]
        assert hit is None or hit.z <= z + 0.01
    # The mask that keeps the place planted leaves the sea out, too.
    depth = np.empty(len(land.data.vertices), np.float32)
    land.data.attributes["water_depth"].data.foreach_get("value", depth)
    here = plant_masks.plant_masks(land)[1].ravel()
    assert (depth > 0.0).any() and not here[depth > 0.0].any() and here[depth <= 0.0].all()


def test_too_many_added_plants_are_refused_with_their_number(grown: bpy.types.Object) -> None:
    throwing = grown.landscape.recipe.ecosystem.throwing
    before, mask = len(grown.landscape.plants.data.vertices), plant_masks.plant_masks(grown)
    throwing.most_plants = before + 100
    with pytest.raises(RuntimeError, match=rf"About [\d,]+ plants of \w+ have room within 300 m.* {before + 100:,};"):
        bpy.ops.landscape.add_plants(radius=300.0)
    bpy.context.scene.cursor.location = (5000.0, 0.0, 0.0)
    with pytest.raises(RuntimeError, match="No ground of Alpine lies within 40 m of the 3D cursor"):
        bpy.ops.landscape.add_plants(radius=40.0)
    assert (len(grown.landscape.plants.data.vertices), plant_masks.plant_masks(grown)) == (before, mask)


def test_painted_weights_count_as_masks(grown: bpy.types.Object) -> None:
    assert plant_masks.plant_masks(grown) == (None, None)
    group = grown.vertex_groups.new(name="No Plants")
    group.add(list(range(65)), 0.5, "REPLACE")
    exclusion, _ = plant_masks.plant_masks(grown)
    assert np.all(exclusion[0] == 0.5) and not exclusion[1:].any()
    counts = len(bpy.data.objects), len(bpy.data.scenes), len(bpy.data.node_groups)
    plant_masks.plant_masks(grown)
    assert (len(bpy.data.objects), len(bpy.data.scenes), len(bpy.data.node_groups)) == counts
    assert bpy.ops.landscape.forget_plant_edits() == {"FINISHED"}
    assert plant_masks.plant_masks(grown) == (None, None)


def test_masks_survive_a_mesh_of_another_resolution(grown: bpy.types.Object) -> None:
    bpy.context.scene.cursor.location = (100.0, 50.0, 0.0)
    bpy.ops.landscape.remove_plants(radius=60.0)
    before, _ = plant_masks.plant_masks(grown)
    finer = hills((129, 129), 5.0)
    show_surface(grown, finer.surface, finer.grid)
    after, _ = plant_masks.plant_masks(grown)
    assert after.shape == (129, 129)
    np.testing.assert_allclose(after[::2, ::2], before, atol=1e-5)


def test_real_plants_stand_where_the_instances_stood(grown: bpy.types.Object) -> None:
    carrier = grown.landscape.plants
    grown.location, grown.rotation_euler = (40.0, 30.0, 5.0), (0.0, 0.0, 0.5)
    bpy.context.view_layer.update()
    before = {tuple(np.round(m.translation, 2)): m for _, m in instances(carrier)}
    bpy.context.scene.cursor.location = (40.0, 30.0, 0.0)
    meshes_before = len(bpy.data.meshes)
    assert bpy.ops.landscape.make_plants_real(radius=50.0) == {"FINISHED"}
    real = list(bpy.data.collections["Alpine Real Plants"].objects)
    bpy.context.view_layer.update()
    assert len(real) > 10 and len(bpy.data.meshes) == meshes_before
    for item in real:
        matrix = before.pop(tuple(np.round(item.matrix_world.translation, 2)))
        assert np.allclose(np.array(item.matrix_world), np.array(matrix), atol=1e-3)
        assert len(item.data.polygons) > 600 and item["height"] > 0.0
    assert len(instances(carrier)) == len(before)


def test_too_many_real_plants_are_refused(grown: bpy.types.Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_plants, "MOST_REAL", 10)
    objects, points = len(bpy.data.objects), len(grown.landscape.plants.data.vertices)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    with pytest.raises(RuntimeError, match="at most 10 can be made real"):
        bpy.ops.landscape.make_plants_real(radius=300.0)
    with pytest.raises(RuntimeError, match="no plants in that place"):
        bpy.ops.landscape.make_plants_real(radius=0.01)
    assert (objects, points) == (len(bpy.data.objects), len(grown.landscape.plants.data.vertices))


# --- on any mesh ------------------------------------------------------------------------------------------------------


def dome() -> object:
    """A half sphere with a hole on top, turned and scaled, whose eastern half is painted."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=40.0)
    ball = bpy.context.object
    ball.location, ball.rotation_euler, ball.scale = (300.0, 100.0, 20.0), (0.0, 0.0, 1.0), (1.0, 1.5, 0.5)
    bpy.context.view_layer.update()
    group = ball.vertex_groups.new(name="east")
    east = [v.index for v in ball.data.vertices if (ball.matrix_world @ v.co).x > 300.0]
    group.add(east, 1.0, "REPLACE")
    return ball


def test_plants_stand_on_any_mesh_where_it_is_painted() -> None:
    ball = dome()
    carrier = mesh_planting.plant_on_mesh(ball, "east", SPECIES[:1], 4)
    found = feet(carrier)
    assert len(found) > 20 and carrier.parent == ball
    assert found[:, 0].min() > 290.0
    inverse = ball.matrix_world.inverted()
    for foot in found:
        local = inverse @ Vector(foot)
        assert 39.0 < local.length < 40.1 and local.z > -1.0
    for _, matrix in instances(carrier):
        assert math.degrees(matrix.to_3x3().col[2].angle(Vector((0.0, 0.0, 1.0)))) < 4.01
    everywhere = mesh_planting.plant_on_mesh(ball, "", SPECIES[:1], 4)
    assert everywhere == carrier and len(feet(carrier)) > 1.7 * len(found)


def test_plants_follow_any_mesh() -> None:
    ball = dome()
    carrier = mesh_planting.plant_on_mesh(ball, "", SPECIES[:1], 4)
    before = feet(carrier)
    ball.location.x += 500.0
    bpy.context.view_layer.update()
    np.testing.assert_allclose(feet(carrier), before + np.array((500.0, 0.0, 0.0)), atol=2e-3)
    lift = ball.modifiers.new("higher", "DISPLACE")
    lift.direction, lift.strength, lift.mid_level = "Z", 10.0, 0.0
    np.testing.assert_allclose(feet(carrier), before + np.array((500.0, 0.0, 5.0)), atol=0.02)


def test_no_plants_hang_over_a_hole() -> None:
    bpy.ops.mesh.primitive_torus_add(major_radius=60.0, minor_radius=20.0, major_segments=64, minor_segments=24)
    ring = bpy.context.object
    bpy.context.view_layer.update()
    found = feet(mesh_planting.plant_on_mesh(ring, "", SPECIES[2:], 1))
    middle = np.hypot(found[:, 0], found[:, 1])
    assert len(found) > 100 and middle.min() > 39.5 and middle.max() < 80.5


def test_meshes_that_cannot_be_planted_are_refused() -> None:
    ball = dome()
    objects = len(bpy.data.objects)
    with pytest.raises(ValueError, match="no vertex group or attribute 'west'"):
        mesh_planting.plant_on_mesh(ball, "west", SPECIES, 1)
    with pytest.raises(ValueError, match="Sphere has no place with room"):
        mesh_planting.plant_on_mesh(ball, "", SPECIES, 1, cover=0.0)
    empty = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    bpy.context.scene.collection.objects.link(empty)
    with pytest.raises(ValueError, match="Nothing is not a mesh with faces"):
        mesh_planting.plant_on_mesh(empty, "", SPECIES, 1)
    assert len(bpy.data.objects) == objects + 1


def test_the_operator_plants_the_chosen_species(blender: None) -> None:
    dome()
    assert bpy.ops.landscape.plant_on_mesh(species={"birch", "fern"}, density="east") == {"FINISHED"}
    carrier = bpy.data.objects["Sphere Plants"]
    assert {name.split(" ")[2] for name, _ in instances(carrier)} == {"birch", "fern"}
    with pytest.raises(RuntimeError, match="Sphere has no vertex group"):
        bpy.ops.landscape.plant_on_mesh(density="nowhere")


# --- in a render ------------------------------------------------------------------------------------------------------


def looking_down_at_a_square(attribute: str, scale: float, species: Species) -> None:
    """A square that glows as bright as an attribute of its instance, filling the picture."""
    bpy.ops.mesh.primitive_plane_add(size=1.0)
    square = bpy.context.object
    material = bpy.data.materials.new("Glow")
    tree = compat.enable_nodes(material)
    tree.nodes.clear()
    read, glow, output = (
        tree.nodes.new(kind) for kind in ("ShaderNodeAttribute", "ShaderNodeEmission", "ShaderNodeOutputMaterial")
    )
    read.attribute_name, read.attribute_type = attribute, "INSTANCER"
    factor = tree.nodes.new("ShaderNodeMath")
    factor.operation = "MULTIPLY"
    factor.inputs[1].default_value = scale
    tree.links.new(read.outputs["Fac"], factor.inputs[0])
    tree.links.new(factor.outputs[0], glow.inputs["Strength"])
    tree.links.new(glow.outputs[0], output.inputs["Surface"])
    square.data.materials.append(material)
    collection = bpy.data.collections.new("Square")
    collection.objects.link(square)
    bpy.context.scene.collection.objects.unlink(square)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location.z = 90.0
    bpy.context.scene.collection.objects.link(camera)
    camera.data.type, camera.data.ortho_scale = "ORTHO", 0.2
    scene = bpy.context.scene
    scene.camera = camera
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"


@pytest.mark.parametrize(
    ("attribute", "scale"),
    [
        ("species", 0.5),
        ("variant", 0.25),
        ("age", 0.01),
        ("height", 0.05),
        ("radius", 0.1),
        ("health", 1.0),
        ("rotation", 0.002),
    ],
)
def test_shaders_read_what_is_known_of_a_plant(attribute: str, scale: float, tmp_path: Path) -> None:
    flat = np.zeros((3, 3), np.float32)
    one = np.ones(1, np.float32)
    plants = Plants(
        x=10 * one,
        y=10 * one,
        species=np.array([1], np.int32),
        age=42 * one,
        height=9 * one,
        rotation=120 * one,
        variant=np.array([2], np.int32),
        radius=3 * one,
        health=one * np.float32(0.625),
    )
    looking_down_at_a_square(attribute, scale, SPECIES[1])
    show(Terrain(flat, flat.copy(), 10.0), plants, (SPECIES[0], SPECIES[1].replace(collection="Square")))
    scene = bpy.context.scene
    bpy.context.scene.objects["Land"].hide_render = True
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.filepath = str(tmp_path / "seen.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    image.colorspace_settings.name = "Non-Color"
    # One variant of its own is all the species has.
    expected = 0 if attribute == "variant" else getattr(plants, attribute)[0]
    assert image.pixels[0] == pytest.approx(expected * scale, rel=1e-3)


@pytest.mark.parametrize(("form", "turns"), [("broadleaf", True), ("conifer", False)])
def test_leaves_follow_the_season_and_needles_do_not(form: str, turns: bool, tmp_path: Path) -> None:
    flat, some = np.zeros((3, 3), np.float32), np.ones(4, np.float32)
    zeros = np.zeros(4, np.int32)
    plants = Plants(
        x=10 * some,
        y=10 * some,
        species=zeros,
        age=42 * some,
        height=9 * some,
        rotation=np.arange(4, dtype=np.float32),
        variant=zeros,
        radius=3 * some,
        health=some,
    )
    _, stand = show(Terrain(flat, flat.copy(), 10.0), plants, (SPECIES[0].replace(form=form),))
    bpy.context.scene.objects["Land"].hide_render = True
    look_down(bpy.context.scene, Vector((0.0, 0.0, 90.0)), 2.0)

    def redness(season: float | None) -> float:
        if season is not None:
            stand[SEASON] = season
            stand.update_tag()
        return redness_of_picture(tmp_path)

    unknown, summer, autumn = redness(None), redness(7.0), redness(9.9)
    assert unknown == pytest.approx(summer, rel=0.05)
    if turns:
        assert autumn > 1.5 * summer and redness(0.8) > 1.1 * summer
    else:
        assert autumn == redness(0.8) == pytest.approx(summer, rel=1e-4)


def look_down(scene: bpy.types.Scene, place: Vector, width: float) -> None:
    """Give a scene a camera that sees some metres of ground from above, and a sun."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.data.type, camera.data.ortho_scale = place, "ORTHO", width
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 16, False


def redness_of_picture(folder: Path) -> float:
    """Render the scene, and return how much red there is for its green."""
    render = bpy.context.scene.render
    render.filepath = str(folder / "seen.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(render.filepath)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.array(image.pixels).reshape(-1, image.channels)[:, :2].mean(axis=0)
    bpy.data.images.remove(image)
    return float(pixels[0] / pixels[1])


def test_plants_made_real_keep_their_season_and_follow_that_of_the_land(blender: None, tmp_path: Path) -> None:
    oak = Species(name="oak", form="broadleaf", radius=4.0, height=15.0, sediment_response=ALWAYS)
    flat = flat_recipe(60.0)
    flat = flat.replace(ecosystem=Ecosystem(species=(oak,)), appearance=flat.appearance.replace(season=9.9))
    land = planted_land(flat)
    look_down(bpy.context.scene, Vector((0.0, 0.0, 900.0)), 40.0)
    land.hide_render = True
    instanced = redness_of_picture(tmp_path)
    assert bpy.ops.landscape.make_plants_real(radius=100.0) == {"FINISHED"}
    assert len(land.landscape.plants.data.vertices) == 0
    real = redness_of_picture(tmp_path)
    # Each plant turns at a time of its own, so the colour is not quite the same.
    assert real == pytest.approx(instanced, rel=0.1)
    land.landscape.recipe.appearance.season = 7.0
    bpy.ops.landscape.update()
    assert redness_of_picture(tmp_path) < 0.7 * real
