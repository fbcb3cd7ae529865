"""One tile of a world while a phase works on it: what it reads, writes, and tells the graph that joins all tiles."""

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import Array
from ..core.foundation.resampling import resample
from ..core.foundation.terrain import Field, Grid
from ..core.tiling.blocks import Block, Blocks, joined
from .store import CorruptFile
from .workshop import Workshop
from .world import Phase

_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    LookupError,
    RuntimeError,
    MemoryError,
    struct.error,
    BadZipFile,
    zlib.error,
)
"""What reading a damaged npz file may raise."""
ANY_HEIGHT = (-1e9, 1e9)
"""Limits of what may be any height, in metres."""
REFINING_MARGIN = 3
"""Samples of a coarser level around a block on which `WorldTile.refined` depends."""
SUMMARIES, ANSWERS = "work/summaries", "work/answers"
FOR_ALL = "whole"
"""Name of the file of a graph with what later ones, or all tiles, need of it."""
_DIGEST = "sha256 of "


class ArrayPart(NamedTuple):
    """A piece of an array, and where it lies in the land."""

    values: Array
    block: Block

    def of(self, block: Block) -> Array:
        """Return a copy of the part under a block, as far as the land reaches."""
        row, column = block.first_row - self.block.first_row, block.first_column - self.block.first_column
        part = self.values[max(row, 0) : row + block.rows, max(column, 0) : column + block.columns]
        # Never a view: what acts on it in place must not change what the next block reads.
        return part.copy()

    def padded(self, block: Block, land: tuple[int, int]) -> Array:
        """Return the part under a block; beyond the land the nearest sample counts."""
        south, west = max(-block.first_row, 0), max(-block.first_column, 0)
        north = max(block.first_row + block.rows - land[0], 0)
        east = max(block.first_column + block.columns - land[1], 0)
        part = self.of(block)
        return np.pad(part, ((south, north), (west, east)), mode="edge") if south + west + north + east else part


class WorldTile:
    """A tile in a phase.

    Parameters
    ----------
    shop : Workshop
        The world that it is a part of.
    phase : Phase
        What is done.
    number : int
        Of the tile: row times the tiles in a row, plus column.
    """

    def __init__(self, shop: Workshop, phase: Phase, number: int) -> None:
        self.shop, self.phase, self.number = shop, phase, number
        self.world, self.store = shop.world, shop.store
        self.land = self.world.land(phase.level)
        self.all_blocks = self.world.blocks(phase.level)
        row, column = divmod(number, self.world.tiles(phase.level)[1])
        per_tile = self.world.tile // self.world.scale.side
        self.block_rows = range(row * per_tile, min((row + 1) * per_tile, self.all_blocks.down))
        self.block_columns = range(column * per_tile, min((column + 1) * per_tile, self.all_blocks.across))
        self.span = span_of(self.all_blocks, self.block_rows, self.block_columns)
        self._outputs: dict[str, Array] = {}
        self._summaries: list[Mapping[str, Array]] = []
        self._answers: dict[str, Mapping[str, Array]] = {}

    def blocks(self) -> Iterator[tuple[int, Block]]:
        """Return the number and place of each block of the tile."""
        for row in self.block_rows:
            for column in self.block_columns:
                yield row * self.all_blocks.across + column, self.all_blocks.at(row, column)

    def grid(self, block: Block) -> Grid:
        """Return the samples of a block on the endless plane."""
        return self.land.window(*block)

    def read(self, path: str, margin: int = 0) -> ArrayPart:
        """Read an array of this level under the tile, with a margin as far as the land reaches."""
        block = clipped(self.span.grown(margin), self.land.shape)
        return ArrayPart(self.store.read(path, block), block)

    def read_coarse(self, path: str, level: int, margin: int) -> ArrayPart:
        """Read an array of a coarser level under the tile, with a margin as far as the land reaches."""
        times = 2 ** (self.phase.level - level)
        block = window_under(self.span, times, margin, self.world.land(level).shape)
        return ArrayPart(self.store.read(path, block), block)

    def refined(self, part: ArrayPart, block: Block, limits: tuple[float, float]) -> Field:
        """Return a field of the level in memory at the samples of a block; `REFINING_MARGIN` of its samples around."""
        times = 2**self.phase.level
        under = window_under(block, times, REFINING_MARGIN, self.world.land(0).shape)
        rows, columns = samples_under(block, under, times)
        return resample(part.of(under), rows, columns, 1.0, limits)

    def put(self, path: str, block: Block, values: Array) -> None:
        """Keep what was made for a block, until all of the tile is written."""
        if path not in self._outputs:
            self._outputs[path] = np.empty(self.span.shape, self.store.array(path).dtype)
        row, column = block.first_row - self.span.first_row, block.first_column - self.span.first_column
        self._outputs[path][row : row + block.rows, column : column + block.columns] = values

    def tell(self, summary: Mapping[str, Array]) -> None:
        """Keep what a block tells the graph."""
        self._summaries.append(summary)

    def answers(self, of: str, block: int) -> dict[str, Array]:
        """Return what a graph found for the cells of a block, by name; empty if it found nothing."""
        if of not in self._answers:
            key = self.phase._replace(name=of).key
            file = self.store.folder / ANSWERS / key / f"{self.number}.npz"
            self._answers[of] = load_arrays(file)
        prefix = f"{block}."
        return {
            name.removeprefix(prefix): values for name, values in self._answers[of].items() if name.startswith(prefix)
        }

    def found(self, of: str, step: int | None = None) -> dict[str, Array]:
        """Return what a graph found for all tiles: of another phase of this step, or of another step of this level."""
        phase = self.phase._replace(name=of, step=self.phase.step if step is None else step)
        return load_arrays(self.store.folder / ANSWERS / phase.key / f"{FOR_ALL}.npz")

    def finish(self) -> None:
        """Write all that was made, and last the summary, which says that the tile is done."""
        summary = joined(self._summaries or [{}])
        for path, values in self._outputs.items():
            self.store.write(path, self.span, values)
            if not path.startswith("work"):
                summary[_DIGEST + path] = np.array([digest_of_arrays(values)])
        save_arrays(summary_file(self.store.folder, self.phase, self.number), summary)

    def digests(self, of: str) -> dict[str, str]:
        """Return what identifies the finished arrays that the tile wrote in another phase of this level and step."""
        summary = load_arrays(summary_file(self.store.folder, self.phase._replace(name=of), self.number))
        return {name.removeprefix(_DIGEST): str(at[0]) for name, at in summary.items() if name.startswith(_DIGEST)}


