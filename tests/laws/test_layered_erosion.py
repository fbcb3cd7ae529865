"""The layered model of rock and sediment: as its formulae say, conserved, stable, round, the same on any grid."""

import math
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from terrain_addon.core import Terrain
from terrain_addon.core.erosion.hydraulic_erosion import HydraulicErosion, erode_by_water, hydraulic_step
from terrain_addon.core.erosion.mass_balance import Eroded, volume_of
from terrain_addon.core.erosion.stabilisation import Stabilisation, settle, stabilise_sediment
from terrain_addon.core.erosion.thermal_erosion import ThermalErosion, erode_by_frost, thermal_step
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import Steps, run

pytestmark = pytest.mark.once

NEIGHBOURS = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
USUAL_RATES = (0.01, 0.1, 0.5, 1.0)

PROCESSES: dict[str, Callable[[Terrain], Steps[Eroded]]] = {
    "stabilisation": lambda land: stabilise_sediment(land, Stabilisation(talus_angle=30.0)),
    "frost": lambda land: erode_by_frost(land, ThermalErosion(passes=3, talus_angle=30.0)),
    "frost that leaves scree where it broke off": lambda land: erode_by_frost(
        land, ThermalErosion(passes=3, stabilise=False)
    ),
    "frost in the light": lambda land: erode_by_frost(land, ThermalErosion(rate=1.0), illumination=ramp(land)),
    "water": lambda land: erode_by_water(land, HydraulicErosion(passes=3, talus_angle=30.0), humidity=ramp(land)),
    "water that takes all": lambda land: erode_by_water(land, HydraulicErosion(rate=1.0, depth=100.0, stabilise=False)),
}


def ramp(land: Terrain) -> np.ndarray:
    """A map from 0 in one corner to 1 in the other."""
    rows, columns = land.bedrock.shape
    return (np.add.outer(np.arange(rows), np.arange(columns)) / max(rows + columns - 2, 1)).astype(np.float32)


def rough_land(seed: int, rows: int, columns: int, sediment: float = 5.0, cell_size: float = 5.0) -> Terrain:
    """Steep ground with flats in it, and sediment on a part of it."""
    generator = np.random.default_rng(seed)
    heights = np.cumsum(generator.normal(0.0, 4.0, (rows, columns)), axis=1)
    lying = np.maximum(generator.normal(0.0, sediment, (rows, columns)), 0.0)
    return Terrain(np.round(heights).astype(np.float32), lying.astype(np.float32), cell_size)


LANDS = st.builds(
    rough_land,
    seed=st.integers(0, 2**31),
    rows=st.integers(1, 45),
    columns=st.integers(1, 45),
    sediment=st.sampled_from([0.0, 0.5, 5.0, 200.0]),
)


def steepest_sediment(land: Terrain) -> float:
    """Largest slope, in degrees, from a cell with sediment down to any of its neighbours, in plain numpy."""
    heights = land.bedrock.astype(float) + land.sediment
    rows, columns = heights.shape
    around = np.pad(heights, 1, constant_values=np.inf)
    rise = max(
        float(
            np.where(
                land.sediment > 0.0,
                (heights - around[1 + i : 1 + i + rows, 1 + j : 1 + j + columns]) / (math.hypot(i, j) * land.cell_size),
                -np.inf,
            ).max()
        )
        for i, j in NEIGHBOURS
    )
    return math.degrees(math.atan(rise))


# --- the formulae -----------------------------------------------------------------------------------------------------


def test_thermal_step_by_hand() -> None:
    bedrock, sediment = np.array([[10.0, 20.0]]), np.array([[0.0, 3.0]])
    rock, loose = thermal_step(bedrock, sediment, np.array([[0.5, 1.0]]), np.array([[0.2, 1.0]]), 0.5)
    np.testing.assert_allclose(rock, [[9.95, 19.5]], rtol=1e-14)
    np.testing.assert_allclose(loose, [[0.05, 3.5]], rtol=1e-14)
    np.testing.assert_array_equal(bedrock, [[10.0, 20.0]])
    np.testing.assert_array_equal(sediment, [[0.0, 3.0]])


