"""The smallest cases of noise, solved by hand."""

import numpy as np
import pytest

from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.lattice import PLANE_GRADIENTS
from terrain_addon.core.relief.multifractal_noise import MultifractalNoise, multifractal_range
from terrain_addon.core.relief.octaves import amplitude_sum, shown_octaves
from terrain_addon.core.relief.oracle.cellular_noise import cellular_noise
from terrain_addon.core.relief.oracle.gradient_noise import SPACE_GRADIENTS, gradient_noise, gradient_noise_slope
from terrain_addon.core.relief.oracle.lattice_noise import Permutation
from terrain_addon.core.relief.oracle.value_noise import value_noise
from terrain_addon.core.relief.oracle.white_noise import white_noise
from terrain_addon.core.relief.sources import SOURCES

pytestmark = pytest.mark.once

ZEROS = Permutation(np.zeros(256, int))


def test_one_gradient_everywhere_makes_noise_by_hand() -> None:
    # A table of zeros gives every node the first gradient, (1, 1): at (x, y) in the first cell the four ramps are
    # x + y, x + y − 1, x + y − 1 and x + y − 2.
    for fade, s in (("linear", 0.25), ("cubic", 0.15625), ("quintic", 0.103515625)):
        noise = gradient_noise(0.25, 0.5, fade=fade, gradients="axes_diagonals_8", permutation=ZEROS)
        # Half way to the north both rows count the same, whatever the fade.
        expected = 0.5 * (0.75 - s) + 0.5 * (-0.25 - s)
        assert float(noise) == pytest.approx(expected, abs=1e-15)


def test_a_node_s_gradient_is_the_slope_there() -> None:
    slopes = gradient_noise_slope(np.arange(-20, 20), np.arange(40), 3)
    np.testing.assert_allclose(np.hypot(*slopes), 1.0)
    chosen = np.unique(np.round(slopes.T, 12), axis=0)
    assert len(chosen) > 30
    distances = np.abs(chosen[:, np.newaxis] - PLANE_GRADIENTS["unit_256"].vectors[:, :2]).max(axis=2).min(axis=1)
    assert distances.max() < 1e-12


def test_half_way_value_noise_is_the_mean_of_its_nodes() -> None:
    for fade in ("linear", "cubic", "quintic"):
        corners = value_noise([3, 4, 3, 4], [-7, -7, -6, -6], 5, fade=fade)
        assert float(value_noise(3.5, -6.5, 5, fade=fade)) == pytest.approx(corners.mean(), abs=1e-15)


def test_sets_of_gradients_are_what_they_are_called() -> None:
    lengths = {name: np.linalg.norm(s.vectors, axis=1) for name, s in PLANE_GRADIENTS.items()}
    for name in ("unit_256", "unit_8", "knight_moves_8"):
        np.testing.assert_allclose(lengths[name], 1.0)
    np.testing.assert_allclose(lengths["axes_diagonals_8"], [2**0.5] * 4 + [1.0] * 4)
    edges = SPACE_GRADIENTS["cube_edges"].vectors
    assert len(np.unique(edges, axis=0)) == 12 and len(edges) == 16
    assert np.all(np.sort(np.abs(edges), axis=1) == [0.0, 1.0, 1.0])


def test_distance_to_the_only_point_of_the_nearest_cells() -> None:
    # With a period of one cell all points are copies of one, so F1 and F2 follow from its place alone.
    place = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])
    near = [float(cellular_noise(x, y, 3, metric="chebyshev", period=1)) for x, y in place]
    assert max(near) <= 0.5
    x, y = np.meshgrid(np.linspace(0, 1, 201), np.linspace(0, 1, 201))
    assert cellular_noise(x, y, 3, metric="chebyshev", period=1).max() == pytest.approx(0.5, abs=0.005)
    assert cellular_noise(x, y, 3, period=1).max() == pytest.approx(0.5**0.5, abs=0.005)


def test_white_noise_has_one_value_in_a_cell() -> None:
    values = white_noise([0.0, 0.999, 1.0, -0.001], [0.5, 0.2, 0.5, 0.5], 9)
    assert values[0] == values[1]
    assert len(set(values)) == 3


def test_octaves_end_where_the_grid_cannot_show_them() -> None:
    noise = FractalNoise(wavelength=100.0, octaves=8)
    assert [shown_octaves(Grid(2, 2, size), noise) for size in (51.0, 50.0, 25.0, 10.0, 0.1)] == [0, 1, 2, 3, 8]
    assert amplitude_sum(noise) == 2.0 - 2.0**-7


def test_ranges_of_multifractals_by_hand() -> None:
    two = {"octaves": 2, "gain": 0.5, "offset": 1.0}
    assert multifractal_range(MultifractalNoise(character="ridged", **two)) == (0.0, 1.5)
    assert multifractal_range(MultifractalNoise(character="hybrid", **two)) == (0.0, 3.0)
    assert multifractal_range(MultifractalNoise(character="hetero", **two)) == (0.0, 4.0)


def test_every_source_works_on_a_single_sample() -> None:
    for source in (cls() for cls, declared in SOURCES.items() if declared.inputs == ("seed", "time")):
        heights = SOURCES[type(source)].make(Grid(1, 1, 30.0), source, 1, 0.0)
        assert heights.shape == (1, 1)
        assert source.base_altitude <= heights[0, 0] <= source.base_altitude + source.height


def test_a_height_of_zero_makes_level_ground() -> None:
    np.testing.assert_array_equal(
        make_fractal_noise(Grid(3, 4, 30.0), FractalNoise(height=0.0, base_altitude=7.0), 1), 7
    )
