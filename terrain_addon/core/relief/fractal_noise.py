"""Fractal Brownian motion: a plain sum of octaves, and the same sum of folded octaves.

    P(p) = Σ aᵢ f(nᵢ(p)),    nᵢ(p) = n(p · lacunarityⁱ / wavelength),    aᵢ = gainⁱ

with noise n in [−1, 1], and f(n) = n if the character is smooth, |n| if it is billow, 1 − |n| if it is ridged.

References
----------
Mandelbrot, B. B. & Van Ness, J. W. (1968). Fractional Brownian motions, fractional noises and applications. SIAM
Review 10(4), 422–437. doi:10.1137/1010093
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337
"""

from dataclasses import dataclass

from ..foundation.parameters import Named, parameter
from ..foundation.terrain import Field, Grid
from .bases import BASES, BasisChoice
from .lattice import FADES
from .octave_noise import make_octave_noise
from .octaves import OctaveNoise, amplitude_sum
from .sum_rules import BILLOW, RIDGED, SMOOTH, SumRule

_CHARACTERS = {
    "smooth": "Hills and hollows of the same shape",
    "billow": "Folded upwards: round domes between sharp valleys",
    "ridged": "Folded downwards: sharp crests between round valleys",
}

_GRADIENTS = {
    "unit_256": Named("All Directions", "256 directions: no direction is favoured"),
    "unit_8": Named("8 Equal Directions", "The axes and diagonals: a little regular, as in older programs"),
    "axes_diagonals_8": Named("Axes and Diagonals", "The axes, and steeper diagonals (Perlin 2002)"),
    "knight_moves_8": Named("Knight's Moves", "The moves of a knight in chess: neither axes nor diagonals"),
}

_KINDS = {"smooth": SMOOTH, "billow": BILLOW, "ridged": RIDGED}


@dataclass(frozen=True)
class FractalNoise(OctaveNoise):
    """Hills with smaller hills on them: each octave is finer and lower than the one before."""

    character: str = parameter("smooth", "What the hills look like", choices=_CHARACTERS)
    basis: str = parameter("gradient", "The noise that octaves are made of", choices=BASES, advanced=True)
    fade: str = parameter(
        "quintic", "How the cells of gradient and value noise are blended", choices=FADES, advanced=True
    )
    gradients: str = parameter(
        "unit_256", "Directions in which gradient noise in the plane slopes", choices=_GRADIENTS, advanced=True
    )

    def check(self) -> None:
        """Refuse a period that the noise cannot keep."""
        super().check()
        if self.period > 0 and self.basis == "simplex":
            raise ValueError("basis = 'simplex' cannot repeat (period > 0); choose gradient, value or cellular")


def make_fractal_noise(grid: Grid, noise: FractalNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights base + height · Pᵏ, with P a sum of octaves scaled to [0, 1] and k the attenuation.

    The sum is scaled by its true range, which is known beforehand, and not by the heights that happen to occur.  So
    neighbouring tiles match, and most surfaces use the middle of the range.

    Parameters
    ----------
    grid : Grid
        Where to sample.  A finer grid over the same ground samples the same surface more finely.  Octaves that it
        cannot show (see `octaves.shown_octaves`) are left out; if it can show none, the surface is level.
    noise : FractalNoise
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
    Mandelbrot, B. B. & Van Ness, J. W. (1968). Fractional Brownian motions, fractional noises and applications. SIAM
    Review 10(4), 422–437. doi:10.1137/1010093
    Musgrave, F. K., Kolb, C. E. & Mace, R. S. (1989). The synthesis and rendering of eroded fractal terrains. Computer
    Graphics (SIGGRAPH) 23(3), 41–50. doi:10.1145/74333.74337

    Examples
    --------
    >>> heights = make_fractal_noise(Grid(2, 3, cell_size=300.0), FractalNoise(height=1000.0), seed=1)
    >>> heights.shape, heights.dtype.name
    ((2, 3), 'float32')
    >>> heights.astype(int).tolist()
    [[472, 388, 337], [448, 359, 325]]
    """
    most = amplitude_sum(noise)
    kind = _KINDS[noise.character]
    rule = SumRule(kind, -most if kind == SMOOTH else 0.0, most)
    choice = BasisChoice(noise.basis, fade=noise.fade, gradients=noise.gradients)
    return make_octave_noise(grid, noise, seed, time, rule, choice)
