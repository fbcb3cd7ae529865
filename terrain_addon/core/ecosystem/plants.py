"""The plants of a landscape, as parallel arrays.

>>> two = Plants(*(np.array(values, np.float32) for values in ([5.0, 40.0], [1.0, 1.0])),
...     species=np.zeros(2, np.int32), age=np.ones(2, np.float32), height=np.full(2, 8.0, np.float32),
...     rotation=np.zeros(2, np.float32), variant=np.zeros(2, np.int32))
>>> road = [(40.0, 0.0), (40.0, 100.0)]
>>> len(clear_path(two, road, width=6.0)), two.radius.tolist()
(1, [2.0, 2.0])
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel

VARIANTS = 3
"""Number of different meshes per plant form."""


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
        Years, above 0; for dead wood the age at death.
    height : ndarray of float32, shape (plants,)
        Metres, above 0.
    rotation : ndarray of float32, shape (plants,)
        Turn about the vertical in degrees, counter-clockwise seen from above, 0 to 360.
    variant : ndarray of int32, shape (plants,)
        Which mesh of its form shows a plant, 0 to VARIANTS - 1.
    radius : ndarray of float32, shape (plants,)
        Radius of the crown in metres, above 0; a quarter of the height where nothing is given.
    health : ndarray of float32, shape (plants,)
        Recent growth of a plant, as a share of how it would grow there alone: 1 is thriving,
        0 is dead.  1 where nothing is given.
    condition : ndarray of int32, shape (plants,)
        A number of Condition; all living where nothing is given.
    """

    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    species: npt.NDArray[np.int32]
    age: npt.NDArray[np.float32]
    height: npt.NDArray[np.float32]
    rotation: npt.NDArray[np.float32]
    variant: npt.NDArray[np.int32]
    radius: npt.NDArray[np.float32] = None  # type: ignore[assignment]
    health: npt.NDArray[np.float32] = None  # type: ignore[assignment]
    condition: npt.NDArray[np.int32] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.radius is None:
            object.__setattr__(self, "radius", np.float32(0.25) * self.height)
        if self.health is None:
            object.__setattr__(self, "health", np.ones(self.x.size, np.float32))
        if self.condition is None:
            object.__setattr__(self, "condition", np.zeros(self.x.size, np.int32))

    def __len__(self) -> int:
        return int(self.x.size)


def remove_plants(plants: Plants, keep: npt.NDArray[np.bool_]) -> Plants:
    """Return the plants that are to stay.

    Parameters
    ----------
    plants : Plants
        A stand.
    keep : ndarray of bool, shape (plants,)
        Whether each plant stays.

    Returns
    -------
    Plants
        In the same order.

    Raises
    ------
    ValueError
        If there is not one truth value per plant.
    """
    keep = np.asarray(keep)
    if keep.shape != (len(plants),) or keep.dtype != np.bool_:
        raise ValueError(f"keep has shape {keep.shape} of {keep.dtype}, not ({len(plants)},) of bool")
    return Plants(**{part.name: getattr(plants, part.name)[keep] for part in fields(Plants)})


def add_plants(plants: Plants, others: Plants) -> Plants:
    """Return two stands as one, the plants of the first one first; whether they have room is not checked.

    Parameters
    ----------
    plants, others : Plants
        Their `species` count in the same list.

    Returns
    -------
    Plants
    """
    names = [part.name for part in fields(Plants)]
    return Plants(**{name: np.concatenate([getattr(plants, name), getattr(others, name)]) for name in names})


def distance_to_path(
    x: npt.NDArray[np.float32], y: npt.NDArray[np.float32], path: Sequence[tuple[float, float]]
) -> npt.NDArray[np.float32]:
    """Return how far places lie from a road, stream or fence.

    Parameters
    ----------
    x, y : ndarray of float32, shape (places,)
        Metres east and north.
    path : sequence of (x, y)
        Corners of an open line in metres, two or more; close it by naming the first corner again at the end.

    Returns
    -------
    ndarray of float32, shape (places,)
        Metres to the nearest point of the line.

    Raises
    ------
    ValueError
        If the path has fewer than two corners or they are not finite numbers.
    """
    corners = np.array(path, np.float64)
    if corners.ndim != 2 or corners.shape[0] < 2 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise ValueError(f"path = {list(path)!r} is not two or more corners (x, y) in metres")
    result = np.empty(x.size, np.float32)
    _distance_to_path(x, y, corners, result)
    return result


def clear_path(plants: Plants, path: Sequence[tuple[float, float]], width: float) -> Plants:
    """Return the plants without those on a road, whose crowns' middles lie within half its width.

    Parameters
    ----------
    plants : Plants
        A stand.
    path : sequence of (x, y)
        Corners of the road's middle line, in metres.
    width : float
        Metres, 0 or more.

    Returns
    -------
    Plants
        In the same order.

    Raises
    ------
    ValueError
        If the width is negative or not finite, or the path is none.
    """
    if not (np.isfinite(width) and width >= 0.0):
        raise ValueError(f"width = {width!r} m is not a finite length of 0 m or more")
    return remove_plants(plants, distance_to_path(plants.x, plants.y, path) > 0.5 * width)


@kernel
def _distance_to_path(x: Array, y: Array, corners: Array, result: Array) -> None:
    """Write the distance of each place to the nearest piece of a line."""
    for place in range(x.size):
        nearest = np.inf
        for k in range(corners.shape[0] - 1):
            along_x, along_y = corners[k + 1, 0] - corners[k, 0], corners[k + 1, 1] - corners[k, 1]
            off_x, off_y = x[place] - corners[k, 0], y[place] - corners[k, 1]
            length = along_x * along_x + along_y * along_y
            share = 0.0
            if length > 0.0:
                share = min(max((off_x * along_x + off_y * along_y) / length, 0.0), 1.0)
            off_x -= share * along_x
            off_y -= share * along_y
            nearest = min(nearest, off_x * off_x + off_y * off_y)
        result[place] = np.sqrt(nearest)
