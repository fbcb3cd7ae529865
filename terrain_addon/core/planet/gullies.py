"""Gullies between the samples of a planet: waves along the contours, finer and finer, that run down the slope.

The ground between samples is a smooth surface.  Each octave lays waves on it whose crests run down the slope of all
that lies below: so small gullies branch off from larger ones.  Where the ground is level they fade away.  A value
depends on nothing but the direction and the samples around it: there are no seams.

References
----------
Lagae, A., Lefebvre, S., Drettakis, G. & Dutré, P. (2009). Procedural noise using sparse Gabor convolution. ACM
Transactions on Graphics 28(3), 54. doi:10.1145/1531326.1531360
Tricard, T., Efremov, S., Zanni, C., Neyret, F., Martínez, J. & Lefebvre, S. (2019). Procedural phasor noise. ACM
Transactions on Graphics 38(4), 57. doi:10.1145/3306346.3322990  (Waves of even strength from the phase of a sum.)
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.elementary import cos, sin
from ..foundation.hashing import Purpose, mix, unit_float
from ..foundation.terrain import Field
from .cube_sphere import Directions
from .point_noise import SpaceOctaves, octave_at, space_octaves, turned
from .smooth_faces import smooth_value_at, with_margins

# Wavelength of the largest gullies in steps between samples; erosion itself makes what is larger.
_LARGEST, _OCTAVES = 2.2, 16
# Height of a wave as a share of its wavelength where the ground is as rugged as can be, and of noise everywhere.
_DEPTH, _ROUGHNESS = 0.17, 0.010
# How rugged plains are, and how much more so land is by its altitude in shares of the radius, as it is shown.
_PLAIN, _BY_ALTITUDE = 0.12, 130.0
# Hills between samples: wavelength of the largest in steps between samples, how many octaves, and their height.
_HILLS, _HILL_OCTAVES, _HILL_HEIGHT = 4.5, 3, 0.30
_UNDER_SAND = 0.01  # of hills and gullies that are left where all is sand
_MEAN_CREST = 0.45  # of ridged noise
# Small gullies in the bottom of a large one are so much weaker than on its crests; crests are round over this share.
_CALM, _ROUND = 0.25, 0.02
# Where the slope is less than this share of how rugged it is, there is no clear way down, and gullies fade.
_LEVEL = 0.8
# Waves in a cell of the lattice, and how far, in cells, they are moved at random.
_WAVES, _JITTER = 0.8, 0.5
_FEEL = 0.4  # steps between samples over which the slope of the samples is measured
_EVEN = 0.35  # a sum of waves that is weaker than this is no more strengthened
_ALONG_X, _ALONG_Y, _ALONG_Z = np.uint32(0x8DA6B343), np.uint32(0xD8163841), np.uint32(0xCB1AB31F)
_TURN = 2.0 * math.pi


class GullyPlan(NamedTuple):
    """What gullies are made from.

    Attributes
    ----------
    around : ndarray of float32, shape (6, resolution + 2, resolution + 2)
        Heights of the samples from `smooth_faces.with_margins`, in radii as they are shown.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    octaves : SpaceOctaves
        Lattices of the waves, the largest first.
    base : float
        Height of plains, in radii as it is shown.
    hills : SpaceOctaves
        On which the gullies lie.
    sand : ndarray of float32, as `around`
        Share of the ground that sand covers, where there is neither; of size 0 for none.
    """

    around: Array
    turn: Array
    octaves: SpaceOctaves
    base: float
    hills: SpaceOctaves
    sand: Array


class GulliedLand(NamedTuple):
    """Land that gets gullies.

    Attributes
    ----------
    surface : ndarray of float32, shape (6, resolution, resolution)
        Metres at the samples.
    base : float
        Metres of plains and of the sea; the higher land is above, the more rugged it is.
    shown : float
        How high one metre is shown, in radii of the planet: slopes are steep as they are seen.
    turn : ndarray of float64, shape (3, 3)
        Turns a direction on the planet into the space of the noise.
    seed : int
        Of the recipe.
    sand : ndarray of float32, shape (6, resolution, resolution), or None
        Share of the ground that sand covers; None without dunes.
    """

    surface: Field
    base: float
    shown: float
    turn: npt.NDArray[np.float64]
    seed: int
    sand: Field | None = None


def gullied_heights(land: GulliedLand, directions: Directions, spacing: npt.NDArray[np.float64]) -> Field:
    """Return the height of the ground between samples.

    Parameters
    ----------
    land : GulliedLand
        Its samples.
    directions : ndarray of float64, shape (places, 3)
        Unit vectors.
    spacing : ndarray of float64, shape (places,)
        Degrees between vertices around each place: shorter waves than two of them are left out.

    Returns
    -------
    ndarray of float32, shape (places,)
        Metres.
    """
    heights = np.empty(len(directions), np.float32)
    if not len(directions):
        return heights
    largest = _LARGEST * 90.0 / (land.surface.shape[1] - 1)
    octaves = space_octaves(largest, _OCTAVES, 0.5, land.seed, Purpose.GULLIES, 2.0 * float(spacing.min()))
    shown = land.surface * np.float32(land.shown)
    hills = space_octaves(
        _HILLS * 90.0 / (land.surface.shape[1] - 1), _HILL_OCTAVES, 0.5, land.seed + 1, Purpose.GULLIES
    )
    sand = np.empty((0, 0, 0), np.float32) if land.sand is None else with_margins(land.sand)
    plan = GullyPlan(with_margins(shown), land.turn, octaves, land.base * land.shown, hills, sand)
    _carve(plan, np.ascontiguousarray(directions), np.radians(spacing), 1.0 / land.shown, heights)
    return heights


@parallel_kernel
def _carve(part: Part, plan: GullyPlan, places: Array, spacing: Array, metres: float, heights: Array) -> None:
    """Write the height of each place in metres."""
    around, turn, octaves = plan.around, plan.turn, plan.octaves
    frames = octaves.frames
    gap = _FEEL * 0.5 * math.pi / (around.shape[1] - 3)
    for k in portion(part, len(places)):
        x, y, z = places[k, 0], places[k, 1], places[k, 2]
        height, rugged = _hilly(plan, x, y, z)
        # Slope of the hills as a vector that lies on the sphere.
        gx = (_hilly(plan, x + gap, y, z)[0] - height) / gap
        gy = (_hilly(plan, x, y + gap, z)[0] - height) / gap
        gz = (_hilly(plan, x, y, z + gap)[0] - height) / gap
        up = gx * x + gy * y + gz * z
        gx, gy, gz = gx - up * x, gy - up * y, gz - up * z
        # The noise has a space of its own.
        px, py, pz = turned(turn, x, y, z)
        for octave in range(octaves.weights.size):
            frame = frames[octave]
            frequency = math.sqrt(frame[0, 0] ** 2 + frame[0, 1] ** 2 + frame[0, 2] ** 2)
            wavelength = 1.0 / frequency
            shown = min(max(wavelength / (2.0 * spacing[k]) - 1.0, 0.0), 1.0)
            if shown == 0.0:
                break
            slope = math.sqrt(gx * gx + gy * gy + gz * gz)
            # Along the contour: up × slope.
            sx, sy, sz = y * gz - z * gy, z * gx - x * gz, x * gy - y * gx
            size = 1.0 / max(slope, 1e-9)
            sx, sy, sz = sx * size, sy * size, sz * size
            tx, ty, tz = turned(turn, sx, sy, sz)
            qx = px * frame[0, 0] + py * frame[0, 1] + pz * frame[0, 2] + octaves.shifts[octave, 0]
            qy = px * frame[1, 0] + py * frame[1, 1] + pz * frame[1, 2] + octaves.shifts[octave, 1]
            qz = px * frame[2, 0] + py * frame[2, 1] + pz * frame[2, 2] + octaves.shifts[octave, 2]
            ax = (tx * frame[0, 0] + ty * frame[0, 1] + tz * frame[0, 2]) * wavelength
            ay = (tx * frame[1, 0] + ty * frame[1, 1] + tz * frame[1, 2]) * wavelength
            az = (tx * frame[2, 0] + ty * frame[2, 1] + tz * frame[2, 2]) * wavelength
            wave, quarter = _wave(qx, qy, qz, ax, ay, az, octaves.seeds[octave])
            # Sharp crests and round bottoms.
            half = math.sqrt(0.5 - 0.5 * wave + _ROUND)
            clear = min(slope / (_LEVEL * rugged), 1.0)
            depth = shown * wavelength * _DEPTH * rugged * clear * clear * (3.0 - 2.0 * clear)
            height += depth * (1.0 - 2.0 * half)
            height += shown * wavelength * _ROUGHNESS * octave_at(octaves, octave, px, py, pz)
            # The next octave runs down the sides of this one.
            # They follow round waves: where the way down turned at once, gullies would become rows of teeth.
            steeper = -_WAVES * _TURN * frequency * depth * quarter
            gx, gy, gz = gx + steeper * sx, gy + steeper * sy, gz + steeper * sz
            rugged *= 1.0 - _CALM * half
        heights[k] = height * metres


@kernel
def _hilly(plan: GullyPlan, x: float, y: float, z: float) -> tuple[float, float]:
    """The smooth surface through the samples with hills on it, and how rugged it is, 0 to 1."""
    around, hills = plan.around, plan.hills
    height = smooth_value_at(around, x, y, z)
    rugged = _PLAIN + _BY_ALTITUDE * max(height - plan.base, 0.0)
    rugged /= 1.0 + rugged
    if plan.sand.size > 0:
        rugged *= min(max(1.0 - smooth_value_at(plan.sand, x, y, z), _UNDER_SAND), 1.0)
    px, py, pz = turned(plan.turn, x, y, z)
    crests, near = -_MEAN_CREST, 1.0
    for octave in range(hills.weights.size):
        noise = octave_at(hills, octave, px, py, pz)
        # Half of it is a ridged multifractal: fine octaves only near crests.
        crest = max(1.0 - 1.6 * abs(noise), 0.0)
        crest = crest * crest * near
        crests += hills.weights[octave] * (crest + noise)
        near = min(1.6 * crest, 1.0)
    tall = _HILL_HEIGHT * _HILLS * 0.5 * math.pi / (around.shape[1] - 3)
    return height + tall * rugged * crests, rugged


@kernel
def _wave(x: float, y: float, z: float, ax: float, ay: float, az: float, seed: Bits) -> tuple[float, float]:
    """A wave of one cell along the vector a, and a quarter of a wave later: mixed from one at each corner of the cell.

    Their sum is brought to even strength, as in phasor noise (Tricard et al. 2019).  It is the same for −a, so that
    nothing tears where two slopes meet.
    """
    floor_x, floor_y, floor_z = np.floor(x), np.floor(y), np.floor(z)
    fx, fy, fz = x - floor_x, y - floor_y, z - floor_z
    wx = ease(fx)
    wy = ease(fy)
    wz = ease(fz)
    even, odd = 0.0, 0.0
    for corner in range(8):
        i, j, k = corner & 1, (corner >> 1) & 1, corner >> 2
        bits = np.uint32(np.uint32(np.int64(floor_x) + i) * _ALONG_X)
        bits ^= np.uint32(np.uint32(np.int64(floor_y) + j) * _ALONG_Y)
        bits ^= np.uint32(np.uint32(np.int64(floor_z) + k) * _ALONG_Z)
        weight = (wx if i else 1.0 - wx) * (wy if j else 1.0 - wy) * (wz if k else 1.0 - wz)
        bits = mix(np.uint32(bits ^ seed))
        # Through a random place near the corner there is a crest or a bottom, whichever way the vector a points.
        dx = fx - i + _JITTER * (np.float64(unit_float(bits)) - 0.5)
        dy = fy - j + _JITTER * (np.float64(unit_float(np.uint32(bits << np.uint32(8)))) - 0.5)
        dz = fz - k + _JITTER * (np.float64(unit_float(np.uint32(bits << np.uint32(16)))) - 0.5)
        weight *= 1.0 if bits & np.uint32(1) else -1.0
        phase = _WAVES * _TURN * (dx * ax + dy * ay + dz * az)
        even += weight * cos(phase)
        odd += weight * sin(phase)
    size = 1.0 / max(math.sqrt(even * even + odd * odd), _EVEN)
    return even * size, odd * size
