"""Rivers from beyond a land: their water is added where they enter, neither lost nor made, at every resolution."""

from dataclasses import replace

import numpy as np
import pytest

from terrain_addon import core
from terrain_addon.core.building.layers import Relief
from terrain_addon.core.ecosystem.ecosystem import Ecosystem
from terrain_addon.core.erosion.deposition import Deposition
from terrain_addon.core.erosion.stream_power import StreamPower
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.inflows import Inflow, inlets_of
from terrain_addon.core.flow.routing import Router
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.relief.fractal_noise import FractalNoise

pytestmark = pytest.mark.once

SIZE = 4000.0
ENTERS = Inflow(x=0.0, y=2000.0, drainage_area=5e9)


def hilly(resolution: int = 65, inflows: tuple[Inflow, ...] = (ENTERS,), **changes: object) -> core.Recipe:
    """A land of hills."""
    return core.Recipe(
        seed=5,
        width=SIZE,
        depth=SIZE,
        resolution=resolution,
        relief=Relief.of(FractalNoise(wavelength=2000.0, height=400.0)),
        water=Water(inflows=inflows),
        ecosystem=Ecosystem(species=()),
    ).replace(**changes)


def ground(resolution: int = 65) -> np.ndarray:
    return core.build(hilly(resolution, erosion=()), extent="terrain").terrain.surface


def leaving(surface: np.ndarray, cell_size: float, inflows: tuple[Inflow, ...]) -> float:
    """Drainage area of all outlets together."""
    inlets = inlets_of(inflows, surface.shape, cell_size)
    router = Router(surface.shape, inlets=inlets)
    router.route(surface)
    routes = router.routes(cell_size)
    area = drainage_area(routes, inlets=inlets).ravel()
    return float(area[routes.receivers == np.arange(area.size)].sum())


@pytest.mark.parametrize("inflows", [(ENTERS,), (ENTERS, ENTERS), (ENTERS, Inflow(x=4000.0, y=500.0)), (Inflow(),)])
def test_what_flows_in_flows_out(inflows: tuple[Inflow, ...]) -> None:
    surface, cell_size = ground(), SIZE / 64
    without = leaving(surface, cell_size, ())
    assert without == pytest.approx(65**2 * cell_size**2, rel=1e-12)
    more = leaving(surface, cell_size, inflows) - without
    assert more == pytest.approx(sum(one.drainage_area for one in inflows), rel=1e-12)


def test_without_inflows_nothing_changes() -> None:
    recipe = hilly(inflows=())
    dry = core.build(recipe.replace(water=Water(inflows=(replace(ENTERS, drainage_area=0.0),))), extent="maps")
    bare = core.build(recipe, extent="maps")
    assert dry.terrain.surface.tobytes() == bare.terrain.surface.tobytes()
    assert dry.maps["drainage"].tobytes() == bare.maps["drainage"].tobytes()


@pytest.mark.parametrize("resolution", [65, 129])
def test_a_river_enters_with_its_width_and_crosses_the_land(resolution: int) -> None:
    recipe = hilly(resolution, erosion=(StreamPower(), Deposition()))
    land = core.build(recipe, extent="maps")
    rivers = land.waters.rivers
    largest = int(np.argmax(np.diff(rivers.first) * (rivers.drainage_area[rivers.first[:-1]] >= 5e9)))
    course = slice(rivers.first[largest], rivers.first[largest + 1])
    # It begins where it enters, as wide as its drainage area says: w ∝ √A.
    begin = rivers.points[rivers.first[largest]]
    assert np.abs(begin[:2] - (ENTERS.x, ENTERS.y)).max() <= recipe.cell_size
    assert rivers.width[course.start] == pytest.approx(Water().river_width * np.sqrt(5e9 * 1e-6), rel=1e-3)
    # It never rises, and it goes far into the land.
    assert (np.diff(rivers.points[course, 2]) <= 0.0).all()
    assert rivers.points[course, 0].max() > 0.25 * SIZE
    # It has cut its valley: the land there is lower than where nothing flows in.
    dry = core.build(recipe.replace(water=Water()), extent="terrain").terrain.surface.ravel()
    cut = dry[rivers.cell[course]] - land.terrain.surface.ravel()[rivers.cell[course]]
    assert cut.mean() > 10.0


