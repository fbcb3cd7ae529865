"""Laws of rivers that cut into rising land; most are asked of the bare solver, in metres and years."""

import math
from itertools import pairwise

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.erosion import stream_power
from terrain_addon.core.erosion.river_incision import Conditions, RiverIncision, drop_after_incision
from terrain_addon.core.erosion.stream_power import StreamPower, age_land, erode_by_stream_power, land_at_age
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.routing import route_flow
from terrain_addon.core.foundation.levels import coarsen, refine, shapes_from_coarse
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Field, Grid, Terrain
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise

pytestmark = pytest.mark.once


def incise(
    height: np.ndarray,
    *,
    cell_size: float = 100.0,
    years: float,
    steps: int,
    uplift: float = 0.0,
    erodibility: float = 1e-5,
    m: float = 0.45,
    n: float = 1.0,
    rain: Field | None = None,
    sediment: Field | None = None,
    steepest: Field | None = None,
) -> tuple[np.ndarray, float, float]:
    """Run the solver with its border held; returns heights and what rose and left, in metres summed over cells."""
    height = height.astype(np.float64).copy()
    shape = height.shape
    solver = RiverIncision(Grid(*shape, cell_size), m, n, rain)
    loose = np.zeros(shape, np.float32) if sediment is None else sediment
    conditions = Conditions(
        np.full(shape, uplift, np.float32),
        np.float32(erodibility),
        lambda: np.ones(shape, np.float32),
        None if steepest is None else lambda hardness: steepest,
    )
    risen = left = 0.0
    for _ in range(steps):
        rose, went = solver.step(height, loose, years / steps, conditions)
        risen, left = risen + rose, left + went
    return height, risen, left


def noise(rows: int, columns: int, seed: int = 0, height: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).random((rows, columns)) * height


def land(size: int, seed: int = 1, width: float = 4000.0, height: float = 1800.0) -> Terrain:
    grid = Grid(size, size, width / (size - 1))
    surface = make_fractal_noise(grid, FractalNoise(wavelength=0.8 * width, height=height), seed)
    return Terrain(surface, np.zeros_like(surface), grid.cell_size)


