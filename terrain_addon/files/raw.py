"""Heightmaps without a header, which game engines use: .raw, .r8, .r16 and .r32."""

import json
import math
import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .raster import ElevationFormat, Raster, plain_reader
from .reading import read_beside

_TYPES = {".r8": "u1", ".r16": "<u2", ".r32": "<f4", ".raw": "<u2"}
"""Type of the numbers by ending; for .raw a JSON file beside it can give another one."""

_TYPES_BY_BITS = {8: "u1", 16: "<u2", 32: "<f4"}


def open_raw(file: BinaryIO, path: Path, shape: tuple[int, int] | None = None) -> Raster:
    """Open a heightmap without a header.

    Parameters
    ----------
    file : BinaryIO
        Little-endian, row 0 north: levels of 8 or 16 bits, or 32-bit floats in metres.
    path : Path
        Its ending gives the type.  A JSON file of the same name may give ``width``, ``height`` and, for .raw, ``bpp``
        (bits per sample), in the form that Unreal uses.
    shape : tuple of int or None
        Rows and columns; None takes those of the JSON file, or a square if there is none.

    Returns
    -------
    Raster
        A picture, or heights in metres.

    Raises
    ------
    ValueError
        If the JSON file is damaged, or the size of the file does not fit.
    """
    described = _description(path)
    dtype = np.dtype(_TYPES[path.suffix.lower()])
    bits = described.get("bpp", 8 * dtype.itemsize)
    if not isinstance(bits, int) or bits not in _TYPES_BY_BITS:
        raise ValueError(f"bpp = {str(bits)[:20]} in its JSON file is not 8, 16 or 32")
    if path.suffix.lower() == ".raw":
        dtype = np.dtype(_TYPES_BY_BITS[bits])
    elif bits != 8 * dtype.itemsize:
        raise ValueError(f"bpp = {bits} in its JSON file is not {8 * dtype.itemsize}, as its ending says")
    size = os.fstat(file.fileno()).st_size
    if shape is None and {"width", "height"} & set(described):
        shape = _side(described, "height"), _side(described, "width")
    if shape is None:
        side = math.isqrt(size // dtype.itemsize)
        if side * side * dtype.itemsize != size:
            raise ValueError(
                f"its {size} bytes are not a square of samples of {8 * dtype.itemsize} bits; "
                f"put {path.stem}.json with width and height beside it, or give its rows and columns"
            )
        shape = side, side
    rows, columns = shape
    full_scale = int(np.iinfo(dtype).max) if dtype.kind == "u" else None
    return Raster(rows, columns, plain_reader(file, rows, columns, dtype), full_scale=full_scale)


def _description(path: Path) -> dict[str, Any]:
    """Return what the JSON file beside a heightmap says, empty if there is none."""
    text = read_beside(path, ".json")
    if text is None:
        return {}
    try:
        described = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.stem}.json beside it is not JSON") from error
    # A JSON file of this name may have another purpose, such as the manifest of a package.
    return described if isinstance(described, dict) else {}


def _side(described: dict[str, Any], name: str) -> int:
    """Return the number of samples along a side that the JSON file gives."""
    value = described.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1 << 20:
        raise ValueError(f"{name} = {str(value)[:20]} in its JSON file is not a number of samples")
    return value


RAW = ElevationFormat(
    "heightmap without a header",
    tuple(_TYPES),
    "picture, or floats in metres (.r32); size from a JSON file beside it, from `shape`, or a square",
    open_raw,
    open_raw,
    beside=(".json",),
)
