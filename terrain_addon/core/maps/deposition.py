"""Deposition: sediment that erosion has left behind."""

import numpy as np

from ..foundation.terrain import Field, Terrain
from .declaration import Map


def measure_deposition(before: Terrain, after: Terrain) -> Field:
    """Return how much the sediment of each cell has grown.

    Parameters
    ----------
    before, after : Terrain
        The same land before and after erosion.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres; 0 where the sediment has become thinner.  The sediment itself if there was none before.

    Raises
    ------
    ValueError
        If the two differ in shape.
    """
    if before.sediment.shape != after.sediment.shape:
        raise ValueError(f"the land had shape {before.sediment.shape} before and has {after.sediment.shape} after")
    if not before.sediment.any():
        return after.sediment
    grown = after.sediment - before.sediment
    return np.maximum(grown, np.float32(0.0), out=grown)


DEPOSITED_SEDIMENT = Map(
    "deposition",
    lambda terrain, relief: measure_deposition(relief, terrain),
    needs=("relief",),
    description="Sediment that erosion has left behind",
    unit="m",
)
