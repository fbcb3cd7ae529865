"""Density is the share of the full number of plants, and thin stands have no pattern of the grids behind them."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial import cKDTree

from terrain_addon.core.ecosystem.dart_throwing import DartThrowing, throw_darts
from terrain_addon.core.ecosystem.plants import Plants
from terrain_addon.core.ecosystem.species import Species
from terrain_addon.core.foundation.progress import run

pytestmark = pytest.mark.once

SIDE, CELL = 129, 4.0
WIDTH = (SIDE - 1) * CELL
RADIUS = 1.0
# Cells of the method, in which no two plants of a species stand; places and tiles were 2 and 32 of them.
STEP = 0.9999 * RADIUS / np.sqrt(2.0)


def stand(species: list[Species], densities: list[float | np.ndarray], seed: int = 1, rule: str = "larger") -> Plants:
    fields = [np.ascontiguousarray(np.broadcast_to(np.float32(one), (SIDE, SIDE))) for one in densities]
    return run(throw_darts(fields, CELL, species, seed, DartThrowing(spacing_rule=rule)))


@cache
def even(density: float) -> Plants:
    return stand([Species(radius=RADIUS)], [density])


@pytest.mark.parametrize(
    "species", [Species(radius=0.9), Species(radius=3.0), Species(radius=2.0, radius_variation=0.5)]
)
@pytest.mark.parametrize("rule", ["larger", "sum"])
def test_the_number_of_plants_follows_density(species: Species, rule: str) -> None:
    full = len(stand([species], [1.0], rule=rule))
    for density in (0.02, 0.1, 0.25, 0.5, 0.75, 0.95):
        share = sum(len(stand([species], [density], seed, rule)) for seed in (1, 2)) / 2 / full
        noise = 3.0 / np.sqrt(2 * full * density)
        assert share / density == pytest.approx(1.0, abs=0.04 + noise)


@pytest.mark.parametrize(("small", "variation"), [(2.5, 0.0), (1.0, 0.0), (1.5, 0.4)])
def test_the_number_follows_density_among_larger_plants_too(small: float, variation: float) -> None:
    species = [Species(radius=6.0), Species(radius=small, radius_variation=variation)]
    full = (stand(species, [0.3, 1.0]).species == 1).sum()
    for density in (0.05, 0.25, 0.5, 0.8):
        share = (stand(species, [0.3, density]).species == 1).sum() / full
        assert share / density == pytest.approx(1.0, abs=0.05 + 2.0 / np.sqrt(full * density))


def test_a_slow_change_of_density_is_followed_everywhere() -> None:
    rising = np.tile(np.linspace(0.0, 1.0, SIDE, dtype=np.float32), (SIDE, 1))
    plants, full = stand([Species(radius=RADIUS)], [rising]), even(1.0)
    edges = np.linspace(0.0, WIDTH, 17)
    counts, most = (np.histogram(one.x, bins=edges)[0] for one in (plants, full))
    expected = most.mean() * 0.5 * (edges[1:] + edges[:-1]) / WIDTH
    assert np.abs(counts / expected - 1.0)[1:-1].max() < 0.05 + 3.0 / np.sqrt(expected[1])


@pytest.mark.parametrize("density", [0.05, 0.1, 0.25])
def test_plants_of_thin_stands_do_not_come_in_pairs(density: float) -> None:
    plants = even(density)
    places = np.stack([plants.x, plants.y], axis=1).astype(np.float64)
    inner = places[(places.min(axis=1) > 3.0) & (places.max(axis=1) < WIDTH - 3.0)]
    edges = np.array([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])
    pairs = np.diff(cKDTree(inner).count_neighbors(cKDTree(places), edges))
    by_chance = len(inner) * len(places) / WIDTH**2 * np.pi * np.diff(edges**2)
    assert (pairs / by_chance < 1.0 + 3.0 / np.sqrt(by_chance)).all()


@pytest.mark.parametrize("density", [0.05, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("cells", [0.25, 1, 2, 32, 64])
def test_no_grid_shows_in_a_stand(density: float, cells: float) -> None:
    plants, period = even(density), cells * STEP
    # Whole periods only, or the border of the land would show.
    end = np.floor(WIDTH / period) * period
    inside = (plants.x < end) & (plants.y < end)
    x, y = (2.0 * np.pi / period * place[inside].astype(np.float64) for place in (plants.x, plants.y))
    peaks = [
        abs(np.exp(1j * (a * x + b * y)).sum()) ** 2 / inside.sum()
        for a, b in [(1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2), (3, 0), (0, 3)]
    ]
    # A random stand gives 1 on average, and more than 12 once in 160,000 times.
    assert max(peaks) < 12.0


@pytest.mark.parametrize("density", [0.25, 1.0])
def test_plants_stand_anywhere_in_a_cell(density: float) -> None:
    plants = even(density)
    for place in (plants.x, plants.y):
        counts = np.histogram((place.astype(np.float64) / STEP) % 1.0, bins=8, range=(0.0, 1.0))[0]
        assert np.abs(counts / counts.mean() - 1.0).max() < 0.01 + 3.0 / np.sqrt(counts.mean())
