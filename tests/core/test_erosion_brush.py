"""The brush that erodes, fills and smooths: it works where it touches, and nowhere else."""

import numpy as np
import pytest

from terrain_addon.core.erosion.brush import BRUSHES, Dab, apply_dab

pytestmark = pytest.mark.once

CELL, SIDE = 10.0, 65


def rough_land() -> np.ndarray:
    """A slope with bumps."""
    row, column = np.mgrid[:SIDE, :SIDE]
    bumps = np.random.default_rng(1).normal(0.0, 4.0, (SIDE, SIDE))
    return (300.0 + 3.0 * column + 25.0 * np.sin(row / 4.0) + bumps).astype(np.float32)


def stroked(brush: str, dab: Dab, times: int = 5) -> tuple[np.ndarray, np.ndarray]:
    before, after = rough_land(), rough_land()
    for number in range(times):
        apply_dab(after, CELL, dab, brush, number)
    return before, after


def distance(dab: Dab) -> np.ndarray:
    row, column = np.mgrid[:SIDE, :SIDE] * CELL
    return np.hypot(column - dab.x, row - dab.y)


def roughness(field: np.ndarray, where: np.ndarray) -> float:
    bend = np.abs(np.diff(field.astype(np.float64), 2, axis=0, prepend=0, append=0))
    return float(bend[where].mean())


@pytest.mark.parametrize("brush", BRUSHES)
@pytest.mark.parametrize("place", [(320.0, 320.0), (0.0, 640.0), (-40.0, 300.0)])
def test_nothing_changes_outside_the_circle(brush: str, place: tuple[float, float]) -> None:
    dab = Dab(*place, 120.0, 1.0)
    before, after = stroked(brush, dab)
    outside = distance(dab) >= dab.radius
    assert before[outside].tobytes() == after[outside].tobytes()
    assert (before[~outside] != after[~outside]).any()
    assert np.isfinite(after).all()


def test_each_brush_does_what_it_says() -> None:
    dab = Dab(320.0, 320.0, 200.0, 1.0)
    middle = distance(dab) < 100.0
    before, smooth = stroked("smooth", dab)
    assert roughness(smooth, middle) < 0.5 * roughness(before, middle)
    before, filled = stroked("fill", dab)
    assert (filled >= before - 1e-3).all() and float((filled - before)[middle].mean()) > 2.0
    before, eroded = stroked("erode", dab)
    change = (eroded - before)[middle]
    assert change.min() < -1.0 and change.max() > 0.1


def test_strength_and_distance_fade_the_effect() -> None:
    changes = [np.abs(np.subtract(*stroked("fill", Dab(320.0, 320.0, 200.0, strength), 1))) for strength in (0.2, 1.0)]
    np.testing.assert_allclose(changes[0], 0.2 * changes[1], atol=1e-3)
    assert (stroked("smooth", Dab(320.0, 320.0, 200.0, 0.0))[1] == rough_land()).all()


def test_the_same_stroke_gives_the_same_bytes() -> None:
    one, other = (stroked("erode", Dab(300.0, 300.0, 150.0, 0.5))[1] for _ in range(2))
    assert one.tobytes() == other.tobytes()


def test_a_dab_beside_the_land_or_smaller_than_a_cell_harms_nothing() -> None:
    before, after = stroked("smooth", Dab(-5000.0, 0.0, 100.0, 1.0))
    assert before.tobytes() == after.tobytes()
    assert np.isfinite(stroked("erode", Dab(320.0, 320.0, 0.5, 1.0))[1]).all()


@pytest.mark.parametrize(
    ("dab", "brush", "said"),
    [
        (Dab(0.0, 0.0, 10.0, 1.0), "dig", "there is no brush 'dig'; there are: erode, fill, smooth"),
        (Dab(0.0, 0.0, 0.0, 1.0), "fill", "radius = 0.0 m is not a finite length above 0 m"),
        (Dab(0.0, 0.0, 10.0, 1.5), "fill", "strength = 1.5 is outside 0 to 1"),
    ],
)
def test_bad_dabs_are_refused(dab: Dab, brush: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        apply_dab(rough_land(), CELL, dab, brush)
