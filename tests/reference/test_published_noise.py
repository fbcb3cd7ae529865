"""The published variants of Perlin noise, against arrays from the published programs (see README.md)."""

from pathlib import Path

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.oracle.gradient_noise import gradient_noise, gradient_noise_3d
from terrain_addon.core.relief.oracle.lattice_noise import Permutation
from terrain_addon.core.relief.oracle.published import (
    animated_perlin,
    random_angle_perlin,
    salted_perlin_heightmap,
    zoomed_perlin,
)
from terrain_addon.core.relief.permutation_tables import TABLE_A, TABLE_B
from terrain_addon.core.relief.published_perlin import (
    RandomAnglePerlin,
    SaltedPerlin,
    SlidingPerlin,
    ZoomedPerlin,
    make_random_angle_perlin,
    make_salted_perlin,
    make_sliding_perlin,
    make_zoomed_perlin,
)

pytestmark = pytest.mark.once

HERE = Path(__file__).parent


def golden(name: str) -> dict[str, np.ndarray]:
    return dict(np.load(HERE / f"{name}.npz"))


def test_salted_octaves() -> None:
    published = golden("perlin_salted_64")
    np.testing.assert_array_equal(TABLE_A, published["table"])
    np.testing.assert_allclose(salted_perlin_heightmap(64), published["height"], rtol=0, atol=1e-6)


def test_zoom() -> None:
    published = golden("perlin_zoom_128")
    np.testing.assert_array_equal(TABLE_B, published["table"])
    noise = zoomed_perlin(np.arange(128), np.arange(128)[:, np.newaxis], 10)
    np.testing.assert_allclose(noise, published["noise"], rtol=0, atol=2e-6)


