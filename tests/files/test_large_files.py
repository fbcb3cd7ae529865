"""Small files that unpack to something large: their size is known before, and no piece is unpacked twice."""

import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from terrain_addon.core.foundation import memory
from terrain_addon.files import geotiff
from terrain_addon.files.elevation import preview_elevation, read_elevation
from terrain_addon.files.png import write_png
from tests.files.tiff_writer import make_tiff

pytestmark = pytest.mark.once

SIDE = 4096
PEAK = """
import resource, sys
from terrain_addon.files.elevation import preview_elevation, read_elevation

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
(preview_elevation if sys.argv[2] == "preview" else read_elevation)(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Level land of 4096 × 4096 samples, each file below a megabyte but the text."""
    folder = tmp_path_factory.mktemp("large")
    level = np.zeros((SIDE, SIDE), np.float32)
    np.savez_compressed(folder / "land.npz", elevation=level.astype(np.float64))
    np.savez_compressed(folder / "columns_first.npz", elevation=np.asfortranarray(level))
    write_png(folder / "land.png", level.astype(np.uint16))
    for name, packing, predictor in (("deflate", 8, 1), ("differences", 8, 2), ("planes", 8, 3), ("lzw", 5, 1)):
        small = level if packing == 8 else level[:512]
        (folder / f"{name}.tif").write_bytes(make_tiff(small, packing=packing, predictor=predictor))
    return {path.stem if path.suffix == ".tif" else path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize(
    "name", ["land.npz", "columns_first.npz", "land.png", "deflate", "differences", "planes", "lzw"]
)
def test_what_does_not_fit_is_refused_before_it_is_unpacked(
    files: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10 * 2**20)
    memory.forget_free_memory()
    started = time.process_time()
    with pytest.raises(ValueError, match=r"needs about .* of memory, 10 MiB are free; crop the land"):
        read_elevation(files[name])
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(("what", "most"), [("preview", 60), ("read", 330)])
def test_an_archive_is_never_in_memory_as_a_whole(files: dict[str, Path], what: str, most: int) -> None:
    pytest.importorskip("resource", reason="a system that says how much memory a process had")
    command = [sys.executable, "-c", PEAK, str(files["land.npz"]), what]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    mebibytes = int(ran.stdout) / 1024 / (1024 if sys.platform == "darwin" else 1)
    assert mebibytes < most, f"{what} took {mebibytes:.0f} MiB; the heights are {SIDE * SIDE * 4 >> 20} MiB"


@pytest.mark.parametrize("name", ["deflate", "differences", "planes", "lzw"])
@pytest.mark.parametrize("work", [preview_elevation, read_elevation])
def test_a_strip_is_unpacked_once(
    files: dict[str, Path], name: str, work: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = []
    inflate, unpack = zlib.decompressobj, geotiff.unpack_lzw
    monkeypatch.setattr(zlib, "decompressobj", lambda: (unpacked.append("deflate"), inflate())[1])
    monkeypatch.setattr(geotiff, "unpack_lzw", lambda *given: (unpacked.append("lzw"), unpack(*given))[1])
    work(files[name])  # type: ignore[operator]
    assert len(unpacked) == 1


def test_bands_give_the_heights_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heights = np.random.default_rng(3).normal(500.0, 200.0, (151, 101)).astype(np.float32)
    np.savez_compressed(tmp_path / "a.npz", elevation=heights)
    np.savez_compressed(tmp_path / "b.npz", elevation=np.asfortranarray(heights))
    np.save(tmp_path / "c.npy", heights)
    for number, kinds in enumerate(
        ({"packing": 8, "strip_rows": 37}, {"packing": 8, "tile": (32, 48)}, {}, {"packing": 5})
    ):
        (tmp_path / f"{number}.tif").write_bytes(make_tiff(heights, **kinds))
    for crop in ((0.0, 0.0, 1.0, 1.0), (0.2, 0.1, 0.7, 0.9)):
        for path in sorted(tmp_path.iterdir()):
            whole = read_elevation(path, crop=crop).heights
            with monkeypatch.context() as few:
                few.setattr("terrain_addon.files.elevation._SAMPLES_AT_A_TIME", 700)
                np.testing.assert_array_equal(read_elevation(path, crop=crop).heights, whole, err_msg=path.name)
    np.testing.assert_array_equal(read_elevation(tmp_path / "2.tif").heights[::-1], heights)
