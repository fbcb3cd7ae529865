"""Multifractals: rough where the land is high, smooth where it is low (Musgrave in "Texturing & Modeling", 1994)."""

from dataclasses import dataclass

import numpy as np

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import new_basis
from .octave_sums import HETERO, HYBRID, RIDGED_MULTIFRACTAL, Sum
from .octaves import OctaveNoise, place_octaves
from .warping import combine_warped

_CHARACTERS = {
    "ridged": "Sharp crests that carry finer crests: rocky mountains",
    "hybrid": "Smooth valley floors beneath rough heights",
    "hetero": "Detail in proportion to height: plains that rise into mountains",
}


@dataclass(frozen=True)
class MultifractalNoise(OctaveNoise):
    """Mountains whose roughness changes from place to place."""

    character: str = parameter("ridged", "How roughness depends on the land beneath", choices=_CHARACTERS)
    offset: float = parameter(
        1.0,
        "Raises the land before octaves are multiplied: low values leave more of it smooth",
        limits=(0.5, 2.0),
        soft=(0.7, 1.3),
        advanced=True,
    )
    sharpness: float = parameter(
        2.0,
        "How readily crests carry finer crests, for the ridged character",
        limits=(0.0, 10.0),
        soft=(0.5, 4.0),
        advanced=True,
    )
    basis: str = parameter(
        "gradient",
        "The noise that octaves are made of",
        choices={
            "gradient": "Slopes at the nodes of a lattice: even, rounded hills",
            "value": "Heights at the nodes of a lattice: blocky, with flat tops",
            "simplex": "Slopes at the corners of triangles: sharper, the same in more directions",
        },
        advanced=True,
    )

    def check(self) -> None:
        """Refuse a period that the noise can not keep."""
        super().check()
        if self.period > 0 and self.basis == "simplex":
            raise ValueError("basis = 'simplex' can not repeat (period > 0); choose gradient or value")


def make_multifractal_noise(grid: Grid, noise: MultifractalNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights of a multifractal, scaled by the range that its recursion can not leave.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : MultifractalNoise
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
    basis = new_basis(noise.basis, octaves, 1.0, in_space=noise.speed != 0.0)
    kind = {"ridged": RIDGED_MULTIFRACTAL, "hybrid": HYBRID, "hetero": HETERO}[noise.character]
    lowest, highest = multifractal_range(noise)
    combined = Sum(kind, lowest, highest, noise.offset, noise.sharpness)
    return combine_warped(grid, noise, seed, time, octaves, basis, combined)


def multifractal_range(noise: MultifractalNoise) -> tuple[float, float]:
    """Return the range that the sum can not leave, by interval arithmetic over its recursion."""
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
    corners = np.outer(a, b)
    return float(corners.min()), float(corners.max())
