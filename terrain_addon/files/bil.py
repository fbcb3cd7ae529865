"""Plain binary grids with a text header beside them: ENVI, Esri BIL and Esri float grids.

References
----------
NV5 Geospatial, ENVI documentation, "ENVI Header Files".
Esri, ArcGIS documentation, "BIL, BIP, and BSQ raster files".
"""

import cmath
import math
import re
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .ascii_grid import cell_spacing
from .georeference import UNITS, degrees_to_metres, name_of_coordinates, spacing_in_metres
from .raster import ElevationFormat, Raster, plain_reader
from .reading import parse_count, parse_missing, parse_number, read_beside
from .turned import Axes, turn_north

_ENVI_TYPES = {1: "u1", 2: "i2", 3: "i4", 4: "f4", 5: "f8", 12: "u2", 13: "u4", 14: "i8", 15: "u8"}
_ENVI_UNITS = {"meters": UNITS[9001], "feet": UNITS[9002], "us survey feet": UNITS[9003]}
_ESRI_KINDS = {"SIGNEDINT": "i", "UNSIGNEDINT": "u", "FLOAT": "f"}
_ESRI_ORDERS = {"I": "<", "LSBFIRST": "<", "M": ">", "MSBFIRST": ">"}
_ENVI_LINE = re.compile(r"^[ \t]*([^={}\n]{1,60}?)[ \t]*=[ \t]*(\{[^}]*\}|[^\n]*)", re.MULTILINE)


def open_bil(file: BinaryIO, path: Path) -> Raster:
    """Open a grid of one band; the file ``.hdr`` of the same name describes it.

    Parameters
    ----------
    file : BinaryIO
        Integers of 8 to 64 bits or floats of 32 or 64 bits, row 0 north.
    path : Path
        The grid; its header and perhaps a ``.prj`` file are beside it.

    Returns
    -------
    Raster
        Heights in metres.

    Raises
    ------
    ValueError
        If there is no header, it describes a kind of file that is not read, or it does not fit the size of the file.
    """
    text = read_beside(path, ".hdr")
    if text is None:
        raise ValueError(f"there is no header {path.with_suffix('.hdr').name} beside it")
    if text.lstrip("\ufeff \t\r\n").upper().startswith("ENVI"):
        return _open_envi(file, text)
    return _open_esri(file, text, path)


def _open_envi(file: BinaryIO, text: str) -> Raster:
    """Open a grid that an ENVI header describes."""
    header = {key.strip().lower(): value.strip() for key, value in _ENVI_LINE.findall(text)}
    for name in ("samples", "lines", "data type"):
        if name not in header:
            raise ValueError(f"its header has no {name!r}")
    code = parse_count(header["data type"], "data type")
    if code not in _ENVI_TYPES:
        raise ValueError(f"its header gives data type {code}; heights are of type {', '.join(map(str, _ENVI_TYPES))}")
    _refuse_bands(header.get("bands", "1"))
    order = parse_count(header.get("byte order", "0"), "byte order")
    if order not in (0, 1):
        raise ValueError(f"its header gives byte order {order}, neither 0 nor 1")
    if parse_count(header.get("file compression", "0"), "file compression"):
        raise ValueError("it is compressed; save it without")
    rows, columns = parse_count(header["lines"], "lines"), parse_count(header["samples"], "samples")
    dtype = np.dtype("<>"[order] + _ENVI_TYPES[code])
    start = parse_count(header.get("header offset", "0"), "header offset")
    axes = _envi_axes(header, (rows, columns))
    raster = Raster(
        rows,
        columns,
        plain_reader(file, rows, columns, dtype, start=start),
        axes and (math.hypot(*axes.column), math.hypot(*axes.row)),
        _missing(header.get("data ignore value"), dtype),
        coordinates=name_of_coordinates(header.get("coordinate system string", "").lstrip("{ ")),
    )
    return raster if axes is None or axes.is_north_up else turn_north(raster, axes)


