"""Gradient noise at points in space, and sums of its octaves.

Every value depends on nothing but the point and the seed.  So noise on a sphere has no seam, and where two faces of a
planet share a sample they get the same bytes.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
"""

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.elementary import cos, sin
from ..foundation.hashing import Purpose, derive_seed, mix, next_hash, unit_float
from ..foundation.terrain import Field

LACUNARITY = 2.0 + 1.0 / 32.0
"""Ratio of the wavelengths of two octaves; not 2, so that the nodes of their lattices do not meet."""

STRETCH = 128
"""Points that the kernels below take at once: enough for vectors of any width, few enough for the nearest cache."""

_ALONG_X, _ALONG_Y, _ALONG_Z = np.uint32(0x8DA6B343), np.uint32(0xD8163841), np.uint32(0xCB1AB31F)
_ONE = np.float32(1.0)

Single: TypeAlias = np.float32


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
    x, y, z = direction_from(derive_seed(seed, purpose, *which))
    return x, y, z


@kernel
def direction_from(bits: np.uint32) -> tuple[float, float, float]:
    """Return the direction that belongs to random bits; see `random_direction`.

    Parameters
    ----------
    bits : numpy.uint32
        Any 32 bits.

    Returns
    -------
    tuple of float
        A unit vector.
    """
    # The height above the equator is uniform (Archimedes), and so is the angle around the axis.
    z = 2.0 * np.float64(unit_float(next_hash(bits, 101))) - 1.0
    angle = 2.0 * math.pi * np.float64(unit_float(next_hash(bits, 102)))
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


class NoiseWork(NamedTuple):
    """Working memory of the kernels below; see `new_noise_work`.

    Attributes
    ----------
    cells : ndarray of int32, shape (3, STRETCH)
        Cells of a lattice in which the points lie.
    inside : ndarray of float32, shape (3, STRETCH)
        Where in their cells, 0 to 1.
    noise : ndarray of float32, shape (STRETCH,)
        Noise of one octave.
    near : ndarray of float64, shape (STRETCH,)
        How near to a crest of larger octaves.
    """

    cells: Array
    inside: Array
    noise: Array
    near: Array


@kernel
def new_noise_work() -> NoiseWork:
    """Return working memory for one part of a parallel kernel.

    Returns
    -------
    NoiseWork
    """
    return NoiseWork(
        np.empty((3, STRETCH), np.int32),
        np.empty((3, STRETCH), np.float32),
        np.empty(STRETCH, np.float32),
        np.empty(STRETCH, np.float64),
    )


@kernel
def stretches(count: int) -> int:
    """Return how many stretches hold so many points.

    Parameters
    ----------
    count : int
        0 or more.

    Returns
    -------
    int
    """
    return (count + STRETCH - 1) // STRETCH


@kernel
def take_stretch(places: Array, stretch: int, turn: Array, points: Array) -> int:
    """Turn a stretch of directions into the space of the noise; the last one repeats its last direction to the end.

    Parameters
    ----------
    places : ndarray of float64, shape (count, 3)
        Unit vectors.
    stretch : int
        Which stretch of them, from 0.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    points : ndarray of float64, shape (3, STRETCH)
        Written.

    Returns
    -------
    int
        How many of them count.
    """
    first, last = stretch * STRETCH, len(places) - 1
    for k in range(STRETCH):
        place = min(first + k, last)
        x, y, z = turned(turn, places[place, 0], places[place, 1], places[place, 2])
        points[0, k], points[1, k], points[2, k] = x, y, z
    return min(STRETCH, last + 1 - first)


@kernel
def _find_cells(frame: Array, shift: Array, points: Array, work: NoiseWork) -> None:
    """Write the cell of a lattice in which each point lies, and where in it."""
    # float32 tells places in a cell apart, but not cells that are far away: so their numbers are taken off first.
    cells, inside = work.cells, work.inside
    for axis in range(3):
        a, b, c, moved = frame[axis, 0], frame[axis, 1], frame[axis, 2], shift[axis]
        for k in range(STRETCH):
            place = points[0, k] * a + points[1, k] * b + points[2, k] * c + moved
            floor = np.floor(place)
            inside[axis, k] = np.float32(place - floor)
            cells[axis, k] = np.int32(floor)


