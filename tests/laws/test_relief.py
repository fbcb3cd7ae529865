"""What holds for reliefs from measured land."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core.relief.elevation import Elevation
from terrain_addon.core.relief.elevation_model import ElevationModel, sample_elevation
from terrain_addon.core.terrain import Grid


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
