"""GeoTIFF: every layout reads back, GDAL's and other programs' files too; every fault is one sentence."""

import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrain_addon.files.elevation import preview_elevation, read_elevation
from terrain_addon.files.lzw import unpack_lzw
from tests.files.tiff_writer import PLACE, geo_keys, lzw, make_tiff, nodata

pytestmark = pytest.mark.once

DATA = Path(__file__).parent / "data"

# Asymmetric: a letter F, row 0 north, on a slope that no flip or turn leaves as it was.
F = np.array([[9, 9, 9, 1], [9, 1, 1, 1], [9, 9, 1, 2], [9, 1, 1, 3], [9, 1, 1, 4]], np.float64) * 10


def read(folder: Path, data: bytes, **options: object) -> np.ndarray:
    """Heights with row 0 north again."""
    (folder / "land.tif").write_bytes(data)
    return read_elevation(folder / "land.tif", **options).heights[::-1]  # type: ignore[arg-type]


def rough(rows: int, columns: int, kind: str) -> np.ndarray:
    steps = np.random.default_rng(7).normal(0.0, 2.0, (rows, columns)).cumsum(axis=0).cumsum(axis=1) + 100.0
    return np.clip(steps, 0, 120).astype(kind) if kind[1] == "1" or kind[0] != "f" else steps.astype(kind)


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("order", "<>")
def test_every_layout(tmp_path: Path, kind: str, order: str) -> None:
    values = rough(50, 21, kind)
    predictors = (1, 2, 3) if kind[0] == "f" else (1, 2)
    for packing in (1, 5, 8, 32946):
        for predictor in predictors if packing > 1 else (1,):
            for layout in ({}, {"strip_rows": 16}, {"strip_rows": 1}, {"tile": (16, 32)}, {"tile": (64, 64)}):
                for big in (False, True):
                    data = make_tiff(
                        values, order=order, big=big, packing=packing, predictor=predictor, tags=PLACE, **layout
                    )
                    assert np.array_equal(read(tmp_path, data), values.astype(np.float32))


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_adobe_deflate"])
@pytest.mark.parametrize(("mode", "kind"), [("L", "u1"), ("I;16", "u2"), ("I", "i4"), ("F", "f4")])
def test_files_of_another_program(tmp_path: Path, compression: str, mode: str, kind: str) -> None:
    values = rough(150, 131, kind)
    for predictor in (1, 2, 3) if kind == "f4" else (1, 2):
        if compression == "raw" and predictor > 1:
            continue
        image = Image.fromarray(values)
        assert image.mode == mode
        image.save(tmp_path / "a.tif", compression=compression, tiffinfo={317: predictor, 278: 32})
        scale = {"u1": 255.0, "u2": 65535.0}.get(kind, 1.0)  # Without a place on Earth these are pictures.
        heights = read_elevation(tmp_path / "a.tif", lowest=0.0, highest=scale).heights
        assert np.array_equal(heights[::-1], values.astype(np.float32))


