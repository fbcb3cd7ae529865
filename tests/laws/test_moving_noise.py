"""Land that moves is the land that stands still, set in motion: it starts from it and keeps its character."""

import numpy as np
import pytest

from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.relief.bases import BASES
from terrain_addon.core.relief.cell_distances import FEATURES
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.double_ridged_noise import DoubleRidgedNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.lattice import PLANE_GRADIENTS
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise
from terrain_addon.core.relief.octaves import OctaveNoise
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise
from terrain_addon.core.relief.sources import SOURCES

pytestmark = pytest.mark.once

LANDS = [
    *(FractalNoise(basis=basis) for basis in BASES),
    *(FractalNoise(basis=basis, character="ridged") for basis in BASES),
    *(FractalNoise(gradients=one, fade="linear") for one in PLANE_GRADIENTS),
    FractalNoise(warp=50.0, warp_wavelength=150.0),
    FractalNoise(basis="value", warp=50.0, warp_wavelength=150.0),
    FractalNoise(period=64),
    *(MultifractalNoise(character=one) for one in ("ridged", "hybrid", "hetero")),
    *(SlopeDampedNoise(character=one) for one in ("damped", "swiss", "jordan")),
    *(CellularNoise(feature=one) for one in FEATURES),
    DoubleRidgedNoise(second_wavelength=80.0),
]
EACH_LAND = pytest.mark.parametrize("land", LANDS, ids=lambda n: f"{n.model()}-{LANDS.index(n)}")

# 64 × 64 of the largest hills, whose statistics are those of any land of their kind.
GRID = Grid(257, 257, 25.0)


def make(land: OctaveNoise, time: float, **changes: float) -> Field:
    return SOURCES[type(land)].make(GRID, land.replace(wavelength=100.0, height=1000.0, **changes), 3, time)


@EACH_LAND
def test_at_its_start_moving_land_is_the_land_that_stands_still(land: OctaveNoise) -> None:
    still = make(land, 0.0)
    for speed in (1e-6, 1.0, -1000.0):
        assert make(land, 0.0, speed=speed).tobytes() == still.tobytes()
    # A speed too low to be seen does not replace the land.
    assert np.abs(make(land, 5.0, speed=1e-6) - still).max() < 0.2
    soon = np.abs(make(land, 1e-3, speed=1.0) - still)
    assert 1e-3 < soon.max() < 40.0


@EACH_LAND
def test_moving_land_keeps_its_character(land: OctaveNoise) -> None:
    still = make(land, 0.0)
    moments = (0.1, 0.25, 0.5, 0.75, 1.0, 1.4, 7.3, -2.6, 1e6 + 0.3)
    for time in moments:
        moved = make(land, time, speed=1.0)
        assert abs(float(moved.mean()) - float(still.mean())) < 12.0, time
        assert abs(float(moved.std()) / float(still.std()) - 1.0) < 0.06, time
        for share in (1.0, 99.0):
            assert abs(np.percentile(moved, share) - np.percentile(still, share)) < 45.0, time
        assert moved.min() >= 0.0 and moved.max() <= 1000.0, time


@EACH_LAND
def test_moving_land_does_not_come_back(land: OctaveNoise) -> None:
    still = make(land, 0.0)
    for time in (3.0, 10.0, 64.0, 256.0, 65536.0):
        assert abs(np.corrcoef(make(land, time, speed=1.0).ravel(), still.ravel())[0, 1]) < 0.25, time


@EACH_LAND
def test_moving_land_changes_in_place_and_does_not_slide(land: OctaveNoise) -> None:
    """After a short time it is most like itself where it was; on the way, nearly every place rises or sinks."""
    still, moved = make(land, 0.0), make(land, 0.15, speed=1.0)
    inner = still[6:-6, 6:-6]
    alike = {
        (i, j): np.corrcoef(inner.ravel(), moved[6 + i : 251 + i, 6 + j : 251 + j].ravel())[0, 1]
        for i in (-2, 0, 2)
        for j in (-2, 0, 2)
    }
    assert max(alike, key=alike.__getitem__) == (0, 0)
    assert alike[0, 0] > 0.5
    later = np.std([make(land, time, speed=1.0) for time in (0.0, 0.3, 0.7, 1.2, 1.8, 2.5)], axis=0)
    assert np.percentile(later, 2.0) > 0.15 * np.median(later)
