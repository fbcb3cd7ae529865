"""Contours of a world as whole lines: traced block by block with contourpy, joined at rims.

References
----------
contourpy documentation, "Contour lines and fill".
"""

import math
import os
import tempfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import Array
from ..core.foundation.terrain import Grid
from ..core.tiling.blocks import Block
from .building import open_world
from .geojson import AddLine, write_lines
from .libraries import load_library
from .running import Report, WorldProgress
from .store import Store
from .tiles import clipped

LEAST_SPACING, MOST_SPACING = 0.1, 10000.0  # metres
_BESIDE = 1e-4  # metres: no sample lies exactly on a contour, so that each crossing belongs to one edge of the grid
_ON_LINE = 1e-9  # samples


class _Pieces(NamedTuple):
    """Lines that end at the rim of a block.

    Attributes
    ----------
    level : list of int
        Which contour each belongs to.
    begin, end : list of int
        The edge of the grid at which it begins and ends.
    length : list of int
        Points of each.
    """

    level: list[int]
    begin: list[int]
    end: list[int]
    length: list[int]


def write_contours(
    folder: str | os.PathLike[str], file: str | os.PathLike[str], spacing: float = 100.0, report: Report | None = None
) -> int:
    """Write the contours of the surface of a finished world as lines of GeoJSON.

    Each has the property ``height_m``; higher ground is on the left.  Lines are closed, or end at the border.  A sample
    that lies exactly on a contour counts as 0.1 mm higher.

    Parameters
    ----------
    folder : path
        Of the world.
    file : path
        To write.
    spacing : float
        Metres from one contour to the next, 0.1 to 10,000; contours lie at whole multiples.
    report : callable, optional
        Called with a `WorldProgress` after every block.

    Returns
    -------
    int
        How many lines there are.

    Raises
    ------
    ValueError
        If the spacing is out of range, there is no finished world, contourpy is missing, or the file cannot be written.
    """
    if not LEAST_SPACING <= spacing <= MOST_SPACING:
        raise ValueError(f"spacing of contours = {spacing!r} m is outside {LEAST_SPACING} to {MOST_SPACING} m")
    load_library("contourpy")
    world, store = open_world(folder), Store(Path(folder))
    land, blocks = world.land(world.levels), world.blocks(world.levels)
    pieces, closed = _Pieces([], [], [], []), 0
    with write_lines(file) as add, tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch, "points")
        with kept.open("wb") as points:
            for number in range(blocks.down * blocks.across):
                block = blocks.at(*divmod(number, blocks.across))
                # To the first samples of the next blocks: each cell of the grid belongs to one block.
                reach = clipped(Block(*block[:2], block.rows + 1, block.columns + 1), land.shape)
                closed += _trace(store.read("surface", reach), reach, land, spacing, pieces, points, add)
                if report is not None:
                    report(WorldProgress("contours", (number + 1) / (blocks.down * blocks.across), None))
        if not pieces.length:
            return closed
        return closed + _join(pieces, np.memmap(kept, np.float64, "r").reshape(-1, 2), land.cell_size, spacing, add)


def _trace(
    surface: Array, reach: Block, land: Grid, spacing: float, pieces: _Pieces, points: BinaryIO, add: AddLine
) -> int:
    """Trace the contours of a block: closed lines are complete, the others are kept; return how many are closed."""
    heights, closed = surface.astype(np.float64), 0
    nearest = np.rint(heights / spacing) * spacing
    heights = np.where(np.abs(heights - nearest) < _BESIDE, nearest + _BESIDE, heights)
    traced = load_library("contourpy").contour_generator(z=heights)
    for level in range(math.ceil(heights.min() / spacing), math.floor(heights.max() / spacing) + 1):
        for line in traced.lines(level * spacing):
            place = line + np.array([reach.first_column, reach.first_row])
            if (line[0] == line[-1]).all():
                add(place * land.cell_size, {"height_m": level * spacing})
                closed += 1
                continue
            begin, end = _edges(line[[0, -1]], reach, land.columns)
            for values, value in zip(pieces, (level, begin, end, len(line))):
                values.append(value)
            points.write(place.tobytes())
    return closed


def _edges(ends: npt.NDArray[np.float64], reach: Block, columns: int) -> list[int]:
    """Return the number of the edge of the grid on which each end lies."""
    whole = np.rint(ends)
    along_row = np.abs(ends[:, 1] - whole[:, 1]) < _ON_LINE
    column = np.where(along_row, np.floor(ends[:, 0]), whole[:, 0]).astype(np.int64) + reach.first_column
    row = np.where(along_row, whole[:, 1], np.floor(ends[:, 1])).astype(np.int64) + reach.first_row
    edges: list[int] = (2 * (row * columns + column) + along_row).tolist()
    return edges


def _join(pieces: _Pieces, points: Array, cell_size: float, spacing: float, add: AddLine) -> int:
    """Put the pieces of each line together; return how many lines there are."""
    last = np.cumsum(pieces.length)
    beginning = {key: number for number, key in enumerate(zip(pieces.level, pieces.begin))}
    after = [beginning.get(key, -1) for key in zip(pieces.level, pieces.end)]
    follows = set(after)
    # Lines that begin at the border first; what they leave is closed.
    first = [number for number in range(len(after)) if number not in follows] + list(range(len(after)))
    done, count = np.zeros(len(after), np.bool_), 0
    for number in first:
        parts: list[Array] = []
        begin = number
        while number >= 0 and not done[number]:
            done[number] = True
            part = points[last[number] - pieces.length[number] : last[number]]
            parts.append(part[1:] if parts else part)
            number = after[number]
        if parts:
            add(np.concatenate(parts) * cell_size, {"height_m": pieces.level[begin] * spacing})
            count += 1
    return count
