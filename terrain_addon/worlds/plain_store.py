"""Arrays of a world read without zarr, which Blender does not bring: chunks as `Store` writes them.

They are zarr v3: chunks of little-endian numbers, packed by Zstandard or not at all, with a CRC-32C at their end.
What unpacks them is the module compression.zstd of Python 3.14, or zstandard, which Blender's own Python has.

References
----------
Zarr core specification, version 3; codecs "bytes", "zstd" and "crc32c".
Castagnoli, G., Bräuer, S., & Herrmann, M. (1993). Optimization of cyclic redundancy-check codes with 24 and 32 parity
bits. IEEE Transactions on Communications, 41(6), 883–892. doi:10.1109/26.231911
"""

import importlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.foundation.compilation import Array, kernel
from ..core.tiling.blocks import Block
from ..files.reading import read_short_text
from .checked_json import LONGEST_JSON
from .libraries import load_library
from .store import CorruptChunk

_SUM_BYTES = 4
_POLYNOMIAL = 0x82F63B78  # of Castagnoli, bits in reverse


class PlainStore:
    """The arrays of a world, to read only; a part of what `Store` offers.

    Parameters
    ----------
    folder : Path
        Of the world.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _Layout] = {}

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
        ValueError
            If there is no such array, or it is packed in another way.
        """
        layout = self._layout(path)
        side = layout.side
        values = np.empty(block.shape, layout.dtype)
        north, east = block.first_row + block.rows, block.first_column + block.columns
        for row in range(block.first_row // side, -(-north // side)):
            for column in range(block.first_column // side, -(-east // side)):
                south, west = row * side, column * side
                rows = slice(max(block.first_row, south), min(north, south + side))
                columns = slice(max(block.first_column, west), min(east, west + side))
                chunk = self._chunk(path, layout, row, column)
                values[
                    rows.start - block.first_row : rows.stop - block.first_row,
                    columns.start - block.first_column : columns.stop - block.first_column,
                ] = chunk[rows.start - south : rows.stop - south, columns.start - west : columns.stop - west]
        return values

    def _layout(self, path: str) -> "_Layout":
        if path not in self._known:
            self._known[path] = _read_layout(self._folder / path / "zarr.json")
        return self._known[path]

    def _chunk(self, path: str, layout: "_Layout", row: int, column: int) -> Array:
        try:
            packed = (self._folder / path / "c" / str(row) / str(column)).read_bytes()
        except OSError:
            raise CorruptChunk(path, row, column) from None
        content = packed[:-_SUM_BYTES]
        if _crc32c(np.frombuffer(content, np.uint8), _TABLE) != int.from_bytes(packed[-_SUM_BYTES:], "little"):
            raise CorruptChunk(path, row, column)
        if layout.is_packed:
            content = _unpacked(content)
        return np.frombuffer(content, layout.dtype).reshape(layout.side, layout.side)


def _unpacked(content: bytes) -> bytes:
    try:
        standard = importlib.import_module("compression.zstd")
    except ImportError:
        return bytes(load_library("zstandard").ZstdDecompressor().decompress(content))
    return bytes(standard.decompress(content))


class _Layout(NamedTuple):
    """Type of an array, samples along a side of a chunk, and whether chunks are packed."""

    dtype: npt.DTypeLike
    side: int
    is_packed: bool


def _read_layout(file: Path) -> _Layout:
    """Read how an array is stored; refuse what this reader does not know."""
    try:
        about = json.loads(read_short_text(file, LONGEST_JSON))
        codecs = [codec["name"] for codec in about["codecs"]]
        side, other = about["chunk_grid"]["configuration"]["chunk_shape"]
        dtype = np.dtype(about["data_type"]).newbyteorder("<")
    except OSError:
        raise ValueError(f"{file.parent} is missing; the world is not finished") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} does not describe an array of a world: {error}") from error
    if codecs not in (["bytes", "crc32c"], ["bytes", "zstd", "crc32c"]) or side != other:
        raise ValueError(f"{file} is packed in another way than worlds are: {', '.join(codecs)}")
    return _Layout(dtype, side, "zstd" in codecs)


def _make_table() -> npt.NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


_TABLE = _make_table()


@kernel
def _crc32c(content: Array, table: Array) -> np.uint32:
    """Return the CRC-32C of bytes."""
    found = np.uint32(0xFFFFFFFF)
    for byte in content:
        found = table[(found ^ byte) & np.uint32(0xFF)] ^ (found >> np.uint32(8))
    return found ^ np.uint32(0xFFFFFFFF)
