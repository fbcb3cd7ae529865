"""Flow on land so small that the answer is known: pits, flats, lakes, rivers, and what is refused."""

import numpy as np
import pytest

from terrain_addon.core.flow.basins import Basins, find_basins
from terrain_addon.core.flow.directions import OUTLET, PIT, find_directions
from terrain_addon.core.flow.drainage import catchments, drainage_area, strahler_order
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.flow.lakes import find_lakes
from terrain_addon.core.flow.multiple_flow import accumulate_flow
from terrain_addon.core.flow.rivers import Rivers, trace_rivers
from terrain_addon.core.flow.routing import FlowRoutes, Router, route_flow
from terrain_addon.core.flow.water import Water, find_water

pytestmark = pytest.mark.once


def land(*rows: list[float]) -> np.ndarray:
    """Heights as on a map: the first row given is the northernmost."""
    return np.array(rows[::-1], np.float32)


def receiver(routes: FlowRoutes, row: int, column: int) -> tuple[int, int]:
    below = int(routes.receivers[row * routes.shape[1] + column])
    return divmod(below, routes.shape[1])


# A bowl with a bottom of 1 and a notch of 4 in its eastern rim.
BOWL = land(
    [9, 9, 9, 9, 9],
    [9, 6, 5, 6, 9],
    [9, 5, 1, 5, 4],
    [9, 6, 5, 6, 9],
    [9, 9, 9, 9, 9],
)

# Two bottoms, 2 in the west and 1 in the east, 3 between them, 5 out over the southern rim of the western one.
TWO_POOLS = land(
    [9, 9, 9, 9, 9],
    [9, 9, 9, 9, 9],
    [9, 2, 3, 1, 9],
    [9, 5, 9, 9, 9],
    [9, 4, 9, 9, 9],
)


class TestDirections:
    def test_steepest_is_by_slope_not_by_drop(self) -> None:
        surface = land([9, 9, 0], [9, 10, 2], [9, 9, 9])
        # 8 over 1 is steeper than 10 over √2 = 7.07.
        assert receiver(route_flow(surface, 1.0), 1, 1) == (1, 2)
        surface[1, 2] = 4.0
        assert receiver(route_flow(surface, 1.0), 1, 1) == (2, 2)

    @pytest.mark.parametrize("towards", [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)])
    def test_each_of_eight_ways(self, towards: tuple[int, int]) -> None:
        surface = np.full((3, 3), 5.0, np.float32)
        surface[1, 1], surface[towards] = 4.0, 1.0
        assert receiver(route_flow(surface, 1.0), 1, 1) == towards

    def test_border_lets_water_out(self) -> None:
        routes = route_flow(BOWL, 1.0)
        own = (routes.receivers == np.arange(25)).reshape(5, 5)
        assert own[[0, -1]].all() and own[:, [0, -1]].all() and not own[1:-1, 1:-1].any()

    def test_pit_is_carved_through_the_notch(self) -> None:
        routes = route_flow(BOWL, 1.0)
        assert receiver(routes, 2, 2) == (2, 3)
        assert receiver(routes, 2, 3) == (2, 4)
        assert receiver(routes, 1, 1) == (2, 2)
        assert drainage_area(routes)[2, 4] == 10.0

    def test_water_goes_through_one_pool_into_the_next(self) -> None:
        routes = route_flow(TWO_POOLS, 1.0)
        way = [(2, 3)]
        while receiver(routes, *way[-1]) != way[-1]:
            way.append(receiver(routes, *way[-1]))
        assert way == [(2, 3), (2, 2), (2, 1), (1, 1), (0, 1)]

    def test_flat_drains_to_its_end_by_a_shortest_way(self) -> None:
        surface = np.full((7, 9), 5.0, np.float32)
        surface[[0, -1]], surface[:, [0, -1]] = 9.0, 9.0
        surface[3, 8] = 5.0
        routes = route_flow(surface, 1.0)
        for row in range(1, 6):
            for column in range(1, 8):
                steps, cell = 0, (row, column)
                while receiver(routes, *cell) != cell:
                    cell, steps = receiver(routes, *cell), steps + 1
                assert cell == (3, 8) and steps == max(8 - column, abs(row - 3))

    def test_sea_takes_all_that_comes(self) -> None:
        routes = route_flow(BOWL, 1.0, sea_level=1.0)
        assert receiver(routes, 2, 2) == (2, 2)
        assert drainage_area(routes)[2, 2] == 9.0
        assert fill_depressions(BOWL, 1.0)[2, 2] == 1.0

    def test_kernels_see_the_pit_before_it_is_carved(self) -> None:
        directions = np.empty(BOWL.shape, np.uint8)
        find_directions(BOWL, -np.inf, directions)
        assert directions[2, 2] == PIT and directions[0, 0] == OUTLET
        basins = find_basins(BOWL, directions)
        assert len(basins) == 2 and basins.level[1] == 5.0 and basins.pit[1] == 12
        assert (basins.pass_from[1], basins.pass_to[1]) == (13, 14)

    def test_float64_is_not_rounded(self) -> None:
        surface = np.full((3, 3), 1.0)
        surface[1, 1], surface[1, 0] = 1.0 + 2e-12, 1.0 - 1e-12
        assert receiver(route_flow(surface, 1.0), 1, 1) == (1, 0)

    def test_router_forgets_the_last_surface(self) -> None:
        router = Router(BOWL.shape)
        router.route(TWO_POOLS)
        router.route(BOWL)
        np.testing.assert_array_equal(router.routes(1.0).receivers, route_flow(BOWL, 1.0).receivers)
        router.route(np.zeros_like(BOWL))
        assert router.basins is None


