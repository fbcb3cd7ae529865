"""A package in a real Godot 4.6: our script builds its scene, and somebody walks in an exported game with only that.

There is no picture: without a window Godot draws nothing.  Shaders are read by it, but not compiled for a GPU.
"""

import base64
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.direction.features import Road
from terrain_addon.core.direction.lines import DrawnLine
from terrain_addon.core.direction.road_course import RoadCourse, Structure
from terrain_addon.files.engines.package import Package, PackageOptions, write_package
from tests.files.engine_land import f_land, ground, on_triangles
from tests.files.godot_web import exported, run

pytestmark = pytest.mark.once

BUILD = """
extends Node3D

func _ready() -> void:
	var builder: GDScript = load("res://level/build_landscape.gd")
	var land: Node3D = builder.build("res://level", false)
	var scene := PackedScene.new()
	scene.pack(land)
	scene.take_over_path("res://level/landscape.scn")
	keep(scene, "landscape.scn")
	var shown: Node3D = builder.preview("res://level", scene)
	var preview := PackedScene.new()
	preview.pack(shown)
	keep(preview, "preview.scn")
	print("DONE")
	get_tree().quit.call_deferred()

func keep(scene: PackedScene, name: String) -> void:
	ResourceSaver.save(scene, "user://" + name, ResourceSaver.FLAG_COMPRESS)
	print("FILE %s %s" % [name, Marshalls.raw_to_base64(FileAccess.get_file_as_bytes("user://" + name))])
"""

WALK = """
extends Node3D

func _ready() -> void:
	var level: Node3D = load("res://level/preview.scn").instantiate()
	add_child(level)
	var walker: Camera3D = level.get_node("Walker")
	walker.make_current()
	var land: Node3D = level.get_child(0)
	var plants: Node3D = land.find_children("Plants", "Node3D", true, false)[0]
	var details: Node3D = land.find_children("Details", "Node3D", true, false)[0]
	var said := {"names": land.get_children().map(func(one: Node) -> String: return one.name), "steps": [], "rays": []}
	said["light"] = [level.get_node("Sun").rotation_degrees.x, level.get_node("Air").environment.fog_density]
	await get_tree().physics_frame
	await get_tree().physics_frame
	for place: Array in JSON.parse_string(FileAccess.get_file_as_string("res://places.json")):
		var above := Vector3(place[0], 9e3, place[1])
		var ray := PhysicsRayQueryParameters3D.create(above, above - Vector3(0, 18e3, 0))
		var hit := get_world_3d().direct_space_state.intersect_ray(ray)
		said["rays"].append(hit["position"].y if hit else null)
	for step in 11:
		walker.position.x = -100.0 + 20.0 * step
		for frame in 3:
			await get_tree().physics_frame
			await get_tree().process_frame
		details.show_around(details.to_local(walker.global_position), 1000)
		var at := walker.position
		said["steps"].append([at.x, at.y, at.z, seen(plants, walker), strewn(details)])
	var navigation: Node3D = land.get_node("Navigation")
	navigation.bake_at(Vector3(10, 0, 10))
	for frame in 30:
		await get_tree().process_frame
	var region: NavigationRegion3D = navigation.get_child(0)
	said["walkable"] = region.navigation_mesh.get_polygon_count() if region.navigation_mesh else -1
	print("SAID ", JSON.stringify(said, "", true, true))
	print("DONE")
	get_tree().quit()

# What is drawn of the plants by Godot's rule, and of those within 10 m the share at the finest level.
func seen(plants: Node3D, walker: Camera3D) -> Array:
	var triangles := 0
	var near := 0
	var fine := 0
	var groups := 0
	for node: MultiMeshInstance3D in plants.find_children("*", "MultiMeshInstance3D", true, false):
		var middle := node.to_global(node.custom_aabb.get_center())
		var away := middle.distance_to(walker.global_position)
		var is_drawn := away >= node.visibility_range_begin and away < node.visibility_range_end
		if is_drawn:
			groups += 1
			triangles += node.multimesh.instance_count * node.multimesh.mesh.surface_get_array_index_len(0) / 3
		if node.name.contains("LOD0"):
			for i in node.multimesh.instance_count:
				var at := 12 * i
				var buffer := node.multimesh.buffer
				if Vector3(buffer[at + 3], buffer[at + 7], buffer[at + 11]).distance_to(walker.global_position) < 10.0:
					near += 1
					fine += int(is_drawn)
	return [triangles, groups, near, fine]

func strewn(details: Node3D) -> int:
	var count := 0
	for node: MultiMeshInstance3D in details.find_children("*", "MultiMeshInstance3D", true, false):
		count += node.multimesh.instance_count
	return count
"""

