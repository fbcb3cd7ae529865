"""HGT: tiles of the Shuttle Radar Topography Mission, one degree wide, named after their south-west corner.

References
----------
SRTM Topography, NASA, SRTM documentation, version 2.1 (2009).
"""

import os
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .georeference import degrees_to_metres
from .raster import ElevationFormat, Raster, plain_reader

_SHAPES = ((1201, 1201), (3601, 3601), (3601, 1801), (1201, 601))
_VOID = -32768


def open_hgt(file: BinaryIO, path: Path) -> Raster:
    """Open a tile of 1 or 3 arc seconds; beyond latitude 50° the step in longitude may be twice as large.

    Parameters
    ----------
    file : BinaryIO
        Big-endian int16 metres, −32768 where a height is missing, row 0 north.
    path : Path
        Its name starts with the latitude and longitude of the south-west corner, as in ``N40W106.hgt``.

    Returns
    -------
    Raster
        Heights in metres.

    Raises
    ------
    ValueError
        If no such tile has this size, or the name gives no position.

    References
    ----------
    SRTM Topography, NASA, SRTM documentation, version 2.1 (2009).
    """
    size = os.fstat(file.fileno()).st_size
    shape = next((s for s in _SHAPES if 2 * s[0] * s[1] == size), None)
    if shape is None:
        raise ValueError(
            f"it has {size} bytes, but an HGT tile has 1201 × 1201 or 3601 × 3601 samples of 2 bytes: it is cut short, "
            "or it is not HGT"
        )
    name = re.match(r"([NS])(\d{2})([EW])(\d{3})", path.name.upper())
    if not name or int(name[2]) > 90 or int(name[4]) > 180:
        raise ValueError(
            "its name does not start with a position such as N40W106; HGT tiles store their position only there"
        )
    south = int(name[2]) * (1 if name[1] == "N" else -1)
    rows, columns = shape
    # The outermost samples lie on whole degrees: neighbouring tiles share them.
    spacing = degrees_to_metres(1.0 / (columns - 1), 1.0 / (rows - 1), south + 0.5)
    return Raster(
        rows, columns, plain_reader(file, rows, columns, np.dtype(">i2")), spacing, _VOID, coordinates="WGS 84"
    )


HGT = ElevationFormat("SRTM tile", (".hgt",), "tile of 1 or 3 arc seconds, named after its corner", open_hgt)
