"""Flow over land in blocks is that of the land in one piece, whatever the blocks are."""

import numpy as np
import numpy.typing as npt
import pytest

from terrain_addon.core.erosion.block_incision import BlockGround, IncisionLaw, hold_slopes, incision_rises, solve_block
from terrain_addon.core.erosion.droplets import TURNS, Droplets, erode_by_droplets, fall_in_turn, reach_of_turn
from terrain_addon.core.erosion.hillslope import HillslopeDiffusion, diffuse_hillslopes, reach_of_creep
from terrain_addon.core.erosion.landslides import Landslides, collapse
from terrain_addon.core.erosion.layers import heights_of, with_surface
from terrain_addon.core.erosion.processes import PROCESSES
from terrain_addon.core.erosion.river_incision import Conditions, RiverIncision
from terrain_addon.core.erosion.stabilisation import SLIDE_REACH, Stabilisation
from terrain_addon.core.flow.drainage import drainage_area
from terrain_addon.core.flow.filling import fill_depressions
from terrain_addon.core.flow.routing import Router, route_flow
from terrain_addon.core.foundation.compilation import Array
from terrain_addon.core.foundation.creep import Creep
from terrain_addon.core.foundation.progress import run
from terrain_addon.core.foundation.terrain import Grid, Terrain
from terrain_addon.core.relief.fractal_noise import FractalNoise, make_fractal_noise
from terrain_addon.core.tiling.basin_graph import join_basins
from terrain_addon.core.tiling.block_basins import carve_block, find_block_directions, label_block, summarise_basins
from terrain_addon.core.tiling.block_flow import (
    collect,
    collect_at_entries,
    join_exits,
    order_block,
    summarise_flow,
)
from terrain_addon.core.tiling.blocks import Block, BlockPlace, Blocks, cut_by_block, joined, local_cells
from terrain_addon.core.tiling.floors import chain_floors, find_floors

pytestmark = pytest.mark.once

CELL = 30.0


class BlockLand:
    """A land in blocks, routed; `shuffle` hands the summaries of blocks to graphs in another order."""

    def __init__(self, surface: Array, side: int, sea_level: float = -np.inf, shuffle: int = 0) -> None:
        self.blocks = blocks = Blocks(*surface.shape, side)
        self.shuffle = np.random.default_rng(shuffle)
        self.all = [blocks.at(row, column) for row in range(blocks.down) for column in range(blocks.across)]
        self.filled = np.empty_like(surface)
        self.padded = np.pad(surface, 1, mode="edge")
        directions = [find_block_directions(self.around(block), block, blocks, sea_level) for block in self.all]
        labelled = [label_block(here, block, blocks) for here, block in zip(directions, self.all)]
        basins = join_basins(
            self.mixed(
                [
                    summarise_basins(self.around(block), here, labels, block, blocks)
                    for block, here, labels in zip(self.all, directions, labelled)
                ]
            ),
            blocks,
        )
        for block, labels in zip(self.all, labelled):
            at = basins.basin[np.searchsorted(basins.end, labels.end[1:])]
            level = np.append(-np.inf, basins.level[at])[labels.labels].reshape(block.shape)
            self.filled[slices(block)] = np.maximum(surface[slices(block)], level)
        turned = cut_by_block({"cell": basins.turned_cell, "way": basins.turned_way}, blocks)
        for number, found in turned.items():
            carve_block(directions[number], self.all[number], blocks, found["cell"], found["way"])
        self.directions = directions
        self.flows = [order_block(here) for here in directions]
        own = [np.ones(here.size, np.int64) for here in directions]
        for flow, amounts in zip(self.flows, own):
            collect(flow, amounts)
        summary = self.mixed(
            [
                summarise_flow(here, flow, amounts, block, blocks)
                for here, flow, amounts, block in zip(directions, self.flows, own, self.all)
            ]
        )
        self.graph = join_exits(summary)
        cells, entering = collect_at_entries(self.graph, summary)
        shares = cut_by_block({"cell": cells, "amount": entering}, blocks)
        self.amounts = [np.ones(here.size, np.int64) for here in directions]
        self.area = np.empty(surface.shape, np.int64)
        for number, (flow, amounts, block) in enumerate(zip(self.flows, self.amounts, self.all)):
            if number in shares:
                np.add.at(amounts, local_cells(shares[number]["cell"], block, blocks), shares[number]["amount"])
            collect(flow, amounts)
            self.area[slices(block)] = amounts.reshape(block.shape)

    def around(self, block: Block) -> Array:
        rows, columns = slices(block)
        return np.ascontiguousarray(self.padded[rows.start : rows.stop + 2, columns.start : columns.stop + 2])

    def mixed(self, parts: list[dict[str, Array]]) -> dict[str, Array]:
        return joined([parts[i] for i in self.shuffle.permutation(len(parts))])

    def incise(self, conditions: Conditions, law: IncisionLaw) -> npt.NDArray[np.float64]:
        assert conditions.base is not None
        rises = []
        for here, amounts, block in zip(self.directions, self.amounts, self.all):
            erodibility, rise = (
                conditions.erodibility / conditions.hardness(),
                conditions.uplift * np.float32(law.years),
            )
            fields = (erodibility, rise, conditions.base)
            ground = BlockGround(self.around(block), here, *(np.ascontiguousarray(f[slices(block)]) for f in fields))
            rises.append(incision_rises(ground, amounts, law))
        chained = [chain_floors(f, own.copy(), b, self.blocks) for f, own, b in zip(self.flows, rises, self.all)]
        floors = find_floors(self.graph, self.mixed(chained))
        shares = cut_by_block({"cell": self.graph.exit, "floor": floors}, self.blocks)
        height = np.empty(self.area.shape)
        for number, (flow, own, block) in enumerate(zip(self.flows, rises, self.all)):
            beneath = np.zeros(flow.order.size)
            if number in shares:
                beneath[local_cells(shares[number]["cell"], block, self.blocks)] = shares[number]["floor"]
            solve_block(flow, own, beneath)
            height[slices(block)] = own[0].reshape(block.shape)
        return height


