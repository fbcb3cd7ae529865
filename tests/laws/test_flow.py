"""Water is conserved, never flows in a circle, and takes the paths that an independent search finds."""

import heapq
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from terrain_addon.core.flow.drainage import catchments, drainage_area, strahler_order
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.flow.lakes import find_lakes
from terrain_addon.core.flow.multiple_flow import accumulate_flow
from terrain_addon.core.flow.rivers import trace_rivers
from terrain_addon.core.flow.routing import FlowRoutes, Router, route_flow
from terrain_addon.core.flow.water import Water, find_water
from terrain_addon.core.foundation import compilation

pytestmark = pytest.mark.once

LANDS = st.tuples(st.integers(0, 2**31), st.integers(1, 30), st.integers(1, 30), st.sampled_from([0, 2, 5, 1000]))
ROUGH = st.tuples(st.integers(0, 2**31), st.integers(3, 40), st.integers(3, 40), st.just(0))
SEAS = st.sampled_from([None, 0.0, 30.0, 60.0, 1000.0])
ELEVATION = Path(__file__).parents[2] / "terrain_addon" / "presets" / "elevation" / "big_tujunga.npz"
NEIGHBOURS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]


def land(spec: tuple[int, int, int, int]) -> np.ndarray:
    """Rough land; with few levels it is full of flats."""
    seed, rows, columns, levels = spec
    heights = np.random.default_rng(seed).uniform(0, 100, (rows, columns))
    return (np.round(heights / 100 * levels) * 10 if levels else heights).astype(np.float32)


def big_tujunga(row: int, column: int, side: int = 120) -> np.ndarray:
    """A window of real land.  Heights in whole metres have many ties; a random fraction breaks them."""
    heights = np.load(ELEVATION)["elevation"][row : row + side, column : column + side]
    return (heights + np.random.default_rng(1).uniform(-0.4, 0.4, heights.shape)).astype(np.float32)


def border(shape: tuple[int, int]) -> np.ndarray:
    edge = np.ones(shape, bool)
    edge[1:-1, 1:-1] = False
    return edge


def flood(surface: np.ndarray, sea_level: float | None = None) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Priority flood (Barnes, Lehman & Mulla 2014): filled heights, the cell that flooded each, and the order."""
    rows, columns = surface.shape
    outlets = border(surface.shape)
    if sea_level is not None:
        outlets |= surface <= sea_level
    filled, source = surface.copy(), np.full(surface.shape, -1)
    heap = [(surface[r, c], r * columns + c) for r, c in zip(*np.nonzero(outlets))]
    heapq.heapify(heap)
    seen, order = outlets.copy(), []
    while heap:
        level, cell = heapq.heappop(heap)
        order.append(cell)
        r, c = divmod(cell, columns)
        for dr, dc in NEIGHBOURS:
            i, j = r + dr, c + dc
            if 0 <= i < rows and 0 <= j < columns and not seen[i, j]:
                seen[i, j] = True
                filled[i, j] = max(surface[i, j], level)
                source[i, j] = cell
                heapq.heappush(heap, (filled[i, j], i * columns + j))
    return filled, source, order


def flooded_routes(surface: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Receivers on the filled land: the steepest way down; in a lake the cell from which each was flooded."""
    filled, source, order = flood(surface)
    rows, columns = surface.shape
    receivers = np.arange(surface.size).reshape(surface.shape)
    for r in range(1, rows - 1):
        for c in range(1, columns - 1):
            slopes = [(filled[r, c] - filled[r + dr, c + dc]) / np.hypot(dr, dc) for dr, dc in NEIGHBOURS]
            k = int(np.argmax(slopes))
            dr, dc = NEIGHBOURS[k]
            receivers[r, c] = (r + dr) * columns + c + dc if slopes[k] > 0 else source[r, c]
    return receivers.ravel(), order


