"""An open file of heights: what its header says, and a function that reads its numbers window by window."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .reading import read_exactly

LONGEST_SIDE = 1 << 20
"""More rows or columns than any survey has; a file that claims more is damaged."""


@dataclass(frozen=True)
class Window:
    """A rectangle of samples.

    Parameters
    ----------
    row, column : int
        The first ones; row 0 is the first row of the file.
    rows, columns : int
        How many there are.
    """

    row: int
    column: int
    rows: int
    columns: int

    def of(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the part of an array that lies in the window.

        Parameters
        ----------
        values : ndarray, shape (rows, columns)
            All samples of the file.

        Returns
        -------
        ndarray, shape (window.rows, window.columns)
            A view.
        """
        return values[self.row : self.row + self.rows, self.column : self.column + self.columns]


@dataclass(frozen=True)
class Raster:
    """A grid of numbers in a file, row 0 north.

    Parameters
    ----------
    rows, columns : int
        1 to 2²⁰.
    read : callable
        Takes a `Window` and returns its numbers, ndarray of any real type, shape (window.rows, window.columns).
    spacing : tuple of float or None
        Metres between samples from west to east and from north to south; None if the file does not say.
    missing : float or None
        The number that marks a missing height; NaN always does.
    full_scale : int or None
        The largest number of a picture; None if the numbers are heights.
    unit : float
        Metres from a height of 0 to a height of 1.
    zero : float
        Metres of a height of 0.
    coordinates : str
        Name of the coordinate system; empty if the file does not say.
    overhead : int
        Bytes that reading takes beside the numbers of the window, for a file that is packed in large pieces.

    Raises
    ------
    ValueError
        If the size or the spacing is one that no survey has.
    """

    rows: int
    columns: int
    read: Callable[[Window], npt.NDArray[Any]]
    spacing: tuple[float, float] | None = None
    missing: float | None = None
    full_scale: int | None = None
    unit: float = 1.0
    zero: float = 0.0
    coordinates: str = ""
    overhead: int = 0

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= LONGEST_SIDE and 1 <= self.columns <= LONGEST_SIDE):
            raise ValueError(
                f"its size of {self.rows} rows × {self.columns} columns is outside 1 × 1 to "
                f"{LONGEST_SIDE} × {LONGEST_SIDE}"
            )
        for size in self.spacing or ():
            if not _SMALLEST_CELL <= size <= _LARGEST_CELL:  # NaN fails too.
                raise ValueError(f"its cell_size = {size!r} m is outside {_SMALLEST_CELL:g} to {_LARGEST_CELL:g} m")


@dataclass(frozen=True)
class ElevationFormat:
    """A file format for heights.

    Parameters
    ----------
    name : str
        What it is called.
    endings : tuple of str
        Of its files, in small letters with the dot.
    content : str
        What is read from it, in a few words.
    open : callable
        Takes the open file and its path, and returns a `Raster`.
    open_with_shape : callable or None
        The same with rows and columns as a third argument, for files without a header.
    beside : tuple of str
        Endings of files of the same name that say more about it.
    """

    name: str
    endings: tuple[str, ...]
    content: str
    open: Callable[[BinaryIO, Path], Raster]
    open_with_shape: Callable[[BinaryIO, Path, tuple[int, int]], Raster] | None = None
    beside: tuple[str, ...] = ()


def whole_raster(
    values: npt.NDArray[Any], *, spacing: tuple[float, float] | None = None, full_scale: int | None = None
) -> Raster:
    """Return a raster of numbers that are in memory already.

    Parameters
    ----------
    values : ndarray of any real type, shape (rows, columns)
        Row 0 north.
    spacing : tuple of float or None
        Metres between samples from west to east and from north to south; None if the file does not say.
    full_scale : int or None
        The largest number of a picture; None if the numbers are heights.

    Returns
    -------
    Raster
        Its windows are views of `values`.
    """
    rows, columns = values.shape
    return Raster(rows, columns, lambda window: window.of(values), spacing, full_scale=full_scale)


def plain_reader(
    file: BinaryIO, rows: int, columns: int, dtype: np.dtype[Any], *, start: int = 0, row_bytes: int | None = None
) -> Callable[[Window], npt.NDArray[Any]]:
    """Return a reader for uncompressed numbers, stored row after row.

    Parameters
    ----------
    file : BinaryIO
        On disk.
    rows, columns : int
        Size of the grid.
    dtype : dtype
        Type of the numbers, with byte order.
    start : int
        Position of the first number in the file, in bytes.
    row_bytes : int or None
        Bytes from one row to the next; None if there is nothing between rows.

    Returns
    -------
    callable
        For `Raster.read`.

    Raises
    ------
    ValueError
        If the file is not exactly as long as these numbers need.
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


def is_missing(values: npt.NDArray[Any], number: float) -> npt.NDArray[np.bool_]:
    """Return where the number stands that marks missing heights.

    Parameters
    ----------
    values : ndarray of any real type
        From `Raster.read`.
    number : float
        `Raster.missing`.

    Returns
    -------
    ndarray of bool, shape of `values`
    """
    if values.dtype.kind != "f":
        return values == int(number) if number == int(number) else np.zeros(values.shape, bool)
    # Written with few digits the number is inexact: the lowest float32 is often given as -3.40282e+38.
    return np.abs(values - values.dtype.type(number)) <= 1e-5 * abs(number)


_SMALLEST_CELL = 1e-4
_LARGEST_CELL = 1e6
