"""Packages read back by the letter of each engine's conventions, on land that no flip or turn leaves the same."""

import dataclasses
import json
import math
import re
import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.command_line import main
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.ecosystem.flooded_ground import cover_of, find_flooded
from terrain_addon.core.ecosystem.plants import remove_plants
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.maps.ground_cover import LAYERS
from terrain_addon.files.engines.engine import SCRIPTS
from terrain_addon.files.engines.godot import control_map
from terrain_addon.files.engines.package import (
    ENGINES,
    Package,
    PackageOptions,
    write_package,
    write_package_steps,
)
from terrain_addon.files.heightmaps import GREEN
from tests.files.engine_land import CELL, f_land, f_plants, ground, ground_of_triangles, letter_f

pytestmark = pytest.mark.once
Image = pytest.importorskip("PIL.Image")

Point = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def written(folder: Path, engine: str, landscape: Landscape | None = None, **options: Any) -> Package:
    return write_package(folder / "package", landscape or f_land(), engine, PackageOptions(**options))


def tile_at(package: Package, row: int = 0, column: int = 0) -> dict[str, Any]:
    (tile,) = (t for t in package.manifest["tiles"] if (t["row"], t["column"]) == (row, column))
    return tile


def content(folder: Path) -> dict[str, bytes]:
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def pixels(package: Package, tile: dict[str, Any], kind: str) -> np.ndarray:
    with Image.open(package.folder / tile["files"][kind]) as image:
        return np.array(image)


# --- each engine's way to read heights, written from its documentation ------------------------------------------------
# Each returns places (x, y, z) of the land for all samples of all tiles: x east, y north of the middle, z up, metres.