def test_hydraulic_step_by_hand() -> None:
    # Q = 0.5 · H · Sl = 2, against less, exactly as much, and more sediment than that.
    bedrock, sediment = np.full((1, 3), 10.0), np.array([[0.5, 2.0, 7.0]])
    rock, loose = hydraulic_step(bedrock, sediment, np.full((1, 3), 0.25), np.full((1, 3), 16.0), 0.5)
    np.testing.assert_array_equal(rock, [[8.5, 10.0, 10.0]])
    np.testing.assert_array_equal(loose, [[0.0, 0.0, 5.0]])


@pytest.mark.parametrize("rate", USUAL_RATES)
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_the_formulae_of_the_layered_model_cell_by_cell(rate: float, seed: int) -> None:
    generator = np.random.default_rng(seed)
    bedrock, slope, light = generator.uniform(0.0, 1.0, (3, 8, 9))
    sediment = generator.uniform(0.0, 1.0, (8, 9)) * generator.integers(0, 2, (8, 9))
    humidity = generator.uniform(1.0, 50.0, (8, 9))
    crumbled = thermal_step(bedrock, sediment, slope, light, rate)
    washed = hydraulic_step(bedrock, sediment, slope, humidity, rate)
    assert abs(float((crumbled[0] + crumbled[1] - bedrock - sediment).sum())) <= 1e-12
    for cell in np.ndindex(8, 9):
        B, S, Sl, H = bedrock[cell], sediment[cell], slope[cell], humidity[cell]
        assert crumbled[0][cell] == pytest.approx(B - rate * Sl * light[cell], rel=1e-13)
        assert crumbled[1][cell] == pytest.approx(S + rate * Sl * light[cell], rel=1e-13)
        Q = rate * H * Sl
        expected = (B - (Q - S), 0.0) if S <= Q else (B, S - Q)
        assert (washed[0][cell], washed[1][cell]) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_published_humidity_erodes_where_water_gathers() -> None:
    # Every cell pours what it has over lower neighbours by their drop: on a plane row k from the top has k cells.
    rows = np.arange(20.0, 0.0, -1.0, dtype=np.float32)[:, np.newaxis]
    plane = Terrain(np.repeat(100.0 * rows, 61, axis=1), np.zeros((20, 61), np.float32), 100.0)
    once = HydraulicErosion(passes=1, rate=1.0, depth=10.0, stabilise=False, wetness="poured")
    taken = plane.surface - run(erode_by_water(plane, once)).terrain.surface
    # Q = T · H · Sl, with Sl = sin 45° and 1 as the largest H
    assert taken.max() == pytest.approx(10.0 * np.sqrt(0.5), rel=1e-4)
    np.testing.assert_allclose(taken[:, 30] / taken[0, 30], np.arange(1, 21), rtol=1e-3)


# --- stabilisation ----------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(LANDS, st.floats(0.0, 89.0))
@example(rough_land(1, 40, 40, 200.0), 0.0)
@example(rough_land(2, 70, 33, 200.0), 10.0)
def test_stabilisation_ends_stable_and_keeps_all_sediment(land: Terrain, angle: float) -> None:
    done = run(stabilise_sediment(land, Stabilisation(talus_angle=angle)))
    assert steepest_sediment(done.terrain) <= angle + 0.1
    before, after = land.sediment.sum(dtype=float), done.terrain.sediment.sum(dtype=float)
    assert after == pytest.approx(before, rel=1e-6, abs=1e-30)
    assert done.terrain.sediment.min() >= 0.0
    np.testing.assert_array_equal(done.terrain.bedrock, land.bedrock)


def test_the_measure_of_stability_sees_what_is_unstable() -> None:
    land = rough_land(1, 40, 40)
    assert steepest_sediment(land) > 31.0
    almost = run(stabilise_sediment(land, Stabilisation(talus_angle=32.0)))
    assert steepest_sediment(almost.terrain) > 30.1


def test_what_is_stable_does_not_move() -> None:
    land = run(stabilise_sediment(rough_land(3, 50, 40), Stabilisation(talus_angle=35.0))).terrain
    again = run(stabilise_sediment(land, Stabilisation(talus_angle=36.0))).terrain
    np.testing.assert_array_equal(again.sediment, land.sediment)


