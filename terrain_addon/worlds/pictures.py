"""Pictures of worlds: the land as light falls on it from the north-west, and standing water."""

from pathlib import Path

import numpy as np

from ..core.building.landscape import build
from ..core.building.recipe import Recipe
from ..core.foundation.terrain import Field
from ..core.maps.slope import surface_normals
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from ..files.png import Pixels, write_png
from .building import open_world
from .store import Store
from .tiles import clipped, part_of

LOOK_SAMPLES = 513
_LIGHT = np.array([-0.53, 0.53, 0.66], np.float32)
_WATER = np.array([60, 110, 190], np.uint8)
_BRIGHTEST = np.float32(235.0)


def look(recipe: Recipe, file: Path) -> None:
    """Write a picture of what a recipe would become, in seconds: the land of 513 samples a side.

    Parameters
    ----------
    recipe : Recipe
        Of the world.
    file : Path
        PNG to write.
    """
    small = recipe.replace(resolution=LOOK_SAMPLES)
    land = build(small, inputs=read_inputs(small), extent="maps")
    depth = land.maps["water_depth"] if land.waters is None else land.waters.water_depth
    write_png(file, _coloured(_lit(land.terrain.surface, small.cell_size), depth))


def picture_window(folder: Path, window: Block, file: Path) -> None:
    """Write a picture of a window of a finished world at full detail.

    Parameters
    ----------
    folder : Path
        Of the world.
    window : Block
        Which samples; row 0 is south.
    file : Path
        PNG to write.

    Raises
    ------
    ValueError
        If the window lies outside the world, or has fewer than 2 rows or columns.
    """
    world, store = open_world(folder), Store(folder)
    rows, columns = world.land(world.levels).shape
    north, east = window.first_row + window.rows, window.first_column + window.columns
    if min(window.shape) < 2:
        raise ValueError(f"the window has {window.rows} × {window.columns} samples; it needs at least 2 × 2")
    if min(window.first_row, window.first_column) < 0 or north > rows or east > columns:
        raise ValueError(
            f"the window covers rows {window.first_row} to {north - 1} and columns {window.first_column} to "
            f"{east - 1}, outside 0 to {rows - 1} and 0 to {columns - 1}"
        )
    # With a sample around, so that pictures of windows side by side fit.
    around = clipped(window.grown(1), (rows, columns))
    light = _lit(store.read("surface", around), world.land(world.levels).cell_size)
    write_png(file, _coloured(part_of(light, around, window), store.read("water_depth", window)))


def picture_world(folder: Path, file: Path, longest: int = 2048) -> None:
    """Write a picture of a whole finished world, block by block.

    Parameters
    ----------
    folder : Path
        Of the world.
    file : Path
        PNG to write.
    longest : int
        Pixels along the longer side, at most.
    """
    world, store = open_world(folder), Store(folder)
    land, blocks = world.land(world.levels), world.blocks(world.levels)
    every = -(-max(land.shape) // longest)
    shape = tuple(-(-count // every) for count in land.shape)
    surface, depth = np.empty(shape, np.float32), np.empty(shape, np.float32)
    for row in range(blocks.down):
        for column in range(blocks.across):
            block = blocks.at(row, column)
            south, west = -block.first_row % every, -block.first_column % every
            for name, into in (("surface", surface), ("water_depth", depth)):
                seen = store.read(name, block)[south::every, west::every]
                r, c = -(-block.first_row // every), -(-block.first_column // every)
                into[r : r + seen.shape[0], c : c + seen.shape[1]] = seen
    write_png(file, _coloured(_lit(surface, land.cell_size * every), depth))


def _lit(surface: Field, cell_size: float) -> Field:
    """Return how bright each sample is, 0 to 1."""
    light: Field = np.clip(surface_normals(surface, cell_size) @ _LIGHT, 0.0, 1.0)
    return light


def _coloured(light: Field, depth: Field) -> Pixels:
    pixels = np.repeat((_BRIGHTEST * light).astype(np.uint8)[..., np.newaxis], 3, axis=2)
    pixels[depth > 0.0] = _WATER
    return np.ascontiguousarray(pixels[::-1])