STAND = """
extends Node3D

const GROUND := 1 << 30
const STEMS := 1 << 31

var level: Node3D
var walker: Camera3D

func _ready() -> void:
	level = load("res://level/preview.scn").instantiate()
	add_child(level)
	walker = level.get_node("Walker")
	walker.make_current()
	var land: Node3D = level.get_child(0)
	var plants: Node3D = land.find_children("Plants", "Node3D", true, false)[0]
	var details: Node3D = land.find_children("Details", "Node3D", true, false)[0]
	var told: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://places.json"))
	await settle()
	var said := {"ground": [], "tufts": [], "road": [], "stems": [], "from_above": [], "below": [], "walkable": []}
	for place: Array in told["ground"]:
		var feet := Vector2(place[0], place[1])
		said["ground"].append(below(feet, GROUND, false))
		said["tufts"].append(details.height_at(feet - details.corner))
	for place: Array in told["road"]:
		said["road"].append(below(Vector2(place[0], place[1]), GROUND, false))
	for place: Array in told["stems"]:
		var feet := Vector2(place[0], place[1])
		plants.show_around(Vector3(feet.x, below(feet, GROUND, false), feet.y), 0.0, 0, 1 << 20)
		await stand(feet, walker.start_height)
		var hits := [GROUND, STEMS, 1].map(func(mask: int) -> Variant: return below(feet, mask, true))
		said["stems"].append(hits + [walker.position.y])
	for place: Array in told["bridge"]:
		var feet := Vector2(place[0], place[1])
		await stand(feet, walker.start_height)
		said["from_above"].append(walker.position.y)
		await stand(feet, place[2] + 1.7)
		said["below"].append(walker.position.y)
	var navigation: Node3D = land.get_node("Navigation")
	for place: Array in told["bridge"]:
		navigation.bake_at(Vector3(place[0], 0.0, place[1]))
		for frame in 60:
			await get_tree().process_frame
	for region: NavigationRegion3D in navigation.get_children():
		for vertex in region.navigation_mesh.get_vertices():
			said["walkable"].append([vertex.x, vertex.y, vertex.z])
	print("SAID ", JSON.stringify(said, "", true, true))
	print("DONE")
	get_tree().quit()

func settle() -> void:
	for frame in 3:
		await get_tree().physics_frame
		await get_tree().process_frame

func stand(feet: Vector2, height: float) -> void:
	walker.position = Vector3(feet.x, height, feet.y)
	await settle()

func below(feet: Vector2, mask: int, backs: bool) -> Variant:
	var above := Vector3(feet.x, 9e3, feet.y)
	var ray := PhysicsRayQueryParameters3D.create(above, above - Vector3(0, 18e3, 0), mask)
	ray.hit_back_faces = backs
	var hit := get_world_3d().direct_space_state.intersect_ray(ray)
	return hit["position"].y if hit else null
"""

FROM_R16 = """
static func load_heights(folder: String, tile: Dictionary) -> PackedFloat32Array:
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("manifest.json")))
	var bytes := FileAccess.get_file_as_bytes(folder.path_join(tile["files"]["height"].replace(".exr", ".r16")))
	var low: float = manifest["height"]["lowest_m"]
	var range_m: float = manifest["height"]["highest_m"] - low
	var heights := PackedFloat32Array()
	for i in bytes.size() / 2:
		heights.append(low + bytes.decode_u16(2 * i) / 65535.0 * range_m)
	return heights


"""


