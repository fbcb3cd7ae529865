"""PNG against Pillow, against itself, and against everything a damaged file can hold."""

import io
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from terrain_addon.files.elevation import preview_elevation
from terrain_addon.files.png import open_png, unfilter, write_png
from terrain_addon.files.raster import Window
from tests.png_reader import read_png

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def shapes(channels: tuple[int, ...]) -> st.SearchStrategy[tuple[int, ...]]:
    sides = st.tuples(st.integers(1, 12), st.integers(1, 12))
    return st.one_of(sides, st.builds(lambda s, c: (*s, c), sides, st.sampled_from(channels)))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(columns: int, rows: int, depth: int, colour: int, lines: bytes, *, interlaced: int = 0, **more: bytes) -> bytes:
    """A PNG put together by hand; `more` are chunks between header and pixels."""
    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, interlaced)
    between = b"".join(chunk(kind.encode(), data) for kind, data in more.items())
    return SIGNATURE + chunk(b"IHDR", header) + between + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def decode(data: bytes) -> np.ndarray:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        raster = open_png(file)
        return raster.read(Window(0, 0, raster.rows, raster.columns))


@settings(max_examples=150)
@given(pixels=hnp.arrays(st.sampled_from([np.uint8, np.uint16]), shapes((3, 4))))
def test_round_trip(pixels: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "round.png"
    write_png(path, pixels)
    back = read_png(path)
    assert back.dtype == pixels.dtype
    assert np.array_equal(back, pixels)


@pytest.mark.parametrize(
    ("dtype", "shape"),
    # Pillow has no colour of 16 bits.
    [(np.uint16, (7, 5)), *((np.uint8, s) for s in [(7, 5), (7, 5, 3), (7, 5, 4), (1, 1), (1, 9), (9, 1)])],
)
def test_pillow_reads_what_we_write(tmp_path: Path, dtype: type, shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    write_png(tmp_path / "land.png", pixels)
    with Image.open(tmp_path / "land.png") as image:
        image.load()
        assert image.info == {}
        assert np.array_equal(np.asarray(image), pixels)


@pytest.mark.parametrize("mode", ["L", "I;16"])
def test_we_read_what_pillow_writes(mode: str) -> None:
    # Smooth in parts and noisy in others, so that Pillow, which chooses a filter for every row, uses all of them.
    y, x = np.mgrid[0:96, 0:120]
    noise = np.random.default_rng(2).integers(0, 256, (96, 120, 2))
    ramp = np.stack((x * 2, y * 2), axis=2)
    pixels = np.where((y // 8 % 3 == 0)[..., None], noise, ramp + noise // 64) % 256
    source = pixels[..., 0].astype(np.uint8) if mode == "L" else (pixels @ (256, 1)).astype(np.uint16)
    file = io.BytesIO()
    Image.fromarray(source).save(file, "png", optimize=True)
    assert np.array_equal(decode(file.getvalue()), source)


@pytest.mark.parametrize(("mode", "channels"), [("LA", 2), ("RGB", 3), ("P", 3), ("RGBA", 4)])
def test_colours_and_alpha_are_no_heights(mode: str, channels: int) -> None:
    file = io.BytesIO()
    Image.new(mode, (3, 2)).save(file, "png")
    with pytest.raises(ValueError, match=f"has {channels} channels; elevation needs a grey image"):
        decode(file.getvalue())


def test_filters_by_hand() -> None:
    # Two grey pixels of 16 bits a row, so that "left" is two bytes away.  Row by row: None, Sub, Up, Average, Paeth.
    lines = [
        [0, 10, 20, 40, 50],
        [1, 1, 2, 4, 5],
        [2, 1, 1, 255, 255],
        [3, 10, 10, 10, 10],
        [4, 1, 1, 1, 1],
    ]
    expected = [
        [[10, 20], [40, 50]],
        [[1, 2], [5, 7]],
        [[2, 3], [4, 6]],
        [[11, 11], [17, 18]],
        # Left of the first pixel is 0, so is the corner: Paeth takes the one above.  For the second pixel the estimate
        # left + above - corner is 18, 19; the one above is nearest.
        [[12, 12], [18, 19]],
    ]
    assert decode(png(2, 5, 16, 0, b"".join(map(bytes, lines)))).tolist() == (np.array(expected) @ (256, 1)).tolist()


def test_paeth_prefers_left_then_above_then_corner() -> None:
    first, second = [0, 50, 50, 10], [4, 0, 0, 0]
    # Pixel 0: only above (50).  Pixel 1: left 50, above 50, corner 50: left.  Pixel 2: left 50, above 10, corner 50:
    # estimate 10, above.
    assert decode(png(3, 2, 8, 0, bytes(first + second))).tolist() == [[50, 50, 10], [50, 50, 10]]
    # left 0, above 4, corner 2: estimate 2, the corner is nearest.
    assert decode(png(2, 2, 8, 0, bytes([0, 2, 4, 2, 254, 0]))).tolist() == [[2, 4], [0, 4]]
    assert decode(png(2, 2, 8, 0, bytes([0, 2, 4, 4, 254, 0]))).tolist() == [[2, 4], [0, 2]]


@pytest.mark.parametrize("pixel_bytes", [1, 2, 3, 4, 6, 8])
def test_compiled_and_interpreted_agree(pixel_bytes: int) -> None:
    lines = np.random.default_rng(pixel_bytes).integers(0, 256, (15, 1 + 5 * pixel_bytes), np.uint8)
    lines[:, 0] = np.arange(15) % 5
    interpreted = lines.copy()
    unfilter(lines, pixel_bytes)
    unfilter.py_func(interpreted, pixel_bytes)
    assert np.array_equal(lines, interpreted)


def test_row_0_is_the_top_and_bytes_repeat(tmp_path: Path) -> None:
    pixels = np.arange(2000 * 700, dtype=np.uint32).reshape(2000, 700).astype(np.uint16)  # several strips
    write_png(tmp_path / "a.png", pixels)
    write_png(tmp_path / "b.png", np.asfortranarray(pixels))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with Image.open(tmp_path / "a.png") as image:
        assert np.array_equal(np.asarray(image), pixels)
    write_png(tmp_path / "c.png", pixels[::-1, ::2])
    assert np.array_equal(read_png(tmp_path / "c.png"), pixels[::-1, ::2])


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((2, 2), np.float32),
        np.zeros((2, 2), np.int16),
        np.zeros((2, 2, 2), np.uint8),
        np.zeros((2, 2, 5), np.uint8),
        np.zeros(4, np.uint8),
        np.zeros((0, 4), np.uint8),
        np.zeros((1, 2, 2, 3), np.uint8),
    ],
    ids=lambda p: f"{p.dtype}{p.shape}",
)
def test_what_is_no_image_is_refused_before_anything_is_written(tmp_path: Path, pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"^pixels (are|have)"):
        write_png(tmp_path / "new" / "land.png", pixels)
    assert not list(tmp_path.iterdir())


ONE = bytes([0, 7])
GREY = png(1, 1, 8, 0, ONE)
HEADER_END = 8 + 25


@pytest.mark.parametrize(
    ("data", "reason"),
    {
        "empty": (b"", "empty"),
        "no png": (b"BM" + bytes(60), "not a PNG"),
        "jpeg called png": (b"\xff\xd8\xff\xe0" + bytes(60), "not a PNG"),
        "no header": (SIGNATURE + chunk(b"IDAT", zlib.compress(ONE)) + chunk(b"IEND", b""), "start with a header"),
        "header short": (SIGNATURE + chunk(b"IHDR", bytes(12)) + GREY[HEADER_END:], "13"),
        "no columns": (png(0, 1, 8, 0, ONE), "size of 1 rows × 0 columns"),
        "no rows": (png(1, 0, 8, 0, ONE), "size of 0 rows × 1 columns"),
        "too wide": (png(16385, 1, 8, 0, ONE), "16385"),
        "huge": (png(2**31 - 1, 2**31 - 1, 16, 0, ONE), "2147483647"),
        "depth 3": (png(1, 1, 3, 0, ONE), "do not exist"),
        "depth 1": (png(1, 1, 1, 0, ONE), "1 bits a channel"),
        "depth 4": (png(1, 1, 4, 0, ONE), "4 bits a channel"),
        "colour 1": (png(1, 1, 8, 1, ONE), "do not exist"),
        "interlaced": (png(1, 1, 8, 0, ONE, interlaced=1), "interlaced"),
        "unknown filter": (png(1, 1, 8, 0, bytes([5, 7])), "unknown row filter"),
        "too few pixels": (png(2, 1, 8, 0, ONE), "cut short"),
        "too many pixels": (png(1, 1, 8, 0, bytes(3)), "more data"),
        "lie about size": (png(16384, 16384, 16, 0, ONE), "cut short"),
        "bomb": (png(2, 2, 8, 0, bytes(50_000_000)), "more data"),
        "not deflate": (SIGNATURE + GREY[8:HEADER_END] + chunk(b"IDAT", b"no!") + chunk(b"IEND", b""), "unpacked"),
        "pixels without their end": (
            SIGNATURE + GREY[8:HEADER_END] + chunk(b"IDAT", zlib.compress(ONE)[:-2]) + chunk(b"IEND", b""),
            "cut short",
        ),
        "pixels with a wrong sum": (
            SIGNATURE + GREY[8:HEADER_END] + chunk(b"IDAT", zlib.compress(ONE)[:-1] + b"!") + chunk(b"IEND", b""),
            "unpacked",
        ),
        "no pixels": (SIGNATURE + GREY[8:HEADER_END] + chunk(b"IEND", b""), "cut short"),
        "no end": (GREY[:-12], "cut short"),
        "something behind": (GREY + b"\0", "followed by something"),
        "end not empty": (GREY[:-12] + chunk(b"IEND", b"x"), "followed by something"),
        "more behind the pixels": (
            SIGNATURE + GREY[8:HEADER_END] + chunk(b"IDAT", zlib.compress(ONE) + b"x") + chunk(b"IEND", b""),
            "more data",
        ),
        "pixels in two places": (
            GREY[:-12] + chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
            "not in one piece",
        ),
        "unknown part": (png(1, 1, 8, 0, ONE, XYZW=b""), "unknown part 'XYZW'"),
        "length beyond the end": (GREY[:HEADER_END] + b"\x7f\xff\xff\xff" + GREY[HEADER_END + 4 :], "cut short"),
    }.values(),
)
def test_each_fault_is_one_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "Höhe.png"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=reason) as caught:
        preview_elevation(path)
    assert str(caught.value).startswith(f"cannot read {path}: ")


def test_other_parts_are_passed_over() -> None:
    assert decode(png(1, 1, 8, 0, ONE, tEXt=b"a\0b", gAMA=bytes(4))).tolist() == [[7]]


def test_every_cut_is_found() -> None:
    whole = (Path(__file__).parent.parent / "data" / "big_tujunga_64_u16.png").read_bytes()
    assert decode(whole).shape == (64, 64)
    for end in [*range(64), *range(64, len(whole), 101), len(whole) - 1]:
        with pytest.raises(ValueError, match="PNG"):
            decode(whole[:end])


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", np.arange(12, dtype=np.uint16).reshape(3, 4) * 5000)
    whole = (tmp_path / "a.png").read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            with pytest.raises(ValueError, match=r"PNG|size of"):
                decode(bytes(damaged))
