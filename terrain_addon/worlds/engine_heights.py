"""Heights of a finished world for engines: one file for each tile, all in the same range, with shared rims.

Where tiles meet, both have the same samples, so no gap opens between them.  One tile is held in memory at a time.

References
----------
Unreal Engine documentation: "Landscape Technical Guide" (sizes and names of tiles).
Unity documentation: TerrainData.heightmapResolution, "Working with Heightmaps".
Terrain3D documentation: "Importing & Exporting Data".
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.resampling import resample
from ..core.foundation.terrain import Field
from ..core.tiling.blocks import Block
from ..files.engines.tiled_land import FULL_SCALE
from ..files.png import write_png
from .building import open_world
from .store import Store
from .tiles import clipped
from .world import World

Levels = npt.NDArray[np.uint16]

_MARGIN = 3  # samples around a tile on which resampling depends
_LEAST_RANGE = 1.0  # metres
_UNREAL_SAMPLES = (127, 253, 505, 1009, 2017, 4033, 8129)
_UNITY_SAMPLES = tuple(2**power + 1 for power in range(5, 13))


class _Engine(NamedTuple):
    """Samples of a tile that an engine takes, the name of a tile by column, row and rows, and how it is written."""

    samples: Callable[[int], int | None]
    name: Callable[[int, int, int], str]
    write: Callable[[Path, Levels], None]


def write_engine_heights(folder: Path, out: Path, engine: str) -> list[Path]:
    """Write the heights of a finished world, tile by tile.

    Parameters
    ----------
    folder : Path
        Of the world.
    out : Path
        Folder for the files.
    engine : {'unreal', 'unity', 'godot'}
        Unreal: 16-bit PNG, row 0 north, ``_x_y`` counted from the north-west, resampled to the size that it takes next
        below.  Unity: RAW, little-endian, row 0 south, ``_X_Z`` from the south-west.  Godot (Terrain3D): r16,
        little-endian, row 0 north, ``_x_y`` from the north-west.

    Returns
    -------
    list of Path
        The files, the last one ``heights.json`` with range, sizes and scales.

    Raises
    ------
    ValueError
        If the tiles of the world do not fit the engine.
    """
    if engine not in ENGINE_HEIGHTS:
        raise ValueError(f"engine = {engine!r} is none of: {', '.join(ENGINE_HEIGHTS)}")
    world, store, kind = open_world(folder), Store(folder), ENGINE_HEIGHTS[engine]
    land = world.land(world.levels)
    cells = min(world.tile, land.rows - 1, land.columns - 1)
    samples = kind.samples(cells)
    if samples is None or (land.rows - 1) % cells or (land.columns - 1) % cells:
        raise ValueError(
            f"tiles of {cells} cells of a world of {land.rows} × {land.columns} samples do not fit {engine}; make a "
            f"world of whole tiles, for Unity with 32, 64, … 4096 cells a side"
        )
    down, across = (land.rows - 1) // cells, (land.columns - 1) // cells
    low, high = _height_range(world, store)
    out.mkdir(parents=True, exist_ok=True)
    files = []
    for row in range(down):
        for column in range(across):
            heights = _heights_of(
                store, Block(row * cells, column * cells, cells + 1, cells + 1), land.shape, samples, (low, high)
            )
            levels = np.rint((heights.astype(np.float64) - low) * (FULL_SCALE / (high - low)))
            files.append(out / kind.name(column, row, down))
            kind.write(files[-1], levels.astype(np.uint16))
    spacing = land.cell_size * cells / (samples - 1)
    about: dict[str, Any] = {
        "engine": engine,
        "tiles": {"rows": down, "columns": across},
        "samples": samples,
        "lowest": low,
        "highest": high,
        "spacing": spacing,
        "tile_size": land.cell_size * cells,
        "byte_order": "little",
        "row_0": "south" if engine == "unity" else "north",
        "unreal_scale": [100.0 * spacing, 100.0 * spacing, (high - low) * 12800.0 / FULL_SCALE],
        "unreal_z": 100.0 * (low + (high - low) * 32768.0 / FULL_SCALE),
    }
    files.append(out / "heights.json")
    files[-1].write_text(json.dumps(about, indent=1), encoding="utf-8")
    return files


def _height_range(world: World, store: Store) -> tuple[float, float]:
    """Return the lowest and highest height of the world in metres."""
    blocks, low, high = world.blocks(world.levels), np.inf, -np.inf
    for row in range(blocks.down):
        for column in range(blocks.across):
            heights = store.read("surface", blocks.at(row, column))
            low, high = min(low, float(heights.min())), max(high, float(heights.max()))
    return low, max(high, low + _LEAST_RANGE)


def _heights_of(store: Store, tile: Block, land: tuple[int, int], samples: int, heights: tuple[float, float]) -> Field:
    """Return a tile at the size of an engine; on its rim are samples that the tile beside it has too.

    Heights are cut off at the lowest and highest of the world: a spline swings a little beyond its samples.
    """
    if samples == tile.rows:
        return np.asarray(store.read("surface", tile))
    around = clipped(tile.grown(_MARGIN), land)
    source = store.read("surface", around)
    places = np.linspace(0.0, tile.rows - 1.0, samples)
    rows, columns = places + (tile.first_row - around.first_row), places + (tile.first_column - around.first_column)
    return resample(source, rows, columns, 1.0, heights)


def _name_from_north(ending: str) -> Callable[[int, int, int], str]:
    return lambda column, row, rows: f"height_x{column}_y{rows - 1 - row}.{ending}"


def _write_raw(file: Path, levels: Levels) -> None:
    file.write_bytes(levels.astype("<u2").tobytes())


ENGINE_HEIGHTS = {
    "unreal": _Engine(
        lambda cells: max((size for size in _UNREAL_SAMPLES if size <= cells + 1), default=None),
        _name_from_north("png"),
        lambda file, levels: write_png(file, np.ascontiguousarray(levels[::-1])),
    ),
    "unity": _Engine(
        lambda cells: cells + 1 if cells + 1 in _UNITY_SAMPLES else None,
        lambda column, row, rows: f"height_{column}_{row}.raw",
        _write_raw,
    ),
    "godot": _Engine(
        lambda cells: cells + 1,
        _name_from_north("r16"),
        lambda file, levels: _write_raw(file, levels[::-1]),
    ),
}
"""By the name of the engine."""
