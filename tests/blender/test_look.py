"""Plants on their places, materials that are there once, and a picture with the mountain in it."""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")

from bpy_extras.object_utils import world_to_camera_view  # noqa: E402
from mathutils import Vector  # noqa: E402

from terrain_addon.blender import compat  # noqa: E402
from terrain_addon.blender.look import scenery  # noqa: E402
from terrain_addon.blender.look.atmosphere import haze_group, sky_group  # noqa: E402
from terrain_addon.blender.look.ground_material import GROUND_COLOURS, GROUND_GROUP, land_material  # noqa: E402
from terrain_addon.blender.look.plant_materials import plant_material  # noqa: E402
from terrain_addon.blender.look.render_settings import RENDER_ENGINES, render_settings  # noqa: E402
from terrain_addon.blender.look.seen_land import SENSOR_WIDTH  # noqa: E402
from terrain_addon.blender.look.shading import finish_material, new_material  # noqa: E402
from terrain_addon.blender.look.views import find_view  # noqa: E402
from terrain_addon.blender.look.world import WORLD_NAME  # noqa: E402
from terrain_addon.blender.plants import plant_assets, scatter_inputs, scatter_modifier, wind_nodes  # noqa: E402
from terrain_addon.core.building.recipe import Appearance  # noqa: E402
from terrain_addon.core.ecosystem.plants import VARIANTS  # noqa: E402
from terrain_addon.core.ecosystem.species import Species  # noqa: E402
from terrain_addon.core.meshing.plant_meshes import (  # noqa: E402
    LEVELS,
    PARTS,
    has_ages,
    make_plant_mesh,
    variant_and_age,
)
from tests.rendered import instances_in_render, instances_of  # noqa: E402

# By name the last would come first, and the tenth before the second.
SPECIES = [Species(name=f"{11 - k} tree", form=("conifer", "broadleaf", "bush")[k % 3]) for k in range(11)]


@pytest.fixture(autouse=True)
def scene() -> Iterator[object]:
    bpy.ops.wm.read_factory_settings()
    yield bpy.context.scene


# --- plants -----------------------------------------------------------------------------------------------------------


def make_points(count: int, species: int) -> tuple[object, dict[str, np.ndarray]]:
    rng = np.random.default_rng(5)
    values = {
        "place": rng.uniform(-2000.0, 2000.0, (count, 3)).astype(np.float32),
        "species": rng.integers(0, species, count).astype(np.int32),
        "variant": rng.integers(0, VARIANTS, count).astype(np.int32),
        "height": rng.uniform(0.2, 40.0, count).astype(np.float32),
        "rotation": rng.uniform(0.0, 360.0, count).astype(np.float32),
        "age": rng.uniform(1.0, 300.0, count).astype(np.float32),
    }
    mesh = bpy.data.meshes.new("points")
    mesh.vertices.add(count)
    mesh.vertices.foreach_set("co", values["place"].ravel())
    for name in ("species", "variant", "height", "rotation", "age"):
        kind = "INT" if values[name].dtype == np.int32 else "FLOAT"
        mesh.attributes.new(name, kind, "POINT").data.foreach_set("value", values[name])
    plants = bpy.data.objects.new("points", mesh)
    bpy.context.scene.collection.objects.link(plants)
    return plants, values


def test_alphabetical_order_of_the_collection_is_the_index() -> None:
    collection = plant_assets.plant_collection(SPECIES)
    plants = sorted(collection.objects, key=lambda o: o.name.casefold())
    stride = plant_assets.variant_stride(SPECIES)
    assert len(plants) == (len(SPECIES) + 2) * stride * LEVELS
    forms = [one.form for one in SPECIES] + ["dead_tree", "dead_wood"]
    for index, plant in enumerate(plants):
        kind, number, level = index // (stride * LEVELS), index // LEVELS % stride, index % LEVELS
        variant, age = variant_and_age(number if has_ages(forms[kind]) else number % VARIANTS)
        shape = make_plant_mesh(forms[kind], variant, level, age)
        assert kind >= len(SPECIES) or SPECIES[kind].name in plant.name
        assert len(plant.data.polygons) == len(shape.triangles)
        points = np.empty(shape.vertices.size, np.float32)
        plant.data.vertices.foreach_get("co", points)
        assert np.array_equal(points.reshape(-1, 3), shape.vertices)
    assert all(collection.name not in s.collection.children for s in bpy.data.scenes)


