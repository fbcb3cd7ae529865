"""A package in a real Godot 4: built by our script without a window, and asked what stands where.

`TERRAIN_GODOT` may name the command; else `godot` or `godot4` is taken from the path.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.core import PlanetRecipe, build_planet
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.files.engines.package import PackageOptions, write_package
from terrain_addon.files.planet_package import write_planet_package
from tests.files.engine_land import f_land, ground

pytestmark = pytest.mark.once

REPORT = """
extends SceneTree


func _initialize() -> void:
	var land: Node3D = (load("res://land/landscape.scn") as PackedScene).instantiate()
	root.add_child(land)
	await physics_frame
	await physics_frame
	var result := {"heights": [], "instances": [], "reach": {}, "vertices": []}
	for place: Array in JSON.parse_string(FileAccess.get_file_as_string("res://places.json")):
		var above := Vector3(place[0], 9e3, place[1])
		var ray := PhysicsRayQueryParameters3D.create(above, above - Vector3(0, 18e3, 0))
		var hit := land.get_world_3d().direct_space_state.intersect_ray(ray)
		result["heights"].append(hit["position"].y if hit else null)
	for plants: Node3D in land.find_children("Plants*", "Node3D", true, false):
		plants.show_around(Vector3.ZERO, 1e6, 0, plants.groups.size() / 3)
	for node: MultiMeshInstance3D in land.find_children("*", "MultiMeshInstance3D", true, false):
		var stand := node.multimesh
		var reach := [node.visibility_range_begin, node.visibility_range_end]
		result["reach"][str(node.name)] = reach + [stand.mesh.get_faces().size() / 3]
		if not node.name.ends_with("LOD0"):
			continue
		for i in stand.instance_count:
			result["instances"].append(Array(stand.buffer.slice(12 * i, 12 * i + 12)))
	for node: MeshInstance3D in land.find_children("Land 0 0", "MeshInstance3D", true, false):
		for vertex: Vector3 in node.mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX]:
			result["vertices"].append([vertex.x, vertex.y, vertex.z])
		result["texture"] = node.mesh.surface_get_material(0).get_shader_parameter("macro").get_width()
		break
	var file := FileAccess.open("res://report.json", FileAccess.WRITE)
	file.store_string(JSON.stringify(result, "", true, true))
	file.close()
	quit()
"""

PLANET_REPORT = """
extends SceneTree


func _initialize() -> void:
	var planet: Node3D = (load("res://planet/planet.scn") as PackedScene).instantiate()
	var result := {"faces": {}, "air": planet.find_child("Air", true, false).mesh.radius}
	for face: MeshInstance3D in planet.find_children("Face*", "MeshInstance3D", true, false):
		var reach := [face.visibility_range_begin, face.visibility_range_end]
		result["faces"][str(face.name)] = reach + [face.mesh.get_faces().size() / 3]
	var file := FileAccess.open("res://report.json", FileAccess.WRITE)
	file.store_string(JSON.stringify(result, "", true, true))
	file.close()
	planet.free()
	quit()