class TestFilling:
    def test_bowl_is_full_to_its_sill(self) -> None:
        expected = BOWL.copy()
        # The notch is 4, but the way to it leads over 5.
        expected[2, 2] = 5.0
        np.testing.assert_array_equal(fill_depressions(BOWL), expected)

    def test_pools_share_a_level(self) -> None:
        assert (fill_depressions(TWO_POOLS)[2, 1:4] == 5.0).all()

    def test_single_pit(self) -> None:
        surface = land([3, 3, 3], [3, -7, 2], [3, 3, 3])
        assert fill_depressions(surface)[1, 1] == 2.0


class TestDrainage:
    def test_area_of_a_slope(self) -> None:
        surface = np.repeat(np.arange(6, dtype=np.float32)[:, None], 4, axis=1)
        area = drainage_area(route_flow(surface, 10.0))
        np.testing.assert_array_equal(area[:, 1], [500.0, 400.0, 300.0, 200.0, 100.0, 100.0])

    def test_rain_multiplies(self) -> None:
        rain = np.ones((5, 5), np.float32)
        rain[2, 1], rain[2, 2] = 3.0, 0.0
        assert drainage_area(route_flow(BOWL, 2.0), rain)[2, 4] == 4.0 * 11.0
        assert accumulate_flow(BOWL, 2.0, rain=rain)[2, 4] == pytest.approx(4.0 * 11.0)

    def test_catchment_is_the_cell_where_water_leaves(self) -> None:
        outlet = catchments(route_flow(BOWL, 1.0))
        assert (outlet[1:4, 1:4] == 14).all()
        assert outlet[0, 2] == 2

    @pytest.mark.parametrize(("share_by", "far"), [("slope", 6.0 / np.sqrt(2.0)), ("drop", 6.0)])
    @pytest.mark.parametrize("exponent", [0.5, 1.0, 1.1, 4.0])
    def test_shares(self, share_by: str, far: float, exponent: float) -> None:
        surface = land([9, 9, 3], [9, 9, 6], [9, 9, 9])
        area = accumulate_flow(surface, 1.0, exponent=exponent, share_by=share_by)
        far_share = far**exponent / (far**exponent + 3.0**exponent)
        assert area[2, 2] == pytest.approx(1.0 + far_share, abs=1e-5)
        assert area[1, 2] == pytest.approx(2.0 - far_share, abs=1e-5)

    def test_shares_of_heights_as_large_as_numbers_go(self) -> None:
        surface = np.zeros((3, 3), np.float32)
        surface[1, 1], surface[0, 0] = 3e38, -3e38
        for exponent in (0.1, 20.0):
            area = accumulate_flow(surface, 1.0, exponent=exponent)
            assert np.isfinite(area).all() and area.sum() - area[1, 1] == pytest.approx(9.0)

    def test_streams_of_one_order_make_the_next(self) -> None:
        # 0 and 1 meet in 4, 2 and 3 in 5, these two in 6; 7 comes in at 8 below it, and 9 is the mouth.
        receivers = np.array([4, 4, 5, 5, 6, 6, 8, 8, 9, 9], np.int32)
        routes = FlowRoutes((1, 10), 1.0, np.zeros(10, np.uint8), receivers, np.arange(9, -1, -1, dtype=np.int32))
        order = strahler_order(routes, drainage_area(routes), 1.0)
        np.testing.assert_array_equal(order[0], [1, 1, 1, 1, 2, 2, 3, 1, 3, 3])
        np.testing.assert_array_equal(
            strahler_order(routes, drainage_area(routes), 3.0)[0], [0, 0, 0, 0, 1, 1, 2, 0, 2, 2]
        )


