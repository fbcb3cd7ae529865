"""Laws of creeping ground, falling walls and what rivers lay down."""

import math

import numpy as np
import pytest

from terrain_addon.core.building.landscape import build
from terrain_addon.core.building.recipe import Recipe
from terrain_addon.core.erosion.deposition import Deposition, deposit_load
from terrain_addon.core.erosion.hillslope import HillslopeDiffusion, diffuse_hillslopes
from terrain_addon.core.erosion.landslides import Landslides, collapse, collapse_walls
from terrain_addon.core.erosion.steep_creep import SteepCreep
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.creep import Creep
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Terrain

pytestmark = pytest.mark.once


def rough(rows: int, columns: int, seed: int = 0, height: float = 100.0, soil: float = 0.0) -> Terrain:
    random = np.random.default_rng(seed)
    bedrock = (random.random((rows, columns)) * height).astype(np.float32)
    return Terrain(bedrock, (random.random((rows, columns)) * soil).astype(np.float32), 10.0)


def volume(terrain: Terrain) -> float:
    return float(terrain.bedrock.sum(dtype=np.float64) + terrain.sediment.sum(dtype=np.float64)) * terrain.cell_size**2


# --- creep ----------------------------------------------------------------------------------------------------------


def variances(height: np.ndarray) -> tuple[float, float]:
    rows, columns = np.indices(height.shape)
    weight = height / height.sum()
    return tuple(float((weight * (axis - (weight * axis).sum()) ** 2).sum()) for axis in (rows, columns))


@pytest.mark.parametrize("steps", [1, 4, 16])
def test_variance_of_a_hill_grows_by_2dt(steps: int) -> None:
    y, x = np.mgrid[-40:41, -50:51]
    height = np.exp(-(x * x + y * y) / (2.0 * 4.0**2))
    before = variances(height)
    creep = Creep(height.shape)
    for _ in range(steps):
        creep.step(height, 8.0 / steps)
    for old, new in zip(before, variances(height)):
        assert new - old == pytest.approx(2.0 * 8.0, rel=1e-4)


def test_a_hill_stays_a_gaussian() -> None:
    y, x = np.mgrid[-40:41, -40:41] * 10.0
    hill = 100.0 * np.exp(-(x * x + y * y) / (2.0 * 50.0**2))
    terrain = Terrain(hill.astype(np.float32), np.zeros_like(hill, np.float32), 10.0)
    eroded = run(diffuse_hillslopes(terrain, HillslopeDiffusion(diffusivity=0.01, years=1e5)))
    variance = 50.0**2 + 2.0 * 0.01 * 1e5
    expected = 100.0 * 50.0**2 / variance * np.exp(-(x * x + y * y) / (2.0 * variance))
    assert np.abs(eroded.terrain.surface - expected).max() < 2.0
    assert np.abs(hill - expected).max() > 20.0


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (2, 2), (40, 70)])
@pytest.mark.parametrize("spread", [0.0, 1e-3, 1.0, 1e3, 1e12])
def test_creep_keeps_volume_and_never_overshoots(shape: tuple[int, int], spread: float) -> None:
    height = np.random.default_rng(1).random(shape) * 1e3 - 500.0
    before, low, high = height.sum(), height.min(), height.max()
    Creep(shape).step(height, spread)
    assert height.sum() == pytest.approx(before, abs=1e-9 * 500.0 * height.size * max(1.0, spread * 1e-4))
    slack = 1e-9 * 500.0 * max(1.0, spread * 1e-4)
    assert low - slack <= height.min()
    assert height.max() <= high + slack


@pytest.mark.parametrize("turn", [np.flipud, np.fliplr, np.transpose])
def test_creep_has_no_direction(turn) -> None:
    height = np.random.default_rng(1).random((31, 31))
    turned = np.ascontiguousarray(turn(height))
    Creep((31, 31)).step(height, 3.0)
    Creep((31, 31)).step(turned, 3.0)
    np.testing.assert_allclose(turned, turn(height), atol=1e-12)


