"""Ice: it flows as Halfar found, none is lost, and valleys become what glaciers make of them."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core import Terrain
from terrain_addon.core.erosion import glaciation
from terrain_addon.core.erosion.glaciation import Glaciation, IceHistory, follow_ice, glaciate, land_after
from terrain_addon.core.erosion.mass_balance import Eroded
from terrain_addon.core.flow.lakes import find_lakes
from terrain_addon.core.flow.routing import Router
from terrain_addon.core.foundation.compilation import set_thread_count, thread_count
from terrain_addon.core.foundation.progress import Steps, run
from terrain_addon.core.ice import ice_flow
from terrain_addon.core.ice.ice_climate import IceClimate
from terrain_addon.core.ice.ice_flow import FlowSteps, Ice, IceBalance, IceLaw, IceWeather, flow, ice_law, ice_on

pytestmark = pytest.mark.once

Heights = npt.NDArray[np.float64]
# No sliding and no fastest speed.
ONLY_GLEN = ice_law(0.0, 1e12, 0.0)
CALM = IceWeather(0.0, 0.0, 0.0)
SIDE, WIDTH = 97, 12_000.0
CELL = WIDTH / (SIDE - 1)
# Where the brook joins the valley, in metres from the south.
MOUTH = 3000.0


# --- Halfar's dome ----------------------------------------------------------------------------------------------------

DOME, RADIUS, SPAN = 600.0, 15_000.0, 44_000.0


def halfar(distance: Heights, age: float) -> Heights:
    """Thickness of the dome when it is so many times as old as at first; Halfar (1981), n = 3."""
    inside = 1.0 - (age ** (-1.0 / 18.0) * distance / RADIUS) ** (4.0 / 3.0)
    return np.asarray(DOME * age ** (-1.0 / 9.0) * np.maximum(inside, 0.0) ** (3.0 / 7.0))


def spread_dome(law: IceLaw, side: int = 81, steps: int = 100) -> tuple[Heights, Heights, Heights]:
    """Our dome and Halfar's at ten times its first age, and the distance from the middle."""
    x = np.linspace(-0.5 * SPAN, 0.5 * SPAN, side)
    distance = np.hypot(x[:, np.newaxis], x)
    first = (7.0 / 4.0) ** 3 * RADIUS**4 / (18.0 * ONLY_GLEN.deformation * DOME**7)
    ice = ice_on(np.zeros_like(distance), halfar(distance, 1.0))
    ages = first * np.geomspace(1.0, 10.0, steps + 1)
    for years in np.diff(ages):
        assert flow(ice, law, CALM, SPAN / (side - 1), float(years)) is not None
    return ice.thickness, halfar(distance, 10.0), distance


def test_a_dome_spreads_as_halfar_found() -> None:
    ours, his, distance = spread_dome(ONLY_GLEN)
    edge = RADIUS * 10.0 ** (1.0 / 18.0)
    inside = distance < 0.9 * edge
    assert np.abs(ours / np.where(inside, his, 1.0) - 1.0)[inside].max() < 0.01
    # At the edge, where Halfar's surface stands upright, a cell more or less counts.
    reached = np.sqrt((ours > 1.0).sum() / np.pi) * SPAN / 80.0
    assert reached == pytest.approx(edge, abs=0.75 * SPAN / 80.0)
    assert ours.sum() == pytest.approx(his.sum(), rel=2e-3)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_dome_of_other_ice_does_not(factor: float) -> None:
    ours, his, distance = spread_dome(ONLY_GLEN._replace(deformation=factor * ONLY_GLEN.deformation))
    inside = distance < 0.5 * RADIUS
    assert np.abs(ours[inside] / his[inside] - 1.0).max() > 0.03


# --- lands ------------------------------------------------------------------------------------------------------------


def v_valley(slope: float = 0.09) -> Heights:
    """A straight valley of V shape that falls to the south from a head wall; a brook joins it from the west."""
    x = np.linspace(0.0, WIDTH, SIDE)
    off, north = np.abs(x - 0.5 * WIDTH)[np.newaxis, :], x[:, np.newaxis]
    floor = slope * north + 1200.0 * np.clip((north - 10_000.0) / 2000.0, 0.0, 1.0)
    heights = np.minimum(floor + 0.55 * off, floor + 1100.0)
    brook = np.where(x < 0.5 * WIDTH, slope * MOUTH + 0.1 * off + 0.5 * np.abs(north - MOUTH), np.inf)
    return np.asarray(np.minimum(heights, np.maximum(brook, floor)), np.float64)


