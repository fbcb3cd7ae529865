"""Opening a file that came from somewhere else, and may be anything."""

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
