"""Measured elevation: every format right way up, every fault one sentence."""

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.files.elevation import read_elevation
from terrain_addon.files.holes import fill_smoothly

DATA = Path(__file__).parent.parent / "data"
SAMPLE = Path(__file__).parents[2] / "terrain_addon" / "presets" / "elevation" / "big_tujunga.npz"

# Asymmetric: row 0 is north, so the peak of 90 m stands in the north-east.
NORTH_UP = np.array([[1.0, 2.0, 90.0], [4.0, 5.0, 6.0]])
SOUTH_UP = [[4.0, 5.0, 6.0], [1.0, 2.0, 90.0]]


def npy(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def archive(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return file.getvalue()


def claim(header: str, data: bytes = b"") -> bytes:
    """An npy file whose header says anything."""
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def shaped(shape: str, descr: str = "'<f4'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def read(folder: Path, name: str, data: bytes, **options: object) -> StoredField:
    (folder / name).write_bytes(data)
    return read_elevation(folder / name, **options)  # type: ignore[arg-type]


KINDS = [f"{order}{kind}" for order in "<>" for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8")]


@pytest.mark.parametrize("kind", [*KINDS, "i1", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_kind_of_number(tmp_path: Path, kind: str, order: str) -> None:
    values = np.array(NORTH_UP, kind, order=order)
    for elevation in (
        read(tmp_path, "land.npy", npy(values)),
        read(tmp_path, "land.NPZ", npz(elevation=values, cell_size=np.array(30), other=np.array("text"))),
    ):
        assert elevation.heights.dtype == np.float32
        assert elevation.heights.flags.c_contiguous
        assert elevation.heights.tolist() == SOUTH_UP


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_npy(tmp_path: Path, version: tuple[int, int]) -> None:
    file = io.BytesIO()
    np.lib.format.write_array(file, NORTH_UP, version=version)
    assert read(tmp_path, "land.npy", file.getvalue()).heights.tolist() == SOUTH_UP


@pytest.mark.parametrize("cell", [np.array(30), np.array(2.5, "f4"), np.array([90.0])])
def test_cell_size(tmp_path: Path, cell: np.ndarray) -> None:
    assert read(tmp_path, "land.npz", npz(elevation=NORTH_UP, cell_size=cell)).cell_size == float(cell.reshape(-1)[0])


def test_no_cell_size(tmp_path: Path) -> None:
    assert read(tmp_path, "land.npz", npz(elevation=NORTH_UP)).cell_size is None
    assert read(tmp_path, "land.npy", npy(NORTH_UP)).cell_size is None


def test_an_archive_that_is_not_packed(tmp_path: Path) -> None:
    data = archive({"elevation.npy": npy(NORTH_UP)}, zipfile.ZIP_STORED)
    assert read(tmp_path, "land.npz", data).heights.tolist() == SOUTH_UP


@pytest.mark.parametrize(("dtype", "white"), [(np.uint8, 255), (np.uint16, 65535)])
def test_images_are_scaled(tmp_path: Path, dtype: type, white: int) -> None:
    Image.fromarray(np.array([[0, white, white // 5], [white // 3, 0, 0]], dtype)).save(tmp_path / "land.png")
    elevation = read_elevation(tmp_path / "land.png", lowest=-100.0, highest=500.0)
    assert elevation.heights.tolist() == [[100.0, -100.0, -100.0], [-100.0, 500.0, 20.0]]
    assert elevation.cell_size is None
    assert read_elevation(tmp_path / "land.png").heights.max() == 1.0


def test_a_real_image_and_a_real_array_of_the_same_land() -> None:
    image = read_elevation(DATA / "big_tujunga_64_u16.png", lowest=737.0, highest=2172.0)
    array = read_elevation(DATA / "big_tujunga_64.npz")
    assert array.cell_size == 30.0
    assert image.heights.shape == array.heights.shape == (64, 64)
    assert np.abs(image.heights - array.heights).max() <= (2172 - 737) / 65535 / 2 + 1e-4
    assert np.ptp(array.heights) > 200.0


def test_the_land_that_comes_with_the_extension() -> None:
    elevation = read_elevation(SAMPLE)
    assert elevation.heights.shape == (257, 257)
    assert elevation.cell_size == 30.0
    assert (elevation.heights.min(), elevation.heights.max()) == (955.0, 2014.0)
    assert SAMPLE.stat().st_size < 150_000
    with np.load(SAMPLE) as stored:
        assert np.array_equal(elevation.heights[::-1], stored["elevation"])


HOLED = np.array([[1.0, np.nan], [3.0, np.nan], [5.0, 6.0]], np.float32)


def test_holes_are_counted(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"land\.npy: 2 of its 6 samples are missing"):
        read(tmp_path, "land.npy", npy(HOLED))


def test_holes_are_filled_and_the_rest_is_kept(tmp_path: Path) -> None:
    heights = read(tmp_path, "land.npy", npy(HOLED), fill_holes=True).heights[::-1]
    assert np.array_equal(heights[~np.isnan(HOLED)], HOLED[~np.isnan(HOLED)])
    assert np.isfinite(heights).all()
    assert 1.0 <= heights[0, 1] < heights[1, 1] < 6.0


def test_nothing_but_holes_is_always_refused(tmp_path: Path) -> None:
    for fill in (False, True):
        with pytest.raises(ValueError, match="all of its 12 samples are missing"):
            read(tmp_path, "land.npy", npy(np.full((3, 4), np.nan)), fill_holes=fill)


def test_a_hole_in_a_slope_continues_the_slope() -> None:
    y, x = np.mgrid[0:101, 0:87].astype(np.float32)
    slope = 3.0 * x + 2.0 * y
    holes = (x - 40) ** 2 + (y - 50) ** 2 < 20**2
    filled = fill_smoothly(np.where(holes, np.nan, slope), holes)
    # The hole is 40 samples wide, across which the land rises by 144 m.
    assert np.abs(filled - slope)[holes].max() < 8.0
    # No steps either: no two neighbours in the hole differ by much more than those of the slope itself.
    assert np.abs(np.diff(filled, axis=1)).max() < 7.0
    assert np.abs(np.diff(filled, axis=0)).max() < 6.0


@given(
    heights=hnp.arrays(
        np.float32, st.tuples(st.integers(1, 20), st.integers(1, 20)), elements=st.floats(-9e5, 9e5, width=32)
    ),
    data=st.data(),
)
def test_filled_heights_lie_within_the_known_ones(heights: np.ndarray, data: st.DataObject) -> None:
    holes = data.draw(hnp.arrays(bool, heights.shape))
    holes.flat[data.draw(st.integers(0, holes.size - 1))] = False
    filled = fill_smoothly(np.where(holes, np.float32(np.nan), heights), holes)
    known = heights[~holes]
    assert np.array_equal(filled[~holes], known)
    rounding = 1e-5 * max(1.0, float(np.abs(known).max()))
    assert known.min() - rounding <= filled.min()
    assert filled.max() <= known.max() + rounding
    # What stands in a hole has no say.
    assert np.array_equal(fill_smoothly(np.where(holes, np.float32(1e5), heights), holes), filled)


def test_level_land_stays_level() -> None:
    holes = np.random.default_rng(0).random((65, 40)) < 0.9
    assert np.array_equal(fill_smoothly(np.full((65, 40), 812.25, np.float32), holes), np.full((65, 40), 812.25))


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    {
        "empty": ("a.npy", b"", "empty"),
        "empty npz": ("a.npz", b"", "empty"),
        "not numpy": ("a.npy", b"hello" * 100, "not a numpy array"),
        "not zip": ("a.npz", b"hello" * 100, "not a whole npz archive"),
        "png called npz": ("a.npz", (DATA / "big_tujunga_64_u16.png").read_bytes(), "not a whole npz archive"),
        "npz called png": ("a.png", npz(elevation=NORTH_UP), "not a PNG"),
        "one dimension": ("a.npy", npy(np.zeros(7)), r"shape \(7,\), not \(rows, columns\)"),
        "no dimension": ("a.npy", npy(np.array(7.0)), r"shape \(\)"),
        "three dimensions": ("a.npy", npy(np.zeros((2, 2, 3))), r"shape \(2, 2, 3\)"),
        "no samples": ("a.npy", npy(np.zeros((0, 3))), "0 rows × 3 columns"),
        "objects": ("a.npy", npy(np.array([[1, "x"]], dtype=object)), "plain integers or floats"),
        "text": ("a.npy", npy(np.array([["a", "b"]])), "plain integers or floats"),
        "complex": ("a.npy", npy(np.zeros((2, 2), complex)), "plain integers or floats"),
        "truth": ("a.npy", npy(np.zeros((2, 2), bool)), "plain integers or floats"),
        "records": ("a.npy", npy(np.zeros((2, 2), [("x", "f4")])), "plain integers or floats"),
        "dates": ("a.npy", npy(np.zeros((2, 2), "M8[s]")), "plain integers or floats"),
        "too many rows": ("a.npy", claim(shaped("(16385, 1)"), bytes(16385 * 4)), "16385 rows"),
        "lie about size": ("a.npy", claim(shaped("(16384, 16384)"), bytes(16)), "cut short or damaged"),
        "huge": ("a.npy", claim(shaped(f"({10**80}, {10**80})"), bytes(16)), "outside 1 × 1"),
        "negative": ("a.npy", claim(shaped("(-2, -2)"), bytes(16)), "header"),
        "too long": ("a.npy", npy(NORTH_UP) + b"x", "cut short or damaged"),
        "code for a header": ("a.npy", claim("__import__('os').abort()"), "header"),
        "no shape": ("a.npy", claim("{'descr': '<f4', 'fortran_order': False}"), "header"),
        "header beyond the end": ("a.npy", npy(NORTH_UP)[:40], "header"),
        "unknown version": ("a.npy", b"\x93NUMPY\x09\x00" + npy(NORTH_UP)[8:], "not a numpy array"),
        "header of 4 GB": ("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(64), "header"),
        "no elevation": ("a.npz", npz(height=NORTH_UP, width=NORTH_UP), "no array named elevation, but height, width"),
        "empty archive": ("a.npz", archive({}), "no array named elevation, but nothing"),
        "objects in npz": ("a.npz", npz(elevation=np.array([[1, None]], dtype=object)), "plain integers or floats"),
        "wrong dimensions in npz": ("a.npz", npz(elevation=np.zeros((2, 2, 2))), "not .rows, columns"),
        "cell size of two": ("a.npz", npz(elevation=NORTH_UP, cell_size=np.array([3, 4, 5])), "cell_size has shape"),
        "cell size of 0": ("a.npz", npz(elevation=NORTH_UP, cell_size=np.array(0)), "cell_size = 0.0 m"),
        "cell size not a number": ("a.npz", npz(elevation=NORTH_UP, cell_size=np.array(np.nan)), "cell_size = nan m"),
        "cell size as text": ("a.npz", npz(elevation=NORTH_UP, cell_size=np.array("30 m")), "plain integers or floats"),
        "bomb": ("a.npz", archive({"elevation.npy": bytes(100_000_000)}), "not a numpy array"),
        "bomb with a header": (
            "a.npz",
            archive({"elevation.npy": claim(shaped("(2, 2)"), bytes(100_000_000))}),
            "cut short or damaged",
        ),
        "packed as bzip2": ("a.npz", archive({"elevation.npy": npy(NORTH_UP)}, zipfile.ZIP_BZIP2), "not read; save"),
        "colour image": ("a.png", None, "3 channels"),
        "infinite": ("a.npy", npy(np.array([[1.0, np.inf]])), "from 1 to inf m"),
        "too high": ("a.npy", npy(np.array([[1.0, 1.1e6]])), r"from 1 to 1\.1e\+06 m, outside ±1e\+06 m"),
        "too low for float32 too": ("a.npy", npy(np.array([[-1e300, 0.0]])), r"from -1e\+300 to 0 m"),
        "not metres": ("a.npy", npy(np.array([[0, 2**32 - 1]], np.uint32)), r"4\.29497e\+09 m"),
        "64 bits": ("a.npy", npy(np.array([[0, 2**63]], np.uint64)), r"9\.22337e\+18 m"),
    }.values(),
)
def test_each_fault_is_one_sentence(tmp_path: Path, name: str, data: bytes | None, reason: str) -> None:
    if data is None:
        file = io.BytesIO()
        Image.fromarray(np.zeros((2, 2, 3), np.uint8)).save(file, "png")
        data = file.getvalue()
    folder = tmp_path / "Gelände 高程"
    folder.mkdir()
    with pytest.raises(ValueError, match=reason) as caught:
        read(folder, name, data)
    assert str(caught.value).startswith(f"cannot read {folder / name}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["land.tiff2", "land", "land.npz.bak", ".npz"])
def test_unknown_endings_list_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"is none of \.npz, \.npy, \.png"):
        read(tmp_path, name, b"x")


def test_missing_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ValueError, match=r"^cannot read .*none\.npz: No such file"):
        read_elevation(tmp_path / "none.npz")
    with pytest.raises(ValueError, match=r"folder\.npz: it is a folder"):
        read_elevation(tmp_path / "folder.npz")


@pytest.mark.parametrize(
    ("lowest", "highest"), [(1.0, 1.0), (2.0, 1.0), (float("nan"), 1.0), (0.0, float("inf")), (0.0, 2e6)]
)
def test_a_range_that_is_none(lowest: float, highest: float) -> None:
    with pytest.raises(ValueError, match=r"^lowest = .* and highest = .* are not two rising heights"):
        read_elevation(DATA / "big_tujunga_64_u16.png", lowest=lowest, highest=highest)


def test_pipes_do_not_hold_the_reader(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with a name here")
    os.mkfifo(tmp_path / "land.npy")
    with pytest.raises(ValueError, match="not a file"):
        read_elevation(tmp_path / "land.npy")


@pytest.mark.parametrize("name", ["land.npy", "land.npz"])
def test_every_cut_is_found(tmp_path: Path, name: str) -> None:
    values = np.arange(48, dtype=np.int16).reshape(6, 8)
    whole = npy(values) if name.endswith("npy") else npz(elevation=values, cell_size=np.array(30.0))
    assert read(tmp_path, name, whole).heights.shape == (6, 8)
    for end in range(len(whole)):
        with pytest.raises(ValueError, match=r"^cannot read"):
            read(tmp_path, name, whole[:end])


@pytest.mark.parametrize("name", ["land.npy", "land.npz"])
def test_flipped_bits_are_refused_or_harmless(tmp_path: Path, name: str) -> None:
    # Neither format protects all of itself: a flipped bit of a height is another height, one of a date nothing at all.
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    whole = npy(values) if name.endswith("npy") else npz(elevation=values, cell_size=np.array(30.0))
    refused = 0
    for place in range(len(whole)):
        for bit in (0, 3, 7):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            try:
                elevation = read(tmp_path, name, bytes(damaged))
            except ValueError as error:
                assert str(error).startswith("cannot read")
                refused += 1
            else:
                assert isinstance(elevation, StoredField)
    assert refused > 150


def test_a_damaged_archive_is_noticed_by_its_checksum(tmp_path: Path) -> None:
    whole = bytearray(archive({"elevation.npy": npy(NORTH_UP)}, zipfile.ZIP_STORED))
    whole[whole.index(struct.pack("<d", 90.0))] ^= 1
    with pytest.raises(ValueError, match="not a whole npz archive"):
        read(tmp_path, "land.npz", bytes(whole))


def test_elevation_checks_itself() -> None:
    for heights, cell_size, reason in (
        (np.zeros(3), None, "elevation has shape"),
        (np.full((2, 2), np.nan), None, "elevation holds 4 values"),
        (np.full((2, 2), 2e6), None, "outside"),
        (np.zeros((2, 2)), -1.0, "cell_size"),
    ):
        with pytest.raises(ValueError, match=reason):
            StoredField(heights, cell_size)


def test_zlib_is_as_tight_as_we_believe() -> None:
    # The promise that LARGEST_DEFLATE_RATIO makes: nothing packs better than zeros, and zeros not better than this.
    assert 1000 < 10_000_000 / len(zlib.compress(bytes(10_000_000), 9)) < 1032