def test_plant_meshes_carry_parts_normals_and_tint() -> None:
    plant = plant_assets.plant_collection([Species(form="broadleaf")]).objects[0]
    mesh, shape = plant.data, make_plant_mesh("broadleaf", 0)
    parts = np.empty(len(shape.part), np.int32)
    mesh.polygons.foreach_get("material_index", parts)
    assert np.array_equal(parts, shape.part)
    assert [m.name for m in mesh.materials] == ["Plant Bark", "Plant Leaves", "Plant Rock"]
    tint = np.empty(4 * len(shape.tint), np.float32)
    mesh.attributes["tint"].data.foreach_get("color", tint)
    assert np.allclose(tint.reshape(-1, 4)[:, 3], shape.tint)
    wind = np.empty(4 * len(shape.wind), np.float32)
    mesh.attributes["wind"].data.foreach_get("color", wind)
    assert np.array_equal(wind.reshape(-1, 4)[:, :3], shape.wind)
    normals = np.array([n.vector for n in mesh.corner_normals])
    # Blender keeps custom normals as two 16-bit angles from its own, a degree apart at most.  It loses some at the ends
    # of thin branches, where its own normals lie across the branch; leaves have no such ends.
    away = np.abs(normals - shape.normals[shape.triangles.ravel()]).max(axis=1)
    points = np.repeat(shape.part, 3) == PARTS.index("bark")
    assert away[~points].max() < 0.02
    differ = away > 0.02
    assert differ.mean() < 0.01 and len(np.unique(shape.triangles.ravel()[differ])) < 20
    assert not mesh.validate()


def test_instances_stand_where_the_points_are() -> None:
    plants, values = make_points(600, len(SPECIES))
    stride = plant_assets.variant_stride(SPECIES)
    scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES), variants=stride)
    bpy.context.scene.camera = None
    plants.location = (100.0, -50.0, 7.0)
    found = instances_of(bpy.context.evaluated_depsgraph_get(), plants)
    assert len(found) == 600
    for k, (name, matrix) in enumerate(found):
        # Without a camera, in the middle level of detail.
        place = (values["species"][k] * stride + values["variant"][k]) * LEVELS + 1
        assert name.startswith(f"Plant {place:05d} ")
        place = Vector(values["place"][k].tolist()) + plants.location
        assert np.allclose(matrix.translation, place, rtol=1e-4, atol=1e-4)
        # It leans a little, and is slim or broad; it is turned and as high as the point says.
        _, turn, scale = matrix.decompose()
        aside = turn.to_matrix().col[0]
        wanted = math.radians(values["rotation"][k])
        assert math.isclose(math.cos(math.atan2(aside.y, aside.x) - wanted), 1.0, abs_tol=1e-5)
        assert turn.to_matrix().col[2].angle(Vector((0.0, 0.0, 1.0))) < math.radians(4.01)
        assert math.isclose(scale.z, values["height"][k], rel_tol=1e-4)
        assert 0.849 < scale.x / scale.z < 1.201


def test_viewport_shows_a_share_and_render_everything() -> None:
    plants, _ = make_points(4000, 1)
    modifier = scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES), 25.0)
    few = instances_of(bpy.context.evaluated_depsgraph_get(), plants)
    assert 900 < len(few) < 1100
    assert len(instances_in_render(plants)) == 4000

    scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES), 50.0)
    more = instances_of(bpy.context.evaluated_depsgraph_get(), plants)
    assert 1900 < len(more) < 2100
    places = {tuple(m.translation) for _, m in more}
    assert all(tuple(m.translation) in places for _, m in few)

    for share, expected in ((100.0, 4000), (0.0, 0)):
        compat.set_modifier_input(modifier, scatter_inputs.SHARE_INPUT, share)
        assert len(instances_of(bpy.context.evaluated_depsgraph_get(), plants)) == expected


def test_instances_carry_what_shaders_read() -> None:
    plants, values = make_points(50, 2)
    scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES))
    # Instances cannot be asked for attributes in 4.2, so a second modifier turns each into a point that can.
    tree = bpy.data.node_groups.new("as points", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = [
        tree.nodes.new(n) for n in ("NodeGroupInput", "GeometryNodeInstancesToPoints", "GeometryNodePointsToVertices")
    ]
    nodes.append(tree.nodes.new("NodeGroupOutput"))
    for source, target in pairwise(nodes):
        tree.links.new(source.outputs[0], target.inputs[0])
    plants.modifiers.new("as points", "NODES").node_group = tree
    mesh = plants.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    for name in ("species", "age"):
        read = np.empty(50, values[name].dtype)
        mesh.attributes[name].data.foreach_get("value", read)
        assert np.array_equal(read, values[name])


def test_scatter_modifier_and_tree_are_made_once() -> None:
    plants, _ = make_points(3, 1)
    collection = plant_assets.plant_collection(SPECIES)
    first = scatter_modifier.add_scatter_modifier(plants, collection)
    assert compat.modifier_input(first, scatter_inputs.SHARE_INPUT) == 100.0
    assert scatter_modifier.add_scatter_modifier(plants, collection, 10.0) == first
    assert scatter_modifier.add_scatter_modifier(plants, collection) == first
    assert len(plants.modifiers) == 1
    assert len([g for g in bpy.data.node_groups if g.bl_idname == "GeometryNodeTree"]) == 1
    assert compat.modifier_input(first, scatter_inputs.SHARE_INPUT) == 10.0
    assert compat.modifier_input(first, scatter_inputs.COLLECTION_INPUT) == collection


@pytest.mark.parametrize("share", [-1.0, 100.5, math.nan])
def test_impossible_shares_are_refused(share: float) -> None:
    plants, _ = make_points(3, 1)
    with pytest.raises(ValueError, match="viewport_share"):
        scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES), share)
    assert not plants.modifiers


