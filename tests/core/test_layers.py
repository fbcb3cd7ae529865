"""Stacks of layers, and shaping, small enough to be solved by hand."""

from typing import Any

import numpy as np
import pytest

from terrain_addon.core.building.layers import (
    BLENDS,
    Layer,
    Relief,
    Setting,
    apply_layer,
    height_range,
    inputs_of,
    missing_inputs,
    stack_limits,
)
from terrain_addon.core.foundation.placement import Placement
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.maps.masks import HeightMask, MapMask, PaintedMask
from terrain_addon.core.relief.elevation_model import ElevationModel, sample_elevation
from terrain_addon.core.relief.fractal_noise import FractalNoise
from terrain_addon.core.relief.midpoint_displacement import MidpointDisplacement
from terrain_addon.core.relief.shaping import Shaping, shape_relief, shaped_limits
from terrain_addon.core.relief.stored_heights import StoredHeights

GRID = Grid(1, 4, 10.0)
EXTENT = (0.0, 0.0, 30.0, 0.0)
BELOW = np.array([[0.0, 100.0, 200.0, 400.0]], np.float32)
# A layer from −50 to 150 m: shares 0, ¼, ½ and 1 of its range.
OWN = np.array([[-50.0, 0.0, 50.0, 150.0]], np.float32)
INPUTS = {"mesh:Own": StoredField(OWN)}


def layer(**values: Any) -> Layer:
    return Layer(**{"source": StoredHeights(key="mesh:Own"), **values})


def apply(below: Field | None, one: Layer, **values: Any) -> list[float]:
    return apply_layer(below, one, Setting(GRID, 1, INPUTS, **values), limits=(-100.0, 500.0))[0].tolist()


EXPECTED = {
    "add": [-50, 100, 250, 550],
    "subtract": [50, 100, 150, 250],
    # From −100 up: 100 · 0, 200 · ¼, 300 · ½, 500 · 1.
    "multiply": [-100, -50, 50, 400],
    # From 500 down: 500 · 1, 400 · ¾, 300 · ½, 100 · 0.
    "screen": [0, 200, 350, 500],
    "min": [-50, 0, 50, 150],
    "max": [0, 100, 200, 400],
    # Rounded within 200 m: by (200 − 50)²/800, (200 − 100)²/800, (200 − 150)²/800 and 0.
    "smooth_min": [-50 - 28.125, -12.5, 50 - 3.125, 150],
    "smooth_max": [28.125, 112.5, 203.125, 400],
    "replace": [-50, 0, 50, 150],
}


@pytest.mark.parametrize("blend", BLENDS)
def test_blends_by_hand(blend: str) -> None:
    one = layer(blend=blend, softness=200.0)
    np.testing.assert_allclose(apply(BELOW, one), EXPECTED[blend], rtol=1e-6)
    # A quarter of the way to it; and only where the land beneath is 200 m and higher.
    part = layer(blend=blend, softness=200.0, opacity=0.25, mask=HeightMask(lower=200.0, softness=0.0))
    quarter = BELOW[0] + 0.25 * (np.array(EXPECTED[blend]) - BELOW[0])
    np.testing.assert_allclose(apply(BELOW, part), np.where(BELOW[0] >= 200.0, quarter, BELOW[0]), rtol=1e-6)


@pytest.mark.parametrize("blend", BLENDS)
def test_the_land_beneath_is_not_changed(blend: str) -> None:
    below = BELOW.copy()
    below.flags.writeable = False
    result = apply_layer(below, layer(blend=blend), Setting(GRID, 1, INPUTS), limits=(0.0, 400.0))
    np.testing.assert_array_equal(below, BELOW)
    assert not np.shares_memory(result, below)
    assert not np.shares_memory(result, INPUTS["mesh:Own"].heights)


def test_what_replaces_in_full_is_exact() -> None:
    rough = np.random.default_rng(1).normal(3000.0, 900.0, (60, 70)).astype(np.float32)
    below = np.random.default_rng(2).normal(-7000.0, 900.0, (60, 70)).astype(np.float32)
    for ground in (None, below):
        one = layer(blend="replace", source=StoredHeights(key="attribute:sculpted"))
        result = apply_layer(ground, one, Setting(Grid(60, 70, 3.7), 1, {"attribute:sculpted": StoredField(rough)}))
        np.testing.assert_array_equal(result, rough)


