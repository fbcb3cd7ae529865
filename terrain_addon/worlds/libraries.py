"""The two libraries that worlds need and Blender's zips do not bring: dask and zarr, imported when they are used."""

import importlib
from types import ModuleType
from typing import Any

_HOW = "worlds need dask, distributed and zarr: run `python -m pip install {names}`"
PINNED = ("dask==2026.8.0", "distributed==2026.8.0", "zarr==3.4.2")
"""The versions that are tested."""


class LibraryMissing(ValueError):
    """A library that worlds need is not there; the message says how to get it."""


def load_library(name: str) -> Any:
    """Import a module of dask, distributed or zarr.

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
        raise LibraryMissing(f"{_HOW.format(names=' '.join(PINNED))} ({error})") from error
    return module