class TestLakes:
    def basins(self, surface: np.ndarray) -> Basins | None:
        router = Router(surface.shape)
        router.route(surface)
        return router.basins

    def test_two_pools_are_one_lake(self) -> None:
        lakes = find_lakes(TWO_POOLS, 2.0, self.basins(TWO_POOLS))
        assert len(lakes) == 1
        assert lakes.level[0] == 5.0 and lakes.greatest_depth[0] == 4.0
        assert lakes.area[0] == 3 * 4.0 and lakes.volume[0] == (3 + 2 + 4) * 4.0
        assert lakes.outlet[0] == 1 * 5 + 1  # the sill of 5
        np.testing.assert_array_equal(np.flatnonzero(lakes.labels == 0), [11, 12, 13])

    def test_pools_on_stairs_are_two_lakes(self) -> None:
        # The upper pool spills over 6 into the lower one, which spills over 4 to the south.
        surface = land([9, 9, 9, 9, 9], [9, 5, 6, 1, 9], [9, 9, 9, 4, 9], [9, 9, 9, 3, 9])
        lakes = find_lakes(surface, 1.0, self.basins(surface))
        assert sorted(zip(lakes.level.tolist(), lakes.volume.tolist(), lakes.outlet.tolist())) == [
            (4.0, 3.0, 8),
            (6.0, 1.0, 12),
        ]

    def test_small_and_shallow_ones_stay_dry(self) -> None:
        basins = self.basins(TWO_POOLS)
        for limits in ({"smallest_area": 3.5}, {"shallowest": 4.0}):
            lakes = find_lakes(TWO_POOLS, 1.0, basins, **limits)
            assert len(lakes) == 0 and (lakes.labels == -1).all()
        assert len(find_lakes(TWO_POOLS, 1.0, basins, smallest_area=3.0, shallowest=3.9)) == 1


def valley(side: int = 41) -> np.ndarray:
    """A main valley that falls south along the middle column, and a side valley that joins it from the east."""
    row, column = np.mgrid[0:side, 0:side].astype(np.float32)
    middle = side // 2
    trunk = np.abs(column - middle) * 2.0 + row * 0.5
    branch = np.abs(row - middle) * 2.0 + np.maximum(column - middle, 0) * 0.5 + middle * 0.5
    return np.where(column > middle, np.minimum(trunk, branch), trunk).astype(np.float32)


class TestRivers:
    def rivers(self, river_source: float = 3000.0) -> Rivers:
        surface = valley()
        routes = route_flow(surface, 10.0)
        return trace_rivers(routes, drainage_area(routes), fill_depressions(surface), river_source=river_source)

    def test_branch_ends_in_a_point_of_the_trunk(self) -> None:
        rivers = self.rivers()
        assert len(rivers) == 2
        np.testing.assert_array_equal(rivers.joins, [-1, 0])
        end = rivers.first[2] - 1
        np.testing.assert_array_equal(rivers.points[end], rivers.points[rivers.joins_at[1]])
        assert rivers.cell[end] == rivers.cell[rivers.joins_at[1]] and rivers.cell[end] % 41 == 20
        mouth = rivers.first[1] - 1
        np.testing.assert_array_equal(rivers.points[mouth], [200.0, 0.0, 0.0])
        assert rivers.stream_order[mouth] == 2 and rivers.stream_order[end] == 1

    def test_width_is_that_of_hydraulic_geometry(self) -> None:
        rivers = self.rivers()
        np.testing.assert_allclose(rivers.width, 3.0 * np.sqrt(rivers.drainage_area / 1e6), rtol=1e-5)
        end = rivers.first[2] - 1
        assert rivers.drainage_area[end] < rivers.drainage_area[rivers.joins_at[1]]

    def test_larger_source_fewer_rivers(self) -> None:
        counts = [len(self.rivers(source)) for source in (500.0, 3000.0, 1e9)]
        assert counts[0] > counts[1] > counts[2] == 0

    def test_refuses_a_source_of_nothing(self) -> None:
        with pytest.raises(ValueError, match="river_source = 0"):
            self.rivers(0.0)