def slope_and_area(height: np.ndarray, cell_size: float) -> tuple[np.ndarray, np.ndarray]:
    routes = route_flow(height, cell_size)
    flat = height.ravel()
    cells = np.flatnonzero(routes.receivers != np.arange(flat.size))
    below = routes.receivers[cells]
    columns = height.shape[1]
    diagonal = (cells // columns != below // columns) & (cells % columns != below % columns)
    slope = (flat[cells] - flat[below]) / (cell_size * np.where(diagonal, math.sqrt(2.0), 1.0))
    return slope, drainage_area(routes).ravel()[cells]


# --- the law --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(0.45, 1.0), (0.3, 1.0), (0.9, 2.0), (0.4, 0.8), (0.7, 1.5)])
def test_steady_slopes_follow_drainage_area(m: float, n: float) -> None:
    uplift, erodibility = 1e-3, 1e-5
    height, _, _ = incise(noise(48, 48), years=4e7, steps=800, uplift=uplift, erodibility=erodibility, m=m, n=n)
    slope, area = slope_and_area(height, 100.0)
    exponent, intercept = np.polyfit(np.log(area), np.log(slope), 1)
    assert exponent == pytest.approx(-m / n, abs=0.02)
    assert math.exp(intercept) == pytest.approx((uplift / erodibility) ** (1.0 / n), rel=0.05)


def test_slopes_of_noise_follow_no_law_and_those_of_the_young_not_yet() -> None:
    for height in (noise(48, 48), incise(noise(48, 48), years=2e4, steps=20, uplift=1e-3)[0]):
        slope, area = slope_and_area(height, 100.0)
        downhill = slope > 0.0
        assert abs(np.corrcoef(np.log(area[downhill]), np.log(slope[downhill]))[0, 1]) < 0.95


def ramp(columns: int, slope: float) -> np.ndarray:
    """One river between two held border rows, down to the west; its eastern end is far above."""
    height = np.full((3, columns), 1e6)
    height[1, :-1] = np.arange(columns - 1) * slope
    return height


def test_steady_profile_of_one_river() -> None:
    # A = (L − x) dx along the river, whose border is held far above but for its mouth.
    dx, columns, uplift, erodibility = 100.0, 40, 1e-3, 1e-5
    height, _, _ = incise(ramp(columns, 1.0), years=5e6, steps=500, uplift=uplift, erodibility=erodibility)
    area = np.arange(columns - 2, 0, -1) * dx * dx
    expected = np.cumsum(uplift / erodibility * area**-0.45 * dx)
    np.testing.assert_allclose(height[1, 1:-1], expected, rtol=1e-4)


def test_knickpoint_runs_upstream_at_the_speed_of_the_law() -> None:
    # A step of 50 m at the mouth of a river with everywhere the same area: m = 0, so that its speed is K.
    dx, columns, speed = 100.0, 400, 0.05
    start = ramp(columns, 0.01)
    start[1, 1:-1] += 50.0
    places = []
    for years in (1e5, 3e5):
        height, _, _ = incise(start, years=years, steps=1000, erodibility=speed, m=0.0)
        middle = height[1, :-1] - np.arange(columns - 1) * 0.01 < 25.0
        places.append(np.flatnonzero(~middle)[0] * dx)
    assert places[1] - places[0] == pytest.approx(speed * 2e5, rel=0.03)


def test_knickpoint_speed_grows_with_rain() -> None:
    start = ramp(400, 0.01)
    start[1, 1:-1] += 50.0
    rain = np.full(start.shape, 4.0, np.float32)
    once, _, _ = incise(start, years=2e5, steps=200, erodibility=5e-4, m=0.5)
    wet, _, _ = incise(start, years=1e5, steps=200, erodibility=5e-4, m=0.5, rain=rain)
    np.testing.assert_allclose(wet[1, 1:-1], once[1, 1:-1], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n", [0.5, 0.8, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("conductance", [0.0, 1e-12, 1e-3, 1.0, 1e6, 1e100, 1e300, math.inf])
@pytest.mark.parametrize("drop", [0.0, 1e-300, 1e-9, 1.0, 1e4])
def test_drop_solves_its_equation(n: float, conductance: float, drop: float) -> None:
    x = drop_after_incision(drop, conductance, n)
    assert 0.0 <= x <= drop
    if 0.0 < conductance < 1e50 and drop > 1e-200:
        assert x + conductance * x**n == pytest.approx(drop, rel=1e-9)
    if conductance == 0.0:
        assert x == drop


@pytest.mark.parametrize("n", [0.7, 1.0, 2.0])
def test_mass_is_balanced(n: float) -> None:
    start = noise(40, 56, height=300.0)
    sediment = np.full(start.shape, 5.0, np.float32)
    height, risen, left = incise(start, years=2e5, steps=20, uplift=1e-3, n=n, m=0.45 * n, sediment=sediment)
    assert height.sum() - start.sum() == pytest.approx(risen - left, abs=1e-9 * start.sum())
    assert left > 0.1 * start.sum() / 100.0
    assert sediment.min() >= 0.0
    assert sediment.max() > 0.0


def test_sediment_goes_before_rock() -> None:
    start = noise(40, 40, height=300.0)
    sediment = np.full(start.shape, 5.0, np.float32)
    height, _, _ = incise(start, years=1e4, steps=1, sediment=sediment)
    cut = start - height
    slightly = (cut > 0.0) & (cut < 5.0)
    assert slightly.any()
    np.testing.assert_allclose(sediment[slightly], 5.0 - cut[slightly], atol=1e-5)
    assert (sediment[cut >= 5.0] == 0.0).all()


def test_lakes_silt_up_and_keep_their_mud() -> None:
    start = np.full((21, 21), 10.0)
    start[1:-1, 1:-1] = 30.0 + noise(19, 19)
    start[8:13, 8:13] = 1.0
    sediment = np.zeros(start.shape, np.float32)
    height, _, _ = incise(start, years=3e3, steps=3, sediment=sediment)
    lake = (slice(9, 12), slice(9, 12))
    assert (height[lake] > start[lake]).all()
    np.testing.assert_allclose(sediment[lake], (height - start)[lake], rtol=1e-5)


def test_silted_plains_rise_from_their_outlet() -> None:
    start = np.full((41, 41), 800.0) + noise(41, 41)
    start[5:36, 5:36] = 1.0
    start[20, 36:] = 40.0
    grid, nothing = Grid(41, 41, 100.0), np.zeros((41, 41), np.float32)
    # So much time that what is cut fills the lake at once.
    heights = []
    for slope in (0.0, 0.01):
        height, sediment = start.copy(), nothing.copy()
        solver = RiverIncision(grid, 0.45, 1.0)
        conditions = Conditions(nothing, np.float32(1e-4), lambda: np.ones_like(nothing), plain_slope=slope)
        solver.step(height, sediment, 1e6, conditions)
        heights.append(height[5:36, 5:36])
    assert np.ptp(heights[0]) < 1e-6
    distance = np.hypot(*np.mgrid[-15:16, -30:1]) * 100.0
    np.testing.assert_allclose(np.diff(heights[1][15]), -1.0, atol=0.05)
    assert np.corrcoef(heights[1].ravel(), distance.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("turn", [np.flipud, np.fliplr, np.transpose, np.rot90])
def test_turned_land_gives_turned_land(turn) -> None:
    # Without depressions: those silt up to flats, on which no way is steeper than another.
    y, x = np.mgrid[-1.0:1.0:33j, -1.0:1.0:33j]
    start = 1000.0 * (1.5 - np.hypot(x, y)) + noise(33, 33, height=20.0)
    options = {"years": 1e5, "steps": 10, "uplift": 1e-3}
    straight, _, _ = incise(start, **options)
    turned, _, _ = incise(np.ascontiguousarray(turn(start)), **options)
    np.testing.assert_allclose(turned, turn(straight), atol=1e-6)
    assert np.abs(turned - straight).max() > 1.0


def test_half_the_step_gives_the_same_land() -> None:
    # Smooth land, so that its routes do not hang on rounding.
    y, x = np.mgrid[-1.0:1.0:33j, -1.0:1.0:33j]
    start = 500.0 * (1.0 - x * x) * (1.0 - 0.6 * y * y) + 40.0 * np.sin(7.0 * x + 2.0 * y)
    lands = [incise(start, years=1e5, steps=steps)[0] for steps in (50, 100, 200)]
    first, second = (np.abs(lands[i + 1] - lands[i]).mean() for i in (0, 1))
    assert second < 0.7 * first
    assert second < 0.01 * (start - lands[2]).mean()


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (3, 3), (17, 5)])
@pytest.mark.parametrize("n", [0.5, 1.0, 3.0])
def test_any_land_stays_finite(shape: tuple[int, int], n: float) -> None:
    for start in (np.zeros(shape), noise(*shape, height=1e4), -noise(*shape, height=1e4)):
        for erodibility in (0.0, 1e-5, 1e30):
            height, _, _ = incise(start, years=1e6, steps=3, uplift=1e-3, erodibility=erodibility, n=n)
            assert np.isfinite(height).all()
            assert height.min() >= start.min()


# --- the process ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [60, 150, 300])
@pytest.mark.parametrize("age", [0.1, 1.0, 3.0])
def test_mass_balance_of_the_process(size: int, age: float) -> None:
    terrain = land(size)
    terrain = Terrain(terrain.bedrock, np.full_like(terrain.bedrock, 2.0), terrain.cell_size)
    eroded = run(erode_by_stream_power(terrain, StreamPower(age=age)))
    balance = eroded.balance
    assert abs(balance.error) <= 1e-9 * balance.before
    assert balance.left > 0.0
    assert balance.uplifted > 0.0
    stored = (eroded.terrain.bedrock.astype(np.float64) + eroded.terrain.sediment).sum() * terrain.cell_size**2
    assert stored == pytest.approx(balance.after, rel=1e-6)


def test_no_age_leaves_the_land_alone_and_little_age_changes_little() -> None:
    terrain = land(200)
    height = np.ptp(terrain.surface)
    assert (run(erode_by_stream_power(terrain, StreamPower(age=0.0))).terrain.surface == terrain.surface).all()
    changes = [
        np.abs(run(erode_by_stream_power(terrain, StreamPower(age=age, uplift=0.0))).terrain.surface - terrain.surface)
        for age in (0.001, 0.01, 0.1, 1.0)
    ]
    means = [change.mean() / height for change in changes]
    assert means == sorted(means)
    assert means[0] < 0.02 < means[3]


def test_plains_stay_plains() -> None:
    flat = np.full((140, 140), 7.5, np.float32)
    terrain = Terrain(flat, np.zeros_like(flat), 10.0)
    eroded = run(erode_by_stream_power(terrain, StreamPower()))
    assert (eroded.terrain.surface == flat).all()
    assert land_at_age(run(age_land(terrain, StreamPower())), 2.0) is not None
    assert (run(land_at_age(run(age_land(terrain, StreamPower())), 2.0)).terrain.surface == flat).all()


def test_ages_are_the_same_whatever_was_asked_before() -> None:
    terrain, process = land(200), StreamPower(age=0.7)
    direct = {age: run(erode_by_stream_power(terrain, process.replace(age=age), seed=5)) for age in (0.03, 0.7, 2.0)}
    history = run(age_land(terrain, process, seed=5))
    for age in (2.0, 0.03, 0.7, 2.0):
        again = run(land_at_age(history, age))
        assert again.terrain.bedrock.tobytes() == direct[age].terrain.bedrock.tobytes()
        assert again.terrain.sediment.tobytes() == direct[age].terrain.sediment.tobytes()
        assert again.balance == direct[age].balance
    assert direct[0.7].terrain.bedrock.tobytes() != direct[2.0].terrain.bedrock.tobytes()


def test_height_only_scales_a_land_without_steep_slopes() -> None:
    low = land(150, height=40.0)
    high = Terrain(low.bedrock * 3.0, low.sediment, low.cell_size)
    first = run(erode_by_stream_power(low, StreamPower()))
    second = run(erode_by_stream_power(high, StreamPower()))
    difference = np.abs(second.terrain.surface / 3.0 - first.terrain.surface)
    assert np.median(difference) < 0.01 * np.ptp(first.terrain.surface)


@pytest.mark.parametrize("moment", [0, 3, 60, 75])
def test_finishing_early_leaves_a_whole_land(moment: int) -> None:
    terrain = land(200)
    steps = erode_by_stream_power(terrain, StreamPower())
    share = next(steps)
    for _ in range(moment):
        following = next(steps)
        assert share <= following <= 1.0
        share = following
    with pytest.raises(StopIteration) as end:
        steps.send(True)
    eroded = end.value.value
    assert eroded.terrain.surface.shape == terrain.surface.shape
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_a_preview_looks_like_the_final_land(seed: int) -> None:
    lands = [run(erode_by_stream_power(land(size, seed=seed), StreamPower())).terrain for size in (180, 480)]
    preview, final = lands[0].surface, coarsen(lands[1].surface, lands[0].surface.shape)
    likeness = np.corrcoef(preview.ravel(), final.ravel())[0, 1]
    assert likeness > 0.97
    start = coarsen(land(480, seed=seed).surface, preview.shape)
    assert np.corrcoef(preview.ravel(), start.ravel())[0, 1] < 0.9


def test_walls_that_hold_by_their_rock_have_chutes_and_ribs() -> None:
    # A smooth cone, steeper than soft rock holds: without joints its sides became planes with the edges of the grid.
    y, x = np.mgrid[-1.0:1.0:257j, -1.0:1.0:257j]
    cone = np.maximum(1200.0 * (1.0 - np.hypot(x, y)), 0.0).astype(np.float32)
    terrain = Terrain(cone, np.zeros_like(cone), 10.0)
    eroded = run(erode_by_stream_power(terrain, StreamPower(age=0.12, rockiness=0.0, uplift=0.1), seed=3))
    surface = eroded.terrain.surface.astype(np.float64)
    bend = np.abs(
        surface[2:, 1:-1] + surface[:-2, 1:-1] + surface[1:-1, 2:] + surface[1:-1, :-2] - 4 * surface[1:-1, 1:-1]
    )
    south, east = np.gradient(surface, 10.0)
    held = np.hypot(south, east)[1:-1, 1:-1] > math.tan(math.radians(22.0))
    assert held.mean() > 0.1
    # Of such ground, little is as flat as a plane.
    assert (bend[held] < 0.1).mean() < 0.2


def test_rain_hardness_and_uplift_act_where_they_are() -> None:
    terrain, shape = land(150, seed=3), (150, 150)
    west = np.broadcast_to(np.arange(150) < 75, shape)
    plain = run(erode_by_stream_power(terrain, StreamPower(uplift_pattern="uniform"))).terrain.surface
    for name, more, sign in (("rain", 3.0, -1.0), ("hardness", 3.0, 1.0), ("uplift", 2.0, 1.0)):
        field = np.where(west, more, 1.0).astype(np.float32)
        changed = run(erode_by_stream_power(terrain, StreamPower(uplift_pattern="uniform"), **{name: field}))
        change = changed.terrain.surface - plain
        assert sign * change[:, 10:65].mean() > 5.0
        assert sign * change[:, 10:65].mean() > 3.0 * abs(change[:, 85:140].mean())


def test_the_sea_keeps_what_it_covers() -> None:
    terrain = land(150)
    level = float(np.quantile(terrain.surface, 0.3))
    eroded = run(erode_by_stream_power(terrain, StreamPower(rockiness=1.0), sea_level=level))
    deep = terrain.surface < level - 40.0
    assert deep.sum() > 100
    assert np.abs(eroded.terrain.surface - terrain.surface)[deep].mean() < 5.0
    assert abs(eroded.balance.error) <= 1e-9 * eroded.balance.before


@pytest.mark.parametrize("contrast", [1.0, 8.0])
def test_rock_that_is_laid_anew_in_each_step_is_the_same(contrast: float, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, process = land(141), StreamPower(age=0.3)
    process = process.replace(strata=process.strata.replace(contrast=contrast))
    hardness = np.linspace(0.5, 4.0, whole.surface.size, dtype=np.float32).reshape(whole.surface.shape)
    kept = run(erode_by_stream_power(whole, process, seed=3, hardness=hardness)).terrain
    monkeypatch.setattr(stream_power, "LARGE_GRID", 0)
    anew = run(erode_by_stream_power(whole, process, seed=3, hardness=hardness)).terrain
    np.testing.assert_array_equal(anew.surface, kept.surface)


def test_strata_make_a_difference_and_move_with_the_seed() -> None:
    terrain = land(150)
    process = StreamPower()
    layered = process.replace(strata=process.strata.replace(contrast=8.0))
    lands = [
        run(erode_by_stream_power(terrain, p, seed=s)).terrain for p, s in ((process, 1), (layered, 1), (layered, 2))
    ]
    assert len({t.bedrock.tobytes() for t in lands}) == 3


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (3, 3), (300, 7), (7, 300)])
def test_odd_shapes_come_out_finite(shape: tuple[int, int]) -> None:
    surface = noise(*shape, height=100.0).astype(np.float32)
    eroded = run(erode_by_stream_power(Terrain(surface, np.zeros_like(surface), 5.0), StreamPower()))
    assert np.isfinite(eroded.terrain.surface).all()
    assert abs(eroded.balance.error) <= 1e-9 * abs(eroded.balance.before)


