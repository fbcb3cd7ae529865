"""The rivers of a world as whole lines, from their sources to the sea, the border or a larger river."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.flow.rivers import width_of_rivers
from ..core.foundation.compilation import Array
from ..core.tiling.blocks import Block, joined, land_cells
from ..core.tiling.river_pieces import RiverNetwork, RiverPieces, join_pieces, trace_pieces
from .building import open_world
from .geojson import write_lines
from .running import Report, WorldProgress
from .store import Store
from .tiles import clipped
from .world import World

_KM2 = 1e6
_VERTEX = np.dtype([("cell", "i8"), ("drainage", "f4"), ("surface", "f4")])


class RiverLine(NamedTuple):
    """A river from its source to the sea, the border, or a point of the river that it joins.

    Attributes
    ----------
    joins : int
        Number of the river in which it ends, an earlier one; −1 if it ends in the sea or at the border.
    order : int
        Strahler order where it ends.
    cell : ndarray of int64, shape (points,)
        ``row * columns + column`` of each point in the arrays of the world.
    points : ndarray of float64, shape (points, 3)
        Metres east and north of the south-west corner of the world, and height of the water that fills every
        depression; it never rises downstream.  Points lie on samples.
    drainage_area : ndarray of float32, shape (points,)
        m²; at the point of another river that of the point before.
    width : ndarray of float32, shape (points,)
        Metres.
    """

    joins: int
    order: int
    cell: npt.NDArray[np.int64]
    points: npt.NDArray[np.float64]
    drainage_area: npt.NDArray[np.float32]
    width: npt.NDArray[np.float32]


def world_rivers(folder: str | os.PathLike[str], report: Report | None = None) -> Iterator[RiverLine]:
    """Go through the rivers of a finished world, the largest systems' stems first.

    They are traced block by block and joined at rims; one river at a time is held in memory, and 40 bytes for each
    piece between two confluences or rims.  Where two rivers meet, the one with the larger drainage area continues.

    Parameters
    ----------
    folder : path
        Of the world.
    report : callable, optional
        Called with a `WorldProgress` after every block.

    Yields
    ------
    RiverLine
        Those that end at the border or in the sea come first, by their last cell.  A river comes after the one that it
        joins.

    Raises
    ------
    ValueError
        If there is no finished world.

    References
    ----------
    Leopold, L. B., & Maddock, T. (1953). The hydraulic geometry of stream channels and some physiographic implications.
    U.S. Geological Survey Professional Paper 252. doi:10.3133/pp252
    """
    yield from rivers_of(open_world(folder), Store(Path(folder)).read, report)


def rivers_of(world: World, read: Callable[[str, Block], Array], report: Report | None = None) -> Iterator[RiverLine]:
    """Go through the rivers of a finished world; see `world_rivers`.

    Parameters
    ----------
    world : World
    read : callable
        Reads its arrays, such as `Store.read`.
    report : callable, optional
        As for `world_rivers`.

    Yields
    ------
    RiverLine
    """
    if not world.recipe.water.rivers:
        return
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "vertices")
        pieces = _trace(world, read, file, report)
        if pieces.length.size:
            yield from _lines(world, pieces, join_pieces(pieces), np.memmap(file, _VERTEX, "r"))


def write_rivers(folder: str | os.PathLike[str], file: str | os.PathLike[str], report: Report | None = None) -> int:
    """Write the rivers of a finished world as lines of GeoJSON.

    Each has the properties ``id``, ``joins`` (an id, or null), ``order``, and for each point ``drainage_km2`` and
    ``width_m``.

    Parameters
    ----------
    folder : path
        Of the world.
    file : path
        To write.
    report : callable, optional
        Called with a `WorldProgress` after every block.

    Returns
    -------
    int
        How many rivers there are.

    Raises
    ------
    ValueError
        If there is no finished world, or the file cannot be written.
    """
    number = -1
    with write_lines(file) as add:
        for number, river in enumerate(world_rivers(folder, report)):
            properties: dict[str, Any] = {
                "id": number,
                "joins": None if river.joins < 0 else river.joins,
                "order": river.order,
                "drainage_km2": np.round(river.drainage_area.astype(np.float64) / _KM2, 6).tolist(),
                "width_m": np.round(river.width.astype(np.float64), 2).tolist(),
            }
            add(river.points, properties)
    return number + 1


def _trace(world: World, read: Callable[[str, Block], Array], file: Path, report: Report | None) -> RiverPieces:
    """Trace the pieces of all blocks; their points go to a file, in the order of the pieces."""
    land, blocks = world.land(world.levels), world.blocks(world.levels)
    parts, source = [], world.recipe.water.river_source_area
    with file.open("wb") as vertices:
        for number in range(blocks.down * blocks.across):
            block = blocks.at(*divmod(number, blocks.across))
            around = clipped(block.grown(1), land.shape)
            flow, drainage = (read(name, around) for name in ("flow", "drainage"))
            pieces, cells = trace_pieces(flow, drainage, around, block, blocks, source)
            parts.append(pieces._asdict())
            if cells.size:
                row, column = np.divmod(cells, block.columns)
                place = row + block.first_row - around.first_row, column + block.first_column - around.first_column
                points = np.empty(cells.size, _VERTEX)
                points["cell"] = land_cells(cells, block, blocks)
                points["drainage"], points["surface"] = drainage[place], read("surface", around)[place]
                vertices.write(points.tobytes())
            if report is not None:
                report(WorldProgress("rivers", (number + 1) / (blocks.down * blocks.across), None))
    return RiverPieces(**joined(parts))


def _lines(world: World, pieces: RiverPieces, network: RiverNetwork, vertices: Array) -> Iterator[RiverLine]:
    """Put the points of each river together."""
    land = world.land(world.levels)
    last = np.cumsum(pieces.length)
    level_at_head = np.empty(pieces.length.size, np.float32)
    for number, (joins, joins_at) in enumerate(zip(network.joins, network.joins_at)):
        own = network.piece[network.first[number] : network.first[number + 1]]
        points = np.concatenate([vertices[last[piece] - pieces.length[piece] : last[piece]] for piece in own])
        cell, drainage, level = (points[name] for name in _VERTEX.names or ())
        if joins >= 0:
            cell, drainage = np.append(cell, pieces.head[joins_at]), np.append(drainage, drainage[-1])
            level = np.append(level, level_at_head[joins_at])
        # Water leads out of each depression over its lowest pass, so it fills up to the highest point downstream.
        level = np.maximum.accumulate(level[::-1])[::-1]
        counts = pieces.length[own]
        level_at_head[own] = level[np.cumsum(counts) - counts]
        row, column = np.divmod(cell, land.columns)
        yield RiverLine(
            int(joins),
            int(network.order[number]),
            cell,
            np.column_stack((column * land.cell_size, row * land.cell_size, level)),
            drainage,
            width_of_rivers(drainage, world.recipe.water.river_width),
        )