def land_of(heights: Heights, sediment: float = 0.0) -> Terrain:
    ground = heights.astype(np.float32)
    return Terrain(ground, np.full_like(ground, sediment), CELL)


@cache
def glaciated(years: float = 50_000.0, line: float = 600.0, slope: float = 0.09, meltwater: float = 0.9) -> Eroded:
    process = Glaciation(equilibrium_line_altitude=line, years=years, meltwater=meltwater)
    return run(glaciate(land_of(v_valley(slope), 3.0), process))


def carved() -> Eroded:
    """A land whose valleys hold no moraine: their shape is that of rock."""
    return glaciated(100_000.0, 700.0, meltwater=1.0)


def surface_of(done: Eroded) -> Heights:
    return done.terrain.surface.astype(np.float64)


# --- nothing is lost --------------------------------------------------------------------------------------------------


def live(ice: Ice, process: Glaciation, steps: int) -> IceBalance:
    pace, books = FlowSteps(10.0), IceBalance()
    for _ in range(steps):
        books = books.plus(pace.step(ice, process.ice.law, process.weather, CELL))
    return books


def test_ice_for_which_no_step_is_short_enough_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ice_flow, "flow", lambda *_: None)
    with pytest.raises(ValueError, match="1e-06 years or more; lower the resolution"):
        live(ice_on(v_valley()), Glaciation(), 1)


def test_the_mass_balance_of_the_ice_closes() -> None:
    for line in (300.0, 900.0):
        ice = ice_on(v_valley())
        books = live(ice, Glaciation(equilibrium_line_altitude=line), 80)
        volume = ice.thickness[1:-1, 1:-1].sum() * CELL**2
        assert min(books.fallen, books.melted, books.left) > 0.0
        assert ice.thickness.min() >= 0.0
        assert books.fallen - books.melted - books.left == pytest.approx(volume, rel=1e-9)


def test_the_mass_balance_of_the_rock_closes() -> None:
    before = land_of(v_valley(), 3.0)
    for meltwater in (0.0, 0.9):
        done = glaciated(meltwater=meltwater)
        balance, area = done.balance, CELL**2
        assert abs(balance.error) <= 1e-9 * balance.before
        rock = (before.bedrock - done.terrain.bedrock).sum(dtype=np.float64) * area
        laid = (done.terrain.sediment - before.sediment).sum(dtype=np.float64) * area
        assert rock > 1e9
        assert rock == pytest.approx(laid + balance.left, rel=1e-4)
        assert done.terrain.sediment.min() >= 0.0
        assert (done.terrain.bedrock <= before.bedrock).all()


def test_less_meltwater_leaves_more_moraine() -> None:
    with_less, with_more = (glaciated(meltwater=share).terrain.sediment.mean() for share in (0.0, 0.9))
    assert with_less > with_more + 1.0


def test_moraine_slides_once_the_ice_has_melted(monkeypatch: pytest.MonkeyPatch) -> None:
    def steepest() -> float:
        """Of the ground that is moraine on top, from a cell to the next, in degrees."""
        land = run(land_after(history, 2000.0)).terrain
        height, there = land.surface.astype(np.float64), land.sediment > 3.5
        falls = [(height - np.roll(height, step, axis))[there].max() for axis in (0, 1) for step in (1, -1)]
        return float(np.degrees(np.arctan(max(falls) / CELL)))

    process = Glaciation(equilibrium_line_altitude=600.0, meltwater=0.0, erodibility=1e-3)
    # Walls stand around the land, or it would lie beside its other side.
    history = begun(follow_ice(land_of(np.pad(v_valley()[1:-1, 1:-1], 1, constant_values=3000.0), 3.0), process), 200)
    assert steepest() < 35.2
    monkeypatch.setattr(glaciation, "MORAINE_ANGLE", 89.0)
    assert steepest() > 45.0


# --- what glaciers make -----------------------------------------------------------------------------------------------


def width_exponents(heights: Heights) -> list[float]:
    """The exponents b of z = a |x|ᵇ in some sections of the valley, fitted in logarithms up to its shoulders."""
    found = []
    for section in heights[round(6000.0 / CELL) : round(8000.0 / CELL)]:
        away = np.abs(np.arange(SIDE) - section.argmin()) * CELL
        wall = (away >= 250.0) & (away <= 1000.0)
        found.append(float(np.polyfit(np.log(away[wall]), np.log(section[wall] - section.min()), 1)[0]))
    return found