def poured(side: int, volume: float, angle: float) -> np.ndarray:
    """Sand poured on the middle of a plain of cells of 1 m: a column that slid to rest."""
    bedrock = np.zeros((side, side), np.float32)
    heights = np.zeros((side, side))
    heights[side // 2, side // 2] = volume
    run(settle(heights, bedrock, 1.0, angle))
    return heights


def radii(heights: np.ndarray, level: float) -> np.ndarray:
    """How far from the middle, in each of 48 directions, the ground first comes below a level."""
    middle = heights.shape[0] // 2
    found = []
    for direction in np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False):
        distance = np.arange(0.0, middle - 1.0, 0.05)
        x, y = middle + distance * math.cos(direction), middle + distance * math.sin(direction)
        column, row = x.astype(int), y.astype(int)
        u, v = x - column, y - row
        line = (heights[row, column] * (1 - u) + heights[row, column + 1] * u) * (1 - v)
        line += (heights[row + 1, column] * (1 - u) + heights[row + 1, column + 1] * u) * v
        found.append(distance[np.argmax(line < level)])
    return np.array(found)


@pytest.mark.parametrize("angle", [20.0, 35.0, 45.0, 60.0])
def test_poured_sand_is_a_cone_at_the_angle_of_repose_in_any_direction(angle: float) -> None:
    repose = math.tan(math.radians(angle))
    radius = 40.0
    heights = poured(101, math.pi / 3.0 * radius**3 * repose, angle)
    for share in (0.25, 0.5):
        round_cone = radius * (1.0 - share)
        np.testing.assert_allclose(radii(heights, share * radius * repose), round_cone, rtol=0.1)
    flank = radii(heights, 0.25 * radius * repose) - radii(heights, 0.5 * radius * repose)
    np.testing.assert_allclose(0.25 * radius * repose / flank, repose, rtol=0.1)


def test_the_measure_of_roundness_sees_a_pyramid() -> None:
    away = np.abs(np.mgrid[-50:51, -50:51]).max(axis=0)
    pyramid = np.maximum(40.0 - away, 0.0)
    assert not np.allclose(radii(pyramid, 20.0), 20.0, rtol=0.1)


def fall_from_a_random_queue(land: Terrain, angle: float, seed: int) -> np.ndarray:
    """The stabilisation of the layered model in plain Python: unstable cells at random fall to lower neighbours."""
    generator = random.Random(seed)
    sediment, bedrock = land.sediment.astype(float), land.bedrock.astype(float)
    rows, columns = bedrock.shape
    queue = deque(generator.sample(list(np.ndindex(rows, columns)), rows * columns))
    while queue:
        queue.rotate(generator.randrange(len(queue)))
        row, column = queue.popleft()
        height = bedrock[row, column] + sediment[row, column]
        surplus = {}
        for i, j in NEIGHBOURS:
            cell = row + i, column + j
            if 0 <= cell[0] < rows and 0 <= cell[1] < columns:
                limit = math.tan(math.radians(angle)) * math.hypot(i, j) * land.cell_size
                over = height - bedrock[cell] - sediment[cell] - limit
                if over > 1e-3 * land.cell_size:
                    surplus[cell] = over
        if not surplus or sediment[row, column] <= 0.0:
            continue
        falling = min(sediment[row, column], max(surplus.values()) / 2.0)
        sediment[row, column] -= falling
        for cell, over in surplus.items():
            sediment[cell] += falling * over / sum(surplus.values())
            queue.append(cell)
        queue.append((row, column))
        queue.extend((row + i, column + j) for i, j in NEIGHBOURS if 0 <= row + i < rows and 0 <= column + j < columns)
    return sediment


@pytest.mark.parametrize("seed", range(3))
def test_a_random_queue_ends_in_the_same_kind_of_state(seed: int) -> None:
    land, angle = rough_land(seed, 14, 17, sediment=3.0), 40.0
    expected = Terrain(land.bedrock, fall_from_a_random_queue(land, angle, seed), land.cell_size)
    ours = run(stabilise_sediment(land, Stabilisation(talus_angle=angle))).terrain
    for terrain in (expected, ours):
        assert steepest_sediment(terrain) <= angle + 0.1
        assert volume_of(terrain) == pytest.approx(volume_of(land), rel=1e-6, abs=1e-3)
    # Sediment ended on much the same ground, neither of them went further down.
    moved = np.abs(expected.sediment - land.sediment).sum()
    assert moved > 20.0
    assert np.abs(ours.sediment - expected.sediment).sum() < 0.35 * moved
    assert np.corrcoef(ours.sediment.ravel(), expected.sediment.ravel())[0, 1] > 0.9