def test_animation() -> None:
    published = golden("perlin_animated_64")
    y, x = np.mgrid[0:64, 0:64]
    np.testing.assert_allclose(animated_perlin(x, y, 137.5, 64), published["value"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("metres", [1.0, 30.0, 7.3])
def test_layers_reproduce_the_published_maps(metres: float) -> None:
    """As a user gets them, from a recipe: a pixel of the map is a sample of the land, `metres` apart."""
    cases = {
        "perlin_salted_64": (SaltedPerlin(wavelength=32 * metres, octaves=6), "height", lambda share: share, 0.0, 1e-6),
        "perlin_zoom_128": (ZoomedPerlin(wavelength=10 * metres), "noise", lambda share: 2.0 * share - 1.0, 0.0, 2e-6),
        "perlin_animated_64": (
            SlidingPerlin(wavelength=64 * metres, slide=metres),
            "value",
            lambda share: share,
            137.5,
            1e-6,
        ),
    }
    for name, (source, key, value, time, tolerance) in cases.items():
        published = golden(name)[key]
        width = (len(published) - 1) * metres
        recipe = core.Recipe(
            width=width,
            depth=width,
            resolution=len(published),
            time=time,
            relief=Relief.of(source.replace(height=2000.0, base_altitude=-500.0)),
            erosion=(),
        )
        land = core.build(core.Recipe.loads(recipe.dumps()), extent="terrain").terrain.surface
        np.testing.assert_allclose(value((land + 500.0) / 2000.0), published, rtol=0, atol=tolerance)


def test_layers_are_what_the_definitions_say_far_out_and_between_pixels() -> None:
    grid = Grid(30, 40, 0.37, -700.25, 33_000.5)
    y = ((grid.first_row + np.arange(30)) * 0.37)[:, np.newaxis]
    x = (grid.first_column + np.arange(40)) * 0.37
    zoomed = make_zoomed_perlin(grid, ZoomedPerlin(wavelength=10.0, height=1.0))
    np.testing.assert_allclose(zoomed, 0.5 + 0.5 * zoomed_perlin(x, y, 10.0), atol=1e-6)
    sliding = make_sliding_perlin(grid, SlidingPerlin(wavelength=9.0, slide=-2.5, height=1.0), time=3.0)
    np.testing.assert_allclose(sliding, animated_perlin(x, y, -7.5, 9.0), atol=1e-6)
    angles = RandomAnglePerlin(wavelength=40.0, octaves=5, lacunarity=1.9, gain=0.6, fade="linear", height=1.0)
    noise = random_angle_perlin(x / 40.0, y / 40.0, seed=8, octaves=5, lacunarity=1.9, persistence=0.6, fade="linear")
    most = np.sqrt(0.5) * sum(0.6**o for o in range(5))
    np.testing.assert_allclose(make_random_angle_perlin(grid, angles, 8), 0.5 + 0.5 * noise / most, atol=2e-6)


def test_the_salted_map_fills_its_range_whatever_part_of_it_a_land_shows() -> None:
    noise = SaltedPerlin(wavelength=64.0, octaves=7, height=1.0)
    whole = make_salted_perlin(Grid(128, 128, 1.0), noise)
    np.testing.assert_allclose(whole, salted_perlin_heightmap(128), atol=1e-6)
    assert whole.min() == 0.0 and whole.max() == 1.0
    tile = make_salted_perlin(Grid(128, 128, 1.0).window(40, 70, 30, 20), noise)
    np.testing.assert_array_equal(tile, whole[40:70, 70:90])


def test_improved_noise_in_space() -> None:
    # The value at which ports of Perlin's own program of 2002 are compared.
    noise = gradient_noise_3d(3.14, 42, 7, permutation=Permutation(TABLE_B, columns_first=True))
    assert float(noise) == pytest.approx(0.13691995878400012, abs=1e-15)


def by_the_letter(x: float, y: float, salt: int) -> float:
    """The salted variant for one point, spelled out."""
    gradients = [(1, 1), (-1, 1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)]
    qx, qy = int(np.floor(x)), int(np.floor(y))

    def ramp(i: int, j: int) -> float:
        gx, gy = gradients[TABLE_A[(i + int(TABLE_A[j & 255]) + salt) & 255] & 7]
        return gx * (x - i) + gy * (y - j)

    def fade(t: float) -> float:
        return 6 * t**5 - 15 * t**4 + 10 * t**3

    sx, sy = fade(x - qx), fade(y - qy)
    south = (1 - sx) * ramp(qx, qy) + sx * ramp(qx + 1, qy)
    north = (1 - sx) * ramp(qx, qy + 1) + sx * ramp(qx + 1, qy + 1)
    return (1 - sy) * south + sy * north


def test_salted_octaves_of_another_size_and_below_zero() -> None:
    size, row = 128, 77
    heights = salted_perlin_heightmap(size)
    expected = np.zeros((size, size))
    for level in range(7):
        cell = size >> (level + 1)
        for y in (row, row + 1):
            expected[y] += [0.5**level * (1 + by_the_letter(x / cell, y / cell, cell)) / 2 for x in range(size)]
    # The map is stretched to [0, 1], so two rows agree up to one scale and one shift.
    scale, shift = np.polyfit(expected[row], heights[row], 1)
    np.testing.assert_allclose(scale * expected[row + 1] + shift, heights[row + 1], atol=1e-9)
    assert heights.min() == 0.0 and heights.max() == 1.0
    permutation = Permutation(TABLE_A, salt=5)
    below = gradient_noise(-3.7, -300.2, gradients="axes_diagonals_8", permutation=permutation)
    assert float(below) == pytest.approx(by_the_letter(-3.7, -300.2, 5), abs=1e-12)


def test_tables_repeat_after_256_cells() -> None:
    x, y = np.random.default_rng(1).uniform(-40, 40, (2, 50))
    np.testing.assert_allclose(zoomed_perlin(x - 2560, y + 2560, 10), zoomed_perlin(x, y, 10), atol=1e-9)
    np.testing.assert_allclose(animated_perlin(x, y, 256 * 7 + 3.25, 7), animated_perlin(x, y, 3.25, 7), atol=1e-9)


def test_random_angles_add_up_in_octaves() -> None:
    x, y = np.random.default_rng(2).uniform(-40, 40, (2, 500))
    one = random_angle_perlin(x, y, seed=3)
    assert np.abs(one).max() <= np.sqrt(0.5)
    np.testing.assert_allclose(random_angle_perlin(np.floor(x), np.floor(y), seed=3, octaves=5), 0.0, atol=1e-12)
    three = random_angle_perlin(x, y, seed=3, octaves=3, lacunarity=2.0, persistence=0.5)
    assert 0.1 < np.std(three - one) / np.std(one) < 0.8


@pytest.mark.parametrize("size", [0, 1, 100, -64, 64.0, True, 16384, "64"])
def test_sizes_that_are_no_power_of_two_are_refused(size: object) -> None:
    with pytest.raises(ValueError, match=r"size = .* is not a power of two from 2 to 8192"):
        salted_perlin_heightmap(size)  # type: ignore[arg-type]


def test_cells_without_a_size_are_refused() -> None:
    with pytest.raises(ValueError, match="res = 0 is not a finite number other than 0"):
        zoomed_perlin(1.0, 1.0, 0)
    with pytest.raises(ValueError, match="cell = nan is not"):
        animated_perlin(1.0, 1.0, 0.0, float("nan"))
    with pytest.raises(ValueError, match="octaves = 0 is outside 1 to 32"):
        random_angle_perlin(1.0, 1.0, octaves=0)
