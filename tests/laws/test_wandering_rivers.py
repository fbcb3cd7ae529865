"""Rivers that wander over a land: it drains, its mass balance closes, and it shows what rivers leave."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon import core
from terrain_addon.core import Terrain
from terrain_addon.core.erosion import wandering_rivers
from terrain_addon.core.erosion.mass_balance import Eroded
from terrain_addon.core.erosion.meander_ground import cut_middle
from terrain_addon.core.erosion.valley_floor import find_valleys, places_of, with_approaches
from terrain_addon.core.erosion.wandering_rivers import (
    FoundRivers,
    RiverHistory,
    WanderingRivers,
    follow_rivers,
    land_wandered,
    wander_rivers,
)
from terrain_addon.core.flow.water import Water, Waters, find_water
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.progress import run

pytestmark = pytest.mark.once

WATER = Water(river_width=25.0, river_source=0.5)
CELL = 15.0
PROCESS = WanderingRivers(smallest_river=2.0)

Heights = npt.NDArray[np.float32]


def valley(rows: int = 161, columns: int = 321, cell_size: float = CELL, fall: float = 0.002) -> Terrain:
    """A valley that falls to the east between hills of 40 m, with a floor 1 km wide that is not quite even."""
    y, x = cell_size * np.mgrid[0.0:rows, 0.0:columns]
    off = np.abs(y - 0.5 * cell_size * (rows - 1) - 60.0 * np.sin(x / 700.0))
    heights = fall * (x.max() - x) + 0.002 * off + 40.0 * np.clip((off - 500.0) / 400.0, 0.0, 1.0)
    # Brooks come down the hills.
    heights -= (
        3.0 * np.clip(1.0 - np.abs((x % 900.0) - 450.0) / 100.0, 0.0, 1.0) * np.clip((off - 500.0) / 400.0, 0.0, 1.0)
    )
    ground = heights.astype(np.float32)
    return Terrain(ground - np.float32(0.5), np.full_like(ground, 0.5), cell_size)


def waters_of(terrain: Terrain) -> Waters:
    return find_water(terrain.surface, terrain.cell_size, WATER)


@cache
def history(process: WanderingRivers = PROCESS) -> RiverHistory:
    return run(follow_rivers(valley(), process, waters=waters_of(valley())))


@cache
def wandered(years: float = 1000.0) -> Eroded:
    return run(land_wandered(history(), years))


def middle_of(river: npt.NDArray[np.float64], terrain: Terrain) -> npt.NDArray[np.int64]:
    """Flat indices of the cells along the middle of a line."""
    column, row = (np.floor(river[:, axis] / terrain.cell_size + 0.5).astype(np.int64) for axis in (0, 1))
    return row * terrain.surface.shape[1] + column


def river_at(years: float) -> npt.NDArray[np.float64]:
    (river,) = history().states[round(years / 4.0)]
    return np.asarray(river.line)


def carrying(waters: Waters, river: npt.NDArray[np.float64]) -> float:
    """The share of a line along which a large river flows, within half a width."""
    area = waters.drainage_area
    near = np.max([np.roll(area, (up, right), (0, 1)) for up in range(-2, 3) for right in range(-2, 3)], axis=0)
    return float((near.ravel()[middle_of(river, valley())] > 5e5).mean())


def bed_at(years: float) -> npt.NDArray[np.float64]:
    """The line of the river from where it meets its old course."""
    valleys = find_valleys(valley(), waters_of(valley()), 2e6)
    assert valleys is not None
    everywhere = np.ones(valley().surface.shape, np.bool_)
    bed, above = with_approaches(river_at(years), 0, places_of(history().states[0], valleys), valleys, everywhere, CELL)
    return np.asarray(bed[above:])


def test_the_mass_balance_closes() -> None:
    before, done = valley(), wandered()
    area = before.cell_size**2
    change = (done.terrain.surface.astype(np.float64) - before.surface) * area
    cut, laid = -change[change < 0.0].sum(), change[change > 0.0].sum()
    assert min(cut, laid) > 1e3
    assert cut == pytest.approx(laid + done.balance.left - done.balance.uplifted, rel=1e-4)
    assert abs(done.balance.error) <= 1e-9 * done.balance.before
    assert done.terrain.sediment.min() >= 0.0
    # Neither from nowhere: one of the two is 0.
    assert min(done.balance.left, done.balance.uplifted) == 0.0


def test_the_river_flows_along_its_new_bed_and_nothing_dams_it() -> None:
    terrain = wandered().terrain
    waters = waters_of(terrain)
    cells = middle_of(river_at(1000.0), terrain)
    assert waters.water_depth.ravel()[cells].max() < 0.5
    whole = float(waters_of(valley()).drainage_area.max())
    assert waters.drainage_area.max() > 0.97 * whole
    assert carrying(waters, bed_at(1000.0)) > 0.95
    # Where it goes on up its valley beyond its source, it has left a part of its line.
    assert carrying(waters, river_at(1000.0)) > 0.85
    # Nothing is left of its old course but where it crosses the new one.
    assert carrying(waters, river_at(0.0)) < 0.6


def test_without_its_bed_the_old_course_would_carry_it() -> None:
    assert carrying(waters_of(valley()), river_at(1000.0)) < 0.5
    assert carrying(waters_of(valley()), river_at(0.0)) > 0.9


def test_the_bed_falls_all_the_way_down() -> None:
    terrain = wandered().terrain
    heights = terrain.surface.ravel()[middle_of(bed_at(1000.0), terrain)].astype(np.float64)
    # Where two bends share a cell it has the height of the lower one.
    rises = np.maximum(np.diff(heights), 0.0)
    assert (rises > 0.05).mean() < 0.02
    assert heights[0] - heights[-1] > 0.8 * 0.002 * np.ptp(bed_at(1000.0)[:, 0])


def test_bends_that_are_cut_off_become_lakes_and_silt_up() -> None:
    (river,) = history().states[round(1000.0 / 4.0)]
    young = [oxbow for oxbow in river.oxbows if oxbow.year > 800.0]
    assert young
    lakes = waters_of(wandered().terrain).lakes
    assert len(lakes) >= 1
    assert len(waters_of(valley()).lakes) == 0
    silted = PROCESS.replace(oxbow_years=1.0)
    assert len(waters_of(run(land_wandered(history(silted), 1000.0)).terrain).lakes) < len(lakes)


def test_the_floor_is_sediment_and_level_but_for_ridges() -> None:
    terrain, before = wandered().terrain, valley()
    changed = np.abs(terrain.surface - before.surface) > 1e-3
    assert terrain.sediment[changed].mean() > before.sediment.mean()
    flat = PROCESS.replace(ridges=0.0)
    without = run(land_wandered(history(flat), 1000.0)).terrain
    difference = np.abs(terrain.surface - without.surface)
    assert 0.1 < difference.max() < 0.6


def cut_down(years: float, incision: float = 10.0, interval: float = 300.0) -> Eroded:
    process = PROCESS.replace(incision=incision, terrace_years=interval, ridges=0.0)
    return run(land_wandered(history()._replace(process=process), years))


def treads_of(years: float, step: float, incision: float = 10.0, interval: float = 300.0) -> int:
    """On how many levels, so many metres apart, flat ground lies beside the river in the lower half of the valley."""
    lowered = (valley().surface - cut_down(years, incision, interval).terrain.surface)[:, 200:300]
    bed = np.zeros(valley().surface.shape, np.bool_)
    bed.ravel()[middle_of(river_at(years), valley())] = True
    bed = np.max([np.roll(bed, (up, right), (0, 1)) for up in range(-5, 6) for right in range(-5, 6)], axis=0)
    flat = (np.abs(lowered) > 0.01) & ~bed[:, 200:300]
    numbers = np.rint(lowered / step)
    on_level = flat & (lowered - step * numbers >= -0.1) & (lowered - step * numbers < 0.8)
    return sum(int((on_level & (numbers == number)).sum()) > 80 for number in range(int(numbers.max()) + 1))


def test_rivers_that_cut_down_leave_terraces() -> None:
    assert [treads_of(years, 3.0) for years in (596.0, 1196.0)] == [2, 4]
    # Shorter waits make more of them, and without cutting the level beside the next one down is that of hills alone.
    assert treads_of(1196.0, 1.5, interval=150.0) > 5
    below = [(valley().surface - cut_down(1196.0, rate).terrain.surface)[60:101, 200:300] > 2.5 for rate in (0.0, 10.0)]
    assert below[0].mean() < 0.05 and below[1].mean() > 0.4
    done = cut_down(1000.0)
    assert abs(done.balance.error) <= 1e-9 * done.balance.before and done.balance.left > wandered().balance.left
    # It still carries its water: it cuts in slowly from above, and down to what it flows into.
    waters = waters_of(done.terrain)
    assert carrying(waters, bed_at(1000.0)) > 0.95
    assert waters.water_depth.ravel()[middle_of(river_at(1000.0), done.terrain)].max() < 0.5


def test_hills_stay_where_they_are() -> None:
    before, after = valley().surface, wandered().terrain.surface
    high = before - before.min(axis=0) > 25.0
    assert high.mean() > 0.2
    assert after[high].tobytes() == before[high].tobytes()


def test_its_bends_never_die_out() -> None:
    assert min(states[0].sinuosity for states in history().states[150::50]) > 1.3


def test_where_it_came_in_straight_they_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrain_addon.core.erosion.valley_floor._SWING", 0.0)
    straight = run(follow_rivers(valley(), PROCESS, waters=waters_of(valley())))
    assert straight.states[-1][0].sinuosity < 1.1


def test_without_walls_it_goes_on_into_them() -> None:
    process = PROCESS.replace(wall_height=1000.0)
    after = run(land_wandered(history(process), 1000.0)).terrain.surface
    high = valley().surface - valley().surface.min(axis=0) > 25.0
    assert after[high].tobytes() != valley().surface[high].tobytes()


@pytest.mark.parametrize(("cells", "wanders"), [(0.019, False), (0.021, True)])
def test_rivers_that_the_land_cannot_show_do_not_wander(cells: float, wanders: bool) -> None:
    """Their bends leave nothing on it, and on a wide land they would take minutes."""
    terrain = valley()
    widest = float(waters_of(terrain).rivers.width.max())
    # All rivers are narrower by the same factor.
    narrow = WATER.replace(river_width=WATER.river_width * cells * CELL / widest)
    waters = find_water(terrain.surface, CELL, narrow)
    assert float(waters.rivers.width.max()) == pytest.approx(cells * CELL, rel=1e-3)
    assert (find_valleys(terrain, waters, 0.3e6) is not None) == wanders


@pytest.mark.parametrize(
    ("terrain", "process", "why"),
    [
        (valley(fall=0.05), PROCESS.replace(smallest_river=0.3), "no wide valley floor falls by 0.5° or less"),
        (valley(), PROCESS.replace(smallest_river=1000.0), "none drains 1000 km²"),
        (valley(), PROCESS.replace(wall_height=0.1), "no wide valley floor"),
    ],
    ids=["steep", "small", "narrow"],
)
def test_where_no_river_can_wander_the_land_stays(terrain: Terrain, process: WanderingRivers, why: str) -> None:
    done = run(wander_rivers(terrain, process, waters=waters_of(terrain)))
    assert done.terrain.surface.tobytes() == terrain.surface.tobytes()
    assert done.terrain.sediment.tobytes() == terrain.sediment.tobytes()
    (notice,) = done.notices
    assert why in notice


def test_no_years_change_nothing_and_too_many_are_refused() -> None:
    assert wandered(0.0).terrain.surface.tobytes() == valley().surface.tobytes()
    with pytest.raises(ValueError, match=r"years = 3001.0 is outside 0.0 to 3000"):
        run(land_wandered(history(), 3001.0))


def test_years_go_on_smoothly() -> None:
    first, second, later = (wandered(years).terrain.surface for years in (600.0, 601.0, 640.0))
    near, far = np.abs(second - first), np.abs(later - first)
    assert 0.0 < near.mean() < 0.2 * far.mean()


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    before = thread_count()
    try:
        set_thread_count(1)
        alone = run(land_wandered(history(), 1000.0)).terrain.surface.tobytes()
    finally:
        set_thread_count(before)
    assert alone == wandered().terrain.surface.tobytes()


def test_finishing_early_gives_a_land() -> None:
    steps = wander_rivers(valley(), PROCESS, waters=waters_of(valley()))
    next(steps)
    with pytest.raises(StopIteration) as end:
        while True:
            steps.send(True)
    assert abs(end.value.value.balance.error) <= 1e-9 * end.value.value.balance.before


def test_finer_land_has_the_rivers_of_its_preview() -> None:
    coarse, fine = valley(), valley(321, 641, 7.5)
    seen = FoundRivers(coarse, waters_of(coarse))
    finer = run(follow_rivers(fine, PROCESS, waters=waters_of(fine), overview=seen))
    assert finer.states[-1][0].line.tobytes() == history().states[-1][0].line.tobytes()
    after = run(land_wandered(finer, 1000.0)).terrain.surface
    # They differ along banks, which lie between other samples.
    difference = np.abs(after[::2, ::2] - wandered().terrain.surface)
    assert np.median(difference) < 0.05
    assert (difference > 1.0).mean() < 0.03


def test_a_recipe_lists_it_and_its_years_follow_nothing_again() -> None:
    recipe = core.Recipe.preset("plains", resolution=129)
    cache_of_lands = core.Cache()
    lands = [
        core.build(
            recipe.replace(erosion=(*recipe.erosion, WanderingRivers(years=years))),
            extent="terrain",
            cache=cache_of_lands,
        )
        for years in (200.0, 600.0)
    ]
    assert "erosion 5: wandering rivers" in lands[0].balances
    assert lands[0].terrain.surface.tobytes() != lands[1].terrain.surface.tobytes()


def length_of_large_rivers(land: core.Landscape) -> float:
    """Metres of river that drain 40 km² and more."""
    rivers = land.waters.rivers
    gaps = np.hypot(np.diff(rivers.points[:, 0]), np.diff(rivers.points[:, 1]))
    gaps[rivers.first[1:-1] - 1] = 0.0
    return float(gaps[rivers.drainage_area[:-1] >= 40e6].sum())


def test_rivers_in_reaches_leave_their_old_courses_and_meet_in_beds_that_fall(monkeypatch: pytest.MonkeyPatch) -> None:
    beds: list[npt.NDArray[np.float64]] = []

    def remembered(bed: npt.NDArray[np.float64], cell_size: float, heights: npt.NDArray[np.float64]) -> None:
        beds.append(bed)
        cut_middle(bed, cell_size, heights)

    monkeypatch.setattr(wandering_rivers, "cut_middle", remembered)
    plain = core.Recipe.preset("plains", resolution=257, width=12_000.0, depth=12_000.0)
    before = plain.replace(erosion=tuple(one for one in plain.erosion if not isinstance(one, WanderingRivers)))
    after = before.replace(erosion=(*before.erosion, WanderingRivers(years=900.0)))
    straight, bent = (core.build(one, extent="maps") for one in (before, after))
    assert length_of_large_rivers(bent) > 1.8 * length_of_large_rivers(straight)

    joined, steps = 0, []
    for number, bed in enumerate(beds):
        steps.append(np.diff(bed[:, 3] - bed[:, 4]))
        cells = middle_of(bed, bent.terrain)
        rises = np.diff(bent.terrain.surface.ravel()[cells].astype(np.float64))
        assert (rises > 0.05).mean() < 0.01
        if bed[-1, :2].min() > 50.0 and bed[-1, :2].max() < 11_950.0:
            others = np.concatenate([one for other, one in enumerate(beds) if other != number])
            near = np.hypot(*(others[:, :2] - bed[-1, :2]).T).argmin()
            # In the middle of the other bed, and as high as it is two cells farther up.
            assert np.hypot(*(others[near, :2] - bed[-1, :2])) < 1.0
            assert abs(others[near, 3] - others[near, 4] - bed[-1, 3] + bed[-1, 4]) < 0.3
            joined += 1
    assert joined >= 2
    assert np.concatenate(steps).max() < 0.0


def test_no_bed_leads_through_hills() -> None:
    # Small rivers of hills, some of which end where no other river wanders.
    hills = core.Recipe.preset("rolling_hills", seed=8, resolution=97, width=16_000.0, depth=16_000.0)
    process = WanderingRivers(years=200.0, smallest_river=30.0)
    before, after = (
        core.build(hills.replace(erosion=erosion), extent="terrain").terrain.surface
        for erosion in (hills.erosion, (*hills.erosion, process))
    )
    # Rivers undercut walls that are somewhat higher than those which slow them down; a bed through a hill cuts 100 m.
    assert 1.0 < (before - after).max() < 3.0 * process.wall_height
