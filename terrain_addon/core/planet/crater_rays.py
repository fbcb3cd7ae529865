"""How bright craters make bare ground: what a young impact has thrown out is pale, and the largest of them have rays.

Fresh rock is brighter than old dust, which the light and the dust of space have darkened.

References
----------
Hawke, B. R., Blewett, D. T., Lucey, P. G., Smith, G. A., Bell, J. F., Campbell, B. A. & Robinson, M. S. (2004). The
origin of lunar crater rays. Icarus 170(1), 1–16. doi:10.1016/j.icarus.2004.02.013  (Rays are immature ejecta.)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.hashing import Purpose, derive_seed, next_hash, unit_float
from ..foundation.terrain import Field
from .craters import CraterField, Craters, cell_of, near_cells, plan_craters
from .cube_sphere import Directions
from .point_noise import random_direction, turned

_YOUNG = 0.05  # share of the craters that are so young that they may have rays
_RAYED, _RAYS = 30, 31  # how many of the young ones have them, the largest, and how many each
_SHORTEST, _LONGEST = 2.5, 15.0  # length of rays in radii of the crater
_WIDTH, _SPREAD = 0.16, 0.05  # of a ray at the rim, in radii, and how much wider it is one radius on
_BLANKET = 2.3  # radii up to which ejecta lie as a whole
_PALE_BLANKET, _PALE_RAY = 0.6, 0.7  # how bright those of the youngest are
_FLOOR = 0.55  # brightness in the middle of a crater, against its rim


class BrightCraters(NamedTuple):
    """Craters whose ejecta are still bright.

    Attributes
    ----------
    field : CraterField
        All craters.
    reaches : ndarray of float64, shape (craters,)
        How far their ejecta lie, in radii of the crater.
    youth : ndarray of float64, shape (craters,)
        0 for craters as dark as the ground around, 1 for the youngest.
    rays : ndarray of float64, shape (craters with rays, rays, 3)
        Unit vectors along the ground, away from the crater.
    lengths : ndarray of float64, shape (craters with rays, rays)
        In radii of the crater.
    numbers : ndarray of int64, shape (craters,)
        Which of those with rays each crater is; −1 for none.
    """

    field: CraterField
    reaches: Array
    youth: Array
    rays: Array
    lengths: Array
    numbers: Array


def crater_light(
    craters: Craters, radius: float, seed: int, turn: npt.NDArray[np.float64], directions: Directions
) -> Field:
    """Return how bright craters make the ground.

    Parameters
    ----------
    craters : Craters
        How many, and of which sizes.
    radius : float
        Of the planet in metres.
    seed : int
        Seed of the recipe.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    directions : ndarray of float64, shape (places, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float32, shape (places,)
        0 for old ground, 1 for the brightest.
    """
    light = np.empty(len(directions), np.float32)
    _shine(_bright_craters(craters, radius, seed), turn, np.ascontiguousarray(directions), light)
    return light


def _bright_craters(craters: Craters, radius: float, seed: int) -> BrightCraters:
    """Find the young craters, and give the largest of the youngest rays."""
    field = plan_craters(craters, radius, seed)
    count = len(field.radii)
    youth = np.maximum(2.0 * np.arange(1, count + 1) / count - 1.0, 0.0) ** 2
    first = int(count * (1.0 - _YOUNG))
    rayed = first + np.argsort(-field.radii[first:], kind="stable")[:_RAYED]
    rays, lengths = np.empty((len(rayed), _RAYS, 3)), np.empty((len(rayed), _RAYS))
    numbers = np.full(count, -1)
    numbers[rayed] = np.arange(len(rayed))
    for number, crater in enumerate(rayed.tolist()):
        for ray in range(_RAYS):
            rays[number, ray] = random_direction(seed, Purpose.CRATERS, crater, ray)
            luck = float(unit_float(next_hash(derive_seed(seed, Purpose.CRATERS, crater), ray)))
            lengths[number, ray] = _SHORTEST + (_LONGEST - _SHORTEST) * luck**3
    up = field.centres[rayed][:, np.newaxis]
    rays -= (rays * up).sum(axis=2, keepdims=True) * up
    rays /= np.maximum(np.sqrt(np.square(rays).sum(axis=2, keepdims=True)), 1e-9)
    reaches = np.where(youth > 0.0, _BLANKET, 0.0)
    reaches[rayed] = _LONGEST
    begins, members = near_cells(field.centres, reaches * field.radii)
    return BrightCraters(field._replace(begins=begins, members=members), reaches, youth, rays, lengths, numbers)


@parallel_kernel
def _shine(part: Part, bright: BrightCraters, turn: Array, places: Array, light: Array) -> None:
    """Write how bright each place is: as the brightest ejecta on it."""
    field, rays = bright.field, bright.rays
    for k in portion(part, len(places)):
        x, y, z = turned(turn, places[k, 0], places[k, 1], places[k, 2])
        cell = cell_of(x, y, z)
        brightest = 0.0
        for place in range(field.begins[cell], field.begins[cell + 1]):
            crater = field.members[place]
            size = field.radii[crater]
            dx, dy, dz = x - field.centres[crater, 0], y - field.centres[crater, 1], z - field.centres[crater, 2]
            away2 = (dx * dx + dy * dy + dz * dz) / (size * size)
            if away2 >= bright.reaches[crater] * bright.reaches[crater]:
                continue
            away = np.sqrt(away2)
            if away < 1.0:
                blanket = _FLOOR + (1.0 - _FLOOR) * away2 * away2
            else:
                blanket = max((_BLANKET - away) / (_BLANKET - 1.0), 0.0)
                blanket *= blanket
            brightest = max(brightest, _PALE_BLANKET * bright.youth[crater] * blanket)
            number = bright.numbers[crater]
            if number < 0 or away < 0.7:
                continue
            for ray in range(rays.shape[1]):
                along = (dx * rays[number, ray, 0] + dy * rays[number, ray, 1] + dz * rays[number, ray, 2]) / size
                if along <= 0.0:
                    continue
                across = np.sqrt(max(away2 - along * along, 0.0))
                width = _WIDTH + _SPREAD * along
                if across < width and along < bright.lengths[number, ray]:
                    pale = (1.0 - across / width) * (1.0 - along / bright.lengths[number, ray])
                    brightest = max(brightest, _PALE_RAY * pale)
        light[k] = brightest