def unity_samples(package: Package) -> np.ndarray:
    """RAW, 16 bits, byte order Windows, not flipped: rows go along +Z; height is a share of the terrain's height."""
    places = []
    placement = package.manifest["placement"]
    n = placement["heightmap_resolution"]
    width, height, length = placement["terrain_size"]
    for at in placement["terrain_positions"]:
        tile = tile_at(package, at["row"], at["column"])
        values = struct.unpack(f"<{n * n}H", (package.folder / tile["files"]["height"]).read_bytes())
        for i, value in enumerate(values):
            unity_x = at["position"][0] + (i % n) / (n - 1) * width
            unity_y = at["position"][1] + value / 65535 * height
            unity_z = at["position"][2] + (i // n) / (n - 1) * length
            places.append((unity_x, unity_z, unity_y))
    return np.array(places)


def unreal_samples(package: Package) -> np.ndarray:
    """PNG rows go along +Y; Z = location + (v − 32768) / 128 · scale; in centimetres, Y is south.

    The tile _xI_yJ lies I tiles along +X and J tiles along +Y.
    """
    places = []
    location = package.manifest["placement"]["landscape_location"]
    scale = package.manifest["placement"]["landscape_scale"]
    for file in sorted((package.folder / "heights").iterdir()):
        across, along = (int(part[1:]) for part in file.stem.split("_")[1:])
        with Image.open(file) as image:
            levels = np.array(image).astype(np.float64)
        n = len(levels)
        row, column = np.mgrid[0:n, 0:n]
        x = location[0] + (column + across * (n - 1)) * scale[0]
        y = location[1] + (row + along * (n - 1)) * scale[1]
        z = location[2] + (levels - 32768.0) / 128.0 * scale[2]
        places.append(np.stack((x / 100.0, -y / 100.0, z / 100.0), axis=-1).reshape(-1, 3))
    return np.concatenate(places)


def godot_samples(package: Package) -> np.ndarray:
    """r16 as Terrain3D takes it: rows go along +Z from the given corner, heights between the ends of the range."""
    places = []
    placement, tile_shape = package.manifest["placement"], package.manifest["tile"]
    east, north = placement["vertex_spacing"]
    low, high = placement["r16_range"]
    for at in placement["north_west_corners"]:
        tile = tile_at(package, at["row"], at["column"])
        levels = np.fromfile(package.folder / tile["files"]["height_levels"], "<u2").astype(np.float64)
        levels = levels.reshape(tile_shape["rows"], tile_shape["columns"])
        row, column = np.indices(levels.shape)
        x = at["position"][0] + column * east
        z = at["position"][2] + row * north
        y = low + levels / 65535.0 * (high - low)
        places.append(np.stack((x, -z, y), axis=-1).reshape(-1, 3))
    return np.concatenate(places)


def generic_samples(package: Package) -> np.ndarray:
    """PNG, the first row north."""
    places = []
    placement, tile_shape = package.manifest["placement"], package.manifest["tile"]
    for tile in package.manifest["tiles"]:
        levels = pixels(package, tile, "height").astype(np.float64)
        row, column = np.indices(levels.shape)
        x = tile["west_m"] + column / (tile_shape["columns"] - 1) * tile_shape["width_m"]
        y = tile["south_m"] + (1.0 - row / (tile_shape["rows"] - 1)) * tile_shape["depth_m"]
        z = placement["offset_m"] + levels * placement["metres_per_level"]
        places.append(np.stack((x, y, z), axis=-1).reshape(-1, 3))
    return np.concatenate(places)


READERS = {"unity": unity_samples, "unreal": unreal_samples, "godot": godot_samples, "generic": generic_samples}
SIDES = {name: next((size for size in engine.sizes if size >= 60), 60) for name, engine in ENGINES.items()}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("tiles", [1, 2])
def test_the_letter_stands_where_it_was_carved(tmp_path: Path, engine: str, tiles: int) -> None:
    side = (SIDES[engine] - 1) * tiles + 1
    landscape = f_land(side, side, 0)
    package = written(tmp_path, engine, landscape, tiles=tiles)
    places = READERS[engine](package)
    assert len(places) == (SIDES[engine] * tiles) ** 2
    expected = ground(
        landscape, places[:, 0] + landscape.terrain.grid.width / 2, places[:, 1] + landscape.terrain.grid.depth / 2
    )
    step = (package.manifest["height"]["highest_m"] - package.manifest["height"]["lowest_m"]) / 65535
    assert np.abs(places[:, 2] - expected).max() < 0.51 * step + 2e-3
    # The same places read with any flip miss the letter by its depth: the land can tell them apart.
    for mirrored in (places[:, :2] * (-1, 1), places[:, :2] * (1, -1), places[:, 1::-1], -places[:, :2]):
        wrong = ground(landscape, *(mirrored + landscape.terrain.grid.width / 2).T)
        assert np.abs(places[:, 2] - wrong).max() > 15.0
    assert "resampled" not in package.message


@pytest.mark.parametrize(("engine", "rows", "columns"), [("unreal", 60, 100), ("unity", 40, 50), ("godot", 50, 90)])
def test_other_sizes_are_resampled_and_it_says_so(tmp_path: Path, engine: str, rows: int, columns: int) -> None:
    landscape = f_land(rows, columns, 0)
    package = written(tmp_path, engine, landscape, resolution=129 if engine == "godot" else None)
    assert package.manifest["land"]["resampled"]
    assert f"resampled from {columns} × {rows}" in package.message
    places = READERS[engine](package)
    assert np.ptp(places[:, 0]) == pytest.approx((columns - 1) * CELL)
    assert np.ptp(places[:, 1]) == pytest.approx((rows - 1) * CELL)
    x, y = places[:, 0] + landscape.terrain.grid.width / 2, places[:, 1] + landscape.terrain.grid.depth / 2
    # Away from the letter's walls the slope is a plane, which resampling keeps.
    reach = [ground(landscape, np.clip(x + i, 0, None), np.clip(y + j, 0, None)) for i in (-15, 15) for j in (-15, 15)]
    plane = 300.0 + 0.1 * x + 0.2 * y
    flat = np.abs(np.array(reach) - (plane + np.array([[-4.5], [1.5], [-1.5], [4.5]]))).max(axis=0) < 0.01
    assert flat.mean() > 0.3
    assert np.abs(places[flat, 2] - plane[flat]).max() < 0.05


def test_oblong_land_keeps_its_samples_in_godot(tmp_path: Path) -> None:
    package = written(tmp_path, "godot", f_land(50, 90, 0))
    assert package.manifest["tile"] == {"rows": 50, "columns": 90, "width_m": 445.0, "depth_m": 245.0}
    assert package.manifest["placement"]["vertex_spacing"] == [CELL, CELL]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("rows", "columns"), [(69, 97), (97, 69)])
def test_no_sample_of_oblong_land_is_lost_to_tiles(tmp_path: Path, engine: str, rows: int, columns: int) -> None:
    """Two tiles of such land are deeper than wide where the land is wider than deep."""
    land = written(tmp_path, engine, f_land(rows, columns, 0), tiles=2).manifest["land"]
    # A size of an engine may have 5 % fewer samples.
    assert land["rows"] - 1 >= 0.95 * (rows - 1) and land["columns"] - 1 >= 0.95 * (columns - 1)
    if engine in ("generic", "godot"):
        assert (land["rows"], land["columns"], land["resampled"]) == (rows, columns, False)


