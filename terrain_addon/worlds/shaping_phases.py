"""What the processes do that follow the rivers in a recipe: each acts once, on the finest level, tile by tile."""

from typing import NamedTuple

import numpy as np

from ..core.direction.lakes import FixedLake, banks_of_lakes
from ..core.direction.lines import seen_from
from ..core.erosion.block_beds import (
    COURSE_MARGIN,
    Courses,
    RiverLaw,
    find_courses,
    lower_beds,
    own_beds,
    widest_reach,
)
from ..core.erosion.droplets import TURNS, fall_in_turn, reach_of_turn
from ..core.erosion.layers import heights_of, with_surface
from ..core.erosion.masked import mixed
from ..core.erosion.processes import PROCESSES
from ..core.erosion.river_beds import (
    RiverBeds,
    depth_that_stays,
    ground_that_dams,
    lowest_floor,
    running_level,
    without_ground,
)
from ..core.foundation.progress import run
from ..core.foundation.terrain import Field, Terrain
from ..core.maps.catalogue import MAPS
from ..core.tiling.block_flow import find_highest, find_lowest, order_block, summarise_highest, summarise_lowest
from ..core.tiling.blocks import Block, BlockPlace, local_cells
from .coarse_level import MASK, coarse_finding
from .erosion_phases import scratch_path, state_path
from .leading_phases import drain_block, drained_area, lead_block, levels_in, standing_water
from .tiles import REFINING_MARGIN, ArrayPart, WorldTile, clipped, part_of

SHAPING_SCRATCH: dict[str, dict[str, type[np.generic]]] = {
    "lead": {"directions": np.uint8},
    "drain": {"flow": np.uint8},
    "course": {"drainage": np.float64, "level": np.float32, "depth": np.float32},
    "sink": {"own": np.float64},
    "bed": {"bed": np.float64, "highest": np.float32},
    **{f"fall{turn}": {f"fallen{turn}": np.float64} for turn in range(TURNS - 1)},
}
"""Arrays that the phases of one step write for one another."""


class TileGround(NamedTuple):
    """The layers of the land after a step, under a tile and around it."""

    bedrock: ArrayPart
    sediment: ArrayPart
    cell_size: float

    def of(self, block: Block) -> Terrain:
        """Return the land under a block, as far as it reaches."""
        return Terrain(self.bedrock.of(block), self.sediment.of(block), self.cell_size)

    @property
    def surface(self) -> ArrayPart:
        """Height of the ground in metres."""
        return ArrayPart(self.bedrock.values + self.sediment.values, self.bedrock.block)


def ground_after(tile: WorldTile, step: int, margin: int) -> TileGround:
    """Read the land of the finest level after a step, as the next process finds it.

    Parameters
    ----------
    tile : WorldTile
        A tile of the finest level.
    step : int
        That of the last river incision, or a later one.
    margin : int
        Samples around the tile, as far as the land reaches.

    Returns
    -------
    TileGround
    """
    names = ("height" if step == tile.world.steps else "bedrock", "sediment")
    bedrock, sediment = (tile.read(state_path(tile.phase.level, step, name), margin) for name in names)
    if step == tile.world.steps:
        bedrock = bedrock._replace(values=(bedrock.values - sediment.values).astype(np.float32))
    return TileGround(bedrock, sediment, tile.land.cell_size)


# --- processes that look at their surroundings ------------------------------------------------------------------------


def shape_tile(tile: WorldTile) -> None:
    """Let a process act on each block with as much land around it as it looks at."""
    process = tile.world.process_of(tile.phase.step)
    declared = PROCESSES[type(process)]
    reach = declared.reach(process, tile.land.cell_size) if declared.reach is not None else None
    if reach is None:
        raise ValueError(f"{process.model()} cannot act tile by tile")
    ground, findings = ground_after(tile, tile.phase.step - 1, reach), _findings(tile, reach)
    for _, block in tile.blocks():
        around = clipped(block.grown(reach), tile.land.shape)
        before = ground.of(around)
        taken = {name: tile.refined(region, around, limits) for name, (region, limits) in findings.items()}
        after = run(declared.work(before, process, **taken)).terrain
        put_ground(tile, block, *(_within(terrain, around, block) for terrain in (before, after)))


