"""What a finished world becomes for other programs, by name; each kind goes into a folder of its own in the world."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..files.engines.package import ENGINES
from .contours import write_contours
from .engine_packages import write_world_package
from .geotiffs import write_geotiffs
from .rivers import write_rivers
from .running import Report

CONTOUR_SPACING = 100.0
"""Metres from one contour to the next, if nothing is said."""


def export_world(
    folder: str | os.PathLike[str],
    kind: str,
    contour_spacing: float = CONTOUR_SPACING,
    report: Report | None = None,
    client: Any = None,
) -> str:
    """Write a finished world for other programs, into a folder of that name in it.

    Parameters
    ----------
    folder : path
        Of the world.
    kind : str
        One of `EXPORTS`.
    contour_spacing : float
        Metres from one contour to the next, 0.1 to 10,000.
    report : callable, optional
        Called with a `WorldProgress` as the work goes on.
    client : distributed.Client, optional
        Workers of Dask that see the folder, for packages and GeoTIFF.

    Returns
    -------
    str
        What was written, in one sentence.

    Raises
    ------
    ValueError
        If there is no such kind, no finished world, a library is missing, or something cannot be written.
    """
    if kind not in EXPORTS:
        raise ValueError(f"a world cannot be written for {kind!r}; there are: {', '.join(EXPORTS)}")
    return EXPORTS[kind](Path(folder), Path(folder) / kind, contour_spacing, report, client)


_Export = Callable[[Path, Path, float, Report | None, Any], str]


def _package_for(engine: str) -> _Export:
    def export(folder: Path, out: Path, spacing: float, report: Report | None, client: Any) -> str:
        return write_world_package(folder, out, engine, report, client).message

    return export


def _geotiff(folder: Path, out: Path, spacing: float, report: Report | None, client: Any) -> str:
    return f"{out}: {len(write_geotiffs(folder, out, report, client))} files"


def _contours(folder: Path, out: Path, spacing: float, report: Report | None, client: Any) -> str:
    file = out / "contours.geojson"
    return f"{file}: {write_contours(folder, file, spacing, report)} contours"


def _rivers(folder: Path, out: Path, spacing: float, report: Report | None, client: Any) -> str:
    file = out / "rivers.geojson"
    return f"{file}: {write_rivers(folder, file, report)} rivers"


EXPORTS: dict[str, _Export] = {
    **{engine: _package_for(engine) for engine in ENGINES},
    "geotiff": _geotiff,
    "contours": _contours,
    "rivers": _rivers,
}
"""What a world can be written for."""
