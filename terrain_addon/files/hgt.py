"""HGT: the tiles of the Shuttle Radar Topography Mission, one degree wide, named after their south-west corner.

Source: SRTM Topography documentation, NASA, version 2.1 (2009).
"""

import os
import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .georeference import degrees_to_metres
from .raster import Raster, plain_reader

_SHAPES = ((1201, 1201), (3601, 3601), (3601, 1801), (1201, 601))
_VOID = -32768


def open_hgt(file: BinaryIO, path: Path) -> Raster:
    """Open a tile of 1 or 3 seconds of arc; polewards of 50° steps of longitude may be twice as wide.

    Parameters
    ----------
    file : binary file
        Big-endian int16 metres, −32768 where there is none, row 0 north.
    path : Path
        Its name starts with the latitude and longitude of the south-west corner, as in ``N40W106.hgt``.

    Raises
    ------
    ValueError
        If the size is none that such tiles have, or the name gives no position.
    """
    size = os.fstat(file.fileno()).st_size
    shape = next((s for s in _SHAPES if 2 * s[0] * s[1] == size), None)
    if shape is None:
        raise ValueError(
            f"it has {size} bytes, and an HGT tile 1201 × 1201 or 3601 × 3601 samples of 2: it is cut short or no HGT"
        )
    name = re.match(r"([NS])(\d{2})([EW])(\d{3})", path.name.upper())
    if not name or int(name[2]) > 90 or int(name[4]) > 180:
        raise ValueError("its name does not start with a position such as N40W106, which HGT tiles keep nowhere else")
    south = int(name[2]) * (1 if name[1] == "N" else -1)
    rows, columns = shape
    # The outermost samples lie on whole degrees: neighbouring tiles share them.
    spacing = degrees_to_metres(1.0 / (columns - 1), 1.0 / (rows - 1), south + 0.5)
    return Raster(
        rows, columns, plain_reader(file, rows, columns, np.dtype(">i2")), spacing, _VOID, coordinates="WGS 84"
    )
