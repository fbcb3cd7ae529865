"""Cliff retreat: hard beds end in walls that move back, weak ones lie at the talus angle, and no rock is lost."""

import numpy as np
import pytest

from terrain_addon.core.erosion.cliff_retreat import CliffRetreat, retreat
from terrain_addon.core.erosion.mass_balance import Eroded
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Field, Grid, Terrain
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise

pytestmark = pytest.mark.once

CELL = 4.0
HARD, WEAK = 48.0, 60.0
EVEN = CliffRetreat(hard_bed=HARD, weak_bed=WEAK, bed_variation=0.0, unevenness=0.0, years=60_000.0)


def retreated(surface: Field, process: CliffRetreat, soil: float = 0.0) -> Eroded:
    sediment = np.full_like(surface, soil)
    return run(retreat(Terrain(surface - sediment, sediment, CELL), process, seed=2))


def canyon(bottom: float = 0.0, top: float = HARD + WEAK + 5.0, side: int = 160) -> Field:
    """A plateau a little above the top of a hard bed, with a slot in the west that reaches the hard bed below."""
    surface = np.full((12, side), top, np.float32)
    surface[:, :4] = bottom
    return surface


def hills() -> Field:
    noise = FractalNoise(wavelength=700.0, height=900.0, base_altitude=-450.0, octaves=6)
    return make_fractal_noise(Grid(220, 220, CELL), noise, 5)


def slopes(surface: Field) -> np.ndarray:
    """Degrees of the steepest drop from a cell to one of its four neighbours."""
    drop = np.zeros_like(surface)
    for here, there in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        step = np.abs(surface[here] - surface[there])
        drop[here], drop[there] = np.maximum(drop[here], step), np.maximum(drop[there], step)
    return np.degrees(np.arctan(drop / CELL))


def rim_of(eroded: Eroded) -> float:
    """How far east the top of the upper wall is, in metres."""
    profile = eroded.terrain.surface[6]
    return float(np.flatnonzero(profile >= HARD + WEAK - 2.0)[0]) * CELL


def in_hard_bed(height: np.ndarray, altitude: float = 0.0) -> np.ndarray:
    """Whether heights are in a hard bed, or as near to it as the drop of a cell at the talus angle."""
    depth = np.mod(altitude - height, HARD + WEAK)
    return (depth <= HARD + 3.0) | (depth >= HARD + WEAK - 3.0)


def test_walls_retreat_as_far_as_rate_and_years_say() -> None:
    rims = [rim_of(retreated(canyon(), EVEN.replace(years=years))) for years in (0.0, 50_000.0, 200_000.0)]
    assert rims[1] - rims[0] == pytest.approx(50.0, abs=2.0 * CELL)
    assert rims[2] - rims[0] == pytest.approx(200.0, abs=2.0 * CELL)
    # Time alone moves nothing, and neither does a river that has not yet reached the weak bed.
    still = EVEN.replace(rate=0.0)
    assert rim_of(retreated(canyon(), still.replace(years=200_000.0))) == rims[0]
    shallow = canyon(bottom=WEAK + 10.0)
    eroded = retreated(shallow, EVEN.replace(years=200_000.0))
    assert rim_of(eroded) < 10.0 * CELL


def test_tops_and_benches_are_flat() -> None:
    before, after = hills(), retreated(hills(), EVEN.replace(debris=0.0)).terrain.surface
    tread = np.mod(after, HARD + WEAK) < 2.0
    assert (slopes(before) < 3.0).mean() < 0.01
    # All but the cells at the edges, one of whose neighbours is on a wall or on talus.
    assert (slopes(after)[tread] < 3.0).mean() > 0.8
    assert tread.mean() > 0.2
    # Where weak rock does not wear back, there are no benches.
    steep = retreated(hills(), EVEN.replace(debris=0.0, years=0.0)).terrain.surface
    assert (slopes(steep) < 3.0).mean() < 0.01


@pytest.mark.parametrize("columns_a_row", [3.0, 6.5])
def test_walls_that_run_obliquely_to_the_grid_are_no_staircases(columns_a_row: float) -> None:
    row, column = np.mgrid[:90, :120]
    plateau = np.where(row < 12.0 + column / columns_a_row, 0.0, HARD + WEAK + 5.0).astype(np.float32)
    after = retreated(plateau, EVEN.replace(debris=0.0)).terrain.surface[:, 20:100]
    column = np.arange(after.shape[1])
    for level in (WEAK + 0.2 * HARD, WEAK + 0.5 * HARD, WEAK + 0.8 * HARD):
        above = np.argmax(after > level, axis=0)
        low, high = after[above - 1, column], after[above, column]
        place = above - (high - level) / (high - low)
        apart = place - np.polyval(np.polyfit(column, place, 1), column)
        assert np.abs(apart).max() < 0.12, "cells"


def test_cliffs_are_in_hard_beds_only() -> None:
    after = retreated(hills(), EVEN.replace(debris=0.0)).terrain.surface
    cliffs = slopes(after) > 55.0
    assert cliffs.mean() > 0.01
    assert in_hard_bed(after[cliffs]).mean() > 0.97
    # If beds were half a bed higher, the same cliffs would be in weak ones as well: the check can fail.
    assert in_hard_bed(after[cliffs], 0.5 * (HARD + WEAK)).mean() < 0.7
    assert in_hard_bed(hills()[slopes(hills()) > 40.0]).mean() < 0.8


