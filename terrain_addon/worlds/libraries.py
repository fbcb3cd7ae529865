"""Libraries that worlds need and Blender's zips do not bring, imported when they are used."""

import importlib
from types import ModuleType
from typing import Any

_HOW = "worlds need {name}: run `python -m pip install {pinned}`"
PINNED = ("dask==2026.8.0", "distributed==2026.8.0", "zarr==3.4.2", "rasterio==1.5.2", "contourpy==1.4.0")
"""The versions that are tested; rasterio writes GeoTIFF, contourpy finds contours."""


class LibraryMissing(ValueError):
    """A library that worlds need is not there; the message says how to get it."""


def load_library(name: str) -> Any:
    """Import a module of one of these libraries.

    Parameters
    ----------
    name : str
        Of the module.

    Returns
    -------
    module

    Raises
    ------
    LibraryMissing
        If it is not installed.
    """
    try:
        module: ModuleType = importlib.import_module(name)
    except ImportError as error:
        raise LibraryMissing(f"{_HOW.format(name=name.split('.')[0], pinned=' '.join(PINNED))} ({error})") from error
    return module
