"""Gradient noise at single points in space, and sums of its octaves.

Every value depends on nothing but the point and the seed.  So noise on a sphere has no seam, and where two faces of a
planet share a sample they get the same bytes.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74334.74337
"""

import math
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import cos, sin
from ..foundation.hashing import Purpose, derive_seed, mix, unit_float
from ..foundation.terrain import Field

LACUNARITY = 2.0 + 1.0 / 32.0
"""Ratio of the wavelengths of two octaves; not 2, so that the nodes of their lattices do not meet."""

# Gradients from the middle of a cube to its 12 edges, in the order of Perlin (2002); four are there twice, so that four
# bits choose one.
_EDGES = np.array(
    [
        *((x, y, 0.0) for y in (1.0, -1.0) for x in (1.0, -1.0)),
        *((x, 0.0, z) for z in (1.0, -1.0) for x in (1.0, -1.0)),
        *((0.0, y, z) for z in (1.0, -1.0) for y in (1.0, -1.0)),
        *((1.0, 1.0, 0.0), (0.0, -1.0, 1.0), (-1.0, 1.0, 0.0), (0.0, -1.0, -1.0)),
    ]
)
_ALONG_X, _ALONG_Y, _ALONG_Z = np.uint32(0x8DA6B343), np.uint32(0xD8163841), np.uint32(0xCB1AB31F)


class SpaceOctaves(NamedTuple):
    """A sum of octaves of noise in space.

    Attributes
    ----------
    weights : ndarray of float64, shape (octaves,)
        Amplitudes that add up to 1.
    frames : ndarray of float64, shape (octaves, 3, 3)
        Turn a point into each lattice and scale it to cells.  Every lattice is turned another way, so that no direction
        is favoured.
    shifts : ndarray of float64, shape (octaves, 3)
        How far each lattice is moved, in cells.
    seeds : ndarray of uint32, shape (octaves,)
        Seeds of the lattices.
    """

    weights: Array
    frames: Array
    shifts: Array
    seeds: Array


def space_octaves(
    wavelength: float, octaves: int, gain: float, seed: int, purpose: Purpose, finest: float = 0.0
) -> SpaceOctaves:
    """Return octaves for the kernels below.

    Parameters
    ----------
    wavelength : float
        Of the first octave, in degrees on the unit sphere, above 0.
    octaves : int
        How many, 1 or more.
    gain : float
        Ratio of the amplitudes of two octaves, 0 to 1.
    seed : int
        Seed of the recipe.
    purpose : Purpose
        What the noise is for.
    finest : float
        Octaves with a shorter wavelength, in degrees, are left out, because samples could not show them.

    Returns
    -------
    SpaceOctaves
        At least one octave.
    """
    # Products one after the other: powers differ between mathematical libraries in their last bit.
    frequencies = math.degrees(1.0) / wavelength * np.cumprod([1.0] + [LACUNARITY] * (octaves - 1))
    weights = np.cumprod([1.0] + [gain] * (octaves - 1))
    weights /= math.fsum(weights)
    shown = max(1, int(np.count_nonzero(math.degrees(1.0) / frequencies >= finest)))
    seeds = np.array([derive_seed(seed, purpose, k) for k in range(shown)], np.uint32)
    shifts = [[float(unit_float(derive_seed(int(s), purpose, axis))) for axis in range(3)] for s in seeds]
    frames = np.array([_random_frame(int(s), purpose) for s in seeds]) * frequencies[:shown, np.newaxis, np.newaxis]
    return SpaceOctaves(weights[:shown], frames, np.array(shifts), seeds)


def random_direction(seed: int, purpose: Purpose, *which: int) -> tuple[float, float, float]:
    """Return a direction that is equally likely everywhere on the sphere.

    Parameters
    ----------
    seed : int
        Seed of the recipe.
    purpose : Purpose
        What the direction is for.
    *which : int
        Numbers that tell directions for the same purpose apart.

    Returns
    -------
    tuple of float
        A unit vector.
    """
    # The height above the equator is uniform (Archimedes), and so is the angle around the axis.
    z = 2.0 * float(unit_float(derive_seed(seed, purpose, *which, 101))) - 1.0
    angle = 2.0 * math.pi * float(unit_float(derive_seed(seed, purpose, *which, 102)))
    out = math.sqrt(max(1.0 - z * z, 0.0))
    return out * cos(angle), out * sin(angle), z


def _random_frame(seed: int, purpose: Purpose) -> list[tuple[float, float, float]]:
    """Three random unit vectors at right angles."""
    a, b = random_direction(seed, purpose, 1), random_direction(seed, purpose, 2)
    along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    rest = [one - along * other for one, other in zip(b, a)]
    length = math.sqrt(rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2])
    x, y, z = (one / length for one in rest)
    return [a, (x, y, z), (a[1] * z - a[2] * y, a[2] * x - a[0] * z, a[0] * y - a[1] * x)]


@kernel
def _octave(octaves: SpaceOctaves, k: int, x: float, y: float, z: float) -> float:
    """The noise of one octave at a point."""
    frames, shifts = octaves.frames, octaves.shifts
    return space_noise(
        x * frames[k, 0, 0] + y * frames[k, 0, 1] + z * frames[k, 0, 2] + shifts[k, 0],
        x * frames[k, 1, 0] + y * frames[k, 1, 1] + z * frames[k, 1, 2] + shifts[k, 1],
        x * frames[k, 2, 0] + y * frames[k, 2, 1] + z * frames[k, 2, 2] + shifts[k, 2],
        octaves.seeds[k],
    )


