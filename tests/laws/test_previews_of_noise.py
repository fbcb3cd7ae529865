"""A coarse land is the final land seen from far away: the same mean height, the same hills, only less detail."""

import numpy as np
import pytest

from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.relief.bases import BASES
from terrain_addon.core.relief.cell_distances import FEATURES
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.double_ridged_noise import DoubleRidgedNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise
from terrain_addon.core.relief.octaves import OctaveNoise
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise
from terrain_addon.core.relief.sources import SOURCES

pytestmark = pytest.mark.once

# Land with 12 × 12 of the largest hills, so that its mean is not that of a few of them.
WIDTH = 12 * 480.0
FINAL = 1025

LANDS = [
    *(FractalNoise(basis=basis, character=one) for basis in BASES for one in ("smooth", "billow", "ridged")),
    *(
        MultifractalNoise(basis=basis, character=one)
        for basis in ("gradient", "value", "simplex")
        for one in ("ridged", "hybrid", "hetero")
    ),
    MultifractalNoise(character="hybrid", offset=0.6),
    *(SlopeDampedNoise(character=one, damping=d) for one in ("damped", "swiss", "jordan") for d in (0.3, 1.0)),
    *(CellularNoise(octaves=6, feature=feature) for feature in FEATURES),
    CellularNoise(octaves=6, upside_down=True, metric="manhattan"),
    DoubleRidgedNoise(second_wavelength=340.0),
    FractalNoise(character="ridged", warp=60.0, warp_wavelength=700.0),
    FractalNoise(character="ridged", speed=1.0),
]


def make(land: OctaveNoise, side: int, time: float = 0.0) -> Field:
    return SOURCES[type(land)].make(Grid(side, side, WIDTH / (side - 1)), land, 3, time)


def from_far_away(heights: Field, side: int) -> Field:
    """Means over squares, so many a side."""
    cells = (len(heights) - 1) // side
    corners = [heights[i : len(heights) - 1 + i, j : len(heights) - 1 + j] for i in (0, 1) for j in (0, 1)]
    return sum(corners).reshape(side, cells, side, cells).mean(axis=(1, 3)) / 4.0


@pytest.mark.parametrize("gain", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("land", LANDS, ids=lambda n: f"{n.model()}-{LANDS.index(n)}")
def test_a_preview_has_the_heights_of_the_final_land(land: OctaveNoise, gain: float) -> None:
    land = land.replace(wavelength=480.0, gain=gain, height=1000.0)
    if isinstance(land, DoubleRidgedNoise):
        land = land.replace(second_gain=gain)
    time = 0.4 if land.speed else 0.0
    final = make(land, FINAL, time)
    for side in (65, 129, 257):
        preview = make(land, side, time)
        assert abs(float(preview.mean()) - float(final.mean())) < 2.0, f"{side}: mean"
        # Seen from so far away that what only the final land shows is even.
        near, far = from_far_away(preview, 16), from_far_away(final, 16)
        alike = np.corrcoef(near.ravel(), far.ravel())[0, 1]
        # Samples 90 m apart of folds that are narrower than that say little of the mean height between them.
        assert alike > {65: 0.84, 129: 0.98, 257: 0.997}[side], f"{side}: hills"
        assert alike > 0.99 or side == 65 or gain > 0.5, f"{side}: hills"
