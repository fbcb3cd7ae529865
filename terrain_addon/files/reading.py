"""Reading files from other programs, which may hold anything."""

import math
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..core.foundation.memory import check_bytes

LARGEST_SIDE = 16384
"""Largest number of rows, and of columns, that is read from a file."""

LARGEST_DEFLATE_RATIO = 1032
"""Deflate makes data smaller by this factor at most (258 bytes in 2 bits); a file that promises more is damaged."""


@contextmanager
def open_to_read(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file; errors that the block raises about it become one sentence that starts with its path.

    Parameters
    ----------
    path : str or PathLike
        Absolute, or relative to the working directory.  A path that starts with Blender's ``//`` must be resolved
        before.

    Yields
    ------
    BinaryIO
        Open at the start of the file.

    Raises
    ------
    ValueError
        If the file is missing, not readable, empty or not a plain file, or if the block raised ValueError or OSError.
    """
    try:
        found = Path(path).stat()
        # A pipe or a device can be opened too, but may never end.
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is a folder or a device, not a file")
        if found.st_size == 0:
            raise ValueError("the file is empty")
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ValueError(f"cannot read {path}: {error}") from error


def remaining_bytes(file: BinaryIO) -> int:
    """Return how many bytes there are from the current position of a file to its end.

    Parameters
    ----------
    file : BinaryIO
        On disk.

    Returns
    -------
    int
        0 or more.
    """
    return os.fstat(file.fileno()).st_size - file.tell()


def check_sides(rows: int, columns: int) -> None:
    """Refuse a size that is too large to read.

    Parameters
    ----------
    rows, columns : int
        Samples that would be read.

    Raises
    ------
    ValueError
        If `rows` or `columns` is below 1 or above `LARGEST_SIDE`.
    """
    if not (1 <= rows <= LARGEST_SIDE and 1 <= columns <= LARGEST_SIDE):
        raise ValueError(
            f"its size of {rows} rows × {columns} columns is outside 1 × 1 to {LARGEST_SIDE} × {LARGEST_SIDE}"
        )


def check_room(needed: int, rows: int, columns: int) -> None:
    """Refuse to read what does not fit into the memory that is free.

    Parameters
    ----------
    needed : int
        Bytes that reading takes at most.
    rows, columns : int
        Samples that would be read.

    Raises
    ------
    ValueError
        Saying how much is needed and how much is free.
    """
    check_bytes(needed, f"to read {rows} rows × {columns} columns", "crop the land, or make the file smaller")


def read_exactly(file: BinaryIO, start: int, count: int) -> bytes:
    """Return bytes from a position of a file.

    Parameters
    ----------
    file : BinaryIO
        On disk.
    start : int
        Position of the first byte.
    count : int
        How many bytes.

    Returns
    -------
    bytes
        Exactly `count` of them.

    Raises
    ------
    ValueError
        If the file ends before that; no memory is taken then.
    """
    if start < 0 or count < 0 or start + count > os.fstat(file.fileno()).st_size:
        raise ValueError("it is cut short")
    file.seek(start)
    data = file.read(count)
    if len(data) != count:
        raise ValueError("it is cut short")
    return data


def unpack(packed: bytes, size: int, most: int) -> bytes:
    """Unpack deflate, and stop as soon as it gives more bytes than it may.

    Parameters
    ----------
    packed : bytes
        A zlib stream.
    size : int
        Bytes that are wanted.
    most : int
        Bytes that it may hold; writers fill the last strip of an image up.

    Returns
    -------
    bytes
        The first `size` of them; less if it ends before.

    Raises
    ------
    ValueError
        If the stream is damaged, or holds more than `most` bytes.
    """
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, size) if size else b""
        rest = stream.decompress(stream.unconsumed_tail, most - size + 1) if len(data) == size else b""
    except zlib.error as error:
        raise ValueError("it is damaged: one of its pieces cannot be unpacked") from error
    if len(data) + len(rest) > most:
        raise ValueError("it is damaged: one of its pieces holds more data than its size allows")
    return data


def read_short_text(path: Path, most: int) -> str:
    """Return the text of a file that is short if it is what it should be.

    Parameters
    ----------
    path : Path
        In UTF-8.
    most : int
        Bytes that it may have.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it has more, or is no text; no more than `most` and one byte are read.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise ValueError(f"{path.name} is longer than {most} bytes")
    return text.decode("utf-8")


def read_beside(path: Path, suffix: str) -> str | None:
    """Return the text of the file with the same name and another ending, in small or capital letters.

    Parameters
    ----------
    path : Path
        The file that has the other one beside it.
    suffix : str
        Ending with its dot, as in ``.hdr``.

    Returns
    -------
    str or None
        None if there is no such file.

    Raises
    ------
    ValueError
        If that file is longer than 64 KiB, or cannot be read.
    """
    for beside in (path.with_suffix(suffix), path.with_suffix(suffix.upper())):
        if beside.is_file():
            with beside.open("rb") as file:
                text = file.read(_LONGEST_TEXT + 1)
            if len(text) > _LONGEST_TEXT:
                raise ValueError(f"{beside.name} beside it is longer than {_LONGEST_TEXT} bytes")
            return text.decode("latin-1")
    return None


def parse_missing(text: str, what: str) -> float | None:
    """Return the number that marks missing heights, from the text of a file.

    Parameters
    ----------
    text : str
        The number; NaN, which always marks a missing height; or nothing.
    what : str
        What it is, for the message.

    Returns
    -------
    float or None
        None where no other number than NaN marks them.

    Raises
    ------
    ValueError
        If `text` is none of these.
    """
    return None if text.strip().lower().lstrip("+-") in ("", "nan") else parse_number(text, what)


def parse_number(text: str, what: str) -> float:
    """Return a number from the text of a file.

    Parameters
    ----------
    text : str
        The number.
    what : str
        What it is, for the message.

    Returns
    -------
    float
        Finite.

    Raises
    ------
    ValueError
        If `text` is not a finite number.
    """
    short = text.strip()[:_LONGEST_NUMBER]
    try:
        value = float(short)
    except ValueError as error:
        raise ValueError(f"{what} = {short!r} is not a number") from error
    if not math.isfinite(value):
        raise ValueError(f"{what} = {short!r} is not finite")
    return value


def parse_count(text: str, what: str) -> int:
    """Return a whole number from the text of a file.

    Parameters
    ----------
    text : str
        The number.
    what : str
        What it is, for the message.

    Returns
    -------
    int
        0 to 10¹².

    Raises
    ------
    ValueError
        If `text` is not such a number.
    """
    value = parse_number(text, what)
    if not (0 <= value <= 1e12 and value == int(value)):
        raise ValueError(f"{what} = {text.strip()[:_LONGEST_NUMBER]!r} is not a whole number of 0 or more")
    return int(value)


_LONGEST_TEXT = 1 << 16
_LONGEST_NUMBER = 60
