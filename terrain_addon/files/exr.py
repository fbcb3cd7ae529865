"""OpenEXR images of floats, exact to the bit.

References
----------
Academy Software Foundation, OpenEXR documentation, "OpenEXR File Layout", and "Technical Introduction to OpenEXR" for
ZIP compression.
"""

import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .parallel import map_in_order
from .raster import ElevationFormat, Raster, Window
from .reading import LARGEST_DEFLATE_RATIO, check_sides, read_exactly, unpack
from .writing import atomic_write

_MAGIC = 20000630
_VERSION = 2
_FLOAT = 2
_ZIP = 3
_BLOCK_ROWS = 16
_LONGEST_NAME = 31


def write_exr(path: str | os.PathLike[str], channels: Mapping[str, npt.NDArray[np.float32]]) -> None:
    """Write an image of one or more float channels; the same values and the same zlib give the same bytes.

    Parameters
    ----------
    path : str or PathLike
        Where to write; see `atomic_write`.
    channels : mapping of str to ndarray of float32, shape (rows, columns)
        Values by name of the channel: ``Y`` for heights, ``R``, ``G`` and ``B`` for vectors or colours.  Row 0 becomes
        the top of the image.  Every bit is kept, also of NaN and infinity.

    Raises
    ------
    ValueError
        If there is no channel, a name is not 1 to 31 ASCII letters, a type or shape is wrong, or the file cannot be
        written.

    References
    ----------
    Academy Software Foundation, OpenEXR documentation, "OpenEXR File Layout".

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "heights.exr")
    ...     write_exr(path, {"Y": np.array([[0.5, np.pi]], np.float32)})
    ...     with path.open("rb") as file:
    ...         open_exr(file).read(Window(0, 0, 1, 2)).tolist()
    [[0.5, 3.1415927410125732]]
    """
    names = sorted(channels)
    _check(names, channels)
    rows, columns = channels[names[0]].shape
    blocks = range(0, rows, _BLOCK_ROWS)
    parts = ((first, [channels[name][first : first + _BLOCK_ROWS] for name in names]) for first in blocks)
    with atomic_write(path) as file:
        file.write(_header(names, rows, columns))
        table = file.tell()
        file.write(bytes(8 * len(blocks)))
        offsets = []
        for block in map_in_order(_pack_block, parts):
            offsets.append(file.tell())
            file.write(block)
        file.seek(table)
        file.write(struct.pack(f"<{len(offsets)}Q", *offsets))


def open_exr(file: BinaryIO) -> Raster:
    """Open an image of scan lines as heights in metres.

    It may have floats of 16 or 32 bits or integers of 32 bits, and no compression, ZIP or ZIPS.  Heights are the only
    channel, or Y, or R.

    Parameters
    ----------
    file : BinaryIO
        On disk; row 0 north.

    Returns
    -------
    Raster
        Heights in metres.

    Raises
    ------
    ValueError
        If the image is damaged or of a kind that is not read.

    References
    ----------
    Academy Software Foundation, OpenEXR documentation, "OpenEXR File Layout".
    """
    image = _Image.parse(file)
    channel = image.heights()
    return Raster(image.rows, image.columns, lambda window: image.read(file, channel, window))


def _check(names: list[str], channels: Mapping[str, npt.NDArray[np.float32]]) -> None:
    """Refuse names, types and shapes of channels that the format does not have."""
    if not names:
        raise ValueError("an EXR image needs at least one channel")
    for name in names:
        values = channels[name]
        if not (name.isascii() and name.isprintable() and 1 <= len(name) <= _LONGEST_NAME):
            raise ValueError(f"the channel name {name!r} is not 1 to {_LONGEST_NAME} ASCII letters")
        if values.dtype != np.float32:
            raise ValueError(f"channel {name} is {values.dtype}, not float32")
        if values.ndim != 2 or values.size == 0:
            raise ValueError(f"channel {name} has shape {values.shape}, not (rows, columns)")
        if values.shape != channels[names[0]].shape:
            raise ValueError(f"channel {name} has shape {values.shape}, but {names[0]} {channels[names[0]].shape}")


def _header(names: list[str], rows: int, columns: int) -> bytes:
    """The header of an image with some channels of 32-bit floats."""
    described = b"".join(name.encode("ascii") + b"\0" + struct.pack("<iBxxxii", _FLOAT, 0, 1, 1) for name in names)
    window = struct.pack("<4i", 0, 0, columns - 1, rows - 1)
    attributes = (
        ("channels", "chlist", described + b"\0"),
        ("compression", "compression", bytes([_ZIP])),
        ("dataWindow", "box2i", window),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1.0)),
        ("screenWindowCenter", "v2f", struct.pack("<2f", 0.0, 0.0)),
        ("screenWindowWidth", "float", struct.pack("<f", 1.0)),
    )
    packed = b"".join(
        f"{name}\0{kind}\0".encode("ascii") + struct.pack("<i", len(value)) + value for name, kind, value in attributes
    )
    return struct.pack("<2i", _MAGIC, _VERSION) + packed + b"\0"


