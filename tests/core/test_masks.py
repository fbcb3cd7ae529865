"""Masks whose answers are known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Field, Grid
from terrain_addon.core.maps.catalogue import OFFERED
from terrain_addon.core.maps.masks import (
    MASKS,
    Everywhere,
    HeightMask,
    MapMask,
    Mask,
    NoiseMask,
    PaintedMask,
    SlopeMask,
    Surroundings,
    evaluate_mask,
)

GRID = Grid(3, 5, 10.0)
RAMP = np.tile(np.arange(5, dtype=np.float32) * 100.0, (3, 1))


def no_maps(name: str) -> Field:
    pytest.fail(f"the map {name} was asked for")


def act(mask: Mask, surface: Field | None = RAMP, grid: Grid = GRID, **inputs: StoredField) -> Field:
    return evaluate_mask(mask, Surroundings(grid, surface, no_maps, inputs, 1))


def test_everywhere_is_one() -> None:
    np.testing.assert_array_equal(act(Everywhere()), np.ones((3, 5)))


def test_a_band_of_heights_fades_on_both_sides() -> None:
    # Heights 0, 100, … 400; in full from 100 to 200, fading over 200 m: at 300 half-way, 3t² − 2t³ = ½.
    mask = HeightMask(lower=100.0, upper=200.0, softness=200.0)
    expected = [0.5, 1.0, 1.0, 0.5, 0.0]
    np.testing.assert_allclose(act(mask)[1], expected, atol=1e-6)
    np.testing.assert_allclose(act(mask.replace(invert=True))[1], 1.0 - np.array(expected), atol=1e-6)


def test_a_band_without_softness_includes_its_ends() -> None:
    np.testing.assert_array_equal(act(HeightMask(lower=100.0, upper=300.0, softness=0.0))[0], [0, 1, 1, 1, 0])


def test_without_land_beneath_the_ground_is_level_at_zero() -> None:
    np.testing.assert_array_equal(act(HeightMask(lower=-1.0, upper=1.0, softness=0.0), None), np.ones((3, 5)))
    np.testing.assert_array_equal(act(SlopeMask(lower=1.0, softness=0.5), None), np.zeros((3, 5)))


@pytest.mark.parametrize("angle", [0.0, 10.0, 29.0, 31.0, 44.0, 46.0, 80.0, 89.0])
def test_slopes_are_told_apart_by_their_angle(angle: float) -> None:
    plane = np.tile(np.arange(5) * 10.0 * math.tan(math.radians(angle)), (3, 1)).astype(np.float32)
    steep = act(SlopeMask(lower=45.0, softness=15.0), plane)
    if angle >= 45.0:
        np.testing.assert_array_equal(steep, 1.0)
    elif angle <= 30.0:
        np.testing.assert_array_equal(steep, 0.0)
    else:
        assert steep.min() > 0.0 and steep.max() < 1.0
    level = act(SlopeMask(lower=0.0, upper=30.0, softness=0.0), plane)
    np.testing.assert_array_equal(level, 1.0 if angle <= 30.0 else 0.0)


def test_a_map_is_asked_for_by_its_name_and_answered_by_the_curve() -> None:
    asked = []

    def maps(name: str) -> Field:
        asked.append(name)
        return np.array([[-1.0, 0.0, 5.0, 10.0, 15.0, 20.0, 99.0]], np.float32)

    grid = Grid(1, 7, 1.0)
    mask = MapMask(map="sediment", response=((0.0, 0.2), (10.0, 1.0), (10.0, 0.5), (20.0, 0.0)))
    # A step at 10: the later point counts there.
    expected = [0.2, 0.2, 0.6, 0.5, 0.25, 0.0, 0.0]
    np.testing.assert_allclose(evaluate_mask(mask, Surroundings(grid, None, maps, {}, 1))[0], expected, atol=1e-6)
    inverted = evaluate_mask(mask.replace(invert=True), Surroundings(grid, None, maps, {}, 1))[0]
    np.testing.assert_allclose(inverted, 1.0 - np.array(expected), atol=1e-6)
    assert asked == ["sediment", "sediment"]


@given(
    st.lists(st.floats(-100.0, 100.0), min_size=4, max_size=4), st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4)
)
def test_responses_are_those_of_a_piecewise_linear_curve(x: list[float], y: list[float]) -> None:
    mask = MapMask(map="altitude", response=tuple(zip(sorted(x), y)))
    values = np.linspace(-120.0, 120.0, 97, dtype=np.float32)[np.newaxis]
    curve = np.array(mask.response)
    if np.diff(curve[:, 0]).min() < 0.01:
        return  # at a step, float32 decides on which side a value is
    expected = np.interp(values[0], curve[:, 0], curve[:, 1])
    answer = evaluate_mask(mask, Surroundings(Grid(1, 97, 1.0), None, lambda _: values, {}, 1))[0]
    np.testing.assert_allclose(answer, expected, atol=1e-4)


def test_what_was_painted_comes_back_and_is_cut_to_shares() -> None:
    painted = np.array([[0.0, 0.25, 0.5, 1.0, 7.0]] * 3, np.float32)
    inputs = {"group:Lawn": StoredField(painted)}
    mask = PaintedMask(key="group:Lawn")
    answer = evaluate_mask(mask, Surroundings(GRID, RAMP, no_maps, inputs, 1))
    np.testing.assert_array_equal(answer, np.minimum(painted, 1.0))
    inverted = evaluate_mask(mask.replace(invert=True), Surroundings(GRID, RAMP, no_maps, inputs, 1))
    np.testing.assert_array_equal(inverted, 1.0 - np.minimum(painted, 1.0))
    # Finer grids see it in between; a tile sees its own part of the painted land.
    finer = evaluate_mask(mask, Surroundings(Grid(5, 9, 5.0), None, no_maps, inputs, 1))
    np.testing.assert_allclose(finer[::2, ::2], answer, atol=1e-6)
    tile = evaluate_mask(mask, Surroundings(GRID.window(1, 2, 2, 3), None, no_maps, inputs, 1, (0.0, 0.0, 40.0, 20.0)))
    np.testing.assert_array_equal(tile, answer[1:, 2:])


@pytest.mark.parametrize("coverage", [0.1, 0.3, 0.5, 0.8])
def test_patches_cover_the_share_that_was_asked_for(coverage: float) -> None:
    grid = Grid(400, 400, 50.0)
    mask = NoiseMask(wavelength=1000.0, coverage=coverage, softness=0.0)
    shares = [evaluate_mask(mask, Surroundings(grid, None, no_maps, {}, seed)).mean() for seed in (1, 2, 3)]
    assert abs(np.mean(shares) - coverage) < 0.06
    inverted = evaluate_mask(mask.replace(invert=True), Surroundings(grid, None, no_maps, {}, 1)).mean()
    assert inverted == pytest.approx(1.0 - shares[0], abs=1e-4)


def test_patches_cover_nothing_or_all_at_the_ends_and_depend_on_the_seed() -> None:
    grid = Grid(50, 50, 50.0)
    for coverage in (0.0, 1.0):
        np.testing.assert_array_equal(act(NoiseMask(coverage=coverage), None, grid), np.float32(coverage))
    patches = [evaluate_mask(NoiseMask(), Surroundings(grid, None, no_maps, {}, seed)) for seed in (1, 2)]
    assert not np.array_equal(*patches)


@pytest.mark.parametrize("mask", [kind() for kind in MASKS], ids=lambda mask: mask.model())
def test_every_mask_is_a_share_in_single_precision_and_leaves_the_land_alone(mask: Mask) -> None:
    grid = Grid(40, 50, 30.0)
    surface = np.random.default_rng(1).normal(600.0, 500.0, grid.shape).astype(np.float32)
    before = surface.tobytes()
    surface.flags.writeable = False
    inputs = {key: StoredField(surface) for key in mask.keys}
    answer = evaluate_mask(mask, Surroundings(grid, surface, lambda _: surface, inputs, 1))
    assert answer.shape == grid.shape and answer.dtype == np.float32 and answer.flags.c_contiguous
    assert answer.min() >= 0.0 and answer.max() <= 1.0
    assert surface.tobytes() == before


def test_a_map_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=f"map = 'wetness' is none of: {', '.join(OFFERED)}"):
        MapMask(map="wetness")


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (HeightMask, {"lower": 5.0, "upper": 4.0}, "lower = 5.0 m is above upper = 4.0 m"),
        (SlopeMask, {"lower": 50.0, "upper": 40.0}, "lower = 50.0 ° is above upper = 40.0 °"),
        (NoiseMask, {"wavelength": 0.0}, "wavelength = 0.0 m is outside 0.01 to"),
        (MapMask, {"response": ((1.0, 0.0), (0.0, 0.0), (2.0, 1.0), (3.0, 1.0))}, "response = .* is out of order"),
    ],
)
def test_masks_that_make_no_sense_are_refused(kind: type[Mask], values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**values)  # type: ignore[arg-type]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="key = 'group:Gone' names nothing that was painted; there is: nothing"):
        act(PaintedMask(key="group:Gone"))
    with pytest.raises(ValueError, match=r"the surface under a mask has shape \(2, 2\), not \(3, 5\)"):
        act(HeightMask(), np.zeros((2, 2), np.float32))
    with pytest.raises(ValueError, match=r"the map 'slope' under a mask has shape \(2, 2\), not \(3, 5\)"):
        evaluate_mask(MapMask(map="slope"), Surroundings(GRID, RAMP, lambda _: np.zeros((2, 2), np.float32), {}, 1))
