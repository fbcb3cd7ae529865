"""OpenEXR images of 32-bit floating-point numbers, exact to the bit.

Source: OpenEXR File Layout, Academy Software Foundation; ZIP compression as in its Technical Introduction.
"""

import os
import struct
import zlib
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

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
    path : path
        Where to write; see `atomic_write`.
    channels : mapping of str to ndarray of float32, shape (rows, columns)
        Values by channel name: ``Y`` alone for heights, ``R``, ``G`` and ``B`` for vectors or colours.  Row 0 becomes
        the top of the image.  Every bit is kept, that of NaN and infinity too.

    Raises
    ------
    ValueError
        If there is no channel, a name is not 1 to 31 ASCII letters, types or shapes are wrong, or the file cannot be
        written.
    """
    names = sorted(channels)
    _check(names, channels)
    rows, columns = channels[names[0]].shape
    blocks = range(0, rows, _BLOCK_ROWS)
    with atomic_write(path) as file:
        file.write(_header(names, rows, columns))
        table = file.tell()
        file.write(bytes(8 * len(blocks)))
        offsets = []
        for first in blocks:
            offsets.append(file.tell())
            _write_block(file, first, [channels[name][first : first + _BLOCK_ROWS] for name in names])
        file.seek(table)
        file.write(struct.pack(f"<{len(offsets)}Q", *offsets))


def _check(names: list[str], channels: Mapping[str, npt.NDArray[np.float32]]) -> None:
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


def _write_block(file: BinaryIO, first: int, channels: list[npt.NDArray[np.float32]]) -> None:
    # Within a block, line by line, each line channel after channel.
    raw = np.stack(channels, axis=1).astype("<f4", copy=False).tobytes()
    packed = zlib.compress(_apart(raw), 1)
    # A reader takes a block of full size to be stored as it is.
    data = packed if len(packed) < len(raw) else raw
    file.write(struct.pack("<2i", first, len(data)) + data)


def _apart(raw: bytes) -> bytes:
    """Return even bytes before odd ones, each less the one before: neighbouring floats become runs of small numbers."""
    values = np.frombuffer(raw, np.uint8)
    sorted_bytes = np.concatenate((values[0::2], values[1::2]))
    sorted_bytes[1:] = np.diff(sorted_bytes) + np.uint8(128)
    return sorted_bytes.tobytes()
