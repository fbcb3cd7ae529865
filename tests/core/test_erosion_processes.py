"""What all processes of slopes and rivers have in common, and layers of rock."""

from collections.abc import Callable

import numpy as np
import pytest

from terrain_addon.core.erosion.deposition import Deposition, deposit_load
from terrain_addon.core.erosion.hillslope import HillslopeDiffusion, diffuse_hillslopes
from terrain_addon.core.erosion.landslides import Landslides, collapse_walls
from terrain_addon.core.erosion.layers import heights_of, just_below, with_surface
from terrain_addon.core.erosion.mass_balance import Eroded
from terrain_addon.core.erosion.strata import Strata, lay_beds, measure_hardness
from terrain_addon.core.erosion.stream_power import StreamPower, erode_by_stream_power
from terrain_addon.core.foundation.progress import Steps, run
from terrain_addon.core.foundation.terrain import Grid, Terrain

pytestmark = pytest.mark.once

PROCESSES: list[tuple[Callable[..., Steps[Eroded]], object]] = [
    (erode_by_stream_power, StreamPower()),
    (diffuse_hillslopes, HillslopeDiffusion()),
    (diffuse_hillslopes, HillslopeDiffusion(critical_angle=30.0)),
    (collapse_walls, Landslides(critical_angle=40.0)),
    (deposit_load, Deposition(supply=1.0)),
]
NAMES = [function.__name__ for function, _ in PROCESSES]


def land(shape: tuple[int, int] = (150, 140), seed: int = 1) -> Terrain:
    y, x = np.indices(shape) / 20.0
    height = (
        150.0 * (2.0 + np.sin(x + 0.7 * y) * np.cos(0.8 * y - x)) + np.random.default_rng(seed).random(shape) * 20.0
    )
    return Terrain(height.astype(np.float32), np.full(shape, 0.5, np.float32), 10.0)


@pytest.mark.parametrize(("erode", "process"), PROCESSES, ids=NAMES)
def test_flat_land_stays_flat(erode: Callable[..., Steps[Eroded]], process: object) -> None:
    flat = Terrain(np.full((60, 70), 12.0, np.float32), np.full((60, 70), 0.5, np.float32), 10.0)
    eroded = run(erode(flat, process))
    np.testing.assert_allclose(eroded.terrain.surface, flat.surface, rtol=1e-6)


@pytest.mark.parametrize(("erode", "process"), PROCESSES, ids=NAMES)
def test_same_input_same_bytes(erode: Callable[..., Steps[Eroded]], process: object) -> None:
    first, second = (run(erode(land(), process)).terrain for _ in range(2))
    assert first.bedrock.tobytes() == second.bedrock.tobytes()
    assert first.sediment.tobytes() == second.sediment.tobytes()
    assert first.surface.tobytes() != land().surface.tobytes()


@pytest.mark.parametrize(("erode", "process"), PROCESSES, ids=NAMES)
def test_the_land_given_is_left_as_it_is(erode: Callable[..., Steps[Eroded]], process: object) -> None:
    terrain = land()
    run(erode(terrain, process))
    assert terrain.bedrock.tobytes() == land().bedrock.tobytes()
    assert terrain.sediment.tobytes() == land().sediment.tobytes()


@pytest.mark.parametrize(("erode", "process"), PROCESSES, ids=NAMES)
@pytest.mark.parametrize("moment", [0, 2])
def test_finishing_early_is_consistent(erode: Callable[..., Steps[Eroded]], process: object, moment: int) -> None:
    steps = erode(land(), process)
    try:
        for _ in range(moment + 1):
            assert 0.0 <= next(steps) <= 1.0
        while True:
            steps.send(True)
    except StopIteration as end:
        eroded: Eroded = end.value
    assert eroded.terrain.sediment.min() >= 0.0
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before


