"""Arrays of a world on the disk: zarr v3, in chunks with checksums."""

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import Array
from ..core.tiling.blocks import Block
from .libraries import load_library

_MISSING_BYTE = 255
DESCRIPTION = "zarr.json"
"""File that describes an array, in the folder of its chunks."""


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

    def create(self, path: str, shape: tuple[int, int], dtype: npt.DTypeLike, side: int, *, packed: bool) -> None:
        """Make an array, unless it is there already.

        Parameters
        ----------
        path : str
            Name, with ``/`` between groups.
        shape : tuple of int
            (rows, columns).
        dtype : dtype
            float32, float64 or uint8.
        side : int
            Samples along a side of a chunk.
        packed : bool
            Whether chunks are compressed.
        """
        if path in self:
            return
        codecs = load_library("zarr.codecs")
        kind = np.dtype(dtype)
        compressors = [codecs.ZstdCodec(level=1)] if packed else []
        self._group.create_array(
            path,
            shape=shape,
            chunks=(side, side),
            dtype=kind,
            compressors=[*compressors, codecs.Crc32cCodec()],
            fill_value=_MISSING_BYTE if kind == np.uint8 else float("nan"),
            config={"write_empty_chunks": True},
        )

    def __contains__(self, path: str) -> bool:
        return (self.folder / path / DESCRIPTION).is_file()

    def remove(self, path: str) -> None:
        """Remove a group or array, if it is there."""
        self._arrays = {name: one for name, one in self._arrays.items() if not f"{name}/".startswith(f"{path}/")}
        shutil.rmtree(self.folder / path, ignore_errors=True)

    def list_arrays(self) -> None:
        """Write a list of all arrays, so that whoever opens the folder need not look at what else is in it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of zarr: that some files are none of its own, and that lists are new
            load_library("zarr").consolidate_metadata(str(self.folder))

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
        self.array(path)[_slices(block)] = values

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
            values: Array = np.asarray(self.array(path)[_slices(block)])
        except (ValueError, RuntimeError, OSError) as error:
            raise self._first_corrupt(path, block) or error from error
        missing = values == _MISSING_BYTE if values.dtype == np.uint8 else np.isnan(values)
        if missing.any():
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
