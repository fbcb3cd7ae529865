"""Plates of a planet: where they meet, how they move, and what that does to the ground.

A plate is the part of the sphere that is nearest to its centre, and turns about a pole of its own.  Along a border the
relative velocity decides: plates that collide raise ranges and pull down trenches, plates that part leave a ridge or a
rift behind, and the sea floor between them sinks as it ages.

References
----------
Cortial, Y., Peytavie, A., Galin, E. & Guérin, E. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2),
1–11. doi:10.1111/cgf.13614
Parsons, B. & Sclater, J. G. (1977). An analysis of the variation of ocean floor bathymetry and heat flow with age.
Journal of Geophysical Research 82(5), 803–827. doi:10.1029/JB082i005p00803
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, kernel
from ..foundation.hashing import Purpose, derive_seed, unit_float
from ..foundation.parameters import ParameterSet, parameter
from .point_noise import random_direction

RIDGE_DEPTH = 2500.0
"""Depth in metres of sea floor that has just formed."""

SINKING = 350.0
"""How far sea floor sinks in metres, times the square root of its age in millions of years."""

OLDEST_FLOOR = 70.0
"""Age in millions of years from which on sea floor sinks no further."""

# Rounds of moving each centre away from the others, so that no plate is tiny.
_SPREADING_ROUNDS = 3
_HIDDEN_SPEED = 1e-3  # m per million years


@dataclass(frozen=True)
class Plates(ParameterSet):
    """Pieces of the crust that move: ranges, trenches, ridges and rifts stand along their borders."""

    enabled: bool = parameter(True, "Whether the planet has moving plates")
    count: int = parameter(14, "How many plates there are", limits=(2, 60), soft=(4, 30))
    speed: float = parameter(
        50.0, "How fast plates usually move against one another", unit="mm/yr", limits=(1.0, 500.0), soft=(10.0, 150.0)
    )
    range_width: float = parameter(
        7.0, "How far from a border ranges reach", unit="°", limits=(0.5, 30.0), soft=(2.0, 15.0)
    )
    range_height: float = parameter(
        5500.0, "How high colliding plates raise ranges", unit="m", limits=(0.0, 30000.0), soft=(0.0, 9000.0)
    )
    trench_depth: float = parameter(
        4500.0,
        "How far the sea floor is pulled down where one plate dives below another",
        unit="m",
        limits=(0.0, 30000.0),
        soft=(0.0, 9000.0),
    )
    rift_depth: float = parameter(
        1500.0, "How far land sinks where plates part", unit="m", limits=(0.0, 30000.0), soft=(0.0, 5000.0)
    )


class PlateMotion(NamedTuple):
    """Plates as numbers for kernels.

    Attributes
    ----------
    centres : ndarray of float64, shape (plates, 3)
        Unit vectors.
    buoyancy : ndarray of float64, shape (plates,)
        −1 to 1: plates with more carry more land, and stay above others.
    across : ndarray of float64, shape (plates, plates, 3)
        Unit vector across the border of two plates, towards the first.
    parting : ndarray of float64, shape (plates, plates, 3)
        Its product with a direction is the speed in m per million years at which the two part there.
    reach : float
        How much nearer the nearest plate may be for another one to count, as a difference of cosines.
    speed : float
        The usual relative speed in m per million years.
    radius : float
        Of the planet in metres.
    """

    centres: Array
    buoyancy: Array
    across: Array
    parting: Array
    reach: float
    speed: float
    radius: float


class PlateBorder(NamedTuple):
    """What plates do to a place.

    Attributes
    ----------
    floor : float
        Altitude in metres of sea floor here, from its age.
    rise, trench, rift : float
        Shares of the greatest height of ranges, depth of trenches and depth of rifts.
    buoyancy : float
        −1 to 1, of the plate here.
    """

    floor: float
    rise: float
    trench: float
    rift: float
    buoyancy: float


def plate_motion(plates: Plates, radius: float, seed: int) -> PlateMotion:
    """Return random plates.

    Parameters
    ----------
    plates : Plates
        How many, and how fast.
    radius : float
        Of the planet in metres, above 0.
    seed : int
        Seed of the recipe.

    Returns
    -------
    PlateMotion
    """
    centres = _spread_out(np.array([random_direction(seed, Purpose.PLATES, k) for k in range(plates.count)]))
    poles = np.array([random_direction(seed, Purpose.PLATES, k, 1) for k in range(plates.count)])
    draws = [
        [float(unit_float(derive_seed(seed, Purpose.PLATES, k, 2 + n))) for n in (0, 1)] for k in range(len(poles))
    ]
    buoyancy, share = np.array([2.0 * one - 1.0 for one, _ in draws]), np.array([0.4 + 0.6 * two for _, two in draws])
    # mm/yr are km per million years.
    speed = 1000.0 * plates.speed
    turning = poles * (share * speed)[:, np.newaxis]
    between = centres[:, np.newaxis] - centres[np.newaxis]
    apart = np.sqrt(between[..., 0] ** 2 + between[..., 1] ** 2 + between[..., 2] ** 2)
    across = between / np.where(apart > 0.0, apart, 1.0)[..., np.newaxis]
    # The velocity of plate a at p is ω_a × p, so that (v_a − v_b)·n = p·(n × (ω_a − ω_b)).
    parting = np.cross(across, turning[:, np.newaxis] - turning[np.newaxis])
    reach = math.radians(plates.range_width) * math.sqrt(4.0 * math.pi / plates.count)
    return PlateMotion(centres, buoyancy, across, np.ascontiguousarray(parting), reach, speed, radius)


def _spread_out(centres: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Move each centre a little away from those near it."""
    for _ in range(_SPREADING_ROUNDS):
        between = centres[:, np.newaxis] - centres[np.newaxis]
        square = (between * between).sum(axis=2) + 1e-9
        pushed = centres + 0.08 * (between / (square * np.sqrt(square))[..., np.newaxis]).sum(axis=1) / len(centres)
        centres = pushed / np.sqrt((pushed * pushed).sum(axis=1))[:, np.newaxis]
    return centres


