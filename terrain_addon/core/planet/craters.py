"""Craters: how many there are of each size, how deep they are, and how later ones cover earlier ones.

References
----------
Pike, R. J. (1977). Size-dependence in the shape of fresh impact craters on the Moon. In Impact and Explosion Cratering,
489–509. Pergamon Press.
Melosh, H. J. (1989). Impact Cratering: A Geologic Process, pp. 87–90. Oxford University Press.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.elementary import power
from ..foundation.hashing import Purpose, derive_seed, next_hash, unit_float
from ..foundation.parameters import ParameterSet, parameter
from .point_noise import (
    STRETCH,
    SpaceOctaves,
    direction_from,
    draw_noise,
    fractal_sum,
    new_noise_work,
    space_octaves,
    stretches,
    take_stretch,
)

SIMPLE_LIMIT, COMPLEX_LIMIT = 15000.0, 20000.0
"""Diameters in metres up to which craters are simple, and from which on they are complex: shallower, with a flat floor
and a central peak.  Between them one kind passes into the other."""

EJECTA_REACH = 4.0
"""How far ejecta lie, in radii of the crater."""

_WHOLE_EJECTA = 3.0  # radii up to which they follow their law; from there on they fade
_LARGEST = 0.8  # diameter of a crater, as a multiple of the radius of the planet
_CELLS = 24  # along each side of the cube in which craters are looked up
_BENDING = 0.09  # of the radius, so that rims are not circles
_RESTORED = 1.6  # radii within which the older ground is buried
_MOVED = 0.7  # of the depth: how far older ground is raised or lowered by that at most


@dataclass(frozen=True)
class Craters(ParameterSet):
    """Craters of impacts; there are four times as many of half the size."""

    enabled: bool = parameter(False, "Whether there are craters")
    count: int = parameter(2500, "How many craters there are", limits=(1, 50000), soft=(100, 10000))
    smallest: float = parameter(
        30000.0, "Diameter of the smallest crater", unit="m", limits=(1.0, 1e7), soft=(100.0, 100000.0)
    )
    largest: float = parameter(
        900000.0, "Diameter of the largest crater", unit="m", limits=(1.0, 1e7), soft=(1000.0, 2e6)
    )
    age: float = parameter(
        0.45, "How worn the older half of the craters is: 0 is as fresh as the younger half", limits=(0.0, 1.0)
    )

    def check(self) -> None:
        """Refuse craters whose smallest is larger than their largest."""
        if self.smallest > self.largest:
            raise ValueError(f"smallest = {self.smallest} m is above largest = {self.largest} m")


class CraterField(NamedTuple):
    """Craters from the oldest to the youngest.

    Attributes
    ----------
    centres : ndarray of float64, shape (craters, 3)
        Unit vectors in the space of the noise.
    radii : ndarray of float64, shape (craters,)
        Distances from the centre to the rim on the unit sphere, straight through it.
    depths, rims : ndarray of float64, shape (craters,)
        Metres from the rim to the floor, and from the ground around to the rim.
    flatness : ndarray of float64, shape (craters,)
        From 0 for a bowl to 1 for a flat floor with a peak.
    grounds : ndarray of float64, shape (craters,)
        Altitude of the ground at the centre before the impact, in metres.
    begins, members : ndarray of int64
        The craters near each cell of a cube around the planet: numbers `begins[cell]` to `begins[cell + 1]` of
        `members`, the oldest first.
    bending : SpaceOctaves
        Noise that bends rims.
    """

    centres: Array
    radii: Array
    depths: Array
    rims: Array
    flatness: Array
    grounds: Array
    begins: Array
    members: Array
    bending: SpaceOctaves


@kernel
def crater_depth(diameter: float) -> float:
    """Return the depth of a fresh crater, from its rim to its floor.

    Parameters
    ----------
    diameter : float
        Metres from rim to rim, above 0.

    Returns
    -------
    float
        Metres.

    References
    ----------
    Pike (1977): 0.196 D^1.01 km for simple craters, 1.044 D^0.301 km for complex ones.
    """
    size, flat = diameter / 1000.0, _flatness(diameter)
    return 1000.0 * ((1.0 - flat) * 0.196 * power(size, 1.01) + flat * 1.044 * power(size, 0.301))


@kernel
def rim_height(diameter: float) -> float:
    """Return how high the rim of a fresh crater stands above the ground around.

    Parameters
    ----------
    diameter : float
        Metres from rim to rim, above 0.

    Returns
    -------
    float
        Metres.

    References
    ----------
    Pike (1977): 0.036 D^1.014 km for simple craters, 0.236 D^0.399 km for complex ones.
    """
    size, flat = diameter / 1000.0, _flatness(diameter)
    return 1000.0 * ((1.0 - flat) * 0.036 * power(size, 1.014) + flat * 0.236 * power(size, 0.399))


@kernel
def _flatness(diameter: float) -> float:
    """0 for simple craters, 1 for complex ones, and between them in the transition."""
    t = min(max((diameter - SIMPLE_LIMIT) / (COMPLEX_LIMIT - SIMPLE_LIMIT), 0.0), 1.0)
    return ease(t)


def crater_diameters(craters: Craters, seed: int) -> npt.NDArray[np.float64]:
    """Return random diameters; the number of those above D falls with D⁻².

    Parameters
    ----------
    craters : Craters
        How many, and between which sizes.
    seed : int
        Seed of the recipe.

    Returns
    -------
    ndarray of float64, shape (craters.count,)
        Metres, in random order.
    """
    share = (craters.smallest / craters.largest) ** 2
    drawn = np.empty(craters.count)
    _draw_numbers(derive_seed(seed, Purpose.CRATERS), drawn)
    return craters.smallest / np.sqrt(1.0 - drawn * (1.0 - share))


def plan_craters(craters: Craters, radius: float, seed: int) -> CraterField:
    """Return random craters, not yet on any ground.

    Parameters
    ----------
    craters : Craters
        How many, and of which sizes.
    radius : float
        Of the planet in metres.
    seed : int
        Seed of the recipe.

    Returns
    -------
    CraterField
        Whose `grounds` are 0.  If the largest crater is too large for the planet, all are smaller in the same ratio.
    """
    diameters = crater_diameters(craters, seed) * min(_LARGEST * radius / craters.largest, 1.0)
    count = craters.count
    centres, shapes = np.empty((count, 3)), np.empty((3, count))
    _draw_directions(derive_seed(seed, Purpose.CRATERS), centres)
    _measure(diameters, shapes)
    wear = 1.0 - craters.age * np.clip(1.0 - 2.0 * np.arange(count) / count, 0.0, 1.0)
    radii = 0.5 * diameters / radius
    begins, members = near_cells(centres, radii * EJECTA_REACH)
    return CraterField(
        centres,
        radii,
        shapes[0] * wear,
        shapes[1] * wear,
        shapes[2],
        np.zeros(count),
        begins,
        members,
        space_octaves(8.0, 4, 0.5, seed, Purpose.CRATERS),
    )


def dig_craters(
    field: CraterField,
    turn: npt.NDArray[np.float64],
    ground_at: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    heights: npt.NDArray[np.float64],
) -> None:
    """Change heights by craters, one after the other.

    Parameters
    ----------
    field : CraterField
        From `plan_craters`.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    ground_at : ndarray of float64, shape (craters,)
        Altitude at the centres before all craters, in metres.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.
    heights : ndarray of float64, shape (…), C-contiguous
        Altitudes in metres; changed.
    """
    field = field._replace(grounds=np.array(ground_at, np.float64))
    _settle_centres(field, _BENDING * draw_noise(field.bending, np.eye(3), field.centres))
    _dig_all(field, turn, np.ascontiguousarray(directions).reshape(-1, 3), heights.reshape(-1))


@kernel
def _draw_numbers(seed: np.uint32, drawn: Array) -> None:
    """Write for each crater a random number in [0, 1)."""
    for k in range(drawn.size):
        drawn[k] = unit_float(next_hash(seed, k))


@kernel
def _draw_directions(seed: np.uint32, centres: Array) -> None:
    """Write for each crater a direction that is equally likely everywhere on the sphere."""
    for k in range(len(centres)):
        centres[k, 0], centres[k, 1], centres[k, 2] = direction_from(next_hash(next_hash(seed, k), 1))


@kernel
def _measure(diameters: Array, shapes: Array) -> None:
    """Write depth, height of the rim, and flatness of fresh craters."""
    for k in range(diameters.size):
        shapes[0, k], shapes[1, k] = crater_depth(diameters[k]), rim_height(diameters[k])
        shapes[2, k] = _flatness(diameters[k])


def near_cells(centres: Array, reaches: Array) -> tuple[Array, Array]:
    """Return which craters reach into each cell of a cube around the planet.

    Parameters
    ----------
    centres : ndarray of float64, shape (craters, 3)
        Unit vectors.
    reaches : ndarray of float64, shape (craters,)
        How far each one reaches, in radii of the planet.

    Returns
    -------
    begins, members : ndarray of int64
        As in `CraterField`.
    """
    begins = np.zeros(_CELLS**3 + 1, np.int64)
    _count_near(centres, reaches, begins)
    begins[:] = np.cumsum(begins)
    members = np.empty(begins[-1], np.int64)
    _list_near(centres, reaches, begins[:-1].copy(), members)
    return begins, members


@kernel
def _cell_along(place: float) -> Any:
    return np.int64(np.floor(min(max((place + 1.0) * (0.5 * _CELLS), 0.0), _CELLS - 1.0)))


@kernel
def cell_of(x: float, y: float, z: float) -> Any:
    """Return the number of the cell in which a point of the unit sphere lies; see `CraterField`.

    Parameters
    ----------
    x, y, z : float
        The point.

    Returns
    -------
    int
    """
    return (_cell_along(x) * _CELLS + _cell_along(y)) * _CELLS + _cell_along(z)


@kernel
def _count_near(centres: Array, reaches: Array, begins: Array) -> None:
    for k in range(len(centres)):
        c, reach = centres[k], reaches[k]
        for i in range(_cell_along(c[0] - reach), _cell_along(c[0] + reach) + 1):
            for j in range(_cell_along(c[1] - reach), _cell_along(c[1] + reach) + 1):
                for m in range(_cell_along(c[2] - reach), _cell_along(c[2] + reach) + 1):
                    begins[(i * _CELLS + j) * _CELLS + m + 1] += 1


@kernel
def _list_near(centres: Array, reaches: Array, places: Array, members: Array) -> None:
    for k in range(len(centres)):
        c, reach = centres[k], reaches[k]
        for i in range(_cell_along(c[0] - reach), _cell_along(c[0] + reach) + 1):
            for j in range(_cell_along(c[1] - reach), _cell_along(c[1] + reach) + 1):
                for m in range(_cell_along(c[2] - reach), _cell_along(c[2] + reach) + 1):
                    cell = (i * _CELLS + j) * _CELLS + m
                    members[places[cell]] = k
                    places[cell] += 1


@kernel
def _after_impact(field: CraterField, k: int, x: float, y: float, z: float, bent: float, height: float) -> float:
    """The altitude of a point after one crater."""
    dx, dy, dz = x - field.centres[k, 0], y - field.centres[k, 1], z - field.centres[k, 2]
    r = math.sqrt(dx * dx + dy * dy + dz * dz) / field.radii[k]
    if r >= EJECTA_REACH:
        return height
    # Bent most at the rim, and not at all at the centre and at the end.
    r = r * (1.0 + bent * min(r, 1.0) * (1.0 - max(r - 1.0, 0.0) / (EJECTA_REACH - 1.0)))
    rim = field.rims[k]
    if r < 1.0:
        bowl, flat = r * r, field.flatness[k]
        if flat > 0.0:
            # A flat floor, steep walls, and a peak in the middle.
            top = max(1.0 - 36.0 * bowl, 0.0)
            bowl += flat * (bowl * bowl * bowl + 0.22 * top * top - bowl)
        profile = rim - field.depths[k] * (1.0 - bowl)
    else:
        # Ejecta thin with the third power of the distance (Melosh 1989), and end at their reach.
        fading = min(max((EJECTA_REACH - r) / (EJECTA_REACH - _WHOLE_EJECTA), 0.0), 1.0)
        profile = rim / (r * r * r) * fading * fading * (3.0 - 2.0 * fading)
    t = min(max((_RESTORED - r) / (_RESTORED - 1.0), 0.0), 1.0)
    # An impact moves ground by about its own depth, so on a lumpy world it does not make a plain with cliffs around.
    most = _MOVED * field.depths[k]
    buried = ease(t) * min(max(field.grounds[k] - height, -most), most)
    return height + buried + profile


@kernel
def _settle_centres(field: CraterField, bending: Array) -> None:
    """Let older craters change the ground on which younger ones are."""
    for k in range(len(field.radii)):
        c = field.centres[k]
        cell = cell_of(c[0], c[1], c[2])
        height = field.grounds[k]
        for place in range(field.begins[cell], field.begins[cell + 1]):
            older = field.members[place]
            if older < k:
                height = _after_impact(field, older, c[0], c[1], c[2], bending[k], height)
        field.grounds[k] = height


@parallel_kernel
def _dig_all(part: Part, field: CraterField, turn: Array, places: Array, heights: Array) -> None:
    points, bent, work = np.empty((3, STRETCH)), np.empty(STRETCH), new_noise_work()
    for stretch in portion(part, stretches(len(places))):
        count = take_stretch(places, stretch, turn, points)
        fractal_sum(field.bending, points, work, bent)
        for k in range(count):
            x, y, z = points[0, k], points[1, k], points[2, k]
            cell = cell_of(x, y, z)
            height = heights[stretch * STRETCH + k]
            for place in range(field.begins[cell], field.begins[cell + 1]):
                height = _after_impact(field, field.members[place], x, y, z, _BENDING * bent[k], height)
            heights[stretch * STRETCH + k] = height