def slices(block: Block) -> tuple[slice, slice]:
    return (
        slice(block.first_row, block.first_row + block.rows),
        slice(block.first_column, block.first_column + block.columns),
    )


@pytest.fixture(scope="module")
def hills() -> Array:
    return make_fractal_noise(Grid(110, 170, CELL), FractalNoise(wavelength=900.0, octaves=7), 5)


@pytest.mark.parametrize("side", [16, 37, 64, 400])
@pytest.mark.parametrize("sea", [False, True])
def test_depressions_area_and_directions_are_those_of_the_land_in_one_piece(hills: Array, side: int, sea: bool) -> None:
    level = float(np.quantile(hills, 0.3)) if sea else None
    land = BlockLand(hills, side, -np.inf if level is None else level, shuffle=side)
    np.testing.assert_array_equal(land.filled, fill_depressions(hills, level))
    routes = route_flow(hills, 1.0, sea_level=level)
    np.testing.assert_array_equal(land.area, drainage_area(routes).astype(np.int64))
    pieces = np.empty(hills.shape, np.uint8)
    for block, here in zip(land.all, land.directions):
        pieces[slices(block)] = here
    np.testing.assert_array_equal(pieces.ravel(), routes.directions)


def test_a_land_wholly_under_the_sea_has_no_basins(hills: Array) -> None:
    land = BlockLand(hills, 37, float(hills.max()) + 1.0)
    np.testing.assert_array_equal(land.filled, hills)
    assert (land.area == 1).all()


def test_level_ground_drains_and_blocks_do_not_show(hills: Array) -> None:
    terraces = (np.round(hills / 40.0) * 40.0).astype(np.float32)
    small, large = BlockLand(terraces, 16), BlockLand(terraces, 400)
    np.testing.assert_array_equal(small.filled, fill_depressions(terraces))
    np.testing.assert_array_equal(small.area, large.area)
    border = np.ones(terraces.shape, np.bool_)
    border[1:-1, 1:-1] = False
    assert small.area[border].sum() == terraces.size


UPLIFT = 2.0**-10
"""Metres a year: whole metres in the steps below, in float32 too."""


def step_of(hills: Array, n: float, years: float) -> tuple[Conditions, IncisionLaw]:
    plain = np.ones(hills.shape, np.float32)
    base = np.full(hills.shape, hills.min() - 40.0, np.float32)
    conditions = Conditions(
        np.float32(UPLIFT) * plain,
        np.float32(2e-4),
        lambda: plain,
        base=base,
        base_distance=200.0,
        plain_slope=0.01,
    )
    return conditions, IncisionLaw(0.45, n, years, CELL, 200.0, hills.size * CELL**2, 1.0, -np.inf)


