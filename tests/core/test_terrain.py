"""The two-layer terrain and its grid."""

import numpy as np
import pytest

from terrain_addon.core import Grid, Terrain


def test_surface_is_the_sum_and_can_not_be_written() -> None:
    terrain = Terrain(np.full((2, 3), 5.0), np.full((2, 3), 0.5), 10.0)
    assert terrain.surface.dtype == np.float32
    np.testing.assert_array_equal(terrain.surface, np.full((2, 3), 5.5, np.float32))
    for layer in (terrain.bedrock, terrain.sediment, terrain.surface):
        with pytest.raises(ValueError, match="read-only"):
            layer[0, 0] = 1.0


def test_making_a_terrain_does_not_freeze_the_callers_array() -> None:
    heights = np.zeros((2, 2), np.float32)
    Terrain(heights, np.zeros((2, 2)), 1.0)
    heights[0, 0] = 1.0


@pytest.mark.parametrize(
    ("bedrock", "sediment", "cell_size", "sentence"),
    [
        (np.zeros((2, 2)), np.zeros((2, 3)), 1.0, r"bedrock has shape \(2, 2\) but sediment \(2, 3\)"),
        (np.zeros(4), np.zeros(4), 1.0, r"bedrock has shape \(4,\), not \(rows, columns\)"),
        (np.zeros((0, 2)), np.zeros((0, 2)), 1.0, "at least one sample"),
        (np.array([[np.nan, 0.0]]), np.zeros((1, 2)), 1.0, "bedrock holds 1 values that are NaN"),
        (np.array([[1e300, np.inf]]), np.zeros((1, 2)), 1.0, "bedrock holds 2 values"),
        (np.zeros((1, 2)), np.array([[0.0, -0.1]]), 1.0, "sediment = -0.1.* m is below 0 m"),
        (np.zeros((2, 2)), np.zeros((2, 2)), 0.0, "cell_size = 0.0 m is not a finite length above 0 m"),
        (np.zeros((2, 2)), np.zeros((2, 2)), float("nan"), "cell_size = nan m"),
    ],
)
def test_bad_layers_are_refused(bedrock: object, sediment: object, cell_size: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Terrain(bedrock, sediment, cell_size)  # type: ignore[arg-type]


def test_heights_at_the_edge_of_float32_are_finite() -> None:
    big = np.full((2, 2), 3e38, np.float32)
    assert Terrain(big, np.zeros((2, 2)), 1.0).bedrock[0, 0] == np.float32(3e38)


def test_empty_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="0 × 3 samples"):
        Grid(0, 3, 1.0)
