"""Opening a file that came from somewhere else, and may be anything."""

import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

LARGEST_SIDE = 16384
"""Largest number of rows, and of columns, that is read from a file."""

LARGEST_DEFLATE_RATIO = 1032
"""Deflate cannot make data smaller than by this factor (258 bytes in 2 bits), so a larger promise is a lie."""


@contextmanager
def open_to_read(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file, and put its path in front of every complaint about it that is raised in the block.

    Parameters
    ----------
    path : path
        Absolute, or relative to the working directory; Blender's ``//`` must have been resolved.

    Yields
    ------
    file : binary file
        Open at the start of the file.

    Raises
    ------
    ValueError
        If the file is missing, not readable, empty or no file, or if the block raised ValueError or OSError.
    """
    try:
        found = Path(path).stat()
        # Not every path that can be opened ends: a pipe or a device would hold the reader for ever.
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
    """Return how many bytes lie between the current position of a file on disk and its end."""
    return os.fstat(file.fileno()).st_size - file.tell()


def check_sides(rows: int, columns: int) -> None:
    """Refuse a size that no array should be made for.

    Raises
    ------
    ValueError
        If `rows` or `columns` is below 1 or above `LARGEST_SIDE`.
    """
    if not (1 <= rows <= LARGEST_SIDE and 1 <= columns <= LARGEST_SIDE):
        raise ValueError(
            f"its size of {rows} rows × {columns} columns is outside 1 × 1 to {LARGEST_SIDE} × {LARGEST_SIDE}"
        )


def read_exactly(file: BinaryIO, start: int, count: int) -> bytes:
    """Return `count` bytes from place `start` of a file on disk.

    Raises
    ------
    ValueError
        If the file ends before; nothing is allocated then.
    """
    if start < 0 or count < 0 or start + count > os.fstat(file.fileno()).st_size:
        raise ValueError("it is cut short")
    file.seek(start)
    data = file.read(count)
    if len(data) != count:
        raise ValueError("it is cut short")
    return data


def read_beside(path: Path, suffix: str) -> str | None:
    """Return the text of the file that lies beside another, with another ending in small or capital letters.

    Parameters
    ----------
    path : Path
        The file that was asked for.
    suffix : str
        Ending with its dot, as in ``.hdr``.

    Returns
    -------
    str or None
        None where there is no such file.

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


def parse_number(text: str, what: str) -> float:
    """Return a finite number that a file gives as text.

    Raises
    ------
    ValueError
        If `text` is no finite number; the message names `what`.
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
    """Return a whole number from 0 to 10¹² that a file gives as text.

    Raises
    ------
    ValueError
        If `text` is none; the message names `what`.
    """
    value = parse_number(text, what)
    if not (0 <= value <= 1e12 and value == int(value)):
        raise ValueError(f"{what} = {text.strip()[:_LONGEST_NUMBER]!r} is not a whole number of 0 or more")
    return int(value)


_LONGEST_TEXT = 1 << 16
_LONGEST_NUMBER = 60
