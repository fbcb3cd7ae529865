"""What joins the tiles of a world after a phase: graphs over their summaries, solved by one process."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ..core.direction.lines import lies_within
from ..core.erosion.block_incision import UNITS_PER_METRE, plain_feet, share_sediment
from ..core.foundation.compilation import Array
from ..core.tiling.basin_graph import LandBasins, join_basins
from ..core.tiling.block_flow import (
    ExitGraph,
    collect_at_entries,
    highest_beyond_exits,
    join_exits,
    lowest_at_entries,
)
from ..core.tiling.blocks import Blocks, cut_by_block, joined
from ..core.tiling.floors import find_floors
from ..core.tiling.lake_graph import find_lake_levels
from .drawing_phases import find_beds, survey_border, survey_forms, survey_works
from .survey_phases import act_in_memory, read_survey
from .tiles import ANSWERS, FOR_ALL, load_arrays, save_arrays, summary_file
from .workshop import Workshop
from .world import Phase


def solve_graph(shop: Workshop, phase: Phase) -> None:
    """Join the summaries of all tiles after a phase, and write what each tile needs to know.

    Parameters
    ----------
    shop : Workshop
        The world.
    phase : Phase
        What all tiles have done.
    """
    graph = _GRAPHS.get(phase.name)
    done = _folder(shop, phase) / "done.npz"
    if graph is None or done.is_file():
        return
    graph(shop, phase)
    save_arrays(done, {})


def forget_answers(shop: Workshop, phase: Phase) -> None:
    """Let the graph of a phase be solved again."""
    (_folder(shop, phase) / "done.npz").unlink(missing_ok=True)


def _summaries(shop: Workshop, phase: Phase, name: str) -> dict[str, Array]:
    """What all tiles told in a phase of the same level and step."""
    down, across = shop.world.tiles(phase.level)
    of = phase._replace(name=name)
    return joined([load_arrays(summary_file(shop.store.folder, of, number)) for number in range(down * across)])


def _folder(shop: Workshop, phase: Phase) -> Any:
    return shop.store.folder / ANSWERS / phase.key


def _write_answers(shop: Workshop, phase: Phase, answers: dict[str, Array]) -> None:
    """Give each tile what was found for the cells of its blocks."""
    blocks = shop.world.blocks(phase.level)
    per_tile = shop.world.tile // shop.world.scale.side
    down, across = shop.world.tiles(phase.level)
    tiles: list[dict[str, Array]] = [{} for _ in range(down * across)]
    for number, found in cut_by_block(answers, blocks).items():
        row, column = divmod(number, blocks.across)
        tile = tiles[row // per_tile * across + column // per_tile]
        tile |= {f"{number}.{name}": values for name, values in found.items()}
    for number, found in enumerate(tiles):
        save_arrays(_folder(shop, phase) / f"{number}.npz", found)


def _join_ground(shop: Workshop, phase: Phase) -> None:
    """Find basins, the paths to turn around, and the plains that fill lakes."""
    blocks = shop.world.blocks(phase.level)
    basins = _find_basins(shop, phase, blocks)
    row, column = np.divmod(basins.pass_from, blocks.columns)
    cell_size = shop.world.land(phase.level).cell_size
    # A drawn lake keeps its level, so no plain grows in it, and none behind it begins at one.
    is_drawn = np.zeros(basins.pit.size, bool)
    for lake in shop.drawing.lakes:
        is_drawn |= lies_within(lake.outline, *np.divmod(basins.pit, blocks.columns), cell_size)
    parent = np.where(is_drawn[basins.parent], 0, basins.parent)
    foot = plain_feet(basins.level, parent, basins.order, row, column, shop.rivers.plain_slope * cell_size)
    at = np.where(is_drawn[basins.basin], 0, basins.basin)
    ends: dict[str, Array] = {"cell": basins.end, "basin": at, "foot": foot[at], "row": row[at], "column": column[at]}
    _write_answers(shop, phase, ends)


def _join_surface(shop: Workshop, phase: Phase) -> None:
    """Find basins, the paths to turn around, and the levels up to which basins fill."""
    basins = _find_basins(shop, phase, shop.world.blocks(phase.level))
    _write_answers(shop, phase, {"cell": basins.end, "basin": basins.basin, "level": basins.level[basins.basin]})


def _find_basins(shop: Workshop, phase: Phase, blocks: Blocks) -> LandBasins:
    basins = join_basins(_summaries(shop, phase, phase.name), blocks)
    turned = phase._replace(name=f"{phase.name}.turned")
    _write_answers(shop, turned, {"cell": basins.turned_cell, "way": basins.turned_way})
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", basins._asdict())
    return basins


def _basins_of(shop: Workshop, phase: Phase, name: str) -> LandBasins:
    return LandBasins(**load_arrays(_folder(shop, phase._replace(name=name)) / f"{FOR_ALL}.npz"))


def _join_carved(shop: Workshop, phase: Phase) -> None:
    """Find what enters each block from its neighbours."""
    summary = _summaries(shop, phase, phase.name)
    graph = join_exits(summary)
    cells, amounts = collect_at_entries(graph, summary)
    _write_answers(shop, phase, {"cell": cells, "amount": amounts})
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", graph._asdict())


def _join_chains(shop: Workshop, phase: Phase) -> None:
    """Find the new height of the cell to which each exit drains."""
    graph = ExitGraph(**load_arrays(_folder(shop, phase._replace(name="carve")) / f"{FOR_ALL}.npz"))
    floors = find_floors(graph, _summaries(shop, phase, phase.name))
    _write_answers(shop, phase, {"cell": graph.exit, "floor": floors})


def _join_loads(shop: Workshop, phase: Phase) -> None:
    """Find how full of sediment each lake becomes, and close the mass balance of the step but for what is deposited."""
    summary = _summaries(shop, phase, phase.name)
    basins = _basins_of(shop, phase, "ground")
    load, room = np.zeros(len(basins.pit), np.int64), np.zeros(len(basins.pit), np.int64)
    np.add.at(load, summary["basin"], summary["load"])
    np.add.at(room, summary["basin"], summary["room"])
    share = share_sediment(load, room, basins.parent, basins.order)
    _write_answers(shop, phase, {"cell": basins.end, "share": share[basins.basin]})
    before, lifted, removed = map(math.fsum, summary["volumes"].T)
    volumes = np.array([before, lifted, removed, load[0] / UNITS_PER_METRE])
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", {"volumes": volumes})


def _join_routes(shop: Workshop, phase: Phase) -> None:
    """Find what enters each block, and the lakes that are large enough."""
    summary, water = _summaries(shop, phase, phase.name), shop.world.recipe.water
    graph = join_exits(summary)
    cells, amounts = collect_at_entries(graph, summary)
    _write_answers(shop, phase, {"cell": cells, "amount": amounts})
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", graph._asdict())
    basins = _basins_of(shop, phase, "surface" if phase.name == "route" else "lead")
    wet, deepest = np.zeros(len(basins.pit), np.int64), np.zeros(len(basins.pit))
    np.add.at(wet, summary["basin"], summary["wet"])
    np.maximum.at(deepest, summary["basin"], summary["deepest"])
    fewest = water.smallest_lake / shop.world.land(phase.level).cell_size ** 2
    level = find_lake_levels(basins, wet, deepest, fewest, water.shallowest_lake)
    level = level if water.lakes else np.full(level.size, -np.inf)
    lakes = phase._replace(name=f"{phase.name}.lakes")
    _write_answers(shop, lakes, {"cell": basins.end, "level": level[basins.basin]})


def _join_beds(shop: Workshop, phase: Phase) -> None:
    """Find the lowest bed of all rivers that enter each block, and the highest ground that dams those that leave it."""
    graph = ExitGraph(**load_arrays(_folder(shop, phase._replace(name="drain")) / f"{FOR_ALL}.npz"))
    summary = _summaries(shop, phase, phase.name)
    cells, lowest = lowest_at_entries(graph, summary)
    _write_answers(shop, phase, {"cell": cells, "lowest": lowest})
    dams = phase._replace(name=f"{phase.name}.dams")
    _write_answers(shop, dams, {"cell": graph.exit, "highest": highest_beyond_exits(graph, summary)})


def _join_survey(shop: Workshop, phase: Phase) -> None:
    """Find what a process that looks at the whole land, or a drawing, makes of the survey of it."""
    land, drawn = read_survey(shop, _summaries(shop, phase, phase.name)), shop.world.drawn_in(phase.step)
    find = {None: partial(act_in_memory, shop, phase.step), "forms": partial(survey_forms, shop)}
    find["border"] = partial(survey_border, shop)
    found = find.get(drawn, partial(survey_works, shop))(land)
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", found)


def _join_courses(shop: Workshop, phase: Phase) -> None:
    """Find beds of drawn rivers that fall all the way."""
    found = find_beds(shop, phase.level, _summaries(shop, phase, phase.name))
    save_arrays(_folder(shop, phase) / f"{FOR_ALL}.npz", found)


_GRAPHS: dict[str, Callable[[Workshop, Phase], None]] = {
    "ground": _join_ground,
    "carve": _join_carved,
    "chain": _join_chains,
    "solve": _join_loads,
    "surface": _join_surface,
    "route": _join_routes,
    "lead": _join_surface,
    "drain": _join_routes,
    "sink": _join_beds,
    "survey": _join_survey,
    "trace": _join_courses,
    "dig": _join_courses,
}


def step_balance(shop: Workshop, level: int, step: int) -> dict[str, float]:
    """Return the mass balance of one step of river incision.

    Parameters
    ----------
    shop : Workshop
        The world.
    level, step : int
        Which step.

    Returns
    -------
    dict of str to float
        ``before``, ``uplifted``, ``left``, ``after`` and ``error`` in m³; what drawn lakes take to keep their levels is
        left, too.
    """
    fill = Phase("fill", level, step)
    before, lifted, _, left = load_arrays(_folder(shop, fill._replace(name="solve")) / f"{FOR_ALL}.npz")["volumes"]
    _, after, held = map(math.fsum, _summaries(shop, fill, "fill")["volumes"].T)
    left += held
    area = shop.world.land(level).cell_size ** 2
    volumes = {"before": before, "uplifted": lifted, "left": left, "after": after}
    error = after - (before + lifted - left)
    return {name: float(value * area) for name, value in (*volumes.items(), ("error", error))}


def process_balance(shop: Workshop, step: int) -> dict[str, float | str]:
    """Return the mass balance of a process that follows the rivers.

    Parameters
    ----------
    shop : Workshop
        The world.
    step : int
        On the finest level.

    Returns
    -------
    dict
        ``process``, its name, and ``before``, ``after`` and ``change`` in m³.
    """
    phase = Phase(shop.world.step_phases(shop.world.levels, step)[-1], shop.world.levels, step)
    return {"process": shop.world.name_of(step), **_change_in(shop, phase)}


def _change_in(shop: Workshop, phase: Phase) -> dict[str, float]:
    """The volume of the land before and after a phase, in m³."""
    area = shop.world.land(phase.level).cell_size ** 2
    before, after = (area * math.fsum(volumes) for volumes in _summaries(shop, phase, phase.name)["volumes"].T)
    return {"before": float(before), "after": float(after), "change": float(after - before)}


def all_balances(shop: Workshop) -> Iterable[dict[str, Any]]:
    """Return the mass balances of all steps, with their level and step."""
    world = shop.world
    for level in range(1, world.levels + 1):
        for step in range(1, world.steps + 1):
            yield {"level": level, "step": step, **step_balance(shop, level, step)}
    if world.keeps_land:
        kept = Phase("keep", world.levels, world.steps)
        yield {"level": kept.level, "step": kept.step, "process": "mask", **_change_in(shop, kept)}
    for step in range(world.steps + 1, world.last_step + 1):
        yield {"level": world.levels, "step": step, **process_balance(shop, step)}
