"""What all sums of octaves share: their parameters, and where each octave lies.

References
----------
Mandelbrot, B. B. & Van Ness, J. W. (1968). Fractional Brownian motions, fractional noises and applications. SIAM Review
10(4), 422–437. doi:10.1137/1010093
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
"""

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter
from ..foundation.terrain import Grid
from .height_range import HeightRange

# A length fits a whole number of times into another one if the ratio is this close to a whole number, relative to it,
# and no farther from it than so many waves.
_WHOLE_WAVES = 1e-6
_FARTHEST_WAVES = 1e-3
# Hashes take the lowest 32 bits of the place of a node: noise that never repeats does so after this many cells.
_CELLS_OF_A_HASH = 2**32


class OctaveUse(Enum):
    """What a sum of octaves is used for, and the numbers that tell its seeds from those of other uses.

    The numbers are part of every landscape: a changed number is a changed landscape.
    """

    SURFACE = "the surface itself", ()
    PULL_EAST = "how far points are pulled to the east", (1,)
    PULL_NORTH = "how far points are pulled to the north", (2,)
    SECOND_SURFACE = "the second of two surfaces", (3,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """What is hashed into the seeds of the octaves."""
        numbers: tuple[int, ...] = self.value[1]
        return numbers


@dataclass(frozen=True)
class OctaveNoise(HeightRange):
    """Octaves of noise: each is finer and lower than the one before."""

    wavelength: float = parameter(
        2400.0, "Distance between the largest hills", unit="m", limits=(0.01, 1e6), soft=(100.0, 10000.0)
    )
    attenuation: float = parameter(
        1.0, "Exponent on the height: above 1 flattens low ground and keeps summits", limits=(1.0, 8.0), soft=(1.0, 4.0)
    )
    warp: float = parameter(
        0.0,
        "How far the surface is pulled sideways, which bends ridges and valleys",
        unit="m",
        limits=(0.0, 1e5),
        soft=(0.0, 2000.0),
    )
    warp_wavelength: float = parameter(
        3000.0,
        "Distance over which the sideways pull changes its direction; without a pull it does nothing",
        unit="m",
        limits=(0.01, 1e6),
        soft=(100.0, 10000.0),
        advanced=True,
    )
    octaves: int = parameter(8, "Number of octaves; more add finer detail", limits=(1, 24), soft=(1, 12), advanced=True)
    lacunarity: float = parameter(
        2.0, "How much finer each octave is than the one before", limits=(1.1, 8.0), soft=(1.5, 3.0), advanced=True
    )
    gain: float = parameter(
        0.5,
        "How high each octave is compared with the one before: 0.35 is smooth, 0.6 rugged",
        limits=(0.0, 1.0),
        soft=(0.3, 0.7),
        advanced=True,
    )
    period: int = parameter(
        0,
        "Number of wavelengths after which the surface repeats, for seamless tiles; 0 is endless",
        limits=(0, 65536),
        soft=(0, 16),
        advanced=True,
    )
    speed: float = parameter(
        0.0,
        "How fast the surface changes in place, in new shapes per second; 0 stands still",
        unit="1/s",
        limits=(-1000.0, 1000.0),
        soft=(0.0, 2.0),
        advanced=True,
    )
    drift_east: float = parameter(
        0.0,
        "How fast the surface slides to the east",
        unit="m/s",
        limits=(-1e6, 1e6),
        soft=(-500.0, 500.0),
        advanced=True,
    )
    drift_north: float = parameter(
        0.0,
        "How fast the surface slides to the north",
        unit="m/s",
        limits=(-1e6, 1e6),
        soft=(-500.0, 500.0),
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that some octave, or the sideways pull, cannot keep."""
        if self.period == 0:
            return
        if self.lacunarity != round(self.lacunarity):
            raise ValueError(
                f"lacunarity = {self.lacunarity} must be a whole number for a surface that repeats (period > 0)"
            )
        if self.warp > 0.0:
            self._check_fit("warp_wavelength")

    def _check_fit(self, name: str) -> None:
        """Refuse a wavelength that does not fit a whole number of times into the length after which noise repeats."""
        wavelength = getattr(self, name)
        waves = self.period * self.wavelength / wavelength
        if not (round(waves) >= 1 and abs(waves - round(waves)) <= min(_WHOLE_WAVES * waves, _FARTHEST_WAVES)):
            raise ValueError(
                f"{name} = {wavelength} m does not fit a whole number of times into the "
                f"{self.period * self.wavelength:g} m after which the surface repeats; change it, or period"
            )


class Waves(NamedTuple):
    """The numbers that octaves follow from: parameters of a source, or derived from them.

    Attributes
    ----------
    wavelength : float
        Of the first octave, in m.
    octaves : int
        How many there are.
    lacunarity, gain : float
        How much finer and how high each octave is, compared with the one before.
    period : int
        Number of wavelengths after which they repeat, 0 for never; a derived one may be larger than a parameter.
    speed : float
        New shapes per second.
    drift_east, drift_north : float
        Speed in m/s at which they slide.
    """

    wavelength: float
    octaves: int
    lacunarity: float
    gain: float
    period: int
    speed: float
    drift_east: float
    drift_north: float


def waves_of(noise: OctaveNoise) -> Waves:
    """Return the numbers that the octaves of a source follow from.

    Parameters
    ----------
    noise : OctaveNoise
        The source.

    Returns
    -------
    Waves
    """
    return Waves(*(getattr(noise, name) for name in Waves._fields))


def waves_that_fit(noise: OctaveNoise, wavelength: float) -> Waves:
    """Return waves of another length that move with a source, and repeat after the same distance.

    Parameters
    ----------
    noise : OctaveNoise
        The source.
    wavelength : float
        Metres; if the source repeats, it is moved to the nearest one that fits a whole number of times.

    Returns
    -------
    Waves
    """
    repeats = noise.period * noise.wavelength
    period = round(repeats / wavelength)
    return waves_of(noise)._replace(wavelength=repeats / period if period else wavelength, period=period)


class Octaves(NamedTuple):
    """Where the octaves lie that a grid can show, in the form that kernels take; each array has one entry per octave.

    Attributes
    ----------
    frequencies : ndarray of float64
        Lattice cells per metre.
    starts : ndarray of float64, shape (octaves, 3)
        Lattice coordinates of the point 0, 0 at the given time: east, north, and the third one, which is time.  At
        time 0 the third one is 0.
    amplitudes : ndarray of float64
        gain⁰, gain¹, gain² …
    seeds : ndarray of uint32
    periods : ndarray of int64
        Number of cells after which an octave repeats, 0 for never.
    hidden : ndarray of float64
        Amplitudes of the octaves that are too fine for the grid; the only entry that is not about those it can show.
    """

    frequencies: Array
    starts: Array
    amplitudes: Array
    seeds: Array
    periods: Array
    hidden: Array


def shown_octaves(grid: Grid, noise: OctaveNoise | Waves) -> int:
    """Return how many octaves a grid can show: those whose wavelength is at least two cells.

    The rest count with what they are expected to add; a finer grid shows more of them.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : OctaveNoise or Waves
        Its wavelength, lacunarity and number of octaves.

    Returns
    -------
    int
        From 0 to `noise.octaves`.

    Examples
    --------
    >>> shown_octaves(Grid(2, 2, cell_size=10.0), OctaveNoise(wavelength=100.0, octaves=8))
    3
    """
    wavelengths = [noise.wavelength / noise.lacunarity**octave for octave in range(noise.octaves)]
    return sum(wavelength >= 2.0 * grid.cell_size for wavelength in wavelengths)


def amplitude_sum(noise: OctaveNoise | Waves) -> float:
    """Return the sum of the amplitudes of all octaves, whether a grid shows them or not.

    Parameters
    ----------
    noise : OctaveNoise or Waves
        Its gain and number of octaves.

    Returns
    -------
    float
        Σ gainᵏ for k from 0 to octaves − 1.

    Examples
    --------
    >>> amplitude_sum(OctaveNoise(octaves=3, gain=0.5))
    1.75
    """
    return math.fsum(noise.gain**octave for octave in range(noise.octaves))


def place_octaves(
    grid: Grid, noise: OctaveNoise | Waves, seed: int, time: float, use: OctaveUse = OctaveUse.SURFACE
) -> Octaves:
    """Return the octaves that a grid can show.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : OctaveNoise or Waves
        Shape of the octaves.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds.
    use : OctaveUse
        What the sum is for; each use of one seed has its own octaves.

    Returns
    -------
    Octaves

    Raises
    ------
    ValueError
        If the time is not finite.
    """
    if not math.isfinite(time):
        raise ValueError(f"time = {time!r} s is not a finite number of seconds")
    count = shown_octaves(grid, noise)
    octaves = range(count)
    frequencies = np.array([noise.lacunarity**octave / noise.wavelength for octave in octaves], np.float64)
    seeds = np.array([derive_seed(seed, Purpose.OCTAVE, octave, *use.numbers) for octave in octaves], np.uint32)
    periods = [noise.period * round(noise.lacunarity) ** octave for octave in octaves]
    starts = np.zeros((count, 3))
    for octave in octaves:
        for axis, drift in enumerate((noise.drift_east, noise.drift_north)):
            # Every octave starts at another place; else all would be zero at the origin, which shows as a flat spot.
            place = float(unit_float(hash_place(axis + 1, octave, seeds[octave])))
            starts[octave, axis] = place - _slid(drift, time, frequencies[octave], periods[octave])
    # All octaves change equally fast.  If fine ones changed faster, as in space, they would flicker.
    starts[:, 2] = noise.speed * time
    return Octaves(
        frequencies,
        starts,
        np.array([noise.gain**octave for octave in octaves], np.float64),
        seeds,
        np.array(periods, np.int64),
        np.array([noise.gain**octave for octave in range(count, noise.octaves)], np.float64),
    )


def _slid(drift: float, time: float, frequency: float, period: int) -> float:
    """Return how many cells an octave has slid, without the times that it has come back to the same place.

    A long way at a short wavelength is more cells than a float can count exactly.
    """
    cells, again = Fraction(drift) * Fraction(time) * Fraction(frequency), period or _CELLS_OF_A_HASH
    return float(cells - again * round(cells / again))