def test_beneath_the_first_layer_the_land_is_level_at_zero() -> None:
    assert apply(None, layer()) == OWN[0].tolist()
    assert apply(None, layer(blend="subtract")) == (-OWN[0]).tolist()
    assert apply(None, layer(opacity=0.5)) == (0.5 * OWN[0]).tolist()
    assert apply(None, layer(enabled=False)) == [0.0] * 4


def test_a_layer_without_its_inputs_is_left_out_and_the_rest_works() -> None:
    gone = ElevationModel(path="gone.npz")
    broken = layer(source=gone, mask=PaintedMask(key="group:Lawn"))
    assert missing_inputs(broken, INPUTS) == ("gone.npz", "group:Lawn")
    assert missing_inputs(layer(), INPUTS) == ()
    assert missing_inputs(layer(mask=PaintedMask(key="group:Lawn")), INPUTS) == ("group:Lawn",)
    np.testing.assert_array_equal(apply_layer(BELOW, broken, Setting(GRID, 1, INPUTS)), BELOW)
    np.testing.assert_array_equal(apply_layer(None, broken, Setting(GRID, 1, {})), 0.0 * BELOW)
    relief = Relief(layers=(layer(), broken, layer(enabled=False, source=StoredHeights(key="off")), layer()))
    assert inputs_of(relief) == ("mesh:Own", "gone.npz", "group:Lawn")
    assert stack_limits(relief, INPUTS) == ((0.0, 0.0), (-50.0, 150.0), (-50.0, 150.0), (-50.0, 150.0), (-100.0, 300.0))


def test_a_layer_looks_the_same_wherever_it_stands() -> None:
    grid = Grid(20, 30, 50.0)
    noise = Layer(source=MidpointDisplacement(wavelength=500.0), variation=3)
    alone = apply_layer(None, noise, Setting(grid, 7, {}))
    high = np.full(grid.shape, 1000.0, np.float32)
    np.testing.assert_allclose(apply_layer(high, noise, Setting(grid, 7, {})) - high, alone, atol=1e-3)
    for other in (noise.replace(variation=4), noise):
        seed = 7 if other is not noise else 8
        assert not np.array_equal(apply_layer(None, other, Setting(grid, seed, {})), alone)


def test_a_mask_that_follows_a_map_needs_maps() -> None:
    one = layer(mask=MapMask(map="drainage", response=((0.0, 0.0), (10.0, 0.0), (10.0, 1.0), (20.0, 1.0))))
    with pytest.raises(ValueError, match="the mask follows the map 'drainage', but there are no maps"):
        apply(BELOW, one)
    drainage = np.array([[0.0, 5.0, 15.0, 99.0]], np.float32)
    np.testing.assert_allclose(apply(BELOW, one, maps=lambda name: drainage), [0, 100, 250, 550])


def test_limits_by_hand() -> None:
    own = layer()
    masked = layer(mask=HeightMask())
    for blend, full, part in [
        ("add", (-50, 150), (-50, 150)),
        ("subtract", (-150, 50), (-150, 50)),
        ("max", (0, 150), (0, 150)),
        ("multiply", (0, 0), (0, 0)),
    ]:
        assert stack_limits(Relief(layers=(own.replace(blend=blend),)), INPUTS)[1] == full
        assert stack_limits(Relief(layers=(masked.replace(blend=blend),)), INPUTS)[1] == part
    noise = Layer(source=FractalNoise(height=1000.0, base_altitude=200.0))
    # Replaced in full, nothing is left of the noise; by half or behind a mask, some is.
    ends = {1.0: (-50, 150), 0.5: (75, 675)}
    for opacity, limits in ends.items():
        stack = Relief(layers=(noise, own.replace(blend="replace", opacity=opacity)))
        assert stack_limits(stack, INPUTS)[2] == limits
    assert stack_limits(Relief(layers=(noise, masked.replace(blend="replace"))), INPUTS)[2] == (-50, 1200)
    clamped = Relief(layers=(noise,), shaping=Shaping(lowest=300.0, highest=900.0))
    assert height_range(clamped, {}) == (300.0, 900.0)


