"""Where erosion has left something behind."""

import numpy as np

from ..foundation.terrain import Field, Terrain
from .declaration import Map


def measure_deposition(before: Terrain, after: Terrain) -> Field:
    """Return how much sediment has come to lie on each cell.

    Parameters
    ----------
    before, after : Terrain
        The same land at two times.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, 0 where sediment was lost.

    Raises
    ------
    ValueError
        If the two differ in shape.
    """
    if before.sediment.shape != after.sediment.shape:
        raise ValueError(f"the land had shape {before.sediment.shape} before and has {after.sediment.shape} after")
    return np.maximum(after.sediment - before.sediment, np.float32(0.0))


DEPOSITION = Map(
    "deposition",
    lambda terrain, relief: measure_deposition(relief, terrain),
    needs=("relief",),
    description="Sediment that erosion has left behind",
    unit="m",
)
