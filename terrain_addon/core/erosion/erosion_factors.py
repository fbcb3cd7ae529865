"""The factors that the layered model multiplies: 0 where nothing happens and 1 where the most happens.

The layered model keeps bedrock B and sediment S apart and moves, in each pass, a share T (the erosion rate) of a
product of maps: slope Sl and illumination I for thermal erosion, slope Sl and humidity H for hydraulic erosion.

>>> print(slope_factor(np.array([[0.0, 1.0, 2.0]] * 3), 1.0)[1].round(3))
[0.707 0.707 0.707]

References
----------
B. Benes and R. Forsbach (2001), "Layered data representation for visual simulation of terrain erosion", SCCG,
doi:10.1109/SCCG.2001.945341: the two layers.

B. K. P. Horn (1981), "Hill shading and the reflectance map", Proceedings of the IEEE 69, 14-47,
doi:10.1109/PROC.1981.11918: the gradient.
"""

import math

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain, as_field
from ..maps.slope import horn_gradient


def slope_factor(surface: npt.NDArray[np.float64], cell_size: float) -> Field:
    """Return Sl, the sine of the slope angle: 0 on flat ground and 1 on a vertical wall.

    Parameters
    ----------
    surface : ndarray of float64, shape (rows, columns)
        Heights in metres.
    cell_size : float
        Metres, above 0.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 1.  The tangent has no upper bound; with the sine one pass never removes more than its depth.
    """
    slope = np.empty(surface.shape, np.float32)
    _sine(surface, 1.0 / cell_size, slope)
    return slope


def checked_factor(values: Field | None, name: str, terrain: Terrain) -> Field:
    """Return a map that fits a land and has values from 0 to 1.

    Parameters
    ----------
    values : ndarray of float32, shape (rows, columns), or None
        The map; None stands for 1 everywhere.
    name : str
        Its name, for the message.
    terrain : Terrain
        The land.

    Returns
    -------
    ndarray of float32, shape (rows, columns) or (1, 1)
        The map; one sample of 1 for None.

    Raises
    ------
    ValueError
        If the map has another shape than the land, or values outside 0 to 1.
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
            # sin β = tan β / √(1 + tan² β)
            squared = east * east + north * north
            slope[row, column] = math.sqrt(squared / (1.0 + squared))
