"""Lines of a world as GeoJSON, written one by one.

Coordinates are metres east and north of the south-west corner of the world, which RFC 7946 does not foresee: it knows
degrees only.  QGIS and GDAL read them as they are.

References
----------
Butler, H., et al. (2016). The GeoJSON Format. RFC 7946. doi:10.17487/RFC7946
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files.writing import atomic_write

_DECIMALS = 3  # of metres

AddLine = Callable[[npt.NDArray[np.float64], dict[str, Any]], None]
"""Takes the points of a line, shape (points, 2 or 3), and its properties."""


@contextmanager
def write_lines(file: str | os.PathLike[str]) -> Iterator[AddLine]:
    """Open a GeoJSON file that is there when the block ends without a fault.

    Parameters
    ----------
    file : path
        To write.

    Yields
    ------
    callable
        Adds a line.
    """
    with atomic_write(file) as target:
        target.write(b'{"type": "FeatureCollection", "features": [')
        separator = b"\n"

        def add(points: npt.NDArray[np.float64], properties: dict[str, Any]) -> None:
            nonlocal separator
            geometry = {"type": "LineString", "coordinates": np.round(points, _DECIMALS).tolist()}
            feature = {"type": "Feature", "properties": properties, "geometry": geometry}
            target.write(separator + json.dumps(feature, separators=(",", ":"), allow_nan=False).encode())
            separator = b",\n"

        yield add
        target.write(b"\n]}\n")
