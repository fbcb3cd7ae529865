"""Packages as levels: what they are called, what they replace, and what a walker in them would see."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.command_line import main
from terrain_addon.core.building.landscape import Landscape, build
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.terrain import Terrain
from terrain_addon.core.meshing.cell_diagonals import turned_cells
from terrain_addon.core.meshing.water_mesh import LAKE, RIVER, WaterMesh, make_water_mesh
from terrain_addon.core.relief.elevation_model import ElevationModel
from terrain_addon.files.engines.free_ground import EngineGround, Obstacles, plants_on_banks
from terrain_addon.files.engines.godot import GODOT
from terrain_addon.files.engines.package import PackageOptions, write_package
from terrain_addon.files.engines.tiled_land import Tile, TiledLand
from terrain_addon.files.fitted_rivers import ShownGround, lay_streams, sink_banks
from terrain_addon.files.landscape_glb import export_landscape
from tests.files.engine_land import f_land, f_plants, ground
from tests.mountains import mountains
from tests.png_reader import read_png

pytestmark = pytest.mark.once

SMALL = ["export", "plains", "--set", "resolution=33", "--set", "ecosystem.cover=0", "--json"]


def exported(out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """The reports of the command line."""
    main([*SMALL, "--out", str(out), *options])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# --- names ------------------------------------------------------------------------------------------------------------


def test_packages_are_named_after_their_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (report,) = exported(tmp_path, capsys, "--engine", "unreal", "--tiles", "2", "--resolution", "127", "--lods", "1")
    assert report["package"] == "plains_unreal" and report["tiles"] == [2, 2]
    assert report["samples_of_a_tile"] == [127, 127] and report["resampled_from"] == [33, 33]
    manifest = json.loads((tmp_path / "plains_unreal" / "manifest.json").read_text())
    assert manifest["name"] == "plains" and len(manifest["tiles"]) == 4
    assert "land_lod0" in manifest["tiles"][0]["files"] and "land_lod1" not in manifest["tiles"][0]["files"]
    (report,) = exported(tmp_path, capsys, "--engine", "generic", "--name", "heath")
    assert report["package"] == "heath_generic" and "resampled_from" not in report
    assert (tmp_path / "plains_unreal" / "manifest.json").is_file()
    # In a batch each land has a name of its own: engines put the assets of equal names into one folder.
    reports = exported(tmp_path / "many", capsys, "--engine", "generic", "--seed", "3..4")
    assert [report["package"] for report in reports] == ["plains_3_generic", "plains_4_generic"]


def test_options_that_a_format_lacks_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "glb", "--tiles", "2"]) == 1
    assert "--tiles works only with --engine unity, unreal, godot or generic" in capsys.readouterr().err
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "unity", "--name", "a/b"]) == 1
    assert "name = 'a/b' is not made of" in capsys.readouterr().err
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "glb", "--lod", "3"]) == 2
    assert "--lod: invalid choice: 3" in capsys.readouterr().err
    assert main([*SMALL, "--out", str(tmp_path), "--engine", "godot", "--resolution", "100"]) == 1
    assert (said := capsys.readouterr()).out == "" and "resolution = 100 is no size that Godot takes" in said.err
    assert not list(tmp_path.iterdir())


def test_a_package_replaces_only_its_own(tmp_path: Path) -> None:
    folder, land = tmp_path / "level", f_land(33, 33, 0)
    write_package(folder, land, "generic", PackageOptions(name="heath"))
    before = (folder / "manifest.json").read_bytes()
    for engine, name in (("unity", "heath"), ("generic", "moor")):
        with pytest.raises(ValueError, match="it holds the package heath for generic, not"):
            write_package(folder, land, engine, PackageOptions(name=name))
    assert (folder / "manifest.json").read_bytes() == before
    write_package(folder, f_land(33, 33, 5), "generic", PackageOptions(name="heath"))
    assert (folder / "manifest.json").read_bytes() != before


def test_nothing_tells_where_a_package_was_made(tmp_path: Path) -> None:
    land = f_land(33, 33, 0)
    for path in ("/home/somebody/secret/alps.tif", "C:\\Users\\Somebody\\secret\\alps.tif"):
        layer = dataclasses.replace(land.recipe.relief.layers[0], source=ElevationModel(path=path))
        recipe = land.recipe.replace(relief=dataclasses.replace(land.recipe.relief, layers=(layer,)))
        package = write_package(tmp_path / "level", dataclasses.replace(land, recipe=recipe), "generic")
        assert package.manifest["recipe"]["relief"]["layers"][0]["source"]["path"] == "alps.tif"
        assert "secret" not in (package.folder / "manifest.json").read_text()


# --- a walk in Godot --------------------------------------------------------------------------------------------------


def triangles_of(path: Path) -> int:
    """Triangles of a GLB file."""
    data = path.read_bytes()
    document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    primitives = [part for mesh in document["meshes"] for part in mesh["primitives"]]
    return sum(document["accessors"][part["indices"]]["count"] // 3 for part in primitives)


def test_a_walker_in_godot_sees_fine_plants_near_and_few_triangles(tmp_path: Path) -> None:
    """Our own count of what plants.gd shows: Godot measures ranges from the middle of a box, here the given one."""
    land = f_land(129, 129, 20_000)
    package = write_package(tmp_path / "level", land, "godot")
    (tile,) = package.manifest["tiles"]
    folder = package.folder
    groups = np.fromfile(folder / tile["files"]["plant_groups"], "<i4").reshape(-1, 6).tolist()
    # A game carries the manifest along, and a forest has hundreds of thousands of groups.
    assert (folder / "manifest.json").stat().st_size < 200_000
    feet = np.fromfile(folder / tile["files"]["instances"], "<f4").reshape(-1, 3, 4)[:, :, 3]
    boxes = np.fromfile(folder / tile["files"]["plant_boxes"], "<f4").reshape(-1, 7)
    middle, half = (boxes[:, :3] + boxes[:, 3:6]) / 2, np.linalg.norm(boxes[:, 3:6] - boxes[:, :3], axis=1) / 2
    placement = package.manifest["placement"]
    fine_end, middle_end = placement["plant_level_ends_m"]
    # The last two levels overlap, so that each plant can go over from one into the other: both are drawn there.
    # The last one is shown in larger squares, of which shaders hide what is not wanted.
    begins = [0 * half, fine_end + half, np.maximum(fine_end + half, middle_end - half)]
    ends = [fine_end + half, middle_end + half + placement["plant_fade_m"], boxes[:, 6] + half]
    counts = np.array([end - first for *_, first, end in groups])
    group_of = np.repeat(np.arange(len(groups)), counts)
    assert (boxes[group_of, :3] <= feet).all() and (feet <= boxes[group_of, 3:6]).all()
    assert (half < 80.0).all()
    species = package.manifest["species"]
    files = [species[kind]["variants"][variant]["lods"] for kind, variant, *_ in groups]
    triangles = {file: triangles_of(folder / file) for levels in files for file in levels}
    costs = np.array([[triangles[file] for file in levels] for levels in files])
    near = fine = 0
    for place in feet[:: len(feet) // 50]:
        eye = place + np.array([0.0, 1.7, 0.0])
        distance = np.linalg.norm(middle - eye, axis=1)
        drawn = np.stack([(begin <= distance) & (distance < end) for begin, end in zip(begins, ends)], axis=1)
        around = np.linalg.norm(feet - eye, axis=1) < 10.0
        near, fine = near + around.sum(), fine + drawn[group_of[around], 0].sum()
        # Whatever a plant's distance, at least one level shows it.
        away = np.linalg.norm(feet - eye, axis=1)
        shows = np.stack((away > -1, away < middle_end + placement["plant_fade_m"], away > middle_end), axis=1)
        seen = away < boxes[group_of, 6]
        assert (drawn[group_of] & shows).any(axis=1)[seen].all()
        shown = (costs * drawn).sum(axis=1) * counts
        ahead = (middle - eye)[:, 0] > -half
        assert shown[ahead].sum() < 3_000_000
    assert fine / near >= 0.95
    assert boxes[:, 6].max() < math.inf


@pytest.mark.parametrize("engine", ["godot", "unity"])
def test_tufts_grow_where_the_land_is_green(tmp_path: Path, engine: str) -> None:
    land = build(Recipe.preset("plains", resolution=65), extent="maps")
    package = write_package(tmp_path / "level", land, engine, PackageOptions(resolution=65))
    (tile,) = package.manifest["tiles"]
    names = [layer["name"] for layer in package.manifest["layers"]]
    weights = [read_png(package.folder / tile["files"][f"weights_{number}"]) for number in range(2)]
    share = dict(zip(names, np.moveaxis(np.concatenate(weights, axis=2) / 255.0, 2, 0)))
    density = {
        kind["name"]: read_png(package.folder / tile["files"]["density_" + kind["name"]]) / 255.0
        for kind in package.manifest["details"]
    }
    # A picture is several times as fine, because the land has a river, in which nothing is.
    finer = len(density["tufts"]) // len(share["grass"])
    share = {name: part.repeat(finer, axis=0).repeat(finer, axis=1) for name, part in share.items()}
    expected = share["grass"] + 0.15 * share["forest_floor"] + 0.1 * share["soil"]
    differs = np.abs(density["tufts"] - expected) > 0.01
    assert not density["tufts"][differs].any() and differs.mean() < 0.05
    bare = (share["snow"] + share["water"]) > 0.999
    for kind in package.manifest["details"]:
        assert not density[kind["name"]][bare].any()
        assert all(triangles_of(package.folder / file) < 500 for file in kind["meshes"])
    assert density["tufts"].max() > 0.1


@pytest.mark.parametrize(("name", "soil", "deepest"), [("tufts", 1.0, 0.05), ("stones", 0.0, 0.3)])
def test_no_tuft_and_no_stone_lies_in_deep_water(tmp_path: Path, name: str, soil: float, deepest: float) -> None:
    land = f_land(65, 65, 0)  # the sea covers the south-west, where the maps know of no water
    loose = np.full_like(land.terrain.surface, soil)
    terrain = Terrain(land.terrain.surface - loose, loose, land.terrain.cell_size)
    land = dataclasses.replace(land, terrain=terrain)
    package = write_package(tmp_path / "level", land, "godot", PackageOptions(ground=0))
    picture = read_png(package.folder / package.manifest["tiles"][0]["files"][f"density_{name}"])[::-1]
    side = len(picture)
    north, east = (np.mgrid[0:side, 0:side] + 0.5) * 320.0 / side
    depth = 305.0 - ground(land, east.ravel(), north.ravel()).reshape(side, side)
    is_deep = depth > deepest + 0.05
    assert is_deep.sum() > 100 and not picture[is_deep].any()
    # Beyond the sea, and where it is shallow, they are as dense as the ground says.
    is_shallow = (depth > 0.0) & (depth < deepest - 0.02)
    assert np.median(picture[is_shallow]) == np.median(picture[depth < -10.0]) > 0


def test_no_plant_stands_in_a_river_that_an_engine_shows() -> None:
    flat = np.zeros((5, 5), np.float32)
    land = TiledLand(5, 5, 40.0, 40.0, 1, 1, 0.0, 1.0)
    tile = Tile(0, 0, land.x, land.y, flat, *([flat] * 4))
    ends = np.array([[-20.0, -2.0, 0.1], [20.0, -2.0, 0.1], [20.0, 2.0, 0.1], [-20.0, 2.0, 0.1]], np.float32)
    nothing = np.zeros(4, np.float32)
    triangles = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    plants = f_plants(Terrain(flat, flat, 10.0), 300)
    on_bank, wades = np.abs(plants.y - 20.0) > 2.0, plants.species == 1
    recipe = f_land().recipe
    first, second = recipe.ecosystem.species[:2]
    species = (first.replace(deepest_water=0.05), second.replace(deepest_water=0.2))
    recipe = recipe.replace(ecosystem=recipe.ecosystem.replace(species=species))
    # Only in standing water it counts how deep it may be.
    for kind, is_kept in ((RIVER, on_bank), (LAKE, on_bank | wades)):
        water = WaterMesh(ends, triangles, np.full(4, kind, np.int32), nothing, ends[:, :2], nothing)
        kept = plants_on_banks(EngineGround(land, tile, GODOT, Obstacles(water=water)), plants, recipe)
        assert kept is not None and kept.age.tolist() == plants.age[is_kept].tolist()


def test_packages_leave_plants_in_rivers_out(tmp_path: Path) -> None:
    counts = []
    for name, changes in (("wet", {}), ("dry", {"waters": None})):
        package = write_package(tmp_path / name, f_land(257, 257, 3000, **changes), "godot", PackageOptions(ground=0))
        counts.append(package.manifest["plant_count"])
    assert 2900 < counts[0] < counts[1] == 3000


def test_far_plants_in_godot_are_two_triangles(tmp_path: Path) -> None:
    package = write_package(tmp_path / "level", f_land(65, 65, 50), "godot")
    for species in package.manifest["species"]:
        if "views" not in species:
            continue
        assert "far" not in species["skins"]
        for variant in species["variants"]:
            assert triangles_of(package.folder / variant["lods"][-1]) == 2
        for kind in ("colour", "surface"):
            assert (package.folder / species["views"][kind]).read_bytes().startswith(b"\x89PNG")
    assert any("views" in species for species in package.manifest["species"])
    # Rocks and grasses look alike from all sides: they keep a mesh.  Other engines keep their cards.
    other = write_package(tmp_path / "other", f_land(65, 65, 50), "generic")
    assert not any("views" in species for species in other.manifest["species"])


def test_godot_imports_nothing_but_what_it_can_use(tmp_path: Path) -> None:
    """Its importer would take every PNG, EXR and GLB, and the game would hold them twice or not at all."""
    package = write_package(tmp_path / "level", f_land(65, 65, 50), "godot")
    imported = {".png", ".exr", ".glb", ".gltf", ".obj"}
    for file in package.folder.rglob("*"):
        hidden = any((folder / ".gdignore").is_file() for folder in file.parents if folder != package.folder.parent)
        assert hidden or file.suffix not in imported, file
    assert {file.stem for file in package.folder.glob("*.gd")} == {
        "import_godot",
        "build_landscape",
        "plants",
        "walker",
        "details",
        "ground",
        "stream",
        "navigation",
        "import_terrain3d",
        "import_hterrain",
    }
    assert not (package.folder / ".gdignore").exists()


def test_a_plant_of_scale_1_is_full_grown(tmp_path: Path) -> None:
    """Whoever paints more plants in an engine paints trees, not models of 1 m."""
    land = f_land(33, 33, 20)
    package = write_package(tmp_path / "level", land, "generic")
    for species, grown in zip(package.manifest["species"], land.recipe.ecosystem.species, strict=False):
        data = (package.folder / species["variants"][0]["lods"][0]).read_bytes()
        document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        tops = [max(accessor.get("max", [0, 0, 0])[1:2]) for accessor in document["accessors"]]
        assert max(tops) == pytest.approx(grown.height, rel=0.05) and species["height_m"] == grown.height


# --- water ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alps() -> Landscape:
    """Alps with rivers, but without plants."""
    return build(mountains(resolution=257), extent="maps")


def test_rivers_lie_in_the_land(alps: Landscape) -> None:
    """Where the land dips between two places of a bank, the water would hang in the air."""
    assert alps.waters is not None
    water = make_water_mesh(alps.terrain, alps.waters)
    ground = ShownGround(alps.terrain.surface, (alps.terrain.grid.width, alps.terrain.grid.depth))
    assert standing_out(water, alps.terrain) > 0.5
    assert standing_out(sink_banks(water, ground), alps.terrain) < 0.3


@pytest.mark.parametrize("divided", ["alike", "along valleys"])
def test_streams_are_seen_on_coarser_land(alps: Landscape, divided: str) -> None:
    """Between samples that are farther apart than a stream is wide, the land would hide it."""
    assert alps.waters is not None
    heights = np.ascontiguousarray(alps.terrain.surface[::2, ::2])
    turned = None if divided == "alike" else turned_cells(heights)
    ground = ShownGround(heights, (alps.terrain.grid.width, alps.terrain.grid.depth), turned=turned)
    sunk = sink_banks(make_water_mesh(alps.terrain, alps.waters), ground)
    laid = lay_streams(sunk, ground)
    before, after = above_land(sunk, ground), above_land(laid, ground)
    assert (before > 0.0).mean() < 0.5 and (after > 0.05).all()
    # What was seen before stays where it was, and the rest lies on the land.
    assert after.max() < before.max() + 0.1
    # The same water: triangles are cut, not moved.
    assert area(laid) == pytest.approx(area(sunk), rel=1e-4)
    turned = laid.positions[laid.triangles[:, 1]] - laid.positions[laid.triangles[:, 0]]
    other = laid.positions[laid.triangles[:, 2]] - laid.positions[laid.triangles[:, 0]]
    assert (turned[:, 0] * other[:, 1] - turned[:, 1] * other[:, 0] > -1e-2).all()
    # In metres from a place elsewhere it is the same, as for tiles of a world.
    moved = dataclasses.replace(sunk, positions=sunk.positions + np.array([512.0, 256.0, 0.0], np.float32))
    again = lay_streams(moved, ground._replace(middle=(512.0, 256.0)))
    assert len(again) == pytest.approx(len(laid), rel=1e-2)
    assert (above_land(again, ground._replace(middle=(512.0, 256.0))) > 0.05).all()


def test_no_land_rises_out_of_the_middle_of_a_wide_river() -> None:
    heights = np.zeros((9, 9), np.float32)
    heights[4, 4] = 1.0
    ground = ShownGround(heights, (80.0, 80.0))
    # Three cells from its middle to each bank, where it has no depth.
    x, y = np.meshgrid([-40.0, 40.0], [-30.0, 0.0, 30.0])
    depth = np.repeat(np.array([-1.0, 0.5, -1.0], np.float32), 2)
    places = np.stack((x.ravel(), y.ravel(), np.full(6, 0.5)), axis=1).astype(np.float32)
    flow = np.stack((x.ravel(), y.ravel()), axis=1).astype(np.float32)
    triangles = np.array([[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]], np.int32)
    water = WaterMesh(places, triangles, np.full(6, RIVER, np.int32), depth, flow, np.zeros(6, np.float32))
    laid = lay_streams(water, ground)
    middle = np.flatnonzero(np.hypot(*laid.positions[:, :2].T) < 0.1)
    assert len(middle) and (laid.positions[middle, 2] > 1.05).all()
    # Its banks still rise out of it.
    heights[4, 4], heights[2, 4] = 0.0, 1.0
    bank = lay_streams(water, ground)
    at = np.hypot(bank.positions[:, 0], bank.positions[:, 1] + 20.0) < 0.1
    assert at.any() and (bank.positions[at, 2] < 0.6).all()


def above_land(water: WaterMesh, ground: ShownGround) -> np.ndarray:
    """How far inner points of rivers stand above the land as two triangles a cell, in metres."""
    triangles = water.triangles[water.kind[water.triangles[:, 0]] == RIVER]
    found = []
    corners = ((0.98, 0.01, 0.01), (0.01, 0.98, 0.01), (0.01, 0.01, 0.98))
    for shares in ((0.34, 0.33, 0.33), (0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8), *corners):
        x, y, z = np.tensordot(shares, water.positions[triangles].astype(np.float64), (0, 1)).T
        spacing = ground.size[0] / (ground.heights.shape[1] - 1)
        column, row = (x - ground.middle[0]) / spacing, (y - ground.middle[1]) / spacing
        column, row = column + (ground.heights.shape[1] - 1) / 2, row + (ground.heights.shape[0] - 1) / 2
        c = np.clip(column.astype(int), 0, ground.heights.shape[1] - 2)
        r = np.clip(row.astype(int), 0, ground.heights.shape[0] - 2)
        u, v, s = column - c, row - r, ground.heights.astype(np.float64)
        east = s[r, c] + u * (s[r, c + 1] - s[r, c]) + v * (s[r + 1, c + 1] - s[r, c + 1])
        north = s[r, c] + v * (s[r + 1, c] - s[r, c]) + u * (s[r + 1, c + 1] - s[r + 1, c])
        land = np.where(u >= v, east, north)
        if ground.turned is not None:
            west = s[r, c] + u * (s[r, c + 1] - s[r, c]) + v * (s[r + 1, c] - s[r, c])
            north_east = s[r + 1, c + 1]
            east = north_east + (1 - u) * (s[r + 1, c] - north_east) + (1 - v) * (s[r, c + 1] - north_east)
            land = np.where(ground.turned[r, c], np.where(u + v <= 1.0, west, east), land)
        found.append(z - land)
    return np.concatenate(found)


def area(water: WaterMesh) -> float:
    """Square metres as seen from above."""
    first, second, third = (water.positions[water.triangles[:, k], :2].astype(np.float64) for k in range(3))
    right, left = second - first, third - first
    return float((right[:, 0] * left[:, 1] - right[:, 1] * left[:, 0]).sum() / 2.0)


def standing_out(water: WaterMesh, terrain: Terrain) -> float:
    """How far the banks stand out of the land's triangles at most, in metres."""
    triangles = water.triangles[water.kind[water.triangles[:, 0]] == RIVER]
    # Right bank, middle and left bank follow each other.
    edges = [triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
    banks = np.concatenate([e[(e[:, 0] % 3 == e[:, 1] % 3) & (e[:, 0] % 3 != 1)] for e in edges])
    out = []
    for share in np.linspace(0.0, 1.0, 21):
        x, y, z = (water.positions[banks[:, 0]] * (1 - share) + water.positions[banks[:, 1]] * share).T.astype(
            np.float64
        )
        column, row = (x + terrain.grid.width / 2) / terrain.cell_size, (y + terrain.grid.depth / 2) / terrain.cell_size
        c, r = (np.minimum(place.astype(int), terrain.grid.rows - 2) for place in (column, row))
        u, v, s = column - c, row - r, terrain.surface.astype(np.float64)
        east = s[r, c] + u * (s[r, c + 1] - s[r, c]) + v * (s[r + 1, c + 1] - s[r, c + 1])
        north = s[r, c] + v * (s[r + 1, c] - s[r, c]) + u * (s[r + 1, c + 1] - s[r + 1, c])
        out.append((z - np.where(u >= v, east, north)).max())
    return max(out)


def test_a_glb_has_water_and_plants_of_the_level_that_was_asked_for(tmp_path: Path) -> None:
    land = f_land(33, 33, 20)
    counts = []
    for lod in (0, 2):
        export_landscape(tmp_path / "land.glb", land, lod=lod)
        data = (tmp_path / "land.glb").read_bytes()
        document = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        assert "Sea" in {node["name"] for node in document["nodes"]}
        counts.append(triangles_of(tmp_path / "land.glb"))
    assert counts[1] < 0.5 * counts[0]
    with pytest.raises(ValueError, match="lod = 3 is outside 0 to 2"):
        export_landscape(tmp_path / "land.glb", land, lod=3)


# --- water of tiles ---------------------------------------------------------------------------------------------------


def positions_of(path: Path) -> dict[str, np.ndarray]:
    """The corners of the triangles of each mesh of a GLB file, shape (triangles, 3, 3)."""
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    document, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
    kinds = {5126: "<f4", 5125: "<u4", 5123: "<u2"}

    def numbers(accessor: int) -> np.ndarray:
        about = document["accessors"][accessor]
        view = document["bufferViews"][about["bufferView"]]
        count = about["count"] * (3 if about["type"] == "VEC3" else 1)
        return np.frombuffer(binary, kinds[about["componentType"]], count, view.get("byteOffset", 0))

    found = {}
    for mesh in document["meshes"]:
        (part,) = mesh["primitives"]
        places = numbers(part["attributes"]["POSITION"]).reshape(-1, 3)
        found[mesh["name"]] = places[numbers(part["indices"])].reshape(-1, 3, 3)
    return found


def test_each_tile_has_its_water_and_the_sea_goes_on(tmp_path: Path) -> None:
    land = build(Recipe.preset("fjords", resolution=65), extent="maps")
    whole = write_package(tmp_path / "whole", land, "generic", PackageOptions(lods=1))
    cut = write_package(tmp_path / "cut", land, "generic", PackageOptions(lods=1, tiles=2, resolution=33))
    assert whole.manifest["water"] == ["meshes/water.glb", "meshes/sea_around.glb"]
    tiles = [tile for tile in cut.manifest["tiles"] if "water" in tile["files"]]
    assert cut.manifest["water"] == ["meshes/sea_around.glb", *(tile["files"]["water"] for tile in tiles)]
    together = sum(len(t) for t in positions_of(whole.folder / "meshes/water.glb").values())
    size = cut.manifest["tile"]
    for tile in tiles:
        for triangles in positions_of(cut.folder / tile["files"]["water"]).values():
            together -= len(triangles)
            x, _, z = triangles.mean(axis=1).T
            inside = (x >= tile["west_m"]) & (x < tile["west_m"] + size["width_m"])
            inside &= (-z >= tile["south_m"]) & (-z < tile["south_m"] + size["depth_m"])
            assert inside.all()
    assert together == 0  # every triangle is in one tile
    # Around the land lies a frame at the level of the sea, without a gap and without water inside.
    sea = positions_of(whole.folder / "meshes/sea_around.glb")["Sea"]
    about = whole.manifest["land"]
    assert (sea[..., 1] == np.float32(about["sea_level_m"])).all()
    edges = np.cross(sea[:, 1] - sea[:, 0], sea[:, 2] - sea[:, 0])
    assert (edges[:, 1] > 0.0).all()
    reach = 3.0 * math.hypot(about["width_m"], about["depth_m"])
    area = (about["width_m"] + 2 * reach) * (about["depth_m"] + 2 * reach) - about["width_m"] * about["depth_m"]
    assert abs(edges[:, 1].sum() / 2 / area - 1.0) < 1e-5
    outside = (np.abs(sea[..., 0]) >= about["width_m"] / 2 - 0.01) | (
        np.abs(sea[..., 2]) >= about["depth_m"] / 2 - 0.01
    )
    assert outside.all()