def test_a_relief_is_the_same_after_json() -> None:
    relief = Relief(
        layers=(layer(mask=MapMask(), blend="screen"), Layer(source=ElevationModel(path="a"), mask=PaintedMask())),
        shaping=Shaping(border="round"),
    )
    assert Relief.from_json(relief.to_json()) == relief
    with pytest.raises(ValueError, match=r"layers\[1\]\.blend = 'over' is none of: add"):
        Relief.from_json({"layers": [{}, {"blend": "over"}]})


# --- stored heights ---------------------------------------------------------------------------------------------------


def test_data_at_their_true_size_lie_where_they_are_put_and_level_out() -> None:
    heights = np.arange(12, dtype=np.float32).reshape(3, 4)
    placement = Placement(fit="true_size", offset_east=-20.0, offset_north=10.0)
    model = ElevationModel(placement=placement, exaggeration=2.0)
    # Columns of the grid at −40, −30, … 30 m, rows at 0, 10, … 50 m; the data begin at (−20, 10) and have 20 m cells.
    placed = sample_elevation(Grid(6, 8, 10.0, 0.0, -4.0), model, StoredField(heights, 20.0))
    np.testing.assert_allclose(placed[1::2, 2::2], 2.0 * heights[:, :3], atol=1e-5)
    np.testing.assert_allclose(placed[1, [0, 1, 3, 7]], [0.0, 0.0, 1.0, 5.0], atol=1e-5)
    np.testing.assert_allclose(placed[0], placed[1], atol=1e-5)


def test_a_tile_of_stretched_data_is_that_part_of_the_whole() -> None:
    rough = StoredField(np.random.default_rng(3).normal(size=(9, 14)).astype(np.float32))
    grid = Grid(50, 61, 7.3, 11.0, -3.0)
    west, south = -3.0 * 7.3, 11.0 * 7.3
    borders = (west, south, west + grid.width, south + grid.depth)
    whole = sample_elevation(grid, ElevationModel(), rough)
    piece = sample_elevation(grid.window(17, 30, 20, 31), ElevationModel(), rough, borders)
    assert piece.tobytes() == whole[17:37, 30:61].tobytes()


def test_land_between_samples_is_cut_at_the_range_of_the_data() -> None:
    step = np.array([[0.0, 0.0, 1.0, 1.0, 1.0]], np.float32)
    model = ElevationModel(exaggeration=-3.0)
    sampled = sample_elevation(Grid(1, 401, 1.0), model, StoredField(step))
    assert sampled.min() == -3.0 and sampled.max() == 0.0


def test_data_that_can_not_be_used_are_refused() -> None:
    with pytest.raises(ValueError, match="elevation holds 1 values that are NaN"):
        StoredField(np.array([[1.0, np.nan]], np.float32))
    model = ElevationModel(placement=Placement(fit="true_size"))
    with pytest.raises(ValueError, match="fit = 'true_size' needs data that say how large their cells are"):
        sample_elevation(GRID, model, StoredField(OWN))


def test_a_digest_tells_heights_and_their_size_apart() -> None:
    same = StoredField(OWN.copy())
    others = [StoredField(OWN + 1.0), StoredField(OWN, 2.0), StoredField(OWN.reshape(2, 2)), StoredField(OWN.T.copy())]
    assert same.digest == INPUTS["mesh:Own"].digest
    assert len({same.digest, *(other.digest for other in others)}) == 5


# --- shaping ----------------------------------------------------------------------------------------------------------


def shape(heights: list[float], shaping: Shaping, limits: tuple[float, float] = (0.0, 400.0)) -> list[float]:
    grid = Grid(1, len(heights), 10.0)
    borders = (0.0, -100.0, grid.width, 100.0)
    return shape_relief(np.array([heights], np.float32), grid, borders, shaping, limits)[0].tolist()


def test_by_default_shaping_does_nothing() -> None:
    assert shape_relief(BELOW, GRID, EXTENT, Shaping(), (0.0, 400.0)) is BELOW
    assert shaped_limits(Shaping(), (-3.0, 7.0)) == (-3.0, 7.0)