@kernel
def _node(hashed: Bits, dx: Single, dy: Single, dz: Single) -> Single:
    """Share of one node: the product of its gradient and the way from it."""
    # Gradients from the middle of a cube to its 12 edges; four are there twice, so that four bits choose one.
    edge = mix(hashed) >> np.uint32(28)
    one = dx if edge < np.uint32(8) else dy
    two = dy if edge < np.uint32(4) else (dx if (edge & np.uint32(13)) == np.uint32(12) else dz)
    one = -one if (edge & np.uint32(1)) != np.uint32(0) else one
    return one + (-two if (edge & np.uint32(2)) != np.uint32(0) else two)


@kernel
def _fade(t: Single) -> Single:
    return t * t * t * (t * (t * np.float32(6.0) - np.float32(15.0)) + np.float32(10.0))


@kernel
def _mix_corners(cell: tuple[Bits, Bits, Bits], inside: tuple[Single, Single, Single], seed: Bits) -> Single:
    """Gradient noise in a cell, from −1.04 to 1.04 and 0 at every corner: Perlin (2002)."""
    fx, fy, fz = inside
    gx, gy, gz = fx - _ONE, fy - _ONE, fz - _ONE
    west = np.uint32(cell[0] * _ALONG_X)
    south = np.uint32(cell[1] * _ALONG_Y)
    below = np.uint32(cell[2] * _ALONG_Z)
    east, north = np.uint32(west + _ALONG_X), np.uint32(south + _ALONG_Y)
    low, high = np.uint32(below ^ seed), np.uint32(np.uint32(below + _ALONG_Z) ^ seed)
    a = _node(np.uint32(west ^ south ^ low), fx, fy, fz)
    b = _node(np.uint32(east ^ south ^ low), gx, fy, fz)
    c = _node(np.uint32(west ^ north ^ low), fx, gy, fz)
    d = _node(np.uint32(east ^ north ^ low), gx, gy, fz)
    e = _node(np.uint32(west ^ south ^ high), fx, fy, gz)
    f = _node(np.uint32(east ^ south ^ high), gx, fy, gz)
    g = _node(np.uint32(west ^ north ^ high), fx, gy, gz)
    h = _node(np.uint32(east ^ north ^ high), gx, gy, gz)
    sx, sy, sz = _fade(fx), _fade(fy), _fade(fz)
    floor = a + sx * (b - a) + sy * (c + sx * (d - c) - (a + sx * (b - a)))
    ceiling = e + sx * (f - e) + sy * (g + sx * (h - g) - (e + sx * (f - e)))
    return floor + sz * (ceiling - floor)


@kernel
def _draw_cells(work: NoiseWork, seed: Bits) -> None:
    """Write the gradient noise of a lattice at each point, the same as `_mix_corners`."""
    # A loop over numbers of 32 bits alone, which compilers turn into vectors of eight; not if it calls `_mix_corners`.
    cells, inside, noise = work.cells, work.inside, work.noise
    for k in range(STRETCH):
        fx, fy, fz = inside[0, k], inside[1, k], inside[2, k]
        gx, gy, gz = fx - _ONE, fy - _ONE, fz - _ONE
        west = np.uint32(np.uint32(cells[0, k]) * _ALONG_X)
        south = np.uint32(np.uint32(cells[1, k]) * _ALONG_Y)
        below = np.uint32(np.uint32(cells[2, k]) * _ALONG_Z)
        east, north = np.uint32(west + _ALONG_X), np.uint32(south + _ALONG_Y)
        low, high = np.uint32(below ^ seed), np.uint32(np.uint32(below + _ALONG_Z) ^ seed)
        a = _node(np.uint32(west ^ south ^ low), fx, fy, fz)
        b = _node(np.uint32(east ^ south ^ low), gx, fy, fz)
        c = _node(np.uint32(west ^ north ^ low), fx, gy, fz)
        d = _node(np.uint32(east ^ north ^ low), gx, gy, fz)
        e = _node(np.uint32(west ^ south ^ high), fx, fy, gz)
        f = _node(np.uint32(east ^ south ^ high), gx, fy, gz)
        g = _node(np.uint32(west ^ north ^ high), fx, gy, gz)
        h = _node(np.uint32(east ^ north ^ high), gx, gy, gz)
        sx, sy, sz = _fade(fx), _fade(fy), _fade(fz)
        floor = a + sx * (b - a) + sy * (c + sx * (d - c) - (a + sx * (b - a)))
        ceiling = e + sx * (f - e) + sy * (g + sx * (h - g) - (e + sx * (f - e)))
        noise[k] = floor + sz * (ceiling - floor)


