"""The same land in every format: files that other programs wrote, and small ones written by hand."""

import json
import math
import os
import shutil
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from terrain_addon.core.building.layers import Relief, inputs_of
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.relief.elevation_model import Crop, ElevationModel
from terrain_addon.files.elevation import ELEVATION_FORMATS, READERS, preview_elevation, read_elevation
from terrain_addon.files.georeference import degrees_to_metres
from terrain_addon.files.inputs import InputCache, read_input, read_inputs
from terrain_addon.files.raster import ElevationFormat, Raster, whole_raster
from terrain_addon.files.resampling import resample_spacing

DATA = Path(__file__).parent / "data"
# Row 0 north, as all of these files have it.
F = np.array([[9, 9, 9, 1], [9, 1, 1, 1], [9, 9, 1, 2], [9, 1, 1, 3], [9, 1, 1, 4]], np.float32) * 10


@pytest.fixture(scope="module")
def land() -> np.ndarray:
    with np.load(DATA / "land.npz") as stored:
        return stored["elevation"]


EXACT = [
    "utm_int16_strips.tif",
    "utm_int16_lzw_tiles.tif",
    "utm_uint16_deflate_bigendian.tif",
    "utm_float32_lzw_predictor3.tif",
    "utm_float64_deflate_bigtiff_bigendian.tif",
    "utm_int32_lzw.tif",
    "utm_point_int16.tif",
    "utm_south_first.tif",
    "utm.asc",
    "utm_envi.bil",
    "utm_esri.bil",
    "land.npz",
]


@pytest.mark.parametrize("name", EXACT)
def test_the_same_heights_and_the_same_size(land: np.ndarray, name: str) -> None:
    elevation = read_elevation(DATA / name)
    assert np.array_equal(elevation.heights, land[::-1])
    assert elevation.cell_size == 30.0
    preview = preview_elevation(DATA / name)
    assert (preview.rows, preview.columns, preview.width, preview.depth) == (90, 75, 74 * 30.0, 89 * 30.0)
    assert (preview.lowest, preview.highest, preview.missing) == (1152.0, 1648.0, 0.0)
    assert preview.is_complete
    assert not preview.is_picture


@pytest.mark.parametrize(
    "name", ["land_metres.r32", "land_float_none.exr", "land_float_zips.exr", "land_half_zip.exr", "land_rgb_zip.exr"]
)
def test_the_same_heights_without_a_size(land: np.ndarray, name: str) -> None:
    elevation = read_elevation(DATA / name)
    assert np.array_equal(elevation.heights, land[::-1])
    assert elevation.cell_size is None


@pytest.mark.parametrize("name", ["land.r16", "land_raw.raw", "land_u16.png"])
def test_pictures_of_the_same_heights(land: np.ndarray, name: str) -> None:
    elevation = read_elevation(DATA / name, lowest=1152.0, highest=1648.0)
    assert np.abs(elevation.heights[::-1] - land).max() <= (1648 - 1152) / 65535 / 2 + 1e-4
    assert preview_elevation(DATA / name).is_picture


