"""Heights and normals as whole numbers, on asymmetric land."""

import math

import numpy as np
import pytest

from terrain_addon.files.heightmaps import height_to_uint16, normal_map


def test_the_2_by_2_case() -> None:
    # South row 10 and 20 m, north row 30 and 10.0076 m (half a level above the lowest is 10.00015).
    heights = np.array([[10.0, 20.0], [30.0, 10.0001]], np.float32)
    levels, lowest, highest = height_to_uint16(heights)
    assert levels.dtype == np.uint16
    assert levels.tolist() == [[65535, 0], [0, 32768]]  # 32767.5 goes to the even level
    assert (lowest, highest) == (10.0, 30.0)


def test_row_0_is_north() -> None:
    heights = np.zeros((5, 7), np.float32)
    heights[4, 6] = 1.0  # north-east
    levels, _, _ = height_to_uint16(heights)
    assert np.argwhere(levels).tolist() == [[0, 6]]


@pytest.mark.parametrize(("lowest", "highest"), [(-11.25, 8848.75), (0.0, 1e-3), (-1e6, 1e6), (5.0, 5.000001)])
def test_every_level_is_hit_and_no_height_is_further_than_half_a_level(lowest: float, highest: float) -> None:
    heights = np.linspace(lowest, highest, 600 * 300).astype(np.float32).reshape(600, 300)
    levels, low, high = height_to_uint16(heights)
    assert (low, high) == (float(heights[0, 0]), float(heights[-1, -1]))
    assert (levels.min(), levels.max()) == (0, 65535)
    back = low + levels[::-1].astype(np.float64) / 65535 * (high - low)
    assert np.abs(back - heights).max() <= (high - low) / 65535 / 2 * (1 + 1e-9)


def test_levels_come_back_exactly() -> None:
    levels = np.random.default_rng(0).permutation(65536).astype(np.uint16).reshape(256, 256)
    heights = (levels.astype(np.float32) * np.float32(0.0625) - np.float32(100.0))[::-1]
    assert np.array_equal(height_to_uint16(heights)[0], levels)


def test_level_land() -> None:
    levels, lowest, highest = height_to_uint16(np.full((3, 4), 812.5, np.float32))
    assert not levels.any()
    assert lowest == highest == 812.5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e39])
def test_heights_that_are_not_finite_are_refused(bad: float) -> None:
    heights = np.zeros((4, 4))
    heights[2, 1] = bad
    with pytest.raises(ValueError, match="1 values"):
        height_to_uint16(heights)
    with pytest.raises(ValueError, match="shape"):
        height_to_uint16(np.zeros(4, np.float32))


def facing(east: float, north: float) -> np.ndarray:
    up = math.sqrt(1.0 - east * east - north * north)
    return np.array([[[east, north, up]]], np.float32)


@pytest.mark.parametrize(
    ("normal", "green", "colour"),
    [
        (facing(0.0, 0.0), "up", [128, 128, 255]),
        (facing(0.6, 0.0), "up", [204, 128, 230]),
        (facing(0.0, 0.6), "up", [128, 204, 230]),
        (facing(0.0, 0.6), "down", [128, 51, 230]),
        (facing(-0.6, 0.0), "down", [51, 128, 230]),
    ],
)
def test_colours_of_normals(normal: np.ndarray, green: str, colour: list[int]) -> None:
    assert normal_map(normal, green=green).tolist() == [[colour]]


def test_16_bits_and_rows() -> None:
    normals = np.concatenate((facing(0.0, 0.0), facing(-1.0, 0.0)), axis=0)
    colours = normal_map(normals, bits=16)
    assert colours.dtype == np.uint16
    assert colours.tolist() == [[[0, 32768, 32768]], [[32768, 32768, 65535]]]


@pytest.mark.parametrize(
    ("normals", "options", "reason"),
    [
        (np.zeros((2, 2, 3), np.float32), {}, "length is not 1"),
        (np.full((2, 2, 3), np.nan, np.float32), {}, "length is not 1"),
        (np.ones((2, 2, 3), np.float32), {}, "length is not 1"),
        (np.ones((2, 2), np.float32), {}, "shape"),
        (facing(0.0, 0.0), {"green": "left"}, "green = 'left'"),
        (facing(0.0, 0.0), {"bits": 32}, "bits = 32"),
    ],
)
def test_what_are_no_normals_is_refused(normals: np.ndarray, options: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        normal_map(normals, **options)
