"""What a tile does on a level: the land of the coarser level is refined, and rivers cut into it step by step.

A step goes like that of `core.erosion.stream_power`: steep ground comes down, water is led, rivers cut, and what they
take fills lakes.  Each phase reads only what it needs around its tile; graphs over all tiles join them.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.building.window_relief import relief_in_window
from ..core.direction.lines import inside, seen_from
from ..core.erosion.block_incision import (
    REACH_OF_PASS,
    BlockGround,
    IncisionLaw,
    Plains,
    fill_plains,
    hold_slopes,
    incision_rises,
    measure_room,
    perturb_flow,
    solve_block,
)
from ..core.erosion.hillslope import reach_of_creep
from ..core.erosion.river_incision import take_sediment
from ..core.erosion.stream_power import DETAIL_DECAY
from ..core.flow.directions import OUTLET
from ..core.foundation.compilation import Array
from ..core.foundation.creep import Creep
from ..core.foundation.elementary import exp_of
from ..core.foundation.hashing import Purpose, derive_seed
from ..core.foundation.resampling import resample
from ..core.foundation.terrain import Field, Grid
from ..core.tiling.block_basins import (
    BlockBasins,
    carve_block,
    find_block_directions,
    label_block,
    summarise_basins,
)
from ..core.tiling.block_flow import Amounts, BlockFlow, collect, order_block, summarise_flow
from ..core.tiling.blocks import Block, Cells, local_cells, places_in
from ..core.tiling.floors import chain_floors
from .coarse_level import COARSE_BEFORE_RIVERS, COARSE_DRAWN, COARSE_HEIGHT, COARSE_SEDIMENT, MASK, coarse_factor
from .forced_flow import lead_along_rivers
from .tiles import ANY_HEIGHT, REFINING_MARGIN, WorldTile, clipped, part_of, samples_under, window_under

PASSES = 8
"""Passes in which steep ground comes down; ground moves by up to twice as many cells in a step."""
_PASS_MARGIN = REACH_OF_PASS * PASSES
_REFINED_MARGIN = 3  # samples of the coarser level around a block
STAIRS_MARGIN = 2
"""Cells around a window on which `without_stairs` depends."""
_FIRST_SEED = 64  # of the perturbation of flow; levels in memory have lower numbers
UNITS_OF_RAIN = 2**20
"""The usual rain on a cell.  Rain is summed in whole numbers, so that sums do not depend on the order."""


def state_path(level: int, step: int, name: str) -> str:
    """Return where the height or sediment after a step is; level 0 is the level that was made in memory.

    After a step that follows those of river incision, ``bedrock`` stands in place of ``height``.
    """
    if level == 0:
        return COARSE_HEIGHT if name == "height" else COARSE_SEDIMENT
    return f"work/states/{level}/{step}/{name}"


def scratch_path(level: int, step: int, name: str) -> str:
    """Return where an array is that only the phases of one step use."""
    return f"work/scratch/{level}/{step}/{name}"


EROSION_SCRATCH: dict[str, dict[str, type[np.generic]]] = {
    "ground": {"ground": np.float64, "hardness": np.float32, "directions": np.uint8},
    "carve": {"flow": np.uint8},
    "solve": {"cut": np.float64, "loose": np.float32},
    "fill": {"rough": np.float64, "rough_sediment": np.float32},
}
"""Arrays that the phases of one step write for one another; those of `fill` only if another phase follows."""


def _rock_grid(land: Grid) -> Grid:
    """The land as rock counts it: from its own corner."""
    return Grid(land.rows, land.columns, land.cell_size)


# --- phases -----------------------------------------------------------------------------------------------------------


def refine_tile(tile: WorldTile) -> None:
    """Make the state of a level from that of the coarser one: smooth, with the detail of the relief where it lasts."""
    world, level = tile.world, tile.phase.level
    if world.is_bare:
        for _, block in tile.blocks():
            relief = relief_in_window(world.recipe, tile.grid(block), tile.shop.inputs)
            drawn = drawn_relief(tile, level, block)
            tile.put(state_path(level, 0, "height"), block, relief if drawn is None else relief + drawn)
            tile.put(state_path(level, 0, "sediment"), block, np.zeros(block.shape, np.float32))
        return
    coarse_land, before = world.land(level - 1), world.steps if level > 1 else 0
    heights, sediments = (
        tile.read_coarse(state_path(level - 1, before, name), level - 1, _REFINED_MARGIN + STAIRS_MARGIN)
        for name in ("height", "sediment")
    )
    process = world.river_process
    share = 0.0 if process is None else 1.0 - math.exp(-tile.shop.step(level, 1).begin)
    detail_height = DETAIL_DECAY * float(np.ptp(tile.shop.relief))
    for _, block in tile.blocks():
        under = window_under(block, 2, _REFINED_MARGIN, coarse_land.shape)
        height = without_stairs(heights.padded(under.grown(STAIRS_MARGIN), coarse_land.shape))
        sediment = sediments.of(under)
        rows, columns = samples_under(block, under, 2)
        # Counted from a height nearby, so that float32 keeps differences of hundredths of a millimetre.
        foot = math.floor(float(height[0, 0]))
        refined = resample((height - foot).astype(np.float32), rows, columns, 1.0, ANY_HEIGHT).astype(np.float64) + foot
        if detail_height > 0.0:
            inputs, window = tile.shop.inputs, coarse_land.window(*under)
            coarse_relief = relief_in_window(world.recipe, window, inputs)
            relief = relief_in_window(world.recipe, tile.grid(block), inputs)
            changed = (height - coarse_relief).astype(np.float32)
            drawn = drawn_relief(tile, level - 1, under)
            if drawn is not None:
                # What is drawn belongs to the land before erosion.
                changed -= drawn
            if process is not None:
                changed -= tile.shop.rivers.rise(coarse_land, window) * np.float32(share)
            detail: Field = np.abs(resample(changed, rows, columns, 1.0, ANY_HEIGHT))
            detail *= np.float32(-1.0 / detail_height)
            exp_of(detail)
            fine = relief - resample(coarse_relief, rows, columns, 1.0, ANY_HEIGHT)
            refined += detail * fine
        loose = np.maximum(resample(sediment, rows, columns, 1.0, ANY_HEIGHT), np.float32(0.0))
        tile.put(state_path(level, 0, "height"), block, refined)
        tile.put(state_path(level, 0, "sediment"), block, loose)


def make_ground(tile: WorldTile) -> None:
    """Let steep ground come down, and lead the water on what is left."""
    world, level, step = tile.world, tile.phase.level, tile.phase.step
    law, land, rock = tile.shop.rivers, tile.land, _rock_grid(tile.land)
    margin = _PASS_MARGIN + 2
    heights = tile.read(state_path(level, step - 1, "height"), margin)
    seed = derive_seed(world.recipe.seed, Purpose.FLOW_PERTURBATION, _FIRST_SEED + level)
    for _, block in tile.blocks():
        around = block.grown(margin)
        height, window = heights.padded(around, land.shape), rock.window(*around)
        hardness = law.hardness(rock, window, height, law.rise(rock, window), tile.shop.step(level, step).begin)
        held = hold_slopes(height, law.steepest(window, hardness), land.cell_size, PASSES)
        beside = block.grown(1)
        surface = perturb_flow(held, law.perturbation, seed, (beside.first_row, beside.first_column))
        directions = find_block_directions(surface, block, tile.all_blocks, tile.shop.sea_level, closed_border(tile))
        lead_along_rivers(directions, block, tile.all_blocks, tile.shop.forced_flow(level))
        basins = label_block(directions, block, tile.all_blocks)
        tile.tell(summarise_basins(surface, directions, basins, block, tile.all_blocks))
        for name, values in (
            ("ground", held[2:-2, 2:-2]),
            ("hardness", hardness[margin:-margin, margin:-margin]),
            ("directions", directions),
        ):
            tile.put(scratch_path(level, step, name), block, values)


def carve_tile(tile: WorldTile) -> None:
    """Lead the water out of depressions, and collect it within each block."""
    level, step = tile.phase.level, tile.phase.step
    directions = tile.read(scratch_path(level, step, "directions"))
    for number, block in tile.blocks():
        here = directions.of(block)
        flow, summary = carve_part(tile, number, block, here, rain_on(tile, block), "ground")
        tile.tell(summary)
        tile.put(scratch_path(level, step, "flow"), block, flow)


def carve_part(
    tile: WorldTile, number: int, block: Block, directions: Array, amounts: Amounts, after: str
) -> tuple[Array, dict[str, Array]]:
    """Return the directions of a block without pits, and what the graph must know of its flow.

    What falls on each cell comes in `amounts`, which is overwritten.
    """
    turned = tile.answers(f"{after}.turned", number)
    if turned:
        carve_block(directions, block, tile.all_blocks, turned["cell"], turned["way"])
    flow = order_block(directions)
    collect(flow, amounts)
    return directions, summarise_flow(directions, flow, amounts, block, tile.all_blocks)


def rain_on(tile: WorldTile, block: Block) -> Amounts:
    """Return how much rain falls on each cell of a block, in whole units."""
    rock = _rock_grid(tile.land)
    rain = tile.shop.rivers.rain(rock, rock.window(*block))
    if rain is None:
        amounts = np.full(block.rows * block.columns, UNITS_OF_RAIN, np.int64)
    else:
        amounts = np.rint(rain.ravel() * np.float64(UNITS_OF_RAIN)).astype(np.int64)
    return with_inlets(tile, block, amounts, UNITS_OF_RAIN)


def with_inlets(tile: WorldTile, block: Block, amounts: Amounts, per_cell: int) -> Amounts:
    """Add the rivers that enter a block from beyond the land, in place: so many units for the area of a cell."""
    inlets = tile.shop.inlets(tile.phase.level)
    if inlets is not None:
        here = places_in(inlets.cells, block, tile.all_blocks)
        areas = np.rint(inlets.areas[here] * (per_cell / tile.land.cell_size**2)).astype(np.int64)
        np.add.at(amounts, local_cells(inlets.cells[here], block, tile.all_blocks), areas)
    return amounts


def closed_border(tile: WorldTile) -> Cells | None:
    """Return the cells of the border over which no water leaves."""
    inlets = tile.shop.inlets(tile.phase.level)
    return None if inlets is None else inlets.closed


def collect_in(tile: WorldTile, number: int, block: Block, flow: BlockFlow, amounts: Amounts, after: str) -> Amounts:
    """Let what falls on each cell of a block, and what enters it, collect downstream; in place."""
    entering = tile.answers(after, number)
    if entering:
        np.add.at(amounts, local_cells(entering["cell"], block, tile.all_blocks), entering["amount"])
    collect(flow, amounts)
    return amounts


def chain_tile(tile: WorldTile) -> None:
    """Tell how the heights on the rims of blocks follow from those to which they drain."""
    for _, block, cut in _cuts(tile):
        tile.tell(chain_floors(cut.flow, cut.rises, block, tile.all_blocks))


def solve_tile(tile: WorldTile) -> None:
    """Let rivers cut, and measure what they bring to lakes."""
    level, step = tile.phase.level, tile.phase.step
    slope = tile.shop.rivers.plain_slope * tile.land.cell_size
    before = tile.read(state_path(level, step - 1, "height"))
    sediments = tile.read(state_path(level, step - 1, "sediment"))
    all_directions = tile.read(scratch_path(level, step, "directions"))
    for number, block, cut in _cuts(tile):
        floors = np.zeros(cut.flow.order.size)
        found = tile.answers("chain", number)
        if found:
            floors[local_cells(found["cell"], block, tile.all_blocks)] = found["floor"]
        solve_block(cut.flow, cut.rises, floors)
        height = cut.rises[0].reshape(block.shape)
        under_sea = (cut.ground.directions == OUTLET) & (cut.ground.height[1:-1, 1:-1] <= tile.shop.sea_level)
        lift = np.where(under_sea, np.float32(0.0), cut.ground.lift).astype(np.float64)
        removed = before.of(block) + lift - height
        sediment = sediments.of(block)
        take_sediment(sediment, removed, None)
        basins = label_block(all_directions.of(block), block, tile.all_blocks)
        plains = plains_of(tile, number, block, basins)
        load, room = measure_room(height, removed, basins.labels, plains, slope)
        tile.tell(
            {
                "basin": plains.basin,
                "load": load,
                "room": room,
                "volumes": np.array([[before.of(block).sum(), lift.sum(), removed.sum()]]),
            }
        )
        tile.put(scratch_path(level, step, "cut"), block, height)
        tile.put(scratch_path(level, step, "loose"), block, sediment)


def fill_tile(tile: WorldTile) -> None:
    """Let sediment fill lakes."""
    level, step = tile.phase.level, tile.phase.step
    slope = tile.shop.rivers.plain_slope * tile.land.cell_size
    heights, sediments, directions = (
        tile.read(scratch_path(level, step, name)) for name in ("cut", "loose", "directions")
    )
    for number, block in tile.blocks():
        height, sediment = heights.of(block), sediments.of(block)
        basins = label_block(directions.of(block), block, tile.all_blocks)
        plains = plains_of(tile, number, block, basins)
        share = np.append(0.0, at_ends(tile.answers("solve", number), "share", basins))
        deposited = fill_plains(height, sediment, basins.labels, plains, slope, share)
        held = _hold_lakes(tile, block, height, sediment)
        if tile.world.step_phases(level, step)[-1] != "fill":
            tile.put(scratch_path(level, step, "rough"), block, height)
            tile.put(scratch_path(level, step, "rough_sediment"), block, sediment)
        else:
            tile.put(state_path(level, step, "height"), block, height)
            tile.put(state_path(level, step, "sediment"), block, sediment)
        tile.tell({"volumes": np.array([[deposited, height.sum(), held]])})


def _hold_lakes(tile: WorldTile, block: Block, height: Array, sediment: Array) -> float:
    """Let drawn lakes have their levels, in place, as in memory; return the sum of what that takes away, in metres."""
    drawing, cell = tile.shop.drawing, tile.land.cell_size
    taken = 0.0
    for lake in drawing.lakes:
        shore = seen_from(lake.outline, block.first_column * cell, block.first_row * cell)
        wet = inside(shore, block.shape, cell)
        taken += float((height[wet] - lake.level).sum())
        height[wet], sediment[wet] = lake.level, 0.0
    return taken


def creep_tile(tile: WorldTile) -> None:
    """Let crests creep."""
    level, step = tile.phase.level, tile.phase.step
    spread = tile.shop.rivers.creep(*tile.shop.step(level, step), tile.land.cell_size)
    reach = reach_of_creep(spread, 1)
    heights = tile.read(scratch_path(level, step, "rough"), reach)
    sediments = tile.read(scratch_path(level, step, "rough_sediment"))
    for _, block in tile.blocks():
        around = clipped(block.grown(reach), tile.land.shape)
        height = heights.of(around)
        crept, sediment = part_of(height, around, block), sediments.of(block)
        Creep(height.shape).step(height, spread)
        height = part_of(height, around, block)
        crept -= height
        take_sediment(sediment, crept, None)
        tile.put(state_path(level, step, "height"), block, height)
        tile.put(state_path(level, step, "sediment"), block, sediment)
    tile.tell({})


def drawn_relief(tile: WorldTile, level: int, block: Block) -> Field | None:
    """Return by how much a drawing raises the land before erosion in a window of a level; None if nothing is drawn."""
    if COARSE_DRAWN not in tile.store:
        return None
    times, land = 2**level, tile.world.land(0)
    under = window_under(block, times, REFINING_MARGIN, land.shape)
    rows, columns = samples_under(block, under, times)
    return resample(tile.store.read(COARSE_DRAWN, under), rows, columns, 1.0, ANY_HEIGHT)


def keep_tile(tile: WorldTile) -> None:
    """Where a mask keeps rivers from the land, let it be what it was before they cut."""
    world, level, step = tile.world, tile.phase.level, tile.phase.step
    mask = tile.read_coarse(coarse_factor(MASK), 0, REFINING_MARGIN)
    before = [tile.read_coarse(path, 0, REFINING_MARGIN) for path in COARSE_BEFORE_RIVERS]
    heights, sediments = (tile.read(scratch_path(level, step, name)) for name in ("rough", "rough_sediment"))
    for _, block in tile.blocks():
        share = tile.refined(mask, block, (0.0, 1.0))
        height, sediment = heights.of(block), sediments.of(block)
        kept = relief_in_window(world.recipe, tile.grid(block), tile.shop.inputs)
        loose = np.maximum(tile.refined(before[1], block, ANY_HEIGHT), np.float32(0.0))
        kept += tile.refined(before[0], block, ANY_HEIGHT)
        told = np.array([[height.sum(), 0.0]])
        for values, there in ((height, kept), (sediment, loose)):
            values -= there
            values *= share
            values += there
        told[0, 1] = height.sum()
        tile.put(state_path(level, step, "height"), block, height)
        tile.put(state_path(level, step, "sediment"), block, sediment)
        tile.tell({"volumes": told})


def without_stairs(height: Array) -> Array:
    """Return a land without the stairs in which water runs down its grid: the binomial mean of 5 × 5 cells.

    Parameters
    ----------
    height : ndarray of float64, shape (rows + 4, columns + 4)
        Metres, with `STAIRS_MARGIN` cells around the window.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Metres.
    """
    for _ in range(2):
        height = (height[:-4] + 4.0 * height[1:-3] + 6.0 * height[2:-2] + 4.0 * height[3:-1] + height[4:]) / 16.0
        height = height.T
    return np.ascontiguousarray(height)


# --- what several phases need -----------------------------------------------------------------------------------------


class _Cut(NamedTuple):
    """A block before incision: its flow, its ground, and the functions that give its heights afterwards."""

    flow: BlockFlow
    ground: BlockGround
    rises: Array


def _cuts(tile: WorldTile) -> "Iterator[tuple[int, Block, _Cut]]":
    """Yield the number and place of each block, and what cuts into it."""
    level, step = tile.phase.level, tile.phase.step
    law, rock, now = tile.shop.rivers, _rock_grid(tile.land), tile.shop.step(level, step)
    grounds = tile.read(scratch_path(level, step, "ground"), 1)
    hardnesses, flows = (tile.read(scratch_path(level, step, name)) for name in ("hardness", "flow"))
    process = tile.shop.process
    cell = tile.land.cell_size
    incision = IncisionLaw(
        process.drainage_exponent,
        process.slope_exponent,
        now.end - now.begin,
        cell,
        law.base_distance,
        tile.land.rows * tile.land.columns * cell**2,
        float(UNITS_OF_RAIN),
        tile.shop.sea_level,
    )
    for number, block in tile.blocks():
        directions, window = flows.of(block), rock.window(*block)
        ground = BlockGround(
            grounds.padded(block.grown(1), tile.land.shape),
            directions,
            (np.float32(law.erodibility) / hardnesses.of(block)).astype(np.float32),
            (law.rise(rock, window) * np.float32(now.lift)).astype(np.float32),
            law.base(rock, window),
        )
        flow = order_block(directions)
        amounts = collect_in(tile, number, block, flow, rain_on(tile, block), "carve")
        yield number, block, _Cut(flow, ground, incision_rises(ground, amounts, incision))


def plains_of(tile: WorldTile, number: int, block: Block, basins: BlockBasins) -> Plains:
    """Return the plains that fill the lakes of a block."""
    found = tile.answers("ground", number)
    basin, foot, row, column = (at_ends(found, name, basins) for name in ("basin", "foot", "row", "column"))
    return Plains(
        np.append(0, basin),
        np.append(0.0, foot),
        np.append(0, row).astype(np.float64) - block.first_row,
        np.append(0, column).astype(np.float64) - block.first_column,
    )


def at_ends(found: dict[str, Array], name: str, basins: BlockBasins) -> Array:
    """What a graph found for each label but the first."""
    if basins.end.size == 1:
        return np.empty(0, np.int64)
    return found[name][np.searchsorted(found["cell"], basins.end[1:])]