def test_unknown_modifier_inputs_are_refused() -> None:
    plants, _ = make_points(3, 1)
    modifier = scatter_modifier.add_scatter_modifier(plants, plant_assets.plant_collection(SPECIES))
    with pytest.raises(
        ValueError, match="no input 'Share'; it has: Points, Collection, Land, Variants, Viewport Share"
    ):
        compat.set_modifier_input(modifier, "Share", 1.0)


def test_plant_collection_is_reused_and_repaired() -> None:
    collection = plant_assets.plant_collection(SPECIES)
    counts = len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections)
    assert plant_assets.plant_collection(SPECIES) == collection
    assert (len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections)) == counts

    collection.name = "mine"
    names = sorted(o.name for o in collection.objects)
    bpy.data.objects.remove(collection.objects[names[4]])
    collection.objects[names[7]].name = "zzz"
    collection.objects.link(bpy.data.objects.new("a stranger", None))
    assert plant_assets.plant_collection(SPECIES) == collection
    assert sorted(o.name for o in collection.objects) == names


def test_a_mesh_that_the_user_put_in_stays() -> None:
    collection = plant_assets.plant_collection(SPECIES)
    own = bpy.data.meshes.new("own tree")
    plant = sorted(collection.objects, key=lambda o: o.name)[5]
    plant.data = own
    plant_assets.plant_collection(SPECIES)
    assert plant.data == own


def test_another_list_of_species_leaves_the_first_collection_alone() -> None:
    plants, _ = make_points(3, 1)
    first = plant_assets.plant_collection(SPECIES[:2])
    scatter_modifier.add_scatter_modifier(plants, first)
    before = sorted(o.name for o in first.objects)
    assert plant_assets.plant_collection(SPECIES[1:3]) != first
    assert sorted(o.name for o in first.objects) == before


def test_a_collection_that_nothing_shows_any_more_does_not_stay_in_the_file(tmp_path: Path) -> None:
    plants, _ = make_points(3, 1)
    plant_assets.plant_collection(SPECIES[:2])
    second = plant_assets.plant_collection(SPECIES[1:3])
    scatter_modifier.add_scatter_modifier(plants, second)
    name, count = second.name, len(second.objects)
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "land.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    assert [c.name for c in bpy.data.collections if c.name.startswith("Landscape")] == [name]
    assert len([o for o in bpy.data.objects if o.name.startswith("Plant ")]) == count


def test_no_species_are_refused() -> None:
    with pytest.raises(ValueError, match="species"):
        plant_assets.plant_collection([])


# --- materials --------------------------------------------------------------------------------------------------------


def make_all_materials() -> list[object]:
    land = bpy.data.materials.get("Landscape")
    made = land_material(Appearance(), land)
    return [made, plant_material("bark"), plant_material("foliage")]


def test_materials_are_made_once() -> None:
    made = make_all_materials()
    counts = len(bpy.data.materials), len(bpy.data.node_groups)
    assert make_all_materials() == made
    assert (len(bpy.data.materials), len(bpy.data.node_groups)) == counts


def test_materials_are_made_again_after_deletion_or_renaming() -> None:
    land, bark, _ = make_all_materials()
    bpy.data.materials.remove(land)
    bark.name = "mine"
    bpy.data.node_groups.remove(bpy.data.node_groups[GROUND_GROUP])
    assert [m.name for m in make_all_materials()] == ["Landscape", "Plant Bark", "Plant Foliage"]
    assert plant_material("bark") != bark