def test_a_preview_has_the_river_of_the_final_land() -> None:
    coarse, fine = (
        core.build(hilly(resolution, erosion=(StreamPower(),)), extent="maps").maps["drainage"]
        for resolution in (65, 257)
    )
    is_river = coarse >= 5e9
    near = np.lib.stride_tricks.sliding_window_view(np.pad(fine >= 5e9, 12), (25, 25)).any(axis=(2, 3))[::4, ::4]
    assert (is_river & near).sum() > 0.8 * is_river.sum() > 8.0


def test_springs_inside_close_no_border() -> None:
    spring = Inflow(x=2000.0, y=2000.0, drainage_area=1e6)
    inlets = inlets_of((spring,), (65, 65), SIZE / 64)
    assert inlets is not None and inlets.closed.size == 0 and inlets.cells.tolist() == [32 * 65 + 32]
    area = find_water(ground(), SIZE / 64, Water(inflows=(spring,))).drainage_area
    assert area[32, 32] >= 1e6


def test_lakes_on_the_border_close_it_and_leave_some_open() -> None:
    lake = np.array([0, 1, 5, 6, 7])  # the south-west corner and the middle of a land of 4 by 5
    closed = inlets_of((), (4, 5), 10.0, lake)
    assert closed is not None and closed.closed.tolist() == [0, 1, 5] and closed.cells.size == 0
    assert inlets_of((), (4, 5), 10.0, np.array([6, 7])) is None
    with_river = inlets_of((Inflow(x=40.0, y=30.0),), (4, 5), 10.0, lake)
    assert with_river is not None and with_river.closed.tolist() == [0, 1, 5, 19]
    flooded = inlets_of((), (4, 5), 10.0, np.arange(20))
    assert flooded is not None and flooded.closed.size == 13


@pytest.mark.parametrize("shape", [(2, 2), (1, 5), (3, 3), (2, 9)])
def test_some_of_the_border_stays_open(shape: tuple[int, int]) -> None:
    everywhere = tuple(Inflow(x=10.0 * column, y=10.0 * row) for row in range(shape[0]) for column in range(shape[1]))
    surface = np.zeros(shape, np.float32)
    water = find_water(surface, 10.0, Water(inflows=everywhere, rivers=False))
    assert float(water.drainage_area.max()) >= 1e6
    assert leaving(surface, 10.0, everywhere) == pytest.approx(shape[0] * shape[1] * (1e6 + 100.0))


def test_inflows_that_cannot_be_are_refused_in_a_sentence() -> None:
    for inflow, words in (
        ({"drainage_area": -1.0}, r"drainage_area = -1.0 m² is outside 0.0 to 1"),
        ({"x": -5.0}, "x = -5.0 m is outside 0.0 to"),
        ({"drainage_area": float("nan")}, "drainage_area"),
    ):
        with pytest.raises(ValueError, match=words):
            Inflow(**inflow)
    with pytest.raises(ValueError, match="inflow 2 at x = 5000 m, y = 0 m is outside the land, 0 to 4000 m"):
        hilly(inflows=(ENTERS, Inflow(x=5000.0)))
    with pytest.raises(ValueError, match="inflow 1 at x = 50 m"):
        find_water(np.zeros((4, 4), np.float32), 10.0, Water(inflows=(Inflow(x=50.0),)))


def test_inflows_are_part_of_the_recipe() -> None:
    recipe = hilly()
    assert core.Recipe.loads(recipe.dumps()) == recipe
    assert recipe.water.inflows == (ENTERS,)