def test_lzw_over_all_its_widths() -> None:
    random = np.random.default_rng(1)
    for raw in (b"", b"a", b"ab" * 5, b"a" * 100_000, random.bytes(30_000), bytes(range(256)) * 200):
        packed = lzw(raw)
        assert unpack_lzw(packed, len(raw)) == raw
        assert unpack_lzw(packed, len(raw) // 2) == raw[: len(raw) // 2]
        assert unpack_lzw(packed, len(raw) + 9) == raw
        assert (
            unpack_lzw(packed[: len(packed) // 2], len(raw))
            == raw[: len(unpack_lzw(packed[: len(packed) // 2], len(raw)))]
        )


def test_a_code_that_stands_for_nothing() -> None:
    with pytest.raises(ValueError, match="cannot be unpacked"):
        unpack_lzw(bytes([0b10000000, 0b01111111, 0b11000000, 0, 0]), 10)


def test_right_way_up(tmp_path: Path) -> None:
    assert np.array_equal(read(tmp_path, make_tiff(F.astype("i2"), tags=PLACE)), F)
    matrix = [30.0, 0, 0, 4e5, 0, 30.0, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1]
    south_first = {34264: (12, matrix)}
    assert np.array_equal(read(tmp_path, make_tiff(F[::-1].astype("i2"), tags=south_first)), F)
    matrix = [-30.0, 0, 0, 4e5, 0, -30.0, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1]
    assert np.array_equal(read(tmp_path, make_tiff(F[:, ::-1].astype("i2"), tags={34264: (12, matrix)})), F)
    # A window of a flipped file is a window of the land.
    part = read(tmp_path, make_tiff(F[::-1].astype("i2"), tags=south_first), crop=(0.0, 0.5, 2 / 3, 1.0))
    assert np.array_equal(part, F[:3, :3])


def hills(east: np.ndarray, north: np.ndarray) -> np.ndarray:
    """Heights in metres at a place in metres: two hills on a slope."""
    slope = 500.0 + 0.02 * east - 0.05 * north
    return slope + sum(
        tall * np.exp(-((east - e) ** 2 + (north - n) ** 2) / (2.0 * 250.0**2))
        for tall, e, n in ((120.0, 300.0, 200.0), (80.0, -250.0, -100.0))
    )


@pytest.mark.parametrize("angle", [-170.0, -37.0, 1.5, 45.0, 90.0, 180.0])
@pytest.mark.parametrize("kind", ["tif", "bil"])
def test_land_that_is_turned_against_north_is_turned_back(tmp_path: Path, angle: float, kind: str) -> None:
    rows, columns, step = 161, 121, 10.0
    c, s = np.cos(np.radians(angle)) * step, np.sin(np.radians(angle)) * step
    j, i = np.mgrid[0:rows, 0:columns]
    i, j = i - 0.5 * (columns - 1), j - 0.5 * (rows - 1)
    values = hills(c * i + s * j, s * i - c * j).astype(np.float32)
    if kind == "tif":
        matrix = [c, s, 0, 4e5, s, -c, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1]
        (tmp_path / "land.tif").write_bytes(make_tiff(values, tags={34264: (12, matrix)}))
    else:
        # As GDAL 3 writes it.
        info = f"map info = {{UTM, 1, 1, 400000, 4000000, {step}, {step}, 32, North, WGS-84, rotation={angle}}}"
        size = f"samples = {columns}\nlines = {rows}\nbands = 1\ndata type = 4\nbyte order = 0"
        (tmp_path / "land.hdr").write_text(f"ENVI\n{size}\n{info}\n")
        (tmp_path / "land.bil").write_bytes(values.tobytes())
    land = read_elevation(tmp_path / f"land.{kind}")
    assert land.cell_size == pytest.approx(step)
    n, e = ((np.arange(count) - 0.5 * (count - 1)) * step for count in land.heights.shape)
    assert np.abs(land.heights - hills(e[np.newaxis], n[:, np.newaxis])).max() < 0.05
    assert land.heights.size > 0.35 * values.size
    shown = preview_elevation(tmp_path / f"land.{kind}")
    assert (shown.rows, shown.columns) == land.heights.shape


def test_turned_land_with_holes_and_in_parts(tmp_path: Path) -> None:
    matrix = [24.0, 10.0, 0, 4e5, 10.0, -24.0, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1]
    values = np.add.outer(np.arange(70.0), 2.0 * np.arange(90.0)).astype(np.float32)
    (tmp_path / "land.tif").write_bytes(make_tiff(values, tags={34264: (12, matrix)}))
    whole = read_elevation(tmp_path / "land.tif").heights
    part = read_elevation(tmp_path / "land.tif", crop=(0.0, 0.0, 0.5, 0.5)).heights
    np.testing.assert_allclose(part, whole[: part.shape[0], : part.shape[1]], atol=1e-3)
    values[30:33, 40:45] = -9999.0
    (tmp_path / "land.tif").write_bytes(make_tiff(values, tags={34264: (12, matrix)} | nodata("-9999")))
    with pytest.raises(ValueError, match="missing"):
        read_elevation(tmp_path / "land.tif")
    filled = read_elevation(tmp_path / "land.tif", fill_holes=True).heights
    assert np.abs(filled - whole).max() < 5.0


def test_rows_along_columns_are_refused(tmp_path: Path) -> None:
    matrix = [21.0, 21.0, 0, 4e5, 21.0, 21.0, 0, 4e6, 0, 0, 0, 0, 0, 0, 0, 1]
    with pytest.raises(ValueError, match="lie on one line"):
        read(tmp_path, make_tiff(F, tags={34264: (12, matrix)}))


def cell_of(folder: Path, step: float, x: float, y: float, **keys: int) -> float | None:
    place = {33550: (12, [step, step, 0.0]), 33922: (12, [0.0, 0.0, 0.0, x, y, 0.0])}
    (folder / "land.tif").write_bytes(
        make_tiff(np.ones((20, 20), "f4"), tags=place | (geo_keys(**keys) if keys else {}))
    )
    return read_elevation(folder / "land.tif").cell_size


def test_cell_sizes(tmp_path: Path) -> None:
    assert cell_of(tmp_path, 30.0, 4e5, 4e6) == 30.0
    assert cell_of(tmp_path, 10.0, 4e5, 4e6, model=1, unit=9002) == pytest.approx(3.048)
    assert cell_of(tmp_path, 10.0, 4e5, 4e6, model=1, unit=9003) == pytest.approx(3.048006096)
    # One second of longitude and latitude at 60° N, after the table of the Explanatory Supplement: 15.50 m and 30.95 m.
    assert cell_of(tmp_path, 1 / 3600, 10.0, 60.0, model=2) == pytest.approx(15.50, abs=0.01)
    # At the equator a second of latitude, 30.715 m, is shorter than one of longitude, 30.922 m.
    assert cell_of(tmp_path, 1 / 3600, 10.0, 0.0, model=2) == pytest.approx(30.715, abs=0.001)
    # Without keys, numbers that can be degrees are.
    assert cell_of(tmp_path, 1 / 3600, 10.0, 60.0) == pytest.approx(15.50, abs=0.01)
    # At 60° web Mercator doubles lengths.
    y = 6378137.0 * np.log(np.tan(np.pi / 4 + np.radians(60.0) / 2))
    assert cell_of(tmp_path, 20.0, 0.0, y, model=1, projection=3857) == pytest.approx(10.0, abs=0.001)


def test_heights_in_feet(tmp_path: Path) -> None:
    heights = read(tmp_path, make_tiff(np.full((3, 3), 1000, "i2"), tags=PLACE | geo_keys(model=1, vertical=9002)))
    assert heights == pytest.approx(np.full((3, 3), 304.8), rel=1e-6)


@pytest.mark.parametrize(
    ("said", "metres"),
    [
        ('<Item name="UNITTYPE" sample="0" role="unittype">ft</Item>', 304.8),
        ('<Item name="UNITTYPE" sample="0" role="unittype">US survey foot</Item>', 1200_000 / 3937),
        ('<Item name="UNITTYPE" sample="0" role="unittype">metre</Item>', 1000.0),
        ('<Item name="UNITTYPE" sample="1" role="unittype">ft</Item>', 1000.0),
        (
            '<Item name="OFFSET" sample="0" role="offset">100</Item>\n'
            '  <Item name="SCALE" sample="0" role="scale">0.1</Item>',
            200.0,
        ),
        (
            '<Item name="OFFSET" sample="0" role="offset">100</Item>'
            '<Item name="UNITTYPE" sample="0" role="unittype">ft</Item>',
            1100 * 0.3048,
        ),
    ],
)
def test_units_scale_and_offset_of_a_band_as_gdal_writes_them(tmp_path: Path, said: str, metres: float) -> None:
    text = f"<GDALMetadata>\n  {said}\n</GDALMetadata>\n".encode() + b"\0"
    stored = np.full((3, 3), 1000, "i2")
    stored[1, 1] = -9999
    tags = PLACE | geo_keys(model=1) | nodata("-9999") | {42112: (2, text)}
    heights = read(tmp_path, make_tiff(stored, tags=tags), fill_holes=True)
    assert heights == pytest.approx(metres, rel=1e-6)
    assert preview_elevation(tmp_path / "land.tif").highest == pytest.approx(metres, rel=1e-6)


def test_the_unit_of_a_band_counts_more_than_that_of_its_coordinate_system(tmp_path: Path) -> None:
    text = b'<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">metre</Item></GDALMetadata>\0'
    tags = PLACE | geo_keys(model=1, heights=6360) | {42112: (2, text)}
    assert (read(tmp_path, make_tiff(np.full((3, 3), 1000, "i2"), tags=tags)) == 1000.0).all()


@pytest.mark.parametrize("key", ["vertical", "heights", "unit"])
@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_key_that_is_no_number_is_as_none(tmp_path: Path, key: str, number: float) -> None:
    # The value of a key may stand among the doubles, where anything can be.
    (kind, entries) = geo_keys(model=1, **{key: 0})[34735]
    tags = PLACE | {34735: (kind, [*entries[:-3], 34736, 1, 0]), 34736: (12, [number])}
    assert (read(tmp_path, make_tiff(np.full((3, 3), 1000, "i2"), tags=tags)) == 1000.0).all()


@pytest.mark.parametrize(("code", "metres"), [(6360, 1200_000 / 3937), (8228, 304.8), (5703, 1000.0)])
def test_heights_in_the_feet_of_a_vertical_coordinate_system(tmp_path: Path, code: int, metres: float) -> None:
    heights = read(tmp_path, make_tiff(np.full((3, 3), 1000, "i2"), tags=PLACE | geo_keys(model=1, heights=code)))
    assert heights == pytest.approx(np.full((3, 3), metres), rel=1e-6)


def test_degrees_become_squares_of_true_size(tmp_path: Path) -> None:
    # 1200 × 600 seconds at 60°: 18.6 km each way.  A slope of 1 m a second to the north stays one.
    heights = np.repeat(np.arange(600, 0, -1, dtype="f4")[:, None], 1200, axis=1)
    tags = {33550: (12, [1 / 3600, 1 / 3600, 0]), 33922: (12, [0, 0, 0, 10.0, 60 + 300 / 3600, 0])} | geo_keys(model=2)
    (tmp_path / "land.tif").write_bytes(make_tiff(heights, tags=tags))
    land = read_elevation(tmp_path / "land.tif")
    rows, columns = land.heights.shape
    assert land.cell_size is not None
    assert columns == 1200
    assert (columns - 1) * land.cell_size == pytest.approx(1199 * 15.50, rel=1e-3)
    assert (rows - 1) * land.cell_size == pytest.approx(599 * 30.95, rel=2e-3)
    slope = np.diff(land.heights[:, 7])
    assert slope == pytest.approx(np.full(rows - 1, 15.50 / 30.95), rel=1e-2)


def test_missing_heights(tmp_path: Path) -> None:
    holed = np.array([[1, 2, -9999], [4, 5, 6]])
    for kind, text in (("i2", "-9999"), ("f4", "-9999"), ("f8", "-9999.0"), ("i4", " -9.999e3 ")):
        data = make_tiff(holed.astype(kind), tags=PLACE | nodata(text))
        with pytest.raises(ValueError, match="1 of its 6 samples are missing"):
            read(tmp_path, data)
        filled = read(tmp_path, data, fill_holes=True)
        assert 2.0 <= filled[0, 2] <= 6.0
    with pytest.raises(ValueError, match="1 of its 6 samples"):
        read(tmp_path, make_tiff(np.where(holed < 0, np.nan, holed).astype("f4"), tags=PLACE | nodata("nan")))
    with pytest.raises(ValueError, match="1 of its 6 samples"):
        read(tmp_path, make_tiff(np.where(holed < 0, -32768, holed).astype("i2"), tags=PLACE))
    # The lowest float32, as it is often written.
    lowest = np.where(holed < 0, np.finfo("f4").min, holed).astype("f4")
    with pytest.raises(ValueError, match="1 of its 6 samples"):
        read(tmp_path, make_tiff(lowest, tags=PLACE | nodata("-3.40282e+38")))
    # A number that the type cannot hold marks nothing.
    assert read(tmp_path, make_tiff(np.abs(holed).astype("u2"), tags=PLACE | nodata("-9999"))).max() == 9999.0


def test_the_last_strip_may_be_as_long_as_the_others(tmp_path: Path) -> None:
    values = np.arange(50, dtype=np.float32).reshape(10, 5)
    padded = np.vstack([values, np.zeros((2, 5), np.float32)])
    strips = [zlib.compress(padded[row : row + 4].tobytes()) for row in (0, 4, 8)]
    data = make_tiff(values, packing=8, strip_rows=4, pieces=strips, tags=PLACE)
    assert read(tmp_path, data).tolist() == values.tolist()


def test_pieces_left_out_are_missing(tmp_path: Path) -> None:
    land = np.full((32, 32), 7, "<f4")
    piece = zlib.compress(land[:16, :16].tobytes())
    data = make_tiff(land, packing=8, tile=(16, 16), pieces=[piece, b"", b"", piece], tags=PLACE | nodata("-1"))
    with pytest.raises(ValueError, match="512 of its 1024 samples are missing"):
        read(tmp_path, data)
    assert read(tmp_path, data, crop=(0.0, 0.55, 0.45, 1.0)).tolist() == [[7.0] * 15] * 15


def test_a_grey_picture_without_a_place_is_scaled(tmp_path: Path) -> None:
    picture = make_tiff(np.array([[0, 65535]], "u2"))
    assert read(tmp_path, picture, lowest=-10.0, highest=90.0).tolist() == [[-10.0, 90.0]]
    assert (
        read(tmp_path, make_tiff(np.array([[0, 65535]], "u2"), tags=PLACE), lowest=-10.0, highest=90.0).max() == 65535
    )


@pytest.mark.parametrize("filled", [1, 8])
def test_empty_tiles_may_be_missing_where_nothing_is_packed(tmp_path: Path, filled: int) -> None:
    land = np.arange(256, dtype="<f4").reshape(16, 16)
    values = np.zeros((1024, 1024), "f4")
    values[:16, : 16 * filled] = np.tile(land, (1, filled))
    pieces = [land.tobytes()] * filled + [b""] * (64 * 64 - filled)
    assert np.array_equal(read(tmp_path, make_tiff(values, tile=(16, 16), pieces=pieces)), values)


def test_tiles_may_overlap(tmp_path: Path) -> None:
    land = np.arange(256, dtype="<f4").reshape(16, 16)
    data = make_tiff(
        np.zeros((32, 32), "f4"), tile=(16, 16), pieces=[land.tobytes()], tags={324: (4, [8] * 4), 325: (4, [1024] * 4)}
    )
    assert np.array_equal(read(tmp_path, data), np.tile(land, (2, 2)))


LAND = np.arange(48, dtype="i2").reshape(6, 8)


def changed(**tags: object) -> bytes:
    """A whole file in which some tags lie."""
    return make_tiff(LAND, tags={int(tag[1:]): value for tag, value in tags.items()})  # type: ignore[misc]


_ZEROS = zlib.compressobj(9)
BOMB = b"".join(_ZEROS.compress(bytes(10**7)) for _ in range(60)) + _ZEROS.flush()


FAULTS = {
    "not TIFF": (b"hello there, this is text", "not a TIFF"),
    "only a mark": (b"II*\0", "not a TIFF"),
    "unknown version": (b"II\x2c\0" + make_tiff(LAND)[4:], "not a TIFF"),
    "directory beyond the end": (b"II*\0\xf0\xff\xff\xff" + bytes(50), "cut short"),
    "directory in itself": (b"II*\0\0\0\0\0" + bytes(50), "entries|missing|cut short|TIFF tag"),
    "no entries": (b"II*\0\x08\0\0\0" + bytes(50), "0 entries"),
    "65535 entries": (b"II*\0\x08\0\0\0\xff\xff" + bytes(50), "65535 entries"),
    "a tag of 4 billion values": (
        changed(t324=(4, [1])).replace(struct.pack("<HHI", 273, 4, 1), struct.pack("<HHI", 273, 4, 2**32 - 1)),
        "cut short",
    ),
    "no width": (changed(t256=(2, b"abc\0")), "tag 256"),
    "no rows": (changed(t257=(4, [0])), "0 rows"),
    "4 billion rows": (changed(t257=(4, [2**32 - 1])), "4294967295 rows"),
    "more than there is": (changed(t257=(4, [600]), t278=(4, [600])), "too short"),
    "a million by a million": (changed(t256=(4, [2**20]), t257=(4, [2**20])), "list of strips|too short"),
    "colours": (changed(t277=(3, [3])), "3 channels"),
    "palette": (changed(t262=(3, [3])), "colour image"),
    "turned": (changed(t274=(3, [6])), "unusual order"),
    "JPEG": (changed(t259=(3, [7])), "compressed as JPEG; save"),
    "Zstandard": (changed(t259=(3, [50000])), "compressed as Zstandard"),
    "unknown packing": (changed(t259=(3, [999])), "number 999"),
    "one bit": (changed(t258=(3, [1])), "1 bits"),
    "12 bits": (changed(t258=(3, [12])), "12 bits"),
    "complex": (changed(t339=(3, [5])), "kind 5"),
    "predictor of floats for integers": (make_tiff(LAND, packing=8, tags={317: (3, [3])}), "predictor 3"),
    "unknown predictor": (make_tiff(LAND, packing=8, tags={317: (3, [9])}), "predictor 9"),
    "strips without sizes": (make_tiff(LAND, strip_rows=3, tags={279: (4, [])}), "list of strips"),
    "too few strips": (changed(t278=(4, [2])), "list of strips"),
    "strip beyond the end": (changed(t273=(4, [100_000])), "cut short"),
    "strip cut": (changed(t279=(4, [95])), "ends early"),
    "no deflate": (make_tiff(LAND, packing=8, pieces=[bytes(range(96))]), "cannot be unpacked"),
    "short deflate": (make_tiff(LAND, packing=8, pieces=[zlib.compress(bytes(95))]), "ends early"),
    "long deflate": (make_tiff(LAND, packing=8, pieces=[zlib.compress(bytes(97))]), "more data than its size allows"),
    "a piece that unpacks to 600 MB": (make_tiff(LAND, packing=8, pieces=[BOMB]), "more data than its size allows"),
    "no LZW": (make_tiff(LAND, packing=5, pieces=[b"\xff" * 96]), "cannot be unpacked|ends early"),
    "a bomb": (
        make_tiff(
            LAND, packing=8, pieces=[zlib.compress(bytes(10**6), 9)], tags={t: (4, [16384]) for t in (256, 257, 278)}
        ),
        "too short|promises more",
    ),
    "tiles of 5": (make_tiff(LAND, tile=(16, 16), tags={322: (3, [5])}), "multiples of 16"),
    "tiles of nothing": (make_tiff(LAND, tile=(16, 16), tags={322: (3, [0])}), "multiples of 16"),
    "huge tiles": (make_tiff(LAND, tile=(16, 16), tags={322: (4, [65536]), 323: (4, [65536])}), "far larger"),
    "cells of nothing": (changed(t33550=(12, [0.0, 0.0, 0.0])), "not a length"),
    "cells of NaN": (changed(t33550=(12, [np.nan, 30.0, 0.0])), "not a length"),
    "cells as long as the Earth": (changed(t33550=(12, [1e30, 1e30, 0.0])), "cell_size = 1e.30 m"),
    "beyond the pole": (make_tiff(LAND, tags=PLACE | geo_keys(model=2)), "latitude"),
    "missing is no number": (make_tiff(LAND, tags=PLACE | nodata("none")), "GDAL_NODATA = 'none'"),
    "too high": (make_tiff(LAND.astype("f8") * 1e300), "outside ±1e"),
    "empty": (b"", "empty"),
}


@pytest.mark.parametrize(("data", "reason"), FAULTS.values(), ids=FAULTS)
def test_each_fault_is_one_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        read(tmp_path, data)
    assert str(caught.value).startswith(f"cannot read {tmp_path / 'land.tif'}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options", [{}, {"packing": 8}, {"packing": 5, "predictor": 2}, {"tile": (16, 16)}, {"big": True}]
)
def test_every_cut_is_found(tmp_path: Path, options: dict[str, object]) -> None:
    whole = make_tiff(LAND, tags=PLACE, **options)  # type: ignore[arg-type]
    assert np.array_equal(read(tmp_path, whole), LAND)
    for end in range(len(whole)):
        with pytest.raises(ValueError, match="cannot read"):
            read(tmp_path, whole[:end])
