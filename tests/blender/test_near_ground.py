"""The ground near the camera: in renders it has relief, tufts and stones where they belong, in viewports it is bare."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from terrain_addon.blender import compat
from terrain_addon.blender.land.attachments import own_attachments
from terrain_addon.blender.land.building import build_landscape
from terrain_addon.blender.land.land_objects import add_landscape, update_landscape
from terrain_addon.blender.plants.near_ground import (
    AMOUNT_INPUT,
    NEAR_GROUND,
    REACH_INPUT,
    RELIEF_INPUT,
    ROADS_INPUT,
    VIEWPORT_INPUT,
    near_ground_carrier,
)
from terrain_addon.blender.plants.scatter_inputs import LAND_INPUT
from terrain_addon.core import Recipe, Road, build
from terrain_addon.core.building.recipe import load_recipe
from terrain_addon.core.meshing.residual import mesh_heights

# As stored, because the tests look at one place of it.
HILLS = load_recipe(Path(__file__).parents[1] / "data" / "recipes" / "rolling_hills.json").replace(
    width=300.0, depth=300.0, resolution=65
)


@pytest.fixture
def meadow(blender: None) -> bpy.types.Object:
    """Hills of 300 m with a camera 4 m above their middle that looks north."""
    return seen(HILLS)


def seen(recipe: Recipe) -> bpy.types.Object:
    """A land of 65 × 65 samples with a camera 4 m above its middle that looks north."""
    scene, landscape = bpy.context.scene, build(recipe)
    land = add_landscape(scene.collection, landscape)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (1.0, 0.0, float(landscape.terrain.surface[32, 32]) + 4.0)
    camera.rotation_euler = (1.4, 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    return land


def strewn(land: bpy.types.Object, **inputs: float | bool) -> np.ndarray:
    """Where tufts and stones lie, shape (things, 3), with these inputs of the modifier."""
    carrier = near_ground_carrier(land)
    for name, value in inputs.items():
        compat.set_modifier_input(carrier.modifiers[NEAR_GROUND], name, value)
    carrier.update_tag()
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    places = [
        tuple(one.matrix_world.translation)
        for one in graph.object_instances
        if one.is_instance and one.object.name.startswith("Near Ground")
    ]
    return np.array(places).reshape(-1, 3)


def things(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Where things of a kind lie, shape (things, 3), and how large they are, the same shape."""
    graph = bpy.context.evaluated_depsgraph_get()
    found = [
        (tuple(one.matrix_world.translation), tuple(one.matrix_world.to_scale()))
        for one in graph.object_instances
        if one.is_instance and one.object.name.startswith("Near Ground") and kind in one.object.name
    ]
    places, sizes = np.array(found).reshape(-1, 2, 3).transpose(1, 0, 2)
    return places, sizes


def relief(land: bpy.types.Object, **inputs: float | bool) -> np.ndarray:
    """The vertices of the finer ground near the camera, shape (vertices, 3), with these inputs of the modifier."""
    strewn(land, **inputs)
    mesh = land.landscape.plants.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    used = np.empty(len(mesh.loops), np.int32)  # the plants themselves are loose points
    mesh.loops.foreach_get("vertex_index", used)
    places = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", places.ravel())
    return places[np.unique(used)]


