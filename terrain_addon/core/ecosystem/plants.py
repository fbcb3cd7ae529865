"""The plants of a landscape, as parallel arrays."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Plants:
    """Plants standing on a terrain; entry i of every array belongs to plant i.

    Attributes
    ----------
    x, y : ndarray of float32, shape (plants,)
        Place east and north of the south-west corner, in metres.
    species : ndarray of int32, shape (plants,)
        Index into the recipe's list of species.
    age : ndarray of float32, shape (plants,)
        Years, above 0.
    height : ndarray of float32, shape (plants,)
        Metres, above 0.
    rotation : ndarray of float32, shape (plants,)
        Turn about the vertical in degrees, counter-clockwise seen from above, 0 to 360.
    variant : ndarray of int32, shape (plants,)
        Which mesh of its species a plant wears, 0 to VARIANTS - 1.
    """

    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    species: npt.NDArray[np.int32]
    age: npt.NDArray[np.float32]
    height: npt.NDArray[np.float32]
    rotation: npt.NDArray[np.float32]
    variant: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return int(self.x.size)


VARIANTS = 3
"""Number of different meshes per plant form."""
