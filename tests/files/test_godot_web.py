"""A package in a real Godot 4.6: our script builds its scene, and somebody walks in an exported game with only that.

There is no picture: without a window Godot draws nothing.  Shaders are read by it, but not compiled for a GPU.
"""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.files.engines.package import PackageOptions, write_package
from tests.files.engine_land import f_land, ground
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
    (folder / "build.pck").write_bytes(exported(package_files(package.folder), BUILD))
    made = [line.split(" ", 2) for line in run(folder / "build.pck") if line.startswith("FILE ")]
    files = [(f"level/{name}", base64.b64decode(data)) for _, name, data in made]
    # Godot exports neither what lies beside a .gdignore, nor files that no importer knows.
    scripts = [f for f in package.folder.iterdir() if f.suffix in (".gd", ".gdshader")]
    files += [(f"level/{file.name}", file.read_bytes()) for file in scripts]
    files.append(("places.json", json.dumps(places().tolist()).encode()))
    (folder / "game.pck").write_bytes(exported(files, WALK))
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
