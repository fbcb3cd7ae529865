"""Crags of steep rock: in renders they stand out of the mesh as geometry, and nowhere else."""

import bpy
import numpy as np
import pytest
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from terrain_addon.blender import compat
from terrain_addon.blender.data.attributes import CROWN_COVER, DETAIL, read_positions, set_attribute, set_vectors
from terrain_addon.blender.data.properties import read_recipe
from terrain_addon.blender.land.attachments import own_attachments
from terrain_addon.blender.land.land_objects import add_landscape, set_plants, update_landscape
from terrain_addon.blender.land.rendering import leave_out_unseen
from terrain_addon.blender.plants.near_ground import (
    CRAGS_INPUT,
    NEAR_GROUND,
    RELIEF_INPUT,
    ROADS_INPUT,
    VIEWPORT_INPUT,
    near_ground_carrier,
)
from terrain_addon.blender.plants.scatter_inputs import LAND_INPUT, SHARE_INPUT
from terrain_addon.blender.plants.scatter_modifier import scatter_modifier
from terrain_addon.core import Recipe, build
from terrain_addon.core.building.plan import Extent
from terrain_addon.core.maps.curvature import measure_curvature
from terrain_addon.core.maps.slope import measure_gradient

SAMPLES, WIDTH, PICTURE = 129, 3000.0, (960, 540)
CAMERA = np.array([0.0, -1600.0, 2300.0])
# A land of 3 km around its middle: the north of it is a roof of 50°, the south is level.
STEEPNESS = np.tan(np.radians(50.0))


class Rock:
    """What the modifier adds to a land: places, the land below them, and lengths of edges."""

    def __init__(self, land: bpy.types.Object, **inputs: float | bool) -> None:
        carrier = near_ground_carrier(land)
        for name, value in ({VIEWPORT_INPUT: True} | inputs).items():
            compat.set_modifier_input(carrier.modifiers[NEAR_GROUND], name, value)
        carrier.update_tag()
        bpy.context.view_layer.update()
        mesh = carrier.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        corners = np.empty(len(mesh.loops), np.int32)  # the plants themselves are loose points
        mesh.loops.foreach_get("vertex_index", corners)
        places = np.empty((len(mesh.vertices), 3), np.float32)
        mesh.vertices.foreach_get("co", places.ravel())
        self.places = places[np.unique(corners)]
        mesh.calc_loop_triangles()
        triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
        self.triangles = places[triangles]
        slopes = np.zeros(len(mesh.vertices), np.float32)
        if "slope" in mesh.attributes:
            mesh.attributes["slope"].data.foreach_get("value", slopes)
        self.slopes = slopes[np.unique(corners)]


