"""Arrays of a world on the disk: zarr v3, in chunks with checksums."""

import json
import shutil
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.foundation.compilation import Array, thread_count
from ..core.tiling.blocks import Block
from ..files.reading import read_short_text
from .checked_json import LONGEST_JSON
from .libraries import load_library

_MISSING_BYTE = 255
DESCRIPTION = "zarr.json"
"""File that describes an array, in the folder of its chunks, or a group."""
_GROUP = {"attributes": {}, "zarr_format": 3, "node_type": "group"}
_LIST = "consolidated_metadata"


class Corrupt(ValueError):
    """Something in the folder of a world that cannot be read."""


class CorruptFile(Corrupt):
    """A file that is damaged or not there.

    Parameters
    ----------
    path : str
        Of the file.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def __str__(self) -> str:
        return f"{self.path} is corrupt"


class CorruptChunk(Corrupt):
    """A chunk that cannot be read: its checksum is wrong, or it is not there.

    Parameters
    ----------
    path : str
        Of the array within the store.
    row, column : int
        Which of its chunks.
    """

    def __init__(self, path: str, row: int, column: int) -> None:
        super().__init__(path, row, column)
        self.path, self.row, self.column = path, row, column

    def __str__(self) -> str:
        return f"chunk {self.row}/{self.column} of {self.path} is corrupt"


class ArrayKind(NamedTuple):
    """What an array is like.

    Attributes
    ----------
    shape : tuple of int
        (rows, columns).
    dtype : str
        float32, float64 or uint8.
    side : int
        Samples along a side of a chunk.
    packed : bool
        Whether chunks are compressed.
    """

    shape: tuple[int, int]
    dtype: str
    side: int
    packed: bool


class Store:
    """The arrays of a world.

    Parameters
    ----------
    folder : Path
        Where they are; `zarr.open` of it gives the same arrays.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._group = load_library("zarr").open_group(str(folder), mode="a", zarr_format=3, use_consolidated=False)
        self._arrays: dict[str, Any] = {}

    def create(self, path: str, kind: ArrayKind) -> None:
        """Make an array, unless it is there already.

        What describes it may be damaged as long as it has no chunks; it is written anew.

        Parameters
        ----------
        path : str
            Name, with ``/`` between groups.
        kind : ArrayKind
            What it is like.
        """
        if path not in self or not _is_array(self.folder / path):
            self.forget(path)
            self._group.create_array(path, **_described(kind))

    def check(self, path: str, kind: ArrayKind) -> None:
        """Compare what describes an array with what it should be.

        Parameters
        ----------
        path : str
            Of the array.
        kind : ArrayKind
            What it should be like.

        Raises
        ------
        CorruptFile
            If it differs, or is not there.
        """
        file = self.folder / path / DESCRIPTION
        if _content_of(file) != _expected(kind):
            raise CorruptFile(str(file))

    def forget(self, path: str) -> None:
        """Remove what describes an array, if it is there; its chunks stay."""
        self._arrays.pop(path, None)
        (self.folder / path / DESCRIPTION).unlink(missing_ok=True)

    def __contains__(self, path: str) -> bool:
        return (self.folder / path / DESCRIPTION).is_file()

    def remove(self, path: str) -> None:
        """Remove a group or array, if it is there."""
        self._arrays = {name: one for name, one in self._arrays.items() if not f"{name}/".startswith(f"{path}/")}
        shutil.rmtree(self.folder / path, ignore_errors=True)

    def list_arrays(self) -> bool:
        """Write a list of all arrays, so that whoever opens the folder need not look at what else is in it.

        Returns
        -------
        bool
            Whether a list that was there was the same.
        """
        file = self.folder / DESCRIPTION
        before = _content_of(file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of zarr: that some files are none of its own, and that lists are new
            load_library("zarr").consolidate_metadata(str(self.folder))
        return _LIST not in before or before == _content_of(file)

    def array(self, path: str) -> Any:
        """Return the zarr array of a name.

        Raises
        ------
        ValueError
            If there is none.
        CorruptFile
            If there are its chunks, but nothing readable that describes them.
        """
        if path not in self._arrays:
            if path not in self and not (self.folder / path / "c").is_dir():
                raise ValueError(f"{self.folder}: there is no array {path}; the world is not finished")
            try:
                with _chunks_at_once():
                    self._arrays[path] = self._group[path]
            except (ValueError, LookupError, TypeError, OSError) as error:
                raise CorruptFile(str(self.folder / path / DESCRIPTION)) from error
        return self._arrays[path]

    def write(self, path: str, block: Block, values: Array) -> None:
        """Write a piece of an array that is a whole number of chunks.

        Parameters
        ----------
        path : str
            Of the array.
        block : Block
            Where the piece lies.
        values : ndarray, shape (rows, columns)
            What to write.
        """
        array = self.array(path)
        with _chunks_at_once():
            array[_slices(block)] = values

    def read(self, path: str, block: Block) -> Array:
        """Read a piece of an array.

        Parameters
        ----------
        path : str
            Of the array.
        block : Block
            Where the piece lies, within the array.

        Returns
        -------
        ndarray, shape (rows, columns)

        Raises
        ------
        CorruptChunk
            If a chunk has a wrong checksum or is not there.
        """
        try:
            array = self.array(path)
            with _chunks_at_once():
                values: Array = np.asarray(array[_slices(block)])
        except (ValueError, RuntimeError, OSError) as error:
            raise self._first_corrupt(path, block) or error from error
        is_missing = (values == _MISSING_BYTE).any() if values.dtype == np.uint8 else np.isnan(values.min())
        if is_missing:
            raise self._first_corrupt(path, block) or ValueError(f"{path} holds values that are no numbers")
        return values

    def find_corrupt(self, path: str, block: Block) -> list[CorruptChunk]:
        """Return the chunks under a piece of an array that cannot be read."""
        array = self.array(path)
        side, found = array.chunks[0], []
        for row in range(block.first_row // side, -(-(block.first_row + block.rows) // side)):
            for column in range(block.first_column // side, -(-(block.first_column + block.columns) // side)):
                piece = (slice(row * side, (row + 1) * side), slice(column * side, (column + 1) * side))
                there = (self.folder / path / "c" / str(row) / str(column)).is_file()
                if not there or not _is_readable(array, piece):
                    found.append(CorruptChunk(path, row, column))
        return found

    def _first_corrupt(self, path: str, block: Block) -> CorruptChunk | None:
        return next(iter(self.find_corrupt(path, block)), None)


def _chunks_at_once() -> Any:
    """Let zarr take all chunks of a piece in one call: one task for each of them takes half as long again."""
    pipeline = {"path": "zarr.core.codec_pipeline.FusedCodecPipeline", "max_workers": thread_count()}
    return load_library("zarr").config.set({f"codec_pipeline.{name}": value for name, value in pipeline.items()})


def mend_groups(folder: Path) -> list[Path]:
    """Write anew what describes the groups of a world, where it is damaged.

    Parameters
    ----------
    folder : Path
        Of the world.

    Returns
    -------
    list of Path
        The files that were damaged.
    """
    damaged = []
    for group in (folder, *_groups_in(folder)):
        file = group / DESCRIPTION
        content = _content_of(file)
        listed = content.pop(_LIST, None) is not None
        if content != _GROUP or (listed and not _opens(folder)):
            damaged.append(file)
            file.write_text(json.dumps(_GROUP, indent=2), encoding="utf-8")
    return damaged


def _opens(folder: Path) -> bool:
    """Whether zarr can read what describes a group, and the list of arrays in it."""
    try:
        load_library("zarr").open_group(str(folder), mode="r", zarr_format=3)
    except (ValueError, LookupError, TypeError, OSError, AttributeError):
        return False
    return True


def _groups_in(folder: Path) -> Iterator[Path]:
    """Go through the folders in a folder that hold arrays, but are none."""
    for inner in sorted(path for path in folder.iterdir() if path.is_dir() and path.name != "c"):
        within = list(_groups_in(inner))
        if not _is_array(inner) and (within or (inner / DESCRIPTION).is_file() or any(inner.glob("*/c"))):
            yield inner
        yield from within


def _is_array(folder: Path) -> bool:
    """Whether a folder holds an array: one without chunks is as good as one with them."""
    return (folder / "c").is_dir() or _content_of(folder / DESCRIPTION).get("node_type") == "array"


def _content_of(file: Path) -> dict[str, Any]:
    """Return what a file of JSON holds; nothing if it cannot be read."""
    try:
        content = json.loads(read_short_text(file, LONGEST_JSON))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _described(kind: ArrayKind) -> dict[str, Any]:
    """What zarr needs to know of an array."""
    codecs = load_library("zarr.codecs")
    dtype = np.dtype(kind.dtype)
    return {
        "shape": kind.shape,
        "chunks": (kind.side, kind.side),
        "dtype": dtype,
        "compressors": [codecs.ZstdCodec(level=1)] * kind.packed + [codecs.Crc32cCodec()],
        "fill_value": _MISSING_BYTE if dtype == np.uint8 else float("nan"),
        "config": {"write_empty_chunks": True},
    }


@lru_cache
def _expected(kind: ArrayKind) -> dict[str, Any]:
    """What the description of an array should hold."""
    files: dict[str, Any] = {}
    zarr = load_library("zarr")
    zarr.create_array(zarr.storage.MemoryStore(files), **_described(kind))
    content: dict[str, Any] = json.loads(files[DESCRIPTION].to_bytes())
    return content


def _is_readable(array: Any, piece: tuple[slice, slice]) -> bool:
    try:
        array[piece]
    except (ValueError, RuntimeError, OSError):
        return False
    return True


def _slices(block: Block) -> tuple[slice, slice]:
    return (
        slice(block.first_row, block.first_row + block.rows),
        slice(block.first_column, block.first_column + block.columns),
    )