def test_every_node_of_the_materials_is_of_use_and_linked() -> None:
    make_all_materials()
    trees = [m.node_tree for m in bpy.data.materials if m.name.startswith(("Landscape", "Plant"))]
    trees += [g for g in bpy.data.node_groups if g.bl_idname == "ShaderNodeTree"]
    sections = [tree for tree in trees if tree.name.startswith(f"{GROUND_GROUP} ")]
    assert len(trees) - len(sections) == 7 and len(sections) > 8
    for tree in trees:
        # Blender looks at a whole tree after each new node, and so do people.
        assert len(tree.nodes) < 250
        assert all(link.is_valid for link in tree.links)
        for node in tree.nodes:
            ends = node.type in ("OUTPUT_MATERIAL", "GROUP_OUTPUT")
            assert ends or any(s.is_linked for s in node.outputs), f"{node.name} of {tree.name} leads nowhere"
            # Nodes that EEVEE cannot draw.
            assert node.type not in ("BEVEL", "AMBIENT_OCCLUSION", "SCRIPT", "TEX_POINTDENSITY", "BSDF_HAIR")


def ground_inputs() -> object:
    nodes = bpy.data.materials["Landscape"].node_tree.nodes
    return next(n for n in nodes if n.type == "GROUP" and n.node_tree.name == GROUND_GROUP).inputs


def test_appearance_is_set_and_the_rest_is_left_alone() -> None:
    material = land_material(Appearance(snow_line=1234.0))
    assert ground_inputs()["Snow Line"].default_value == 1234.0
    assert list(ground_inputs()["Rock"].default_value) == pytest.approx([*GROUND_COLOURS["rock"], 1.0])
    ground_inputs()["Rock"].default_value = (0.4, 0.2, 0.1, 1.0)
    assert land_material(Appearance(snow_line=99.0, vegetation=0.5), material) == material
    assert ground_inputs()["Snow Line"].default_value == 99.0
    assert ground_inputs()["Vegetation"].default_value == 0.5
    assert list(ground_inputs()["Rock"].default_value) == pytest.approx([0.4, 0.2, 0.1, 1.0])


def test_every_land_has_a_material_of_its_own() -> None:
    first, second = land_material(Appearance(snow_line=1.0)), land_material(Appearance())
    assert first != second
    assert ground_inputs()["Snow Line"].default_value == 1.0
    assert first.node_tree.nodes.keys() == second.node_tree.nodes.keys()


def test_a_material_of_the_users_own_stays_as_it_is() -> None:
    mine = bpy.data.materials.new("mine")
    assert land_material(Appearance(), mine) == mine
    assert GROUND_GROUP not in [
        n.node_tree.name for n in (mine.node_tree.nodes if mine.node_tree else []) if n.type == "GROUP"
    ]


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="part = 'root' is none of: bark, foliage"):
        plant_material("root")


# --- scenery ----------------------------------------------------------------------------------------------------------

CELL = 12.0


def make_land(rows: int = 129, columns: int = 161, lift: float = 900.0) -> object:
    """A land with one pointed summit off its middle, lower hills and a border that is not level."""
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float64) * CELL
    x, y = x - 0.5 * (columns - 1) * CELL, y - 0.5 * (rows - 1) * CELL
    heights = lift + 60.0 * np.sin(x / 130.0) * np.cos(y / 170.0) + 0.05 * x
    heights += 620.0 * np.exp(-np.hypot(x - 250.0, y + 200.0) / 350.0)
    points = np.stack([x, y, heights], -1).astype(np.float32).reshape(-1, 3)
    mesh = bpy.data.meshes.new("Landscape")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    land = bpy.data.objects.new("Landscape", mesh)
    bpy.context.scene.collection.objects.link(land)
    return land


