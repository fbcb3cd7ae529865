"""The maps that the published layered model multiplies: each 0 where nothing happens and 1 where most does."""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain, as_field
from ..maps.slope import horn_gradient


def published_slope(surface: npt.NDArray[np.float64], cell_size: float) -> Field:
    """Return Sl: the sine of the slope angle, 0 on flat ground and 1 on a vertical wall.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 1; unlike the tangent it has a bound, so that one pass never takes more than its depth.
    """
    slope = np.empty(surface.shape, np.float32)
    _sine(surface, 1.0 / cell_size, slope)
    return slope


def share_map(values: Field | None, name: str, terrain: Terrain) -> Field:
    """Return a map of a land with values from 0 to 1; 1 everywhere for None.

    Raises
    ------
    ValueError
        If it has another shape than the land, or values outside 0 to 1.
    """
    if values is None:
        return np.ones((1, 1), np.float32)
    field = as_field(values, name)
    if field.shape != terrain.bedrock.shape:
        raise ValueError(f"{name} has shape {field.shape}, but the land {terrain.bedrock.shape}")
    lowest, highest = float(field.min()), float(field.max())
    if lowest < 0.0 or highest > 1.0:
        raise ValueError(f"{name} has values from {lowest!r} to {highest!r}, outside 0 to 1")
    return field


@parallel_kernel
def _sine(part: Part, surface: Array, per_cell: float, slope: Array) -> None:
    for row in portion(part, surface.shape[0]):
        for column in range(surface.shape[1]):
            east, north = horn_gradient(surface, row, column, per_cell)
            squared = east * east + north * north
            slope[row, column] = math.sqrt(squared / (1.0 + squared))