def _findings(tile: WorldTile, margin: int) -> dict[str, tuple[ArrayPart, tuple[float, float]]]:
    """What a process takes besides the land, on the level in memory, and between which values it lies."""
    process, step = tile.world.process_of(tile.phase.step), tile.phase.step
    declared = PROCESSES[type(process)]
    limits = {factor.name: (factor.least, factor.most) for factor in declared.factors}
    limits |= {name: MAPS[name].limits or (0.0, 1.0) for name in declared.measurements}
    paths = {name: coarse_finding(step, name) for name in limits}
    coarse_margin = REFINING_MARGIN + -(-margin // 2**tile.phase.level)
    return {
        name: (tile.read_coarse(path, 0, coarse_margin), limits[name])
        for name, path in paths.items()
        if path in tile.store
    }


def _within(terrain: Terrain, around: Block, block: Block) -> Terrain:
    return Terrain(part_of(terrain.bedrock, around, block), part_of(terrain.sediment, around, block), terrain.cell_size)


def put_ground(tile: WorldTile, block: Block, before: Terrain, after: Terrain) -> None:
    """Keep the land of a block after a step, within the mask of the process, and tell its volume before and after.

    Parameters
    ----------
    tile : WorldTile
        In the last phase of a step after those of river incision.
    block : Block
        Of the tile.
    before, after : Terrain
        The land of the block.
    """
    mask = coarse_finding(tile.phase.step, MASK)
    if mask in tile.store:
        after = mixed(before, after, tile.refined(tile.read_coarse(mask, 0, REFINING_MARGIN), block, (0.0, 1.0)))
    for name in ("bedrock", "sediment"):
        tile.put(state_path(tile.phase.level, tile.phase.step, name), block, getattr(after, name))
    tile.tell({"volumes": np.array([[heights_of(before).sum(), heights_of(after).sum()]])})


# --- droplets ---------------------------------------------------------------------------------------------------------


def fall_tile(tile: WorldTile) -> None:
    """Let the drops of a turn fall."""
    level, step, turn = tile.phase.level, tile.phase.step, int(tile.phase.name.removeprefix("fall"))
    process = tile.world.process_of(step)
    reach = reach_of_turn(process)
    around, land = clipped(tile.span.grown(reach), tile.land.shape), tile.land
    if turn == 0:
        heights = heights_of(ground_after(tile, step - 1, reach).of(around))
    else:
        heights = tile.read(scratch_path(level, step, f"fallen{turn - 1}"), reach).of(around)
    place = BlockPlace(*around[:2], *land.shape)
    fall_in_turn(heights, place, turn, process, land.cell_size, tile.world.recipe.seed)
    before = ground_after(tile, step - 1, 0) if turn == TURNS - 1 else None
    for _, block in tile.blocks():
        height = part_of(heights, around, block)
        if before is None:
            tile.put(scratch_path(level, step, f"fallen{turn}"), block, height)
        else:
            terrain = before.of(block)
            put_ground(tile, block, terrain, with_surface(terrain, height))
    if before is None:
        tile.tell({})


# --- river beds -------------------------------------------------------------------------------------------------------


def lead_tile(tile: WorldTile) -> None:
    """Lead the water downhill on the land in which rivers dig their beds."""
    surfaces = ground_after(tile, tile.phase.step - 1, 1).surface
    for _, block in tile.blocks():
        lead_block(tile, surfaces, block, _scratch(tile, "directions"))


def drain_tile(tile: WorldTile) -> None:
    """Lead the water out of depressions, and collect it within each block."""
    surfaces = ground_after(tile, tile.phase.step - 1, 0).surface
    directions = tile.read(_scratch(tile, "directions"))
    for number, block in tile.blocks():
        ground = directions.of(block), surfaces.of(block)
        tile.put(_scratch(tile, "flow"), block, drain_block(tile, number, block, ground, "lead"))


def course_tile(tile: WorldTile) -> None:
    """Measure what drains through each cell, and how high water stands."""
    surfaces = ground_after(tile, tile.phase.step - 1, 0).surface
    directions, flows = (tile.read(_scratch(tile, name)) for name in ("directions", "flow"))
    for number, block in tile.blocks():
        surface, basins = surfaces.of(block), directions.of(block)
        area = drained_area(tile, number, block, flows.of(block), "drain")
        tile.put(_scratch(tile, "drainage"), block, area)
        tile.put(_scratch(tile, "level"), block, np.maximum(surface, levels_in(tile, number, block, basins, "lead")))
        lakes = levels_in(tile, number, block, basins, "drain.lakes")
        tile.put(_scratch(tile, "depth"), block, standing_water(surface, lakes, tile.shop.sea_level))
    tile.tell({})


def sink_tile(tile: WorldTile) -> None:
    """Find how low the rivers of a block need their beds, and what dams them; tell it of those that cross its rim."""
    ground = ground_after(tile, tile.phase.step - 1, COURSE_MARGIN)
    rivers = _Rivers(tile, COURSE_MARGIN, ground)
    flows, depths = (tile.read(_scratch(tile, name)) for name in ("flow", "depth"))
    for _, block in tile.blocks():
        around = clipped(block.grown(COURSE_MARGIN), tile.land.shape)
        own = part_of(own_beds(rivers.courses(around)).reshape(around.shape), around, block)
        tile.put(_scratch(tile, "own"), block, own)
        dams = _ground_that_dams(tile, block, depths.of(block), ground.of(block).surface)
        flow, lowest, highest = order_block(flows.of(block)), own.ravel(), dams.ravel()
        find_lowest(flow, lowest)
        find_highest(flow, highest)
        tile.tell(
            summarise_lowest(flow, lowest, block, tile.all_blocks) | summarise_highest(highest, block, tile.all_blocks)
        )


def bed_tile(tile: WorldTile) -> None:
    """Find beds that do not rise downstream, and the highest ground downstream that dams them."""
    owns, flows, depths = (tile.read(_scratch(tile, name)) for name in ("own", "flow", "depth"))
    surfaces = ground_after(tile, tile.phase.step - 1, 0).surface
    for number, block in tile.blocks():
        lowest, entering = owns.of(block).ravel(), tile.answers("sink", number)
        if entering:
            np.minimum.at(lowest, local_cells(entering["cell"], block, tile.all_blocks), entering["lowest"])
        highest = _ground_that_dams(tile, block, depths.of(block), surfaces.of(block)).ravel()
        beyond = tile.answers("sink.dams", number)
        if beyond:
            np.maximum.at(highest, local_cells(beyond["cell"], block, tile.all_blocks), beyond["highest"])
        flow = order_block(flows.of(block))
        find_lowest(flow, lowest)
        find_highest(flow, highest)
        tile.put(_scratch(tile, "bed"), block, lowest.reshape(block.shape))
        tile.put(_scratch(tile, "highest"), block, highest.reshape(block.shape))
    tile.tell({})


def cut_tile(tile: WorldTile) -> None:
    """Lower the ground along rivers to their beds."""
    digging: RiverBeds = tile.world.process_of(tile.phase.step)
    margin = COURSE_MARGIN + widest_reach(digging, _river_law(tile), tile.land.width * tile.land.depth)
    ground = ground_after(tile, tile.phase.step - 1, margin)
    rivers = _Rivers(tile, margin, ground)
    beds, dams, depths = (tile.read(_scratch(tile, name), margin) for name in ("bed", "highest", "depth"))
    breach, sea_level = digging.breach, tile.shop.sea_level
    for _, block in tile.blocks():
        around = clipped(block.grown(margin), tile.land.shape)
        surface = ground.of(around).surface
        taken = lower_beds(
            rivers.courses(around),
            beds.of(around),
            dams.of(around),
            rivers.level.of(around),
            np.stack((surface, lowest_floor(depths.of(around), surface, breach, sea_level))),
            tile.land.cell_size,
            breach,
        )
        before = ground.of(block)
        depth = depth_that_stays(depths.of(block), before.surface, breach, sea_level)
        put_ground(tile, block, before, without_ground(before, part_of(taken, around, block), depth))


class _Rivers:
    """The rivers of a tile and the land around it."""

    def __init__(self, tile: WorldTile, margin: int, ground: TileGround) -> None:
        self._beds, self._law = tile.world.process_of(tile.phase.step), _river_law(tile)
        self._ground, self._sea_level = ground, tile.shop.sea_level
        names = ("flow", "drainage", "level")
        self._flow, self._drainage, self.level = (tile.read(_scratch(tile, name), margin) for name in names)

    def courses(self, block: Block) -> Courses:
        """Return the courses in a window."""
        flow, drainage, level = (part.of(block) for part in (self._flow, self._drainage, self.level))
        running = running_level(level, self._ground.of(block).surface, self._beds.breach, self._sea_level)
        return find_courses(flow, drainage, running, self._beds, self._law)


def _ground_that_dams(tile: WorldTile, block: Block, water_depth: Field, surface: Field) -> Field:
    breach, sea_level = tile.world.process_of(tile.phase.step).breach, tile.shop.sea_level
    stays = depth_that_stays(water_depth, surface, breach, sea_level)
    drawn = banks_of_lakes(lakes_seen(tile, block), block.shape, tile.land.cell_size)
    return ground_that_dams(stays, surface, sea_level, drawn)


def lakes_seen(tile: WorldTile, block: Block) -> list[FixedLake]:
    """Return drawn lakes as they are seen from the corner of a block."""
    cell = tile.land.cell_size
    east, north = block.first_column * cell, block.first_row * cell
    return [lake._replace(outline=seen_from(lake.outline, east, north)) for lake in tile.shop.drawing.lakes]


def _river_law(tile: WorldTile) -> RiverLaw:
    water = tile.world.recipe.water
    return RiverLaw(water.river_source_area, water.river_width, tile.land.cell_size)


def _scratch(tile: WorldTile, name: str) -> str:
    return scratch_path(tile.phase.level, tile.phase.step, name)