@pytest.mark.parametrize("name", ["geographic_int16.tif", "web_mercator_int16.tif", "feet_int16.tif"])
def test_other_projections_have_the_same_true_size(land: np.ndarray, name: str) -> None:
    elevation = read_elevation(DATA / name, fill_holes=True, cell_size=30.0)
    assert elevation.cell_size == 30.0
    preview = preview_elevation(DATA / name)
    # Turned by half a degree to a degree against UTM, so that a rim is added: 3 % at most.
    assert preview.width == pytest.approx(74 * 30.0, rel=0.035)
    assert preview.depth == pytest.approx(89 * 30.0, rel=0.035)
    assert 0.01 < preview.missing < 0.03
    # Laid over each other at their middle, shifted by what the rim may be, the two are the same land.
    rows, columns = elevation.heights.shape
    middle = elevation.heights[rows // 2 - 30 : rows // 2 + 30, columns // 2 - 25 : columns // 2 + 25]
    differences = [
        float(np.abs(middle - land[::-1][r : r + 60, c : c + 50]).mean()) for r in range(31) for c in range(26)
    ]
    assert min(differences) < 8.0
    assert np.median(differences) > 20.0
    at = divmod(int(np.argmin(differences)), 26)
    assert abs(at[0] - 15) <= 2
    assert abs(at[1] - 12) <= 2


def test_missing_parts(land: np.ndarray) -> None:
    name = DATA / "utm_float32_lowest_hole.tif"
    with pytest.raises(ValueError, match="200 of its 6750 samples are missing"):
        read_elevation(name)
    heights = read_elevation(name, fill_holes=True).heights[::-1]
    holes = np.zeros(land.shape, bool)
    holes[20:30, 40:60] = True
    assert np.array_equal(heights[~holes], land[~holes])
    assert np.abs(heights - land)[holes].max() < 40.0
    assert preview_elevation(name).missing == 200 / 6750
    assert preview_elevation(DATA / "utm_sparse.tif").missing == 1 - 32 * 32 / 6750
    nan = DATA / "bigtujunga_512_f32_nanhole_deflate.tif"
    with pytest.raises(ValueError, match="600 of its 262144 samples are missing"):
        read_elevation(nan)
    assert np.isfinite(read_elevation(nan, fill_holes=True).heights).all()


def test_packing_that_is_not_read_is_named() -> None:
    with pytest.raises(ValueError, match="compressed as PIZ; save it with ZIP or none"):
        read_elevation(DATA / "land_float_piz.exr")


@pytest.mark.parametrize("name", [*EXACT, "land_float_zips.exr", "land_rgb_zip.exr", "land_metres.r32"])
def test_a_crop_is_a_part_of_the_whole(land: np.ndarray, name: str) -> None:
    part = read_elevation(DATA / name, crop=(10 / 74, 20 / 89, 1.0, 70 / 89))
    assert np.array_equal(part.heights, land[::-1][20:71, 10:])
    assert np.array_equal(read_elevation(DATA / name, crop=(0.0, 0.0, 1 / 74, 1 / 89)).heights, land[::-1][:2, :2])


@pytest.mark.parametrize(
    "crop",
    [(0.5, 0.0, 0.5, 1.0), (0.0, 0.9, 1.0, 0.1), (-0.1, 0.0, 1.0, 1.0), (0.0, 0.0, 1.1, 1.0), (math.nan, 0, 1, 1)],
)
def test_a_crop_that_is_none(crop: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"^crop = .* is not west < east and south < north"):
        read_elevation(DATA / "land.npz", crop=crop)


def test_resampling_on_import(land: np.ndarray) -> None:
    coarse = read_elevation(DATA / "utm.asc", cell_size=60.0)
    assert coarse.cell_size == 60.0
    assert coarse.heights.shape == (45, 38)
    assert np.abs(coarse.heights - land[::-1][::2, ::2]).mean() < 5.0
    fine = read_elevation(DATA / "utm.asc", cell_size=15.0)
    assert np.array_equal(fine.heights[::2, ::2], land[::-1])
    with pytest.raises(ValueError, match="does not say how far apart"):
        read_elevation(DATA / "land_u16.png", cell_size=15.0)
    with pytest.raises(ValueError, match=r"cell_size = 0\.0 m"):
        read_elevation(DATA / "utm.asc", cell_size=0.0)
    with pytest.raises(ValueError, match="outside 1 × 1 to 16384"):
        read_elevation(DATA / "utm.asc", cell_size=0.01)


@pytest.mark.parametrize("cell", [7.0, 10.0, 13.7, 30.0, 55.0, 200.0])
def test_resampled_planes_stay_planes(cell: float) -> None:
    # Oblong cells, 10 m wide and 25 m deep.
    y, x = np.mgrid[0:41, 0:90].astype(np.float32)
    plane = 0.3 * (10 * x) - 0.7 * (25 * y) + 100.0
    result = resample_spacing(plane.astype(np.float32), (10.0, 25.0), cell)
    rows, columns = result.shape
    assert (columns - 1) * cell <= 890.0 < columns * cell
    assert (rows - 1) * cell <= 1000.0 < rows * cell
    v, u = np.mgrid[0:rows, 0:columns] * cell
    assert np.abs(result - (0.3 * u - 0.7 * v + 100.0)).max() < 2e-3


def test_resampling_does_not_alias() -> None:
    y, x = np.mgrid[0:200, 0:200]
    checks = np.where((x + y) % 2 == 0, 100.0, 0.0).astype(np.float32)
    result = resample_spacing(checks, (10.0, 10.0), 40.0)
    assert np.abs(result[2:-2, 2:-2] - 50.0).max() < 3.0
    # Picking each fourth sample would have made level land of 100 m.
    assert np.all(checks[::4, ::4] == 100.0)


def test_lengths_of_degrees() -> None:
    # Lengths of a degree on WGS 84, from the table of the National Geospatial-Intelligence Agency.
    for latitude, east, north in ((0, 111319.49, 110574.3), (45, 78846.8, 111131.8), (60, 55800.0, 111412.3)):
        assert degrees_to_metres(1.0, 1.0, latitude) == pytest.approx((east, north), rel=1e-4)
    with pytest.raises(ValueError, match="latitude 95"):
        degrees_to_metres(1.0, 1.0, 95.0)


def hgt(folder: Path, name: str, shape: tuple[int, int]) -> Path:
    rows, columns = shape
    heights = np.arange(rows)[:, None] * 2 + np.arange(columns)[None, :] % 7
    heights[3, 4] = -32768
    (folder / name).write_bytes(heights.astype(">i2").tobytes())
    return folder / name


def test_srtm_tiles(tmp_path: Path) -> None:
    path = hgt(tmp_path, "S34W071.hgt", (1201, 1201))
    preview = preview_elevation(path)
    assert (preview.rows, preview.columns) == (1201, 1201)
    # A degree at 33.5° S: 92.9 km by 110.9 km.
    assert preview.width == pytest.approx(92_914, rel=1e-3)
    assert preview.depth == pytest.approx(110_912, rel=1e-3)
    assert preview.missing == 1 / 1201**2
    land = read_elevation(path, fill_holes=True, crop=(0.0, 0.9, 0.1, 1.0))
    assert land.cell_size == pytest.approx(preview.width / 1200)
    assert land.heights[0, 0] > land.heights[-1, 0]  # Heights rise to the south.
    wide = preview_elevation(hgt(tmp_path, "n60e010_again.HGT", (1201, 601)))
    assert wide.width == pytest.approx(54_970, rel=2e-3)
    for name, size, reason in (
        ("N46E007.hgt", 2 * 1201 * 1201 - 1, "cut short"),
        ("N46E007.hgt", 12345 * 2, "12345|24690 bytes"),
        ("tile.hgt", 2 * 1201 * 601, "position"),
        ("N99E007.hgt", 2 * 1201 * 601, "position"),
    ):
        (tmp_path / name).write_bytes(bytes(size))
        with pytest.raises(ValueError, match=reason):
            read_elevation(tmp_path / name)


def lines(head: str, values: np.ndarray = F, separator: str = " ") -> str:
    return head + "\n".join(separator.join(f"{v:g}" for v in row) for row in values) + "\n"


HEAD = "ncols 4\nnrows 5\nxllcorner 400000\nyllcorner 4000000\ncellsize 25\nNODATA_value -9999\n"


@pytest.mark.parametrize(
    "text",
    [
        lines(HEAD),
        lines(HEAD.upper()).replace("\n", "\r\n"),
        lines(HEAD.replace("llcorner", "llcenter")),
        lines("NROWS 5\nNCOLS 4\nDX 25\nDY 25\n", separator="\t"),
        lines(HEAD).replace(" ", "   "),
        HEAD + " ".join(f"{v:.3e}" for v in F.reshape(-1)),
        HEAD + " ".join(f"{v:.2f}" for v in F.reshape(-1)),
        lines(HEAD).rstrip() + " ",
        "\ufeff" + lines(HEAD),
        lines(HEAD.replace("-9999", "nan")),
    ],
)
def test_ascii_grids(tmp_path: Path, text: str) -> None:
    (tmp_path / "land.asc").write_text(text, encoding="utf-8", newline="")
    elevation = read_elevation(tmp_path / "land.asc")
    assert np.array_equal(elevation.heights[::-1], F)
    assert elevation.cell_size == 25.0


def test_ascii_grid_in_degrees_by_its_numbers_or_by_its_projection(tmp_path: Path) -> None:
    path = tmp_path / "land.asc"
    path.write_text(lines("ncols 4\nnrows 5\nxllcorner 10\nyllcorner 60\ncellsize 0.01\n"))
    assert preview_elevation(path).width == pytest.approx(3 * 0.01 * 55_800, rel=2e-3)
    (tmp_path / "land.prj").write_text(
        'PROJCS["a",GEOGCS["b",UNIT["Degree",0.01745]],UNIT["Foot_US",0.3048006096012192]]'
    )
    assert preview_elevation(path).width == pytest.approx(3 * 0.01 * 0.3048006)
    (tmp_path / "land.prj").write_text('GEOGCS["GCS_WGS_1984",UNIT["Degree",0.0174532925199433]]')
    assert preview_elevation(path).width == pytest.approx(3 * 0.01 * 55_800, rel=2e-3)


def test_missing_in_ascii(tmp_path: Path) -> None:
    for mark in ("-9999", "nan", "NaN"):
        (tmp_path / "land.asc").write_text(lines(HEAD).replace("90", mark, 1))
        with pytest.raises(ValueError, match="1 of its 20 samples are missing"):
            read_elevation(tmp_path / "land.asc")


ASCII_FAULTS = {
    "no header": ("1 2 3\n4 5 6\n", "no ncols"),
    "half a header": ("ncols 4\n", "no nrows"),
    "too few": (lines(HEAD, F[:4]), "cut short or damaged"),
    "too many": (lines(HEAD) + "7", "cut short or damaged"),
    "text": (lines(HEAD).replace("90", "high", 1), "'h', which is not part of a number"),
    "decimal commas": (lines(HEAD).replace("90", "90,5", 1), "write decimals with a point"),
    "no number": (lines(HEAD).replace("90", "9-0", 1), "cut short or damaged|not a number"),
    "a sign at the end": (lines(HEAD, F[:4]) + "1 2 3 -\n", "cut short or damaged|not a number"),
    "an exponent alone": (lines(HEAD).replace("90", "e", 1), "cut short or damaged|not a number"),
    "infinite": (lines(HEAD).replace("90", "1e999", 1), "outside ±1e"),
    "half a column": (lines(HEAD.replace("ncols 4", "ncols 4.5")), "ncols = '4.5' is not a whole number"),
    "columns in words": (lines(HEAD.replace("ncols 4", "ncols four")), "ncols = 'four' is not a number"),
    "negative": (lines(HEAD.replace("ncols 4", "ncols -4")), "ncols = '-4'"),
    "huge": (lines(HEAD.replace("ncols 4", "ncols 16384").replace("nrows 5", "nrows 16384")), "cannot be 16384"),
    "too large": (lines(HEAD.replace("ncols 4", "ncols 99999999")), "outside 1 × 1"),
    "cells of nothing": (lines(HEAD.replace("cellsize 25", "cellsize 0")), "cell_size = 0.0 m"),
    "cells of NaN": (lines(HEAD.replace("cellsize 25", "cellsize nan")), "is not finite"),
    "damaged cells from south to north": (
        lines(HEAD.replace("cellsize 25", "dx 25\ndy 1x")),
        "dy = '1x' is not a number",
    ),
    "a damaged centre": (lines(HEAD.replace("yllcorner 4000000", "yllcenter 4x")), "yllcenter = '4x' is not a number"),
    "not text": (HEAD + "\0\1\2\3" * 10, "not part of a number"),
    "beyond the pole": (lines("ncols 4\nnrows 5\nxllcorner 10\nyllcorner 89.99\ncellsize 0.001\n"), "latitude 89.9"),
}


@pytest.mark.parametrize(("text", "reason"), ASCII_FAULTS.values(), ids=ASCII_FAULTS)
def test_faults_of_ascii_grids(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "land.asc").write_text(text)
    with pytest.raises(ValueError, match=reason) as caught:
        read_elevation(tmp_path / "land.asc")
    assert str(caught.value).startswith(f"cannot read {tmp_path / 'land.asc'}: ")


WHOLE_GRIDS = {
    "whole numbers": "%.0f",
    "tenths": "%.1f",
    "hundredths": "%.2f",
    "as short as possible": "%g",
    "exponents": "%.4e",
}


@pytest.mark.parametrize("style", WHOLE_GRIDS.values(), ids=WHOLE_GRIDS)
def test_a_text_that_is_cut_anywhere_is_refused_or_whole(tmp_path: Path, style: str) -> None:
    path = tmp_path / "land.asc"
    heights = 1000.0 + 12.34 * np.arange(20.0).reshape(5, 4)
    text = HEAD + "\n".join(" ".join(style % v for v in row) for row in heights) + "\n"
    path.write_text(text, newline="")
    whole = read_elevation(path).heights
    for length in range(len(text) - 12, len(text)):
        path.write_text(text[:length], newline="")
        try:
            read = read_elevation(path).heights
        except ValueError as error:
            assert "cut short" in str(error) or "damaged" in str(error)
        else:
            assert np.array_equal(read, whole), text[length - 20 : length]


ENVI = "ENVI\nsamples = 4\nlines = 5\nbands = 1\nheader offset = 0\ndata type = 4\nbyte order = 0\n"
ESRI = "NROWS 5\nNCOLS 4\nNBANDS 1\nNBITS 32\nPIXELTYPE FLOAT\nBYTEORDER I\nXDIM 30\nYDIM 30\nULXMAP 4e5\nULYMAP 4e6\n"


def grid(folder: Path, header: str | None, data: bytes, name: str = "land.bil") -> StoredField:
    (folder / name).write_bytes(data)
    if header is not None:
        (folder / name).with_suffix(".hdr").write_text(header)
    return read_elevation(folder / name)


def test_plain_grids(tmp_path: Path) -> None:
    for kind, code in (("u1", 1), ("i2", 2), ("i4", 3), ("f4", 4), ("f8", 5), ("u2", 12), ("u4", 13), ("i8", 14)):
        for order in (0, 1):
            header = ENVI.replace("type = 4", f"type = {code}").replace("order = 0", f"order = {order}")
            elevation = grid(tmp_path, header, F.astype("<>"[order] + kind).tobytes())
            assert np.array_equal(elevation.heights[::-1], F)
    padded = b"".join(row.astype(">i2").tobytes() + b"xx" for row in F)
    header = "nrows 5\nncols 4\nnbits 16\nbyteorder M\nskipbytes 3\ntotalrowbytes 10\nxdim 30\nydim 30\n"
    elevation = grid(tmp_path, header, b"abc" + padded)
    assert np.array_equal(elevation.heights[::-1], F)
    float_grid = "ncols 4\nnrows 5\nxllcorner 4e5\nyllcorner 4e6\ncellsize 30\nNODATA_value -9999\nbyteorder LSBFIRST\n"
    elevation = grid(tmp_path, float_grid, F.tobytes(), "land.flt")
    assert np.array_equal(elevation.heights[::-1], F)
    assert elevation.cell_size == 30.0
    shifted = ENVI.replace("offset = 0", "offset = 7") + "map info = {UTM, 1, 1, 4e5, 4e6, 30, 30, 11, North}\n"
    assert grid(tmp_path, shifted, b"7 bytes" + F.tobytes()).cell_size == 30.0


@pytest.mark.parametrize(
    ("units", "cell_size"),
    [
        ("Meters", 0.03),
        ("Feet", 0.03 * 0.3048),
        ("US Survey Feet", 0.03 * 1200.0 / 3937.0),
        ("Degrees", 0.03 * 110574.276),
    ],
)
def test_map_info_without_a_coordinate_system_names_its_unit(tmp_path: Path, units: str, cell_size: float) -> None:
    header = ENVI + f"map info = {{Arbitrary, 1, 1, 0, 0.075, 0.03, 0.03, units={units}}}\n"
    assert grid(tmp_path, header, F.tobytes()).cell_size == pytest.approx(cell_size, rel=1e-6)


GRID_FAULTS = {
    "no header": (None, F.tobytes(), "no header land.hdr beside it"),
    "empty header": ("\n", F.tobytes(), "no NROWS, and does not start with ENVI"),
    "cut": (ENVI, F.tobytes()[:-1], "it is cut short: 5 rows × 4 columns of float32 take 80 bytes, it has 79"),
    "too long": (ENVI, F.tobytes() + b"x", "not what its header says"),
    "no lines": (ENVI.replace("lines", "rows"), F.tobytes(), "no 'lines'"),
    "colours": (ENVI.replace("bands = 1", "bands = 3"), F.tobytes() * 3, "3 bands"),
    "complex": (ENVI.replace("type = 4", "type = 6"), F.tobytes(), "data type 6"),
    "no order": (ENVI.replace("order = 0", "order = 2"), F.tobytes(), "byte order 2"),
    "huge": (ENVI.replace("lines = 5", "lines = 999999999"), F.tobytes(), "cut short"),
    "words": (ENVI.replace("lines = 5", "lines = many"), F.tobytes(), "lines = 'many' is not a number"),
    "map cut": (ENVI + "map info = {UTM, 1, 1}\n", F.tobytes(), "map info in its header is cut short"),
    "yards": (
        ENVI + "map info = {UTM, 1, 1, 4e5, 4e6, 30, 30, 11, North, units=Yards}\n",
        F.tobytes(),
        "in Yards, neither meters",
    ),
    "3 bits": (ESRI.replace("NBITS 32", "NBITS 3"), F.tobytes(), "3 bits"),
    "half floats": (ESRI.replace("NBITS 32", "NBITS 16"), F.tobytes(), "16 bits of FLOAT"),
    "rows too short": (ESRI + "TOTALROWBYTES 7\n", F.tobytes(), "rows of 7 bytes"),
    "header too long": ("x" * 70_000, F.tobytes(), "longer than 65536"),
    "negative cells": (ESRI.replace("XDIM 30", "XDIM -30"), F.tobytes(), "cell_size = -30"),
    "missing is no number": (ENVI + "data ignore value = none\n", F.tobytes(), "'none' is not a number"),
}


@pytest.mark.parametrize(("header", "data", "reason"), GRID_FAULTS.values(), ids=GRID_FAULTS)
def test_faults_of_plain_grids(tmp_path: Path, header: str | None, data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        grid(tmp_path, header, data)
    assert str(caught.value).startswith(f"cannot read {tmp_path / 'land.bil'}: ")


def test_heightmaps_without_a_header(tmp_path: Path) -> None:
    square = np.arange(16, dtype="<u2").reshape(4, 4) * 4096
    (tmp_path / "land.r16").write_bytes(square.tobytes())
    assert np.array_equal(read_elevation(tmp_path / "land.r16", highest=65535.0).heights[::-1], square)
    (tmp_path / "land.r16").write_bytes((F * 100).astype("<u2").tobytes())
    with pytest.raises(ValueError, match="not a square of samples of 16 bits"):
        read_elevation(tmp_path / "land.r16")
    given = read_elevation(tmp_path / "land.r16", highest=65535.0, shape=(5, 4))
    assert np.array_equal(given.heights[::-1], F * 100)
    assert preview_elevation(tmp_path / "land.r16", shape=(5, 4)).rows == 5
    with pytest.raises(ValueError, match="cut short: 5 rows × 5 columns"):
        read_elevation(tmp_path / "land.r16", shape=(5, 5))
    # A JSON file of something else says nothing of the size.
    (tmp_path / "land.json").write_text(json.dumps({"seed": 3}))
    with pytest.raises(ValueError, match="not a square"):
        read_elevation(tmp_path / "land.r16")
    (tmp_path / "land.raw").write_bytes((F / 10).astype("u1").tobytes())
    (tmp_path / "land.json").write_text(json.dumps({"width": 4, "height": 5, "bpp": 8}))
    assert np.array_equal(read_elevation(tmp_path / "land.raw", highest=255.0).heights[::-1], F / 10)


@pytest.mark.parametrize(
    ("described", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 60_000, "not JSON"),
        ('{"width": "4", "height": 5}', "width = 4 in its JSON"),
        ('{"width": 4}', "height = None"),
        ('{"width": -4, "height": 5}', "width = -4"),
        ('{"width": true, "height": 20}', "width = True"),
        ('{"width": 4, "height": 5, "bpp": [16]}', "bpp"),
        ('{"width": 4, "height": 5, "bpp": 12}', "bpp = 12"),
        ('{"bpp": 12}', "bpp = 12"),
    ],
)
def test_faults_of_descriptions(tmp_path: Path, described: str, reason: str) -> None:
    (tmp_path / "land.raw").write_bytes(bytes(40))
    (tmp_path / "land.json").write_text(described)
    with pytest.raises(ValueError, match=reason):
        read_elevation(tmp_path / "land.raw")


def test_bits_in_the_description_agree_with_the_ending(tmp_path: Path) -> None:
    (tmp_path / "land.r16").write_bytes(bytes(40))
    (tmp_path / "land.json").write_text('{"width": 4, "height": 5, "bpp": 8}')
    with pytest.raises(ValueError, match="bpp = 8 in its JSON file is not 16, as its ending says"):
        read_elevation(tmp_path / "land.r16")
    (tmp_path / "land.raw").write_bytes(bytes(36))
    (tmp_path / "land.json").write_text('{"bpp": 32}')
    assert preview_elevation(tmp_path / "land.raw").rows == 3


def test_a_shape_is_only_for_files_that_have_none() -> None:
    with pytest.raises(ValueError, match=r"only \.r8, \.r16, \.r32, \.raw files can be given a shape"):
        read_elevation(DATA / "utm.asc", shape=(90, 75))


def test_previews_of_large_files_look_at_a_part(tmp_path: Path) -> None:
    heights = np.zeros((4000, 3000), np.float32)
    heights += np.linspace(100.0, 900.0, 4000, dtype=np.float32)[:, None]
    np.save(tmp_path / "land.npy", heights)
    preview = preview_elevation(tmp_path / "land.npy")
    assert (preview.rows, preview.columns) == (4000, 3000)
    assert not preview.is_complete
    assert preview.lowest == 100.0
    assert preview.highest == 900.0


def test_files_of_a_recipe(tmp_path: Path, land: np.ndarray) -> None:
    assert read_input(ElevationModel()).heights.shape == (257, 257)
    with pytest.raises(ValueError, match="no elevation sample 'nowhere'"):
        read_input(ElevationModel(path="sample:nowhere"))
    shutil.copy(DATA / "utm_int16_strips.tif", tmp_path / "Höhen.tif")
    found = read_input(ElevationModel(path="//Höhen.tif"), lambda path: path.replace("//", f"{tmp_path}{os.sep}"))
    assert np.array_equal(found.heights, land[::-1])


def test_layers_read_the_same_file_each_in_its_own_way() -> None:
    picture = str(DATA / "land_u16.png")
    models = [
        ElevationModel(path=picture),
        ElevationModel(path=picture, lowest=-500.0, highest=2500.0),
        ElevationModel(path=picture, crop=Crop(east=50.0)),
    ]
    recipe = Recipe(relief=Relief.of(*models))
    assert inputs_of(recipe.relief) == tuple(model.key for model in models)
    inputs = read_inputs(recipe)
    whole, stretched, part = (inputs[model.key] for model in models)
    assert models[0].key == picture
    assert (whole.limits, stretched.limits) == ((0.0, 1000.0), (-500.0, 2500.0))
    np.testing.assert_allclose(stretched.heights, 3.0 * whole.heights - 500.0, atol=1e-3)
    assert np.array_equal(part.heights, whole.heights[:, : part.heights.shape[1]])
    assert part.heights.shape[1] == round(0.5 * (whole.heights.shape[1] - 1)) + 1


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    model = ElevationModel(path=str(tmp_path / "land.npy"))
    recipe, cache = Recipe(relief=Relief.of(model)), InputCache()
    np.save(model.path, np.zeros((3, 4)))
    first = read_inputs(recipe, cache=cache)[model.key]
    assert read_inputs(recipe.replace(seed=2), cache=cache)[model.key] is first
    np.save(model.path, np.ones((3, 4)))
    os.utime(model.path, ns=(0, 12345))
    assert read_inputs(recipe, cache=cache)[model.key].limits == (1.0, 1.0)
    Path(model.path).unlink()
    with pytest.raises(ValueError, match="No such file"):
        read_inputs(recipe, cache=cache)


@pytest.mark.parametrize(
    ("name", "coordinates"),
    [
        ("utm_int16_strips.tif", "EPSG 32611"),
        ("geographic_int16.tif", "EPSG 4326"),
        ("utm.asc", "WGS_1984_UTM_Zone_11N"),
        ("utm_esri.bil", "WGS_1984_UTM_Zone_11N"),
        ("utm_envi.bil", "WGS_1984_UTM_Zone_11N"),
        ("land.npz", ""),
    ],
)
def test_previews_name_the_coordinates(name: str, coordinates: str) -> None:
    assert preview_elevation(DATA / name).coordinates == coordinates


@pytest.mark.parametrize("name", ["utm_int16_strips.tif", "geographic_int16.tif", "land_u16.png", "feet_int16.tif"])
@pytest.mark.parametrize("crop", [(0.0, 0.0, 1.0, 1.0), (0.2, 0.1, 0.7, 0.95)])
def test_previews_know_the_shape_of_a_part(name: str, crop: tuple[float, float, float, float]) -> None:
    part = read_elevation(DATA / name, crop=crop, fill_holes=True)
    assert preview_elevation(DATA / name).part(crop) == part.heights.shape


# --- one record -------------------------------------------------------------------------------------------------------


def test_a_new_format_is_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_toy(file: BinaryIO, path: Path) -> Raster:
        return whole_raster(np.frombuffer(file.read(), np.uint8).reshape(1, -1), full_scale=255)

    toy = ElevationFormat("toy", (".toy",), "a row of bytes", open_toy)
    monkeypatch.setitem(READERS, ".toy", toy)
    (tmp_path / "land.TOY").write_bytes(bytes([0, 51, 255]))
    assert read_elevation(tmp_path / "land.TOY", highest=5.0).heights.tolist() == [[0.0, 1.0, 5.0]]
    assert preview_elevation(tmp_path / "land.TOY").is_picture
    with pytest.raises(ValueError, match=r"only \.r8, \.r16, \.r32, \.raw files can be given a shape"):
        read_elevation(tmp_path / "land.TOY", shape=(1, 3))


def test_every_ending_has_one_format_and_stands_in_the_docs() -> None:
    endings = [ending for kind in ELEVATION_FORMATS for ending in kind.endings]
    assert len(endings) == len(set(endings)) == len(READERS)
    table = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert [ending for ending in endings if ending not in table] == []