def test_a_v_becomes_a_u() -> None:
    before, after = (np.median(width_exponents(z)) for z in (v_valley(), surface_of(carved())))
    assert before == pytest.approx(1.0, abs=0.05)
    assert 1.5 <= after <= 2.2


def test_it_stays_a_v_where_narrow_valleys_do_not_hold_their_ice() -> None:
    not_held = IceClimate(constriction=0.0)
    process = Glaciation(equilibrium_line_altitude=700.0, years=100_000.0, meltwater=1.0, ice=not_held)
    assert np.median(width_exponents(surface_of(run(glaciate(land_of(v_valley(), 3.0), process))))) < 1.4


def hanging(heights: Heights) -> float:
    """By how much the bed of the brook, 2.5 km up from its mouth, is above the floor of the main valley, in metres."""
    row, middle, away = round(MOUTH / CELL), SIDE // 2, round(2500.0 / CELL)
    return float(heights[row - 2 : row + 3, middle - away].min() - heights[row, middle - 3 : middle + 4].min())


def test_tributaries_hang() -> None:
    assert hanging(surface_of(carved())) > hanging(v_valley()) + 40.0


def lakes_of(heights: Heights) -> float:
    """Volume in m³ of lakes that are more than 5 m deep."""
    router = Router(heights.shape)
    router.route(heights.astype(np.float32))
    return float(find_lakes(heights.astype(np.float32), CELL, router.basins, shallowest=5.0).volume.sum())


def test_basins_become_lakes() -> None:
    assert lakes_of(v_valley(0.03)) == 0.0
    # All debris is washed away: these lakes lie in rock.
    assert lakes_of(surface_of(glaciated(80_000.0, line=1200.0, slope=0.03, meltwater=1.0))) > 1e6


def test_more_years_wear_more() -> None:
    history = run(follow_ice(land_of(v_valley(), 3.0), Glaciation(equilibrium_line_altitude=600.0)))
    volumes = [run(land_after(history, years)).balance.after for years in (0.0, 5000.0, 20_000.0, 80_000.0)]
    assert volumes == sorted(volumes, reverse=True)
    assert len(set(volumes)) == 4
    # The history does not depend on the age that was asked for first.
    again = run(land_after(history, 50_000.0)).terrain.surface
    assert again.tobytes() == glaciated().terrain.surface.tobytes()


# --- no ice, no change ------------------------------------------------------------------------------------------------


def test_no_ice_changes_nothing_and_says_so() -> None:
    land = land_of(v_valley(), 3.0)
    no_snow = Glaciation(equilibrium_line_altitude=600.0, ice=IceClimate(maximum_accumulation=0.0))
    for process in (Glaciation(equilibrium_line_altitude=5000.0), no_snow):
        done = run(glaciate(land, process))
        assert done.terrain.surface.tobytes() == land.surface.tobytes()
        assert done.balance.left == 0.0
        assert len(done.notices) == 1 and "no glacier formed" in done.notices[0]
    assert glaciated().notices == ()


# --- the same on any number of threads --------------------------------------------------------------------------------


def test_threads_do_not_change_a_bit() -> None:
    side = 161  # so many cells that threads share them
    x = np.linspace(0.0, WIDTH, side)
    heights = (0.09 * x[:, np.newaxis] + 0.55 * np.abs(x - 0.5 * WIDTH)).astype(np.float32)
    land = Terrain(heights, np.zeros_like(heights), WIDTH / (side - 1))
    process = Glaciation(equilibrium_line_altitude=600.0)
    before, made = thread_count(), []
    try:
        for threads in {1, before}:
            set_thread_count(threads)
            history = begun(follow_ice(land, process), 40)
            made.append(run(land_after(history, 1000.0)).terrain)
    finally:
        set_thread_count(before)
    assert np.ptp(made[0].surface - land.surface) > 0.5
    assert len({one.bedrock.tobytes() + one.sediment.tobytes() for one in made}) == 1


def begun(steps: Steps[IceHistory], count: int) -> IceHistory:
    """A history that is asked to finish early after so many steps."""
    try:
        for _ in range(count):
            next(steps)
        while True:
            steps.send(True)
    except StopIteration as end:
        history: IceHistory = end.value
        return history
