"""What holds for reliefs from measured land."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core.foundation.placement import Placement
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.elevation_model import ElevationModel, sample_elevation


@given(st.integers(2, 20), st.integers(2, 20), st.integers(2, 60), st.integers(2, 60))
def test_elevation_is_reproduced_at_its_samples_and_planes_everywhere(r: int, c: int, rows: int, columns: int) -> None:
    plane = np.add.outer(np.linspace(0, 3, r), np.linspace(-5, 9, c)).astype(np.float32)
    sampled = sample_elevation(Grid(rows, columns, 1.0), ElevationModel(), StoredField(plane))
    expected = np.add.outer(np.linspace(0, 3, rows), np.linspace(-5, 9, columns))
    np.testing.assert_allclose(sampled, expected, atol=1e-4)
    rough = np.random.default_rng(1).normal(size=(r, c)).astype(np.float32)
    finer = sample_elevation(Grid(3 * (r - 1) + 1, 3 * (c - 1) + 1, 1.0), ElevationModel(), StoredField(rough))
    np.testing.assert_allclose(finer[::3, ::3], rough, atol=1e-5)


def test_one_sample_makes_level_land() -> None:
    sampled = sample_elevation(Grid(4, 5, 1.0), ElevationModel(exaggeration=2.0), StoredField(np.full((1, 1), 3.0)))
    np.testing.assert_array_equal(sampled, np.full((4, 5), 6.0, np.float32))


def test_what_is_too_fine_for_the_grid_is_averaged() -> None:
    y, x = np.mgrid[0:201, 0:161]
    checks = np.where((x + y) % 2 == 0, 100.0, 0.0).astype(np.float32)
    coarse = Grid(51, 41, 40.0)
    true_size = ElevationModel(placement=Placement(fit="true_size"))
    # Picking each fourth sample would make level land of 100 m.
    for model in (ElevationModel(), true_size):
        sampled = sample_elevation(coarse, model, StoredField(checks, 10.0))
        assert np.abs(sampled[2:-2, 2:-2] - 50.0).max() < 3.0
    borders = (0.0, 0.0, coarse.width, coarse.depth)
    piece = sample_elevation(coarse.window(7, 11, 20, 13), ElevationModel(), StoredField(checks, 10.0), borders)
    whole = sample_elevation(coarse, ElevationModel(), StoredField(checks, 10.0))
    assert piece.tobytes() == whole[7:27, 11:24].tobytes()
