"""Lands side by side on the endless plane share their border, to the last bit, however far out they lie."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Layer, Relief
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.foundation.terrain import Field
from terrain_addon.core.maps.masks import NoiseMask
from terrain_addon.core.relief.cells import CellularNoise
from terrain_addon.core.relief.double_ridged_noise import DoubleRidgedNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise
from terrain_addon.core.relief.slope_damped_noise import SlopeDampedNoise
from terrain_addon.core.relief.white_noise import WhiteNoise
from tests.mountains import mountains

pytestmark = pytest.mark.once

RESOLUTION = 33


def relief_for(width: float) -> Relief:
    """Layers of every kind that is endless, with hills of a third of the width and less."""
    return Relief(
        layers=(
            Layer(source=FractalNoise(wavelength=width / 3.0, warp=width / 12.0, speed=0.3)),
            Layer(source=MultifractalNoise(wavelength=width / 5.0), mask=NoiseMask(wavelength=width / 6.0)),
            Layer(source=SlopeDampedNoise(character="jordan", wavelength=width / 5.5)),
            Layer(
                source=DoubleRidgedNoise(wavelength=width / 4.0, second_wavelength=width / 9.0, drift_east=7.3),
                blend="max",
            ),
            Layer(source=CellularNoise(wavelength=width / 8.0), blend="screen"),
            Layer(source=MidpointDisplacement(wavelength=width / 2.9), opacity=0.5),
            Layer(source=WhiteNoise(height=3.0, wavelength=width / 25.0)),
        )
    )


def heights(width: float, depth: float, east: int, north: int) -> Field:
    recipe = core.Recipe(
        width=width,
        depth=depth,
        resolution=RESOLUTION,
        origin_east=east * width,
        origin_north=north * depth,
        relief=relief_for(width),
        time=12.5,
        erosion=(),
        ecosystem=Ecosystem(species=()),
    )
    return core.build(recipe, extent="terrain").terrain.surface


@pytest.mark.parametrize("tile", [0, 1000, 4321, 100_000, -1, -4321, -100_000])
@pytest.mark.parametrize("width", [1000.3, 777.7, 12345.6])
def test_neighbours_share_their_border(width: float, tile: int) -> None:
    here, east = heights(width, width, tile, tile), heights(width, width, tile + 1, tile)
    north = heights(width, width, tile, tile + 1)
    assert np.ptp(here) > 50.0
    assert here[:, -1].tobytes() == east[:, 0].tobytes()
    assert here[-1].tobytes() == north[0].tobytes()


def test_neighbours_whose_depth_is_no_whole_number_of_cells_share_their_border() -> None:
    for tile in (0, 7, 5000):
        here, north = (heights(777.7, 1000.3, 3, at) for at in (tile, tile + 1))
        assert here[-1].tobytes() == north[0].tobytes()


def test_a_panel_that_keeps_24_bits_moves_no_land() -> None:
    for tile in (4321, 77_777):
        exact = core.Recipe(width=1000.3, resolution=RESOLUTION, origin_east=tile * 1000.3)
        shown = core.Recipe(width=1000.3, resolution=RESOLUTION, origin_east=float(np.float32(tile * 1000.3)))
        assert exact.grid == shown.grid
        assert exact.grid.first_column == tile * (RESOLUTION - 1)


def test_an_origin_between_lands_stays_where_it_is() -> None:
    recipe = core.Recipe(width=1000.0, resolution=101, origin_east=123.4, origin_north=-77.77)
    assert recipe.grid.first_column == pytest.approx(12.34, abs=1e-6)
    assert recipe.grid.first_row == pytest.approx(-7.777, abs=1e-6)


def test_a_land_too_far_out_to_be_counted_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"origin_east = 1000000000.0 m is outside -5.*e\+08 to 5.*e\+08 m, where cells"
    ):
        core.Recipe(width=1000.0, depth=1000.0, resolution=8193, origin_east=1e9)


@pytest.mark.parametrize("depth", [6000.0, 4000.0])
def test_a_fixed_border_stays_while_the_land_erodes(depth: float) -> None:
    recipe = mountains().replace(resolution=65, width=6000.0, depth=depth)
    recipe = recipe.replace(erosion=(recipe.erosion[0].replace(age=0.35),))
    before, free, fixed = (
        core.build(one, extent="terrain").terrain.surface
        for one in (recipe.replace(erosion=()), recipe, recipe.replace(fixed_border=True))
    )
    border = np.ones(before.shape, bool)
    border[1:-1, 1:-1] = False
    height = float(np.ptp(before))
    assert np.abs(fixed - before)[border].max() < 1e-5 * height < 0.05 * height < np.abs(free - before)[border].max()
    # No wall stands along the border and no moat lies behind it, and away from it rivers have cut as deep.
    steps = np.abs(np.diff(fixed, axis=0))
    assert steps[[0, -1]].mean() < 1.1 * steps.mean()
    inside = (slice(10, -10), slice(10, -10))
    assert np.abs(fixed - before)[inside].mean() > 0.7 * np.abs(free - before)[inside].mean()
