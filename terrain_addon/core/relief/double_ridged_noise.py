"""The lower of two sums of octaves: crests appear where the two cross.

It is the bedrock of the layered model.  With two sums of octaves that are scaled to [0, 1],

    h = base + height · min(P₁, P₂)ᵏ,    P = ½ + ½ Σ aᵢ nᵢ / Σ aᵢ,    aᵢ = gainⁱ

where k is the attenuation.

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337  (Sums of octaves.)
"""

import math
from dataclasses import dataclass

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import BasisChoice
from .height_range import fill_range
from .octave_noise import in_strips, make_octave_noise, samples_of
from .octaves import OctaveNoise, OctaveUse, Waves, amplitude_sum, shown_octaves, waves_of, waves_that_fit
from .sum_rules import SMOOTH, SumRule


@dataclass(frozen=True)
class DoubleRidgedNoise(OctaveNoise):
    """The lower of two surfaces: long crests where they cross."""

    second_wavelength: float = parameter(
        1700.0,
        "Distance between the largest hills of the second surface",
        unit="m",
        limits=(0.01, 1e6),
        soft=(100.0, 10000.0),
    )
    second_gain: float = parameter(
        0.5,
        "How high each octave of the second surface is compared with the one before: 0.35 is smooth, 0.6 rugged",
        limits=(0.0, 1.0),
        soft=(0.3, 0.7),
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that the second surface cannot keep."""
        super().check()
        if self.period > 0:
            self._check_fit("second_wavelength")


def make_double_ridged_noise(grid: Grid, noise: DoubleRidgedNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights base + height · min(P₁, P₂)ᵏ, with two sums of octaves scaled to [0, 1].

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : DoubleRidgedNoise
        Shape of the surface.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds, for a surface that moves.

    Returns
    -------
    ndarray of float32, shape (rows, columns)
        Metres, from `base_altitude` to `base_altitude + height`.

    Raises
    ------
    ValueError
        If the time is not finite.

    References
    ----------
    Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
    Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337

    Examples
    --------
    >>> noise = DoubleRidgedNoise(height=1000.0)
    >>> make_double_ridged_noise(Grid(1, 3, cell_size=300.0), noise, seed=1).astype(int).tolist()
    [[304, 364, 337]]
    """
    # Both sums are shares from 0 to 1 until the lower one is known.
    share = noise.replace(base_altitude=0.0, height=1.0, attenuation=1.0)
    second = waves_that_fit(noise, noise.second_wavelength)._replace(gain=noise.second_gain)
    both = waves_of(noise), second
    spread = math.sqrt(sum(_hidden_variance(grid, waves) for waves in both))
    # Evenly spread within ± this, the difference of what is hidden has the variance that it has.
    reach = math.sqrt(3.0) * spread
    shape = np.array([noise.base_altitude, noise.height, noise.attenuation, reach], np.float32)

    def make(strip: Grid) -> Field:
        heights, other = (
            make_octave_noise(strip, share, seed, time, _rule(waves), use=use, waves=waves)
            for waves, use in zip(both, (OctaveUse.SURFACE, OctaveUse.SECOND_SURFACE))
        )
        _keep_lower(heights, other, shape)
        return heights

    return in_strips(grid, make)


def _rule(waves: Waves) -> SumRule:
    """Return how one of the two sums is made."""
    most = amplitude_sum(waves)
    return SumRule(SMOOTH, -most, most)


def _hidden_variance(grid: Grid, waves: Waves) -> float:
    """Return the variance of those octaves of a share that a grid cannot show."""
    hidden = [waves.gain**octave for octave in range(shown_octaves(grid, waves), waves.octaves)]
    if not hidden:
        return 0.0
    samples = samples_of(BasisChoice())
    square = math.fsum(samples * samples) / len(samples)
    return square * math.fsum(a * a for a in hidden) * (0.5 / amplitude_sum(waves)) ** 2


@parallel_kernel
def _keep_lower(part: Part, heights: Array, other: Array, shape: Array) -> None:
    """Replace shares by the heights of the lower of two: (a + b − |a − b|) / 2.

    Where octaves are hidden that reach as far as the two lie apart, |a − b| is replaced by what is expected of it.
    """
    half, reach = np.float32(0.5), shape[3]
    for row in portion(part, heights.shape[0]):
        line, second = heights[row], other[row]
        for i in range(line.size):
            apart = abs(line[i] - second[i])
            lower = min(line[i], second[i])
            if apart < reach:
                lower -= half * (half * (apart * apart / reach + reach) - apart)
            line[i] = lower
        fill_range(line, shape[0], shape[1], shape[2])
