"""Sums of octaves that slopes damp, which looks like worn rock.

With octaves nᵢ of amplitude aᵢ = gainⁱ, as in `fractal_noise`, and d the damping, the surface of each character is

    damped:  P = Σ aᵢ nᵢ / (1 + d |Σ ∇nⱼ|²)
    swiss:   P = Σ aᵢ wᵢ (1 − |nᵢ|)                    at p − d Σ aⱼ wⱼ nⱼ ∇nⱼ
    jordan:  P = Σ aᵢ (1 − d / (1 + |Σ nⱼ ∇nⱼ|²)) nᵢ²  at p + 0.35 Σ nⱼ ∇nⱼ

where the inner sums go over the octaves j before i, for damped also over i, and wᵢ is the product of the sums P of all
octaves before, each within [0, 1].  The first octave counts in full.  Lengths are in cells: of the first octave where
swiss moves p, else of each octave.

References
----------
Quilez, I. (2008). Value noise derivatives. iquilezles.org, articles.
de Carpentier, G. (2012). Scape: 3. Procedural extensions. decarpentier.nl.
"""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .octave_noise import make_octave_noise
from .octaves import OctaveNoise, amplitude_sum
from .sum_rules import DAMPED, JORDAN, SWISS, SumRule

_CHARACTERS = {
    "damped": "Detail fades on slopes: worn flanks, rough valleys and tops (Quilez 2008)",
    "swiss": "Crests whose flanks are drawn out downhill (de Carpentier 2012)",
    "jordan": "Rounded and billowing, with detail gathered in hollows (de Carpentier 2012)",
}

_KINDS = {"damped": DAMPED, "swiss": SWISS, "jordan": JORDAN}


@dataclass(frozen=True)
class SlopeDampedNoise(OctaveNoise):
    """A surface that looks worn, without erosion: slopes damp finer octaves."""

    character: str = parameter("damped", "How slopes act on finer octaves", choices=_CHARACTERS)
    damping: float = parameter(0.3, "How strongly slopes damp finer octaves; 0 switches this off", limits=(0.0, 1.0))


def make_slope_damped_noise(grid: Grid, noise: SlopeDampedNoise, seed: int, time: float = 0.0) -> Field:
    """Return the heights of a sum of octaves damped by slopes, scaled by the range that it cannot leave.

    They are base + height · Pᵏ, with P scaled to [0, 1] and k the attenuation.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : SlopeDampedNoise
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
    Quilez, I. (2008). Value noise derivatives. iquilezles.org, articles.
    de Carpentier, G. (2012). Scape: 3. Procedural extensions. decarpentier.nl.

    Examples
    --------
    >>> noise = SlopeDampedNoise(height=1000.0)
    >>> make_slope_damped_noise(Grid(1, 3, cell_size=300.0), noise, seed=1).astype(int).tolist()
    [[432, 385, 360]]
    """
    most = amplitude_sum(noise)
    kind = _KINDS[noise.character]
    rule = SumRule(kind, -most if kind == DAMPED else 0.0, most, strength=noise.damping)
    return make_octave_noise(grid, noise, seed, time, rule)
