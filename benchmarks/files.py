"""Files beside their peers: elevation in, maps out.

Peers and we run in one process, the best of several runs counts.  ``python build.py bench files`` prints the table.
Files go to a temporary folder; what is measured includes writing them.
"""

import argparse
import json
import os
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _timing import best_of

from terrain_addon.files.elevation import preview_elevation, read_elevation
from terrain_addon.files.exr import write_exr
from terrain_addon.files.heightmaps import height_to_uint16
from terrain_addon.files.png import write_png
from terrain_addon.files.resampling import resample_spacing


def some_land(side: int) -> np.ndarray:
    """Rough land from 0 to about 1200 m: random heights at ten resolutions, each half as high as the one before."""
    random = np.random.default_rng(1)
    land = np.zeros((side, side), np.float32)
    for octave in range(10):
        coarse = random.random((5 << octave, 5 << octave), np.float32) * np.float32(600.0 / 2**octave)
        step = (side - 1) / (len(coarse) - 1)
        land += resample_spacing(coarse, (step, step), 1.0)
    return land - land.min()


def survey_tile(folder: Path, land: np.ndarray) -> Path:
    """A GeoTIFF like those of surveys, 643 × 1197 int16 in UTM, in plain tiles of 128."""
    heights = np.rint(land[:643, :1197]).astype("<i2")
    padded = np.pad(heights, ((0, -643 % 128), (0, -1197 % 128)), mode="edge")
    tiles = [padded[r : r + 128, c : c + 128].tobytes() for r in range(0, 643, 128) for c in range(0, 1197, 128)]
    return write_tiff(folder / "survey.tif", heights, tiles, packing=1)


def deflated_tile(folder: Path, land: np.ndarray) -> Path:
    """A large GeoTIFF of float32, deflated in tiles of 256."""
    heights = land.astype("<f4")
    rows, columns = heights.shape
    tiles = [
        zlib.compress(np.ascontiguousarray(heights[r : r + 256, c : c + 256]).tobytes(), 6)
        for r in range(0, rows, 256)
        for c in range(0, columns, 256)
    ]
    return write_tiff(folder / "large.tif", heights, tiles, packing=8, side=256)


def write_tiff(path: Path, heights: np.ndarray, tiles: list[bytes], packing: int, side: int = 128) -> Path:
    starts = np.cumsum([8, *map(len, tiles)])
    after = int(starts[-1])
    rows, columns = heights.shape
    kind = {"i": 2, "f": 3}[heights.dtype.kind]
    fields = [(256, 4, [columns]), (257, 4, [rows]), (258, 3, [8 * heights.itemsize]), (259, 3, [packing])]
    fields += [(262, 3, [1]), (277, 3, [1]), (322, 3, [side]), (323, 3, [side])]
    fields += [(324, 4, list(starts[:-1])), (325, 4, list(map(len, tiles))), (339, 3, [kind])]
    fields += [(33550, 12, [30.0, 30.0, 0.0]), (33922, 12, [0.0, 0.0, 0.0, 4e5, 4e6, 0.0])]
    directory, values = struct.pack("<H", len(fields)), b""
    start = after + 6 + 12 * len(fields)
    for tag, kind_of_value, numbers in fields:
        data = struct.pack(f"<{len(numbers)}{ {3: 'H', 4: 'I', 12: 'd'}[kind_of_value] }", *numbers)
        place = data.ljust(4, b"\0") if len(data) <= 4 else struct.pack("<I", start + len(values))
        values += data if len(data) > 4 else b""
        directory += struct.pack("<HHI", tag, kind_of_value, len(numbers)) + place
    head = struct.pack("<2sHI", b"II", 42, after)
    path.write_bytes(head + b"".join(tiles) + directory + struct.pack("<I", 0) + values)
    return path


def pillow_png(levels: np.ndarray, path: Path) -> Callable[[], Any] | None:
    try:
        from PIL import Image
    except ImportError:
        return None
    return lambda: Image.fromarray(levels).save(path, compress_level=1)


def tifffile_read(path: Path) -> Callable[[], Any] | None:
    try:
        import tifffile
    except ImportError:
        return None
    return lambda: tifffile.imread(path)


def plain_deflate(levels: np.ndarray) -> Callable[[], Any]:
    """What the compression of a PNG costs in one thread, with nothing around it: the yardstick of this machine."""
    rows = levels.astype(">u2").view(np.uint8)
    filtered = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.uint8)).tobytes()
    return lambda: zlib.compress(filtered, 1)


def measure(side: int, folder: Path) -> dict[str, tuple[float, float]]:
    """Return milliseconds, and what they aim to stay below (0 for a peer), by what was done."""
    land = some_land(side)
    levels, _, _ = height_to_uint16(land)
    small, large = survey_tile(folder, land), deflated_tile(folder, land)
    np.save(folder / "plain.npy", land)
    write_png(folder / "levels.png", levels)
    size = f"{side}²"
    work: dict[str, tuple[Callable[[], Any] | None, float]] = {
        f"ours: 16-bit PNG {size}, written": (lambda: write_png(folder / "levels.png", levels), 500.0),
        "deflate of the same, nothing else, 1 thread": (plain_deflate(levels), 0.0),
        "Pillow, the same PNG at level 1": (pillow_png(levels, folder / "pillow.png"), 0.0),
        f"ours: 16-bit PNG {size}, imported": (lambda: read_elevation(folder / "levels.png"), 0.0),
        f"ours: 32-bit EXR {size}, written": (lambda: write_exr(folder / "land.exr", {"Y": land}), 0.0),
        f"ours: 32-bit EXR {size}, imported": (lambda: read_elevation(folder / "land.exr"), 0.0),
        "ours: GeoTIFF int16 643 × 1197, imported": (lambda: read_elevation(small), 500.0),
        "tifffile, the same, not flipped or checked": (tifffile_read(small), 0.0),
        f"ours: GeoTIFF float32 {size} deflated, imported": (lambda: read_elevation(large), 0.0),
        "ours: a quarter of its sides of the same": (
            lambda: read_elevation(large, crop=(0.25, 0.25, 0.5, 0.5)),
            0.0,
        ),
        "ours: preview of the same": (lambda: preview_elevation(large), 0.0),
        f"ours: npy float32 {size}, imported": (lambda: read_elevation(folder / "plain.npy"), 0.0),
    }
    return {name: (best_of(5, task), aim) for name, (task, aim) in work.items() if task is not None}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=4096, help="samples of the map's side (default: 4096)")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.side, Path(folder))
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, zlib {zlib.ZLIB_RUNTIME_VERSION}\n")
    print(f"| {'files':50} |      ms | aim |\n|{'-' * 52}|---------|-----|")
    for name, (time_taken, aim) in figures.items():
        print(f"| {name:50} | {time_taken:7.1f} | {f'{aim:.0f}' if aim else '–':>3} |")
    if options.json:
        options.json.write_text(json.dumps({name: taken for name, (taken, _) in figures.items()}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
