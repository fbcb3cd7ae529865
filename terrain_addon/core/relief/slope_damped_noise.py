"""Sums in which steep ground holds finer octaves back, as if worn (Quilez 2008; de Carpentier 2012)."""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import new_basis
from .octave_sums import DAMPED, JORDAN, SWISS, Sum
from .octaves import OctaveNoise, amplitude_sum, place_octaves
from .warping import combine_warped

_CHARACTERS = {
    "damped": "Detail fades on slopes: worn flanks, rough valleys and tops (Quilez 2008)",
    "swiss": "Crests whose flanks are drawn out downhill (de Carpentier 2012)",
    "jordan": "Rounded and billowing, with detail gathered in hollows (de Carpentier 2012)",
}


@dataclass(frozen=True)
class SlopeDampedNoise(OctaveNoise):
    """Land that looks worn, without erosion: slopes hold finer octaves back."""

    character: str = parameter("damped", "How slopes act on finer octaves", choices=_CHARACTERS)
    damping: float = parameter(0.3, "How strongly slopes act: 0 is not at all", limits=(0.0, 1.0))


def make_slope_damped_noise(grid: Grid, noise: SlopeDampedNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights of a sum of octaves that slopes hold back, scaled by the range that it can not leave.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : SlopeDampedNoise
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
    octaves = place_octaves(grid, noise, seed, time)
    basis = new_basis("gradient", octaves, 1.0, in_space=noise.speed != 0.0)
    kind = {"damped": DAMPED, "swiss": SWISS, "jordan": JORDAN}[noise.character]
    most = amplitude_sum(noise)
    combined = Sum(kind, -most if kind == DAMPED else 0.0, most, strength=noise.damping)
    return combine_warped(grid, noise, seed, time, octaves, basis, combined)
