"""A quick look at what is drawn: it shows the drawing, comes near the land that will be, and keeps untouched roads."""

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.building.quick_drawing import quick_steps
from terrain_addon.core.direction.road_course import describe_road
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.relief.fractal_noise import FractalNoise

pytestmark = pytest.mark.once

LAND = core.Recipe(
    width=4000.0,
    depth=4000.0,
    resolution=65,
    relief=Relief.of(FractalNoise(wavelength=3000.0, height=900.0, base_altitude=200.0)),
    erosion=(StreamPower(),),
)
ROAD = core.Road(points=((400.0, 400.0), (3600.0, 900.0)), longest_bridge=1e5, longest_tunnel=1e5)


def ridge(x: float) -> core.Ridge:
    return core.Ridge(points=((x, 1500.0, 1900.0), (x, 3000.0, 1900.0)))


def quick(
    recipe: core.Recipe, cache: core.Cache, roads: tuple = (), before: tuple = (), *, careful: bool = False
) -> tuple[core.Landscape, int]:
    """The land, and how many steps it took."""
    steps = []
    looking = quick_steps(recipe, before=before, inputs={}, cache=cache, roads=roads, careful=careful)
    return run(looking, steps.append), len(steps)


def test_the_drawing_is_seen_and_only_its_own_erosion_is_sketched_again() -> None:
    cache = core.Cache()
    one, first = quick(LAND.replace(features=(ridge(1000.0),)), cache)
    other, second = quick(LAND.replace(features=(ridge(3000.0),)), cache)
    assert second < first / 2
    for land, x in ((one, 1000.0), (other, 3000.0)):
        assert float(land.terrain.surface[32, round(x / land.terrain.cell_size)]) == pytest.approx(1900.0, abs=20.0)
    # Where nothing is drawn the land stays.
    assert np.abs(one.terrain.surface - other.terrain.surface)[:, 31:34].max() < 200.0


def test_the_land_beside_a_moved_river_comes_near_to_what_it_will_be() -> None:
    land = LAND.replace(resolution=321)
    old, new = (
        land.replace(features=(core.River(points=((300.0, 3700.0), (x, 2000.0), (3700.0, 100.0))),))
        for x in (2000.0, 2400.0)
    )
    cache = core.Cache()
    shown = core.build(old, cache=cache, extent="terrain").terrain.surface
    rest = core.build(new, extent="terrain").terrain.surface
    looks = [quick(new, cache, before=old.features, careful=careful)[0].terrain.surface for careful in (False, True)]
    stays, sketched, careful = (float(np.sqrt(np.mean((one - rest) ** 2))) for one in (shown, *looks))
    assert stays > 0.05 * np.ptp(rest)
    assert sketched < 0.7 * stays
    assert careful < 0.03 * np.ptp(rest) and careful < 0.4 * stays
    # No water stands where a coarse change leaves a hollow, which erosion would have filled.
    flooded = [float((fill_depressions(one) - one > 0.5).mean()) for one in (*looks, rest)]
    assert max(flooded[:2]) < flooded[2] + 0.01


def apart(one: core.Landscape, other: core.Landscape, x: float) -> float:
    """Root mean square between two lands farther from a line than `x`, as a share of the relief."""
    away = np.abs(np.arange(65) * one.terrain.cell_size - 2000.0) > x
    change = (one.terrain.surface - other.terrain.surface)[:, away]
    return float(np.sqrt(np.mean(change**2)) / np.ptp(other.terrain.surface))


def test_where_nothing_is_drawn_the_land_that_is_shown_stays() -> None:
    cache, before = core.Cache(), (ridge(1900.0),)
    shown = core.build(LAND.replace(features=before), cache=cache, extent="terrain")
    looked, _ = quick(LAND.replace(features=(ridge(2100.0),)), cache, before=before)
    assert apart(looked, shown, 1000.0) < 0.01
    # The ridge itself has moved, and has left its old place.
    height, column = looked.terrain.surface[32], round(1900.0 / looked.terrain.cell_size)
    assert float(height[column + 3 :].max()) == pytest.approx(1900.0, abs=20.0)
    assert float(height[column]) < float(shown.terrain.surface[32, column]) - 10.0


def test_a_dragged_road_lies_on_the_land_that_it_will_have() -> None:
    cache, moved = core.Cache(), ROAD.replace(points=((400.0, 600.0), (3600.0, 900.0)))
    shown = core.build(LAND.replace(features=(ROAD,)), cache=cache, extent="terrain")
    looked, _ = quick(LAND.replace(features=(moved,)), cache, shown.roads, (ROAD,))
    rest = core.build(LAND.replace(features=(moved,)), cache=cache, extent="terrain")
    same = np.abs(looked.terrain.surface - rest.terrain.surface) < 1e-3
    assert same.mean() > 0.8
    (line,) = (one.line for one in looked.roads)
    assert describe_road(looked.roads[0]).startswith("Sketch, not within its limits yet: ")
    assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == pytest.approx((400.0, 600.0, 3600.0, 900.0))


def test_the_look_is_what_the_land_becomes_where_nothing_erodes() -> None:
    recipe = LAND.replace(erosion=(), features=(ridge(1000.0),))
    built = core.build(recipe, extent="terrain").terrain
    looked, _ = quick(recipe, core.Cache())
    np.testing.assert_allclose(looked.terrain.surface, built.surface, atol=1.0)


def test_a_road_that_was_not_touched_keeps_its_way() -> None:
    built = core.build(LAND.replace(features=(ROAD,)), extent="terrain")
    (course,) = built.roads
    looked, _ = quick(LAND.replace(features=(ROAD, ridge(1000.0))), core.Cache(), built.roads)
    assert looked.roads[0].line.x.tobytes() == course.line.x.tobytes()
    assert "Sketch" not in describe_road(looked.roads[0])
    moved = ROAD.replace(points=((400.0, 800.0), (3600.0, 900.0)))
    looked, _ = quick(LAND.replace(features=(moved,)), core.Cache(), built.roads)
    assert looked.roads[0].line.y[0] == pytest.approx(800.0)


def test_what_cannot_be_drawn_is_refused_as_ever() -> None:
    uphill = core.River(points=((0.0, 0.0, 300.0), (900.0, 900.0, 320.0)))
    with pytest.raises(ValueError, match="would run uphill"):
        quick(LAND.replace(features=(uphill,)), core.Cache())


def test_moving_a_road_erodes_nothing_again() -> None:
    cache, steps = core.Cache(), []
    core.build(LAND.replace(features=(ROAD,)), cache=cache)
    moved = ROAD.replace(points=((400.0, 800.0), (3600.0, 900.0)))
    core.build(LAND.replace(features=(moved,)), cache=cache, report=lambda progress: steps.append(progress.stage))
    assert "roads and pads" in steps and not [one for one in steps if "erosion" in one or "relief" in one], steps