def test_the_height_curve_passes_through_its_points_and_levels_out_beyond() -> None:
    shaping = Shaping(height_curve=((0.1, 0.2), (0.25, 0.3), (0.5, 0.9), (0.75, 1.0)))
    result = shape([0.0, 40.0, 100.0, 200.0, 300.0, 400.0], shaping)
    np.testing.assert_allclose(result, [80.0, 80.0, 120.0, 360.0, 400.0, 400.0], atol=1e-3)
    assert shaped_limits(shaping, (0.0, 400.0)) == pytest.approx((80.0, 400.0), abs=1e-4)


def test_a_step_in_the_height_curve_is_a_cliff() -> None:
    shaping = Shaping(height_curve=((0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)))
    np.testing.assert_allclose(shape([0.0, 199.0, 201.0, 400.0], shaping), [0.0, 0.0, 400.0, 400.0], atol=1e-3)


def test_terraces_keep_their_edges_and_level_the_land_between() -> None:
    full = Shaping(terrace_step=100.0, terracing=1.0)
    # Multiples of the step stay, the middle of a step stays; a tread is level.
    np.testing.assert_allclose(
        shape([-100.0, 0.0, 50.0, 110.0, 140.0, 160.0, 190.0], full), [-100, 0, 50, 100, 100, 200, 200], atol=1e-3
    )
    half = shape([110.0], Shaping(terrace_step=100.0, terracing=0.5))[0]
    assert 100.0 < half < 110.0
    assert shaped_limits(full, (20.0, 190.0)) == pytest.approx((0.0, 200.0))


@pytest.mark.parametrize("border", ["square", "round"])
def test_an_island_falls_off_to_its_border(border: str) -> None:
    # 200 m from west to east; the middle row of 200 m from south to north.
    shaping = Shaping(border=border, falloff_width=40.0, border_altitude=-10.0)
    result = shape([90.0] * 21, shaping)
    np.testing.assert_allclose(result, result[::-1], atol=1e-4)
    # At 0, 10, 20, 30 and 40 m from the border: 3t² − 2t³ of 0, ¼, ½, ¾, 1.
    shares = np.array([0.0, 0.15625, 0.5, 0.84375, 1.0])
    np.testing.assert_allclose(result[:5], -10.0 + 100.0 * shares, atol=1e-3)
    assert result[10] == 90.0
    assert shaped_limits(shaping, (0.0, 90.0)) == (-10.0, 90.0)


def test_in_the_corners_a_round_island_is_sea_and_a_square_one_land() -> None:
    grid = Grid(21, 21, 10.0)
    land = np.full(grid.shape, 90.0, np.float32)
    corner = {}
    for border in ("square", "round"):
        shaping = Shaping(border=border, falloff_width=20.0, border_altitude=0.0)
        corner[border] = shape_relief(land, grid, (0.0, 0.0, 200.0, 200.0), shaping, (0.0, 90.0))[2, 2]
    assert corner == {"square": 90.0, "round": 0.0}


def test_heights_are_clamped() -> None:
    assert shape([0.0, 100.0, 200.0, 400.0], Shaping(lowest=50.0, highest=300.0)) == [50.0, 100.0, 200.0, 300.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"height_curve": ((0.0, 0.0), (0.2, 0.6), (0.8, 0.5), (1.0, 1.0))},
            "height_curve falls from 0.6 to 0.5 at 0.8",
        ),
        ({"height_curve": ((0.0, 0.0), (0.8, 0.5), (0.2, 0.6), (1.0, 1.0))}, "height_curve = .* is out of order"),
        ({"lowest": 10.0, "highest": 9.0}, "lowest = 10.0 m is above highest = 9.0 m"),
        ({"terrace_step": 0.0}, "terrace_step = 0.0 m is outside 0.01 to"),
        ({"falloff_width": 0.0}, "falloff_width = 0.0 m is outside 0.01 to"),
        ({"border": "coast"}, "border = 'coast' is none of: open, square, round"),
    ],
)
def test_shaping_that_makes_no_sense_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Shaping(**values)


def test_heights_of_another_grid_are_refused() -> None:
    with pytest.raises(ValueError, match=r"heights have shape \(1, 4\), not \(2, 2\)"):
        shape_relief(BELOW, Grid(2, 2, 1.0), EXTENT, Shaping(), (0.0, 1.0))
    with pytest.raises(ValueError, match=r"the land beneath a layer has shape \(1, 4\), not \(2, 2\)"):
        apply_layer(BELOW, Layer(), Setting(Grid(2, 2, 1.0), 1, {}))