@pytest.mark.parametrize("engine", ENGINES)
def test_layers_lie_on_the_land(tmp_path: Path, engine: str) -> None:
    side = SIDES[engine]
    package = written(tmp_path, engine, f_land(side, side, 0))
    tile = tile_at(package)
    if f"layer_{LAYERS[0]}" in tile["files"]:
        weights = np.stack([pixels(package, tile, f"layer_{name}") for name in LAYERS], axis=-1)
    else:
        weights = np.concatenate([pixels(package, tile, "weights_0"), pixels(package, tile, "weights_1")], axis=-1)
    assert (weights.astype(int).sum(axis=2) == 255).all()
    water = weights[::-1, :, LAYERS.index("water")]  # all images begin in the north
    carved = letter_f(side, side)
    if engine == "unity":  # a texel for each cell
        assert water.shape == (side - 1, side - 1)
        corners = carved[:-1, :-1].astype(int) + carved[:-1, 1:] + carved[1:, :-1] + carved[1:, 1:]
        assert (water[corners == 4] == 255).all()
        assert (water[corners == 0] == 0).all()
    else:
        assert np.array_equal(water == 255, carved)


def test_a_cell_has_the_mean_of_its_corners(tmp_path: Path) -> None:
    weights = {}
    loose = np.random.default_rng(2).uniform(0.0, 1.0, (65, 65)).astype(np.float32) ** 4  # metres, on few places much
    land = f_land(65, 65, 0)
    land = dataclasses.replace(land, terrain=Terrain(land.terrain.bedrock, loose, CELL))
    for engine in ("unity", "godot"):
        package = written(tmp_path / engine, engine, land)
        tile = tile_at(package)
        images = [pixels(package, tile, f"weights_{number}").astype(int) for number in (0, 1)]
        weights[engine] = np.concatenate(images, axis=-1)
    corners = weights["godot"]
    means = (corners[:-1, :-1] + corners[:-1, 1:] + corners[1:, :-1] + corners[1:, 1:]) / 4.0
    assert np.abs(weights["unity"] - means).max() < 1.0
    assert (weights["unity"].sum(axis=2) == 255).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_green_of_normals(tmp_path: Path, engine: str) -> None:
    side = SIDES[engine]
    package = written(tmp_path, engine, f_land(side, side, 0))
    normals = pixels(package, tile_at(package), "normal").astype(int)
    # The slope rises to the north and east, so it faces south and west.
    red, green, blue = normals[-2, 2]
    length = math.sqrt(1.0 + 0.1**2 + 0.2**2)
    sign = -1.0 if engine == "unreal" else 1.0
    assert red == pytest.approx(127.5 - 12.75 / length, abs=0.51)
    assert green == pytest.approx(127.5 - sign * 25.5 / length, abs=0.51)
    assert blue == pytest.approx(127.5 + 127.5 / length, abs=0.51)


def test_green_of_the_ground_points_where_the_manifest_says(tmp_path: Path) -> None:
    normals = {}
    for engine in ("unity", "unreal"):
        side = SIDES[engine]
        package = written(tmp_path / engine, engine, f_land(side, side, 20))
        rock = next(layer["ground"] for layer in package.manifest["layers"] if layer["name"] == "rock")
        normals[package.manifest["images"]["normal_green"]] = np.asarray(Image.open(package.folder / rock["normal"]))
        # Pictures that GLB files share have it up in every package, and the manifest says so.
        skins = [skin for species in package.manifest["species"] for skin in species["skins"].values()]
        assert skins and all(skin["normal_green"] == "up" for skin in skins)
    assert np.array_equal(normals["down"][..., 1], 255 - normals["up"][..., 1])
    assert np.array_equal(normals["down"][..., ::2], normals["up"][..., ::2])


# --- plants -----------------------------------------------------------------------------------------------------------
# Each reader returns, for every plant, where it stands and where its mesh's east side points, in places of the land.


def unity_plants(package: Package) -> tuple[np.ndarray, np.ndarray]:
    """TreeInstance: places as shares of the terrain; the rotation turns +Z towards +X."""
    feet, east = [], []
    placement = package.manifest["placement"]
    size = np.array(placement["terrain_size"])
    for at in placement["terrain_positions"]:
        tile = tile_at(package, at["row"], at["column"])
        trees = json.loads((package.folder / tile["files"]["trees"]).read_text())
        for x, y, z, turn, scale in zip(trees["x"], trees["y"], trees["z"], trees["rotation"], trees["scale"]):
            assert min(x, y, z) >= 0.0 and max(x, y, z) <= 1.0
            unity = np.array(at["position"]) + np.array([x, y, z]) * size
            feet.append(unity[[0, 2, 1]])
            # Turning by t takes (1, 0, 0) to (cos t, 0, −sin t); the mesh's east is +X.
            east.append(scale * np.array([math.cos(turn), -math.sin(turn), 0.0]))
    return np.array(feet), np.array(east)


