"""Sand: none is lost, dunes have the shapes that their winds give them, and they travel downwind."""

import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core import Terrain
from terrain_addon.core.erosion import sand
from terrain_addon.core.erosion.mass_balance import Eroded
from terrain_addon.core.erosion.sand import Sand, WindRose, blow_sand
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.sampling import sample

pytestmark = pytest.mark.once

SIDE, CELL = 128, 2.0
Heights = npt.NDArray[np.float64]
FLAT = np.zeros((SIDE, SIDE), np.float32)
CALM = WindRose(west=0.0)


def blown(land: Terrain, plants: Any = None, **parameters: Any) -> Eroded:
    return run(blow_sand(land, Sand(**parameters), plants=plants))


@cache
def dunes(supply: float, years: float, **winds: float) -> Heights:
    """Sand on flat rock."""
    done = blown(Terrain(FLAT, FLAT, CELL), supply=supply, years=years, winds=WindRose(**winds))
    return done.terrain.sediment.astype(float)


def heap(radius: int, years: float, **winds: float) -> Heights:
    """A cone on bare rock, after some years."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    cone = np.maximum(radius - np.hypot(x - SIDE // 2, y - SIDE // 2), 0.0).astype(np.float32)
    done = blown(Terrain(FLAT, cone, CELL), supply=0.0, years=years, winds=WindRose(**winds))
    return done.terrain.sediment.astype(float)


def rough_land() -> Terrain:
    draw = np.random.default_rng(3)
    rock = np.cumsum(draw.normal(0.0, 0.6, (41, 57)), axis=1).astype(np.float32)
    return Terrain(rock, draw.integers(0, 64, rock.shape).astype(np.float32) / 16.0, 3.0)


def slopes(heights: Heights) -> Heights:
    north, east = np.gradient(heights, CELL)
    angles: Heights = np.degrees(np.arctan(np.hypot(north, east)))
    return angles


def across(heights: Heights) -> float:
    """Share of the unevenness that lies east and west rather than north and south: 1 for crests that run north."""
    north, east = np.gradient(heights)
    return float((east**2).mean() / ((east**2).mean() + (north**2).mean()))


def spacing(heights: Heights) -> float:
    power = np.abs(np.fft.rfft2(heights - heights.mean())) ** 2
    per_cell = np.hypot(np.fft.fftfreq(SIDE)[:, None], np.fft.rfftfreq(SIDE))
    return float(CELL * power.sum() / (power * per_cell).sum())


def way(before: Heights, after: Heights) -> tuple[int, int]:
    """Cells to the north and to the east by which two states agree best."""
    first, second = np.fft.rfft2(before - before.mean()), np.fft.rfft2(after - after.mean())
    likeness = np.fft.irfft2(second * np.conj(first), before.shape)
    row, column = np.unravel_index(likeness.argmax(), likeness.shape)
    return (int(row) + SIDE // 2) % SIDE - SIDE // 2, (int(column) + SIDE // 2) % SIDE - SIDE // 2


# --- nothing is lost --------------------------------------------------------------------------------------------------


def test_sand_is_conserved_exactly() -> None:
    land = rough_land()
    plants = np.linspace(0.0, 1.0, land.bedrock.size, dtype=np.float32).reshape(land.bedrock.shape)
    for held, growth in ((None, 0.0), (plants, 0.0), (plants, 0.5)):
        winds = WindRose(west=0.3, north=0.2, south_east=0.4)
        done = blown(land, held, supply=0.0, years=30.0, winds=winds, plant_growth=growth)
        assert np.abs(done.terrain.sediment - land.sediment).max() > 1.0
        assert done.terrain.sediment.sum(dtype=np.float64) == land.sediment.sum(dtype=np.float64)
        assert done.terrain.sediment.min() >= 0.0
        assert done.terrain.bedrock.tobytes() == land.bedrock.tobytes()
        assert (done.balance.uplifted, done.balance.left) == (0.0, 0.0)


def test_no_grain_is_lost_from_grid_to_grid_or_when_it_ends_early() -> None:
    flat = np.zeros((193, 193), np.float32)
    for asked in (10**9, 3):
        steps = blow_sand(Terrain(flat, flat, 1.0), Sand(supply=2.0, years=40.0))
        count, finish = 0, None
        while True:
            try:
                steps.send(finish)
            except StopIteration as end:
                done = end.value
                break
            count += 1
            finish = count >= asked or None
            if count == 40 and asked > 40:
                finish = True
        assert count == min(asked, 40)
        assert done.terrain.sediment.sum(dtype=np.float64) == done.balance.uplifted
        assert np.ptp(done.terrain.sediment) > 0.1


def test_what_is_laid_is_in_the_mass_balance() -> None:
    done = blown(Terrain(FLAT, FLAT, CELL), supply=1.5, years=5.0)
    assert done.balance.error == 0.0
    assert done.balance.uplifted == pytest.approx(1.5 * FLAT.size * CELL**2, rel=1e-3)


# --- nothing moves without a cause ------------------------------------------------------------------------------------


def test_nothing_moves_without_wind() -> None:
    land = rough_land()
    for still in ({"winds": CALM}, {"years": 0.0}, {"drift": 0.0}):
        done = blown(land, supply=0.0, **still)
        assert done.terrain.sediment.tobytes() == land.sediment.tobytes()
        assert "no dunes formed" in done.notices[0]
        laid = blown(Terrain(FLAT, FLAT, CELL), supply=3.0, **still).terrain.sediment
        assert np.ptp(laid) <= 0.05
    moved = blown(Terrain(FLAT, FLAT, CELL), supply=3.0, years=10.0)
    assert np.ptp(moved.terrain.sediment) > 1.0
    assert moved.notices == ()


def test_land_without_sand_and_land_of_sand_alone_work() -> None:
    bare = Terrain(rough_land().bedrock, np.zeros_like(rough_land().bedrock), 3.0)
    empty = blown(bare, supply=0.0)
    assert empty.terrain.surface.tobytes() == bare.surface.tobytes()
    assert "there is no sand" in empty.notices[0]
    deep = blown(Terrain(FLAT[:40, :40], FLAT[:40, :40], CELL), supply=200.0, years=20.0)
    assert deep.terrain.sediment.min() > 100.0
    assert deep.balance.error == 0.0
    with pytest.raises(ValueError, match=r"supply = -1.0 m is outside 0.0 to 200.0 m"):
        Sand(supply=-1.0)
    with pytest.raises(ValueError, match=r"west = 2.0 is outside 0.0 to 1.0"):
        WindRose(west=2.0)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 2), (31, 20)])
@pytest.mark.parametrize("depth", [0.0, -1e4, 1e30])
def test_very_small_and_very_high_lands_work(shape: tuple[int, int], depth: float) -> None:
    rock = np.zeros(shape, np.float32)
    rock[shape[0] // 2, shape[1] // 2] = depth
    done = blown(Terrain(rock, np.ones(shape, np.float32), 2.0), supply=1.0, years=3.0)
    assert done.terrain.sediment.sum(dtype=np.float64) * 4.0 == rock.size * 4.0 + done.balance.uplifted


def test_plants_hold_the_sand() -> None:
    plants = np.zeros_like(FLAT)
    plants[:, : SIDE // 2] = 1.0
    done = blown(Terrain(FLAT, FLAT, CELL), plants, supply=3.0, years=20.0).terrain.sediment
    held, free = done[:, 24 : SIDE // 2 - 16], done[:, SIDE // 2 + 8 :]
    assert np.ptp(held) < 0.05 * np.ptp(free)


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_slip_faces_lie_at_the_angle_of_repose() -> None:
    angles = slopes(dunes(4.0, 45.0))
    assert 0.1 < ((angles > 30.0) & (angles < 35.0)).mean() < 0.4
    assert (angles > 35.0).mean() < 0.001
    # Sand that slides sooner has none.
    wet = blown(Terrain(FLAT, FLAT, CELL), supply=4.0, years=45.0, repose_angle=24.0).terrain.sediment
    assert (slopes(wet.astype(float)) > 28.0).mean() < 0.001


def test_windward_sides_are_smooth_and_crests_sharp(monkeypatch: pytest.MonkeyPatch) -> None:
    def roughness_and_crest() -> tuple[float, float]:
        done = blown(Terrain(FLAT, FLAT, CELL), supply=4.0, years=45.0, winds=WindRose(west=1.0))
        heights = done.terrain.sediment.astype(float)
        # What differs from the mean of the neighbours north and south, where the ground is gentle.
        rough = heights - 0.5 * (np.roll(heights, 1, 0) + np.roll(heights, -1, 0))
        gentle = (slopes(heights) < 24.0) & (heights > 1.0)
        bend = heights - 0.5 * (np.roll(heights, 1, 1) + np.roll(heights, -1, 1))
        return float(np.median(np.abs(rough[gentle]))), float(np.quantile(bend, 0.99))

    smooth, crest = roughness_and_crest()
    monkeypatch.setattr(sand, "EVEN_ROUNDS", 0)
    monkeypatch.setattr(sand, "ALONG_ROUNDS", 0)
    rough, rough_crest = roughness_and_crest()
    assert smooth < 0.5 * rough
    assert crest > 0.85 * rough_crest


def test_brinks_have_no_teeth_of_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    def teeth_and_steepness() -> tuple[float, float]:
        heights = blown(Terrain(FLAT, FLAT, CELL), supply=4.0, years=45.0).terrain.sediment
        # Level lines lie as means of nine say, and on a brink no height differs much from those beside it on its line.
        mean = sum(np.roll(heights, (r, c), (0, 1)) for r in (-1, 0, 1) for c in (-1, 0, 1)) / 9.0
        north, east = np.gradient(mean, CELL)
        steep = np.hypot(north, east)
        row, column = np.nonzero(steep[4:-4, 4:-4] > math.tan(math.radians(20.0)))
        row, column = row + 4, column + 4
        step = 1.5 * np.stack((east[row, column], -north[row, column])) / steep[row, column]
        places = [(CELL * (column + side * step[1]), CELL * (row + side * step[0])) for side in (-1.0, 1.0)]
        beside = [sample(heights, CELL, x.astype(np.float32), y.astype(np.float32)) for x, y in places]
        teeth = np.abs(heights[row, column] - 0.5 * (beside[0] + beside[1]))
        return float(np.quantile(teeth, 0.9)), float(np.quantile(slopes(heights.astype(float)), 0.97))

    smooth, steepest = teeth_and_steepness()
    monkeypatch.setattr(sand, "ALONG_ROUNDS", 0)
    rough, steepest_before = teeth_and_steepness()
    assert smooth < 0.85 * rough
    assert steepest > steepest_before - 1.5


def test_slip_faces_look_downwind() -> None:
    for winds, side in (({}, -1.0), ({"west": 0.0, "east": 1.0}, 1.0)):
        heights = dunes(6.0, 60.0, **winds)
        east = np.gradient(heights, CELL)[1]
        steep = slopes(heights) > 30.0
        assert (np.sign(east[steep]) == side).mean() > 0.7


def test_dunes_travel_downwind() -> None:
    for winds, wanted in (({}, (0, 1)), ({"west": 0.0, "north": 1.0}, (-1, 0))):
        north, east = way(dunes(4.0, 45.0, **winds), dunes(4.0, 46.0, **winds))
        assert north * wanted[0] + east * wanted[1] >= 2
        assert abs(north * wanted[1]) + abs(east * wanted[0]) <= 1


def test_small_dunes_travel_faster() -> None:
    column = np.arange(SIDE)
    inverse, speed = [], []
    for radius in (12, 16, 20, 28):
        before, after = heap(radius, 10.0), heap(radius, 12.0)
        middle = [(heights * column).sum() * CELL / heights.sum() for heights in (before, after)]
        speed.append((middle[1] - middle[0]) / 2.0)
        inverse.append(2.0 / (before.max() + after.max()))
    assert np.corrcoef(inverse, speed)[0, 1] ** 2 >= 0.9
    assert speed[0] > 1.3 * speed[-1]


def test_horns_of_a_barchan_point_downwind() -> None:
    def lead_of_horns(heights: Heights) -> float:
        """How far the sand of the flanks lies east of the middle, in cells."""
        rows = np.flatnonzero(heights.max(axis=1) > 0.25 * heights.max())
        column = np.arange(SIDE)
        centres = (heights[rows] * column).sum(axis=1) / heights[rows].sum(axis=1)
        third = len(rows) // 3
        middle = centres[third:-third].mean()
        return float(0.5 * (centres[: third // 2 + 1].mean() + centres[-(third // 2 + 1) :].mean()) - middle)

    assert abs(lead_of_horns(heap(24, 0.0))) < 0.1
    assert lead_of_horns(heap(24, 14.0)) > 1.0
    assert lead_of_horns(heap(24, 14.0, west=0.0, east=1.0)) < -1.0


@pytest.mark.parametrize("growth", [0.5, 0.0])
def test_a_bare_patch_among_living_plants_becomes_a_parabolic_dune(growth: float) -> None:
    land = Terrain(FLAT[:72], FLAT[:72], CELL)
    y, x = np.mgrid[0:72, 0:SIDE]
    plants = (np.hypot(x - 24, y - 36) > 10.0).astype(np.float32)

    def nose_and_arms(years: float) -> tuple[float, float]:
        """The eastern end of the sand in the middle, and the western end beside it, in cells."""
        done = blown(land, plants, supply=1.0, years=years, plant_growth=growth)
        raised = done.terrain.sediment > 1.25
        middle, beside = raised[33:40], raised[[*range(22, 30), *range(43, 51)]]
        return SIDE - 1 - middle[:, ::-1].argmax(axis=1).mean(), float(np.flatnonzero(beside.any(axis=0))[0])

    (nose, arms), (later_nose, later_arms) = nose_and_arms(15.0), nose_and_arms(40.0)
    if growth:
        assert later_nose - nose > 15.0
        assert abs(later_arms - arms) < 0.2 * (later_nose - nose)
        # The concave side looks into the wind.
        assert later_nose - later_arms > 35.0
    else:
        # Plants that do not die hold the heap before the hollow.
        assert abs(later_nose - nose) < 1.0


def test_crests_lie_as_the_winds_want_them() -> None:
    # One wind from the west: crests across it.  Two that meet at 135° and blow east on average: crests along it.
    assert across(dunes(6.0, 60.0)) > 0.57
    winds = WindRose(west=1.0, south_east=1.0, turned=67.5)
    two = blown(Terrain(FLAT, FLAT, CELL), supply=3.0, years=40.0, winds=winds, windward_angle=45.0)
    assert across(two.terrain.sediment.astype(float)) < 0.4


def test_winds_at_a_right_angle_turn_the_crests() -> None:
    # Crests lie across the mean of the two winds, which blows to the north-east; under one wind they do not.
    def leaning(heights: Heights) -> float:
        north, east = np.gradient(heights)
        return float(2.0 * (north * east).mean() / ((north**2).mean() + (east**2).mean()))

    assert leaning(dunes(3.0, 45.0, west=0.5, south=0.5)) > leaning(dunes(3.0, 45.0)) + 0.15


def test_three_winds_make_stars() -> None:
    def threefold(heights: Heights) -> float:
        """How much steep faces look to three sides: 1 if each is turned by 120° from the next."""
        north, east = np.gradient(heights, CELL)
        ways = np.arctan2(north, east)[slopes(heights) > 20.0]
        return float(abs(np.exp(3j * ways).mean()))

    assert threefold(dunes(2.0, 60.0, west=0.0, north=1.0, south_west=1.0, south_east=1.0)) > 0.4
    assert threefold(dunes(6.0, 60.0)) < 0.25


def test_crests_lie_farther_apart_with_time() -> None:
    assert spacing(dunes(4.0, 45.0)) > 1.1 * spacing(dunes(4.0, 10.0))


def test_rock_that_stands_out_makes_a_shadow_of_sand() -> None:
    rock = FLAT.copy()
    rock[56:72, 40:48] = 12.0
    done = blown(Terrain(rock, FLAT, CELL), supply=0.5, years=8.0).terrain.sediment
    # Nearer to the rock an echo dune lies before it.
    behind, before, beside = done[58:70, 48:60].mean(), done[58:70, 4:16].mean(), done[20:32, 48:60].mean()
    assert behind > 2.0 * max(before, beside)
    assert done[56:72, 40:48].mean() < 0.5
    control = blown(Terrain(FLAT, FLAT, CELL), supply=0.5, years=8.0).terrain.sediment
    assert control[58:70, 48:60].mean() < 1.5 * control[20:32, 48:60].mean()


def test_an_echo_dune_lies_before_a_wall_and_sand_climbs_a_gentler_slope() -> None:
    def sand_before(slope: float, height: float = 20.0) -> tuple[Heights, float]:
        """Mean depth from 30 cells before the foot of a rise to the foot, and at most."""
        away = np.maximum(np.abs(np.arange(SIDE) - 80.0) - 8.0, 0.0) * CELL
        rise = np.clip(height - away * np.tan(np.radians(slope)), 0.0, None)
        rock = np.where(np.abs(np.arange(SIDE) - 64.0)[:, np.newaxis] < 40.0, rise, 0.0).astype(np.float32)
        land = Terrain(rock, FLAT, CELL)
        done = blown(land, supply=1.5, years=10.0)
        assert done.terrain.sediment.sum(dtype=np.float64) * CELL**2 == done.balance.uplifted
        foot = int(np.flatnonzero(rise > 0.0)[0])
        depth = done.terrain.sediment[50:78].astype(float).mean(axis=0)
        return depth[foot - 30 : foot], float(depth[foot - 30 : foot + 20].max())

    wall, crest = sand_before(85.0)
    # Less at the foot, and a crest between half and one and a half heights of the wall before it.
    assert wall[-1] < 0.5 * crest
    assert 0.4 * 20.0 <= CELL * (30 - wall.argmax()) <= 1.5 * 20.0
    assert 2.0 < crest < 20.0
    ramp = sand_before(40.0)[0]
    assert ramp[-1] > 0.8 * ramp.max()


# --- the same bytes ---------------------------------------------------------------------------------------------------


def test_the_number_of_threads_does_not_matter() -> None:
    before, found = thread_count(), set()
    try:
        for threads in {1, before}:
            set_thread_count(threads)
            winds = WindRose(west=0.5, north_east=0.5, turned=11.0)
            done = blown(rough_land(), supply=2.0, years=20.0, winds=winds, plant_growth=0.3)
            found.add(done.terrain.sediment.tobytes())
    finally:
        set_thread_count(before)
    assert len(found) == 1