@pytest.mark.parametrize("angle", [28.0, 34.0, 38.0])
@pytest.mark.parametrize("debris", [0.0, 0.6])
def test_talus_lies_at_its_angle(angle: float, debris: float) -> None:
    eroded = retreated(canyon(side=200), EVEN.replace(talus_angle=angle, debris=debris))
    profile = eroded.terrain.surface[6].astype(np.float64)
    drop = np.degrees(np.arctan(np.diff(profile) / CELL))
    middle = 0.5 * (profile[1:] + profile[:-1])
    apron = drop[(middle > 0.35 * WEAK) & (middle < 0.9 * WEAK)]
    assert apron.size >= 5
    assert abs(float(np.median(apron)) - angle) < 2.0
    assert np.abs(apron - angle).max() < 3.0


@pytest.mark.parametrize(("debris", "hoodoos"), [(0.0, 0.0), (0.3, 0.0), (1.0, 0.0), (0.3, 1.0)])
def test_no_rock_is_lost(debris: float, hoodoos: float) -> None:
    before = hills()
    columns = {"hoodoos": hoodoos, "hoodoo_width": 12.0}
    eroded = retreated(before, EVEN.replace(debris=debris, unevenness=0.5, **columns), soil=0.5)
    balance = eroded.balance
    worn = balance.before - balance.after
    assert abs(balance.error) <= 1e-9 * float(np.abs(before).sum()) * CELL**2
    assert balance.left == pytest.approx(worn, rel=1e-6) and worn > 0.0
    assert float(eroded.terrain.sediment.min()) >= 0.0
    assert (eroded.terrain.bedrock <= before + 1e-3).all()


def columns_on(surface: Field, process: CliffRetreat) -> Field:
    """How much higher a land ends where pieces of the hard bed have stayed on columns."""
    bare, capped = (retreated(surface, process.replace(hoodoos=share)) for share in (0.0, 1.0))
    assert not capped.notices
    return capped.terrain.surface - bare.terrain.surface


def test_hoodoos_stand_below_a_hard_bed_and_thin_out_away_from_its_wall() -> None:
    process = EVEN.replace(debris=0.0, years=200_000.0, hoodoo_width=16.0)
    plateau = np.full((160, 120), HARD + WEAK - 8.0, np.float32)
    plateau[:, :4] = 0.0
    raised = columns_on(plateau, process)
    standing = raised > 0.3 * WEAK
    assert standing.mean() > 0.01
    # None reaches the wall of today from above, and none stands where the wall never was.
    rim = int(rim_of_bed(retreated(plateau, process)) / CELL)
    assert not raised[:, rim + 1 :].any()
    near, far = (standing[:, columns].mean() for columns in (slice(rim // 2, rim), slice(4, rim // 2)))
    assert near > 2.0 * far > 0.0
    # No column is higher than the ground was.
    assert (retreated(plateau, process.replace(hoodoos=1.0)).terrain.surface <= plateau + 1e-3).all()
    # Without a hard bed above it no weak rock stands.
    low = np.minimum(plateau, WEAK - 3.0)
    assert not columns_on(low, process).any()


def rim_of_bed(eroded: Eroded) -> float:
    """How far east the ground is as it was, in metres."""
    profile = eroded.terrain.surface[6]
    return float(np.flatnonzero(profile >= profile.max()).min()) * CELL


def test_hoodoos_that_cells_cannot_show_are_told() -> None:
    eroded = retreated(hills(), EVEN.replace(hoodoos=1.0, hoodoo_width=4.0))
    assert eroded.notices == ("no hoodoos: they are 4 m wide, which needs cells of at most 1.3 m",)
    assert eroded.terrain.surface.tobytes() == retreated(hills(), EVEN).terrain.surface.tobytes()


def test_debris_of_walls_lies_below_them() -> None:
    bare, strewn = (retreated(canyon(), EVEN.replace(debris=share)).terrain for share in (0.0, 0.6))
    gain = strewn.surface[6] - bare.surface[6]
    wall = np.flatnonzero(slopes(bare.surface)[6] > 55.0).min()
    assert strewn.sediment.sum() > 100.0
    assert gain[:wall].sum() > 0.9 * gain.sum()


def test_plains_and_beds_that_no_river_has_cut_stay_as_they_are() -> None:
    plain = np.full((20, 20), 37.5, np.float32)
    after = retreated(plain, EVEN)
    assert after.terrain.surface.tobytes() == plain.tobytes()
    assert after.balance.left == 0.0


def test_turned_land_is_the_same_land_turned() -> None:
    straight = retreated(hills(), EVEN).terrain.surface
    turned = retreated(np.ascontiguousarray(np.rot90(hills())), EVEN).terrain.surface
    assert np.abs(np.rot90(straight) - turned).max() < 0.05


def test_water_that_left_before_leaves_after() -> None:
    drained = fill_depressions(hills())
    after = retreated(drained, EVEN.replace(debris=0.0, unevenness=0.6)).terrain.surface
    assert float((drained - after).max()) > 50.0
    assert float((fill_depressions(after) - after).max()) < 0.01
