"""Pictures of the layers of ground cover from close by: they repeat without a seam, and are free for any use (CC0).

Each is made of noises that repeat (`core.relief`), in metres, so that stones, tufts and ripples have their true size.
The mean colour of a picture is that of its layer seen from afar, so both can be mixed at any distance.

>>> picture = draw_ground("sand", (0.36, 0.30, 0.20), 64)
>>> picture.colour.shape, np.allclose(picture.colour.mean(axis=(0, 1)), (0.36, 0.30, 0.20), atol=0.01)
((64, 64, 3), True)
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.foundation.compilation import Array, kernel
from ..core.foundation.easing import ease_of
from ..core.foundation.elementary import sin
from ..core.foundation.hashing import hash_place, unit_float
from ..core.foundation.terrain import Field, Grid
from ..core.maps.ground_cover import LAYERS
from ..core.relief.cells import CellularNoise, make_cellular_noise
from ..core.relief.fractal_noise import FractalNoise, make_fractal_noise
from .glb_document import LinearColour
from .grid_mesh import Floats

_TABLE = 4096
_FACETS = 6  # around a stone
_NUMBERS = 13 + 3 * _FACETS  # that decide where a stone lies, and its shape
# Metres of stones and how many of them are laid on a picture of scree, the large ones first.
_STONES = ((0.42, 60), (0.29, 180), (0.19, 650), (0.11, 2000), (0.065, 3500))
# Blades of grass on a square metre, half their width and how high they lie, in metres.
_BLADES, _HALF_BLADE, _BLADE_RISE = 7000, 0.003, 0.008


@cache
def _sines() -> Field:
    """A table of sines over one turn; made when it is first asked for, because it needs the compiler."""
    return np.array([sin(2.0 * np.pi * k / _TABLE) for k in range(_TABLE)], np.float32)


class GroundPicture(NamedTuple):
    """A layer of ground cover from close by; row 0 is its upper border, and all borders fit together.

    Attributes
    ----------
    colour : ndarray of float32, shape (texels, texels, 3)
        Linear, 0 to 1.
    normal : ndarray of float32, shape (texels, texels, 3)
        Unit normals: to the right, up, and out of the picture.
    height : ndarray of float32, shape (texels, texels)
        0 for the lowest place to 1 for the highest one.
    roughness : ndarray of float32, shape (texels, texels)
        0 to 1.
    occlusion : ndarray of float32, shape (texels, texels)
        Share of the sky that is seen, 0 to 1.
    """

    colour: Floats
    normal: Floats
    height: Floats
    roughness: Floats
    occlusion: Floats


class _Ground(NamedTuple):
    """What a layer is like: height in metres, factor of its colour, its share of another colour, and roughness."""

    height: Array
    light: Array
    other: Array
    roughness: Array


class _Layer(NamedTuple):
    """How a layer is drawn.

    Attributes
    ----------
    side : float
        Metres after which the picture repeats.
    draw : callable
        Takes a function that returns noise.
    other : LinearColour
        A colour that lies in spots on it, over its own colour.
    """

    side: float
    draw: Callable[["_Noise"], _Ground]
    other: LinearColour


class _Noise:
    """Noises that repeat after the side of a picture, each from 0 to 1 or from -1 to 1."""

    def __init__(self, side: float, texels: int) -> None:
        self.side = side
        self._grid = Grid(texels, texels, side / texels)

    def hills(self, waves: int, seed: int, octaves: int = 6, gain: float = 0.55, character: str = "smooth") -> Field:
        """Return noise of so many waves along the side, stretched to -1 to 1."""
        noise = FractalNoise(
            height=1.0,
            wavelength=self.side / waves,
            period=waves,
            octaves=octaves,
            gain=gain,
            character=character,
        )
        return _stretched(make_fractal_noise(self._grid, noise, seed)) * np.float32(2.0) - np.float32(1.0)

    def stones(self, along: int, seed: int, feature: str = "f1") -> Field:
        """Return distances to scattered points, so many along the side, stretched to 0 to 1."""
        noise = CellularNoise(height=1.0, wavelength=self.side / along, period=along, feature=feature)
        return _stretched(make_cellular_noise(self._grid, noise, seed))

    def ripples(self, waves: int, seed: int) -> Field:
        """Return ripples from the left to the right, so many of them, which fork here and there, -1 to 1."""
        across = np.arange(self._grid.columns, dtype=np.float32) / np.float32(self._grid.columns)
        phase = np.float32(waves) * across + np.float32(1.1) * self.hills(2, seed, 4)
        return _sines()[np.floor(phase * np.float32(_TABLE)).astype(np.int64) % _TABLE]


@kernel
def _cut_stone(drawn: Array, planes: Array) -> None:
    """Write the planes of a stone: how steep each is, its height in the middle, and how it falls to the east and north.

    `drawn` are the random numbers of the stone; of the planes above, steepness stays 1.
    """
    turn, shape = drawn[4], 0.65 + 0.7 * drawn[5]
    for facet in range(_FACETS):
        way, slope, far = drawn[6 + 3 * facet], drawn[7 + 3 * facet], drawn[8 + 3 * facet]
        angle = 2.0 * math.pi * (turn + (facet + 0.7 * way) / _FACETS)
        planes[facet, 0], planes[facet, 1] = np.float32(0.5 + 1.6 * slope), np.float32(0.75 + 0.3 * far)
        planes[facet, 2] = np.float32(sin(angle + 0.5 * math.pi) * shape)
        planes[facet, 3] = np.float32(sin(angle) / shape)
    # Two planes above, which meet in an edge.
    for above in range(2):
        first = 6 + 3 * _FACETS + 3 * above
        side = 1.0 if above == 0 else -0.6
        planes[_FACETS + above, 1] = np.float32(0.45 + 0.3 * drawn[first + 2])
        planes[_FACETS + above, 2] = -np.float32(side * (0.1 + 0.5 * drawn[first]))
        planes[_FACETS + above, 3] = -np.float32(0.6 * (drawn[first + 1] - 0.5))


@kernel
def _lay_stone(
    heights: Field, shades: Field, coarse: Field, number: int, seed: np.uint32, kind: tuple[float, float, float]
) -> None:
    """Put a stone on what lies in a picture that repeats, unless the ground there is for other sizes.

    Parameters
    ----------
    heights, shades : ndarray of float32, shape (texels, texels)
        As `broken_stones` returns them; the stone is added.
    coarse : ndarray of float32, shape (texels, texels)
        Where it is high, large stones lie.
    number, seed : int
        Decide all that is random of the stone.
    kind : tuple of float
        Metres across it, from which value of `coarse` on it lies, and metres of a texel.
    """
    size, wanted, texel = kind
    rows, columns = heights.shape
    drawn = np.empty(_NUMBERS, np.float64)
    for count in range(_NUMBERS):
        drawn[count] = unit_float(hash_place(number, count + 1, seed))
    x, y = drawn[0] * columns, drawn[1] * rows
    if np.float64(coarse[int(y) % rows, int(x) % columns]) + 0.5 * drawn[2] < wanted:
        return
    radius = 0.5 * size * (0.75 + 0.5 * drawn[3])
    planes = np.ones((_FACETS + 2, 4), np.float32)
    _cut_stone(drawn, planes)
    reach = math.ceil(2.2 * radius / texel)
    left, low = math.floor(x), math.floor(y)
    stone = np.empty((2 * reach + 1, 2 * reach + 1), np.float32)
    below = np.empty(stone.size, np.float32)
    covered = 0
    for row in range(stone.shape[0]):
        north = np.float32((row - reach + low - y) * texel / radius)
        for column in range(stone.shape[1]):
            east = np.float32((column - reach + left - x) * texel / radius)
            top = np.float32(np.inf)
            for plane in range(_FACETS + 2):
                steep, middle, across, along = planes[plane]
                top = min(top, steep * (middle - across * east - along * north))
            stone[row, column] = top
            if top > np.float32(0.0):
                below[covered] = heights[(row - reach + low) % rows, (column - reach + left) % columns]
                covered += 1
    # It sinks in by a part of its height, and lies on the median of what is below it.
    ground = np.float32(0.0)
    if covered > 0:
        ground = max(np.float32(np.median(below[:covered])), ground)
    lift, sunk = np.float32(0.5) * ground, np.float32(0.12 * radius)
    for row in range(stone.shape[0]):
        for column in range(stone.shape[1]):
            y_there, x_there = (row - reach + low) % rows, (column - reach + left) % columns
            top = stone[row, column] * np.float32(radius) + lift - sunk
            if stone[row, column] > np.float32(0.0) and top > heights[y_there, x_there]:
                heights[y_there, x_there] = top
                shades[y_there, x_there] = np.float32(drawn[_NUMBERS - 1])


@kernel
def _lay_blade(heights: Field, shades: Field, number: int, seed: np.uint32, texel: float) -> None:
    """Put a blade of grass on what lies in a picture that repeats.

    Parameters
    ----------
    heights, shades : ndarray of float32, shape (texels, texels)
        As `grass_blades` returns them; the blade is added where it is higher.
    number, seed : int
        Decide all that is random of the blade.
    texel : float
        Metres of a texel.
    """
    rows, columns = heights.shape
    drawn = np.empty(6, np.float64)
    for count in range(6):
        drawn[count] = unit_float(hash_place(number, count + 1, seed))
    x, y, turn = drawn[0] * columns, drawn[1] * rows, 2.0 * math.pi * drawn[2]
    ahead_x, ahead_y = sin(turn + 0.5 * math.pi), sin(turn)
    length, half = (0.04 + 0.07 * drawn[3]) / texel, max(_HALF_BLADE / texel, 0.6)
    low_x, high_x = math.floor(x + min(0.0, length * ahead_x) - half), math.ceil(x + max(0.0, length * ahead_x) + half)
    low_y, high_y = math.floor(y + min(0.0, length * ahead_y) - half), math.ceil(y + max(0.0, length * ahead_y) + half)
    rise, own = _BLADE_RISE * (0.5 + 0.5 * drawn[4]), 0.5 + 0.5 * drawn[5]
    for row in range(low_y, high_y + 1):
        for column in range(low_x, high_x + 1):
            along = ((column - x) * ahead_x + (row - y) * ahead_y) / length
            across = abs((row - y) * ahead_x - (column - x) * ahead_y) / half
            # It is pointed, and round across.
            if along < 0.0 or along > 1.0 or across > 1.0 - along * along:
                continue
            top = np.float32(rise * (0.3 + 0.7 * along) * (1.0 - 0.4 * across * across))
            if top > heights[row % rows, column % columns]:
                heights[row % rows, column % columns] = top
                shades[row % rows, column % columns] = np.float32(own * (0.45 + 0.55 * along))


@cache
def draw_ground(layer: str, colour: LinearColour, texels: int) -> GroundPicture:
    """Draw a layer of ground cover; the same arguments give the same picture everywhere.

    Parameters
    ----------
    layer : str
        One of `ground_cover.LAYERS`.
    colour : tuple of float
        Its mean colour: linear RGB, 0 to 1.
    texels : int
        Along a side.

    Returns
    -------
    GroundPicture
        `ground_side` metres wide and high.

    Raises
    ------
    ValueError
        If there is no such layer.
    """
    if layer not in _LAYERS:
        raise ValueError(f"there is no layer {layer!r}; there are: {', '.join(LAYERS)}")
    kind = _LAYERS[layer]
    ground = kind.draw(_Noise(kind.side, texels))
    own = np.array(colour, np.float32) * np.maximum(ground.light, np.float32(0.1))[..., None]
    share = np.clip(ground.other, np.float32(0.0), np.float32(1.0))[..., None]
    mixed = own + share * (np.array(kind.other, np.float32) * np.maximum(ground.light, 0.3)[..., None] - own)
    # The mean is that of the layer from afar.
    mixed = mixed * (np.array(colour) / mixed.mean(axis=(0, 1), dtype=np.float64)).astype(np.float32)
    height = ground.height.astype(np.float32)
    return GroundPicture(
        np.clip(mixed, np.float32(0.0), np.float32(1.0)),
        normals_of(height, kind.side),
        _stretched(height),
        np.clip(ground.roughness, np.float32(0.0), np.float32(1.0)),
        open_sky(height, kind.side),
    )


def ground_side(layer: str) -> float:
    """Return after how many metres the picture of a layer repeats.

    Parameters
    ----------
    layer : str
        One of `ground_cover.LAYERS`.

    Returns
    -------
    float
    """
    return _LAYERS[layer].side


def _stretched(values: Field) -> Field:
    """Return values from 0 to 1."""
    low, high = values.min(), values.max()
    return (values - low) / max(high - low, np.float32(1e-12))


def _step(values: Field, low: float, high: float) -> Field:
    """Return a smooth step from 0 at `low` to 1 at `high`."""
    t = np.clip((values - np.float32(low)) / np.float32(high - low), np.float32(0.0), np.float32(1.0))
    return ease_of(t)


def normals_of(height: Field, side: float) -> Floats:
    """Return the unit normals of heights that repeat.

    Parameters
    ----------
    height : ndarray of float32, shape (rows, columns)
        Metres; row 0 is up.
    side : float
        Metres after which the heights repeat, along rows and along columns.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 3)
        To the right, up, and out of the picture.
    """
    rows, columns = height.shape
    right = (np.roll(height, -1, axis=1) - np.roll(height, 1, axis=1)) / np.float32(2.0 * (side / columns))
    up = (np.roll(height, 1, axis=0) - np.roll(height, -1, axis=0)) / np.float32(2.0 * (side / rows))
    length = np.sqrt(np.float32(1.0) + right * right + up * up)
    return np.stack((-right / length, -up / length, np.float32(1.0) / length), axis=2)


def open_sky(height: Field, side: float) -> Field:
    """Return how much of the sky is seen, from how far the places around are higher, at three distances.

    Parameters
    ----------
    height, side
        As for `normals_of`.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        0 to 1.
    """
    hidden = np.zeros_like(height)
    right, up = side / height.shape[1], side / height.shape[0]
    for reach in (2, 6, 16):
        around = np.zeros_like(height)
        for rows, columns, spacing in ((0, 1, right), (0, -1, right), (1, 0, up), (-1, 0, up)):
            higher = np.roll(height, (rows * reach, columns * reach), axis=(0, 1)) - height
            around += np.maximum(higher, np.float32(0.0)) / np.float32(reach * spacing)
        hidden = np.maximum(hidden, around * np.float32(0.25))
    return np.float32(1.0) / (np.float32(1.0) + np.float32(1.2) * hidden)


def broken_stones(coarse: Field, side: float, seed: int) -> tuple[Field, Field]:
    """Return broken stones that lie on each other: what several planes leave of blocks.

    Parameters
    ----------
    coarse : ndarray of float32, shape (texels, texels)
        Where it is high, from -1 to 1, large stones lie.
    side : float
        Metres of the picture, after which it repeats.
    seed : int
        Other stones for each.

    Returns
    -------
    heights : ndarray of float32, shape (texels, texels)
        Metres; below 0 where no stone lies.
    shades : ndarray of float32, shape (texels, texels)
        One for each stone, 0 to 1.
    """
    texels = coarse.shape[1]
    heights, shades = np.full((texels, texels), -1.0, np.float32), np.zeros((texels, texels), np.float32)
    for kind, (size, count) in enumerate(_STONES):
        # Each size has its own part of the ground; the smallest lie everywhere.
        wanted = 1.3 * (1.0 - kind / (len(_STONES) - 1)) - 0.85
        for number in range(count):
            marked = round(1000.0 * size) * 10000 + number
            _lay_stone(heights, shades, coarse, marked, np.uint32(seed), (size, wanted, side / texels))
    return heights, shades


def grass_blades(texels: int, side: float, seed: int, per_m2: int = _BLADES) -> tuple[Field, Field]:
    """Return blades of grass that lie over each other in all directions.

    Parameters
    ----------
    texels : int
        Along a side.
    side : float
        Metres of the picture, after which it repeats.
    seed : int
        Other blades for each.
    per_m2 : int
        Blades on a square metre.

    Returns
    -------
    heights : ndarray of float32, shape (texels, texels)
        Metres; 0 where no blade lies.
    shades : ndarray of float32, shape (texels, texels)
        How light it is there, 0 to 1: each blade is lighter towards its tip, and the ground is dark.
    """
    heights, shades = np.zeros((texels, texels), np.float32), np.zeros((texels, texels), np.float32)
    for number in range(round(per_m2 * side * side)):
        _lay_blade(heights, shades, number, np.uint32(seed), side / texels)
    return heights, shades


def _rock(noise: _Noise) -> _Ground:
    crags, grain = noise.hills(2, 11, 7, 0.55, "ridged"), noise.hills(24, 12, 5)
    # Joints are open here and there only.
    is_open = _step(noise.hills(4, 15, 3), -0.1, 0.5)
    joints = 1.0 - is_open * (1.0 - _step(noise.stones(5, 13, "f2_minus_f1"), 0.0, 0.09))
    lichen = _step(noise.hills(7, 14, 5), 0.25, 0.45)
    height = 0.28 * crags + 0.012 * grain + 0.03 * joints
    light = 1.0 + 0.30 * crags + 0.16 * grain - 0.35 * (1.0 - joints)
    return _Ground(height, light, 0.35 * lichen, 0.82 + 0.08 * grain)


def _scree(noise: _Noise) -> _Ground:
    gravel, grain, dust = noise.stones(90, 22), noise.hills(60, 24, 3), noise.hills(12, 23, 3)
    # Stones of a size lie together: where one is high, the ground is coarse.
    coarse = noise.hills(3, 25, 3)
    stones, shade = broken_stones(coarse, noise.side, 26)
    ground = 0.012 * (1.0 - gravel) + 0.02 * coarse
    is_stone = _step(stones - ground, -0.004, 0.004)
    height = np.maximum(ground, stones) + 0.0015 * grain
    light = (1.0 - is_stone) * (0.55 + 0.5 * (1.0 - gravel)) + is_stone * (0.8 + 0.45 * shade) + 0.10 * grain
    return _Ground(height, light, 0.25 * _step(dust, 0.3, 0.7), 0.88 + 0.05 * grain)


def _soil(noise: _Noise) -> _Ground:
    clods, grain = noise.hills(5, 31, 7, 0.6), noise.hills(40, 32, 4)
    pebbles = _step(noise.stones(26, 33), 0.22, 0.12)
    height = 0.03 * clods + 0.006 * grain + 0.008 * pebbles
    return _Ground(height, 1.0 + 0.30 * clods + 0.16 * grain, 0.6 * pebbles, 0.93 - 0.1 * pebbles)


def _grass(noise: _Noise) -> _Ground:
    tufts, patches, gaps = noise.hills(8, 41, 3), noise.hills(3, 43, 4), noise.hills(12, 44, 4)
    blades, shade = grass_blades(tufts.shape[0], noise.side, 42)
    height = 0.015 * tufts + blades
    light = 0.35 + 0.9 * shade + 0.12 * tufts + 0.12 * patches
    return _Ground(height, light, 0.5 * _step(patches + 0.5 * gaps, 0.1, 0.9), 0.95 - 0.1 * shade)


def _forest_floor(noise: _Noise) -> _Ground:
    leaves, more = noise.stones(30, 51, "f2_minus_f1"), noise.stones(44, 52, "f2_minus_f1")
    moss, humps = _step(noise.hills(4, 53, 5), 0.15, 0.45), noise.hills(4, 54, 5)
    litter = np.maximum(_step(leaves, 0.03, 0.5), 0.8 * _step(more, 0.03, 0.5))
    height = 0.04 * humps + 0.012 * litter + 0.02 * moss
    light = 0.65 + 0.6 * litter + 0.2 * humps + 0.15 * noise.hills(36, 55, 3)
    return _Ground(height, light, 0.75 * moss, 0.9 + 0.05 * moss)


def _sand(noise: _Noise) -> _Ground:
    ripples, grain, broad = noise.ripples(16, 61), noise.hills(110, 62, 2), noise.hills(3, 63, 3)
    height = 0.007 * ripples + 0.0015 * grain + 0.015 * broad
    return _Ground(height, 1.0 + 0.07 * ripples + 0.10 * grain + 0.06 * broad, 0.0 * grain, 0.9 - 0.04 * ripples)


def _snow(noise: _Noise) -> _Ground:
    drifts, crust = noise.hills(3, 71, 5, 0.4), noise.hills(40, 72, 4)
    return _Ground(0.03 * drifts + 0.0025 * crust, 1.0 + 0.02 * crust, 0.0 * drifts, 0.6 + 0.1 * crust)


def _bed(noise: _Noise) -> _Ground:
    pebbles, mud = noise.stones(18, 81), noise.hills(5, 82, 5)
    domes = 1.0 - _step(pebbles, 0.0, 0.5)
    return _Ground(0.03 * domes + 0.01 * mud, 0.7 + 0.5 * domes + 0.25 * mud, 0.0 * mud, 0.45 + 0.2 * domes)


_LAYERS = {
    "rock": _Layer(6.0, _rock, (0.150, 0.152, 0.100)),
    "scree": _Layer(4.0, _scree, (0.260, 0.250, 0.230)),
    "soil": _Layer(3.0, _soil, (0.200, 0.180, 0.155)),
    "grass": _Layer(2.5, _grass, (0.150, 0.126, 0.058)),
    "forest_floor": _Layer(3.0, _forest_floor, (0.045, 0.058, 0.016)),
    "sand": _Layer(2.5, _sand, (0.360, 0.295, 0.195)),
    "snow": _Layer(5.0, _snow, (0.800, 0.830, 0.880)),
    "water": _Layer(3.0, _bed, (0.020, 0.050, 0.060)),
}
