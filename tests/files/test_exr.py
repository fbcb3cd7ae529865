"""EXR: read back by Blender, and by a decoder that knows nothing of ours."""

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrain_addon.files.exr import write_exr


def decode(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A slow reader of scanline EXR with ZIP compression, byte by byte after the file layout document."""
    assert struct.unpack_from("<2i", data) == (20000630, 2)
    place, attributes = 8, {}
    while data[place]:
        name_end = data.index(0, place)
        kind_end = data.index(0, name_end + 1)
        (size,) = struct.unpack_from("<i", data, kind_end + 1)
        start = kind_end + 5
        attributes[data[place:name_end].decode()] = data[start : start + size]
        place = start + size
    place += 1
    names, rest = [], attributes["channels"]
    while rest[0]:
        name, rest = rest.split(b"\0", 1)
        assert struct.unpack_from("<i", rest) == (2,)
        assert struct.unpack_from("<2i", rest, 8) == (1, 1)
        names.append(name.decode())
        rest = rest[16:]
    west, north, east, south = struct.unpack("<4i", attributes["dataWindow"])
    assert (west, north) == (0, 0)
    rows, columns = south + 1, east + 1
    image = {name: np.empty((rows, columns), np.float32) for name in names}
    blocks = -(-rows // 16)
    ends = []
    for offset in struct.unpack_from(f"<{blocks}Q", data, place):
        first, size = struct.unpack_from("<2i", data, offset)
        packed = data[offset + 8 : offset + 8 + size]
        ends.append(offset + 8 + size)
        last = min(first + 16, rows)
        full = (last - first) * columns * 4 * len(names)
        if size < full:
            mixed = bytearray(zlib.decompress(packed))
            for i in range(1, len(mixed)):
                mixed[i] = (mixed[i - 1] + mixed[i] - 128) % 256
            half = (len(mixed) + 1) // 2
            packed = bytes(mixed[i // 2 if i % 2 == 0 else half + i // 2] for i in range(len(mixed)))
        values = np.frombuffer(packed, "<f4").reshape(last - first, len(names), columns)
        for i, name in enumerate(names):
            image[name][first:last] = values[:, i]
    assert ends[-1] == len(data)
    return attributes, image


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint32)


def some_heights(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return (random.normal(size=(rows, columns)).cumsum(axis=0) * 100).astype(np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (15, 3), (16, 3), (17, 3), (40, 33)])
@pytest.mark.parametrize("names", ["Y", "RGB"])
def test_round_trip(tmp_path: Path, shape: tuple[int, int], names: str) -> None:
    channels = {name: some_heights(*shape, seed) for seed, name in enumerate(names)}
    write_exr(tmp_path / "land.exr", channels)
    attributes, image = decode((tmp_path / "land.exr").read_bytes())
    assert list(image) == sorted(names)
    assert attributes["compression"] == b"\3"
    for name in names:
        assert np.array_equal(bits(image[name]), bits(channels[name]))


def test_every_bit_is_kept(tmp_path: Path) -> None:
    patterns = np.random.default_rng(3).integers(0, 2**32, (20, 31), dtype=np.uint32)
    patterns[0, :5] = [
        0x7FC00001,
        0xFF800000,
        0x80000000,
        1,
        0x7F7FFFFF,
    ]  # NaN with a payload, −∞, −0, smallest, largest
    write_exr(tmp_path / "land.exr", {"Y": patterns.view(np.float32)})
    assert np.array_equal(bits(decode((tmp_path / "land.exr").read_bytes())[1]["Y"]), patterns)


def test_level_land_gets_smaller_and_bytes_repeat(tmp_path: Path) -> None:
    heights = some_heights(200, 300)
    heights[:150] = 7.25
    write_exr(tmp_path / "a.exr", {"Y": heights})
    write_exr(tmp_path / "b.exr", {"Y": np.asfortranarray(heights)})
    assert (tmp_path / "a.exr").read_bytes() == (tmp_path / "b.exr").read_bytes()
    assert (tmp_path / "a.exr").stat().st_size < heights.nbytes / 2


@pytest.mark.parametrize("names", ["Y", "RGB"])
def test_blender_reads_the_same_numbers(tmp_path: Path, names: str) -> None:
    bpy = pytest.importorskip("bpy")
    channels = {name: some_heights(37, 23, seed) for seed, name in enumerate(names)}
    write_exr(tmp_path / "land.exr", channels)
    image = bpy.data.images.load(str(tmp_path / "land.exr"))
    image.colorspace_settings.name = "Non-Color"
    assert tuple(image.size) == (23, 37)
    pixels = np.empty(23 * 37 * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    # Blender's row 0 is the bottom of the image, ours the top.
    pixels = pixels.reshape(37, 23, image.channels)[::-1]
    for i, name in enumerate(names):
        assert np.array_equal(pixels[..., i], channels[name])
    bpy.data.images.remove(image)


@pytest.mark.parametrize(
    ("channels", "reason"),
    [
        ({}, "at least one channel"),
        ({"Y": np.zeros((2, 2))}, "channel Y is float64"),
        ({"Y": np.zeros(4, np.float32)}, "shape"),
        ({"Y": np.zeros((0, 4), np.float32)}, "shape"),
        ({"R": np.zeros((2, 2), np.float32), "G": np.zeros((2, 3), np.float32)}, "channel R has shape"),
        ({"": np.zeros((2, 2), np.float32)}, "name ''"),
        ({"x" * 32: np.zeros((2, 2), np.float32)}, "1 to 31"),
        ({"a\0b": np.zeros((2, 2), np.float32)}, "ASCII"),
        ({"Höhe": np.zeros((2, 2), np.float32)}, "ASCII"),
    ],
)
def test_what_is_no_image_is_refused_before_anything_is_written(
    tmp_path: Path, channels: dict[str, np.ndarray], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        write_exr(tmp_path / "new" / "land.exr", channels)
    assert not list(tmp_path.iterdir())
