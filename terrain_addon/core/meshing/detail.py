"""Detail below the mesh: gullies, beds, joints, scree and boulders as the high band of a land's heights.

What erosion cannot show at the spacing of the samples is added here, as a function of nothing but the place and the
land around it.  So tiles fit, and finer samples show the same detail more finely.  Mesh, residual and bump share it:
see `residual`.

References
----------
Lagae, A., Lefebvre, S., Drettakis, G. & Dutré, P. (2009). Procedural noise using sparse Gabor convolution. ACM
Transactions on Graphics 28(3), 54. doi:10.1145/1531326.1531360
Tricard, T., Efremov, S., Zanni, C., Neyret, F., Martínez, J. & Lefebvre, S. (2019). Procedural phasor noise. ACM
Transactions on Graphics 38(4), 57. doi:10.1145/3306346.3322990  (Waves of even strength from the phase of a sum.)
Worley, S. (1996). A cellular texture basis function. SIGGRAPH, 291–294. doi:10.1145/237170.237267
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..foundation.compilation import Array, Bits, Part, kernel, parallel_kernel, portion
from ..foundation.easing import ease
from ..foundation.hashing import Purpose, derive_seed, hash_place, mix, unit_float
from ..foundation.terrain import Field, Terrain
from ..maps.ground_cover import ramp
from ..maps.slope import gradient_of_row

REACH = 64.0
"""Metres around a place within which the land decides about its detail."""

LONGEST_GULLY = 96.0
"""The longest wavelength of gullies in metres, on usual cells."""

# Each next wavelength of gullies is half of the one before; and their depth as a share of it.
_OCTAVES, _DEPTH = 5, 0.09
# Erosion itself makes gullies that are longer than so many samples of the recipe.
_ERODED = 47.0
# Share of the depth that small gullies lose in the bottom of a large one, and how round crests are.
_CALM, _ROUND = 0.45, 0.03
# How much small gullies turn into the sides of large ones; 1 would be all the way.
_BRANCH = 0.7
# Slopes are those over this share of the longest wavelength to either side: over less, the way down would turn at every
# stone.
_FEEL = 0.09375
_EVEN = 0.35  # a sum of waves that is weaker than this is no more strengthened
# Beds of rock: their thickness in metres, and how far hard ones stand out, as a share of it.
_THICK, _THIN, _STANDS_OUT = 14.0, 3.5, 0.16
# Folds of the beds: metres from one to the next, and their height in metres.
_FOLD_LENGTH, _FOLD_HEIGHT = 620.0, 24.0
# Blocks between joints: their size, the depth of the joints, and how far blocks stand out, in metres.
_BLOCK, _JOINT_DEPTH, _BLOCK_DEPTH = 4.5, 0.5, 0.5
# Sizes of stones in metres: boulders, blocks and stones of scree.
_BOULDER, _STONES = 5.0, (1.6, 0.6)
_WALL_FROM = 45.0  # metres up the slope where a wall of rock is looked for, from which boulders fall
_TURN = 2.0 * math.pi


class Origin(NamedTuple):
    """Where a land begins.

    Attributes
    ----------
    seed : int
        Of the recipe.
    east, north : float
        Metres from the origin of the endless plane to the south-west sample.
    longest_gully : float
        The longest wavelength of gullies in metres; see `longest_gully`.
    """

    seed: int
    east: float = 0.0
    north: float = 0.0
    longest_gully: float = LONGEST_GULLY


class _Place(NamedTuple):
    """Where the samples lie, in metres, the seed of each kind of detail, and the longest wavelength of gullies."""

    spacing: float
    east: float
    north: float
    seeds: Array
    longest: float


class _Slope(NamedTuple):
    """The land at one place: rise per metre to the east and to the north, and shares of what lies there, 0 to 1."""

    east: float
    north: float
    steepness: float
    gullied: float
    rock: float
    scree: float
    wall: float


def longest_gully(cell_size: float) -> float:
    """Return the longest wavelength in metres of gullies that erosion leaves to the detail of a land.

    It is halved until erosion has not made it already, so that most lands have the same.

    Parameters
    ----------
    cell_size : float
        Metres between the samples of the recipe, which erosion works on; a bake may have finer ones.

    Returns
    -------
    float
        `LONGEST_GULLY`, or a half, a quarter … of it.
    """
    longest = LONGEST_GULLY
    while longest > _ERODED * cell_size:
        longest *= 0.5
    return longest


def detail_heights(terrain: Terrain, origin: Origin) -> Field:
    """Return how much higher or lower the ground is than a land's samples say.

    Waves that the samples cannot show, because they are shorter than two spacings, are left out.

    Parameters
    ----------
    terrain : Terrain
        The land; what lies within `REACH` of a place decides about it.
    origin : Origin
        Where the south-west sample lies, and the seed.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres to add to the surface.

    Examples
    --------
    Level ground has none:

    >>> flat = np.zeros((9, 9), np.float32)
    >>> float(np.abs(detail_heights(Terrain(flat, flat, 0.5), Origin(seed=1))).max())
    0.0
    """
    seeds = np.array([derive_seed(origin.seed, Purpose.DETAIL, k) for k in range(_OCTAVES + 8)], np.uint32)
    heights = np.empty_like(terrain.surface)
    place = _Place(terrain.cell_size, origin.east, origin.north, seeds, origin.longest_gully)
    _detail(terrain.surface, terrain.sediment, place, heights)
    return heights


def detail_slopes(terrain: Terrain, origin: Origin) -> npt.NDArray[np.float32]:
    """Return the detail of a land as its vertices can show it: by light, and without moving them.

    Parameters
    ----------
    terrain, origin
        As for `detail_heights`.

    Returns
    -------
    ndarray of float32, shape (rows · columns, 3)
        Rise per metre to the east and to the north, and height in metres.
    """
    slopes = np.empty((*terrain.surface.shape, 3), np.float32)
    _slopes(detail_heights(terrain, origin), 1.0 / terrain.cell_size, slopes)
    return slopes.reshape(-1, 3)


@parallel_kernel
def _slopes(part: Part, heights: Array, per_cell: float, slopes: Array) -> None:
    """Write slope and height of each sample."""
    east, north = np.empty(heights.shape[1]), np.empty(heights.shape[1])
    for row in portion(part, heights.shape[0]):
        gradient_of_row(heights, row, per_cell, east, north)
        for column in range(heights.shape[1]):
            slopes[row, column, 0] = east[column]
            slopes[row, column, 1] = north[column]
            slopes[row, column, 2] = heights[row, column]


@parallel_kernel
def _detail(part: Part, surface: Array, sediment: Array, place: _Place, heights: Array) -> None:
    """Write the detail of each sample in metres."""
    for row in portion(part, surface.shape[0]):
        y = place.north + row * place.spacing
        for column in range(surface.shape[1]):
            x = place.east + column * place.spacing
            slope = _slope_at(surface, sediment, row, column, place)
            height = 0.0
            if slope.gullied > 0.0:
                height += _gullies(x, y, slope, place)
            if slope.rock > 0.0:
                height += slope.rock * _beds_and_joints(x, y, np.float64(surface[row, column]), slope, place)
            if slope.scree > 0.0:
                height += _stones(x, y, slope, place)
            heights[row, column] = height


@kernel
def _slope_at(surface: Array, sediment: Array, row: int, column: int, place: _Place) -> _Slope:
    """Return what the land around a sample says about its detail."""
    rows, columns = surface.shape
    spacing = place.spacing
    step = max(int(_FEEL * place.longest / spacing + 0.5), 1)
    south, north = max(row - step, 0), min(row + step, rows - 1)
    west, east = max(column - step, 0), min(column + step, columns - 1)
    rise_east = np.float64(surface[row, east] - surface[row, west]) / (spacing * max(east - west, 1))
    rise_north = np.float64(surface[north, column] - surface[south, column]) / (spacing * max(north - south, 1))
    steepness = math.sqrt(rise_east * rise_east + rise_north * rise_north)
    if steepness < 0.05:
        return _Slope(rise_east, rise_north, steepness, 0.0, 0.0, 0.0, 0.0)
    loose, steep = sediment[row, column], np.float32(steepness)
    # Deep sand and mud have no gullies: they flow.
    gullied = np.float64(ramp(steep, 0.12, 0.7) * ramp(loose, 5.0, 1.5))
    rock = np.float64(ramp(steep, 0.65, 0.95) * ramp(loose, 2.0, 0.3))
    up = _WALL_FROM / (spacing * steepness)
    above_row = min(max(int(row + up * rise_north + 0.5), 0), rows - 1)
    above_column = min(max(int(column + up * rise_east + 0.5), 0), columns - 1)
    rise = np.float64(surface[above_row, above_column] - surface[row, column]) / _WALL_FROM
    wall = np.float64(ramp(np.float32(rise), 0.55, 0.95))
    scree = np.float64(ramp(steep, 0.05, 0.3) * ramp(steep, 1.1, 0.75) * ramp(loose, 5.0, 1.5)) * (0.25 + 0.75 * wall)
    return _Slope(rise_east, rise_north, steepness, gullied, rock, scree, wall)


@kernel
def _shown(wavelength: float, spacing: float) -> float:
    """Return how much of a wave samples can show: nothing of two samples a wave, all of it from four on."""
    return min(max(wavelength / (2.0 * spacing) - 1.0, 0.0), 1.0)


@kernel
def _gullies(x: float, y: float, slope: _Slope, place: _Place) -> float:
    """Return the height of gullies: waves along the contours, whose crests run down the slope of all that is larger."""
    gx, gy = slope.east, slope.north
    height, strength, wavelength = 0.0, slope.gullied, place.longest
    for octave in range(_OCTAVES):
        shown = _shown(wavelength, place.spacing)
        if shown == 0.0:
            break
        size = 1.0 / max(math.sqrt(gx * gx + gy * gy), 1e-9)
        along_x, along_y = -gy * size, gx * size
        wave, quarter = _wave(x / wavelength, y / wavelength, along_x, along_y, place.seeds[octave])
        # Sharp crests and round bottoms.
        half = math.sqrt(0.5 - 0.5 * wave + _ROUND)
        depth = shown * strength * wavelength * _DEPTH
        height += depth * (1.1 - 2.0 * half)
        # The next octave runs down the sides of this one.
        steeper = -_BRANCH * _TURN / wavelength * depth * quarter
        gx, gy = gx + steeper * along_x, gy + steeper * along_y
        strength *= 1.0 - _CALM * half
        wavelength *= 0.5
    return height


@kernel
def _wave(x: float, y: float, along_x: float, along_y: float, seed: Bits) -> tuple[float, float]:
    """Return a wave of one cell along a vector, and a quarter of a wave later: mixed from one at each corner of a cell.

    The sum is brought to even strength, as in phasor noise (Tricard et al. 2019).  It is the same for the opposite
    vector, so that nothing tears where two slopes meet.
    """
    floor_x, floor_y = np.floor(x), np.floor(y)
    fx, fy = x - floor_x, y - floor_y
    wx, wy = ease(fx), ease(fy)
    even, odd = 0.0, 0.0
    for corner in range(4):
        i, j = corner & 1, corner >> 1
        bits = hash_place(np.int64(floor_x) + i, np.int64(floor_y) + j, seed)
        weight = (wx if i else 1.0 - wx) * (wy if j else 1.0 - wy)
        dx = fx - i + 0.6 * (np.float64(unit_float(bits)) - 0.5)
        dy = fy - j + 0.6 * (np.float64(unit_float(np.uint32(bits << np.uint32(12)))) - 0.5)
        weight *= 1.0 if bits & np.uint32(1) else -1.0
        across, along = _circle(dx * along_x + dy * along_y)
        even += weight * across
        odd += weight * along
    size = 1.0 / max(math.sqrt(even * even + odd * odd), _EVEN)
    return even * size, odd * size


@kernel
def _circle(turns: float) -> tuple[float, float]:
    """Return cosine and sine of an angle in turns, to 0.2 %; `elementary` takes four times as long."""
    return _sine(turns + 0.25), _sine(turns)


@kernel
def _sine(turns: float) -> float:
    """Return sin πt with t from −½ to ½: a polynomial that is 1 and level at ½."""
    t = turns - np.floor(turns + 0.5)
    t = 2.0 * t if abs(t) <= 0.25 else (1.0 - 2.0 * t if t > 0.0 else -1.0 - 2.0 * t)
    square = t * t
    return t * (math.pi + square * (-5.132741 + square * 2.265482))


@kernel
def _beds_and_joints(x: float, y: float, altitude: float, slope: _Slope, place: _Place) -> float:
    """Return the height of rock: hard beds stand out, and joints cut each bed into blocks."""
    # Folds have one axis in all the land, so that beds can be followed from hill to hill.
    fold, _ = _wave(x / _FOLD_LENGTH, y / _FOLD_LENGTH, 0.8, 0.6, place.seeds[_OCTAVES])
    level = altitude + _FOLD_HEIGHT * fold + 0.06 * x + 0.04 * y
    # A face that stands out by a metre is higher by its steepness.
    out = min(slope.steepness, 2.0)
    height = 0.0
    shown = _shown(_THICK / slope.steepness, place.spacing)
    height += shown * out * _STANDS_OUT * _THICK * _hardness(level / _THICK, place.seeds[_OCTAVES + 1])
    shown = _shown(_THIN / slope.steepness, place.spacing)
    height += shown * out * _STANDS_OUT * _THIN * _hardness(level / _THIN, place.seeds[_OCTAVES + 2])
    shown = _shown(0.5 * _BLOCK, place.spacing)
    if shown > 0.0:
        bed = np.int64(np.floor(level / _THICK))
        seed = np.uint32(mix(np.uint32(np.uint32(bed) ^ place.seeds[_OCTAVES + 3])))
        edge, which = _cells(x / _BLOCK, y / _BLOCK, seed)
        crack = max(1.0 - edge / 0.16, 0.0)
        height += shown * (_BLOCK_DEPTH * (which - 0.5) - _JOINT_DEPTH * crack)
    return height


@kernel
def _hardness(level: float, seed: Bits) -> float:
    """Return how hard a bed is, −0.5 to 0.5: even in a bed, with a step to the next."""
    bed = np.floor(level)
    here = np.float64(unit_float(hash_place(np.int64(bed), 0, seed)))
    above = np.float64(unit_float(hash_place(np.int64(bed) + 1, 0, seed)))
    step = min(max((level - bed - 0.7) / 0.3, 0.0), 1.0)
    return here + (above - here) * step * step * (3.0 - 2.0 * step) - 0.5


@kernel
def _cells(x: float, y: float, seed: Bits) -> tuple[float, float]:
    """Return how far the border of a cell is, and the number of the cell, 0 to 1 (Worley 1996: F2 − F1)."""
    column, row = np.int64(np.floor(x)), np.int64(np.floor(y))
    nearest, second, which = 9.0, 9.0, 0.0
    for j in range(-1, 2):
        for i in range(-1, 2):
            bits = hash_place(column + i, row + j, seed)
            dx = column + i + np.float64(unit_float(bits)) - x
            dy = row + j + np.float64(unit_float(np.uint32(bits << np.uint32(12)))) - y
            distance = dx * dx + dy * dy
            if distance < nearest:
                nearest, second = distance, nearest
                which = np.float64(unit_float(np.uint32(bits << np.uint32(6))))
            elif distance < second:
                second = distance
    return math.sqrt(second) - math.sqrt(nearest), which


@kernel
def _stones(x: float, y: float, slope: _Slope, place: _Place) -> float:
    """Return the height of loose stones: boulders below walls of rock, and scree."""
    height = 0.0
    shown = _shown(_BOULDER, place.spacing)
    if shown > 0.0 and slope.wall > 0.0:
        height = shown * _stone(x, y, _BOULDER, 0.30 * slope.wall * slope.scree, place.seeds[_OCTAVES + 4])
    for k in range(2):
        shown = _shown(_STONES[k], place.spacing)
        if shown > 0.0:
            seed = place.seeds[_OCTAVES + 5 + k]
            height = max(height, shown * _stone(x, y, _STONES[k], 0.9 * slope.scree, seed))
    return height


@kernel
def _stone(x: float, y: float, size: float, share: float, seed: Bits) -> float:
    """Return how high a stone stands here, in metres; `share` of the cells of a lattice have one."""
    spread = 1.5 * size
    px, py = x / spread, y / spread
    column, row = np.int64(np.floor(px)), np.int64(np.floor(py))
    highest = 0.0
    for j in range(-1, 2):
        for i in range(-1, 2):
            bits = hash_place(column + i, row + j, seed)
            chance = np.float64(unit_float(mix(bits)))
            if chance < share:
                radius = 0.42 * (0.4 + 0.6 * chance / share)
                dx = column + i + np.float64(unit_float(bits)) - px
                dy = row + j + np.float64(unit_float(np.uint32(bits << np.uint32(12)))) - py
                rest = radius * radius - dx * dx - dy * dy
                if rest > 0.0:
                    highest = max(highest, 0.8 * math.sqrt(rest) * spread)
    return highest