def span_of(blocks: Blocks, rows: range, columns: range) -> Block:
    """Return the piece of land that some rows and columns of blocks cover."""
    first, last = blocks.at(rows[0], columns[0]), blocks.at(rows[-1], columns[-1])
    return Block(
        first.first_row,
        first.first_column,
        last.first_row + last.rows - first.first_row,
        last.first_column + last.columns - first.first_column,
    )


def clipped(block: Block, land: tuple[int, int]) -> Block:
    """Return the part of a block that lies within the land."""
    row, column = max(block.first_row, 0), max(block.first_column, 0)
    return Block(
        row,
        column,
        min(block.first_row + block.rows, land[0]) - row,
        min(block.first_column + block.columns, land[1]) - column,
    )


def part_of(values: Array, around: Block, block: Block) -> Array:
    """Return a copy of what lies under a block of a field that covers more.

    Parameters
    ----------
    values : ndarray, shape of `around`
        The field.
    around, block : Block
        What it covers, and what is wanted of it.

    Returns
    -------
    ndarray, shape of `block`
    """
    row, column = block.first_row - around.first_row, block.first_column - around.first_column
    return values[row : row + block.rows, column : column + block.columns].copy()


def window_under(block: Block, times: int, margin: int, land: tuple[int, int]) -> Block:
    """Return the samples of a coarser level under a block, with a margin as far as the land reaches.

    Parameters
    ----------
    block : Block
        Of the finer level.
    times : int
        How many times finer it is.
    margin : int
        Samples of the coarser level.
    land : tuple of int
        Rows and columns of the coarser level.

    Returns
    -------
    Block
    """
    row, column = block.first_row // times - margin, block.first_column // times - margin
    north = -(-(block.first_row + block.rows) // times) + margin + 1
    east = -(-(block.first_column + block.columns) // times) + margin + 1
    return clipped(Block(row, column, north - row, east - column), land)


def samples_under(block: Block, under: Block, times: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where the rows and columns of a block lie, in samples of a window of a coarser level.

    Parameters
    ----------
    block : Block
        Of the finer level.
    under : Block
        The window of the coarser level.
    times : int
        How many times finer the block's level is: a power of 2.

    Returns
    -------
    rows, columns : ndarray of float64
    """
    rows = np.arange(block.first_row, block.first_row + block.rows, dtype=np.float64) / times - under.first_row
    columns = np.arange(block.first_column, block.first_column + block.columns, dtype=np.float64) / times
    return rows, columns - under.first_column


def summary_file(folder: Path, phase: Phase, number: int) -> Path:
    """Return the file that a tile writes when it is done with a phase."""
    return folder / SUMMARIES / phase.key / f"{number}.npz"


def digest_of_arrays(*arrays: Array) -> str:
    """Return the SHA-256 of the bytes of arrays."""
    digest = hashlib.sha256()
    for values in arrays:
        digest.update(np.ascontiguousarray(values).data)
    return digest.hexdigest()


def save_arrays(file: Path, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """Write arrays as one npz file, all at once, while other processes write beside it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}")
    with part.open("wb") as target:
        np.savez(target, **arrays)  # type: ignore[arg-type]
    part.replace(file)


def load_arrays(file: Path) -> dict[str, Array]:
    """Read the arrays of an npz file.

    Raises
    ------
    CorruptFile
        If its checksums are wrong, or it is not there.
    """
    try:
        with np.load(file) as arrays:
            return dict(arrays)
    except _UNREADABLE as error:
        raise CorruptFile(str(file)) from error