@pytest.mark.parametrize(("erode", "process"), PROCESSES, ids=NAMES)
@pytest.mark.parametrize("lowest", [-1e5, 1e5])
def test_a_single_pit_or_tower_does_no_harm(
    erode: Callable[..., Steps[Eroded]], process: object, lowest: float
) -> None:
    heights = np.zeros((40, 40), np.float32)
    heights[20, 20] = lowest
    eroded = run(erode(Terrain(heights, np.zeros_like(heights), 10.0), process))
    assert np.isfinite(eroded.terrain.surface).all()
    assert abs(eroded.balance.error) <= 1e-9 * max(abs(eroded.balance.before), eroded.balance.uplifted, 1.0)


# --- layers ---------------------------------------------------------------------------------------------------------


def test_what_is_taken_is_sediment_first_and_what_is_added_is_sediment() -> None:
    terrain = Terrain(np.array([[10.0, 10.0, 10.0]], np.float32), np.array([[2.0, 2.0, 2.0]], np.float32), 1.0)
    changed = with_surface(terrain, heights_of(terrain) + np.array([[3.0, -1.0, -5.0]]))
    assert changed.bedrock.tolist() == [[10.0, 10.0, 7.0]]
    assert changed.sediment.tolist() == [[5.0, 1.0, 0.0]]


def test_just_below_is_below_and_just() -> None:
    heights = np.random.default_rng(0).random(1000) * 1e3
    rounded = just_below(heights)
    assert rounded.dtype == np.float32
    assert (rounded <= heights).all()
    np.testing.assert_allclose(rounded, heights, rtol=1.3e-7)


# --- strata ---------------------------------------------------------------------------------------------------------


def test_beds_dip_where_they_should() -> None:
    strata = Strata(dip=45.0, dip_direction=90.0, folds=0.0)
    bed = lay_beds(Grid(5, 9, 10.0), strata, 1)
    np.testing.assert_allclose(np.diff(bed, axis=1), -10.0, rtol=1e-5)
    np.testing.assert_allclose(np.diff(bed, axis=0), 0.0, atol=1e-4)
    north = lay_beds(Grid(5, 9, 10.0), strata.replace(dip_direction=0.0), 1)
    np.testing.assert_allclose(np.diff(north, axis=0), -10.0, rtol=1e-5)


def test_beds_are_the_same_on_a_finer_grid() -> None:
    strata = Strata(folds=50.0, fold_wavelength=400.0)
    coarse, fine = lay_beds(Grid(41, 41, 20.0), strata, 1), lay_beds(Grid(81, 81, 10.0), strata, 1)
    np.testing.assert_allclose(fine[::2, ::2], coarse, atol=1e-3)
    assert np.ptp(coarse - lay_beds(Grid(41, 41, 20.0), strata.replace(folds=0.0), 1)) > 10.0


@pytest.mark.parametrize("contrast", [1.0, 4.0, 100.0])
def test_hardness_stays_within_its_contrast(contrast: float) -> None:
    above = np.linspace(-5000.0, 5000.0, 4000, dtype=np.float32).reshape(40, 100)
    hardness = np.empty_like(above)
    strata = Strata(contrast=contrast, thickness=50.0)
    measure_hardness(above, strata, 3, hardness)
    assert hardness.min() >= 1.0 / np.sqrt(contrast) * (1.0 - 1e-5)
    assert hardness.max() <= np.sqrt(contrast) * (1.0 + 1e-5)
    if contrast > 1.0:
        assert np.log(hardness).std() > 0.2 * np.log(contrast)
        # Within a bed all is alike: beds are 20 samples thick.
        assert (np.diff(hardness.ravel()) == 0.0).mean() > 0.7


@pytest.mark.parametrize("change", [np.rot90, np.flipud, np.fliplr, np.transpose])
@pytest.mark.parametrize("shape", [(97, 128), (65, 65)])
def test_mirrored_valleys_are_filled_as_mirrored(change: Callable[..., np.ndarray], shape: tuple[int, int]) -> None:
    terrain = land(shape)
    deposition = Deposition(supply=1.0)
    done = run(deposit_load(terrain, deposition)).terrain
    layers = [np.ascontiguousarray(change(layer)) for layer in (terrain.bedrock, terrain.sediment)]
    other = run(deposit_load(Terrain(layers[0], layers[1], terrain.cell_size), deposition)).terrain
    np.testing.assert_allclose(other.surface, change(done.surface), atol=1e-3)