def test_creep_takes_sediment_first_and_leaves_sediment() -> None:
    terrain = rough(40, 50, soil=3.0)
    eroded = run(diffuse_hillslopes(terrain, HillslopeDiffusion(years=5000.0)))
    change = eroded.terrain.surface - terrain.surface
    assert (eroded.terrain.bedrock <= terrain.bedrock).all()
    raised = change > 1e-3
    assert raised.any()
    np.testing.assert_array_equal(eroded.terrain.bedrock[raised], terrain.bedrock[raised])
    assert (eroded.terrain.sediment[change < -3.0] == 0.0).all()
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before


# --- creep near a critical slope --------------------------------------------------------------------------------------


def hills(rows: int, columns: int, height: float) -> Terrain:
    """Smooth hills, 10 m from sample to sample."""
    y, x = np.mgrid[0:rows, 0:columns] * 10.0
    surface = height * (np.sin(x / 47.0 + 0.3) * np.cos(y / 61.0) + 0.5 * np.cos(x / 23.0 + y / 31.0))
    return Terrain(surface.astype(np.float32), np.zeros((rows, columns), np.float32), 10.0)


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (2, 2), (40, 70)])
@pytest.mark.parametrize("spread", [0.0, 1e-3, 1.0, 1e3, 1e9])
@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_steep_creep_keeps_volume(shape: tuple[int, int], spread: float, scale: float) -> None:
    height = np.random.default_rng(1).random(shape) * scale
    before = height.sum()
    creep = SteepCreep(shape, 8.0)
    for _ in range(3):
        creep.step(height, spread)
    assert height.sum() == pytest.approx(before, rel=1e-12)
    assert np.isfinite(height).all()


def test_steep_creep_without_a_critical_slope_is_linear() -> None:
    height = np.random.default_rng(1).random((60, 70)) * 20.0
    linear, far, near = height.copy(), height.copy(), height.copy()
    Creep(height.shape).step(linear, 3.0)
    SteepCreep(height.shape, 1e9).step(far, 3.0)
    SteepCreep(height.shape, 20.0).step(near, 3.0)
    np.testing.assert_allclose(far, linear, atol=1e-9)
    assert np.abs(near - linear).max() > 1e-2


@pytest.mark.parametrize("angle", [20.0, 35.0, 60.0])
@pytest.mark.parametrize("years", [1.0, 1e3, 1e5])
@pytest.mark.parametrize("land", [hills(60, 70, 80.0), rough(60, 70, height=300.0)], ids=["hills", "rough"])
def test_creeping_ground_stays_below_the_critical_slope(angle: float, years: float, land: Terrain) -> None:
    critical = math.tan(math.radians(angle))
    assert steepest_between(land.surface, 10.0) > 1.2 * critical
    eroded = run(diffuse_hillslopes(land, HillslopeDiffusion(years=years, critical_angle=angle)))
    # Across the bottom of a fold, a step of two cells may be a little steeper than both of its halves.
    assert steepest_between(eroded.terrain.surface, 10.0) <= 1.05 * critical
    assert abs(eroded.balance.error) <= 1e-9 * max(abs(eroded.balance.before), volume_of_range(land))


def volume_of_range(land: Terrain) -> float:
    return float(np.ptp(land.surface)) * land.surface.size * land.cell_size**2


@pytest.mark.parametrize(("length", "cells"), [(100.0, 50), (400.0, 100)])
def test_steady_hillslope_has_the_profile_of_roering(length: float, cells: int) -> None:
    # Roering, Kirchner & Dietrich 2001, eq. 9: a hillside between a divide and a channel that lowers as fast as it all.
    diffusivity, uplift, critical, cell = 0.005, 1e-4, 1.0, length / cells
    height, creep, years = np.zeros((1, cells + 1)), SteepCreep((1, cells + 1), critical * cell), 1e4
    for _ in range(2000):
        # What rises goes out through the channel at once: a long step then has the same steady state as a short one.
        height += uplift * years
        height[0, -1] -= uplift * years * (cells + 1)
        creep.step(height, diffusivity * years / cell**2)
        height -= height[0, -1]
    x = (np.arange(cells + 1) + 0.5) * cell  # the divide is the outer side of the first cell
    a = 2.0 * uplift * x / critical
    root = np.hypot(diffusivity, a)
    profile = -(critical**2 / (2.0 * uplift)) * (
        root - diffusivity * np.log((root + diffusivity) * critical / (2.0 * uplift))
    )
    profile -= profile[-1]
    np.testing.assert_allclose(height[0], profile, atol=0.02 * profile[0])
    parabola = uplift / (2.0 * diffusivity) * (x[-1] ** 2 - x**2)
    assert np.abs(parabola - profile).max() > 0.2 * profile[0]


