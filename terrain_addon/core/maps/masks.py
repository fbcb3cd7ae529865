"""Where something acts, and how much: masks of layers, rain, hardness, plants."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import CurvePoints, ParameterSet, parameter
from ..foundation.placement import Borders
from ..foundation.stored_field import StoredField
from ..foundation.terrain import Field, Grid
from ..relief.elevation_model import sample_elevation
from ..relief.fractal_noise import FractalNoise, make_fractal_noise
from ..relief.stored_heights import StoredHeights
from .catalogue import MAPS, OFFERED
from .climate import RAIN_MAP
from .slope import measure_gradient

# Standard deviation of the noise that a noise mask cuts, as a share of its range: three octaves of gain ½.
_SPREAD = 0.1


_CHOICES = {name: MAPS[name].description for name in OFFERED}


class Surroundings(NamedTuple):
    """What a mask may look at.

    Parameters
    ----------
    grid : Grid
        Where the mask is sampled.
    surface : ndarray of float32, shape (rows, columns), or None
        Height of the ground there in metres; None is level at 0 m.
    maps : callable
        From the name of a map to that map of the ground, float32 (rows, columns); called only if the mask needs it.
    painted : mapping of str to StoredField
        What was painted, by its key, from 0 to 1.
    seed : int
        0 to 2³² − 1, for noise.
    borders : tuple of 4 floats, optional
        West, south, east and north border in metres of the landscape that was painted; left out, those of `grid`.
    """

    grid: Grid
    surface: Field | None
    maps: Callable[[str], Field]
    painted: Mapping[str, StoredField]
    seed: int
    borders: Borders | None = None


@dataclass(frozen=True)
class Mask(ParameterSet):
    """Base of all masks."""

    @property
    def is_everywhere(self) -> bool:
        """Whether it is 1 on every land."""
        return False

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of what it needs from outside."""
        return ()

    @property
    def maps(self) -> tuple[str, ...]:
        """Names of the maps of the ground that it needs."""
        return ()

    def shares(self, around: Surroundings) -> Field:
        """Return how much something acts at each sample; see `evaluate_mask`.

        Parameters
        ----------
        around : Surroundings
            The ground, its maps, and what was painted on it.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            0 to 1.

        Raises
        ------
        ValueError
            If what was painted is missing, or a map is not of the grid's shape.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Everywhere(Mask):
    """The whole land equally."""

    @property
    def is_everywhere(self) -> bool:
        """Always."""
        return True

    def shares(self, around: Surroundings) -> Field:
        """Return 1 everywhere."""
        return np.ones(around.grid.shape, np.float32)


@dataclass(frozen=True)
class NoiseMask(Mask):
    """Random patches."""

    wavelength: float = parameter(
        1500.0, "Distance between the largest patches", unit="m", limits=(0.01, 1e6), soft=(50.0, 10000.0)
    )
    coverage: float = parameter(0.5, "Share of the land that patches cover, on average", limits=(0.0, 1.0))
    softness: float = parameter(
        0.5, "How gradually patches end: 0 makes a sharp edge, 1 the softest edge", limits=(0.0, 1.0)
    )
    invert: bool = parameter(False, "Act between the patches instead")

    def shares(self, around: Surroundings) -> Field:
        """Return 1 in patches and 0 between them."""
        noise = FractalNoise(wavelength=self.wavelength, octaves=3, height=1.0, base_altitude=0.0)
        values = make_fractal_noise(around.grid, noise, around.seed)
        if self.coverage in (0.0, 1.0):
            return np.full(around.grid.shape, (self.coverage == 1.0) != self.invert, np.float32)
        # The sum of octaves is nearly normal: this is its quantile, and the fade lies evenly on both sides of it.
        edge = 0.5 - _SPREAD * NormalDist().inv_cdf(self.coverage)
        half = 2.0 * _SPREAD * self.softness
        return _band(values, (edge - half, edge + half, np.inf, np.inf), self.invert)


@dataclass(frozen=True)
class HeightMask(Mask):
    """A band of altitudes."""

    lower: float = parameter(
        500.0, "Lowest altitude with the full effect", unit="m", limits=(-1e6, 1e6), soft=(-500.0, 4000.0)
    )
    upper: float = parameter(
        10000.0, "Highest altitude with the full effect", unit="m", limits=(-1e6, 1e6), soft=(-500.0, 10000.0)
    )
    softness: float = parameter(
        200.0,
        "Height over which the effect fades out, below and above",
        unit="m",
        limits=(0.0, 1e6),
        soft=(0.0, 1000.0),
    )
    invert: bool = parameter(False, "Act outside the band instead")

    def check(self) -> None:
        """Refuse a band whose upper end is below its lower end."""
        _check_band(self.lower, self.upper, "m")

    def shares(self, around: Surroundings) -> Field:
        """Return 1 within the band of altitudes."""
        return _band(_ground(around), _edges(self), self.invert)


@dataclass(frozen=True)
class SlopeMask(Mask):
    """Ground of a certain steepness."""

    lower: float = parameter(30.0, "Gentlest slope with the full effect", unit="°", limits=(0.0, 90.0))
    upper: float = parameter(90.0, "Steepest slope with the full effect", unit="°", limits=(0.0, 90.0))
    softness: float = parameter(
        10.0, "Slope over which the effect fades out, below and above", unit="°", limits=(0.0, 90.0), soft=(0.0, 45.0)
    )
    invert: bool = parameter(False, "Act on all other slopes instead")

    def check(self) -> None:
        """Refuse a band whose upper end is below its lower end."""
        _check_band(self.lower, self.upper, "°")

    def shares(self, around: Surroundings) -> Field:
        """Return 1 within the band of slopes."""
        # Gradients are compared: an angle for each sample would take much longer.
        begin, lower, upper, end = (_gradient(angle) for angle in _edges(self))
        gradient = measure_gradient(_ground(around), around.grid.cell_size)
        return _band(gradient, (begin, lower, upper, end), self.invert)


@dataclass(frozen=True)
class MapMask(Mask):
    """A response to one of the maps of the land."""

    map: str = parameter("humidity", "Map of the land beneath that decides where it acts", choices=_CHOICES)
    response: CurvePoints = parameter(
        ((0.0, 0.0), (0.3, 0.0), (0.7, 1.0), (1.0, 1.0)),
        "Strength of the effect at each value of the map, in the unit of the map",
        limits=(-1e9, 1e9),
        soft=(0.0, 1.0),
    )
    invert: bool = parameter(False, "Swap where it acts and where it does not")

    @property
    def maps(self) -> tuple[str, ...]:
        """The map that it responds to."""
        return (self.map,)

    def shares(self, around: Surroundings) -> Field:
        """Return the response to the map."""
        values = around.maps(self.map)
        if values.shape != around.grid.shape:
            raise ValueError(f"the map {self.map!r} under a mask has shape {values.shape}, not {around.grid.shape}")
        x, y = np.array(self.response).T
        per_unit = 1.0 / np.maximum(np.diff(x), 1e-30)
        result = np.empty(around.grid.shape, np.float32)
        _respond(values, *(numbers.astype(np.float32) for numbers in (x, y, per_unit)), self.invert, result)
        return result


@dataclass(frozen=True)
class PaintedMask(Mask):
    """What the user has painted on the land."""

    key: str = parameter(
        "group:Mask", "What was painted: group:NAME for a vertex group, or attribute:NAME for an attribute from 0 to 1"
    )
    invert: bool = parameter(False, "Act where nothing was painted instead")

    @property
    def keys(self) -> tuple[str, ...]:
        """The key of what was painted."""
        return (self.key,)

    def shares(self, around: Surroundings) -> Field:
        """Return what was painted, limited to 0 to 1."""
        if self.key not in around.painted:
            there = ", ".join(around.painted) or "nothing"
            raise ValueError(f"key = {self.key!r} names nothing that was painted; there is: {there}")
        field = around.painted[self.key]
        values = sample_elevation(around.grid, StoredHeights(key=self.key), field, around.borders)
        np.clip(values, 0.0, 1.0, out=values)
        return np.subtract(1.0, values, out=values) if self.invert else values


@dataclass(frozen=True)
class RainMask(Mask):
    """The rain of the climate: 1 where most of it falls, ½ where half as much does."""

    invert: bool = parameter(False, "Act where it is dry instead")

    @property
    def maps(self) -> tuple[str, ...]:
        """The map of the rain, which is there also where the climate is off."""
        return (RAIN_MAP.name,)

    def shares(self, around: Surroundings) -> Field:
        """Return the rain as a share of the most that falls."""
        rain = around.maps(RAIN_MAP.name)
        most = float(rain.max())
        shares = np.clip(rain * np.float32(1.0 / most), 0.0, 1.0) if most > 0.0 else np.ones_like(rain)
        return np.subtract(np.float32(1.0), shares, out=shares) if self.invert else shares


MASKS: tuple[type[Mask], ...] = (Everywhere, NoiseMask, HeightMask, SlopeMask, MapMask, PaintedMask, RainMask)
"""All kinds of masks, in the order in which they are offered."""


def evaluate_mask(mask: Mask, around: Surroundings) -> Field:
    """Return how much something acts at every place.

    Parameters
    ----------
    mask : Mask
        What decides.
    around : Surroundings
        The ground, its maps, and what was painted on it.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        From 0 to 1.

    Raises
    ------
    ValueError
        If what was painted is missing, or the surface or a map is not of the grid's shape.
    """
    surface, shape = around.surface, around.grid.shape
    if surface is not None and surface.shape != shape:
        raise ValueError(f"the surface under a mask has shape {surface.shape}, not {shape}")
    return mask.shares(around)


def _check_band(lower: float, upper: float, unit: str) -> None:
    if lower > upper:
        raise ValueError(f"lower = {lower} {unit} is above upper = {upper} {unit}")


def _ground(around: Surroundings) -> Field:
    """Heights of the ground under a mask in metres."""
    return np.zeros(around.grid.shape, np.float32) if around.surface is None else around.surface


def _edges(mask: HeightMask | SlopeMask) -> tuple[float, float, float, float]:
    """Where a band begins, is full, is no longer full, and ends."""
    return mask.lower - mask.softness, mask.lower, mask.upper, mask.upper + mask.softness


def _gradient(angle: float) -> float:
    """Rise per metre of a slope in degrees; beyond the vertical, steeper than any ground."""
    return math.tan(math.radians(angle)) if abs(angle) < 90.0 else math.copysign(1e9, angle)


def _band(values: Field, edges: tuple[float, float, float, float], invert: bool) -> Field:
    """1 between the inner edges, 0 outside of the outer ones."""
    begin, lower, upper, end = edges
    result = np.empty(values.shape, np.float32)
    rise, fall = 1.0 / max(lower - begin, 1e-6), 1.0 / max(end - upper, 1e-6) if upper < end else 1e6
    _fade(values, *(np.float32(number) for number in (lower, rise, upper, fall)), invert, result)
    return result


@parallel_kernel
def _fade(
    part: Part,
    values: Array,
    lower: np.float32,
    rise: np.float32,
    upper: np.float32,
    fall: np.float32,
    invert: bool,
    mask: Array,
) -> None:
    """1 from `lower` to `upper`, falling to 0 on both sides along 3t² − 2t³."""
    zero, one, two, three = np.float32(0.0), np.float32(1.0), np.float32(2.0), np.float32(3.0)
    base, sign = (one, -one) if invert else (zero, one)
    for row in portion(part, mask.shape[0]):
        line, out = values[row], mask[row]
        for column in range(out.size):
            inside = min((line[column] - lower) * rise, (upper - line[column]) * fall)
            t = min(max(one + inside, zero), one)
            out[column] = base + sign * (t * t * (three - two * t))


@parallel_kernel
def _respond(part: Part, values: Array, x: Array, y: Array, per_unit: Array, invert: bool, mask: Array) -> None:
    """A piecewise-linear curve of four points, as the sum of its three rises; the later point at a step."""
    zero, one = np.float32(0.0), np.float32(1.0)
    x1, x2, x3 = x[1], x[2], x[3]
    first, second, third = y[1] - y[0], y[2] - y[1], y[3] - y[2]
    per1, per2, per3 = per_unit[0], per_unit[1], per_unit[2]
    base, sign = (one - y[0], -one) if invert else (y[0], one)
    for row in portion(part, mask.shape[0]):
        line, out = values[row], mask[row]
        for column in range(out.size):
            value = line[column]
            risen = first * min(max(one + (value - x1) * per1, zero), one)
            risen += second * min(max(one + (value - x2) * per2, zero), one)
            risen += third * min(max(one + (value - x3) * per3, zero), one)
            out[column] = min(max(base + sign * risen, zero), one)
