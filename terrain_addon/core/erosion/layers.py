"""How a change of the surface is divided between the two layers of a land, bedrock and sediment.

>>> land = Terrain(np.array([[10.0, 10.0]], np.float32), np.array([[2.0, 2.0]], np.float32), 1.0)
>>> changed = with_surface(land, heights_of(land) + np.array([[3.0, -5.0]]))
>>> print(changed.bedrock, changed.sediment)
[[10.  7.]] [[5. 0.]]
"""

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain


def heights_of(terrain: Terrain) -> npt.NDArray[np.float64]:
    """Return the height of the ground in double precision, for a solver.

    Parameters
    ----------
    terrain : Terrain
        The land.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Metres, in a new array.
    """
    heights = np.empty(terrain.bedrock.shape, np.float64)
    _add_layers(terrain.bedrock, terrain.sediment, heights)
    return heights


def with_surface(terrain: Terrain, heights: npt.NDArray[np.float64]) -> Terrain:
    """Return the land with another surface.  Sediment is removed before bedrock; what is added is sediment.

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
    bedrock, sediment = np.empty_like(terrain.bedrock), np.empty_like(terrain.bedrock)
    _split_layers(terrain.bedrock, heights, bedrock, sediment)
    return Terrain(bedrock, sediment, terrain.cell_size)


def just_below(heights: npt.NDArray[np.float64]) -> Field:
    """Return heights as float32, rounded down.

    Parameters
    ----------
    heights : ndarray of float64, any shape
        Metres.

    Returns
    -------
    ndarray of float32, shape of `heights`
        The largest float32 that is not above each height.
    """
    rounded = heights.astype(np.float32)
    return np.where(rounded > heights, np.nextafter(rounded, np.float32(-np.inf)), rounded)


@parallel_kernel
def _add_layers(part: Part, bedrock: Array, sediment: Array, heights: Array) -> None:
    for row in portion(part, heights.shape[0]):
        for c in range(heights.shape[1]):
            heights[row, c] = np.float64(bedrock[row, c]) + sediment[row, c]


@parallel_kernel
def _split_layers(part: Part, rock: Array, heights: Array, bedrock: Array, sediment: Array) -> None:
    """Bedrock reaches up to the old rock or the new surface, whichever is lower; sediment is the rest."""
    for row in portion(part, heights.shape[0]):
        for c in range(heights.shape[1]):
            height = heights[row, c]
            top = min(np.float64(rock[row, c]), height)
            bedrock[row, c], sediment[row, c] = top, height - top