@pytest.mark.parametrize("turn", [np.flipud, np.fliplr, np.transpose])
def test_steep_creep_has_no_direction(turn) -> None:
    land = hills(61, 61, 60.0)
    process = HillslopeDiffusion(years=2e4, critical_angle=40.0)
    turned = Terrain(*(np.ascontiguousarray(turn(layer)) for layer in (land.bedrock, land.sediment)), 10.0)
    straight, other = (run(diffuse_hillslopes(t, process)).terrain.surface for t in (land, turned))
    assert np.abs(other - turn(straight)).max() < 0.01 * np.ptp(land.surface)
    assert np.abs(straight - land.surface).max() > 0.1 * np.ptp(land.surface)


@pytest.mark.parametrize("angle", [40.0, 90.0])
def test_creep_does_not_depend_on_threads(angle: float) -> None:
    land = rough(90, 120, height=40.0)
    before = compilation.thread_count()
    results = []
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            results.append(run(diffuse_hillslopes(land, HillslopeDiffusion(critical_angle=angle))).terrain.surface)
    finally:
        compilation.set_thread_count(before)
    np.testing.assert_array_equal(*results)


# --- landslides -----------------------------------------------------------------------------------------------------


def steepest_between(height: np.ndarray, cell_size: float) -> float:
    """Steepest slope to any of 16 neighbours, by plain numpy."""
    steepest = 0.0
    for rows, columns in ((0, 1), (1, 0), (1, 1), (1, -1), (1, 2), (1, -2), (2, 1), (2, -1)):
        here = height[: height.shape[0] - rows, max(-columns, 0) : height.shape[1] - max(columns, 0)]
        there = height[rows:, max(columns, 0) : height.shape[1] + min(columns, 0)]
        if here.size:
            steepest = max(steepest, float(np.abs(there - here).max()) / (cell_size * math.hypot(rows, columns)))
    return steepest


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 70.0])
def test_nothing_stands_steeper_than_it_can(angle: float) -> None:
    height = np.random.default_rng(2).random((40, 50)) * 500.0
    before = height.copy()
    tangent = math.tan(math.radians(angle))
    assert steepest_between(before, 10.0) > 3.0 * tangent
    collapse(height, np.full(height.shape, tangent, np.float32), 10.0, None)
    assert steepest_between(height, 10.0) <= tangent * (1.0 + 1e-5) + 1e-9
    assert (height <= before).all()


def test_one_tower_becomes_a_cone_of_the_highest_ground_that_holds() -> None:
    # The land below a wall of sea cliffs: everything is as high as the nearest low cell allows, no lower.
    height = np.full((41, 41), 1e4)
    height[20, 20] = 0.0
    removed = np.zeros(height.shape)
    collapse(height, np.ones(height.shape, np.float32), 1.0, removed)
    y, x = np.mgrid[-20:21, -20:21]
    distance = np.hypot(x, y)
    away = distance > 0.0
    assert (height[away] / distance[away]).min() > 0.9999
    assert (height[away] / distance[away]).max() < 1.03
    np.testing.assert_allclose(removed, np.where(away, 1e4, 0.0) - height)