"""


@pytest.fixture(scope="module")
def godot() -> list[str]:
    """The command."""
    named = shlex.split(os.environ.get("TERRAIN_GODOT", ""))
    found = named or [path for path in map(shutil.which, ("godot", "godot4")) if path][:1]
    if not found:
        pytest.skip("there is no godot on the path; TERRAIN_GODOT may name its command")
    return found


def built(godot: list[str], project: Path, landscape: Landscape, places: np.ndarray, **options: Any) -> dict[str, Any]:
    """What Godot says of the scene that our script built."""
    write_package(project / "land", landscape, "godot", PackageOptions(**options))
    (project / "places.json").write_text(json.dumps(places.tolist()))
    return reported(godot, project, "land/import_godot.gd", REPORT)


def reported(godot: list[str], project: Path, builder: str, report: str) -> dict[str, Any]:
    """What a script says after another one has built a scene."""
    (project / "project.godot").write_text("config_version=5\n")
    (project / "report.gd").write_text(report)
    for script in (builder, "report.gd"):
        command = [*godot, "--headless", "--path", str(project), "--script", f"res://{script}"]
        home = {
            "HOME": str(project),
            "XDG_DATA_HOME": str(project / "data"),
            "XDG_CONFIG_HOME": str(project / "config"),
        }
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | home)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "ERROR" not in done.stdout + done.stderr
    found: dict[str, Any] = json.loads((project / "report.json").read_text())
    return found


@pytest.mark.parametrize(("rows", "columns", "tiles"), [(65, 65, 1), (129, 129, 2), (50, 90, 1)])
def test_godot_builds_the_land(godot: list[str], tmp_path: Path, rows: int, columns: int, tiles: int) -> None:
    landscape = f_land(rows, columns, 150)
    width, depth = landscape.terrain.grid.width, landscape.terrain.grid.depth
    random = np.random.default_rng(1)
    # At samples, where it does not matter which way a cell is divided into triangles.
    east, north = random.integers(1, columns - 1, 10) * 5.0, random.integers(1, rows - 1, 10) * 5.0
    places = np.stack((east - width / 2, depth / 2 - north), axis=1)
    report = built(godot, tmp_path, landscape, places, tiles=tiles)
    assert np.abs(np.array(report["heights"]) - ground(landscape, east, north)).max() < 5e-3

    plants = landscape.plants
    assert plants is not None
    matrices = np.array(report["instances"]).reshape(-1, 3, 4)
    assert len(matrices) == 150
    feet = matrices[:, :, 3]
    expected = np.stack((plants.x - width / 2, ground(landscape, plants.x, plants.y), depth / 2 - plants.y), axis=1)
    nearest = np.abs(feet[:, None] - expected[None]).sum(axis=2).argmin(axis=1)
    assert sorted(nearest.tolist()) == list(range(150))
    assert np.abs(feet - expected[nearest]).max() < 2e-3
    # Counter-clockwise from above: a plant's east goes to (cos, sin) east and north, where north is −z.
    grown = np.array([species.height for species in landscape.recipe.ecosystem.species])
    scale = plants.height / grown[plants.species]
    turn = np.radians(plants.rotation[nearest].astype(np.float64))
    facing = np.stack((np.cos(turn), 0 * turn, -np.sin(turn)), axis=1) * scale[nearest, None]
    assert np.abs(matrices[:, :, 0] - facing).max() < 1e-4
    assert np.abs(matrices[:, 1, 1] - scale[nearest]).max() < 1e-5
    # Each level of detail begins where the one before ends, the last one ends, too, and it has fewer triangles.
    reach = report["reach"]
    blocks = [far for name, far in reach.items() if name.startswith("Block") and name.endswith("LOD2")]
    assert blocks and all(far[0] <= 40.0 and far[1] >= 60.0 and far[2] > 0 for far in blocks)
    for name in [name for name in reach if name.endswith("LOD0")]:
        near, middle = reach[name], reach[name[:-1] + "1"]
        assert (near[0], near[1]) == (0.0, middle[0]) and middle[1] >= 48.0
        assert near[2] > middle[2] > max(far[2] for far in blocks)

    vertices = np.array(report["vertices"])
    on_land = np.abs(vertices[:, 1] - ground(landscape, vertices[:, 0] + width / 2, depth / 2 - vertices[:, 2])) < 2e-3
    tile = (rows - 1) // tiles + 1, (columns - 1) // tiles + 1
    assert on_land.sum() == tile[0] * tile[1]  # the others are the skirt
    assert report["texture"] == tile[1]


def test_godot_tells_mirrored_land(godot: list[str], tmp_path: Path) -> None:
    landscape = f_land(65, 65, 5)
    north, east = np.mgrid[10:60:10, 10:60:10] * 5.0
    report = built(godot, tmp_path, landscape, np.stack((east.ravel() - 160.0, 160.0 - north.ravel()), axis=1))
    heights = np.array(report["heights"])
    assert np.abs(heights - ground(landscape, east.ravel(), north.ravel())).max() < 5e-3
    assert np.abs(heights - ground(landscape, east.ravel(), 320.0 - north.ravel())).max() > 15.0
    assert np.abs(heights - ground(landscape, 320.0 - east.ravel(), north.ravel())).max() > 5.0


def test_godot_builds_a_planet(godot: list[str], tmp_path: Path) -> None:
    planet = build_planet(PlanetRecipe.preset("temperate", seed=3, resolution=33))
    write_planet_package(tmp_path / "planet", planet, 64, 100.0)
    report = reported(godot, tmp_path, "planet/import_planet.gd", PLANET_REPORT)
    assert 103.0 < report["air"] < 115.0
    assert len(report["faces"]) == 18
    for face in range(6):
        near, middle, far = (report["faces"][f"Face {face} LOD{level}"] for level in range(3))
        assert (near[0], near[1], middle[1], far[1]) == (0.0, middle[0], far[0], 0.0)
        assert near[2] > middle[2] > far[2] > 0