@pytest.mark.parametrize(
    "changes",
    [
        {"strength": 100.0},
        {"strength": 0.0},
        {"slope_exponent": 0.5},
        {"slope_exponent": 3.0},
        {"rockiness": 0.0},
        {"age": 10.0},
        {"drainage_exponent": 0.0},
    ],
)
def test_extreme_settings_stay_finite(changes: dict[str, float]) -> None:
    eroded = run(erode_by_stream_power(land(80), StreamPower(**changes)))
    assert np.isfinite(eroded.terrain.surface).all()
    assert np.ptp(eroded.terrain.surface) < 2.5 * np.ptp(land(80).surface)


@pytest.mark.parametrize(
    ("name", "field", "message"),
    [
        ("rain", np.full((3, 3), 1.0, np.float32), "rain has shape"),
        ("rain", np.full((60, 60), -1.0, np.float32), "rain = -1.0 is below 0"),
        ("hardness", np.zeros((60, 60), np.float32), "hardness = 0.0 is not above 0"),
        ("sea_level", math.nan, "sea_level = nan"),
    ],
)
def test_bad_maps_are_refused(name: str, field: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(erode_by_stream_power(land(60), StreamPower(), **{name: field}))
    with pytest.raises(ValueError, match=r"outside 0\.0 to 10\.0"):
        run(land_at_age(run(age_land(land(40), StreamPower())), 11.0))


# --- grids ----------------------------------------------------------------------------------------------------------


def test_all_resolutions_start_from_the_same_grid() -> None:
    starts = {shapes_from_coarse((size, size))[0] for size in (512, 513, 1024, 2048, 4097)}
    assert starts == {(129, 129)}
    assert shapes_from_coarse((100, 100)) == [(100, 100)]
    assert shapes_from_coarse((2000, 3)) == [(2000, 3)]
    for shape in ((513, 513), (700, 300)):
        shapes = shapes_from_coarse(shape)
        assert shapes[-1] == shape
        assert all(small[0] < large[0] for small, large in pairwise(shapes))


def test_coarse_grids_keep_planes_and_lose_noise() -> None:
    y, x = np.mgrid[0:97, 0:65]
    plane = (3.0 * x + 2.0 * y + 5.0).astype(np.float32)
    coarse = coarsen(plane, (25, 17))
    expected = 12.0 * np.arange(17) + 8.0 * np.arange(25)[:, np.newaxis] + 5.0
    np.testing.assert_allclose(coarse[1:-1, 1:-1], expected[1:-1, 1:-1], rtol=1e-5)
    assert coarsen(noise(97, 65).astype(np.float32), (25, 17)).std() < 0.5 * noise(97, 65).std()
    np.testing.assert_allclose(refine(expected.astype(np.float32), (97, 65)), plane, rtol=1e-5)


@pytest.mark.parametrize(("preset", "seed"), [("alpine", 44), ("mesa_and_canyon", 44), ("fractal_peaks", 2)])
def test_no_rim_stands_around_a_land(preset: str, seed: int) -> None:
    recipe = core.Recipe.preset(preset, seed=seed, resolution=257)
    surface = core.build(recipe, extent="terrain").terrain.surface
    side = np.arange(257)
    inwards = np.minimum(side, 256 - side)
    away = np.minimum(inwards[:, None], inwards[None])
    outermost, farther_in = (float(surface[away == ring].mean()) for ring in (0, 5))
    assert abs(outermost - farther_in) < 0.04 * np.ptp(surface)