def package_files(folder: Path) -> list[tuple[str, bytes]]:
    """All files of a package; heights come from the other file of them, because this Godot reads no EXR."""
    held = {f"level/{f.relative_to(folder).as_posix()}": f.read_bytes() for f in folder.rglob("*") if f.is_file()}
    text = held["level/build_landscape.gd"].decode()
    start, end = text.index("static func load_heights"), text.index("static func _add_land(")
    held["level/build_landscape.gd"] = (text[:start] + FROM_R16.lstrip() + text[end:]).encode()
    return sorted(held.items())


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a game says that has the scene, and nothing else of the package but its scripts."""
    folder = tmp_path_factory.mktemp("godot")
    package = write_package(folder / "level", f_land(129, 129, 15_000), "godot", PackageOptions(ground=512))
    return said_in_game(package, WALK, places().tolist())


def said_in_game(package: Package, script: str, told: Any) -> dict[str, Any]:
    """What the first node of a game says, whose script reads `told` in places.json."""
    folder = package.folder.parent
    (folder / "build.pck").write_bytes(exported(package_files(package.folder), BUILD))
    made = [line.split(" ", 2) for line in run(folder / "build.pck") if line.startswith("FILE ")]
    files = [(f"level/{name}", base64.b64decode(data)) for _, name, data in made]
    # Godot exports neither what lies beside a .gdignore, nor files that no importer knows.
    scripts = [f for f in package.folder.iterdir() if f.suffix in (".gd", ".gdshader")]
    files += [(f"level/{file.name}", file.read_bytes()) for file in scripts]
    files.append(("places.json", json.dumps(told).encode()))
    (folder / "game.pck").write_bytes(exported(files, script))
    (said,) = [line[5:] for line in run(folder / "game.pck") if line.startswith("SAID ")]
    found: dict[str, Any] = json.loads(said)
    return found | {"manifest": package.manifest}


def places() -> np.ndarray:
    """At samples, to the east and south of the middle."""
    south, east = np.mgrid[10:120:20, 10:120:20]
    return np.stack((east.ravel() * 5.0 - 320.0, south.ravel() * 5.0 - 320.0), axis=1)


def test_rays_hit_the_land_in_the_exported_game(walk: dict[str, Any]) -> None:
    east, south = places().T
    expected = ground(f_land(129, 129, 0), east + 320.0, 320.0 - south)
    assert np.abs(np.array(walk["rays"]) - expected).max() < 5e-3
    assert np.abs(np.array(walk["rays"]) - expected[::-1]).max() > 5.0
    assert walk["names"] == ["Tile 0 0", "Water", "Sea around", "Navigation"]
    assert walk["light"][0] == pytest.approx(-19.0) and walk["light"][1] > 0.0


def test_somebody_walks_on_the_land_among_fine_plants(walk: dict[str, Any]) -> None:
    land, steps = f_land(129, 129, 0), walk["steps"]
    x, y, z = np.array([step[:3] for step in steps]).T
    assert np.allclose(x, np.linspace(-100.0, 100.0, 11))
    assert np.abs(y - 1.7 - ground(land, x + 320.0, 320.0 - z)).max() < 0.2
    triangles, groups, near, fine = np.array([step[3] for step in steps]).T

    assert (groups > 0).all() and near.sum() > 20
    assert fine.sum() / near.sum() >= 0.95
    assert triangles.max() < 3_000_000


def test_small_things_and_ways_are_found_in_the_game(walk: dict[str, Any]) -> None:
    assert all(step[4] > 50 for step in walk["steps"])
    assert walk["walkable"] > 0


def bridged_land(plants: int) -> Landscape:
    """The letter F with a road from west to east, 2 m above the slope, that crosses the letter on a bridge."""
    land = f_land(50, 90, plants)
    x = np.linspace(20.0, 420.0, 41)
    y = np.full_like(x, 120.0)
    bridge = (Structure(60.0, 255.0),)
    line = DrawnLine(x, y, 302.0 + 0.1 * x + 0.2 * y)
    drawn = Road(points=((20.0, 120.0), (420.0, 120.0)), surface="asphalt")
    course = RoadCourse(drawn, line, ground(land, x, y), bridge, (), 0.1, math.inf)
    return f_land(50, 90, plants, roads=(course,))


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a game says of a land with a bridge whose cells are not square, and what was asked."""
    land, middle = bridged_land(600), np.array([222.5, 122.5])
    options = PackageOptions(ground=0, resolution=65)
    package = write_package(tmp_path_factory.mktemp("godot") / "level", land, "godot", options)
    size = package.manifest["land"]
    assert size["spacing_east_m"] != pytest.approx(size["spacing_north_m"], rel=1e-3)
    random = np.random.default_rng(2)
    east, north = random.uniform(2.0, 440.0, 300), random.uniform(2.0, 243.0, 300)
    kept = np.abs(north - 120.0) > 12.0
    places = np.stack((east, north), axis=1)[kept]
    road = np.stack((np.linspace(30.0, 410.0, 20), np.full(20, 120.0)), axis=1)
    plants = land.plants
    tall = (plants.height > 6.0) & (np.abs(plants.y - 120.0) > 20.0)
    stems = np.stack((plants.x, plants.y), axis=1)[tall][:8].astype(float)
    bridge = np.array([[120.0, 120.0], [200.0, 120.0]])
    asked = {"ground": places, "road": road, "stems": stems, "bridge": bridge}
    told: dict[str, Any] = {
        name: np.stack((at[:, 0] - middle[0], middle[1] - at[:, 1]), axis=1).tolist() for name, at in asked.items()
    }
    for place, height in zip(told["bridge"], ground(land, *bridge.T)):
        place.append(height)
    return said_in_game(package, STAND, told) | {"asked": asked, "folder": package.folder}