@pytest.mark.parametrize(("ridge", "crosses"), [(60.0, False), (0.0, True)])
def test_no_sediment_goes_through_a_ridge(ridge: float, crosses: bool) -> None:
    bedrock = np.zeros((64, 129), np.float32)
    bedrock[:, 64] = ridge
    sediment = np.zeros_like(bedrock)
    sediment[:, 20:60] = 30.0
    done = run(stabilise_sediment(Terrain(bedrock, sediment, 1.0), Stabilisation(talus_angle=5.0)))
    assert bool(done.terrain.sediment[:, 65:].any()) is crosses


def test_thin_sediment_stays_on_a_plateau_while_a_pile_below_slides_far() -> None:
    bedrock, sediment = np.zeros((64, 64), np.float32), np.full((64, 64), 1.0, np.float32)
    bedrock[:, :32] = 500.0
    sediment[28:38, 48:58] = 400.0
    land = Terrain(bedrock, sediment, 10.0)
    done = run(stabilise_sediment(land, Stabilisation(talus_angle=30.0))).terrain
    assert done.sediment[33, 38] > 10.0
    np.testing.assert_array_equal(done.sediment[:, :31], land.sediment[:, :31])
    assert not done.sediment[:, 31].any()


# --- every process ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("seed", range(4))
def test_mass_is_balanced(name: str, seed: int) -> None:
    land = rough_land(seed, 37, 41)
    done = run(PROCESSES[name](land))
    scale = float(land.sediment.sum() + np.abs(land.bedrock).sum()) * land.cell_size**2
    assert abs(done.balance.error) <= 1e-7 * scale
    assert done.balance.before == volume_of(land)
    assert done.balance.after == volume_of(done.terrain)
    assert (done.balance.left > 1.0) == name.startswith("water")
    assert done.terrain.sediment.min() >= 0.0
    changed = np.abs(done.terrain.sediment - land.sediment).sum() + np.abs(done.terrain.bedrock - land.bedrock).sum()
    assert changed > 1.0


