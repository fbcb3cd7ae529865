"""What holds for every relief, whatever its parameters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core.hashing import derive_seed, hash_place, unit_float
from terrain_addon.core.relief.elevation import Elevation
from terrain_addon.core.relief.elevation_model import ElevationModel, sample_elevation
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.gradient_noise import NOISE_LIMIT, gradient_noise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement, displace_midpoints
from terrain_addon.core.terrain import Grid

SEEDS = st.integers(0, 2**31 - 1)


@given(SEEDS, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_gradient_noise_stays_within_its_stated_range_and_is_zero_at_nodes(seed: int, x: float, y: float) -> None:
    offsets = np.linspace(0.0, 1.0, 21)
    noise = gradient_noise(x + offsets, y + offsets[::-1], seed)
    assert np.abs(noise).max() <= NOISE_LIMIT
    assert abs(gradient_noise([math.floor(x)], [math.floor(y)], seed)[0]) < 1e-9


@given(SEEDS, st.integers(-100, 100), st.floats(0.0, 1.0))
def test_gradient_noise_and_its_slope_are_continuous_across_cells(seed: int, node: int, y: float) -> None:
    step = 1e-4
    x = np.array([node - 2 * step, node - step, node, node + step, node + 2 * step])
    noise = gradient_noise(x, np.full(5, y), seed)
    slope = np.diff(noise) / step
    assert np.abs(np.diff(noise)).max() < 5 * step
    assert np.abs(np.diff(slope)).max() < 50 * step


@given(
    seed=SEEDS,
    octaves=st.integers(1, 6),
    wavelength=st.floats(5.0, 900.0),
    gain=st.floats(0.0, 1.0),
    lacunarity=st.floats(1.1, 4.0),
    rows=st.integers(1, 70),
    columns=st.integers(1, 70),
)
def test_fractal_noise_is_the_sum_that_it_says(
    seed: int, octaves: int, wavelength: float, gain: float, lacunarity: float, rows: int, columns: int
) -> None:
    noise = FractalNoise(wavelength=wavelength, octaves=octaves, gain=gain, lacunarity=lacunarity, height=1000.0)
    cell = 7.0
    heights = make_fractal_noise(Grid(rows, columns, cell), noise, seed)
    y, x = np.mgrid[0:rows, 0:columns] * cell
    total = np.zeros((rows, columns))
    limit = 0.0
    for octave in range(octaves):
        length = noise.wavelength / noise.lacunarity**octave
        amplitude = noise.gain**octave
        limit += amplitude
        if length >= 2.0 * cell:
            own = derive_seed(seed, 1, octave)
            east, north = (float(unit_float(hash_place(axis, octave, own))) for axis in (1, 2))
            total += amplitude * gradient_noise(x / length + east, y / length + north, int(own))
    np.testing.assert_allclose(heights, 1000.0 * (0.5 + 0.5 * total / (NOISE_LIMIT * limit)), atol=0.02)


@given(seed=SEEDS, attenuation=st.floats(1.0, 8.0), base=st.floats(-500.0, 500.0), height=st.floats(0.0, 5000.0))
def test_fractal_noise_stays_within_base_and_height(seed: int, attenuation: float, base: float, height: float) -> None:
    noise = FractalNoise(wavelength=200.0, attenuation=attenuation, base_altitude=base, height=height)
    heights = make_fractal_noise(Grid(40, 40, 9.0), noise, seed)
    slack = 1e-6 * (abs(base) + height) + 1e-30
    assert heights.min() >= base - slack and heights.max() <= base + height + slack


@given(SEEDS)
def test_octaves_are_decorrelated(seed: int) -> None:
    """The second octave of one land, and the first of a land half its size: the same lattice, with the same seed.

    Were octaves not told apart, the two would be one pattern, and their correlation 1.
    """
    grid = Grid(200, 200, 5.0)
    first = make_fractal_noise(grid, FractalNoise(wavelength=100.0, octaves=1), seed)
    both = make_fractal_noise(grid, FractalNoise(wavelength=200.0, octaves=2, gain=1.0), seed)
    coarse = make_fractal_noise(grid, FractalNoise(wavelength=200.0, octaves=1), seed)
    second = 2.0 * both - coarse
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.25


def test_waves_too_short_for_the_grid_make_level_land_and_cost_nothing() -> None:
    heights = make_fractal_noise(Grid(50, 60, 120.0), FractalNoise(wavelength=0.01, height=100.0), 1)
    np.testing.assert_allclose(heights, 50.0)


def test_a_finer_grid_shows_the_same_land() -> None:
    noise = FractalNoise(wavelength=400.0, octaves=4)
    coarse = make_fractal_noise(Grid(65, 65, 16.0), noise, 5)
    fine = make_fractal_noise(Grid(129, 129, 8.0), noise, 5)
    np.testing.assert_allclose(fine[::2, ::2], coarse, atol=1e-3)


@given(SEEDS, st.integers(1, 80), st.integers(1, 80), st.floats(0.0, 2.0))
def test_midpoint_displacement_stays_within_its_stated_range(seed: int, rows: int, columns: int, h: float) -> None:
    heights = displace_midpoints(Grid(rows, columns, 1.0), MidpointDisplacement(height=100.0, smoothness=h), seed)
    assert heights.shape == (rows, columns)
    assert heights.min() >= -1e-3 and heights.max() <= 100.0 + 1e-3


@given(SEEDS)
def test_midpoints_are_means_of_earlier_points_plus_a_nudge(seed: int) -> None:
    displacement = MidpointDisplacement(height=1.0, smoothness=1.0)
    z = displace_midpoints(Grid(9, 9, 1.0), displacement, seed).astype(float)
    scale = 0.5 / sum(0.5**level for level in range(4))
    for level, step in enumerate((8, 4, 2)):
        half, reach = step // 2, scale * 0.5 ** (level + 1)
        for row in range(0, 9, half):
            for column in range(0, 9, half):
                odd = (row // half) % 2, (column // half) % 2
                around = {
                    (0, 0): [],
                    (0, 1): [(0, -half), (0, half)],
                    (1, 0): [(-half, 0), (half, 0)],
                    (1, 1): [(i, j) for i in (-half, half) for j in (-half, half)],
                }[odd]
                if around:
                    mean = np.mean([z[row + i, column + j] for i, j in around])
                    assert abs(z[row, column] - mean) <= reach * (1 + 1e-5)


def test_midpoint_increments_grow_as_distance_to_the_h() -> None:
    for h in (0.3, 0.5, 0.8):
        roughness = []
        for seed in range(6):
            z = displace_midpoints(Grid(513, 513, 1.0), MidpointDisplacement(height=100.0, smoothness=h), seed)
            roughness.append([np.sqrt(np.mean((z[:, d:] - z[:, :-d]) ** 2)) for d in (2, 4, 8, 16, 32)])
        slope = np.polyfit(np.log([2, 4, 8, 16, 32]), np.log(np.mean(roughness, axis=0)), 1)[0]
        # Squares leave creases, so the exponent comes out a little low; that is the model's, not ours.
        assert h - 0.15 < slope < h + 0.05


def test_doubling_the_resolution_keeps_all_points_of_a_midpoint_surface() -> None:
    # Up to the scale, which knows how many levels there are.
    a = displace_midpoints(Grid(33, 33, 2.0), MidpointDisplacement(smoothness=2.0), 4)
    b = displace_midpoints(Grid(65, 65, 1.0), MidpointDisplacement(smoothness=2.0), 4)
    assert np.corrcoef(a.ravel(), b[::2, ::2].ravel())[0, 1] > 0.999999


@given(st.integers(2, 20), st.integers(2, 20), st.integers(2, 60), st.integers(2, 60))
def test_elevation_is_reproduced_at_its_samples_and_planes_everywhere(r: int, c: int, rows: int, columns: int) -> None:
    plane = np.add.outer(np.linspace(0, 3, r), np.linspace(-5, 9, c)).astype(np.float32)
    sampled = sample_elevation(Grid(rows, columns, 1.0), ElevationModel(), Elevation(plane))
    expected = np.add.outer(np.linspace(0, 3, rows), np.linspace(-5, 9, columns))
    np.testing.assert_allclose(sampled, expected, atol=1e-4)
    rough = np.random.default_rng(1).normal(size=(r, c)).astype(np.float32)
    finer = sample_elevation(Grid(3 * (r - 1) + 1, 3 * (c - 1) + 1, 1.0), ElevationModel(), Elevation(rough))
    np.testing.assert_allclose(finer[::3, ::3], rough, atol=1e-5)


def test_one_sample_makes_level_land() -> None:
    sampled = sample_elevation(Grid(4, 5, 1.0), ElevationModel(exaggeration=2.0), Elevation(np.full((1, 1), 3.0)))
    np.testing.assert_array_equal(sampled, np.full((4, 5), 6.0, np.float32))


@pytest.mark.parametrize("x", [np.nan, np.inf, 2.0**40])
def test_noise_refuses_coordinates_that_are_nowhere(x: float) -> None:
    with pytest.raises(ValueError, match="x holds coordinates that are not finite or not below"):
        gradient_noise([x], [0.0])