@kernel
def octave_at(octaves: SpaceOctaves, octave: int, x: float, y: float, z: float) -> float:
    """Return the noise of one octave at a point that depends on others, so that it cannot be one of a stretch.

    Parameters
    ----------
    octaves : SpaceOctaves
        Of which it is one.
    octave : int
        Which one, from 0.
    x, y, z : float
        The point; a planet has radius 1.

    Returns
    -------
    float
        From −1.04 to 1.04.
    """
    frame, shift = octaves.frames[octave], octaves.shifts[octave]
    px = x * frame[0, 0] + y * frame[0, 1] + z * frame[0, 2] + shift[0]
    py = x * frame[1, 0] + y * frame[1, 1] + z * frame[1, 2] + shift[1]
    pz = x * frame[2, 0] + y * frame[2, 1] + z * frame[2, 2] + shift[2]
    i, j, k = np.floor(px), np.floor(py), np.floor(pz)
    cell = np.uint32(np.int64(i)), np.uint32(np.int64(j)), np.uint32(np.int64(k))
    inside = np.float32(px - i), np.float32(py - j), np.float32(pz - k)
    return np.float64(_mix_corners(cell, inside, octaves.seeds[octave]))


@kernel
def fractal_sum(octaves: SpaceOctaves, points: Array, work: NoiseWork, total: Array) -> None:
    """Write a sum of octaves at each point of a stretch.

    Parameters
    ----------
    octaves : SpaceOctaves
        What is added up.
    points : ndarray of float64, shape (3, STRETCH)
        x, y and z; a planet has radius 1.
    work : NoiseWork
        From `new_noise_work`.
    total : ndarray of float64, shape (STRETCH,)
        Written: from −1.04 to 1.04; mostly within ±0.5.

    References
    ----------
    Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
    Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
    """
    total[:] = 0.0
    noise = work.noise
    for octave in range(octaves.weights.size):
        _find_cells(octaves.frames[octave], octaves.shifts[octave], points, work)
        _draw_cells(work, octaves.seeds[octave])
        weight = octaves.weights[octave]
        for k in range(STRETCH):
            total[k] += weight * noise[k]


@kernel
def ridged_sum(octaves: SpaceOctaves, points: Array, work: NoiseWork, total: Array) -> None:
    """Write a ridged multifractal at each point: crests where noise is 0, and fine octaves only near crests.

    Parameters
    ----------
    octaves : SpaceOctaves
        What is added up.
    points : ndarray of float64, shape (3, STRETCH)
        x, y and z; a planet has radius 1.
    work : NoiseWork
        From `new_noise_work`.
    total : ndarray of float64, shape (STRETCH,)
        Written: from 0 to 1.

    References
    ----------
    Ebert, D. S. et al. (2003). Texturing & Modeling: A Procedural Approach, 3rd ed., pp. 504–505. Morgan Kaufmann.
    """
    total[:] = 0.0
    noise, near = work.noise, work.near
    near[:] = 1.0
    for octave in range(octaves.weights.size):
        _find_cells(octaves.frames[octave], octaves.shifts[octave], points, work)
        _draw_cells(work, octaves.seeds[octave])
        weight = octaves.weights[octave]
        for k in range(STRETCH):
            crest = max(1.0 - 1.6 * abs(noise[k]), 0.0)
            crest = crest * crest * near[k]
            total[k] += weight * crest
            near[k] = min(1.6 * crest, 1.0)


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
    points, total, work = np.empty((3, STRETCH)), np.empty(STRETCH), new_noise_work()
    for stretch in portion(part, stretches(len(places))):
        count = take_stretch(places, stretch, turn, points)
        fractal_sum(octaves, points, work, total)
        for k in range(count):
            noise[stretch * STRETCH + k] = total[k]
