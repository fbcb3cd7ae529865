"""The lower of two sums of octaves: crests appear where the two cross."""

from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import new_basis
from .height_range import fill_range
from .lattice_rows import sum_rows
from .octave_sums import SMOOTH, Sum, combine_octaves
from .octaves import OctaveNoise, amplitude_sum, place_octaves
from .warping import in_strips, pull_of

# Tells the second sum from the first.
_SECOND = 1


@dataclass(frozen=True)
class DoubleRidgedNoise(OctaveNoise):
    """Two lands laid into one another, of which the lower counts: long crests where they cross."""

    second_wavelength: float = parameter(
        1700.0,
        "Distance between the largest hills of the second land",
        unit="m",
        limits=(0.01, 1e6),
        soft=(100.0, 10000.0),
    )
    second_gain: float = parameter(
        0.5,
        "How high each octave of the second land is compared with the one before",
        limits=(0.0, 1.0),
        soft=(0.3, 0.7),
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that the second land can not keep."""
        super().check()
        waves = self.period * self.wavelength / self.second_wavelength
        if self.period > 0 and not (round(waves) >= 1 and abs(waves - round(waves)) <= 1e-6 * waves):
            raise ValueError(
                f"second_wavelength = {self.second_wavelength} m does not fit a whole number of times into the "
                f"{self.period * self.wavelength:g} m after which the land repeats; change it, or period"
            )


def make_double_ridged_noise(grid: Grid, noise: DoubleRidgedNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights T = base + height · min(Σ¹, Σ²)ᵏ, with two sums of octaves scaled to [0, 1].

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : DoubleRidgedNoise
        Shape of the land.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds, for land that moves.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.
    """
    second = noise.replace(
        wavelength=noise.second_wavelength,
        second_wavelength=noise.second_wavelength,
        gain=noise.second_gain,
        period=round(noise.period * noise.wavelength / noise.second_wavelength),
    )
    shape = np.array([noise.base_altitude, noise.height, noise.attenuation], np.float32)

    def strip_of(strip: Grid) -> Field:
        heights = _sum(strip, noise, seed, time, None)
        _keep_lower(heights, _sum(strip, second, seed, time, _SECOND), shape)
        return heights

    return in_strips(grid, strip_of)


def _sum(grid: Grid, noise: DoubleRidgedNoise, seed: int, time: float, purpose: int | None) -> Field:
    octaves = place_octaves(grid, noise, seed, time, *(() if purpose is None else (purpose,)))
    in_space, most = noise.speed != 0.0, amplitude_sum(noise)
    if noise.warp == 0.0:
        basis = new_basis("gradient", octaves, octaves.amplitudes * (0.5 / most), in_space=in_space)
        return sum_rows(grid, octaves, basis, (0.0, 1.0, 1.0))
    basis = new_basis("gradient", octaves, 1.0, in_space=in_space)
    pull = pull_of(grid, noise, seed, time)
    return combine_octaves(grid, octaves, basis, Sum(SMOOTH, -most, most), (0.0, 1.0, 1.0), pull)


@parallel_kernel
def _keep_lower(part: Part, heights: Array, other: Array, shape: Array) -> None:
    for row in portion(part, heights.shape[0]):
        line, second = heights[row], other[row]
        for i in range(line.size):
            line[i] = min(line[i], second[i])
        fill_range(line, shape[0], shape[1], shape[2])