def _pack_block(block: tuple[int, list[npt.NDArray[np.float32]]]) -> bytes:
    """Return a block of rows as it is stored, with its first row and its size before it."""
    first, channels = block
    # A block has row after row, each row has channel after channel.
    raw = np.stack(channels, axis=1).astype("<f4", copy=False).tobytes()
    # The low bytes of heights are noise: a search for runs only is as good, in a quarter of the time of level 1.
    deflate = zlib.compressobj(1, strategy=zlib.Z_RLE)
    packed = deflate.compress(_split_bytes(raw)) + deflate.flush()
    # A block of full size is stored without compression.
    data = packed if len(packed) < len(raw) else raw
    return struct.pack("<2i", first, len(data)) + data


def _split_bytes(raw: bytes) -> bytes:
    """Return even bytes before odd ones, each as its difference to the last: similar floats become small numbers."""
    values = np.frombuffer(raw, np.uint8)
    sorted_bytes = np.concatenate((values[0::2], values[1::2]))
    sorted_bytes[1:] = np.diff(sorted_bytes) + np.uint8(128)
    return sorted_bytes.tobytes()


def _join_bytes(sorted_bytes: bytes) -> bytes:
    """Undo `_split_bytes`."""
    steps = np.frombuffer(sorted_bytes, np.uint8).copy()
    steps[1:] -= np.uint8(128)
    values = np.add.accumulate(steps, dtype=np.uint8)
    raw = np.empty(len(values), np.uint8)
    half = (len(values) + 1) // 2
    raw[0::2], raw[1::2] = values[:half], values[half:]
    return raw.tobytes()


@dataclass(frozen=True)
class _Channel:
    """A channel; in a row its numbers come after `start` bytes for each column."""

    name: str
    dtype: np.dtype[Any]
    start: int