def unreal_plants(package: Package) -> tuple[np.ndarray, np.ndarray]:
    """Yaw turns +X towards +Y, which is south."""
    feet, east = [], []
    for tile in package.manifest["tiles"]:
        for x, y, z, yaw, scale in struct.iter_unpack(
            "<5f", (package.folder / tile["files"]["instances"]).read_bytes()
        ):
            feet.append((x / 100.0, -y / 100.0, z / 100.0))
            turn = math.radians(yaw)
            east.append((scale * math.cos(turn), -scale * math.sin(turn), 0.0))
    return np.array(feet), np.array(east)


def godot_plants(package: Package) -> tuple[np.ndarray, np.ndarray]:
    """MultiMesh.buffer: three rows of a matrix of 3 × 4."""
    buffers = [np.fromfile(package.folder / t["files"]["instances"], "<f4") for t in package.manifest["tiles"]]
    matrices = np.concatenate(buffers).reshape(-1, 3, 4).astype(np.float64)
    to_land = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return matrices[:, :, 3] @ to_land.T, matrices[:, :, 0] @ to_land.T


def glb_plants(package: Package) -> tuple[np.ndarray, np.ndarray]:
    """EXT_mesh_gpu_instancing."""
    feet, east = [], []
    for tile in package.manifest["tiles"]:
        data = (package.folder / tile["files"]["plants"]).read_bytes()
        length = struct.unpack_from("<I", data, 12)[0]
        document, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

        def array(index: int, width: int, document: Any = document, binary: bytes = binary) -> np.ndarray:
            accessor = document["accessors"][index]
            start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
            return np.frombuffer(binary, "<f4", accessor["count"] * width, start).reshape(-1, width).astype(np.float64)

        for node in document["nodes"]:
            if "extensions" not in node:
                continue
            attributes = node["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]
            places, scales = array(attributes["TRANSLATION"], 3), array(attributes["SCALE"], 3)
            for place, (i, j, k, w), scale in zip(places, array(attributes["ROTATION"], 4), scales):
                feet.append((place[0], -place[2], place[1]))
                turned = np.array([1 - 2 * (j * j + k * k), 2 * (i * j + k * w), 2 * (i * k - j * w)])
                east.append(scale[0] * turned[[0, 2, 1]] * (1, -1, 1))
    return np.array(feet), np.array(east)


PLANT_READERS = [
    ("unity", unity_plants),
    ("unreal", unreal_plants),
    ("godot", godot_plants),
    ("generic", glb_plants),
    ("unity", glb_plants),
]


@pytest.mark.parametrize(("engine", "read"), PLANT_READERS)
@pytest.mark.parametrize("tiles", [1, 3])
def test_every_plant_stands_once_and_is_turned_right(tmp_path: Path, engine: str, read: Any, tiles: int) -> None:
    side = (SIDES[engine] - 1) * tiles + 1
    landscape = f_land(side, side, 300, waters=None)  # rivers would take some of them
    feet, east = read(written(tmp_path, engine, landscape, tiles=tiles))
    plants, half = landscape.plants, landscape.terrain.grid.width / 2
    assert plants is not None
    turn = np.radians(plants.rotation.astype(np.float64))
    # All cells of Unreal's landscapes are divided from the north-west to the south-east.
    turned = np.full((side - 1, side - 1), engine == "unreal")
    height = ground_of_triangles(landscape, plants.x, plants.y, turned)
    expected = np.stack((plants.x - half, plants.y - half, height), axis=1)
    grown = np.array([species.height for species in landscape.recipe.ecosystem.species])[plants.species]
    facing = (plants.height / grown)[:, None] * np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
    ours, theirs = np.lexsort(np.rint(expected.T * 20)), np.lexsort(np.rint(feet.T * 20))
    nearest = np.abs(feet[:, None, :2] - expected[None, :, :2]).sum(axis=2).argmin(axis=1)
    assert len(ours) == len(theirs) == len(set(nearest.tolist())) == 300
    assert np.abs(feet - expected[nearest]).max() < 2e-3
    assert np.abs(east - facing[nearest]).max() < 2e-4


def test_a_plant_on_an_edge_belongs_to_one_tile(tmp_path: Path) -> None:
    landscape = f_land(129, 129, 5)
    plants = dataclasses.replace(
        f_plants(landscape.terrain, 5),
        x=np.array([0.0, 320.0, 640.0, 320.0, 640.0], np.float32),
        y=np.array([0.0, 320.0, 640.0, 0.0, 320.0], np.float32),
    )
    package = written(tmp_path, "unity", dataclasses.replace(landscape, plants=plants), tiles=2)
    counts = {
        (t["row"], t["column"]): len(json.loads((package.folder / t["files"]["trees"]).read_text())["x"])
        for t in package.manifest["tiles"]
        if "trees" in t["files"]
    }
    assert counts == {(0, 0): 1, (0, 1): 1, (1, 1): 3}


def plant_groups(package: Package) -> list[dict[str, int]]:
    rows = np.fromfile(package.folder / tile_at(package)["files"]["plant_groups"], "<i4").reshape(-1, 6)
    names = ("species", "variant", "row", "column", "first", "end")
    return [dict(zip(names, row, strict=True)) for row in rows.tolist()]


def test_groups_name_the_plants_of_a_file(tmp_path: Path) -> None:
    landscape = f_land(65, 65, 300)
    package = written(tmp_path, "godot", landscape, cell=80.0)
    feet, _ = godot_plants(package)
    plants = landscape.plants
    assert plants is not None
    groups = plant_groups(package)
    assert [g["first"] for g in groups[1:]] == [g["end"] for g in groups[:-1]]
    assert groups[-1]["end"] == 300
    for group in groups:
        here = feet[group["first"] : group["end"]] + np.array([160.0, 160.0, 0.0])
        assert set(np.floor(here[:, 0] / 80.0)) == {group["column"]}
        assert set(np.floor(here[:, 1] / 80.0)) == {group["row"]}
        nearest = np.abs(here[:, None, :2] - np.stack((plants.x, plants.y), axis=1)[None]).sum(axis=2).argmin(axis=1)
        assert set(plants.species[nearest].tolist()) == {group["species"]}
        assert set(plants.variant[nearest].tolist()) == {group["variant"]}


def lakeside() -> Landscape:
    """A round lake in a rough bowl, with trees up to its shore."""
    row, column = np.mgrid[0:129, 0:129] / 128 - 0.5
    rough = 3.0 * np.sin(40.0 * row) * np.cos(50.0 * column)
    heights = (200.0 * np.hypot(row, 1.3 * column) + rough).astype(np.float32)
    heights[0] = 40.0
    waters = find_water(heights, CELL, Water(rivers=False))
    land = f_land(129, 129, 0, terrain=Terrain(heights, np.zeros_like(heights), CELL), waters=waters)
    species = tuple(one.replace(deepest_water=0.0) for one in land.recipe.ecosystem.species)
    plants = f_plants(land.terrain, 20_000)
    flooded = find_flooded(plants.x, plants.y, plants.species, species, cover_of(waters, heights, CELL))
    recipe = land.recipe.replace(ecosystem=land.recipe.ecosystem.replace(species=species))
    return dataclasses.replace(land, recipe=recipe, plants=remove_plants(plants, ~flooded))


def test_no_tree_stands_in_a_lake_of_a_package_with_fewer_samples(tmp_path: Path) -> None:
    land, counts = lakeside(), []
    assert land.plants is not None and land.waters is not None
    level = np.where(land.waters.water_depth > 0.0, land.waters.water_level, -np.inf)
    level = np.max([level[:-1, :-1], level[1:, :-1], level[:-1, 1:], level[1:, 1:]], axis=0)
    for samples in (129, 65):
        feet, _ = godot_plants(written(tmp_path / str(samples), "godot", land, resolution=samples))
        column, row = np.floor(feet[:, :2].T / CELL + 64.0).astype(int).clip(0, 127)
        assert (feet[:, 2] - level[row, column]).min() > -1e-3
        counts.append(len(feet))
    # Between fewer samples the ground of some lies below the lake.
    assert len(land.plants) - 10 < counts[0] and counts[1] < counts[0]


def test_dead_plants_wear_models_of_their_own(tmp_path: Path) -> None:
    landscape = f_land(65, 65, 3)
    plants = dataclasses.replace(landscape.plants, condition=np.array([0, 1, 2], np.int32))
    package = written(tmp_path, "godot", dataclasses.replace(landscape, plants=plants))
    worn = [package.manifest["species"][group["species"]]["name"] for group in plant_groups(package)]
    assert sorted(worn) == sorted([("tree", "bush")[plants.species[0]], "dead tree", "dead wood"])


# --- meshes -----------------------------------------------------------------------------------------------------------


def glb_positions(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions and triangles of each mesh."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def array(index: int) -> np.ndarray:
        accessor = document["accessors"][index]
        kind, width = (
            {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]],
            int(accessor["type"][3:] if accessor["type"] != "SCALAR" else 1),
        )
        start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        return np.frombuffer(binary, kind, accessor["count"] * width, start).reshape(-1, width)

    primitives = [p for mesh in document["meshes"] for p in mesh["primitives"]]
    return [(array(p["attributes"]["POSITION"]), array(p["indices"]).reshape(-1, 3)) for p in primitives]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_levels_of_detail_cover_the_land_and_hang_a_skirt(tmp_path: Path, level: int) -> None:
    landscape = f_land(300, 200, 0)
    package = written(tmp_path, "generic", landscape, tiles=1)
    pieces = glb_positions(package.folder / tile_at(package)["files"][f"land_lod{level}"])
    assert len(pieces) == 2 * 3  # 199 × 299 cells in pieces of 128
    area = 0.0
    for positions, triangles in pieces:
        x, z, y = positions[:, 0] + 497.5, positions[:, 1], 747.5 - positions[:, 2]
        on_land = np.abs(z - ground(landscape, x, y)) < 1e-3
        hem = ~on_land
        assert np.abs(z[hem] - ground(landscape, x[hem], y[hem]) + 20.0).max() < 1e-3  # four cells of 5 m
        corners = positions[triangles].astype(np.float64)
        upward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1] / 2
        assert (upward > -1e-3).all()
        area += upward.sum()
    assert area == pytest.approx(995.0 * 1495.0, rel=1e-5)