def _envi_axes(header: dict[str, str], shape: tuple[int, int]) -> Axes | None:
    """How rows and columns lie by the map info of an ENVI header, in metres; None if it does not say."""
    if "map info" not in header:
        return None
    # Name of the projection, reference pixel x and y (from 1), its easting and northing, pixel size x and y, …
    fields = [field.strip() for field in header["map info"].strip("{}").split(",")]
    if len(fields) < 7:
        raise ValueError("the map info in its header is cut short")
    column, row, west, north, east_step, north_step = (parse_number(f, "map info") for f in fields[1:7])
    corner = (west - (column - 1.0) * east_step, north + (row - 1.0) * north_step)
    others = {key.strip().lower(): value.strip() for key, _, value in (f.partition("=") for f in fields[7:])}
    units = others.get("units", "Meters")
    projection = header.get("coordinate system string", "").strip("{} ")
    if fields[0].lower().startswith("geographic") or (not projection and units.lower() == "degrees"):
        east, north = degrees_to_metres(east_step, north_step, corner[1] - 0.5 * shape[0] * north_step)
    elif projection:
        east, north = spacing_in_metres(east_step, north_step, corner=corner, shape=shape, projection=projection)
    elif units.lower() in _ENVI_UNITS:
        east, north = east_step * _ENVI_UNITS[units.lower()], north_step * _ENVI_UNITS[units.lower()]
    else:
        raise ValueError(
            f"the map info in its header is in {units[:20]}, neither meters, feet, US survey feet nor degrees"
        )
    # Counter-clockwise; multiples of 90° are exact.
    angle = parse_number(others.get("rotation", "0"), "rotation") % 360.0
    turn = 1j ** (angle / 90.0) if angle % 90.0 == 0.0 else cmath.rect(1.0, math.radians(angle))
    return Axes((east * turn.real, north * turn.imag), (east * turn.imag, -north * turn.real))


def _open_esri(file: BinaryIO, text: str, path: Path) -> Raster:
    """Open a grid that an Esri header describes."""
    lines = (line.split(None, 1) for line in text.splitlines())
    header = {line[0].lower(): line[1].strip() for line in lines if len(line) == 2}
    for name in ("nrows", "ncols"):
        if name not in header:
            raise ValueError(f"its header has no {name.upper()}, and does not start with ENVI")
    is_float_grid = path.suffix.lower() == ".flt"
    _refuse_bands(header.get("nbands", "1"))
    kind = header.get("pixeltype", "FLOAT" if is_float_grid else "SIGNEDINT").upper()
    bits = parse_count(header.get("nbits", "32" if is_float_grid else "8"), "NBITS")
    order = header.get("byteorder", "I").upper()
    if (
        kind not in _ESRI_KINDS
        or order not in _ESRI_ORDERS
        or bits not in (8, 16, 32, 64)
        or (kind, bits) in _NO_FLOATS
    ):
        raise ValueError(f"its header gives {bits} bits of {kind[:20]} in order {order[:20]}, which cannot be read")
    # If the header does not say whether numbers have a sign: bytes have none, longer numbers have one.
    letter = "u" if bits == 8 and "pixeltype" not in header else _ESRI_KINDS[kind]
    dtype = np.dtype(f"{_ESRI_ORDERS[order]}{letter}{bits // 8}")
    rows, columns = parse_count(header["nrows"], "NROWS"), parse_count(header["ncols"], "NCOLS")
    row_bytes = header.get("totalrowbytes", header.get("bandrowbytes"))
    reader = plain_reader(
        file,
        rows,
        columns,
        dtype,
        start=parse_count(header.get("skipbytes", "0"), "SKIPBYTES"),
        row_bytes=parse_count(row_bytes, "TOTALROWBYTES") if row_bytes else None,
    )
    missing = _missing(header.get("nodata", header.get("nodata_value")), dtype)
    spacing = _esri_spacing(header, (rows, columns), path)
    coordinates = name_of_coordinates(read_beside(path, ".prj"))
    return Raster(rows, columns, reader, spacing, missing, coordinates=coordinates)


_NO_FLOATS = {("FLOAT", 8), ("FLOAT", 16)}


def _esri_spacing(header: dict[str, str], shape: tuple[int, int], path: Path) -> tuple[float, float] | None:
    if "xdim" not in header or "ydim" not in header:
        return cell_spacing(header, shape, path)
    east, north = parse_number(header["xdim"], "XDIM"), parse_number(header["ydim"], "YDIM")
    corner = parse_number(header.get("ulxmap", "0"), "ULXMAP"), parse_number(header.get("ulymap", "0"), "ULYMAP")
    return spacing_in_metres(east, north, corner=corner, shape=shape, projection=read_beside(path, ".prj"))


def _refuse_bands(text: str) -> None:
    """Refuse a file with more than one band."""
    if (bands := parse_count(text, "bands")) != 1:
        raise ValueError(f"it has {bands} bands; save only the band with the heights")


def _missing(text: str | None, dtype: np.dtype[Any]) -> float | None:
    """Return the number that marks missing heights, None if there is none."""
    if text is None:
        return -32768.0 if dtype.kind == "i" and dtype.itemsize == 2 else None
    return parse_missing(text, "the number for missing heights")


BIL = ElevationFormat(
    "ENVI, Esri BIL and Esri float grid",
    (".bil", ".bsq", ".bip", ".flt", ".img", ".dat"),
    "plain grid of one band with a header (.hdr) beside it",
    open_bil,
    beside=(".hdr", ".prj"),
)