def world_points(land: object) -> np.ndarray:
    points = np.empty(3 * len(land.data.vertices), np.float32)
    land.data.vertices.foreach_get("co", points)
    matrix = np.array(land.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def assert_frames(scene: object, land: object) -> None:
    """The camera is above all ground around it, and the summit is in the picture with nothing in front."""
    bpy.context.view_layer.update()
    points, camera = world_points(land), scene.camera
    eye = np.array(camera.matrix_world.translation)
    around = np.hypot(*(points[:, :2] - eye[:2]).T) < 40.0
    assert around.any()
    assert eye[2] > points[around, 2].max() + 10.0

    summit = points[points[:, 2].argmax()]
    across, up, distance = world_to_camera_view(scene, camera, Vector(summit.tolist()))
    assert 0.05 < across < 0.95
    assert 0.5 < up < 0.97
    assert camera.data.clip_start < distance < camera.data.clip_end
    furthest = np.linalg.norm(points - eye, axis=1).max()
    # Beyond ground that air hides wholly, nothing is cut off.
    assert camera.data.clip_end > max(furthest, 5.0 * haze_group().nodes["Visibility"].outputs[0].default_value)

    way = np.linspace(0.02, 0.97, 400)[:, None]
    line = eye + way * (summit - eye)
    nearest = np.array([np.hypot(*(points[:, :2] - p[:2]).T).argmin() for p in line])
    assert (line[:, 2] > points[nearest, 2] - 5.0).all()


@pytest.mark.parametrize("lift", [-3000.0, 0.0, 6000.0])
def test_camera_is_above_ground_and_frames_the_summit(scene: object, lift: float) -> None:
    land = make_land(lift=lift)
    scenery.set_scenery(scene, land)
    assert_frames(scene, land)


@pytest.mark.parametrize("shape", ["bowl", "rough", "flat", "smallest"])
def test_views_are_above_all_ground_nearby(shape: str) -> None:
    side = 2 if shape == "smallest" else 65
    y, x = np.mgrid[-1.0 : 1.0 : side * 1j, -1.0 : 1.0 : side * 1j]
    heights = {
        "bowl": 800.0 * (x * x + y * y),
        "rough": np.random.default_rng(1).uniform(0.0, 600.0, x.shape),
        "flat": 0.0 * x,
        "smallest": x + y,
    }[shape].astype(np.float32)
    view = find_view(heights, 2000.0, 2000.0)
    near = np.hypot(1000.0 * x - view.x, 1000.0 * y - view.y) < 30.0
    assert abs(view.x) < 1000.0
    assert abs(view.y) < 1000.0
    assert view.z > heights[near].max(initial=float(heights.min())) + 20.0
    assert -40.0 < view.pitch < 40.0


def test_the_view_of_an_island_shows_the_sea() -> None:
    y, x = np.mgrid[-1.0:1.0:65j, -1.0:1.0:65j]
    heights = (600.0 * (1.0 - 1.6 * np.hypot(x, y)) + 90.0 * np.sin(9.0 * x) * np.sin(8.0 * y)).astype(np.float32)
    view = find_view(heights, 2000.0, 2000.0, sea_level=0.0)
    # A picture of 33 × 18 rays; each goes on until it meets the ground or the sea.
    across, up = np.meshgrid(np.linspace(-1.0, 1.0, 33), np.linspace(-1.0, 1.0, 18) * 9.0 / 16.0)
    reach = SENSOR_WIDTH / 2.0 / view.lens
    turn = math.radians(view.heading) - np.arctan(across * reach)
    rise = math.radians(view.pitch) + np.arctan(up * reach)
    way = np.geomspace(20.0, 6000.0, 300)[:, None, None]
    east, north = view.x + way * np.cos(turn), view.y + way * np.sin(turn)
    cone = 600.0 * (1.0 - 1.6 * np.hypot(east, north) / 1000.0)
    ground = np.where(np.maximum(np.abs(east), np.abs(north)) > 1000.0, -1.0, cone)
    met = view.z + way * np.tan(rise) < np.maximum(ground, 0.0)
    first = np.take_along_axis(ground, met.argmax(axis=0)[None], axis=0)[0]
    sea, land = ((met.any(axis=0) & part).mean() for part in (first < 0.0, first > 0.0))
    assert sea > 0.15 and land > 0.1


def test_the_view_of_islands_looks_into_their_shallows() -> None:
    y, x = np.mgrid[-1.0:1.0:65j, -1.0:1.0:65j]
    hills = [700.0 * np.exp(-(np.hypot(x - east, y - north) ** 2) / 0.05) for east, north in ((-0.4, 0.3), (0.4, -0.2))]
    view = find_view((sum(hills) - 10.0).astype(np.float32), 8000.0, 8000.0, sea_level=0.0)
    # The near coast of the nearer island is seen so steeply that its water is not a mirror only, and the horizon shows.
    coast = min(math.hypot(4000.0 * x - view.x, 4000.0 * y - view.y) for x, y in ((-0.4, 0.3), (0.4, -0.2))) - 1600.0
    assert math.degrees(math.atan2(view.z, max(coast, 1.0))) > 8.0
    assert view.pitch + 0.5 * math.degrees(2.0 * math.atan(0.5 * SENSOR_WIDTH * 9.0 / 16.0 / view.lens)) > 0.0


def test_the_view_of_a_plain_shows_its_river() -> None:
    y, x = np.mgrid[-1.0:1.0:65j, -1.0:1.0:65j]
    # It falls to the south and towards a river that winds.
    heights = (20.0 * y + 15.0 * np.abs(x - 0.3 * np.sin(3.0 * y))).astype(np.float32)
    view = find_view(heights, 4000.0, 4000.0)
    aside = abs(view.x - 2000.0 * 0.3 * math.sin(3.0 * view.y / 2000.0))
    assert view.name == "vista" and aside < 150.0 and view.z < heights.max() + 150.0


def test_the_view_of_a_volcano_looks_into_its_crater() -> None:
    y, x = np.mgrid[-1000.0:1000.0:101j, -1000.0:1000.0:101j]
    away = np.hypot(x - 100.0, y)
    # A straight cone with a rim 160 m from the vent, and a crater 55 m deep.
    heights = np.where(away < 160.0, 645.0 + 55.0 * (away / 160.0) ** 2, 700.0 - 0.7 * (away - 160.0))
    view = find_view(heights.astype(np.float32), 2000.0, 2000.0)
    # A point half way up the wall on the far side.
    turn = math.atan2(-view.y, 100.0 - view.x)
    wall = (100.0 + 112.0 * math.cos(turn), 112.0 * math.sin(turn), 672.0)
    share = np.linspace(0.0, 0.99, 200)
    line = [start + share * (end - start) for start, end in zip((view.x, view.y, view.z), wall)]
    away = np.hypot(line[0] - 100.0, line[1])
    below = np.where(away < 160.0, 645.0 + 55.0 * (away / 160.0) ** 2, 700.0 - 0.7 * (away - 160.0))
    assert (line[2] >= below - 1.0).all(), "the rim hides the crater"
    # And the crater is in the picture.
    aside = math.degrees(math.atan2(-view.y, 100.0 - view.x)) - view.heading
    down = math.degrees(math.atan2(645.0 - view.z, math.hypot(100.0 - view.x, view.y)))
    half, upright = (math.degrees(math.atan(share * SENSOR_WIDTH / 2.0 / view.lens)) for share in (1.0, 9.0 / 16.0))
    assert abs((aside + 180.0) % 360.0 - 180.0) < half and abs(down - view.pitch) < upright
    # So is the horizon beyond it, with some sky.
    assert -view.pitch < 0.85 * upright
    # And on both sides the flanks, far below the rim.
    flank = math.degrees(math.atan2(420.0, math.hypot(100.0 - view.x, view.y)))
    assert flank < half


def test_a_line_of_heights_has_no_view() -> None:
    with pytest.raises(ValueError, match="1 × 9 samples"):
        find_view(np.zeros((1, 9), np.float32), 10.0, 10.0)


def test_camera_follows_a_land_that_is_moved_turned_and_scaled(scene: object) -> None:
    land = make_land()
    land.location, land.scale = (5000.0, -800.0, 120.0), (2.0, 2.0, 3.0)
    land.rotation_euler = (0.0, 0.0, 1.1)
    scenery.set_scenery(scene, land)
    assert_frames(scene, land)


def test_upright_pictures_are_framed_too(scene: object) -> None:
    render_settings(scene, "CYCLES", (720, 1280), 4)
    land = make_land()
    scenery.set_scenery(scene, land)
    assert_frames(scene, land)


def test_sun_and_sky_agree_and_the_sun_is_low(scene: object) -> None:
    scenery.set_scenery(scene, make_land())
    bpy.context.view_layer.update()
    sun = next(o for o in scene.objects if o.type == "LIGHT" and o.data.type == "SUN")
    to_sun = sun.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))
    sky = next(n for n in sky_group().nodes if n.type == "TEX_SKY")
    assert 15.0 < math.degrees(sky.sun_elevation) < 25.0
    level = math.cos(sky.sun_elevation)
    # The sky turns clockwise from north.
    in_sky = (level * math.sin(sky.sun_rotation), level * math.cos(sky.sun_rotation), math.sin(sky.sun_elevation))
    assert list(to_sun) == pytest.approx(in_sky, abs=1e-5)