def shown_height(crossing: dict[str, Any], at: np.ndarray) -> np.ndarray:
    """The height of the land of a package at places from its south-west corner: on the two triangles of each cell."""
    manifest = crossing["manifest"]
    tile, height = manifest["tile"], manifest["height"]
    levels = np.fromfile(crossing["folder"] / manifest["tiles"][0]["files"]["height_levels"], "<u2")
    rows, columns = tile["rows"], tile["columns"]
    heights = height["lowest_m"] + levels.reshape(rows, columns)[::-1] / 65535.0 * (
        height["highest_m"] - height["lowest_m"]
    )
    column, row = at[:, 0] / manifest["land"]["spacing_east_m"], at[:, 1] / manifest["land"]["spacing_north_m"]
    return on_triangles(heights, column, row, np.zeros((rows - 1, columns - 1), bool))


def test_land_with_oblong_cells_stops_who_walks_on_it(crossing: dict[str, Any]) -> None:
    expected = shown_height(crossing, crossing["asked"]["ground"])
    assert np.abs(np.array(crossing["ground"], float) - expected).max() < 0.01


def test_tufts_stand_on_the_triangles_of_the_land(crossing: dict[str, Any]) -> None:
    expected = shown_height(crossing, crossing["asked"]["ground"])
    assert np.abs(np.array(crossing["tufts"], float) - expected).max() < 0.01


def test_roads_and_bridges_stop_who_walks_on_them(crossing: dict[str, Any]) -> None:
    x, y = crossing["asked"]["road"].T
    roadway = 302.0 + 0.1 * x + 0.2 * y
    assert np.abs(np.array(crossing["road"], float) - roadway).max() < 0.1
    decks = 302.0 + 0.1 * crossing["asked"]["bridge"][:, 0] + 24.0
    assert np.abs(np.array(crossing["from_above"]) - 1.7 - decks).max() < 0.1
    walkable = np.array(crossing["walkable"])
    on_deck = (np.abs(walkable[:, 2] - 2.5) < 3.0) & (np.abs(walkable[:, 0] + 45.0) < 90.0)
    deck = 326.0 + 0.1 * (walkable[on_deck, 0] + 222.5)
    assert (np.abs(walkable[on_deck, 1] - deck) < 0.5).any()


def test_a_walker_stays_below_a_bridge(crossing: dict[str, Any]) -> None:
    land = shown_height(crossing, crossing["asked"]["bridge"])
    assert np.abs(np.array(crossing["below"]) - 1.7 - land).max() < 0.1


def test_a_walker_does_not_climb_stems_that_stop_other_bodies(crossing: dict[str, Any]) -> None:
    land, stem, any_body, eye = np.array([one for one in crossing["stems"] if one[1] is not None]).T
    assert stem.size > 2 and (stem > land + 0.5).all() and np.array_equal(stem, any_body)
    assert np.abs(eye - 1.7 - land).max() < 0.05
