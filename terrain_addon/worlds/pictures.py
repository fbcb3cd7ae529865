"""Pictures of worlds: the land as light falls on it from the north-west, its rivers and standing water."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.building.landscape import build
from ..core.building.recipe import Recipe
from ..core.flow.rivers import width_of_rivers
from ..core.foundation.compilation import Array
from ..core.foundation.terrain import Field
from ..core.maps.slope import surface_normals
from ..core.tiling.blocks import Block
from ..files.inputs import read_inputs
from ..files.png import Pixels, write_png
from .building import open_world
from .store import Store
from .tiles import clipped, part_of
from .world import World

LOOK_SAMPLES = 513
_LIGHT = np.array([-0.53, 0.53, 0.66], np.float32)
_WATER = np.array([60, 110, 190], np.uint8)
_BRIGHTEST = np.float32(235.0)
_WIDEST = 64  # samples from the middle of a river to its banks

_Mask = npt.NDArray[np.bool_]


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
    is_wet = land.maps["water_depth"] > 0.0
    if land.waters is not None:
        rivers = land.waters.rivers
        is_wet = land.waters.water_depth > 0.0
        _flood(is_wet, np.divmod(rivers.cell, is_wet.shape[1]), rivers.width / small.cell_size)
    write_png(file, _coloured(_lit(land.terrain.surface, small.cell_size), is_wet))


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
    check_pictured(world, window)
    # With what reaches in from around, so that pictures of windows side by side fit.
    land = world.land(world.levels)
    around, cell = clipped(window.grown(_WIDEST + 1), land.shape), land.cell_size
    light = _lit(store.read("surface", around), cell)
    is_wet = store.read("water_depth", around) > 0.0
    width = river_widths(world, store.read("drainage", around))
    place = np.nonzero(width)
    _flood(is_wet, place, width[place] / cell)
    write_png(file, _coloured(part_of(light, around, window), part_of(is_wet, around, window)))


def check_pictured(world: World, window: Block) -> None:
    """Refuse a window that `picture_window` cannot show of a world, which need not be there yet.

    Parameters
    ----------
    world : World
        Of which a picture is asked for.
    window : Block
        Which samples; row 0 is south.

    Raises
    ------
    ValueError
        If the window lies outside the world, or has fewer than 2 rows or columns.
    """
    rows, columns = world.land(world.levels).shape
    north, east = window.first_row + window.rows, window.first_column + window.columns
    if min(window.shape) < 2:
        raise ValueError(f"the window has {window.rows} × {window.columns} samples; it needs at least 2 × 2")
    if min(window.first_row, window.first_column) < 0 or north > rows or east > columns:
        raise ValueError(
            f"the window covers rows {window.first_row} to {north - 1} and columns {window.first_column} to "
            f"{east - 1}, outside 0 to {rows - 1} and 0 to {columns - 1}"
        )


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
    surface, is_wet = np.empty(shape, np.float32), np.zeros(shape, bool)
    for row in range(blocks.down):
        for column in range(blocks.across):
            block = blocks.at(row, column)
            south, west = -block.first_row % every, -block.first_column % every
            r, c = -(-block.first_row // every), -(-block.first_column // every)
            seen, lakes = (store.read(name, block)[south::every, west::every] for name in ("surface", "water_depth"))
            surface[r : r + seen.shape[0], c : c + seen.shape[1]] = seen
            is_wet[r : r + seen.shape[0], c : c + seen.shape[1]] |= lakes > 0.0
            width = river_widths(world, store.read("drainage", block))
            place = np.nonzero(width)
            # A pixel is as many samples wide, and a river runs through those that its samples are nearest to.
            near = tuple(
                np.minimum((at + first + every // 2) // every, size - 1)
                for at, first, size in zip(place, (block.first_row, block.first_column), shape)
            )
            _flood(is_wet, near, width[place] / (land.cell_size * every))
    write_png(file, _coloured(_lit(surface, land.cell_size * every), is_wet))


def river_widths(world: World, drainage: Field) -> Field:
    """Return how wide the rivers of a world are.

    Parameters
    ----------
    world : World
    drainage : ndarray of float32
        Of samples of it, in m².

    Returns
    -------
    ndarray of float32, the same shape
        Metres; 0 where no river runs.  Lakes may have widths too: water flows through them.
    """
    water = world.recipe.water
    is_river = drainage >= water.river_source_area
    widths: Field = np.where(is_river, width_of_rivers(drainage, water.river_width), np.float32(0.0))
    return widths


def _flood(is_wet: _Mask, place: tuple[Array, ...], width: Field) -> None:
    """Mark in place all samples that rivers cover, which are so many samples wide at these places."""
    reach = np.minimum(0.5 * width, _WIDEST)
    for radius in np.unique(reach.astype(np.int64)).tolist():
        here = reach.astype(np.int64) == radius
        down, across = (part.ravel() for part in np.mgrid[-radius : radius + 1, -radius : radius + 1])
        within = down * down + across * across <= radius * radius
        row, column = (
            np.clip(at[here][:, np.newaxis] + off[within], 0, size - 1)
            for at, off, size in zip(place, (down, across), is_wet.shape)
        )
        is_wet[row, column] = True


def _lit(surface: Field, cell_size: float) -> Field:
    """Return how bright each sample is, 0 to 1."""
    light: Field = np.clip(surface_normals(surface, cell_size) @ _LIGHT, 0.0, 1.0)
    return light


def _coloured(light: Field, is_wet: _Mask) -> Pixels:
    pixels = np.repeat((_BRIGHTEST * light).astype(np.uint8)[..., np.newaxis], 3, axis=2)
    pixels[is_wet] = _WATER
    return np.ascontiguousarray(pixels[::-1])
