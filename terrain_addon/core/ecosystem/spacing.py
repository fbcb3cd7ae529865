"""How much room plants of one species keep from one another."""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Bits, kernel
from ..foundation.hashing import mix, unit_float


class Spacing(NamedTuple):
    """The distances that plants of a species keep; numbers only, so that it is cheap to hand on.

    Attributes
    ----------
    smallest, largest : float32
        Least and greatest radius of a plant in metres.
    stretch : float32
        By how much all distances are longer than the radii say: above 1 where the number of plants is limited.
    summed : bool
        Whether two plants keep the sum of their radii instead of the larger one.
    """

    smallest: np.float32
    largest: np.float32
    stretch: np.float32
    summed: bool


# By how much more than its own radius a plant that stands apart asks for, at most.
_APART = 0.6


@kernel
def lengthen(room: np.float32, lot: np.float32, spacing: Spacing) -> np.float32:
    """Return the radius for which a plant asks that stands apart from others.

    Parameters
    ----------
    room : float32
        Its radius, stretched, in metres.
    lot : float32
        A random number, 0 to 1.
    spacing : Spacing
        Distances of the species.

    Returns
    -------
    float32
        Metres; no distance becomes longer than twice the least one.
    """
    least = spacing.smallest * spacing.stretch
    if spacing.summed:
        longer = room + np.float32(_APART) * lot * (room + least)
        return max(room, min(longer, np.float32(3.999) * least - spacing.largest * spacing.stretch))
    return max(room, min(room * (np.float32(1.0) + np.float32(_APART) * lot), np.float32(1.999) * least))


@kernel
def draw_radius(bits: Bits, smallest: np.float32, largest: np.float32) -> np.float32:
    """Draw the radius of a plant.

    Parameters
    ----------
    bits : uint32
        Random bits of the dart.
    smallest, largest : float32
        Metres; all radii between them are equally likely.

    Returns
    -------
    float32
        Metres.
    """
    if smallest == largest:
        return largest
    return largest - (largest - smallest) * unit_float(mix(bits))


@kernel
def squared_room(room: np.float32, other: np.float32, summed: bool) -> np.float32:
    """Return the square of the distance that two plants of one species keep.

    Parameters
    ----------
    room, other : float32
        Their radii, stretched, in metres.
    summed : bool
        Whether they keep the sum of both, else the larger one.

    Returns
    -------
    float32
        Square metres.
    """
    kept = room + other if summed else max(room, other)
    return kept * kept


@kernel
def least_room(room: np.float32, spacing: Spacing, per_cell: float) -> np.float32:
    """Return how far a plant keeps every other one of its species away, whatever the radius of the other.

    Parameters
    ----------
    room : float32
        Its radius, stretched, in metres.
    spacing : Spacing
        Distances of the species.
    per_cell : float
        Cells per metre.

    Returns
    -------
    float32
        Distance in cells.
    """
    return np.float32(math.sqrt(squared_room(room, spacing.smallest * spacing.stretch, spacing.summed)) * per_cell)