def test_brightest_place_of_the_rendered_sky_is_where_the_sun_is(scene: object, tmp_path: object) -> None:
    scenery.set_scenery(scene, make_land())
    for thing in list(scene.objects):
        if thing.type in ("MESH", "LIGHT"):
            bpy.data.objects.remove(thing)
    # Clouds on another side may be as bright.
    scene.world.node_tree.nodes["Clouds"].outputs[0].default_value = 0.0
    sky = next(n for n in sky_group().nodes if n.type == "TEX_SKY")
    brightness = []
    # Towards the sun and to three other sides; rotations of a camera count the other way round than the sky's.
    for side in range(4):
        scene.camera.rotation_euler = (math.radians(105.0), 0.0, -sky.sun_rotation + side * math.radians(90.0))
        brightness.append(mean_of_render(scene, tmp_path / f"{side}.exr"))
    assert brightness[0] > 1.15 * max(brightness[1:])


def test_ground_fades_into_the_sky_below_a_high_camera(scene: object, tmp_path: object) -> None:
    """Air is thin up there; without a fade the ground would end at a dark line."""
    land = make_land()
    scenery.set_scenery(scene, land)
    scene.world.node_tree.nodes["Clouds"].outputs[0].default_value = 0.0
    top = float(world_points(land)[:, 2].max())
    bpy.data.objects.remove(land)
    bpy.ops.mesh.primitive_plane_add(size=100_000.0, location=(0.0, 0.0, 900.0))
    black, nodes = new_material("Black", (0.0, 0.0, 0.0))
    finish_material(nodes, nodes.node("ShaderNodeBsdfDiffuse", {"Color": (0.0, 0.0, 0.0)}).outputs[0])
    bpy.context.object.data.materials.append(black)
    camera = scene.camera
    camera.location, camera.rotation_euler = (0.0, 0.0, top + 1500.0), (math.radians(90.0), 0.0, 0.0)
    camera.data.lens = 18.0
    ground = rendered(scene, tmp_path / "ground.exr", (16, 64)).mean(axis=1)
    bpy.data.objects.remove(bpy.context.object)
    # Below the horizon the world has the colour of the sky there.
    share = ground / rendered(scene, tmp_path / "sky.exr", (16, 64)).mean(axis=1)
    # The lowest row shows black ground 2 km away, the middle one the horizon.
    assert share[0] < 0.6 and share[30] > 0.85 and share[31] > 0.98


