"""Drops carve, carry and lay down: nothing is lost, nothing blows up, and one drop does what Beyer wrote."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrain_addon.core import Terrain
from terrain_addon.core.erosion import droplets
from terrain_addon.core.erosion.droplets import Droplets, erode_by_droplets
from terrain_addon.core.erosion.mass_balance import volume_of
from terrain_addon.core.foundation import compilation
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.tiling.blocks import BlockPlace

pytestmark = pytest.mark.once


def rough_land(seed: int, rows: int, columns: int, cell_size: float = 4.0) -> Terrain:
    """A tilted plain with waves and noise on it, and sediment on a part of it."""
    generator = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:columns]
    heights = 100.0 + 0.6 * x + 8.0 * np.sin(x / 9.0) * np.cos(y / 7.0) + generator.normal(0.0, 0.3, (rows, columns))
    lying = np.maximum(generator.normal(0.0, 1.0, (rows, columns)), 0.0)
    return Terrain(heights.astype(np.float32), lying.astype(np.float32), cell_size)


def moved_volume(land: Terrain, other: Terrain) -> float:
    """Half of all that went down or up, in m³."""
    return float(np.abs(other.surface.astype(float) - land.surface).sum()) * land.cell_size**2 / 2.0


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**31 - 1),
    rows=st.integers(1, 60),
    columns=st.integers(1, 60),
    cell_size=st.sampled_from([0.1, 1.0, 30.0]),
    process=st.builds(
        Droplets,
        density=st.floats(0.0, 5.0),
        strength=st.floats(0.0, 1.0),
        capacity=st.floats(0.0, 32.0),
        radius=st.integers(1, 8),
        settling=st.floats(0.0, 1.0),
        inertia=st.floats(0.0, 1.0),
        evaporation=st.floats(0.0, 1.0),
        lifetime=st.integers(1, 120),
    ),
)
def test_mass_is_balanced_whatever_the_drops_do(
    seed: int, rows: int, columns: int, cell_size: float, process: Droplets
) -> None:
    land = rough_land(seed % 1000, rows, columns, cell_size)
    done = run(erode_by_droplets(land, process, seed=seed))
    assert abs(done.balance.error) <= 1e-7 * done.balance.before
    assert done.balance.before == volume_of(land)
    assert done.balance.after == volume_of(done.terrain)
    assert done.balance.left >= 0.0
    assert done.terrain.sediment.min() >= 0.0


def test_mass_is_balanced_to_rounding_against_what_was_moved() -> None:
    # Without the noise of storing heights in float32: it is a thousandth of what the drops of this land move.
    land = rough_land(1, 150, 150)
    done = run(erode_by_droplets(land, Droplets(density=5.0)))
    moved = moved_volume(land, done.terrain)
    assert moved > 1000.0
    assert abs(done.balance.error) <= 1e-4 * moved
    assert done.balance.left > 0.01 * moved


def test_closed_basin_keeps_everything() -> None:
    y, x = np.mgrid[-1:1:81j, -1:1:81j]
    bowl = Terrain((200.0 * (x**2 + y**2)).astype(np.float32), np.zeros((81, 81), np.float32), 5.0)
    done = run(erode_by_droplets(bowl, Droplets(density=3.0)))
    assert done.balance.left == 0.0
    assert moved_volume(bowl, done.terrain) > 100.0
    assert done.terrain.sediment.any()
    assert (done.terrain.bedrock <= bowl.bedrock).all()


def test_drops_over_the_border_take_their_load_along() -> None:
    slope = Terrain(
        np.outer(np.ones(40), np.arange(40.0) * 3.0).astype(np.float32), np.zeros((40, 40), np.float32), 3.0
    )
    done = run(erode_by_droplets(slope, Droplets(density=2.0)))
    assert done.balance.left > 10.0
    assert done.balance.after == pytest.approx(done.balance.before - done.balance.left, rel=1e-6)


def test_sediment_goes_first() -> None:
    land = rough_land(2, 60, 60)
    covered = Terrain(land.bedrock, np.full((60, 60), 50.0, np.float32), land.cell_size)
    done = run(erode_by_droplets(covered, Droplets(density=2.0))).terrain
    np.testing.assert_array_equal(done.bedrock, land.bedrock)
    assert (done.sediment < covered.sediment).any()


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1), (2, 2), (90, 70)])
def test_flat_land_stays_flat(shape: tuple[int, int]) -> None:
    flat = Terrain(np.full(shape, 7.1, np.float32), np.full(shape, 2.3, np.float32), 3.0)
    done = run(erode_by_droplets(flat, Droplets(density=5.0)))
    np.testing.assert_array_equal(done.terrain.bedrock, flat.bedrock)
    np.testing.assert_array_equal(done.terrain.sediment, flat.sediment)
    assert done.balance.left == 0.0


@pytest.mark.parametrize("still", [Droplets(density=0.0), Droplets(strength=0.0), Droplets(capacity=0.0)])
def test_drops_that_take_nothing_change_nothing(still: Droplets) -> None:
    land = rough_land(3, 50, 50)
    done = run(erode_by_droplets(land, still))
    np.testing.assert_array_equal(done.terrain.bedrock, land.bedrock)
    np.testing.assert_allclose(done.terrain.sediment, land.sediment, atol=1e-6)


@pytest.mark.parametrize("cell_size", [0.5, 30.0])
def test_a_million_drops_on_a_cliff_do_not_blow_up(cell_size: float) -> None:
    side, cliff = 110, 1000.0
    heights = np.where(np.arange(side) < side // 2, 0.0, cliff) * np.ones((side, 1))
    land = Terrain(heights.astype(np.float32), np.zeros((side, side), np.float32), cell_size)
    done = run(erode_by_droplets(land, Droplets(density=1e6 / side**2)))
    surface = done.terrain.surface
    assert np.isfinite(surface).all()
    assert abs(done.balance.error) <= 1e-6 * done.balance.before
    # Nothing is heaped up above the top; 80 drops on every cell of the plain wear it down, at its border, a few cells.
    assert surface.max() <= cliff + 0.5 * cell_size
    assert surface.min() >= -20.0 * cell_size


def test_more_drops_and_stronger_drops_move_more() -> None:
    land = rough_land(4, 100, 100)
    moved = [
        moved_volume(land, run(erode_by_droplets(land, process)).terrain)
        for process in (Droplets(density=0.1), Droplets(density=1.0), Droplets(density=1.0, strength=0.9))
    ]
    assert moved == sorted(moved)
    assert moved[1] > 3.0 * moved[0]


@pytest.mark.parametrize("factor", [0.25, 8.0])
def test_lengths_and_heights_count_in_cells(factor: float) -> None:
    land = rough_land(5, 80, 90)
    scaled = Terrain(land.bedrock * np.float32(factor), land.sediment * np.float32(factor), land.cell_size * factor)
    done, other = (run(erode_by_droplets(ground, Droplets(density=1.0), seed=7)).terrain for ground in (land, scaled))
    np.testing.assert_array_equal(other.bedrock, done.bedrock * np.float32(factor))
    np.testing.assert_array_equal(other.sediment, done.sediment * np.float32(factor))


@pytest.mark.parametrize("process", [Droplets(), Droplets(lifetime=4, radius=2, density=4.0, inertia=1.0)])
def test_threads_do_not_matter(process: Droplets) -> None:
    land = rough_land(6, 330, 290)
    before = compilation.thread_count()
    results = []
    try:
        for threads in (1, 2, 2):
            compilation.set_thread_count(threads)
            done = run(erode_by_droplets(land, process, seed=3))
            results.append((done.terrain.bedrock.tobytes(), done.terrain.sediment.tobytes(), done.balance))
    finally:
        compilation.set_thread_count(before)
    assert results[0] == results[1] == results[2]


def test_another_seed_is_other_rain() -> None:
    land = rough_land(7, 80, 80)
    one, same, other = (run(erode_by_droplets(land, Droplets(), seed=seed)).terrain.surface for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).mean() > 0.1


def test_finishing_early_leaves_a_consistent_land() -> None:
    land = rough_land(8, 90, 90)
    whole = run(erode_by_droplets(land, Droplets(density=3.0)))
    steps = erode_by_droplets(land, Droplets(density=3.0))
    assert [next(steps) for _ in range(3)] == [0.0, 1 / 4, 2 / 4]
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    early = end.value.value
    assert abs(early.balance.error) <= 1e-7 * early.balance.before
    assert 0.0 < moved_volume(land, early.terrain) < moved_volume(land, whole.terrain)


def test_tiles_leave_no_seams() -> None:
    side, process = 513, Droplets(density=1.0)
    tile = 2 * (process.lifetime + process.radius + 2)
    land = rough_land(3, side, side)
    dug = run(erode_by_droplets(land, process, seed=5)).terrain.surface - land.surface
    change = np.abs(np.diff(dug, axis=1))[:, 6:-6].mean(axis=0)
    from_border = np.abs((np.arange(6, side - 7) + tile // 2) % tile - tile // 2)
    beside, elsewhere = change[from_border <= 2], change[from_border > 10]
    # As many places elsewhere, drawn many times, differ as much from one another.
    draws = [np.random.default_rng(n).choice(elsewhere, beside.size).mean() for n in range(200)]
    assert min(draws) < beside.mean() < max(draws)


# --- one drop ---------------------------------------------------------------------------------------------------------


def one_drop(heights: np.ndarray, x: float, y: float, process: Droplets, largest_load: float) -> float:
    """A drop after the equations of Beyer's thesis on a grid of unit cells, in plain Python; returns what left."""
    rows, columns = heights.shape

    def bilinear(x: float, y: float) -> tuple[dict[tuple[int, int], float], float]:
        i, j = int(y), int(x)
        corners = {
            (i + a, j + b): (y - i if a else 1 - y + i) * (x - j if b else 1 - x + j) for a in (0, 1) for b in (0, 1)
        }
        return corners, sum(heights[cell] * weight for cell, weight in corners.items())

    def around(x: float, y: float) -> dict[tuple[int, int], float]:
        centre = int(y), int(x)
        weights = {
            (i, j): max(0.0, process.radius - math.hypot(i - centre[0], j - centre[1]))
            for i in range(centre[0] - 9, centre[0] + 10)
            for j in range(centre[1] - 9, centre[1] + 10)
        }
        total = sum(weights.values())
        return {cell: w / total for cell, w in weights.items() if 0 <= cell[0] < rows and 0 <= cell[1] < columns}

    direction, speed, water, load = np.zeros(2), 1.0, 1.0, 0.0
    for _ in range(process.lifetime):
        i, j = int(y), int(x)
        u, v = x - j, y - i
        block = heights[i : i + 2, j : j + 2]
        gradient = np.array(
            [
                (block[0, 1] - block[0, 0]) * (1 - v) + (block[1, 1] - block[1, 0]) * v,
                (block[1, 0] - block[0, 0]) * (1 - u) + (block[1, 1] - block[0, 1]) * u,
            ]
        )
        direction = direction * process.inertia - gradient * (1 - process.inertia)
        if not direction.any():
            break
        direction = direction / np.linalg.norm(direction)
        there = x + direction[0], y + direction[1]
        if not (0 <= there[0] < columns - 1 and 0 <= there[1] < rows - 1):
            return load
        corners, here = bilinear(x, y)
        rise = bilinear(*there)[1] - here
        room = min(max(-rise, 0.01) * speed * water * process.capacity, largest_load)
        if rise > 0 or load > room:
            laid = min(rise, load) if rise > 0 else (load - room) * process.settling
            for cell, weight in corners.items():
                heights[cell] += laid * weight
            load -= laid
        else:
            taken = min((room - load) * process.strength, -rise)
            for cell, weight in around(x, y).items():
                heights[cell] -= taken * weight
                load += taken * weight
        speed = math.sqrt(max(speed**2 - rise * 4.0, 0.0))
        water *= 1 - process.evaporation
        x, y = there
    ground = around(x, y)
    for cell, weight in ground.items():
        heights[cell] += load * weight
    heights[int(y), int(x)] += load * (1.0 - sum(ground.values()))
    return 0.0


