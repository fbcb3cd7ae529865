"""Cellular noise as a surface: pits, plates and cracks around scattered points.

    h = base + height · (½ + ½ Σ aᵢ nᵢ / Σ aᵢ)ᵏ
    n = ±(2 F / F_max − 1),    F = F₁, F₂ or F₂ − F₁

where F₁ and F₂ are the distances to the nearest point and to the second nearest, one point lies in each cell of a
lattice, F_max is the greatest distance that can occur, and k is the attenuation.  Upside down, n is below 0 far away.

References
----------
Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267
"""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import BasisChoice
from .cell_distances import FEATURES, METRICS
from .octave_noise import make_octave_noise
from .octaves import OctaveNoise, amplitude_sum
from .sum_rules import SMOOTH, SumRule


@dataclass(frozen=True)
class CellularNoise(OctaveNoise):
    """Heights that follow the distance to scattered points."""

    octaves: int = parameter(1, "Number of octaves; more add finer detail", limits=(1, 24), soft=(1, 6))
    feature: str = parameter(
        "f1", "Which distance to the scattered points becomes the height", choices=FEATURES, label="Distance"
    )
    metric: str = parameter("euclidean", "How distance is measured", choices=METRICS, advanced=True)
    upside_down: bool = parameter(False, "Whether points are peaks instead of pits", advanced=True)


def make_cellular_noise(grid: Grid, noise: CellularNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights made of distances to scattered points, scaled by the greatest possible distance.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : CellularNoise
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
    Worley, S. (1996). A cellular texture basis function. SIGGRAPH '96, 291–294. doi:10.1145/237170.237267

    Examples
    --------
    >>> make_cellular_noise(Grid(1, 3, cell_size=300.0), CellularNoise(height=1000.0), seed=1).astype(int).tolist()
    [[419, 346, 284]]
    """
    most = amplitude_sum(noise)
    choice = BasisChoice("cellular", feature=noise.feature, metric=noise.metric, upside_down=noise.upside_down)
    return make_octave_noise(grid, noise, seed, time, SumRule(SMOOTH, -most, most), choice)