def test_relief_near_the_camera_is_geometry_in_renders_only(meadow: bpy.types.Object) -> None:
    before = meadow.data.vertices[0].co.copy(), len(meadow.data.vertices)
    assert len(relief(meadow)) == 0
    places = relief(meadow, **{VIEWPORT_INPUT: True})
    assert 50_000 < len(places) < 400_000
    # It hides the mesh, stands out by less than a man's height, and sinks where it ends.
    heights = np.array([vertex.co.z for vertex in meadow.data.vertices], np.float32).reshape(65, 65)
    cell = 300.0 / 64.0
    fine = mesh_heights(heights, cell, (65 * 16, 65 * 16), cell / 16.0)
    column, row = np.rint((places[:, :2] + 150.0) * 16.0 / cell).astype(int).clip(0, 65 * 16 - 1).T
    above = places[:, 2] - fine[row, column]
    assert np.quantile(above, 0.9) > 0.05 and above.max() < 2.0 and above.min() > -0.4
    # It is as rough as ground, which a smooth mesh is not.
    assert np.ptp(above) > 0.15
    assert len(relief(meadow, **{RELIEF_INPUT: 0.0})) == 0
    assert len(relief(meadow, **{RELIEF_INPUT: 1.0, "Colouring": 1.0})) == 0
    assert before == (meadow.data.vertices[0].co, len(meadow.data.vertices))


def test_viewports_stay_bare_and_renders_show_tufts_before_the_camera(meadow: bpy.types.Object) -> None:
    assert len(strewn(meadow)) == 0
    places = strewn(meadow, **{VIEWPORT_INPUT: True, REACH_INPUT: 90.0})
    assert 1000 < len(places) < 160_000
    away = places - np.array(bpy.context.scene.camera.location)
    assert np.linalg.norm(away, axis=1).max() < 90.0 + 8.0  # half a cell more
    assert (away[:, 1] > -8.0).all(), "some are behind the camera"


@pytest.mark.once
def test_things_lie_still_when_the_camera_moves(meadow: bpy.types.Object) -> None:
    before = {tuple(place) for place in strewn(meadow, **{VIEWPORT_INPUT: True}).round(2).tolist()}
    bpy.context.scene.camera.location.y -= 0.5
    after = {tuple(place) for place in strewn(meadow).round(2).tolist()}
    assert len(before & after) > 0.9 * len(after)


@pytest.mark.once
def test_amount_and_reach_limit_what_lies_there(meadow: bpy.types.Object) -> None:
    all_of_them = len(strewn(meadow, **{VIEWPORT_INPUT: True}))
    assert 0 < len(strewn(meadow, **{REACH_INPUT: 15.0})) < 0.8 * all_of_them
    assert len(strewn(meadow, **{AMOUNT_INPUT: 0.0})) == 0


@pytest.mark.once
def test_no_grass_grows_above_the_snow_line_or_in_a_desert(meadow: bpy.types.Object) -> None:
    usual = len(strewn(meadow, **{VIEWPORT_INPUT: True}))
    assert len(strewn(meadow, Vegetation=0.0)) < 0.1 * usual
    assert len(strewn(meadow, **{"Vegetation": 1.0, "Snow Line": -2000.0})) < 0.1 * usual


def test_no_grass_grows_through_a_road(meadow: bpy.types.Object) -> None:
    road = Road(name="Road", points=((40.0, 170.0), (260.0, 170.0)), steepest_grade=30.0)
    update_landscape(meadow, build_landscape(HILLS.replace(features=(road,)), "plants", meadow))
    roads = meadow.landscape.roads

    def on_the_road(places: np.ndarray) -> int:
        hits = (roads.ray_cast((x, y, z + 5.0), (0.0, 0.0, -1.0), distance=10.0)[0] for x, y, z in places.tolist())
        return sum(hits)

    wild = strewn(meadow, **{VIEWPORT_INPUT: True})
    assert len(wild) > 1000 and on_the_road(wild) == 0
    ground = relief(meadow)
    assert on_the_road(strewn(meadow, **{ROADS_INPUT: None})) > 100, "the road is not where the camera looks"
    # Nor does the relief of the ground stand out of it.
    assert relief(meadow)[:, 2].sum() > ground[:, 2].sum()
    # A copy has roads of its own.
    copy = meadow.copy()
    copy.data = meadow.data.copy()
    bpy.context.collection.objects.link(copy)
    own_attachments(copy)
    modifier = copy.landscape.plants.modifiers[NEAR_GROUND]
    assert compat.modifier_input(modifier, ROADS_INPUT) == copy.landscape.roads != roads
    assert compat.modifier_input(modifier, LAND_INPUT) == copy


