"""Libraries that worlds need and Blender's zips do not bring, imported when they are used."""

import importlib
import sys
from types import ModuleType
from typing import Any

PINNED = (
    "numpy==2.3.4",
    "numba==0.68.1",
    "zstandard==0.25.0",
    "dask==2026.8.0",
    "distributed==2026.8.0",
    "zarr==3.4.2",
    "rasterio==1.5.2",
    "contourpy==1.4.0",
)
"""The versions that are tested; zstandard reads worlds without zarr, rasterio writes GeoTIFF, contourpy contours."""
HOW_TO_MAKE = f"python -m pip install {' '.join(PINNED)}"
"""Brings all that making a world needs into a Python of its own."""
_READING = "zstandard"
"""All that reading a finished world needs."""


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
        package = name.split(".")[0]
        wanted = [pin for pin in PINNED if package != _READING or pin.startswith(_READING)]
        python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
        raise LibraryMissing(
            f"worlds need {package}: run `{python} -m pip install {' '.join(wanted)}` and start again ({error})"
        ) from error
    return module