def after_steps(start: Array, n: float, years: float, steps: int = 1) -> npt.NDArray[np.float64]:
    """The land in one piece after some steps; its lakes fill with sediment."""
    solver, height = RiverIncision(Grid(*start.shape, CELL), 0.45, n), start.astype(np.float64)
    sediment = np.zeros(start.shape, np.float32)
    for _ in range(steps):
        solver.step(height, sediment, years, step_of(start, n, years)[0])
    return height


@pytest.fixture(scope="module")
def dry(hills: Array) -> npt.NDArray[np.float64]:
    """Land without depressions, so that the solver for one piece has no lake to fill."""
    height = after_steps(hills, 1.0, 8192.0, steps=12)
    routed = Router(height.shape)
    routed.route(height)
    assert routed.basins is None
    return height


def test_a_step_of_incision_is_that_of_the_land_in_one_piece(dry: npt.NDArray[np.float64]) -> None:
    expected = after_steps(dry, 1.0, 4096.0)
    found = BlockLand(dry, 32).incise(*step_of(dry, 1.0, 4096.0))
    assert np.abs(expected - dry).max() > 1.0
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_incision_does_not_depend_on_the_order_of_blocks(hills: Array) -> None:
    surface = hills.astype(np.float64)
    step = step_of(surface, 1.0, 4096.0)
    one = BlockLand(surface, 37).incise(*step)
    assert one.tobytes() == BlockLand(surface, 37, shuffle=9).incise(*step).tobytes()
    # Rounding aside, the blocks do not matter either, nor do depressions.
    np.testing.assert_allclose(one, BlockLand(surface, 400).incise(*step), rtol=0.0, atol=1e-9)


def test_other_exponents_of_slope_come_close_for_short_steps(dry: npt.NDArray[np.float64]) -> None:
    errors = []
    for years in (256.0, 64.0):
        found = BlockLand(dry, 37).incise(*step_of(dry, 1.5, years))
        exact = after_steps(dry, 1.5, years)
        errors.append(float(np.abs(found - exact).mean() / np.abs(exact - dry).mean()))
    assert errors[1] < 0.6 * errors[0] < 0.3


def test_steep_ground_comes_down_as_in_one_piece() -> None:
    row, column = np.mgrid[0:70, 0:90]
    cliff = np.where(row + 2 * column > 110, 200.0, 0.0) + 0.01 * row
    steepest = (1.0 + 0.004 * row).astype(np.float32)
    exact = cliff.copy()
    collapse(exact, steepest, CELL, None)
    held = hold_slopes(cliff, steepest, CELL, 8)
    assert np.abs(exact - cliff).max() > 100.0
    # Less than 8 cells from the foot of the cliff, nothing but the surroundings of a cell counts.
    np.testing.assert_allclose(held, exact[16:-16, 16:-16], rtol=0.0, atol=1e-4)


# --- processes on pieces of a land ------------------------------------------------------------------------------------


def around(block: Block, reach: int, shape: tuple[int, int]) -> Block:
    south, west = max(block.first_row - reach, 0), max(block.first_column - reach, 0)
    north, east = block.first_row + block.rows + reach, block.first_column + block.columns + reach
    return Block(south, west, min(north, shape[0]) - south, min(east, shape[1]) - west)