class TestWater:
    def test_depth_and_level_agree(self) -> None:
        waters = find_water(TWO_POOLS, 100.0, Water())
        np.testing.assert_array_equal(waters.water_level - TWO_POOLS, waters.water_depth)
        np.testing.assert_array_equal(waters.water_depth[2], [0, 3, 2, 4, 0])
        assert waters.sea_level is None and len(waters.lakes) == 1

    def test_sea_stands_below_its_level_only(self) -> None:
        waters = find_water(TWO_POOLS, 100.0, Water(sea=True, sea_level=2.5, lakes=False))
        np.testing.assert_array_equal(waters.water_depth[2], np.float32([0, 0.5, 0, 1.5, 0]))
        assert len(waters.lakes) == 0

    def test_everything_under_the_sea(self) -> None:
        waters = find_water(valley(), 10.0, Water(sea=True, sea_level=1000.0))
        assert (waters.water_level == 1000.0).all() and len(waters.lakes) == len(waters.rivers) == 0

    def test_switched_off(self) -> None:
        waters = find_water(valley(), 10.0, Water(lakes=False, rivers=False))
        assert len(waters.rivers) == 0 and not waters.water_depth.any()


class TestBadInput:
    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (2, 9), (3, 3)])
    def test_land_that_is_all_border(self, shape: tuple[int, int]) -> None:
        surface = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)[::-1].copy()
        waters = find_water(surface, 50.0, Water(river_source=1e-6))
        np.testing.assert_array_equal(fill_depressions(surface), surface)
        for area in (waters.drainage_area, accumulate_flow(surface, 50.0)):
            assert area.min() >= 2500.0
        assert len(waters.lakes) == 0

    @pytest.mark.parametrize("value", [0.0, -1e30, 1e30])
    def test_all_flat(self, value: float) -> None:
        surface = np.full((40, 30), value, np.float32)
        routes = route_flow(surface, 1.0)
        border = np.ones(surface.shape, bool)
        border[1:-1, 1:-1] = False
        for area in (drainage_area(routes), accumulate_flow(surface, 1.0)):
            assert area[border].sum() == 1200.0
        np.testing.assert_array_equal(fill_depressions(surface), surface)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_holes_are_refused(self, value: float) -> None:
        surface = np.zeros((4, 5))
        surface[2, 2] = value
        for work in (
            lambda: route_flow(surface, 1.0),
            lambda: fill_depressions(surface),
            lambda: accumulate_flow(surface, 1.0),
            lambda: find_water(surface, 1.0, Water()),
        ):
            with pytest.raises(ValueError, match="surface holds 1 values"):
                work()

    @pytest.mark.parametrize("cell_size", [0.0, -1.0, np.nan, np.inf])
    def test_cell_size(self, cell_size: float) -> None:
        for work in (
            lambda: route_flow(BOWL, cell_size),
            lambda: accumulate_flow(BOWL, cell_size),
            lambda: find_water(BOWL, cell_size, Water()),
        ):
            with pytest.raises(ValueError, match="cell_size"):
                work()

    def test_the_rest(self) -> None:
        with pytest.raises(ValueError, match=r"exponent = 0\.0"):
            accumulate_flow(BOWL, 1.0, exponent=0.0)
        with pytest.raises(ValueError, match="share_by = 'height'"):
            accumulate_flow(BOWL, 1.0, share_by="height")
        with pytest.raises(ValueError, match="sea_level = nan"):
            route_flow(BOWL, 1.0, sea_level=np.nan)
        with pytest.raises(ValueError, match=r"rain has shape \(2, 2\)"):
            accumulate_flow(BOWL, 1.0, rain=np.ones((2, 2)))
        with pytest.raises(ValueError, match=r"rain = -1\.0 is below 0"):
            drainage_area(route_flow(BOWL, 1.0), np.full((5, 5), -1.0))
        with pytest.raises(ValueError, match="drainage_area has shape"):
            strahler_order(route_flow(BOWL, 1.0), np.ones((2, 2)), 1.0)
        with pytest.raises(ValueError, match="surface has shape"):
            route_flow(np.zeros((0, 3)), 1.0)
