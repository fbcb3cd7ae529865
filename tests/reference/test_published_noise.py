"""The published variants of Perlin noise, against arrays from the published programs (see README.md)."""

from pathlib import Path

import numpy as np
import pytest

from terrain_addon.core.relief.oracle.gradient_noise import gradient_noise, gradient_noise_3d
from terrain_addon.core.relief.oracle.lattice_noise import Permutation
from terrain_addon.core.relief.oracle.published import (
    TABLE_A,
    TABLE_B,
    animated_perlin,
    random_angle_perlin,
    salted_perlin_heightmap,
    zoomed_perlin,
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
