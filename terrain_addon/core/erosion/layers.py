"""How a change of the surface is shared out between the two layers of a land."""

import numpy as np
import numpy.typing as npt

from ..terrain import Field, Terrain


def heights_of(terrain: Terrain) -> npt.NDArray[np.float64]:
    """Return the height of the ground in metres as a new array of float64, shape (rows, columns), for a solver."""
    return terrain.bedrock.astype(np.float64) + terrain.sediment


def with_surface(terrain: Terrain, heights: npt.NDArray[np.float64]) -> Terrain:
    """Return the land with another surface: what is taken is taken from the sediment first, what is added is sediment.

    Parameters
    ----------
    terrain : Terrain
        The land before.
    heights : ndarray of float64, shape (rows, columns)
        Height of the ground in metres.

    Returns
    -------
    Terrain
        Its layers add up to `heights`, to float32 rounding.
    """
    bedrock = np.minimum(terrain.bedrock, heights)
    sediment = (heights - bedrock).astype(np.float32)
    return Terrain(bedrock.astype(np.float32), sediment, terrain.cell_size)


def just_below(heights: npt.NDArray[np.float64]) -> Field:
    """Return heights as float32, rounded so that none is higher than it was."""
    rounded = heights.astype(np.float32)
    return np.where(rounded > heights, np.nextafter(rounded, np.float32(-np.inf)), rounded)