def roof(steepness: float = STEEPNESS, width: float = WIDTH, extent: Extent = "plants") -> bpy.types.Object:
    """A land whose north is a roof that rises to the north, above a level south, with a camera that looks at it."""
    scene = bpy.context.scene
    # The heights of the recipe are replaced.
    recipe = Recipe.preset("rolling_hills", width=width, depth=width, resolution=SAMPLES)
    land = add_landscape(scene.collection, build(recipe, extent=extent))
    scale = width / WIDTH
    places = read_positions(land.data)
    heights = np.where(places[:, 1] > 0.0, 1000.0 * scale + places[:, 1] * steepness, 1000.0 * scale)
    places[:, 2] = heights
    land.data.vertices.foreach_set("co", places.ravel())
    slope = np.where(places[:, 1] > 0.0, np.degrees(np.arctan(steepness)), 0.0).astype(np.float32)
    none = np.zeros((SAMPLES, SAMPLES), np.float32)
    set_attribute(land.data, "slope", slope.reshape(SAMPLES, SAMPLES))
    for name in ("sediment", "curvature", "water_depth", "wet_ground", CROWN_COVER, "snow_cover"):
        set_attribute(land.data, name, none)
    land.data.update()
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = CAMERA * scale
    camera.rotation_euler = (np.radians(80.0), 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    # Faces are as small as pixels, so a smaller picture takes less time.
    scene.render.resolution_x, scene.render.resolution_y = PICTURE
    bpy.context.view_layer.update()
    return land


def above(places: np.ndarray, steepness: float = STEEPNESS, base: float = 1000.0) -> np.ndarray:
    """Metres by which places stand out of the roof, along its normal."""
    return (places[:, 2] - base - places[:, 1] * steepness) * np.cos(np.arctan(steepness))


def test_steep_rock_stands_out_in_renders_only(blender: None) -> None:
    land = roof()
    before = read_positions(land.data)
    assert len(Rock(land, **{VIEWPORT_INPUT: False}).places) == 0
    rock = Rock(land)
    assert 10_000 < len(rock.places) < 3_000_000
    out = above(rock.places[rock.places[:, 1] > 60.0])
    # It rises alone, so that it hides the mesh; it is rough, and no higher than a large cliff.
    assert out.min() > -0.1 and out.std() > 3.0 and 8.0 < out.max() < 100.0
    np.testing.assert_array_equal(read_positions(land.data), before)
    for inputs in ({CRAGS_INPUT: 0.0}, {CRAGS_INPUT: 1.0, RELIEF_INPUT: 0.0}, {RELIEF_INPUT: 1.0, "Colouring": 1.0}):
        assert len(Rock(land, **inputs).places) == 0, inputs


@pytest.mark.once
def test_a_land_has_the_same_crags_with_and_without_plants(blender: None) -> None:
    land = roof()
    planted = Rock(land).places
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.landscape.clear_plants() == {"FINISHED"}
    np.testing.assert_array_equal(Rock(land).places, planted)
    alone = land.landscape.near_ground
    assert alone.parent == land and alone.name in bpy.context.scene.objects
    # Plants that come back carry them again, and they are there once.
    set_plants(land, build(read_recipe(land)))
    np.testing.assert_array_equal(Rock(land).places, planted)
    alone.update_tag()
    bpy.context.view_layer.update()
    assert len(alone.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices) == 0


@pytest.mark.once
def test_a_land_that_never_had_plants_has_crags(blender: None) -> None:
    land = roof(extent="maps")
    assert land.landscape.plants is None
    # What the camera does not see can be left out here, too.
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = land
    whole = len(Rock(land).places)
    camera = bpy.context.scene.camera.data
    camera.clip_end, camera.angle = 1e4, np.radians(12.0)
    assert bpy.ops.landscape.cull_plants() == {"FINISHED"}
    assert 10_000 < len(Rock(land).places) < 0.8 * whole
    # They look like the land, also after it has changed.
    recipe = read_recipe(land)
    warm = recipe.replace(appearance=recipe.appearance.replace(snow_line=8123.0))
    update_landscape(land, build(warm, extent="maps"))
    modifier = land.landscape.near_ground.modifiers[NEAR_GROUND]
    assert compat.modifier_input(modifier, "Snow Line") == pytest.approx(8123.0)
    # A copy has its own.
    copy = land.copy()
    copy.data = land.data.copy()
    bpy.context.collection.objects.link(copy)
    own_attachments(copy)
    assert copy.landscape.near_ground not in (None, land.landscape.near_ground)
    modifier = copy.landscape.near_ground.modifiers[NEAR_GROUND]
    assert compat.modifier_input(modifier, LAND_INPUT) == copy


@pytest.mark.once
def test_level_ground_and_what_the_camera_cannot_see_stay_as_they_are(blender: None) -> None:
    land = roof()
    places, cell = Rock(land).places, WIDTH / (SAMPLES - 1)
    assert places[:, 1].min() > -1.5 * cell, "the level south has crags"
    bpy.context.scene.camera.rotation_euler = (np.radians(80.0), 0.0, np.pi)
    assert len(Rock(land).places) == 0, "crags behind the camera"


@pytest.mark.once
def test_a_sharp_crest_has_crags_lower_than_its_flanks(blender: None) -> None:
    """On top of a crest the slope is 0, so without its curvature it would be a smooth band like a road."""
    land = roof()
    places = read_positions(land.data)
    heights = 1500.0 - 0.8 * np.abs(places[:, 1])
    places[:, 2] = heights
    land.data.vertices.foreach_set("co", places.ravel())
    land.data.update()
    surface = heights.astype(np.float32).reshape(SAMPLES, SAMPLES)
    cell = WIDTH / (SAMPLES - 1)
    set_attribute(land.data, "slope", np.degrees(np.arctan(measure_gradient(surface, cell))).astype(np.float32))

    def raised() -> tuple[np.ndarray, np.ndarray]:
        """Metres above the land on the crest and on the flank before it."""
        found = Rock(land).places
        out = found[:, 2] - (1500.0 - 0.8 * np.abs(found[:, 1]))
        return tuple(out[np.abs(found[:, 1] - y) < 4.0] for y in (0.0, -120.0))

    smooth, flank = raised()
    set_attribute(land.data, "curvature", measure_curvature(surface, cell))
    land.data.update_tag()
    rough, same = raised()
    assert smooth.size == 0 or smooth.max() < 1.0
    assert rough.size > 1000 and 2.0 < np.percentile(rough, 99) < np.percentile(flank, 99)
    np.testing.assert_array_equal(same, flank)


@pytest.mark.once
def test_rock_behind_a_ridge_has_no_crags_and_rock_before_it_keeps_them(blender: None) -> None:
    """They would take time and memory, and nobody would see them."""
    land = roof()
    whole = Rock(land).places
    # A wall of 1,500 m across the west of the level south hides the roof behind it.
    places = read_positions(land.data)
    wall = (np.abs(places[:, 1] + 900.0) < 30.0) & (places[:, 0] < -300.0)
    places[wall, 2] = 2500.0
    land.data.vertices.foreach_set("co", places.ravel())
    land.data.update()
    shown = Rock(land).places
    shown = shown[shown[:, 1] > 60.0]
    low = (whole[:, 1] > 60.0) & (whole[:, 1] < 500.0)
    behind, beside = (low & (side * whole[:, 0] > 1000.0) for side in (-1.0, 1.0))
    assert behind.sum() > 5000 and beside.sum() > 5000
    assert not ((shown[:, 1] < 500.0) & (shown[:, 0] < -1000.0)).any()
    kept = set(map(tuple, shown.tolist()))
    assert all(tuple(place) in kept for place in whole[beside].tolist())


@pytest.mark.once
def test_culled_rock_is_the_same_within_the_picture_and_missing_beside_it(blender: None) -> None:
    land, scene = roof(), bpy.context.scene
    scene.camera.data.clip_end = 1e4
    whole = Rock(land).places
    leave_out_unseen(land, scene)
    culled = Rock(land).places
    across, up, ahead = np.array([world_to_camera_view(scene, scene.camera, Vector(p)) for p in whole[::17]]).T
    inside = (across > 0.0) & (across < 1.0) & (up > 0.0) & (up < 1.0) & (ahead > 0.0)
    kept = set(map(tuple, culled.tolist()))
    is_kept = np.array([tuple(place) in kept for place in whole[::17].tolist()])
    assert inside.sum() > 500 and is_kept[inside].all()
    # Beyond a margin of a tenth, and a few cells, nothing is left.
    far = (across < -0.4) | (across > 1.4)
    assert far.sum() > 500 and not is_kept[far].any()


def test_plants_stand_on_crags(blender: None) -> None:
    land = roof()
    plants = land.landscape.plants
    compat.set_modifier_input(scatter_modifier(plants), SHARE_INPUT, 100.0)
    feet = read_positions(plants.data)
    feet[:, 2] = 1000.0 + np.maximum(feet[:, 1], 0.0) * STEEPNESS
    plants.data.vertices.foreach_set("co", feet.ravel())
    plants.data.update()
    ground = BVHTree.FromPolygons(*_mesh(Rock(land).triangles))
    names = ("Landscape Plants", "Near Ground")  # tufts and stones are not plants of the scatter
    places = np.array(
        [
            tuple(one.matrix_world.translation)
            for one in bpy.context.evaluated_depsgraph_get().object_instances
            if one.is_instance and not one.object.name.startswith(names)
        ]
    )
    steep = places[places[:, 1] > 60.0][::7]
    assert len(steep) > 50
    down = Vector((0.0, 0.0, -1.0))
    hits = [ground.ray_cast(Vector((x, y, 4000.0)), down)[0] for x, y, _ in steep.tolist()]
    depths = np.array([hit.z - z for hit, (_, _, z) in zip(hits, steep.tolist()) if hit is not None])
    assert len(depths) > 50 and np.ptp(above(steep)) > 5.0
    assert depths.max() < 0.31 and depths.min() > -0.05


def _mesh(triangles: np.ndarray) -> tuple[list[list[float]], list[list[int]]]:
    """Corners and triangles, as a tree of Blender takes them."""
    return triangles.reshape(-1, 3).tolist(), np.arange(3 * len(triangles)).reshape(-1, 3).tolist()


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "value"),
    [
        (CROWN_COVER, 1.0),
        ("water_depth", 1.0),
        ("sediment", 10.0),
        ("wet_ground", 1.0),
        ("snow_cover", 5.0),
        ("snow_cover", -1.0),
    ],
)
def test_forests_water_soil_ice_and_deep_snow_have_no_crags(blender: None, name: str, value: float) -> None:
    land = roof()
    covered = np.zeros((SAMPLES, SAMPLES), np.float32)
    covered[:, : SAMPLES // 2] = value
    set_attribute(land.data, name, covered)
    land.data.update()
    places, cell = Rock(land).places, WIDTH / (SAMPLES - 1)
    west = places[:, 0] < -1.5 * cell
    assert (~west).sum() > 5000
    assert not west.any() or above(places[west]).max() < 0.05


@pytest.mark.once
def test_rock_stands_on_ribs_and_gullies_are_swept(blender: None) -> None:
    land = roof()
    detail = np.zeros((SAMPLES, SAMPLES, 3), np.float32)
    detail[:, : SAMPLES // 2, 2], detail[:, SAMPLES // 2 :, 2] = -5.0, 5.0
    set_vectors(land.data, DETAIL, detail.reshape(-1, 3))
    land.data.update()
    places, cell = Rock(land).places, WIDTH / (SAMPLES - 1)
    gully, rib = (above(places[side * places[:, 0] > 1.5 * cell]).mean() for side in (-1.0, 1.0))
    assert rib > 2.0 * gully


@pytest.mark.once
def test_no_crag_hides_the_view(blender: None) -> None:
    land = roof()
    bpy.context.scene.camera.location = (0.0, 400.0, 1000.0 + 400.0 * STEEPNESS + 2.0)
    places = Rock(land).places
    near = np.linalg.norm(places - np.array(bpy.context.scene.camera.location), axis=1) < 40.0
    # Stones and ledges near the camera are lower than a man.
    assert near.sum() > 100 and above(places[near]).max() < 1.7


@pytest.mark.once
def test_no_crag_hangs_over_a_road(blender: None) -> None:
    land = roof()
    across = bpy.data.meshes.new("Road")
    ends = [(x, y, 1002.0 + y * STEEPNESS) for y in (500.0, 506.0) for x in (-1500.0, 1500.0)]
    across.from_pydata(ends, [], [(0, 1, 3, 2)])
    road = bpy.data.objects.new("Road", across)
    bpy.context.scene.collection.objects.link(road)
    compat.set_modifier_input(land.landscape.plants.modifiers[NEAR_GROUND], ROADS_INPUT, road)
    places = Rock(land).places
    beside = (places[:, 1] > 496.0) & (places[:, 1] < 510.0)
    assert len(places) > 10_000
    assert not beside.any() or above(places[beside]).max() < 0.05


@pytest.mark.once
def test_faces_are_as_small_as_pixels(blender: None) -> None:
    """A picture 1,920 pixels wide by the usual lens of 50 mm shows 1/2,667 of the distance as a pixel."""
    triangles = Rock(roof()).triangles
    sides = np.linalg.norm(np.diff(triangles, axis=1), axis=2).min(axis=1)
    pixels = sides / np.linalg.norm(triangles.mean(axis=1) - CAMERA, axis=1) * 2667.0
    assert 1.0 < np.median(pixels) < 6.0


@pytest.mark.once
def test_crags_grow_with_the_root_of_the_cells(blender: None) -> None:
    def highest(width: float) -> float:
        land = roof(width=width)
        # As far from both, because crags close to the camera are lower and smoother.
        bpy.context.scene.camera.location = (0.0, -2500.0, 1000.0)
        return float(above(Rock(land).places, base=1000.0 * width / WIDTH).max())

    small, large = highest(WIDTH / 6.0), highest(WIDTH / 2.0)
    assert large / small == pytest.approx(3.0**0.5, rel=0.25)


@pytest.mark.once
def test_the_material_knows_walls_and_treads(blender: None) -> None:
    """Snow stays where crags are less steep than the land, and leaves what is steeper."""
    slopes = Rock(roof()).slopes
    assert np.quantile(slopes, 0.1) < 45.0 and np.quantile(slopes, 0.9) > 55.0
    assert slopes.max() <= 90.0