def test_skirts_face_outwards(tmp_path: Path) -> None:
    package = written(tmp_path, "generic", f_land(65, 65, 0))
    ((positions, triangles),) = glb_positions(package.folder / tile_at(package)["files"]["land_lod0"])
    hem = triangles[(triangles >= 65 * 65).any(axis=1)]
    assert len(hem) == 2 * 4 * 64
    corners = positions[hem].astype(np.float64)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outwards = corners.mean(axis=1) * (1.0, 0.0, 1.0)
    assert ((normal * outwards).sum(axis=1) > 0.0).all()


def test_pieces_and_tiles_meet(tmp_path: Path) -> None:
    package = written(tmp_path, "unity", f_land(129, 129, 0), tiles=2)
    edges = []
    for column in (0, 1):
        ((positions, _),) = glb_positions(package.folder / tile_at(package, 1, column)["files"]["land_lod1"])
        edge = positions[(positions[:, 0] == 0.0)]
        edges.append(edge[np.lexsort(edge.T)])
    assert len(edges[0]) == 2 * 33
    assert np.array_equal(*edges)


def test_collision_mesh(tmp_path: Path) -> None:
    landscape = f_land(65, 65, 0)
    package = written(tmp_path, "godot", landscape, collision_step=4)
    ((positions, triangles),) = glb_positions(package.folder / tile_at(package)["files"]["collision"])
    assert positions.shape == (17 * 17, 3)
    assert len(triangles) == 2 * 16 * 16
    expected = ground(landscape, positions[:, 0] + 160.0, 160.0 - positions[:, 2])
    assert np.abs(positions[:, 1] - expected).max() < 1e-3


