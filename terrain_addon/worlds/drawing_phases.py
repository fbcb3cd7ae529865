"""What is drawn on a world: courses that rivers keep on each level, and what is laid on the finest one after erosion.

Forms and cliffs are held on the level in memory while the land erodes; at the end a survey of the finest level says
what lacks of them, and that is refined and added.  Lakes, beds, pads and roads are functions of the place, laid on the
finest level itself: in memory only their levels, courses and profiles are found.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.building.window_relief import relief_in_window
from ..core.direction.courses import falling_beds
from ..core.direction.drawing import (
    DrawnFeatures,
    build_on_land,
    shape_forms,
    stands_free,
    wet_ground,
    with_heights,
)
from ..core.direction.features import Road
from ..core.direction.fixed_border import keep_border
from ..core.direction.lakes import LakeExtent, fill_lakes, lake_extent
from ..core.direction.lines import DrawnLine, seen_from
from ..core.direction.pads import PlacedPad, lay_on_window, outline_of, reach_of_pad
from ..core.direction.rivers import Banks, dig_beds, find_banks
from ..core.direction.road_course import RoadCourse, Structure
from ..core.direction.road_earthworks import lay_road
from ..core.flow.water import find_water
from ..core.foundation.compilation import Array
from ..core.foundation.progress import run
from ..core.foundation.terrain import Field, Grid, Terrain
from ..core.tiling.blocks import Block, cells_in, local_cells, places_in
from .coarse_level import COARSE_RELIEF
from .erosion_phases import drawn_relief, scratch_path
from .shaping_phases import ground_after, lakes_seen, put_ground
from .tiles import ANY_HEIGHT, ArrayPart, WorldTile, clipped, part_of
from .workshop import Workshop

DRAWING_SCRATCH: dict[str, dict[str, type[np.generic]]] = {"dig": {"dug": np.float32}}
"""Arrays that the phases of one step write for one another."""
_RIM = 16  # cells over which the land goes over to its border
_STRUCTURES = ("bridges", "tunnels")


# --- border ----------------------------------------------------------------------------------------------------------


def survey_border(shop: Workshop, land: Terrain) -> dict[str, Array]:
    """Return how a land goes over to a border that keeps its heights, from the survey of it."""
    before = shop.store.read(COARSE_RELIEF, Block(0, 0, *land.surface.shape))
    return {"change": keep_border(land, before).surface - land.surface}


def rim_tile(tile: WorldTile) -> None:
    """Give the border of the land the heights that it had before erosion."""
    found = tile.found("survey")["change"]
    changes, ground = ArrayPart(found, Block(0, 0, *found.shape)), ground_after(tile, tile.phase.step - 1, 0)
    for _, block in tile.blocks():
        before = ground.of(block)
        surface = before.surface + tile.refined(changes, block, ANY_HEIGHT)
        for turns, is_outer in enumerate(_outer_sides(block, tile.land.shape)):
            if is_outer:
                # Every side in its turn as the first row, seen without copying.
                wanted, seen = (np.rot90(field, turns) for field in (_relief_before(tile, block), surface))
                reach = min(_RIM, seen.shape[0])
                away = np.arange(reach, dtype=np.float32)[:, np.newaxis] / np.float32(reach)
                share = (np.float32(1.0) - away) ** 2 * (np.float32(1.0) + np.float32(2.0) * away)
                seen[1:reach] += (share * (wanted[:reach] - seen[:reach]))[1:]
                seen[0] = wanted[0]
        put_ground(tile, block, before, with_heights(before, surface))


def _outer_sides(block: Block, land: tuple[int, int]) -> tuple[bool, bool, bool, bool]:
    """Whether the south, east, north and west of a block are those of the land, as quarter turns bring them first."""
    north, east = block.first_row + block.rows == land[0], block.first_column + block.columns == land[1]
    return block.first_row == 0, east, north, block.first_column == 0


def _relief_before(tile: WorldTile, block: Block) -> Field:
    """The land before erosion, with what is drawn."""
    relief = relief_in_window(tile.world.recipe, tile.grid(block), tile.shop.inputs)
    drawn = drawn_relief(tile, tile.phase.level, block)
    return relief if drawn is None else relief + drawn


# --- forms and lakes --------------------------------------------------------------------------------------------------


def survey_forms(shop: Workshop, land: Terrain) -> dict[str, Array]:
    """Return what lacks of forms and cliffs on the survey of a land, and how large the lakes are."""
    drawing = shop.drawing
    change = shape_forms(land, drawing) - land.surface
    # Samples of a survey beside a shore are means of the ground on both sides.
    margin, surface = 2.0 * land.cell_size, land.surface + change
    extents = [lake_extent(lake, surface, land.cell_size, margin) for lake in drawing.lakes]
    return {"change": change, "extents": np.array(extents, np.float64).reshape(-1, 2)}


def form_tile(tile: WorldTile) -> None:
    """Give forms and cliffs what lacks of them, and lakes their ground."""
    found = tile.found("survey")
    changes = ArrayPart(found["change"], Block(0, 0, *found["change"].shape))
    extents = [LakeExtent(*map(float, one)) for one in found["extents"]]
    ground, cell = ground_after(tile, tile.phase.step - 1, 0), tile.land.cell_size
    for _, block in tile.blocks():
        before = ground.of(block)
        surface = before.surface + tile.refined(changes, block, ANY_HEIGHT)
        lakes = lakes_seen(tile, block)
        put_ground(tile, block, before, with_heights(before, fill_lakes(surface, lakes, cell, extents)))


def _seen(line: DrawnLine, block: Block, cell_size: float) -> DrawnLine:
    """A line of the land as it is seen from the corner of a block."""
    return seen_from(line, block.first_column * cell_size, block.first_row * cell_size)


# --- rivers -----------------------------------------------------------------------------------------------------------


def trace_tile(tile: WorldTile) -> None:
    """Tell how high the ground is along drawn rivers."""
    ground = ground_after(tile, tile.phase.step - 1, 1).surface
    for _, block in tile.blocks():
        _tell_courses(tile, block, ground.padded(block.grown(1), tile.land.shape))


def _tell_courses(tile: WorldTile, block: Block, around: Array) -> None:
    """Tell the ground of each cell of the courses, and the lowest beside it; on the border of the land its own."""
    courses = tile.shop.courses(tile.phase.level)
    place = np.flatnonzero(places_in(courses.cell.astype(np.int64), block, tile.all_blocks))
    row, column = np.divmod(courses.cell[place], tile.land.columns)
    border = (row == 0) | (row == tile.land.rows - 1) | (column == 0) | (column == tile.land.columns - 1)
    row, column = row - block.first_row, column - block.first_column
    beside = [around[row + i, column + j] for i in range(3) for j in range(3)]
    lowest = np.where(border, beside[4], np.minimum.reduce(beside))
    tile.tell({"place": place, "ground": beside[4], "lowest": lowest})


def find_beds(shop: Workshop, level: int, summary: dict[str, Array]) -> dict[str, Array]:
    """Return the ground and the beds along all drawn rivers: the highest that fall all the way."""
    order = np.argsort(summary["place"])
    ground, lowest = summary["ground"][order], summary["lowest"][order]
    beds = falling_beds(shop.courses(level), ground, lowest, shop.world.land(level).cell_size)
    return {"ground": ground, "beds": beds}


def dig_tile(tile: WorldTile) -> None:
    """Cut a bed along each drawn river, and tell how high the ground along it is now."""
    found, courses = tile.found("trace"), tile.shop.courses(tile.phase.level)
    banks = find_banks(tile.shop.drawing.rivers, courses, found["ground"], found["beds"], tile.land.columns)
    ground = ground_after(tile, tile.phase.step - 1, 1).surface
    for _, block in tile.blocks():
        around = clipped(block.grown(1), tile.land.shape)
        dug = _dug(tile, ground.of(around), around, banks)
        tile.put(scratch_path(tile.phase.level, tile.phase.step, "dug"), block, part_of(dug, around, block))
        _tell_courses(tile, block, ArrayPart(dug, around).padded(block.grown(1), tile.land.shape))


def _dug(tile: WorldTile, surface: Field, around: Block, banks: Banks) -> Field:
    cell, courses = tile.land.cell_size, tile.shop.courses(tile.phase.level)
    land = Grid(*tile.land.shape, cell)
    lakes = lakes_seen(tile, around)
    return dig_beds(surface, tile.shop.drawing.rivers, courses, banks, land, land.window(*around), lakes)


def lay_beds_in_tile(tile: WorldTile) -> None:
    """Let the beds of drawn rivers fall all the way."""
    beds, courses = tile.found("dig")["beds"], tile.shop.courses(tile.phase.level)
    surfaces = tile.read(scratch_path(tile.phase.level, tile.phase.step, "dug"))
    ground, cells = ground_after(tile, tile.phase.step - 1, 0), courses.cell.astype(np.int64)
    for _, block in tile.blocks():
        surface = surfaces.of(block)
        here = places_in(cells, block, tile.all_blocks)
        surface.reshape(-1)[local_cells(cells[here], block, tile.all_blocks)] = beds[here]
        before = ground.of(block)
        put_ground(tile, block, before, with_heights(before, surface))


# --- pads and roads ---------------------------------------------------------------------------------------------------


def survey_works(shop: Workshop, land: Terrain) -> dict[str, Array]:
    """Return the levels of pads, the courses of roads, and where water is, from the survey of a land."""
    drawing = shop.drawing
    water = shop.world.recipe.water.replace(inflows=shop.world.inflows)
    waters = find_water(land.surface, land.cell_size, water)
    wet = wet_ground(drawing, waters, land.cell_size)
    _, pads, roads = run(build_on_land(land, drawing, wet))
    found = {"rivers": wet.rivers, "wet": wet.all, "span": np.array([float(np.ptp(land.surface))])}
    found["levels"] = np.array([pad.level for pad in pads])
    found["pads_moved"] = np.array([(pad.cut, pad.fill) for pad in pads]).reshape(-1, 2)
    for number, course in enumerate(roads):
        prefix = f"road{number}."
        found |= {prefix + name: values for name, values in course.line._asdict().items()}
        found |= {prefix + name: np.array(getattr(course, name), np.float64).reshape(-1, 2) for name in _STRUCTURES}
        found[prefix + "ground"] = course.ground
        found[prefix + "bends"] = np.array([course.steepest, course.least_radius, *course.sharpest])
        found[prefix + "moved"] = np.array([course.cut, course.fill])
    return found


class Works(NamedTuple):
    """Pads and roads of a world.

    Attributes
    ----------
    pads : tuple of PlacedPad
        Seen from the corner of the land.
    roads : tuple of RoadCourse
        In the order of the drawing.
    rivers, wet : ndarray of bool, shape (rows, columns)
        Where rivers, and any water, are on the survey.
    """

    pads: tuple[PlacedPad, ...]
    roads: tuple[RoadCourse, ...]
    rivers: npt.NDArray[np.bool_]
    wet: npt.NDArray[np.bool_]


def read_works(found: dict[str, Array], drawing: DrawnFeatures, cell_size: float) -> Works:
    """Return what `survey_works` found."""
    span = float(found["span"][0])
    pads = tuple(
        PlacedPad(pad, outline_of(pad), float(level), reach_of_pad(pad, span, cell_size))
        for pad, level in zip(drawing.pads, found["levels"])
    )
    roads = tuple(_read_road(found, f"road{number}.", road) for number, road in enumerate(drawing.roads))
    return Works(pads, roads, found["rivers"], found["wet"])


def _read_road(found: dict[str, Array], prefix: str, road: Road) -> RoadCourse:
    line = DrawnLine(*(found[prefix + name] for name in ("x", "y", "height")))
    bridges, tunnels = (tuple(Structure(*map(float, one)) for one in found[prefix + name]) for name in _STRUCTURES)
    steepest, radius, x, y = map(float, found[prefix + "bends"])
    cut, fill = map(float, found[prefix + "moved"])
    return RoadCourse(road, line, found[prefix + "ground"], bridges, tunnels, steepest, radius, (x, y), cut, fill)


def build_tile(tile: WorldTile) -> None:
    """Cut and fill the ground of pads and roads."""
    cell, times = tile.land.cell_size, 2**tile.phase.level
    works = read_works(tile.found("survey"), tile.shop.drawing, cell)
    ground = ground_after(tile, tile.phase.step - 1, 0)
    for _, block in tile.blocks():
        before = ground.of(block)
        surface = before.surface.copy()
        beds = _beds_in(tile, block)
        rivers, wet = (_nearest(field, block, times) | beds for field in (works.rivers, works.wet))
        for pad in works.pads:
            surface = lay_on_window(surface, pad._replace(outline=_seen(pad.outline, block, cell)), cell, rivers)
        for course in works.roads:
            seen = course._replace(line=_seen(course.line, block, cell))
            surface, _ = lay_road(surface, course.road, seen, cell, wet)
        put_ground(tile, block, before, with_heights(before, surface))


def _beds_in(tile: WorldTile, block: Block) -> npt.NDArray[np.bool_]:
    """The cells of a block in which drawn rivers run."""
    beds = np.zeros(block.shape, bool)
    cells = tile.shop.courses(tile.phase.level).cell.astype(np.int64)
    beds.reshape(-1)[cells_in(cells, block, tile.all_blocks)] = True
    return beds


def _nearest(field: npt.NDArray[np.bool_], block: Block, times: int) -> npt.NDArray[np.bool_]:
    """What the nearest sample of the level in memory says, for each sample of a block."""
    row = (block.first_row + np.arange(block.rows) + times // 2) // times
    column = (block.first_column + np.arange(block.columns) + times // 2) // times
    return field[row[:, np.newaxis], column]


def free_of_works(tile: WorldTile, x: Array, y: Array) -> npt.NDArray[np.bool_]:
    """Return which places no pad and no road keeps free of plants.

    Parameters
    ----------
    tile : WorldTile
        Of the finest level, after its last step.
    x, y : ndarray of float64, shape (places,)
        Metres from the south-west corner of the land.

    Returns
    -------
    ndarray of bool, shape (places,)
    """
    step = tile.world.step_of("works")
    if step is None:
        return np.ones(x.size, bool)
    works = read_works(tile.found("survey", step), tile.shop.drawing, tile.land.cell_size)
    pads = [one.pad for one in works.pads]
    return stands_free(pads, works.roads, x.astype(np.float32), y.astype(np.float32))