@pytest.mark.parametrize("seed", range(12))
def test_one_drop_does_what_beyer_wrote(seed: int) -> None:
    generator = np.random.default_rng(seed)
    # Short lives, because a drop that comes near a saddle makes a large difference of any rounding.
    process = Droplets(inertia=0.3, radius=int(generator.integers(1, 5)), lifetime=15, capacity=8.0)
    land = rough_land(seed, 40, 40, cell_size=1.0)
    brush, behaviour = droplets.make_brush(process.radius), droplets.drop_behaviour(process)
    moved = []
    for x, y in generator.uniform(0.0, 39.0, (30, 2)):
        ours, theirs = land.surface.astype(float), land.surface.astype(float)
        left = droplets.run_drop(ours, BlockPlace(0, 0, *ours.shape), x, y, brush, 1.0, behaviour)
        assert left == pytest.approx(one_drop(theirs, x, y, process, 0.5), abs=1e-6)
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-6)
        moved.append(np.abs(ours - land.surface).max())
    assert np.median(moved) > 0.01


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"density": -0.1}, "density"),
        ({"strength": 1.1}, "strength"),
        ({"radius": 0}, "radius"),
        ({"lifetime": 0}, "life"),
    ],
)
def test_values_out_of_range_are_refused(changes: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Droplets(**changes)
