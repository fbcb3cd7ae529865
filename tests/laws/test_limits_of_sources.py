"""Every source of heights at the corners of its limits: it makes heights within its range, or says what is wrong."""

import itertools
import math
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from terrain_addon.core.foundation.parameters import Parameter, ParameterSet, parameters_of
from terrain_addon.core.foundation.placement import borders_of
from terrain_addon.core.foundation.stored_field import StoredField
from terrain_addon.core.foundation.terrain import Grid
from terrain_addon.core.relief.double_ridged_noise import DoubleRidgedNoise
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.relief.octaves import OctaveNoise
from terrain_addon.core.relief.source import Source
from terrain_addon.core.relief.sources import SOURCES

pytestmark = pytest.mark.once

TRIES = 150
# The finest and the coarsest land that a recipe allows, near and far, and usual ones.
GRIDS = (
    Grid(9, 33, 1.0 / 8192.0, -(2.0**31), 2.0**31),
    Grid(33, 9, 1e6),
    Grid(9, 33, 23.4, 1e7 / 23.4, -1e7 / 23.4),
    Grid(33, 33, 23.4),
)
ELEVATION = StoredField(np.array([[-1e6, 5.0], [1e6, 0.0]], np.float32), 30.0)


def choices_of(declared: Parameter) -> tuple[Any, ...]:
    """The ends of what a parameter may be, and what it usually is."""
    if declared.kind == "bool":
        return False, True
    if declared.kind == "choice":
        return tuple(declared.choices)
    if declared.kind in ("group", "variant"):
        return tuple(member() for member in declared.members)
    if declared.limits is None:
        return (declared.default,)
    low, high = declared.limits
    whole = declared.kind == "int"
    return low, high, declared.default, *((low + 1,) if whole else (1.0, low + 1e-3 * (high - low)))


def corners_of(parameters: type[ParameterSet], chance: random.Random) -> Iterator[ParameterSet]:
    """Sets at the corners of the limits; those that are refused are left out, if the reason is a clear one."""
    declared = parameters_of(parameters)
    for _ in range(TRIES):
        # Some parameters stay as they are, so that not every set has several reasons to be refused.
        chosen = {d.name: chance.choice(choices_of(d)) for d in declared if chance.random() < 0.7}
        try:
            yield parameters(**chosen)
        except ValueError as refusal:
            says = re.match(r"(\w+) = (\S+)", str(refusal))
            assert says is not None and says[1] in {d.name for d in declared}, str(refusal)


@pytest.mark.parametrize("made_by", SOURCES.values(), ids=lambda one: one.parameters.model())
def test_a_source_at_the_corners_of_its_limits_stays_in_its_range(made_by: Source) -> None:
    chance = random.Random(5)
    made = 0
    for source in corners_of(made_by.parameters, chance):
        grid = chance.choice(GRIDS)
        there = {"seed": chance.choice((0, 2**31 - 1)), "time": chance.choice((0.0, -1e6, 1e6, 3.7))}
        there |= {"elevation": ELEVATION, "borders": borders_of(grid)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            heights = made_by.make(grid, source, **{name: there[name] for name in made_by.inputs})
        low, high = made_by.limits(source, ELEVATION)
        slack = 2e-7 * max(abs(low), abs(high))
        assert heights.shape == grid.shape and heights.dtype == np.float32, source
        assert np.isfinite(heights).all(), source
        assert low - slack <= heights.min() and heights.max() <= high + slack, source
        made += 1
    assert made > TRIES // 3


@pytest.mark.parametrize("second", [1000.0, 500.0, 0.5])
def test_two_surfaces_of_any_wavelengths_repeat_together(second: float) -> None:
    noise = DoubleRidgedNoise(period=65536, wavelength=2000.0, second_wavelength=second, lacunarity=2.0)
    heights = SOURCES[DoubleRidgedNoise].make(Grid(9, 9, 15.0), noise, 1)
    assert np.ptp(heights) > 1.0


def test_a_pull_much_shorter_than_the_hills_repeats_with_them() -> None:
    noise = FractalNoise(period=65536, wavelength=2000.0, warp=50.0, warp_wavelength=500.0)
    period = 65536 * 2000.0
    here = make_fractal_noise(Grid(9, 9, 15.625), noise, 1)
    there = make_fractal_noise(Grid(9, 9, 15.625, 0.0, period / 15.625), noise, 1)
    np.testing.assert_allclose(there, here, atol=0.01)


def test_a_wavelength_that_misses_a_long_period_by_half_a_wave_is_refused() -> None:
    for wavelength in (0.3, 0.7, 33.3):
        waves = 65536 * 2000.0 / wavelength
        noise: OctaveNoise
        try:
            noise = DoubleRidgedNoise(period=65536, wavelength=2000.0, second_wavelength=wavelength)
        except ValueError as refusal:
            assert f"second_wavelength = {wavelength} m does not fit" in str(refusal)
            assert abs(waves - round(waves)) > 1e-3
        else:
            assert abs(noise.period * noise.wavelength / wavelength - round(waves)) <= 1e-3


def test_land_that_drifts_for_a_long_time_keeps_its_shape() -> None:
    """A million seconds at a million metres a second: the land has slid, and is neither level nor blocky."""
    noise = FractalNoise(wavelength=0.02, octaves=2, drift_east=999983.7, height=1000.0)
    still = make_fractal_noise(Grid(65, 65, 0.0006), noise, 2, 0.0)
    late = make_fractal_noise(Grid(65, 65, 0.0006), noise, 2, 1e6)
    for heights in (still, late):
        steps = np.abs(np.diff(heights, axis=1))
        assert np.median(steps) > 1.0
        assert steps.max() < 20.0 * np.median(steps)


@pytest.mark.parametrize("side", [1e-30, 1e-9, 0.01])
def test_white_noise_of_tiny_squares_gives_every_sample_its_own_height(side: float) -> None:
    white = next(one for one in SOURCES if one.model() == "white_noise")
    heights = SOURCES[white].make(Grid(40, 40, 30.0, 1e5, -1e5), white(wavelength=side, height=1.0), 3)
    assert len(np.unique(heights)) > 1590
    assert math.isclose(heights.mean(), 0.5, abs_tol=0.05)


def test_samples_are_never_farther_out_than_noise_can_tell_apart() -> None:
    """Neighbouring samples of the finest land at the far corners of the plane still differ."""
    for row, column in itertools.product((-(2.0**32) + 2.0, 2.0**32 - 40.0), repeat=2):
        grid = Grid(9, 9, 1.0 / 8192.0, row, column)
        heights = make_fractal_noise(grid, FractalNoise(wavelength=0.01, octaves=1, height=1000.0), 4)
        assert len(np.unique(heights)) > 70