@pytest.mark.parametrize("rate", USUAL_RATES)
def test_frost_takes_as_much_rock_as_it_makes_scree(rate: float) -> None:
    land = rough_land(5, 30, 30)
    done = run(erode_by_frost(land, ThermalErosion(rate=rate, passes=1))).terrain
    taken = (land.bedrock.astype(float) - done.bedrock).sum()
    assert taken > 0.0
    assert (done.sediment.astype(float) - land.sediment).sum() == pytest.approx(taken, rel=1e-5)
    assert steepest_sediment(done) <= 45.1


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (31, 20)])
def test_flat_land_stays_flat(name: str, shape: tuple[int, int]) -> None:
    flat = Terrain(np.full(shape, 7.0, np.float32), np.full(shape, 2.0, np.float32), 3.0)
    done = run(PROCESSES[name](flat))
    np.testing.assert_array_equal(done.terrain.bedrock, flat.bedrock)
    np.testing.assert_array_equal(done.terrain.sediment, flat.sediment)
    assert done.balance.left == 0.0


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("depth", [-1e4, 1e4, 1e30], ids=["pit", "spire", "beyond all measure"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (33, 35)])
def test_pits_and_spires_do_no_harm(name: str, depth: float, shape: tuple[int, int]) -> None:
    bedrock = np.zeros(shape, np.float32)
    bedrock[shape[0] // 2, shape[1] // 2] = depth
    land = Terrain(bedrock, np.full(shape, 1.0, np.float32), 1.0)
    done = run(PROCESSES[name](land))
    # Terrain itself refuses what is not finite or negative; the mass must be balanced as well.
    assert abs(done.balance.error) <= 1e-6 * (abs(depth) + bedrock.size)


@pytest.mark.parametrize("name", [name for name in PROCESSES if "light" not in name and name != "water"])
@pytest.mark.parametrize("shape", [(23, 31), (64, 48), (65, 129)])
def test_turning_and_mirroring_the_land_turns_and_mirrors_the_result(name: str, shape: tuple[int, int]) -> None:
    land = rough_land(8, *shape, sediment=20.0)
    done = run(PROCESSES[name](land)).terrain
    for change in (np.rot90, np.flipud, np.fliplr, np.transpose):
        layers = [np.ascontiguousarray(change(layer)) for layer in (land.bedrock, land.sediment)]
        other = run(PROCESSES[name](Terrain(layers[0], layers[1], land.cell_size))).terrain
        np.testing.assert_allclose(other.bedrock, change(done.bedrock), atol=1e-4)
        np.testing.assert_allclose(other.sediment, change(done.sediment), atol=1e-4)


@pytest.mark.parametrize("name", PROCESSES)
def test_threads_do_not_matter(name: str) -> None:
    land = rough_land(4, 300, 270)
    before = compilation.thread_count()
    results = []
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            done = run(PROCESSES[name](land))
            results.append((done.terrain.bedrock.tobytes(), done.terrain.sediment.tobytes(), done.balance))
    finally:
        compilation.set_thread_count(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("name", PROCESSES)
def test_finishing_early_leaves_a_consistent_land(name: str) -> None:
    land = rough_land(6, 60, 60, sediment=50.0)
    whole = list(shares(PROCESSES[name](land)))
    assert whole == sorted(whole)
    assert whole[0] >= 0.0
    assert whole[-1] <= 1.0
    for wait in range(min(len(whole), 4)):
        steps = PROCESSES[name](land)
        for _ in range(wait + 1):
            next(steps)
        with pytest.raises(StopIteration) as end:
            while True:
                steps.send(True)
        early = end.value.value
        assert abs(early.balance.error) <= 1e-7 * early.balance.before
        assert early.terrain.sediment.min() >= 0.0


def shares(steps: Steps[Any]) -> Any:
    yield from steps


def valley(cell_size: float) -> Terrain:
    """A smooth valley of 600 m."""
    x = np.arange(0.0, 600.0 + cell_size / 2, cell_size)
    heights = 200.0 * np.cos(x / 160.0)[:, None] + 150.0 * np.sin(x / 130.0 + 1.0)
    return Terrain(heights.astype(np.float32), np.zeros(heights.shape, np.float32), cell_size)


@pytest.mark.parametrize("name", ["frost", "frost in the light", "water"])
def test_a_finer_grid_shows_the_same_land(name: str) -> None:
    coarse, fine = run(PROCESSES[name](valley(20.0))).terrain, run(PROCESSES[name](valley(5.0))).terrain
    for before, layer, other in (
        (valley(20.0).surface, coarse.surface, fine.surface[::4, ::4]),
        (valley(20.0).bedrock, coarse.bedrock, fine.bedrock[::4, ::4]),
    ):
        change = np.abs(layer - before).mean()
        assert change > 0.05
        assert np.abs(layer - other).mean() < 0.15 * change


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Stabilisation, ThermalErosion, HydraulicErosion])
@pytest.mark.parametrize("angle", [-0.1, 89.9, 90.0, math.nan])
def test_angles_without_a_meaning_are_refused(kind: Any, angle: float) -> None:
    with pytest.raises(ValueError, match="talus_angle = "):
        kind(talus_angle=angle)
    assert kind(talus_angle=89.0).talus_angle == 89.0


@pytest.mark.parametrize("kind", [ThermalErosion, HydraulicErosion])
@pytest.mark.parametrize("rate", [-0.01, 1.01])
def test_rates_outside_0_to_1_are_refused(kind: Any, rate: float) -> None:
    with pytest.raises(ValueError, match=r"rate = .* is outside"):
        kind(rate=rate)


@pytest.mark.parametrize(
    "work",
    [
        lambda land, map: erode_by_frost(land, ThermalErosion(), illumination=map),
        lambda land, map: erode_by_water(land, HydraulicErosion(), humidity=map),
    ],
)
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.zeros((3, 4), np.float32), "has shape"),
        (np.full((5, 6), 1.5, np.float32), "outside 0 to 1"),
        (np.full((5, 6), -0.1, np.float32), "outside 0 to 1"),
        (np.full((5, 6), np.nan, np.float32), "NaN"),
    ],
)
def test_maps_outside_0_to_1_are_refused(work: Any, values: np.ndarray, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        run(work(rough_land(1, 5, 6), values))


@pytest.mark.parametrize("work", [erode_by_frost, erode_by_water])
def test_a_rate_of_0_changes_no_stable_land(work: Any) -> None:
    land = run(stabilise_sediment(rough_land(2, 20, 20), Stabilisation(talus_angle=40.0))).terrain
    kind = ThermalErosion if work is erode_by_frost else HydraulicErosion
    done = run(work(land, kind(rate=0.0, talus_angle=45.0))).terrain
    np.testing.assert_array_equal(done.bedrock, land.bedrock)
    np.testing.assert_array_equal(done.sediment, land.sediment)