@kernel
def _bump(place: float, middle: float, width: float) -> float:
    """A smooth hill of height 1 that ends `width` from its middle."""
    t = (place - middle) / width
    rest = max(1.0 - t * t, 0.0)
    return rest * rest


@kernel
def _floor_of(motion: PlateMotion, plate: int, x: float, y: float, z: float) -> float:
    """Altitude of sea floor on a plate: it formed at the border that parts, and moved here since."""
    youngest = OLDEST_FLOOR
    for other in range(len(motion.centres)):
        if other != plate:
            m = motion.parting
            speed = x * m[plate, other, 0] + y * m[plate, other, 1] + z * m[plate, other, 2]
            if speed > _HIDDEN_SPEED:
                # The sine of the angle to the border stands for the angle.  Floor is as old on both sides of a ridge,
                # so each plate leaves it at half the speed at which they part.
                n = motion.across
                sine = x * n[plate, other, 0] + y * n[plate, other, 1] + z * n[plate, other, 2]
                youngest = min(youngest, 2.0 * abs(sine) * motion.radius / speed)
    # Parsons & Sclater (1977): depth = 2500 m + 350 m · √(age / My), below 70 My.
    return -RIDGE_DEPTH - SINKING * math.sqrt(youngest)


@kernel
def plate_border(motion: PlateMotion, x: float, y: float, z: float, weights: Array) -> PlateBorder:
    """Return what plates do to a place; all of it changes smoothly from place to place.

    Parameters
    ----------
    motion : PlateMotion
        The plates.
    x, y, z : float
        Direction of the place, about of length 1.
    weights : ndarray of float64, shape (plates,)
        Working memory.

    Returns
    -------
    PlateBorder

    References
    ----------
    Cortial, Y. et al. (2019). Procedural tectonic planets. Computer Graphics Forum 38(2), 1–11. doi:10.1111/cgf.13614
    """
    count = len(motion.centres)
    nearest = -2.0
    for k in range(count):
        weights[k] = x * motion.centres[k, 0] + y * motion.centres[k, 1] + z * motion.centres[k, 2]
        nearest = max(nearest, weights[k])
    total = 0.0
    for k in range(count):
        share = max(1.0 - (nearest - weights[k]) / motion.reach, 0.0)
        weights[k] = share * share * share
        total += weights[k]
    floor, rise, trench, rift, buoyancy = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(count):
        if weights[a] > 0.0:
            mine = weights[a] / total
            floor += mine * _floor_of(motion, a, x, y, z)
            buoyancy += mine * motion.buoyancy[a]
            for b in range(a + 1, count):
                if weights[b] > 0.0:
                    theirs = weights[b] / total
                    m = motion.parting
                    speed = (x * m[a, b, 0] + y * m[a, b, 1] + z * m[a, b, 2]) / motion.speed
                    both = 4.0 * mine * theirs
                    pair = (mine + theirs) * (mine + theirs)
                    # From −1 on the plate that stays above to 1 on the one that dives.
                    side = (mine - theirs) / (mine + theirs)
                    side = side if motion.buoyancy[a] < motion.buoyancy[b] else -side
                    closing = min(max(-speed, 0.0), 1.5)
                    rise += pair * closing * _bump(side, -0.15, 0.85)
                    trench += pair * closing * _bump(side, 0.45, 0.3)
                    rift += min(max(speed, 0.0), 1.5) * both * both
    return PlateBorder(floor, rise, trench, rift, buoyancy)