@dataclass(frozen=True)
class _Image:
    """The header of an image."""

    rows: int
    columns: int
    top: int
    packing: int
    channels: tuple[_Channel, ...]
    offsets: tuple[int, ...]

    @classmethod
    def parse(cls, file: BinaryIO) -> "_Image":
        attributes, table = _attributes(file)
        for name in ("channels", "compression", "dataWindow"):
            if name not in attributes:
                raise ValueError(f"the EXR image has no {name}")
        if len(attributes["dataWindow"]) != 16 or len(attributes["compression"]) != 1:
            raise ValueError("the header of the EXR image is damaged")
        west, north, east, south = struct.unpack("<4i", attributes["dataWindow"])
        rows, columns = south - north + 1, east - west + 1
        check_sides(rows, columns)
        packing = attributes["compression"][0]
        if packing not in _ROWS_OF_BLOCK:
            name = _PACKINGS[packing] if packing < len(_PACKINGS) else f"number {packing}"
            raise ValueError(f"the EXR image is compressed as {name}; save it with ZIP or none")
        blocks = -(-rows // _ROWS_OF_BLOCK[packing])
        offsets = struct.unpack(f"<{blocks}Q", read_exactly(file, table, 8 * blocks))
        image = cls(rows, columns, north, packing, _channels(attributes["channels"]), offsets)
        ratio = 1 if packing == _NONE else LARGEST_DEFLATE_RATIO
        if rows * columns * image.pixel_bytes > ratio * os.fstat(file.fileno()).st_size:
            raise ValueError("the EXR image is cut short")
        return image

    @property
    def pixel_bytes(self) -> int:
        return sum(channel.dtype.itemsize for channel in self.channels)

    def read(self, file: BinaryIO, channel: _Channel, window: Window) -> npt.NDArray[Any]:
        """Return a channel in a window."""
        tall = _ROWS_OF_BLOCK[self.packing]
        blocks = range(window.row // tall, -(-(window.row + window.rows) // tall))
        pieces = ((block, *self._piece(file, block)) for block in blocks)
        parts = list(map_in_order(lambda piece: self._unpack(*piece, channel), pieces))
        first = blocks[0] * tall
        return Window(window.row - first, window.column, window.rows, window.columns).of(np.concatenate(parts))

    def _piece(self, file: BinaryIO, block: int) -> tuple[int, bytes]:
        """Return how many rows a block has, and its packed bytes."""
        first = block * _ROWS_OF_BLOCK[self.packing]
        rows = min(_ROWS_OF_BLOCK[self.packing], self.rows - first)
        place, size = struct.unpack("<2i", read_exactly(file, self.offsets[block], 8))
        if place != self.top + first or not 0 < size <= rows * self.columns * self.pixel_bytes:
            raise ValueError("the EXR image is damaged: a block is not what its place says")
        return rows, read_exactly(file, self.offsets[block] + 8, size)

    def _unpack(self, block: int, rows: int, packed: bytes, channel: _Channel) -> npt.NDArray[Any]:
        """Return a channel of a block."""
        size = rows * self.columns * self.pixel_bytes
        raw = packed if len(packed) == size or self.packing == _NONE else _join_bytes(unpack(packed, size, size))
        if len(raw) != size:
            raise ValueError(f"the EXR image is cut short: block {block} ends early")
        lines = np.frombuffer(raw, np.uint8).reshape(rows, self.columns * self.pixel_bytes)
        start = channel.start * self.columns
        return np.ascontiguousarray(lines[:, start : start + self.columns * channel.dtype.itemsize]).view(channel.dtype)

    def heights(self) -> _Channel:
        """Return the channel with heights: the only one, or Y, or R, because grey images may repeat them as colours."""
        by_name = {channel.name: channel for channel in self.channels}
        named = [by_name[name] for name in _HEIGHT_CHANNELS if name in by_name]
        if len(self.channels) != 1 and not named:
            names = ", ".join(channel.name[:20] for channel in self.channels[:8])
            raise ValueError(f"the EXR image has no channel {' or '.join(_HEIGHT_CHANNELS)}, but {names}")
        return self.channels[0] if len(self.channels) == 1 else named[0]


_TYPES: dict[int, np.dtype[Any]] = {0: np.dtype("<u4"), 1: np.dtype("<f2"), 2: np.dtype("<f4")}
_HEIGHT_CHANNELS = ("Y", "R")
_NONE, _ZIPS = 0, 2
_ROWS_OF_BLOCK = {_NONE: 1, _ZIPS: 1, _ZIP: _BLOCK_ROWS}
_PACKINGS = ("none", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB")
_LONG_NAMES = 0x400
_MOST_ATTRIBUTES = 1000
_LONGEST_HEADER = 1 << 20
_MOST_CHANNELS = 64


def _attributes(file: BinaryIO) -> tuple[dict[str, bytes], int]:
    """Return the attributes of the header by name, and the position of the table of blocks."""
    head = file.read(_LONGEST_HEADER)
    if len(head) < 8 or struct.unpack_from("<i", head)[0] != _MAGIC:
        raise ValueError("it is not an EXR image")
    (version,) = struct.unpack_from("<i", head, 4)
    if version & 0xFF != _VERSION or version & ~(0xFF | _LONG_NAMES):
        raise ValueError("the EXR image is tiled, deep or in several parts; save it as one part of scan lines")
    found: dict[str, bytes] = {}
    place = 8
    for _ in range(_MOST_ATTRIBUTES):
        if head[place : place + 1] == b"\0":
            return found, place + 1
        name_end = head.find(b"\0", place)
        kind_end = head.find(b"\0", name_end + 1)
        if name_end < 0 or kind_end < 0 or kind_end + 5 > len(head):
            break
        (size,) = struct.unpack_from("<i", head, kind_end + 1)
        start = kind_end + 5
        if not 0 <= size <= len(head) - start:
            break
        found[head[place:name_end].decode("latin-1")] = head[start : start + size]
        place = start + size
    raise ValueError("the header of the EXR image is damaged or cut short")


def _channels(listed: bytes) -> tuple[_Channel, ...]:
    """Return the channels that the header lists."""
    found: list[_Channel] = []
    place = start = 0
    while listed[place : place + 1] not in (b"\0", b""):
        end = listed.find(b"\0", place)
        if end < 0 or end + 17 > len(listed) or len(found) == _MOST_CHANNELS:
            raise ValueError("the list of channels of the EXR image is damaged")
        kind, across, down = struct.unpack_from("<i4xii", listed, end + 1)
        if kind not in _TYPES or (across, down) != (1, 1):
            raise ValueError("a channel of the EXR image is of a kind that is not read")
        found.append(_Channel(listed[place:end].decode("latin-1"), _TYPES[kind], start))
        start += _TYPES[kind].itemsize
        place = end + 17
    if not found:
        raise ValueError("the EXR image has no channels")
    return tuple(found)


EXR = ElevationFormat("OpenEXR", (".exr",), "floats in metres", lambda file, path: open_exr(file))