def test_water_lies_at_sea_level(tmp_path: Path) -> None:
    package = written(tmp_path, "generic")
    file, around = package.manifest["water"]
    assert around == "meshes/sea_around.glb"
    assert package.manifest["land"]["sea_level_m"] == 305.0
    assert any(np.abs(positions[:, 1] - 305.0).max() < 1e-4 for positions, _ in glb_positions(package.folder / file))


def test_control_map_of_terrain3d() -> None:
    weights = np.zeros((1, 4, 8), np.uint8)
    weights[0, 0, 3] = 255
    weights[0, 1, [2, 6]] = 170, 85
    weights[0, 2, [6, 7]] = 100, 155
    weights[0, 3, [1, 5]] = 127, 128
    (fields,) = control_map(weights).tolist()
    assert [(f >> 27 & 31, f >> 22 & 31, f >> 14 & 255, f & 0x3FFF) for f in fields] == [
        (3, 0, 0, 0),
        (2, 6, 85, 0),
        (7, 6, 100, 0),
        (5, 1, 127, 0),
    ]


# --- the package as a whole -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_manifest_says_what_is_there(tmp_path: Path, engine: str) -> None:
    landscape = f_land()
    package = written(tmp_path, engine, landscape)
    manifest = json.loads((package.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest == json.loads(json.dumps(package.manifest))
    on_disk = {name: len(data) for name, data in content(package.folder).items() if name != "manifest.json"}
    assert {f["path"]: f["bytes"] for f in manifest["files"]} == on_disk
    named = {name for tile in manifest["tiles"] for name in tile["files"].values()} | set(manifest["water"])
    named |= {name for s in manifest["species"] for v in s["variants"] for name in v["lods"]}
    named |= {skin[kind] for s in manifest["species"] for skin in s["skins"].values() for kind in ("colour", "normal")}
    named |= {s["views"][kind] for s in manifest["species"] if "views" in s for kind in ("colour", "surface")}
    small = manifest.get("details", ())
    named |= {name for kind in small for name in (*kind["meshes"], *kind.get("far_meshes", ()))}
    named |= {v["views"] for s in manifest["species"] for v in s["variants"] if "views" in v}
    named |= {layer["ground"][kind] for layer in manifest["layers"] for kind in ("colour", "normal", "packed")}
    assert named <= set(on_disk)
    unnamed = {name for name in on_disk if "/" in name and not name.endswith("/.gdignore")} - named
    assert unnamed <= set(ENGINES[engine].scripts.values())
    assert manifest["seed"] == 5
    assert type(landscape.recipe).from_json(manifest["recipe"]) == landscape.recipe
    assert manifest["height"]["first_row"] == ("south" if engine == "unity" else "north")
    said = (package.folder / "README.txt").read_text(encoding="utf-8")
    assert len(said.splitlines()) == 6
    assert (f"Landscape > {manifest['name']} > Build from Package" in said) == (engine == "unity")
    assert ("collision" in said) == (engine == "generic")
    assert set(ENGINES[engine].scripts.values()) <= set(on_disk)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_landscape_gives_the_same_bytes(tmp_path: Path, engine: str) -> None:
    named = PackageOptions(name="level")
    first = content(write_package(tmp_path / "a", f_land(), engine, named).folder)
    assert content(write_package(tmp_path / "b", f_land(), engine, named).folder) == first


def test_an_export_that_is_cancelled_leaves_the_old_package_whole(tmp_path: Path) -> None:
    target = tmp_path / "package"
    old = content(write_package(target, f_land(plants=10), "godot").folder)
    count = 0
    steps = write_package_steps(target, f_land(), "godot")
    for _ in steps:
        count += 1
    new = content(target)
    assert count > 8 and new != old
    write_package(target, f_land(plants=10), "godot")
    for stop in range(1, count):
        steps = write_package_steps(target, f_land(), "godot")
        shares = [next(steps) for _ in range(stop)]
        assert shares == sorted(shares) and shares[0] >= 0.0 and shares[-1] <= 1.0
        steps.close()
        assert content(target) == old
        assert [f.name for f in tmp_path.iterdir()] == ["package"]


def test_files_that_an_engine_keeps_beside_ours_stay(tmp_path: Path) -> None:
    package = written(tmp_path, "unity")
    (package.folder / "heights" / "height_0_0.raw.meta").write_text("guid: 1")
    (package.folder / "Built.unity").write_text("level")
    written(tmp_path, "unity", f_land(plants=0))
    after = content(package.folder)
    assert after["heights/height_0_0.raw.meta"] == b"guid: 1"
    assert after["Built.unity"] == b"level"
    assert not [name for name in after if name.startswith("plants/")]


def test_a_full_disk_leaves_the_old_package_whole(tmp_path: Path) -> None:
    old = content(written(tmp_path, "generic", f_land(plants=0)).folder)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The system then refuses to let any file grow beyond this, with an error like that of a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(ValueError, match="cannot write"):
            written(tmp_path, "generic")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert content(tmp_path / "package") == old
    assert [f.name for f in tmp_path.iterdir()] == ["package"]


def test_names_that_are_strange(tmp_path: Path) -> None:
    recipe = f_land().recipe
    names = ("Weiß-Tanne / 枞 " + "x" * 200, "😀")
    kinds = tuple(dataclasses.replace(s, name=n) for s, n in zip(recipe.ecosystem.species, names))
    recipe = dataclasses.replace(recipe, ecosystem=dataclasses.replace(recipe.ecosystem, species=kinds))
    package = write_package(tmp_path / "Gelände 山 ünï", f_land(recipe=recipe), "unity")
    assert [s["name"] for s in package.manifest["species"]] == [*names, "dead tree", "dead wood"]
    files = sorted(f.name for f in (package.folder / "species").iterdir())
    assert files[0] == "00_wei_tanne_" + "x" * 30 + "_0_lod0.glb"
    assert "01_plant_2_lod0.glb" in files
    assert all(name.isascii() and len(name) < 80 for name in files)


def test_level_land(tmp_path: Path) -> None:
    flat = f_land(65, 65, 0)
    terrain = dataclasses.replace(flat.terrain, bedrock=np.full((65, 65), 12.5, np.float32))
    for engine in ENGINES:
        package = write_package(tmp_path / engine, dataclasses.replace(flat, terrain=terrain), engine)
        places = READERS[engine](package)
        assert np.abs(places[:, 2] - 12.5).max() < 1e-4


# --- what can not be done ---------------------------------------------------------------------------------------------


def test_heights_outside_the_range_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"heights run from .* outside the range of 0.0 to 310.0 m"):
        written(tmp_path, "unreal", height_range=(0.0, 310.0))
    assert list(tmp_path.iterdir()) == []
    package = written(tmp_path, "unity", height_range=(0.0, 1000.0))
    assert package.manifest["placement"]["terrain_size"][1] == 1000.0
    assert np.abs(unity_samples(package)[0, 2] - 300.0) < 0.51 * 1000 / 65535


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"resolution": 1}, "resolution = 1 is outside 2 to 16384"),
        ({"tiles": 0}, "tiles = 0 is outside 1 to 64"),
        ({"lods": 7}, "lods = 7"),
        ({"collision_step": 0}, "collision_step = 0"),
        ({"cell": math.nan}, "cell = nan"),
        ({"height_range": (5.0, 5.0)}, "height_range"),
        ({"height_range": (0.0, math.inf)}, "height_range"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        PackageOptions(**options)


def test_sizes_that_an_engine_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"resolution = 512 is no size that Unity takes: 33, 65, .*4097"):
        written(tmp_path, "unity", resolution=512)
    with pytest.raises(ValueError, match="there is no engine 'cry'; there are: unity, unreal, godot, generic"):
        written(tmp_path, "cry")
    assert list(tmp_path.iterdir()) == []


