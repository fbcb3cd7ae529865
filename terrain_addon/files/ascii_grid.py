"""Esri ASCII grids: a few lines of header, then heights as text.

References
----------
Esri, ArcGIS documentation, "Esri ASCII raster format".
GDAL documentation, "AAIGrid: Arc/Info ASCII Grid": DX and DY for cells that are not square.
"""

import re
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from .georeference import name_of_coordinates, spacing_in_metres
from .raster import ElevationFormat, Raster
from .reading import check_room, check_sides, parse_count, parse_missing, parse_number, read_beside, remaining_bytes

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_HEADER = 2000
_LONGEST_NUMBER = 40
_END_OF_NUMBER = re.compile(rb"(\.\d*)?([eE][+-]?\d*)?\Z")
_TEXT_BEFORE_END = 4000  # bytes
_COPIES_OF_TEXT = 4
_HEADER_LINE = re.compile(rb"\s*([A-Za-z_]{2,20})[ \t]+([^\s]{1,60})[ \t]*\r?\n")
_NO_NUMBER = re.compile(rb"[^0-9eE+\-.\s]")


def open_ascii_grid(file: BinaryIO, path: Path) -> Raster:
    """Open an ASCII grid.

    Parameters
    ----------
    file : BinaryIO
        On disk.
    path : Path
        The grid.  A ``.prj`` file beside it holds the coordinate system; without that file the coordinates decide
        whether they are degrees.

    Returns
    -------
    Raster
        Heights in metres.

    Raises
    ------
    ValueError
        If the header is incomplete or does not fit the number of heights, a height is not a number, or the text may end
        within its last number.
    """
    header, start = _header(file.read(_LONGEST_HEADER))
    for name in ("ncols", "nrows"):
        if name not in header:
            raise ValueError(f"it is not an ASCII grid: its header has no {name}")
    rows, columns = parse_count(header["nrows"], "nrows"), parse_count(header["ncols"], "ncols")
    check_sides(rows, columns)
    file.seek(start)
    size = remaining_bytes(file)
    if not 2 * rows * columns - 1 <= size <= (_LONGEST_NUMBER * columns + 2) * rows + _LONGEST_HEADER:
        raise ValueError(
            f"it is cut short or damaged: {size} bytes of text cannot be {rows} rows × {columns} columns of heights"
        )
    check_room(_COPIES_OF_TEXT * size + 8 * rows * columns, rows, columns)
    text = file.read()
    values = _numbers(text, rows * columns).reshape(rows, columns)
    _check_end(text)
    missing = parse_missing(header.get("nodata_value", "-9999"), "nodata_value")
    return Raster(
        rows,
        columns,
        lambda window: window.of(values),
        cell_spacing(header, (rows, columns), path),
        missing,
        coordinates=name_of_coordinates(read_beside(path, ".prj")),
    )


def cell_spacing(header: dict[str, str], shape: tuple[int, int], path: Path) -> tuple[float, float] | None:
    """Return the distance between samples in metres, from the header of a grid.

    Parameters
    ----------
    header : dict of str to str
        Values by key in small letters: cellsize, or dx and dy; xllcorner or xllcenter, yllcorner or yllcenter.
    shape : tuple of int
        Rows and columns.
    path : Path
        The grid; a ``.prj`` file beside it holds the coordinate system.

    Returns
    -------
    tuple of float or None
        Metres from west to east and from south to north; None if the header gives no size of cells.

    Raises
    ------
    ValueError
        If a value is not a number, or coordinates in degrees lie outside the globe.
    """
    if "cellsize" not in header and not ("dx" in header and "dy" in header):
        return None
    east, north = (_first_number(header, "cellsize", f"d{axis}") for axis in "xy")
    west, south = (_first_number(header, f"{axis}llcorner", f"{axis}llcenter") for axis in "xy")
    return spacing_in_metres(
        east, north, corner=(west, south + shape[0] * north), shape=shape, projection=read_beside(path, ".prj")
    )


def _first_number(header: dict[str, str], *keys: str) -> float:
    """Return the number under the first of these keys that the header has; 0 if it has none."""
    key = next((key for key in keys if key in header), "")
    return parse_number(header[key], key) if key else 0.0


def _header(head: bytes) -> tuple[dict[str, str], int]:
    """Return the values by key in small letters, and the position of the first height."""
    found: dict[str, str] = {}
    start = len(_BYTE_ORDER_MARK) if head.startswith(_BYTE_ORDER_MARK) else 0
    while line := _HEADER_LINE.match(head, start):
        if line[1].lower() == b"nan":  # A row of two heights, the first of them missing.
            break
        found[line[1].decode("ascii").lower()] = line[2].decode("latin-1")
        start = line.end()
    return found, start


def _check_end(text: bytes) -> None:
    """Refuse a text that may have been cut within its last number.

    Such a cut leaves the right count of heights, and the last one wrong.  After a space or a line break the last number
    is whole.  It is also whole if it has as many decimals, and digits of an exponent, as the numbers before it: a cut
    would have taken some.  Whole numbers have none, so there nobody can tell.
    """
    if text[-1:].isspace():
        return
    last = text[-_TEXT_BEFORE_END:].split()[1:]
    ends = {tuple(len(part or b"") for part in found.groups()) for found in map(_END_OF_NUMBER.search, last) if found}
    if len(ends) != 1 or ends == {(0, 0)}:
        raise ValueError("it may be cut short within its last number; if it is whole, add a line break at its end")


def _numbers(text: bytes, count: int) -> npt.NDArray[np.float64]:
    """Return all heights of the text, which must be `count`."""
    plain = re.sub(rb"(?i)\bnan\b", b"nan", text) if b"n" in text or b"N" in text else text
    odd = _NO_NUMBER.search(plain.replace(b"nan", b""))
    if odd:
        hint = "; write decimals with a point" if odd[0] == b"," else ""
        raise ValueError(f"its heights hold {odd[0].decode('latin-1')!r}, which is not part of a number{hint}")
    # numpy stops without an error where it cannot read on; if it read everything, it found the number added here.
    values = _parse(plain + b"\n7\n")
    if values.size != count + 1 or values[-1] != 7.0:
        raise ValueError(f"it is cut short or damaged: it does not hold the {count} heights that its header promises")
    return values[:-1]


def _parse(text: bytes) -> npt.NDArray[np.float64]:
    try:
        return np.fromstring(text, np.float64, sep=" ")
    except ValueError as error:
        raise ValueError("it is damaged: one of its heights is not a number") from error


ASCII_GRID = ElevationFormat("Esri ASCII grid", (".asc",), "heights as text", open_ascii_grid, beside=(".prj",))
