"""Land of scattered points (Worley 1996): pits, plates, cracks and dunes of crests."""

from dataclasses import dataclass

from ..foundation.parameters import parameter
from ..foundation.terrain import Field, Grid
from .bases import new_basis
from .cellular_noise import FEATURES, METRICS
from .octave_sums import SMOOTH, Sum
from .octaves import OctaveNoise, amplitude_sum, place_octaves
from .warping import combine_warped


@dataclass(frozen=True)
class CellularNoise(OctaveNoise):
    """Land measured by the distance to scattered points."""

    octaves: int = parameter(1, "Number of layers of detail", limits=(1, 24), soft=(1, 6))
    feature: str = parameter("f1", "Which distance makes the height", choices=FEATURES)
    metric: str = parameter("euclidean", "How distance is measured", choices=METRICS, advanced=True)
    upside_down: bool = parameter(False, "Whether points are peaks instead of pits", advanced=True)


def make_cellular_noise(grid: Grid, noise: CellularNoise, seed: int, time: float = 0.0) -> Field:
    """Return heights made of distances to scattered points, scaled by the greatest that there could be.

    Parameters
    ----------
    grid : Grid
        Where to sample; see `make_fractal_noise`.
    noise : CellularNoise
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
    basis = new_basis(
        "cellular",
        octaves,
        -1.0 if noise.upside_down else 1.0,
        in_space=noise.speed != 0.0,
        feature=noise.feature,
        metric=noise.metric,
    )
    most = amplitude_sum(noise)
    combined = Sum(SMOOTH, -most, most)
    return combine_warped(grid, noise, seed, time, octaves, basis, combined)