def test_creep_on_pieces_is_that_of_the_land_in_one_piece(hills: Array) -> None:
    spread, steps = 3.0, 4
    reach = reach_of_creep(spread, steps)
    assert 20 < reach < 60
    whole = hills.astype(np.float64)
    creep = Creep(whole.shape)
    for _ in range(steps):
        creep.step(whole, spread)

    def largest_error(reach: int) -> float:
        # One block whose window ends before the land does, on two sides.
        block = Block(0, 0, 40, 60)
        piece = np.ascontiguousarray(hills[slices(around(block, reach, hills.shape))], np.float64)
        there = Creep(piece.shape)
        for _ in range(steps):
            there.step(piece, spread)
        return float(np.abs(piece[:40, :60] - whole[:40, :60]).max() / np.ptp(hills))

    assert largest_error(reach) < 1e-9
    assert largest_error(reach // 3) > 1e-9


def test_hillslopes_on_pieces_look_as_far_as_they_creep(hills: Array) -> None:
    land, process = Terrain(hills, np.zeros_like(hills), CELL), HillslopeDiffusion(diffusivity=0.1, years=20000.0)
    declared = PROCESSES[HillslopeDiffusion].reach
    reach = declared(process, CELL) if declared else None
    assert reach is not None and reach < 60
    block = Block(0, 0, 40, 60)
    window = slices(around(block, reach, hills.shape))
    piece = run(
        diffuse_hillslopes(Terrain(*(np.ascontiguousarray(f[window]) for f in land_layers(land)), CELL), process)
    )
    whole = run(diffuse_hillslopes(land, process))
    assert np.abs(whole.terrain.surface - hills).mean() > 1.0
    # To the last digit of float32, in which layers are kept.
    np.testing.assert_array_max_ulp(piece.terrain.surface[:40, :60], whole.terrain.surface[:40, :60], 1)


def land_layers(land: Terrain) -> tuple[Array, Array]:
    return land.bedrock, land.sediment


def test_drops_on_pieces_fall_as_on_the_land_in_one_piece() -> None:
    grid = Grid(230, 210, 4.0)
    hills = make_fractal_noise(grid, FractalNoise(wavelength=300.0, octaves=6), 9)
    land, process = Terrain(hills, np.zeros_like(hills), 4.0), Droplets(density=2.0, lifetime=3, radius=2)
    whole = run(erode_by_droplets(land, process, seed=11)).terrain
    reach, heights = reach_of_turn(process), heights_of(land)
    assert reach == 70
    blocks = Blocks(*hills.shape, 55)
    for turn in range(TURNS):
        before, heights = heights, np.empty_like(heights)
        for number in range(blocks.down * blocks.across):
            block = blocks.at(*divmod(number, blocks.across))
            window = around(block, reach, hills.shape)
            piece = np.ascontiguousarray(before[slices(window)])
            fall_in_turn(piece, BlockPlace(*window[:2], *hills.shape), turn, process, 4.0, 11)
            row, column = block.first_row - window.first_row, block.first_column - window.first_column
            heights[slices(block)] = piece[row : row + block.rows, column : column + block.columns]
    found = with_surface(land, heights)
    assert np.abs(whole.surface - hills).max() > 0.1
    assert found.bedrock.tobytes() == whole.bedrock.tobytes()
    assert found.sediment.tobytes() == whole.sediment.tobytes()


# Mean difference from the land in one piece, and change of the volume, as shares of what moves; docs/worlds.md states
# the same numbers.
SLIDE_ERROR, SLIDE_VOLUME = 0.01, 1e-4


@pytest.mark.parametrize(
    "process", [Stabilisation(talus_angle=33.0), Landslides(critical_angle=40.0, talus_angle=33.0)]
)
def test_slides_on_pieces_come_near_the_land_in_one_piece(process: Stabilisation | Landslides) -> None:
    rows, columns, middle = 49, 449, 224
    hills = make_fractal_noise(Grid(rows, columns, 2.0), FractalNoise(wavelength=250.0, height=300.0, octaves=7), 4)
    land, work = Terrain(hills, np.full_like(hills, 2.0), 2.0), PROCESSES[type(process)].work
    whole = run(work(land, process)).terrain.surface.astype(np.float64)
    moved = np.abs(whole - land.surface).sum()
    assert moved > whole.size  # a metre on average

    def differences(reach: int) -> npt.NDArray[np.float64]:
        found = np.empty_like(whole)
        for block in (Block(0, 0, rows, middle), Block(0, middle, rows, columns - middle)):
            window = around(block, reach, hills.shape)
            layers = (np.ascontiguousarray(layer[slices(window)]) for layer in land_layers(land))
            surface = run(work(Terrain(*layers, 2.0), process)).terrain.surface
            column = block.first_column - window.first_column
            found[slices(block)] = surface[:, column : column + block.columns]
        return found - whole

    near, rim = differences(SLIDE_REACH), slice(middle - 2, middle + 2)
    assert np.abs(near).sum() < SLIDE_ERROR * moved
    assert abs(near.sum()) < SLIDE_VOLUME * moved
    # What lies beyond the pieces counts: the rim between them does not show, as it does where they know less.
    assert np.abs(near[:, rim]).mean() < 3.0 * np.abs(near).mean() + 0.001
    assert np.abs(differences(4)[:, rim]).mean() > 10.0 * np.abs(near[:, rim]).mean()
