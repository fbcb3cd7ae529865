"""A file of heights that has been opened: what it says of itself, and a way to get at its numbers piece by piece."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .reading import read_exactly

LONGEST_SIDE = 1 << 20
"""More rows or columns than any survey has; what claims more is broken."""


@dataclass(frozen=True)
class Window:
    """A rectangle of samples; `row` and `column` are the first ones, row 0 is the first in the file."""

    row: int
    column: int
    rows: int
    columns: int

    def of(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return what of an array, shape (rows, columns), lies in the window."""
        return values[self.row : self.row + self.rows, self.column : self.column + self.columns]


@dataclass(frozen=True)
class Raster:
    """A grid of numbers in a file, row 0 north.

    Parameters
    ----------
    rows, columns : int
        1 to 2²⁰.
    read : callable
        Returns the numbers in a window, ndarray of any real type, shape (window.rows, window.columns).
    spacing : tuple of float or None
        Metres between samples from west to east and from north to south; None where the file does not say.
    missing : float or None
        The number that stands for no height; NaN always does.
    full_scale : int or None
        The largest number a picture can hold, None where the numbers are heights.
    unit : float
        Metres that a height of 1 stands for.
    coordinates : str
        What the file calls its system of coordinates; empty where it does not say.

    Raises
    ------
    ValueError
        If the size or the spacing is not one that a survey can have.
    """

    rows: int
    columns: int
    read: Callable[[Window], npt.NDArray[Any]]
    spacing: tuple[float, float] | None = None
    missing: float | None = None
    full_scale: int | None = None
    unit: float = 1.0
    coordinates: str = ""

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= LONGEST_SIDE and 1 <= self.columns <= LONGEST_SIDE):
            raise ValueError(
                f"its size of {self.rows} rows × {self.columns} columns is outside 1 × 1 to "
                f"{LONGEST_SIDE} × {LONGEST_SIDE}"
            )
        for size in self.spacing or ():
            if not _SMALLEST_CELL <= size <= _LARGEST_CELL:  # NaN fails too.
                raise ValueError(f"its cell_size = {size!r} m is outside {_SMALLEST_CELL:g} to {_LARGEST_CELL:g} m")


def whole_raster(
    values: npt.NDArray[Any], *, spacing: tuple[float, float] | None = None, full_scale: int | None = None
) -> Raster:
    """Return a raster of numbers that had to be read at once, ndarray of any real type, shape (rows, columns)."""
    rows, columns = values.shape
    return Raster(rows, columns, lambda window: window.of(values), spacing, full_scale=full_scale)


def plain_reader(
    file: BinaryIO, rows: int, columns: int, dtype: np.dtype[Any], *, start: int = 0, row_bytes: int | None = None
) -> Callable[[Window], npt.NDArray[Any]]:
    """Return a reader for numbers that lie in a file as they are, row after row.

    Parameters
    ----------
    file : binary file
        On disk.
    rows, columns : int
        Size of the grid.
    dtype : dtype
        Type of the numbers, with byte order.
    start : int
        Place of the first number in the file, in bytes.
    row_bytes : int or None
        Bytes from one row to the next; None where nothing lies between them.

    Returns
    -------
    callable
        For `Raster.read`.

    Raises
    ------
    ValueError
        If the file is not exactly as long as that takes.
    """
    stride = columns * dtype.itemsize if row_bytes is None else row_bytes
    needed = start + rows * stride
    present = os.fstat(file.fileno()).st_size
    if stride < columns * dtype.itemsize:
        raise ValueError(f"rows of {stride} bytes cannot hold {columns} samples of {dtype.itemsize} bytes")
    if present != needed:
        fault = "cut short" if present < needed else "not what its header says"
        raise ValueError(
            f"it is {fault}: {rows} rows × {columns} columns of {dtype.name} take {needed} bytes, it has {present}"
        )

    def read(window: Window) -> npt.NDArray[Any]:
        data = read_exactly(file, start + window.row * stride, window.rows * stride)
        lines = np.frombuffer(data, np.uint8).reshape(window.rows, stride)[:, : columns * dtype.itemsize]
        values = np.ascontiguousarray(lines).view(dtype)
        return values[:, window.column : window.column + window.columns]

    return read


_SMALLEST_CELL = 1e-4
_LARGEST_CELL = 1e6