def test_land_without_maps_or_surface(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="without maps"):
        written(tmp_path, "unity", dataclasses.replace(f_land(), maps={}, plants=None))
    landscape = f_land()
    line = dataclasses.replace(
        landscape.terrain, bedrock=np.zeros((1, 9), np.float32), sediment=np.zeros((1, 9), np.float32)
    )
    with pytest.raises(ValueError, match="1 × 9 samples has no surface"):
        written(tmp_path, "unity", dataclasses.replace(landscape, terrain=line))


def test_folders_that_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "novel.txt").write_text("irreplaceable")
    with pytest.raises(ValueError, match="it holds other things"):
        write_package(tmp_path / "mine", f_land(), "unity")
    (tmp_path / "long").mkdir()
    (tmp_path / "long" / "manifest.json").write_bytes(b'{"files": []}'.ljust((1 << 26) + 1))
    with pytest.raises(ValueError, match="it holds other things"):
        write_package(tmp_path / "long", f_land(), "unity")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match="there is a file of that name"):
        write_package(tmp_path / "file", f_land(), "unity")
    with pytest.raises(ValueError, match="is not a folder"):
        write_package(tmp_path / "file" / "package", f_land(), "unity")
    with pytest.raises(ValueError, match="cannot write"):
        write_package(tmp_path / ("x" * 300), f_land(), "unity")
    with pytest.raises(ValueError, match="null character"):
        write_package(f"{tmp_path}/a\0b", f_land(), "unity")
    assert sorted(f.name for f in tmp_path.rglob("*")) == ["file", "long", "manifest.json", "mine", "novel.txt"]


