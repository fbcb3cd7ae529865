"""Packages of mountains, read by a reader that shares no code with the extension: what an engine would show."""

import json
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core import Road
from terrain_addon.core.building.landscape import Landscape, build
from terrain_addon.files.engines.package import PackageOptions, write_package
from tests.mountains import mountains
from tests.png_reader import read_png

pytestmark = pytest.mark.once

Numbers = npt.NDArray[Any]

SIZES = {"godot": 257, "unreal": 253, "unity": 257}
TYPES = {5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}


@pytest.fixture(scope="module")
def alps() -> Landscape:
    """Steep land with rivers, and without plants."""
    return build(mountains(resolution=257), extent="maps")


@pytest.fixture(scope="module", params=SIZES)
def package(request: pytest.FixtureRequest, alps: Landscape, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package for one engine."""
    folder = tmp_path_factory.mktemp("level") / "alps"
    write_package(folder, alps, request.param, PackageOptions(resolution=SIZES[request.param], ground=0))
    return folder


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def document_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """What a GLB file says, and its numbers."""
    data = path.read_bytes()
    end = 20 + int.from_bytes(data[12:16], "little")
    return json.loads(data[20:end]), data[end + 8 :]


def meshes(path: Path) -> Iterator[tuple[str, Numbers, Numbers]]:
    """Name, positions and triangles of each mesh."""
    document, data = document_of(path)

    def read(number: int) -> Numbers:
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        width, start = WIDTHS[accessor["type"]], view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        kind = TYPES[accessor["componentType"]]
        return np.frombuffer(data, kind, accessor["count"] * width, start).reshape(-1, width)

    for node in document["nodes"]:
        for part in document["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
            positions = read(part["attributes"]["POSITION"]).astype(float) + node.get("translation", [0.0, 0.0, 0.0])
            yield node["name"], positions, read(part["indices"]).reshape(-1, 3).astype(int)


def heights_of(folder: Path) -> Numbers:
    """Metres, first row south: of the file of heights in Unity, of the finest land mesh elsewhere."""
    manifest = manifest_of(folder)
    files, size = manifest["tiles"][0]["files"], manifest["land"]
    count, width = size["rows"], size["width_m"]
    if manifest["engine"] == "unity":
        levels = np.frombuffer((folder / files["height"]).read_bytes(), "<u2").reshape(count, count)
        low, high = manifest["height"]["lowest_m"], manifest["height"]["highest_m"]
        raw: Numbers = low + levels / 65535.0 * (high - low)
        return raw
    heights = np.full((count, count), -np.inf)
    for _, points, _ in meshes(folder / files["land_lod0"]):
        places = (points[:, 0], -points[:, 2])
        column, row = (np.rint((place / width + 0.5) * (count - 1)).astype(int) for place in places)
        np.maximum.at(heights, (row, column), points[:, 1])  # skirts hang below
    return heights


def land_at(folder: Path, heights: Numbers, width: float, x: Numbers, y: Numbers) -> Numbers:
    """Height of two triangles a cell, divided from south-west to north-east; Unreal divides land that is mirrored."""
    if manifest_of(folder)["engine"] == "unreal":
        heights, x = heights[:, ::-1], -x
    cells = heights.shape[0] - 1
    column, row = ((place / width + 0.5) * cells for place in (x, y))
    c, r = (np.clip(place.astype(int), 0, cells - 1) for place in (column, row))
    u, v = column - c, row - r
    a, b, d, e = heights[r, c], heights[r, c + 1], heights[r + 1, c], heights[r + 1, c + 1]
    land: Numbers = np.where(u > v, a + u * (b - a) + v * (e - b), a + v * (d - a) + u * (e - d))
    return land


def standing_out(folder: Path, heights: Numbers) -> float:
    """How far borders of rivers stand above the land at most, in metres."""
    manifest = manifest_of(folder)
    width, worst = manifest["land"]["width_m"], -np.inf
    for name, points, triangles in meshes(folder / manifest["water"][0]):
        if name != "Rivers":
            continue
        edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
        unique, count = np.unique(edges, axis=0, return_counts=True)
        ends = points[unique[count == 1]]
        for share in np.linspace(0.0, 1.0, 9):
            x, z, y = (ends[:, 0] * (1 - share) + ends[:, 1] * share).T
            land = land_at(folder, heights, width, x, -y)
            worst = max(worst, float((z - land).max()))
    return worst


def test_rivers_do_not_stand_out_of_the_land_that_the_engine_shows(package: Path) -> None:
    heights = heights_of(package)
    assert np.isfinite(heights).all()
    level = (heights.max() - heights.min()) / 65535.0
    assert standing_out(package, heights) < 0.1 + 2 * level + 1e-3
    # On land that is lower by the height of a step the same check finds all of them.
    assert standing_out(package, heights - 0.5) > 0.5


def test_no_fern_grows_deep_in_a_narrow_stream(package: Path) -> None:
    """Streams are narrower than the texels of densities, so they may run between the middles of two."""
    manifest = manifest_of(package)
    heights, width, files = heights_of(package), manifest["land"]["width_m"], manifest["tiles"][0]["files"]
    ferns = read_png(package / files["density_ferns"])
    samples = manifest["tile"]["columns"] if manifest["engine"] == "unreal" else math.inf
    for name, points, triangles in meshes(package / manifest["water"][0]):
        if name != "Rivers":
            continue
        x, z, y = points[triangles].mean(axis=1).T
        deep = z - land_at(package, heights, width, x, -y) > 0.3
        # In Unreal samples are the middles of texels, and lie on the border.
        shares = (0.5 + place[deep] / width for place in (y, x))
        row, column = (
            (((0.5 + share * (samples - 1)) / samples if samples < math.inf else share) * len(ferns)).astype(int)
            for share in shares
        )
        grown = ferns[np.clip(row, 0, len(ferns) - 1), np.clip(column, 0, len(ferns) - 1)]
        assert deep.sum() > 1000
        assert (grown > 0).mean() < {"unity": 0.04, "unreal": 0.02, "godot": 0.02}[manifest["engine"]]


def test_rivers_end_at_the_border_of_the_land(package: Path) -> None:
    manifest = manifest_of(package)
    reach = {
        name: np.abs(points[np.unique(triangles)][:, [0, 2]]).max()
        for name, points, triangles in meshes(package / manifest["water"][0])
    }
    assert reach["Rivers"] == pytest.approx(0.5 * manifest["land"]["width_m"], abs=0.01)


def seen_of_rivers(folder: Path, heights: Numbers) -> float:
    """Which share of the area of rivers is not below the land, by the middles of their triangles."""
    width = manifest_of(folder)["land"]["width_m"]
    areas, seen = [], []
    for name, points, triangles in meshes(folder / manifest_of(folder)["water"][0]):
        if name == "Rivers":
            corners = points[triangles]
            middles = corners.mean(axis=1)
            (east, north), (right, up) = ((corners[:, k, ::2] - corners[:, 0, ::2]).T for k in (1, 2))
            areas.append(np.abs(east * up - north * right))
            seen.append(middles[:, 1] > land_at(folder, heights, width, middles[:, 0], -middles[:, 2]))
    return float(np.average(np.concatenate(seen), weights=np.concatenate(areas)))


def test_the_land_does_not_hide_rivers(package: Path) -> None:
    heights = heights_of(package)
    assert seen_of_rivers(package, heights) > 0.99
    assert seen_of_rivers(package, heights + 0.5) < 0.9


@pytest.mark.parametrize(("engine", "size"), [("godot", 129), ("godot", 65), ("unity", 65), ("unreal", 127)])
def test_no_land_comes_up_through_a_road(tmp_path: Path, engine: str, size: int) -> None:
    folder = tmp_path / "pass"
    write_package(folder, mountain_road(), engine, PackageOptions(resolution=size, ground=0))
    manifest = manifest_of(folder)
    heights, width = heights_of(folder), manifest["land"]["width_m"]
    seen = 0
    parts = document_of(folder / manifest["roads"])[0]["materials"]
    for (_, points, triangles), part in zip(meshes(folder / manifest["roads"]), parts, strict=True):
        if part["name"] not in ("Asphalt", "Markings", "Gravel"):
            continue
        shares = np.array([(a, b, 1.0 - a - b) for a in np.linspace(0, 1, 5) for b in np.linspace(0, 1 - a, 5)])
        x, z, y = np.einsum("pk,tkd->tpd", shares, points[triangles]).reshape(-1, 3).T
        above = (z - land_at(folder, heights, width, x, -y))[np.maximum(np.abs(x), np.abs(y)) < 0.5 * width]
        seen += above.size
        assert above.min() > 0.0, f"{part['name']}: {(above < 0.0).mean():.4f} lies below the land"
    assert seen > 10_000


@cache
def mountain_road() -> Landscape:
    """Steep land with a road of many bends, without tunnels."""
    road = Road(points=((600.0, 700.0), (1700.0, 1500.0), (2600.0, 1100.0)), longest_bridge=1e4, longest_tunnel=0.0)
    land = build(mountains(resolution=129).replace(features=(road,)), extent="maps")
    assert not land.roads[0].tunnels
    return land


def test_the_mesh_of_the_land_fits_the_heights(package: Path) -> None:
    """Bodies collide with the one, plants stand on the other."""
    manifest = manifest_of(package)
    heights, width = heights_of(package), manifest["land"]["width_m"]
    for _, points, _ in meshes(package / manifest["tiles"][0]["files"]["collision"]):
        ground = land_at(package, heights, width, points[:, 0], -points[:, 2])
        level = (heights.max() - heights.min()) / 65535.0
        assert np.abs(points[:, 1] - ground).max() < level + 1e-3


def test_all_that_is_named_is_there(package: Path) -> None:
    manifest = manifest_of(package)
    named = {file["path"]: file["bytes"] for file in manifest["files"]}
    there = {file.relative_to(package).as_posix(): file for file in package.rglob("*") if file.is_file()}
    assert set(there) == set(named) | {"manifest.json"}
    assert all(there[name].stat().st_size == size for name, size in named.items())
    tile = manifest["tiles"][0]["files"]
    assert set(tile.values()) <= set(there)
    pictures = 0
    for name, file in there.items():
        for image in document_of(file)[0].get("images", []) if name.endswith(".glb") else []:
            assert (file.parent / image["uri"]).resolve().is_file(), name
            pictures += 1
    assert pictures
