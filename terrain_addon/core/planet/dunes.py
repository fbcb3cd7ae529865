"""Seas of sand on a planet: where sand gathers, and the long dunes on it.

Winds carry sand until they are weak: into low land, and to where air sinks, near 30° of latitude.  Where they blow from
two sides in turn, dunes grow along them, for hundreds of kilometres and with small ones on the flanks of large ones.
Winds follow the latitude, so the largest dunes run from west to east, bent here and there.

References
----------
Lancaster, N. (1995). Geomorphology of Desert Dunes. Routledge.  (Three sizes of dunes, one on another; ch. 6: linear
dunes along the mean wind.)
Radebaugh, J. et al. (2008). Dunes on Titan observed by Cassini Radar. Icarus 194(2), 690–703.
doi:10.1016/j.icarus.2007.10.015
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease_of
from ..foundation.elementary import cos, sin
from ..foundation.hashing import Purpose
from ..foundation.parameters import ParameterSet, parameter
from ..foundation.terrain import Field
from .cube_sphere import Directions, face_directions
from .located_places import mean_around, refine_faces
from .point_noise import SpaceOctaves, draw_noise, octave_at, random_direction, space_octaves, turned
from .winds import latitude_of

_SEAS = 40.0  # wavelength in degrees of the noise that says where sand is
# Samples along an edge of the coarse planet on which land around a place is known; how far around in radians, for what
# lies low and for what sand buries.
_COARSE, _BASIN, _BURIED = 65, math.radians(10.0), math.radians(2.5)
# How much it counts, beside noise, that a place lies low, that air sinks there, and that it is near a pole.
_LOW, _SINKING, _POLAR, _POLES_BEGIN = 0.22, 0.07, 1.5, 0.80
_EDGE = 0.10  # of the noise, from no sand to nothing but sand
_SMOOTHED = 0.7  # how much of the hills below it sand hides
# Each size of dunes against the one before, how many sizes there are, and samples to a dune that show it.
_SMALLER, _SIZES, _SAMPLES = 0.25, 6, 3.0
_SKEW = 0.35  # how far winds of small dunes turn aside
# Wavelength of bends in dunes, and how far they reach, as multiples of the distance of dunes.
_BENDS, _BENT = 9.0, 5.0
_LEAST, _MEAN, _UNEVEN = 0.15, 0.75, 1.6  # heights of dunes from place to place
_ROUND = 0.02  # how round crests are


@dataclass(frozen=True)
class PlanetDunes(ParameterSet):
    """Seas of sand with dunes, on planets with air."""

    cover: float = parameter(0.0, "Share of the land that sand covers, on low land first", limits=(0.0, 0.9))
    wavelength: float = parameter(
        1.2, "Distance between the largest dunes", unit="°", limits=(0.05, 20.0), soft=(0.3, 5.0)
    )
    height: float = parameter(
        450.0, "How high the largest dunes are", unit="m", limits=(0.0, 10000.0), soft=(0.0, 2000.0)
    )


def find_sand(dunes: PlanetDunes, surface: Field, sea_level: float, turn: npt.NDArray[np.float64], seed: int) -> Field:
    """Return how much of the ground sand covers.

    Parameters
    ----------
    dunes : PlanetDunes
        How much there is.
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere.
    sea_level : float
        Altitude of the sea in metres; −inf for none.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.

    Returns
    -------
    ndarray of float32, of the same shape
        0 to 1; 0 at sea.
    """
    directions = face_directions(surface.shape[1])
    noise = draw_noise(space_octaves(_SEAS, 8, 0.6, seed, Purpose.DUNES, 180.0 / surface.shape[1]), turn, directions)
    low, high = np.percentile(surface, (16.0, 84.0))
    around = _around(surface, _BASIN)
    likely = np.empty_like(surface)
    _weigh(
        directions.reshape(-1, 3), (around - surface).ravel(), 2.0 / max(high - low, 1.0), noise.ravel(), likely.ravel()
    )
    is_land = surface > sea_level
    if not is_land.any():
        return np.zeros_like(surface)
    begins = np.percentile(likely[is_land], 100.0 * (1.0 - dunes.cover))
    t = np.clip((likely - np.float32(begins)) / np.float32(_EDGE) + np.float32(0.5), 0.0, 1.0)
    return np.where(is_land, ease_of(t), np.float32(0.0)).astype(np.float32)


class DuneField(NamedTuple):
    """What dunes are made from.

    Attributes
    ----------
    wavelength, height : float
        Of the largest dunes, in degrees and metres.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Seed of the recipe.
    """

    wavelength: float
    height: float
    turn: npt.NDArray[np.float64]
    seed: int

    @property
    def wavelengths(self) -> list[float]:
        """Degrees between dunes of each size, the largest first."""
        return [self.wavelength * _SMALLER**size for size in range(_SIZES)]

    def add(self, size: int, directions: Directions, amount: Field, heights: Field) -> None:
        """Add the dunes of one size to heights.

        Parameters
        ----------
        size : int
            0 for the largest.
        directions : ndarray of float64, shape (places, 3)
            Unit vectors.
        amount : ndarray of float32, shape (places,)
            How much of them there is, 0 to 1.
        heights : ndarray of float32, shape (places,)
            Metres, changed in place.
        """
        wavelength = self.wavelengths[size]
        bends = space_octaves(_BENDS * wavelength, 3, 0.5, self.seed + size, Purpose.DUNES)
        # Large dunes lie along the winds of the whole year, small ones along those of a season.
        aside = np.array(random_direction(self.seed, Purpose.DUNES, size)) * (_SKEW if size else 0.0)
        axis = np.array((0.0, 0.0, 1.0)) + aside
        axis /= math.sqrt(math.fsum(axis * axis))
        kind = _Dunes(bends, self.turn, axis, math.radians(wavelength), self.height * _SMALLER**size)
        _raise_dunes(kind, directions, amount, heights)


def lay_sand(surface: Field, sand: Field, sea_level: float, dunes: DuneField) -> Field:
    """Return land with sand on it, and all dunes that its samples can show.

    Parameters
    ----------
    surface, sand : ndarray of float32, shape (6, resolution, resolution)
        Metres above the sphere, and from `find_sand`.
    sea_level : float
        Altitude of the sea in metres, −inf for none: land stays above it.
    dunes : DuneField
        What dunes are made from.

    Returns
    -------
    ndarray of float32, of the same shape
        Metres above the sphere.
    """
    directions, spacing = face_directions(surface.shape[1]), 90.0 / (surface.shape[1] - 1)
    laid = surface + np.float32(_SMOOTHED) * sand * (_around(surface, _BURIED) - surface)
    laid = np.maximum(laid, surface - np.float32(_SMOOTHED) * np.maximum(surface - np.float32(sea_level), 0.0))
    for size, wavelength in enumerate(dunes.wavelengths):
        if wavelength >= _SAMPLES * spacing:
            dunes.add(size, directions.reshape(-1, 3), sand.ravel(), laid.reshape(-1))
    return laid


def dunes_between(
    dunes: DuneField, resolution: int, directions: Directions, spacing: npt.NDArray[np.float64], sand: Field
) -> Field:
    """Return the height of dunes that are too small for the samples of a planet.

    Parameters
    ----------
    dunes : DuneField
        What dunes are made from.
    resolution : int
        Samples along an edge of a face of the planet.
    directions : ndarray of float64, shape (places, 3)
        Unit vectors.
    spacing : ndarray of float64, shape (places,)
        Degrees between vertices around each place: dunes that are less than two of them apart are left out.
    sand : ndarray of float32, shape (places,)
        0 to 1.

    Returns
    -------
    ndarray of float32, shape (places,)
        Metres, 0 or more.
    """
    heights = np.zeros(len(directions), np.float32)
    for size, wavelength in enumerate(dunes.wavelengths):
        if wavelength < _SAMPLES * 90.0 / (resolution - 1):
            shown = np.clip(wavelength / (2.0 * spacing) - 1.0, 0.0, 1.0).astype(np.float32)
            dunes.add(size, np.ascontiguousarray(directions), sand * shown, heights)
    return heights


class _Dunes(NamedTuple):
    """Dunes of one size: bends, turn, axis of the circles that they follow, distance in radians, height in metres."""

    bends: SpaceOctaves
    turn: Array
    axis: Array
    wavelength: float
    height: float


def _around(surface: Field, reach: float) -> Field:
    """The mean of the land around each sample."""
    return refine_faces(mean_around(surface, min(_COARSE, surface.shape[1]), reach), surface.shape[1])


@parallel_kernel
def _weigh(part: Part, directions: Array, lies_below: Array, per_metre: float, noise: Array, likely: Array) -> None:
    """Write how likely sand is at each place."""
    for k in portion(part, len(directions)):
        low = min(max(lies_below[k] * per_metre, -1.0), 1.0)
        z = directions[k, 2]
        sinks = -cos(6.0 * latitude_of(z))
        likely[k] = noise[k] + _LOW * low + _SINKING * sinks - _POLAR * max(abs(z) - _POLES_BEGIN, 0.0)


@parallel_kernel
def _raise_dunes(part: Part, dunes: _Dunes, directions: Array, amount: Array, heights: Array) -> None:
    for k in portion(part, len(directions)):
        if amount[k] > 0.0:
            heights[k] += amount[k] * _dune_at(dunes, directions[k, 0], directions[k, 1], directions[k, 2])


@kernel
def _dune_at(dunes: _Dunes, x: float, y: float, z: float) -> float:
    """The height of dunes of one size in metres: sharp crests, wide and round between them."""
    px, py, pz = turned(dunes.turn, x, y, z)
    bend, bends = 0.0, dunes.bends
    for octave in range(bends.weights.size):
        bend += bends.weights[octave] * octave_at(bends, octave, px, py, pz)
    # Another place of the finest noise is as good as another noise.
    last = bends.weights.size - 1
    tall = min(max(_MEAN + _UNEVEN * octave_at(bends, last, py + 3.7, pz - 1.3, px + 2.1), _LEAST), 1.0)
    across = latitude_of(x * dunes.axis[0] + y * dunes.axis[1] + z * dunes.axis[2])
    wave = sin(math.pi * (across / dunes.wavelength + _BENT * bend))
    return dunes.height * tall * (1.0 - math.sqrt(wave * wave + _ROUND))
