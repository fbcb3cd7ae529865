"""The roads and pads of a finished world, for whoever shows them: kept as JSON beside its arrays."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..core.building.drawing_stages import built_features
from ..core.direction.pads import LaidPad
from ..core.foundation.compilation import Array
from ..core.foundation.sampling import sample
from ..core.foundation.terrain import Field
from ..core.meshing.cell_diagonals import altitude_on_mesh
from ..core.meshing.pad_mesh import BuiltGround
from ..core.tiling.blocks import Block
from ..files.roads import NOTHING_BUILT, Built, built_from, road_records
from .checked_json import json_bytes, read_json, write_json
from .drawing_phases import read_works
from .tiles import ANSWERS, FOR_ALL, load_arrays
from .workshop import Workshop
from .world import Phase, World

_READ = 64  # cells along a side of what is read at once

ROADS_FILE = "roads.json"
"""Where a world keeps what is known of its roads and pads, as packages for engines have it."""


def built_on(shop: Workshop) -> Built:
    """Return the roads and pads of a world whose tiles are finished, with the volumes that its survey tells."""
    step = shop.world.step_of("works")
    if step is None:
        return NOTHING_BUILT
    phase = Phase("survey", shop.world.levels, step)
    found = load_arrays(shop.store.folder / ANSWERS / phase.key / f"{FOR_ALL}.npz")
    works = read_works(found, shop.drawing, shop.world.land(shop.world.levels).cell_size)
    moved = found["pads_moved"]
    laid = [LaidPad(one.pad, one.level, *map(float, volumes)) for one, volumes in zip(works.pads, moved)]
    return Built(works.roads, tuple(laid))


def write_built(folder: Path, world: World, built: Built, tell: Callable[[str], None]) -> None:
    """Write what stands on a world, if anything does.

    Parameters
    ----------
    folder : Path
        Of the world.
    world : World
    built : Built
        Its roads and pads.
    tell : callable
        Called with a sentence if the file was there and was damaged.
    """
    if not (built.roads or built.pads):
        return
    file, records = folder / ROADS_FILE, road_records(world.land(world.levels), built)
    if file.is_file() and file.read_bytes() != json_bytes(records):
        tell(f"{file} is corrupt; it is made anew")
    write_json(file, records)


def read_built(folder: Path, world: World) -> Built:
    """Return the roads and pads of a finished world.

    Parameters
    ----------
    folder : Path
        Of the world.
    world : World

    Returns
    -------
    Built
        To a millimetre.

    Raises
    ------
    ValueError
        If the file that describes them is missing or damaged.
    """
    return built_from(read_json(folder / ROADS_FILE), world.recipe) if built_features(world.recipe) else NOTHING_BUILT


def ground_in(world: World, read: Callable[[str, Block], Array], turns_cells: bool) -> BuiltGround:
    """Return the finest level of a world as the ground of roads and pads, read where it is asked for.

    Parameters
    ----------
    world : World
    read : callable
        Reads its arrays, such as `Store.read`.
    turns_cells : bool
        Whether its cells are shown divided from south-east to north-west.

    Returns
    -------
    BuiltGround
    """
    grid = world.land(world.levels)

    def height(x: float, y: float) -> np.float32:
        row, column = min(int(y / grid.cell_size), grid.rows - 2), min(int(x / grid.cell_size), grid.columns - 2)
        around = read("surface", Block(row, column, 2, 2))
        east, north = (np.array([to - first * grid.cell_size]) for to, first in ((x, column), (y, row)))
        return np.float32(sample(around, grid.cell_size, east, north)[0])

    def heights(x: Array, y: Array) -> Field:
        return np.array([height(float(east), float(north)) for east, north in zip(x, y)], np.float32)

    def shown(x: Array, y: Array) -> Field:
        row, column = y / grid.cell_size, x / grid.cell_size
        down = np.clip(row, 0, grid.rows - 2).astype(np.int64) // _READ
        across = np.clip(column, 0, grid.columns - 2).astype(np.int64) // _READ
        result = np.empty(x.size, np.float32)
        for place in np.unique(np.column_stack((down, across)), axis=0):
            south, west = (int(number) for number in _READ * place)
            block = Block(south, west, min(_READ + 1, grid.rows - south), min(_READ + 1, grid.columns - west))
            turned = np.full((block.rows - 1, block.columns - 1), turns_cells)
            here = (down == place[0]) & (across == place[1])
            east, north = (column[here] - west).astype(np.float32), (row[here] - south).astype(np.float32)
            result[here] = altitude_on_mesh(read("surface", block), 1.0, east, north, turned)
        return result

    return BuiltGround(grid, heights, shown, grid.cell_size)
