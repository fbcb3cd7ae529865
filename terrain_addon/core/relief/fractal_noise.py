"""Fractal Brownian motion and its folded kin (Mandelbrot & Van Ness 1968; Perlin 1985; Musgrave, Kolb & Mace 1989)."""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import BASES, new_basis
from .lattice import FADES
from .lattice_rows import sum_rows
from .octave_sums import BILLOW, RIDGED, SMOOTH, Sum
from .octaves import OctaveNoise, amplitude_sum, place_octaves
from .warping import combine_warped

_CHARACTERS = {
    "smooth": "Hills and hollows alike",
    "billow": "Folded upwards: round domes between sharp valleys",
    "ridged": "Folded downwards: sharp crests between round valleys",
}

_GRADIENTS = {
    "unit_256": "256 directions: no direction is favoured",
    "unit_8": "The axes and diagonals: a little regular, as in older programs",
    "axes_diagonals_8": "The same, diagonals steeper (Perlin 2002)",
    "knight_moves_8": "The moves of a knight: neither axes nor diagonals",
}


@dataclass(frozen=True)
class FractalNoise(OctaveNoise):
    """Hills upon hills: each octave is finer and lower than the one before."""

    character: str = parameter("smooth", "What the hills look like", choices=_CHARACTERS)
    basis: str = parameter("gradient", "The noise that octaves are made of", choices=BASES, advanced=True)
    fade: str = parameter(
        "quintic", "How the cells of gradient and value noise are blended", choices=FADES, advanced=True
    )
    gradients: str = parameter(
        "unit_256", "Directions that gradient noise in the plane slopes to", choices=_GRADIENTS, advanced=True
    )

    def check(self) -> None:
        """Refuse a period that the noise can not keep."""
        super().check()
        if self.period > 0 and self.basis == "simplex":
            raise ValueError("basis = 'simplex' can not repeat (period > 0); choose gradient, value or cellular")


def make_fractal_noise(grid: Grid, noise: FractalNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights T = base + height · Pᵏ, with P a sum of octaves scaled to [0, 1].

    The scale is that of the sum's true range, known beforehand, and not of the heights that happen to occur:
    neighbouring pieces of land match, and most land uses the middle of the range.

    Parameters
    ----------
    grid : Grid
        Where to sample.  A finer grid over the same ground samples the same land more finely; octaves that it cannot
        show (see `octaves.shown_octaves`) are left out; where it can show none, the land is level.
    noise : FractalNoise
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
    most = amplitude_sum(noise)
    quick = noise.character == "smooth" and noise.basis in ("gradient", "value") and noise.warp == 0.0
    basis = new_basis(
        noise.basis,
        octaves,
        octaves.amplitudes * (0.5 / most) if quick else 1.0,
        in_space=noise.speed != 0.0,
        fade=noise.fade,
        gradients=noise.gradients,
    )
    if quick:
        return sum_rows(grid, octaves, basis, (noise.base_altitude, noise.height, noise.attenuation))
    kind = {"smooth": SMOOTH, "billow": BILLOW, "ridged": RIDGED}[noise.character]
    combined = Sum(kind, -most if kind == SMOOTH else 0.0, most)
    return combine_warped(grid, noise, seed, time, octaves, basis, combined)
