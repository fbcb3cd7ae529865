"""A finished world for other programs: rivers and contours as whole lines, GeoTIFF, packages for engines."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from terrain_addon.command_line import main
from terrain_addon.core.building.landscape import Landscape
from terrain_addon.core.flow.water import find_water
from terrain_addon.core.maps.ground_cover import LAYERS
from terrain_addon.core.tiling.blocks import Block, Blocks, joined
from terrain_addon.core.tiling.river_pieces import RiverPieces, join_pieces, trace_pieces
from terrain_addon.files.elevation import read_elevation
from terrain_addon.files.engines.package import ENGINES, PackageOptions, write_package
from terrain_addon.worlds import geotiffs as geotiffs_module
from terrain_addon.worlds import open_world, world_rivers
from terrain_addon.worlds.contours import write_contours
from terrain_addon.worlds.engine_packages import write_world_package
from terrain_addon.worlds.exports import export_world
from terrain_addon.worlds.geotiffs import write_geotiffs
from terrain_addon.worlds.pieces import landscape_in, plants_in
from terrain_addon.worlds.store import Store
from terrain_addon.worlds.tiles import clipped, load_arrays
from tests.small_world import CELL, RIVER_SOURCE, SIZE, WIDTH, small_alps

zarr = pytest.importorskip("zarr", reason="worlds need zarr, which the newest Blender's environment has")
contourpy = pytest.importorskip("contourpy", reason="contours need contourpy")
rasterio = pytest.importorskip("rasterio", reason="GeoTIFF needs rasterio")

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def arrays(small_world: Path) -> Any:
    return zarr.open(small_world, mode="r")


# --- rivers -----------------------------------------------------------------------------------------------------------


def test_rivers_are_those_of_the_land_in_memory(small_world: Path, arrays: Any) -> None:
    expected = find_water(arrays["surface"][:], CELL, small_alps().water).rivers
    lines = [slice(*ends) for ends in zip(expected.first, expected.first[1:])]
    in_memory = {
        tuple(expected.cell[line]): (expected.points[line, 2], expected.stream_order[line][-1]) for line in lines
    }
    rivers = list(world_rivers(small_world))
    assert len(rivers) == len(in_memory) > 30
    for number, river in enumerate(rivers):
        # Nowhere on this land do two rivers meet that drain equally much; then another one might go on.
        # The height of a cell is that of the surface with its depressions filled.
        height, order = in_memory[tuple(river.cell)]
        np.testing.assert_array_equal(river.points[:, 2], height)
        np.testing.assert_array_equal(
            river.points[:, :2], np.column_stack(np.divmod(river.cell, SIZE + 1))[:, ::-1] * CELL
        )
        assert river.order == order
        assert (np.diff(river.points[:, 2]) <= 0.0).all() and (np.diff(river.drainage_area) >= 0.0).all()
        assert river.joins < number
        assert river.joins == -1 or river.cell[-1] in rivers[river.joins].cell


@pytest.mark.parametrize("side", [7, 50, SIZE + 1])
def test_rivers_do_not_depend_on_how_the_land_is_cut(small_world: Path, arrays: Any, side: int) -> None:
    flow, drainage = arrays["flow"][:], arrays["drainage"][:]
    blocks, parts, vertices = Blocks(SIZE + 1, SIZE + 1, side), [], []
    for number in range(blocks.down * blocks.across):
        block = blocks.at(*divmod(number, blocks.across))
        around = clipped(block.grown(1), flow.shape)
        piece = (
            slice(around.first_row, around.first_row + around.rows),
            slice(around.first_column, around.first_column + around.columns),
        )
        pieces, cells = trace_pieces(flow[piece], drainage[piece], around, block, blocks, 1e6 * RIVER_SOURCE)
        parts.append(pieces._asdict())
        row, column = np.divmod(cells, block.columns)
        vertices.append((row + block.first_row) * (SIZE + 1) + column + block.first_column)
    pieces, cells = RiverPieces(**joined(parts)), np.concatenate(vertices)
    network, last = join_pieces(pieces), np.cumsum(pieces.length)
    for number, river in enumerate(world_rivers(small_world)):
        own = network.piece[network.first[number] : network.first[number + 1]]
        line = np.concatenate([cells[last[piece] - pieces.length[piece] : last[piece]] for piece in own])
        np.testing.assert_array_equal(line, river.cell[: line.size])
        assert (network.joins[number], network.order[number]) == (river.joins, river.order)


def test_rivers_become_lines_of_geojson(small_world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["world", "--out", str(small_world), "--to", "rivers"]) == 0
    assert "rivers.geojson: " in capsys.readouterr().out
    features = json.loads((small_world / "rivers" / "rivers.geojson").read_text())["features"]
    rivers = list(world_rivers(small_world))
    assert [feature["properties"]["id"] for feature in features] == list(range(len(rivers)))
    for feature, river in zip(features, rivers):
        np.testing.assert_allclose(feature["geometry"]["coordinates"], river.points, atol=6e-4)
        properties = feature["properties"]
        np.testing.assert_allclose(properties["drainage_km2"], river.drainage_area * 1e-6, atol=1e-6)
        # Hydraulic geometry: 3 m wide where 1 km² drains.
        np.testing.assert_allclose(properties["width_m"], 3.0 * np.sqrt(properties["drainage_km2"]), atol=0.01)


# --- GeoTIFF ----------------------------------------------------------------------------------------------------------


def test_arrays_become_cloud_optimised_geotiffs(
    small_world: Path, arrays: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geotiffs_module, "PIXELS_OF_TILE", 32)
    files = write_geotiffs(small_world, tmp_path)
    assert {"surface.tif", "slope.tif", "humidity.tif", "flow.tif"} <= {file.name for file in files}
    assert sorted(tmp_path.iterdir()) == sorted(files)
    for file in files:
        name = file.stem if file.stem in arrays.array_keys() else f"maps/{file.stem}"
        with rasterio.open(file) as opened:
            np.testing.assert_array_equal(opened.read(1)[::-1], arrays[name][:])
            assert opened.block_shapes == [(32, 32)]
            assert opened.overviews(1) == [2, 4]
            assert opened.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
            # The south-west sample is the origin.
            assert opened.xy(SIZE, 0) == (0.0, 0.0) and opened.xy(0, SIZE) == (WIDTH, WIDTH)
    # Our own importer reads heights and cells too.
    heights = read_elevation(tmp_path / "surface.tif")
    assert heights.cell_size == pytest.approx(CELL)


def test_a_disk_that_becomes_full_is_said_in_one_sentence_and_leaves_no_half_file(
    small_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    full = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(geotiffs_module.shutil, "disk_usage", lambda path: full)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, usual[1]))
    try:
        with pytest.raises(ValueError, match=r"^cannot write surface.tif: 0 MB are free on the disk, and [^\n]*$"):
            write_geotiffs(small_world, tmp_path / "geotiff")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert list(tmp_path.iterdir()) == []


def test_workers_write_the_same_files(small_world: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="several processes need dask.distributed")
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    written = []
    with distributed.LocalCluster(n_workers=1, **options) as cluster, distributed.Client(cluster) as client:
        for folder, workers in ((tmp_path / "alone", None), (tmp_path / "together", client)):
            write_geotiffs(small_world, folder / "geotiff", client=workers)
            write_world_package(small_world, folder / "generic", "generic", client=workers)
            files = sorted(file for file in folder.rglob("*") if file.is_file())
            written.append({file.relative_to(folder).as_posix(): file.read_bytes() for file in files})
    alone, together = written
    assert len(alone) > 40 and alone.keys() == together.keys()
    assert [name for name in alone if alone[name] != together[name]] == []


# --- contours ---------------------------------------------------------------------------------------------------------


def test_contours_cross_rims_as_if_there_were_none(small_world: Path, arrays: Any, tmp_path: Path) -> None:
    spacing = 10.0
    count = write_contours(small_world, tmp_path / "contours.geojson", spacing)
    features = json.loads((tmp_path / "contours.geojson").read_text())["features"]
    surface = arrays["surface"][:].astype(np.float64)
    traced = contourpy.contour_generator(z=surface)
    levels = np.arange(np.ceil(surface.min() / spacing), surface.max() / spacing) * spacing
    whole = {level: [line * CELL for line in traced.lines(level)] for level in levels}
    assert count == len(features) == sum(map(len, whole.values())) > 100

    def described(line: np.ndarray) -> np.ndarray:
        return np.array([len(line), np.hypot(*np.diff(line, axis=0).T).sum(), *line.max(axis=0), *line.min(axis=0)])

    for level, lines in whole.items():
        found = [np.array(one["geometry"]["coordinates"]) for one in features if one["properties"]["height_m"] == level]
        left = [described(line) for line in found]
        for line in lines:
            differences = [np.abs(one - described(line)).max() for one in left]
            assert min(differences) < 0.05
            left.pop(int(np.argmin(differences)))
        for line in found:
            ends = line[[0, -1]]
            assert (ends[0] == ends[1]).all() or np.isin(ends, (0.0, WIDTH)).any(axis=1).all()


# --- engines ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def in_one_piece(small_world: Path) -> Landscape:
    """The whole world as a landscape in memory."""
    parts = [load_arrays(file) for file in sorted((small_world / "plants").glob("*.npz"))]
    window = Block(0, 0, SIZE + 1, SIZE + 1)
    return landscape_in(
        open_world(small_world), Store(small_world).read, window, plants_in(joined(parts), window, CELL)
    )


@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_the_package_of_a_world_is_that_of_the_same_land_in_memory(
    small_world: Path, in_one_piece: Landscape, tmp_path: Path, engine: str
) -> None:
    made = write_world_package(small_world, tmp_path / "world", engine)
    expected = write_package(tmp_path / "memory", in_one_piece, engine, PackageOptions(resolution=65, tiles=2))
    names = {file["path"] for file in expected.manifest["files"]}
    same = {name for name in names if name.startswith(("heights/", "layers/", "textures/", "meshes/land", "species/"))}
    assert len(same) > 30
    for name in same | {"meshes/" + name for name in ("collision_0_0.glb",) if engine == "unity"}:
        assert (tmp_path / "world" / name).read_bytes() == (tmp_path / "memory" / name).read_bytes(), name
    for key in ("land", "tile", "height", "placement", "plant_count", "species"):
        assert made.manifest[key] == expected.manifest[key], key
    assert set(made.manifest["water"]) == set(expected.manifest["water"]) and len(made.manifest["water"]) == 5
    assert made.manifest["plant_count"] > 300


def test_tiles_of_another_size_share_their_rims(
    small_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        ValueError, match=r"tiles of 64 cells of a world of 129 × 129 samples do not fit Unreal; .* 126"
    ):
        write_world_package(small_world, tmp_path / "small", "unreal")
    monkeypatch.setitem(ENGINES, "unreal", replace(ENGINES["unreal"], sizes=(50,)))
    message = write_world_package(small_world, tmp_path / "unreal", "unreal").message
    assert "2 × 2 tiles of 50 × 50 heights, resampled from 129 × 129" in message
    kinds = ["heights/height", "textures/colour", "textures/normal", *(f"layers/{n}_{x}" for n, x in enumerate(LAYERS))]
    for kind in kinds:
        # y counts from the north.
        north_west, north_east, south_west = (
            np.asarray(Image.open(tmp_path / "unreal" / f"{kind}_{place}.png")) for place in ("x0_y0", "x1_y0", "x0_y1")
        )
        assert north_west.shape[:2] == (50, 50)
        np.testing.assert_array_equal(north_west[:, -1], north_east[:, 0])
        np.testing.assert_array_equal(north_west[-1], south_west[0])


def test_water_goes_on_across_rims(small_world: Path, in_one_piece: Landscape) -> None:
    """Where rivers cross a rim, the ribbons of both sides end in the same place."""
    window = Block(0, 0, 65, SIZE + 1)
    south = landscape_in(open_world(small_world), Store(small_world).read, window)
    north = landscape_in(open_world(small_world), Store(small_world).read, Block(64, 0, 65, SIZE + 1))
    assert south.waters is not None and north.waters is not None and in_one_piece.waters is not None
    rivers = in_one_piece.waters.rivers
    row, column = np.divmod(rivers.cell, SIZE + 1)
    crossings = set()
    for first, last in zip(rivers.first, rivers.first[1:]):
        # Shorter pieces of rivers are not drawn.
        for i in range(first + 4, last - 4):
            before, after = row[i - 4 : i] - 64, row[i + 1 : i + 5] - 64
            if row[i] == 64 and (before[:, None] * after[None, :] < 0).all():
                crossings.add((int(column[i]), float(rivers.width[i])))
    assert len(crossings) > 2
    for side, rim in ((south.waters.rivers, 64), (north.waters.rivers, 0)):
        row, column = np.divmod(side.cell, SIZE + 1)
        assert crossings <= {(int(column[i]), float(side.width[i])) for i in np.flatnonzero(row == rim)}


# --- bad input --------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_said(small_world: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"spacing of contours = 0.0 m is outside 0.1 to 10000.0 m"):
        export_world(small_world, "contours", 0.0)
    with pytest.raises(ValueError, match="there is no world"):
        export_world(tmp_path, "rivers")
    unfinished = shutil.copytree(small_world, tmp_path / "world", ignore=shutil.ignore_patterns("work", "drainage"))
    with pytest.raises(ValueError, match="there is no array drainage; the world is not finished"):
        export_world(unfinished, "rivers")
    chunk = unfinished / "surface" / "c" / "2" / "1"
    chunk.write_bytes(chunk.read_bytes()[::-1])
    for kind in ("contours", "godot"):
        with pytest.raises(ValueError, match="chunk 2/1 of surface is corrupt"):
            export_world(unfinished, kind)
        assert not list((unfinished / kind).glob("*"))
    with pytest.raises(ValueError, match=r"a world cannot be written for 'paper'; there are: unity, .* rivers"):
        export_world(small_world, "paper")
