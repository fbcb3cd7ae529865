"""Domain warping: a surface is sampled at points that another noise has pulled sideways.

References
----------
Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
Quilez, I. (2002). Domain warping. iquilezles.org, articles.
"""

from ..foundation.terrain import Field, Grid
from .bases import BasisChoice, new_basis
from .lattice_rows import sum_rows
from .octaves import OctaveNoise, OctaveUse, amplitude_sum, place_octaves, waves_that_fit

# Octaves of the pull: enough to bend ridges without roughening them.
_PULL_OCTAVES = 3


def pull_of(grid: Grid, noise: OctaveNoise, seed: int, time: float) -> tuple[Field, Field]:
    """Return how far to the east and north of each sample its height is taken from.

    Parameters
    ----------
    grid : Grid
        Where to sample.
    noise : OctaveNoise
        Reach and wavelength of the pull, how the surface moves and after what length it repeats.
    seed : int
        0 to 2³¹ − 1.
    time : float
        Seconds.

    Returns
    -------
    pair of ndarray of float32, shape (rows, columns)
        Metres, each within ± `noise.warp`.

    Raises
    ------
    ValueError
        If the time is not finite.

    References
    ----------
    Perlin, K. (1985). An image synthesizer. Computer Graphics (SIGGRAPH) 19(3), 287–296. doi:10.1145/325334.325247
    Quilez, I. (2002). Domain warping. iquilezles.org, articles.
    """
    coarse = waves_that_fit(noise, noise.warp_wavelength)._replace(octaves=_PULL_OCTAVES, lacunarity=2.0, gain=0.5)

    def direction(use: OctaveUse) -> Field:
        octaves = place_octaves(grid, coarse, seed, time, use)
        weights = octaves.amplitudes * (0.5 / amplitude_sum(coarse))
        basis = new_basis(BasisChoice(), octaves, weights)
        return sum_rows(grid, octaves, basis, (-noise.warp, 2.0 * noise.warp, 1.0))

    return direction(OctaveUse.PULL_EAST), direction(OctaveUse.PULL_NORTH)
