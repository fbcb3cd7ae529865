"""Arrays of numpy, alone (.npy) or in an archive (.npz); they are never unpickled, and all they say is checked.

References
----------
NumPy manual, ``numpy.lib.format``, "NPY format", versions 1.0 to 3.0.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from .raster import ElevationFormat, Raster, Window, plain_reader, whole_raster
from .reading import LARGEST_DEFLATE_RATIO, check_room, check_sides, remaining_bytes

_MAGIC = b"\x93NUMPY"
_NUMBERS = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}
_LONGEST_HEADER = 10000


def open_npy(file: BinaryIO) -> Raster:
    """Open a two-dimensional array of integers or floats, in metres.

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
        If the file is damaged or holds anything else.
    """
    size = remaining_bytes(file)
    shape, dtype, is_fortran = _read_header(file, dimensions=2)
    start = file.tell()
    _check_size(size, start, shape, dtype)
    if is_fortran:
        check_room(2 * (size - start), *shape)
        return whole_raster(np.frombuffer(file.read(), dtype).reshape(shape, order="F"))
    rows, columns = shape
    return Raster(rows, columns, plain_reader(file, rows, columns, dtype, start=start))


def write_npy(path: Path, values: npt.NDArray[np.generic]) -> None:
    """Write an array with the bytes of `numpy.save`, which says of a full disk only how much it had written.

    Parameters
    ----------
    path : Path
        A file that is not there yet, or is replaced.
    values : ndarray
        Of numbers; it is written row by row.

    Raises
    ------
    OSError
        If the file cannot be written; it says why.
    """
    values = np.ascontiguousarray(values)
    with path.open("wb") as file:
        header = np.lib.format.header_data_from_array_1_0(values)  # type: ignore[no-untyped-call]
        np.lib.format.write_array_header_1_0(file, header)  # type: ignore[no-untyped-call]
        file.write(values.data)


def open_npz(file: BinaryIO) -> Raster:
    """Open an archive with the array ``elevation`` in metres and, if it has one, ``cell_size`` in metres.

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
        If the file is damaged or holds anything else.
    """
    with _one_sentence():
        archive = _archive(file)
        names = archive.namelist()
        if "elevation.npy" not in names:
            held = ", ".join(ascii(name.removesuffix(".npy")[:20])[1:-1] for name in names[:10]) or "nothing"
            raise ValueError(f"it holds no array named elevation, but {held}")
        elevation = _Member(archive, "elevation.npy", dimensions=2)
        rows, columns = elevation.shape
        if "cell_size.npy" not in names:
            return Raster(rows, columns, elevation.read, overhead=elevation.overhead)
        cell_size = float(_Member(archive, "cell_size.npy", dimensions=None).whole().reshape(-1)[0])
        return Raster(rows, columns, elevation.read, (cell_size, cell_size), overhead=elevation.overhead)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn all that a damaged archive can raise into one sentence."""
    try:
        yield
    # RuntimeError, NotImplementedError: a damaged directory can ask for features of ZIP that no npz has.
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, RuntimeError, OverflowError) as error:
        raise ValueError(f"it is not a whole npz archive ({str(error)[:60]})") from error


def _archive(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (ValueError, OSError) as error:  # Positions before the start of the file.
        raise ValueError("it is not a whole npz archive") from error


class _Member:
    """An array in an archive; it is unpacked once from its start to its end while windows are read in this order."""

    def __init__(self, archive: zipfile.ZipFile, name: str, dimensions: int | None) -> None:
        info = archive.getinfo(name)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name} is packed in a way that is not read; save it with numpy.savez_compressed")
        if info.file_size > LARGEST_DEFLATE_RATIO * max(info.compress_size, 1):
            raise ValueError(f"{name} promises more bytes than it can hold")
        self._archive, self._info, self._dimensions = archive, info, dimensions
        self._values: npt.NDArray[Any] | None = None
        self._open()
        _check_size(info.file_size, self._stream.tell(), self.shape, self._dtype)

    def _open(self) -> None:
        """Go to the first row."""
        self._stream = self._archive.open(self._info)
        self.shape, self._dtype, self._is_fortran = _read_header(self._stream, self._dimensions)
        self._row = 0

    @property
    def overhead(self) -> int:
        """Bytes that reading a window takes beside it."""
        return 2 * self._info.file_size if self._is_fortran else 0

    def whole(self) -> npt.NDArray[Any]:
        """Return all numbers; nothing may have been read before."""
        data = self._read(int(np.prod(self.shape, dtype=np.int64)) * self._dtype.itemsize)
        return np.frombuffer(data, self._dtype).reshape(self.shape, order="F" if self._is_fortran else "C")

    def read(self, window: Window) -> npt.NDArray[Any]:
        """Return a window of an array of rows and columns."""
        with _one_sentence():
            rows, columns = self.shape
            if self._is_fortran:
                if self._values is None:
                    check_room(self.overhead, rows, columns)
                    self._values = self.whole()
                return window.of(self._values)
            if window.row < self._row:
                self._open()
            line = columns * self._dtype.itemsize
            while self._row < window.row:
                step = min(window.row - self._row, max(1, _SKIPPED_AT_A_TIME // line))
                self._read(step * line)
                self._row += step
            values = np.frombuffer(self._read(window.rows * line), self._dtype).reshape(window.rows, columns)
            self._row += window.rows
            return values[:, window.column : window.column + window.columns]

    def _read(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) != count:
            raise ValueError("it is cut short")
        return data


_SKIPPED_AT_A_TIME = 1 << 22  # bytes


def _read_header(file: Any, dimensions: int | None) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Return shape, type and whether columns come first; the header is searched for them, never evaluated."""
    start = file.read(8)
    if start[:6] != _MAGIC or len(start) < 8 or start[6] not in (1, 2, 3):
        raise ValueError("it is not a numpy array")
    length = int.from_bytes(file.read(2 if start[6] == 1 else 4), "little")
    header = file.read(min(length, _LONGEST_HEADER)).decode("latin-1")
    kind = re.search(r"'descr'\s*:\s*'([<>|=]?)([a-zA-Z])(\d{0,3})'", header)
    order = re.search(r"'fortran_order'\s*:\s*(True|False)", header)
    shape = re.search(r"'shape'\s*:\s*\(([\d\s,]{0,200})\)", header)
    if len(header) != length or not order or not shape:
        raise ValueError("it is cut short or damaged: the header of the numpy array cannot be read")
    if not kind or int(kind[3] or 0) not in _NUMBERS.get(kind[2], ()):
        raise ValueError("the numpy array does not hold plain integers or floats")
    sides = tuple(int(side) for side in shape[1].replace(",", " ").split())
    if dimensions is not None and len(sides) != dimensions:
        raise ValueError(f"the numpy array has shape {sides}, not (rows, columns)")
    if len(sides) == 2:
        check_sides(*sides)
    elif any(side != 1 for side in sides):
        raise ValueError(f"cell_size has shape {sides}, not one number")
    return sides, np.dtype(kind[1] + kind[2] + kind[3]), order[1] == "True"


def _check_size(size: int, start: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if size != start + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize:
        raise ValueError(f"it is cut short or damaged: it has {size} bytes, but shape {shape} of {dtype}")


NPZ = ElevationFormat(
    "numpy archive",
    (".npz",),
    "array `elevation` in metres, and `cell_size` in metres if there is one",
    lambda file, path: open_npz(file),
)
NPY = ElevationFormat("numpy array", (".npy",), "array in metres", lambda file, path: open_npy(file))