def test_hard_rock_stands_steeper() -> None:
    terrain = rough(60, 60, height=300.0)
    hardness = np.where(np.arange(60) < 30, 3.0, 1.0).astype(np.float32) * np.ones((60, 1), np.float32)
    eroded = run(collapse_walls(terrain, Landslides(critical_angle=30.0), hardness=hardness))
    spread = [np.ptp(half) for half in np.split(eroded.terrain.bedrock, 2, axis=1)]
    assert spread[0] > 1.5 * spread[1]
    with pytest.raises(ValueError, match=r"hardness = 0\.0 is not above 0"):
        run(collapse_walls(terrain, Landslides(), hardness=np.zeros((60, 60), np.float32)))


@pytest.mark.parametrize("soil", [0.0, 4.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 20), (3, 3), (50, 40)])
def test_landslides_keep_volume(soil: float, shape: tuple[int, int]) -> None:
    terrain = rough(*shape, height=300.0, soil=soil)
    eroded = run(collapse_walls(terrain, Landslides(critical_angle=50.0, talus_angle=30.0)))
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before
    assert volume(eroded.terrain) == pytest.approx(volume(terrain), rel=1e-5)
    assert eroded.terrain.sediment.min() >= 0.0
    assert (eroded.terrain.bedrock <= terrain.bedrock).all()


# --- deposition -----------------------------------------------------------------------------------------------------


def mountain_front(size: int = 100) -> Terrain:
    """A mountain in the north, with a gap in it, above a plain that falls gently to the south."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float64)
    height = 0.05 * y + np.maximum(y - 0.6 * size, 0.0) * 6.0 + 0.05 * np.abs(x - 0.5 * size) * (y > 0.6 * size)
    height += np.random.default_rng(3).random((size, size)) * 0.02
    return Terrain(height.astype(np.float32), np.zeros((size, size), np.float32), 10.0)


def test_load_comes_to_rest_at_the_foot_of_the_mountain() -> None:
    terrain = mountain_front()
    eroded = run(deposit_load(terrain, Deposition(supply=1.0, settling_length=100.0)))
    laid = eroded.terrain.sediment
    assert laid[30:60].mean() > 5.0 * laid[70:].mean()
    assert laid[30:60].mean() > laid[:25].mean()
    assert (eroded.terrain.surface[65:-1] - terrain.surface[65:-1]).mean() < 0.0


def test_long_settling_lengths_carry_further() -> None:
    terrain = mountain_front()
    left = [
        run(deposit_load(terrain, Deposition(supply=1.0, settling_length=length))).balance.left
        for length in (30.0, 1000.0, 30000.0)
    ]
    assert left == sorted(left)
    assert left[2] > 3.0 * left[0]


@pytest.mark.parametrize("supply", [0.3, 3.0, 8.0])
def test_rivers_erode_what_supply_says(supply: float) -> None:
    # The hills are high enough to lose eight metres everywhere.
    recipe = Recipe.preset("rolling_hills", resolution=257)
    terrain = build(recipe.replace(erosion=recipe.erosion[:1]), extent="terrain").terrain
    # With such settings nothing settles: all that rivers erode leaves.
    eroded = run(deposit_load(terrain, Deposition(supply=supply, settling_length=1e6, fan_angle=0.1)))
    assert eroded.balance.left == pytest.approx(supply * terrain.bedrock.size * terrain.cell_size**2, rel=0.02)


@pytest.mark.parametrize("supply", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 20), (3, 3), (50, 40)])
def test_mass_balance_of_deposition(supply: float, shape: tuple[int, int]) -> None:
    terrain = rough(*shape, soil=1.0)
    eroded = run(deposit_load(terrain, Deposition(supply=supply)))
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before
    assert volume(eroded.terrain) == pytest.approx(eroded.balance.after, rel=1e-6)
    assert eroded.terrain.sediment.min() >= 0.0
    assert eroded.balance.left >= 0.0
    if supply == 0.0:
        np.testing.assert_allclose(eroded.terrain.surface, terrain.surface, atol=1e-4)


def test_bare_rock_does_not_slide() -> None:
    terrain = rough(50, 40)
    eroded = run(deposit_load(terrain, Deposition(supply=0.0)))
    np.testing.assert_array_equal(eroded.terrain.bedrock, terrain.bedrock)
    assert not eroded.terrain.sediment.any()