@pytest.mark.once
def test_twice_as_large_stones_are_a_fifth_as_many(blender: None) -> None:
    """The number of fragments larger than d goes with d^-2.3 (Turcotte 1986), up to the largest of a place."""
    recipe = Recipe.preset("rolling_hills", width=300.0, depth=300.0, resolution=65)
    (hills,) = recipe.relief.layers
    steep = hills.replace(source=hills.source.replace(height=6.0 * hills.source.height))
    land = seen(recipe.replace(relief=recipe.relief.replace(layers=(steep,))))
    bare = {"Tree Line": -2000.0, "Vegetation": 0.1}  # without any, sand would cover the stones
    strewn(land, **{VIEWPORT_INPUT: True, AMOUNT_INPUT: 10.0, REACH_INPUT: 60.0, **bare})
    sizes = things("rock")[1][:, 2]
    assert sizes.min() > 0.03 and sizes.max() < 1.5
    larger = [int((sizes > size).sum()) for size in (0.1, 0.2)]
    assert larger[1] > 50
    assert larger[0] / larger[1] == pytest.approx(2.0**2.3, rel=0.25)


@pytest.mark.once
def test_far_grass_is_wide_and_low_and_fallen_blocks_lie_on_slopes(blender: None) -> None:
    """Up to 3 km away: in patches that pixels show, without a line where they end, and no stone on level ground."""
    recipe = Recipe.preset("rolling_hills", width=6000.0, depth=6000.0, resolution=65)
    (hills,) = recipe.relief.layers
    steep = hills.replace(source=hills.source.replace(height=4.0 * hills.source.height))
    land = seen(recipe.replace(relief=recipe.relief.replace(layers=(steep,))))
    bpy.context.scene.camera.location.z += 300.0
    strewn(land, **{VIEWPORT_INPUT: True})
    camera = np.array(bpy.context.scene.camera.location)
    heights = np.array([vertex.co.z for vertex in land.data.vertices], np.float32).reshape(65, 65)
    slopes = np.degrees(np.arctan(np.hypot(*np.gradient(heights, 6000.0 / 64.0))))

    places, sizes = things("grass")
    away = np.linalg.norm(places - camera, axis=1)
    far = (away > 600.0) & (away < 1400.0)
    assert far.sum() > 300
    assert (sizes[far, 0] > 2.0 * sizes[far, 2]).all() and sizes[far, 2].max() < 1.6
    assert away.max() < 3100.0 and (away > 2500.0).sum() < 0.5 * ((away > 1500.0) & (away < 2000.0)).sum()

    places, sizes = things("rock")
    away = np.linalg.norm(places - camera, axis=1)
    column, row = np.rint((places[:, :2] + 3000.0) * 64.0 / 6000.0).astype(int).clip(0, 64).T
    assert len(places) > 100 and (slopes[row, column] > 14.0).mean() > 0.9
    assert sizes[:, 2].max() <= 4.001 and (sizes[:, 2] > 0.5 * 0.0018 * away).all()


@pytest.mark.once
def test_no_stone_lies_on_sand_that_the_wind_moves(blender: None) -> None:
    dunes = Recipe.preset("dunes", resolution=129)
    land = add_landscape(bpy.context.scene.collection, build(dunes))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -500.0, 450.0), (1.2, 0.0, 0.0)
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera

    sand = np.array([a.value for a in land.data.attributes["sediment"].data]).reshape(129, 129)
    width = dunes.width

    def on_sand(places: np.ndarray) -> int:
        column, row = np.rint((places[:, :2] / width + 0.5) * 128).astype(int).clip(0, 128).T
        return int((sand[row, column] > 1.0).sum())

    assert on_sand(strewn(land, **{VIEWPORT_INPUT: True})) == 0
    assert on_sand(strewn(land, Vegetation=0.5)) > 20, "nothing would lie there anyway"