@kernel
def _node(hashed: Bits, dx: float, dy: float, dz: float) -> float:
    edge = np.int64(mix(hashed) >> np.uint32(28))
    return _EDGES[edge, 0] * dx + _EDGES[edge, 1] * dy + _EDGES[edge, 2] * dz


@kernel
def space_noise(x: float, y: float, z: float, seed: Bits) -> float:
    """Return gradient noise at a point.

    Parameters
    ----------
    x, y, z : float
        In cells, of any sign.
    seed : numpy.uint32
        Seed of the lattice.

    Returns
    -------
    float
        From −1.04 to 1.04; 0 at every node.

    References
    ----------
    Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
    """
    floor_x, floor_y, floor_z = np.floor(x), np.floor(y), np.floor(z)
    fx, fy, fz = x - floor_x, y - floor_y, z - floor_z
    west = np.uint32(np.uint32(np.int64(floor_x)) * _ALONG_X)
    south = np.uint32(np.uint32(np.int64(floor_y)) * _ALONG_Y)
    low = np.uint32(np.uint32(np.uint32(np.int64(floor_z)) * _ALONG_Z) ^ seed)
    east = np.uint32(west + _ALONG_X)
    north = np.uint32(south + _ALONG_Y)
    high = np.uint32(np.uint32(np.uint32(np.uint32(np.int64(floor_z)) * _ALONG_Z) + _ALONG_Z) ^ seed)
    sx = fx * fx * fx * (fx * (fx * 6.0 - 15.0) + 10.0)
    sy = fy * fy * fy * (fy * (fy * 6.0 - 15.0) + 10.0)
    sz = fz * fz * fz * (fz * (fz * 6.0 - 15.0) + 10.0)
    a = _node(np.uint32(west ^ south ^ low), fx, fy, fz)
    b = _node(np.uint32(east ^ south ^ low), fx - 1.0, fy, fz)
    c = _node(np.uint32(west ^ north ^ low), fx, fy - 1.0, fz)
    d = _node(np.uint32(east ^ north ^ low), fx - 1.0, fy - 1.0, fz)
    e = _node(np.uint32(west ^ south ^ high), fx, fy, fz - 1.0)
    f = _node(np.uint32(east ^ south ^ high), fx - 1.0, fy, fz - 1.0)
    g = _node(np.uint32(west ^ north ^ high), fx, fy - 1.0, fz - 1.0)
    h = _node(np.uint32(east ^ north ^ high), fx - 1.0, fy - 1.0, fz - 1.0)
    below = a + sx * (b - a) + sy * (c + sx * (d - c) - (a + sx * (b - a)))
    above = e + sx * (f - e) + sy * (g + sx * (h - g) - (e + sx * (f - e)))
    return below + sz * (above - below)


@kernel
def fractal_sum(octaves: SpaceOctaves, x: float, y: float, z: float) -> float:
    """Return a sum of octaves at a point.

    Parameters
    ----------
    octaves : SpaceOctaves
        What is added up.
    x, y, z : float
        The point; a planet has radius 1.

    Returns
    -------
    float
        From −1.04 to 1.04; mostly within ±0.5.

    References
    ----------
    Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
    Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74334.74337
    """
    total = 0.0
    for k in range(octaves.weights.size):
        total += octaves.weights[k] * _octave(octaves, k, x, y, z)
    return total


@kernel
def ridged_sum(octaves: SpaceOctaves, x: float, y: float, z: float) -> float:
    """Return a ridged multifractal at a point: crests where noise is 0, and fine octaves only near crests.

    Parameters
    ----------
    octaves : SpaceOctaves
        What is added up.
    x, y, z : float
        The point; a planet has radius 1.

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    Ebert, D. S. et al. (2003). Texturing & Modeling: A Procedural Approach, 3rd ed., pp. 504–505. Morgan Kaufmann.
    """
    total = 0.0
    near = 1.0
    for k in range(octaves.weights.size):
        noise = _octave(octaves, k, x, y, z)
        crest = max(1.0 - 1.6 * abs(noise), 0.0)
        crest = crest * crest * near
        total += octaves.weights[k] * crest
        near = min(1.6 * crest, 1.0)
    return total


@kernel
def turned(turn: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Turn a direction.

    Parameters
    ----------
    turn : ndarray of float64, shape (3, 3)
        A rotation.
    x, y, z : float
        The direction.

    Returns
    -------
    tuple of float
    """
    # A quarter turn only swaps numbers and signs; adding 0 makes −0 a 0.
    return (
        x * turn[0, 0] + y * turn[0, 1] + z * turn[0, 2] + 0.0,
        x * turn[1, 0] + y * turn[1, 1] + z * turn[1, 2] + 0.0,
        x * turn[2, 0] + y * turn[2, 1] + z * turn[2, 2] + 0.0,
    )


def draw_noise(octaves: SpaceOctaves, turn: Array, directions: Array) -> Field:
    """Return a sum of octaves in many directions.

    Parameters
    ----------
    octaves : SpaceOctaves
        What is added up.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    directions : ndarray of float64, shape (…, 3)
        Unit vectors.

    Returns
    -------
    ndarray of float32, shape (…)
        From −1.04 to 1.04; mostly within ±0.5.
    """
    places = np.ascontiguousarray(directions).reshape(-1, 3)
    noise = np.empty(len(places), np.float32)
    _draw_all(octaves, turn, places, noise)
    return noise.reshape(directions.shape[:-1])


@parallel_kernel
def _draw_all(part: Part, octaves: SpaceOctaves, turn: Array, places: Array, noise: Array) -> None:
    for k in portion(part, len(places)):
        x, y, z = turned(turn, places[k, 0], places[k, 1], places[k, 2])
        noise[k] = fractal_sum(octaves, x, y, z)
