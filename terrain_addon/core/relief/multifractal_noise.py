"""Multifractals: rough where the surface is high, smooth where it is low.

With octaves nᵢ of amplitude aᵢ = gainⁱ, as in `fractal_noise`, the surface of each character is

    ridged:  P = Σ aᵢ sᵢ,    sᵢ = wᵢ (offset − |nᵢ|)²
             w₀ = 1,         wᵢ = sharpness · sᵢ₋₁ within [0, 1]
    hybrid:  P = Σ tᵢ,       tᵢ = min(tᵢ₋₁, 1) · aᵢ (nᵢ + offset)
             t₀ = n₀ + offset
    hetero:  P ← P + aᵢ (nᵢ + offset) P,    from P = n₀ + offset

References
----------
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
Ebert, D. S., Musgrave, F. K., Peachey, D., Perlin, K. & Worley, S. (1994). Texturing & Modeling: A Procedural Approach.
Academic Press.
"""

from dataclasses import dataclass

import numpy as np

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import BASES, BasisChoice
from .octave_noise import make_octave_noise
from .octaves import OctaveNoise
from .sum_rules import HETERO, HYBRID, RIDGED_MULTIFRACTAL, SumRule

_CHARACTERS = {
    "ridged": "Sharp crests that carry finer crests: rocky mountains",
    "hybrid": "Smooth valley floors beneath rough heights",
    "hetero": "Detail in proportion to height: plains that rise into mountains",
}

_KINDS = {"ridged": RIDGED_MULTIFRACTAL, "hybrid": HYBRID, "hetero": HETERO}


@dataclass(frozen=True)
class MultifractalNoise(OctaveNoise):
    """Mountains whose roughness changes from place to place."""

    character: str = parameter("ridged", "How roughness depends on the coarser octaves", choices=_CHARACTERS)
    offset: float = parameter(
        1.0,
        "Raises octaves before they are multiplied: low values leave more of the surface smooth",
        limits=(0.5, 2.0),
        soft=(0.7, 1.3),
        advanced=True,
    )
    sharpness: float = parameter(
        2.0,
        "How strongly crests carry finer crests; only for the ridged character",
        limits=(0.0, 10.0),
        soft=(0.5, 4.0),
        advanced=True,
    )
    basis: str = parameter(
        "gradient",
        "The noise that octaves are made of",
        choices={name: BASES[name] for name in ("gradient", "value", "simplex")},
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that the noise cannot keep."""
        super().check()
        if self.period > 0 and self.basis == "simplex":
            raise ValueError("basis = 'simplex' cannot repeat (period > 0); choose gradient or value")


def make_multifractal_noise(grid: Grid, noise: MultifractalNoise, seed: int, time: float = 0.0) -> Field:
    """Return the heights of a multifractal, scaled by the range that its recursion cannot leave.

    They are base + height · Pᵏ, with P scaled to [0, 1] and k the attenuation.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : MultifractalNoise
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
    Ebert, D. S. et al. (1994). Texturing & Modeling: A Procedural Approach. Academic Press.

    Examples
    --------
    >>> noise = MultifractalNoise(height=1000.0)
    >>> make_multifractal_noise(Grid(1, 3, cell_size=300.0), noise, seed=1).astype(int).tolist()
    [[192, 311, 222]]
    """
    rule = SumRule(_KINDS[noise.character], *multifractal_range(noise), noise.offset, noise.sharpness)
    return make_octave_noise(grid, noise, seed, time, rule, BasisChoice(noise.basis))


def multifractal_range(noise: MultifractalNoise) -> tuple[float, float]:
    """Return the range that the sum cannot leave, by interval arithmetic over its recursion.

    Parameters
    ----------
    noise : MultifractalNoise
        Its character, offset, gain and number of octaves.

    Returns
    -------
    pair of float
        Lowest and highest value.

    Examples
    --------
    >>> multifractal_range(MultifractalNoise(character="hybrid", octaves=2))
    (0.0, 3.0)
    """
    low, high = noise.offset - 1.0, noise.offset + 1.0
    amplitudes = [noise.gain**octave for octave in range(noise.octaves)]
    if noise.character == "ridged":
        return 0.0, max(low * low, noise.offset**2) * sum(amplitudes)
    if noise.character == "hetero":
        total = (low, high)
        for a in amplitudes[1:]:
            total = _product(total, (1.0 + a * low, 1.0 + a * high))
        return total
    total = carry = (low, high)
    for a in amplitudes[1:]:
        carry = _product((min(carry[0], 1.0), min(carry[1], 1.0)), (a * low, a * high))
        total = (total[0] + carry[0], total[1] + carry[1])
    return total


def _product(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Return the range of products of numbers from two ranges."""
    corners = np.outer(a, b)
    return float(corners.min()), float(corners.max())
