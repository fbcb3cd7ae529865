"""What holds for every stack of layers: it stays within the range known beforehand, and tiles equal the whole."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrain_addon.core.building.layers import (
    BLENDS,
    Inputs,
    Layer,
    Relief,
    Setting,
    apply_layer,
    height_range,
    stack_limits,
)
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.placement import Borders, Placement, borders_of
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.maps.masks import Everywhere, HeightMask, MapMask, NoiseMask, PaintedMask, SlopeMask
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import ALGORITHMS, MidpointDisplacement
from terrain_addon.core.relief.shaping import BORDERS, Shaping, shape_relief
from terrain_addon.core.relief.stored_heights import StoredHeights

pytestmark = pytest.mark.once

RANDOM = np.random.default_rng(5)
INPUTS = {
    "mesh:Rock": StoredField(RANDOM.normal(100.0, 300.0, (9, 12)).astype(np.float32), 25.0),
    "group:Lawn": StoredField(RANDOM.uniform(0.0, 1.0, (17, 17)).astype(np.float32)),
}

HEIGHTS = {"height": st.floats(0.0, 5000.0), "base_altitude": st.floats(-3000.0, 3000.0)}
LOCAL_SOURCES = st.one_of(
    st.builds(
        MidpointDisplacement,
        wavelength=st.floats(20.0, 900.0),
        smoothness=st.floats(0.0, 2.0),
        algorithm=st.sampled_from(sorted(ALGORITHMS)),
        **HEIGHTS,
    ),
    st.builds(
        StoredHeights,
        key=st.sampled_from(["mesh:Rock", "mesh:Gone"]),
        exaggeration=st.floats(-3.0, 3.0),
        placement=st.builds(Placement, fit=st.sampled_from(["stretched", "true_size"])),
    ),
)
LOCAL_MASKS = st.one_of(
    st.just(Everywhere()),
    st.builds(PaintedMask, key=st.just("group:Lawn"), invert=st.booleans()),
    st.builds(HeightMask, lower=st.floats(-900.0, 900.0), softness=st.floats(0.0, 900.0), invert=st.booleans()),
)
OTHER_MASKS = st.one_of(
    st.builds(NoiseMask, wavelength=st.floats(50.0, 900.0), coverage=st.floats(0.0, 1.0)),
    st.builds(SlopeMask, lower=st.floats(0.0, 90.0), softness=st.floats(0.0, 90.0)),
    st.just(MapMask()),
)
CURVES = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=4, max_size=4).map(
    lambda points: tuple(zip(sorted(x for x, _ in points), sorted(y for _, y in points)))
)
SHAPINGS = st.builds(
    Shaping,
    height_curve=st.one_of(st.just(Shaping().height_curve), CURVES),
    terracing=st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
    terrace_step=st.floats(1.0, 900.0),
    border=st.sampled_from(sorted(BORDERS)),
    falloff_width=st.floats(1.0, 900.0),
    border_altitude=st.floats(-900.0, 900.0),
    lowest=st.sampled_from([-1e6, -200.0]),
    highest=st.sampled_from([1e6, 700.0]),
)


def reliefs(sources: Any, masks: Any) -> Any:
    layers = st.builds(
        Layer,
        source=sources,
        blend=st.sampled_from(sorted(BLENDS)),
        opacity=st.floats(0.0, 1.0),
        softness=st.floats(0.0, 1000.0),
        mask=masks,
        variation=st.integers(0, 9),
    )
    return st.builds(Relief, layers=st.lists(layers, min_size=1, max_size=4).map(tuple), shaping=SHAPINGS)


def make(relief: Relief, grid: Grid, borders: Borders, inputs: Inputs = INPUTS) -> Field:
    land: Field | None = None
    limits = stack_limits(relief, inputs)
    humidity = np.full(grid.shape, 0.5, np.float32)
    for layer, below in zip(relief.layers, limits):
        land = apply_layer(
            land, layer, Setting(grid, 3, inputs, borders=borders, maps=lambda _: humidity), limits=below
        )
        land.flags.writeable = False
    return shape_relief(land, grid, borders, relief.shaping, limits[-1])


@given(reliefs(st.one_of(LOCAL_SOURCES, st.builds(FractalNoise, **HEIGHTS)), st.one_of(LOCAL_MASKS, OTHER_MASKS)))
@settings(max_examples=200)
def test_no_stack_leaves_the_range_known_beforehand(relief: Relief) -> None:
    grid = Grid(31, 37, 11.0, 5.0, -9.0)
    land = make(relief, grid, borders_of(grid))
    low, high = height_range(relief, INPUTS)
    largest = max(max(abs(low), abs(high)) for low, high in stack_limits(relief, INPUTS))
    slack = 1e-5 * largest + 1e-3
    assert np.isfinite(land).all()
    assert land.min() >= low - slack and land.max() <= high + slack


def test_a_step_in_the_height_curve_stays_within_the_range() -> None:
    step = Shaping(height_curve=((0.0, 0.0), (0.0, 0.0), (0.5, 0.0), (0.5, 1.0)))
    relief = Relief(layers=(Layer(source=StoredHeights(key="mesh:Rock")),), shaping=step)
    grid = Grid(31, 37, 11.0, 5.0, -9.0)
    assert make(relief, grid, borders_of(grid)).max() <= height_range(relief, INPUTS)[1] + 0.01


@given(st.sampled_from(["add", "subtract", "max", "min", "replace"]), st.floats(-3.0, 3.0), st.floats(0.0, 1.0))
def test_the_range_is_no_wider_than_it_must_be(blend: str, exaggeration: float, opacity: float) -> None:
    # Two layers of the same heights, or one turned over: both are at their ends in the same places.
    first = StoredHeights(key="mesh:Rock")
    second = StoredHeights(key="mesh:Rock", exaggeration=-abs(exaggeration) if blend == "subtract" else exaggeration)
    if blend != "subtract":
        second = second.replace(exaggeration=abs(exaggeration))
    relief = Relief(layers=(Layer(source=first), Layer(source=second, blend=blend, opacity=opacity)))
    grid = Grid(9, 12, 1.0)
    land = make(relief, grid, borders_of(grid))
    np.testing.assert_allclose((land.min(), land.max()), height_range(relief, INPUTS), rtol=1e-5, atol=1e-3)


@given(reliefs(LOCAL_SOURCES, LOCAL_MASKS), st.integers(1, 40), st.integers(1, 40), st.sampled_from([10.0, 12.5, 7.3]))
@settings(max_examples=60)
def test_tiles_equal_the_whole_byte_for_byte(relief: Relief, row: int, column: int, cell: float) -> None:
    grid = Grid(41, 41, cell, -12.0, 1000.5)
    borders = borders_of(grid)
    whole = make(relief, grid, borders)
    for south, north in ((0, row), (row, 41)):
        for west, east in ((0, column), (column, 41)):
            tile = make(relief, grid.window(south, west, north - south, east - west), borders)
            assert tile.tobytes() == whole[south:north, west:east].tobytes()


def test_a_tile_with_an_extent_of_its_own_is_an_island_of_its_own() -> None:
    relief = Relief(layers=(Layer(source=MidpointDisplacement()),), shaping=Shaping(border="square"))
    grid = Grid(41, 41, 100.0)
    tile = grid.window(10, 10, 21, 21)
    assert not np.array_equal(make(relief, tile, borders_of(tile)), make(relief, tile, borders_of(grid)))
    np.testing.assert_array_equal(make(relief, tile, borders_of(tile))[0], np.float32(-50.0))


@given(CURVES)
def test_higher_land_stays_higher_under_any_height_curve(curve: Any) -> None:
    grid = Grid(1, 1001, 1.0)
    rising = np.linspace(-200.0, 800.0, 1001, dtype=np.float32)[np.newaxis]
    shaped = shape_relief(rising, grid, borders_of(grid), Shaping(height_curve=curve), (-200.0, 800.0))
    assert np.diff(shaped[0]).min() >= -1e-3
    x, y = np.array(Shaping(height_curve=curve).height_curve).T
    if np.diff(x).min() > 0.01:
        heights = np.array([-200.0 + 1000.0 * x], np.float32)
        through = shape_relief(heights, Grid(1, 4, 1.0), borders_of(grid), Shaping(height_curve=curve), (-200.0, 800.0))
        np.testing.assert_allclose(through[0], -200.0 + 1000.0 * y, atol=0.1)


@given(st.floats(0.0, 1.0), st.floats(0.5, 300.0))
def test_terraces_neither_turn_the_land_over_nor_move_it_further_than_a_step(terracing: float, step: float) -> None:
    grid = Grid(1, 1001, 1.0)
    rising = np.linspace(-300.0, 900.0, 1001, dtype=np.float32)[np.newaxis]
    shaping = Shaping(terracing=terracing, terrace_step=step)
    shaped = shape_relief(rising, grid, borders_of(grid), shaping, (-300.0, 900.0))
    assert np.diff(shaped[0]).min() >= -1e-3
    assert np.abs(shaped - rising).max() <= 0.5 * step + 1e-3


def test_one_and_two_threads_make_the_same_bytes() -> None:
    relief = Relief(
        layers=(
            Layer(source=MidpointDisplacement(wavelength=300.0)),
            Layer(source=FractalNoise(wavelength=200.0), blend="smooth_max", mask=SlopeMask()),
            Layer(source=StoredHeights(key="mesh:Rock"), blend="screen", mask=NoiseMask(wavelength=300.0)),
        ),
        shaping=Shaping(terracing=0.5, border="round", height_curve=((0.0, 0.1), (0.3, 0.2), (0.6, 0.9), (1.0, 1.0))),
    )
    grid = Grid(99, 97, 7.0)
    threads = thread_count()
    results = []
    try:
        for count in {1, threads}:
            set_thread_count(count)
            results.append(make(relief, grid, borders_of(grid)).tobytes())
    finally:
        set_thread_count(threads)
    assert results[0] == results[-1]