def test_flat_land_lies_deeper_in_haze_than_mountains(scene: object) -> None:
    land = make_land()
    seen = []
    for height in (1.0, 0.02):
        scale = np.array((1.0, 1.0, height), np.float32)
        points = np.empty(3 * len(land.data.vertices), np.float32)
        land.data.vertices.foreach_get("co", points)
        land.data.vertices.foreach_set("co", (points.reshape(-1, 3) * scale).ravel())
        scenery.set_scenery(scene, land)
        seen.append(haze_group().nodes["Visibility"].outputs[0].default_value)
    assert seen[0] > 1.4 * seen[1] > 0.0


def mean_of_render(scene: object, path: object) -> float:
    return float(rendered(scene, path, (16, 16)).mean())


def rendered(scene: object, path: object, size: tuple[int, int]) -> np.ndarray:
    """A picture's linear light (rows from below, columns), the mean of its three colours."""
    render_settings(scene, "CYCLES", size, 1)
    scene.render.image_settings.file_format = "OPEN_EXR"  # as it is, without the transform for screens
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.empty(size[0] * size[1] * 4, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(size[1], size[0], 4)[..., :3].mean(axis=2)


def test_eevee_has_a_sky_that_it_compiles_soon(scene: object) -> None:
    """Where a processor draws, a sky with 19 textures took EEVEE minutes; with 7 it takes 10 seconds."""
    scenery.set_scenery(scene, make_land())
    outputs = [node for node in scene.world.node_tree.nodes if node.type == "OUTPUT_WORLD"]
    assert sorted(node.target for node in outputs) == ["CYCLES", "EEVEE"]
    behind = list(outputs[[node.target for node in outputs].index("EEVEE")].inputs)
    seen = set()
    while behind:
        for link in behind.pop().links:
            if link.from_node not in seen:
                seen.add(link.from_node)
                behind.extend(link.from_node.inputs)
    assert 1 <= sum(node.type == "TEX_NOISE" for node in seen) <= 7


def test_scenery_is_set_once(scene: object) -> None:
    land = make_land()
    scenery.set_scenery(scene, land)
    counts = len(bpy.data.objects), len(bpy.data.worlds), len(bpy.data.node_groups), len(bpy.data.lights)
    scenery.set_scenery(scene, land)
    assert (len(bpy.data.objects), len(bpy.data.worlds), len(bpy.data.node_groups), len(bpy.data.lights)) == counts


def test_camera_follows_a_new_land_until_the_user_moves_it(scene: object) -> None:
    land = make_land()
    scenery.set_scenery(scene, land)
    before = scene.camera.location.copy()
    land.location.z = 500.0
    scenery.set_scenery(scene, land)
    assert scene.camera.location.z == pytest.approx(before.z + 500.0)

    scene.camera.location.x += 3.0
    moved = scene.camera.location.copy()
    land.location.z = 0.0
    scenery.set_scenery(scene, land)
    assert scene.camera.location == moved


def test_what_the_user_has_stays(scene: object) -> None:
    camera = bpy.data.objects.new("mine", bpy.data.cameras.new("mine"))
    camera.location, camera.data.lens = (1.0, 2.0, 3000.0), 85.0
    sun = bpy.data.objects.new("my sun", bpy.data.lights.new("my sun", "SUN"))
    sun.rotation_euler, sun.data.energy = (0.4, 0.2, 2.0), 2.5
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    world = bpy.data.worlds.new("my world")
    compat.enable_nodes(world).nodes["Background"].inputs["Color"].default_value = (0.2, 0.5, 0.9, 1.0)
    scene.camera, scene.world = camera, world
    scene.view_settings.look = "AgX - Punchy"
    objects = set(bpy.data.objects)
    land = make_land()
    scenery.set_scenery(scene, land)

    assert set(bpy.data.objects) == objects | {land}
    assert scene.camera == camera
    assert tuple(camera.location) == (1.0, 2.0, 3000.0)
    assert camera.data.lens == 85.0
    assert tuple(sun.rotation_euler) == pytest.approx((0.4, 0.2, 2.0))
    assert sun.data.energy == 2.5
    assert scene.world == world
    assert len(world.node_tree.nodes) == 2
    assert scene.view_settings.look == "AgX - Punchy"
    # Under a sky that is not ours the haze would have the wrong colour.
    assert haze_group().nodes["Visibility"].outputs[0].default_value >= 1e9


def test_startup_camera_and_world_count_as_none(scene: object) -> None:
    startup = scene.camera
    scenery.set_scenery(scene, make_land())
    assert scene.camera != startup
    assert startup.name in scene.objects
    assert scene.world.name == WORLD_NAME


def test_what_is_no_land_is_refused_before_anything_changes(scene: object) -> None:
    camera, world, objects = scene.camera, scene.world, set(bpy.data.objects)
    with pytest.raises(ValueError, match="Cube with 8 vertices is not a land"):
        scenery.set_scenery(scene, bpy.data.objects["Cube"])
    with pytest.raises(ValueError, match="Light is a light, not a land"):
        scenery.set_scenery(scene, bpy.data.objects["Light"])
    assert (scene.camera, scene.world, set(bpy.data.objects)) == (camera, world, objects)


@pytest.mark.parametrize("engine", RENDER_ENGINES)
def test_render_settings_reach_the_engine(scene: object, engine: str) -> None:
    render_settings(scene, engine, (640, 360), 7)
    assert (scene.render.resolution_x, scene.render.resolution_y) == (640, 360)
    assert engine in scene.render.engine
    if engine == "CYCLES":
        assert scene.cycles.samples == 7
    elif engine == "EEVEE":
        assert scene.eevee.taa_render_samples == 7


@pytest.mark.parametrize(
    ("engine", "size", "samples"), [("LUXCORE", (64, 64), 1), ("CYCLES", (0, 64), 1), ("CYCLES", (64, 64), 0)]
)
def test_impossible_render_settings_are_refused(
    scene: object, engine: str, size: tuple[int, int], samples: int
) -> None:
    before = scene.render.engine, scene.render.resolution_x, scene.cycles.samples
    with pytest.raises(ValueError, match="is"):
        render_settings(scene, engine, size, samples)
    assert (scene.render.engine, scene.render.resolution_x, scene.cycles.samples) == before


def test_wind_moves_plants_in_time_and_leaves_still_ones_alone() -> None:
    plants, _ = make_points(5, 1)
    collection = plant_assets.plant_collection(SPECIES)
    scatter_modifier.add_scatter_modifier(plants, collection)
    model = min(collection.objects, key=lambda one: one.name)

    def places_at(frame: int) -> np.ndarray:
        bpy.context.scene.frame_set(frame)
        points = np.empty(3 * len(model.data.vertices), np.float32)
        model.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices.foreach_get("co", points)
        return points.reshape(-1, 3)

    bpy.context.scene.collection.children.link(collection)
    still = places_at(1)
    wind_nodes.set_wind(plants, 10.0)
    early, late = places_at(1), places_at(20)
    assert np.abs(early - late).max() > 0.005
    foot = still[:, 2] < 0.0
    assert np.allclose(early[foot], still[foot]) and np.abs(early - still).max() < 0.1
    wind_nodes.set_wind(plants, 0.0)
    assert not model.modifiers and np.array_equal(places_at(20), still)
    with pytest.raises(ValueError, match=re.escape("wind = 50.0 m/s is outside 0 to 40 m/s")):
        wind_nodes.set_wind(plants, 50.0)


def test_leaves_are_cut_to_their_size_near_the_camera_only() -> None:
    """A twig near the camera shows leaves; far away it is one piece, which costs a renderer nothing."""
    fine, coarse = (plant_assets.plant_mesh("oak", 0, level) for level in (0, 2))
    assert fine.materials[1].name == "Plant Leaves" and coarse.materials[1].name == "Plant Foliage"
    length, width, _ = fine["landscape_leaf_shape"]
    assert 0.05 < length < 0.2 and 0.02 < length * width < 0.1
    assert plant_assets.plant_mesh("fern", 0).materials[1].name == "Plant Foliage"