# --- shaders ----------------------------------------------------------------------------------------------------------


def test_pictures_of_a_tile_end_at_its_border_in_godot() -> None:
    """Godot repeats pictures unless a shader says otherwise: the border would get the colours of the opposite one."""
    repeated = {}
    for script in ENGINES["godot"].scripts:
        for name, hints in re.findall(r"^uniform sampler2D(?:Array)? (\w+) : (.*?);", shader_text(script), re.M):
            repeated[f"{script} {name}"] = [hint for hint in hints.split(", ") if hint.startswith("repeat")]
    ends = [f"land.gdshader {name}" for name in ("macro", "weights_0", "weights_1", "normal_map", "canopy")]
    assert {name: repeated[name] for name in ends} == {name: ["repeat_disable"] for name in ends}
    assert all(repeated.values()), "each says which it wants"


def shader_text(script: str) -> str:
    return (SCRIPTS / script).read_text(encoding="utf-8") if script.endswith(".gdshader") else ""


# --- one record -------------------------------------------------------------------------------------------------------


def test_a_new_engine_is_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = dataclasses.replace(ENGINES["generic"], name="toy", title="Toy", sizes=(33, 65), square=True)
    monkeypatch.setitem(ENGINES, toy.name, toy)
    package = written(tmp_path, "toy", f_land(60, 60, 0))
    assert package.manifest["engine"] == "toy" and package.manifest["tile"]["rows"] == 65
    assert "a landscape for Toy" in (package.folder / "README.txt").read_text()
    recipe = ["export", "plains", "--set", "resolution=17", "--out", str(tmp_path / "out"), "--engine", "toy"]
    assert main(recipe) == 0
    assert (tmp_path / "out" / "plains_toy" / "manifest.json").is_file()


def test_engines_are_listed_by_their_own_names() -> None:
    assert [engine.name for engine in ENGINES.values()] == list(ENGINES)
    for engine in ENGINES.values():
        assert list(engine.sizes) == sorted(set(engine.sizes)) and engine.green in GREEN
        assert engine.summary and not engine.summary.endswith(".")
        assert all((SCRIPTS / script).is_file() for script in engine.scripts)
