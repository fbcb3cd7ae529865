"""Elementary functions: as near to the mathematical library's as they say, and what they make of special numbers."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from terrain_addon.core.foundation import elementary
from terrain_addon.core.foundation.compilation import Kernel

pytestmark = pytest.mark.once

RANDOM = np.random.default_rng(7)
ALL_SIZES = np.exp(RANDOM.uniform(-700.0, 700.0, 20000))


def worst(ours: Callable[[float], float], exact: Callable[[float], float], numbers: np.ndarray, least: float) -> float:
    """The largest error, of results below `least` as a share of that and of others as a share of themselves."""
    return max(abs(ours(x) - exact(x)) / max(abs(exact(x)), least) for x in numbers.tolist())


@pytest.mark.parametrize(
    ("ours", "exact", "numbers", "least"),
    [
        (elementary.exp, math.exp, RANDOM.uniform(-700.0, 700.0, 20000), 0.0),
        (elementary.exp, math.exp, RANDOM.uniform(-1.0, 1.0, 20000), 0.0),
        (elementary.log, math.log, ALL_SIZES, 0.0),
        (elementary.log, math.log, RANDOM.uniform(0.9, 1.1, 20000), 0.0),
        (elementary.sin, math.sin, RANDOM.uniform(-7.0, 7.0, 20000), 1.0),
        (elementary.sin, math.sin, RANDOM.uniform(-1e5, 1e5, 20000), 1.0),
        (elementary.cos, math.cos, RANDOM.uniform(-1e5, 1e5, 20000), 1.0),
        (elementary.arctan, math.atan, RANDOM.standard_cauchy(20000), 0.0),
        (elementary.arctan, math.atan, 1.0 / ALL_SIZES, 0.0),
    ],
)
def test_errors_are_a_few_units_in_the_last_place(
    ours: Kernel, exact: Callable[[float], float], numbers: np.ndarray, least: float
) -> None:
    assert worst(ours, exact, numbers, least) < 1e-15


def test_powers_of_all_sizes() -> None:
    for x, y in zip(np.exp(RANDOM.uniform(-30.0, 30.0, 20000)).tolist(), RANDOM.uniform(-5.0, 5.0, 20000).tolist()):
        assert elementary.power(x, y) == pytest.approx(x**y, rel=1e-15 * (1.0 + abs(y * math.log(x))))
        rough = elementary.rough_power(np.float32(x), np.float32(abs(y) / 5.0))
        assert rough == pytest.approx(float(np.float32(x)) ** (abs(y) / 5.0), rel=2e-5)


def test_special_numbers() -> None:
    infinity = math.inf
    assert [elementary.exp(x) for x in (0.0, 800.0, infinity, -800.0, -infinity)] == [1.0, infinity, infinity, 0.0, 0.0]
    assert [elementary.log(x) for x in (1.0, 0.0, infinity)] == [0.0, -infinity, infinity]
    assert [elementary.arctan(x) for x in (0.0, infinity, -infinity)] == [0.0, 0.5 * math.pi, -0.5 * math.pi]
    assert [elementary.power(0.0, y) for y in (0.0, 2.0, -2.0)] == [1.0, 0.0, infinity]
    assert [elementary.power(infinity, y) for y in (0.0, 0.5, -0.5)] == [1.0, infinity, 0.0]
    for nothing in (elementary.exp(math.nan), elementary.log(math.nan), elementary.arctan(math.nan)):
        assert math.isnan(nothing)
    assert math.isnan(elementary.log(-1.0)) and math.isnan(elementary.power(-1.0, 0.5))


def test_fields_of_any_shape_are_changed_in_place() -> None:
    field = RANDOM.uniform(0.0, 5.0, (33, 17)).astype(np.float32)
    powers, exponentials = field.copy(), field.copy()
    assert elementary.power_of(powers, 0.3) is powers
    assert elementary.exp_of(exponentials) is exponentials
    np.testing.assert_allclose(powers, field**0.3, rtol=1e-6)
    np.testing.assert_allclose(exponentials, np.exp(field), rtol=1e-6)
