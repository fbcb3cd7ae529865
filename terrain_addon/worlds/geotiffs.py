"""Arrays of a finished world as cloud-optimised GeoTIFF, by rasterio.

References
----------
GDAL documentation, "COG: Cloud Optimized GeoTIFF generator".
OGC Cloud Optimized GeoTIFF Standard, version 1.0, OGC 21-026 (2023).
"""

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ..core.tiling.blocks import Block
from ..files.writing import write_together
from .building import open_world
from .clients import map_ahead
from .finishing_phases import finished_arrays
from .libraries import load_library
from .running import Report, WorldProgress
from .store import Store
from .world import World

PIXELS_OF_TILE = 512
"""Pixels along a side of a tile of a file."""
_CACHE = 256 * 2**20  # bytes that GDAL keeps in memory
_WHILE_PACKED = 2.5  # bytes on the disk for each of the array: unpacked, its overviews, and packed
_PLACE = 'LOCAL_CS["land",UNIT["metre",1],AXIS["east",EAST],AXIS["north",NORTH]]'


def write_geotiffs(
    folder: str | os.PathLike[str], out: str | os.PathLike[str], report: Report | None = None, client: Any = None
) -> list[Path]:
    """Write each array of a finished world as a cloud-optimised GeoTIFF: tiles of 512 pixels, deflate, overviews.

    Row 0 is north.  A pixel is a sample; x and y are metres east and north of the south-west sample.  Arrays are read
    block by block, and GDAL keeps 256 MiB, so memory does not grow with the world.  While an array is packed, it lies
    beside its file unpacked.

    Parameters
    ----------
    folder : path
        Of the world.
    out : path
        Folder for the files, such as ``surface.tif`` and ``slope.tif``.
    report : callable, optional
        Called with a `WorldProgress` after every file.
    client : distributed.Client, optional
        Workers of Dask that see the same folders; each writes one file at a time.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If there is no finished world, rasterio is missing, or a file cannot be written.
    """
    load_library("rasterio")
    names = list(finished_arrays(open_world(folder)))
    files = []
    with write_together(out) as part:
        for file in map_ahead(client, partial(_write_array, Path(folder).absolute(), part.absolute()), names):
            files.append(Path(out, file))
            if report is not None:
                report(WorldProgress(file, len(files) / len(names), None))
    return files


def _write_array(folder: Path, out: Path, name: str) -> str:
    """Write an array of a world; return the name of its file."""
    world, store = open_world(folder), Store(folder)
    file = f"{name.removeprefix('maps/')}.tif"
    raw = out / f"raw {file}"
    land, dtype = world.land(world.levels), store.array(name).dtype
    bytes_needed = int(_WHILE_PACKED * land.rows * land.columns * dtype.itemsize)
    with _said_plainly(file, out, bytes_needed), _in_silence(), load_library("rasterio").Env(GDAL_CACHEMAX=_CACHE):
        written = _write_raw(world, store, name, raw)
        _pack(raw, out / file, is_code=dtype == np.uint8)
        # GDAL may say nothing of what it could not write while it closed a file.
        if _read_again(world, out / file) != written:
            raise OSError(errno.EIO, "the file does not hold what was written")
    raw.unlink()
    return file


@contextmanager
def _said_plainly(file: str, out: Path, bytes_needed: int) -> Iterator[None]:
    """Say in one sentence why GDAL could not write a file; it names a place within TIFF even if the disk is full."""
    try:
        yield
    except (OSError, load_library("rasterio._err").CPLE_BaseError) as error:
        free, why = shutil.disk_usage(out).free, " ".join(str(error).split())
        if free < bytes_needed:
            why = f"{free / 1e6:.0f} MB are free on the disk, and packing it takes up to {bytes_needed / 1e6:.0f} MB"
        raise ValueError(f"cannot write {file}: {why}") from error


@contextmanager
def _in_silence() -> Iterator[None]:
    """Keep libtiff from printing lines of its own when the disk is full: it writes past Python to file descriptor 2."""
    sys.stderr.flush()
    before = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(nothing)


def _windows(world: World) -> Iterator[tuple[Block, Any]]:
    """Go through the blocks of a world, each with the pixels that it takes in a file."""
    rows, blocks = world.land(world.levels).rows, world.blocks(world.levels)
    window = load_library("rasterio.windows").Window
    for number in range(blocks.down * blocks.across):
        block = blocks.at(*divmod(number, blocks.across))
        north = rows - block.first_row - block.rows
        yield block, window(block.first_column, north, block.columns, block.rows)


def _read_again(world: World, file: Path) -> list[int]:
    """Return the checksum of each block in a file."""
    with load_library("rasterio").open(file) as source:
        return [crc32(source.read(1, window=window).data) for _, window in _windows(world)]


def _write_raw(world: World, store: Store, name: str, file: Path) -> list[int]:
    """Write an array without packing, block by block; return the checksum of each."""
    rasterio, land = load_library("rasterio"), world.land(world.levels)
    half, cell = 0.5 * land.cell_size, land.cell_size
    profile = {
        "driver": "GTiff",
        "height": land.rows,
        "width": land.columns,
        "count": 1,
        "dtype": store.array(name).dtype,
        "crs": rasterio.CRS.from_wkt(_PLACE),
        "transform": rasterio.Affine(cell, 0.0, -half, 0.0, -cell, land.depth + half),
        "tiled": True,
        "blockxsize": PIXELS_OF_TILE,
        "blockysize": PIXELS_OF_TILE,
        "bigtiff": "IF_SAFER",
    }
    checksums = []
    with rasterio.open(file, "w", **profile) as target:
        target.update_tags(AREA_OR_POINT="Point")
        target.set_band_description(1, name)
        for block, window in _windows(world):
            values = np.ascontiguousarray(store.read(name, block)[::-1])
            checksums.append(crc32(values.data))
            target.write(values, 1, window=window)
    return checksums


def _pack(raw: Path, file: Path, *, is_code: bool) -> None:
    """Turn a plain GeoTIFF into a cloud-optimised one; codes are picked for overviews, amounts are averaged."""
    load_library("rasterio.shutil").copy(
        raw,
        file,
        driver="COG",
        blocksize=PIXELS_OF_TILE,
        compress="DEFLATE",
        predictor="YES",
        overview_resampling="NEAREST" if is_code else "AVERAGE",
        bigtiff="IF_SAFER",
        num_threads="ALL_CPUS",
    )
