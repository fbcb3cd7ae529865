"""What all sums of octaves share: their parameters, and where each octave lies."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..foundation.compilation import Array
from ..foundation.hashing import Purpose, derive_seed, hash_place, unit_float
from ..foundation.parameters import parameter
from ..foundation.terrain import Grid
from .height_range import HeightRange

# What the seed of an octave is derived for.


@dataclass(frozen=True)
class OctaveNoise(HeightRange):
    """Waves of land: each octave is finer and lower than the one before."""

    wavelength: float = parameter(
        2400.0, "Distance between the largest hills", unit="m", limits=(0.01, 1e6), soft=(100.0, 10000.0)
    )
    attenuation: float = parameter(
        1.0, "Exponent on the height: above 1 plains flatten and summits stay", limits=(1.0, 8.0), soft=(1.0, 4.0)
    )
    warp: float = parameter(
        0.0,
        "How far the land is pulled sideways, which bends ridges and valleys",
        unit="m",
        limits=(0.0, 1e5),
        soft=(0.0, 2000.0),
    )
    warp_wavelength: float = parameter(
        3000.0,
        "Distance over which the sideways pull changes its direction",
        unit="m",
        limits=(0.01, 1e6),
        soft=(100.0, 10000.0),
        advanced=True,
    )
    octaves: int = parameter(8, "Number of layers of detail", limits=(1, 24), soft=(1, 12), advanced=True)
    lacunarity: float = parameter(
        2.0, "How much finer each octave is than the one before", limits=(1.1, 8.0), soft=(1.5, 3.0), advanced=True
    )
    gain: float = parameter(
        0.5, "How high each octave is compared with the one before", limits=(0.0, 1.0), soft=(0.3, 0.7), advanced=True
    )
    period: int = parameter(
        0,
        "Number of wavelengths after which the land repeats, for seamless tiles; 0 is endless",
        limits=(0, 65536),
        soft=(0, 16),
        advanced=True,
    )
    speed: float = parameter(
        0.0,
        "How fast the land changes in place, in shapes per second; 0 stands still",
        unit="1/s",
        limits=(-1000.0, 1000.0),
        soft=(0.0, 2.0),
        advanced=True,
    )
    drift_east: float = parameter(
        0.0,
        "How fast the land slides to the east",
        unit="m/s",
        limits=(-1e6, 1e6),
        soft=(-500.0, 500.0),
        advanced=True,
    )
    drift_north: float = parameter(
        0.0,
        "How fast the land slides to the north",
        unit="m/s",
        limits=(-1e6, 1e6),
        soft=(-500.0, 500.0),
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that some octave, or the sideways pull, can not keep."""
        if self.period == 0:
            return
        if self.lacunarity != round(self.lacunarity):
            raise ValueError(
                f"lacunarity = {self.lacunarity} must be a whole number for land that repeats (period > 0)"
            )
        pulls = self.period * self.wavelength / self.warp_wavelength
        if self.warp > 0.0 and not (round(pulls) >= 1 and math.isclose(pulls, round(pulls), rel_tol=1e-6)):
            raise ValueError(
                f"warp_wavelength = {self.warp_wavelength} m does not fit a whole number of times into the "
                f"{self.period * self.wavelength:g} m after which the land repeats; change it, or period"
            )


class Octaves(NamedTuple):
    """Where the octaves lie that a grid can show, in the form that kernels take; one entry for each.

    Attributes
    ----------
    frequencies : ndarray of float64
        Lattice cells per metre.
    starts : ndarray of float64, shape (octaves, 3)
        Lattice coordinates east, north and in time of the point 0, 0 at the moment asked for.
    amplitudes : ndarray of float64
    seeds : ndarray of uint32
    periods : ndarray of int64
        Number of cells after which an octave repeats, 0 for never.
    """

    frequencies: Array
    starts: Array
    amplitudes: Array
    seeds: Array
    periods: Array


def shown_octaves(grid: Grid, noise: OctaveNoise) -> int:
    """Return how many octaves a grid can show: those whose wavelength is at least two cells.

    The rest are left out; a finer grid shows more of them.
    """
    wavelengths = [noise.wavelength / noise.lacunarity**octave for octave in range(noise.octaves)]
    return sum(wavelength >= 2.0 * grid.cell_size for wavelength in wavelengths)


def amplitude_sum(noise: OctaveNoise) -> float:
    """Return the sum of the amplitudes of all octaves, whether a grid shows them or not."""
    return math.fsum(noise.gain**octave for octave in range(noise.octaves))


def place_octaves(grid: Grid, noise: OctaveNoise, seed: int, time: float, *purpose: int) -> Octaves:
    """Return the octaves that a grid can show; see `Octaves`.

    Parameters
    ----------
    grid, noise
        What is to be sampled where.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds.
    purpose : int
        Numbers that tell sums apart that are made of one seed.

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
    seeds = np.array([derive_seed(seed, Purpose.OCTAVE, octave, *purpose) for octave in octaves], np.uint32)
    # Every octave starts elsewhere; else all of them would be zero at the origin, which shows as a flat spot.
    starts = np.array(
        [[float(unit_float(hash_place(axis, octave, seeds[octave]))) for axis in (1, 2, 3)] for octave in octaves],
        np.float64,
    ).reshape(count, 3)
    starts[:, 0] -= noise.drift_east * time * frequencies
    starts[:, 1] -= noise.drift_north * time * frequencies
    # All octaves change equally fast: were fine ones faster, as in space, they would flicker.
    starts[:, 2] += noise.speed * time
    return Octaves(
        frequencies,
        starts,
        np.array([noise.gain**octave for octave in octaves], np.float64),
        seeds,
        np.array([noise.period * round(noise.lacunarity) ** octave for octave in octaves], np.int64),
    )