def gathered(receivers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of cells that drain through each, and its outlet, found by following the whole path of each cell."""
    count, outlet = np.zeros(receivers.size, np.int64), np.empty(receivers.size, np.int64)
    for start in range(receivers.size):
        cell = start
        for _ in range(receivers.size + 1):
            count[cell] += 1
            if receivers[cell] == cell:
                break
            cell = receivers[cell]
        else:
            raise AssertionError(f"water from cell {start} flows in a circle")
        outlet[start] = cell
    return count, outlet


def ends(routes: FlowRoutes) -> np.ndarray:
    return (routes.receivers == np.arange(routes.receivers.size)).reshape(routes.shape)


@given(LANDS, SEAS)
def test_every_cell_drains_to_the_border_or_the_sea(spec: tuple[int, int, int, int], sea_level: float | None) -> None:
    surface = land(spec)
    routes = route_flow(surface, 3.0, sea_level=sea_level)
    count, outlet = gathered(routes.receivers)
    expected = border(surface.shape) | (surface <= (-np.inf if sea_level is None else sea_level))
    np.testing.assert_array_equal(ends(routes), expected)
    np.testing.assert_array_equal(drainage_area(routes).ravel(), count * 9.0)
    np.testing.assert_array_equal(catchments(routes).ravel(), outlet)


@given(LANDS)
def test_receivers_are_neighbours_and_come_first(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    routes = route_flow(surface, 1.0)
    place = np.full(surface.size, -1)
    place[routes.order] = np.arange(surface.size)
    assert sorted(routes.order.tolist()) == list(range(surface.size))
    moves = ~ends(routes).ravel()
    assert (place[routes.receivers] < place)[moves].all()
    columns = surface.shape[1]
    cell = np.arange(surface.size)
    rise = routes.receivers // columns - cell // columns, routes.receivers % columns - cell % columns
    for k, step in enumerate(NEIGHBOURS):
        np.testing.assert_array_equal((rise[0] == step[0]) & (rise[1] == step[1]), routes.directions == k)


@given(LANDS)
def test_water_goes_down_the_filled_land(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    filled = fill_depressions(surface).ravel()
    assert (filled[route_flow(surface, 1.0).receivers] <= filled).all()


@given(ROUGH)
def test_outside_depressions_it_takes_the_steepest_way(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    receivers = route_flow(surface, 1.0).receivers.reshape(surface.shape)
    filled = fill_depressions(surface)
    rows, columns = surface.shape
    for r in range(1, rows - 1):
        for c in range(1, columns - 1):
            slopes = [(surface[r, c] - surface[r + dr, c + dc]) / np.float32(np.hypot(dr, dc)) for dr, dc in NEIGHBOURS]
            dr, dc = NEIGHBOURS[int(np.argmax(slopes))]
            if max(slopes) > 0 and filled[r, c] == surface[r, c] and filled[r + dr, c + dc] < filled[r, c]:
                assert receivers[r, c] == (r + dr) * columns + c + dc


@given(LANDS, SEAS)
def test_filling_is_that_of_a_priority_flood(spec: tuple[int, int, int, int], sea_level: float | None) -> None:
    surface = land(spec)
    np.testing.assert_array_equal(fill_depressions(surface, sea_level), flood(surface, sea_level)[0])


@given(LANDS)
def test_filling_is_reconstruction_by_erosion(spec: tuple[int, int, int, int]) -> None:
    """Vincent 1993: from above, erode until nothing changes, never below the surface."""
    surface = land(spec)
    level = np.where(border(surface.shape), surface, np.float32(np.inf))
    while True:
        lower = np.maximum(ndimage.minimum_filter(level, 3, mode="nearest"), surface)
        if (lower == level).all():
            break
        level = lower
    np.testing.assert_array_equal(fill_depressions(surface), level)


@given(LANDS)
def test_filling_twice_changes_nothing(spec: tuple[int, int, int, int]) -> None:
    filled = fill_depressions(land(spec))
    np.testing.assert_array_equal(fill_depressions(filled), filled)


@given(LANDS, SEAS, st.sampled_from([0.3, 1.0, 1.1, 8.0]), st.sampled_from(["slope", "drop"]))
def test_all_water_arrives(
    spec: tuple[int, int, int, int], sea_level: float | None, exponent: float, share_by: str
) -> None:
    surface = land(spec)
    rain = np.random.default_rng(spec[0]).uniform(0, 3, surface.shape).astype(np.float32)
    fallen = 9.0 * rain.sum(dtype=np.float64)
    routes = route_flow(surface, 3.0, sea_level=sea_level)
    one = drainage_area(routes, rain)
    many = accumulate_flow(surface, 3.0, rain=rain, exponent=exponent, share_by=share_by, sea_level=sea_level)
    for area in (one, many):
        assert np.isclose(area[ends(routes)].sum(), fallen, rtol=1e-12)
        assert (area >= 9.0 * rain.astype(np.float64) * (1 - 1e-12)).all()


@given(ROUGH)
def test_multiple_flow_equals_a_plain_one(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    filled = fill_depressions(surface).astype(np.float64)
    area = np.ones(surface.shape)
    receivers, columns = route_flow(surface, 1.0).receivers, surface.shape[1]
    # Down the filled land; within a lake the order of the routes decides.
    depth = np.zeros(surface.size, np.int64)
    for cell in route_flow(surface, 1.0).order:
        depth[cell] = depth[receivers[cell]] + 1 if receivers[cell] != cell else 0
    for cell in np.lexsort((depth, filled.ravel()))[::-1]:
        r, c = divmod(int(cell), columns)
        if receivers[cell] == cell:
            continue
        drops = {(r + i, c + j): filled[r, c] - filled[r + i, c + j] for i, j in NEIGHBOURS}
        shares = {p: (d / np.hypot(p[0] - r, p[1] - c)) ** 1.1 for p, d in drops.items() if d > 0}
        shares = shares or {divmod(int(receivers[cell]), columns): 1.0}
        for place, share in shares.items():
            area[place] += area[r, c] * share / sum(shares.values())
    np.testing.assert_allclose(accumulate_flow(surface, 1.0), area, rtol=1e-4)


@given(ROUGH, st.integers(0, 3), st.booleans())
def test_turning_the_land_turns_its_water(spec: tuple[int, int, int, int], turns: int, mirrored: bool) -> None:
    surface = land(spec)

    def turn(field: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.rot90(field[:, ::-1] if mirrored else field, turns))

    turned = turn(surface)
    np.testing.assert_array_equal(fill_depressions(turned), turn(fill_depressions(surface)))
    before, after = (drainage_area(route_flow(s, 1.0)) for s in (surface, turned))
    np.testing.assert_array_equal(after, turn(before))
    np.testing.assert_allclose(accumulate_flow(turned, 1.0), turn(accumulate_flow(surface, 1.0)), rtol=1e-9)


def test_a_tie_may_break_the_symmetry() -> None:
    """The law above can fail: on flats it does."""
    surface = land((3, 30, 30, 2))
    before, after = (drainage_area(route_flow(s, 1.0)) for s in (surface, np.ascontiguousarray(surface[:, ::-1])))
    assert not np.array_equal(after, before[:, ::-1])


@pytest.mark.parametrize(("row", "column"), [(0, 0), (130, 10), (60, 100)])
def test_real_land_drains_as_an_independent_search_says(row: int, column: int) -> None:
    surface = big_tujunga(row, column)
    receivers, _ = flooded_routes(surface)
    count, outlet = gathered(receivers)
    routes = route_flow(surface, 1.0)
    assert drainage_area(routes).max() == pytest.approx(count.max(), rel=0.01)
    assert int(drainage_area(routes).argmax()) == int(count.argmax())
    assert (catchments(routes).ravel() == outlet).mean() > 0.99
    np.testing.assert_array_equal(fill_depressions(surface), flood(surface)[0])


@given(LANDS)
def test_lakes_hold_what_filling_adds(spec: tuple[int, int, int, int]) -> None:
    surface = land(spec)
    router = Router(surface.shape)
    router.route(surface)
    lakes = find_lakes(surface, 2.0, router.basins)
    filled = fill_depressions(surface)
    depth = filled - surface
    assert np.isclose(lakes.volume.sum(), 4.0 * depth.sum(dtype=np.float64))
    np.testing.assert_array_equal(lakes.labels >= 0, depth > 0)
    # Each is one piece of water, with one level, and its sill is as high as that.
    pieces, count = ndimage.label(depth > 0, np.ones((3, 3)))
    assert count == len(lakes)
    for lake in range(len(lakes)):
        wet = lakes.labels == lake
        assert len(set(pieces[wet])) == 1
        assert set(filled[wet]) == {lakes.level[lake]}
        assert surface.ravel()[lakes.outlet[lake]] == lakes.level[lake]
        # On land without ties it lies beside the water.
        assert spec[3] or ndimage.binary_dilation(wet, np.ones((3, 3))).ravel()[lakes.outlet[lake]]
        assert lakes.area[lake] == 4.0 * wet.sum()
        assert lakes.greatest_depth[lake] == depth[wet].max()
    assert (np.diff(lakes.area) <= 0).all()


@given(LANDS, st.sampled_from([1.0, 5.0, 20.0]))
def test_rivers_never_climb_and_cover_the_channels(spec: tuple[int, int, int, int], source: float) -> None:
    surface = land(spec)
    routes = route_flow(surface, 1.0)
    area = drainage_area(routes)
    filled = fill_depressions(surface)
    rivers = trace_rivers(routes, area, filled, river_source=source)
    columns = surface.shape[1]
    covered = np.zeros(surface.size, np.int64)
    for river in range(len(rivers)):
        points = slice(rivers.first[river], rivers.first[river + 1])
        cell, line = rivers.cell[points], rivers.points[points]
        np.testing.assert_array_equal(routes.receivers[cell[:-1]], cell[1:])
        assert (np.diff(line[:, 2]) <= 0).all() and (np.diff(rivers.drainage_area[points]) >= 0).all()
        assert (area.ravel()[cell] >= source).all()
        assert max(abs(line[:, 0] - cell % columns).max(), abs(line[:, 1] - cell // columns).max()) <= 0.5
        joins = rivers.joins[river]
        if joins >= 0:
            assert joins < river and rivers.first[joins] <= rivers.joins_at[river] < rivers.first[joins + 1]
            assert rivers.cell[rivers.joins_at[river]] == cell[-1]
            cell = cell[:-1]
        else:
            assert routes.receivers[cell[-1]] == cell[-1]
        covered[cell] += 1
    assert covered.max(initial=0) <= 1
    # What is left out is short: no way of four channel cells outside the lines.
    left = np.flatnonzero((area.ravel() >= source) & (covered == 0))
    for _ in range(3):
        left = np.unique(
            [routes.receivers[c] for c in left if routes.receivers[c] != c and not covered[routes.receivers[c]]]
        )
    assert left.size == 0


@given(ROUGH)
def test_stream_order_follows_strahler(spec: tuple[int, int, int, int]) -> None:
    routes = route_flow(land(spec), 1.0)
    area = drainage_area(routes)
    order = strahler_order(routes, area, 4.0).ravel()
    for cell in range(order.size):
        donors = np.flatnonzero((routes.receivers == cell) & (np.arange(order.size) != cell))
        above = sorted(order[donors].tolist(), reverse=True)
        highest = above[0] if above else 0
        expected = highest + 1 if highest and above[1:2] == [highest] else max(highest, 1)
        assert order[cell] == (expected if area.ravel()[cell] >= 4.0 else 0)


def test_threads_do_not_matter() -> None:
    surface = land((5, 150, 130, 0))
    before = compilation.thread_count()
    results = []
    try:
        for threads in (1, 2):
            compilation.set_thread_count(threads)
            waters = find_water(surface, 30.0, Water(river_source=0.01))
            fields = [waters.water_level, waters.drainage_area, waters.rivers.points, waters.lakes.labels]
            fields.append(accumulate_flow(surface, 30.0))
            results.append([field.tobytes() for field in fields])
    finally:
        compilation.set_thread_count(before)
    assert results[0] == results[1]
